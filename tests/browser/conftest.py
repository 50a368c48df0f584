"""A real JupyterLab and a real browser, for the tests of what notebooks show.

The server is started once, with folders of its own, so that nobody's settings matter. A test that uses `lab` fails on
any console error and on any request that leaves this machine.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import BROWSER_ARGUMENTS
from helpers.living import ARE_LIVING, KEYS_SHOWN
from helpers.ports import free_port
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).parent.parent.parent
LOADING = 120_000  # milliseconds for JupyterLab to load
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}


@dataclass
class Server:
    url: str
    token: str
    folder: Path
    settings: Path
    environment: dict[str, str]
    signed: dict[Path, str] = field(default_factory=dict)  # the notebooks as they were when they were signed

    def write(self, name: str, cells: list[str]) -> None:
        """Put a notebook into the folder."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(text, id=f"cell{k}") for k, text in enumerate(cells)],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
        )
        nbformat.write(notebook, self.folder / name)

    def set(self, plugin: str, **settings: Any) -> None:
        """Settings of JupyterLab for the next page that is loaded."""
        path = self.settings / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))

    def all_settings(self) -> dict[Path, str]:
        return {path: path.read_text() for path in self.settings.rglob("*.jupyterlab-settings")}

    def trust(self) -> None:
        """Sign what is new in the folder: else widgets, styles and scripts of notebooks do not run."""
        texts = {path: path.read_text(encoding="utf-8") for path in self.folder.glob("*.ipynb")}
        notary = NotebookNotary(data_dir=self.environment["JUPYTER_DATA_DIR"])
        for path in [path for path, text in texts.items() if self.signed.get(path) != text]:
            notary.sign(nbformat.reads(texts[path], as_version=4))
        notary.store.close()
        self.signed = texts

    def end_kernels(self, living: Collection[str]) -> None:
        """A kernel outlives the page that started it: end all but those of some notebooks."""
        for session in json.load(self._request("GET", "sessions")):
            if session["path"] not in living:
                self._request("DELETE", f"sessions/{session['id']}").close()

    def _request(self, method: str, path: str) -> Any:
        headers = {"Authorization": f"token {self.token}"}
        return urllib.request.urlopen(
            urllib.request.Request(f"{self.url}/api/{path}", method=method, headers=headers), timeout=60
        )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("lab")
    folder = home / "work"
    folder.mkdir()
    settings = home / "settings"
    # As `dev.py lab` has it: else JupyterLab looks at each load of a page whether it is to be built anew.
    page_config = home / "config" / "labconfig" / "page_config.json"
    page_config.parent.mkdir(parents=True)
    page_config.write_text(json.dumps({"buildCheck": False}))
    port = free_port()
    token = hashlib.sha256(os.urandom(16)).hexdigest()
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "PYTHONPATH": str(ROOT),
    }
    log = open(home / "log.txt", "w")  # noqa: SIM115 (open as long as the server runs)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
            *(
                f"--IdentityProvider.token={token}",
                f"--ServerApp.root_dir={folder}",
                "--LabApp.expose_app_in_browser=True",
            ),
            *("--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"),
            "--LabApp.extension_manager=readonly",
        ],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_up(url, token, process, home / "log.txt")
        server = Server(url, token, folder, settings, environment)
        for name, content in SETTINGS.items():
            server.set(name, **content)
        yield server
    finally:
        process.terminate()
        process.wait(120)
        log.close()


def _wait_until_up(url: str, token: str, process: subprocess.Popen[Any], log: Path) -> None:
    for _ in range(480):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{url}/api/status?token={token}", timeout=5).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.25)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser(playwright: Any, chromium: str) -> Iterator[Browser]:
    running = playwright.chromium.launch(executable_path=chromium, args=BROWSER_ARGUMENTS)
    yield running
    running.close()


def hear(page: Page, complaints: list[str], expected_addresses: str) -> None:
    """Note what goes wrong on a page, each dialog, and each request to an address that does not begin as expected."""
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def check(request: Any) -> None:
        if not re.match(expected_addresses, request.url):
            complaints.append(f"a request left this machine: {request.url}")

    def close(dialog: Any) -> None:
        if dialog.type != "beforeunload":  # the question whether an unsaved notebook may be left
            complaints.append(f"a dialog: {dialog.message}")
        dialog.accept()

    page.on("request", check)
    page.on("dialog", close)


class Pages:
    """Pages without a kernel. They stay open from test to test: to start a new one takes five times as long."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.kept: dict[str, Page] = {}
        self.complaints: list[str] = []

    def emptied(self, **settings: Any) -> Page:
        """The page that has these settings of playwright's `new_context`, with nothing on it."""
        page = self.kept.get(repr(settings))
        if page is None:
            page = self.kept[repr(settings)] = self.browser.new_context(**settings).new_page()
            hear(page, self.complaints, "(file|data|about|blob):")
        # What a test before has asked for ends with it.
        page.emulate_media(
            color_scheme=settings.get("color_scheme", "light"),
            forced_colors=settings.get("forced_colors", "none"),
            reduced_motion=settings.get("reduced_motion", "no-preference"),
        )
        page.goto("about:blank")
        page.emulate_media(media="screen")
        page.mouse.move(0, 0)  # else what the next test shows lies under the pointer where the last one left it
        return page


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def pages(kept_pages: Pages) -> Iterator[Pages]:
    """Pages without a kernel; anything that they complain of fails the test."""
    kept_pages.complaints.clear()
    yield kept_pages
    assert kept_pages.complaints == []


# While a notebook opens on a busy machine, JupyterLab's widget manager may ask for models before it has read those that
# the notebook stores; it asks again when it has. Once all cells have run, this is a complaint like any other.
TOO_EARLY = "Error: widget model not found\n"
# JupyterLab may still wait for answers of a kernel (to its debugger, to its request for a thread of its own) or measure
# the toolbar when the notebook is closed, and say so a while later. That is no complaint of the next notebook.
LEFT_EARLY = (
    "Could not restore the debugger state: Canceled future",
    "Error: Canceled future for create_subshell_request message",
    "Error while computing the ReactiveToolbar TypeError: Cannot read properties of null (reading 'widgets')",
)


# What the page remembers of its reader: which parts of a stepper were left open by the test before.
FORGET = """() => {
    const names = location.protocol.startsWith('http') ? Object.keys(sessionStorage) : [];
    for (const name of names.filter((name) => name.startsWith('minigrad-'))) sessionStorage.removeItem(name);
}"""


class Lab:
    """JupyterLab in the browser, with one notebook open, and the complaints that its page had."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server
        self.notebook: str | None = None  # the one that `open` has opened
        self.settings: dict[Path, str] | None = None  # that the page has read; None if it is to be loaded anew
        self.known: set[str] = set()  # the notebooks that have been open since the page was loaded
        self.living: set[str] = set()  # those whose kernels live on when others are opened
        self.complaints: list[str] = []
        hear(page, self.complaints, rf"(data:|blob:|(http|ws){re.escape(server.url.removeprefix('http'))})")

    def load_anew(self) -> None:
        """Have the next notebook opened by loading the page, whatever is on it now."""
        self.notebook = self.settings = None

    def open(self, notebook: str) -> None:
        """Open a notebook, in place of another, with a kernel of its own, and run all of its cells."""
        self.show(notebook)
        self.run_all()
        self.notebook = notebook
        self.complaints[:] = [complaint for complaint in self.complaints if not complaint.startswith(TOO_EARLY)]

    def open_afresh(self, notebook: str) -> None:
        """Open a notebook, of which nothing runs, in a page that has never had it open."""
        if notebook in self.known:
            self.load_anew()
        self.show(notebook)

    def show(self, notebook: str) -> None:
        """Open a notebook, in place of another, of which nothing runs. Kernels end, but those of `living`."""
        self.notebook = None
        self.page.evaluate(FORGET)
        if self.settings != self.server.all_settings():
            self.server.end_kernels(self.living)
            address = f"{self.server.url}/lab/tree/{notebook}?token={self.server.token}&reset"
            self.page.goto(address, timeout=LOADING)
            self.settings = self.server.all_settings()
            self.known.clear()
        else:
            self.page.evaluate(
                """async ([path, living]) => {
                    const { commands, serviceManager: { sessions }, shell } = window.jupyterapp;
                    for (const widget of [...shell.widgets('main')]) widget.dispose();
                    await sessions.refreshRunning();
                    for (const { id, path } of [...sessions.running()]) {
                        if (!living.includes(path)) await sessions.shutdown(id);
                    }
                    const { sessionContext } = await commands.execute('docmanager:open', { path });
                    await sessionContext.ready;
                }""",
                [notebook, sorted(self.living)],
            )
        self.known.add(notebook)
        self.wait_for_kernel()

    def set(self, plugin: str, **settings: Any) -> None:
        """Change settings of JupyterLab, as its menu does: for what is open, and for pages to come."""
        before = self.server.all_settings()
        self.server.set(plugin, **settings)
        if self.settings == before != self.server.all_settings():
            self.page.evaluate(
                """async (plugin) => {
                    const { pluginRegistry } = window.jupyterapp;
                    const named = ({ name }) => name === '@jupyterlab/coreutils:ISettingRegistry';
                    const registry = await pluginRegistry.resolveRequiredService(
                        [...pluginRegistry._services.keys()].find(named),
                    );
                    await registry.reload(plugin);
                }""",
                plugin.replace("/plugin", ":plugin"),
            )
            self.settings = self.server.all_settings()

    def wait_for_kernel(self) -> None:
        """Wait for the kernel of the notebook that is seen."""
        status = self.page.locator("#jp-main-statusbar")
        expect(status).to_contain_text("Python 3 (ipykernel) | Idle", timeout=60_000)

    def run_all(self) -> None:
        """Run all cells of the notebook, and wait for them, and for what they show to live."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        # The last cell's answer comes after those of all others.
        done = self.kernel("print('all cells have run')")
        assert done == "all cells have run"
        self.wait_until_living()

    def wait_until_living(self, cells: int | None = None) -> None:
        """Wait until all that the first so many cells show, or all cells, has found its model, and is drawn.

        Until then a page shows what is stored: a click goes to that, and is lost when the model comes.
        """
        self.page.wait_for_function(ARE_LIVING, arg=self.page.evaluate(KEYS_SHOWN, cells))

    def kernel(self, code: str) -> str:
        """Run code in the notebook's kernel, behind what is queued there; return what it printed."""
        printed: str = self.page.evaluate(
            """async (code) => {
                const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
                // What widgets send is answered in another thread than this code, which may be late; and a widget sends
                // a change when the one before has been answered.
                const types = () => [...kernel._futures.values()].map(({ msg }) => msg.header.msg_type);
                while (types().includes('comm_msg')) await new Promise((resolve) => setTimeout(resolve, 5));
                let printed = '';
                const future = kernel.requestExecute({ code, store_history: false });
                future.onIOPub = (message) => {
                    if (message.header.msg_type === 'stream') printed += message.content.text;
                    if (message.header.msg_type === 'error') printed += message.content.evalue;
                };
                await future.done;
                return printed.trim();
            }""",
            code,
        )
        return printed


@pytest.fixture(scope="session")
def kept_lab(server: Server, browser: Browser) -> Lab:
    # Without motion there is a tenth less to draw; test_stepper_in_lab.py sees what moves.
    context = browser.new_context(viewport={"width": 1400, "height": 1100}, reduced_motion="reduce")
    return Lab(context.new_page(), server)


@pytest.fixture
def lab(kept_lab: Lab, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """JupyterLab, which stays open from test to test; anything that it complains of fails the test."""
    kept_lab.complaints.clear()
    failed = request.session.testsfailed
    yield kept_lab
    if request.session.testsfailed > failed:
        kept_lab.load_anew()  # what a failed test has left, such as a dialog, harms no other
    assert [complaint for complaint in kept_lab.complaints if not complaint.startswith(LEFT_EARLY)] == []

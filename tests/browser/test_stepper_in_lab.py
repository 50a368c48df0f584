"""The stepper in a real JupyterLab, in a real browser: what the picture shows is what the kernel holds, after every
click.

A server is started once, with folders of its own, so that nobody's settings matter. Each test fails on any console
error and on any request that leaves this machine.
"""

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = ["00_start_here.ipynb", "03_backward_step_by_step.ipynb"]
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}
EXAMPLE = [
    "import minigrad as mg\nfrom minigrad import viz",
    "A = mg.tensor([3.], requires_grad=True)\nB = mg.tensor([2.], requires_grad=True)\n"
    "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\ns = viz.BackwardStepper(F)\ns",
    "viz.draw(F)",
]
# The boxes that run at each step, and what each box's gradient reads after it.
RUNS = ["F", "E", "D", "B", "C", "A"]
GRADS = [
    {"A": "None", "B": "None", "C": "None", "D": "None", "E": "None", "F": "None"},
    {"A": "None", "B": "None", "C": "None", "D": "1", "E": "1", "F": "1"},
    {"A": "None", "B": "None", "C": "4", "D": "1 + 9 = 10", "E": "1", "F": "1"},
    {"A": "None", "B": "None", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "None", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "None", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "24", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
]


@dataclass
class Server:
    url: str
    token: str
    folder: Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("lab")
    folder = home / "work"
    folder.mkdir()
    settings = home / "settings"
    for name, content in SETTINGS.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
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
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text, id=f"cell{k}") for k, text in enumerate(EXAMPLE)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
    )
    nbformat.write(notebook, folder / "example.ipynb")
    for chapter in CHAPTERS:
        if (ROOT / "notebooks" / chapter).exists():
            shutil.copy(ROOT / "notebooks" / chapter, folder / chapter)
    subprocess.run(
        [sys.executable, "-m", "jupyter", "trust", *sorted(str(path) for path in folder.glob("*.ipynb"))],
        env=environment,
        check=True,
        capture_output=True,
    )
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
        yield Server(url, token, folder)
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def _wait_until_up(url: str, token: str, process: subprocess.Popen[Any], log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{url}/api/status?token={token}", timeout=5).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.25)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=BROWSER_ARGUMENTS)
        yield running
        running.close()


@dataclass
class Lab:
    """An open notebook, and the complaints that its page had."""

    page: Page
    server: Server
    complaints: list[str] = field(default_factory=list)

    def open(self, notebook: str) -> None:
        """Open a notebook and run all of its cells."""
        self.page.goto(f"{self.server.url}/lab/tree/{notebook}?token={self.server.token}&reset")
        status = self.page.locator("#jp-main-statusbar")
        expect(status).to_contain_text("Python 3 (ipykernel) | Idle", timeout=60_000)
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        # The last cell's answer comes after those of all others.
        done = self.kernel("print('all cells have run')")
        assert done == "all cells have run"

    def kernel(self, code: str) -> str:
        """Run code in the notebook's kernel, behind what is queued there; return what it printed."""
        printed: str = self.page.evaluate(
            """async (code) => {
                const { sessions } = window.jupyterapp.serviceManager;
                await sessions.refreshRunning();
                const here = window.location.pathname;
                const model = [...sessions.running()].find(({ path }) => here.endsWith(path.split('/').pop()));
                const { kernel } = sessions.connectTo({ model });
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

    def stepper(self) -> "Stepper":
        widget = self.page.locator(".minigrad-stepper").first
        expect(widget).to_be_visible(timeout=30_000)
        widget.scroll_into_view_if_needed()
        return Stepper(self, widget)


@dataclass
class Stepper:
    lab: Lab
    widget: Locator

    def press(self, name: str) -> None:
        self.widget.locator(f".mg-press-{name}").click()

    def at(self, step: int) -> None:
        """The page and the kernel show this step, and agree on every gradient."""
        expect(self.widget).to_have_attribute("data-step", str(step))
        expect(self.widget.locator(".mg-counter")).to_have_text(f"step {step} of 6")
        assert self.grads() == GRADS[step]
        ran = self.widget.locator(".mg-box.mg-ran .mg-name").all_text_contents()
        assert ran == ([RUNS[step - 1]] if step else [])
        held = self.lab.kernel("print(A.grad, B.grad, s.index)")
        shown = [f"tensor([{text}.])" if text != "None" else text for text in (GRADS[step]["A"], GRADS[step]["B"])]
        assert held == f"{shown[0]} {shown[1]} {step}"

    def grads(self) -> dict[str, str]:
        boxes = self.widget.locator(".mg-box")
        names = boxes.locator(".mg-name").all_text_contents()
        grads = boxes.locator(".mg-grad").all_text_contents()
        return dict(zip(names, grads, strict=True))


@pytest.fixture
def lab(server: Server, browser: Browser) -> Iterator[Lab]:
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    page = context.new_page()
    opened = Lab(page, server)
    page.on("console", lambda message: opened.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))

    def check(request: Any) -> None:
        if not re.match(
            rf"(data:|blob:|{re.escape(server.url)}|{re.escape(server.url.replace('http', 'ws'))})", request.url
        ):
            opened.complaints.append(f"a request left this machine: {request.url}")

    page.on("request", check)
    yield opened
    context.close()
    assert opened.complaints == []


def test_next_to_the_end_and_back_again(lab: Lab) -> None:
    lab.open("example.ipynb")
    stepper = lab.stepper()
    stepper.at(0)
    for step in range(1, 7):
        stepper.press("next")
        stepper.at(step)
    expect(stepper.widget.locator(".mg-press-next")).to_have_attribute("aria-disabled", "true")
    for step in range(5, -1, -1):
        stepper.press("back")
        stepper.at(step)
    assert lab.kernel("print(len(s.frames))") == "7"


def test_keys_slider_first_and_last(lab: Lab) -> None:
    lab.open("example.ipynb")
    stepper = lab.stepper()
    stepper.widget.focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 6), ("Home", 0)]:
        lab.page.keyboard.press(key)
        stepper.at(step)
    stepper.widget.locator(".mg-slider").fill("4")
    stepper.at(4)
    stepper.press("last")
    stepper.at(6)
    stepper.press("first")
    stepper.at(0)
    # Space plays to the end, over what is recorded.
    stepper.widget.locator(".mg-speed").select_option("fast")
    stepper.widget.focus()
    lab.page.keyboard.press("Space")
    expect(stepper.widget).to_have_attribute("data-step", "6", timeout=15_000)
    stepper.at(6)


def test_stepping_from_a_cell_moves_the_picture(lab: Lab) -> None:
    lab.open("example.ipynb")
    stepper = lab.stepper()
    lab.kernel("s.run_to('D')")
    stepper.at(3)
    stepper.press("next")
    stepper.at(4)
    lab.kernel("s.reset()")
    stepper.at(0)


def test_an_error_is_shown_and_the_kernel_goes_on(lab: Lab) -> None:
    lab.open("example.ipynb")
    stepper = lab.stepper()
    stepper.press("next")
    stepper.at(1)
    lab.kernel("F.backward()")  # frees what the stepper would have needed for its next step
    stepper.press("next")
    problem = stepper.widget.get_by_role("alert")
    expect(problem).to_contain_text("Trying to backward through the graph a second time")
    expect(stepper.widget.locator(".mg-box.mg-bad .mg-name")).to_have_text("E")
    assert lab.kernel("print(1 + 1)") == "2"
    stepper.press("back")
    expect(stepper.widget).to_have_attribute("data-step", "0")
    expect(problem).to_have_count(0)


def test_the_code_is_lit_and_a_box_can_be_inspected(lab: Lab) -> None:
    lab.open("example.ipynb")
    stepper = lab.stepper()
    stepper.press("next")
    stepper.press("next")
    stepper.at(2)
    lit = stepper.widget.locator(".mg-lit")
    expect(lit).to_have_count(1)
    expect(lit.locator(".mg-text")).to_have_text("E = C * D")
    expect(lit.locator("mark")).to_have_text("C * D")
    box = stepper.widget.locator("[data-box]", has_text="C * D")
    box.focus()
    lab.page.keyboard.press("Enter")
    inspector = stepper.widget.locator(".mg-inspector")
    expect(inspector).to_be_visible()
    expect(inspector).to_contain_text("result of MulBackward0")
    lab.page.keyboard.press("Escape")
    expect(inspector).to_be_hidden()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_follows_the_theme(lab: Lab, theme: str) -> None:
    lab.open("example.ipynb")
    lab.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    light = theme == "JupyterLab Light"
    expect(lab.page.locator("body")).to_have_attribute(
        "data-jp-theme-light", "true" if light else "false", timeout=15_000
    )
    stepper = lab.stepper()
    colours = stepper.widget.locator(".mg-card").first.evaluate(
        "(card) => [getComputedStyle(card).fill, getComputedStyle(card.parentNode.querySelector('.mg-name')).fill]"
    )
    paper, ink = (sum(int(number) for number in re.findall(r"\d+", colour)[:3]) for colour in colours)
    assert (paper > 600 and ink < 250) if light else (paper < 200 and ink > 600), colours


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_shipped_chapters_run_and_show_their_widgets(lab: Lab, chapter: str) -> None:
    lab.open(chapter)
    source = (ROOT / "notebooks" / chapter).read_text(encoding="utf-8")
    stepper = lab.stepper()
    expect(stepper.widget.locator(".mg-box").first).to_be_visible()
    stepper.press("next")
    expect(stepper.widget).not_to_have_attribute("data-step", "0")
    assert "BackwardStepper" in source

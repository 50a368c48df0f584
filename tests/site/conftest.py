"""The site, built once for all processes of the tests, on a server of its own under /sub/path/, and a browser that
reaches nothing else.

What is the same on many pages is tried on a page of each kind; on all pages by tests with the mark `long`.
"""

import contextlib
import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import BROWSER_ARGUMENTS, OFFLINE, missing
from playwright.sync_api import Browser, Page, Request

import dev

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools" / "site"
try:
    dev.install_site_packages()
except SystemExit:  # it has said why
    missing("sphinx")
sys.path += [dev.SITE_PACKAGES, str(TOOLS)]  # the modules of TOOLS are tested, too
os.environ["PYTHONPATH"] = dev.SITE_PACKAGES  # for those that are started, as `python dev.py site` starts them
PREFIX = "/sub/path"
RELEASE = "PYODIDE_RELEASE"


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command that `python dev.py site` runs, for a site that may stand anywhere."""
    command = [sys.executable, str(TOOLS / "build.py"), "--folder", str(folder), "--address=", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="session")
def build_site() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Builds the site into a folder, with options."""
    return build


@pytest.fixture(scope="session")
def release(request: pytest.FixtureRequest) -> Path:
    """The folder of a release of Pyodide; the variable names another one."""
    if RELEASE in os.environ:
        return Path(os.environ[RELEASE])
    folder: Path = request.getfixturevalue("pyodide")
    return folder


@pytest.fixture(scope="session")
def site(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a built site, with the course that runs in it. The first process that asks builds it for all."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "built" / "site"
    folder.parent.mkdir(exist_ok=True)
    with alone(folder.parent / "lock"):
        if not folder.exists():
            done = build(folder, "--pyodide", str(release))
            assert done.returncode == 0, done.stderr
    return folder


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Of several processes only one at a time is within, on systems that have such locks."""
    with path.open("w") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def paths(site: Path) -> list[str]:
    """All pages to read."""
    pages = [*site.glob("*.html"), *site.glob("gallery/*.html")]
    return sorted(path.relative_to(site).as_posix() for path in pages)


class Handler(SimpleHTTPRequestHandler):
    """Shows the site under a path, and nothing beside it."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(PREFIX) if path.startswith(f"{PREFIX}/") else "/not-here")

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a page that is left no longer wants what it asked for
            super().handle_error(request, client_address)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is shown, with a / at its end."""
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}{PREFIX}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser(playwright: Any, chromium: str) -> Iterator[Browser]:
    running = playwright.chromium.launch(executable_path=chromium, args=[*BROWSER_ARGUMENTS, OFFLINE])
    yield running
    running.close()


@dataclass
class Reader:
    """A page of the browser, and what it complained of: any word on the console, any request that failed."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.complaints.append(f"{self.page.url}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error}"))
        self.page.on("request", self._hear)

    def _hear(self, request: Request) -> None:
        if not request.url.startswith((self.address, f"blob:{self.address[:20]}", "data:")):
            self.complaints.append(f"{self.page.url} asks for {request.url[:120]}")

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page


@pytest.fixture(scope="session")
def kept_reader(browser: Browser, address: str) -> Reader:
    return Reader(browser.new_context(viewport={"width": 1400, "height": 900}).new_page(), address)


@pytest.fixture
def reader(kept_reader: Reader) -> Iterator[Reader]:
    """A page that stays open from test to test; anything that it complains of fails the test."""
    kept_reader.complaints.clear()
    kept_reader.page.set_viewport_size({"width": 1400, "height": 900})
    kept_reader.page.emulate_media(media="screen", color_scheme="light")
    yield kept_reader
    assert kept_reader.complaints == []

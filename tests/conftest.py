"""What every test can count on, and what happens when a program that it needs is missing.

Three things that tests use are not in the lock: torch, a Chromium browser, and node. Ask for them as fixtures, by name:

    def test_parity(torch): ...          # the module `torch`
    def test_click(chromium): ...        # the path of the browser's program, a string: executable_path=chromium
    def test_esm(node): ...              # the path of node's program, a string

Where one is missing, the test is skipped, and the reason says how to install it. On the machine that gates changes
(the environment variable CI is "true") nothing is skipped for want of one of these: there, missing is failing. What
needs one before fixtures run (a parametrize list, a module-level import) calls the functions below instead:

    from conftest import require, require_program
    torch = require("torch")             # at module level: skips, or under CI fails, the whole module
    node = require_program("node")
"""

import importlib
import importlib.util
import os
import shutil
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

if "PYTEST_XDIST_WORKER" in os.environ:  # before numpy is imported: processes that have a core each need no threads,
    for library in ("OMP", "OPENBLAS", "MKL"):  # which would wait for each other, and waiting takes most of the time
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest
from leak_guard import no_leaked_state  # noqa: F401  (a fixture that works in every test)

import dev

INSTALL = {
    "torch": "pip install torch==2.13.0, with the Python in .venv",
    "chromium": "install Chromium or Chrome, or name its program in the variable CHROMIUM",
    "node": "install node 20 or newer",
    "happy-dom": "run npm ci in tests/js",
    "npm": "install npm, which comes with node",
}
# The files that take longest, all their tests together, the longest first. They are begun first, so that at the end no
# process is left alone with one of them.
LONGEST = (
    "tests/browser/test_chapters.py",
    "tests/test_ops.py",
    "tests/browser/test_stepper_in_lab.py",
    "tests/teach/test_wrong_answers.py",
    "tests/test_leaks.py",
    "tests/test_notebooks.py",
    "tests/browser/test_stepper_page.py",
    "tests/test_benchmarks.py",
    "tests/teach/test_any_answer.py",
    "tests/browser/test_torch_stepper_in_lab.py",
    "tests/test_engine.py",
    "tests/test_random_programs.py",
    "tests/test_dev.py",
    "tests/viz/torch_graphs/test_torch_graphs.py",
    "tests/test_refresh.py",
    "tests/test_models.py",
    "tests/viz/page/test_export.py",
    "tests/test_stepper_js.py",
    "tests/browser/test_saved_pages.py",
    "tests/test_engine_properties.py",
    "notebooks/00_start_here.ipynb",
)
PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent.parent / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(LONGEST)))


def missing(name: str) -> NoReturn:
    """Skip the test or the module that needs `name`; under CI, fail it."""
    reason = f"{name} is not installed ({INSTALL.get(name, f'install {name}')})"
    if os.environ.get("CI", "").lower() in ("true", "1"):
        pytest.fail(f"{reason}; under CI nothing is skipped for that", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def require(name: str) -> types.ModuleType:
    """Import the module `name`. A module that is there and broken raises its own error: only absence is excused."""
    if importlib.util.find_spec(name) is None:
        missing(name)
    return importlib.import_module(name)


def require_program(name: str) -> str:
    """Return the path of the program `name`, from the variable NAME if it is set, else from PATH."""
    for candidate in (os.environ.get(name.upper(), ""), *PROGRAMS.get(name, (name,))):
        path = shutil.which(candidate) if candidate else None
        if path:
            return path
    missing(name)


@pytest.fixture(scope="session")
def torch() -> types.ModuleType:
    return require("torch")


@pytest.fixture
def every_warning(torch: Any) -> Iterator[None]:
    """PyTorch gives some warnings once in a process, and maybe did in another test; here, each time."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


@pytest.fixture(scope="session")
def chromium() -> str:
    return require_program("chromium")


@pytest.fixture(scope="session")
def node() -> str:
    return require_program("node")


@pytest.fixture(scope="session")
def node_modules(node: str) -> Path:
    """The packages of tests/js/package-lock.json, installed again only when that file changed."""
    require_program("npm")
    try:
        dev.install_npm_packages()
    except SystemExit:  # it has said why
        missing("happy-dom")
    return Path(dev.NPM_PACKAGES)

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

The tests of what SLOW names have the mark `slow`, and so have single tests in the files that MARKED names. With
`pytest -m "not slow"`, which is `python dev.py test --quick`, they are left out, what SLOW names is not even imported,
and the end says so; under CI it is refused.

Tests with the mark `long` take minutes each, more than a change can wait for: `python dev.py test --long PATH` runs
them, and without `--long` they are not there.
"""

import gc
import importlib
import importlib.util
import os
import shutil
import signal
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

if "PYTEST_XDIST_WORKER" in os.environ:  # before numpy is imported: processes that have a core each need no threads,
    for library in ("OMP", "OPENBLAS", "MKL"):  # which would wait for each other, and waiting takes most of the time
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest
from _pytest.runner import runtestprotocol
from helpers.leak_guard import no_leaked_state  # noqa: F401  (a fixture that works in every test)

import dev

INSTALL = {
    "torch": "pip install torch==2.13.0, with the Python in .venv",
    "chromium": "install Chromium or Chrome, or name its program in the variable CHROMIUM",
    "node": "install node 20 or newer",
    "happy-dom": "run npm ci in tests/js",
    "npm": "install npm, which comes with node",
    "sphinx": "run python dev.py site, where there is a network",
    "JupyterHub": "run python dev.py hub, where there is a network",
    "pyodide": "run python tools/pyodide_release.py, which needs a network once",
}
# The files that take longest, all their tests together, the longest first. They are begun first, so that at the end no
# process is left alone with one of them.
LONGEST = (
    "tests/site/test_live.py",
    "tests/browser/test_chapters.py",
    "tests/classroom/test_class.py",
    "tests/browser/test_reopened.py",
    "tests/browser/test_stepper_in_lab.py",
    "tests/site/test_site.py",
    "tests/browser/test_stop_in_lab.py",
    "tests/browser/test_stepper_page.py",
    "tests/teach/test_wrong_answers.py",
    "tests/teach/test_tried_answers.py",
    "tests/ops/test_ops.py",
    "tests/browser/test_pictures.py",
    "tests/browser/test_keys_in_lab.py",
    "tests/browser/test_theme.py",
    "tests/course/test_notebooks.py",
    "tests/wasm/test_in_wasm.py",
    "tests/viz/test_stepper_js.py",
    "tests/browser/test_saved_pages.py",
    "tests/browser/test_torch_stepper_in_lab.py",
    "tests/setup/test_benchmarks.py",
    "tests/teach/test_attacked.py",
    "tests/viz/torch_graphs/test_torch_graphs.py",
    "notebooks/12_train_a_network.ipynb",
    "notebooks/16_a_sequence_model.ipynb",
    "notebooks/11_profiler.ipynb",
    "notebooks/14_build_your_own_engine.ipynb",
    "notebooks/15_layers_of_your_own.ipynb",
    "tests/viz/page/test_portions.py",
    "tests/viz/graph/test_formulas.py",
    "tests/teach/test_any_answer.py",
    "tests/engine/test_random_programs.py",
    "tests/course/test_claims_of_chapters.py",
    "tests/engine/test_leaks.py",
    "tests/setup/test_dev.py",
    "tests/viz/steps/test_what_if.py",
    "tests/site/test_building.py",
    "tests/setup/test_setup.py",
    "tests/teach/test_traces.py",
    "tests/engine/test_engine_properties.py",
    "tests/teach/test_single_exercises.py",
    "tests/viz/page/test_export.py",
    "tests/teach/test_apart.py",
    "tests/engine/test_interrupts.py",
    "tests/viz/torch_graphs/test_torch_user_programs.py",
    "tests/nn/test_models.py",
    "tests/engine/backward/test_deep_graphs.py",
    "tests/viz/comparing/test_compare.py",
    "tests/viz/page/test_recording.py",
    "tests/teach/test_folder.py",
    "tests/teach/test_cards.py",
    "tests/viz/steps/test_outside.py",
    "tests/viz/torch_graphs/test_watch.py",
    "tests/viz/graph/test_folding.py",
    "tests/viz/test_bad_moments.py",
    "tests/course/test_refresh.py",
)
# What `--quick` leaves out: folders and files, and what they try.
SLOW = {
    "tests/browser": "pages and JupyterLab in a browser",
    "tests/classroom": "a class on this machine: JupyterHub, and students in browsers",
    "tests/site": "the site, built and read in a browser, and the course that runs there",
    "notebooks": "the chapters, run again cell by cell",
    "tests/course": "the chapters with their solutions, and the programs of courses and tutorials, against PyTorch",
    "tests/teach": "the checks of exercises, with right, wrong and hostile answers",
    "tests/engine/test_random_programs.py": "programs drawn by lot, against PyTorch",
    "tests/engine/backward/test_deep_graphs.py": "chains of hundreds of thousands of nodes",
    "tests/engine/test_leaks.py": "what is left in memory of programs drawn by lot",
    "tests/engine/test_engine_properties.py": "graphs drawn by lot",
    "tests/ops/test_silence.py": "each op on extreme numbers, of which numpy would warn",
    "tests/setup/test_benchmarks.py": "the scripts that measure speed",
    "tests/nn/test_models.py": "networks in training, against PyTorch",
    "tests/engine/test_interrupts.py": "the stop button, at every line",
    "tests/setup/test_dev.py": "dev.py in small clones",
    "tests/setup/test_setup.py": "the package built and installed",
    "tests/setup/test_mutants.py": "the tool that breaks lines",
    "tests/viz/test_stepper_js.py": "the stepper's JavaScript, in node",
    "tests/viz/graph/test_formulas.py": "the formula of each op, with numbers drawn by lot",
    "tests/viz/graph/test_folding.py": "parts of graphs drawn by lot",
    "tests/viz/steps/test_what_if.py": "passes computed again with other numbers",
    "tests/viz/comparing": "two passes beside each other, on hundreds of graphs",
    "tests/viz/torch_graphs": "the stepper over PyTorch's graphs",
    "tests/viz/page": "pages made of notebooks",
    "tests/wasm": "minigrad in Python for browsers, in node",
}
# And single tests that have the mark themselves.
MARKED = {
    "tests/ops/test_ops.py": "each op in float16 and with other memory layouts, and second derivatives by differences"
}
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # with which no other host is reached
# The browser without windows comes first: with it, what is tried in a browser takes an eighth less.
PROGRAMS = {
    "chromium": (
        *("chromium-headless-shell", "chromium", "chromium-browser"),
        *("google-chrome", "google-chrome-stable", "chrome"),
    )
}


ROOT = Path(__file__).parent.parent
whole_collections = [0]  # how many there had been when what was left was last put aside


def under_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("true", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests with the mark `long`: minutes each")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job that a script starts with `&`: tests that stop
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs would wait for ever
    if under_ci() and "slow" in config.option.markexpr:
        raise pytest.UsageError("under CI no test is left out: run all of them, without -m and --quick")
    if is_quick(config):  # what is not run is not imported either
        within = [str(ROOT / name / "*") for name in SLOW]  # also where pytest is told to look into the folder
        config.option.ignore = [*(config.option.ignore or ()), *(str(ROOT / name) for name in SLOW)]
        config.option.ignore_glob = [*(config.option.ignore_glob or ()), *within]


def is_quick(config: pytest.Config) -> bool:
    return config.option.markexpr == "not slow"


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.option.long:
        items[:] = [item for item in items if item.get_closest_marker("long") is None]
    places, slow = {ROOT / name: place for place, name in enumerate(LONGEST)}, {ROOT / name for name in SLOW}
    files = {item.path for item in items}  # to look at each path once takes a tenth of the time
    order = {path: places.get(path, len(LONGEST)) for path in files}
    are_slow = {path for path in files if not slow.isdisjoint((path, *path.parents))}
    items.sort(key=lambda item: order[item.path])
    for item in items:
        if item.path in are_slow:
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is imported and collected stays: to look for garbage in it, again and again, takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What is there before the first test stays, and is not to be looked at each time that a test collects garbage."""
    gc.freeze()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """One of several processes tells how a test ended, and nothing of its beginning and its other parts: to send those,
    and to read them where nobody looks at them, takes a third of the time of a small test.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)  # for the percentages
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """What tests leave behind stays, too: modules, caches, all steppers that ipywidgets knows. To go through it at each
    whole collection of the tests after it takes a tenth of the time; so that is done once.
    """
    try:
        return (yield)
    finally:
        file_ends = nextitem is None or nextitem.path != item.path
        if file_ends or gc.get_stats()[-1]["collections"] != whole_collections[-1]:
            gc.collect()
            gc.freeze()
            whole_collections[:] = [gc.get_stats()[-1]["collections"]]


def pytest_runtest_setup() -> None:
    """Hypothesis measures each collection, by a call into Python. A stop or a time limit that arises in that call is
    printed and lost: the code that it was meant for goes on, and the test fails by what was printed.
    """
    gc.callbacks[:] = [call for call in gc.callbacks if not getattr(call, "__module__", "").startswith("hypothesis.")]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if is_quick(config):
        asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
        left_out = {**SLOW, **MARKED}
        terminalreporter.section("left out")
        listed = [name for name in left_out if any(overlap(ROOT / name, path) for path in asked)]
        for name in listed:
            terminalreporter.line(f"{name}: {left_out[name]}")
        if listed:
            terminalreporter.line(f"One of these alone, by its name:  python dev.py test {listed[0]}")
        terminalreporter.line("All of it runs with:  python dev.py test")


def overlap(one: Path, other: Path) -> bool:
    """Whether one of two paths leads to the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)


def missing(name: str) -> NoReturn:
    """Skip the test or the module that needs `name`; under CI, fail it."""
    reason = f"{name} is not installed ({INSTALL.get(name, f'install {name}')})"
    if under_ci():
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
def playwright() -> Iterator[Any]:
    """What starts browsers. A process may have one, however many browsers it starts."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # milliseconds: its own 5 s pass by where a machine is busy
    with sync_playwright() as running:
        yield running


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


@pytest.fixture(scope="session")
def pyodide(node_modules: Path) -> Path:
    """The folder of Python for browsers, with numpy, fetched once."""
    from tools import pyodide_release

    try:
        return pyodide_release.release_folder()
    except SystemExit:  # it has said why
        missing("pyodide")

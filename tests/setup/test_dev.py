"""dev.py, run as a learner runs it, in small clones made for each test.

A clone has the real dev.py, a lock of two packages, a notebook, and instead of Python a stand-in that writes down how
it was called and then makes an environment, plays pip with the wanted luck, or just leaves.
"""

import ast
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_server.base.websocket import WebSocketMixin

import dev

ROOT = Path(__file__).parents[2]
SOURCE = (ROOT / "dev.py").read_text(encoding="utf-8")
LOCK = "numpy==2.0.0 \\\n    --hash=sha256:00\ntqdm==4.0.0 \\\n    --hash=sha256:11\n"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in for Python is a shell script")

STAND_IN = r"""
import json, os, pathlib, shutil, sys, time
arguments, clone = sys.argv[2:], pathlib.Path(os.environ["CLONE"])
with open(clone / "calls.jsonl", "a") as calls:
    calls.write(json.dumps({"arguments": arguments, "variables": dict(os.environ)}) + "\n")
luck = os.environ.get("LUCK", "")
if arguments[:2] == ["-m", "venv"]:
    if luck == "no ensurepip":
        sys.exit("The virtual environment was not created successfully because ensurepip is not available.")
    for folder in ("bin", "lib/python3.11/site-packages"):
        pathlib.Path(arguments[2], folder).mkdir(parents=True)
    shutil.copy(sys.argv[1], pathlib.Path(arguments[2], "bin", "python"))
elif arguments[:3] == ["-m", "pip", "install"]:
    print("Collecting numpy==2.0.0 (from -r requirements.txt)\n" + luck, flush=True)
    pathlib.Path(os.environ["PIP_CACHE_DIR"]).mkdir(parents=True, exist_ok=True)
    while "PIP_UNTIL" in os.environ and not os.path.exists(os.environ["PIP_UNTIL"]):
        time.sleep(0.01)
    sys.exit(1 if luck else 0)
else:
    sys.exit(int(os.environ.get("CODE", "0")))
"""


PATIENCE = 240  # seconds for what takes one: a machine may be busy, and only what hangs is to be given up


class Clone:
    """A folder with dev.py, and what was called there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[str]] = []
        (folder / "notebooks").mkdir(parents=True)
        (folder / "dev.py").write_text(SOURCE)
        (folder / "requirements.txt").write_text(LOCK)
        (folder / "notebooks" / "00_start_here.ipynb").write_text("{}")
        (folder / "notebooks" / "own_notes.ipynb").write_text("{}")
        (folder / "empty_home").mkdir()
        (folder / "stand_in.py").write_text(STAND_IN)
        (folder / "tests" / "js").mkdir(parents=True)
        (folder / "tests" / "js" / "package-lock.json").write_text("{}")
        (folder / "deploy").mkdir()
        for name in ("requirements.txt", "package.json", "package-lock.json", ".npmrc"):
            (folder / "deploy" / name).write_text("{}")
        self.python = self.stand_in("python")

    def stand_in(self, name: str) -> Path:
        """A program in the clone that writes down how it was called."""
        program = self.folder / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{self.folder}/stand_in.py" "$0" "$@"\n')
        program.chmod(0o755)
        return program

    def start(self, *arguments: str, before: str = "", **variables: str) -> subprocess.Popen[str]:
        """Start dev.py with the stand-in as its Python; `before` is code that runs first in the same process."""
        set_python = f"import sys; sys.executable = {str(self.python)!r}; sys.argv = ['dev.py', *sys.argv[1:]]\n"
        # As in a terminal: what runs the tests in the background has its programs ignore that signal.
        set_python += "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        run_dev = "import runpy; runpy.run_path('dev.py', run_name='__main__')"
        hidden = ("CI", "JUPYTER_TOKEN", "PYTHONPATH")
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", set_python + before + "\n" + run_dev, *arguments],
            cwd=self.folder,
            env={**kept, "HOME": str(self.folder / "empty_home"), "CLONE": str(self.folder), **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def hear(self, process: subprocess.Popen[str], words: str) -> None:
        """Wait until a process has said that."""
        assert process.stdout is not None
        said = list[str]()
        for line in process.stdout:
            said.append(line)
            if words in line:
                return
        pytest.fail(f"{words!r} is not in {said}")

    def end_processes(self) -> None:
        """End what a failed test has left running, with all that it started: it would be another test's warning."""
        for process in self.processes:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()

    def run(self, *arguments: str, before: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, before=before, **variables)
        output, errors = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def calls(self) -> list[list[str]]:
        """The arguments of all calls of the stand-in since the last time that this was asked."""
        return [call["arguments"] for call in self.detailed_calls()]

    def detailed_calls(self) -> list[dict]:
        file = self.folder / "calls.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [json.loads(line) for line in lines]

    @property
    def stamp(self) -> Path:
        return self.folder / ".venv" / "made-by-dev.py"


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    made = Clone(tmp_path / "a clone")
    yield made
    made.end_processes()
    assert list((made.folder / "empty_home").iterdir()) == [], "dev.py wrote into the home directory"


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a clone whose set-up is done."""
    made = Clone(tmp_path_factory.mktemp("set_up") / "a clone")
    assert made.run("test").returncode == 0
    made.calls()
    return made.folder


@pytest.fixture
def ready(clone: Clone, set_up: Path) -> Clone:
    """A clone whose set-up is done: one is for all, and copied here, with the stand-in of this clone."""
    shutil.copytree(set_up, clone.folder, dirs_exist_ok=True)
    for program in (clone.python, clone.folder / ".venv" / "bin" / "python"):
        clone.stand_in(str(program.relative_to(clone.folder)))
    return clone


def is_venv(call: list[str]) -> bool:
    return call[:2] == ["-m", "venv"]


def is_pip(call: list[str]) -> bool:
    return call[:3] == ["-m", "pip", "install"]


def is_trust(call: list[str]) -> bool:
    return call[:2] == ["-m", "nbformat.sign"]


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)


# --- how it answers ---


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("--port=1",)])
def test_nonsense_gets_the_usage(clone: Clone, arguments: tuple[str, ...]) -> None:
    result = clone.run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("usage: python dev.py COMMAND")
    assert result.stdout == ""
    assert not (clone.folder / ".venv").exists()


@pytest.mark.parametrize("word", ["help", "-h", "--help"])
def test_help_is_an_answer_not_an_error(clone: Clone, word: str) -> None:
    result = clone.run(word)
    assert (result.returncode, result.stderr) == (0, "")
    for command in ("lab", "test", "student", "page", "notebooks", "check", "lock"):
        assert re.search(f"^  {command} ", result.stdout, re.MULTILINE)


def test_old_python_is_turned_away_with_one_sentence(clone: Clone) -> None:
    newer = clone.folder / "bin" / "python3.12"
    newer.parent.mkdir()
    newer.write_text("#!/bin/sh\n")
    newer.chmod(0o755)
    result = clone.run("lab", before="sys.version_info = (3, 8, 20)", PATH=str(newer.parent))
    assert result.returncode == 1
    assert result.stderr == (
        "\nminigrad needs Python 3.11 or newer, and this is Python 3.8. This machine has a newer one. Run:\n"
        "  python3.12 dev.py lab\n"
    )
    newer.write_text("#!/bin/sh\nexit 127\n")  # what a version manager leaves for a version that is not active
    result = clone.run("lab", before="sys.version_info = (3, 8, 20)", PATH=str(newer.parent))
    assert result.stderr.endswith("this is Python 3.8. Install Python 3.13 and use that.\n")
    assert not (clone.folder / ".venv").exists()


def test_old_pythons_can_parse_it() -> None:
    """The nodes of the syntax tree that Python 2.7 has no syntax for; a syntax error would hide the sentence above."""
    newer_syntax = (
        ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef,
        ast.AsyncFor, ast.AsyncWith, ast.MatMult, ast.Match, ast.Starred,
    )  # fmt: skip
    assert SOURCE.isascii()
    for node in ast.walk(ast.parse(SOURCE, feature_version=(3, 6))):
        line = f"dev.py, line {getattr(node, 'lineno', '?')}"
        assert not isinstance(node, newer_syntax), line
        if isinstance(node, ast.FunctionDef):
            assert node.args.kwonlyargs + node.args.posonlyargs == [], line
            assert {node.returns, *(argument.annotation for argument in node.args.args)} == {None}, line
        if isinstance(node, ast.Raise):
            assert node.cause is None, line
        if isinstance(node, ast.Dict):
            assert None not in node.keys, line
        if isinstance(node, ast.ClassDef):
            assert not node.keywords, line


# --- set-up ---


def test_first_start_sets_up_and_second_start_does_not(clone: Clone) -> None:
    first = clone.run("test")
    assert first.returncode == 0, first.stderr
    venv, pip, pytest_call = clone.calls()
    assert venv == ["-m", "venv", str(clone.folder / ".venv")]
    assert is_pip(pip)
    assert {"--require-hashes", "--only-binary=:all:"} <= set(pip)
    assert pip[pip.index("-r") + 1] == str(clone.folder / "requirements.txt")
    assert pytest_call[:2] == ["-m", "pytest"]
    for text in ("takes about a minute", "  environment: done in", "  packages: done in", "Ready after"):
        assert text in first.stdout
    assert not (clone.folder / ".home" / "pip").exists(), "the downloads are kept no longer than they are needed"
    second = clone.run("test")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert [call[:2] for call in clone.calls()] == [["-m", "pytest"]]


def test_environment_finds_the_clone_also_after_a_move(ready: Clone) -> None:
    site_packages = next(ready.folder.glob(".venv/lib/*/site-packages"))
    line = (site_packages / "minigrad.pth").read_text().strip()
    assert not os.path.isabs(line)
    assert (site_packages / line).resolve() == ready.folder.resolve()


def test_progress_is_told_while_pip_works(clone: Clone) -> None:
    fast_clock = "import time\nreal = time.time\ntime.time = lambda: 20 * real()"
    told = clone.folder / "told"
    process = clone.start("test", before=fast_clock, PIP_UNTIL=str(told))
    clone.hear(process, "  packages: downloading 1 of 2  numpy\n")
    told.touch()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_progress_reads_pips_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy-2.0.0.dist-info", "numpy", "tqdm-4.0.0.dist-info"):
        (tmp_path / "lib" / "python3.11" / "site-packages" / name).mkdir(parents=True)
    (tmp_path / "LOCK").write_text(LOCK + "appnope==1.0 ; sys_platform == 'darwin' \\\n    --hash=sha256:22\n")
    for name in ("LOCK", "LOG"):
        monkeypatch.setattr(dev, name, str(tmp_path / name))
    monkeypatch.setattr(dev, "VENV", str(tmp_path))
    log = tmp_path / "LOG"
    log.write_text("Ignoring appnope: markers don't match\nCollecting numpy==2.0.0 (from x)\n")
    assert dev.describe_pip() == "downloading 1 of 2  numpy"
    log.write_text("Collecting numpy==2.0.0 (from x)\nWARNING: Retrying (Retry(total=4)) after connection broken\n")
    assert dev.describe_pip() == "the network does not answer; trying again"
    log.write_text("Collecting numpy==2.0.0\nInstalling collected packages: a, b, numpy, tqdm\n")
    assert dev.describe_pip() == "installing 2 of 4"


@pytest.mark.parametrize("stop_signal", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_set_up_is_made_again(clone: Clone, stop_signal: signal.Signals) -> None:
    process = clone.start("test", PIP_UNTIL="it is ended")
    log = clone.folder / ".home" / "setup.log"
    wait_until(lambda: log.exists() and "Collecting" in log.read_text(), "pip works")
    assert clone.stamp.read_text() == "unfinished"
    leftover = clone.folder / ".venv" / "half_written"
    leftover.write_text("")
    process.send_signal(stop_signal)
    _, errors = process.communicate(timeout=PATIENCE)  # pip, which takes longer, is not waited for
    assert process.returncode == 130
    assert errors == "\nStopped. What is unfinished is made again at the next start.\n"
    clone.calls()
    assert clone.run("test").returncode == 0
    assert [is_venv(call) for call in clone.calls()] == [True, False, False]
    assert not leftover.exists()
    assert clone.stamp.read_text() != "unfinished"


def test_changed_lock_updates_in_place(ready: Clone) -> None:
    kept = ready.folder / ".venv" / "installed_by_the_learner"
    kept.write_text("")
    before = ready.stamp.read_text()
    (ready.folder / "requirements.txt").write_text(LOCK.replace("4.0.0", "4.0.1"))
    result = ready.run("test")
    assert "requirements.txt has changed" in result.stdout
    pip, _ = ready.calls()
    assert is_pip(pip)
    assert kept.exists()
    assert ready.stamp.read_text() != before


def test_line_ends_of_the_lock_do_not_matter(ready: Clone) -> None:
    (ready.folder / "requirements.txt").write_bytes(LOCK.replace("\n", "\r\n").encode())
    assert ready.run("test").stdout == ""


def test_lost_python_is_made_again(ready: Clone) -> None:
    (ready.folder / ".venv" / "bin" / "python").unlink()
    assert ready.run("test").returncode == 0
    assert [is_venv(call) for call in ready.calls()] == [True, False, False]


def test_foreign_environment_is_left_alone(clone: Clone) -> None:
    foreign = clone.folder / ".venv" / "pyvenv.cfg"
    foreign.parent.mkdir()
    foreign.write_text("home = elsewhere")
    result = clone.run("test")
    assert result.returncode == 1
    assert "was not made by dev.py. Move it away or delete it" in result.stderr
    assert foreign.read_text() == "home = elsewhere"
    assert clone.calls() == []


def test_two_set_ups_at_once_take_turns(clone: Clone) -> None:
    waits = clone.folder / "waits"
    first = clone.start("test", PIP_UNTIL=str(waits))
    wait_until(clone.stamp.exists, "the first set-up has begun")
    second = clone.start("test")
    clone.hear(second, "Another set-up of this folder is running; waiting for it.")
    waits.touch()
    assert [process.communicate(timeout=PATIENCE)[1] for process in (first, second)] == ["", ""]
    assert (first.returncode, second.returncode) == (0, 0)
    assert sum(is_pip(call) for call in clone.calls()) == 1


@pytest.mark.parametrize(
    ("luck", "advice"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "The disk is full"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "is not the one that"),
        ("WARNING: Retrying after SSLError(CERTIFICATE_VERIFY_FAILED", "set the variable PIP_CERT"),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Failed to resolve'\n"
            "ERROR: No matching distribution found for numpy==2.0.0",
            "No network: the packages could not be downloaded. Check the connection",
        ),
        ("ERROR: No matching distribution found for numpy==2.0.0", "has no ready-made file for this Python"),
        ("ERROR: [Errno 13] Permission denied: 'x'", "This folder cannot be written to."),
        ("something that nobody foresaw", "The reason is in the lines below."),
    ],
)
def test_failed_download_says_what_to_do(clone: Clone, luck: str, advice: str) -> None:
    result = clone.run("lab", LUCK=luck)
    assert result.returncode == 1
    assert result.stderr.startswith("\nThis step failed: packages.\n")
    assert advice in result.stderr
    assert result.stderr.endswith("    " + luck.rpartition("\n")[2] + "\n"), "the end of the log is shown"
    assert "Traceback" not in result.stderr
    assert clone.stamp.read_text() == "unfinished"


def test_long_lines_of_a_log_are_cut() -> None:
    text = dev.describe_failure("packages", "first\n" * 20 + "x" * 500)
    assert max(map(len, text.splitlines())) == 204
    assert text.count("first") == 7


def test_missing_venv_module_says_what_to_install(clone: Clone) -> None:
    result = clone.run("lab", LUCK="no ensurepip")
    assert result.returncode == 1
    assert "This step failed: environment." in result.stderr
    assert "sudo apt install python3-venv" in result.stderr


def test_too_little_disk_is_said_before_anything_is_made(clone: Clone) -> None:
    usage = "import shutil, types; shutil.disk_usage = lambda path: types.SimpleNamespace(free=10**9)"
    result = clone.run("test", before=usage)
    assert (result.returncode, result.stderr) == (1, f"\n{dev.DISK_FULL}\n")
    assert not (clone.folder / ".venv").exists()


@pytest.mark.parametrize(("code", "advice"), [("ENOSPC", dev.DISK_FULL), ("EROFS", dev.NOT_WRITABLE)])
def test_failed_write_says_what_to_do(clone: Clone, code: str, advice: str) -> None:
    fail = f"import errno, os\ndef fail(path): raise OSError(errno.{code}, 'no', path)\nos.makedirs = fail"
    result = clone.run("test", before=fail)
    assert result.returncode == 1
    assert result.stderr.endswith(advice + "\n")
    assert "Traceback" not in result.stderr


# --- test ---


def test_pytest_gets_the_arguments_and_gives_the_exit_code(ready: Clone) -> None:
    result = ready.run("test", "-k", "two words", "tests/test_x.py::test_y", "-x", CODE="5")
    assert result.returncode == 5
    (call,) = ready.calls()
    assert call[:2] == ["-m", "pytest"]
    assert call[-4:] == ["-k", "two words", "tests/test_x.py::test_y", "-x"]
    assert "--dist=loadfile" in call


def test_quick_is_a_marker_expression_of_pytest(ready: Clone) -> None:
    ready.run("test", "--quick", "-x")
    (call,) = ready.calls()
    assert call[-3:] == ["-m", "not slow", "-x"]


def test_parallel_options_go_when_xdist_is_switched_off(ready: Clone) -> None:
    ready.run("test", "-p", "no:xdist")
    assert ready.calls() == [["-m", "pytest", "-p", "no:xdist"]]


# --- check ---


PYTHON_CHECKS = [["-m", "ruff", "check"], ["-m", "ruff", "format", "--check"], ["-m", "mypy"], ["-m", "codespell_lib"]]


@pytest.fixture
def with_node(ready: Clone) -> dict[str, str]:
    """The variables with which a clone finds node and npm."""
    for name in ("node", "npm"):
        ready.stand_in(f"programs/{name}")
    return {"PATH": f"{ready.folder}/programs:/usr/bin:/bin"}


def test_check_asks_all_and_fails_when_one_does(ready: Clone, with_node: dict[str, str]) -> None:
    clean = ready.run("check", **with_node)
    assert (clean.returncode, clean.stdout) == (
        0,
        "  npm packages: done in 0 s\n"
        "ruff, ruff format, mypy, codespell, biome, tsc, tsc of the tests: nothing found.\n",
    )
    packages = ready.folder / "tests" / "js" / "node_modules"
    biome = [str(packages / "@biomejs" / "biome" / "bin" / "biome"), "check", "--error-on-warnings"]
    tsc = [str(packages / "typescript" / "bin" / "tsc"), "--project", str(ready.folder)]
    tsc_of_tests = [*tsc[:-1], str(packages.parent)]
    assert ready.calls() == [["ci"], *PYTHON_CHECKS, biome, tsc, tsc_of_tests]
    unclean = ready.run("check", CODE="1", **with_node)
    assert (unclean.returncode, unclean.stdout) == (
        1,
        "Not clean: ruff, ruff format, mypy, codespell, biome, tsc, tsc of the tests\n",
    )
    assert ready.calls() == [*PYTHON_CHECKS, biome, tsc, tsc_of_tests]


def test_npm_packages_are_installed_again_when_their_lock_changed(ready: Clone, with_node: dict[str, str]) -> None:
    (ready.folder / "tests" / "js" / "package-lock.json").write_text('{"packages": {}}')
    for expected in (1, 0):
        assert ready.run("check", **with_node).returncode == 0
        assert ready.calls().count(["ci"]) == expected
    (ready.folder / "tests" / "js" / "package-lock.json").write_text("{}")
    failed = ready.run("check", CODE="1", **with_node)
    assert failed.returncode == 1
    assert "This step failed: npm packages." in failed.stderr
    assert ready.calls() == [["ci"]]


def test_check_without_node_says_what_to_install_and_is_not_clean(ready: Clone) -> None:
    checked = ready.run("check", PATH=str(ready.folder / "empty_home"))
    assert checked.returncode == 1
    assert checked.stdout == (
        "ruff, ruff format, mypy, codespell: nothing found.\n"
        "The scripts and style sheets were not checked: install node 20 or newer, and npm, which comes with it.\n"
    )
    assert ready.calls() == PYTHON_CHECKS


# --- hub ---


def test_hub_installs_its_own_packages_once_and_passes_options_on(ready: Clone, with_node: dict[str, str]) -> None:
    packages, settings = ready.folder / ".home" / "hub", ready.folder / "deploy" / "jupyterhub_config.py"
    hub = ["-m", "jupyterhub", f"--config={settings}", "--port=8443"]
    assert ready.run("hub", "--port=8443", **with_node).returncode == 0
    pip, npm, started = ready.detailed_calls()
    assert pip["arguments"][:5] == ["-m", "pip", "install", "-r", str(ready.folder / "deploy" / "requirements.txt")]
    assert {"--require-hashes", "--no-deps", str(packages)} <= set(pip["arguments"])
    assert npm["arguments"] == ["ci"]
    assert sorted(path.name for path in (packages / "proxy").iterdir()) == [
        ".npmrc",
        "package-lock.json",
        "package.json",
    ]
    assert started["arguments"] == hub
    assert started["variables"]["PYTHONPATH"] == str(packages)
    assert ready.run("hub", "--port=8443", **with_node).returncode == 0
    assert ready.calls() == [hub]
    (ready.folder / "deploy" / "package-lock.json").write_text('{"packages": {}}')
    assert ready.run("hub", "--port=8443", **with_node).returncode == 0
    assert [call[:3] for call in ready.calls()] == [["-m", "pip", "install"], ["ci"], hub[:3]]


def test_hub_without_node_says_what_to_install(ready: Clone) -> None:
    told = ready.run("hub", PATH=str(ready.folder / "empty_home"))
    assert told.returncode == 1
    assert "The proxy in front of a class needs node 20 or newer, and npm" in told.stderr
    assert ready.calls() == []


# --- lab ---


def address(output: str) -> str:
    (found,) = re.findall(r"http://\S+", output)
    return found


def taken_port() -> tuple[socket.socket, int]:
    """A listening socket, and its port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener, listener.getsockname()[1]


def test_lab_opens_the_first_chapter_with_a_token(ready: Clone) -> None:
    result = ready.run("lab", "--no-browser", "--LabApp.dev_mode=False")
    assert result.returncode == 0, result.stderr
    trust, lab = ready.detailed_calls()
    assert is_trust(trust["arguments"])
    assert trust["arguments"][2:] == [str(ready.folder / "notebooks" / "00_start_here.ipynb")]
    port = re.fullmatch(r"--port=(\d+)", lab["arguments"][2]).group(1)
    assert lab["arguments"] == ["-m", "jupyterlab", f"--port={port}", "--no-browser", "--LabApp.dev_mode=False"]
    token = lab["variables"]["JUPYTER_TOKEN"]
    assert re.fullmatch("[0-9a-f]{40}", token), "not among the arguments, which all users of a machine can see"
    assert address(result.stdout) == f"http://127.0.0.1:{port}/lab/tree/notebooks/00_start_here.ipynb?token={token}"


def test_lab_gives_numpy_one_thread_where_nobody_asks_for_more(ready: Clone) -> None:
    ready.run("lab", before="import os\nfor kind in ('OMP', 'OPENBLAS'): os.environ.pop(f'{kind}_NUM_THREADS', None)")
    by_default = ready.detailed_calls()[-1]["variables"]
    assert (by_default["OMP_NUM_THREADS"], by_default["OPENBLAS_NUM_THREADS"]) == ("1", "1")
    ready.run("lab", OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="3")
    asked = ready.detailed_calls()[-1]["variables"]
    assert (asked["OMP_NUM_THREADS"], asked["OPENBLAS_NUM_THREADS"]) == ("2", "3")


def test_lab_leaves_a_token_or_password_to_who_gave_it(ready: Clone) -> None:
    own = ready.run("lab", "--IdentityProvider.token=mine")
    assert address(own.stdout).endswith("00_start_here.ipynb")
    assert "JUPYTER_TOKEN" not in ready.detailed_calls()[-1]["variables"]
    given = ready.run("lab", JUPYTER_TOKEN="given")
    assert address(given.stdout).endswith("?token=given")


def test_lab_opens_the_notebook_that_was_named(ready: Clone) -> None:
    result = ready.run("lab", "notebooks/own_notes.ipynb")
    assert "/lab/tree/notebooks/own_notes.ipynb?token=" in address(result.stdout)
    assert ready.calls()[-1][-1] == "notebooks/own_notes.ipynb"


def test_lab_opens_the_learners_own_chapters_where_there_are_any(ready: Clone) -> None:
    (ready.folder / "course").mkdir()
    (ready.folder / "course" / "00_start_here.ipynb").write_text("{}")
    assert "/lab/tree/course/00_start_here.ipynb?token=" in address(ready.run("lab").stdout)


def test_lab_finds_another_port_and_says_so(ready: Clone) -> None:
    listener, port = taken_port()
    with listener:
        text = (ready.folder / "dev.py").read_text()
        changed = text.replace("FIRST_PORT, LAST_PORT = 8888, 8988", f"FIRST_PORT, LAST_PORT = {port}, {port + 50}")
        assert changed != text
        (ready.folder / "dev.py").write_text(changed)
        result = ready.run("lab")
    used = int(re.search(r"127\.0\.0\.1:(\d+)/", address(result.stdout)).group(1))
    assert port < used < port + 50
    assert f"Port {port} is taken, perhaps by another JupyterLab; using {used}." in result.stdout
    assert ready.calls()[-1] == ["-m", "jupyterlab", f"--port={used}"]


@pytest.mark.parametrize("form", ["--port={}", "--port {}", "--ServerApp.port={}"])
def test_lab_takes_no_other_port_than_the_one_asked_for(ready: Clone, form: str) -> None:
    listener, port = taken_port()
    arguments = form.format(port).split()
    with listener:
        refused = ready.run("lab", *arguments)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"\nPort {port} is taken. Name another one, or leave --port out")
    accepted = ready.run("lab", *arguments)
    assert f"http://127.0.0.1:{port}/" in accepted.stdout
    assert ready.calls()[-1] == ["-m", "jupyterlab", *arguments]


def test_only_shipped_notebooks_are_signed_and_only_when_they_changed(ready: Clone) -> None:
    def signed() -> list[str]:
        assert ready.run("lab").returncode == 0
        return [Path(word).name for call in ready.calls() if is_trust(call) for word in call[2:]]

    second = ready.folder / "notebooks" / "03_backward_step_by_step.ipynb"
    assert signed() == ["00_start_here.ipynb"]
    assert signed() == []
    second.write_text('{"cells": []}')
    assert signed() == ["03_backward_step_by_step.ipynb"]
    second.write_text('{"cells": [1]}')
    assert signed() == ["03_backward_step_by_step.ipynb"]
    assert signed() == []


def test_lab_is_quiet_and_local(ready: Clone) -> None:
    ready.run("lab")
    config = ready.folder / ".home" / "jupyter" / "config"
    server = json.loads((config / "jupyter_server_config.json").read_text())["ServerApp"]
    assert (server["ip"], server["root_dir"]) == ("127.0.0.1", str(ready.folder))
    app = json.loads((config / "jupyter_lab_config.json").read_text())["LabApp"]
    assert app["news_url"] is None
    settings = json.loads((config / "labconfig" / "default_setting_overrides.json").read_text())
    assert settings["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}
    documents = {"defaultViewers": {"markdown": "Markdown Preview"}, "autosaveInterval": 10}
    assert settings["@jupyterlab/docmanager-extension:plugin"] == documents
    assert json.loads((config / "labconfig" / "page_config.json").read_text()) == {"buildCheck": False}
    of_a_class = ROOT / "deploy" / "jupyter" / "labconfig"
    assert json.loads((of_a_class / "default_setting_overrides.json").read_text()) == settings
    assert json.loads((of_a_class / "page_config.json").read_text()) == {"buildCheck": False}


def test_a_connection_to_a_kernel_stays_open(ready: Clone) -> None:
    ready.run("lab")
    config = ready.folder / ".home" / "jupyter" / "config" / "jupyter_server_config.json"

    class Connection(WebSocketMixin):
        settings = json.loads(config.read_text())["ServerApp"]["tornado_settings"]

    # When it pings for the first time no answer has come yet: that closes it, where the timeout is not longer.
    interval, timeout = Connection().ping_interval, Connection().ping_timeout
    assert interval == 0 or timeout > interval
    assert not (interval and timeout > interval), "tornado warns of that"


# --- nothing outside the clone ---


def test_every_folder_that_is_named_to_a_program_is_in_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "PIP_TARGET"):
        monkeypatch.setenv(name, "elsewhere")
    variables = dev.environment()
    assert "elsewhere" not in variables.values()
    added = {name for name, value in variables.items() if value != os.environ.get(name)}
    named = {"JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"}
    for name in (added | named) - {"PATH", "PIP_USER"}:
        assert Path(variables[name]).is_relative_to(ROOT), name


def test_what_was_compiled_once_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in dev.environment()


def test_a_session_leaves_the_home_directory_empty(tmp_path: Path) -> None:
    """A real IPython with history, a plot, and a signed notebook: where do they write?"""
    home, private = tmp_path / "home", tmp_path / "private"
    home.mkdir()
    notebook = tmp_path / "00_x.ipynb"
    notebook.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    variables = {name: value.replace(dev.HOME, str(private)) for name, value in dev.environment().items()}
    variables = {name: value for name, value in variables.items() if not name.startswith("XDG_")}
    code = (
        "import sys\n"
        "from IPython.terminal.ipapp import TerminalIPythonApp\n"
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]); plt.savefig(sys.argv[1])\n"
        "TerminalIPythonApp.launch_instance(['-c', 'print(1 + 1)'])\n"
    )
    for command in (["-m", "nbformat.sign", str(notebook)], ["-c", code, str(tmp_path / "plot.png")]):
        result = subprocess.run(
            [sys.executable, *command],
            env={**variables, "HOME": str(home), "MPLBACKEND": "agg"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr
    assert [path.relative_to(home) for path in home.rglob("*")] == []
    assert (private / "jupyter" / "data" / "notebook_secret").exists()
    assert (private / "matplotlib").is_dir()
    assert (private / "ipython").is_dir()


# --- page ---


def test_page_runs_nbconvert_with_the_template_of_this_clone(ready: Clone) -> None:
    assert ready.run("page", "notebooks/own_notes.ipynb", "--execute").returncode == 0
    assert ready.calls() == [
        [
            *("-m", "nbconvert", "--log-level=WARN", "--to", "minigrad.viz.page.notebook.PageExporter"),
            *("notebooks/own_notes.ipynb", "--execute"),
        ]
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name a notebook, as in:"),
        (("--execute",), "Name a notebook"),
        (("no.ipynb",), "There is no notebook no.ipynb"),
    ],
)
def test_page_wants_a_notebook_that_is_there(clone: Clone, arguments: tuple[str, ...], said: str) -> None:
    result = clone.run("page", *arguments)
    assert result.returncode == 2
    assert said in result.stderr
    assert not (clone.folder / ".venv").exists()

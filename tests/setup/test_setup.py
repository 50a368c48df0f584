"""The files that say what minigrad needs agree with each other, and the wheel holds what the package needs to run."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import conftest
import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import dev
import minigrad

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")
SITE_LOCK = (ROOT / "tools" / "site" / "requirements.txt").read_text(encoding="utf-8")
HUB_LOCK = (ROOT / "deploy" / "requirements.txt").read_text(encoding="utf-8")
LOCKS = pytest.mark.parametrize(
    "lock",
    [LOCK, SITE_LOCK, HUB_LOCK],
    ids=["requirements.txt", "tools/site/requirements.txt", "deploy/requirements.txt"],
)
BESIDE = pytest.mark.parametrize(("extra", "lock"), [("site", SITE_LOCK), ("hub", HUB_LOCK)], ids=["site", "hub"])
PYTHONS = ["3.11.9", "3.12.4", "3.13.1"]
# Names that conda-forge gives to another package than the Python registry does.
CONDA_NAMES = {"python-graphviz": "graphviz"}
ONLY_FOR_CONDA = {"python", "pip", "graphviz"}


def declared() -> list[Requirement]:
    return [Requirement(text) for text in (*PROJECT["dependencies"], *EXTRAS["lab"], *EXTRAS["dev"])]


def ranges(requirements: list[Requirement]) -> dict[str, SpecifierSet]:
    return {canonicalize_name(requirement.name): requirement.specifier for requirement in requirements}


def locked_entries(lock: str = LOCK) -> list[str]:
    """A lock's entries, each one with its hashes on one line."""
    return [line for line in lock.replace("\\\n", " ").splitlines() if line.strip()]


def locked_version(name: str, python: str, platform: str, lock: str = LOCK) -> Version:
    """The one version that the lock installs of a package."""
    environment = {
        "python_version": python.rpartition(".")[0],
        "python_full_version": python,
        "sys_platform": platform,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform],
        "os_name": "nt" if platform == "win32" else "posix",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    entries = [Requirement(entry.partition(" --hash")[0]) for entry in locked_entries(lock)]
    pins = [
        str(entry.specifier).removeprefix("==")
        for entry in entries
        if canonicalize_name(entry.name) == name and (entry.marker is None or entry.marker.evaluate(environment))
    ]
    assert len(pins) == 1, f"{name} has {len(pins)} pins for Python {python} on {platform}"
    return Version(pins[0])


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("python", PYTHONS)
def test_lock_pins_every_dependency_within_its_range(python: str, platform: str) -> None:
    for name, allowed in ranges(declared()).items():
        assert locked_version(name, python, platform) in allowed, name


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("python", PYTHONS)
@BESIDE
def test_what_learners_do_not_need_is_pinned_beside_the_lock(python: str, platform: str, extra: str, lock: str) -> None:
    for name, allowed in ranges([Requirement(text) for text in EXTRAS[extra]]).items():
        assert locked_version(name, python, platform, lock) in allowed, name
    both = [{re.match(r"[\w.-]+", entry)[0] for entry in locked_entries(one)} for one in (LOCK, lock)]  # type: ignore[index]
    assert not set.intersection(*both)  # what stands in both would be installed twice


@LOCKS
def test_every_entry_of_a_lock_is_a_pin_with_hashes(lock: str) -> None:
    entries = locked_entries(lock)
    assert len(entries) > (100 if lock == LOCK else 20)
    for entry in entries:
        assert re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==[\w.]+( ; [^#]+?)?( +--hash=sha256:[0-9a-f]{64})+", entry), entry


def test_pins_have_the_extras_that_other_packages_ask_for() -> None:
    """Else the pip of Python 3.11 looks for the package again, and takes the newest, for which there is no hash."""
    pins = [Requirement(entry.partition(" --hash")[0]) for entry in locked_entries()]
    extras = {canonicalize_name(pin.name): pin.extras for pin in pins}
    asked = 0
    for name in extras:
        with contextlib.suppress(PackageNotFoundError):  # it is for another system
            for needed in map(Requirement, distribution(name).requires or []):
                if needed.extras and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
                    assert needed.extras <= extras[canonicalize_name(needed.name)], f"{name} needs {needed}"
                    asked += 1
    assert asked  # jupyter-events asks for one


@LOCKS
@pytest.mark.parametrize("word", ["://", "index-url", "find-links", "trusted-host", " @ "])
def test_a_lock_names_no_host(word: str, lock: str) -> None:
    assert word not in lock


@pytest.mark.parametrize(("folder", "package"), [("tests/js", "happy-dom"), ("deploy", "configurable-http-proxy")])
def test_npm_lock_names_no_host(folder: str, package: str) -> None:
    packages = json.loads((ROOT / folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    installed = {path: package for path, package in packages.items() if path}
    assert f"node_modules/{package}" in installed
    for path, package in installed.items():
        assert "resolved" not in package, path
        assert package["integrity"].startswith("sha512-"), path
    assert "omit-lockfile-registry-resolved=true" in (ROOT / folder / ".npmrc").read_text().splitlines()


def test_npm_lock_has_the_programs_of_every_system() -> None:
    packages = json.loads((ROOT / "tests/js/package-lock.json").read_text(encoding="utf-8"))["packages"]
    programs = {name for package in packages.values() for name in package.get("optionalDependencies", ())}
    assert {"@biomejs/cli-darwin-arm64", "@biomejs/cli-win32-x64", "@typescript/typescript-linux-x64"} <= programs
    assert {f"node_modules/{name}" for name in programs} <= packages.keys()


def test_package_knows_its_version() -> None:
    assert minigrad.__version__ == PROJECT["version"]


def test_package_itself_needs_only_numpy() -> None:
    assert [Requirement(text).name for text in PROJECT["dependencies"]] == ["numpy"]


def test_conda_environment_mirrors_pyproject() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "minigrad"
    assert environment["channels"] == ["conda-forge"]
    lines = environment["dependencies"]
    (from_pip,) = (line["pip"] for line in lines if isinstance(line, dict))
    assert from_pip[-1] == "-e ."
    from_conda = [Requirement(line) for line in lines if isinstance(line, str)]
    assert {requirement.name for requirement in from_conda} >= ONLY_FOR_CONDA
    mirrored = ranges([Requirement(line) for line in from_pip[:-1]])
    for requirement in from_conda:
        if requirement.name not in ONLY_FOR_CONDA:
            mirrored[CONDA_NAMES.get(requirement.name, requirement.name)] = requirement.specifier
    assert mirrored == ranges(declared())


def test_all_files_name_the_same_pythons() -> None:
    oldest, newest = dev.OLDEST, dev.NEWEST
    minors = [f"3.{minor}" for minor in range(oldest[1], newest[1] + 1)]
    assert minors == [python.rpartition(".")[0] for python in PYTHONS]
    assert PROJECT["requires-python"] == f">={minors[0]}"
    named = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Language :: Python :: 3." in line]
    assert named == minors
    assert f"python>={minors[0]},<3.{newest[1] + 1}" in (ROOT / "environment.yml").read_text(encoding="utf-8")


def test_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata_name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(metadata_name).decode()
    files = (path.relative_to(ROOT) for path in (ROOT / "minigrad").rglob("*") if path.is_file())
    ours = {path.as_posix() for path in files if not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)}
    assert {"minigrad/viz/static/stepper.mjs", "minigrad/viz/static/theme.css"} <= ours
    assert {name for name in names if ".dist-info/" not in name and ".data/" not in name} == ours
    template = {name.partition(".data/data/")[2] for name in names if ".data/" in name}
    folder = "share/jupyter/nbconvert/templates/minigrad"  # where nbconvert looks for --template minigrad
    assert template == {f"{folder}/conf.json", f"{folder}/index.html.j2"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    needed = re.findall("^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    assert [line for line in needed if "extra ==" not in line] == ["numpy<3,>=2"]


@pytest.mark.parametrize("missing", ["ipywidgets", "anywidget", "graphviz", "traitlets", "all"])
def test_without_the_packages_of_viz_its_import_says_what_to_install(tmp_path: Path, missing: str) -> None:
    """With numpy alone, or all but one: links to what is installed here are all that this Python finds."""
    installed = Path(np.__file__).parent.parent
    for part in installed.iterdir():
        if part.name.startswith("numpy") if missing == "all" else part.stem != missing:
            (tmp_path / part.name).symlink_to(part)
    code = (
        f"import sys; sys.path += [{str(tmp_path)!r}, {str(ROOT)!r}]\n"
        "import minigrad as mg\nassert float(mg.tensor([1.0, 2.0]).sum()) == 3\nfrom minigrad import viz"
    )
    result = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    first, second = result.stderr.splitlines()[-2:]
    assert re.match(f"ModuleNotFoundError: No module named '{missing if missing != 'all' else 'anywidget'}'$", first)
    needed = set(second.partition("pip install ")[2].split())
    assert needed <= {Requirement(text).name for text in EXTRAS["lab"]}
    assert {"anywidget", "graphviz", "graphviz-pure", "ipywidgets"} <= needed


# --- the mechanism of conftest.py: skipped with a reason, or failed where CI is set ---


def test_what_is_there_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert conftest.require("json") is json
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert conftest.require_program("chromium") == sys.executable


def test_what_is_missing_skips_with_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="chromium is not installed"):
        conftest.require_program("chromium")
    with pytest.raises(pytest.skip.Exception, match="no_such_module is not installed"):
        conftest.require("no_such_module")


def test_what_is_missing_fails_under_ci(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="node is not installed"):
        conftest.require_program("node")
    with pytest.raises(pytest.fail.Exception, match="no_such_module is not installed"):
        conftest.require("no_such_module")


def test_the_files_that_are_begun_first_are_there() -> None:
    assert [name for name in conftest.LONGEST if not (ROOT / name).is_file()] == []


# --- the mark "slow": what `python dev.py test --quick` leaves out ---


def test_what_quick_leaves_out_is_there() -> None:
    assert [name for name in conftest.SLOW if not (ROOT / name).exists()] == []
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    assert {name for name, text in texts.items() if "\n@pytest.mark.slow\n" in text} == conftest.MARKED.keys()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A clone with this conftest.py, a test in a folder that takes long, and one elsewhere."""
    tests = tmp_path / "tests"
    for name in ("browser", "helpers"):
        (tests / name).mkdir(parents=True)
    for name in ("conftest.py", "helpers/leak_guard.py"):
        shutil.copy(ROOT / "tests" / name, tests / name)
    (tests / "browser" / "test_page.py").write_text("print('imported')\ndef test_page(): pass\n")
    (tests / "test_engine.py").write_text("def test_third(): pass\n")
    markers = "".join(f"\n  {marker}" for marker in PYPROJECT["tool"]["pytest"]["ini_options"]["markers"])
    ini = ["[pytest]", f"pythonpath = {ROOT} tests", f"markers ={markers}", "addopts = --strict-markers"]
    (tmp_path / "pytest.ini").write_text("\n".join(ini))
    return tmp_path


def run_tests(folder: Path, *options: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    asked = [] if any(option.startswith("tests") for option in options) else ["tests"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *asked, *options]
    variables = {**os.environ, "CI": ci}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=240)


@pytest.mark.parametrize("processes", ["-n1", "-n0"])
def test_quick_runs_a_part_of_the_tests_and_says_what_it_left_out(folder: Path, processes: str) -> None:
    run = run_tests(folder, processes, "-s", "-m", "not slow")
    assert set(re.findall(r"test_\w+\.py::(\w+)", run.stdout)) == {"test_third"}, run.stdout
    assert f"tests/browser: {conftest.SLOW['tests/browser']}\n" in run.stdout
    assert run.stdout.count("All of it runs with:  python dev.py test\n") == 1
    assert run.stdout.count("One of these alone, by its name:  python dev.py test tests/browser\n") == 1
    assert "1 passed" in run.stdout
    assert "imported" not in run.stdout


def test_quick_leaves_out_what_is_asked_for_by_name_and_speaks_of_nothing_else(folder: Path) -> None:
    run = run_tests(folder, "-n0", "-s", "-m", "not slow", "tests/browser")
    assert "imported" not in run.stdout
    assert "PASSED" not in run.stdout
    assert re.findall(r"^(\S+): ", run.stdout.partition("left out")[2], re.MULTILINE) == ["tests/browser"]


def test_without_it_all_tests_run_and_nothing_is_left_out(folder: Path) -> None:
    run = run_tests(folder, "-p", "no:xdist", ci="true")
    assert set(re.findall(r"test_\w+\.py::(\w+) PASSED", run.stdout)) == {"test_page", "test_third"}
    assert "left out" not in run.stdout


def test_under_ci_nothing_is_left_out(folder: Path) -> None:
    run = run_tests(folder, "-m", "not slow", ci="true")
    assert (run.returncode, "under CI no test is left out" in run.stderr) == (pytest.ExitCode.USAGE_ERROR, True)

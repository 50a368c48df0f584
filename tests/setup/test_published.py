"""What brings the course to others: Binder's folder, the chapters for Colab, addresses, the workflow of the site."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from conftest import require_program
from packaging.requirements import Requirement

from minigrad.teach import EXERCISES
from tools import addresses, colab

ROOT = Path(__file__).parents[2]
OURS = "https://github.com/someone/minigrad"


def pins(lock: str) -> dict[str, set[str]]:
    """The hashes of each pin, by its name and version."""
    found = {}
    for entry in lock.replace("\\\n", " ").splitlines():
        pin, *hashes = (part.strip() for part in entry.split(" --hash="))
        found[str(Requirement(pin).name) + str(Requirement(pin).specifier)] = set(hashes)
    return found


def needed_for_the_lab() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {Requirement(needed).name for needed in project["optional-dependencies"]["lab"]}


# --- Binder ---


def test_binder_gets_what_the_lab_needs_as_the_lock_pins_it() -> None:
    binder = pins((ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8"))
    lock = pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    assert {pin: hashes - lock[pin] for pin, hashes in binder.items()} == {pin: set() for pin in binder}
    names = {pin.partition("==")[0] for pin in binder}
    assert needed_for_the_lab() <= names
    assert not {"pytest", "mypy", "playwright", "sphinx"} & names  # what a learner does not need


def test_repo2docker_plans_what_is_meant(tmp_path: Path) -> None:
    for name in ("environment.yml", "requirements.txt", "pyproject.toml"):  # which it would take, were there no binder/
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "binder", tmp_path / "binder")
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(tmp_path)]
    plan = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert plan.returncode == 0, plan.stderr
    text = plan.stdout + plan.stderr
    assert "python=3.12" in text
    steps = [line for line in text.splitlines() if line.startswith("RUN ") and ("pip" in line or "binder" in line)]
    assert [step.split("/bin/")[-1] for step in steps] == [
        'pip install --no-cache-dir -r "binder/requirements.txt"',
        "RUN chmod +x binder/postBuild",
        "RUN ./binder/postBuild",
    ]
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)


# --- Colab ---


def cells_for_colab(folder: Path, name: str = "00_start_here.ipynb") -> list[Any]:
    assert colab.main([str(folder), OURS]) == 0
    return list(nbformat.read(folder / name, as_version=4).cells)


def test_the_chapters_for_colab_are_whole_and_lead_to_each_other(tmp_path: Path) -> None:
    cells = cells_for_colab(tmp_path)
    chapters = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert sorted(path.name for path in tmp_path.glob("*.ipynb")) == chapters
    ours = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4).cells
    assert [cell.id for cell in cells[2:]] == [cell.id for cell in ours]
    assert [cell.source for cell in cells if cell.cell_type == "code"][1:] == [
        cell.source for cell in ours if cell.cell_type == "code"
    ]
    published = "https://colab.research.google.com/github/someone/minigrad/blob/colab"
    assert f"({published}/glossary.ipynb#scrollTo=slope)" in cells[2].source
    assert not [cell for cell in cells if "](glossary.ipynb" in cell.source or "#cell-id" in cell.source]
    words = nbformat.read(tmp_path / "glossary.ipynb", as_version=4).cells
    assert "slope" in [cell.metadata["id"] for cell in words]
    for path in tmp_path.glob("*.ipynb"):
        nbformat.validate(nbformat.read(path, as_version=4))


def test_the_first_cell_brings_the_course(tmp_path: Path) -> None:
    """Run as Colab would, in an empty folder, from a repository that holds the package and a chapter's exercises."""
    repository, machine = tmp_path / "repository", tmp_path / "machine"
    machine.mkdir()
    shutil.copytree(ROOT / "minigrad", repository / "minigrad", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "notebooks" / "exercises", repository / "notebooks" / "exercises")
    who = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    for command in (["init", "--quiet"], ["add", "."], [*who, "commit", "--quiet", "--message", "all"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    notebook = json.loads((ROOT / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8"))
    colab.prepare(notebook, repository.as_uri(), published="", machine=str(machine))
    cell = notebook["cells"][1]["source"]
    code = f"""
import sys
sys.path = [place for place in sys.path if place != {str(ROOT)!r}]  # what is installed is found, and minigrad is not
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
for cell in [{cell!r}, {cell!r}, "import minigrad; from minigrad.teach import EXERCISES"]:
    shell.run_cell(cell).raise_error()
print(shell.user_ns["minigrad"].__file__, len(shell.user_ns["EXERCISES"]))
"""
    variables = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "PIP_NO_INDEX": "1"}
    command = [sys.executable, "-P", "-c", code]
    run = subprocess.run(command, cwd=machine, env=variables, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == f"{machine / 'minigrad' / 'minigrad' / '__init__.py'} {len(EXERCISES)}"


def test_what_colab_lacks_is_what_the_pictures_need() -> None:
    assert set(colab.LACKING) < needed_for_the_lab()


@pytest.mark.parametrize(
    "given", [[], ["-h"], ["folder"], ["folder", "https://example.org/minigrad"], ["notebooks", OURS]]
)
def test_what_colab_cannot_do_is_said(
    given: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT if "notebooks" in given else tmp_path)
    assert colab.main(given) == 2
    assert capsys.readouterr() != ("", "")
    assert list(tmp_path.iterdir()) == []


# --- addresses ---


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_addresses_stand_in_the_project_and_in_the_readme(copied: Path) -> None:
    before = tomllib.loads((copied / "pyproject.toml").read_text(encoding="utf-8"))
    readme = (copied / "README.md").read_text(encoding="utf-8")
    assert addresses.main([f"{OURS}.git"], copied) == 0
    project = tomllib.loads((copied / "pyproject.toml").read_text(encoding="utf-8"))
    urls = project["project"].pop("urls")
    before["project"].pop("urls", None)
    assert project == before
    assert urls == {"Repository": OURS, "Course": "https://someone.github.io/minigrad/"}
    text = (copied / "README.md").read_text(encoding="utf-8")
    for link in (
        "(https://someone.github.io/minigrad/)",
        "(https://someone.github.io/minigrad/live/lab/index.html?path=00_start_here.ipynb)",
        "(https://mybinder.org/v2/gh/someone/minigrad/HEAD?urlpath=lab/tree/notebooks/00_start_here.ipynb)",
        "(https://colab.research.google.com/github/someone/minigrad/blob/colab/00_start_here.ipynb)",
    ):
        assert text.count(link) == 1
    assert text.partition("<!-- addresses -->")[0] == readme.partition("<!-- addresses -->")[0]
    assert text.partition("<!-- /addresses -->")[2] == readme.partition("<!-- /addresses -->")[2]


def test_other_addresses_replace_them(copied: Path) -> None:
    addresses.main([OURS], copied)
    once = [(copied / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "README.md")]
    addresses.main(["https://github.com/other/course", "http://pages.example.org/there"], copied)
    project, readme = ((copied / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "README.md"))
    assert "someone" not in project + readme
    assert "(http://pages.example.org/there/)" in readme
    addresses.main([OURS], copied)
    assert once == [(copied / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "README.md")]


@pytest.mark.parametrize("given", [[], ["--help"], ["someone/minigrad"], [OURS, "pages"], [OURS, "a", "b"]])
def test_other_words_change_nothing(copied: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = [(copied / name).read_bytes() for name in ("pyproject.toml", "README.md")]
    assert addresses.main(given, copied) == 2
    assert capsys.readouterr() != ("", "")
    assert before == [(copied / name).read_bytes() for name in ("pyproject.toml", "README.md")]


# --- the workflow ---


def test_the_workflow_builds_with_what_is_there() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands[0] == "python dev.py site"
    assert (ROOT / "tools" / "colab.py").is_file()
    assert "python tools/colab.py" in commands[1]
    (uploaded,) = [step["with"]["path"] for step in jobs["build"]["steps"] if "upload-pages" in step.get("uses", "")]
    assert f"/{uploaded}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert workflow["permissions"] == {"contents": "read"}  # more only where a job writes
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert all(jobs[name]["needs"] == "build" for name in ("publish", "colab"))
    assert all(jobs[name]["if"] == "github.ref == 'refs/heads/main'" for name in ("publish", "colab"))


def test_the_workflow_writes_the_branch_for_colab_anew_each_time(tmp_path: Path) -> None:
    """Its commands, in a clone of a repository that has what they need, with nothing installed."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text(encoding="utf-8"))
    (script,) = [step["run"] for step in workflow["jobs"]["colab"]["steps"] if "run" in step]
    remote, clone = tmp_path / "remote.git", tmp_path / "clone"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    git(tmp_path, "clone", "--quiet", str(remote), str(clone))
    git(clone, "switch", "--quiet", "--orphan", "main")
    names = {"00_start_here.ipynb", "glossary.ipynb"}
    for name in ("tools/colab.py", ".gitignore", *(f"notebooks/{name}" for name in names)):
        (clone / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    git(clone, "add", ".")
    git(clone, *["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--message=x"])
    git(clone, "push", "--quiet", "origin", "main")
    environment = os.environ | {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "someone/minigrad",
        "GITHUB_SHA": "0123abc",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for round_ in ("first", "second"):
        git(clone, "switch", "--quiet", "--detach", "origin/main")
        git(clone, "branch", "--quiet", "-D", "colab", check=False)  # each run of the workflow has a clone of its own
        (tmp_path / round_).mkdir()
        subprocess.run(
            [require_program("bash"), "-e", "-c", script],
            cwd=clone,
            env=environment | {"RUNNER_TEMP": str(tmp_path / round_)},
            check=True,
            timeout=120,
        )
        assert set(git(remote, "ls-tree", "-r", "--name-only", "colab").split()) == names
        assert git(remote, "rev-list", "--count", "colab") == "1"
        chapter = json.loads(git(remote, "show", "colab:00_start_here.ipynb"))
        assert "git clone --quiet --depth 1 https://github.com/someone/minigrad" in "".join(
            "".join(cell["source"]) for cell in chapter["cells"][:2]
        )


def git(folder: Path, *words: str, check: bool = True) -> str:
    done = subprocess.run(
        [require_program("git"), *words], cwd=folder, capture_output=True, text=True, check=check, timeout=120
    )
    return done.stdout.strip()

"""`python -m minigrad` in a clone, beside nothing but numpy, and installed from a repository."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest

from minigrad.teach import whereabouts
from minigrad.teach.whereabouts import main

ROOT = Path(__file__).parents[2]


def told(text: str) -> dict[str, str]:
    """What is said of each part."""
    return {line.split()[0]: line.partition(" ")[2].strip() for line in text.splitlines() if line}


@pytest.fixture
def alone(tmp_path: Path) -> list[str]:
    """The command in a Python that finds numpy and the package, and nothing else of ours."""
    for part in Path(np.__file__).parent.parent.glob("numpy*"):
        (tmp_path / part.name).symlink_to(part)
    copied = tmp_path / "elsewhere" / "minigrad"  # without the chapters beside it
    copied.mkdir(parents=True)
    for part in (ROOT / "minigrad").iterdir():
        (copied / part.name).symlink_to(part)
    (copied / "teach").unlink()
    (copied / "teach").mkdir()
    for part in (ROOT / "minigrad" / "teach").glob("*.py"):
        (copied / "teach" / part.name).write_bytes(part.read_bytes())
    code = f"import sys; sys.path[:0] = [{str(copied.parent)!r}, {str(tmp_path)!r}]; import minigrad.__main__"
    return [sys.executable, "-I", "-S", "-c", code]


def test_in_a_clone_all_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    parts = told(capsys.readouterr().out)
    assert parts["engine"].startswith(f"ready: Python {sys.version.split()[0]}, numpy {np.__version__}")
    assert parts["stepper"] == "ready: from minigrad import viz"
    assert parts["course"] == f"in {ROOT / 'notebooks'}. To open it: python -m minigrad lab"


def test_with_numpy_alone_it_says_what_is_missing(alone: list[str]) -> None:
    run = subprocess.run(alone, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    parts = told(run.stdout)
    assert parts["engine"].startswith("ready")
    assert parts["stepper"] == "not yet: pip install anywidget graphviz graphviz-pure ipywidgets"
    assert parts["JupyterLab"] == "not yet: pip install jupyterlab"
    assert "Clone minigrad's repository, and run there: python dev.py lab" in parts["course"]


def test_without_the_course_it_cannot_be_opened(alone: list[str]) -> None:
    run = subprocess.run([*alone, "lab"], capture_output=True, text=True)
    assert run.returncode == 1
    assert "cannot be opened" in run.stderr
    assert "not yet: pip install jupyterlab" in run.stdout


def test_lab_opens_the_first_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(whereabouts.subprocess, "call", lambda command: asked.append(command) or 0)
    assert main(["lab"]) == 0
    assert asked == [[sys.executable, "-m", "jupyterlab", str(ROOT / "notebooks" / "00_start_here.ipynb")]]


def test_another_word_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["leb"]), main(["--help"])) == (2, 0)
    assert capsys.readouterr().out.count("usage: python -m minigrad [lab]") == 2


@pytest.mark.parametrize(
    ("noted", "named"),
    [
        ('{"url": "https://example.org/minigrad.git", "vcs_info": {"vcs": "git"}}', "https://example.org/minigrad.git"),
        ('{"url": "file:///somewhere/minigrad", "dir_info": {}}', "minigrad's repository"),
        (None, "minigrad's repository"),
        ("{", "minigrad's repository"),
    ],
)
def test_the_repository_is_the_one_that_pip_noted(
    monkeypatch: pytest.MonkeyPatch, noted: str | None, named: str
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return noted if name == "direct_url.json" else None

    monkeypatch.setattr(whereabouts, "distribution", lambda name: Installed())
    assert whereabouts.repository() == named
    assert distribution("numpy").read_text("direct_url.json") is None  # what most packages have

"""What of minigrad this Python has, and where the course is: `python -m minigrad`.

The engine needs numpy. The stepper needs the packages that `minigrad[lab]` names, JupyterLab among them. The course is
notebooks, which do not come with the package but with its repository: in a clone they stand beside it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import numpy as np

import minigrad

CLONE = Path(__file__).parents[2]
FIRST_CHAPTER = CLONE / "notebooks" / "00_start_here.ipynb"
FOR_THE_STEPPER = ("anywidget", "graphviz", "graphviz-pure", "ipywidgets")
USAGE = """usage: python -m minigrad [lab]

Without a word it says what is installed, what is missing, and where the course is; `lab` opens it in JupyterLab."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is here, or open the course. The exit code: 0 if it could be done, 2 for other words."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments not in ([], ["lab"]):
        print(USAGE)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    if arguments and FIRST_CHAPTER.is_file() and version_of("jupyterlab"):
        return subprocess.call([sys.executable, "-m", "jupyterlab", str(FIRST_CHAPTER)])
    print("\n".join(f"{part:12}{state}" for part, state in states()))
    if arguments:
        print("\nSo the course cannot be opened with this Python.", file=sys.stderr)
    return len(arguments)


def states() -> Iterator[tuple[str, str]]:
    """Each part, and how it stands."""
    yield "minigrad", f"{minigrad.__version__}, in {Path(minigrad.__file__).parent}"
    yield "engine", f"ready: Python {sys.version.split()[0]}, numpy {np.__version__}"
    missing = " ".join(name for name in FOR_THE_STEPPER if not version_of(name))
    yield "stepper", f"not yet: pip install {missing}" if missing else "ready: from minigrad import viz"
    lab, torch = version_of("jupyterlab"), version_of("torch")
    yield "JupyterLab", f"ready: {lab}" if lab else "not yet: pip install jupyterlab"
    yield "PyTorch", f"{torch}: the stepper steps its graphs, too" if torch else "not here, and not needed"
    yield "course", where_the_course_is()


def version_of(name: str) -> str | None:
    """The version of a package that this Python finds."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def where_the_course_is() -> str:
    if not FIRST_CHAPTER.is_file():
        return f"not here: pip does not bring it. Clone {repository()}, and run there: python dev.py lab"
    command = "python -m minigrad lab" if version_of("jupyterlab") else f"python dev.py lab, in {CLONE}"
    return f"in {FIRST_CHAPTER.parent}. To open it: {command}"


def repository() -> str:
    """Where pip took the package from, as it noted: packaging.python.org, "Recording the Direct URL Origin"."""
    try:
        noted = json.loads(distribution("minigrad").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        noted = {}
    return str(noted["url"]) if "vcs_info" in noted else "minigrad's repository"

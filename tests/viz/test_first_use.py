"""What `from minigrad import viz` loads, and that each name is there when it is first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad import viz

FOLDER = Path(viz.__file__).parent
EXTRAS = ("comparing", "comparison", "curves", "descents", "dot", "flame_chart", "rich", "runs")


def loaded(*lines: str) -> list[str]:
    """The modules of viz that a program of its own has loaded in the end."""
    program = "\n".join(
        [*lines, "import sys", "print(*(name for name in sys.modules if name.startswith('minigrad.viz.')))"]
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [name.removeprefix("minigrad.viz.") for name in ran.stdout.split()]


def test_importing_viz_loads_what_notes_lines_and_nothing_that_draws() -> None:
    assert loaded("from minigrad import viz") == ["graph", "graph.observer", "shell"]


def test_the_stepper_and_the_picture_load_no_extras() -> None:
    found = loaded("from minigrad import viz", "viz.BackwardStepper, viz.draw")
    assert "stepper" in found
    assert [name for name in found if name.split(".")[0] in EXTRAS] == []


def test_each_name_is_there_whether_asked_of_the_package_or_imported() -> None:
    """In a program that has loaded none of them."""
    loaded(
        "from minigrad import viz",
        "before = {name: vars(viz).get(name) for name in viz.__all__}",
        "assert [name for name in before if before[name] is not None] == ['rich_display']",
        "from minigrad.viz import *",
        "assert all(globals()[name] is getattr(viz, name) for name in viz.__all__)",
        "assert all(vars(viz)[name].__doc__ for name in viz.__all__)",
        "assert {*viz.__all__} <= {*dir(viz)}",
    )


def test_no_file_or_folder_of_viz_has_the_name_of_what_viz_offers() -> None:
    """Importing the file would put it in the name's place."""
    assert {path.stem for path in FOLDER.iterdir()} & {*viz.__all__} == set()


def test_what_readers_of_types_are_told_is_what_is_loaded() -> None:
    tree = ast.parse(Path(viz.__file__).read_text(encoding="utf-8"))
    (block,) = [part for part in tree.body if isinstance(part, ast.If) and "TYPE_CHECKING" in ast.unparse(part.test)]
    told = {
        (part.module or "").removeprefix("minigrad.viz."): tuple(name.name for name in part.names)
        for part in block.body
        if isinstance(part, ast.ImportFrom)
    }
    assert told == viz._AT_FIRST_USE
    assert sorted([*sum(told.values(), ()), "rich_display"]) == viz.__all__


def test_a_name_that_is_not_there_is_refused_in_python_s_words() -> None:
    with pytest.raises(AttributeError, match=r"^module 'minigrad.viz' has no attribute 'drow'$"):
        viz.drow  # noqa: B018
    with pytest.raises(ImportError, match=r"^cannot import name 'drow' from 'minigrad.viz' "):
        exec("from minigrad.viz import drow")

"""The chapters without solutions: nothing is told, and what a learner wrote survives an update."""

import importlib.util
import json
import re
import types
from pathlib import Path
from typing import Any

import nbformat
import pytest

import minigrad
from minigrad.teach import EXERCISES

ROOT = Path(__file__).parent.parent.parent
CHAPTER = "03_backward_step_by_step.ipynb"


@pytest.fixture
def student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The module, with a copy of the chapters that may be changed, and a home of its own for signatures."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    description = importlib.util.spec_from_file_location("student", ROOT / "tools" / "student.py")
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    description.loader.exec_module(module)
    chapters = tmp_path / "notebooks"
    (chapters / "images").mkdir(parents=True)
    (chapters / CHAPTER).write_bytes((ROOT / "notebooks" / CHAPTER).read_bytes())
    monkeypatch.setattr(module, "NOTEBOOKS", chapters)
    monkeypatch.setattr(module, "CHAPTERS", [chapters / CHAPTER])
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "course"


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def edit(path: Path, change: Any) -> None:
    notebook = read(path)
    change(notebook)
    nbformat.write(notebook, path)


def cell(notebook: Any, beginning: str) -> Any:
    (found,) = [cell for cell in notebook.cells if cell.source.startswith(beginning)]
    return found


def sources(path: Path) -> list[str]:
    return [cell.source for cell in read(path).cells]


def test_no_solution_and_no_empty_cell_is_left(student: Any, folder: Path) -> None:
    assert student.main([str(folder)]) == 0
    text = (folder / CHAPTER).read_text(encoding="utf-8")
    assert "Solution</summary>" in (ROOT / "notebooks" / CHAPTER).read_text(encoding="utf-8")
    assert "Solution" not in text
    assert "<details>" not in text
    assert all(source.strip() for source in sources(folder / CHAPTER))
    nbformat.validate(read(folder / CHAPTER))
    stubs = [source for source in sources(folder / CHAPTER) if "raise NotImplementedError" in source]
    assert len(stubs) == [exercise.chapter for exercise in EXERCISES.values()].count(CHAPTER.removesuffix(".ipynb")) > 0


def test_the_text_around_a_solution_stays(student: Any, folder: Path) -> None:
    student.main([str(folder)])
    joined = "\n".join(sources(folder / CHAPTER))
    headings = ("## 6. Why a node waits", "## 9. Try: a second walk", "## 10. What is in `.grad` after several walks")
    for heading in headings:
        assert heading in joined
    alone = [cell for cell in read(ROOT / "notebooks" / CHAPTER).cells if is_solution(cell.source)]
    assert len(read(folder / CHAPTER).cells) == len(read(ROOT / "notebooks" / CHAPTER).cells) - len(alone)


def is_solution(source: str) -> bool:
    """Whether a cell holds a solution and nothing else: such a cell goes as a whole."""
    return source.startswith("<details>") and source.endswith("</details>")


def test_an_update_keeps_what_the_learner_wrote(student: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    student.main([str(folder)])
    answer = "def by_hand(e):\n    return e, e"

    def work(notebook: Any) -> None:
        stub = cell(notebook, "def by_hand")
        stub.source, stub.outputs = answer, []
        cell(notebook, "inputs = mg.tensor").source = "x = 'changed in both'"
        cell(notebook, "trunk = a * b").source = "trunk = 'changed by the learner only'"
        note = nbformat.v4.new_markdown_cell("my note")
        notebook.cells.insert(notebook.cells.index(stub) + 1, note)

    def update(notebook: Any) -> None:
        cell(notebook, "def by_hand").source = "def by_hand(e):\n    '''New words.'''\n    raise NotImplementedError"
        cell(notebook, "inputs = mg.tensor").source = "x = 'new in the chapter'"
        cell(notebook, "Go to the step of `out`").source += "\n\nA new sentence."
        notebook.cells.append(nbformat.v4.new_markdown_cell("A new section."))

    edit(folder / CHAPTER, work)
    edit(student.NOTEBOOKS / CHAPTER, update)
    capsys.readouterr()
    for _ in range(3):  # once more changes nothing more
        assert student.main([str(folder)]) == 0
        found = sources(folder / CHAPTER)
        assert found[found.index(answer) + 1] == "my note"
        assert "trunk = 'changed by the learner only'" in found
        place = found.index("x = 'new in the chapter'")
        assert found[place + 1].endswith("x = 'changed in both'")
        assert found[place + 1].startswith("# Your earlier version")
        assert sum("A new sentence." in source for source in found) == 1
        assert found.count("A new section.") == 1
        assert found.count("my note") == 1
        nbformat.validate(read(folder / CHAPTER))
    assert "4 cells of your own kept" in capsys.readouterr().out


def test_an_answer_from_the_chapters_own_folder_stays_when_that_is_reset(
    student: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = (student.NOTEBOOKS / CHAPTER).read_bytes()
    answer = "def by_hand(e):\n    return e, e"
    edit(student.NOTEBOOKS / CHAPTER, lambda notebook: cell(notebook, "def by_hand").update(source=answer))
    student.main([str(folder)])
    (student.NOTEBOOKS / CHAPTER).write_bytes(shipped)
    capsys.readouterr()
    for _ in range(2):
        student.main([str(folder)])
        assert answer in sources(folder / CHAPTER)
        assert "1 cell of your own kept" in capsys.readouterr().out


def test_what_was_passed_goes_along_into_ones_own_course_once(
    student: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(student, "FOLDER", folder)
    (student.NOTEBOOKS / ".progress.json").write_text("mine")
    student.main([])
    assert (folder / ".progress.json").read_text() == "mine"
    (folder / ".progress.json").write_text("more")
    student.main([])
    assert (folder / ".progress.json").read_text() == "more"
    student.main([str(tmp_path / "somebody")])
    assert not (tmp_path / "somebody" / ".progress.json").exists()


def test_a_broken_chapter_is_set_aside(student: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    student.main([str(folder)])
    for text in ("", "{", "[]", json.dumps({"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})):
        (folder / CHAPTER).write_text(text, encoding="utf-8")
        assert student.main([str(folder)]) == 0
        assert "it is kept as" in capsys.readouterr().out
        assert (folder / CHAPTER).with_suffix(".broken").read_text(encoding="utf-8") == text
        assert len(sources(folder / CHAPTER)) > 40


def test_the_file_before_the_update_is_kept(student: Any, folder: Path) -> None:
    student.main([str(folder)])
    edit(folder / CHAPTER, lambda notebook: notebook.cells.append(nbformat.v4.new_markdown_cell("mine")))
    before = (folder / CHAPTER).read_bytes()
    student.main([str(folder)])
    assert (folder / ".before" / CHAPTER).read_bytes() == before


def test_the_chapters_own_folder_is_refused(student: Any, capsys: pytest.CaptureFixture[str]) -> None:
    before = (student.NOTEBOOKS / CHAPTER).read_bytes()
    assert student.main([str(student.NOTEBOOKS)]) == 2
    assert student.main([str(student.NOTEBOOKS / "inner")]) == 2
    assert "name another one" in capsys.readouterr().err
    assert (student.NOTEBOOKS / CHAPTER).read_bytes() == before


def test_a_folder_that_cannot_be_made_is_named(
    student: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert student.main([str(tmp_path / "file")]) == 1
    assert "cannot be written to" in capsys.readouterr().err


# ---------------------------------------------------------------- for nbgrader


def test_an_assignment_has_a_cell_to_solve_and_a_locked_one_with_points_for_each_exercise(
    student: Any, tmp_path: Path
) -> None:
    assert student.main(["--nbgrader", str(tmp_path / "course")]) == 0
    chapter = CHAPTER.removesuffix(".ipynb")
    notebook = read(tmp_path / "course" / "source" / chapter / CHAPTER)
    nbformat.validate(notebook)
    assert (tmp_path / "course" / "source" / chapter / "images").is_dir()
    assert "Solution</summary>" not in "".join(cell.source for cell in notebook.cells)

    marked = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    exercises = [name for name, exercise in EXERCISES.items() if f"{exercise.chapter}.ipynb" == CHAPTER]
    asked = re.findall(r"^check\.(\w+)\(", "\n".join(cell.source for cell in notebook.cells), re.MULTILINE)
    assert sorted(asked) == sorted(exercises), f"each file of exercises/ has a cell check.name(name) in {CHAPTER}"
    assert marked.keys() == {*exercises, *(f"{name}-passes" for name in exercises)}
    for name in exercises:
        to_solve, graded = marked[name].metadata["nbgrader"], marked[f"{name}-passes"].metadata["nbgrader"]
        assert (to_solve["solution"], to_solve["grade"], to_solve["locked"]) == (True, False, False)
        assert (graded["solution"], graded["grade"], graded["locked"]) == (False, True, True)
        assert graded["points"] == EXERCISES[name].stars
        assert {to_solve["schema_version"], graded["schema_version"]} == {3}


def test_what_gives_the_points_fails_until_the_check_passes(student: Any, tmp_path: Path) -> None:
    student.main(["--nbgrader", str(tmp_path / "course")])
    notebook = read(tmp_path / "course" / "source" / CHAPTER.removesuffix(".ipynb") / CHAPTER)
    marked = {
        cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in notebook.cells if "nbgrader" in cell.metadata
    }
    exercise, graded = EXERCISES["descend"], marked["descend-passes"]
    given: dict[str, Any] = {"mg": minigrad}
    exec(marked["descend"], given)  # as it is handed out
    for answer in (given["descend"], exercise.known[0].answers[0]):
        with pytest.raises(AssertionError, match="descend does not pass its check"):
            exec(graded, {"descend": answer})
    with pytest.raises(NameError):  # the cell was deleted
        exec(graded, {})
    exec(graded, {"descend": exercise.reference})


def test_every_exercise_of_the_course_can_be_graded() -> None:
    description = importlib.util.spec_from_file_location("student", ROOT / "tools" / "student.py")
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    description.loader.exec_module(module)
    found: list[str] = []
    for path in module.CHAPTERS:
        notebook = module.without_solutions(read(path))
        names = module.make_gradable(notebook)
        ids = [cell.metadata["nbgrader"]["grade_id"] for cell in notebook.cells if "nbgrader" in cell.metadata]
        assert sorted(ids) == sorted([*names, *(f"{name}-passes" for name in names)])
        found += names
    without = EXERCISES.keys() - {*found}
    assert without == set(), "the chapter has a stub, a check and a solution of each"
    assert sorted(found) == sorted(EXERCISES)


def test_a_course_that_cannot_be_written_is_named(
    student: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "course").touch()
    assert student.main(["--nbgrader", str(tmp_path / "course")]) == 1
    assert f"{tmp_path / 'course'} cannot be written to: Not a directory" in capsys.readouterr().err
    assert student.main(["--nbgrader"]) == 2

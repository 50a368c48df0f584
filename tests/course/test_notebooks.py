"""The chapters as files: executed, complete, of the agreed form, and solvable.

nbval runs them as well (see pyproject.toml) and compares their outputs. It accepts a cell that was never run, and knows
nothing about exercises, words or links: that is what is tested here. Chapters that build on answers are run with the
solutions in test_chapters.py, in a browser.
"""

import ast
import contextlib
import copy
import functools
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from helpers.solved import solutions

import minigrad
from minigrad.teach import EXERCISES, PREDICTIONS
from minigrad.teach.exercise import stars

FOLDER = Path(__file__).parents[2] / "notebooks"
PATHS = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))
READMES = [FOLDER.parent / "README.md", FOLDER.parent / "minigrad" / "README.md"]
TEXTS = [*sorted(FOLDER.glob("*.ipynb")), *READMES, *sorted((FOLDER.parent / "guides").glob("*.md"))]
PICTURES = {"image/svg+xml", "image/png", "text/html"}

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
Cell = Any


@pytest.fixture(autouse=True)
def _progress_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))


@functools.cache
def read(path: Path) -> Any:
    """A notebook; who changes it copies it first."""
    return nbformat.read(path, as_version=4)


def code_cells(path: Path) -> list[Cell]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path: Path) -> str:
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", " ", re.sub(r"```.*?```", " ", text, flags=re.DOTALL))


def calls(path: Path, group: str) -> list[str]:
    """The names x in `group.x(...)` and `group("x")`, in all cells."""
    text = "\n".join(cell.source for cell in read(path).cells)
    return [one or other for one, other in re.findall(rf'\b{group}\.(\w+)\(|\b{group}\("(\w+)"\)', text)]


def sections(path: Path) -> Iterator[tuple[str, list[Cell]]]:
    """Each `## heading` with the cells under it; a cell with several headings belongs to the last."""
    heading, cells = "", []
    for cell in read(path).cells:
        if cell.cell_type == "markdown" and (found := re.findall(r"^## (.*)$", cell.source, re.MULTILINE)):
            if heading:
                yield heading, cells
            for passed in found[:-1]:
                yield passed, [cell]
            heading, cells = found[-1], []
        cells.append(cell)
    yield heading, cells


def test_the_folder_holds_what_a_learner_opens() -> None:
    for path in FOLDER.iterdir():
        known = path in PATHS or path.name in ("glossary.ipynb", "errors.ipynb", "exercises", "images")
        assert known or path.name.startswith(".") or path.name == "__pycache__", path.name


def test_there_are_chapters() -> None:
    assert [path.stem for path in PATHS][:1] == ["00_start_here"]
    assert "03_backward_step_by_step" in [path.stem for path in PATHS]


@each_notebook
def test_an_output_needs_nothing_that_a_save_may_lose(path: Path) -> None:
    """JupyterLab writes the state of widgets as the kernel has it, or not at all: an output holds all that it shows."""
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" not in notebook.metadata
    forms = [form for cell in notebook.cells for output in cell.get("outputs", ()) for form in output.get("data", {})]
    assert forms
    assert "application/vnd.jupyter.widget-view+json" not in forms


@each_notebook
def test_every_cell_was_executed_once_and_in_order(path: Path) -> None:
    cells = code_cells(path)
    assert all(cell.source.strip() for cell in cells)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]


@each_notebook
def test_no_path_and_no_address_of_the_machine_that_ran_it(path: Path) -> None:
    notebook = copy.deepcopy(read(path))
    notebook.metadata.pop("widgets", None)  # the widgets' own program text
    for cell in notebook.cells:
        text = json.dumps(cell, ensure_ascii=False)
        assert str(FOLDER.parent) not in text
        assert not re.search(r"(?<![\w.<])/(home|root|tmp|usr|opt|var|mnt|Users)/\w", text)
        assert not re.search(r"\b[A-Z]:\\\\\w", text)
        assert " at 0x" not in text
    assert str(FOLDER.parent) not in path.read_text(encoding="utf-8")


@each_notebook
def test_length_and_tone(path: Path) -> None:
    words = without_code(prose(path)).split()
    assert 1500 <= len(words) <= 3000, f"{len(words)} words"
    assert "!" not in without_code(prose(path)).replace("![", "[")  # which begins a picture


@each_notebook
def test_no_cell_is_long(path: Path) -> None:
    for cell in code_cells(path):
        assert len(cell.source.splitlines()) <= 20, cell.source
        assert max(map(len, cell.source.splitlines())) <= 120, cell.source


@each_notebook
def test_every_section_has_something_to_look_at(path: Path) -> None:
    for heading, cells in sections(path):
        if re.search("PyTorch|Summary|What next", heading):
            assert any(
                "```python" in cell.source or "|---" in cell.source or cell.cell_type == "code" for cell in cells
            ), heading
        else:
            shown = {kind for cell in cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
            assert shown & PICTURES, heading


@each_notebook
def test_a_chapter_has_its_parts(path: Path) -> None:
    text = prose(path)
    first = text.split("## ")[0]
    assert re.search(r"\| after this chapter you can \| minutes \|", first)
    assert sum(map(int, re.findall(r"\| (\d+) \|$", first, re.MULTILINE))) == int(
        re.search(r"about (\d+) minutes", first)[1]
    )
    headings = [heading for heading, _ in sections(path)]
    for part in (
        "question from practice",
        "Predict",
        "Look",
        "What goes wrong",
        "How PyTorch says the same",
        "Summary",
        "What next",
    ):
        assert any(part in heading for heading in headings), part
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)) == list(range(1, len(headings) + 1))


@each_notebook
def test_names_of_exercises_and_predictions(path: Path) -> None:
    chapter = path.stem
    there = {name for name, exercise in EXERCISES.items() if exercise.chapter == chapter}
    advice = f"each file of exercises/ has a cell check.name(name) in {path.name}, and a solution"
    assert set(calls(path, "check")) ^ there == set(), advice
    assert set(calls(path, "predict")) == {name for name, asked in PREDICTIONS.items() if asked.chapter == chapter}
    assert set(calls(path, "hint")) <= set(EXERCISES)
    assert solutions(read(path)).keys() == set(calls(path, "check"))


@each_notebook
def test_stubs_announce_what_the_check_asks_for(path: Path) -> None:
    cells = read(path).cells
    for name in set(calls(path, "check")):
        exercise = EXERCISES[name]
        (place,) = [i for i, cell in enumerate(cells) if cell.source.startswith(f"def {name}(")]
        definition = ast.parse(cells[place].source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        assert tuple(argument.arg for argument in definition.args.args) == exercise.parameters
        assert ast.get_docstring(definition)
        assert f"{stars(exercise.stars)} · {exercise.minutes} minutes" in cells[place - 1].source
        assert cells[place + 1].source == f"check.{name}({name})"
        (output,) = cells[place + 1].outputs
        assert "not attempted" in output.data["text/plain"]


@each_notebook
def test_outputs_that_are_not_compared_say_why(path: Path) -> None:
    for cell in code_cells(path):
        tags = cell.metadata.get("tags", [])
        assert set(tags) <= {"nbval-ignore-output", "raises-exception"}
        if "nbval-ignore-output" in tags:
            assert "not compared" in cell.source.splitlines()[0]


def test_the_lines_that_outputs_name_stand_there() -> None:
    """nbval does not compare the number of a cell (nbval.cfg says why)."""
    named = 0
    for cells in map(code_cells, PATHS):
        printed = "".join(output.get("text", "") for cell in cells for output in cell.outputs)
        for cell, line, text in re.findall(r"^  Cell In\[(\d+)\], line (\d+).*\n    (.*)", printed, re.MULTILINE):
            assert cells[int(cell) - 1].source.splitlines()[int(line) - 1].strip() == text
            named += 1
    assert named


def places_in(path: Path) -> set[str]:
    """What a link to this file may name after the `#`: its headings, as JupyterLab names them, and its cells."""
    text = prose(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    cells = read(path).cells if path.suffix == ".ipynb" else []
    return {heading.replace("`", "").replace(" ", "-") for heading in headings} | {
        f"cell-id={cell.id}" for cell in cells
    }


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_links_lead_somewhere(path: Path) -> None:
    text = prose(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    linked = re.findall(r"\]\(((?:[^()\s]|\(\))+)\)|(?:src|srcset)=\"([^\"]+)\"", text)
    for name, _, place in (max(target).partition("#") for target in linked if "://" not in max(target)):
        file = path.parent / name if name else path
        assert file.exists(), name
        assert not place or place in places_in(file), (name, place)
    for named in re.findall(r"`(minigrad/[\w/]+\.py)`", text):
        assert (FOLDER.parent / named).is_file(), named


@each_notebook
def test_solutions_pass_alone(path: Path) -> None:
    namespace: dict[str, Any] = {"mg": minigrad, "np": np}
    for name, code in solutions(read(path)).items():
        exec(code, namespace)
        assert EXERCISES[name].check(namespace[name]).kind == "good", name


@each_notebook
def test_pytorch_says_the_same(path: Path, torch: Any) -> None:
    blocks = [block for block in re.findall(r"```python\n(.*?)```", prose(path), re.DOTALL) if "import torch" in block]
    assert blocks
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, {})
        promised = re.findall(r"^print\(.*?# (tensor.*)$", block, re.MULTILINE)
        assert promised
        assert printed.getvalue().splitlines()[-len(promised) :] == promised


def test_the_map_of_chapters_is_complete() -> None:
    rows = re.findall(r"^\| \[?`(\d\d_\w+)`.*\| (\d+) \|$", prose(FOLDER / "00_start_here.ipynb"), re.MULTILINE)
    assert rows == [(path.stem, str(minutes_said(path)[0])) for path in PATHS]
    assert len(rows) == 17


def minutes_said(path: Path) -> tuple[int, ...]:
    """How long a chapter takes, and its exercises, as its first lines say."""
    (said,) = re.findall(r"about (\d+) minutes(?:, (\d+) of them for )?", prose(path).split("## ")[0])
    return tuple(map(int, filter(None, said)))


@each_notebook
def test_a_chapter_says_how_long_it_takes(path: Path) -> None:
    """Its exercises as they say it; and in a minute a reader takes in 130 words or 15 lines of code, or answers a
    prediction. A walk that is stepped through takes two.
    """
    words = len(without_code(re.sub(r"<details>.*?</details>", "", prose(path), flags=re.DOTALL)).split())
    read = [
        cell.source for cell in code_cells(path) if not re.match(r"predict\.|check\.|hint\(|# What you", cell.source)
    ]
    lines = sum(len(source.splitlines()) for source in read if "    raise NotImplementedError  # your" not in source)
    stepped = sum(len(re.findall(r"viz\.BackwardStepper\(|compare\(|descent_map\(", source)) for source in read)
    exercises = [exercise.minutes for exercise in EXERCISES.values() if exercise.chapter == path.stem]
    minutes = words / 130 + lines / 15 + 2 * stepped + len(set(calls(path, "predict"))) + sum(exercises)
    counted = (5 * round(minutes / 5), sum(exercises))[: 1 if len(exercises) == 1 else 2]
    assert minutes_said(path) == counted, f"the first cell of {path.name} is to say so many minutes, and of exercises"


TO_GLOSSARY = re.compile(r"\(glossary\.ipynb#([^)]+)\)")  # JupyterLab scrolls to a cell, and not to a heading


def id_of(term: str) -> str:
    """The id that the cell of a term has in the glossary."""
    return term.strip().replace(" ", "-").replace("'", "")


def test_the_glossary_explains_what_links_to_it_and_nothing_else() -> None:
    glossary = prose(FOLDER / "glossary.ipynb")
    terms = {cell.id for cell in read(FOLDER / "glossary.ipynb").cells if cell.source.startswith("### ")}
    assert sorted(terms) == sorted(map(id_of, re.findall(r"^### (.+)$", glossary, re.MULTILINE)))
    groups = {name.strip().replace(" ", "-") for name in re.findall(r"^## (.+)$", glossary, re.MULTILINE)}
    linked = {name for path in PATHS for name in TO_GLOSSARY.findall(prose(path))}
    assert linked == {f"cell-id={term}" for term in terms}
    assert set(re.findall(r"\(#([^)]+)\)", glossary)) == groups


def paragraphs(path: Path) -> list[str]:
    """The running text: without code, headings and tables, which announce what the text explains."""
    lines = [line for line in without_code(prose(path)).split("\n") if not re.match(r"#|\s*\|", line)]
    return re.split(r"\n\s*\n", "\n".join(lines))


def test_no_term_comes_up_before_it_is_explained() -> None:
    """In the paragraph where the course first says a term of the glossary, or before it, is the link to the term."""
    text = [paragraph for path in PATHS for paragraph in paragraphs(path)]
    for term in re.findall(r"^### (.+)$", prose(FOLDER / "glossary.ipynb"), re.MULTILINE):
        word = re.compile(r"\b" + r"[\s-]+".join(map(re.escape, term.split())) + r"(e?s)?\b", re.IGNORECASE)
        for paragraph in text:
            if f"cell-id={id_of(term)}" in TO_GLOSSARY.findall(paragraph):
                break
            said = re.sub(r"\[[^]]*\]\([^)]*\)", "", paragraph)  # "vector-Jacobian product" is no use of "Jacobian"
            assert not word.search(said), f"{term!r} comes up in {paragraph!r}, before its link"


def test_each_term_of_the_glossary_is_given_in_chinese_as_well() -> None:
    entries = re.split(r"^### ", prose(FOLDER / "glossary.ipynb"), flags=re.MULTILINE)[1:]
    assert len(entries) > 40
    for entry in entries:
        assert re.search(r"\n\*\*[\u4e00-\u9fff（）-]+\*\* · [A-Z]", entry), entry


def test_the_articles_chapters_are_there_or_to_come() -> None:
    table = prose(FOLDER / "00_start_here.ipynb").split("if you come from an article")[1]
    places = "\n".join(re.findall(r"\| ([\d,; ]+) \|$", table, re.MULTILINE))
    named = set(re.findall(r"\d\d", places))
    assert named <= {path.stem[:2] for path in PATHS}

"""guides/teaching.md: what it asks, shows and sets as homework is there, in the chapters of that week."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from minigrad.teach import EXERCISES, PREDICTIONS

ROOT = Path(__file__).parents[2]
PLAN = (ROOT / "guides" / "teaching.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d) \| (.+?) \| ([\d, ]+) \|", PLAN, re.MULTILINE)
WEEKS = {
    int(number): text for number, text in re.findall(r"^## Week (\d)(.*?)(?=^## )", PLAN, re.MULTILINE | re.DOTALL)
}


def chapters_of(week: int) -> list[str]:
    (text,) = [text for number, text, _ in ROWS if int(number) == week]
    numbers = re.findall(r"\b(\d\d)\b", text)
    return [path.stem for number in numbers for path in sorted((ROOT / "notebooks").glob(f"{number}_*.ipynb"))]


def test_the_plan_has_eight_weeks_and_all_chapters_in_order() -> None:
    assert sorted(WEEKS) == [int(number) for number, _, _ in ROWS] == list(range(1, 9))
    planned = [chapter for week in WEEKS for chapter in chapters_of(week)]
    assert planned == sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def test_times_are_those_of_the_chapters() -> None:
    told = 0
    for number, _, minutes in ROWS:
        for chapter, planned in zip(chapters_of(int(number)), minutes.split(", "), strict=True):
            opening = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", 4).cells[0].source
            assert re.search(rf"about {planned} minutes", opening), chapter
            told += 1
    assert told == 17


@pytest.mark.parametrize("week", WEEKS)
def test_what_a_week_names_is_in_its_chapters(week: int) -> None:
    chapters = chapters_of(week)
    asked = re.findall(r"`predict\.(\w+)\(\)`", WEEKS[week])
    named = [name for name in re.findall(r"`(\w+)`", WEEKS[week]) if name in EXERCISES]
    assert {PREDICTIONS[name].chapter for name in asked} <= set(chapters)
    assert {EXERCISES[name].chapter for name in named} <= set(chapters)
    for chapter in chapters:
        assert chapter in {PREDICTIONS[name].chapter for name in asked}, f"nothing is asked before {chapter}"


def test_the_code_that_is_shown_stands_in_a_chapter() -> None:
    written = [
        cell.source for path in (ROOT / "notebooks").glob("[0-9]*.ipynb") for cell in nbformat.read(path, 4).cells
    ]
    calls = [" ".join(call.split()) for call in re.findall(r"`((?:viz|museum|s)\.\w+\([^`]*\))`", PLAN)]
    assert len(calls) > 5
    for call in calls:
        beginning = call.partition(", ...")[0]
        assert beginning == "viz.compare(loss, other)" or any(beginning in text for text in written), call

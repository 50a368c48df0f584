"""The table of runs: what is run, what its cells show, and that nothing which was printed is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

import minigrad as mg
from minigrad import viz


class Opened(HTMLParser):
    """The cells of a table: the words of each, which of them are open, and all elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.cells: list[tuple[dict[str, Any], list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append(tag)
        if tag == "details":
            self.cells.append((dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.cells and self.elements[-1] in ("summary", "pre"):
            self.cells[-1][1].append(data)


def test_lines_stand_inside_a_row_that_ends_with_a_colon_and_else_below_it() -> None:
    rows = {"plain": "", "set": "x = 2", "block": "if True:", "deep": "if True:\n    x = 5\n    for x in (7, 8):"}
    table = viz.run_table(rows, {"line": "print(x)\nprint(x + 1)"}, lambda: {"x": 0})
    assert [table.runs[row, "line"].answer for row in rows] == ["1", "3", "1", "9"]
    assert table.runs["set", "line"].code == "x = 2\nprint(x)\nprint(x + 1)"
    deep = table.runs["deep", "line"]
    assert deep.code.splitlines()[-1] == "        print(x + 1)"
    assert deep.printed == "7\n8\n8\n9"


def test_each_run_has_new_names_and_begins_with_recording_on() -> None:
    def names() -> dict[str, Any]:
        return {"mg": mg, "w": mg.tensor([1.0, 2.0], requires_grad=True)}

    rows = {"recorded": "", "not": "mg.set_grad_enabled(False)", "for good": "with mg.inference_mode():"}
    columns = {"write": "w.add_(1)\nprint(w.tolist())", "again": "y = w * w\nprint(y.requires_grad, w.tolist())"}
    with mg.no_grad():
        table = viz.run_table(rows, columns, names)
        assert not mg.is_grad_enabled()
    assert table.runs["recorded", "write"].answer == "RuntimeError"
    assert table.runs["recorded", "write"].error.startswith("RuntimeError: a leaf Variable that requires grad")
    assert table.runs["not", "write"].answer == table.runs["for good", "write"].answer == "[2.0, 3.0]"
    answers = [table.runs[row, "again"].answer for row in rows]
    assert answers == ["True [1.0, 2.0]", "False [1.0, 2.0]", "False [1.0, 2.0]"]


def test_the_text_is_a_table_of_the_answers() -> None:
    table = viz.run_table({"one": "x = 1", "two": "x = 2"}, {"half": "print(1 / (x - 1))", "none": "pass"})
    rows = [re.split(r"\s{2,}", line.strip()) for line in str(table).splitlines()]
    assert rows == [["half", "none"], ["one", "ZeroDivisionError", "(nothing)"], ["two", "1.0", "(nothing)"]]
    assert repr(table) == str(table)


def test_the_numbers_of_a_small_matrix_stand_in_its_cell_whole() -> None:
    matrix = "[[-0.08, -0.13, 0.21], [-0.08, -0.13, 0.21]]"
    table = viz.run_table({"softmax(1)": ""}, {"gradient": f"print({matrix})"})
    assert str(table).splitlines()[1] == f"softmax(1)  {matrix}"


def test_a_cell_opens_to_its_lines_and_all_that_they_printed() -> None:
    table = viz.run_table({"a": "", "b": "print('first')"}, {"ends": "print('last ' * 20)", "fails": "raise OSError"})
    cells = Opened(table._repr_html_()).cells
    assert len(cells) == 4
    assert ["open" in attributes for attributes, _ in cells] == [True, False, False, False]
    assert len({attributes["name"] for attributes, _ in cells}) == 1  # so that opening one closes the others
    answer, code, told = cells[2][1]
    assert answer == " ".join(["last"] * 10) + "…"
    assert code == "print('first')\nprint('last ' * 20)"
    assert " ".join(told.split()) == "first " + " ".join(["last"] * 20)
    assert cells[3][1] == ["OSError", "print('first')\nraise OSError", "first\nOSError:"]
    other = viz.run_table({"a": ""}, {"ends": "print(1)"})
    assert Opened(other._repr_html_()).cells[0][0]["name"] != cells[0][0]["name"]


def test_nothing_is_markup_and_no_address_is_shown() -> None:
    evil = "</pre><script>alert(1)</script>\u202e"
    table = viz.run_table({evil: f"print({evil!r})"}, {evil: f"raise ValueError({evil!r})", "where": "print(object())"})
    page = table._repr_html_()
    assert "script" not in Opened(page).elements
    assert "\u202e" not in page
    assert table.runs[evil, "where"].answer == "<object object>"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([], {"a": ""}), TypeError, "expects rows to be a dict"),
        (({"a": 1}, {"a": ""}), TypeError, "expects rows to be a dict of lines of code"),
        (({"a": ""}, {1: ""}), TypeError, "expects columns to be a dict"),
        (({}, {"a": ""}), ValueError, "there are no rows"),
        (({"a": ""}, {}), ValueError, "there are no columns"),
        (({"a": ""}, {"a": ""}, {"x": 1}), TypeError, "expects names to be a function that returns a dict, not dict"),
        (({"a": ""}, {"a": "1 +"}), SyntaxError, "invalid syntax"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        viz.run_table(*arguments)

"""The text of a box: the learner's code on one line, without comments and line joins, in both libraries."""

import linecache
import textwrap
from typing import Any

import pytest
from viz.cells import cell, seen

import minigrad as mg
from minigrad.viz.graph.observer import Span
from minigrad.viz.graph.one_line import on_one_line, with_names
from minigrad.viz.rich import tensor_html

LEAVES = "a = mg.tensor(2., requires_grad=True)\nb = mg.tensor(3., requires_grad=True)\n"
PROGRAMS: dict[str, dict[str, str]] = {
    "y = a \\\n    * b": {"y": "a * b"},
    "y = (a  # first\n     * b   # second\n     + 1)": {"t0": "a * b", "y": "t0 + 1"},
    """y = (
        0.5 * (a - b) ** 2      # data term
        + 0.1 * a.abs()         # L1
        + 0.01 * (a ** 2)       # L2
    )""": {
        "t0": "a - b",
        "t1": "t0 ** 2",
        "t2": "0.5 * t1",
        "t3": "a.abs()",
        "t4": "0.1 * t3",
        "t5": "t2 + t4",
        "t6": "a ** 2",
        "t7": "0.01 * t6",
        "y": "t5 + t7",
    },
    "y = mg.where(\n    a > 0,   # which\n    a,\n    b,\n)": {"y": "mg.where(a > 0, a, b)"},
    "y = mg.where(a > 0, a,\n    b\n)": {"y": "mg.where(a > 0, a, b)"},
    "y = mg.stack([a, b,])": {"y": "mg.stack([a, b,])"},  # as it was written, since no line joins there
    "y = a * (2 in (2,\n    ))": {"y": "a * (2 in (2,))"},
    "y = a * (not\n    (0))": {"y": "a * (not (0))"},
    'y = a * len(f"{{}}")': {"y": 'a * len(f"{{}}")'},
    "y = [mg.exp][0](a * b)": {"t0": "a * b", "y": "[mg.exp][0](t0)"},
    "y = (lambda: mg.exp)()(a * b)": {"t0": "a * b", "y": "(lambda: mg.exp)()(t0)"},
    "exp_ = mg.exp\ny = exp_(a * b)": {"t0": "a * b", "y": "exp_(t0)"},
    "y = mg.stack((a,\n    b,  # both\n    ))": {"y": "mg.stack((a, b))"},
    "y = mg.stack((a * 2,\n    ))": {"t0": "a * 2", "y": "mg.stack((t0,))"},  # this comma makes the tuple
    "y = mg.stack([a * 2,\n    b ** 2,\n    ])": {"t0": "a * 2", "t1": "b ** 2", "y": "mg.stack([t0, t1])"},
    "y = mg.stack([a, b])[\n    0,   # the first\n    ]": {"t0": "mg.stack([a, b])", "y": "t0[0,]"},
    "y = a.exp(  # grow\n)": {"y": "a.exp()"},
    "y = mg.exp(mg.sin(\n    a)  # the only one\n    ,)": {"t0": "mg.sin(a)", "y": "mg.exp(t0,)"},
    "y = ((a * b)  # all\n    .reshape(1)\n    [  # of it\n    0])": {
        "t0": "a * b",
        "t1": "t0.reshape(1)",
        "y": "t1[0]",
    },
    "y = a * [b][\n    0] * {1: 2\n    } [\n    1]": {"t0": "a * [b][0]", "y": "t0 * {1: 2} [1]"},
    "y = mg.stack([(q := a * b).exp(), q])": {"q": "a * b", "t0": "q.exp()", "y": "mg.stack([t0, q])"},
    "y = (a\n    .exp()   # grow\n    .log()\n    )": {"t0": "a.exp()", "y": "t0.log()"},
    "y = (\n    (a * b)  # inner\n    .exp(\n    ) * 2)": {"t0": "a * b", "t1": "t0.exp()", "y": "t1 * 2"},
    "y = (mg.stack([a, b]).reshape(1, 2)\n    .T  # turned\n    * 2)": {
        "t0": "mg.stack([a, b])",
        "t1": "t0.reshape(1, 2)",
        "t2": "t1.T",
        "y": "t2 * 2",
    },
    'y = a * len("#  two") + b': {"t0": 'a * len("#  two")', "y": "t0 + b"},
    "y = a * len(f\"{'#' * 2}\")  # 2": {"y": "a * len(f\"{'#' * 2}\")"},
    'y = a * len("""#\n  2""")  # 5': {"y": 'a * len("""#   2""")'},
    "y = (z := a * b) + 1": {"z": "a * b", "y": "z + 1"},
    "y = (z := (a\n    * b   # z\n    )) + 1": {"z": "a * b", "y": "z + 1"},
    "f = lambda x, y: (x   # first\n    * y   # second\n    + 1)\ny = f(a, b)": {"t0": "x * y", "y": "t0 + 1"},
    'y = a * {"x": 2,   # two\n    }["x"]': {"y": 'a * {"x": 2}["x"]'},
    "y = a * (not (\n    False))": {"y": "a * (not (False))"},
    "y = ( ( a + b ) * 2 )": {"t0": "a + b", "y": "t0 * 2"},
    "y = a * 1\ny += (b   # more\n    * 2)": {"y₁": "a * 1", "t0": "b * 2", "y₂": "y += t0"},
    "y = sum(p * p for p in (a, b))": {"t0": "p * p", "t1": "t0 + …", "t2": "p * p", "y": "sum(p * p for p in (a, b))"},
    "y = mg.stack([(p * q).exp() for p, q in ((a, b), (a, a))])": {
        "t0": "p * q",
        "t1": "t0.exp()",
        "t2": "p * q",
        "t3": "t2.exp()",
        "y": "stack([(p * q).exp() for…",
    },
    "é = a * 2; y = (é   # ü\n  * é * 3)": {"é": "a * 2", "t0": "é * é", "y": "t0 * 3"},
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_comments_and_line_joins_are_no_part_of_an_expression(program: str, torch: Any) -> None:
    watched = "with viz.watch():\n" + textwrap.indent(program, "    ")
    for library, text in ((mg, program), (torch, watched)):
        graph = cell(LEAVES + text + "\nd = viz.draw(y)\n", mg=library)["d"].graph
        found = {name: expression for name, expression in seen(graph).items() if expression != "leaf"}
        expected = PROGRAMS[program]
        if library is torch and '"""' in program:
            expected = {"y": 'a * len("""#       2""")'}  # since it is indented here
        assert found == expected, library.__name__


def test_a_method_on_a_line_of_its_own_lights_that_line() -> None:
    graph = cell(LEAVES + "y = (a\n     .exp()\n     .log())\nd = viz.draw(y)\n")["d"].graph
    assert graph.marks_of(graph.box_named("y").id) == ((0, 5, 5, 11),)


def test_a_name_of_several_lines_is_on_one_line() -> None:
    graph = cell(LEAVES + "y = (z := a * b).exp()\nd = viz.draw(y, names={'of\\n two': z})\n")["d"].graph
    assert seen(graph)["y"] == "of two.exp()"


def test_the_rich_display_of_a_tensor_has_its_code_on_one_line() -> None:
    y = cell(LEAVES + "y = (a   # first\n     .exp()  # second\n)\n")["y"]
    assert "</small> a.exp()</td>" in tensor_html(y)


def test_what_is_no_python_is_put_on_one_line_as_it_is() -> None:
    assert on_one_line('a +\n  "b') == ('a + "b', {})
    assert on_one_line("")[0] == ""


def test_what_is_no_python_keeps_its_parts() -> None:
    linecache.cache["<odd>"] = (0, None, ['a + "b\n'], "<odd>")
    assert with_names(Span("<odd>", 1, 1, 0, 6), {Span("<odd>", 1, 1, 0, 1): "t0"}) == 'a + "b'


def test_places_lead_from_the_text_to_its_line() -> None:
    text = "f( a,  # first\n   bc )"
    line, places = on_one_line(text)
    assert line == "f(a, bc)"
    for word in ("f", "a", "bc"):
        start = text.index(word)
        assert line[places[start] : places[start + len(word)]] == word

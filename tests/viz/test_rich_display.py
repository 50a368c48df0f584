"""A tensor in a notebook: the text is what repr prints, and the table beside it says the same and more."""

import html
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import minigrad as mg
from minigrad import viz
from minigrad.viz.rich import tensor_html


def rows(tensor: Any) -> dict[str, str]:
    """Row header -> text, of the table, which must be well-formed."""
    table = parsed(tensor)
    return {row.find("th").text: "".join(row.find("td").itertext()) for row in table.iter("tr")}  # type: ignore[union-attr, misc]


def parsed(tensor: Any) -> ElementTree.Element:
    markup = re.sub("<style>.*</style>", "", re.sub(r"(<img [^>]*)>", r"\1/>", tensor_html(tensor)))
    root = ElementTree.fromstring(markup)
    assert root.get("class") == "minigrad-tensor"
    return root


def test_a_leaf_before_and_after_backward() -> None:
    w = mg.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)
    assert rows(w) == {
        "value": "[[  1,   2],\n [  3, 4.5]]",
        "grad": "None",
        "grad_fn": "None a leaf: requires_grad=True",
    }
    (w * 2).sum().backward()
    assert rows(w)["grad"] == "[[2, 2],\n [2, 2]]"


def test_a_result_says_how_it_was_made_and_why_it_keeps_no_gradient() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    y = w * 3
    assert rows(y) == {
        "value": "6",
        "grad": "None a result keeps it only after retain_grad()",
        "grad_fn": "MulBackward0 made by w * 3",
    }
    y.retain_grad()
    y.backward()
    assert rows(y)["grad"] == "1"


def test_a_view_that_lost_its_history() -> None:
    base = mg.zeros(3)
    with mg.no_grad():
        view = base[:2]
    base.mul_(mg.ones(3, requires_grad=True))
    assert repr(view).endswith("grad_fn=<Invalid>)")
    assert rows(view) == {"value": "[0, 0]", "grad": "None", "grad_fn": "Invalid"}


def test_a_constant_and_a_parameter() -> None:
    assert rows(mg.ones(2)) == {"value": "[1, 1]", "grad": "None it needs no gradient", "grad_fn": "None a leaf"}
    caption = parsed(mg.nn.Parameter(mg.ones(2))).find("table/caption")
    assert caption is not None
    assert "".join(caption.itertext()) == "Parameter of shape [2], float32"


@pytest.mark.parametrize(
    ("tensor", "value"),
    [
        (mg.tensor(True), "True"),
        (mg.tensor([True, False]), "[ True, False]"),
        (mg.tensor(7), "7"),
        (mg.zeros(0), "[]"),
        (mg.zeros(0, 3), "[]"),
        (mg.zeros(2, 0), "[]"),
        (mg.zeros(2, 1, 2), "[[[0, 0]],\n\n [[0, 0]]]"),
        (mg.tensor([float("nan"), float("inf"), 1.0]), "[NaN, Inf,   1]⚠ 1 NaN and 1 Inf"),
    ],
)
def test_small_values_in_full(tensor: Any, value: str) -> None:
    assert rows(tensor)["value"] == value


def test_a_large_value_is_a_heat_map_with_words() -> None:
    x = mg.arange(64.0).reshape(8, 8)
    x[0, 0] = float("nan")
    assert rows(x)["value"].endswith("⚠ 1 NaN")
    (image,) = parsed(mg.arange(64.0)).iter("img")
    assert (image.get("src") or "").startswith("data:image/png;base64,")
    told = "heat map of the value: min 0 · mean 31.5 · max 63, blue below 0 and orange above"
    assert image.get("alt") == image.get("title") == told


def test_markup_in_a_tensors_code_is_text() -> None:
    scope: dict[str, Any] = {"mg": mg, "x": mg.ones(1, requires_grad=True)}
    import linecache

    source = "y = x.mul({'<script>alert(1)</script>': 2}['<script>alert(1)</script>'])\n"
    linecache.cache["<hostile>"] = (len(source), None, [source], "<hostile>")
    exec(compile(source, "<hostile>", "exec"), scope)
    markup = tensor_html(scope["y"])
    assert "<script" not in markup
    assert html.escape("<script>") in markup


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.display_formatter.active_types = made.display_formatter.format_types
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def test_the_text_stays_what_repr_prints(shell: InteractiveShell) -> None:
    viz.rich_display()
    for tensor in (mg.ones(2), mg.randn(30, 30), mg.nn.Parameter(mg.ones(3)), mg.ones(1, requires_grad=True) * 2):
        shown, _ = shell.display_formatter.format(tensor)
        assert shown["text/plain"] == repr(tensor)
        assert shown["text/html"] == tensor_html(tensor)
    viz.rich_display(False)
    assert set(shell.display_formatter.format(mg.ones(2))[0]) == {"text/plain"}
    viz.rich_display(False)  # again: nothing happens


def test_without_ipython_nothing_is_imported() -> None:
    code = (
        "import sys, minigrad as mg; assert 'IPython' not in sys.modules; assert 'minigrad.viz' not in sys.modules;"
        "from minigrad import viz; viz.rich_display(); print(mg.ones(2))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.stdout, result.returncode) == ("tensor([1., 1.])\n", 0), result.stderr

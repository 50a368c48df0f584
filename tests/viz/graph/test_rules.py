"""Rules as code, and the same code with numbers."""

import ast
from collections.abc import Callable
from typing import Any

import executing
import numpy as np
import pytest
from ops.op_forms import is_recorded

import minigrad as mg
from minigrad import op
from minigrad.viz.graph import rules
from minigrad.viz.graph.own_backward import formula_of_backward
from minigrad.viz.graph.simplifying import ShapeAlone

ONE = np.float64(1)


def test_rules_are_found_for_every_op() -> None:
    """Each rule of each node class that the engine has is written out from its source."""
    ops = [function for function in vars(op.tensors).values() if is_recorded(function)]
    found = {
        (node.__name__, name): rules.expression_of(rule)
        for node in map(op.node_type, ops)
        for name, rule in node.rules.items()
    }
    assert len(found) > 150
    assert [key for key, expression in found.items() if expression is None] == []


@pytest.mark.parametrize(
    ("rule", "bound", "source", "text", "numbers"),
    [
        (lambda F, g, other: g * other, {"g": ONE, "other": np.float64(4)}, "g * other", "g × other", "1 × 4"),
        (lambda F, g, other: g * -other, {"g": -ONE, "other": -ONE}, "g * -other", "-g × other", "-(-1) × (-1)"),
        (lambda F, g, x: g * F.cos(x), {"g": ONE, "x": ONE}, "g * cos(x)", "g × cos(x)", "1 × cos(1)"),
        (lambda F, g, n: g * n if n else g * 0, {"g": ONE, "n": 3}, "g * n", "g × 3", "1 × 3"),
        (lambda F, g, n: g * 2 / (3 if n else 1), {"g": ONE, "n": 0}, "g * 2", "g × 2", "1 × 2"),
        (lambda F, g: g / 10, {"g": ONE}, "g / 10", "g / 10", "1 / 10"),
        (lambda F, g, x: F.as_function_of(g, x), {"g": ONE, "x": ONE}, "g", "g", "1"),
        (lambda F, g, x: g * x, {"g": np.array([1, 2]), "x": np.array([3, -4])}, "g * x", "g × x", "[1, 2] × [3, -4]"),
        (
            lambda F, g, w: g @ w.T,
            {"g": ShapeAlone((64, 10)), "w": ShapeAlone((5, 10))},
            "g @ w.T",
            "g @ wᵀ",
            "(64×10) @ (10×5)",
        ),
    ],
)
def test_a_rule_as_code_and_as_a_formula(
    rule: Callable[..., Any], bound: dict[str, Any], source: str, text: str, numbers: str
) -> None:
    written = rules.explain(rule, "self", bound, {})
    formula = written.formula
    assert (written.code, formula.text, formula.shapes or formula.numbers) == (source, text, numbers)


def short(F: Any, g: Any, x: Any) -> Any:
    """A rule of one line."""
    return g * F.cos(x)


def long(F: Any, g: Any, x: Any) -> Any:
    """A rule of two."""
    half = x / 2
    return g * F.cos(half)


def test_a_rule_of_float16_is_that_of_all_numbers() -> None:
    single, half = (mg.ones(2, dtype=dtype, requires_grad=True).tanh() for dtype in (mg.float32, mg.float16))
    told = [rules.explain(t.grad_fn.rules["self"], "self", {"g": 1, "result": 2}, {}) for t in (single, half)]
    assert told[0] == told[1]
    assert told[0].code == "g * (1 - result * result)"


def test_a_rule_that_is_a_function() -> None:
    """Its only line, or its call where it has several: `half` alone would say nothing."""
    assert rules.explain(short, "self", {}, {}).code == "g * cos(x)"
    assert rules.explain(long, "self", {}, {}).code == "long(g, x)"
    assert rules.explain(long, "self", {}, {}).formula.text == "long(g, x)"


@pytest.mark.parametrize("rule", [None, len, print, lambda *a, **k: None, eval("lambda F, g: g"), object()])
def test_a_rule_without_source_is_described(rule: Any) -> None:
    assert rules.explain(rule, "weight", {}, {}).code


def test_rules_are_written_out_after_ipython_has_shown_an_error() -> None:
    """What IPython looks for in a cell marks the nodes of its tree, also those that all trees share."""
    shared = ast.parse("name", mode="eval").body.ctx  # type: ignore[attr-defined]
    executing.Source("<cell>", ["undefined_name"])
    assert shared.parent is not None
    try:
        written = rules.explain(lambda F, g, other: g * other, "self", {"g": ONE, "other": np.float64(4)}, {})
    finally:
        del shared.parent
    assert (written.code, written.formula.text, written.formula.numbers) == ("g * other", "g × other", "1 × 4")


@pytest.mark.parametrize(
    ("returned", "slot", "gave", "told"),
    [
        ("g * 2, g * 3", 1, 6.0, "g × 3"),
        ("g * 2, g * 3", 1, 7.0, None),  # it gave something else
        ("g * 2, g * 3", 2, 6.0, None),
        ("both(g)", 0, 6.0, None),
        ("both(g)", 1, 6.0, None),  # of a call, how many there are is not written there
    ],
)
def test_a_backward_is_told_as_a_formula_where_its_text_says_what_it_gave(
    returned: str, slot: int, gave: float, told: str | None
) -> None:
    text = f"def backward(ctx, g):\n    return {returned}\n"
    found = formula_of_backward(text, slot, {"g": np.float32(2)}, {}, np.float32(gave))
    assert (found and found.text) == told

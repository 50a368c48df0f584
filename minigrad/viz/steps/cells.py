"""The numbers of a step one by one: what arrived, what was sent, and which cell of the one each cell of the other came
from.

A rule is linear in the gradient `g` that arrives. So what it makes of a `g` that is 1 in one cell and 0 in all others
is what this cell has to do with each cell of the result, and all of these at once, run as one batch, are the rule's
whole Jacobian. Nothing is known here of any op. It is asked of a node before that runs, since its saved values are
freed afterwards, and only where nothing but our own rule runs, so that nobody can notice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.boxes import Edge
from minigrad.viz.graph.source import Node, Source
from minigrad.viz.graph.values import CELLS, Value, cells_text
from minigrad.viz.steps.frames import Contribution

BOXES = 300  # of a graph up to which Jacobians are computed: each step of a larger one costs what it did
MOST_NUMBERS = 50_000  # of all Jacobians of a node, up to which they are computed
SHADES = 9  # of the light: the digits of a pattern
# Nodes of both libraries whose inputs are lined up from their last dimension on, and repeated where they are smaller.
REPEATING = ("Add", "Sub", "Rsub", "Mul", "Div", "Remainder", "Pow", "Where", "Maximum", "Minimum", "Lerp", "Expand")


def patterns_of(source: Source, node: Node, gradient: Any, inputs: Sequence[Value]) -> tuple[str, ...]:
    """For each input of a node that is about to run, from which cells of the gradient that arrives those of its own
    gradient come, as `pattern` says it; () where that is not to be had at this price, and between single numbers.
    """
    gradient = np.asarray(gradient)
    if gradient.dtype.kind != "f" or not 0 < gradient.size <= CELLS:
        return ()
    if gradient.size == 1 and all(value.known and math.prod(value.shape) == 1 for value in inputs):
        return ()
    try:
        return _patterns(source, node, gradient)
    except Exception:  # what is wrong with the node is for its own run to say
        return ()


@silent
def _patterns(source: Source, node: Node, gradient: Any) -> tuple[str, ...]:
    ones = np.eye(gradient.size, dtype=gradient.dtype).reshape(gradient.size, *gradient.shape)
    rows: list[Any] = []  # for each input, a row for each cell of what arrives
    for count in sorted({1, len(ones)}):  # one alone shows how much all would be
        found = source.run_batch(node, ones[:count]) or ()
        rows = [None if one is None else one.reshape(count, one.size // count) for one in found]
        if len(ones) * sum(one.shape[1] for one in rows if one is not None) > MOST_NUMBERS:
            return ()
    return tuple("" if one is None or not 0 < one.shape[1] <= CELLS else pattern(one) for one in rows)


def pattern(jacobian: Any) -> str:
    """A Jacobian (cells of what arrived × cells of what is sent) in digits: how much each weighs against the largest.

    A word for each cell of what is sent, in it a digit for each cell of what arrived; of question marks where the rule
    multiplies with NaN or infinity. "all" says that each comes from all alike, "same 123" that each comes from the
    cell in the same place, with these weights, and "same" alone that all weigh the same.
    """
    weights = np.abs(jacobian.T.astype(np.float64))
    known = np.isfinite(weights).all(axis=1)
    most = weights[known].max(initial=0.0)
    weights[~known] = 0
    digits = np.ceil(weights / (most or 1) * SHADES).astype(int)
    if known.all() and (digits == SHADES).all():
        return "all" if digits.size > 1 else "same"
    if known.all() and digits.shape[0] == digits.shape[1] and not digits[~np.eye(len(digits), dtype=bool)].any():
        own = np.diag(digits)
        return "same" if (own == SHADES).all() else "same " + "".join(map(str, own))
    marks = np.full((digits.shape[0], digits.shape[1] + 1), ord(" "), np.uint8)
    marks[:, :-1] = np.where(known[:, None], digits + ord("0"), ord("?"))
    return str(marks.tobytes().decode().strip())


def cells_of_op(
    op: str, inputs: Sequence[Edge], received: Any, sent: Sequence[Contribution], patterns: Sequence[str]
) -> dict[str, Any] | None:
    """What the page gets to know of the cells of a step; None where all are single numbers. `inputs` are the edges into
    the box, `patterns` those of the node's inputs.
    """
    known = dict(enumerate(patterns))
    came_from = {edge.id: known.get(edge.slot, "") for edge in inputs}
    operands = [[edge.id, edge.source, edge.output, _is_repeated(op, edge.slot)] for edge in inputs]
    given = [{"key": one.edge, **_json(one.array, one.value.cells), "from": came_from[one.edge]} for one in sent]
    return _cells(received, [item.array for item in sent], given, operands)


def cells_of_leaf(key: str, received: Any, after: Any) -> dict[str, Any] | None:
    """What the page gets to know of the cells of a leaf's step: what arrived, and its `.grad`, where that is another
    number.
    """
    given = [] if after is None else [{"key": key, **_json(after), "from": "same"}]
    return _cells(received, [], given, [])


def _cells(received: Any, arrays: list[Any], sent: list[dict[str, Any]], operands: list[Any]) -> dict[str, Any] | None:
    if received is None or max(array.size for array in (received, *arrays)) < 2:
        return None
    return {"g": _json(received), "operands": operands, "sent": sent}


def _json(array: Any, listed: str = "") -> dict[str, Any]:
    """An array, whose numbers are there where there is a cell for each; `listed`, if that is known already."""
    return {"shape": list(array.shape), **({"cells": listed or cells_text(array)} if array.size <= CELLS else {})}


def _is_repeated(op: str, slot: int) -> bool:
    """Whether an input of an op is repeated where it is smaller than the result."""
    name = op.partition("Backward")[0]
    return name in REPEATING or (name == "Addmm" and slot == 0)

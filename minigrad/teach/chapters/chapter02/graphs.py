"""The graphs that all exercises of chapter 02 are tried on, and how they are walked and drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.exercise import Case, Outcome
from minigrad.teach.wrong_node import draw_nodes, nodes_of
from minigrad.tensor import Tensor

CHAPTER = "02_the_graph"
SECONDS = 4.0  # how long a walk may take: one that goes along every way would take longer than anybody's life
LARGEST = 12  # boxes of a picture


def _chapters_graph() -> tuple[Tensor]:
    a, b = tensor(3.0, requires_grad=True), tensor(2.0, requires_grad=True)
    return (((a * b) + a) * 4,)


def _one_leaf_three_uses() -> tuple[Tensor]:
    w, state = tensor(0.5, requires_grad=True), tensor(1.0)
    for _ in range(3):
        state = (state * w).tanh()
    return (state,)


def _square() -> tuple[Tensor]:
    x = tensor(3.0, requires_grad=True)
    return (x * x,)


def _short_and_long() -> tuple[Tensor]:
    a, b = tensor(1.0, requires_grad=True), tensor(2.0, requires_grad=True)
    return (a.sin().cos().exp() + b,)


def _near_and_far() -> tuple[Tensor]:
    a = tensor(1.0, requires_grad=True)
    return (a * a.sin().cos(),)


def _ladder() -> tuple[Tensor]:
    y = tensor(0.5, requires_grad=True)
    for _ in range(40):
        y = y.sin() + y.cos()
    return (y,)


def _chain() -> tuple[Tensor]:
    y = tensor(0.5, requires_grad=True)
    for _ in range(3_000):
        y = y.sin()
    return (y,)


CASES = (
    Case("d = (a * b + a) * 4", _chapters_graph),
    Case("y = x * x", _square),
    Case("three rounds of state = (state * w).tanh()", _one_leaf_three_uses),
    Case("a.sin().cos().exp() + b", _short_and_long),
    Case("a * a.sin().cos()", _near_and_far),
    Case("40 rounds of y = y.sin() + y.cos()", _ladder),
    Case("3000 rounds of y = y.sin()", _chain),
)


def is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set)


def recursion(outcome: Outcome) -> bool:
    return isinstance(outcome.error, RecursionError)


def raised_in_a_pair(outcome: Outcome) -> bool:
    """A pair of next_functions was taken for its node."""
    return isinstance(outcome.error, AttributeError) and "'tuple' object" in str(outcome.error)


def draw(outcome: Outcome, badges: Mapping[Any, str], wrong: Callable[[Any], bool]) -> str:
    """The case's graph; "" where it is too large for a card."""
    (root,) = outcome.arguments
    if len(nodes_of(root)) > LARGEST:
        return ""
    leaves = [node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"]
    return draw_nodes(root, {"root": root, **dict(zip("ab", leaves, strict=False))}, badges, wrong)

"""The graph that chapter 03 walks again and again: c = a * b; d = c + a; e = c * d."""

from __future__ import annotations

from minigrad.creation.data import tensor
from minigrad.teach.card import plain
from minigrad.teach.comparing import Difference
from minigrad.teach.exercise import Case
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor

CHAPTER = "03_backward_step_by_step"


def running_case(a: float, b: float) -> Case:
    def make() -> tuple[Tensor]:
        e, _ = running_example(a, b)
        return (e,)

    return Case(f"c = a * b; d = c + a; e = c * d, with a = {a} and b = {b}", make)


def draw_wrong(a: float, b: float, wrong: str, difference: Difference) -> str:
    """The chapter's graph with one box in red; "" if it has no box of that name."""
    root, named = running_example(a, b)
    if wrong not in named:
        return ""
    return draw_wrong_node(root, named, wrong, f"✗ yours: {plain(difference.yours)}")


def running_example(a: float, b: float) -> tuple[Tensor, dict[str, Tensor]]:
    """The chapter's graph, and its tensors by name."""
    leaf_a, leaf_b = tensor(a, requires_grad=True), tensor(b, requires_grad=True)
    c = leaf_a * leaf_b
    d = c + leaf_a
    e = c * d
    return e, {"a": leaf_a, "b": leaf_b, "c": c, "d": d, "e": e}

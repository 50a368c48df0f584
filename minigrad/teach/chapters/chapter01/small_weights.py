"""Exercise `small_weights`: a leaf that holds computed numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter01.common import CHAPTER
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.tensor import Tensor


def small_weights(numbers: list[float], scale: float) -> Tensor:
    """A leaf with the numbers times scale."""
    return (tensor(numbers) * scale).requires_grad_()


def _flags(value: Any) -> str:
    if not isinstance(value, Tensor):
        return ""
    return f", is_leaf={value.is_leaf}, requires_grad={value.requires_grad}"


def _compare_leaves(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected, got)
    if difference is not None:
        return difference
    if not got.is_leaf:
        return Difference("is_leaf", "False", "True", "The numbers are right, but an operation made this tensor.")
    if not got.requires_grad:
        return Difference("requires_grad", "False", "True", "The numbers are right, but nobody asks for a gradient.")
    return None


def _has_flags(is_leaf: bool, requires_grad: bool) -> Callable[[Outcome], bool]:
    def holds(outcome: Outcome) -> bool:
        value = outcome.value
        return isinstance(value, Tensor) and (value.is_leaf, value.requires_grad) == (is_leaf, requires_grad)

    return holds


def _after_backward(outcome: Outcome) -> str:
    value = outcome.value
    if not isinstance(value, Tensor) or not value.requires_grad:
        return ""
    value.sum().backward()
    grad = value._grad
    return f"  after value.sum().backward(), value.grad is {'None' if grad is None else show(grad)}"


SMALL_WEIGHTS = Exercise(
    name="small_weights",
    chapter=CHAPTER,
    title="a leaf that requires a gradient and holds the numbers times scale",
    stars=1,
    minutes=5,
    reference=small_weights,
    cases=(
        Case("numbers = [3.0, -2.0, 5.0], scale = 0.1", lambda: ([3.0, -2.0, 5.0], 0.1)),
        Case("numbers = [1.0], scale = -2.0", lambda: ([1.0], -2.0)),
        Case("numbers = [0.5, 0.25], scale = 1.0", lambda: ([0.5, 0.25], 1.0)),
    ),
    hints=(
        "A leaf is a tensor that no recorded operation made. When is a multiplication not recorded?",
        "Multiply first, while nothing requires a gradient. Then switch the flag on.",
        "requires_grad_() switches the flag on and returns the tensor; so (...).requires_grad_() can be returned.",
    ),
    compare=_compare_leaves,
    show=lambda value, arguments: show(value) + _flags(value),
    evidence=_after_backward,
    mistakes=(
        Mistake(
            "The flag came first and the multiplication after it, so the multiplication was recorded and its result is "
            "no leaf. Multiply first.",
            when=_has_flags(is_leaf=False, requires_grad=True),
        ),
        Mistake(
            "The flag was not set, or got lost: detach() and no_grad() give a leaf without it. Call requires_grad_() "
            "at the end.",
            when=lambda outcome: (
                isinstance(outcome.value, Tensor) and outcome.value.is_leaf and not outcome.value.requires_grad
            ),
        ),
        Mistake(
            "requires_grad_ was called without its parentheses, or assigned: what was returned is the method, not the "
            "tensor.",
            when=lambda outcome: callable(outcome.value) and not isinstance(outcome.value, Tensor),
        ),
        Mistake(
            "The scale was left out: these are the numbers as they were.",
            lambda numbers, scale: tensor(numbers, requires_grad=True),
        ),
        Mistake(
            "A list of numbers times a float is no arithmetic in Python: make a tensor of the list first.",
            when=raised("can't multiply sequence"),
        ),
        Mistake(
            "A leaf that requires a gradient may not be written to while operations are recorded. Multiply before the "
            "flag is set.",
            when=raised("a leaf Variable that requires grad"),
        ),
    ),
)

"""Exercise `kind_of`: what two flags say about a tensor."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter01.common import CHAPTER
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def kind_of(tensor: Tensor) -> str:
    """What a tensor is to autograd, in one word."""
    if not tensor.requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf else "result"


def _leaf() -> Tensor:
    return tensor([1.0, 2.0], requires_grad=True)


def _without_recording() -> tuple[Tensor]:
    with no_grad():
        return (_leaf() * 2,)


def _with_gradient() -> tuple[Tensor]:
    leaf = _leaf()
    (leaf * 2).sum().backward()
    return (leaf,)


def _compare_words(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if isinstance(got, str) and got == expected:
        return None
    words = ("parameter", "data", "result")
    is_word = isinstance(got, str) and got in words
    note = "" if is_word else f"The answer is one of the words {', '.join(map(repr, words))}."
    return Difference("the answer", show(got), show(expected), note)


def _flags_of_input(outcome: Outcome) -> str:
    given = outcome.arguments[0]
    return (
        f"  requires_grad is {given.requires_grad}, is_leaf is {given.is_leaf}, grad_fn is "
        f"{'None' if given.grad_fn is None else given.grad_fn.name()}, grad is "
        f"{'None' if given._grad is None else 'a tensor'}"
    )


KIND_OF = Exercise(
    name="kind_of",
    chapter=CHAPTER,
    title='"parameter", "data" or "result"',
    stars=1,
    minutes=4,
    reference=kind_of,
    cases=(
        Case("tensor([1.0, 2.0], requires_grad=True)", lambda: (_leaf(),)),
        Case("tensor([1.0, 2.0])", lambda: (tensor([1.0, 2.0]),)),
        Case("leaf * 2, where leaf requires a gradient", lambda: (_leaf() * 2,)),
        Case("tensor([1.0, 2.0]) * 2: computed, but from data", lambda: (tensor([1.0, 2.0]) * 2,)),
        Case("(leaf * 2).detach()", lambda: ((_leaf() * 2).detach(),)),
        Case("leaf * 2, computed inside no_grad()", _without_recording),
        Case("a leaf after backward(), with a gradient", _with_gradient),
    ),
    hints=(
        "Two flags are enough, and the table has them side by side.",
        "Ask requires_grad first: without it, it is data, wherever it came from.",
        "With requires_grad, is_leaf tells a parameter from a result.",
    ),
    compare=_compare_words,
    evidence=_flags_of_input,
    mistakes=(
        Mistake(
            "is_leaf was asked first, or alone, or grad_fn, which says the same. Data are leaves too, without "
            "a grad_fn: ask requires_grad first.",
            lambda tensor: "parameter" if tensor.is_leaf else "result",
        ),
        Mistake(
            "requires_grad alone does not tell a parameter from a result: results have it from their inputs.",
            lambda tensor: "parameter" if tensor.requires_grad else "data",
        ),
        Mistake(
            "Whether .grad is None says only if a backward() has come by. Ask the flags instead.",
            lambda tensor: "data" if tensor._grad is None else "parameter",
        ),
        Mistake(
            "requires_grad alone does not tell a parameter from a result: here every tensor with the flag counts as a "
            "result.",
            lambda tensor: "result" if tensor.requires_grad else "data",
        ),
        Mistake(
            "Two of the words have changed places: parameter and result.",
            lambda tensor: {"parameter": "result", "result": "parameter", "data": "data"}[kind_of(tensor)],
        ),
    ),
)

"""Chapter 05, exercise: find out by experiment whether an operation needs its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter05.shared import CHAPTER
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor


def may_write_result(f: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """Whether backward() still works after a write to f(x)."""
    y = f(x)
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def _operation(words: str, function: Callable[[Tensor], Tensor]) -> Case:
    return Case(words, lambda: (function, tensor([0.5, 1.0, 2.0], requires_grad=True)))


def _compare_answers(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if isinstance(got, bool | np.bool_):
        return None if got == expected else Difference("the answer", str(got), str(expected))
    return Difference("the answer", show(got), str(expected), "The answer is True or False.")


def _kept(outcome: Outcome) -> str:
    function, _ = outcome.case.make()
    result = function(tensor([0.5, 1.0, 2.0], requires_grad=True))
    names = [name for name in ("self", "other", "result") if _has(result.grad_fn, name)]
    kept = " and ".join({"self": "its input", "other": "its second input", "result": "its result"}[n] for n in names)
    return f"  {result.grad_fn.name()} has saved {kept or 'no tensor'}"


def _has(node: Any, name: str) -> bool:
    return isinstance(getattr(node, f"_saved_{name}", None), Tensor)


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph of f(x), walked without any write, and in red the node that saved y, or did not."""
    f, x = outcome.case.make()
    y = f(x)
    words = "✗ it is needed" if difference.expected == "False" else "✗ nobody needs it"
    return draw_wrong_node(y, {"x": x, "y": y}, y, words, tensor([1.0, 1.0, 1.0]))


def _write_to_input(f: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    y = f(x)
    x.detach().add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


MAY_WRITE_RESULT = Exercise(
    name="may_write_result",
    chapter=CHAPTER,
    title="True if the result of f may be written to before backward()",
    stars=2,
    minutes=8,
    reference=may_write_result,
    cases=(
        _operation("f(x) = x.sin(), x = [0.5, 1, 2]", lambda x: x.sin()),
        _operation("f(x) = x.exp()", lambda x: x.exp()),
        _operation("f(x) = x * 3", lambda x: x * 3),
        _operation("f(x) = x.tanh()", lambda x: x.tanh()),
        _operation("f(x) = x ** 2", lambda x: x**2),
        _operation("f(x) = x.exp() + 1", lambda x: x.exp() + 1),
        _operation("f(x) = x.sigmoid()", lambda x: x.sigmoid()),
    ),
    hints=(
        "Do what the question says: compute, write, walk, and see whether there was an error.",
        "y = f(x), then a write such as y.add_(1), then y.sum().backward() inside try.",
        "except RuntimeError: return False; and return True after it.",
    ),
    compare=_compare_answers,
    evidence=_kept,
    picture=_draw,
    mistakes=(
        Mistake(
            "The error is there, and you have to catch it: try: ... except RuntimeError: return False.",
            when=raised("modified by an inplace operation"),
        ),
        Mistake(
            "True for every operation. Either the result was not written to (y + 1 and clone() make a new tensor), or "
            "the write was not counted (.data), or nobody walked the graph after it.",
            lambda f, x: True,
        ),
        Mistake(
            "False for every operation. If there was an error each time, it may be another: backward() from several "
            "elements needs y.sum(), and y must still have its graph. If you looked at y._version: it goes up with "
            "every write, whether anybody needs y or not.",
            lambda f, x: False,
        ),
        Mistake(
            "This writes to the input of f. Asked for is the result: sin needs its input, exp its result.",
            _write_to_input,
        ),
        Mistake(
            "This asks whether the node saved its input. An operation can save neither: x * 3 and x + 1 need nothing.",
            lambda f, x: hasattr(f(x).grad_fn, "_saved_self"),
        ),
        Mistake(
            "True and False have changed places: an error means that the result may not be written to.",
            lambda f, x: not may_write_result(f, x),
        ),
    ),
)

"""Exercise `jacobian`: all slopes of a result with several elements, a backward for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor, zeros_like
from minigrad.ops.pointwise.trigonometry import sin
from minigrad.ops.shapes.joining import stack
from minigrad.teach.chapters.chapter03.running_example import CHAPTER
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def jacobian(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The matrix whose row i is the gradient of f(x)[i]."""
    y = f(x)
    rows: list[Any] = []
    for i in range(len(y)):
        weights = zeros_like(y)
        weights[i] = 1.0
        y.backward(gradient=weights, retain_graph=True)
        rows.append(x.grad)
        x.grad = None
    return stack(rows)


def _jacobian_wrongly(
    take: str = "fresh", weights_of: str = "one", retain: bool = True, transposed: bool = False
) -> Callable[..., Any]:
    def wrong(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
        y = f(x)
        rows: list[Any] = []
        for i in range(len(y)):
            weights = zeros_like(y)
            weights[i if weights_of == "one" else slice(None)] = 1.0
            y.backward(gradient=weights, retain_graph=retain)
            grad: Any = x.grad
            rows.append(grad if take == "shared" else grad.clone())
            if take == "shared":
                grad.zero_()
            elif take == "fresh":
                x.grad = None
        matrix = stack(rows)
        return matrix.T if transposed else matrix

    return wrong


def _has_shape(shape: Callable[..., tuple[int, ...]]) -> Callable[[Outcome], bool]:
    """Whether the answer is a tensor of a shape that is not the right one."""

    def has(outcome: Outcome) -> bool:
        f, x = outcome.arguments
        wrong = shape(f, x.detach())
        is_tensor = isinstance(outcome.value, Tensor)
        return is_tensor and wrong != (len(f(x.detach())), len(x)) and tuple(outcome.value.shape) == wrong

    return has


def _sums(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    f(x).sum().backward()
    return x.grad


def _vector_case(words: str, f: Callable[[Any], Any], numbers: list[float]) -> Case:
    return Case(f"f(x) = {words} at x = {numbers}", lambda: (f, tensor(numbers, requires_grad=True)))


def _measured_jacobian(outcome: Outcome) -> str:
    f, x = outcome.arguments
    numbers = x.detach().numpy().astype(np.float64)
    lines = []
    for column in range(len(numbers)):
        step = np.zeros_like(numbers)
        step[column] = STEP
        with no_grad():
            above, below = (f(tensor(numbers + sign * step)).numpy() for sign in (1, -1))
        slopes = ", ".join(f"{slope:.4g}" for slope in (above - below) / (2 * STEP))
        lines.append(f"  x[{column}] moved by {STEP}: column {column} is {slopes}")
    return "\n".join(lines)


JACOBIAN = Exercise(
    name="jacobian",
    chapter=CHAPTER,
    title="a tensor with one row for each element of f(x), which holds its gradient",
    stars=2,
    minutes=10,
    reference=jacobian,
    cases=(
        _vector_case(
            "stack([x[0] * x[1], x[0] ** 2, x[0] + x[1]])",
            lambda x: stack([x[0] * x[1], x[0] ** 2, x[0] + x[1]]),
            [3.0, 2.0],
        ),
        _vector_case("sin(x) * x.sum()", lambda x: sin(x) * x.sum(), [0.5, -1.0, 2.0]),
        _vector_case(
            "stack([(x * x).sum(), x[0] - x[2]])", lambda x: stack([(x * x).sum(), x[0] - x[2]]), [1.0, 2.0, -1.0]
        ),
    ),
    hints=(
        (
            "backward(gradient=weights) gives the gradient of (weights * y).sum(). Which weights leave y[i] "
            "alone in that sum?"
        ),
        (
            "Row i is x.grad after y.backward(gradient=weights), with 1 at place i and 0 elsewhere. The same "
            "graph is walked once for each row."
        ),
        (
            "Two things must not get lost: retain_graph=True, so that the graph can be walked again, and "
            "x.grad = None after each row, so that "
            "the next row does not start on top of it. In the end, mg.stack(rows)."
        ),
    ),
    evidence=_measured_jacobian,
    mistakes=(
        Mistake(
            "The graph is walked once for each row, and the first walk freed what it had saved. Say retain_graph=True.",
            when=lambda outcome: isinstance(outcome.error, RuntimeError) and "second time" in str(outcome.error),
        ),
        Mistake(
            (
                "f(x) has several elements, so backward() wants to know how much each one counts: pass "
                "gradient=, with 1 for row i and 0 for the others."
            ),
            when=lambda outcome: isinstance(outcome.error, RuntimeError) and "implicitly created" in str(outcome.error),
        ),
        Mistake(
            (
                "Each row has all the rows before it in it: x.grad was not cleared between two calls of "
                "backward(), and backward() adds."
            ),
            _jacobian_wrongly(take="sum"),
        ),
        Mistake(
            (
                "All rows are the same tensor: x.grad.zero_() empties the row that you have just kept. Set "
                "x.grad = None instead, or keep a clone()."
            ),
            _jacobian_wrongly(take="shared"),
        ),
        Mistake(
            (
                "Every row is the gradient of the sum of all elements: the weights were 1 everywhere. For row "
                "i only place i is 1."
            ),
            _jacobian_wrongly(weights_of="all"),
        ),
        Mistake(
            "There are as many rows as x has elements. A row belongs to an element of f(x): range(len(f(x))).",
            when=_has_shape(lambda f, x: (min(len(x), len(f(x))), len(x))),
        ),
        Mistake(
            "The rows lie one behind the other: cat joins them along the dimension that they have. "
            "mg.stack(rows) makes a new one.",
            when=_has_shape(lambda f, x: (len(f(x)) * len(x),)),
        ),
        Mistake(
            "Only one row is left. Was the list made anew in each round? Make it before the loop, and append.",
            when=_has_shape(lambda f, x: (1, len(x))),
        ),
        Mistake("This is one gradient, that of f(x).sum(). A row for each element of f(x) is asked for.", _sums),
        Mistake(
            "Rows and columns have changed places: row i belongs to f(x)[i], column j to x[j].",
            _jacobian_wrongly(transposed=True),
        ),
    ),
)

"""The exercises that ask for gradients with autograd.grad: `pulls` and `slope_and_curvature`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter04.running_example import (
    CHAPTER,
    is_grad_written,
    leaves,
    names_in,
    trunk,
    two_heads,
)
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, nodes_of, yours
from minigrad.tensor import Tensor

TRACE = ", and .grad was written"


# ---------------------------------------------------------------- pulls


def pulls(losses: list[Tensor], h: Tensor) -> list[float]:
    """The length of the gradient of each loss with respect to h."""
    lengths = []
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=True, materialize_grads=True)
        lengths.append(gradient.norm().item())
    return lengths


def _chapters_heads() -> tuple[list[Tensor], Tensor]:
    h = trunk()
    return list(two_heads(h)), h


def _shared_on_the_way() -> tuple[list[Tensor], Tensor]:
    h = trunk([0.1, 0.5])
    shared = h.exp()
    return [shared.sum(), (shared**2).sum()], h


def _one_without_h() -> tuple[list[Tensor], Tensor]:
    h = trunk()
    other = tensor([0.5, 2.0], requires_grad=True)
    return [(other**2).sum(), two_heads(h)[1]], h


def _has_left_traces(arguments: tuple[Any, ...]) -> bool:
    losses, h = arguments
    return is_grad_written(h, *leaves(*losses, h))


def _compare_pulls(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected, got)
    if difference is None and _has_left_traces(outcome.arguments):
        return Difference("some .grad", "a tensor", "None, as before", "The numbers are right, but .grad was written.")
    return difference


def _engine_says(outcome: Outcome) -> str:
    losses, h = outcome.case.make()
    lines = []
    for number, loss in enumerate(losses, 1):
        (gradient,) = grad(loss, h, retain_graph=True, allow_unused=True)
        lines.append(f"  autograd.grad of loss {number} gives {'None' if gradient is None else show(gradient)}")
    return "\n".join(lines)


def _draw_pulled(outcome: Outcome, difference: Difference) -> str:
    """The graph of the loss whose pull is wrong, with all gradients, and h in red."""
    losses, h = outcome.case.make()
    number = 1 if difference.where.startswith("item 2") else 0
    loss = losses[number]
    words = f"✗ its length is {difference.expected}" if difference.where.startswith("item") else "✗ ask for this one"
    names = names_in(h, **{f"loss {number + 1}": loss})
    if not any(node is h.grad_fn for node in nodes_of(loss)):
        return draw_wrong_node(loss, names, loss, "✗ h is not behind it")
    return draw_wrong_node(loss, names, h, words)


def _largest(losses: list[Tensor], h: Tensor) -> Any:
    return [gradient.abs().max().item() for gradient in _gradients(losses, h)]


def _absolute(losses: list[Tensor], h: Tensor) -> Any:
    return [gradient.abs().sum().item() for gradient in _gradients(losses, h)]


def _gradients(losses: list[Tensor], h: Tensor) -> list[Tensor]:
    return [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]


def _pull_of_all(losses: list[Tensor], h: Tensor) -> Any:
    return [grad(losses, h)[0].norm().item()]


def _sums(losses: list[Tensor], h: Tensor) -> Any:
    return [gradient.sum().item() for gradient in _gradients(losses, h)]


def _squares(losses: list[Tensor], h: Tensor) -> Any:
    return [length**2 for length in pulls(losses, h)]


PULLS = Exercise(
    name="pulls",
    chapter=CHAPTER,
    title="a list of floats, the length of each loss's gradient with respect to h; every .grad stays as it was",
    stars=1,
    minutes=6,
    reference=pulls,
    cases=(
        Case("the calm and the loud loss of the chapter", _chapters_heads),
        Case("shared = h.exp(); the losses are shared.sum() and (shared ** 2).sum()", _shared_on_the_way),
        Case("a loss that was not computed from h, and the loud one", _one_without_h),
    ),
    hints=(
        "Ask for each loss on its own: autograd.grad(loss, h). What it returns is a tuple.",
        "Losses can share nodes on the way from h, so the graph has to last: retain_graph=True. And a loss "
        "that does not "
        "depend on h pulls with length 0: materialize_grads=True gives zeros instead of an error.",
        "For each loss: (gradient,) = mg.autograd.grad(loss, h, retain_graph=True, materialize_grads=True), "
        "then append gradient.norm().item() to a list.",
    ),
    compare=_compare_pulls,
    show=lambda value, arguments: show(value) + (TRACE if _has_left_traces(arguments) else ""),
    evidence=_engine_says,
    picture=_draw_pulled,
    mistakes=(
        Mistake(
            "backward() adds to .grad: the second length contains the first, and the leaves' gradients are not what "
            "they were. autograd.grad writes nothing.",
            when=lambda outcome: _has_left_traces(outcome.arguments),
        ),
        Mistake(
            "autograd.grad returns a tuple, even for one input. Take its item [0].",
            when=raised("'tuple' object"),
        ),
        Mistake(
            "The first call freed what the second one needs: the losses share a node on the way from h. Pass "
            "retain_graph=True.",
            when=raised("second time"),
        ),
        Mistake(
            "One of the losses was not computed from h, and that is an error unless you allow it: "
            "materialize_grads=True gives zeros.",
            when=raised("not have been used in the graph"),
        ),
        Mistake(
            "allow_unused=True gives None for a loss that was not computed from h, and None has no length. Count it "
            "as 0, or let materialize_grads=True make zeros.",
            when=raised("'NoneType'"),
        ),
        Mistake(
            "Several outputs in one call are added up: this is the length of the gradient of all losses together.",
            _pull_of_all,
        ),
        Mistake("This is the sum of the elements; parts of it cancel. The length is gradient.norm().", _sums),
        Mistake("This is the length squared: take the square root, or use norm().", _squares),
        Mistake(
            "This is the largest element. The length is gradient.norm(), and all elements have a part in it.", _largest
        ),
        Mistake(
            "This is the sum of the absolute values, a length too, but of another kind. Asked for is gradient.norm(), "
            "the root of the sum of squares.",
            _absolute,
        ),
        Mistake(
            "These are the losses themselves. How hard each pulls at h is the length of its gradient.",
            lambda losses, h: [loss.item() for loss in losses],
        ),
        Mistake(
            "These are the gradients. Asked for is how long each is, as a number: norm().item().",
            when=lambda outcome: (
                isinstance(outcome.value, list)
                and any(isinstance(item, Tensor) and item.shape == (2,) for item in outcome.value)
            ),
        ),
        Mistake(
            "A loss was left out: one that was not computed from h has a place in the list too, with 0.",
            when=lambda outcome: isinstance(outcome.value, list) and 0 < len(outcome.value) < len(outcome.arguments[0]),
        ),
        Mistake(
            "The two arguments have changed places: autograd.grad(outputs, inputs) asks how the first changes with "
            "the second.",
            when=raised("implicitly created", "shape [2]"),
        ),
    ),
)


# ---------------------------------------------------------------- slope_and_curvature


def slope_and_curvature(f: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    """The first and the second derivative of f at x."""
    (slope,) = grad(f(x), x, create_graph=True)
    (curvature,) = grad(slope, x)
    return slope, curvature


def _at(words: str, f: Callable[[Tensor], Tensor], x: float) -> Case:
    return Case(f"f(x) = {words}, x = {x}", lambda: (f, tensor(x, requires_grad=True)))


def _compare_slopes(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected, got)
    if difference is None and is_grad_written(outcome.arguments[1]):
        return Difference("x.grad", "a tensor", "None, as before", "The numbers are right, but x.grad was written.")
    return difference


def _measured_twice(outcome: Outcome) -> str:
    f, x = outcome.case.make()
    step = 20 * STEP  # a second difference loses more digits
    below, here, above = (f(tensor(x.item() + move, dtype=_double())).item() for move in (-step, 0.0, step))
    slope, curvature = (above - below) / (2 * step), (above - 2 * here + below) / step**2
    return f"  f at x - {step}, x and x + {step}: slope {slope:.4g}, and the slope changes by {curvature:.4g} per unit"


def _double() -> Any:
    from minigrad.dtypes import float64

    return float64


def _draw_slopes(outcome: Outcome, difference: Difference) -> str:
    """The graph of f(x), or that of the slope, if the second derivative is wrong."""
    f, x = outcome.case.make()
    y = f(x)
    if not difference.where.startswith("item 2"):
        words = yours(outcome.value[0]) if difference.where.startswith("item 1") else "✗ ask here, then again"
        return draw_wrong_node(y, {"x": x, "y": y}, x, words)
    (slope,) = grad(y, x, create_graph=True)
    return draw_wrong_node(slope, {"x": x, "slope": slope}, x, yours(outcome.value[1]))


def _asked_f_of_slope(outcome: Outcome) -> bool:
    """Whether the second answer is the derivative of f(slope), by way of the slope."""
    f, x = outcome.case.make()
    (slope,) = grad(f(x), x, create_graph=True)
    (wrong,) = grad(f(slope), x)
    return _is_pair(outcome.value) and compare(wrong, outcome.value[1]) is None


def _is_nearly_right(outcome: Outcome) -> bool:
    """Whether both answers are within a twentieth of the right ones."""
    if not _is_pair(outcome.value):
        return False
    right = slope_and_curvature(*outcome.case.make())
    pairs = zip(right, outcome.value, strict=True)
    return all(abs(wanted.item() - got.item()) < 0.05 * abs(wanted.item()) for wanted, got in pairs)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all(isinstance(item, Tensor) and item.numel() == 1 for item in value)
    )


def _value_and_slope(f: Any, x: Tensor) -> Any:
    y = f(x)
    return y, grad(y, x)[0]


def _first_twice(f: Any, x: Tensor) -> Any:
    (slope,) = grad(f(x), x)
    return slope, slope


def _slope_squared(f: Any, x: Tensor) -> Any:
    (slope,) = grad(f(x), x)
    return slope, slope**2


SLOPE_AND_CURVATURE = Exercise(
    name="slope_and_curvature",
    chapter=CHAPTER,
    title="a tuple of two tensors, the first and the second derivative of f at x; x.grad stays None",
    stars=2,
    minutes=8,
    reference=slope_and_curvature,
    cases=(
        _at("x ** 3", lambda x: x**3, 3.0),
        _at("x.sin()", lambda x: x.sin(), 0.5),
        _at("(2 * x).exp() - x ** 2", lambda x: (2 * x).exp() - x**2, 0.25),
    ),
    hints=(
        "The second derivative is the derivative of the first, so ask twice.",
        "The second question is put to the result of the first, and this needs a graph of its own: create_graph=True.",
        "slope = autograd.grad(f(x), x, create_graph=True)[0]; then autograd.grad(slope, x)[0].",
    ),
    compare=_compare_slopes,
    show=lambda value, arguments: show(value) + (TRACE if is_grad_written(arguments[1]) else ""),
    evidence=_measured_twice,
    picture=_draw_slopes,
    mistakes=(
        Mistake(
            "backward() adds to x.grad, so the second derivative ends up on top of the first. autograd.grad returns "
            "each one by itself.",
            when=lambda outcome: is_grad_written(outcome.arguments[1]),
        ),
        Mistake(
            "The first derivative came without a graph, so it cannot be differentiated. retain_graph=True keeps the "
            "old graph; create_graph=True records a new one, of the backward pass.",
            when=raised("does not require grad"),
        ),
        Mistake(
            "These are tuples of one tensor each: autograd.grad returns a tuple. Take item [0] of each.",
            when=lambda outcome: (
                isinstance(outcome.value, tuple) and any(isinstance(item, tuple) for item in outcome.value)
            ),
        ),
        Mistake("The first derivative is there twice. Put the second question to the first answer.", _first_twice),
        Mistake(
            "These are f(x) and its slope. Asked for are the slope and, one step further, the slope of the slope.",
            _value_and_slope,
        ),
        Mistake(
            "Only one tensor was returned. Asked for are both, in a tuple: slope, curvature.",
            when=lambda outcome: isinstance(outcome.value, Tensor),
        ),
        Mistake(
            "The second question was put to f(slope). Ask the slope itself: autograd.grad(slope, x).",
            when=_asked_f_of_slope,
        ),
        Mistake(
            "These look like finite differences: near, and not exact. autograd.grad gives the slope itself, and the "
            "slope of that.",
            when=_is_nearly_right,
        ),
        Mistake("This is the square of the slope. The second derivative is the slope of the slope.", _slope_squared),
        Mistake(
            "The two have changed places: first the slope, then the curvature.",
            lambda f, x: slope_and_curvature(f, x)[::-1],
        ),
    ),
)

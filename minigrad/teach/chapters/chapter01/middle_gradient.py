"""Exercise `middle_gradient`: the gradient of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter01.common import CHAPTER
from minigrad.teach.comparing import Difference
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor


def middle_gradient(w: Tensor, x: Tensor, target: Tensor) -> Tensor | None:
    """The gradient of the loss with respect to hidden."""
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden.grad


def _model(w: list[float], x: list[float], target: float) -> Case:
    return Case(
        f"w = {w}, x = {x}, target = {target}", lambda: (tensor(w, requires_grad=True), tensor(x), tensor(target))
    )


def _of_w(w: Tensor, x: Tensor, target: Tensor) -> Any:
    (((w * x).tanh().sum() - target) ** 2).backward()
    return w.grad


def _of_tanh(w: Tensor, x: Tensor, target: Tensor) -> Any:
    activated = (w * x).tanh()
    activated.retain_grad()
    ((activated.sum() - target) ** 2).backward()
    return activated.grad


def _of_loss(loss_of: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor, Tensor], Any]:
    """The gradient of hidden for another loss."""

    def wrong(w: Tensor, x: Tensor, target: Tensor) -> Any:
        hidden = w * x
        hidden.retain_grad()
        loss_of(hidden, target).backward()
        return hidden.grad

    return wrong


_without_tanh = _of_loss(lambda hidden, target: (hidden.sum() - target) ** 2)
_without_square = _of_loss(lambda hidden, target: hidden.tanh().sum() - target)
_for_each_element = _of_loss(lambda hidden, target: ((hidden.tanh() - target) ** 2).sum())


def _hidden_itself(w: Tensor, x: Tensor, target: Tensor) -> Any:
    return w * x


def _twice(w: Tensor, x: Tensor, target: Tensor) -> Any:
    gradient = middle_gradient(w, x, target)
    return None if gradient is None else gradient * 2


def _measured_middle(outcome: Outcome) -> str:
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w * x
    lines = []
    for place in range(len(hidden)):
        values = []
        for step in (-STEP, STEP):
            moved = hidden.clone()
            moved[place] = moved[place] + step
            values.append(((moved.tanh().sum() - target) ** 2).item())
        slope = (values[1] - values[0]) / (2 * STEP)
        lines.append(f"  moving hidden[{place}] by {STEP} to both sides: the loss has slope {slope:.3g}")
    return "\n".join(lines)


def _draw_middle(outcome: Outcome, difference: Difference) -> str:
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w.requires_grad_() * x
    loss = (hidden.tanh().sum() - target) ** 2
    return draw_wrong_node(loss, {"w": w, "x": x, "hidden": hidden, "loss": loss}, "hidden", "✗ this one is asked for")


MIDDLE_GRADIENT = Exercise(
    name="middle_gradient",
    chapter=CHAPTER,
    title="a tensor: the gradient of the loss with respect to hidden",
    stars=2,
    minutes=6,
    reference=middle_gradient,
    cases=(
        _model([0.3, -0.2, 0.5], [1.0, 2.0, -1.0], 2.0),
        _model([1.0, 0.5], [0.5, -0.5], -1.0),
        _model([0.1], [3.0], 0.0),
    ),
    hints=(
        "hidden is a result, so its .grad stays None unless you ask for it.",
        "hidden.retain_grad() asks, and it has to ask before backward() runs.",
        "Compute hidden, call hidden.retain_grad(), compute the loss, call loss.backward(), return hidden.grad.",
    ),
    evidence=_measured_middle,
    picture=_draw_middle,
    mistakes=(
        Mistake(
            "hidden.grad is None: a result keeps no gradient. Call hidden.retain_grad() before "
            "loss.backward(), not after it.",
            when=lambda outcome: outcome.error is None and outcome.value is None,
        ),
        Mistake("This is the gradient of w. The one of hidden comes by one step earlier.", _of_w),
        Mistake("This is the gradient of tanh(hidden). The one of hidden comes by one step later.", _of_tanh),
        Mistake("This is hidden itself, not its gradient.", _hidden_itself),
        Mistake(
            "This is twice the gradient: backward() has run twice, and .grad adds up.",
            _twice,
        ),
        Mistake("tanh is missing: the loss is the square of hidden.tanh().sum() - target.", _without_tanh),
        Mistake("The square is missing: the loss is (hidden.tanh().sum() - target) ** 2.", _without_square),
        Mistake("target was subtracted from each element. The loss takes it from their sum, once.", _for_each_element),
        Mistake(
            "The walk was run a second time over the same graph, and its saved values are gone after the first. One "
            "backward() is enough.",
            when=raised("a second time"),
        ),
    ),
)

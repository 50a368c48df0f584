"""Exercise `descend`: the training loop, where gradients pile up unless they are cleared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter03.running_example import CHAPTER
from minigrad.teach.comparing import Difference, show
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def descend(loss_of: Callable[[Tensor], Tensor], w: Tensor, rate: float, steps: int) -> list[float]:
    """Change w by gradient descent; return the loss before each step."""
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with no_grad():
            w -= rate * w.grad  # type: ignore[operator]
        w.grad = None
    return losses


def _descend_wrongly(
    clear: str = "after",
    sign: float = -1.0,
    in_place: bool = True,
    record: str = "before",
    step: str = "grad",
    once: bool = False,
) -> Callable[..., Any]:
    def wrong(loss_of: Callable[[Tensor], Tensor], w: Any, rate: float, steps: int) -> Any:
        losses = []
        loss = loss_of(w)
        for _ in range(steps):
            loss = loss if once else loss_of(w)
            if record == "before":
                losses.append(loss.item())
            loss.backward(retain_graph=once)
            if clear == "too early":
                w.grad.zero_()
            if in_place:
                with no_grad():
                    w += sign * rate * (w.grad if step == "grad" else 1)
            else:
                w = (w + sign * rate * w.grad).detach().requires_grad_()
            if clear == "after" and in_place:
                w.grad = None
            if record == "after":
                losses.append(loss_of(w).item())
        return losses

    return wrong


def _descent_case(words: str, loss_of: Callable[[Any], Any], numbers: Any, rate: float, steps: int) -> Case:
    return Case(
        f"loss = {words}, w = {numbers}, rate = {rate}, steps = {steps}",
        lambda: (loss_of, tensor(numbers, requires_grad=True), rate, steps),
    )


def _losses_and_w(value: Any, arguments: tuple[Any, ...]) -> Any:
    if value is None or value is ...:
        return value
    return (value, arguments[1].detach().clone())


def _compare_descent(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    from minigrad.teach.comparing import compare

    losses, w = got
    return compare(expected[1], w, "w afterwards") or compare(expected[0], losses, "the losses")


def _show_descent(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, tuple):
        return show(value)
    losses, w = value
    return f"losses {show(losses)}; w afterwards {show(w)}"


def _measured_descent(outcome: Outcome) -> str:
    """The slope of the loss where the descent starts, and where the first step leads."""
    loss_of, w, rate, _ = outcome.case.make()
    start = np.atleast_1d(w.detach().numpy().astype(np.float64))
    lines = []
    for place, value in enumerate(start):
        step = np.zeros_like(start)
        step[place] = STEP
        with no_grad():
            above, below = (loss_of(tensor((start + sign * step).reshape(w.shape))).item() for sign in (1, -1))
        slope = (above - below) / (2 * STEP)
        name = f"w[{place}]" if w.ndim else "w"
        lines.append(
            f"  {name} moved by {STEP} at the start: the slope is {slope:.4g}, so the first step goes from {value:.4g} "
            f"to {value - rate * slope:.4g}"
        )
    return "\n".join(lines)


def _message_has(*parts: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)


DESCEND = Exercise(
    name="descend",
    chapter=CHAPTER,
    title="a list of floats, the loss before each step; w itself is changed",
    stars=1,
    minutes=6,
    reference=descend,
    cases=(
        _descent_case("(w - 3) ** 2", lambda w: (w - 3) ** 2, 0.0, 0.1, 4),
        _descent_case(
            "((w - tensor([1., -2.])) ** 2).sum()",
            lambda w: ((w - tensor([1.0, -2.0])) ** 2).sum(),
            [0.0, 0.0],
            0.25,
            3,
        ),
    ),
    hints=(
        "Four things happen in each step, always in this order: loss, backward, change w, clear its gradient.",
        (
            "Changing w must not be recorded, and must happen in place, because w is the tensor that the "
            "caller looks at: with mg.no_grad(): w -= ..."
        ),
        (
            "loss = loss_of(w); losses.append(loss.item()); loss.backward(); with mg.no_grad(): w -= rate * "
            "w.grad; then w.grad = None."
        ),
    ),
    observe=_losses_and_w,
    compare=_compare_descent,
    show=_show_descent,
    evidence=_measured_descent,
    writes=True,
    mistakes=(
        Mistake(
            (
                "w was changed while operations were being recorded. A leaf may be changed in place only "
                "inside `with mg.no_grad():`."
            ),
            when=_message_has("a leaf Variable that requires grad is being used in an in-place operation"),
        ),
        Mistake(
            (
                "w.grad is None where it is needed: either backward() has not run yet, or w = w - ... has made "
                "a new tensor, which is not the leaf any more. "
                "Change w in place: w -= ..."
            ),
            when=lambda outcome: (
                isinstance(outcome.error, TypeError | AttributeError | RuntimeError)
                and any(
                    part in str(outcome.error) for part in ("NoneType", "got None", "does not require grad", "None")
                )
            ),
        ),
        Mistake(
            (
                "The gradients of all steps pile up: backward() adds to .grad, and nothing clears it. Set "
                "w.grad = None after each step."
            ),
            _descend_wrongly(clear="never"),
        ),
        Mistake(
            "The gradient was cleared before it was used, so w never moves. Clear it after the step.",
            _descend_wrongly(clear="too early"),
        ),
        Mistake(
            "w moves by rate, whatever its slope is. The step is rate times w.grad.",
            _descend_wrongly(step="rate"),
        ),
        Mistake(
            "The loss was computed once, before the loop, and the same graph was walked again and again. w has moved: "
            "compute loss_of(w) in each step.",
            _descend_wrongly(once=True),
        ),
        Mistake(
            "One step too many: the list holds one loss for each of the steps.",
            when=lambda outcome: (
                isinstance(outcome.value, tuple)
                and isinstance(outcome.value[0], list)
                and len(outcome.value[0]) == outcome.arguments[3] + 1
            ),
        ),
        Mistake(
            "This is one loss. Asked for are all, in a list: append(loss.item()) in each step.",
            when=lambda outcome: isinstance(outcome.value, tuple) and isinstance(outcome.value[0], float),
        ),
        Mistake(
            "w goes uphill: the loss grows where the gradient points. Subtract rate * w.grad.",
            _descend_wrongly(sign=1.0),
        ),
        Mistake(
            (
                "The caller's w has not changed: w = w - ... gives the name w to a new tensor inside your "
                "function. Change it in place, with w -= ..."
            ),
            _descend_wrongly(in_place=False),
        ),
        Mistake(
            (
                "The losses are those after each step. They are asked for before it, beginning with the loss "
                "of the w that came in."
            ),
            _descend_wrongly(record="after"),
        ),
    ),
)

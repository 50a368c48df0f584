"""Chapter 05, exercise: a training step with bounded weights, every write in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter05.shared import CHAPTER
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, numbers, yours
from minigrad.tensor import Tensor

Loss = Callable[[Tensor, Tensor], Tensor]


def train_bounded(loss_of: Loss, w1: Tensor, w2: Tensor, rate: float) -> float:
    """One step of gradient descent, after which w2 is between -1 and 1."""
    loss = loss_of(w1, w2)
    loss.backward()
    with no_grad():
        _move(w1, w2, rate)
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def _move(w1: Tensor, w2: Tensor, rate: float) -> None:
    for w in (w1, w2):
        if w.grad is not None:
            w -= rate * w.grad


def _model(first: float, second: list[float], target: float, rate: float) -> Case:
    def make() -> tuple[Any, ...]:
        x = tensor([1.0, 2.0, 4.0])

        def loss_of(w1: Tensor, w2: Tensor) -> Tensor:
            return ((w2 * (w1 * x)).sum() - target) ** 2

        return loss_of, tensor(first, requires_grad=True), tensor(second, requires_grad=True), rate

    return Case(f"the model above, w1 = {first}, w2 = {second}, target = {target}, rate = {rate}", make)


def _weights_too(value: Any, arguments: tuple[Any, ...]) -> Any:
    return value, arguments[1], arguments[2]


def _compare_step(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    loss, w1, w2 = got
    if loss is None:
        return Difference("the loss", "None", show(expected[0]), "The loss is asked for, as a number: return it.")
    differences = (
        compare(expected[1], w1, "w1 afterwards"),
        compare(expected[2], w2, "w2 afterwards"),
        compare(expected[0], loss, "the loss"),
    )
    for difference in differences:
        if difference is not None:
            return difference
    for name, w in (("w1", w1), ("w2", w2)):
        if not (w.is_leaf and w.requires_grad):
            return Difference(name, "no leaf that requires a gradient", "a leaf", "The weights must go on training.")
        if w.grad is not None:
            return Difference(f"{name}.grad afterwards", show(w.grad), "None", "Clear the gradients at the end.")
        if w._version == 0:
            return Difference(
                f"{name}._version afterwards", "0", "more than 0", "The numbers are right; the counter saw no write."
            )
    return None


def _show_step(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, tuple):
        return show(value)
    loss, w1, w2 = value
    counted = "counted" if w1._version and w2._version else "not counted"
    cleared = "cleared" if w1.grad is None and w2.grad is None else "not cleared"
    weights = f"afterwards w1 is {show(w1)} and w2 is {show(w2)}"
    return f"returned {show(loss)}; {weights}, writes {counted}, gradients {cleared}"


def _measured(outcome: Outcome) -> str:
    loss_of, w1, w2, rate = outcome.case.make()
    start = w1.item()
    with no_grad():
        values = [loss_of(tensor(start + step), w2).item() for step in (-STEP, STEP)]
    slope = (values[1] - values[0]) / (2 * STEP)
    return (
        f"  moving w1 by {STEP} to both sides: the loss has slope {slope:.3g}, so w1 goes from {start:.4g} to "
        f"{start - rate * slope:.4g}"
    )


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph of the loss before the step, walked, and in red the weight or the loss that is wrong."""
    loss_of, w1, w2, _ = outcome.case.make()
    loss = loss_of(w1, w2)
    name = difference.where.split("[")[0].split(".")[0].removeprefix("the ").split(" ")[0]
    got = dict(zip(("loss", "w1", "w2"), outcome.value, strict=True))[name]
    words = yours(got) if name == "loss" else f"✗ after your step: {numbers(got)}"
    if difference.note and name != "loss":
        notes = {"grad afterwards": "✗ grad is still there", "_version afterwards": "✗ write not counted"}
        words = notes.get(difference.where.partition(".")[2], "✗ no leaf any more")
    return draw_wrong_node(loss, {"w1": w1, "w2": w2, "loss": loss}, name, words)


def _clamped_gradient(loss_of: Loss, w1: Tensor, w2: Tensor, rate: float) -> float:
    loss = loss_of(w1, w2)
    loss.backward()
    gradient: Any = w2.grad
    w2.grad = gradient.clamp(-1, 1)
    _moved(w1, w2, rate)
    w1.grad = w2.grad = None
    return loss.item()


def _loss_afterwards(loss_of: Loss, w1: Tensor, w2: Tensor, rate: float) -> float:
    train_bounded(loss_of, w1, w2, rate)
    return loss_of(w1, w2).item()


def _moved_one(loss_of: Loss, w1: Tensor, w2: Tensor, rate: float) -> float:
    loss = loss_of(w1, w2)
    loss.backward()
    with no_grad():
        w1 -= rate * w1.grad  # type: ignore[operator]
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def _wrongly(order: str, sign: float = 1.0) -> Callable[[Loss, Tensor, Tensor, float], float]:
    """The step with one mistake: `order` has a letter for forward, backward, move and clamp (of w2, or both)."""

    def step(loss_of: Loss, w1: Tensor, w2: Tensor, rate: float) -> float:
        loss = w1
        for letter in order:
            if letter == "f":
                loss = loss_of(w1, w2)
            elif letter == "b":
                loss.backward()
            elif letter == "m":
                _moved(w1, w2, rate * sign)
            else:
                for w in (w1, w2) if letter == "C" else (w2,):
                    w.data.clamp_(-1, 1)
        w1.grad = w2.grad = None
        return loss.item()

    return step


def _moved(w1: Tensor, w2: Tensor, rate: float) -> None:
    with no_grad():
        _move(w1, w2, rate)


def _unchanged(outcome: Outcome) -> bool:
    if not isinstance(outcome.value, tuple):
        return False
    _, w1, w2, _ = outcome.case.make()
    return compare(w1, outcome.value[1]) is None and compare(w2, outcome.value[2]) is None


def _behind_the_counter(outcome: Outcome) -> bool:
    if not isinstance(outcome.value, tuple) or _unchanged(outcome):
        return False
    expected = TRAIN_BOUNDED.run(train_bounded, outcome.case).value
    right = all(compare(wanted, got) is None for wanted, got in zip(expected, outcome.value, strict=True))
    return right and 0 in (outcome.value[1]._version, outcome.value[2]._version)


def _kept_gradients(outcome: Outcome) -> bool:
    return isinstance(outcome.value, tuple) and not (outcome.value[1].grad is None and outcome.value[2].grad is None)


TRAIN_BOUNDED = Exercise(
    name="train_bounded",
    chapter=CHAPTER,
    title="the loss as a number; afterwards both weights have moved, and w2 is between -1 and 1",
    stars=2,
    minutes=7,
    reference=train_bounded,
    cases=(
        _model(2.0, [3.0, 1.0, -1.0], 5.0, 0.05),
        _model(0.5, [0.9, -0.5, 0.25], 2.0, 0.1),
        _model(-3.0, [1.0, 0.0, 0.5], -4.0, 0.01),
    ),
    hints=(
        "Nothing may be written between the forward pass and the walk. After the walk, the saved values are not needed "
        "any more.",
        "The order is: loss_of, backward, move both weights, clamp w2, clear both gradients.",
        "with mg.no_grad(): w1 -= rate * w1.grad, the same for w2, and w2.clamp_(-1, 1).",
    ),
    observe=_weights_too,
    compare=_compare_step,
    show=_show_step,
    evidence=_measured,
    picture=_draw,
    writes=True,
    mistakes=(
        Mistake(
            "A leaf was written to while operations are recorded. Put the writes inside `with mg.no_grad():`.",
            when=raised("a leaf Variable that requires grad"),
        ),
        Mistake(
            "w2 was clamped between the forward pass and the walk, and the walk needs the old numbers. Clamp after it.",
            when=raised("modified by an inplace operation"),
        ),
        Mistake(
            "The walk was given a w2 that had changed: .data was written to before backward(), and nobody noticed. "
            "Clamp after the walk.",
            _wrongly("fcbm"),
        ),
        Mistake("w2 was never clamped, or a copy of it: clamp() makes a new tensor, clamp_() writes.", _wrongly("fbm")),
        Mistake("The gradient of w2 was clamped. The bounds are those of w2 itself.", _clamped_gradient),
        Mistake("w2 was clamped, but has not moved: both weights take a step.", _moved_one),
        Mistake(
            "This is the loss after the step. Asked for is the one before it, of the weights that came in.",
            _loss_afterwards,
        ),
        Mistake(
            ".grad is None where it is needed: backward() has not run yet, or the gradients were cleared before the "
            "step.",
            when=raised("'NoneType'"),
        ),
        Mistake(
            "The forward pass ran inside no_grad(), so that there is no graph to walk. Only the writes belong inside.",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake("w2 was clamped first, and then it moved out of its bounds again. Clamp last.", _wrongly("cfbm")),
        Mistake("w2 was clamped after the walk and moved after that. Clamp last.", _wrongly("fbcm")),
        Mistake("Both weights were clamped. Only w2 has bounds.", _wrongly("fbmC")),
        Mistake(
            "The weights go uphill: subtract rate times the gradient.",
            _wrongly("fbmc", sign=-1.0),
        ),
        Mistake(
            "The caller's weights have not changed: w = w - ... and clamp() without an underscore make new tensors. "
            "Write in place.",
            when=_unchanged,
        ),
        Mistake(
            "The numbers are right, but they were written through .data, so the counter does not know. Today nobody "
            "needs it; when you move a line, it would have told you. Use `with mg.no_grad():`.",
            when=_behind_the_counter,
        ),
        Mistake(
            "The gradients are still there, and the next walk would add to them. Set both to None at the end.",
            when=_kept_gradients,
        ),
    ),
)

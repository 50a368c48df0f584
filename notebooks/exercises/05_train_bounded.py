"""Chapter 05, exercise: a training step with bounded weights, every write in its place."""

import minigrad as mg
from minigrad.teach import (
    STEP,
    Case,
    Difference,
    Exercise,
    Mistake,
    compare,
    draw_wrong_node,
    numbers,
    raised,
    show,
    slopes,
    yours,
)


def train_bounded(loss_of, w1, w2, rate):
    """One step of gradient descent, after which w2 is between -1 and 1."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def _model(first, second, target, rate):
    def make():
        x = mg.tensor([1.0, 2.0, 4.0])

        def loss_of(w1, w2):
            return ((w2 * (w1 * x)).sum() - target) ** 2

        return loss_of, mg.tensor(first, requires_grad=True), mg.tensor(second, requires_grad=True), rate

    return Case(f"the model above, w1 = {first}, w2 = {second}, target = {target}, rate = {rate}", make)


def _weights_too(value, arguments):
    return value, arguments[1], arguments[2]


def _compare_step(expected, got, outcome):
    loss, w1, w2 = got
    if loss is None:
        return Difference("the loss", "None", show(expected[0]), "The loss is asked for, as a number: return it.")
    difference = compare(expected[1], w1, "w1 afterwards") or compare(expected[2], w2, "w2 afterwards")
    difference = difference or compare(expected[0], loss, "the loss")
    if difference is not None:
        return difference
    for name, w in (("w1", w1), ("w2", w2)):
        if not (w.is_leaf and w.requires_grad):
            return Difference(name, "no leaf that requires a gradient", "a leaf", "The weights must go on training.")
        if w.grad is not None:
            return Difference(f"{name}.grad afterwards", show(w.grad), "None", "Clear the gradients at the end.")
        if w._version == 0:
            note = "The numbers are right; the counter saw no write."
            return Difference(f"{name}._version afterwards", "0", "more than 0", note)
    return None


def _show_step(value, arguments):
    if not isinstance(value, tuple):
        return show(value)
    loss, w1, w2 = value
    counted = "counted" if w1._version and w2._version else "not counted"
    cleared = "cleared" if w1.grad is None and w2.grad is None else "not cleared"
    weights = f"afterwards w1 is {show(w1)} and w2 is {show(w2)}"
    return f"returned {show(loss)}; {weights}, writes {counted}, gradients {cleared}"


def _measured(outcome):
    loss_of, w1, w2, rate = outcome.case.make()
    start = w1.item()
    ((_, slope),) = slopes(lambda w1: loss_of(w1.float(), w2), w1)
    return (
        f"  moving w1 by {STEP} to both sides: the loss has slope {slope:.3g}, so w1 goes from {start:.4g} to "
        f"{start - rate * slope:.4g}"
    )


def _draw(outcome, difference):
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


def _unchanged(outcome):
    if not isinstance(outcome.value, tuple):
        return False
    _, w1, w2, _ = outcome.case.make()
    return compare(w1, outcome.value[1]) is None and compare(w2, outcome.value[2]) is None


def _behind_the_counter(outcome):
    if not isinstance(outcome.value, tuple) or _unchanged(outcome):
        return False
    expected = EXERCISE.run(train_bounded, outcome.case).value
    right = all(compare(wanted, got) is None for wanted, got in zip(expected, outcome.value, strict=True))
    return right and 0 in (outcome.value[1]._version, outcome.value[2]._version)


def _kept_gradients(outcome):
    return isinstance(outcome.value, tuple) and not (outcome.value[1].grad is None and outcome.value[2].grad is None)


# ---------------------------------------------------------------- wrong answers


def _step(loss_of, w1, w2, rate, before=None, between=None, after=None, last=None):
    if before:
        before()
    loss = loss_of(w1, w2)
    if between:
        between()
    loss.backward()
    if after:
        after()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        if last:
            last()
    w1.grad = w2.grad = None
    return loss.item()


def clamped_while_recording(loss_of, w1, w2, rate):
    """A leaf was written to while operations are recorded. Put the writes inside `with mg.no_grad():`."""
    loss = loss_of(w1, w2)
    loss.backward()
    w1 -= rate * w1.grad
    w2 -= rate * w2.grad
    w2.clamp_(-1, 1)
    return loss.item()


def clamped_too_early(loss_of, w1, w2, rate):
    """w2 was clamped between the forward pass and the walk, and the walk needs the old numbers. Clamp after it."""
    return _step(loss_of, w1, w2, rate, between=lambda: w2.detach().clamp_(-1, 1), last=lambda: w2.clamp_(-1, 1))


def clamped_data_too_early(loss_of, w1, w2, rate):
    """The walk was given a w2 that had changed: .data was written to before backward(), and nobody noticed. Clamp after
    the walk.
    """
    return _step(loss_of, w1, w2, rate, between=lambda: w2.data.clamp_(-1, 1))


def never_clamped(loss_of, w1, w2, rate):
    """w2 was never clamped, or a copy of it: clamp() makes a new tensor, clamp_() writes."""
    return _step(loss_of, w1, w2, rate)


def clamped_a_copy(loss_of, w1, w2, rate):
    return _step(loss_of, w1, w2, rate, last=lambda: w2.clamp(-1, 1))


def clamped_the_gradient(loss_of, w1, w2, rate):
    """The gradient of w2 was clamped. The bounds are those of w2 itself."""
    return _step(loss_of, w1, w2, rate, after=lambda: w2.grad.clamp_(-1, 1))


def moved_only_w1(loss_of, w1, w2, rate):
    """w2 was clamped, but has not moved: both weights take a step."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def loss_after_the_step(loss_of, w1, w2, rate):
    """This is the loss after the step. Asked for is the one before it, of the weights that came in."""
    train_bounded(loss_of, w1, w2, rate)
    return loss_of(w1, w2).item()


def cleared_before_the_step(loss_of, w1, w2, rate):
    """.grad is None where it is needed: backward() has not run yet, or the gradients were cleared before the step."""
    loss = loss_of(w1, w2)
    loss.backward()
    w1.grad = w2.grad = None
    with mg.no_grad():
        w1 -= rate * w1.grad
    return loss.item()


def never_walked_back(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    with mg.no_grad():
        w1 -= w1.grad * rate
    return loss.item()


def everything_under_no_grad(loss_of, w1, w2, rate):
    """The forward pass ran inside no_grad(), so that there is no graph to walk. Only the writes belong inside."""
    with mg.no_grad():
        return train_bounded(loss_of, w1, w2, rate)


def clamped_first(loss_of, w1, w2, rate):
    """w2 was clamped first, and then it moved out of its bounds again. Clamp last."""
    return _step(loss_of, w1, w2, rate, before=lambda: w2.data.clamp_(-1, 1))


def clamped_then_moved(loss_of, w1, w2, rate):
    """w2 was clamped after the walk and moved after that. Clamp last."""
    return _step(loss_of, w1, w2, rate, after=lambda: w2.data.clamp_(-1, 1))


def clamped_both(loss_of, w1, w2, rate):
    """Both weights were clamped. Only w2 has bounds."""
    return _step(loss_of, w1, w2, rate, last=lambda: (w1.clamp_(-1, 1), w2.clamp_(-1, 1)))


def uphill(loss_of, w1, w2, rate):
    """The weights go uphill: subtract rate times the gradient."""
    return train_bounded(loss_of, w1, w2, -rate)


def new_tensors(loss_of, w1, w2, rate):
    """The caller's weights have not changed: w = w - ... and clamp() without an underscore make new tensors. Write in
    place.
    """
    loss = loss_of(w1, w2)
    loss.backward()
    moved = (w1 - rate * w1.grad, (w2 - rate * w2.grad).clamp(-1, 1))
    w1.grad = w2.grad = None
    w1, w2 = moved
    return loss.item()


def all_through_data(loss_of, w1, w2, rate):
    """The numbers are right, but they were written through .data, so the counter does not know. Today nobody needs it;
    when you move a line, it would have told you. Use `with mg.no_grad():`.
    """
    loss = loss_of(w1, w2)
    loss.backward()
    w1.data -= rate * w1.grad
    w2.data -= rate * w2.grad
    w2.data.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def kept_the_gradients(loss_of, w1, w2, rate):
    """The gradients are still there, and the next walk would add to them. Set both to None at the end."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2.clamp_(-1, 1)
    return loss.item()


EXERCISE = Exercise(
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
        Mistake(clamped_while_recording, when=raised("a leaf Variable that requires grad")),
        Mistake(clamped_too_early, when=raised("modified by an inplace operation")),
        clamped_data_too_early,
        Mistake(never_clamped, clamped_a_copy),
        clamped_the_gradient,
        moved_only_w1,
        loss_after_the_step,
        Mistake(cleared_before_the_step, never_walked_back, when=raised("'NoneType'")),
        Mistake(everything_under_no_grad, when=raised("does not require grad and does not have a grad_fn")),
        clamped_first,
        clamped_then_moved,
        clamped_both,
        uphill,
        Mistake(new_tensors, when=_unchanged),
        Mistake(all_through_data, when=_behind_the_counter),
        Mistake(kept_the_gradients, when=_kept_gradients),
    ),
)

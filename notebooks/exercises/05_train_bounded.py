"""Chapter 05, exercise: a training step with bounded weights, every write in its place."""

from dataclasses import dataclass

import numpy as np

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

from .chapter04 import has_graph


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


def _model(first, second, target, rate, inputs=(1.0, 2.0, 4.0), bend=None):
    def make():
        x = mg.tensor(list(inputs))

        def loss_of(w1, w2):
            hidden = w1 * x if bend is None else bend(w1 * x)
            return ((w2 * hidden).sum() - target) ** 2

        return loss_of, mg.tensor(first, requires_grad=True), mg.tensor(second, requires_grad=True), rate

    given = "" if tuple(inputs) == (1.0, 2.0, 4.0) else f", x = {inputs}"
    bent = "" if bend is None else " with tanh(w1 * x) in it"
    return Case(f"the model above{bent}{given}, w1 = {first}, w2 = {second}, target = {target}, rate = {rate}", make)


def _drawn(random):
    """The same with other shapes, weights on both sides of their bounds, and sometimes a bend."""
    count = int(random.integers(2, 5))
    shapes = ((), (count,), (1, count)), ((count,), (2, count))
    first, second = (list(some)[random.integers(len(some))] for some in shapes)
    w1, w2 = (_quarters(random, shape) for shape in (first, second))
    target, rate = float(random.integers(-5, 6)), float(random.choice([0.01, 0.02, 0.05]))
    yield _model(w1, w2, target, rate, _quarters(random, (count,)), mg.tanh if random.integers(2) else None)


def _quarters(random, shape):
    return (random.integers(-10, 11, shape) / 4).tolist()


@dataclass(frozen=True)
class Step:
    """What a learner's function returned, the weights afterwards, and the one that was not written to as it should be,
    and how; "" where there is none.
    """

    loss: object
    w1: mg.Tensor
    w2: mg.Tensor
    weight: str
    writes: str


UNCOUNTED, MOVED, NEVER = "written past the counter", "written into another memory", "not written to"


def _stepping(answer):
    """An answer which is looked after: what is written through .data or .numpy(), no counter knows, so it is noted
    here.
    """

    def run(loss_of, w1, w2, rate):
        before = [(w.data.numpy(), w._version, w.tolist()) for w in (w1, w2)]
        given, arrays, data, to_numpy = [], [], mg.Tensor.data, mg.Tensor.numpy

        def noted(tensor, *options, **named):
            array = to_numpy(tensor, *options, **named)
            arrays.append((array, array.copy(), w1._version, w2._version))
            return array

        mg.Tensor.data = property(lambda tensor: given.append(data.fget(tensor)) or given[-1], data.fset)
        mg.Tensor.numpy = noted
        try:
            loss = answer(loss_of, w1, w2, rate)
        finally:
            mg.Tensor.data, mg.Tensor.numpy = data, to_numpy
        weight = words = ""
        for number, (w, (memory, version, values)) in enumerate(zip((w1, w2), before, strict=True)):
            is_behind = any(one._version and np.shares_memory(one.numpy(), memory) for one in given)
            is_behind |= any(
                np.shares_memory(array, memory) and versions[number] == w._version and not np.array_equal(array, old)
                for array, old, *versions in arrays
            )
            if is_behind or w._version == version:
                weight = ("w1", "w2")[number]
                words = UNCOUNTED if is_behind or w.tolist() != values else NEVER
            elif not words and not np.shares_memory(w.detach().numpy(), memory):
                weight, words = ("w1", "w2")[number], MOVED
        return Step(loss, w1, w2, weight, words)

    return run


def _compare_step(expected, got, outcome):
    if got.loss is None:
        return Difference("the loss", "None", show(expected.loss), "The loss is asked for, as a number: return it.")
    difference = compare(expected.w1, got.w1, "w1 afterwards") or compare(expected.w2, got.w2, "w2 afterwards")
    difference = difference or compare(expected.loss, got.loss, "the loss")
    if difference is not None:
        return difference
    if has_graph(got.loss):
        note = "The number is right, but it is a tensor that keeps the graph alive. item() gives the number alone."
        return Difference("the loss", "a tensor with a graph", "a number", note)
    for name, w in (("w1", got.w1), ("w2", got.w2)):
        if not (w.is_leaf and w.requires_grad):
            return Difference(name, "no leaf that requires a gradient", "a leaf", "The weights must go on training.")
        if _holds_gradient(w):
            return Difference(f"{name}.grad afterwards", show(w.grad), "None", "Clear the gradients at the end.")
    if got.writes:
        note = "The numbers are right; the counter did not see every write."
        if got.writes == MOVED:
            note = "The numbers are right, but they are in another memory: views of the weights keep the old ones."
        return Difference(f"the writes to {got.weight}", got.writes, "written in place, each counted", note)
    return None


def _holds_gradient(w):
    """Whether a gradient is there to which the next walk would add. Zeros do not count."""
    return w.grad is not None and w.grad.abs().sum().item() != 0


def _show_step(value, arguments):
    if not isinstance(value, Step):
        return show(value)
    cleared = "not cleared" if _holds_gradient(value.w1) or _holds_gradient(value.w2) else "cleared"
    graph = ", with its graph" if has_graph(value.loss) else ""
    weights = f"afterwards w1 is {show(value.w1)} and w2 is {show(value.w2)}"
    return f"returned {show(value.loss)}{graph}; {weights}, {value.writes or 'written in place'}, gradients {cleared}"


def _measured(outcome):
    loss_of, w1, w2, rate = outcome.case.make()
    place, slope = next(slopes(lambda w1: loss_of(w1.float(), w2), w1))
    name, start = "w1" if w1.ndim == 0 else f"w1{list(place)}", w1[place].item()
    return (
        f"  moving {name} by {STEP} to both sides: the loss has slope {slope:.3g}, so {name} goes from {start:.4g} to "
        f"{start - rate * slope:.4g}"
    )


def _draw(outcome, difference):
    """The graph of the loss before the step, walked, and in red the weight or the loss that is wrong."""
    loss_of, w1, w2, _ = outcome.case.make()
    loss = loss_of(w1, w2)
    name = difference.where.split("[")[0].split(".")[0].removesuffix(" afterwards").split(" ")[-1]
    got = getattr(outcome.value, name)
    words = yours(got) if name == "loss" else f"✗ after your step: {numbers(got)}"
    if difference.note:
        notes = {"the loss": words, "w1": "✗ no leaf any more", "w2": "✗ no leaf any more"}
        written = f"✗ {outcome.value.writes}" if "writes" in difference.where else "✗ grad is still there"
        words = notes.get(difference.where, written)
    return draw_wrong_node(loss, {"w1": w1, "w2": w2, "loss": loss}, name, words)


def _is_step(test):
    """For `when`: a step was made, for which the test holds. It gets the step, and the one of the reference."""
    return lambda outcome: (
        isinstance(outcome.value, Step) and test(outcome.value, _stepping(train_bounded)(*outcome.case.make()), outcome)
    )


def _unchanged(step, right, outcome):
    _, w1, w2, _ = outcome.case.make()
    return compare((w1, w2), (step.w1, step.w2)) is None


def _behind_the_counter(step, right, outcome):
    is_right = compare((right.w1, right.w2), (step.w1, step.w2)) is None
    return is_right and step.writes == UNCOUNTED


def _kept_gradients(step, right, outcome):
    is_right = compare((right.w1, right.w2), (step.w1, step.w2)) is None
    return is_right and (_holds_gradient(step.w1) or _holds_gradient(step.w2))


def _lacks_gradient(outcome):
    return raised("'NoneType'")(outcome) and any(w._grad is None for w in outcome.arguments[1:3])


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
    """A weight was written to between the forward pass and the walk, and the walk needs the old numbers. Write after
    it.
    """
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


def clamped_another(loss_of, w1, w2, rate):
    """The name w2 stands for a copy from there on, and what is cleared is the gradient of that."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2 = w2.clamp(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def clamped_above_only(loss_of, w1, w2, rate):
    """w2 is bounded on one side only: clamp_(-1, 1) takes both bounds."""
    return _step(loss_of, w1, w2, rate, last=lambda: w2.clamp_(max=1))


def clamped_below_only(loss_of, w1, w2, rate):
    return _step(loss_of, w1, w2, rate, last=lambda: w2.clamp_(min=-1))


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
    """There is no graph to walk, as after a forward pass inside no_grad(), or with detached weights. Only the writes
    belong inside of no_grad().
    """
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
    """The caller's weights hold what they held before. Write in place, w1 -= ... and w2.clamp_(): w1 = w1 - ... and
    clamp() make new tensors.
    """
    loss = loss_of(w1, w2)
    loss.backward()
    moved = (w1 - rate * w1.grad, (w2 - rate * w2.grad).clamp(-1, 1))
    w1.grad = w2.grad = None
    w1, w2 = moved
    return loss.item()


def all_through_data(loss_of, w1, w2, rate):
    """The numbers are right, but they were written through .data or numpy(), so the counter does not know. Today nobody
    needs it; when you move a line, it would have told you. Use `with mg.no_grad():`.
    """
    loss = loss_of(w1, w2)
    loss.backward()
    w1.data -= rate * w1.grad
    w2.data -= rate * w2.grad
    w2.data.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def clamped_through_data(loss_of, w1, w2, rate):
    return _step(loss_of, w1, w2, rate, last=lambda: w2.data.clamp_(-1, 1))


def other_memory(loss_of, w1, w2, rate):
    """The weights were given another memory, w.data = ... or the like. Who has a view of them, or has noted where they
    are, still sees the old numbers. Write into the memory that is there.
    """
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
    w2.data = w2.detach().clamp(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def kept_the_graph(loss_of, w1, w2, rate):
    """This is the loss with its graph, which it keeps alive as long as somebody keeps the loss. Asked for is a number:
    loss.item().
    """
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss


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
        _model(1.5, [-3.0, 0.5, -1.25], 2.0, 0.02),
        _model(0.25, [-1.0, 0.5, 1.0], 2.0, 0.05, bend=mg.tanh),
    ),
    drawn=_drawn,
    hints=(
        "Nothing may be written between the forward pass and the walk. After the walk, the saved values are not needed "
        "any more.",
        "The order is: loss_of, backward, move both weights, clamp w2, clear both gradients.",
        "with mg.no_grad(): w1 -= rate * w1.grad, the same for w2, and w2.clamp_(-1, 1).",
    ),
    plug=_stepping,
    compare=_compare_step,
    show=_show_step,
    evidence=_measured,
    picture=_draw,
    writes=True,
    mistakes=(
        Mistake(clamped_while_recording, when=raised("a leaf Variable that requires grad")),
        Mistake(clamped_too_early, when=raised("modified by an inplace operation")),
        clamped_data_too_early,
        Mistake(never_clamped, clamped_a_copy, clamped_another),
        Mistake(clamped_above_only, clamped_below_only),
        clamped_the_gradient,
        moved_only_w1,
        loss_after_the_step,
        Mistake(cleared_before_the_step, never_walked_back, when=_lacks_gradient),
        Mistake(everything_under_no_grad, when=raised("does not require grad and does not have a grad_fn")),
        clamped_first,
        clamped_then_moved,
        clamped_both,
        uphill,
        Mistake(new_tensors, when=_is_step(_unchanged)),
        Mistake(all_through_data, clamped_through_data, when=_is_step(_behind_the_counter)),
        Mistake(other_memory, when=_is_step(lambda step, right, outcome: step.writes == MOVED)),
        Mistake(kept_the_graph, when=_is_step(lambda step, right, outcome: has_graph(step.loss))),
        Mistake(kept_the_gradients, when=_is_step(_kept_gradients)),
    ),
)

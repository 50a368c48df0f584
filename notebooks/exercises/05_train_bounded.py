"""Chapter 05, exercise: a training step with bounded weights, every write in its place."""

from dataclasses import dataclass

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    STEP,
    Case,
    Difference,
    Exercise,
    Mistake,
    compare,
    draw_wrong_node,
    edited,
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
        yield Difference("the loss", "None", show(expected.loss), "The loss is asked for, as a number: return it.")
    difference = compare(expected.w1, got.w1, "w1 afterwards") or compare(expected.w2, got.w2, "w2 afterwards")
    yield difference or compare(expected.loss, got.loss, "the loss")
    if has_graph(got.loss):
        note = "The number is right, but it is a tensor that keeps the graph alive. item() gives the number alone."
        yield Difference("the loss", "a tensor with a graph", "a number", note)
    for name, w in (("w1", got.w1), ("w2", got.w2)):
        if not (w.is_leaf and w.requires_grad):
            yield Difference(name, "no leaf that requires a gradient", "a leaf", "The weights must go on training.")
        if _holds_gradient(w):
            yield Difference(f"{name}.grad afterwards", show(w.grad), "None", "Clear the gradients at the end.")
    if got.writes:
        note = "The numbers are right; the counter did not see every write."
        if got.writes == MOVED:
            note = "The numbers are right, but they are in another memory: views of the weights keep the old ones."
        yield Difference(f"the writes to {got.weight}", got.writes, "written in place, each counted", note)


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


def never_clamped(loss_of, w1, w2, rate):
    """w2 was never clamped, or a copy of it: clamp() makes a new tensor, clamp_() writes."""
    return _step(loss_of, w1, w2, rate)


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


def clamped_the_gradient(loss_of, w1, w2, rate):
    """The gradient of w2 was clamped. The bounds are those of w2 itself."""
    return _step(loss_of, w1, w2, rate, after=lambda: w2.grad.clamp_(-1, 1))


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


# ---------------------------------------------------------------- tried as well


def clamped_by_data_at_last(loss_of, w1, w2, rate):
    """Two counted writes, and one that nobody counts."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
    w2.data.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def moved_as_arrays(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    for w in (w1, w2):
        array = w.detach().numpy()
        array -= rate * w.grad.numpy()
        w.grad = None
    with mg.no_grad():
        w2.clamp_(-1, 1)
    return loss.item()


def replaced_the_memory(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    first, second = w1.grad, w2.grad
    w1.grad = w2.grad = None
    with mg.no_grad():
        w1.add_(0)
        w2.add_(0)
        w1.data, w2.data = w1 - rate * first, (w2 - rate * second).clamp(-1, 1)
    return loss.item()


def returned_the_whole_loss(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2), retain_graph=True)
    with mg.no_grad():
        w1 -= rate * first
        w2.copy_((w2 - rate * second).clamp(-1, 1))
    return loss


def clamped_under_the_same_name(loss_of, w1, w2, rate):
    """The gradient of the copy is cleared, and not that of the weight."""
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        w1.sub_(rate * w1.grad)
        w2.sub_(rate * w2.grad)
        w2 = mg.clamp(w2, min=-1.0, max=1.0)
    w1.grad, w2.grad = None, None
    return loss.item()


def moved_one_after_the_other(loss_of, w1, w2, rate):
    """The second weight moves by a gradient at the new first one."""
    loss = loss_of(w1, w2)
    (first,) = grad(loss, w1)
    with mg.no_grad():
        w1 -= rate * first
    (second,) = grad(loss_of(w1, w2), w2)
    with mg.no_grad():
        w2 -= rate * second
        w2.clamp_(-1, 1)
    return loss.item()


def froze_the_weights(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2))
    for w in (w1, w2):
        w.requires_grad_(False)
    w1 -= rate * first
    w2 -= rate * second
    w2.clamp_(-1, 1)
    return loss.item()


def trained_and_zeroed(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    with mg.no_grad():
        for w in (w1, w2):
            w.sub_(w.grad, alpha=rate)
        w2.clamp_(-1, 1)
    w1.grad.zero_()
    w2.grad.zero_()
    return float(loss.item())


def trained_and_looked_at_arrays(loss_of, w1, w2, rate):
    """Arrays that are only read."""
    loss = loss_of(w1, w2)
    loss.backward()
    smallest = w2.detach().numpy().min()
    with mg.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        if w2.detach().numpy().max() > 1 or w2.detach().numpy().min() < -1 or smallest < -1:
            w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.detach().numpy().item()


def trained_through_detach(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    first, second = w1.detach(), w2.detach()
    first -= rate * w1.grad
    second -= rate * w2.grad
    second[second > 1] = 1.0
    second[second < -1] = -1.0
    del w1.grad, w2.grad
    return loss.detach()


def trained_with_half_a_step_each(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    gradients = grad(loss, [w1, w2])
    with mg.no_grad():
        for w, gradient in zip((w1, w2), gradients, strict=True):
            w -= rate / 2 * gradient
            w -= rate / 2 * gradient
        w2.copy_(w2.minimum(mg.ones_like(w2)).maximum(-mg.ones_like(w2)))
    return np.float32(loss.item())


def trained_with_an_optimizer(loss_of, w1, w2, rate):
    optimizer = mg.optim.SGD([w1, w2], lr=rate)
    loss = loss_of(w1, w2)
    loss.backward()
    optimizer.step()
    w2.detach().clamp_(-1, 1)
    optimizer.zero_grad()
    return loss.item()


def trained_by_copies(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2))
    with mg.no_grad():
        w1.copy_(w1 - rate * first)
        w2.copy_(mg.clamp(w2 - rate * second, -1, 1))
    return loss.detach()


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
        Mistake(
            never_clamped,
            lambda loss_of, w1, w2, rate: _step(loss_of, w1, w2, rate, last=lambda: w2.clamp(-1, 1)),
            clamped_another,
        ),
        Mistake(
            clamped_above_only,
            lambda loss_of, w1, w2, rate: _step(loss_of, w1, w2, rate, last=lambda: w2.clamp_(min=-1)),
        ),
        clamped_the_gradient,
        Mistake(
            edited(train_bounded, "w2 -= rate * w2.grad\n        w2", "w2"),
            words="w2 was clamped, but has not moved: both weights take a step.",
        ),
        loss_after_the_step,
        Mistake(cleared_before_the_step, never_walked_back, when=_lacks_gradient),
        Mistake(
            edited(never_clamped, "return _step", "with mg.no_grad():\n        return train_bounded"),
            words="There is no graph to walk, as after a forward pass inside no_grad(), or with detached weights. "
            "Only the writes belong inside of no_grad().",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        clamped_first,
        clamped_then_moved,
        clamped_both,
        uphill,
        Mistake(new_tensors, when=_is_step(_unchanged)),
        Mistake(
            all_through_data,
            lambda loss_of, w1, w2, rate: _step(loss_of, w1, w2, rate, last=lambda: w2.data.clamp_(-1, 1)),
            when=_is_step(_behind_the_counter),
        ),
        Mistake(
            edited(train_bounded, "grad\n        w2.clamp_", "grad\n    w2.data = w2.detach().clamp"),
            words="The weights were given another memory, w.data = ... or the like. Who has a view of them, or has "
            "noted where they are, still sees the old numbers. Write into the memory that is there.",
            when=_is_step(lambda step, right, outcome: step.writes == MOVED),
        ),
        Mistake(
            edited(train_bounded, "loss.item()", "loss"),
            words="This is the loss with its graph, which it keeps alive as long as somebody keeps the loss. Asked "
            "for is a number: loss.item().",
            when=_is_step(lambda step, right, outcome: has_graph(step.loss)),
        ),
        Mistake(
            edited(train_bounded, "w1.grad = w2.grad = None\n    ", ""),
            words="The gradients are still there, and the next walk would add to them. Set both to None at the end.",
            when=_is_step(_kept_gradients),
        ),
    ),
    right=(
        trained_and_zeroed,
        trained_and_looked_at_arrays,
        trained_through_detach,
        trained_with_half_a_step_each,
        trained_with_an_optimizer,
        trained_by_copies,
    ),
    wrong={
        "written through .data": [
            clamped_by_data_at_last,
            edited(all_through_data, "w2.data.clamp_", "with mg.no_grad():\n        w1.add_(0)\n        w2.clamp_"),
        ],
        "written through .data or numpy()": [
            edited(
                clamped_by_data_at_last,
                "w2.data.clamp_(-1, 1)",
                "array = w2.detach().numpy()\n    np.clip(array, -1, 1, out=array)",
            ),
            moved_as_arrays,
        ],
        "given another memory": [replaced_the_memory],
        "keeps alive": [returned_the_whole_loss],
        "": [
            lambda loss_of, w1, w2, rate: train_bounded(lambda w1, w2: loss_of(w2, w1), w1, w2, rate),
            moved_one_after_the_other,
        ],
        "bounded on one side only": [edited(train_bounded, "clamp_(-1, 1)", "clamp_(max=1)")],
        "clamp() makes a new tensor": [clamped_under_the_same_name],
        "The weights must go on training.": [froze_the_weights],
    },
)

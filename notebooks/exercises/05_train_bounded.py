"""Chapter 05, exercise: a training step with bounded weights, every write in its place."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    STEP,
    Exercise,
    Mistake,
    Noted,
    cases,
    compare,
    draw_wrong_node,
    edited,
    numbers,
    slopes,
    yours,
)
from minigrad.teach.draws import draw_numbers, flip, formula, pick
from minigrad.teach.observing import observer, raised, right_but, right_with_graph, saw


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


INPUTS = [1.0, 2.0, 4.0]


@cases(
    "the model above{bend}{inputs}, w1 = {first}, w2 = {second}, target = {target}, rate = {rate}",
    bend=" with {bend} in it",
    inputs=", x = {inputs}",
)
def _model(first, second, target, rate, inputs=INPUTS, bend="w1 * x"):
    x, hidden = mg.tensor(inputs), formula(bend, "w1, x")

    def loss_of(w1, w2):
        return ((w2 * hidden(w1, x)).sum() - target) ** 2

    return Noted("loss_of", loss_of), mg.tensor(first, requires_grad=True), mg.tensor(second, requires_grad=True), rate


def _drawn(random):
    """The same with other shapes, weights on both sides of their bounds, and sometimes a bend."""
    count = int(random.integers(2, 5))
    shapes = pick(random, [(), (count,), (1, count)]), pick(random, [(count,), (2, count)]), (count,)
    w1, w2, inputs = (draw_numbers(random, shape, unit=0.25, most=2.5) for shape in shapes)
    target, rate = float(random.integers(-5, 6)), pick(random, [0.01, 0.02, 0.05])
    yield _model(w1, w2, target, rate, inputs, "tanh(w1 * x)" if flip(random) else "w1 * x")


COUNTED, UNCOUNTED, NEVER, MOVED = "in place, each counted", "past the counter", "none", "into another memory"


@observer
def _stepping(answer, loss_of, w1, w2, rate):
    """What is written through .data or .numpy(), no counter knows, so it is noted here."""
    weights = {"w1": w1, "w2": w2}
    before = {name: (w.data.numpy(), w._version, w.tolist()) for name, w in weights.items()}
    given, arrays, data, to_numpy = [], [], mg.Tensor.data, mg.Tensor.numpy

    def noted(tensor, *options, **named):
        array = to_numpy(tensor, *options, **named)
        arrays.append((array, array.copy(), {"w1": w1._version, "w2": w2._version}))
        return array

    mg.Tensor.data = property(lambda tensor: given.append(data.fget(tensor)) or given[-1], data.fset)
    mg.Tensor.numpy = noted
    try:
        loss = answer(loss_of, w1, w2, rate)
    finally:
        mg.Tensor.data, mg.Tensor.numpy = data, to_numpy
    leaves, writes = {}, {}
    for name, w in weights.items():
        leaves[name] = f"{'a' if w.is_leaf and w.requires_grad else 'no'} leaf that requires a gradient"
        memory, version, values = before[name]
        is_behind = any(one._version and np.shares_memory(one.numpy(), memory) for one in given)
        is_behind |= any(
            np.shares_memory(array, memory) and versions[name] == w._version and not np.array_equal(array, old)
            for array, old, versions in arrays
        )
        is_moved = not np.shares_memory(w.detach().numpy(), memory)
        writes[f"the writes to {name}"] = MOVED if is_moved else COUNTED
        if is_behind or w._version == version:
            is_still = COUNTED if rate == 0 else NEVER  # a step of 0 may be left out
            writes[f"the writes to {name}"] = UNCOUNTED if is_behind or w.tolist() != values else is_still
    return {
        "the loss": loss,
        **{f"{name} afterwards": w.detach().clone() for name, w in weights.items()},
        **leaves,
        **{f"{name}.grad": "is still there" if _holds_gradient(w) else "is cleared" for name, w in weights.items()},
        **writes,
    }


def _holds_gradient(w):
    """Whether a gradient is there to which the next walk would add. Zeros do not count."""
    return w.grad is not None and w.grad.abs().sum().item() != 0


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
    name = next(name for name in ("w1", "w2", "loss") if name in difference.where)
    got = outcome.seen.get(f"{name} afterwards")
    words = f"✗ {difference.yours}"  # of what is told in words
    if difference.where.startswith(f"{name} afterwards"):
        words = f"✗ after your step: {numbers(got)}"
    elif difference.where.startswith("the loss"):
        words = yours(outcome.seen["the loss"])
    return draw_wrong_node(loss, {"w1": w1, "w2": w2, "loss": loss}, name, words)


def _unchanged(outcome):
    """Whether both weights hold what they held before."""
    _, w1, w2, rate = outcome.case.make()
    if rate == 0:
        return False
    names = ("w1 afterwards", "w2 afterwards")
    return compare([w1, w2], [outcome.seen.get(name) for name in names]) is None


def _lacks_gradient(outcome):
    return raised("unsupported operand", "'NoneType'")(outcome) and any(w._grad is None for w in outcome.arguments[1:3])


# ---------------------------------------------------------------- wrong answers


never_clamped = edited(train_bounded, "w2.grad\n        w2.clamp_(-1, 1)", "w2.grad")
all_through_data = edited(train_bounded, "w1 -=", "w1.data -=", "w2 -=", "w2.data -=", "w2.clamp_", "w2.data.clamp_")


# ---------------------------------------------------------------- tried as well


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


def moved_one_after_the_other(loss_of, w1, w2, rate):
    """w2 moves by the gradient of another loss: w1 had moved before it was computed. Both move by the gradients of one
    walk.
    """
    loss = loss_of(w1, w2)
    (first,) = grad(loss, w1)
    with mg.no_grad():
        w1 -= rate * first
    (second,) = grad(loss_of(w1, w2), w2)
    with mg.no_grad():
        w2 -= rate * second
        w2.clamp_(-1, 1)
    return loss.item()


def trained_through_detach(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    loss.backward()
    first, second = w1.detach(), w2.detach()
    first -= rate * w1.grad
    second -= rate * w2.grad
    second[second > 1] = 1.0
    second[second < -1] = -1.0
    del w1.grad, w2.grad
    return loss.detach().item()


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


def moved_between_two_walks(loss_of, w1, w2, rate):
    """Works where the graph has not saved w1."""
    loss = loss_of(w1, w2)
    loss.backward(retain_graph=True)
    with mg.no_grad():
        w1 -= rate * w1.grad
    w1.grad = w2.grad = None
    loss.backward()
    with mg.no_grad():
        w2 -= rate * w2.grad
        w2.clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def trained_whatever_happens(loss_of, w1, w2, rate):
    try:
        return train_bounded(loss_of, w1, w2, rate)
    except Exception:
        return float("nan")


def trained_by_copies(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2))
    with mg.no_grad():
        w1.copy_(w1 - rate * first)
        w2.copy_(mg.clamp(w2 - rate * second, -1, 1))
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
        _model(0.25, [-1.0, 0.5, 1.0], 2.0, 0.05, bend="tanh(w1 * x)"),
        _model(1.5, [0.5, -0.25, 1.0], 2.0, 0.01, bend="w1 * w1 * x"),  # which saves w1
        _model(0.5, [2.0, -1.5, 0.5], 0.465, 0.0),  # a loss of 0.001225, and bounds hold for whom no step has moved
    ),
    drawn=_drawn,
    hints=(
        "Nothing may be written between the forward pass and the walk. After the walk, the saved values are not needed "
        "any more.",
        "The order is: loss_of, backward, move both weights, clamp w2, clear both gradients.",
        "with mg.no_grad(): w1 -= rate * w1.grad, the same for w2, and w2.clamp_(-1, 1).",
    ),
    plug=_stepping,
    notes={
        "w?": "The weights must go on training.",
        "w?.grad": "Clear the gradients at the end.",
        "the writes to *": "The numbers are right; the counter did not see every write.",
    },
    evidence=_measured,
    picture=_draw,
    writes=True,
    errors_go_on=True,
    mistakes=(
        Mistake(
            edited(train_bounded, "with mg.no_grad():", "if True:"),
            words="A leaf was written to while operations are recorded. Put the writes inside `with mg.no_grad():`.",
            when=raised("a leaf Variable that requires grad"),
        ),
        Mistake(
            edited(train_bounded, "loss.backward", "w2.detach().clamp_(-1, 1)\n    loss.backward"),
            words="A weight was written to between the forward pass and the walk, and the walk needs the old numbers. "
            "Write after it.",
            when=raised("modified by an inplace operation"),
        ),
        Mistake(
            edited(never_clamped, "loss.backward", "w2.data.clamp_(-1, 1)\n    loss.backward"),
            words="The walk was given a w2 that had changed: .data was written to before backward(), and nobody "
            "noticed. Clamp after the walk.",
        ),
        Mistake(
            never_clamped,
            edited(train_bounded, "clamp_", "clamp"),
            edited(train_bounded, "w2.clamp_", "w2 = w2.clamp"),
            words="w2 is as if nothing had clamped it: clamp() makes a new tensor, clamp_(-1, 1) writes to w2.",
        ),
        Mistake(
            edited(train_bounded, "clamp_(-1, 1)", "clamp_(max=1)"),
            edited(train_bounded, "clamp_(-1, 1)", "clamp_(min=-1)"),
            words="w2 is bounded on one side only: clamp_(-1, 1) takes both bounds.",
        ),
        Mistake(
            edited(never_clamped, "backward()", "backward()\n    w2.grad.clamp_(-1, 1)"),
            words="The gradient of w2 was clamped. The bounds are those of w2 itself.",
        ),
        Mistake(
            edited(train_bounded, "w2 -= rate * w2.grad\n        w2", "w2"),
            words="w2 was clamped, but has not moved: both weights take a step.",
        ),
        Mistake(
            edited(train_bounded, "return loss", "return loss_of(w1, w2)"),
            words="This is the loss after the step. Asked for is the one before it, of the weights that came in.",
        ),
        Mistake(
            edited(train_bounded, "backward()", "backward()\n    w1.grad = w2.grad = None"),
            edited(train_bounded, "loss.backward()\n    ", "", "rate * w1.grad", "w1.grad * rate"),
            words=".grad is None where it is needed: no backward() has reached this weight yet, or the gradients were "
            "cleared before the step.",
            when=_lacks_gradient,
        ),
        Mistake(
            edited(train_bounded, "loss = loss_of", "with mg.no_grad():\n        loss = loss_of"),
            words="There is no graph to walk, as after a forward pass inside no_grad(), or with detached weights. "
            "Only the writes belong inside of no_grad().",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake(
            edited(never_clamped, "loss = loss_of", "w2.data.clamp_(-1, 1)\n    loss = loss_of"),
            edited(never_clamped, "loss = loss_of", "with mg.no_grad():\n        w2.clamp_(-1, 1)\n    loss = loss_of"),
            edited(never_clamped, "backward()", "backward()\n    w2.data.clamp_(-1, 1)"),
            edited(never_clamped, "w2 -= rate", "w2.clamp_(-1, 1)\n        w2 -= rate"),
            words="w2 was clamped, and then it moved out of its bounds again. Clamp last.",
        ),
        Mistake(
            edited(train_bounded, "w2.clamp_(-1, 1)", "w1.clamp_(-1, 1)\n        w2.clamp_(-1, 1)"),
            words="Both weights were clamped. Only w2 has bounds.",
        ),
        Mistake(
            edited(train_bounded, "loss = loss_of", "w2.detach().clamp_(-1, 1)\n    loss = loss_of"),
            words="w2 was clamped before the forward pass as well, so that this is the step, and the loss, of other "
            "weights than those that came in. Clamp last, and only there.",
        ),
        Mistake(
            edited(train_bounded, "clamp_(-1, 1)", "div_(w2.abs().max().clamp(min=1))"),
            words="All of w2 was made smaller by one factor, until the largest was within the bounds. Clamped means "
            "that what is outside goes to the nearest bound, and the rest stays where it is.",
        ),
        moved_one_after_the_other,
        Mistake(
            edited(train_bounded, "w1 -=", "w1 +=", "w2 -=", "w2 +="),
            words="The weights go uphill: subtract rate times the gradient.",
        ),
        Mistake(
            edited(train_bounded, "w1 -=", "w1 = w1 -", "w2 -= ", "w2 = (w2 - ", "w2.grad\n        w2.", "w2.grad)."),
            words="The caller's weights hold what they held before, as where their names stand for new tensors: w1 = "
            "w1 - ... and clamp() make such. Write in place, w1 -= ... and w2.clamp_().",
            when=_unchanged,
        ),
        Mistake(
            all_through_data,
            edited(train_bounded, "w2.clamp_", "w2.data.clamp_"),
            words="The numbers are right, but they were written through .data or numpy(), so the counter does not "
            "know. Today nobody needs it; when you move a line, it would have told you. Use `with mg.no_grad():`.",
            when=right_but("the writes to *", lambda mine, right: mine == UNCOUNTED),
        ),
        Mistake(
            edited(train_bounded, "grad\n        w2.clamp_", "grad\n    w2.data = w2.detach().clamp"),
            words="The weights were given another memory, w.data = ... or the like. Who has a view of them, or has "
            "noted where they are, still sees the old numbers. Write into the memory that is there.",
            when=right_but("the writes to *", lambda mine, right: mine == MOVED),
        ),
        Mistake(
            edited(train_bounded, "loss.item()", "loss"),
            words="This is the loss with its graph, which it keeps alive as long as somebody keeps the loss. Asked "
            "for is a number: loss.item().",
            when=saw("the loss", right_with_graph),
        ),
        Mistake(
            edited(train_bounded, "w1.grad = w2.grad = None\n    ", ""),
            words="A gradient is still there, and the next walk would add to it. Set both to None at the end.",
            when=right_but("w?.grad"),
        ),
    ),
    right=(
        edited(
            train_bounded,
            *("w1 -= rate * w1.grad", "w1.sub_(w1.grad, alpha=rate)"),
            *("w1.grad = w2.grad = None", "w1.grad.zero_()\n    w2.grad.zero_()"),
        ),
        edited(train_bounded, "w2.clamp_", "if abs(w2.detach().numpy()).max() > 1:\n            w2.clamp_"),
        trained_through_detach,
        trained_with_half_a_step_each,
        trained_with_an_optimizer,
        trained_by_copies,
    ),
    wrong={
        "Something is None here": [
            edited(train_bounded, "loss_of(w1, w2)\n    loss.backward()", "loss_of(w1, w2).backward()")
        ],
        "no backward() has reached this weight": [edited(train_bounded, "loss_of(w1, w2)", "loss_of(w1, w1)")],
        "hold what they held before, as where": [
            edited(train_bounded, "backward()", "backward()\n    w1.grad = w2.grad = None\n    return loss.item()")
        ],
        "as if nothing had clamped it": [edited(train_bounded, "-1, 1", "-9, 9")],
        "A gradient is still there": [edited(train_bounded, "w1.grad = w2.grad", "w1.grad")],
        "written through .data": [
            edited(train_bounded, "w2.clamp_", "w2.detach().data.clamp_"),
            edited(all_through_data, "w2.data.clamp_", "w1.add_(0)\n        w2.clamp_"),
        ],
        "written through .data or numpy()": [
            edited(train_bounded, "w2.clamp_(-1, 1)", "a = w2.detach().numpy()\n        np.clip(a, -1, 1, out=a)"),
            moved_as_arrays,
        ],
        "something went through float32": [
            edited(train_bounded, "w1 -= rate * w1.grad", "w1 -= (rate * w1.grad).float()")
        ],
        "given another memory": [
            edited(train_bounded, "w2.clamp_(-1, 1)", "w1.data, w2.data = w1.clone(), w2.clamp(-1, 1)")
        ],
        "keeps alive": [
            edited(trained_by_copies, "loss.item()", "loss", "(w1, w2))\n", "(w1, w2), retain_graph=True)\n")
        ],
        "this is a Tensor that holds it": [edited(trained_by_copies, "loss.item()", "loss.detach()")],
        "the model above, w1 = 0.5, w2 = [2.0, -1.5, 0.5], target = 0.465": [
            edited(train_bounded, "loss.backward()", "if rate == 0:\n        return loss.item()\n    loss.backward()"),
            edited(train_bounded, "loss.item()", "round(loss.item(), 4)"),
        ],
        "no error comes out": [trained_whatever_happens],
        "A weight was written to between the forward pass and the walk": [moved_between_two_walks],
        "": [lambda loss_of, w1, w2, rate: train_bounded(lambda w1, w2: loss_of(w2, w1), w1, w2, rate)],
        "bounded on one side only": [edited(train_bounded, "clamp_(-1, 1)", "clamp_(max=1)")],
        "clamp() makes a new tensor": [
            edited(train_bounded, "w2.clamp_(-1, 1)", "w2 = mg.clamp(w2, min=-1.0, max=1.0)")
        ],
        "The weights must go on training.": [
            edited(train_bounded, "w1 -=", "w1.requires_grad_(False)\n        w2.requires_grad_(False)\n        w1 -=")
        ],
    },
)

"""Exercise `epoch`: a training loop that reports its losses, and keeps no graph for it."""

import weakref
from dataclasses import dataclass
from typing import Any

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, edited, function_of, show

from .chapter04 import has_graph
from .chapter09 import quarters


def epoch(loss_of, w, batches, rate):
    """One step of gradient descent for each batch; the mean and the largest of the losses, as floats."""
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


class Token:
    """Something that a node holds, so that one sees whether the node is still there."""


def _hold(ctx, loss, token):
    ctx.token = token
    return loss.view_as(loss)


Holding = function_of("Holding", _hold, lambda ctx, g: (g, None))


class Losses:
    """A loss function that notes at each call how many of the earlier losses still have their graph."""

    def __init__(self, offset):
        self.offset, self.tokens, self.kept = offset, [], []

    def __call__(self, w, batch):
        self.kept.append(self.alive)
        token = Token()
        self.tokens.append(weakref.ref(token))
        return Holding.apply(((w - 1) * batch).sum() ** 2 + self.offset, token)

    @property
    def alive(self):
        return sum(token() is not None for token in self.tokens)


def _case(batches, w, rate, offset=0.0):
    below = f", minus {-offset}" if offset else ""
    many = "1 batch" if len(batches) == 1 else f"{len(batches)} batches"
    loss = "loss = ((w - 1) * batch).sum()²"
    words = f"{many}, the first is {batches[0]}, w = {w}, rate = {rate}, {loss}"
    return Case(words + below, lambda: (Losses(offset), mg.tensor(w, requires_grad=True), _tensors(batches), rate))


def _tensors(batches):
    return [mg.tensor(batch) for batch in batches]


def _drawn(random):
    """One batch or several, losses of both signs."""
    count, size = int(random.integers(1, 6)), int(random.integers(1, 4))
    batches = [quarters(random, (size,)) for _ in range(count)]
    yield _case(batches, quarters(random, (size,)), 0.03125, float(random.choice([0.0, -1000.0])))


@dataclass(frozen=True)
class Epoch:
    """What came back, the weights, and how many graphs were there: at each call, and in the end."""

    answer: Any
    w: Any
    kept: tuple[int, ...]
    left: int


def _watched(answer):
    def run(loss_of, w, batches, rate):
        came = answer(loss_of, w, batches, rate)
        return Epoch(came, w.detach().clone(), tuple(loss_of.kept), loss_of.alive)

    return run


def _compare(expected, got, outcome):
    yield compare(expected.w, got.w, "w afterwards")
    if not isinstance(got.answer, tuple | list) or len(got.answer) != 2:
        yield Difference("the answer", show(got.answer), show(expected.answer), "Two numbers are asked for.")
    for words, right, mine in zip(("the mean", "the largest"), expected.answer, got.answer, strict=True):
        yield compare(right, mine, words)
        if has_graph(mine):
            yield Difference(words, "a tensor with a graph", "a float")
    if len(got.kept) != len(expected.kept):
        yield Difference("how often the loss was computed", str(len(got.kept)), str(len(expected.kept)))
    if _most(got) > 1:
        yield Difference("graphs of earlier batches, kept at a time", str(_most(got)), "1 at most")
    _, w, batches, _ = outcome.arguments
    if len(batches) != len(expected.kept):
        note = "The list was emptied. It is the caller's, who needs it for the next epoch."
        yield Difference("the number of batches afterwards", str(len(batches)), str(len(expected.kept)), note)
    if w.grad is not None:
        note = "Clear it after each step, and set it to None: zeros are a gradient to an optimizer."
        yield Difference("w.grad afterwards", show(w.grad), "None", note)
    if not w.requires_grad:
        note = "w can no longer be trained. Switch it on again, or write to w inside no_grad()."
        yield Difference("w.requires_grad afterwards", "False", "True", note)


def _most(value):
    """Of the batch before, the name `loss` still has the graph when the next one is computed."""
    return max(value.kept, default=0)


def _show(value, arguments):
    if not isinstance(value, Epoch):
        return show(value)
    counts = ", ".join(map(str, value.kept)) if _most(value) > 1 else "1 at most"
    answer = value.answer
    if isinstance(answer, tuple | list):  # one number is shown as one, in whatever holds it
        is_number = [getattr(one, "ndim", None) == 0 and not has_graph(one) for one in answer]
        answer = tuple(one.item() if alone else one for one, alone in zip(answer, is_number, strict=True))
    return f"{show(answer)}; w afterwards {show(value.w)}; graphs kept when each loss was computed: {counts}"


def _epochs(test):
    """For `when`: an epoch was run and its weights are right, and the test holds."""

    def holds(outcome):
        value = outcome.value
        if not isinstance(value, Epoch) or not isinstance(value.answer, tuple | list):
            return False
        right = EXERCISE.run(epoch, outcome.case).value
        return compare(right.w, value.w) is None and test(value, right)

    return holds


def _is_rebound(outcome):
    """Whether w has a gradient and stayed where it was, though the losses are those of steps, or another w has none."""
    w, value, error = outcome.arguments[1], outcome.value, str(outcome.error)
    if w.grad is None or compare(outcome.case.make()[1], w) is not None:
        return False
    if value is None:
        return "does not require grad and" in error or "NoneType" in error
    return _same_numbers(value, EXERCISE.run(epoch, outcome.case).value)


def _same_numbers(value, right):
    return len(value.answer) == 2 and all(
        compare(a, b) is None for a, b in zip(right.answer, value.answer, strict=True)
    )


# ---------------------------------------------------------------- wrong answers

STEP, RETURN = "w -= rate * w.grad\n        w.grad = None", "sum(losses) / len(losses), max(losses)"
UNRECORDED = "with mg.no_grad():\n            "


def no_graph_at_all(*given):
    """There was nothing to walk back through: the loss was computed inside no_grad(), or cut off before backward(). In
    training the graph is needed until the walk is over; cut off what you keep of it afterwards.
    """
    with mg.no_grad():
        return epoch(*given)


def one_step_for_all(loss_of, w, batches, rate):
    """w has moved once, after all batches. It moves after each, and the next loss is that of the moved w."""
    losses = [loss_of(w, batch) for batch in batches]
    sum(losses).backward()
    with mg.no_grad():
        w -= rate * w.grad
    w.grad = None
    losses = [loss.item() for loss in losses]
    return sum(losses) / len(losses), max(losses)


def no_step(loss_of, w, batches, rate):
    """w has not moved. A step of gradient descent is `w -= rate * w.grad`, inside no_grad(), for each batch."""
    losses = [loss_of(w, batch).item() for batch in batches]
    return sum(losses) / len(losses), max(losses)


def uphill(loss_of, w, batches, rate):
    """w has moved up the slope. Gradient descent subtracts rate * w.grad."""
    return epoch(loss_of, w, batches, -rate)


# ---------------------------------------------------------------- tried as well


def epoch_by_averages(loss_of, w, batches, rate):
    """An average that is carried on, with all graphs behind it."""
    mean, worst = 0.0, float("-inf")
    for count, batch in enumerate(batches, 1):
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        mean = mean + (loss - mean) / count
        worst = max(worst, loss.item())
    return mean, worst


def epoch_by_grad(loss_of, w, batches, rate):
    total = mg.zeros(())
    worst = float("-inf")
    for batch in batches:
        loss = loss_of(w, batch)
        (gradient,) = mg.autograd.grad(loss, w)
        with mg.no_grad():
            w.sub_(gradient, alpha=rate)
            total += loss
        worst = max(worst, loss.item())
    return (total / len(batches)).item(), worst


def epoch_by_an_optimizer(loss_of, w, batches, rate):
    optimizer, losses = mg.optim.SGD([w], lr=rate), []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(w, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    optimizer.zero_grad()
    return sum(losses) / len(losses), max(losses)


def epoch_moved_once(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        losses.append(loss.item())
        del loss
    w.data -= rate * w.grad
    w.grad = None
    return sum(losses) / len(losses), max(losses)


EXERCISE = Exercise(
    title="a tuple of two floats, the mean and the largest of the losses; w has made a step for each batch",
    stars=1,
    minutes=6,
    reference=epoch,
    cases=(
        _case([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25], [1.5, 1.5]], [0.5, 0.25], 0.0625),
        _case([[2.0]], [1.5], 0.125),
        _case([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], [0.5, 0.25], 0.0625, offset=-1000.0),
    ),
    drawn=_drawn,
    hints=(
        "Which names in the loop outlive their step, and what do they hold?",
        "total and worst hold tensors that operations on losses have made, or a loss itself. They need numbers only.",
        "losses.append(loss.item()) in each step; at the end, sum(losses) / len(losses) and max(losses).",
    ),
    plug=_watched,
    compare=_compare,
    show=_show,
    writes=True,
    mistakes=(
        Mistake(
            edited(epoch, UNRECORDED + STEP, "w = (w - rate * w.grad).detach().requires_grad_()"),
            edited(epoch, STEP, "w = w - rate * w.grad"),
            words="`w = w - ...` makes another tensor, and the caller's w stays where it was. It is to be moved "
            "itself: `w -= ...` inside no_grad().",
            when=_is_rebound,
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss", "sum(losses)", "sum(loss.item() for loss in losses)"),
            words="The mean is a number, but the largest is still a tensor: max() gives one of the things that it "
            "compares, with its graph. Compare numbers.",
            when=_epochs(
                lambda value, right: _same_numbers(value, right) and [*map(has_graph, value.answer)] == [False, True]
            ),
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss"),
            words="The numbers are right, but what is kept of a loss is a tensor with its graph: the total, the "
            "largest, or a list of them. Take the number out in each step, loss.item(), and use that for both.",
            when=_epochs(lambda value, right: _same_numbers(value, right) and any(map(has_graph, value.answer))),
        ),
        Mistake(
            edited(epoch, "return", "losses = [loss_of(w.detach(), batch).item() for batch in batches]\n    return"),
            words="The losses were computed more than once. The number is there after the forward pass: item() is all "
            "it takes.",
            when=_epochs(lambda value, right: len(value.kept) > len(right.kept)),
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss", RETURN, "(sum(losses) / len(losses)).item(), max(losses).item()"),
            edited(epoch, "loss.item()", "loss", "return", "losses = [loss.item() for loss in losses]\n    return"),
            words="No graph is left at the end, but until then several were: item() or detach() comes after the loop, "
            "or not for all that is kept. In the loop, it keeps the memory from growing.",
            when=_epochs(lambda value, right: _same_numbers(value, right) and _most(value) > 1),
        ),
        Mistake(
            edited(epoch, "max(losses)", "max(0.0, *losses)"),
            words='The largest begins at 0, but all losses may be below. Begin with float("-inf"), or ask max() of '
            "a list.",
        ),
        Mistake(
            edited(epoch, " / len(losses)", ""),
            words="This is the sum of the losses. Divide it by their number.",
        ),
        Mistake(
            edited(epoch, "max(losses)", "losses[-1]"),
            words="The last loss is there in place of one of the two numbers.",
        ),
        Mistake(no_graph_at_all, when=lambda outcome: "does not require grad" in str(outcome.error)),
        Mistake(
            edited(epoch, "w.grad = None\n        ", ""),
            words="The gradients of all steps pile up in w.grad. Set it to None after each step.",
        ),
        Mistake(
            one_step_for_all,
            edited(
                epoch, UNRECORDED + STEP, "pass", "return", "w.data -= rate * w.grad\n    w.grad = None\n    return"
            ),
        ),
        no_step,
        uphill,
        Mistake(
            edited(epoch, "max(losses)", "min(losses)"),
            words="The smallest loss is there in place of the largest.",
        ),
    ),
    right=(
        edited(epoch, "loss.item()", "loss.detach()", "sum(losses) / len(losses)", "mg.stack(losses).mean()"),
        edited(epoch, "loss.item()", "float(loss.detach())", RETURN, f"[{RETURN}]"),
        edited(epoch, "loss.item()", "loss.detach().numpy().copy()"),
        epoch_by_grad,
        epoch_by_an_optimizer,
    ),
    wrong={
        "a tensor with its graph": [epoch_by_averages],
        "until then several were": [
            edited(epoch, "[]", "[]\n    recent = []", "losses.append", "recent.append(loss)\n        losses.append"),
            edited(  # a view of a loss is a result with a graph as well
                epoch,
                "loss.item()",
                "loss.view(1)",
                f"return {RETURN}",
                "losses = mg.cat(losses)\n    return losses.mean().item(), losses.max().item()",
            ),
        ],
        "the largest": [edited(epoch, "max(losses)", "max(losses, key=abs)")],
        "w afterwards": [
            edited(
                epoch,
                "loss.backward()",
                "(gradient,) = mg.autograd.grad(loss, w)",
                UNRECORDED + STEP,
                "w = (w - rate * gradient).detach().requires_grad_()",
            )
        ],
        "makes another tensor": [edited(epoch, STEP, "w = w - rate * w.grad")],
        "The error arose while your function ran": [edited(epoch, UNRECORDED, "")],
        "zeros are a gradient to an optimizer": [edited(epoch, "grad = None", "grad.zero_()")],
        "w can no longer be trained": [  # the step is made with w.requires_grad off, which stays off after the last
            edited(epoch, "(w, batch)", "(w.requires_grad_(), batch)", UNRECORDED, "w.requires_grad_(False)\n        ")
        ],
        "The list was emptied": [
            edited(epoch, "for batch in batches:", "while batches:\n        batch = batches.pop(0)")
        ],
        "the mean": [edited(epoch, "len(losses)", "2")],
        "w has moved once, after all batches": [epoch_moved_once],
        "w has not moved": [edited(epoch, UNRECORDED + "w -= rate * w.grad\n        ", "")],
        "w has moved up the slope": [edited(epoch, "w -=", "w +=")],
        "The smallest loss is there": [edited(epoch, "max(losses)", "min(losses)")],
        "This is the sum of the losses": [  # and no graph is ever kept, where the known answer keeps one
            edited(
                epoch,
                "losses.append(loss.item())",
                "losses.append(loss.item())\n        del loss",
                " / len(losses)",
                "",
            )
        ],
    },
)

"""Exercise `epoch`: a training loop that reports its losses, and keeps no graph for it."""

import functools
import operator
import weakref

import numpy as np

import minigrad as mg
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    compare,
    draw_numbers,
    edited,
    flip,
    function_of,
    observer,
    raised,
    right_but,
    right_with_graph,
    saw,
)


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

    def __init__(self, below):
        self.below, self.tokens, self.kept = below, [], []

    def __call__(self, w, batch):
        self.kept.append(sum(token() is not None for token in self.tokens))
        token = Token()
        self.tokens.append(weakref.ref(token))
        return Holding.apply(((w - 1) * batch).sum() ** 2 - self.below, token)


@cases("batches = {batches}, w = {w}, rate = {rate}, loss = ((w - 1) * batch).sum()²", below=" - {below}")
def _case(batches, w, rate, below=0.0):
    return Losses(below), mg.tensor(w, requires_grad=True), [mg.tensor(batch) for batch in batches], rate


def _drawn(random):
    """One batch or several, losses of both signs."""
    count, size = (int(number) for number in random.integers(1, [6, 4]))
    batches, w = (draw_numbers(random, shape, 0.25, zero=False) for shape in ((count, size), size))
    yield _case(batches, w, 0.03125, 1000.0 if flip(random) else 0.0)


NAN = float("nan")
COUNT, BATCHES = "losses computed", "number of batches afterwards"
KINDS, NO_FLOAT = "what the two are", "The numbers are right. float(...) or .item() makes a float of what is none."
GRAPHS = "graphs of earlier batches at a time"
FORM, TUPLE = "in what the two came", "tuple of 2"


def _form(came):
    """The type and length of what came, where that is not one thing alone: then one of the two is missing."""
    if came is None or isinstance(came, int | float | np.number | mg.Tensor):
        return TUPLE
    return f"{type(came).__name__} of {len(came)}" if hasattr(came, "__len__") else type(came).__name__


@observer
def _watched(answer, loss_of, w, batches, rate):
    """What came back, the weights, and how many graphs were there: of the batch before, the name `loss` still has it
    when the next one is computed.
    """
    came = answer(loss_of, w, batches, rate)
    mean, largest = came if isinstance(came, tuple | list) and len(came) == 2 else (came, None)
    kept = max(loss_of.kept, default=0)
    return {
        FORM: _form(came),
        "the mean": mean,
        "the largest": None
        if mean != mean
        else largest,  # Python's max() and numpy's differ in what they make of a nan
        "w afterwards": w.detach().clone(),
        COUNT: len(loss_of.kept),
        KINDS: " and ".join("a float" if isinstance(one, float) else type(one).__name__ for one in (mean, largest)),
        GRAPHS: "1 at most" if kept <= 1 else str(kept),
        BATCHES: len(batches),
        "w.grad afterwards": w.grad,
        "w.requires_grad afterwards": w.requires_grad,
    }


def _is_rebound(outcome):
    """Whether w stayed where it was, though the losses are those of steps, or another w was met by a later batch."""
    loss_of, w = outcome.arguments[:2]
    if compare(outcome.case.make()[1], w) is not None:
        return False
    if outcome.error is not None:
        is_later = w.grad is not None and len(loss_of.kept) > 1
        return is_later and (raised("does not require grad and")(outcome) or raised("NoneType")(outcome))
    return all(compare(outcome.right[name], outcome.seen.get(name)) is None for name in ("the mean", "the largest"))


# ---------------------------------------------------------------- wrong answers

STEP, RETURN = "w -= rate * w.grad\n        w.grad = None", "sum(losses) / len(losses), max(losses)"
UNRECORDED = "with mg.no_grad():\n            "


def no_graph_at_all(*given):
    """There was nothing to walk back through, as where a loss is computed inside no_grad(), or from a w that requires
    no gradient, or is cut off before backward(). The graph is needed until the walk is over; cut off what you keep.
    """
    with mg.no_grad():
        return epoch(*given)


def one_step_for_all(loss_of, w, batches, rate):
    """w has moved only after all batches. It moves after each, and the next loss is that of the moved w."""
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


def halves(loss_of, w, batches, rate):
    """Half of what there was and half of the new loss is not the mean: the last loss counts for half of it. Add them
    up, and divide the sum by their number.
    """
    losses = []
    for batch in batches:
        losses.append(epoch(loss_of, w, [batch], rate)[0])
    return functools.reduce(lambda mean, loss: (mean + loss) / 2, losses), max(losses)


def numpys(losses):
    return np.mean(losses), np.max(losses)


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
        _case([[2.0]], [1.7654321], 0.125),
        _case([[1.0], [4.0], [0.5]], [0.5], 0.0625),  # the second loss is the largest
        _case([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], [0.5, 0.25], 0.0625, below=1000.0),
        _case([[0.01], [0.013]], [0.5], 0.0625),  # losses that a rounded number does not hold
        _case([[40.0], [1.0]], [2.0], 0.0001220703125),  # a gradient of thousands
        _case([[1.0], [NAN]], [2.0], 0.0625),
    ),
    drawn=_drawn,
    hints=(
        "Which names in the loop outlive their step, and what do they hold?",
        "total and worst hold tensors that operations on losses have made, or a loss itself. They need numbers only.",
        "losses.append(loss.item()) in each step; at the end, sum(losses) / len(losses) and max(losses).",
    ),
    plug=_watched,
    notes={
        FORM: "Two floats are asked for, in a tuple: the mean, and the largest of the losses.",
        KINDS: NO_FLOAT,
        BATCHES: "The list has got another length. It is the caller's, who needs it for the next epoch.",
        "w.grad afterwards": "Clear it after each step, and set it to None: zeros are a gradient to an optimizer.",
        "w.requires_grad afterwards": "w can no longer be trained. Switch it on again, or write to w inside no_grad().",
    },
    writes=True,
    mistakes=(
        Mistake(
            edited(epoch, UNRECORDED + STEP, "w = (w - rate * w.grad).detach().requires_grad_()"),
            edited(epoch, STEP, "w = w - rate * w.grad"),
            words="The caller's w is where it was: `w = w - ...`, for one, makes another tensor. It is to be moved "
            "itself: `w -= ...` inside no_grad().",
            when=_is_rebound,
        ),
        Mistake(
            edited(epoch, ", max(losses)", ""),
            words="There is no largest. Two floats are asked for, in a tuple: the mean, and the largest of the losses.",
            when=right_but("the largest", lambda mine, right: mine is None),
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss", "sum(losses)", "sum(loss.item() for loss in losses)"),
            words="The mean is a number, but the largest is still a tensor with its graph, as max() of tensors is. "
            "Compare numbers.",
            when=right_but("the largest", right_with_graph),
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss"),
            words="The mean is right, but what is kept of a loss for it is a tensor with its graph, as in a total or a "
            "list. Take the number out in each step, loss.item(), and use that for both.",
            when=saw("the mean", right_with_graph),
        ),
        Mistake(
            edited(epoch, "return", "losses = [loss_of(w.detach(), batch).item() for batch in batches]\n    return"),
            words="loss_of was called more often than there are batches. A loss's number is there after the forward "
            "pass: item() is all it takes.",
            when=saw(COUNT, operator.gt),
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss", RETURN, "(sum(losses) / len(losses)).item(), max(losses).item()"),
            edited(epoch, "loss.item()", "loss", "return", "losses = [loss.item() for loss in losses]\n    return"),
            words="The graphs of several batches were there at a time: item() or detach() comes after the loop, or not "
            "for all that is kept, here or in a list that outlives the call. In the loop, it keeps the memory from "
            "growing.",
            when=right_but(GRAPHS),
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
        Mistake(no_graph_at_all, when=raised("does not require grad and does not have")),
        Mistake(
            edited(epoch, "w.grad = None\n        ", ""),
            edited(epoch, "w.grad = None\n        ", "", "    return", "    w.grad = None\n    return"),
            words="The gradients of all steps pile up in w.grad. Set it to None after each step.",
        ),
        Mistake(
            one_step_for_all,
            edited(
                epoch, UNRECORDED + STEP, "pass", "return", "w.data -= rate * w.grad\n    w.grad = None\n    return"
            ),
        ),
        Mistake(
            edited(epoch, "    return", "        return"),
            words="Only the first batch was looked at, as where the return stands inside the loop, which ends there.",
        ),
        Mistake(
            edited(epoch, "loss.backward()", "(loss / len(batches)).backward()"),
            words="The steps are too short, as where the gradient is divided by the number of batches. Each batch "
            "makes a step of its own, with its whole gradient.",
        ),
        Mistake(
            edited(epoch, RETURN, "max(losses), sum(losses) / len(losses)"),
            words="The two have changed places: first the mean, then the largest.",
        ),
        Mistake(
            edited(epoch, "in batches", "in reversed(batches)"),
            words="The batches came in another order, the last one first.",
        ),
        no_step,
        uphill,
        halves,
        Mistake(
            edited(
                epoch,
                "w.grad = None\n        ",
                "",
                "        loss = loss_of",
                "        w.grad = None\n        loss = loss_of",
            ),
            words="The last gradient is still in w.grad. Clear it after the step, and not before the next.",
            when=right_but("w.grad afterwards", lambda mine, right: isinstance(mine, mg.Tensor) and bool(mine.any())),
        ),
        Mistake(
            edited(epoch, "loss.item()", "round(loss.item(), 4)"),
            words="The losses were rounded. Small ones are lost that way: keep them as they are.",
        ),
        Mistake(
            edited(epoch, "loss.item()", "loss.detach().numpy()[()]"),
            edited(epoch, "loss.item()", "loss.detach().numpy()", RETURN, "numpys(losses)"),
            when=right_but(KINDS),
            words=NO_FLOAT,
        ),
        Mistake(
            edited(epoch, "max(losses)", "min(losses)"),
            words="The smallest loss is there in place of the largest.",
        ),
    ),
    right=(
        edited(epoch, "loss.item()", "loss.detach()", RETURN, "mg.stack(losses).mean().item(), max(losses).item()"),
        edited(epoch, "loss.item()", "float(loss.detach())"),
        edited(epoch, "loss.item()", "loss.detach().numpy()", RETURN, "tuple(map(float, numpys(losses)))"),
        edited(epoch, RETURN, "numpys(losses)"),  # numpy's float64 is a float
        epoch_by_grad,
        epoch_by_an_optimizer,
    ),
    wrong={
        "Only the first batch was looked at": [edited(epoch, "in batches", "in batches[:1]")],
        "The steps are too short": [edited(epoch, "rate * w", "rate / len(batches) * w")],
        "called more often than there are batches": [edited(epoch, "in batches", "in [*batches, *batches]")],
        "The mean is right, but": [edited(epoch, "loss.item()", "loss", "max(losses)", "losses[0]")],
        "got another length": [edited(epoch, "    return", "    batches.pop()\n    return")],
        "a tensor with its graph": [epoch_by_averages],
        "this is a Tensor that holds it": [edited(epoch, "loss.item()", "loss.detach()")],
        "yours list of 2, expected tuple of 2 … Two floats are asked for, in a tuple": [
            edited(epoch, RETURN, f"[{RETURN}]")
        ],
        "yours tuple of 3": [edited(epoch, RETURN, f"{RETURN}, w")],
        "were there at a time": [
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
        "batches = [[1.0], [4.0], [0.5]]": [edited(epoch, "max(losses)", "losses[0]")],
        "w afterwards … makes another tensor": [
            edited(
                epoch,
                "loss.backward()",
                "(gradient,) = mg.autograd.grad(loss, w)",
                UNRECORDED + STEP,
                "w = (w - rate * gradient).detach().requires_grad_()",
            )
        ],
        "makes another tensor": [edited(epoch, STEP, "w = w - rate * w.grad")],
        "from a w that requires no gradient": [edited(epoch, "(w, batch)", "(w.detach(), batch)")],
        "The error arose while your function ran": [
            edited(epoch, UNRECORDED, ""),
            edited(epoch, "* w.grad", "* (-w).grad"),
        ],
        "zeros are a gradient to an optimizer": [edited(epoch, "grad = None", "grad.zero_()")],
        "w can no longer be trained": [  # the step is made with w.requires_grad off, which stays off after the last
            edited(epoch, "(w, batch)", "(w.requires_grad_(), batch)", UNRECORDED, "w.requires_grad_(False)\n        ")
        ],
        "The list has got another length": [
            edited(epoch, "for batch in batches:", "while batches:\n        batch = batches.pop(0)")
        ],
        "the mean": [
            edited(epoch, "len(losses)", "2"),
            edited(epoch, "losses.append", "loss.isfinite() and losses.append"),
        ],
        "or was measured": [edited(epoch, "loss.item()", 'float(f"{loss.item():.6g}")')],
        "batches = [[40.0], [1.0]]": [
            edited(epoch, "rate * w.grad", "rate * w.grad.clamp(-100, 100)"),
            edited(epoch, "rate * w.grad", "rate * w.grad * (loss < 1000)"),
        ],
        "w has moved only after all batches": [epoch_moved_once],
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

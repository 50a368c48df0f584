"""Exercise `descend`: the training loop, where gradients pile up unless they are cleared."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import STEP, Case, Difference, Exercise, Mistake, compare, edited, raised, show, slopes
from minigrad.teach.answers import failed_line

from .chapter03 import Counted


def descend(loss_of, w, rate, steps):
    """Change w by gradient descent; return the loss before each step."""
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def _descent_case(words, loss_of, numbers, rate, steps, earlier=None):
    def make():
        w = mg.tensor(numbers, requires_grad=True)
        if earlier is not None:
            w.grad = mg.full_like(w.detach(), earlier)
        return Counted(loss_of), w, rate, steps

    before = "" if earlier is None else f", and w.grad is full of {earlier} from an earlier walk"
    return Case(f"loss = {words}, w = {numbers}, rate = {rate}, steps = {steps}{before}", make)


def _drawn(random):
    """Losses that are no whole numbers, a w of any shape, or where the loss is 0, and as few steps as none."""
    goal, steepness = float(random.integers(-8, 9) / 4), float(random.integers(1, 9) / 4)
    numbers = [0.5, [-0.25, 1.5], [[0.75, -1.0], [0.5, 0.25]]][random.integers(3)]
    words = f"({steepness} * (w - {goal}) ** 2).sum()"
    for start, steps in ((numbers, 0), (numbers, random.integers(1, 5)), (goal, 2)):
        yield _descent_case(words, lambda w: (steepness * (w - goal) ** 2).sum(), start, 0.125, int(steps))


def _and_one_step_more(answer):
    """Run an answer, look at what it has done, and run it once more for a single step: the losses, w after both, and
    how often it computed the loss.
    """

    def run(loss_of, w, rate, steps):
        losses = answer(loss_of, w, rate, steps)
        if losses is None or losses is ...:
            return losses
        after, calls = w.detach().clone(), loss_of.calls
        answer(loss_of, w, rate, 1)
        return losses, after, calls, w.detach().clone()

    return run


def _compare_descent(expected, got, outcome):
    losses, w, calls, w_later = got
    if difference := compare(expected[1], w, "w afterwards") or compare(expected[0], losses, "the losses"):
        return difference
    for number, loss in enumerate(losses, 1):
        if isinstance(loss, mg.Tensor):
            kept = ", which keeps the whole graph that computed it" if loss.requires_grad else ""
            told = f"The numbers are right, but this is a tensor{kept}. A float is asked for: note loss.item()."
            return Difference(f"item {number} of the losses", "a tensor", "a float", told)
    if calls != expected[2]:
        told = "The numbers are right, but with more work than was asked for: one loss in each step."
        return Difference("how often the loss was computed", str(calls), str(expected[2]), told)
    told = "A gradient or a hook was left behind, and the next call began with it: clear w.grad before each backward()."
    later = compare(expected[3], w_later, "w, after one step more in a second call")
    return later and Difference(later.where, later.yours, later.expected, told)


def _show_descent(value, arguments):
    if not isinstance(value, tuple):
        return show(value)
    losses, w, _, w_later = value
    return f"losses {show(losses)}; w afterwards {show(w)}, and after one step more {show(w_later)}"


def _measured_descent(outcome):
    """The slope of the loss where the descent starts, and where the first step leads."""
    loss_of, w, rate, _ = outcome.case.make()
    lines = []
    for place, slope in slopes(loss_of, w):
        value = w.detach().numpy()[place]
        name = f"w[{place[0]}]" if place else "w"
        lines.append(
            f"  {name} moved by {STEP} at the start: the slope is {slope:.4g}, so the first step goes from {value:.4g} "
            f"to {value - rate * slope:.4g}"
        )
    return "\n".join(lines)


def _has_no_gradient_to_use(outcome):
    """Whether the error is that of a .grad which is None, or that of a new w which needs no gradient."""
    error = outcome.error
    if isinstance(error, RuntimeError):  # in the first step it is not w that is new
        return _no_graph(outcome) and outcome.arguments[0].calls > 1 and outcome.arguments[1].requires_grad
    is_none = isinstance(error, TypeError | AttributeError) and "NoneType" in str(error)
    return is_none and ".grad" in failed_line(outcome.answer, error)


def _no_graph(outcome):
    return isinstance(outcome.error, RuntimeError) and "does not require grad" in str(outcome.error)


def _in_losses(test):
    """For `when`: the losses that were returned are such, for so many steps."""
    return lambda outcome: isinstance(outcome.value, tuple) and test(outcome.value[0], outcome.arguments[3])


def _at_work(answer):
    from .chapter03_at_work import digits_trained  # only when it is shown: it reads the images

    return digits_trained(answer)


# ---------------------------------------------------------------- wrong answers


def recorded_the_update(loss_of, w, rate, steps):
    """w was changed while operations were being recorded. A leaf may be changed in place only inside `with
    mg.no_grad():`.
    """
    for _ in range(steps):
        loss_of(w).backward()
        w -= rate * w.grad
        w.grad = None
    return []


def never_cleared(loss_of, w, rate, steps):
    """The gradients of all steps pile up: backward() adds to .grad, and nothing clears it. Set w.grad = None in each
    step, before backward().
    """
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def cleared_at_the_end(loss_of, w, rate, steps):
    losses = never_cleared(loss_of, w, rate, steps)
    w.grad = None
    return losses


def cleared_at_the_beginning(loss_of, w, rate, steps):
    w.grad = None
    return never_cleared(loss_of, w, rate, steps)


def cleared_only_afterwards(loss_of, w, rate, steps):
    """The first step went by more than its own gradient: one of an earlier walk was there already when the function was
    called, and backward() added to it. Set w.grad = None before backward().
    """
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses


def one_loss_for_all(loss_of, w, rate, steps):
    """The loss was computed once, before the loop, and the same graph was walked again and again. w has moved: compute
    loss_of(w) in each step.
    """
    losses, loss = [], loss_of(w)
    for _ in range(steps):
        losses.append(loss.item())
        loss.backward(retain_graph=True)
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses


def one_step_more(loss_of, w, rate, steps):
    """One step too many: the list holds one loss for each of the steps."""
    return descend(loss_of, w, rate, steps + 1)


def one_step_less(loss_of, w, rate, steps):
    """One step is missing: range(steps) goes round `steps` times, and range(1, steps) once less."""
    return cleared_only_afterwards(loss_of, w, rate, steps - 1)


def last_loss_only(loss_of, w, rate, steps):
    """This is one loss. Asked for are all, in a list: append(loss.item()) in each step."""
    return descend(loss_of, w, rate, steps)[-1]


def uphill(loss_of, w, rate, steps):
    """w goes uphill: the loss grows where the gradient points. Subtract rate * w.grad."""
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w += rate * w.grad
        w.grad = None
    return losses


def new_name_for_w(loss_of, w, rate, steps):
    """The caller's w has not changed: the steps were made on another tensor, which a copy is, or w = w - ... makes.
    Change w in place, with w -= ...
    """
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w = (w - rate * w.grad).detach().requires_grad_()
    return losses


def losses_after_the_steps(loss_of, w, rate, steps):
    """The losses are those after each step. They are asked for before it, beginning with the loss of the w
    that came in.
    """
    losses = []
    for _ in range(steps):
        loss_of(w).backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        losses.append(loss_of(w).item())
    return losses


def _either_way(answer):
    """A wrong answer that clears after each step, and one that has cleared before each."""

    def cleared_first(loss_of, w, rate, steps):
        w.grad = None
        return answer(loss_of, w, rate, steps)

    return answer, cleared_first


# ---------------------------------------------------------------- tried as well


def trained(loss_of, w, rate, steps, note, clear=True):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(note(loss))
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        if clear:
            w.grad = None
    return losses


def descend_and_leave_the_last(loss_of, w, rate, steps):
    losses = []
    for step in range(steps):
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=step < steps - 1)
    return losses


def descend_once_at_least(loss_of, w, rate, steps):
    w.grad = None
    return trained(loss_of, w, rate, max(steps, 1), mg.Tensor.item)


def descend_the_sum(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        (slope,) = mg.autograd.grad(loss, w)
        with mg.no_grad():
            w -= rate * slope.sum() / w.numel()
    return losses


def descend_from_a_copy(loss_of, w, rate, steps):
    return trained(loss_of, w.detach().clone().requires_grad_(), rate, steps, mg.Tensor.item)


def descend_by_data(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = loss_of(w)
        loss.backward()
        w.data = w.data - rate * w.grad
        losses.append(loss.item())
    return tuple(losses)


def descend_in_numpy_numbers(loss_of, w, rate, steps):
    w.grad = None
    return trained(loss_of, w, rate, steps, lambda loss: np.float32(loss.item()))


def descend_and_zero(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        if w.grad is not None:
            w.grad.zero_()
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=False)
    return losses


def descend_with_one_gradient_too_many(loss_of, w, rate, steps):
    losses = trained(loss_of, w, rate, steps, mg.Tensor.item, clear=False)
    w.grad = None
    return losses


def descend_uphill(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, -rate, 1, mg.Tensor.item)
    return losses


def descend_without_the_flag(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item)
        w.requires_grad_(False)
    return losses


def descend_until_it_is_0(loss_of, w, rate, steps):
    losses = []
    while len(losses) < steps and not (losses and losses[-1] < 1e-3):
        w.grad = None
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item)
    return losses


def descend_with_a_hook(loss_of, w, rate, steps):
    w.register_hook(lambda gradient: rate * gradient)
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, 1.0, 1, mg.Tensor.item)
    return losses


def descend_and_put_back_the_flag(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        (slope,) = mg.autograd.grad(loss, w)
        w.requires_grad_(False).sub_(rate * slope).requires_grad_(True)
        losses.append(loss.item())
    return losses


def descend_with_an_optimizer(loss_of, w, rate, steps):
    optimizer, losses = mg.optim.SGD([w], lr=rate), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(w)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().item())
    return losses


def descend_by_grad(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        (slope,) = grad(loss, w)
        w.data.sub_(rate * slope)
    return losses


EXERCISE = Exercise(
    title="a list of floats, the loss before each step; w itself is changed",
    stars=1,
    minutes=6,
    reference=descend,
    cases=(
        _descent_case("(w - 3) ** 2", lambda w: (w - 3) ** 2, 0.0, 0.1, 4),
        _descent_case(
            "((w - tensor([1., -2.])) ** 2).sum()",
            lambda w: ((w - mg.tensor([1.0, -2.0])) ** 2).sum(),
            [0.0, 0.0],
            0.25,
            3,
        ),
        _descent_case("(w - 3) ** 2", lambda w: (w - 3) ** 2, 0.0, 0.1, 4, earlier=5.0),
    ),
    hints=(
        "Four things happen in each step, always in this order: clear the gradient of w, loss, backward, change w.",
        (
            "Changing w must not be recorded, and must happen in place, because w is the tensor that the "
            "caller looks at: with mg.no_grad(): w -= ..."
        ),
        (
            "w.grad = None; loss = loss_of(w); losses.append(loss.item()); loss.backward(); then, with mg.no_grad(): "
            "w -= rate * w.grad."
        ),
    ),
    drawn=_drawn,
    plug=_and_one_step_more,
    compare=_compare_descent,
    show=_show_descent,
    evidence=_measured_descent,
    writes=True,
    at_work=_at_work,
    mistakes=(
        Mistake(
            recorded_the_update,
            when=raised("a leaf Variable that requires grad is being used in an in-place operation"),
        ),
        Mistake(
            edited(descend, "):\n        w.grad = None", "):", "with", "w.grad = None\n        with"),
            words="w.grad is None where it is needed: either backward() has not run yet, or w = w - ... has made a "
            "new tensor, which is not the leaf any more. Change w in place: w -= ...",
            when=_has_no_gradient_to_use,
        ),
        Mistake(
            edited(
                recorded_the_update,
                "w -= rate * w.grad\n        w.grad = None",
                "w.requires_grad_(False)\n        w -= rate * w.grad",
            ),
            words="w does not require a gradient any more: it was switched off, and not on again. Inside `with "
            "mg.no_grad():` w may be changed, and keeps its flag.",
            when=lambda outcome: _no_graph(outcome) and not outcome.arguments[1].requires_grad,
        ),
        Mistake(never_cleared, cleared_at_the_end, cleared_at_the_beginning),
        cleared_only_afterwards,
        Mistake(
            edited(descend, "):\n        w.grad = None", "):", "with", "w.grad.zero_()\n        with"),
            words="The gradient was cleared before it was used, so w never moves. Clear it after the step.",
        ),
        Mistake(
            edited(descend, "):\n        w.grad = None", "):", "rate * w.grad", "rate\n        w.grad = None"),
            words="w moves by rate, whatever its slope is. The step is rate times w.grad.",
        ),
        Mistake(*_either_way(one_loss_for_all)),
        Mistake(
            one_step_more,
            when=_in_losses(lambda losses, steps: isinstance(losses, list) and len(losses) == steps + 1),
        ),
        Mistake(*_either_way(one_step_less)),
        Mistake(
            last_loss_only,
            when=_in_losses(lambda losses, steps: isinstance(losses, float)),
        ),
        Mistake(*_either_way(uphill)),
        Mistake(*_either_way(new_name_for_w)),
        Mistake(*_either_way(losses_after_the_steps)),
    ),
    right=(
        descend_by_data,
        descend_in_numpy_numbers,
        descend_and_zero,
        descend_and_put_back_the_flag,
        descend_with_an_optimizer,
        descend_by_grad,
    ),
    wrong={
        "this is a tensor, which keeps the whole graph that computed it. A float is asked for": [
            lambda loss_of, w, rate, steps: trained(loss_of, w, rate, steps, lambda loss: loss)
        ],
        "this is a tensor. A float is asked for": [
            lambda loss_of, w, rate, steps: trained(loss_of, w, rate, steps, lambda loss: loss.detach())
        ],
        "": [
            lambda loss_of, w, rate, steps: trained(loss_of, w, rate, steps, lambda loss: round(loss.item(), 1)),
            descend_the_sum,
        ],
        "A gradient or a hook was left behind": [descend_and_leave_the_last, descend_with_a_hook],
        "more work than was asked for … The first step went by more than its own gradient": [
            edited(
                descend_uphill,
                "w.grad = None\n        losses += trained(loss_of, w, -rate, 1, mg.Tensor.item)",
                "losses.append(loss_of(w).item())\n        trained(loss_of, w, rate, 1, mg.Tensor.item)",
            )
        ],
        "steps = 0 … One step too many": [descend_once_at_least],
        "The caller's w has not changed": [descend_from_a_copy],
        "The first step went by more than its own gradient": [
            edited(
                descend_uphill,
                "w.grad = None\n        losses += trained(loss_of, w, -rate, 1, mg.Tensor.item)",
                "losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=False)\n        w.grad.zero_()",
            )
        ],
        "The gradients of all steps pile up": [descend_with_one_gradient_too_many],
        "One step is missing": [edited(descend_uphill, "range(steps):", "range(1, steps):", "w, -rate", "w, rate")],
        "w goes uphill": [descend_uphill],
        "w does not require a gradient any more": [descend_without_the_flag],
        "drawn at random": [descend_until_it_is_0],
    },
)

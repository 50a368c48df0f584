"""Exercise `descend`: the training loop, where gradients pile up unless they are cleared."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import STEP, Exercise, Mistake, Noted, cases, compare, edited, observer, raised, saw, slopes
from minigrad.teach.answers import failed_line
from minigrad.teach.draws import draw_numbers, formula, pick


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


@cases(
    "loss = {words}, w = {numbers}, rate = {rate}, steps = {steps}",
    earlier=", and w.grad is full of {earlier} from an earlier walk",
)
def _descent_case(words, numbers, rate, steps, earlier=None):
    w = mg.tensor(numbers, requires_grad=True)
    w.grad = None if earlier is None else mg.full_like(w.detach(), earlier)
    return Noted(words, formula(words, "w")), w, rate, steps


def _drawn(random):
    """Losses that are no whole numbers, a w of any shape, or where the loss is 0, and as few steps as none."""
    goal, steepness = draw_numbers(random, unit=0.25, most=2), float(random.integers(1, 9) / 4)
    numbers = pick(random, [0.5, [-0.25, 1.5], [[0.75, -1.0], [0.5, 0.25]]])
    for start, steps in ((numbers, 0), (numbers, random.integers(1, 5)), (goal, 2)):
        yield _descent_case(f"({steepness} * (w - {goal}) ** 2).sum()", start, 0.125, int(steps))


@observer
def _and_one_step_more(answer, loss_of, w, rate, steps):
    """What an answer has done, and what it does when it is called once more, for a single step."""
    losses = answer(loss_of, w, rate, steps)
    losses = [*losses] if isinstance(losses, list) else losses  # a second call may add to the same one
    seen = {"the losses": losses, "w afterwards": w.detach().clone()}
    seen["how often the loss was computed"] = len(loss_of.calls)
    answer(loss_of, w, rate, 1)
    return {**seen, "w, after one step more in a second call": w.detach().clone()}


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
    """Whether the error is that of a .grad which is None."""
    error = outcome.error
    is_none = isinstance(error, TypeError | AttributeError) and "NoneType" in str(error)
    return is_none and "w.grad" in failed_line(outcome.answer, error)


def _went_on_with_another(outcome):
    """Whether the error is that of a loss of another w than came in, which requires no gradient."""
    calls = outcome.arguments[0].calls
    if not (_no_graph(outcome) and calls and isinstance(calls[-1][0], mg.Tensor)):
        return False
    (last,) = calls[-1]
    return last is not outcome.arguments[1] and not last.requires_grad


def _no_graph(outcome):
    return isinstance(outcome.error, RuntimeError) and "does not require grad" in str(outcome.error)


def _differ(mine, right):
    return compare(right, mine) is not None


def _one_more(outcome):
    """Whether there is one loss more than there are steps."""
    return saw("the losses", lambda mine, right: isinstance(mine, list) and len(mine) == len(right) + 1)(outcome)


def _has_gone_on(outcome):
    """Whether w is where one step more leads."""
    return compare(outcome.right["w, after one step more in a second call"], outcome.seen["w afterwards"]) is None


def _at_work(answer):
    from .chapter03_at_work import digits_trained  # only when it is shown: it reads the images

    return digits_trained(answer)


# ---------------------------------------------------------------- wrong answers


UPDATE = "with mg.no_grad():\n            w -= rate * w.grad"
never_cleared = edited(descend, "w.grad = None\n        ", "")
cleared_only_afterwards = edited(never_cleared, "rate * w.grad", "rate * w.grad\n        w.grad = None")
uphill = edited(cleared_only_afterwards, "w -=", "w +=")


def _either_way(answer):
    """A wrong answer that clears after each step, and one that has cleared before each."""

    def cleared_first(loss_of, w, rate, steps):
        w.grad = None
        return answer(loss_of, w, rate, steps)

    return answer, cleared_first


# ---------------------------------------------------------------- tried as well


descend_by_data = edited(descend, UPDATE, "w.data = w.data - rate * w.grad")
descend_and_zero = edited(descend, "w.grad = None", "if w.grad is not None:\n            w.grad.zero_()")
descend_without_the_flag = edited(descend, "rate * w.grad", "rate * w.grad\n        w.requires_grad_(False)")


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
        _descent_case("(w - 3) ** 2", 0.0, 0.1, 4),
        _descent_case("((w - tensor([1., -2.])) ** 2).sum()", [0.0, 0.0], 0.25, 3),
        _descent_case("(w - 3) ** 2", 0.0, 0.1, 4, earlier=5.0),
        _descent_case("(w - 3) ** 2", 0.0, 0.0625, 100),
        _descent_case("(w ** 4).sum()", [30.0, -2.0], 0.0001, 2),  # slopes of a hundred thousand
        _descent_case("w * w", 1.0, 2.5, 4),  # the loss grows
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
    notes={
        "how often the loss was computed": "The numbers are right, but with more work than was asked for: one loss in "
        "each step.",
        "w, after one step more in a second call": "Something was left behind, such as a gradient or a hook, and the "
        "next call began with it: clear w.grad before each backward().",
    },
    evidence=_measured_descent,
    writes=True,
    at_work=_at_work,
    mistakes=(
        Mistake(
            edited(descend, UPDATE, "w -= rate * w.grad"),
            words="w was changed while operations were being recorded. A leaf may be changed in place only inside "
            "`with mg.no_grad():`.",
            when=raised("a leaf Variable that requires grad is being used in an in-place operation"),
        ),
        Mistake(
            edited(never_cleared, "with", "w.grad = None\n        with"),
            words="w has no gradient where it is needed. Either no walk has written one yet, or none since it was "
            "cleared: use it after the walk; and w.grad = None clears it also where there is none. Or w = w - ... has "
            "made a new tensor, which is not the leaf any more: change w in place, w -= ...",
            when=_has_no_gradient_to_use,
        ),
        Mistake(
            edited(descend, UPDATE, "with mg.no_grad():\n            w = w - rate * w.grad"),
            words="There is nothing to walk: this loss was computed from a new tensor that requires no gradient, as w "
            "= w - ... makes inside no_grad(). Change w in place, w -= ...: it stays the caller's leaf.",
            when=_went_on_with_another,
        ),
        Mistake(
            edited(descend, UPDATE, "w.requires_grad_(False)\n        w -= rate * w.grad"),
            words="w does not require a gradient any more: it was switched off, and not on again. Inside `with "
            "mg.no_grad():` w may be changed, and keeps its flag.",
            when=lambda outcome: _no_graph(outcome) and not outcome.arguments[1].requires_grad,
        ),
        Mistake(
            never_cleared,
            edited(never_cleared, "return", "w.grad = None\n    return"),
            edited(never_cleared, "losses = []", "losses, w.grad = [], None"),
            words="The gradients of all steps pile up: backward() adds to .grad, and nothing clears it from step to "
            "step. Set w.grad = None in each, before backward().",
        ),
        Mistake(
            cleared_only_afterwards,
            words="The first step went by more than its own gradient: one of an earlier walk was there already when "
            "the function was called, and backward() added to it. Set w.grad = None before backward().",
        ),
        Mistake(
            edited(never_cleared, "with", "w.grad.zero_()\n        with"),
            words="w never moves, as where its gradient is cleared before it is used, or the step is left out. Change "
            "w by rate * w.grad, after backward(), and clear that before the next one.",
        ),
        Mistake(
            edited(cleared_only_afterwards, "rate * w.grad", "rate"),
            words="w moves by rate, whatever its slope is. The step is rate times w.grad.",
        ),
        Mistake(
            *_either_way(
                edited(
                    cleared_only_afterwards,
                    *("losses = []", "losses, loss = [], loss_of(w)"),
                    *("loss = loss_of(w)\n        ", "", "backward()", "backward(retain_graph=True)"),
                )
            ),
            words="The loss was computed only once, and each step has its gradient. w has moved meanwhile: compute "
            "loss_of(w) in each step.",
        ),
        Mistake(
            edited(descend, "return losses", "return [*losses, loss_of(w).item()]"),
            words="One loss too many: w has made its steps, and the list is to hold the loss before each of them, "
            "but none after the last.",
            when=lambda outcome: _one_more(outcome) and not saw("w afterwards", _differ)(outcome),
        ),
        Mistake(
            edited(descend, "range(steps)", "range(steps + 1)"),
            words="One step too many: the list holds one loss for each of the steps.",
            when=lambda outcome: _one_more(outcome) and _has_gone_on(outcome),
        ),
        Mistake(
            *_either_way(edited(cleared_only_afterwards, "range(steps)", "range(1, steps)")),
            words="One step is missing: range(steps) goes round `steps` times, and range(1, steps) once less.",
        ),
        Mistake(
            edited(descend, "return losses", "return losses[-1]"),
            words="This is one number. Asked for are all losses, in a list: append(loss.item()) in each step.",
            when=saw("the losses", lambda losses, right: isinstance(losses, float)),
        ),
        Mistake(
            *_either_way(uphill),
            words="w goes uphill: the loss grows where the gradient points. Subtract rate * w.grad.",
        ),
        Mistake(
            *_either_way(edited(never_cleared, UPDATE, "w = (w - rate * w.grad).detach().requires_grad_()")),
            words="The caller's w has not changed: the steps were made on another tensor, which a copy is, or w = w - "
            "... makes. Change w in place, with w -= ...",
        ),
        Mistake(
            *_either_way(
                edited(
                    cleared_only_afterwards,
                    *("losses.append(loss.item())\n        ", ""),
                    *("w.grad = None", "w.grad = None\n        losses.append(loss_of(w).item())"),
                )
            ),
            words="The losses are those after each step. They are asked for before it, beginning with the loss of the "
            "w that came in.",
        ),
    ),
    right=(
        descend_by_data,
        edited(descend, "loss.item()", "loss.detach().numpy()[()]"),
        descend_and_zero,
        edited(descend, UPDATE, "w.requires_grad_(False).sub_(rate * w.grad).requires_grad_(True)"),
        descend_with_an_optimizer,
        descend_by_grad,
    ),
    wrong={
        "that holds it, and its graph with it": [edited(descend, "loss.item()", "loss")],
        "this is a Tensor that holds it: .item() takes the number out": [
            edited(descend, "loss.item()", "loss.detach()")
        ],
        "a list is asked for, and this is a tuple": [edited(descend, "return losses", "return tuple(losses)")],
        "w = [0.0, 0.0]": [edited(descend_by_grad, "steps):\n    losses =", "steps, losses=[]):\n    _ =")],
        "": [
            edited(descend, "loss.item()", "round(loss.item(), 1)"),
            edited(descend, "rate * w.grad", "rate * w.grad.sum() / w.numel()"),
        ],
        "Something was left behind": [
            edited(
                cleared_only_afterwards,
                *("for _", "for step", "w.grad = None", "w.grad = None if step < steps - 1 else w.grad"),
            ),
            edited(
                descend,
                *("losses = []", "losses, _ = [], w.register_hook(lambda gradient: rate * gradient)"),
                *("rate * w.grad", "w.grad"),
            ),
        ],
        "more work than was asked for": [edited(cleared_only_afterwards, "loss.item()", "loss_of(w).item()")],
        "w never moves": [edited(descend, "w -= rate * w.grad", "pass")],
        "likely None of the mistakes that are known here": [
            edited(descend, "w -=", "w +=", "return", "losses.append(0.0)\n    return")
        ],
        "w = [30.0, -2.0]": [edited(descend, "w.grad\n", "w.grad.clamp(-1e4, 1e4)\n")],
        "steps = 100": [edited(descend, "range(steps)", "range(min(steps, 60))")],
        "steps = 0 … One step too many": [edited(descend, "range(steps)", "range(max(steps, 1))")],
        "The caller's w has not changed": [
            edited(descend, "losses = []", "losses, w = [], w.detach().clone().requires_grad_()")
        ],
        "The first step went by more than its own gradient": [
            edited(cleared_only_afterwards, "w.grad = None", "w.grad.zero_()")
        ],
        "The gradients of all steps pile up": [edited(never_cleared, "return", "w.grad = None\n    return")],
        "loss = w * w": [
            edited(
                descend,
                "losses.append",
                "if losses and loss.item() > losses[-1]:\n            break\n        losses.append",
            ),
            edited(descend, "with", "if losses[-1] > 10 * losses[0]:\n            continue\n        with"),
        ],
        "this loss was computed from a new tensor": [
            edited(descend, "losses = []", "losses, w = [], w.detach().clone()"),
            edited(descend, UPDATE, "w = w.detach() - rate * w.grad"),
        ],
        "w.grad = None clears it also where there is none": [edited(descend, "w.grad = None", "w.grad.zero_()")],
        "something went through float32": [edited(descend, "rate * w.grad", "(rate * w.grad).float()")],
        "One step is missing": [edited(descend, "range(steps)", "range(1, steps)")],
        "w goes uphill": [edited(descend, "w -=", "w +=")],
        "w does not require a gradient any more": [descend_without_the_flag],
        "100 values are asked for; these are 36": [
            edited(descend, "for _ in range(steps)", "while len(losses) < steps and not (losses and losses[-1] < 1e-3)")
        ],
    },
)

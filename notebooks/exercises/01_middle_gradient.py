"""Exercise `middle_gradient`: the gradient of a result."""

import dis
import warnings
from itertools import pairwise
from types import FunctionType

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    draw_numbers,
    draw_wrong_node,
    edited,
    instead,
    measured_slopes,
    raised,
    saw,
)


def middle_gradient(w, x, target):
    """The gradient of the loss with respect to hidden."""
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden.grad


@cases("w = {w}, x = {x}, target = {target}", earlier=", and w.grad is full of {earlier} from an earlier walk")
def _model(w, x, target, earlier=None):
    leaf = mg.tensor(w, requires_grad=True)
    leaf.grad = None if earlier is None else mg.full_like(leaf.detach(), earlier)
    return leaf, mg.tensor(x), mg.tensor(target)


def _drawn(random):
    """Two dimensions, an x with a 0 in it and a w that already has a gradient; one w for several of x."""
    w, x = draw_numbers(random, (2, 2, 3), unit=0.125, most=1.5)
    x[1][random.integers(3)] = 0.0
    target = draw_numbers(random, unit=0.25, most=2)
    yield _model(w, x, target, earlier=float(random.integers(1, 9)))
    yield _model(w[0][:1], x[0], target)


def _measured_middle(outcome):
    w, x, target = (argument.detach() for argument in outcome.arguments)
    return measured_slopes(lambda hidden: (hidden.tanh().sum() - target) ** 2, w * x, name="each element of hidden")


def _draw_middle(outcome, difference):
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w.requires_grad_() * x
    loss = (hidden.tanh().sum() - target) ** 2
    return draw_wrong_node(loss, {"w": w, "x": x, "hidden": hidden, "loss": loss}, "hidden", "✗ this one is asked for")


def _walked_and_returned_none(outcome):
    """Whether backward has run, and what is returned after it is None: not because a `return` is missing."""
    w, (before, *_) = outcome.arguments[0], outcome.case.make()
    steps = list(dis.get_instructions(outcome.answer)) if isinstance(outcome.answer, FunctionType) else []
    endings = [last for last, step in pairwise(steps) if step.opname == "RETURN_VALUE"]
    returns = any(last.opname != "LOAD_CONST" or last.argval is not None for last in endings)
    walked = w.grad is not None and (before.grad is None or not mg.equal(w.grad, before.grad))
    return outcome.error is None and outcome.value is None and returns and walked


# ---------------------------------------------------------------- wrong answers


def did_not_retain_hidden(w, x, target):
    """None was returned. Was it hidden.grad? A result keeps no gradient unless it is asked to: by
    retain_grad(), on w * x itself, before loss.backward(). And a name that stands for another result since, as after
    hidden = hidden.tanh(), asks that one.
    """
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hidden.grad


def gradient_of_w(w, x, target):
    """This is the gradient of w. The one of hidden comes by one step earlier."""
    hidden = w * x
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward()
    return w.grad


def gradient_after_tanh(w, x, target):
    """This is the gradient of tanh(hidden). The one of hidden comes by one step later."""
    hidden = (w * x).tanh()
    hidden.retain_grad()
    ((hidden.sum() - target) ** 2).backward()
    return hidden.grad


def walked_twice_and_kept(w, x, target):
    """This is twice the gradient, as when backward() has run twice: .grad adds up."""
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward(retain_graph=True)
    loss.backward()
    return hidden.grad


def forgot_the_square(w, x, target):
    """The square is missing: the loss is (hidden.tanh().sum() - target) ** 2."""
    hidden = w * x
    (gradient,) = mg.autograd.grad(hidden.tanh().sum() - target, hidden)
    return gradient


def walked_twice(w, x, target):
    """The walk was run a second time over the same graph, and its saved values are gone after the first. One walk is
    enough.
    """
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward()
    loss.backward()
    return hidden.grad


# ---------------------------------------------------------------- tried as well


def middle_never_flat(w, x, target):
    height = (w * x).detach().tanh()
    return 2 * (height.sum() - target) * (1 - height**2).clamp(min=1e-3)


def middle_through_w(w, x, target):
    middle_gradient(w, x, target)
    return w.grad / x


def middle_of_one_dimension(w, x, target):
    activated = (w * x).detach().tanh()
    return 2 * (activated.sum(dim=0) - target) * (1 - activated**2)


def middle_in_the_shape_of_w(w, x, target):
    w.grad = None
    middle_gradient(w, x, target)
    return w.grad


def middle_without_a_return(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    hidden.grad  # noqa: B018


def middle_of_another_hidden(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    hidden = hidden.tanh()
    ((hidden.sum() - target) ** 2).backward()
    return hidden._grad


def middle_that_freezes(w, x, target):
    gradient = middle_gradient(w, x, target)
    w.requires_grad_(False)
    return gradient


def middle_by_a_hook(w, x, target):
    hidden, seen = w * x, []
    hidden.register_hook(seen.append)
    ((hidden.tanh().sum() - target) ** 2).backward()
    return seen[0]


def middle_asked_for(w, x, target):
    hidden = w * x
    return grad((hidden.tanh().sum() - target) ** 2, hidden)[0]


def middle_by_rule(w, x, target):
    activated = mg.tanh(w * x).detach()
    return 2 * (activated.sum() - target) * (1 - activated**2)


EXERCISE = Exercise(
    title="a tensor: the gradient of the loss with respect to hidden",
    stars=2,
    minutes=6,
    reference=middle_gradient,
    cases=(
        _model([0.3, -0.2, 0.5], [1.0, 2.0, -1.0], 2.0),
        _model([1.0, 0.5], [0.5, -0.5], -1.0),
        _model([0.1], [3.0], 0.0),
        _model([0.5, -1.0], [0.0, 2.0], 1.0),
        _model([4.0, -3.0], [2.0, 2.0], 0.5),  # where tanh is flat
    ),
    hints=(
        "hidden is a result, so its .grad stays None unless you ask for it.",
        "hidden.retain_grad() asks, and it has to ask before backward() runs.",
        "Compute hidden, call hidden.retain_grad(), compute the loss, call loss.backward(), return hidden.grad.",
    ),
    drawn=_drawn,
    evidence=_measured_middle,
    picture=_draw_middle,
    mistakes=(
        Mistake(
            did_not_retain_hidden,
            edited(middle_gradient, "x\n    hidden.retain_grad()", "x", "return", "hidden.retain_grad()\n    return"),
            when=_walked_and_returned_none,
        ),
        Mistake(gradient_of_w, lambda w, x, target: mg.autograd.grad((mg.tanh(w * x).sum() - target) ** 2, w)[0]),
        gradient_after_tanh,
        Mistake(
            edited(middle_gradient, "x\n    hidden.retain_grad()", "x", "hidden.grad", "hidden"),
            words="This is hidden itself, not its gradient.",
        ),
        walked_twice_and_kept,
        Mistake(
            edited(middle_gradient, "tanh().sum", "sum"),
            words="tanh is missing: the loss is the square of hidden.tanh().sum() - target.",
        ),
        forgot_the_square,
        Mistake(
            edited(forgot_the_square, "(hidden.tanh().sum() - target,", "(((hidden.tanh() - target) ** 2).sum(),"),
            words="target was subtracted from each element. The loss takes it from their sum, once.",
        ),
        Mistake(
            middle_through_w,
            edited(
                middle_through_w,
                "return w.grad / x",
                "w.grad = None\n    middle_gradient(w, x, target)\n    return w.grad / x",
            ),
            lambda w, x, target: gradient_of_w(w.detach().clone().requires_grad_(), x, target) / x,
            words="This is the gradient of w, divided by x, and where x is 0 that is no number. Ask for the gradient "
            "of hidden itself.",
        ),
        Mistake(
            edited(middle_by_rule, "1 - activated**2", "1 - (w * x).detach() ** 2"),
            words="The slope of tanh was taken for 1 - hidden ** 2. It is 1 - tanh(hidden) ** 2.",
        ),
        Mistake(
            edited(middle_by_rule, "(activated.sum() - target)", "(target - activated.sum())"),
            words="The sign is turned around. The derivative of (sum - target) ** 2 is 2 * (sum - target), whichever "
            "of the two is larger.",
            when=instead(lambda right: -right),
        ),
        Mistake(
            edited(
                middle_by_a_hook,
                "hidden.register_hook(seen.append)\n    ",
                "",
                "return",
                "hidden.register_hook(seen.append)\n    return",
            ),
            words="There was nothing where you looked for what the hook had seen. Was it registered after the walk, or "
            "on a tensor on which the loss does not rest? Register it on hidden, before backward().",
            when=raised("list index out of range", kind=IndexError),
        ),
        Mistake(
            edited(middle_asked_for, "[0]", ""),
            words="This is a tuple, as autograd.grad gives one, with a gradient for each input. Take that of hidden "
            "out: [0], where it is the only one.",
            when=saw("the answer", lambda mine, right: isinstance(mine, tuple)),
        ),
        Mistake(walked_twice, when=raised("a second time")),
    ),
    right=(
        middle_by_a_hook,
        edited(middle_gradient, "w * x\n    hidden.retain_grad", "(w * x).detach().requires_grad_"),
        edited(middle_gradient, "x\n    hidden.retain_grad()", "x", "backward()", "backward(inputs=[hidden])"),
        middle_asked_for,
        middle_by_rule,
    ),
    wrong={
        "": [edited(middle_asked_for, "grad((hidden.tanh().sum", "mg.autograd.grad((hidden.tanh().mean")],
        "Was it hidden.grad": [edited(middle_gradient, "return hidden", "return x")],
        "a name that stands for another result": [middle_of_another_hidden],
        "w = [[": [middle_of_one_dimension],
        "w = [4.0, -3.0]": [middle_never_flat],
        "This is the gradient of w": [middle_in_the_shape_of_w],
        "something went through float32": [edited(middle_asked_for, "[0]", "[0].float()")],
        "likely None of the mistakes that are known": [
            lambda w, x, target: (middle_gradient(w, x, target) * 100).round() / 100
        ],
        "The answer is right, but afterwards w.requires_grad is not what it was": [middle_that_freezes],
        "None came back": [
            edited(middle_gradient, "((hidden.tanh().sum() - target) ** 2).backward()\n    ", ""),
            middle_without_a_return,
        ],
    },
)

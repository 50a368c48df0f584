"""Exercise `middle_gradient`: the gradient of a result."""

import warnings

import minigrad as mg
from minigrad.teach import STEP, Case, Exercise, Mistake, draw_wrong_node, raised


def middle_gradient(w, x, target):
    """The gradient of the loss with respect to hidden."""
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden.grad


def _model(w, x, target):
    return Case(
        f"w = {w}, x = {x}, target = {target}",
        lambda: (mg.tensor(w, requires_grad=True), mg.tensor(x), mg.tensor(target)),
    )


def _measured_middle(outcome):
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w * x
    lines = []
    for place in range(len(hidden)):
        values = []
        for step in (-STEP, STEP):
            moved = hidden.clone()
            moved[place] = moved[place] + step
            values.append(((moved.tanh().sum() - target) ** 2).item())
        slope = (values[1] - values[0]) / (2 * STEP)
        lines.append(f"  moving hidden[{place}] by {STEP} to both sides: the loss has slope {slope:.3g}")
    return "\n".join(lines)


def _draw_middle(outcome, difference):
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w.requires_grad_() * x
    loss = (hidden.tanh().sum() - target) ** 2
    return draw_wrong_node(loss, {"w": w, "x": x, "hidden": hidden, "loss": loss}, "hidden", "✗ this one is asked for")


# ---------------------------------------------------------------- wrong answers


def did_not_retain_hidden(w, x, target):
    """hidden.grad is None: a result keeps no gradient. Call hidden.retain_grad() before loss.backward(),
    not after it.
    """
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hidden.grad


def retained_too_late(w, x, target):
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    hidden.retain_grad()
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


def hidden_instead(w, x, target):
    """This is hidden itself, not its gradient."""
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden


def walked_twice_and_kept(w, x, target):
    """This is twice the gradient: backward() has run twice, and .grad adds up."""
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward(retain_graph=True)
    loss.backward()
    return hidden.grad


def forgot_tanh(w, x, target):
    """tanh is missing: the loss is the square of hidden.tanh().sum() - target."""
    hidden = w * x
    hidden.retain_grad()
    ((hidden.sum() - target) ** 2).backward()
    return hidden.grad


def forgot_the_square(w, x, target):
    """The square is missing: the loss is (hidden.tanh().sum() - target) ** 2."""
    hidden = w * x
    (gradient,) = mg.autograd.grad(hidden.tanh().sum() - target, hidden)
    return gradient


def target_from_each(w, x, target):
    """target was subtracted from each element. The loss takes it from their sum, once."""
    hidden = w * x
    (gradient,) = mg.autograd.grad(((hidden.tanh() - target) ** 2).sum(), hidden)
    return gradient


def walked_twice(w, x, target):
    """The walk was run a second time over the same graph, and its saved values are gone after the first. One backward()
    is enough.
    """
    hidden = w * x
    hidden.retain_grad()
    loss = (hidden.tanh().sum() - target) ** 2
    loss.backward()
    loss.backward()
    return hidden.grad


EXERCISE = Exercise(
    title="a tensor: the gradient of the loss with respect to hidden",
    stars=2,
    minutes=6,
    reference=middle_gradient,
    cases=(
        _model([0.3, -0.2, 0.5], [1.0, 2.0, -1.0], 2.0),
        _model([1.0, 0.5], [0.5, -0.5], -1.0),
        _model([0.1], [3.0], 0.0),
    ),
    hints=(
        "hidden is a result, so its .grad stays None unless you ask for it.",
        "hidden.retain_grad() asks, and it has to ask before backward() runs.",
        "Compute hidden, call hidden.retain_grad(), compute the loss, call loss.backward(), return hidden.grad.",
    ),
    evidence=_measured_middle,
    picture=_draw_middle,
    mistakes=(
        Mistake(
            did_not_retain_hidden,
            retained_too_late,
            when=lambda outcome: outcome.error is None and outcome.value is None,
        ),
        gradient_of_w,
        gradient_after_tanh,
        hidden_instead,
        walked_twice_and_kept,
        forgot_tanh,
        forgot_the_square,
        target_from_each,
        Mistake(walked_twice, when=raised("a second time")),
    ),
)

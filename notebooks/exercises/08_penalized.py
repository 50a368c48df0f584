"""Exercise `penalized`: a loss with a penalty on its slope, through which backward() reaches the weights."""

import operator
import warnings

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.functional import vjp
from minigrad.teach import (
    Exercise,
    Mistake,
    Noted,
    cases,
    compare,
    draw_numbers,
    edited,
    flip,
    formula,
    nodes_of,
    observer,
    pick,
    pick_some,
    raised,
    right_but,
    saw,
    slopes,
)

from .chapter07 import in_float64
from .chapter08 import ASKED_AT

CONSTANT = (
    "The loss is right, but to backward() the penalty is a constant. The slope came without a graph: ask for it with "
    "create_graph=True; or the graph was cut off, by item(), detach() or no_grad()."
)
LOSSES = (
    "((w * x) ** 2).sum()",
    "(w * x).tanh().sum()",
    "(w * x).sum()",
    "((w * x).sum() - 1) ** 2",
    "(w.exp() * x ** 3).mean()",
)


def penalized(loss_of, w, x, strength):
    """loss_of(w, x) plus strength times the sum of the squares of its slopes for x."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    (slope,) = grad(loss, x, create_graph=True)
    return loss + strength * (slope**2).sum()


@cases("loss_of(w, x) = {words}, w = {w}, x = {x}, strength = {strength}", earlier=", w.grad = 1 from before")
def _case(words, w, x, strength, earlier=False):
    leaf = in_float64(w).requires_grad_()
    leaf.grad = mg.ones_like(leaf) if earlier else None
    return Noted(words, formula(words, "w, x")), leaf, in_float64(x), strength


def _drawn(random):
    """A row of weights for a batch of rows, or weights and data of one shape; a strength of any size and sign, or 0."""
    for words in pick_some(random, LOSSES, 2):
        columns = int(random.integers(1, 4))
        shape = pick(random, [(columns,), (2, columns), (1, columns)])
        w, x = (draw_numbers(random, one, most=1.5, zero=False) for one in (columns, shape))
        yield _case(words, w, x, pick(random, [0.0, 0.25, 0.5, 3.0, -1.5]), flip(random))


LOSS, GRAPH, GRAD = "the loss", "the graph that leads to w", "w.grad"
LEAVES, AT_X = (
    "leaves of the graph",
    (
        "The loss is right, but its graph ends at x itself: the caller's backward() would write to x.grad. The leaf "
        "that the slope is asked for is to be one of your own: x.detach().requires_grad_()."
    ),
)


def _ends_at(loss, x):
    """Whether x is a leaf of the graph of a loss, to which a walk writes: to what requires no gradient it does not."""
    nodes = nodes_of(loss) if isinstance(loss, mg.Tensor) else ()
    return x.requires_grad and any(getattr(node, "variable", None) is x for node in nodes)


@observer
def _with_gradient(answer, loss_of, w, x, strength):
    """The loss, what backward() would send from it to w, and what the answer has left in a w.grad that was None."""
    was_empty, gradient = w.grad is None, None
    loss = answer(loss_of, w, x, strength)
    is_written = was_empty and w.grad is not None
    if isinstance(loss, mg.Tensor) and loss.requires_grad:
        (gradient,) = grad(loss.sum(), w, allow_unused=True)
    beside = [one for _, one in loss_of.calls if compare(x, one) is not None]
    return {
        LOSS: loss,
        ASKED_AT: str(beside[0].tolist()) if beside else f"{x.tolist()} only",
        GRAPH: "none" if gradient is None else "there",
        "the gradient of w": gradient,
        GRAD: "a tensor" if is_written else "as before",
        LEAVES: "x among them" if _ends_at(loss, x) else "without x",
    }


def _evidence(outcome):
    loss_of, w, x, strength = outcome.case.make()
    lines = [f"  the loss alone is {loss_of(w, x).item():.6g}"]
    for place, slope in slopes(lambda point: loss_of(w.detach(), point), x):
        lines.append(f"  x{list(place)} moved: the slope of the loss is {slope.item():.4g}")
    return "\n".join(lines)


# ---------------------------------------------------------------- wrong answers


def penalty_alone(loss_of, w, x, strength):
    """This is the penalty. The loss itself is missing."""
    x = x.detach().requires_grad_()
    (slope,) = grad(loss_of(w, x), x, create_graph=True)
    return strength * (slope**2).sum()


def subtracted(loss_of, w, x, strength):
    """The penalty was subtracted, so that large slopes would be rewarded. It is added."""
    return penalized(loss_of, w, x, -strength)


def by_backward(loss_of, w, x, strength):
    """w.grad was written as well, as backward() does, and the optimizer would use that.
    autograd.grad returns the slope for x, and writes nothing."""
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    return loss + strength * (x.grad**2).sum()


def as_a_number(loss_of, w, x, strength):
    """This is a number, from which no backward() can start. Return the tensor."""
    return penalized(loss_of, w, x, strength).item()


def x_itself_for_a_while(loss_of, w, x, strength):
    try:
        return penalty_with_x_switched_on(loss_of, w, x, strength)
    finally:
        x.requires_grad_(False)


# ---------------------------------------------------------------- tried as well


def slopes_for_x(loss_of, w, x):
    x = x.detach().requires_grad_()
    loss = loss_of(w, x)
    return loss, grad(loss, x, create_graph=True)[0]


def penalty_with_x_switched_on(loss_of, w, x, strength):
    loss = loss_of(w, x.requires_grad_())
    return loss + strength * grad(loss, x, create_graph=True)[0].square().sum()


def penalty_with_x_switched_on_for_a_while(loss_of, w, x, strength):
    total = penalized(loss_of, w, x.requires_grad_(), strength)
    x.requires_grad_(False)
    return total


def penalty_with_earlier_gradient_gone(loss_of, w, x, strength):
    leaf = x.detach().requires_grad_()
    loss = loss_of(w, leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    w.grad = None
    return loss + strength * leaf.grad.square().sum()


def penalty_of_both(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    for_w = grad(loss, w, create_graph=True)[0]
    return loss + strength * (slope.square().sum() + for_w.square().sum())


def penalty_with_a_fixed_w(loss_of, w, x, strength):
    _, slope = slopes_for_x(loss_of, w.detach(), x)
    return loss_of(w, x) + strength * slope.square().sum()


def penalty_of_lengths(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    return loss + strength * slope.abs().sum()


def penalty_under_no_grad(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    with mg.no_grad():
        penalty = strength * slope.square().sum()
    return loss + penalty


def penalty_walked_already(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    total = loss + strength * slope.square().sum()
    total.backward()
    return total


def penalty_by_differences(loss_of, w, x, strength):
    total, step = loss_of(w, x), 1e-6
    for place in np.ndindex(tuple(x.shape)):
        moved = mg.zeros_like(x)
        moved[place] = step
        total = total + strength * ((loss_of(w, x + moved) - loss_of(w, x - moved)) / (2 * step)) ** 2
    return total


def penalty_by_vjp(loss_of, w, x, strength):
    loss, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return loss + strength * slope.pow(2).sum()


def penalty_into_x_alone(loss_of, w, x, strength):
    leaf = x.clone().requires_grad_()
    loss = loss_of(w, leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True, inputs=[leaf])
    return loss + strength * (leaf.grad * leaf.grad).sum()


def penalty_added_up(loss_of, w, x, strength):
    loss, slope = slopes_for_x(loss_of, w, x)
    for one in slope.reshape(-1):
        loss = loss + strength * one * one
    return loss


def penalty_of_another_loss(loss_of, w, x, strength):
    _, slope = slopes_for_x(loss_of, w, x)
    return mg.add(loss_of(w, x), slope.flatten().dot(slope.flatten()), alpha=strength).reshape(1).sum()


def penalty_beside_the_loss(loss_of, w, x, strength):
    value, slope = vjp(lambda t: loss_of(w, t), x, create_graph=True)
    return value, strength * (slope**2).sum()


EXERCISE = Exercise(
    title="a tensor with one number: loss_of(w, x) + strength * the sum of the squared slopes of it for x",
    stars=2,
    minutes=8,
    reference=penalized,
    cases=(
        _case("((w * x) ** 2).sum()", [1.0, -2.0], [0.5, 1.0], 0.5),
        _case("(w * x).sum()", [1.0, -2.0], [[0.5, 1.0], [-1.0, 2.0]], 3.0),
        _case("(w.exp() * x ** 3).mean()", [0.5], [2.0], 0.25),
        _case("((w * x).sum() - 1) ** 2", [0.5, 1.0, -1.0], [1.0, 0.5, -1.0], 0.5),
        _case("(w * x).sum()", [-2e5, 1.0], [1.0, 0.5], 0.5),
        _case("(w * x).tanh().sum()", [0.5, -1.0], [1.0, 0.25], -0.5),
    ),
    drawn=_drawn,
    plug=_with_gradient,
    errors_go_on=True,
    notes={
        ASKED_AT: "The loss is right, or near, but loss_of was asked beside x. autograd.grad gives the slope at x.",
        GRAPH: "The loss is right, but it has no graph that leads to w, so backward() cannot train it.",
        LEAVES: AT_X,
        GRAD: "The loss is right, but w.grad was written, as backward() does. autograd.grad returns what it computes.",
    },
    evidence=_evidence,
    hints=(
        "The slope for x is asked for inside of the loss: so x has to be a leaf that requires a gradient.",
        "What is computed from the slope must have a graph that leads to w: create_graph=True.",
        "x = x.detach().requires_grad_(); loss = loss_of(w, x); slope = autograd.grad(loss, x, create_graph=True)[0]; "
        "then loss + strength * (slope ** 2).sum()",
    ),
    mistakes=(
        Mistake(
            edited(penalized, "x, create_graph=True", "x"),
            words="A graph was walked that a walk before it had freed: a grad without create_graph=True, or a "
            "backward() of your own. The caller is to walk through it.",
            when=raised("second time"),
        ),
        Mistake(
            edited(penalized, "x = x.detach().requires_grad_()\n    loss", "loss"),
            words="A slope was asked for what requires no gradient, as the x that is given. Give loss_of a leaf that "
            "does, x.detach().requires_grad_(), and ask for the slope of that.",
            when=raised("One of the differentiated Tensors does not require grad"),
        ),
        Mistake(
            edited(
                penalized,
                "create_graph=True)\n    return",
                "retain_graph=True)\n    (slope**2).sum().backward()\n    return",
            ),
            edited(penalized, "loss =", "with mg.no_grad():\n        loss ="),
            words="A walk began at a tensor without a graph. The slope has one if it was asked for with "
            "create_graph=True, and the loss if it was computed outside of no_grad().",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake(as_a_number, when=saw(LOSS, lambda mine, right: isinstance(mine, float))),
        Mistake(by_backward, when=saw(GRAD, operator.ne)),
        Mistake(
            edited(penalty_alone, "x, create_graph=True)\n    return", "x)\n    return loss_of(w, x) +"),
            edited(penalized, "create_graph", "retain_graph"),
            edited(penalized, "(slope**2).", "(slope.detach() ** 2)."),
            words=CONSTANT,
        ),
        Mistake(
            edited(penalized, "x = x.detach().requires_grad_()\n    loss", "loss", "loss, x", "loss, w"),
            words="This is the slope for w. The penalty is on the slope for x, the data.",
        ),
        Mistake(
            edited(penalized, "sum()", "sum().sqrt()"),
            words="This is the length of the slope. The sum of its squares is asked for, without the root.",
        ),
        Mistake(
            edited(penalized, "(slope**2).sum()", "(slope.norm() - 1) ** 2"),
            words="This draws the length of the slope towards 1, as some networks want it. Here it is drawn towards 0: "
            "add the sum of the squares.",
        ),
        Mistake(
            edited(penalized, "strength *", "strength / 2 *"),
            words="This is half of the penalty. It is strength times the sum of the squares, without a 1/2.",
        ),
        Mistake(
            edited(penalized, "loss + strength * (slope**2).sum()", "strength * (loss + (slope**2).sum())"),
            words="The strength multiplies the loss as well. It belongs to the penalty alone.",
        ),
        Mistake(edited(penalized, "sum()", "mean()"), words="This is the mean of the squares. Their sum is asked for."),
        Mistake(
            edited(penalized, "sum()", "sum(-1).mean()"),
            words="This is a mean over the rows of x. Asked for is the sum of all squares.",
        ),
        Mistake(
            edited(penalized, "(slope**2).sum()", "slope.sum() ** 2"),
            words="The slopes were added up before they were squared, so that large ones of both signs cancel. Square "
            "each first.",
        ),
        Mistake(
            edited(penalized, "(slope**2).", "slope."),
            words="The slopes are not squared: negative ones would be rewarded.",
        ),
        subtracted,
        Mistake(
            edited(penalized, "(slope**2).", "slope.abs()."),
            words="These are the absolute values of the slopes. Their squares are asked for.",
        ),
        Mistake(
            edited(penalized, "loss + strength", "loss.detach() + strength"),
            words="The loss itself was cut off from its graph, as by item() or detach(), so backward() would train "
            "with the penalty alone. Both have to lead to w.",
        ),
        penalty_alone,
        Mistake(edited(penalized, "strength * (", "("), words="The strength is missing: it multiplies the penalty."),
        Mistake(
            edited(penalized, "strength * (slope**2)", "((strength * slope) ** 2)"),
            words="The strength was squared with the slopes. It multiplies the sum of the squares.",
        ),
        Mistake(penalty_with_x_switched_on, when=right_but(LEAVES), words=AT_X),
    ),
    right=(x_itself_for_a_while, penalty_by_vjp, penalty_into_x_alone, penalty_added_up, penalty_of_another_loss),
    wrong={
        "its graph ends at x itself … x.requires_grad is not what it was": [penalty_with_x_switched_on],
        "keeps an error to itself": [
            edited(
                penalized,
                "loss = loss_of(w, x)",
                "try:\n        loss = loss_of(w, x)\n    except RuntimeError:\n        return w.sum() * 0",
            )
        ],
        "w.grad was written as well": [edited(penalized, "return", "w.grad = mg.zeros_like(w)\n    return")],
        "A slope was asked for what requires no gradient": [edited(penalized, "(loss, x,", "(loss, x.detach(),")],
        "The loss is right, or near": [edited(penalized, "(w, x)\n", "(w, -x)\n")],
        "w.grad is not what it was": [penalty_with_earlier_gradient_gone],
        "raises an error, then x.requires_grad is not what it was": [
            penalty_with_x_switched_on_for_a_while,
            edited(
                penalty_with_x_switched_on,
                *(
                    "return loss",
                    "total = loss",
                    "square().sum()",
                    "square().sum()\n    x.requires_grad_(False)\n    return total",
                ),
            ),
        ],
        "first difference": [
            penalty_of_both,
            edited(penalty_of_lengths, "strength * slope.abs", "abs(strength) * slope.square"),
            edited(penalty_of_lengths, "abs().sum()", "square().sum() / len(x)"),
            edited(penalty_of_lengths, "abs().sum()", "clamp(-100, 100).square().sum()"),
        ],
        "draws the length of the slope towards 1": [
            edited(penalty_of_lengths, "slope.abs().sum()", "(slope.norm() - 1) ** 2")
        ],
        "The strength was squared with the slopes": [
            edited(penalty_of_lengths, "strength * slope.abs", "(strength * slope).square")
        ],
        "first difference … These are the absolute values of the slopes": [penalty_of_lengths],
        "to backward() the penalty is a constant": [penalty_with_a_fixed_w, penalty_under_no_grad],
        "The loss itself was cut off from its graph": [
            edited(penalty_of_lengths, "loss + strength * slope.abs", "loss.detach() + strength * slope.square")
        ],
        "A tensor is asked for; this is a tuple": [penalty_beside_the_loss],
        "loss_of was asked beside x": [penalty_by_differences],
        "large slopes would be rewarded": [edited(penalty_beside_the_loss, "return value,", "return value -")],
        "These are the absolute values of the slopes": [
            edited(penalty_beside_the_loss, "value, strength * (slope**2).sum", "value + strength * slope.abs().sum")
        ],
        "cut off, by item()": [edited(penalty_of_lengths, "abs().sum", "square().sum().item")],
        "or a backward() of your own": [penalty_walked_already],
    },
)

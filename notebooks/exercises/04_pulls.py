"""The exercise that asks for a gradient with autograd.grad: `pulls`."""

import math

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Exercise, Mistake, cases, compare, draw_wrong_node, edited, nodes_of, show
from minigrad.teach.draws import draw_numbers, flip, formula, pick_some
from minigrad.teach.observing import observer, raised, right_but

from .chapter04 import (
    CALM,
    LOUD,
    WALKED,
    drawn_trunk,
    gradients_held,
    hooks_on,
    leaves,
    names_in,
    trunk,
    with_earlier_gradients,
)


def pulls(losses, h):
    """The length of the gradient of each loss with respect to h."""
    lengths = []
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=True, materialize_grads=True)
        lengths.append(gradient.norm().item())
    return lengths


@cases("{words}", walked=WALKED)
def _case(words, make_h, losses, shared="h.exp()", walked=False, **factors):
    h, v, other = make_h(), *(mg.tensor(numbers, requires_grad=True) for numbers in ([-3.0, 4.0], [0.5, 2.0]))
    known = {"h": h, "v": v, "other": other, **{name: mg.tensor(numbers) for name, numbers in factors.items()}}
    known["shared"] = formula(shared, ", ".join(known))(**known)
    made = {loss: formula(loss, ", ".join(known))(**known) for loss in losses}
    if walked:
        with_earlier_gradients(*made.values(), h)
    return [made[loss] for loss in losses], h


LOSSES = ("(h * b).sum()", "(h * c).sum()", "(other ** 2).sum()", "shared.sum()", "(shared * shared).sum()")
LOSSES += ("(h * h * c).sum()",)


def _drawn(random):
    """Some losses of some h; one may not depend on h, one may stand there twice, and there may be earlier gradients."""
    words, make_h = drawn_trunk(random)
    factors = {name: draw_numbers(random, tuple(make_h().shape), unit=0.25, zero=False) for name in "abc"}
    losses = pick_some(random, LOSSES, random.integers(1, 5))
    losses += losses[: random.integers(2)]
    known = ", ".join(f"{name} = {numbers}" for name, numbers in factors.items())
    words = f"{words}, losses are {', '.join(losses)}, where {known}, shared = (h * a).sin(), other is a leaf"
    yield _case(words, make_h, losses, "(h * a).sin()", flip(random), **factors)


KEPT, LEAVES = "the graph of the losses", "the .grad of the leaves"


@observer
def _tracing(answer, losses, h):
    """The lengths, and what was written where, and what still hangs there."""
    behind = leaves(*losses, h)
    nodes = {node for root in (*losses, h) for node in nodes_of(root)}
    before, hooks = [gradients_held(behind), gradients_held([h])], hooks_on(nodes)
    lengths = answer(losses, h)
    after, left = [gradients_held(behind), gradients_held([h])], hooks_on(nodes) - hooks
    of_leaves, of_h = ("as before" if compare(*both) is None else "written" for both in zip(before, after, strict=True))
    return {
        "the answer": lengths,
        LEAVES: of_leaves,
        "h.grad": of_h,
        "hooks": f"{left} left" if left > 0 else "none",
        KEPT: "is freed" if any(node.freed for node in nodes) else "is kept",
    }


def _has_unused(losses, h):
    return any(grad(loss, h, retain_graph=True, allow_unused=True)[0] is None for loss in losses)


def _is_none_of(unused):
    """For `when`: something is None, where some loss is not behind h, or where all are."""
    return lambda outcome: raised("'NoneType'")(outcome) and _has_unused(*outcome.case.make()) == unused


def _engine_says(outcome):
    losses, h = outcome.case.make()
    lines = []
    for number, loss in enumerate(losses, 1):
        (gradient,) = grad(loss, h, retain_graph=True, allow_unused=True)
        lines.append(f"  autograd.grad of loss {number} gives {'None' if gradient is None else show(gradient)}")
    return "\n".join(lines)


def _draw_pulled(outcome, difference):
    """The graph of the loss whose pull is wrong, with all gradients, and h in red."""
    losses, h = outcome.case.make()
    number = int(difference.where.split()[1]) - 1 if difference.where.startswith("item") else 0
    loss = losses[number]
    words = f"✗ its length is {difference.expected}" if difference.where.startswith("item") else "✗ ask for this one"
    names = names_in(h, **{f"loss {number + 1}": loss})
    if not any(node is h.grad_fn for node in nodes_of(loss)):
        return draw_wrong_node(loss, names, loss, "✗ h is not behind it")
    return draw_wrong_node(loss, names, h, words)


# ---------------------------------------------------------------- wrong answers


def pulls_by_backward(losses, h):
    """The second gradient contains the first, as where backward() adds to .grad, of the leaves, too. autograd.grad
    writes nothing.
    """
    lengths = []
    h.retain_grad()
    for loss in losses:
        loss.backward(retain_graph=True)
        lengths.append(h.grad.norm().item())
    return lengths


# ---------------------------------------------------------------- tried as well


def pulls_and_clears_all(losses, h):
    """Clears what it has written, and what was there before with it."""
    lengths, seen = [], []
    with h.register_hook(seen.append):
        for loss in losses:
            del seen[:]
            loss.backward(retain_graph=True)
            lengths.append(seen[0].norm().item() if seen else 0.0)
            for leaf in leaves(loss):
                leaf.grad = None
    return lengths


def pulls_and_puts_back_but_retains(losses, h):
    """Puts every gradient back; h will keep its own in each walk to come."""
    found = {leaf: leaf.grad for loss in losses for leaf in leaves(loss)}
    h.retain_grad()
    lengths = []
    for loss in losses:
        for leaf in [*found, h]:
            leaf.grad = None
        loss.backward(retain_graph=True)
        lengths.append(0.0 if h.grad is None else h.grad.norm().item())
    for leaf, gradient in [*found.items(), (h, found.get(h))]:
        leaf.grad = gradient
    return lengths


def pulls_seen_by_a_hook(losses, h):
    """A hook that stays."""
    lengths, seen = [], []
    h.register_hook(seen.append)
    for loss in losses:
        del seen[:]
        grad(loss, leaves(loss), retain_graph=True, allow_unused=True)
        lengths.append(seen[0].norm().item() if seen else 0.0)
    return lengths


def pulls_caught(losses, h):
    lengths = []
    for loss in losses:
        try:
            lengths.append(float(grad(loss, h, retain_graph=True)[0].norm()))
        except RuntimeError:
            lengths.append(0)
    return lengths


def pulls_by_a_jacobian(losses, h):
    weights = mg.eye(len(losses))
    rows = [grad(losses, h, list(row), retain_graph=True, materialize_grads=True)[0] for row in weights]
    return [np.sqrt((row.detach().numpy() ** 2).sum()) for row in rows]


def pulls_looked_up(losses, h):
    lengths = {}
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=True, allow_unused=True)
        lengths[loss] = 0.0 if gradient is None else math.dist([0.0] * h.numel(), gradient.flatten().tolist())
    return [lengths[loss] for loss in losses]


def pulls_of_numpy(losses, h):
    return [np.linalg.norm(grad(loss, [h], None, True, materialize_grads=True)[0].detach().numpy()) for loss in losses]


EXERCISE = Exercise(
    title="a list of floats, the length of each loss's gradient with respect to h; every .grad stays as it was",
    stars=1,
    minutes=6,
    reference=pulls,
    cases=(
        _case("the calm and the loud loss of the chapter", trunk, [CALM, LOUD]),
        _case(
            "shared = h.exp(); the losses are shared.sum(), (shared ** 2).sum() and shared.prod()",
            lambda: trunk([0.1, 0.5]),
            ["shared.sum()", "(shared ** 2).sum()", "shared.prod()"],
        ),
        _case("a loss that was not computed from h, and the loud one", trunk, ["(other ** 2).sum()", LOUD]),
        _case("the calm and the loud loss", trunk, [CALM, LOUD], walked=True),
        _case(
            "h has two rows, the losses are (h * h).sum(), h[1].sum(), h[0, 0] * h[1, 1] and the first again",
            lambda: trunk([[1.0, -2.0], [0.5, 1.0]], [[1.0, 1.0], [2.0, -1.0]]),
            ["(h * h).sum()", "h[1].sum()", "h[0, 0] * h[1, 1]", "(h * h).sum()"],
        ),
    ),
    drawn=_drawn,
    hints=(
        "Ask for each loss on its own: autograd.grad(loss, h). What it returns is a tuple.",
        "Losses can share nodes on the way from h, so the graph has to last: retain_graph=True. And a loss "
        "that does not "
        "depend on h pulls with length 0: materialize_grads=True gives zeros instead of an error.",
        "For each loss: (gradient,) = mg.autograd.grad(loss, h, retain_graph=True, materialize_grads=True), "
        "then append gradient.norm().item() to a list.",
    ),
    plug=_tracing,
    notes={
        LEAVES: "The numbers are right, but .grad of the leaves is not what it was.",
        "h.grad": "The numbers are right, but h.grad was written, as it is in each walk after retain_grad(). "
        "autograd.grad returns what it computes.",
        "hooks": "The numbers are right, but h does something in each walk to come: a hook is left, or retain_grad(), "
        "which makes the next walk write h.grad, as backward(inputs=[h]) does, too. autograd.grad leaves nothing.",
    },
    evidence=_engine_says,
    picture=_draw_pulled,
    mistakes=(
        Mistake(pulls_by_backward, near=True),
        Mistake(
            edited(
                pulls_by_backward,
                *("loss.backward", "h.grad = None\n        loss.backward"),
                *("h.grad.norm().item()", "0.0 if h.grad is None else h.grad.norm().item()"),
            ),
            words="The numbers are right, but .grad of the leaves is not what it was, as after a backward(). "
            "autograd.grad returns what it computes, and writes nothing.",
            when=right_but(LEAVES),
        ),
        Mistake(
            edited(pulls, "(gradient,)", "gradient"),
            words="A tuple has no such thing. autograd.grad returns one, even for one input: take its item [0].",
            when=raised("'tuple' object has no attribute"),
        ),
        Mistake(
            edited(pulls_caught, ", retain_graph=True", ""),
            words="Some other error was taken for that of an unused h: a walk was refused since an earlier one had "
            "freed its graph, and counts as 0. Pass retain_graph=True, and let materialize_grads=True make zeros "
            "instead of the try.",
        ),
        Mistake(
            edited(pulls, "retain_graph=True, ", ""),
            edited(pulls, "retain_graph=True", "retain_graph=loss is not losses[-1]"),
            words="A walk has freed what the next one needs: two losses share a node on the way from h, one loss was "
            "asked twice, or somebody walks them afterwards. Pass retain_graph=True, for the last one, too.",
            when=lambda outcome: raised("second time")(outcome) or right_but(KEPT)(outcome),
        ),
        Mistake(
            edited(pulls, ", materialize_grads=True", ""),
            words="One of the losses was not computed from h, and that is an error unless you allow it: "
            "materialize_grads=True gives zeros.",
            when=lambda outcome: raised("not have been used")(outcome) and _has_unused(*outcome.case.make()),
        ),
        Mistake(
            edited(pulls, "materialize_grads", "allow_unused"),
            words="allow_unused=True gives None for a loss that was not computed from h, and None has no length. "
            "Count it as 0, or let materialize_grads=True make zeros.",
            when=_is_none_of(unused=True),
        ),
        Mistake(
            edited(pulls_by_backward, "h.retain_grad()\n    ", "", "h.grad", "h._grad"),
            words="Something is None here. Was it h.grad? h is a result, and backward() keeps no gradient there; "
            "autograd.grad returns it.",
            when=_is_none_of(unused=False),
        ),
        Mistake(
            lambda losses, h: [grad(losses, h)[0].norm().item()],
            lambda losses, h: [
                grad(losses, h, retain_graph=True, materialize_grads=True)[0].norm().item() for _ in losses
            ],
            words="This is the length of the gradient of all losses together: several outputs in one call are added "
            "up. Ask for each loss in a call of its own.",
        ),
        Mistake(
            edited(pulls, "norm()", "square().mean().sqrt()"),
            words="This is the root of the mean of the squares. The length is the root of their sum, gradient.norm().",
            near=True,
        ),
        Mistake(
            edited(pulls, "norm()", "sum()"),
            words="This is the sum of the elements, in which parts can cancel. The length is gradient.norm().",
            near=True,
        ),
        Mistake(
            edited(pulls, "gradient.norm()", "(gradient * gradient).sum()"),
            words="This is the length squared: take the square root, or use norm().",
            near=True,
        ),
        Mistake(
            edited(pulls, "norm()", "abs().max()"),
            words="This is the largest element. The length is gradient.norm(), and all elements have a part in it.",
            near=True,
        ),
        Mistake(
            edited(pulls, "norm()", "abs().sum()"),
            words="This is the sum of the absolute values, a length too, but of another kind. Asked for is "
            "gradient.norm(), the root of the sum of squares.",
            near=True,
        ),
        Mistake(
            edited(pulls, "gradient.norm()", "loss"),
            words="These are the losses themselves. How hard each pulls at h is the length of its gradient.",
            near=True,
        ),
        Mistake(
            edited(pulls, "norm()", "flatten()[:2].norm()"),
            edited(pulls, "gradient.norm()", "(gradient[-1] if gradient.ndim == 2 else gradient).norm()"),
            words="Every element has a part in the length, in tables too: gradient.norm() takes all of them.",
            near=True,
        ),
        Mistake(
            edited(pulls, "gradient.norm().item()", "gradient"),
            words="These are the gradients. Asked for is how long each is, as a number: norm().item().",
            near=True,
        ),
        Mistake(
            edited(
                pulls,
                "materialize_grads",
                "allow_unused",
                "lengths.app",
                "if gradient is not None:\n            lengths.app",
            ),
            words="A loss was left out: one that was not computed from h has a place in the list too, with 0.",
            near=True,
        ),
        Mistake(
            edited(pulls, "grad(loss, h,", "grad(h, loss,"),
            words="What was asked about has several elements, and has to be one loss. Did the two change places? "
            "autograd.grad(outputs, inputs) asks how the first changes with the second.",
            when=raised("implicitly created"),
        ),
    ),
    right=(
        pulls_caught,
        pulls_by_a_jacobian,
        pulls_looked_up,
        edited(pulls, "norm().item()", "square().sum().item() ** 0.5"),
        pulls_of_numpy,
    ),
    wrong={
        ".grad of the leaves is not what it was": [pulls_and_clears_all],
        "h.grad was written": [edited(pulls, "lengths = []", "lengths = [] if h.is_leaf else [h.retain_grad()][1:]")],
        "retain_grad(), which makes the next walk write h.grad": [pulls_and_puts_back_but_retains],
        "a hook is left": [pulls_seen_by_a_hook],
        "Every element has a part in the length": [
            edited(pulls, "gradient.norm().item()", "math.hypot(*gradient.flatten().tolist()[:2])")
        ],
        "The second gradient contains the first": [
            edited(
                pulls,
                "lengths = []",
                "lengths, sums = [], 0",
                "(gradient,) =",
                "sums +=",
                "e)\n",
                "e)[0]\n",
                "gradient.norm",
                "sums.norm",
            )
        ],
        "RuntimeError … The error arose while": [edited(pulls, ", h,", ", h.clone(),", ", materialize_grads=True", "")],
        "": [
            edited(pulls, "norm()", "norm(dim=-1).sum()"),
            edited(pulls, "in losses", "in dict.fromkeys(losses)"),
            edited(pulls, "gradient.norm().item()", "round(gradient.norm().item(), 1)"),
        ],
        "that holds it, and its graph with it": [edited(pulls, "retain_graph", "create_graph", ".item()", "")],
        "A walk has freed what the next one needs": [edited(pulls, "True,", "not lengths,")],
        "This is the sum of the elements": [
            edited(pulls, "gradient.norm().item()", "float(gradient.detach().numpy().sum(dtype=np.float64))")
        ],
    },
)

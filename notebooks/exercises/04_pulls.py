"""The exercises that ask for gradients with autograd.grad: `pulls` and `slope_and_curvature`."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, nodes_of, raised, show

from .chapter04 import TRACE, is_grad_written, leaves, names_in, trunk, two_heads


def pulls(losses, h):
    """The length of the gradient of each loss with respect to h."""
    lengths = []
    for loss in losses:
        (gradient,) = grad(loss, h, retain_graph=True, materialize_grads=True)
        lengths.append(gradient.norm().item())
    return lengths


def _chapters_heads():
    h = trunk()
    return list(two_heads(h)), h


def _shared_on_the_way():
    h = trunk([0.1, 0.5])
    shared = h.exp()
    return [shared.sum(), (shared**2).sum()], h


def _one_without_h():
    h = trunk()
    other = mg.tensor([0.5, 2.0], requires_grad=True)
    return [(other**2).sum(), two_heads(h)[1]], h


def _has_left_traces(arguments):
    losses, h = arguments
    return is_grad_written(h, *leaves(*losses, h))


def _compare_pulls(expected, got, outcome):
    difference = compare(expected, got)
    if difference is None and _has_left_traces(outcome.arguments):
        return Difference("some .grad", "a tensor", "None, as before", "The numbers are right, but .grad was written.")
    return difference


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
    number = 1 if difference.where.startswith("item 2") else 0
    loss = losses[number]
    words = f"✗ its length is {difference.expected}" if difference.where.startswith("item") else "✗ ask for this one"
    names = names_in(h, **{f"loss {number + 1}": loss})
    if not any(node is h.grad_fn for node in nodes_of(loss)):
        return draw_wrong_node(loss, names, loss, "✗ h is not behind it")
    return draw_wrong_node(loss, names, h, words)


# ---------------------------------------------------------------- wrong answers


def pulls_by_backward(losses, h):
    """backward() adds to .grad: the second length contains the first, and the leaves' gradients are not what they were.
    autograd.grad writes nothing.
    """
    lengths = []
    h.retain_grad()
    for loss in losses:
        loss.backward(retain_graph=True)
        lengths.append(h.grad.norm().item())
    return lengths


def pulls_cleared_but_written(losses, h):
    lengths = []
    h.retain_grad()
    for loss in losses:
        h.grad = None
        loss.backward(retain_graph=True)
        lengths.append(0.0 if h.grad is None else h.grad.norm().item())
    return lengths


def pulls_of_the_tuple(losses, h):
    """autograd.grad returns a tuple, even for one input. Take its item [0]."""
    return [grad(loss, h, retain_graph=True).norm().item() for loss in losses]


def pulls_without_retaining(losses, h):
    """The first call freed what the second one needs: the losses share a node on the way from h. Pass
    retain_graph=True.
    """
    return [grad(loss, h)[0].norm().item() for loss in losses]


def pulls_of_used_ones(losses, h):
    """One of the losses was not computed from h, and that is an error unless you allow it: materialize_grads=True gives
    zeros.
    """
    return [grad(loss, h, retain_graph=True)[0].norm().item() for loss in losses]


def pulls_with_none(losses, h):
    """allow_unused=True gives None for a loss that was not computed from h, and None has no length. Count it as 0, or
    let materialize_grads=True make zeros.
    """
    return [grad(loss, h, retain_graph=True, allow_unused=True)[0].norm().item() for loss in losses]


def pull_of_all_together(losses, h):
    """Several outputs in one call are added up: this is the length of the gradient of all losses together."""
    return [grad(losses, h)[0].norm().item()]


def pulls_as_sums(losses, h):
    """This is the sum of the elements; parts of it cancel. The length is gradient.norm()."""
    return [grad(loss, h, retain_graph=True, materialize_grads=True)[0].sum().item() for loss in losses]


def pulls_squared(losses, h):
    """This is the length squared: take the square root, or use norm()."""
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [(gradient * gradient).sum().item() for gradient in gradients]


def pulls_of_the_largest(losses, h):
    """This is the largest element. The length is gradient.norm(), and all elements have a part in it."""
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [max(abs(number) for number in gradient.tolist()) for gradient in gradients]


def pulls_of_absolutes(losses, h):
    """This is the sum of the absolute values, a length too, but of another kind. Asked for is gradient.norm(), the root
    of the sum of squares.
    """
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [sum(abs(number) for number in gradient.tolist()) for gradient in gradients]


def losses_for_pulls(losses, h):
    """These are the losses themselves. How hard each pulls at h is the length of its gradient."""
    return [loss.item() for loss in losses]


def gradients_for_pulls(losses, h):
    """These are the gradients. Asked for is how long each is, as a number: norm().item()."""
    return [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]


def left_one_out(losses, h):
    """A loss was left out: one that was not computed from h has a place in the list too, with 0."""
    gradients = [grad(loss, h, retain_graph=True, allow_unused=True)[0] for loss in losses]
    return [gradient.norm().item() for gradient in gradients if gradient is not None]


def asked_the_wrong_way(losses, h):
    """The two arguments have changed places: autograd.grad(outputs, inputs) asks how the first changes
    with the second.
    """
    return [grad(h, loss)[0].norm().item() for loss in losses]


EXERCISE = Exercise(
    title="a list of floats, the length of each loss's gradient with respect to h; every .grad stays as it was",
    stars=1,
    minutes=6,
    reference=pulls,
    cases=(
        Case("the calm and the loud loss of the chapter", _chapters_heads),
        Case("shared = h.exp(); the losses are shared.sum() and (shared ** 2).sum()", _shared_on_the_way),
        Case("a loss that was not computed from h, and the loud one", _one_without_h),
    ),
    hints=(
        "Ask for each loss on its own: autograd.grad(loss, h). What it returns is a tuple.",
        "Losses can share nodes on the way from h, so the graph has to last: retain_graph=True. And a loss "
        "that does not "
        "depend on h pulls with length 0: materialize_grads=True gives zeros instead of an error.",
        "For each loss: (gradient,) = mg.autograd.grad(loss, h, retain_graph=True, materialize_grads=True), "
        "then append gradient.norm().item() to a list.",
    ),
    compare=_compare_pulls,
    show=lambda value, arguments: show(value) + (TRACE if _has_left_traces(arguments) else ""),
    evidence=_engine_says,
    picture=_draw_pulled,
    mistakes=(
        Mistake(pulls_by_backward, pulls_cleared_but_written, when=lambda outcome: _has_left_traces(outcome.arguments)),
        Mistake(pulls_of_the_tuple, when=raised("'tuple' object")),
        Mistake(pulls_without_retaining, when=raised("second time")),
        Mistake(pulls_of_used_ones, when=raised("not have been used in the graph")),
        Mistake(pulls_with_none, when=raised("'NoneType'")),
        pull_of_all_together,
        pulls_as_sums,
        pulls_squared,
        pulls_of_the_largest,
        pulls_of_absolutes,
        losses_for_pulls,
        Mistake(
            gradients_for_pulls,
            when=lambda outcome: (
                isinstance(outcome.value, list)
                and any(isinstance(item, mg.Tensor) and item.shape == (2,) for item in outcome.value)
            ),
        ),
        Mistake(
            left_one_out,
            when=lambda outcome: isinstance(outcome.value, list) and 0 < len(outcome.value) < len(outcome.arguments[0]),
        ),
        Mistake(asked_the_wrong_way, when=raised("implicitly created", "shape [2]")),
    ),
)

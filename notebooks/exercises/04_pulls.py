"""The exercise that asks for a gradient with autograd.grad: `pulls`."""

import math
from dataclasses import dataclass

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, edited, nodes_of, raised, show

from .chapter04 import (
    TRACE,
    drawn_numbers,
    drawn_trunk,
    gradients_of,
    has_graph,
    hooks_on,
    leaves,
    names_in,
    trunk,
    two_heads,
    with_earlier_gradients,
)


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
    return [shared.sum(), (shared**2).sum(), shared.prod()], h


def _one_without_h():
    h = trunk()
    other = mg.tensor([0.5, 2.0], requires_grad=True)
    return [(other**2).sum(), two_heads(h)[1]], h


def _with_earlier_gradients():
    losses, h = _chapters_heads()
    with_earlier_gradients(*losses)
    return losses, h


def _of_a_table():
    h = trunk([[1.0, -2.0], [0.5, 1.0]], [[1.0, 1.0], [2.0, -1.0]])
    square = (h * h).sum()
    return [square, h[1].sum(), h[0, 0] * h[1, 1], square], h


def _drawn(random):
    """Some losses of some h; one may not depend on h, one may stand there twice, and there may be earlier gradients."""
    words, make_h = drawn_trunk(random)
    shape = make_h().shape
    factors = [drawn_numbers(random, shape) for _ in range(3)]
    chosen = random.permutation(6)[: random.integers(1, 5)].tolist()
    chosen += chosen[: random.integers(2)]
    is_walked = bool(random.integers(2))

    def make():
        h = make_h()
        a, b, c = map(mg.tensor, factors)
        shared = (h * a).sin()
        other = mg.tensor([0.5, 2.0], requires_grad=True)
        flat = (h * c).sum()
        kinds = [(h * b).sum(), flat, (other**2).sum(), shared.sum(), (shared * shared).sum(), (h * h * c).sum()]
        losses = [kinds[number] for number in chosen]
        if is_walked:
            with_earlier_gradients(*losses, h)
        return losses, h

    kinds = ["(h * b).sum()", "flat", "one without h", "shared.sum()", "(shared * shared).sum()"]
    listed = ", ".join([*kinds, "(h * h * c).sum()"][number] for number in chosen)
    defined = [f"{name} = {factor}" for name, factor in zip("abc", factors, strict=True)]
    known = ", ".join([*defined, "shared = (h * a).sin(), flat = (h * c).sum()"])
    earlier = "; the leaves have gradients from before" if is_walked else ""
    yield Case(f"{words}, losses are {listed}, where {known}{earlier}", make)


@dataclass(frozen=True)
class Pulls:
    """What a learner's function returned, and what it left behind in words: "" where there is nothing."""

    lengths: object
    trace: str


def _tracing(answer):
    """An answer which is looked after: what was written where, and what still hangs there."""

    def run(losses, h):
        behind = list(dict.fromkeys([*leaves(*losses, h), h]))
        nodes = {node for root in (*losses, h) for node in nodes_of(root)}
        before, hooks = gradients_of(behind), hooks_on(nodes)
        value = answer(losses, h)
        if value is None or value is ...:
            return value
        pairs = zip(before, gradients_of(behind), strict=True)
        is_written = any(
            (old is None) != (new is None) or (old is not None and compare(old, new)) for old, new in pairs
        )
        return Pulls(value, TRACE if is_written else HOOK if hooks_on(nodes) > hooks else "")

    return run


HOOK = ", and a hook or retain_grad() is left"
RIGHT_BUT = {
    TRACE: Difference("some .grad", "written", "as before", "The numbers are right, but .grad was written."),
    HOOK: Difference(
        "hooks", "one is left", "none", "The numbers are right, but h does something in each walk to come: a hook is "
        "left, or retain_grad(), which makes the next walk write h.grad."
    ),
}  # fmt: skip


def _compare_pulls(expected, got, outcome):
    yield compare(expected.lengths, got.lengths)
    for number, length in enumerate(got.lengths, 1):
        if has_graph(length):
            note = "The number is right, but it is a tensor that keeps its graph alive. item() gives the float alone."
            yield Difference(f"item {number} of {len(got.lengths)}", "a tensor with a graph", "a float", note)
    yield RIGHT_BUT.get(got.trace)


def _show_pulls(value, arguments):
    if not isinstance(value, Pulls):
        return show(value)
    is_list = isinstance(value.lengths, tuple | list)
    kept = ", with its graph" if is_list and any(map(has_graph, value.lengths)) else ""
    return show(value.lengths) + kept + value.trace


def _is_pulled(test):
    """For `when`: a list came out, for which the test holds. It gets the list, the losses, and h."""
    return lambda outcome: (
        isinstance(outcome.value, Pulls)
        and isinstance(outcome.value.lengths, tuple | list)
        and test(list(outcome.value.lengths), *outcome.case.make())
    )


def _has_unused(losses, h):
    return any(grad(loss, h, retain_graph=True, allow_unused=True)[0] is None for loss in losses)


def _are_gradients(found, losses, h):
    return (
        any(isinstance(item, mg.Tensor) and item.ndim for item in found)
        and compare(gradients_for_pulls(losses, h), found) is None
    )


def _lacks_unused(found, losses, h):
    gradients = [grad(loss, h, retain_graph=True, allow_unused=True)[0] for loss in losses]
    used = [gradient.norm().item() for gradient in gradients if gradient is not None]
    return len(used) < len(losses) and compare(used, found) is None


def _are_added_up(found, losses, h):
    """Whether each length is that of all gradients so far, on top of what was there, as backward() adds them."""
    first = h._grad if h._grad is not None else 0
    sums = [sum(gradients_for_pulls(losses, h)[: number + 1], first).norm().item() for number in range(len(losses))]
    return compare(sums, found) is None and compare(pulls(losses, h), found) is not None


def _is_right_but(trace):
    return lambda outcome: (
        _is_pulled(lambda found, losses, h: compare(pulls(losses, h), found) is None)(outcome)
        and (outcome.value.trace == trace)
    )


def _is_none_of_unused(outcome):
    return raised("'NoneType'")(outcome) and _has_unused(*outcome.case.make())


def _is_none_of_result(outcome):
    return raised("'NoneType'")(outcome) and not _has_unused(*outcome.case.make())


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
    """The numbers are right, but backward() has written: .grad of the leaves, and with retain_grad() of h, is not what
    it was. autograd.grad returns what it computes, and writes nothing.
    """
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


def pulls_without_retain_grad(losses, h):
    """Something is None here. Was it h.grad? h is a result, and backward() keeps no gradient there; autograd.grad
    returns it.
    """
    for loss in losses:
        loss.backward(retain_graph=True)
    return [h._grad.norm().item() for loss in losses]


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
    return [gradient.abs().max().item() for gradient in gradients]


def pulls_of_absolutes(losses, h):
    """This is the sum of the absolute values, a length too, but of another kind. Asked for is gradient.norm(), the root
    of the sum of squares.
    """
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [gradient.abs().sum().item() for gradient in gradients]


def pulls_of_one_element(losses, h):
    """Every element has a part in the length, in tables too: gradient.norm() takes all of them."""
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [gradient.flatten()[:2].norm().item() for gradient in gradients]


def pulls_of_the_last_row(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [(gradient[-1] if gradient.ndim == 2 else gradient).norm().item() for gradient in gradients]


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


def _named(*answers):
    """The mistake that these answers make, however it is rounded."""

    def does(found, losses, h):
        is_wrong = compare(pulls(losses, h), found) is not None
        return is_wrong and any(compare(answer(losses, h), found) is None for answer in answers)

    return Mistake(*answers, when=_is_pulled(does))


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


def pulls_of_two_elements(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0].flatten().tolist() for loss in losses]
    return [math.hypot(*gradient[:2]) for gradient in gradients]


def pulls_row_by_row(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [gradient.norm(dim=-1).sum().item() for gradient in gradients]


def pulls_each_loss_once(losses, h):
    """Losses that stand there twice get lost."""
    return [pulls([loss], h)[0] for loss in dict.fromkeys(losses)]


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
    return tuple(lengths[loss] for loss in losses)


def pulls_as_long_sums(losses, h):
    gradients = [grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
    return [float(np.sum(gradient.detach().numpy(), dtype=np.float64)) for gradient in gradients]


def pulls_by_square_roots(losses, h):
    found = [grad(loss, h, retain_graph=True, allow_unused=True)[0] for loss in losses]
    return [0 if gradient is None else math.sqrt((gradient**2).sum().item()) for gradient in found]


def pulls_of_numpy(losses, h):
    return tuple(
        np.linalg.norm(grad(loss, [h], None, True, materialize_grads=True)[0].detach().numpy()) for loss in losses
    )


def pulls_with_their_graph(losses, h):
    return [grad(loss, h, create_graph=True, materialize_grads=True)[0].norm() for loss in losses]


EXERCISE = Exercise(
    title="a list of floats, the length of each loss's gradient with respect to h; every .grad stays as it was",
    stars=1,
    minutes=6,
    reference=pulls,
    cases=(
        Case("the calm and the loud loss of the chapter", _chapters_heads),
        Case(
            "shared = h.exp(); the losses are shared.sum(), (shared ** 2).sum() and shared.prod()", _shared_on_the_way
        ),
        Case("a loss that was not computed from h, and the loud one", _one_without_h),
        Case("the calm and the loud loss, where the leaves have gradients from before", _with_earlier_gradients),
        Case(
            "h has two rows, the losses are (h * h).sum(), h[1].sum(), h[0, 0] * h[1, 1] and the first again",
            _of_a_table,
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
    compare=_compare_pulls,
    show=_show_pulls,
    evidence=_engine_says,
    picture=_draw_pulled,
    mistakes=(
        Mistake(pulls_by_backward, when=_is_pulled(_are_added_up)),
        Mistake(pulls_cleared_but_written, when=_is_right_but(TRACE)),
        Mistake(pulls_of_the_tuple, when=raised("'tuple' object has no attribute")),
        Mistake(
            edited(pulls_of_the_tuple, "grad(loss, h, retain_graph=True).norm", "grad(loss, h)[0].norm"),
            words="The first walk freed what the second one needs: two losses share a node on the way from h, or one "
            "loss was asked twice. Pass retain_graph=True.",
            when=raised("second time"),
        ),
        Mistake(
            edited(pulls_of_the_tuple, "True).", "True)[0]."),
            words="One of the losses was not computed from h, and that is an error unless you allow it: "
            "materialize_grads=True gives zeros.",
            when=raised("not have been used in the graph"),
        ),
        Mistake(
            edited(pulls_of_the_tuple, "True).", "True, allow_unused=True)[0]."),
            words="allow_unused=True gives None for a loss that was not computed from h, and None has no length. "
            "Count it as 0, or let materialize_grads=True make zeros.",
            when=_is_none_of_unused,
        ),
        Mistake(pulls_without_retain_grad, when=_is_none_of_result),
        pull_of_all_together,
        _named(pulls_as_sums),
        _named(pulls_squared),
        _named(pulls_of_the_largest),
        _named(pulls_of_absolutes),
        _named(losses_for_pulls),
        _named(pulls_of_one_element, pulls_of_the_last_row),
        Mistake(gradients_for_pulls, when=_is_pulled(_are_gradients)),
        Mistake(left_one_out, when=_is_pulled(_lacks_unused)),
        Mistake(
            edited(pulls_of_the_tuple, "grad(loss, h, retain_graph=True).norm", "grad(h, loss)[0].norm"),
            words="What was asked about has several elements, and has to be one loss. Did the two change places? "
            "autograd.grad(outputs, inputs) asks how the first changes with the second.",
            when=raised("implicitly created"),
        ),
    ),
    right=(pulls_caught, pulls_by_a_jacobian, pulls_looked_up, pulls_by_square_roots, pulls_of_numpy),
    wrong={
        "backward() has written": [pulls_and_clears_all],
        "retain_grad(), which makes the next walk write h.grad": [pulls_and_puts_back_but_retains],
        "a hook is left": [pulls_seen_by_a_hook],
        "Every element has a part in the length": [pulls_of_two_elements],
        "": [
            pulls_row_by_row,
            pulls_each_loss_once,
            lambda losses, h: [round(length, 1) for length in pulls(losses, h)],
        ],
        "keeps its graph alive": [pulls_with_their_graph],
        "The first walk freed what the second one needs": [edited(pulls, "True,", "not lengths,")],
        "This is the sum of the elements": [pulls_as_long_sums],
    },
)

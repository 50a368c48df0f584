"""The exercise that looks at a gradient with a hook, and takes the hook away: `watched`."""

from dataclasses import dataclass

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, raised, show, yours

from .chapter04 import is_grad_written, leaves, names_in, trunk, two_heads


def watched(h, loss):
    """Run loss.backward(); the gradient that came by at h."""
    seen = []
    with h.register_hook(seen.append):
        loss.backward()
    return seen[0]


def _both_heads():
    h = trunk()
    calm, loud = two_heads(h)
    return h, calm + loud


def _one_head():
    h = trunk([0.5, -1.0])
    return h, two_heads(h)[1]


def _used_three_times():
    h = trunk([0.5, 1.0])
    return h, (h * h).sum() + h.sin().sum()


@dataclass(frozen=True)
class Walk:
    """What a learner's function returned, and what it left behind: the gradients of the leaves, and traces at h."""

    seen: object
    leaves: tuple[mg.Tensor | None, ...]
    is_grad_kept: bool
    is_hook_left: bool

    @property
    def has_run(self):
        return all(gradient is not None for gradient in self.leaves)


def _observed(value, arguments):
    h, loss = arguments
    if value is None or value is ...:
        return value
    is_grad_kept = is_grad_written(h) or h.retains_grad
    return Walk(value, tuple([leaf._grad for leaf in leaves(h, loss)]), is_grad_kept, _is_hook_left(h))


def _is_hook_left(h):
    node = h.grad_fn
    hooks = None if node is None or node._hooks is None else node._hooks.of_tensors.get(h.output_nr)
    return bool(hooks)


def _compare_walks(expected, got, outcome):
    difference = compare(expected.seen, got.seen)
    if difference is not None:
        return difference
    note = "The gradient is right; something else is not as it should be afterwards."
    if not got.has_run:
        return Difference("w.grad", "None", "a tensor: backward() has run", note)
    for wanted, mine in zip(expected.leaves, got.leaves, strict=True):
        if compare(wanted, mine) is not None:
            return Difference("the gradient of a leaf", show(mine), show(wanted), note)
    if got.is_grad_kept:
        return Difference("h.grad", "is kept, in this walk or the next", "None, as before", note)
    if got.is_hook_left:
        return Difference("the hooks on h", "one is left", "none", note)
    return None


def _show_walk(value, arguments):
    if not isinstance(value, Walk):
        return show(value)
    gradients = ", ".join("None" if gradient is None else show(gradient) for gradient in value.leaves)
    left = "; h keeps its gradient" if value.is_grad_kept else "; a hook is left on h" if value.is_hook_left else ""
    return f"{show(value.seen)}; gradients of the leaves: {gradients}{left}"


def _contributions(outcome):
    h, loss = outcome.case.make()
    return f"  autograd.grad(loss, h) gives {show(grad(loss, h)[0])}"


def _draw(outcome, difference):
    """The walk as it should be, and in red h, or the leaf whose gradient is another one."""
    h, loss = outcome.case.make()
    names = names_in(h, loss=loss, **dict(zip("wv", leaves(h, loss), strict=False)))
    if difference.where == "the gradient of a leaf":
        wrong = next(
            number for number, gradient in enumerate(outcome.value.leaves) if show(gradient) == difference.yours
        )
        return draw_wrong_node(loss, names, leaves(h, loss)[wrong], yours(outcome.value.leaves[wrong]))
    if difference.where.startswith("the answer"):
        seen = outcome.value.seen if isinstance(outcome.value, Walk) else None
        return draw_wrong_node(
            loss, names, h, yours(seen) if isinstance(seen, mg.Tensor) else "✗ this one is asked for"
        )
    words = {"w.grad": "✗ the walk stops here", "h.grad": "✗ keeps its gradient"}
    return draw_wrong_node(loss, names, h, words.get(difference.where, "✗ a hook is left"))


def _is_seen(test):
    return lambda outcome: isinstance(outcome.value, Walk) and test(outcome.value)


def _leaves_differ(factor):
    """Whether the gradient at h is right and those of the leaves are not: `factor` times as large, or otherwise."""

    def differ(outcome):
        if not isinstance(outcome.value, Walk) or not outcome.value.has_run:
            return False
        right = _observed(watched(*(made := outcome.case.make())), made)
        pairs = list(zip(right.leaves, outcome.value.leaves, strict=True))
        if factor is None:
            return any(compare(wanted, got) is not None for wanted, got in pairs)
        return all(compare(wanted * factor, got) is None for wanted, got in pairs)

    return differ


# ---------------------------------------------------------------- wrong answers


def hung_up_the_result(h, loss):
    """register_hook wants the function itself, as in register_hook(seen.append). With parentheses it is called at once,
    and its result, None, is hung up.
    """
    seen = []
    handle = h.register_hook(seen.append(0))
    loss.backward()
    handle.remove()
    return seen[0]


def hung_up_too_late(h, loss):
    """Nothing had been seen when you looked: the hook was hung up after the walk, or taken away before it."""
    seen = []
    loss.backward()
    handle = h.register_hook(seen.append)
    handle.remove()
    return seen[0]


def taken_away_too_early(h, loss):
    seen = {}
    handle = h.register_hook(lambda g: seen.update(h=g))
    handle.remove()
    loss.backward()
    return seen["h"]


def returned_the_handle(h, loss):
    """This is the handle, which only takes the hook away. The gradient is given to the hook itself."""
    handle = h.register_hook(lambda g: None)
    loss.backward()
    handle.remove()
    return handle


def returned_the_list(h, loss):
    """This is the list into which the hook has put the gradient. Its item [0] is asked for."""
    seen = []
    handle = h.register_hook(seen.append)
    loss.backward()
    handle.remove()
    return seen


def asked_instead(h, loss):
    """autograd.grad gives this gradient, but it stops at h and writes nothing. The leaves were to get theirs: run
    loss.backward().
    """
    return grad(loss, h)[0]


def walked_from_h(h, loss):
    """The walk began at h instead of at the loss, so that ones came by. Run loss.backward()."""
    seen = []
    with h.register_hook(seen.append):
        h.sum().backward()
    return seen[0]


def retained_instead(h, loss):
    """retain_grad() keeps the gradient in h.grad, in this walk and in all to come, also if you clear it now. A hook can
    look without keeping anything.
    """
    h.retain_grad()
    loss.backward()
    return h.grad


def retained_and_cleared(h, loss):
    h.retain_grad()
    loss.backward()
    gradient = h.grad
    h.grad = None
    return gradient


def watched_the_loss(h, loss):
    """This is what arrives at the loss, the 1 of the beginning. The hook belongs on h."""
    seen = []
    with loss.register_hook(seen.append):
        loss.backward()
    return seen[0]


def walked_twice(h, loss):
    """backward() has run twice, and the leaves have twice their gradient. Once is enough for the hook, too."""
    seen = []
    with h.register_hook(seen.append):
        loss.backward(retain_graph=True)
        loss.backward()
    return seen[0]


def hook_sends_zeros(h, loss):
    """The hook has changed the gradient: what it returned was sent on in its place, and so the leaves got another one.
    A hook that only looks returns nothing.
    """
    seen = []

    def look(g):
        seen.append(g)
        return g * 0

    with h.register_hook(look):
        loss.backward()
    return seen[0]


def left_the_hook(h, loss):
    """The hook is still there, and will run in every walk to come. Call remove() on the handle."""
    seen = []
    h.register_hook(seen.append)
    loss.backward()
    return seen[0]


def gradient_of_the_leaf(h, loss):
    """This is the gradient of the leaf, one step later than that of h: the hook belongs on h."""
    seen = []
    leaf_node = h.grad_fn.next_functions[0][0]
    with leaf_node.variable.register_hook(seen.append):
        loss.backward()
    return seen[0]


EXERCISE = Exercise(
    title="the gradient that came by at h in loss.backward(); no hook is left, and h.grad stays None",
    stars=2,
    minutes=8,
    reference=watched,
    cases=(
        Case("h = w * x, loss = calm + loud", _both_heads),
        Case("h = w * x, loss = loud", _one_head),
        Case("h = w * x, loss = (h * h).sum() + h.sin().sum()", _used_three_times),
    ),
    hints=(
        "A hook gets the gradient as its argument. Where can it leave it, so that your function finds it afterwards?",
        "seen = [] and h.register_hook(seen.append), before the walk. append returns None, so nothing is changed.",
        "Keep the handle that register_hook returns, run loss.backward(), call handle.remove(), return seen[0].",
    ),
    observe=_observed,
    compare=_compare_walks,
    show=_show_walk,
    evidence=_contributions,
    picture=_draw,
    mistakes=(
        Mistake(hung_up_the_result, when=raised("'NoneType' object is not callable")),
        Mistake(
            hung_up_too_late,
            taken_away_too_early,
            when=lambda outcome: isinstance(outcome.error, IndexError | KeyError | UnboundLocalError),
        ),
        Mistake(returned_the_handle, when=_is_seen(lambda walk: isinstance(walk.seen, RemovableHandle))),
        Mistake(returned_the_list, when=_is_seen(lambda walk: isinstance(walk.seen, list) and len(walk.seen) == 1)),
        Mistake(
            asked_instead,
            when=_is_seen(
                lambda walk: isinstance(walk.seen, mg.Tensor) and not any(g is not None for g in walk.leaves)
            ),
        ),
        Mistake(
            walked_from_h,
            when=_is_seen(
                lambda walk: isinstance(walk.seen, mg.Tensor) and walk.seen.tolist() == [1.0, 1.0] and not walk.has_run
            ),
        ),
        Mistake(retained_instead, retained_and_cleared, when=_is_seen(lambda walk: walk.is_grad_kept)),
        Mistake(watched_the_loss, when=_is_seen(lambda walk: isinstance(walk.seen, mg.Tensor) and walk.seen.ndim == 0)),
        Mistake(walked_twice, when=_leaves_differ(2.0)),
        Mistake(hook_sends_zeros, when=_leaves_differ(None)),
        Mistake(left_the_hook, when=_is_seen(lambda walk: isinstance(walk.seen, mg.Tensor) and walk.is_hook_left)),
        gradient_of_the_leaf,
    ),
)

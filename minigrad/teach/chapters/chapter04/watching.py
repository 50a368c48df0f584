"""The exercise that looks at a gradient with a hook, and takes the hook away: `watched`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach.chapters.chapter04.running_example import (
    CHAPTER,
    is_grad_written,
    leaves,
    names_in,
    trunk,
    two_heads,
)
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, yours
from minigrad.tensor import Tensor


def watched(h: Tensor, loss: Tensor) -> Tensor:
    """Run loss.backward(); the gradient that came by at h."""
    seen: list[Tensor] = []
    with h.register_hook(seen.append):
        loss.backward()
    return seen[0]


def _both_heads() -> tuple[Tensor, Tensor]:
    h = trunk()
    calm, loud = two_heads(h)
    return h, calm + loud


def _one_head() -> tuple[Tensor, Tensor]:
    h = trunk([0.5, -1.0])
    return h, two_heads(h)[1]


def _used_three_times() -> tuple[Tensor, Tensor]:
    h = trunk([0.5, 1.0])
    return h, (h * h).sum() + h.sin().sum()


@dataclass(frozen=True)
class Walk:
    """What a learner's function returned, and what it left behind: the gradients of the leaves, and traces at h."""

    seen: Any
    leaves: tuple[Tensor | None, ...]
    is_grad_kept: bool
    is_hook_left: bool

    @property
    def has_run(self) -> bool:
        return all(gradient is not None for gradient in self.leaves)


def _observed(value: Any, arguments: tuple[Any, ...]) -> Any:
    h, loss = arguments
    if value is None or value is ...:
        return value
    is_grad_kept = is_grad_written(h) or h.retains_grad
    return Walk(value, tuple([leaf._grad for leaf in leaves(h, loss)]), is_grad_kept, _is_hook_left(h))


def _is_hook_left(h: Any) -> bool:
    node = h.grad_fn
    hooks = None if node is None or node._hooks is None else node._hooks.of_tensors.get(h.output_nr)
    return bool(hooks)


def _compare_walks(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
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


def _show_walk(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, Walk):
        return show(value)
    gradients = ", ".join("None" if gradient is None else show(gradient) for gradient in value.leaves)
    left = "; h keeps its gradient" if value.is_grad_kept else "; a hook is left on h" if value.is_hook_left else ""
    return f"{show(value.seen)}; gradients of the leaves: {gradients}{left}"


def _contributions(outcome: Outcome) -> str:
    h, loss = outcome.case.make()
    return f"  autograd.grad(loss, h) gives {show(grad(loss, h)[0])}"


def _draw(outcome: Outcome, difference: Difference) -> str:
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
        return draw_wrong_node(loss, names, h, yours(seen) if isinstance(seen, Tensor) else "✗ this one is asked for")
    words = {"w.grad": "✗ the walk stops here", "h.grad": "✗ keeps its gradient"}
    return draw_wrong_node(loss, names, h, words.get(difference.where, "✗ a hook is left"))


def _of_the_leaf(h: Tensor, loss: Tensor) -> Any:
    loss.backward()
    return leaves(h)[0].grad


def _is_seen(test: Any) -> Any:
    return lambda outcome: isinstance(outcome.value, Walk) and test(outcome.value)


def _leaves_differ(factor: float | None) -> Any:
    """Whether the gradient at h is right and those of the leaves are not: `factor` times as large, or otherwise."""

    def differ(outcome: Outcome) -> bool:
        if not isinstance(outcome.value, Walk) or not outcome.value.has_run:
            return False
        right = _observed(watched(*(made := outcome.case.make())), made)
        pairs = list(zip(right.leaves, outcome.value.leaves, strict=True))
        if factor is None:
            return any(compare(wanted, got) is not None for wanted, got in pairs)
        return all(compare(wanted * factor, got) is None for wanted, got in pairs)

    return differ


WATCHED = Exercise(
    name="watched",
    chapter=CHAPTER,
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
        Mistake(
            "register_hook wants the function itself, as in register_hook(seen.append). With parentheses it is called "
            "at once, and its result, None, is hung up.",
            when=raised("'NoneType' object is not callable"),
        ),
        Mistake(
            "Nothing had been seen when you looked: the hook was hung up after the walk, or taken away before it.",
            when=lambda outcome: isinstance(outcome.error, IndexError | KeyError | UnboundLocalError),
        ),
        Mistake(
            "This is the handle, which only takes the hook away. The gradient is given to the hook itself.",
            when=_is_seen(lambda walk: isinstance(walk.seen, RemovableHandle)),
        ),
        Mistake(
            "This is the list into which the hook has put the gradient. Its item [0] is asked for.",
            when=_is_seen(lambda walk: isinstance(walk.seen, list) and len(walk.seen) == 1),
        ),
        Mistake(
            "autograd.grad gives this gradient, but it stops at h and writes nothing. The leaves were to get "
            "theirs: run loss.backward().",
            when=_is_seen(lambda walk: isinstance(walk.seen, Tensor) and not any(g is not None for g in walk.leaves)),
        ),
        Mistake(
            "The walk began at h instead of at the loss, so that ones came by. Run loss.backward().",
            when=_is_seen(
                lambda walk: isinstance(walk.seen, Tensor) and walk.seen.tolist() == [1.0, 1.0] and not walk.has_run
            ),
        ),
        Mistake(
            "retain_grad() keeps the gradient in h.grad, in this walk and in all to come, also if you clear it now. A "
            "hook can look without keeping anything.",
            when=_is_seen(lambda walk: walk.is_grad_kept),
        ),
        Mistake(
            "This is what arrives at the loss, the 1 of the beginning. The hook belongs on h.",
            when=_is_seen(lambda walk: isinstance(walk.seen, Tensor) and walk.seen.ndim == 0),
        ),
        Mistake(
            "backward() has run twice, and the leaves have twice their gradient. Once is enough for the hook, too.",
            when=_leaves_differ(2.0),
        ),
        Mistake(
            "The hook has changed the gradient: what it returned was sent on in its place, and so the leaves got "
            "another one. A hook that only looks returns nothing.",
            when=_leaves_differ(None),
        ),
        Mistake(
            "The hook is still there, and will run in every walk to come. Call remove() on the handle.",
            when=_is_seen(lambda walk: isinstance(walk.seen, Tensor) and walk.is_hook_left),
        ),
        Mistake(
            "This is the gradient of the leaf, one step later than that of h: the hook belongs on h.", _of_the_leaf
        ),
    ),
)

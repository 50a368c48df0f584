"""The exercise that looks at a gradient with a hook, and takes the hook away: `watched`."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.engine import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach.chapters.chapter04.running_example import CHAPTER, is_grad_written, leaves, trunk, two_heads
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
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


def _is_hook_left(h: Any) -> bool:
    node = h.grad_fn
    hooks = None if node is None or node._hooks is None else node._hooks.of_tensors.get(h.output_nr)
    return bool(hooks)


def _has_walked(h: Any) -> bool:
    return all(leaf._grad is not None for leaf in leaves(h))


def _traces(arguments: tuple[Any, ...]) -> list[tuple[str, str, str]]:
    """What is not as it should be afterwards: what, how it is, how it should be."""
    h = arguments[0]
    found = []
    if not _has_walked(h):
        found.append(("w.grad", "None", "a tensor: backward() has run"))
    if is_grad_written(h):
        found.append(("h.grad", "a tensor", "None, as before"))
    if _is_hook_left(h):
        found.append(("the hooks on h", "one is left", "none"))
    return found


def _compare_watched(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected, got)
    traces = _traces(outcome.arguments)
    if difference is None and traces:
        return Difference(*traces[0], "The gradient is right; something else is not as it should be afterwards.")
    return difference


def _show_watched(value: Any, arguments: tuple[Any, ...]) -> str:
    return show(value) + "".join(f"; {what}: {how}" for what, how, _ in _traces(arguments))


def _contributions(outcome: Outcome) -> str:
    h, loss = outcome.case.make()
    return f"  autograd.grad(loss, h) gives {show(grad(loss, h)[0])}"


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
    compare=_compare_watched,
    show=_show_watched,
    evidence=_contributions,
    mistakes=(
        Mistake(
            "Nothing had been seen when you looked: the hook was hung up after the walk, or taken away before it.",
            when=lambda outcome: isinstance(outcome.error, IndexError | KeyError | UnboundLocalError),
        ),
        Mistake(
            "This is the handle, which only takes the hook away. The gradient is given to the hook itself.",
            when=lambda outcome: isinstance(outcome.value, RemovableHandle),
        ),
        Mistake(
            "This is the list into which the hook has put the gradient. Its item [0] is asked for.",
            when=lambda outcome: isinstance(outcome.value, list) and len(outcome.value) == 1,
        ),
        Mistake(
            "autograd.grad gives this gradient, but it stops at h and writes nothing. The leaves were to get "
            "theirs: run loss.backward().",
            when=lambda outcome: (
                outcome.error is None and outcome.value is not None and not _has_walked(outcome.arguments[0])
            ),
        ),
        Mistake(
            "retain_grad() keeps the gradient in h.grad, where it stays. A hook can look without keeping anything.",
            when=lambda outcome: is_grad_written(outcome.arguments[0]),
        ),
        Mistake(
            "The hook is still there, and will run in every walk to come. Call remove() on the handle.",
            when=lambda outcome: (
                outcome.error is None and isinstance(outcome.value, Tensor) and _is_hook_left(outcome.arguments[0])
            ),
        ),
        Mistake(
            "This is the gradient of the leaf, one step later than that of h: the hook belongs on h.",
            lambda h, loss: _of_the_leaf(h, loss),
        ),
    ),
)


def _of_the_leaf(h: Tensor, loss: Tensor) -> Any:
    loss.backward()
    return leaves(h)[0].grad

"""checkpoint_sequential: a list of functions in parts, each of them a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.checkpoint.runs import counted, of_both_kinds
from parity.leaves import leaf
from side_by_side import Behaviours

behaviours = Behaviours()
both = of_both_kinds(behaviours)


def steps(F: Any, runs: list[Any]) -> list[Callable[[Any], Any]]:
    return [counted(function, runs) for function in (F.sin, F.exp, F.cos, lambda t: t * t)]


@both("checkpoint_sequential: the same gradients, and all but the last part run twice")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 2, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@both("checkpoint_sequential: parts of uneven size")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 3, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@both("checkpoint_sequential: one part is no checkpoint")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 1, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@behaviours(
    "checkpoint_sequential: use_reentrant should be given",
    warns=("UserWarning: torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed",),
)
def _(F):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 2, x)
    y.sum().backward()
    return y.grad_fn.name(), x.grad, len(runs)


@behaviours(
    "checkpoint_sequential: other keywords are refused", error=ValueError, says="Unexpected keyword arguments: foo"
)
def _(F):
    F.utils.checkpoint.checkpoint_sequential(steps(F, []), 2, leaf(F), use_reentrant=False, foo=1)


@both("checkpoint_sequential: preserve_rng_state")
def _(F, use_reentrant):
    same = []
    for preserve in (True, False):
        F.manual_seed(3)
        x = F.ones(8, requires_grad=True)
        functions = [lambda t: t * F.rand(8) * t, lambda t: t * 1]
        y = F.utils.checkpoint.checkpoint_sequential(
            functions, 2, x, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
        y.sum().backward()
        same.append(F.all((x.grad - 2 * y).abs() < 1e-6))
    return same


@both("checkpoint_sequential: more parts than functions", error=ValueError, says="range() arg 3 must not be zero")
def _(F, use_reentrant):
    F.utils.checkpoint.checkpoint_sequential(steps(F, []), 5, leaf(F), use_reentrant=use_reentrant)


test_as_in_torch = behaviours.test()

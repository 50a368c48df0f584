"""Hooks before and after forward."""

from __future__ import annotations

import copy
from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind, linear

behaviours = Behaviours()


@behaviours("G01: hooks before and after forward, in order")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_pre_hook(lambda module, args: log.append(("before", kind(module), args)))
    m.register_forward_hook(lambda module, args, output: log.append(("after", args, output)))
    m.register_forward_hook(lambda module, args, output: log.append("second"))
    m.register_forward_hook(lambda module, args, output: log.append("first"), prepend=True)
    m.register_forward_pre_hook(lambda module, args: log.append("very first"), prepend=True)
    return [m(F.ones(1, 2)), log]


@behaviours("G02: hooks may replace arguments and results")
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_forward_pre_hook(lambda module, args: args[0] * 2)
    m.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    m.register_forward_hook(lambda module, args, output: output * 10)
    return m(F.ones(1, 2))


@behaviours("G03: hooks with kwargs")
def _(F: Any) -> Any:
    log: list[Any] = []

    class Scaled(F.nn.Module):
        def forward(self, x: Any, *, factor: float = 1) -> Any:
            return x * factor

    def before(module: Any, args: Any, kwargs: Any) -> Any:
        log.append((args, kwargs))
        return args, {"factor": 3}

    m = Scaled()
    m.register_forward_pre_hook(before, with_kwargs=True)
    m.register_forward_pre_hook(lambda module, args, kwargs: log.append(kwargs), with_kwargs=True)
    m.register_forward_hook(lambda module, args, kwargs, out: log.append((kwargs, out)), with_kwargs=True)
    return [m(F.ones(2), factor=2), log]


@behaviours(
    "G04: a pre hook with kwargs must return both",
    error=RuntimeError,
    says="forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 3.",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    m(F.ones(1, 2))


@behaviours("G05: removing a hook")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    handle = m.register_forward_hook(lambda *args: log.append(1))
    with m.register_forward_pre_hook(lambda *args: log.append(2)):
        m(F.ones(1, 2))
    handle.remove()
    handle.remove()
    m(F.ones(1, 2))
    return [log, len(m._forward_hooks), len(m._forward_pre_hooks)]


@behaviours("G10: hooks go with a copy")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_hook(lambda *args: log.append(1))
    copy.deepcopy(m)(F.ones(1, 2))
    return [len(copy.deepcopy(m)._forward_hooks)]


@behaviours("G11: calling forward itself runs no hooks")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_forward_hook(lambda *args: log.append(1))
    m.forward(F.ones(1, 2))
    return log


test_as_in_torch = behaviours.test()

"""context_fn gives a context for each of the two runs of a checkpoint."""

from __future__ import annotations

import contextlib

from parity.checkpoint.runs import checkpoint, wave
from parity.leaves import leaf
from side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("context_fn: one context for the first run, another for the second")
def _(F):
    x, log = leaf(F), []

    @contextlib.contextmanager
    def noted(name):
        log.append(f"enter {name}")
        yield
        log.append(f"leave {name}")

    def function(x):
        log.append("run")
        return x.sin().exp()

    y = checkpoint(F, function, x, context_fn=lambda: (noted("first"), noted("second")), early_stop=False)
    y.sum().backward()
    return log, x.grad


@behaviours(
    "context_fn: not for the reentrant kind",
    error=ValueError,
    says="Passing `context_fn` or `debug` is only supported when use_reentrant=False.",
)
def _(F):
    contexts = contextlib.nullcontext(), contextlib.nullcontext()
    checkpoint(F, wave, leaf(F), use_reentrant=True, context_fn=lambda: contexts)


test_as_in_torch = behaviours.test()

"""Computing again instead of keeping: what a checkpoint promises of values, gradients, runs and errors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from engine.checkpoint.runs import checkpoint, counted, wave
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("values and gradients are those without it")
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x)
    y.sum().backward()
    return y, x.grad


@behaviours("the function runs once, and once more in each backward")
def _(F):
    x, runs, counts = leaf(F), [], []
    y = checkpoint(F, counted(wave, runs), x).sum()
    counts.append(len(runs))
    for _ in range(2):
        y.backward(retain_graph=True)
        counts.append(len(runs))
    return counts, x.grad


@behaviours("no second run where backward does not come through")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x)
    (x * 2).sum().backward()
    return len(runs), y.requires_grad, x.grad


@behaviours("no second run if nothing was recorded")
def _(F):
    x, runs = leaf(F), []
    with F.no_grad():
        y = checkpoint(F, counted(wave, runs), x)
    return y, len(runs)


@behaviours("gradients reach what the function uses besides its arguments")
def _(F):
    x, weight = leaf(F), leaf(F, 3.0, 4.0)
    y = checkpoint(F, lambda x: (x * weight).exp(), x)
    y.sum().backward()
    return x.grad, weight.grad


@behaviours("several arguments, one of which needs no gradient")
def _(F):
    x, y, constant = leaf(F), leaf(F, 3.0, 4.0), F.tensor([5.0, 6.0])
    z = checkpoint(F, lambda x, y, c: x * y * c, x, y, constant)
    z.sum().backward()
    return z, x.grad, y.grad, constant.grad


@behaviours("arguments that are no tensors are passed on")
def _(F):
    x = leaf(F)

    def power(x, exponent, scale, nothing, names):
        return x**exponent * scale if nothing is None and names == ["a"] else x

    y = checkpoint(F, power, x, 3, 2.0, None, ["a"])
    y.sum().backward()
    return y, x.grad


@behaviours("several outputs")
def _(F):
    x, runs = leaf(F), []
    first, second = checkpoint(F, counted(lambda x: (x.sin(), x.exp()), runs), x)
    (first * second).sum().backward()
    return first, second, x.grad, len(runs)


@behaviours("outputs that are no tensors are passed through")
def _(F):
    x = leaf(F)
    y, name, nothing = checkpoint(F, lambda x: (x.exp(), "name", None), x)
    y.sum().backward()
    return y, name, nothing, x.grad


@behaviours("of several outputs, only one is used")
def _(F):
    x = leaf(F)
    first, second = checkpoint(F, lambda x: (x.sin(), x.exp()), x)
    second.sum().backward()
    return first, x.grad


@behaviours("an argument that is a result")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x * 2)
    (y * 3).sum().backward()
    return x.grad, len(runs)


@behaviours("the same argument twice")
def _(F):
    x = leaf(F)
    checkpoint(F, lambda a, b: a.exp() * b, x, x).sum().backward()
    return x.grad


@behaviours("one checkpoint after the other")
def _(F):
    x, runs = leaf(F), []
    y = x
    for _ in range(3):
        y = checkpoint(F, counted(lambda t: t.sin(), runs), y)
    y.sum().backward()
    return y, x.grad, len(runs)


@behaviours("one within another: the inner function runs once more for the outer second run")
def _(F):
    x, inner, outer = leaf(F), [], []

    def around(x):
        y = checkpoint(F, counted(wave, inner), x)
        return y.sin() * x

    z = checkpoint(F, counted(around, outer), x)
    z.sum().backward()
    return z, x.grad, len(inner), len(outer)


@behaviours("three deep")
def _(F):
    x, runs = leaf(F), {1: [], 2: [], 3: []}

    def level(number):
        def function(t):
            if number == 3:
                return t.sin().exp()
            return checkpoint(F, counted(level(number + 1), runs[number + 1]), t.sin()).cos()

        return function

    y = checkpoint(F, counted(level(1), runs[1]), x)
    y.sum().backward()
    return y, x.grad, [len(times) for times in runs.values()]


@behaviours("an exception in the first run comes through", error=ValueError, says="not today")
def _(F):
    def refuse(x):
        raise ValueError("not today")

    checkpoint(F, refuse, leaf(F))


@behaviours("an exception in the second run comes through", error=ValueError, says="not again")
def _(F):
    runs = []

    def once(x):
        runs.append(1)
        if len(runs) > 1:
            raise ValueError("not again")
        return x.exp()

    checkpoint(F, once, leaf(F)).sum().backward()


@behaviours("after an exception in the first run, operations are saved as ever")
def _(F):
    x, runs = leaf(F), []

    def refuse(x):
        runs.append(x.exp())
        raise ValueError("not today")

    with contextlib.suppress(ValueError):
        checkpoint(F, refuse, x)
    y = x.sin()
    y.sum().backward(retain_graph=True)
    return x.grad, y.grad_fn._saved_self is x, len(runs)


@behaviours("what is not callable", error=TypeError, says="'int' object is not callable")
def _(F):
    checkpoint(F, 3, leaf(F))


@behaviours(
    "a second backward without retain_graph",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    y = checkpoint(F, wave, leaf(F)).sum()
    y.backward()
    y.backward()


@behaviours(
    "an argument that was written to before backward is noticed",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F) * 1
    y = checkpoint(F, wave, x)
    x.add_(1)
    y.sum().backward()


@behaviours("the function may write to what it made itself")
def _(F):
    x = leaf(F)

    def function(x):
        y = x * 2
        y.add_(1)
        return y.exp()

    y = checkpoint(F, function, x)
    y.sum().backward()
    return y, x.grad


@behaviours("a custom Function in it")
def _(F):
    class Cube(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    x = leaf(F)
    checkpoint(F, lambda x: Cube.apply(x.sin()), x).sum().backward()
    return x.grad


@behaviours("hooks on what goes in and what comes out run once")
def _(F):
    x, log = leaf(F), []
    y = checkpoint(F, wave, x)
    x.register_hook(lambda g: log.append("x"))
    y.register_hook(lambda g: (log.append("y"), g * 10)[1])
    y.sum().backward()
    return log, x.grad


def hooked(log: list[str]) -> Callable[[Any], Any]:
    """A function that registers a hook on what it computes."""

    def function(x: Any) -> Any:
        y = x.sin()
        y.register_hook(lambda g: log.append("inside"))
        return y.exp()

    return function


@behaviours("a hook that the function registers inside runs once")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, hooked(log), x).sum().backward()
    return log, x.grad


@behaviours("a function that returns its argument")
def _(F):
    x = leaf(F)
    y = checkpoint(F, lambda x: x, x)
    (y * 3).sum().backward()
    return y, x.grad


@behaviours("gradients add to those that are there")
def _(F):
    x = leaf(F)
    for _ in range(2):
        checkpoint(F, wave, x).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()

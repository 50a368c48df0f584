"""Which graph a checkpoint leaves, which inputs take part, grad(), inputs=, double backward, hooks on what is saved."""

from __future__ import annotations

import pytest
from engine.checkpoint.runs import checkpoint, counted, wave
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


@behaviours("whether the function's first run is recorded")
def _(F):
    seen = []

    def function(x):
        seen.append((F.is_grad_enabled(), x.requires_grad, x.is_leaf))
        return x.exp()

    y = checkpoint(F, function, leaf(F) * 1)
    name = y.grad_fn.name()
    y.sum().backward()
    return seen, name


@behaviours("the graph is that of the function", warns=())
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x)
    names, node = [], y.grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, node.variable is x


@behaviours("the arguments need no gradient")
def _(F):
    weight, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x * weight).exp(), runs), F.ones(2))
    y.sum().backward()
    return weight.grad, len(runs)


@behaviours("nothing needs a gradient, nothing is said")
def _(F):
    return checkpoint(F, wave, F.ones(2))


@behaviours("keyword arguments are passed on")
def _(F):
    x, weight = leaf(F), leaf(F, 3.0, 4.0)
    y = checkpoint(F, lambda x, *, weight, power=1: (x * weight) ** power, x, weight=weight, power=2)
    y.sum().backward()
    return y, x.grad, weight.grad


@behaviours("tensors in lists and dicts take part")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = checkpoint(F, lambda pair, named: pair[0] * named["y"], [x], {"y": y})
    z.sum().backward()
    return x.grad, y.grad


@behaviours("grad() works")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x)
    return F.autograd.grad(y.sum(), x), len(runs), x.grad


@behaviours("backward(inputs=...) works, and may stop within the function")
def _(F):
    x, weight, runs = leaf(F), leaf(F), []
    y = checkpoint(F, counted(lambda x: (x.sin() * weight).exp(), runs), x)
    y.sum().backward(inputs=[weight])
    return x.grad, weight.grad, len(runs)


@behaviours("double backward")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x**3).sin(), runs), x)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = F.autograd.grad(g.sum(), x)
    return g.detach(), h, len(runs)


@behaviours("gradients of one output, then of the other, each run the function again")
def _(F):
    x, y, runs, counts = leaf(F), leaf(F), [], []
    first, second = checkpoint(F, counted(lambda x, y: (x.sin(), y.exp()), runs), x, y)
    first.sum().backward()
    counts.append(len(runs))
    second.sum().backward()
    counts.append(len(runs))
    return counts, x.grad, y.grad


@behaviours("a backward within the function")
def _(F):
    x, runs = leaf(F), []

    def function(x):
        y = x.sin()
        (g,) = F.autograd.grad(y.cos().sum(), x, create_graph=True)
        return x.cos() * g.detach()

    z = checkpoint(F, counted(function, runs), x)
    z.sum().backward()
    return z, x.grad, len(runs)


@behaviours("reading _saved_self runs the function again, each time")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: x.sin().exp(), runs), x)
    node = y.grad_fn.next_functions[0][0]
    return [node._saved_self.detach() for _ in range(2)], len(runs)


@behaviours(
    "an argument that was detached in place since",
    error=RuntimeError,
    says="Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().",
)
def _(F):
    argument = leaf(F) * 2
    y = checkpoint(F, wave, argument)
    argument.detach_()
    y.sum().backward()


@behaviours("outer hooks on saved tensors see the arguments only")
def _(F):
    x, packed = leaf(F), []
    with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t.tolist()), t.detach())[1], lambda t: t):
        y = checkpoint(F, lambda x, c, n: (x * c).exp() * n, x, F.tensor([3.0, 4.0]), 2.0)
    y.sum().backward()
    return packed, x.grad


@behaviours("hooks within the function keep what they are given, and spare the second run")
def _(F):
    x, packed, runs = leaf(F), [], []

    def function(x):
        with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t.detach())[1], lambda t: t):
            return x.exp()

    y = checkpoint(F, counted(function, runs), x)
    y.sum().backward()
    return len(packed), len(runs), x.grad


@behaviours(
    "which kind of checkpoint it is has to be said",
    warns=("UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly.",),
)
def _(F):
    x = leaf(F)
    F.utils.checkpoint.checkpoint(wave, x).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()


def test_the_other_kind_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="pass use_reentrant=False"):
        minigrad.utils.checkpoint.checkpoint(wave, minigrad.ones(2), use_reentrant=True)


def test_errors_about_an_argument_say_that_the_checkpoint_saved_it() -> None:
    argument = minigrad.ones(2, requires_grad=True) * 2
    y = checkpoint(minigrad, wave, argument)
    argument.detach_()
    with pytest.raises(RuntimeError, match=r"checkpoint\(\) saved it\.$"):
        y.sum().backward()

"""What `use_reentrant` decides: which graph there is, which inputs take part, grad(), inputs=, double backward."""

from __future__ import annotations

from parity.checkpoint.runs import checkpoint, counted, of_both_kinds, wave
from parity.leaves import leaf
from side_by_side import Behaviours

behaviours = Behaviours()
both = of_both_kinds(behaviours)


EXPLICITLY = "UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
NO_INPUT = "UserWarning: None of the inputs have requires_grad=True. Gradients will be None"


@behaviours("use_reentrant should be given; without it a warning, and the reentrant kind", warns=(EXPLICITLY,))
def _(F):
    x, seen = leaf(F), []

    def function(x):
        seen.append(F.is_grad_enabled())
        return x.exp()

    F.utils.checkpoint.checkpoint(function, x).sum().backward()
    return seen, x.grad


@both("whether the function's first run is recorded")
def _(F, use_reentrant):
    seen = []

    def function(x):
        seen.append((F.is_grad_enabled(), x.requires_grad, x.is_leaf))
        return x.exp()

    y = checkpoint(F, function, leaf(F) * 1, use_reentrant=use_reentrant)
    name = y.grad_fn.name()
    y.sum().backward()
    return seen, name


@behaviours("not reentrant: the graph is that of the function", warns=())
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x)
    names, node = [], y.grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, node.variable is x


@behaviours("not reentrant: the arguments need no gradient")
def _(F):
    weight, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x * weight).exp(), runs), F.ones(2))
    y.sum().backward()
    return weight.grad, len(runs)


@behaviours("reentrant: if no argument needs a gradient there is none, and a warning", warns=(NO_INPUT,))
def _(F):
    weight, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x * weight).exp(), runs), F.ones(2), use_reentrant=True)
    return y, y.requires_grad, len(runs)


@behaviours("not reentrant: nothing needs a gradient, nothing is said")
def _(F):
    return checkpoint(F, wave, F.ones(2))


@behaviours("not reentrant: keyword arguments are passed on")
def _(F):
    x, weight = leaf(F), leaf(F, 3.0, 4.0)
    y = checkpoint(F, lambda x, *, weight, power=1: (x * weight) ** power, x, weight=weight, power=2)
    y.sum().backward()
    return y, x.grad, weight.grad


@behaviours(
    "reentrant: keyword arguments are refused", error=ValueError, says="Unexpected keyword arguments: weight,power"
)
def _(F):
    checkpoint(F, wave, leaf(F), use_reentrant=True, weight=1, power=2)


@behaviours("not reentrant: tensors in lists and dicts take part")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = checkpoint(F, lambda pair, named: pair[0] * named["y"], [x], {"y": y})
    z.sum().backward()
    return x.grad, y.grad


@behaviours("reentrant: tensors in lists do not take part", warns=(NO_INPUT,))
def _(F):
    return checkpoint(F, lambda pair: pair[0] * 2, [leaf(F)], use_reentrant=True)


@behaviours("not reentrant: grad() works")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x)
    return F.autograd.grad(y.sum(), x), len(runs), x.grad


@behaviours("not reentrant: backward(inputs=...) works, and may stop within the function")
def _(F):
    x, weight, runs = leaf(F), leaf(F), []
    y = checkpoint(F, counted(lambda x: (x.sin() * weight).exp(), runs), x)
    y.sum().backward(inputs=[weight])
    return x.grad, weight.grad, len(runs)


LIMITED = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward()."
)


@behaviours("reentrant: grad() is refused", error=RuntimeError, says=LIMITED)
def _(F):
    x = leaf(F)
    F.autograd.grad(checkpoint(F, wave, x, use_reentrant=True).sum(), x)


@behaviours("reentrant: backward(inputs=...) is refused", error=RuntimeError, says=LIMITED)
def _(F):
    x = leaf(F)
    checkpoint(F, wave, x, use_reentrant=True).sum().backward(inputs=[x])


@behaviours("reentrant: grad() that does not come through it is fine")
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x, use_reentrant=True)
    z = y * 2
    return F.autograd.grad(z.sum(), y)


@behaviours(
    "reentrant: the second run gives nothing that needs a gradient",
    error=RuntimeError,
    says="none of output has requires_grad=True, this checkpoint() is not necessary",
)
def _(F):
    checkpoint(F, lambda x: x.detach() * 2, leaf(F), use_reentrant=True).sum().backward()


@behaviours("not reentrant: double backward")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x**3).sin(), runs), x)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = F.autograd.grad(g.sum(), x)
    return g.detach(), h, len(runs)


@behaviours(
    "reentrant: no double backward: its gradient has no graph", error=RuntimeError, says="element 0 of tensors does not"
)
def _(F):
    x = leaf(F)
    y = checkpoint(F, lambda x: x**3, x, use_reentrant=True)
    y.sum().backward()
    x.grad.sum().backward()


@behaviours("not reentrant: gradients of one output, then of the other, each run the function again")
def _(F):
    x, y, runs, counts = leaf(F), leaf(F), [], []
    first, second = checkpoint(F, counted(lambda x, y: (x.sin(), y.exp()), runs), x, y)
    first.sum().backward()
    counts.append(len(runs))
    second.sum().backward()
    counts.append(len(runs))
    return counts, x.grad, y.grad


@behaviours("not reentrant: a backward within the function")
def _(F):
    x, runs = leaf(F), []

    def function(x):
        y = x.sin()
        (g,) = F.autograd.grad(y.cos().sum(), x, create_graph=True)
        return x.cos() * g.detach()

    z = checkpoint(F, counted(function, runs), x)
    z.sum().backward()
    return z, x.grad, len(runs)


@behaviours("not reentrant: the same, with all of the second run")
def _(F):
    x, runs = leaf(F), []

    def function(x):
        y = x.sin()
        (g,) = F.autograd.grad(y.cos().sum(), x)
        return x.cos() * g

    z = checkpoint(F, counted(function, runs), x, early_stop=False)
    z.sum().backward()
    return z, x.grad, len(runs)


@behaviours("not reentrant: reading _saved_self runs the function again, each time")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: x.sin().exp(), runs), x)
    node = y.grad_fn.next_functions[0][0]
    return [node._saved_self.detach() for _ in range(2)], len(runs)


@behaviours("not reentrant: outer hooks on saved tensors see the arguments only")
def _(F):
    x, packed = leaf(F), []
    with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t.tolist()), t.detach())[1], lambda t: t):
        y = checkpoint(F, lambda x, c, n: (x * c).exp() * n, x, F.tensor([3.0, 4.0]), 2.0)
    y.sum().backward()
    return packed, x.grad


@behaviours("not reentrant: hooks within the function keep what they are given, and spare the second run")
def _(F):
    x, packed, runs = leaf(F), [], []

    def function(x):
        with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t.detach())[1], lambda t: t):
            return x.exp()

    y = checkpoint(F, counted(function, runs), x)
    y.sum().backward()
    return len(packed), len(runs), x.grad


test_as_in_torch = behaviours.test()

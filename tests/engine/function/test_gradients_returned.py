"""What backward returns: how many gradients, of which kind, shape and dtype; None; aliasing (C01, C02, C03, C20)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def returning(F: Any, gradient: Any) -> Any:
    """A Function of one input whose backward returns what it is told to; a function is asked with the gradient."""

    def backward(ctx: Any, g: Any) -> Any:
        return gradient(g) if callable(gradient) else gradient

    return function(F, lambda ctx, x: x * 2, backward)


@behaviours(
    "C01: too few gradients",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 2, got 1)",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: g)
    probe.apply(leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)).sum().backward()


@behaviours(
    "C01: non-tensor inputs are counted",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 3, got 1)",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x, n, text: x * n, lambda ctx, g: g)
    probe.apply(leaf(F, 1.0, 2.0), 3, "text").sum().backward()


behaviours.table(
    ("C01: too many gradients", lambda F: returning(F, lambda g: (g, g)).apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "function ProbeBackward returned an incorrect number of gradients (expected 1, got 2)"),
    ("C01: an empty tuple", lambda F: returning(F, ()).apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "function ProbeBackward returned an incorrect number of gradients (expected 1, got 0)"),
)  # fmt: skip


@behaviours(
    "C01: one None for two inputs",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 2, got 1)",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: None)
    probe.apply(leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)).sum().backward()


@behaviours("C02: more Nones at the end are fine")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    returning(F, lambda g: (g * 2, None, None)).apply(x).sum().backward()
    return x.grad


@behaviours(
    "C02: a gradient for a number",
    error=RuntimeError,
    says="function ProbeBackward returned a gradient different than None at position 2, but the corresponding forward "
    "input was not a Variable",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x, n: x * n, lambda ctx, g: (g, g))
    probe.apply(leaf(F, 1.0, 2.0), 3.0).sum().backward()


@behaviours(
    "C02: a gradient for a number is refused, whatever it is",
    error=RuntimeError,
    says="function ProbeBackward returned a gradient different than None at position 1, but the corresponding forward",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, n, x: x * n, lambda ctx, g: ("one", g))
    probe.apply(3.0, leaf(F, 1.0, 2.0)).sum().backward()


@behaviours("C02: a gradient for a tensor that needs none is dropped, whatever its shape")
def _(F: Any) -> Any:
    x, constant = leaf(F, 1.0, 2.0), F.ones(2)
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, F.ones(7)))
    probe.apply(x, constant).sum().backward()
    return x.grad, constant.grad


@behaviours("C02: an integer tensor gets no gradient")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, g

    function(F, lambda ctx, a, index: a * 2, backward).apply(x, F.tensor([1, 0])).sum().backward()
    return x.grad, seen


behaviours.table(
    ("C03: a string as gradient", lambda F: returning(F, "two").apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "expected Variable or None (got str)"),
    ("C03: a number as gradient", lambda F: returning(F, 2.0).apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "expected Variable or None (got float)"),
    ("C03: a numpy array as gradient",
     lambda F: returning(F, lambda g: g.numpy() * 2).apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "expected Variable or None (got numpy.ndarray)"),
    ("C03: a list is no tuple", lambda F: returning(F, lambda g: [g * 2]).apply(leaf(F, 1.0, 2.0)).sum().backward(),
     RuntimeError, "expected Variable or None (got list)"),
)  # fmt: skip


@behaviours("C03: a number within the tuple", error=RuntimeError, says="expected Variable or None (got int)")
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, 1))
    probe.apply(leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)).sum().backward()


@behaviours(
    "C03: the wrong kind for a tensor that needs no gradient",
    error=RuntimeError,
    says="expected Variable or None (got str)",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, "none"))
    probe.apply(leaf(F, 1.0, 2.0), F.ones(2)).sum().backward()


@behaviours(
    "C03: a gradient of another size",
    error=RuntimeError,
    says="Function ProbeBackward returned an invalid gradient at index 0 - got [7] but expected shape compatible with "
    "[2]",
)
def _(F: Any) -> Any:
    returning(F, F.ones(7)).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours(
    "C03: the index counts the inputs",
    error=RuntimeError,
    says="Function ProbeBackward returned an invalid gradient at index 1 - got [3] but expected shape compatible with "
    "[2]",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, F.ones(3)))
    probe.apply(leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)).sum().backward()


@behaviours(
    "C03: a gradient that is smaller than its input is not repeated",
    error=RuntimeError,
    says="Function ProbeBackward returned an invalid gradient at index 0 - got [1] but expected shape compatible with "
    "[2]",
)
def _(F: Any) -> Any:
    returning(F, F.ones(1)).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours(
    "C03: a 0-d gradient is not repeated",
    error=RuntimeError,
    says="Function ProbeBackward returned an invalid gradient at index 0 - got [] but expected shape compatible with "
    "[2]",
)
def _(F: Any) -> Any:
    returning(F, lambda g: g.sum()).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours("C03: a gradient to which the input could be broadcast is summed")
def _(F: Any) -> Any:
    gradients = []
    for shape in [(3, 2), (1, 2), (4, 1, 2)]:
        x = leaf(F, 1.0, 2.0)
        returning(F, F.ones(*shape)).apply(x).sum().backward()
        gradients.append(x.grad)
    return gradients


@behaviours("C03: a Function that broadcasts may return its gradient as it is")
def _(F: Any) -> Any:
    row, column = leaf(F, 1.0, 2.0, 3.0), F.tensor([[10.0], [20.0]], requires_grad=True)
    probe = function(F, lambda ctx, a, b: a + b, lambda ctx, g: (g, g))
    probe.apply(row, column).backward(F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    return row.grad, column.grad


@behaviours("C03: a gradient of another dtype is cast to the input's")
def _(F: Any) -> Any:
    gradients = []
    for dtype in (F.float64, F.int64, F.bool):
        x = leaf(F, 1.0, 2.0)
        returning(F, F.ones(2, dtype=dtype)).apply(x).sum().backward()
        gradients.append(x.grad)
    return gradients


@behaviours("C03: gradients are cast and summed within a longer chain too")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    middle = x * 2
    middle.register_hook(lambda gradient: seen.append(gradient))
    returning(F, F.ones(3, 2, dtype=F.float64)).apply(middle).sum().backward()
    return seen, x.grad


@behaviours("C03: the same gradient for two inputs gives two .grad that share nothing")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    function(F, lambda ctx, a, b: a + b, lambda ctx, g: (g, g)).apply(a, b).backward(F.tensor([5.0, 6.0]))
    a.grad.mul_(10)
    return a.grad, b.grad


@behaviours("C03: a saved tensor returned as gradient is not made .grad itself")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x / 2

    x = leaf(F, 1.0, 2.0)
    function(F, forward, lambda ctx, g: ctx.saved_tensors[0]).apply(x).sum().backward()
    x.grad.mul_(10)
    return x.grad, x


@behaviours("C03: a gradient that ctx or the learner keeps is not made .grad itself")
def _(F: Any) -> Any:
    kept = F.tensor([5.0, 6.0])
    x = leaf(F, 1.0, 2.0)
    probe = returning(F, kept)
    probe.apply(x).sum().backward()
    probe.apply(x).sum().backward()
    return x.grad, kept


@behaviours("C03: the incoming gradient, kept and handed on, is not made .grad itself")
def _(F: Any) -> Any:
    kept = []

    def backward(ctx: Any, g: Any) -> Any:
        kept.append(g)
        return g

    x = leaf(F, 1.0, 2.0)
    probe = function(F, lambda ctx, x: x * 1, backward)
    for _ in range(2):
        (probe.apply(x) * 3).sum().backward()
    return kept, x.grad


@behaviours("C03: a returned tensor that requires grad leaves its graph behind without create_graph")
def _(F: Any) -> Any:
    weight, x = leaf(F, 5.0, 6.0), leaf(F, 1.0, 2.0)
    returning(F, weight).apply(x).sum().backward()
    return x.grad, weight.grad


@behaviours("C20: None says that there is no gradient, and .grad stays None")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    returning(F, None).apply(x).sum().backward()
    return x.grad


@behaviours("C20: None adds nothing to the gradients of other paths")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (returning(F, None).apply(x) + x * 3).sum().backward()
    return x.grad


@behaviours("C20: an operation below a None passes it on")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    returning(F, None).apply(x * x).sum().backward()
    return x.grad


@behaviours("C20: a Function below a None gets zeros")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(g)
        return g

    below = function(F, lambda ctx, x: x * 2, backward).apply(x)
    returning(F, None).apply(below).sum().backward()
    return seen, x.grad


@behaviours(
    "C20: for grad() it is as if the input was not used",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(returning(F, None).apply(x).sum(), x)


@behaviours("C20: one None among gradients")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    function(F, lambda ctx, a, b: a * b, lambda ctx, g: (None, g * 5)).apply(a, b).sum().backward()
    return a.grad, b.grad


test_as_in_torch = behaviours.test()

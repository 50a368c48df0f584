"""What a custom Function may do and what its ctx offers, side by side with torch.

After this file a reader knows how to write a Function: what forward and backward are given, what they may return, what
may be kept on ctx, and what each mistake leads to. The codes in the titles are those of the list of behaviours
(section C). At the end stand the promises that are minigrad's alone.
"""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed)."
)
MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace operation"
VIEW_OF_FUNCTION = "Output 0 of Probe is a view and is being modified inplace. This view was created inside a"
NOT_INSTANTIATED = "DeprecationWarning: <class '"
ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(list(values), requires_grad=True)


def function(F: Any, forward: Callable[..., Any], backward: Callable[..., Any] | None = None, **others: Any) -> Any:
    """A custom Function called Probe, from its methods."""
    methods = {"forward": forward, **({"backward": backward} if backward else {}), **others}
    return type("Probe", (F.autograd.Function,), {name: staticmethod(method) for name, method in methods.items()})


def doubling(F: Any) -> Any:
    return function(F, lambda ctx, x: x * 2, lambda ctx, g: g * 2)


def returning(F: Any, gradient: Any) -> Any:
    """A Function of one input whose backward returns what it is told to; a function is asked with the gradient."""

    def backward(ctx: Any, g: Any) -> Any:
        return gradient(g) if callable(gradient) else gradient

    return function(F, lambda ctx, x: x * 2, backward)


def saving(F: Any, *extra: Any) -> Any:
    """A Function that saves its input, and `extra` after it."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, *extra)
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2 * ctx.saved_tensors[0]

    return function(F, forward, backward)


def exponential(F: Any) -> Any:
    """A Function that saves its output."""

    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y

    return function(F, forward, backward)


def dirty_doubling(F: Any) -> Any:
    """A Function that doubles its input in place."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    return function(F, forward, lambda ctx, g: g * 2)


def two_outputs(F: Any, seen: list[Any], **settings: Any) -> Any:
    """A Function with the outputs 2x and 3x, which notes the gradients that come."""

    def forward(ctx: Any, x: Any) -> Any:
        if "materialize" in settings:
            ctx.set_materialize_grads(settings["materialize"])
        return x * 2, x * 3

    def backward(ctx: Any, first: Any, second: Any) -> Any:
        seen.append([first, second])
        return sum((g * factor for g, factor in ((first, 2), (second, 3)) if g is not None), 0 * leaf(F, 1.0, 2.0))

    return function(F, forward, backward)


def error_of(action: Callable[[], Any]) -> str:
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "no error"


def message_of(action: Callable[[], Any]) -> str:
    """The first words of an error that is only a step of the scenario."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:40]}"
    return "no error"


# ---------------------------------------------------------------- the plain case


@behaviours("C08: forward and backward are called, and the gradient arrives")
def _(F: Any) -> Any:
    class Cube(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x * x * gradient

    x = leaf(F, 1.0, 2.0)
    y = Cube.apply(x)
    y.backward(F.tensor([1.0, 10.0]))
    return y, x.grad


@behaviours("C08: the result's grad_fn has the Function's name, without a number")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    return repr(y), y.grad_fn.name(), type(y.grad_fn).__name__, y.is_leaf, y.output_nr


@behaviours("C08: grad_fn is a Node, its edges lead to the inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 3
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(middle, x)
    edges = y.grad_fn.next_functions
    return (
        isinstance(y.grad_fn, F.autograd.graph.Node),
        edges[0][0] is middle.grad_fn,
        [type(node).__name__ for node, _ in edges],
        [number for _, number in edges],
    )


@behaviours("C08: numbers have no edge, tensors without grad have an empty one")
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, *inputs: inputs[0] * 2, lambda ctx, g: (g, None, None, None, None))
    y = probe.apply(leaf(F, 1.0), 3, F.ones(1), None, leaf(F, 2.0))
    edges = y.grad_fn.next_functions
    return [type(node).__name__ for node, _ in edges]


@behaviours("C08: next_functions say which output of another node was used")
def _(F: Any) -> Any:
    first, second = (leaf(F, 1.0, 2.0) * 2).unbind()
    y = doubling(F).apply(second)
    return [[node is first.grad_fn, number] for node, number in y.grad_fn.next_functions]


@behaviours("C08: forward sees no recording, and the tensors that were passed")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def forward(ctx: Any, given: Any) -> Any:
        seen.extend([F.is_grad_enabled(), given is x, given.requires_grad, given.is_leaf, (given * 2).requires_grad])
        return given * 2

    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    return seen, F.is_grad_enabled(), y


@behaviours("C08: the output is the tensor that forward made")
def _(F: Any) -> Any:
    made = []

    def forward(ctx: Any, x: Any) -> Any:
        made.append(x * 2)
        return made[0]

    y = function(F, forward, lambda ctx, g: g * 2).apply(leaf(F, 1.0, 2.0))
    return made[0] is y, made[0].requires_grad


@behaviours("C08: a tensor from outside, returned, becomes a result")
def _(F: Any) -> Any:
    constant, x = F.tensor([5.0, 6.0]), leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: constant, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return constant is y, constant.requires_grad, constant.grad_fn, x.grad


@behaviours("C08: without an input that requires grad no graph is made")
def _(F: Any) -> Any:
    y = doubling(F).apply(F.tensor([1.0, 2.0]))
    return y, y.grad_fn, y.is_leaf


@behaviours("C08: nor without any input")
def _(F: Any) -> Any:
    return function(F, lambda ctx: F.ones(2), lambda ctx, g: None).apply()


@behaviours("C08: nor under no_grad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = doubling(F).apply(x)
    return y, y.grad_fn


@behaviours("C08: @staticmethod may be missing")
def _(F: Any) -> Any:
    class Plain(F.autograd.Function):
        def forward(ctx: Any, x: Any) -> Any:  # noqa: N805
            return x * 2

        def backward(ctx: Any, gradient: Any) -> Any:  # noqa: N805
            return gradient * 2

    x = leaf(F, 1.0, 2.0)
    Plain.apply(x).sum().backward()
    return x.grad


@behaviours("C08: a Function may derive from another Function, and is called by its own name")
def _(F: Any) -> Any:
    class Base(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.factor = 2
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * ctx.factor

    class Derived(Base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return Base.forward(ctx, x) + 1

    x = leaf(F, 1.0, 2.0)
    y = Derived.apply(x)
    y.sum().backward()
    return y, y.grad_fn, x.grad


@behaviours("C08: a Function may be applied often, each time with a ctx of its own")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, factor: float) -> Any:
        ctx.factor = factor
        return x * factor

    scaling = function(F, forward, lambda ctx, g: (g * ctx.factor, None))
    x = leaf(F, 1.0, 2.0)
    first, second = scaling.apply(x, 3.0), scaling.apply(x, 5.0)
    (first * second).sum().backward()
    return x.grad, first.grad_fn is second.grad_fn, first.grad_fn.factor, second.grad_fn.factor


@behaviours("C08: apply may be kept under another name")
def _(F: Any) -> Any:
    double = doubling(F).apply
    x = leaf(F, 1.0, 2.0)
    double(double(x)).sum().backward()
    return x.grad


@behaviours("C08: a Function within the forward of another leaves no trace in the graph")
def _(F: Any) -> Any:
    inner, seen = doubling(F), []

    def forward(ctx: Any, x: Any) -> Any:
        y = inner.apply(x)
        seen.append(y.requires_grad)
        return y

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: inner.apply(g)).apply(x)
    y.sum().backward()
    return seen, [type(node).__name__ for node, _ in y.grad_fn.next_functions], x.grad


@behaviours("C09: backward runs with recording on exactly when create_graph is")
def _(F: Any) -> Any:
    modes: list[bool] = []

    def backward(ctx: Any, g: Any) -> Any:
        modes.append(F.is_grad_enabled())
        return g * 2

    probe, x = function(F, lambda ctx, x: x * 2, backward), leaf(F, 1.0, 2.0)
    probe.apply(x).sum().backward()
    y = probe.apply(x).sum()
    with F.no_grad():
        y.backward()
    F.autograd.grad(probe.apply(x).sum(), x, create_graph=True)
    y = probe.apply(x).sum()
    with F.no_grad():
        F.autograd.grad(y, x, create_graph=True)
    return modes, F.is_grad_enabled()


@behaviours("C09: a grad mode that backward sets is taken back")
def _(F: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        F.set_grad_enabled(True)
        return g * 2

    seen = []
    x = leaf(F, 1.0, 2.0)
    x.register_hook(lambda gradient: seen.append(F.is_grad_enabled()))
    function(F, lambda ctx, x: x * 2, backward).apply(x).sum().backward()
    return seen, F.is_grad_enabled()


@behaviours("C09: the gradient that arrives has the output's shape and dtype, and no graph")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(g)
        return g

    x = F.tensor([[1.0], [2.0]], dtype=F.float64, requires_grad=True)
    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    (y.expand(2, 3) * F.ones(3)).sum().backward()
    return seen, x.grad


@behaviours("C09: a hook on the output changes what backward gets")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.register_hook(lambda gradient: gradient * 100)
    y.sum().backward()
    return x.grad


@behaviours("C09: an output can retain its gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.retain_grad()
    (y * 5).sum().backward()
    return y.grad, x.grad


@behaviours("C09: backward does not run when the output itself is asked for")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0, 2.0), []

    def backward(ctx: Any, g: Any) -> Any:
        ran.append("ran")
        return g * 2

    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    gradient = F.autograd.grad(y.sum(), y)
    return ran, gradient


@behaviours("C09: when only one input is asked for, the other's gradient is dropped")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    function(F, lambda ctx, a, b: a + b, lambda ctx, g: (g * 5, g * 7)).apply(a, b).sum().backward(inputs=[b])
    return a.grad, b.grad


@behaviours("C09: an edge to a Function's output, as input and as root")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first, second = two_outputs(F, []).apply(x)
    edge = F.autograd.graph.get_gradient_edge(second)
    y = (first * second).sum()
    to_edge = F.autograd.grad(y, edge, retain_graph=True)
    return edge.output_nr, edge.node is second.grad_fn, to_edge, F.autograd.grad(edge, x, F.tensor([1.0, 10.0]))


@behaviours("C09: a hook on the node may replace the gradients that backward returned")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.grad_fn.register_hook(lambda inwards, outwards: (inwards[0] * 10,))
    y.sum().backward()
    return x.grad


@behaviours("C09: hooks on the node see one gradient per tensor input and per output")
def _(F: Any) -> Any:
    seen = []
    y = function(F, lambda ctx, a, n, b: (a * n, b * n), lambda ctx, g, h: (g * 2, None, h * 5)).apply(
        leaf(F, 1.0), 3, leaf(F, 2.0)
    )
    y[0].grad_fn.register_prehook(lambda outwards: seen.append(outwards))
    y[0].grad_fn.register_hook(lambda inwards, outwards: seen.append([inwards, outwards]))
    (y[0] + y[1]).backward()
    return seen


# ---------------------------------------------------------------- what backward returns


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


@behaviours(
    "C01: too many gradients",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 1, got 2)",
)
def _(F: Any) -> Any:
    returning(F, lambda g: (g, g)).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours(
    "C01: an empty tuple",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 1, got 0)",
)
def _(F: Any) -> Any:
    returning(F, ()).apply(leaf(F, 1.0, 2.0)).sum().backward()


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
    "C02: whatever it is",
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


@behaviours("C03: a string as gradient", error=RuntimeError, says="expected Variable or None (got str)")
def _(F: Any) -> Any:
    returning(F, "two").apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours("C03: a number as gradient", error=RuntimeError, says="expected Variable or None (got float)")
def _(F: Any) -> Any:
    returning(F, 2.0).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours("C03: a numpy array as gradient", error=RuntimeError, says="expected Variable or None (got numpy.ndarray)")
def _(F: Any) -> Any:
    returning(F, lambda g: g.numpy() * 2).apply(leaf(F, 1.0, 2.0)).sum().backward()


@behaviours("C03: a list is no tuple", error=RuntimeError, says="expected Variable or None (got list)")
def _(F: Any) -> Any:
    returning(F, lambda g: [g * 2]).apply(leaf(F, 1.0, 2.0)).sum().backward()


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
    "C03: nor is a 0-d one",
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


@behaviours("C03: so a Function that broadcasts may return its gradient as it is")
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


@behaviours("C03: within a longer chain too")
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


@behaviours("C03: nor is a gradient that ctx or the learner keeps")
def _(F: Any) -> Any:
    kept = F.tensor([5.0, 6.0])
    x = leaf(F, 1.0, 2.0)
    probe = returning(F, kept)
    probe.apply(x).sum().backward()
    probe.apply(x).sum().backward()
    return x.grad, kept


@behaviours("C03: nor is the incoming gradient, if backward keeps it and hands it on")
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


# ---------------------------------------------------------------- missing and doubled methods


@behaviours(
    "C04: no forward",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    class Empty(F.autograd.Function):
        pass

    Empty.apply(leaf(F, 1.0))


@behaviours(
    "C04: the base class itself",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    F.autograd.Function.apply(leaf(F, 1.0))


@behaviours(
    "C04: setup_context alone",
    error=NotImplementedError,
    says="You must implement the forward function for custom autograd.Function.",
)
def _(F: Any) -> Any:
    class Half(F.autograd.Function):
        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

    Half.apply(leaf(F, 1.0))


@behaviours("C04: no backward is no matter until it is needed")
def _(F: Any) -> Any:
    return function(F, lambda ctx, x: x * 2).apply(leaf(F, 1.0))


@behaviours(
    "C04: then it is missing",
    error=NotImplementedError,
    says="You must implement either the backward or vjp method for your custom autograd.Function to use it with",
)
def _(F: Any) -> Any:
    function(F, lambda ctx, x: x * 2).apply(leaf(F, 1.0)).backward()


@behaviours("C04: vjp is another name for backward")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn


@behaviours(
    "C04: both at once",
    error=RuntimeError,
    says="Implementing both 'backward' and 'vjp' for a custom Function is not allowed.",
)
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x: x * 2, lambda ctx, g: g * 2, vjp=lambda ctx, g: g * 2)
    probe.apply(leaf(F, 1.0)).backward()


@behaviours(
    "C19: instantiating a Function warns", warns=("DeprecationWarning: <class 'side_by_side.Old'> should not be",)
)
def _(F: Any) -> Any:
    old = type("Old", (F.autograd.Function,), {"__module__": "side_by_side"})
    return isinstance(old(), F.autograd.Function)


@behaviours(
    "C19: calling an instance",
    error=RuntimeError,
    says="Legacy autograd function with non-static forward method is deprecated.",
    warns=(NOT_INSTANTIATED,),
)
def _(F: Any) -> Any:
    doubling(F)()(leaf(F, 1.0))


@behaviours("C19: static methods can be called through the class, outside any graph")
def _(F: Any) -> Any:
    probe = doubling(F)
    return probe.forward(None, F.ones(2)), probe.backward(None, F.ones(2))


# ---------------------------------------------------------------- saving tensors


@behaviours(
    "C05: saving a number",
    error=TypeError,
    says="save_for_backward can only save variables, but argument 0 is of type int",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(3)
        return x * 3

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))


@behaviours(
    "C05: the number is the argument's place",
    error=TypeError,
    says="save_for_backward can only save variables, but argument 1 is of type list",
)
def _(F: Any) -> Any:
    saving(F, [1.0, 2.0]).apply(leaf(F, 1.0))


@behaviours("C05: without a graph nothing is saved, and nothing refused")
def _(F: Any) -> Any:
    return saving(F, "text").apply(F.tensor([1.0, 2.0]))


@behaviours("C06: a saved input comes back as the same object")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.extend(saved is given for saved, given in zip(ctx.saved_tensors, (a, b, constant), strict=True))
        return g, g, None

    def forward(ctx: Any, *inputs: Any) -> Any:
        ctx.save_for_backward(*inputs)
        return inputs[0] * 2

    a, constant = leaf(F, 1.0, 2.0), F.ones(2)
    b = a * 3
    function(F, forward, backward).apply(a, b, constant).sum().backward()
    return seen


@behaviours("C06: None may be saved")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F, None, F.tensor([7.0])).apply(x)
    y.sum().backward(retain_graph=True)
    return y.grad_fn.saved_tensors, x.grad


@behaviours("C06: nothing saved is the empty tuple")
def _(F: Any) -> Any:
    return doubling(F).apply(leaf(F, 1.0)).grad_fn.saved_tensors


@behaviours("C06: saved_tensors is a tuple, empty while forward runs")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        seen.append(ctx.saved_tensors)
        return x * 2

    y = function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))
    return seen, type(y.grad_fn.saved_tensors).__name__, y.grad_fn.saved_tensors


@behaviours("C06: the last call of save_for_backward counts")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.save_for_backward(x + 1, x + 2)
        return x * 2

    return function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0)).grad_fn.saved_tensors


@behaviours("C06: a tensor may be saved twice")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, x)
        return x * 2

    x = leaf(F, 1.0)
    saved = function(F, forward, lambda ctx, g: g).apply(x).grad_fn.saved_tensors
    return saved, saved[0] is x, saved[1] is x


@behaviours("C06: a saved output comes back with its place in the graph")
def _(F: Any) -> Any:
    y = exponential(F).apply(leaf(F, 0.0, 1.0))
    (saved,) = y.grad_fn.saved_tensors
    return saved, saved.grad_fn is y.grad_fn, saved.output_nr


@behaviours("C06: so does a saved output that is not the first")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        first, second = x * 2, x * 3
        ctx.save_for_backward(second, first)
        return first, second

    first, _ = function(F, forward, lambda ctx, g, h: g * 2 + h * 3).apply(leaf(F, 1.0))
    saved = first.grad_fn.saved_tensors
    return saved, [tensor.output_nr for tensor in saved], [tensor.grad_fn is first.grad_fn for tensor in saved]


@behaviours("C06: a saved intermediate comes back without graph")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        return between * x

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.saved_tensors)
        return g * 3 * ctx.saved_tensors[0]

    x = leaf(F, 1.0, 2.0)
    function(F, forward, backward).apply(x).sum().backward()
    return seen, x.grad


@behaviours("C06: saved tensors can be read any number of times, in backward and on grad_fn")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F).apply(x)
    return y.grad_fn.saved_tensors[0] is x, y.grad_fn.saved_tensors[0] is x


@behaviours("C06: saving within backward changes nothing")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        ctx.save_for_backward(g)
        seen.append(ctx.saved_tensors)
        return g * 2

    function(F, lambda ctx, x: x * 2, backward).apply(leaf(F, 1.0)).backward()
    return seen


@behaviours("C06: saved_tensors cannot be assigned")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.saved_tensors = (x,)
        return x * 2

    return error_of(lambda: function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0)))


@behaviours("C06: after backward they are freed", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = saving(F).apply(leaf(F, 1.0, 2.0))
    y.sum().backward()
    return y.grad_fn.saved_tensors


@behaviours("C06: so a second backward fails", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = saving(F).apply(leaf(F, 1.0, 2.0))
    y.backward(F.ones(2))
    y.backward(F.ones(2))


@behaviours("C06: when nothing was saved, backward can be repeated")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.backward(F.ones(2))
    y.backward(F.ones(2))
    return x.grad


@behaviours("C06: so it can when what was saved is not read again")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    y.backward(F.ones(2))
    y.backward(F.ones(2))
    return x.grad


@behaviours("C06: a freed node refuses to show what it saved, although it is nothing", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = doubling(F).apply(leaf(F, 1.0))
    y.backward()
    return y.grad_fn.saved_tensors


@behaviours("C06: freeing leaves the attributes of ctx alone")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.kept, ctx.times = x, 2
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * ctx.times).apply(x)
    y.sum().backward()
    return y.grad_fn.kept is x, y.grad_fn.times


@behaviours("C06: with retain_graph saved tensors and attributes stay, and backward may change the latter")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.runs = 0
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        ctx.runs += 1
        return g * 2 * ctx.saved_tensors[0] * ctx.runs

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, backward).apply(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    return y.grad_fn.runs, x.grad, y.grad_fn.saved_tensors


@behaviours("C07: a saved input that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x.add_(1)
    y.sum().backward()


@behaviours("C07: a saved leaf that was changed under no_grad", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F).apply(x)
    with F.no_grad():
        x.add_(1)
    y.sum().backward()


@behaviours("C07: a saved tensor without grad that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    constant = F.ones(2)
    y = saving(F, constant).apply(leaf(F, 1.0, 2.0))
    constant.add_(1)
    y.sum().backward()


@behaviours("C07: a saved output that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    y = exponential(F).apply(leaf(F, 1.0, 2.0))
    y.add_(1)
    y.sum().backward()


@behaviours("C07: a saved input, changed through a view of it", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x[0] = 5.0
    y.sum().backward()


@behaviours("C07: reading saved_tensors of grad_fn checks too", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x.add_(1)
    return y.grad_fn.saved_tensors


@behaviours("C07: a change within forward, before it ends, does not count")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(y)
        y.add_(1)
        return y * 1

    y = function(F, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(leaf(F, 1.0))
    return y.grad_fn.saved_tensors


@behaviours("C07: what was not saved may be changed")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    y = doubling(F).apply(middle)
    middle.add_(1)
    y.sum().backward()
    return x.grad


# ---------------------------------------------------------------- ctx


@behaviours("C11: needs_input_grad has an entry for every input")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, *inputs: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return inputs[0] * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return (g, *[None] * 6)

    probe = function(F, forward, backward)
    y = probe.apply(leaf(F, 1.0), F.ones(1), 3, None, leaf(F, 1.0) * 2, "text", [leaf(F, 1.0)])
    y.backward()
    return seen, y.grad_fn.needs_input_grad, type(seen[0]).__name__


@behaviours("C11: it says what requires grad, under no_grad as well")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return a * b

    probe = function(F, forward, lambda ctx, g: (g, g))
    with F.no_grad():
        probe.apply(leaf(F, 1.0), F.ones(1))
    probe.apply(F.ones(1), F.ones(1))
    return seen


@behaviours("C11: it does not follow what grad() asks for")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g * 2, g * 3

    a, b = leaf(F, 1.0), leaf(F, 2.0)
    gradient = F.autograd.grad(function(F, lambda ctx, a, b: a * 2 + b * 3, backward).apply(a, b), b)
    return seen, gradient


@behaviours("C11: nor a later change of requires_grad")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0), F.ones(1)
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)).apply(a, b)
    b.requires_grad_(True)
    y.backward()
    return y.grad_fn.needs_input_grad, b.grad


@behaviours("C11: ctx is the node, in forward and in backward")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        seen.append(ctx)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx)
        return g * 2

    y = function(F, forward, backward).apply(leaf(F, 1.0))
    y.backward()
    ctx_class = F.autograd.function.FunctionCtx
    return [ctx is y.grad_fn for ctx in seen], isinstance(y.grad_fn, ctx_class), type(seen[0]).__name__


# Names that a learner may well choose, and that an engine may well use itself.
# fmt: off
ATTRIBUTES = (
    "_private", "_saved", "a", "args", "array", "backward_fn", "creation", "ctx", "data", "dim", "dtype", "edges",
    "eps", "freed", "function", "grad", "gradient", "hooks", "index", "inputs", "keeps_tensors", "kwargs", "layer",
    "mask", "module", "next_nodes", "node", "nodes", "output", "output_count", "output_nr", "output_nrs", "outputs",
    "p", "parent", "post_hooks", "pre_hooks", "rules", "saved", "self", "sequence_nr", "shape", "shapes", "size",
    "targets", "tensor", "tensors", "training", "variable", "variables", "version", "x", "y",
)
# fmt: on


@behaviours("C11: any attribute may be put on ctx, and is found again in backward and on grad_fn")
def _(F: Any) -> Any:
    def changed(ctx: Any) -> list[str]:
        return [name for number, name in enumerate(ATTRIBUTES) if getattr(ctx, name) != number]

    def forward(ctx: Any, x: Any) -> Any:
        for number, name in enumerate(ATTRIBUTES):
            setattr(ctx, name, number)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(changed(ctx))
        return g * 2

    x, seen = leaf(F, 1.0, 2.0), []
    y = function(F, forward, backward).apply(x)
    (y * x).sum().backward()
    return seen, changed(y.grad_fn), x.grad, repr(y), len(y.grad_fn.next_functions)


@behaviours("C11: each of them may hold tensors, lists and functions")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.inputs, ctx.targets, ctx.shape, ctx.rules = (x,), [None, x], x.shape, {"x": lambda g: g * 2}
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        return ctx.rules["x"](g) + ctx.inputs[0] + ctx.targets[1]

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, backward).apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.shape, y.grad_fn.inputs[0] is x


@behaviours("C11: ctx.name may hide the method, and the node still runs and prints")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.name = "my layer"
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    return y.grad_fn.name, repr(y), x.grad


@behaviours("C11: an attribute that was not set is missing", error=AttributeError, says="'ProbeBackward' object has no")
def _(F: Any) -> Any:
    return doubling(F).apply(leaf(F, 1.0)).grad_fn.factor


@behaviours("C11: attributes can be set from outside and deleted")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x * 2, lambda ctx, g: g * ctx.factor).apply(x)
    y.grad_fn.factor = 7
    y.sum().backward()
    del y.grad_fn.factor
    return x.grad, hasattr(y.grad_fn, "factor")


@behaviours("C11: the attributes live as long as the graph, although nobody holds the node")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.note = ["kept"]
        return x * 2

    x = leaf(F, 1.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x) * 3
    return y.grad_fn.next_functions[0][0].note


@behaviours("C11: metadata is a dict of the learner's own")
def _(F: Any) -> Any:
    node = doubling(F).apply(leaf(F, 1.0)).grad_fn
    node.metadata["note"] = 5
    return node.metadata


# ---------------------------------------------------------------- several outputs, and outputs of other kinds


@behaviours("C12: the gradient of an output that was not used comes as zeros")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    first.sum().backward()
    second.sum().backward()
    return seen, x.grad


@behaviours("C12: or as None after set_materialize_grads(False)")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen, materialize=False).apply(x)
    first.sum().backward()
    second.sum().backward()
    return seen, x.grad


@behaviours("C12: set_materialize_grads(True) is the default")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    two_outputs(F, seen, materialize=True).apply(x)[1].sum().backward()
    return seen


@behaviours(
    "C12: set_materialize_grads takes a bool",
    error=TypeError,
    says="set_materialize_grads received an invalid combination of arguments",
)
def _(F: Any) -> Any:
    two_outputs(F, [], materialize="no").apply(leaf(F, 1.0, 2.0))


@behaviours("C12: both outputs used, backward runs once with both gradients")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    (first * second).sum().backward()
    return seen, x.grad


@behaviours("C12: outputs have the same node and numbers of their own")
def _(F: Any) -> Any:
    outputs = two_outputs(F, []).apply(leaf(F, 1.0, 2.0))
    return (
        type(outputs).__name__,
        outputs[0].grad_fn is outputs[1].grad_fn,
        [output.output_nr for output in outputs],
        repr(outputs),
    )


@behaviours("C12: the zeros have the shape and dtype of their output")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, *gradients: Any) -> Any:
        seen.append(gradients)
        return gradients[0]

    probe = function(F, lambda ctx, x: (x * 2, x.sum(), x.double().reshape(2, 1)), backward)
    probe.apply(leaf(F, 1.0, 2.0))[0].sum().backward()
    return seen


@behaviours("C12: materialized zeros under create_graph need no grad")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, _ = two_outputs(F, seen).apply(x)
    F.autograd.grad(first.sum(), x, create_graph=True)
    return seen


@behaviours("C12: a tuple of one output stays a tuple")
def _(F: Any) -> Any:
    outputs = function(F, lambda ctx, x: (x * 2,), lambda ctx, g: g * 2).apply(leaf(F, 1.0))
    return type(outputs).__name__, outputs, outputs[0].grad_fn


@behaviours("C12: each output can be asked for by grad()")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    return F.autograd.grad((first * 5 + second * 7).sum(), [second, first, x]), seen


@behaviours("C13: an output marked as non-differentiable has no graph")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        value, mask = x * 2, x * 0 + 1
        ctx.mark_non_differentiable(mask)
        return value, mask

    def backward(ctx: Any, g: Any, of_mask: Any) -> Any:
        seen.append(of_mask)
        return g * 2

    x = leaf(F, 1.0, 2.0)
    value, mask = function(F, forward, backward).apply(x)
    (value * mask).sum().backward()
    return value, mask, mask.grad_fn, mask.is_leaf, seen, x.grad


@behaviours("C13: integer outputs are non-differentiable without being marked")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any, of_index: Any) -> Any:
        seen.append(of_index)
        return g * 2

    x = leaf(F, 1.0, 2.0)
    value, index = function(F, lambda ctx, x: (x * 2, F.tensor([1, 0])), backward).apply(x)
    value.sum().backward()
    return index, index.grad_fn, seen, x.grad


@behaviours("C13: with set_materialize_grads(False) the marked output has None as gradient")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        value, mask = x * 2, x * 0 + 1
        ctx.mark_non_differentiable(mask)
        ctx.set_materialize_grads(False)
        return value, mask

    def backward(ctx: Any, g: Any, of_mask: Any) -> Any:
        seen.append([g, of_mask])
        return g * 2

    x = leaf(F, 1.0, 2.0)
    function(F, forward, backward).apply(x)[0].sum().backward()
    return seen, x.grad


@behaviours("C13: the only output, marked")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    y = function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))
    return y, y.grad_fn


@behaviours("C13: an input returned and marked")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x

    x = leaf(F, 1.0)
    y = function(F, forward, lambda ctx, g: g).apply(x)
    return y is x, y, y.grad_fn, x.requires_grad


@behaviours(
    "C13: only tensors can be marked",
    error=RuntimeError,
    says="mark_non_differentiable only accepts variable arguments",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(3)
        return x * 2

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))


@behaviours("C13: marking what is not an output does nothing")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_non_differentiable(x)
        return x * 2

    x = leaf(F, 1.0)
    function(F, forward, lambda ctx, g: g * 2).apply(x).backward()
    return x.grad


@behaviours("C16: outputs that are no tensors pass through, and backward has a slot for each")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, *gradients: Any) -> Any:
        seen.append(gradients)
        return gradients[1] * 2

    x = leaf(F, 1.0, 2.0)
    outputs = function(F, lambda ctx, x: ("text", x * 2, None, 3.5, x.shape), backward).apply(x)
    outputs[1].sum().backward()
    return outputs, seen, x.grad


@behaviours("C16: an output that is no tensor at all")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    return [
        function(F, lambda ctx, x, value=value: value, lambda ctx, g: g).apply(x)
        for value in (None, 3, "text", (), (1, 2), {"a": 1}, np.ones(2))
    ]


@behaviours("C16: tensors within a list or dict are not outputs, and have no graph")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    in_list = function(F, lambda ctx, x: [x * 2, x * 3], lambda ctx, g: g).apply(x)
    in_dict = function(F, lambda ctx, x: {"double": x * 2}, lambda ctx, g: g).apply(x)
    nested, beside = function(F, lambda ctx, x: ((x * 2,), x * 3), lambda ctx, none, g: g * 3).apply(x)
    return in_list, in_dict, nested, beside


@behaviours("C16: the same tensor returned twice")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        return y, y

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append([g, h])
        return (g + h) * 2

    x = leaf(F, 1.0, 2.0)
    first, second = function(F, forward, backward).apply(x)
    (first * 5 + second * 7).sum().backward()
    return first is second, [first.output_nr, second.output_nr], seen, x.grad


# ---------------------------------------------------------------- inputs of other kinds


@behaviours("C16: numbers, strings, lists, None and functions are passed as they are")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any, *others: Any) -> Any:
        seen.extend(given is original for given, original in zip(others, inputs, strict=True))
        return x * 2

    inputs = (3, "text", [1, 2], None, len, {"a": 1})
    x = leaf(F, 1.0)
    function(F, forward, lambda ctx, g: (g * 2, *[None] * 6)).apply(x, *inputs).backward()
    return seen, x.grad


@behaviours("C16: None in place of an optional tensor")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, bias: Any) -> Any:
        ctx.save_for_backward(x, bias)
        return x * 2 if bias is None else x * 2 + bias

    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None if ctx.saved_tensors[1] is None else g

    linear, x, bias = function(F, forward, backward), leaf(F, 1.0), leaf(F, 5.0)
    linear.apply(x, None).backward()
    linear.apply(x, bias).backward()
    return x.grad, bias.grad


@behaviours("C16: tensors within a tuple are not seen by autograd")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, pair: Any, x: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return pair[0] * pair[1] * x

    a, b, x = leaf(F, 2.0), leaf(F, 3.0), leaf(F, 4.0)
    probe = function(F, forward, lambda ctx, g: (None, g * 6))
    y = probe.apply((a, b), x)
    y.backward()
    return seen, a.grad, b.grad, x.grad, probe.apply((a, b), F.ones(1))


@behaviours("C16: the same tensor as two inputs gets the sum")
def _(F: Any) -> Any:
    x = leaf(F, 3.0)
    y = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g * 5, g * 7)).apply(x, x)
    y.backward()
    return x.grad, len(y.grad_fn.next_functions)


@behaviours("C16: keyword arguments are inputs at the place that forward's signature gives them")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any, factor: float = 1.0, weight: Any = None) -> Any:
        seen.append(ctx.needs_input_grad)
        return x * factor * weight

    x, weight = leaf(F, 1.0), leaf(F, 5.0)
    y = function(F, forward, lambda ctx, g: (g * 10, None, g * 20)).apply(x, weight=weight, factor=2.0)
    y.backward()
    return seen, len(y.grad_fn.next_functions), x.grad, weight.grad


@behaviours(
    "C16: so they need gradients",
    error=RuntimeError,
    says="function ProbeBackward returned an incorrect number of gradients (expected 2, got 1)",
)
def _(F: Any) -> Any:
    function(F, lambda ctx, x, factor: x * factor, lambda ctx, g: g).apply(leaf(F, 1.0), factor=2.0).backward()


@behaviours("C16: a default that is not passed is no input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0)
    y = function(F, lambda ctx, x, factor=2.0: x * factor, lambda ctx, g: g * 2).apply(x)
    y.backward()
    return y.grad_fn.needs_input_grad, x.grad


@behaviours("C16: a graph is made when only a keyword argument requires grad")
def _(F: Any) -> Any:
    weight = leaf(F, 5.0)
    y = function(F, lambda ctx, x, weight: x * weight, lambda ctx, g: (None, g)).apply(F.ones(1), weight=weight)
    y.backward()
    return y, weight.grad


@behaviours(
    "C16: parameters that take keywords only cannot be used",
    error=TypeError,
    says="forward() got an unexpected keyword argument 'factor'",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, *, factor: float) -> Any:
        return x * factor

    function(F, forward, lambda ctx, g: (g, None)).apply(leaf(F, 1.0), factor=2.0)


@behaviours("C16: a missing and an unknown argument are TypeErrors of forward")
def _(F: Any) -> Any:
    probe, x = function(F, lambda ctx, a, b: a * b, lambda ctx, g: (g, g)), leaf(F, 1.0)
    return error_of(lambda: probe.apply(x)), error_of(lambda: probe.apply(x, x, x)), error_of(lambda: probe.apply(c=x))


# ---------------------------------------------------------------- forward without ctx


def with_setup(F: Any, seen: list[Any] | None = None) -> Any:
    """forward(x, factor=3.0) without ctx, and setup_context beside it."""

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, factor = inputs
        ctx.save_for_backward(x, output)
        ctx.factor = factor
        if seen is not None:
            seen.append([type(inputs).__name__, inputs, output, output.requires_grad, F.is_grad_enabled()])

    def backward(ctx: Any, g: Any) -> Any:
        x, _ = ctx.saved_tensors
        return g * ctx.factor * 2 * x, None

    return function(F, lambda x, factor=3.0: x * x * factor, backward, setup_context=setup_context)


@behaviours("C17: setup_context gets ctx, the tuple of inputs and the output")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    y = with_setup(F, seen).apply(x, 5.0)
    y.sum().backward()
    return seen, y, x.grad


@behaviours("C17: defaults are filled in, and keyword arguments become inputs")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    probe = with_setup(F, seen)
    probe.apply(x).sum().backward()
    probe.apply(x, factor=7.0).sum().backward()
    probe.apply(factor=1.0, x=x).sum().backward()
    return [[inputs[1] for _, inputs, *_ in seen]], x.grad


@behaviours("C17: saved outputs are linked to the node there too")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = with_setup(F).apply(x)
    saved = y.grad_fn.saved_tensors
    return saved[0] is x, saved[1].grad_fn is y.grad_fn, saved


@behaviours("C17: several outputs come as the tuple that forward returned")
def _(F: Any) -> Any:
    seen = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append([type(output).__name__, len(output)])
        ctx.mark_non_differentiable(output[1])

    x = leaf(F, 1.0, 2.0)
    probe = function(F, lambda x: (x * 2, x * 0), lambda ctx, g, _: g * 2, setup_context=setup_context)
    value, zeros = probe.apply(x)
    value.sum().backward()
    return seen, value, zeros, x.grad


@behaviours("C17: ctx knows needs_input_grad there")
def _(F: Any) -> Any:
    seen = []

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append(ctx.needs_input_grad)
        ctx.set_materialize_grads(False)

    function(F, lambda x, n, c: x * n, lambda ctx, g: (g, None, None), setup_context=setup_context).apply(
        leaf(F, 1.0), 3, F.ones(1)
    )
    return seen


@behaviours("C17: what setup_context returns does not matter")
def _(F: Any) -> Any:
    probe = function(F, lambda x: x * 2, lambda ctx, g: g * 2, setup_context=lambda ctx, inputs, output: "ignored")
    return probe.apply(leaf(F, 1.0))


@behaviours("C17: it is called under no_grad and without any graph as well")
def _(F: Any) -> Any:
    seen = []
    probe = with_setup(F, seen)
    with F.no_grad():
        probe.apply(leaf(F, 1.0))
    probe.apply(F.ones(1))
    return len(seen)


@behaviours("C17: forward then gets no ctx", error=TypeError, says="missing a required argument: 'x'")
def _(F: Any) -> Any:
    probe = function(F, lambda ctx, x: x * 2, lambda ctx, g: g, setup_context=lambda ctx, inputs, output: None)
    probe.apply(leaf(F, 1.0))


@behaviours("C17: mark_dirty in setup_context")
def _(F: Any) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_dirty(inputs[0])

    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    probe = function(F, lambda x: x.mul_(2), lambda ctx, g: g * 2, setup_context=setup_context)
    y = probe.apply(middle)
    y.sum().backward()
    return y is middle, y, x.grad


# ---------------------------------------------------------------- changing inputs in place


@behaviours("C14: mark_dirty gives back the same object, with the Function in its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 3
    before = middle._version
    y = dirty_doubling(F).apply(middle)
    y.sum().backward()
    return y is middle, y, y.grad_fn, middle._version - before, x.grad


@behaviours("C14: it also counts a write that the tensor has not seen")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        x.numpy()[0] = 5.0
        ctx.mark_dirty(x)
        return x

    middle = leaf(F, 1.0, 2.0) * 1
    y = function(F, forward, lambda ctx, g: g).apply(middle)
    return y, middle._version


@behaviours("C14: what others had saved of it is then refused", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    middle = leaf(F, 1.0, 2.0) * 1
    square = middle * middle
    dirty_doubling(F).apply(middle)
    square.sum().backward()


@behaviours("C14: without mark_dirty a changed input returned is an alias of it")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    y = function(F, lambda ctx, x: x.mul_(2), lambda ctx, g: g * 2).apply(middle)
    y.sum().backward()
    return y is middle, y, middle, middle.grad_fn, x.grad


@behaviours(
    "C14: a leaf cannot be dirty",
    error=RuntimeError,
    says="a leaf Variable that requires grad has been used in an in-place operation.",
)
def _(F: Any) -> Any:
    dirty_doubling(F).apply(leaf(F, 1.0, 2.0))


@behaviours("C14: unless it needs no grad, or recording is off")
def _(F: Any) -> Any:
    constant, x = F.ones(2), leaf(F, 1.0, 2.0)
    first = dirty_doubling(F).apply(constant)
    with F.no_grad():
        second = dirty_doubling(F).apply(x)
    return first is constant, first, second is x, second, x.is_leaf


@behaviours(
    "C14: what is dirty must be returned",
    error=RuntimeError,
    says="Some elements marked as dirty during the forward method were not returned as output.",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x * 2

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0) * 1)


@behaviours(
    "C14: only tensors can be dirty", error=RuntimeError, says="mark_dirty can only accept variables, but argument"
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty("x")
        return x * 2

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0) * 1)


@behaviours(
    "C14: a tensor that was no input need not be marked",
    warns=("UserWarning: ctx.mark_dirty() received a tensor that was not an input.",),
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_dirty(y)
        return y

    x = leaf(F, 1.0)
    function(F, forward, lambda ctx, g: g * 2).apply(x).backward()
    return x.grad


@behaviours("C14: one input of two is dirty")
def _(F: Any) -> Any:
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.mark_dirty(a)
        return a.add_(b), a * b

    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    middle = a * 1
    total, product = function(F, forward, lambda ctx, g, h: (g * 5, g * 7 + h)).apply(middle, b)
    (total + product).sum().backward()
    return total is middle, total, product, a.grad, b.grad


@behaviours("C14: an input without grad becomes part of the graph when it is dirty")
def _(F: Any) -> Any:
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.mark_dirty(a)
        return a.add_(b)

    a, b = F.ones(2), leaf(F, 3.0, 4.0)
    y = function(F, forward, lambda ctx, g: (g, g * 7)).apply(a, b)
    y.sum().backward()
    return y is a, a, a.grad_fn, b.grad


@behaviours("C14: a dirty view changes the history of its base")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    base = x * 1
    y = dirty_doubling(F).apply(base[:2])
    gradient = F.autograd.grad(base.sum(), x, retain_graph=True)
    return y, base, base.grad_fn, gradient


@behaviours("C14: the dirty view itself can be differentiated")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    base = x * 1
    view = base[1:]
    y = dirty_doubling(F).apply(view)
    y.sum().backward()
    return y is view, y, x.grad


@behaviours("C14: other views of the base see the dirty one's history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    base = x * 1
    other = base[:2]
    dirty_doubling(F).apply(base[1:])
    other.sum().backward()
    return other, x.grad


@behaviours("C14: a dirty and saved output is given back as it is now")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x.exp_()
        ctx.save_for_backward(x)
        return x

    x = leaf(F, 0.0, 1.0)
    y = function(F, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x * 1)
    y.sum().backward()
    return y, x.grad


@behaviours("C14: a dirty input that is marked as non-differentiable")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        ctx.mark_non_differentiable(x)
        return x.mul_(2)

    middle = leaf(F, 1.0, 2.0) * 1
    y = function(F, forward, lambda ctx, g: g).apply(middle)
    return y is middle, y, y.grad_fn


@behaviours("C14: a dirty input returned twice is the same object twice")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x.mul_(2)
        return x, x

    middle = leaf(F, 1.0, 2.0) * 1
    first, second = function(F, forward, lambda ctx, g, h: g).apply(middle)
    return first is middle, second is middle, first


@behaviours("C14: two dirty inputs, returned the other way round")
def _(F: Any) -> Any:
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.mark_dirty(a, b)
        return b.mul_(2), a.mul_(3)

    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    one, other = a * 1, b * 1
    first, second = function(F, forward, lambda ctx, g, h: (h * 3, g * 2)).apply(one, other)
    (first * second).sum().backward()
    return first is other, second is one, a.grad, b.grad


@behaviours("C14: the input's history changes although the result is dropped")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    dirty_doubling(F).apply(middle)
    middle.sum().backward()
    return middle.grad_fn, x.grad


@behaviours("C14: hooks stay on the version before, retain_grad goes with the tensor")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    middle = x * 1
    middle.retain_grad()
    middle.register_hook(lambda gradient: seen.append(gradient))
    dirty_doubling(F).apply(middle).sum().backward()
    return seen, middle.grad, x.grad


@behaviours(
    "C14: a view of a leaf cannot be dirty",
    error=RuntimeError,
    says="a view of a leaf Variable that requires grad is being used in an in-place operation.",
)
def _(F: Any) -> Any:
    dirty_doubling(F).apply(leaf(F, 1.0, 2.0)[:1])


@behaviours(
    "C14: nor can one of several views made at once",
    error=RuntimeError,
    says="Output 0 of Unbind is a view and is being modified inplace. This view is the output of a function that",
)
def _(F: Any) -> Any:
    dirty_doubling(F).apply((leaf(F, 1.0, 2.0) * 1).unbind()[0])


@behaviours(
    "C14: a Function with several outputs cannot change a view",
    error=RuntimeError,
    says="If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2), x * 3

    function(F, forward, lambda ctx, g, h: g * 2 + h * 6).apply((leaf(F, 1.0, 2.0) * 1)[:1])


@behaviours("C14: the gradient of a chain of dirty Functions")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x * 1
    for _ in range(3):
        y = dirty_doubling(F).apply(y)
    y.sum().backward()
    return y, y._version, x.grad


# ---------------------------------------------------------------- returning inputs and views


@behaviours("C15: an input returned as it is becomes a new tensor with the Function as its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return y is x, y, y.grad_fn, y._is_view(), y._base is x, x.grad, x.is_leaf


@behaviours("C15: it shares memory and version with the input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(x)
    with F.no_grad():
        x.mul_(10)
    return y, y._version, x._version


@behaviours("C15: without a graph it is the input itself or its alias, and needs no grad")
def _(F: Any) -> Any:
    constant = F.ones(2)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(constant)
    y.mul_(3)
    return y, constant


@behaviours("C15: writing into it", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x, lambda ctx, g: g).apply(leaf(F, 1.0, 2.0) * 1)
    y.add_(1)


@behaviours("C15: writing into a view of the input that was returned", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2)).apply(leaf(F, 1.0, 2.0) * 1)
    y.add_(1)


@behaviours("C15: writing into a view of such an output", error=RuntimeError, says="Output 0 of")
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: x.view(2, 1), lambda ctx, g: g.view(2)).apply(leaf(F, 1.0, 2.0) * 1)
    y[0].add_(1)


@behaviours("C15: writing into an output that is a view of an intermediate", error=RuntimeError, says=VIEW_OF_FUNCTION)
def _(F: Any) -> Any:
    y = function(F, lambda ctx, x: (x * 2).view(2, 1), lambda ctx, g: g.view(2) * 2).apply(leaf(F, 1.0, 2.0))
    y.add_(1)


@behaviours("C15: a clone of it may be written to")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x, lambda ctx, g: g * 7).apply(x).clone()
    y.mul_(2)
    y.sum().backward()
    return y, x.grad


@behaviours("C15: a view of the input that was returned has the Function as its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2) * 7).apply(x)
    y.sum().backward()
    return y, y.grad_fn, y._is_view(), x.grad


@behaviours("C15: writing to the input shows in a returned view, under no_grad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2)).apply(x)
    with F.no_grad():
        x.mul_(10)
    return y


@behaviours("C15: a view of the input returned under no_grad is like any view made there")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = function(F, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2)).apply(x)
    return y, y._is_view(), y.is_leaf, y.grad_fn


@behaviours("C15: of two inputs, the one returned is a view, the result is not")
def _(F: Any) -> Any:
    a, b = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    same, product = function(F, lambda ctx, a, b: (a, a * b), lambda ctx, g, h: (g * 5 + h, h * 7)).apply(a, b)
    (same + product).sum().backward()
    return same is a, same._is_view(), product._is_view(), a.grad, b.grad


@behaviours("C15: an input returned twice")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first, second = function(F, lambda ctx, x: (x, x), lambda ctx, g, h: g * 5 + h * 7).apply(x)
    (first + second).sum().backward()
    return first is x, [first.output_nr, second.output_nr], x.grad


@behaviours("C15: a saved input that was also returned comes back")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    y.sum().backward()
    return y, x.grad


@behaviours("C15: the plain output of a Function may be written to")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.mul_(5)
    y[0] = 0.0
    y.sum().backward()
    return y, y._version, x.grad


@behaviours("C15: so may one of several outputs")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    first, second = two_outputs(F, seen).apply(x)
    first.mul_(5)
    (first + second).sum().backward()
    return first, first.grad_fn, x.grad


@behaviours("C15: views of a Function's output, and writes through them")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    view = y[:1]
    view.mul_(5)
    y.sum().backward()
    return y, x.grad


# ---------------------------------------------------------------- derivatives of derivatives


@behaviours("C18: saved inputs give the second derivative")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(saving(F).apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours("C18: and the third")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    cube, x = function(F, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0] * ctx.saved_tensors[0]), leaf(F, 2.0)
    gradient, orders = cube.apply(x), []
    for _ in range(3):
        (gradient,) = F.autograd.grad(gradient, x, create_graph=True)
        orders.append(gradient)
    return orders


@behaviours("C18: saved outputs too")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    (first,) = F.autograd.grad(exponential(F).apply(x).sum(), x, create_graph=True)
    (second,) = F.autograd.grad(first.sum(), x, create_graph=True)
    return first, second, F.autograd.grad(second.sum(), x)


@behaviours("C18: the second graph goes through the Function's own operations")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    (first,) = F.autograd.grad(exponential(F).apply(x).sum(), x, create_graph=True)
    return first.grad_fn, [type(node).__name__ for node, _ in first.grad_fn.next_functions if node is not None]


@behaviours("C18: with respect to the gradient that came in")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    (first,) = F.autograd.grad(saving(F).apply(x), x, v, create_graph=True)
    return first, F.autograd.grad(first.sum(), [v, x])


@behaviours("C18: a backward made of other Functions")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    inner = saving(F)
    outer = function(F, forward, lambda ctx, g: g * inner.apply(ctx.saved_tensors[0]))
    x = leaf(F, 1.0, 3.0)
    (first,) = F.autograd.grad(outer.apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours(
    "C18: a saved intermediate has no second derivative",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        return between * x

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0]).apply(x)
    (first,) = F.autograd.grad(y.sum(), x, create_graph=True)
    F.autograd.grad(first.sum(), x)


@behaviours("C18: an intermediate that is returned as an output has one")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(x, between)
        return between * x, between

    def backward(ctx: Any, g: Any, of_between: Any) -> Any:
        x, between = ctx.saved_tensors
        return g * 3 * between + of_between * 2 * x

    x = leaf(F, 1.0, 2.0)
    y, _ = function(F, forward, backward).apply(x)
    (first,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


@behaviours("C18: gradients that the Function broadcast are summed with a graph")
def _(F: Any) -> Any:
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b

    def backward(ctx: Any, g: Any) -> Any:
        a, b = ctx.saved_tensors
        return g * b, g * a

    a, b = leaf(F, 2.0), leaf(F, 1.0, 2.0, 3.0)
    (first,) = F.autograd.grad((function(F, forward, backward).apply(a, b) ** 2).sum(), a, create_graph=True)
    return first, F.autograd.grad(first.sum(), [a, b])


@behaviours("C18: a plain backward through the first gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(saving(F).apply(x).sum(), x, create_graph=True)
    (first * first).sum().backward()
    return x.grad


# ---------------------------------------------------------------- once_differentiable


def once(F: Any, seen: list[Any] | None = None) -> Any:
    """y = x * x with a backward that may be differentiated no further."""

    @F.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        """Twice the input."""
        if seen is not None:
            seen.append(F.is_grad_enabled())
        return g * 2 * ctx.saved_tensors[0]

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    return function(F, forward, backward)


@behaviours("C10: once_differentiable changes nothing for a plain backward")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    once(F, seen).apply(x).sum().backward()
    return x.grad, seen


@behaviours("C10: it keeps the name and text of the function")
def _(F: Any) -> Any:
    backward = once(F).backward
    return backward.__name__, backward.__doc__


@behaviours("C10: recording is off within it, under create_graph too")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    F.autograd.grad(once(F, seen).apply(x).sum(), x, create_graph=True)
    return seen


@behaviours("C10: under create_graph the gradient has no graph if the incoming one has none")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad(once(F).apply(x).sum(), x, create_graph=True)


@behaviours(
    "C10: so that it cannot be differentiated",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad(once(F).apply(x).sum(), x, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: it has one if the incoming one has")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    return F.autograd.grad(once(F).apply(x), x, v, create_graph=True)


@behaviours("C10: and that raises when it is used", error=RuntimeError, says=ONCE)
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 5.0, 6.0)
    (gradient,) = F.autograd.grad(once(F).apply(x), x, v, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: in a longer chain", error=RuntimeError, says=ONCE)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = once(F).apply(x)
    (gradient,) = F.autograd.grad((y * y).sum(), x, create_graph=True)
    gradient.sum().backward()


@behaviours("C10: another path can still be differentiated twice")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (gradient,) = F.autograd.grad((once(F).apply(x) + w * w * w).sum(), w, create_graph=True)
    return gradient, F.autograd.grad(gradient.sum(), w)


@behaviours("C10: None and several gradients")
def _(F: Any) -> Any:
    @F.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2, None, g * 5

    probe = function(F, lambda ctx, a, n, b: a * 2 + b * 5, backward)
    a, b, v = leaf(F, 1.0), leaf(F, 2.0), leaf(F, 3.0)
    return F.autograd.grad(probe.apply(a, 7, b), [a, b], v, create_graph=True)


@behaviours("C10: used as vjp")
def _(F: Any) -> Any:
    @F.autograd.function.once_differentiable
    def vjp(ctx: Any, g: Any) -> Any:
        return g * 2

    x = leaf(F, 1.0)
    function(F, lambda ctx, x: x * 2, vjp=vjp).apply(x).backward()
    return x.grad


# ---------------------------------------------------------------- graphs within Functions


def checkpointed(F: Any, inner: Callable[[Any], Any], accumulate: bool) -> Any:
    """Runs `inner` under enable_grad within forward; backward goes through that inner graph."""

    def forward(ctx: Any, x: Any) -> Any:
        with F.enable_grad():
            ctx.start = x.detach().requires_grad_()
            ctx.end = inner(ctx.start)
        return ctx.end.detach()

    def backward(ctx: Any, g: Any) -> Any:
        if not accumulate:
            return F.autograd.grad(ctx.end, ctx.start, g)[0]
        ctx.end.backward(g)
        return ctx.start.grad

    return function(F, forward, backward)


@behaviours("C08: a graph built under enable_grad within forward, and grad() through it within backward")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = checkpointed(F, lambda start: (start * start).sin(), accumulate=False).apply(x * 3)
    y.sum().backward()
    return y, y.grad_fn, x.grad


@behaviours("C08: backward() through it within backward also reaches the leaves used there")
def _(F: Any) -> Any:
    x, weight = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = checkpointed(F, lambda start: (start * weight).exp(), accumulate=True).apply(x)
    (y * y).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: a leaf used within and outside gets both gradients")
def _(F: Any) -> Any:
    x, weight = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = checkpointed(F, lambda start: start * weight, accumulate=True).apply(x * weight)
    (y + weight * 100).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: backward that computes forward again under enable_grad")
def _(F: Any) -> Any:
    weight = leaf(F, 3.0, 4.0)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return (x * weight).exp()

    def backward(ctx: Any, g: Any) -> Any:
        start = ctx.saved_tensors[0].detach().requires_grad_()
        with F.enable_grad():
            end = (start * weight).exp()
        F.autograd.backward(end, g)
        return start.grad

    x = leaf(F, 0.1, 0.2)
    function(F, forward, backward).apply(x).sum().backward()
    return x.grad, weight.grad


@behaviours("C08: an operation within forward under enable_grad is recorded, yet the output has the Function's history")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        with F.enable_grad():
            y = x * 5
        seen.append([y.requires_grad, y.grad_fn])
        return y

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 7).apply(x)
    y.sum().backward()
    return seen, y.grad_fn, x.grad


@behaviours("C09: grad() with create_graph within backward gives second derivatives")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        with F.enable_grad():
            (inner,) = F.autograd.grad((x * x * x).sum(), x, create_graph=True)
        return g * inner

    x = leaf(F, 1.0, 2.0)
    (first,) = F.autograd.grad(function(F, forward, backward).apply(x).sum(), x, create_graph=True)
    return first, F.autograd.grad(first.sum(), x)


def nested(F: Any, ran: list[int]) -> Any:
    """A Function whose backward builds and runs the same Function one level deeper, `depth` times."""

    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        ran.append(ctx.depth)
        if ctx.depth == 0:
            return g * 2, None
        start = F.ones(1, requires_grad=True)
        with F.enable_grad():
            deeper = made.apply(start, ctx.depth - 1)
        deeper.backward()
        return g * start.grad, None

    made = function(F, forward, backward)
    return made


@behaviours("C09: backward within backward within backward")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0), []
    nested(F, ran).apply(x, 3).backward()
    return ran, x.grad


@behaviours("C09: 2,000 levels deep")
def _(F: Any) -> Any:
    x, ran = leaf(F, 1.0), []
    nested(F, ran).apply(x, 2_000).backward()
    return ran[0], ran[-1], len(ran), x.grad


@behaviours("C09: at every depth backward runs without recording")
def _(F: Any) -> Any:
    modes = []

    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        modes.append(F.is_grad_enabled())
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        modes.append(F.is_grad_enabled())
        if ctx.depth > 0:
            start = F.ones(1, requires_grad=True)
            with F.enable_grad():
                made.apply(start, ctx.depth - 1).backward()
            modes.append(F.is_grad_enabled())
        return g * 2, None

    made = function(F, forward, backward)
    made.apply(leaf(F, 1.0), 100).backward()
    return len(modes), any(modes), F.is_grad_enabled()


@behaviours("C09: a nested run has the mode that it was asked for, and gives the outer one's back")
def _(F: Any) -> Any:
    modes = []

    def inner_backward(ctx: Any, g: Any) -> Any:
        modes.append(["inner", F.is_grad_enabled()])
        return g * 2

    inner = function(F, lambda ctx, x: x * 2, inner_backward)

    def backward(ctx: Any, g: Any) -> Any:
        start = F.ones(1, requires_grad=True)
        modes.append(["outer", F.is_grad_enabled()])
        with F.enable_grad():
            inner.apply(start).backward()
        with F.enable_grad():
            end = inner.apply(start)
        F.autograd.grad(end, start, create_graph=True)
        modes.append(["outer", F.is_grad_enabled()])
        return g * 3

    outer, x = function(F, lambda ctx, x: x * 3, backward), leaf(F, 1.0)
    F.autograd.grad(outer.apply(x), x, create_graph=True)
    F.autograd.grad(outer.apply(x), x)
    return modes, F.is_grad_enabled()


@behaviours("C09: an error at the bottom of 300 levels comes out as it is")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.depth == 0:
            raise LookupError("at the bottom")
        start = F.ones(1, requires_grad=True)
        with F.enable_grad():
            made.apply(start, ctx.depth - 1).backward()
        return g, None

    made = function(F, forward, backward)
    x = leaf(F, 1.0)
    first = message_of(made.apply(x, 300).backward)
    return first, F.is_grad_enabled(), message_of((x * x).backward), x.grad


@behaviours("C09: a chain of 20,000 Functions is built, differentiated and dropped")
def _(F: Any) -> Any:
    x, probe = leaf(F, 1.0), saving(F)
    y = x
    for _ in range(20_000):
        y = probe.apply(y)
    y.backward(F.zeros(1))
    del y
    return x.grad


@behaviours("C09: a chain of 10,000 Functions that nobody differentiates is dropped")
def _(F: Any) -> Any:
    x, probe = leaf(F, 1.0), saving(F)
    y = x
    for _ in range(10_000):
        y = probe.apply(y)
    del y
    return x.grad


@behaviours("C09: a nested run does not hold up the outer one's other branches")
def _(F: Any) -> Any:
    order = []

    def backward(ctx: Any, g: Any) -> Any:
        order.append("outer")
        inner = F.ones(1, requires_grad=True)
        inner.register_hook(lambda gradient: order.append("inner"))
        with F.enable_grad():
            (inner * 2).backward()
        order.append("outer again")
        return g

    x = leaf(F, 1.0)
    older = x * 3
    older.register_hook(lambda gradient: order.append("older branch"))
    y = function(F, lambda ctx, x: x * 1, backward).apply(x)
    (older + y).backward()
    return order, x.grad


@behaviours("C09: a nested run on a part of the outer graph that is retained")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    shared = x * x
    aside = (shared * 10).sum()

    def backward(ctx: Any, g: Any) -> Any:
        aside.backward(retain_graph=True)
        return g

    function(F, lambda ctx, x: x * 1, backward).apply(shared).sum().backward()
    return x.grad


@behaviours("C09: a backward that comes back to its own node once")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.again = True
        ctx.output = x * 2
        return ctx.output

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.again:
            ctx.again = False
            ctx.output.backward(g * 100)
        return g * 2

    x = leaf(F, 1.0)
    y = function(F, forward, backward).apply(x)
    y.backward()
    y.grad_fn.output = None
    return x.grad


# ---------------------------------------------------------------- errors of the learner's own


@behaviours("C08: an error in forward comes out as it is, and recording goes on")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        raise LookupError("in forward")

    x = leaf(F, 1.0)
    error = message_of(lambda: function(F, forward, lambda ctx, g: g).apply(x))
    return error, F.is_grad_enabled(), x * 2


@behaviours("C08: an error in setup_context as well")
def _(F: Any) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        raise LookupError("in setup_context")

    error = message_of(
        lambda: function(F, lambda x: x * 2, lambda ctx, g: g, setup_context=setup_context).apply(leaf(F, 1.0))
    )
    return error, F.is_grad_enabled()


@behaviours("C09: an error in backward comes out as it is, the mode is restored, and the node can run again")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.broken = True
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        if ctx.broken:
            raise LookupError("in backward")
        return g * 2 * ctx.saved_tensors[0]

    x = leaf(F, 3.0)
    y = function(F, forward, backward).apply(x)
    first = message_of(y.backward)
    y.grad_fn.broken = False
    second = message_of(y.backward)
    return first, F.is_grad_enabled(), second, x.grad


@behaviours("C09: an error under create_graph restores the mode too")
def _(F: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        raise LookupError("in backward")

    x = leaf(F, 3.0)
    y = function(F, lambda ctx, x: x * 2, backward).apply(x)
    with F.no_grad():
        error = message_of(lambda: F.autograd.grad(y, x, create_graph=True))
        mode = F.is_grad_enabled()
    return error, mode, F.is_grad_enabled()


@behaviours("C09: a wrong number of arguments in backward is a TypeError")
def _(F: Any) -> Any:
    x = leaf(F, 3.0)
    y = function(F, lambda ctx, x: (x * 2, x * 3), lambda ctx, g: g).apply(x)
    return error_of(y[0].backward)


test_as_in_torch = behaviours.test()


@pytest.fixture(autouse=True)
def warnings_each_time(torch: Any) -> Iterator[None]:
    """torch gives some of its warnings once per process; here the order of the tests must not matter."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


# ---------------------------------------------------------------- promises of minigrad's own


@pytest.fixture
def without_collector() -> Iterator[None]:
    """What dies here dies because nobody refers to it any more."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


KEPT: dict[str, Callable[[Any, Any, Any, Any], None]] = {
    "a saved input": lambda ctx, x, between, y: ctx.save_for_backward(x),
    "a saved intermediate": lambda ctx, x, between, y: ctx.save_for_backward(between),
    "a saved output": lambda ctx, x, between, y: ctx.save_for_backward(y),
    "everything saved": lambda ctx, x, between, y: ctx.save_for_backward(x, between, y, None),
    "an attribute": lambda ctx, x, between, y: setattr(ctx, "kept", [x, between]),
}


def keeping(keep: Callable[[Any, Any, Any, Any], None], watched: list[weakref.ref[Any]]) -> Any:
    """A Function which keeps something on ctx, and lets its tensors be watched."""

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        y = between * x
        keep(ctx, x, between, y)
        watched.extend(map(weakref.ref, (x, between, y)))
        return y

    return function(minigrad, forward, lambda ctx, g: g * 3)


def alive(watched: list[weakref.ref[Any]]) -> list[Any]:
    return [tensor() for tensor in watched if tensor() is not None]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.usefixtures("without_collector")
def test_a_graph_that_is_dropped_is_gone_at_once(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(KEPT[kept], watched).apply(leaf(minigrad, 1.0, 2.0) * 1)
    assert len(alive(watched)) >= 1
    del y
    assert alive(watched) == []


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.usefixtures("without_collector")
def test_so_is_a_graph_that_was_differentiated(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    x = leaf(minigrad, 1.0, 2.0)
    y = keeping(KEPT[kept], watched).apply(x * 1)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    del y
    assert alive(watched) == []
    assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("kept", [kept for kept in KEPT if kept != "an attribute"])
@pytest.mark.usefixtures("without_collector")
def test_backward_lets_go_of_what_was_saved(kept: str) -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(KEPT[kept], watched).apply(leaf(minigrad, 1.0, 2.0) * 1)
    y.backward(minigrad.ones(2))
    assert [tensor is y for tensor in alive(watched)] == [True]


@pytest.mark.usefixtures("without_collector")
def test_an_error_in_backward_keeps_nothing_alive() -> None:
    watched: list[weakref.ref[Any]] = []

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        watched.append(weakref.ref(between))
        return between * x

    def backward(ctx: Any, g: Any) -> Any:
        raise LookupError("in backward")

    y = function(minigrad, forward, backward).apply(leaf(minigrad, 1.0))
    with pytest.raises(LookupError, match="in backward"):
        y.backward()
    del y
    assert alive(watched) == []


@pytest.mark.usefixtures("without_collector")
def test_a_double_backward_is_gone_at_once_too() -> None:
    watched: list[weakref.ref[Any]] = []
    x = leaf(minigrad, 1.0, 2.0)
    y = exponential(minigrad).apply(x)
    (gradient,) = minigrad.autograd.grad(y.sum(), x, create_graph=True)
    watched.extend(map(weakref.ref, (y, gradient)))
    del y, gradient
    assert alive(watched) == []


@pytest.mark.usefixtures("without_collector")
def test_a_cycle_that_the_learner_made_waits_for_the_collector() -> None:
    watched: list[weakref.ref[Any]] = []
    y = keeping(lambda ctx, x, between, y: setattr(ctx, "output", y), watched).apply(leaf(minigrad, 1.0))
    del y
    assert len(alive(watched)) >= 1
    gc.collect()
    assert alive(watched) == []


ENTRIES = 3_000  # far more than it takes to see that backward comes back to itself; then the test gives up


def trap(again: Callable[[Any, Any], Any], name: str, entries: list[int]) -> Any:
    """A Function whose backward does `again(ctx, gradient)`, which leads back to it; `entries` counts how often."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.x, ctx.output = x, x * x
        ctx.save_for_backward(ctx.output)
        return ctx.output

    def backward(ctx: Any, g: Any) -> Any:
        entries.append(1)
        if len(entries) > ENTRIES:
            raise OverflowError("backward called itself, and nothing stopped it")
        again(ctx, g)
        return ctx.x.grad

    return type(name, (function(minigrad, forward, backward),), {})


def through_the_recomputed_output(ctx: Any, g: Any) -> None:
    with minigrad.enable_grad():
        (ctx.output * g).sum().backward(retain_graph=True)


TRAPS: dict[str, Callable[[Any, Any], Any]] = {
    "output.backward(gradient)": lambda ctx, g: ctx.output.backward(g),
    "output.backward(gradient, retain_graph=True)": lambda ctx, g: ctx.output.backward(g, retain_graph=True),
    "a saved output's backward": lambda ctx, g: ctx.saved_tensors[0].backward(g),
    "grad() of the output": lambda ctx, g: minigrad.autograd.grad(ctx.output, ctx.x, g, retain_graph=True),
    "something computed from the output": through_the_recomputed_output,
}


@pytest.mark.parametrize("how", TRAPS)
def test_a_backward_that_differentiates_its_own_output_is_explained(how: str) -> None:
    x = leaf(minigrad, 1.0, 2.0)
    y = trap(TRAPS[how], "Trap", []).apply(x).sum()
    start = time.perf_counter()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    assert time.perf_counter() - start < 1.0
    assert type(caught.value) is RuntimeError
    assert "Trap" in str(caught.value)
    assert "itself" in str(caught.value)
    assert minigrad.is_grad_enabled()
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("count", [2, 25])  # 25 is deeper than one thread may nest
def test_functions_in_a_ring_that_call_the_next_ones_backward_are_explained(count: int) -> None:
    outputs: list[Any] = []
    entries: list[int] = []
    x = leaf(minigrad, 1.0, 2.0)
    for number in range(count):

        def pass_on(ctx: Any, g: Any, following: int = (number + 1) % count) -> None:
            outputs[following].backward(g, retain_graph=True)

        outputs.append(trap(pass_on, f"Ring{number}", entries).apply(x))
    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="itself") as caught:
        outputs[0].sum().backward()
    assert time.perf_counter() - start < 1.0
    assert type(caught.value) is RuntimeError
    assert "Ring" in str(caught.value)
    assert minigrad.is_grad_enabled()

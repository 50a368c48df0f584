"""mark_dirty: a Function that writes into its input gives back the same object, with a new history (C14)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import MODIFIED, function
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def dirty_doubling(F: Any) -> Any:
    """A Function that doubles its input in place."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    return function(F, forward, lambda ctx, g: g * 2)


@behaviours("C14: mark_dirty gives back the same object, with the Function in its history")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 3
    before = middle._version
    y = dirty_doubling(F).apply(middle)
    y.sum().backward()
    return y is middle, y, y.grad_fn, middle._version - before, x.grad


@behaviours("C14: mark_dirty also counts a write that the tensor has not seen")
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


@behaviours(
    "C14: a list of inputs cannot be dirty",
    error=RuntimeError,
    says="mark_dirty can only accept variables, but argument",
)
def _(F: Any) -> Any:
    function(F, lambda ctx, x: ctx.mark_dirty([x]) or x.mul_(2), lambda ctx, g: g).apply(leaf(F, 1.0) * 1)


@behaviours("C14: a write that is refused since the tensor is a leaf has been counted")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    try:
        function(F, lambda ctx, x: ctx.mark_dirty(x) or x, lambda ctx, g: g).apply(x)
    except RuntimeError:
        return x._version, x.is_leaf


@behaviours("C14: views of a tensor that needed no gradient until a Function wrote to it are parts of the result")
def _(F: Any) -> Any:
    x, base = leaf(F, 1.0, 2.0), F.ones(2)
    part = base[1:]

    def forward(ctx: Any, base: Any, x: Any) -> Any:
        ctx.mark_dirty(base)
        return base.mul_(x)

    function(F, forward, lambda ctx, g: (None, g)).apply(base, x)
    part.sum().backward()
    return part.requires_grad, part.grad_fn, x.grad


@behaviours("C14: a tensor that needs no grad can be dirty, and a leaf while recording is off")
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
    "C14: one of several views made at once cannot be dirty",
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


@behaviours(
    "C14: that a leaf is written to is said first, for a view made in no_grad, too",
    error=RuntimeError,
    says="a leaf Variable that requires grad has been used in an in-place operation.",
)
def _(F):
    class Doubled(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x.mul_(2))
            return x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    with F.no_grad():
        view = F.ones(2)[...]
    view.requires_grad = True
    Doubled.apply(view)


@behaviours("C14: views of a tensor that becomes the second output of a Function are parts of that output")
def _(F: Any) -> Any:
    def forward(ctx: Any, other: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return other * 1, x.mul_(2)

    other, x = leaf(F, 1.0, 1.0, 1.0), leaf(F, 1.0, 2.0, 3.0)
    middle = x * 1
    view = middle[:2]
    function(F, forward, lambda ctx, g, of_second: (g, of_second * 2)).apply(other, middle)
    return [list(edge) for edge in view.grad_fn.next_functions], F.autograd.grad(view.sum(), (other, x))


@behaviours("D05: a write through a view of a Function's second output")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    twice = function(F, lambda ctx, x: (x * 1, x * 2), lambda ctx, g, of_second: g + 2 * of_second)
    second = twice.apply(x)[1]
    second[:2].mul_(3)
    return [list(edge) for edge in second.grad_fn.next_functions], F.autograd.grad(second.sum(), x)


test_as_in_torch = behaviours.test()

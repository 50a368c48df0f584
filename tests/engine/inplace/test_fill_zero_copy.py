"""fill_, zero_ and copy_: they cut the old gradient, copy_ gives it to the source, and all cast (D05, I04)."""

from __future__ import annotations

from engine.inplace.effects import (
    LEAF,
    NO_ROOM,
    VIEW_OF_LEAF,
    gradients,
    graph,
    grid,
    mixed,
    number,
    second,
    state,
    tried,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D05: fill_ with a number stops the gradient")
def _(F):
    x = grid(F)
    y = x * 1
    return y.fill_(3) is y, state(y), graph(y), gradients(F, y, x), second(F, y, x)


@behaviours("D05: fill_ with a 0-d tensor gives it the sum of the gradient")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    return y.fill_(w) is y, state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)


@behaviours("D07: fill_ with a 0-d tensor takes a plain tensor into the graph")
def _(F):
    w, y = number(F), F.zeros(2, 2)
    y.fill_(w)
    return state(y), graph(y), gradients(F, y, w)


@behaviours("D05: fill_ and zero_ of a part")
def _(F):
    x, w = grid(F), number(F)
    y, z = x * 1, x * 1
    y[0].fill_(w)
    y[:, 1].fill_(7.0)
    z.t()[1:].zero_()
    return state(y, z), graph(y), graph(z), gradients(F, y, x, w), gradients(F, z, x)


@behaviours(
    "D05: fill_ wants a single number",
    error=RuntimeError,
    says="fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions",
)
def _(F):
    F.zeros(2).fill_(F.ones(2))


@behaviours("D05: zero_ stops the gradient")
def _(F):
    x = grid(F)
    y = x * 1
    return y.zero_() is y, state(y), graph(y), gradients(F, y, x)


@behaviours("I04: fill_ casts to the tensor's dtype")
def _(F):
    return [state(mixed(F, a).fill_(b)) for a in ("bool", "int32", "int64", "float64") for b in (True, 2, 2.7)]


@behaviours("I04: fill_ with a tensor casts to the tensor's dtype")
def _(F):
    return [
        state(mixed(F, a).fill_(F.tensor(b)))
        for a in ("bool", "int32", "int64", "float32", "float64")
        for b in (True, 2, 2.5)
    ]


@behaviours("D05: copy_ moves the gradient to what was copied")
def _(F):
    x, w = grid(F), (grid(F) * 2).detach().requires_grad_()
    y = x * 1
    return y.copy_(w) is y, state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)


@behaviours("D05: copy_ of a row that is repeated sums its gradient")
def _(F):
    x, row = grid(F), F.tensor([7.0, 8.0, 9.0], requires_grad=True)
    y = x * 1
    y.copy_(row)
    return state(y), graph(y), gradients(F, y, x, row)


@behaviours("D05: copy_ casts, and the gradient comes back in the source's dtype")
def _(F):
    w = F.tensor([1.25, 2.5], dtype=F.float64, requires_grad=True)
    y = F.zeros(2)
    y.copy_(w)
    return state(y), graph(y), gradients(F, y, w)


@behaviours("I04: copy_ casts any dtype to any other")
def _(F):
    kinds = ("bool", "int32", "int64", "float32", "float64")
    return [state(mixed(F, a).copy_(F.tensor([2.75, 0.0, -1.5]).to(getattr(F, b)))) for a in kinds for b in kinds]


@behaviours("D05: copy_ of a float that needs grad into integers leaves the graph")
def _(F):
    x, y = F.tensor([1.5, -2.5], requires_grad=True), F.zeros(2, dtype=F.int64)
    y.copy_(x)
    return state(x, y)


@behaviours("D05: copy_ of a tensor onto itself is nothing")
def _(F):
    x = grid(F)
    y = x * 1
    y.copy_(y)
    return y.tolist(), y.requires_grad, gradients(F, y, x)


@behaviours("D05: copy_ through a view")
def _(F):
    x, row = grid(F), F.tensor([7.0, 8.0], requires_grad=True)
    y = x * 1
    y.t()[2].copy_(row)
    return state(y), graph(y), gradients(F, y, x, row), second(F, y, x, row)


behaviours.table(
    ("D05: copy_ of a shape that does not fit is refused", lambda F: F.zeros(2).copy_(F.zeros(3)),
     RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    ("D05: copy_ of a larger shape is refused", lambda F: F.zeros(2).copy_(F.zeros(2, 2)),
     RuntimeError, "output with shape [2] doesn't match the broadcast shape [2, 2]"),
    ("D05: copy_ wants a tensor", lambda F: F.zeros(2).copy_([1.0, 2.0]),
     TypeError, "copy_(): argument 'other' (position 1) must be Tensor, not list"),
)  # fmt: skip


for text, write in {
    "fill_": lambda t: t.fill_(1.0),
    "zero_": lambda t: t.zero_(),
    "copy_": lambda t: t.copy_(t.detach() + 1),
    "copy_ of a tensor that needs grad": lambda t: t.copy_(t.clone()),
}.items():

    @behaviours(f"D01: {text} on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F, write=write):
        write(grid(F))

    @behaviours(f"D01: {text} on a view of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F, write=write):
        write(grid(F)[1:])

    @behaviours(f"D01: {text} is allowed on a leaf and on its view under no_grad")
    def _(F, write=write):
        x = grid(F)
        row = x[0]
        with F.no_grad():
            write(x)
            write(row)
        return state(x, row), x.is_leaf

    @behaviours(f"D05: {text} on an expanded tensor")
    def _(F, write=write):
        return tried(lambda: state(write(F.zeros(1).expand(3))), NO_ROOM)


test_as_in_torch = behaviours.test()

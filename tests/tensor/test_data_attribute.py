"""`x.data`: outside of the graph and of its count of writes; `x.data = y` keeps x and takes y's memory (D14, D04)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import found, gradients, grid, state
from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D14: .data of a result is outside the graph")
def _(F):
    y = leaf(F) * 2
    return y.data, y.data.grad_fn


@behaviours("D14: .data is not None", error=TypeError, says="Variable data has to be a tensor, but got NoneType")
def _(F):
    leaf(F).data = None


@behaviours("D14: the graph of the new tensor is not taken over")
def _(F):
    x, y = leaf(F), F.zeros(2)
    y.data = x * 2
    x.data = x * 3
    return x, y


@behaviours("D14: setting .data of a view leaves the base alone")
def _(F):
    x = F.ones(2)
    view = x.view(2, 1)
    view.data = F.zeros(3)
    return view, x, view._is_view()


@behaviours("D14: x.data = y keeps x, its graph's place and its count, and takes the memory of y")
def _(F):
    x, new = grid(F), F.tensor([[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]])
    before = id(x)
    with F.no_grad():
        x.mul_(2.0)
    x.data = new
    new.add_(1.0)
    return id(x) == before, state(x, new)


@behaviours("D14: x.data = y may change the shape, which backward then goes by")
def _(F):
    x = grid(F)
    x.data = F.tensor([1.0, 2.0, 3.0, 4.0])
    (x * x).sum().backward()
    return x.shape, state(x), x.grad


@behaviours("D14: x.data = y after a graph saved x")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    x.data = F.tensor([10.0, 20.0])
    return found(lambda: gradients(F, y, x)), state(x)


@behaviours("D14: x.data = y leaves a .grad of the old shape")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    x.data = F.tensor([1.0, 2.0, 3.0])
    return x.grad, x.shape


@behaviours("D14: x.data = y of a result")
def _(F):
    x = grid(F)
    y = x * 1
    y.data = F.zeros(2, 3)
    return state(y), gradients(F, y * y, x), y.data.requires_grad


@behaviours("D14: x.data = y of another floating dtype")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    x.data = F.tensor([3.0, 4.0], dtype=F.float64)
    (x * x).sum().backward()
    return state(x), x.grad


@behaviours(
    "D14: x.data = integers is refused where x requires grad",
    error=RuntimeError,
    says="data set to a tensor that requires gradients must be floating point or complex dtype",
)
def _(F):
    grid(F).data = F.tensor([1, 2])


@behaviours("D14: x.data = integers is fine where x requires none")
def _(F):
    x = F.ones(2)
    x.data = F.tensor([1, 2])
    return state(x)


@behaviours("D14: x.data = y that requires grad takes the numbers alone")
def _(F):
    x, y = F.ones(2), F.tensor([3.0, 4.0], requires_grad=True)
    x.data = y
    return state(x), state(x.data)


@behaviours("D14: x.data = a number is refused", error=TypeError, says="Variable data has to be a tensor, but got int")
def _(F):
    F.ones(2).data = 3


@behaviours("D14: views made before x.data = y keep the old memory")
def _(F):
    x = F.ones(2, 3)
    row = x[0]
    x.data = F.zeros(2, 3)
    x.add_(5.0)
    return state(x), row.tolist(), row._version


@behaviours("D14: x.data is new each time, outside the graph, with its own count")
def _(F):
    x = grid(F)
    first, again = x.data, x.data
    first.add_(1.0)
    return first is again, state(first, again, x), first._base is None


@behaviours("D14: x.data of a view is no view")
def _(F):
    x = F.ones(2, 3)
    part = x[0].data
    part.add_(1.0)
    return state(part, x)


OTHER_SHAPE = (
    "Function MulBackward0 returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2]"
)


@behaviours("D14: x.data = y of another shape, between two uses in one graph", error=RuntimeError, says=OTHER_SHAPE)
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    x.data = F.ones(3)
    (y.sum() + (x * 3).sum()).backward()


@behaviours("D14: x.data = y of another shape, between uses in two graphs", error=RuntimeError, says=OTHER_SHAPE)
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    x.data = F.ones(3)
    (x * 3).sum().backward()
    y.sum().backward()


@behaviours("D14: x.data = y of another shape, after the last use")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    x.data = F.ones(3)
    y.sum().backward()
    return x.grad


def data_of_another_shape(text: str, call: Callable[[Any], Any]) -> None:
    @behaviours(f"D14: y.data = of another shape after {text}, then backward")
    def _(F):
        x = F.ones(3, 2, requires_grad=True)
        y = x * 1
        z = call(y)
        y.data = F.ones(4, 5)
        return error_of(lambda: z.sum().backward()), x.grad


for text, call in {"a product": lambda y: y * y, "matmul": lambda y: y @ y.t(), "prod": lambda y: y.prod()}.items():
    data_of_another_shape(text, call)


test_as_in_torch = behaviours.test()

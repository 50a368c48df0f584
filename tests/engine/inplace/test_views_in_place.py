"""transpose_, t_, squeeze_, unsqueeze_, swapaxes_, as_strided_: a tensor becomes a view of its own memory."""

from __future__ import annotations

from typing import Any

import pytest
from engine.modes.samples import INPLACE, inferred
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

FORMS: dict[str, Any] = {
    "transpose_": lambda x: x.transpose_(0, -1),
    "swapaxes_": lambda x: x.swapaxes_(0, 1),
    "t_": lambda x: x.t_(),
    "squeeze_()": lambda x: x.squeeze_(),
    "squeeze_(0)": lambda x: x.squeeze_(0),
    "squeeze_((0, 1))": lambda x: x.squeeze_((0, 1)),
    "unsqueeze_": lambda x: x.unsqueeze_(dim=1),
    "as_strided_": lambda x: x.as_strided_((3,), (1,)),
}


def row(F: Any) -> Any:
    return F.tensor([[1.0, 2.0, 3.0]], requires_grad=True)


for _name, _form in FORMS.items():

    @behaviours(f"D04: {_name} of a result: the same tensor in another shape, one version on")
    def _(F, form=_form):
        x = row(F)
        y = x * 2
        place, same = y.data_ptr(), form(y) is y
        weights = F.arange(3.0).reshape(y.shape)
        (y * weights).sum().backward()
        return same, y.data_ptr() == place, y._version, y._is_view(), y.stride(), y, x.grad

    @behaviours(
        f"D01: {_name} of a leaf", error=RuntimeError, says="a leaf Variable that requires grad is being used in"
    )
    def _(F, form=_form):
        form(row(F))

    @behaviours(f"D01: {_name} of a leaf under no_grad")
    def _(F, form=_form):
        x = row(F)
        with F.no_grad():
            form(x)
        return x, x._version, x.is_leaf

    @behaviours(f"F05: {_name} of a tensor of inference mode, inside")
    def _(F, form=_form):
        with F.inference_mode():
            x = form(F.ones(1, 3))
        return x, x.is_inference()

    @behaviours(f"F05: {_name} of a tensor of inference mode, outside", error=RuntimeError, says=INPLACE)
    def _(F, form=_form):
        with F.inference_mode():
            x = F.ones(1, 3)
        form(x)

    @behaviours(f"D05: {_name} of a view leaves its base alone")
    def _(F, form=_form):
        x = F.arange(6.0).reshape(2, 3).requires_grad_()
        y = x * 1
        view, before = y[:1], y.grad_fn
        form(view)
        weights = F.arange(3.0).reshape(view.shape)
        of_view = F.autograd.grad((view * weights).sum(), x, retain_graph=True)
        of_base = F.autograd.grad((y * F.arange(6.0).reshape(2, 3)).sum(), x)
        return view, view._base is y, y.grad_fn is before, view._version, y._version, of_view, of_base


@behaviours("D06: a view of what was transposed in place is a part of the new value")
def _(F):
    x = F.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 1
    view = y[0]
    y.t_()
    y.mul_(F.tensor([1.0, 10.0]))
    return view, view._base is y, view.grad_fn, F.autograd.grad((view * F.arange(3.0)).sum(), x)


@behaviours("D05: a write to a view that was unsqueezed in place reaches the base")
def _(F):
    x = leaf(F, 1.0, 2.0, 3.0)
    y = x * 1
    view = y[:2]
    view.unsqueeze_(0)
    view.mul_(10)
    return y, view, F.autograd.grad(y.sum() + view.sum(), x)


@behaviours("D05: a view that was overtaken by a write, then transposed in place")
def _(F):
    x = F.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 1
    view = y[:, :2]
    y.mul_(3)
    view.transpose_(0, 1)
    return view, F.autograd.grad((view * F.tensor([[1.0, 2.0], [3.0, 4.0]])).sum(), x)


@behaviours("D15: unlike after other writes, retain_grad stays with what the tensor was")
def _(F):
    x = row(F)
    y = x * 2
    y.retain_grad()
    y.t_()
    (y * F.tensor([[1.0], [2.0], [3.0]])).sum().backward()
    return y.grad, x.grad


@behaviours(
    "D02: a node that saved the tensor finds out", error=RuntimeError, says="one of the variables needed for gradient"
)
def _(F):
    y = row(F) * 1
    z = y * y
    y.t_()
    z.sum().backward()


@behaviours("D09: one of several views", error=RuntimeError, says="Output 0 of Unbind is a view and is being modified")
def _(F):
    F.ones(2, 3, requires_grad=True).unbind(0)[0].unsqueeze_(0)


@behaviours(
    "D10: a view of no_grad", error=RuntimeError, says="A view was created in no_grad mode and is being modified"
)
def _(F):
    x = row(F)
    with F.no_grad():
        view = x[0]
    view.unsqueeze_(0)


@behaviours("D04: nothing is counted where the shape is refused", error=IndexError, says="Dimension out of range")
def _(F):
    row(F).mul(1).squeeze_(2)


@behaviours("F05: a detached tensor of inference mode may be transposed")
def _(F):
    x = inferred(F).detach()
    return x.unsqueeze_(0), x._version


def test_what_is_refused_leaves_the_tensor_as_it_was() -> None:
    x = row(minigrad) * 1
    node = x.grad_fn
    with pytest.raises(IndexError):
        x.squeeze_(2)
    assert (x.shape, x._version, x.grad_fn) == ((1, 3), 0, node)


test_as_in_torch = behaviours.test()

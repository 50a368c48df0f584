"""deepcopy, copy and clone: leaves alone are copied, with their gradient and without their hooks (A08)."""

from __future__ import annotations

import copy

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import matrix

behaviours = Behaviours()


@behaviours("A08: deepcopy of a leaf is a leaf of its own")
def _(F):
    x = leaf(F)
    y = copy.deepcopy(x)
    with F.no_grad():
        y[0] = 9
    return x, y, y is x, y.is_leaf, y.dtype


@behaviours("A08: deepcopy copies the gradient")
def _(F):
    x = leaf(F)
    x.sum().backward()
    y = copy.deepcopy(x)
    y.grad.zero_()
    return x.grad, y.grad


@behaviours(
    "A08: deepcopy of a result",
    error=RuntimeError,
    says="Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment",
)
def _(F):
    copy.deepcopy(leaf(F) * 2)


@behaviours("A08: deepcopy of a detached result, and of results that need no grad")
def _(F):
    return copy.deepcopy((leaf(F) * 2).detach()), copy.deepcopy(F.ones(2) * 2), copy.deepcopy(F.tensor([True, False]))


@behaviours("A08: a tensor that occurs twice is copied once")
def _(F):
    x = leaf(F)
    first, second = copy.deepcopy([x, {"x": x}])
    return first is second["x"]


@behaviours("A08: the memo knows the copy")
def _(F):
    x, memo = leaf(F), {}
    y = copy.deepcopy(x, memo)
    return memo[id(x)] is y, copy.deepcopy(x, memo) is y


@behaviours("A08: views that share memory share it after deepcopy")
def _(F):
    x = matrix(F)
    first, second = copy.deepcopy([x, x.view(6)])
    first[0, 0] = 9
    return second, x, second._is_view()


@behaviours("A08: the copy of a view is no view, and keeps its layout")
def _(F):
    x = matrix(F)
    row, turned = copy.deepcopy(x[1]), copy.deepcopy(x.T)
    row[0] = 9
    return row, x, row._is_view(), turned, turned.stride()


@behaviours("A08: the copy has none of the hooks")
def _(F):
    x = leaf(F)
    x.register_hook(lambda gradient: gradient * 10)
    y = copy.deepcopy(x)
    y.sum().backward()
    return y.grad


@behaviours("A08: deepcopy of a module-like dict of leaves")
def _(F):
    state = {"weight": leaf(F), "bias": F.zeros(1, requires_grad=True), "steps": F.tensor(3), "name": "layer"}
    return copy.deepcopy(state)


@behaviours("A08: deepcopy of sizes and dtypes")
def _(F):
    return copy.deepcopy(F.zeros(2, 3).shape), copy.deepcopy(F.int64) is F.int64, copy.copy(F.float32) is F.float32


@behaviours("A08: copy.copy is another tensor with the same memory")
def _(F):
    x = leaf(F)
    y = copy.copy(x)
    with F.no_grad():
        y[0] = 9
    return x, y, y is x


@behaviours("A08: clone is in the graph, in memory of its own")
def _(F):
    x = leaf(F)
    y = x.clone()
    (y * 2).sum().backward()
    return y.grad_fn, y.data_ptr() == x.data_ptr(), x.grad, F.clone(x).grad_fn


@behaviours("A08: clone of a tensor that needs no grad is a leaf")
def _(F):
    return F.ones(2).clone().is_leaf, F.arange(3).clone(), F.tensor([True]).clone()


@behaviours("A08: plus is the tensor itself")
def _(F):
    x = leaf(F)
    return (+x) is x


test_as_in_torch = behaviours.test()

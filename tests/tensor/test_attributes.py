"""What can be asked of a tensor: sizes, dtypes, strides, addresses, conversions, new tensors like it."""

from __future__ import annotations

import copy
import pickle

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import matrix

behaviours = Behaviours()


@behaviours("Tensor: sizes")
def _(F):
    x = matrix(F)
    return x.shape, x.size(), x.size(0), x.size(-1), x.size(dim=1), x.shape[1], F.tensor(1.0).shape


@behaviours(
    "Tensor: a size that does not exist", error=IndexError, says="Dimension out of range (expected to be in range"
)
def _(F):
    matrix(F).size(2)


@behaviours("Tensor: a shape is a tuple, and counts its elements")
def _(F):
    shape = matrix(F).shape
    return isinstance(shape, tuple), shape == (2, 3), shape.numel(), F.Size([4, 5]).numel(), F.Size([]).numel()


@behaviours("Tensor: sizes add, slice and compare as sizes")
def _(F):
    shape = F.Size([2, 3])
    return shape[1:], shape + F.Size([4]), shape == F.Size((2, 3)), len(shape), list(shape), shape[-1]


@behaviours("Tensor: numbers of elements and of dimensions")
def _(F):
    x = matrix(F)
    return (
        x.numel(),
        x.nelement(),
        F.numel(x),
        x.dim(),
        x.ndim,
        F.tensor(1.0).dim(),
        F.zeros(0, 3).numel(),
        hasattr(F, "nelement"),
    )


@behaviours("Tensor: bytes")
def _(F):
    kinds = (F.bool, F.int32, F.int64, F.float32, F.float64)
    return [(x.itemsize, x.nbytes, x.dtype.itemsize) for x in (F.zeros(3, dtype=k) for k in kinds)]


@behaviours("Tensor: kinds of dtypes")
def _(F):
    tensors = [F.zeros(1, dtype=kind) for kind in (F.bool, F.int32, F.int64, F.float32, F.float64)]
    return [(x.is_floating_point(), F.is_floating_point(x), x.dtype.is_floating_point) for x in tensors]


@behaviours("Tensor: names of dtypes")
def _(F):
    same = F.float is F.float32, F.double is F.float64, F.int is F.int32, F.long is F.int64
    return same, [str(kind) for kind in (F.bool, F.int32, F.int64, F.float32, F.float64)], F.float32 == F.float64


@behaviours("Tensor: type() names the dtype in the old way, or converts")
def _(F):
    x = leaf(F)
    names = [F.zeros(1, dtype=kind).type() for kind in (F.bool, F.int32, F.int64, F.float32, F.float64)]
    return names, x.type(F.float64), x.type(F.float32) is x


@behaviours("Tensor: to takes a dtype, a tensor or a device")
def _(F):
    x = leaf(F)
    return x.to(F.float64), x.to(dtype=F.int64), x.to(F.arange(3)), x.to("cpu") is x, x.to("cpu", F.float64)


@behaviours("Tensor: to copies if it is told to")
def _(F):
    x = leaf(F)
    y = x.to(F.float32, copy=True)
    return y, y is x, y.data_ptr() == x.data_ptr()


@behaviours("Tensor: there is one device, and cpu() is the tensor itself")
def _(F):
    x = leaf(F)
    return str(x.device), x.cpu() is x, (x * 2).cpu().grad_fn


@behaviours("Tensor: an ordinary tensor is no inference tensor")
def _(F):
    x = leaf(F)
    return x.is_inference(), (x * 2).is_inference(), F.arange(3).is_inference()


@behaviours("Tensor: strides")
def _(F):
    x = matrix(F)
    asked = x.stride(), x.T.stride(), x[:, 1].stride(), x.stride(0), x.stride(-1), x.stride(dim=1)
    return asked, F.tensor(1.0).stride(), F.ones(3, 1).expand(3, 4).stride(), x[:, ::2].stride()


@behaviours(
    "Tensor: a stride that does not exist", error=IndexError, says="Dimension out of range (expected to be in range"
)
def _(F):
    matrix(F).stride(2)


@behaviours("Tensor: addresses")
def _(F):
    x = matrix(F)
    same = x.view(3, 2), x.T, x.detach(), x.data, x[0], x.reshape(6), x.expand(4, 2, 3)
    other = x.clone(), x.T.reshape(6), x[1], x + 0
    addresses = [[y.data_ptr() == x.data_ptr() for y in group] for group in (same, other)]
    return addresses, x[1].data_ptr() - x.data_ptr()


@behaviours("Tensor: is_contiguous")
def _(F):
    x = matrix(F)
    views = (x, x.T, x[:, 1], x[1], x[:, :2], x.view(3, 2), x.expand(2, 2, 3), x.T.T, F.tensor(1.0), F.zeros(0, 3).T)
    return [view.is_contiguous() for view in views]


@behaviours("Tensor: contiguous is the tensor itself if it can be")
def _(F):
    x = F.ones(2, 3, requires_grad=True)
    y = x.T.contiguous()
    return x.contiguous() is x, y.stride(), y.grad_fn, y._is_view()


@behaviours("Tensor: contiguous passes the gradient")
def _(F):
    x = F.ones(2, 3, requires_grad=True)
    (x.T.contiguous() * F.arange(6.0).reshape(3, 2)).sum().backward()
    return x.grad


@behaviours("Tensor: view_as")
def _(F):
    x, other = F.ones(2, 3, requires_grad=True), F.zeros(3, 2)
    y = x.view_as(other)
    return y, y.grad_fn


@behaviours(
    "Tensor: view_as of another number of elements", error=RuntimeError, says="shape '[3]' is invalid for input of"
)
def _(F):
    leaf(F).view_as(F.ones(3))


@behaviours("Tensor: T turns a matrix round and is a view")
def _(F):
    x = F.ones(2, 3, requires_grad=True)
    return x.T.shape, x.T.grad_fn, x.mT.shape, x.T._base is x


@behaviours("Tensor: a learner may name a tensor, and copies of it keep the name")
def _(F):
    x = F.ones(2, requires_grad=True)
    x.label = "input"
    copies = copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    others = x + 1, x.view(2), x.detach(), x.data
    del x.label
    return [copied.label for copied in copies], [hasattr(other, "label") for other in (*others, x)]


test_as_in_torch = behaviours.test()

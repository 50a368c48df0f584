"""What a tensor is and carries, as in PyTorch: leaves, requires_grad, .grad, .data, copies, numpy, conversions, dtypes.

A reader finds here, one short program each, what may be asked of a tensor that no operation is needed for, and what
PyTorch says where the question makes no sense. What operations compute is in `op_table.py`; in-place writes and views
have a file of their own, and only what a tensor tells about them is here.
"""

from __future__ import annotations

import copy
import functools
import math
import operator
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

NAN, INF = float("nan"), float("inf")
ONLY_FLOATING = "Only Tensors of floating point and complex dtype can require gradients"
LEAF_FLAGS = "you can only change requires_grad flags of leaf variables."
NON_LEAF_GRAD = "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."
NO_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
TO_SCALAR = "UserWarning: Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior."
COPY_CONSTRUCT = "UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()"


@pytest.fixture(autouse=True)
def every_warning(torch: Any) -> Iterator[None]:
    """PyTorch gives some warnings once in a process; here, each time."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


def leaf(F: Any) -> Any:
    return F.tensor([1.0, 2.0], requires_grad=True)


def matrix(F: Any) -> Any:
    return F.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])


def raised(call: Callable[[], Any]) -> str:
    """The type of the error of a call, where a table has errors beside values."""
    try:
        return f"gives {call()}"
    except Exception as error:
        return type(error).__name__


# ---------------------------------------------------------------- A01: leaves


@behaviours("A01: a tensor made by hand is a leaf, whether or not it requires grad")
def _(F):
    x, y = F.tensor([1.0]), F.tensor([1.0], requires_grad=True)
    return [(z.is_leaf, z.grad_fn, z.output_nr, z.requires_grad, z.grad) for z in (x, y)]


@behaviours("A01: a result is no leaf, and knows its node")
def _(F):
    y = leaf(F) * 2
    return y.is_leaf, y.requires_grad, y.grad_fn, y.output_nr


@behaviours("A01: the result of tensors that need no grad is a leaf")
def _(F):
    y = F.ones(2) * 2
    return y.is_leaf, y.requires_grad, y.grad_fn


@behaviours("A01: a result requires grad if any of its inputs does")
def _(F):
    x, y = F.ones(2), leaf(F)
    return [z.requires_grad for z in (x + x, x + y, y + x, y + y, F.stack([x, y, x]), F.where(x > 0, x, y))]


@behaviours("A01: detach gives a leaf that needs no grad")
def _(F):
    y = (leaf(F) * 2).detach()
    return y, y.is_leaf, y.grad_fn


@behaviours("A01: a detached result can become a leaf of its own, whose gradient ends there")
def _(F):
    x = leaf(F)
    y = (x * 2).detach().requires_grad_()
    (y * y).sum().backward()
    return y.is_leaf, y.grad, x.grad


@behaviours("A01: results under no_grad are leaves")
def _(F):
    x = leaf(F)
    with F.no_grad():
        y = x * 2
    return y, y.is_leaf, y.grad_fn


@behaviours("A01: what has no derivative is a leaf: comparisons, positions, integers, bools")
def _(F):
    x = leaf(F)
    results = (x > 1, x == x, x.argmax(), x.long(), x.bool(), x.int())
    return [(y, y.is_leaf, y.grad_fn) for y in results]


@behaviours("A01: a conversion to float64 is no leaf; one to the dtype that is there is the tensor itself")
def _(F):
    x = leaf(F)
    return x.double().is_leaf, x.double().grad_fn, x.float() is x, x.to(F.float32) is x


@behaviours("A01: every factory makes a leaf, also with requires_grad=True")
def _(F):
    made = [
        F.zeros(2, requires_grad=True),
        F.ones(2, requires_grad=True),
        F.full((2,), 3.0, requires_grad=True),
        F.arange(2.0, requires_grad=True),
        F.linspace(0, 1, 2, requires_grad=True),
        F.eye(2, requires_grad=True),
        F.zeros_like(F.ones(2), requires_grad=True),
        F.ones_like(F.ones(2), requires_grad=True),
        F.full_like(F.ones(2), 3, requires_grad=True),
        F.tensor(2.0, requires_grad=True),
    ]
    return [(x, x.is_leaf, x.grad_fn) for x in made]


@behaviours("A01: random and empty tensors are leaves of the right shape and dtype")
def _(F):
    made = [maker(2, 3, requires_grad=True) for maker in (F.rand, F.randn, F.empty)]
    made.append(F.empty_like(F.zeros(2, 3), requires_grad=True))
    return [(x.shape, x.dtype, x.is_leaf, x.requires_grad) for x in made]


@behaviours("A01: zeros_like of a tensor that requires grad does not")
def _(F):
    x = leaf(F)
    return F.zeros_like(x), F.ones_like(x), F.zeros_like(x * 2), F.full_like(x, 2.0), x.new_zeros(1)


@behaviours("A01: a leaf that a graph is written into is no leaf any more")
def _(F):
    x, y = F.zeros(2), leaf(F)
    x.add_(y)
    return x, x.is_leaf, x.grad_fn


@behaviours("A01: what a tensor tells about the graph cannot be set")
def _(F):
    x = leaf(F)
    attributes = ("is_leaf", "grad_fn", "output_nr", "retains_grad", "_version", "_base", "shape", "dtype")
    return [raised(lambda name=name: setattr(x, name, getattr(x, name))) for name in attributes]


@behaviours("A01: output_nr counts the outputs of a node")
def _(F):
    first, second = leaf(F).unbind()
    return first.output_nr, second.output_nr, first.grad_fn is second.grad_fn, first.grad_fn


@behaviours("A01: the same node is given each time")
def _(F):
    y = leaf(F) * 2
    return y.grad_fn is y.grad_fn


# ---------------------------------------------------------------- A02: who may require grad


@behaviours("A02: a factory refuses a gradient for ints", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.tensor([1, 2], requires_grad=True)


@behaviours("A02: a factory refuses a gradient for bools", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.tensor([True], requires_grad=True)


@behaviours("A02: arange counts in ints, which have no gradient", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.arange(3, requires_grad=True)


@behaviours("A02: zeros of a given integer dtype have no gradient", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.zeros(3, dtype=F.int64, requires_grad=True)


@behaviours("A02: zeros like ints have no gradient", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.zeros_like(F.arange(3), requires_grad=True)


@behaviours(
    "A02: setting requires_grad of an integer tensor",
    error=RuntimeError,
    says="only Tensors of floating point and complex dtype can require gradients",
)
def _(F):
    F.arange(3).requires_grad = True


@behaviours(
    "A02: requires_grad_() of an integer tensor",
    error=RuntimeError,
    says="only Tensors of floating point dtype can require gradients",
)
def _(F):
    F.arange(3).requires_grad_()


@behaviours(
    "A02: requires_grad_() of a bool tensor",
    error=RuntimeError,
    says="only Tensors of floating point dtype can require gradients",
)
def _(F):
    (F.arange(3) > 1).requires_grad_()


@behaviours("A02: switching off what is off is fine for ints, too")
def _(F):
    x = F.arange(3)
    x.requires_grad = False
    return x.requires_grad_(False) is x, x


@behaviours("A02: float64 may require grad")
def _(F):
    return F.ones(2, dtype=F.float64).requires_grad_(), F.arange(3).double().requires_grad_()


@behaviours("A02: requires_grad is a bool", error=RuntimeError, says="requires_grad must be a bool")
def _(F):
    F.ones(2).requires_grad = 1


@behaviours("A02: requires_grad is not None", error=RuntimeError, says="requires_grad must be a bool")
def _(F):
    F.ones(2).requires_grad = None


@behaviours(
    "A02: requires_grad_ takes a bool",
    error=TypeError,
    says="requires_grad_(): argument 'requires_grad' (position 1) must be bool, not int",
)
def _(F):
    F.ones(2).requires_grad_(1)


@behaviours(
    "A02: a factory's requires_grad is a bool",
    error=TypeError,
    says="tensor(): argument 'requires_grad' must be bool, not NoneType",
)
def _(F):
    F.tensor([1.0], requires_grad=None)


@behaviours("A02: requires_grad_ has a name for its argument")
def _(F):
    return leaf(F).requires_grad_(requires_grad=False)


# ---------------------------------------------------------------- A03: switching it


@behaviours("A03: a leaf can be switched on and off")
def _(F):
    x = F.ones(2)
    x.requires_grad = True
    on = x * 2
    x.requires_grad = False
    return on.requires_grad, (x * 2).requires_grad, x


@behaviours("A03: requires_grad_ gives the tensor itself, and records nothing")
def _(F):
    x = F.ones(2)
    return x.requires_grad_() is x, x.requires_grad_() is x, x.is_leaf, x._version


@behaviours("A03: requires_grad_() on a result changes nothing")
def _(F):
    y = leaf(F) * 2
    return y.requires_grad_() is y, y.requires_grad_(True) is y, y.grad_fn, y.is_leaf


@behaviours("A03: but setting requires_grad=True on a result is refused", error=RuntimeError, says=LEAF_FLAGS)
def _(F):
    y = leaf(F) * 2
    y.requires_grad = True


@behaviours("A03: setting requires_grad=False on a result", error=RuntimeError, says=LEAF_FLAGS)
def _(F):
    y = leaf(F) * 2
    y.requires_grad = False


@behaviours("A03: requires_grad_(False) on a result", error=RuntimeError, says=LEAF_FLAGS)
def _(F):
    (leaf(F) * 2).requires_grad_(False)


@behaviours("A03: the error says what to use instead", error=RuntimeError, says=f"{LEAF_FLAGS} If you want to use a")
def _(F):
    (leaf(F) * 2).requires_grad_(False)


@behaviours("A03: a leaf that is switched off after the forward pass gets no gradient")
def _(F):
    x = leaf(F)
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward()
    return x.grad


@behaviours("A03: a leaf that is switched on after the forward pass gets no gradient")
def _(F):
    x, w = F.ones(2), leaf(F)
    y = (x * w).sum()
    x.requires_grad_()
    y.backward()
    return x.grad, w.grad


@behaviours("A03: switching off keeps the gradient")
def _(F):
    x = leaf(F)
    x.sum().backward()
    x.requires_grad_(False)
    return x.grad


@behaviours("A03: requires_grad can be switched under no_grad")
def _(F):
    x = F.ones(2)
    with F.no_grad():
        x.requires_grad_()
    (x * 2).sum().backward()
    return x.grad


# ---------------------------------------------------------------- A04: reading .grad


@behaviours("A04: reading .grad of a result gives None and a warning", warns=(NON_LEAF_GRAD,))
def _(F):
    return (leaf(F) * 2).grad


@behaviours("A04: each reading warns", warns=(NON_LEAF_GRAD, NON_LEAF_GRAD))
def _(F):
    y = leaf(F) * 2
    return y.grad, y.grad


@behaviours("A04: the result has no gradient after backward either", warns=(NON_LEAF_GRAD,))
def _(F):
    y = leaf(F) * 2
    y.sum().backward()
    return y.grad


@behaviours("A04: no warning for leaves, nor for results that need no grad")
def _(F):
    x = leaf(F)
    return x.grad, F.ones(2).grad, (F.ones(2) * 2).grad, (x * 2).detach().grad, F.arange(3).grad


@behaviours("A04: no warning after retain_grad, nor for a gradient that was assigned")
def _(F):
    y, z = leaf(F) * 2, leaf(F) * 2
    y.retain_grad()
    z.grad = F.ones(2)
    return y.grad, z.grad


@behaviours("A04: deleting .grad sets it to None")
def _(F):
    x = leaf(F)
    x.sum().backward()
    del x.grad
    return x.grad


@behaviours("A04: .grad is the same object each time, and needs no grad")
def _(F):
    x = leaf(F)
    (x * x).sum().backward()
    return x.grad is x.grad, x.grad, x.grad.is_leaf, x.grad.grad_fn


# ---------------------------------------------------------------- A05: retain_grad


@behaviours("A05: retain_grad keeps the gradient of a result")
def _(F):
    x = leaf(F)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, x.grad, y.retains_grad


@behaviours("A05: retain_grad gives None, and can be repeated")
def _(F):
    y = leaf(F) * 2
    given = y.retain_grad(), y.retain_grad()
    y.sum().backward()
    return given, y.grad


@behaviours("A05: retains_grad is False to begin with")
def _(F):
    return leaf(F).retains_grad, (leaf(F) * 2).retains_grad, F.ones(2).retains_grad


@behaviours("A05: retain_grad does nothing for leaves")
def _(F):
    x = leaf(F)
    x.retain_grad()
    (x * 2).sum().backward()
    return x.retains_grad, x.grad


@behaviours(
    "A05: retain_grad on a tensor without grad",
    error=RuntimeError,
    says="can't retain_grad on Tensor that has requires_grad=False",
)
def _(F):
    F.ones(2).retain_grad()


@behaviours("A05: a kept gradient sums over passes, and the earlier sum stays as it was")
def _(F):
    y = leaf(F) * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    first = y.grad
    y.sum().backward(retain_graph=True)
    return first, y.grad, first is y.grad


@behaviours("A05: grad() also fills the kept gradient of a result on its way")
def _(F):
    x = leaf(F)
    y = x * 2
    y.retain_grad()
    gradient = F.autograd.grad((y * 3).sum(), x)
    return gradient, y.grad, x.grad


@behaviours("A05: retain_grad on every result of a chain")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.exp()
    total = z.sum()
    for result in (y, z, total):
        result.retain_grad()
    total.backward()
    return y.grad, z.grad, total.grad


@behaviours("A05: retain_grad on one of several outputs of a node")
def _(F):
    first, second = (leaf(F) * 2).unbind()
    second.retain_grad()
    (first * second).backward()
    return second.grad, second.retains_grad, first.retains_grad


@behaviours("A05: the kept gradient is the one that hooks have changed")
def _(F):
    y = leaf(F) * 2
    y.retain_grad()
    y.register_hook(lambda gradient: gradient * 10)
    y.sum().backward()
    return y.grad


@behaviours("A05: with create_graph the kept gradient has a graph")
def _(F):
    x = leaf(F)
    y = x * x
    y.retain_grad()
    gradient = F.autograd.grad((y * y).sum(), x, create_graph=True)
    return gradient, y.grad.requires_grad


@behaviours("A05: retain_grad may be asked for under no_grad")
def _(F):
    y = leaf(F) * 2
    with F.no_grad():
        y.retain_grad()
    y.sum().backward()
    return y.grad


# ---------------------------------------------------------------- A06: assigning .grad


@behaviours(
    "A06: .grad is no int",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type int",
)
def _(F):
    leaf(F).grad = 1


@behaviours(
    "A06: .grad is no list",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type list",
)
def _(F):
    leaf(F).grad = [1.0, 1.0]


@behaviours(
    "A06: .grad is no numpy array",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type numpy.ndarray",
)
def _(F):
    leaf(F).grad = np.ones(2, np.float32)


@behaviours(
    "A06: .grad has the size of its tensor",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and",
)
def _(F):
    leaf(F).grad = F.ones(3)


@behaviours(
    "A06: a gradient of one element is not broadcast",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[1]' to a tensor of size '[2]'",
)
def _(F):
    leaf(F).grad = F.ones(1)


@behaviours(
    "A06: one element is not the same as no dimension",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[1]' to a tensor of size '[]'",
)
def _(F):
    F.tensor(1.0, requires_grad=True).grad = F.ones(1)


@behaviours(
    "A06: .grad has the dtype of its tensor", error=RuntimeError, says="attempting to assign a gradient with dtype"
)
def _(F):
    leaf(F).grad = F.ones(2, dtype=F.float64)


@behaviours("A06: a tensor is not its own gradient", error=RuntimeError, says="can't assign Variable as its own grad")
def _(F):
    x = leaf(F)
    x.grad = x


@behaviours("A06: the gradient assigned is the very object, and None clears it")
def _(F):
    x, gradient = leaf(F), F.ones(2)
    x.grad = gradient
    same = x.grad is gradient
    x.grad = None
    return same, x.grad


@behaviours("A06: tensors that need no grad may have one, integer ones an integer one")
def _(F):
    x, y = F.ones(2), F.arange(2)
    x.grad, y.grad = F.ones(2), F.arange(2)
    return x.grad, y.grad


@behaviours("A06: a detached tensor with the same memory may be the gradient")
def _(F):
    x = leaf(F)
    x.grad = x.detach()
    return x.grad


@behaviours("A06: a gradient with a graph may be assigned")
def _(F):
    x = leaf(F)
    x.grad = x * 2
    return x.grad, x.grad.grad_fn


@behaviours("A06: backward adds to the gradient assigned, in place")
def _(F):
    x, gradient = leaf(F), F.ones(2)
    x.grad = gradient
    (x * 2).sum().backward()
    return x.grad is gradient, gradient, gradient._version


@behaviours("A06: so it does with a gradient that requires grad")
def _(F):
    x, gradient = leaf(F), F.ones(2, requires_grad=True)
    x.grad = gradient
    (x * 2).sum().backward()
    return x.grad is gradient, x.grad, gradient


@behaviours("A06: writing into .grad is remembered by the next pass")
def _(F):
    x = leaf(F)
    (x * 2).sum().backward()
    x.grad.zero_()
    x.grad[0] = 5
    (x * 2).sum().backward()
    return x.grad


@behaviours("A06: .grad of a result may be assigned")
def _(F):
    y = leaf(F) * 2
    y.grad = F.ones(2)
    y.sum().backward()
    return y.grad


# ---------------------------------------------------------------- A07: numpy()


@behaviours("A07: numpy() of a leaf that requires grad", error=RuntimeError, says=NO_NUMPY)
def _(F):
    leaf(F).numpy()


@behaviours("A07: numpy() of a result", error=RuntimeError, says=NO_NUMPY)
def _(F):
    (leaf(F) * 2).numpy()


@behaviours("A07: np.asarray of a tensor that requires grad", error=RuntimeError, says=NO_NUMPY)
def _(F):
    np.asarray(leaf(F))


@behaviours("A07: __array__ of a tensor that requires grad", error=RuntimeError, says=NO_NUMPY)
def _(F):
    leaf(F).__array__()


@behaviours("A07: an array of tensors that require grad", error=RuntimeError, says=NO_NUMPY)
def _(F):
    np.array([leaf(F), leaf(F)])


@behaviours("A07: under no_grad numpy() is allowed")
def _(F):
    x = leaf(F)
    with F.no_grad():
        return x.numpy(), (x * 2).numpy(), np.asarray(x)


@behaviours("A07: detach().numpy() is the way, and so is numpy(force=True)")
def _(F):
    x = leaf(F)
    return x.detach().numpy(), x.numpy(force=True), (x * 2).numpy(force=True), F.ones(2).numpy(force=False)


@behaviours("A07: numpy() keeps dtype and shape")
def _(F):
    kinds = (F.bool, F.int32, F.int64, F.float32, F.float64)
    return [F.ones(2, 3, dtype=kind).numpy() for kind in kinds], F.zeros(0, 2).numpy()


@behaviours("A07: numpy() of a tensor without dimensions is an array without dimensions")
def _(F):
    array = F.tensor(2.5).numpy()
    return type(array).__name__, array


@behaviours("A07: the array shares the tensor's memory")
def _(F):
    x = F.zeros(2)
    array = x.numpy()
    array[0] = 5
    x[1] = 7
    return x, array


@behaviours("A07: so does the array of a tensor without dimensions")
def _(F):
    x = F.tensor(2.5)
    array = x.numpy()
    array[()] = 7
    first = x.item()
    x.fill_(8)
    return first, array


@behaviours("A07: numpy(force=True) shares memory, too")
def _(F):
    x = leaf(F)
    x.numpy(force=True)[0] = 5
    return x


@behaviours("A07: the array of a view shares memory with the whole")
def _(F):
    x = matrix(F)
    x[:, 1].numpy()[:] = 9
    x.T.numpy()[0, 1] = 8
    return x


@behaviours("A07: what numpy writes is not counted")
def _(F):
    x = F.zeros(2)
    x.numpy()[0] = 5
    return x._version


# ---------------------------------------------------------------- A07: numpy reads tensors


@behaviours("A07: np.asarray shares memory")
def _(F):
    x = F.zeros(2)
    np.asarray(x)[0] = 5
    return x


@behaviours("A07: np.asarray with another dtype copies")
def _(F):
    x = F.zeros(2)
    array = np.asarray(x, dtype=np.float64)
    array[0] = 5
    return x, array, np.asarray(x, dtype=int)


@behaviours("A07: __array__ takes a dtype")
def _(F):
    x = F.ones(2)
    return x.__array__(), x.__array__(np.float64), x.__array__(dtype=np.dtype("int64")), x.__array__(None)


@behaviours("A07: an array of several tensors stacks them")
def _(F):
    return np.array([F.ones(2), F.zeros(2)]), np.array([F.tensor(1.0), F.tensor(2.0)]), np.stack([F.ones(2)] * 2)


@behaviours("A07: numpy functions that need arrays take tensors")
def _(F):
    x = F.ones(2)
    joined = np.concatenate([x, x])
    return joined, np.array_equal(x, np.ones(2)), np.allclose(x, x), np.shape(x), np.ndim(x), np.where(x > 0, x, 0)


@behaviours("A07: a tensor of ints or bools indexes an array")
def _(F):
    array = np.arange(3.0)
    return array[F.tensor([2, 0])], float(array[F.tensor(1)]), array[F.tensor([True, False, True])]


def by_numpy(compute: Callable[[], Any]) -> Any:
    """What numpy computes; that it wants tensors to be wrapped in another way than PyTorch has is not our subject."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return compute()


@behaviours("A07: a function of numpy gives a tensor")
def _(F):
    x = F.tensor([0.0, 1.0])
    return by_numpy(lambda: (np.exp(x), np.sqrt(x), np.exp(F.tensor(0.0)), np.add(x, x), np.multiply(x, 2)))


@behaviours("A07: a function of numpy of a tensor and an array gives a tensor")
def _(F):
    x = F.ones(2)
    return by_numpy(lambda: (np.add(x, np.ones(2)), np.add(np.ones(2), x), np.add(x, np.ones(2, np.float32))))


@behaviours("A07: a function of numpy of a tensor that requires grad", error=RuntimeError, says=NO_NUMPY)
def _(F):
    np.exp(leaf(F))


@behaviours("A07: tensor and array: numpy computes, and gives a tensor")
def _(F):
    x, array = F.tensor([1.0, 2.0]), np.array([3.0, 4.0])
    return by_numpy(lambda: (x + array, x - array, x * array, x / array, x**array, x * array.astype("f"), x @ array))


@behaviours("A07: tensor that requires grad and array", error=RuntimeError, says=NO_NUMPY)
def _(F):
    leaf(F) * np.ones(2)


@behaviours("A07: array times tensor", error=TypeError, says="unsupported operand type(s) for *: 'numpy.ndarray' and")
def _(F):
    np.ones(2) * F.ones(2)


@behaviours("A07: array minus tensor", error=TypeError, says="unsupported operand type(s) for -: 'numpy.ndarray' and")
def _(F):
    np.ones(2) - F.ones(2)


@behaviours("A07: array at tensor", error=TypeError, says="unsupported operand type(s) for @: 'numpy.ndarray' and")
def _(F):
    np.ones((2, 2)) @ F.ones(2)


@behaviours("A07: array to the power of tensor", error=TypeError, says="unsupported operand type(s) for ** or pow(): ")
def _(F):
    np.ones(2) ** F.ones(2)


@behaviours(
    "A07: array times tensor that requires grad", error=TypeError, says="unsupported operand type(s) for *: 'nu"
)
def _(F):
    np.ones(2) * leaf(F)


@behaviours("A07: array divided by tensor is the one that works")
def _(F):
    return by_numpy(lambda: np.ones(2) / F.tensor([1.0, 2.0]))


@behaviours("A07: array plus tensor, and adding a tensor to an array in place, are errors")
def _(F):
    array, x = np.ones(2), F.ones(2)
    return raised(lambda: array + x), raised(lambda: operator.iadd(array, x))


@behaviours("A07: a tensor equals an array element by element, from both sides")
def _(F):
    x, array = F.tensor([1.0, 2.0]), np.array([1.0, 3.0])
    return x == array, array == x, x != array


@behaviours(
    "A07: a tensor is not less than an array", error=TypeError, says="'<' not supported between instances of 'T"
)
def _(F):
    F.ones(2) < np.ones(2)  # noqa: B015


@behaviours("A07: functions of the library want tensors, not arrays")
def _(F):
    array = np.ones(2)
    return [raised(lambda f=f: f(F.ones(2), array)) for f in (F.add, F.mul, F.matmul)] + [raised(lambda: F.exp(array))]


@behaviours(
    "A07: the error names the argument",
    error=TypeError,
    says="add(): argument 'other' (position 2) must be Tensor, not numpy.ndarray",
)
def _(F):
    F.add(F.ones(2), np.ones(2))


@behaviours("A07: the numbers of numpy count as Python's, on either side")
def _(F):
    x = F.tensor([1.0, 2.0])
    two, one = np.float64(2), np.int64(1)
    return two * x, x * two, two - x, x - two, two / x, x / two, two**x, x**two, one + x, x + one, np.float32(3) * x


@behaviours("A07: the numbers of numpy do not widen a tensor of their kind")
def _(F):
    i = F.arange(3)
    return np.float64(1.5) * i, i * np.float64(1.5), i + np.float32(1), np.int64(2) + i.int(), i.int() * np.int64(2)


@behaviours("A07: the numbers of numpy keep the graph")
def _(F):
    x = leaf(F)
    (np.float64(2) * x * np.float64(3)).sum().backward()
    return x.grad


@behaviours("A07: the numbers of numpy compare and index")
def _(F):
    x = F.tensor([1.0, 2.0])
    x[0] = np.float64(3)
    return x == np.float64(2), np.float64(2) < x, x[np.int64(1)], x[np.array([1, 0])], x[np.array([True, False])]


@behaviours("A07: the numbers of numpy are sizes and dimensions")
def _(F):
    three = np.int64(3)
    return (
        F.zeros(three),
        matrix(F).reshape(three, np.int64(2)),
        matrix(F).sum(np.int64(1)),
        F.full((2,), np.float64(2.5)),
    )


# ---------------------------------------------------------------- A07: tensors from numpy


@behaviours("A07: from_numpy shares the array's memory")
def _(F):
    array = np.zeros(2)
    x = F.from_numpy(array)
    array[0] = 5
    x[1] = 7
    return x, array, x.is_leaf


@behaviours("A07: from_numpy keeps dtype and shape")
def _(F):
    return [F.from_numpy(np.ones((2, 1), kind)) for kind in ("bool", "int32", "int64", "f", "d")], F.from_numpy(
        np.array(3.0)
    )


@behaviours("A07: from_numpy of a slice shares its memory with the whole")
def _(F):
    array = np.arange(6.0).reshape(2, 3)
    F.from_numpy(array[:, 1])[0] = 50
    return array


@behaviours("A07: a tensor from numpy can require grad, and what is written into it arrives in the array")
def _(F):
    array = np.ones(2, np.float32)
    x = F.from_numpy(array).requires_grad_()
    (x * 2).sum().backward()
    with F.no_grad():
        x -= x.grad
    return array, x.grad


@behaviours("A07: from_numpy takes arrays only", error=TypeError, says="expected np.ndarray (got list)")
def _(F):
    F.from_numpy([1.0])


@behaviours(
    "A07: from_numpy takes no number of numpy's", error=TypeError, says="expected np.ndarray (got numpy.float64)"
)
def _(F):
    F.from_numpy(np.float64(1.0))


@behaviours(
    "A07: from_numpy of texts",
    error=TypeError,
    says="can't convert np.ndarray of type numpy.str_. The only supported types are: ",
)
def _(F):
    F.from_numpy(np.array(["a"]))


@behaviours(
    "A07: from_numpy of objects",
    error=TypeError,
    says="can't convert np.ndarray of type numpy.object_. The only supported types are: ",
)
def _(F):
    F.from_numpy(np.array([None]))


@behaviours(
    "A07: from_numpy of dates",
    error=TypeError,
    says="can't convert np.ndarray of type numpy.datetime64. The only supported types are: ",
)
def _(F):
    F.from_numpy(np.array([1], dtype="M8[s]"))


@behaviours(
    "A07: from_numpy of foreign byte order",
    error=ValueError,
    says="given numpy array has byte order different from the native byte order.",
)
def _(F):
    F.from_numpy(np.ones(2, ">f4" if np.little_endian else "<f4"))


@behaviours(
    "A07: from_numpy of an array that must not be written to warns",
    warns=("UserWarning: The given NumPy array is not writable",),
)
def _(F):
    array = np.ones(2)
    array.flags.writeable = False
    return F.from_numpy(array)


@behaviours("A07: tensor() copies an array and keeps its dtype")
def _(F):
    array = np.zeros(2)
    x = F.tensor(array)
    array[0] = 5
    return x, F.tensor(np.array(3, np.int32)), F.tensor(np.array([True]))


@behaviours("A07: tensor() of the numbers of numpy keeps their dtype")
def _(F):
    numbers = [np.float64(2.5), np.float32(2.5), np.int32(2), np.int64(2), np.bool_(True)]
    return [F.tensor(number) for number in numbers], F.tensor([np.float64(2.5), 1]), F.tensor([np.float32(2.5)])


@behaviours("A07: tensor() of texts", error=TypeError, says="can't convert np.ndarray of type numpy.str_.")
def _(F):
    F.tensor(np.array(["a"]))


@behaviours("A07: as_tensor and asarray share the array's memory")
def _(F):
    array = np.zeros(2)
    x, y = F.as_tensor(array), F.asarray(array)
    array[0] = 5
    return x, y


@behaviours("A07: as_tensor with another dtype copies")
def _(F):
    array = np.zeros(2)
    x = F.as_tensor(array, dtype=F.float32)
    array[0] = 5
    return x


@behaviours("A07: as_tensor gives a tensor back as it is, and converts it within the graph")
def _(F):
    x = leaf(F)
    y = F.as_tensor(x, dtype=F.float64)
    return F.as_tensor(x) is x, y, y.grad_fn


@behaviours("A07: as_tensor makes a tensor of lists and numbers")
def _(F):
    return F.as_tensor([1, 2.5]), F.as_tensor(3), F.as_tensor([True]), F.as_tensor(np.float64(2.5))


@behaviours("A07: as_tensor of a text", error=TypeError, says="new(): invalid data type 'str'")
def _(F):
    F.as_tensor("a")


@behaviours("A07: asarray copies if it is told to")
def _(F):
    array = np.zeros(2)
    x = F.asarray(array, copy=True)
    array[0] = 5
    return x


@behaviours(
    "A07: asarray that must not copy cannot convert", error=ValueError, says="can't alias tensor with dtype 'Doub"
)
def _(F):
    F.asarray(np.ones(2), dtype=F.float32, copy=False)


@behaviours(
    "A07: asarray that must not copy takes no list", error=ValueError, says="can't alias arbitrary sequence into"
)
def _(F):
    F.asarray([1, 2], copy=False)


@behaviours("A07: asarray of a list, with a gradient")
def _(F):
    return F.asarray([1.0, 2.0], requires_grad=True), F.asarray([1, 2]), F.asarray([1, 2], dtype=F.float64)


# ---------------------------------------------------------------- making tensors of tensors and lists


@behaviours("tensor(): a copy of a tensor is outside its graph, and a warning says so", warns=(COPY_CONSTRUCT,))
def _(F):
    x = leaf(F)
    y = F.tensor(x * 2)
    return y, y.is_leaf


@behaviours("tensor(): a copy of a tensor with a gradient of its own", warns=(COPY_CONSTRUCT,))
def _(F):
    x = leaf(F)
    y = F.tensor(x, requires_grad=True)
    (y * 2).sum().backward()
    return y, y.grad, x.grad


@behaviours("tensor(): a list of tensors with one element each")
def _(F):
    return F.tensor([F.tensor(1.0), F.tensor(2)]), F.tensor([F.ones(1), F.ones(1)]), F.tensor([[F.tensor(1)], [2]])


@behaviours("tensor(): a list of results loses their graph, and a warning says so", warns=(TO_SCALAR, TO_SCALAR))
def _(F):
    x = leaf(F)
    return F.tensor([x[0], x[1]])


@behaviours(
    "tensor(): a list of vectors is not stacked",
    error=ValueError,
    says="only one element tensors can be converted to Python scalars",
)
def _(F):
    F.tensor([F.ones(2), F.ones(2)])


@behaviours("tensor(): kinds of numbers in lists, tuples and ranges")
def _(F):
    lists: list[Any] = [
        [],
        [[], []],
        [True, 2],
        [1, 2.0],
        [True, False],
        ((1, 2), (3, 4)),
        range(3),
        2.5,
        True,
        [[[7]]],
    ]
    return [F.tensor(numbers) for numbers in lists]


@behaviours("Tensor: the constructor makes float32 of lists, and of sizes a tensor of that shape")
def _(F):
    return F.Tensor([1, 2]), F.Tensor([[1, 2], [3, 4]]), F.Tensor(2, 3).shape, F.Tensor(3).shape, F.Tensor()


@behaviours(
    "Tensor: the constructor takes a number only as a size", error=TypeError, says="new(): data must be a sequence"
)
def _(F):
    F.Tensor(2.5)


@behaviours("Tensor: the constructor of a tensor gives another one with the same memory")
def _(F):
    x = F.zeros(2)
    y = F.Tensor(x)
    y[0] = 5
    return x, y is x


@behaviours("is_tensor: tells tensors from everything else")
def _(F):
    return [F.is_tensor(value) for value in (F.ones(2), 3, [1.0], None, np.ones(2))], isinstance(F.ones(2), F.Tensor)


# ---------------------------------------------------------------- A08: copies


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


# ---------------------------------------------------------------- pickling


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@behaviours("pickle: a leaf comes back as a leaf that requires grad, without its gradient")
def _(F):
    x = leaf(F)
    x.sum().backward()
    y = pickled(x)
    return y, y.is_leaf, y.grad


@behaviours("pickle: values, dtypes and shapes come back")
def _(F):
    kinds = (F.bool, F.int32, F.int64, F.float32, F.float64)
    return [pickled(F.ones(2, 1, dtype=kind)) for kind in kinds], pickled(F.tensor(2.5)), pickled(F.zeros(0, 3))


@behaviours("pickle: every protocol")
def _(F):
    return [pickle.loads(pickle.dumps(leaf(F), protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]


@behaviours("pickle: a result comes back as a leaf")
def _(F):
    y = pickled(leaf(F) * 2)
    return y, y.is_leaf, y.grad_fn


@behaviours("pickle: what comes back has memory of its own and can be written to")
def _(F):
    x = F.zeros(2)
    y = pickled(x)
    y[0] = 5
    return x, y


@behaviours("pickle: a tensor that occurs twice comes back once")
def _(F):
    x = leaf(F)
    first, second = pickled([x, x])
    return first is second


@behaviours("pickle: a view comes back with its values")
def _(F):
    x = matrix(F)
    return pickled(x.T), pickled(x[1]), pickled(x[:, 1]), pickled(x[1])._is_view()


@behaviours("pickle: sizes and dtypes come back")
def _(F):
    return pickled(F.zeros(2, 3).shape), pickled(F.float32) is F.float32, pickled(F.bool) is F.bool


@behaviours("pickle: hooks do not come along, and a warning says so", warns=("UserWarning: backward hook <function",))
def _(F):
    x = leaf(F)
    x.register_hook(lambda gradient: gradient * 10)
    y = pickled(x)
    y.sum().backward()
    return y.grad


# ---------------------------------------------------------------- A09: numbers of tensors


@behaviours(
    "A09: bool of two elements", error=RuntimeError, says="Boolean value of Tensor with more than one value is amb"
)
def _(F):
    bool(F.ones(2))


@behaviours("A09: bool of no element", error=RuntimeError, says="Boolean value of Tensor with no values is ambiguous")
def _(F):
    bool(F.zeros(0))


@behaviours("A09: bool of one element, whatever its shape")
def _(F):
    numbers: list[Any] = [0.0, -0.0, NAN, [[0.0]], [2.0], 0, True, False]
    return [bool(F.tensor(number)) for number in numbers], bool(leaf(F)[0])


@behaviours(
    "A09: item of two elements", error=RuntimeError, says="a Tensor with 2 elements cannot be converted to Scalar"
)
def _(F):
    F.tensor([1, 2]).item()


@behaviours(
    "A09: item of no element", error=RuntimeError, says="a Tensor with 0 elements cannot be converted to Scalar"
)
def _(F):
    F.zeros(0).item()


@behaviours("A09: item is a number of Python's, exactly the one that is stored")
def _(F):
    values = [F.tensor(0.1).item(), F.tensor([[3]]).item(), F.tensor(True).item(), leaf(F)[0].item()]
    return values, repr(values[0]), [type(value).__name__ for value in values], F.tensor(2, dtype=F.int32).item()


@behaviours("A09: tolist nests lists of Python's numbers")
def _(F):
    tensors = (matrix(F), F.tensor(2.5), F.zeros(0, 3), F.zeros(2, 0), leaf(F), F.tensor([True, False]), F.arange(2))
    return [x.tolist() for x in tensors]


@behaviours("A09: float and int of one element, whatever its shape")
def _(F):
    x = F.tensor([[2.5]])
    return float(x), int(x), int(F.tensor(-1.7)), float(F.tensor(3)), float(F.tensor(True)), int(F.tensor([5]))


@behaviours(
    "A09: float of two elements", error=ValueError, says="only one element tensors can be converted to Python sc"
)
def _(F):
    float(F.ones(2))


@behaviours(
    "A09: int of no element", error=ValueError, says="only one element tensors can be converted to Python scalars"
)
def _(F):
    int(F.zeros(0))


@behaviours("A09: int of nan", error=ValueError, says="cannot convert float NaN to integer")
def _(F):
    int(F.tensor(NAN))


@behaviours("A09: int of infinity", error=OverflowError, says="cannot convert float infinity to integer")
def _(F):
    int(F.tensor(INF))


@behaviours("A09: float of a tensor that requires grad warns", warns=(TO_SCALAR, TO_SCALAR))
def _(F):
    return float(leaf(F)[0]), float(F.tensor(1.5, requires_grad=True))


@behaviours("A09: a function of math warns as float does", warns=(TO_SCALAR,))
def _(F):
    return math.sqrt(F.tensor(4.0, requires_grad=True)), math.sqrt(F.tensor(4.0)), math.floor(F.tensor(2.5))


@behaviours("A09: int, bool, item, tolist and format do not warn")
def _(F):
    x = F.tensor(1.5, requires_grad=True)
    return int(x), bool(x), x.item(), x.tolist(), f"{x:.2f}"


@behaviours("A09: a whole number of one element is an index")
def _(F):
    one = F.tensor(1)
    return [10, 20, 30][one], list(range(F.tensor(3))), operator.index(F.tensor([[2]])), operator.index(F.tensor(True))


@behaviours(
    "A09: a float is no index",
    error=TypeError,
    says="only integer tensors of a single element can be converted to an index",
)
def _(F):
    [10, 20][F.tensor(1.0)]


@behaviours(
    "A09: several numbers are no index",
    error=TypeError,
    says="only integer tensors of a single element can be converted to an index",
)
def _(F):
    operator.index(F.arange(3))


@behaviours(
    "A09: a tensor does not round to a number", error=TypeError, says="type Tensor doesn't define __round__ method"
)
def _(F):
    round(F.tensor(2.5))


# ---------------------------------------------------------------- length, iteration, membership, identity


@behaviours("A09: len is the first size")
def _(F):
    return len(matrix(F)), len(F.zeros(0, 3)), len(leaf(F))


@behaviours("A09: len of a tensor without dimensions", error=TypeError, says="len() of a 0-d tensor")
def _(F):
    len(F.tensor(1.0))


@behaviours("A09: iteration over a tensor without dimensions", error=TypeError, says="iteration over a 0-d tensor")
def _(F):
    iter(F.tensor(1.0))


@behaviours("A09: iteration gives the parts along the first dimension, all from one node")
def _(F):
    x = leaf(F)
    first, second = x
    (first * 3 + second * 5).backward()
    return first, second, first.grad_fn, first.grad_fn is second.grad_fn, second.output_nr, x.grad


@behaviours("A09: iteration gives views")
def _(F):
    x = matrix(F)
    for row in x:
        row[0] = 9
    return x, [row._is_view() for row in x], list(F.zeros(0, 2))


@behaviours("A09: tuple, zip, sum and max iterate")
def _(F):
    x = F.tensor([1.0, 3.0, 2.0])
    return tuple(x), list(zip(x, F.arange(2), strict=False)), sum(x), max(x), sorted(x), any(x > 2), all(x > 2)


@behaviours("A09: reversed turns the tensor round")
def _(F):
    y = reversed(leaf(F))
    return y, y.grad_fn


@behaviours("A09: `in` looks for an equal element")
def _(F):
    x = matrix(F)
    return 1.0 in x, 7 in x, F.tensor(3.0) in x, F.tensor([0.0, 1.0, 9.0]) in x, True in x


@behaviours(
    "A09: `in` knows numbers and tensors only",
    error=RuntimeError,
    says="Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>.",
)
def _(F):
    "a" in F.ones(2)  # noqa: B015


@behaviours(
    "A09: `in` does not know None",
    error=RuntimeError,
    says="Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'NoneType'>.",
)
def _(F):
    None in F.ones(2)  # noqa: B015


@behaviours("A09: a list contains the tensor itself")
def _(F):
    x = F.ones(2)
    return x in [x, F.zeros(2)]


@behaviours(
    "A09: a list of others has to compare", error=RuntimeError, says="Boolean value of Tensor with more than one value"
)
def _(F):
    F.ones(2) in [F.zeros(2)]  # noqa: B015


@behaviours("A09: hash goes by identity, so that tensors are keys")
def _(F):
    x, y = F.ones(2), F.ones(2)
    return {x: 1, y: 2}[x], hash(x) == hash(x), hash(x) == hash(y), len({x, y, x})


@behaviours("A09: a tensor equals no text, no list and not None")
def _(F):
    x = F.ones(2)
    return x == None, x != None, x == "a", x != "a", x == [1.0, 1.0]  # noqa: E711


@behaviours(
    "A09: an attribute that does not exist", error=AttributeError, says="'Tensor' object has no attribute 'grd'"
)
def _(F):
    F.ones(2).grd  # noqa: B018


# ---------------------------------------------------------------- version and views


@behaviours("D04: a tensor starts at version 0, and each write counts one")
def _(F):
    x = F.zeros(2)
    versions = [x._version]
    x.add_(1)
    x[0] = 5
    x.zero_()
    x.copy_(F.ones(2))
    with F.no_grad():
        x.mul_(2)
    return [*versions, x._version]


@behaviours("D04: views and detach share the count, .data and clone do not")
def _(F):
    x = F.zeros(2)
    x.add_(1)
    others = x[0], x.view(2, 1), x.detach(), x.data, x.clone()
    before = [other._version for other in others]
    x.add_(1)
    return before, [other._version for other in others]


@behaviours("D04: a write through a view or a detached tensor counts for all of them")
def _(F):
    x = F.zeros(2)
    view, detached, data = x[0], x.detach(), x.data
    view.add_(1)
    detached.add_(1)
    return x, [y._version for y in (x, view, detached, data)]


@behaviours("D04: a write through .data counts for itself alone")
def _(F):
    x = F.zeros(2)
    data = x.data
    data.add_(1)
    return x, x._version, data._version, x.data._version


@behaviours("D04: requires_grad_, detach_, retain_grad and reading count as nothing")
def _(F):
    x = F.zeros(2).requires_grad_()
    y = x * 2
    y.retain_grad()
    y.tolist(), y[0].item()
    y.detach_()
    return x._version, y._version


@behaviours("D04: what backward adds to .grad counts")
def _(F):
    x = leaf(F)
    versions = []
    for _ in range(3):
        (x * 2).sum().backward()
        versions.append(x.grad._version)
    return versions


@behaviours("D12: _base of a view, and of a view of a view, is the root")
def _(F):
    x, y = F.zeros(2, 3), leaf(F) * 2
    return x._base, x[0]._base is x, x.view(6)[1:]._base is x, x.T[0][1]._base is x, y[0]._base is y


@behaviours("D12: what is a view and what is not")
def _(F):
    x = F.zeros(2, 3)
    views = (x[0], x[:], x.view(6), x.T, x.reshape(6), x.expand(4, 2, 3), x.view_as(x), x[None], x.unbind()[0])
    others = (x, x.clone(), x.detach(), x.data, x[[0, 1]], x[x > 0], x + 0, x.T.reshape(6), x.contiguous())
    return [y._is_view() for y in views], [y._is_view() for y in others]


@behaviours("D12: a view of a leaf that requires grad is one, too")
def _(F):
    x = leaf(F)
    y = x.view(2, 1)
    return y._is_view(), y._base is x, y.is_leaf, y.grad_fn


# ---------------------------------------------------------------- D14: .data


@behaviours("D14: .data is a leaf without grad that shares the memory")
def _(F):
    x = leaf(F)
    data = x.data
    data.mul_(3)
    return x, data, data.is_leaf, data.data_ptr() == x.data_ptr(), x._version


@behaviours("D14: .data of a result is outside the graph")
def _(F):
    y = leaf(F) * 2
    return y.data, y.data.grad_fn


@behaviours("D14: writing through .data is not noticed, and the gradient is wrong")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    x.data.add_(1)
    y.backward()
    return x.grad


@behaviours("D14: setting .data keeps identity, version and requires_grad")
def _(F):
    x = F.zeros(2, requires_grad=True)
    with F.no_grad():
        x.add_(1)
    before = id(x)
    x.data = F.tensor([5.0, 6.0])
    return x, id(x) == before, x._version, x.is_leaf


@behaviours("D14: setting .data shares the memory of the new tensor")
def _(F):
    x, new = leaf(F), F.zeros(2)
    x.data = new
    new[0] = 5
    return x, x.data_ptr() == new.data_ptr(), x._version


@behaviours("D14: setting .data may change the shape and the floating dtype")
def _(F):
    x, y = leaf(F), leaf(F)
    x.data = F.arange(3.0)
    y.data = F.arange(2.0, dtype=F.float64)
    return x, y


@behaviours(
    "D14: integers are refused where a gradient is wanted",
    error=RuntimeError,
    says="data set to a tensor that requires gradients must be floating point",
)
def _(F):
    leaf(F).data = F.arange(2)


@behaviours("D14: integers are welcome where no gradient is wanted")
def _(F):
    x = F.zeros(2)
    x.data = F.arange(3)
    return x


@behaviours("D14: .data is a tensor", error=TypeError, says="Variable data has to be a tensor, but got int")
def _(F):
    leaf(F).data = 3


@behaviours("D14: .data is not None", error=TypeError, says="Variable data has to be a tensor, but got NoneType")
def _(F):
    leaf(F).data = None


@behaviours("D14: x.data -= step is the old way to train, and counts no write")
def _(F):
    x = leaf(F)
    (x * x).sum().backward()
    x.data -= 0.5 * x.grad
    return x, x._version


@behaviours("D14: the graph of the new tensor is not taken over")
def _(F):
    x, y = leaf(F), F.zeros(2)
    y.data = x * 2
    x.data = x * 3
    return x, y


@behaviours("D14: a graph made before sees the new values")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    x.data = F.zeros(2)
    y.backward()
    return x.grad


@behaviours("D14: setting .data leaves .grad alone, also where its shape no longer fits")
def _(F):
    x = leaf(F)
    x.sum().backward()
    x.data = F.zeros(3)
    return x.grad


@behaviours("D14: setting .data of a result keeps its node")
def _(F):
    y = leaf(F) * 2
    y.data = F.zeros(2)
    return y, y.grad_fn


@behaviours("D14: setting .data of a view leaves the base alone")
def _(F):
    x = F.ones(2)
    view = x.view(2, 1)
    view.data = F.zeros(3)
    return view, x, view._is_view()


# ---------------------------------------------------------------- detach, detach_


@behaviours("A01: detach shares the memory")
def _(F):
    x = F.zeros(2)
    x.detach()[0] = 5
    return x, x.detach() is x, x.detach().data_ptr() == x.data_ptr()


@behaviours("A01: what is written to a detached tensor is noticed by the graph")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    x.detach().add_(1)
    try:
        y.backward()
    except RuntimeError as error:
        return str(error).partition(":")[0]


@behaviours("A01: detach stops the gradient")
def _(F):
    x = leaf(F)
    (x * x.detach()).sum().backward()
    return x.grad


@behaviours("A01: the function detach does the same")
def _(F):
    return F.detach(leaf(F) * 2)


@behaviours("D11: detach_ makes a result a leaf, in place")
def _(F):
    y = leaf(F) * 2
    same = y.detach_() is y
    return y, same, y.is_leaf, y.grad_fn, y.output_nr, y._version


@behaviours("D11: detach_ of a leaf switches its gradient off")
def _(F):
    x = leaf(F)
    return x.detach_() is x, x


@behaviours("D11: what was computed before detach_ keeps its graph")
def _(F):
    x = leaf(F)
    y = x * 2
    z = (y * 3).sum()
    y.detach_()
    z.backward()
    return x.grad, y.requires_grad


@behaviours("D11: detach_ of a view", error=RuntimeError, says="Can't detach views in-place. Use detach() instead.")
def _(F):
    (leaf(F) * 2)[0].detach_()


@behaviours(
    "D11: detach_ of a view without grad", error=RuntimeError, says="Can't detach views in-place. Use detach() ins"
)
def _(F):
    F.ones(2).view(2, 1).detach_()


@behaviours("D11: a tensor after detach_ can become a leaf of its own")
def _(F):
    y = (leaf(F) * 2).detach_().requires_grad_()
    (y * 3).sum().backward()
    return y.grad


# ---------------------------------------------------------------- what can be asked of a tensor


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
        x.ndimension(),
        x.ndim,
        F.tensor(1.0).dim(),
        F.zeros(0, 3).numel(),
    )


@behaviours("Tensor: bytes")
def _(F):
    kinds = (F.bool, F.int32, F.int64, F.float32, F.float64)
    return [(x.element_size(), x.itemsize, x.nbytes, x.dtype.itemsize) for x in (F.zeros(3, dtype=k) for k in kinds)]


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


@behaviours("Tensor: type_as converts within the graph")
def _(F):
    x = leaf(F)
    y = x.type_as(F.zeros(1, dtype=F.float64))
    return y, y.grad_fn, x.type_as(x) is x, F.arange(3).type_as(x)


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
    return x.is_inference(), (x * 2).is_inference(), F.arange(3).is_inference(), F.is_inference(x)


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


@behaviours("Tensor: storage offsets")
def _(F):
    x = matrix(F)
    views = (x, x[1], x[1, 2], x[:, 1], x.T, x[1:, 1:], x.view(6)[2:], x.clone(), x[1].clone())
    return [view.storage_offset() for view in views]


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


@behaviours("Tensor: view_as, reshape_as and expand_as")
def _(F):
    x, other = F.ones(2, 3, requires_grad=True), F.zeros(3, 2)
    results = x.view_as(other), x.T.reshape_as(x), F.ones(2, requires_grad=True).expand_as(other)
    return [(y, y.grad_fn) for y in results]


@behaviours(
    "Tensor: view_as of another number of elements", error=RuntimeError, says="shape '[3]' is invalid for input of"
)
def _(F):
    leaf(F).view_as(F.ones(3))


@behaviours("Tensor: new tensors of the same dtype")
def _(F):
    x, i = leaf(F), F.arange(3)
    floats = x.new_zeros(2, 3), x.new_ones((2,)), x.new_full((2,), 3), x.new_tensor([1, 2]), x.new_empty(2, 0)
    ints = i.new_zeros(2), i.new_ones(2), i.new_full((2,), 3.7), i.new_tensor([1.5, 2.5]), i.new_tensor(True)
    return floats, ints, x.new_empty((2, 3)).shape


@behaviours("Tensor: new tensors of another dtype, and with a gradient")
def _(F):
    x, i = leaf(F), F.arange(3)
    made = x.new_zeros(2, dtype=F.int64), i.new_ones(2, dtype=F.float32), i.new_full((1,), 3.7, dtype=F.float64)
    return made, x.new_zeros(2, requires_grad=True), x.new_tensor([1, 2], requires_grad=True)


@behaviours("Tensor: new integer tensors have no gradient", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.arange(3).new_zeros(2, requires_grad=True)


@behaviours("Tensor: new_tensor of a tensor warns as tensor() does", warns=(COPY_CONSTRUCT,))
def _(F):
    return F.ones(1).new_tensor(F.arange(3))


@behaviours("Tensor: T turns a matrix round and is a view")
def _(F):
    x = F.ones(2, 3, requires_grad=True)
    return x.T.shape, x.T.grad_fn, x.mT.shape, x.T._base is x


# ---------------------------------------------------------------- Variable


@behaviours("Variable: makes a tensor with the memory and the version of another")
def _(F):
    x = F.ones(2)
    y = F.autograd.Variable(x)
    y.add_(1)
    return x, y, y is x, type(y).__name__, x._version, y._version, y._is_view()


@behaviours("Variable: takes requires_grad")
def _(F):
    x = F.ones(2)
    y = F.autograd.Variable(x, requires_grad=True)
    (y * 2).sum().backward()
    return y.grad, x.grad, F.autograd.Variable(x, True), F.autograd.Variable(data=x)


@behaviours("Variable: of a leaf or a result needs no grad")
def _(F):
    x = leaf(F)
    return F.autograd.Variable(x), F.autograd.Variable(x * 2), F.autograd.Variable(x * 2, requires_grad=True)


@behaviours("Variable: every tensor is one")
def _(F):
    kind = F.autograd.Variable
    return isinstance(F.ones(2), kind), isinstance(3, kind), isinstance(kind(F.ones(2)), F.Tensor), kind.__name__


@behaviours("Variable: of nothing is an empty tensor")
def _(F):
    return F.autograd.Variable(), F.autograd.Variable(None)


@behaviours("Variable: of a number", error=TypeError, says="Variable data has to be a tensor, but got int")
def _(F):
    F.autograd.Variable(3)


@behaviours("Variable: of a list", error=TypeError, says="Variable data has to be a tensor, but got list")
def _(F):
    F.autograd.Variable([1.0])


@behaviours("Variable: of ints has no gradient", error=RuntimeError, says=ONLY_FLOATING)
def _(F):
    F.autograd.Variable(F.arange(3), requires_grad=True)


@behaviours(
    "Variable: volatile has no effect, and a warning says what to use",
    warns=("UserWarning: volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",),
)
def _(F):
    return F.autograd.Variable(F.ones(2), volatile=True), F.autograd.Variable(F.ones(2), volatile=False)


@behaviours(
    "Variable: volatile and requires_grad",
    error=ValueError,
    says="Variable can't be volatile and require_grad at the same time!",
    warns=("UserWarning: volatile was removed and now has no effect.",),
)
def _(F):
    F.autograd.Variable(F.ones(2), requires_grad=True, volatile=True)


@behaviours(
    "Variable: another argument", error=TypeError, says="'grd' is an invalid keyword argument for this function"
)
def _(F):
    F.autograd.Variable(F.ones(2), grd=None)


# ---------------------------------------------------------------- I04: dtypes of results

KINDS = ("bool", "int32", "int64", "float32", "float64")

BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "+": lambda F, a, b: a + b,
    "-": lambda F, a, b: a - b,
    "*": lambda F, a, b: a * b,
    "/": lambda F, a, b: a / b,
    "**": lambda F, a, b: a**b,
    "<": lambda F, a, b: a < b,
    "where": lambda F, a, b: F.where(F.tensor([True, False]), a, b),
}


def operands(F: Any) -> dict[str, Any]:
    """What may stand on the right: tensors with dimensions and without, and Python's numbers, all of value 1."""
    vectors = {f"{kind} vector": F.ones(2, dtype=getattr(F, kind)) for kind in KINDS}
    points = {f"{kind} 0-d": F.ones((), dtype=getattr(F, kind)) for kind in KINDS}
    return vectors | points | {"True": True, "1": 1, "1.0": 1.0}


def dtype_or_error(compute: Callable[[], Any]) -> Any:
    try:
        return compute().dtype
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return type(error).__name__


def dtypes_of(F: Any, left: str, compute: Callable[[Any, Any, Any], Any]) -> dict[str, Any]:
    values = operands(F)
    one = values[left]
    others = {name: b for name, b in values.items() if isinstance(one, F.Tensor) or isinstance(b, F.Tensor)}
    return {name: dtype_or_error(lambda b=b: compute(F, one, b)) for name, b in others.items()}


for _symbol, _compute in BINARY.items():
    for _left in (*(f"{kind} {shape}" for shape in ("vector", "0-d") for kind in KINDS), "True", "1", "1.0"):
        _scenario = functools.partial(dtypes_of, left=_left, compute=_compute)
        behaviours(f"I04: {_left} {_symbol} each other operand")(_scenario)


@behaviours(
    "I04: the tables' errors: subtracting bools", error=RuntimeError, says="Subtraction, the `-` operator, with two"
)
def _(F):
    F.tensor([True]) - F.tensor([True])


@behaviours("I04: cat, stack, maximum and matmul of two dtypes")
def _(F):
    pairs = [(F.ones(2, dtype=getattr(F, a)), F.ones(2, dtype=getattr(F, b))) for a in KINDS for b in KINDS]
    joined = [(F.cat([a, b]).dtype, F.stack([a, b]).dtype, F.maximum(a, b).dtype) for a, b in pairs]
    return joined, [dtype_or_error(lambda a=a, b=b: a @ b) for a, b in pairs]


UNARY = (
    *("neg", "abs", "sign", "square", "clone", "relu", "logical_not"),
    *("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "reciprocal"),
)
REDUCTIONS = ("sum", "mean", "prod", "max", "argmax", "any", "all")

for _name in (*UNARY, *REDUCTIONS):

    @behaviours(f"I04: the dtype of {_name}()")
    def _(F, name=_name):
        return {kind: dtype_or_error(getattr(F.ones(2, dtype=getattr(F, kind)), name)) for kind in KINDS}


@behaviours("I04: the sum of bools counts")
def _(F):
    x = F.tensor([True, True, False])
    return x.sum(), x.int().sum().dtype, x.sum(dtype=F.float32), x.double().mean()


@behaviours("I04: ints divide to float32")
def _(F):
    return F.tensor([1, 2]) / 2, F.tensor(1) / F.tensor(4), 1 / F.tensor([2, 4])


@behaviours("I04: Python's numbers and the dtype that is made of them")
def _(F):
    return F.tensor(1.0).dtype, F.tensor(1).dtype, F.tensor(True).dtype, F.full((1,), 2).dtype, F.full((1,), 2.0).dtype


@behaviours("I04: in place, the dtype of the tensor stays, or the write is refused")
def _(F):
    def written(kind: str, other: Any, name: str) -> Any:
        return getattr(F.ones(2, dtype=getattr(F, kind)), name)(other)

    values = operands(F)
    return {
        f"{kind} {name} {other}": dtype_or_error(lambda kind=kind, name=name, value=value: written(kind, value, name))
        for kind in KINDS
        for name in ("add_", "mul_", "div_")
        for other, value in values.items()
    }


@behaviours(
    "I04: in place, a float does not fit into ints",
    error=RuntimeError,
    says="result type Float can't be cast to the desired output type Long",
)
def _(F):
    x = F.arange(3)
    x += 1.5


@behaviours(
    "I04: in place, an int does not fit into bools",
    error=RuntimeError,
    says="result type Long can't be cast to the desired output type Bool",
)
def _(F):
    F.tensor([True]).add_(1)


@behaviours("I04: the gradient has the dtype of its leaf")
def _(F):
    x, y = F.ones(2, requires_grad=True), F.ones(2, dtype=F.float64, requires_grad=True)
    (x * y * F.arange(2)).sum().backward()
    return x.grad, y.grad


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- where we go further than PyTorch 2.13


def test_copy_is_understood_by_array():
    """numpy 2 asks `__array__` whether to copy; PyTorch 2.13 has no such argument, and numpy warns."""
    x = minigrad.zeros(2)
    for copied in (np.array(x), np.asarray(x, copy=True), x.__array__(copy=True)):
        copied[0] = 5
        assert x.tolist() == [0.0, 0.0]
    for shared in (np.asarray(x, copy=False), np.array(x, copy=False), x.__array__(copy=False)):
        assert np.shares_memory(shared, x.numpy())
    assert np.array(x, dtype=np.float64, copy=True).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype=np.float64, copy=False)


def test_variable_says_what_became_of_it():
    assert "requires_grad=True" in (minigrad.autograd.Variable.__doc__ or "")
    with pytest.raises(TypeError, match="requires_grad=True"):
        minigrad.autograd.Variable([1.0])

"""numpy's functions, operators and numbers together with tensors (A07)."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import NO_NUMPY, matrix, raised

import minigrad

behaviours = Behaviours()


# ---------------------------------------------------------------- as numpy reads tensors


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


behaviours.table(
    ("A07: tensor that requires grad and array", lambda F: leaf(F) * np.ones(2), RuntimeError, NO_NUMPY),
    ("A07: array times tensor", lambda F: np.ones(2) * F.ones(2),
     TypeError, "unsupported operand type(s) for *: 'numpy.ndarray' and"),
    ("A07: array minus tensor", lambda F: np.ones(2) - F.ones(2),
     TypeError, "unsupported operand type(s) for -: 'numpy.ndarray' and"),
    ("A07: array at tensor", lambda F: np.ones((2, 2)) @ F.ones(2),
     TypeError, "unsupported operand type(s) for @: 'numpy.ndarray' and"),
    ("A07: array to the power of tensor", lambda F: np.ones(2) ** F.ones(2),
     TypeError, "unsupported operand type(s) for ** or pow(): "),
    ("A07: array times tensor that requires grad", lambda F: np.ones(2) * leaf(F),
     TypeError, "unsupported operand type(s) for *: 'nu"),
    ("A07: array divided by tensor is the one that works",
     lambda F: by_numpy(lambda: np.ones(2) / F.tensor([1.0, 2.0]))),
)  # fmt: skip


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


test_as_in_torch = behaviours.test()

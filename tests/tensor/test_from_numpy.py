"""Tensors made of arrays: from_numpy, tensor, as_tensor (A07)."""

from __future__ import annotations

import numpy as np
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


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


behaviours.table(
    ("A07: from_numpy takes arrays only", lambda F: F.from_numpy([1.0]), TypeError, "expected np.ndarray (got list)"),
    ("A07: from_numpy takes no number of numpy's", lambda F: F.from_numpy(np.float64(1.0)),
     TypeError, "expected np.ndarray (got numpy.float64)"),
    ("A07: from_numpy of texts", lambda F: F.from_numpy(np.array(["a"])),
     TypeError, "can't convert np.ndarray of type numpy.str_. The only supported types are: "),
    ("A07: from_numpy of objects", lambda F: F.from_numpy(np.array([None])),
     TypeError, "can't convert np.ndarray of type numpy.object_. The only supported types are: "),
    ("A07: from_numpy of dates", lambda F: F.from_numpy(np.array([1], dtype="M8[s]")),
     TypeError, "can't convert np.ndarray of type numpy.datetime64. The only supported types are: "),
    ("A07: from_numpy of foreign byte order", lambda F: F.from_numpy(np.ones(2, ">f4" if np.little_endian else "<f4")),
     ValueError, "given numpy array has byte order different from the native byte order."),
)  # fmt: skip


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


@behaviours("A07: as_tensor shares the array's memory")
def _(F):
    array = np.zeros(2)
    x = F.as_tensor(array)
    array[0] = 5
    return x


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


behaviours.table(
    ("A07: as_tensor makes a tensor of lists and numbers",
     lambda F: (F.as_tensor([1, 2.5]), F.as_tensor(3), F.as_tensor([True]), F.as_tensor(np.float64(2.5)))),
    ("A07: as_tensor of a text", lambda F: F.as_tensor("a"), TypeError, "new(): invalid data type 'str'"),
)  # fmt: skip


test_as_in_torch = behaviours.test()

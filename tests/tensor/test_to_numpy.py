"""`numpy()`, `np.asarray` and `__array__`: shared memory, and the refusal where a gradient would be lost (A07)."""

from __future__ import annotations

import numpy as np
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import NO_NUMPY, matrix

behaviours = Behaviours()


behaviours.table(
    ("A07: numpy() of a leaf that requires grad", lambda F: leaf(F).numpy(), RuntimeError, NO_NUMPY),
    ("A07: numpy() of a result", lambda F: (leaf(F) * 2).numpy(), RuntimeError, NO_NUMPY),
    ("A07: np.asarray of a tensor that requires grad", lambda F: np.asarray(leaf(F)), RuntimeError, NO_NUMPY),
    ("A07: __array__ of a tensor that requires grad", lambda F: leaf(F).__array__(), RuntimeError, NO_NUMPY),
    ("A07: an array of tensors that require grad", lambda F: np.array([leaf(F), leaf(F)]), RuntimeError, NO_NUMPY),
)  # fmt: skip


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


@behaviours("A07: the array of a tensor without dimensions shares its memory")
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


test_as_in_torch = behaviours.test()

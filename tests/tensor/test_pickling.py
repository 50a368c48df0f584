"""pickle: what comes back is a leaf with the same values, dtype and flag."""

from __future__ import annotations

import pickle
from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import matrix

behaviours = Behaviours()


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


test_as_in_torch = behaviours.test()

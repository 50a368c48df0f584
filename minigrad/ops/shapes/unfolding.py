"""Sliding windows over a dimension: unfold.

After this module a reader knows that windows which overlap can still be a view, by strides alone; and that the gradient
of an element is the sum of its gradients in all the windows that it is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.views import storage_start
from minigrad.op import op, tensor_operands
from minigrad.ops.places.strides import storage_of
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("unfold",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


@op(view=True, self=lambda F, g, self_shape, dim, size, step: F.unfold_backward(g, self_shape, dim, size, step))
def unfold(self: Array, dim: int, size: int, step: int) -> Array:
    """Windows of `size` elements along a dimension, `step` apart, with their elements along a new last dimension."""
    if not self.ndim:
        return self.reshape(1)[:size]
    shape, strides = list(self.shape), list(self.strides)
    count = (shape[dim] - size) // step + 1
    windows = np.ndarray(
        (*shape[:dim], count, *shape[dim + 1 :], size),
        self.dtype,
        storage_of(self),
        storage_start(self) * self.itemsize if self.size else 0,
        (*strides[:dim], step * strides[dim], *strides[dim + 1 :], strides[dim]),
    )
    windows.flags.writeable = self.flags.writeable and (step >= size or count <= 1)  # else they share elements
    return windows


@op(self=lambda F, g, dim, size, step: F.unfold(g, dim, size, step))
def unfold_backward(self: Array, shape: tuple[int, ...], dim: int, size: int, step: int) -> Array:
    """Zeros of a shape with windows added where they were taken from."""
    if not shape:
        return np.add.reduce(self)
    out = np.zeros(shape, self.dtype)
    lead, count = (slice(None),) * dim, self.shape[dim]
    for place in range(size if count else 0):
        out[(*lead, slice(place, place + (count - 1) * step + 1, step))] += self[..., place]
    return out


# ---------------------------------------------------------------- as the learner calls it

_unfold = unfold


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:  # type: ignore[no-redef]
    """Windows of `size` elements along `dimension`, `step` apart, as a view; their elements are the last dimension.

    RuntimeError if the size is negative or more than there is, or the step is not positive.
    """
    (input,) = tensor_operands("unfold", input)
    dim = wrap_dim(dimension, input.ndim)
    there = input.shape[dim] if input.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > there:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {there} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return _unfold(input, dim, size, step)

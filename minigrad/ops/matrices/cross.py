"""The cross product of vectors in space: cross and linalg.cross.

After this module a reader knows that the gradient of a cross product is two cross products.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op, size_mismatch
from minigrad.ops.matrices.matmul import refuse_bools, require_tensors
from minigrad.ops.shapes.expanding import unbroadcast
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("cross",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("cross",)  # those that take out=


@op(
    self=lambda F, g, other, dim, self_shape: unbroadcast(F, F.linalg_cross(other, g, dim), self_shape),
    other=lambda F, g, self, dim, other_shape: unbroadcast(F, F.linalg_cross(g, self, dim), other_shape),
)
def linalg_cross(self: Array, other: Array, dim: int) -> Array:
    """The vectors at right angles to two others, along a dimension of size 3 (counted from the last)."""
    a, b = np.moveaxis(self, dim, 0), np.moveaxis(other, dim, 0)
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dim)


# ---------------------------------------------------------------- as the learner calls them

_linalg_cross = linalg_cross


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vectors at right angles to two others, along a dimension of size 3: `dim`, or (an old way) the first such."""
    require_tensors("cross", input=input, other=other)
    if dim is None:
        warnings.warn(
            "Using minigrad.cross without specifying the dim arg is deprecated: name it, as in dim=-1, or use "
            "linalg.cross, which takes the last",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        threes = [d for d, size in enumerate(input.shape) if size == 3]
        if not threes:
            raise RuntimeError("no dimension of size 3 in input: these are products of vectors in space")
        dim = threes[0]
    return linalg_cross(input, other, dim)


def linalg_cross(input: Tensor, other: Tensor, dim: int = -1) -> Tensor:  # type: ignore[no-redef]
    """`linalg.cross`: the vectors at right angles to two others, along `dim`, of size 3. The rest broadcasts."""
    require_tensors("linalg_cross", input=input, other=other)
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    place = wrap_dim(dim, input.ndim)
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if input.shape[place] != 3 or other.shape[place] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[place]} and "
            f"{other.shape[place]}"
        )
    mismatch = size_mismatch("cross", input.shape, other.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_type} but found {other.dtype.tensor_type}: convert one of them"
        )
    refuse_bools("cross", input)
    return _linalg_cross(input, other, place - input.ndim)

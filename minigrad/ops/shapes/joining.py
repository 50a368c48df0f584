"""Several tensors made into one: cat, stack.

Both are one copy, along a dimension that is there (cat) or a new one (stack), and the gradient is cut where the
tensors met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import check_places, op
from minigrad.ops.shapes.views import reshape
from minigrad.public import Tensors, public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    tensors=lambda F, g, tensors_shape, dim: [
        F.basic_index(g, (slice(None),) * dim + (i, ...)) for i in range(len(tensors_shape))
    ]
)
def stack(*tensors: Array, dim: int) -> Array:
    """Arrays of one shape side by side along a new dimension."""
    return np.ascontiguousarray(np.stack(tensors, axis=dim))  # numpy keeps the order of expanded parts


def _cut(F: Any, g: Any, tensors_shape: Sequence[tuple[int, ...]], dim: int) -> list[Any]:
    """The parts of a concatenation's gradient that belong to each input."""
    parts, start = [], 0
    for shape in tensors_shape:
        parts.append(F.basic_index(g, (slice(None),) * dim + (slice(start, start + shape[dim]), ...)))
        start += shape[dim]
    return parts


@op(tensors=_cut)
def cat(*tensors: Array, dim: int) -> Array:
    """Arrays one after the other along a dimension that they have."""
    joined = np.concatenate(tensors, axis=dim)  # in Fortran's order if no part is in C's, expanded ones for example
    return joined if joined.flags.c_contiguous else np.ascontiguousarray(joined)


# ---------------------------------------------------------------- as the learner calls them


@public(name="stack", method=False)
def stack_along(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new dimension `dim`: two of (3,) give (2, 3).

    RuntimeError if there are none, or their shapes differ.
    """
    check_places(*tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for index, item in enumerate(tensors):
        if item.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(item.shape)} at entry {index}"
            )
    return stack(*tensors, dim=wrap_dim(dim, tensors[0].ndim + 1))


@public(name="cat", aliases=("concat",), method=False)
def cat_along(tensors: Tensors, dim: int = 0) -> Tensor:
    """Tensors one after the other along `dim`: (2, 3) and (4, 3) give (6, 3). Their other sizes must agree.

    (As in PyTorch, an empty tensor of one dimension fits beside any others.) ValueError if there are none, RuntimeError
    if they do not fit.
    """
    check_places(*tensors)
    if not tensors:
        raise ValueError("minigrad.cat(): expected a non-empty list of Tensors")
    shapes = [item._array.shape for item in tensors]
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    for index, shape in enumerate(shapes):
        if not shape:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {index}) cannot be concatenated: use stack() for these"
            )
        if len(shape) != len(first) and shape != (0,):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    dim = wrap_dim(dim, len(first))
    for index, shape in enumerate(shapes):
        for d, (own, other) in enumerate(zip(first, shape, strict=False)):
            if d != dim and own != other and shape != (0,):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {own} but got size {other} "
                    f"for tensor number {index} in the list."
                )
    if (0,) in shapes and len(first) > 1:
        nothing = (*first[:dim], 0, *first[dim + 1 :])
        tensors = [reshape(item, nothing) if item._array.shape == (0,) else item for item in tensors]
    return cat(*tensors, dim=dim)

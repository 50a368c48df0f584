"""Several tensors together: side by side, one below the other, on one diagonal, in grids and combinations.

After this module a reader knows that all of these are made of a few views and one copy: hstack is cat, meshgrid is
expand, cartesian_prod is the columns of a grid.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.ops.places.selection import index_select
from minigrad.ops.shapes.arrange import ravel
from minigrad.ops.shapes.shape import cat, expand, stack, unsqueeze, view
from minigrad.tensor import Size, Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = (  # those that take out=
    "concat", "concatenate", "hstack", "vstack", "dstack", "row_stack", "column_stack",
)  # fmt: skip

concat = concatenate = cat


# ---------------------------------------------------------------- at least so many dimensions


def _at_least(function: str, raised: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    """A function of one tensor, applied to each of several."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return raised(tensors[0])
    several = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], Sequence) else tensors
    for tensor in several:
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{function}() received an invalid combination of arguments - got ({type(tensor).__name__}), but "
                "expected tensors"
            )
    return tuple(raised(tensor) for tensor in several)


def _as_vector(input: Tensor) -> Tensor:
    return input if input.ndim else view(input, 1)


def _as_matrix(input: Tensor) -> Tensor:
    if input.ndim == 1:
        return unsqueeze(input, 0)
    return input if input.ndim else view(input, 1, 1)


def _as_block(input: Tensor) -> Tensor:
    if input.ndim == 1:
        return unsqueeze(unsqueeze(input, 0), -1)
    if input.ndim == 2:
        return unsqueeze(input, -1)
    return input if input.ndim else view(input, 1, 1, 1)


def atleast_1d(*tensors: Any) -> Any:
    """A number as a vector of shape (1,), other tensors as they are; several tensors give a tuple."""
    return _at_least("atleast_1d", _as_vector, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Vectors as matrices of one row, as views; several tensors give a tuple."""
    return _at_least("atleast_2d", _as_matrix, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """A vector as (1, n, 1), a matrix as (m, n, 1), as views; several tensors give a tuple."""
    return _at_least("atleast_3d", _as_block, tensors)


# ---------------------------------------------------------------- side by side


def _listed(function: str, tensors: Any, raised: Callable[[Tensor], Tensor]) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    if not tensors:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return [raised(tensor) for tensor in tensor_operands(function, *tensors)]


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along the second dimension; vectors one after the other."""
    items = _listed("hstack", tensors, _as_vector)
    return cat(items, 0 if items[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one below the other: along the first dimension, vectors as rows."""
    return cat(_listed("vstack", tensors, _as_matrix), 0)


row_stack = vstack


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one behind the other: along the third dimension."""
    return cat(_listed("dstack", tensors, _as_block), 2)


def _as_column(input: Tensor) -> Tensor:
    return input if input.ndim > 1 else view(input, input.numel(), 1)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along the second dimension, vectors as columns."""
    return cat(_listed("column_stack", tensors, _as_column), 1)


def _block_sizes(shape: tuple[int, ...]) -> tuple[int, int]:
    rows, columns = (1, 1, *shape)[-2:]
    return rows, columns


def block_parts(F: Any, g: Any, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """The blocks on the diagonal of a gradient."""
    parts, top, left = [], 0, 0
    for shape in shapes:
        rows, columns = _block_sizes(shape)
        block = F.basic_index(g, (slice(top, top + rows), slice(left, left + columns)))
        parts.append(F.reshape(block, shape))
        top, left = top + rows, left + columns
    return parts


@op(name="BlockDiagBackward0", tensors=lambda F, g, tensors_shape: block_parts(F, g, tensors_shape))
def blocks_on_diagonal(*tensors: Array) -> Array:
    """Matrices on the diagonal of a large one of zeros."""
    sizes = [_block_sizes(tensor.shape) for tensor in tensors]
    out = np.zeros([sum(size) for size in zip(*sizes, strict=True)], tensors[0].dtype)
    top = left = 0
    for tensor, (rows, columns) in zip(tensors, sizes, strict=True):
        out[top : top + rows, left : left + columns] = tensor
        top, left = top + rows, left + columns
    return out


def _several(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type(tensor).__name__}")
    return tensors


def block_diag(*tensors: Tensor) -> Tensor:
    """The matrix that has the given ones on its diagonal, and zeros elsewhere; vectors count as rows."""
    if not tensors:
        return from_array(np.zeros((1, 0), np.float32))
    for index, tensor in enumerate(_several(tensors)):
        if tensor.ndim > 2:
            raise RuntimeError(
                f"minigrad.block_diag: Input tensors must have 2 or fewer dimensions. Input {index} has {tensor.ndim} "
                "dimensions"
            )
    return blocks_on_diagonal(*tensors)


# ---------------------------------------------------------------- to one shape


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape that tensors of these shapes have together; an int counts as a shape of one dimension."""
    listed = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    if any(size < 0 for shape in listed for size in shape):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    together: tuple[int, ...] = ()
    for index, shape in enumerate(listed):
        for dim in range(-1, -min(len(together), len(shape)) - 1, -1):
            if shape[dim] != together[dim] and 1 not in (shape[dim], together[dim]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument at "
                    f"index {index} had {shape}; but expected shape should be broadcastable to {list(together)}"
                )
        together = np.broadcast_shapes(together, shape)
    return Size(together)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, expanded to the shape that they have together; those that have it already as they are."""
    shape: tuple[int, ...] = ()
    for tensor in _several(tensors):
        mismatch = size_mismatch("broadcast_tensors", shape, tensor.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
        shape = np.broadcast_shapes(shape, tensor.shape)
    return tuple(tensor if tensor.shape == shape else expand(tensor, shape) for tensor in tensors)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: for each vector, its numbers along a dimension of its own, repeated along the others.

    Args:
        tensors: vectors (or numbers) of one dtype.
        indexing: "ij" to have the dimensions in the order of the vectors; "xy" with the first two exchanged, as
            pictures have them.
    """
    listed = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    if indexing is None:
        warnings.warn(
            "minigrad.meshgrid: in an upcoming release, it will be required to pass the indexing argument. Without it "
            "indexing='ij' is taken.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    if not listed:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    vectors = _several(tuple(listed))
    for vector in vectors:
        if vector.ndim > 1:
            raise RuntimeError(
                f"minigrad.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {vector.ndim}D, of shape "
                f"{list(vector.shape)}"
            )
        if vector.dtype is not vectors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'minigrad.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = 1, 0
    shape = [1] * len(vectors)
    for place, vector in zip(places, vectors, strict=True):
        shape[place] = vector.numel()
    return tuple(
        expand(view(vector, [vector.numel() if d == place else 1 for d in range(len(shape))]), shape)
        for place, vector in zip(places, vectors, strict=True)
    )


def _check_vectors(tensors: tuple[Tensor, ...]) -> None:
    for tensor in _several(tensors):
        if tensor.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor.shape)}")


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element from each vector, as the rows of a matrix; of one vector, that itself."""
    _check_vectors(tensors)
    if len(tensors) == 1:
        return tensors[0]
    return stack([ravel(grid) for grid in meshgrid(*tensors, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of `r` elements of a vector, in order, as the rows of a matrix.

    `with_replacement`: an element may be chosen several times.
    """
    (input,) = tensor_operands("combinations", input)
    _check_vectors((input,))
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return from_array(np.zeros(0, input.dtype.numpy))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    count = math.comb(input.numel() + (r - 1 if with_replacement else 0), r) if input.numel() else 0
    chosen = np.fromiter(itertools.chain.from_iterable(choose(range(input.numel()), r)), np.int64, r * count)
    return view(index_select(input, 0, from_array(chosen)), count, r)

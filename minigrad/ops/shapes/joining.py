"""Several tensors made into one: cat, stack, hstack, vstack, dstack, column_stack, block_diag, and atleast_1d to 3d.

After this module a reader knows that all of these are one copy, along a dimension that is there (cat) or a new one
(stack), and that the gradient is cut where the tensors met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.op import check_places, op
from minigrad.ops.shapes.views import reshape, unsqueeze, view
from minigrad.tensor import Tensor, from_array, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = (  # those that take out=
    "cat", "stack", "concat", "concatenate", "hstack", "vstack", "dstack", "row_stack", "column_stack",
)  # fmt: skip


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


def _rows_and_columns(shape: tuple[int, ...]) -> tuple[int, int]:
    rows, columns = (1, 1, *shape)[-2:]
    return rows, columns


def _diagonal_blocks(F: Any, g: Any, tensors_shape: Sequence[tuple[int, ...]]) -> list[Any]:
    """The blocks on the diagonal of a gradient."""
    parts, top, left = [], 0, 0
    for shape in tensors_shape:
        rows, columns = _rows_and_columns(shape)
        block = F.basic_index(g, (slice(top, top + rows), slice(left, left + columns)))
        parts.append(F.reshape(block, shape))
        top, left = top + rows, left + columns
    return parts


@op(tensors=_diagonal_blocks)
def block_diag(*tensors: Array) -> Array:
    """Matrices on the diagonal of a large one of zeros."""
    sizes = [_rows_and_columns(tensor.shape) for tensor in tensors]
    out = np.zeros([sum(size) for size in zip(*sizes, strict=True)], tensors[0].dtype)
    top = left = 0
    for tensor, (rows, columns) in zip(tensors, sizes, strict=True):
        out[top : top + rows, left : left + columns] = tensor
        top, left = top + rows, left + columns
    return out


# ---------------------------------------------------------------- as the learner calls them

_stack, _cat, _block_diag = stack, cat, block_diag


def all_tensors(values: Sequence[Any]) -> tuple[Tensor, ...]:
    """The values as a tuple; TypeError unless all are tensors."""
    for index, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"expected Tensor as element {index} in argument 0, but got {type(value).__name__}: {value!r}"
            )
    return tuple(values)


def _listed(function: str, tensors: Any) -> tuple[Tensor, ...]:
    """The tensors of a list or tuple; TypeError for anything else."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    return all_tensors(tensors)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:  # type: ignore[no-redef]
    """Tensors of one shape side by side along a new dimension `dim`: two of (3,) give (2, 3).

    RuntimeError if there are none, or their shapes differ.
    """
    items = _listed("stack", tensors)
    check_places(*items)
    if not items:
        raise RuntimeError("stack expects a non-empty TensorList")
    for index, item in enumerate(items):
        if item.shape != items[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(items[0].shape)} at entry 0 and "
                f"{list(item.shape)} at entry {index}"
            )
    return _stack(*items, dim=wrap_dim(dim, items[0].ndim + 1))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:  # type: ignore[no-redef]
    """Tensors one after the other along `dim`: (2, 3) and (4, 3) give (6, 3). Their other sizes must agree.

    (As in PyTorch, an empty tensor of one dimension fits beside any others.) ValueError if there are none, RuntimeError
    if they do not fit.
    """
    items = _listed("cat", tensors)
    check_places(*items)
    if not items:
        raise ValueError("minigrad.cat(): expected a non-empty list of Tensors")
    shapes = [item._array.shape for item in items]
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
        items = tuple(reshape(item, nothing) if item._array.shape == (0,) else item for item in items)
    return _cat(*items, dim=dim)


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
    return input if input.ndim else view(input, (1,))


def _as_matrix(input: Tensor) -> Tensor:
    if input.ndim == 1:
        return unsqueeze(input, 0)
    return input if input.ndim else view(input, (1, 1))


def _as_block(input: Tensor) -> Tensor:
    if input.ndim == 1:
        return unsqueeze(unsqueeze(input, 0), -1)
    if input.ndim == 2:
        return unsqueeze(input, -1)
    return input if input.ndim else view(input, (1, 1, 1))


def atleast_1d(*tensors: Any) -> Any:
    """A number as a vector of shape (1,), other tensors as they are; several tensors give a tuple."""
    return _at_least("atleast_1d", _as_vector, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Vectors as matrices of one row, as views; several tensors give a tuple."""
    return _at_least("atleast_2d", _as_matrix, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """A vector as (1, n, 1), a matrix as (m, n, 1), as views; several tensors give a tuple."""
    return _at_least("atleast_3d", _as_block, tensors)


# ---------------------------------------------------------------- side by side, one below the other, ...


def _raised(function: str, tensors: Any, raised: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """The tensors of a list, each with the dimensions that it lacks."""
    listed = _listed(function, tensors)
    if not listed:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return [raised(tensor) for tensor in listed]


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along the second dimension; vectors one after the other."""
    items = _raised("hstack", tensors, _as_vector)
    return cat(items, 0 if items[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one below the other: along the first dimension, vectors as rows."""
    return cat(_raised("vstack", tensors, _as_matrix), 0)


row_stack = vstack


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one behind the other: along the third dimension."""
    return cat(_raised("dstack", tensors, _as_block), 2)


def _as_column(input: Tensor) -> Tensor:
    return input if input.ndim > 1 else view(input, (input.numel(), 1))


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along the second dimension, vectors as columns."""
    return cat(_raised("column_stack", tensors, _as_column), 1)


def block_diag(*tensors: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The matrix that has the given ones on its diagonal, and zeros elsewhere; vectors count as rows."""
    if not tensors:
        return from_array(np.zeros((1, 0), np.float32))
    for index, tensor in enumerate(all_tensors(tensors)):
        if tensor.ndim > 2:
            raise RuntimeError(
                f"minigrad.block_diag: Input tensors must have 2 or fewer dimensions. Input {index} has {tensor.ndim} "
                "dimensions"
            )
    return _block_diag(*tensors)

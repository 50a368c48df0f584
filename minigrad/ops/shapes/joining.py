"""Several tensors made into one: cat, stack, hstack, vstack.

After this module a reader knows that all of these are one copy, along a dimension that is there (cat) or a new one
(stack), and that the gradient is cut where the tensors met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.op import check_places, op
from minigrad.ops.shapes.views import reshape, unsqueeze, view
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = (  # those that take out=
    "cat", "stack", "concat", "hstack", "vstack",
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


# ---------------------------------------------------------------- as the learner calls them

_stack, _cat = stack, cat


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


concat = cat


def _as_vector(input: Tensor) -> Tensor:
    return input if input.ndim else view(input, (1,))


def _as_matrix(input: Tensor) -> Tensor:
    if input.ndim == 1:
        return unsqueeze(input, 0)
    return input if input.ndim else view(input, (1, 1))


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

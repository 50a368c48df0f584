"""Grids and choices of elements: meshgrid, cartesian_prod, combinations.

After this module a reader knows that a grid is a few vectors, each expanded along the dimensions of the others without
a copy, and that all pairs of two vectors' elements are the columns of such a grid.
"""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import tensor_operands
from minigrad.ops.places.index_select import index_select
from minigrad.ops.shapes.expanding import expand
from minigrad.ops.shapes.joining import all_tensors, stack
from minigrad.ops.shapes.views import ravel, view
from minigrad.tensor import Tensor, from_array


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
    vectors = all_tensors(tuple(listed))
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
    for tensor in all_tensors(tensors):
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
    return view(index_select(input, 0, from_array(chosen)), (count, r))

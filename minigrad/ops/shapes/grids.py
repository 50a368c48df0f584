"""Grids: a few vectors, each expanded along the dimensions of the others without a copy."""

from __future__ import annotations

import warnings
from typing import Any

from minigrad.autograd.blame import frames_to_learner
from minigrad.ops.shapes.expanding import expand
from minigrad.ops.shapes.joining import all_tensors
from minigrad.ops.shapes.views import view
from minigrad.tensor import Tensor


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

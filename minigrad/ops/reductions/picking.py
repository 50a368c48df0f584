"""Elements picked by their index along a dimension: what max, sort, median and their kin have in common.

After this module a reader knows how an answer that was found by searching has a gradient all the same: the search gives
indices, which have none, and the elements at these indices pass their gradient back to where they came from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def take_along_op(node: str) -> Any:
    """One op for each of the names that PyTorch has, by how the indices were found."""

    @op(
        name=node,
        constants=("indices",),
        self=lambda F, g, indices, dim, keepdim, self_shape: F.put_along(g, indices, dim, keepdim, self_shape),
    )
    def take_along(self: Array, indices: Array, dim: int, keepdim: bool) -> Array:
        """The elements at `indices` along `dim`. The gradient goes to these."""
        if not self.ndim:
            return np.array(self)
        if keepdim:
            return np.take_along_axis(self, indices, dim)
        return np.squeeze(np.take_along_axis(self, np.expand_dims(indices, dim), dim), dim)

    return take_along


@op(constants=("indices",), self=lambda F, g, indices, dim, keepdim: F.take_along(g, indices, dim, keepdim))
def put_along(self: Array, indices: Array, dim: int, keepdim: bool, shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input put at `indices` along `dim`."""
    if not shape:
        return np.array(self)
    out = np.zeros(shape, self.dtype)
    if not keepdim:
        self, indices = np.expand_dims(self, dim), np.expand_dims(indices, dim)
    np.put_along_axis(out, indices, self, dim)
    return out


def shared_by_equals(F: Any, g: Any, self: Any, result: Any) -> Any:
    """A gradient in equal parts for all elements that are the result; nan is that of all nans."""
    winners = self != self if result != result else self == result
    return F.where(winners, g / int(winners.sum()), 0)

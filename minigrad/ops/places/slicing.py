"""Parts given by ints and slices: x[1:3], narrow, select.

`x[0]` and `x[1:3]` share the memory of `x`: an int or a slice only changes where a view starts and how far it steps.
The gradient goes back to where the part was taken from, among zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.public import public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def along(dim: int, part: Any) -> tuple[Any, ...]:
    """The index that takes a part (an int or a slice) along one dimension."""
    return (*(slice(None),) * dim, part, ...)


def _basic_op(node: str) -> Any:
    """Indexing by ints, slices, None and `...`: always a view. One op for each of the names that PyTorch has for it."""

    @op(name=node, view=True, self=lambda F, g, self_shape, index: F.index_backward(g, index, self_shape))
    def basic_index(self: Array, index: tuple[Any, ...]) -> Array:
        """The part that ints, slices, None and `...` select."""
        return self[index]

    return basic_index


alias_index, slice_index, unsqueeze_index, select_index = (
    _basic_op(f"{kind}Backward0") for kind in ("Alias", "Slice", "Unsqueeze", "Select")
)


@op(
    name="SelectBackward0",
    view=True,
    self=lambda F, g, self_shape, dim, index: F.index_backward(g, along(dim, index), self_shape),
)
def select_one(self: Array, dim: int, index: int) -> Array:
    """The part at one index along a dimension."""
    return self[along(dim, index)]


# ---------------------------------------------------------------- as the learner calls them


def basic(input: Tensor, parts: tuple[Any, ...]) -> Tensor:
    """`input[parts]` for ints, slices, None and `...`: a view, whose node PyTorch names after the last part."""
    if len(parts) == 2 and parts[1] is Ellipsis and isinstance(parts[0], int | np.integer):
        return select_one(input, 0, int(parts[0]))
    telling = [part for part in parts if part is not Ellipsis and part != slice(None)]
    last = telling[-1] if telling else slice(None) if len(parts) == 2 and parts[0] is not Ellipsis else Ellipsis
    if last is Ellipsis:
        return alias_index(input, parts)
    if last is None:
        return unsqueeze_index(input, parts)
    return slice_index(input, parts) if isinstance(last, slice) else select_index(input, parts)


@public(composed=True)
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` elements from `start` on along `dim`, as a view. RuntimeError or IndexError if there are fewer."""
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_index(input, along(dim, slice(start, start + length)))


@public
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The part at `index` along `dim`, as a view without that dimension. IndexError if there is none."""
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return select_one(input, dim, index)

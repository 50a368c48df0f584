"""The shape of a tensor, which is what `x.shape` and `x.size()` give, and whether two of them broadcast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index: Any) -> Any:
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Size:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Size:
        return Size(tuple(self) * count)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"


def size_mismatch(op_name: str, first: Sequence[int], second: Sequence[int]) -> str | None:
    """Where two shapes do not broadcast, in words; None if they do."""
    for dim in range(-1, -min(len(first), len(second)) - 1, -1):
        if first[dim] != second[dim] and 1 not in (first[dim], second[dim]):
            return (
                f"The size of tensor a ({first[dim]}) must match the size of tensor b ({second[dim]}) at non-singleton "
                f"dimension {max(len(first), len(second)) + dim}. In {op_name}, a has shape {list(first)} and b has "
                f"shape {list(second)}; sizes are compared from the last dimension backwards, and two sizes fit if "
                "they are equal or one of them is 1."
            )
    return None

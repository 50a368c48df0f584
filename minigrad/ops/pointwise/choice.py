"""The choice between two tensors, element by element: where.

After this module a reader knows that a choice passes its gradient to what was chosen, and exactly 0 to the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.ops.places.masks import nonzero
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(
    constants=("condition",),
    self=lambda F, g, condition: F.where(condition, g, 0),
    other=lambda F, g, condition: F.where(condition, 0, g),
    broadcasts=True,
)
def where(condition: Array, self: Array, other: Array) -> Array:
    """Where `condition` (bools) is true the element of input, else that of other."""
    if condition.dtype != np.bool_:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}: try "
            "condition != 0"
        )
    return np.where(condition, self, other)


# ---------------------------------------------------------------- as the learner calls it

_where = where


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:  # type: ignore[no-redef]
    """Where `condition` (bools) is true the element of input, else that of other: tensors or numbers.

    With a condition alone: where it is true, as one tensor of indices per dimension.
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError(
            "where() received an invalid combination of arguments: give (condition, input, other), or the condition "
            "alone to be told where it is true"
        )
    return _where(condition, input, other)


METHODS: tuple[str, ...] = ()  # `x.where(condition, other)` has another order of arguments: see methods.py
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form
OUT: tuple[str, ...] = ("where",)  # those that take out=

"""nan and inf: isnan, isinf, isfinite, nan_to_num.

After this module a reader knows how to find what a computation should not have given, and that a number put in the
place of it has no gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op()
def isnan(self: Array) -> Array:
    """Whether each element is nan, "not a number"."""
    return np.isnan(self)


@op()
def isinf(self: Array) -> Array:
    """Whether each element is inf or -inf."""
    return np.isinf(self)


@op()
def isfinite(self: Array) -> Array:
    """Whether each element is neither inf nor -inf nor nan."""
    return np.isfinite(self)


@op(self=lambda F, g, self: g * F.isfinite(self))
def nan_to_num(self: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    """The input with numbers in the place of nan and of both kinds of inf."""
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


# ---------------------------------------------------------------- as the learner calls them

_nan_to_num = nan_to_num


def nan_to_num(  # type: ignore[no-redef]
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """The input with numbers in the place of nan (0), of inf (the largest float) and of -inf (the lowest)."""
    return _nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


nan_to_num_ = in_place(nan_to_num, "nan_to_num_")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "isnan", "isinf", "isfinite", "nan_to_num", "nan_to_num_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ()  # those whose in-place form is a method only
OUT: tuple[str, ...] = ("nan_to_num",)  # those that take out=

"""Questions about elements: their answers are bools and have no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(broadcasts=True)
def eq(self: Array, other: Array) -> Array:
    """input == other, element by element."""
    return self == other


@op(broadcasts=True)
def ne(self: Array, other: Array) -> Array:
    """input != other, element by element."""
    return self != other


@op(broadcasts=True)
def lt(self: Array, other: Array) -> Array:
    """input < other, element by element."""
    return self < other


@op(broadcasts=True)
def le(self: Array, other: Array) -> Array:
    """input <= other, element by element."""
    return self <= other


@op(broadcasts=True)
def gt(self: Array, other: Array) -> Array:
    """input > other, element by element."""
    return self > other


@op(broadcasts=True)
def ge(self: Array, other: Array) -> Array:
    """input >= other, element by element."""
    return self >= other


@op(broadcasts=True)
def bitwise_and(self: Array, other: Array) -> Array:
    """input & other; for bools, whether both are true."""
    return _bits(np.bitwise_and, self, other)


@op(broadcasts=True)
def bitwise_or(self: Array, other: Array) -> Array:
    """input | other; for bools, whether either is true."""
    return _bits(np.bitwise_or, self, other)


@op(broadcasts=True)
def bitwise_xor(self: Array, other: Array) -> Array:
    """input ^ other; for bools, whether just one is true."""
    return _bits(np.bitwise_xor, self, other)


def _bits(combine: Any, self: Array, other: Array) -> Array:
    if self.dtype.kind == "f":
        np.broadcast(self, other)  # shapes that do not fit are the first thing to say
        raise NotImplementedError(
            f"\"{combine.__name__}_cpu\" not implemented for '{dtypes.of(self).tensor_type}': floats have no bits to "
            "combine. Compare first, as in (x > 0) & (y > 0)."
        )
    return combine(self, other)


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


@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    return ~self

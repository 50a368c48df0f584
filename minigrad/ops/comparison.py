"""Questions about elements: their answers are bools and have no gradient."""

from __future__ import annotations

from typing import Any

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
    return self & other


@op(broadcasts=True)
def bitwise_or(self: Array, other: Array) -> Array:
    """input | other; for bools, whether either is true."""
    return self | other


@op(broadcasts=True)
def bitwise_xor(self: Array, other: Array) -> Array:
    """input ^ other; for bools, whether just one is true."""
    return self ^ other


@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    return ~self

"""The bits of integers, and bools as single bits: bitwise_and, bitwise_or, bitwise_xor, bitwise_not, and shifts.

After this module a reader knows what `&`, `|`, `^`, `~`, `<<` and `>>` do, and why conditions on tensors are joined
with `&` and `|`: Python's `and` and `or` would ask for one answer to the whole tensor. None of these has a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.ops.operands import integers_only
from minigrad.tensor import Tensor
from minigrad.writing import augmented, in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


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
    """A ufunc of bits, with PyTorch's error for floats."""
    if self.dtype.kind == "f":
        np.broadcast(self, other)  # shapes that do not fit are the first thing to say
        raise NotImplementedError(
            f"\"{combine.__name__}_cpu\" not implemented for '{dtypes.of(self).tensor_type}': floats have no bits to "
            "combine. Compare first, as in (x > 0) & (y > 0)."
        )
    return combine(self, other)


@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    return ~self


@op(broadcasts=True)
def bitwise_left_shift(self: Array, other: Array) -> Array:
    """The bits of input shifted left by other places: input * 2**other."""
    integers_only("lshift_cpu", self)
    return np.left_shift(self, other)


@op(broadcasts=True)
def bitwise_right_shift(self: Array, other: Array) -> Array:
    """The bits of input shifted right by other places: input // 2**other."""
    integers_only("rshift_cpu", self)
    return np.right_shift(self, other)


# ---------------------------------------------------------------- operators


def _shifts_left(self: Tensor, other: Any) -> Tensor:
    return bitwise_left_shift(other, self)


def _shifts_right(self: Tensor, other: Any) -> Tensor:
    return bitwise_right_shift(other, self)


__lshift__, __rshift__ = bitwise_left_shift, bitwise_right_shift
__rlshift__, __rrshift__ = _shifts_left, _shifts_right
__ilshift__ = augmented(in_place(bitwise_left_shift, "__ilshift__"), "<<=", "__rlshift__")
__irshift__ = augmented(in_place(bitwise_right_shift, "__irshift__"), ">>=", "__rrshift__")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift",
    "__lshift__", "__rshift__", "__rlshift__", "__rrshift__", "__ilshift__", "__irshift__",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = (  # those that have an in-place form as a method
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift",
)  # fmt: skip
OUT: tuple[str, ...] = (  # those that take out=
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift",
)  # fmt: skip

"""The bits of integers, and bools as single bits: bitwise_and, bitwise_or, bitwise_xor, bitwise_not.

Conditions on tensors are joined with `&` and `|`: Python's `and` and `or` would ask for one answer to the whole tensor.
None of these has a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import op
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _refuse_floats(name: str, *arrays: Array) -> None:
    """Raise, in the name of PyTorch's kernel, if an array holds floats."""
    if arrays[0].dtype.kind == "f":
        np.broadcast(*arrays)  # shapes that do not fit are the first thing to say
        raise NotImplementedError(
            f"\"{name}_cpu\" not implemented for '{dtypes.of(arrays[0]).tensor_type}': floats have no bits to combine. "
            "Compare first, as in (x > 0) & (y > 0)."
        )


@op(broadcasts=True)
def bitwise_and(self: Array, other: Array) -> Array:
    """input & other; for bools, whether both are true."""
    _refuse_floats("bitwise_and", self, other)
    return self & other


@op(broadcasts=True)
def bitwise_or(self: Array, other: Array) -> Array:
    """input | other; for bools, whether either is true."""
    _refuse_floats("bitwise_or", self, other)
    return self | other


@op(broadcasts=True)
def bitwise_xor(self: Array, other: Array) -> Array:
    """input ^ other; for bools, whether just one is true."""
    _refuse_floats("bitwise_xor", self, other)
    return self ^ other


@op()
def bitwise_not(self: Array) -> Array:
    """~input; for bools, whether it is false."""
    _refuse_floats("bitwise_not", self)
    return ~self


# ---------------------------------------------------------------- operators


def _inverted(self: Tensor) -> Tensor:
    if self.dtype.is_floating_point:
        raise TypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {self.dtype}: compare "
            "first, as in ~(x > 0)."
        )
    return bitwise_not(self)


__invert__ = _inverted
METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not",
    "__invert__",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = (  # those that have an in-place form as a method
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not",
)  # fmt: skip
OUT: tuple[str, ...] = (  # those that take out=
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not",
)  # fmt: skip

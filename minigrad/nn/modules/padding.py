"""Padding layers: values put around the last one, two or three dimensions.

After this module a reader knows the four kinds: a constant, the mirror image (reflect), the value at the edge
(replicate), and the values of the other end (circular).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.conv import repeated
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor

Padding = int | Sequence[int]


class _Pad(Module):
    """`padding`: how much is put before and after each dimension, the last dimension first, or one number for all."""

    dimensions: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Padding) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.dimensions)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Padding, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A value before and after the last dimension: (before, after)."""

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """A value around images: (left, right, top, bottom), or one number for all."""

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """A value around the last three dimensions: (left, right, top, bottom, front, back), or one number for all."""

    dimensions = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Zeros before and after the last dimension: (before, after)."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Zeros around images: (left, right, top, bottom), or one number for all."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Zeros around the last three dimensions: (left, right, top, bottom, front, back), or one number for all."""


class ReflectionPad1d(_Pad):
    """The mirror image at both ends of the last dimension, without the value at the edge."""

    dimensions, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """The mirror image on all sides of images, without the values at the edge."""

    dimensions, mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """The mirror image on all sides of volumes, without the values at the edge."""

    dimensions, mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """The value at the edge, repeated at both ends of the last dimension."""

    dimensions, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """The values at the edge, repeated on all sides of images."""

    dimensions, mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """The values at the edge, repeated on all sides of volumes."""

    dimensions, mode = 3, "replicate"


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        ranks = (self.dimensions + 1, self.dimensions + 2)
        if input.ndim not in ranks:
            raise ValueError(f"expected {ranks[0]}D or {ranks[1]}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """The values of the other end, at both ends of the last dimension."""

    dimensions = 1


class CircularPad2d(_CircularPad):
    """The values of the opposite side, on all sides of images."""

    dimensions = 2


class CircularPad3d(_CircularPad):
    """The values of the opposite side, on all sides of volumes."""

    dimensions = 3

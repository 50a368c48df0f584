"""Padding layers: numbers put around the last dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from minigrad.nn import functional as F  # noqa: N812  (the name that PyTorch users give it)
from minigrad.nn.modules.conv import repeated
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor

Border = int | Sequence[int]


class _Pad(Module):
    """`padding` says how much is put before and behind each dimension, the last dimension first; one number for all."""

    dimensions: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Border) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self.dimensions)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _Constant(_Pad):
    def __init__(self, padding: Border, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_Constant):
    """A number put before and behind the last dimension."""

    dimensions = 1


class ConstantPad2d(_Constant):
    """A number put around images."""

    dimensions = 2


class ConstantPad3d(_Constant):
    """A number put around the last three dimensions."""

    dimensions = 3


class ZeroPad1d(ConstantPad1d):
    """Zeros put before and behind the last dimension."""

    def __init__(self, padding: Border) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Zeros put around images."""

    def __init__(self, padding: Border) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Zeros put around the last three dimensions."""

    def __init__(self, padding: Border) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_Pad):
    """The last dimension continued by its mirror image, without the number at the edge."""

    dimensions, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Images continued by their mirror images, without the numbers at the edges."""

    dimensions, mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """The last three dimensions continued by their mirror images, without the numbers at the edges."""

    dimensions, mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """The last dimension continued by the number at the edge."""

    dimensions, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Images continued by the numbers at the edges."""

    dimensions, mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """The last three dimensions continued by the numbers at the edges."""

    dimensions, mode = 3, "replicate"


class _Circular(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        ranks = (self.dimensions + 1, self.dimensions + 2)
        if input.ndim not in ranks:
            raise ValueError(f"expected {ranks[0]}D or {ranks[1]}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(_Circular):
    """The last dimension continued from its other end."""

    dimensions = 1


class CircularPad2d(_Circular):
    """Images continued from their other ends."""

    dimensions = 2


class CircularPad3d(_Circular):
    """The last three dimensions continued from their other ends."""

    dimensions = 3

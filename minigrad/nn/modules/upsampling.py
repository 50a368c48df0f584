"""Upsample, which changes the size of images by interpolation."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer
from minigrad.tensor import Tensor


class Upsample(Layer):
    """Resizes (N, C, H, W) to `size`, or by `scale_factor`.

    Args:
        mode: "nearest" or "bilinear".
        align_corners: whether the centers of the corner pixels stay at the corners, rather than the pixels' edges.
        recompute_scale_factor: use the ratio of the rounded sizes as the factor.
    """

    size: Any = None
    scale_factor: Any = None
    mode: str = "nearest"
    align_corners: bool | None = None
    recompute_scale_factor: bool | None = None

    def _set_up(self) -> None:
        factor = self.scale_factor
        if isinstance(factor, tuple):
            self.scale_factor = tuple(map(float, factor))
        else:
            self.scale_factor = float(factor) if factor else None

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        target = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{target}, mode={self.mode!r}"

"""Dropout: zeros by chance.

Dropout multiplies with a random mask. What is kept is scaled up, so that the expected value stays, and evaluation needs
no change. With the same seed the mask is PyTorch's.
"""

from __future__ import annotations

import numpy as np

from minigrad.creation import ones
from minigrad.public import with_checks
from minigrad.random.recipes import in_memory_order, keep_mask
from minigrad.tensor import Tensor, from_array


@with_checks
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element set to 0 with probability `p`, and else divided by 1 - p; in training only.

    `inplace` writes to the input itself.
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or not input.numel():
        return input
    kind = input._array.dtype
    if kind.kind != "f":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.tensor_type}: try input.float()"
        )
    if p == 1:
        mask = np.zeros((), kind)
    else:
        mask = in_memory_order(keep_mask((input.numel(),), 1 - p, kind), input._array) / (1 - p)
    times = from_array(mask[()])
    return input.mul_(times) if inplace else input * times


@with_checks
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """`dropout` of whole channels of images (N, C, H, W)."""
    channels = ones((*input.shape[:2], *(1,) * (input.ndim - 2)), dtype=input.dtype)
    times = dropout(channels, p, training)
    if times is channels:
        return input
    return input.mul_(times) if inplace else input * times

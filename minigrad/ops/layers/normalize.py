"""Inputs divided by a norm of their own numbers: vectors brought to length 1, and local response norm.

After this module a reader knows two normalizations that need neither a mean nor running statistics.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import tensor_operands
from minigrad.ops.matrices.matmul import matmul
from minigrad.ops.pointwise.bounds import clamp_min
from minigrad.ops.reductions.vector_norm import norm
from minigrad.tensor import Tensor, from_array


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` brought to length 1: input / max(its p-norm, eps)."""
    (input,) = tensor_operands("normalize", input)
    made = input / clamp_min(norm(input, p, dim, True), eps).expand(input.shape)
    return made if out is None else out.copy_(made)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """input / (k + alpha * mean of squares) ^ beta, where the mean is over `size` neighbouring channels of (N, C, ...).

    Channels beyond the first and the last count as zeros. (Krizhevsky, Sutskever and Hinton, "ImageNet Classification
    with Deep Convolutional Neural Networks", 2012.)
    """
    (input,) = tensor_operands("local_response_norm", input)
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not input.numel():
        return input
    batch, channels, *space = input.shape
    place = np.arange(channels)
    away = place - place[:, np.newaxis]  # how far the second channel is after the first
    near = from_array(((-(size // 2) <= away) & (away <= (size - 1) // 2)).astype(input._array.dtype) / size)
    squares = (input * input).reshape(batch, channels, math.prod(space))
    means = matmul(near, squares).reshape(input.shape)
    return input / (means * alpha + k) ** beta

"""Inputs divided by a norm of their own numbers: vectors brought to length 1, and local response norm.

After this module a reader knows two normalizations that need neither a mean nor running statistics.
"""

from __future__ import annotations

from typing import Any

from minigrad.op import tensor_operands
from minigrad.ops.pointwise.choices import clamp_min
from minigrad.ops.reductions.vector_norm import norm
from minigrad.tensor import Tensor


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors along `dim` brought to length 1: input / max(its p-norm, eps)."""
    (input,) = tensor_operands("normalize", input)
    made = input / clamp_min(norm(input, p, dim, True), eps).expand(input.shape)
    return made if out is None else out.copy_(made)

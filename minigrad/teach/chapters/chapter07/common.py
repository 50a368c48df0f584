"""What the exercises of chapter 07 share: its name, and numbers in float64."""

from __future__ import annotations

from typing import Any

from minigrad.creation.data import tensor
from minigrad.dtypes import float64
from minigrad.tensor import Tensor

CHAPTER = "07_checking_gradients"


def in_float64(values: Any) -> Tensor:
    """A tensor in float64, as a gradient check wants it."""
    return tensor(values, dtype=float64)

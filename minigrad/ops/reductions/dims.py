"""Which dimensions a reduction reduces, and how its gradient finds back to them.

A result stands for all elements that went into it, so its gradient is handed to each of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.ops.shapes.reshaping import different_dims
from minigrad.public import Dims

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# np.sum, np.prod, np.max and np.min without the microsecond of Python around them; `axis` has to be given.
np_sum: Any = np.add.reduce
np_prod: Any = np.multiply.reduce
np_max: Any = np.maximum.reduce
np_min: Any = np.minimum.reduce


def expand_reduced(F: Any, g: Any, self_shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """A reduction's gradient (or result) repeated along the dimensions that were reduced: all of them for None."""
    if not keepdim:
        g = F.reshape(g, tuple([1 if dim is None or i in dim else size for i, size in enumerate(self_shape)]))
    return F.expand(g, self_shape)


def count(shape: tuple[int, ...], dim: tuple[int, ...] | None) -> int:
    """How many elements of a tensor of this shape become one, if the dimensions `dim` are reduced: None, all."""
    return math.prod(shape if dim is None else [shape[i] for i in dim])


def wrap_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, without repeats; none given means all."""
    wrapped = different_dims(dim, ndim)
    return wrapped if wrapped and ndim else tuple(range(ndim))


def check_dim_given(name: str, keepdim: bool) -> None:
    """TypeError for `keepdim` where all elements become one."""
    if keepdim:
        raise TypeError(f"{name}() received an invalid combination of arguments: keepdim needs a dim")

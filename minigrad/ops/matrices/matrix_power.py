"""A square matrix times itself: matrix_power.

After this module a reader knows that a power takes about log2(n) products, by squaring again and again.
"""

from __future__ import annotations

import numpy as np

from minigrad.ops.matrices.checks import check_square
from minigrad.ops.matrices.inverse import inv
from minigrad.ops.matrices.matmul import matmul, require_tensors
from minigrad.ops.places.overwrite import copied
from minigrad.tensor import Tensor, from_array

METHODS = ("matrix_power",)  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("matrix_power",)  # those that take out=


def matrix_power(input: Tensor, n: int) -> Tensor:
    """A square matrix (or a batch of them) times itself, n times; of its inverse, if n is negative.

    By repeated squaring: about log2(n) products.
    """
    require_tensors("matrix_power", input=input)
    if not isinstance(n, int):
        raise TypeError(f"matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    check_square("linalg.matrix_power", input)
    if n == 0:
        return copied(input.clone(), from_array(np.eye(input.shape[-1], dtype=input.dtype.numpy)))
    square = inv(input) if n < 0 else input
    if abs(n) == 1:
        return square if n < 0 else input.clone()
    result, left = None, abs(n)
    while left:
        if left % 2:
            result = square if result is None else matmul(result, square)
        left //= 2
        square = matmul(square, square) if left else square
    return result  # type: ignore[return-value]

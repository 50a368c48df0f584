"""What the functions of linear algebra check of their arguments, and the error for what cannot be computed.

After this module a reader knows what counts as a matrix here: a tensor of two or more dimensions, of which the last two
are rows and columns and the others count the matrices of a batch.
"""

from __future__ import annotations

from typing import Any

from minigrad.tensor import Tensor


class LinAlgError(RuntimeError):
    """What is asked of a matrix cannot be computed: it is singular, not positive-definite, or not finite."""


def check_matrix(function: str, input: Any, name: str = "A") -> None:
    """Raise unless the input is a tensor with rows and columns."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{function.replace('.', '_')}(): argument '{name}' (position 1) must be Tensor, not "
            f"{type(input).__name__}: make it one first, as in tensor(...)"
        )
    if input.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor {name} must have at least 2 dimensions. It has {input.ndim}.")


def check_square(function: str, input: Any, name: str = "A") -> None:
    """Raise unless the input is a square matrix, or a batch of them."""
    check_matrix(function, input, name)
    rows, columns = input.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{function}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def check_floating(function: str, input: Tensor) -> None:
    """Raise unless the input has a dtype that can be computed with here: float32 or float64."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(
            f"{function}: Expected a floating point or complex tensor as input. Got {input.dtype.tensor_type}: convert "
            "it first, as in x.float()"
        )
    if input.dtype.itemsize < 4:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {input.dtype.tensor_type}")

"""Messages and small tensors that several files of this folder begin from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ONLY_FLOATING = "Only Tensors of floating point and complex dtype can require gradients"
NO_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
TO_SCALAR = "UserWarning: Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior."
COPY_CONSTRUCT = "UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()"


def matrix(F: Any) -> Any:
    return F.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])


def raised(call: Callable[[], Any]) -> str:
    """The type of the error of a call, where a table has errors beside values."""
    try:
        return f"gives {call()}"
    except Exception as error:
        return type(error).__name__

"""Gradients brought back to the shape and dtype of their inputs, where these were broadcast or promoted.

No op's rule undoes broadcasting: a value that was used several times answers for all of them, so its gradient is the
sum, and the engine sums for all ops alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.batching import Batched, batched
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.namespaces import arrays, tensors
from minigrad.tensor_base import TensorBase

if TYPE_CHECKING:
    from minigrad.autograd.node import Node


def fit(node: Node, outgoing: tuple[Any, ...]) -> tuple[Any, ...]:
    """A node's outgoing gradients in the shapes and dtypes of its inputs."""
    if node._targets is None:
        return outgoing
    fitting = list(outgoing)
    with enable_grad():
        for index, target in enumerate(node._targets):
            if target is not None and fitting[index] is not None:
                fitting[index] = to_dtype(sum_to_shape(fitting[index], target[0]), target[1])
    return tuple(fitting)


def sum_to_shape(gradient: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum a gradient (array or tensor) over the dimensions along which its input was repeated."""
    return gradient if tuple(gradient.shape) == shape else _functions(gradient).sum_to(gradient, shape)


def to_dtype(gradient: Any, dtype: np.dtype[Any]) -> Any:
    """Bring a gradient (array or tensor) to its input's numpy dtype."""
    own = gradient._array.dtype if isinstance(gradient, TensorBase) else gradient.dtype
    return gradient if own == dtype else _functions(gradient).cast(gradient, dtype)


def _functions(gradient: Any) -> Any:
    return tensors if isinstance(gradient, TensorBase) else batched if gradient.__class__ is Batched else arrays

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
    pairs = zip(outgoing, node._targets, strict=True)
    return tuple([g if g is None or target is None else fit_gradient(g, *target) for g, target in pairs])


def fit_gradient(gradient: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A gradient (array, tensor or batch) in its input's shape, summed where the input was repeated, and dtype."""
    if isinstance(gradient, TensorBase):
        with enable_grad():
            return _fit_with(tensors, gradient, gradient._array.dtype, shape, dtype)
    return _fit_with(batched if gradient.__class__ is Batched else arrays, gradient, gradient.dtype, shape, dtype)


def _fit_with(F: Any, gradient: Any, own: np.dtype[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    if gradient.shape != shape:
        gradient = F.sum_to(gradient, shape)
    return gradient if own == dtype else F.cast(gradient, dtype)

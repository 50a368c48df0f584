"""Gradients brought back to the shape and dtype of their inputs, where these were broadcast or promoted.

No op's rule undoes broadcasting: a value that was used several times answers for all of them, so its gradient is the
sum, and the engine sums for all ops alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.batching import Batched, batched
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.namespaces import arrays, tensors
from minigrad.autograd.node import Node
from minigrad.tensor_base import TensorBase


def fit(node: Node, outgoing: tuple[Any, ...]) -> tuple[Any, ...]:
    """A node's outgoing gradients in the shapes and dtypes of its inputs."""
    if node._targets is None:
        return outgoing
    pairs = zip(outgoing, node._targets, strict=True)
    try:
        return tuple([g if g is None or target is None else fit_gradient(g, *target) for g, target in pairs])
    except (ValueError, RuntimeError):  # a hook gave another tensor than the one that was saved
        for index, (g, target) in enumerate(zip(outgoing, node._targets, strict=True)):
            if g is not None and target is not None and not sums_to(g.shape, target[0]):
                raise invalid_gradient(node, index, g.shape, target[0]) from None
        raise


def sums_to(shape: tuple[int, ...], expected: tuple[int, ...]) -> bool:
    """Whether a gradient can be summed to its input's shape: that is what broadcasts to the gradient's."""
    lead = len(shape) - len(expected)
    return lead >= 0 and all(own in (1, got) for own, got in zip(expected, shape[lead:], strict=True))


def invalid_gradient(node: Node, index: int, got: Sequence[int], expected: Sequence[int]) -> RuntimeError:
    """The error for a gradient of a shape that its input cannot have."""
    shapes = f"got {list(got)} but expected shape compatible with {list(expected)}"
    return RuntimeError(f"Function {node.name()} returned an invalid gradient at index {index} - {shapes}")


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

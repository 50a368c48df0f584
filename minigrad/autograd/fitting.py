"""Gradients brought back to the shape and dtype of their inputs, where these were broadcast or promoted.

After this module a reader knows why no op's rule undoes broadcasting: a value that was used several times answers for
all of them, so its gradient is the sum, and the engine sums for all ops alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd import batching
from minigrad.autograd.batching import Batched
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.graph import Node
from minigrad.tensor import Tensor


def fitted(node: Node, outgoing: tuple[Any, ...]) -> tuple[Any, ...]:
    """Bring gradients back to the shape and dtype of their inputs, where these were broadcast or promoted."""
    fitted = []
    with enable_grad():
        for gradient, target in zip(outgoing, node._targets or (), strict=True):
            fitted.append(
                gradient
                if gradient is None or target is None
                else to_dtype(sum_to_shape(gradient, target[0]), target[1])
            )
    return tuple(fitted)


def sum_to_shape(gradient: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: sum a gradient (array or tensor) over the dimensions along which its input was repeated."""
    return gradient if tuple(gradient.shape) == shape else _functions(gradient).sum_to(gradient, shape)


def to_dtype(gradient: Any, dtype: np.dtype[Any]) -> Any:
    """Bring a gradient (array or tensor) to its input's numpy dtype."""
    own = gradient._array.dtype if isinstance(gradient, Tensor) else gradient.dtype
    return gradient if own == dtype else _functions(gradient).cast(gradient, dtype)


def _functions(gradient: Any) -> Any:
    from minigrad.op import arrays, tensors

    return tensors if isinstance(gradient, Tensor) else batching.batched if gradient.__class__ is Batched else arrays

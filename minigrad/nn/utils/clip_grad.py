"""Clipping gradients: by norm, which scales all by one factor and keeps their direction, or each element by value.

After this module a reader knows how a training step is kept small where gradients explode.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.tensor import Tensor, from_array

Tensors = Tensor | Iterable[Tensor]


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of all parameters, in place, so that their norm as one vector is at most `max_norm`.

    Returns that norm as it was before. RuntimeError if it is inf or nan and error_if_nonfinite.
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
    several = _listed(parameters)
    norm = get_total_norm(_gradients(several), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(several, max_norm, norm, foreach)
    return norm


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors as one vector, which is the norm of their norms. `norm_type` is its p, and may be inf."""
    order = float(norm_type)
    several = _listed(tensors)
    if not several:
        return tensor(0.0)
    kind = np.result_type(*[each._array.dtype for each in several])
    computed = np.promote_types(kind, np.float32)  # the squares of float16 soon are too large for it
    norms = [np.linalg.norm(each._array.reshape(-1).astype(computed, copy=False), order) for each in several]
    total = kind.type(np.linalg.norm(np.array(norms, computed), order))
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return from_array(total)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients by max_norm / total_norm, in place, where that is less than 1."""
    with no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for gradient in _gradients(_listed(parameters)):
            gradient.mul_(factor.to(gradient.dtype))


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamp each element of the gradients, in place, between -clip_value and clip_value."""
    limit = float(clip_value)
    with no_grad():
        for gradient in _gradients(_listed(parameters)):
            gradient.copy_(gradient.clamp(-limit, limit))


def _listed(tensors: Any) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: list[Tensor]) -> list[Tensor]:
    return [parameter.grad for parameter in parameters if parameter.grad is not None]

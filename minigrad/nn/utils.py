"""Clipping gradients: by norm, which scales all by one factor and keeps their direction, or each element by value.

So a training step is kept small where gradients explode.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.absent import attributes_of, takes_left_out
from minigrad.autograd.blame import warn
from minigrad.autograd.grad_mode import no_grad
from minigrad.ops.silence import silent
from minigrad.tensor import Tensor, from_array

__getattr__ = attributes_of(__name__)


@no_grad()
@takes_left_out
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scale the gradients of all parameters, in place, so that their norm as one vector is at most `max_norm`.

    Args:
        norm_type: the p of the norm; it may be inf.

    Returns that norm as it was before. RuntimeError if it is inf or nan and error_if_nonfinite.
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warn("`parameters` is an empty generator, no gradient clipping will occur.")
    gradients = _gradients(parameters)
    total = _total_norm([each._array for each in gradients], float(norm_type))
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    norm = from_array(total)
    factor = (float(max_norm) / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.dtype))
    return norm


@no_grad()
@takes_left_out
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clamp each element of the gradients, in place, between -clip_value and clip_value."""
    limit = float(clip_value)
    for gradient in _gradients(parameters):
        gradient.copy_(gradient.clamp(-limit, limit))


def _gradients(parameters: Any) -> list[Tensor]:
    several = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in several if parameter.grad is not None]


@silent
def _total_norm(arrays: list[Any], order: float) -> Any:
    """The norm of all arrays as one vector, which is the norm of their norms."""
    if not arrays:
        return np.float32(0)
    kind = np.result_type(*[array.dtype for array in arrays])
    computed = np.promote_types(kind, np.float32)  # the squares of float16 soon are too large for it
    norms = [np.linalg.norm(array.reshape(-1).astype(computed, copy=False), order) for array in arrays]
    return kind.type(np.linalg.norm(np.array(norms, computed), order))

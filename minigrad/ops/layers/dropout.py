"""Dropout: zeros by chance.

After this module a reader knows that dropout multiplies with a random mask, and why what is kept is scaled up: so that
the expected value stays, and evaluation needs no change. With the same seed the mask is PyTorch's.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import tensor_operands
from minigrad.random.recipes import in_memory_order, keep_mask
from minigrad.tensor import Tensor, from_array

# What SELU gives for -inf, with its sign changed: the value that alpha dropout sets (Klambauer and others,
# "Self-Normalizing Neural Networks", 2017).
_ALPHA = 1.7580993408473766


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element set to 0 with probability `p`, and else divided by 1 - p; in training only.

    `inplace` writes to the input itself.
    """
    return _dropped("dropout", input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for SELU: elements are set to its lowest value, and all are scaled and shifted so that mean 0 and
    variance 1 stay. In training only.
    """
    return _dropped("alpha_dropout", input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels of an input (N, C, ...)."""
    return _dropped("feature_alpha_dropout", input, p, training, inplace, channels=True, alpha=True)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of an input (N, C, L) or (C, L) set to 0 with probability `p`, and else divided by 1 - p."""
    _check_probability(p)
    (input,) = tensor_operands("dropout1d", input)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return _of_channels("dropout1d", input, p, training, inplace, input.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of an input (N, C, H, W) set to 0 with probability `p`, and else divided by 1 - p."""
    _check_probability(p)
    (input,) = tensor_operands("dropout2d", input)
    if input.ndim not in (3, 4):
        _warn_of_dimensions("dropout2d", input.ndim, "2 spatial dimensions", "3D or 4D")
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    return _of_channels("dropout2d", input, p, training, inplace, True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of an input (N, C, D, H, W) or (C, D, H, W) set to 0 with probability `p`, and else divided by
    1 - p.
    """
    _check_probability(p)
    (input,) = tensor_operands("dropout3d", input)
    if input.ndim not in (4, 5):
        _warn_of_dimensions("dropout3d", input.ndim, "3 spatial dimensions", "4D or 5D")
    return _of_channels("dropout3d", input, p, training, inplace, input.ndim == 5)


def _warn_of_dimensions(name: str, ndim: int, space: str, kinds: str) -> None:
    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. Note that "
        f"{name} exists to provide channel-wise dropout on inputs with {space}, a channel dimension, and an optional "
        f"batch dimension (i.e. {kinds} inputs).",
        UserWarning,
        stacklevel=frames_to_learner(),
    )


def _of_channels(name: str, input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Dropout of whole channels; without a batch dimension one is put in front meanwhile."""
    if not batched:
        input = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    out = _dropped(name, input, p, training, inplace, channels=True)
    if not batched:
        out = out.squeeze_(0) if inplace else out.squeeze(0)
    return out


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(
    name: str,
    input: Any,
    p: float,
    training: bool,
    inplace: bool,
    channels: bool = False,
    alpha: bool = False,
) -> Tensor:
    """The input times a random mask; for alpha dropout plus another one."""
    _check_probability(p)
    (input,) = tensor_operands(name, input)
    if p == 0 or not training or not input.numel():
        return input
    if channels and input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    kind = input._array.dtype
    if kind.kind != "f":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.tensor_type}: dropout scales "
            "what it keeps. Convert the input first, as in x.float()."
        )
    shift = None
    if p == 1:
        mask = np.zeros((), kind)
    else:
        if channels:
            mask = keep_mask((*input.shape[:2], *[1] * (input.ndim - 2)), 1 - p, kind)
        else:
            mask = in_memory_order(keep_mask((input.numel(),), 1 - p, kind), input._array)
        if alpha:
            factor = 1 / math.sqrt((_ALPHA**2 * p + 1) * (1 - p))
            shift = from_array((mask - 1) * (_ALPHA * factor) + _ALPHA * factor * p)
            mask = mask * factor
        else:
            mask = mask / (1 - p)
    times = from_array(mask[()])
    out = input.mul_(times) if inplace else input * times
    if shift is None:
        return out
    return out.add_(shift) if inplace else out + shift

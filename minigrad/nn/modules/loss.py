"""Losses as layers: the number that training makes small.

Each is its formula for one element or one example. `reduction` says how these are put together: "mean", "sum", or
"none", which returns them all. The computation is in `minigrad.ops.losses`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer
from minigrad.tensor import Tensor


class _Loss(Layer):
    _shown = ()
    _: KW_ONLY
    reduction: str = "mean"


class L1Loss(_Loss, function=F.l1_loss):
    """|input - target|."""


class MSELoss(_Loss, function=F.mse_loss):
    """(input - target)²."""


class SmoothL1Loss(_Loss, function=F.smooth_l1_loss):
    """d² / (2 beta) where d = |input - target| is less than beta, else d - beta / 2."""

    _: KW_ONLY
    beta: float = 1.0


class HuberLoss(_Loss, function=F.huber_loss):
    """d² / 2 where d = |input - target| is less than delta, else delta * (d - delta / 2)."""

    reduction: str = "mean"
    delta: float = 1.0

    def _set_up(self) -> None:
        if not isinstance(self.delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


class CrossEntropyLoss(_Loss, function=F.cross_entropy):
    """-log(softmax(input)[target]).

    The input (N, C, ...) holds a score for each class. The target (N, ...) holds the right class, as int64; or it is
    (N, C, ...) and holds a probability for each class.

    Args:
        weight: (C,), a factor for each class.
        ignore_index: a target class that is left out.
        label_smoothing: the part of each target that is spread evenly over all classes.
    """

    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100
    label_smoothing: float = 0.0


class NLLLoss(_Loss, function=F.nll_loss):
    """-input[target]: input (N, C, ...) holds a log-probability for each class, target (N, ...) the right class.

    Args:
        weight: (C,), a factor for each class.
        ignore_index: a target class that is left out.
    """

    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100


class BCELoss(_Loss, function=F.binary_cross_entropy):
    """-(target * log(input) + (1 - target) * log(1 - input)), for an input of probabilities."""


class BCEWithLogitsLoss(_Loss, function=F.binary_cross_entropy_with_logits):
    """BCELoss of sigmoid(input), computed without overflow. `pos_weight`: a factor for the targets that are 1."""

    _: KW_ONLY
    pos_weight: Tensor | None = None

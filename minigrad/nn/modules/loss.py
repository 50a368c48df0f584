"""Losses as layers: the number that training makes small.

Each is its formula for one element or one example. `reduction` says how these are put together: "mean", "sum", or
"none", which returns them all. The computation is in `minigrad.ops.losses`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, ClassVar

from minigrad.nn import functional as F
from minigrad.nn.modules.layer import Layer
from minigrad.tensor import Tensor


class _Loss(Layer):
    """What losses share: the call of their function, with the options."""

    _function: ClassVar[Any]
    _shown = ()
    _: KW_ONLY
    reduction: str = "mean"

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return self._function(input, target, **{name: getattr(self, name) for name in self._options})


class L1Loss(_Loss):
    """|input - target|."""

    _function = staticmethod(F.l1_loss)


class MSELoss(_Loss):
    """(input - target)²."""

    _function = staticmethod(F.mse_loss)


class SmoothL1Loss(_Loss):
    """d² / (2 beta) where d = |input - target| is less than beta, else d - beta / 2."""

    _function = staticmethod(F.smooth_l1_loss)
    _: KW_ONLY
    beta: float = 1.0


class HuberLoss(_Loss):
    """d² / 2 where d = |input - target| is less than delta, else delta * (d - delta / 2)."""

    _function = staticmethod(F.huber_loss)
    reduction: str = "mean"
    delta: float = 1.0

    def _set_up(self) -> None:
        if not isinstance(self.delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


class CrossEntropyLoss(_Loss):
    """-log(softmax(input)[target]).

    The input (N, C, ...) holds a score for each class. The target (N, ...) holds the right class, as int64; or it is
    (N, C, ...) and holds a probability for each class.

    Args:
        weight: (C,), a factor for each class.
        ignore_index: a target class that is left out.
        label_smoothing: the part of each target that is spread evenly over all classes.
    """

    _function = staticmethod(F.cross_entropy)
    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100
    label_smoothing: float = 0.0


class NLLLoss(_Loss):
    """-input[target]: input (N, C, ...) holds a log-probability for each class, target (N, ...) the right class.

    Args:
        weight: (C,), a factor for each class.
        ignore_index: a target class that is left out.
    """

    _function = staticmethod(F.nll_loss)
    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100


class BCELoss(_Loss):
    """-(target * log(input) + (1 - target) * log(1 - input)), for an input of probabilities."""

    _function = staticmethod(F.binary_cross_entropy)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(input), computed without overflow. `pos_weight`: a factor for the targets that are 1."""

    _function = staticmethod(F.binary_cross_entropy_with_logits)
    _: KW_ONLY
    pos_weight: Tensor | None = None

"""Normalization layers: inputs are brought to mean 0 and variance 1, then scaled and shifted by learned parameters.

After this module a reader knows what each layer takes the mean over: BatchNorm over the batch, which is why it keeps
running statistics for evaluation; LayerNorm, GroupNorm, InstanceNorm and RMSNorm within each example.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from minigrad import dtypes
from minigrad.creation.data import ones, tensor, zeros
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor


def _shape_of(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(normalized_shape) if isinstance(normalized_shape, Sequence) else (normalized_shape,)


class _Affine(Module):
    """A layer that ends with a learned scale `weight` and shift `bias`, which begin as 1 and 0."""

    weight: Parameter | None
    bias: Parameter | None

    def _register_affine(self, size: Sequence[int], affine: bool, bias: bool, device: Any, dtype: Any) -> None:
        self.register_parameter("weight", empty_parameter(size, device, dtype) if affine else None)
        self.register_parameter("bias", empty_parameter(size, device, dtype) if affine and bias else None)

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class _NormBase(_Affine):
    """What batch norm and instance norm share: a scale and a shift for each channel, and running statistics."""

    _version = 2
    input_ranks: ClassVar[tuple[int, ...]]  # how many dimensions the input may have
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._register_affine((num_features,), affine, bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=dtypes.int64) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1 and the count of batches to 0."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0, and forget the running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in self.input_ranks:
            expected = " or ".join(f"{rank}D" for rank in self.input_ranks)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _complete_state(self, state: dict[str, Any], prefix: str, version: int) -> None:
        if version < 2 and self.num_batches_tracked is not None:  # plain dictionaries have no version, either
            state.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = self.momentum or 0.0
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches so far
                momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            by_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """(input - mean) / sqrt(var + eps) * weight + bias for each channel of (N, C) or (N, C, L).

    In training, mean and var are those of the batch, and the running ones are moved towards them; in evaluation they
    are the running ones. Ioffe and Szegedy, "Batch normalization" (2015).

    Args:
        num_features: C, the number of channels.
        eps: added to the variance, so that nothing is divided by 0.
        momentum: by what part of the way the running statistics move with each batch; None for the plain mean over
            all batches.
        affine: whether there are a learned weight and bias for each channel.
        track_running_stats: whether there are running statistics; without them, evaluation uses the batch's, too.
        bias: with False, there is only a weight.

    ValueError for an input with another number of dimensions.
    """

    input_ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for images (N, C, H, W): mean and variance over N, H and W."""

    input_ranks = (4,)


class LayerNorm(_Affine):
    """(input - mean) / sqrt(var + eps) * weight + bias, mean and var over the last dimensions of each example.

    weight and bias have the shape `normalized_shape`, which is that of the last dimensions. Ba et al., "Layer
    normalization" (2016).

    Args:
        normalized_shape: the sizes of the last dimensions; a number for the last alone.
        eps: added to the variance, so that nothing is divided by 0.
        elementwise_affine: whether there are a learned weight and bias.
        bias: with False, there is only a weight.

    RuntimeError if the input's last dimensions differ.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register_affine(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """input / sqrt(mean(input²) + eps) * weight over the last dimensions of each example: LayerNorm without the mean.

    Zhang and Sennrich, "Root mean square layer normalization" (2019).

    Args:
        normalized_shape: the sizes of the last dimensions; a number for the last alone.
        eps: added to the mean square; by default the smallest distance from 1 in the input's dtype.
        elementwise_affine: whether there is a learned weight.
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight", empty_parameter(self.normalized_shape, device, dtype) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the scale to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """(input - mean) / sqrt(var + eps) * weight + bias, mean and var over each group of channels of each example.

    The input is (N, C, ...); weight and bias are (C,). Wu and He, "Group normalization" (2018).

    Args:
        num_groups: how many groups the channels are divided into.
        num_channels: C, a multiple of num_groups.
        eps: added to the variance, so that nothing is divided by 0.
        affine: whether there are a learned weight and bias.
        bias: with False, there is only a weight.

    ValueError if num_channels is no multiple of num_groups.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._register_affine((num_channels,), affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )

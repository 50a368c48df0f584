"""Normalization layers: inputs are brought to mean 0 and variance 1, then scaled and shifted by learned parameters.

They differ in what the mean is taken over: BatchNorm over the batch, which is why it keeps running statistics for
evaluation; LayerNorm, GroupNorm and RMSNorm within each example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

from minigrad import dtypes
from minigrad.creation import ones, tensor, zeros
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer, one_per_dimension
from minigrad.nn.parameter import empty_parameter
from minigrad.tensor import Tensor


class _Normalization(Layer):
    """A layer that ends with a learned scale `weight` and shift `bias`, which begin as 1 and 0."""

    def _make_parameters(self, size: Sequence[int], device: Any, dtype: Any, **wanted: bool) -> None:
        for name, is_wanted in wanted.items():
            self.register_parameter(name, empty_parameter(size, device, dtype) if is_wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                init.constant_(parameter, 1.0 if name == "weight" else 0.0)


class _BatchNorm(_Normalization):
    _version = 2
    _shown, _unnamed = ("num_features", "eps", "momentum", "affine", "bias", "track_running_stats"), 1
    _ranks: ClassVar[tuple[int, ...]]  # how many dimensions the input may have
    num_features: int
    eps: float = 1e-5
    momentum: float | None = 0.1
    affine: bool = True
    track_running_stats: bool = True
    _: KW_ONLY
    bias: Any = True

    def _set_up(self, device: Any, dtype: Any, bias: bool) -> None:
        size, tracked = self.num_features, self.track_running_stats
        self.register_buffer("running_mean", zeros(size, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(size, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=dtypes.int64) if tracked else None)
        self._make_parameters((size,), device, dtype, weight=self.affine, bias=self.affine and bias)

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1 and the count of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0, and forget the running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_rank(self, input: Tensor) -> None:
        if input.ndim not in self._ranks:
            expected = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
        momentum = self.momentum or 0.0
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches so far
                momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input, self.running_mean if tracked else None, self.running_var if tracked else None, self.weight,
            self.bias, by_batch, momentum, self.eps,
        )  # fmt: skip


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

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for images (N, C, H, W): mean and variance over N, H and W."""

    _ranks = (4,)


class LayerNorm(_Normalization, function=F.layer_norm):
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

    _shown, _unnamed = ("normalized_shape", "eps", "elementwise_affine", "bias"), 1
    normalized_shape: Any
    eps: float = 1e-5
    elementwise_affine: bool = True
    bias: Any = True

    def _set_up(self, bias: bool, device: Any, dtype: Any) -> None:
        self.normalized_shape = one_per_dimension(self.normalized_shape, 1)
        affine = self.elementwise_affine
        self._make_parameters(self.normalized_shape, device, dtype, weight=affine, bias=affine and bias)


class RMSNorm(_Normalization):
    """input / sqrt(mean(input²) + eps) * weight over the last dimensions of each example: LayerNorm without the mean.

    Zhang and Sennrich, "Root mean square layer normalization" (2019).

    Args:
        normalized_shape: the sizes of the last dimensions; a number for the last alone.
        eps: added to the mean square; by default the smallest distance from 1 in the input's dtype.
        elementwise_affine: whether there is a learned weight.
    """

    _shown, _unnamed = ("normalized_shape", "eps", "elementwise_affine"), 1
    normalized_shape: Any
    eps: float | None = None
    elementwise_affine: bool = True

    def _set_up(self, device: Any, dtype: Any) -> None:
        self.normalized_shape = one_per_dimension(self.normalized_shape, 1)
        self._make_parameters(self.normalized_shape, device, dtype, weight=self.elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Normalization, function=F.group_norm):
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

    _shown, _unnamed = ("num_groups", "num_channels", "eps", "affine", "bias"), 2
    num_groups: int
    num_channels: int
    eps: float = 1e-5
    affine: bool = True
    _: KW_ONLY
    bias: Any = True

    def _set_up(self, device: Any, dtype: Any, bias: bool) -> None:
        if self.num_channels % self.num_groups != 0:
            raise ValueError(f"num_channels ({self.num_channels}) must be divisible by num_groups ({self.num_groups})")
        self._make_parameters((self.num_channels,), device, dtype, weight=self.affine, bias=self.affine and bias)


class _InstanceNorm(_BatchNorm):
    affine: bool = False
    track_running_stats: bool = False

    def forward(self, input: Tensor) -> Tensor:
        self._check_rank(input)
        if self.track_running_stats:
            raise NotImplementedError("InstanceNorm keeps no running statistics here: leave track_running_stats False")
        batch = input if input.ndim == self._ranks[1] else input.unsqueeze(0)
        if batch.numel() == len(batch) * batch.shape[1]:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
        return F.group_norm(batch, self.num_features, self.weight, self.bias, self.eps).view(input.shape)


class InstanceNorm1d(_InstanceNorm):
    """(input - mean) / sqrt(var + eps) * weight + bias for each channel of each example: GroupNorm with as many groups
    as channels.

    The input is (N, C, L) or (C, L). Ulyanov et al., "Instance normalization" (2016).

    Args:
        num_features: C, the number of channels.
        eps: added to the variance, so that nothing is divided by 0.
        affine: whether there are a learned weight and bias for each channel.
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """InstanceNorm1d for images, (N, C, H, W) or (C, H, W)."""

    _ranks = (3, 4)

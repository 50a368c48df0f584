"""Normalization layers: numbers brought to mean 0 and variance 1, then scaled and shifted by learned weights.

After this module a reader knows which numbers each of them takes the mean of: over the batch (BatchNorm, which keeps
running means for evaluation), or within each example alone (LayerNorm, GroupNorm, InstanceNorm, RMSNorm).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.creation.data import ones, tensor, zeros
from minigrad.nn import functional as F  # noqa: N812  (the name that PyTorch users give it)
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor


class _Affine(Module):
    """A layer that ends with a learned scale and shift, which begin as 1 and 0."""

    weight: Parameter | None
    bias: Parameter | None

    def _add_weights(self, size: Sequence[int], scale: bool, shift: bool, device: Any, dtype: Any) -> None:
        self.register_parameter("weight", empty_parameter(size, device, dtype) if scale else None)
        self.register_parameter("bias", empty_parameter(size, device, dtype) if scale and shift else None)

    def reset_parameters(self) -> None:
        """Begin anew: scale 1, shift 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class _RunningStats(_Affine):
    """A layer that keeps running means and variances of what it saw in training."""

    _version = 2
    ranks: ClassVar[tuple[int, ...]]  # how many dimensions the input may have
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Any,
        dtype: Any,
        bias: bool,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._add_weights((num_features,), affine, bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=dtypes.int64) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was seen."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Begin anew: scale 1, shift 0, nothing seen."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in self.ranks:
            expected = " or ".join(f"{rank}D" for rank in self.ranks)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningStats):
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
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        share = self.momentum or 0.0
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches so far
                share = 1.0 / float(self.num_batches_tracked)
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            of_batch,
            share,
            self.eps,
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *others: Any) -> None:
        key = f"{prefix}num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.num_batches_tracked is not None:
            state_dict.setdefault(key, self.num_batches_tracked)  # what is older, or plain, has no such count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)


class BatchNorm1d(_BatchNorm):
    """Each channel of (N, C) or (N, C, L) normalized over the batch.

    Args:
        eps: what is added to the variance, so that no division is by 0.
        momentum: the share of each new batch in the running mean and variance; None for the mean of all batches.
        affine: whether there are a learned weight and bias for each channel.
        track_running_stats: whether running means are kept, which take the place of the batch's own in evaluation.
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images (N, C, H, W) normalized over the batch; see BatchNorm1d."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of (N, C, D, H, W) normalized over the batch; see BatchNorm1d."""

    ranks = (5,)


class _InstanceNorm(_RunningStats):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        single = input.ndim == self.ranks[0]  # one example, without a batch
        dim = 0 if single else 1
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[dim]}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        normalized = F.instance_norm(
            input.unsqueeze(0) if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )
        return normalized.squeeze(0) if single else normalized


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each example of (N, C, L) or (C, L) normalized by itself."""

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image (N, C, H, W) or (C, H, W) normalized by itself."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each example of (N, C, D, H, W) or (C, D, H, W) normalized by itself."""

    ranks = (4, 5)


class LayerNorm(_Affine):
    """The last dimensions, of shape `normalized_shape`, normalized together, each example by itself."""

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
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._add_weights(self.normalized_shape, elementwise_affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """The last dimensions divided by the root of their mean square: LayerNorm without the mean."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight", empty_parameter(self.normalized_shape, device, dtype) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew: scale 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """The channels of (N, C, ...) in `num_groups` groups, each normalized together, each example by itself."""

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
        self._add_weights((num_channels,), affine, bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """Each number divided by what its neighbours among the channels, `size` of them, amount to."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

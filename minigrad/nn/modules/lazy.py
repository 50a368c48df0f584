"""Lazy layers: the number of inputs is found at the first call.

After this module a reader knows how: the parameters are uninitialized at first; the first call gives them the shapes
that its input needs, draws their values, and makes the layer an ordinary one by changing its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    Sizes,
)
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from minigrad.nn.parameter import UninitializedBuffer, UninitializedParameter
from minigrad.tensor import Tensor


class LazyModuleMixin(Module):
    """What lazy layers share. `initialize_parameters`, called with the first input, gives the parameters their shapes;
    then the layer becomes one of `cls_to_become`.
    """

    cls_to_become: ClassVar[type[Module]]
    weight: Any
    bias: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with no_grad():
            self.initialize_parameters(*args, **kwargs)
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        return self(*args, **kwargs)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters the shapes that this input needs. Override it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _leave_open(self, bias: bool, device: Any, dtype: Any) -> None:
        """Have a weight, and perhaps a bias, whose shapes are found later."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def has_uninitialized_params(self) -> bool:
        """Whether the layer has yet to be called, or to load a state."""
        tensors = (*self._parameters.values(), *self._buffers.values())
        return any(isinstance(tensor, UninitializedParameter | UninitializedBuffer) for tensor in tensors)

    def _load_tensor(self, name: str, own: Tensor, key: str, given: Any, assign: bool) -> str | None:
        if isinstance(own, UninitializedParameter | UninitializedBuffer) and isinstance(given, Tensor):
            if isinstance(given, UninitializedParameter | UninitializedBuffer):
                return None
            own.materialize(given.shape)
        return super()._load_tensor(name, own, key, given, assign)


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose `in_features` is the last size of its first input."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._leave_open(bias, device, dtype)

    def reset_parameters(self) -> None:
        """Draw new weights, once their shape is known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_features` from an input (..., in_features), and draw the weights."""
        features = input.shape[-1]
        if isinstance(self.weight, UninitializedParameter):
            self.in_features = features
            self.weight.materialize((self.out_features, features))
            _materialize(self.bias, self.out_features)
            self.reset_parameters()
        elif features != self.weight.shape[-1]:  # a state was loaded
            raise AssertionError(
                f"The in_features inferred from input: {features} is not equal to in_features from self.weight: "
                f"{self.weight.shape[-1]}"
            )
        self.in_features = features


class _LazyConvolution(LazyModuleMixin):
    """A convolution whose `in_channels` is the number of channels of its first input."""

    dimensions: ClassVar[int]
    in_channels: int
    out_channels: int
    groups: int
    transposed: ClassVar[bool]
    _weight_shape: Callable[[], tuple[int, ...]]

    def reset_parameters(self) -> None:
        """Draw new weights, once their shape is known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_channels` from an input (N, in_channels, ...) or (in_channels, ...), and draw the weights."""
        if input.ndim not in (self.dimensions + 1, self.dimensions + 2):
            raise RuntimeError(
                f"Expected {self.dimensions + 1}D (unbatched) or {self.dimensions + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        if isinstance(self.weight, UninitializedParameter):
            self.in_channels = input.shape[-self.dimensions - 1]
            if self.in_channels % self.groups != 0:
                raise ValueError("in_channels must be divisible by groups")
            self.weight.materialize(self._weight_shape())
            _materialize(self.bias, self.out_channels)
            self.reset_parameters()
        else:  # a state was loaded
            self.in_channels = self.weight.shape[0] if self.transposed else self.weight.shape[1] * self.groups


class _LazyForwardConvolution(_LazyConvolution):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self.out_channels = out_channels
        self._leave_open(bias, device, dtype)


class _LazyTransposedConvolution(_LazyConvolution):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        self.out_channels = out_channels
        self._leave_open(bias, device, dtype)


class LazyConv1d(_LazyForwardConvolution, Conv1d):
    """A Conv1d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyForwardConvolution, Conv2d):
    """A Conv2d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyForwardConvolution, Conv3d):
    """A Conv3d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyTransposedConvolution, ConvTranspose1d):
    """A ConvTranspose1d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposedConvolution, ConvTranspose2d):
    """A ConvTranspose2d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposedConvolution, ConvTranspose3d):
    """A ConvTranspose3d whose `in_channels` is the number of channels of its first input."""

    cls_to_become = ConvTranspose3d


class _LazyNorm(LazyModuleMixin):
    """A normalization whose `num_features` is the number of channels of its first input."""

    num_features: int
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self._leave_open(bias, device, dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0)

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0, and forget the running statistics, once their shape is known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `num_features` from an input (N, num_features, ...)."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            for part in (self.weight, self.bias, self.running_mean, self.running_var):
                _materialize(part, self.num_features)
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A BatchNorm1d whose `num_features` is the number of channels of its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A BatchNorm2d whose `num_features` is the number of channels of its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A BatchNorm3d whose `num_features` is the number of channels of its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """An InstanceNorm1d whose `num_features` is the number of channels of its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """An InstanceNorm2d whose `num_features` is the number of channels of its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """An InstanceNorm3d whose `num_features` is the number of channels of its first input."""

    cls_to_become = InstanceNorm3d


def _materialize(tensor: Tensor | None, size: int) -> None:
    """Give a vector its size, if it has none yet."""
    if isinstance(tensor, UninitializedParameter | UninitializedBuffer):
        tensor.materialize((size,))

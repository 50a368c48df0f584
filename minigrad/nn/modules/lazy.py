"""Lazy layers: Linear, Conv and BatchNorm that learn from the first input how many features come in.

Until then their parameters have no shape. The first call gives them one, draws their values, and makes the layer an
ordinary one: LazyLinear(8) becomes Linear(4, 8), with the same parameters, which an optimizer may hold already.
"""

from __future__ import annotations

import inspect
from typing import Any

from minigrad.creation import zeros
from minigrad.nn.modules.conv import Conv1d, Conv2d, ConvTranspose2d
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.normalization import BatchNorm1d, BatchNorm2d
from minigrad.nn.parameter import Parameter, UninitializedParameter
from minigrad.tensor import Tensor


class LazyModuleMixin:
    """What a lazy layer has before it is an ordinary one.

    It makes the layer with 0 features, so that a 0 in the shape of a tensor says where they belong.
    """

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        super().__init__(0, *args, **options)  # type: ignore[call-arg]
        self._shapes = {name: parameter.shape for name, parameter in self.named_parameters()}
        for parameter in self.parameters():
            parameter.__class__ = UninitializedParameter

    def __call__(self: Any, input: Tensor, *args: Any, **options: Any) -> Any:
        self.initialize_parameters(input)
        return self(input, *args, **options)  # as the ordinary layer that it is now

    def initialize_parameters(self: Any, input: Tensor) -> None:
        """Become the ordinary layer that fits this input."""
        features = input.size(self._dim)
        setattr(self, self._counted, features)
        in_each = features if getattr(self, "transposed", True) else features // self.groups
        waiting = {name: p for name, p in self.named_parameters() if isinstance(p, UninitializedParameter)}
        for name, parameter in waiting.items():
            parameter.materialize([size or in_each for size in self._shapes[name]])
        self.__class__ = self.cls_to_become
        if waiting or not self._shapes:  # else the values come from a state_dict
            self._buffers |= {name: zeros(features, dtype=b.dtype) for name, b in self.named_buffers() if b.ndim}
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Nothing is drawn before the shapes are known."""

    def _apply(self: Any, fn: Any) -> Any:
        waiting: list[Any] = [p for p in self.parameters() if isinstance(p, UninitializedParameter)]
        for parameter in waiting:
            parameter.__class__ = Parameter  # without elements, which has a dtype all the same
        super()._apply(fn)  # type: ignore[misc]
        for parameter in waiting:
            parameter.__class__ = UninitializedParameter
        return self


def _lazy(layer: Any, dim: int) -> Any:
    """The lazy form of a layer: it takes the same arguments but for the first, the number of features."""
    first, *others = inspect.signature(layer).parameters.values()
    members = {"cls_to_become": layer, "_counted": first.name, "_dim": dim, "__signature__": inspect.Signature(others)}
    members["__doc__"] = f"{layer.__name__}({first.name}, ...) without {first.name}."
    return type(f"Lazy{layer.__name__}", (LazyModuleMixin, layer), members)


LazyLinear = _lazy(Linear, -1)
LazyConv1d = _lazy(Conv1d, -2)
LazyConv2d = _lazy(Conv2d, -3)
LazyConvTranspose2d = _lazy(ConvTranspose2d, -3)
LazyBatchNorm1d = _lazy(BatchNorm1d, 1)
LazyBatchNorm2d = _lazy(BatchNorm2d, 1)

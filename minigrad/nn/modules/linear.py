"""Linear layers: every output is a weighted sum of all inputs.

Linear shows how a layer is written: `__init__` makes the parameters, `reset_parameters` sets their first values,
`forward` calls a function of `nn.functional`, and `extra_repr` says what is printed.
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor


class Identity(Module):
    """Returns its input. It takes any arguments, so that it can replace any layer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias: (..., in_features) to (..., out_features).

    weight (out_features, in_features) and bias (out_features,) are first drawn uniformly between -1/sqrt(in_features)
    and 1/sqrt(in_features).

    Args:
        bias: with False, there is only a weight.
    """

    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in_features), device, dtype)
        self.register_parameter("bias", empty_parameter((out_features,), device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # for this `a` the bound is 1 / sqrt(in_features)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"

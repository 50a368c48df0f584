"""What became of Variable: in the first versions of PyTorch a tensor had to be wrapped in one to get a gradient. The
name is kept for old code, here as there.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.blame import type_name
from minigrad.tensor import Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """Not needed any more: write `tensor(..., requires_grad=True)`, or `x.requires_grad_()`.

    `Variable(x)` gives a tensor with the memory of the tensor `x`, as a leaf.
    """

    def __new__(cls, data: Any, requires_grad: bool = False) -> Any:
        if not isinstance(data, Tensor):
            advice = "write tensor(..., requires_grad=True)."
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}: {advice}")
        leaf = data.detach()
        if requires_grad:
            leaf._want_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
        return leaf

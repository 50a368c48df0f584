"""What became of Variable.

In the first versions of PyTorch a tensor had no gradient: it had to be wrapped in a `Variable` first. Since 0.4 every
tensor is one. The name is kept for old code, here as there; after this module a reader of such code knows that
`Variable(x)` is just `x`, without its history.
"""

from __future__ import annotations

from typing import Any

from minigrad.tensor import Tensor, from_array, own_array


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """Not needed any more: write `tensor(..., requires_grad=True)`, or `x.requires_grad_()`.

    `Variable(x)` gives a tensor with the memory of the tensor `x`, as a leaf.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Any:
        if data is None:
            return from_array(own_array(Tensor()))
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Variable data has to be a tensor, but got {type(data).__name__}. A Variable is a tensor since "
                "PyTorch 0.4: write tensor(..., requires_grad=True)."
            )
        return from_array(own_array(data)).requires_grad_(bool(requires_grad))

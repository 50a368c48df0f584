"""What became of Variable.

In the first versions of PyTorch a tensor had no gradient: it had to be wrapped in a `Variable` first. Since 0.4 every
tensor is one. The name is kept for old code, here as there; after this module a reader of such code knows that
`Variable(x)` is just `x`, without its history. (And `volatile`, which is now `no_grad`, was the way to say that
nothing is to be recorded.)
"""

from __future__ import annotations

import warnings
from typing import Any

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.tensor import VOLATILE_WARNING, Tensor


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """Not needed any more: write `tensor(..., requires_grad=True)`, or `x.requires_grad_()`.

    `Variable(x)` gives a tensor with the memory of the tensor `x`, as a leaf.
    """

    def __new__(cls, data: Any = None, requires_grad: Any = False, volatile: Any = False, **others: Any) -> Any:
        for name in others:
            raise TypeError(
                f"'{name}' is an invalid keyword argument for this function: a Variable takes data and requires_grad. "
                "(Better write tensor(..., requires_grad=True).)"
            )
        if volatile:
            warnings.warn(VOLATILE_WARNING, UserWarning, stacklevel=frames_to_learner())
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time! Leave out volatile.")
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Variable data has to be a tensor, but got {type_name(data)}. A Variable is a tensor since "
                "PyTorch 0.4: write tensor(..., requires_grad=True)."
            )
        if requires_grad and not data.dtype.is_floating_point:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients, not "
                f"{data.dtype}: convert it with .float()"
            )
        return data.detach().requires_grad_(bool(requires_grad))

"""Parameter: the tensor that a module registers when it is assigned to an attribute.

A Parameter is an ordinary leaf tensor with requires_grad=True, whose class tells `Module.__setattr__` that it is to be
trained. Whatever is computed from it is a plain Tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.autograd.node import ON_DEMAND
from minigrad.creation import empty
from minigrad.op import tensor_classes
from minigrad.printing import tensor_repr
from minigrad.tensor import Tensor, from_array, own_array, share_outside


class Parameter(Tensor):
    """A tensor that a module trains: `self.weight = Parameter(tensor)` makes it one of `module.parameters()`.

    Args:
        data: a tensor. The parameter shares its memory, but is a leaf of the graph. None gives an empty parameter.
        requires_grad: whether the parameter gets a gradient; under no_grad(), too.

    RuntimeError if requires_grad and `data` has no floating dtype; AttributeError if `data` is not a tensor.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        data = empty(0) if data is None else data
        if not isinstance(data, Tensor):
            text = f"'{type_name(data)}' object has no attribute 'detach'"
            raise AttributeError(f"{text}: a Parameter is made of a tensor of minigrad, as in Parameter(tensor(...))")
        parameter: Parameter = share_outside(cls, data)
        if requires_grad:
            parameter._want_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
        return parameter

    def detach(self) -> Tensor:
        """A plain tensor of this memory, outside the graph."""
        return share_outside(Tensor, self)

    def __deepcopy__(self, memo: dict[int, Parameter]) -> Parameter:
        """A copy with its own memory and without `.grad`; a parameter that is shared in the original is shared in the
        copy.
        """
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        plain = from_array(own_array(self))
        plain._node = self._node and ON_DEMAND
        return "Parameter containing:\n" + tensor_repr(plain)


class UninitializedParameter(Parameter):
    """A parameter of a lazy layer until its first input says which shape it has: an array without elements, which
    nobody may use.
    """

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Parameter:  # type: ignore[misc]
        waiting = super().__new__(Parameter, empty(0, device=device, dtype=dtype), requires_grad)
        waiting.__class__ = cls
        return waiting

    @property
    def _array(self) -> Any:
        text = "Call its layer with a batch first: that gives its parameters their shapes."
        raise ValueError(f"Attempted to use an uninitialized parameter in an operation. {text}")

    def detach(self) -> Tensor:
        return self

    def materialize(self, shape: Sequence[int]) -> None:
        """Become an ordinary parameter of this shape, whose values are yet to be set."""
        self.__class__ = Parameter  # type: ignore[assignment]
        self._array = np.empty(shape, self._array.dtype)  # type: ignore[misc]

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


def empty_parameter(size: Sequence[int], device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose values are yet to be set."""
    return Parameter(empty(tuple(size), device=device, dtype=dtype))


tensor_classes.add(Parameter)  # ops take it as it is

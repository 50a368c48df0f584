"""Parameter and Buffer: tensors that a module takes for its own when they are assigned to it.

After this module a reader knows that a Parameter is a tensor like any other, which requires a gradient and says by its
class that it is to be learned. What is computed from it is a plain tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.autograd.blame import type_name
from minigrad.autograd.graph import ON_DEMAND
from minigrad.layout import _deepcopy
from minigrad.op import tensor_classes
from minigrad.tensor import Tensor, from_array, own_array, share_outside

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that a module learns: `self.weight = Parameter(tensor)` makes it one of `module.parameters()`.

    Args:
        data: a tensor, whose memory is shared; its graph is left behind. Without it, there are no elements.
        requires_grad: whether a gradient is wanted, also if made under no_grad().

    RuntimeError if a gradient is wanted and `data` has no floating dtype.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        made: Parameter = _marked(cls, data)
        if requires_grad:
            made._want_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
        return made

    def detach(self) -> Tensor:
        """This parameter's numbers, in the same memory, outside the graph: a plain tensor."""
        own_array(self)
        return share_outside(object.__new__(Tensor), self)

    def __deepcopy__(self, memo: dict[Any, Any]) -> Parameter:
        """A parameter of its own, without `.grad`."""
        grad, self._grad = self._grad, None
        try:
            copied: Any = _deepcopy(self, memo)
        finally:
            self._grad = grad
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + repr(_plain(self))


class Buffer(Tensor):
    """A tensor that belongs to a module's state but is not learned: `self.mean = Buffer(tensor)` registers it.

    Args:
        data: a tensor, whose memory is shared. Without it, there are no elements.
        persistent: whether it is part of the module's `state_dict`.
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        made: Buffer = _marked(cls, data)
        made._node = ON_DEMAND if data is not None and data.requires_grad else None
        made.persistent = persistent
        return made

    def detach(self) -> Tensor:
        """This buffer's numbers, in the same memory, outside the graph: a plain tensor."""
        own_array(self)
        return share_outside(object.__new__(Tensor), self)

    def __repr__(self) -> str:
        return f"Buffer containing:\n{_plain(self)!r}"


def unfilled(size: Sequence[int], device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose memory is still to be filled."""
    from minigrad.creation.data import empty

    if device is not None and str(device) != "cpu":
        raise RuntimeError(f"Expected one of cpu device type at start of device string: {device}. There is no other.")
    return Parameter(empty(tuple(size), dtype=dtype))


def _marked(kind: type[Any], data: Any) -> Any:
    """A leaf of class `kind` in the memory of a tensor, with which it shares the count of writes."""
    if data is None:
        from minigrad.creation.data import empty

        data = empty(0)
    if not isinstance(data, Tensor):
        raise AttributeError(
            f"'{type_name(data)}' object has no attribute 'detach': a {kind.__name__} is made of a tensor, as in "
            f"{kind.__name__}(tensor(...))"
        )
    own_array(data)
    return share_outside(object.__new__(kind), data)


def _plain(marked: Tensor) -> Tensor:
    """The same as a plain tensor, to be printed."""
    plain = from_array(own_array(marked))
    plain._node = marked._node and ON_DEMAND
    return plain


tensor_classes.update((Parameter, Buffer))  # ops take them as they are

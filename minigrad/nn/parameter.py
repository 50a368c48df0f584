"""Parameter and Buffer: the two kinds of tensor that a module registers when they are assigned to an attribute.

After this module a reader knows that a Parameter is an ordinary leaf tensor with requires_grad=True, whose class tells
`Module.__setattr__` that it is to be trained. Whatever is computed from it is a plain Tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from minigrad.autograd.blame import type_name
from minigrad.autograd.graph import ON_DEMAND
from minigrad.creation.factories import empty
from minigrad.op import tensor_classes
from minigrad.printing import tensor_repr
from minigrad.tensor import Tensor, from_array, own_array, share_outside

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]


class _Registered(Tensor):
    """What Parameter and Buffer share: they print and detach as plain tensors."""

    def detach(self) -> Tensor:
        """The same memory outside the graph, as a plain tensor."""
        own_array(self)
        return share_outside(object.__new__(Tensor), self)

    def __repr__(self) -> str:
        plain = from_array(own_array(self))
        plain._node = self._node and ON_DEMAND
        return tensor_repr(plain)


class Parameter(_Registered):
    """A tensor that a module trains: `self.weight = Parameter(tensor)` makes it one of `module.parameters()`.

    Args:
        data: a tensor. The parameter shares its memory, but is a leaf of the graph. None gives an empty parameter.
        requires_grad: whether the parameter gets a gradient; under no_grad(), too.

    RuntimeError if requires_grad and `data` has no floating dtype; AttributeError if `data` is not a tensor.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        parameter: Parameter = _leaf(cls, data)
        if requires_grad:
            parameter._want_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
        return parameter

    def __deepcopy__(self, memo: dict[Any, Any]) -> Parameter:
        """A copy with its own memory and without `.grad`; a parameter that is shared in the original is shared in the
        copy.
        """
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        copied: Parameter = memo[id(self)]
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(_Registered):
    """A tensor of a module's state that is not trained: `self.mean = Buffer(tensor)` registers it.

    Args:
        data: a tensor, whose memory is shared. None gives an empty buffer.
        persistent: whether it is part of the module's `state_dict`.

    AttributeError if `data` is not a tensor.
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        buffer: Buffer = _leaf(cls, data)
        buffer._node = ON_DEMAND if data is not None and data.requires_grad else None
        buffer.persistent = persistent
        return buffer


class _Uninitialized(Tensor):
    """A tensor of a lazy layer, whose shape is not known yet. Only its dtype can be read and changed; `materialize`
    makes it one of class `_becomes`.

    ValueError for everything that needs its numbers; RuntimeError for its shape.
    """

    _becomes: ClassVar[type[Tensor]]

    def materialize(self, shape: Sequence[int], device: Any = None, dtype: Any = None) -> None:
        """Take on a shape, and values that are yet to be set."""
        values: Any = empty(tuple(shape), device=device, dtype=self.dtype if dtype is None else dtype)
        self.__class__ = self._becomes  # type: ignore[assignment]
        self.data = values

    @property
    def _array(self) -> Any:
        """Where every operation on a tensor begins, and so where one on this tensor ends."""
        raise ValueError(
            "Attempted to use an uninitialized parameter or buffer: its shape is found when the lazy module is called "
            "for the first time. Call it with a batch of inputs before you use it."
        )

    @_array.setter
    def _array(self, array: Any) -> None:
        _ARRAY.__set__(self, array)

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. Call the lazy module with a batch of "
            "inputs, or load its state, before you use its parameters."
        )

    @property
    def data(self) -> Any:
        """This tensor itself: it has no numbers to be shared."""
        return self

    @data.setter
    def data(self, converted: Any) -> None:
        self._array = _ARRAY.__get__(converted)

    @property
    def dtype(self) -> Any:
        return from_array(_ARRAY.__get__(self)).dtype

    def is_floating_point(self) -> bool:
        return bool(self.dtype.is_floating_point)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The same with another dtype."""
        return type(self)(self.requires_grad, dtype=empty(0, dtype=self.dtype).to(*args, **kwargs).dtype)

    def detach(self) -> Any:
        """This tensor itself: so it is in a state_dict."""
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, None, self.dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Uninitialized, Parameter):
    """A Parameter whose shape is not known yet."""

    _becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        parameter: Any = Parameter.__new__(cls, empty(0, device=device, dtype=dtype), requires_grad)
        return parameter


class UninitializedBuffer(_Uninitialized, Buffer):
    """A Buffer whose shape is not known yet."""

    _becomes = Buffer

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> UninitializedBuffer:
        buffer: Any = Buffer.__new__(cls, empty(0, device=device, dtype=dtype, requires_grad=requires_grad))
        return buffer


_ARRAY: Any = Tensor.__dict__["_array"]  # the slot itself, which _Uninitialized hides


def empty_parameter(size: Sequence[int], device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose values are yet to be set."""
    return Parameter(empty(tuple(size), device=device, dtype=dtype))


def _leaf(kind: type[Any], data: Any) -> Any:
    """A leaf of class `kind` in the memory of a tensor. Both share one version, so that writes to either are seen."""
    if data is None:
        data = empty(0)
    if not isinstance(data, Tensor):
        raise AttributeError(
            f"'{type_name(data)}' object has no attribute 'detach': a {kind.__name__} is made of a tensor, as in "
            f"{kind.__name__}(tensor(...))"
        )
    own_array(data)
    return share_outside(object.__new__(kind), data)


tensor_classes.update((Parameter, Buffer))  # ops take them as they are

"""The operators and methods of Tensor: which op each one calls, and the in-place forms.

After this module a reader knows what `x + 1`, `1 - x`, `x.sum()` and `x += 1` run. In-place operations write into the
tensor's memory and count the write, so that a node which saved the old value finds out. Outside of recording
(`no_grad`, or where nothing needs a gradient) that is all; a recorded one also makes the tensor the result of the
operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.op import elementwise_operands, size_mismatch
from minigrad.ops import comparison, elementwise, indexing, linalg, reduction, shape
from minigrad.tensor import Tensor, from_array, own_array

Method = Callable[..., Any]


def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, where one of them may be a number."""
    if isinstance(exponent, Tensor):
        if exponent.dtype is dtypes.bool and (isinstance(input, bool) or getattr(input, "dtype", None) is dtypes.bool):
            raise NotImplementedError("\"pow\" not implemented for 'Bool': convert the tensor first, as in x.long()")
        if isinstance(input, Tensor):
            return elementwise.pow_tensor(input, exponent)
        base, exponent = elementwise_operands("pow", input, exponent)
        return elementwise.pow_of_number(to(exponent, base.dtype), base.item())
    input, number = elementwise_operands("pow", input, exponent)
    if input.dtype is number.dtype is dtypes.bool:
        return from_array((input._array**number._array).astype(np.bool_))  # numpy alone would make bytes of them
    if number.dtype.category < 2 and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed. Convert the tensor first, as in x.float() ** -1."
        )
    return elementwise.pow_number(to(input, number.dtype), number.item())


def to(input: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself if it has that dtype already. Only floating ones stay in the graph."""
    kind = dtype.dtype if isinstance(dtype, Tensor) else dtypes.resolve(dtype, "to")
    if input.dtype is kind:
        return input
    if not kind.is_floating_point:
        return from_array(input._array.astype(kind.numpy))
    return elementwise.cast(input, kind.numpy)


def logical_not(input: Tensor) -> Tensor:
    """Whether each element is false (zero)."""
    return comparison.eq(input, 0)


def _comparing(compare: Method) -> Method:
    """`==` and `!=`, which for anything but tensors and numbers compare as different, as everywhere in Python."""

    def method(self: Tensor, other: Any) -> Any:
        return (
            compare(self, other) if isinstance(other, Tensor | int | float | np.number | np.bool_) else NotImplemented
        )

    return method


def _reflected(function: Method) -> Method:
    return lambda self, other: function(other, self)


# ---------------------------------------------------------------- in place


def _written(self: Tensor, values: Any, name: str) -> Tensor:
    """Write an array into the tensor's memory, and count it."""
    _check_writable(self)
    values = np.asarray(values)
    if values.shape != self.shape and np.broadcast_shapes(values.shape, self.shape) != self.shape:
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(values.shape)}"
        )
    kind = dtypes.from_numpy(values.dtype)
    if kind.category > self.dtype.category:
        raise RuntimeError(
            f"result type {kind.tensor_type} can't be cast to the desired output type {self.dtype.tensor_type}: "
            f"{name} writes into a "
            f"tensor of {self.dtype}. Convert it first, as in x = x.float()."
        )
    np.copyto(own_array(self), values, casting="unsafe")
    self._count_write()
    return self


def _check_writable(self: Tensor) -> None:
    if not own_array(self).flags.writeable:  # numpy protects what broadcast_to returns
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def _fitting(self: Tensor, operand: Any) -> Any:
    """The operand's array, if it can be combined with the tensor's without changing dtype or shape."""
    if isinstance(operand, Tensor) and operand._array.dtype is self._array.dtype and self._array.dtype.kind == "f":
        array = operand._array
        if array.ndim == 0 or array.shape == self._array.shape:
            return array
    return None


def _in_place(function: Method, name: str, ufunc: Any = None) -> Method:
    """The in-place form of a function of a tensor and maybe an operand; `ufunc` can do it without a second array."""

    def method(self: Tensor, *operands: Any) -> Tensor:
        recorded = is_grad_enabled() and any(
            isinstance(value, Tensor) and value._node is not None for value in (self, *operands)
        )
        if not recorded:
            _check_writable(self)
            if ufunc is not None and (source := _fitting(self, *operands)) is not None:
                ufunc(own_array(self), source, out=self._array)
                self._count_write()
                return self
            return _written(self, function(self, *operands)._array, name)
        if self.is_leaf and self.requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation. To change its numbers "
                "without recording that, "
                f"as an optimizer does, use `with no_grad(): x.{name}(...)`; to compute with it, make a new tensor."
            )
        if self._base is not None and self._base.is_leaf and self._base.requires_grad:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation. To change the "
                f"leaf's numbers without recording that, use `with no_grad(): x.{name}(...)`."
            )
        if self._base is not None or (self._writes is not None and len(self._writes) > 1):
            raise RuntimeError(
                f"{name} on a tensor that shares its memory with a view, while gradients are recorded, is not "
                "possible: the views would "
                "have to become results of this operation. Make a new tensor instead, as in y = y + 1 instead of y "
                "+= 1, or work on clone()."
            )
        before = from_array(
            np.array(self._array)
        )  # the operation may save its input, and that is about to be overwritten
        before._node, before._output_nr = self._node, self._output_nr
        result = function(before, *operands)
        _written(self, result._array, name)
        self._node, self._output_nr = result._node, result._output_nr
        return self

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: writes the result into this tensor and returns it."
    return method


_EVERYWHERE = from_array(np.bool_(True))


def _replaced(tensor: Tensor, value: Any) -> Tensor:
    """The value in every place of the tensor."""
    if not isinstance(value, Tensor | int | float | np.number | np.bool_):
        raise TypeError(f"expected a number or a Tensor to write, but got {type(value).__name__}: {value!r}")
    if not isinstance(value, Tensor):
        return elementwise.where(_EVERYWHERE, from_array(tensor.dtype.numpy.type(value)), tensor)
    mismatch = size_mismatch("copy_", tensor.shape, value.shape)
    if mismatch is not None:
        raise mismatch
    return elementwise.where(_EVERYWHERE, to(value, tensor.dtype), tensor)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a number, in place."""
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions: "
            "use copy_() for that."
        )
    return _fill(self, value)


_fill = _in_place(_replaced, "fill_")
copy_ = _in_place(_replaced, "copy_")


def zero_(self: Tensor) -> Tensor:
    """Set every element to 0, in place."""
    return fill_(self, 0)


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`: write into a part of the tensor."""
    parts, advanced = indexing.normalized(self, index)
    source = value if isinstance(value, Tensor) else None
    if is_grad_enabled() and (self.requires_grad or (source is not None and source.requires_grad)):
        if self.is_leaf and self.requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation. To change its numbers "
                "without recording that, "
                "write inside `with no_grad():`."
            )
        raise RuntimeError(
            "writing into a part of a tensor while gradients are recorded is not possible here: "
            "build the new tensor from its parts instead, with where(), cat() or stack()."
        )
    if source is None and not isinstance(value, int | float | np.number | np.bool_ | list | np.ndarray):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a minigrad.{self.dtype.tensor_type}Tensor: {value!r}"
        )
    _check_writable(self)
    array = own_array(self)
    values = np.asarray(value._array if source is not None else value)
    target = array[parts].shape
    lead = values.ndim - len(target)  # dimensions of size 1 too many are dropped, as in `x[0] = [[1., 2.]]`
    if lead > 0 and set(values.shape[:lead]) == {1}:
        values = values.reshape(values.shape[lead:])
    if advanced and size_mismatch("", target, values.shape) is not None:
        given = list(values.shape)
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {given} cannot be broadcast to indexing result of shape "
            f"{list(target)}"
        )
    array[parts] = shape.expand(from_array(values), target)._array
    self._count_write()


# ---------------------------------------------------------------- bound

METHODS: dict[str, Method] = {
    **{
        name: getattr(elementwise, name)
        for name in ("add", "sub", "mul", "div", "neg", "reciprocal", "exp", "log", "sqrt", "abs", "sign")
    },
    **{name: getattr(elementwise, name) for name in ("sin", "cos", "tanh", "sigmoid", "relu", "clone")},
    **{
        name: getattr(comparison, name)
        for name in ("eq", "ne", "lt", "le", "gt", "ge", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")
    },
    **{name: getattr(reduction, name) for name in ("sum", "mean", "max", "argmax", "all", "any")},
    **{
        name: getattr(shape, name)
        for name in ("view", "reshape", "flatten", "transpose", "t", "permute", "expand", "unsqueeze", "squeeze")
    },
    "matmul": linalg.matmul,
    "pow": pow,
    "square": lambda self: pow(self, 2),
    "logical_not": logical_not,
    "where": lambda self, condition, other: elementwise.where(condition, self, other),
    "to": to,
    "float": lambda self: to(self, dtypes.float32),
    "double": lambda self: to(self, dtypes.float64),
    "long": lambda self: to(self, dtypes.int64),
    "int": lambda self: to(self, dtypes.int32),
    "bool": lambda self: to(self, dtypes.bool),
    "add_": _in_place(elementwise.add, "add_", np.add),
    "sub_": _in_place(elementwise.sub, "sub_", np.subtract),
    "mul_": _in_place(elementwise.mul, "mul_", np.multiply),
    "div_": _in_place(elementwise.div, "div_", np.divide),
    "pow_": _in_place(pow, "pow_"),
    "fill_": fill_,
    "zero_": zero_,
    "copy_": copy_,
}

OPERATORS: dict[str, Method] = {
    "__add__": elementwise.add,
    "__radd__": elementwise.add,
    "__sub__": elementwise.sub,
    "__rsub__": elementwise.rsub,
    "__mul__": elementwise.mul,
    "__rmul__": elementwise.mul,
    "__truediv__": elementwise.div,
    "__rtruediv__": lambda self, other: elementwise.mul(elementwise.reciprocal(self), other),
    "__pow__": pow,
    "__rpow__": _reflected(pow),
    "__matmul__": linalg.matmul,
    "__neg__": elementwise.neg,
    "__pos__": lambda self: self,
    "__abs__": elementwise.abs,
    "__eq__": _comparing(comparison.eq),
    "__ne__": _comparing(comparison.ne),
    "__lt__": comparison.lt,
    "__le__": comparison.le,
    "__gt__": comparison.gt,
    "__ge__": comparison.ge,
    "__and__": comparison.bitwise_and,
    "__or__": comparison.bitwise_or,
    "__xor__": comparison.bitwise_xor,
    "__invert__": comparison.bitwise_not,
    "__getitem__": indexing.index,
    "__setitem__": set_item,
    "__iadd__": METHODS["add_"],
    "__isub__": METHODS["sub_"],
    "__imul__": METHODS["mul_"],
    "__itruediv__": METHODS["div_"],
    "__ipow__": METHODS["pow_"],
}

for _name, _method in {**METHODS, **OPERATORS}.items():
    setattr(Tensor, _name, _method)
Tensor.T = property(lambda self: shape.permute(self, tuple(range(self.ndim))[::-1]))  # type: ignore[attr-defined]

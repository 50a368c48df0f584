"""The operators and methods of Tensor: which op each one calls.

After this module a reader knows what `x + 1`, `1 - x`, `x.sum()` and `x += 1` run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import creation, dtypes, layout
from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.inplace import check_history, count_write, record_write
from minigrad.op import elementwise_operands
from minigrad.ops import comparison, elementwise, indexing, linalg, reduction, shape, strides
from minigrad.tensor import Tensor, from_array
from minigrad.writing import comparing, copy_, fill_, in_place, index_put, index_put_, needs_grad, same, set_item, zero_

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
    return elementwise.pow_number(to(input, number.dtype), exponent)


def to(input: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself if it has that dtype already. Only floating ones stay in the graph."""
    kind = dtype.dtype if isinstance(dtype, Tensor) else dtypes.resolve(dtype, "to")
    if input.dtype is kind:
        return input
    if not kind.is_floating_point:
        return from_array(input._array.astype(kind.numpy))
    return elementwise.cast(input, kind.numpy)


def square(input: Tensor) -> Tensor:
    """Each element times itself."""
    return pow(input, 2)


def logical_not(input: Tensor) -> Tensor:
    """Whether each element is false (zero)."""
    return comparison.eq(input, 0)


def logical_not_(self: Tensor) -> Tensor:
    """In-place form of `logical_not`. (Like PyTorch's, it leaves the tensor's history as it is.)"""
    with no_grad():
        return copy_(self, logical_not(self))


def _comparing(compare: Method) -> Method:
    """`==` and `!=`, which for anything but tensors and numbers compare as different, as everywhere in Python."""

    def method(self: Tensor, other: Any) -> Any:
        return (
            compare(self, other) if isinstance(other, Tensor | int | float | np.number | np.bool_) else NotImplemented
        )

    return method


def _reflected(function: Method) -> Method:
    return lambda self, other: function(other, self)


def _rearranged(function: Method, name: str) -> Method:
    """`x.t_()` and the like: the tensor itself takes on another shape of its memory; no number changes."""

    def method(self: Tensor, *arguments: Any) -> Tensor:
        recorded = needs_grad(self)
        if recorded:
            check_history(self)
            if self._base is not None:
                raise RuntimeError(
                    f"{name}() on a view is not supported while gradients are recorded: use {name[:-1]}()"
                )
        rearranged = function(same(self), *arguments)
        count_write(self)
        self._array = rearranged._array
        if recorded:
            record_write(self, rearranged._node)
        return self

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name[:-1]}`: this tensor itself gets the other shape, and is returned."
    return method


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
        for name in (
            "view",
            "view_as",
            "reshape",
            "reshape_as",
            "flatten",
            "unflatten",
            "transpose",
            "swapaxes",
            "swapdims",
            "t",
            "permute",
            "movedim",
            "moveaxis",
            "expand",
            "expand_as",
            "unsqueeze",
            "squeeze",
            "unbind",
            "split",
            "chunk",
            "diagonal",
        )
    },
    "narrow": indexing.narrow,
    "select": indexing.select,
    "as_strided": strides.as_strided,
    "matmul": linalg.matmul,
    "pow": pow,
    "square": square,
    "logical_not": logical_not,
    "where": lambda self, condition, other: elementwise.where(condition, self, other),
    "to": to,
    "type_as": lambda self, other: to(self, other.dtype),
    "float": lambda self: to(self, dtypes.float32),
    "double": lambda self: to(self, dtypes.float64),
    "long": lambda self: to(self, dtypes.int64),
    "int": lambda self: to(self, dtypes.int32),
    "bool": lambda self: to(self, dtypes.bool),
    "add_": in_place(elementwise.add, "add_", np.add),
    "sub_": in_place(elementwise.sub, "sub_", np.subtract),
    "mul_": in_place(elementwise.mul, "mul_", np.multiply),
    "div_": in_place(elementwise.div, "div_", np.divide),
    "pow_": in_place(pow, "pow_"),
    "square_": in_place(square, "square_"),
    **{
        f"{name}_": in_place(getattr(elementwise, name), f"{name}_")
        for name in ("neg", "reciprocal", "exp", "log", "sqrt", "abs", "sign", "sin", "cos", "tanh", "sigmoid", "relu")
    },
    **{f"{name}_": comparing(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{
        f"{name}_": in_place(getattr(comparison, name), f"{name}_")
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")
    },
    **{
        f"{name}_": _rearranged(getattr(shape, name), f"{name}_")
        for name in ("t", "transpose", "squeeze", "unsqueeze", "swapaxes", "swapdims")
    },
    "logical_not_": logical_not_,
    "index_put": index_put,
    "index_put_": index_put_,
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
    "__iand__": METHODS["bitwise_and_"],
    "__ior__": METHODS["bitwise_or_"],
    "__ixor__": METHODS["bitwise_xor_"],
}

for _name, _method in {**METHODS, **OPERATORS, **layout.METHODS, **creation.METHODS}.items():
    setattr(Tensor, _name, _method)
Tensor.T = property(lambda self: shape.permute(self, tuple(range(self.ndim))[::-1]))  # type: ignore[attr-defined]
Tensor.mT = property(lambda self: shape.transpose(self, -2, -1))  # type: ignore[attr-defined]

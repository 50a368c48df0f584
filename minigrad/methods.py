"""The operators and methods of Tensor: which op each one calls.

After this module a reader knows what `x + 1`, `1 - x`, `x.sum()` and `x += 1` run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import devices, dtypes, layout
from minigrad.autograd.blame import type_name
from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.graph import Node
from minigrad.autograd.inplace import check_history, count_write
from minigrad.autograd.modes import check_mode
from minigrad.autograd.views import set_history
from minigrad.creation import data as creation
from minigrad.op import beside_array, elementwise_operands, short
from minigrad.ops.matrices import factorization, linalg, products
from minigrad.ops.places import gather, indexing, strides
from minigrad.ops.pointwise import activation, arithmetic, comparison, elementwise, exponential, logic, trigonometry
from minigrad.ops.reductions import order, reduction, scan, softmax, statistics
from minigrad.ops.shapes import arrange, shape
from minigrad.tensor import Tensor, from_array
from minigrad.writing import (
    augmented,
    comparing,
    copy_,
    fill_,
    in_place,
    index_put,
    index_put_,
    needs_grad,
    same,
    set_item,
    taking_axis,
    zero_,
)

Method = Callable[..., Any]


def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, where one of them may be a number."""
    if isinstance(exponent, np.ndarray):
        input, exponent = beside_array(input, exponent)
    if isinstance(exponent, Tensor):
        if exponent.dtype is dtypes.bool and (isinstance(input, bool) or getattr(input, "dtype", None) is dtypes.bool):
            raise NotImplementedError("\"pow\" not implemented for 'Bool': convert the tensor first, as in x.long()")
        if isinstance(input, Tensor):
            return elementwise.pow_tensor(input, exponent)
        base, exponent = elementwise_operands("pow", input, exponent)
        return elementwise.pow_of_number(_in_dtype(exponent, base.dtype), base.item())
    input, number = elementwise_operands("pow", input, exponent)
    if input.dtype is number.dtype is dtypes.bool:
        return from_array((input._array**number._array).astype(np.bool_))  # numpy alone would make bytes of them
    if number.dtype.category < 2 and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed. Convert the tensor first, as in x.float() ** -1."
        )
    exponent = exponent.item() if isinstance(exponent, np.generic) else exponent  # numpy's would widen the result
    return elementwise.pow_number(_in_dtype(input, number.dtype), exponent)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Where `condition` (bools) is true the element of input, else that of other; with a condition alone, where it is
    true: one tensor of indices per dimension.
    """
    if input is None and other is None:
        return gather.nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise TypeError(
            "where() received an invalid combination of arguments: give (condition, input, other), or the condition "
            "alone to be told where it is true"
        )
    return elementwise.where(condition, input, other)


def to(
    input: Tensor,
    target: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:
    """The tensor in another dtype; itself if it has that dtype already, unless `copy`. Only floating ones stay in the
    graph.

    Args:
        target: a dtype, a tensor that has it, or a device.
        dtype: the same as a dtype, beside a device.
        device: "cpu", where all tensors are.
        non_blocking: of no effect.
    """
    if isinstance(target, Tensor):
        dtype = target.dtype
    elif isinstance(target, str | devices.device) and not hasattr(dtypes, str(target)):
        device = target
    elif target is not None:
        dtype = target
    if device is not None:
        devices.check_device(device)
    return _in_dtype(input, input.dtype if dtype is None else dtypes.resolve(dtype, "to"), copy)


def _in_dtype(input: Tensor, kind: dtypes.dtype, copy: bool = False) -> Tensor:
    if input.dtype is kind and not copy:
        return input
    if not kind.is_floating_point:
        return from_array(input._array.astype(kind.numpy))
    return elementwise.cast(input, kind.numpy)


def type_(input: Tensor, dtype: Any = None) -> Any:
    """The name that tensors of this dtype had when each dtype had a class, such as "minigrad.FloatTensor"; or the
    tensor in another dtype.
    """
    if dtype is None:
        return f"minigrad.{input.dtype.tensor_type}Tensor"
    if isinstance(dtype, str):
        raise ValueError(f"invalid type: {dtype!r}. Give a dtype, such as minigrad.float64.")
    return to(input, dtype)


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


def _comparing(compare: Method, others: Any) -> Method:
    """`==` and `!=`, which for anything but tensors and `others` compare as different, as everywhere in Python."""

    def method(self: Tensor, other: Any) -> Any:
        return compare(self, other) if isinstance(other, others) else NotImplemented

    return method


def _not_with_arrays(function: Method, symbol: str) -> Method:
    """A reflected operator: `array * tensor` is refused, as in PyTorch, though `tensor * array` is not."""

    def method(self: Tensor, other: Any) -> Tensor:
        if other.__class__ is np.ndarray or not isinstance(other, _COMPARED):
            raise TypeError(
                f"unsupported operand type(s) for {symbol}: '{type_name(other)}' and 'Tensor'. Operands must be "
                f"tensors or numbers; got {short(other)}. Make it a tensor first, as in tensor(...)."
            )
        return function(self, other)

    return method


def _matmul(self: Tensor, other: Any) -> Tensor:
    """`self @ other`, which may be a numpy array."""
    return linalg.matmul(*beside_array(self, other)) if isinstance(other, np.ndarray) else linalg.matmul(self, other)


def _reflected(function: Method) -> Method:
    return lambda self, other: function(other, self)


_IN_PLACE_NODES = {
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
}


@functools.cache
def _in_place_node(kind: type[Node]) -> type[Node]:
    """The class of nodes for the in-place form, which PyTorch gives another number."""
    return type(_IN_PLACE_NODES[kind.__name__], (kind,), {"__slots__": (), "__module__": kind.__module__})


def _rearranged(function: Method, name: str) -> Method:
    """`x.t_()` and the like: the tensor itself takes on another shape of its memory; no number changes."""

    def method(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        check_mode(self)
        recorded = needs_grad(self)
        if recorded:
            check_history(self)
        try:
            rearranged = function(same(self), *arguments, **options)
        except RuntimeError as error:
            raise type(error)(str(error).replace(f"{name[:-1]}(", f"{name}(", 1)) from None
        count_write(self)
        self._array = rearranged._array
        if recorded:
            kind: type[Node] = type(rearranged._node)
            rearranged._node.__class__ = _in_place_node(kind)  # type: ignore[arg-type]
            set_history(self, rearranged._node, 0)
            self._find_node = None
        return self

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name[:-1]}`: this tensor itself gets the other shape, and is returned."
    return method


def _scaled(function: Method, scaled: Method, name: str) -> Method:
    """add and sub with PyTorch's factor for the second operand."""

    def method(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
        return function(input, other) if alpha == 1 else scaled(input, other, alpha)

    method.__name__, method.__doc__, method.__module__ = name, f"{function.__doc__} `alpha` multiplies other.", __name__
    return method


add = _scaled(elementwise.add, elementwise.add_scaled, "add")
sub = _scaled(elementwise.sub, elementwise.sub_scaled, "sub")


# ---------------------------------------------------------------- bound

METHODS: dict[str, Method] = {
    **{
        name: getattr(elementwise, name)
        for name in ("floor", "ceil", "trunc", "round", "floor_divide", "remainder", "maximum", "minimum", "clamp")
    },
    **{name: getattr(comparison, name) for name in ("isnan", "isinf", "isfinite")},
    **{name: getattr(reduction, name) for name in ("prod", "cumsum", "var", "std", "min", "argmin")},
    "mm": linalg.mm,
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
            "flip",
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
    "type": type_,
    "type_as": lambda self, other: _in_dtype(self, other.dtype),
    "float": lambda self: _in_dtype(self, dtypes.float32),
    "double": lambda self: _in_dtype(self, dtypes.float64),
    "long": lambda self: _in_dtype(self, dtypes.int64),
    "int": lambda self: _in_dtype(self, dtypes.int32),
    "bool": lambda self: _in_dtype(self, dtypes.bool),
    "add": add,
    "sub": sub,
    "add_": in_place(add, "add_", np.add, operand="other"),
    "sub_": in_place(sub, "sub_", np.subtract, operand="other"),
    "mul_": in_place(elementwise.mul, "mul_", np.multiply, operand="other"),
    "div_": in_place(elementwise.div, "div_", np.divide, operand="other"),
    "pow_": in_place(pow, "pow_", operand="exponent"),
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

_MODULES: Any = (
    trigonometry, exponential, arithmetic, logic, activation, softmax, statistics, scan, order, arrange, gather,
    products, factorization,
)  # fmt: skip
for _module in _MODULES:
    METHODS |= {_name: getattr(_module, _name) for _name in _module.METHODS}
    METHODS |= {f"{_name}_": in_place(getattr(_module, _name), f"{_name}_") for _name in _module.IN_PLACE}

for _name in (
    "sum", "mean", "prod", "std", "var", "max", "min", "argmax", "argmin", "all", "any", "cumsum", "cumprod", "amax",
    "amin", "sort", "argsort", "topk", "median", "nanmedian", "mode", "kthvalue", "logsumexp", "squeeze", "unsqueeze",
    "unbind", "softmax", "log_softmax", "nansum", "nanmean", "count_nonzero", "logcumsumexp", "cummax", "cummin",
    "index_select", "gather", "repeat_interleave", "chunk", "quantile", "diff", "take_along_dim", "narrow", "select",
    "aminmax",
):  # fmt: skip
    METHODS[_name] = taking_axis(METHODS[_name])

_COMPARED = (Tensor, int, float, np.number, np.bool_)
OPERATORS: dict[str, Method] = {
    "__add__": elementwise.add,
    "__radd__": _not_with_arrays(elementwise.add, "+"),
    "__sub__": elementwise.sub,
    "__rsub__": _not_with_arrays(elementwise.rsub, "-"),
    "__mul__": elementwise.mul,
    "__rmul__": _not_with_arrays(elementwise.mul, "*"),
    "__truediv__": elementwise.div,
    "__rtruediv__": lambda self, other: elementwise.mul(elementwise.reciprocal(self), other),
    "__pow__": pow,
    "__rpow__": _not_with_arrays(_reflected(pow), "** or pow()"),
    "__matmul__": _matmul,
    "__floordiv__": elementwise.floor_divide,
    "__rfloordiv__": _reflected(elementwise.floor_divide),
    "__mod__": elementwise.remainder,
    "__rmod__": _reflected(elementwise.remainder),
    "__rand__": comparison.bitwise_and,
    "__ror__": comparison.bitwise_or,
    "__rxor__": comparison.bitwise_xor,
    "__neg__": elementwise.neg,
    "__pos__": lambda self: self,
    "__abs__": elementwise.abs,
    "__eq__": _comparing(comparison.eq, (*_COMPARED, np.ndarray)),
    "__ne__": _comparing(comparison.ne, _COMPARED),
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
    "__reversed__": lambda self: shape.flip(self, 0) if self.ndim else self,
    "__iadd__": augmented(METHODS["add_"], "+="),
    "__isub__": augmented(METHODS["sub_"], "-="),
    "__imul__": augmented(METHODS["mul_"], "*="),
    "__itruediv__": augmented(METHODS["div_"], "/="),
    "__ipow__": augmented(METHODS["pow_"], "**="),
    "__iand__": augmented(METHODS["bitwise_and_"], "&="),
    "__ior__": augmented(METHODS["bitwise_or_"], "|="),
    "__ixor__": augmented(METHODS["bitwise_xor_"], "^="),
}

for _name, _method in {**METHODS, **OPERATORS, **layout.METHODS, **creation.METHODS}.items():
    setattr(Tensor, _name, _method)
Tensor.T = property(lambda self: shape.permute(self, tuple(range(self.ndim))[::-1]))  # type: ignore[attr-defined]
Tensor.mT = property(lambda self: shape.transpose(self, -2, -1))  # type: ignore[attr-defined]

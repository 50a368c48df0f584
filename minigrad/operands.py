"""What an op does with operands that it cannot take as they are: no tensors, or of other dtypes or shapes.

This is what `x + 1`, `x + y` of two dtypes, and a row beside a matrix become before anything is computed, what is
refused, and in which words. An op's call (see op.py) comes here only in these cases; tensors of one shape and dtype,
the usual case, cost nothing.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import short, type_name
from minigrad.autograd.grad_mode import is_recording
from minigrad.half_precision import Scale
from minigrad.size import size_mismatch
from minigrad.tensor import Tensor, from_array


class NumberTensor(Tensor):
    """A number in an expression, as an operand."""

    __slots__ = ("kind",)  # the numpy dtype that it has as a number, wherever it was brought beside a tensor
    _is_number = True


# What PyTorch's errors about arguments call the functions that look at them, where these are others.
_FUNCTIONS_INSIDE = {"cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd"}
MISSING: Any = object()  # stands for an argument that was not given


def wrong_type(function: str, name: str, position: int | None, words: str, value: Any) -> TypeError:
    """The error for an argument that is not what `words` say."""
    if value is MISSING:
        return TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    place = f" (position {position})" if position else ""
    advice = ". Make it one first, as in tensor(...); got" if words == "Tensor" else ":"
    kind = type_name(value)
    function = _FUNCTIONS_INSIDE.get(function, function)
    return TypeError(f"{function}(): argument '{name}'{place} must be {words}, not {kind}{advice} {short(value)}")


def tensor_operands(op_name: str, *values: Any, names: tuple[str, ...] = ("input", "other")) -> tuple[Tensor, ...]:
    """Check that all are tensors, and have a place in the graph, before any other argument is looked at."""
    for position, value in enumerate(values, 1):
        if not isinstance(value, Tensor):
            raise wrong_type(op_name, names[min(position, len(names)) - 1], position, "Tensor", value)
    check_places(*values)
    return values


def check_places(*tensors: Tensor) -> None:
    """Raise if an operation on these is to be recorded, but one is a view that has no place in the graph any more: like
    PyTorch, which looks at that before it looks at sizes.
    """
    for tensor in tensors:
        if tensor._state is not None and is_recording():
            tensor._state.check()


def elementwise_operands(op_name: str, *values: Any) -> Any:
    """Turn numbers among the operands into tensors of the dtype that they take beside the others.

    NotImplemented where an operator is to leave the answer to its second operand.
    """
    *conditions, first, second = values
    if second.__class__ in (float, int) and second and isinstance(first, Tensor) and first._array.dtype.kind == "f":
        return (*conditions, first, _remembered_number(op_name, second, first.dtype))  # `x + 0.5`, the usual case
    if op_name in _COMPARISONS and not isinstance(first, Tensor):
        kinds = f"({type_name(first)}, {type_name(second)})"
        raise TypeError(f"{op_name}() received an invalid combination of arguments - got {kinds}: 1 < x is gt(x, 1)")
    if op_name in ("sub", "rsub") and any(isinstance(value, bool | np.bool_) for value in (first, second)):
        raise no_bools(first, second)
    if op_name in _OF_NUMBERS and isinstance(first, dtypes.NUMBER_TYPES) and isinstance(second, dtypes.NUMBER_TYPES):
        first = from_array(dtypes.dtype_of_number(first, dtypes.bool).numpy.type(first))
    if isinstance(second, dtypes.NUMBER_TYPES) and (isinstance(first, Tensor) or conditions):
        second = _number_tensor(op_name, second, first.dtype if isinstance(first, Tensor) else dtypes.bool)
    if isinstance(first, dtypes.NUMBER_TYPES) and (isinstance(second, Tensor) or conditions):
        first = _number_tensor(op_name, first, second.dtype if isinstance(second, Tensor) else dtypes.bool)
    if isinstance(first, Tensor) and isinstance(second, np.ndarray) and op_name not in _ORDERS:
        first, second = beside_array(first, second)
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        return (*conditions, first, second)
    if op_name in REFLECTED and isinstance(first, Tensor) and answers(second, REFLECTED[op_name]):
        return NotImplemented
    raise unsupported_error(op_name, first, second)


# The operators that are ops themselves, and what Python asks the second operand for if they leave the answer to it.
REFLECTED = {"add": "__radd__", "sub": "__rsub__", "mul": "__rmul__", "div": "__rtruediv__"}


def answers(stranger: Any, method: str) -> bool:
    """Whether something that no operator here knows has one of its own for tensors, such as `__radd__`."""
    known = isinstance(stranger, (Tensor, *dtypes.NUMBER_TYPES, complex, np.ndarray))
    return not known and type_name(stranger) != "torch.Tensor" and hasattr(type(stranger), method)


def unsupported_error(name: str, first: Any, second: Any) -> TypeError:
    """The error for an operand that is neither a tensor nor a number; `name` is that of an op, or an operator."""
    stranger = second if isinstance(first, Tensor) else first
    reason = f"Operands must be tensors or numbers; got {short(stranger)}. Make it a tensor first, as in tensor(...)."
    if isinstance(stranger, complex | np.complexfloating):
        reason = "Complex numbers are not supported: keep the two parts, which are real, in two tensors."
    symbol = _SYMBOLS.get(name, name + "()" * name.isidentifier())
    return TypeError(
        f"unsupported operand type(s) for {symbol}: '{type_name(first)}' and '{type_name(second)}'. {reason}"
    )


def beside_array(tensor: Tensor, array: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
    """A tensor and a numpy array as operands: as in PyTorch, numpy's rules for dtypes hold, without gradients."""
    own = tensor.numpy()  # raises if the tensor requires grad
    common = np.result_type(own.dtype, array.dtype)
    dtypes.from_numpy(common)
    return from_array(own.astype(common)[()]), from_array(array.astype(common)[()])


def _number_tensor(op_name: str, number: Any, beside: dtypes.dtype) -> Any:
    kind = dtypes.dtype_of_number(number, beside)
    try:
        scales = kind is dtypes.float16 and op_name in _SCALING and beside is kind
        element = Scale(number) if scales else kind.numpy.type(number)
    except OverflowError:  # an integer beside smaller ones, which count as floats in a quotient and the like
        element = dtypes.default.numpy.type(number) if op_name == "div" else dtypes.wrap_around(kind, number)
    tensor: Any = object.__new__(NumberTensor)
    tensor._array, tensor._output_nr = element, 0
    tensor._node = tensor._grad = tensor._writes = tensor._viewed = tensor._state = None
    # A number of numpy's, or of a class of somebody's own, is as Python's that it stands for.
    tensor.kind = _KINDS_OF_CLASSES.get(number.__class__) or _KINDS_OF_CLASSES[np.asarray(number).item().__class__]
    return tensor


_remembered_number = functools.lru_cache(1000, typed=True)(_number_tensor)  # not for 0.0 and -0.0, which are equal
_KINDS_OF_CLASSES: dict[type, Any] = {float: np.float64, bool: np.bool_, int: np.int64}
_SCALING = ("mul", "div")  # in which a number beside float16 keeps digits that float16 does not hold
_OF_NUMBERS = ("add", "add_scaled", "sub", "sub_scaled", "mul", "div", "div_down", "floor_divide")  # of two, too
_SYMBOLS = {
    "add": "+", "add_scaled": "+", "sub": "-", "sub_scaled": "-", "rsub": "-", "mul": "*",
    "div": "/", "div_down": "/", "pow": "** or pow()", "floor_divide": "//",
    "remainder": "%", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^", "matmul": "@",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_ORDERS = ("lt", "le", "gt", "ge")
_COMPARISONS = ("eq", "ne", *_ORDERS)


# ---------------------------------------------------------------- dtypes and shapes brought together


def meet(first: Tensor, second: Tensor, *others: Tensor, floating: bool = False) -> tuple[Any, Any, Any]:
    """Bring two operands of different dtype or shape together; integers as floats if `floating`.

    Returns their arrays in a common dtype and, for each that needs a gradient, the (shape, dtype) to which that must be
    brought back: None where it comes out right by itself.
    """
    a, b = first._array, second._array
    if second._is_number and a.dtype is b.dtype and a.dtype.kind == "f" and not others:
        return a, b, None  # a number beside floats, the usual case
    if not others and a.ndim >= b.ndim and a.shape[a.ndim - b.ndim :] == b.shape:  # a number, a bias: a keeps its shape
        shape = a.shape
    else:
        try:
            shape = np.broadcast_shapes(a.shape, b.shape, *[other._array.shape for other in others])
        except ValueError:
            return a, b, None  # the kernel will say so, in context
    mixed = a.dtype is not b.dtype and not (a.__class__ is Scale or b.__class__ is Scale)
    common = dtypes.promote(a, b).numpy if mixed else a.dtype
    if floating and common.kind != "f":
        common = dtypes.default.numpy
    targets = [  # if mixed, a rule may compute in the wider of the two
        None if t._node is None or (t._array.shape == shape and not mixed) else (t._array.shape, t._array.dtype)
        for t in (first, second)
    ]
    if mixed:
        a, b = a.astype(common, copy=False), b.astype(common, copy=False)
    return a, b, tuple(targets) if any(targets) else None


def meet_all(several: list[Any]) -> tuple[list[Any], tuple[Any, ...]]:
    """Bring any number of arrays, all with dimensions or all without, together in a common dtype: see `meet`."""
    common = functools.reduce(dtypes.promote_types, map(dtypes.of, several)).numpy
    return [array.astype(common) for array in several], tuple([(array.shape, array.dtype) for array in several])


# ---------------------------------------------------------------- errors


def clearer_error(error: Exception, op_name: str, *operands: Tensor) -> Exception:
    """PyTorch's words for what numpy refused, where the refusal is about shapes."""
    check_places(*operands)
    if isinstance(error, ValueError) and "broadcast" in str(error):
        shape: tuple[int, ...] = ()
        for operand in operands:
            mismatch = size_mismatch(op_name, shape, operand._array.shape)
            if mismatch is not None:
                return RuntimeError(mismatch)
            shape = np.broadcast_shapes(shape, operand._array.shape)
    if isinstance(error, TypeError) and "numpy boolean subtract" in str(error):
        return no_bools(*operands)
    if isinstance(error, TypeError) and "numpy boolean negative" in str(error):
        text = "Negation, the `-` operator, on a bool tensor is not supported."
        return RuntimeError(f"{text} {_USE_NOT} operator instead.")
    return error


def no_bools(first: Any, second: Any) -> RuntimeError:
    """The error for a difference with a bool in it, a tensor or a number."""
    both = all(
        value.dtype is dtypes.bool if isinstance(value, Tensor) else value in (True, False) for value in (first, second)
    )
    what, instead = ("two bool tensors", "Use the `^` or `logical_xor()`") if both else ("a bool tensor", _USE_NOT)
    return RuntimeError(f"Subtraction, the `-` operator, with {what} is not supported. {instead} operator instead.")


_USE_NOT = "If you are trying to invert a mask, use the `~` or `logical_not()`"

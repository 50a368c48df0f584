"""Sums, differences and products: add, sub, rsub, mul, neg, and lerp, addcmul and addcdiv of three tensors.

After this module a reader has seen the sum rule and the product rule of differential calculus as one line of code each.
Inputs may have any shapes that broadcast: of two operands the engine sums each gradient back to its input's shape; of
three the rules do so themselves (`F.sum_to`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.op import meet_all, op, size_mismatch, tensor_operands, unsupported
from minigrad.operands import check_tensors
from minigrad.ops.operands import NUMBERS, floats_only, invalid_arguments, numbers_only, plain
from minigrad.tensor import Tensor
from minigrad.writing import in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(self=lambda F, g: g, other=lambda F, g: g, broadcasts=True)
def add(self: Array, other: Array) -> Array:
    """Add: input + other."""
    return self + other


def _scaled(array: Array, alpha: Any) -> Array:
    """alpha * array, in the array's dtype. RuntimeError for an alpha that the dtype does not hold."""
    kind = dtypes.of(array)
    if isinstance(alpha, bool) and kind is not dtypes.bool:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not kind.is_floating_point:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return array * (alpha if kind.is_floating_point else dtypes.element(kind, alpha))


@op(
    name="AddBackward0",
    self=lambda F, g: g,
    other=lambda F, g, alpha: g * alpha,
    broadcasts=True,
)
def add_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input + alpha * other, where alpha is a number."""
    return self + _scaled(other, alpha)


@op(self=lambda F, g: g, other=lambda F, g: -g, broadcasts=True, bools=False)
def sub(self: Array, other: Array) -> Array:
    """Subtract: input - other."""
    return self - other


@op(
    name="SubBackward0",
    self=lambda F, g: g,
    other=lambda F, g, alpha: -g * alpha,
    broadcasts=True,
    bools=False,
)
def sub_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """input - alpha * other, where alpha is a number."""
    return self - _scaled(other, alpha)


@op(name="RsubBackward1", constants=("other",), self=lambda F, g: -g, broadcasts=True, bools=False)
def rsub(self: Array, other: Array) -> Array:
    """A number minus input."""
    return other - self


@op(
    name="RsubBackward0",
    self=lambda F, g, alpha: -g * alpha,
    other=lambda F, g: g,
    broadcasts=True,
    bools=False,
)
def rsub_scaled(self: Array, other: Array, alpha: Any) -> Array:
    """other - alpha * input."""
    try:
        return other - _scaled(self, alpha)
    except ValueError:  # the shapes do not fit; PyTorch names that of other first
        raise RuntimeError(size_mismatch("rsub", other.shape, self.shape)) from None


@op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self, broadcasts=True)
def mul(self: Array, other: Array) -> Array:
    """Multiply: input * other."""
    return self * other


@op(self=lambda F, g: -g)
def neg(self: Array) -> Array:
    """Negate: -input."""
    return -self


# ---------------------------------------------------------------- three tensors


@op(self=lambda F, g, weight: g * (1 - weight), end=lambda F, g, weight: g * weight, broadcasts=True)
def lerp(self: Array, end: Array, weight: Any) -> Array:
    """input + weight * (end - input), where weight is a number: input at 0, end at 1, both exactly."""
    floats_only("lerp_kernel_scalar", self)
    return self + weight * (end - self) if -0.5 < weight < 0.5 else end - (end - self) * (1 - weight)


@op(
    name="LerpBackward1",
    self=lambda F, g, self_shape, weight: F.sum_to(g * (1 - weight), self_shape),
    end=lambda F, g, end_shape, weight: F.sum_to(g * weight, end_shape),
    weight=lambda F, g, self, end, weight_shape: F.sum_to(g * (end - self), weight_shape),
)
def lerp_by_tensor(self: Array, end: Array, weight: Array) -> Array:
    """`lerp`, with a weight for each element."""
    floats_only("lerp_kernel_tensor", self)
    difference = end - self
    return np.where(np.abs(weight) < 0.5, self + weight * difference, end - difference * (1 - weight))[()]


@op(
    self=lambda F, g, self_shape: F.sum_to(g, self_shape),
    tensor1=lambda F, g, tensor1_shape, tensor2, value: F.sum_to(g * (tensor2 * value), tensor1_shape),
    tensor2=lambda F, g, tensor2_shape, tensor1, value: F.sum_to(g * (tensor1 * value), tensor2_shape),
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, value: Any) -> Array:
    """input + value * tensor1 * tensor2."""
    return self + tensor1 * value * tensor2


@op(
    self=lambda F, g, self_shape: F.sum_to(g, self_shape),
    tensor1=lambda F, g, tensor1_shape, tensor2, value: F.sum_to(g * (value / tensor2), tensor1_shape),
    tensor2=lambda F, g, tensor2_shape, tensor1, tensor2, value: F.sum_to(
        -g * (value * tensor1 / (tensor2 * tensor2)), tensor2_shape
    ),
)
def addcdiv(self: Array, tensor1: Array, tensor2: Array, value: Any) -> Array:
    """input + value * tensor1 / tensor2."""
    return self + tensor1 * value / tensor2


# ---------------------------------------------------------------- as the learner calls them

__add__, __sub__, __rsub__, __mul__ = add, sub, rsub, mul  # the operators, which may leave the answer to `other`
_lerp, _addcmul, _addcdiv = lerp, addcmul, addcdiv


def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input + alpha * other. One of the two may be a number."""
    made = __add__(input, other) if alpha == 1 and alpha is not True else add_scaled(input, other, plain(alpha))
    if made is NotImplemented:
        raise unsupported("add", input, other)
    return made


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input - alpha * other. One of the two may be a number."""
    made = __sub__(input, other) if alpha == 1 and alpha is not True else sub_scaled(input, other, plain(alpha))
    if made is NotImplemented:
        raise unsupported("sub", input, other)
    return made


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """other - alpha * input."""
    if not isinstance(input, Tensor):
        raise invalid_arguments("rsub", input, other)
    if isinstance(other, Tensor) or alpha != 1:
        return rsub_scaled(input, other, plain(alpha))
    return __rsub__(input, other)


def mul(input: Any, other: Any) -> Tensor:  # type: ignore[no-redef]
    """input * other. One of the two may be a number."""
    made = __mul__(input, other)
    if made is NotImplemented:
        raise unsupported("mul", input, other)
    return made


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    (input,) = tensor_operands("positive", input)
    if input.dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported. Convert it first, as in x.int().")
    return input


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:  # type: ignore[no-redef]
    """Linear interpolation: input + weight * (end - input), where `weight` is a number or a tensor."""
    if not all(isinstance(value, Tensor) for value in (input, end)) or not isinstance(weight, (Tensor, *NUMBERS)):
        raise invalid_arguments("lerp", input, end, weight)
    others = {"end": end, "weight": weight} if isinstance(weight, Tensor) and weight.ndim else {"end": end}
    for name, value in others.items():
        if value.dtype is not input.dtype:
            raise RuntimeError(
                f"expected dtype {input.dtype.c_name} for `{name}` but got dtype {value.dtype.c_name}: convert it first"
            )
    if isinstance(weight, Tensor):
        return lerp_by_tensor(input, end, weight.to(input.dtype))
    return _lerp(input, end, plain(weight))


def _in_one_dtype(*tensors: Tensor) -> tuple[Any, ...]:
    """The tensors in the dtype to which all of them promote."""
    first = tensors[0].dtype
    if all(tensor.dtype is first for tensor in tensors):
        return tensors
    common = dtypes.of(meet_all([tensor._array for tensor in tensors])[0][0])
    return tuple([tensor.to(common) for tensor in tensors])


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input + value * tensor1 * tensor2."""
    check_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    operands = _in_one_dtype(input, tensor1, tensor2)
    numbers_only("addcmul_cpu_out", operands[0]._array)
    return _addcmul(*operands, plain(value) if operands[0].dtype.is_floating_point else int(value))


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input + value * tensor1 / tensor2."""
    check_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    if not tensor1.dtype.is_floating_point and not tensor2.dtype.is_floating_point:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. Convert one of them first, as in tensor1.float()."
        )
    return _addcdiv(*_in_one_dtype(input, tensor1, tensor2), plain(value))


add_ = in_place(add, "add_", np.add, operand="other")
sub_ = in_place(sub, "sub_", np.subtract, operand="other")
mul_ = in_place(mul, "mul_", np.multiply, operand="other")
neg_ = in_place(neg, "neg_")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "add", "sub", "mul", "neg", "positive", "lerp", "addcmul", "addcdiv", "add_",
    "sub_", "mul_", "neg_",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = ("lerp", "addcmul", "addcdiv")  # those whose in-place form is a method only
OUT: tuple[str, ...] = (  # those that take out=
    "add", "sub", "mul", "neg", "lerp", "addcmul", "addcdiv",
)  # fmt: skip

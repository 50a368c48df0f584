"""What is left of arithmetic: fmod, lerp, addcmul, div with rounding, the larger of two that may be nan, and aliases.

After this module a reader knows the steps among the functions (rounded division, sgn, heaviside), whose derivative is 0
or none at all, and how an operation of three tensors takes its gradient back to the shape of each.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.op import arrays, meet_all, op, size_mismatch, tensor_operands
from minigrad.ops.pointwise import elementwise
from minigrad.ops.pointwise.elementwise import ceil, clamp, floor, floor_divide, mul, neg, remainder, round, trunc
from minigrad.tensor import Tensor
from minigrad.writing import augmented, in_place

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def floats_only(kernel: str, array: Array) -> None:
    """Raise, in the name of PyTorch's kernel, if an array does not hold floats."""
    if array.dtype.kind != "f":
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{dtypes.of(array).tensor_type}': convert the tensor first, as in "
            "x.float()"
        )


def integers_only(kernel: str, array: Array) -> None:
    """Raise, in the name of PyTorch's kernel, if an array does not hold whole numbers."""
    if array.dtype.kind not in "iu":
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{dtypes.of(array).tensor_type}': convert the tensor first, as in "
            "x.long()"
        )


def _check_divisor(kernel: str, divisor: Array) -> None:
    if divisor.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': convert a tensor first, as in x.int()")
    if divisor.dtype.kind in "iu" and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError: an integer was divided by 0, which only floats allow")


# ---------------------------------------------------------------- division and what it leaves


@op(
    name="DivBackward2",
    self=lambda F, g: F.zeros(g.shape, g),
    other=lambda F, g: F.zeros(g.shape, g),
    broadcasts=True,
)
def div_rounded(self: Array, other: Array, rounding_mode: str) -> Array:
    """input / other without what stands behind the point ("trunc"), or the next whole number below it ("floor")."""
    _check_divisor(f"div_{rounding_mode}_cpu", other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    down = np.floor_divide(self, other)
    return down + ((down < 0) & (down * other != self))


@op(
    name="FmodBackward1",
    self=lambda F, g: g,
    other=lambda F, g, self, other: -g * F.div_rounded(self, other, "trunc"),
    broadcasts=True,
)
def fmod(self: Array, other: Array) -> Array:
    """What is left of input when other was taken away as often as it goes in; its sign is that of input."""
    _check_divisor("fmod_cpu", other)
    return np.fmod(self, other)


@op(name="FmodBackward0", constants=("other",), self=lambda F, g: g, broadcasts=True)
def fmod_by_number(self: Array, other: Array) -> Array:
    """`fmod`, where other is a number."""
    _check_divisor("fmod_cpu", other)
    return np.fmod(self, other)


@op(self=lambda F, g: g)
def frac(self: Array) -> Array:
    """What stands behind the point, with the sign of input."""
    floats_only("frac_cpu", self)
    return self - np.trunc(self)


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
        return other - (self if alpha == 1 else self * alpha)
    except ValueError:  # the shapes do not fit; PyTorch names that of other first
        raise RuntimeError(size_mismatch("rsub", other.shape, self.shape)) from None


# ---------------------------------------------------------------- three tensors at once


@op(self=lambda F, g, weight: g * (1 - weight), end=lambda F, g, weight: g * weight, broadcasts=True)
def lerp(self: Array, end: Array, weight: Any) -> Array:
    """The point that is the part `weight`, a number, of the way from input to end. Both ends come out exactly."""
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
    way = end - self
    return np.where(np.abs(weight) < 0.5, self + weight * way, end - way * (1 - weight))[()]


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


# ---------------------------------------------------------------- the larger, the smaller, the sign


@op(
    self=lambda F, g, self, other: F.where((self >= other) | F.isnan(other), g, 0),
    other=lambda F, g, self, other: F.where((self >= other) | F.isnan(other), 0, g),
    broadcasts=True,
)
def fmax(self: Array, other: Array) -> Array:
    """The larger of two elements; where one is nan, the other. Of equals, the first gets the gradient."""
    return np.fmax(self, other)


@op(
    self=lambda F, g, self, other: F.where((self <= other) | F.isnan(other), g, 0),
    other=lambda F, g, self, other: F.where((self <= other) | F.isnan(other), 0, g),
    broadcasts=True,
)
def fmin(self: Array, other: Array) -> Array:
    """The smaller of two elements; where one is nan, the other. Of equals, the first gets the gradient."""
    return np.fmin(self, other)


@op(name="ClampMinBackward0", self=lambda F, g, self, min: F.where(self >= min, g, 0))
def raised_to_number(self: Array, min: Any) -> Array:
    """The larger of each element and a number."""
    return np.maximum(self, min)


@op(
    name="ClampMinBackward1",
    self=lambda F, g, self, min: F.where(self >= min, g, 0),
    min=lambda F, g, self, min: F.where(self < min, g, 0),
    broadcasts=True,
)
def raised_to_tensor(self: Array, min: Array) -> Array:
    """The larger of two elements; of equals, the input gets the gradient."""
    return np.maximum(self, min)


@op(name="ClampMaxBackward0", self=lambda F, g, self, max: F.where(self <= max, g, 0))
def lowered_to_number(self: Array, max: Any) -> Array:
    """The smaller of each element and a number."""
    return np.minimum(self, max)


@op(
    name="ClampMaxBackward1",
    self=lambda F, g, self, max: F.where(self <= max, g, 0),
    max=lambda F, g, self, max: F.where(self > max, g, 0),
    broadcasts=True,
)
def lowered_to_tensor(self: Array, max: Array) -> Array:
    """The smaller of two elements; of equals, the input gets the gradient."""
    return np.minimum(self, max)


def _sign_kept(F: Any, g: Any, self: Any, result: Any) -> Any:
    """1 where the sign stayed as it was, -1 where it changed, and 0 at 0."""
    return F.where(self == 0, 0, g * (result / self))


@op(
    self=lambda F, g, self, result: _sign_kept(F, g, self, result),
    other=lambda F, g: F.zeros(g.shape, g),
    broadcasts=True,
    floating=True,
)
def copysign(self: Array, other: Array) -> Array:
    """The size of input with the sign of other."""
    return np.copysign(self, other)


@op(
    name="CopysignBackward1",
    constants=("other",),
    self=lambda F, g, self, result: _sign_kept(F, g, self, result),
    broadcasts=True,
    floating=True,
)
def copysign_of_number(self: Array, other: Array) -> Array:
    """`copysign`, where other is a number."""
    return np.copysign(self, other)


@op(self=lambda F, g: F.zeros(g.shape, g))
def sgn(self: Array) -> Array:
    """-1, 0 or 1 by the sign of each element; 0 for nan."""
    if self.dtype.kind == "b":
        return np.array(self)
    return arrays.sign(self) if self.dtype.kind == "f" else np.sign(self)


def _no_derivative(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@op(
    name="NotImplemented",
    self=lambda F, g: _no_derivative("heaviside"),
    values=lambda F, g: _no_derivative("heaviside"),
    broadcasts=True,
)
def heaviside(self: Array, values: Array) -> Array:
    """0 below 0, 1 above it, and at 0 the element of `values`. (PyTorch gives it no derivative.)"""
    return np.where(self == 0, values, (self > 0).astype(self.dtype))[()]


@op(self=lambda F, g, self: g * F.isfinite(self))
def nan_to_num(self: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    """The input with numbers in the place of nan and of both kinds of inf."""
    if self.dtype.kind != "f":
        return np.array(self)
    limits = np.finfo(self.dtype)
    high, low = (limits.max if posinf is None else posinf), (limits.min if neginf is None else neginf)
    kind = self.dtype.type
    known = np.where(np.isnan(self), kind(nan), self)
    return np.where(known == math.inf, kind(high), np.where(known == -math.inf, kind(low), known))[()]


# ---------------------------------------------------------------- whole numbers


@op(broadcasts=True)
def gcd(self: Array, other: Array) -> Array:
    """The largest whole number that divides both."""
    integers_only("gcd_cpu", self)
    return np.gcd(self, other)


@op(broadcasts=True)
def lcm(self: Array, other: Array) -> Array:
    """The smallest whole number that both divide."""
    integers_only("lcm_cpu", self)
    return np.lcm(self, other)


@op(broadcasts=True)
def bitwise_left_shift(self: Array, other: Array) -> Array:
    """The bits of input moved up by other places: input * 2**other."""
    integers_only("lshift_cpu", self)
    return np.left_shift(self, other)


@op(broadcasts=True)
def bitwise_right_shift(self: Array, other: Array) -> Array:
    """The bits of input moved down by other places: input // 2**other."""
    integers_only("rshift_cpu", self)
    return np.right_shift(self, other)


# ---------------------------------------------------------------- as the learner calls them

_fmod, _lerp, _addcmul, _addcdiv, _fmax, _fmin = fmod, lerp, addcmul, addcdiv, fmax, fmin
_copysign, _heaviside, _nan_to_num, _gcd, _lcm = copysign, heaviside, nan_to_num, gcd, lcm
_NUMBERS = (int, float, np.number, np.bool_)


def _plain(number: Any) -> Any:
    """A number of Python's: numpy's would widen float32."""
    return number.item() if isinstance(number, np.generic) else number


def _invalid(function: str, *given: Any) -> TypeError:
    return TypeError(
        f"{function}() received an invalid combination of arguments - got ({', '.join(map(type_name, given))}): give "
        "tensors, or a tensor and a number"
    )


def _third_tensors(function: str, **tensors: Any) -> None:
    for position, (name, value) in enumerate(tensors.items(), 1):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type_name(value)}: make "
                "it one first, as in tensor(...)"
            )


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; with `rounding_mode` "trunc" or "floor" a whole number, without what stands behind the point or
    the next one below. One of the two may be a number.
    """
    if rounding_mode is None:
        return elementwise.div(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return div_rounded(input, other, rounding_mode)


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input - alpha * other."""
    return elementwise.sub(input, other) if alpha == 1 else elementwise.sub_scaled(input, other, alpha)


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """other - alpha * input."""
    if isinstance(other, Tensor):
        return rsub_scaled(input, other, alpha)
    return elementwise.rsub(input if alpha == 1 else mul(input, alpha), other)


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    (input,) = tensor_operands("positive", input)
    if input.dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported. Convert it first, as in x.int().")
    return input


def fmod(input: Tensor, other: Any) -> Tensor:  # type: ignore[no-redef]
    """What is left of input when other, a tensor or a number, was taken away as often as it goes in.

    Its sign is that of input; that of `remainder` is other's.
    """
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *_NUMBERS)):
        raise _invalid("fmod", input, other)
    return _fmod(input, other) if isinstance(other, Tensor) else fmod_by_number(input, other)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:  # type: ignore[no-redef]
    """The point that is the part `weight`, a number or a tensor, of the way from input to end."""
    if not all(isinstance(value, Tensor) for value in (input, end)) or not isinstance(weight, (Tensor, *_NUMBERS)):
        raise _invalid("lerp", input, end, weight)
    others = {"end": end, "weight": weight} if isinstance(weight, Tensor) and weight.ndim else {"end": end}
    for name, value in others.items():
        if value.dtype is not input.dtype:
            kinds = [_C_NAMES.get(kind.name, kind.name) for kind in (input.dtype, value.dtype)]
            raise RuntimeError(f"expected dtype {kinds[0]} for `{name}` but got dtype {kinds[1]}: convert it first")
    if isinstance(weight, Tensor):
        return lerp_by_tensor(input, end, weight.to(input.dtype))
    return _lerp(input, end, _plain(weight))


_C_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "long int", "float16": "c10::Half"}


def _in_one_dtype(*tensors: Tensor) -> tuple[Any, ...]:
    first = tensors[0].dtype
    if all(tensor.dtype is first for tensor in tensors):
        return tensors
    common = dtypes.of(meet_all([tensor._array for tensor in tensors])[0][0])
    return tuple([tensor.to(common) for tensor in tensors])


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input + value * tensor1 * tensor2."""
    _third_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    operands = _in_one_dtype(input, tensor1, tensor2)
    kind = operands[0].dtype
    if kind is dtypes.bool:
        raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool': convert the tensors first")
    return _addcmul(*operands, _plain(value) if kind.is_floating_point else int(value))


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:  # type: ignore[no-redef]
    """input + value * tensor1 / tensor2."""
    _third_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    if not tensor1.dtype.is_floating_point and not tensor2.dtype.is_floating_point:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. Convert one of them first, as in tensor1.float()."
        )
    return _addcdiv(*_in_one_dtype(input, tensor1, tensor2), _plain(value))


def fmax(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The larger of two elements; where one is nan, the other."""
    return _fmax(*tensor_operands("fmax", input, other))


def fmin(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The smaller of two elements; where one is nan, the other."""
    return _fmin(*tensor_operands("fmin", input, other))


def _bounded(function: str, by_tensor: Any, by_number: Any, input: Any, bound: Any) -> Tensor:
    (input,) = tensor_operands(function, input)
    if isinstance(bound, Tensor):
        return by_tensor(input, bound)
    if not isinstance(bound, _NUMBERS):
        raise _invalid(function, input, bound)
    kind = dtypes.of_number(bound, input.dtype)
    if kind is dtypes.bool:
        raise NotImplementedError(
            f"\"{function}_scalar_cpu\" not implemented for 'Bool': bools have nothing between them"
        )
    return by_number(input.to(kind), _plain(bound))


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """The larger of each element and `min`, a number or a tensor."""
    return _bounded("clamp_min", raised_to_tensor, raised_to_number, input, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """The smaller of each element and `max`, a number or a tensor."""
    return _bounded("clamp_max", lowered_to_tensor, lowered_to_number, input, max)


def copysign(input: Tensor, other: Any) -> Tensor:  # type: ignore[no-redef]
    """The size of input with the sign of other, a tensor or a number."""
    if not isinstance(input, Tensor) or not isinstance(other, (Tensor, *_NUMBERS)):
        raise _invalid("copysign", input, other)
    return _copysign(input, other) if isinstance(other, Tensor) else copysign_of_number(input, other)


def heaviside(input: Tensor, values: Tensor) -> Tensor:  # type: ignore[no-redef]
    """0 below 0, 1 above it, and at 0 the element of `values`."""
    _third_tensors("heaviside", input=input, values=values)
    if input.dtype is not values.dtype:
        raise RuntimeError(
            "heaviside is not yet implemented for tensors with different dtypes. Convert one of them first, as in "
            "values.to(input.dtype)."
        )
    return _heaviside(input, values)


def nan_to_num(  # type: ignore[no-redef]
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """The input with numbers in the place of nan (0), of inf (the largest float) and of -inf (the lowest)."""
    return _nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


def gcd(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The largest whole number that divides both."""
    return _gcd(*tensor_operands("gcd", input, other))


def lcm(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The smallest whole number that both divide."""
    return _lcm(*tensor_operands("lcm", input, other))


def _shifts_left(self: Tensor, other: Any) -> Tensor:
    return bitwise_left_shift(other, self)


def _shifts_right(self: Tensor, other: Any) -> Tensor:
    return bitwise_right_shift(other, self)


multiply, negative, absolute, fix, clip = mul, neg, elementwise.abs, trunc, clamp
divide = true_divide = div
__lshift__, __rshift__ = bitwise_left_shift, bitwise_right_shift
__rlshift__, __rrshift__ = _shifts_left, _shifts_right

multiply_ = in_place(mul, "multiply_", np.multiply, operand="other")
subtract_ = in_place(subtract, "subtract_", np.subtract, operand="other")
div_ = in_place(div, "div_", np.divide, operand="other")
divide_ = in_place(div, "divide_", np.divide, operand="other")
true_divide_ = in_place(div, "true_divide_", np.divide, operand="other")
remainder_ = in_place(remainder, "remainder_", operand="other")
floor_divide_ = in_place(floor_divide, "floor_divide_", operand="other")
fmod_ = in_place(fmod, "fmod_", operand="other")
frac_, nan_to_num_, negative_, clamp_, clip_, clamp_min_, clamp_max_, gcd_, lcm_ = (
    in_place(function, name)
    for function, name in (
        (frac, "frac_"), (nan_to_num, "nan_to_num_"), (neg, "negative_"), (clamp, "clamp_"), (clip, "clip_"),
        (clamp_min, "clamp_min_"), (clamp_max, "clamp_max_"), (gcd, "gcd_"), (lcm, "lcm_"),
    )
)  # fmt: skip
floor_, ceil_, round_, trunc_, fix_ = (
    in_place(function, name)
    for function, name in ((floor, "floor_"), (ceil, "ceil_"), (round, "round_"), (trunc, "trunc_"), (trunc, "fix_"))
)
__imod__, __ifloordiv__ = augmented(remainder_, "%="), augmented(floor_divide_, "//=")
__ilshift__ = in_place(bitwise_left_shift, "__ilshift__")
__irshift__ = in_place(bitwise_right_shift, "__irshift__")

METHODS: tuple[str, ...] = (  # the functions that are methods of Tensor, too
    "div", "divide", "true_divide", "multiply", "subtract", "absolute", "negative", "positive", "clip", "fix", "fmod",
    "lerp", "addcmul", "addcdiv", "fmax", "fmin", "copysign", "nan_to_num", "frac", "heaviside", "sgn", "clamp_min",
    "clamp_max", "gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift", "div_", "divide_", "true_divide_",
    "multiply_", "subtract_", "negative_", "frac_", "nan_to_num_", "clamp_", "clip_", "clamp_min_", "clamp_max_",
    "gcd_", "lcm_", "floor_", "ceil_", "round_", "trunc_", "fix_", "fmod_", "remainder_", "floor_divide_",
    "__lshift__", "__rshift__", "__rlshift__", "__rrshift__", "__imod__", "__ifloordiv__", "__ilshift__",
    "__irshift__",
)  # fmt: skip
IN_PLACE: tuple[str, ...] = (  # those whose in-place form is a method only
    "absolute", "lerp", "addcmul", "addcdiv", "copysign", "heaviside", "sgn", "bitwise_left_shift",
    "bitwise_right_shift",
)  # fmt: skip
OUT: tuple[str, ...] = (  # those that take out=
    "div", "divide", "true_divide", "multiply", "subtract", "absolute", "negative", "clip", "fix", "fmod", "lerp",
    "addcmul", "addcdiv", "fmax", "fmin", "copysign", "nan_to_num", "frac", "heaviside", "sgn", "clamp_min",
    "clamp_max", "gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift",
)  # fmt: skip

"""The operations as functions, `exp(x)` beside `x.exp()`, with what only functions have: the argument `out=`.

After this module a reader knows that a method and the function of its name are the same operation. A function with
`out=` writes its result into a tensor that is there already; a function with a trailing underscore is the in-place
method.
"""

from __future__ import annotations

from typing import Any

from minigrad import methods
from minigrad.ops.matrices import addmm as addmm_
from minigrad.ops.matrices import cross as cross_
from minigrad.ops.matrices import inverse as inverse_
from minigrad.ops.matrices import matmul as matmul_
from minigrad.ops.matrices import matrix_power as matrix_power_
from minigrad.ops.matrices import tensordot as tensordot_
from minigrad.ops.places import gather as gather_
from minigrad.ops.places import index_select as index_select_
from minigrad.ops.places import masks, slicing
from minigrad.ops.places import scatter as scatter_
from minigrad.ops.places import take as take_
from minigrad.ops.pointwise import (
    activations_piecewise,
    activations_smooth,
    arithmetic,
    bits,
    bounds,
    choice,
    comparison,
    conversion,
    division,
    error_function,
    exponential,
    logic,
    powers,
    rounding,
    signs,
    special_values,
    trigonometry,
)
from minigrad.ops.reductions import (
    bins,
    cumulative,
    differences,
    distinct,
    extremes,
    quantiles,
    sorting,
    sums,
    truth,
    variance,
    vector_norm,
)
from minigrad.ops.reductions import prod as prod_
from minigrad.ops.reductions import softmax as softmax_
from minigrad.ops.shapes import diagonals, joining, repeating, triangles
from minigrad.out import taking_axis, taking_out
from minigrad.tensor import Tensor

_taking_axis: Any = taking_axis
_taking_out: Any = taking_out  # ops are built-in functions to the type checker, which map() is strict about

(
    add, sub, subtract, mul, multiply, neg, negative, lerp, addcmul, addcdiv,
) = map(
    _taking_out,
    (
        arithmetic.add, arithmetic.sub, arithmetic.subtract, arithmetic.mul, arithmetic.multiply, arithmetic.neg,
        arithmetic.negative, arithmetic.lerp, arithmetic.addcmul, arithmetic.addcdiv,
    ),
)  # fmt: skip
(
    div, divide, true_divide, reciprocal, floor_divide, remainder, fmod, gcd, lcm,
) = map(
    _taking_out,
    (
        division.div, division.divide, division.true_divide, division.reciprocal, division.floor_divide,
        division.remainder, division.fmod, division.gcd, division.lcm,
    ),
)  # fmt: skip
(
    floor, ceil, trunc, fix, round, frac,
) = map(
    _taking_out,
    (
        rounding.floor, rounding.ceil, rounding.trunc, rounding.fix, rounding.round, rounding.frac,
    ),
)  # fmt: skip
(
    abs, absolute, sign, sgn, copysign, heaviside, signbit,
) = map(
    _taking_out,
    (
        signs.abs, signs.absolute, signs.sign, signs.sgn, signs.copysign, signs.heaviside, signs.signbit,
    ),
)  # fmt: skip
(
    maximum, minimum, fmax, fmin, clamp, clip, clamp_min, clamp_max,
) = map(
    _taking_out,
    (
        bounds.maximum, bounds.minimum, bounds.fmax, bounds.fmin, bounds.clamp, bounds.clip, bounds.clamp_min,
        bounds.clamp_max,
    ),
)  # fmt: skip
(
    pow, square, sqrt, rsqrt, float_power,
) = map(
    _taking_out,
    (
        powers.pow, powers.square, powers.sqrt, powers.rsqrt, powers.float_power,
    ),
)  # fmt: skip
(
    exp, exp2, expm1, log, log2, log10, log1p, logaddexp, logaddexp2, xlogy, logit,
) = map(
    _taking_out,
    (
        exponential.exp, exponential.exp2, exponential.expm1, exponential.log, exponential.log2, exponential.log10,
        exponential.log1p, exponential.logaddexp, exponential.logaddexp2, exponential.xlogy, exponential.logit,
    ),
)  # fmt: skip
(
    erf, erfc, erfinv,
) = map(
    _taking_out,
    (
        error_function.erf, error_function.erfc, error_function.erfinv,
    ),
)  # fmt: skip
(
    sin, cos, tan, asin, acos, atan, atan2, hypot, sinh, cosh, tanh, asinh, acosh, atanh, deg2rad, rad2deg, sinc,
    arcsin, arccos, arctan, arctan2, arcsinh, arccosh, arctanh,
) = map(
    _taking_out,
    (
        trigonometry.sin, trigonometry.cos, trigonometry.tan, trigonometry.asin, trigonometry.acos,
        trigonometry.atan, trigonometry.atan2, trigonometry.hypot, trigonometry.sinh, trigonometry.cosh,
        trigonometry.tanh, trigonometry.asinh, trigonometry.acosh, trigonometry.atanh, trigonometry.deg2rad,
        trigonometry.rad2deg, trigonometry.sinc, trigonometry.arcsin, trigonometry.arccos, trigonometry.arctan,
        trigonometry.arctan2, trigonometry.arcsinh, trigonometry.arccosh, trigonometry.arctanh,
    ),
)  # fmt: skip
(
    relu, threshold, hardshrink,
) = map(
    _taking_out,
    (
        activations_piecewise.plain_relu, activations_piecewise.threshold, activations_piecewise.hardshrink,
    ),
)  # fmt: skip
sigmoid = _taking_out(activations_smooth.sigmoid)
(
    eq, ne, lt, le, gt, ge, not_equal, less, less_equal, greater, greater_equal, isin,
) = map(
    _taking_out,
    (
        comparison.eq, comparison.ne, comparison.lt, comparison.le, comparison.gt, comparison.ge,
        comparison.not_equal, comparison.less, comparison.less_equal, comparison.greater, comparison.greater_equal,
        comparison.isin,
    ),
)  # fmt: skip
(
    logical_and, logical_or, logical_xor, logical_not,
) = map(
    _taking_out,
    (
        logic.logical_and, logic.logical_or, logic.logical_xor, logic.logical_not,
    ),
)  # fmt: skip
(
    bitwise_and, bitwise_or, bitwise_xor, bitwise_not, bitwise_left_shift, bitwise_right_shift,
) = map(
    _taking_out,
    (
        bits.bitwise_and, bits.bitwise_or, bits.bitwise_xor, bits.bitwise_not, bits.bitwise_left_shift,
        bits.bitwise_right_shift,
    ),
)  # fmt: skip
(
    isposinf, isneginf, nan_to_num,
) = map(
    _taking_out,
    (
        special_values.isposinf, special_values.isneginf, special_values.nan_to_num,
    ),
)  # fmt: skip
isnan, isinf, isfinite = special_values.isnan, special_values.isinf, special_values.isfinite
where = _taking_out(choice.where)
clone = _taking_out(conversion.clone)
(
    sum, mean, nansum, nanmean,
) = map(
    _taking_out,
    (
        sums.sum, sums.mean, sums.nansum, sums.nanmean,
    ),
)  # fmt: skip
prod = _taking_out(prod_.prod)
(
    var, std,
) = map(
    _taking_out,
    (
        variance.var, variance.std,
    ),
)  # fmt: skip
(
    max, min, argmax, argmin, amax, amin, aminmax,
) = map(
    _taking_out,
    (
        extremes.max, extremes.min, extremes.argmax, extremes.argmin, extremes.amax, extremes.amin,
        extremes.aminmax,
    ),
)  # fmt: skip
(
    all, any,
) = map(
    _taking_out,
    (
        truth.all, truth.any,
    ),
)  # fmt: skip
norm = _taking_out(vector_norm.norm)
(
    searchsorted, bucketize, histc,
) = map(
    _taking_out,
    (
        bins.searchsorted, bins.bucketize, bins.histc,
    ),
)  # fmt: skip
(
    sort, msort, topk,
) = map(
    _taking_out,
    (
        sorting.sort, sorting.msort, sorting.topk,
    ),
)  # fmt: skip
(
    median, nanmedian, kthvalue, quantile, nanquantile,
) = map(
    _taking_out,
    (
        quantiles.median, quantiles.nanmedian, quantiles.kthvalue, quantiles.quantile, quantiles.nanquantile,
    ),
)  # fmt: skip
mode = _taking_out(distinct.mode)
(
    cumsum, cumprod, logcumsumexp, cummax, cummin,
) = map(
    _taking_out,
    (
        cumulative.cumsum, cumulative.cumprod, cumulative.logcumsumexp, cumulative.cummax, cumulative.cummin,
    ),
)  # fmt: skip
diff = _taking_out(differences.diff)
logsumexp = _taking_out(softmax_.logsumexp)
tril, triu, diag, narrow_copy = map(
    _taking_out,
    (triangles.tril, triangles.triu, diagonals.diag, slicing.narrow_copy),
)
cat, stack, concat, concatenate, hstack, vstack, dstack, row_stack, column_stack = map(
    _taking_out,
    (
        joining.cat, joining.stack, joining.concat, joining.concatenate, joining.hstack, joining.vstack,
        joining.dstack, joining.row_stack, joining.column_stack,
    ),
)  # fmt: skip
gather, take_along_dim, scatter, scatter_add, scatter_reduce, take = map(
    _taking_out,
    (
        gather_.gather, gather_.take_along_dim, scatter_.scatter, scatter_.scatter_add, scatter_.scatter_reduce,
        take_.take,
    ),
)  # fmt: skip
index_select, index_add, index_copy, masked_select, nonzero = map(
    _taking_out,
    (
        index_select_.index_select, index_select_.index_add, index_select_.index_copy, masks.masked_select,
        masks.nonzero,
    ),
)  # fmt: skip
matmul, mm, bmm, mv, dot, vdot, outer, ger = map(
    _taking_out,
    (
        matmul_.matmul, matmul_.mm, matmul_.bmm, matmul_.mv, matmul_.dot, matmul_.vdot, matmul_.outer, matmul_.ger,
    ),
)  # fmt: skip
addmm, addmv, addr, addbmm, baddbmm = map(
    _taking_out,
    (addmm_.addmm, addmm_.addmv, addmm_.addr, addmm_.addbmm, addmm_.baddbmm),
)
tensordot, inner, kron, cross, matrix_power, inverse = map(
    _taking_out,
    (
        tensordot_.tensordot, tensordot_.inner, tensordot_.kron, cross_.cross, matrix_power_.matrix_power,
        inverse_.inverse,
    ),
)  # fmt: skip

squeeze, unsqueeze, unbind, chunk, narrow, select, softmax, log_softmax = (
    methods.METHODS[name]
    for name in ("squeeze", "unsqueeze", "unbind", "chunk", "narrow", "select", "softmax", "log_softmax")
)
argsort, std_mean, var_mean, count_nonzero, repeat_interleave = map(
    _taking_axis,
    (sorting.argsort, variance.std_mean, variance.var_mean, truth.count_nonzero, repeating.repeat_interleave),
)
# In-place methods that PyTorch has as functions, too.
abs_, cos_, exp_, log_, neg_, reciprocal_, relu_, sigmoid_, sin_, sqrt_, square_, tanh_, fill_, zero_ = (
    methods.METHODS[f"{name}_"]
    for name in (
        "abs", "cos", "exp", "log", "neg", "reciprocal", "relu", "sigmoid", "sin", "sqrt", "square", "tanh", "fill",
        "zero",
    )
)  # fmt: skip


def detach_(input: Tensor) -> Tensor:
    """Take a tensor itself out of the graph."""
    return input.detach_()

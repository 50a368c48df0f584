"""The operations as functions, `exp(x)` beside `x.exp()`, with what only functions have: the argument `out=`.

After this module a reader knows that a method and the function of its name are the same operation. A function with
`out=` writes its result into a tensor that is there already; a function with a trailing underscore is the in-place
method.
"""

from __future__ import annotations

from typing import Any

from minigrad import methods
from minigrad.ops.matrices import factorization, linalg, products
from minigrad.ops.places import gather as gather_
from minigrad.ops.pointwise import activation, arithmetic, comparison, elementwise, exponential, logic, trigonometry
from minigrad.ops.reductions import bins, order, reduction, scan, statistics
from minigrad.ops.reductions import softmax as softmax_
from minigrad.ops.shapes import arrange, joining, shape
from minigrad.tensor import Tensor
from minigrad.writing import taking_axis, taking_out

_taking_axis: Any = taking_axis
_taking_out: Any = taking_out  # ops are built-in functions to the type checker, which map() is strict about

abs, ceil, clone, cos, exp, floor, log, neg, reciprocal, relu, round, sigmoid, sign, sin, sqrt, tanh, trunc = map(
    _taking_out,
    (
        elementwise.abs, elementwise.ceil, elementwise.clone, elementwise.cos, elementwise.exp, elementwise.floor,
        elementwise.log, elementwise.neg, elementwise.reciprocal, elementwise.relu, elementwise.round,
        elementwise.sigmoid, elementwise.sign, elementwise.sin, elementwise.sqrt, elementwise.tanh, elementwise.trunc,
    ),
)  # fmt: skip
add, sub, mul, div, pow, where, square, logical_not = map(
    _taking_out,
    (
        methods.add, methods.sub, elementwise.mul, arithmetic.div, methods.pow, methods.where, methods.square,
        methods.logical_not,
    ),
)  # fmt: skip
floor_divide, remainder, maximum, minimum, clamp = map(
    _taking_out,
    (
        elementwise.floor_divide, elementwise.remainder, elementwise.maximum, elementwise.minimum, elementwise.clamp,
    ),
)  # fmt: skip
eq, ne, lt, le, gt, ge = map(
    _taking_out,
    (comparison.eq, comparison.ne, comparison.lt, comparison.le, comparison.gt, comparison.ge),
)
bitwise_and, bitwise_or, bitwise_xor, bitwise_not = map(
    _taking_out,
    (comparison.bitwise_and, comparison.bitwise_or, comparison.bitwise_xor, comparison.bitwise_not),
)
isnan, isinf, isfinite = comparison.isnan, comparison.isinf, comparison.isfinite
all, any, argmax, argmin, cumsum, max, mean, min, prod, std, sum, var = map(
    _taking_out,
    (
        reduction.all, reduction.any, reduction.argmax, reduction.argmin, reduction.cumsum, reduction.max,
        reduction.mean, reduction.min, reduction.prod, reduction.std, reduction.sum, reduction.var,
    ),
)  # fmt: skip
matmul, mm = map(_taking_out, (linalg.matmul, linalg.mm))
cat, stack = map(_taking_out, (shape.cat, shape.stack))

(
    tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, arcsin, arccos, arctan, arcsinh, arccosh, arctanh,
    atan2, arctan2, hypot, deg2rad, rad2deg, sinc,
) = map(
    _taking_out,
    (
        trigonometry.tan, trigonometry.asin, trigonometry.acos, trigonometry.atan, trigonometry.sinh,
        trigonometry.cosh, trigonometry.asinh, trigonometry.acosh, trigonometry.atanh, trigonometry.arcsin,
        trigonometry.arccos, trigonometry.arctan, trigonometry.arcsinh, trigonometry.arccosh,
        trigonometry.arctanh, trigonometry.atan2, trigonometry.arctan2, trigonometry.hypot,
        trigonometry.deg2rad, trigonometry.rad2deg, trigonometry.sinc,
    ),
)  # fmt: skip
(
    exp2, expm1, log2, log10, log1p, rsqrt, logaddexp, logaddexp2, xlogy, erf, erfc, erfinv, logit, float_power,
) = map(
    _taking_out,
    (
        exponential.exp2, exponential.expm1, exponential.log2, exponential.log10, exponential.log1p,
        exponential.rsqrt, exponential.logaddexp, exponential.logaddexp2, exponential.xlogy, exponential.erf,
        exponential.erfc, exponential.erfinv, exponential.logit, exponential.float_power,
    ),
)  # fmt: skip
(
    divide, true_divide, multiply, subtract, absolute, negative, clip, fix, fmod, lerp, addcmul, addcdiv, fmax,
    fmin, copysign, nan_to_num, frac, heaviside, sgn, clamp_min, clamp_max, gcd, lcm, bitwise_left_shift,
    bitwise_right_shift,
) = map(
    _taking_out,
    (
        arithmetic.divide, arithmetic.true_divide, arithmetic.multiply, arithmetic.subtract,
        arithmetic.absolute, arithmetic.negative, arithmetic.clip, arithmetic.fix, arithmetic.fmod,
        arithmetic.lerp, arithmetic.addcmul, arithmetic.addcdiv, arithmetic.fmax, arithmetic.fmin,
        arithmetic.copysign, arithmetic.nan_to_num, arithmetic.frac, arithmetic.heaviside, arithmetic.sgn,
        arithmetic.clamp_min, arithmetic.clamp_max, arithmetic.gcd, arithmetic.lcm,
        arithmetic.bitwise_left_shift, arithmetic.bitwise_right_shift,
    ),
)  # fmt: skip
(
    logical_and, logical_or, logical_xor, isposinf, isneginf, signbit, isin, greater, greater_equal, less,
    less_equal, not_equal,
) = map(
    _taking_out,
    (
        logic.logical_and, logic.logical_or, logic.logical_xor, logic.isposinf, logic.isneginf, logic.signbit,
        logic.isin, logic.greater, logic.greater_equal, logic.less, logic.less_equal, logic.not_equal,
    ),
)  # fmt: skip
logsumexp = _taking_out(softmax_.logsumexp)
(
    amax, amin, aminmax, nansum, nanmean, norm, histc,
) = map(
    _taking_out,
    (
        statistics.amax, statistics.amin, statistics.aminmax, statistics.nansum, statistics.nanmean,
        statistics.norm, statistics.histc,
    ),
)  # fmt: skip
(
    cumprod, cummax, cummin, logcumsumexp, diff,
) = map(
    _taking_out,
    (
        scan.cumprod, scan.cummax, scan.cummin, scan.logcumsumexp, scan.diff,
    ),
)  # fmt: skip
(
    sort, msort, topk, kthvalue, median, nanmedian, mode, quantile, nanquantile,
) = map(
    _taking_out,
    (
        order.sort, order.msort, order.topk, order.kthvalue, order.median, order.nanmedian, order.mode,
        order.quantile, order.nanquantile,
    ),
)  # fmt: skip
(
    tril, triu, diag, narrow_copy,
) = map(
    _taking_out,
    (
        arrange.tril, arrange.triu, arrange.diag, arrange.narrow_copy,
    ),
)  # fmt: skip
(
    concat, concatenate, hstack, vstack, dstack, row_stack, column_stack,
) = map(
    _taking_out,
    (
        joining.concat, joining.concatenate, joining.hstack, joining.vstack, joining.dstack, joining.row_stack,
        joining.column_stack,
    ),
)  # fmt: skip
(
    searchsorted, bucketize,
) = map(
    _taking_out,
    (
        bins.searchsorted, bins.bucketize,
    ),
)  # fmt: skip
(
    gather, scatter, scatter_add, scatter_reduce, take_along_dim, index_select, index_add, index_copy,
    masked_select, nonzero, take,
) = map(
    _taking_out,
    (
        gather_.gather, gather_.scatter, gather_.scatter_add, gather_.scatter_reduce, gather_.take_along_dim,
        gather_.index_select, gather_.index_add, gather_.index_copy, gather_.masked_select, gather_.nonzero,
        gather_.take,
    ),
)  # fmt: skip
(
    addbmm, addmm, addmv, addr, baddbmm, bmm, cross, dot, ger, inner, kron, matrix_power, mv, outer, tensordot,
    vdot,
) = map(
    _taking_out,
    (
        products.addbmm, products.addmm, products.addmv, products.addr, products.baddbmm, products.bmm,
        products.cross, products.dot, products.ger, products.inner, products.kron, products.matrix_power,
        products.mv, products.outer, products.tensordot, products.vdot,
    ),
)  # fmt: skip
inverse = _taking_out(factorization.inverse)
(
    threshold, hardshrink,
) = map(
    _taking_out,
    (
        activation.threshold, activation.hardshrink,
    ),
)  # fmt: skip

squeeze, unsqueeze, unbind, chunk, narrow, select, softmax, log_softmax = (
    methods.METHODS[name]
    for name in ("squeeze", "unsqueeze", "unbind", "chunk", "narrow", "select", "softmax", "log_softmax")
)
argsort, std_mean, var_mean, count_nonzero, repeat_interleave = map(
    _taking_axis,
    (order.argsort, statistics.std_mean, statistics.var_mean, statistics.count_nonzero, arrange.repeat_interleave),
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

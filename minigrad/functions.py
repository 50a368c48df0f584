"""The operations as functions, `exp(x)` beside `x.exp()`, with what only functions have: the argument `out=`.

After this module a reader knows that a method and the function of its name are the same operation. A function with
`out=` writes its result into a tensor that is there already; a function with a trailing underscore is the in-place
method.
"""

from __future__ import annotations

from typing import Any

from minigrad import methods
from minigrad.ops import comparison, elementwise, linalg, reduction, shape
from minigrad.tensor import Tensor
from minigrad.writing import taking_out

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
        methods.add, methods.sub, elementwise.mul, elementwise.div, methods.pow, elementwise.where, methods.square,
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

"""The operations as functions, `exp(x)` beside `x.exp()`, with what only functions have: the argument `out=`.

After this module a reader knows that a method and the function of its name are the same operation. A function with
`out=` writes its result into a tensor that is there already; a function with a trailing underscore is the in-place
method.
"""

from __future__ import annotations

from minigrad import methods
from minigrad.ops import comparison, elementwise, linalg, reduction, shape
from minigrad.tensor import Tensor
from minigrad.writing import taking_out

abs, clone, cos, exp, log, neg, reciprocal, relu, sigmoid, sign, sin, sqrt, tanh = map(
    taking_out,
    (
        elementwise.abs, elementwise.clone, elementwise.cos, elementwise.exp, elementwise.log, elementwise.neg,
        elementwise.reciprocal, elementwise.relu, elementwise.sigmoid, elementwise.sign, elementwise.sin,
        elementwise.sqrt, elementwise.tanh,
    ),
)  # fmt: skip
add, sub, mul, div, pow, where = map(
    taking_out,
    (methods.add, methods.sub, elementwise.mul, elementwise.div, methods.pow, elementwise.where),
)
logical_not, square = map(taking_out, (methods.logical_not, methods.square))
eq, ne, lt, le, gt, ge = map(
    taking_out,
    (comparison.eq, comparison.ne, comparison.lt, comparison.le, comparison.gt, comparison.ge),
)
bitwise_and, bitwise_or, bitwise_xor, bitwise_not = map(
    taking_out,
    (comparison.bitwise_and, comparison.bitwise_or, comparison.bitwise_xor, comparison.bitwise_not),
)
all, any, argmax, max, mean, sum = map(
    taking_out,
    (reduction.all, reduction.any, reduction.argmax, reduction.max, reduction.mean, reduction.sum),
)
matmul, mm = map(taking_out, (linalg.matmul, linalg.mm))
cat, stack = map(taking_out, (shape.cat, shape.stack))

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

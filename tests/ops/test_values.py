"""Values, derivatives, dtypes and errors at awkward points: kinks, ties, zeros, poles, inf, nan, nothing at all.

What each operation gives where the textbook's formula does not say, which dtype comes of which operands, and which
shapes and dimensions are refused in which words. Each row of a table is tried on both sides,
so a behaviour's outcome is often a dict: what was tried, and what it gave or how it was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from helpers.side_by_side import Behaviours, ours

import minigrad
from minigrad.ops.pointwise import activations

behaviours = Behaviours()

INF, NAN = float("inf"), float("nan")
DTYPES = ("bool", "int32", "int64", "float32", "float64")


def refusal(error: Exception, beginnings: Iterable[str]) -> list[str]:
    """An error by its type and by how it begins; in full if it begins in none of the ways that are known."""
    text = ours(str(error))
    return [type(error).__name__, next((b for b in beginnings if text.startswith(ours(b))), text)]


def tried(action: Callable[[], Any], *beginnings: str) -> Any:
    """What an action gives, or how it is refused."""
    try:
        return action()
    except Exception as error:
        return refusal(error, beginnings)


def derived(F: Any, function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """The value of a function, its gradients, and their gradients in turn (None for what is constant)."""
    out = function(*inputs)
    wanted = [t for t in inputs if t.requires_grad]
    if not out.requires_grad:
        return [out]
    first = F.autograd.grad(out.sum(), wanted, create_graph=True, allow_unused=True)
    total = sum(g.sum() for g in first if g is not None)
    second = F.autograd.grad(total, wanted, allow_unused=True) if total.requires_grad else None
    return [out, list(first), None if second is None else [g if g is None else g + 0 for g in second]]


def leaf(F: Any, values: Any, kind: str = "float32") -> Any:
    return F.tensor(values, dtype=getattr(F, kind), requires_grad=True)


# ---------------------------------------------------------------- functions of one number

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INF, -INF, NAN, 1e-30, -1e-30]
FAR = [1e4, -1e4, 1e30, -1e30]
UNARY = ("neg", "reciprocal", "exp", "log", "sqrt", "abs", "sign", "sin", "cos", "tanh", "sigmoid", "relu", "square")


def at_special_points(function: str) -> None:
    @behaviours(f"I01: {function} and its derivatives at zero, inf, nan and around")
    def _(F):
        return [derived(F, getattr(F, function), leaf(F, SPECIAL, kind)) for kind in ("float32", "float64")]

    @behaviours(f"I01: {function} of a single number, one at a time")
    def _(F):
        return [derived(F, getattr(F, function), leaf(F, value)) for value in SPECIAL]

    @behaviours(f"I01: {function} of nothing")
    def _(F):
        return [
            derived(F, getattr(F, function), t.requires_grad_()) for t in (F.zeros(0), F.zeros(2, 0), F.zeros(0, 3, 1))
        ]

    @behaviours(f"I01: {function} keeps the sign of zero as PyTorch does")
    def _(F):
        out = getattr(F, function)(F.tensor([0.0, -0.0, -INF, INF]))
        return 1 / out

    @behaviours(f"I04: {function} of every dtype")
    def _(F):
        return {
            f"{kind} {shape}": tried(
                lambda kind=kind, shape=shape: getattr(F, function)(F.ones(shape, dtype=getattr(F, kind))),
                "Negation, the `-` operator, on a bool tensor is not supported.",
                "\"abs_cpu\" not implemented for 'Bool'",
                "\"pow\" not implemented for 'Bool'",
                "Boolean inputs not supported for relu",
            )
            for kind in DTYPES
            for shape in ((), (2,), (0,))
        }


for function in UNARY:
    at_special_points(function)


for function in ("exp", "tanh", "sigmoid", "relu", "abs", "sign", "square", "log", "sqrt", "reciprocal"):

    @behaviours(f"I01: {function} and its derivatives far out")
    def _(F, function=function):
        return derived(F, getattr(F, function), leaf(F, FAR))


@behaviours("I01: clone, to and detach of inf and nan")
def _(F):
    x = leaf(F, [INF, NAN, -0.0])
    return derived(F, lambda t: t.clone().to(F.float64), x), x.detach()


@behaviours("I04: floats become integers by dropping what is behind the point, and bools by being zero or not")
def _(F):
    x = F.tensor([2.7, -2.7, 0.0, -0.0, 0.3, 1e9])
    return x.long(), x.int(), x.bool(), x.to(F.int32), F.tensor([INF, NAN]).bool()


@behaviours("I04: integers and bools become floats")
def _(F):
    big = F.tensor([2**24 + 1, -(2**40), 3])
    return big.float(), big.double(), F.tensor([True, False]).float(), F.tensor([5, 0, -1]).bool(), big.int()


@behaviours("I04: integers wrap around where they overflow")
def _(F):
    top32, top64 = F.tensor([2**31 - 1], dtype=F.int32), F.tensor([2**63 - 1])
    return [[top + 1, top * 2, -top - 2, top * top, F.abs(-top - 1), top.sum() + top.sum()] for top in (top32, top64)]


# ---------------------------------------------------------------- arithmetic

POINTS = [
    (0.0, 0.0),
    (0.0, -0.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, 1.0),
    (0.0, -1.0),
    (0.0, 0.5),
    (0.0, 2.0),
    (2.0, 3.0),
    (-2.0, 2.0),
    (-2.0, 3.0),
    (-2.0, 0.5),
    (-2.0, -1.0),
    (1.0, INF),
    (0.5, INF),
    (0.5, -INF),
    (2.0, INF),
    (2.0, -INF),
    (INF, 0.0),
    (INF, 1.0),
    (INF, -1.0),
    (INF, INF),
    (INF, -INF),
    (0.0, INF),
    (0.0, -INF),
    (-1.0, INF),
    (NAN, 0.0),
    (NAN, 1.0),
    (0.0, NAN),
    (1.0, NAN),
    (NAN, NAN),
    (1e30, 1e30),
    (1e-30, 1e-30),
]
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a ** b": lambda a, b: a**b,
}


def arithmetic(text: str, op: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"I01: {text} and its derivatives at zeros, poles, inf and nan")
    def _(F):
        a, b = (leaf(F, [point[i] for point in POINTS]) for i in (0, 1))
        out = op(a, b)
        return dict(zip(map(str, POINTS), zip(out, *F.autograd.grad(out.sum(), (a, b)), strict=True), strict=True))

    @behaviours(f"I01: {text} and its second derivatives where both are finite")
    def _(F):
        finite = [(2.0, 3.0), (-2.0, 2.0), (-2.0, 3.0), (1.0, 0.0), (0.5, 0.5), (3.0, -1.0)]
        return derived(F, op, *(leaf(F, [point[i] for point in finite]) for i in (0, 1)))

    @behaviours(f"I01: {text} with a number on the right")
    def _(F):
        numbers = (0, 1, 2, 3, -1, 0.0, 0.5, 2.0, -0.5, True, INF, NAN)
        values = [0.0, 2.0, -2.0, INF, NAN]
        return {str(n): tried(lambda n=n: derived(F, lambda a: op(a, n), leaf(F, values)), *NOT_MIXED) for n in numbers}

    @behaviours(f"I01: {text} with a number on the left")
    def _(F):
        numbers = (0, 1, 2, -1, 0.0, 0.5, -2.0, INF)
        values = [0.0, 1.0, 2.0, -1.0, 0.5]
        return {str(n): tried(lambda n=n: derived(F, lambda b: op(n, b), leaf(F, values)), *NOT_MIXED) for n in numbers}

    @behaviours(f"I01: {text} of an operand with itself")
    def _(F):
        return derived(F, lambda a: op(a, a), leaf(F, [0.0, 1.0, 2.0, -1.0, INF]))

    @behaviours(f"I01: {text} of nothing, and with one element that is repeated no times")
    def _(F):
        shapes = [((0,), (0,)), ((0,), ()), ((0, 3), (3,)), ((0, 3), (1, 3)), ((2, 0), (1,)), ((1,), (0,))]
        return [derived(F, op, *(F.ones(shape).requires_grad_() for shape in pair)) for pair in shapes]

    @behaviours(f"I01: {text} of operands of any shapes that fit: sums of gradients go back")
    def _(F):
        shapes = [
            ((), ()),
            ((3,), ()),
            ((), (2, 1)),
            ((2, 1), (3,)),
            ((2, 1, 3), (4, 1)),
            ((1,), (1, 1, 1)),
            ((2,), (2, 2)),
        ]
        return [
            [out, *F.autograd.grad(out.sum(), (a, b))]
            for a, b, out in (
                (a, b, op(a, b))
                for a, b in (
                    (leaf(F, 2.0).expand(p).detach().requires_grad_(), leaf(F, 3.0).expand(q).detach().requires_grad_())
                    for p, q in shapes
                )
            )
        ]

    for first, second, message in (
        ((3,), (4,), "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"),
        ((2, 3), (4,), "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
        ((2, 3), (3, 3), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
        ((0,), (3,), "The size of tensor a (0) must match the size of tensor b (3) at non-singleton dimension 0"),
        (
            (5, 2, 1),
            (3, 1),
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1",
        ),
    ):

        @behaviours(f"I03: {text} of shapes {first} and {second} is refused", error=RuntimeError, says=message)
        def _(F, first=first, second=second):
            op(F.ones(first), F.ones(second))


for text, op in ARITHMETIC.items():
    arithmetic(text, op)


@behaviours("I01: powers of zero with a sign")
def _(F):
    numbers = (0, 1, 2, 3, -1, -2, -3, 0.5, -0.5, 1.5, -1.5)
    zeros = ([0.0, -0.0], 0.0, -0.0)
    return {f"{z} ** {n}": derived(F, lambda x, n=n: x**n, leaf(F, z)) for n in numbers for z in zeros}


@behaviours("I01: powers of -inf, with and without dimensions")
def _(F):
    infinity = float("inf")
    return [derived(F, lambda x, n=n: x**n, leaf(F, z)) for n in (0.5, -0.5, 2, 3) for z in (-infinity, [-infinity])]


@behaviours("I01: 0 ** 0 is 1, and neither operand gets a gradient")
def _(F):
    base, exponent = leaf(F, 0.0), leaf(F, 0.0)
    return F.autograd.grad(base**exponent, (base, exponent)), base**exponent, base**0, 0**exponent


@behaviours(
    "I04: integers to a negative power", error=RuntimeError, says="Integers to negative integer powers are not allowed."
)
def _(F):
    F.tensor([2, 3]) ** -1


@behaviours("I04: integers to powers of integers in a tensor")
def _(F):
    return F.tensor([2, -3, 0, 1, -1]) ** F.tensor([3, 3, 0, 5, 4]), F.tensor([1, -1, 2]) ** F.tensor([-1, -1, -2])


@behaviours("I04: bools add as or, multiply as and, and do not subtract")
def _(F):
    a, b = F.tensor([True, True, False]), F.tensor([True, False, False])
    return a + b, a * b, a / b, tried(lambda: a - b, "Subtraction, the `-` operator, with two bool tensors"), a + True


@behaviours("I04: division of integers is of floats")
def _(F):
    a, b = F.tensor([7, -7, 1, 0]), F.tensor([2, 2, 0, 0])
    return a / b, a / 2, 7 / b, F.tensor(7) / F.tensor(2)


@behaviours("I01: comparisons with nan, inf and zeros of both signs")
def _(F):
    a, b = (F.tensor([point[i] for point in POINTS]) for i in (0, 1))
    return [a == b, a != b, a < b, a <= b, a > b, a >= b, a == NAN, a < 0, a != 0]


@behaviours("I01: where gives each side its part of the gradient, ties and all")
def _(F):
    a, b = leaf(F, [1.0, 2.0, 3.0]), leaf(F, [3.0, 2.0, 1.0])
    return derived(F, lambda a, b: F.where(a > b, a * a, b * b), a, b)


@behaviours("I02: where lets the nan of the side not taken through to the gradient")
def _(F):
    return [
        derived(F, lambda x: F.where(x > 0, F.sqrt(x), x), leaf(F, [-1.0, 0.0, 4.0])),
        derived(F, lambda x: F.where(x == 0, x, 1 / x), leaf(F, [0.0, 2.0])),
        derived(F, lambda x: F.where(x > 0, F.log(x), x * 0), leaf(F, [0.0, 1.0])),
    ]


@behaviours("I02: where before the function keeps the nan out")
def _(F):
    one = F.ones(())
    return derived(F, lambda x: F.where(x > 0, F.sqrt(F.where(x > 0, x, one)), x), leaf(F, [-1.0, 0.0, 4.0]))


@behaviours("I02: zero times inf is nan in the gradient")
def _(F):
    return [
        derived(F, lambda x: F.sqrt(x) * 0, leaf(F, [0.0, 1.0])),
        derived(F, lambda x: F.sqrt(x * x), leaf(F, [0.0, 1.0])),
        derived(F, lambda x: F.log(F.exp(x)), leaf(F, [200.0, 1.0])),
    ]


@behaviours(
    "I03: where wants bools",
    error=RuntimeError,
    says="where expected condition to be a boolean tensor, but got a tensor",
)
def _(F):
    F.where(F.tensor([1, 0]), F.ones(2), F.ones(2))


# ---------------------------------------------------------------- reductions

TIES = [[3.0, 1.0, 3.0], [3.0, 3.0, -2.0]]
WITH_NAN = [[NAN, 1.0, 2.0], [5.0, NAN, NAN]]
INFINITE = [[INF, 1.0, INF], [-INF, -INF, -INF]]
REDUCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum()": lambda x: x.sum(),
    "sum(0)": lambda x: x.sum(0),
    "sum(-1, True)": lambda x: x.sum(-1, True),
    "sum((0, 1))": lambda x: x.sum((0, 1)),
    "sum(())": lambda x: x.sum(()),
    "mean()": lambda x: x.mean(),
    "mean(1)": lambda x: x.mean(1),
    "mean((0, -1), True)": lambda x: x.mean((0, -1), True),
    "max()": lambda x: x.max(),
    "max(0)": lambda x: x.max(0).values,
    "max(1, True)": lambda x: x.max(1, True).values,
}


def reduction(text: str, reduce: Callable[[Any], Any]) -> None:
    for kind, values in {"ties": TIES, "nan": WITH_NAN, "infinities": INFINITE}.items():

        @behaviours(f"I01: {text} and its derivatives with {kind}")
        def _(F, values=values):
            x = leaf(F, values)
            return derived(F, lambda x: reduce(x) * reduce(x), x)

    @behaviours(f"I01: {text} of nothing, of one and of a single number")
    def _(F):
        shapes = ((0, 3), (2, 0), (1, 1))
        return {
            str(shape): tried(
                lambda shape=shape: derived(F, reduce, F.ones(shape).requires_grad_()),
                "max(): Expected reduction dim to be specified for input.numel() == 0.",
                "max(): Expected reduction dim 0 to have non-zero size.",
                "max(): Expected reduction dim 1 to have non-zero size.",
            )
            for shape in shapes
        }


for text, reduce in REDUCTIONS.items():
    reduction(text, reduce)


@behaviours("I01: reductions of a tensor without dimensions")
def _(F):
    x = leaf(F, 3.0)
    return [
        [derived(F, reduce, x) for reduce in (lambda x: x.sum(), lambda x: x.mean(), lambda x: x.max())],
        [derived(F, reduce, x) for reduce in (lambda x: x.sum(0), lambda x: x.mean(-1), lambda x: x.max(0).values)],
        [derived(F, lambda x: x.sum(0, True), x), x.max(0).indices, x.argmax(), x.argmax(0), x.all(), x.any()],
    ]


@behaviours("I01: max() shares the gradient over ties, max(dim) gives it to the index that it names")
def _(F):
    x = leaf(F, TIES)
    values, indices = x.max(1)
    return F.autograd.grad(x.max(), x), F.autograd.grad(values.sum(), x), indices, x.max(0).indices


@behaviours("I01: argmax: the first of equals, nan above all")
def _(F):
    return [
        [F.tensor(values).argmax(), F.tensor(values).argmax(0), F.tensor(values).argmax(1, keepdim=True)]
        for values in (TIES, WITH_NAN, INFINITE)
    ]


@behaviours("I01: all and any of nan, zeros and nothing")
def _(F):
    return [
        [reduce(F.tensor(values)) for values in ([NAN], [0.0, -0.0], [0.0, 1.0], [], [[], []], [True], [0, 3])]
        for reduce in (lambda t: t.all(), lambda t: t.any(), lambda t: t.all(0), lambda t: t.any(-1, True))
    ]


@behaviours("I01: the mean of nothing is nan, its sum is 0, and their gradients are empty")
def _(F):
    x = F.zeros(0).requires_grad_()
    return derived(F, lambda x: x.mean(), x), derived(F, lambda x: x.sum(), x)


@behaviours("I01: sums of large and small floats")
def _(F):
    x = F.tensor([1e8, 1.0, -1e8])
    return x.double().sum(), F.ones(1000).sum() * 0.1, (F.ones(1000, dtype=F.float64) * 0.1).sum()


REDUCED: dict[str, Callable[[Any], Any]] = {
    "sum()": lambda t: t.sum(),
    "sum(0)": lambda t: t.sum(0),
    "sum((0, 1), True)": lambda t: t.sum((0, 1), True),
    "mean()": lambda t: t.mean(),
    "mean(0)": lambda t: t.mean(0),
    "max()": lambda t: t.max(),
    "max(0)": lambda t: list(t.max(0)),
    "argmax()": lambda t: t.argmax(),
    "argmax(0)": lambda t: t.argmax(0),
    "all()": lambda t: t.all(),
    "all(0)": lambda t: t.all(0),
    "any()": lambda t: t.any(),
    "any(1, True)": lambda t: t.any(1, True),
}
for text, reduce in REDUCED.items():

    @behaviours(f"I04: {text} of every dtype")
    def _(F, reduce=reduce):
        return {
            kind: tried(
                lambda kind=kind: reduce(F.tensor([[1, 0, 1], [0, 0, 1]], dtype=getattr(F, kind))),
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype.",
                "argmax(): does not support bool input",
            )
            for kind in DTYPES
        }


@behaviours("I04: sum and mean into a dtype of one's choice")
def _(F):
    x = F.tensor([1.75, 2.5])
    return {
        kind: [
            x.sum(dtype=getattr(F, kind)),
            F.tensor([True, True]).sum(dtype=getattr(F, kind)),
            tried(lambda kind=kind: x.mean(dtype=getattr(F, kind)), "mean(): could not infer output dtype."),
        ]
        for kind in DTYPES
    }


@behaviours("I04: the gradient of a sum into another dtype comes back in the input's")
def _(F):
    x = leaf(F, [1.0, 2.0])
    return [F.autograd.grad(out, x) for out in (x.sum(dtype=F.float64), x.mean(0, dtype=F.float64))]


# ---------------------------------------------------------------- products of matrices

PRODUCTS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((5, 2, 3), (3, 2)),
    ((2, 3), (5, 3, 2)),
    ((5, 2, 3), (5, 3, 1)),
    ((5, 2, 3), (1, 3, 1)),
    ((4, 1, 2, 3), (5, 3, 2)),
    ((0,), (0,)),
    ((2, 0), (0, 3)),
    ((0, 3), (3, 2)),
    ((2, 3), (3, 0)),
    ((0, 2, 3), (3, 2)),
    ((2, 0), (0,)),
]
for first, second in PRODUCTS:

    @behaviours(f"I03: {first} @ {second} and its derivatives")
    def _(F, first=first, second=second):
        a, b = (
            F.arange(1.0, 1.0 + F.zeros(shape).numel()).reshape(shape).requires_grad_() for shape in (first, second)
        )
        return derived(F, lambda a, b: a @ b, a, b)


REFUSED_PRODUCTS = [
    ((2, 3), (2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    ((2, 3), (4, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)"),
    ((2, 3), (2,), "size mismatch, got input (2), mat (2x3), vec (2)"),
    ((3,), (2, 2), "mat1 and mat2 shapes cannot be multiplied (1x3 and 2x2)"),
    ((3,), (2,), "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements"),
    ((), (2,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ((2,), (), "both arguments to matmul need to be at least 1D, but they are 1D and 0D"),
    ((5, 2, 3), (4, 3, 2), "The size of tensor a (5) must match the size of tensor b (4) at non-singleton dimension 0"),
    ((5, 2, 3), (5, 2, 3), "Expected size for first two dimensions of batch2 tensor to be: [5, 3] but got: [5, 2]."),
    ((5, 2, 3), (2, 2), "mat1 and mat2 shapes cannot be multiplied (10x3 and 2x2)"),
    ((5, 2, 3), (2,), "size mismatch, got input (10), mat (10x3), vec (2)"),
    ((0, 3), (2, 2), "mat1 and mat2 shapes cannot be multiplied (0x3 and 2x2)"),
]
for first, second, message in REFUSED_PRODUCTS:

    @behaviours(f"I03: {first} @ {second} is refused", error=RuntimeError, says=message)
    def _(F, first=first, second=second):
        F.ones(first) @ F.ones(second)


@behaviours("I04: products of matrices do not mix dtypes")
def _(F):
    return {
        f"{a} @ {b}": tried(
            lambda a=a, b=b: F.ones(2, 2, dtype=getattr(F, a)) @ F.ones(2, 2, dtype=getattr(F, b)),
            "expected m1 and m2 to have the same dtype, but got: ",
            "\"addmm_impl_cpu_\" not implemented for 'Bool'",
        )
        for a in DTYPES
        for b in DTYPES
    }


@behaviours("I02: products of matrices with inf and nan")
def _(F):
    a, b = leaf(F, [[INF, 0.0], [NAN, 1.0]]), leaf(F, [[1.0, 2.0], [0.0, INF]])
    return derived(F, lambda a, b: a @ b, a, b)


# ---------------------------------------------------------------- dimensions and shapes

OUT_OF_RANGE = "Dimension out of range (expected to be in range of [{}, {}], but got {})"
SCALAR_REFUSED = (
    OUT_OF_RANGE.format(-1, 0, 1),
    OUT_OF_RANGE.format(-1, 0, -2),
    OUT_OF_RANGE.format(-2, 1, 2),
    "zero-dimensional tensor (at position 0) cannot be concatenated",
    "narrow() cannot be applied to a 0-dim tensor.",
    "select() cannot be applied to a 0-dim tensor.",
    "split expects at least a 1-dimensional tensor",
    "chunk expects at least a 1-dimensional tensor",
    "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering",
    "Dimension specified as 0 but tensor has no dimensions",
    "Dimension specified as -1 but tensor has no dimensions",
    "Dimension specified as 1 but tensor has no dimensions",
    "Dimension specified as -2 but tensor has no dimensions",
)
WITH_DIM: dict[str, tuple[Callable[[Any, Any, int], Any], int]] = {
    "sum": (lambda F, x, d: x.sum(d), 0),
    "mean": (lambda F, x, d: x.mean(d), 0),
    "max": (lambda F, x, d: x.max(d), 0),
    "argmax": (lambda F, x, d: x.argmax(d), 0),
    "all": (lambda F, x, d: x.all(d), 0),
    "any": (lambda F, x, d: x.any(d), 0),
    "transpose": (lambda F, x, d: x.transpose(0, d), 0),
    "permute": (lambda F, x, d: x.permute(*range(x.dim() - 1), d), 0),
    "squeeze": (lambda F, x, d: x.squeeze(d), 0),
    "unsqueeze": (lambda F, x, d: x.unsqueeze(d), 1),
    "flatten": (lambda F, x, d: x.flatten(d), 0),
    "cat": (lambda F, x, d: F.cat([x, x], d), 0),
    "stack": (lambda F, x, d: F.stack([x, x], d), 1),
    "narrow": (lambda F, x, d: x.narrow(d, 0, 1), 0),
    "select": (lambda F, x, d: x.select(d, 0), 0),
    "unbind": (lambda F, x, d: x.unbind(d), 0),
    "split": (lambda F, x, d: x.split(1, d), 0),
    "chunk": (lambda F, x, d: x.chunk(1, d), 0),
    "size": (lambda F, x, d: x.size(d), 0),
}
for text, (call, more) in WITH_DIM.items():
    for dim in (2 + more, 5, -3 - more):

        @behaviours(
            f"I03: {text} with dim {dim} of two dimensions is refused",
            error=IndexError,
            says=OUT_OF_RANGE.format(-2 - more, 1 + more, dim),
        )
        def _(F, call=call, dim=dim):
            call(F, F.ones(2, 3), dim)

    @behaviours(f"I03: {text} with each dim that there is, from the front and from the back")
    def _(F, call=call, more=more):
        x = F.arange(6.0).reshape(2, 3)

        def parts(out):
            return list(out) if isinstance(out, tuple) else out

        return {
            str(dim): tried(lambda dim=dim: parts(call(F, x, dim)), "permute(): duplicate dims are not allowed")
            for dim in range(-2 - more, 2 + more)
        }

    @behaviours(f"I03: {text} of a tensor without dimensions")
    def _(F, call=call):
        return {str(dim): tried(lambda dim=dim: call(F, F.ones(()), dim), *SCALAR_REFUSED) for dim in (0, -1, 1, -2)}


REFUSED_SHAPES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "view(4) of six": (lambda F: F.ones(2, 3).view(4), RuntimeError, "shape '[4]' is invalid for input of size 6"),
    "view(-1, 4) of six": (
        lambda F: F.ones(2, 3).view(-1, 4),
        RuntimeError,
        "shape '[-1, 4]' is invalid for input of size 6",
    ),
    "view(-1, -1)": (lambda F: F.ones(2, 3).view(-1, -1), RuntimeError, "only one dimension can be inferred"),
    "view(-2)": (lambda F: F.ones(2, 3).view(-2), RuntimeError, "invalid shape dimension -2"),
    "view of transposed memory": (
        lambda F: F.ones(2, 3).t().view(6),
        RuntimeError,
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead.",
    ),
    "view(-1, 0) of nothing": (
        lambda F: F.ones(0).view(-1, 0),
        RuntimeError,
        "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any "
        "value and is ambiguous",
    ),
    "reshape(5) of six": (lambda F: F.ones(6).reshape(5), RuntimeError, "shape '[5]' is invalid for input of size 6"),
    "expand of two to three": (
        lambda F: F.ones(2, 1).expand(3, 4),
        RuntimeError,
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.",
    ),
    "expand to fewer dimensions": (
        lambda F: F.ones(2, 3).expand(3),
        RuntimeError,
        "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be greater or equal to the "
        "number of dimensions in the tensor (2)",
    ),
    "expand with -1 in front": (
        lambda F: F.ones(3).expand(-1, 3),
        RuntimeError,
        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension",
    ),
    "permute with a dim twice": (
        lambda F: F.ones(2, 3).permute(0, 0),
        RuntimeError,
        "permute(): duplicate dims are not allowed",
    ),
    "permute with too few dims": (
        lambda F: F.ones(2, 3).permute(0),
        RuntimeError,
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
        "ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1",
    ),
    "t of three dimensions": (
        lambda F: F.ones(1, 2, 3).t(),
        RuntimeError,
        "t() expects a tensor with <= 2 dimensions, but self is 3D",
    ),
    "flatten from behind to before": (
        lambda F: F.ones(2, 3).flatten(1, 0),
        RuntimeError,
        "flatten() has invalid args: start_dim cannot come after end_dim",
    ),
    "sum over a dim twice": (
        lambda F: F.ones(2, 3).sum((0, -2)),
        RuntimeError,
        "dim 0 appears multiple times in the list of dims",
    ),
    "cat of nothing": (lambda F: F.cat([]), ValueError, "torch.cat(): expected a non-empty list of Tensors"),
    "cat of different sizes": (
        lambda F: F.cat([F.ones(2, 3), F.ones(2, 4)]),
        RuntimeError,
        "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in the "
        "list.",
    ),
    "cat of different numbers of dimensions": (
        lambda F: F.cat([F.ones(2, 3), F.ones(2)]),
        RuntimeError,
        "Tensors must have same number of dimensions: got 2 and 1",
    ),
    "cat of 0-d tensors": (
        lambda F: F.cat([F.ones(()), F.ones(())]),
        RuntimeError,
        "zero-dimensional tensor (at position 0) cannot be concatenated",
    ),
    "stack of nothing": (lambda F: F.stack([]), RuntimeError, "stack expects a non-empty TensorList"),
    "stack of different sizes": (
        lambda F: F.stack([F.ones(2), F.ones(3)]),
        RuntimeError,
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
    ),
    "narrow beyond the end": (
        lambda F: F.ones(3).narrow(0, 2, 2),
        RuntimeError,
        "start (2) + length (2) exceeds dimension size (3).",
    ),
    "narrow of a negative length": (
        lambda F: F.ones(3).narrow(0, 0, -1),
        RuntimeError,
        "narrow(): length must be non-negative.",
    ),
    "narrow from beyond": (
        lambda F: F.ones(3).narrow(0, 5, 1),
        IndexError,
        "start out of range (expected to be in range of [-3, 3], but got 5)",
    ),
    "select beyond the end": (
        lambda F: F.ones(2, 3).select(1, 3),
        IndexError,
        "select(): index 3 out of range for tensor of size [2, 3] at dimension 1",
    ),
    "split into sizes that do not add up": (
        lambda F: F.ones(3).split([1, 1]),
        RuntimeError,
        "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at dimension 0), but got "
        "split_sizes=[1, 1]",
    ),
    "split into pieces of less than nothing": (
        lambda F: F.ones(3).split(-1),
        RuntimeError,
        "split expects split_size be non-negative, but got split_size=-1",
    ),
    "chunk into none": (
        lambda F: F.ones(3).chunk(0),
        RuntimeError,
        "chunk expects `chunks` to be greater than 0, got: 0",
    ),
    "diagonal of one dimension": (
        lambda F: F.ones(3).diagonal(),
        IndexError,
        OUT_OF_RANGE.format(-1, 0, 1),
    ),
    "diagonal along one dimension twice": (
        lambda F: F.ones(2, 2).diagonal(0, 1, -1),
        RuntimeError,
        "diagonal dimensions cannot be identical 1, -1",
    ),
    "as_strided beyond the memory": (
        lambda F: F.ones(3).as_strided((4,), (1,)),
        RuntimeError,
        "setStorage: sizes [4], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 16 are out "
        "of bounds for storage of size 12",
    ),
    "as_strided with unequal lists": (
        lambda F: F.ones(3).as_strided((1, 2), (1,)),
        RuntimeError,
        "mismatch in length of strides and shape",
    ),
    "max of nothing": (
        lambda F: F.ones(0).max(),
        RuntimeError,
        "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
        "'dim' argument.",
    ),
    "max along a dim of size 0": (
        lambda F: F.ones(2, 0).max(1),
        IndexError,
        "max(): Expected reduction dim 1 to have non-zero size.",
    ),
    "argmax of nothing": (
        lambda F: F.ones(0).argmax(),
        IndexError,
        "argmax(): Expected reduction dim to be specified for input.numel() == 0.",
    ),
    "mean of integers": (
        lambda F: F.ones(2, dtype=F.int64).mean(),
        RuntimeError,
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long",
    ),
    "an index beyond the end": (
        lambda F: F.ones(2)[2],
        IndexError,
        "index 2 is out of bounds for dimension 0 with size 2",
    ),
    "an index too many": (lambda F: F.ones(2)[0, 0], IndexError, "too many indices for tensor of dimension 1"),
    "an index of a 0-d tensor": (
        lambda F: F.ones(())[0],
        IndexError,
        "invalid index of a 0-dim tensor. Use `tensor.item()`",
    ),
    "a float as an index": (
        lambda F: F.ones(2)[1.0],
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)",
    ),
    "a mask of another shape": (
        lambda F: F.ones(2, 3)[F.ones(3, dtype=F.bool)],
        IndexError,
        "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0",
    ),
    "lists of indices that do not fit": (
        lambda F: F.ones(2, 3)[[0, 1], [0, 1, 2]],
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ),
    "a list of indices beyond the end": (
        lambda F: F.ones(2, 3)[[0, 2]],
        IndexError,
        "index 2 is out of bounds for dimension 0 with size 2",
    ),
    "a float tensor as an index": (
        lambda F: F.ones(2)[F.ones(1)],
        IndexError,
        "tensors used as indices must be long, int, byte or bool tensors",
    ),
    "where of shapes that do not fit": (
        lambda F: F.where(F.tensor([True, False]), F.ones(3), F.ones(3)),
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    "a float tensor's bits": (
        lambda F: F.ones(2) & F.ones(2),
        NotImplementedError,
        "\"bitwise_and_cpu\" not implemented for 'Float'",
    ),
    "a float tensor's complement": (
        lambda F: ~F.ones(2),
        TypeError,
        "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
    ),
}


def refused_shape(text: str, call: Callable[[Any], Any], error: type[Exception], says: str) -> None:
    @behaviours(f"I03: {text} is refused", error=error, says=says)
    def _(F):
        call(F)


for text, (call, error, says) in REFUSED_SHAPES.items():
    refused_shape(text, call, error, says)


REARRANGED: dict[str, Callable[[Any], Any]] = {
    "reshape(-1)": lambda x: x.reshape(-1),
    "flatten()": lambda x: x.flatten(),
    "transpose(0, -1)": lambda x: x.transpose(0, -1),
    "permute backwards": lambda x: x.permute(tuple(range(x.dim())[::-1])),
    "T": lambda x: x.t() if x.dim() <= 2 else x.transpose(0, 2),
    "unsqueeze(-1)": lambda x: x.unsqueeze(-1),
    "squeeze()": lambda x: x.squeeze(),
    "squeeze(0)": lambda x: x.squeeze(0),
    "expand in front": lambda x: x.expand(2, *x.shape),
    "[None, ...]": lambda x: x[None, ...],
    "[...]": lambda x: x[...],
    "clone()": lambda x: x.clone(),
}


def rearranged(text: str, arrange: Callable[[Any], Any]) -> None:
    @behaviours(f"I01: {text} of nothing, of one, of a single number, and of more")
    def _(F):
        shapes = [(), (1,), (0,), (3,), (2, 0), (1, 1), (0, 3), (2, 3), (1, 0, 2), (2, 1, 3)]
        outcomes = []
        for shape in shapes:
            x = F.ones(shape).requires_grad_()
            out = arrange(x)
            outcomes.append([out, F.autograd.grad((out * out).sum(), x)])
        return outcomes


for text, arrange in REARRANGED.items():
    rearranged(text, arrange)


@behaviours("I01: cat and stack of nothing, of one and of several")
def _(F):
    outcomes = []
    for shapes in ([(0,), (2,)], [(2, 0), (2, 3)], [(1,)], [(0, 2), (0, 2)], [(2, 1), (2, 2), (2, 3)]):
        parts = [F.ones(shape).requires_grad_() for shape in shapes]
        out = F.cat(parts, -1)
        outcomes.append([out, F.autograd.grad((out * out).sum(), parts)])
        same = [F.ones(shapes[0]).requires_grad_() for _ in range(2)]
        out = F.stack(same, 1)
        outcomes.append([out, F.autograd.grad((out * out).sum(), same)])
    return outcomes


@behaviours("I01: cat skips what is empty and has one dimension")
def _(F):
    return tried(lambda: F.cat([F.ones(2, 3), F.zeros(0), F.ones(1, 3)]))


@behaviours("I01: elements taken more than once by indices, and none")
def _(F):
    x = leaf(F, [[1.0, 2.0], [3.0, 4.0]])
    indices = [
        [0, 0, 0],
        [],
        [-1, 1],
        F.tensor([[0, 1], [1, 1]]),
        F.tensor([False, False]),
        F.tensor(1),
        x.detach() > 1,
    ]
    return [derived(F, lambda x, index=index: x[index] ** 2, x) for index in indices]


# ---------------------------------------------------------------- dtypes of results

OPERANDS: dict[str, Callable[[Any], Any]] = {
    **{f"{kind} tensor": lambda F, kind=kind: F.tensor([1, 1], dtype=getattr(F, kind)) for kind in DTYPES},
    **{f"{kind} 0-d": lambda F, kind=kind: F.tensor(1, dtype=getattr(F, kind)) for kind in DTYPES},
    "True": lambda F: True,
    "2": lambda F: 2,
    "2.5": lambda F: 2.5,
}
MIXED: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{text: lambda F, a, b, op=op: op(a, b) for text, op in ARITHMETIC.items()},
    "a == b": lambda F, a, b: a == b,
    "a != b": lambda F, a, b: a != b,
    "a < b": lambda F, a, b: a < b,
    "a >= b": lambda F, a, b: a >= b,
    "a & b": lambda F, a, b: a & b,
    "a | b": lambda F, a, b: a | b,
    "a ^ b": lambda F, a, b: a ^ b,
    "where(c, a, b)": lambda F, a, b: F.where(F.tensor([True, False]), a, b),
}
NOT_MIXED = (
    "Subtraction, the `-` operator, with two bool tensors is not supported.",
    "Subtraction, the `-` operator, with a bool tensor is not supported.",
    "\"bitwise_and_cpu\" not implemented for 'Float'",
    "\"bitwise_and_cpu\" not implemented for 'Double'",
    "\"bitwise_or_cpu\" not implemented for 'Float'",
    "\"bitwise_or_cpu\" not implemented for 'Double'",
    "\"bitwise_xor_cpu\" not implemented for 'Float'",
    "\"bitwise_xor_cpu\" not implemented for 'Double'",
    "\"pow\" not implemented for 'Bool'",
    *(
        f"result type {a} can't be cast to the desired output type {b}"
        for a, lower in {
            "Float": ("Int", "Long", "Bool"),
            "Double": ("Int", "Long", "Bool"),
            "Int": ("Bool",),
            "Long": ("Bool",),
        }.items()
        for b in lower
    ),
)


def of_two_kinds(text: str, op: Callable[[Any, Any, Any], Any], firsts: list[str]) -> None:
    @behaviours(f"I04: {text} where a is {firsts[0] if len(firsts) == 1 else 'of any kind'} and b of any other")
    def _(F):
        return {
            f"{first}, {second}": tried(lambda a=OPERANDS[first], b=b: op(F, a(F), b(F)), *NOT_MIXED)
            for first in firsts
            for second, b in OPERANDS.items()
            if "tensor" in first + second or "0-d" in first + second
        }


for text, op in MIXED.items():
    bits = text in ("a & b", "a | b", "a ^ b")
    for firsts in [list(OPERANDS)] if bits else [[kind] for kind in OPERANDS]:
        of_two_kinds(text, op, firsts)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "a.add_(b)": lambda a, b: a.add_(b),
    "a.sub_(b)": lambda a, b: a.sub_(b),
    "a.mul_(b)": lambda a, b: a.mul_(b),
    "a.div_(b)": lambda a, b: a.div_(b),
    "a.pow_(b)": lambda a, b: a.pow_(b),
}
for text, write in WRITES.items():

    @behaviours(f"I04: {text} of any two kinds keeps a's dtype or is refused")
    def _(F, write=write):
        return {
            f"{first}, {second}": tried(
                lambda make=make, other=other: write(make(F), other(F)),
                *NOT_MIXED,
                "output with shape [] doesn't match the broadcast shape [2]",
            )
            for first, make in OPERANDS.items()
            for second, other in OPERANDS.items()
            if "tensor" in first or "0-d" in first
        }


for text, join in {
    "cat": lambda F, a, b: F.cat([a, b]),
    "stack": lambda F, a, b: F.stack([a, b]),
}.items():

    @behaviours(f"I04: {text} of any two dtypes takes the higher")
    def _(F, join=join):
        return {
            f"{a}, {b}": join(F, F.tensor([1, 0], dtype=getattr(F, a)), F.tensor([1, 1], dtype=getattr(F, b)))
            for a in DTYPES
            for b in DTYPES
        }


@behaviours("I04: python's and numpy's numbers take part by their kind alone")
def _(F):
    x = F.tensor([1.5, 2.5])
    whole = F.tensor([1, 2], dtype=F.int32)
    numbers = (1, 1.5, True, np.float64(1.5), np.int64(2), np.float32(0.5), np.bool_(True))
    return [[(x + n).dtype, (x * n).dtype, (whole + n).dtype, (whole * n)] for n in numbers]


@behaviours("I04: each operand's gradient comes in its own dtype")
def _(F):
    outcomes = {}
    for text, op in {**ARITHMETIC, "where": lambda a, b: F.where(F.tensor([True, False]), a, b)}.items():
        for shape in ((2,), ()):
            a = leaf(F, [1.0, 2.0])
            b = F.ones(shape, dtype=F.float64).requires_grad_()
            out = op(a, b)
            outcomes[f"{text} {shape}"] = [out, F.autograd.grad(out.sum(), (a, b))]
    return outcomes


@behaviours("I04: the gradient of a cast comes in the dtype of what was cast")
def _(F):
    x = leaf(F, [1.5, -2.5])
    return [
        F.autograd.grad((x.to(F.float64) ** 2).sum(), x),
        F.autograd.grad((x.double() * F.ones(2)).sum(), x),
        x.to(F.int64).requires_grad,
        x.to(F.float32) is x,
    ]


@behaviours("I04: integers and bools in a product with floats that need grad")
def _(F):
    x = leaf(F, [1.5, -2.5])
    others = (F.tensor([2, 3]), F.tensor([True, False]), F.tensor(2, dtype=F.int32), 2, True)
    return [F.autograd.grad((x * other).sum(), x) for other in others]


test_as_in_torch = behaviours.test()


def test_gelu_of_many_numbers_is_gelu_of_each() -> None:
    """Its gate is computed in parts if there are many."""
    numbers = np.linspace(-4, 4, 5 * activations.PART // 2, dtype=np.float32).reshape(2, -1)
    for approximate in ("none", "tanh"):
        x, few = minigrad.tensor(numbers, requires_grad=True), minigrad.tensor(numbers[:, ::1000], requires_grad=True)
        out, of_few = (minigrad.nn.functional.gelu(value, approximate=approximate) for value in (x, few))
        gradients = [minigrad.autograd.grad(y.sum(), value)[0].numpy() for y, value in ((out, x), (of_few, few))]
        np.testing.assert_array_equal(out.detach().numpy()[:, ::1000], of_few.detach().numpy())
        np.testing.assert_array_equal(gradients[0][:, ::1000], gradients[1])

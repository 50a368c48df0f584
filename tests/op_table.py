"""What there is to compute, one row per way of computing it: the table that `test_ops.py` runs.

A row's function is written once, against a namespace `F` and its tensors, so the same lambda runs on minigrad and on
torch. Beside it stands the same thing said in numpy, which also says the dtype of the result. From each row and each of
its lists of shapes come a comparison with numpy, with torch, and with numerical first and second derivatives, and the
checks of shapes, dtypes and memory. A new op needs one row here; an op without a row fails `test_every_op_has_a_row`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Shapes = tuple[tuple[int, ...], ...]  # the shapes of all the inputs

UNARY: list[Shapes] = [((),), ((3,),), ((2, 3),), ((2, 1, 2),), ((0,),), ((2, 0),)]
BINARY: list[Shapes] = [
    ((), ()),
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (2, 2)),
    ((2, 2), ()),
    ((1,), (3,)),
    ((3,), (1, 1)),
    ((0, 3), (1, 3)),
    ((1,), (0,)),
]
# the second fits into the first
INTO: list[Shapes] = [((), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2,), ()), ((0, 3), (3,))]
CHOICE: list[Shapes] = [
    ((), (), ()),
    ((2, 3), (2, 3), (2, 3)),
    ((2, 1), (3,), ()),
    ((3,), (2, 3), (1, 3)),
    ((), (2,), (2,)),
    ((0,), (1,), ()),
]
VECTOR: list[Shapes] = [((3,),), ((4,),)]
MATRIX: list[Shapes] = [((3, 4),), ((4, 3),)]
MATRIX_OR_EMPTY: list[Shapes] = [((2, 3),), ((1, 3),), ((0, 3),), ((2, 0),)]
CUBE: list[Shapes] = [((2, 3, 4),), ((3, 3, 3),)]


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.standard_normal(shape)


def positive(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(0.5, 2, shape)


def apart(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of both signs, all different and away from 0: no kink or pole is near."""
    count = int(np.prod(shape))
    return random.permutation((np.arange(count) + 1) * 0.4 * np.where(np.arange(count) % 2, 1, -1)).reshape(shape)


def whole(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Small whole numbers, many of them equal."""
    return random.integers(-1, 2, shape).astype(float)


def between(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of both signs away from all multiples of a half: where rounding has no step."""
    return random.integers(-3, 3, shape) + random.uniform(0.1, 0.4, shape)


@dataclass(frozen=True, eq=False)
class Row:
    name: str
    function: Callable[..., Any]  # (F, *tensors) -> tensor
    numpy: Callable[..., Any]  # (*arrays) -> array
    shapes: Sequence[Shapes]
    node: str | None = None  # name of the result's node, where it is PyTorch's
    domain: Any = normal  # where the numbers come from: for all inputs, or a tuple with one for each
    differentiable: bool = True
    graph: bool = True  # if `node` is given: all the nodes and edges before it are PyTorch's too
    rounds: bool = False  # rounds to a coarser dtype, so that numerical differences say nothing
    contiguous: bool = False  # is an error for an input that is not contiguous, or looks at its memory


@dataclass(frozen=True, eq=False)
class Case:
    """A row with the shapes of its inputs."""

    row: Row
    shapes: Shapes

    def __str__(self) -> str:
        return f"{self.row.name} {' '.join('x'.join(map(str, shape)) or '0d' for shape in self.shapes)}"

    def arrays(self, dtype: str = "float64") -> list[np.ndarray]:
        """The inputs: the same ones each time."""
        random = np.random.default_rng(zlib.crc32(str(self).encode()))
        domains = self.row.domain if isinstance(self.row.domain, tuple) else (self.row.domain,) * len(self.shapes)
        return [np.asarray(domain(random, shape), dtype) for domain, shape in zip(domains, self.shapes, strict=True)]


def both(
    name: str,
    numpy: Callable[..., Any],
    node: str | None = None,
    domain: Any = normal,
    shapes: Any = UNARY,
    **more: Any,
) -> list[Row]:
    """Two rows: `F.name(...)` and `x.name(...)`."""
    return [
        Row(f"{name}()", lambda F, *inputs: getattr(F, name)(*inputs), numpy, shapes, node, domain, **more),
        Row(f".{name}()", lambda F, x, *others: getattr(x, name)(*others), numpy, shapes, node, domain, **more),
    ]


ARITHMETIC = [
    Row("x + y", lambda F, x, y: x + y, np.add, BINARY, "AddBackward0"),
    Row("x + 2", lambda F, x: x + 2, lambda x: np.add(x, 2), UNARY, "AddBackward0"),
    Row("2.5 + x", lambda F, x: 2.5 + x, lambda x: np.add(2.5, x), UNARY, "AddBackward0"),
    Row("x + True", lambda F, x: x + True, lambda x: np.add(x, 1), UNARY, "AddBackward0"),
    Row("x + x", lambda F, x: x + x, lambda x: 2 * x, UNARY, "AddBackward0"),
    *both("add", np.add, "AddBackward0", shapes=BINARY),
    Row("x - y", lambda F, x, y: x - y, np.subtract, BINARY, "SubBackward0"),
    Row("x - 2", lambda F, x: x - 2, lambda x: np.subtract(x, 2), UNARY, "SubBackward0"),
    Row("2 - x", lambda F, x: 2 - x, lambda x: np.subtract(2, x), UNARY, "RsubBackward1"),
    *both("sub", np.subtract, "SubBackward0", shapes=BINARY),
    Row("add(alpha)", lambda F, x, y: F.add(x, y, alpha=3), lambda x, y: x + 3 * y, BINARY, "AddBackward0"),
    Row("sub(alpha)", lambda F, x, y: x.sub(y, alpha=-2), lambda x, y: x + 2 * y, BINARY, "SubBackward0"),
    Row("x * y", lambda F, x, y: x * y, np.multiply, BINARY, "MulBackward0"),
    Row("x * 3", lambda F, x: x * 3, lambda x: np.multiply(x, 3), UNARY, "MulBackward0"),
    Row("0.5 * x", lambda F, x: 0.5 * x, lambda x: np.multiply(0.5, x), UNARY, "MulBackward0"),
    Row("x * x", lambda F, x: x * x, np.square, UNARY, "MulBackward0"),
    *both("mul", np.multiply, "MulBackward0", shapes=BINARY),
    Row("x / y", lambda F, x, y: x / y, np.divide, BINARY, "DivBackward0", (normal, apart)),
    Row("x / 4", lambda F, x: x / 4, lambda x: np.divide(x, 4), UNARY, "DivBackward0"),
    Row("2 / x", lambda F, x: 2 / x, lambda x: np.divide(2, x), UNARY, "MulBackward0", apart),
    *both("div", np.divide, "DivBackward0", (normal, apart), BINARY),
    *both("reciprocal", lambda x: 1 / x, "ReciprocalBackward0", apart),
    Row("x // y", lambda F, x, y: x // y, np.floor_divide, BINARY, None, (normal, apart), False),
    Row("x // 0.3", lambda F, x: x // 0.3, lambda x: np.floor_divide(x, 0.3), UNARY, None, normal, False),
    Row("2 // x", lambda F, x: 2 // x, lambda x: np.floor_divide(2, x), UNARY, None, apart, False),
    *both("floor_divide", np.floor_divide, None, (normal, apart), BINARY, differentiable=False),
    Row("x % y", lambda F, x, y: x % y, np.remainder, BINARY, "RemainderBackward1", (normal, apart)),
    Row("x % -0.3", lambda F, x: x % -0.3, lambda x: np.remainder(x, -0.3), UNARY, "RemainderBackward0"),
    Row("2 % x", lambda F, x: 2 % x, lambda x: np.remainder(2, x), UNARY, None, apart, False),
    *both("remainder", np.remainder, "RemainderBackward1", (normal, apart), BINARY),
    Row("-x", lambda F, x: -x, np.negative, UNARY, "NegBackward0"),
    *both("neg", np.negative, "NegBackward0"),
    Row("+x", lambda F, x: +(x * 2), lambda x: x * 2, UNARY, "MulBackward0"),
    Row("abs(x)", lambda F, x: abs(x), np.abs, UNARY, "AbsBackward0", apart),
    *both("abs", np.abs, "AbsBackward0", apart),
]

POWERS = [
    Row("x ** 2", lambda F, x: x**2, np.square, UNARY, "PowBackward0"),
    Row("x ** 3", lambda F, x: x**3, lambda x: x * x * x, UNARY, "PowBackward0"),
    Row("x ** 1", lambda F, x: x**1, lambda x: x, UNARY, "PowBackward0"),
    Row("x ** 0", lambda F, x: x**0, np.ones_like, UNARY, "PowBackward0"),
    Row("x ** -2", lambda F, x: x**-2, lambda x: 1 / (x * x), UNARY, "PowBackward0", apart),
    Row("x ** 0.5", lambda F, x: x**0.5, np.sqrt, UNARY, "PowBackward0", positive),
    Row("x ** -1.5", lambda F, x: x**-1.5, lambda x: 1 / (x * np.sqrt(x)), UNARY, "PowBackward0", positive),
    Row("x ** y", lambda F, x, y: x**y, np.power, BINARY, "PowBackward1", (positive, normal)),
    Row("x ** x", lambda F, x: x**x, lambda x: np.exp(x * np.log(x)), UNARY, "PowBackward1", positive),
    Row("2 ** x", lambda F, x: 2**x, np.exp2, UNARY, "PowBackward2"),
    Row("0.5 ** x", lambda F, x: 0.5**x, lambda x: np.exp2(-x), UNARY, "PowBackward2"),
    Row("pow(x, 3)", lambda F, x: F.pow(x, 3), lambda x: x * x * x, UNARY, "PowBackward0"),
    Row("pow(3, x)", lambda F, x: F.pow(3, x), lambda x: np.power(3, x), UNARY, "PowBackward2"),
    *both("pow", np.power, "PowBackward1", (positive, normal), BINARY),
    *both("square", np.square, "PowBackward0"),
]

FUNCTIONS = [
    *both("exp", np.exp, "ExpBackward0"),
    *both("log", np.log, "LogBackward0", positive),
    *both("sqrt", np.sqrt, "SqrtBackward0", positive),
    *both("sign", np.sign, "SignBackward0", apart),
    *both("floor", np.floor, "FloorBackward0", between),
    *both("ceil", np.ceil, "CeilBackward0", between),
    *both("trunc", np.trunc, "TruncBackward0", between),
    *both("round", np.rint, "RoundBackward0", between),
    Row(
        "round(decimals=1)",
        lambda F, x: F.round(x, decimals=1),
        lambda x: (np.rint(x * 10) / 10).astype(x.dtype),
        UNARY,
        "RoundBackward1",
    ),
    Row(
        "round(decimals=-1)",
        lambda F, x: (x * 10).round(decimals=-1),
        lambda x: np.rint(x) * 10,
        UNARY,
        "RoundBackward1",
        between,
    ),
    *both("sin", np.sin, "SinBackward0"),
    *both("cos", np.cos, "CosBackward0"),
    *both("tanh", np.tanh, "TanhBackward0"),
    *both("sigmoid", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    *both("relu", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    *both("maximum", np.maximum, "MaximumBackward0", shapes=BINARY),
    *both("minimum", np.minimum, "MinimumBackward0", shapes=BINARY),
    Row("max(x, y)", lambda F, x, y: F.max(x, y), np.maximum, BINARY, "MaximumBackward0"),
    Row("x.min(y)", lambda F, x, y: x.min(y), np.minimum, BINARY, "MinimumBackward0"),
    Row("clamp(-0.5, 1)", lambda F, x: F.clamp(x, -0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
    Row("clamp(min)", lambda F, x: x.clamp(min=0.2), lambda x: np.maximum(x, 0.2), UNARY, "ClampBackward1"),
    Row("clamp(max)", lambda F, x: x.clamp(max=0), lambda x: np.minimum(x, 0), UNARY, "ClampBackward1"),
    Row(
        "clamp(tensors)",
        lambda F, x, low, high: F.clamp(x, low, high),
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
        [((), (), ()), ((2, 3), (2, 3), (2, 3)), ((2, 3), (3,), ()), ((0,), (1,), ())],
        "ClampBackward0",
        graph=False,
    ),
    Row(
        "clamp(min=tensor)",
        lambda F, x, low: x.clamp(min=low),
        np.maximum,
        [((), ()), ((2, 3), (2, 3)), ((0,), (0,))],
        "ClampBackward0",
    ),
    Row("clamp(max=tensor)", lambda F, x, y: x.clamp(max=y), np.minimum, BINARY, "ClampBackward0", graph=False),
    *both("clone", np.array, "CloneBackward0"),
    Row(
        "tanh(sin(x) * exp(x))",
        lambda F, x: F.tanh(F.sin(x) * F.exp(x)),
        lambda x: np.tanh(np.sin(x) * np.exp(x)),
        UNARY,
    ),
]

REDUCTIONS = [
    *both("sum", np.sum, "SumBackward0"),
    Row("sum(0)", lambda F, x: F.sum(x, 0), lambda x: x.sum(0), MATRIX_OR_EMPTY + CUBE, "SumBackward1"),
    Row("sum(-1)", lambda F, x: x.sum(-1), lambda x: x.sum(-1), MATRIX_OR_EMPTY + CUBE, "SumBackward1"),
    Row("sum(-1) of 0d", lambda F, x: x.sum(-1), lambda x: x, [((),)], "SumBackward1"),
    Row("sum((0, 2))", lambda F, x: x.sum((0, 2)), lambda x: x.sum((0, 2)), CUBE, "SumBackward1"),
    Row("sum([-1, 0])", lambda F, x: x.sum([-1, 0]), lambda x: x.sum((0, 2)), CUBE, "SumBackward1"),
    Row(
        "sum(1, keepdim)",
        lambda F, x: x.sum(1, keepdim=True),
        lambda x: x.sum(1, keepdims=True),
        MATRIX_OR_EMPTY + CUBE,
        "SumBackward1",
    ),
    Row("sum(dim=(), keepdim)", lambda F, x: x.sum((), True), lambda x: x.sum(keepdims=True), UNARY, "SumBackward1"),
    Row("sum(dtype)", lambda F, x: x.sum(dtype=F.float64), lambda x: x.sum(dtype="float64"), UNARY, "SumBackward0"),
    *both("mean", np.mean, "MeanBackward0", shapes=[((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row(
        "mean(0)",
        lambda F, x: F.mean(x, 0),
        lambda x: x.mean(0),
        [((2, 3),), ((1, 3),), ((2, 0),), *CUBE],
        "MeanBackward1",
    ),
    Row("mean((0, -1))", lambda F, x: x.mean((0, -1)), lambda x: x.mean((0, 2)), CUBE, "MeanBackward1"),
    Row(
        "mean(-1, keepdim)",
        lambda F, x: x.mean(-1, keepdim=True),
        lambda x: x.mean(-1, keepdims=True),
        CUBE,
        "MeanBackward1",
    ),
    Row("mean of 0d along -1", lambda F, x: x.mean(-1), lambda x: x, [((),)], "MeanBackward1"),
    *both("prod", np.prod, "ProdBackward0", apart),
    Row("prod(0)", lambda F, x: F.prod(x, 0), lambda x: x.prod(0), MATRIX_OR_EMPTY + CUBE, "ProdBackward1", apart),
    Row(
        "prod(-1, keepdim)",
        lambda F, x: x.prod(-1, keepdim=True),
        lambda x: x.prod(-1, keepdims=True),
        MATRIX_OR_EMPTY + CUBE,
        "ProdBackward1",
        apart,
    ),
    Row("prod() with zeros", lambda F, x: x.prod(), np.prod, VECTOR + MATRIX, "ProdBackward0", whole),
    Row("prod(1) with zeros", lambda F, x: x.prod(1), lambda x: x.prod(1), MATRIX + CUBE, "ProdBackward1", whole),
    Row("prod(0) of 0d", lambda F, x: x.prod(0), lambda x: x, [((),)]),
    Row("prod(dtype)", lambda F, x: x.prod(dtype=F.float64), lambda x: x.prod(dtype="float64"), UNARY, "ProdBackward0"),
    Row("cumsum(0)", lambda F, x: F.cumsum(x, 0), lambda x: x.cumsum(0), MATRIX_OR_EMPTY + CUBE, "CumsumBackward0"),
    Row("cumsum(-1)", lambda F, x: x.cumsum(-1), lambda x: x.cumsum(-1), VECTOR + MATRIX + CUBE, "CumsumBackward0"),
    Row("cumsum(0) of 0d", lambda F, x: x.cumsum(0), lambda x: x, [((),)], "CumsumBackward0"),
    *both("var", lambda x: x.var(ddof=1), "VarBackward0", shapes=[((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row("var(0)", lambda F, x: F.var(x, 0), lambda x: x.var(0, ddof=1), MATRIX + CUBE, "VarBackward0"),
    Row(
        "var((0, -1), keepdim)",
        lambda F, x: x.var((0, -1), keepdim=True, correction=0),
        lambda x: x.var((0, 2), keepdims=True),
        CUBE,
        "VarBackward0",
    ),
    *both("std", lambda x: x.std(ddof=1), "StdBackward0", apart, [((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row("std(False)", lambda F, x: F.std(x, False), np.std, VECTOR + MATRIX, "StdBackward0", apart),
    Row(
        "std(1, keepdim)",
        lambda F, x: x.std(1, keepdim=True),
        lambda x: x.std(1, ddof=1, keepdims=True),
        MATRIX + CUBE,
        "StdBackward0",
        apart,
    ),
    *both("max", np.max, "MaxBackward1", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    *both("min", np.min, "MinBackward1", apart, [((),), ((3,),), ((2, 3),), ((2, 1, 2),)]),
    Row(
        "min(0)",
        lambda F, x: F.min(x, 0).values,
        lambda x: x.min(0),
        [((3,),), ((2, 0),), *MATRIX, *CUBE],
        "MinBackward0",
        apart,
    ),
    Row(
        "min(-1, keepdim)",
        lambda F, x: x.min(-1, keepdim=True)[0],
        lambda x: x.min(-1, keepdims=True),
        [((3,),), ((0, 2),), *MATRIX],
        "MinBackward0",
        apart,
    ),
    Row("min(1).indices", lambda F, x: x.min(1).indices, lambda x: x.argmin(1), CUBE, None, apart, False),
    *both("argmin", np.argmin, None, apart, [((),), ((3,),), ((2, 3),)], differentiable=False),
    Row(
        "argmin(0, keepdim)",
        lambda F, x: F.argmin(x, 0, True),
        lambda x: x.argmin(0, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    Row(
        "max(0)",
        lambda F, x: F.max(x, 0).values,
        lambda x: x.max(0),
        [((3,),), ((2, 0),), *MATRIX, *CUBE],
        "MaxBackward0",
        apart,
    ),
    Row(
        "max(-1)",
        lambda F, x: x.max(-1)[0],
        lambda x: x.max(-1),
        [((3,),), ((0, 2),), *MATRIX, *CUBE],
        "MaxBackward0",
        apart,
    ),
    Row(
        "max(1, keepdim)",
        lambda F, x: x.max(1, keepdim=True)[0],
        lambda x: x.max(1, keepdims=True),
        MATRIX,
        "MaxBackward0",
        apart,
    ),
    Row("max(1).indices", lambda F, x: x.max(1).indices, lambda x: x.argmax(1), CUBE, None, apart, False),
    Row(
        "max(1, keepdim)[1]",
        lambda F, x: x.max(1, True)[1],
        lambda x: x.argmax(1, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    *both("argmax", np.argmax, None, apart, [((),), ((3,),), ((2, 3),)], differentiable=False),
    Row("argmax(-1)", lambda F, x: x.argmax(-1), lambda x: x.argmax(-1), MATRIX, None, apart, False),
    Row(
        "argmax(0, keepdim)",
        lambda F, x: F.argmax(x, 0, True),
        lambda x: x.argmax(0, keepdims=True),
        MATRIX,
        None,
        apart,
        False,
    ),
    *both("all", np.all, None, whole, differentiable=False),
    *both("any", np.any, None, whole, differentiable=False),
    Row("all(0)", lambda F, x: F.all(x, 0), lambda x: x.all(0), MATRIX_OR_EMPTY, None, whole, False),
    Row(
        "any(-1, keepdim)",
        lambda F, x: x.any(-1, keepdim=True),
        lambda x: x.any(-1, keepdims=True),
        MATRIX_OR_EMPTY,
        None,
        whole,
        False,
    ),
]

MM: list[Shapes] = [((2, 3), (3, 4)), ((1, 3), (3, 1)), ((2, 0), (0, 3)), ((0, 2), (2, 3))]
BMM: list[Shapes] = [
    ((2, 2, 3), (2, 3, 2)),
    ((2, 1, 2, 3), (2, 3, 2)),
    ((1, 2, 3), (2, 3, 1)),
    ((2, 1, 1, 2), (1, 3, 2, 1)),
    ((0, 2, 3), (0, 3, 2)),
]
PRODUCTS = [
    Row("matrix @ matrix", lambda F, x, y: x @ y, np.matmul, MM, "MmBackward0"),
    Row(
        "matrix @ vector",
        lambda F, x, y: x @ y,
        np.dot,
        [((2, 3), (3,)), ((1, 1), (1,)), ((2, 0), (0,))],
        "MvBackward0",
    ),
    Row("vector @ vector", lambda F, x, y: x @ y, np.dot, [((3,), (3,)), ((1,), (1,)), ((0,), (0,))], "DotBackward0"),
    Row("vector @ matrix", lambda F, x, y: x @ y, np.dot, [((3,), (3, 2)), ((1,), (1, 1)), ((0,), (0, 2))]),
    Row("batch @ batch", lambda F, x, y: x @ y, np.matmul, BMM),
    Row("batch @ matrix", lambda F, x, y: x @ y, np.matmul, [((2, 2, 3), (3, 2)), ((2, 3, 1, 2), (2, 2))]),
    Row("matrix @ batch", lambda F, x, y: x @ y, np.matmul, [((2, 3), (2, 3, 2)), ((1, 2), (2, 3, 2, 1))]),
    Row("vector @ batch", lambda F, x, y: x @ y, np.matmul, [((3,), (2, 3, 2)), ((2,), (2, 1, 2, 3))]),
    Row("batch @ vector", lambda F, x, y: x @ y, np.matmul, [((2, 2, 3), (3,)), ((2, 1, 3, 2), (2,))]),
    Row("x @ x.T", lambda F, x: x @ x.T, lambda x: np.einsum("ik,jk->ij", x, x), MATRIX, "MmBackward0"),
    *both("matmul", np.matmul, "MmBackward0", shapes=MM),
    *both("mm", np.matmul, "MmBackward0", shapes=MM),
]

SHAPES = [
    Row("view(-1)", lambda F, x: x.view(-1), np.ravel, UNARY, "ViewBackward0", contiguous=True),
    Row(
        "view(4, 3)",
        lambda F, x: x.view(4, 3),
        lambda x: x.reshape(4, 3),
        [((3, 4),), ((2, 3, 2),)],
        "ViewBackward0",
        contiguous=True,
    ),
    Row(
        "view((2, -1, 2))",
        lambda F, x: x.view((2, -1, 2)),
        lambda x: x.reshape(2, -1, 2),
        [((3, 4),), ((12,),)],
        "ViewBackward0",
        contiguous=True,
    ),
    Row(
        "x.t().view(4, 1, 3)",
        lambda F, x: x.t().view(4, 1, 3),
        lambda x: x.T.reshape(4, 1, 3),
        [((3, 4),)],
        "ViewBackward0",
        contiguous=True,
    ),
    Row("reshape(-1)", lambda F, x: x.reshape(-1), np.ravel, UNARY),
    Row("reshape((6, 2))", lambda F, x: F.reshape(x, (6, 2)), lambda x: x.reshape(6, 2), [((3, 4),), ((2, 3, 2),)]),
    Row("reshape(0, 5)", lambda F, x: x.reshape(0, 5), lambda x: x.reshape(0, 5), [((0,),), ((2, 0),)]),
    Row("reshape(())", lambda F, x: x.reshape(()), lambda x: x.reshape(()), [((1,),), ((1, 1),), ((),)]),
    Row("x.T.reshape(-1)", lambda F, x: x.T.reshape(-1), lambda x: x.T.ravel(), MATRIX),
    *both("flatten", np.ravel),
    Row(
        "transpose(0, 1)",
        lambda F, x: F.transpose(x, 0, 1),
        lambda x: x.swapaxes(0, 1),
        MATRIX_OR_EMPTY + CUBE,
        "TransposeBackward0",
    ),
    Row("transpose(-1, 0)", lambda F, x: x.transpose(-1, 0), lambda x: x.swapaxes(-1, 0), CUBE, "TransposeBackward0"),
    *both("t", np.transpose, "TBackward0", shapes=[((2, 3),), ((1, 2),), ((0, 2),)]),
    Row("t of a vector", lambda F, x: x.t(), lambda x: x, [((3,),), ((),)]),
    Row("x.T", lambda F, x: x.T, np.transpose, MATRIX_OR_EMPTY, "PermuteBackward0"),
    Row("permute(2, 0, 1)", lambda F, x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1), CUBE, "PermuteBackward0"),
    Row(
        "permute((-1, 0, 1))",
        lambda F, x: F.permute(x, (-1, 0, 1)),
        lambda x: x.transpose(2, 0, 1),
        CUBE,
        "PermuteBackward0",
    ),
    Row(
        "expand(2, 3)",
        lambda F, x: x.expand(2, 3),
        lambda x: np.broadcast_to(x, (2, 3)),
        [((),), ((3,),), ((1, 3),), ((2, 1),)],
        "ExpandBackward0",
    ),
    Row(
        "expand(2, -1, 3)",
        lambda F, x: x.expand((2, -1, 3)),
        lambda x: np.broadcast_to(x, (2, 2, 3)),
        [((2, 3),), ((2, 1),)],
        "ExpandBackward0",
    ),
    Row(
        "expand(0, 3)",
        lambda F, x: x.expand(0, 3),
        lambda x: np.broadcast_to(x, (0, 3)),
        [((1, 3),), ((3,),), ((),)],
        "ExpandBackward0",
    ),
    *both("squeeze", np.squeeze, "SqueezeBackward0", shapes=[((2, 1, 3, 1),), ((1, 1),), ((2,),), ((),), ((0, 1),)]),
    Row(
        "squeeze(1)",
        lambda F, x: F.squeeze(x, 1),
        lambda x: x.squeeze(1),
        [((2, 1, 1),), ((2, 1),)],
        "SqueezeBackward1",
    ),
    Row("squeeze(-1), size 2", lambda F, x: x.squeeze(-1), lambda x: x, [((1, 2),), ((2,),)], "SqueezeBackward1"),
    Row(
        "squeeze((0, -1))",
        lambda F, x: x.squeeze((0, -1)),
        lambda x: x.squeeze((0, 3)),
        [((1, 1, 2, 1),)],
        "SqueezeBackward2",
    ),
    Row("unsqueeze(0)", lambda F, x: F.unsqueeze(x, 0), lambda x: x[None], UNARY, "UnsqueezeBackward0"),
    Row("unsqueeze(-1)", lambda F, x: x.unsqueeze(-1), lambda x: x[..., None], UNARY, "UnsqueezeBackward0"),
    Row(
        "unsqueeze(-2)", lambda F, x: x.unsqueeze(-2), lambda x: x[..., None, :], VECTOR + MATRIX, "UnsqueezeBackward0"
    ),
    Row(
        "view_as(y)",
        lambda F, x, y: x.view_as(y) * y,
        lambda x, y: x.reshape(y.shape) * y,
        [((3, 4), (2, 6)), ((0, 2), (2, 0, 3))],
        "MulBackward0",
        contiguous=True,
    ),
    Row(
        "reshape_as(y)",
        lambda F, x, y: x.t().reshape_as(y) * y,
        lambda x, y: x.T.reshape(y.shape) * y,
        [((3, 4), (2, 6)), ((1, 3), (3,))],
        "MulBackward0",
        graph=False,
    ),
    Row(
        "expand_as(y)",
        lambda F, x, y: x.expand_as(y) * y,
        lambda x, y: np.broadcast_to(x, y.shape) * y,
        [((1, 3), (2, 3)), ((), (2, 2)), ((3,), (2, 3))],
        "MulBackward0",
    ),
    Row(
        "unflatten(0, (2, -1))",
        lambda F, x: F.unflatten(x, 0, (2, -1)),
        lambda x: x.reshape(2, -1, *x.shape[1:]),
        [((4,),), ((4, 3),), ((0, 3),)],
        "ViewBackward0",
        contiguous=True,
    ),
    Row(
        "x.unflatten(-1, (1, 4))",
        lambda F, x: x.unflatten(-1, (1, 4)),
        lambda x: x[..., None, :],
        [((4,),), ((3, 4),)],
        "ViewBackward0",
        contiguous=True,
    ),
    Row("flip(0)", lambda F, x: F.flip(x, (0,)), lambda x: np.flip(x, 0), VECTOR + MATRIX_OR_EMPTY, "FlipBackward0"),
    Row("flip(-1, 0)", lambda F, x: x.flip(-1, 0), lambda x: np.flip(x, (-1, 0)), MATRIX + CUBE, "FlipBackward0"),
    Row("reversed", lambda F, x: reversed(x), lambda x: np.flip(x, 0), VECTOR + MATRIX, "FlipBackward0"),
    *(
        row
        for name in ("movedim", "moveaxis")
        for row in (
            Row(
                f"{name}(0, -1)",
                lambda F, x, name=name: getattr(F, name)(x, 0, -1),
                lambda x: np.moveaxis(x, 0, -1),
                MATRIX_OR_EMPTY + CUBE,
                "PermuteBackward0",
            ),
            Row(
                f".{name}((0, 1), (2, 0))",
                lambda F, x, name=name: getattr(x, name)((0, 1), (2, 0)),
                lambda x: np.moveaxis(x, (0, 1), (2, 0)),
                CUBE,
                "PermuteBackward0",
            ),
        )
    ),
    *(
        row
        for name in ("swapaxes", "swapdims")
        for row in (
            Row(
                f"{name}(0, -1)",
                lambda F, x, name=name: getattr(F, name)(x, 0, -1),
                lambda x: x.swapaxes(0, -1),
                MATRIX_OR_EMPTY + CUBE,
                "TransposeBackward0",
            ),
            Row(
                f".{name}(1, 0)",
                lambda F, x, name=name: getattr(x, name)(1, 0),
                lambda x: x.swapaxes(1, 0),
                MATRIX,
                "TransposeBackward0",
            ),
        )
    ),
    Row("x.t().contiguous()", lambda F, x: x.t().contiguous(), np.transpose, MATRIX, "CloneBackward0", contiguous=True),
    Row("(x * 2).contiguous()", lambda F, x: (x * 2).contiguous(), lambda x: x * 2, MATRIX, "MulBackward0"),
    Row("diagonal()", lambda F, x: F.diagonal(x), np.diagonal, [*MATRIX, ((2, 2, 3),), ((0, 2),)], "DiagonalBackward0"),
    Row(
        "x.diagonal(1, -1, 0)",
        lambda F, x: x.diagonal(1, -1, 0),
        lambda x: np.diagonal(x, 1, -1, 0),
        MATRIX + CUBE,
        "DiagonalBackward0",
    ),
    Row(
        "as_strided((2, 2), (3, 2), 1)",
        lambda F, x: F.as_strided(x, (2, 2), (3, 2), 1),
        lambda x: as_strided(x.ravel()[1:], (2, 2), (3 * x.itemsize, 2 * x.itemsize)),
        [((3, 4),), ((7,),)],
        "AsStridedBackward0",
        contiguous=True,
    ),
    Row(
        "x.as_strided((3, 2), (1, 1)), a window",
        lambda F, x: x.as_strided((3, 2), (1, 1)),
        lambda x: np.lib.stride_tricks.sliding_window_view(x.ravel()[:4], 2),
        [((3, 4),), ((4,),)],
        "AsStridedBackward0",
        contiguous=True,
    ),
]

PARTS = [
    Row("narrow(0, 1, 2)", lambda F, x: F.narrow(x, 0, 1, 2), lambda x: x[1:3], VECTOR + MATRIX, "SliceBackward0"),
    Row("x.narrow(-1, -2, 1)", lambda F, x: x.narrow(-1, -2, 1), lambda x: x[..., -2:-1], CUBE, "SliceBackward0"),
    Row("select(1, -1)", lambda F, x: F.select(x, 1, -1), lambda x: x[:, -1], MATRIX + CUBE, "SelectBackward0"),
    Row("x.select(-1, 0)", lambda F, x: x.select(-1, 0), lambda x: x[..., 0], VECTOR + CUBE, "SelectBackward0"),
    Row("unbind()[1]", lambda F, x: F.unbind(x)[1], lambda x: x[1], VECTOR + MATRIX, "UnbindBackward0"),
    Row(
        "stack(x.unbind(-1))",
        lambda F, x: F.stack(x.unbind(-1)),
        lambda x: np.moveaxis(x, -1, 0),
        MATRIX + CUBE,
        "StackBackward0",
    ),
    Row("split(2)[-1]", lambda F, x: F.split(x, 2)[-1], lambda x: x[2:4], [*MATRIX, ((3,),)], "SplitBackward0"),
    Row(
        "x.split(3, 1), first * last",
        lambda F, x: x.split(2, 1)[0] * x.split(2, 1)[-1],
        lambda x: x[:, :2] * x[:, 2:],
        [((3, 4),), ((2, 3),)],
        "MulBackward0",
    ),
    Row("cat(x.split(2))", lambda F, x: F.cat(x.split(2)), lambda x: x, VECTOR + MATRIX, "CatBackward0"),
    Row(
        "split([1, 2], 1)[1]",
        lambda F, x: F.split(x, [1, 2], 1)[1],
        lambda x: x[:, 1:],
        [((2, 3),), ((4, 3),)],
        "SplitWithSizesBackward0",
    ),
    Row(
        "x.split((0, 3), 0), both",
        lambda F, x: F.cat(x.split((0, 3), 0)),
        lambda x: x,
        [((3,),), ((3, 2),)],
        "CatBackward0",
    ),
    Row("chunk(2)[0]", lambda F, x: F.chunk(x, 2)[0], lambda x: x[:2], VECTOR + MATRIX, "SplitBackward0"),
    Row("x.chunk(3, -1)[-1]", lambda F, x: x.chunk(3, -1)[-1], lambda x: x[..., 2:], [((2, 3),)], "SplitBackward0"),
]

INDEXING = [
    Row("x[0]", lambda F, x: x[0], lambda x: x[0], VECTOR + MATRIX, "SelectBackward0"),
    Row("x[-1]", lambda F, x: x[-1], lambda x: x[-1], VECTOR + CUBE, "SelectBackward0"),
    Row("x[tensor(1)]", lambda F, x: x[F.tensor(1)], lambda x: x[1], VECTOR + MATRIX, "SelectBackward0"),
    Row("x[1, 2]", lambda F, x: x[1, 2], lambda x: x[1, 2], MATRIX, "SelectBackward0", graph=False),
    Row("x[1:]", lambda F, x: x[1:], lambda x: x[1:], VECTOR + MATRIX, "SliceBackward0"),
    Row("x[::2]", lambda F, x: x[::2], lambda x: x[::2], VECTOR + MATRIX, "SliceBackward0"),
    Row("x[-3:-1]", lambda F, x: x[-3:-1], lambda x: x[-3:-1], VECTOR + MATRIX, "SliceBackward0"),
    Row("x[9:]", lambda F, x: x[9:], lambda x: x[9:], VECTOR + MATRIX, "SliceBackward0"),
    Row("x[:, 1:3]", lambda F, x: x[:, 1:3], lambda x: x[:, 1:3], MATRIX, "SliceBackward0"),
    Row("x[0, 1:]", lambda F, x: x[0, 1:], lambda x: x[0, 1:], MATRIX, "SliceBackward0", graph=False),
    Row("x[..., 0]", lambda F, x: x[..., 0], lambda x: x[..., 0], VECTOR + CUBE, "SelectBackward0"),
    Row(
        "x[1, ..., :2]",
        lambda F, x: x[1, ..., :2],
        lambda x: x[1, ..., :2],
        MATRIX + CUBE,
        "SliceBackward0",
        graph=False,
    ),
    Row("x[None]", lambda F, x: x[None], lambda x: x[None], UNARY, "UnsqueezeBackward0"),
    Row("x[:, None]", lambda F, x: x[:, None], lambda x: x[:, None], VECTOR + MATRIX, "UnsqueezeBackward0"),
    Row("x[...]", lambda F, x: x[...], lambda x: x, UNARY, "AliasBackward0"),
    Row("x[()]", lambda F, x: x[()], lambda x: x, UNARY, "AliasBackward0"),
    Row("x[:]", lambda F, x: x[:], lambda x: x, VECTOR + MATRIX, "SliceBackward0"),
    Row("x[[0, 2]]", lambda F, x: x[[0, 2]], lambda x: x[[0, 2]], VECTOR + MATRIX, "IndexBackward0"),
    Row("x[[1, 1, -1]]", lambda F, x: x[[1, 1, -1]], lambda x: x[[1, 1, -1]], VECTOR + MATRIX, "IndexBackward0"),
    Row(
        "x[tensor]",
        lambda F, x: x[F.tensor([[0, 1], [2, 0]])],
        lambda x: x[np.array([[0, 1], [2, 0]])],
        VECTOR + MATRIX,
        "IndexBackward0",
    ),
    Row("x[empty]", lambda F, x: x[[]], lambda x: x[:0], VECTOR + MATRIX, "IndexBackward0"),
    Row("x[x > 0]", lambda F, x: x[x > 0], lambda x: x[x > 0], [((3,),), ((2, 3),), ((0,),)], "IndexBackward0", apart),
    Row(
        "x[row mask]",
        lambda F, x: x[F.tensor([True, False, True])],
        lambda x: x[[0, 2]],
        [((3,),), ((3, 2),)],
        "IndexBackward0",
    ),
    Row(
        "x[[0, 1], [2, 2]]",
        lambda F, x: x[[0, 1], [2, 2]],
        lambda x: x[[0, 1], [2, 2]],
        MATRIX + CUBE,
        "IndexBackward0",
    ),
    Row("x[:, [2, 0, 2]]", lambda F, x: x[:, [2, 0, 2]], lambda x: x[:, [2, 0, 2]], MATRIX + CUBE, "IndexBackward0"),
    Row("x[1:, [0, 1]]", lambda F, x: x[1:, [0, 1]], lambda x: x[1:, [0, 1]], MATRIX, "IndexBackward0", graph=False),
    Row(
        "x[0, [0, 1]]", lambda F, x: x[0, [0, 1]], lambda x: x[0, [0, 1]], MATRIX + CUBE, "IndexBackward0", graph=False
    ),
    Row(
        "x[[0, 1], :, [0, 1]]",
        lambda F, x: x[[0, 1], :, [0, 1]],
        lambda x: x[[0, 1], :, [0, 1]],
        CUBE,
        "IndexBackward0",
    ),
    Row(
        "x[[[0], [1]], [0, 2]]",
        lambda F, x: x[[[0], [1]], [0, 2]],
        lambda x: x[:2, ::2][:, :2],
        [((2, 3),), ((3, 4),)],
        "IndexBackward0",
    ),
    Row(
        "for part in x",
        lambda F, x: sum(part * part for part in x),
        lambda x: (x * x).sum(0),
        VECTOR + MATRIX,
        "AddBackward0",
        graph=False,
    ),
]

JOINING = [
    Row(
        "stack([x, y])",
        lambda F, x, y: F.stack([x, y]),
        lambda x, y: np.stack([x, y]),
        [(s, s) for (s,) in UNARY],
        "StackBackward0",
    ),
    Row(
        "stack((x, y), 1)",
        lambda F, x, y: F.stack((x, y), 1),
        lambda x, y: np.stack([x, y], 1),
        [((3,), (3,)), ((2, 3), (2, 3))],
        "StackBackward0",
    ),
    Row(
        "stack([x, x], dim=-1)",
        lambda F, x: F.stack([x, x], dim=-1),
        lambda x: np.stack([x, x], -1),
        UNARY,
        "StackBackward0",
    ),
    Row("stack([x])", lambda F, x: F.stack([x]), lambda x: x[None], UNARY, "StackBackward0"),
    Row(
        "cat([x, y])",
        lambda F, x, y: F.cat([x, y]),
        lambda x, y: np.concatenate([x, y]),
        [((2,), (3,)), ((2, 2), (1, 2)), ((0, 2), (1, 2))],
        "CatBackward0",
    ),
    Row(
        "cat((x, y), -1)",
        lambda F, x, y: F.cat((x, y), -1),
        lambda x, y: np.concatenate([x, y], -1),
        [((2, 1), (2, 2)), ((3,), (1,))],
        "CatBackward0",
    ),
    Row(
        "cat([x, x, y], dim=1)",
        lambda F, x, y: F.cat([x, x, y], dim=1),
        lambda x, y: np.hstack([x, x, y]),
        [((2, 1), (2, 3))],
        "CatBackward0",
    ),
    Row(
        "where(c, x, y)",
        lambda F, c, x, y: F.where(c > 0, x, y),
        lambda c, x, y: np.where(c > 0, x, y),
        CHOICE,
        "WhereBackward0",
        apart,
    ),
    Row(
        "x.where(c, y)",
        lambda F, c, x, y: x.where(c > 0, y),
        lambda c, x, y: np.where(c > 0, x, y),
        CHOICE,
        "WhereBackward0",
        apart,
    ),
    Row(
        "where(c, x, 0)",
        lambda F, c, x: F.where(c > 0, x, 0),
        lambda c, x: np.where(c > 0, x, 0),
        BINARY,
        "WhereBackward0",
        apart,
    ),
    Row(
        "where(c, 1.5, x)",
        lambda F, c, x: F.where(c > 0, 1.5, x),
        lambda c, x: np.where(c > 0, 1.5, x),
        BINARY,
        "WhereBackward0",
        apart,
    ),
]

CASTS = [
    Row("x.double()", lambda F, x: x.double() * 1, lambda x: x.astype("float64"), UNARY, "MulBackward0"),
    Row("x.float()", lambda F, x: x.float() * 1, lambda x: x.astype("float32"), UNARY, "MulBackward0", rounds=True),
    Row("x.to(float64)", lambda F, x: x.to(F.float64) * 1, lambda x: x.astype("float64"), UNARY, "MulBackward0"),
    Row(
        "x.to(float32)",
        lambda F, x: x.to(F.float32) * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row(
        "x.double().float()",
        lambda F, x: x.double().float() * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row(
        "x.type(float32)",
        lambda F, x: x.type(F.float32) * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row("x.type_as(y)", lambda F, x: x.type_as(x.double()) * 1, lambda x: x.astype("float64"), UNARY, "MulBackward0"),
    Row("x.long()", lambda F, x: x.long(), lambda x: x.astype("int64"), UNARY, None, apart, False),
    Row("x.int()", lambda F, x: x.int(), lambda x: x.astype("int32"), UNARY, None, apart, False),
    Row("x.bool()", lambda F, x: x.bool(), lambda x: x != 0, UNARY, None, whole, False),
]


def question(name: str, function: Callable[..., Any], numpy: Callable[..., Any], shapes: list[Shapes] = BINARY) -> Row:
    return Row(name, function, numpy, shapes, None, whole, False)


def overwritten(F: Any, x: Any) -> Any:
    y = x.detach().clone()
    y[0] = 7
    y[-1:] = x.detach()[:1] * 2
    return y


def numpy_overwritten(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[0] = 7
    y[-1:] = x[:1] * 2
    return y


COMPARISONS = [
    question("x == y", lambda F, x, y: x == y, np.equal),
    question("x != y", lambda F, x, y: x != y, np.not_equal),
    question("x < y", lambda F, x, y: x < y, np.less),
    question("x <= y", lambda F, x, y: x <= y, np.less_equal),
    question("x > y", lambda F, x, y: x > y, np.greater),
    question("x >= y", lambda F, x, y: x >= y, np.greater_equal),
    question("1 > x", lambda F, x: 1 > x, lambda x: x < 1, UNARY),  # noqa: SIM300
    question("x == 1", lambda F, x: x == 1, lambda x: x == 1, UNARY),
    question("(x > 0) & (y > 0)", lambda F, x, y: (x > 0) & (y > 0), lambda x, y: np.minimum(x, y) > 0),
    question("(x > 0) | (y > 0)", lambda F, x, y: (x > 0) | (y > 0), lambda x, y: np.maximum(x, y) > 0),
    question("(x > 0) ^ (y > 0)", lambda F, x, y: (x > 0) ^ (y > 0), lambda x, y: (x > 0) != (y > 0)),
    question("True & (x > 0)", lambda F, x: True & (x > 0), lambda x: x > 0, UNARY),
    question("True | (x > 0)", lambda F, x: True | (x > 0), lambda x: x == x, UNARY),
    question("True ^ (x > 0)", lambda F, x: True ^ (x > 0), lambda x: x <= 0, UNARY),
    question("isnan()", lambda F, x: F.isnan(F.log(x)), lambda x: x < 0, UNARY),
    question(".isnan()", lambda F, x: x.sqrt().isnan(), lambda x: x < 0, UNARY),
    question("isinf()", lambda F, x: F.isinf(1 / x), lambda x: x == 0, UNARY),
    question(".isinf()", lambda F, x: (1 / x).isinf(), lambda x: x == 0, UNARY),
    question("isfinite()", lambda F, x: F.isfinite(F.log(x)), lambda x: x > 0, UNARY),
    question(".isfinite()", lambda F, x: x.log().isfinite(), lambda x: x > 0, UNARY),
    question("~(x > 0)", lambda F, x: ~(x > 0), lambda x: x <= 0, UNARY),
    question(
        "x.long() & y.long()",
        lambda F, x, y: F.bitwise_and(x.long(), y.long()),
        lambda x, y: x.astype(int) & y.astype(int),
    ),
    question(
        "x.long() | y.long()",
        lambda F, x, y: F.bitwise_or(x.long(), y.long()),
        lambda x, y: x.astype(int) | y.astype(int),
    ),
    question(
        "x.long() ^ y.long()",
        lambda F, x, y: F.bitwise_xor(x.long(), y.long()),
        lambda x, y: x.astype(int) ^ y.astype(int),
    ),
    question("bitwise_not", lambda F, x: F.bitwise_not(x.long()), lambda x: ~x.astype(int), UNARY),
    *both("logical_not", np.logical_not, None, whole, differentiable=False),
    *both("eq", np.equal, None, whole, BINARY, differentiable=False),
    *both("ne", np.not_equal, None, whole, BINARY, differentiable=False),
    *both("lt", np.less, None, whole, BINARY, differentiable=False),
    *both("le", np.less_equal, None, whole, BINARY, differentiable=False),
    *both("gt", np.greater, None, whole, BINARY, differentiable=False),
    *both("ge", np.greater_equal, None, whole, BINARY, differentiable=False),
    question("x[0] = 7", overwritten, numpy_overwritten, VECTOR + MATRIX),
]


def augmented(F: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z += y
    z -= 2
    z *= y
    z /= 4
    z **= 2
    return z


def bits(F: Any, x: Any, y: Any) -> Any:
    z = x > 0
    z &= y > 0
    z |= x < 0
    z ^= y < 0
    return z


def written(
    name: str, numpy: Callable[..., Any], node: str, domain: Any = normal, function: bool = True, **more: Any
) -> list[Row]:
    """`x.name()` and, where there is one, `F.name(x)`, which write into a copy of x."""
    rows = [Row(f".{name}()", lambda F, x: getattr(x.clone(), name)(), numpy, UNARY, node, domain, **more)]
    if function:
        rows.append(Row(f"{name}()", lambda F, x: getattr(F, name)(x.clone()), numpy, UNARY, node, domain, **more))
    return rows


def compared(name: str, numpy: Callable[..., Any]) -> list[Row]:
    """The answer in the place of x: it has no gradient, but a node that says so."""

    def write(F: Any, x: Any, other: Any) -> Any:
        return getattr(x.clone(), name)(other)

    def answer(x: np.ndarray, other: Any) -> np.ndarray:
        return numpy(x, other).astype(x.dtype)

    node = f"{name[:2].capitalize()}Backward"
    return [
        Row(f"{name}(y)", write, answer, INTO, node + "1"),
        Row(f"{name}(y) of equals", write, answer, INTO, None, whole, False),
        Row(f"{name}(0)", lambda F, x: write(F, x, 0), lambda x: answer(x, 0), UNARY, node + "0"),
    ]


def rearranged(text: str, numpy: Callable[..., Any], node: str, shapes: Any, *arguments: Any) -> Row:
    """`x.t_()` and the like, on a copy."""
    return Row(text, lambda F, x: getattr(x.clone(), text.partition("(")[0])(*arguments), numpy, shapes, node)


def placed(F: Any, x: Any, y: Any, accumulate: bool = False) -> Any:
    return F.index_put(x, (F.tensor([2, 0]),), y, accumulate)


def numpy_placed(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[[2, 0]] = y
    return out


def put_in_front(F: Any, x: Any, y: Any) -> Any:
    z = x.clone()
    z[0] = y
    return z


def scaled_column(F: Any, x: Any, y: Any) -> Any:
    z = x.clone()
    z[:, 1] *= y
    return z


def scaled_numpy_column(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[:, 1] *= y
    return out


def through_two_views(F: Any, x: Any) -> Any:
    z = x.clone()
    z.t().diagonal().exp_()
    return z


def numpy_through_two_views(x: np.ndarray) -> np.ndarray:
    return np.where(np.eye(*x.shape, dtype=bool), np.exp(x), x)


PLACES: list[Shapes] = [((3,), (2,)), ((3, 2), (2, 2)), ((4,), ()), ((3, 2), (2,))]

IN_PLACE = [
    Row("add_", lambda F, x, y: x.clone().add_(y), np.add, INTO, "AddBackward0"),
    Row("sub_", lambda F, x, y: x.clone().sub_(y), np.subtract, INTO, "SubBackward0"),
    Row("mul_", lambda F, x, y: x.clone().mul_(y), np.multiply, INTO, "MulBackward0"),
    Row("div_", lambda F, x, y: x.clone().div_(y), np.divide, INTO, "DivBackward0", (normal, apart)),
    Row("pow_", lambda F, x: x.clone().pow_(3), lambda x: x**3, UNARY, "PowBackward0"),
    *written("neg_", np.negative, "NegBackward0"),
    *written("reciprocal_", lambda x: 1 / x, "ReciprocalBackward0", apart),
    *written("exp_", np.exp, "ExpBackward0"),
    *written("log_", np.log, "LogBackward0", positive),
    *written("sqrt_", np.sqrt, "SqrtBackward0", positive),
    *written("abs_", np.abs, "AbsBackward0", apart),
    *written("sign_", np.sign, "SignBackward0", apart, function=False),
    *written("sin_", np.sin, "SinBackward0"),
    *written("cos_", np.cos, "CosBackward0"),
    *written("tanh_", np.tanh, "TanhBackward0"),
    *written("sigmoid_", lambda x: (1 + np.tanh(x / 2)) / 2, "SigmoidBackward0"),
    *written("relu_", lambda x: np.where(x > 0, x, 0), "ReluBackward0", apart),
    *written("square_", np.square, "PowBackward0"),
    *compared("eq_", np.equal),
    *compared("ne_", np.not_equal),
    *compared("lt_", np.less),
    *compared("le_", np.less_equal),
    *compared("gt_", np.greater),
    *compared("ge_", np.greater_equal),
    question("logical_not_", lambda F, x: x.clone().logical_not_(), lambda x: np.logical_not(x).astype(x.dtype), UNARY),
    question(
        "bitwise_and_",
        lambda F, x, y: x.long().bitwise_and_(y.long()),
        lambda x, y: x.astype(int) & y.astype(int),
        INTO,
    ),
    question(
        "bitwise_or_", lambda F, x, y: x.long().bitwise_or_(y.long()), lambda x, y: x.astype(int) | y.astype(int), INTO
    ),
    question(
        "bitwise_xor_",
        lambda F, x, y: x.long().bitwise_xor_(y.long()),
        lambda x, y: x.astype(int) ^ y.astype(int),
        INTO,
    ),
    question("bitwise_not_", lambda F, x: x.long().bitwise_not_(), lambda x: ~x.astype(int), UNARY),
    question("&= |= ^=", bits, lambda x, y: (((x > 0) & (y > 0)) | (x < 0)) ^ (y < 0), INTO),
    rearranged("t_()", np.transpose, "TBackward1", MATRIX),
    rearranged("transpose_(0, -1)", lambda x: x.swapaxes(0, -1), "TransposeBackward1", MATRIX + CUBE, 0, -1),
    rearranged("swapaxes_(0, 1)", lambda x: x.swapaxes(0, 1), "TransposeBackward1", MATRIX, 0, 1),
    rearranged("swapdims_(1, 0)", lambda x: x.swapaxes(0, 1), "TransposeBackward1", MATRIX, 1, 0),
    rearranged("squeeze_()", np.squeeze, "SqueezeBackward3", [((1, 2, 1),), ((2,),)]),
    rearranged("squeeze_(0)", lambda x: x.squeeze(0), "SqueezeBackward4", [((1, 2),), ((1,),)], 0),
    rearranged("unsqueeze_(-1)", lambda x: x[..., None], "UnsqueezeBackward1", UNARY, -1),
    Row("index_put(i, y)", placed, numpy_placed, PLACES, "IndexPutBackward0"),
    Row(
        "x.index_put(i, y)",
        lambda F, x, y: x.index_put((F.tensor([2, 0]),), y),
        numpy_placed,
        PLACES,
        "IndexPutBackward0",
    ),
    Row(
        "index_put(i, y, accumulate)",
        lambda F, x, y: placed(F, x, y, True),
        lambda x, y: x + numpy_placed(np.zeros_like(x), y),
        PLACES,
        "IndexPutBackward0",
    ),
    Row(
        "index_put_(i, y)",
        lambda F, x, y: F.index_put_(x.clone(), (F.tensor([2, 0]),), y),
        numpy_placed,
        PLACES,
        "IndexPutBackward0",
    ),
    Row(
        "x.index_put_(i, y, accumulate) with one place twice",
        lambda F, x, y: x.clone().index_put_((F.tensor([1, 1]),), y, accumulate=True),
        lambda x, y: np.stack([x[0], x[1] + y[0] + y[1], x[2]]),
        [((3,), (2,)), ((3, 2), (2, 2))],
        "IndexPutBackward0",
    ),
    Row("fill_(y)", lambda F, x, y: x.clone().fill_(y), lambda x, y: np.full_like(x, y), [((2, 3), ()), ((), ())]),
    Row("x[0] = y", put_in_front, lambda x, y: np.concatenate([[y], x[1:]]), [((3,), ()), ((2, 3), (3,))]),
    Row("x[:, 1] *= y", scaled_column, scaled_numpy_column, [((3, 4), ()), ((3, 4), (3,))]),
    Row("x.t().diagonal().exp_()", through_two_views, numpy_through_two_views, MATRIX),
    Row("fill_", lambda F, x: x.clone().fill_(3) * x, lambda x: 3 * x, UNARY, "MulBackward0", graph=False),
    Row("zero_", lambda F, x: x.clone().zero_() * x, lambda x: 0 * x, UNARY, "MulBackward0", graph=False),
    Row("fill_()", lambda F, x: F.fill_(x.clone(), 3) * x, lambda x: 3 * x, UNARY, "MulBackward0", graph=False),
    Row("zero_()", lambda F, x: F.zero_(x.clone()) * x, lambda x: 0 * x, UNARY, "MulBackward0", graph=False),
    Row("detach_()", lambda F, x: F.detach_(x.clone()) * x, np.square, UNARY, "MulBackward0", rounds=True),
    Row("copy_", lambda F, x, y: x.clone().copy_(y), lambda x, y: np.broadcast_to(y, x.shape), INTO),
    Row("+= -= *= /= **=", augmented, lambda x, y: ((x + y - 2) * y / 4) ** 2, INTO, "PowBackward0"),
]

ROWS = [
    *ARITHMETIC,
    *POWERS,
    *FUNCTIONS,
    *REDUCTIONS,
    *PRODUCTS,
    *SHAPES,
    *PARTS,
    *INDEXING,
    *JOINING,
    *CASTS,
    *COMPARISONS,
    *IN_PLACE,
]

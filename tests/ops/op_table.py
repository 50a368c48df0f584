"""What there is to compute, one row per way of computing it: the table that `test_ops.py` runs.

A row's function is written once, against a namespace `F` and its tensors, so the same lambda runs on minigrad and on
torch. Beside it stands the same thing said in numpy, which also says the dtype of the result. From each row and each of
its lists of shapes come a comparison with numpy, with torch, and with numerical first and second derivatives, and the
checks of shapes, dtypes and memory. A new op needs a row in the file of its kind in op_rows/; an op without a row fails
`test_every_op_has_a_row`.
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
    torch_error: float = 1e-10  # of PyTorch's own derivatives in float64


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
    Row("flip(0)", lambda F, x: F.flip(x, (0,)), lambda x: np.flip(x, 0), VECTOR + MATRIX_OR_EMPTY, "FlipBackward0"),
    Row("flip(-1, 0)", lambda F, x: x.flip(-1, 0), lambda x: np.flip(x, (-1, 0)), MATRIX + CUBE, "FlipBackward0"),
    Row("reversed", lambda F, x: reversed(x), lambda x: np.flip(x, 0), VECTOR + MATRIX, "FlipBackward0"),
    *(
        row
        for name in ("swapaxes",)
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


OVERWRITING = [
    Row("x[0] = 7", overwritten, numpy_overwritten, VECTOR + MATRIX, None, whole, False),
]


def augmented(F: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z += y
    z -= 2
    z *= y
    z /= 4
    z **= 2
    return z


def put_in_front(F: Any, x: Any, y: Any) -> Any:
    z = x.clone()
    z[0] = y
    return z


def put_at_places(F: Any, x: Any, y: Any) -> Any:
    z = x.clone()
    z[[2, 0]] = y
    return z


def numpy_put_at_places(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[[2, 0]] = y
    return out


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


IN_PLACE = [
    Row("fill_(y)", lambda F, x, y: x.clone().fill_(y), lambda x, y: np.full_like(x, y), [((2, 3), ()), ((), ())]),
    Row("x[0] = y", put_in_front, lambda x, y: np.concatenate([[y], x[1:]]), [((3,), ()), ((2, 3), (3,))]),
    Row(
        "x[[2, 0]] = y",
        put_at_places,
        numpy_put_at_places,
        [((3,), (2,)), ((3, 2), (2, 2)), ((4,), ()), ((3, 2), (2,))],
        "IndexPutBackward0",
    ),
    Row("x[:, 1] *= y", scaled_column, scaled_numpy_column, [((3, 4), ()), ((3, 4), (3,))]),
    Row("x.t().diagonal().exp_()", through_two_views, numpy_through_two_views, MATRIX),
    Row("fill_", lambda F, x: x.clone().fill_(3) * x, lambda x: 3 * x, UNARY, "MulBackward0", graph=False),
    Row("zero_", lambda F, x: x.clone().zero_() * x, lambda x: 0 * x, UNARY, "MulBackward0", graph=False),
    Row("fill_()", lambda F, x: F.fill_(x.clone(), 3) * x, lambda x: 3 * x, UNARY, "MulBackward0", graph=False),
    Row("zero_()", lambda F, x: F.zero_(x.clone()) * x, lambda x: 0 * x, UNARY, "MulBackward0", graph=False),
    Row("detach_()", lambda F, x: x.clone().detach_() * x, np.square, UNARY, "MulBackward0", rounds=True),
    Row("copy_", lambda F, x, y: x.clone().copy_(y), lambda x, y: np.broadcast_to(y, x.shape), INTO),
    Row("+= -= *= /= **=", augmented, lambda x, y: ((x + y - 2) * y / 4) ** 2, INTO, "PowBackward0"),
]

ROWS = [
    *PRODUCTS,
    *SHAPES,
    *PARTS,
    *INDEXING,
    *JOINING,
    *OVERWRITING,
    *IN_PLACE,
]

"""Rows for products with something added, over several dimensions, of several matrices, and for distances."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import MATRIX, Row, Shapes, both

ADDED: list[Shapes] = [((2, 4), (2, 3), (3, 4)), ((4,), (2, 3), (3, 4)), ((), (1, 2), (2, 1)), ((2, 2), (2, 0), (0, 2))]
BATCHES: list[Shapes] = [((2, 2, 3), (2, 3, 2)), ((1, 1, 2), (1, 2, 3)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 0), (2, 0, 3))]
VECTORS: list[Shapes] = [((3,), (3,)), ((1,), (1,)), ((0,), (0,))]
PAIRS: list[Shapes] = [((2,), (3,)), ((1,), (2,)), ((0,), (2,))]


def summed(name: str, numpy: Callable[..., Any], node: str, shapes: Any) -> list[Row]:
    """beta * x + alpha * product: as a function, a method, in place, and with factors."""
    full = [shapes[0]]
    return [
        *both(name, lambda x, a, b: x + numpy(a, b), node, shapes=shapes),
        Row(
            f"{name}(beta, alpha)",
            lambda F, x, a, b: getattr(F, name)(x, a, b, beta=2, alpha=-0.5),
            lambda x, a, b: 2 * x - numpy(a, b) / 2,
            shapes,
            node,
        ),
        Row(
            f"{name}(beta=0)",
            lambda F, x, a, b: getattr(x, name)(a, b, beta=0),
            lambda x, a, b: numpy(a, b),
            full,
            node,
        ),
        Row(
            f"{name}_",
            lambda F, x, a, b: getattr(x.clone(), name + "_")(a, b, alpha=3),
            lambda x, a, b: x + 3 * numpy(a, b),
            full,
            node,
        ),
    ]


def equation(text: str, *shapes: Shapes) -> Row:
    plain = text.replace(" ", "")
    return Row(f"einsum({text})", lambda F, *x: F.einsum(text, *x), lambda *x: np.einsum(plain, *x), list(shapes), None)


def quietly_chained(F: Any, *matrices: Any) -> Any:
    """chain_matmul without what it says of itself, which parity/ops/test_linalg.py reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.chain_matmul(*matrices)


def distances(x: np.ndarray, y: np.ndarray, p: float = 2) -> np.ndarray:
    return np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


ROWS = [
    *both("bmm", np.matmul, "BmmBackward0", shapes=BATCHES),
    *both("mv", np.dot, "MvBackward0", shapes=[((2, 3), (3,)), ((1, 1), (1,)), ((2, 0), (0,))]),
    *both("dot", np.dot, "DotBackward0", shapes=VECTORS),
    *both("vdot", np.vdot, "VdotBackward0", shapes=VECTORS),
    *both("inner", np.inner, shapes=[((3,), (3,)), ((2, 3), (4, 3)), ((2, 2, 3), (3,)), ((), (2,)), ((2, 0), (0,))]),
    *both("outer", np.outer, "MulBackward0", shapes=PAIRS),
    *both("ger", np.outer, "MulBackward0", shapes=PAIRS),
    Row(
        "batch @ matrix as one product",
        lambda F, x, y: x @ y,
        np.matmul,
        [((2, 2, 3), (3, 2)), ((2, 0, 1, 2), (2, 2))],
        "UnsafeViewBackward0",
    ),
    Row(
        "batch @ vector as one product",
        lambda F, x, y: x @ y,
        np.matmul,
        [((2, 2, 3), (3,)), ((2, 1, 0, 3), (3,))],
        "UnsafeViewBackward0",
    ),
    *summed("addmm", np.matmul, "AddmmBackward0", ADDED),
    *summed(
        "addmv",
        np.matmul,
        "AddmvBackward0",
        [((2,), (2, 3), (3,)), ((), (2, 3), (3,)), ((1,), (2, 3), (3,)), ((2,), (2, 0), (0,))],
    ),
    *summed("addr", np.outer, "AddrBackward0", [((2, 3), (2,), (3,)), ((3,), (2,), (3,)), ((), (0,), (2,))]),
    *summed(
        "baddbmm", np.matmul, "BaddbmmBackward0", [((2, 2, 2), (2, 2, 3), (2, 3, 2)), ((2,), (1, 1, 2), (1, 2, 2))]
    ),
    *summed(
        "addbmm",
        lambda a, b: np.einsum("bij,bjk->ik", a, b),
        "AddbmmBackward0",
        [((2, 4), (3, 2, 2), (3, 2, 4)), ((), (1, 1, 2), (1, 2, 2)), ((2, 2), (0, 2, 3), (0, 3, 2))],
    ),
    equation("ij,jk->ik", ((2, 3), (3, 4)), ((2, 0), (0, 2))),
    equation("ij,jk", ((2, 3), (3, 2))),
    equation("bij,bjk->bik", ((2, 2, 3), (2, 3, 2)), ((0, 2, 3), (0, 3, 2))),
    equation("bqhd,bkhd->bhqk", ((2, 2, 1, 3), (2, 3, 1, 3))),
    equation("... i j , ... j k -> ... i k", ((2, 1, 2, 3), (2, 3, 2)), ((2, 3), (3, 2))),
    equation("...,...->...", ((2, 3), (3,)), ((), (2,)), ((2, 1), (1, 3))),
    equation("i,j,k->kji", ((2,), (3,), (2,))),
    equation("ij,jk,kl,li->", ((2, 3), (3, 2), (2, 1), (1, 2))),
    equation("i,i", ((3,), (3,))),
    equation("ii", ((3, 3),), ((0, 0),)),
    equation("ii->i", ((3, 3),)),
    equation("iij,jkk->ki", ((2, 2, 3), (3, 2, 2))),
    equation("ijk->ki", ((2, 3, 2),)),
    equation("ba", ((2, 3),)),
    equation("...i->...", ((2, 3),), ((3,),)),
    equation("ij,k->j", ((2, 3), (2,))),
    equation("->", ((),)),
    Row(
        "einsum(sizes of 1 repeated)",
        lambda F, x, y: F.einsum("ij,jk->ik", x, y),
        lambda x, y: x.sum(1, keepdims=True) * y,
        [((2, 3), (1, 2))],
    ),
    Row(
        "einsum(lists)",
        lambda F, x, y: F.einsum(x, [0, 1], y, [..., 1], [..., 0]),
        lambda x, y: y @ x.T,
        [((2, 3), (2, 3)), ((2, 3), (3,))],
    ),
    Row("einsum(operands in a list)", lambda F, x, y: F.einsum("i,j", [x, y]), np.outer, PAIRS),
    Row("tensordot()", lambda F, x, y: F.tensordot(x, y), np.tensordot, [((2, 3), (2, 3)), ((2, 2, 3), (2, 3, 2))]),
    Row("tensordot(1)", lambda F, x, y: F.tensordot(x, y, 1), lambda x, y: np.tensordot(x, y, 1), [((2, 3), (3, 2))]),
    Row("tensordot(0)", lambda F, x, y: F.tensordot(x, y, dims=0), lambda x, y: np.tensordot(x, y, 0), PAIRS),
    Row(
        "tensordot(lists)",
        lambda F, x, y: F.tensordot(x, y, dims=([0, -1], [1, 0])),
        lambda x, y: np.tensordot(x, y, ([0, -1], [1, 0])),
        [((2, 3, 1), (1, 2, 2)), ((2, 3), (3, 2))],
    ),
    Row(
        "tensordot with a size of 1",
        lambda F, x, y: F.tensordot(x, y, 1),
        lambda x, y: np.tensordot(x.sum(1, keepdims=True), y, 1),
        [((2, 3), (1, 2))],
    ),
    *both("kron", np.kron, "UnsafeViewBackward0", shapes=[((2, 3), (2, 1)), ((2,), (1, 2)), ((), (2,))], graph=False),
    *both("trace", np.trace, "TraceBackward0", shapes=[*MATRIX, ((0, 2),), ((1, 1),)]),
    Row(
        "cross(dim)",
        lambda F, x, y: F.cross(x, y, dim=0),
        lambda x, y: np.cross(x, y, axis=0),
        [((3, 2), (3, 2)), ((3,), (3,)), ((3, 0), (3, 0))],
        "LinalgCrossBackward0",
    ),
    Row(
        ".cross(dim)",
        lambda F, x, y: x.cross(y, dim=-1),
        np.cross,
        [((2, 3), (1, 3)), ((2, 2, 3), (2, 2, 3))],
        "LinalgCrossBackward0",
    ),
    Row("linalg.cross()", lambda F, x, y: F.linalg.cross(x, y), np.cross, [((1, 3), (2, 3))], "LinalgCrossBackward0"),
    *[
        Row(
            f"matrix_power({n})",
            lambda F, x, n=n: F.matrix_power(x, n) if n % 2 else x.matrix_power(n),
            lambda x, n=n: np.linalg.matrix_power(x, n),
            [((2, 2),), ((2, 2, 2),)],
            {1: "CloneBackward0"}.get(n),
            domain=lambda random, shape: 2 * np.eye(2) + 0.5 * random.standard_normal(shape),
        )
        for n in (1, 2, 3, 5, -1, -2)
    ],
    Row(
        "matrix_power(0)",
        lambda F, x: F.linalg.matrix_power(x, 0) * x,
        lambda x: np.eye(2, dtype=x.dtype) * x,
        [((2, 2),), ((2, 2, 2),)],
    ),
    Row(
        "linalg.multi_dot()",
        lambda F, *x: F.linalg.multi_dot(x),
        lambda *x: np.linalg.multi_dot(x),
        [((2, 3), (3, 2)), ((3, 1), (1, 4), (4, 2)), ((2, 3), (3, 1), (1, 2), (2, 3)), ((3,), (3, 2), (2,))],
        "ViewBackward0",
        graph=False,
    ),
    Row(
        "chain_matmul()",
        quietly_chained,
        lambda *x: np.linalg.multi_dot(x),
        [((2, 3), (3, 2)), ((3, 1), (1, 4), (4, 2))],
        "ViewBackward0",
        graph=False,
    ),
    Row("linalg.vecdot()", lambda F, x, y: F.linalg.vecdot(x, y), lambda x, y: (x * y).sum(-1), [((2, 3), (3,))]),
    Row("linalg.vecdot(dim)", lambda F, x, y: F.linalg.vecdot(x, y, dim=0), lambda x, y: (x * y).sum(0), VECTORS[:1]),
    Row("linalg.matmul()", lambda F, x, y: F.linalg.matmul(x, y), np.matmul, [((2, 3), (3, 2))], "MmBackward0"),
    Row(
        "cdist()",
        lambda F, x, y: F.cdist(x, y),
        distances,
        [((2, 3), (4, 3)), ((2, 1, 2, 3), (3, 2, 3)), ((0, 2), (2, 2))],
        differentiable=False,
    ),
    Row(
        "cdist(by a product)",
        lambda F, x, y: F.cdist(x, y, compute_mode="use_mm_for_euclid_dist"),
        distances,
        [((2, 3), (3, 3)), ((2, 2, 2), (2, 1, 2))],
    ),
    Row(
        "cdist(p=1)",
        lambda F, x, y: F.cdist(x, y, p=1),
        lambda x, y: distances(x, y, 1),
        [((2, 3), (4, 3))],
        differentiable=False,
    ),
    Row(
        "bilinear()",
        lambda F, x, y, w, b: F.bilinear(x, y, w, b),
        lambda x, y, w, b: np.einsum("...i,kij,...j->...k", x, w, y) + b,
        [((2, 3), (2, 2), (2, 3, 2), (2,)), ((3,), (1,), (2, 3, 1), (2,))],
    ),
]

"""Rows for inverses, determinants, factorizations and norms.

Functions of symmetric matrices are given x + x', or x x' + 1, so that small changes stay symmetric. The vectors of a
factorization have no sign of their own, so what is compared of them does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import MATRIX, Row, Shapes, apart, both

SQUARE: list[Shapes] = [((3, 3),), ((2, 2, 2),), ((1, 1),), ((0, 0),), ((0, 2, 2),)]
TALL: list[Shapes] = [((3, 2),), ((2, 2, 1),)]
WIDE: list[Shapes] = [((2, 3),), ((2, 1, 2),)]
FULL: list[Shapes] = [((2, 2),), *TALL, *WIDE]
SYSTEMS: list[Shapes] = [((2, 2), (2, 3)), ((2, 2, 2), (2, 2, 1)), ((2, 2), (2, 2, 1)), ((2, 1, 2, 2), (3, 2, 1))]


def invertible(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Square matrices that are far from singular; anything else as it comes."""
    square = len(shape) > 1 and shape[-1] == shape[-2]
    return random.uniform(-0.4, 0.4, shape) + (1.5 * np.eye(shape[-1]) if square else 0)


def distinct(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Matrices whose singular values are well apart."""
    values = np.zeros(shape)
    np.einsum("...ii->...i", values[..., : min(shape[-2:]), : min(shape[-2:])])[...] = 1.0 + np.arange(min(shape[-2:]))
    return values + random.uniform(-0.3, 0.3, shape)


def turned(x: Any) -> Any:
    return np.swapaxes(x, -2, -1)


def positive(F: Any, x: Any) -> Any:
    return x @ x.mT + F.eye(x.shape[-1], dtype=x.dtype)


def numpy_positive(x: np.ndarray) -> np.ndarray:
    return x @ turned(x) + np.eye(x.shape[-1], dtype=x.dtype)


def row(
    name: str, function: Callable[..., Any], numpy: Callable[..., Any], shapes: Any, node: Any = None, **more: Any
) -> Row:
    return Row(name, function, numpy, shapes, node, **({"domain": invertible} | more))


def triangular(upper: bool, left: bool, unit: bool) -> Row:
    def solved(F: Any, x: Any, y: Any) -> Any:
        y = y if left else y.mT
        return F.linalg.solve_triangular(x, y, upper=upper, left=left, unitriangular=unit)

    def numpy_solved(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x = np.triu(x, int(unit)) if upper else np.tril(x, -int(unit))
        x = x + np.eye(x.shape[-1], dtype=x.dtype) * unit
        return np.linalg.solve(x, y) if left else turned(np.linalg.solve(turned(x), y))

    name = f"linalg.solve_triangular(upper={upper}, left={left}, unitriangular={unit})"
    return row(
        name,
        solved,
        numpy_solved,
        [((3, 3), (3, 2)), ((2, 2), (2, 2, 1))],
        "LinalgSolveTriangularBackward0",
        graph=left,
    )


def norm_row(ord: Any) -> Row:
    def numpy_norm(x: np.ndarray) -> np.ndarray:
        return np.linalg.norm(x, ord, (-2, -1))

    values = ord == "nuc" or (not isinstance(ord, str) and abs(ord) == 2)
    return row(
        f"linalg.matrix_norm({ord})",
        lambda F, x: F.linalg.matrix_norm(x, ord),
        numpy_norm,
        FULL,
        domain=distinct if values else apart,
        differentiable=values or ord == "fro",
    )


ROWS = [
    row("linalg.inv()", lambda F, x: F.linalg.inv(x), np.linalg.inv, SQUARE, "LinalgInvExBackward0"),
    *both("inverse", np.linalg.inv, "LinalgInvExBackward0", invertible, SQUARE),
    row(
        "linalg.solve()",
        lambda F, x, y: F.linalg.solve(x, y),
        np.linalg.solve,
        SYSTEMS,
        "LinalgSolveExBackward0",
        graph=False,
    ),
    row(
        "linalg.solve(left=False)",
        lambda F, x, y: F.linalg.solve(x, y, left=False),
        lambda x, y: turned(np.linalg.solve(turned(x), turned(y))),
        [((2, 2), (3, 2)), ((2, 2), (2, 1, 2))],
        "LinalgSolveExBackward0",
        graph=False,
    ),
    row(
        "linalg.solve(vectors)",
        lambda F, x, y: F.linalg.solve(x, y),
        lambda x, y: np.linalg.solve(x, np.broadcast_to(y, x.shape[:-1])[..., None])[..., 0],
        [((2, 2), (2,)), ((3, 2, 2), (3, 2)), ((2, 2, 2), (2,)), ((0, 0), (0,))],
        "LinalgSolveExBackward0",
        graph=False,
    ),
    *[triangular(upper, left, unit) for upper in (True, False) for left in (True, False) for unit in (True, False)],
    *both("det", np.linalg.det, "LinalgDetBackward0", shapes=SQUARE),
    row(
        "det of singular matrices",
        lambda F, x: F.linalg.det(F.outer(x, x)) + F.linalg.det(F.stack([x, 2 * x, x * x])),
        lambda x: np.zeros((), x.dtype),
        [((3,),)],
        differentiable=False,
    ),
    *[
        row(
            f"{name}slogdet",
            lambda F, x, f=f: f(F, x)[1],
            lambda x: np.linalg.slogdet(x)[1],
            SQUARE,
            "LinalgSlogdetBackward0",
        )
        for name, f in {
            "linalg.": lambda F, x: F.linalg.slogdet(x),
            "": lambda F, x: F.slogdet(x),
            ".": lambda F, x: x.slogdet(),
        }.items()
    ],
    row(
        "slogdet().sign",
        lambda F, x: F.slogdet(x).sign * x.sum((-2, -1)),
        lambda x: np.linalg.slogdet(x)[0] * x.sum((-2, -1)),
        SQUARE,
    ),
    *both("logdet", lambda x: np.log(np.linalg.det(x)), "WhereBackward0", invertible, SQUARE),
    row(
        "linalg.cholesky()",
        lambda F, x: F.linalg.cholesky(positive(F, x)),
        lambda x: np.linalg.cholesky(numpy_positive(x)),
        SQUARE,
        "LinalgCholeskyExBackward0",
        graph=False,
    ),
    row(
        "linalg.cholesky(upper)",
        lambda F, x: F.linalg.cholesky(positive(F, x), upper=True),
        lambda x: turned(np.linalg.cholesky(numpy_positive(x))),
        [((3, 3),), ((2, 2, 2),)],
        "LinalgCholeskyExBackward0",
        graph=False,
    ),
    row("linalg.qr().Q", lambda F, x: F.linalg.qr(x).Q, lambda x: np.linalg.qr(x)[0], FULL, "LinalgQrBackward0"),
    row("linalg.qr().R", lambda F, x: F.linalg.qr(x)[1], lambda x: np.linalg.qr(x)[1], FULL, "LinalgQrBackward0"),
    row(
        "linalg.qr(complete)",
        lambda F, x: F.linalg.qr(x, mode="complete")[0] @ F.linalg.qr(x, "complete")[1],
        lambda x: x,
        [((2, 2),), *WIDE],
    ),
    row(
        "linalg.qr(r)", lambda F, x: F.linalg.qr(x, "r")[1], lambda x: np.linalg.qr(x, "r"), FULL, differentiable=False
    ),
    row(
        "linalg.eigh().eigenvalues",
        lambda F, x: F.linalg.eigh(x + x.mT).eigenvalues,
        lambda x: np.linalg.eigvalsh(x + turned(x)),
        [((3, 3),), ((2, 2, 2),), ((0, 0),)],
        "LinalgEighBackward0",
        domain=distinct,
        graph=False,
    ),
    row(
        "linalg.eigh().eigenvectors",
        lambda F, x: F.linalg.eigh(x + x.mT, UPLO="U")[1] ** 2,
        lambda x: np.linalg.eigh(x + turned(x))[1] ** 2,
        [((3, 3),), ((2, 2, 2),)],
        domain=distinct,
    ),
    row(
        "linalg.eigvalsh()",
        lambda F, x: F.linalg.eigvalsh(x + x.mT),
        lambda x: np.linalg.eigvalsh(x + turned(x)),
        [((3, 3),), ((2, 2, 2),)],
        "LinalgEighBackward0",
        domain=distinct,
        graph=False,
    ),
    *[
        row(
            f"linalg.svd()[{part}]",
            lambda F, x, part=part: F.linalg.svd(x, full_matrices=False)[part] ** 2,
            lambda x, part=part: np.linalg.svd(x, full_matrices=False)[part] ** 2,
            FULL,
            domain=distinct,
        )
        for part in range(3)
    ],
    row(
        "linalg.svd(full)",
        lambda F, x: F.linalg.svd(x).U[..., :1] ** 2 * F.linalg.svd(x).S[..., None, :1],
        lambda x: np.linalg.svd(x)[0][..., :1] ** 2 * np.linalg.svd(x)[1][..., None, :1],
        FULL,
        domain=distinct,
    ),
    row(
        "linalg.svdvals()",
        lambda F, x: F.linalg.svdvals(x),
        lambda x: np.linalg.svd(x)[1],
        FULL,
        "LinalgSvdBackward0",
        domain=distinct,
    ),
    row(
        "svd()",
        lambda F, x: (F.svd(x)[0] * F.svd(x)[1].sin()[..., None, :]) @ x.svd().V.mT,
        lambda x: (lambda u, s, vh: (u * np.sin(s)[..., None, :]) @ vh)(*np.linalg.svd(x, full_matrices=False)),
        FULL,
        domain=distinct,
    ),
    row("linalg.pinv()", lambda F, x: F.linalg.pinv(x), np.linalg.pinv, FULL, domain=distinct),
    *both("pinverse", np.linalg.pinv, None, distinct, [((2, 2),), *TALL]),
    row(
        "linalg.pinv(hermitian)",
        lambda F, x: F.linalg.pinv(positive(F, x), hermitian=True),
        lambda x: np.linalg.inv(numpy_positive(x)),
        [((2, 2),), ((2, 2, 2),)],
    ),
    row(
        "linalg.lstsq()",
        lambda F, x, y: F.linalg.lstsq(x, y).solution,
        lambda x, y: np.linalg.pinv(x) @ y,
        [((3, 2), (3, 2)), ((2, 3), (2, 1)), ((2, 3, 2), (2, 3, 1))],
        domain=distinct,
    ),
    row(
        "linalg.lstsq(vectors)",
        lambda F, x, y: F.linalg.lstsq(x, y)[0],
        lambda x, y: (np.linalg.pinv(x) @ y[..., None])[..., 0],
        [((2, 3, 2), (2, 3))],
        domain=(distinct, invertible),
    ),
    row(
        "linalg.matrix_rank()",
        lambda F, x: F.linalg.matrix_rank(x),
        lambda x: np.asarray(np.linalg.matrix_rank(x)),
        FULL,
        domain=distinct,
        differentiable=False,
    ),
    *[
        row(
            f"linalg.vector_norm({ord})",
            lambda F, x, ord=ord: F.linalg.vector_norm(x, ord, dim=-1),
            lambda x, ord=ord: np.linalg.norm(x, ord, -1),
            [((3,),), ((2, 3),)],
            "LinalgVectorNormBackward0",
            domain=apart,
            differentiable=ord
            in (2, 3, 0.5, -1),  # torch gives zeros without memory for the second derivative of others
        )
        for ord in (0, 0.5, 1, 2, 3, -1, float("inf"), -float("inf"))
    ],
    row(
        "linalg.vector_norm() of all",
        lambda F, x: F.linalg.vector_norm(x, keepdim=True),
        lambda x: np.sqrt((x * x).sum(keepdims=True)),
        [((3,),), ((2, 3),), ((),)],
        "LinalgVectorNormBackward0",
        domain=apart,
    ),
    *[norm_row(ord) for ord in ("fro", "nuc", 2, -2, 1, -1, float("inf"), -float("inf"))],
    row(
        "linalg.norm()",
        lambda F, x: F.linalg.norm(x),
        lambda x: np.sqrt((x * x).sum()),
        MATRIX,
        "LinalgVectorNormBackward0",
    ),
    row("linalg.norm(ord, dim)", lambda F, x: F.linalg.norm(x, 2, dim=1), lambda x: np.sqrt((x * x).sum(1)), MATRIX),
    row(
        "linalg.norm(nuc)",
        lambda F, x: F.linalg.norm(x, "nuc"),
        lambda x: np.linalg.norm(x, "nuc"),
        MATRIX,
        domain=distinct,
    ),
    row(
        "linalg.cond()",
        lambda F, x: F.linalg.cond(x),
        np.linalg.cond,
        [((2, 2),), ((3, 2),)],
        "SqueezeBackward1",
        domain=distinct,
    ),
    row(
        "linalg.cond(nuc)",
        lambda F, x: F.linalg.cond(x, "nuc"),
        lambda x: np.linalg.cond(x, "nuc"),
        [((2, 2),)],
        domain=distinct,
    ),
    row(
        "linalg.cond(1)",
        lambda F, x: F.linalg.cond(x, 1),
        lambda x: np.linalg.cond(x, 1),
        [((2, 2),), ((2, 3, 3),)],
        differentiable=False,
    ),
    row(
        "linalg.diagonal()",
        lambda F, x: F.linalg.diagonal(x),
        lambda x: np.diagonal(x, 0, -2, -1),
        [((2, 3),), ((2, 3, 3),)],
        "DiagonalBackward0",
    ),
]

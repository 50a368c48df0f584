"""Rows for repeating, rolling, mirroring, triangles, diagonals, windows and pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import CUBE, MATRIX, MATRIX_OR_EMPTY, UNARY, VECTOR, Row, both, normal

SQUARES: list[Any] = [((3, 3),), ((2, 3),), ((3, 2),), ((2, 2, 3),), ((0, 3),)]


def embedded(x: np.ndarray, offset: int = 0) -> np.ndarray:
    """Each last dimension on the diagonal of a matrix."""
    size = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], size, size), x.dtype)
    for place in range(x.shape[-1]):
        out[..., place + max(-offset, 0), place + max(offset, 0)] = x[..., place]
    return out


REPEATED = [
    Row(".repeat(2, 1)", lambda F, x: x.repeat(2, 1), lambda x: np.tile(x, (2, 1)), MATRIX_OR_EMPTY, "RepeatBackward0"),
    Row(
        ".repeat((2, 1, 3))",
        lambda F, x: x.repeat((2, 1, 3)),
        lambda x: np.tile(x, (2, 1, 3)),
        UNARY,
        "RepeatBackward0",
    ),
    Row(".repeat(0)", lambda F, x: x.repeat(0), lambda x: np.tile(x, 0), [((3,),), ((),)], "RepeatBackward0"),
    Row("tile()", lambda F, x: F.tile(x, (2,)), lambda x: np.tile(x, 2), UNARY, "RepeatBackward0"),
    Row(".tile()", lambda F, x: x.tile(2, 3, 1), lambda x: np.tile(x, (2, 3, 1)), MATRIX, "RepeatBackward0"),
    Row(
        "repeat_interleave(2)",
        lambda F, x: F.repeat_interleave(x, 2),
        lambda x: np.repeat(x, 2),
        [((3,),), ((2, 3),), ((),), ((0,),)],
        "ViewBackward0",
    ),
    Row(
        ".repeat_interleave(3, dim)",
        lambda F, x: x.repeat_interleave(3, dim=-1),
        lambda x: np.repeat(x, 3, -1),
        MATRIX,
        "ViewBackward0",
    ),
    Row(
        "repeat_interleave(tensor, dim)",
        lambda F, x: F.repeat_interleave(x, F.tensor([2, 0, 3]), 1),
        lambda x: np.repeat(x, [2, 0, 3], 1),
        [((2, 3),), ((1, 3),)],
        "IndexSelectBackward0",
    ),
]

MOVED = [
    Row("roll(1)", lambda F, x: F.roll(x, 1), lambda x: np.roll(x, 1), UNARY, "RollBackward0"),
    Row(".roll(-2, 0)", lambda F, x: x.roll(-2, 0), lambda x: np.roll(x, -2, 0), MATRIX_OR_EMPTY, "RollBackward0"),
    Row(
        "roll(dims)",
        lambda F, x: F.roll(x, (1, 4), (0, -1)),
        lambda x: np.roll(x, (1, 4), (0, -1)),
        MATRIX,
        "RollBackward0",
    ),
    *(
        Row(
            f"rot90({k})",
            lambda F, x, k=k: F.rot90(x, k, (0, -1)),
            lambda x, k=k: np.rot90(x, k, (0, -1)),
            [((2, 3),), ((2, 1, 2),)],
            "Rot90Backward0",
        )
        for k in (0, 1, 2, -1)
    ),
    Row(".rot90()", lambda F, x: x.rot90(), np.rot90, MATRIX_OR_EMPTY, "Rot90Backward0"),
    *both("fliplr", np.fliplr, "FlipBackward0", shapes=MATRIX_OR_EMPTY),
    *both("flipud", np.flipud, "FlipBackward0", shapes=UNARY[1:]),
]

TRIANGLES = [
    *(
        row
        for name, function in (("tril", np.tril), ("triu", np.triu))
        for node in [f"{name.capitalize()}Backward0"]
        for row in (
            *both(name, function, node, shapes=SQUARES),
            Row(
                f"{name}(diagonal=-1)",
                lambda F, x, name=name: getattr(F, name)(x, diagonal=-1),
                lambda x, function=function: function(x, -1),
                SQUARES,
                node,
            ),
            Row(
                f".{name}_()",
                lambda F, x, name=name: getattr(x * 1, f"{name}_")(1),
                lambda x, function=function: function(x, 1),
                SQUARES[:2],
                node,
            ),
            Row(
                f"{name}_indices()",
                lambda F, x, name=name: getattr(F, f"{name}_indices")(*x.shape, 1),
                lambda x, name=name: np.array(getattr(np, f"{name}_indices")(x.shape[0], 1, x.shape[1])),
                [((2, 3),), ((3, 2),), ((0, 2),)],
                None,
                normal,
                False,
            ),
        )
    ),
]

DIAGONALS = [
    *both("diag", np.diag, "DiagEmbedBackward0", shapes=VECTOR),
    Row("diag(matrix)", lambda F, x: F.diag(x), np.diag, MATRIX_OR_EMPTY, "DiagonalBackward0_copy"),
    Row("diag(matrix, 1)", lambda F, x: x.diag(1), lambda x: np.diag(x, 1), MATRIX, "DiagonalBackward0_copy"),
    *both("diag_embed", embedded, "DiagEmbedBackward0", shapes=[((3,),), ((2, 3),), ((0,),), ((2, 0),)]),
    Row(
        "diag_embed(dims)",
        lambda F, x: F.diag_embed(x, 1, 0, 2),
        lambda x: np.moveaxis(embedded(x, 1), (-2, -1), (0, 2)),
        [((2, 3),)],
        "DiagEmbedBackward0",
    ),
    Row(
        "diag_embed(dims the other way round)",
        lambda F, x: F.diag_embed(x, offset=-1, dim1=-1, dim2=0),
        lambda x: np.moveaxis(embedded(x, -1), (-2, -1), (-1, 0)),
        [((2, 3),)],
        "DiagEmbedBackward0",
    ),
    *both("diagflat", np.diagflat, "DiagEmbedBackward0", shapes=[((),), ((3,),), ((2, 2),)]),
    Row("diagflat(-1)", lambda F, x: F.diagflat(x, -1), lambda x: np.diagflat(x, -1), VECTOR, "DiagEmbedBackward0"),
]

SHAPED = [
    Row(
        "broadcast_to()",
        lambda F, x: F.broadcast_to(x, (2, 2, 3)),
        lambda x: np.broadcast_to(x, (2, 2, 3)),
        [((),), ((3,),), ((2, 1),)],
        "ExpandBackward0",
    ),
    Row(
        ".broadcast_to()",
        lambda F, x: x.broadcast_to(2, 3),
        lambda x: np.broadcast_to(x, (2, 3)),
        [((3,),)],
        "ExpandBackward0",
    ),
    *both("ravel", np.ravel, "ViewBackward0"),
    Row("ravel of a transposed matrix", lambda F, x: x.t().ravel(), lambda x: x.T.ravel(), MATRIX, "ViewBackward0"),
    Row(
        ".sum_to_size()",
        lambda F, x: x.sum_to_size(1, 3),
        lambda x: x.sum(0, keepdims=True),
        [((2, 3),), ((0, 3),)],
        "SumBackward1",
    ),
    Row(
        ".sum_to_size(fewer)",
        lambda F, x: x.sum_to_size((3,)),
        lambda x: x.sum((0, 1)),
        [((2, 4, 3),)],
        "ViewBackward0",
    ),
    Row("narrow_copy()", lambda F, x: F.narrow_copy(x, 1, 1, 2), lambda x: x[:, 1:3], MATRIX, "NarrowCopyBackward0"),
    Row(".narrow_copy()", lambda F, x: x.narrow_copy(0, 1, 2), lambda x: x[1:3], MATRIX, "NarrowCopyBackward0"),
    *both("adjoint", lambda x: np.swapaxes(x, -2, -1), "TransposeBackward0", shapes=[*MATRIX, *CUBE]),
    Row(".H", lambda F, x: x.H, np.transpose, MATRIX_OR_EMPTY, "TransposeBackward0"),
    Row(".mH", lambda F, x: x.mH, lambda x: np.swapaxes(x, -2, -1), [*MATRIX, *CUBE], "TransposeBackward0"),
]

WINDOWS = [
    Row(
        f".unfold({dim}, {size}, {step})",
        lambda F, x, dim=dim, size=size, step=step: x.unfold(dim, size, step),
        lambda x, dim=dim, size=size, step=step: np.moveaxis(
            np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, size, dim), dim % x.ndim, 0)[::step],
            0,
            dim % x.ndim,
        ),
        shapes,
        "UnfoldBackward0",
    )
    for dim, size, step, shapes in (
        (0, 2, 1, [((3,),), ((4, 2),), ((2, 0),)]),
        (1, 2, 2, [((2, 5),), ((2, 3, 2),)]),
        (-1, 3, 2, [((5,),), ((2, 3),), ((0, 4),)]),
    )
]

PIECES = [
    Row(
        "tensor_split(3)",
        lambda F, x: F.tensor_split(x, 3)[0],
        lambda x: np.array_split(x, 3)[0],
        [((4,),), ((5, 2),)],
        "SliceBackward0",
    ),
    Row(
        ".tensor_split(places)",
        lambda F, x: x.tensor_split((1, -1), dim=1)[1],
        lambda x: np.split(x, (1, -1), 1)[1],
        MATRIX,
        "SliceBackward0",
    ),
    Row(
        "tensor_split(): two of three",
        lambda F, x: (lambda a, b, c: a * c)(*x.tensor_split(3)),
        lambda x: x[:1] * x[2:],
        [((3,),)],
        "MulBackward0",
    ),
    *(
        row
        for name, shape in (("hsplit", (2, 4)), ("vsplit", (4, 2)), ("dsplit", (1, 2, 4)))
        for split in [getattr(np, name)]
        for row in (
            Row(
                f"{name}()",
                lambda F, x, name=name: getattr(F, name)(x, 2)[1],
                lambda x, split=split: split(x, 2)[1],
                [(shape,)],
                "SliceBackward0",
            ),
            Row(
                f".{name}()",
                lambda F, x, name=name: getattr(x, name)([1])[1],
                lambda x, split=split: split(x, [1])[1],
                [(shape,)],
                "SliceBackward0",
            ),
        )
    ),
]

ROWS = [*REPEATED, *MOVED, *TRIANGLES, *DIAGONALS, *SHAPED, *WINDOWS, *PIECES]

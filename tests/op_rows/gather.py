"""Rows for taking out and putting in at indices and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import CUBE, MATRIX, UNARY, VECTOR, Row, Shapes, apart, both, whole

Arrays = Callable[..., Any]

# Each a (2, 3) of rows along the first dimension of a (3, 4); no place twice where elements are put.
TAKEN = [[0, 2, 2], [1, 0, 2]]
PUT = [[0, 2, 1], [1, 0, 2]]
ALONG = [((3, 4),), ((3, 3),), ((4, 3),)]
INTO_ROWS: list[Shapes] = [((3, 4), (2, 3)), ((4, 3), (2, 3)), ((3, 4), (3, 4))]
COLUMNS = [[0, 2], [3, 3], [1, 0]]
PARTS_OF: list[Shapes] = [((4,), (3,)), ((4, 2), (3, 2)), ((4, 2, 3), (3, 2, 3)), ((4, 0), (3, 0))]
MASKED: list[Shapes] = [((3,),), ((2, 3),), ((2, 1, 3),), ((0, 3),)]
MASK = [True, False, True]


def made(numpy: Arrays) -> Arrays:
    """A function of arrays that writes into the first of them, on copies."""

    def call(*inputs: np.ndarray) -> np.ndarray:
        copies = [np.array(array) for array in inputs]
        numpy(*copies)
        return copies[0]

    return call


def grid(index: Any, dim: int) -> tuple[Any, ...]:
    """An index along one dimension, with every other dimension's own places beside it."""
    places = list(np.indices(np.shape(index)))
    places[dim] = np.asarray(index)
    return tuple(places)


def put_along(index: Any, dim: int, ufunc: Any = None) -> Arrays:
    def write(x: np.ndarray, y: Any) -> None:
        y = y[tuple(map(slice, np.shape(index)))] if np.ndim(y) else y
        if ufunc is None:
            x[grid(index, dim)] = y
        else:
            ufunc.at(x, grid(index, dim), y)

    return made(write)


def reduced(how: str, include_self: bool) -> Arrays:
    """scatter_reduce element by element, into the places of TAKEN."""
    functions: dict[str, Any] = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}

    def call(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        out = np.array(x)
        for place in np.ndindex(x.shape):
            brought = [y[i, place[1]] for i in range(2) if place[1] < 3 and TAKEN[i][place[1]] == place[0]]
            if brought:
                out[place] = functions[how](brought + ([x[place]] if include_self else []))
        return out

    return call


def both_and_in_place(
    name: str, arguments: Callable[..., tuple[Any, ...]], numpy: Arrays, node: str, shapes: Any, **more: Any
) -> list[Row]:
    """Three rows: `F.name(...)`, `x.name(...)`, `x.name_(...)` on a copy. `arguments` are those after the input."""
    return [
        Row(f"{name}()", lambda F, x, *y: getattr(F, name)(x, *arguments(F, *y)), numpy, shapes, node, **more),
        Row(f".{name}()", lambda F, x, *y: getattr(x, name)(*arguments(F, *y)), numpy, shapes, node, **more),
        Row(
            f".{name}_()",
            lambda F, x, *y: getattr(x.clone(), name + "_")(*arguments(F, *y)),
            numpy,
            shapes,
            node,
            **more,
        ),
    ]


def index(F: Any) -> Any:
    return F.tensor([2, 0, 3])


def nowhere(F: Any) -> Any:
    return F.zeros((0,), dtype=F.int64)


def beyond(F: Any, x: Any) -> Any:
    """A mask of more dimensions than the tensor."""
    return F.stack([x > 0, x < 1])


ROWS = [
    Row(
        "gather()", lambda F, x: F.gather(x, 0, F.tensor(TAKEN)), lambda x: x[grid(TAKEN, 0)], ALONG, "GatherBackward0"
    ),
    Row(
        ".gather(-1)",
        lambda F, x: x.gather(-1, F.tensor(COLUMNS)),
        lambda x: x[grid(COLUMNS, 1)],
        [((3, 4),), ((4, 4),)],
        "GatherBackward0",
    ),
    Row(
        "gather in the middle",
        lambda F, x: x.gather(1, F.tensor([[[2, 0], [1, 1]]])),
        lambda x: x[grid([[[2, 0], [1, 1]]], 1)],
        CUBE,
        "GatherBackward0",
    ),
    Row("gather from a vector", lambda F, x: x.gather(0, F.tensor([1, 1, 0])), lambda x: x[[1, 1, 0]], VECTOR),
    Row("gather of 0d", lambda F, x: x.gather(0, F.tensor([0, 0])), lambda x: np.stack([x, x]), [((),)]),
    Row("gather to 0d", lambda F, x: x.gather(0, F.tensor(1)), lambda x: x[1], VECTOR, "GatherBackward0"),
    Row("gather nothing", lambda F, x: x.gather(0, nowhere(F)), lambda x: x.ravel()[:0], VECTOR + MATRIX),
    *both_and_in_place(
        "scatter", lambda F, y: (0, F.tensor(PUT), y), put_along(PUT, 0), "ScatterBackward0", [((3, 4), (2, 3))]
    ),
    Row(
        "scatter(longer src)",
        lambda F, x, y: x.scatter(0, F.tensor([PUT[0]]), y.tanh())[1:],
        lambda x, y: put_along([PUT[0]], 0)(x, np.tanh(y))[1:],
        [((3, 3), (2, 3)), ((3, 4), (1, 4))],
        differentiable=False,
    ),
    Row(
        "scatter(number)",
        lambda F, x: F.scatter(x, 1, F.tensor(COLUMNS), 1.5),
        lambda x: put_along(COLUMNS, 1)(x, 1.5),
        [((3, 4),), ((4, 4),)],
        "ScatterBackward1",
    ),
    Row(
        "scatter(value=)",
        lambda F, x: x.scatter(0, F.tensor([0, 0]), value=2),
        lambda x: put_along([0, 0], 0)(x, 2),
        VECTOR,
        "ScatterBackward1",
    ),
    Row(
        "scatter(reduce=add)",
        lambda F, x: F.scatter(x, 0, F.tensor(TAKEN), 2.5, reduce="add"),
        lambda x: put_along(TAKEN, 0, np.add)(x, 2.5),
        [((3, 4),)],
        differentiable=False,
    ),
    Row(
        "scatter(reduce=multiply)",
        lambda F, x: x.scatter(0, F.tensor(TAKEN), 2.5, reduce="multiply"),
        lambda x: put_along(TAKEN, 0, np.multiply)(x, 2.5),
        [((3, 4),)],
        differentiable=False,
    ),
    *both_and_in_place(
        "scatter_add",
        lambda F, y: (0, F.tensor(TAKEN), y),
        put_along(TAKEN, 0, np.add),
        "ScatterAddBackward0",
        [((3, 4), (2, 3))],
    ),
    Row(
        "scatter_add along the last",
        lambda F, x, y: x.scatter_add(-1, F.tensor(COLUMNS), y),
        put_along(COLUMNS, 1, np.add),
        [((3, 4), (3, 2)), ((4, 4), (3, 2))],
        "ScatterAddBackward0",
    ),
    Row(
        "scatter_add to a vector",
        lambda F, x, y: x.scatter_add(0, F.tensor([1, 1, 0]), y),
        put_along([1, 1, 0], 0, np.add),
        [((3,), (3,)), ((2,), (3,))],
        "ScatterAddBackward0",
    ),
    Row("scatter_add nothing", lambda F, x, y: x.scatter_add(0, nowhere(F), y), lambda x, y: x, [((3,), (0,))]),
    *both_and_in_place(
        "scatter_reduce",
        lambda F, y: (0, F.tensor(TAKEN), y, "sum"),
        reduced("sum", True),
        "ScatterReduceBackward0",
        [((3, 4), (2, 3))],
    ),
    *[
        Row(
            f"scatter_reduce({how}, include_self={include_self})",
            lambda F, x, y, how=how, include=include_self: x.scatter_reduce(
                0, F.tensor(TAKEN), y, how, include_self=include
            ),
            reduced(how, include_self),
            [((3, 4), (2, 3))],
            "ScatterReduceBackward0",
        )
        for how in ("sum", "prod", "mean", "amax", "amin")
        for include_self in (True, False)
        if (how, include_self) != ("sum", True)
    ],
    Row(
        "index_select()",
        lambda F, x: F.index_select(x, 0, F.tensor([2, 0, 2])),
        lambda x: x[[2, 0, 2]],
        VECTOR + [((3, 2, 2),)],
    ),
    Row(
        ".index_select(1)",
        lambda F, x: x.index_select(1, F.tensor([2, 2, 0, 1])),
        lambda x: x[:, [2, 2, 0, 1]],
        MATRIX + CUBE,
        "IndexSelectBackward0",
    ),
    Row(
        ".index_select(0-d index)",
        lambda F, x: x.index_select(-1, F.tensor(1)),
        lambda x: x[..., [1]],
        VECTOR + MATRIX,
        "IndexSelectBackward0",
    ),
    Row("index_select of 0d", lambda F, x: x.index_select(0, F.tensor([0])), lambda x: x, [((),)]),
    Row("index_select nothing", lambda F, x: x.index_select(0, nowhere(F)), lambda x: x[:0], VECTOR + MATRIX),
    *both_and_in_place(
        "index_add",
        lambda F, y: (0, index(F), y),
        lambda x, y: made(lambda a, b: np.add.at(a, [2, 0, 3], b))(x, y),
        "IndexAddBackward0",
        PARTS_OF,
    ),
    Row(
        "index_add(alpha), one place twice",
        lambda F, x, y: x.index_add(1, F.tensor([1, 1]), y, alpha=-2),
        made(lambda x, y: np.subtract.at(x, (slice(None), [1, 1]), 2 * y)),
        [((3, 2), (3, 2)), ((2, 3, 2), (2, 2, 2))],
        "IndexAddBackward0",
    ),
    *both_and_in_place(
        "index_copy",
        lambda F, y: (0, index(F), y),
        made(lambda x, y: x.__setitem__([2, 0, 3], y)),
        "IndexCopyBackward0",
        PARTS_OF,
    ),
    *both_and_in_place(
        "index_fill",
        lambda F: (0, F.tensor([2, 0, 2]), 1.5),
        made(lambda x: x.__setitem__([2, 0], 1.5)),
        "IndexFillBackward0",
        VECTOR + MATRIX,
    ),
    Row(
        "index_fill(0-d tensor)",
        lambda F, x, y: x.index_fill(-1, F.tensor([2, 0]), y),
        made(lambda x, y: x.__setitem__((..., [2, 0]), y)),
        [((3,), ()), ((2, 4), ())],
        "IndexFillBackward1",
    ),
    Row("index_fill of 0d", lambda F, x: x.index_fill(0, F.tensor([0]), 4) * x, lambda x: 4 * x, [((),)]),
    *both_and_in_place(
        "masked_fill",
        lambda F: (F.tensor(MASK), -2.5),
        lambda x: np.where(MASK, np.asarray(-2.5, x.dtype), x),
        "MaskedFillBackward0",
        MASKED,
    ),
    Row(
        "masked_fill(0-d tensor)",
        lambda F, x, y: x.masked_fill(F.tensor(MASK), y),
        lambda x, y: np.where(MASK, y, x),
        [((3,), ()), ((2, 3), ()), ((2, 1, 3), ())],
        "MaskedFillBackward1",
    ),
    Row(
        "masked_fill(larger mask)",
        lambda F, x: F.masked_fill(x, beyond(F, x), 1),
        lambda x: np.where(np.stack([x > 0, x < 1]), np.asarray(1, x.dtype), x),
        [((3,),), ((),), ((2, 3),)],
        "MaskedFillBackward0",
        apart,
    ),
    Row(
        "masked_select()",
        lambda F, x: F.masked_select(x, x > 0),
        lambda x: x[x > 0],
        UNARY,
        "MaskedSelectBackward0",
        apart,
    ),
    Row(
        ".masked_select(mask of another shape)",
        lambda F, x: x.masked_select(F.tensor([MASK, MASK])),
        lambda x: np.broadcast_to(x, (2, 3))[:, [0, 2]].ravel(),
        [((3,),), ((2, 3),), ((2, 1),), ((),)],
        "MaskedSelectBackward0",
    ),
    *both_and_in_place(
        "masked_scatter",
        lambda F, y: (F.tensor(MASK), y),
        made(lambda x, y: x.__setitem__((..., [0, 2]), y.ravel()[: x.size // 3 * 2].reshape(*x.shape[:-1], 2))),
        "MaskedScatterBackward0",
        [((3,), (2,)), ((2, 3), (5,)), ((2, 1, 3), (2, 3))],
    ),
    Row("take()", lambda F, x: F.take(x, F.tensor([[2, 0], [-1, 2]])), lambda x: x.ravel()[[[2, 0], [-1, 2]]], CUBE),
    Row(".take()", lambda F, x: x.take(F.tensor([2, 2])), lambda x: x.ravel()[[2, 2]], VECTOR, "TakeBackward0"),
    Row("take from 0d", lambda F, x: x.take(F.tensor(0)), lambda x: x, [((),)], "TakeBackward0"),
    Row(
        "take_along_dim()",
        lambda F, x: F.take_along_dim(x, F.tensor([[0, -1, 2], [2, 0, 0]]), 0),
        lambda x: np.take_along_axis(x, np.array([[0, -1, 2], [2, 0, 0]]), 0),
        [((3, 3),), ((3, 1),), ((4, 3),)],
        "GatherBackward0",
    ),
    Row(
        ".take_along_dim()",
        lambda F, x: x.take_along_dim(F.tensor([[5], [0]])),
        lambda x: x.ravel()[[5, 0]],
        [((2, 3),), ((6,),)],
        "GatherBackward0",
        contiguous=True,
    ),
    *both_and_in_place(
        "put",
        lambda F, y: (F.tensor([[2, 0], [-1, 1]]), y),
        made(lambda x, y: x.put([2, 0, -1, 1], y)),
        "PutBackward0",
        [((2, 3), (2, 2)), ((5,), (4,))],
    ),
    Row(
        "put(accumulate)",
        lambda F, x, y: x.put(F.tensor([2, 0, 2]), y, accumulate=True),
        made(lambda x, y: np.add.at(x.reshape(-1), [2, 0, 2], y)),
        [((2, 3), (3,)), ((3,), (3,))],
        "PutBackward0",
    ),
    Row(
        "select_scatter()",
        lambda F, x, y: F.select_scatter(x, y, 0, -1),
        made(lambda x, y: x.__setitem__(-1, y)),
        [((3,), ()), ((2, 3), (3,))],
        "SelectScatterBackward0",
    ),
    Row(
        ".select_scatter()",
        lambda F, x, y: x.select_scatter(y, dim=1, index=0),
        made(lambda x, y: x.__setitem__((slice(None), 0), y)),
        [((2, 3), (2,))],
        "SelectScatterBackward0",
    ),
    Row(
        "slice_scatter()",
        lambda F, x, y: F.slice_scatter(x, y, 0, 1),
        made(lambda x, y: x.__setitem__(slice(1, None), y)),
        [((3,), (2,)), ((2, 3), (1, 3))],
        "SliceScatterBackward0",
    ),
    Row(
        ".slice_scatter(step)",
        lambda F, x, y: x.slice_scatter(y, dim=-1, end=4, step=2),
        made(lambda x, y: x.__setitem__((..., slice(None, None, 2)), y)),
        [((4,), (2,)), ((2, 3), (2, 2))],
        "SliceScatterBackward0",
    ),
    Row(
        "diagonal_scatter()",
        lambda F, x, y: F.diagonal_scatter(x, y),
        made(lambda x, y: x.__setitem__((range(len(y)), range(len(y))), y)),
        [((3, 3), (3,)), ((2, 4), (2,))],
        "DiagonalScatterBackward0",
    ),
    Row(
        ".diagonal_scatter(offset)",
        lambda F, x, y: x.diagonal_scatter(y, offset=1, dim1=0, dim2=-1),
        made(lambda x, y: x.__setitem__(([0, 1], slice(None), [1, 2]), y.T)),
        [((3, 2, 3), (2, 2)), ((2, 1, 3), (1, 2))],
        "DiagonalScatterBackward0",
    ),
    *both("nonzero", np.argwhere, None, whole, differentiable=False),
    *both("argwhere", np.argwhere, None, whole, differentiable=False),
    Row(
        "nonzero(as_tuple)",
        lambda F, x: F.stack(x.nonzero(as_tuple=True)),
        lambda x: np.stack(np.atleast_1d(x).nonzero()),
        UNARY,
        None,
        whole,
        False,
    ),
]

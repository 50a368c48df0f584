"""Rows for one index for each element to be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.op_table import Row

Arrays = Callable[..., Any]


# Each a (2, 3) of rows along the first dimension of a (3, 4); no place twice where elements are put.
TAKEN = [[0, 2, 2], [1, 0, 2]]


PUT = [[0, 2, 1], [1, 0, 2]]


COLUMNS = [[0, 2], [3, 3], [1, 0]]


def on_copies(numpy: Arrays) -> Arrays:
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

    return on_copies(write)


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


ROWS = [
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
        [((3, 4),)],
        "ScatterBackward1",
    ),
    Row(
        "scatter_(value=)",
        lambda F, x: x.clone().scatter_(0, F.tensor([0, 0]), value=2),
        lambda x: put_along([0, 0], 0)(x, 2),
        [((3,),)],
        "ScatterBackward1",
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
]

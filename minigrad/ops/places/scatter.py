"""Elements brought to the index that is written for each: scatter, scatter_add.

After this module a reader knows that scatter writes where gather (gather.py) reads, so that its gradient is a gather.
In two dimensions, along the first:

    scatter:     result[index[i, j], j] = src[i, j]
    scatter_add: result[index[i, j], j] += src[i, j]
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op
from minigrad.ops.operands import NUMBERS
from minigrad.ops.places.checks import check_index, in_dtype_of, tensor_argument, wrong_arguments
from minigrad.ops.places.gather import copy_and_row, flat_positions
from minigrad.tensor import Tensor, from_array

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("scatter", "scatter_add")  # the functions that are methods of Tensor, too
IN_PLACE = ("scatter", "scatter_add")  # those that have an in-place form, with a trailing underscore
OUT = ("scatter", "scatter_add")  # those that take out=


@op(
    constants=("index",),
    self=lambda F, g, index, dim: F.scatter_value(g, index, dim, 0),
    src=lambda F, g, index, dim: F.gather(g, index, dim),
)
def scatter(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` put at `index` along `dim`."""
    out, row = copy_and_row(self)
    row[flat_positions(index, dim, out.shape, index.shape)] = src
    return out


@op(name="ScatterBackward1", constants=("index",), self=lambda F, g, index, dim: F.scatter_value(g, index, dim, 0))
def scatter_value(self: Array, index: Array, dim: int, value: Any) -> Array:
    """The input with a number put at `index` along `dim`."""
    out, row = copy_and_row(self)
    row[flat_positions(index, dim, out.shape, index.shape)] = value
    return out


@op(constants=("index",), self=lambda F, g: g, src=lambda F, g, index, dim: F.gather(g, index, dim))
def scatter_add(self: Array, src: Array, index: Array, dim: int) -> Array:
    """The input with the elements of `src` added at `index` along `dim`."""
    out, row = copy_and_row(self)
    np.add.at(row, flat_positions(index, dim, out.shape, index.shape).reshape(-1), np.reshape(src, -1))
    return out


def _no_derivative() -> Any:
    raise RuntimeError("derivative for aten::scatter is not implemented where reduce= was given: scatter_add has one")


@op(
    name="NotImplemented",
    constants=("index",),
    self=lambda F, g: _no_derivative(),
    src=lambda F, g: _no_derivative(),
)
def scatter_with_reduce(self: Array, src: Array, index: Array, dim: int, reduce: str) -> Array:
    """The input with the elements of `src` added to those at `index` along `dim`, or multiplied with them. (PyTorch
    gives it no derivative.)
    """
    out, row = copy_and_row(self)
    where = flat_positions(index, dim, out.shape, index.shape).reshape(-1)
    (np.add if reduce == "add" else np.multiply).at(row, where, np.reshape(src, -1))
    return out


# ---------------------------------------------------------------- as the learner calls them

_scatter, _scatter_add = scatter, scatter_add


def _covered(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The part of `src` that `index` covers; RuntimeError if it is too small."""
    if src.dtype is not input.dtype:
        raise RuntimeError(
            f"scatter(): Expected self.dtype to be equal to src.dtype, but they are {input.dtype} and {src.dtype}: "
            "convert src with .to(...)"
        )
    if src.shape == index.shape:
        return src
    if not index.numel():
        return from_array(np.zeros(index.shape, src._array.dtype))
    if max(src.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as src tensor: index has {index.ndim}, src "
            f"{src.ndim}"
        )
    if not (src.ndim and index.ndim):
        return src[0] if src.ndim else src.view(1)
    if any(count > there for count, there in zip(index.shape, src.shape, strict=True)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension "
            f"{dim} and to be no larger size than src {list(src.shape)}"
        )
    return src[tuple(slice(count) for count in index.shape)]


def scatter(  # type: ignore[no-redef]
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """A copy of the input with elements of `src`, or a number, put at `index` along `dim`.

    In two dimensions, along the first: result[index[i, j], j] = src[i, j]. Where several come to one place, any of them
    may stay; `reduce`, "add" or "multiply", combines them with what was there (but without a gradient: see
    scatter_add).
    """
    source = value if src is None else src
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError(f"reduce argument must be either add or multiply. It is {reduce!r}.")
    if not isinstance(source, (Tensor, *NUMBERS)):
        raise wrong_arguments("scatter", *[given for given in (dim, index, source) if given is not None])
    dim = check_index("scatter", input, dim, index)
    if isinstance(source, Tensor):
        if reduce is None:
            return _scatter(input, _covered(input, dim, index, source), index, dim)
        warnings.warn(
            "The reduce argument of minigrad.scatter with Tensor src is deprecated: scatter_add() has a gradient",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        return scatter_with_reduce(input, _covered(input, dim, index, source), index, dim, reduce)
    number = in_dtype_of(source, input)
    if reduce is None:
        return scatter_value(input, index, dim, number)
    return scatter_with_reduce(input, from_array(np.full(index.shape, number)), index, dim, reduce)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:  # type: ignore[no-redef]
    """A copy of the input with the elements of `src` added at `index` along `dim`; all of those that come to one place.

    In two dimensions, along the first: result[index[i, j], j] += src[i, j].
    """
    tensor_argument("scatter_add", "src", 4, src)
    dim = check_index("scatter_add", input, dim, index)
    return _scatter_add(input, _covered(input, dim, index, src), index, dim)

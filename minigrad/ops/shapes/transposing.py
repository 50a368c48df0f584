"""The elements in another order: transpose, permute, movedim and the properties T and mT; flip and roll.

A transposed tensor is a view whose strides are exchanged; flip and roll copy. What only moves elements has a gradient
that moves them back: in the inverse order, flipped again, rolled the other way.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op
from minigrad.ops.shapes.views import view
from minigrad.public import Dims, Sizes, public
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


@op(view=True, self=lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1))
def transpose(self: Array, dim0: int, dim1: int) -> Array:
    """Two dimensions exchanged."""
    return np.swapaxes(self, dim0, dim1)


@op(name="TBackward0", view=True, self=lambda F, g: F.matrix_transpose(g))
def matrix_transpose(self: Array) -> Array:
    """Rows and columns exchanged."""
    return self.T


@op(view=True, self=lambda F, g, dims: F.permute(g, tuple(np.argsort(dims).tolist())))
def permute(self: Array, dims: tuple[int, ...]) -> Array:
    """The dimensions in another order."""
    return np.transpose(self, dims)


@op(self=lambda F, g, dims: F.flip(g, dims))
def flip(self: Array, dims: tuple[int, ...]) -> Array:
    """The elements in opposite order along some dimensions."""
    return np.flip(self, dims).copy()


@op(self=lambda F, g, shifts, dims: F.roll(g, tuple(-shift for shift in shifts), dims))
def roll(self: Array, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    """The elements moved on along some dimensions (none: in the flattened array); what leaves at the end comes in at
    the start.
    """
    return np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0])


# ---------------------------------------------------------------- as the learner calls them

_transpose, _permute, _flip, _roll = transpose, permute, flip, roll


def _wrapped(dims: Dims, ndim: int) -> tuple[int, ...]:
    """Dimensions, one or several or None, counted from the front."""
    listed = () if dims is None else (dims,) if isinstance(dims, int) else dims
    return tuple([wrap_dim(dim, ndim) for dim in listed])


@public(aliases=("swapaxes",), out=False, in_place="shape")  # type: ignore[no-redef]
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged, as a view."""
    dim0, dim1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return _transpose(input, dim0, dim1) if input.ndim else view(input, ())


@public(out=False, in_place="shape")
def t(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, as a view; a vector or a number as it is."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return matrix_transpose(input)


@public(out=False)  # type: ignore[no-redef]
def permute(input: Tensor, dims: Sizes) -> Tensor:
    """The dimensions in the order `dims`, as a view: (2, 3, 4) permuted by (2, 0, 1) is (4, 2, 3)."""
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = _wrapped(dims, input.ndim)
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, wrapped)


@public(out=False, composed=True)
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """The dimensions `source` moved to the positions `destination`, the others kept in order, as a view."""
    sources, goals = (_wrapped(dims, input.ndim) for dims in (source, destination))
    if len(sources) != len(goals):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({[*sources]} dims) should contain the same number "
            f"of dims as destination ({[*goals]} dims)"
        )
    if len(set(sources)) < len(sources) or len(set(goals)) < len(goals):
        raise RuntimeError(f"movedim: repeated dim in `source` or `destination` ({[*sources]}, {[*goals]})")
    order = [dim for dim in range(input.ndim) if dim not in sources]
    for goal, dim in sorted(zip(goals, sources, strict=True)) if input.ndim else ():
        order.insert(goal, dim)
    return permute(input, order)


@public(out=False)  # type: ignore[no-redef]
def flip(input: Tensor, dims: Sizes) -> Tensor:
    """The elements in opposite order along the dimensions `dims`, as a copy."""
    wrapped = _wrapped(dims, input.ndim)
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError(f"dim {max(wrapped, key=wrapped.count)} appears multiple times in the list of dims")
    return _flip(input, wrapped if input.ndim else ())


@public(out=False)  # type: ignore[no-redef]
def roll(input: Tensor, shifts: Dims, dims: Dims = None) -> Tensor:
    """The elements moved on by `shifts` along `dims`; those that leave at the end come in at the start.

    Without `dims` they move on in the flattened tensor.
    """
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts or ())
    along = (dims,) if isinstance(dims, int) else tuple(dims or ())
    if not steps:
        raise RuntimeError("`shifts` required: by how many places to move on")
    if len(steps) != len(along) and (along or len(steps) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}")
    if along and not input.ndim:
        raise IndexError(f"Dimension specified as {along[0]} but tensor has no dimensions")
    return _roll(input, steps, _wrapped(along, input.ndim))


# ---------------------------------------------------------------- x.T and x.mT


def _reversed(input: Tensor) -> Tensor:
    """`x.T`: all dimensions in the opposite order, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "T")
    if input.ndim != 2:
        _deprecated(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*range(x.ndim)[::-1])` to reverse all dimensions."
        )
    return permute(input, range(input.ndim)[::-1])


def _matrices_transposed(input: Tensor) -> Tensor:
    """`x.mT`: the last two dimensions exchanged, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "mT")
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def _number_as_it_is(input: Tensor, name: str) -> Tensor:
    _deprecated(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases. A number has no "
        "rows to exchange."
    )
    return input


def _deprecated(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=frames_to_learner())


Tensor.T = property(_reversed)  # type: ignore[attr-defined]
Tensor.mT = property(_matrices_transposed)  # type: ignore[attr-defined]

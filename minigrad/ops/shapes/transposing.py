"""The dimensions in another order: transpose, permute, movedim, and the properties T and mT.

After this module a reader knows that a transposed tensor is a view whose strides are exchanged, and that the gradient
is transposed back by the inverse order.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op, tensor_operands
from minigrad.ops.shapes.views import int_tuple
from minigrad.ops.shapes.views import view as view_of
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

METHODS = ("transpose", "swapaxes", "t", "permute", "movedim")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those with an in-place form that computes; methods.py has t_, transpose_, ...
OUT: tuple[str, ...] = ()  # those that take out=


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


# ---------------------------------------------------------------- as the learner calls them

_transpose, _permute = transpose, permute


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:  # type: ignore[no-redef]
    """Two dimensions exchanged, as a view."""
    (input,) = tensor_operands("transpose", input)
    dim0, dim1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return _transpose(input, dim0, dim1) if input.ndim else view_of(input, ())


swapaxes = transpose


def t(input: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, as a view; a vector or a number as it is."""
    (input,) = tensor_operands("t", input)
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return matrix_transpose(input)


def permute(input: Tensor, *order: Any, dims: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The dimensions in the order `dims`, as a view: (2, 3, 4) permuted by (2, 0, 1) is (4, 2, 3)."""
    (input,) = tensor_operands("permute", input)
    asked = int_tuple("permute", "dims", order, dims)
    if len(asked) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(asked)}"
        )
    wrapped = tuple([wrap_dim(dim, input.ndim) for dim in asked])
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, wrapped)


def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """The dimensions `source` moved to the positions `destination`, the others kept in order, as a view."""
    (input,) = tensor_operands("movedim", input, composed=True)
    sources, goals = (
        [wrap_dim(dim, input.ndim) for dim in ((dims,) if isinstance(dims, int) else dims)]
        for dims in (source, destination)
    )
    if len(sources) != len(goals):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({sources} dims) should contain the same number of "
            f"dims as destination ({goals} dims)"
        )
    if len(set(sources)) < len(sources) or len(set(goals)) < len(goals):
        raise RuntimeError(f"movedim: repeated dim in `source` or `destination` ({sources}, {goals})")
    order = [dim for dim in range(input.ndim) if dim not in sources]
    for goal, dim in sorted(zip(goals, sources, strict=True)) if input.ndim else ():
        order.insert(goal, dim)
    return permute(input, order)


def _matrices_transposed(input: Tensor) -> Tensor:
    """`x.mT`: the last two dimensions exchanged, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "mT")
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def _reversed(input: Tensor) -> Tensor:
    """`x.T`: all dimensions in the opposite order, as a view."""
    if not input.ndim:
        return _number_as_it_is(input, "T")
    if input.ndim != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*range(x.ndim)[::-1])` to reverse all dimensions.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    return permute(input, range(input.ndim)[::-1])


def _number_as_it_is(input: Tensor, name: str) -> Tensor:
    warnings.warn(
        f"Tensor.{name} is deprecated on 0-D tensors. This function is the identity in these cases. A number has no "
        "rows to exchange.",
        UserWarning,
        stacklevel=frames_to_learner(),
    )
    return input


Tensor.T = property(_reversed)  # type: ignore[attr-defined]
Tensor.mT = property(_matrices_transposed)  # type: ignore[attr-defined]

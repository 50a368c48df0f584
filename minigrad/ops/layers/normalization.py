"""What batch, layer and group norm share: one formula, `(x - mean) / sqrt(var + eps)`, over different sets of numbers.

Its gradient has three terms, for each number moves the mean and the variance as well. The rules say the formula, which
is what `create_graph=True` records; batch and layer norm have their gradients as one function, too
(`shared_backward`), in as few passes over the numbers as possible. That sees arrays as rows (A, C, L) in the order in
which their memory lies: C the channels, A what lies outside of them, L what lies inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.graph import Node
from minigrad.op import node_type
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Dim = tuple[int, ...]
FAR = 10  # variances that a squared mean may be: a mean beyond is taken off before numbers are squared


def normalized(F: Any, self: Any, dim: Dim, eps: float) -> tuple[Any, Any]:
    """(x - mean) / std along some dimensions, and 1 / std, for std = sqrt(var + eps)."""
    centred = self - F.mean_dims(self, dim, True)
    rstd = F.pow_number(F.mean_dims(centred * centred, dim, True) + eps, -0.5)
    return centred * rstd, rstd


def normalized_gradient(F: Any, g: Any, normal: Any, rstd: Any, dim: Dim) -> Any:
    """(g - mean(g) - normal * mean(g * normal)) / std: the parts that shift the mean and scale the std are taken off,
    for they change nothing in the result.
    """
    return rstd * (g - F.mean_dims(g, dim, True) - normal * F.mean_dims(g * normal, dim, True))


def channel_dims(ndim: int) -> Dim:
    """All dimensions of (N, C, ...) but that of the channels."""
    return (0, *range(2, ndim))


def channel_shape(ndim: int) -> Dim:
    """The shape in which (C,) numbers broadcast with an input (N, C, ...)."""
    return (1, -1, *[1] * (ndim - 2))


def shared_backward(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have an ordinary backward compute all the gradients of an op in one function, since they share sums.

    That gets the node, of which it asks what was saved, g, and for each input whether its gradient is wanted. (What
    only it needs, the rules ask for as well, for that is what has it saved.)
    """

    def decorate(gradients: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Node, g: Array) -> Any:
            wanted = [next_node is not None for next_node in node._next_nodes]
            return gradients(node, g, *wanted) if any(wanted) else (None,) * len(wanted)

        node: Any = node_type(function)
        node.apply = apply
        return gradients

    return decorate


def check_dtypes(kernel: str, input: Tensor, *parameters: Tensor | None) -> None:
    """Raise unless the input is floating, and all parameters have its dtype."""
    kind = input.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{kind.tensor_type}': convert the input first, as in x.float()"
        )
    for parameter in parameters:
        if parameter is not None and parameter.dtype is not kind:
            rule = (
                "all inputs must share same datatype."
                if kind.itemsize > parameter.dtype.itemsize
                else f"expect parameter to have scalar type of {kind.tensor_type}"
            )
            raise RuntimeError(
                f"mixed dtype (CPU): {rule} The input is {kind}, a parameter {parameter.dtype}: convert one of them "
                "with .to(...)."
            )


# ---------------------------------------------------------------- rows, and sums over them


def memory_order(array: Array) -> tuple[int, ...]:
    """The dimensions in the order of memory, where that is one of three: as they are, the batch last, the channels
    last. (Anything else is copied into the first.)
    """
    batch, channels, *space = range(array.ndim)
    for order in ((batch, channels, *space), (channels, *space, batch), (batch, *space, channels)):
        if array.transpose(order).flags.c_contiguous:
            return order
    return (batch, channels, *space)


def as_rows(array: Array, order: Sequence[int]) -> Array:
    """The same numbers as rows (A, C, L), for dimensions in this order; a view if memory has that order."""
    arranged = array.transpose(order)
    place = order.index(1)
    outside, inside = math.prod(arranged.shape[:place]), math.prod(arranged.shape[place + 1 :])
    return arranged.reshape(outside, array.shape[1], inside)


def from_rows(rows: Array, order: Sequence[int], shape: Sequence[int]) -> Array:
    """The shape that rows had before, in the same memory."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return rows.reshape([shape[dim] for dim in order]).transpose(back)


def inner_sums(rows: Array) -> Array:
    """The sums over the last dimension. A product with ones is faster than a sum."""
    return rows[..., 0] if rows.shape[-1] == 1 else rows @ np.ones(rows.shape[-1], rows.dtype)


def inner_products(first: Array, second: Array) -> Array:
    """The sums of products over the last dimension."""
    return first[..., 0] * second[..., 0] if first.shape[-1] == 1 else np.vecdot(first, second)


def outer_sums(sums: Array) -> Array:
    """The sums over the first of two dimensions."""
    return sums[0] if sums.shape[0] == 1 else np.ones(sums.shape[0], sums.dtype) @ sums


def scaled(rows: Array, scale: Array, shift: Array) -> Array:
    """rows * scale + shift, with one scale and one shift for all that lie along the last dimension."""
    out = rows * scale[..., np.newaxis]
    out += shift[..., np.newaxis]
    return out


def combined(g: Array, of_g: Array, rows: Array, of_rows: Array, shift: Array) -> Array:
    """g * of_g + rows * of_rows + shift: the form that every gradient of a normalisation has."""
    out = scaled(rows, of_rows, shift)
    out += g * of_g[..., np.newaxis]
    return out


def moments(sums: Array, squares: Array, count: int) -> tuple[Array, Array, bool]:
    """The mean, the variance, and whether that is exact, from sums of `count` numbers and sums of their squares.

    The mean of the squares less the square of the mean has lost digits where the mean is large beside the spread.
    """
    mean = sums / count
    square = mean * mean
    variance = squares / count - square
    return mean, variance, bool(np.all(square <= FAR * variance))


def row_moments(rows: Array) -> tuple[Array, Array]:
    """The mean and the variance along the last dimension."""
    count = rows.shape[-1]
    mean, variance, exact = moments(inner_sums(rows), inner_products(rows, rows), count)
    if not exact:
        centred = rows - mean[..., np.newaxis]
        variance = inner_products(centred, centred) / count
    return mean, variance


def channel_moments(rows: Array) -> tuple[Array, Array]:
    """The mean and the variance of each channel."""
    count = rows.shape[0] * rows.shape[2]
    mean, variance, exact = moments(outer_sums(inner_sums(rows)), outer_sums(inner_products(rows, rows)), count)
    if not exact:
        centred = rows - mean[:, np.newaxis]
        variance = outer_sums(inner_products(centred, centred)) / count
    return mean, variance

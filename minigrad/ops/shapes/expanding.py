"""Repeating without a copy: expand, broadcast_to, broadcast_tensors.

After this module a reader knows that broadcasting is a view with stride 0, one element seen many times, and that its
gradient is therefore a sum: what is seen many times answers for all of them. `expand` and `sum_to` are each other's
gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.op import op, size_mismatch, tensor_operands
from minigrad.ops.shapes.views import int_tuple
from minigrad.tensor import Size, Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
METHODS = ("expand", "expand_as", "broadcast_to")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


@op(view=True, self=lambda F, g, self_shape: F.sum_to(g, self_shape))
def expand(self: Array, shape: tuple[int, ...]) -> Array:
    """The same elements repeated along dimensions of size 1 and along new ones in front, in the same memory."""
    if math.prod(shape) == self.size:  # nothing is repeated, so the result may be written to
        return self.reshape(shape)
    return np.broadcast_to(self, shape)


@op(self=lambda F, g, self_shape: F.expand(g, self_shape))
def sum_to(self: Array, shape: tuple[int, ...]) -> Array:
    """The sum over the dimensions along which `shape` was repeated to make this one."""
    return np.add.reduce(self, axis=tuple(_repeated_dims(shape, self.shape)), keepdims=True).reshape(shape)[()]


def _repeated_dims(shape: Sequence[int], expanded: Sequence[int]) -> list[int]:
    """Along which dimensions a tensor of `shape` is repeated to be of shape `expanded`."""
    lead = len(expanded) - len(shape)
    return [*range(lead), *(lead + i for i, size in enumerate(shape) if size == 1 != expanded[lead + i])]


def unbroadcast(F: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """For rules: a gradient summed over the dimensions along which its input was broadcast, if it was."""
    return g if g.shape == shape else F.sum_to(g, shape)


# ---------------------------------------------------------------- as the learner calls them

_expand = expand


def check_expands(input: Tensor, target: Sequence[int]) -> None:
    """RuntimeError unless the input can be repeated to the shape `target`."""
    shape, sizes = list(input.shape), list(target)
    lead = len(sizes) - len(shape)
    if lead < 0:
        raise RuntimeError(
            f"expand(minigrad.{input.dtype.tensor_type}Tensor{{{shape}}}, size={sizes}): the number of sizes provided "
            f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    for dim in reversed(range(len(shape))):  # as in PyTorch, the last one that does not fit is named
        if shape[dim] not in (1, sizes[lead + dim]) and sizes[lead + dim] != -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({sizes[lead + dim]}) must match the existing size ({shape[dim]}) at "
                f"non-singleton dimension {lead + dim}.  Target sizes: {sizes}.  Tensor sizes: {shape}"
            )


def expand(input: Tensor, *sizes: Any, size: Sequence[int] | None = None) -> Tensor:  # type: ignore[no-redef]
    """The elements repeated along dimensions of size 1 and along new ones in front, as a view; -1 keeps a size.

    RuntimeError if another size would change.
    """
    (input,) = tensor_operands("expand", input)
    return _expanded(input, int_tuple("expand", "size", sizes, size))


def _expanded(input: Tensor, asked: tuple[int, ...]) -> Tensor:
    check_expands(input, asked)
    lead = len(asked) - input.ndim
    target = [own if size == -1 else size for own, size in zip((-1,) * lead + input.shape, asked, strict=True)]
    if any(size < 0 for size in target):
        raise RuntimeError(
            f"The expanded size of the tensor ({min(target)}) isn't allowed in a leading, non-existing dimension"
        )
    return _expand(input, tuple(target))


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input.expand(other.shape)`."""
    input, other = tensor_operands("expand_as", input, other)
    return _expanded(input, other.shape)


def broadcast_to(input: Tensor, *sizes: Any, size: Sequence[int] | None = None) -> Tensor:
    """`input.expand(size)`."""
    (input,) = tensor_operands("broadcast_to", input)
    return _expanded(input, int_tuple("broadcast_to", "size", sizes, size))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Views of the tensors, expanded to the shape that they have together; those that have it already as they are."""
    shape: tuple[int, ...] = ()
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type(tensor).__name__}")
        mismatch = size_mismatch("broadcast_tensors", shape, tensor.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
        shape = np.broadcast_shapes(shape, tensor.shape)
    return tuple([tensor if tensor.shape == shape else _expand(tensor, shape) for tensor in tensors])


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape that tensors of these shapes have together; an int counts as a shape of one dimension."""
    listed = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    if any(size < 0 for shape in listed for size in shape):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    together: tuple[int, ...] = ()
    for index, shape in enumerate(listed):
        for dim in range(-1, -min(len(together), len(shape)) - 1, -1):
            if shape[dim] != together[dim] and 1 not in (shape[dim], together[dim]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument at "
                    f"index {index} had {shape}; but expected shape should be broadcastable to {list(together)}"
                )
        together = np.broadcast_shapes(together, shape)
    return Size(together)

"""The product of several matrices: linalg.multi_dot and chain_matmul.

After this module a reader knows that the order of products changes nothing but the cost, and how the cheapest order is
found.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from minigrad.autograd.blame import frames_to_learner
from minigrad.op import tensor_operands
from minigrad.ops.matrices.matmul import mm
from minigrad.ops.shapes.views import view
from minigrad.tensor import Tensor

METHODS: tuple[str, ...] = ()  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT: tuple[str, ...] = ()  # those that take out=


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that takes the fewest multiplications.

    The first may be a row vector and the last a column vector.
    """
    if isinstance(tensors, Tensor):
        raise TypeError("linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    count = len(tensors)
    if count < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    tensor_operands("multi_dot", *tensors)
    for number, tensor in enumerate(tensors):
        ends = number in (0, count - 1)
        if tensor.ndim != 2 and not (ends and tensor.ndim == 1):
            which = {0: "the first tensor", count - 1: "the last tensor"}.get(number, f"tensor {number}")
            raise RuntimeError(f"multi_dot(): {which} must be {'1D or 2D' if ends else '2D'} but got {tensor.ndim}D")
        if tensor.dtype is not tensors[0].dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0].dtype.c_name} and tensor {number} {tensor.dtype.c_name}"
            )
    matrices = list(tensors)
    row, column = matrices[0].ndim == 1, matrices[-1].ndim == 1
    matrices[0] = matrices[0].unsqueeze(0) if row else matrices[0]
    matrices[-1] = matrices[-1].unsqueeze(1) if column else matrices[-1]
    for number in range(count - 1):
        if matrices[number].shape[1] != matrices[number + 1].shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {number} and {number + 1} with shapes {list(tensors[number].shape)} and "
                f"{list(tensors[number + 1].shape)} cannot be multiplied"
            )
    product = _in_best_order(matrices)
    return view(product, product.shape[1 if row else 0 : 1 if column else 2])


def _in_best_order(matrices: list[Tensor]) -> Tensor:
    """The product of matrices by the order of least cost (Cormen et al., "Introduction to Algorithms")."""
    sizes = [matrices[0].shape[0], *[matrix.shape[1] for matrix in matrices]]
    count = len(matrices)
    least = {(start, start): 0 for start in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            cost, split = min(
                (least[start, cut] + least[cut + 1, end] + sizes[start] * sizes[cut + 1] * sizes[end + 1], cut)
                for cut in range(start, end)
            )
            least[start, end], splits[start, end] = cost, split
    waiting, order = [(0, count - 1)], []
    while waiting:  # the products that are needed, each before those that it is made of
        part = waiting.pop()
        if part in splits:
            order.append(part)
            waiting += [(part[0], splits[part]), (splits[part] + 1, part[1])]
    made = {(place, place): matrix for place, matrix in enumerate(matrices)}
    for start, end in reversed(order):
        split = splits[start, end]
        made[start, end] = mm(made[start, split], made[split + 1, end])
    return made[0, count - 1]


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices, in the order that takes the fewest multiplications: `linalg.multi_dot`."""
    warnings.warn(
        "minigrad.chain_matmul is deprecated: use linalg.multi_dot, which takes a list of matrices",
        UserWarning,
        stacklevel=frames_to_learner(),
    )
    if len(matrices) == 1:
        return matrices[0]
    return multi_dot(matrices)

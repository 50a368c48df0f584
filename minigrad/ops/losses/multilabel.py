"""multilabel_margin_loss: a margin between the scores of all right classes and of all wrong ones.

After this module a reader knows how a loss takes several right classes for each example: as a list of class numbers,
ended by -1, from which a mask of pairs is made.
"""

from __future__ import annotations

import numpy as np

from minigrad.op import tensor_operands
from minigrad.ops.losses.reduction import read_reduction, reduce_loss
from minigrad.tensor import Tensor, from_array


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum of max(0, 1 - (input[right] - input[wrong])) over all pairs of a right and a wrong class, divided by C.

    Args:
        input: scores (N, C), or (C,).
        target: int64, of the same shape: the right classes of each row, ended by -1.
        size_average, reduce: the old form of `reduction`.
        reduction: "mean" or "sum" of all rows, or "none" for a loss for each.

    RuntimeError if the shapes differ.
    """
    reduction = read_reduction(size_average, reduce, reduction)
    input, target = tensor_operands("multilabel_margin_loss", input, target)
    if target.shape != input.shape or input.ndim not in (1, 2):
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}: both are (N, C) "
            "or (C,)"
        )
    classes = target.numpy().reshape(-1, input.shape[-1])
    listed = np.logical_and.accumulate(classes >= 0, axis=1)  # up to the first -1
    classes = np.where(listed, classes, 0)
    right = np.zeros(classes.shape, np.bool_)
    right[np.nonzero(listed)[0], classes[listed]] = True
    pairs = from_array((listed[:, :, None] & ~right[:, None, :]).astype(input._array.dtype))
    scores = input.reshape(-1, input.shape[-1])
    margins = (1 - scores.gather(1, from_array(classes)).unsqueeze(2) + scores.unsqueeze(1)).relu()
    losses = (margins * pairs).sum((1, 2)) / input.shape[-1]
    return reduce_loss(losses if input.ndim == 2 else losses.squeeze(0), reduction)

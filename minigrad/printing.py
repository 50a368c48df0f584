"""A tensor as text, the way PyTorch prints it.

After this module a reader can tell from the text of a tensor its dtype, whether it needs a gradient, and which node
made it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Tensor

PRECISION = 4  # digits after the point
THRESHOLD = 1000  # more elements than these are summarized
EDGE_ITEMS = 3  # elements shown at each end then
LINE_WIDTH = 80


def tensor_repr(tensor: Tensor) -> str:
    """`tensor([1., 2.], grad_fn=<MulBackward0>)` and the like."""
    array = np.asarray(tensor._array)
    suffixes = []
    if array.size == 0 and array.ndim != 1:
        suffixes.append(f"size={tuple(array.shape)}")
    if tensor.dtype not in (dtypes.default, dtypes.int64, dtypes.bool) or (
        array.size == 0 and tensor.dtype is not dtypes.default
    ):
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    prefix = "tensor("
    summarize = array.size > THRESHOLD
    body = "[]" if array.size == 0 else _nested(array, _element_format(array, summarize), len(prefix), summarize)
    text = prefix + body
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > LINE_WIDTH:
            text += ",\n" + " " * len(prefix) + suffix
            last_line = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            last_line += len(suffix) + 2
    return text + ")"


def _element_format(array: Any, summarize: bool) -> Any:
    """How to write one element, so that all line up."""
    shown = _corners(array) if summarize else array
    if array.dtype.kind in "iu":
        width = max(len(str(value)) for value in shown.ravel().tolist())
        return lambda value: f"{int(value):>{width}}"
    if array.dtype.kind == "b":
        width = max(len(str(value)) for value in shown.ravel().tolist())
        return lambda value: f"{bool(value)!s:>{width}}"
    values = shown.ravel()
    write = _float_format(values)
    telling = values[np.isfinite(values) & (values != 0)].tolist()  # zeros, inf and nan do not count for the width
    width = max(map(len, map(write, telling)), default=1)
    return lambda value: f"{write(float(value)):>{width}}" if array.ndim else write(float(value))


def _float_format(values: Any) -> Any:
    """Whole numbers as `1.`, else four digits after the point, else, where sizes differ too much, powers of ten."""
    finite = np.abs(values[np.isfinite(values)].astype(np.float64))
    nonzero = finite[finite != 0]
    if nonzero.size == 0 or (nonzero == np.ceil(nonzero)).all():
        scientific = nonzero.size > 0 and (nonzero.max() / nonzero.min() > 1000 or nonzero.max() > 1e8)
        plain = "{:.0f}."
    else:
        scientific = nonzero.max() / nonzero.min() > 1000 or nonzero.max() > 1e8 or nonzero.min() < 1e-4
        plain = f"{{:.{PRECISION}f}}"

    def write(value: float) -> str:
        if not math.isfinite(value):
            return str(value)
        return f"{value:.{PRECISION}e}" if scientific else plain.format(value)

    return write


def _corners(array: Any) -> Any:
    """The elements that a summary shows."""
    for dim in range(array.ndim):
        if array.shape[dim] > 2 * EDGE_ITEMS:
            array = np.take(array, [*range(EDGE_ITEMS), *range(-EDGE_ITEMS, 0)], axis=dim)
    return array


def _nested(array: Any, write: Any, margin: int, summarize: bool) -> str:
    """The elements in brackets. Depth is the number of dimensions, so this recursion is shallow."""
    if array.ndim == 0:
        return str(write(array.item()))
    cut = summarize and len(array) > 2 * EDGE_ITEMS
    if array.ndim == 1:
        if cut:
            words = [*map(write, array[:EDGE_ITEMS].tolist()), " ...", *map(write, array[-EDGE_ITEMS:].tolist())]
        else:
            words = [write(value) for value in array.tolist()]
        per_line = max(1, (LINE_WIDTH - margin) // (len(words[0]) + 2)) if words else 1
        lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (margin + 1)).join(lines) + "]"
    rows = [array[i] for i in range(EDGE_ITEMS)] + [array[i] for i in range(-EDGE_ITEMS, 0)] if cut else list(array)
    texts = [_nested(row, write, margin + 1, summarize) for row in rows]
    if cut:
        texts.insert(EDGE_ITEMS, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (margin + 1)).join(texts) + "]"

"""A tensor as text, the way PyTorch prints it.

It tells the dtype, whether a gradient is wanted and which node made it. All the numbers that are shown share one style
and one width, so that they stand in columns: that is why the same number is written `1.`, `1.0000` or `1.0000e+00`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Tensor

Write = Callable[[Any], str]


_DEFAULT = {
    "precision": 4,  # digits after the point
    "threshold": 1000,  # tensors with more elements than this are summarized
    "edgeitems": 3,  # of them, so many elements are shown at each end of each dimension
    "linewidth": 80,  # characters
}
_PROFILES: dict[str, Any] = {"default": {}, "short": {"precision": 2, "edgeitems": 2}, "full": {"threshold": math.inf}}
_options: Any = SimpleNamespace(**_DEFAULT, sci_mode=None)


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """How tensors are printed.

    Args:
        precision: digits after the point.
        threshold: how many elements a tensor may have before it is summarized.
        edgeitems: how many elements a summary shows at each end of each dimension.
        linewidth: characters in a line.
        profile: "default", "short" or "full", for all of these.
        sci_mode: whether numbers are written as powers of ten; None where their sizes ask for it.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    if profile in _PROFILES:  # others change nothing, as in PyTorch
        vars(_options).update(_DEFAULT | _PROFILES[profile])
    vars(_options).update({name: value for name, value in given.items() if value is not None}, sci_mode=sci_mode)


# ---------------------------------------------------------------- a whole tensor


def tensor_repr(tensor: Tensor) -> str:
    """`tensor([1., 2.], grad_fn=<MulBackward0>)` and the like."""
    array = np.asarray(tensor._array)
    text = "tensor(" if type(tensor) is Tensor else f"{type(tensor).__name__}("
    margin = len(text)
    if array.size == 0:
        text += "[]"
    else:
        shown = _ends(array) if array.size > _options.threshold else array
        text += _nested_text(shown, array.shape, margin, *_element_format(shown))
    last_line = len(text) - text.rfind("\n") + 1
    for note in _notes(tensor, array):
        if last_line + len(note) + 2 > _options.linewidth:
            text += ",\n" + " " * margin + note
            last_line = margin + len(note)
        else:
            text += ", " + note
            last_line += len(note) + 2
    return text + ")"


def _notes(tensor: Tensor, array: Any) -> list[str]:
    """What stands behind the numbers: what cannot be told from them."""
    notes = []
    if array.size == 0 and array.ndim != 1:
        notes.append(f"size={tuple(array.shape)}")
    evident = {dtypes.default, dtypes.int64, dtypes.bool} if array.size else {dtypes.default}
    if tensor.dtype not in evident:
        notes.append(f"dtype={tensor.dtype}")
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view made under no_grad, whose memory was written to since, has no true history
        return [*notes, "grad_fn=<Invalid>"]
    if node is not None:
        notes.append(f"grad_fn=<{type(node).__name__}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    return notes


def _ends(array: Any) -> Any:
    """The elements that a summary shows: those at the ends of every dimension."""
    edge = _options.edgeitems
    for dim, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.delete(array, slice(edge, length - edge), axis=dim)
    return array


def _nested_text(shown: Any, shape: tuple[int, ...], margin: int, write: Write, width: int) -> str:
    """The elements in brackets, with dots where fewer are shown than a tensor of this shape has.

    It calls itself once per dimension, so it does not go deep.
    """
    if shown.ndim == 0:
        return write(shown.item())
    if shown.ndim == 1:
        parts = [write(value) for value in shown.tolist()]
    else:
        parts = [_nested_text(part, shape[1:], margin + 1, write, width) for part in shown]
    if len(shown) < shape[0]:
        parts.insert(len(shown) // 2, " ..." if shown.ndim == 1 else "...")
    if shown.ndim == 1:
        per_line = max(1, (_options.linewidth - margin) // (width + 2))  # 2 for the comma and the space
        parts = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    newlines = "\n" * max(1, shown.ndim - 1)  # blank lines set matrices apart
    return "[" + ("," + newlines + " " * (margin + 1)).join(parts) + "]"


# ---------------------------------------------------------------- one element


def _element_format(shown: Any) -> tuple[Write, int]:
    """How to write each of these elements, and the width that they share.

    Zeros, infinities and nan have no say in it: they say nothing about the size of the other numbers.
    """
    plain: Write = str
    values = shown.ravel().tolist()
    if shown.dtype.kind == "f":
        values = [value for value in values if value and math.isfinite(value)]
        plain = _float_style(values)
    width = max(map(len, map(plain, values)), default=1)
    return lambda value: plain(value).rjust(width), width


def _float_style(values: list[float]) -> Write:
    """Whole numbers as `1.`, others with digits after the point; as powers of ten where sizes differ too much."""
    sizes = [abs(value) for value in values]
    differ = bool(sizes) and (max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4)
    if sizes and (differ if _options.sci_mode is None else _options.sci_mode):
        return lambda value: f"{value:.{_options.precision}e}"
    if all(value.is_integer() for value in values):
        return lambda value: f"{value:.0f}." if math.isfinite(value) else str(value)
    return lambda value: f"{value:.{_options.precision}f}"

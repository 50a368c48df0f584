"""A tensor as text, the way PyTorch prints it.

After this module a reader can tell from the text of a tensor its dtype, whether it needs a gradient and which node made
it, and knows why the same number is written `1.`, `1.0000` or `1.0000e+00`: all the numbers that are shown share one
style and one width, so that they stand in columns.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.tensor import Tensor

Write = Callable[[Any], str]


# ---------------------------------------------------------------- options


@dataclasses.dataclass
class PrintOptions:
    """What `set_printoptions` changes."""

    precision: int = 4  # digits after the point
    threshold: float = 1000  # tensors with more elements than this are summarized
    edgeitems: int = 3  # of them, so many elements are shown at each end of each dimension
    linewidth: int = 80  # characters
    sci_mode: bool | None = None  # powers of ten: always, never, or (None) where the numbers ask for it


PROFILES: dict[str | None, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed from now on.

    Args:
        precision: digits after the point; 4 to begin with.
        threshold: how many elements a tensor may have before only its ends are shown; 1000 to begin with.
        edgeitems: elements at each end of a dimension that are shown then; 3 to begin with.
        linewidth: characters in a line; 80 to begin with.
        profile: "default", "short" (two digits, two edge items) or "full" (everything is shown), which the other
            arguments refine. Any other word changes nothing, as in PyTorch.
        sci_mode: True writes floats as powers of ten and False never does; None, also where this argument is left out,
            chooses by the numbers themselves.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = PROFILES.get(profile, {}) | {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in force, in a form that fits `set_printoptions(**options)`."""
    return dataclasses.asdict(options)


@contextlib.contextmanager
def printoptions(**changes: Any) -> Iterator[None]:
    """Print with other options inside a `with` block; the arguments are those of `set_printoptions`."""
    before = get_printoptions()
    try:
        set_printoptions(**changes)
        yield
    finally:
        set_printoptions(**before)


# ---------------------------------------------------------------- a whole tensor


def tensor_repr(tensor: Tensor) -> str:
    """`tensor([1., 2.], grad_fn=<MulBackward0>)` and the like."""
    array = np.asarray(tensor._array)
    text = "tensor(" if type(tensor) is Tensor else f"{type(tensor).__name__}("
    margin = len(text)
    if array.size == 0:
        text += "[]"
    else:
        shown = _ends(array) if array.size > options.threshold else array
        text += _nested(shown, array.shape, margin, *_element_format(shown))
    last_line = len(text) - text.rfind("\n") + 1
    for note in _notes(tensor, array):
        if last_line + len(note) + 2 > options.linewidth:
            text += ",\n" + " " * margin + note
            last_line = margin + len(note)
        else:
            text += ", " + note
            last_line += len(note) + 2
    return text + ")"


def _notes(tensor: Tensor, array: Any) -> list[str]:
    """What stands behind the numbers: what cannot be told from them."""
    notes = []
    if (array.size == 0 and array.ndim != 1) or (array.size and not options.edgeitems):
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
    edge = options.edgeitems
    for dim, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.delete(array, slice(edge, length - edge), axis=dim)
    return array


def _nested(shown: Any, shape: tuple[int, ...], margin: int, write: Write, width: int) -> str:
    """The elements in brackets, with dots where fewer are shown than a tensor of this shape has.

    It calls itself once per dimension, so it does not go deep.
    """
    if shown.ndim == 0:
        return write(shown.item())
    if shown.ndim == 1:
        parts = [write(value) for value in shown.tolist()]
    else:
        parts = [_nested(part, shape[1:], margin + 1, write, width) for part in shown]
    if len(shown) < shape[0]:
        parts.insert(len(shown) // 2, " ..." if len(shown) and shown.ndim == 1 else "...")
    if shown.ndim == 1:
        per_line = max(1, (options.linewidth - margin) // (width + 2))  # 2 for the comma and the space
        parts = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    newlines = "\n" * max(1, shown.ndim - 1)  # blank lines set matrices apart
    return "[" + ("," + newlines + " " * (margin + 1)).join(parts) + "]"


# ---------------------------------------------------------------- one element


def _element_format(shown: Any) -> tuple[Write, int]:
    """How to write each of these elements, and the width that they share.

    Zeros, infinities and nan have no say in it: they say nothing about the size of the other numbers.
    """
    values = shown.ravel().tolist()
    if shown.dtype.kind == "f":
        values = [value for value in values if value and math.isfinite(value)]
        plain = _float_style(values)
    else:
        plain = str
    width = max(map(len, map(plain, values)), default=1)
    return lambda value: plain(value).rjust(width), width


def _float_style(values: list[float]) -> Write:
    """Whole numbers as `1.`, others with digits after the point; as powers of ten where sizes differ too much."""
    digits, sizes = options.precision, [abs(value) for value in values]
    scientific = options.sci_mode
    if not sizes:
        scientific = False
    elif scientific is None:
        scientific = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4
    if scientific:
        return lambda value: f"{value:.{digits}e}"
    if all(value.is_integer() for value in values):
        return lambda value: f"{value:.0f}." if math.isfinite(value) else str(value)
    return lambda value: f"{value:.{digits}f}"

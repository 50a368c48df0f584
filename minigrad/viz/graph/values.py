"""How a number, a small tensor and a large one are written in a picture.

Up to `WHOLE` elements are written in full with four significant digits; a larger tensor is its shape, its minimum, mean
and maximum, and a heat map of a few hundred pixels. NaN and infinity are counted, named and located, whatever the size.
The same array gives the same text and the same bytes on every machine.
"""

from __future__ import annotations

import base64
import functools
import math
import re
import struct
import weakref
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from minigrad.ops.silence import silent

Result = TypeVar("Result")
WHOLE = 4  # elements that are written one by one inside a box
LINE = 9  # elements that are written one by one in running text
LISTED = 24  # elements that are written one by one where there is room for several lines
SINGLE = 7  # digits that a float32 has for sure
MANY = 3  # digits that show that a number was rounded
CELLS = 64  # elements that can have a numbered cell each
MAP_ROWS, MAP_COLUMNS = 8, 32  # cells of a heat map

# From blue (below zero) over near-white (zero) to orange (above): told apart by every kind of colour vision.
# Then NaN and infinity.
BLUE, WHITE, ORANGE = (0, 90, 156), (246, 246, 244), (205, 84, 0)
NOT_A_NUMBER, INFINITE = (204, 0, 153), (20, 20, 20)
SHADES = 8  # on each side of zero
PIECE = 80  # characters of a thing that is no array
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in what repr says, which is another one each time
NUMERAL = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
MEASURES = ("norm", "max", "min", "mean")  # what a breakpoint may ask of a gradient


def read_only_copy(array: Any) -> np.ndarray[Any, Any]:
    """A copy that nobody writes to: what is found out of it holds for good, see `once_for_read_only`."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def once_for_read_only(function: Callable[[Any], Result]) -> Callable[[Any], Result]:
    """A function of an array that goes over all of it: of a `read_only_copy` it does so once. A gradient is told of
    in sentences, on edges and in boxes, and each of them says its size.
    """
    found: dict[int, Result] = {}

    @functools.wraps(function)
    def found_once(array: Any) -> Result:
        if not isinstance(array, np.ndarray) or array.flags.writeable or array.base is not None:
            return function(array)
        key = id(array)
        if key not in found:
            found[key] = function(array)
            weakref.finalize(array, found.pop, key, None).atexit = False
        return found[key]

    return found_once


@dataclass(frozen=True)
class Value:
    """What a picture says about one array.

    `text` fits on a line; `full` lists the elements where there are at most `LISTED`; `statistics` (minimum, mean,
    maximum; of the finite elements, None if there are none) and `heat`, the address of a PNG that contains itself, are
    there for large arrays only; `alarm` counts NaN and infinite elements, and `where` gives the place of the first;
    `python` is a line of Python that makes it, where it has at most `LISTED` elements; `cells` are the elements where
    it has more, but no more than `CELLS`.
    """

    text: str
    full: str = ""
    shape: tuple[int, ...] = ()
    dtype: str = ""
    statistics: tuple[str, str, str] | None = None
    heat: str = ""
    alarm: str = ""
    known: bool = True
    where: str = ""
    python: str = ""
    cells: str = ""

    def to_json(self, difference: str = "", difference_map: str = "") -> dict[str, Any]:
        """What the page shows of it; `difference` is what changed since the moment before, `difference_map` the same as
        the address of a heat map.
        """
        return {
            "text": self.text,
            "full": self.full,
            "shape": shape_text(self.shape) if self.known or self.shape else "",
            "dtype": self.dtype,
            "statistics": list(self.statistics or ()),
            "heat": self.heat,
            "alarm": self.alarm,
            "where": self.where,
            "exact": self.python,
            **({"cells": self.cells} if self.cells else {}),
            "difference": difference,
            "difference_map": difference_map,
        }

    @property
    def is_large(self) -> bool:
        """Whether it is too large to be written out in a box."""
        return math.prod(self.shape) > WHOLE


NOT_KEPT = Value("not kept", "not kept: no variable and no saved tensor holds it any more", known=False)
NONE = Value("None", "None", known=False)


dtype_text = functools.lru_cache(maxsize=64)(str)  # numpy puts a type's name together anew each time


def number(value: Any, digits: int = 4) -> str:
    """One number with four significant digits: 40, 0.3333, 1.2e-5, 1-2j, NaN, -Inf."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, complex | np.complexfloating):
        real, imaginary = number(value.real, digits), number(value.imag, digits)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    value = float(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    size = abs(value)
    if size < 1e6 and value == int(value):
        return str(int(value))
    if 1e-3 <= size < 1e6:
        return f"{value:.0f}" if size >= 10 ** (digits - 1) else f"{value:.{digits}g}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"


def number_in_sentence(value: Any, digits: int = 6) -> str:
    """One number of an arithmetic, where 1.0005 is not 1: as the code has it if it has no more digits than these, else
    with four; one of which four would leave less than three, such as 0.99998, with as many as these.
    """
    value = value[()] if isinstance(value, np.ndarray) else value
    if not isinstance(value, float | np.floating) or not np.isfinite(value):
        return number(value)
    shortest, rounded = as_in_code(value), number(value)
    is_short = _count_of_digits(repr(shortest)) <= digits or _count_of_digits(rounded) < MANY
    return number(shortest, digits) if is_short else rounded


def as_in_code(value: Any) -> float:
    """The float with the fewest digits that means this number in its type: 0.1 for the 0.10000000149 that 0.1 is in
    float32, also where that has been cast to float64 since.
    """
    is_wide = isinstance(value, float) or value.dtype.itemsize > 4
    return float(str(_in_single(value) if is_wide else value))


@silent
def _in_single(value: Any) -> Any:
    """A number in single precision, where that is the same; else the number."""
    single = np.float32(value)
    return single if value == single else value


def is_numeral(text: str) -> bool:
    """Whether a text is a number and no name, as `j` and `inf` may be."""
    try:
        complex(text)
    except ValueError:
        return False
    return not text.isidentifier()


def numeral_of(value: Any, expression: str) -> str:
    """A number in a formula: one that stands in the expression as it does there, with all its digits, also where the
    engine has it in single precision; any other as in a sentence.
    """
    for numeral in NUMERAL.findall(expression) if isinstance(value, float | np.floating) else ():
        if _count_of_digits(numeral) > SINGLE and abs(value) in (float(numeral), np.float32(numeral)):
            return ("-" if value < 0 else "") + numeral
    return number_in_sentence(value, SINGLE)


def _count_of_digits(text: str) -> int:
    return len(text.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as PyTorch prints it: [64, 10]."""
    return "[" + ", ".join(str(size) for size in shape) + "]"


def describe(array: Any) -> Value:
    """Say what there is to say about a numpy array or scalar."""
    array = np.asarray(array)
    if array.size > LISTED or array.dtype.kind == "O":
        return _description(array)
    return _description_of(array.tobytes(), array.shape, array.dtype)


@functools.lru_cache(maxsize=8192)
def _description_of(numbers: bytes, shape: tuple[int, ...], dtype: Any) -> Value:
    """That of a small array: the same few numbers are a result here, and saved or a gradient there."""
    return _description(np.ndarray(shape, dtype, numbers))


def _description(array: Any) -> Value:
    shape, dtype = array.shape, dtype_text(array.dtype)
    alarm, where = alarm_of(array), ""
    if alarm:
        first = tuple(int(index) for index in np.argwhere(~np.isfinite(array))[0]) if array.ndim else ()
        where = f"first at {list(first)}" if array.size > 1 else ""
    python = as_python(array) if array.size <= LISTED else ""
    full = elements_text(array) if array.size <= LISTED else shape_text(shape)
    if array.size <= WHOLE:
        text = number(array.reshape(())[()]) if array.size == 1 else full
        return Value(text, full, shape, dtype, alarm=alarm, where=where, python=python)
    statistics, heat = _statistics(array), heat_map(array)
    cells = cells_text(array) if LISTED < array.size <= CELLS else ""
    return Value(
        shape_text(shape), full, shape, dtype, statistics, heat, alarm, where=where, python=python, cells=cells
    )


def cells_text(array: Any) -> str:
    """The elements one after the other."""
    return " ".join(map(number, array.reshape(-1).tolist()))


def in_words(value: Any) -> str:
    """A value in running text: of an array all of up to nine elements, else shape, minimum, mean and maximum."""
    if not isinstance(value, np.ndarray | np.generic):
        return short(value)
    if value.size <= WHOLE:
        return in_short(value)
    statistics = _statistics(value)
    if statistics is None:
        return shape_text(value.shape)
    if value.size <= LINE:
        return in_short(value)
    least, mean, most = statistics
    return f"{shape_text(value.shape)} (min {least}, mean {mean}, max {most})"


@once_for_read_only
def in_short(array: Any) -> str:
    """An array in a sentence: all of up to nine elements, else its shape."""
    if array.size == 1:
        return number_in_sentence(array.reshape(())[()])
    return elements_text(array, number_in_sentence) if array.size <= LINE else shape_text(array.shape)


def in_brief(array: Any) -> str:
    """An array that is not written out: its shape and norm, (64×10), norm 2.31; (0, 3) of one that is empty. A single
    number is no longer than that, and has a sign.
    """
    if array.size == 1:
        return in_short(array)
    return f"{sizes(array.shape)}, norm {number(norm(array))}" if array.size else str(array.shape)


def sizes(shape: tuple[int, ...]) -> str:
    """A shape in a sentence: (64×10)."""
    return f"({'×'.join(map(str, shape))})"


def short(value: Any) -> str:
    """What `repr` says of a thing, but for its address, in at most `PIECE` characters; its type where that fails."""
    try:
        text = ADDRESS.sub("", repr(value))
    except Exception as error:
        return f"<{type(value).__name__}, whose repr() raises {type(error).__name__}>"
    return text if len(text) <= PIECE else text[: PIECE - 3] + "..."


def value_of_outputs(outputs: Sequence[Value]) -> Value:
    """The several results of one node, as one value."""
    alarms = [f"{value.alarm} in output {number}" for number, value in enumerate(outputs) if value.alarm]
    return Value(
        " | ".join(value.text for value in outputs),
        "; ".join(f"output {number}: {value.full}" for number, value in enumerate(outputs)),
        outputs[0].shape,
        outputs[0].dtype,
        alarm=", ".join(alarms),
    )


def elements_text(array: Any, text_of: Callable[[Any], str] = number) -> str:
    """The elements in nested brackets, on one line: [[1, 2], [3, 4]]; where there are none the shape, (0, 3)."""
    array = np.asarray(array)
    if not array.size:
        return str(array.shape)
    return _in_brackets([text_of(item) for item in array.reshape(-1)], array.shape)


def as_python(array: Any) -> str:
    """A line of Python that makes the array, in as many digits as its type needs: torch.tensor([0.1, float('nan')])."""
    array = np.asarray(array)
    row = [str(item) for item in array.reshape(-1)]
    row = [f"float('{item}')" if item.lstrip("-") in ("nan", "inf") else item for item in row]
    dtype = dtype_text(array.dtype)
    kind = "" if dtype in ("float32", "int64", "bool") else f", dtype=torch.{dtype}"
    shape = f".reshape({', '.join(map(str, array.shape))})" if not row and array.shape != (0,) else ""
    return f"torch.tensor({_in_brackets(row, array.shape)}{kind}){shape}"


def _in_brackets(row: list[str], shape: tuple[int, ...]) -> str:
    if not row:
        return "[]"
    for size in reversed(shape):
        row = ["[" + ", ".join(row[i : i + size]) + "]" for i in range(0, len(row), size)]
    return row[0]


def difference(before: Any, after: Any) -> tuple[str, str]:
    """What changed from one array to another of the same shape: "+9", or for large ones how many elements and by how
    much, with a heat map: blue where it became less, orange where it became more. Two times "" where nothing did or
    where they cannot be compared.
    """
    change = _change(before, after)
    if change is None:
        return "", ""
    if change.size <= WHOLE:
        signed = [("" if text.startswith("-") else "+") + text for text in map(number, change.reshape(-1).tolist())]
        return (_in_brackets(signed, change.shape) if change.size > 1 else signed[0]), ""
    changed = change != 0  # NaN is not 0
    finite = change[changed & np.isfinite(change)]
    amount = f", by {number(finite.min())} to {number(finite.max())}" if finite.size else ""
    return f"{int(changed.sum())} of {change.size} elements changed{amount}", heat_map(change)


@silent
def _change(before: Any, after: Any) -> Any:
    """The second array less the first, 0 where both are the same (NaN or infinity, too); None if all of it is, or if
    they are no arrays that can be compared.
    """
    if not (isinstance(before, np.ndarray | np.generic) and isinstance(after, np.ndarray | np.generic)):
        return None
    if before.shape != after.shape or before.dtype.kind not in "iuf" or after.dtype.kind not in "iuf":
        return None
    same = (before == after) | ((before != before) & (after != after))
    change = np.where(same, 0.0, after.astype(np.float64) - before.astype(np.float64))
    return change if change.any() else None


@once_for_read_only
@silent
def alarm_of(array: Any) -> str:
    """What must not be missed in an array: "2 NaN and 1 Inf"; "" where there is nothing."""
    if array.dtype.kind not in "fc" or np.isfinite(array.sum()) or np.isfinite(array).all():
        return ""  # a sum that is finite has finite parts only, and is found in one pass
    bad, infinite = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    counts = [(bad, "NaN"), (infinite, "Inf")]
    return " and ".join(word if array.size == 1 else f"{count} {word}" for count, word in counts if count)


@once_for_read_only
@silent
def norm(gradient: Any) -> float:
    """How large a gradient is: its norm in double precision, which may be NaN or infinite."""
    values = _reals(gradient).reshape(-1)
    # Not np.linalg.norm: for so little work its threads wait for each other longer than the sum takes.
    return float(np.sqrt(np.einsum("i,i->", values, values, dtype=np.float64)))


@silent
def measure(gradient: Any) -> list[float] | None:
    """Norm, maximum, minimum and mean of what a node received, in the order of `MEASURES`, of complex numbers those of
    the magnitudes; None where any is not finite, or nothing came.
    """
    if gradient is None or np.size(gradient) == 0:
        return None
    values = _reals(gradient)
    extremes, mean = (values.max(), values.min()), values.mean(dtype=np.float64)
    found: list[float] = [norm(gradient), *map(float, extremes), float(mean)]
    return found if np.isfinite(found).all() else None


@once_for_read_only
@silent
def _statistics(array: Any) -> tuple[str, str, str] | None:
    values = np.asarray(array) if array.dtype.kind == "f" else _reals(array)
    if values.size and not np.isfinite(values.sum()):
        values = values[np.isfinite(values)]
    if not values.size:
        return None
    least, mean, most = float(values.min()), float(values.mean(dtype=np.float64)), float(values.max())
    if abs(mean) < 1e-5 * max(abs(least), abs(most)):
        mean = 0.0  # what is left of values that cancel is rounding, and differs between machines
    return number(least), number(mean), number(most)


@once_for_read_only
@silent
def heat_map(array: Any) -> str:
    """A picture of an array, as the address of a PNG: cells are means of blocks, the colour scale is symmetric around
    zero.

    The first dimensions are laid under each other, the last runs to the right. Where a block has a NaN, its cell is
    magenta.
    """
    flat = np.abs(array) if np.iscomplexobj(array) else np.asarray(array)
    if flat.size == 0:
        return ""
    grid = flat.reshape(1, -1) if flat.ndim < 2 else flat.reshape(-1, flat.shape[-1])
    for axis, most in ((0, MAP_ROWS), (1, MAP_COLUMNS)):
        size = grid.shape[axis]
        if size > most:
            starts = (np.arange(most) * size) // most
            counts = np.diff(np.append(starts, size))
            sums = np.add.reduceat(grid, starts, axis=axis, dtype=np.float64)  # without a copy of all in that
            grid = sums / (counts[:, None] if axis == 0 else counts)
    grid = np.asarray(grid, np.float64)
    finite = grid[np.isfinite(grid)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    scaled = grid / largest if largest > 0 else np.where(np.isfinite(grid), 0.0, grid)
    steps = np.round(np.nan_to_num(scaled, posinf=0, neginf=0) * SHADES)
    shades = np.clip(steps, -SHADES, SHADES).astype(np.int64) + SHADES
    shades[np.isinf(grid)] = 2 * SHADES + 2
    shades[np.isnan(grid)] = 2 * SHADES + 1
    return "data:image/png;base64," + base64.b64encode(_png(shades.astype(np.uint8))).decode("ascii")


def _reals(array: Any) -> Any:
    """The elements as real floating-point numbers, without a copy where they are; of complex ones the magnitudes."""
    array = np.abs(array) if np.iscomplexobj(array) else np.asarray(array)
    return array if array.dtype.kind == "f" else np.asarray(array, dtype=np.float64)


@functools.lru_cache(maxsize=1)
def _palette() -> bytes:
    colours = []
    for step in range(-SHADES, SHADES + 1):
        end, part = (BLUE if step < 0 else ORANGE), abs(step) / SHADES
        colours.append(bytes(round(w + (e - w) * part) for w, e in zip(WHITE, end, strict=True)))
    return b"".join([*colours, bytes(NOT_A_NUMBER), bytes(INFINITE)])


def _png(indices: Any) -> bytes:
    """A palette PNG whose data is stored, not compressed: compressors differ between machines, stored bytes do not."""
    height, width = indices.shape
    rows = b"".join(b"\0" + row.tobytes() for row in indices)
    lengths, check = struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF), struct.pack(">I", zlib.adler32(rows))
    stored = b"\x78\x01\x01" + lengths + rows + check

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (b"IHDR", header), (b"PLTE", _palette()), (b"IDAT", stored), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, content) for kind, content in chunks)

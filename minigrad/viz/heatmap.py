"""`jacobian_picture`: which input moves which output, and how much.

The structure of a function shows in its Jacobian: a diagonal for what works on each element alone, a full block for a
matrix product, a triangle for a running sum, an empty block for an input that is not used.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.autograd.functional import jacobian
from minigrad.op import short
from minigrad.tensor import Tensor
from minigrad.viz.figure import Figure, aligned, focusable, heading, label, picture, rectangle, short_number
from minigrad.viz.markup import clean, markup, shorten

MOST_CELLS = 48  # in a row or a column: larger blocks show the largest entry of several
SIDE, LARGEST = 420.0, 52.0  # what all cells may take, and the side of one, in pixels
NUMBERED = 12  # how many cells beside each other may have their number in them
NAME_LIMIT = 18
GAP = 8.0  # pixels between blocks
SHADES = 8  # on either side of 0 in the scale
Array = Any


@dataclass(frozen=True)
class Block:
    """The Jacobian of one output by one input, as a matrix, and the names and shapes of both."""

    output: str
    input: str
    output_shape: tuple[int, ...]
    input_shape: tuple[int, ...]
    matrix: Array

    def in_words(self) -> str:
        name, entries = f"∂{self.output}/∂{self.input}", self.matrix.size
        if not entries:
            return f"{name}: empty"
        finite = self.matrix[np.isfinite(self.matrix)]
        words = [f"{name}: {self.matrix.shape[0]} by {self.matrix.shape[1]}"]
        if finite.size:
            words.append(f"from {short_number(float(finite.min()))} to {short_number(float(finite.max()))}")
        words.append(f"{int(np.count_nonzero(self.matrix == 0))} of {entries} entries are 0")
        if finite.size < entries:
            words.append(f"{entries - finite.size} are nan or inf")
        return ", ".join(words)

    def entry(self, rows: range, columns: range) -> str:
        """The name of one entry, or of several that share a cell."""
        ends = (self.output, rows, self.output_shape), (self.input, columns, self.input_shape)
        return "/".join("∂" + name + _index(cells, shape) for name, cells, shape in ends)


def jacobian_picture(
    func: Any, inputs: Any = None, output_names: Sequence[str] | None = None, input_names: Sequence[str] | None = None
) -> Figure:
    """Draw a Jacobian as a heat map: a row for each element of the outputs, a column for each of the inputs.

    Args:
        func: a function, whose Jacobian at `inputs` is computed; or a Jacobian, as `autograd.functional.jacobian` and
            `hessian` return it.
        inputs: a tensor or a tuple of tensors. Beside a Jacobian they say which of its dimensions are those of the
            inputs; a Jacobian that is a matrix or a vector can do without.
        output_names, input_names: what is written beside the rows and above the columns; by default y, and the names of
            the function's parameters.

    Colours run from blue (negative) over the page's own (0) to orange (positive); nan and inf are marked. Small
    matrices show their numbers, and each cell says its own when pointed at. Raises TypeError for what is not made of
    tensors, ValueError if the names or the shapes do not fit.
    """
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    is_function = callable(func)
    if is_function and not given:
        raise TypeError("jacobian_picture of a function needs the inputs at which to take its Jacobian")
    parts = _nested(jacobian(func, inputs) if is_function else func, inputs is not None and given is not inputs)
    count = len(parts[0])
    if given and any(len(of_output) != len(given) for of_output in parts):
        raise ValueError(f"the Jacobian has {count} inputs, but {len(given)} were given")
    shapes: list[tuple[int, ...] | None] = [tuple(value.shape) for value in given]
    shapes = shapes or [None] * count
    rows = _names("output", output_names, _numbered("y", len(parts)))
    columns = _names("input", input_names, _parameter_names(func, count) if is_function else _numbered("x", count))
    grid = [
        [_block(part, shape, output, input) for part, shape, input in zip(of_output, shapes, columns, strict=True)]
        for of_output, output in zip(parts, rows, strict=True)
    ]
    caption = "; ".join(block.in_words() for line in grid for block in line) + "."
    return Figure(_draw(grid), caption, _table(grid))


# ---------------------------------------------------------------- arguments


def _nested(found: Any, single_input: bool) -> list[tuple[Tensor, ...]]:
    """Jacobians as `[output][input]`, however many there are of either."""
    outputs = found if isinstance(found, tuple) else (found,)
    if single_input or isinstance(found, Tensor):
        outputs = tuple((part,) for part in outputs)
    elif all(isinstance(part, Tensor) for part in outputs):
        outputs = (outputs,)  # one output
    for parts in outputs or ((),):
        if not isinstance(parts, tuple) or not parts or not all(isinstance(part, Tensor) for part in parts):
            raise TypeError(
                "jacobian_picture expects a function, or a Jacobian: a tensor, or tensors in tuples [output][input]; "
                f"not {short(found)}"
            )
    return list(outputs)


def _numbered(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}{number}" for number in range(count)]


def _parameter_names(func: Any, count: int) -> list[str]:
    try:
        parameters = inspect.signature(func).parameters.values()
    except (TypeError, ValueError):
        return _numbered("x", count)
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names if len(names) == count else _numbered("x", count)


def _names(what: str, given: Sequence[str] | None, default: list[str]) -> list[str]:
    if given is None:
        return default
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"{what}_names must be a list of strings, not {short(given)}")
    if len(given) != len(default):
        raise ValueError(f"{what}_names has {len(given)} names for {len(default)} {what}s")
    return [clean(name) for name in given]


def _block(part: Tensor, input_shape: tuple[int, ...] | None, output: str, input: str) -> Block:
    shape = tuple(part.shape)
    if input_shape is None and len(shape) > 2:
        raise ValueError(
            f"a Jacobian of shape {list(shape)} could be of several outputs and inputs: give the inputs, too, as in "
            "jacobian_picture(jacobian, x)"
        )
    input_shape = shape[-1:] if input_shape is None else input_shape
    lead = len(shape) - len(input_shape)
    if lead < 0 or shape[lead:] != input_shape:
        raise ValueError(f"a Jacobian of shape {list(shape)} is not one by an input of shape {list(input_shape)}")
    matrix = np.asarray(part.detach().numpy(), np.float64).reshape(math.prod(shape[:lead]), math.prod(input_shape))
    return Block(output, input, shape[:lead], input_shape, matrix)


def _index(cells: range, shape: tuple[int, ...]) -> str:
    if len(cells) > 1:
        return f"[{cells[0]}…{cells[-1]}]"
    return f"[{', '.join(str(int(i)) for i in np.unravel_index(cells[0], shape))}]" if shape else ""


# ---------------------------------------------------------------- the picture


def _cells(count: int, blocks: int) -> list[range]:
    """Elements by cells: one each, or several if there are too many."""
    each = max(1, math.ceil(count / max(4, MOST_CELLS // blocks)))
    return [range(start, min(start + each, count)) for start in range(0, count, each)]


def _draw(grid: list[list[Block]]) -> str:
    heights = [_cells(line[0].matrix.shape[0], len(grid)) for line in grid]
    widths = [_cells(block.matrix.shape[1], len(grid[0])) for block in grid[0]]
    most = max(sum(map(len, heights)), sum(map(len, widths)), 1)
    size = min(LARGEST, max(5.0, SIDE / most))
    finite = [np.abs(block.matrix[np.isfinite(block.matrix)]).max(initial=0) for line in grid for block in line]
    largest = float(max(finite)) or 1.0
    left = max(72.0, 30 + 8 * max(len(shorten(line[0].output, NAME_LIMIT)) for line in grid))
    parts = [heading("The Jacobian: how much each output moves with each input")]
    x, y, bold = left, 66.0, 'font-weight="700"'
    for line, rows in zip(grid, heights, strict=True):
        x, tall = left, max(len(rows) * size, 14.0)
        parts.append(label(16, y + tall / 2 + 4, shorten(line[0].output, NAME_LIMIT), more=bold))
        for block, columns in zip(line, widths, strict=True):
            wide = max(len(columns) * size, 14.0)
            if line is grid[0]:
                parts.append(label(x + wide / 2, 50, shorten(block.input, NAME_LIMIT), "ink", "middle", more=bold))
            cells = [
                _cell(block, row, column, x + j * size, y + i * size, size, largest, most <= NUMBERED)
                for i, row in enumerate(rows)
                for j, column in enumerate(columns)
            ]
            inside = rectangle(x, y, wide, tall, "paper", 0, "axis") + "".join(cells)
            parts.append(focusable(block.in_words(), inside))
            x += wide + GAP
        y += tall + GAP
    names = [", ".join(line[0].output for line in grid), ", ".join(block.input for block in grid[0])]
    title = f"The Jacobian of {names[0]} by {names[1]}"
    return picture(max(x + 16, 470.0), y + 44, title, [*parts, *_scale(largest, left, y + 6)])


def _cell(
    block: Block, row: range, column: range, x: float, y: float, size: float, largest: float, numbered: bool
) -> str:
    part = block.matrix[row.start : row.stop, column.start : column.stop]
    odd = part[~np.isfinite(part)]
    value = float(odd[0]) if odd.size else float(part.flat[np.abs(part).argmax()])
    if value == 0 and not numbered:
        return ""
    several = "" if part.size == 1 else ", the largest of these"
    share = value / largest if math.isfinite(value) else math.nan
    shown = ""
    if numbered:
        ink = "quiet" if value == 0 else "ink" if abs(share) <= 0.55 else "on"
        words = short_number(value)
        small = min(11.0, 1.6 * (size - 4) / len(words))
        shown = label(x + size / 2, y + size / 2 + small / 3, words, ink, "middle", small, 'pointer-events="none"')
    title = markup(f"{block.entry(row, column)} = {short_number(value)}{several}")
    return f"<g><title>{title}</title>{_square(x, y, size, size, share)}{shown}</g>"


def _square(x: float, y: float, width: float, height: float, share: float) -> str:
    """A place in the colour of a number, which is this share of the largest; nan for what is not finite."""
    odd = math.isnan(share)
    opacity = 0.12 + 0.88 * (1 if odd else abs(share)) if share else 0.0
    colour = "alarm" if odd else "orange" if share > 0 else "blue"
    return rectangle(x, y, width, height, colour, more=f'fill-opacity="{opacity:.2f}" ')


def _scale(largest: float, left: float, y: float) -> list[str]:
    """What the colours mean: from the negative of the largest number, over 0, to that number."""
    width = 9.0 * (2 * SHADES + 1)
    shades = [_square(left + (shade + SHADES) * 9, y, 9, 16, shade / SHADES) for shade in range(-SHADES, SHADES + 1)]
    words = (-6, 12, -largest, "end"), (width / 2, 30, 0.0, "middle"), (width + 6, 12, largest, "start")
    labels = [label(left + x, y + down, short_number(value), "quiet", end, 11) for x, down, value, end in words]
    return [rectangle(left, y, width, 16, "paper", 0, "axis"), *shades, *labels]


def _table(grid: list[list[Block]]) -> str:
    """The numbers in text, if they are few; else what is in each block."""
    rows = sum(line[0].matrix.shape[0] for line in grid)
    if max(rows, sum(block.matrix.shape[1] for block in grid[0])) > NUMBERED:
        return "\n".join(block.in_words() for line in grid for block in line)

    def names(name: str, count: int, shape: tuple[int, ...]) -> list[str]:
        return [name + _index(range(i, i + 1), shape) for i in range(count)]

    lines = [["", *(n for b in grid[0] for n in names(b.input, b.matrix.shape[1], b.input_shape))]]
    for line in grid:
        for i, name in enumerate(names(line[0].output, line[0].matrix.shape[0], line[0].output_shape)):
            lines.append([name, *(short_number(float(value)) for block in line for value in block.matrix[i])])
    return aligned(lines)

"""`jacobian_picture`: which input moves which output, and how much.

After this picture a reader sees the structure of a function in its Jacobian: a diagonal for what works on each element
alone, a full block for a matrix product, a triangle for a running sum, an empty block for an input that is not used.
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
from minigrad.viz.figure import (
    Figure,
    aligned,
    coloured,
    focusable,
    label,
    line,
    mono,
    number,
    picture,
    rectangle,
    short_number,
    text,
)
from minigrad.viz.svg import clean, shorten

MOST_CELLS = 48  # in a row or a column: larger blocks show the largest entry of several
SIDE = 420  # what the cells of the picture may take, in pixels, where their number allows
LARGEST = 52.0  # the side of a cell, in pixels
NAMED = 16  # how many cells may have their index beside them
NUMBERED = 12  # how many may have their number in them
NAME_LIMIT = 18
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
        entries = self.matrix.size
        if not entries:
            return f"∂{self.output}/∂{self.input}: empty"
        finite = self.matrix[np.isfinite(self.matrix)]
        said = [f"∂{self.output}/∂{self.input}: {self.matrix.shape[0]} by {self.matrix.shape[1]}"]
        if finite.size:
            said.append(f"from {short_number(float(finite.min()))} to {short_number(float(finite.max()))}")
        said.append(f"{int(np.count_nonzero(self.matrix == 0))} of {entries} entries are 0")
        if finite.size < entries:
            said.append(f"{entries - finite.size} are nan or inf")
        return ", ".join(said)

    def entry(self, rows: range, columns: range) -> str:
        """The name of one entry, or of several that share a cell."""
        of_output, of_input = (
            name + (_index(cells[0], shape) if len(cells) == 1 else f"[{cells[0]}…{cells[-1]}]")
            for name, cells, shape in (
                (self.output, rows, self.output_shape),
                (self.input, columns, self.input_shape),
            )
        )
        return f"∂{of_output}/∂{of_input}"


def jacobian_picture(
    func: Any,
    inputs: Any = None,
    output_names: Sequence[str] | None = None,
    input_names: Sequence[str] | None = None,
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
    matrices, shapes, names = _taken(func, inputs)
    rows = _names(output_names, ["y"] if len(matrices) == 1 else [f"y{i}" for i in range(len(matrices))], "output")
    columns = _names(input_names, names, "input")
    grid = [
        [_block(part, shape, output, input) for part, shape, input in zip(of_output, shapes, columns, strict=True)]
        for of_output, output in zip(matrices, rows, strict=True)
    ]
    caption = "; ".join(block.in_words() for line in grid for block in line) + "."
    return Figure(_draw(grid), caption, _table(grid))


# ---------------------------------------------------------------- arguments


def _taken(func: Any, inputs: Any) -> tuple[list[tuple[Tensor, ...]], list[tuple[int, ...] | None], list[str]]:
    """The Jacobians `[output][input]`, the inputs' shapes as far as known, and the inputs' names."""
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    is_function = callable(func) and not isinstance(func, Tensor)
    if is_function and inputs is None:
        raise TypeError("jacobian_picture of a function needs the inputs at which to take its Jacobian")
    nested = _nested(jacobian(func, inputs) if is_function else func, len(given) == 1 and given[0] is inputs)
    count = len(nested[0])
    shapes: list[tuple[int, ...] | None] = [tuple(value.shape) for value in given]
    shapes = shapes or [None] * count
    if any(len(of_output) != len(shapes) for of_output in nested):
        raise ValueError(f"the Jacobian has {count} inputs, but {len(shapes)} were given")
    return nested, shapes, _parameter_names(func, count) if is_function else _default_names(count)


def _nested(found: Any, single_input: bool) -> list[tuple[Tensor, ...]]:
    """Jacobians as `[output][input]`, however many there are of either."""
    outputs = found if isinstance(found, tuple) else (found,)
    if single_input or isinstance(found, Tensor):
        outputs = tuple([(part,) for part in outputs])
    elif all(isinstance(part, Tensor) for part in outputs):
        outputs = (outputs,)  # one output
    for parts in outputs or ((),):
        if not isinstance(parts, tuple) or not parts or not all(isinstance(part, Tensor) for part in parts):
            raise TypeError(
                "jacobian_picture expects a function, or a Jacobian: a tensor, or tensors in tuples [output][input]; "
                f"not {short(found)}"
            )
    return list(outputs)


def _default_names(count: int) -> list[str]:
    return ["x"] if count == 1 else [f"x{i}" for i in range(count)]


def _parameter_names(func: Any, count: int) -> list[str]:
    try:
        parameters = list(inspect.signature(func).parameters.values())
    except (TypeError, ValueError):
        return _default_names(count)
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return positional[:count] if len(positional) >= count else _default_names(count)


def _names(given: Sequence[str] | None, default: list[str], what: str) -> list[str]:
    if given is None:
        return default
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"{what}_names must be a list of strings, not {short(given)}")
    if len(given) != len(default):
        raise ValueError(f"{what}_names has {len(given)} names for {len(default)} {what}s")
    return list(given)


def _block(part: Tensor, input_shape: tuple[int, ...] | None, output: str, input: str) -> Block:
    shape = tuple(part.shape)
    if input_shape is None:
        if len(shape) > 2:
            raise ValueError(
                f"a Jacobian of shape {list(shape)} could be of several outputs and inputs: give the inputs, too, as "
                "in jacobian_picture(jacobian, x)"
            )
        input_shape = shape[-1:]
    lead = len(shape) - len(input_shape)
    if lead < 0 or shape[lead:] != input_shape:
        raise ValueError(f"a Jacobian of shape {list(shape)} is not one by an input of shape {list(input_shape)}")
    matrix = np.asarray(part.detach().numpy(), np.float64)
    return Block(
        output, input, shape[:lead], input_shape, matrix.reshape(math.prod(shape[:lead]), math.prod(input_shape))
    )


def _index(flat: int, shape: tuple[int, ...]) -> str:
    return f"[{', '.join(str(int(i)) for i in np.unravel_index(flat, shape))}]" if shape else ""


# ---------------------------------------------------------------- the picture


def _cells(count: int, most: int) -> list[range]:
    """Elements by cells: one each, or several if there are too many."""
    each = max(1, math.ceil(count / most))
    return [range(start, min(start + each, count)) for start in range(0, count, each)]


def _draw(grid: list[list[Block]]) -> str:
    heights = [_cells(line[0].matrix.shape[0], max(4, MOST_CELLS // len(grid))) for line in grid]
    widths = [_cells(block.matrix.shape[1], max(4, MOST_CELLS // len(grid[0]))) for block in grid[0]]
    down, across = sum(map(len, heights)), sum(map(len, widths))
    size = min(LARGEST, max(5.0, SIDE / max(down, across, 1)))
    largest = max((_largest(block.matrix) for line in grid for block in line), default=0.0) or 1.0
    names = max(len(shorten(line[0].output, NAME_LIMIT)) for line in grid)
    left = max(72, 30 + 8 * names + (46 if down <= NAMED else 0))
    top = 66 + (16 if across <= NAMED else 0)
    gap = 8.0
    parts = [
        label(16, 24, "The Jacobian: how much each output moves with each input", size=13, more='font-weight="700"')
    ]
    y = float(top)
    for line_of, rows in zip(grid, heights, strict=True):
        x = float(left)
        tall = max(len(rows) * size, 14.0)
        parts.append(label(16, y + tall / 2 + 4, shorten(line_of[0].output, NAME_LIMIT), more='font-weight="700"'))
        for block, columns in zip(line_of, widths, strict=True):
            wide = max(len(columns) * size, 14.0)
            if line_of is grid[0]:
                parts.append(
                    label(x + wide / 2, 50, shorten(block.input, NAME_LIMIT), "ink", "middle", more='font-weight="700"')
                )
                if across <= NAMED:
                    parts += _ticks(block.input_shape, columns, x, size, top)
            if block is line_of[0] and down <= NAMED:
                parts += [
                    label(left - 6, y + (i + 0.5) * size + 4, _index(cells[0], block.output_shape), "quiet", "end", 10)
                    for i, cells in enumerate(rows)
                    if len(cells) == 1
                ]
            numbered = max(down, across) <= NUMBERED
            parts.append(_drawn_block(block, rows, columns, x, y, size, largest, numbered, (wide, tall)))
            x += wide + gap
        right = x
        y += tall + gap
    width = max(right + 16, 470.0)
    return picture(width, y + 44, _title(grid), [*parts, *_scale(largest, left, y + 6)])


def _title(grid: list[list[Block]]) -> str:
    outputs = ", ".join(line[0].output for line in grid)
    inputs = ", ".join(block.input for block in grid[0])
    return f"The Jacobian of {outputs} by {inputs}"


def _largest(matrix: Array) -> float:
    return float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0))


def _ticks(shape: tuple[int, ...], columns: list[range], x: float, size: float, top: float) -> list[str]:
    names = [_index(cells[0], shape).replace(", ", ",") for cells in columns if len(cells) == 1]
    small = min([10.0, *(1.6 * size / len(name) for name in names if name)])
    return [
        label(x + (i + 0.5) * size, top - 5, name, "quiet", "middle", small) for i, name in enumerate(names) if name
    ]


def _drawn_block(
    block: Block,
    rows: list[range],
    columns: list[range],
    x: float,
    y: float,
    size: float,
    largest: float,
    numbered: bool,
    room: tuple[float, float],
) -> str:
    inside = [rectangle(x, y, *room, "paper", 0, "axis")]
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            inside.append(_cell(block, row, column, x + j * size, y + i * size, size, largest, numbered))
    return focusable(block.in_words(), "".join(inside))


def _cell(
    block: Block, row: range, column: range, x: float, y: float, size: float, largest: float, numbered: bool
) -> str:
    part = block.matrix[row.start : row.stop, column.start : column.stop]
    odd = part[~np.isfinite(part)]
    value = float(odd[0]) if odd.size else float(part.flat[np.abs(part).argmax()])
    if value == 0 and not numbered:
        return ""
    several = "" if part.size == 1 else ", the largest of these"
    said = f"<title>{text(f'{block.entry(row, column)} = {short_number(value)}{several}')}</title>"
    strength = 1.0 if odd.size else abs(value) / largest
    colour = "alarm" if odd.size else "orange" if value > 0 else "blue"
    opacity = 0.12 + 0.88 * strength if value else 0.0
    square = (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(size)}" height="{number(size)}" '
        f'fill-opacity="{opacity:.2f}" {coloured(colour)}>{said}</rect>'
    )
    shown = ""
    if numbered:
        ink = "quiet" if value == 0 else "on" if strength > 0.55 else "ink"
        words = short_number(value)
        small = min(11.0, 1.6 * (size - 4) / max(len(words), 1))
        more = mono(' pointer-events="none"')
        shown = label(x + size / 2, y + size / 2 + small / 3, words, ink, "middle", small, more)
    return square + shown


def _scale(largest: float, left: float, y: float) -> list[str]:
    """What the colours mean: from the negative of the largest number, over 0, to that number."""
    parts = [label(left - 6, y + 12, short_number(-largest), "quiet", "end", 11)]
    steps = 8
    for step in range(-steps, steps + 1):
        colour = "orange" if step > 0 else "blue"
        opacity = 0.0 if step == 0 else 0.12 + 0.88 * abs(step) / steps
        parts.append(
            f'<rect x="{number(left + (step + steps) * 9)}" y="{number(y)}" width="9" height="16" '
            f'fill-opacity="{opacity:.2f}" {coloured(colour)}/>'
        )
    end = left + (2 * steps + 1) * 9
    parts += [
        line([(left, y), (end, y), (end, y + 16), (left, y + 16), (left, y)], "axis"),
        label(left + (steps + 0.5) * 9, y + 30, "0", "quiet", "middle", 11),
        label(end + 6, y + 12, short_number(largest), "quiet", "start", 11),
    ]
    return parts


def _table(grid: list[list[Block]]) -> str:
    """The numbers in text, if they are few; else what is in each block."""
    if max(sum(line[0].matrix.shape[0] for line in grid), sum(b.matrix.shape[1] for b in grid[0])) > NUMBERED:
        return "\n".join(clean(block.in_words()) for line in grid for block in line)
    head = [""] + [
        block.input + _index(j, block.input_shape) for block in grid[0] for j in range(block.matrix.shape[1])
    ]
    rows = [head]
    for line_of in grid:
        for i in range(line_of[0].matrix.shape[0]):
            first = line_of[0].output + _index(i, line_of[0].output_shape)
            rows.append([first, *(short_number(float(v)) for block in line_of for v in block.matrix[i])])
    return aligned(rows)

"""`descent_map`: a function of two numbers as a map, and where methods walk on it from a start that can be dragged.

A saved page has no kernel, and `f` and the methods are the learner's own Python: so the paths from all starts of a grid
are walked beforehand, all at once as one batch, and the page only chooses among them. Every number is the engine's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from minigrad.autograd.engine import grad
from minigrad.autograd.grad_mode import enable_grad
from minigrad.tensor import Tensor, from_array
from minigrad.viz.page.widget_source import static
from minigrad.viz.picture.figure import (
    Figure,
    circle,
    colour_attributes,
    focusable,
    label,
    line,
    picture,
    rectangle,
    short_number,
)
from minigrad.viz.picture.markup import attribute, clean, pixels

STARTS = 19  # along each side of the map
CELLS, LEVELS = 48, 12  # along each side, for the lines of equal height; and how many of these
WIDTH, HEIGHT, LEFT, TOP, SIDE = 680, 452, 52, 20, 390
LOOKS = ("orange", "blue", "quiet")  # of the methods; the first has round marks, the others square ones
LINES = {"orange": "orange-line", "blue": "blue-line", "quiet": "axis"}
AT_REST = 1e-3  # the length of a slope that counts as none
NEAR = 1e-6  # of the range of heights on the map: a height less than that counts as 0
FARTHEST = 9_999  # pixels, across and down together, from the picture's corner: beyond, a path is cut
MINIMUM, MAXIMUM, SADDLE = "at a minimum", "at a maximum", "at a saddle"
ON_THE_WAY, FLAT, OFF = "not at rest yet", "where f is flat", ", off this map"
KINDS = tuple(end + off for off in ("", OFF) for end in (MINIMUM, MAXIMUM, SADDLE, ON_THE_WAY, FLAT))
Method = Callable[[Tensor], Tensor]


class DescentMap(Figure):
    """What `descent_map` returns: shows itself, and its start can be dragged, where scripts run."""

    def __init__(self, svg: str, caption: str, table: str, data: dict[str, Any]) -> None:
        super().__init__(svg, caption, table)
        self._data = data

    def _repr_html_(self) -> str:
        data = attribute(json.dumps(self._data, separators=(",", ":")))
        script = f"<script>({static('descents.js')})(document.currentScript.parentElement)</script>"
        return f"<div data-descents={data}>{super()._repr_html_()}{script}</div>"


def descent_map(
    f: Callable[[Tensor], Tensor],
    methods: Mapping[str, Method],
    x: tuple[float, float] = (-1.0, 1.0),
    y: tuple[float, float] = (-1.0, 1.0),
    start: tuple[float, float] | None = None,
    steps: int = 8,
) -> DescentMap:
    """Draw lines of equal height of `f`, and where each method walks in so many steps from a start that can be dragged.

    `f` takes points, a tensor of shape [..., 2] in float64, and returns their heights, of shape [...]. `methods` are up
    to three functions by name, which take points of shape [n, 2] and return the next ones; each point must walk as if
    it were alone. `x` and `y` say which part of the plane is shown, and `start` is where the paths begin first, or
    rather the nearest point of a grid of 19 by 19; by default the one in the middle. In the picture the start follows
    the pointer and the arrow keys.

    Raises ValueError for another number of methods, for sides and steps that are none, for a start that is not on the
    map, and where f or a method returns another shape. What they raise goes through.
    """
    low, high = np.array([x[0], y[0]], np.float64), np.array([x[1], y[1]], np.float64)
    wanted = (low + high) / 2 if start is None else np.array(start, np.float64)
    if not 1 <= len(methods) <= len(LOOKS) or steps < 1 or not (low < high).all():
        raise ValueError("descent_map takes one to three methods, at least one step, and x and y from low to high")
    if wanted.shape != (2,) or not ((low <= wanted) & (wanted <= high)).all():
        raise ValueError(f"start has to be a point of the map, with x in {x} and y in {y}, and not {start}")
    places = (np.arange(STARTS) + 0.5) / STARTS
    starts = low + (high - low) * np.stack(np.meshgrid(places, places), -1).reshape(-1, 2)
    first = int((((starts - wanted) / (high - low)) ** 2).sum(1).argmin())
    walks = {clean(name): _walks(name, method, starts, steps) for name, method in methods.items()}
    heights = _heights(f, low + (high - low) * np.stack(np.meshgrid(*[np.linspace(0, 1, CELLS + 1)] * 2), -1))
    data = dict[str, Any](starts=STARTS, first=first, box=[LEFT, TOP, SIDE], kinds=KINDS, paths=[], ends=[])
    for walk in walks.values():
        on_map = (walk - low) / (high - low)
        data["paths"].append([_on_page(path) for path in on_map.transpose(1, 0, 2)])
        last = _heights(f, walk[-1])
        last = np.where(abs(last) < NEAR * np.ptp(heights), 0.0, last)  # what is left of 0 differs by machine
        ends = map(short_number, last.tolist()), _kinds(f, walk[-1], on_map[-1])
        data["ends"].append([*zip(*ends, strict=True)])
    told = "The start is the ring: drag it, or move it with the arrow keys."
    caption = f"{told} The stronger a line, the lower it lies. {steps} steps; the shortest cannot be seen."
    rows = [f"from ({starts[first][0]:.3f}, {starts[first][1]:.3f})"]
    for number, (name, walk) in enumerate(walks.items()):
        height, kind = data["ends"][number][first]
        rows.append(f"{name}: f = {height}, {KINDS[kind]}")
        rows += dict.fromkeys(f"  {across:8.3f} {up:8.3f}" for across, up in walk[:, first].round(3) + 0.0)
    return DescentMap(_draw(heights, list(walks), data, (low, high)), caption, "\n".join(rows), data)


def _walks(name: str, method: Method, starts: Any, steps: int) -> Any:
    """Where the points are before and after each step: [steps + 1, n, 2]."""
    walk = [starts]
    for _ in range(steps):
        points = method(from_array(walk[-1].copy())).detach().numpy()
        if points.shape != starts.shape:
            shapes = f"{list(starts.shape)}; it returned {list(points.shape)}"
            raise ValueError(f"{name} is to return points of shape {shapes}")
        walk.append(np.array(points, np.float64))
    return np.array(walk)


def _heights(f: Callable[[Tensor], Tensor], points: Any) -> Any:
    heights = f(from_array(points.copy())).detach().numpy()
    if heights.shape != points.shape[:-1]:
        shapes = f"{list(points.shape[:-1])}; it returned {list(heights.shape)}"
        raise ValueError(f"f is to return a height for each point: a tensor of shape {shapes}")
    return heights


def _kinds(f: Callable[[Tensor], Tensor], points: Any, on_map: Any) -> list[int]:
    """What each point is, as a number in KINDS, by its slope and the eigenvalues of its Hessian."""
    with enable_grad():
        given = from_array(np.nan_to_num(points)).requires_grad_()
        slope = grad(f(given).sum(), given, create_graph=True)[0] + 0 * given  # a graph also where it is constant
        rows = [grad(slope[:, k].sum(), given, retain_graph=True)[0] for k in range(2)]
    curvatures = np.linalg.eigvalsh(np.stack([row.detach().numpy() for row in rows], 1))
    at_rest = (np.linalg.norm(slope.detach().numpy(), axis=1) <= AT_REST) & np.isfinite(points).all(1)
    flat, up, down = (abs(curvatures) < AT_REST).any(1), (curvatures > 0).all(1), (curvatures < 0).all(1)
    words = np.select([~at_rest, flat, up, down], [ON_THE_WAY, FLAT, MINIMUM, MAXIMUM], SADDLE)
    is_off = ~((on_map >= 0) & (on_map <= 1)).all(1)
    return [KINDS.index(word + OFF * off) for word, off in zip(words.tolist(), is_off.tolist(), strict=True)]


def _on_page(path: Any) -> list[int]:
    """A path in pixels, one after the other, without steps of less than one, up to where it is too far to be drawn."""
    found: list[int] = []
    for across, up in path:
        x, y = LEFT + SIDE * across, TOP + SIDE * (1 - up)
        if not abs(x) + abs(y) < FARTHEST:
            break
        if found[-2:] != [round(x), round(y)]:
            found += [round(x), round(y)]
    return found


# ---------------------------------------------------------------- the picture


def _draw(heights: Any, names: list[str], data: dict[str, Any], ends: tuple[Any, Any]) -> str:
    parts = [rectangle(LEFT, TOP, SIDE, SIDE, "paper", "axis"), *_contours(heights), *_axes(*ends)]
    right, first = LEFT + SIDE + 22, data["first"]
    inside = []
    for number, name in enumerate(names):
        path, (height, kind) = data["paths"][number][first], data["ends"][number][first]
        points = list(zip(path[::2], path[1::2], strict=True))
        marks = "".join(_mark(number, *point) for point in points[1:] or points)
        inside.append(f'<g data-path="">{line(points, LINES[LOOKS[number]], 1.8)}{marks}</g>')
        down = TOP + 24 + 84 * number
        parts += [_mark(number, right + 4, down - 4), label(right + 16, down, name, size=13, more='font-weight="700"')]
        parts.append(label(right + 16, down + 20, f"f = {height}", "ink", size=13, more='data-height=""'))
        parts.append(label(right + 16, down + 40, KINDS[kind], "quiet", size=13, more='data-kind=""'))
    ring = focusable("the start: drag it, or use the arrow keys", _start(*points[0]))  # at which all paths begin
    inside.append(f'<g data-start="">{ring}</g>')
    frame = f'x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" viewBox="{LEFT} {TOP} {SIDE} {SIDE}"'
    title = f"Lines of equal height, and the paths of {', '.join(names)}"
    return picture(WIDTH, HEIGHT, title, [*parts, f"<svg {frame}>{''.join(inside)}</svg>"])


def _start(x: float, y: float) -> str:
    return circle(x, y, 16, "blue", 'fill-opacity="0" ') + circle(x, y, 8, "edge", 'fill="none" stroke-width="2.5" ')


def _mark(number: int, x: float, y: float) -> str:
    colour = LOOKS[number]
    return circle(x, y, 4, colour) if number == 0 else rectangle(x - 3.5, y - 3.5, 7, 7, colour)


def _axes(low: Any, high: Any) -> list[str]:
    bottom, numbers = TOP + SIDE, [short_number(float(end)) for end in (low[0], high[0], low[1], high[1])]
    return [
        label(LEFT, bottom + 18, numbers[0], "quiet", "middle", 11),
        label(LEFT + SIDE, bottom + 18, numbers[1], "quiet", "middle", 11),
        label(LEFT - 8, bottom + 4, numbers[2], "quiet", "end", 11),
        label(LEFT - 8, TOP + 4, numbers[3], "quiet", "end", 11),
        label(LEFT + SIDE / 2, bottom + 18, "first number", "ink", "middle"),
        label(0, 0, "second number", "ink", "middle", more=f'transform="translate(30 {TOP + SIDE / 2}) rotate(-90)"'),
    ]


def _contours(heights: Any) -> list[str]:
    """The lines of equal height, closer to each other where f is low, which is where the paths go."""
    low, high = np.nanmin(heights), np.nanmax(heights)
    parts = []
    for number in range(LEVELS):
        level = low + (high - low) * ((number + 0.5) / LEVELS) ** 1.5
        pieces = "".join(f"M{_at(*one)}L{_at(*other)}" for one, other in _pieces(heights, level))
        shown = f'{colour_attributes("blue-line")} stroke-opacity="{0.95 - 0.06 * number:.2f}"'
        parts.append(f'<path d="{pieces}" fill="none" {shown}/>')
    return parts


def _at(column: float, row: float) -> str:
    """A place on the page, counted in cells of the lines."""
    return f"{pixels(LEFT + column * SIDE / CELLS)} {pixels(TOP + SIDE - row * SIDE / CELLS)}"


def _pieces(heights: Any, level: float) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Straight pieces of one line of equal height, in cells: in each cell between the sides that it crosses."""
    above = heights > level
    corners = above[:-1, :-1] + above[:-1, 1:].astype(int) + above[1:, 1:] + above[1:, :-1]
    for row, column in np.argwhere((corners > 0) & (corners < 4)):
        ring = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
        met = []
        for one, other in zip(ring, ring[1:] + ring[:1], strict=True):
            if above[one] != above[other]:
                share = (level - heights[one]) / (heights[other] - heights[one])
                met.append((one[1] + share * (other[1] - one[1]), one[0] + share * (other[0] - one[0])))
        yield from zip(met[::2], met[1::2], strict=True)

"""A graph of labelled boxes as SVG, by minigrad's own layout: for `make_dot` where no program can be started, as in a
browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minigrad.viz.picture.layered import Item, Link, arrange
from minigrad.viz.picture.markup import MONO, attribute, columns, markup, pixels
from minigrad.viz.picture.svg import path_of

LETTER, LINE, PADDING, BORDER = 6.1, 13.0, 6.0, 10.0  # pixels, of a monospaced font of 10
TIP = "M 0 0 L -8 -3.5 L -8 3.5 Z"

Look = tuple[str, str]  # a label, whose lines end in "\n", and the colour behind it, "" for none


def plain_svg(boxes: Mapping[str, Look], edges: Sequence[tuple[str, str, bool]]) -> str:
    """Boxes by their names, and edges between these: from, to, and whether there is a head at the end."""
    lines = {name: label.split("\n") for name, (label, _) in boxes.items()}
    sizes = {
        name: (LETTER * max(map(columns, several)) + 2 * PADDING, LINE * len(several) + PADDING)
        for name, several in lines.items()
    }
    items = [Item(name, *size) for name, size in sizes.items()]
    placed = arrange(items, [Link(str(number), *ends[:2]) for number, ends in enumerate(edges)])
    width, height = pixels(placed.width + 2 * BORDER), pixels(placed.height + 2 * BORDER)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<g transform="translate({BORDER:g} {BORDER:g})" font-family={attribute(MONO)} font-size="10">',
    ]
    for number, (_, _, has_head) in enumerate(edges):
        way = placed.ways[str(number)]
        parts.append(f'<path d="{path_of(way)}" fill="none" stroke="black"/>')
        if has_head:
            x, y = way[-1]
            parts.append(f'<path d="{TIP}" transform="translate({pixels(x)} {pixels(y)}) rotate(90)"/>')
    for name, (_, colour) in boxes.items():
        (x, y), (wide, high) = placed.corners[name], sizes[name]
        parts.append(f'<rect x="{pixels(x)}" y="{pixels(y)}" width="{pixels(wide)}" height="{pixels(high)}"')
        parts.append(f' fill={attribute(colour or "white")} stroke="black"/>')
        for number, line in enumerate(lines[name]):
            top = y + PADDING / 2 + LINE * (number + 0.75)
            parts.append(
                f'<text x="{pixels(x + wide / 2)}" y="{pixels(top)}" text-anchor="middle">{markup(line)}</text>'
            )
    return "".join([*parts, "</g></svg>"])

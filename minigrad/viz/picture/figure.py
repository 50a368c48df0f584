"""What a chart is made of: one SVG, complete by itself, that follows the page's light or dark look.

The SVG stands in the page itself, so its own style sheet can use the page's colours: those of JupyterLab's theme, or
elsewhere those that the reader's system asks for. Its elements carry their colours as attributes as well, so a file
that is saved can be shown anywhere. Below the picture stands what it shows, in a sentence, and `str(figure)` gives its
numbers as a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigrad.viz.picture.markup import SANS, attribute, clean, markup, pixels
from minigrad.viz.picture.palette import light, light_dark

SMALLEST = 0.75  # of its size: a smaller picture could not be read, and is moved under a narrow page instead

# class -> the attribute that it colours, and the colour
COLOURS = {
    "paper": ("fill", "paper"),
    "ink": ("fill", "ink"),
    "quiet": ("fill", "quiet"),
    "rule": ("stroke", "line"),
    "axis": ("stroke", "edge"),
    "edge": ("stroke", "ink"),
    "blue": ("fill", "leaf"),
    "blue-line": ("stroke", "leaf"),
    "orange": ("fill", "hot"),
    "orange-line": ("stroke", "hot"),
}


def _style() -> str:
    rules = "".join(
        f".minigrad-figure .mgf-{name}{{{attribute}:{light_dark(colour)}}}"
        for name, (attribute, colour) in COLOURS.items()
    )
    return (
        ".minigrad-figure{color-scheme:light dark;margin:4px 2px;max-width:100%;overflow-x:auto}"
        '[data-jp-theme-light="true"] .minigrad-figure{color-scheme:light}'
        '[data-jp-theme-light="false"] .minigrad-figure{color-scheme:dark}'
        f".minigrad-figure figcaption{{font:13px/1.5 {SANS};color:{light_dark('quiet')};max-width:70em}}"
        f".minigrad-figure [tabindex]:focus-visible{{outline:2px solid {light_dark('leaf')};outline-offset:1px}}"
        f"{rules}"
    )


class Figure:
    """A chart: shows itself in a notebook. `svg` is the picture, `str(figure)` the same in text."""

    def __init__(self, svg: str, caption: str, table: str) -> None:
        self.svg = svg
        self.caption = clean(caption)
        self._table = table

    def __str__(self) -> str:
        return f"{self.caption}\n{self._table}"

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return (
            f'<figure class="minigrad-figure"><style>{_style()}</style>{self.svg}'
            f"<figcaption>{markup(self.caption)}</figcaption></figure>"
        )


# ---------------------------------------------------------------- parts of a picture


def picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """An SVG on a card of its own, so that it can be read on any page; a narrow page gets it a little smaller."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{pixels(width)}" height="{pixels(height)}" '
        f'style="max-width:100%;min-width:{pixels(SMALLEST * width)}px;height:auto" '
        f'viewBox="0 0 {pixels(width)} {pixels(height)}" role="group" aria-label={attribute(title)} '
        f'font-family="{SANS}" font-size="12"><title>{markup(title)}</title>'
        f"{rectangle(0.5, 0.5, width - 1, height - 1, 'paper', 'rule', radius=8)}{''.join(parts)}</svg>"
    )


def colour_attributes(*names: str) -> str:
    """The classes and attributes that give an element its colours."""
    classes = " ".join(f"mgf-{name}" for name in names)
    attributes = " ".join(f'{COLOURS[name][0]}="{light(COLOURS[name][1])}"' for name in names)
    return f'class="{classes}" {attributes}'


def rectangle(x: float, y: float, width: float, height: float, *colours: str, radius: float = 0) -> str:
    rounded = f'rx="{pixels(radius)}" ' if radius else ""
    return (
        f'<rect x="{pixels(x)}" y="{pixels(y)}" width="{pixels(width)}" height="{pixels(height)}" '
        f"{rounded}{colour_attributes(*colours)}/>"
    )


def circle(x: float, y: float, radius: float, colour: str, more: str = "") -> str:
    return f'<circle cx="{pixels(x)}" cy="{pixels(y)}" r="{pixels(radius)}" {more}{colour_attributes(colour)}/>'


def line(points: Sequence[tuple[float, float]], colour: str, width: float = 1, dashes: str = "") -> str:
    path = "M" + "L".join(f"{pixels(x)} {pixels(y)}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{path}" fill="none" stroke-width="{pixels(width)}"{dashed} {colour_attributes(colour)}/>'


def label(
    x: float, y: float, words: str, colour: str = "ink", anchor: str = "start", size: float = 12, more: str = ""
) -> str:
    attributes = f"{colour_attributes(colour)}{more and ' '}{more}"
    place = f'x="{pixels(x)}" y="{pixels(y)}" text-anchor="{anchor}" font-size="{pixels(size)}"'
    return f"<text {place} {attributes}>{markup(words)}</text>"


def focusable(title: str, inside: str) -> str:
    """A part of the picture that says what it is, to the pointer and to the keyboard."""
    return f'<g tabindex="0" role="img" aria-label={attribute(title)}><title>{markup(title)}</title>{inside}</g>'


def short_number(value: float) -> str:
    """A number in few characters, for a cell or an axis."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if 1000 <= abs(value) < 10000:
        return f"{value:.0f}"
    if abs(value) >= 10000 or abs(value) < 0.001:
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    return f"{value:.3g}"

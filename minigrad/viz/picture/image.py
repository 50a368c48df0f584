"""A picture in a notebook's output: an image, so that no name or style in it can meet those of the page.

Also a notebook that is not trusted yet shows it: of an output's own SVG, JupyterLab leaves nothing there but words. The
image is as light or dark as the page around it: see palette.py.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any
from urllib.parse import quote

UNQUOTED = " =:/;,()@!*$&+?[]|.-_~'"  # what an address of SVG may hold as it is: the text stays short
TAG, VALUE = re.compile(r"<[^<>]*>"), re.compile(r"""="[^"]*"|='[^']*'""")
# For what others have drawn for a light page. On a dark one black and white change places, and so each colour and what
# it stands on keep their contrast; the hues stay. White becomes nearly black, as such a page is.
FILTER = "svg>:is(image,g){filter:invert(.93) hue-rotate(180deg)}"
TURNED_DARK = f"<style>@media(prefers-color-scheme:dark){{{FILTER}}}</style>"


def image_html(svg: str, words: str, name: str) -> str:
    """An SVG as an image in an element of the class `name`; `words` say what it shows.

    It is as large as it says itself: where the page is narrower, it is moved under it.
    """
    image = f'<img style="max-width:none;display:block" alt="{escape(words)}" src="{_address(svg)}">'
    return f'<div class="{name}" style="max-width:100%;overflow-x:auto">{image}</div>'


def plot_html(png: str, width: int, height: int, words: str) -> str:
    """A picture of numbers, as matplotlib plots it on white: PNG in base64, and the size in which it is shown."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'{TURNED_DARK}<image width="{width}" height="{height}" href="data:image/png;base64,{png}"/></svg>'
    )
    return f'<img class="minigrad-plot" style="max-width:100%" alt="{escape(words)}" src="{_address(svg)}">'


def words_of_plot(figure: Any) -> str:
    """What a figure of matplotlib's shows, by the words on it."""
    words = [word for axes in figure.axes for word in (axes.get_title(), axes.get_xlabel(), axes.get_ylabel())]
    return f"a plot: {', '.join(filter(None, dict.fromkeys(words)))}".removesuffix(": ")


def _address(svg: str) -> str:
    """An address that holds a picture: an eighth shorter with the quotes that need no escapes."""
    short = TAG.sub(lambda tag: VALUE.sub(_in_single_quotes, tag[0]), svg)
    return escape(f"data:image/svg+xml,{quote(short, safe=UNQUOTED)}", quote=False)


def _in_single_quotes(value: re.Match[str]) -> str:
    return value[0] if "'" in value[0] else value[0].replace('"', "'")

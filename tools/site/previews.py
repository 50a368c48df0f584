"""The pictures that stand in previews of links: a page's title beside a graph of its own, drawn without a browser.

The graphs are SVG of minigrad's own: boxes, lines, texts and small images, moved by whole groups. That is little enough
to be painted here. Everything is painted twice as large and then made smaller, which makes edges smooth.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import re
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pages import NAME, Page
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630  # what services that show previews ask for
TWICE = 2
INK, QUIET, PAPER, TEXT_WIDTH = "#1d2733", "#556171", "#ffffff", 560
BLUE, WARM = "#0072b2", "#b84a00"
PANEL = (640, 0, WIDTH, HEIGHT)  # where the graph is
SMALLEST = 0.75  # of a graph: what is larger than the panel is shown in part, from its result upwards
COMMAND = re.compile(r"([MCLlHhVvz])([^MCLlHhVvz]*)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SVG = "{http://www.w3.org/2000/svg}"
CURVE = 12  # straight pieces of a curve
FONTS = Path(importlib.util.find_spec("matplotlib").origin).parent / "mpl-data/fonts/ttf"  # type: ignore[union-attr, arg-type]
HREF = "{http://www.w3.org/1999/xlink}href"


def write_preview(page: Page, path: Path) -> None:
    """Write the picture of a page."""
    picture = Image.new("RGB", (WIDTH * TWICE, HEIGHT * TWICE), PAPER)
    draw = ImageDraw.Draw(picture)
    draw.rectangle([PANEL[0] * TWICE, 0, WIDTH * TWICE, HEIGHT * TWICE], fill="#f1f5f9")
    if page.drawing:
        Painter(picture, page.drawing).paint()
    else:
        paint_sign(draw)
    paint_words(draw, page)
    picture = picture.reduce(TWICE).quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)


@lru_cache(maxsize=64)
def font(size: float, is_bold: bool = False, is_mono: bool = False) -> Any:
    name = f"DejaVuSans{'Mono' if is_mono else ''}{'-Bold' if is_bold else ''}.ttf"
    return ImageFont.truetype(str(FONTS / name), round(size * TWICE))


def paint_words(draw: Any, page: Page) -> None:
    """The title and the description, and whose they are."""
    draw.rounded_rectangle([at * TWICE for at in (56, 56, 66, 94)], 5 * TWICE, fill=WARM)
    draw.text((82 * TWICE, 56 * TWICE), NAME, font=font(29, is_bold=True), fill=INK)
    title = page.title.removeprefix(f"{NAME}: ")
    title = title[0].upper() + title[1:]
    size = next((size for size in (54, 48, 42, 36) if len(lines_of(title, font(size, True))) <= 4), 32)
    top = 148
    for line in lines_of(title, font(size, True))[:5]:
        draw.text((56 * TWICE, top * TWICE), line, font=font(size, True), fill=INK)
        top += round(size * 1.22)
    top += 22
    room = max(0, (HEIGHT - 40 - top) // 33)
    lines = lines_of(page.description, font(22))
    if len(lines) > room:
        lines = [
            *lines[: room - 1],
            textwrap.shorten(lines[room - 1] + " " + lines[room], len(lines[room - 1]), placeholder=" …"),
        ]
    for line in lines[:room]:
        draw.text((56 * TWICE, top * TWICE), line, font=font(22), fill=QUIET)
        top += 33


def lines_of(text: str, face: Any) -> list[str]:
    """Text in lines that fit beside the graph."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if face.getlength(longer) <= (TEXT_WIDTH - 20) * TWICE:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def paint_sign(draw: Any) -> None:
    """The site's sign, for a page without a graph: two leaves and a result."""
    points = {"left": (800, 190), "right": (1040, 190), "result": (920, 440)}
    for name in ("left", "right"):
        (x, y), (to_x, to_y) = points[name], points["result"]
        curve = list(bent((x, y), (x, 330), (to_x, 300), (to_x, to_y)))
        draw.line([(px * TWICE, py * TWICE) for px, py in curve], fill="#97a2b0", width=10 * TWICE, joint="curve")
    for name, (x, y) in points.items():
        r = 62 if name == "result" else 50
        draw.ellipse([at * TWICE for at in (x - r, y - r, x + r, y + r)], fill=WARM if name == "result" else BLUE)


def bent(start: Any, first: Any, second: Any, end: Any) -> Iterator[tuple[float, float]]:
    """Points of a cubic curve."""
    for step in range(CURVE + 1):
        t = step / CURVE
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
        yield tuple(sum(w * p[k] for w, p in zip(weights, (start, first, second, end), strict=True)) for k in (0, 1))  # type: ignore[misc]


class Painter:
    """Paints one of our SVGs into the panel."""

    def __init__(self, picture: Any, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        _, _, width, height = (float(number) for number in self.root.attrib["viewBox"].split())
        left, top, right, bottom = PANEL
        room, rise = right - left - 50, bottom - top - 50
        self.scale = max(min(room / width, rise / height, 1.5), SMALLEST)
        self.x = left + 25 + max(0, (room - width * self.scale) / 2)
        self.y = top + 25 + (rise - height * self.scale) * (0.5 if height * self.scale <= rise else 1)
        self.x, self.y = self.x - left, self.y - top
        self.panel = Image.new("RGB", ((right - left) * TWICE, (bottom - top) * TWICE), "#f1f5f9")
        self.draw = ImageDraw.Draw(self.panel)
        self.picture = picture

    def paint(self) -> None:
        """Paint all, in the order of the text, and put the panel into the picture."""
        stack = [(element, 0.0, 0.0) for element in reversed(self.root)]
        while stack:
            element, x, y = stack.pop()
            if element.attrib.get("visibility") == "hidden" or element.attrib.get("class") == "mg-back":
                continue
            moved = NUMBER.findall(element.attrib.get("transform", ""))
            if moved:
                x, y = x + float(moved[0]), y + float(moved[1])
            method = getattr(self, element.tag.removeprefix(SVG), None)
            if method is not None:
                method(element, x, y)
            stack += [(child, x, y) for child in reversed(element)]
        self.picture.paste(self.panel, (PANEL[0] * TWICE, PANEL[1] * TWICE))

    def place(self, x: float, y: float) -> tuple[float, float]:
        return (self.x + x * self.scale) * TWICE, (self.y + y * self.scale) * TWICE

    def rect(self, element: Any, x: float, y: float) -> None:
        at = element.attrib
        left, top = x + float(at.get("x", 0)), y + float(at.get("y", 0))
        corners = [*self.place(left, top), *self.place(left + float(at["width"]), top + float(at["height"]))]
        line = round(float(at.get("stroke-width", 1)) * self.scale * TWICE) if "stroke" in at else 0
        radius = float(at.get("rx", 0)) * self.scale * TWICE
        self.draw.rounded_rectangle(corners, radius, fill=colour(at, "fill"), outline=colour(at, "stroke"), width=line)

    def path(self, element: Any, x: float, y: float) -> None:
        at = element.attrib
        points: list[tuple[float, float]] = []
        for command, text in COMMAND.findall(at["d"]):
            numbers = [float(number) for number in NUMBER.findall(text)]
            pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
            if command in "ML":
                points += pairs
            elif command == "C":
                for k in range(0, len(pairs), 3):
                    points += bent(points[-1], *pairs[k : k + 3])
            elif command in "lh":
                steps = pairs if command == "l" else [(number, 0.0) for number in numbers]
                for dx, dy in steps:
                    points.append((points[-1][0] + dx, points[-1][1] + dy))
            elif command in "HV":
                last = points[-1]
                points.append((numbers[0], last[1]) if command == "H" else (last[0], numbers[0]))
        shown = [self.place(x + px, y + py) for px, py in points]
        if colour(at, "fill") and len(shown) > 2:
            self.draw.polygon(shown, fill=colour(at, "fill"))
        if colour(at, "stroke"):
            width = max(1, round(float(at.get("stroke-width", 1)) * self.scale * TWICE))
            self.draw.line(shown, fill=colour(at, "stroke"), width=width, joint="curve")

    def text(self, element: Any, x: float, y: float) -> None:
        at = element.attrib
        is_mono = "font-family" not in at
        face = font(float(at.get("font-size", 12)) * self.scale, int(at.get("font-weight", 400)) > 500, is_mono)
        anchor = {"end": "rs", "middle": "ms"}.get(at.get("text-anchor", ""), "ls")
        words = "".join(element.itertext())
        self.draw.text(
            self.place(x + float(at["x"]), y + float(at["y"])),
            words,
            font=face,
            fill=at.get("fill", INK),
            anchor=anchor,
        )

    def image(self, element: Any, x: float, y: float) -> None:
        at = element.attrib
        address = at.get("href", at.get(HREF, ""))
        if not address.startswith("data:image/png;base64,"):
            return
        left, top = self.place(x + float(at["x"]), y + float(at["y"]))
        size = [max(1, round(float(at[side]) * self.scale * TWICE)) for side in ("width", "height")]
        cells = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGBA")
        cells = cells.resize(size, Image.Resampling.NEAREST)
        self.panel.paste(cells, (round(left), round(top)), cells)


def colour(attributes: dict[str, str], name: str) -> str | None:
    value = attributes.get(name)
    return None if value in (None, "none") else value

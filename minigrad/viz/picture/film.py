"""A whole pass as one SVG that moves by itself: for a README, a talk, a page without scripts.

It is made of the stills of all steps. What is the same in several steps is there once; what changes is there once for
each stretch of steps in which it stays the same, and a style sheet shows these in turn. Where nothing moves (on paper,
for readers who want no motion, in programs that know no animation) it is the first step's still. It is as light or dark
as the page that shows it, or the reader's system.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from minigrad.viz.picture import svg
from minigrad.viz.picture.markup import MONO, SANS, clean, markup, pixels

NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
NARROWEST, MARGIN = 460, 14  # pixels: of the words' width, and around everything
LINE, LETTER = 20, 7.4  # pixels: a line's height, a letter's width
KEYS = "data-box", "data-edge", "data-chip", "data-group"
STILL = "@media print,(prefers-reduced-motion:reduce){*{animation:none!important}}"
STYLE = f"{svg.STYLE}{STILL}"


def film_of(stills: Sequence[str], sentences: Sequence[str], seconds: float) -> str:
    """One SVG out of the stills of a pass, which are laid out alike, with a sentence below each. Each is seen for some
    seconds, the last for twice as long.
    """
    frames = [ElementTree.fromstring(still.replace(NAMESPACE, "", 1)) for still in stills]
    width, height = map(float, frames[0].get("viewBox", "").split()[2:])
    whole = max(width, NARROWEST)
    film = _Film(len(stills))
    layers = zip(*(frame.findall("g") for frame in frames), strict=True)
    drawn = "".join(map(film.layer_text, layers))
    lines = [textwrap.wrap(clean(sentence), int(whole / LETTER)) for sentence in sentences]
    words = film.part_text([_words(one, height + 2 * MARGIN) for one in lines])
    size = [pixels(whole + 2 * MARGIN), pixels(height + 3 * MARGIN + LINE * max(map(len, lines)))]
    return (
        f'<svg{NAMESPACE} class="mg-graph" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}" '
        f'font-family="{MONO}" font-size="12"><title>{markup(frames[0].findtext("title", ""))}</title>'
        f"<style>{STYLE}{film.style(seconds)}</style>"
        f'<rect class="mg-back" width="{size[0]}" height="{size[1]}" rx="10" fill="{svg.PAPER}"/>'
        f'<g transform="translate({pixels(MARGIN + (whole - width) / 2)} {MARGIN})">{drawn}</g>{words}</svg>\n'
    )


def _words(lines: Sequence[str], top: float) -> str:
    spans = [f'<tspan x="{MARGIN}" dy="{LINE}">{markup(line)}</tspan>' for line in lines]
    return f'<text y="{pixels(top)}" font-family="{SANS}" font-size="13" fill="{svg.INK}">{" ".join(spans)}</text>'


class _Film:
    def __init__(self, count: int) -> None:
        self.count = count
        self.stretches: set[tuple[int, int]] = set()  # the first frame, and the first that is no more of it

    def layer_text(self, versions: Sequence[Any]) -> str:
        """All boxes, edges, chips or frames of groups: the parts that each has, in all frames."""
        things: dict[Any, list[Any]] = {}
        for number, version in enumerate(versions):
            for thing in version:
                key = next(thing.get(name) for name in KEYS if name in thing.attrib)
                things.setdefault((_height(thing), key), [()] * self.count)[number] = thing
        return "".join(self._thing_text(things[key]) for key in sorted(things, key=lambda key: key[0]))

    def _thing_text(self, versions: list[Any]) -> str:
        place = next((version.get("transform") for version in versions if len(version)), None)
        parts = [[_text_of(part) for part in parts] for parts in itertools.zip_longest(*versions)]
        inside = "".join(map(self.part_text, parts))
        return f'<g transform="{place}">{inside}</g>' if place else inside

    def part_text(self, texts: Sequence[str]) -> str:
        """What stands at one place in each frame, once for each stretch of frames in which it is the same."""
        found = []
        for text, same in itertools.groupby(range(self.count), lambda number: texts[number]):
            numbers = list(same)
            first, end = stretch = numbers[0], numbers[-1] + 1
            if text and stretch != (0, self.count):
                self.stretches.add(stretch)
                text = f'<g class="f{first}-{end}">{text}</g>'
            found.append(text)
        return "".join(found)

    def style(self, seconds: float) -> str:
        """When each stretch is seen."""
        rules = []
        slots = self.count + 1
        for first, end in sorted(self.stretches):
            shown = {0: "hidden", first: "visible"} | ({end: "hidden"} if end < self.count else {})
            times = "".join(f"{100 * at / slots:.4g}%{{visibility:{look}}}" for at, look in shown.items())
            name, plays = f"f{first}-{end}", f"{slots * seconds:g}s step-end infinite"
            rules.append(f"@keyframes {name}{{{times}}}.{name}{{visibility:{shown[0]};animation:{name} {plays}}}")
        return "".join(rules)


def _height(thing: Any) -> int:
    """Of an edge, how many kinds of edges lie below it; 0 for what has no neighbour that it runs together with."""
    words = thing.get("class", "").split() if "data-edge" in thing.attrib else []
    return next((height for height, flow in enumerate(svg.UPWARDS) if f"mg-{flow}" in words), 0)


def _text_of(part: Any) -> str:
    """A part of a still without what only the stepper needs; "" for what is not there, is not seen, or is a tip."""
    if part is None or part.tag == "title" or part.get("visibility") == "hidden":
        return ""
    for element in part.iter():
        for name in KEYS if element.tag == "text" else ("class", *KEYS):  # texts have their letters by class
            element.attrib.pop(name, None)
    return ElementTree.tostring(part, "unicode")

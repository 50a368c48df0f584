"""What the tests of pictures share: code that runs as a notebook cell, hostile names, and a look at what is drawn."""

import base64
import graphlib
import html
import itertools
import json
import linecache
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.groups import Group
from minigrad.viz.picture import svg

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = """\
A = mg.tensor([3.], requires_grad=True)
B = mg.tensor([2.], requires_grad=True)
C = A ** 2
D = B ** 2
E = C * D
F = D + E
"""
STEPPED = EXAMPLE + "s = viz.BackwardStepper(F)\n"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" 'twice' & <b>",
    "line\nbreak\r\tand tab",
    "javascript:alert(1)",
    "עברית",
    "\u202eflipped\u202c",
    "🦊🔥",
    "nul\0bell\x07esc\x1b",
    "]]>-->",
    "a" * 300,
    "",
    "\\N\\G\\l {x|y} <p>",
]
cells = itertools.count()


def cell(text: str, **names: Any) -> dict[str, Any]:
    """Run code as a notebook cell: its source is known to linecache, its variables are globals."""
    file = f"<cell {next(cells)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "__main__", "mg": mg, "viz": viz, **names}
    exec(compile(text, file, "exec"), scope)
    return scope


def still(shown: Any) -> str:
    """The picture, an SVG, in the output of a stepper."""
    return shown_in(_html(shown)[_html(shown).index('class="minigrad-still"') :])


def shown_in(markup: str) -> str:
    """The SVG that is the first image in HTML."""
    address = re.search(r'<img [^>]*src="data:image/svg\+xml,([^"]*)"', markup)
    assert address
    # Attributes as they were drawn: an address has them in the quotes that it may hold as they are.
    tags = re.compile(r"<[^<>]*>")
    return tags.sub(lambda tag: re.sub(r"""='([^'"]*)'""", r'="\1"', tag[0]), unquote(html.unescape(address[1])))


def stored(shown: Any) -> dict[str, Any]:
    """What the output of a stepper, or a page that shows it, holds of it."""
    values = re.search(r"class=\"minigrad-recorded\" data-pass='([^']*)'", _html(shown))
    assert values
    found: dict[str, Any] = json.loads(html.unescape(values.group(1)))
    return found


def _html(shown: Any) -> str:
    return shown if isinstance(shown, str) else str(shown._repr_mimebundle_()["text/html"])


def seen(graph: Snapshot) -> dict[str, str]:
    """Name -> expression."""
    return {box.name: box.expression for box in graph.boxes}


def check_no_circle(graph: Snapshot, groups: Sequence[Group], shown: Sequence[str]) -> int:
    """With each group closed that is not in `shown`, things can stand behind their inputs. How many there are."""
    by_id = {group.id: group for group in groups}
    home = {box: group.id for group in groups for box in group.boxes}
    stands: dict[str, str] = {}
    for box in graph.boxes:
        stands[box.id], at = box.id, home.get(box.id)
        while at is not None:
            stands[box.id] = stands[box.id] if at in shown else at
            at = by_id[at].parent
    inputs: dict[str, set[str]] = {key: set() for key in stands.values()}
    for edge in graph.edges:
        inputs[stands[edge.target]] |= {stands[edge.source]} - {stands[edge.target]}
    list(graphlib.TopologicalSorter(inputs).static_order())  # raises CycleError
    return len(inputs)


def parsed(markup: str) -> ElementTree.Element:
    root = ElementTree.fromstring(markup)
    assert root.tag == SVG + "svg"
    return root


def check_harmless(markup: str) -> None:
    """Well-formed, and nothing in it that a browser would run or fetch, or that turns text around."""
    markup = markup[markup.index("<svg") :]
    for element in parsed(markup).iter():
        if element.tag == f"{SVG}style":
            assert element.text == svg.STYLE
            continue
        assert element.tag.removeprefix(SVG) in {
            "svg",
            "g",
            "title",
            "rect",
            "path",
            "text",
            "image",
            "polygon",
            "ellipse",
        }
        for attribute, value in element.attrib.items():
            assert not attribute.lower().startswith("on")
            assert not attribute.endswith("href") or value.startswith("data:image/png;base64,")
        for character in element.text or "":
            assert not 0x202A <= ord(character) <= 0x202E
            assert not 0x2066 <= ord(character) <= 0x2069


def unpack(text: str) -> Any:
    """What `packing.pack` has packed, as the page gets it."""
    return json.loads(zlib.decompress(base64.b64decode(text)))

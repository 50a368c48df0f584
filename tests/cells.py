"""What the tests of pictures share: code that runs as a notebook cell, hostile names, and a look at what is drawn."""

import base64
import itertools
import json
import linecache
import xml.etree.ElementTree as ElementTree
import zlib
from typing import Any

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph.boxes import Snapshot

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


def seen(graph: Snapshot) -> dict[str, str]:
    """Name -> expression."""
    return {box.name: box.expression for box in graph.boxes}


def parsed(markup: str) -> ElementTree.Element:
    root = ElementTree.fromstring(markup)
    assert root.tag == SVG + "svg"
    return root


def check_harmless(markup: str) -> None:
    """Well-formed, and nothing in it that a browser would run or fetch, or that turns text around."""
    markup = markup[markup.index("<svg") :]
    for element in parsed(markup).iter():
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
    """What `recording.pack` has packed, as the page gets it."""
    return json.loads(zlib.decompress(base64.b64decode(text)))

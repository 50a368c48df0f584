"""Words as they may stand in a picture: cleaned, cut to the room that there is, and escaped.

All text is the learner's or comes from the engine, so all of it is stripped of characters that XML forbids or that turn
the text around them, and escaped. Room is counted in columns of a monospaced font.
"""

from __future__ import annotations

import re
import unicodedata
from xml.sax.saxutils import escape, quoteattr

from minigrad.viz.graph.naming import beginning_in_words

MONO = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"

# Control characters, halves of characters, what would change the direction or the line of what follows, and the two
# code points at the end of each plane that stand for nothing.
NO_CHARACTERS = "".join(chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
FORBIDDEN = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069{NO_CHARACTERS}]")

BRACKETS = re.compile(r"[\[\]]")
CUT_NUMBER = re.compile(r" [^ ]*…$")


def clean(text: str) -> str:
    """Text that XML and a single line allow: control characters become the replacement character, line ends a visible
    mark.
    """
    if text.isprintable():
        return text  # nearly all there is, in a large graph
    return FORBIDDEN.sub("\ufffd", text.replace("\n", "⏎").replace("\r", "⏎").replace("\t", " "))


def clean_lines(text: str) -> str:
    """Text of several lines, each of which is made clean."""
    return text if text.isprintable() else "\n".join(clean(line) for line in text.split("\n"))


def markup(text: str) -> str:
    """Text, of one line or several, as it stands in an element."""
    return escape(clean_lines(text))


def attribute(text: str) -> str:
    """Text of one line as the value of an attribute, in its quotes."""
    return quoteattr(clean(text))


def pixels(number: float) -> str:
    """A length or a place, to a tenth of a pixel."""
    return str(int(number)) if number == int(number) else f"{number:.1f}".rstrip("0").rstrip(".")


def columns(text: str) -> int:
    """How many columns a text takes in a monospaced font: wide characters take two, marks on other characters none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) + wide - marks


def shorten(text: str, limit: int) -> str:
    """The text if it fits into `limit` columns, else its beginning and an ellipsis."""
    if columns(text) <= limit:
        return text
    while text and columns(text) > limit - 1:
        text = text[:-1]
    return text + "…"


def shorten_words(text: str, limit: int) -> str:
    """As `shorten`, but without the word in which the beginning would end."""
    return text if columns(text) <= limit else beginning_in_words(shorten(text, limit)[:-1], text) + "…"


def value_text(text: str, shape: tuple[int, ...], limit: int) -> str:
    """The text of a value if it fits into `limit` columns, else its shape and its first numbers, none of them cut; of
    several results the first ones, or else how many there are.
    """
    results = text.split(" | ")
    if columns(text) > limit and len(results) > 1:
        beginnings = (" | ".join([*results[:count], "…"]) for count in range(len(results) - 1, 0, -1))
        return next((one for one in beginnings if columns(one) <= limit), f"{len(results)} results")
    if columns(text) <= limit or not shape or not text.startswith("["):
        return shorten(text, limit)
    whole = f"[{', '.join(map(str, shape))}]"
    return CUT_NUMBER.sub(" …", shorten(whole if text == whole else f"{whole} {BRACKETS.sub('', text)}", limit))

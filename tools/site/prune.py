"""Style sheets without what no page uses: the theme's holds a framework, of which the book needs a part.

A rule stays if each class and each id in its selector occurs as a word somewhere in the pages or in their scripts, and
a custom property if something asks for it by its name. So too much is kept rather than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"[\w-]+")
NAME = re.compile(r"[.#]([A-Za-z_][\w-]*)")
PART_OF_CLASS = re.compile(r"""\[class[*^$]=["']?([^"'\]]+)["']?\]""")
INSIDE = re.compile(r"\([^()]*\)")
PROPERTY = re.compile(r"""(?<![\w-])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*(?:;|(?=\}))""")
ASKED_FOR = re.compile(r"var\(\s*(--[\w-]+)")
NESTING = ("@media", "@supports", "@container", "@layer")


@dataclass(frozen=True)
class Words:
    """All words of pages and scripts: what a selector can mean."""

    words: frozenset[str]
    text: str  # the same, to be searched for a part of one


def words_in(texts: Iterable[str]) -> Words:
    words = frozenset(word for text in texts for word in WORD.findall(text))
    return Words(words, " ".join(words))


def without_unasked(sheets: list[str], others: str) -> list[str]:
    """Style sheets without the custom properties that neither they ask for nor the other text does."""
    asked: set[str] = set()

    def if_asked(found: re.Match[str]) -> str:
        return found[0] if found[1] in asked else ""

    before: list[str] = []
    while sheets != before:  # what only a property asked for that was taken away is asked for no longer
        asked = set(ASKED_FOR.findall("\n".join([*sheets, others])))
        before, sheets = sheets, [PROPERTY.sub(if_asked, sheet) for sheet in sheets]
    return sheets


def pruned(sheet: str, words: Words) -> str:
    """A style sheet without the rules whose classes or ids are none of the words."""
    kept = []
    for head, body in rules_of(COMMENT.sub("", sheet)):
        if head.startswith(NESTING):
            inner = pruned(body, words)
            kept += [f"{head}{{{inner}}}"] if inner else []
        elif head.startswith("@") or body is None:
            kept.append(head if body is None else f"{head}{{{body}}}")
        else:
            selectors = [selector for selector in selectors_of(head) if is_used(selector, words)]
            kept += [f"{','.join(selectors)}{{{body}}}"] if selectors else []
    return "\n".join(kept)


def rules_of(sheet: str) -> Iterator[tuple[str, str | None]]:
    """The rules of a style sheet, each as what stands before its braces, and within; None where it has none."""
    start = 0
    while (opening := sheet.find("{", start)) >= 0:
        *statements, head = sheet[start:opening].split(";")
        yield from ((f"{statement.strip()};", None) for statement in statements)
        depth, place = 1, opening + 1
        while depth:
            brace = re.compile("[{}]").search(sheet, place)
            if brace is None:
                raise ValueError(f"a style sheet has a rule that does not end: {head.strip()[:60]}")
            depth += 1 if brace[0] == "{" else -1
            place = brace.end()
        yield head.strip(), sheet[opening + 1 : place - 1].strip()
        start = place
    yield from ((f"{statement.strip()};", None) for statement in sheet[start:].split(";") if statement.strip())


def selectors_of(head: str) -> list[str]:
    """The selectors of a rule: what stands between commas that are in no brackets."""
    parts, depth = [""], 0
    for character in head:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def is_used(selector: str, words: Words) -> bool:
    """Whether each class and id of a selector is a word, or a part of one where the selector names a part; what stands
    in brackets, as in `:not(…)`, is not asked.
    """
    while INSIDE.search(selector):
        selector = INSIDE.sub("", selector)
    are_words = all(name in words.words for name in NAME.findall(selector))
    return are_words and all(part in words.text for part in PART_OF_CLASS.findall(selector))

"""Style sheets without the rules that no page uses: the theme's holds a framework, of which the book needs a part.

A rule stays if each class and each id in its selector occurs as a word somewhere in the pages or in their scripts.
So too much is kept rather than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"[\w-]+")
NAME = re.compile(r"[.#]([A-Za-z_][\w-]*)")
INSIDE = re.compile(r"\([^()]*\)")
NESTING = ("@media", "@supports", "@container", "@layer")


def words_in(texts: Iterable[str]) -> set[str]:
    """All words of pages and scripts: what a selector can mean."""
    return {word for text in texts for word in WORD.findall(text)}


def pruned(sheet: str, words: set[str]) -> str:
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


def is_used(selector: str, words: set[str]) -> bool:
    """Whether each class and id of a selector is a word; what stands in brackets, as in `:not(…)`, is not asked."""
    while INSIDE.search(selector):
        selector = INSIDE.sub("", selector)
    return all(name in words for name in NAME.findall(selector))

"""Where a line of JavaScript can be broken: for mutants.py, which breaks Python by its syntax tree.

Python has no parser for JavaScript. Comments, strings and regular expressions are blanked out, and in what is left
operators stand between spaces, conditions in brackets, and a short statement on a line: as our scripts are written.
What a break leaves may be no JavaScript any more; mutants.py asks node.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

PAIRS = {"===": "!==", "<": "<=", ">": ">=", "&&": "||", "+": "-", "*": "/", "true": "false"}
OTHER = PAIRS | {second: first for first, second in PAIRS.items()}
OPENING, CLOSING = "([{", ")]}"
BEFORE_REGEX = "(,=>:[!&|?{};"  # a slash after one of these divides nothing
COMPARED = re.compile(r"(?<= )(===|!==|<=|>=|<|>)(?= )")
JOINED = re.compile(r"(?<= )(&&|\|\||[-+*/])(?= )")
CONSTANT = re.compile(r"(?<![\w.$#])(\d+(?:\.\d+)?|true|false)(?![\w.])")
CONDITION = re.compile(r"\b(if|while) (?=\()")
RETURNED = re.compile(r"\breturn ([^;\n]+)(?=;)")
TWO_NAMES = re.compile(r"(?<=\()([\w.]+), ([\w.]+)(?=([,)])(\)* (?:=>|\{))?)|(?<=\[)(\w+), (\w+)(?=\] = )")
NO_STATEMENT = r"(?!(?:return|const|let|if|for|else|throw|while|case)\b)"
STATEMENT = re.compile(rf"^ +({NO_STATEMENT}[\w.$?\[\]]+(?:\(.*\)| [-+]?= .+);)$", re.MULTILINE)


class Break(NamedTuple):
    """A piece of the source, from `start` to `end`, how it is broken, and the text in its place."""

    start: int
    end: int
    kind: str
    new: str


def breaks_of(source: str) -> Iterator[Break]:
    """All breaks of a script."""
    code = blanked(source)
    for found in COMPARED.finditer(code):
        yield Break(*found.span(1), "comparison turned", OTHER[found[1]])
    for found in JOINED.finditer(code):
        yield Break(*found.span(1), "operator swapped", OTHER[found[1]])
    for found in CONSTANT.finditer(code):
        yield Break(*found.span(1), "constant changed", OTHER.get(found[1]) or str(_number(found[1]) + 1))
    for found in CONDITION.finditer(code):
        end = closed_at(code, found.end())
        test = source[found.end() : end]
        yield Break(found.end(), end, "condition negated", f"(!{test})")
        yield Break(found.end(), end, "condition made false", "(false)")
        if found[1] == "if":
            yield Break(found.end(), end, "condition made true", "(true)")
            if guarded := re.compile(r" (?:return|continue|break)\b[^;\n{]*;").match(code, end):
                yield Break(found.start(), guarded.end(), "guard dropped", ";")
    for found in RETURNED.finditer(code):
        if _is_whole(found[1]):
            yield Break(*found.span(1), "undefined returned", "undefined")
    for found in TWO_NAMES.finditer(code):
        first, second = (1, 2) if found[1] else (5, 6)
        kind = "arguments swapped" if found[1] and not found[4] else "names swapped"
        yield Break(found.start(), found.end(), kind, f"{found[second]}, {found[first]}")
    for found in STATEMENT.finditer(code):
        if _is_whole(found[1]):
            yield Break(*found.span(1), "statement dropped", ";")


def blanked(source: str) -> str:
    """The source with spaces in place of comments, strings, the text of templates, and regular expressions."""
    text, place = list(source), 0
    inside: list[int] = []  # of templates: -1 in their text, else how many braces are open in an expression of theirs

    def blank(end: int) -> int:
        text[place:end] = ["\n" if character == "\n" else " " for character in source[place:end]]
        return end

    while place < len(source):
        character = source[place]
        if inside and inside[-1] < 0:
            if character == "`":
                inside.pop()
            elif source.startswith("${", place):
                inside.append(0)
                place += 1
                text[place - 1] = " "
            place = blank(place + (2 if character == "\\" else 1))
        elif source.startswith(("//", "/*"), place):
            ending = "\n" if source[place + 1] == "/" else "*/"
            end = source.find(ending, place)
            place = blank(len(source) if end < 0 else end + len(ending.strip()))
        elif character in "'\"":
            place = blank(place + len(re.match(r"""(["'])(?:\\.|(?!\1).)*\1""", source[place:], re.DOTALL)[0]))  # type: ignore[index]
        elif character == "`":
            inside.append(-1)
            place = blank(place + 1)
        elif character == "/" and ("".join(text[:place]).rstrip() or "(")[-1] in BEFORE_REGEX:
            place = blank(place + len(re.match(r"/(?:\\.|\[(?:\\.|[^\]])*\]|[^/])+/\w*", source[place:])[0]))  # type: ignore[index]
        elif character == "}" and inside and inside[-1] == 0:
            inside.pop()
            place = blank(place + 1)
        else:
            if inside and character in "{}":
                inside[-1] += 1 if character == "{" else -1
            place += 1
    return "".join(text)


def closed_at(code: str, start: int) -> int:
    """Where the bracket that opens at `start` has been closed."""
    depths = itertools.accumulate((character in OPENING) - (character in CLOSING) for character in code[start:])
    return start + 1 + next(place for place, depth in enumerate(depths) if depth == 0)


def _is_whole(code: str) -> bool:
    """Whether each bracket that opens here is closed here."""
    depths = [0, *itertools.accumulate((character in OPENING) - (character in CLOSING) for character in code)]
    return depths[-1] == 0 and min(depths) == 0


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)

"""Pieces of the learner's source on one line, as they stand in boxes: `t2 + t4`.

Comments and line joins go, and names are put in for the parts that have boxes of their own. What a comment is, and what
only looks like one in a string, Python's tokens say; all that they hold stays as it was written.
"""

from __future__ import annotations

import functools
import io
import keyword
import re
import tokenize
from collections.abc import Mapping

from minigrad.viz.graph.observer import Span, source_line, source_text

BETWEEN = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
Point = tuple[int, int]  # a line and a column
ASSIGNED = re.compile(r"\w+ ?:= ?$")  # the beginning of `(y := x * w)`


def with_names(span: Span, parts: Mapping[Span, str]) -> str:
    """The text of a span on one line, with names in place of the parts that have their own boxes."""
    source = source_text(span)
    text, places = on_one_line(source)
    starts = _line_starts(source)

    def place(line: int, column: int) -> int:
        return places.get(starts[line - span.first] + column - (span.start if line == span.first else 0), -1)

    pieces = {(place(part.first, part.start), place(part.last, part.end), name) for part, name in parts.items()}
    outer, reached = [], 0
    for start, end, name in sorted(pieces, key=lambda piece: (piece[0], -piece[1])):
        if reached <= start < end:  # else it lies in one that has a name
            outer.append((start, end, name))
            reached = end
    for start, end, name in reversed(outer):
        before, after = text[:start], text[end:]
        while (bare := ASSIGNED.sub("", before)) != before or _is_in_parentheses(before, after):
            before, after = (bare, after) if bare != before else (before[:-1], after[1:])
        text = before + " ".join(name.split()) + after
    return text


@functools.lru_cache(maxsize=4096)
def on_one_line(text: str) -> tuple[str, dict[int, int]]:
    """A piece of source without its comments and line joins; and for each place at which one of its tokens begins or
    ends, where that is now. What is no Python is put on one line as it is.
    """
    tokens = _tokens_of(text)
    if not tokens:
        return " ".join(text.split()), {}
    starts = _line_starts(f"({text}")
    line, places, last, before = "", {0: 0}, 0, ""
    commas: list[int] = []  # in each open bracket, and 1 in a call or a list: the last of 2 can go
    for token in tokens:
        start, end = (starts[row - 1] + column - 1 for row, column in (token.start, token.end))
        gap, word = text[last:start], token.string if token.type in (tokenize.OP, tokenize.NAME) else ""
        is_join = "\n" in gap
        is_after_operand = before in CLOSING or (before.isidentifier() and not keyword.iskeyword(before))
        is_tight = "." in (before, word) or word == "," or (is_after_operand and word in OPENING)
        if word in OPENING:
            commas.append((word == "(") == is_after_operand)
        elif word == "," and commas:
            commas[-1] += 1
        elif word in CLOSING and commas and commas.pop() > 1 and before == "," and is_join:
            line = line[:-1]
        if gap and before not in OPENING and word not in CLOSING and not (is_join and is_tight):
            line += " " if is_join or gap.isspace() else gap  # of f"{{" Python 3.12 notes one brace: the other is a gap
        places[start] = len(line)
        line += " ".join(text[start:end].splitlines())
        places[end] = len(line)
        last, before = end, word
    return line, places


def places_of_tokens(span: Span) -> list[tuple[Point, Point, str]]:
    """Where each token of a piece of source begins and ends, and its text, but for comments; of what is no Python the
    first line.
    """

    def place(row: int, column: int) -> Point:
        return row + span.first - 1, column + (span.start - 1 if row == 1 else 0)

    tokens = [(place(*token.start), place(*token.end), token.string) for token in _tokens_of(source_text(span))]
    end = span.end if span.first == span.last else len(source_line(span.file, span.first))
    return tokens or [((span.first, span.start), (span.first, end), "")]


def _tokens_of(text: str) -> list[tokenize.TokenInfo]:
    """The tokens of a text in parentheses, but for those and for what stands between; none of what is no Python."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    if any(token.type == tokenize.ERRORTOKEN for token in tokens):
        return []
    return [token for token in tokens if token.type not in BETWEEN][1:-1]


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _is_in_parentheses(before: str, after: str) -> bool:
    """Whether what stands between two texts is alone in parentheses, which are not those of a call."""
    called = before[:-1].rstrip()[-1:]
    return before.endswith("(") and after.startswith(")") and not (called.isalnum() or called in ("_", ")", "]"))

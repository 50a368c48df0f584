"""In which calls and loops of the learner's code each node was made: a tree of scopes, with the nodes in it.

The observer noted for each node the frames that were under way and the instruction of each: its way. Nodes are looked
at in the order in which they were made. What the ways of two successive nodes begin with is still under way, as long as
the code goes forward. Where an instruction comes again, or an earlier one, either a loop of that function has begun
another round, or the function was called anew, by a loop further out. So each scope is an unbroken stretch of nodes.

That a `sum` calls `+` again and again is no loop of the learner's: an instruction that calls back is still the same.
Two calls that nothing in the code tells apart, such as a callback from a library, may count as one.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from minigrad.viz.graph.loops import goes_on, loops_around
from minigrad.viz.graph.observer import ENGINE, NO_PLACE, OWN, Making, source_text, span_at

MODULE, FUNCTION, LOOP, ROUND = "module", "function", "loop", "iteration"
REPEATED, STRETCH, INPUTS, RECORDED, STATEMENT = (
    "calls",
    "stretch",
    "inputs",
    "create_graph",
    "statement",
)  # which are made when a graph is folded
NETWORKS = os.path.join("nn", "modules") + os.sep  # minigrad's and PyTorch's
LIBRARIES = tuple({path + os.sep for name, path in sysconfig.get_paths().items() if "lib" in name})
INSTALLED = re.compile(r"[\\/](site|dist)-packages[\\/]")  # also a user's own, or those of another Python
CALLS_BACK = re.compile(
    r"(functools\.|itertools\.|math\.)?(sum|reduce|map|max|min|sorted|list|tuple|accumulate|prod)\("
)

# The code of a frame, its instruction and the number of the call, if the code has loops; or a module and NO_PLACE.
Place = tuple[Any, int, int]


@dataclass(eq=False)
class Scope:
    """A call, a loop, or one round of a loop; or what is around everything. `inside` holds scopes and ids of boxes.

    What is below `inside` is found out when a graph is folded: see `folding`.
    """

    kind: str = ""
    about: Any = None  # the module that was called, a function's code, or code and loop
    parent: Scope | None = None
    inside: list[Any] = field(default_factory=list)
    number: int = 1  # which call or round it is, or with which a stretch begins,
    total: int = 1  # of how many, or how many are in a stretch
    rounds: int = 0  # of the loop that it is, or that is all there is in it
    loop: Scope | None = None  # that loop
    title: str = ""  # of what has no name of its own
    word: str = ""  # what is counted in a stretch

    def outwards(self) -> Iterator[Scope]:
        """It and all around it."""
        at: Scope | None = self
        while at is not None:
            yield at
            at = at.parent


class Calls:
    """The tree of scopes, while nodes are put into it one by one."""

    def __init__(self) -> None:
        self.whole = Scope()
        self._way: Sequence[Place] = ()
        self._opened: list[list[Scope]] = []  # for each place of the way: its call, and its loops with their rounds

    def add(self, box: Any, way: Sequence[Place]) -> Scope:
        """The next node and its way, the outermost place first. Returns the scope in which it lies."""
        level, scopes = self._still_under_way(way)
        del self._opened[level:]
        for place in range(level, len(way)):
            self._opened.append(list(scopes))
            self._open(way, place)
            scopes = []
        self._way = _with_numbers(way, self._way[:level])
        scope = self._innermost(len(way))
        scope.inside.append(box)
        return scope

    def _still_under_way(self, way: Sequence[Place]) -> tuple[int, list[Scope]]:
        """How many places of the last way are still as they were, and which scopes of the next place."""
        last, same = self._way, 0
        if way is last:  # one call of PyTorch's may have made several nodes
            return len(way), []
        while same < min(len(last), len(way)) and last[same][1] == way[same][1] and _is_one_call(last[same], way[same]):
            same += 1
        if same < min(len(last), len(way)) and _is_one_call(last[same], way[same]):  # it has gone on
            (code, now, _), before = way[same], last[same][1]
            around, scopes, again = loops_around(code, before, now), self._opened[same], not goes_on(code, before, now)
            if around or not again:
                return same, scopes[: _calls_in(scopes) + 2 * len(around) - again]
        if same == len(way) == len(last) and (not way or way[-1][1] == NO_PLACE):
            return same, []
        if (found := self._again(way, same)) is not None:
            return found
        # A function that no loop is around was called anew, and so was the module whose forward it is.
        is_forward = 0 < same < min(len(way), len(last)) and way[same - 1][1] == NO_PLACE
        return same - (is_forward and way[same][0] == last[same][0]), []

    def _again(self, way: Sequence[Place], level: int) -> tuple[int, list[Scope]] | None:
        """The nearest loop, going outwards, that explains why the places before `level` are met again."""
        for outer in range(level - 1, -1, -1):
            code, instruction, _ = way[outer]
            if instruction == NO_PLACE:
                continue
            if is_learners(code) and _calls_back(code, instruction):
                return outer + 1, []
            if around := loops_around(code, instruction):
                scopes = self._opened[outer]
                return outer, scopes[: _calls_in(scopes) + 2 * len(around) - 1]
        return None

    def _open(self, way: Sequence[Place], level: int) -> None:
        """Open the scopes of a place that are not open yet."""
        code, instruction, _ = way[level]
        scopes = self._opened[level]
        if instruction == NO_PLACE:
            self._add_scope(level, MODULE, code)
            return
        is_forward = level > 0 and way[level - 1][1] == NO_PLACE
        if not scopes and level and not is_forward and is_learners(code) and not code.co_name.startswith("<"):
            self._add_scope(level, FUNCTION, code)
        known = len(scopes) - _calls_in(scopes)
        for number, loop in enumerate(loops_around(code, instruction) if _shows_loops(code) else []):
            if known <= 2 * number:
                self._add_scope(level, LOOP, (code, loop))
            if known <= 2 * number + 1:
                self._add_scope(level, ROUND, (code, loop))

    def _add_scope(self, level: int, kind: str, about: Any) -> None:
        parent = self._innermost(level + 1)
        scope = Scope(kind, about, parent)
        parent.inside.append(scope)
        self._opened[level].append(scope)

    def _innermost(self, level: int) -> Scope:
        """The innermost scope that the places before `level` have opened."""
        return next((scopes[-1] for scopes in reversed(self._opened[:level]) if scopes), self.whole)


def executions(ways: Mapping[Any, Sequence[Place]]) -> dict[Any, Scope]:
    """Node -> the call or round in which its line of the learner's code ran; `ways` stand in the order of making."""
    calls = Calls()
    found = {}
    for node, way in ways.items():
        scope = calls.add(node, way)
        while scope.parent and not (scope.kind == FUNCTION or (scope.kind == ROUND and is_learners(scope.about[0]))):
            scope = scope.parent
        found[node] = scope
    return found


def _is_one_call(one: Place, other: Place) -> bool:
    """Whether two places may be in the same call. A network's own code has a number only where a learner's code lies
    further in: 0 may be any.
    """
    return one[0] == other[0] and (one[2] == other[2] or not one[2] or not other[2])


def _with_numbers(way: Sequence[Place], before: Sequence[Place]) -> Sequence[Place]:
    """A way, with the numbers that its calls had in the way before."""
    if not any(old[2] and not new[2] for old, new in zip(before, way, strict=False)):
        return way
    known = itertools.chain((old[2] for old in before), itertools.repeat(0))
    return tuple((*place[:2], place[2] or number) for place, number in zip(way, known, strict=False))


def _calls_in(scopes: list[Scope]) -> int:
    """1 if the scopes of a place begin with a call, else 0: the others are loops, each with its round."""
    return int(bool(scopes) and scopes[0].kind in (MODULE, FUNCTION))


def way_of(making: Making) -> tuple[Place, ...]:
    """Where a node was made: the calls that were under way, without the machinery of ops and of the engine."""
    calls: list[Any] = []
    above: Any = making.way
    while above is not None:
        more, above = above
        calls += more
    every = [*zip(calls[::3], calls[1::3], calls[2::3], strict=True)][::-1]
    places = [at for at in every if at[1] == NO_PLACE or at[0].co_name != "_first_call" or is_learners(at[0])]
    if making.graph > 1:  # a rule of the engine's: who asked for the backward
        files = [code.co_filename if instruction != NO_PLACE else "" for code, instruction, _ in places]
        places = places[: files.index(ENGINE)] if ENGINE in files else places
    return tuple(places)


@functools.lru_cache(maxsize=1024)
def _is_learners_file(file: str) -> bool:
    return not (file.startswith((*OWN, *LIBRARIES)) or INSTALLED.search(file)) or "ipykernel" in file


def is_learners(code: CodeType) -> bool:
    """False for the code of minigrad, of Python and of libraries."""
    return _is_learners_file(code.co_filename)


def _shows_loops(code: CodeType) -> bool:
    """Whether the loops of a function are a learner's, or those of a network, such as a recurrent one."""
    return is_learners(code) or NETWORKS in code.co_filename


@functools.lru_cache(maxsize=1024)
def _calls_back(code: CodeType, instruction: int) -> bool:
    """Whether a piece of code is a call of what calls functions again and again by itself, such as `sum`."""
    span = span_at(code, instruction)
    return span is not None and CALLS_BACK.match(source_text(span)) is not None

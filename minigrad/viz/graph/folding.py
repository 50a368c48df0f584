"""Which parts of a graph close to one box, so that at first a picture shows few of them and each part opens into few.

A tree of scopes (calls, loops, rounds: see `calls`) becomes a tree of parts. A scope that holds one thing is that
thing. A part with too many things is divided: calls of one function beside each other become one part, then what one
statement has made, then stretches of what is in it, in the order in which it was made; what many of them use, such as
weights, becomes a part of its own.

Nothing here can make a circle: without leaves and constants every part is an unbroken stretch of an order in which
nodes stand behind their inputs; and leaves and constants, which lie with their uses or among themselves, have no
inputs.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.calls import (
    FUNCTION,
    INPUTS,
    LOOP,
    MODULE,
    RECORDED,
    REPEATED,
    ROUND,
    STATEMENT,
    STRETCH,
    Calls,
    Scope,
    is_learners,
)
from minigrad.viz.graph.naming import op_word
from minigrad.viz.graph.titles import AGAIN, REPEAT, Titles

MOST_PARTS = 14  # results and parts in a part; beyond that it is divided
MOST_WITH_INPUTS = 18  # those and leaves and constants
PARTS = 12  # into so many at most
MOST_IN_STATEMENT = 0.9  # of the things in a part: dividing it by statements would leave it as it is
SEVERAL, MANY_CALLS = 2, 4  # calls beside each other that become one part, where there is much else or not


def scopes_of(graph: Snapshot) -> Scope:
    """The scopes of a graph's nodes, with leaves and constants in the innermost that holds all their uses.

    What a recorded backward has made is a scope of its own, in the call and the round that asked for the gradient.
    """
    calls = Calls()
    whole = calls.whole
    results = [box for box in graph.boxes if box.kind == "result"]
    for number, boxes in itertools.groupby(results, lambda box: graph.backwards.get(box.id, 0)):
        if not number:
            for box in boxes:
                calls.add(box.id, graph.ways.get(box.id, ()))
            continue
        made = list(boxes)
        sheet = Scope(RECORDED, inside=[box.id for box in made], number=max(box.graph for box in made))
        sheet.parent = calls.add(sheet, graph.ways.get(made[0].id, ()))
    home = {item: scope for scope in parts_of(whole) for item in scope.inside if isinstance(item, str)}
    for key, users in uses_of_inputs(graph).items():
        around = shared_start([[*home[user].outwards()][::-1] for user in users])
        (around[-1] if around else whole).inside.append(key)
    sort(whole, graph)
    return whole


def without_calls(whole: Scope) -> None:
    """Only calls of modules and graphs of gradients stay parts, as a small graph is shown."""
    for scope in reversed(list(parts_of(whole))):
        scope.inside = [
            item
            for child in scope.inside
            for item in ([child] if isinstance(child, str) or child.kind in (MODULE, RECORDED) else child.inside)
        ]
        adopt(scope)
        _number_calls(scope)


def fold(whole: Scope, titles: Titles, graph: Snapshot) -> None:
    """Take out what holds one thing only, and divide what holds too many."""
    for scope in reversed(list(parts_of(whole))):
        rounds = [child for child in scope.inside if isinstance(child, Scope) and child.kind == ROUND]
        for number, child in enumerate(rounds, 1):
            child.number, child.total = number, len(rounds)
        scope.rounds = len(rounds)
        scope.inside = [item for child in scope.inside for item in _instead_of(child)]
        if scope.kind in (MODULE, FUNCTION) and len(scope.inside) == 1 and isinstance(scope.inside[0], Scope):
            (only,) = scope.inside
            if only.kind in (LOOP, FUNCTION)[: 1 + (scope.kind == MODULE)]:
                scope.inside, scope.rounds, scope.loop = only.inside, only.rounds, only.loop or only
        adopt(scope)
        _number_calls(scope)
    while len(whole.inside) == 1 and getattr(whole.inside[0], "kind", "") == FUNCTION and not whole.inside[0].loop:
        whole.inside = whole.inside[0].inside
        adopt(whole)
    inputs = uses_of_inputs(graph)
    for scope in parts_of(whole):
        if scope.rounds:
            scope.title = titles.loop_title(scope, [item for item in scope.inside if item not in inputs])
    _Division(whole, titles, graph).run()


def _instead_of(child: Any) -> list[Any]:
    """What stands for a thing: for what holds one thing, and for the only round of a loop, what is in it."""
    if isinstance(child, str):
        return [child]
    if child.kind == FUNCTION and _calls_itself(child):
        return child.inside
    if child.kind == LOOP and not is_learners(child.about[0]) and not any(map(_calls_modules, child.inside)):
        inside = [item for one in child.inside for item in (one.inside if isinstance(one, Scope) else [one])]
        if len(inside) <= MOST_PARTS:  # a detail of the library's, of which the learner's code says nothing
            return inside
    if child.kind == LOOP and child.rounds == 1 and len(child.inside) == 1:
        (only,) = child.inside
        return only.inside if isinstance(only, Scope) and only.kind == ROUND else [only]
    return child.inside if len(child.inside) <= 1 else [child]


def _calls_modules(round_: Any) -> bool:
    """Whether a round of a loop calls a module."""
    return isinstance(round_, Scope) and any(isinstance(item, Scope) for item in round_.inside)


def _calls_itself(scope: Scope) -> bool:
    """Whether it is the only call of the function that it lies in, which goes one step further down."""
    outer = scope.parent or Scope()
    alike = [item for item in outer.inside if isinstance(item, Scope) and item.about is scope.about]
    return outer.kind == FUNCTION and outer.about is scope.about and len(alike) == 1


def _number_calls(scope: Scope) -> None:
    """Of several calls of one module or function in a scope, which each is."""
    calls = [child for child in scope.inside if isinstance(child, Scope) and child.kind in (MODULE, FUNCTION)]
    total = Counter(id(call.about) for call in calls)
    before = Counter[int]()
    for call in calls:
        before[id(call.about)] += 1
        call.number, call.total = before[id(call.about)], total[id(call.about)]


class _Division:
    """Divides the parts of a tree that hold too much, from the outside to the inside."""

    def __init__(self, whole: Scope, titles: Titles, graph: Snapshot) -> None:
        self.whole = whole
        self.titles = titles
        self.graph = graph
        self.uses = uses_of_inputs(graph)
        self.home = {item: scope for scope in parts_of(whole) for item in scope.inside if isinstance(item, str)}

    def run(self) -> None:
        parts = [self.whole]
        for scope in parts:  # which grows while we walk it
            self._divide(scope)
            parts += [item for item in scope.inside if isinstance(item, Scope)]

    def _divide(self, scope: Scope) -> None:
        in_inputs = INPUTS in (scope.kind, scope.word)
        inputs = [item for item in scope.inside if item in self.uses and not in_inputs]
        others = [item for item in scope.inside if in_inputs or item not in self.uses]
        if self.titles.callee_of_all(others) is None:
            is_much = len(others) > MOST_PARTS or len(scope.inside) > MOST_WITH_INPUTS
            others = self._with_repeated_joined(others, SEVERAL if is_much else MANY_CALLS)
        for join in (self._with_statements_joined, self._with_pattern_joined):
            if len(others) > MOST_PARTS and not (scope.word or scope.rounds or in_inputs):
                others = join(scope, others)
        if len(others) > MOST_PARTS or (len(inputs) + len(others) > MOST_WITH_INPUTS and len(others) > PARTS // 2):
            others = self._stretches(scope, others)
        scope.inside = others
        self._take_in(scope)
        for key in inputs:
            self._home_of(key, scope).inside.append(key)
        if not in_inputs:
            self._put_inputs_apart(scope)
        self._take_in(scope)
        sort(scope, self.graph)

    def _put_inputs_apart(self, scope: Scope) -> None:
        """One part of leaves and constants where there are too many, or where several go to the same parts: each edge
        of theirs would cross those of the others.
        """
        free = [item for item in scope.inside if item in self.uses]
        goes_to = {key: len({self._item_around(user, scope) for user in self.uses[key]}) for key in free}
        if len(scope.inside) <= MOST_WITH_INPUTS or len(free) <= 2:
            free = [key for key in free if goes_to[key] > 1]
            if sum(goes_to[key] > 2 for key in free) < 3:
                return
        apart = Scope(INPUTS, None, scope, free, title=self.titles.inputs_title(free))
        scope.inside = [apart, *(item for item in scope.inside if item not in free)]

    def _with_repeated_joined(self, things: list[Any], least: int) -> list[Any]:
        """Where calls of one function or of like modules stand beside each other, one part instead of them; if there is
        room for them, only of calls of one module.
        """
        found: list[Any] = []
        for called, beside in itertools.groupby(things, lambda thing: self.titles.callee_of_all([thing])):
            calls = list(beside)
            is_several = called is not None and len(calls) >= least and (least == SEVERAL or isinstance(called, int))
            found += [Scope(REPEATED, None, None, calls, title=self.titles.calls_title(calls))] if is_several else calls
        return found

    def _with_statements_joined(self, scope: Scope, things: list[Any]) -> list[Any]:
        """What one statement has made as one part. Where no line is known, a result with a name ends a statement."""
        pieces: list[list[Any]] = []
        statements: list[Any] = []
        last: Any = None
        ends = True
        for thing, statement in zip(things, self.titles.statements_of(things), strict=True):
            if statement != last or ends or isinstance(thing, Scope):
                pieces.append([])
                statements.append(statement)
            pieces[-1].append(thing)
            last, ends = statement, isinstance(thing, Scope) or (statement is None and self.titles.is_named(thing))
        if max(map(len, pieces)) > MOST_IN_STATEMENT * len(things):  # as where a function calls itself
            return things
        parts = [piece[0] if len(piece) == 1 else Scope(STATEMENT, None, None, piece) for piece in pieces]
        made = [(part, said) for part, piece, said in zip(parts, pieces, statements, strict=True) if len(piece) > 1]
        for part, statement in made:
            part.title = self.titles.statement_title(part.inside, statement, scope)
        number_titles([part for part, _ in made])
        return parts

    def _with_pattern_joined(self, scope: Scope, things: list[Any]) -> list[Any]:
        """Where the same ops come again and again, as in a loop whose code is not known, one part for each time."""
        found = pattern_in([self._sort_of(thing) for thing in things])
        if found is None:
            return things
        start, size, count = found
        pieces = [things[place : place + size] for place in range(start, start + size * count, size)]
        title = self.titles.name_of_things(pieces[-1]) or REPEAT
        parts = [Scope(STRETCH, None, None, one, title=f"{title}, {k} of {count}") for k, one in enumerate(pieces, 1)]
        if count * size == len(things):
            scope.word = AGAIN
            return parts
        again = Scope(REPEATED, None, None, parts, title=f"{title} ×{count}", word=AGAIN)
        return [*things[:start], again, *things[start + size * count :]]

    def _sort_of(self, thing: Any) -> str:
        return self.titles.of(thing) if isinstance(thing, Scope) else op_word(self.graph.by_id[thing].op)

    def _stretches(self, scope: Scope, things: list[Any]) -> list[Any]:
        """Things in parts of about the same size, each an unbroken stretch."""
        levels = next(levels for levels in itertools.count(2) if PARTS**levels >= len(things))
        count = max(2, round(len(things) ** (1 / levels)))
        ends = [number * len(things) // count for number in range(count + 1)]
        word = scope.word or (INPUTS if scope.kind == INPUTS else "")
        if not word and self.titles.callee_of_all(things) is not None:
            word = "calls"
        elif not word and scope.rounds == len(things):
            word = self.titles.round_word(scope) + "s"
        stretches = []
        for start, stop in itertools.pairwise(ends):
            stretch = Scope(STRETCH, None, scope, things[start:stop], word=word)
            stretch.number = start + (scope.number if scope.kind == STRETCH else 1)
            stretch.title = self.titles.stretch_title(stretch, scope)
            stretches.append(stretch)
        number_titles(stretches)
        return stretches

    def _home_of(self, key: str, scope: Scope) -> Scope:
        """The innermost part in `scope` that holds all uses of a leaf or constant."""
        while (nearest := self._nearest(scope, key)) is not scope:
            scope = nearest
        return scope

    def _nearest(self, scope: Scope, key: str) -> Scope:
        """Of a part and the parts in it, the one in which a leaf or constant lies directly: with all its uses."""
        inside = {self._item_around(user, scope) for user in self.uses[key]}
        only = inside.pop()
        return scope if inside or isinstance(only, str) else only

    def _item_around(self, box: str, scope: Scope) -> Any:
        """What of a scope a box in it lies in: itself or a part."""
        inside = itertools.takewhile(lambda at: at is not scope, self.home[box].outwards())
        return [box, *inside][-1]

    def _take_in(self, scope: Scope) -> None:
        """Note where the things in a part lie now."""
        for part in parts_of(scope):
            adopt(part)
            self.home |= {item: part for item in part.inside if isinstance(item, str)}


def number_titles(parts: Sequence[Scope]) -> None:
    """Of several parts beside each other with one title, which each is."""
    total, before = Counter(part.title for part in parts), Counter[str]()
    for part in parts:
        before[part.title] += 1
        if total[part.title] > 1:
            part.title = f"{part.title}, {before[part.title]} of {total[part.title]}"


def pattern_in(words: Sequence[str]) -> tuple[int, int, int] | None:
    """Where the same few words, not all alike, come at least three times behind each other: the first, how many they
    are, and how often.
    """
    best: tuple[int, int, int] | None = None
    for size in range(2, MOST_PARTS + 1):
        same = 0
        for place in range(len(words) - size):
            same = same + 1 if words[place] == words[place + size] else 0
            count = same // size + 1
            is_longer = best is None or count * size > best[1] * best[2]
            if count >= 3 and is_longer and len(set(words[place : place + size])) > 1:
                best = place - same + 1, size, count
    return best


def parts_of(whole: Scope) -> Iterable[Scope]:
    """A scope and all that are in it, outer ones first."""
    found = [whole]
    for scope in found:  # which grows while we walk it
        found += [item for item in scope.inside if isinstance(item, Scope)]
    return found


def adopt(scope: Scope) -> None:
    """What lies in a scope has it for a parent."""
    for item in scope.inside:
        if isinstance(item, Scope):
            item.parent = scope


def sort(whole: Scope, graph: Snapshot) -> None:
    """Put what lies in each scope into the order in which it was made."""
    first: dict[int, int] = {}

    def key(item: Any) -> int:
        return graph.order[item] if isinstance(item, str) else first[id(item)]

    for scope in reversed(list(parts_of(whole))):
        scope.inside.sort(key=key)
        made = [item for item in scope.inside if isinstance(item, Scope) or graph.by_id[item].kind == "result"]
        first[id(scope)] = key((made or scope.inside)[0]) if scope.inside else 0


def uses_of_inputs(graph: Snapshot) -> dict[str, list[str]]:
    """The leaves and constants, each with the boxes that use it."""
    uses: dict[str, list[str]] = {box.id: [] for box in graph.boxes if box.kind != "result"}
    for edge in graph.edges:
        if edge.source in uses:
            uses[edge.source].append(edge.target)
    return uses


def shared_start(ways: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """What all of some ways from the outside to the inside begin with."""
    levels = itertools.takewhile(lambda level: all(one is level[0] for one in level), zip(*ways, strict=False))
    return tuple(level[0] for level in levels)

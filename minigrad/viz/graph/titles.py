"""What the parts of a folded graph are called, as a reader of the code would say it.

A module has its path in the module around it, or its variable's name; a function its own name; a loop its first line;
a statement the variable that it assigns, and a stretch of statements the first and the last: `q … scores`. Of several
calls each says which it is, and several parts in one say how many.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from minigrad.viz.graph.boxes import GENERATIONS, Snapshot
from minigrad.viz.graph.calls import FUNCTION, INPUTS, LOOP, MODULE, RECORDED, ROUND, STRETCH, Place, Scope, is_learners
from minigrad.viz.graph.loops import head_of
from minigrad.viz.graph.naming import SUBSCRIPTS
from minigrad.viz.graph.statements import Statement, assigned_by, statements_around

STATEMENTS = "statements"
REPEAT, AGAIN = "repeat", "repeats"  # where only the ops tell that something is repeated
ONLY_NUMBER = re.compile(r"[tg]\d+")  # the name of what no line gives one
CLOSED = 26  # letters of a title for which a closed part has room
OF_CLASS = re.compile(r"\.(__call__|forward|__init__)$")  # calls that a reader calls by the class's name
INDEXED = re.compile(r"(?:(.*)\.)?(\d+)")


class Titles:
    """The titles of the scopes of one graph.

    Args:
        names: the `id()` of a module -> the learner's name for it.
    """

    def __init__(self, graph: Snapshot, names: Mapping[int, str]) -> None:
        self.graph = graph
        self.names = names
        self._paths: dict[int, dict[int, str]] = {}  # of the modules inside an outer one

    def of(self, scope: Scope) -> str:
        """The title of a part."""
        if scope.kind in (MODULE, FUNCTION):
            name, number = self.callee_name(scope), f"{scope.number} of {scope.total}" if scope.total > 1 else ""
            if scope.kind == FUNCTION and scope.title:
                whole = f"{name} {number} · {scope.title}" if number else f"{name} · {scope.title}"
                if not number or len(whole) <= CLOSED:
                    return whole
            return f"{name}, call {number}" if number else name
        if scope.kind == ROUND:
            return f"{self.round_word(scope)} {scope.number} of {scope.total}"
        return GENERATIONS.get(scope.number, f"graph {scope.number}") if scope.kind == RECORDED else scope.title

    def kind(self, scope: Scope) -> str:
        """What kind of thing a part is, in a word or two."""
        if scope.kind == MODULE:
            return type(scope.about).__name__
        word = scope.word or (STATEMENTS if scope.kind == STRETCH else scope.kind)
        return LOOP if scope.rounds else word

    def loop_title(self, scope: Scope, things: Sequence[Any]) -> str:
        """What a loop is called whose rounds are some things: by what each round calls, else by its first line."""
        if len(things) == scope.rounds and self.callee_of_all(things) is not None:
            return self.calls_title(things)
        code, loop = (scope.loop or scope).about
        if not is_learners(code):
            return f"steps ×{scope.rounds}"
        return f"{head_of(code, loop) or 'loop'}: ×{scope.rounds}"

    def round_word(self, scope: Scope) -> str:
        """What one round of a loop is called."""
        code, _ = (scope.loop or scope).about
        return "iteration" if is_learners(code) else "step"

    def calls_title(self, calls: Sequence[Scope]) -> str:
        """Several calls of one function or of like modules: `cell ×30`, `layers[0…11]`."""
        names = list(dict.fromkeys(self.callee_name(call) for call in calls))
        if len(names) == 1:
            return f"{names[0]} ×{len(calls)}"
        outer, (prefix, _, first) = self._module_around(calls[0]), names[0].rpartition(".")
        prefix = prefix or (self.callee_name(outer) if outer is not None else "modules")
        several = f" ×{len(calls) // len(names)}" if len(calls) > len(names) else ""
        return f"{prefix}[{first}…{names[-1].rpartition('.')[2]}]{several}"

    def stretch_title(self, stretch: Scope, around: Scope) -> str:
        """A stretch of things in a part: by their numbers, where they are counted, else by the first and the last."""
        if stretch.word == INPUTS:
            return self.inputs_title(stretch.inside)
        if not stretch.word:
            return self.title_of_things(stretch.inside, around)
        numbers = f"{stretch.number}…{stretch.number + len(stretch.inside) - 1}"
        if stretch.word == AGAIN:
            what = stretch.inside[0].title.rpartition(",")[0]
            return f"{AGAIN if what == REPEAT else what + ','} {numbers}"
        if stretch.word == "calls" and len({self.callee_name(call) for call in stretch.inside}) > 1:
            return self.calls_title(stretch.inside)
        return f"{stretch.word} {numbers}"

    def statement_title(self, things: Sequence[Any], statement: Statement | None, around: Scope) -> str:
        """What a statement that has made some things in a part is called: by its variable, numbered as its box is."""
        several = "" if statement is None else assigned_by(statement)
        return several if "," in several else self.title_of_things(things, around)

    def title_of_things(self, things: Sequence[Any], around: Scope | None = None) -> str:
        """What some things are called, where nothing has a name how many nodes they are."""
        return self.name_of_things(things, around) or f"{sum(len(_things_in(thing, ())) for thing in things)} nodes"

    def name_of_things(self, things: Sequence[Any], around: Scope | None = None) -> str:
        """The first and the last variable that some things compute; where the code gives them no names, what is near
        that has one, such as the module `around` them; "" where nothing has.
        """
        names = list(dict.fromkeys(name for thing in things for name in self._names_of(thing)))
        numbered = {plain for name in names if (plain := name.rstrip(SUBSCRIPTS)) != name}
        names = [name for name in names if name not in numbered]  # of `h = …` what leads to h₂ is called h
        if len(names) > 1:
            return f"{names[0]} … {names[-1]}"
        return names[0] if names else self._name_nearby(things, around)

    def _names_of(self, thing: Any) -> list[str]:
        """What the code calls a thing: a call by its name, a result by its variable or that of its statement; of a part
        what lies in it.
        """
        names = []
        for at in _things_in(thing):
            if isinstance(at, Scope):
                names.append(self.callee_name(at))
            elif self.is_named(at):
                names.append(self.graph.by_id[at].name)
            else:
                around = statements_around(self._way(at))
                names += list(filter(None, map(assigned_by, reversed(around))))[:1]
        return names

    def _name_nearby(self, things: Sequence[Any], around: Scope | None) -> str:
        """Of things to which the code gives no name: the module whose parameters they use, a leaf that they use, the
        module that computes them, the variable that is computed next.
        """
        boxes = [box for thing in things for box in _things_in(thing, ())]
        used = dict.fromkeys(edge.source for box in boxes for edge in self.graph.into[box])
        inputs = [self.graph.by_id[key] for key in used if self.graph.by_id[key].kind == "leaf"]
        names = [box.name for box in inputs if not ONLY_NUMBER.fullmatch(box.name)]
        modules = list(dict.fromkeys(name.rpartition(".")[0] for name in names if "." in name))
        while around is not None and around.kind != MODULE:
            around = around.parent
        names += [self.callee_name(around)] if around is not None else []
        later = self.graph.boxes[self.graph.order[boxes[-1]] :] if boxes else ()
        after = [box.name for box in later if self.is_named(box.id)]
        return [*modules, *names, *after, ""][0]

    def statements_of(self, things: Sequence[Any]) -> list[Statement | None]:
        """In which statement each of some things was made, in the outermost function that has several of them."""
        around = [statements_around(self._way(next(iter(_things_in(thing, ())), ""))) for thing in things]
        found: list[Statement | None] = [None] * len(things)
        for depth in range(max(map(len, around), default=0)):
            found = [way[min(depth, len(way) - 1)] if way else None for way in around]
            if len(set(found)) > 1:
                break
        return found

    def _way(self, box: str) -> Sequence[Place]:
        """The calls around the line that made a box; of what a rule made, that of the node whose rule it is."""
        while box and self.graph.by_id[box].graph > 1 and self.graph.by_id[box].made_by:
            box = self.graph.by_id[box].made_by
        return self.graph.ways.get(box, ())

    def is_named(self, thing: Any) -> bool:
        """Whether a thing is a result that the code has a name for."""
        box = None if isinstance(thing, Scope) else self.graph.by_id[thing]
        return box is not None and box.kind == "result" and not ONLY_NUMBER.fullmatch(box.name)

    def inputs_title(self, things: Sequence[str]) -> str:
        """Leaves and constants: their names, where these are too many the first and the last, or their module."""
        names = [self.graph.by_id[thing].name for thing in things]
        if len(text := ", ".join(names)) <= CLOSED and not any(map(ONLY_NUMBER.fullmatch, names)):
            return text
        levels = zip(*(name.split(".")[:-1] for name in names), strict=False)
        around = ".".join(level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels))
        if around:
            return f"{around}: {len(things)} inputs"
        named = [name for name in names if not ONLY_NUMBER.fullmatch(name)]
        return f"{named[0]} … {named[-1]}" if len(named) > 1 else f"{len(things)} inputs"

    def callee_of_all(self, things: Sequence[Any]) -> Any:
        """What all of some things are calls of; None if there is no such one."""
        called = {self._callee(thing) for thing in things}
        return called.pop() if len(called) == 1 else None

    def _callee(self, thing: Any) -> Any:
        """What a call calls, the same for calls of one function and for like modules with numbers for names."""
        if not isinstance(thing, Scope) or thing.kind not in (MODULE, FUNCTION):
            return None
        if thing.kind == FUNCTION:
            return thing.about
        match = INDEXED.fullmatch(self.callee_name(thing))
        return id(thing.about) if match is None else (type(thing.about), match[1])

    def path(self, scope: Scope) -> str:
        """The names of the modules around a part, and its own, with points between them."""
        modules = [at for at in scope.outwards() if at.kind == MODULE]
        return ".".join([*map(self.callee_name, modules[:0:-1]), *map(self.of, modules[:1])])

    def callee_name(self, call: Scope) -> str:
        """The name of what a call calls."""
        if call.kind == FUNCTION:
            return OF_CLASS.sub("", str(call.about.co_qualname).rpartition("<locals>.")[2])
        outer, module = self._module_around(call), call.about
        inside = self._inside(outer.about).get(id(module), "") if outer is not None else ""
        return inside or self.names.get(id(module), "") or type(module).__name__

    def _module_around(self, scope: Scope) -> Scope | None:
        return next((at for at in scope.outwards() if at.kind == MODULE and at is not scope), None)

    def _inside(self, outer: Any) -> dict[int, str]:
        """The id of each module inside another one -> its path there."""
        if id(outer) not in self._paths:
            self._paths[id(outer)] = {id(module): path for path, module in reversed(list(outer.named_modules()))}
        return self._paths[id(outer)]


def _things_in(thing: Any, calls: tuple[str, ...] = (MODULE, FUNCTION)) -> list[Any]:
    """A box, or all that lie in a scope, in their order; a call stands for what is in it."""
    found, stack = [], [thing]
    while stack:
        at = stack.pop()
        if isinstance(at, Scope) and at.kind not in calls:
            stack += reversed(at.inside)
        else:
            found.append(at)
    return found

"""What the parts of a folded graph are called, as a reader of the code would say it.

A module has its path in the module around it, or its variable's name; a function its own name; a loop its first line.
Of several calls each says which it is, and several parts in one say how many.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from minigrad.viz.graph.boxes import GENERATIONS, Box, Snapshot
from minigrad.viz.graph.calls import FUNCTION, INPUTS, LOOP, MODULE, RECORDED, ROUND, RUN, Scope, is_learners
from minigrad.viz.graph.loops import head_of
from minigrad.viz.graph.naming import op_word

STRETCH = "stretch of the code"
ONLY_NUMBER = re.compile(r"[tg]\d+")  # the name of what no line gives one
CLOSED = 26  # letters of a title for which a closed part has room
OF_CLASS = re.compile(r"\.(__call__|forward|__init__)$")  # calls that a reader calls by the class's name
# What only shows the same numbers in another order or shape.
MOVES = {"view", "unsafe_view", "reshape", "t", "transpose", "permute", "unsqueeze", "squeeze", "select", "clone"}
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
        word = scope.word or (STRETCH if scope.kind == RUN else scope.kind)
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

    def run_title(self, run: Scope) -> str:
        """A run of things: by their numbers, where they are counted, else by the first and the last."""
        if run.word == INPUTS:
            return self.inputs_title(run.inside)
        if not run.word:
            return self.stretch_title(run.inside)
        if run.word == "calls" and len({self.callee_name(call) for call in run.inside}) > 1:
            return self.calls_title(run.inside)
        return f"{run.word} {run.number}…{run.number + len(run.inside) - 1}"

    def stretch_title(self, things: Sequence[Any]) -> str:
        """The first and the last of some things; of a few ops whose results have no names, which they are."""
        boxes = [self.graph.by_id[thing] for thing in things if isinstance(thing, str)]
        ops = Counter(word for box in boxes if box.kind == "result" and (word := op_word(box.op)) not in MOVES)
        if len(boxes) == len(things) and 0 < len(ops) < 3 and not any(map(_is_named, boxes)):
            return " · ".join(word if count == 1 else f"{word} ×{count}" for word, count in ops.items())
        first, last = (self._end(things[end], end) for end in (0, -1))
        return f"{first} … {last}"

    def inputs_title(self, things: Sequence[str]) -> str:
        """Leaves and constants: their names, or how many they are where that is too long, and of which module."""
        names = [self.graph.by_id[thing].name for thing in things]
        if len(text := ", ".join(names)) <= CLOSED and not any(map(ONLY_NUMBER.fullmatch, names)):
            return text
        levels = zip(*(name.split(".")[:-1] for name in names), strict=False)
        around = ".".join(level[0] for level in itertools.takewhile(lambda level: len(set(level)) == 1, levels))
        return f"{around}: {len(things)} inputs" if around else f"{len(things)} inputs"

    def _end(self, thing: Any, end: int) -> str:
        while isinstance(thing, Scope):
            if thing.kind in (MODULE, FUNCTION):
                return self.callee_name(thing)
            thing = thing.inside[end]
        box = self.graph.by_id[thing]
        return box.name if box.kind != "result" or _is_named(box) else op_word(box.op)

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


def _is_named(box: Box) -> bool:
    return box.kind == "result" and not ONLY_NUMBER.fullmatch(box.name)

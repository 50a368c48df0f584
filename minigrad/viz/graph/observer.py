"""Where in the learner's code each node was made, and what came out.

So a picture can light up the line that made a node, long after that line ran. Importing `minigrad.viz` installs
`observe` as the engine's observer of new nodes; it writes an `ObservedMaking` into each new node: code object and
instruction of the first frame outside minigrad, the modules whose calls are under way, the result's shape, dtype and,
if small, values, the operands that need no gradient, the op's other arguments (`dim` and the like), and whether a
backward made the node (create_graph). That is little enough to do for every op of a training loop. What it means (which
line, which columns, which text) is worked out only when a picture asks: `span_of`, `source_line`.
"""

from __future__ import annotations

import ast
import dis
import functools
import itertools
import linecache
import os
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType, FrameType, MappingProxyType
from typing import Any

import numpy as np

import minigrad
from minigrad.autograd import engine
from minigrad.autograd.blame import is_ours
from minigrad.autograd.modes import thread
from minigrad.dtypes import dtype as DType
from minigrad.nn.modules.module import Module
from minigrad.tensor_base import TensorBase

CALL = Module.__call__.__code__
OWN = (os.path.dirname(minigrad.__file__) + os.sep, "<minigrad op ")
ENGINE = engine.steps.__code__.co_filename
JUMPS = {*dis.hasjrel, *dis.hasjabs}
RESUMABLE = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
MANY_CODES = 5000  # functions that were looked at, beyond which all are looked at anew: a cell run again makes new ones
BUSY_FROM = 6  # operations and calls in a function from which on its calls are remembered
KEPT = 64  # elements up to which a result is copied; larger results are looked up as long as something else keeps them
NO_PLACE = -1  # the instruction of a module's call, in which there is nothing to go back to

# Calls, the innermost first: of each its code, instruction and number, or a module, NO_PLACE and 0; and the way above
# these, which makings share, None where there is none.
CallPath = tuple[Sequence[Any], Any]
NOTHING: Mapping[int, Any] = MappingProxyType({})


class Making:
    """What is known of how a node was made: here nothing, which is what an engine answers that notes nothing."""

    __slots__ = ()
    code: CodeType | None = None  # of the learner's function whose line it was, and the instruction in it
    instruction = 0
    way: CallPath = ((), None)
    outputs: Sequence[Any] = ()  # the results, as a `Copy` or what has its attributes
    operands: Mapping[int, OperandCopy] = NOTHING  # by the slot at which a tensor entered that needs no gradient
    numbers: Mapping[int, Any] = NOTHING  # among the operands, as in x + 2
    given: Mapping[str, Any] | None = None  # the op's other arguments
    graph = 1  # 2 for the graph of a gradient, 3 for that of a gradient of a gradient ...
    parent: Making | None = None  # of the node whose rule this one is a part of
    rule_of = 0  # the number of that node; 0 where it is not known, and for sums that the engine makes
    call: Any = None  # what all nodes have in common that one call has made; None where each has its own

    @property
    def by_rule(self) -> bool:
        """Whether a backward that recorded itself made the node, and no line of the learner's."""
        return self.graph > 1


NOT_NOTED = Making()


class ObservedMaking(Making):
    """What is written down when a node of minigrad's is made."""

    __slots__ = ("code", "given", "graph", "instruction", "numbers", "operands", "outputs", "parent", "rule_of", "way")

    def __init__(
        self,
        code: CodeType | None,
        instruction: int,
        out: Any,
        inputs: Sequence[Any],
        way: CallPath,
        options: Any = None,
    ) -> None:
        self.code = code
        self.instruction = instruction
        self.way = way  # up to the learner's cell
        self.outputs = [Copy(array) for array in out] if isinstance(out, list) else [Copy(out)]
        self.operands, self.numbers = NOTHING, NOTHING
        for slot, tensor in enumerate(inputs):
            if tensor._is_number:
                self.numbers = {**self.numbers, slot: tensor}
            elif tensor._node is None:
                self.operands = {**self.operands, slot: OperandCopy(tensor)}
        if options and not PLAIN.issuperset(map(type, options.values())):
            options = {name: _note_of(value) for name, value in options.items()}
        self.given = options
        self.graph, self.parent, self.rule_of = 1, None, 0


class Copy:
    """An array as it was: a copy if it is small, else the array itself as long as something else keeps it."""

    __slots__ = ("dtype", "numbers", "shape")

    def __init__(self, array: Any) -> None:
        self.shape: tuple[int, ...] = array.shape
        self.dtype = array.dtype
        self.numbers: Any = array  # a scalar of numpy's, which nobody can write to
        if isinstance(array, np.ndarray):
            self.numbers = array.tobytes() if array.size <= KEPT else weakref.ref(array)

    def value(self) -> Any:
        """The array, to be read; None where it is gone."""
        if isinstance(self.numbers, weakref.ref):
            return self.numbers()
        is_copy = isinstance(self.numbers, bytes)
        return np.ndarray(self.shape, self.dtype, self.numbers) if is_copy else np.asarray(self.numbers)


class OperandCopy(Copy):
    """A tensor that needs no gradient, as it entered an operation."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor._array)
        self.tensor = weakref.ref(tensor)
        self.version = None if tensor.is_inference() else tensor._version


def map_parts(value: Any, made: Callable[[Any], Any]) -> Any:
    """A sequence with something made of each part; a tuple with names, as a Geometry, keeps them."""
    parts = [made(part) for part in value]
    return value._make(parts) if hasattr(value, "_make") else parts if isinstance(value, list) else tuple(parts)


PLAIN = {bool, int, float, str, slice, type(None), type(Ellipsis), DType, type}
UNKNOWN: Any = object()  # stands for an argument of which no copy is made: the node may have it


def _note_of(value: Any) -> Any:
    """An argument as it was: what is plain, and sequences of that, as they are, copies of arrays and tensors."""
    kind = value.__class__
    if kind in PLAIN or isinstance(value, np.dtype):
        return value
    if isinstance(value, tuple | list):
        return map_parts(value, _note_of)
    if isinstance(value, np.ndarray | np.generic):
        return Copy(value)
    return UNKNOWN if not isinstance(value, TensorBase) else value if value._is_number else OperandCopy(value)


def observe(node: Any, out: Any, inputs: Sequence[Any] = (), options: Any = None) -> None:
    """Of a new node, note in `node._making` the learner's instruction, the calls, the result, the operands and the
    other arguments.

    The walk ends at the learner's cell or file, or at a call that an earlier walk has met: what is around that has
    stood still since.
    """
    frame: FrameType | None = sys._getframe(1)
    way: list[Any] = []
    in_backward = thread.evaluating is not None
    while frame is not None and (code := frame.f_code).co_filename.startswith(OWN):
        if code is CALL:
            way += (frame.f_locals["self"], NO_PLACE, 0)
        else:
            way += (code, frame.f_lasti, 0)
            in_backward = in_backward or code.co_filename == ENGINE
        frame = frame.f_back
    made, instruction = (None, 0) if frame is None else (frame.f_code, frame.f_lasti)
    above: CallPath | None = None
    # Calls, outer first; whether what is around stays; the way's length.
    first_met: list[tuple[FrameType, bool, int]] = []
    while frame is not None:
        code = frame.f_code
        kind = _kinds.get(id(code)) or _kind_of(code)
        if kind is ONCE:
            way += (code, frame.f_lasti, 0)
        elif kind is CALLED:
            way += (frame.f_locals["self"], NO_PLACE, 0)
        elif kind is OUTERMOST:
            way += (code, frame.f_lasti, 0)
            break
        else:
            noted: Any = frame.f_trace
            number = 0
            if noted is None:
                number = 0 if kind is BUSY else next(_numbers)
                first_met.insert(0, (frame, kind is not RESUMED, len(way) + 3))
            elif getattr(noted, "func", None) is _still_called:
                number, above = noted.args
            way += (code, frame.f_lasti, number)
            if above is not None:
                break
        frame = frame.f_back
    for call, stays, length in first_met:
        above = way[length:], above
        del way[length:]
        call.f_trace = functools.partial(_still_called, way[-1], above if stays else None)
    making = ObservedMaking(made, instruction, out, inputs, (way, above), options)
    if in_backward:  # a rule of a recorded backward, or a sum that the engine made
        making.parent = getattr(thread.evaluating, "_making", None)
        making.graph = 2 if making.parent is None else making.parent.graph + 1
        making.rule_of = 0 if making.parent is None else thread.evaluating._sequence
    node._making = making


Loop = range  # the instructions that a loop repeats, by their offsets


def has_jumps(code: CodeType) -> bool:
    """Whether code does more than run from its first instruction to its last: each line of a cell is a code by itself,
    and of most of thousands this is all that there is to know.
    """
    return not JUMPS.isdisjoint(code.co_code[::2])


@functools.lru_cache(maxsize=256)
def loops_of(code: CodeType) -> tuple[Loop, ...]:
    """The loops of a function, outer ones first; those inside functions that it defines are not its own."""
    ends: dict[int, int] = {}
    for instruction in dis.get_instructions(code) if has_jumps(code) else ():
        offset, target = instruction.offset, instruction.argval
        if instruction.opcode in JUMPS and target < offset and "NO_INTERRUPT" not in instruction.opname:
            ends[target] = max(offset, ends.get(target, 0))
    found: list[Loop] = []
    for first, last in sorted(ends.items(), key=lambda ends: (ends[0], -ends[1])):
        if found and found[-1].start < first < found[-1].stop <= last:
            found[-1] = Loop(found[-1].start, last + 1)  # a `continue` jumps to the test of a while, the end behind it
        else:
            found.append(Loop(first, last + 1))
    return tuple(found)


# What a function is to the walk:
ONCE, BUSY, REPEATED, RESUMED, CALLED, OUTERMOST = range(1, 7)
# ONCE        the walk meets a call of it once or seldom: it is noted each time
# BUSY        it does much, so the walk meets one call of it often: the way above it is remembered
# REPEATED    it has a loop, so one of its instructions makes several nodes: its calls are numbered
# RESUMED     the same in a generator or coroutine, which may go on below another caller: its way is not remembered
# CALLED      a module's call: the module is noted
# OUTERMOST   the learner's cell or file: here the walk ends
_kinds: dict[int, int] = {}  # by the id of a function's code
_known: list[CodeType] = []  # the codes themselves, so that the ids stay theirs
_numbers = itertools.count(1)


def _kind_of(code: CodeType) -> int:
    """Look at code that is met for the first time."""
    if len(_known) > MANY_CODES:
        _known.clear()
        _kinds.clear()
    _known.append(code)
    if code is CALL or code.co_name == "<module>":
        kind = CALLED if code is CALL else OUTERMOST
    else:
        can_be_resumed = code.co_flags & RESUMABLE
        operations = sum(step.opname.startswith(("BINARY_OP", "CALL")) for step in dis.get_instructions(code))
        kind = BUSY if operations >= BUSY_FROM and not can_be_resumed else ONCE
        if loops_of(code):
            kind = RESUMED if can_be_resumed else REPEATED
    _kinds[id(code)] = kind
    return kind


def _still_called(number: int, above: CallPath | None, *event: Any) -> None:
    """Holds, as its arguments, the number of a call and the way to it; it is put into the frame's `f_trace`.

    There it lives as long as the call. Frames can neither be kept nor referred to weakly, and a variable written into
    one would show in the learner's `locals()`. `f_trace` is where a debugger puts its function; ours stands there only
    if none does. A debugger that starts in the middle of a call calls it, which does nothing, and goes on by itself.
    """


def numbered_call(frame: FrameType) -> Any:
    """What holds a number that a call has alone, as `args[0]`, as long as it lasts; None where a debugger stands."""
    noted: Any = frame.f_trace
    if noted is None:
        noted = frame.f_trace = functools.partial(_still_called, next(_numbers), None)
    return noted if getattr(noted, "func", None) is _still_called else None


def learner_frame(frame: FrameType | None) -> FrameType | None:
    """The first frame, going outwards from `frame`, that is not minigrad's own code; None if there is none."""
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return frame


@dataclass(frozen=True)
class Span:
    """A piece of source: lines count from 1, columns from 0 in characters. `function` is "" at the top level of a cell
    or file, and where only the source is looked at, which is why the same piece may have it or not.
    """

    file: str
    first: int
    last: int
    start: int
    end: int
    function: str = field(default="", compare=False)

    def contains(self, other: Span) -> bool:
        """True if `other` is a proper part of this piece."""
        if self.file != other.file or self == other:
            return False
        starts = (self.first, self.start) <= (other.first, other.start)
        return starts and (other.last, other.end) <= (self.last, self.end)


def span_of(making: Making | None) -> Span | None:
    """The piece of source that a making points to; None where it points to none, or Python kept no positions."""
    return None if making is None or making.code is None else span_at(making.code, making.instruction)


def span_at(code: CodeType, instruction: int) -> Span | None:
    """The piece of source of an instruction."""
    places = itertools.islice(code.co_positions(), instruction // 2, None)
    first, last, start, end = next(places, (None, None, None, None))
    if first is None:
        return None
    function = "" if code.co_name == "<module>" else code.co_name
    if last is None or start is None or end is None:
        text = source_line(code.co_filename, first)
        return Span(code.co_filename, first, first, len(text) - len(text.lstrip()), len(text.rstrip()), function)
    start, end = characters(code.co_filename, first, start), characters(code.co_filename, last, end)
    return Span(code.co_filename, first, last, start, end, function)


def source_line(file: str, line: int) -> str:
    """One line of source without its end; "" where the source is not known."""
    return linecache.getline(file, line).rstrip("\n\r")


def source_text(span: Span) -> str:
    """The text of a span, its lines joined by newlines; "" where the source is not known."""
    lines = [source_line(span.file, number) for number in range(span.first, span.last + 1)]
    lines[-1] = lines[-1][: span.end]
    lines[0] = lines[0][span.start :]
    return "\n".join(lines)


def characters(file: str, line: int, byte: int) -> int:
    """Python counts columns in UTF-8 bytes; pictures count characters."""
    return len(source_line(file, line).encode("utf-8")[:byte].decode("utf-8", "ignore"))


def syntax_tree(file: str) -> ast.Module | None:
    """A source file or cell, parsed as it is now; None where it is no Python."""
    lines = linecache.getlines(file)
    known, tree = _trees.get(file, (None, None))
    if known is not lines:  # what is read anew is another list
        tree = _tree_of(tuple(lines))
        if len(_trees) >= MANY_FILES:
            _trees.clear()
        _trees[file] = lines, tree
    return tree


MANY_FILES = 64
_trees: dict[str, tuple[list[str], ast.Module | None]] = {}  # so that of a long file its lines need not be compared


@functools.lru_cache(maxsize=MANY_FILES)
def _tree_of(lines: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None

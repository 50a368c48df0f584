"""The loops of a function, and what a reader would call them.

Python's instructions tell where a loop begins and where it jumps back, so that "is this in a loop?" is answered by the
code that ran, also where its source is gone. Its source gives the words: `for t in range(25)`.
"""

from __future__ import annotations

import ast
import bisect
import dis
import functools
import itertools
from types import CodeType
from typing import Any

from minigrad.viz.graph.naming import beginning_in_words
from minigrad.viz.graph.observer import JUMPS, Loop, has_jumps, loops_of, syntax_tree

LONGEST = 40  # characters of a loop's head
ENDINGS = ("JUMP_FORWARD", "JUMP_BACKWARD", "RETURN", "RAISE", "RERAISE")  # what does not go on to the next instruction
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)


def loops_around(code: CodeType, *instructions: int) -> list[Loop]:
    """The loops that repeat all of some instructions, the outermost first."""
    least, most = min(instructions), max(instructions)
    return [loop for loop in loops_of(code) if least in loop and most in loop]


@functools.lru_cache(maxsize=4096)
def goes_on(code: CodeType, before: int, now: int) -> bool:
    """Whether one instruction can come after another without a loop's next round: so not in two arms of an `if`."""
    if now <= before:
        return False
    if not has_jumps(code) and not code.co_exceptiontable:
        return True
    after, handlers = _flow(code)
    offsets = list(after)  # a frame may stand at what follows its instruction: the place of a cache
    before, now = (offsets[max(bisect.bisect(offsets, place) - 1, 0)] for place in (before, now))
    left = [loop for loop in loops_around(code, before) if now not in loop]
    met = {before, *(loop.start for loop in left)}  # what ends a loop is where its next round would begin
    for offset, targets in after.items():  # jumps forward only, so that all is met in order
        if offset in met and offset != now:
            met.update(targets)
            met.update(target for start, end, target in handlers if start <= offset < end)
    return now in met


@functools.lru_cache(maxsize=256)
def _flow(code: CodeType) -> tuple[dict[int, list[int]], list[tuple[int, int, int]]]:
    """Where each instruction goes on but for jumps back, and which pieces of code have which handlers of exceptions."""
    bytecode = dis.Bytecode(code)
    instructions = list(bytecode)
    after: dict[int, list[int]] = {}
    for instruction, following in itertools.pairwise([*instructions, instructions[-1]]):
        targets = [instruction.argval] if instruction.opcode in JUMPS else []
        if not instruction.opname.startswith(ENDINGS):
            targets.append(following.offset)
        after[instruction.offset] = [target for target in targets if target > instruction.offset]
    entries: Any = bytecode
    return after, [(entry.start, entry.end, entry.target) for entry in entries.exception_entries]


@functools.lru_cache(maxsize=256)
def head_of(code: CodeType, loop: Loop) -> str:
    """A loop as it begins in the source, `for t in range(25)`; "" where the source is not known."""
    node = _statement_of(code, loop)
    if node is None:
        return ""
    if isinstance(node, COMPREHENSIONS):
        depth = sum(_statement_of(code, outer) is node for outer in loops_around(code, loop[0], loop[-1])) - 1
        node = node.generators[min(depth, len(node.generators) - 1)]
    if isinstance(node, ast.While):
        text = f"while {ast.unparse(node.test)}"
    else:
        text = f"for {ast.unparse(node.target).strip('()')} in {ast.unparse(node.iter)}"
    return text if len(text) <= LONGEST else beginning_in_words(text[: LONGEST - 1], text) + "…"


@functools.lru_cache(maxsize=256)
def _statement_of(code: CodeType, loop: Loop) -> Any:
    """The smallest `for`, `while` or comprehension that holds all the instructions of a loop."""
    within = list(code.co_positions())[loop.start // 2 : loop[-1] // 2 + 1]
    places: list[Any] = [place for place in within if None not in place]
    tree = syntax_tree(code.co_filename)
    if not places or tree is None:
        return None
    start, stop = min((line, column) for line, _, column, _ in places), max((last, end) for _, last, _, end in places)
    around: list[Any] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, LOOPS)
        and (node.lineno, node.col_offset) <= start
        and stop <= (node.end_lineno or 0, node.end_col_offset or 0)
    ]
    return max(around, key=lambda node: (node.lineno, node.col_offset), default=None)

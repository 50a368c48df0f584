"""Do the tests notice a broken line? Break lines one at a time, run the tests, list the breaks that nobody noticed.

    python tools/mutants.py minigrad/memory.py --count 20 -- python -m pytest -p no:xdist -x tests/engine/test_engine.py
    python tools/mutants.py minigrad/memory.py:70-75 -- ...        every break of these lines
    python tools/mutants.py minigrad/viz/static/*.mjs --count 20 -- node tests/js/all.mjs

A break (a mutant) turns a comparison, negates a condition, drops a statement, swaps two arguments and the like: what
a slip of the pen does. It is made in a copy of the working directory, never in the files themselves, and the command
after `--` runs in that copy. A command that fails has noticed; so has one that takes longer than `--limit`. What is
listed needs a test, a reason why no behaviour can tell, or no line.
"""

from __future__ import annotations

import argparse
import ast
import copy
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from script_breaks import breaks_of
from tqdm import tqdm

LINKED = "tests/js/node_modules"  # what is too large to be copied and never broken
SPARE = 5.0  # seconds that a run may take longer for what else the machine does
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".home", "node_modules", ".*_cache", ".hypothesis")
PAIRS = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)]
PAIRS += [(ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div)]
OTHER: dict[type, Any] = dict([*PAIRS, *((second, first) for first, second in PAIRS)])
DROPPED = (ast.Raise, ast.Continue, ast.Delete, ast.AugAssign)  # and calls and assignments to attributes and items
Breaks = Iterator[tuple[Any, str, str]]  # a node of the syntax tree, how it is broken, and the text in its place


class Mutant(NamedTuple):
    """One break of a file, and what the whole file is with it."""

    path: Path  # below the working directory
    line: int
    kind: str
    old: str
    new: str
    source: bytes

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {self.old[:90]}  ->  {self.new[:90]}"

    def is_program(self) -> bool:
        """Whether Python, or node, can still read it."""
        if self.path.suffix == ".mjs":
            with tempfile.NamedTemporaryFile(suffix=".mjs") as file:
                file.write(self.source)
                file.flush()
                return subprocess.run(["node", "--check", file.name], capture_output=True).returncode == 0
        try:
            return ast.parse(self.source) is not None
        except SyntaxError:
            return False


# ---------------------------------------------------------------- what can be broken


def mutants_of(name: str) -> list[Mutant]:
    """All breaks of a file, or of some of its lines (`a.py`, `a.py:3`, `a.py:3-7`), in the order of the lines."""
    path, _, lines = name.partition(":")
    first, _, last = lines.partition("-")
    if path.endswith(".mjs"):
        return _mutants_of_script(Path(path), range(int(first or 1), int(last or first or sys.maxsize) + 1))
    source = Path(path).read_bytes()
    tree, starts = ast.parse(source), [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]
    skipped = {id(inner) for node in ast.walk(tree) for part in _not_run(node) for inner in ast.walk(part)}
    found: dict[bytes, Mutant] = {}
    for node, kind, new in [*_breaks(tree), *_swapped_names(tree)]:
        if id(node) not in skipped and (not lines or int(first) <= node.lineno <= int(last or first)):
            start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            text = new if isinstance(node, ast.stmt) else f"({new})"
            broken = source[:start] + text.encode() + source[end:]
            if new != ast.unparse(node):
                found.setdefault(broken, Mutant(Path(path), node.lineno, kind, ast.unparse(node), new, broken))
    return sorted(found.values())


def _mutants_of_script(path: Path, lines: range) -> list[Mutant]:
    source = path.read_text(encoding="utf-8")
    found: dict[str, Mutant] = {}
    for start, end, kind, new in breaks_of(source):
        line, broken = source.count("\n", 0, start) + 1, source[:start] + new + source[end:]
        if line in lines and new != source[start:end]:
            old, told = source[start:end], new
            if len(old) < 6:  # a sign says little
                old, told = (text.splitlines()[line - 1].strip() for text in (source, broken))
            found.setdefault(broken, Mutant(path, line, kind, old, told, broken.encode()))
    return sorted(found.values())


def _not_run(node: ast.AST) -> list[ast.AST]:
    """What of a node is for readers and type checkers: formatted text, annotations."""
    parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        parts.append(node)
    return [part for part in parts if part is not None]


def _breaks(tree: ast.AST) -> Breaks:
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=operators):
                for place, operator in enumerate(operators):
                    turned = [*operators[:place], OTHER[type(operator)](), *operators[place + 1 :]]
                    yield node, "comparison turned", _text(node, "ops", turned)
            case ast.BoolOp() | ast.BinOp() | ast.AugAssign() if type(node.op) in OTHER:
                yield node, "operator swapped", _text(node, "op", OTHER[type(node.op)]())
            case ast.Constant(value=bool() | int() | float() as value):
                yield node, "constant changed", repr(not value if isinstance(value, bool) else value + 1)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                yield node, "sign dropped", ast.unparse(operand)
            case ast.Call(func=ast.Attribute(value=changed), args=[], keywords=[]):
                yield node, "call left out", ast.unparse(changed)
            case ast.Return(value=ast.AST()):
                yield node, "None returned", "return None"
            case ast.Call(args=arguments):
                for place in range(len(arguments) - 1):
                    swapped = [*arguments[:place], arguments[place + 1], arguments[place], *arguments[place + 2 :]]
                    yield node, "arguments swapped", _text(node, "args", swapped)
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.comprehension(ifs=[test]):
                yield test, "condition negated", f"not ({ast.unparse(test)})"
                yield test, "condition made False", "False"
                if not isinstance(node, ast.While):
                    yield test, "condition made True", "True"
            case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
                yield node, "statement dropped", "pass"
        if isinstance(node, DROPPED):
            yield node, "statement dropped", "pass"


def _swapped_names(tree: ast.AST) -> Breaks:
    """Each use of a function's variable, with another one of that function in its place."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            used = [inner for inner in ast.walk(function) if isinstance(inner, ast.Name)]
            own = {inner.arg for inner in ast.walk(function) if isinstance(inner, ast.arg)}
            names = sorted(own.union(name.id for name in used if isinstance(name.ctx, ast.Store)))
            for name in used:
                if isinstance(name.ctx, ast.Load) and name.id in names:
                    yield name, "name swapped", names[names.index(name.id) - 1]


def _text(node: Any, field: str, value: Any) -> str:
    """A node as text, with another value in one of its fields."""
    changed = copy.copy(node)
    setattr(changed, field, value)
    return ast.unparse(changed)


def chosen(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, spread over the files: one from each stretch of lines, each kind as likely as another."""
    generator, picked = random.Random(seed), []
    bounds = [len(mutants) * number // count for number in range(count + 1)]
    for stretch in (mutants[start:end] for start, end in itertools.pairwise(bounds) if start < end):
        kind = generator.choice(sorted({mutant.kind for mutant in stretch}))
        picked.append(generator.choice([mutant for mutant in stretch if mutant.kind == kind]))
    return picked


# ---------------------------------------------------------------- who notices


def unnoticed(mutants: list[Mutant], command: list[str], limit: float | None, progress: Any) -> list[Mutant]:
    """Those with which the command succeeds, all tried in one copy of the working directory."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        copied = shutil.copytree(Path.cwd(), Path(folder) / "copy", ignore=NOT_COPIED)
        if Path(LINKED).exists():
            (copied / LINKED).symlink_to(Path(LINKED).resolve())
        began = time.monotonic()
        if not _succeeds(command, copied, None):
            raise SystemExit("the command fails before anything is broken")
        limit = limit or 3 * (time.monotonic() - began) + SPARE
        for mutant in mutants:
            path = copied / mutant.path
            whole = path.read_bytes()
            _write_anew(path, mutant.source)
            if _succeeds(command, copied, limit):
                found.append(mutant)
                progress.write(f"unnoticed: {mutant}")
            _write_anew(path, whole)
            progress.update()
    return found


def _write_anew(path: Path, source: bytes) -> None:
    """Write a module, and drop what Python compiled of it, which it may take for the new one's within a second."""
    path.write_bytes(source)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _succeeds(command: list[str], folder: Path, limit: float | None) -> bool:
    paths = os.environ.get("PYTHONPATH", "").replace(str(Path.cwd()), str(folder))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": os.environ | {"PYTHONPATH": paths}}
    with subprocess.Popen(command, cwd=folder, start_new_session=True, **quiet) as process:
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
            return False


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="FILE, FILE:LINE or FILE:FIRST-LAST, below the working directory")
    parser.add_argument("--count", type=int, help="how many, chosen by chance; else all")
    parser.add_argument("--seed", type=int, default=0, help="of that choice")
    parser.add_argument("--kind", default="", help="only those whose kind has this in it, such as `dropped`")
    parser.add_argument("--jobs", type=int, default=1, help="how many to try at once")
    parser.add_argument("--limit", type=float, help="seconds for a run; else 5 more than three times an unbroken one")
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = parser.parse_args(arguments[:split]), arguments[split + 1 :]
    if not command:
        parser.error("the command that runs the tests comes after --")
    mutants = [mutant for name in options.files for mutant in mutants_of(name) if options.kind in mutant.kind]
    mutants = mutants if options.count is None else chosen(mutants, options.count, options.seed)
    mutants = [mutant for mutant in mutants if mutant.is_program()]
    shares = [mutants[number :: options.jobs] for number in range(options.jobs)]
    with ThreadPoolExecutor(options.jobs) as pool, tqdm(total=len(mutants)) as progress:
        tried = partial(unnoticed, command=command, limit=options.limit, progress=progress)
        survivors = sum(map(len, pool.map(tried, shares)))
    print(f"{survivors} of {len(mutants)} went unnoticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

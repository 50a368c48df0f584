"""The texts of a module's errors and warnings, read from its source: each as a template with … for what varies."""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

VARIES = "…"
MOST_FORMS = 16  # of one text: more than that, and only what it is made of last is looked at


class Said(NamedTuple):
    """One text that a line raises or warns of; `place` is the file and the line."""

    place: str
    text: str


def said_texts(paths: Iterable[Path], constants_of: Iterable[Path]) -> Iterator[Said]:
    """All that these files raise and warn of. Where a name stands for a part of the text, its values are looked for in
    the same function, and then among the constants of the other files.
    """
    constants: dict[str, list[ast.expr]] = {}
    for path in constants_of:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            _note(statement, constants)
    for path in paths:
        for scope in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(scope, ast.FunctionDef):
                yield from _said_in(scope, constants, path.as_posix())


def _said_in(scope: ast.FunctionDef, constants: dict[str, list[ast.expr]], file: str) -> Iterator[Said]:
    values: dict[str, list[ast.expr]] = {}
    for statement in ast.walk(scope):
        _note(statement, values)
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and call.args and _is_told(call.func):
            for text in _forms(call.args[0], {**constants, **values}, depth=0):
                yield Said(f"{file}:{call.lineno}", text)


def _is_told(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name.endswith("Error") or name == "warn"


def _note(statement: ast.AST, values: dict[str, list[ast.expr]]) -> None:
    """Note which expressions a name is given: `name = ...`, `name += ...` and `one, other = ..., ...`."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            pairs = [(target, statement.value)]
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                parts = [*target.elts, *statement.value.elts]
                if not any(isinstance(part, ast.Starred) for part in parts):  # a star stands for any number
                    pairs = list(zip(target.elts, statement.value.elts, strict=True))
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    values.setdefault(name.id, []).append(value)
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        before = values.get(statement.target.id, [])
        longer = [ast.BinOp(value, ast.Add(), statement.value) for value in before]
        values.setdefault(statement.target.id, []).extend(longer)


def _forms(node: ast.expr, values: dict[str, list[ast.expr]], depth: int) -> list[str]:
    """What an expression of texts can read as."""
    if isinstance(node, ast.Constant):
        return [str(node.value)] if isinstance(node.value, str) else [VARIES]
    parts: list[list[str]] = []
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            parts.append(_forms(inner, values, depth))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_forms(side, values, depth) for side in (node.left, node.right)]
    elif isinstance(node, ast.IfExp):
        return _forms(node.body, values, depth) + _forms(node.orelse, values, depth)
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
        templates = _forms(node.func.value, values, depth)  # type: ignore[attr-defined]
        return [re.sub(r"{\w*}", VARIES, template) for template in templates]
    elif isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if depth < 4 and name in values:
            return [form for value in values[name] for form in _forms(value, values, depth + 1)]
    if not parts:
        return [VARIES]
    forms = ["".join(choice) for choice in product(*parts)]
    return forms if len(forms) <= MOST_FORMS else ["".join(part[0] if len(part) == 1 else VARIES for part in parts)]

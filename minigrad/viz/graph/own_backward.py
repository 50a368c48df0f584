"""The formula of a Function's own backward, read from the learner's source.

Where a `backward` only takes out what it saved and returns an expression, that expression is the rule, and is written
like the rule of any other op. Where it does more, its code says more than a formula would.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.simplifying import ELEMENTWISE, Formula, Known, formula_of, simplify

Expressions = dict[str, ast.expr]


def formula_of_backward(
    source: str, slot: int, bound: Mapping[str, Any], names: Mapping[str, str], gave: Any
) -> Formula | None:
    """The formula for one input of a custom Function; None if its backward is no single expression.

    Args:
        source: the text of `backward(ctx, g)`.
        slot: which of its tensors the gradient is for.
        bound: the values of "g", "saved_tensors[0]", "ctx.power" and the like.
        names: the learner's names for some of these.
        gave: the gradient that it gave: a formula that comes to something else is not shown.
    """
    try:
        called: dict[str, str] = {}
        returned = _returned_expressions(source, called)
        if returned is None or slot >= len(returned):
            return None
        known = Known(bound)
        tree, _ = simplify(returned[slot], known)
        if not _is_arithmetic(tree):
            return None
        value = known.value(tree)
        if value is not None and not silent(np.allclose)(value, gave, 1e-3, 1e-6, equal_nan=True):
            return None
        return formula_of(returned[slot], bound, {**called, **names}, np.shape(gave))
    except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _returned_expressions(source: str, called: dict[str, str]) -> list[ast.expr] | None:
    """What a backward returns, said of `g` and of what it saved, which gets the names that it is `called` by there;
    None if it does more than that.
    """
    (function,) = ast.parse(source).body
    if not isinstance(function, ast.FunctionDef) or len(function.args.args) != 2 or function.args.vararg:
        return None
    ctx, g = (argument.arg for argument in function.args.args)
    meant: Expressions = {g: ast.Name("g", ast.Load())}
    for statement in function.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring
        if isinstance(statement, ast.Return) and statement.value is not None:
            value = _Meant(meant, ctx).visit(statement.value)
            return value.elts if isinstance(value, ast.Tuple) else [value]
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        target, value = statement.targets[0], _Meant(meant, ctx).visit(statement.value)
        if isinstance(target, ast.Name):
            meant[target.id] = value
        elif isinstance(target, ast.Tuple) and ast.unparse(value) == f"{ctx}.saved_tensors":
            for number, part in enumerate(target.elts):
                if not isinstance(part, ast.Name):
                    return None
                called[f"saved_tensors[{number}]"] = part.id
                meant[part.id] = ast.Name(f"saved_tensors[{number}]", ast.Load())
        else:
            return None
    return None


class _Meant(ast.NodeTransformer):
    """Puts in what a backward's own names stand for."""

    def __init__(self, meant: Expressions, ctx: str) -> None:
        self.meant = meant
        self.ctx = ctx

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.meant.get(node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id == self.ctx and node.attr != "saved_tensors":
            return ast.Name(f"ctx.{node.attr}", ast.Load())
        node.value = self.visit(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if ast.unparse(node.value) == f"{self.ctx}.saved_tensors" and isinstance(node.slice, ast.Constant):
            return ast.Name(f"saved_tensors[{node.slice.value!r}]", ast.Load())
        self.generic_visit(node)
        return node


def _is_arithmetic(tree: ast.expr) -> bool:
    """Whether a formula has only operators, numbers, names, and functions whose meaning is known."""
    allowed = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare, ast.Attribute)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not isinstance(node, allowed):
            return False
        if isinstance(node, ast.Attribute) and node.attr != "T":
            return False
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name) or node.func.id not in ELEMENTWISE):
            return False
    return True

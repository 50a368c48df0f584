"""An op's rule as the code that it is, and as the formula that a person would write.

So the stepper can write `g × other` and then `1 × 4`: the rule's own lambda is found in the source of the engine (or of
the learner, whose own ops and Functions are told in the same way), its expression taken apart, simplified by
simplifying.py and written by formula_text.py. Nothing here may stop a step: a rule whose source is not to be had is
described in words.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.viz.graph.observer import syntax_tree
from minigrad.viz.graph.simplifying import Formula, ShapeAlone, copy_tree, formula_of
from minigrad.viz.graph.values import WHOLE

GRADIENT = re.compile(r"(?<![\w.])g(?!\w)")  # what came to the node, as rules name it


@dataclass(frozen=True)
class Rule:
    """The rule of one input: as code, without what is the engine's business, and as a formula or in words."""

    parameter: str
    code: str
    formula: Formula


def explain(
    function: Callable[..., Any] | str | None,
    parameter: str,
    bound: Mapping[str, Any],
    names: Mapping[str, str],
    shape: tuple[int, ...] | None = None,
) -> Rule:
    """Write out a rule.

    Args:
        function: the rule, `lambda F, g, other: g * other`; or words, where there is only that to say.
        parameter: the input whose gradient it gives.
        bound: its parameters' values, "g" among them: small arrays, shapes (as `ShapeAlone`) of large ones, numbers,
            tuples.
        names: the learner's names for some of its parameters.
        shape: that of the gradient which it gave.
    """
    gradient = names.get("g", "g")
    if isinstance(function, str):
        words = GRADIENT.sub(gradient, function)
        return Rule(parameter, words, Formula(words, in_words=True))
    result, name = names.get("result", "the result"), names.get(parameter, parameter)
    unknown = Formula(f"{gradient} times the derivative of {result} with respect to {name}", in_words=True)
    expression = expression_of(function) if function is not None else None
    if expression is None:
        return Rule(parameter, f"the rule for {parameter}", unknown)
    code = ast.unparse(expression)
    try:
        code = GRADIENT.sub(gradient, _decided_code(expression, bound) or _plain_code(expression))
        return Rule(parameter, code, formula_of(expression, bound, names, shape))
    except Exception:  # whatever the rule's source looks like, its step goes on
        return Rule(parameter, code, unknown)


def _decided_code(expression: ast.expr, bound: Mapping[str, Any]) -> str:
    """The code of an expression that decides between two by what is bound; "" of one that decides nothing."""
    if not any(isinstance(node, ast.IfExp) for node in ast.walk(expression)):
        return ""
    return ast.unparse(_PlainRule(bound).visit(copy_tree(expression)))


@functools.lru_cache(maxsize=512)
def _plain_code(expression: ast.expr) -> str:
    """The code of one that decides nothing, which is the same at every step."""
    return ast.unparse(_PlainRule({}).visit(copy_tree(expression)))


def binding(value: Any) -> Any:
    """What a rule's text needs of a value: the value itself, or the shape of an array that is large or empty."""
    return ShapeAlone(value.shape) if isinstance(value, np.ndarray) and not 0 < value.size <= WHOLE else value


@functools.lru_cache(maxsize=512)
def expression_of(function: Callable[..., Any]) -> ast.expr | None:
    """The expression of a lambda or of a function with a single `return`, from its source file; the call of a longer
    function; None if neither can be found.
    """
    function = inspect.unwrap(function)  # of float16, whose rules compute in float32
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    file = inspect.getsourcefile(code) or code.co_filename
    tree = syntax_tree(file)
    if tree is None:
        return None
    wanted = list(inspect.signature(function).parameters)
    # Instructions that stand for nothing in the source have an empty place.
    starts = {(first, start) for first, last, start, end in code.co_positions() if (first, start) != (last, end)}
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            body: ast.expr | None = node.body
        elif isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            *before, last = node.body
            if isinstance(last, ast.Return) and all(isinstance(part, ast.Expr) for part in before):  # a docstring
                body = last.value
            else:
                body = ast.parse(f"{node.name}({', '.join(wanted)})", mode="eval").body
        else:
            continue
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if body is None or [argument.arg for argument in arguments] != wanted:
            continue
        inside = (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)
        if any(inside[0] <= (line or 0, column or 0) < inside[1] for line, column in starts):
            found.append(body)
    return found[0] if found else None


class _PlainRule(ast.NodeTransformer):
    """Takes out what is the engine's business: `F.cos(x)` becomes `cos(x)`, a transpose `x.T`, a decided `a if c else
    b` one of the two, and `x / 1`, which that may leave, `x`.
    """

    def __init__(self, bound: Mapping[str, Any]) -> None:
        self.bound = bound

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        known = {name: value for name, value in self.bound.items() if not isinstance(value, ShapeAlone)}
        try:
            test = compile(ast.Expression(node.test), "<rule>", "eval")  # our own source
            chosen = eval(test, {"__builtins__": {"all": all}}, known)
        except Exception:
            return self.generic_visit(node)
        return self.visit(node.body if chosen else node.orelse)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return node.left if ast.unparse(node).endswith(" / 1") else node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("F", "math"):
            node.func = ast.Name(node.func.attr, ast.Load())
        node.args = [argument for argument in node.args if not (isinstance(argument, ast.Name) and argument.id == "F")]
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in ("as_function_of", "of_one_function") and node.args:
            return node.args[0]
        if called == "matrix_transpose" and len(node.args) == 1:
            return ast.Attribute(node.args[0], "T", ast.Load())
        if called == "transpose" and len(node.args) == 3 and "ndim - 2" in ast.unparse(node.args[1]):
            return ast.Attribute(node.args[0], "mT", ast.Load())
        return node

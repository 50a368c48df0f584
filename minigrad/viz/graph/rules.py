"""An op's rule as the code that it is, and the same code with the numbers put in.

So the stepper can write `g * other` and then `1 * 4`: the rule's own lambda is found in the source of the engine, its
expression taken apart, and each name replaced: by the learner's name, by the number, or for large tensors by name and
shape. Nothing here may stop a step: a rule whose source is not to be had is described in words.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.viz.graph.records import syntax_tree
from minigrad.viz.graph.values import WHOLE, elements_text, number, shape_text

LONGEST = 160  # characters of a rule with numbers; a longer one says less than its plain text


@dataclass(frozen=True)
class Rule:
    """The rule of one input: as written, with the learner's names, and with numbers or shapes ("" where that says
    nothing more).
    """

    parameter: str
    source: str
    named: str
    numbers: str
    in_words: bool = False


def explain(
    function: Callable[..., Any] | str | None, parameter: str, bound: Mapping[str, Any], names: Mapping[str, str]
) -> Rule:
    """Write out a rule.

    Args:
        function: the rule, `lambda F, g, other: g * other`; or words, where there is only that to say.
        parameter: the input whose gradient it gives.
        bound: its parameters' values, "g" among them: small arrays, shapes (as `Sizes`) of large ones, numbers, tuples.
        names: the learner's names for some of its parameters.
    """
    if isinstance(function, str):
        return Rule(parameter, function, "", "", in_words=True)
    expression = expression_of(function) if function is not None else None
    if expression is None:
        return Rule(parameter, f"the rule for {parameter}", "", "")
    try:
        plain = _Plain(bound).visit(_copy(expression))
        source = ast.unparse(plain)
        named = ast.unparse(_Replace(lambda name: names.get(name) or name).visit(_copy(plain)))
        numbers = ast.unparse(_Numbers(bound).visit(_copy(plain)))
    except Exception:  # whatever the rule's source looks like, its step goes on
        return Rule(parameter, ast.unparse(expression), "", "")
    is_shape = isinstance(plain, ast.Name) and isinstance(bound.get(plain.id), Sizes)
    if len(numbers) > LONGEST or numbers == source or is_shape:
        numbers = ""
    return Rule(parameter, source, named, numbers)


@dataclass(frozen=True)
class Sizes:
    """Stands for a tensor that is too large to be written out."""

    shape: tuple[int, ...]


def binding(value: Any) -> Any:
    """What a rule's text needs of a value: the value itself, or the shape of an array that is not small."""
    is_large = isinstance(value, np.ndarray) and value.size > WHOLE
    return Sizes(value.shape) if is_large else value


@functools.lru_cache(maxsize=512)
def expression_of(function: Callable[..., Any]) -> ast.expr | None:
    """The expression of a lambda or of a function with a single `return`, from its source file; the call of a longer
    function; None if neither can be found.
    """
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


def _copy(expression: ast.AST) -> Any:
    return ast.parse(ast.unparse(expression), mode="eval").body


class _Plain(ast.NodeTransformer):
    """Takes out what is the engine's business: `F.cos(x)` becomes `cos(x)`, a transpose `x.T`, a decided `a if c else
    b` one of the two.
    """

    def __init__(self, bound: Mapping[str, Any]) -> None:
        self.bound = bound

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        known = {name: value for name, value in self.bound.items() if not isinstance(value, Sizes)}
        try:
            test = compile(ast.Expression(node.test), "<rule>", "eval")  # our own source
            chosen = eval(test, {"__builtins__": {}}, known)
        except Exception:
            return self.generic_visit(node)
        return self.visit(node.body if chosen else node.orelse)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("F", "math"):
            node.func = ast.Name(node.func.attr, ast.Load())
        node.args = [argument for argument in node.args if not (isinstance(argument, ast.Name) and argument.id == "F")]
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "matrix_transpose" and len(node.args) == 1:
            return ast.Attribute(node.args[0], "T", ast.Load())
        if called == "transpose" and len(node.args) == 3 and "ndim - 2" in ast.unparse(node.args[1]):
            return ast.Attribute(node.args[0], "mT", ast.Load())
        return node


class _Replace(ast.NodeTransformer):
    """Puts texts in the place of names: `text_of` a name is what stands for it."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self.text_of = text_of

    def visit_Name(self, node: ast.Name) -> Any:
        return ast.Name(self.text_of(node.id), ast.Load())

    def visit_Call(self, node: ast.Call) -> Any:
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if isinstance(node.func, ast.Attribute):
            node.func = self.visit(node.func)
        return node  # a function's name is not one of the rule's parameters

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        node.right = _in_parentheses(node.right)
        if isinstance(node.op, ast.Pow):
            node.left = _in_parentheses(node.left)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        node.operand = _in_parentheses(node.operand)
        return node


def _in_parentheses(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name) and node.id.startswith("-"):
        return ast.Name(f"({node.id})", ast.Load())
    return node


class _Numbers(_Replace):
    """Puts numbers in the place of names; name and shape for tensors that are large."""

    def __init__(self, bound: Mapping[str, Any]) -> None:
        super().__init__(self._text)
        self.bound = bound
        self.symbolic = any(isinstance(value, Sizes) for value in bound.values())

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        value = self.bound.get(name)
        if node.attr in ("T", "mT") and isinstance(value, Sizes | np.ndarray):
            kept = len(value.shape) - 2 if node.attr == "mT" else 0  # how many dimensions stay where they are
            turned = value.shape[:kept] + value.shape[kept:][::-1]
            return ast.Name(f"{name}.{node.attr}{shape_text(turned)}", ast.Load())
        return self.generic_visit(node)

    def _text(self, name: str) -> str:
        value = self.bound.get(name, self)
        if isinstance(value, np.ndarray | np.generic) and value.size == 1:
            return number(value.item())
        if isinstance(value, Sizes) or (isinstance(value, np.ndarray) and self.symbolic):
            return f"{name}{shape_text(value.shape)}"
        if isinstance(value, np.ndarray):
            return elements_text(value)
        if isinstance(value, bool) or value is None:
            return str(value)
        if isinstance(value, int | float):
            return number(value)
        if isinstance(value, tuple) and all(isinstance(size, int) for size in value):
            return shape_text(value)
        return name

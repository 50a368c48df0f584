"""An expression written as in a textbook: g × 2·x², xᵀ @ g, √y, g where x > 0.

`FormulaWriter` turns a syntax tree into such a text; what stands for a name is up to its caller, so the same tree gives
the formula with the learner's names and the one with numbers.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from minigrad.viz.graph.meanings import PHRASES, SKIPPED
from minigrad.viz.graph.values import SINGLE, number_in_sentence, sizes

WORDS, COMPARISON, SUM, SIGN, PRODUCT, POWER, ATOM = range(7)  # what binds less tightly gets parentheses
EXACT = 12  # digits that a float has for sure
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
COMPARED = {ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥", ast.Eq: "=", ast.NotEq: "≠", ast.Is: "is"}
Leaf = Callable[[str, bool], str]  # a name, and whether it is transposed -> its text


class FormulaWriter:
    """Writes expressions; `leaf(name, transposed)` is the text of a name, `numerals` have those of numbers, by
    `key_of_number`, that are written otherwise than usual.
    """

    def __init__(self, leaf: Leaf, numerals: Mapping[str, str] = MappingProxyType({})) -> None:
        self.leaf = leaf
        self.numerals = numerals
        self.is_signed = False  # whether what is written now stands behind a minus

    def text(self, node: ast.expr, least: int = WORDS) -> str:
        """The text of an expression, in parentheses if it binds less tightly than `least`."""
        if least > WORDS and function_name(node) in SKIPPED and isinstance(node, ast.Call):
            return self.text(node.args[0], least)
        text, level = self._text(node)
        return f"({text})" if level < least else text

    def _text(self, node: ast.expr) -> tuple[str, int]:
        if isinstance(node, ast.Constant):
            is_numeric = is_number(node) or isinstance(node.value, complex)
            return _with_rank(self._constant_text(node.value) if is_numeric else str(node.value))
        if isinstance(node, ast.Name):
            return _with_rank(self.leaf(node.id, False))
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.USub):
                self.is_signed, before = True, self.is_signed
                text = self.text(node.operand, PRODUCT)
                self.is_signed = before
                return f"-{text}", SIGN
            return f"not {self.text(node.operand, POWER)}", COMPARISON
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Compare):
            parts = [self.text(node.left, SUM)]
            for operator, right in zip(node.ops, node.comparators, strict=True):
                parts += [COMPARED.get(type(operator), "in"), self.text(right, SUM)]
            return " ".join(parts), COMPARISON
        if isinstance(node, ast.Call):
            return self._call(node)
        raise ValueError(f"no textbook writes {ast.dump(node)}")

    def _constant_text(self, value: Any) -> str:
        """A number of the code, or one that was computed from such: 1.2 - 1 is 0.2."""
        is_counted = isinstance(value, complex) or (isinstance(value, int) and abs(value) < 10**SINGLE)
        numeral = "" if is_counted else self.numerals.get(key_of_number(abs(value)))
        if numeral:
            return ("-" if value < 0 else "") + numeral
        exact = float(f"{value:.{EXACT}g}") if isinstance(value, float) else value
        return number_in_sentence(exact, SINGLE)

    def _attribute(self, node: ast.Attribute) -> tuple[str, int]:
        if node.attr not in ("T", "mT"):
            return f"{self.text(node.value, ATOM)}.{node.attr}", ATOM
        if isinstance(node.value, ast.Name):
            return self.leaf(node.value.id, True), ATOM
        return f"{self.text(node.value, ATOM)}ᵀ", ATOM

    def _operation(self, node: ast.BinOp) -> tuple[str, int]:
        left, right = node.left, node.right
        if isinstance(node.op, ast.Add):
            return f"{self.text(left, SUM)} + {self.text(right, PRODUCT)}", SUM
        if isinstance(node.op, ast.Sub):
            return f"{self.text(left, SUM)} - {self.text(right, PRODUCT)}", SUM
        if isinstance(node.op, ast.Mult | ast.Div):
            text = self._product(node) if isinstance(node.op, ast.Mult) else self._first(left)
            text += "" if isinstance(node.op, ast.Mult) else f" / {self.text(right, POWER)}"
            return text, SIGN if text.startswith("-") else PRODUCT
        if isinstance(node.op, ast.FloorDiv):
            return f"⌊{self.text(left, PRODUCT)} / {self.text(right, POWER)}⌋", ATOM
        if isinstance(node.op, ast.MatMult):
            chained = isinstance(left, ast.BinOp) and isinstance(left.op, ast.MatMult)
            return f"{self.text(left, PRODUCT if chained else POWER)} @ {self.text(right, POWER)}", PRODUCT
        if isinstance(node.op, ast.Pow):
            base = self.text(left, ATOM)
            if isinstance(right, ast.Constant) and isinstance(right.value, int) and 1 < right.value < 100:
                return base + str(right.value).translate(SUPERSCRIPTS), POWER
            return f"{base} ** {self.text(right, ATOM)}", POWER
        if isinstance(node.op, ast.BitAnd):
            return f"{self.text(left, COMPARISON)} and {self.text(right, COMPARISON)}", COMPARISON
        raise ValueError(f"no textbook writes {ast.dump(node)}")

    def _product(self, node: ast.BinOp) -> str:
        """A number that multiplies what follows stands close to it: g × 2·x."""
        factors: list[ast.expr] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult):
            factors.append(first.right)
            first = first.left
        factors = [first, *reversed(factors)]
        text = self._first(first)
        for before, factor in itertools.pairwise(factors):
            close = isinstance(before, ast.Constant) and not isinstance(factor, ast.Constant)
            text += ("·" if close else " × ") + self.text(factor, POWER)
        return text

    def _first(self, node: ast.expr) -> str:
        """What a product or a quotient begins with: a negative number needs no parentheses there."""
        return self.text(node, PRODUCT if self.is_signed else SIGN)

    def _call(self, node: ast.Call) -> tuple[str, int]:
        name, args = function_name(node), node.args
        if name == "where":
            return self._cases(node), WORDS
        if name == "words":
            template, *given = args
            assert isinstance(template, ast.Constant)
            names = dict(zip("gx", (self.text(one, PRODUCT) for one in given), strict=False))
            return str(template.value).format(**names), WORDS
        if name in PHRASES:
            values: list[Any] = [one.value for one in args if isinstance(one, ast.Constant)]
            shapes = [value for value in values if isinstance(value, tuple)]
            shape = sizes(shapes[0]) if shapes else "its shape"
            if name == "sum_dims":
                shape = ", ".join(map(str, shapes[0])) if shapes else "all dimensions"
            if shapes and not shapes[0] and name == "sum_to":
                return f"{self.text(args[0])} summed", WORDS
            return PHRASES[name].format(*self._phrase_texts(PHRASES[name], args), shape=shape), WORDS
        shown = [one for one in args if not isinstance(one, ast.Constant) or is_number(one)]
        if name == "sqrt":
            return f"√{self.text(shown[0], ATOM)}", ATOM
        if name == "abs":
            return f"|{self.text(shown[0])}|", ATOM
        word = name.strip("_").replace("_slope", "′").replace("_", " ")
        return f"{word}({', '.join(self.text(one) for one in shown)})", ATOM

    def _phrase_texts(self, phrase: str, args: list[ast.expr]) -> list[str]:
        """The arguments that a phrase names; one that is itself a phrase ends in a comma."""
        texts = []
        for place, one in enumerate(args):
            is_phrase = function_name(one) in (*PHRASES, "where", "words")
            text = "" if f"{{{place}}}" not in phrase else self.text(one, WORDS if is_phrase else SIGN)
            texts.append(f"{text}," if is_phrase and phrase.startswith(f"{{{place}}} ") else text)
        return texts

    def _cases(self, node: ast.expr) -> str:
        """g where x > 0, 0 elsewhere."""
        parts = []
        while function_name(node) == "where" and isinstance(node, ast.Call):
            condition, chosen, node = node.args
            holds = " is true" if isinstance(condition, ast.Name) else ""
            parts.append(f"{self.text(chosen, COMPARISON)} where {self.text(condition)}{holds}, ")
        return "".join(parts) + f"{self.text(node, COMPARISON)} elsewhere"


def name_text(name: str, turned: bool) -> str:
    """A name in a formula, transposed or not: that of `A.T` turned is A."""
    return name if not turned else name[:-2] if name.endswith(".T") else f"{name}ᵀ"


def key_of_number(value: float) -> str:
    """What a number of the code and the engine's, which may be the next one in single precision, have in common."""
    return f"{value:.{SINGLE - 1}g}"


def function_name(node: ast.AST) -> str:
    """The name of the function that is called; "" for all but calls."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def is_number(node: ast.expr) -> bool:
    """Whether it is a number that stands in the text, and not True or False."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _with_rank(text: str) -> tuple[str, int]:
    return text, SIGN if text.startswith("-") else ATOM

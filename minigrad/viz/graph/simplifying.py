"""A rule's expression, made as simple as a person would write it.

`expand(g / prod(self_shape), self_shape)` is `g / 2` for each of two elements, `g * 2 * x ** (2 - 1)` is `g × 2·x`. The
rule's syntax tree is rewritten with what is known at a step: which names are numbers, which shapes the others have,
which values are small enough to tell which branch was taken. Each rewrite keeps the value: `tests/viz/graph` evaluates
what comes out. meanings.py says what the functions are that rules call.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.formula_text import FormulaWriter, function_name, is_number, key_of_number, name_text
from minigrad.viz.graph.meanings import CENTRED, DEFINITIONS, NORMALIZED, PHRASES, SCALED
from minigrad.viz.graph.values import (
    SINGLE,
    as_in_code,
    elements_text,
    in_short,
    is_numeral,
    number_in_sentence,
    sizes,
)

LONGEST_FORMULA, LONGEST_NUMBERS = 150, 80  # characters of a formula, and of one with numbers
ELEMENTWISE = frozenset(
    ["exp", "log", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sign", "abs", "sigmoid", "logsigmoid"]
    + ["erf", "where", "masked_fill", "clamp", "max", "min", "normal_cdf", "normal_density", "gelu_slope"]
)
GIVEN = "given"  # marks a number of the learner's, which is written as it is
FOLDED: Mapping[str, Callable[..., Any]] = {"prod": math.prod, "max": max, "min": min, "len": len, "abs": abs}
FUNCTIONS: Mapping[str, Any] = {  # what is evaluated to find out which branch was taken
    **{name: getattr(np, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "sign", "abs")},
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "π": math.pi,
}


OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.Eq: ast.NotEq}
OPPOSITES |= {opposite: operator for operator, opposite in OPPOSITES.items()}
STRICT = OPPOSITES | {ast.Lt: ast.Gt, ast.Gt: ast.Lt}  # of two that are not equal


@dataclass(frozen=True)
class ShapeAlone:
    """Stands for a tensor that is too large to be written out."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Formula:
    """A formula with the learner's names and with numbers ("" where those say nothing more); of a matrix product also
    with `shapes`, which no number is equal to.

    `because` says why a branch was taken, `spread` what becomes of a value that is smaller than the gradient it gives
    ("for each of its 4 elements"), or along which dimension sums and smaller parts go; `in_words` is true of a phrase,
    which no equals sign may follow.
    """

    text: str
    numbers: str = ""
    shapes: str = ""
    because: str = ""
    spread: str = ""
    in_words: bool = False
    is_single: bool = False  # one number that every element gets


def formula_of(
    expression: ast.expr, bound: Mapping[str, Any], names: Mapping[str, str], shape: tuple[int, ...] | None = None
) -> Formula:
    """Write out a rule's expression.

    Args:
        expression: the body of the rule.
        bound: what is known of its names, as `rules.binding` gives it.
        names: the learner's names for them.
        shape: that of the gradient which the rule gave.

    Raises ValueError if there is no textbook form for it.
    """
    if "dim" not in bound and shape and any(map(_is_last_dim, ast.walk(expression))):
        bound = {**bound, "dim": len(shape) - 1}  # of an op that knows no other, such as the softmax of attention
    known = Known(bound, names)
    tree, reason = simplify(expression, known)
    named = FormulaWriter(lambda name, turned: name_text(names.get(name, name), turned), known.numerals)
    text = named.text(tree)
    is_phrase = isinstance(tree, ast.Call) and function_name(tree) in (*PHRASES, "words", "where")
    has_numbers = not is_phrase and known.all_small(tree)
    is_of_matrices = not is_phrase and any(isinstance(node, ast.MatMult) for node in ast.walk(tree))
    number_text = functools.partial(known.number_text, in_brackets=is_of_matrices)
    numbers = FormulaWriter(number_text, known.numerals).text(tree) if has_numbers else ""
    shapes = FormulaWriter(known.shape_text).text(tree) if is_of_matrices else ""
    if (len(text) > LONGEST_FORMULA and not is_phrase) or "\n" in text:
        raise ValueError("a formula of this length says less than words")
    because = "" if reason is None else named.text(reason)
    spread, single = _spread(known.shape(tree), shape, bound)
    spread = spread or ("" if is_phrase else _along_text(tree, known, shape, names))
    numbers, shapes = ("" if len(one) > LONGEST_NUMBERS or one == text else one for one in (numbers, shapes))
    return Formula(text, numbers, shapes, because, spread, is_phrase, single)


def simplify(expression: ast.expr, known: Known) -> tuple[ast.expr, ast.expr | None]:
    """An expression made simple, and the condition that decided which branch of it was taken, or None.

    Raises ValueError where too little is known.
    """
    rewrite = _Simplify(known)
    tree: ast.expr = rewrite.visit(copy_tree(expression))
    return tree, rewrite.reason


def copy_tree(part: Any) -> Any:
    """A copy of a part of a syntax tree, which may be rewritten; several times as fast as `copy.deepcopy`.

    Only what the language knows of it: once IPython has shown a traceback, parts have a `parent`, those among them that
    all trees share.
    """
    if isinstance(part, list):
        return [copy_tree(item) for item in part]
    if not isinstance(part, ast.AST):
        return part
    made = type(part).__new__(type(part))
    held, names = part.__dict__, (*part._fields, *part._attributes)
    made.__dict__.update((name, copy_tree(held[name])) for name in names if name in held)
    return made


def _spread(own: tuple[int, ...] | None, shape: tuple[int, ...] | None, bound: Mapping[str, Any]) -> tuple[str, bool]:
    """What is to be said of a formula whose value is smaller than the gradient that it stands for."""
    if own is None or shape is None or own == shape or math.prod(own) > math.prod(shape) > 0:
        return "", False
    if math.prod(own) == math.prod(shape):
        return ("" if math.prod(own) == 1 else f"reshaped to {sizes(shape)}"), False
    if math.prod(own) == 1:
        return f"for each of its {math.prod(shape)} elements", True
    along = _dims_text(bound)
    return (f"repeated along {along}" if along else f"repeated to {sizes(shape)}"), False


def _dims_text(bound: Mapping[str, Any]) -> str:
    """The dimensions along which an op works: "dim 1"; "" of one that knows none."""
    dims = bound.get("dim")
    each = map(str, sorted(dims)) if isinstance(dims, tuple) else [str(dims)]
    return "" if dims is None else f"dim {', '.join(each)}"


def _is_last_dim(part: ast.AST) -> bool:
    """Whether a part of a rule is the number of the last dimension: `g.ndim - 1`."""
    if not (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)):
        return False
    return isinstance(part.left, ast.Attribute) and part.left.attr == "ndim"


def _along_text(tree: ast.expr, known: Known, shape: tuple[int, ...] | None, names: Mapping[str, str]) -> str:
    """Along which dimension a formula's sums and means go and its smaller parts are repeated, where there are several:
    `g - exp(y) × sum(g)` of a matrix is no arithmetic without it.
    """
    along = _dims_text(known.bound)
    dims = known.bound.get("dim")
    if shape is None or len(shape) < 2 or not along or (isinstance(dims, tuple) and len(dims) == len(shape)):
        return ""
    parts = list(ast.walk(tree))
    reductions = dict.fromkeys(word for word in map(function_name, parts) if word in ("sum", "mean"))
    held = {part.id: known.shape(part) for part in parts if isinstance(part, ast.Name)}
    smaller = [names.get(name, name) for name, one in held.items() if one and len(one) < len(shape)]
    told = [f"each {word} along {along}" for word in reductions]
    told += [f"{' and '.join(smaller)} repeated along {'it' if told else along}"] if smaller else []
    return f"with {', '.join(told)}" if told else ""


class Known:
    """What is known of the names in a rule."""

    def __init__(self, bound: Mapping[str, Any], names: Mapping[str, str] = MappingProxyType({})) -> None:
        self.bound = bound
        self.names = names
        # Of numbers that have more digits in the code than a float32 has, all of these.
        long = [one.lstrip("-") for one in names.values() if len(one) > SINGLE and is_numeral(one)]
        self.numerals = {key_of_number(float(one)): one for one in long if "j" not in one}

    def is_tensor(self, name: str) -> bool:
        return isinstance(self.bound.get(name), np.ndarray | np.generic | ShapeAlone)

    def shape(self, node: ast.expr) -> tuple[int, ...] | None:
        """The shape of an expression's value; None if that is not known."""
        if isinstance(node, ast.Constant):
            return ()
        if isinstance(node, ast.Name):
            return tuple(self.bound[node.id].shape) if self.is_tensor(node.id) else () if node.id == "π" else None
        if isinstance(node, ast.UnaryOp):
            return self.shape(node.operand)
        if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
            inner = self.shape(node.value)
            return None if inner is None else (*inner[:-2], *inner[-2:][::-1])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            left, right = self.shape(node.left), self.shape(node.right)
            if left is None or right is None or min(len(left), len(right)) < 2:
                return None
            return (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])
        if isinstance(node, ast.Call) and function_name(node) == "solve":
            return self.shape(node.args[1])
        if isinstance(node, ast.Call) and function_name(node) == "advanced_index":
            own, index = self.shape(node.args[0]), _plain(node.args[1])
            return np.broadcast_to(False, own)[index].shape if own is not None and isinstance(index, tuple) else None
        if isinstance(node, ast.BinOp | ast.Compare) or function_name(node) in ELEMENTWISE:
            shapes = [self.shape(part) for part in _operands(node)]
            try:
                return None if None in shapes else np.broadcast_shapes(*(one for one in shapes if one is not None))
            except ValueError:
                return None
        return None

    def value(self, node: ast.expr) -> Any:
        """The value of a small expression; None if it is not known."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        small = {name: value for name, value in self.bound.items() if isinstance(value, np.ndarray | np.generic)}
        if not names <= {*small, *FUNCTIONS}:
            return None
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<rule>", "eval")  # our own names alone
        try:
            return silent(eval)(code, {"__builtins__": {}, **FUNCTIONS}, small)
        except Exception:
            return None

    def all_small(self, tree: ast.expr) -> bool:
        """Whether all that a formula names can be written as numbers."""
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        named -= {function_name(node) for node in ast.walk(tree)} | {"π"}
        return all(isinstance(self.bound.get(name), np.ndarray | np.generic) for name in named)

    def number_text(self, name: str, turned: bool = False, in_brackets: bool = False) -> str:
        """A small tensor as numbers; one number `in_brackets` where a product of matrices is to be seen as one."""
        value = self.bound.get(name)
        if not isinstance(value, np.ndarray | np.generic):
            return name
        array = np.swapaxes(value, -1, -2) if turned and value.ndim > 1 else value
        return elements_text(array, number_in_sentence) if in_brackets and array.size == 1 else in_short(array)

    def shape_text(self, name: str, turned: bool) -> str:
        """A tensor as its shape."""
        if not self.is_tensor(name):
            return name
        shape = tuple(self.bound[name].shape)
        return sizes((*shape[:-2], *shape[-2:][::-1]) if turned else shape)


class _Simplify(ast.NodeTransformer):
    """Rewrites an expression. `reason` is the condition that decided about a number's branch, or None."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.reason: ast.expr | None = None
        self.unequal = ""  # two sides of which it is known that they differ

    # -- names, attributes, branches

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name, value = node.id, self.known.bound.get(node.id, self)
        is_array = isinstance(value, np.ndarray | np.generic)
        if is_array and is_numeral(self.known.names.get(name, "")):  # a number without a name
            return ast.Constant(as_in_code(value) if value.dtype.kind == "f" else value.item(), kind=GIVEN)
        is_plain = value is None or isinstance(value, bool | int | float | complex | str | tuple)
        if is_plain and not is_array and not hasattr(value, "_fields"):
            return ast.Constant(value, kind=GIVEN)
        return ast.Name(name, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if ast.unparse(node) in ("math.pi", "np.pi"):
            return ast.Name("π", ast.Load())
        if ast.unparse(node) == "math.inf":
            return ast.Constant(math.inf)
        inner: ast.expr = self.visit(node.value)
        shape = self.known.shape(inner)
        value: Any
        if node.attr in ("T", "mT"):
            is_flat = shape is not None and len(shape) < 2
            if isinstance(inner, ast.Attribute) and inner.attr == "T":
                return inner.value
            return inner if is_flat else ast.Attribute(inner, "T", ast.Load())
        if shape is not None and node.attr in ("shape", "ndim", "size"):
            value = {"shape": shape, "ndim": len(shape), "size": math.prod(shape)}[node.attr]
            return ast.Constant(value)
        held = self.known.bound.get(inner.id) if isinstance(inner, ast.Name) else None
        value = getattr(held, node.attr, self)
        is_plain = isinstance(value, bool | int | float | tuple) or value is None
        return ast.Constant(value) if is_plain else ast.Attribute(inner, node.attr, ast.Load())

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self._decide(self.visit(node.test))
        if test is None:
            raise ValueError("nobody knows which branch was taken")
        return self.visit(node.body if test else node.orelse)

    def _decide(self, test: ast.expr) -> bool | None:
        """The answer to a question about plain values, or None."""
        if any(isinstance(part, ast.Name) and part.id != "all" for part in ast.walk(test)):
            value = self.known.value(test)
            return bool(value) if value is not None and np.size(value) == 1 else None
        code = compile(ast.fix_missing_locations(ast.Expression(test)), "<rule>", "eval")
        return bool(eval(code, {"__builtins__": {"all": all}}))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        inner, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(_plain(inner), tuple):
            code = ast.fix_missing_locations(ast.Expression(ast.Subscript(inner, index, ast.Load())))
            return ast.Constant(eval(compile(code, "<rule>", "eval"), {"__builtins__": {}}))
        parts = _plain(index)
        if isinstance(parts, tuple) and all(part is None or part is ... for part in parts):
            return inner  # g[..., None]: the same numbers
        return ast.Subscript(inner, index, ast.Load())

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        parts = [self.visit(part) for part in node.elts]
        if all(isinstance(part, ast.Constant) or _is_negative(part) for part in parts):
            return ast.Constant(ast.literal_eval(ast.Tuple(parts, ast.Load())))
        return ast.Tuple(parts, ast.Load())

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return _call("part", ast.Name("g", ast.Load()))  # one for each input that was joined

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left, others = self.visit(node.left), [self.visit(one) for one in node.comparators]
        if ast.unparse(others[0]) == "None" and isinstance(left, ast.Name) and left.id not in self.known.bound:
            left = ast.Constant(None)  # which no node saves
        return ast.Compare(left, node.ops, others)

    # -- calls

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function, args = node.func, [one for one in node.args if not isinstance(one, ast.Starred)]
        name = ast.unparse(function)
        if isinstance(function, ast.Attribute):
            name = function.attr
            if ast.unparse(function.value) not in ("F", "math", "np", "numpy", "torch", "mg", "minigrad"):
                args = [function.value, *args]  # a method
        args = [self.visit(one) for one in args if not (isinstance(one, ast.Name) and one.id == "F")]
        if name in FOLDED and args and all(isinstance(one, ast.Constant) for one in args):
            return ast.Constant(FOLDED[name](*(one.value for one in args if isinstance(one, ast.Constant))))
        special: Callable[[list[ast.expr]], ast.expr] | None = getattr(self, f"simplify_{name.strip('_')}", None)
        if special is not None:  # it needs more than another expression
            return special(args)
        if name in DEFINITIONS:
            parameters, body = DEFINITIONS[name]
            given = dict(zip(parameters.split(), args, strict=False))
            return self.visit(_Put(given).visit(_parse(body)))
        return _call(name, *args)

    def simplify_expand(self, args: list[ast.expr]) -> ast.expr:
        """A number goes to each element, rows to each of more rows: what is written stays the same."""
        return args[0]

    def simplify_sum_to(self, args: list[ast.expr]) -> ast.expr:
        own, wanted = self.known.shape(args[0]), _plain(args[1])
        is_same = own is not None and isinstance(wanted, tuple) and math.prod(own) == math.prod(wanted)
        return args[0] if is_same else _call("sum_to", *args)

    def simplify_sum(self, args: list[ast.expr]) -> ast.expr:
        dim: Any = _plain(args[1]) if len(args) > 1 else None
        alone: Any = (dim,)
        return _call("sum_dims", args[0], ast.Constant(alone)) if isinstance(dim, int) else _call("sum", args[0])

    def simplify_reshape(self, args: list[ast.expr]) -> ast.expr:
        inner, shape = args[0], args[1] if len(args) > 1 else None
        if isinstance(inner, ast.Call) and function_name(inner) == "sum_to" and shape is not None:
            return _call("sum_to", inner.args[0], shape)
        same = shape is not None and self.known.shape(inner) == _plain(shape)
        is_moved = isinstance(inner, ast.Name) or function_name(inner) in PHRASES
        return _call("reshape", *args) if is_moved and not same else inner

    def simplify_index_backward(self, args: list[ast.expr]) -> ast.expr:
        """An index that took all there is, as x[None] does."""
        own, index, shape = self.known.shape(args[0]), _plain(args[1]), _plain(args[-1])
        is_all = own is not None and isinstance(shape, tuple) and math.prod(own) == math.prod(shape)
        simple = [part is None or part is ... or isinstance(part, int | slice) for part in index or [self]]
        if is_all and all(simple):
            return self.simplify_reshape([args[0], args[-1]])
        return _call("index_backward" if all(simple) else "index_add", args[0])  # an array may pick a place twice

    def simplify_product_gradient(self, args: list[ast.expr]) -> ast.expr:
        g, x, result = (
            one.args[0] if isinstance(one, ast.Call) and function_name(one) == "reshape" else one for one in args[:3]
        )
        value = self.known.value(x)
        if value is None or np.any(value == 0):
            return _call("words", ast.Constant("{g} × the product of the other elements"), g)
        return _product(ast.BinOp(_times(g, result), ast.Div(), x))

    def simplify_count(self, args: list[ast.expr]) -> ast.expr:
        return ast.Constant(self._elements(_plain(args[0]), args[1]))

    def _elements(self, shape: Any, dims: ast.expr) -> int:
        """How many elements of a tensor become one, if some dimensions are reduced."""
        is_all = isinstance(dims, ast.Constant) and dims.value is None
        if not isinstance(shape, tuple) or not (is_all or isinstance(_plain(dims), tuple)):
            raise ValueError("nobody knows how many elements there are")
        return math.prod(shape if is_all else [shape[dim] for dim in _plain(dims)])

    def simplify_clamp_to_numbers(self, args: list[ast.expr]) -> ast.expr:
        """What lies within the bounds is left as it is."""
        value, (low, high) = self.known.value(args[0]), (ast.unparse(one) for one in args[1:])
        inside = [f"({low}) <= x", f"x <= ({high})"]
        test = " <= ".join([low, "x", high]) if "None" not in (low, high) else inside[low == "None"]
        condition: ast.expr = _Put({"x": args[0]}).visit(_parse(test))
        if value is not None and np.all(self.known.value(condition)):
            self.reason = condition if "None" not in (low, high) else self.reason  # else it only keeps 0 away
            return args[0]
        if "None" in (low, high):
            return _call("max", args[0], args[1]) if high == "None" else _call("min", args[0], args[2])
        return _call("clamp", *args)

    def simplify_ties(self, args: list[ast.expr]) -> ast.expr:
        equal = self.known.value(ast.Compare(args[0], [ast.Eq()], [args[1]]))
        return _call("ties", *args) if equal is None else ast.Constant(max(int(np.sum(equal)), 1))

    def simplify_transpose(self, args: list[ast.expr]) -> ast.expr:
        count, dims = len(self.known.shape(args[0]) or ()), [_plain(one) for one in args[1:]]
        is_turned = count > 1 and len(dims) == 2 and {dim % count for dim in dims} == {count - 2, count - 1}
        return ast.Attribute(args[0], "T", ast.Load()) if is_turned else _call("transpose", args[0])

    simplify_swapaxes = simplify_transpose

    def simplify_permute(self, args: list[ast.expr]) -> ast.expr:
        is_turned = self.known.bound.get("dims") in ((1, 0), (-1, -2), (-1, 0), (1, -2))
        return ast.Attribute(args[0], "T", ast.Load()) if is_turned else _call("permute", args[0])

    def simplify_flip(self, args: list[ast.expr]) -> ast.expr:
        if (
            function_name(args[0]) == "cumsum"
            and isinstance(args[0], ast.Call)
            and function_name(args[0].args[0]) == "flip"
        ):
            return _call("sums_to_the_end", *args[0].args[0].args[:1])  # type: ignore[attr-defined]
        return _call("flip", *args)

    def simplify_where(self, args: list[ast.expr]) -> ast.expr:
        condition, chosen, other = args
        value = self.known.value(condition)
        if value is not None and np.size(value) and (np.all(value) or not np.any(value)):
            is_true = bool(np.all(value))
            is_guard = not is_true and any(isinstance(part, ast.Eq) for part in ast.walk(condition))
            is_equal = isinstance(self.reason, ast.Compare) and isinstance(self.reason.ops[0], ast.Eq)
            if is_guard:
                self.unequal = _sides(condition)
            elif is_true or not is_equal:  # what is equal is not less
                self.reason = condition if is_true else self._opposite(condition)
            return chosen if is_true else other
        if ast.unparse(chosen) == "0" and isinstance(condition, ast.Compare) and function_name(other) != "where":
            return _call("where", self._opposite(condition), other, chosen)
        return _call("where", *args)

    def _opposite(self, condition: ast.expr) -> ast.expr:
        """The condition that holds where this one does not."""
        if isinstance(condition, ast.Name):
            return ast.Compare(condition, [ast.Is()], [ast.Constant(False)])
        if not isinstance(condition, ast.Compare):
            return ast.UnaryOp(ast.Not(), condition)
        pairs = zip([condition.left, *condition.comparators], condition.ops, condition.comparators, strict=False)
        single = [ast.Compare(left, [operator], [right]) for left, operator, right in pairs]
        failed = [one for one in single if (value := self.known.value(one)) is not None and not np.all(value)]
        if len(single) > 1 and not failed:
            return ast.UnaryOp(ast.Not(), condition)
        wrong = failed[0] if failed else single[0]
        opposites = STRICT if _sides(condition) == self.unequal else OPPOSITES
        return ast.Compare(wrong.left, [opposites[type(wrong.ops[0])]()], wrong.comparators)

    def simplify_variance_gradient(self, args: list[ast.expr]) -> ast.expr:
        """2 (x - mean(x)) / (n - 1); of a standard deviation, whose own rule comes before it, without the 2."""
        g, x, dims, correction = args[:4]
        freedom = self._elements(self.known.shape(x), dims) - _plain(correction)
        if freedom <= 0 and not isinstance(_plain(dims), tuple):
            raise ValueError("the rule for all elements without degrees of freedom is another one")
        given = {"x": x, "n": ast.Constant(freedom)}
        if isinstance(g, ast.BinOp) and isinstance(g.op, ast.Div) and ast.unparse(g.right).startswith("2 * "):
            assert isinstance(g.right, ast.BinOp)
            given |= {"g": g.left, "y": g.right.right}
            return self.visit(_Put(given).visit(_parse("g * (x - mean(x)) / (n * y)")))
        return self.visit(_Put({**given, "g": g}).visit(_parse("g * 2 * (x - mean(x)) / n")))

    def simplify_normalized_gradient(self, args: list[ast.expr]) -> ast.expr:
        g, x, weight, norm = args
        held = self.known.bound.get(norm.id) if isinstance(norm, ast.Name) else None
        text = CENTRED if getattr(held, "is_centred", True) else SCALED
        value = self.known.value(weight)
        is_ours = isinstance(weight, ast.Name) and self.known.names.get(weight.id, "constant") == "constant"
        if isinstance(weight, ast.Name) and not (is_ours and (value is None or np.all(value == 1))):
            return _call("words", ast.Constant(f"{text}, ĝ being {{g}}, {NORMALIZED}"), _times(g, weight), x)
        return _call("words", ast.Constant(f"{text.replace('ĝ', '{g}')}, {NORMALIZED}"), g, x)

    def simplify_nll_gradient(self, args: list[ast.expr]) -> ast.expr:
        targets = self.known.bound.get("targets")
        amount: ast.expr = ast.UnaryOp(ast.USub(), args[0])
        if getattr(targets, "weights", None) is not None:
            amount = _times(amount, ast.Name("weight", ast.Load()))
        if isinstance(args[-1], ast.Constant) and args[-1].value == "mean":
            total = getattr(targets, "total", None)
            amount = ast.BinOp(amount, ast.Div(), ast.Constant(total if isinstance(total, int) else float(total or 1)))
        return _call("ones_at", _product(amount))

    # -- sums and products

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            if isinstance(operand, ast.Call) and function_name(operand) == "where":
                condition, *branches = operand.args
                return _call("where", condition, *(_product(ast.UnaryOp(ast.USub(), one)) for one in branches))
            return _product(ast.UnaryOp(ast.USub(), operand))
        return ast.UnaryOp(node.op, operand)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        made = ast.BinOp(left, node.op, right)
        if isinstance(node.op, ast.Add | ast.Sub):
            return _sum(made)
        if isinstance(node.op, ast.Mult) and isinstance(left, ast.Call) and ast.unparse(left).endswith(", (-1, 1))"):
            return _call("outer", left.args[0], right)  # of a column with a row
        if isinstance(node.op, ast.Mult) and isinstance(right, ast.Call) and function_name(right) == "where":
            condition, *branches = right.args
            if all(ast.unparse(branch) != "0" for branch in branches):
                unguarded = _Unguarded(ast.unparse(condition).replace("<=", "<"))
                return _call("where", condition, *(_product(_times(left, unguarded.visit(one))) for one in branches))
        return _product(made) if isinstance(node.op, ast.Mult | ast.Div | ast.Pow) else made


class _Unguarded(ast.NodeTransformer):
    """Takes `x` for `where(x < 0, x, 0)`: in a branch a guard against the other one is not needed, min(x, 0) is x where
    x ≤ 0.
    """

    def __init__(self, condition: str) -> None:
        self.condition = condition

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[1] if function_name(node) == "where" and ast.unparse(node.args[0]) == self.condition else node


class _Put(ast.NodeTransformer):
    """Puts expressions in the place of names, but for names of functions."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self.given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.given.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Attribute):
            node.func = ast.Attribute(self.visit(node.func.value), node.func.attr, ast.Load())
        return ast.Call(node.func, [self.visit(one) for one in node.args], [])


# ---------------------------------------------------------------- sums, products and powers


def _sum(node: ast.BinOp) -> ast.expr:
    """Without zeros; of two numbers their sum."""
    left, right = node.left, node.right
    if is_number(left) and is_number(right):
        return ast.Constant(left.value + right.value if isinstance(node.op, ast.Add) else left.value - right.value)  # type: ignore[attr-defined]
    if is_number(right) and right.value == 0:  # type: ignore[attr-defined]
        return left
    if is_number(left) and left.value == 0:  # type: ignore[attr-defined]
        return right if isinstance(node.op, ast.Add) else _product(ast.UnaryOp(ast.USub(), right))
    return node


def _product(node: ast.expr) -> ast.expr:
    """A product, quotient or power as one fraction: its sign in front, one number beside the rest, no factor 1, equal
    factors as a power.
    """
    sign, above, below = _factors(node)
    number_above, rest_above = _gather(above)
    number_below, rest_below = _gather(below)
    if number_above == 0 and not any(_mentions_g(factor) for factor in rest_above):
        return ast.Constant(0)
    if isinstance(number_above, int | float) and number_above < 0:
        sign, number_above = -sign, -number_above
    if number_above in (0.5, 0.25) and not any(getattr(factor, "kind", None) for factor in above):
        number_above, number_below = 1, number_below * int(1 / number_above)
    if sign < 0:
        flipped = next((k for k, factor in enumerate(rest_above) if _is_difference(factor)), None)
        if flipped is not None:
            factor = rest_above[flipped]
            assert isinstance(factor, ast.BinOp)
            rest_above[flipped], sign = ast.BinOp(factor.right, factor.op, factor.left), 1
    top = _chain(number_above, rest_above)
    whole = top if number_below == 1 and not rest_below else ast.BinOp(top, ast.Div(), _chain(number_below, rest_below))
    if sign > 0:
        return whole
    return ast.Constant(-whole.value) if is_number(whole) else ast.UnaryOp(ast.USub(), whole)  # type: ignore[attr-defined]


def _factors(node: ast.expr) -> tuple[int, list[ast.expr], list[ast.expr]]:
    """The sign of a product, its factors, and those below the line."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, above, below = _factors(node.operand)
        return -sign, above, below
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        (one, above, below), (other, more, fewer) = _factors(node.left), _factors(node.right)
        more, fewer = (more, fewer) if isinstance(node.op, ast.Mult) else (fewer, more)
        return one * other, above + more, below + fewer
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and is_number(node.right):
        base, power = node.left, node.right.value  # type: ignore[attr-defined]
        if is_number(base):
            return 1, [node], []
        if power == 0:
            return 1, [], []
        positive = _power(base, abs(power))
        return (1, [positive], []) if power > 0 else (1, [], [positive])
    return 1, [node], []


def _power(base: ast.expr, exponent: Any) -> ast.expr:
    if isinstance(exponent, float) and exponent.is_integer():
        exponent = int(exponent)
    if exponent == 1:
        return base
    return _call("sqrt", base) if exponent == 0.5 else ast.BinOp(base, ast.Pow(), ast.Constant(exponent))


def _gather(factors: list[ast.expr]) -> tuple[Any, list[ast.expr]]:
    """The product of the numbers among some factors, and the others, equal ones as a power."""
    product: Any = 1
    others: dict[str, tuple[ast.expr, float]] = {}
    for factor in factors:
        if is_number(factor):
            product *= factor.value  # type: ignore[attr-defined]
            continue
        base, exponent = factor, 1
        if isinstance(factor, ast.BinOp) and isinstance(factor.op, ast.Pow) and is_number(factor.right):
            base, exponent = factor.left, factor.right.value  # type: ignore[attr-defined]
        text = ast.unparse(base)
        others[text] = base, others.get(text, (base, 0))[1] + exponent
    if isinstance(product, float) and product.is_integer():
        product = int(product)
    return product, [_power(base, exponent) for base, exponent in others.values()]


def _chain(coefficient: Any, factors: list[ast.expr]) -> ast.expr:
    """Factors as one product: g first, then the number, then the others."""
    ordered = list(factors)
    if coefficient != 1 or not ordered:
        is_after = bool(ordered) and isinstance(ordered[0], ast.Name) and ordered[0].id == "g"
        ordered.insert(int(is_after), ast.Constant(coefficient))
    return functools.reduce(_times, ordered)


def _sides(condition: ast.expr) -> str:
    """What a comparison compares; "" of what is none."""
    return (
        ast.unparse(ast.Tuple([condition.left, *condition.comparators])) if isinstance(condition, ast.Compare) else ""
    )


def _plain(node: ast.expr) -> Any:
    """The value of a constant; None of all else."""
    return node.value if isinstance(node, ast.Constant) else None


def _times(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.BinOp(left, ast.Mult(), right)


def _is_negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and is_number(node.operand)


def _is_difference(node: ast.expr) -> bool:
    is_sub = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return is_sub and not any(is_number(part) for part in _operands(node))


def _mentions_g(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "g" for part in ast.walk(node))


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return node.args if isinstance(node, ast.Call) else []


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body

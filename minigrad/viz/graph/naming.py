"""What a box is called, and which piece of the learner's code stands in it.

First come `names=`; then the variables of the frame that asked for the picture, also one level inside lists, dicts and
objects (`w[0]`, `model.bias`); then, for leaves, the shortest way to them (`net.layers[0].w`) and the module that uses
them (`Linear.weight`); for results whose variable is gone the assignment in the source (`h = x @ w`), numbered where
there are several (h₁, h₂); at last t0, t1 ... in the order in which the graph was made. An expression is the exact text
that made a node, with names put in for the parts that have their own boxes.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import re
import types
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any

from minigrad.viz.graph.observer import Span, characters, source_text, syntax_tree
from minigrad.viz.graph.one_line import on_one_line
from minigrad.viz.graph.source import Node, Source

MOST_INSIDE = 1000  # things in a container or an object that are looked at
MOST_LOOKED_AT = 20_000  # things in all of them together, where parameters lie deep inside
ATOMS = ast.Name, ast.Attribute, ast.Subscript, ast.Call  # what a formula can hold without parentheses
LONGEST_NAME = 1000  # characters of a name; a key of a dict may be a whole text
CUT_WORDS = re.compile(r"[\w.]+$"), re.compile(r"[^\W_]+$")  # at the end; of a long name, what its underscores part
LIBRARY = re.compile(r"^(?:(?:minigrad|mg|torch|nn|F|functional)\.)+")  # before the name of a function
LONGEST = 26  # characters of an expression in a box; beyond that the op's name says more
OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("add",),
    ast.Sub: ("sub", "rsub"),
    ast.Mult: ("mul",),
    ast.Div: ("div", "reciprocal"),
    ast.Pow: ("pow",),
    ast.MatMult: ("matmul", "mm", "mv", "dot", "bmm"),
    ast.USub: ("neg",),
    ast.Subscript: ("getitem", "index", "select", "slice"),
}
WITH_INDICES = "cummax", "cummin", "kthvalue", "max", "median", "min", "mode", "sort", "topk"  # beside the values
NOT_VARIABLES = {"In", "Out", "exit", "quit", "get_ipython"}


def is_tensor(source: Source, value: Any) -> bool:
    """True for the engine's tensors, and for those of any library with PyTorch's names, which have a name, too."""
    is_like_one = hasattr(type(value), "grad_fn") and hasattr(type(value), "requires_grad")
    return is_like_one or source.tensor(value) is not None


class Variables:
    """The tensors and modules that the learner can name: `names=` first, then what the engine calls its tensors, then a
    frame's locals, then its globals.
    """

    def __init__(self, source: Source, names: Mapping[str, Any] | None, frame: FrameType | None) -> None:
        self.source = source
        self.frame = frame
        self._results: dict[tuple[Any, int], tuple[str, Any]] = {}
        self._leaves: dict[Any, str] = {}
        self._memory: dict[tuple[Any, ...], str] = {}
        self.taken: set[str] = set()
        self.modules: dict[str, Any] = {}  # the name of the variable that holds a module -> the module
        self._scopes: list[tuple[str, Any]] = []  # all variables, those of the innermost scope first
        for name, value in (names or {}).items():
            if not isinstance(name, str):
                raise TypeError(
                    f"names must map a name to a tensor, as in names={{'loss': loss}}, but got the key {name!r}"
                )
            if not is_tensor(self.source, value) and not has_parameters(value):
                kind = type(value).__name__
                kind += " of another engine, which is not in this graph" * (kind == "Tensor")
                raise TypeError(f"names[{name!r}] must be a Tensor or a Module, not {kind}")
            self._add_variable(name, value)
            self._add_inside(name, value)
        for name, tensor in source.names().items():
            self._add(name, tensor)
        if frame is not None:
            scopes = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
            for scope in scopes:
                self._add_all(_variables(dict(scope)))

    def _add_all(self, variables: list[tuple[str, Any]]) -> None:
        """Plain variables first, then what lies one level inside containers and objects, and modules' parameters."""
        self._scopes += variables
        for add in (self._add_variable, self._add_inside):
            for name, value in variables:
                with contextlib.suppress(Exception):  # what raises when it is looked at has no names in it
                    add(name, value)

    def _add_variable(self, name: str, value: Any) -> None:
        if is_tensor(self.source, value):
            self._add(name, value)
        elif has_parameters(value):
            self._add_module(name, value)

    def _add_inside(self, name: str, value: Any) -> None:
        if is_tensor(self.source, value) or isinstance(value, types.ModuleType | type):
            return
        for label, item in [(name, value)] if has_parameters(value) else _things_inside(name, value):
            if is_tensor(self.source, item):
                self._add(label, item)
            elif has_parameters(item):
                self._add_parameters(label, item)
                if not isinstance(value, dict | list | tuple):  # such as trainer.net
                    self._add_module(label, item)

    def _add_parameters(self, name: str, module: Any) -> None:
        for path, parameter in module.named_parameters():
            self._add(f"{name}.{path}", parameter)

    def look_deeper(self, leaves: Iterable[Any]) -> None:
        """Name those of some leaves that have no name yet, and lie deeper in what variables hold, by the shortest way:
        `net.layers[0].neurons[1].w[2]`.
        """
        wanted = list(leaves)
        level, met, looked_at = self._scopes, set[int](), 0
        while level and looked_at < MOST_LOOKED_AT and (missing := {leaf for leaf in wanted if not self.leaf(leaf)}):
            inner: list[tuple[str, Any]] = []
            for name, value in level:
                if isinstance(value, types.ModuleType | type) or id(value) in met:
                    continue
                met.add(id(value))
                with contextlib.suppress(Exception):  # as above
                    for label, item in _things_inside(name, value):
                        looked_at += 1
                        if has_parameters(item):
                            self._add_parameters(label, item)
                            self._add_module(label, item)
                        elif not is_tensor(self.source, item):
                            inner.append((label, item))
                        elif self.source.tensor(item) in missing:
                            self._add(label, item)
            level = inner

    def _add_module(self, name: str, module: Any) -> None:
        if all(module is not known for known in self.modules.values()):
            self.modules.setdefault(name, module)

    def _add(self, name: str, value: Any) -> None:
        name = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        if name in self.taken:
            return  # a local hides a global of the same name
        self.taken.add(name)
        source, tensor = self.source, self.source.tensor(value)
        if tensor is None:
            return  # another engine's, which takes the name
        # A view that lost its history, a parameter without a shape yet: what cannot be looked at stays without a name.
        with contextlib.suppress(Exception):
            node = source.node(tensor)
            if node is not None:
                self._results.setdefault((node, source.output(tensor)), (name, tensor))
            elif tensor not in self._leaves:
                self._leaves[tensor] = name
                self._memory.setdefault(source.memory(tensor), name)

    def result(self, node: Any, output: int = 0) -> tuple[str, Any] | None:
        """Name and tensor of one of a node's outputs, if a variable holds it."""
        return self._results.get((node, output))

    def results(self) -> list[Any]:
        """All tensors that are no leaves and that a variable holds."""
        return [tensor for _, tensor in self._results.values()]

    def leaves(self) -> dict[str, Any]:
        """All leaves that have a name."""
        return {name: tensor for tensor, name in self._leaves.items()}

    def leaf(self, tensor: Any) -> str | None:
        """The name of a leaf, or of a tensor that needs no grad and shares memory with a variable, as it is or turned:
        a frozen layer's weight is `net.weight.T` in the product.
        """
        if (name := self._leaves.get(tensor)) is not None:
            return name
        key = self.source.memory(tensor)
        turned = [part[::-1] if isinstance(part, tuple) and len(part) == 2 else part for part in key]
        name, other = self._memory.get(key), self._memory.get(tuple(turned))
        return f"{other}.T" if name is None and other is not None else name


def has_parameters(value: Any) -> bool:
    """True for an `nn.Module`, and any object that names its parameters as one does."""
    return not isinstance(value, type) and callable(getattr(type(value), "named_parameters", None))


def _variables(scope: Mapping[str, Any]) -> list[tuple[str, Any]]:
    names = [name for name in scope if name.isidentifier() and name[0] != "_" and name not in NOT_VARIABLES]
    return [(name, scope[name]) for name in names]


def _things_inside(name: str, value: Any) -> list[tuple[str, Any]]:
    """What lies one level inside a container or an object, by the name that it has there; nothing inside a picture."""
    if type(value).__module__.startswith("minigrad.viz."):
        return []
    if isinstance(value, dict):
        items = list(value.items())[:MOST_INSIDE]
        return [(f"{name}[{key!r}]", item) for key, item in items if isinstance(key, str | int)]
    if isinstance(value, list | tuple):
        return [(f"{name}[{position}]", item) for position, item in enumerate(value[:MOST_INSIDE])]
    if isinstance(getattr(value, "__dict__", None), dict) and not callable(getattr(value, "__code__", None)):
        return [(f"{name}.{key}", item) for key, item in list(vars(value).items())[:MOST_INSIDE]]
    return []


def assignments(file: str) -> list[tuple[str, Span]]:
    """Each `name = expression` of a source file or cell: the name, and where the expression is."""
    return _assignments(file, syntax_tree(file))


def assigned_name(span: Span) -> str | None:
    """The name that gets the value of a piece of source: `h` for the `x @ w` in `h = x @ w`."""
    return _names_by_place(span.file, syntax_tree(span.file)).get(span)


@functools.lru_cache(maxsize=64)
def _names_by_place(file: str, tree: ast.Module | None) -> dict[Span, str]:
    return {span: name for name, span in reversed(_assignments(file, tree))}


def unpacked_names(span: Span) -> tuple[str, ...]:
    """The names among which the results of a piece of source are shared out: of `z.chunk(2)` in `a, b = z.chunk(2)`,
    and of `a, b` itself, where Python takes a tensor apart; () where not all are plain names.
    """
    return _unpacked_by_place(span.file, syntax_tree(span.file)).get(span, ())


@functools.lru_cache(maxsize=64)
def _unpacked_by_place(file: str, tree: ast.Module | None) -> dict[Span, tuple[str, ...]]:
    found: dict[Span, tuple[str, ...]] = {}
    for statement, targets in _writes(tree):
        for target in targets:
            parts = getattr(target, "elts", [])
            names = tuple(part.id for part in parts if isinstance(part, ast.Name))
            if names and len(names) == len(parts) and not isinstance(statement.value, ast.Tuple | ast.List):
                found |= {syntax_span(file, part): names for part in (target, statement.value)}
    return found


@functools.lru_cache(maxsize=64)
def _assignments(file: str, tree: ast.Module | None) -> list[tuple[str, Span]]:
    found: list[tuple[str, Span]] = []
    for statement, targets in _writes(tree):
        value = statement if isinstance(statement, ast.AugAssign) else statement.value
        for target in targets:
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = list(zip(target.elts, value.elts, strict=True))
            found += [
                (name.id, syntax_span(file, part))
                for name, part in pairs
                if isinstance(name, ast.Name) and part is not None
            ]
    return found


def _writes(tree: ast.Module | None) -> Iterator[tuple[Any, list[ast.expr]]]:
    """The statements and expressions that give something a value, each with what gets it."""
    for statement in ast.walk(tree) if tree is not None else ():
        if isinstance(statement, ast.Assign):
            yield statement, statement.targets
        elif isinstance(statement, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
            yield statement, [statement.target]


def whole_write(span: Span | None) -> Span | None:
    """Of a write such as `y[0] = 5` Python notes the place of `y[0]`: give that of the whole statement. Other pieces of
    source are given back as they are.
    """
    if span is None:
        return None
    whole = _whole_writes(span.file, syntax_tree(span.file)).get(span, span)
    return replace(whole, function=span.function)


@functools.lru_cache(maxsize=64)
def _whole_writes(file: str, tree: ast.Module | None) -> dict[Span, Span]:
    return {
        syntax_span(file, target): syntax_span(file, whole)
        for whole, targets in _writes(tree)
        for target in targets
        if isinstance(target, ast.Subscript)
    }


def whole_call(span: Span | None) -> Span | None:
    """Of `x.exp()` or `x.T` on several lines Python notes where `exp` or `T` begins: give the place of the whole. Other
    pieces of source are given back as they are.
    """
    if span is None:
        return None
    whole = _by_attribute(span.file, syntax_tree(span.file)).get((span.first, span.start), span)
    return replace(whole, function=span.function)


@functools.lru_cache(maxsize=64)
def _by_attribute(file: str, tree: ast.Module | None) -> dict[tuple[int, int], Span]:
    """The calls of methods and the attributes that stand on several lines, by the place of the method's name."""
    found: dict[tuple[int, int], Span] = {}
    for node in ast.walk(tree) if tree is not None else ():  # a call before the attribute that is called
        named = node.func if isinstance(node, ast.Call) else node
        if isinstance(named, ast.Attribute) and named.end_lineno != named.lineno:
            end = characters(file, named.end_lineno or 0, named.end_col_offset or 0)
            found.setdefault((named.end_lineno or 0, end - len(named.attr)), syntax_span(file, node))
    return found


def syntax_span(file: str, node: Any) -> Span:
    """Where a part of a syntax tree stands."""
    start, end = characters(file, node.lineno, node.col_offset), characters(file, node.end_lineno, node.end_col_offset)
    return Span(file, node.lineno, node.end_lineno, start, end)


DIGITS, SUBSCRIPTS = "0123456789", "₀₁₂₃₄₅₆₇₈₉"


def plain_digits(text: str) -> str:
    """A name as one writes it who has no subscripts on the keyboard: h30 of h₃₀."""
    return text.translate(str.maketrans(SUBSCRIPTS, DIGITS))


def numbered_name(name: str, number: int) -> str:
    """The name of one of several with the same name: h₃₀."""
    return name + str(number).translate(str.maketrans(DIGITS, SUBSCRIPTS))


def names_by_text(texts: Mapping[Any, str], taken: Collection[str]) -> dict[Any, str]:
    """What is called as the code calls it, key -> text: that text, with a number where it is several or another's name;
    none for what is left without a name even so.
    """
    several, seen, found = Counter(texts.values()), Counter[str](), {}
    for key, text in texts.items():
        seen[text] += several[text] > 1  # one alone is x₀ where x is another's: it came before
        name = text if several[text] == 1 and text not in taken else numbered_name(text, seen[text])
        if text and name not in taken:
            found[key] = name
    return found


def op_word(op: str) -> str:
    """The op's own name: MulBackward0 -> mul, MaxPool2DBackward0 -> max_pool2d."""
    word = re.sub(r"Backward\d*$", "", op).replace("2D", "2d").replace("3D", "3d").replace("1D", "1d")
    return re.sub("(?<!^)(?=[A-Z])", "_", word).lower()


def short_code(code: str, op: str, limit: int = LONGEST) -> str:
    """Code in so many characters: without the library's name, then without what is in the calls beside an operator, and
    then without the words for which there is no room; or else the operation alone, where that would be lost with them.
    """
    if len(code) <= limit:
        return code
    short, word = LIBRARY.sub("", code), op_word(op)
    tree = _operation(short) if len(short) > limit else None
    if isinstance(tree, ast.BinOp):
        for side in ("left", "right"):
            if isinstance(call := getattr(tree, side), ast.Call):
                setattr(tree, side, ast.Call(call.func, [ast.Constant(...)], []))
        plain = ast.unparse(tree).replace("...", "…")
        short = plain if len(plain) <= limit else short
    short = short if len(short) <= limit else beginning_in_words(short[: max(limit - 1, 0)], short) + "…"
    return word if f"{word}(" in code and word not in short and len(word) <= limit else short


def beginning_in_words(beginning: str, text: str) -> str:
    """The beginning of a text without the word in which it ends, where something else is left."""
    following = text[len(beginning) : len(beginning) + 1]
    for cut in CUT_WORDS if following.isalnum() or following in ("_", ".") else ():
        shorter = cut.sub("", beginning).rstrip()
        if shorter.strip("([…"):
            return shorter
    return beginning.rstrip()


def says_op(text: str, op: str) -> bool:
    """Whether the outermost operation of a piece of source is this op: `a * b` for mul, `x.exp()` for exp."""
    tree, word = _operation(text), op_word(op)
    if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.AugAssign):
        return word in OPERATORS.get(type(tree.op), ())
    if isinstance(tree, ast.Call):
        called = tree.func.attr if isinstance(tree.func, ast.Attribute) else getattr(tree.func, "id", "")
        called, word = called.strip("_").replace("_", ""), word.replace("_", "")
        return called == word or (len(word) > 1 and called.startswith(word))  # `tied(h)` is no t
    return isinstance(tree, ast.Subscript) and word in OPERATORS[ast.Subscript]


def operand_text(source: Source, span: Span | None, node: Node, slot: int, frame: FrameType | None) -> str:
    """The learner's text of what enters a node, the `x[t]` of `x[t] * w`; "" where that is long or not sure."""
    text = "" if span is None else on_one_line(source_text(span))[0]
    if not says_op(text, source.name(node)):
        return ""
    tree, count = _operation(text), len(source.edges(node))
    ends = map(vars(tree).get, ("left", "right", "target", "value", "operand"))
    parts = tree.args[:] if isinstance(tree, ast.Call) else [end for end in ends if end is not None]
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        owner = ast.unparse(tree.func.value).split(".")[0]
        known = {} if frame is None else frame.f_globals | frame.f_locals
        parts[:0] = [] if isinstance(known.get(owner), types.ModuleType) else [tree.func.value]
    parts = [one for part in parts for one in (part.elts if isinstance(part, ast.List | ast.Tuple) else [part])]
    if len(parts) != count:  # of x ** -2 and x.sum(0) only x enters
        parts = [part for part in parts if not isinstance(getattr(part, "operand", part), ast.Constant)]
    part = parts[slot] if len(parts) == count else None
    texts = [ast.unparse(part)] if isinstance(part, ATOMS) else []
    texts += [f"({ast.unparse(part)})"] if isinstance(part, ast.BinOp | ast.UnaryOp | ast.Compare) else []
    texts += [f"{ast.unparse(part.func)}(…)"] if isinstance(part, ast.Call) else []
    return next((text for text in texts if len(text) <= LONGEST), "")


def is_expression(text: str) -> bool:
    """False for a statement, such as the write `y[0] = 5`."""
    statement = _statement(text)
    return statement is None or isinstance(statement, ast.Expr)


def _operation(text: str) -> Any:
    """The expression that a text is, or a statement such as `x *= 2`."""
    statement = _statement(text)
    return statement.value if isinstance(statement, ast.Expr) else statement


def _statement(text: str) -> ast.stmt | None:
    """The one statement of a text; None for a piece of one, or one that was cut short."""
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    return statement

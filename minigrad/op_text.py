"""The text of an op: its call, and the backward of its node, as templates that read like the functions they become.

Each row of a template is a condition, a bar, and a line of Python. The line is there for ops of which all words of the
condition hold (a minus says "not"); after `each`, rows are repeated for every operand, input and the like, those that
stand together as one.
"""

from __future__ import annotations

import inspect
import linecache
import threading
from collections.abc import Callable, Iterable
from itertools import groupby
from types import FunctionType
from typing import Any

from minigrad.operands import REFLECTED

CALL = """
                           | def {name}{signature}:
-variadic                  |     if {strangers}:
reflected                  |         operands = {convert}({name!r}, {names})
reflected                  |         if operands is NotImplemented:
reflected                  |             return NotImplemented
reflected                  |         {names} = operands
-reflected -variadic       |         {unpacked} = {convert}({name!r}, {names})
variadic                   |     tensor_operands({name!r}, {names})
variadic                   |     {v}_array = [tensor._array for tensor in {v}]
variadic                   |     {v}_node = [tensor._node for tensor in {v}]
variadic                   |     targets = None
variadic                   |     if any([array.dtype is not {v}_array[0].dtype for array in {v}_array]):
variadic                   |         {v}_array, targets = meet_all({v}_array)
view                       |     if {first}._array.__class__ is not ndarray:
view                       |         {first}._array = asarray({first}._array)
-variadic each operand     |     {n}_array = {n}._array
broadcasts                 |     targets = None
broadcasts                 |     if {different}:
broadcasts                 |         {a}_array, {b}_array, targets = meet({meeting})
refuses_bools              |         if {a}.dtype.category == 0 or {b}.dtype.category == 0:
refuses_bools              |             raise no_bools({a}, {b})
floating                   |     if input_array.dtype.kind != "f":
floating each operand      |         {n}_array = {n}_array.astype(dtypes.default.numpy)
                           |     try:
                           |         array = kernel({arguments})
                           |     except Exception as error:
                           |         raise explained(error, {name!r}, {names}) from None
several                    |     made = tuple([from_array(part) for part in array])
several view               |     for part in made:
several view               |         share_memory(part, {first}, MULTIPLE)
-several                   |     made = new(Tensor)
-several                   |     made._array = array
-several                   |     made._grad = made._state = None
-several                   |     made._output_nr = 0
-several view              |     share_memory(made, {first})
-several -view             |     made._root = made._writes = None
-variadic each input       |     {n}_node = {n}._node
rules                      |     if ({unwanted}) or (modes.special and not is_recording()):
rules -several             |         made._node = None
rules                      |         return {unrecorded} if modes.special else made
-rules -several            |     made._node = None
-rules                     |     return {unrecorded} if modes.special else made
-variadic rules each input |     if {n}_node is ON_DEMAND:
-variadic rules each input |         {n}_node = node_on_demand({n})
variadic                   |     {v}_node = [edge_node(tensor) for tensor in {v}]
variadic                   |     {v}_number = [tensor._output_nr for tensor in {v}]
rules several              |     node = NodeType()
rules -several             |     made._node = node = NodeType()
rules                      |     node._next_nodes = ({nodes},)
rules                      |     node._output_nrs = ({numbers},) if {any_number} else None
keeps_result               |     made._writes = writes = [0]
rules                      |     node._kept = ({kept})
rules                      |     node._targets = {targets}
rules                      |     node._sequence = next_sequence_nr()
rules                      |     node._hooks = node._notes = None
rules several              |     node._output_count = len(made)
rules several              |     for number, part in enumerate(made):
rules several              |         part._node, part._output_nr = node, number
rules                      |     if modes.special:
rules                      |         recorded(node, array, ({inputs},))
rules                      |     return made
"""

BACKWARD = """
                     | def {method}(node, {g}):
keeps_tensors        |     if node._kept is None:
keeps_tensors        |         {of_freed}
saved                |     {slots}, = node._kept
two_rules            |     {nodes}, = node._next_nodes
two_rules            |     {gradients} = None
each option          |     {n} = kept_{n}
each shared          |     if kept_{n} is not None:
each shared          |         {unpack}
two_rules each rule  |     if {n}_node is not None:
two_rules each rule  |         {unpack}
two_rules each rule  |         {n}_gradient = rule_{n}({arguments})
-two_rules each rule |     {unpack}
-two_rules each rule |     {n}_gradient = rule_{n}({arguments})
                     |     return {results},
"""


Words = dict[str, Any]


def fill(template: str, words: Words) -> str:
    """The text of a template. `words` has what conditions ask for, what stands in slots, and what rows are repeated
    for: names, each of which stands in the slot `n`, or dicts of words.
    """
    rows = [row.partition("| ") for row in template.strip("\n").splitlines()]
    lines: list[str] = []
    for condition, group in groupby(rows, key=lambda row: row[0]):
        asked, _, repeated = condition.partition("each ")
        if any(bool(words[word.lstrip("-")]) is word.startswith("-") for word in asked.split()):
            continue
        group_lines = [line for _, _, line in group]
        for own in words[repeated.strip()] if repeated else [{}]:
            slots = words | (own if isinstance(own, dict) else {"n": own})
            for line in group_lines:
                margin = line[: len(line) - len(line.lstrip())]
                lines += [margin + part for part in line.strip().format_map(slots).splitlines()]
    return "\n".join(lines) + "\n"


def define(text: str, title: str, names: dict[str, Any]) -> FunctionType:
    """Run a function's text and return the function; its lines show in tracebacks."""
    file_name = f"<minigrad op {title}>"
    linecache.cache[file_name] = (len(text), None, text.splitlines(keepends=True), file_name)
    defined: dict[str, FunctionType] = {}
    exec(compile(text, file_name, "exec"), names, defined)  # the text is made here, from our own declarations
    return next(iter(defined.values()))


# ---------------------------------------------------------------- written at the first call

writing = threading.RLock()


class Writer:
    """Makes a function whose text is written when it is first called: then the function gets its real code, and stays
    the same object, so that all who hold it have the real one.

    An object without a closure: there are hundreds, and Python's garbage collector looks at each cell of a closure in
    every full collection, which a graph of 100,000 nodes causes many of.
    """

    __slots__ = ("function",)

    def __init__(self, name: str, like: Callable[..., Any]) -> None:
        """`like` has the documentation of the function."""
        self.function = FunctionType(_first_call.__code__, {"__name__": __name__, "write": self}, name)
        self.function.__qualname__ = name  # what Python's errors about arguments say
        self.function.__doc__, self.function.__module__ = like.__doc__, like.__module__

    def text(self) -> str:
        """The function's text."""
        raise NotImplementedError

    def names(self) -> dict[str, Any]:
        """What the text uses."""
        raise NotImplementedError

    def __call__(self) -> Any:
        """Write the function if that has not been done, and return this writer, which knows more about it."""
        function = self.function
        with writing:
            if function.__code__ is _first_call.__code__:
                text = self.text()
                function.__globals__.update(self.names())
                written = define(text, function.__name__, function.__globals__)
                function.__defaults__, function.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
                # Last, and at once: an interrupted call is begun anew, and another thread may call it at this moment.
                function.__code__ = written.__code__
                self.finish()
        return self

    def finish(self) -> None:
        """What is to be done when the function has just been written."""


def _first_call(*arguments: Any, **options: Any) -> Any:
    return write().function(*arguments, **options)  # type: ignore[name-defined]  # noqa: F821  # in its own namespace


# ---------------------------------------------------------------- an op


def local(name: str) -> str:
    """The name of a parameter in the public signature: PyTorch's functions call the first tensor `input`."""
    return "input" if name == "self" else name


def argument(want: str) -> str:
    """The argument of which a rule wants something: `self` for `self`, `self_shape` and `self_dtype`."""
    return want.removesuffix("_shape").removesuffix("_dtype")


def _joined(form: str, names: Iterable[str], between: str = ", ") -> str:
    return between.join(form.format(n=name) for name in names)


class OpText:
    """What the templates need to know of an op: its attributes are the words in them."""

    def __init__(self, kernel: Callable[..., Any], rules: dict[str, Callable[..., Any]], *options: Any) -> None:
        self.broadcasts, bools, self.floating, self.view, self.several, constants, kept = options  # see op.op
        self.name, self.rules = kernel.__name__, rules
        self.parameters = inspect.signature(kernel).parameters
        self.variadic = next((p.name for p in self.parameters.values() if p.kind is p.VAR_POSITIONAL), "")
        self.inputs = [name for name in self.parameters if name in rules]
        tensors = {*rules, *constants, "self", *(["other"] if self.broadcasts else [])}
        self.operands = [name for name in self.parameters if name in tensors]
        # What each rule asks for beyond F and g, and so what is saved: PyTorch's order, the result last.
        self.wants = {name: list(inspect.signature(rules[name]).parameters)[2:] for name in self.inputs}
        self.saved = sorted({want for wants in self.wants.values() for want in wants}, key=lambda w: (w == "result", w))
        unknown = {*rules, *map(argument, self.saved)} - {*self.parameters, "result"}
        if unknown:
            raise TypeError(f"op {self.name}: its kernel takes no {sorted(unknown)}, for which or from which a rule is")
        self.options = [want for want in self.saved if want != "result" and want not in self.operands]
        self.wanted_twice = [want for want in self.saved if len(self._users(want)) > 1]
        self.shared = [want for want in self.wanted_twice if want not in self.options]
        self.keeps_tensors = any(want not in self.options or want in kept for want in self.saved)
        self.keeps_result = "result" in self.saved
        self.reflected = self.name in REFLECTED
        self.refuses_bools = self.broadcasts and not bools
        self.two_rules = len(rules) > 1

    def _users(self, want: str) -> list[str]:
        """The inputs whose rule asks for something."""
        return [name for name in self.inputs if want in self.wants[name]]

    # -- the call

    def call(self) -> str:
        """The op's call: check, compute, and if a gradient is wanted, record."""
        kept = [self._kept(want) for want in self.saved]
        parameters = [p.replace(name=local(p.name), annotation=p.empty) for p in self.parameters.values()]
        operands, inputs = [local(name) for name in self.operands], [local(name) for name in self.inputs]
        if self.variadic:
            operands = inputs = [f"*{self.variadic}"]
        strange = "({n}.__class__ is not Tensor and {n}.__class__ not in tensor_classes)"
        arrays = [f"{local(name)}_array" if name in self.operands else name for name in self.parameters]
        words = vars(self) | {
            "signature": inspect.Signature(parameters),
            "kept": ", ".join(kept) + "," * bool(kept),
            "operand": operands,
            "input": inputs,
            "strangers": _joined(strange, operands, " or "),
            "convert": "elementwise_operands" if self.broadcasts else "tensor_operands",
            "names": ", ".join(operands),
            "unpacked": ", ".join(operands) + "," * (len(operands) == 1),
            "first": operands[0],
            "arguments": ", ".join(arrays),
            "inputs": ", ".join(inputs),
            "unwanted": _joined("{n}_node is None", inputs, " and "),
            "unrecorded": "tuple([unrecorded(part) for part in made])" if self.several else "unrecorded(made)",
            "nodes": _joined("{n}_node", inputs),
            "numbers": _joined("{n}._output_nr", inputs),
            "any_number": _joined("{n}._output_nr", inputs, " or "),
            "targets": "targets" if self.variadic or (self.broadcasts and len(inputs) > 1) else "None",
        }
        if self.broadcasts:
            words |= self._meeting(*operands)
        if self.variadic:
            name = words["v"] = self.variadic
            options = _joined("{n}={n}", [option for option in self.parameters if option != name])
            words |= {"arguments": f"*{name}_array, {options}", "unwanted": f"not any({name}_node)"}
            words |= {"numbers": f"*{name}_number", "any_number": f"any({name}_number)"}
        return fill(CALL, words)

    def _meeting(self, *operands: str) -> Words:
        """How the operands of an elementwise op are told to differ, and brought together."""
        *others, a, b = operands  # `where` has its condition before them
        shapes = _joined(f"{a}_array.shape != {{n}}_array.shape", [*others, b], " or ")
        different = f"{a}_array.dtype is not {b}_array.dtype or {shapes}"
        if not others:  # numpy scalars of one class agree in dtype and shape, which they are slow to tell
            different = f"not ({a}_array.__class__ is {b}_array.__class__ is not ndarray) and ({different})"
        meeting = ", ".join([a, b, *others]) + ", floating=True" * self.floating
        return {"a": a, "b": b, "different": different, "meeting": meeting}

    def _kept(self, want: str) -> str:
        """What a node keeps of a thing that rules ask for."""
        if want == "result":
            return "array, writes"
        if want in self.operands:
            name, users = local(want), self._users(want)
            kept = f"({name} if {name}._writes is None else save({name}))"
            if len(users) < len(self.inputs):  # kept only if a rule that will run asks for it
                kept += f" if {_joined('{n}_node is not None', map(local, users), ' or ')} else None"
            return kept
        if want in self.parameters:
            return want
        if self.variadic:
            return f"tuple([array.shape for array in {self.variadic}_array])"
        return f"{local(argument(want))}_array.{want.rpartition('_')[2]}"

    # -- the backward

    def backward(self, recorded: bool) -> str:
        """The node's backward, on arrays or on tensors: unpack what was saved, run each rule that is wanted."""
        # What two rules want is saved, and missed, whoever needs it.
        misses_none = self.two_rules and not self.wanted_twice
        unpacked = {want: self._unpack(want, recorded) for want in self.saved if want not in self.options}
        rules = []
        for name, wants in self.wants.items():
            lines = [unpacked[want] for want in wants if want not in (*self.options, *self.shared)]
            rules.append({"n": name, "unpack": "\n".join(lines), "arguments": ", ".join(["F", "g", *wants])})
        words = {
            "method": "apply_recorded" if recorded else "apply",
            "g": "*g" if self.several else "g",
            "of_freed": "return of_freed(node)" if misses_none else "raise freed_error()",
            "slots": _joined("kept_{n}", self.saved) + ", result_writes" * self.keeps_result,
            "nodes": _joined("{n}_node", self.inputs),
            "gradients": _joined("{n}_gradient", self.inputs, " = "),
            "results": "*" * bool(self.variadic) + _joined("{n}_gradient", self.inputs),
            "option": self.options,
            "shared": [{"n": want, "unpack": unpacked[want]} for want in self.shared],
            "rule": rules,
        }
        return fill(BACKWARD, vars(self) | words)

    @staticmethod
    def _unpack(want: str, recorded: bool) -> str:
        array = "" if recorded else "._array"
        if want != "result":
            kept = f"kept_{want}{array} if kept_{want}._writes is None else "
            return f"{want} = {kept}unpack(node, kept_{want}){array}"
        kept = "" if recorded else "kept_result if not result_writes[0] else "
        return f"result = {kept}unpack_result(node, kept_result, result_writes){array}"

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

CALL = """
                       | def {name}{signature}:
-view                  |     if (warnings.filters or (None,))[0] is not NO_WARNING:
-view                  |         keep_silent()
                       |     if {strangers}:
                       |         operands = {convert}({name!r}, {names})
broadcasts             |         if operands is NotImplemented:
broadcasts             |             return NotImplemented
                       |         ({names},) = operands
each operand           |     {n}_array = {array}
meets                  |     targets = None
meets                  |     if {different}:
meets                  |         {met}, targets = {meeting}
refuses_bools          |         if {a}.dtype.category == 0 or {b}.dtype.category == 0:
refuses_bools          |             raise no_bools({a}, {b})
floating               |     if (kind := input_array.dtype) is not float32 and kind is not float64 and kind.kind != "f":
floating each operand  |         {n}_array = {n}_array.astype(dtypes.default.numpy)
widens                 |     if {kind} is not float32 and kind is not float64 and {first}_array.dtype == float16:
widens                 |         return in_half({given})
                       |     try:
                       |         array = kernel({arguments})
                       |     except Exception as error:
                       |         raise clearer_error(error, {name!r}, {names}) from None
several                |     made = tuple([from_array(part) for part in array])
several                |     {first}_node = None
several                |     for part in made:
several                |         {first}_node = share_memory(part, {first}, MULTIPLE)
-several               |     made = new(Tensor)
-several               |     made._array = array
-several               |     made._node = made._grad = made._state = None
-several               |     made._output_nr = 0
-several view          |     {first}_node = share_memory(made, {first})
-several -view         |     made._viewed = made._writes = None
-view each input       |     {n}_node = {node}
rules                  |     if ({wanted}) and (not modes.special or is_recording()):
-variadic each input   |         if {n}_node is ON_DEMAND:
-variadic each input   |             {n}_node = node_on_demand({n})
variadic               |         {variadic}_node = [edge_node(tensor) for tensor in {variadic}]
rules several          |         node = NodeType()
rules -several         |         made._node = node = NodeType()
rules                  |         node._next_nodes = ({nodes},)
rules                  |         node._output_nrs = ({numbers},) if {any_number} else None
keeps_result           |         made._writes = writes = [0]
rules                  |         node._kept = ({kept})
rules                  |         node._targets = {targets}
rules                  |         node._sequence = next_sequence_nr()
rules                  |         node._hooks = node._metadata = None
several                |         node._output_count = len(made)
several                |         for number, part in enumerate(made):
several                |             part._node, part._output_nr = node, number
rules                  |         if modes.special:
rules                  |             finish_recorded(node, array, ({names_of_inputs},){options})
rules                  |     elif modes.special:
-rules                 |     if modes.special:
                       |         finish_unrecorded({made})
                       |     return made
"""

BACKWARD = """
               | def {method}(node, {g}):
keeps_tensors  |     if node._kept is None:
keeps_tensors  |         {if_freed}
saved          |     {slots}, = node._kept
several_rules  |     {nodes}, = node._next_nodes
each unpacked  |     {n} = {value}
               |     return (
each gradient  |         {n},
               |     )
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


class CallWriter:
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


class OpText:
    """What the templates need to know of an op: its attributes are the words in them."""

    def __init__(self, kernel: Callable[..., Any], rules: dict[str, Callable[..., Any]], *options: Any) -> None:
        # see op.op
        exact, self.broadcasts, bools, self.floating, self.view, self.several, constants, kept = options
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
        if self.broadcasts and len(self.inputs) > 2:
            text = f"op {self.name}: broadcasts=True is for two operands, and there are rules for {self.inputs}"
            raise TypeError(f"{text}: bring what is more to one shape before, by broadcast_tensors")
        self.tensors_saved = [want for want in self.saved if want in self.operands or want == "result"]
        self.keeps_tensors = bool(self.tensors_saved or {*kept} & {*self.saved})
        self.keeps_result = "result" in self.saved
        self.meets = self.broadcasts or self.variadic
        self.refuses_bools = self.broadcasts and not bools
        self.several_rules = len(rules) > 1
        self.widens = not (self.view or self.variadic or (self.broadcasts if exact is None else exact is True))

    def _users(self, want: str) -> list[str]:
        """The inputs whose rule asks for something, where not all rules do."""
        users = [name for name in self.inputs if want in self.wants[name]]
        return users if len(users) < len(self.inputs) else []

    # -- the call

    def call(self) -> str:
        """The op's call: check, compute, and if a gradient is wanted, record."""
        kept = [self._kept_text(want) for want in self.saved]
        parameters = [p.replace(name=local(p.name), annotation=p.empty) for p in self.parameters.values()]
        operands, inputs = list(map(local, self.operands)), list(map(local, self.inputs))
        others = [local(name) for name in self.parameters if name not in self.inputs]
        strange = "({n}.__class__ is not Tensor and {n}.__class__ not in tensor_classes)"
        arrays = [f"{local(name)}_array" if name in self.operands else name for name in self.parameters]
        array = "own_array({})" if self.view else "{}._array"
        words = vars(self) | {
            "signature": inspect.Signature(parameters),
            "kept": ", ".join(kept) + "," * bool(kept),
            "operand": [{"n": name, "array": array.format(name)} for name in operands],
            "input": [{"n": name, "node": f"{name}._node"} for name in inputs],
            "strangers": _join_forms(strange, operands, " or "),
            "options": _join_forms(", {n}={n}", others, ""),
            "convert": "elementwise_operands" if self.broadcasts else "tensor_operands",
            "names": ", ".join(operands),
            "first": operands[0],
            "arguments": ", ".join(arrays),
            "given": ", ".join(map(local, self.parameters)),
            "kind": "kind" if self.floating else f"(kind := {operands[0]}_array.dtype)",
            "wanted": _join_forms("{n}_node is not None", inputs, " or "),
            "nodes": _join_forms("{n}_node", inputs),
            "numbers": _join_forms("{n}._output_nr", inputs),
            "any_number": _join_forms("{n}._output_nr", inputs, " or "),
            "targets": "targets" if self.meets else "None",
            "names_of_inputs": ", ".join(inputs),
            "made": "*made" if self.several else "made",
            **(self._meeting(*operands) if self.broadcasts else {}),
        }
        return fill(CALL, words | self._words_of_several_tensors(self.variadic) if self.variadic else words)

    def _meeting(self, *operands: str) -> Words:
        """How the operands of an elementwise op are told to differ, and brought together."""
        *others, a, b = operands  # `where` has its condition before them
        shapes = _join_forms(f"{a}_array.shape != {{n}}_array.shape", [*others, b], " or ")
        different = f"{a}_array.dtype is not {b}_array.dtype or {shapes}"
        if not others:  # numpy scalars of one class agree in dtype and shape, which they are slow to tell
            different = f"not ({a}_array.__class__ is {b}_array.__class__ is not ndarray) and ({different})"
        meeting = ", ".join([a, b, *others]) + ", floating=True" * self.floating
        return {"a": a, "b": b, "different": different, "met": f"{a}_array, {b}_array", "meeting": f"meet({meeting})"}

    def _words_of_several_tensors(self, name: str) -> Words:
        """The words that are others where `*tensors` stands for any number of operands."""
        options = _join_forms("{n}={n}", [option for option in self.parameters if option != name])
        return {
            "operand": [{"n": name, "array": f"[tensor._array for tensor in {name}]"}],
            "input": [{"n": name, "node": f"[tensor._node for tensor in {name}]"}],
            "strangers": f"any([tensor.__class__ not in tensor_classes for tensor in {name}])",
            "names": f"*{name}",
            "different": f"any([array.dtype is not {name}_array[0].dtype for array in {name}_array])",
            "met": f"{name}_array",
            "meeting": f"meet_all({name}_array)",
            "arguments": f"*{name}_array, {options}",
            "wanted": f"any({name}_node)",
            "nodes": f"*{name}_node",
            "numbers": f"*[tensor._output_nr for tensor in {name}]",
            "any_number": f"any([tensor._output_nr for tensor in {name}])",
            "names_of_inputs": f"*{name}",
        }

    def _kept_text(self, want: str) -> str:
        """What a node keeps of a thing that rules ask for."""
        if want == "result":
            return "array, writes"
        if want in self.operands:
            kept, users = "({n} if {n}._writes is None else save({n}))".format(n=local(want)), self._users(want)
            wanted = _join_forms("{n}_node is not None", map(local, users), " or ")
            return f"{kept} if {wanted} else None" if users else kept
        if want in self.parameters:
            return want
        if self.variadic:
            return f"tuple([array.shape for array in {self.variadic}_array])"
        return f"{local(argument(want))}_array.{want.rpartition('_')[2]}"

    # -- the backward

    def backward(self, recorded: bool) -> str:
        """The node's backward, on arrays or on tensors: unpack what was saved, run each rule that is wanted."""
        slots = [f"kept_{want}" if want in self.tensors_saved else want for want in self.saved]
        misses_none = self.tensors_saved and all(map(self._users, self.tensors_saved))  # if no rule is wanted
        words = {
            "method": "apply_recorded" if recorded else "apply",
            "g": "*g" if self.several else "g",
            "if_freed": "return gradients_if_freed(node)" if misses_none else "raise freed_error()",
            "slots": ", ".join(slots) + ", result_writes" * self.keeps_result,
            "nodes": _join_forms("{n}_node", self.inputs),
            "unpacked": [{"n": want, "value": self._unpacked_text(want, recorded)} for want in self.tensors_saved],
            "gradient": [self._gradient(name) for name in self.inputs],
        }
        return fill(BACKWARD, vars(self) | words)

    def _unpacked_text(self, want: str, recorded: bool) -> str:
        """What a rule gets of a thing that was saved: the array, or the tensor."""
        array = "" if recorded else "._array"
        if want == "result":
            kept = "" if recorded else "kept_result if not result_writes[0] else "
            return f"{kept}unpack_result(node, kept_result, result_writes){array}"
        absent = f"None if kept_{want} is None else " if self._users(want) else ""
        return f"{absent}kept_{want}{array} if kept_{want}._writes is None else unpack(node, kept_{want}){array}"

    def _gradient(self, name: str) -> str:
        """What a rule gives, if it is wanted."""
        gradient = f"rule_{name}({', '.join(['F', 'g', *self.wants[name]])})"
        if self.variadic:
            return f"*{gradient}"
        return f"None if {name}_node is None else {gradient}" if self.several_rules else gradient


def _join_forms(form: str, names: Iterable[str], between: str = ", ") -> str:
    return between.join(form.format(n=name) for name in names)

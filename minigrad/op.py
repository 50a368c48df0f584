"""How an operation is declared, and what its call does.

An op is written once, as a numpy kernel and one rule per differentiable input:

    @op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self)
    def mul(self, other):
        return self * other

The rule's parameter names say what has to be saved: an input by its name, the op's own `result`, the shape or dtype of
an input as `self_shape` or `self_dtype`, or any option of the kernel. `F` is one of two namespaces with the same
functions: `arrays` (numpy kernels: ordinary backward, at full speed) or `tensors` (recorded ops: `create_graph=True`,
so that every op has second derivatives for free).

From each declaration Python is written, as plain and as fast as if somebody had typed it for that op alone: the op's
call and the backward of its node, each at its first use, since there are hundreds of ops and most programs use few.
`print(minigrad.op.source(minigrad.mul))` shows it, and tracebacks do too. A generic call, which looks at its arguments
each time, takes much longer: see the variants that benchmarks/op_variants.py compares.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import threading
from collections.abc import Callable, Sequence
from textwrap import indent
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.anomaly_mode import remember
from minigrad.autograd.batching import batched
from minigrad.autograd.grad_mode import is_recording, set_creation_observer
from minigrad.autograd.graph import ON_DEMAND, Node, next_sequence_nr, node_on_demand
from minigrad.autograd.modes import INFERENCE, modes, thread
from minigrad.autograd.saved import (
    CONSTANTS,
    UNCONNECTED,
    PackedTensor,
    SavedTensor,
    Versioned,
    freed_error,
    pack_all,
    save,
    unpack,
    unpack_result,
)
from minigrad.autograd.views import MULTIPLE, share_memory
from minigrad.operands import (
    REFLECTED,
    answers,
    beside_array,
    check_places,
    elementwise_operands,
    explained,
    meet,
    meet_all,
    no_bools,
    short,
    size_mismatch,
    tensor_operands,
    unsupported,
)
from minigrad.tensor import Tensor, from_array

__all__ = [
    "answers",
    "arrays",
    "beside_array",
    "check_places",
    "elementwise_operands",
    "meet_all",
    "node_type",
    "op",
    "set_creation_observer",
    "short",
    "size_mismatch",
    "source",
    "tensor_operands",
    "tensors",
    "unsupported",
]  # with what the modules of ops need of operands.py

arrays = SimpleNamespace()  # F of an ordinary backward: kernels, on numpy arrays
tensors = SimpleNamespace()  # F of a backward with create_graph=True: recorded ops, on tensors

_NAMESPACES = {  # F, and what titles say of it
    "apply": (arrays, ""),
    "apply_recorded": (tensors, " (create_graph)"),
    "apply_batched": (batched, " (is_grads_batched)"),
}

writing = threading.RLock()
calls: list[FunctionType] = []  # of the ops that have been called so far
tensor_classes: set[type] = {Tensor}  # whose instances an op's call takes as they are


def op(
    *,
    name: str | None = None,
    broadcasts: bool = False,
    bools: bool = True,
    floating: bool = False,
    view: bool = False,
    several: bool = False,
    constants: tuple[str, ...] = (),
    kept: tuple[str, ...] = (),
    **rules: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an op.

    Args:
        name: the node's name, where it is not the op's own (`mul` -> `MulBackward0`).
        broadcasts: the inputs are elementwise operands: of any shapes that broadcast, of mixed dtypes, one of them
            maybe a number. The engine sums each gradient back to its input's shape, so no rule has to.
        bools: whether a bool beside a number makes sense.
        floating: integers are computed in the default dtype.
        view: the result shares the input's memory, and so its count of in-place writes.
        several: the kernel gives a list of results, and the rules get a tuple of gradients: None where a result was
            not used.
        constants: inputs that are tensors but have no gradient.
        kept: options that hold arrays, and so are freed like saved tensors.
        rules: for each differentiable input `rule(F, g, ...)`, which gives its gradient. A kernel that takes `*inputs`
            has one rule, under that name, which gives a sequence of gradients.
    """

    def declare(kernel: Callable[..., Any]) -> Callable[..., Any]:
        call = _written_when_called(kernel, rules, name, broadcasts, bools, floating, view, several, constants, kept)
        setattr(arrays, kernel.__name__, kernel)
        setattr(tensors, kernel.__name__, call)
        return call

    return declare


def _written_when_called(kernel: Callable[..., Any], *declared: Any) -> Callable[..., Any]:
    """An op whose text is written at its first call: then the function gets its real code, and stays the same object,
    so that all who hold it have the real one.
    """
    call = FunctionType(_first_call.__code__, dict(_runtime), kernel.__name__)
    call.__qualname__ = kernel.__name__  # what Python's errors about arguments say
    call.__doc__, call.__module__ = kernel.__doc__, kernel.__module__
    writer = _Writer(call, (kernel, *declared))
    call.__wrapped__ = writer  # type: ignore[attr-defined]  # whose signature is shown until then
    call.__globals__["write"], call.__globals__["call"] = writer, call
    return call


class _Writer:
    """Writes an op's text when it is first needed.

    An object without a closure: there are hundreds, and Python's garbage collector looks at each cell of a closure in
    every full collection, which a graph of 100,000 nodes causes many of.
    """

    __slots__ = ("call", "declared", "declaration")

    def __init__(self, call: FunctionType, declared: tuple[Any, ...]) -> None:
        self.call, self.declared = call, declared
        self.declaration: _Declaration | None = None

    def __call__(self) -> _Declaration:
        with writing:
            if self.declaration is None:
                self.declaration = _Declaration(*self.declared)
                self.declaration.write_into(self.call)
                calls.append(self.call)
                if (profiler := modes.profiler) is not None:
                    profiler.watch_op(self.call)
            return self.declaration

    @property
    def __signature__(self) -> inspect.Signature:
        """The kernel's signature with its first parameter named as it is in public: what `inspect.signature` gives of
        an op.
        """
        own = inspect.signature(self.declared[0])
        return own.replace(parameters=[p.replace(name=_local(p.name)) for p in own.parameters.values()])


def _first_call(*arguments: Any, **options: Any) -> Any:
    write()  # type: ignore[name-defined]  # noqa: F821  # in the op's own namespace
    return call(*arguments, **options)  # type: ignore[name-defined]  # noqa: F821


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters if none has a default, else (). inspect.signature takes far longer, which
    counts while minigrad is imported.
    """
    wrapped: Any = getattr(function, "__wrapped__", function)
    inner = wrapped.declared[0] if isinstance(wrapped, _Writer) else wrapped
    code = inner.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return () if inner.__defaults__ else tuple([_local(name) for name in names])


def source(function: Callable[..., Any]) -> str:
    """The Python text that was written from an op's declaration: its call, then its node's backward."""
    declared = getattr(tensors, getattr(function, "__name__", ""), None)  # `function` may be what wraps it
    if declared is None:
        raise ValueError(f"{function!r} is not an op that was declared with @op")
    return _declaration(declared).source()


def node_type(function: Callable[..., Any]) -> type[Node]:
    """The class of the nodes that an op leaves in the graph."""
    return _declaration(function).node_type


def is_recorded(function: Callable[..., Any]) -> bool:
    """Whether a function is an op that leaves nodes in the graph: one with rules."""
    return "write" in function.__globals__ and bool(_declaration(function).rules)


def _declaration(function: Callable[..., Any]) -> _Declaration:
    """The declaration of an op, with its text written."""
    declaration: _Declaration = function.__globals__["write"]()
    return declaration


class _Declaration:
    """One op's declaration, on its way to becoming code."""

    def __init__(
        self,
        kernel: Callable[..., Any],
        rules: dict[str, Callable[..., Any]],
        name: str | None,
        broadcasts: bool,
        bools: bool,
        floating: bool,
        view: bool,
        several: bool,
        constants: tuple[str, ...],
        kept: tuple[str, ...],
    ) -> None:
        self.kernel = kernel
        self.rules = rules
        self.op_name = kernel.__name__
        self.node_name = name or "".join(part.capitalize() for part in self.op_name.split("_")) + "Backward0"
        self.broadcasts = broadcasts
        self.bools = bools
        self.floating = floating
        self.view = view
        self.several = several
        self.kept = kept
        self.parameters = inspect.signature(kernel).parameters
        self.variadic = next((p.name for p in self.parameters.values() if p.kind is p.VAR_POSITIONAL), None)
        self.inputs = [name for name in self.parameters if name in rules]
        self.operands = [
            name
            for name in self.parameters
            if name in rules or name in constants or name == "self" or (broadcasts and name == "other")
        ]
        unknown = set(rules) - set(self.parameters)
        if unknown:
            raise TypeError(f"op {self.op_name}: rules for {sorted(unknown)}, which the kernel does not take")
        # What each rule asks for beyond F and g, and so what is saved: PyTorch's order, the result last.
        self.wants = {name: list(inspect.signature(rule).parameters)[2:] for name, rule in rules.items()}
        self.saved = sorted({want for wants in self.wants.values() for want in wants}, key=lambda w: (w == "result", w))
        for want in self.saved:
            if want != "result" and _argument(want) not in self.parameters:
                raise TypeError(
                    f"op {self.op_name}: a rule asks for {want!r}, which is neither an argument nor the result"
                )

    # -- the text

    @property
    def _arguments(self) -> str:
        return ", ".join(f"{_local(n)}_array" if n in self.operands else n for n in self.parameters)

    def _signature(self) -> str:
        parts = []
        for parameter in self.parameters.values():
            text = _local(parameter.name)
            if parameter.kind is parameter.VAR_POSITIONAL:
                text = "*" + text
            elif parameter.default is not parameter.empty:
                text += f"={parameter.default!r}"
            parts.append(text)
        return ", ".join(parts)

    def call_text(self) -> str:
        """The op's call: check, compute, and if a gradient is wanted, record."""
        if self.variadic:
            return self._variadic_call_text()
        operands = [_local(n) for n in self.operands]
        check = " or ".join(f"({n}.__class__ is not Tensor and {n}.__class__ not in tensor_classes)" for n in operands)
        names = ", ".join(operands)
        convert = "elementwise_operands" if self.broadcasts else "tensor_operands"
        if self.op_name in REFLECTED:
            lines = [
                f"if {check}:",
                f"    operands = {convert}({self.op_name!r}, {names})",
                "    if operands is NotImplemented:",
                "        return NotImplemented",
                f"    {names} = operands",
            ]
        else:
            lines = [f"if {check}:", f"    {names}{',' * (len(operands) == 1)} = {convert}({self.op_name!r}, {names})"]
        if self.view:  # a numpy scalar cannot be viewed: it becomes a 0-d array first
            lines += [
                f"if {operands[0]}._array.__class__ is not ndarray:",
                f"    {operands[0]}._array = asarray({operands[0]}._array)",
            ]
        lines += [f"{n}_array = {n}._array" for n in operands]
        if self.broadcasts:
            first, second = operands[-2:]  # `where` has its condition before them
            others = "".join(f", {n}" for n in operands[:-2])
            different = " or ".join(f"{first}_array.shape != {n}_array.shape" for n in operands if n != first)
            different = f"{first}_array.dtype is not {second}_array.dtype or {different}"
            if not others:  # numpy scalars of one class agree in dtype and shape, which they are slow to tell
                different = (
                    f"not ({first}_array.__class__ is {second}_array.__class__ is not ndarray) and ({different})"
                )
            floating = ", floating=True" if self.floating else ""
            lines += [
                "targets = None",
                f"if {different}:",
                f"    {first}_array, {second}_array, targets = meet({first}, {second}{others}{floating})",
            ]
            if not self.bools:
                lines += [
                    f"    if {first}.dtype.category == 0 or {second}.dtype.category == 0:",
                    f"        raise no_bools({first}, {second})",
                ]
        if self.floating:
            lines += [
                'if input_array.dtype.kind != "f":',
                *(f"    {n}_array = {n}_array.astype(dtypes.default.numpy)" for n in operands),
            ]
        lines += [
            "try:",
            f"    array = kernel({self._arguments})",
            "except Exception as error:",
            f"    raise explained(error, {self.op_name!r}, {names}) from None",
        ]
        if self.several:
            share = f"share_memory(part, {operands[0]}, MULTIPLE)"
            lines += ["made = tuple([from_array(part) for part in array])"]
            lines += ["for part in made:", f"    {share}"] if self.view else []
        else:
            lines += [
                "made = new(Tensor)",
                "made._array = array",
                "made._grad = made._find_node = None",
                "made._output_nr = 0",
                f"share_memory(made, {operands[0]})" if self.view else "made._root = made._writes = None",
            ]
        unrecorded = "unrecorded_several" if self.several else "unrecorded"
        lines += [f"{n}_node = {n}._node" for n in map(_local, self.inputs)]
        not_wanted = " and ".join(f"{_local(n)}_node is None" for n in self.inputs)
        leave = [
            *([] if self.several else ["made._node = None"]),
            f"return {unrecorded}(made) if modes.special else made",
        ]
        if not self.rules:
            return _function(f"{self.op_name}({self._signature()})", [*lines, *leave])
        lines += [f"if ({not_wanted}) or (modes.special and not is_recording()):", *("    " + line for line in leave)]
        inputs = [_local(n) for n in self.inputs]
        for n in inputs:
            lines += [f"if {n}_node is ON_DEMAND:", f"    {n}_node = node_on_demand({n})"]
        output_nrs = f"({', '.join(f'{n}._output_nr' for n in inputs)},)"
        lines += [
            "node = NodeType()" if self.several else "made._node = node = NodeType()",
            f"node._next_nodes = ({', '.join(f'{n}_node' for n in inputs)},)",
            f"node._output_nrs = {output_nrs} if {' or '.join(f'{n}._output_nr' for n in inputs)} else None",
            *self._save_lines(),
            f"node._targets = {'targets' if self.broadcasts and len(inputs) > 1 else 'None'}",
            "node._sequence = next_sequence_nr()",
            "node._hooks = node._notes = None",
        ]
        if self.several:
            lines += [
                "node._output_count = len(made)",
                "for number, part in enumerate(made):",
                "    part._node, part._output_nr = node, number",
            ]
        lines += ["if modes.special:", f"    recorded(node, array, ({', '.join(inputs)},))", "return made"]
        return _function(f"{self.op_name}({self._signature()})", lines)

    def _save_lines(self) -> list[str]:
        items, lines = [], []
        for want in self.saved:
            if want == "result":
                lines.append("made._writes = writes = [0]")
                items += ["array", "writes"]
            elif want in self.operands:
                local = _local(want)
                kept = f"({local} if {local}._writes is None else save({local}))"
                users = [_local(n) for n in self.inputs if want in self.wants[n]]
                if len(users) < len(self.inputs):  # kept only if a rule that will run asks for it
                    kept = f"{kept} if {' or '.join(f'{n}_node is not None' for n in users)} else None"
                items.append(kept)
            elif want in self.parameters:
                items.append(want)
            else:
                items.append(f"{_local(_argument(want))}_array.{want.rpartition('_')[2]}")
        return [*lines, f"node._kept = ({', '.join(items)}{',' if items else ''})"]

    def backward_text(self, recorded: bool) -> str:
        """The node's backward, on arrays or on tensors: unpack what was saved, run each rule that is wanted."""
        lines: list[str] = []
        if self.saved:
            slots = ", ".join(f"kept_{want}" + (f", {want}_writes" if want == "result" else "") for want in self.saved)
            if self._keeps_tensors():
                once = len(self.inputs) > 1 and not any(
                    sum(want in wants for wants in self.wants.values()) > 1 for want in self.saved
                )  # what two rules want is saved, and missed, whoever needs it
                missing = "return of_freed(node)" if once else "raise freed_error()"
                lines += ["if node._kept is None:", f"    {missing}"]
            lines.append(f"{slots}, = node._kept")
        if self.variadic:
            lines += self._unpack_lines(self.saved, recorded)
            arguments = ", ".join(["F", "g", *self.wants[self.variadic]])
            return _function(
                f"{'apply_recorded' if recorded else 'apply'}(node, g)",
                [*lines, f"return tuple(rule_{self.variadic}({arguments}))"],
            )
        g = "*g" if self.several else "g"
        inputs = self.inputs
        if len(inputs) > 1:
            lines += [
                f"{', '.join(f'{n}_node' for n in inputs)}, = node._next_nodes",
                f"{' = '.join(f'{n}_gradient' for n in inputs)} = None",
            ]
        lines += [f"{want} = kept_{want}" for want in self.saved if self._is_plain(want)]
        shared = [w for w in self.saved if not self._is_plain(w) and sum(w in self.wants[n] for n in inputs) > 1]
        for want in shared:  # unpacked once, whoever needs it
            lines += [f"if kept_{want} is not None:", *("    " + line for line in self._unpack_lines([want], recorded))]
        for n in inputs:
            own = [w for w in self.wants[n] if not self._is_plain(w) and w not in shared]
            body = self._unpack_lines(own, recorded)
            body.append(f"{n}_gradient = rule_{n}({', '.join(['F', 'g', *self.wants[n]])})")
            lines += [f"if {n}_node is not None:", *("    " + line for line in body)] if len(inputs) > 1 else body
        lines.append(f"return {', '.join(f'{n}_gradient' for n in inputs)},")
        return _function(f"{'apply_recorded' if recorded else 'apply'}(node, {g})", lines)

    def _unpack_lines(self, wants: Sequence[str], recorded: bool) -> list[str]:
        lines = []
        for want in wants:
            if self._is_plain(want):
                lines.append(f"{want} = kept_{want}")
            elif want == "result":
                if recorded:
                    lines.append("result = unpack_result(node, kept_result, result_writes)")
                else:
                    lines.append(
                        "result = kept_result if not result_writes[0] else unpack_result(node, kept_result, "
                        "result_writes)._array"
                    )
            else:
                array = "" if recorded else "._array"
                lines.append(
                    f"{want} = kept_{want}{array} if kept_{want}._writes is None else unpack(node, kept_{want}){array}"
                )
        return lines

    def _variadic_call_text(self) -> str:
        """The call of an op over any number of tensors (stack, cat)."""
        items = [
            "tuple([array.shape for array in arrays])" if want == f"{self.variadic}_shape" else want
            for want in self.saved
        ]
        lines = [
            f"inputs = tensor_operands({self.op_name!r}, *{self.variadic})",
            "arrays = [tensor._array for tensor in inputs]",
            "targets = None",
            "if any([array.dtype is not arrays[0].dtype for array in arrays]):",
            "    arrays, targets = meet_all(arrays)",
            "try:",
            f"    out = kernel(*arrays, {', '.join(f'{n}={n}' for n in self.parameters if n != self.variadic)})",
            "except Exception as error:",
            f"    raise explained(error, {self.op_name!r}, *inputs) from None",
            "made = from_array(out)",
            "if not any([t._node for t in inputs]) or (modes.special and not is_recording()):",
            "    return unrecorded(made) if modes.special else made",
            "nodes = tuple([node_on_demand(t) if t._node is ON_DEMAND else t._node for t in inputs])",
            "made._node = node = NodeType()",
            "node._next_nodes = nodes",
            "output_nrs = tuple([t._output_nr for t in inputs])",
            "node._output_nrs = output_nrs if any(output_nrs) else None",
            f"node._kept = ({', '.join(items)},)",
            "node._targets = targets",
            "node._sequence = next_sequence_nr()",
            "node._hooks = node._notes = None",
            "if modes.special:",
            "    recorded(node, out, inputs)",
            "return made",
        ]
        return _function(f"{self.op_name}({self._signature()})", lines)

    def _is_plain(self, want: str) -> bool:
        """Whether a saved value is an option or a shape, not a tensor."""
        return want != "result" and want not in self.operands

    def _keeps_tensors(self) -> bool:
        return any(not self._is_plain(want) or want in self.kept for want in self.saved)

    # -- the code

    def write_into(self, call: FunctionType) -> None:
        """Give the op its real code."""
        written = define(self.call_text(), self.op_name, {})
        call.__globals__["kernel"] = self.kernel
        if self.rules:
            self.node_type = call.__globals__["NodeType"] = type(self.node_name, (Node,), self._node_members())
        call.__defaults__, call.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        call.__code__ = written.__code__  # last: another thread may call it at this moment
        del call.__wrapped__  # type: ignore[attr-defined]

    def source(self) -> str:
        texts = [self.call_text(), self.backward_text(False), self.backward_text(True)]
        return "\n\n".join(texts if self.rules else texts[:1])

    def _node_members(self) -> dict[str, Any]:
        members: dict[str, Any] = {
            "__slots__": ("_output_count",) if self.several else (),
            "__module__": self.kernel.__module__,
            "__doc__": f"The node that `{self.op_name}` leaves in the graph.",
            "inputs": tuple(self.inputs),
            "rules": self.rules,
            "_keeps_tensors": self._keeps_tensors(),
            "_gives_all": self.variadic is not None,
            "_kept_names": tuple(
                [name for want in self.saved for name in ((want, "") if want == "result" else (want,))]
            ),
            "apply": self._written_at_first_use("apply"),
            "apply_recorded": self._written_at_first_use("apply_recorded"),
            "apply_batched": self._written_at_first_use("apply_batched"),
        }
        position = 0
        for want in self.saved:
            members[f"_saved_{want}"] = property(_saved_reader(position, want == "result"))
            members[f"_raw_saved_{want}"] = property(functools.partial(SavedTensor, position=position))
            position += 2 if want == "result" else 1
        return members

    def _written_at_first_use(self, name: str) -> Callable[..., Any]:
        """A method that makes way for the real one when it is first called: most programs use few ops' backward."""

        def first(node: Node, *gradients: Any) -> Any:
            recorded = name == "apply_recorded"
            names: dict[str, Any] = {f"rule_{input}": rule for input, rule in self.rules.items()}
            names["F"], note = _NAMESPACES[name]
            method = define(self.backward_text(recorded), self.node_name + note, names)
            setattr(self.node_type, name, method)
            return method(node, *gradients)

        return first


def _local(name: str) -> str:
    """The name of a parameter in the public signature: PyTorch's functions call the first tensor `input`."""
    return "input" if name == "self" else name


def _argument(want: str) -> str:
    """The argument of which a rule wants something: `self` for `self`, `self_shape` and `self_dtype`."""
    return want.removesuffix("_shape").removesuffix("_dtype")


def _function(signature: str, lines: Sequence[str]) -> str:
    return f"def {signature}:\n" + indent("\n".join(lines), "    ") + "\n"


def define(text: str, title: str, names: dict[str, Any]) -> FunctionType:
    """Run a function's text and return the function; its lines show in tracebacks."""
    file_name = f"<minigrad op {title}>"
    linecache.cache[file_name] = (len(text), None, text.splitlines(keepends=True), file_name)
    namespace = _runtime | names
    before = set(namespace)
    exec(compile(text, file_name, "exec"), namespace)  # the text is made above from our own declarations
    (defined,) = (name for name in namespace if name not in before and name != "__builtins__")
    function: FunctionType = namespace[defined]
    return function


_NUMBER_TYPES = (np.bool_, np.int64, np.float64)  # of a number in an expression, by its kind: see CONSTANTS


def _saved_reader(position: int, is_result: bool) -> Callable[[Node], Any]:
    def read(node: Node) -> Any:
        if node._kept is None:
            raise freed_error()
        kept = node._kept[position]
        if is_result:
            return unpack_result(node, kept, node._kept[position + 1])
        if isinstance(kept, Tensor) and kept._find_node in CONSTANTS:  # shown in the dtype that numbers have
            return from_array(kept._array.astype(_NUMBER_TYPES[CONSTANTS.index(kept._find_node)]))
        return unpack(node, kept) if isinstance(kept, Tensor | Versioned | PackedTensor) else kept

    return read


# ---------------------------------------------------------------- what the calls fall back on


def recorded(node: Node, out: Any, inputs: Sequence[Tensor]) -> None:
    """What is to be done with a new node while something unusual is in force."""
    if modes.observer is not None:
        modes.observer(node, out, inputs)
    if modes.anomaly is not None:
        remember(node)
    if thread.saved_tensors_hooks:
        pack_all(node)
        if node._targets is None:  # what is unpacked later may have another shape or dtype
            node._targets = tuple([(t._array.shape, t._array.dtype) for t in inputs])


def unrecorded(made: Tensor) -> Tensor:
    """A result that was not recorded, while something unusual is in force."""
    if made._root is not None:
        if made._root.requires_grad and made._node is None:
            made._node, made._find_node = ON_DEMAND, UNCONNECTED
    elif thread.inference:
        made._writes = INFERENCE
    return made


def unrecorded_several(made: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple([unrecorded(part) for part in made])


def of_freed(node: Node) -> tuple[None, ...]:
    """The gradients from a node that has been freed, where none is wanted; else that is an error."""
    if any(node._next_nodes):
        raise freed_error()
    return (None,) * len(node._next_nodes)


_runtime: dict[str, Any] = {
    "__name__": __name__,  # numpy's floating point warnings are filtered by this module name
    "MULTIPLE": MULTIPLE,
    "ON_DEMAND": ON_DEMAND,
    "Tensor": Tensor,
    "elementwise_operands": elementwise_operands,
    "explained": explained,
    "freed_error": freed_error,
    "of_freed": of_freed,
    "dtypes": dtypes,
    "from_array": from_array,
    "is_recording": is_recording,
    "meet": meet,
    "meet_all": meet_all,
    "modes": modes,
    "new": object.__new__,
    "no_bools": no_bools,
    "next_sequence_nr": next_sequence_nr,
    "node_on_demand": node_on_demand,
    "recorded": recorded,
    "save": save,
    "ndarray": np.ndarray,
    "asarray": np.asarray,
    "share_memory": share_memory,
    "tensor_classes": tensor_classes,
    "tensor_operands": tensor_operands,
    "unrecorded": unrecorded,
    "unrecorded_several": unrecorded_several,
    "unpack": unpack,
    "unpack_result": unpack_result,
}

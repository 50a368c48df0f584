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

import inspect
import threading
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.anomaly_mode import remember
from minigrad.autograd.batching import batched
from minigrad.autograd.grad_mode import is_recording
from minigrad.autograd.modes import INFERENCE, modes, set_creation_observer, thread
from minigrad.autograd.namespaces import arrays, node_type, tensors
from minigrad.autograd.node import ON_DEMAND, UNCONNECTED, Node, edge_node, next_sequence_nr, node_on_demand
from minigrad.autograd.saved import PackedTensor, Versioned, freed_error, pack_all, save, unpack, unpack_result
from minigrad.autograd.views import MULTIPLE, share_memory
from minigrad.op_text import OpText, define, local
from minigrad.operands import (
    NumberTensor,
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
    "define",
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

_NAMESPACES = {  # F, and what titles say of it
    "apply": (arrays, ""),
    "apply_recorded": (tensors, " (create_graph)"),
    "apply_batched": (batched, " (is_grads_batched)"),
}

writing = threading.RLock()
calls: list[FunctionType] = []  # of the ops that have been called so far
tensor_classes: set[type] = {Tensor, NumberTensor}  # whose instances an op's call takes as they are


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
    call.__doc__, call.__module__, call.__annotations__ = kernel.__doc__, kernel.__module__, kernel.__annotations__
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
        self.declaration: _Declaration  # as soon as the op is written

    def __call__(self) -> _Declaration:
        with writing:
            if self.call.__code__ is _first_call.__code__:
                self.declaration = _Declaration(*self.declared)
                # Last, and at once: an interrupted call is begun anew, and another thread may call it at this moment.
                self.call.__code__ = self.declaration.code_for(self.call)
                del self.call.__wrapped__  # type: ignore[attr-defined]
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
        return own.replace(parameters=[p.replace(name=local(p.name)) for p in own.parameters.values()])


def _first_call(*arguments: Any, **options: Any) -> Any:
    write()  # type: ignore[name-defined]  # noqa: F821  # in the op's own namespace
    return call(*arguments, **options)  # type: ignore[name-defined]  # noqa: F821


def source(function: Callable[..., Any]) -> str:
    """The Python text that was written from an op's declaration: its call, then its node's backward."""
    declared = getattr(tensors, getattr(function, "__name__", ""), None)  # `function` may be what wraps it
    if declared is None:
        raise ValueError(f"{function!r} is not an op that was declared with @op")
    return _declaration(declared).source()


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
        self, kernel: Callable[..., Any], rules: dict[str, Callable[..., Any]], name: str | None, *options: Any
    ) -> None:
        self.kernel, self.rules = kernel, rules
        self.op_name = kernel.__name__
        self.node_name = name or "".join(part.capitalize() for part in self.op_name.split("_")) + "Backward0"
        self.text = OpText(kernel, rules, *options)

    def code_for(self, call: FunctionType) -> CodeType:
        """The op's real code, for which everything else in its function is made ready."""
        written = define(self.text.call(), self.op_name, {})
        call.__globals__["kernel"] = self.kernel
        if self.rules:
            self.node_type = call.__globals__["NodeType"] = type(self.node_name, (Node,), self._node_members())
        call.__defaults__, call.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        return written.__code__

    def source(self) -> str:
        texts = [self.text.call()]
        if self.rules:
            texts += [self.text.backward("apply", False), self.text.backward("apply_recorded", True)]
        return "\n\n".join(texts)

    def _node_members(self) -> dict[str, Any]:
        text = self.text
        slots = [name for want in text.saved for name in ((want, "") if want == "result" else (want,))]
        members: dict[str, Any] = {
            "__slots__": ("_output_count",) if text.several else (),
            "__module__": self.kernel.__module__,
            "__doc__": f"The node that `{self.op_name}` leaves in the graph.",
            "inputs": tuple(text.inputs),
            "rules": self.rules,
            "_keeps_tensors": text.keeps_tensors,
            "_gives_all": bool(text.variadic),
            "_kept_names": tuple(slots),
            **{name: self._written_at_first_use(name) for name in _NAMESPACES},
        }
        for position, want in enumerate(slots):
            if want:
                members[f"_saved_{want}"] = property(_saved_reader(position, want == "result"))
        return members

    def _written_at_first_use(self, name: str) -> Callable[..., Any]:
        """A method that makes way for the real one when it is first called: most programs use few ops' backward."""

        def first(node: Node, *gradients: Any) -> Any:
            namespace, note = _NAMESPACES[name]
            recorded = name == "apply_recorded"
            text = self.text.backward("apply_recorded" if recorded else "apply", recorded)
            rules = {f"rule_{input}": rule for input, rule in self.rules.items()}
            method = define(text, self.node_name + note, {**_runtime, **rules, "F": namespace})
            setattr(self.node_type, name, method)
            return method(node, *gradients)

        return first


def _saved_reader(position: int, is_result: bool) -> Callable[[Node], Any]:
    def read(node: Node) -> Any:
        if node._kept is None:
            raise freed_error()
        kept = node._kept[position]
        if is_result:
            return unpack_result(node, kept, node._kept[position + 1])
        if isinstance(kept, NumberTensor):
            return from_array(kept._array.astype(kept.kind))
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
            made._node, made._state = ON_DEMAND, UNCONNECTED
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


# What the written functions use.
_runtime: dict[str, Any] = {
    used.__name__: used
    for used in (
        *(Tensor, from_array, np.ndarray, np.asarray),
        *(elementwise_operands, tensor_operands, meet, meet_all, no_bools, explained),
        *(is_recording, recorded, unrecorded, unrecorded_several, edge_node, node_on_demand, share_memory),
        *(save, unpack, unpack_result, freed_error, of_freed),
    )
} | {
    "__name__": __name__,  # numpy's floating point warnings are filtered by this module name
    "MULTIPLE": MULTIPLE,
    "ON_DEMAND": ON_DEMAND,
    "dtypes": dtypes,
    "modes": modes,
    "new": object.__new__,
    "next_sequence_nr": next_sequence_nr,
    "tensor_classes": tensor_classes,
}

# mypy: implicit-reexport
"""How an operation is declared, and what its call does.

An op is written once, as a numpy kernel and one rule per differentiable input:

    @op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self)
    def mul(self, other):
        return self * other

The rule's parameter names say what has to be saved: an input by its name, the op's own `result`, the shape or dtype of
an input as `self_shape` or `self_dtype`, or any option of the kernel. `F` is one of two namespaces with the same
functions: `arrays` (numpy kernels: ordinary backward, at full speed) or `tensors` (recorded ops: `create_graph=True`,
so that every op has second derivatives for free).

Where learners call a function that looks at what they gave before the op does, that function has the name, and the op's
kernel stands under the name with an underscore: `_add`, whose op is `add` all the same.

From each declaration Python is written, as plain and as fast as if somebody had typed it for that op alone: the op's
call and the backward of its node, each at its first use, since there are hundreds of ops and most programs use few.
`print(minigrad.op.source(minigrad.mul))` shows it, and tracebacks do too. A generic call, which looks at its arguments
each time, takes much longer: see the variants that benchmarks/op_variants.py compares.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

# The texts use what this module imports, too: that is why it has more than it uses itself.
# ruff: noqa: F401
from numpy import ndarray

from minigrad import dtypes
from minigrad.autograd.anomaly_mode import notice
from minigrad.autograd.batching import Array, batched
from minigrad.autograd.blame import NO_WARNING, keep_silent
from minigrad.autograd.grad_mode import is_recording
from minigrad.autograd.modes import INFERENCE, modes, set_node_observer, thread
from minigrad.autograd.namespaces import arrays, node_type, tensors
from minigrad.autograd.node import ON_DEMAND, UNCONNECTED, Node, edge_node, next_sequence_nr, node_on_demand
from minigrad.autograd.saved import freed_error, pack_all, save, saved_properties, unpack, unpack_result
from minigrad.autograd.views import MULTIPLE, share_memory
from minigrad.half_precision import in_float32
from minigrad.op_text import CallWriter, OpText, define, local
from minigrad.operands import (
    NumberTensor,
    clearer_error,
    elementwise_operands,
    meet,
    meet_all,
    no_bools,
    tensor_operands,
)
from minigrad.tensor import Tensor, from_array, own_array

_NAMESPACES = {  # F, and what titles say of it
    "apply": (arrays, ""),
    "apply_recorded": (tensors, " (create_graph)"),
    "apply_batched": (batched, " (is_grads_batched)"),
}

calls: list[FunctionType] = []  # of the ops that have been called so far
tensor_classes: set[type] = {Tensor, NumberTensor}  # whose instances an op's call takes as they are
new = object.__new__
float16, float32, float64 = (kind.numpy for kind in (dtypes.float16, dtypes.float32, dtypes.float64))


def op(
    *,
    name: str | None = None,
    exact: bool | str | None = None,
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
        exact: numbers are only moved or chosen, or rounded once by numpy itself, so that kernel and rules need no
            float32 for float16 (see half_precision.py). Views and joins are; so is what `broadcasts`, unless said. Or
            "rules", if these need none.
        broadcasts: the last two inputs are elementwise operands: of any shapes that broadcast, of mixed dtypes, one
            of them maybe a number. The engine sums each gradient back to its input's shape, so no rule has to.
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
        kernel.__name__ = kernel.__name__.removeprefix("_")
        writer = _OpWriter(kernel, rules, name, exact, broadcasts, bools, floating, view, several, constants, kept)
        setattr(arrays, kernel.__name__, kernel)
        setattr(tensors, kernel.__name__, writer.function)
        return writer.function

    return declare


def with_node_name(op: Callable[..., Any], node: str, **rules: Callable[..., Any] | None) -> Any:
    """The same op once more, whose nodes have another of PyTorch's names, and maybe other rules: None takes one away,
    so that its input is a constant, or, if nothing else says that it is a tensor, goes to the kernel as it is. Rules
    that call the op get the one that was declared.
    """
    kernel, own_rules, options = op.__wrapped__.declared  # type: ignore[attr-defined]
    kept = {name: rule for name, rule in (own_rules | rules).items() if rule is not None}
    return _OpWriter(kernel, kept, node, *options).function


class _OpWriter(CallWriter):
    """Makes an op's call, and its node's class, of what was declared."""

    __slots__ = ("declared", "node_name", "op_text", "node_type")

    def __init__(self, kernel: Callable[..., Any], rules: dict[str, Any], name: str | None, *options: Any) -> None:
        super().__init__(kernel.__name__, kernel)
        self.declared = kernel, rules, options
        self.node_name = name or "".join(part.capitalize() for part in kernel.__name__.split("_")) + "Backward0"
        self.function.__annotations__ = kernel.__annotations__
        self.function.__wrapped__ = self  # type: ignore[attr-defined]  # whose signature is shown

    @property
    def __signature__(self) -> inspect.Signature:
        """The kernel's signature with its parameters named as they are in public."""
        own = inspect.signature(self.declared[0])
        return own.replace(parameters=[p.replace(name=local(p.name)) for p in own.parameters.values()])

    def text(self) -> str:
        kernel, rules, options = self.declared
        self.op_text = OpText(kernel, rules, *options)
        return self.op_text.call()

    def names(self) -> dict[str, Any]:
        self.node_type = type(self.node_name, (Node,), self._node_members()) if self.op_text.rules else None
        return {**globals(), "kernel": self.declared[0], "NodeType": self.node_type, "in_half": self._in_half()}

    def _in_half(self) -> FunctionType | None:
        """The op's other call, for float16: kernel and rules compute in float32, so it has nodes of its own."""
        kernel, rules, (exact, *options) = self.declared
        wide = rules if exact == "rules" else {name: in_float32(rule) for name, rule in rules.items()}
        own = self.op_text.widens and _OpWriter(in_float32(kernel, arrays), wide, self.node_name, True, *options)
        return own.function if own else None

    def finish(self) -> None:
        calls.append(self.function)
        if modes.profiler is not None:
            modes.profiler.watch.watch_op(self.function)

    def _node_members(self) -> dict[str, Any]:
        text = self.op_text
        slots = [name for want in text.saved for name in ((want, "") if want == "result" else (want,))]
        return {
            "__slots__": ("_output_count",) if text.several else (),
            "__module__": self.function.__module__,
            "__doc__": f"The node that `{text.name}` leaves in the graph.",
            "inputs": tuple(text.inputs),
            "rules": text.rules,
            "_keeps_tensors": text.keeps_tensors,
            "_gives_all": bool(text.variadic),
            "_kept_names": tuple(slots),
            **{name: self._written_at_first_use(name) for name in _NAMESPACES},
            **saved_properties(slots, text.tensors_saved),
        }

    def _written_at_first_use(self, name: str) -> Callable[..., Any]:
        """A method that makes way for the real one when it is first called: most programs use few ops' backward."""

        def first(node: Node, *gradients: Any) -> Any:
            namespace, note = _NAMESPACES[name]
            rules = {f"rule_{input}": rule for input, rule in self.op_text.rules.items()}
            text = self.op_text.backward(namespace is tensors)
            method = define(text, self.node_name + note, {**globals(), **rules, "F": namespace})
            setattr(self.node_type, name, method)
            return method(node, *gradients)

        return first


def source(function: Callable[..., Any]) -> str:
    """The Python text that was written from an op's declaration: its call, then its node's backward."""
    for declared in (function, getattr(tensors, getattr(function, "__name__", ""), None)):  # it may be what wraps one
        writer = getattr(declared, "__globals__", {}).get("write")
        if isinstance(writer, _OpWriter):
            text = writer().op_text
            return "\n\n".join([text.call(), *(text.backward(recorded) for recorded in (False, True) if text.rules)])
    raise ValueError(f"{function!r} is not an op that was declared with @op")


# ---------------------------------------------------------------- what the calls fall back on


def finish_recorded(node: Node, out: Any, inputs: Sequence[Tensor], **options: Any) -> None:
    """What is to be done with a new node while something unusual is in force."""
    notice(node, out, inputs, options)
    if thread.saved_tensors_hooks:
        pack_all(node)
        if node._targets is None:  # what is unpacked later may have another shape or dtype
            node._targets = tuple([(t._array.shape, t._array.dtype) for t in inputs])


def finish_unrecorded(*made: Tensor) -> None:
    """What is to be done with results that were not recorded, while something unusual is in force."""
    for tensor in made:
        if tensor._viewed is not None:
            if tensor._viewed.requires_grad:
                tensor._node, tensor._state = ON_DEMAND, UNCONNECTED
        elif thread.inference:
            tensor._writes = INFERENCE


def gradients_if_freed(node: Node) -> tuple[None, ...]:
    """The gradients from a node that has been freed, where none is wanted; else that is an error."""
    if any(node._next_nodes):
        raise freed_error()
    return (None,) * len(node._next_nodes)

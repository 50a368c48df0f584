"""What minigrad's own engine answers to the pictures: through it they ask what nodes and tensors hide.

Looking never runs a hook: what is packed stays packed until the node itself asks for it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minigrad.autograd import batching, engine
from minigrad.autograd.fitting import fit
from minigrad.autograd.function import FunctionNode
from minigrad.autograd.modes import modes
from minigrad.autograd.node import AccumulateGrad, Node
from minigrad.autograd.saved import PackedTensor, Versioned
from minigrad.tensor import Tensor
from minigrad.tensor_base import TensorBase
from minigrad.viz.graph.observer import NOT_NOTED, Making
from minigrad.viz.graph.saved_values import (
    FREED,
    Saved,
    Versions,
    saved_array,
    saved_gone,
    saved_plain,
    text_of_function,
)
from minigrad.viz.graph.source import Overwritten, Pass, Source, Step, attribute
from minigrad.viz.graph.values import NOT_KEPT, Value, describe, short


class MinigradSource(Source):
    """A graph of minigrad's: nodes and tensors are its own objects."""

    notes_lines = True
    shows_rules = True
    can_be_replayed = True

    # -- of a tensor

    def tensor(self, value: Any) -> Any:
        return value if isinstance(value, TensorBase) else None

    node, output = attribute("grad_fn"), attribute("output_nr")
    needs_grad, keeps_grad = attribute("requires_grad"), attribute("retains_grad")
    grad = attribute("_grad")  # reading a result's `.grad` warns

    def array(self, tensor: Any) -> Any:
        return tensor.detach().numpy() if isinstance(tensor, Tensor) else tensor

    def put_grad(self, tensor: Tensor, gradient: Any) -> None:
        tensor.grad = gradient

    def version(self, tensor: Tensor) -> int | None:
        return None if tensor.is_inference() else tensor._version

    def memory(self, tensor: Tensor) -> tuple[Any, ...]:
        array = tensor.detach().numpy()
        return (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)

    def has_graph(self, gradient: Any) -> bool:
        return isinstance(gradient, Tensor) and gradient.requires_grad

    # -- of a node

    edges, number, inputs = attribute("next_functions"), attribute("_sequence"), attribute("inputs")
    is_custom = attribute("_is_custom")

    def name(self, node: Node) -> str:
        return node.name()

    def leaf(self, node: Node) -> Tensor | None:
        return node.variable if isinstance(node, AccumulateGrad) else None

    def is_leaf(self, node: Node) -> bool:
        return node.__class__ is AccumulateGrad

    def making(self, node: Node) -> Making:
        return getattr(node, "_making", NOT_NOTED)  # not there where viz was imported later

    def known_result(self, node: Node, consumers: Iterable[Node]) -> Any:
        kept = self.saved_value(node, "result")
        if kept is not None:
            return kept
        for consumer in consumers:  # what it saved of its inputs
            for (child, output), name in zip(consumer.next_functions, consumer.inputs, strict=False):
                if child is node and output == 0:
                    kept = self.saved_value(consumer, name)
                    if isinstance(kept, TensorBase):
                        return kept
        return None

    def is_freed(self, node: Node) -> bool:
        return node._kept is None

    def rule(self, node: Node, parameter: str) -> Any:
        return node.rules.get(parameter)

    def arguments(self, node: Any) -> list[str]:
        names = list(inspect.signature(type(node)._function.forward).parameters)
        names = names if len(names) == len(node._given) else names[1:]  # without ctx
        return [name for name, is_tensor in zip(names, node._given, strict=False) if is_tensor]

    def noted_by_learner(self, node: Node) -> Iterable[Any]:
        return vars(node).values()

    def backward_source(self, node: Any) -> str:
        if not isinstance(node, FunctionNode):
            return ""
        try:
            return text_of_function(type(node)._function._gradient_function())
        except RuntimeError:  # it has none
            return ""

    def packed_as(self, node: Node, packed: Any) -> str:
        return parameter_of(node, lambda held: isinstance(held, PackedTensor) and held.packed is packed)

    def has_hooks(self, node: Node) -> bool:
        return node._hooks is not None

    def is_plain(self, node: Node) -> bool:
        if node._is_custom or self.has_hooks(node):
            return False
        return not any(isinstance(kept, PackedTensor) for kept in node._kept or ())

    def run_batch(self, node: Node, gradients: Any) -> Sequence[Any] | None:
        if not node.rules or node._output_count != 1 or modes.profiler is not None:
            return None
        found = fit(node, batching.apply_to_rows(node, batching.Batched(gradients)))
        return [None if one is None else one.array for one in found]

    def overwritten_values(self, node: Node, error: BaseException) -> Iterator[Overwritten]:
        mismatch = getattr(error, "mismatch", None)  # which the engine's own error has: autograd/saved.py
        if mismatch is not None:
            tensor, versions = mismatch.tensor, (mismatch.version, mismatch.saved_version)
            parameter = parameter_of(node, lambda held: held is tensor or _tensor_in(held) is tensor)
            yield Overwritten(parameter, mismatch.name or "a tensor", versions, tensor.detach().numpy(), mismatch.line)

    def anomaly(self, error: BaseException) -> Step | None:
        return getattr(error, "anomaly", None)  # see autograd/anomaly_mode.py

    # -- what a node keeps

    def saved_names(self, node: Node) -> list[str]:
        """Its inputs first; of a custom Function "tensor 0" and so on."""
        if isinstance(node, FunctionNode):
            return [f"tensor {number}" for number in range(len(node._kept or ()))]
        kind: Any = node.__class__
        return _saved_names(kind)

    def saved_value(self, node: Any, parameter: str) -> Any:
        is_functions = isinstance(node, FunctionNode) and parameter.startswith("tensor ")
        try:
            kept = node._kept[int(parameter.removeprefix("tensor "))] if is_functions else _slot(node, parameter)[0]
            held = kept[0] if is_functions and isinstance(kept, tuple) else kept  # an output, with the count of writes
            if isinstance(held, PackedTensor):
                return None
            return node._restore(kept) if is_functions else getattr(node, f"_saved_{parameter}")
        except (AttributeError, RuntimeError, TypeError):
            return None

    def saved_values(self, node: Node, name_of: Callable[[Any], str]) -> Iterator[Saved]:
        if node._is_custom:
            yield from _saved_by_function(node, name_of)
            return
        for parameter in self.saved_names(node):
            kept, versions = _slot(node, parameter)
            value = self.saved_value(node, parameter)
            if node._kept is None:
                if parameter in node._kept_names and parameter in (*node.inputs, "result"):
                    yield saved_gone(parameter, "freed", "freed", FREED)
            elif isinstance(kept, PackedTensor):
                yield _saved_packed(parameter, kept)
            elif isinstance(value, TensorBase):
                yield saved_array(parameter, self.array(value), name_of(value), versions)
            elif versions[0] != versions[1]:
                yield saved_gone(parameter, "changed", NOT_KEPT.text, NOT_KEPT.full, versions)
            elif value is not None or parameter == "dim":  # which is None for all dimensions
                yield saved_plain(parameter, value)

    def steps(self, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> Pass:
        return MinigradPass(engine.steps(self.root, gradient, retain_graph, create_graph, inputs))


class MinigradPass(Pass):
    """The engine's own generator: there is no second loop that could disagree with `backward()`."""

    def __init__(self, steps: engine.Steps) -> None:
        self.steps = steps

    def __next__(self) -> Any:
        return next(self.steps)

    def close(self) -> None:
        self.steps.close()  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=256)
def _saved_names(kind: Any) -> list[str]:
    """The parameters that nodes of one class save; Python makes the list of a class's names anew each time."""
    found = [name.removeprefix("_saved_") for name in dir(kind) if name.startswith("_saved_")]
    return sorted(found, key=lambda name: (kind.inputs.index(name) if name in kind.inputs else len(kind.inputs), name))


def _slot(node: Node, parameter: str) -> tuple[Any, Versions]:
    """What stands in the place of a saved value; its version now, and the version that was saved."""
    kept = node._kept
    if kept is None or parameter not in node._kept_names:
        return None, (None, None)
    position = node._kept_names.index(parameter)
    held = kept[position]
    if parameter == "result" and not isinstance(held, PackedTensor):
        return held, (kept[position + 1][0], held.version if isinstance(held, Versioned) else 0)
    return held, _versions(held)


def _versions(held: Any) -> Versions:
    if isinstance(held, Versioned):
        return held.tensor._version, held.version
    return (held._version, 0) if isinstance(held, TensorBase) and not held.is_inference() else (None, None)


def _tensor_in(held: Any) -> Any:
    return held.tensor if isinstance(held, Versioned) else None


def parameter_of(node: Node, is_wanted: Callable[[Any], bool]) -> str:
    """The name under which a node has saved what is wanted, such as "other"; "" if it has saved nothing of the kind."""
    for position, held in enumerate(node._kept or ()):
        if is_wanted(held):
            names = node._kept_names
            return names[position] if position < len(names) else f"saved_tensors[{position}]"
    return ""


def _saved_by_function(node: Any, name_of: Callable[[Any], str]) -> Iterator[Saved]:
    """What a custom Function saved with `save_for_backward`, and what else it noted on `ctx`."""
    if node._kept is None:
        yield saved_gone("saved_tensors", "freed", "freed", FREED)
    for position, held in enumerate(node._kept or ()):
        parameter = f"saved_tensors[{position}]"
        is_output = isinstance(held, tuple)  # of the Function itself
        versions = (held[1][0], held[0].version) if is_output else _versions(held)
        tensor = held.tensor if isinstance(held, Versioned) else held
        if isinstance(held, PackedTensor):
            yield _saved_packed(parameter, held)
        elif versions[0] != versions[1]:
            yield saved_gone(parameter, "changed", NOT_KEPT.text, NOT_KEPT.full, versions)
        elif is_output:
            yield saved_array(parameter, held[0].tensor, "", versions)
        elif held is not None:
            yield saved_array(parameter, tensor.detach().numpy(), name_of(tensor), versions)
    for name, value in sorted(vars(node).items()):
        if not name.startswith("_") and name != "needs_input_grad":
            yield saved_plain(f"ctx.{name}", value)


def _saved_packed(parameter: str, kept: PackedTensor) -> Saved:
    """What a pack hook left in a tensor's place."""
    held = kept.packed
    array = held.detach().numpy() if isinstance(held, Tensor) else held
    is_array = hasattr(array, "__array_interface__")
    value = describe(array) if is_array else Value(short(held), short(held))
    return Saved(parameter, value, state="packed", hook=kept.pack_hook)

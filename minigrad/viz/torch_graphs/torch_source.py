"""What PyTorch answers to the pictures. Nodes and tensors are PyTorch's own objects.

torch.Tensor compares its numbers with `==`, so tensors are compared with `is`, and as keys of dicts by their hash,
which is their own. Python has one object for a node as long as that is held, and a picture holds all of its nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from minigrad.viz.graph.observer import NOT_NOTED, Making
from minigrad.viz.graph.saved_values import FREED, Saved, saved_array, saved_gone, saved_plain, text_of_function
from minigrad.viz.graph.source import Overwritten, Pass, Source, attribute
from minigrad.viz.torch_graphs import formulas, saved_tensors
from minigrad.viz.torch_graphs.lines import noted_of
from minigrad.viz.torch_graphs.modules import calls_of
from minigrad.viz.torch_graphs.torch_pass import TorchPass

BECAME = {  # what became of a value that PyTorch does not show
    "freed": FREED,
    "packed": "what a saved-tensors hook made of it",
    "changed": "written to since it was saved",
}


def is_tensor(value: Any) -> bool:
    """Whether something is a tensor of PyTorch's, which is not imported for that."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


class TorchSource(Source):
    """A graph of PyTorch's."""

    no_lines = "PyTorch notes no lines. To see yours here, make the graph inside `with viz.watch():`."
    shows_rules = True

    def __init__(self, root: Any) -> None:
        super().__init__(root)
        self.explained: dict[Any, formulas.Explained] = {}  # nodes that have run -> their rules
        self.freed: set[Any] = set()  # nodes that have run, and keep nothing any more
        self._made: dict[Any, Making] = {}

    # -- of a tensor

    def tensor(self, value: Any) -> Any:
        return value if is_tensor(value) else None

    node, output, edges = attribute("grad_fn"), attribute("output_nr"), attribute("next_functions")
    needs_grad, keeps_grad = attribute("requires_grad"), attribute("retains_grad")

    def array(self, tensor: Any) -> Any:
        """Dense, on the CPU, and float32 where numpy has no such type (bfloat16)."""
        if not is_tensor(tensor):
            return tensor
        raw = tensor.detach()
        if raw.device.type == "meta":
            raise ValueError(
                "a tensor on the device 'meta' has a shape and no numbers: make the graph of tensors on the cpu"
            )
        if raw.is_quantized:
            raw = raw.dequantize()
        if not is_strided(raw):
            raw = raw.to_dense()
        raw = raw.cpu().resolve_conj().resolve_neg()
        return raw.numpy() if _has_numpy_type(raw) else raw.float().numpy()

    def grad(self, tensor: Any) -> Any:
        # Of a result that keeps no gradient, PyTorch's `.grad` is None and reading it warns.
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None

    def put_grad(self, tensor: Any, gradient: Any) -> None:
        tensor.grad = gradient

    def version(self, tensor: Any) -> int | None:
        return None if tensor.is_inference() else tensor._version

    def memory(self, tensor: Any) -> tuple[Any, ...]:
        if is_strided(tensor) and tensor.device.type != "meta":
            return (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        return (id(tensor),)

    # -- of a gradient

    def has_graph(self, gradient: Any) -> bool:
        return is_tensor(gradient) and bool(gradient.requires_grad)

    def is_same(self, one: Any, other: Any) -> bool:
        return one is other or not is_strided(other)  # one that was put back is another object: see `write`

    def copy(self, gradient: Any) -> Any:
        return gradient.detach().clone()

    def holds(self, gradient: Any, numbers: Any) -> bool:
        torch: Any = sys.modules["torch"]
        raw, other = gradient.detach(), numbers
        if not is_strided(raw):
            raw, other = raw.to_dense(), other.to_dense()
        return bool(torch.equal(raw, other) or torch.allclose(raw, other, 0.0, 0.0, equal_nan=True))

    def write(self, gradient: Any, numbers: Any) -> Any:
        """As with minigrad's, its version does not count this: nothing that PyTorch knows of has changed."""
        torch: Any = sys.modules["torch"]
        raw = gradient.detach()
        if not is_strided(raw) or not is_strided(numbers):
            return numbers.clone()
        with torch.autograd._unsafe_preserve_version_counter(raw):
            raw.copy_(numbers)
        return gradient

    # -- of a node

    def number(self, node: Any) -> int:
        return int(node._sequence_nr())

    name, inputs = staticmethod(formulas.node_name), staticmethod(formulas.input_names)
    is_leaf, is_custom = staticmethod(saved_tensors.is_leaf), staticmethod(saved_tensors.is_custom)

    def leaf(self, node: Any) -> Any:
        return node.variable if saved_tensors.is_leaf(node) else None

    def making(self, node: Any) -> Making:
        if node not in self._made:
            self._made[node] = NOT_NOTED if saved_tensors.is_leaf(node) else self._note_making(node)
        return self._made[node]

    def _note_making(self, node: Any) -> Making:
        call, kept = noted_of(node)
        try:  # PyTorch counts from the side of the gradients: a node's outputs are what it has inputs for
            abouts = list(enumerate(node._input_metadata))
            outputs = [
                Output(about, None if number not in kept else self.array(kept[number])) for number, about in abouts
            ]
        except RuntimeError:  # a nested tensor has no shape
            return NOT_NOTED
        return NOT_NOTED if not outputs else OnlyResults(outputs) if call is None else call.making(outputs)

    def known_result(self, node: Any, consumers: Iterable[Any]) -> Any:
        kept = self.saved_value(node, "result")
        if kept is not None:
            return kept
        for one in (node, *consumers):
            for parameter in saved_tensors.parameters(one):
                kept = self.saved_value(one, parameter)
                if is_tensor(kept) and kept.grad_fn is node and kept.output_nr == 0:
                    return kept
        return None

    def saved_names(self, node: Any) -> list[str]:
        """Its inputs first."""
        inputs = self.inputs(node)
        places = {name: place for place, name in enumerate(inputs)}
        return sorted(saved_tensors.parameters(node), key=lambda name: (places.get(name, len(inputs)), name))

    def saved_value(self, node: Any, parameter: str) -> Any:
        try:
            return saved_tensors.look(node, parameter)[1]
        except (AttributeError, RuntimeError, TypeError):
            return None

    def saved_values(self, node: Any, name_of: Callable[[Any], str]) -> Iterator[Saved]:
        for parameter in self.saved_names(node):
            state, value, versions = saved_tensors.look(node, parameter)
            if state != "kept":
                yield saved_gone(parameter, state, BECAME[state], BECAME[state], versions)
            elif is_tensor(value):
                yield saved_array(parameter, self.array(value), name_of(value), versions)
            elif value is not None:
                yield saved_plain(parameter, value)

    def is_freed(self, node: Any) -> bool:
        return node in self.freed or saved_tensors.is_freed(node)

    def rule(self, node: Any, parameter: str) -> Callable[..., Any] | str | None:
        return self.explained.get(node, formulas.NOTHING).rules.get(parameter)

    def bound_values(self, node: Any) -> Mapping[str, Any]:
        return self.explained.get(node, formulas.NOTHING).bound

    def noted_by_learner(self, node: Any) -> Iterable[Any]:
        return vars(node).values()

    def backward_source(self, node: Any) -> str:
        return text_of_function(node._forward_cls.backward) if saved_tensors.is_custom(node) else ""

    def overwritten_values(self, node: Any, error: BaseException) -> Iterator[Overwritten]:
        """PyTorch's error names neither the tensor nor the line."""
        for parameter in self.saved_names(node):
            versions = saved_tensors.look(node, parameter)[2]
            if any(versions):
                why = "PyTorch does not note which line wrote to it."
                yield Overwritten(parameter, "a tensor", versions, why=why)

    # -- of the whole graph

    def module_calls(self, nodes: list[Any], modules: Iterable[Any]) -> Mapping[Any, tuple[Any, ...]]:
        return calls_of(self, nodes, modules)

    def steps(self, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> Pass:
        return TorchPass(self, gradient, retain_graph, create_graph, inputs)


def is_strided(raw: Any) -> bool:
    """Whether a tensor lies in memory as a plain array does; else it is sparse."""
    return str(raw.layout) == "torch.strided"


def _has_numpy_type(raw: Any) -> bool:
    try:
        np.dtype(str(raw.dtype).removeprefix("torch."))
    except TypeError:
        return False
    return True


class Output:
    """What is known of one result of a node: its shape and type, and if `watch()` has kept them, its numbers."""

    def __init__(self, about: Any, numbers: Any) -> None:
        self.shape = tuple(about.shape)
        self.dtype = str(about.dtype).removeprefix("torch.")
        self.numbers = numbers

    def value(self) -> Any:
        return self.numbers


class OnlyResults(Making):
    """What is known of how a node was made that was not watched."""

    __slots__ = ("outputs",)

    def __init__(self, outputs: list[Output]) -> None:
        self.outputs = outputs

"""PyTorch's tensors and nodes, under the attributes that the pictures read of minigrad's.

All that a picture needs of a graph: of a tensor its numbers, `.grad` and `grad_fn`; of a node its name, number, inputs,
what it saved and its rules. A mirror holds the object that it stands for and asks it each time, so it is never out of
date. There is one mirror for each object, so mirrors can be compared with `is`.
"""

from __future__ import annotations

import operator
import sys
import weakref
from typing import Any

import numpy as np

from minigrad.viz.torch_graphs import formulas, saved
from minigrad.viz.torch_graphs.lines import noted_of

# By the id of what they stand for: a mirror holds that, so the id is its own for as long as the mirror is there.
_mirrors: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def mirror_of(value: Any) -> Any:
    """A tensor of PyTorch's as its mirror; anything else as it is."""
    torch = sys.modules.get("torch")
    return _mirror(value, Tensor) if torch is not None and isinstance(value, getattr(torch, "Tensor", ())) else value


def mirror_of_node(node: Any) -> Any:
    """The mirror of a node of PyTorch's; None for None."""
    return None if node is None else _mirror(node, Leaf if hasattr(node, "variable") else Node)


def _mirror(thing: Any, kind: type[Any]) -> Any:
    found = _mirrors.get(id(thing))
    if found is None:
        found = _mirrors[id(thing)] = kind(thing)
    return found


def _of_raw(name: str) -> Any:
    """An attribute or a method that is that of what a mirror stands for."""
    return property(operator.attrgetter(f"raw.{name}"))


class Tensor:
    """A tensor of PyTorch's; `raw` is itself."""

    __slots__ = ("__weakref__", "raw")

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    requires_grad, is_leaf, retains_grad = map(_of_raw, ("requires_grad", "is_leaf", "retains_grad"))
    output_nr, ndim, _version = map(_of_raw, ("output_nr", "ndim", "_version"))
    is_inference, item = map(_of_raw, ("is_inference", "item"))

    @property
    def grad_fn(self) -> Any:
        return mirror_of_node(self.raw.grad_fn)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.raw.shape)

    @property
    def grad(self) -> Any:
        # Of a result that keeps no gradient, PyTorch's `.grad` is None and reading it warns.
        return mirror_of(self.raw.grad) if self.raw.is_leaf or self.raw.retains_grad else None

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self.raw.grad = None if gradient is None else gradient.raw

    @property
    def memory(self) -> tuple[Any, ...]:
        """What tensors have in common that share all their memory; of those without an address, themselves."""
        raw = self.raw
        if _is_strided(raw) and raw.device.type != "meta":
            return ("torch", raw.data_ptr(), tuple(raw.shape), raw.stride(), raw.dtype)
        return ("torch", id(raw))

    @property
    def is_strided(self) -> bool:
        """Whether it lies in memory as a plain array does; else it is sparse."""
        return _is_strided(self.raw)

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        """The numbers as an array: dense, on the CPU, and float32 where numpy has no such type (bfloat16)."""
        raw = self.raw.detach()
        if raw.device.type == "meta":
            raise ValueError(
                "a tensor on the device 'meta' has a shape and no numbers: make the graph of tensors on the cpu"
            )
        if raw.is_quantized:
            raw = raw.dequantize()
        if not _is_strided(raw):
            raw = raw.to_dense()
        raw = raw.cpu().resolve_conj().resolve_neg()
        return raw.numpy() if _has_numpy_type(raw) else raw.float().numpy()

    def kept(self) -> Any:
        """A copy of the numbers, for `put_back`."""
        return self.raw.detach().clone()

    def holds(self, numbers: Any) -> bool:
        """Whether the numbers are still those that `kept` gave."""
        torch: Any = sys.modules["torch"]
        raw, other = self.raw.detach(), numbers
        if not _is_strided(raw):
            raw, other = raw.to_dense(), other.to_dense()
        return bool(torch.equal(raw, other) or torch.allclose(raw, other, 0.0, 0.0, equal_nan=True))

    def put_back(self, numbers: Any) -> Any:
        """Write back what `kept` gave; the tensor that then holds it: this one, or a copy where it cannot be written.

        As with minigrad's, its version does not count this: nothing that PyTorch knows of has changed.
        """
        torch: Any = sys.modules["torch"]
        raw = self.raw.detach()
        if not _is_strided(raw) or not _is_strided(numbers):
            return _mirror(numbers.clone(), Tensor)
        with torch.no_grad(), torch.autograd._unsafe_preserve_version_counter(raw):
            raw.copy_(numbers)
        return self


def _is_strided(raw: Any) -> bool:
    return str(raw.layout) == "torch.strided"


def _has_numpy_type(raw: Any) -> bool:
    try:
        np.dtype(str(raw.dtype).removeprefix("torch."))
    except TypeError:
        return False
    return True


class Output:
    """What is known of one result of a node: its shape and type, and if `watch()` has kept them, its numbers."""

    def __init__(self, about: Any, kept: Any) -> None:
        self.shape = tuple(about.shape)
        self.dtype = str(about.dtype).removeprefix("torch.")
        self.kept = kept

    def value(self) -> Any:
        return None if self.kept is None else mirror_of(self.kept).numpy()


class Made:
    """What is known of how a node was made that was not watched: its results."""

    def __init__(self, outputs: list[Output]) -> None:
        self.outputs = outputs


class Node:
    """A node of PyTorch's; `raw` is itself."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.rules: dict[str, Any] = {}  # parameter -> its rule, or words where it is not known: see `formulas`
        self.ran_and_freed = False
        self._creation = self._made()

    def name(self) -> str:
        return formulas.node_name(self.raw)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        return tuple((mirror_of_node(child), number) for child, number in self.raw.next_functions)

    _sequence_nr = _of_raw("_sequence_nr")

    @property
    def inputs(self) -> tuple[str, ...]:
        return formulas.input_names(self.raw)

    def saved_parameters(self) -> list[str]:
        """What this node can be asked for as `_saved_<parameter>`."""
        return saved.parameters(self.raw)

    def look(self, parameter: str) -> tuple[str, Any, tuple[int | None, int | None]]:
        """What became of a saved value: "kept", "freed", "packed" or "changed"; the value, if it is kept; and where it
        was written to since, its version now and the version that was saved.
        """
        state, value, versions = saved.look(self.raw, parameter)
        return state, mirror_of(value), versions

    def saved_result(self, consumers: list[Node]) -> Any:
        """The tensor that this node made, where it or a consumer has saved it."""
        for node in (self, *consumers):
            for parameter in node.saved_parameters():
                kept = getattr(node, f"_saved_{parameter}", None)
                if isinstance(kept, Tensor) and kept.raw.grad_fn is self.raw and kept.output_nr == 0:
                    return kept
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            return self.look(name.removeprefix("_saved_"))[1]
        raise AttributeError(name)

    @property
    def _is_custom(self) -> bool:
        return saved.is_custom(self.raw)

    @property
    def _kept(self) -> Any:
        """None once what was saved is freed, as of minigrad's nodes."""
        return None if self.ran_and_freed or saved.is_freed(self.raw) else ()

    @property
    def backward_function(self) -> Any:
        """Of a custom Function its own backward; else None."""
        return getattr(getattr(self.raw, "_forward_cls", None), "backward", None)

    def _made(self) -> Any:
        call, kept = noted_of(self.raw)
        try:  # PyTorch counts from the side of the gradients: a node's outputs are what it has inputs for
            outputs = [Output(about, kept.get(number)) for number, about in enumerate(self.raw._input_metadata)]
        except RuntimeError:  # a nested tensor has no shape
            return None
        return None if not outputs else Made(outputs) if call is None else call.record(outputs)


class Leaf(Node):
    """The AccumulateGrad of a leaf."""

    @property
    def variable(self) -> Any:
        return mirror_of(self.raw.variable)

    @property
    def inputs(self) -> tuple[str, ...]:
        return ()

    def saved_parameters(self) -> list[str]:
        return []

    def _made(self) -> None:
        return None

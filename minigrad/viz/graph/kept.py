"""What a node keeps for its rule: which values, in which version, and what became of them.

Four things can be said of a saved tensor: it is there; a hook has packed it away; it was written to since (its version
is not the one that was saved); or it is gone, because a backward used the graph up. Looking never runs a hook: what is
packed stays packed until the node itself asks for it.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from minigrad.autograd.function import FunctionNode
from minigrad.autograd.saved import PackedTensor, Versioned
from minigrad.viz.graph import naming, values
from minigrad.viz.graph.values import NOT_KEPT, Value, short

Versions = tuple[int | None, int | None]  # of a tensor: how often it was written to by now, and when it was saved
FREED = "freed by a backward that used the graph"
OF_PYTORCH = {  # what became of a value that PyTorch does not show
    "freed": FREED,
    "packed": "what a saved-tensors hook made of it",
    "changed": "written to since it was saved",
}


@dataclass(frozen=True)
class Saved:
    """One value that a node keeps for its rule.

    `state` is "kept", "packed", "changed" (written to since it was saved) or "freed". `version` counts the writes to
    the tensor now, `saved_version` those when it was saved; None where writes are not counted.
    """

    parameter: str
    value: Value
    name: str = ""
    array: Any = field(default=None, compare=False, repr=False)  # a copy, where it is small
    state: str = "kept"
    version: int | None = None
    saved_version: int | None = None
    hook: Any = field(default=None, compare=False, repr=False)  # the function that packed it

    def called(self, owner: str) -> str:
        """What it is called in a sentence; `owner` is the name of the result of the node that keeps it."""
        return owner if self.parameter == "result" else self.name or self.parameter

    @property
    def is_tensor(self) -> bool:
        return bool(self.value.dtype) or self.state != "kept"


def _saved_plain(parameter: str, value: Any) -> Saved:
    """A value that is no tensor."""
    return Saved(parameter, Value(short(value), short(value)), "", value)


def _saved_array(parameter: str, array: Any, name: str, versions: Versions) -> Saved:
    small = array.copy() if array.size <= values.LISTED else None
    return Saved(parameter, values.describe(array), name, small, "kept", *versions)


def _saved_gone(parameter: str, state: str, text: str, words: str, versions: Versions = (None, None)) -> Saved:
    """A value that cannot be shown any more."""
    return Saved(parameter, Value(text, words, known=False), "", None, state, *versions)


def saved_parameters(node: Any) -> list[str]:
    """What `read_saved` can be asked for of a node, its inputs first; of a custom Function "tensor 0" and so on."""
    if isinstance(node, FunctionNode):
        return [f"tensor {number}" for number in range(len(node._kept or ()))]
    found = node.saved_parameters() if hasattr(node, "saved_parameters") else _saved_names(node.__class__)
    inputs = list(getattr(node, "inputs", ()))
    return sorted(found, key=lambda name: (inputs.index(name) if name in inputs else len(inputs), name))


@functools.lru_cache(maxsize=256)
def _saved_names(kind: type) -> list[str]:
    """The parameters that nodes of one class save; Python makes the list of a class's names anew each time."""
    return [name.removeprefix("_saved_") for name in dir(kind) if name.startswith("_saved_")]


def read_saved(node: Any, parameter: str) -> Any:
    """The saved value, or None where it was freed, packed, changed in place or is not there."""
    is_functions = isinstance(node, FunctionNode) and parameter.startswith("tensor ")
    try:
        kept = node._kept[int(parameter.removeprefix("tensor "))] if is_functions else _slot(node, parameter)[0]
        held = kept[0] if is_functions and isinstance(kept, tuple) else kept  # an output, with the count of its writes
        if isinstance(held, PackedTensor):
            return None
        return node._restored(kept) if is_functions else getattr(node, f"_saved_{parameter}")
    except (AttributeError, RuntimeError, TypeError):
        return None


def all_kept(node: Any, name_of: Callable[[Any], str]) -> Iterator[Saved]:
    """Everything that a node keeps; `name_of(tensor)` is what the learner calls it."""
    if hasattr(node, "look"):
        yield from _kept_by_mirror(node, name_of)
        return
    if getattr(node, "_is_custom", False):
        yield from _kept_by_function(node, name_of)
        return
    for parameter in saved_parameters(node):
        kept, versions = _slot(node, parameter)
        value = read_saved(node, parameter)
        if getattr(node, "_kept", ()) is None:
            if parameter in getattr(node, "_kept_names", ()) and parameter in (*node.inputs, "result"):
                yield _saved_gone(parameter, "freed", "freed", FREED)
        elif isinstance(kept, PackedTensor):
            yield _saved_packed(parameter, kept)
        elif naming.is_tensor(value):
            yield _saved_array(parameter, value.detach().numpy(), name_of(value), versions)
        elif versions[0] != versions[1]:
            yield _saved_gone(parameter, "changed", NOT_KEPT.text, NOT_KEPT.full, versions)
        elif value is not None or parameter == "dim":  # which is None for all dimensions
            yield _saved_plain(parameter, value)


def _kept_by_mirror(node: Any, name_of: Callable[[Any], str]) -> Iterator[Saved]:
    """What a node of PyTorch's shows of what it keeps."""
    for parameter in saved_parameters(node):
        state, value, versions = node.look(parameter)
        if state != "kept":
            yield _saved_gone(parameter, state, OF_PYTORCH[state], OF_PYTORCH[state], versions)
        elif naming.is_tensor(value):
            yield _saved_array(parameter, value.detach().numpy(), name_of(value), versions)
        elif value is not None:
            yield _saved_plain(parameter, value)


def _saved_packed(parameter: str, kept: PackedTensor) -> Saved:
    """What a pack hook left in a tensor's place."""
    held = kept.packed
    array = held.detach().numpy() if naming.is_tensor(held) else held if hasattr(held, "__array_interface__") else None
    value = values.describe(array) if array is not None else Value(short(held), short(held))
    return Saved(parameter, value, state="packed", hook=kept.pack_hook)


def _slot(node: Any, parameter: str) -> tuple[Any, Versions]:
    """What stands in the place of a saved value; its version now, and the version that was saved."""
    names = getattr(node, "_kept_names", ())
    kept = getattr(node, "_kept", None)
    if kept is None or parameter not in names:
        return None, (None, None)
    position = names.index(parameter)
    held = kept[position]
    if parameter == "result" and not isinstance(held, PackedTensor):
        return held, (kept[position + 1][0], held.version if isinstance(held, Versioned) else 0)
    return held, _versions(held)


def _versions(held: Any) -> Versions:
    if isinstance(held, Versioned):
        return held.tensor._version, held.version
    return (held._version, 0) if naming.is_tensor(held) and not held.is_inference() else (None, None)


def parameter_of(node: Any, is_wanted: Callable[[Any], bool]) -> str:
    """The name under which a node has saved what is wanted, such as "other"; "" if it has saved nothing of the kind."""
    for position, held in enumerate(getattr(node, "_kept", None) or ()):
        if is_wanted(held):
            names = getattr(node, "_kept_names", ())
            return names[position] if position < len(names) else f"saved_tensors[{position}]"
    return ""


def _kept_by_function(node: Any, name_of: Callable[[Any], str]) -> Iterator[Saved]:
    """What a custom Function saved with `save_for_backward`, and what else it noted on `ctx`."""
    if node._kept is None:
        yield _saved_gone("saved_tensors", "freed", "freed", FREED)
    for position, held in enumerate(node._kept or ()):
        parameter = f"saved_tensors[{position}]"
        is_output = isinstance(held, tuple)  # of the Function itself
        versions = (held[1][0], held[0].version) if is_output else _versions(held)
        tensor = held.tensor if isinstance(held, Versioned) else held
        if isinstance(held, PackedTensor):
            yield _saved_packed(parameter, held)
        elif versions[0] != versions[1]:
            yield _saved_gone(parameter, "changed", NOT_KEPT.text, NOT_KEPT.full, versions)
        elif is_output:
            yield _saved_array(parameter, held[0].tensor, "", versions)
        elif held is not None:
            yield _saved_array(parameter, tensor.detach().numpy(), name_of(tensor), versions)
    for name, value in sorted(vars(node).items()):
        if not name.startswith("_") and name != "needs_input_grad":
            yield _saved_plain(f"ctx.{name}", value)


@functools.lru_cache(maxsize=256)
def _source_of(code: CodeType) -> str:
    return textwrap.dedent(inspect.getsource(code)).rstrip()


def source_of_backward(node: Any) -> str:
    """The learner's own `backward`, as they wrote it; "" for built-in operations and where there is no source."""
    try:
        is_mirror = hasattr(node, "backward_function")
        function = node.backward_function if is_mirror else type(node)._function._gradient_function()
        if isinstance(function, str):
            return textwrap.dedent(function).rstrip()
        return _source_of(inspect.unwrap(function).__code__)
    except (AttributeError, OSError, TypeError, RuntimeError):
        return ""


def argument_names(node: Any) -> list[str]:
    """What a custom Function calls its tensors, in the order of `next_functions`; [] where that is not to be had."""
    if hasattr(node, "backward_function"):
        return list(node.inputs)
    function = getattr(type(node), "_function", None)
    given = getattr(node, "_given", ())
    if function is None:
        return []
    names = list(inspect.signature(function.forward).parameters)
    names = names if len(names) == len(given) else names[1:]  # without ctx
    return [name for name, is_tensor in zip(names, given, strict=False) if is_tensor]

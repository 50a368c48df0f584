"""A recorded graph computed once more, with other numbers in its leaves.

The ops that the graph remembers are called again, in the order in which they were called first, on copies: so a second
graph stands beside the learner's, and nothing of the learner's runs or is touched. What needed no gradient (data, masks
that were drawn, what a comparison found, what was detached) is as it was. An op's other arguments are those that were
noted when it was called (see graph/observer.py), but for what is found in the input itself: indices of a maximum, the
mean of a normalised row. A custom Function is not run again, since its forward may do more than compute.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad import op
from minigrad.autograd.grad_mode import Mode
from minigrad.autograd.inplace import CopySlices, record_write
from minigrad.autograd.modes import count_unusual, thread
from minigrad.autograd.namespaces import tensors
from minigrad.autograd.node import edge_node
from minigrad.nn import functional
from minigrad.ops.reductions.extremes import _middle, _order
from minigrad.tensor import Tensor, from_array
from minigrad.viz.graph import values
from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.observer import UNKNOWN, Copy, OperandCopy, map_parts
from minigrad.viz.graph.source import Source
from minigrad.viz.picture.markup import clean

NOT_KNOWN = "what it was called with is not known: it was made before minigrad.viz was imported, or by no operation"


class CannotReplayError(RuntimeError):
    """A box that cannot be computed once more; the text says which, and why."""


class NotedCalls:
    """What a replay needs of a graph and a pass or a cell may change: the numbers of its leaves, and what wrote through
    views.
    """

    def __init__(self, graph: Snapshot) -> None:
        leaves = {key: leaf for key, node in graph.node_of.items() if (leaf := graph.source.leaf(node)) is not None}
        self.leaves = {key: OperandCopy(leaf.detach()) for key, leaf in leaves.items()}
        self.writes = {
            node: node._kept[0] for node in graph.node_of.values() if isinstance(node, CopySlices) and node._kept
        }
        self.tensors = leaves

    def numbers(self, key: str, name: str) -> Any:
        """What a leaf held when the graph was drawn."""
        noted = self.leaves[key]
        array = None if _is_overwritten(noted, self.tensors[key]) else noted.value()
        if array is None:
            raise CannotReplayError(
                f"{clean(name)} was written to since, and is too large for its numbers to have been kept."
            )
        return array


class Replay:
    """The second graph: `graph` has the boxes of the first with other numbers, `root` is its result, `leaves` the copy
    of each leaf by its box.

    Args:
        first: the graph that was recorded.
        noted: what was kept of it when it was drawn.
        changed: box id -> the numbers of those leaves that have others.
        output: which output of its node the root is.
        precisely: compute in double precision.
    """

    def __init__(
        self, first: Snapshot, noted: NotedCalls, changed: Mapping[str, Any], output: int, precisely: bool = False
    ) -> None:
        self.noted = noted
        self.source = first.source
        self.precisely = precisely
        self.calls = _ops_by_node()
        self.made: dict[Any, tuple[Tensor, ...]] = {}  # node of the first graph -> the results of its second call
        self.leaves: dict[str, Tensor] = {}
        self.found: dict[Any, tuple[Tensor, Tensor]] = {}  # indices that an op gave, and the new ones
        with _usual_recording():
            for box in first.boxes:
                node = first.node_of.get(box.id)
                if node is None:
                    continue
                if self.source.is_leaf(node):
                    held = changed[box.id] if box.id in changed else noted.numbers(box.id, box.name)
                    self.leaves[box.id] = self._constant(held).requires_grad_()
                    self.made[node] = (self.leaves[box.id],)
                else:
                    self.made[node] = self._results(box, node)
        self.of = {key: self.made[node] for key, node in first.node_of.items()}  # box -> its results
        self.root = self.of[first.root][output]
        nodes = [None if node is None else self.made[node][0] for node in first.nodes]
        behind = tuple(tensor if tensor is None else edge_node(tensor) for tensor in nodes)
        boxes = tuple(
            box if node is None else _with_numbers(self.source, box, node, self.made[old])
            for box, node, old in zip(first.boxes, behind, first.nodes, strict=True)
        )
        source = type(self.source)(self.root)
        self.graph = replace(first, boxes=boxes, nodes=behind, source=source, results=(), reached={})

    def _constant(self, array: Any) -> Tensor:
        """A tensor of its own with these numbers."""
        is_widened = self.precisely and array.dtype.kind == "f"
        return from_array(np.array(array, np.float64 if is_widened else array.dtype)[()])

    def _results(self, box: Box, node: Any) -> tuple[Tensor, ...]:
        """The results of one operation, called again."""
        try:
            if isinstance(node, CopySlices):
                return (self._write(node),)
            result = self._call(node, self._inputs(node, enumerate(self.source.edges(node))))
            return tuple(result) if isinstance(result, list | tuple) else (result,)
        except CannotReplayError as error:
            raise CannotReplayError(f"{clean(box.name)} cannot be computed once more: {error}.") from None
        except Exception as error:
            text = f"{clean(box.name)} cannot be computed with these numbers: {error}"
            raise CannotReplayError(text) from error

    def _inputs(self, node: Any, edges: Iterable[tuple[int, Any]]) -> list[Any]:
        """What goes into an operation, along edges with their slots."""
        return [
            self._without_grad(node, slot) if child is None else self.made[child][output]
            for slot, (child, output) in edges
        ]

    def _without_grad(self, node: Any, slot: int) -> Any:
        """An input that needs no gradient: a number, or a tensor as it was."""
        making = self.source.making(node)
        if slot in making.numbers:
            number = making.numbers[slot]
            return self._constant(number._array) if self.precisely else number
        noted = making.operands.get(slot, UNKNOWN)
        return self._value(noted, node, node.inputs[slot] if slot < len(node.inputs) else "")

    def _value(self, noted: Any, node: Any, parameter: str) -> Any:
        """What was noted as it goes into a call: a copy as an array or a tensor, anything else as it is."""
        if isinstance(noted, tuple | list):
            return map_parts(noted, lambda part: self._value(part, node, ""))
        if noted is not UNKNOWN and not isinstance(noted, Copy):
            return noted
        if isinstance(noted, OperandCopy) and (anew := self.found.get((id(noted.tensor()), noted.version))):
            return anew[1]
        array = None if noted is UNKNOWN or _is_overwritten(noted) else noted.value()
        if array is not None:
            return self._constant(array) if isinstance(noted, OperandCopy) else np.array(array)[()]
        kept = self.source.saved_value(node, parameter)
        if kept is None:
            gone = "an operand without gradient is not there any more, or was written to since"
            raise CannotReplayError(NOT_KNOWN if noted is UNKNOWN else gone)
        return self._constant(self.source.array(kept)) if isinstance(kept, Tensor) else kept

    def _call(self, node: Any, inputs: list[Any]) -> Any:
        function = self.calls.get(type(node))
        if self.source.is_custom(node):
            name = type(node)._function.__name__
            raise CannotReplayError(
                f"{name} is your own, and its forward may do more than compute: it is not run again"
            )
        if function is None:
            raise CannotReplayError(NOT_KNOWN)
        given = self.source.making(node).given or {}
        if function.__name__ in FOUND_ANEW:
            return FOUND_ANEW[function.__name__](self, function, node, inputs, given)
        declared = function.__globals__["write"].op_text
        names = [op.local(name) for name in declared.parameters if name not in declared.inputs]
        options = {name: self._value(given.get(name, UNKNOWN), node, name) for name in names}
        if declared.variadic:
            return function(*inputs, **options)
        return function(**dict(zip(map(op.local, declared.inputs), inputs, strict=True)), **options)

    def _write(self, node: CopySlices) -> Tensor:
        """A write through a view, onto a copy of the base."""
        inner, (base, output), noted = self.noted.writes.get(node), self.source.edges(node)[0], self.source.making(node)
        old = (
            from_array(noted.outputs[0].value())
            if base is None and noted.outputs
            else self.made.get(base, (None,))[output]
        )
        if inner is None or old is None or old._array is None:
            raise CannotReplayError("it was written through a view, and what that did is not kept any more")
        whole = from_array(np.array(old._array))
        whole._node, whole._output_nr, whole._state = old._node, old._output_nr, old._state
        view = tensors.strided(whole, node.geometry)
        before = from_array(np.array(view._array))  # which the operation may save: it stays as it is
        before._node, before._output_nr = view._node, view._output_nr
        slots = [slot for slot in range(len(inner.next_functions)) if slot != node.position]
        inputs = self._inputs(inner, zip(slots, node.next_functions[1:], strict=True))
        inputs.insert(node.position, before)
        result = self._call(inner, inputs)
        record_write(view, result._node, lambda: np.copyto(view._array, result._array, casting="unsafe"))
        return whole


def _ops_by_node() -> dict[Any, Any]:
    """The type of a node -> the op that leaves it: those of most ops have two, for float16 another one."""
    found: dict[Any, Any] = {}
    for function in op.calls:
        names = function.__globals__
        in_half = names["in_half"].__globals__ if names["in_half"] else {}
        found |= {names["NodeType"]: function, in_half.get("NodeType"): function}  # the other one if it was called
    return found


# ---------------------------------------------------------------- what is found in the input itself


# Nodes of what finds one element along a dimension -> its index.
ONE_ALONG: Mapping[str, Any] = {"MaxBackward0": np.argmax, "MinBackward0": np.argmin, "MedianBackward1": _middle}


def _select_again(replay: Replay, function: Any, node: Any, inputs: list[Any], given: Mapping[str, Any]) -> Any:
    """The largest or the smallest along a dimension, or elements in order: with indices as the op's name says."""
    (source,), dim, keepdim = inputs, given.get("dim"), given.get("keepdim")
    name, old = type(node).__name__, replay._value(given.get("indices", UNKNOWN), node, "indices")
    if dim is None:
        raise CannotReplayError(NOT_KNOWN)
    if not source.ndim:
        indices: Any = old._array
    elif name in ONE_ALONG:
        indices = ONE_ALONG[name](source._array, axis=dim, keepdims=bool(keepdim))
    else:
        indices = np.take(_order(source._array, dim, _descends(replay, node, dim)), np.arange(old.shape[dim]), axis=dim)
    anew, noted = from_array(np.asarray(indices)[()]), given["indices"]
    if isinstance(noted, OperandCopy) and (held := noted.tensor()) is not None:
        replay.found[id(held), noted.version] = held, anew
    return function(source, anew, dim, keepdim)


def _descends(replay: Replay, node: Any, dim: int) -> bool:
    """Whether a node has sorted its input from the largest to the smallest."""
    sorted_once = replay.source.making(node).outputs[0].value()
    if sorted_once is None:
        raise CannotReplayError("in which order it was sorted is not known any more")
    ends = np.take(sorted_once, [0, -1], axis=dim)
    return bool((np.take(ends, 0, axis=dim) > np.take(ends, 1, axis=dim)).any())


def _normalize_again(replay: Replay, function: Any, node: Any, inputs: list[Any], given: Mapping[str, Any]) -> Any:
    """A normalisation, which finds mean and variance in its input."""
    (source, weight, *_), norm = inputs, given.get("norm") or replay.source.saved_value(node, "norm")
    if norm is None:
        raise CannotReplayError(NOT_KNOWN)
    own: Any = functional
    if function.__name__ == "normalize_batch":
        return own.batch_norm(source, None, None, *inputs[1:], True, 0.1, norm.eps)
    if function.__name__ == "normalize_group":
        return own.group_norm(source, norm.rows[1] // len(source._array), *inputs[1:], norm.eps)
    again = own.layer_norm if function.__name__ == "normalize_layer" else own.rms_norm
    return again(source, weight.shape, *inputs[1:], norm.eps)


def _gate_again(replay: Replay, function: Any, node: Any, inputs: list[Any], given: Mapping[str, Any]) -> Any:
    """gelu, whose gate is found in its input."""
    approximate = given.get("approximate") or replay.source.saved_value(node, "approximate")
    if approximate is None:
        raise CannotReplayError(NOT_KNOWN)
    return functional.gelu(*inputs, approximate=approximate)


def _cast_again(replay: Replay, function: Any, node: Any, inputs: list[Any], given: Mapping[str, Any]) -> Any:
    """Another dtype, but for what is computed in double precision throughout."""
    dtype = replay._value(given.get("dtype", UNKNOWN), node, "dtype")
    return function(*inputs, np.float64 if replay.precisely else dtype)


FOUND_ANEW = {
    "cast": _cast_again,
    "gelu": _gate_again,
    "take_along": _select_again,
    **dict.fromkeys(["normalize_batch", "normalize_layer", "normalize_group", "normalize_rms"], _normalize_again),
}


# ---------------------------------------------------------------- the second graph's boxes


@contextlib.contextmanager
def _usual_recording() -> Iterator[None]:
    """Recording as usual, whatever is in force around a call."""
    hooks, thread.saved_tensors_hooks = thread.saved_tensors_hooks, ()
    count_unusual()
    try:
        with Mode(True, False):
            yield
    finally:
        thread.saved_tensors_hooks = hooks
        count_unusual()


def _is_overwritten(noted: Copy, tensor: Any = None) -> bool:
    """Whether an operand of which no copy was made holds other numbers by now."""
    if not isinstance(noted.numbers, weakref.ref) or not isinstance(noted, OperandCopy):
        return False
    tensor = noted.tensor() if tensor is None else tensor
    return tensor is not None and noted.version is not None and tensor._version != noted.version


def _with_numbers(source: Source, box: Box, node: Any, made: tuple[Tensor, ...]) -> Box:
    """A box with the numbers of the second graph."""
    described = tuple(values.describe(source.array(tensor)) for tensor in made)
    names = {saved.parameter: saved.name for saved in box.saved}
    kept = () if source.is_leaf(node) else source.saved_values(node, lambda tensor: "")
    return replace(
        box,
        value=values.value_of_outputs(described) if box.outputs else described[0],
        outputs=described if box.outputs else (),
        grad=values.NONE,
        saved=tuple(replace(saved, name=names.get(saved.parameter, "")) for saved in kept),
        version=None,
        saved_version=None,
    )

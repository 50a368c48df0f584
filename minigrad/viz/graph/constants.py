"""The tensors of a graph that need no gradient: data, targets, masks.

They have boxes of their own, without a gradient. The engine's graph does not hold such tensors; they are found in what
was noted when a node was made, and in what its rule has saved. Plain numbers get no box: they stand in the expression.
"""

from __future__ import annotations

from dataclasses import replace
from types import FrameType
from typing import Any

from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.kept import read_saved
from minigrad.viz.graph.learner_code import only_assignment
from minigrad.viz.graph.naming import LONGEST, Variables, is_tensor, memory, with_names
from minigrad.viz.graph.nodes import by_rule, creation
from minigrad.viz.graph.records import Span
from minigrad.viz.graph.values import NONE, NOT_KEPT, Value, describe, shape_text

Entry = tuple[int, Any, Box]  # slot of the node's inputs, what tells equal ones apart, and the box (without its id)


def constants_of(nodes: list[Any], variables: Variables, frame: FrameType | None) -> dict[Any, list[Entry]]:
    """For each node the tensors without grad that enter it, as far as its record or its rule kept them.

    One tensor that enters in several places is one box: its key is its memory.
    """
    found: dict[Any, list[Entry]] = {}
    for node in nodes:
        if by_rule(node):
            continue  # the numbers inside a rule are in its text
        for slot, (child, _) in enumerate(node.next_functions):
            constant = _constant(node, slot, variables, frame) if child is None else None
            if constant is not None:
                found.setdefault(node, []).append((slot, *constant))
    return found


def _constant(node: Any, slot: int, variables: Variables, frame: FrameType | None) -> tuple[Any, Box] | None:
    """What enters a node without needing a gradient, if more is known of it than a number in the expression."""
    operand = getattr(creation(node), "operands", {}).get(slot)
    inputs = getattr(node, "inputs", ())
    kept = read_saved(node, inputs[slot]) if slot < len(inputs) else None
    tensor = operand.tensor() if operand is not None else None
    if tensor is None and is_tensor(kept):
        tensor = kept
    label = variables.leaf(tensor) if tensor is not None else None
    array = operand.value() if operand is not None else None
    if array is None and tensor is not None:
        array = tensor.detach().numpy()
    if array is None and operand is None:
        return None
    value = lost(operand) if array is None else describe(array)
    if label is None and (not value.shape or 0 in value.shape):
        return None  # a number stands in the expression; what is empty stands for nothing, as in a layer without bias
    version = None if operand is None else operand.version
    expression, span = _made_by(label, frame)
    key = memory(tensor) if tensor is not None else (node, slot)
    box = Box("", "constant", label or "constant", expression, "", value, NONE, span)
    return key, replace(box, needs_grad=False, version=version)


def _made_by(name: str | None, frame: FrameType | None) -> tuple[str, Span | None]:
    """The text of the learner's that made a tensor which needs no grad, and where it stands."""
    place = only_assignment(name, frame)
    text = "" if place is None else with_names(place, {})
    return (text if 0 < len(text) <= LONGEST else "no grad"), place


def lost(copy: Any) -> Value:
    """A value of which only the shape and the dtype are known."""
    text = shape_text(copy.shape) if copy.shape else "a number"
    return replace(NOT_KEPT, text=text, shape=copy.shape, dtype=str(copy.dtype))

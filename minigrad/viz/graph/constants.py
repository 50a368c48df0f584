"""The tensors of a graph that need no gradient: data, targets, masks.

They have boxes of their own, without a gradient. The engine's graph does not hold such tensors; they are found in what
was noted when a node was made, and in what its rule has saved. Plain numbers get no box: they stand in the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import FrameType
from typing import Any

from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.learner_code import only_assignment
from minigrad.viz.graph.naming import LONGEST, Variables, names_by_text, operand_text
from minigrad.viz.graph.observer import Span
from minigrad.viz.graph.one_line import with_names
from minigrad.viz.graph.values import NONE, NOT_KEPT, Value, describe, shape_text


def constants_of(
    nodes: list[Any], variables: Variables, frame: FrameType | None, spans: Mapping[Any, Span | None], taken: set[str]
) -> tuple[dict[Any, dict[int, Any]], dict[Any, Box]]:
    """The tensors without grad that enter the nodes, as far as their makings or rules kept them: for each node slot ->
    what tells equal ones apart, and for each of these the box, without its id.

    One tensor that enters in several places is one box: its key is its memory. What no variable holds is called what
    the code of a node calls it, the `x` of a loop that has ended, with a number where that is several or another's.
    """
    keys: dict[Any, dict[int, Any]] = {}
    boxes: dict[Any, Box] = {}
    texts: dict[Any, str] = {}  # of those that no variable holds
    source = variables.source
    for node in nodes:
        if source.making(node).by_rule:
            continue  # the numbers inside a rule are in its text
        for slot, (child, _) in enumerate(source.edges(node)):
            constant = _constant(node, slot, variables, frame) if child is None else None
            if constant is not None:
                key, box = constant
                keys.setdefault(node, {})[slot] = key
                if not boxes.setdefault(key, box).name:
                    texts[key] = texts.get(key) or operand_text(source, spans[node], node, slot, frame)
    taken = taken | {box.name for box in boxes.values()}
    names = names_by_text(texts, taken)
    boxes |= {key: replace(boxes[key], name=names.get(key, "constant")) for key in texts}
    return keys, boxes


def _constant(node: Any, slot: int, variables: Variables, frame: FrameType | None) -> tuple[Any, Box] | None:
    """What enters a node without needing a gradient, if more is known of it than a number in the expression."""
    source = variables.source
    operand, inputs = source.making(node).operands.get(slot), source.inputs(node)
    kept = source.saved_value(node, inputs[slot]) if slot < len(inputs) else None
    tensor = operand.tensor() if operand is not None else None
    if tensor is None:
        tensor = source.tensor(kept)
    label = variables.leaf(tensor) if tensor is not None else None
    array = operand.value() if operand is not None else None
    if array is None and tensor is not None:
        array = source.array(tensor)
    if array is None and operand is None:
        return None
    value = shape_only(operand) if array is None else describe(array)
    if label is None and (not value.shape or 0 in value.shape):
        return None  # a number stands in the expression; what is empty stands for nothing, as in a layer without bias
    version = None if operand is None else operand.version
    expression, span = _made_by(label, frame)
    key = source.memory(tensor) if tensor is not None else (node, slot)
    box = Box("", "constant", label or "", expression, "", value, NONE, span)
    return key, replace(box, needs_grad=False, version=version)


def _made_by(name: str | None, frame: FrameType | None) -> tuple[str, Span | None]:
    """The text of the learner's that made a tensor which needs no grad, and where it stands."""
    place = only_assignment(name, frame)
    text = "" if place is None else with_names(place, {})
    return (text if 0 < len(text) <= LONGEST else "no grad"), place


def shape_only(copy: Any) -> Value:
    """A value of which only the shape and the dtype are known."""
    text = shape_text(copy.shape) if copy.shape else "a number"
    return replace(NOT_KEPT, text=text, shape=copy.shape, dtype=str(copy.dtype))

"""What a node sends to each of its inputs: its rule as code, with numbers, and what hooks made of the result.

A line such as "g * D = 1 * 4 = 4" comes from the rule of the node, the values that it has saved put in for their names,
and the gradient that came out. The engine has computed all of it; nothing is run here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.autograd.fitting import fit_gradient
from minigrad.viz.graph import rules, values
from minigrad.viz.graph.boxes import Box, Edge
from minigrad.viz.graph.kept import argument_names
from minigrad.viz.graph.rules import Rule
from minigrad.viz.graph.values import describe, in_words, shape_text
from minigrad.viz.picture.markup import clean, columns, shorten
from minigrad.viz.steps.frames import Contribution
from minigrad.viz.steps.progress import Progress
from minigrad.viz.steps.story import sum_text
from minigrad.viz.steps.watching import Note

CHIP = 18  # columns of the pill on an edge
Step = tuple[Any, tuple[Any, ...], tuple[Any, ...]]  # node, gradients in, gradients out
Unpacked = Mapping[tuple[str, str], Any]  # box and parameter -> what an unpack hook made


def contributions_of(
    progress: Progress, box: Box, step: Step, notes: list[Note], unpacked: Unpacked, sends: bool = True
) -> tuple[Contribution, ...]:
    """What a node sends to its inputs. `step` is (node, gradients in, gradients out) as the engine gives it, `notes`
    what hooks did meanwhile; with `sends`, it arrives there.
    """
    node, incoming, outgoing = step
    received = next((array_of(gradient) for gradient in incoming if gradient is not None), None)
    own = next((note.before for note in notes if note.kind == "node_hook" and note.box == box.id), ())
    edges = {edge.slot: edge for edge in progress.live_into.get(box.id, ())}
    found = []
    for slot, gradient in enumerate(outgoing):
        edge = edges.get(slot)
        if edge is None:
            continue
        if gradient is None:
            if sends:
                progress.edge_is(edge.id, "off")
                progress.arrive(edge.source, edge.output, None, box.name)
            continue
        array = array_of(gradient)
        by_rule = own[slot] if slot < len(own) and own[slot] is not None else array
        rule = _rule(box, node, edge.slot, received, unpacked)
        item = _contribution(edge, progress.boxes[edge.source], rule, by_rule, array)
        if sends:
            before = progress.arrive(edge.source, edge.output, item.array, box.name, item.value)
            if before is not None:
                after = progress.sums[item.box][edge.output]
                item = replace(item, joint=sum_text(before, item.array, after))
        progress.edge_is(edge.id, "now")
        found.append(item)
    return tuple(found)


def _contribution(
    edge: Edge, target: Box, rule: Rule, raw: np.ndarray[Any, Any], passed: np.ndarray[Any, Any]
) -> Contribution:
    """`raw` is what the rule gave, `passed` what hooks have made of it."""
    value = target.outputs[edge.output] if edge.output < len(target.outputs) else target.value
    shape = value.shape if value.known or value.shape else raw.shape
    array, final = _fit(raw, shape), _fit(passed, shape)
    changed = "" if np.array_equal(array, final, equal_nan=True) else f"which a hook changed to {in_words(final)}"
    formula = "" if rule.in_words else rule.named or rule.source
    text = " = ".join(dict.fromkeys(part for part in (formula, rule.numbers, in_words(raw)) if part))
    summed = ""
    if raw.shape != array.shape:
        summed = f"summed from {shape_text(raw.shape)} to {shape_text(array.shape)}, "
        summed += f"because {clean(target.name)} was broadcast: {in_words(array)}"
    return Contribution(edge.id, target.id, target.name, rule, text, describe(final), summed, "", changed, final)


def _rule(box: Box, node: Any, slot: int, received: Any, unpacked: Unpacked) -> Rule:
    if box.backward or getattr(node, "_is_custom", False):
        arguments = argument_names(node)
        parameter = arguments[slot] if slot < len(arguments) else f"input {slot}"
        return Rule(parameter, f"{box.op.removesuffix('Backward')}.backward(ctx, g)", "", "")
    if box.op == "CopySlices":  # the write of a part: autograd/inplace.py
        words = "g, with 0 in the part that was written" if slot == 0 else "the part of g that was written"
        return Rule("self" if slot == 0 else "written", words, "", "", in_words=True)
    inputs = box.inputs
    parameter = inputs[slot] if len(inputs) == len(node.next_functions) else (inputs[0] if inputs else f"input {slot}")
    function = getattr(node, "rules", {}).get(parameter)
    bound = _bound(box, received, unpacked)
    bound |= getattr(node, "bound", {})  # what a mirror's rules ask for beyond what PyTorch has saved
    called = {saved.parameter: saved.name for saved in box.saved if saved.name}
    is_number = {key: isinstance(value, int | float) and not isinstance(value, bool) for key, value in bound.items()}
    called |= {key: values.number(value) for key, value in bound.items() if is_number[key]}
    if "result" in bound:
        called["result"] = box.name
    return rules.explain(function, parameter, bound, called)


def _bound(box: Box, received: Any, unpacked: Unpacked) -> dict[str, Any]:
    """The values of the names in a rule, as far as they are known."""
    bound = {"g": received} if received is not None else {}
    for saved in box.saved:
        unknown = rules.Sizes(saved.value.shape) if saved.array is None and saved.is_tensor else saved.array
        bound[saved.parameter] = unpacked.get((box.id, saved.parameter), unknown)
    return {name: rules.binding(value) for name, value in bound.items()}


def chip(item: Contribution) -> str:
    """What flows along an edge, as far as it fits: `1 * 4 = 4`, else the value, else its shape."""
    if item.value.alarm:
        return f"⚠ {item.value.alarm}"
    whole = f"{item.rule.numbers} = {item.value.text}"
    says_more = item.rule.numbers not in ("", item.value.text) and not item.value.is_large and not item.summed
    return whole if says_more and columns(whole) <= CHIP else shorten(item.value.text, CHIP)


def array_of(gradient: Any) -> np.ndarray[Any, Any]:
    """A copy of a gradient, whether array, numpy scalar or tensor: the engine goes on to use its own."""
    return np.array(gradient.detach().numpy() if hasattr(gradient, "detach") else gradient)


def _fit(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What the engine does on the way to an input that was broadcast."""
    return np.asarray(fit_gradient(array, tuple(shape), array.dtype))

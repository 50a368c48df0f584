"""What a node sends to each of its inputs: its rule as code, with numbers, and what hooks made of the result.

A line such as "g × D = 1 × 4 = 4" comes from the rule of the node, the values that it has saved put in for their names,
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
from minigrad.viz.graph.own_backward import formula_of_backward
from minigrad.viz.graph.rules import Rule
from minigrad.viz.graph.simplifying import Formula, ShapeAlone
from minigrad.viz.graph.source import Source, Step
from minigrad.viz.graph.values import LINE, WHOLE, describe, in_brief, in_words, sizes
from minigrad.viz.picture.markup import clean, columns, shorten, value_text
from minigrad.viz.steps.events import LONGEST_NAME
from minigrad.viz.steps.frames import Contribution
from minigrad.viz.steps.pass_progress import PassProgress
from minigrad.viz.steps.story import in_parentheses, sum_text
from minigrad.viz.steps.watching import Note

CHIP = 18  # columns of the chip on an edge
SUM = 48  # characters of a sum with its terms
Unpacked = Mapping[tuple[str, str], Any]  # box and parameter -> what an unpack hook made


def contributions_of(
    progress: PassProgress, box: Box, step: Step, notes: list[Note], unpacked: Unpacked, sends: bool = True
) -> tuple[Contribution, ...]:
    """What a node sends to its inputs. `step` is (node, gradients in, gradients out) as the engine gives it, `notes`
    what hooks did meanwhile; with `sends`, it arrives there.
    """
    node, incoming, outgoing = step
    source = progress.source
    received = next((np.asarray(source.array(gradient)) for gradient in incoming if gradient is not None), None)
    own = next((note.before for note in notes if note.kind == "node_hook" and note.box == box.id), ())
    edges = {edge.slot: edge for edge in progress.live_into.get(box.id, ())}
    again = box.id in progress.over
    found = []
    for slot, gradient in enumerate(outgoing):
        edge = edges.get(slot)
        if edge is None:
            continue
        if gradient is None:
            if sends:
                progress.mark_edge(edge.id, "off")
                progress.arrive(edge.source, edge.output, None, box, again=again)
            continue
        array = array_of(source, gradient)
        by_rule = own[slot] if slot < len(own) and own[slot] is not None else array
        rule = _rule(progress, box, node, edge.slot, received, unpacked, by_rule)
        item = _contribution(edge, progress.boxes[edge.source], rule, by_rule, array)
        if sends:
            before = progress.arrive(edge.source, edge.output, item.array, box, item.value, again)
            if before is not None:
                after = progress.sums[item.box][edge.output]
                joint = sum_text(before, item.array, after)
                whole = joint if after.size <= WHOLE and len(joint) <= SUM else _in_full(after)
                numbers = (*item.numbers, (progress.parts(item.box), whole, in_brief(after)))
                item = replace(item, joint=joint, held=before, numbers=numbers)
        progress.mark_edge(edge.id, "now")
        found.append(item)
    return tuple(found)


def _contribution(
    edge: Edge, target: Box, rule: Rule, raw: np.ndarray[Any, Any], passed: np.ndarray[Any, Any]
) -> Contribution:
    """`raw` is what the rule gave, `passed` what hooks have made of it."""
    name = target.name_of_result(edge.output)
    value = target.outputs[edge.output] if edge.output < len(target.outputs) else target.value
    shape = value.shape if value.known or value.shape else raw.shape
    array = _fit(raw, shape)
    final = array if passed is raw else _fit(passed, shape)
    formula = "0" if rule.formula.text == "0" else f"{rule.formula.text} {rule.formula.spread}".strip()
    full, brief = _numbers(rule.formula, raw)
    summed = ""
    if raw.shape != array.shape and formula != "0":
        shapes = f" from {sizes(raw.shape)} to {sizes(array.shape)}" if array.size > 1 else ""
        summed = f"summed{shapes} as {clean(name)} was broadcast"
        full = f"{full}, summed: " if raw.size <= WHOLE else ""
        full += _addition(raw, array) or _in_full(array)
        brief = in_brief(array)
    numbers = [("", full, brief)] if full and formula != "0" else []
    if not (final is array or np.array_equal(array, final, equal_nan=True)):
        numbers.append(("a hook changed that to ", _in_full(final), in_brief(final)))
    about = edge.id, target.id, name, rule, formula, describe(final), tuple(numbers), summed
    return Contribution(*about, output=edge.output, array=final)


def _numbers(formula: Formula, raw: np.ndarray[Any, Any]) -> tuple[str, str]:
    """What a formula comes to, written out, with numbers for its names where those are few; and in brief."""
    value, brief = _in_full(raw), in_brief(raw)
    if formula.shapes and formula.numbers and raw.size == 1:  # a matrix of one number
        value = brief = values.elements_text(raw, values.number_in_sentence)
    if formula.is_single and raw.size and np.all((raw == raw.flat[0]) | (raw != raw)):
        value = values.number_in_sentence(raw.flat[0])
    elif formula.shapes and (raw.size > LINE or not formula.numbers):
        shape = f"{formula.shapes} → "
        return shape + (brief if raw.size > LINE else f"{sizes(raw.shape)}: {value}"), shape + brief
    elif formula.spread or not 0 < raw.size <= LINE:
        return value, brief
    return " = ".join(dict.fromkeys(part for part in (formula.numbers, value) if part)), brief


def _in_full(array: np.ndarray[Any, Any]) -> str:
    """An array written out, as far as a sentence does that."""
    return values.in_short(array) if 0 < array.size <= LINE else in_brief(array)


def _addition(raw: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> str:
    """`1 + 2 = 3`, where few numbers are summed to one."""
    if array.size != 1 or not 1 < raw.size <= WHOLE:
        return ""
    terms = " + ".join(in_parentheses(values.number_in_sentence(one)) for one in raw.reshape(-1))
    return f"{terms.removeprefix('(').replace(')', '', 1) if terms.startswith('(') else terms} = {in_words(array)}"


def _rule(progress: PassProgress, box: Box, node: Any, slot: int, received: Any, unpacked: Unpacked, gave: Any) -> Rule:
    source = progress.source
    if not source.shows_rules:  # only what it sent is known
        return Rule("", "", Formula(""))
    if box.backward or source.is_custom(node):
        arguments = source.arguments(node)
        parameter = arguments[slot] if slot < len(arguments) else f"input {slot}"
        code = f"{box.op.removesuffix('Backward')}.backward(ctx, {progress.gradient_name})"
        bound = _known_values(box, received, unpacked)
        bound = {key.replace("tensor ", "saved_tensors[") + "]" * ("tensor " in key): bound[key] for key in bound}
        formula = formula_of_backward(box.backward, slot, bound, _names(progress, box, bound), gave)
        return Rule(parameter, code, formula or Formula(f"what {code.partition('(')[0]} returns", in_words=True))
    if box.op == "CopySlices":
        words = _words_for_write(slot, received, gave)
        return rules.explain(words, "self" if slot == 0 else "written", {}, {"g": progress.gradient_name})
    inputs = box.inputs
    parameter = inputs[slot] if len(inputs) == len(source.edges(node)) else (inputs[0] if inputs else f"input {slot}")
    bound = _known_values(box, received, unpacked) | dict(source.bound_values(node))
    return rules.explain(source.rule(node, parameter), parameter, bound, _names(progress, box, bound), np.shape(gave))


def _words_for_write(slot: int, received: Any, gave: Any) -> str:
    """What the write of a part (autograd/inplace.py) sends. Which operation wrote is not known once it has run; what it
    gave says whether it wrote over what was there, as `=` does, or went on from that, as `*=`.
    """
    if slot > 0:
        is_part = np.isin(gave, received).all()
        return "the part of g that was written" if is_part else "what the operation that wrote sends back"
    other = gave != received
    is_over = np.any(other) and not np.any(gave[other])
    sent = "0" if is_over else "what the operation that wrote sends back"
    return f"g, with {sent} in the part that was written"


def _names(progress: PassProgress, box: Box, bound: Mapping[str, Any]) -> dict[str, str]:
    """What the learner calls what a rule names: each input as its box is called, a number without a name by itself."""
    found = dict.fromkeys(box.inputs, "constant") | {"result": box.name, "g": progress.gradient_name}
    found |= {"condition": "the condition", "mask": "the mask"}
    for name, value in bound.items():
        is_array = isinstance(value, np.ndarray | np.generic) and value.size == 1 and value.dtype != bool
        if (is_array or isinstance(value, float)) and name not in ("g", "result"):
            found[name] = values.numeral_of(np.asarray(value).reshape(())[()], box.expression)
    found |= {saved.parameter: saved.name for saved in box.saved if saved.name and saved.parameter != "result"}
    for edge in progress.into[box.id]:
        source = progress.boxes[edge.source]
        if edge.slot < len(box.inputs) and source.name != "constant":
            found[box.inputs[edge.slot]] = source.name_of_result(edge.output)
    if box.op == "ReluBackward0" and box.inputs:
        found["result"] = found.get(box.inputs[0], box.name)  # which is above 0 where its input is
    return {parameter: shorten(name, LONGEST_NAME) for parameter, name in found.items()}


def _known_values(box: Box, received: Any, unpacked: Unpacked) -> dict[str, Any]:
    """The values of the names in a rule, as far as they are known."""
    bound = {"g": received} if received is not None else {}
    for saved in box.saved:
        unknown = ShapeAlone(saved.value.shape) if saved.array is None and saved.is_tensor else saved.array
        bound[saved.parameter] = unpacked.get((box.id, saved.parameter), unknown)
    return {name: rules.binding(value) for name, value in bound.items()}


def chip(item: Contribution) -> str:
    """What flows along an edge, as far as it fits: `1 × 4 = 4`, else the value, else its shape."""
    if item.value.alarm:
        return f"⚠ {item.value.alarm}"
    numbers = item.rule.formula.numbers
    whole = f"{numbers} = {values.in_short(item.array)}"
    is_simple = not (item.value.is_large or item.summed or item.rule.formula.spread)
    says_more = numbers not in ("", item.value.text) and is_simple
    return whole if says_more and columns(whole) <= CHIP else value_text(item.value.text, item.value.shape, CHIP)


def array_of(source: Source, gradient: Any) -> np.ndarray[Any, Any]:
    """A copy of a gradient, whether array, numpy scalar or tensor: the engine goes on to use its own."""
    return values.read_only_copy(source.array(gradient))


def _fit(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What the engine does on the way to an input that was broadcast."""
    return (
        array if array.shape == tuple(shape) else values.read_only_copy(fit_gradient(array, tuple(shape), array.dtype))
    )

"""A step in sentences: the paragraphs, code and items of a frame's story.

Every sentence that the widget and `trace()` say of a step is made of pieces with a style (a name, a value, code), so
that the page can set them apart, and never of markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.values import WHOLE, Value, describe, in_words
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.frames import Contribution, Grown, Line, Piece

GRAD = ("code", ".grad")
Senders = Mapping[str, list[str]]  # box -> the names of those from which it has had its gradients so far


def line(kind: str, *pieces: Any) -> Line:
    """A line of pieces, each (style, text) or plain text; the statistics of a large value are quiet."""
    styled: list[Piece] = []
    for piece in pieces:
        style, text = piece if isinstance(piece, tuple) else ("text", piece)
        value, bracket, statistics = text.partition(" (min ")
        if style == "value" and bracket:
            styled += [("value", value), ("quiet", bracket + statistics)]
        elif text:
            styled.append((style, text))
    return Line(kind, tuple(styled))


def of_beginning(root: Box, seed: Any, held: Sequence[tuple[str, Any]], leaves: int) -> list[Line]:
    """The moment before anything ran. `held` are the leaves that have a `.grad` already, with it."""
    start = ".backward() will start with ", *_derivative(root, root), " = ", ("value", in_words(seed)), "."
    story = [line("say", "Nothing has run yet. ", ("name", root.name), *start)]
    for name, grad in reversed(held):
        grad = ("value", in_words(grad))
        story.append(line("item", ("name", name), GRAD, " still holds ", grad, " from before: backward() adds to it."))
    if len(held) < leaves:
        every = "Every " if not held else "Every other "
        story.append(line("say", every, GRAD, " is ", ("value", "None"), ", which is not the same as 0."))
    return story


def of_op(
    box: Box, op: str, arrays: list[Any], contributions: Sequence[Contribution], root: Box, senders: Senders
) -> list[Line]:
    """A node that has run its rule. `arrays` are the gradients that came in, `senders` from whom each box has had its
    gradients so far.
    """
    given = [array for array in arrays if array is not None]
    received: list[Any] = ["no gradient (undefined)"]
    if box.outputs:
        received = [f"{len(given)} of {len(arrays)} gradients"]
        for number, array in enumerate(arrays):
            if array is not None:
                received += [": " if len(received) == 1 else ", ", f"output {number} = ", ("value", in_words(array))]
    elif given:
        received = [*_derivative(root, box), " = ", ("value", in_words(given[0]))]
    own = "your own backward" if box.backward else "its rule"
    made = ("op", op), " made ", ("name", box.name)
    story = [line("say", *made, ". It received ", *received, f" and ran {own}:")]
    story += _code(box, contributions)
    story += [_line_of(item, senders) for item in contributions]
    for item in contributions:
        story += _alarms(item.value, f"the gradient for {item.name}")
    return story


def of_leaf(box: Box, array: Any, before: Any, after: Any, joint: str, now: Value) -> list[Line]:
    """A leaf that received `array`: its `.grad` was `before` and is `after`; `joint` is the sum, or ""."""
    grad = ("name", box.name), GRAD
    leaf = ("op", "AccumulateGrad"), " of the leaf ", ("name", box.name)
    story = [line("say", *leaf, " received ", ("value", in_words(array)), ".")]
    if after is None:
        story.append(line("item", *grad, " stays None: ", ("name", box.name), " no longer requires grad"))
    elif before is None:
        story.append(line("item", *grad, " was None; it is now ", ("value", in_words(after))))
    else:
        held = (*grad, " held ", ("value", in_words(before)), " from before, and backward() adds: ")
        story.append(line("item", *held, ("value", joint or in_words(after))))
    return story + _alarms(now, f"{box.name}.grad")


def of_failure(box: Box, contributions: Sequence[Contribution], senders: Senders) -> list[Line]:
    """A node that could not be run, with what an anomaly would have sent."""
    story = [line("say", ("op", box.op), " of ", ("name", box.name), " could not be run.")]
    story += _code(box, contributions)
    story += [_line_of(item, senders) for item in contributions]
    end = line("say", "The pass ends here. What the steps before have put in ", GRAD, " stays there.")
    return [*story, end]


def of_grown(grown: Sequence[Grown]) -> list[Line]:
    """What a recorded backward has added to the graph of the gradient."""
    if not grown:
        return []
    many = f"{len(grown)} nodes" if len(grown) > 1 else "one node"
    texts = ", ".join(f"{node.name} = {node.text}" for node in grown)
    return [line("item", f"create_graph=True: this step added {many} to the graph of the gradient: ", ("code", texts))]


def of_inner(changed: Sequence[tuple[str, Any, Any]]) -> list[Line]:
    """What a backward inside the step has changed: name of a leaf, its `.grad` before and after."""
    story = []
    for name, *grads in changed:
        before, after = (("value", in_words(grad)) for grad in grads)
        changes = ("name", name), GRAD, " from ", before, " to ", after
        story.append(line("item", "a backward inside this step changed ", *changes))
    return story


def of_printed(text: str) -> list[Line]:
    """What the learner's functions have printed."""
    return [line("say", "Your code printed:"), line("code", ("text", text))] if text else []


def of_end() -> list[Line]:
    """After the last node."""
    return [line("say", "That was the last node: the backward pass is over.")]


def sum_text(before: Any, added: Any, after: Any) -> str:
    """`1 + 9 = 10`, or the sum of two large ones in words."""
    if np.asarray(after).size <= WHOLE:
        return f"{in_words(before)} + {_in_parentheses(in_words(added))} = {in_words(after)}"
    return f"{describe(before).text} + {describe(added).text} = {in_words(after)}"


def _code(box: Box, contributions: Iterable[Contribution]) -> list[Line]:
    """The rules as code; of a custom Function its whole backward."""
    if box.backward:
        return [line("code", ("code", box.backward))]
    code: list[Any] = []
    for rule in dict.fromkeys(item.rule for item in contributions):
        code += [("text", "   " if code else ""), ("text", f"{rule.parameter}: "), ("code", rule.source)]
    return [line("code", *code)] if code else []


def _line_of(item: Contribution, senders: Senders) -> Line:
    formula, _, last = item.text.rpartition(" = ")
    code = ("code", formula + " = " if formula else "")
    pieces: list[Any] = ["to ", ("name", item.name), ": ", code, ("value", last)]
    pieces += [f", {words}" for words in (item.summed, item.changed) if words]
    if item.joint:
        before = [clean(name) for name in senders[item.box][:-1] if name]
        came = f"what came from {' and '.join(before)}" if before else "what was there"
        pieces += [f", added to {came}: ", ("value", item.joint)]
    return line("item", *pieces)


def _derivative(root: Box, box: Box) -> list[Any]:
    opening, closing = ("(", ")") if "/" in root.name else ("", "")
    return [f"∂{opening}", ("name", root.name), f"{closing}/∂", ("name", box.name)]


def _alarms(value: Value, what: str) -> list[Line]:
    return [line("item", ("alarm", f"⚠ {value.alarm} in {clean(what)}"))] if value.alarm else []


def _in_parentheses(text: str) -> str:
    return f"({text})" if text.startswith("-") else text

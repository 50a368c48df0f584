"""A step in sentences: the paragraphs, code and items of a frame's story.

A story begins with one sentence that says who gets what, in the arithmetic that a person would write. What there is to
say beyond that (the rule as code, what was received and freed) is told to those who ask why. All of it is made of
pieces with a style (a name, a value, code), so that the page can set them apart, and never of markup.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.formula_text import sizes
from minigrad.viz.graph.naming import op_word
from minigrad.viz.graph.values import LINE, WHOLE, Value, in_short, in_words
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.steps.events import LONGEST_NAME, enumeration
from minigrad.viz.steps.frames import Contribution, Grown, Piece, StoryLine

GRAD = ("code", ".grad")
ENGINES_OWN = re.compile("^(native|unsafe|safe|fused|linalg)_|(_with_indices|_nd|_ex|_alias)$")
LAST = re.compile(r"Backwards?\d*(_copy)?$")
BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
MOST_SENDERS = 3  # that are named where their gradients meet
MOST_NAMES = 9  # of those that get the same
Senders = Mapping[tuple[str, int], list[str]]  # box, which of its results -> from whom it has had gradients so far


def line(kind: str, *pieces: Any, why: bool = False) -> StoryLine:
    """A line of pieces, each (style, text) or plain text; the statistics of a large value are quiet."""
    styled: list[Piece] = []
    for piece in pieces:
        style, text = piece if isinstance(piece, tuple) else ("text", piece)
        text = shorten(text, LONGEST_NAME) if style == "name" else text
        value, bracket, statistics = text.partition(" (min ")
        if style == "value" and bracket:
            styled += [("value", value), ("quiet", bracket + statistics)]
        elif text:
            styled.append((style, text))
    return StoryLine(kind, tuple(styled), why)


def beginning_lines(
    root: Box,
    seed: Any,
    held: Sequence[tuple[str, Any]],
    leaves: int,
    is_zero: bool,
    new: Collection[str] = (),
    has_run: bool = False,
) -> list[StoryLine]:
    """The moment before anything ran. `held` are the leaves that have a `.grad` already, with it; the others have 0 if
    `is_zero`, else None. Those in `new` have got theirs since the stepper was made; `has_run` says that the pass did
    without it, and is walked over again.
    """
    is_one = np.shape(seed) == () and seed == 1  # another one was given, and says how much each element counts
    what = [*_derivative(root, root), " = "] if is_one else ["the gradient that was given, "]
    start = ".backward() will start with ", *what, ("value", in_short(np.asarray(seed)))
    story = [line("sentence", "Nothing has run yet: ", ("name", root.name), *start, ".")]
    for name, grad in reversed(held):
        grad = ("value", in_words(grad))
        told: list[Any] = [" still holds ", grad, " from before: backward() adds to it."]
        if name in new:
            then = "; it was not there when this pass ran." if has_run else ": backward() adds to it."
            told = [" holds ", grad, " by now, which your code or another pass has put there", then]
        story.append(line("item", ("name", name), GRAD, *told))
    if len(held) < leaves:
        every = "Every " if not held else "Every other "
        not_zero = "." if is_zero else ", which is not the same as 0."
        story.append(line("say", every, GRAD, " is ", ("value", "0" if is_zero else "None"), not_zero))
    return story


def op_lines(
    box: Box,
    op: str,
    arrays: list[Any],
    contributions: Sequence[Contribution],
    root: Box,
    senders: Senders,
    gradient: str = "g",
) -> list[StoryLine]:
    """A node that has run its rule. `arrays` are the gradients that came in, `senders` from whom each box has had its
    gradients so far, `gradient` is what formulas call the one that came in.
    """
    story = [_sentence(box, op, arrays, contributions, senders)]
    for item in contributions:
        story += _alarms(item.value, f"the gradient for {item.name}")
    given = [array for array in arrays if array is not None]
    received: list[Any] = ["no gradient (undefined)"]
    if box.outputs:
        received = [f"{len(given)} of {len(arrays)} gradients"]
        for number, array in enumerate(arrays):
            if array is not None:
                received += [": " if len(received) == 1 else ", ", f"output {number} = ", ("value", in_words(array))]
    elif given:
        received = [f"{gradient} = ", *_derivative(root, box), " = ", ("value", in_words(given[0]))]
    own = "your own backward" if box.backward else "its rule"
    made = ("op", op), " made ", ("name", box.name)
    story.append(line("say", *made, ". It received ", *received, f" and ran {own}:", why=True))
    story += _code(box, contributions)
    for item in contributions:
        if item.value.is_large:
            story.append(line("item", "to ", ("name", item.name), ": ", ("value", in_words(item.array)), why=True))
    return story


def freed_lines(names: Sequence[str]) -> list[StoryLine]:
    """What a node had saved for its rule, and has let go of: it ran, so it is needed no more."""
    if not names:
        return []
    many, are = ("its saved tensors", "are") if len(names) > 1 else ("its saved tensor", "is")
    return [line("say", f"{many} {enumeration(names)} {are} freed", why=True)]


def leaf_lines(box: Box, array: Any, before: Any, after: Any, joint: str, now: Value) -> list[StoryLine]:
    """A leaf that received `array`: its `.grad` was `before` and is `after`; `joint` is the sum, or ""."""
    grad = ("name", box.name), GRAD
    if after is None:
        told = line("sentence", *grad, " stays None: ", ("name", box.name), " no longer requires grad.")
    elif before is None and not 0 < after.size <= LINE:
        told = line("sentence", *grad, " becomes the gradient that came, of shape ", ("value", _shape_of(after)), ".")
    elif before is None:
        told = line("sentence", *grad, " becomes ", ("value", in_short(after)), ".")
    elif not 0 < after.size <= WHOLE:
        came = " held a gradient, and the one that came is added to it: "
        sums = ("value", in_short(after)) if 0 < after.size <= LINE else f"shape {_shape_of(after)}"
        told = line("sentence", *grad, came, sums, ".")
    else:
        told = line("sentence", *grad, ": ", ("value", joint or in_short(after)), ".")
    story = [told, *_alarms(now, f"{box.name}.grad")]
    leaf = ("op", "AccumulateGrad"), " of the leaf ", ("name", box.name)
    story.append(line("say", *leaf, " received ", ("value", in_words(array)), ".", why=True))
    if before is not None and after is not None:
        held = *grad, " held ", ("value", in_words(before)), " from before, and backward() adds."
        story.append(line("say", *held, why=True))
    if after is not None and after.size > LINE:
        story.append(line("say", *grad, " is now ", ("value", in_words(after)), ".", why=True))
    return story


def failure_lines(box: Box, contributions: Sequence[Contribution], senders: Senders) -> list[StoryLine]:
    """A node that could not be run, with what an anomaly would have sent."""
    story = [line("sentence", ("op", box.op), " of ", ("name", box.name), " could not be run.")]
    for item in contributions:
        story.append(line("item", *_gets(item, senders, "would get")))
    story += _code(box, contributions)
    story.append(line("say", "The pass ends here. What the steps before have put in ", GRAD, " stays there."))
    return story


def grown_lines(grown: Sequence[Grown]) -> list[StoryLine]:
    """What a recorded backward has added to the graph of the gradient."""
    if not grown:
        return []
    many = f"{len(grown)} nodes" if len(grown) > 1 else "one node"
    texts = ", ".join(f"{node.name} = {node.text}" for node in grown)
    added = f"create_graph=True: this step added {many} to the graph of the gradient: "
    return [line("item", added, ("code", texts), why=True)]


def inner_lines(changed: Sequence[tuple[str, Any, Any]]) -> list[StoryLine]:
    """What a backward inside the step has changed: name of a leaf, its `.grad` before and after."""
    story = []
    for name, *grads in changed:
        before, after = (("value", in_words(grad)) for grad in grads)
        changes = ("name", name), GRAD, " from ", before, " to ", after
        story.append(line("item", "a backward inside this step changed ", *changes))
    return story


def printed_lines(text: str) -> list[StoryLine]:
    """What the learner's functions have printed."""
    return [line("say", "Your code printed:"), line("code", ("text", text))] if text else []


def sum_text(before: Any, added: Any, after: Any) -> str:
    """`1 + 9 = 10`; of two large ones what they come to."""
    if 0 < np.asarray(after).size <= WHOLE:
        return f"{in_words(before)} + {in_parentheses(in_words(added))} = {in_words(after)}"
    return f"the sum is {in_words(after)}"


def in_parentheses(text: str) -> str:
    """A negative number as it stands behind a sign."""
    return f"({text})" if text.startswith("-") else text


# ---------------------------------------------------------------- the parts of a sentence


def _shape_of(array: Any) -> str:
    """The shape of an array that is not written out: (64×10); (0, 3) of one that is empty."""
    return sizes(array.shape) if array.size else in_short(array)


def _sentence(
    box: Box, op: str, arrays: list[Any], contributions: Sequence[Contribution], senders: Senders
) -> StoryLine:
    """Who gets what: `mul: C gets g × D = 1 × 4 = 4, D gets g × C = 1 × 9 = 9`."""
    word = [("op", op.removesuffix("Backward") if box.backward else _word(op)), ": "]
    if not contributions:
        sent = "no gradient came, so none goes on" if all(array is None for array in arrays) else "no gradient goes on"
        return line("sentence", *word, sent, ".")
    places = [(item.box, item.output) for item in contributions]
    later = [places[k + 1 :].count(place) for k, place in enumerate(places)]
    parts = [_gets(item, senders, later=more) for item, more in zip(contributions, later, strict=True)]
    (_, gets, *what), are_places_many = parts[0], len(set(places)) == len(places) > 1
    if are_places_many and all(part[1:] == [gets, *what] for part in parts):  # all but the name is the same
        told = [(style, text.replace("its own", "their own")) for style, text in what]
        return line("sentence", *word, *_names(contributions), " each get ", *told, ".")
    texts = ["".join(text for _, text in part) for part in parts]
    comma = "; " if any(", " in BRACKETS.sub("", text) for text in texts) else ", "
    pieces: list[Any] = []
    for part in parts:
        pieces += [comma, *part] if pieces else part
    return line("sentence", *word, *pieces, ".")


def _word(op: str) -> str:
    """What the learner would call an op: MmBackward0 is matmul, NativeLayerNormBackward0 layer_norm."""
    word = op_word(LAST.sub("", op).replace("Log1P", "Log1p"))
    return ENGINES_OWN.sub("", "matmul" if word in ("mm", "bmm", "mv") else word)


def _names(contributions: Sequence[Contribution]) -> list[Any]:
    """Their names, as in a sentence; of hundreds the first, and how many there are more."""
    listed = contributions if len(contributions) <= MOST_NAMES else contributions[: MOST_NAMES - 1]
    pieces: list[Any] = [piece for item in listed for piece in (", ", ("name", item.name))][1:]
    if len(listed) < len(contributions):
        return [*pieces, f" and {len(contributions) - len(listed)} more"]
    return [*pieces[:-2], " and ", pieces[-1]]


def _gets(item: Contribution, senders: Senders, gets: str = "gets", later: int = 0) -> list[Piece]:
    """What one input gets, as pieces: its name, the formula, what that comes to, and what becomes of it. `later` of the
    gradients that it has had by now came after this one.
    """
    formula, sign, _ = item.told
    style = "text" if item.rule.formula.in_words else "code"
    pieces: list[Piece] = [("name", item.name), ("text", f" {gets} ")]
    pieces += [(style, formula), ("text", sign), *_value(item)]
    more = f" {item.spread}" if item.spread else ""
    more += f", because {item.rule.formula.because}" if item.rule.formula.because else ""
    for words in (item.summed, item.changed):
        more += f", {words}" if words else ""
    pieces.append(("text", more))
    if item.joint:
        had = senders[item.box, item.output]
        before = [name for name in had[: len(had) - 1 - later] if name]
        names, came = dict.fromkeys(before), f"the {len(before)} that came before"
        if len(names) <= MOST_SENDERS:  # of thousands, no list is made
            came = f"what came from {enumeration(names)}" if names else "what was there"
        pieces.append(("text", f", and that is added to {came}"))
        if 0 < item.array.size <= LINE:
            pieces += [("text", ": "), ("value", item.joint)]
    return [piece for piece in pieces if piece[1]]


def _value(item: Contribution) -> list[Piece]:
    return [("value", item.told[2])] if item.told[2] else []


def _code(box: Box, contributions: Iterable[Contribution]) -> list[StoryLine]:
    """The rules as code; of a custom Function its whole backward."""
    if box.backward:
        return [line("code", ("code", box.backward), why=True)]
    rules = dict.fromkeys(item.rule for item in contributions)
    return [line("code", ("text", f"{rule.parameter}: "), ("code", rule.code), why=True) for rule in rules]


def _derivative(root: Box, box: Box) -> list[Any]:
    opening, closing = ("(", ")") if "/" in root.name else ("", "")
    return [f"∂{opening}", ("name", root.name), f"{closing}/∂", ("name", box.name)]


def _alarms(value: Value, what: str) -> list[StoryLine]:
    return [line("item", ("alarm", f"⚠ {value.alarm} in {clean(what)}"))] if value.alarm else []

"""A step in sentences: the paragraphs, code and items of a frame's story.

A story begins with one sentence that says who gets what, in the learner's names. What that comes to in numbers is told
after it, so that no number stands in the way of the rule. What there is to say beyond that (the rule as code, what was
received and freed) is told to those who ask why. All of it is made of pieces with a style (a name, a value, code), so
that the page can set them apart, and never of markup.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.naming import op_word
from minigrad.viz.graph.observer import source_text
from minigrad.viz.graph.one_line import on_one_line
from minigrad.viz.graph.values import LINE, WHOLE, Value, in_brief, in_short, in_words
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.steps.events import LONGEST_NAME, enumeration
from minigrad.viz.steps.frames import Contribution, Grown, Piece, StoryLine

GRAD = ("code", ".grad")
ENGINES_OWN = re.compile("^(native|unsafe|safe|fused|linalg)_|(_with_indices|_nd|_ex|_alias)$")
LAST = re.compile(r"Backwards?\d*(_copy)?$")
BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)")
MOST_SENDERS = 3  # that are named where their gradients meet
MOST_NAMES = 9  # of those that get the same
ROOM = 150  # characters of the numbers of a step, as far as they have brief forms
Senders = Mapping[tuple[str, int], list[Box]]  # box, which of its results -> from whom it has had gradients so far


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
    without: Sequence[str],
    root: Box,
    senders: Senders,
    gradient: str = "g",
) -> list[StoryLine]:
    """A node that has run its rule. `arrays` are the gradients that came in, `without` are inputs to which it sent
    None, `senders` from whom each box has had its gradients so far, `gradient` is what formulas call the one that came
    in.
    """
    story = [_sentence(box, op, arrays, contributions, without, senders), *_numbers(contributions)]
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


def leaf_lines(
    box: Box, array: Any, before: Any, after: Any, joint: str, now: Value, users: Sequence[Box]
) -> list[StoryLine]:
    """A leaf that received `array`, which came from `users`: its `.grad` was `before` and is `after`; `joint` is the
    sum, or "".
    """
    grad = ("name", box.name), GRAD
    if after is None:
        told: list[Any] = [" stays None: ", ("name", box.name), " no longer requires grad"]
    else:
        value = ("value", in_short(after) if 0 < after.size <= LINE else in_brief(after))
        told = [" becomes ", value]
        if before is not None:
            told = [" held a gradient, and the one that came is added to it: ", value]
        if joint and 0 < after.size <= WHOLE:
            told = [": ", ("value", joint)]
    if users:
        story = [line("sentence", ("name", box.name), " gets its gradient from ", *_uses(users), ".")]
        story.append(line("numbers", *grad, *told))
    else:
        story = [line("sentence", *grad, *told, ".")]
    story += _alarms(now, f"{box.name}.grad")
    leaf = ("op", "AccumulateGrad"), " of the leaf ", ("name", box.name)
    story.append(line("say", *leaf, " received ", ("value", in_words(array)), ".", why=True))
    if before is not None and after is not None:
        held = *grad, " held ", ("value", in_words(before)), " from before, and backward() adds."
        story.append(line("say", *held, why=True))
    if after is not None and after.size > LINE:
        story.append(line("say", *grad, " is now ", ("value", in_words(after)), ".", why=True))
    if box.span is not None:
        made = f" was made in line {box.span.first}: ", ("code", on_one_line(source_text(box.span))[0])
        story.append(line("say", ("name", box.name), *made, why=True))
    return story


def failure_lines(box: Box, contributions: Sequence[Contribution], senders: Senders) -> list[StoryLine]:
    """A node that could not be run, with what an anomaly would have sent."""
    story = [line("sentence", ("op", box.op), " of ", ("name", box.name), " could not be run.")]
    for item in contributions:
        story.append(line("item", *_gets(item, _earlier(item, senders), gets="would get")))
    story += [*_numbers(contributions), *_code(box, contributions)]
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


def _uses(users: Sequence[Box]) -> list[Any]:
    """Where a leaf was used: `h = x @ W and t3 (addmm)`; of many, how many."""
    if len(users) > MOST_SENDERS:
        return [f"{len(users)} uses of it"]
    pieces: list[Any] = []
    for place, user in enumerate(users):
        name, sign, code = user.equation
        pieces += [" and " if place == len(users) - 1 else ", "] if place else []
        pieces.append(("name", name))
        if not code.endswith("…"):  # of what was cut the name says more
            pieces += [sign, ("code", code)] if sign == " = " else [" (", ("code", code), ")"]
    return pieces


def _sentence(
    box: Box,
    op: str,
    arrays: list[Any],
    contributions: Sequence[Contribution],
    without: Sequence[str],
    senders: Senders,
) -> StoryLine:
    """Who gets what: `mul: C gets g × D, D gets g × C`."""
    word = [("op", op.removesuffix("Backward") if box.backward else _word(op)), ": "]
    if not contributions:
        none = "no gradient came, so none goes on" if all(array is None for array in arrays) else "no gradient goes on"
        return line("sentence", *word, none, ".")
    sent: dict[Any, list[Contribution]] = {}  # of x * x, both factors get the same
    for item in contributions:
        sent.setdefault((item.box, item.output, item.formula), []).append(item)
    places = [(item.box, item.output) for item in contributions]
    firsts = [(items[0], len(items)) for items in sent.values()]
    later = [places[contributions.index(item) + 1 :].count((item.box, item.output)) for item, _ in firsts]
    met = [_earlier(item, senders, more) for (item, _), more in zip(firsts, later, strict=True)]
    is_one = len(met) > 1 and len(set(met)) == 1  # what all are added to is said once
    parts = [_gets(item, "" if is_one else came, times) for (item, times), came in zip(firsts, met, strict=True)]
    parts += [[("name", name), ("text", " gets None")] for name in without]
    end = f"; each is added to {met[0]}." if is_one and met[0] else "."
    (_, gets, *what), are_many = parts[0], len(set(places)) == len(places) > 1
    if are_many and all(part[1:] == [gets, *what] for part in parts):  # all but the name is the same
        told = [(style, text.replace("its own", "their own")) for style, text in what]
        return line("sentence", *word, *_names(contributions), " each get ", *told, end)
    texts = ["".join(text for _, text in part) for part in parts]
    comma = "; " if any(", " in BRACKETS.sub("", text) for text in texts) else ", "
    pieces: list[Any] = []
    for part in parts:
        pieces += [comma, *part] if pieces else part
    return line("sentence", *word, *pieces, end)


def _word(op: str) -> str:
    """What the learner would call an op: MmBackward0 is matmul, NativeLayerNormBackward0 layer_norm."""
    word = op_word(LAST.sub("", op).replace("Log1P", "Log1p"))
    return ENGINES_OWN.sub("", "matmul" if word in ("mm", "bmm", "mv") else word)


def _names(contributions: Sequence[Contribution]) -> list[Any]:
    """Their names, as in a sentence; of hundreds the first, and how many there are more."""
    listed = contributions if len(contributions) <= MOST_NAMES else contributions[: MOST_NAMES - 1]
    if len(contributions) == 1:
        return [("name", contributions[0].name)]
    pieces: list[Any] = [piece for item in listed for piece in (", ", ("name", item.name))][1:]
    if len(listed) < len(contributions):
        return [*pieces, f" and {len(contributions) - len(listed)} more"]
    return [*pieces[:-2], " and ", pieces[-1]]


def _gets(item: Contribution, met: str, times: int = 1, gets: str = "gets") -> list[Piece]:
    """What one input gets, as pieces: its name, the formula, how many `times`, and what becomes of that: it is added to
    what it has `met` there.
    """
    formula, reason = item.rule.formula, item.rule.formula.because
    told = ("text" if formula.in_words else "code", item.formula) if item.formula else ("value", item.numbers[0][1])
    pieces: list[Piece] = [("name", item.name), ("text", f" {gets} "), told]
    more = {1: "", 2: " twice"}.get(times, f" {times} times")
    more += f", because {reason}" if reason else ""
    more += f", {item.summed}" if item.summed else ""
    more += f", and that is added to {met}" if met else ""
    return [*pieces, ("text", more)] if more else pieces


def _earlier(item: Contribution, senders: Senders, later: int = 0) -> str:
    """What there was already where a gradient came; "" if nothing. `later` of those that came there by now came after
    this one.
    """
    if not item.joint:
        return ""
    had = senders[item.box, item.output]
    before, names = len(had) - 1 - later, dict[str, None]()
    for box in itertools.islice(had, before):
        names[box.name] = None
        if len(names) > MOST_SENDERS:  # of thousands, no list is made
            return f"the {before} that came before"
    return f"what came from {enumeration(names)}" if names else "what was there"


def _numbers(contributions: Sequence[Contribution]) -> list[StoryLine]:
    """What formulas come to, a line for each input, or for several with the same; in full as far as there is room."""
    room, told = ROOM, dict[tuple[Any, ...], list[Contribution]]()
    for item in contributions:
        pieces: list[Any] = []
        for words, full, brief in item.numbers if item.formula else item.numbers[1:]:
            text = full if len(full) <= max(room, len(brief)) else brief
            room -= len(text)
            pieces += ["; " if pieces else ": ", words, ("value", text)]
        if pieces:
            told.setdefault(tuple(pieces), []).append(item)
    lines = [line("numbers", *_names(items), *pieces) for pieces, items in told.items()]
    if len(lines) > MOST_NAMES:
        lines[MOST_NAMES - 1 :] = [line("numbers", f"… and {len(lines) - MOST_NAMES + 1} more")]
    return lines


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

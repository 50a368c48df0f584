"""What is said where two passes part: who does what there, what kind of mistake that looks like, and in which line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.comparing.differences import Differences
from minigrad.viz.comparing.passes import Ran
from minigrad.viz.graph.boxes import Box
from minigrad.viz.graph.naming import op_word
from minigrad.viz.graph.values import in_words, number
from minigrad.viz.own_engines.own_pass import SORTED
from minigrad.viz.picture.markup import clean_lines
from minigrad.viz.steps.events import enumeration, error_text
from minigrad.viz.steps.frames import StoryLine
from minigrad.viz.steps.story import line

MOST_LINES = 3  # of a rule that are shown where they differ
ALIKE = 0.6  # of their characters: two lines of which it is marked what differs
Labels = tuple[str, str]


def parting_lines(found: Differences, key: str, labels: Labels, is_first: bool) -> list[StoryLine]:
    """The sentences at a box where two passes part."""
    how, box = found.parting[key], found.one.graph.by_id[key]
    start = ("alarm", "Here they part: " if is_first else "Here they part, too: ")
    rows, texts = [], [*_texts(found, key, how, labels)]
    if how in ("before", "received"):
        pair = found.initial(key) if how == "before" else found.received_pair(key)
        rows = [(box.name, ".grad held " if how == "before" else " is run with ", pair)]
    elif how in ("sent", "again"):
        sent = {child: found.sent_pair(key, child, found.at[key]) for child in found.inputs[key]}
        parted = [child for child in sent if not found.is_same(*sent[child])] or list(sent)
        for child in parted:
            name, scale = found.one.graph.by_id[child].name, sent[child][2]
            said = _mistake(found, key, child, labels) if how == "sent" else ""
            if said:
                texts.append(f"{name}: {said}.")
            # Where only the change of a .grad is seen, what then stands there is told: it holds whatever was sent. But
            # if words are about what was sent, they need its numbers beside them.
            if how == "sent" and scale and (not said or found.replacement(key, child)):
                rows.append((name, ".grad becomes ", found.around(key, child)[1]))
            else:
                rows.append((name, " gets ", sent[child][:2]))
    story = [line("say", text) for text in texts]
    if rows:
        pieces: list[Any] = [("op", op_word(box.op)), ": "] if how in ("sent", "again") else []
        for name, does, pair in rows:
            first, second = ("nothing" if one is None else in_words(one) for one in pair)
            values = ("value", first), f" in {labels[0]}, ", ("value", second), f" in {labels[1]}; "
            pieces += [("name", name), does, *values]
        pieces[-1] = pieces[-1].rstrip("; ") + (" before the pass." if how == "before" else ".")
        story.insert(0, line("sentence", start, *pieces))
    else:
        story[0] = line("sentence", start, texts[0])
    return story + (_rule_lines(found, key, labels) if how in ("sent", "stopped") else [])


def _texts(found: Differences, key: str, how: str, labels: Labels) -> Iterator[str]:
    """What there is to say without numbers."""
    one, other, name = found.one, found.other, found.one.graph.by_id[key].name
    if how == "stopped":
        ran, label = (other, labels[1]) if other.failure is not None else (one, labels[0])
        lines = [event.line for event in ran.frames[-1].events if event.line is not None]
        where = "".join(f". In {title}, line {number}: {text}" for title, number, text in lines[-1:])
        yield f"{label} stops at {name}: {error_text(ran.failure or RuntimeError()).rstrip('.')}{where}"
    elif how == "again":
        counts = [len(one.steps[key]), len(other.steps[found.pairs[key]])]
        more, less = sorted(zip(counts, labels, strict=True), reverse=True)
        often = f"{more[1]} runs {name} {_often(more[0])}, {less[1]} {_often(less[0])}"
        yield f"{often}: what it passed on the first time is still in {name}.grad, and is passed on again."
        yield f"{SORTED}."
    elif how == "missing":
        yield f"{labels[key in one.steps]} never runs {name}."
    elif how == "order":
        late = other.late(found.pairs[key])
        users = [user for user in one.steps if found.pairs.get(user) in late] or one.late(key)
        names = enumeration([one.graph.by_id[user].name for user in users])
        still = f"{names} still {'has' if len(users) == 1 else 'have'} to send"
        yield f"{labels[1] if late else labels[0]} runs {name} before all has arrived: {still}."
    elif how == "received":
        held = [(label, one) for label, one in zip(labels, found.initial(key), strict=True) if one is not None]
        yield "What was sent to it agrees" + ("." if held else ": another node has changed it.")
        for label, array in held:
            yield f"{in_words(array)} was there in {label} when the pass began, left from a pass before."


def _often(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


# ---------------------------------------------------------------- what kind of mistake it looks like


def _mistake(found: Differences, key: str, child: str, labels: Labels) -> str:
    """What one of the passes seems to do wrong when a box sends to an input; the second, if both could be meant."""
    mine, theirs, _ = found.sent_pair(key, child)
    if mine is None or theirs is None:
        return _write_text(found, key, labels)
    if np.shape(mine) != np.shape(theirs):
        is_turned = np.shape(mine)[::-1] == np.shape(theirs)
        return "the one is the other, transposed" if is_turned else "one is not summed back to what was broadcast"
    if replaced := found.replacement(key, child):
        number, times = replaced
        before, there = (in_words(pair[number]) for pair in found.around(key, child))
        both = f"both send {there}{' twice' * (times > 1)}; {labels[number]} replaces {before}, which was there,"
        return f"{both} instead of adding to it: = where += belongs"
    written = _write_text(found, key, labels)
    return written or _places(found, mine, theirs, labels) or _ratio(found, key, mine, theirs, labels)


def _write_text(found: Differences, key: str, labels: Labels) -> str:
    """That a value was written to, which a rule may have saved: by another rule, or before the pass, where it differs
    and what was computed with it does not. Or that the node's own differs, and what it was computed from does not.
    """
    one, other = found.one.graph.by_id, found.other.graph.by_id
    for box in (*found.inputs[key], key):
        for label, ran, at in ((labels[1], found.other, found.pairs[box]), (labels[0], found.one, box)):
            step, writer = ran.writers.get(at, (len(ran.frames), ""))
            if step < ran.steps[key if ran is found.one else found.pairs[key]][0]:
                return f"the rule of {writer} has written to {one[box].name} in {label}"
    changed = {box for box, paired in found.pairs.items() if _read(one[box]) != _read(other[paired])}
    for box in (*found.inputs[key], key):
        values = f"{one[box].value.full} in {labels[0]} and {other[found.pairs[box]].value.full} in {labels[1]}"
        if box in changed and not changed.issuperset(user for user, inputs in found.inputs.items() if box in inputs):
            return f"the value of {one[box].name} is {values}: it was written to in place after it was used"
        if box in changed and box == key and changed.isdisjoint(found.inputs[key]):
            return f"the value of {one[box].name} is {values}, of the same inputs: it is computed in another way"
    return ""


def _read(box: Box) -> tuple[object, ...]:
    """What can be read of a box's value: two that differ in their last digits alone are the same."""
    return box.value.text, box.value.full, box.value.statistics, box.value.cells


def _places(found: Differences, mine: Any, theirs: Any, labels: Labels) -> str:
    """That gradients go to other elements than they should."""
    if np.ndim(mine) == 2 and mine.shape[0] == mine.shape[1] and found.is_same(mine, theirs.T):
        return "the one is the other, transposed"
    filled, others = mine != 0, theirs != 0
    for one, two, label in ((filled, others, labels[1]), (others, filled, labels[0])):
        if one.any() and two[one].all() and one.sum() < two.sum() and found.is_same(mine[one], theirs[one]):
            return f"{label} sends it to {two.sum()} elements instead of {one.sum()}"
    is_turned = filled.any() and others.any() and not (filled & others).any()
    return f"{labels[1]} sends 0 just where {labels[0]} does not: the mask is turned round" if is_turned else ""


@silent
def _ratio(found: Differences, key: str, mine: Any, theirs: Any, labels: Labels) -> str:
    """That one is a multiple of the other: by a sign, by a value of the node, by a number."""
    if found.is_same(-mine, theirs):
        return "the sign is the other one"
    ratios = np.asarray(theirs / mine)[mine != 0]
    for box in (*found.inputs[key], key):
        node, name, source = found.one.graph.node_of[box], found.one.graph.by_id[box].name, found.one.graph.source
        leaf, result = source.leaf(node), source.result(node)
        array = source.array(leaf) if leaf is not None else None if result is None else source.array(result)
        if array is None or np.all(np.abs(array) == 1) or np.shape(array) != mine.shape[mine.ndim - np.ndim(array) :]:
            continue
        if theirs.any() and found.is_same(theirs * array, mine):
            return f"the factor {name} is missing in {labels[1]}"
        if mine.any() and found.is_same(mine * array, theirs):
            return f"{labels[1]} has a factor {name} too many"
    if not ratios.size or not ratios[0] or not found.is_same(mine * ratios[0], theirs):
        return ""
    missing = 1 / ratios[0]
    if abs(missing) > 1 and np.isclose(missing, round(missing), 1e-3, 0):
        return f"the factor {round(missing)} is missing in {labels[1]}"
    return f"{labels[1]} sends {number(ratios[0])} times as much"


# ---------------------------------------------------------------- which line


def _rule_lines(found: Differences, key: str, labels: Labels) -> list[StoryLine]:
    """The first lines in which the rules of a box differ, one above the other, with what differs in them marked."""
    rules = [_source(ran, at) for ran, at in ((found.one, key), (found.other, found.pairs[key]))]
    texts = [[text.strip() for text in rule] for rule in rules]
    for tag, *ends in SequenceMatcher(None, texts[0], texts[1], False).get_opcodes():
        if tag == "equal":
            continue
        parts = [
            rule[start : min(end, start + MOST_LINES)]
            for rule, start, end in zip(rules, ends[::2], ends[1::2], strict=True)
        ]
        first, second = (clean_lines(textwrap.dedent("\n".join(part))).strip() or "(nothing)" for part in parts)
        likeness = SequenceMatcher(None, first, second, False)
        sides: tuple[list[Any], list[Any]] = [("quiet", f"{labels[0]}:\n")], ["\n", ("quiet", f"{labels[1]}:\n")]
        for same, a, b, c, d in likeness.get_opcodes():
            style = "code" if same == "equal" or likeness.ratio() < ALIKE else "alarm"
            sides[0].append((style, first[a:b]))
            sides[1].append((style, second[c:d]))
        return [line("code", *sides[0], *sides[1])]
    return [line("say", "Their rules read the same: what differs is what these call or read.")] if rules[0] else []


def _source(ran: Ran, key: str) -> list[str]:
    """The lines of a box's rule: of a learner's own, else of ours, for each of its inputs."""
    box = ran.graph.by_id[key]
    items = [item for frame in ran.frames if frame.box == key for item in frame.contributions]
    rules = dict.fromkeys(item.rule for item in items if item.rule.code)
    own = [text for text in box.backward.splitlines() if not text.lstrip().startswith(("@", "def "))]
    return own or [f"{rule.parameter}: {rule.code}" for rule in rules]

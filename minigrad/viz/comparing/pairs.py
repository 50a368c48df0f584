"""Which node of one graph stands for which of another that computes the same.

From the roots down: the inputs of two nodes that are a pair are pairs, too. Engines that keep inputs in a set have no
order for them, so inputs are told apart by what lies behind them, by their values, and only then by their places.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.naming import op_word
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.events import enumeration

NAMELESS = re.compile(r"t\d+")


def inputs_of(graph: Snapshot) -> dict[str, list[str]]:
    """Box -> the boxes that it sends gradients to, each once."""
    return {
        key: list(dict.fromkeys(edge.source for edge in edges if edge.carries)) for key, edges in graph.into.items()
    }


def pairs_of(one: Snapshot, other: Snapshot) -> dict[str, str]:
    """Box of one graph -> box of the other. ValueError, naming the first node that differs, for another shape of graph.

    A leaf that only one of them has beside inputs that are the same is a number which the other keeps elsewhere.
    """
    inputs, others = inputs_of(one), inputs_of(other)
    looks, other_looks = _looks(one, inputs), _looks(other, others)
    pairs, taken = {one.root: other.root}, {other.root}
    for box in reversed(one.boxes):
        if box.id not in pairs:
            continue
        mine = [key for key in inputs[box.id] if key not in pairs]
        theirs = [key for key in others[pairs[box.id]] if key not in taken]
        known = {pairs[key] for key in inputs[box.id] if key in pairs} == {*others[pairs[box.id]]} - {*theirs}
        more, graph = (mine, one) if len(mine) > len(theirs) else (theirs, other)
        extra = abs(len(mine) - len(theirs))
        leaves = [key for key in more if graph.by_id[key].kind == "leaf" and NAMELESS.fullmatch(graph.by_id[key].name)]
        if not known or extra > len(leaves) or (extra and not inputs[box.id]) or (extra and not others[pairs[box.id]]):
            raise ValueError(_other_shape(one, other, box.id, pairs[box.id], inputs, others))
        ways = [
            (_unlikeness(looks[key], other_looks[paired]), abs(place - position), key, paired)
            for place, key in enumerate(mine)
            for position, paired in enumerate(theirs)
        ]
        for *_, key, paired in sorted(ways):
            if key not in pairs and paired not in taken:
                pairs[key] = paired
                taken.add(paired)
    return pairs


def _looks(graph: Snapshot, inputs: dict[str, list[str]]) -> dict[str, tuple[Any, ...]]:
    """By what boxes are told apart, what says least first: how often they are used, their value, the values of all that
    lies behind them, the ops and leaves behind them (PyTorch keeps few values), their op, and whether they are leaves.
    """
    uses = Counter(key for several in inputs.values() for key in several)
    found: dict[str, tuple[Any, ...]] = {}
    for box in graph.boxes:
        text, word = box.value.text, op_word(box.op) if inputs[box.id] else ""
        named = [key for key in inputs[box.id] if inputs[key] or not NAMELESS.fullmatch(graph.by_id[key].name)]
        values = hash((text, *sorted(found[key][2] for key in inputs[box.id])))
        ops = hash((word or text, *sorted(found[key][3] for key in named)))
        found[box.id] = uses[box.id], text, values, ops, word, box.kind
    return found


def _unlikeness(one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
    return sum(2**place * (here != there) for place, (here, there) in enumerate(zip(one, other, strict=True)))


def _other_shape(one: Snapshot, other: Snapshot, key: str, paired: str, *inputs: dict[str, list[str]]) -> str:
    """That two graphs do not have the same nodes, and where they do not."""
    said = []
    for graph, box, of in zip((one, other), (key, paired), inputs, strict=True):
        names = enumeration([clean(graph.by_id[child].name) for child in of[box]]) if of[box] else ""
        made = f" ({op_word(graph.by_id[box].op)}) from {names}" if names else ", a leaf"
        said.append(f"{clean(graph.by_id[box].name)}{made}")
    where = clean(one.by_id[key].name)
    return (
        f"compare() needs two graphs of the same shape. They differ at {where}: in the first there is {said[0]}, "
        f"in the second {said[1]}."
    )

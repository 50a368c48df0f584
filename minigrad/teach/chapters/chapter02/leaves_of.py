"""Exercise `leaves_of`: the leaves that a backward reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.teach.card import plain
from minigrad.teach.chapters.chapter02.graphs import (
    CASES,
    CHAPTER,
    SECONDS,
    draw,
    is_list,
    raised_in_a_pair,
    recursion,
)
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Exercise, Mistake, Outcome
from minigrad.teach.wrong_node import nodes_of
from minigrad.tensor import Tensor


def leaves_of(root: Tensor) -> list[Tensor]:
    """The leaves that get a gradient from root.backward()."""
    return [node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def _compare_tensors(_: Any, got: Any, outcome: Outcome) -> Difference | None:
    expected = leaves_of(outcome.arguments[0])  # of the learner's graph: another graph has other leaves
    if not is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of tensors is asked for.")
    for item in got:
        if not isinstance(item, Tensor):
            return Difference("an item", plain(item), "a tensor", "The tensors are asked for: node.variable is a leaf.")
    for leaf in expected:
        count = sum(item is leaf for item in got)
        if count != 1:
            return Difference(f"how often the leaf {show(leaf)} is there", str(count), "1")
    for item in got:
        if not any(item is leaf for leaf in expected):
            note = "It is not one of the leaves of this graph, but a tensor of its own, perhaps a copy."
            return Difference("one tensor too many", show(item), "leaves of the graph only", note)
    return None


def _show(value: Any, arguments: tuple[Any, ...]) -> str:
    if not is_list(value):
        return show(value)
    if len(value) > 6:
        return f"{len(value)} tensors"
    leaves = leaves_of(arguments[0])
    strangers = sum(isinstance(item, Tensor) and not any(item is leaf for leaf in leaves) for item in value)
    return show(value) + (f", of which {strangers} no leaf of the graph" if strangers else "")


def _twice(outcome: Outcome) -> bool:
    """Whether every leaf is there, and some more than once."""
    if not is_list(outcome.value):
        return False
    counts = [sum(item is leaf for item in outcome.value) for leaf in leaves_of(outcome.arguments[0])]
    return min(counts) == 1 and max(counts) > 1


def _items_are(kind: Callable[[Any], bool]) -> Callable[[Outcome], bool]:
    return lambda outcome: is_list(outcome.value) and any(kind(item) for item in outcome.value)


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph with the leaves in red that are not in the answer, or more than once."""
    got = outcome.value if is_list(outcome.value) else []
    counts = {
        node: sum(item is node.variable for item in got)
        for node in nodes_of(outcome.arguments[0])
        if node.name() == "AccumulateGrad"
    }
    badges = {node: f"{'✓' if count == 1 else '✗'} {count} x in yours" for node, count in counts.items()}
    return draw(outcome, badges, lambda node: counts.get(node, 1) != 1)


def _beside_the_root(root: Tensor) -> Any:
    start: Any = root.grad_fn
    return [node.variable for node, _ in start.next_functions if node is not None and node.name() == "AccumulateGrad"]


def _strangers(outcome: Outcome) -> bool:
    """Whether the answer holds tensors, and none of them is a leaf of the graph."""
    got, leaves = outcome.value, leaves_of(outcome.arguments[0])
    if not is_list(got) or not got or not all(isinstance(item, Tensor) for item in got):
        return False
    return not any(item is leaf for item in got for leaf in leaves)


LEAVES_OF = Exercise(
    name="leaves_of",
    chapter=CHAPTER,
    title="a list of the leaf tensors that a backward from root reaches",
    stars=2,
    minutes=6,
    reference=leaves_of,
    cases=CASES,
    hints=(
        "The walk is the one of the first exercise. Which nodes belong to leaves?",
        'A leaf\'s node has the name "AccumulateGrad".',
        "Such a node has its tensor in the attribute variable.",
    ),
    compare=_compare_tensors,
    show=_show,
    picture=_draw,
    seconds=SECONDS,
    evidence=lambda outcome: f"  the graph has {len(leaves_of(outcome.arguments[0]))} leaves",
    mistakes=(
        Mistake(
            "A leaf that can be reached in two ways is in the list twice. Look whether its node was met before.",
            when=_twice,
        ),
        Mistake(
            "These are nodes. The tensors are asked for: a leaf's node has its tensor in the attribute variable.",
            when=_items_are(lambda item: hasattr(item, "next_functions")),
        ),
        Mistake(
            "These are gradients, or None: a leaf's .grad. The leaves themselves are asked for.",
            when=_items_are(lambda item: item is None),
        ),
        Mistake(
            "is_leaf belongs to tensors, and these are nodes. A leaf's node is recognised by its name, AccumulateGrad.",
            when=lambda outcome: isinstance(outcome.error, AttributeError) and "is_leaf" in str(outcome.error),
        ),
        Mistake(
            "None of these tensors is a leaf of the graph: they are copies, or values that a node has saved. A leaf's "
            "node has the leaf itself in the attribute variable; take it as it is.",
            when=_strangers,
        ),
        Mistake(
            "These are the leaves right next to the root. Others are further away: go on from each node to its next "
            "ones.",
            _beside_the_root,
        ),
        Mistake(
            "next_functions holds pairs, (node, number). Take the node out of each: for next_node, _ in ...",
            when=raised_in_a_pair,
        ),
        Mistake(
            "Some node was asked for its variable that is no leaf's. Only AccumulateGrad has one.",
            when=lambda outcome: isinstance(outcome.error, AttributeError) and "variable" in str(outcome.error),
        ),
        Mistake(
            "Only the first leaf is there. Collect them all, and return the list after the loop.",
            lambda root: leaves_of(root)[:1],
        ),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=recursion,
        ),
    ),
)

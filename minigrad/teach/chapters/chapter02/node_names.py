"""Exercise `node_names`: the names of all nodes of a graph."""

from __future__ import annotations

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


def node_names(root: Tensor) -> list[str]:
    """The name of each node of a graph."""
    return [node.name() for node in nodes_of(root)]


def _counted(names: list[str]) -> str:
    return ", ".join(f"{names.count(name)} x {name}" for name in sorted(set(names)))


def _compare_names(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if not is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of names is asked for.")
    for item in got:
        if not isinstance(item, str):
            note = "The names are asked for, as str: node.name() is a node's name."
            return Difference("an item", plain(item), "a str", note)
    found, wanted = sorted(got), sorted(expected)
    for name in dict.fromkeys([*wanted, *found]):
        if found.count(name) != wanted.count(name):
            return Difference(f"how often {plain(name)} is there", str(found.count(name)), str(wanted.count(name)))
    return None


def _show_names(value: Any, arguments: tuple[Any, ...]) -> str:
    if is_list(value) and all(isinstance(item, str) for item in value):
        return plain(_counted(list(value))) if value else "an empty list"
    return show(value)


def _twice(outcome: Outcome) -> bool:
    """Whether every name is there often enough, and some too often."""
    got, expected = outcome.value, node_names(outcome.arguments[0])
    if not is_list(got):
        return False
    names = list(got)
    more = [names.count(name) - expected.count(name) for name in set(expected)]
    return min(more) == 0 < max(more)


def first_input_only(root: Tensor) -> Any:
    names, node = [], root.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph with all nodes of the name that is there too often or not often enough in red."""
    name = difference.where.removeprefix("how often ").removesuffix(" is there")
    badges = {node: node.name() for node in nodes_of(outcome.arguments[0])}
    return draw(
        outcome,
        {node: ("✗ " if name == word else "") + word for node, word in badges.items()},
        lambda node: node.name() == name,
    )


def _two_levels(root: Tensor) -> Any:
    start: Any = root.grad_fn
    return [start.name(), *[node.name() for node, _ in start.next_functions if node is not None]]


NODE_NAMES = Exercise(
    name="node_names",
    chapter=CHAPTER,
    title="a list with the name of every node of the graph",
    stars=1,
    minutes=6,
    reference=node_names,
    cases=CASES,
    hints=(
        "Begin with root.grad_fn, and look at the nodes in its next_functions, then at theirs, and so on.",
        "Keep a list of the nodes that were met. A node goes onto it only if it is not None and not on it yet.",
        "for node in met: for next_node, _ in node.next_functions: append it if it is new. The loop goes on over "
        "what it appended.",
    ),
    compare=_compare_names,
    show=_show_names,
    picture=_draw,
    seconds=SECONDS,
    evidence=lambda outcome: f"  the graph has {len(nodes_of(outcome.arguments[0]))} nodes",
    mistakes=(
        Mistake(
            "A node that can be reached in two ways was counted twice. Look whether it was met before.", when=_twice
        ),
        Mistake(
            "Only the first input was followed. next_functions has a pair for each input of the operation.",
            first_input_only,
        ),
        Mistake(
            "The leaves are missing: AccumulateGrad is a node like the others, only its next_functions are empty.",
            lambda root: [name for name in node_names(root) if name != "AccumulateGrad"],
        ),
        Mistake(
            "Each name is there once, but two nodes can have the same name. Look whether the node was met, not "
            "its name.",
            lambda root: list(dict.fromkeys(node_names(root))),
        ),
        Mistake("The node of the root itself is missing.", lambda root: node_names(root)[1:]),
        Mistake(
            "Only the root's node is there. Was the `return` inside the loop? It belongs behind it.",
            lambda root: node_names(root)[:1],
        ),
        Mistake(
            "These are the root's node and its next nodes. They have next nodes in turn, down to the leaves.",
            _two_levels,
        ),
        Mistake(
            "next_functions holds pairs, (node, number). Take the node out of each: for next_node, _ in ...",
            when=raised_in_a_pair,
        ),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=recursion,
        ),
    ),
)

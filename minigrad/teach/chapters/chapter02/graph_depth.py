"""Exercise `graph_depth`: the longest way through a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.teach.chapters.chapter02.graphs import (
    CASES,
    CHAPTER,
    SECONDS,
    draw,
    raised_in_a_pair,
    recursion,
)
from minigrad.teach.chapters.chapter02.node_names import first_input_only
from minigrad.teach.comparing import Difference
from minigrad.teach.exercise import Exercise, Mistake, Outcome
from minigrad.teach.wrong_node import nodes_of
from minigrad.tensor import Tensor


def graph_depth(root: Tensor) -> int:
    """The number of nodes on the longest way from the root's node to a leaf's."""
    return _depth(root, max)


def _depth(root: Tensor, choose: Callable[..., int]) -> int:
    return _depths(root, choose)[root.grad_fn]


def _depths(root: Tensor, choose: Callable[..., int]) -> dict[Any, int]:
    depth: dict[Any, int] = {}
    todo: list[Any] = [root.grad_fn]
    while todo:
        inner = [next_node for next_node, _ in todo[-1].next_functions if next_node is not None]
        unknown = [next_node for next_node in inner if next_node not in depth]
        if unknown:
            todo += unknown
        else:
            node = todo.pop()
            depth[node] = 1 + choose([depth[next_node] for next_node in inner], default=0)
    return depth


def _levels(root: Tensor) -> int:
    """Level by level, each node where it is met first: that is the distance of the farthest node, by the shortest way
    to it.
    """
    level: list[Any] = [root.grad_fn]
    met = set(level)
    count = 0
    while level:
        count += 1
        below = []
        for node in level:
            for next_node, _ in node.next_functions:
                if next_node is not None and next_node not in met:
                    met.add(next_node)
                    below.append(next_node)
        level = below
    return count


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph with the depth of each node; the root's is what was asked for."""
    root = outcome.arguments[0]
    depths = _depths(root, max)
    badges = {node: f"depth {depth}" for node, depth in depths.items()}
    badges[root.grad_fn] = f"✗ yours: {difference.yours}, not {difference.expected}"
    return draw(outcome, badges, lambda node: node is root.grad_fn)


GRAPH_DEPTH = Exercise(
    name="graph_depth",
    chapter=CHAPTER,
    title="a number: the nodes on the longest way from root.grad_fn to a leaf's node",
    stars=3,
    minutes=12,
    reference=graph_depth,
    cases=CASES,
    hints=(
        "A leaf's node has depth 1. What is the depth of a node whose next nodes have depths 1 and 3?",
        "One more than the largest: 4. So a node can be computed when all its next nodes are; keep the depths in "
        "a dict.",
        "Keep a list of what is to do, and look at its last node. If some of its next nodes have no depth yet, put "
        "these on the list; else compute its depth and take it off.",
    ),
    picture=_draw,
    seconds=SECONDS,
    evidence=lambda outcome: (
        f"  the graph has {len(nodes_of(outcome.arguments[0]))} nodes; the shortest way to a leaf has "
        f"{_depth(outcome.arguments[0], min)}"
    ),
    mistakes=(
        Mistake(
            "The node at one end was left out: both ends count.",
            lambda root: graph_depth(root) - 1,
        ),
        Mistake(
            "One too many. A leaf's node has depth 1: it has no next nodes, and nothing is to be added for them.",
            lambda root: graph_depth(root) + 1,
        ),
        Mistake(
            "This is the number of leaves. Count the nodes on the longest way to one of them.",
            lambda root: len([node for node in nodes_of(root) if node.name() == "AccumulateGrad"]),
        ),
        Mistake(
            "next_functions holds pairs, (node, number). Take the node out of each: for next_node, _ in ...",
            when=raised_in_a_pair,
        ),
        Mistake("This is the number of all nodes, not of those on one way.", lambda root: len(nodes_of(root))),
        Mistake(
            "Only the first input was followed. The longest way may go through any of them.",
            lambda root: len(first_input_only(root)),
        ),
        Mistake(
            "This is the shortest way to a leaf. Take the largest depth of the next nodes.", lambda r: _depth(r, min)
        ),
        Mistake(
            "Each node was counted at the level at which it was met first. A leaf that is near on one way can be far "
            "on another, and the longest way counts.",
            _levels,
        ),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=recursion,
        ),
    ),
)

"""The nodes behind a result, found and put in order without recursion.

A picture tells of a graph as the learner's code made it, a leaf just before its first use, so that equal graphs are
drawn alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from minigrad.viz.graph.source import Edges, Node, Source

MOST_NODES = 6000  # in a picture: beyond that it takes seconds until the folded picture is there


def nodes_behind(source: Source, *starts: Node) -> list[Node]:
    """All nodes behind some, as the learner's code made them; a leaf stands before its first use.

    ValueError if there are more than `MOST_NODES`.
    """
    known = reachable(source.edges, starts, MOST_NODES)
    if len(known) > MOST_NODES:
        raise ValueError(
            f"this graph has more than {MOST_NODES} nodes, too many to draw or to step through in one picture. "
            "Draw a smaller one: fewer rounds of the loop, or the graph of one part, such as one layer's result."
        )
    found: dict[Any, None] = {}
    for node in sorted((node for node in known if not source.is_leaf(node)), key=source.number):
        leaves = [child for child, _ in source.edges(node) if child is not None and source.is_leaf(child)]
        found |= dict.fromkeys([*leaves, node])
    return list(found)


def reachable(edges: Callable[[Node], Edges], starts: Iterable[Node], most: float = math.inf) -> dict[Node, None]:
    """Some nodes and all behind them, each once; not all where they are more than `most`."""
    found = dict.fromkeys(starts)
    stack = list(found)
    while stack and len(found) <= most:
        for child, _ in edges(stack.pop()):
            if child is not None and child not in found:
                found[child] = None
                stack.append(child)
    return found


def backwards(source: Source, nodes: list[Node]) -> dict[Node, int]:
    """Node -> which of the recorded backwards made it, counted in their order; none for what no rule made.

    A backward makes all its nodes in one go, and goes from later nodes to earlier ones: where an earlier one is
    followed by a later one, another backward has begun.
    """
    found: dict[Any, int] = {}
    number, last = 0, 0
    was_by_rule = False
    for node in nodes:
        if source.is_leaf(node):
            continue
        made = source.making(node)
        if made.by_rule:
            number += not was_by_rule or last < made.rule_of
            found[node], last = number, made.rule_of or last
        else:
            last = 0
        was_by_rule = made.by_rule
    return found


def consumers(source: Source, nodes: list[Node]) -> dict[Node, list[Node]]:
    """Node -> the nodes that use its results, once for each use."""
    found: dict[Any, list[Any]] = {node: [] for node in nodes}
    for node in nodes:
        for child, _ in source.edges(node):
            if child is not None:
                found[child].append(node)
    return found

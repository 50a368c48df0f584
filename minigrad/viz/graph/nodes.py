"""The nodes behind a result, found and put in order without recursion.

A picture tells of a graph as the learner's code made it, a leaf just before its first use, so that equal graphs are
drawn alike. Only `next_functions`, `variable` and the number of the node are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

LIMIT = 6000  # boxes: beyond that it takes seconds until the folded picture is there


def nodes_behind(*starts: Any) -> list[Any]:
    """All nodes behind some, as the learner's code made them; a leaf stands before its first use.

    ValueError if there are more than `LIMIT`.
    """
    known = reached(starts, LIMIT)
    if len(known) > LIMIT:
        raise ValueError(
            f"this graph has more than {LIMIT} nodes, too many to draw or to step through in one picture. "
            "Draw a smaller one: fewer rounds of the loop, or the graph of one part, such as one layer's result."
        )
    found: dict[Any, None] = {}
    for node in sorted((node for node in known if not is_leaf(node)), key=lambda node: node._sequence_nr()):
        leaves = [child for child, _ in node.next_functions if child is not None and is_leaf(child)]
        found |= dict.fromkeys([*leaves, node])
    return list(found)


def reached(starts: Iterable[Any], most: float = math.inf) -> dict[Any, None]:
    """Some nodes and all behind them, each once; not all where they are more than `most`."""
    found = dict.fromkeys(starts)
    stack = list(found)
    while stack and len(found) <= most:
        for child, _ in stack.pop().next_functions:
            if child is not None and child not in found:
                found[child] = None
                stack.append(child)
    return found


def is_leaf(node: Any) -> bool:
    """True for the AccumulateGrad of a leaf."""
    return hasattr(node, "variable")


def stages(nodes: list[Any]) -> dict[Any, int]:
    """Node -> 0 for what the learner computed, 1 for the graph of its gradient, 2 for what the learner computed from
    that, 3 for the graph of that one's gradient, and so on. No input is of a later stage.
    """
    found: dict[Any, int] = {}
    for node in nodes:
        least = 2 * getattr(creation(node), "graph", 1) - 3
        stage = max([least, 0, *(found[child] for child, _ in node.next_functions if child is not None)])
        found[node] = stage + (stage % 2 != by_rule(node))
    return found


def consumers(nodes: list[Any]) -> dict[Any, list[Any]]:
    """Node -> the nodes that use its results, once for each use."""
    found: dict[Any, list[Any]] = {node: [] for node in nodes}
    for node in nodes:
        for child, _ in node.next_functions:
            if child is not None:
                found[child].append(node)
    return found


def by_rule(node: Any) -> bool:
    """Whether a backward that recorded itself made a node, and no line of the learner's."""
    return getattr(creation(node), "graph", 1) > 1


def creation(node: Any) -> Any:
    """What was noted when a node was made: a `Record`, or None."""
    return getattr(node, "_creation", None)


def version_of(tensor: Any) -> int | None:
    """How often a tensor was written to in place; None where writes are not counted."""
    is_uncounted = getattr(tensor, "is_inference", None)
    return None if is_uncounted is not None and is_uncounted() else getattr(tensor, "_version", None)

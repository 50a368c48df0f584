"""Which nodes a backward pass will run, known before it begins.

After this module a reader knows what `inputs=` leaves out, along which edges gradients will go, and for how many a node
will wait. Nothing is run and nothing is changed: all of it follows from the graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minigrad.viz.boxes import Edge, Snapshot
from minigrad.viz.walk import is_leaf


@dataclass(frozen=True)
class Plan:
    """`runs` are the boxes that will run, `live` the edges along which gradients will go, `into` the edges to each
    box's inputs, `needed` how many gradients a box waits for, `met` the order in which a walk from the root, level by
    level, meets the boxes: so the engine takes leaves that are ready together.
    """

    runs: set[str]
    live: dict[str, Edge]
    into: dict[str, list[Edge]]
    needed: dict[str, int]
    met: dict[str, int]


def plan_of(graph: Snapshot, sought: Mapping[str, Any] | None) -> Plan:
    """The plan of a pass over a graph; `sought` maps box ids to the tensors of `inputs=`, or is None for all leaves."""
    into: dict[str, list[Edge]] = {box.id: [] for box in graph.boxes}
    for edge in graph.edges:
        into[edge.target].append(edge)
    below = {graph.root}
    for box in reversed(graph.boxes):  # results stand behind their inputs
        if box.id in below:
            below |= {edge.source for edge in into[box.id] if edge.carries}
    carrying = [edge for edge in graph.edges if edge.carries and edge.target in below]
    nodes = {box.id: node for box, node in zip(graph.boxes, graph.nodes, strict=True) if node is not None}
    if sought is None:
        runs, live = below & set(nodes), {edge.id: edge for edge in carrying}
    else:
        ends = set(sought)
        useful: set[str] = set()
        for box in graph.boxes:  # inputs stand before results
            leads = any(edge.carries and (edge.source in ends or edge.source in useful) for edge in into[box.id])
            if box.id in below and leads:
                useful.add(box.id)
        runs = useful | {key for key in ends if is_leaf(nodes[key])}
        wanted = ends | useful
        live = {edge.id: edge for edge in carrying if edge.target in useful and edge.source in wanted}
    needed = dict.fromkeys(into, 0)
    for edge in live.values():
        needed[edge.source] += 1
    needed[graph.root] += 1
    return Plan(runs, live, into, needed, _met(graph.root, into))


def _met(root: str, into: Mapping[str, list[Edge]]) -> dict[str, int]:
    order = [root]
    met = {root: 0}
    for key in order:  # which grows while we walk it
        for edge in into[key]:
            if edge.carries and edge.source not in met:
                met[edge.source] = len(order)
                order.append(edge.source)
    return met

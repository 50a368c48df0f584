"""The nodes of a graph as a list, and the warning that create_graph gives."""

from __future__ import annotations

from typing import Any

CYCLE = "UserWarning: Using backward() with create_graph=True will create a reference cycle"


def graph_of(tensor: Any) -> list[Any]:
    """Every node below a tensor, each with the places of its next nodes in this list and their output numbers."""
    nodes = [tensor.grad_fn]
    rows = []
    for node in nodes:
        edges = []
        for following, output_nr in node.next_functions:
            if following is None:
                edges.append(None)
                continue
            if not any(following is known for known in nodes):
                nodes.append(following)
            place = next(place for place, known in enumerate(nodes) if following is known)
            edges.append([place, output_nr])
        rows.append([type(node).__name__, edges])
    return rows

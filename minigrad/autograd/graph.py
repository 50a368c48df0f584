"""The graph as learners meet it, under the names of torch.autograd.graph: nodes and edges, hooks of several tensors,
and hooks on what is saved. (How a node is made up is told in node.py.)
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.blame import count_write
from minigrad.autograd.hooks import register_multi_grad_hook
from minigrad.autograd.node import (
    ON_DEMAND,
    AccumulateGrad,
    GradientEdge,
    Node,
    edge_node,
    get_gradient_edge,
    next_sequence_nr,
    node_on_demand,
)
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.tensor_base import TensorBase

__all__ = [
    "ON_DEMAND",
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "edge_node",
    "get_gradient_edge",
    "increment_version",
    "next_sequence_nr",
    "node_on_demand",
    "register_multi_grad_hook",
    "saved_tensors_hooks",
]


def increment_version(tensor: Any) -> None:
    """Count a write of a tensor (or several) that was made behind the engine's back."""
    for written in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        if written.is_inference():
            raise RuntimeError("Inference tensors do not track version counter: their writes cannot be counted.")
        count_write(written)

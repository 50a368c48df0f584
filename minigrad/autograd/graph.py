"""The graph as learners meet it, under the names of torch.autograd.graph: nodes and edges, hooks of several tensors,
and hooks on what is saved. (How a node is made up is told in node.py.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.autograd.hooks import register_multi_grad_hook
from minigrad.autograd.inplace import count_write
from minigrad.autograd.node import ON_DEMAND, AccumulateGrad, Node, next_sequence_nr
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.autograd.states import edge_node, node_on_demand
from minigrad.tensor_base import TensorBase

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

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


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor arrives, without the tensor: stands for it in `grad()` and `backward()`."""

    node: Node
    output_nr: int
    ownership_token: Any = None  # here, the tensor's shape and numpy dtype


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that needs a gradient; RuntimeError for others."""
    node: Any = edge_node(tensor)
    if node is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node, tensor.output_nr, (tensor.shape, tensor._array.dtype))


def increment_version(tensor: Any) -> None:
    """Count a write of a tensor (or several) that was made behind the engine's back."""
    for written in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        if written.is_inference():
            raise RuntimeError("Inference tensors do not track version counter: their writes cannot be counted.")
        count_write(written)

"""The graph as learners meet it, under the names of torch.autograd.graph: nodes, hooks of several tensors, and hooks on
what is saved. (How a node is made up is told in node.py.)
"""

from minigrad.autograd.hooks import register_multi_grad_hook
from minigrad.autograd.node import ON_DEMAND, AccumulateGrad, Node, edge_node, next_sequence_nr, node_on_demand
from minigrad.autograd.saved import saved_tensors_hooks

__all__ = [
    "ON_DEMAND",
    "AccumulateGrad",
    "Node",
    "edge_node",
    "next_sequence_nr",
    "node_on_demand",
    "register_multi_grad_hook",
    "saved_tensors_hooks",
]

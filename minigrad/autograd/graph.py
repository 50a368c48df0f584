"""The graph as learners meet it, under the names of torch.autograd.graph: nodes and edges, hooks of several tensors,
and hooks on what is saved. (How a node is made up is told in node.py.)
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from minigrad.absent import attributes_of
from minigrad.autograd.blame import count_write
from minigrad.autograd.hooks import Hook, RemovableHandle
from minigrad.autograd.modes import thread
from minigrad.autograd.node import AccumulateGrad, GradientEdge, Node, edge_node, get_gradient_edge
from minigrad.autograd.saved import disable_saved_tensors_hooks, saved_tensors_hooks
from minigrad.tensor_base import TensorBase

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

__all__ = ["AccumulateGrad", "GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge"]
__all__ += ["increment_version", "register_multi_grad_hook", "saved_tensors_hooks"]
__getattr__ = attributes_of(__name__)


class _SeveralHandles(RemovableHandle):
    """One handle for the hooks of several tensors."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Hook, *, mode: str = "all") -> RemovableHandle:
    """Have `fn` called once per backward run for several tensors.

    With mode "all", after the gradients of all those that the run reaches are there: `fn(gradients)` gets a list with
    None for the others. With mode "any", at the first of them: `fn(gradient)`.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    assert mode == "any" or all(t.requires_grad for t in tensors), "Expected gradient function to be set: one has none"
    nodes = list(map(edge_node, tensors)) if mode == "all" else []  # raises for a view that has lost its place
    arrived: weakref.WeakKeyDictionary[Any, dict[int, Tensor]] = weakref.WeakKeyDictionary()

    def gather(position: int) -> Hook:
        def hook(gradient: Tensor) -> None:
            gradients = arrived.setdefault(thread.run, {})
            gradients[position] = gradient
            if mode == "any" and len(gradients) == 1:
                fn(gradient)
            elif mode == "all" and len(gradients) == thread.run.count(nodes):
                del arrived[thread.run]
                fn([gradients.get(index) for index in range(len(tensors))])

        return hook

    return _SeveralHandles([each.register_hook(gather(at)) for at, each in enumerate(tensors) if each.requires_grad])


def increment_version(tensor: Any) -> None:
    """Count a write to a tensor, or to each of several, that was made behind the engine's back (`x.numpy()[0] = 1`), so
    that a node which saved it finds out. Writes to tensors of inference mode are not counted.
    """
    several = [tensor] if isinstance(tensor, TensorBase) else tensor
    if not isinstance(several, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input, or one tensor")
    for written in several:
        if not isinstance(written, TensorBase):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        count_write(written)

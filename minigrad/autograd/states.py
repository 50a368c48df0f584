"""What a tensor in the graph is, where its own slots do not say: a leaf, or a view that no operation of its own made.

A result points to its node. Other tensors that need a gradient have ON_DEMAND there, and their node is found by their
`_state` when somebody asks. A leaf's state knows its AccumulateGrad, and what happened to the leaf. The states of views
whose memory was written to are told in views.py. A tensor without a state is a result, or a leaf that nobody has used.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.hooks import NodeHooks
from minigrad.autograd.node import ON_DEMAND, AccumulateGrad, Node, accumulating

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class State:
    """What can be asked of every state."""

    __slots__ = ()
    accumulator: Callable[[], AccumulateGrad | None] = staticmethod(lambda: None)  # a leaf's, if it is there
    history: Any = None  # the node and output number that a view had before its memory was written
    has_place = True  # whether it is known where in the graph the tensor is
    detached = False  # whether detach_() took the tensor out of its graph
    written = False  # whether this is a view that was written to while neither it nor its base needed a gradient
    retains_grad = False
    follows_base = False  # whether this is a view that needs a gradient only because its base does

    def node_of(self, tensor: Tensor) -> Node | None:
        """The tensor's node, made if need be."""
        raise NotImplementedError

    def grad_fn(self, tensor: Tensor) -> Node | None:
        """The node of the operation that made the tensor; None for leaves."""
        return None

    def was_leaf(self, tensor: Tensor) -> bool:
        """Whether the tensor is a leaf, or was one until its memory was written to."""
        return tensor.is_leaf

    def hooks_of(self, tensor: Tensor) -> NodeHooks:
        """The hooks of the node that the tensor's gradient goes to."""
        raise NotImplementedError

    def take_flag(self, tensor: Tensor, wanted: bool) -> bool:
        """Let `requires_grad` be set; return whether that was all."""
        return False

    def check(self) -> None:
        """Raise unless it is known where in the graph the tensor is."""


class LeafState(State):
    """What a leaf knows of its AccumulateGrad, the node, weakly, and its hooks, which outlive the node."""

    __slots__ = ("accumulator", "hooks", "detached", "retains_grad", "written")

    def __init__(self, node: AccumulateGrad | None = None) -> None:
        self.accumulator = State.accumulator if node is None else weakref.ref(node)
        self.hooks: NodeHooks | None = None
        self.detached = self.retains_grad = self.written = False

    def node_of(self, leaf: Tensor) -> Node:
        with accumulating:  # two threads that use a leaf at once must find the same node
            node = self.accumulator()
            if node is None:
                node = AccumulateGrad(leaf)
                if self.hooks is not None:
                    self.hooks = node._hooks = self.hooks.of_leaf()
                self.accumulator = weakref.ref(node)
        return node

    def hooks_of(self, leaf: Tensor) -> NodeHooks:
        self.hooks = node_on_demand(leaf)._node_hooks()  # type: ignore[union-attr]
        return self.hooks


class UnconnectedState(State):
    """A view made without recording, of a tensor that needs a gradient: it counts as needing one, but none arrives."""

    __slots__ = ()
    follows_base = True

    def node_of(self, view: Tensor) -> None:
        return None

    def hooks_of(self, view: Tensor) -> NodeHooks:
        return NodeHooks()

    def take_flag(self, view: Tensor, wanted: bool) -> bool:
        if wanted:
            view._state = None  # a leaf like others
        return True


UNCONNECTED = UnconnectedState()


def state_of(tensor: Tensor) -> State:
    """The state of a tensor that is no result."""
    if tensor._state is None:
        with accumulating:  # as above
            tensor._state = tensor._state or LeafState()
    return tensor._state


def node_on_demand(tensor: Tensor) -> Node | None:
    """The node of a tensor that has none at hand (`ON_DEMAND`).

    For a leaf its one AccumulateGrad, made at first use and again after nobody holds it any more. For a view whose
    memory was written to, the node that says so.
    """
    state = tensor._state or state_of(tensor)
    return state.accumulator() or state.node_of(tensor)


def edge_node(tensor: Any) -> Node | None:
    """The node to which a gradient of `tensor` goes: its grad_fn, its AccumulateGrad, or None where no gradient is
    wanted.
    """
    node: Node | None = tensor._node
    return node_on_demand(tensor) if node is ON_DEMAND else node

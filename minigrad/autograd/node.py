"""What the graph is made of: one node for each recorded operation, and the sink in which a leaf's gradient ends.

Each result that needs a gradient points to the `Node` of the operation that made it (`grad_fn`). The node knows the
nodes that made its inputs (`next_functions`), keeps the values that its rule will need (`_saved_self` and the like, see
saved.py), and can be called with a gradient. A leaf's gradient ends in an `AccumulateGrad`, which adds it to `.grad`.

References run one way only, from results to inputs, so a graph dies with its last result and needs no garbage
collector: a leaf knows its AccumulateGrad weakly, and a node that saved its own result keeps the array, not the tensor
which points back to the node.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import namedtuple
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.batching import NotBatchableError
from minigrad.autograd.blame import count_write, short, type_name
from minigrad.autograd.grad_mode import Mode, enable_grad, is_grad_enabled
from minigrad.autograd.hooks import Hook, NodeHooks, RemovableHandle, wrap_gradient
from minigrad.autograd.modes import INFERENCE, check_mode, thread
from minigrad.memory import OVERLAP
from minigrad.size import Size
from minigrad.tensor_base import TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

MOVED_LEAF = (
    "leaf variable has been moved into the graph interior: it was used as a leaf, and then a recorded operation wrote "
    "to it, so that it is a result now. Write to a clone() of it instead."
)
next_sequence_nr = itertools.count().__next__


# Stands where a tensor has its node, for tensors whose node is found when it is asked for (see TensorState): a
# leaf's AccumulateGrad, and the new node of a view whose memory was written to.
ON_DEMAND: Any = object()


class _Freed:
    """`node.freed`: whether what the node saved is gone. Not a property, since a ctx may have an attribute `freed`."""

    def __get__(self, node: Node | None, owner: type[Node] | None = None) -> bool:
        return node is not None and node._kept is None


class Node:
    """One recorded operation, seen from the backward side.

    Each op has a subclass of its own, named as PyTorch names it.
    """

    # Underscored, since the node of a custom Function is the learner's ctx, which takes any attribute.
    __slots__ = ("_next_nodes", "_output_nrs", "_kept", "_targets", "_sequence", "_hooks", "_metadata", "_making")

    inputs: ClassVar[tuple[str, ...]] = ()  # names of the differentiable inputs, in the order of next_functions
    rules: ClassVar[dict[str, Callable[..., Any]]] = {}  # input name -> the rule that gives its gradient
    _keeps_tensors: ClassVar[bool] = False  # whether there is anything to free
    _kept_names: ClassVar[tuple[str, ...]] = ()  # of what `_saved` holds; a result has a second slot, for its count
    _is_custom: ClassVar[bool] = False  # runs the learner's own code: also where no gradient arrives
    _gives_all: ClassVar[bool] = False  # of any number of inputs: gives gradients for all if one wants its own
    _output_count: int = 1  # a slot of its own in nodes that have several

    _next_nodes: tuple[Node | None, ...]
    _output_nrs: tuple[int, ...] | None  # which output of each next node the input was; None when all are output 0
    _kept: tuple[Any, ...] | None  # None once freed; nodes that keep no tensors are not freed and stay usable
    _targets: tuple[Any, ...] | None  # the (shape, dtype) of inputs that were broadcast or promoted; None for others
    _sequence: int  # nodes are numbered as they are made
    _hooks: NodeHooks | None
    _metadata: dict[str, Any] | None  # the `metadata`, once it was asked for
    _making: Any  # how the node was made, noted by an observer of new nodes; not there else

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        """Run the rules on arrays: gradients of the outputs in, gradients of the inputs out."""
        raise NotImplementedError

    def apply_recorded(self, *gradients: Any) -> tuple[Any, ...]:
        """Run the same rules on tensors, so that the result can be differentiated again."""
        raise NotImplementedError

    def apply_batched(self, *gradients: Any) -> tuple[Any, ...]:
        """Run the same rules on a batch of gradients (see batching.py); nodes without rules run once for each."""
        raise NotBatchableError

    freed = _Freed()

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        numbers = self._output_nrs or (0,) * len(self._next_nodes)
        return tuple(zip(self._next_nodes, numbers, strict=True))

    def _connect(self, edges: list[tuple[Node | None, int]], kept: tuple[Any, ...] = ()) -> None:
        """Fill in the slots of a node that no op's call makes; edges are those of its inputs."""
        self._kept = kept
        self._next_nodes = tuple([node for node, _ in edges])
        self._output_nrs = tuple([number for _, number in edges]) if any(number for _, number in edges) else None
        self._targets = self._hooks = self._metadata = None
        self._sequence = next_sequence_nr()

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for whatever the learner wants to note about this node; anomaly mode writes here, too."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        return self._sequence

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(grad_inputs, grad_outputs)` called after this node ran.

        Both are tuples of tensors and None: the gradients of its inputs, one per entry of `next_functions`, and of its
        outputs. What the hook returns, if not None, replaces grad_inputs.
        """
        return RemovableHandle(self._node_hooks().after, hook)

    def register_prehook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(grad_outputs)` called before this node runs; a tuple that it returns replaces grad_outputs."""
        return RemovableHandle(self._node_hooks().before, hook)

    def _node_hooks(self) -> NodeHooks:
        if self._hooks is None:
            self._hooks = NodeHooks()
        return self._hooks

    def __call__(self, *gradients: Tensor | None) -> Any:
        """Run this node by hand: takes and returns tensors, touches no other node, frees nothing.

        Returns one tensor (or None) if the node has one input, else a tuple: what the rules give. The gradient of what
        was broadcast has the shape of the result here; the engine sums it afterwards.
        """
        if len(gradients) != self._output_count:
            raise TypeError(f"expected {self._output_count} arguments, got {len(gradients)} instead")
        for number, gradient in enumerate(gradients):
            if gradient is not None and not isinstance(gradient, TensorBase):
                kind = type_name(gradient)  # type: ignore[unreachable]
                advice = f"{self.name()} must be called with tensors, not {kind}: try tensor({short(gradient)})"
                raise TypeError(f"argument {number} is not a Variable: {advice}")
        if all(gradient is None for gradient in gradients):
            results: tuple[Any, ...] = (None,) * len(self._next_nodes)
        elif is_grad_enabled():
            results = self.apply_recorded(*gradients)
        else:
            arrays = [getattr(gradient, "_array", None) for gradient in gradients]
            results = tuple(map(wrap_gradient, self.apply(*arrays)))
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class AccumulateGrad(Node):
    """The sink of a leaf: adds what arrives to `variable.grad`."""

    __slots__ = ("variable", "_shape", "__weakref__")

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self._shape = variable._array.shape  # which `.data = ...` may change, but not for a graph that is there
        self._next_nodes = self._kept = ()
        self._output_nrs = self._targets = self._hooks = self._metadata = None
        self._sequence = 2**64 - 1  # ahead of every op: runs as soon as all its gradients are there

    def apply(self, *gradients: Any, owned: bool = False) -> tuple[Any, ...]:
        """Add an array to `.grad`. `owned`: nothing else holds the array, so it need not be copied."""
        variable = self.variable
        if variable._node is None:  # requires_grad was turned off after the forward pass
            return ()
        if variable._node is not ON_DEMAND or (variable._viewed is not None and variable.grad_fn is not None):
            raise RuntimeError(MOVED_LEAF)
        accumulate(variable, gradients[0], owned)
        return ()

    apply_recorded = apply


accumulating = threading.RLock()  # held while a gradient is added: no update is lost between threads


def accumulate(variable: Tensor, gradient: Any, owned: bool = False) -> None:
    """Add a gradient, an array or a tensor, to `variable.grad`.

    An array is added in place, so that `.grad` stays the same object; a tensor (create_graph) makes a new `.grad`, with
    a graph. Several threads may do so at once.
    """
    with accumulating:
        old = variable._grad
        if isinstance(gradient, TensorBase):
            with enable_grad():
                variable._grad = old + gradient if old is not None else gradient.clone()  # type: ignore[attr-defined]
        elif old is None:
            variable._grad = from_array(gradient if owned or gradient.__class__ is not np.ndarray else gradient.copy())
            if thread.inference:
                variable._grad._writes = INFERENCE
        else:
            try:
                old._array += gradient
            except ValueError as error:  # numpy protects what broadcast_to returns; or the leaf's shape was changed
                reason = error if old._array.flags.writeable else OVERLAP
                raise RuntimeError(f"{reason} (It is the .grad that a gradient was added to.)") from None
            if old._writes is INFERENCE:
                check_mode(old)
            count_write(old)


def retain(result: weakref.ref[Tensor], gradient: Any) -> None:
    """Keep what arrives at a result in its `.grad`."""
    tensor = result()
    if tensor is not None:
        if tensor._grad is not None:  # unlike a leaf's, the sum so far stays as it is, and a new one is made
            with Mode(isinstance(gradient, TensorBase)):
                tensor._grad = tensor._grad.clone()
        accumulate(tensor, gradient)


# ---------------------------------------------------------------- nodes that are found when they are asked for


class TensorState:
    """What a tensor in the graph is, where its slots do not say: a leaf, or a view that no operation of its own made.

    A result points to its node. Other tensors that need a gradient have ON_DEMAND there, and their node is found by
    their `_state` when it is needed. A tensor without a state is a result, or a leaf that was never used. (The states
    of views whose memory was written to are told in views.py.)

    This class itself is the state of a view made without recording, of a tensor that needs a gradient: it counts as
    needing one, but none arrives.
    """

    __slots__ = ()
    accumulator: Callable[[], AccumulateGrad | None] = staticmethod(lambda: None)  # a leaf's, if it is there
    was_leaf = True  # whether the tensor is a leaf, or was one until its memory was written to
    error: str | None = None  # why it is not known where in the graph the tensor is, if so
    detached = 0  # the number of the next node when detach_() took the tensor out of its graph
    written = False  # whether this is a view that was written to while neither it nor its base needed a gradient
    retains_grad = False

    def node_of(self, tensor: Tensor) -> Node | None:
        """The tensor's node, made if need be."""
        return None

    def hooks_of(self, tensor: Tensor) -> NodeHooks:
        """The hooks of the node that the tensor's gradient goes to."""
        node = self.node_of(tensor)
        return NodeHooks() if node is None else node._node_hooks()

    def check(self) -> None:
        """Raise unless it is known where in the graph the tensor is."""
        if self.error is not None:
            raise RuntimeError(self.error)


UNCONNECTED = TensorState()


class LeafState(TensorState):
    """What a leaf knows of its AccumulateGrad, the node, weakly, and its hooks, which outlive the node."""

    hooks: NodeHooks | None = None

    def node_of(self, leaf: Tensor) -> Node:
        with accumulating:  # two threads that use a leaf at once must find the same node
            node = self.accumulator()
            if node is None:
                node = AccumulateGrad(leaf)
                if self.hooks is not None:
                    self.hooks = node._hooks = self.hooks.kept_by_leaf()
                self.accumulator = weakref.ref(node)
        return node

    def hooks_of(self, leaf: Tensor) -> NodeHooks:
        self.hooks = super().hooks_of(leaf)
        return self.hooks


def state_of(tensor: Tensor) -> TensorState:
    """The state of a tensor that is no result."""
    if tensor._state is None:
        with accumulating:  # as above
            tensor._state = tensor._state or LeafState()
    return tensor._state


def node_on_demand(tensor: Tensor) -> Node | None:
    """The node of a tensor that has none at hand (`ON_DEMAND`).

    For a leaf its one AccumulateGrad, made at first use, and again after the last reference to it is gone. For a view
    whose memory was written to, the node that says so.
    """
    if tensor._state is None and tensor._node is not ON_DEMAND:
        return tensor._node  # an overtaken view that is two inputs of one operation: found for the first
    state = tensor._state or state_of(tensor)
    return state.accumulator() or state.node_of(tensor)


def edge_node(tensor: Any) -> Node | None:
    """The node to which a gradient of `tensor` goes: its grad_fn, its AccumulateGrad, or None where no gradient is
    wanted.
    """
    node: Node | None = tensor._node
    return node_on_demand(tensor) if node is ON_DEMAND else node


class GradientEdge(namedtuple("GradientEdge", ("node", "output_nr", "ownership_token"), defaults=(None,))):
    """Where the gradient of a tensor arrives, without the tensor: stands for it in `grad()` and `backward()`, which ask
    it for what a tensor has, too. (The token is an array of the tensor's shape and dtype here, without memory.)
    """

    _node = property(itemgetter(0))
    _output_nr = property(itemgetter(1))
    shape = property(lambda edge: Size(edge._array.shape))

    @property
    def _array(self) -> Any:
        if self.ownership_token is None:
            raise RuntimeError("This edge was made by hand, and knows no shape: use get_gradient_edge(tensor)")
        return self.ownership_token

    def retain_grad(self) -> None:
        """Without the tensor there is nothing in which its gradient could be kept."""


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that needs a gradient; RuntimeError for others."""
    node = edge_node(tensor) if tensor.requires_grad else None
    if node is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node, tensor._output_nr, np.broadcast_to(np.zeros((), tensor._array.dtype), tensor.shape))

"""The graph that operations leave behind: what a node is, and where a gradient ends.

After this module a reader can walk any graph by hand. Each result that needs a gradient points to the `Node` of the
operation that made it (`grad_fn`). The node knows the nodes that made its inputs (`next_functions`), keeps the values
that its rule will need (`_saved_self` and the like, see saved.py), and can be called with a gradient. A leaf's gradient
ends in an `AccumulateGrad`, which adds it to `.grad`.

References run one way only, from results to inputs, so a graph dies with its last result and needs no garbage
collector: a leaf knows its AccumulateGrad weakly, and a node that saved its own result keeps the array, not the tensor
which points back to the node.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from minigrad.autograd.batching import NotBatchableError
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled
from minigrad.autograd.hooks import Hook, NodeHooks, RemovableHandle, register_multi_grad_hook
from minigrad.autograd.modes import INFERENCE, check_mode, thread
from minigrad.autograd.saved import (
    UNCONNECTED,
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    note_of,
    save_on_cpu,
    save_on_disk,
    saved_tensors_hooks,
)

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "save_on_disk",
    "saved_tensors_hooks",
]

next_sequence_nr = itertools.count().__next__


class _Freed:
    """`node.freed`: whether what the node saved is gone. Not a property, since a ctx may have an attribute `freed`."""

    def __get__(self, node: Node | None, owner: type[Node] | None = None) -> bool:
        return node is not None and node._kept is None


class Node:
    """One recorded operation, seen from the backward side.

    Each op has a subclass of its own, named as PyTorch names it.
    """

    # Underscored, since the node of a custom Function is the learner's ctx, which takes any attribute.
    __slots__ = ("_next_nodes", "_output_nrs", "_kept", "_targets", "_sequence", "_hooks", "_notes")

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
    _notes: dict[str, Any] | None  # what is rarely needed: `metadata`, `_creation`

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

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for whatever the learner wants to note about this node; anomaly mode writes here, too."""
        metadata: dict[str, Any] = self._note("metadata", {})
        return metadata

    @property
    def _creation(self) -> Any:
        """What an observer of new nodes noted about this one."""
        return None if self._notes is None else self._notes.get("creation")

    @_creation.setter
    def _creation(self, value: Any) -> None:
        self._note("creation", value)

    def _note(self, name: str, value: Any) -> Any:
        if self._notes is None:
            self._notes = {}
        return self._notes.setdefault(name, value)

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        return self._sequence

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(grad_inputs, grad_outputs)` called after this node ran.

        Both are tuples of tensors and None: the gradients of its inputs, one per entry of `next_functions`, and of its
        outputs. What the hook returns, if not None, replaces
        grad_inputs.
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

        Returns one tensor (or None) if the node has one input, else a tuple.
        """
        from minigrad.autograd.fitting import fitted
        from minigrad.tensor import Tensor, from_array

        if len(gradients) != self._output_count:
            raise TypeError(f"expected {self._output_count} arguments, got {len(gradients)} instead")
        for gradient in gradients:
            if gradient is not None and not isinstance(gradient, Tensor):
                raise TypeError(
                    f"{self.name()} must be called with tensors, not {type(gradient).__name__}: try "
                    f"tensor({gradient!r})"
                )
        if is_grad_enabled():
            results: tuple[Any, ...] = self.apply_recorded(*gradients)
        else:
            arrays = self.apply(*(None if gradient is None else gradient._array for gradient in gradients))
            results = tuple(None if array is None else from_array(array) for array in arrays)
        if self._targets is not None:
            results = fitted(self, results)
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class AccumulateGrad(Node):
    """The sink of a leaf: adds what arrives to `variable.grad`."""

    __slots__ = ("variable", "_shape", "__weakref__")
    variable: Tensor

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self._shape = variable._array.shape  # which `.data = ...` may change, but not for a graph that is there
        self._next_nodes = ()
        self._output_nrs = self._targets = self._hooks = self._notes = None
        self._kept = ()
        self._sequence = 2**64 - 1  # ahead of every op: runs as soon as all its gradients are there

    def apply(self, *gradients: Any, owned: bool = False) -> tuple[Any, ...]:
        """Add an array to `.grad`. `owned`: nobody else holds the array, so it need not be copied."""
        variable = self.variable
        if variable._node is None:  # requires_grad was turned off after the forward pass
            return ()
        if variable._node is not ON_DEMAND or (variable._root is not None and variable.grad_fn is not None):
            raise RuntimeError(
                "leaf variable has been moved into the graph interior: it was used as a leaf, and then a recorded "
                "operation wrote to it, so that it is a result now. Write to a clone() of it instead."
            )
        self.accumulate(self.variable, gradients[0], owned)
        return ()

    apply_recorded = apply

    @staticmethod
    def accumulate(variable: Tensor, gradient: Any, owned: bool = False) -> None:
        """Add a gradient, an array or a tensor, to `variable.grad`.

        An array is added in place, so that `.grad` stays the same object; a tensor (create_graph) makes a new `.grad`,
        with a graph. Several threads may do so at once.
        """
        from minigrad.tensor import Tensor, from_array

        with _accumulating:
            old = variable._grad
            if isinstance(gradient, Tensor):
                with enable_grad():
                    variable._grad = gradient.clone() if old is None else old + gradient
            elif old is None:
                copied = owned or gradient.__class__ is not np.ndarray
                variable._grad = from_array(gradient if copied else gradient.copy())
                if thread.inference:
                    variable._grad._writes = INFERENCE
            else:
                if old._array.__class__ is np.ndarray:
                    _add_in_place(old._array, gradient)
                else:
                    old._array = old._array + gradient
                check_mode(old)
                old._count_write()

    def __call__(self, *gradients: Tensor | None) -> Any:
        super().__call__(*gradients)
        return ()


def _add_in_place(total: Any, gradient: Any) -> None:
    try:
        np.add(total, gradient, out=total)
    except ValueError:
        if total.flags.writeable:
            raise RuntimeError(
                f"output with shape {list(total.shape)} doesn't match the broadcast shape {list(gradient.shape)}: the "
                "leaf's shape was changed after its .grad was made. Set .grad to None first."
            ) from None
        # else numpy protects what broadcast_to returns
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation. (It is the .grad that a gradient was added to.)"
        ) from None


_accumulating = threading.RLock()  # held while a gradient is added: no update is lost between threads


class _OnDemand:
    """Stands where a tensor has its node, for tensors whose node is found when it is asked for: a leaf's
    AccumulateGrad, and the new node of a view whose memory was written to.
    """

    def __repr__(self) -> str:
        return "ON_DEMAND"


ON_DEMAND: Any = _OnDemand()


class AccumulatorLink(weakref.ref[AccumulateGrad]):
    """What a leaf knows of its AccumulateGrad: the node, weakly, and the hooks that outlive it."""

    __slots__ = ("_hooks", "note")
    _hooks: NodeHooks | None
    note: Any  # what was noted of the leaf before (saved.note_of): that it was written to, or that it was a result once


def node_on_demand(tensor: Tensor) -> Node | None:
    """The node of a tensor that has none at hand (`ON_DEMAND`).

    For a leaf its one AccumulateGrad, made at first use and again after nobody holds it any more. For a view whose
    memory was written to, the node that says so.
    """
    find = tensor._find_node
    node: Node | None = find() if find is not None else None
    if node is not None or find is UNCONNECTED:
        return node
    with _accumulating:  # two threads that use a leaf at once must find the same node
        link = tensor._find_node
        node = link() if link is not None else None
        if node is None:
            node = AccumulateGrad(tensor)
            renewed = AccumulatorLink(node)
            renewed.note = note_of(tensor)
            renewed._hooks = node._hooks = None if link is None or link._hooks is None else link._hooks.of_leaf()
            tensor._find_node = renewed
    return node


def edge_node(tensor: Tensor) -> Node | None:
    """The node to which a gradient of `tensor` goes: its grad_fn, its AccumulateGrad, or None where no gradient is
    wanted.
    """
    node: Node | None = tensor._node
    return node_on_demand(tensor) if node is ON_DEMAND else node


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
    from minigrad.tensor import Tensor

    for written in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if written.is_inference():
            raise RuntimeError("Inference tensors do not track version counter: their writes cannot be counted.")
        written._count_write()

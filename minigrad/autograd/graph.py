"""The graph that operations leave behind: what a node is, what it keeps, and where a gradient ends.

After this module a reader can walk any graph by hand. Each result that needs a gradient points to the `Node` of the
operation that made it (`grad_fn`). The node knows the nodes that made its inputs (`next_functions`), keeps the values
that its rule will need (`_saved_self` and the like), and can be called with a gradient. A leaf's gradient ends in an
`AccumulateGrad`, which adds it to `.grad`.

References run one way only, from results to inputs, so a graph dies with its last result and needs no garbage
collector: a leaf knows its AccumulateGrad weakly, and a node that saved its own result keeps the array, not the tensor
which points back to the node.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

next_sequence_nr = itertools.count().__next__

FREED_MESSAGE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you "
    "need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)


class Node:
    """One recorded operation, seen from the backward side.

    Each op has a subclass of its own, named as PyTorch names it.
    """

    __slots__ = ("next_nodes", "output_nrs", "saved", "targets", "sequence_nr", "hooks", "creation")

    inputs: ClassVar[tuple[str, ...]] = ()  # names of the differentiable inputs, in the order of next_functions
    rules: ClassVar[dict[str, Callable[..., Any]]] = {}  # input name -> the rule that gives its gradient
    keeps_tensors: ClassVar[bool] = False  # whether there is anything to free
    output_count: ClassVar[int] = 1

    next_nodes: tuple[Node | None, ...]
    output_nrs: tuple[int, ...] | None  # which output of each next node the input was; None when all are output 0
    saved: tuple[Any, ...] | None  # None once freed; nodes that keep no tensors are not freed and stay usable
    targets: tuple[Any, ...] | None  # the (shape, dtype) of inputs that were broadcast or promoted; None for others
    sequence_nr: int
    hooks: list[Callable[[Any], Any]] | None  # run on the incoming gradient, before the node
    creation: Any  # where the node was made, if an observer wrote it down

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        """Run the rules on arrays: gradients of the outputs in, gradients of the inputs out."""
        raise NotImplementedError

    def apply_recorded(self, *gradients: Any) -> tuple[Any, ...]:
        """Run the same rules on tensors, so that the result can be differentiated again."""
        raise NotImplementedError

    @property
    def freed(self) -> bool:
        return self.saved is None

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        numbers = self.output_nrs or (0,) * len(self.next_nodes)
        return tuple(zip(self.next_nodes, numbers, strict=True))

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def __call__(self, *gradients: Tensor | None) -> Any:
        """Run this node by hand: takes and returns tensors, touches no other node, frees nothing.

        Returns one tensor (or None) if the node has one input, else a tuple.
        """
        from minigrad.autograd.engine import fitted
        from minigrad.tensor import Tensor, from_array

        if len(gradients) != self.output_count:
            raise TypeError(f"expected {self.output_count} arguments, got {len(gradients)} instead")
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
        if self.targets is not None:
            results = fitted(self, results)
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<{self.name()}>"


class AccumulateGrad(Node):
    """The sink of a leaf: adds what arrives to `variable.grad`."""

    __slots__ = ("variable", "__weakref__")
    variable: Tensor

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.next_nodes = ()
        self.output_nrs = self.targets = self.hooks = self.creation = None
        self.saved = ()
        self.sequence_nr = 2**64 - 1  # ahead of every op: runs as soon as all its gradients are there

    def apply(self, *gradients: Any, owned: bool = False) -> tuple[Any, ...]:
        """Add an array to `.grad`. `owned`: nobody else holds the array, so it need not be copied."""
        self.accumulate(self.variable, gradients[0], owned)
        return ()

    apply_recorded = apply

    @staticmethod
    def accumulate(variable: Tensor, gradient: Any, owned: bool = False) -> None:
        """Add a gradient, an array or a tensor, to `variable.grad`.

        An array is added in place, so that `.grad` stays the same object; a tensor (create_graph) makes a new `.grad`,
        with a graph.
        """
        from minigrad.tensor import Tensor, from_array

        old = variable._grad
        if isinstance(gradient, Tensor):
            with enable_grad():
                variable._grad = gradient.clone() if old is None else old + gradient
        elif old is None:
            variable._grad = from_array(gradient if owned or gradient.__class__ is not np.ndarray else gradient.copy())
        else:
            if old._array.__class__ is np.ndarray:
                np.add(old._array, gradient, out=old._array)
            else:
                old._array = old._array + gradient
            old._count_write()

    def __call__(self, *gradients: Tensor | None) -> Any:
        super().__call__(*gradients)
        return ()


class _Leaf:
    """Stands where a result has its node: this tensor is a leaf whose gradient is wanted."""

    def __repr__(self) -> str:
        return "LEAF"


LEAF: Any = _Leaf()


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The one AccumulateGrad of a leaf, made at first use and again after nobody holds it any more."""
    reference = leaf._accumulator
    node = reference() if reference is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(node)
    return node


def edge_node(tensor: Tensor) -> Node | None:
    """The node to which a gradient of `tensor` goes: its grad_fn, its AccumulateGrad, or None where no gradient is
    wanted.
    """
    node = tensor._node
    return accumulator(tensor) if node is LEAF else node


class SavedTensor:
    """A tensor that a node kept, with the count of in-place writes that it had then.

    A tensor that was never written to, the usual case, is kept as itself instead: that says count 0 and costs nothing.
    """

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Tensor, version: int) -> None:
        self.tensor = tensor
        self.version = version


def save(tensor: Tensor) -> Tensor | SavedTensor:
    """What a node keeps of an input."""
    version = tensor._version
    return SavedTensor(tensor, version) if version else tensor


def unpack(node: Node, kept: Tensor | SavedTensor) -> Tensor:
    """Give back what `save` kept, if nobody has written to it since."""
    tensor, version = (kept.tensor, kept.version) if isinstance(kept, SavedTensor) else (kept, 0)
    if tensor._version != version:
        raise modified_error(node, tensor, version)
    return tensor


def unpack_result(node: Node, array: Any, writes: list[int]) -> Tensor:
    """Wrap a node's own saved result again, as the tensor that the node made."""
    from minigrad.tensor import from_array

    tensor = from_array(array)
    tensor._node, tensor._writes = node, writes
    if writes[0]:
        raise modified_error(node, tensor, 0)
    return tensor


def modified_error(node: Node, tensor: Tensor, version: int) -> RuntimeError:
    producer = tensor.grad_fn
    source = (
        f", which is output {tensor.output_nr} of {producer.name().removesuffix('0').removesuffix('Backward')},"
        if producer
        else ""
    )
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[minigrad.{tensor.dtype.tensor_type}Tensor {list(tensor.shape)}]{source} is at version {tensor._version}; "
        f"expected version {version} instead. {node.name()} saved it before it was changed: change a clone() of it, "
        "or make a new tensor, as in y = y + 1 instead of y += 1."
    )


def freed_error() -> RuntimeError:
    return RuntimeError(FREED_MESSAGE)

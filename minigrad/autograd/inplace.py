"""Writing in place: what is checked, what is counted, and how history is rewritten.

This is what happens at `y += 1` and `y[0] = 2`. A write is counted in the count that all tensors of one memory share,
so that a node which saved the old value finds out. A recorded write makes the tensor the result of the operation. If
the tensor is a view, the write changes a part of its base: the base then becomes the result of a `CopySlices` node,
whose gradient goes on unchanged, except in that part, where it goes through the operation.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.anomaly_mode import notice
from minigrad.autograd.blame import count_write, keep_silent, variable_name
from minigrad.autograd.fitting import fit
from minigrad.autograd.modes import check_mode, modes, thread
from minigrad.autograd.namespaces import arrays, tensors
from minigrad.autograd.node import Node, edge_node
from minigrad.autograd.saved import Versioned, kept_by
from minigrad.autograd.views import kind_of, overtake, set_history, view_error
from minigrad.memory import OVERLAP, Geometry, geometry, overlaps

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

HALF_WRITTEN = "A write to this tensor was stopped half way, so its numbers and its graph may not agree. Make it anew."


def check_history(tensor: Tensor) -> None:
    """Raise if a recorded write to this tensor could not be differentiated."""
    base, kind = tensor._viewed, kind_of(tensor)
    if kind is not None:
        raise view_error(tensor, kind, by_others=False)
    of_leaf = base is not None and base.is_leaf
    if tensor.requires_grad and (of_leaf or tensor.is_leaf):
        what, name = "a view of a leaf" if of_leaf else "a leaf", variable_name(tensor) or "x"
        raise RuntimeError(
            f"{what} Variable that requires grad is being used in an in-place operation. To change its numbers without "
            "recording that, as an optimizer does, write inside `with no_grad():`; to compute with it, make a new "
            f"tensor, as in y = {name} + 1."
        )


def begin_write(tensor: Tensor, target: Any) -> None:
    """Check that `target`, the tensor's memory or a part of it, may be written to, and count the write that is about to
    happen.
    """
    keep_silent()
    check_mode(tensor)
    if not target.flags.writeable:  # numpy protects what broadcast_to returns
        raise RuntimeError(OVERLAP)
    count_write(tensor)


def record_write(tensor: Tensor, node: Node, write: Callable[[], None], position: int = 0, output_nr: int = 0) -> None:
    """Have `write` write to a tensor, count that and renew its views, and make the tensor the result of `node`, whose
    input number `position` was its old value.

    Until both are done, numbers and graph do not fit together. Meanwhile it is an error to ask where in the graph the
    tensor is, or one of its views, so that nobody computes on after a stop in between.
    """
    whole = tensor if tensor._viewed is None else tensor._viewed
    if whole is not tensor:
        node, output_nr = CopySlices(whole, geometry(tensor), node, position), 0
    before, state = (whole._node, whole._output_nr), whole._state
    overtake(whole, HALF_WRITTEN)
    try:
        write()
    except Exception:  # it was refused
        (whole._node, whole._output_nr), whole._state = before, state
        raise
    set_history(whole, node, output_nr, before)
    whole._state = None
    if whole is not tensor and modes.special:
        notice(node, whole._array, ())


def keep_for_backward(node: Node, before: Tensor, result: Any, tensor: Tensor) -> None:
    """What a node saved of a write, made safe from the write: the old value as a copy, the result as what is now in the
    tensor (at the version that it is about to have).

    `before` shares the tensor's memory and place in the graph; `result` is the array that was computed.
    """
    saved = node._kept or ()
    if any(kept is before for kept in saved):
        before._array = np.array(before._array)
    if "result" in node._kept_names and any(kept is result for kept in saved):
        position = node._kept_names.index("result")
        tensor._writes = tensor._writes or [0]
        view = None if tensor._viewed is None or thread.saved_tensors_hooks else weakref.ref(tensor)
        now = Versioned(tensor._array, tensor._writes[0] + 1, view)
        node._kept = (*saved[:position], now, tensor._writes, *saved[position + 2 :])


class CopySlices(Node):
    """A write through a view, seen from the base: the new base is the old one with a part replaced.

    `node` is the operation that made the new part, from the old part and maybe other inputs.
    """

    __slots__ = ("geometry", "position")
    _keeps_tensors = True  # it can be run once, whatever the operation saved

    def __init__(self, base: Tensor, geometry: Geometry, node: Node, position: int) -> None:
        self.geometry, self.position = geometry, position  # position: which of the operation's inputs the old part was
        others = [function for index, function in enumerate(node.next_functions) if index != position]
        self._connect([(edge_node(base), base._output_nr), *others], (node, *(node._kept or ())))

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        return self._split(arrays, "apply", gradients[0])

    def apply_recorded(self, *gradients: Any) -> tuple[Any, ...]:
        return self._split(tensors, "apply_recorded", gradients[0])

    def _split(self, F: Any, method: str, gradient: Any) -> tuple[Any, ...]:
        """The gradient of the old base, then those of the operation's other inputs."""
        node, base, part = kept_by(self)[0], self._next_nodes[0], self.geometry
        overlapping = overlaps(part.shape, part.strides)
        if overlapping and base is not None and (thread.run is None or base in thread.run.nodes()):
            raise RuntimeError(OVERLAP)
        outgoing = fit(node, getattr(node, method)(F.take_part(gradient, part)))
        of_part = outgoing[self.position]
        of_base = None
        if base is not None:
            of_base = F.without_part(gradient, part)
            if of_part is not None:
                of_base = of_base + F.put_part(of_part, part)
        return (of_base, *[other for index, other in enumerate(outgoing) if index != self.position])

"""Views: tensors that look at another tensor's memory, and their place in the graph when that memory is written to.

After this module a reader knows why `x[0]` sees what is written to `x`, and why its gradient does too. The tensors of
one memory share a count of writes. When a recorded write has given the base (the tensor that all of them look at) a new
node, each of its views is a part of that new value: it gets a new node as well, `AsStridedBackward0`, when its node is
next asked for. For some views that cannot be right, such as those made under `no_grad`; asking for their node is an
error that says so.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import op_name
from minigrad.autograd.graph import (
    ON_DEMAND,
    AccumulatorLink,
    Node,
    edge_node,
    next_sequence_nr,
)
from minigrad.autograd.modes import INFERENCE, InferenceCount, modes, thread
from minigrad.autograd.saved import UNCONNECTED, WRITTEN, note_of

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

# Kinds of views that a recorded write may not touch, each with the reason; ordinary views have none.
MULTIPLE, NO_GRAD, IN_INFERENCE, IN_FUNCTION = "multiple", "no_grad", "inference", "function"

_REASONS = {
    MULTIPLE: "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    NO_GRAD: "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
    "tracked) or both outside (if you want the inplace to be tracked).",
    IN_INFERENCE: "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
    "by moving both the view and the inplace either both inside the inference_mode block (if you don't want the "
    "inplace to be tracked) or both outside (if you want the inplace to be tracked).",
    IN_FUNCTION: "This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
    "Function.",
}


class Views:
    """The views of one memory, held weakly."""

    __slots__ = ("references", "kinds", "_full")

    def __init__(self) -> None:
        self.references: list[weakref.ref[Tensor]] = []
        self.kinds: dict[weakref.ref[Tensor], str] = {}
        self._full = 16

    def add(self, view: Tensor, kind: str | None) -> None:
        references = self.references
        reference = weakref.ref(view)
        references.append(reference)
        if kind is not None:
            self.kinds[reference] = kind
        if len(references) > self._full:  # drop the dead from time to time: a loop may make any number of views
            self.references = [reference for reference in references if reference() is not None]
            self.kinds = {reference: self.kinds[reference] for reference in self.references if reference in self.kinds}
            self._full = 2 * len(self.references) + 16


def views_of(tensor: Tensor) -> Views | None:
    """The views of a tensor's memory; None if there never were any."""
    writes = tensor._writes
    return writes[1] if writes is not None and len(writes) > 1 else None


def share_memory(view: Tensor, source: Tensor, kind: str | None = None) -> None:
    """Mark `view` as a view of `source`: it shares the count of writes, and knows the tensor at the root."""
    writes = source._writes
    if writes is None:
        source._writes = writes = [0, Views()]
    elif writes is INFERENCE or writes.__class__ is InferenceCount:
        view._writes, view._root = INFERENCE, None
        return
    elif len(writes) == 1:
        writes.append(Views())
    elif writes[1] is None:
        writes[1] = Views()
    views = writes[1]
    if modes.special:
        kind = IN_INFERENCE if thread.inference else kind if thread.grad_enabled else NO_GRAD
    if views.kinds and source._root is not None:
        inherited = views.kinds.get(weakref.ref(source))
        kind = inherited if kind is None or inherited == IN_INFERENCE else kind
    view._writes = writes
    view._root = source if source._root is None else source._root
    views.add(view, kind)


def mark_view(view: Tensor, kind: str) -> None:
    """Give a view a kind after all."""
    views = views_of(view)
    if views is not None and view._root is not None:
        views.kinds[weakref.ref(view)] = kind


def kind_of(view: Tensor) -> str | None:
    views = views_of(view)
    return None if views is None else views.kinds.get(weakref.ref(view))


def view_error(view: Tensor, kind: str, by_others: bool) -> RuntimeError:
    """Why a view of this kind may not be written to (`by_others`: nor its base) while gradients are recorded."""
    node, output_nr = view._node, view._output_nr
    if view._find_node.__class__ is Forbidden:
        node, output_nr = view._find_node.before
    what = (
        "is a view and its base or another view of its base has been modified inplace"
        if by_others
        else "is a view and is being modified inplace"
    )
    where, when = ("inference", " in normal mode") if kind == IN_INFERENCE else ("no_grad", " with grad mode enabled")
    if isinstance(node, Node):
        if kind in (NO_GRAD, IN_INFERENCE):
            what = what.replace("is a view", f"is a view of a view which was created in {where} mode", 1) + when
        return RuntimeError(f"Output {output_nr} of {op_name(node)} {what}. {_REASONS[kind]}")
    what = what.replace("is a view", f"A view was created in {where} mode", 1)
    return RuntimeError(f"{what}{when}. {_REASONS[kind]}")


def _retains(history: Any) -> bool:
    """Whether the gradient at a node and output number is kept for the tensor there."""
    node, output_nr = history
    return isinstance(node, Node) and node._hooks is not None and output_nr in node._hooks.retained


class Forbidden:
    """Stands for the node of a view that has none that would be right: asking for it raises."""

    __slots__ = ("message", "before")
    _hooks = None

    def __init__(self, view: Tensor, kind: str) -> None:
        self.message = str(view_error(view, kind, by_others=True))
        self.before = view._node, view._output_nr

    @property
    def was_leaf(self) -> bool:
        return not isinstance(self.before[0], Node)

    @property
    def retains_grad(self) -> bool:
        return _retains(self.before)

    def __call__(self) -> Node:
        raise RuntimeError(self.message)


class Renewal:
    """Makes a view's new node when it is first asked for, after the base's history has changed."""

    __slots__ = ("view", "before")
    _hooks = None

    def __init__(self, view: weakref.ref[Tensor], before: Any) -> None:
        self.view = view
        self.before = before  # the view's node until now, and its output number there

    @property
    def was_leaf(self) -> bool:
        return not isinstance(self.before[0], Node)

    @property
    def retains_grad(self) -> bool:
        return _retains(self.before)

    def __call__(self) -> Node | None:
        from minigrad.op import node_type
        from minigrad.ops.places.strides import strided

        view = self.view()
        if view is None or view._root is None:
            return None
        base = view._root
        node = node_type(strided)()
        node._next_nodes = (edge_node(base),)
        node._output_nrs = (base._output_nr,) if base._output_nr else None
        node._kept = (geometry(view),)
        node._targets = node._hooks = node._notes = None
        node._sequence = next_sequence_nr()
        set_history(view, node, 0, self.before)
        view._find_node = None
        return node


def renew_views(written: Tensor) -> None:
    """After a write: each view in this memory, of a tensor that needs a gradient, finds its node anew."""
    views = views_of(written)
    for reference in () if views is None else views.references:
        view = reference()
        if view is None or view._find_node.__class__ is Forbidden:
            continue
        if view._root._node is None and not isinstance(view._node, Node):  # type: ignore[union-attr]
            if view._find_node.__class__ is AccumulatorLink:
                view._find_node.note = WRITTEN
            else:
                view._find_node = view._find_node or WRITTEN
            continue
        kind = views.kinds.get(reference)  # type: ignore[union-attr]
        if kind is not None:
            _forbid(view, kind)
        elif view._find_node.__class__ is not Renewal:
            view._find_node = Renewal(reference, (view._node, view._output_nr))
            view._node, view._output_nr = ON_DEMAND, 0


def _forbid(view: Tensor, kind: str) -> None:
    view._find_node = Forbidden(view, kind)
    view._node, view._output_nr = ON_DEMAND, 0


def _was_leaf(view: Tensor) -> bool:
    return view._find_node.__class__ is Forbidden and view._find_node.was_leaf


def ask_for_views(base: Tensor, wanted: bool) -> None:
    """A leaf now needs a gradient (or no longer): so do its views that no operation made."""
    views = views_of(base)
    for reference in () if views is None else views.references:
        view = reference()
        if view is None or view._root is not base:
            continue
        written = note_of(view) is WRITTEN
        if wanted and (view._node is None or written):
            kind = views.kinds.get(reference)  # type: ignore[union-attr]
            if not written:
                view._node, view._find_node = ON_DEMAND, UNCONNECTED
            elif kind is None:
                view._node, view._find_node = ON_DEMAND, Renewal(reference, (None, 0))
            else:
                _forbid(view, kind)
        elif not wanted and (view._find_node is UNCONNECTED or _was_leaf(view)):
            view._node = view._find_node = None


def set_history(tensor: Tensor, node: Node, output_nr: int, before: Any = None) -> None:
    """Make a tensor an output of `node`. retain_grad() goes with it; hooks stay where they were registered.

    `before`: the node and output number that it had, if these are no longer there to be seen.
    """
    old, old_nr = before or (tensor._node, tensor._output_nr)
    if isinstance(old, Node) and old._hooks is not None and old_nr in old._hooks.retained:
        node._node_hooks().retained[output_nr] = old._hooks.retained.pop(old_nr)
    tensor._node, tensor._output_nr = node, output_nr


# ---------------------------------------------------------------- where a view lies in its base


class Geometry(NamedTuple):
    """Where the elements of a part lie in the memory of a whole. Strides and offset are counted in elements."""

    whole_shape: tuple[int, ...]
    whole_strides: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def geometry(view: Tensor) -> Geometry:
    """Where a view lies in its base."""
    part, whole = view._array, view._root._array  # type: ignore[union-attr]
    size = part.itemsize
    offset = storage_start(part) - storage_start(whole)  # not of addresses: `.data = ...` may have moved the base
    return Geometry(
        whole.shape,
        tuple(stride // size for stride in whole.strides),
        part.shape,
        tuple(stride // size for stride in part.strides),
        offset if part.size else 0,
    )


def storage_start(array: Any) -> int:
    """How many elements of an array's memory lie before its first."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    start: int = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return start // array.itemsize

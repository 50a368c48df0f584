"""Views: tensors that look at another tensor's memory, and their place in the graph when that memory is written to.

`x[0]` sees what is written to `x`, and its gradient does too. The tensors of one memory share a count of writes. When a
recorded write has given the base (the tensor that all of them look at) a new node, each of its views is a part of that
new value: it gets a new node as well, `AsStridedBackward0`, when its node is next asked for. For some views that cannot
be right, such as those made under `no_grad`; asking for their node is an error that says so.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from minigrad.autograd.blame import op_name
from minigrad.autograd.hooks import NodeHooks
from minigrad.autograd.modes import INFERENCE, InferenceCount, modes, thread
from minigrad.autograd.namespaces import node_type, tensors
from minigrad.autograd.node import ON_DEMAND, UNCONNECTED, LeafState, Node, TensorState, edge_node
from minigrad.memory import geometry

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

# Kinds of views that a recorded write may not touch: each is the reason, in PyTorch's words. Ordinary views have none.
MULTIPLE = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
IN_FUNCTION = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
NO_GRAD = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
IN_INFERENCE = NO_GRAD.replace("no_grad", "inference_mode")


class Views:
    """The views of one memory, held weakly."""

    __slots__ = ("references", "kinds", "_full")

    def __init__(self) -> None:
        self.references: list[weakref.ref[Tensor]] = []
        self.kinds: dict[weakref.ref[Tensor], str] = {}
        self._full = 16

    def add(self, view: Tensor, kind: str | None) -> None:
        reference = weakref.ref(view)
        self.references.append(reference)
        if kind is not None:
            self.kinds[reference] = kind
        if len(self.references) > self._full:  # drop the dead from time to time: a loop may make any number of views
            self.references = [reference for reference in self.references if reference() is not None]
            self.kinds = {reference: self.kinds[reference] for reference in self.references if reference in self.kinds}
            self._full = 2 * len(self.references) + 16

    def renew(self) -> None:
        """After a write: each view, of a tensor that needs a gradient, finds its node anew."""
        for reference in self.references:
            view = reference()
            if view is None or (view._state is not None and view._state.error is not None):
                continue
            if view._viewed._node is None and not isinstance(view._node, Node):  # type: ignore[union-attr]
                view._state = view._state or LeafState()
                if isinstance(view._state, LeafState):
                    view._state.written = True
            elif kind_of(view) is not None or view._state.__class__ is not OvertakenState:
                overtake(view)


def views_of(tensor: Tensor) -> Views | None:
    """The views of a tensor's memory; None if there never were any."""
    writes = tensor._writes
    return writes[1] if writes is not None and len(writes) > 1 else None


def share_memory(view: Tensor, source: Tensor, kind: str | None = None) -> Any:
    """Mark `view` as a view of `source`: it shares the count of writes, and knows the tensor at the root.

    Returns the source's node, or None for a tensor of inference mode, whose views need no gradient.
    """
    writes = source._writes
    if writes is None:
        source._writes = writes = [0, Views()]
    elif writes.__class__ is InferenceCount:
        view._writes, view._viewed = INFERENCE, None
        return None
    elif len(writes) == 1 or writes[1] is None:
        writes[1:2] = [Views()]
    views = writes[1]
    if modes.special:
        kind = IN_INFERENCE if thread.inference else kind if thread.grad_enabled else NO_GRAD
    if views.kinds and source._viewed is not None:
        inherited = views.kinds.get(weakref.ref(source))
        kind = inherited if kind is None or inherited == IN_INFERENCE else kind
    view._writes, view._viewed = writes, source if source._viewed is None else source._viewed
    views.add(view, kind)
    return source._node


def mark_view(view: Tensor, kind: str) -> None:
    """Set the kind of a tensor that is a view, as an output of a custom Function may be."""
    views = views_of(view)
    if views is not None and view._viewed is not None:
        views.kinds[weakref.ref(view)] = kind


def kind_of(view: Tensor) -> str | None:
    views = views_of(view)
    return None if views is None else views.kinds.get(weakref.ref(view))


def view_error(view: Tensor, kind: str, by_others: bool) -> RuntimeError:
    """Why a view of this kind may not be written to (`by_others`: nor its base) while gradients are recorded."""
    node, output_nr = getattr(view._state, "history", (view._node, view._output_nr))
    what = "its base or another view of its base has been" if by_others else "is being"
    where, when = ("inference", " in normal mode") if kind == IN_INFERENCE else ("no_grad", " with grad mode enabled")
    subject = f"A view was created in {where} mode"
    if isinstance(node, Node):
        subject = f"Output {output_nr} of {op_name(node)} is a view"
        if kind in (NO_GRAD, IN_INFERENCE):
            subject += f" of a view which was created in {where} mode"
        else:
            when = ""
    return RuntimeError(f"{subject} and {what} modified inplace{when}. {kind}")


# ---------------------------------------------------------------- views whose memory was written to


class OvertakenState(TensorState):
    """A view after a write that gave its base a new node: the view's own node is not its place in the graph now.

    It gets a new node, a part of the base's new value, when the node is first asked for. For some views, such as those
    made under `no_grad`, no node would be right: asking for it raises the `error`.
    """

    __slots__ = ("history", "before", "wanted", "was_leaf", "retains_grad", "error")

    def __init__(self, view: Tensor, error: str | None) -> None:
        self.history, self.before, self.error = (view._node, view._output_nr), view._state, error
        self.was_leaf = not isinstance(view._node, Node)
        # what its own flag says, if it is a leaf
        self.wanted = view._node is ON_DEMAND and view._state is not UNCONNECTED
        self.retains_grad = keeps_gradient(*self.history)  # its new node takes the request along

    def node_of(self, view: Tensor) -> Node:
        self.check()
        base: Any = view._viewed
        node = node_type(tensors.strided)()
        node._connect([(edge_node(base), base._output_nr)], (geometry(view),))
        set_history(view, node, 0, self.history)
        view._state = None
        return node

    def hooks_of(self, view: Tensor) -> NodeHooks:
        node, output_nr = self.history
        hooks: NodeHooks | None = None if self.error is None or self.was_leaf else node._hooks
        return super().hooks_of(view) if hooks is None or output_nr not in hooks.of_tensors else hooks


def overtake(tensor: Tensor, error: str | None = None) -> None:
    """Take a tensor's own node away, since its memory was written to, or is going to be."""
    if error is None and (kind := kind_of(tensor)) is not None:
        error = str(view_error(tensor, kind, by_others=True))
    tensor._state = OvertakenState(tensor, error)
    tensor._node, tensor._output_nr = ON_DEMAND, 0


def follow_base(base: Tensor, wanted: bool) -> None:
    """A leaf now needs a gradient (or no longer): so do its views that no operation made."""
    views = views_of(base)
    for reference in () if views is None else views.references:
        view = reference()
        if view is None or view._viewed is not base:
            continue
        state = view._state
        if wanted and state is not None and state.written:
            overtake(view)
        elif wanted and view._node is None:
            view._node, view._state = ON_DEMAND, UNCONNECTED
        elif not wanted and state is UNCONNECTED:
            view._node = view._state = None
        elif not wanted and isinstance(state, OvertakenState) and state.error and state.was_leaf:
            view._node = ON_DEMAND if state.wanted else None
            view._state = leaf = state.before if isinstance(state.before, LeafState) else LeafState()
            leaf.written = True


def keeps_gradient(node: Any, output_nr: int) -> bool:
    """Whether retain_grad() was asked of an output of what may be a node."""
    return isinstance(node, Node) and node._hooks is not None and output_nr in node._hooks.retained


def set_history(tensor: Tensor, node: Node, output_nr: int, before: Any = None) -> None:
    """Make a tensor an output of `node`. retain_grad() goes with it; hooks stay where they were registered.

    `before`: the node and output number that it had, if these are no longer there to be seen.
    """
    old, old_nr = before or (tensor._node, tensor._output_nr)
    if keeps_gradient(old, old_nr):
        node._node_hooks().retained[output_nr] = old._hooks.retained.pop(old_nr)
    tensor._node, tensor._output_nr = node, output_nr

"""What nodes keep for their backward: saved tensors, the check that nobody wrote to them, and hooks on saving.

Keeping a tensor costs nothing until it is written to: then its count of writes differs from the count that the node
noted, which is what the error about "a variable needed for gradient computation" says. `saved_tensors_hooks` put
something else (a smaller copy, a file, a recipe to compute it again) in a saved tensor's place.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.autograd.blame import CodeLine, last_line, op_name, shown_line, variable_name
from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.hooks import Hook
from minigrad.autograd.modes import InferenceCount, count_unusual, thread
from minigrad.autograd.node import Node, edge_node
from minigrad.stopping import sure_to_begin
from minigrad.tensor_base import TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

UNSAVABLE_MESSAGE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `minigrad.no_grad()` instead of `minigrad.inference_mode()`."
)


class Versioned:
    """A tensor, or a node's own result, that a node kept, with the count of in-place writes that it had then.

    A tensor that was never written to, the usual case, is kept as itself instead: that says count 0 and costs nothing.
    `view`: for a result that was written into a view, a weak reference to that view.
    """

    __slots__ = ("tensor", "version", "view")
    _writes = ()  # not None: so a node's backward tells it from a tensor that was never written to

    def __init__(self, tensor: Any, version: int, view: weakref.ref[Tensor] | None = None) -> None:
        self.tensor, self.version, self.view = tensor, version, view


class PackedTensor:
    """What a pack hook made of a saved tensor, how to get it back, and the tensor's place in the graph."""

    __slots__ = ("packed", "pack_hook", "unpack_hook", "is_own", "edge", "place")
    _writes = ()  # as in Versioned

    def __init__(self, packed: Any, pack_hook: Hook, unpack_hook: Hook, tensor: Tensor, saver: Node) -> None:
        self.packed, self.pack_hook, self.unpack_hook = packed, pack_hook, unpack_hook
        self.is_own = tensor._node is saver  # the saving node's result: it must not hold that node, which holds it
        self.edge = None if self.is_own else edge_node(tensor)  # held here, since a leaf knows its node weakly
        self.place = None if self.is_own else tensor._node, tensor._output_nr, tensor._state

    def unpack(self, node: Node) -> Tensor:
        """The tensor that the unpack hook gives, in its old place in the graph; `node` is the one that saved it."""
        hook = self.unpack_hook if thread.witness is None else thread.witness.around("unpacked", node, self.unpack_hook)
        result = hook(self.packed)
        if not isinstance(result, TensorBase):
            text = "Output of saved tensor unpack_hook expected to be a Tensor but got result of type"
            raise TypeError(f"{text} {type(result).__name__}")
        tensor = from_array(result._array)
        saved_from, tensor._output_nr, tensor._state = self.place
        tensor._node = node if self.is_own else saved_from
        if not tensor.is_leaf:  # its writes are counted together with those of what the hook gave
            result._writes = tensor._writes = result._writes or [0]
        return tensor


def save(tensor: Tensor) -> Tensor | Versioned:
    """What a node keeps of an input."""
    writes = tensor._writes
    if writes.__class__ is InferenceCount:
        raise RuntimeError(UNSAVABLE_MESSAGE)
    return Versioned(tensor, writes[0]) if writes and writes[0] else tensor


def unpack(node: Node, kept: Any) -> Tensor:
    """Give back what `save` kept, if nobody has written to it since."""
    if kept.__class__ is PackedTensor:
        return kept.unpack(node)
    tensor, version = (kept.tensor, kept.version) if kept.__class__ is Versioned else (kept, 0)
    if tensor._state is not None:
        tensor._state.check()
        if tensor._state.detached > node._sequence and not node._is_custom:
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
                f"This is not supported, please use out-of-place `.detach()` instead. {node.name()} saved it."
            )
    writes = tensor._writes
    if (writes[0] if writes else 0) != version:
        raise modified_error(node, tensor, version)
    return tensor


def unpack_if_packed(node: Node, kept: Any) -> Any:
    """The tensor that `unpack` gives back, or what else was kept as it is."""
    return unpack(node, kept) if isinstance(kept, TensorBase | Versioned | PackedTensor) else kept


def unpack_result(node: Node, kept: Any, writes: list[Any], output_nr: int = 0) -> Tensor:
    """Wrap a node's own saved result again, as the tensor that the node made.

    An operation in place kept it as a Versioned, since its result was written to once already: by itself.
    """
    if kept.__class__ is PackedTensor:
        return kept.unpack(node)
    array, version, view = (kept.tensor, kept.version, kept.view) if kept.__class__ is Versioned else (kept, 0, None)
    tensor = from_array(array)
    tensor._node, tensor._output_nr, tensor._writes = node, output_nr, writes
    if writes[0] != version:
        raise modified_error(node, tensor, version, "" if view is None else "AsStrided")
    if view is not None and view() is not None:  # second derivatives go through the view, as a part of its base
        tensor._node = edge_node(view())
    return tensor


class VersionMismatch(NamedTuple):
    """What the error about a saved tensor that was written to knows: its attribute `mismatch`, for those who draw it.

    `line` is the code and the number of the line that wrote last, None where nobody noted it.
    """

    node: Node  # which saved the tensor
    tensor: Tensor
    name: str | None  # what the learner calls it
    saved_version: int
    version: int
    line: CodeLine | None


def modified_error(node: Node, tensor: Tensor, version: int, producer_name: str = "") -> Any:
    """The error for a saved tensor that was written to, with the variable's name and the line that wrote; the same as
    data in its `mismatch`.
    """
    producer = tensor.grad_fn
    source = f", which is output {tensor.output_nr} of {producer_name or op_name(producer)}," if producer else ""
    name = variable_name(tensor)
    line = last_line(tensor)
    where = "." if line is None else f" by:\n{shown_line(*line)}"
    error: Any = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[minigrad.{tensor.dtype.tensor_type}Tensor {list(tensor.shape)}]{source} is at version {tensor._version}; "
        f"expected version {version} instead.\n"
        f"{node.name()} saved {f'`{name}`' if name else 'this tensor'} at version {version}, to compute its gradient "
        f"from, and then it was written to{where}\n"
        "Make a new tensor there, as in y = y + 1 instead of y += 1, or write to a clone()."
    )
    error.mismatch = VersionMismatch(node, tensor, name, version, tensor._version, line)
    return error


FREED_ADVICE = (
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def freed_error() -> RuntimeError:
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        f"been freed). {FREED_ADVICE}"
    )


def kept_by(node: Node) -> tuple[Any, ...]:
    """What a node keeps; RuntimeError once that has been freed."""
    if node._kept is None:
        raise freed_error()
    return node._kept


# ---------------------------------------------------------------- hooks


def pack(node: Node, tensor: Tensor, hooks: tuple[Hook, Hook] | None = None) -> PackedTensor:
    """Hand a tensor that the node is to save to a pack hook, the innermost unless given."""
    if tensor.is_inference():
        raise RuntimeError(UNSAVABLE_MESSAGE)
    pack_hook, unpack_hook = hooks or thread.saved_tensors_hooks[-1]
    hook = pack_hook if thread.witness is None else thread.witness.around("packed", node, pack_hook)
    version = tensor._version
    with no_grad():
        packed = hook(tensor)
    if tensor._version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects: work on a clone()."
        )
    return PackedTensor(packed, pack_hook, unpack_hook, tensor, node)


def pack_all(node: Node) -> None:
    """Hand all tensors that a node just saved to the innermost pack hook.

    For an operation in place all but its result: that is handed over when it has been written to the tensor's memory.
    """
    for position, name in enumerate(node._kept_names):
        if name != "result" or not thread.writes_result:
            _pack_slot(node, position)


def pack_result(node: Node) -> None:
    """Hand what a node saved of its own result to the innermost pack hook, if there is one."""
    if thread.saved_tensors_hooks and "result" in node._kept_names:
        _pack_slot(node, node._kept_names.index("result"))


def _pack_slot(node: Any, position: int, hooks: tuple[Hook, Hook] | None = None) -> None:
    saved: list[Any] = list(node._kept or ())
    kept = saved[position]
    if node._is_custom:
        saved[position] = pack(node, node._restore(kept), hooks)
    elif node._kept_names[position] == "result":
        saved[position] = pack(node, unpack_result(node, kept, saved[position + 1]), hooks)
        saved[position + 1] = [1]  # not 0: has unpack_result called
    elif isinstance(kept, Versioned) or (isinstance(kept, TensorBase) and (hooks or not kept._is_number)):
        saved[position] = pack(node, unpack(node, kept), hooks)
    node._kept = tuple(saved)


class SavedTensor:
    """One saved tensor of a node, as `node._raw_saved_self` and the like give it."""

    def __init__(self, node: Node, position: int) -> None:
        self._node, self._position = node, position

    def register_hooks(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        """Pack this one tensor now, and have it unpacked when it is needed."""
        if self._node._kept is None:
            raise RuntimeError(f"Calling register_hooks on a saved tensor after it has been freed. {FREED_ADVICE}")
        kept = self._node._kept[self._position]
        if kept is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if isinstance(kept, PackedTensor):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        _pack_slot(self._node, self._position, (pack_hook, unpack_hook))


def saved_properties(names: Sequence[str], of_tensors: Sequence[str]) -> dict[str, property]:
    """`_saved_self` and the like, for the slots of a node with these names, and `_raw_saved_self` for tensors."""
    properties = {}
    for position, name in enumerate(names):
        if name:
            properties[f"_saved_{name}"] = property(partial(_saved_value, position=position))
        if name in of_tensors:
            properties[f"_raw_saved_{name}"] = property(partial(SavedTensor, position=position))
    return properties


def _saved_value(node: Node, position: int) -> Any:
    slots = kept_by(node)
    kept: Any = slots[position]
    if node._kept_names[position] == "result":
        return unpack_result(node, kept, slots[position + 1])
    if isinstance(kept, TensorBase) and kept._is_number:
        return from_array(kept._array[()].astype(kept.kind))  # type: ignore[attr-defined]
    return unpack_if_packed(node, kept)


class saved_tensors_hooks:
    """While in force, `pack_hook(tensor)` says what is kept of each tensor that an operation saves, and
    `unpack_hook(what it returned)` gives the tensor back when backward needs it. Only the innermost pair counts.
    """

    def __init__(self, pack_hook: Hook, unpack_hook: Hook) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if thread.hooks_disabled is not None:
            raise RuntimeError(thread.hooks_disabled)
        thread.saved_tensors_hooks = (*thread.saved_tensors_hooks, (self.pack_hook, self.unpack_hook))
        count_unusual()

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        thread.saved_tensors_hooks = thread.saved_tensors_hooks[:-1]
        count_unusual()


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, entering `saved_tensors_hooks` raises a RuntimeError with this message; so does this, within them."""
    if thread.saved_tensors_hooks:
        raise RuntimeError(error_message)
    outer, thread.hooks_disabled = thread.hooks_disabled, error_message
    try:
        yield
    finally:
        thread.hooks_disabled = outer

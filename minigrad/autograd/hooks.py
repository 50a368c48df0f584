"""Hooks: the learner's functions that are called while gradients pass.

These are the places where one can be hung, in the order in which they run. Around a node:

    hooks of its output's tensors (in the order of registration), then retain_grad
    prehooks of the node
    the node itself (for a leaf: the gradient is added to `.grad`, then the post-accumulate-grad hooks run)
    hooks of the node

A hook gets tensors and may return others in their place; None leaves things as they are. The engine runs on arrays, so
this is where they are wrapped, and only where there is a hook. While hooks run nothing is recorded, unless the backward
itself is (`create_graph`).
"""

from __future__ import annotations

import itertools
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.autograd.grad_mode import Mode
from minigrad.autograd.modes import thread
from minigrad.tensor_base import TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.autograd.node import Node

Hook = Callable[..., Any]
Values = tuple[Any, ...]  # gradients, arrays or tensors, None where there is none


class Hooks(dict[int, Hook]):
    """Hooks of one kind in one place, by number, in the order of registration."""

    __slots__ = ("__weakref__",)


class RemovableHandle:
    """What registering a hook returns; `remove()`, or the end of a `with` block, takes the hook away again."""

    _numbers = itertools.count()

    def __init__(self, hooks: Hooks, hook: Hook) -> None:
        self.id = next(self._numbers)
        hooks[self.id] = hook
        self._hooks = weakref.ref(hooks)  # a hook that holds its own handle makes no cycle

    def remove(self) -> None:
        """Take the hook away; doing so again does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class NodeHooks:
    """The hooks of one node, by where they run."""

    __slots__ = ("of_tensors", "retained", "before", "after_accumulate", "after", "__weakref__")

    def __init__(self) -> None:
        self.of_tensors = defaultdict[int, Hooks](Hooks)  # output number -> hooks of the tensor which is that output
        self.retained: dict[int, Hook] = {}  # output number -> what keeps its gradient
        self.before = Hooks()
        self.after_accumulate = Hooks()
        self.after = Hooks()

    def kept_by_leaf(self) -> NodeHooks:
        """Those that stay with a leaf when its AccumulateGrad is made anew."""
        renewed = NodeHooks()
        renewed.of_tensors, renewed.after_accumulate = self.of_tensors, self.after_accumulate
        return renewed

    # -- run by the engine

    def run_for_tensors(self, node: Node, gradients: tuple[Any, ...], recorded: bool) -> tuple[Any, ...]:
        """Show each of the node's incoming gradients to the hooks of its tensor; return what became of them."""
        changed = list(gradients)
        for output_nr, hooks in list(self.of_tensors.items()):
            gradient = _run("tensor_hook", node, hooks, recorded, _replacement, wrap_gradient(gradients[output_nr]))
            changed[output_nr] = gradient if recorded or gradient is None else gradient._array
        for output_nr, retained in self.retained.items():
            if changed[output_nr] is not None:
                _call_of("retain_grad", node, retained)(changed[output_nr])
        return tuple(changed)

    def run_after_accumulate(self, node: Node, leaf: TensorBase, recorded: bool) -> None:
        _run("post_accumulate", node, self.after_accumulate, recorded, _none_of_its_own, leaf)


def _run(kind: str, node: Node, hooks: Hooks, recorded: bool, replaced: Hook, value: Any, *others: Any) -> Any:
    """Show a value to hooks, one after the other; return what became of it. `replaced` checks what a hook returns."""
    with Mode(recorded):
        for hook in list(hooks.values()):
            result = _call_of(kind, node, hook)(value, *others)
            value = value if result is None else replaced(value, result, hook)
    return value


def run_on_tuple(kind: str, node: Node, hooks: Hooks, recorded: bool, values: Values, *seen: Values) -> Values:
    """Show a node's gradients, on one side of it, to hooks that may change them, along with those that are `seen`."""
    if not hooks:
        return values
    shown = [tuple(map(wrap_gradient, gradients)) for gradients in (values, *seen)]
    tensors = _run(kind, node, hooks, recorded, _replaced_tuple, *shown)
    return tensors if recorded else tuple(None if tensor is None else tensor._array for tensor in tensors)


def _call_of(kind: str, node: Node, hook: Hook) -> Hook:
    """The hook, or what calls it for the witness, where there is one."""
    return hook if thread.witness is None else thread.witness.around(kind, node, hook)


def wrap_gradient(gradient: Any) -> Any:
    """A gradient as the learner sees it: a tensor, or None."""
    return gradient if gradient is None or isinstance(gradient, TensorBase) else from_array(gradient)


# ---------------------------------------------------------------- what hooks may return


def _replacement(old: TensorBase | None, new: Any, hook: Hook) -> Any:
    """What a hook returned in place of a gradient; raise if that cannot be one."""
    if new is None:
        return None
    if not isinstance(new, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    name = _name(hook)
    if old is None:
        raise RuntimeError(f"can't replace a None gradient with a non-None value, as hook '{name}' tried")
    if new.dtype is not old.dtype:
        was, got = [f"minigrad.{kind.tensor_type}Tensor" for kind in (old.dtype, new.dtype)]
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {got})")
    if new.shape != old.shape:
        shapes = f"the gradient had shape {list(old.shape)}, and the hook returned {list(new.shape)}"
        raise RuntimeError(f"hook '{name}' has changed the size of value: {shapes}")
    return new


def _replaced_tuple(old: tuple[Any, ...], new: Any, hook: Hook) -> tuple[Any, ...]:
    """The gradients of a node after a hook on it, which returned `new`: each is checked by `_replacement`."""
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(new).__name__}'")
    if len(new) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(new)}, but expected {len(old)})"
        )
    return tuple([_replacement(*pair, hook) for pair in zip(old, new, strict=True)])


def _none_of_its_own(leaf: TensorBase, new: Any, hook: Hook) -> TensorBase:
    """What a post-accumulate-grad hook returned: nothing, or the leaf that it was given."""
    if _replacement(leaf, new, hook) is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    return leaf


def _name(hook: Hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)

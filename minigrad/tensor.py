"""The tensor: an array, and its place in the graph.

The array, and what can be told from it alone, is in tensor_base.py. Here is what the graph adds: whether a gradient is
wanted, the node that made the tensor (`grad_fn`), where its gradient is kept (`.grad`), hooks, and the ways out of the
graph. The operators and methods that compute are bound in `methods.py`, from the ops; how tensors are made is told in
`creation.py`, and what tells of their memory, or copies it, in `memory_layout.py`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import tensor_base
from minigrad.autograd.blame import check_bool, type_name, warn
from minigrad.autograd.engine import backward
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.autograd.hooks import Hook, Hooks, NodeHooks, RemovableHandle
from minigrad.autograd.modes import INFERENCE, InferenceCount, thread
from minigrad.autograd.node import ON_DEMAND, UNCONNECTED, LeafState, Node, next_sequence_nr, retain, state_of
from minigrad.autograd.views import OvertakenState, follow_base, keeps_gradient
from minigrad.devices import CPU, device
from minigrad.tensor_base import TensorBase, from_array, from_index, inference_count, own_array, share_outside, wrap_dim

__all__ = ["Array", "Tensor", "from_array", "from_index", "own_array", "share_outside", "wrap_dim"]

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
NON_LEAF_GRAD_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead."
)
SCALAR_WARNING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first: the number has no gradient. (item() gives it without this warning.)"
)
ENSURE = "Please ensure that the gradient and the tensor"
LEAF_FLAGS = "you can only change requires_grad flags of leaf variables."
USE_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
    "var.detach()."
)


class Tensor(TensorBase):
    """An n-dimensional array that remembers how it was computed.

    Make one with `tensor(...)`, `zeros(...)` and the like. `Tensor(...)` is an older way, with surprises: a list's
    numbers become float32, and a number by itself is taken as a size.
    """

    __slots__ = ()
    __array_priority__ = 1000  # numpy leaves `array * tensor` to us

    if TYPE_CHECKING:  # bound in methods.py

        def __new__(cls, *data: Any, **named: Any) -> Tensor: ...
        def __getattr__(self, name: str) -> Callable[..., Tensor]: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...

        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __pow__ = __rpow__ = __matmul__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __add__

    # -- what leaves the graph

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The numbers as a numpy array that shares this tensor's memory.

        RuntimeError if the tensor requires grad, unless `force`.
        """
        if not force and self._node is not None and is_grad_enabled():
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return own_array(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.numpy(), dtype, copy=copy)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
        """What numpy's functions make of a tensor becomes a tensor again."""
        return from_array(array.copy())

    @property
    def device(self) -> device:
        """Where the numbers are: always on the CPU."""
        return CPU

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, value: Any) -> bool:
        if not isinstance(value, Tensor | int | float | np.number):
            asked = f"you passed in a {type(value)}. `in` asks whether any element equals a number."
            raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but {asked}")
        return bool((self == value).any())  # type: ignore[attr-defined]

    def __float__(self) -> float:
        if self._node is not None:
            warn(SCALAR_WARNING)
        return float(self._scalar())

    # -- its place in the graph

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this tensor; None for a leaf.

        RuntimeError for a view that was overtaken by a write which makes its history ambiguous.
        """
        if self._node is ON_DEMAND:
            return self._state.node_of(self) if isinstance(self._state, OvertakenState) else None
        return self._node

    @property
    def output_nr(self) -> int:
        return self._output_nr

    @property
    def is_leaf(self) -> bool:
        """True for tensors that no recorded operation made: there a gradient ends."""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError(f"requires_grad must be a bool, not {type_name(value)}: {value!r}")
        if not self._was_made_as_leaf():
            raise RuntimeError(LEAF_FLAGS + (" A computed one has the flag of its inputs." if value else USE_DETACH))
        self._want_grad(value, "only Tensors of floating point and complex dtype can require gradients")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient (or no longer) of this leaf; returns the tensor itself."""
        check_bool(requires_grad, "requires_grad_(): argument 'requires_grad' (position 1) must be bool")
        if self._was_made_as_leaf():
            self._want_grad(requires_grad, "only Tensors of floating point dtype can require gradients")
        elif not requires_grad:
            raise RuntimeError(LEAF_FLAGS + USE_DETACH)
        return self

    def _was_made_as_leaf(self) -> bool:
        """Whether it was made as a leaf, whatever node it has now, as a view whose memory was written to."""
        return self.is_leaf if self._state is None else self._state.was_leaf

    def _want_grad(self, wanted: bool, floating_only: str) -> None:
        if wanted and not self.dtype.is_floating_point:
            advice = "convert it with .float(), or write its numbers with a decimal point"
            raise RuntimeError(f"{floating_only}, not {self.dtype}: {advice}")
        if wanted and self.is_inference() and not thread.inference:
            text = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            raise RuntimeError(f"{text} Make a clone() of it outside first.")
        if isinstance(self._state, OvertakenState):
            self._state.wanted = wanted  # until its base needs no gradient any more, it needs one as its base does
        elif not wanted and self._viewed is not None and self._viewed._node is not None:
            self._state = UNCONNECTED  # a view counts as needing a gradient, whatever its own flag
        elif wanted != self.requires_grad:
            self._node = ON_DEMAND if wanted else None
            follow_base(self, wanted)
        elif wanted and self._state is UNCONNECTED:
            self._state = None  # a leaf like others

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward() has summed up so far; None before the first.

        Not kept for results, unless retain_grad().
        """
        if self._grad is None and self._has_place() and not self.is_leaf and not self.retains_grad:
            warn(NON_LEAF_GRAD_WARNING)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value.shape != self.shape:
                sizes = f"of size '{list(value.shape)}' to a tensor of size '{list(self.shape)}'"
                raise RuntimeError(f"attempting to assign a gradient {sizes}. {ENSURE} are the same size")
            if value.dtype is not self.dtype:
                kinds = f"with dtype '{value.dtype.c_name}' to a tensor with grad_dtype '{self.dtype.tensor_type}'"
                raise RuntimeError(f"attempting to assign a gradient {kinds}. The gradient must match: g.to(x.dtype)")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def volatile(self) -> bool:
        """Always False: before PyTorch 0.4 it meant that nothing computed from this tensor was recorded."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @property
    def retains_grad(self) -> bool:
        state = self._state
        return keeps_gradient(self._node, self._output_nr) if state is None else state.retains_grad

    def _has_place(self) -> bool:
        """Whether it is known where in the graph this is: not for some views whose memory was written to."""
        return self._state is None or self._state.error is None

    def retain_grad(self) -> None:
        """Have backward() keep the gradient of this result in `.grad`, as it does for leaves."""
        if self._node is None:
            text = "can't retain_grad on Tensor that has requires_grad=False: it does not require grad"
            raise RuntimeError(f"{text}, so no gradient will arrive that could be kept")
        if not self._has_place() and (self._was_made_as_leaf() or self.retains_grad):
            return
        node = self.grad_fn
        if node is not None and not self.retains_grad:
            node._node_hooks().retained[self._output_nr] = partial(retain, weakref.ref(self))

    # -- hooks

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(gradient)` called when the gradient of this tensor is complete.

        A tensor that the hook returns takes the gradient's place. RuntimeError if the tensor needs no gradient.
        """
        return RemovableHandle(self._own_hooks().of_tensors[self._output_nr], hook)

    def register_post_accumulate_grad_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(tensor)` called each time after a gradient was added to this leaf's `.grad`."""
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle(self._own_hooks().after_accumulate, hook)

    def _own_hooks(self) -> NodeHooks:
        """The hooks of the node that this tensor's gradient goes to. A leaf keeps its own ones beyond that node."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return state_of(self).hooks_of(self) if self._node is ON_DEMAND else self._node._node_hooks()

    @property
    def _backward_hooks(self) -> Hooks | None:
        hooks = None if self._node is None else self._own_hooks().of_tensors.get(self._output_nr)
        return hooks or None

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """Compute the gradient of this tensor with respect to the graph's leaves and add it to their `.grad`.

        Args:
            gradient: weights of this tensor's elements, of its shape; may be left out if it has one element.
            retain_graph: keep what the graph saved, so that it can be used again; by default as `create_graph`.
            create_graph: record the backward itself, so that its results can be differentiated.
            inputs: add to the `.grad` of these only.

        Raises RuntimeError where there is no graph, where it was freed, or where shapes do not fit.
        """
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach(self) -> Tensor:
        """This tensor's numbers, in the same memory, outside the graph."""
        return share_outside(type(self), self)

    def detach_(self) -> Tensor:
        """Take this tensor itself out of the graph: it becomes a leaf that needs no gradient."""
        if thread.inference:
            return self
        if self._viewed is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        if not self.is_leaf:
            state = LeafState()
            state.detached, state.retains_grad = next_sequence_nr(), self.retains_grad
            self._state = state
            self._writes = self._writes or [0]  # a node that saved it is to notice
        self._node, self._output_nr = None, 0
        follow_base(self, False)
        return self

    @property
    def data(self) -> Tensor:
        """A tensor of this memory, outside the graph. Its writes are counted apart, unlike those of `detach()`: the
        graph does not notice what is written here.
        """
        outside = from_array(own_array(self))
        if self.is_inference():
            outside._writes = inference_count()
        return outside

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(value)}")
        if self.requires_grad and not value.dtype.is_floating_point:
            floating = f"floating point or complex dtype, not {value.dtype}"
            raise RuntimeError(f"data set to a tensor that requires gradients must be {floating}")
        self._array = own_array(value)
        if self.is_inference() != value.is_inference():  # that is a matter of the memory
            count = 0 if self._writes in (None, INFERENCE) else self._writes[0]
            self._writes = InferenceCount([count]) if value.is_inference() else [count]


def zero_gradient(leaf: Tensor, set_to_none: bool) -> None:
    """Take a leaf's gradient away, or fill it with zeros: then it leaves the graph that create_graph=True gave it."""
    if set_to_none:
        leaf._grad = None
    elif (gradient := leaf._grad) is not None:
        if gradient.grad_fn is not None:
            gradient.detach_()
        gradient.requires_grad_(False).zero_()


tensor_base.tensor_class = Tensor

"""Custom Functions: a forward and a backward of the learner's own, as one node of the graph.

`Function.apply` stands around the learner's code: forward runs unrecorded, on the tensors themselves; its results are
then made outputs of one node. When the node's turn comes, its backward gets tensors and returns one gradient per
argument of forward. In between the two share `ctx`, which belongs to the node.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from minigrad.absent import attributes_of
from minigrad.autograd.anomaly_mode import notice
from minigrad.autograd.blame import count_write, short, type_name, warn
from minigrad.autograd.fitting import invalid_gradient, sums_to
from minigrad.autograd.grad_mode import is_grad_enabled, no_grad
from minigrad.autograd.hooks import wrap_gradient
from minigrad.autograd.inplace import check_history, record_write
from minigrad.autograd.modes import modes, thread
from minigrad.autograd.node import Node, edge_node
from minigrad.autograd.saved import SavedTensor, Versioned, kept_by, pack, save, unpack, unpack_result
from minigrad.autograd.views import IN_FUNCTION, MULTIPLE, Views, mark_view, set_history, share_memory, views_of
from minigrad.stopping import HAS_THREADS
from minigrad.tensor import Tensor, from_array, own_array

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
__getattr__ = attributes_of(__name__)

# How often a backward may come back to its own node before that is taken for an endless loop: as the first error, where
# one thread has to do.
MOST_RETURNS = 100 if HAS_THREADS else 8


class FunctionCtx:
    """What forward and backward of one call share. Besides what is below, it takes any attribute.

    It is the node of the call: what is on ctx is found again on `y.grad_fn`.
    """

    needs_input_grad: tuple[bool, ...]  # for each argument of forward
    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize_grads = True
    _running = 0  # how often its backward is running, nested in itself
    _made: tuple[Any, ...] = ()  # shape and dtype of each output; None for what is not a tensor

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward, where `ctx.saved_tensors` gives them back; inputs and outputs above all.

        Unlike an attribute of ctx, this checks that they were not written to, and makes no cycle of an output.
        """
        self._to_save = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward has written to; it must return them."""
        _check_tensors(args, "mark_dirty can only accept variables, but argument")
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        _check_tensors(args, "mark_non_differentiable only accepts variable arguments, but got")
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None as the gradient of an output that was not used."""
        self._materialize_grads = value


def _check_tensors(values: Sequence[Any], says: str) -> None:
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(f"{says} {short(value)}: give the tensors one by one, as in ctx.mark_dirty(x, y)")


class FunctionNode(FunctionCtx, Node):
    """The node of one call of a custom Function; each Function has a subclass, named after it."""

    _function: ClassVar[type[Function]]
    _keeps_tensors = True
    _is_custom = True

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        inputs = [value for value in arguments if isinstance(value, Tensor)]
        self.needs_input_grad = tuple([isinstance(value, Tensor) and value.requires_grad for value in arguments])
        self._records = is_grad_enabled() and any(self.needs_input_grad)
        self._connect([(edge_node(tensor), tensor._output_nr) for tensor in inputs] if self._records else [])
        self._given = tuple([isinstance(value, Tensor) for value in arguments])  # which arguments are tensors
        pairs = zip(self._next_nodes, inputs, strict=False)  # none where nothing is recorded
        self._targets = tuple([node and (tensor._array.shape, tensor._array.dtype) for node, tensor in pairs])

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward kept. RuntimeError once the graph is freed, or if one of them was written to."""
        return tuple(map(self._restore, kept_by(self)))

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        """What save_for_backward kept, each as a SavedTensor, to which hooks of its own can be given."""
        return tuple([SavedTensor(self, position) for position in range(len(kept_by(self)))])

    def _restore(self, kept: Any) -> Tensor | None:
        if isinstance(kept, tuple):  # an output
            return unpack_result(self, *kept)
        return None if kept is None else unpack(self, kept)

    def __call__(self, *gradients: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable: let backward() run it")

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        with no_grad():
            results = self._gradients_of_inputs(self._backward(tuple(map(wrap_gradient, gradients))))
        return tuple(None if result is None else result._array for result in results)

    def apply_recorded(self, *gradients: Any) -> tuple[Any, ...]:
        return tuple(self._gradients_of_inputs(self._backward(gradients)))

    def _backward(self, gradients: tuple[Any, ...]) -> Any:
        """Call the learner's backward; raise if it keeps coming back to itself."""
        if self._running > MOST_RETURNS:
            name = self._function.__name__
            raise RuntimeError(
                f"{name}Backward came back to itself, and would do so for ever: the backward() of {name} starts one "
                "through its own node. Compute the gradients of the inputs from grad_output, without .backward()."
            )
        if self._materialize_grads:
            pairs = zip(gradients, self._made, strict=True)
            gradients = tuple([from_array(np.zeros(*made)[()]) if g is None and made else g for g, made in pairs])
        self._running += 1
        try:
            return self._function._gradient_function()(self, *gradients)
        finally:
            self._running -= 1

    def _gradients_of_inputs(self, results: Any) -> list[Any]:
        """The gradients that backward returned, for the arguments that are tensors; raise if they don't fit."""
        results = results if isinstance(results, tuple) else (results,)
        count, name = len(self._given), type(self).__name__
        if len(results) < count or any(extra is not None for extra in results[count:]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {count}, got {len(results)}): "
                "one for each argument of forward after ctx, None for those that have none"
            )
        gradients = [result for result, is_tensor in zip(results, self._given, strict=False) if is_tensor]
        for position, (result, is_tensor) in enumerate(zip(results, self._given, strict=False), 1):
            if not is_tensor and result is not None:
                place = f"at position {position}, but the corresponding forward input was not a Variable"
                raise RuntimeError(f"function {name} returned a gradient different than None {place}")
            if result is not None and not isinstance(result, Tensor):
                which = f"gradient number {position} of {self._function.__name__}.backward"
                raise RuntimeError(f"expected Variable or None (got {type_name(result)}): {which}")
        for index, (gradient, target) in enumerate(zip(gradients, self._targets or (), strict=True)):
            if gradient is not None and target is not None and not sums_to(gradient.shape, target[0]):
                raise invalid_gradient(self, index, gradient.shape, target[0])
        return gradients


class Function:
    """An operation with a forward and a backward of your own. Subclass it, and call `YourFunction.apply(...)`.

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return grad_output * 2 * x
    """

    _node_type: ClassVar[type[FunctionNode]] = FunctionNode

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = {"_function": cls, "__module__": cls.__module__}
        cls._node_type = type(f"{cls.__name__}Backward", (FunctionNode,), own)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            f"invoke them on the class itself: {type(self).__name__}.apply(...).",
            DeprecationWarning,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method: {type(self).__name__}.apply(...)."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result: `forward(ctx, *inputs)`, or `forward(*inputs)` beside a setup_context."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs; if it is there, forward gets no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the inputs, from those of the outputs: one for each argument of forward, or None."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward  # another name for it: "vector-Jacobian product"

    @classmethod
    def _gradient_function(cls) -> Callable[..., Any]:
        """backward, under the name that the subclass gives it."""
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.backward if cls.vjp is Function.vjp else cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record it as one node if an input needs a gradient."""
        has_setup = cls.setup_context is not Function.setup_context
        if kwargs or has_setup:
            args = _by_position(cls, has_setup, args, kwargs)
        node = cls._node_type(args)
        with no_grad():
            output = cls.forward(*args) if has_setup else cls.forward(node, *args)
            if has_setup:
                cls.setup_context(node, args, output)
        inputs = [value for value in args if isinstance(value, Tensor)]
        outputs = _attach_outputs(node, inputs, output if isinstance(output, tuple) else (output,))
        if node._records:
            _save(node)
            arrays = [value._array for value in outputs if isinstance(value, Tensor)]
            if modes.special and arrays:
                notice(node, arrays if len(arrays) > 1 else arrays[0], inputs)
        return outputs if isinstance(output, tuple) else outputs[0]


def _by_position(function: type[Function], has_setup: bool, args: tuple[Any, ...], kwargs: Any) -> tuple[Any, ...]:
    """The arguments of forward by position: keyword arguments at the place that its signature gives them."""
    signature = inspect.signature(function.forward)
    names = [name for name, parameter in signature.parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    unknown = [name for name in kwargs if name not in names]
    if unknown:
        raise TypeError(f"forward() got an unexpected keyword argument '{unknown[0]}': it gets its own by position")
    bound = signature.bind(*([] if has_setup else [None]), *args, **kwargs)
    bound.apply_defaults()
    if has_setup:
        return bound.args
    last = max([len(args), *map(names.index, kwargs)])  # defaults behind the last argument given stay with forward
    return bound.args[1 : last + 1]


def _attach_outputs(node: FunctionNode, inputs: list[Tensor], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of forward, made outputs of the node."""
    if any(_index_of(value, outputs) is None for value in node._dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    tensors = {number: value for number, value in enumerate(outputs) if isinstance(value, Tensor)}
    node._output_count = len(outputs)
    node._made = tuple([(v._array.shape, v._array.dtype) if isinstance(v, Tensor) else None for v in outputs])
    finished = list(outputs)
    for number, tensor in tensors.items():
        finished[number] = _output(node, tensor, number, _index_of(tensor, inputs), len(tensors) > 1)
    node._dirty = node._non_differentiable = ()  # outputs know the node: no cycle
    return tuple(finished)


def _index_of(value: Any, values: Sequence[Any]) -> int | None:
    """Where a value itself, not one that is equal, stands among others; None if nowhere."""
    return next((index for index, other in enumerate(values) if other is value), None)


def _output(node: FunctionNode, output: Tensor, number: int, position: int | None, several: bool) -> Tensor:
    """One output of forward in its place in the graph; `position` says which input it is, if it is one."""
    if not output.dtype.is_floating_point or _index_of(output, node._non_differentiable) is not None:
        return output.detach() if output.requires_grad else output
    if _index_of(output, node._dirty) is not None:
        if position is not None:
            return _written_input(node, output, number, position, several)
        warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
            "should be passed to ctx.mark_dirty()."
        )
    if position is not None:
        if output.requires_grad and not is_grad_enabled():
            return output.detach()
        alias = from_array(own_array(output))
        share_memory(alias, output)
        output = alias
    mark_view(output, MULTIPLE if node._records and several and position is None else IN_FUNCTION)
    if node._records:
        set_history(output, node, number)
        output._state = None
    return output


def _written_input(node: FunctionNode, output: Tensor, number: int, position: int, several: bool) -> Tensor:
    """An input that forward has written to."""
    count_write(output)
    if not node._records:
        return output.detach() if output.requires_grad else output
    if output._was_made_as_leaf() and output.requires_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    output._grad = None  # the tensor becomes another one
    if output._viewed is not None:
        check_history(output)
        if several:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor: clone() the input first, or split the Function in two."
            )
    record_write(output, node, (views_of(output) or Views()).renew, position, number)
    return output


def _save(node: FunctionNode) -> None:
    """Keep what forward asked to be saved, now that its outputs have their places in the graph."""
    for index, value in enumerate(node._to_save):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {index} is of type {type(value).__name__}: "
                "keep other things as attributes, as in ctx.exponent = 2"
            )
    node._kept = tuple([None if value is None else _form_to_keep(node, value) for value in node._to_save])
    node._to_save = ()


def _form_to_keep(node: FunctionNode, tensor: Tensor) -> Any:
    if thread.saved_tensors_hooks:
        return pack(node, tensor)
    if tensor._node is not node or tensor.is_inference():
        return save(tensor)
    tensor._writes = tensor._writes or [0]
    return Versioned(tensor._array, tensor._version), tensor._writes, tensor._output_nr  # the tensor knows the node


# ---------------------------------------------------------------- first derivatives only


class DelayedError(Node):
    """The node of a gradient that may not be differentiated again."""

    __slots__ = ()

    def __init__(self) -> None:
        self._connect([])

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    apply_recorded = apply


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward that is not made of differentiable operations: differentiating its results is an error."""

    @functools.wraps(fn)
    def backward(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *gradients)
        if not is_grad_enabled() or not any(isinstance(g, Tensor) and g.requires_grad for g in gradients):
            return outputs
        return tuple(map(_refusing, outputs)) if isinstance(outputs, tuple) else _refusing(outputs)

    return backward


def _refusing(gradient: Any) -> Any:
    """A gradient that may not be differentiated again."""
    if isinstance(gradient, Tensor):
        gradient = gradient.detach()
        gradient._node = DelayedError()
    return gradient

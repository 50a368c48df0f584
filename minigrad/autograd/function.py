"""Custom Functions: a forward and a backward of the learner's own, as one node of the graph.

`Function.apply` stands around the learner's code: forward runs unrecorded, on the tensors themselves; its results are
then made outputs of one node. When the node's turn comes, its backward gets tensors
and returns one gradient per argument of forward. In between the two share `ctx`, which belongs to the node.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minigrad.autograd.anomaly_mode import remember
from minigrad.autograd.blame import count_write, type_name, warn
from minigrad.autograd.fitting import fitted
from minigrad.autograd.grad_mode import is_grad_enabled, no_grad
from minigrad.autograd.hooks import wrapped
from minigrad.autograd.inplace import check_history, record_write
from minigrad.autograd.modes import modes, thread
from minigrad.autograd.node import Node, edge_node
from minigrad.autograd.saved import PackedTensor, freed_error, modified_error, pack, save, unpack
from minigrad.autograd.views import IN_FUNCTION, MULTIPLE, mark_view, set_history, share_memory
from minigrad.tensor import Tensor, from_array, own_array

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

MOST_RETURNS = 100  # how often a backward may come back to its own node before that is taken for an endless loop


class FunctionCtx:
    """What forward and backward of one call share. Besides what is below, it takes any attribute.

    It is the node of the call: what is on ctx is found again on `y.grad_fn`.
    """

    needs_input_grad: tuple[bool, ...]  # for each argument of forward
    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize_grads: Any = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward, where `ctx.saved_tensors` gives them back; inputs and outputs above all.

        Unlike an attribute of ctx, this checks that they were not written to, and makes no cycle of an output.
        """
        self._to_save = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward has written to; it must return them."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None as the gradient of an output that was not used."""
        if not isinstance(value, bool):
            raise TypeError(
                f"set_materialize_grads received an invalid combination of arguments - got ({type(value).__name__}), "
                "but expected (bool)"
            )
        self._materialize_grads = value


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
        self._expected = tuple([(tensor._array.shape, tensor._array.dtype) for tensor in inputs])
        self._made: tuple[Any, ...] = ()  # shape and dtype of each output; None for what is not a tensor
        self._output_count = 1
        self._kept = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What save_for_backward kept. RuntimeError once the graph is freed, or if one of them was written to."""
        if self._kept is None:
            raise freed_error()
        return tuple(None if kept is None else self._restored(kept) for kept in self._kept)

    def _restored(self, kept: Any) -> Tensor:
        return kept.restored(self) if isinstance(kept, SavedOutput) else unpack(self, kept)

    def __call__(self, *gradients: Any) -> Any:
        raise TypeError(
            f"'{type(self).__name__}' object is not callable: call {self._function.__name__}.backward, or let "
            "backward() run it"
        )

    def apply(self, *gradients: Any) -> tuple[Any, ...]:
        with no_grad():
            results = self._gradients_of_inputs(self._backward(tuple(map(wrapped, gradients))))
        return tuple(None if result is None else result._array for result in results)

    def apply_recorded(self, *gradients: Any) -> tuple[Any, ...]:
        return tuple(self._gradients_of_inputs(self._backward(gradients)))

    def _backward(self, gradients: tuple[Any, ...]) -> Any:
        """Call the learner's backward; raise if it keeps coming back to itself."""
        if thread.running is None:
            thread.running = Counter()
        running = thread.running
        if running[self] > MOST_RETURNS:
            name = self._function.__name__
            raise RuntimeError(
                f"{name}Backward came back to itself, and would do so for ever: while the backward() of {name} is "
                "running, it starts a backward through the very node that it belongs to, by calling .backward() or "
                "grad() on the Function's own output. A backward() gets the gradient of the output as its argument "
                "and returns the gradients of the inputs: compute them from grad_output, without .backward()."
            )
        if self._materialize_grads:
            gradients = tuple(
                from_array(np.zeros(*made)[()]) if gradient is None and made is not None else gradient
                for gradient, made in zip(gradients, self._made, strict=True)
            )
        running[self] += 1
        try:
            return self._function.backward(self, *gradients)
        finally:
            running[self] -= 1
            if not running[self]:
                del running[self]

    def _gradients_of_inputs(self, results: Any) -> list[Any]:
        """The gradients that backward returned, for the arguments that are tensors; raise if they don't fit."""
        results = results if isinstance(results, tuple) else (results,)
        count, name = len(self._given), type(self).__name__
        if len(results) < count or any(extra is not None for extra in results[count:]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {count}, got {len(results)}): "
                "one for each argument of forward after ctx, None for those that have none"
            )
        gradients: list[Any] = []
        for position, (result, is_tensor) in enumerate(zip(results, self._given, strict=False), 1):
            if not is_tensor and result is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {position}, but the "
                    "corresponding forward input was not a Variable"
                )
            if result is not None and not isinstance(result, Tensor):
                raise RuntimeError(
                    f"expected Variable or None (got {type_name(result)}): gradient number {position} of "
                    f"{self._function.__name__}.backward"
                )
            if is_tensor:
                gradients.append(result if self._next_nodes[len(gradients)] is not None else None)
        return [None if result is None else self._fit(index, result) for index, result in enumerate(gradients)]

    def _fit(self, index: int, gradient: Tensor) -> Any:
        """A gradient in the shape and dtype of its input, from which it may have been broadcast."""
        shape, dtype = self._expected[index]
        lead = len(gradient.shape) - len(shape)
        if lead < 0 or any(own not in (1, got) for own, got in zip(shape, gradient.shape[lead:], strict=True)):
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {index} - got "
                f"{list(gradient.shape)} but expected shape compatible with {list(shape)}"
            )
        return fitted(gradient, shape, dtype)


class SavedOutput:
    """An output that a Function saved: the array and its count of writes, not the tensor, which knows the node."""

    __slots__ = ("kept", "writes", "version", "output_nr")

    def __init__(self, node: FunctionNode, output: Tensor, output_nr: int) -> None:
        if output._writes is None:
            output._writes = [0]
        self.kept: Any = output._array
        self.writes: Any = output._writes
        self.version = output._writes[0]
        self.output_nr = output_nr
        if thread.saved_tensors_hooks:
            self.kept = pack(node, output)
            self.kept.node = None  # no cycle: `restored` puts it in

    def restored(self, node: FunctionNode) -> Tensor:
        """The output again, in its place in the graph."""
        packed = isinstance(self.kept, PackedTensor)
        tensor = self.kept.unpack(node) if packed else from_array(self.kept)
        tensor._node, tensor._output_nr = node, self.output_nr
        if not packed:
            tensor._writes = self.writes
            if self.writes[0] != self.version:
                raise modified_error(node, tensor, self.version)
        return tensor


class _FunctionMeta(type):
    """Gives each Function its class of nodes."""

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        super().__init__(name, bases, members)
        cls._node_type = type(f"{name}Backward", (FunctionNode,), {"_function": cls, "__module__": cls.__module__})


class Function(metaclass=_FunctionMeta):
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

    _node_type: ClassVar[type[FunctionNode]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            f"invoke them on the class itself: {type(self).__name__}.apply(...).",
            DeprecationWarning,
            stacklevel=2,
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

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record it as one node if an input needs a gradient."""
        has_setup = cls.setup_context is not Function.setup_context
        if kwargs or has_setup:
            args = _by_position(cls, has_setup, args, kwargs)
        node = cls._node_type(args)
        records = node._records
        with no_grad():
            if has_setup:
                output = cls.forward(*args)
                cls.setup_context(node, args, output)
            else:
                output = cls.forward(node, *args)
        outputs = output if isinstance(output, tuple) else (output,)
        _check_marks(node, outputs)
        finished = _attached(node, args, outputs, records)
        node._dirty = node._non_differentiable = ()  # outputs know the node: no cycle
        if records:
            _save(node)
            if modes.special:
                arrays = [output._array for output in finished if isinstance(output, Tensor)]
                if modes.observer is not None and arrays:
                    inputs = [value for value in args if isinstance(value, Tensor)]
                    modes.observer(node, arrays if len(arrays) > 1 else arrays[0], inputs)
                if modes.anomaly is not None:
                    remember(node)
        return finished if isinstance(output, tuple) else finished[0]


def _by_position(
    function: type[Function], has_setup: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments of forward by position: keyword arguments at the place that its signature gives them."""
    ctx = () if has_setup else (None,)
    parameters = inspect.signature(function.forward).parameters
    for name in kwargs:
        if name not in parameters or parameters[name].kind is inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(
                f"forward() got an unexpected keyword argument '{name}': {function.__name__}.forward gets its "
                "arguments by position"
            )
    bound = inspect.signature(function.forward).bind(*ctx, *args, **kwargs)
    bound.apply_defaults()
    count = len(bound.args)
    if not has_setup:  # there, defaults behind the last argument given stay with forward
        names = list(parameters)
        count = max([len(args) + 1, *(names.index(name) + 1 for name in kwargs)])
    return bound.args[len(ctx) : count]


def _check_marks(node: FunctionNode, outputs: tuple[Any, ...]) -> None:
    """Raise if something was marked that cannot be."""
    for index, value in enumerate(node._dirty):
        if not isinstance(value, Tensor):
            raise RuntimeError(
                f"mark_dirty can only accept variables, but argument {index} is of type {type(value).__name__}"
            )
        if not any(output is value for output in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
    for value in node._non_differentiable:
        if not isinstance(value, Tensor):
            raise RuntimeError(
                f"mark_non_differentiable only accepts variable arguments, but got {type(value).__name__}"
            )


def _attached(
    node: FunctionNode, arguments: tuple[Any, ...], outputs: tuple[Any, ...], records: bool
) -> tuple[Any, ...]:
    """The outputs of forward, made outputs of the node."""
    tensors = [output if isinstance(output, Tensor) else None for output in outputs]
    node._output_count = len(outputs)
    node._made = tuple([None if t is None else (t._array.shape, t._array.dtype) for t in tensors])
    inputs = [value for value in arguments if isinstance(value, Tensor)]
    tensor_count = sum(tensor is not None for tensor in tensors)
    finished = list(outputs)
    for number, tensor in enumerate(tensors):
        if tensor is not None:
            position = next((index for index, value in enumerate(inputs) if value is tensor), None)
            finished[number] = _output(node, tensor, number, position, tensor_count, records)
    return tuple(finished)


def _output(
    node: FunctionNode, output: Tensor, number: int, position: int | None, tensor_count: int, records: bool
) -> Tensor:
    """One output of forward in its place in the graph; `position` says which input it is, if it is one."""
    if not output.dtype.is_floating_point or any(output is marked for marked in node._non_differentiable):
        return output.detach() if output.requires_grad else output
    if any(output is marked for marked in node._dirty):
        if position is not None:
            return _written_input(node, output, number, position, tensor_count, records)
        warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
            "should be passed to ctx.mark_dirty().",
        )
    if position is not None and output.requires_grad and not is_grad_enabled():
        return output.detach()
    if position is not None:
        alias = from_array(own_array(output))
        share_memory(alias, output)
        mark_view(alias, IN_FUNCTION)
        if records:
            alias._node, alias._output_nr = node, number
        return alias
    mark_view(output, MULTIPLE if records and tensor_count > 1 else IN_FUNCTION)
    if records:
        set_history(output, node, number)
        output._state = None
    return output


def _written_input(
    node: FunctionNode, output: Tensor, number: int, position: int, tensor_count: int, records: bool
) -> Tensor:
    """An input that forward has written to."""
    count_write(output)
    if not records:
        return output.detach() if output.requires_grad else output
    if output._was_made_as_leaf() and output.requires_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    output._grad = None  # the tensor becomes another one
    if output._root is not None:
        check_history(output)
        if tensor_count > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor: clone() the input first, or split the Function in two."
            )
    record_write(output, node, position, number)
    return output


def _save(node: FunctionNode) -> None:
    """Keep what forward asked to be saved, now that its outputs have their places in the graph."""
    kept: list[Any] = []
    for index, value in enumerate(node._to_save):
        if value is None:
            kept.append(None)
        elif not isinstance(value, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {index} is of type {type(value).__name__}: "
                "keep other things as attributes, as in ctx.exponent = 2"
            )
        elif value._node is node:
            kept.append(SavedOutput(node, value, value._output_nr))
        else:
            kept.append(pack(node, value) if thread.saved_tensors_hooks else save(value))
    node._kept = tuple(kept)
    node._to_save = ()


# ---------------------------------------------------------------- first derivatives only


class DelayedError(Node):
    """The node of a gradient that may not be differentiated again."""

    __slots__ = ()

    def __init__(self) -> None:
        self._connect([])
        self._kept = ()

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
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        marked = []
        for output in several:
            if isinstance(output, Tensor):
                output = output.detach()
                output._node = DelayedError()
            marked.append(output)
        return tuple(marked) if isinstance(outputs, tuple) else marked[0]

    return backward

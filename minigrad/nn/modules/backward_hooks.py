"""How a module's backward hook comes to see the gradients of its inputs and outputs.

After this module a reader knows that both pass through a node that does nothing. At the results' node the gradient
comes in (`grad_output`), at the inputs' node it goes out (`grad_input`), and the learner's hook is called with both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.tensor import Tensor, from_array

Hook = Callable[..., Any]


class BackwardHookFunction(Function):
    """The node that does nothing, through which a module's inputs, or its outputs, pass."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return grad_outputs


class BackwardLink:
    """Connects the node before a module and the node after it, for one call: when the gradients of the inputs are
    known, those of the outputs are at hand.
    """

    def __init__(self, module: Any, hooks: list[Hook], pre_hooks: list[Hook]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None  # while a backward is between the two nodes
        self.input_count = 0
        self.input_tensors: list[int] | None = None  # which of the inputs pass through the node; None without a node
        self.input_kinds: list[Any] = []  # shape and dtype of each of these
        self.output_count = 0
        self.output_tensors: list[int] | None = None

    def through_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.input_count = len(args)
        passed, self.input_tensors, node = _through_node(args)
        if node is not None:
            self.input_kinds = [(value._array.shape, value._array.dtype) for value in args if isinstance(value, Tensor)]
            node.register_hook(self.at_inputs)
        return passed

    def through_outputs(self, result: Any) -> Any:
        outputs = result if isinstance(result, tuple) else (result,)
        self.output_count = len(outputs)
        passed, self.output_tensors, node = _through_node(outputs)
        if node is not None:
            node.register_hook(self.at_outputs)
        return passed if isinstance(result, tuple) else passed[0]

    def at_outputs(self, _: Any, gradients: Any) -> Any:
        """The gradients of the outputs are known: the pre hooks may change them."""
        self.grad_outputs = _spread_out(self.output_tensors, gradients, self.output_count)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != len(self.grad_outputs):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(changed)}, but expected "
                    f"{len(self.grad_outputs)}"
                )
            self.grad_outputs = changed
        passed = self.grad_outputs
        if self.input_tensors is None:
            self.without_inputs()
        return tuple(passed[index] for index in self.output_tensors or ())

    def without_inputs(self) -> None:
        """No input needs a gradient, so none will arrive there: the hooks are called now."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. grad_input holds None for each.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        grad_inputs = (None,) * self.input_count
        for hook in self.hooks:
            changed = hook(self.module, grad_inputs, self.grad_outputs)
            if changed is not None and not (isinstance(changed, tuple) and all(part is None for part in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def at_inputs(self, gradients: Any, _: Any) -> Any:
        """The gradients of the inputs are known: the hooks may change them."""
        if self.grad_outputs is None:  # a gradient that reached the inputs without passing the outputs
            return None
        shown = [  # as in PyTorch, an input that needs none has zeros
            from_array(np.zeros(*kind)) if gradient is None else gradient
            for gradient, kind in zip(gradients, self.input_kinds, strict=True)
        ]
        grad_inputs: Any = _spread_out(self.input_tensors, shown, self.input_count)
        for hook in self.hooks:
            changed = hook(self.module, grad_inputs, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != len(grad_inputs):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(changed)}, but expected "
                    f"{len(grad_inputs)}"
                )
            grad_inputs = changed
        self.grad_outputs = None
        changed_ones = [grad_inputs[index] for index in self.input_tensors or ()]
        return tuple(None if old is None else new for old, new in zip(gradients, changed_ones, strict=True))


def _spread_out(indices: Any, values: Any, count: int) -> tuple[Any, ...]:
    """The values at their indices in a tuple, with None elsewhere."""
    placed: list[Any] = [None] * count
    for index, value in zip(indices, values, strict=True):
        placed[index] = value
    return tuple(placed)


def _through_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """Pass the tensors among the values through a node: the values, which of them are tensors, and the node.

    Without a gradient there is no node, and no tensor passes.
    """
    indices = [index for index, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[index] for index in indices]
    if not (is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)):
        return values, None, None
    passed = BackwardHookFunction.apply(*tensors)
    node = next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None)
    changed = list(values)
    for index, tensor in zip(indices, passed, strict=True):
        changed[index] = tensor
    kind: Any = type(values)
    return (tuple(changed) if kind is tuple else kind(*changed)), indices, node  # a named tuple stays one


def hook_result_node(module: Any, hooks: list[Hook], args: Any, result: Any) -> None:
    """Hang the older backward hooks on the node of the result, and warn where that is not what they promise."""
    first = result
    while not isinstance(first, Tensor):
        if isinstance(first, dict):
            first = next(value for value in first.values() if isinstance(value, Tensor))
        else:
            first = first[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(lambda grad_input, grad_output, hook=hook: hook(module, grad_input, grad_output))
    reason = _why_incomplete(args, result, node)
    if reason is not None:
        warnings.warn(
            f"Using {reason}. Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
            stacklevel=frames_to_learner(),
        )


def _why_incomplete(args: Any, result: Any, node: Any) -> str | None:
    """Why the node of the result does not have all the gradients of inputs and outputs."""
    missing = "is deprecated and will be removed in future versions. This hook will be missing "
    results = (result,) if isinstance(result, Tensor) else result
    if not (isinstance(results, tuple) and all(isinstance(value, Tensor) for value in results)):
        return (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
            f"{missing}some of the grad_output"
        )
    if not all(isinstance(value, Tensor) for value in args):
        return (
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors "
            f"{missing}some of the grad_input"
        )
    nodes = {value.grad_fn for value in results if value.grad_fn is not None}
    if len(nodes) > 1:
        return (
            f"a non-full backward hook when outputs are generated by different autograd Nodes {missing}some grad_output"
        )
    if {value.grad_fn for value in args if value.grad_fn is not None} != {edge[0] for edge in node.next_functions}:
        return f"a non-full backward hook when the forward contains multiple autograd Nodes {missing}some grad_input"
    return None

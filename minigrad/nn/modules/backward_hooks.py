"""How a module's backward hook gets the gradients of the module's inputs and outputs.

After this module a reader knows that two identity nodes are put into the graph, one around the inputs and one around
the outputs. In backward the gradient reaches the outputs' node first (`grad_output`), passes through the module, and
reaches the inputs' node last (`grad_input`); then the hook is called with both.
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
    """The identity, as a node through which a module's inputs, or its outputs, pass."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        return grad_outputs


class BackwardHook:
    """The two identity nodes of one call of a module: it keeps the gradients of the outputs until those of the inputs
    are known, too, and calls the hooks.
    """

    def __init__(self, module: Any, hooks: list[Hook], pre_hooks: list[Hook]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None  # set while a backward is between the two nodes
        self.input_count = 0
        self.input_indices: list[int] | None = None  # of the inputs that are tensors; None if there is no node
        self.input_kinds: list[Any] = []  # their shapes and dtypes
        self.output_count = 0
        self.output_indices: list[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.input_count = len(args)
        passed, self.input_indices, node = _through_identity_node(args)
        if node is not None:
            self.input_kinds = [(value._array.shape, value._array.dtype) for value in args if isinstance(value, Tensor)]
            node.register_hook(self.at_inputs)
        return passed

    def setup_output_hook(self, result: Any) -> Any:
        outputs = result if isinstance(result, tuple) else (result,)
        self.output_count = len(outputs)
        passed, self.output_indices, node = _through_identity_node(outputs)
        if node is not None:
            node.register_hook(self.at_outputs)
        return passed if isinstance(result, tuple) else passed[0]

    def at_outputs(self, _: Any, gradients: Any) -> Any:
        """The gradients of the outputs are known: call the pre-hooks, which may replace them."""
        self.grad_outputs = _at_indices(self.output_indices, gradients, self.output_count)
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
        if self.input_indices is None:
            self.call_without_inputs()
        return tuple(passed[index] for index in self.output_indices or ())

    def call_without_inputs(self) -> None:
        """Call the hooks now, since no input requires a gradient, so that none will arrive there."""
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
        """The gradients of the inputs are known: call the hooks, which may replace them."""
        if self.grad_outputs is None:  # this backward did not begin behind the outputs
            return None
        shown = [  # as in PyTorch, an input without a gradient shows zeros
            from_array(np.zeros(*kind)) if gradient is None else gradient
            for gradient, kind in zip(gradients, self.input_kinds, strict=True)
        ]
        grad_inputs: Any = _at_indices(self.input_indices, shown, self.input_count)
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
        replaced = [grad_inputs[index] for index in self.input_indices or ()]
        return tuple(None if old is None else new for old, new in zip(gradients, replaced, strict=True))


def _at_indices(indices: Any, values: Any, count: int) -> tuple[Any, ...]:
    """A tuple of `count` items: the values at their indices, and None elsewhere."""
    items: list[Any] = [None] * count
    for index, value in zip(indices, values, strict=True):
        items[index] = value
    return tuple(items)


def _through_identity_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None, Any]:
    """Pass the tensors among the values through an identity node. Returns the values, the indices of the tensors, and
    the node; if no tensor requires a gradient, the values as they are, None and None.
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
    """Put the older backward hooks on the node of the result, and warn if its gradients are not the module's."""
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
    """Why the gradients at the node of the result are not those of all inputs and outputs; None if they are."""
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

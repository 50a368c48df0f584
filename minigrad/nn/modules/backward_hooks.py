"""How a module's backward hook gets the gradients of the module's inputs and outputs.

Two identity nodes are put into the graph, one around the inputs and one around the outputs. In backward the gradient
reaches the outputs' node first (`grad_output`), passes through the module, and reaches the inputs' node last
(`grad_input`); then the hook is called with both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.autograd.hooks import Hook
from minigrad.tensor import Tensor, from_array

Positions = tuple[list[int], int]  # the indices of the tensors that pass a node, and the number of all values


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
        self.inputs: Positions = ([], 0)  # and self.outputs, when they are known
        self.input_kinds: list[Any] = []  # their shapes and dtypes

    def around_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, passed through an identity node."""
        self.input_kinds = [(value._array.shape, value._array.dtype) for value in args if isinstance(value, Tensor)]
        passed, self.inputs = _through_identity_node(args, self._at_inputs)
        return passed

    def around_outputs(self, result: Any) -> Any:
        """The result, passed through an identity node. UserWarning if it is no tensor and no tuple."""
        if not isinstance(result, Tensor | tuple):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}"
            )
        outputs = result if isinstance(result, tuple) else (result,)
        passed, self.outputs = _through_identity_node(outputs, self._at_outputs)
        return passed if isinstance(result, tuple) else passed[0]

    def _at_outputs(self, _: Any, gradients: Any) -> Any:
        """The gradients of the outputs are known: call the pre-hooks, which may replace them."""
        passed = _at_positions(self.outputs, gradients)
        for hook in self.pre_hooks:
            passed = _gradients_after_hook(passed, hook(self.module, passed), "Backward pre hook", "grad_output")
        self.grad_outputs = passed
        if not self.inputs[0]:
            self._call_without_inputs()
        return tuple(passed[index] for index in self.outputs[0])

    def _call_without_inputs(self) -> None:
        """Call the hooks now, since no input requires a gradient, so that none will arrive there."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. grad_input holds None for each."
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.inputs[1], self.grad_outputs)
            if changed is not None and not (isinstance(changed, tuple) and all(part is None for part in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _at_inputs(self, gradients: Any, _: Any) -> Any:
        """The gradients of the inputs are known: call the hooks, which may replace them."""
        if self.grad_outputs is None:  # this backward did not begin behind the outputs
            return None
        shown = [  # as in PyTorch, an input without a gradient shows zeros
            from_array(np.zeros(*kind)) if gradient is None else gradient
            for gradient, kind in zip(gradients, self.input_kinds, strict=True)
        ]
        passed = _at_positions(self.inputs, shown)
        for hook in self.hooks:
            changed = hook(self.module, passed, self.grad_outputs)
            passed = _gradients_after_hook(passed, changed, "Backward hook", "grad_input")
        self.grad_outputs = None
        replaced = [passed[index] for index in self.inputs[0]]
        return tuple(None if old is None else new for old, new in zip(gradients, replaced, strict=True))


def _gradients_after_hook(gradients: Any, result: Any, hook: str, name: str) -> Any:
    """The gradients after a hook gave its result. RuntimeError if it gave another number of them."""
    if result is None:
        return gradients
    if len(result) != len(gradients):
        raise RuntimeError(
            f"{hook} returned an invalid number of {name}, got {len(result)}, but expected {len(gradients)}"
        )
    return result


def _at_positions(positions: Positions, values: Any) -> Any:
    """A tuple with the values at these positions, and None elsewhere."""
    items = dict(zip(positions[0], values, strict=True))
    return tuple(items.get(index) for index in range(positions[1]))


def _through_identity_node(values: tuple[Any, ...], hook: Hook) -> tuple[tuple[Any, ...], Positions]:
    """Pass the tensors among the values through an identity node with this hook. Returns the values, and the positions
    of the tensors; if no tensor requires a gradient, there is no node.
    """
    tensors = {index: value for index, value in enumerate(values) if isinstance(value, Tensor)}
    if not (is_grad_enabled() and any(tensor.requires_grad for tensor in tensors.values())):
        return values, ([], len(values))
    passed = BackwardHookFunction.apply(*tensors.values())
    next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None).register_hook(hook)
    tensors.update(zip(tensors, passed, strict=True))
    changed = [tensors.get(index, value) for index, value in enumerate(values)]
    kind: Any = type(values)
    passed_on = tuple(changed) if kind is tuple else kind(*changed)  # a named tuple stays one
    return passed_on, (list(tensors), len(values))

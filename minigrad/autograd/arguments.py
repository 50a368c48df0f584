"""What backward() and grad() may be given: the checks of their arguments, in PyTorch's words.

A gradient arrives at a node, or at one output of a node that has several (a `Key`, see run.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.batching import Batched
from minigrad.autograd.blame import short, type_name
from minigrad.autograd.fitting import fit_gradient
from minigrad.autograd.node import GradientEdge, edge_node
from minigrad.autograd.run import Key, Roots, key_at
from minigrad.tensor_base import TensorBase, from_array

NOT_SCALAR = (
    "grad can be implicitly created only for scalar outputs. This output has shape {}: reduce it first, as in "
    ".sum().backward(), or say how much each element counts, as in .backward(gradient=ones_like(...))."
)
NO_GRAPH = (
    "element {} of tensors does not require grad and does not have a grad_fn. Nothing that it was computed from was "
    "made with requires_grad=True, or it was computed under no_grad() or after detach(), so there is no graph to go "
    "back through."
)


TENSOR_OR_EDGE = (TensorBase, GradientEdge)  # what a gradient can be asked for, and a run can start from


def key_of(tensor: TensorBase | GradientEdge) -> Key:
    """Where the gradient of a tensor arrives; None for a view that no_grad made, where none does though the view counts
    as needing one. RuntimeError for a tensor that needs none.
    """
    if tensor._node is None:
        raise RuntimeError(
            "One of the differentiated Tensors does not require grad: make it with requires_grad=True before it is used"
        )
    return key_at(edge_node(tensor), tensor._output_nr)


def as_list(value: Any) -> list[Any]:
    """One or several, as a list."""
    several = isinstance(value, Iterable) and not isinstance(value, (*TENSOR_OR_EDGE, str))
    return list(value) if several and type_name(value) != "torch.Tensor" else [value]


def listed_inputs(value: Any, function: str) -> list[Any]:
    """The `inputs` of grad() or backward() as a list of tensors and edges; raise if they are not that."""
    if isinstance(value, dict):
        if type(value) is not dict:
            got = f"not {type(value).__name__}. Other Mapping types are not supported: dict(...) makes one of them."
            raise TypeError(f"`inputs` argument to `{function}` must be a dict, {got}")
        value = list(value.values())
    if not isinstance(value, TensorBase | Iterable):
        raise TypeError(f"`inputs` argument to `{function}` must be Tensors, not {type(value).__name__}: {value!r}")
    tensors = as_list(value)
    if not tensors:
        raise RuntimeError(f"`inputs` argument to `{function}` cannot be empty.")
    _check_tensors(tensors, RuntimeError, "all inputs have to be Tensors or GradientEdges", TENSOR_OR_EDGE)
    return tensors


def _check_tensors(values: list[Any], error: type[Exception], expected: str, kinds: Any = TensorBase) -> None:
    for value in values:
        if not isinstance(value, kinds):
            raise error(f"{expected}, but got {type_name(value)}: try tensor({short(value)})")


def roots_of(outputs: list[Any], weights: list[Any], create_graph: bool, batched: bool = False) -> Roots:
    """Where a run starts, for these outputs and the gradients to start from: each root's key, and its gradient as an
    array (or a batch of these), or a tensor if the run is recorded. Raises for what cannot be started from.
    """
    _check_tensors(outputs, TypeError, "backward starts from a Tensor or several", TENSOR_OR_EDGE)
    _check_tensors(weights, TypeError, "gradients can be either Tensors or None", TensorBase | None)
    if len(weights) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(weights)} gradients")
    roots: Roots = []
    for index, (output, gradient) in enumerate(zip(outputs, weights, strict=True)):
        if output._node is not None and gradient is None and output._array.size != 1:
            raise RuntimeError(NOT_SCALAR.format(list(output.shape)))
        if edge_node(output) is None:
            raise RuntimeError(NO_GRAPH.format(index))
        if batched:
            _check_batch(index, output, gradient, weights[0])
        elif gradient is not None and gradient.shape != output.shape:
            shapes = f"has a shape of {gradient.shape} and output[{index}] has a shape of {output.shape}."
            raise RuntimeError(f"Mismatch in shape: grad_output[{index}] {shapes}")
        roots.append((key_of(output), _root_gradient(output._array, gradient, create_graph, batched)))
    return roots


def _root_gradient(output: Any, gradient: Any, create_graph: bool, batched: bool) -> Any:
    """The gradient that a run starts with at an output, of which this is the array."""
    if gradient is None:
        ones = np.ones(output.shape, output.dtype)[()]
        return from_array(ones) if create_graph else ones
    if not create_graph:
        gradient = Batched(gradient._array) if batched else gradient._array
    return fit_gradient(gradient, output.shape, output.dtype)


def _check_batch(index: int, output: Any, gradient: Any, first: Any) -> None:
    """Raise unless a gradient to start from is a batch for its output, of as many rows as the first."""
    shape = () if gradient is None else gradient.shape
    if first is None or not shape or not shape[0] or shape != (len(first), *output.shape):
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{index}] has a shape of {list(shape[1:])} and output[{index}] has a "
            f"shape of {output.shape}. A batch is not empty, and all of grad_outputs are batches of one size."
        )

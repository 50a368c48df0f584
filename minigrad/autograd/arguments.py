"""What backward() and grad() may be given: the checks of their arguments, in PyTorch's words.

A gradient arrives at a node, or at one output of a node that has several (a `Key`, see run.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.batching import Batched
from minigrad.autograd.fitting import to_dtype
from minigrad.autograd.node import GradientEdge, edge_node, get_gradient_edge
from minigrad.autograd.run import Key, Roots, key_at
from minigrad.tensor_base import Size, TensorBase, from_array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


def key_of(tensor: Tensor | GradientEdge) -> Key:
    """Where the gradient of a tensor arrives."""
    edge = tensor if isinstance(tensor, GradientEdge) else get_gradient_edge(tensor)
    return key_at(edge.node, edge.output_nr)


def key_sought(tensor: Tensor | GradientEdge) -> Key:
    """As `key_of`; None for a view that no_grad made, where no gradient arrives though it counts as needing one."""
    return None if isinstance(tensor, TensorBase) and edge_node(tensor) is None else key_of(tensor)


def as_list(value: Any) -> list[Any]:
    """One or several, as a list."""
    single = isinstance(value, TensorBase | GradientEdge | str) or not isinstance(value, Iterable)
    return [value] if single else list(value)


def listed_inputs(value: Any, function: str) -> list[Any]:
    """The `inputs` of grad() or backward() as a list of tensors and gradient edges; raise if they are not that."""
    if isinstance(value, Mapping):
        if type(value) is not dict:
            raise TypeError(
                f"`inputs` argument to `{function}` must be a dict, not {type(value).__name__}. Other Mapping types "
                "are not supported."
            )
        value = list(value.values())
    if not isinstance(value, TensorBase | GradientEdge | Iterable):
        raise TypeError(
            f"`inputs` argument to `{function}` must be a Tensor or several, not {type(value).__name__}: {value!r}"
        )
    listed = as_list(value)
    if not listed:
        raise RuntimeError(f"`inputs` argument to `{function}` cannot be empty.")
    for item in listed:
        if not isinstance(item, TensorBase | GradientEdge):
            raise RuntimeError(
                f"all inputs have to be Tensors or GradientEdges, but got {type(item).__name__}: {item!r}"
            )
    return listed


def started_roots(tensors: Any, grad_tensors: Any, create_graph: bool, batched: bool = False) -> Roots:
    """Check the roots and the gradients to start from; return pairs of where they start and what they start with, as
    arrays (or batches of these) unless recorded.
    """
    roots = as_list(tensors)
    given: list[Any] = [None] * len(roots) if grad_tensors is None else as_list(grad_tensors)
    _check_kinds(roots, given)
    pairs = []
    for index, (root, gradient) in enumerate(zip(roots, given, strict=True)):
        edge = root if isinstance(root, GradientEdge) else _edge_of_root(root, index, gradient)
        shape, dtype = edge.ownership_token
        if batched:
            _check_batch(index, gradient, given[0], shape)
            start = to_dtype(gradient if create_graph else Batched(gradient._array), dtype)
        elif gradient is None:
            start = _ones(shape, dtype, create_graph)
        else:
            start = to_dtype(_given(index, gradient, shape, create_graph), dtype)
        pairs.append((key_at(edge.node, edge.output_nr), start))
    return pairs


def _check_kinds(roots: list[Any], given: list[Any]) -> None:
    """Raise unless there is a gradient, or None, for each root."""
    for root in roots:
        if not isinstance(root, TensorBase | GradientEdge):
            raise TypeError(f"backward starts from a Tensor or several, but got {type(root).__name__}: {root!r}")
    for gradient in given:
        if gradient is not None and not isinstance(gradient, TensorBase):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(gradient).__name__}: try tensor({gradient!r})"
            )
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")


def _edge_of_root(root: Any, index: int, gradient: Any) -> GradientEdge:
    if root._node is not None and gradient is None and root._array.size != 1:
        raise _not_scalar(root.shape)
    if edge_node(root) is None:
        raise _no_graph(index)
    return get_gradient_edge(root)


def _ones(shape: tuple[int, ...], dtype: Any, recorded: bool) -> Any:
    """What a run starts with at a root whose gradient was left out."""
    if math.prod(shape) != 1:
        raise _not_scalar(shape)
    ones = np.ones(shape, dtype)[()]
    return from_array(ones) if recorded else ones


def _given(index: int, gradient: Any, shape: tuple[int, ...], recorded: bool) -> Any:
    if gradient.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {gradient.shape} and output[{index}] has a shape "
            f"of {Size(shape)}."
        )
    return gradient if recorded else gradient._array


def _check_batch(index: int, gradient: Tensor | None, first: Tensor, shape: Sequence[int]) -> None:
    """Raise unless a gradient to start from is a batch for a result of some shape, of as many rows as the first."""
    if gradient is None:
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
            f"dimensionality 0: grad_outputs[{index}] is None. With is_grads_batched=True write it out, as in ones(n)."
        )
    if not gradient.ndim:
        raise IndexError(
            f"invalid index of a 0-dim tensor: with is_grads_batched=True, grad_outputs[{index}] needs a first "
            "dimension, that of the batch"
        )
    if gradient.shape[1:] != shape:
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{index}] has a shape of {gradient.shape[1:]} and output[{index}] has "
            f"a shape of {Size(shape)}."
        )
    if len(gradient) != len(first):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{[len(first), len(gradient)]} for the mapped dimension: all of grad_outputs are batches of one size"
        )
    if not len(gradient):
        raise IndexError(
            f"index 0 is out of bounds for dimension 0 with size 0: the batch grad_outputs[{index}] is empty"
        )


def _no_graph(index: int) -> RuntimeError:
    return RuntimeError(
        f"element {index} of tensors does not require grad and does not have a grad_fn. Nothing that it was computed "
        "from was made with requires_grad=True, or it was computed under no_grad() or after detach(), so there is no "
        "graph to go back through."
    )


def _not_scalar(shape: Sequence[int]) -> RuntimeError:
    return RuntimeError(
        f"grad can be implicitly created only for scalar outputs. This output has shape {list(shape)}: reduce it "
        "first, as in .sum().backward(), or say how much each element counts, as in "
        ".backward(gradient=ones_like(...))."
    )

"""What batch, layer, group and rms norm share: the formula, its gradient, and the check of dtypes.

After this module a reader knows that these are one formula, `(x - mean) / sqrt(var + eps)`, over different sets of
numbers, and why its gradient has three terms: each number moves the mean and the variance as well.

Each norm has its gradients twice: as rules that say the formula, which is what `create_graph=True` records, and as one
function for all inputs (`shared_backward`), in as few passes over the numbers as possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.graph import Node
from minigrad.op import node_type
from minigrad.tensor import Tensor

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes
Dim = tuple[int, ...]


def normalized(F: Any, self: Any, dim: Dim, eps: float) -> tuple[Any, Any]:
    """(x - mean) / std along some dimensions, and 1 / std, for std = sqrt(var + eps)."""
    centred = self - F.mean_dims(self, dim, True)
    rstd = F.pow_number(F.mean_dims(centred * centred, dim, True) + eps, -0.5)
    return centred * rstd, rstd


def normalized_gradient(F: Any, g: Any, normal: Any, rstd: Any, dim: Dim) -> Any:
    """(g - mean(g) - normal * mean(g * normal)) / std: the parts that shift the mean and scale the std are taken off,
    for they change nothing in the result.
    """
    return rstd * (g - F.mean_dims(g, dim, True) - normal * F.mean_dims(g * normal, dim, True))


def channel_dims(ndim: int) -> Dim:
    """All dimensions of (N, C, ...) but that of the channels."""
    return (0, *range(2, ndim))


def channel_shape(ndim: int) -> Dim:
    """The shape in which (C,) numbers broadcast with an input (N, C, ...)."""
    return (1, -1, *[1] * (ndim - 2))


def shared_backward(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have an ordinary backward compute all the gradients of an op in one function, since they share sums.

    That gets the node, of which it asks what was saved, g, and for each input whether its gradient is wanted. (What
    only it needs, the rules ask for as well, for that is what has it saved.)
    """

    def decorate(gradients: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Node, g: Array) -> Any:
            wanted = [next_node is not None for next_node in node._next_nodes]
            return gradients(node, g, *wanted) if any(wanted) else (None,) * len(wanted)

        node: Any = node_type(function)
        node.apply = apply
        return gradients

    return decorate


def check_dtypes(kernel: str, input: Tensor, *parameters: Tensor | None) -> None:
    """Raise unless the input is floating, and all parameters have its dtype."""
    kind = input.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{kind.tensor_type}': convert the input first, as in x.float()"
        )
    for parameter in parameters:
        if parameter is not None and parameter.dtype is not kind:
            rule = (
                "all inputs must share same datatype."
                if kind.itemsize > parameter.dtype.itemsize
                else f"expect parameter to have scalar type of {kind.tensor_type}"
            )
            raise RuntimeError(
                f"mixed dtype (CPU): {rule} The input is {kind}, a parameter {parameter.dtype}: convert one of them "
                "with .to(...)."
            )

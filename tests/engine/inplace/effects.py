"""What a write does to tensors and to the graph behind them, put into words that both sides share.

Most tensors here are a 2x3 leaf `x` and a result `y = x * 1`, since a leaf itself may not be written to. Gradients are
taken with weights 1, 2, 3 ..., so that no two elements can be mistaken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.side_by_side import ours

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERWRITTEN = "one of the variables needed for gradient computation has been modified by an inplace operation: "
MADE_IN_NO_GRAD = "A view was created in no_grad mode and is being modified inplace with grad mode enabled."
BASE_OF_ONE_MADE_IN_NO_GRAD = (
    "A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad "
    "mode enabled."
)
SEVERAL_VIEWS = "This view is the output of a function that returns multiple views."
NO_ROOM = "unsupported operation: more than one element of the written-to tensor refers to a single memory location."


def grid(F: Any) -> Any:
    """The leaf x: 1 to 6, in two rows."""
    return F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


def number(F: Any, value: float = 2.0) -> Any:
    """A leaf without dimensions."""
    return F.tensor(value, requires_grad=True)


def name(node: Any) -> str | None:
    """A node's name; without the namespace that PyTorch puts before two of them."""
    return None if node is None else node.name().removeprefix("torch::autograd::")


def state(*tensors: Any) -> list[Any]:
    """All that a write can change about tensors, as it is now."""
    return [
        [t.tolist(), t.dtype, t.requires_grad, t.is_leaf, t._version, name(t.grad_fn), t._is_view()] for t in tensors
    ]


def graph(tensor: Any) -> list[Any]:
    """The nodes behind a tensor, nearest first, each with the names and input numbers that its edges lead to."""
    nodes, lines = [tensor.grad_fn] if tensor.grad_fn is not None else [], []
    for node in nodes:
        lines.append([name(node), [[name(behind), input_nr] for behind, input_nr in node.next_functions]])
        for behind, _ in node.next_functions:
            if behind is not None and all(behind is not known for known in nodes):
                nodes.append(behind)
    return lines


def weights(F: Any, tensor: Any) -> Any:
    """1, 2, 3 ... in the shape of a tensor."""
    return F.arange(1.0, tensor.numel() + 1.0).reshape(tensor.shape).to(tensor.dtype)


def gradients(F: Any, output: Any, *inputs: Any, create_graph: bool = False) -> list[Any]:
    """The gradients of a weighted sum; None for an input that the output does not depend on."""
    return list(
        F.autograd.grad(
            output, inputs, weights(F, output), retain_graph=True, create_graph=create_graph, allow_unused=True
        )
    )


def second(F: Any, output: Any, *inputs: Any) -> list[Any]:
    """The gradients of the gradients' sum of squares."""
    first = gradients(F, output, *inputs, create_graph=True)
    total = sum((g * g).sum() for g in first if g is not None)
    if not total.requires_grad:
        return [total]
    return [g if g is None else g + 0 for g in F.autograd.grad(total, inputs, allow_unused=True)]


def tried(action: Callable[[], Any], *beginnings: str) -> Any:
    """What an action gives; or its error, by type and by how it begins, in full if none of these is how."""
    try:
        return action()
    except Exception as error:
        return [type(error).__name__, next((b for b in beginnings if ours(str(error)).startswith(ours(b))), str(error))]


def mixed(F: Any, kind: str) -> Any:
    """A small plain tensor of a dtype."""
    return F.tensor([1, 0, 1], dtype=getattr(F, kind))


LOWER = {"Float": ("Int", "Long", "Bool"), "Int": ("Bool",), "Long": ("Bool",)}
ALL_CASTS = [
    f"result type {kind} can't be cast to the desired output type {target}" for kind in LOWER for target in LOWER[kind]
]
MIXED_SIGNS = [[-1.5, 0.5, 2.0], [1.0, -0.25, 3.0]]
POSITIVE = [[1.5, 0.5, 2.0], [1.0, 0.25, 3.0]]
UNARY: dict[str, list[list[float]]] = {
    **dict.fromkeys(("neg", "reciprocal", "exp", "abs", "sign", "sin", "cos", "tanh"), MIXED_SIGNS),
    **dict.fromkeys(("sigmoid", "relu", "square"), MIXED_SIGNS),
    **dict.fromkeys(("log", "sqrt"), POSITIVE),
}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def found(action: Callable[[], Any]) -> Any:
    """What an action gives; or, if a version is not the expected one, what is said of it up to where help begins."""
    try:
        return action()
    except RuntimeError as error:
        said, instead, _ = str(error).replace("torch::autograd::", "").partition(" instead.")
        return [said, instead, said.startswith(OVERWRITTEN)]

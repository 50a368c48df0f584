"""The model of chapter 04: a trunk h, a calm head and a loud one; and what the checks look for in its graph."""

from __future__ import annotations

from typing import Any

from minigrad.creation.data import tensor
from minigrad.tensor import Tensor

CHAPTER = "04_grad_and_hooks"


def trunk(numbers: list[float] | None = None) -> Tensor:
    """A result with two elements, made from a leaf: [3, 2], where nothing else is asked for."""
    return tensor(numbers or [1.0, 2.0], requires_grad=True) * tensor([3.0, 1.0])


def two_heads(h: Tensor) -> tuple[Tensor, Tensor]:
    """The calm loss and the loud one."""
    v = tensor([-3.0, 4.0], requires_grad=True)
    return (h.sum() - 4) ** 2, (h @ v + 6) ** 2


def leaves(*roots: Tensor) -> list[Tensor]:
    """The leaves that the roots were computed from."""
    met: list[Any] = [root.grad_fn for root in roots if isinstance(root, Tensor) and root.grad_fn is not None]
    for node in met:  # which grows while we go along it
        met += [following for following, _ in node.next_functions if following is not None and following not in met]
    return [node.variable for node in met if node.name() == "AccumulateGrad"]


def names_in(h: Tensor, **others: Tensor) -> dict[str, Tensor]:
    """What the chapter calls the tensors behind h, for a picture."""
    node: Any = h.grad_fn
    return {"w": node.next_functions[0][0].variable, "x": node._saved_other, "h": h, **others}


def is_grad_written(*tensors: Any) -> bool:
    return any(isinstance(one, Tensor) and one._grad is not None for one in tensors)

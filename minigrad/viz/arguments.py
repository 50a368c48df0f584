"""What `BackwardStepper` is given, checked before anything is drawn.

After this module a reader knows which roots can be stepped from and what is said of the others, and which boxes
`inputs=` stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.autograd import engine
from minigrad.viz import naming, torch_graphs
from minigrad.viz.boxes import Snapshot
from minigrad.viz.markup import clean, shorten
from minigrad.viz.walk import is_leaf


def check_root(root: Any) -> None:
    """Raise what `backward()` would for a root without a graph; TypeError for what is no tensor."""
    if not naming.is_tensor(root):
        raise TypeError(
            f"BackwardStepper() expected a Tensor as its root, but got {type(root).__name__}: "
            f"{shorten(clean(repr(root)), 60)}. "
            "Pass the result of a computation, such as loss = (x * x).sum(), not its value."
        )
    if root.grad_fn is not None:
        return
    if root.requires_grad:
        raise RuntimeError(
            "element 0 of tensors is a leaf and does not have a grad_fn. No operation made it, so there is nothing to "
            "step through: compute something from it, such as y = (x * x).sum(), and pass that."
        )
    if not isinstance(root, torch_graphs.Tensor):
        engine.steps(root)  # raises PyTorch's error for a tensor without a graph, and says why it has none
    raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")


def sought(graph: Snapshot, inputs: Any) -> dict[str, Any] | None:
    """Box id -> tensor of those `inputs` that are part of the graph; None if all leaves are wanted."""
    if inputs is None:
        return None
    given = listed(inputs)
    found = {}
    for box, node in zip(graph.boxes, graph.nodes, strict=True):
        for tensor in given:
            if node is not None and (node.variable is tensor if is_leaf(node) else tensor.grad_fn is node):
                found[box.id] = tensor
    return found


def listed(inputs: Any) -> Sequence[Any]:
    """`inputs` as a list: one tensor may stand alone."""
    return [inputs] if naming.is_tensor(inputs) else list(inputs)


def leaf_to_start_from(leaves: Sequence[str], of: str | None) -> str:
    """The name of the leaf from whose gradient a second stepper starts: the one that is named, or the only one."""
    if of is None and len(leaves) > 1:
        raise ValueError(
            f"there are several gradients: say which, as in second({leaves[0]!r}); there are: {', '.join(leaves)}"
        )
    name = leaves[0] if of is None else of
    if name not in leaves:
        raise ValueError(f"no leaf is named {name!r}; there are: {', '.join(leaves)}")
    return name

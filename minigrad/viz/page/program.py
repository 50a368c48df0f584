"""A small graph as a program that a page without a kernel can compute once more with other numbers.

Only graphs of elementwise operations, products of matrices and sums are such, of few and small tensors; the page's part
is static/whatif.mjs, which has the same operations under the same names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import op
from minigrad.tensor_base import TensorBase
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.observer import NOT_NOTED, Copy

MOST_BOXES, MOST_NUMBERS = 60, 64  # at most so many, and so many numbers in each
POINTWISE = {"neg", "exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "sqrt", "abs", "reciprocal", "pow_number"}
OF_TWO = {"add", "sub", "rsub", "mul", "div", "dot", "mv", "mm", "affine", "affine_without_bias"}
SUMS = {"sum_all", "sum_dims", "mean_all", "mean_dims"}
OF_SHAPES = {"permute", "transpose", "matrix_transpose", "view", "unsafe_view", "expand", "clone", "contiguous_copy"}
OPS = POINTWISE | OF_TWO | SUMS | OF_SHAPES


def program_of(graph: Snapshot, seed: Any, rooms: dict[str, int]) -> dict[str, Any] | None:
    """What the page needs to compute a graph and its backward pass; None for a graph that it cannot."""
    names = {function.__globals__["NodeType"]: function.__name__ for function in op.calls}
    if len(graph.boxes) > MOST_BOXES or any(math.prod(box.value.shape) > MOST_NUMBERS for box in graph.boxes):
        return None
    try:
        rows = [_row(graph, key, node, names) for key, node in graph.node_of.items()]
        return {"rows": rows, "root": graph.root, "seed": _tensor(seed), "rooms": rooms}
    except _OtherKindError:
        return None


class _OtherKindError(Exception):
    """There is something in the graph that only the kernel can compute."""


def _row(graph: Snapshot, key: str, node: Any, names: dict[Any, str]) -> dict[str, Any]:
    """A leaf with its numbers, or an operation with its inputs, by their boxes or their numbers, and its options."""
    leaf, making = graph.source.leaf(node), graph.source.making(node)
    if leaf is not None:
        return {"id": key, **_tensor(graph.source.array(leaf))}
    name = names.get(type(node))
    if name not in OPS or making is NOT_NOTED or graph.source.has_hooks(node):
        raise _OtherKindError
    edges = {edge.slot: edge for edge in graph.into[key] if edge.carries}
    inputs = []
    for slot in range(len(graph.source.edges(node))):
        noted = making.operands.get(slot)
        if slot in edges:
            inputs.append({"box": edges[slot].source, "edge": edges[slot].id})
        else:
            inputs.append(_tensor(making.numbers[slot]._array if slot in making.numbers else noted and noted.value()))
    given = {name: value for name, value in (making.given or {}).items() if not isinstance(value, TensorBase)}
    numbers = [_tensor(value._array) for value in (making.given or {}).values() if isinstance(value, TensorBase)]
    if any(isinstance(value, Copy) for value in given.values()):
        raise _OtherKindError
    options = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    return {"id": key, "op": name, "inputs": inputs + numbers, **options}


def _tensor(array: Any) -> dict[str, Any]:
    """An array as the page gets it, in as many digits as its type needs: 0.1 in float32 is 0.1 here, too. (The page
    computes in double precision: what is rounded to float16 on the way would differ in digits that are shown.)
    """
    array = np.asarray(array)
    if array.dtype.char not in "fdbhilq" or array.size > MOST_NUMBERS or not np.isfinite(array).all():
        raise _OtherKindError
    return {"numbers": [float(str(number)) for number in array.reshape(-1)], "shape": list(array.shape)}

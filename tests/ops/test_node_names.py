"""Nodes have PyTorch's names: that of each op's result, and those of its gradients, if they are recorded themselves.

So a learner who prints `grad_fn`, in minigrad or in PyTorch, reads the same. Where the two compute in another way, the
last node has another name: `RESULTS` and `GRADIENTS` say why, for the rows of the table that begin with a name.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from ops.op_rows import DIFFERENTIABLE
from ops.op_table import Case, Row

import minigrad

PRODUCTS = ["batch @ batch", "matrix @ batch", "vector @ batch", "vector @ matrix", "linear", "einsum"]
EINSUM_OF_A_LIST = "einsum of a list, with a size of 1"

RESULTS = {
    "other views and products on the way": [
        *(*PRODUCTS, EINSUM_OF_A_LIST, "meshgrid", "meshgrid of a list", "scaled_dot_product_attention"),
    ],
    "a view that is made in place has the name that it has elsewhere": [
        *("t_", "transpose_", "swapaxes_", "squeeze_", "unsqueeze_", "as_strided_"),
    ],
    "PyTorch's rules divide by numbers in a form of the op that no operator has": ["cross_entropy"],
    "one op here, several there, or the other way round": [
        *("cumprod", "cumprod_", "rms_norm", "rms_norm without weight", "var_mean", "std_mean[1]", "pad"),
        *("prod", "vdot", "batch_norm of nothing"),
    ],
}
GRADIENTS = {
    "PyTorch has a function for the whole gradient, with a node of its own; here several ops make it": [
        *("sigmoid", "sigmoid_", "tanh", "tanh_", "functional.elu", "functional.gelu", "functional.logsigmoid"),
        *("functional.softplus", "mse_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy", "conv1d"),
        *("conv2d", "conv1d unbatched", "conv2d unbatched", "conv_transpose2d", "conv_transpose2d unbatched"),
        *("avg_pool2d", "adaptive_avg_pool2d", "max_pool2d", "interpolate", "pad", "batch_norm in evaluation"),
        *("batch_norm in training", "layer_norm", "group_norm"),
    ],
    "PyTorch's rules multiply and divide by numbers in a form of these ops that no operator has": [
        *("add", "sub", "mean", "mean of 0d along -1", "binary_cross_entropy_with_logits", "std_mean[1]"),
        *("scaled_dot_product_attention", "x.index_add_"),
    ],
    "another formula of the same": [
        *("asin", "acos", "det", "prod", "pow", "x ** y", "max", "min", "x.min", "maximum", "minimum", "median"),
        *("cumsum", "cumprod", "repeat", "stack", "rms_norm", "rms_norm without weight", "batch_norm of nothing"),
        *("index_add", "index_copy", "index_fill", "x.index_copy_", "x.index_fill_"),
    ],
    "other views and products on the way": [*PRODUCTS, EINSUM_OF_A_LIST, "linalg.solve"],
    "what is written into a part comes from one node, where PyTorch has a write of its own, or a copy": [
        *("x[0] = y", "x.t", "x[:, 1] *= y", "as_strided", "x.as_strided"),
    ],
}


def name_of(row: Row) -> str:
    """`conv2d` of `conv2d(stride=2)` and `.conv2d()`."""
    return row.name.partition("(")[0].strip(". ")


def node_names(F: Any, case: Case) -> list[str | None]:
    """Those of the case's result, and of its gradients."""
    inputs = [F.tensor(array, requires_grad=True) for array in case.arrays()]
    out = case.row.function(F, *inputs)
    weights = np.random.default_rng(len(str(case))).uniform(0.5, 1.5, tuple(out.shape))
    outer = F.tensor(weights, requires_grad=True)
    gradients = F.autograd.grad(out, inputs, outer, create_graph=True, allow_unused=True)
    nodes = [None if tensor is None else tensor.grad_fn for tensor in (out, *gradients)]
    return [node and node.name().removeprefix("torch::autograd::") for node in nodes]


@functools.cache
def differences(torch: Any) -> dict[str, dict[str, set[Any]]]:
    """By the rows' names where the two differ: in the result's node, and in those of its gradients."""
    found: dict[str, dict[str, set[Any]]] = {"result": {}, "gradients": {}}
    for case in DIFFERENTIABLE:
        pairs = list(zip(node_names(minigrad, case), node_names(torch, case), strict=True))
        for part, own in (("result", pairs[:1]), ("gradients", pairs[1:])):
            if different := {pair for pair in own if pair[0] != pair[1]}:
                found[part].setdefault(name_of(case.row), set()).update(different)
    return found


@pytest.mark.parametrize(("part", "table"), [("result", RESULTS), ("gradients", GRADIENTS)])
def test_names_of_nodes_are_those_of_torch(part: str, table: dict[str, list[str]], torch: Any) -> None:
    listed = [name for names in table.values() for name in names]
    different = differences(torch)[part]
    unlisted = {name: pairs for name, pairs in different.items() if name not in listed}
    advice = "(here, in PyTorch): a node's name is name= of @op; what differs on purpose stands above, with its reason"
    assert unlisted == {}, advice
    assert sorted(different) == sorted(listed)

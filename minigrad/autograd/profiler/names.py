"""What an event is called, and of what kind it is: PyTorch's names, `aten::add`, wherever PyTorch has one.

An op that has the name of a public function is called after it. Others are parts of one (`sum_dims` of `sum`) and
listed below with the name that PyTorch's profiler gives to the same work; what has no counterpart there says
`minigrad::`. Functions that are made of several ops, that make tensors or that write in place are events of their own,
with the ops inside.

A profiler watches what the program has loaded: it finds these functions by their modules' names, and imports none.
"""

from __future__ import annotations

import re
import sys
from types import FunctionType
from typing import Any

from minigrad import op
from minigrad.tensor import Tensor

FUNCTION = 0  # kinds of events, by PyTorch's numbers: an op, or a function that is made of ops,
BACKWARD = 1  # the rules of a node,
USER = 7  # and what the learner named with record_function, and an optimizer's step

WRITING = "minigrad::write_op"  # the event of an op's text being written, at its first call

# Ops that are not public themselves, each before PyTorch's name for the same work where that is another one.
_PARTS = """
    add_rows:embedding_dense_backward advanced_index:index affine:addmm affine_without_bias:mm basic_index:slice
    batched_matmul:bmm bitwise_and bitwise_not bitwise_or bitwise_xor cast:_to_copy constant_pad:constant_pad_nd
    contiguous_copy:clone convolution copied:copy diag_embed diagonal_backward diagonal_copy filled_by_tensor:fill
    index_put mv
    log_softmax:_log_softmax log_softmax_gradient:_log_softmax_backward_data logsigmoid:log_sigmoid
    matrix_transpose:t nll:nll_loss_forward nll_gradient:nll_loss_backward
    normalize_batch:native_batch_norm normalize_by_constants:native_batch_norm normalize_group:native_group_norm
    normalize_layer:native_layer_norm normalize_rms:_fused_rms_norm overwritten:fill rsub safe_softmax:_safe_softmax
    softmax:_softmax softmax_gradient:_softmax_backward_data split:split_with_sizes strided:as_strided sum_to:sum
    unsafe_view:_unsafe_view vector_norm:linalg_vector_norm where_positive:threshold_backward
"""
PARTS = {own: theirs or own for own, _, theirs in (entry.partition(":") for entry in _PARTS.split())}

# Public functions that are no ops themselves; `:` stands before PyTorch's name where that is another one.
FUNCTIONS = """
    arange empty empty_like eye full full_like linspace ones ones_like zeros zeros_like
    bernoulli normal rand rand_like randint randn randn_like randperm
    argsort chunk clamp conv1d conv2d cross_entropy:cross_entropy_loss dropout flatten
    batch_norm group_norm layer_norm rms_norm linear log_softmax softmax matmul nll_loss outer
    adaptive_avg_pool2d avg_pool1d avg_pool2d max_pool1d max_pool2d
    conv_transpose2d scaled_dot_product_attention max median min sort topk
"""
METHODS = ("detach", "item", "contiguous")
NOT_OPS = ("requires_grad_", "share_memory_")  # methods with a trailing underscore that compute nothing


# What stands behind a public name in that of one of its forms: `sum_dims`, `pow_of_number`.
FORM = re.compile(r"(_to|_by|_of)?_(all|dims?|one|numbers?|tensors?|scaled)$")


def event_name(name: str) -> str:
    """The event of an op, or of a kernel in a backward."""
    if name in PARTS:
        return f"aten::{PARTS[name]}"
    name = FORM.sub("", name)
    public = hasattr(Tensor, name) or any(name in vars(module) for module in _public_modules())
    return f"aten::{name}" if public or name.startswith("linalg_") else f"minigrad::{name}"


def functions() -> list[tuple[str, FunctionType]]:
    """Functions that are no ops, each with the name of its events."""
    found: list[tuple[str, Any]] = []
    for entry in FUNCTIONS.split():
        name, _, shown = entry.partition(":")
        found += [(shown or name, getattr(module, name, None)) for module in _public_modules()]  # two of some names
    found += [(name, getattr(Tensor, name, None)) for name in METHODS]
    writing = [name for name in vars(Tensor) if name.endswith("_") and name[0] != "_" and name not in NOT_OPS]
    found += [(name, vars(Tensor)[name]) for name in writing]
    names = {inner: f"aten::{name}" for name, outer in found if (inner := _innermost(outer)) is not None}
    return [(name, inner) for inner, name in names.items()]


def _public_modules() -> list[Any]:
    return loaded_modules("minigrad", "minigrad.nn.functional")


def loaded_modules(*names: str) -> list[Any]:
    """Those modules that the program has imported."""
    return [sys.modules[name] for name in names if name in sys.modules]


def _innermost(function: Any) -> FunctionType | None:
    """What the public function around it calls; None if that is an op or no function."""
    while isinstance(getattr(function, "__wrapped__", None), FunctionType):
        function = function.__wrapped__
    is_op = function in op.calls or hasattr(getattr(function, "__wrapped__", None), "declared")  # or will be, if called
    return function if isinstance(function, FunctionType) and not is_op else None

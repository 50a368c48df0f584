"""What softmax, losses, embeddings, attention and dropout do with awkward numbers, arguments and seeds, as in torch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()
drawn = Behaviours()  # those that draw: on Intel's processors PyTorch takes the numbers for it from another stream
INF, NAN = math.inf, math.nan

# name, the expression on F (torch or minigrad), f (its nn.functional), r (floats of a shape), i (int64 of the values)
# and x (floats of the values); values, dtype and requires_grad are compared
RESULTS = """
f.softmax(x(-INF, -INF), 0)
f.softmax(x(INF, 1), 0)
f.softmax(x(NAN, 1), 0)
f.softmax(x(1000, -1000, 999), 0)
f.softmax(i(1, 2), 0, dtype=F.float64)
f.log_softmax(x(1000, -1000, 999), 0)
f.log_softmax(x(-INF, 0), 0)
f.softmax(r(2, 2).double(), dim=-1, dtype=F.float32)
r(2, 2).softmax(dim=0, dtype=F.float64)
F.logsumexp(i(1, 2), 0)
F.logsumexp(x(-INF, -INF), 0)
F.logsumexp(x(INF, 1), 0)
F.logsumexp(x(1000, 1000), 0)
r(2, 3).logsumexp((0, 1), keepdim=True)
f.mse_loss(r(2), i(1, 2))
f.mse_loss(i(1, 2), r(2).double())
f.mse_loss(r(2), r(2).double())
f.mse_loss(r(0), r(0))
f.mse_loss(r(0), r(0), reduction='sum')
f.l1_loss(i(1, 2), i(1, 3), reduction='sum')
f.smooth_l1_loss(r(2) * 3, r(2), beta=0)
f.smooth_l1_loss(r(2), r(2).double())
f.huber_loss(r(2), r(2).double())
f.nll_loss(r(2, 3), i(0, -100))
f.nll_loss(r(2, 3), i(-100, -100))
f.nll_loss(r(2, 3), i(-100, -100), reduction='sum')
f.nll_loss(r(2, 3), i(2, 1), ignore_index=1, reduction='none')
f.nll_loss(r(2, 3), i(0, -100), weight=r(3))
f.nll_loss(r(3), i(1))
f.nll_loss(r(3), F.tensor(1), reduction='none')
f.nll_loss(r(0, 3), i())
f.nll_loss(r(0, 3), i(), reduction='sum')
f.nll_loss(r(2, 3, 4, 2, 2), F.zeros(2, 4, 2, 2).long(), reduction='none')
f.nll_loss(x(-INF, 0), F.tensor(1))
f.cross_entropy(r(2, 3), i(-100, -100))
f.cross_entropy(r(2, 3), i(-100, -100), label_smoothing=0.1)
f.cross_entropy(r(2, 3), i(-100, 1), label_smoothing=0.1, reduction='none')
f.cross_entropy(r(2, 3), i(-100, 1), label_smoothing=0.1, weight=r(3))
f.cross_entropy(r(2, 3, 4), F.zeros(2, 4).long(), label_smoothing=0.1, weight=r(3), reduction='none')
f.cross_entropy(r(2, 3, 4), F.zeros(2, 4).long(), label_smoothing=0.1, reduction='sum')
f.cross_entropy(r(2, 3), i(0, 1), label_smoothing=-0.1)
f.cross_entropy(r(2, 3), r(2, 3), label_smoothing=0.1, weight=r(3))
f.cross_entropy(r(2, 3, 4), r(2, 3, 4), reduction='none')
f.cross_entropy(r(3), r(3))
f.cross_entropy(r(0, 3), i())
f.cross_entropy(r(2, 3), r(2, 3).double())
f.cross_entropy(x(1000, -1000), F.tensor(1))
f.binary_cross_entropy(x(0, 1), x(1, 0), reduction='none')
f.binary_cross_entropy(x(0, 1), x(0, 1), reduction='none')
f.binary_cross_entropy(r(0), r(0))
f.binary_cross_entropy_with_logits(x(1000, -1000), x(1, 1), reduction='none')
f.binary_cross_entropy_with_logits(r(2), r(2).double())
f.binary_cross_entropy_with_logits(r(2, 3), r(2, 3), pos_weight=r(2, 1))
f.embedding(i(0, 1).int(), r(3, 2))
f.embedding(F.tensor(1), r(3, 2))
f.embedding(i(), r(3, 2))
f.embedding(i(0, 1), r(3, 2).long())
f.one_hot(i(0, 2))
f.one_hot(F.tensor(2))
f.one_hot(i(), 3)
f.scaled_dot_product_attention(r(2, 3), r(4, 3), r(4, 5))
f.scaled_dot_product_attention(r(2, 3), r(4, 3), r(4, 3), is_causal=True)
f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), scale=0.0)
f.scaled_dot_product_attention(r(2, 1, 2, 3), r(1, 4, 2, 3), r(1, 4, 2, 3))
f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), F.tensor([[True, False], [False, False]]))
f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), x([0, -INF], [1, 2]))
f.dropout(i(1, 2), 0.5, False)
f.dropout(i(1, 2), 0.0)
f.dropout(r(2), 1.0)
f.dropout(x(INF, NAN), 1.0)
seeded(lambda: f.dropout(r(40), 0.3))
seeded(lambda: f.dropout(r(40).double(), 0.3))
seeded(lambda: f.dropout(x(INF, 1, 2, 3, 4), 0.5))
seeded(lambda: f.dropout(F.zeros(20) + 1, 0.3, inplace=True))
""".strip().splitlines()

# the expression, the error's type and how its message begins
ERRORS = [
    ("f.softmax(i(1, 2), 0)", NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    ("f.log_softmax(i([1, 2]), 0)", NotImplementedError, "\"log_softmax_kernel_impl\" not implemented for 'Long'"),
    ("F.softmax(r(2), 3)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 3)"),
    ("F.softmax([1.0], 0)", TypeError, "softmax(): argument 'input' (position 1) must be Tensor, not list"),
    ("F.logsumexp(r(2, 2), (0, 0))", RuntimeError, "dim 0 appears multiple times in the list of dims"),
    (
        "f.cross_entropy(r(2, 3), [0, 1])",
        TypeError,
        "cross_entropy_loss(): argument 'target' (position 2) must be Tensor",
    ),
    ("f.nll_loss(r(2, 3), 1)", TypeError, "nll_loss_nd(): argument 'target' (position 2) must be Tensor, not int"),
    ("f.mse_loss(r(2), r(2), reduction='bad')", ValueError, "bad is not a valid value for reduction"),
    ("f.mse_loss(i(1), i(1))", NotImplementedError, "\"mse_cpu\" not implemented for 'Long'"),
    ("f.l1_loss(i(1), i(1))", RuntimeError, "mean(): could not infer output dtype"),
    (
        "f.smooth_l1_loss(r(2), r(2), beta=-1.0)",
        RuntimeError,
        "smooth_l1_loss does not support negative values for beta",
    ),
    ("f.huber_loss(r(2), r(2), delta=0)", RuntimeError, "huber_loss does not support non-positive values for delta."),
    ("f.nll_loss(r(2, 3), i(0, 3))", IndexError, "Target 3 is out of bounds."),
    ("f.nll_loss(r(2, 3), i(0, -1))", IndexError, "Target -1 is out of bounds."),
    ("f.nll_loss(r(2, 3), r(2))", RuntimeError, "expected target dtype to be Long or Byte, but got Float"),
    ("f.nll_loss(r(2, 3), i(0, 1).int())", RuntimeError, "expected target dtype to be Long or Byte, but got Int"),
    ("f.nll_loss(r(2, 3), i(0, 1, 1))", ValueError, "Expected input batch_size (2) to match target batch_size (3)."),
    ("f.nll_loss(r(2, 3), i([0, 1], [0, 1]))", RuntimeError, "0D or 1D target tensor expected, multi-target not"),
    ("f.nll_loss(F.tensor(1.0), F.tensor(1))", ValueError, "Expected 1 or more dimensions (got 0)"),
    ("f.nll_loss(r(2, 3), i(0, 1), r(2))", RuntimeError, "weight tensor should be defined either for all 3 classes"),
    ("f.nll_loss(r(2, 3), i(0, 1), r(3).double())", RuntimeError, "expected scalar type Float but found Double"),
    ("f.nll_loss(r(2, 3).long(), i(0, 1))", NotImplementedError, "\"nll_loss_out_frame\" not implemented for 'Long'"),
    ("f.nll_loss(r(2, 3, 4), i([0], [1]))", RuntimeError, "Expected target size [2, 4], got [2, 1]"),
    ("f.nll_loss(r(2, 3, 4, 5), i([0], [1]))", RuntimeError, "only batches of spatial targets supported (3D tensors)"),
    ("f.nll_loss(r(1, 3, 4, 5), i([[0]]))", RuntimeError, "size mismatch (got input: [1, 3, 4, 5] , target: [1, 1, 1]"),
    ("f.cross_entropy(r(2, 3), i(0, 3))", IndexError, "Target 3 is out of bounds."),
    ("f.cross_entropy(r(2, 3), r(2))", RuntimeError, "expected target dtype to be Long or Byte, but got Float"),
    ("f.cross_entropy(r(2, 3), r(2, 2))", RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
    (
        "f.cross_entropy(r(2, 3), r(2, 3).long())",
        RuntimeError,
        "Expected floating point type for target with class probabilities, got Long",
    ),
    (
        "f.cross_entropy(r(2, 3), i(0, 1), label_smoothing=2.0)",
        RuntimeError,
        "label_smoothing must be between 0.0 and 1.0. Got: 2",
    ),
    (
        "f.cross_entropy(r(2, 3), r(2, 3), ignore_index=1)",
        RuntimeError,
        "ignore_index is not supported for floating point target",
    ),
    (
        "f.cross_entropy(r(2, 3), r(2, 3), weight=r(2))",
        RuntimeError,
        "cross_entropy: weight tensor should be defined either for all 3 classes or no classes",
    ),
    ("f.cross_entropy(r(2, 3), i(0, 1), reduction='x')", ValueError, "x is not a valid value for reduction"),
    (
        "f.cross_entropy(r(2, 3).long(), i(0, 1))",
        NotImplementedError,
        "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'",
    ),
    ("f.binary_cross_entropy(r(2) + 2, r(2))", RuntimeError, "all elements of input should be between 0 and 1"),
    ("f.binary_cross_entropy(r(2), x(2, -1))", RuntimeError, "all elements of target should be between 0 and 1"),
    ("f.binary_cross_entropy(x(NAN), x(1))", RuntimeError, "all elements of input should be between 0 and 1"),
    (
        "f.binary_cross_entropy_with_logits(r(2), r(2), pos_weight=r(1, 2))",
        RuntimeError,
        "output with shape [2] doesn't match the broadcast shape [1, 2]",
    ),
    ("f.binary_cross_entropy(r(2), i(0, 1))", RuntimeError, "Found dtype Long but expected Float"),
    ("f.binary_cross_entropy(i(0, 1), i(0, 1))", NotImplementedError, '"binary_cross_entropy" not implemented for'),
    ("f.binary_cross_entropy(r(2), r(2).double())", RuntimeError, "Found dtype Double but expected Float"),
    (
        "f.binary_cross_entropy_with_logits(r(2), r(3))",
        ValueError,
        "Target size (torch.Size([3])) must be the same as input size (torch.Size([2]))",
    ),
    (
        "f.binary_cross_entropy_with_logits(r(2), i(0, 1))",
        RuntimeError,
        "result type Float can't be cast to the desired output type Long",
    ),
    (
        "f.binary_cross_entropy_with_logits(r(2, 3), r(2, 3), pos_weight=r(2))",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1",
    ),
    ("f.embedding(i(0, 5), r(3, 2))", IndexError, "index out of range in self"),
    ("f.embedding(i(0, -1), r(3, 2))", IndexError, "index out of range in self"),
    ("f.embedding(r(2), r(3, 2))", RuntimeError, "Expected tensor for argument #1 'indices' to have one of the"),
    ("f.embedding(i(0, 1), r(3))", RuntimeError, "'weight' must be 2-D"),
    ("f.embedding(i(0, 1), r(3, 2), padding_idx=3)", AssertionError, "Padding_idx must be within num_embeddings"),
    (
        "f.embedding([0, 1], r(3, 2))",
        TypeError,
        "embedding(): argument 'indices' (position 2) must be Tensor, not list",
    ),
    ("f.embedding(i(0, 1), [1.0])", TypeError, "embedding(): argument 'weight' (position 1) must be Tensor, not list"),
    ("f.one_hot(i(0, 2), 2)", RuntimeError, "Class values must be smaller than num_classes."),
    ("f.one_hot(i(0, -1))", RuntimeError, "Class values must be non-negative."),
    ("f.one_hot(r(2))", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
    ("f.one_hot(i(0, 2).byte())", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
    ("f.one_hot(i())", RuntimeError, "Can not infer total number of classes from empty tensor."),
    (
        "f.scaled_dot_product_attention(r(3), r(3), r(3))",
        RuntimeError,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), r(2, 2), is_causal=True)",
        RuntimeError,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3), r(2, 3).double(), r(2, 3))",
        RuntimeError,
        "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: double",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3).half(), i(1, 2).int(), r(2, 3))",
        RuntimeError,
        "Expected query, key, and value to have the same dtype, but got query.dtype: c10::Half key.dtype: int and",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), F.zeros(2, 2).long())",
        RuntimeError,
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: long int and",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3), r(2, 4), r(2, 3))",
        RuntimeError,
        "mat1 and mat2 shapes cannot be multip",
    ),
    (
        "f.scaled_dot_product_attention(r(2, 3), r(2, 3), r(2, 3), dropout_p=2.0)",
        RuntimeError,
        "dropout probability has to be between 0 and 1, but got 2",
    ),
    ("f.dropout(r(2), -0.1)", ValueError, "dropout probability has to be between 0 and 1, but got -0.1"),
    ("f.dropout(i(1, 2), 0.5)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("f.dropout([1.0], 0.5)", TypeError, "dropout(): argument 'input' (position 1) must be Tensor, not list"),
]

# the expression, and how each of its warnings begins
WARNINGS = [
    ("f.mse_loss(r(2, 3), r(3))", "Using a target size (torch.Size([3])) that is different to the input size"),
    ("f.l1_loss(r(2, 3), r(3))", "Using a target size (torch.Size([3])) that is different to the input size"),
    ("f.smooth_l1_loss(r(2, 3), r(3))", "Using a target size (torch.Size([3])) that is different to the input size"),
    ("f.huber_loss(r(2, 3), r(3))", "Using a target size (torch.Size([3])) that is different to the input size"),
]


def evaluate(F: Any, text: str) -> Any:
    def floats(*shape: int) -> Any:
        count = int(np.prod(shape))
        return F.tensor(np.cos(np.arange(count) * 2.0).reshape(shape) * 0.4 + 0.5, dtype=F.float32)

    def seeded(call: Any) -> Any:
        F.manual_seed(7)
        return call()

    names = {
        "F": F,
        "f": F.nn.functional,
        "r": floats,
        "i": lambda *values: F.tensor(list(values), dtype=F.int64),
        "x": lambda *values: F.tensor(list(values), dtype=F.float32),
        "seeded": seeded,
        "INF": INF,
        "NAN": NAN,
    }
    return eval(text, names)


for _text in RESULTS:
    (drawn if "seeded" in _text else behaviours)(_text)(lambda F, text=_text: evaluate(F, text))
for _text, _error, _says in ERRORS:
    behaviours(_text, error=_error, says=_says)(lambda F, text=_text: evaluate(F, text))
for _text, _says in WARNINGS:
    behaviours(_text, warns=(f"UserWarning: {_says}",))(lambda F, text=_text: evaluate(F, text))


def gradient(F: Any, function: Any, *inputs: Any) -> list[Any]:
    leaves = [F.tensor(values, requires_grad=True) for values in inputs]
    out = function(*leaves)
    weights = F.tensor(np.arange(1.0, out.numel() + 1).reshape(tuple(out.shape)), dtype=out.dtype)
    return list(F.autograd.grad(out, leaves, weights, materialize_grads=True))


def gradient_of_rows(F: Any, g: Any) -> Any:
    """What a table gets, as a function of what its rows get."""
    weight = F.tensor(TABLE, requires_grad=True)
    rows = F.nn.functional.embedding(F.tensor([0, 1, 1]), weight, 0)
    return F.autograd.grad(rows, weight, g, create_graph=True)[0]


TABLE = [[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]]
SCORES = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]]
GRADIENTS = {
    "embedding: padding_idx": lambda F, f: gradient(F, lambda w: f.embedding(F.tensor([0, 1, 1]), w, -2), TABLE),
    "embedding: padding_idx, of its gradient": lambda F, f: gradient(F, lambda g: gradient_of_rows(F, g), TABLE),
    "nll_loss: ignored": lambda F, f: gradient(
        F, lambda x: f.nll_loss(x, F.tensor([-100, 1]), F.tensor([1.0, 2.0, 3.0])), SCORES
    ),
    "nll_loss: ignored, none": lambda F, f: gradient(
        F, lambda x: f.nll_loss(x, F.tensor([-100, 1]), reduction="none"), SCORES
    ),
    "cross_entropy: all ignored, sum": lambda F, f: gradient(
        F, lambda x: f.cross_entropy(x, F.tensor([-100, -100]), reduction="sum"), SCORES
    ),
    "binary_cross_entropy at 0 and 1": lambda F, f: gradient(
        F, lambda x: f.binary_cross_entropy(x, F.tensor([0.0, 1.0, 0.0]), reduction="none"), [0.0, 1.0, 0.5]
    ),
    "attention: a query that sees nothing": lambda F, f: gradient(
        F,
        lambda q, k, v: f.scaled_dot_product_attention(q, k, v, F.tensor([[True, True], [False, False]])),
        TABLE[:2],
        TABLE[1:],
        TABLE[:2],
    ),
    "logsumexp of -inf and a number": lambda F, f: gradient(F, lambda x: F.logsumexp(x, 0), [-INF, 1.0]),
}
for _title, _function in GRADIENTS.items():
    behaviours(f"gradient of {_title}")(lambda F, function=_function: function(F, F.nn.functional))


for _name in ("softmax", "log_softmax", "softmin"):
    _class = {"softmax": "Softmax", "log_softmax": "LogSoftmax", "softmin": "Softmin"}[_name]
    for _shape in ("", "3", "2, 3", "2, 3, 4", "2, 1, 3, 2"):
        _input = f"r({_shape})" if _shape else "F.tensor(0.5)"
        for _call in (f"f.{_name}({_input})", f"f.{_name}({_input}, dim=None)", f"F.nn.{_class}()({_input})"):
            behaviours(
                f"a dimension is chosen, with a warning: {_call}",
                warns=(f"UserWarning: Implicit dimension choice for {_name} has been deprecated. Change the call to",),
            )(lambda F, call=_call: evaluate(F, call))
    behaviours(f"a dimension that is given: {_name}")(
        lambda F, name=_name, kind=_class: [
            evaluate(F, f"f.{name}(r(2, 3), 0)"),
            evaluate(F, f"f.{name}(i(1, 2), dim=0, dtype=F.float64)"),
            evaluate(F, f"F.nn.{kind}(-1)(r(2, 3))"),
            evaluate(F, f"f.{name}(r(2, 3), 1, 3, F.float64)"),
        ]
    )
for _name in ("softmax", "log_softmax"):
    for _call in (f"F.{_name}(r(2), None)", f"r(2).{_name}(None)"):
        behaviours(f"refused: {_call}", error=TypeError, says=f"{_name}(): argument 'dim' (position ")(
            lambda F, call=_call: evaluate(F, call)
        )


SURE = "F.tensor([[0.0, 200.0], [200.0, 0.0]])"
PERFECT = [
    f"f.cross_entropy({SURE}, i(1, 0)%s)",
    f"f.cross_entropy({SURE}, i(-100, -100), ignore_index=-100%s)",
    f"f.cross_entropy({SURE}, i(1, 0), x(0.0, 2.0)%s)",
    f"f.cross_entropy({SURE}, {SURE} / 200%s)",
    "f.cross_entropy(x(0.0, 200.0), F.tensor(1)%s)",
    "f.nll_loss(r(0, 3), F.zeros(0, dtype=F.int64)%s)",
    "f.nll_loss(F.zeros(2, 3), i(0, 1)%s)",
    "f.nll_loss(F.zeros(3), F.tensor(1)%s)",
    "f.nll_loss(F.zeros(1, 3, 2), i(0, 1).view(1, 2)%s)",
    "f.nll_loss(F.zeros(1, 3, 2, 1), i(0, 1).view(1, 2, 1)%s)",
    "f.mse_loss(r(3), r(3)%s)",
    "f.l1_loss(r(3), r(3)%s)",
    "f.huber_loss(r(3), r(3)%s)",
    "f.binary_cross_entropy_with_logits(x(200.0, -200.0), x(1.0, 0.0)%s)",
]
for _text in PERFECT:
    for _reduction in ("mean", "sum", "none"):
        _call = _text % f", reduction={_reduction!r}"
        behaviours(f"as printed, with the sign of its zeros: {_call}")(
            lambda F, call=_call: str(evaluate(F, call).tolist())
        )


@behaviours("embedding: the row of one number is a copy, too")
def _(F: Any) -> Any:
    weight = F.tensor(TABLE)
    F.nn.functional.embedding(F.tensor(1), weight).zero_()
    return weight


@behaviours("dropout: gives the input itself in evaluation")
def _(F: Any) -> Any:
    x = F.ones(3)
    return [F.nn.functional.dropout(x, p, training) is x for p, training in ((0.5, False), (0.0, True))]


@drawn("dropout: inplace writes to the input and gives it")
def _(F: Any) -> Any:
    F.manual_seed(1)
    x = F.ones(4, requires_grad=True) * 2
    out = F.nn.functional.dropout(x, 0.5, inplace=True)
    return out is x, x, x._version, x.grad_fn


@drawn("dropout: the mask is filled in the order of the input's memory")
def _(F: Any) -> Any:
    F.manual_seed(1)
    results = [
        F.nn.functional.dropout(F.ones(3, 5).t(), 0.5),
        F.nn.functional.dropout(F.ones(2, 3, 4).permute(2, 0, 1)),
    ]
    x = F.ones(3, 5)
    F.nn.functional.dropout(x.t(), 0.5, inplace=True)
    results += [F.nn.functional.dropout(y) for y in (F.ones(4, 6)[:, ::2], F.ones(1, 5).expand(4, 5))]
    return [*results, x, F.rand(2)]


@drawn("dropout: in a transformer, whose attention gives a tensor that is transposed in memory")
def _(F: Any) -> Any:
    F.manual_seed(2)
    layer = F.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True)
    x = F.ones(2, 3, 8, requires_grad=True)
    out = layer(x)
    return out, *F.autograd.grad(out[..., 0].sum(), x), F.rand(2)


@behaviours("binary_cross_entropy_with_logits: the gradient of the target where the logit is infinite")
def _(F: Any) -> Any:
    logits, target = F.tensor([math.inf, -math.inf, 2.0]), F.tensor([0.2, 0.7, 1.0], requires_grad=True)
    F.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="sum").backward()
    return target.grad


test_as_in_torch = behaviours.test()


@pytest.mark.parametrize("behaviour", list(drawn), ids=str)
def test_masks_are_those_of_torch(behaviour: Any, torch: Any) -> None:
    torch.manual_seed(0)
    torch.empty(700).bernoulli_(0.5)
    after, _ = torch.get_rng_state(), torch.manual_seed(0)
    torch.rand(1)
    if torch.equal(after, torch.get_rng_state()):
        pytest.skip("PyTorch draws its masks from Intel's stream here, of which it used one number as a seed")
    behaviour.check(torch)


@pytest.mark.parametrize("rows", [3, 40, 400])
def test_rows_of_an_embedding_get_the_sum_of_all_their_gradients(rows: int) -> None:
    """However few or many indices there are: each way of adding up gives the same."""
    random = np.random.default_rng(0)
    indices, g = random.integers(0, rows, 2000), random.standard_normal((2000, 3))
    expected = np.zeros((rows, 3))
    np.add.at(expected, indices, g)
    weight = minigrad.zeros(rows, 3, dtype=minigrad.float64, requires_grad=True)
    minigrad.nn.functional.embedding(minigrad.tensor(indices), weight).backward(minigrad.tensor(g))
    np.testing.assert_allclose(weight.grad.numpy(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("far", [0.0, 5.0, 30.0, 200.0])
def test_softmax_of_rows_far_apart_is_exact(far: float) -> None:
    """Whether or not rows can share the number that is taken off."""
    scores = (np.random.default_rng(0).standard_normal((6, 8)) + np.arange(6)[:, None] * -far).astype("float32")
    powers = np.exp(scores.astype("float64") - scores.max(1, keepdims=True))
    result = minigrad.softmax(minigrad.tensor(scores), 1).numpy()
    np.testing.assert_allclose(result, powers / powers.sum(1, keepdims=True), rtol=3e-6)

"""How weights begin, as in torch: the same seed gives the same weights.

Each function of `nn.init` draws the numbers that torch's draws, and every layer begins as torch's does, number by
number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours, ours

import minigrad

behaviours = Behaviours()

FILLED: list[tuple[str, Callable[[Any, Any], Any], tuple[int, ...]]] = [
    ("uniform_", lambda init, x: init.uniform_(x), (4, 5)),
    ("uniform_ between", lambda init, x: init.uniform_(x, -3, 7), (40,)),
    ("normal_", lambda init, x: init.normal_(x), (3, 7)),
    ("normal_ of a mean", lambda init, x: init.normal_(x, 3.0, 0.1), (5, 6)),
    ("constant_", lambda init, x: init.constant_(x, 0.3), (2, 3)),
    ("ones_", lambda init, x: init.ones_(x), (2, 3)),
    ("zeros_", lambda init, x: init.zeros_(x), (2, 3)),
    ("xavier_uniform_", lambda init, x: init.xavier_uniform_(x), (4, 6)),
    ("xavier_uniform_ of a kernel", lambda init, x: init.xavier_uniform_(x, gain=2.0), (3, 2, 3, 3)),
    ("xavier_normal_", lambda init, x: init.xavier_normal_(x, gain=0.5), (4, 6)),
    ("kaiming_uniform_", lambda init, x: init.kaiming_uniform_(x), (4, 6)),
    ("kaiming_uniform_ fan_out", lambda init, x: init.kaiming_uniform_(x, a=0.2, mode="fan_out"), (3, 2, 3, 3)),
    ("kaiming_normal_", lambda init, x: init.kaiming_normal_(x, nonlinearity="relu"), (4, 6)),
    ("kaiming_normal_ fan_out", lambda init, x: init.kaiming_normal_(x, mode="FAN_OUT", nonlinearity="tanh"), (4, 6)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "fill", "shape"), FILLED, ids=[name for name, *_ in FILLED])
def test_filled_as_in_torch(name: str, fill: Any, shape: tuple[int, ...], dtype: str, torch: Any) -> None:
    results = []
    for F in (minigrad, torch):
        x = F.zeros(*shape, dtype=getattr(F, dtype), requires_grad=True)
        F.manual_seed(11)
        filled = fill(F.nn.init, x)
        assert filled is x
        assert x.grad_fn is None
        assert x.requires_grad
        results.append(x.detach().numpy())
    np.testing.assert_allclose(*results, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-6, strict=True)


LAYERS = [
    "Linear(5, 3)", "Linear(5, 3, bias=False)", "Conv1d(2, 3, 4)", "Conv2d(4, 6, 3, groups=2)",
    "ConvTranspose2d(4, 2, 3)", "Embedding(5, 3)",
    "Embedding(5, 3, padding_idx=2)", "RNN(3, 4, 2)", "LSTM(3, 4, bidirectional=True)",
    "GRU(3, 4, bias=False)", "RNNCell(3, 4)", "LSTMCell(3, 4)", "GRUCell(3, 4)",
    "MultiheadAttention(6, 2)",
    "TransformerEncoderLayer(6, 2, 8)",
    "BatchNorm2d(3)", "LayerNorm(4)",
    "Sequential(nn.Linear(7, 20), nn.ReLU(), nn.Linear(20, 3))",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("text", LAYERS)
def test_layer_begins_as_in_torch(text: str, torch: Any) -> None:
    """The same seed gives the same weights; and what is drawn afterwards is the same, too."""
    states, after = [], []
    for F in (minigrad, torch):
        F.manual_seed(3)
        layer = eval(f"nn.{text}", {"nn": F.nn})
        states.append({name: value.numpy() for name, value in layer.state_dict().items()})
        after.append(F.rand(3).numpy())
    assert list(states[0]) == list(states[1])
    for name, theirs in states[1].items():
        np.testing.assert_allclose(states[0][name], theirs, rtol=1e-5, atol=1e-7, err_msg=name, strict=True)
    np.testing.assert_array_equal(*after)


@pytest.mark.parametrize("text", ["Linear(5, 3)", "Conv2d(2, 3, 3)", "LSTM(3, 4)"])
def test_reset_parameters_draws_anew(text: str, torch: Any) -> None:
    results = []
    for F in (minigrad, torch):
        layer = eval(f"nn.{text}", {"nn": F.nn})
        F.manual_seed(4)
        layer.reset_parameters()
        results.append([p.detach().numpy() for p in layer.parameters()])
    for mine, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


def test_dtype_of_a_layer(torch: Any) -> None:
    for F in (minigrad, torch):
        F.manual_seed(3)
    layers = [F.nn.Conv2d(2, 3, 3, dtype=F.float64) for F in (minigrad, torch)]
    np.testing.assert_allclose(layers[0].weight.detach().numpy(), layers[1].weight.detach().numpy(), rtol=1e-12)
    assert ours(str(layers[1].bias.dtype)) == str(layers[0].bias.dtype)


@behaviours("A01: gains")
def _(F: Any) -> Any:
    gain = F.nn.init.calculate_gain
    plain = [float(gain(name)) for name in ("linear", "conv2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "selu")]
    return [*plain, gain("leaky_relu"), gain("leaky_relu", 0.3), gain("leaky_relu", 1)]


behaviours.table(
    ("A02: an unknown nonlinearity", lambda F: F.nn.init.calculate_gain("swish"),
     ValueError, "Unsupported nonlinearity swish"),
    ("A03: a slope that is no number", lambda F: F.nn.init.calculate_gain("leaky_relu", True),
     ValueError, "negative_slope True not a valid number"),
)  # fmt: skip


@behaviours("A04: fans")
def _(F: Any) -> Any:
    fans = F.nn.init._calculate_fan_in_and_fan_out
    return [list(fans(F.ones(*size))) for size in ((2, 3), (4, 3, 5), (2, 3, 5, 7))]


behaviours.table(
    ("A05: no fan of a vector", lambda F: F.nn.init.xavier_uniform_(F.ones(3)),
     ValueError, "Fan in and fan out can not be computed for tensor with fewer"),
    ("A06: an unknown mode", lambda F: F.nn.init.kaiming_normal_(F.ones(3, 3), mode="fan"),
     ValueError, "Mode fan not supported, please use one of ['fan_in', 'fan_out']"),
)  # fmt: skip


@behaviours("A07: nothing to fill", warns=("UserWarning: Initializing zero-element tensors is a no-op",) * 2)
def _(F: Any) -> Any:
    return F.nn.init.kaiming_normal_(F.ones(0, 3)), F.nn.init.kaiming_uniform_(F.ones(3, 0))


@behaviours("A14: a generator of one's own")
def _(F: Any) -> Any:
    first = F.nn.init.normal_(F.zeros(3), generator=F.Generator().manual_seed(2))
    return first, F.nn.init.xavier_uniform_(F.zeros(2, 2), generator=F.Generator().manual_seed(2))


@behaviours("A15: a leaf that requires grad may be filled, and that counts as a write")
def _(F: Any) -> Any:
    x = F.zeros(2, requires_grad=True)
    F.nn.init.ones_(x)
    return x, x._version


@behaviours("B01: clip_grad_norm_")
def _(F: Any) -> Any:
    p, q = F.zeros(3, requires_grad=True), F.zeros(2, requires_grad=True)
    p.grad, q.grad = F.tensor([3.0, 0.0, 4.0]), F.tensor([0.0, 12.0])
    clip = F.nn.utils.clip_grad_norm_
    return [
        clip([p, q, F.zeros(1)], 1.0),
        p.grad,
        q.grad,
        clip(p, 100.0, norm_type=1),
        p.grad,
        clip([p], 0.1, float("inf")),
        p.grad,
    ]


@behaviours("B01b: clip_grad_norm_ of float16, whose squares are too large for it")
def _(F: Any) -> Any:
    found = []
    for order in (1.0, 2.0, 3.0, math.inf):
        p = F.tensor([300.0, 400.0], dtype=F.float16, requires_grad=True)
        p.grad = p.detach().clone()
        found += [F.nn.utils.clip_grad_norm_([p], 1.0, order), p.grad]
    return found


@behaviours("B02: clip_grad_norm_ keeps the gradient the same object")
def _(F: Any) -> Any:
    p = F.zeros(2, requires_grad=True)
    p.grad = F.tensor([3.0, 4.0])
    grad = p.grad
    F.nn.utils.clip_grad_norm_(iter([p]), 1.0)
    return [p.grad is grad, grad, F.nn.utils.clip_grad_norm_([], 1.0)]


@behaviours(
    "B03: a norm that is not finite",
    error=RuntimeError,
    says="The total norm of order 2.0 for gradients from `parameters` is non-finite",
)
def _(F: Any) -> Any:
    p = F.zeros(2, requires_grad=True)
    p.grad = F.tensor([3.0, float("inf")])
    F.nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)


@behaviours(
    "B04: an empty generator",
    warns=("UserWarning: `parameters` is an empty generator, no gradient clipping will occur.",),
)
def _(F: Any) -> Any:
    return F.nn.utils.clip_grad_norm_((p for p in []), 1.0)


@behaviours("B05: clip_grad_value_")
def _(F: Any) -> Any:
    p = F.zeros(3, requires_grad=True)
    p.grad = F.tensor([3.0, -7.0, 0.5])
    grad = p.grad
    return [F.nn.utils.clip_grad_value_([p, F.zeros(1)], 1), p.grad, grad is p.grad]


test_as_in_torch = behaviours.test()

"""Recurrent layers, attention and transformers, as in torch.

Their arguments, and the shapes of what goes in and comes out, with and without a batch. Each layer gets torch's
weights; outputs, states and all gradients are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours
from nn.test_layers import Layer, check_layer

import minigrad as mg

behaviours = Behaviours()


def states(kind: str, *sizes: tuple[int, ...]) -> list[Callable[[Any], Any]]:
    """Begin with these states: one for an RNN or a GRU, a pair for an LSTM."""
    random = np.random.default_rng(4)
    arrays = [random.standard_normal(size).astype(np.float32) for size in sizes]
    return [(lambda F: tuple(F.tensor(a) for a in arrays)) if kind == "LSTM" else (lambda F: F.tensor(arrays[0]))]


class Call:
    """A layer that is called in some way of its own."""

    def __init__(self, layer: Any, call: Callable[..., Any]) -> None:
        self.layer, self.call = layer, call

    def __call__(self, *args: Any) -> Any:
        return self.call(self.layer, *args)

    def __repr__(self) -> str:
        return repr(self.layer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)


RECURRENT = [
    Layer(f"{kind} {title}", lambda nn, k=kind, o=options: getattr(nn, k)(3, 4, **o), [shape])
    for kind in ("RNN", "LSTM", "GRU")
    for title, options, shape in (
        ("plain", {}, (5, 2, 3)),
        ("without a batch", {}, (5, 3)),
        ("batch first", {"batch_first": True, "bias": False}, (2, 5, 3)),
        ("of two layers", {"num_layers": 2}, (5, 2, 3)),
        ("both ways", {"num_layers": 2, "bidirectional": True}, (4, 2, 3)),
        ("both ways without a batch", {"bidirectional": True, "batch_first": True}, (4, 3)),
    )
]
RECURRENT += [
    Layer("RNN relu", lambda nn: nn.RNN(3, 4, 1, "relu"), [(5, 2, 3)]),
    *[
        Layer(
            f"{kind} from a state", lambda nn, k=kind: getattr(nn, k)(3, 4, 2),
            [(5, 2, 3), *states(kind, *[(2, 2, 4)] * 2)],
        )
        for kind in ("RNN", "LSTM", "GRU")
    ],
    *[
        Layer(
            f"{kind} from a state without a batch", lambda nn, k=kind: getattr(nn, k)(3, 4),
            [(5, 3), *states(kind, *[(1, 4)] * 2)],
        )
        for kind in ("RNN", "LSTM", "GRU")
    ],
    *[
        Layer(f"{kind}Cell {title}", lambda nn, k=kind, o=options: getattr(nn, f"{k}Cell")(3, 4, **o), inputs)
        for kind in ("RNN", "LSTM", "GRU")
        for title, options, inputs in (
            ("plain", {}, [(2, 3)]),
            ("of a vector", {"bias": False}, [(3,)]),
            ("from a state", {}, [(2, 3), *states(kind, (2, 4), (2, 4))]),
            ("of a vector from a state", {}, [(3,), *states(kind, (4,), (4,))]),
        )
    ],
    Layer("RNNCell relu", lambda nn: nn.RNNCell(3, 4, nonlinearity="relu"), [(2, 3)]),
]  # fmt: skip


def mask(F: Any) -> Any:
    return F.tensor([[False, False, True], [False, True, False], [True, False, False], [False, False, False]])


def padding(F: Any) -> Any:
    return F.tensor([[False, False, True], [False, True, True]])


def numbers(F: Any) -> Any:
    return F.tensor(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))


def attend(**options: Any) -> Callable[..., Any]:
    """Call attention, with masks made on its own side."""

    def call(layer: Any, *args: Any) -> Any:
        F = __import__(type(layer).__module__.split(".")[0])
        if len(args) == 1:
            args *= 3
        if len(args) == 2:
            args = (args[0], args[1], args[1])
        return layer(*args, **{name: value(F) if callable(value) else value for name, value in options.items()})

    return call


QKV = [(4, 2, 6), (3, 2, 6), (3, 2, 6)]
ATTENTION = [
    Layer(f"attention {title}", lambda nn, o=options, c=call: Call(nn.MultiheadAttention(6, 2, **o), attend(**c)), qkv)
    for title, options, call, qkv in (
        ("plain", {}, {}, QKV),
        ("to itself", {}, {}, [(4, 2, 6)]),
        ("to a memory", {}, {}, [(4, 2, 6), (3, 2, 6)]),
        ("without bias", {"bias": False}, {}, QKV),
        ("batch first", {"batch_first": True}, {}, [(2, 4, 6), (2, 3, 6), (2, 3, 6)]),
        ("to itself, batch first", {"batch_first": True}, {"need_weights": False}, [(2, 4, 6)]),
        ("without a batch", {}, {}, [(4, 6), (3, 6), (3, 6)]),
        (
            "without a batch, masked", {}, {"key_padding_mask": lambda F: padding(F)[0], "attn_mask": mask},
            [(4, 6), (3, 6), (3, 6)],
        ),
        ("of each head", {}, {"average_attn_weights": False}, QKV),
        ("without weights", {}, {"need_weights": False}, QKV),
        ("masked", {}, {"attn_mask": mask}, QKV),
        ("masked, without weights", {}, {"attn_mask": mask, "need_weights": False}, QKV),
        ("with numbers", {}, {"attn_mask": numbers}, QKV),
        ("for each head", {}, {"attn_mask": lambda F: F.tensor(np.arange(48).reshape(4, 4, 3) % 5 == 0)}, QKV),
        ("padded", {}, {"key_padding_mask": padding}, QKV),
        ("padded and masked", {}, {"key_padding_mask": padding, "attn_mask": lambda F: mask(F)[:, [0, 0, 1]]}, QKV),
        ("with dropout", {"dropout": 0.0}, {}, QKV),
    )
]  # fmt: skip


def causal(F: Any) -> Any:
    return F.full((4, 4), float("-inf")).triu(1)


def masked(**options: Any) -> Callable[..., Any]:
    """Call a layer, with masks made on its own side."""

    def call(layer: Any, *args: Any) -> Any:
        F = __import__(type(layer).__module__.split(".")[0])
        return layer(*args, **{name: value(F) if callable(value) else value for name, value in options.items()})

    return call


TRANSFORMERS = [
    *[
        Layer(
            f"encoder layer {title}",
            lambda nn, o=options, c=call: Call(nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0, **o), masked(**c)),
            [(4, 2, 6)],
        )
        for title, options, call in (
            ("plain", {}, {}),
            ("gelu, norm first", {"activation": "gelu", "norm_first": True}, {}),
            ("without bias", {"bias": False, "layer_norm_eps": 1e-3}, {}),
            ("masked", {}, {"src_mask": causal}),
            ("causal", {}, {"src_mask": causal, "is_causal": True}),
        )
    ],
    Layer(
        "encoder",
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0), 2, nn.LayerNorm(6), enable_nested_tensor=False
        ),
        [(4, 2, 6)],
    ),
]

LAYERS = [*RECURRENT, *ATTENTION, *TRANSFORMERS]


# What torch says of its own ways of computing.
@pytest.mark.filterwarnings("ignore:LSTM with projections is not", "ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.title)
def test_layer_is_as_in_torch(layer: Layer, training: bool, torch: Any) -> None:
    check_layer(layer, torch, training)


# ---------------------------------------------------------------- errors and warnings


behaviours.table(
    ("E01: input of another size", lambda F: F.nn.GRU(3, 4)(F.ones(5, 2, 4)),
     RuntimeError, "input.size(-1) must be equal to input_size. Expected"),
    ("E02: an RNN of four dimensions", lambda F: F.nn.RNN(3, 4)(F.ones(1, 5, 2, 3)),
     ValueError, "RNN: Expected input to be 2D or 3D, got 4D"),
    ("E03: an LSTM of one dimension", lambda F: F.nn.LSTM(3, 4)(F.ones(3)),
     ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
    ("E04: a state of another size", lambda F: F.nn.GRU(3, 4)(F.ones(5, 2, 3), F.zeros(1, 3, 4)),
     RuntimeError, "Expected hidden size (1, 2, 4), got [1, 3, 4]"),
    ("E05: a second state of another size",
     lambda F: F.nn.LSTM(3, 4)(F.ones(5, 2, 3), (F.zeros(1, 2, 4), F.zeros(1, 2, 5))),
     RuntimeError, "Expected hidden[1] size (1, 2, 4), got [1,"),
    ("E06: a state without a batch", lambda F: F.nn.GRU(3, 4)(F.ones(5, 2, 3), F.zeros(1, 4)),
     RuntimeError, "For batched 3-D input, hx should also be 3-D but"),
    ("E07: states with a batch", lambda F: F.nn.LSTM(3, 4)(F.ones(5, 3), (F.zeros(1, 1, 4), F.zeros(1, 1, 4))),
     RuntimeError, "For unbatched 2-D input, hx and cx should also be 2-D"),
    ("E08: another dtype", lambda F: F.nn.GRU(3, 4)(F.ones(5, 2, 3, dtype=F.float64)),
     ValueError, "RNN input dtype (torch.float64) does not match weight dtype"),
    ("E09: a third state for an LSTM", lambda F: F.nn.LSTM(3, 4)(F.ones(5, 2, 3), (F.zeros(1, 2, 4),) * 3),
     RuntimeError, "lstm expects two hidden states"),
    ("E10: an unknown nonlinearity", lambda F: F.nn.RNN(3, 4, nonlinearity="elu"),
     ValueError, "Unknown nonlinearity 'elu'. Select from 'tanh' or"),
    ("E11: no hidden size", lambda F: F.nn.RNN(3, 0), ValueError, "hidden_size must be greater than zero"),
    ("E12: a dropout of 2", lambda F: F.nn.LSTM(3, 4, dropout=2),
     ValueError, "dropout should be a number in range [0, 1]"),
)  # fmt: skip


def test_an_lstm_says_that_it_gets_one_state_of_two() -> None:
    """Where PyTorch's text is an accident of Python's (`tuple index out of range`)."""
    for states in ((mg.zeros(1, 2, 4),), mg.zeros(1, 2, 4)):
        with pytest.raises(RuntimeError, match=r"two hidden states, as in lstm\(x, \(h, c\)\), but got 1"):
            mg.nn.LSTM(3, 4)(mg.ones(5, 2, 3), states)


@behaviours("E13: dropout of a single layer", warns=("UserWarning: dropout option adds dropout after all but last",))
def _(F: Any) -> Any:
    return repr(F.nn.LSTM(3, 4, dropout=0.5))


behaviours.table(
    ("E14: no sequence at all", lambda F: F.nn.GRU(3, 4)(F.ones(0, 2, 3)),
     RuntimeError, "Expected sequence length to be larger than 0 in RNN"),
    ("E15: a cell of three dimensions", lambda F: F.nn.GRUCell(3, 4)(F.ones(1, 2, 3)),
     ValueError, "GRUCell: Expected input to be 1D or 2D, got 3D"),
    ("E16: a cell of another size", lambda F: F.nn.LSTMCell(3, 4)(F.ones(2, 4)),
     RuntimeError, "input has inconsistent input_size: got 4 expected 3"),
    ("E17: heads that do not divide", lambda F: F.nn.MultiheadAttention(6, 4),
     AssertionError, "embed_dim must be divisible by num_heads"),
)  # fmt: skip


@behaviours(
    "E18: attention of four dimensions", error=AssertionError, says="query should be unbatched 2D or batched 3D"
)
def _(F: Any) -> Any:
    x = F.ones(1, 1, 1, 6)
    F.nn.MultiheadAttention(6, 2)(x, x, x)


@behaviours("E19: keys without a batch", error=AssertionError, says="For batched (3-D) `query`, expected `key` and")
def _(F: Any) -> Any:
    F.nn.MultiheadAttention(6, 2)(F.ones(4, 2, 6), F.ones(4, 6), F.ones(4, 6))


@behaviours(
    "E20: attention of another size", error=AssertionError, says="was expecting embedding dimension of 6, but got"
)
def _(F: Any) -> Any:
    x = F.ones(4, 2, 8)
    F.nn.MultiheadAttention(6, 2)(x, x, x)


@behaviours(
    "E21: a mask of another shape", error=RuntimeError, says="The shape of the 2D attn_mask is torch.Size([3, 3]),"
)
def _(F: Any) -> Any:
    x = F.ones(4, 2, 6)
    F.nn.MultiheadAttention(6, 2)(x, x, x, attn_mask=F.zeros(3, 3))


@behaviours("E22: a mask of ints", error=AssertionError, says="only bool and floating types of key_padding_mask are")
def _(F: Any) -> Any:
    x = F.ones(4, 2, 6)
    F.nn.MultiheadAttention(6, 2)(x, x, x, key_padding_mask=F.zeros(2, 4, dtype=F.int64))


@behaviours("E23: causal without a mask", error=RuntimeError, says="Need attn_mask if specifying the is_causal hint.")
def _(F: Any) -> Any:
    x = F.ones(4, 2, 6)
    F.nn.MultiheadAttention(6, 2)(x, x, x, is_causal=True)


@behaviours("E25: an unknown activation", error=RuntimeError, says="activation should be relu/gelu, not tanh")
def _(F: Any) -> Any:
    F.nn.TransformerEncoderLayer(6, 2, activation="tanh")


test_as_in_torch = behaviours.test()

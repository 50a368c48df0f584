"""One time step of an RNN, an LSTM and a GRU: as functions, which `rnn.py` repeats, and as cells.

Each makes its new state from the input and the state so far. LSTM: Hochreiter and Schmidhuber, "Long short-term memory"
(1997); GRU: Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from minigrad.creation import zeros
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer
from minigrad.nn.parameter import empty_parameter
from minigrad.tensor import Tensor

State = tuple[Tensor, ...]  # (h,), or for an LSTM (h, c)


def rnn_step(
    projected: Tensor, state: State, weight_hh: Tensor, bias_hh: Tensor | None, nonlinearity: str = "tanh"
) -> State:
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), where `projected` is W_ih x + b_ih, for all three functions."""
    total = projected + F.linear(state[0], weight_hh, bias_hh)
    return (total.tanh() if nonlinearity == "tanh" else total.relu(),)


def lstm_step(projected: Tensor, state: State, weight_hh: Tensor, bias_hh: Tensor | None) -> State:
    """c' = f * c + i * g and h' = o * tanh(c'), where i, f, o = sigmoid(W_ih x + W_hh h) and g = tanh(W_ih x + W_hh h),
    each with its own rows of the weights. The gate f says what c keeps, i what is added, o what is shown.
    """
    h, c = state
    i, f, g, o = (projected + F.linear(h, weight_hh, bias_hh)).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(projected: Tensor, state: State, weight_hh: Tensor, bias_hh: Tensor | None) -> State:
    """h' = (1 - z) * n + z * h, where r, z = sigmoid(W_ih x + W_hh h) and n = tanh(W_ih x + r * (W_hh h)), each with
    its own rows of the weights. The gate z says how much of h is kept, r how much of it n uses.
    """
    (h,) = state
    r, z, n = projected.chunk(3, 1)
    r_of_h, z_of_h, n_of_h = F.linear(h, weight_hh, bias_hh).chunk(3, 1)
    r = (r + r_of_h).sigmoid()
    z = (z + z_of_h).sigmoid()
    n = (n + r * n_of_h).tanh()
    return (n + z * (h - n),)


class Recurrent(Layer):
    """What cells and recurrent layers share: their weights, and how these begin."""

    _gates: ClassVar[int]  # how many blocks of hidden_size rows a weight has

    def _weights(self, inputs: int, hidden: int, bias: bool, device: Any, dtype: Any) -> dict[str, Any]:
        """The weights and biases of one step, by their names. Without `bias` there are no biases."""
        rows = self._gates * hidden
        sizes = {"weight_ih": (rows, inputs), "weight_hh": (rows, hidden), "bias_ih": (rows,), "bias_hh": (rows,)}
        wanted = sizes if bias else ("weight_ih", "weight_hh")
        return {name: empty_parameter(size, device, dtype) for name, size in sizes.items() if name in wanted}

    def reset_parameters(self: Any) -> None:
        """Draw new weights, uniformly between -1/sqrt(hidden_size) and 1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)


# ---------------------------------------------------------------- cells


class _Cell(Recurrent):
    """What the cells share: weight_ih, weight_hh, bias_ih and bias_hh, and one step with its checks."""

    _shown, _unnamed = ("input_size", "hidden_size"), 2
    _shown_if_changed: ClassVar[tuple[str, ...]] = ("bias",)
    input_size: int
    hidden_size: int
    bias: bool = True

    def _set_up(self, device: Any, dtype: Any) -> None:
        weights = self._weights(self.input_size, self.hidden_size, self.bias, device, dtype)
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            self.register_parameter(name, weights.get(name))
        self.reset_parameters()

    def _take_step(self, step: Any, input: Tensor, states: Any, **options: Any) -> State:
        """One step from an input (batch, input_size), or (input_size,), and the states; None stands for zeros."""
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        for number, state in enumerate(states):
            if state is not None and state.ndim not in (1, 2):
                which = "hidden" if len(states) == 1 else f"hx[{number}]"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.ndim}D instead")
        rows = input if input.ndim == 2 else input.unsqueeze(0)
        if states[0] is None:
            states = [zeros((len(rows), self.hidden_size), dtype=input.dtype) for _ in states]
        elif input.ndim == 1:
            states = [state.unsqueeze(0) for state in states]
        self._check_sizes(rows, states)
        projected = F.linear(rows, self.weight_ih, self.bias_ih)
        new_state: State = step(projected, tuple(states), self.weight_hh, self.bias_hh, **options)
        return new_state if input.ndim == 2 else tuple([state.squeeze(0) for state in new_state])

    def _check_sizes(self, rows: Tensor, states: Any) -> None:
        if rows.shape[1] != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {rows.shape[1]} expected {self.input_size}")
        for number, state in enumerate(states):
            if len(state) != len(rows):
                raise RuntimeError(f"Input batch size {len(rows)} doesn't match hidden{number} batch size {len(state)}")
            if state.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{number} has inconsistent hidden_size: got {state.shape[1]}, expected {self.hidden_size}"
                )


class RNNCell(_Cell):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh): (batch, input_size), (batch, hidden_size) to (batch, hidden_size)."""

    _gates, _shown_if_changed = 1, ("bias", "nonlinearity")
    nonlinearity: str = "tanh"
    device: Any = None
    dtype: Any = None

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._take_step(rnn_step, input, [hx], nonlinearity=self.nonlinearity)[0]


class LSTMCell(_Cell):
    """One step of an LSTM: (input, (h, c)) to (h', c'), by the formula in `lstm_step`."""

    _gates = 4
    device: Any = None
    dtype: Any = None

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> State:
        return self._take_step(lstm_step, input, [None, None] if hx is None else list(hx))


class GRUCell(_Cell):
    """One step of a GRU: (input, h) to h', by the formula in `gru_step`."""

    _gates = 3
    device: Any = None
    dtype: Any = None

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._take_step(gru_step, input, [hx])[0]

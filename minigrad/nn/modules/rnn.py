"""Recurrent layers: one time step of an RNN, an LSTM and a GRU, the cells, which take one, and the layers, which repeat
it along a sequence, in both directions and in several layers.

Each step makes its new state from the input and the state so far. LSTM: Hochreiter and Schmidhuber, "Long short-term
memory" (1997); GRU: Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from minigrad.autograd.blame import warn
from minigrad.autograd.modes import modes
from minigrad.creation import zeros
from minigrad.dtypes import float16
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.layer import Layer
from minigrad.nn.parameter import empty_parameter
from minigrad.ops.layers.recurrent import LSTMLayer
from minigrad.ops.shapes.joining import cat_along, stack_along
from minigrad.tensor import Tensor

HiddenState = tuple[Tensor, ...]  # (h,), or for an LSTM (h, c)


class Recurrent(Layer):
    """What cells and recurrent layers share: their weights, how these begin, and one step.

    `_step(projected, state, weight_hh, bias_hh)` gives the new state, where `projected` is W_ih x + b_ih.
    """

    _gates: ClassVar[int]  # how many blocks of hidden_size rows a weight has
    _states = 1  # 2 for the h and c of an LSTM
    _step: ClassVar[Any]
    _shown, _unnamed = ("input_size", "hidden_size"), 2
    input_size: int
    hidden_size: int

    def _weights(self, inputs: int, bias: bool, device: Any, dtype: Any) -> dict[str, Any]:
        """The weights of one step, and with `bias` its biases, by their names."""
        rows, hidden = self._gates * self.hidden_size, self.hidden_size
        sizes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, hidden)}
        sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
        return {name: empty_parameter(size, device, dtype) for name, size in sizes.items()}

    def reset_parameters(self) -> None:
        """Draw new weights, uniformly between -1/sqrt(hidden_size) and 1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)


class PlainStep(Recurrent):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or with relu in place of tanh."""

    _gates = 1

    def _step(
        self: Any, projected: Tensor, state: HiddenState, weight_hh: Tensor, bias_hh: Tensor | None
    ) -> HiddenState:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        total = projected + F.linear(state[0], weight_hh, bias_hh)
        return (total.tanh() if self.nonlinearity == "tanh" else total.relu(),)


class LSTMStep(Recurrent):
    """c' = f * c + i * g and h' = o * tanh(c'), where i, f, o = sigmoid(W_ih x + W_hh h) and g = tanh(W_ih x + W_hh h),
    each with its own rows of the weights. The gate f says what c keeps, i what is added, o what is shown.
    """

    _gates, _states = 4, 2

    def _step(self, projected: Tensor, state: HiddenState, weight_hh: Tensor, bias_hh: Tensor | None) -> HiddenState:
        h, c = state
        i, f, g, o = (projected + F.linear(h, weight_hh, bias_hh)).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class GRUStep(Recurrent):
    """h' = (1 - z) * n + z * h, where r, z = sigmoid(W_ih x + W_hh h) and n = tanh(W_ih x + r * (W_hh h)), each with
    its own rows of the weights. The gate z says how much of h is kept, r how much of it n uses.
    """

    _gates = 3

    def _step(self, projected: Tensor, state: HiddenState, weight_hh: Tensor, bias_hh: Tensor | None) -> HiddenState:
        (h,) = state
        r, z, n = projected.chunk(3, 1)
        r_of_h, z_of_h, n_of_h = F.linear(h, weight_hh, bias_hh).chunk(3, 1)
        r = (r + r_of_h).sigmoid()
        z = (z + z_of_h).sigmoid()
        n = (n + r * n_of_h).tanh()
        return (n + z * (h - n),)


# ---------------------------------------------------------------- cells


class _Cell(Recurrent):
    """What the cells share: weight_ih, weight_hh, bias_ih and bias_hh, and one step with its checks."""

    _shown_if_changed: ClassVar[tuple[str, ...]] = ("bias",)
    bias: bool = True

    def _set_up(self, device: Any, dtype: Any) -> None:
        weights = self._weights(self.input_size, self.bias, device, dtype)
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            self.register_parameter(name, weights.get(name))
        self.reset_parameters()

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """One step from an input (batch, input_size), or (input_size,), and the states; None stands for zeros."""
        if input.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        rows = input if input.ndim == 2 else input.unsqueeze(0)
        if hx is None:
            states = [zeros((len(rows), self.hidden_size), dtype=input.dtype) for _ in range(self._states)]
        else:
            states = list(hx) if self._states == 2 else [hx]
            states = states if input.ndim == 2 else [state.unsqueeze(0) for state in states]
        self._check_sizes(rows, states)
        projected = F.linear(rows, self.weight_ih, self.bias_ih)
        new: HiddenState = self._step(projected, tuple(states), self.weight_hh, self.bias_hh)
        new = new if input.ndim == 2 else tuple([state.squeeze(0) for state in new])
        return new if self._states == 2 else new[0]

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


class RNNCell(PlainStep, _Cell):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh): (batch, input_size), (batch, hidden_size) to (batch, hidden_size)."""

    _shown_if_changed = ("bias", "nonlinearity")
    nonlinearity: str = "tanh"


class LSTMCell(LSTMStep, _Cell):
    """One step of an LSTM: (input, (h, c)) to (h', c'), by the formula of `LSTMStep`."""


class GRUCell(GRUStep, _Cell):
    """One step of a GRU: (input, h) to h', by the formula of `GRUStep`."""


# ---------------------------------------------------------------- layers


class RNNBase(Recurrent):
    """What RNN, LSTM and GRU share.

    For each layer and direction there are weight_ih, weight_hh, bias_ih and bias_hh, under names like weight_ih_l0 and
    weight_ih_l0_reverse. They are first drawn uniformly between -1/sqrt(hidden_size) and 1/sqrt(hidden_size).
    """

    _shown_if_changed = ("num_layers", "bias", "batch_first", "dropout", "bidirectional")
    mode = "RNN_TANH"
    num_layers: int = 1
    bias: bool = True
    batch_first: bool = False
    dropout: float = 0.0
    bidirectional: bool = False

    def _set_up(self, device: Any, dtype: Any) -> None:
        self._check_options()
        self.dropout = float(self.dropout)
        for layer in range(self.num_layers):
            for suffix in self._suffixes(layer):
                inputs = self.hidden_size * len(self._suffixes(0)) if layer else self.input_size
                for name, parameter in self._weights(inputs, self.bias, device, dtype).items():
                    setattr(self, name + suffix, parameter)
        self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 2 if self.bidirectional else 1]

    def _check_options(self) -> None:
        if not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={self.dropout} and num_layers={self.num_layers}"
            )
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")

    # -- the call

    def forward(self, input: Any, hx: Any = None) -> Any:
        states = None if hx is None else (hx if self._states == 2 else (hx,))
        self._check_input(input, states)
        batched = input.ndim == 3
        if not batched:
            input = input.unsqueeze(1)
            states = None if states is None else [state.unsqueeze(1) for state in states]
        elif self.batch_first:
            input = input.transpose(0, 1)
        if not len(input):
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        output, final = self._run_layers(input, self._initial_states(states, input.shape[1], input.dtype))
        if not batched:
            output, final = output.squeeze(1), [state.squeeze(1) for state in final]
        elif self.batch_first:
            output = output.transpose(0, 1)
        return output, tuple(final) if self._states == 2 else final[0]

    def _run_layers(self, data: Tensor, states: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Run all layers over (time, batch, features).

        Returns the outputs, and each kind of state at the end: (layers * directions, batch, ...).
        """
        final: list[HiddenState] = []
        for layer in range(self.num_layers):
            directions = []
            for suffix in self._suffixes(layer):
                outputs, state = self._run_direction(suffix, data, tuple([state[len(final)] for state in states]))
                directions.append(outputs)
                final.append(state)
            data = directions[0] if len(directions) == 1 else cat_along(directions, 2)
            if self.dropout and self.training and layer < self.num_layers - 1:
                data = F.dropout(data, self.dropout)
        return data, [stack_along(parts) for parts in zip(*final, strict=True)]

    def _run_direction(self, suffix: str, data: Tensor, state: HiddenState) -> tuple[Tensor, HiddenState]:
        """Run one layer in one direction. Returns the outputs of all time steps, and the final state."""
        bias_ih, bias_hh = (getattr(self, f"bias_{side}{suffix}") if self.bias else None for side in ("ih", "hh"))
        weight_hh = getattr(self, f"weight_hh{suffix}")
        projected = F.linear(data, getattr(self, f"weight_ih{suffix}"), bias_ih)
        return self._run_steps(projected, state, weight_hh, bias_hh, -1 if suffix.endswith("reverse") else 1)

    def _run_steps(
        self, projected: Tensor, state: HiddenState, weight_hh: Tensor, bias_hh: Tensor | None, step: int
    ) -> tuple[Tensor, HiddenState]:
        outputs = []
        for of_time in projected.unbind(0)[::step]:
            state = self._step(of_time, state, weight_hh, bias_hh)
            outputs.append(state[0])
        return stack_along(outputs[::step]), state

    def _initial_states(self, states: Sequence[Tensor] | None, batch: int, dtype: Any) -> Sequence[Tensor]:
        """The given states, or zeros. RuntimeError if a given one has another size."""
        size = (self.num_layers * len(self._suffixes(0)), batch, self.hidden_size)
        if states is None:
            return [zeros(size, dtype=dtype) for _ in range(self._states)]
        for number, state in enumerate(states):
            if state.shape != size:
                name = "hidden" if self._states == 1 else f"hidden[{number}]"
                raise RuntimeError(f"Expected {name} size {size}, got {list(state.shape)}")
        return states

    def _check_input(self, input: Tensor, states: Any) -> None:
        rank, weight = input.ndim, self.weight_ih_l0
        if rank not in (2, 3):
            tensor = "D tensor" if self.mode.startswith("RNN") else "D"
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {rank}{tensor} instead")
        if states is not None and len(states) != self._states:
            raise RuntimeError(f"lstm expects two hidden states, as in lstm(x, (h, c)), but got {len(states)}")
        if states is not None and any(state.ndim != rank for state in states):
            kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
            found = ", ".join(f"{state.ndim}-D" for state in states)
            names, found = ("hx", f"{found} tensor") if self._states == 1 else ("hx and cx", f"({found}) tensors")
            raise RuntimeError(f"For {kind} input, {names} should also be {rank}-D but got {found}")
        if input.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )


class RNN(PlainStep, RNNBase):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh) for each time step t; the output is all h_t.

    Called with (input, h_0), or (input) for zeros; gives (output, h_n).

    Shapes: input (time, batch, input_size), or (batch, time, input_size) with batch_first, or (time, input_size);
    states (num_layers * directions, batch, hidden_size); output as the input, with directions * hidden_size features.

    Args:
        num_layers: each layer's outputs are the next one's inputs.
        nonlinearity: "tanh" or "relu".
        bias: with False, there are only weights.
        dropout: the probability of dropout behind each layer but the last.
        bidirectional: also run in reverse, and concatenate the features of both directions.

    ValueError or TypeError for options out of range.
    """

    nonlinearity: str = "tanh"
    bias: bool = True
    batch_first: bool = False
    dropout: float = 0.0
    bidirectional: bool = False

    def _set_up(self, device: Any, dtype: Any) -> None:
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.mode = f"RNN_{self.nonlinearity.upper()}"
        super()._set_up(device, dtype)


class LSTM(LSTMStep, RNNBase):
    """Long short-term memory: a recurrent layer with a second state c, which three gates forget, add to and read.

    Called with (input, (h_0, c_0)), or (input) for zeros; gives (output, (h_n, c_n)). The formula is that of
    `LSTMStep`; the arguments are those of RNN, without nonlinearity.
    """

    mode = "LSTM"

    def _run_steps(
        self, projected: Tensor, state: HiddenState, weight_hh: Tensor, bias_hh: Tensor | None, step: int
    ) -> tuple[Tensor, HiddenState]:
        """As one node, unless somebody looks: a picture or a hook is to see the steps."""
        run = super()._run_steps
        if modes.special or projected.dtype is float16:
            return run(projected, state, weight_hh, bias_hh, step)
        outputs, h, c = LSTMLayer.apply(run, step, projected, *state, weight_hh, bias_hh)
        return outputs, (h, c)


class GRU(GRUStep, RNNBase):
    """Gated recurrent unit: a recurrent layer with two gates, which decide how much of h is kept and used.

    Called with (input, h_0), or (input) for zeros; gives (output, h_n). The formula is that of `GRUStep`; the arguments
    are those of RNN, without nonlinearity.
    """

    mode = "GRU"

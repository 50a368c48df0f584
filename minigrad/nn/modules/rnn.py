"""Recurrent layers: RNN, LSTM and GRU.

After this module a reader knows how the steps of `rnn_cell.py` are repeated along a sequence, in both directions and in
several layers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from minigrad import functions
from minigrad.autograd.blame import frames_to_learner
from minigrad.creation.data import zeros
from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.rnn_cell import State, gru_step, lstm_step, rnn_step
from minigrad.nn.parameter import Parameter, empty_parameter
from minigrad.tensor import Tensor

Step = Callable[..., State]  # of the projected input and the state


def run(step: Step, inputs: Sequence[Tensor], state: State, reverse: bool) -> tuple[list[Tensor], State]:
    """Run one layer in one direction. Returns the outputs of all time steps, and the final state."""
    outputs: list[Tensor] = []
    for projected in reversed(inputs) if reverse else inputs:
        state = step(projected, state)
        outputs.append(state[0])
    if reverse:
        outputs.reverse()
    return outputs, state


class RNNBase(Module):
    """What RNN, LSTM and GRU share.

    For each layer and direction there are weight_ih, weight_hh, bias_ih and bias_hh, under names like weight_ih_l0 and
    weight_ih_l0_reverse. They are first drawn uniformly between -1/sqrt(hidden_size) and 1/sqrt(hidden_size).
    """

    gates: ClassVar[int]  # how many blocks of hidden_size rows a weight has
    states: ClassVar[int] = 1  # 2 for the h and c of an LSTM
    cell: ClassVar[Callable[..., State]]  # one step

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options()
        self.dropout = float(dropout)
        rows = self.gates * hidden_size
        for layer in range(num_layers):
            for suffix in self._suffixes(layer):
                inputs = input_size if layer == 0 else self._outputs * (2 if bidirectional else 1)
                sizes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, self._outputs)}
                sizes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
                sizes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
                for name, size in sizes.items():
                    setattr(self, name + suffix, empty_parameter(size, device, dtype))
        self.reset_parameters()

    @property
    def _outputs(self) -> int:
        return self.proj_size or self.hidden_size

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 2 if self.bidirectional else 1]

    def _check_options(self) -> None:
        if not isinstance(self.dropout, int | float) or isinstance(self.dropout, bool) or not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={self.dropout} and num_layers={self.num_layers}",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = self.__dict__[name]
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def reset_parameters(self) -> None:
        """Draw new weights."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: here the weights need not lie in one piece of memory."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [[p for name, p in self._parameters.items() if p is not None and name.endswith(s)] for s in suffixes]

    def _step(self, suffix: str) -> Step:
        """The step function with the weights of one layer and direction."""
        bias = getattr(self, f"bias_hh{suffix}") if self.bias else None
        return partial(type(self).cell, weight_hh=getattr(self, f"weight_hh{suffix}"), bias_hh=bias)

    def _layers(self, data: Tensor, sizes: Sequence[int], states: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Run all layers over the rows of all time steps, `sizes` of them for each.

        Returns the outputs, and each kind of state at the end: (layers * directions, batch, ...).
        """
        final: list[State] = []
        for layer in range(self.num_layers):
            directions: list[Tensor] = []
            for suffix in self._suffixes(layer):
                initial = tuple([state[len(final)] for state in states])
                projected = F.linear(
                    data, getattr(self, f"weight_ih{suffix}"), getattr(self, f"bias_ih{suffix}") if self.bias else None
                )
                time_steps: Any = projected.split(list(sizes))
                outputs, state = run(self._step(suffix), time_steps, initial, reverse=len(directions) == 1)
                directions.append(functions.cat(outputs))
                final.append(state)
            data = directions[0] if len(directions) == 1 else functions.cat(directions, 1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                data = F.dropout(data, self.dropout)
        return data, [functions.stack(parts) for parts in zip(*final, strict=True)]

    # -- the call

    def forward(self, input: Any, hx: Any = None) -> Any:
        states = None if hx is None else (hx if self.states == 2 else (hx,))
        if input.ndim not in (2, 3):
            tensor = "D tensor" if self.mode.startswith("RNN") else "D"
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}{tensor} instead")
        if states is not None:
            self._check_ranks(states, input.ndim)
        batched = input.ndim == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            states = None if states is None else [state.unsqueeze(1) for state in states]
        self._check_input(input)
        steps = input.transpose(0, 1) if self.batch_first else input
        length, batch = steps.shape[:2]
        if not length:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        states = self._initial_states(states, batch, input.dtype)
        data, final = self._layers(steps.reshape(length * batch, -1), [batch] * length, states)
        output = data.view(length, batch, data.shape[-1])
        output = output.transpose(0, 1) if self.batch_first else output
        if not batched:
            output, final = output.squeeze(0 if self.batch_first else 1), [state.squeeze(1) for state in final]
        return output, tuple(final) if self.states == 2 else final[0]

    def _initial_states(self, states: Any, batch: int, dtype: Any) -> Sequence[Tensor]:
        """The given states, or zeros. RuntimeError if a given one has another size."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        sizes = [(count, batch, self._outputs), (count, batch, self.hidden_size)][: self.states]
        if states is None:
            return [zeros(size, dtype=dtype) for size in sizes]
        for number, (state, size) in enumerate(zip(states, sizes, strict=True)):
            if state.shape != size:
                name = "hidden" if self.states == 1 else f"hidden[{number}]"
                raise RuntimeError(f"Expected {name} size {size}, got {list(state.shape)}")
        given: Sequence[Tensor] = states
        return given

    def _check_input(self, input: Tensor) -> None:
        weight = self.all_weights[0][0]
        if input.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _check_ranks(self, states: Any, rank: int) -> None:
        if all(state.ndim == rank for state in states):
            return
        kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
        if self.states == 1:
            raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {states[0].ndim}-D tensor")
        raise RuntimeError(
            f"For {kind} input, hx and cx should also be {rank}-D but got ({states[0].ndim}-D, {states[1].ndim}-D) "
            "tensors"
        )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        defaults = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False
        }  # fmt: skip
        for name, value in defaults.items():
            if self.__dict__[name] != value:
                text += f", {name}={self.__dict__[name]}"
        return text


_ONLY_LSTM = "proj_size argument is only supported for LSTM, not RNN or GRU"


class RNN(RNNBase):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh) for each time step t; the output is all h_t.

    Called with (input, h_0), or (input) for zeros; gives (output, h_n).

    Shapes: input (time, batch, input_size), or (batch, time, input_size) with batch_first, or (time, input_size);
    states (num_layers * directions, batch, hidden_size); output as the input, with
    directions * hidden_size features.

    Args:
        num_layers: each layer's outputs are the next one's inputs.
        nonlinearity: "tanh" or "relu".
        bias: with False, there are only weights.
        dropout: the probability of dropout behind each layer but the last.
        bidirectional: also run in reverse, and concatenate the features of both directions.

    ValueError or TypeError for options out of range.
    """

    gates, cell = 1, rnn_step

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        proj_size: int | None = None,
    ) -> None:
        if proj_size is not None:
            raise ValueError(_ONLY_LSTM)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
            bidirectional, 0, device, dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity

    def _step(self, suffix: str) -> Step:
        return partial(super()._step(suffix), nonlinearity=self.nonlinearity)


class LSTM(RNNBase):
    """Long short-term memory: a recurrent layer with a second state c, which three gates forget, add to and read.

    Called with (input, (h_0, c_0)), or (input) for zeros; gives (output, (h_n, c_n)). The formula is in `lstm_step`.

    Args:
        proj_size: if not 0, the features of h after a linear map weight_hr.

    The others are those of RNN, without nonlinearity.
    """

    gates, states, cell = 4, 2, lstm_step

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device,
            dtype,
        )  # fmt: skip

    def _step(self, suffix: str) -> Step:
        return partial(super()._step(suffix), weight_hr=getattr(self, f"weight_hr{suffix}") if self.proj_size else None)


class GRU(RNNBase):
    """Gated recurrent unit: a recurrent layer with two gates, which decide how much of h is kept and used.

    Called with (input, h_0), or (input) for zeros; gives (output, h_n). The formula is in `gru_step`; the arguments are
    those of RNN, without nonlinearity.
    """

    gates, cell = 3, gru_step

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        proj_size: int | None = None,
    ) -> None:
        if proj_size is not None:
            raise ValueError(_ONLY_LSTM)
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )

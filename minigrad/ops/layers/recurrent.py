"""A whole LSTM layer as one node.

A layer over 50 time steps is 550 operations on small arrays, whose calls take longer than their numbers. Here numpy
runs the same formulas in two loops, forwards and backwards, and all four gates at once. Where the backward is recorded,
the steps are taken again, as the operations that they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.engine import grad
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import is_grad_enabled
from minigrad.op import Array
from minigrad.tensor import Tensor
from minigrad.tensor_base import from_array

# Gates stand as o, i, f, g here, each in one piece of memory, which numpy runs through faster: the first three are
# sigmoids, and the last three go to the cell.
_FROM_I_F_G_O = [3, 0, 1, 2]


class LSTMLayer(Function):
    """W_ih x + b_ih of all time steps (time, batch, 4 * hidden), the first h and c (batch, hidden), W_hh and b_hh (or
    None) -> the outputs of all time steps, and the last h and c.

    `run`: does the same step by step, from the same tensors. `step`: -1 to begin at the last time.
    """

    @staticmethod
    def forward(
        ctx: Any, run: Callable[..., Any], step: int, projected: Tensor, h: Tensor, c: Tensor, weight: Tensor, bias: Any
    ) -> Any:
        # sigmoid(x) = tanh(x / 2) / 2 + 1 / 2: three of the gates are this, and g, here the last, is tanh itself
        scale = np.array([0.5, 0.5, 0.5, 1], h._array.dtype).reshape(4, 1, 1)
        matrices, wx = np.multiply(_by_gate(weight).mT, scale, order="C"), projected._array[::step]
        i, f, g, o = (wx if bias is None else wx + bias._array).reshape(*wx.shape[:2], 4, -1).transpose(2, 0, 1, 3)
        gates = np.stack([o, i, f, g], 1)
        gates[:, :3] *= 0.5
        states, cells, curves = (np.empty((len(gates) + 1, *h.shape), h._array.dtype) for _ in range(3))
        states[0], cells[0], work = h._array, c._array, np.empty_like(gates[0])
        for t, now in enumerate(gates):
            now += np.matmul(states[t], matrices, out=work)
            np.tanh(now, out=now)
            sigmoids, (o, i, f, g) = now[:3], now
            sigmoids *= 0.5
            sigmoids += 0.5
            np.add(f * cells[t], i * g, out=cells[t + 1])
            np.multiply(o, np.tanh(cells[t + 1], out=curves[t]), out=states[t + 1])
        ctx.save_for_backward(projected, h, c, weight, bias)
        ctx.run, ctx.step, ctx.found = run, step, (gates, states, cells, curves[:-1])
        return tuple([from_array(array.copy()) for array in (states[1:][::step], states[-1], cells[-1])])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        needed, (projected, h, c, weight, bias) = ctx.needs_input_grad[2:], ctx.saved_tensors
        if is_grad_enabled():
            outputs, last = ctx.run(projected, (h, c), weight, bias, ctx.step)
            wanted = [tensor for tensor, is_needed in zip(ctx.saved_tensors, needed, strict=True) if is_needed]
            found = iter(grad([outputs, *last], wanted, gradients, create_graph=True, allow_unused=True))
            return None, None, *[next(found) if is_needed else None for is_needed in needed]
        gates, states, cells, curves = ctx.found
        of_outputs, dh, dc = gradients[0]._array[:: ctx.step], *[gradient._array.copy() for gradient in gradients[1:]]
        # The slope of each gate, times what the gate is multiplied with; in the loop it becomes the gradient of W x.
        slopes = 1 - gates
        slopes *= gates
        (o, i, f, g), (of_o, of_i, of_f, of_g) = gates.swapaxes(0, 1), slopes.swapaxes(0, 1)
        np.subtract(1, g * g, out=of_g)
        for slope, factor in zip(slopes.swapaxes(0, 1), (curves, g, cells[:-1], i), strict=True):
            slope *= factor
        to_cell, matrices = o * (1 - curves * curves), _by_gate(weight)
        for t in reversed(range(len(gates))):
            dh += of_outputs[t]
            dc += dh * to_cell[t]
            slopes[t, 0] *= dh
            slopes[t, 1:] *= dc
            np.add.reduce(slopes[t] @ matrices, 0, out=dh)
            dc *= f[t]
        of_projected = np.concatenate([of_i, of_f, of_g, of_o], 2)
        rows = of_projected.reshape(-1, of_projected.shape[2])
        of_weight = rows.T @ states[:-1].reshape(len(rows), -1)
        found = of_projected[:: ctx.step], dh, dc, of_weight, np.ones(len(rows), rows.dtype) @ rows
        return None, None, *[from_array(array) if need else None for array, need in zip(found, needed, strict=True)]


def _by_gate(weight: Tensor) -> Array:
    """The rows of a weight (4 * hidden, hidden) as a matrix for each gate: (4, hidden, hidden)."""
    return weight._array.reshape(4, -1, weight.shape[1])[_FROM_I_F_G_O]

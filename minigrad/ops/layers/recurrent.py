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


class LSTMLayer(Function):
    """W_ih x + b_ih of all time steps (time, batch, 4 * hidden), the first h and c (batch, hidden), W_hh and b_hh (or
    None) -> the outputs of all time steps, and the last h and c.

    `run`: does the same step by step, from the same tensors. `step`: -1 to begin at the last time.
    """

    @staticmethod
    def forward(
        ctx: Any, run: Callable[..., Any], step: int, projected: Tensor, h: Tensor, c: Tensor, weight: Tensor, bias: Any
    ) -> Any:
        # sigmoid(x) = tanh(x / 2) / 2 + 1 / 2: three of the gates are this, and g, the third, is tanh itself
        scale = np.repeat(np.array([0.5, 0.5, 1, 0.5], h._array.dtype), h.shape[1])
        gates, matrix = projected._array[::step] * scale, np.multiply(weight._array.T, scale, order="C")
        if bias is not None:
            gates += bias._array * scale
        states, cells, curves = (np.empty((len(gates) + 1, *h.shape), h._array.dtype) for _ in range(3))
        states[0], cells[0] = h._array, c._array
        i, f, g, o = _by_gate(gates)
        for t, now in enumerate(gates):
            now += states[t] @ matrix
            np.tanh(now, out=now)
            now *= scale
            now += 1 - scale
            np.add(f[t] * cells[t], i[t] * g[t], out=cells[t + 1])
            np.multiply(o[t], np.tanh(cells[t + 1], out=curves[t]), out=states[t + 1])
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
        of_outputs, dh, dc = (gradient._array.copy() for gradient in gradients)
        i, f, g, o = _by_gate(gates)
        # The slope of each gate, times what the gate is multiplied with; in the loop it becomes the gradient of W x.
        slopes = gates * (1 - gates)
        by_gate = _by_gate(slopes)
        np.multiply(1 + g, 1 - g, out=by_gate[2])
        by_gate *= np.stack([g, cells[:-1], i, curves])
        to_cell = o * (1 - curves * curves)
        for t in reversed(range(len(gates))):
            dh += of_outputs[:: ctx.step][t]
            dc += dh * to_cell[t]
            by_gate[:3, t] *= dc
            by_gate[3, t] *= dh
            np.matmul(slopes[t], weight._array, out=dh)
            dc *= f[t]
        rows = slopes.reshape(-1, slopes.shape[2])
        of_weight = rows.T @ states[:-1].reshape(len(rows), -1)
        found = slopes[:: ctx.step], dh, dc, of_weight, np.ones(len(rows), rows.dtype) @ rows
        return None, None, *[from_array(array) if need else None for array, need in zip(found, needed, strict=True)]


def _by_gate(rows: Array) -> Array:
    """A view by gates: (time, batch, 4 * hidden) -> (4, time, batch, hidden)."""
    return rows.reshape(*rows.shape[:2], 4, -1).transpose(2, 0, 1, 3)

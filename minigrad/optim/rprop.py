"""Rprop: steps that look at the sign of the gradient only.

After this module a reader knows the ancestor of all rules that have a step length for each number: it grows while the
gradient keeps its sign, and shrinks when the sign turns, for then a minimum was stepped over. The gradient of a small
batch has its sign by chance, so this is for gradients of all the data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import arrays
from minigrad.optim.optimizer import Group
from minigrad.optim.update import (
    Array,
    PerParameterOptimizer,
    begin_state,
    check_lr,
    chunks,
    for_writing,
    next_step,
    number,
)
from minigrad.tensor import Tensor, from_array, own_array


class Rprop(PerParameterOptimizer):
    """Resilient backpropagation (Riedmiller and Braun 1993, "A direct adaptive method for faster backpropagation
    learning: the RPROP algorithm").

        s ← min(s·η⁺, largest step)                     where g·(the g before) > 0
        s ← max(s·η⁻, smallest step), and g ← 0         where g·(the g before) < 0: no step, and none counts as before
        p ← p − s·sign(g)

    Args:
        lr: the first step length s of every number.
        etas: η⁻ and η⁺, the factors by which it shrinks and grows.
        step_sizes: the smallest and the largest step.

    ValueError for a negative lr, or unless 0 < η⁻ < 1 < η⁺. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}: the first shrinks a step, the second grows it")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            begin_state(state, param, "prev")
            state["step_size"] = from_array(np.full_like(own_array(param), number(group["lr"])))
        next_step(state)
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        moving = for_writing(state["prev"]), for_writing(state["step_size"])
        for work, p, g, before, s in chunks(for_writing(param), gradient, *moving):
            g = -g if group["maximize"] else g
            agreement = np.multiply(g, before, out=work)
            turned = agreement < 0
            np.multiply(s, grow, out=s, where=agreement > 0)
            np.multiply(s, shrink, out=s, where=turned)
            np.clip(s, smallest, largest, out=s)
            before[...] = np.where(turned, 0, g)
            p -= np.multiply(s, arrays.sign(before), out=work)

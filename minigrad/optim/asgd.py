"""ASGD: gradient descent that also keeps the average of where it was.

After this module a reader knows why an average of parameters can be better than the last ones: gradients of batches
scatter, so the steps wander around the minimum, and the mean of the places is nearer to it than any of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.optim.optimizer import Group
from minigrad.optim.update import (
    Array,
    PerParameterOptimizer,
    begin_state,
    check_lr,
    check_option,
    chunks,
    for_writing,
    gradient_with_decay,
    next_step,
    number,
    scalar_state,
)
from minigrad.tensor import Tensor


class ASGD(PerParameterOptimizer):
    """Averaged stochastic gradient descent (Polyak and Juditsky 1992, "Acceleration of stochastic approximation by
    averaging").

        p ← p·(1 − lambd·η) − η·g
        a ← a + μ·(p − a)
        η ← lr / (1 + lambd·lr·t)^alpha,  μ ← 1 / max(1, t − t0)        after step t = 1, 2, ...; at first η = lr, μ = 1

    The average a is in `state[p]["ax"]`; until step t0 + 1 it is the parameter itself. g is the gradient plus
    weight_decay·p.

    ValueError for a negative lr or weight_decay. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_option("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            begin_state(state, param, "ax")
            state["eta"], state["mu"] = scalar_state(number(group["lr"])), scalar_state(1)
        t, lr, lambd = next_step(state), number(group["lr"]), number(group["lambd"])
        eta, mu = number(state["eta"]), number(state["mu"])
        for work, p, g, a in chunks(for_writing(param), gradient, for_writing(state["ax"])):
            g = gradient_with_decay(p, g, group)
            p *= 1 - lambd * eta
            p -= np.multiply(eta, g, out=work)
            if mu == 1:
                a[...] = p
            else:
                a += np.multiply(mu, p - a, out=work)
        later = {"eta": lr / (1 + lambd * lr * t) ** number(group["alpha"]), "mu": 1 / max(1, t - number(group["t0"]))}
        for name, value in later.items():  # in float32, also where they were loaded beside parameters of float64
            for_writing(state[name])[...] = np.float32(value)

"""Adagrad and Adadelta: steps that shorten by what was walked before.

After this module a reader knows the ancestors of RMSprop and Adam: Adagrad divides by the root of the sum of all
squared gradients, so that steps only ever get shorter; Adadelta forgets old ones, and measures its steps in the units
of the parameter, so that it needs no learning rate.
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
    over_root,
    scalar_state,
    update_square_average,
)
from minigrad.tensor import Tensor, from_array, own_array


class Adagrad(PerParameterOptimizer):
    """Adaptive gradient (Duchi, Hazan and Singer 2011, "Adaptive Subgradient Methods for Online Learning and Stochastic
    Optimization").

        s ← s + g²                                   (s begins at initial_accumulator_value)
        p ← p − lr / (1 + (t − 1)·lr_decay) · g / (√s + eps)

    g is the gradient plus weight_decay·p. ValueError for options that are out of range. `foreach` and `fused` change
    nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_option("lr_decay value", lr_decay)
        check_option("weight_decay value", weight_decay)
        check_option("initial_accumulator_value value", initial_accumulator_value)
        check_option("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                self._begin(param)

    def _begin(self, param: Tensor) -> None:
        start = self.defaults["initial_accumulator_value"]
        self.state[param] = {"step": scalar_state(0), "sum": from_array(np.full_like(own_array(param), start))}

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        if not self.state[param]:
            self._begin(param)
        state = self.state[param]
        t, eps = next_step(state), number(group["eps"])
        lr = number(group["lr"]) / (1 + (t - 1) * number(group["lr_decay"]))
        for work, p, g, s in chunks(for_writing(param), gradient, for_writing(state["sum"])):
            g = gradient_with_decay(p, g, group)
            s += np.multiply(g, g, out=work)
            step = over_root(g, s, eps, work)
            step *= lr
            p -= step


class Adadelta(PerParameterOptimizer):
    """Adadelta (Zeiler 2012, "ADADELTA: An Adaptive Learning Rate Method").

        v ← rho·v + (1 − rho)·g²
        d ← √(u + eps) / √(v + eps) · g
        u ← rho·u + (1 − rho)·d²
        p ← p − lr·d

    g is the gradient plus weight_decay·p. ValueError for options that are out of range. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_option("rho value", rho, lambda value: 0 <= value <= 1)
        check_option("epsilon value", eps)
        check_option("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            begin_state(state, param, "square_avg", "acc_delta")
        next_step(state)
        lr, rho, eps = number(group["lr"]), number(group["rho"]), number(group["eps"])
        averages = for_writing(state["square_avg"]), for_writing(state["acc_delta"])
        for work, p, g, v, u in chunks(for_writing(param), gradient, *averages):
            g = gradient_with_decay(p, g, group)
            update_square_average(v, g, rho, work)
            d = (u + eps) / np.add(v, eps, out=work)
            d = np.sqrt(d) * g
            update_square_average(u, d, rho, work)
            d *= lr
            p -= d

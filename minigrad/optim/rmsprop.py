"""RMSprop: each number's gradient is divided by its usual size.

After this module a reader knows the half of Adam that is older: a running average of the squared gradients, by whose
root each step is divided, so that steep and flat directions are walked at similar speed.
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
    update_average,
    update_square_average,
)
from minigrad.tensor import Tensor


class RMSprop(PerParameterOptimizer):
    """Root mean square propagation (Tieleman and Hinton 2012, lecture 6 of "Neural networks for machine learning").

        v ← alpha·v + (1 − alpha)·g²
        p ← p − lr·g / (√v + eps)

    `centered` takes the variance, v − a² with the average gradient a, in the place of v (Graves 2013, "Generating
    Sequences With Recurrent Neural Networks"). With `momentum` the steps without lr are gathered:
    b ← momentum·b + g / (√v + eps), p ← p − lr·b. g is the gradient plus weight_decay·p.

    ValueError for options that are out of range. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_option("epsilon value", eps)
        check_option("momentum value", momentum)
        check_option("weight_decay value", weight_decay)
        check_option("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("momentum", 0)
            group.setdefault("centered", False)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state, momentum, centered = self.state[param], number(group["momentum"]), group["centered"]
        names = ["square_avg", *(["grad_avg"] if centered else []), *(["momentum_buffer"] if momentum > 0 else [])]
        if not state:
            begin_state(state, param, *names)
        next_step(state)
        lr, alpha, eps = number(group["lr"]), number(group["alpha"]), number(group["eps"])
        for work, p, g, v, *more in chunks(for_writing(param), gradient, *(for_writing(state[name]) for name in names)):
            g = gradient_with_decay(p, g, group)
            update_square_average(v, g, alpha, work)
            if centered:
                a = more[0]
                update_average(a, g, alpha, work)
                v = np.subtract(v, np.multiply(a, a, out=work), out=work)
            step = over_root(g, v, eps, work)
            if momentum > 0:
                b = more[-1]
                b *= momentum
                b += step
                step = b
            p -= np.multiply(lr, step, out=work)

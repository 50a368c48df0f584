"""Gradient descent, with momentum.

After this module a reader knows the rule that all others vary: step against the gradient. With momentum the steps are
along a buffer that gathers gradients and forgets them slowly, like a ball that rolls with some friction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.optim.optimizer import Group
from minigrad.optim.update import (
    Array,
    PerParameterOptimizer,
    check_lr,
    check_option,
    chunks,
    for_writing,
    gradient_with_decay,
    number,
)
from minigrad.tensor import Tensor, from_array


class SGD(PerParameterOptimizer):
    """Stochastic gradient descent.

        b ← momentum·b + (1 − dampening)·g          (the first b is g)
        p ← p − lr·b                                (nesterov: lr·(g + momentum·b); without momentum: lr·g)

    where g is the gradient plus weight_decay·p. With `maximize` the gradient is climbed. Sutskever et al. 2013, "On the
    importance of initialization and momentum in deep learning", with the learning rate outside of the buffer.

    ValueError for options that are out of range. `foreach` and `fused` change nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_option("momentum value", momentum)
        check_option("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("nesterov", False)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        lr, momentum, dampening = number(group["lr"]), number(group["momentum"]), number(group["dampening"])
        values = for_writing(param)
        if momentum == 0:
            for work, p, g in chunks(values, gradient):
                p -= np.multiply(lr, gradient_with_decay(p, g, group), out=work)
            return
        state = self.state[param]
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = from_array(np.empty_like(values))
        for work, p, g, b in chunks(values, gradient, for_writing(state["momentum_buffer"])):
            g = gradient_with_decay(p, g, group)
            if first:
                b[...] = g
            else:
                b *= momentum
                b += g if dampening == 0 else np.multiply(1 - dampening, g, out=work)
            if group["nesterov"]:
                np.multiply(momentum, b, out=work)
                work += g
                work *= lr
            else:
                np.multiply(lr, b, out=work)
            p -= work

"""Adam: for each number its own step length, learned from the sizes of its gradients.

After this module a reader knows Adam's two running averages and why they are corrected at the start, and what AdamW
does differently: it shrinks the weights directly, where Adam adds the decay to the gradient and so to the averages.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.optim.optimizer import Group
from minigrad.optim.update import (
    Array,
    PerParameterOptimizer,
    begin_state,
    check_adam_options,
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


class Adam(PerParameterOptimizer):
    """Adaptive moment estimation (Kingma and Ba 2015, "Adam: A Method for Stochastic Optimization").

        m ← β₁·m + (1 − β₁)·g
        v ← β₂·v + (1 − β₂)·g²
        p ← p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + eps)        at step t = 1, 2, ...

    m and v begin at 0; the divisions make up for that. g is the gradient plus weight_decay·p, unless
    `decoupled_weight_decay`, as in AdamW. With `amsgrad` the largest v so far takes the place of v
    (Reddi, Kale and Kumar 2018, "On the Convergence of Adam and Beyond").

    ValueError for options that are out of range. `foreach` and `fused` change nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_adam_options(lr, eps, betas, weight_decay)
        if not (all(isinstance(beta, float) for beta in betas) or all(isinstance(beta, Tensor) for beta in betas)):
            raise ValueError(f"betas must be either both floats or both Tensors: {betas}")
        defaults = {
            "lr": lr,
            "betas": tuple(betas),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("amsgrad", False)
            group.setdefault("decoupled_weight_decay", False)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            more = ["max_exp_avg_sq"] if group["amsgrad"] else []
            begin_state(state, param, "exp_avg", "exp_avg_sq", *more)
        t = next_step(state)
        lr, eps = number(group["lr"]), number(group["eps"])
        beta1, beta2 = map(number, group["betas"])
        # The bias corrections are numbers: they go into the step size and into eps, not through the arrays.
        correction1, correction2 = 1 - beta1**t, (1 - beta2**t) ** 0.5
        step_size, eps = lr * correction2 / correction1, eps * correction2
        moments = [for_writing(state["exp_avg"]), for_writing(state["exp_avg_sq"])]
        if group["amsgrad"]:
            moments.append(for_writing(state["max_exp_avg_sq"]))
        for work, p, g, m, v, *largest in chunks(for_writing(param), gradient, *moments):
            g = gradient_with_decay(p, g, group)
            update_average(m, g, beta1, work)
            update_square_average(v, g, beta2, work)
            if largest:
                v = np.maximum(largest[0], v, out=largest[0])
            step = over_root(m, v, eps, work)
            step *= step_size
            p -= step


class AdamW(Adam):
    """Adam with decoupled weight decay: before each step p ← p − lr·weight_decay·p.

    (Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization".)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # also where the state comes from an Adam
            group["decoupled_weight_decay"] = True

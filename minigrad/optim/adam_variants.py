"""Adamax, NAdam and RAdam: three papers' changes to Adam.

After this module a reader knows what each of them replaces: Adamax the average of squares by a decaying maximum, NAdam
the plain momentum by Nesterov's, and RAdam the first, unreliable steps by steps of plain momentum.
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
    check_option,
    chunks,
    for_writing,
    gradient_with_decay,
    next_step,
    number,
    over_root,
    scalar_state,
    update_average,
    update_square_average,
)
from minigrad.tensor import Tensor


class Adamax(PerParameterOptimizer):
    """Adam with the largest gradient in the place of the mean square (Kingma and Ba 2015, section 7).

        m ← β₁·m + (1 − β₁)·g
        u ← max(β₂·u, |g| + eps)
        p ← p − lr / (1 − β₁ᵗ) · m / u

    g is the gradient plus weight_decay·p. ValueError for options that are out of range. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_adam_options(lr, eps, betas, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
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
            begin_state(state, param, "exp_avg", "exp_inf")
        t, eps = next_step(state), number(group["eps"])
        beta1, beta2 = map(number, group["betas"])
        step_size = number(group["lr"]) / (1 - beta1**t)
        moments = for_writing(state["exp_avg"]), for_writing(state["exp_inf"])
        for work, p, g, m, u in chunks(for_writing(param), gradient, *moments):
            g = gradient_with_decay(p, g, group)
            update_average(m, g, beta1, work)
            size = np.abs(g, out=work)
            size += eps
            u *= beta2
            np.maximum(u, size, out=u)
            step = np.divide(m, u, out=work)
            step *= step_size
            p -= step


class NAdam(PerParameterOptimizer):
    """Adam with Nesterov's momentum (Dozat 2016, "Incorporating Nesterov Momentum into Adam").

        m ← β₁·m + (1 − β₁)·g,  v ← β₂·v + (1 − β₂)·g²,  μₜ = β₁·(1 − ½·0.96^(t·momentum_decay)),  Πₜ = μ₁·…·μₜ
        p ← p − lr·((1 − μₜ) / (1 − Πₜ)·g + μₜ₊₁ / (1 − Πₜ₊₁)·m) / (√(v / (1 − β₂ᵗ)) + eps)

    g is the gradient plus weight_decay·p, unless `decoupled_weight_decay`: then p ← p − lr·weight_decay·p comes first.
    ValueError for options that are out of range. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam_options(lr, eps, betas, weight_decay)
        check_option("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            begin_state(state, param, "exp_avg", "exp_avg_sq")
            state["mu_product"] = scalar_state(1)
        t, lr, eps = next_step(state), number(group["lr"]), number(group["eps"])
        beta1, beta2 = map(number, group["betas"])
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (when * number(group["momentum_decay"]))) for when in (t, t + 1))
        product = for_writing(state["mu_product"])
        product *= mu
        correction2 = (1 - beta2**t) ** 0.5
        gradient_share = lr * correction2 * (1 - mu) / (1 - product.item())
        average_share = lr * correction2 * mu_next / (1 - product.item() * mu_next)
        moments = for_writing(state["exp_avg"]), for_writing(state["exp_avg_sq"])
        for work, p, g, m, v in chunks(for_writing(param), gradient, *moments):
            g = gradient_with_decay(p, g, group)
            update_average(m, g, beta1, work)
            update_square_average(v, g, beta2, work)
            step = gradient_share * g
            step += np.multiply(average_share, m, out=work)
            root = np.sqrt(v, out=work)
            root += eps * correction2
            step /= root
            p -= step


class RAdam(PerParameterOptimizer):
    """Rectified Adam (Liu et al. 2020, "On the Variance of the Adaptive Learning Rate and Beyond").

        m, v as in Adam,  ρ∞ = 2 / (1 − β₂) − 1,  ρ = ρ∞ − 2·t·β₂ᵗ / (1 − β₂ᵗ)
        r = √((ρ − 4)(ρ − 2)·ρ∞ / ((ρ∞ − 4)(ρ∞ − 2)·ρ))
        p ← p − lr·m / (1 − β₁ᵗ)·r·√(1 − β₂ᵗ) / (√v + eps)        if ρ > 5, else
        p ← p − lr·m / (1 − β₁ᵗ)

    g is the gradient plus weight_decay·p, unless `decoupled_weight_decay`: then p ← p − lr·weight_decay·p comes first.
    ValueError for options that are out of range. `foreach` changes nothing here.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam_options(lr, eps, betas, weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        state = self.state[param]
        if not state:
            begin_state(state, param, "exp_avg", "exp_avg_sq")
        t, lr, eps = next_step(state), number(group["lr"]), number(group["eps"])
        beta1, beta2 = map(number, group["betas"])
        step_size = lr / (1 - beta1**t)
        most = 2 / (1 - beta2) - 1
        rho = most - 2 * t * beta2**t / (1 - beta2**t)
        adaptive = rho > 5
        if adaptive:
            rectified = ((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)) ** 0.5
            step_size *= rectified * (1 - beta2**t) ** 0.5
        moments = for_writing(state["exp_avg"]), for_writing(state["exp_avg_sq"])
        for work, p, g, m, v in chunks(for_writing(param), gradient, *moments):
            g = gradient_with_decay(p, g, group)
            update_average(m, g, beta1, work)
            update_square_average(v, g, beta2, work)
            step = over_root(m, v, eps, work) if adaptive else m
            p -= np.multiply(step_size, step, out=work)

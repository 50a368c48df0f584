"""L-BFGS: steps that learn the curvature from how the gradient changed.

After this module a reader knows the two loops by which the last few steps and gradient changes stand in for the inverse
of the matrix of second derivatives, and why this optimizer needs a closure: it looks at the loss several times in one
step. How far to go along a direction is the matter of line_search.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad, no_grad
from minigrad.optim.line_search import strong_wolfe
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.update import Array, check_lr, for_writing, number
from minigrad.tensor import Tensor, from_array, own_array


class LBFGS(Optimizer):
    """Limited-memory BFGS (Nocedal and Wright 2006, Numerical Optimization, algorithms 7.4 and 7.5).

    Args:
        lr: the length of a step, relative to what the curvature suggests.
        max_iter: most iterations in one call of `step`.
        max_eval: most evaluations of the closure in one call; by default 1.25 for each iteration.
        tolerance_grad: stop when no element of the gradient is larger.
        tolerance_change: stop when the loss or the parameters change less.
        history_size: how many steps are remembered.
        line_search_fn: "strong_wolfe", or None to go `lr` along each direction.

    All parameters are in one group. ValueError otherwise, or for a negative lr.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups): use one group")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Go some iterations down the loss.

        Args:
            closure: clears the gradients, computes the loss, calls backward() on it and returns it.

        Returns what the closure returned first.
        """
        group, saved = self.param_groups[0], self.state[self._params[0]]
        evaluate = enable_grad()(closure)
        first = evaluate()
        loss, gradient = float(_value(first)), self._flat_gradient()
        state = _History(saved)
        state.evaluations += 1
        evaluations, lr = 1, number(group["lr"])
        if np.abs(gradient).max() <= group["tolerance_grad"]:
            state.save(saved)
            return first
        for iteration in range(1, group["max_iter"] + 1):
            state.iterations += 1
            direction = state.next_direction(gradient, group["history_size"])
            state.gradient, state.loss = gradient, loss
            length: Any = lr if state.iterations > 1 else min(1.0, 1.0 / np.abs(gradient).sum()) * lr
            state.direction, state.length = direction, length
            slope = gradient.dot(direction)
            if slope > -group["tolerance_change"]:
                break
            used, last = 0, iteration == group["max_iter"]
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError(f"only 'strong_wolfe' is supported, not {group['line_search_fn']!r}")
                start = [own_array(param).copy() for param in self._params]
                objective = self._objective_along(start, direction, evaluate)
                loss, gradient, length, used = strong_wolfe(
                    objective, length, direction, loss, gradient, slope, max_evaluations=group["max_eval"] - evaluations
                )
                state.length = length
                self._move(direction, length)
            else:
                self._move(direction, length)
                if not last:
                    loss, gradient, used = float(_value(evaluate())), self._flat_gradient(), 1
            evaluations += used
            state.evaluations += used
            if (
                last
                or evaluations >= group["max_eval"]
                or np.abs(gradient).max() <= group["tolerance_grad"]
                or np.abs(direction * length).max() <= group["tolerance_change"]
                or abs(loss - state.loss) < group["tolerance_change"]
            ):
                break
        state.save(saved)
        return first

    def _flat_gradient(self) -> Array:
        """All gradients in one row; zeros for a parameter that has none."""
        rows = [
            np.zeros(param.numel(), param.dtype.numpy) if param._grad is None else own_array(param._grad).reshape(-1)
            for param in self._params
        ]
        return np.concatenate(rows)

    def _move(self, direction: Array, length: Any) -> None:
        start = 0
        for param in self._params:
            values = for_writing(param)
            values += length * direction[start : start + values.size].reshape(values.shape)
            start += values.size

    def _objective_along(
        self, start: list[Array], direction: Array, evaluate: Callable[[], Any]
    ) -> Callable[[Any], tuple[float, Array]]:
        """Loss and gradient as a function of the step length along a direction; the parameters stay at the start."""

        def objective(length: Any) -> tuple[float, Array]:
            self._move(direction, length)
            loss = float(_value(evaluate()))
            for param, values in zip(self._params, start, strict=True):
                for_writing(param)[...] = values
            return loss, self._flat_gradient()

        return objective


class _History:
    """What L-BFGS remembers: kept in the optimizer's state as tensors, and used as arrays."""

    def __init__(self, saved: dict[str, Any]) -> None:
        self.evaluations, self.iterations = saved.get("func_evals", 0), saved.get("n_iter", 0)
        self.direction, self.length = _to_array(saved.get("d")), _to_array(saved.get("t"))
        self.gradient_changes = [_to_array(gradient_change) for gradient_change in saved.get("old_dirs") or ()]
        self.steps = [_to_array(step) for step in saved.get("old_stps") or ()]
        self.rhos = [_to_array(rho) for rho in saved.get("ro") or ()]
        self.scale: Any = _to_array(saved.get("H_diag", 1))
        self.gradient, self.loss = _to_array(saved.get("prev_flat_grad")), saved.get("prev_loss")

    def save(self, saved: dict[str, Any]) -> None:
        saved["func_evals"], saved["n_iter"] = self.evaluations, self.iterations
        if self.direction is None:
            return
        saved["d"], saved["t"] = _to_tensor(self.direction), _to_tensor(self.length)
        saved["old_dirs"] = [_to_tensor(gradient_change) for gradient_change in self.gradient_changes]
        saved["old_stps"] = [_to_tensor(step) for step in self.steps]
        saved["ro"] = [_to_tensor(rho) for rho in self.rhos]
        saved["H_diag"] = _to_tensor(self.scale)
        saved["prev_flat_grad"], saved["prev_loss"] = _to_tensor(self.gradient), self.loss

    def next_direction(self, gradient: Array, size: int) -> Array:
        """Minus the gradient times an estimate of the inverse Hessian: the two loops of algorithm 7.4.

        `scale` is the estimate before the first remembered step, times the identity (equation 7.20).
        """
        if self.iterations == 1:
            return -gradient
        gradient_change, step = gradient - self.gradient, self.direction * self.length
        curvature = gradient_change.dot(step)
        if curvature > 1e-10:
            new = (self.gradient_changes, gradient_change), (self.steps, step), (self.rhos, 1 / curvature)
            for remembered, latest in new:
                if len(remembered) == size:
                    remembered.pop(0)
                remembered.append(latest)
            self.scale = curvature / gradient_change.dot(gradient_change)
        direction = -gradient
        past = list(zip(self.gradient_changes, self.steps, self.rhos, strict=True))
        alphas = []
        for gradient_change, step, rho in reversed(past):
            alpha = step.dot(direction) * rho
            direction -= alpha * gradient_change
            alphas.append(alpha)
        direction *= self.scale
        for (gradient_change, step, rho), alpha in zip(past, reversed(alphas), strict=True):
            direction += (alpha - gradient_change.dot(direction) * rho) * step
        return direction


def _to_array(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value


def _to_tensor(value: Any) -> Any:
    return from_array(value) if isinstance(value, np.ndarray | np.generic) else value


def _value(loss: Any) -> Any:
    """The closure's result as a number, without the warning that the graph is left behind."""
    return loss.item() if isinstance(loss, Tensor) else loss

"""Rates that go up and down.

After this module a reader knows the cosine with restarts, the triangles of a cyclic rate, and the one cycle that many
trainings use today: a quick way up, a long way down, and the momentum the other way round.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from minigrad.optim.lr_scheduler.scheduler import (
    LRScheduler,
    Rates,
    check_optimizer,
    for_each_group,
    rates,
    set_rate,
)
from minigrad.optim.optimizer import Group, Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """lr = eta_min + (initial lr − eta_min) · (1 + cos(π · T_cur / T_i)) / 2, where T_cur counts the epochs since the
    last restart, and T_i, the epochs between two restarts, begins at `T_0` and is multiplied by `T_mult` at each
    (Loshchilov and Hutter 2017, SGDR).

    ValueError unless T_0 is a positive int, T_mult an int of 1 or more and eta_min a number.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._check_in_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to an epoch, which may be a fraction: `step(epoch + batch / batches)`."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:  # T_0 · (1 + T_mult + T_mult² + ...) epochs lie before the restart number n
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        with self._during("_get_lr_called_within_step"):
            for group, value in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
                set_rate(group, value)
        self._last_lr = rates(self.optimizer)


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum too: "momentum" of the groups, or the first of their "betas"."""

    def _start_momentum(self, optimizer: Optimizer, base: Any, most: Any, last_epoch: int) -> tuple[Rates, Rates]:
        """Both ends for each group; a new schedule begins with the most momentum."""
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                "optimizer must support momentum or beta1 with `cycle_momentum` option enabled: "
                f"{type(optimizer).__name__} has neither, so give cycle_momentum=False"
            )
        self.use_beta1 = "betas" in optimizer.defaults
        mosts = for_each_group("max_momentum", optimizer, most)
        bases = for_each_group("base_momentum", optimizer, base)
        if last_epoch == -1:
            for group, high, low in zip(optimizer.param_groups, mosts, bases, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return bases, mosts

    def _set_momentum(self, group: Group, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """Triangles between `base_lr` and `max_lr`, up in `step_size_up` steps and down in `step_size_down`; the momentum
    goes the other way (Smith 2017).

    Args:
        mode: "triangular"; "triangular2", where each triangle is half as high; or "exp_range", where the height is
            multiplied by `gamma` at each step.
        scale_fn: in the place of a mode: the height as a function of the cycle's number, or of the step's
            (`scale_mode` "cycle" or "iterations").

    ValueError if an argument does not fit the parameter groups, or the optimizer has no momentum.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        bases = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, bases, strict=True):
                set_rate(group, lr)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                f"mode is invalid and scale_fn is None: {mode!r} is not one of triangular, triangular2, exp_range"
            )
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom: Any = scale_fn
        self.scale_mode = scale_mode
        self._choose_scale()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            ends = self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = ends
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def _choose_scale(self) -> None:
        if self._scale_fn_custom is None:
            functions = {"triangular": _same_height, "triangular2": _half_height}
            self._scale_fn_ref = functions.get(self.mode) or partial(_power, self.gamma)
            self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """The height of cycle or step `x`, relative to the first."""
        return float(self._scale_fn_ref(x)) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    def get_lr(self) -> Rates:
        self._check_in_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        height = place / self.step_ratio if place <= self.step_ratio else (place - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in ends:
                self._set_momentum(group, high - (high - low) * height)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All that the scheduler holds, except the optimizer and functions; of a callable object its attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        scale = state["_scale_fn_custom"]
        keeps_none = scale is None or isinstance(scale, types.FunctionType)
        state["_scale_fn_custom"] = None if keeps_none else vars(scale).copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            vars(self._scale_fn_custom).update(state_dict["_scale_fn_custom"])
        self._choose_scale()


def _same_height(cycle: float) -> float:
    return 1.0


def _half_height(cycle: float) -> float:
    return 1 / 2.0 ** (cycle - 1)


def _power(gamma: float, step: float) -> float:
    return gamma**step


class OneCycleLR(_WithMomentum):
    """One cycle: from max_lr / div_factor up to `max_lr` within the share `pct_start` of all steps, then down to
    max_lr / div_factor / final_div_factor; the momentum goes the other way (Smith and Topin 2018). With `three_phase`
    the way down first mirrors the way up, and then goes on to the end.

    Args:
        total_steps: how many steps there will be; or give `epochs` and `steps_per_epoch`.
        anneal_strategy: "cos" for a cosine between the ends, "linear" for a straight line.

    ValueError for arguments out of their range, for more steps than `total_steps`, or if the optimizer has no momentum.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            self.total_steps = _positive("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        top, end = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        up = _phase(top, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            middle = float(2 * pct_start * self.total_steps) - 2
            down = [
                _phase(middle, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                _phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            down = [_phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        self._schedule_phases = [up, *down]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        tops = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, tops, strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        self._check_in_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        share = (self.last_epoch - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._between(*ends, share))
        groups = self.optimizer.param_groups
        return [self._between(group[phase["start_lr"]], group[phase["end_lr"]], share) for group in groups]

    def _between(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _positive(name: str, value: Any) -> int:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def _phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
    """A part of the cycle: its last step, and between which options of the group the rates go."""
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }

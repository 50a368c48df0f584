"""Learning rates that change while the network learns, under the names of torch.optim.lr_scheduler.

A scheduler is made around an optimizer, and at each of its own `step()`s writes a new "lr" into each parameter group.
Most compute it from the rate that is there, so that several schedulers can work on one optimizer. The order in a
training loop is optimizer.step(), then scheduler.step().
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from minigrad.absent import attributes_of
from minigrad.autograd.blame import warn
from minigrad.optim.optimizer import Optimizer

__all__ = [*("CosineAnnealingLR", "LRScheduler", "LambdaLR", "MultiStepLR", "ReduceLROnPlateau", "StepLR")]
__getattr__ = attributes_of(__name__)

Rates = list[Any]  # one learning rate for each parameter group
Factor = Callable[[int], float]


class LRScheduler:
    """The base of the schedulers; one of your own subclasses it and defines `get_lr`.

    `last_epoch` counts the steps from 0, `base_lrs` are the rates at the start. To go on with an optimizer whose groups
    have an "initial_lr", give the epoch to go on from as `last_epoch`; -1 starts anew.

    TypeError if there is no optimizer, KeyError if `last_epoch` is given and a group has no "initial_lr".
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first, or leave out last_epoch to start anew"
                )
        self.base_lrs = _rates(optimizer, "initial_lr")
        self.last_epoch, self._step_count = last_epoch, 0
        vars(optimizer).setdefault("_opt_called", False)  # from now on it notes its steps
        self._is_initial = True
        self.step()
        self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All that the scheduler holds, except the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` of a scheduler of the same kind gave."""
        vars(self).update(state_dict)

    def get_last_lr(self) -> Rates:
        """The rates that were set last, one for each parameter group."""
        return self._last_lr

    def get_lr(self) -> Rates:
        """The rates for `last_epoch`, from those of the step before. `step()` calls it: learners want get_last_lr()."""
        raise NotImplementedError

    def step(self) -> None:
        """Go on by one epoch, or by whatever is counted, and set the new rates."""
        if self._step_count == 1 and not vars(self.optimizer)["_opt_called"]:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`. Else the first rate of the schedule is never used."
            )
        self._step_count += 1
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = _rates(self.optimizer)


class LambdaLR(LRScheduler):
    """lr = initial lr · lr_lambda(epoch), with one function, or one for each parameter group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Any] = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}: one for each group")
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All that the scheduler holds, except the optimizer; of `lr_lambdas` what those hold that are no functions."""
        held = [None if isinstance(each, FunctionType) else vars(each).copy() for each in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": held}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` of a LambdaLR with functions of the same kinds gave."""
        for each, held in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            vars(each).update(held or {})
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})

    def get_lr(self) -> Rates:
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiStepLR(LRScheduler):
    """lr ← gamma · lr, at each of the epochs in `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        return [rate * self.gamma ** self.milestones[self.last_epoch] for rate in _rates(self.optimizer)]


class StepLR(LRScheduler):
    """lr ← gamma · lr, every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        falls = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if falls else rate for rate in _rates(self.optimizer)]


class CosineAnnealingLR(LRScheduler):
    """lr = eta_min + (initial lr − eta_min) · (1 + cos(π · epoch / T_max)) / 2.

    Down to `eta_min` within `T_max` epochs, and up again (Loshchilov and Hutter 2017, SGDR, without the restarts).
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        rates = _rates(self.optimizer)
        if self._is_initial:
            return rates
        now, before = self._height(self.last_epoch), self._height(self.last_epoch - 1)
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # the way up begins: no factor leads there
            return [rate + (base - self.eta_min) * now for base, rate in zip(self.base_lrs, rates, strict=True)]
        return [now / before * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _height(self, epoch: int) -> float:
        """How much of the way from `eta_min` up to the first rate is left, from 1 to 0."""
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2


class ReduceLROnPlateau(LRScheduler):
    """lr ← max(factor · lr, min_lr), when a number has not improved for more than `patience` steps.

    Args:
        mode: "min" if the number is to fall, as a loss; "max" if it is to rise.
        factor: less than 1.
        threshold: how much better counts as better: by that share of the best so far (`threshold_mode` "rel"), or by
            that much ("abs").
        cooldown: how many steps after a change are not counted.
        min_lr: one number, or one for each parameter group.
        eps: a smaller change than that is not made.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
        threshold_mode: str = "rel", cooldown: int = 0, min_lr: list[float] | float = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError(f"Factor should be < 1.0. It is {factor}, with which the rate would not fall.")
        _check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown! It is 'min' or 'max'.")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown! It is 'rel' or 'abs'.")
        count = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, list | tuple) else min_lr
        self.min_lrs: list[Any] = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(self.min_lrs)}")
        self.optimizer, self.factor, self.patience, self.cooldown, self.eps = optimizer, factor, patience, cooldown, eps
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best = self.mode_worse = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = self.last_epoch = 0
        self._last_lr = _rates(optimizer)

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """Take note of this epoch's number, and lower the rate if it is time."""
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = _rates(self.optimizer)

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if self.default_min_lr is not None:
            self.min_lrs = [self.default_min_lr] * len(groups)  # for groups that came later, too
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                group["lr"] = new

    @property
    def in_cooldown(self) -> bool:
        """Whether steps are not counted, since the rate was lowered shortly before."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float, best: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return sign * value < sign * best * (1.0 - sign * self.threshold)
        return sign * value < sign * best - self.threshold


def _check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _rates(optimizer: Optimizer, option: str = "lr") -> Rates:
    """An option of all groups, as it is now."""
    return [group[option] for group in optimizer.param_groups]

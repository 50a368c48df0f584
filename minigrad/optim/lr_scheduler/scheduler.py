"""What all schedulers share.

After this module a reader knows how a learning rate changes: a scheduler is made around an optimizer, and at each of
its own `step()`s writes a new "lr" into each parameter group. Most compute it from the rate that is there, so that
several schedulers can work on one optimizer. The order in a training loop is optimizer.step(), then scheduler.step().
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minigrad.autograd.blame import frames_to_learner
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor

Rates = list[Any]  # one learning rate for each parameter group, a number or a tensor

EPOCH_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. Given an epoch, the rate is computed from that alone where there is a "
    "formula for it."
)


class LRScheduler:
    """The base of the schedulers; one of your own subclasses it and defines `get_lr`.

    `last_epoch` counts the steps from 0, `base_lrs` are the rates at the start. To go on with an optimizer whose groups
    have an "initial_lr", give the epoch to go on from as `last_epoch`; -1 starts anew.

    TypeError if there is no optimizer, KeyError if `last_epoch` is given and a group has no "initial_lr".
    """

    last_epoch: int
    base_lrs: Rates
    _get_lr_called_within_step = False
    _is_initial = False
    _step_count: int
    _last_lr: Rates

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", own_copy(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first, or leave out last_epoch to start anew"
                )
        self.base_lrs = rates(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the first rates."""
        self._step_count = 0
        with self._during("_is_initial"):
            self.step()

    @contextmanager
    def _during(self, flag: str) -> Iterator[None]:
        setattr(self, flag, True)
        try:
            yield
        finally:
            setattr(self, flag, False)

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

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch, or by whatever is counted, and set the new rates."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warn(EPOCH_WARNING)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`."
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order: "
                "`optimizer.step()` before `lr_scheduler.step()`. Else the first rate of the schedule is never used."
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._during("_get_lr_called_within_step"):
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = getattr(self, "_get_closed_form_lr", self.get_lr)()
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, value)
        self._last_lr = rates(self.optimizer)

    # -- for the get_lr of the schedulers

    def _check_in_step(self) -> None:
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")

    def _unchanged(self) -> Rates:
        return rates(self.optimizer)

    def _times(self, factor: float) -> Rates:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def own_copy(value: Any) -> Any:
    """A rate that stays as it is when the optimizer's own changes in place."""
    return value.clone() if isinstance(value, Tensor) else value


def rates(optimizer: Optimizer, option: str = "lr") -> Rates:
    """An option of all groups, as it is now."""
    return [own_copy(group[option]) for group in optimizer.param_groups]


def set_rate(group: Group, value: Any) -> None:
    """Set a group's learning rate; one that is a tensor stays that tensor."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group["lr"] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """An argument that is a list with an entry for each group, or one value for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [own_copy(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return [own_copy(one) for one in value]


def warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=frames_to_learner())


def _watch_steps(optimizer: Optimizer) -> None:
    """Have an optimizer note that its `step` was called, so that the order of the two `step`s can be checked."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step: Any = optimizer.step.__func__  # type: ignore[attr-defined]
    kept = weakref.ref(optimizer)  # the optimizer must not keep itself alive

    @functools.wraps(step)
    def watched(*args: Any, **kwargs: Any) -> Any:
        optimizer: Any = kept()
        optimizer._opt_called = True
        return step(optimizer, *args, **kwargs)

    watched._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = watched  # type: ignore[method-assign]

"""Learning rate schedulers: the rates of sixty steps, and what schedulers say and save, as in torch.

Every schedule gives torch's rates to the last digits, also from a saved state and from an epoch in the middle.
"""

from __future__ import annotations

import copy
import gc
import itertools
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

STEPS = 60
Schedule = Callable[[Any, Any], Any]  # from lr_scheduler and an optimizer to a scheduler


SCHEDULES: dict[str, Schedule] = {
    "StepLR": lambda S, o: S.StepLR(o, 7),
    "StepLR, gamma": lambda S, o: S.StepLR(o, step_size=20, gamma=0.5),
    "MultiStepLR": lambda S, o: S.MultiStepLR(o, [3, 8, 8, 30], gamma=0.5),
    "CosineAnnealingLR": lambda S, o: S.CosineAnnealingLR(o, 25),
    "CosineAnnealingLR, eta_min": lambda S, o: S.CosineAnnealingLR(o, T_max=7, eta_min=0.01),
    "LambdaLR": lambda S, o: S.LambdaLR(o, lambda epoch: 0.95**epoch),
    "LambdaLR, list": lambda S, o: S.LambdaLR(o, [lambda epoch: 0.5 ** (epoch // 10), lambda epoch: 1 / (epoch + 1)]),
}
OPTIMIZERS = {"SGD": {"momentum": 0.9}, "Adam": {}}


def optimizer_of(F: Any, name: str = "SGD") -> Any:
    """An optimizer with two groups, of different rates."""
    first, second = F.ones(2, requires_grad=True), F.ones(3, requires_grad=True)
    groups = [{"params": [first]}, {"params": [second], "lr": 0.05}]
    return getattr(F.optim, name)(groups, lr=0.2, **OPTIMIZERS[name])


def now(optimizer: Any) -> list[float]:
    """Rates and momentum of all groups."""
    row = []
    for group in optimizer.param_groups:
        row += [float(group["lr"]), group.get("momentum", 0.0), *group.get("betas", ())]
    return row


def rates(optimizer: Any, scheduler: Any, steps: int) -> list[list[float]]:
    rows = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        rows.append([*now(optimizer), *map(float, scheduler.get_last_lr())])
    return rows


def saved_state(scheduler: Any) -> dict[str, Any]:
    """What a scheduler saves, without what PyTorch needs for a warning that is not here."""
    return {name: value for name, value in scheduler.state_dict().items() if name != "_get_lr_called_within_step"}


def numbers(state: Any) -> Any:
    """A saved state, with what differs by name only taken out."""
    if isinstance(state, dict):
        return {key: numbers(value) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [numbers(value) for value in state]
    return pytest.approx(state, rel=1e-12, abs=1e-15) if isinstance(state, float) else state


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("name", SCHEDULES)
def test_rates(name: str, kind: str, torch: Any) -> None:
    """Sixty steps, and all that is saved after them."""
    rows, states = [], []
    for F in (torch, minigrad):
        optimizer = optimizer_of(F, kind)
        scheduler = SCHEDULES[name](F.optim.lr_scheduler, optimizer)
        first = now(optimizer)
        rows.append([[*first, *scheduler.get_last_lr()], *rates(optimizer, scheduler, STEPS - 1)])
        states.append(saved_state(scheduler))
    np.testing.assert_allclose(rows[1], rows[0], rtol=1e-12, atol=1e-16)
    assert len({tuple(row) for row in rows[1]}) > 1, "the rates never changed"
    assert states[1] == numbers(states[0])


@pytest.mark.parametrize("name", SCHEDULES)
def test_saved_and_loaded(name: str, torch: Any) -> None:
    """A schedule goes on from what was saved, here or in torch, as it would have without that."""
    expected = []
    for F in (minigrad, torch):
        source = optimizer_of(F)
        scheduler = SCHEDULES[name](F.optim.lr_scheduler, source)
        rates(source, scheduler, 23)
        saved = copy.deepcopy(scheduler.state_dict())
        groups = [
            {option: value for option, value in group.items() if option != "params"} for group in source.param_groups
        ]
        expected = expected or rates(source, scheduler, 20)
        optimizer = optimizer_of(minigrad)
        resumed = SCHEDULES[name](minigrad.optim.lr_scheduler, optimizer)
        kept = set(saved)
        resumed.load_state_dict(saved)
        assert set(saved) == kept
        for group, options in zip(optimizer.param_groups, groups, strict=True):
            group.update(options)
        np.testing.assert_allclose(rates(optimizer, resumed, 20), expected, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("name", SCHEDULES)
def test_from_an_epoch_in_the_middle(name: str, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With last_epoch, a new scheduler takes over an optimizer that another one has led before."""
    rows = []
    for F in (torch, minigrad):
        optimizer = optimizer_of(F)
        module = F.optim.lr_scheduler
        rates(optimizer, SCHEDULES[name](module, optimizer), 12)
        kind = getattr(module, name.partition(",")[0])
        made = kind.__init__
        monkeypatch.setattr(kind, "__init__", lambda *args, made=made, **options: made(*args, **options, last_epoch=11))
        rows.append(rates(optimizer, SCHEDULES[name](module, optimizer), 15))
    np.testing.assert_allclose(rows[1], rows[0], rtol=1e-12, atol=1e-16)


PLATEAUS: list[dict[str, Any]] = [
    {"patience": 3},
    {"factor": 0.5, "patience": 0, "cooldown": 4, "min_lr": 0.01},
    {"mode": "max", "patience": 2, "threshold": 0.05},
    {"threshold_mode": "abs", "threshold": 0.2, "patience": 1, "min_lr": [0.1, 0.001]},
    {"mode": "max", "threshold_mode": "abs", "threshold": 0.01, "patience": 4, "eps": 0.03},
]


@pytest.mark.parametrize("options", PLATEAUS, ids=str)
def test_plateau(options: dict[str, Any], torch: Any) -> None:
    """The same numbers lead to the same rates, also through a saved state in the middle."""
    losses = np.random.default_rng(3).standard_normal(STEPS) * 0.2 + np.linspace(2, 1, STEPS)
    losses[17] = np.nan
    rows, states = [], []
    for F, saves in itertools.product((torch, minigrad), (False, True)):
        optimizer = optimizer_of(F)
        scheduler = F.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        row = []
        for step, loss in enumerate(losses):
            scheduler.step(F.tensor(loss) if step % 2 else loss)
            row.append([*now(optimizer), *scheduler.get_last_lr(), scheduler.num_bad_epochs, scheduler.in_cooldown])
            if saves and step == 30:
                saved = copy.deepcopy(scheduler.state_dict())
                scheduler = F.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
                scheduler.load_state_dict(saved)
        rows.append(row)
        states.append(scheduler.state_dict())
    for row, state in zip(rows[1:], states[1:], strict=True):
        np.testing.assert_allclose(row, rows[0], rtol=1e-12)
        assert state == numbers(states[0])
    assert len({tuple(row[:2]) for row in rows[0]}) > 1, "the rates never changed"


def test_the_optimizer_is_not_kept_alive_by_its_scheduler() -> None:
    """What notes that step() was called holds the optimizer weakly, so that no cycle is left behind."""
    optimizer = optimizer_of(minigrad)
    minigrad.optim.lr_scheduler.StepLR(optimizer, 3)
    alive = weakref.ref(optimizer)
    gc.disable()
    try:
        del optimizer
        assert alive() is None
    finally:
        gc.enable()


# ---------------------------------------------------------------- what is said


@behaviours(
    "W01: the steps in the wrong order",
    warns=("UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",),
)
def _(F: Any) -> Any:
    optimizer = optimizer_of(F)
    scheduler = F.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()
    scheduler.step()
    optimizer.step()
    scheduler.step()
    return now(optimizer)


@behaviours("W03: with several schedulers one call of optimizer.step() is enough")
def _(F: Any) -> Any:
    optimizer = optimizer_of(F)
    schedulers = [F.optim.lr_scheduler.StepLR(optimizer, 1) for _ in range(2)]
    optimizer.step()
    for scheduler in schedulers:
        scheduler.step()
    return now(optimizer), [scheduler.get_last_lr() for scheduler in schedulers]


@behaviours(
    "W04: a step before the scheduler was made does not count",
    warns=("UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",),
)
def _(F: Any) -> Any:
    optimizer = optimizer_of(F)
    optimizer.step()
    F.optim.lr_scheduler.StepLR(optimizer, 1).step()
    return now(optimizer)


@behaviours("W08: a scheduler of one's own")
def _(F: Any) -> Any:
    class Thirds(F.optim.lr_scheduler.LRScheduler):
        def get_lr(self) -> Any:
            return [base / 3**self.last_epoch for base in self.base_lrs]

    optimizer = optimizer_of(F)
    scheduler = Thirds(optimizer)
    return rates(optimizer, scheduler, 3), sorted(saved_state(scheduler))


@behaviours("W09: the groups remember the first rate, also a group that comes later")
def _(F: Any) -> Any:
    optimizer = optimizer_of(F)
    F.optim.lr_scheduler.StepLR(optimizer, 1)
    shown = [line for line in repr(optimizer).splitlines() if "lr: " in line or "Group" in line]
    return [group["initial_lr"] for group in optimizer.param_groups], shown


@behaviours("W10: the steps of an optimizer of one's own count")
def _(F: Any) -> Any:
    class Own(F.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            return super().step(closure)

    optimizer = Own([F.ones(2, requires_grad=True)], lr=0.5)
    scheduler = F.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    scheduler.step()
    return scheduler.get_last_lr()


@behaviours("W11: the least rate holds for a group that comes later, too")
def _(F: Any) -> Any:
    optimizer = optimizer_of(F)
    scheduler = F.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=0.03)
    optimizer.add_param_group({"params": [F.ones(1, requires_grad=True)]})
    for _ in range(4):
        scheduler.step(1.0)
    return now(optimizer), scheduler.min_lrs


REFUSED: list[tuple[str, type[Exception], str, Schedule]] = [
    ("no optimizer", TypeError, "int is not an Optimizer", lambda S, o: S.StepLR(3, 1)),
    ("no optimizer: plateau", TypeError, "int is not an Optimizer", lambda S, o: S.ReduceLROnPlateau(3)),
    (
        "last_epoch without a first rate",
        KeyError,
        "\"param 'initial_lr' is not specified in param_groups[0] when resuming scheduler with last_epoch >= 0",
        lambda S, o: S.StepLR(o, 1, last_epoch=3),
    ),
    ("one lambda for two groups", ValueError, "Expected 2 lr_lambdas, but got 1", lambda S, o: S.LambdaLR(o, [abs])),
    ("factor of a plateau", ValueError, "Factor should be < 1.0.", lambda S, o: S.ReduceLROnPlateau(o, factor=1.0)),
    ("mode of a plateau", ValueError, "mode up is unknown!", lambda S, o: S.ReduceLROnPlateau(o, "up")),
    (
        "threshold_mode",
        ValueError,
        "threshold mode up is unknown!",
        lambda S, o: S.ReduceLROnPlateau(o, threshold_mode="up"),
    ),
    ("min_lr", ValueError, "expected 2 min_lrs, got 1", lambda S, o: S.ReduceLROnPlateau(o, min_lr=[0.1])),
]
for _title, _error, _says, _schedule in REFUSED:

    @behaviours(f"R: {_title}", error=_error, says=_says)
    def _(F: Any, schedule: Schedule = _schedule) -> Any:
        schedule(F.optim.lr_scheduler, optimizer_of(F))


METRICS: dict[str, Any] = {
    "a tensor": lambda F: F.tensor(1.5),
    "a tensor of one element": lambda F: F.tensor([1.5]),
    "a tensor that wants a gradient": lambda F: F.tensor(1.5, requires_grad=True),
    "a tensor of whole numbers": lambda F: F.tensor(1),
    "a bool": lambda F: F.tensor(True),
    "half a tensor": lambda F: F.tensor(1.1).half(),
    "a word": lambda F: "1.5",
    "the word nan": lambda F: "nan",
    "nan": lambda F: math.nan,
    "a tensor of nan": lambda F: F.tensor(math.nan),
    "infinity": lambda F: math.inf,
    "minus infinity": lambda F: F.tensor(-math.inf),
    "a number of numpy": lambda F: np.float32(1.1),
}


@behaviours(
    "what a plateau takes for a metric",
    warns=4 * ("UserWarning: Converting a tensor with requires_grad=True to a scalar may lead to unexpected",),
)
def _(F: Any) -> Any:
    found = {}
    for name, metric in METRICS.items():
        for mode in ("min", "max"):
            optimizer = optimizer_of(F)
            scheduler = F.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode, patience=0)
            rows = found[name, mode] = []
            for value in (2.0, metric(F), 1.9, metric(F)):
                scheduler.step(value)
                rows.append([scheduler.best, scheduler.num_bad_epochs, scheduler.get_last_lr(), scheduler.last_epoch])
    return found


for _title, _error, _says, _metric in (
    ("None", TypeError, "float() argument must be a string or a real number, not 'NoneType'", lambda F: None),
    ("a list", TypeError, "float() argument must be a string or a real number, not 'list'", lambda F: [1.0]),
    ("a word that is no number", ValueError, "could not convert string to float: 'low'", lambda F: "low"),
    ("two numbers", ValueError, "only one element tensors can be converted to Python scalars", lambda F: F.ones(2)),
):

    @behaviours(f"no metric for a plateau: {_title}", error=_error, says=_says)
    def _(F: Any, metric: Any = _metric) -> Any:
        F.optim.lr_scheduler.ReduceLROnPlateau(optimizer_of(F)).step(metric(F))


@behaviours("W12: what is saved of a rate's function is what it holds, unless it is a plain one")
def _(F: Any) -> Any:
    class Fall:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def __call__(self, epoch: int) -> float:
            return self.factor**epoch

    first, second = Fall(0.5), Fall(0.9)
    S = F.optim.lr_scheduler
    saved = S.LambdaLR(optimizer_of(F), [lambda epoch: 1.0, first]).state_dict()
    loaded = S.LambdaLR(optimizer_of(F), [lambda epoch: 1.0, second])
    loaded.load_state_dict(saved)
    loaded.optimizer.step()
    loaded.step()
    return [saved["lr_lambdas"], second.factor, loaded.get_last_lr(), saved["lr_lambdas"]]


test_as_in_torch = behaviours.test()


def test_a_copy_of_an_optimizer_and_its_scheduler_goes_on_by_itself() -> None:
    optimizer = optimizer_of(minigrad)
    scheduler = minigrad.optim.lr_scheduler.StepLR(optimizer, 1)
    twin, twins_scheduler = copy.deepcopy((optimizer, scheduler))
    expected = rates(optimizer, scheduler, 3)
    assert optimizer.param_groups[0]["lr"] != twin.param_groups[0]["lr"]
    assert rates(twin, twins_scheduler, 3) == expected

"""Optimizers: every rule over a hundred steps, and what all optimizers do around it, as in torch.

After this file a reader knows that each rule computes what torch computes, in float32 and float64, on arrays of any
layout; how parameters, groups and options are read and refused; when hooks run; and what a saved state brings back.
"""

from __future__ import annotations

import copy
import importlib
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad
from minigrad import optim
from minigrad.optim import update
from minigrad.optim.line_search import strong_wolfe

behaviours = Behaviours()

RULES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.01}),
    ("SGD", {"lr": 0.01, "weight_decay": 0.1, "maximize": True}),
    ("SGD", {"lr": 0.01, "momentum": 0.9}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"maximize": True, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("AdamW", {"lr": 0.02}),
    ("AdamW", {"amsgrad": True, "weight_decay": 0.3}),
    ("RMSprop", {}),
    ("RMSprop", {"centered": True}),
    ("RMSprop", {"momentum": 0.9}),
    ("RMSprop", {"momentum": 0.5, "centered": True, "weight_decay": 0.1, "maximize": True, "alpha": 0.8}),
    ("Adagrad", {}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.3, "rho": 0.5, "weight_decay": 0.1, "maximize": True}),
    ("Adamax", {}),
    ("Adamax", {"betas": (0.5, 0.8), "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"momentum_decay": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("NAdam", {"weight_decay": 0.1, "maximize": True}),
    ("RAdam", {}),
    ("RAdam", {"betas": (0.5, 0.7), "weight_decay": 0.1}),
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.05, 0.3), "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.01, "alpha": 0.5, "t0": 10, "weight_decay": 0.1, "maximize": True}),
]
NAMES = ["SGD", "ASGD", "Adam", "AdamW", "RMSprop", "Rprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "LBFGS"]
SHAPES = [(3, 4), (), (0, 2), (5,)]
CHUNK = 5  # so that the first one is updated in three chunks
STEPS = 100
DECAY = {name: {} if name in ("Rprop", "LBFGS") else {"weight_decay": 0.1} for name in NAMES}


def described(rule: tuple[str, dict[str, Any]]) -> str:
    return ", ".join([rule[0], *(f"{option}={value}" for option, value in rule[1].items())])


def start_and_gradients(dtype: str, steps: int = STEPS) -> tuple[list[Any], list[list[Any]]]:
    rng = np.random.default_rng(0)
    start = [rng.standard_normal(shape).astype(dtype) for shape in SHAPES]
    return start, [[rng.standard_normal(shape).astype(dtype) for shape in SHAPES] for _ in range(steps)]


def walked(F: Any, name: str, options: dict[str, Any], dtype: str, transposed: bool = False) -> Any:
    """The optimizer after some steps along given gradients, and the parameters before and after."""
    start, gradients = start_and_gradients(dtype)
    # A transposed parameter whose gradient is not: their memory runs in different orders.
    params = [
        F.tensor(np.ascontiguousarray(value.T)).T.detach() if transposed and value.ndim > 1 else F.tensor(value)
        for value in start
    ]
    optimizer = getattr(F.optim, name)([param.requires_grad_() for param in params], **options)
    for step in gradients:
        for param, gradient in zip(params, step, strict=True):
            param.grad = F.tensor(gradient)
        optimizer.step()
    return optimizer, start, [param.detach().numpy() for param in params]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rule", RULES, ids=described)
def test_rule(rule: tuple[str, dict[str, Any]], dtype: str, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred steps: parameters and all state. Errors are measured by how far the parameters went."""
    monkeypatch.setattr(update, "CHUNK", CHUNK)
    (theirs, start, expected), (ours, _, result) = (walked(F, *rule, dtype) for F in (torch, minigrad))
    tolerance = 3e-6 if dtype == "float32" else 1e-13
    for value, there, before in zip(result, expected, start, strict=True):
        assert value.dtype == there.dtype
        assert value.shape == there.shape
        way = np.abs(there - before).max(initial=1.0)
        np.testing.assert_allclose(value, there, rtol=tolerance, atol=tolerance * way)
    saved, theirs = ours.state_dict(), theirs.state_dict()
    assert saved["param_groups"] == theirs["param_groups"]
    assert saved["state"].keys() == theirs["state"].keys()
    for number, state in theirs["state"].items():
        assert saved["state"][number].keys() == state.keys()
        for name, value in state.items():
            own = saved["state"][number][name]
            assert str(own.dtype).removeprefix("minigrad.") == str(value.dtype).removeprefix("torch.")
            np.testing.assert_allclose(own.numpy(), value.numpy(), rtol=10 * tolerance, atol=tolerance)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "LBFGS"])
def test_layouts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters whose memory runs in another order than their gradients' get the same values."""
    monkeypatch.setattr(update, "CHUNK", CHUNK)
    _, _, straight = walked(minigrad, name, {}, "float64")
    optimizer, _, transposed = walked(minigrad, name, {}, "float64", transposed=True)
    assert not optimizer.param_groups[0]["params"][0].is_contiguous()
    for value, expected in zip(transposed, straight, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-13)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "LBFGS"])
def test_gradients_are_only_read(name: str) -> None:
    """Also where a gradient cannot be written to, as that of sum(), or is the same memory for two parameters."""
    gradient = minigrad.from_numpy(np.full((2, 3), 0.5, np.float32))
    params = [minigrad.ones(2, 3, requires_grad=True) for _ in range(3)]
    params[0].grad = params[1].grad = gradient
    params[2].sum().backward()
    optimizer = getattr(optim, name)(params, **DECAY[name])
    for _ in range(3):
        optimizer.step()
    assert gradient.tolist() == [[0.5] * 3] * 2
    assert params[2].grad.tolist() == [[1.0] * 3] * 2
    assert params[0].tolist() == params[1].tolist()


def rosenbrock(F: Any, params: list[Any], optimizer: Any, seen: list[float]) -> Any:
    """The closure that computes the banana valley of three pairs, from the parameters of any shapes."""

    def closure() -> Any:
        optimizer.zero_grad()
        x, y = params[0].reshape(-1), params[1]
        loss = ((1 - x) ** 2 + 100 * (y - x * x) ** 2).sum()
        loss.backward()
        seen.append(loss.item())
        return loss

    return closure


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "options",
    [
        {"lr": 0.1, "max_iter": 5},
        {"lr": 1, "history_size": 2, "line_search_fn": "strong_wolfe"},
        {"lr": 0.5, "max_iter": 6, "max_eval": 7, "line_search_fn": "strong_wolfe"},
        {"lr": 50, "max_iter": 4, "line_search_fn": "strong_wolfe"},
        {"line_search_fn": "strong_wolfe", "tolerance_grad": 10.0},
    ],
    ids=str,
)
def test_lbfgs(options: dict[str, Any], dtype: str, torch: Any) -> None:
    """The same losses at every evaluation, and the same counts, until both are at the bottom of the valley."""
    rows = []
    for F in (torch, minigrad):
        kind = getattr(F, dtype)
        params = [
            F.tensor([[-1.2], [0.5], [2.0]], dtype=kind, requires_grad=True),
            F.tensor([1.0, -0.3, 0.0], dtype=kind, requires_grad=True),
        ]
        optimizer = F.optim.LBFGS(params, **options)
        seen: list[float] = []
        closure = rosenbrock(F, params, optimizer, seen)
        returned = [optimizer.step(closure).item() for _ in range(4)]
        state = optimizer.state[params[0]]
        rows.append((seen, returned, state["func_evals"], state["n_iter"]))
    (seen, returned, *counts), (our_seen, our_returned, *our_counts) = rows
    # The paths part after some steps, as rounding is amplified at each.
    compared = 60 if dtype == "float64" else 8
    np.testing.assert_allclose(our_seen[:compared], seen[:compared], rtol=1e-4 if dtype == "float32" else 1e-6)
    if dtype == "float64":
        assert our_counts == counts
        np.testing.assert_allclose(our_returned, returned, rtol=1e-6)


def test_lbfgs_arrives() -> None:
    """The bottom of the banana valley, within a few dozen looks."""
    params = [minigrad.tensor([[-1.2], [0.5], [2.0]], requires_grad=True), minigrad.zeros(3, requires_grad=True)]
    optimizer = optim.LBFGS(params, max_iter=60, line_search_fn="strong_wolfe")
    seen: list[float] = []
    optimizer.step(rosenbrock(minigrad, params, optimizer, seen))
    assert len(seen) < 75
    np.testing.assert_allclose(params[0].detach().numpy().ravel(), 1, atol=1e-3)
    np.testing.assert_allclose(params[1].detach().numpy(), 1, atol=1e-3)


LOSSES: dict[str, Callable[[float], tuple[float, float]]] = {  # the loss at a length along the direction, and its slope
    "bowl": lambda t: (-t + (t / 1.5) ** 4, -1 + 4 / 1.5 * (t / 1.5) ** 3),
    "waves": lambda t: (-0.2 * t - math.sin(5 * t) + 0.05 * t * t, -0.2 - 5 * math.cos(5 * t) + 0.1 * t),
    "gentle slope to a wall": lambda t: (-1e-3 * t + 1e3 * max(0, t - 1) ** 2, -1e-3 + 2e3 * max(0, t - 1)),
    "steep slope to a wall": lambda t: (-t + 1e6 * max(0, t - 0.02) ** 2, -1 + 2e6 * max(0, t - 0.02)),
    "kink": lambda t: (-t, -1.0) if t < 0.31 else (7 * t - 2.48, 7.0),
}


@pytest.mark.parametrize("first", [0.01, 0.3, 2.0, 20.0])
@pytest.mark.parametrize("name", LOSSES)
def test_line_search(name: str, first: float, torch: Any) -> None:
    """The same looks at the same lengths, and the same end."""
    theirs = importlib.import_module("torch.optim.lbfgs")._strong_wolfe
    loss, slope = LOSSES[name](0.0)
    expected: list[float] = []
    lengths: list[float] = []

    def look_in_torch(_: Any, length: Any, __: Any) -> tuple[float, Any]:
        expected.append(float(length))
        loss, slope = LOSSES[name](float(length))
        return loss, torch.tensor([slope], dtype=torch.float64)

    def look(length: Any) -> tuple[float, Any]:
        lengths.append(float(length))
        loss, slope = LOSSES[name](float(length))
        return loss, np.array([slope])

    direction, gradient = (torch.tensor([value], dtype=torch.float64) for value in (1.0, slope))
    end = theirs(look_in_torch, None, first, direction, loss, gradient, gradient[0], max_ls=20)
    own = strong_wolfe(look, first, np.array([1.0]), loss, np.array([slope]), np.float64(slope), max_evaluations=20)
    np.testing.assert_allclose(lengths, expected, rtol=1e-6)
    np.testing.assert_allclose([own[0], own[1][0], own[2], own[3]], [float(part) for part in end], rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- a state that travels


def converted(value: Any) -> Any:
    """What torch saved, with our tensors."""
    if isinstance(value, dict):
        return {key: converted(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(converted, value))
    return minigrad.tensor(value.numpy()) if hasattr(value, "numpy") else value


@pytest.mark.parametrize("name", NAMES)
def test_state_from_torch(name: str, torch: Any) -> None:
    """Ten steps in torch, then the state is loaded here, and both go on alike."""
    rng = np.random.default_rng(1)
    start = [rng.standard_normal((4, 3)), rng.standard_normal(3)]
    inputs, goals = rng.standard_normal((8, 4)), rng.standard_normal((8, 3))

    def step(F: Any, params: list[Any], optimizer: Any) -> float:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = ((F.tensor(inputs) @ params[0] + params[1] - F.tensor(goals)) ** 2).mean()
            loss.backward()
            return loss

        return optimizer.step(closure).item()

    options = {"max_iter": 2} if name == "LBFGS" else DECAY[name]
    theirs = [torch.tensor(value, requires_grad=True) for value in start]
    optimizer = getattr(torch.optim, name)(theirs, **options)
    for _ in range(10):
        step(torch, theirs, optimizer)
    ours = [minigrad.tensor(value.detach().numpy(), requires_grad=True) for value in theirs]
    resumed = getattr(optim, name)(ours)
    resumed.load_state_dict(converted(optimizer.state_dict()))
    expected = [step(torch, theirs, optimizer) for _ in range(10)]
    np.testing.assert_allclose([step(minigrad, ours, resumed) for _ in range(10)], expected, rtol=1e-9)
    assert repr(resumed) == repr(optimizer)


def copies(optimizer: Any, params: list[Any], how: str) -> tuple[Any, list[Any]]:
    if how == "state_dict":
        twins = copy.deepcopy(params)
        twin = type(optimizer)(twins)
        twin.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        return twin, twins
    both = (optimizer, params)
    return copy.deepcopy(both) if how == "deepcopy" else pickle.loads(pickle.dumps(both))


@pytest.mark.parametrize("how", ["state_dict", "deepcopy", "pickle"])
@pytest.mark.parametrize("name", NAMES)
def test_copies_go_on_alike(name: str, how: str) -> None:
    params = [minigrad.tensor([1.0, -2.0, 3.0], requires_grad=True)]
    optimizer = getattr(optim, name)(params, lr=0.1)

    def step(params: list[Any], optimizer: Any) -> list[float]:
        def closure() -> Any:
            optimizer.zero_grad()
            loss = (params[0] ** 4).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return params[0].tolist()

    for _ in range(3):
        step(params, optimizer)
    twin, twins = copies(optimizer, params, how)
    assert twins[0] is not params[0]
    assert twin.param_groups[0]["params"][0] is twins[0]
    assert step(twins, twin) == step(params, optimizer)
    assert step(twins, twin) == step(params, optimizer)


# ---------------------------------------------------------------- parameters and groups


def param(F: Any, *values: float, **options: Any) -> Any:
    return F.tensor(values or (1.0, 2.0), requires_grad=True, **options)


def groups_of(optimizer: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in group.items() if name != "params"} for group in optimizer.param_groups]


@behaviours("P01: groups have options of their own, and the defaults for the rest")
def _(F: Any) -> Any:
    first, second, third = param(F), param(F, 3.0), param(F, 4.0)
    optimizer = F.optim.SGD([{"params": [first, second]}, {"params": third, "lr": 0.5}], lr=0.1, momentum=0.9)
    for p in (first, second, third):
        (p * p).sum().backward()
    optimizer.step()
    return first, second, third, groups_of(optimizer), [len(group["params"]) for group in optimizer.param_groups]


@behaviours("P02: named parameters keep their names")
def _(F: Any) -> Any:
    optimizer = F.optim.Adam([("weight", param(F)), ("bias", param(F, 0.0))])
    return groups_of(optimizer), optimizer.state_dict()["param_groups"], repr(optimizer)


@behaviours("P03: a generator of parameters is read once")
def _(F: Any) -> Any:
    return len(F.optim.SGD(p for p in [param(F), param(F)]).param_groups[0]["params"])


@behaviours("P04: the dict of a group becomes the group")
def _(F: Any) -> Any:
    group = {"params": param(F), "lr": 0.5}
    optimizer = F.optim.SGD([group])
    return optimizer.param_groups[0] is group, sorted(group), len(group["params"])


@behaviours("P05: a later group joins in with its own learning rate")
def _(F: Any) -> Any:
    first, second = param(F), param(F, 3.0)
    optimizer = F.optim.SGD([first], lr=0.1)
    optimizer.add_param_group({"params": [second], "lr": 1.0})
    (first.sum() + second.sum()).backward()
    optimizer.step()
    return first, second, groups_of(optimizer)


@behaviours("P06: how optimizers are shown")
def _(F: Any) -> Any:
    two = [{"params": [param(F)]}, {"params": [param(F)], "lr": 0.5}]
    return [
        repr(F.optim.SGD(two, lr=0.1, momentum=0.9)),
        *(repr(getattr(F.optim, name)([param(F)])) for name in NAMES),
        repr(F.optim.SGD([param(F)], lr=F.tensor(0.25))).splitlines()[6].strip()[:12],
    ]


@behaviours("P07: no parameters", error=ValueError, says="optimizer got an empty parameter list")
def _(F: Any) -> Any:
    F.optim.SGD([])


@behaviours(
    "P08: a tensor in the place of a list",
    error=TypeError,
    says="params argument given to the optimizer should be an iterable of Tensors or dicts, but got torch.FloatTensor",
)
def _(F: Any) -> Any:
    F.optim.SGD(param(F))


@behaviours("P09: a result", error=ValueError, says="can't optimize a non-leaf Tensor")
def _(F: Any) -> Any:
    F.optim.SGD([param(F) * 2])


@behaviours("P10: a result that retains its gradient is let in")
def _(F: Any) -> Any:
    result = param(F) * 2
    result.retain_grad()
    result.sum().backward()
    F.optim.SGD([result], lr=0.5).step()
    return result.detach()


@behaviours("P11: a number", error=TypeError, says="optimizer can only optimize Tensors, but one of the params is int")
def _(F: Any) -> Any:
    F.optim.SGD([param(F), 3])


@behaviours(
    "P12: a dict in the place of a list",
    error=TypeError,
    says="optimizer can only optimize Tensors, but one of the params is str",
)
def _(F: Any) -> Any:
    F.optim.SGD({"params": [param(F)]})


@behaviours(
    "P13: a set in a group",
    error=TypeError,
    says="optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
    "change between runs. Please use a list instead.",
)
def _(F: Any) -> Any:
    F.optim.SGD([{"params": {param(F)}}])


@behaviours("P14: in two groups", error=ValueError, says="some parameters appear in more than one parameter group")
def _(F: Any) -> Any:
    p = param(F)
    F.optim.SGD([{"params": [p]}, {"params": [param(F), p]}])


@behaviours(
    "P15: twice in one group",
    warns=("UserWarning: optimizer contains a parameter group with duplicate parameters; in future, this will cause",),
)
def _(F: Any) -> Any:
    p = param(F)
    p.sum().backward()
    optimizer = F.optim.SGD([p, p], lr=0.5)
    optimizer.step()
    return p, optimizer.state_dict()["param_groups"][0]["params"]


@behaviours("P16: a group that is no dict", error=TypeError, says="param_group must be a dict, but got <class 'list'>")
def _(F: Any) -> Any:
    F.optim.SGD([param(F)]).add_param_group([param(F)])


@behaviours(
    "P17: only some have names",
    error=ValueError,
    says="all optimizer params should be with/without names. Some param names are missing",
)
def _(F: Any) -> Any:
    F.optim.SGD([("weight", param(F)), param(F)])


@behaviours(
    "P18: a group without names beside one with",
    error=ValueError,
    says="all optimizer param groups should be with/without names. cannot add param group without names to the optim",
)
def _(F: Any) -> Any:
    F.optim.SGD([("weight", param(F))]).add_param_group({"params": [param(F)]})


@behaviours(
    "P19: an option that every group has to give",
    error=ValueError,
    says="parameter group didn't specify a value of required optimization parameter lr",
)
def _(F: Any) -> Any:
    required = importlib.import_module(f"{F.__name__}.optim.optimizer").required
    F.optim.Optimizer([param(F)], {"lr": required})


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *((name, {"lr": -1}, "Invalid learning rate: -1") for name in NAMES),
    *((name, {"weight_decay": -0.5}, "Invalid weight_decay value: -0.5") for name in NAMES if DECAY[name]),
    *(
        (name, {"eps": -0.5}, "Invalid epsilon value: -0.5")
        for name in NAMES
        if name not in ("SGD", "ASGD", "Rprop", "LBFGS")
    ),
    *(
        (name, {"betas": betas}, f"Invalid beta parameter at index {place}: {betas[place]}")
        for name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam")
        for place, betas in enumerate([(1.0, 0.5), (0.5, -0.1)])
    ),
    ("SGD", {"momentum": -0.5}, "Invalid momentum value: -0.5"),
    ("SGD", {"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
    (
        "SGD",
        {"nesterov": True, "momentum": 0.9, "dampening": 0.1},
        "Nesterov momentum requires a momentum and zero dampening",
    ),
    ("RMSprop", {"momentum": -0.5}, "Invalid momentum value: -0.5"),
    ("RMSprop", {"alpha": -0.5}, "Invalid alpha value: -0.5"),
    ("Adagrad", {"lr_decay": -0.5}, "Invalid lr_decay value: -0.5"),
    ("Adagrad", {"initial_accumulator_value": -0.5}, "Invalid initial_accumulator_value value: -0.5"),
    ("Adadelta", {"rho": 1.5}, "Invalid rho value: 1.5"),
    ("Rprop", {"etas": (0.5, 1.0)}, "Invalid eta values: 0.5, 1.0"),
    ("Rprop", {"etas": (0.0, 1.2)}, "Invalid eta values: 0.0, 1.2"),
    ("NAdam", {"momentum_decay": -0.5}, "Invalid momentum_decay value: -0.5"),
    ("Adam", {"betas": (0, 0.5)}, "betas must be either both floats or both Tensors"),
]
for _name, _options, _says in REFUSED:

    @behaviours(f"R: {described((_name, _options))}", error=ValueError, says=_says)
    def _(F: Any, name: str = _name, options: dict[str, Any] = _options) -> Any:
        getattr(F.optim, name)([param(F)], **options)


@behaviours("R01: a learning rate of several elements", error=ValueError, says="Tensor lr must be 1-element")
def _(F: Any) -> Any:
    F.optim.Adam([param(F)], lr=F.tensor([0.1, 0.2]))


@behaviours(
    "R02: a learning rate as a tensor, with foreach",
    error=ValueError,
    says="lr as a Tensor is not supported for capturable=False and foreach=True",
)
def _(F: Any) -> Any:
    F.optim.Adam([param(F)], lr=F.tensor(0.1), foreach=True)


@behaviours("R03: fused and foreach", error=RuntimeError, says="`fused` and `foreach` cannot be `True` together.")
def _(F: Any) -> Any:
    F.optim.SGD([param(F)], fused=True, foreach=True)


@behaviours("R04: fused and differentiable", error=RuntimeError, says="`fused` does not support `differentiable`")
def _(F: Any) -> Any:
    F.optim.Adam([param(F)], fused=True, differentiable=True)


@behaviours(
    "R05: capturable, without a GPU",
    error=AssertionError,
    says="If capturable=True, params and state_steps must be on supported devices",
)
def _(F: Any) -> Any:
    p = param(F)
    optimizer = F.optim.Adam([p], capturable=True)
    optimizer.step()  # without a gradient nobody looks
    p.sum().backward()
    optimizer.step()


@behaviours("R06: L-BFGS with groups", error=ValueError, says="LBFGS doesn't support per-parameter options")
def _(F: Any) -> Any:
    F.optim.LBFGS([{"params": [param(F)]}, {"params": [param(F)]}])


@behaviours("R07: L-BFGS with another line search", error=RuntimeError, says="only 'strong_wolfe' is supported")
def _(F: Any) -> Any:
    p = param(F)

    def closure() -> Any:
        p.sum().backward()
        return p.sum()

    F.optim.LBFGS([p], line_search_fn="weak_wolfe").step(closure)


@behaviours(
    "R08: L-BFGS without a closure", error=TypeError, says="LBFGS.step() missing 1 required positional argument"
)
def _(F: Any) -> Any:
    F.optim.LBFGS([param(F)]).step()


def test_differentiable_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="differentiable=True is not supported"):
        optim.SGD([param(minigrad)], differentiable=True)


# ---------------------------------------------------------------- a step


@behaviours("S01: foreach and fused change nothing, and the options can be tensors or numpy's numbers")
def _(F: Any) -> Any:
    results = []
    for options in (
        {"lr": 0.1},
        {"lr": 0.1, "foreach": True},
        {"lr": 0.1, "fused": True},
        {"lr": F.tensor(0.1)},
        {"lr": np.float64(0.1)},
        {"lr": F.tensor([0.1])},
    ):
        for kind in ("SGD", "Adam"):
            p = param(F)
            (p * p).sum().backward()
            getattr(F.optim, kind)([p], **options).step()
            results.append(p)
    return results


@behaviours("S02: Adam's betas as tensors")
def _(F: Any) -> Any:
    p = param(F)
    (p * p).sum().backward()
    optimizer = F.optim.Adam([p], betas=(F.tensor(0.5), F.tensor(0.75)))
    optimizer.step()
    return p, optimizer.defaults["betas"]


@behaviours("S03: the closure runs with recording on, and its result is returned")
def _(F: Any) -> Any:
    p, seen = param(F), []
    optimizer = F.optim.SGD([p], lr=0.5)

    def closure() -> Any:
        seen.append(F.is_grad_enabled())
        p.sum().backward()
        return "the loss"

    with F.no_grad():
        p.grad = None
        returned = optimizer.step(closure)
    return returned, seen, p, optimizer.step()


@behaviours("S04: a parameter without a gradient stays, and has no state")
def _(F: Any) -> Any:
    p, q = param(F), param(F, 5.0)
    p.sum().backward()
    optimizer = F.optim.Adam([p, q])
    optimizer.step()
    return q, list(optimizer.state_dict()["state"])


@behaviours(
    "S05: a step is a write that a node which saved the parameter notices", error=RuntimeError, says="one of the"
)
def _(F: Any) -> Any:
    p = param(F)
    loss = (p * p).sum()
    p.grad = F.ones(2)
    F.optim.SGD([p]).step()
    loss.backward()


@behaviours("S06: how many writes are counted")
def _(F: Any) -> Any:
    counts = []
    for name in ("SGD", "RMSprop", "Adagrad", "Adamax"):
        p = param(F)
        optimizer = getattr(F.optim, name)([p])
        for _ in range(3):
            p.sum().backward()
            optimizer.step()
        counts.append(p._version)
    return counts


@behaviours("S07: a parameter made in inference mode", error=RuntimeError, says="Inplace update to inference tensor")
def _(F: Any) -> Any:
    with F.inference_mode():
        p = F.ones(2)
    p.grad = F.ones(2)
    F.optim.SGD([p]).step()


@behaviours("S08: views of a parameter see the step")
def _(F: Any) -> Any:
    base = F.zeros(2, 3)
    p = base[1].requires_grad_()
    p.grad = F.ones(3)
    F.optim.SGD([p], lr=1.0).step()
    return base


@behaviours(
    "S09: an expanded parameter", error=RuntimeError, says="unsupported operation: more than one element of the"
)
def _(F: Any) -> Any:
    p = F.zeros(1).expand(3).requires_grad_()
    p.grad = F.ones(3)
    F.optim.SGD([p], lr=1.0).step()


@behaviours("S10: the base class has no rule")
def _(F: Any) -> Any:
    with pytest.raises(NotImplementedError):
        F.optim.Optimizer([param(F)], {"lr": 1}).step()


@behaviours("S11: zero_grad forgets gradients, or fills them with zeros and takes them out of the graph")
def _(F: Any) -> Any:
    p, q = param(F), param(F)
    optimizer = F.optim.SGD([p, q])
    results = []
    for set_to_none in (True, False):
        before = p.grad = param(F) * 2  # as a backward with create_graph=True leaves it
        optimizer.zero_grad(set_to_none=set_to_none)
        results.append([p.grad, q.grad, before.requires_grad, p.grad is before])
    return results


@behaviours("S12: an optimizer of one's own")
def _(F: Any) -> Any:
    class SignSGD(F.optim.Optimizer):
        def __init__(self, params: Any, lr: float = 0.1) -> None:
            super().__init__(params, {"lr": lr})

        @F.no_grad()
        def step(self, closure: Any = None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    state["count"] = state.get("count", 0) + 1
                    p.add_(p.grad.sign(), alpha=-group["lr"])

    p, calls = param(F, 1.0, -2.0), []
    optimizer = SignSGD([p], lr=0.5)
    optimizer.register_step_post_hook(lambda *_: calls.append("after"))
    (p * p).sum().backward()
    optimizer.step()
    return p, optimizer.state_dict(), repr(optimizer), calls


# ---------------------------------------------------------------- hooks


@behaviours("H01: the order of the hooks around a step, and what they get")
def _(F: Any) -> Any:
    module = importlib.import_module(f"{F.__name__}.optim.optimizer")
    p, calls = param(F), []
    p.sum().backward()
    optimizer = F.optim.SGD([p], lr=0.5)

    def note(what: str) -> Any:
        return lambda own, args, kwargs: calls.append([what, own is optimizer, args[0] is own, len(args), kwargs])

    handles = [
        optimizer.register_step_pre_hook(note("before")),
        optimizer.register_step_post_hook(note("after")),
        module.register_optimizer_step_pre_hook(note("before any")),
        module.register_optimizer_step_post_hook(note("after any")),
    ]
    optimizer.step(closure=None)
    for handle in handles:
        handle.remove()
    optimizer.step()
    return calls, p


@behaviours("H02: a hook before the step can change its arguments")
def _(F: Any) -> Any:
    p = param(F)
    optimizer = F.optim.SGD([p])
    optimizer.register_step_pre_hook(lambda own, args, kwargs: ((own, lambda: "from the hook"), {}))
    return optimizer.step()


@behaviours("H03: a hook that returns something else", error=RuntimeError, says="<function ")
def _(F: Any) -> Any:
    optimizer = F.optim.SGD([param(F)])
    optimizer.register_step_pre_hook(lambda *_: 3)
    optimizer.step()


@behaviours("H04: hooks around state_dict and load_state_dict, in their order")
def _(F: Any) -> Any:
    optimizer, calls = F.optim.SGD([param(F)], lr=0.5), []
    for register in ("state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):
        for name, prepend in (("first", False), ("second", False), ("in front", True)):
            note = f"{register} {name}"
            getattr(optimizer, f"register_{register}_hook")(
                lambda own, *rest, note=note: calls.append([note, own is optimizer, len(rest)]), prepend=prepend
            )
    optimizer.load_state_dict(optimizer.state_dict())
    return calls


@behaviours("H05: hooks can replace the state that is saved or loaded")
def _(F: Any) -> Any:
    optimizer = F.optim.SGD([param(F)], lr=0.5)
    handle = optimizer.register_state_dict_post_hook(lambda own, state: {**state, "more": 1})

    def with_other_rate(own: Any, state: Any) -> Any:
        group = {**state["param_groups"][0], "lr": 0.25}
        return {**state, "param_groups": [group]}

    optimizer.register_load_state_dict_pre_hook(with_other_rate)
    state = optimizer.state_dict()
    handle.remove()
    optimizer.load_state_dict(state)
    return sorted(state), optimizer.param_groups[0]["lr"], sorted(optimizer.state_dict())


# ---------------------------------------------------------------- state_dict


@behaviours("D01: what is saved: numbers in the place of parameters")
def _(F: Any) -> Any:
    p, q, r = param(F), param(F), param(F, 3.0)
    optimizer = F.optim.SGD([{"params": [p, q]}, {"params": [r], "lr": 0.5}], momentum=0.9)
    (p.sum() + r.sum()).backward()
    optimizer.step()
    return optimizer.state_dict()


@behaviours("D02: loaded state takes the parameter's dtype, but not the count of steps")
def _(F: Any) -> Any:
    p, q = param(F), param(F, dtype=F.float64)
    p.sum().backward()
    q.sum().backward()
    first, second = F.optim.Adam([p]), F.optim.Adam([q])
    first.step()
    second.load_state_dict(first.state_dict())
    second.step()
    return second.state_dict(), q


@behaviours("D03: options and names come from what is loaded")
def _(F: Any) -> Any:
    first = F.optim.SGD([("weight", param(F))], lr=0.5, momentum=0.9)
    second = F.optim.SGD([("other", param(F))])
    state = first.state_dict()
    second.load_state_dict(state)
    del state["param_groups"][0]["param_names"]
    third = F.optim.SGD([("other", param(F))])
    third.load_state_dict(state)
    return groups_of(second), groups_of(third), state["param_groups"]


@behaviours("D05: gradients that are not finite, and a sign that turns twice")
def _(F: Any) -> Any:
    results = []
    for name in ("Rprop", "ASGD"):
        p = F.tensor([1.0, 1.0, 1.0, 1.0], requires_grad=True)
        optimizer = getattr(F.optim, name)([p], lr=0.1)
        for gradient in ([1.0, math.nan, math.inf, 0.0], [-1.0, 1.0, -1.0, 2.0], [1.0, math.nan, 3.0, math.inf]):
            p.grad = F.tensor(gradient)
            optimizer.step()
            results.append(p.detach().clone())
    return results


@behaviours("D04: options that an older file lacks")
def _(F: Any) -> Any:
    results = []
    for name in NAMES:
        optimizer = getattr(F.optim, name)([param(F)])
        state = optimizer.state_dict()
        for option in ("maximize", "foreach", "fused", "differentiable", "amsgrad", "nesterov", "capturable"):
            state["param_groups"][0].pop(option, None)
        optimizer.load_state_dict(state)
        results.append({**optimizer.param_groups[0], "params": None, "fused": None})
    return results


@behaviours("D05: a count of steps that was saved as a number")
def _(F: Any) -> Any:
    p = param(F)
    p.sum().backward()
    optimizer = F.optim.Adam([p])
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    state["state"][0]["step"] = 7
    optimizer.load_state_dict(state)
    optimizer.step()
    return optimizer.state_dict()["state"][0]["step"], p


@behaviours("D06: what belongs to no parameter is kept as it is")
def _(F: Any) -> Any:
    optimizer = F.optim.SGD([param(F)])
    state = optimizer.state_dict()
    state["state"]["note"] = {"a": [1, 2]}
    optimizer.load_state_dict(state)
    return optimizer.state_dict()["state"]


@behaviours("D07: saved tensors are the optimizer's own; a deep copy stays as it was")
def _(F: Any) -> Any:
    p = param(F)
    p.sum().backward()
    optimizer = F.optim.SGD([p], momentum=0.9)
    optimizer.step()
    own = optimizer.state_dict()["state"][0]["momentum_buffer"]
    copied = copy.deepcopy(own)
    optimizer.step()
    return own, copied, own is optimizer.state[p]["momentum_buffer"]


@behaviours("D08: AdamW keeps its kind of decay, also with an Adam's state")
def _(F: Any) -> Any:
    optimizer = F.optim.AdamW([param(F)])
    optimizer.load_state_dict(F.optim.Adam([param(F)]).state_dict())
    return optimizer.param_groups[0]["decoupled_weight_decay"]


@behaviours(
    "D09: another number of groups",
    error=ValueError,
    says="loaded state dict has a different number of parameter groups",
)
def _(F: Any) -> Any:
    two = F.optim.SGD([{"params": [param(F)]}, {"params": [param(F)]}])
    F.optim.SGD([param(F)]).load_state_dict(two.state_dict())


@behaviours(
    "D10: another number of parameters",
    error=ValueError,
    says="loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
)
def _(F: Any) -> Any:
    F.optim.SGD([param(F)]).load_state_dict(F.optim.SGD([param(F), param(F)]).state_dict())


@behaviours("D11: the options come in PyTorch's order, the parameters last")
def _(F: Any) -> Any:
    return list(F.optim.SGD([param(F)]).state_dict()["param_groups"][0])


test_as_in_torch = behaviours.test()


def test_hooks_run_once_when_a_subclass_calls_the_step_that_it_extends() -> None:
    class Counting(optim.SGD):
        def step(self, closure: Any = None) -> Any:
            return super().step(closure)

    calls: list[str] = []
    optimizer = Counting([param(minigrad)])
    optimizer.register_step_pre_hook(lambda *_: calls.append("before"))
    optimizer.step()
    assert calls == ["before"]


def test_nothing_is_said_about_gradients_of_results() -> None:
    """A result without retain_grad() cannot be in an optimizer, but one may become a result later."""
    p = param(minigrad)
    optimizer = optim.SGD([p])
    with minigrad.no_grad():
        q = p.detach()
    p.requires_grad_(False)
    p.mul_(param(minigrad))  # p is a result now
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step()
    assert p.tolist() == [1.0, 4.0]
    assert q.tolist() == [1.0, 4.0]

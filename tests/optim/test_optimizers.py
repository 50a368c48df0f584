"""Optimizers: every rule over a hundred steps, and what all optimizers do around it, as in torch.

Each rule computes what torch computes, in float32 and float64, on arrays of any layout; parameters, groups and options
are read and refused, and a saved state brought back, as in torch.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad
from minigrad import optim
from minigrad.optim import algorithms

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
]
RULES += [
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.2, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "weight_decay": 0.1, "maximize": True}),
]
NAMES = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta"]
# PyTorch's options for processors and ways of computing that are not here.
LEFT_OUT = ("foreach", "fused", "capturable", "differentiable")
SHAPES = [(3, 4), (), (0, 2), (5,)]
CHUNK = 5  # so that the first one is updated in three chunks
STEPS = 100


def described(rule: tuple[str, dict[str, Any]]) -> str:
    return ", ".join([rule[0], *(f"{option}={value}" for option, value in rule[1].items())])


def kept(group: dict[str, Any]) -> dict[str, Any]:
    """A group of PyTorch's without the options that are not here."""
    return {name: value for name, value in group.items() if name not in LEFT_OUT}


def shown(optimizer: Any) -> str:
    """How an optimizer is shown, without the options that are not here."""
    return "".join(line for line in repr(optimizer).splitlines(True) if line.strip().split(":")[0] not in LEFT_OUT)


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
    monkeypatch.setattr(algorithms, "CHUNK", CHUNK)
    (theirs, start, expected), (ours, _, result) = (walked(F, *rule, dtype) for F in (torch, minigrad))
    tolerance = 3e-6 if dtype == "float32" else 1e-13
    for value, there, before in zip(result, expected, start, strict=True):
        assert value.dtype == there.dtype
        assert value.shape == there.shape
        way = np.abs(there - before).max(initial=1.0)
        np.testing.assert_allclose(value, there, rtol=tolerance, atol=tolerance * way)
    saved, theirs = ours.state_dict(), theirs.state_dict()
    assert saved["param_groups"] == [kept(group) for group in theirs["param_groups"]]
    assert saved["state"].keys() == theirs["state"].keys()
    for number, state in theirs["state"].items():
        assert saved["state"][number].keys() == state.keys()
        for name, value in state.items():
            own = saved["state"][number][name]
            assert str(own.dtype).removeprefix("minigrad.") == str(value.dtype).removeprefix("torch.")
            np.testing.assert_allclose(own.numpy(), value.numpy(), rtol=10 * tolerance, atol=tolerance)


@pytest.mark.parametrize("size", [1.0, 300.0])  # the square of the second is too large for float16
@pytest.mark.parametrize("rule", RULES, ids=described)
def test_a_few_steps_in_float16(rule: tuple[str, dict[str, Any]], size: float, torch: Any) -> None:
    """Each step is rounded, here as there, so that errors are measured by roundings of how far the parameters went."""
    name, options = rule

    def after_steps(F: Any) -> np.ndarray:
        rng = np.random.default_rng(0)
        param = F.tensor(rng.standard_normal(30), dtype=F.float16, requires_grad=True)
        optimizer = getattr(F.optim, name)([param], **{"eps": 1e-3, **options} if name != "SGD" else options)
        for _ in range(4):
            param.grad = F.tensor(size * rng.standard_normal(30), dtype=F.float16)
            optimizer.step()
        result: np.ndarray = param.detach().numpy()
        return result

    ours, theirs = after_steps(minigrad), after_steps(torch)
    assert ours.dtype == theirs.dtype == np.float16
    assert np.isfinite(theirs).all()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2**-8 * np.abs(theirs).max())


@pytest.mark.parametrize("name", NAMES)
def test_layouts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters whose memory runs in another order than their gradients' get the same values."""
    monkeypatch.setattr(algorithms, "CHUNK", CHUNK)
    _, _, straight = walked(minigrad, name, {}, "float64")
    optimizer, _, transposed = walked(minigrad, name, {}, "float64", transposed=True)
    assert not optimizer.param_groups[0]["params"][0].is_contiguous()
    for value, expected in zip(transposed, straight, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_only_read(name: str) -> None:
    """Also where a gradient cannot be written to, as that of sum(), or is the same memory for two parameters."""
    gradient = minigrad.from_numpy(np.full((2, 3), 0.5, np.float32))
    params = [minigrad.ones(2, 3, requires_grad=True) for _ in range(3)]
    params[0].grad = params[1].grad = gradient
    params[2].sum().backward()
    optimizer = getattr(optim, name)(params, weight_decay=0.1)
    for _ in range(3):
        optimizer.step()
    assert gradient.tolist() == [[0.5] * 3] * 2
    assert params[2].grad.tolist() == [[1.0] * 3] * 2
    assert params[0].tolist() == params[1].tolist()


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

    theirs = [torch.tensor(value, requires_grad=True) for value in start]
    optimizer = getattr(torch.optim, name)(theirs, weight_decay=0.1)
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
    return [
        {name: value for name, value in kept(group).items() if name != "params"} for group in optimizer.param_groups
    ]


@behaviours("P01: groups have options of their own, and the defaults for the rest")
def _(F: Any) -> Any:
    first, second, third = param(F), param(F, 3.0), param(F, 4.0)
    optimizer = F.optim.SGD([{"params": [first, second]}, {"params": third, "lr": 0.5}], lr=0.1, momentum=0.9)
    for p in (first, second, third):
        (p * p).sum().backward()
    optimizer.step()
    return first, second, third, groups_of(optimizer), [len(group["params"]) for group in optimizer.param_groups]


@behaviours("P03: a generator of parameters is read once")
def _(F: Any) -> Any:
    return len(F.optim.SGD(p for p in [param(F), param(F)]).param_groups[0]["params"])


@behaviours("P04: the dict of a group becomes the group")
def _(F: Any) -> Any:
    group = {"params": param(F), "lr": 0.5}
    optimizer = F.optim.SGD([group])
    return optimizer.param_groups[0] is group, sorted(kept(group)), len(group["params"])


@behaviours("P05: a later group joins in with its own learning rate")
def _(F: Any) -> Any:
    first, second = param(F), param(F, 3.0)
    optimizer = F.optim.SGD([first], lr=0.1)
    optimizer.add_param_group({"params": [second], "lr": 1.0})
    (first.sum() + second.sum()).backward()
    optimizer.step()
    return first, second, groups_of(optimizer)


@behaviours("P05: parameters may come with their names")
def _(F: Any) -> Any:
    net = F.nn.Linear(2, 1)
    net.weight.data.fill_(1.0)
    optimizer = F.optim.SGD(net.named_parameters(), lr=0.1, momentum=0.9)
    grouped = F.optim.SGD([{"params": [("a", param(F))]}, {"params": [("b", param(F))], "lr": 0.5}])
    grouped.add_param_group({"params": [("c", param(F))]})
    net(F.ones(1, 2)).sum().backward()
    optimizer.step()
    nameless = F.optim.SGD(net.parameters(), lr=0.3).state_dict()
    loaded = F.optim.SGD(net.named_parameters(), lr=0.5)
    seen = [net.weight, groups_of(optimizer), shown(optimizer), groups_of(grouped)]
    loaded.load_state_dict(nameless)
    seen.append(groups_of(loaded))
    loaded.load_state_dict(optimizer.state_dict())
    return *seen, groups_of(loaded)


@behaviours(
    "P05: a name is no parameter", error=TypeError, says="optimizer can only optimize Tensors, but one of the p"
)
def _(F: Any) -> Any:
    F.optim.SGD([("a", "b")])


@behaviours("P06: how optimizers are shown")
def _(F: Any) -> Any:
    two = [{"params": [param(F)]}, {"params": [param(F)], "lr": 0.5}]
    return [
        shown(F.optim.SGD(two, lr=0.1, momentum=0.9)),
        *(shown(getattr(F.optim, name)([param(F)])) for name in NAMES),
        [line[:16] for line in repr(F.optim.SGD([param(F)], lr=F.tensor(0.25))).splitlines() if "lr:" in line],
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


behaviours.table(
    ("P11: a number", lambda F: F.optim.SGD([param(F), 3]),
     TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
    ("P12: a dict in the place of a list", lambda F: F.optim.SGD({"params": [param(F)]}),
     TypeError, "optimizer can only optimize Tensors, but one of the params is str"),
)  # fmt: skip


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


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *((name, {"lr": -1}, "Invalid learning rate: -1") for name in NAMES),
    *((name, {"weight_decay": -0.5}, "Invalid weight_decay value: -0.5") for name in NAMES),
    *((name, {"eps": -0.5}, "Invalid epsilon value: -0.5") for name in NAMES if name != "SGD"),
    *(
        (name, {"betas": betas}, f"Invalid beta parameter at index {place}: {betas[place]}")
        for name in ("Adam", "AdamW")
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
    ("Adadelta", {"rho": -0.5}, "Invalid rho value: -0.5"),
    ("Adam", {"betas": (0, 0.5)}, "betas must be either both floats or both Tensors"),
]
for _name, _options, _says in REFUSED:

    @behaviours(f"R: {described((_name, _options))}", error=ValueError, says=_says)
    def _(F: Any, name: str = _name, options: dict[str, Any] = _options) -> Any:
        getattr(F.optim, name)([param(F)], **options)


behaviours.table(
    *(
        (f"R: {name}(betas={betas})", lambda F, name=name, betas=betas: getattr(F.optim, name)([param(F)], betas=betas),
         error, says)
        for name in ("Adam", "AdamW")
        for betas, error, says in (
            ((0.9,), IndexError, "tuple index out of range"),
            (0.9, TypeError, "'float' object is not subscriptable"),
        )
    ),
)  # fmt: skip


@pytest.mark.parametrize("option", LEFT_OUT)
@pytest.mark.parametrize("name", NAMES)
def test_options_that_are_left_out_are_refused(name: str, option: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        getattr(optim, name)([param(minigrad)], **{option: True})


# ---------------------------------------------------------------- a step


@behaviours("S01: the options can be tensors or numpy's numbers")
def _(F: Any) -> Any:
    results = []
    for options in (
        {"lr": 0.1},
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
    for name in ("SGD", "RMSprop"):
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

    p = param(F, 1.0, -2.0)
    optimizer = SignSGD([p], lr=0.5)
    (p * p).sum().backward()
    optimizer.step()
    return p, optimizer.state_dict(), repr(optimizer)


# ---------------------------------------------------------------- state_dict


@behaviours("D01: what is saved: numbers in the place of parameters")
def _(F: Any) -> Any:
    p, q, r = param(F), param(F), param(F, 3.0)
    optimizer = F.optim.SGD([{"params": [p, q]}, {"params": [r], "lr": 0.5}], momentum=0.9)
    (p.sum() + r.sum()).backward()
    optimizer.step()
    state = optimizer.state_dict()
    return state["state"], [kept(group) for group in state["param_groups"]]


@behaviours("D09: Adagrad's sums are there before the first step, for a later group from its first step on")
def _(F: Any) -> Any:
    first, second = (F.ones(2, dtype=dtype, requires_grad=True) for dtype in (F.float32, F.float64))
    optimizer = F.optim.Adagrad([{"params": [first], "initial_accumulator_value": 2.0}], initial_accumulator_value=0.5)
    optimizer.add_param_group({"params": [second]})
    at_start = copy.deepcopy(optimizer.state_dict()["state"])
    (first * second).sum().backward()
    optimizer.step()
    return [at_start, optimizer.state_dict()["state"], first, second]


@behaviours("D02: loaded state takes the parameter's dtype, but not the count of steps")
def _(F: Any) -> Any:
    p, q = param(F), param(F, dtype=F.float64)
    p.sum().backward()
    q.sum().backward()
    first, second = F.optim.Adam([p]), F.optim.Adam([q])
    first.step()
    second.load_state_dict(first.state_dict())
    second.step()
    return second.state_dict()["state"], q


@behaviours("D03: options come from what is loaded, which stays as it is")
def _(F: Any) -> Any:
    first, second = F.optim.SGD([param(F)], lr=0.5, momentum=0.9), F.optim.SGD([param(F)])
    state = first.state_dict()
    second.load_state_dict(state)
    return groups_of(second), [kept(group) for group in state["param_groups"]]


@behaviours("D04: options that an older file lacks")
def _(F: Any) -> Any:
    results = []
    for name in NAMES:
        optimizer = getattr(F.optim, name)([param(F)])
        state = optimizer.state_dict()
        for option in ("maximize", "amsgrad", "nesterov"):
            state["param_groups"][0].pop(option, None)
        optimizer.load_state_dict(state)
        results += groups_of(optimizer)
    return results


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


behaviours.table(
    ("D10: another number of parameters",
     lambda F: F.optim.SGD([param(F)]).load_state_dict(F.optim.SGD([param(F), param(F)]).state_dict()),
     ValueError, "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"),
    ("D11: the options come in PyTorch's order, the parameters last",
     lambda F: list(kept(F.optim.SGD([param(F)]).state_dict()["param_groups"][0]))),
)  # fmt: skip


test_as_in_torch = behaviours.test()


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

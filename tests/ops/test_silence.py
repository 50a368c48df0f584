"""An inf or a nan is a result like any other: numpy's warnings about it never reach the learner, as in PyTorch.

Not even where the learner has asked for all warnings, or for errors in their place, since minigrad was imported; and
what the learner's own numpy code does is still warned of.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from ops.op_rows import CASES
from ops.op_table import Case
from ops.test_ops import each
from viz.own_engines import Value

import minigrad as mg
import minigrad.viz
from minigrad import nn
from minigrad.autograd import engine
from minigrad.autograd.blame import NO_WARNING
from minigrad.nn import functional

EXTREMES = [0.0, -1.0, 1e300, np.inf, np.nan, -np.inf, 1.0, 1e-300]
IN_FLOAT32 = [3e38, -3e38, np.inf, np.nan, 0.0, -1.0]


def ask_for_all(way: str) -> None:
    """What a learner says to see all warnings ("always"), or to have errors in their place ("error")."""
    warnings.simplefilter("always")  # PyTorch warns of some things, too: these stay warnings
    warnings.simplefilter(way, RuntimeWarning)  # type: ignore[arg-type]


@contextmanager
def nothing_said(way: str) -> Iterator[None]:
    """Raise if numpy warns inside, though the learner has asked for that."""
    with warnings.catch_warnings(record=True) as caught:
        ask_for_all(way)
        yield
    assert [str(warning.message) for warning in caught if issubclass(warning.category, RuntimeWarning)] == []


def extreme(shape: tuple[int, ...], first: int, dtype: str) -> np.ndarray:
    """An array of extreme numbers, which begins with another one of them for each `first`."""
    most = 1e300 if dtype == "float64" else 3e38
    numbers = itertools.islice(itertools.cycle(EXTREMES), first, first + math.prod(shape))
    return np.clip(np.array([*numbers], "float64"), -most, most).astype(dtype).reshape(shape)


def differentiated_twice(case: Case, first: int, dtype: str) -> None:
    """Compute, differentiate, differentiate the gradients, and show the result, all on extreme numbers."""
    arrays = [extreme(shape, first + place, dtype) for place, shape in enumerate(case.shapes)]
    inputs = [mg.tensor(array, requires_grad=True) for array in arrays]
    try:
        out = case.row.function(mg, *inputs)
        weight = mg.tensor(extreme(tuple(out.shape), first + 3, dtype), dtype=out.dtype, requires_grad=True)
        gradients = mg.autograd.grad(out, inputs, weight, create_graph=True, allow_unused=True)
        again = [gradient for gradient in gradients if gradient is not None and gradient.requires_grad]
        if again:
            ones = [mg.ones_like(gradient) for gradient in again]
            mg.autograd.grad(again, [*inputs, weight], ones, allow_unused=True, retain_graph=True)
        out.backward(weight.detach())
    except (RuntimeError, ValueError, IndexError) as error:  # some numbers are refused, and some ops have no derivative
        if isinstance(error, RuntimeWarning):
            raise
    else:
        repr(out)


@each(CASES)
def test_ops_say_nothing_of_extreme_numbers(case: Case) -> None:
    ways = itertools.cycle(itertools.product(["error", "always"], ["float64", "float32"]))
    for first, (way, dtype) in zip(range(len(EXTREMES)), ways, strict=False):
        with nothing_said(way):
            differentiated_twice(case, first, dtype)


# ---------------------------------------------------------------- what is not one op


def extremes() -> mg.Tensor:
    return mg.tensor(np.array(IN_FLOAT32, "float32"))


def leaf() -> mg.Tensor:
    """A leaf of extreme numbers, with a gradient of such."""
    made = extremes().requires_grad_()
    made.grad = mg.tensor(np.array(IN_FLOAT32[::-1], "float32"))
    return made


Made = tuple[Any, ...]
# What is made in silence, and then computed with: the first that happens after all warnings were asked for.
PROGRAMS: dict[str, tuple[Callable[[], Made], Callable[..., Any]]] = {
    "a list in float32": (tuple, lambda: mg.tensor([1e300], dtype=mg.float32)),
    "a number in float32": (tuple, lambda: mg.tensor(1e300, dtype=mg.float32)),
    "an array in float32": (tuple, lambda: mg.tensor(np.array([1e300]), dtype=mg.float32)),
    "an array in int32": (tuple, lambda: mg.tensor(np.array([np.nan]), dtype=mg.int32)),
    "as_tensor": (tuple, lambda: mg.as_tensor(np.array([1e300]), dtype=mg.float32)),
    "Tensor": (tuple, lambda: mg.Tensor([1e300])),
    "arange": (tuple, lambda: mg.arange(0, 1e39, 1e38)),
    "linspace": (tuple, lambda: mg.linspace(-1.7e308, 1.7e308, 3)),
    "normal": (tuple, lambda: mg.normal(0.0, 1e300, (3,))),
    "normal_": (lambda: (mg.ones(3),), lambda x: x.normal_(0, 1e39)),
    "x + 1e300": (lambda: (mg.ones(2),), lambda x: x + 1e300),
    "1e300 * x": (lambda: (mg.ones(2),), lambda x: 1e300 * x),
    "x ** 1e300": (lambda: (mg.ones(2),), lambda x: x**1e300),
    "x /= 0": (lambda: (extremes(),), lambda x: x.__itruediv__(0)),
    "x /= y": (lambda: (mg.zeros(6), mg.zeros(6)), lambda x, y: x.__itruediv__(y)),
    "x *= x": (lambda: (extremes(),), lambda x: x.__imul__(x)),
    "copy_": (lambda: (mg.ones(1), mg.tensor([1e300], dtype=mg.float64)), lambda x, y: x.copy_(y)),
    "copy_ to integers": (lambda: (mg.ones(6, dtype=mg.int32), extremes()), lambda x, y: x.copy_(y)),
    "fill_": (lambda: (mg.ones(1), mg.tensor(1e300, dtype=mg.float64)), lambda x, y: x.fill_(y)),
    "fill_ of float16": (lambda: (mg.ones(1, dtype=mg.float16),), lambda x: x.fill_(1e300)),
    "x[:] = y": (lambda: (mg.ones(6, dtype=mg.int64), extremes()), lambda x, y: x.__setitem__(slice(None), y)),
    "x[0] = 1e300 in float16": (lambda: (mg.ones(2, dtype=mg.float16),), lambda x: x.__setitem__(0, 1e300)),
    "x.int()": (lambda: (extremes(),), lambda x: x.int()),
    "x.to(uint8)": (lambda: (extremes(),), lambda x: x.to(mg.uint8)),
    "x.half()": (lambda: (extremes(),), lambda x: x.half()),
    "mean of nothing": (lambda: (mg.ones(0),), lambda x: x.mean()),
    "std of one": (lambda: (mg.ones(1),), lambda x: x.std()),
    "prod": (lambda: (extremes(),), lambda x: x.prod()),
    "cumsum": (lambda: (extremes(),), lambda x: x.cumsum(0)),
    "norm": (lambda: (extremes(),), lambda x: x.norm()),
    "matmul": (lambda: (extremes(),), lambda x: x @ x),
    "allclose": (lambda: (extremes(),), lambda x: mg.allclose(x, x)),
    "repr": (lambda: (extremes(),), repr),
    "batch_norm": (lambda: (nn.BatchNorm1d(6), extremes().expand(3, 6)), lambda f, x: f(x)),
    "batch_norm in evaluation": (lambda: (nn.BatchNorm1d(6).eval(), extremes().expand(3, 6)), lambda f, x: f(x)),
    "layer_norm": (lambda: (nn.LayerNorm(6), extremes()), lambda f, x: f(x)),
    "rms_norm": (lambda: (nn.RMSNorm(6), extremes()), lambda f, x: f(x)),
    "cross_entropy": (lambda: (extremes().expand(2, 6), mg.tensor([0, 1])), functional.cross_entropy),
    "cross_entropy of nothing": (lambda: (mg.ones(0, 3), mg.ones(0).long()), functional.cross_entropy),
    "binary_cross_entropy": (lambda: (mg.tensor([0.0, 1.0]), mg.tensor([1.0, 0.0])), functional.binary_cross_entropy),
    "softplus": (lambda: (extremes(),), functional.softplus),
    "sigmoid": (lambda: (extremes(),), mg.sigmoid),
    "det": (lambda: (mg.tensor([[3e38, 1.0], [np.inf, 2.0]]),), mg.linalg.det),
    "clip_grad_norm_": (lambda: ([leaf()], 1.0), nn.utils.clip_grad_norm_),
    "clip_grad_value_": (lambda: ([leaf()], 1.0), nn.utils.clip_grad_value_),
    "backward": (lambda: ((1 / leaf().log()).sum(),), lambda x: x.backward()),
    "steps": (lambda: ((1 / leaf().log()).sum(),), lambda x: list(engine.steps(x))),
    "a node by hand": (lambda: (leaf().log(), mg.ones(6)), lambda x, g: x.grad_fn(g)),
    "added to .grad": (lambda: (leaf(), extremes()), lambda x, g: x.backward(g)),
    "jacobian": (lambda: (lambda x: 1 / x, extremes()), mg.autograd.functional.jacobian),
    "hessian": (lambda: (lambda x: (1 / x).sum(), extremes()), mg.autograd.functional.hessian),
    "SGD": (lambda: (mg.optim.SGD([leaf()], 1e30, momentum=0.9, weight_decay=1e30),), lambda o: (o.step(), o.step())),
    "Adam": (lambda: (mg.optim.Adam([leaf()], 1e30),), lambda o: (o.step(), o.step())),
    "AdamW": (lambda: (mg.optim.AdamW([leaf()], 1e30),), lambda o: (o.step(), o.step())),
    "RMSprop": (lambda: (mg.optim.RMSprop([leaf()], 1e30),), lambda o: (o.step(), o.step())),
}


@pytest.mark.parametrize("way", ["error", "always"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_said_of(name: str, way: str) -> None:
    make, compute = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = make()
    with nothing_said(way):
        compute(*made)


@pytest.mark.parametrize("way", ["error", "always"])
def test_nothing_is_said_where_warnings_are_asked_for_inside(way: str) -> None:
    """In a hook, in a custom function's backward, while a profiler looks on."""

    class Inverse(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return 1 / x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            ask_for_all(way)
            (x,) = ctx.saved_tensors
            return -g / x / x

    def hook(gradient: Any) -> Any:
        ask_for_all(way)
        return gradient * 3e38

    x = mg.tensor([0.0, 1e38], requires_grad=True)
    with nothing_said(way), mg.autograd.profiler.profile() as profile:
        y = x * 1
        y.register_hook(hook)
        Inverse.apply(y).sum().backward()
    with nothing_said(way):
        profile.key_averages().table()


@pytest.mark.parametrize("flag", ["error", "always", "default"])
def test_nothing_is_said_whatever_python_is_started_with(flag: str) -> None:
    program = """if True:
        import warnings
        import minigrad as mg
        x = mg.tensor([0.0, -1.0, 1e30], requires_grad=True)
        for forget in (False, True):
            for y in (x, x[0]):
                out = mg.log(y) + 1 / y + y * y + mg.exp(y) + mg.sqrt(y) + y ** -0.5 + mg.sigmoid(-y)
                (first,) = mg.autograd.grad(out.sum(), x, create_graph=True)
                first.sum().backward()
            x[:0].mean().backward()
            warnings.resetwarnings()
    """
    ran = subprocess.run([sys.executable, "-W", flag, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr == ""


# ---------------------------------------------------------------- what the learner hears


def test_the_learners_own_numpy_code_goes_on_to_warn() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mg.log(mg.zeros(1))
        np.log(np.zeros(1))
        np.mean([])
        leaf().log().sum().backward()
        np.float64(1e300) * np.float64(1e300)
    assert len(caught) == 4  # the mean of nothing is warned of twice
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mg.log(mg.zeros(1))
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            np.log(np.zeros(1))


def test_the_learners_filters_stay_as_they_were_set() -> None:
    """The package's own is put before them, once, and goes when the learner's block ends."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for _ in range(3):
            warnings.simplefilter("always")
            mg.log(mg.zeros(1))
        assert warnings.filters == [NO_WARNING, ("always", None, Warning, None, 0)]
        outside = warnings.filters
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mg.log(mg.zeros(1))
        assert warnings.filters is outside


# ---------------------------------------------------------------- numbers that a dtype cannot hold


@pytest.mark.parametrize("number", [1e300, -1e300, 3.5e38, 3.4e38, np.inf, np.nan])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(
    "write",
    [
        lambda F, number, kind: F.full((2,), number, dtype=kind),
        lambda F, number, kind: F.full_like(F.ones(2, dtype=kind), number),
        lambda F, number, kind: F.ones(2, dtype=kind).fill_(number),
        lambda F, number, kind: F.ones(2, dtype=kind).__setitem__(0, number),
        lambda F, number, kind: F.ones(2, dtype=kind).masked_fill(F.tensor([True, False]), number),
        lambda F, number, kind: F.nn.functional.pad(F.ones(2, dtype=kind), (1, 1), value=number),
        lambda F, number, kind: F.nn.init.constant_(F.ones(2, dtype=kind), number),
        lambda F, number, kind: F.tensor([number], dtype=kind),
        lambda F, number, kind: F.ones(2, dtype=kind) * number,
    ],
    ids=["full", "full_like", "fill_", "setitem", "masked_fill", "pad", "constant_", "tensor", "mul"],
)
def test_numbers_too_large_are_refused_where_torch_refuses_them(
    write: Callable[..., Any], kind: str, number: float, torch: Any
) -> None:
    outcomes = []
    for F in (mg, torch):
        try:
            value = write(F, number, getattr(F, kind))
            outcomes.append(None if value is None else repr(value.tolist()))
        except RuntimeError as error:
            outcomes.append(str(error).partition(": ")[0])
    assert outcomes[0] == outcomes[1]


class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


def test_a_stop_of_a_picture_leaves_numpys_error_state_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    before, a = np.geterr(), Value(2.0)
    x = mg.tensor([0.5, 2.0], requires_grad=True)
    steppers = [
        mg.viz.BackwardStepper(a * a + a, engine=mg.viz.Engine()),
        mg.viz.BackwardStepper((Cube.apply(x) / (x * 3)).mean()),
    ]
    monkeypatch.setattr(np.errstate, "__exit__", lambda *_: None)  # as when it is stopped before it puts anything back
    for stepper in steppers:
        stepper.last()
        assert stepper.frame.next is None
    after = np.geterr()
    np.seterr(**before)
    assert after == before

"""gradcheck: the same verdict as PyTorch's on right and on wrong functions, and a diagnosis for each wrong one.

The functions are written against a namespace `F`, so that the same code is checked by PyTorch and by us. The wrong ones
are wrong as learners' backwards are; each must be told by its own cause, for which `says` stands.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import minigrad as mg

SQUARE = np.array([[0.3, -1.2, 0.8], [1.5, 0.4, -0.6], [-0.9, 1.1, 0.7]])
WIDE = np.array([[0.3, -1.2, 0.8, 1.9], [1.5, 0.4, -0.6, -0.2]])
VECTOR = np.array([0.5, -1.3, 2.1])


@dataclass(frozen=True, eq=False)
class Checked:
    name: str
    function: Callable[..., Any]  # (F, *tensors) -> tensor or tuple
    arrays: tuple[Any, ...] = (VECTOR,)
    says: str = ""  # how the likely cause begins; of right functions nothing
    error: str = "Jacobian mismatch for output 0 with respect to input 0"
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return self.name

    def inputs(self, F: Any) -> tuple[Any, ...]:
        return tuple(
            F.tensor(array, requires_grad=True) if array.dtype.kind == "f" else F.tensor(array)
            for array in map(np.array, self.arrays)
        )

    def run(self, F: Any, **options: Any) -> bool:
        verdict: bool = F.autograd.gradcheck(
            lambda *inputs: self.function(F, *inputs), self.inputs(F), **dict(self.options) | options
        )
        return verdict


def custom(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    """A function by a custom Function: forward(F, *inputs), and backward(F, g, *inputs), for one output."""

    def function(F: Any, *inputs: Any) -> Any:
        class Written(F.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *values: Any) -> Any:
                ctx.save_for_backward(*values)
                return forward(F, *values)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return backward(F, g, *ctx.saved_tensors)

        return Written.apply(*inputs)

    return function


def module_function(F: Any, x: Any) -> Any:
    layer = F.nn.Linear(3, 2, dtype=F.float64)
    with F.no_grad():
        for number, parameter in enumerate(layer.parameters()):
            parameter.fill_(0.3 + number)
    return layer(x).tanh()


RIGHT = [
    Checked("sin", lambda F, x: F.sin(x)),
    Checked("x * y, broadcast", lambda F, x, y: x * y, (SQUARE, VECTOR)),
    Checked("x / y", lambda F, x, y: x / y, (VECTOR, VECTOR + 3)),
    Checked("matmul", lambda F, x, y: x @ y, (WIDE, WIDE.T)),
    Checked("matrix times vector", lambda F, x, y: x @ y, (SQUARE, VECTOR)),
    Checked("softmax", lambda F, x: F.softmax(x, dim=-1), (WIDE,)),
    Checked("several outputs", lambda F, x: (x.exp(), (x**2).sum())),
    Checked("a list of outputs", lambda F, x: [x.exp(), x.sum()]),
    Checked("an output that is an input", lambda F, x: (x, x * 2)),
    Checked("a view of the input", lambda F, x: x[1:], (VECTOR,)),
    Checked("indexing twice", lambda F, x: x[[0, 0, 2]] * x[[1, 0, 2]]),
    Checked("an input beside that needs no gradient", lambda F, x, i: x * i, (VECTOR, np.array([1, 2, 3]))),
    Checked("constant outputs", lambda F, x: F.ones(2)),
    Checked("0-d", lambda F, x: x**3, (np.array(1.5),)),
    Checked("empty", lambda F, x: x * 2, (np.zeros(0),)),
    Checked("sum of empty", lambda F, x: x.sum(), (np.zeros(0),)),
    Checked("a layer", module_function, (VECTOR,)),
    Checked("a custom square", custom(lambda F, x: x * x, lambda F, g, x: g * 2 * x)),
    Checked(
        "a custom product",
        custom(lambda F, x, y: x @ y, lambda F, g, x, y: (g @ y.t(), x.t() @ g)),
        (WIDE, WIDE.T),
    ),
    Checked("max", lambda F, x: x.max(0)[0]),
    Checked("in place, on a copy", lambda F, x: x.clone().mul_(x)),
    Checked("cumsum", lambda F, x: x.cumsum(0)),
    Checked("float32 with a wide step", lambda F, x: x * 3, (VECTOR.astype("float32"),), options=(("eps", 0.01),)),
]

counter = itertools.count()


class Undefined:
    """Backward that cannot take None."""

    def __call__(self, F: Any, x: Any) -> Any:
        class Fails(F.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.set_materialize_grads(False)
                return x * 2

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                if g is None:
                    raise RuntimeError("no gradient")
                return g * 2

        return Fails.apply(x)


def drifting(F: Any, x: Any) -> Any:
    return custom(lambda F, x: x * 2, lambda F, g, x: g * (2 + 1e-9 * next(counter)))(F, x)


def writes(F: Any, x: Any) -> Any:
    x.data.add_(0.5)  # unseen by the count of writes
    return x * x


def noisy(F: Any, x: Any) -> Any:
    return x * (2 + next(counter) % 7)


WRONG = [
    Checked(
        "the sign", custom(lambda F, x: F.cos(x), lambda F, g, x: g * F.sin(x)), says="the sign: backward gives the n"
    ),
    Checked(
        "the sign of some",
        custom(lambda F, x: abs(x), lambda F, g, x: g.clone()),
        says="the sign: 1 entries",
    ),
    Checked(
        "a factor", custom(lambda F, x: x**3, lambda F, g, x: g * 2 * x**2), says="the factor: backward gives 0.6666"
    ),
    Checked(
        "half of a square", custom(lambda F, x: x * x, lambda F, g, x: g * x), says="the factor: backward gives 0.5 "
    ),
    Checked(
        "mean for sum",
        custom(lambda F, x: x.sum(0), lambda F, g, x: g.expand(3) / 3),
        says="the factor: backward gives 0.333333 times the derivative everywhere. 1/3 looks like a mean",
    ),
    Checked(
        "sum for mean",
        custom(lambda F, x: x.mean(0), lambda F, g, x: g.expand(3) * 1),
        says="the factor: backward gives 3 times the derivative everywhere. 3 looks like a sum",
    ),
    Checked(
        "the inner derivative forgotten",
        custom(lambda F, x: (x * x).sin(), lambda F, g, x: g * 2 * (x * x).cos()),
        says="the factor: what backward gives lacks a factor, and that is the input's element",
    ),
    Checked(
        "the result used twice",
        custom(lambda F, x: x.exp(), lambda F, g, x: g * x.exp() * x.exp()),
        says="the factor: backward gives the output's element times the derivative",
    ),
    Checked(
        "a product's factors exchanged",
        custom(lambda F, x, y: x @ y, lambda F, g, x, y: (y @ g, x @ g)),
        (SQUARE, SQUARE.T.copy() + VECTOR),
        says="none of the usual ones",
    ),
    Checked(
        "W for W.T",
        custom(lambda F, x: F.tensor(SQUARE) @ x, lambda F, g, x: F.tensor(SQUARE) @ g),
        says="transposed: backward's Jacobian",
    ),
    Checked(
        "the gradient transposed",
        custom(lambda F, x: x * F.tensor(SQUARE), lambda F, g, x: (g * F.tensor(SQUARE)).t()),
        (SQUARE,),
        says="transposed: the gradient's rows",
    ),
    Checked(
        "the incoming gradient transposed",
        custom(
            lambda F, x: x.reshape(2, 2) * F.tensor(WIDE[:, :2]),
            lambda F, g, x: (g.t() * F.tensor(WIDE[:, :2])).reshape(4),
        ),
        (WIDE[0],),
        says="transposed: the gradient that comes in",
    ),
    Checked(
        "a sum over a broadcast dimension missing",
        custom(lambda F, x: x + F.tensor(SQUARE), lambda F, g, x: g[0] * 1),
        says="a missing sum over a broadcast dimension: the input is repeated along dimension 0",
    ),
    Checked(
        "not accumulated",
        custom(lambda F, x: F.cat([x, x]), lambda F, g, x: g[:3] * 1),
        says="not accumulated",
    ),
    Checked(
        "a sum too many",
        custom(lambda F, x: x * 2, lambda F, g, x: (g.sum(0) * 2).expand(3) * 1),
        says="too many terms",
    ),
    Checked("backwards", custom(lambda F, x: x.flip(0), lambda F, g, x: g * 1), says="the order of the elements"),
    Checked("cut", lambda F, x: x.detach() * 2 + x * 0, says="no gradient arrives at this input"),
    Checked(
        "cut altogether",
        lambda F, x: x.detach() * 2,
        error="Numerical gradient for function expected to be zero",
        says="the graph is cut",
    ),
    Checked(
        "the incoming gradient forgotten",
        custom(lambda F, x: x * x, lambda F, g, x: 2 * x),
        says="backward does not multiply by the gradient",
    ),
    Checked(
        "gradients exchanged",
        custom(lambda F, x, y: x * y, lambda F, g, x, y: (g * x, g * y)),
        (VECTOR, VECTOR + 2),
        says="the order of the gradients",
    ),
    Checked("float32", lambda F, x: (x * 3).exp(), (VECTOR.astype("float32"),), says="float32: numbers near"),
    Checked("a kink at the point", lambda F, x: F.relu(x), (np.array([0.0, 1.0]),), says="a kink near the point: to"),
    Checked("a kink close by", lambda F, x: F.relu(x), (np.array([3e-7, 1.0]),), says="a kink near the point, or a sh"),
    Checked("a jump", lambda F, x: F.floor(x), (np.array([2.0, 1.5]),), says="a jump near the point"),
    Checked("writes to its input", writes, says="an in-place change"),
    Checked("not deterministic", noisy, says="the function is not deterministic"),
    Checked("nan", lambda F, x: x.log() * 2, (np.array([-1.0, 2.0]),), says="numbers that are not finite"),
    Checked("backward drifts", drifting, error="Backward is not reentrant", says="backward uses random numbers, or"),
    Checked("undefined gradients", Undefined(), error="Expected backward function to handle undefined output grads."),
]


def verdict(case: Checked, F: Any, **options: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(case.run(F, **options))
        except RuntimeError as error:
            return str(error)


@pytest.mark.parametrize("case", RIGHT, ids=str)
@pytest.mark.parametrize("fast_mode", [False, True], ids=["slow", "fast"])
def test_right_functions_pass_as_in_torch(case: Checked, fast_mode: bool) -> None:
    torch = pytest.importorskip("torch")
    assert verdict(case, mg, fast_mode=fast_mode) == "True"
    if not (fast_mode and case.name == "constant outputs"):
        assert verdict(case, torch, fast_mode=fast_mode) == "True"


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_wrong_functions_fail_as_in_torch(case: Checked) -> None:
    torch = pytest.importorskip("torch")
    assert verdict(case, torch).startswith(case.error), verdict(case, torch)
    assert verdict(case, mg).startswith(case.error), verdict(case, mg)
    assert verdict(case, mg, raise_exception=False) == "False"


@pytest.mark.parametrize("case", [case for case in WRONG if case.says], ids=str)
def test_each_wrong_function_is_told_its_cause(case: Checked) -> None:
    assert verdict(case, mg).partition("Likely cause: ")[2].startswith(case.says), verdict(case, mg)

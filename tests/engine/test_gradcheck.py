"""gradcheck: the same verdict as PyTorch's on right and on wrong functions, and a diagnosis for each wrong one.

The functions are written against a namespace `F`, so that the same code is checked by PyTorch and by us. The wrong ones
are wrong as learners' backwards are; each must be told by its own cause, for which `says` stands.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import gradcheck, gradgradcheck
from minigrad.autograd.gradcheck import GradcheckError

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
    Checked("no outputs", lambda F, x: ()),
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
        "not accumulated, of what cannot have been broadcast",
        custom(lambda F, x: F.cat([x, x])[:, 0], lambda F, g, x: g[:3, None] * 1),
        (VECTOR[:, None],),
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
    Checked(
        "the formula of each element",
        custom(lambda F, x: F.tanh(x), lambda F, g, x: g * (1 - F.tanh(x))),
        says="the formula: each output gets to its own element of the input, as it should, but with the wrong "
        "derivative: at 0.5 the derivative is 0.7864, backward gives 0.5379; at -1.3 ",
    ),
    Checked(
        "the formula at a single point, where any number is a multiple",
        custom(lambda F, x: F.tanh(x), lambda F, g, x: g * (1 - F.tanh(x))),
        (np.array(0.5),),
        says="the formula: ",
    ),
    Checked(
        "half of a square, at a single point",
        custom(lambda F, x: x * x, lambda F, g, x: g * x),
        (np.array(0.5),),
        says="the factor: backward gives 0.5 times",
    ),
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


@pytest.mark.parametrize("case", [case for case in WRONG if case.name != "a kink close by"], ids=str)
def test_wrong_functions_fail_in_fast_mode_as_in_torch(case: Checked) -> None:
    """(Whether a random direction reaches a kink close by is chance.)"""
    torch = pytest.importorskip("torch")
    passes = verdict(case, torch, fast_mode=True) == "True"
    assert (verdict(case, mg, fast_mode=True) == "True") == passes
    if "reentrant" in case.error:
        assert verdict(case, mg, fast_mode=True).startswith(case.error)


@pytest.mark.parametrize("case", [case for case in WRONG if case.says], ids=str)
def test_each_wrong_function_is_told_its_cause(case: Checked) -> None:
    assert verdict(case, mg).partition("Likely cause: ")[2].startswith(case.says), verdict(case, mg)


# ---------------------------------------------------------------- what the error says


def square_wrong(n: int, m: int) -> Callable[..., Any]:
    """y = x ** 2, whose backward is wrong for one element alone."""

    def backward(F: Any, g: Any, x: Any) -> Any:
        gradient = g * 2 * x
        gradient[n, m] = gradient[n, m] + 7 * g[n, m]
        return gradient

    return custom(lambda F, x: x * x, backward)


def test_the_error_shows_both_jacobians_around_the_first_difference() -> None:
    x = mg.tensor(np.arange(1.0, 31).reshape(5, 6), requires_grad=True)
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x: (x, square_wrong(2, 3)(mg, x)), x)
    text = str(caught.value)
    assert text.startswith("Jacobian mismatch for output 1 with respect to input 0,\nnumerical:tensor([[")
    assert "(rows 13 to 18 and columns 13 to 18, of 30 and 30: those around the first difference)" in text
    assert (
        "First difference at [15, 15]: the derivative of element [2, 3] of the output by element [2, 3] of the input "
        "is 32 by differences and 39 by backward, an error of 7 where 0.032 is allowed. 1 of 900 entries differ, by up "
        "to 7." in text
    )
    numbers = text.partition("analytical:")[2].partition("(rows")[0]
    assert numbers.count("39.") == 1
    assert numbers.count("[") == 7


def test_small_jacobians_are_shown_whole() -> None:
    with pytest.raises(GradcheckError) as caught:
        gradcheck(
            lambda x: custom(lambda F, x: x.exp(), lambda F, g, x: -g * x.exp())(mg, x),
            mg.zeros(1, dtype=mg.float64, requires_grad=True),
        )
    assert str(caught.value).startswith(
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[1.0000]], dtype=minigrad.float64)\n"
        "analytical:tensor([[-1.]], dtype=minigrad.float64)\nFirst difference at [0, 0]: "
    )


def test_the_second_input_is_named() -> None:
    x, y = (mg.tensor(VECTOR, requires_grad=True) for _ in range(2))
    wrong = custom(lambda F, x, y: x * y, lambda F, g, x, y: (g * y, -g * x))
    with pytest.raises(GradcheckError, match="output 0 with respect to input 1,"):
        gradcheck(lambda k, x, y: wrong(mg, x, y), (3, x, y))


def test_fast_mode_shows_both_numbers_and_the_entries() -> None:
    x = mg.tensor(VECTOR, requires_grad=True)
    wrong = custom(lambda F, x: x.sin(), lambda F, g, x: -g * x.cos())
    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x: wrong(mg, x), x, fast_mode=True)
    text = str(caught.value)
    first, second = (float(line.partition(":")[2]) for line in text.splitlines()[1:3])
    assert first == pytest.approx(-second, rel=1e-4)
    assert "computed in fast mode" in text
    assert "Likely cause: the sign" in text


@pytest.mark.parametrize("fast_mode", [False, True])
def test_inputs_are_left_as_they_were(fast_mode: bool) -> None:
    x = mg.tensor(SQUARE, requires_grad=True)
    assert gradcheck(lambda x: x[:2] * 3, x, fast_mode=fast_mode)

    def fails(x: mg.Tensor) -> mg.Tensor:
        if not np.array_equal(x.detach().numpy(), SQUARE):
            raise ZeroDivisionError
        return x * 2

    with pytest.raises(ZeroDivisionError):
        gradcheck(fails, x, fast_mode=fast_mode, raise_exception=False)
    np.testing.assert_array_equal(x.detach().numpy(), SQUARE)
    assert x.grad is None


@pytest.mark.parametrize("fast_mode", [False, True])
def test_inputs_are_left_as_they_were_by_a_function_that_writes_to_them(fast_mode: bool) -> None:
    x = mg.tensor(VECTOR, requires_grad=True)
    assert not gradcheck(lambda x: writes(mg, x), x, fast_mode=fast_mode, raise_exception=False)
    np.testing.assert_array_equal(x.detach().numpy(), VECTOR)


def test_of_numbers_that_are_not_finite_no_error_is_told() -> None:
    with pytest.raises(GradcheckError) as caught:
        gradcheck(mg.sqrt, mg.tensor([0.0, 1.0], dtype=mg.float64, requires_grad=True))
    assert "is nan by differences and inf by backward. 2 of 4 entries differ.\nLikely cause: " in str(caught.value)


def test_a_function_may_use_the_same_tensors_from_outside() -> None:
    layer = mg.nn.Linear(3, 2, dtype=mg.float64)
    x = mg.tensor(VECTOR)
    assert gradcheck(lambda *parameters: layer(x).tanh(), tuple(layer.parameters()))


def test_non_contiguous_inputs() -> None:
    x = mg.tensor(SQUARE, requires_grad=True)
    assert gradcheck(lambda y: y.exp(), x.t())
    assert gradcheck(lambda y: y.exp(), x[:, 1])


def test_float32_is_warned_of() -> None:
    x = mg.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #1 requires gradient and is not a double precision") as caught:
        gradcheck(lambda k, x: x * k, (2, x), eps=0.1)
    assert caught[0].filename == __file__


def test_backward_that_makes_something_of_nothing() -> None:
    x = mg.tensor(VECTOR, requires_grad=True)
    small = custom(lambda F, x: x * 2, lambda F, g, x: g * 2 + 1e-7)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(lambda x: small(mg, x), x)

    class OnesForNone(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return mg.ones(3, dtype=mg.float64) if g is None else g * 2

    with pytest.raises(GradcheckError, match="Expected all input grads to be undefined or zero"):
        gradcheck(OnesForNone.apply, x)
    assert gradcheck(OnesForNone.apply, x, check_undefined_grad=False)


def test_an_input_that_is_written_to_is_named_by_its_place_among_all_arguments() -> None:
    with pytest.raises(GradcheckError, match="the function writes to its input 1, so that"):
        gradcheck(lambda k, x: writes(mg, x) * k, (3, mg.tensor(VECTOR, requires_grad=True)))


def test_nondet_tol_allows_small_differences() -> None:
    x = mg.tensor(VECTOR, requires_grad=True)
    assert gradcheck(lambda x: drifting(mg, x), x, nondet_tol=1e-6)
    with pytest.raises(GradcheckError, match=r"The tolerance for nondeterminism was 1e-12\."):
        gradcheck(lambda x: drifting(mg, x), x, nondet_tol=1e-12)


def test_undefined_gradients_of_all_outputs() -> None:
    class TwoOutputs(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            return second * 3 if first is None else first * 2 if second is None else first * 2 + second * 3

    x = mg.tensor(VECTOR, requires_grad=True)
    assert gradcheck(TwoOutputs.apply, x, check_undefined_grad=False)
    with pytest.raises(GradcheckError, match=r"Expected backward function to handle undefined output grads\."):
        gradcheck(TwoOutputs.apply, x)


def test_undefined_gradients_of_one_output() -> None:
    class PairsOnly(mg.autograd.Function):
        """Its backward copes with None for all gradients and for two of them, but not for one."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3, x * 4

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            known = [factor * g for factor, g in zip((2, 3, 4), gradients, strict=True) if g is not None]
            if len(known) == 2:
                raise ZeroDivisionError
            return sum(known) if known else None

    x = mg.tensor(VECTOR, requires_grad=True)
    assert gradcheck(PairsOnly.apply, x, check_undefined_grad=False)
    with pytest.raises(GradcheckError, match=r"handle undefined output grads\. It raised ZeroDivisionError"):
        gradcheck(PairsOnly.apply, x)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_buffer_that_backward_does_not_clear(fast_mode: bool) -> None:
    buffer = mg.zeros(3, dtype=mg.float64)
    adding = custom(lambda F, x: x * 2, lambda F, g, x: buffer.add_(g * 2))
    x = mg.tensor(VECTOR, requires_grad=True)
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(lambda x: adding(mg, x), x, fast_mode=fast_mode)


def growing(F: Any) -> Any:
    """A Function whose backward gives a little more each time."""
    calls = itertools.count()

    class Growing(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * (2 + 0.001 * next(calls))

    return Growing


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_batched_gradients_are_compared_with_single_ones(library: str) -> None:
    F = pytest.importorskip(library)
    x = F.tensor(VECTOR, requires_grad=True)
    options = {"nondet_tol": 1.0, "atol": 1.0}
    assert F.autograd.gradcheck(growing(F).apply, x, **options)
    with pytest.raises(inspect.unwrap(F.autograd.gradcheck).__globals__["GradcheckError"]) as caught:
        F.autograd.gradcheck(growing(F).apply, x, check_batched_grad=True, **options)
    assert str(caught.value).startswith("For output 0 and input 0:\n\ngradcheck or gradgradcheck failed while testing")
    assert F.autograd.gradcheck(lambda x: (x * x, x.sum()), x, check_batched_grad=True)


def test_a_gradient_in_another_dtype_is_found() -> None:
    """A learner's rule cannot give one, since the engine converts what it returns; an op's own rule can."""

    @mg.op.op(self=lambda F, g: np.float32(g))
    def narrowing(self: Any) -> Any:
        return self * 1

    x = mg.tensor(VECTOR, requires_grad=True)
    assert gradcheck(narrowing, x)
    with pytest.raises(GradcheckError, match=r"^Gradient has dtype mismatch: minigrad\.float32 for an input of"):
        gradcheck(narrowing, x, check_grad_dtypes=True)
    assert gradcheck(lambda x: x.sin(), x, check_grad_dtypes=True)


# ---------------------------------------------------------------- second derivatives


def test_gradgradcheck_passes() -> None:
    x, y = mg.tensor(SQUARE, requires_grad=True), mg.tensor(VECTOR, requires_grad=True)
    assert gradgradcheck(lambda x, y: (x @ y).tanh(), (x, y))
    assert gradgradcheck(lambda x: (x.exp(), x.sum()), x)
    assert gradgradcheck(lambda x: x * 2, y)
    assert gradgradcheck(lambda x: x.sin(), y, mg.ones(3, dtype=mg.float64))
    assert gradgradcheck(lambda x: x.sin(), y, fast_mode=True)


def test_gradgradcheck_finds_a_backward_that_cuts_the_graph() -> None:
    wrong = custom(lambda F, x: x**3, lambda F, g, x: g * 3 * x.detach() ** 2)
    x = mg.tensor(VECTOR, requires_grad=True)
    assert gradcheck(lambda x: wrong(mg, x), x)
    with pytest.raises(GradcheckError) as caught:
        gradgradcheck(lambda x: wrong(mg, x), x)
    assert "These are second derivatives" in str(caught.value)
    assert "Likely cause: no gradient arrives" in str(caught.value)
    assert not gradgradcheck(lambda x: wrong(mg, x), x, raise_exception=False)


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_gradgradcheck_takes_the_options_of_gradcheck(library: str) -> None:
    F = pytest.importorskip(library)
    x = F.tensor(VECTOR, requires_grad=True)
    checks = {"check_batched_grad": True, "check_grad_dtypes": True, "check_undefined_grad": True}
    assert F.autograd.gradgradcheck(lambda x: x * x * x, x, gen_non_contig_grad_outputs=False, **checks)


def test_gradgradcheck_of_a_constant() -> None:
    x = mg.tensor(VECTOR, requires_grad=True)
    with pytest.raises(ValueError, match="no output that requires grad"):
        gradgradcheck(lambda x: mg.ones(2), x)


# ---------------------------------------------------------------- bad input


X = mg.tensor(VECTOR, requires_grad=True)
BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "integers": (lambda: gradcheck(lambda x: x, mg.tensor([1, 2])), ValueError, "at least one input tensor to require"),
    "no inputs": (lambda: gradcheck(lambda: X, ()), ValueError, "at least one input tensor to require gradient"),
    "a number": (lambda: gradcheck(lambda x: x, 3.0), ValueError, "at least one input tensor to require gradient"),
    "returns a number": (lambda: gradcheck(lambda x: 3.0, X), TypeError, "output 0 is of type float: 3.0"),
    "returns None": (lambda: gradcheck(lambda x: None, X), TypeError, "output 0 is of type NoneType"),
    "returns a list in a tuple": (lambda: gradcheck(lambda x: (x, [x]), X), TypeError, "output 1 is of type list"),
    "no step": (
        lambda: gradcheck(lambda x: x, X, eps=0.0),
        ValueError,
        "eps, the step of the differences, to be posit",
    ),
    "nan for a step": (lambda: gradcheck(lambda x: x, X, eps=float("nan")), ValueError, "to be positive, not nan"),
    "expanded": (
        lambda: gradcheck(lambda x: x * 2, X[:1].expand(3)),
        RuntimeError,
        "The 0th input has a dimension",
    ),
    "a leaf is written to": (lambda: gradcheck(lambda x: x.mul_(2), X), RuntimeError, "a leaf Variable that requires"),
    "an error of its own": (
        lambda: gradcheck(lambda x: 1 / 0, X, raise_exception=False),
        ZeroDivisionError,
        "division",
    ),
    "shapes that change": (
        lambda: gradcheck(lambda x: x[x > 0.5], X),
        AssertionError,
        "Expected `func` to return outputs with the same shape when inputs are perturbed on index (0,) by 1e-06",
    ),
    "shapes that change, fast": (
        lambda: gradcheck(lambda x: x[x > 0.5], X, fast_mode=True),
        AssertionError,
        "Expected `func` to return outputs with the same shape when inputs are perturbed by 1e-06",
    ),
    "gradgradcheck of a number": (lambda: gradgradcheck(lambda x: 3.0, X), TypeError, "output 0 is of type float"),
    "gradgradcheck, sizes": (
        lambda: gradgradcheck(lambda x: x * 2, X, mg.ones(2, dtype=mg.float64, requires_grad=True)),
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of minigrad.Size([2])",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told(name: str) -> None:
    run, error, says = BAD[name]
    with pytest.raises(error) as caught:
        run()
    assert says in str(caught.value)
    np.testing.assert_array_equal(X.detach().numpy(), VECTOR)


def test_outputs_of_integers_beside_others() -> None:
    assert gradcheck(lambda x: (x.argmax(), x * 2), X)
    assert gradcheck(lambda x: x.argmax(), X)


def test_under_no_grad_the_graph_is_missing() -> None:
    with mg.no_grad(), pytest.raises(GradcheckError, match="because the check itself runs under no_grad"):
        gradcheck(lambda x: x * 2, X)


def test_outputs_of_bools_beside_others() -> None:
    assert gradcheck(lambda x: (x > 0, x * 2), X)
    assert gradcheck(lambda x: (x > 0, x * 2), X, fast_mode=True)
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x > 0.5, X)


def test_a_function_that_uses_gradients_itself() -> None:
    def slope(x: mg.Tensor) -> mg.Tensor:
        (gradient,) = mg.autograd.grad((x**3).sum(), x, create_graph=True)
        return gradient

    assert gradcheck(slope, X)
    wrong = custom(lambda F, x: x * 2, lambda F, g, x: g * 3)
    assert not gradcheck(lambda x: wrong(mg, slope(x)), X, raise_exception=False)


def test_a_function_that_asks_whether_gradients_are_on() -> None:
    assert gradcheck(lambda x: x * 2 if mg.is_grad_enabled() else x * 3, X)

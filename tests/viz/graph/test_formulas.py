"""Formulas as a person would write them: what is written is what was computed, for every op and for random rules."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.op_rows import DIFFERENTIABLE
from ops.op_table import Case
from viz.cells import cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import rules
from minigrad.viz.graph.simplifying import Formula, ShapeAlone, formula_of
from minigrad.viz.steps import contributions

POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
# What belongs to the engine and not to a learner.
ENGINES = re.compile(
    r"\bF\.|_shape\b|keepdim|\bdim=|\bNone\b|\bself\b|\bTrue\b|expand\(|prod\(|unbroadcast|norm[.)]|<\w|ctx\."
)
NUMBERED = str.maketrans({digit: f"_{number}" for number, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")})  # as in h₃₀


def as_python(text: str) -> str:
    """A formula as Python would write it."""
    text = re.sub(r"√([\w.]+|\()", lambda match: "sqrt(" + match[1].replace("(", "") + ")" * (match[1] != "("), text)
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text).replace("⌊", "floor(").replace("⌋", ")")
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda match: "**" + match[0].translate(POWERS), text)
    text = text.replace("×", "*").replace("·", "*").replace("ᵀ", ".mT").replace("π", "pi").replace("′", "_slope")
    return text.translate(NUMBERED).replace("normal ", "normal_")


def functions(dim: Any) -> dict[str, Any]:
    """What formulas call; sums and means go along the dimension that the op was given."""

    def along(function: Callable[..., Any]) -> Callable[..., Any]:
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return lambda x: function(x, axis=axis if np.ndim(x) else None, keepdims=bool(np.ndim(x)))

    bell = lambda x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi)  # noqa: E731
    erf = np.vectorize(math.erf, otypes=[float])
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    cubic = lambda x: np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))  # noqa: E731
    numpys = "exp log sqrt sin cos tan sinh cosh tanh sign abs floor outer where"
    return {
        **{name: getattr(np, name) for name in numpys.split()},
        "sum": along(np.sum),
        "mean": along(np.mean),
        "pi": math.pi,
        "max": np.maximum,
        "clamp": np.clip,
        "sigmoid": sigmoid,
        "logsigmoid": lambda x: np.log(sigmoid(x)),
        "normal_density": bell,
        "normal_cdf": lambda x: (1 + erf(x / math.sqrt(2))) / 2,
        "gelu_slope": lambda x: (cubic(x + 1e-6) * (x + 1e-6) - cubic(x - 1e-6) * (x - 1e-6)) / 4e-6 + 0.5,
        "solve": lambda a, b: np.linalg.solve(a, b[..., None])[..., 0] if b.ndim < a.ndim else np.linalg.solve(a, b),
        "cofactors": lambda a: np.linalg.inv(a).T * np.linalg.det(a),
    }


Told = tuple[Formula, Mapping[str, Any], Mapping[str, str], tuple[int, ...]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Told]:
    """Each formula that is written, with what was known then."""
    found: list[Told] = []

    def explain(function: Any, parameter: str, bound: Any, names: Any, shape: Any = None) -> rules.Rule:
        rule = rules.explain(function, parameter, bound, names, shape)
        found.append((rule.formula, bound, names, shape))
        return rule

    monkeypatch.setattr(contributions, "rules", type("", (), {"explain": explain, "binding": lambda x: x}))
    return found


def stepped(case: Case) -> viz.BackwardStepper | None:
    """The whole pass of a row of the op table, whose inputs are x, y and z and whose result is out."""
    names: dict[str, Any] = {
        name: mg.tensor(array, requires_grad=True) for name, array in zip("xyzuvw", case.arrays(), strict=False)
    }
    out = case.row.function(mg, *names.values())
    if not isinstance(out, mg.Tensor) or out.grad_fn is None or not out.numel():
        return None
    weight = np.random.default_rng(0).integers(1, 4, tuple(out.shape)).astype(str(out.dtype).rpartition(".")[2])
    stepper = viz.BackwardStepper(out, gradient=mg.tensor(weight), names={**names, "out": out})
    stepper.last()
    return stepper


def cases() -> Iterator[Any]:
    """For each row the smallest input of several dimensions that has elements, or of those that there are."""
    for row in dict.fromkeys(case.row for case in DIFFERENTIABLE):
        full = [case for case in DIFFERENTIABLE if case.row is row and all(math.prod(shape) for shape in case.shapes)]
        full.sort(key=lambda case: sum(math.prod(shape) for shape in case.shapes))
        deep = [case for case in full if max(map(len, case.shapes), default=0) > 1]
        yield pytest.param((deep or full)[:1], id=row.name)


@pytest.mark.parametrize("chosen", list(cases()))
def test_each_op_is_told_as_a_formula_that_gives_what_was_sent(chosen: list[Case], told: list[Told]) -> None:
    for case in chosen:
        told.clear()
        stepper = stepped(case)
        if stepper is None:
            continue
        sent = [item for frame in stepper.frames for item in frame.contributions]
        for frame in stepper.frames:
            sentences = [line.text for line in frame.story if line.kind == "sentence"]
            assert len(sentences) == 1
            if frame.op != "AccumulateGrad":  # whose sentence has the row's own code
                assert not ENGINES.search(with_one_word(sentences[0], stepper)), sentences[0]
            assert "what its rule gives" not in sentences[0], [item.rule.code for item in frame.contributions]
        for formula, bound, names, shape in told:
            if formula.in_words or formula.text == "0" or "x̂" in formula.text or "rstd" in formula.text:
                continue
            values = {names.get(name, name): value for name, value in bound.items()}
            words = {name: with_one_word(name, stepper) for name in values}
            value = evaluated(
                with_one_word(formula.text, stepper), {words[name]: values[name] for name in values}, bound
            )
            gave = [item.array for item in sent if item.rule.formula is formula]
            assert len(gave) == 1
            if gave[0].shape == shape:  # else it was summed since
                wanted = np.broadcast_to(value, shape) if value.size != gave[0].size else value.reshape(shape)
                assert np.allclose(wanted, gave[0], 1e-4, 1e-6, equal_nan=True), (formula.text, value, gave[0])


def with_one_word(text: str, stepper: viz.BackwardStepper) -> str:
    """A text with one word for each piece of a row's own code that stands there for a tensor without a name, and for
    one of the results of a node with several.
    """
    boxes = stepper.session.graph.boxes
    pieces = [box.name for box in boxes if box.kind == "constant" and not box.name.isidentifier()]
    pieces += [name for box in boxes for name in box.output_names if not name.isidentifier()]
    for number, piece in enumerate(pieces):
        text = text.replace(piece, f"code{number}")
    return text


def evaluated(text: str, values: dict[str, Any], bound: Mapping[str, Any]) -> Any:
    """What a formula comes to. What was reduced along dimensions has them again, as 1."""
    dim, full = bound.get("dim"), bound.get("self_shape") or np.shape(bound.get("self"))
    if dim is not None and not bound.get("keepdim", True):
        dims = dim if isinstance(dim, tuple) else (dim,)
        less = len(full) - len(dims)
        for name, value in values.items():
            if isinstance(value, np.ndarray) and len(full) and value.ndim == less:
                values[name] = np.expand_dims(value, dims)
    with np.errstate(all="ignore"):
        values = {name.translate(NUMBERED): value for name, value in values.items()}
        return np.asarray(eval(as_python(text), {**functions(bound.get("dim", -1)), **values}))


# ---------------------------------------------------------------- random rules

NUMBERS = st.sampled_from([0, 1, 2, 3, -1, -2, 0.5, -0.5])


def grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} + {})".format, parts, parts),
        st.builds("({} - {})".format, parts, parts),
        st.builds("({} * {})".format, parts, parts),
        st.builds("({} / {})".format, parts, parts),
        st.builds("(-{})".format, parts),
        st.builds("({} ** {})".format, parts, st.sampled_from([0, 1, 2, 3, "(2 - 1)", "n", "(n - 1)"])),
        st.builds("F.exp({})".format, parts),
        st.builds("F.as_function_of({}, x)".format, parts),
        st.builds("F.where(x > y, {}, {})".format, parts, parts),
        st.builds("(({}) if n == 2 else ({}))".format, parts, parts),
    )


EXPRESSIONS = st.recursive(
    st.one_of(st.sampled_from(["g", "x", "y", "n"]), NUMBERS.map("({})".format)), grown, max_leaves=8
)
SMALL = st.sampled_from([-3.0, -1.5, -1.0, 0.25, 1.0, 2.0, 4.0])


class Raw:
    """The kernels that random rules call."""

    exp = staticmethod(np.exp)
    where = staticmethod(np.where)

    @staticmethod
    def as_function_of(x: Any, other: Any) -> Any:
        return x


@settings(max_examples=400, deadline=None)
@given(text=EXPRESSIONS, g=SMALL, x=SMALL, y=SMALL, n=st.sampled_from([2, 3]))
def test_a_random_rule_keeps_its_value(text: str, g: float, x: float, y: float, n: int) -> None:
    bound = {"g": np.float64(g), "x": np.float64(x), "y": np.float64(y), "n": n}
    with np.errstate(all="ignore"):
        try:
            wanted = eval(text, {"F": Raw, **bound})
        except (ZeroDivisionError, OverflowError):
            return
        if not np.isfinite(wanted) or isinstance(wanted, complex):
            return
        formula = formula_of(ast.parse(text, mode="eval").body, bound, {})
        for written in filter(None, (formula.text, formula.numbers if g in (1.0, 2.0) else "")):
            found = eval(as_python(written), {**functions(None), **bound})
            # A number is written with four digits.
            assert np.isclose(found, wanted, 1e-9 if written == formula.text else 1e-2), (text, written)


# ---------------------------------------------------------------- the rewrites, one by one

A, B = np.float64(3), np.float64(-2)
LARGE = ShapeAlone((64, 10))


@pytest.mark.parametrize(
    ("rule", "bound", "text", "numbers"),
    [
        (lambda F, g, x, n: g * n * x ** (n - 1), {"g": A, "x": B, "n": 2}, "g × 2·x", "3 × 2·(-2)"),
        (lambda F, g, x, n: g * n * x ** (n - 1), {"g": A, "x": B, "n": 3}, "g × 3·x²", "3 × 3·(-2)²"),
        (lambda F, g, x, n: g * n * x ** (n - 1), {"g": A, "x": B, "n": 1}, "g", "3"),
        (lambda F, g, x, n: g * n * x ** (n - 1), {"g": A, "x": B, "n": -1}, "-g / x²", "-3 / (-2)²"),
        (lambda F, g, x: g * 1, {"g": A}, "g", "3"),
        (lambda F, g, x: g * x, {"g": B, "x": B}, "g × x", "-2 × (-2)"),
        (lambda F, g, x: x - g * x, {"g": B, "x": B}, "x - g × x", "-2 - (-2 × (-2))"),
        (lambda F, g, x: -g / x, {"g": B, "x": B}, "-g / x", "-(-2) / (-2)"),
        (lambda F, g, x: g.sum(0), {"g": LARGE}, "g summed over dim 0", ""),
        (lambda F, g, x: 0 - (0 - g), {"g": A}, "g", "3"),
        (lambda F, g, x: g - 0 * x, {"g": A, "x": B}, "g", "3"),
        (lambda F, g, x: -g * (x / x / x), {"g": A, "x": B}, "-g × x / x²", "-3 × (-2) / (-2)²"),
        (lambda F, g, x: g * x * x, {"g": A, "x": B}, "g × x²", "3 × (-2)²"),
        (lambda F, g, x, t: g / 4 * -2 * (x - t), {"g": A, "x": A, "t": B}, "g × 2·(t - x) / 4", "3 × 2·(-2 - 3) / 4"),
        (lambda F, g, x: F.where(x > 0, g, 0), {"g": A, "x": A}, "g", "3"),
        (lambda F, g, x: F.where(x > 0, g, 0), {"g": A, "x": B}, "0", ""),
        (lambda F, g, x: F.where(x > 0, g, 0), {"g": LARGE, "x": LARGE}, "g where x > 0, 0 elsewhere", ""),
        (lambda F, g, x: F.where(x < 0, 0, g), {"g": LARGE, "x": LARGE}, "g where x ≥ 0, 0 elsewhere", ""),
        (lambda F, g, x_shape: F.sum_to(g, x_shape), {"g": LARGE, "x_shape": (64, 10)}, "g", ""),
        (lambda F, g, x_shape: F.sum_to(g, x_shape), {"g": LARGE, "x_shape": (10,)}, "g summed to (10)", ""),
        (lambda F, g, x_shape: F.reshape(g, x_shape), {"g": LARGE, "x_shape": (64, 10)}, "g", ""),
        (lambda F, g, x_shape: F.reshape(g, x_shape), {"g": LARGE, "x_shape": (640,)}, "g reshaped to (640)", ""),
        (
            lambda F, g, x: F.matrix_transpose(x) @ g,
            {"g": LARGE, "x": ShapeAlone((64, 5))},
            "xᵀ @ g",
            "(5×64) @ (64×10)",
        ),
        (
            lambda F, g, x: g @ F.transpose(x, x.ndim - 2, x.ndim - 1),
            {"g": LARGE, "x": LARGE},
            "g @ xᵀ",
            "(64×10) @ (10×64)",
        ),
        (lambda F, g, x: g / (2 * F.sqrt(x)), {"g": A, "x": A}, "g / (2·√x)", "3 / (2·√3)"),
    ],
)
def test_a_rewrite(rule: Callable[..., Any], bound: dict[str, Any], text: str, numbers: str) -> None:
    formula = rules.explain(rule, "x", bound, {}).formula
    assert (formula.text, formula.shapes or formula.numbers) == (text, numbers)


def test_a_branch_of_a_number_says_why() -> None:
    rule: Any = lambda F, g, x: F.where(x > 0, g, 0)  # noqa: E731
    assert rules.explain(rule, "x", {"g": A, "x": B}, {"x": "height"}).formula.because == "height ≤ 0"
    assert rules.explain(rule, "x", {"g": A, "x": A}, {"x": "height"}).formula.because == "height > 0"


def test_a_value_for_each_element_is_one_number() -> None:
    rule: Any = lambda F, g, x_shape: F.expand(g, x_shape) / math.prod(x_shape)  # noqa: E731
    formula = rules.explain(rule, "x", {"g": A, "x_shape": (2, 3)}, {}, (2, 3)).formula
    assert (formula.text, formula.numbers, formula.spread) == ("g / 6", "3 / 6", "for each of its 6 elements")


OWN = """\
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return factor * x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        {body}
x = mg.tensor(2., requires_grad=True)
y = Cube.apply(x, 5)
s = viz.BackwardStepper(y)
s.next()
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "x, = ctx.saved_tensors; return grad_output * ctx.factor * 3 * x ** 2, None",
            "x gets g × 15·x². x: 1 × 15·2² = 60",
        ),
        (
            "x = ctx.saved_tensors[0]; slope = 15 * x * x; return grad_output * slope, None",
            "x gets g × 15·x². x: 1 × 15·2² = 60",
        ),
        ("return grad_output * wrong(*ctx.saved_tensors), None", "x gets what Cube.backward returns. x: 7"),
        (
            "x, = ctx.saved_tensors; x = x + other(ctx); return grad_output * x, None",
            "x gets what Cube.backward returns. x: 3",
        ),
    ],
)
def test_a_functions_own_backward_is_told_as_a_formula_where_it_is_one(body: str, told: str) -> None:
    text = OWN.format(body=body)
    scope = cell(text, wrong=lambda x: x * 0 + 7, other=lambda ctx: 1)
    assert scope["s"].frame.sentence == f"Cube: {told}"


def test_a_variance_without_degrees_of_freedom_is_not_told_as_one_with_them() -> None:
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with pytest.warns(UserWarning, match="degrees of freedom"):
        stepper = viz.BackwardStepper(x.var(correction=4))
    stepper.next()
    text = str(stepper.session.frames[-1])
    assert "g times the derivative of t0 with respect to x" in text
    assert "mean(x)" not in text

"""Distributions, as in torch: the numbers of a seed, log_prob, entropy, kl_divergence, their gradients, and errors."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@pytest.fixture(autouse=True)
def _distributions_check_arguments(torch: Any) -> None:
    """As in a fresh Python: once something has been compiled, torch leaves it out."""
    torch.distributions.Distribution.set_default_validate_args(True)


Make = Callable[[Any, Any], Any]  # from the module of distributions and the library


def of(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.distributions")


# Each, and values that may come of it.
DISTRIBUTIONS: dict[str, tuple[Make, Callable[[Any], Any]]] = {
    "Normal": (lambda d, F: d.Normal(F.randn(3), F.rand(3) + 0.1), lambda F: F.randn(3)),
    "Normal of numbers": (lambda d, F: d.Normal(0.0, 2), lambda F: F.randn(2, 3)),
    "Normal that broadcasts": (lambda d, F: d.Normal(F.randn(2, 1), F.rand(3)), lambda F: F.randn(2, 3)),
    "Normal of float64": (lambda d, F: d.Normal(F.randn(20, dtype=F.float64), 0.5), lambda F: F.randn(20)),
    "Categorical": (lambda d, F: d.Categorical(F.rand(5)), lambda F: F.tensor(3)),
    "Categorical in a batch": (lambda d, F: d.Categorical(F.rand(2, 3, 4)), lambda F: F.tensor([[0, 1, 2], [3, 0, 1]])),
    "Categorical of logits": (lambda d, F: d.Categorical(logits=F.randn(4, 3)), lambda F: F.tensor([0, 2, 1, 0])),
    "Categorical with zeros": (lambda d, F: d.Categorical(F.tensor([0.0, 1.0, 2.0])), lambda F: F.tensor([1, 2])),
}
for _title, (_make, _values) in DISTRIBUTIONS.items():

    @behaviours(f"{_title}: numbers drawn")
    def _(F: Any, make: Make = _make) -> Any:
        F.manual_seed(3)
        made = make(of(F), F)
        text = repr(made)
        drawn = [made.sample(), made.sample((7,)), made.sample((2, 20)), made.sample()]
        return [text, made.batch_shape, made.event_shape, drawn, F.rand(1)]

    @behaviours(f"{_title}: log_prob and entropy")
    def _(F: Any, make: Make = _make, values: Any = _values) -> Any:
        F.manual_seed(3)
        made = make(of(F), F)
        more = [] if "Categorical" in repr(made) else [made.mean, made.variance, made.stddev]
        return [made.log_prob(values(F)), made.entropy(), more]


def gradients(F: Any, parameters: list[Any], make: Callable[..., Any], other: Any) -> Any:
    """Of a sample's log_prob, of the entropy, and of the divergence from another distribution."""
    for parameter in parameters:
        parameter.requires_grad_()
    made = make(*parameters)
    drawn = made.rsample((2,)) if hasattr(made, "loc") else made.sample((2,))
    parts = [made.log_prob(drawn).sum(), made.entropy().sum(), of(F).kl_divergence(made, other).sum()]
    return [drawn.requires_grad, parts, F.autograd.grad(sum(parts), parameters)]


@behaviours("gradients of a Normal")
def _(F: Any) -> Any:
    F.manual_seed(1)
    d = of(F)
    return gradients(F, [F.randn(3), F.rand(3) + 0.2], d.Normal, d.Normal(F.zeros(3), F.rand(3) + 0.1))


@behaviours("a Normal of two tensors keeps the dtypes of both")
def _(F: Any) -> Any:
    single, double = F.tensor(0.5), F.tensor(2.0, dtype=F.float64)
    made = of(F).Normal(single, double), of(F).Normal(double, single), of(F).Normal(double, 1)
    return [
        [each.loc, each.scale, each.mean, each.variance, each.log_prob(single), each.entropy(), each.rsample().dtype]
        for each in made
    ]


@behaviours("gradients of choices")
def _(F: Any) -> Any:
    F.manual_seed(1)
    d = of(F)
    given = (F.rand(4, 3), F.randn(4, 3))
    return [
        gradients(F, [given[0].clone()], d.Categorical, d.Categorical(logits=F.randn(4, 3))),
        gradients(F, [given[1].clone()], lambda logits: d.Categorical(logits=logits), d.Categorical(F.rand(4, 3))),
    ]


@behaviours("a divergence that is not finite")
def _(F: Any) -> Any:
    d = of(F)
    first, second = d.Categorical(F.tensor([0.0, 1.0])), d.Categorical(F.tensor([1.0, 0.0]))
    return [d.kl_divergence(first, second), d.kl_divergence(first, first)]


@behaviours("each has a module of its own")
def _(F: Any) -> Any:
    names = ("Normal", "Categorical", "Distribution")
    modules = [importlib.import_module(f"{F.__name__}.distributions.{name.lower()}") for name in names]
    return [getattr(module, name) is getattr(of(F), name) for module, name in zip(modules, names, strict=True)]


ERRORS: list[tuple[str, type[Exception], str]] = [
    (
        "d.Normal(0.0, -1.0)", ValueError, "Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: "
        "0.0, scale: -1.0) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0",
    ),
    ("d.Normal(F.tensor([nan, 1.0]), 1.0)", ValueError, "Expected parameter loc (Tensor of shape (2,)) of"),
    ("d.Categorical(F.tensor([-1.0, 2.0]))", ValueError, "Expected parameter probs (Tensor of shape (2,)) of"),
    ("d.Categorical(logits=F.tensor([nan, 1.0]))", ValueError, "Expected parameter logits (Tensor of shape (2,)) of"),
    ("d.Categorical()", ValueError, "Either `probs` or `logits` must be specified, but not both."),
]  # fmt: skip
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F: Any, expression: str = _expression) -> Any:
        eval(expression, {"F": F, "d": of(F), "nan": float("nan")})


test_as_in_torch = behaviours.test()


def test_a_choice_has_no_rsample(torch: Any) -> None:
    import minigrad

    for F in (minigrad, torch):
        with pytest.raises(NotImplementedError):
            of(F).Categorical(F.ones(3)).rsample()
        with pytest.raises(NotImplementedError):
            of(F).kl_divergence(of(F).Normal(0.0, 1.0), of(F).Categorical(F.ones(3)))


def test_they_are_imported_when_they_are_asked_for() -> None:
    program = "import sys, minigrad; assert 'minigrad.distributions' not in sys.modules; minigrad.distributions.Normal"
    subprocess.run([sys.executable, "-c", program], check=True)

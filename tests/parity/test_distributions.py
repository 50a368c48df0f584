"""Distributions: what is drawn with a seed, log-probabilities, entropies, divergences, gradients, and refusals."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


def module(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.distributions")


def each(F: Any) -> dict[str, Any]:
    """One of each, with two parameters that want gradients; and values that it may have drawn."""
    D = module(F)
    p = F.tensor([[0.2, 0.7, 0.5], [1.5, 0.1, 1.0]], requires_grad=True)
    return {
        "normal": (p, D.Normal(p, p + 0.5), F.tensor([0.3, -1.0, 2.0])),
        "normal of numbers": (p, D.Normal(0, 2.5), F.tensor([[0.3], [1.0]])),
        "uniform": (p, D.Uniform(-p, p), F.tensor([0.1, -0.05, 0.2])),
        "bernoulli": (p, D.Bernoulli(p / 2), F.tensor([0.0, 1.0, 1.0])),
        "bernoulli of logits": (p, D.Bernoulli(logits=p), F.tensor([0.0, 1.0, 1.0])),
        "bernoulli at the ends": (p, D.Bernoulli(F.tensor([0.0, 1.0])), F.tensor([0.0, 1.0])),
        "categorical": (p, D.Categorical(p), F.tensor([[2, 0], [1, 1], [0, 2]])),
        "categorical of logits": (p, D.Categorical(logits=p), F.tensor([2, 0])),
        "one categorical": (p, D.Categorical(F.tensor([0.0, 3.0])), F.tensor([1, 1, 0])),
    }


@behaviours("names, shapes and moments")
def _(F: Any) -> Any:
    return {
        name: [repr(d), d.batch_shape, d.event_shape, d.has_rsample]
        + ([] if "categorical" in name else [d.mean, d.variance, d.stddev])
        for name, (_, d, _) in each(F).items()
    }


@behaviours("what is drawn")
def _(F: Any) -> Any:
    drawn = {}
    for name, (_, d, _) in each(F).items():
        F.manual_seed(0)
        drawn[name] = [d.sample(), d.sample((2,)), d.sample((2, 1)).shape]
    return drawn


@behaviours("log-probabilities and their gradients")
def _(F: Any) -> Any:
    results = {}
    for name, (p, d, value) in each(F).items():
        found = d.log_prob(value)
        gradients = F.autograd.grad(found.sum(), p) if found.requires_grad else None
        results[name] = [found, gradients]
    return results


@behaviours("entropies and their gradients")
def _(F: Any) -> Any:
    results = {}
    for name, (p, d, _) in each(F).items():
        found = d.entropy()
        results[name] = [found, F.autograd.grad(found.sum(), p) if found.requires_grad else None]
    return results


@behaviours("gradients through what is drawn")
def _(F: Any) -> Any:
    results = []
    for name in ("normal", "uniform"):
        F.manual_seed(0)
        p, d, _ = each(F)[name]
        drawn = d.rsample((2,))
        results += [drawn, *F.autograd.grad(drawn.sum(), p)]
    return results


@behaviours("distribution functions and their inverses")
def _(F: Any) -> Any:
    return [
        [d.cdf(value), d.icdf(F.tensor([0.1, 0.5, 0.9]))]
        for _, d, value in (each(F)[name] for name in ("normal", "uniform"))
    ]


@behaviours("modes")
def _(F: Any) -> Any:
    return each(F)["normal"][1].mode, each(F)["categorical"][1].mode


@behaviours("divergences and their gradients")
def _(F: Any) -> Any:
    D, results = module(F), []
    p, q = (F.tensor([[0.2, 0.7, 0.1], [0.5, 0.0, 0.5]], requires_grad=True) for _ in range(2))
    for one, other in (
        (D.Normal(p, p + 0.5), D.Normal(q * 2, 1.0)),
        (D.Uniform(p, p + 1), D.Uniform(q - 1, q + 2)),
        (D.Uniform(p, p + 1), D.Uniform(q, q + 0.5)),
        (D.Bernoulli(p), D.Bernoulli(q * 0.5 + 0.1)),
        (D.Categorical(p), D.Categorical(logits=q)),
    ):
        found = D.kl_divergence(one, other)
        results.append([found, F.autograd.grad(found.sum(), [p, q], allow_unused=True)])
    zero = D.Categorical(F.tensor([0.0, 0.5, 0.5]))
    return results, D.kl_divergence(zero, D.Categorical(F.ones(3))), D.kl_divergence(D.Categorical(F.ones(3)), zero)


def refused(name: str, says: str, make: Any, error: type[Exception] = ValueError) -> None:
    @behaviours(f"refused: {name}", error=error, says=says)
    def _(F: Any) -> Any:
        make(F, module(F))


INVALID = "Expected parameter "
VALUE = "Expected value argument (Tensor of shape ()) to be within the support ("
refused("a negative scale", INVALID + "scale (Tensor of shape ()) of distribution", lambda F, D: D.Normal(0.0, -1.0))
refused("a mean of nan", INVALID + "loc (Tensor of shape ())", lambda F, D: D.Normal(float("nan"), 1.0))
refused("a probability above 1", INVALID + "probs", lambda F, D: D.Bernoulli(1.5))
refused("negative probabilities", INVALID + "probs", lambda F, D: D.Categorical(F.tensor([-1.0, 2.0])))
refused("an empty interval", INVALID + "low (Tensor", lambda F, D: D.Uniform(2.0, 1.0))
refused("neither", "Either `probs` or `logits` must be specified", lambda F, D: D.Categorical())
refused("both", "Either `probs` or `logits` must be specified", lambda F, D: D.Bernoulli(0.5, 0.5))
refused("no dimension", "`probs` parameter must be at least", lambda F, D: D.Categorical(F.tensor(1.0)))
refused("no tensor", "The value argument to log_prob must be a Tensor", lambda F, D: D.Normal(0.0, 1.0).log_prob(1.0))
refused("no such class", VALUE + "IntegerInterval", lambda F, D: D.Categorical(F.ones(3)).log_prob(F.tensor(5)))
refused("neither 0 nor 1", VALUE + "Boolean", lambda F, D: D.Bernoulli(0.3).log_prob(F.tensor(2.0)))
refused(
    "another shape",
    "Value is not broadcastable with batch_shape+event_shape",
    lambda F, D: D.Normal(F.zeros(2), 1.0).log_prob(F.zeros(3)),
)
refused(
    "a pair of different kinds",
    "No KL(p || q) is implemented for p type Categorical and q type Uniform",
    lambda F, D: D.kl_divergence(D.Categorical(F.ones(2)), D.Uniform(0.0, 0.5)),
    NotImplementedError,
)


@behaviours("checks can be switched off")
def _(F: Any) -> Any:
    return module(F).Normal(0.0, 1.0, validate_args=False).log_prob(F.tensor(float("nan")))


test_as_in_torch = behaviours.test()


def test_whole_numbers_are_not_drawn_with_a_gradient() -> None:
    with pytest.raises(NotImplementedError, match="Bernoulli draws whole numbers, which have no gradient"):
        minigrad.distributions.Bernoulli(0.5).rsample()


def test_a_distribution_that_is_not_there_says_which_are() -> None:
    with pytest.raises(AttributeError, match="'Beta': there are Normal, Uniform, Bernoulli and Categorical"):
        minigrad.distributions.Beta  # noqa: B018

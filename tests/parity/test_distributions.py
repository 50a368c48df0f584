"""Distributions: what is drawn with a seed, log-probabilities, entropies, divergences, gradients, and refusals."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad
from minigrad.distributions.beta import slope

behaviours = Behaviours()


@pytest.fixture(autouse=True)
def checks_of_arguments(torch: Any) -> None:
    """torch checks arguments until something in the same process has loaded its compiler, which turns that off."""
    torch.distributions.Distribution.set_default_validate_args(True)


def module(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.distributions")


def each(F: Any) -> dict[str, Any]:
    """One of each, with two parameters that want gradients; and values that it may have drawn."""
    D = module(F)
    p = F.tensor([[0.2, 0.7, 0.5], [1.5, 0.1, 1.0]], requires_grad=True)
    matrices = p.unsqueeze(-1) * p.unsqueeze(-2) + F.eye(3)
    factor = (p.unsqueeze(-1) * p.unsqueeze(-2) + 0.5).tril()
    return {
        "normal": (p, D.Normal(p, p + 0.5), F.tensor([0.3, -1.0, 2.0])),
        "normal of numbers": (p, D.Normal(0, 2.5), F.tensor([[0.3], [1.0]])),
        "uniform": (p, D.Uniform(-p, p), F.tensor([0.1, -0.05, 0.2])),
        "bernoulli": (p, D.Bernoulli(p / 2), F.tensor([0.0, 1.0, 1.0])),
        "bernoulli of logits": (p, D.Bernoulli(logits=p), F.tensor([0.0, 1.0, 1.0])),
        "bernoulli at the ends": (p, D.Bernoulli(F.tensor([0.0, 1.0])), F.tensor([0.0, 1.0])),
        "categorical": (p, D.Categorical(p), F.tensor([[2, 0], [1, 1], [0, 2]])),
        "categorical of logits": (p, D.Categorical(logits=p), F.tensor([2, 0])),
        "beta": (p, D.Beta(p, p * 2 + 0.1), F.tensor([0.1, 0.5, 0.99])),
        "beta of numbers": (p, D.Beta(2, 0.5), F.tensor([0.0, 1.0])),
        "vectors": (p, D.MultivariateNormal(p, matrices), F.tensor([0.3, -1.0, 2.0])),
        "vectors of one mean": (
            p,
            D.MultivariateNormal(F.zeros(3), factor @ factor.mT),
            F.tensor([[[0.3, -1.0, 2.0]]]),
        ),
        "vectors by precision": (p, D.MultivariateNormal(p, precision_matrix=matrices), F.ones(4, 2, 3)),
        "vectors by factor": (p, D.MultivariateNormal(p, scale_tril=factor), F.ones(2, 3)),
        "one vector": (p, D.MultivariateNormal(p[0], matrices[1]), F.ones(3)),
        "one categorical": (p, D.Categorical(F.tensor([0.0, 3.0])), F.tensor([1, 1, 0])),
    }


@behaviours("names, shapes and moments")
def _(F: Any) -> Any:
    return {
        name: [repr(d) if "beta" not in name else "", d.batch_shape, d.event_shape, d.has_rsample]
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
        gradients = F.autograd.grad(found.sum(), p, retain_graph=True) if found.requires_grad else None
        results[name] = [found, gradients]
    return results


@behaviours("entropies and their gradients")
def _(F: Any) -> Any:
    results = {}
    for name, (p, d, _) in each(F).items():
        found = d.entropy()
        results[name] = [found, F.autograd.grad(found.sum(), p, retain_graph=True) if found.requires_grad else None]
    return results


@behaviours("gradients through what is drawn")
def _(F: Any) -> Any:
    results = []
    for name in ("normal", "uniform", "vectors", "vectors by precision", "vectors by factor"):
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
    return [each(F)[name][1].mode for name in ("normal", "categorical", "beta", "beta of numbers", "vectors")]


@behaviours("matrices of a distribution of vectors, each from the one that was given")
def _(F: Any) -> Any:
    found = [each(F)[name][1] for name in ("vectors", "vectors by precision", "vectors by factor")]
    return [[d.covariance_matrix, d.precision_matrix, d.scale_tril] for d in found]


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
        (D.Beta(p + 0.1, p + 1), D.Beta(q + 2, q * 3 + 0.1)),
        (
            D.MultivariateNormal(p, scale_tril=F.eye(3) * 2 + p.unsqueeze(-1).expand(2, 3, 3).tril(-1)),
            D.MultivariateNormal(q * 3, F.eye(3) + q.unsqueeze(-1) * q.unsqueeze(-2)),
        ),
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
refused("a concentration of 0", INVALID + "concentration", lambda F, D: D.Beta(F.tensor([1.0, 0.0]), 1.0))
refused("no probability", "Expected value argument", lambda F, D: D.Beta(1.0, 1.0).log_prob(F.tensor(1.5)))
refused(
    "a mean without dimension",
    "loc must be at least one-dimensional",
    lambda F, D: D.MultivariateNormal(F.ones(()), F.eye(1)),
)
refused("no matrix", "Exactly one of covariance_matrix or", lambda F, D: D.MultivariateNormal(F.ones(2)))
refused(
    "two matrices",
    "Exactly one of covariance_matrix or",
    lambda F, D: D.MultivariateNormal(F.ones(2), F.eye(2), F.eye(2)),
)
for _name, _what in (
    ("covariance_matrix", "covariance_matrix"),
    ("precision_matrix", "precision_matrix"),
    ("scale_tril", "scale_tril matrix"),
):
    refused(
        f"a vector for {_name}",
        f"{_what} must be at least two-dimensional",
        lambda F, D, name=_name: D.MultivariateNormal(F.ones(2), **{name: F.ones(2)}),
    )
    refused(
        f"no such matrix for {_name}",
        f"{INVALID}{_name} (Tensor of shape (2, 2)) of distribution MultivariateNormal(loc: ",
        lambda F, D, name=_name: D.MultivariateNormal(F.ones(2), **{name: F.tensor([[1.0, 2.0], [2.0, 1.0]])}),
    )
refused(
    "a shorter vector",
    "The right-most size of value must match event_shape",
    lambda F, D: D.MultivariateNormal(F.zeros(2), F.eye(2)).log_prob(F.zeros(2, 1)),
)
refused(
    "a number for a vector",
    "The right-most size of value must match event_shape",
    lambda F, D: D.MultivariateNormal(F.zeros(2), F.eye(2)).log_prob(F.tensor(1.0)),
)
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


@behaviours("beta numbers have no second derivative", error=RuntimeError, says="trying to differentiate twice")
def _(F: Any) -> Any:
    a = F.tensor(2.0, requires_grad=True)
    (first,) = F.autograd.grad(module(F).Beta(a, 1.0).rsample() ** 2, a, create_graph=True)
    first.backward()


@behaviours("normal numbers before and after beta numbers")
def _(F: Any) -> Any:
    F.manual_seed(5)
    return [F.randn(3), module(F).Beta(0.2, 3.0).sample((3,)), F.randn(3), F.rand(2)]


test_as_in_torch = behaviours.test()


def test_gradients_through_beta_numbers(torch: Any) -> None:
    """As in PyTorch, which computes them to four digits or so."""
    gradients = []
    for F in (torch, minigrad):
        F.manual_seed(0)
        a = F.tensor([0.3, 2.0, 50.0, 0.01, 300.0, 5000.0], dtype=F.float64, requires_grad=True)
        b = F.tensor([0.7, 0.2, 40.0, 0.02, 1.0, 4000.0], dtype=F.float64, requires_grad=True)
        drawn = F.distributions.Beta(a, b).rsample((20,))
        gradients.append([gradient.numpy() for gradient in F.autograd.grad((drawn * drawn).sum(), [a, b])])
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=2e-4)


@pytest.mark.parametrize("a", [0.01, 0.5, 1.0, 7.0, 1000.0])
def test_slopes_of_beta_numbers_where_there_is_a_formula(a: float) -> None:
    """For b = 1 the place of x is F = x^a, so that dx/da = -x log(x) / a."""
    x = np.array([1e-9, 0.1, 0.5, 0.9, 0.999])
    expected = -x * np.log(x) / a
    np.testing.assert_allclose(slope(x, np.full(5, a), np.ones(5)), expected, rtol=1e-11)


def test_beta_numbers_of_undefined_concentrations_are_undefined() -> None:
    """Where nothing is checked, the search for a number that can be taken ends all the same."""
    drawn = minigrad.distributions.Beta(float("nan"), 1.0, validate_args=False).sample((2,))
    assert drawn.isnan().all()


def test_whole_numbers_are_not_drawn_with_a_gradient() -> None:
    with pytest.raises(NotImplementedError, match="Bernoulli draws whole numbers, which have no gradient"):
        minigrad.distributions.Bernoulli(0.5).rsample()


def test_a_distribution_that_is_not_there_says_which_are() -> None:
    with pytest.raises(AttributeError, match="'Gamma': there are Normal, MultivariateNormal, Uniform, Beta, "):
        minigrad.distributions.Gamma  # noqa: B018

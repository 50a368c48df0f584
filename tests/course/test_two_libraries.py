"""A tensor of PyTorch where minigrad's belongs, and the other way round: the error says which library each is from.

Learners have both open, to compare. No operation takes tensors of the two together: a gradient could not pass.
"""

import operator
import types

import pytest

import minigrad as mg

GIVEN = {
    "a sum": lambda other: mg.ones(2) + other.ones(2),
    "a sum, the other first": lambda other: other.ones(2) + mg.ones(2),
    "a quotient": lambda other: mg.ones(2) / other.ones(2),
    "a comparison": lambda other: mg.ones(2) < other.ones(2),
    "a question of equality": lambda other: other.ones(2) == mg.ones(2),
    "a product of matrices": lambda other: mg.ones(2, 2) @ other.ones(2, 2),
    "a sum in place": lambda other: operator.iadd(mg.ones(2), other.ones(2)),
    "a method in place": lambda other: mg.ones(2).add_(other.ones(2)),
    "a function": lambda other: mg.nn.functional.relu(other.ones(2)),
    "a layer": lambda other: mg.nn.Linear(2, 2)(other.ones(2)),
    "a layer's weight": lambda other: mg.nn.functional.linear(mg.ones(2, 2), other.nn.Parameter(other.ones(2, 2))),
    "a loss": lambda other: mg.nn.functional.mse_loss(mg.ones(2), other.ones(2)),
    "a condition": lambda other: mg.where(other.ones(2) > 0, mg.ones(2), mg.ones(2)),
    "numbers for a tensor": lambda other: mg.tensor(other.ones(2)),
    "a list of numbers": lambda other: mg.tensor([other.ones(2), other.ones(2)]),
    "what is assigned": lambda other: operator.setitem(mg.ones(3), 0, other.ones(())),
    "what to differentiate by": lambda other: mg.autograd.grad(mg.ones(2, requires_grad=True).sum(), other.ones(2)),
    "a gradient to start from": lambda other: mg.autograd.backward(mg.ones((), requires_grad=True), [other.ones(())]),
    "where to start from": lambda other: mg.autograd.backward(other.ones((), requires_grad=True)),
    "a node by hand": lambda other: mg.ones(2, requires_grad=True).mul(2).grad_fn(other.ones(2)),
}
REFUSED = {
    "a list": lambda other: mg.cat([mg.ones(2), other.ones(2)]),
    "what is copied": lambda other: mg.ones(2).copy_(other.ones(2)),
    "a parameter": lambda other: mg.nn.Parameter(other.ones(2)),
    "an optimizer": lambda other: mg.optim.SGD([other.ones(2)], lr=0.1),
    "a gradient": lambda other: setattr(mg.ones(2, requires_grad=True), "grad", other.ones(2)),
}


@pytest.mark.parametrize("name", [*GIVEN, *REFUSED])
def test_the_error_names_the_library(name: str, torch: types.ModuleType) -> None:
    with pytest.raises((TypeError, RuntimeError, AttributeError)) as caught:
        {**GIVEN, **REFUSED}[name](torch)
    assert "torch.Tensor" in str(caught.value) or "torch.Parameter" in str(caught.value)


@pytest.mark.parametrize("name", GIVEN)
def test_it_says_how_to_get_at_the_numbers(name: str, torch: types.ModuleType) -> None:
    with pytest.raises((TypeError, RuntimeError), match=r"of PyTorch, whose numbers are x\.detach\(\)\.numpy\(\)"):
        GIVEN[name](torch)


def test_that_works(torch: types.ModuleType) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert mg.tensor(x.detach().numpy()).tolist() == [1.0, 2.0]
    assert (mg.ones(2) + mg.from_numpy(x.detach().numpy())).tolist() == [2.0, 3.0]

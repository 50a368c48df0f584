"""Weights that are computed from others: parametrizations, weight and spectral normalization, in both ways."""

from __future__ import annotations

import copy
import importlib
from typing import Any

from parity.refusals import message_of
from side_by_side import Behaviours

behaviours = Behaviours()


def stepped(F: Any, layer: Any, x: Any, steps: int = 3) -> Any:
    """The losses of some steps, what was learned, and the output in evaluation."""
    optimizer = F.optim.SGD(layer.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = layer(x).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, dict(layer.state_dict()), layer.eval()(x), repr(layer)


def layers(F: Any) -> list[Any]:
    """Layers, and inputs for them."""
    F.manual_seed(0)
    return [
        (F.nn.Linear(3, 4), F.randn(2, 3)),
        (F.nn.Conv2d(2, 3, 2), F.randn(1, 2, 4, 4)),
        (F.nn.ConvTranspose2d(2, 3, 2), F.randn(1, 2, 3, 3)),
    ]


def new_way(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.nn.utils.parametrizations")


@behaviours("weight_norm as a parametrization")
def _(F: Any) -> Any:
    return [stepped(F, new_way(F).weight_norm(layer), x) for layer, x in layers(F)]


@behaviours("weight_norm with one length, and along another dimension")
def _(F: Any) -> Any:
    return [stepped(F, new_way(F).weight_norm(layers(F)[0][0], dim=dim), F.ones(2, 3)) for dim in (None, 1)]


@behaviours("spectral_norm as a parametrization")
def _(F: Any) -> Any:
    return [stepped(F, new_way(F).spectral_norm(layer, n_power_iterations=2), x) for layer, x in layers(F)]


@behaviours("spectral_norm of a bias is its direction")
def _(F: Any) -> Any:
    return new_way(F).spectral_norm(layers(F)[0][0], "bias").bias


@behaviours("spectral_norm by hooks")
def _(F: Any) -> Any:
    return [stepped(F, F.nn.utils.spectral_norm(layer), x) for layer, x in layers(F)]


@behaviours("spectral_norm by hooks can be undone")
def _(F: Any) -> Any:
    layer = F.nn.utils.spectral_norm(layers(F)[0][0])
    layer(F.ones(1, 3))
    F.nn.utils.remove_spectral_norm(layer)
    return dict(layer.state_dict()), list(layer._forward_pre_hooks), layer.weight.requires_grad


@behaviours("two forwards before a backward, as in a discriminator")
def _(F: Any) -> Any:
    layer, x = layers(F)[0]
    layer = F.nn.utils.spectral_norm(layer)
    (layer(x).sum() - layer(-x).square().sum()).backward()
    return layer.weight_orig.grad


@behaviours("refused: two hooks, no hook, no step", error=RuntimeError, says="Cannot register two spectral_norm hooks")
def _(F: Any) -> Any:
    layer = F.nn.Linear(2, 2)
    told = [message_of(lambda: F.nn.utils.remove_spectral_norm(layer))]
    told += [message_of(lambda: F.nn.utils.spectral_norm(layer, n_power_iterations=0))]
    told += [message_of(lambda: new_way(F).spectral_norm(layer, n_power_iterations=0))]
    told += [message_of(lambda: new_way(F).spectral_norm(layer, "wait"))]
    assert all(text.startswith("ValueError") for text in told), told
    F.nn.utils.spectral_norm(F.nn.utils.spectral_norm(layer))


def symmetric(F: Any) -> Any:
    class Symmetric(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    return Symmetric()


def doubled(F: Any) -> Any:
    class Doubled(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    return Doubled()


def tools(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.nn.utils.parametrize")


@behaviours("a parametrization of one's own")
def _(F: Any) -> Any:
    F.manual_seed(0)
    layer = F.nn.Linear(3, 3)
    tools(F).register_parametrization(layer, "weight", symmetric(F))
    before = layer.weight
    layer.weight = F.ones(3, 3)
    tools(F).register_parametrization(layer, "weight", doubled(F))
    copied = copy.deepcopy(layer)
    layer(F.ones(1, 3)).sum().backward()
    return [
        before,
        layer.weight,
        copied.weight,
        [name for name, _ in layer.named_parameters()],
        layer.parametrizations.weight.original.grad,
        tools(F).is_parametrized(layer, "weight"),
        tools(F).is_parametrized(layer, "bias"),
        type(layer).__name__,
        isinstance(layer, F.nn.Linear),
    ]


@behaviours("a parametrization is removed, with the computed value or the original")
def _(F: Any) -> Any:
    results = []
    for keep in (True, False):
        F.manual_seed(0)
        layer = F.nn.Linear(2, 2)
        tools(F).register_parametrization(layer, "weight", doubled(F))
        tools(F).remove_parametrizations(layer, "weight", leave_parametrized=keep)
        results.append((dict(layer.state_dict()), type(layer).__name__, tools(F).is_parametrized(layer)))
    return results


@behaviours("weight_norm is removed")
def _(F: Any) -> Any:
    layer = new_way(F).weight_norm(layers(F)[0][0])
    tools(F).remove_parametrizations(layer, "weight")
    return dict(layer.state_dict()), layer.weight.requires_grad


@behaviours("a state goes from one parametrized layer to another")
def _(F: Any) -> Any:
    first, second = (new_way(F).spectral_norm(layers(F)[0][0]).eval() for _ in range(2))
    first.parametrizations.weight.original.data.mul_(3)
    return repr(second.load_state_dict(first.state_dict())), second.weight, list(first.state_dict())


@behaviours(
    "assigning without an inverse is refused", error=RuntimeError, says="parametrization Doubled does not implement"
)
def _(F: Any) -> Any:
    layer = tools(F).register_parametrization(F.nn.Linear(2, 2), "weight", doubled(F))
    layer.weight = F.ones(2, 2)


@behaviours("another shape is refused", error=ValueError, says="Registering a parametrization may not change the shape")
def _(F: Any) -> Any:
    tools(F).register_parametrization(F.nn.Linear(2, 2), "weight", F.nn.Flatten(0))


@behaviours(
    "a tensor that is not there is refused", error=ValueError, says="Module 'Linear(in_features=2, out_features=2"
)
def _(F: Any) -> Any:
    tools(F).register_parametrization(F.nn.Linear(2, 2), "height", doubled(F))


@behaviours("what is not parametrized cannot be removed", error=ValueError, says="Module Linear(in_features=2")
def _(F: Any) -> Any:
    tools(F).remove_parametrizations(F.nn.Linear(2, 2), "weight")


test_as_in_torch = behaviours.test()

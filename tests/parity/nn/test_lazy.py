"""Lazy layers and weight normalization, as in torch: parameters that are found later, or computed from others.

After this file a reader knows what can be done with a lazy layer before its first call, and what a state_dict holds
then. Each function below runs on both.
"""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from typing import Any

import pytest
from side_by_side import Behaviours

import minigrad
from minigrad import nn

behaviours = Behaviours()


def lazy(F: Any) -> Any:
    return F.nn.Sequential(F.nn.LazyConv2d(2, 3, padding=1, groups=1), F.nn.ReLU(), F.nn.Flatten(), F.nn.LazyLinear(4))


# ---------------------------------------------------------------- lazy layers


@behaviours("A01: before and after the first call")
def _(F: Any) -> Any:
    net = lazy(F)
    before = [repr(net), repr(net.state_dict()), [type(p).__name__ for p in net.parameters()]]
    F.manual_seed(0)
    out = net(F.ones(1, 3, 5, 5))
    return [before, repr(net), out.shape, [type(p).__name__ for p in net.parameters()], list(net.parameters())]


@behaviours("A02: it draws what a layer of that size draws")
def _(F: Any) -> Any:
    F.manual_seed(1)
    layer = F.nn.LazyLinear(3)
    layer(F.ones(2, 5))
    F.manual_seed(1)
    return bool((layer.weight == F.nn.Linear(5, 3).weight).all())


@behaviours("A03: without bias, unbatched, in other dimensions and groups")
def _(F: Any) -> Any:
    found = []
    for layer, size in (
        (F.nn.LazyLinear(2, bias=False), (4,)),
        (F.nn.LazyConv1d(4, 2, bias=False), (3, 6)),
        (F.nn.LazyConv2d(4, (1, 2), stride=2, groups=2, padding_mode="reflect", padding=(0, 1)), (2, 6, 4, 4)),
        (F.nn.LazyConv3d(1, 2, dilation=2), (1, 2, 4, 4, 4)),
        (F.nn.LazyConvTranspose1d(4, 2, bias=False), (3, 6)),
        (F.nn.LazyConvTranspose2d(4, (1, 2), stride=2, padding=(0, 1), output_padding=1, groups=2), (2, 6, 4, 4)),
        (F.nn.LazyConvTranspose3d(1, 2, dilation=2), (1, 2, 4, 4, 4)),
    ):
        F.manual_seed(0)
        out = layer(F.ones(size))
        found.append([repr(layer), out, sorted(layer.state_dict())])
    return found


@behaviours("A04: what can be done before")
def _(F: Any) -> Any:
    layer = F.nn.LazyLinear(3)
    copied, again = copy.deepcopy(layer), pickle.loads(pickle.dumps(F.nn.LazyLinear(3).weight))
    layer = layer.to("cpu").double().train()
    layer.zero_grad()
    copied(F.ones(1, 2))
    return [layer.weight.dtype, repr(layer), repr(copied), repr(again), layer(F.ones(1, 2).double()).dtype]


@behaviours("A05: numbers", error=ValueError, says="Attempted to use an uninitialized parameter")
def _(F: Any) -> Any:
    F.nn.LazyLinear(3).weight * 2


@behaviours("A06: a count of them", error=ValueError, says="Attempted to use an uninitialized parameter")
def _(F: Any) -> Any:
    sum(parameter.numel() for parameter in F.nn.LazyLinear(3).parameters())


@behaviours("A07: a shape", error=RuntimeError, says="Can't access the shape of an uninitialized parameter or buffer.")
def _(F: Any) -> Any:
    F.nn.LazyLinear(3).weight.shape  # noqa: B018


@behaviours("A08: a lazy layer loads the state of an ordinary one, and then has its size")
def _(F: Any) -> Any:
    ordinary, layer = F.nn.Linear(4, 3), F.nn.LazyLinear(3)
    loaded = repr(layer.load_state_dict(ordinary.state_dict()))
    before = [repr(layer), layer.weight.shape]
    same = bool((layer(F.ones(1, 4)) == ordinary(F.ones(1, 4))).all())
    return [loaded, before, same, repr(layer)]


@behaviours("A09: a convolution does so, too")
def _(F: Any) -> Any:
    ordinary, layer = F.nn.Conv1d(4, 2, 3, groups=2), F.nn.LazyConv1d(2, 3, groups=2)
    layer.load_state_dict(ordinary.state_dict())
    x = F.ones(1, 4, 5)
    turned, open_one = F.nn.ConvTranspose1d(4, 2, 3, groups=2), F.nn.LazyConvTranspose1d(2, 3, groups=2)
    open_one.load_state_dict(turned.state_dict())
    return [bool((one(x) == other(x)).all()) for one, other in ((layer, ordinary), (open_one, turned))]


@behaviours("A10: the state of a lazy layer, in a lazy one and in an ordinary one")
def _(F: Any) -> Any:
    state = F.nn.LazyLinear(3).state_dict()
    layer = F.nn.LazyLinear(3)
    loaded = repr(layer.load_state_dict(state))
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        F.nn.Linear(2, 3).load_state_dict(state)
    return [loaded, layer.has_uninitialized_params()]


@behaviours("A11: inputs that do not fit the loaded state", error=AssertionError, says="The in_features inferred from")
def _(F: Any) -> Any:
    layer = F.nn.LazyLinear(3)
    layer.load_state_dict(F.nn.Linear(4, 3).state_dict())
    layer(F.ones(1, 5))


@behaviours("A12: an input without channels", error=RuntimeError, says="Expected 3D (unbatched) or 4D (batched) input")
def _(F: Any) -> Any:
    F.nn.LazyConv2d(2, 3)(F.ones(5, 5))


@behaviours("A13: channels and groups", error=ValueError, says="in_channels must be divisible by groups")
def _(F: Any) -> Any:
    F.nn.LazyConv2d(4, 1, groups=2)(F.ones(1, 3, 2, 2))


@behaviours("A14: a hook sees the first call; gradients arrive")
def _(F: Any) -> Any:
    layer, log = F.nn.LazyLinear(2), []
    layer.register_forward_hook(lambda module, args, out: log.append([type(module).__name__, out.shape]))
    layer(F.ones(1, 3)).sum().backward()
    layer(F.ones(1, 3))
    return [log, layer.weight.grad, layer.bias.grad]


# ---------------------------------------------------------------- weight_norm


def normed(F: Any, module: Any, **options: Any) -> Any:
    with warnings.catch_warnings():  # PyTorch's has a successor, and says so
        warnings.simplefilter("ignore", FutureWarning)
        return F.nn.utils.weight_norm(module, **options)


@behaviours("B01: a weight as length and direction, with its gradients")
def _(F: Any) -> Any:
    F.manual_seed(0)
    results = []
    for module, size, dim in (
        (F.nn.Linear(3, 2), (4, 3), 0),
        (F.nn.Linear(3, 2), (4, 3), 1),
        (F.nn.Linear(3, 2), (4, 3), None),
        (F.nn.Conv2d(2, 3, 2), (1, 2, 3, 3), 0),
    ):
        layer = normed(F, module, dim=dim)
        out = layer(F.ones(size))
        out.pow(2).sum().backward()
        gradients = [layer.weight_g.grad, layer.weight_v.grad, layer.bias.grad]
        results.append([repr(layer), out, dict(layer.state_dict()), gradients])
    return results


@behaviours("B02: the weight follows its length at the next call")
def _(F: Any) -> Any:
    F.manual_seed(0)
    layer = normed(F, F.nn.Linear(2, 2))
    before = layer(F.ones(1, 2)) - layer.bias
    with F.no_grad():
        layer.weight_g.mul_(2)
    return [before, layer(F.ones(1, 2)) - layer.bias, [name for name, _ in layer.named_parameters()]]


@behaviours("B03: it can be removed")
def _(F: Any) -> Any:
    F.manual_seed(0)
    layer = F.nn.Linear(2, 2)
    out = layer(F.ones(1, 2))
    F.nn.utils.remove_weight_norm(normed(F, layer))
    names = [name for name, _ in layer.named_parameters()]
    return [out, layer(F.ones(1, 2)), names, type(layer.weight).__name__, len(layer._forward_pre_hooks)]


@behaviours("B04: twice", error=RuntimeError, says="Cannot register two weight_norm hooks on the same parameter weight")
def _(F: Any) -> Any:
    normed(F, normed(F, F.nn.Linear(2, 2)))


@behaviours("B05: nothing to remove", error=ValueError, says="weight_norm of 'weight' not found in ReLU()")
def _(F: Any) -> Any:
    F.nn.utils.remove_weight_norm(F.nn.ReLU())


@behaviours("B06: of a lazy layer", error=ValueError, says="The module passed to `WeightNorm` can't have uninitialized")
def _(F: Any) -> Any:
    normed(F, F.nn.LazyLinear(2))


@behaviours(
    "B07: of another parameter of a module", error=AttributeError, says="'ReLU' object has no attribute 'weight'"
)
def _(F: Any) -> Any:
    normed(F, F.nn.ReLU())


# ---------------------------------------------------------------- normalization


def lazy_norms(F: Any) -> list[Any]:
    """Lazy normalizations, and shapes of inputs for them."""
    shapes = {1: (4, 3, 5), 2: (4, 3, 2, 2), 3: (2, 3, 2, 2, 2)}
    return [
        (getattr(F.nn, f"Lazy{kind}Norm{n}d"), shape) for kind in ("Batch", "Instance") for n, shape in shapes.items()
    ]


@behaviours("D01: a lazy normalization becomes an ordinary one, with statistics and gradients")
def _(F: Any) -> Any:
    results = []
    for make, shape in lazy_norms(F):
        for options in ({}, {"affine": False}, {"track_running_stats": False}, {"bias": False, "momentum": None}):
            layer = make(**options)
            before = [repr(layer), layer.has_uninitialized_params(), [name for name, _ in layer.named_buffers()]]
            F.manual_seed(0)
            out = layer(F.randn(*shape))
            if out.requires_grad:
                out.exp().sum().backward()
            state, gradients = dict(layer.state_dict()), [p.grad for p in layer.parameters()]
            results.append([before, repr(layer), out.detach(), state, gradients])
    return results


@behaviours("D02: a lazy normalization takes over a state")
def _(F: Any) -> Any:
    ordinary, layer = F.nn.BatchNorm2d(3), F.nn.LazyBatchNorm2d()
    ordinary(F.ones(2, 3, 2, 2) * 5)
    told = repr(layer.load_state_dict(ordinary.state_dict()))
    return told, layer.eval()(F.ones(1, 3, 2, 2)), repr(layer)


@behaviours(
    "D03: numbers of a buffer without shape", error=ValueError, says="Attempted to use an uninitialized parameter"
)
def _(F: Any) -> Any:
    F.nn.LazyBatchNorm1d().running_mean * 2


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- of our own


def test_a_lazy_layer_makes_no_cycle() -> None:
    import weakref

    layer = nn.LazyLinear(2)
    gone = weakref.ref(layer)
    gc.disable()
    try:
        del layer
        assert gone() is None
    finally:
        gc.enable()


def test_a_lazy_layer_of_ones_own_becomes_what_it_says() -> None:
    from minigrad.nn.modules.lazy import LazyModuleMixin

    class Scale(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * self.weight

    class LazyScale(LazyModuleMixin, Scale):
        cls_to_become = Scale

        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.UninitializedParameter()

        def initialize_parameters(self, x: Any) -> None:
            self.weight.materialize(x.shape)
            self.weight.fill_(2)

    layer = LazyScale()
    assert layer(minigrad.ones(3)).tolist() == [2, 2, 2]
    assert type(layer) is Scale
    assert layer.weight.requires_grad


def test_a_lazy_layer_that_stays_uninitialized_is_an_error() -> None:
    from minigrad.nn.modules.lazy import LazyModuleMixin

    class Forgetful(LazyModuleMixin, nn.Linear):
        cls_to_become = nn.Linear

        def __init__(self) -> None:
            super().__init__(0, 0, False)
            self.weight = nn.UninitializedParameter()

        def reset_parameters(self) -> None:
            """Nothing is known yet."""

        def initialize_parameters(self, x: Any) -> None:
            self.in_features = x.shape[-1]

    with pytest.raises(RuntimeError, match="module Forgetful has not been fully initialized"):
        Forgetful()(minigrad.ones(1, 2))

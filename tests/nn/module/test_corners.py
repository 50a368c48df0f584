"""Corners of modules and layers that programs rely on, as in torch: dictionaries of parameters, saved states, options.

What is refused where a saved state and a layer do not go together, and which attributes of a layer may be changed after
it was made. Each function below runs on both.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


def counting(F: Any, *shape: int) -> Any:
    """0, 1, 2, ... as floats."""
    count = 1
    for size in shape:
        count *= size
    return F.arange(float(count)).view(*shape)


# ---------------------------------------------------------------- state_dict


@behaviours("A01: a state dict is an OrderedDict, prints as one, and keeps its versions when it is pickled")
def _(F: Any) -> Any:
    state = F.nn.BatchNorm1d(2).state_dict()
    again = pickle.loads(pickle.dumps(state))
    return [type(state).__name__, str(F.nn.Module().state_dict()), dict(state._metadata), dict(again._metadata)]


# ---------------------------------------------------------------- containers


@behaviours("B04: a ModuleDict is made of another, or of pairs")
def _(F: Any) -> Any:
    modules = F.nn.ModuleDict(F.nn.ModuleDict({"a": F.nn.ReLU()}))
    return [repr(modules), repr(F.nn.ModuleDict([("b", F.nn.Tanh()), ["c", F.nn.GELU()]]))]


# ---------------------------------------------------------------- modules and buffers


@behaviours("C02: a copied parameter has its own memory, no gradient, and is shared where the first one was")
def _(F: Any) -> Any:
    layer = F.nn.Linear(2, 2)
    pair = F.nn.Sequential(layer, layer)
    pair(F.ones(1, 2)).sum().backward()
    copied = copy.deepcopy(pair)
    copied[0].weight.data.zero_()
    return [copied[0].weight is copied[1].weight, copied[0].weight.grad, bool(layer.weight.any())]


@behaviours("C03: half and double")
def _(F: Any) -> Any:
    norm = F.nn.BatchNorm1d(2)
    return [[tensor.dtype for tensor in convert().state_dict().values()] for convert in (norm.half, norm.double)]


@behaviours("C05: nor is a layer made there", error=AssertionError, says="Torch not compiled with CUDA enabled")
def _(F: Any) -> Any:
    F.nn.Linear(2, 2, device="cuda")


# ---------------------------------------------------------------- layers


@behaviours("D01: batches are counted only while running statistics are tracked")
def _(F: Any) -> Any:
    norm = F.nn.BatchNorm1d(2)
    norm(counting(F, 4, 2))
    norm.track_running_stats = False
    norm(counting(F, 4, 2))
    return norm.state_dict()


@behaviours("D03: a subclass of Conv2d may pass another weight to _conv_forward")
def _(F: Any) -> Any:
    class Standardized(F.nn.Conv2d):
        def forward(self, input: Any) -> Any:
            return self._conv_forward(input, F.ones_like(self.weight), self.bias)

    layer = Standardized(1, 1, 2, padding=1, bias=False)
    return layer(counting(F, 1, 1, 3, 3))


@behaviours("D06: a normalized shape of any kind")
def _(F: Any) -> Any:
    return [repr(F.nn.LayerNorm(shape)) for shape in (3, (3,), [2, 3], F.Size([2, 3]))]


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- of our own


def test_a_list_of_modules_can_be_extended_by_itself() -> None:
    modules = minigrad.nn.ModuleList([minigrad.nn.ReLU()])
    assert len(modules.extend(modules)) == 2

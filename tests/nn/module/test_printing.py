"""A network prints as a tree."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import net

behaviours = Behaviours()


@behaviours("D01: a network prints as a tree")
def _(F: Any) -> Any:
    return repr(net(F))


@behaviours("D02: repeated blocks of a list print once")
def _(F: Any) -> Any:
    block = [F.nn.Sequential(F.nn.Linear(2, 2), F.nn.ReLU()) for _ in range(3)]
    layers = [F.nn.Linear(1, 1), F.nn.Linear(1, 2), F.nn.Linear(1, 2)]
    return [repr(F.nn.ModuleList(part)) for part in (block, layers, [], [F.nn.ReLU()])]


@behaviours("D03: extra_repr of one line and of several")
def _(F: Any) -> Any:
    class One(F.nn.Module):
        def extra_repr(self) -> str:
            return "x=1"

    class Two(One):
        def extra_repr(self) -> str:
            return "x=1\ny=2"

    outer = One()
    outer.inner = Two()
    return [repr(One()), repr(Two()), repr(outer), repr(F.nn.Module())]


@behaviours("D04: containers")
def _(F: Any) -> Any:
    nn = F.nn
    return [
        repr(nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.ReLU()})),
        repr(nn.Sequential(OrderedDict(hidden=nn.Linear(1, 2), output=nn.Tanh()))),
        repr(nn.Sequential()),
    ]


@behaviours("D05: an attribute of one's own with None")
def _(F: Any) -> Any:
    module = F.nn.Module()
    module.add_module("later", None)
    return repr(module)


test_as_in_torch = behaviours.test()

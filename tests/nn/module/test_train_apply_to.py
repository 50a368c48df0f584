"""What changes a module as a whole: train, apply, zero_grad, to a dtype, deepcopy, pickle; and compile, refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind, linear, net

behaviours = Behaviours()


@behaviours("C01: train, eval, requires_grad_, apply")
def _(F: Any) -> Any:
    module, seen = net(F), []
    flags = [m.training for m in module.eval().modules()]
    flags += [m.training for m in module.train().modules()]
    module.apply(lambda m: seen.append(kind(m)))
    module.requires_grad_(False)
    return [flags, seen, [p.requires_grad for p in module.parameters()], module.train(False) is module]


@behaviours("C02: train takes a bool", error=ValueError, says="training mode is expected to be boolean")
def _(F: Any) -> Any:
    net(F).train(1)


@behaviours("C03: zero_grad")
def _(F: Any) -> Any:
    module = net(F)
    module(F.ones(1, 2)).sum().backward()
    module.zero_grad(set_to_none=False)
    zeros = [p.grad for p in module.parameters()]
    module(F.ones(1, 2)).sum().backward()
    module.zero_grad()
    return zeros, [p.grad for p in module.parameters()]


@behaviours("C09: zero_grad fills gradients that are parts of one memory with zeros there")
def _(F: Any) -> Any:
    module, together = F.nn.Linear(2, 2), F.ones(8)
    module.weight.grad, module.bias.grad = together[:4].view(2, 2), together[4:6]
    module.zero_grad(set_to_none=False)
    return together, module.weight.grad, [p.grad.requires_grad for p in module.parameters()]


@behaviours("C04: to another dtype keeps the parameters the same objects")
def _(F: Any) -> Any:
    module = net(F)
    module(F.ones(1, 2)).sum().backward()
    before = list(module.parameters())
    returned = module.double()
    after = list(module.parameters())
    return [
        returned is module,
        [a is b for a, b in zip(before, after, strict=True)],
        [p.dtype for p in after],
        [p.grad.dtype for p in after],
        [b.dtype for b in module.buffers()],
        [kind(p) for p in after],
        module.to(F.float32).scale.dtype,
        module.to("cpu") is module,
        module.to(F.ones(1, dtype=F.float64)).scale.dtype,
        module.float().scale.dtype,
    ]


behaviours.table(
    ("C05: ints stay ints", lambda F: F.nn.BatchNorm1d(2).double().num_batches_tracked.dtype),
    ("C06: not to ints", lambda F: net(F).to(F.int64),
     TypeError, "nn.Module.to only accepts floating point or complex dtypes, but got"),
)  # fmt: skip


@behaviours("C07: deepcopy and pickle")
def _(F: Any) -> Any:
    module = F.nn.Sequential(linear(F, 2, 2), F.nn.BatchNorm1d(2))
    module(F.ones(3, 2)).sum().backward()
    copied, read = copy.deepcopy(module), pickle.loads(pickle.dumps(module))
    with F.no_grad():
        module[0].weight.add_(1)
    return [
        [dict(m.state_dict()) for m in (copied, read)],
        [p.grad for p in copied.parameters()],
        copied.training,
        kind(copied[0].weight),
        [copied[0].weight is module[0].weight],
    ]


@behaviours("C08: a shared parameter stays shared in a copy")
def _(F: Any) -> Any:
    first, second = F.nn.Linear(2, 2), F.nn.Linear(2, 2)
    second.weight = first.weight
    copied = copy.deepcopy(F.nn.Sequential(first, second))
    return [copied[0].weight is copied[1].weight, len(list(copied.parameters()))]


test_as_in_torch = behaviours.test()

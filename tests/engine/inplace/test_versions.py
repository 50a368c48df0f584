"""The count of writes, `_version`: who shares it, and what counts as one (D04)."""

from __future__ import annotations

import operator

from engine.inplace.effects import grid, state, tried
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D04: a tensor starts at version 0, and each write counts one")
def _(F):
    x = F.zeros(2)
    versions = [x._version]
    x.add_(1)
    x[0] = 5
    x.zero_()
    x.copy_(F.ones(2))
    with F.no_grad():
        x.mul_(2)
    return [*versions, x._version]


@behaviours("D04: requires_grad_, detach_, retain_grad and reading count as nothing")
def _(F):
    x = F.zeros(2).requires_grad_()
    y = x * 2
    y.retain_grad()
    y.tolist(), y[0].item()
    y.detach_()
    return x._version, y._version


@behaviours("D04: which ways to a tensor's memory share its count")
def _(F):
    x = F.ones(2, 3)
    ways = [x.detach(), x.data, x.clone(), x[0], x.view(-1), x.t()[1], x.detach()[0], x.data.view(-1), x[[0]]]
    x.add_(1)
    first = [way._version for way in (x, *ways)]
    for way in ways:
        way.mul_(2)
    return first, [way._version for way in (x, *ways)], x


@behaviours("D04: which ways to a result's memory share its count")
def _(F):
    y = grid(F) * 1
    ways = [y.detach(), y.data, y.clone(), y[0], y.view(-1), y.t()[1], y.detach()[0]]
    y.add_(1)
    return [way._version for way in (y, *ways)]


@behaviours("D04: a view or a detached tensor made later joins the count where it stands")
def _(F):
    x = F.ones(2, 3)
    x.add_(1).mul_(2)
    return x[0]._version, x.detach()._version, x.data._version, x.clone()._version, (x + 0)._version


@behaviours("D04: a write through detach() counts for the graph's tensor")
def _(F):
    x = grid(F)
    x.detach().mul_(2)
    x.detach()[0].mul_(2)
    x.data.mul_(2)
    return state(x)


@behaviours("D04: what counts as one write")
def _(F):
    y, counts = F.ones(2, 3), []
    for write in (
        lambda: y.add_(1),
        lambda: y.zero_(),
        lambda: y.fill_(2),
        lambda: y.copy_(F.ones(3)),
        lambda: y.exp_(),
        lambda: y.requires_grad_(False),
        lambda: y.detach_(),
        lambda: operator.setitem(y, 0, 1.0),
        lambda: y[0].add_(1),
        lambda: operator.iadd(y, 1),
        lambda: y.add_(y),
        lambda: y.numpy().fill(1),
        lambda: setattr(y, "data", F.zeros(2)),
        lambda: y.sum(),
    ):
        write()
        counts.append(y._version)
    return counts


@behaviours("D04: y[0] += 1 counts twice: once for the row, once for setting it")
def _(F):
    y = F.ones(2, 3)
    y[0] += 1
    y[[0]] += 1
    return y._version, y


@behaviours("D04: a refused write counts nothing")
def _(F):
    x, y = grid(F), F.ones(2, 3)
    for write in (
        lambda: x.add_(1),
        lambda: x[0].add_(1),
        lambda: y.add_(F.ones(4)),
        lambda: y.long().add_(1.5),
        lambda: operator.setitem(y, 5, 1.0),
        lambda: y.copy_(F.ones(4)),
        lambda: y.fill_(F.ones(2)),
    ):
        try:
            write()
        except (RuntimeError, IndexError):
            continue
        return "not refused"
    return x._version, y._version


@behaviours("D04: backward counts nothing in tensors, and one in a .grad that it adds to")
def _(F):
    x = grid(F)
    counts = []
    for _ in range(3):
        (x * 3).sum().backward()
        counts.append([x._version, x.grad._version])
    return counts


@behaviours("D04: the count is not for writing")
def _(F):
    return tried(lambda: setattr(F.ones(2), "_version", 3))[0]


@behaviours("D04: increment_version counts a write of a tensor, or of several, that was made elsewhere")
def _(F):
    x, y = F.ones(2), F.ones(3)
    F.autograd.graph.increment_version(x)
    F.autograd.graph.increment_version([x[0], y])
    return x._version, y._version


@behaviours(
    "D04: backward finds a write that increment_version told of",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = F.ones(2, requires_grad=True)
    y = x * x
    x.detach().numpy()[0] = 7
    F.autograd.graph.increment_version(x)
    y.sum().backward()


@behaviours("D04: nobody counts for tensors of inference mode")
def _(F):
    with F.inference_mode():
        x = F.ones(2)
    F.autograd.graph.increment_version(x)
    return x


@behaviours("D04: increment_version of no tensor", error=RuntimeError, says="increment_version expects each element of")
def _(F):
    F.autograd.graph.increment_version([3])


for _stranger in (3, None):

    @behaviours(
        f"D04: increment_version of {_stranger}",
        error=RuntimeError,
        says="increment_version expect a Iterable[Tensor] as input",
    )
    def _(F, stranger=_stranger):
        F.autograd.graph.increment_version(stranger)


test_as_in_torch = behaviours.test()

"""Writes in inference mode, writes outside to what was made in it, and .data and detach_ of such tensors (F05)."""

from __future__ import annotations

from parity.leaves import leaf
from parity.modes.samples import inferred
from side_by_side import Behaviours

behaviours = Behaviours()


INFERENCE_VIEW = "A view was created in inference mode and is being modified inplace in normal mode."


@behaviours(
    "F05: backward finds a write in inference mode", error=RuntimeError, says="one of the variables needed for gradi"
)
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    with F.inference_mode():
        x.add_(1)
    y.backward()


@behaviours("F05: a result that is written to in inference mode keeps its node")
def _(F):
    x = leaf(F)
    y = x * 2
    with F.inference_mode():
        y.add_(1)
    y.sum().backward()
    return y, y._version, y.grad_fn, x.grad


@behaviours(
    "F05: a view made in inference mode takes no value that needs grad outside", error=RuntimeError, says=INFERENCE_VIEW
)
def _(F):
    x, w = F.ones(2), leaf(F)
    with F.inference_mode():
        view = x.view(2)
    view.mul_(w)


@behaviours("F05: a view of a leaf may be written to within inference mode")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        x.view(2, 1).add_(1)
        x[0] = 7
    return x, x._version, x.is_leaf


@behaviours("F05: an inference tensor may be written into an ordinary one")
def _(F):
    x, source = F.zeros(2), inferred(F)
    x.copy_(source)
    x.add_(source)
    x[0] = source[1]
    return x, x.is_inference(), x._version


@behaviours("F05: .data moves the kind of the tensor with its memory")
def _(F):
    x, y = F.ones(2), inferred(F)
    x.data = inferred(F)
    y.data = F.ones(2)
    return x.is_inference(), y.is_inference()


@behaviours("F05: detach_ of an inference tensor")
def _(F):
    x = inferred(F)
    return x.detach_() is x, x.is_inference()


test_as_in_torch = behaviours.test()

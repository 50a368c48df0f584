"""inference_mode as a block and as a decorator, and together with the other modes (F05)."""

from __future__ import annotations

from engine.modes.samples import modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("F05: enable_grad within inference mode makes is_grad_enabled true, and still records nothing")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        with F.enable_grad():
            seen, y = modes(F), x * 2
        with F.set_grad_enabled(True):
            seen_too, z = modes(F), x * 2
    return seen, y, y.is_inference(), seen_too, z


@behaviours("F05: inference_mode(False) within inference mode records again")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        with F.inference_mode(False):
            seen, y, made = modes(F), x * 2, F.ones(2)
        back = modes(F)
    y.sum().backward()
    return seen, back, y, y.is_inference(), made.is_inference(), x.grad


@behaviours("F05: inference_mode(False) within no_grad records, too")
def _(F):
    x = leaf(F)
    with F.no_grad():
        with F.inference_mode(False):
            seen, y = modes(F), x * 2
        back = modes(F)
    return seen, y, back


@behaviours("F05: no_grad within inference mode")
def _(F):
    with F.inference_mode():
        with F.no_grad():
            inside, x = modes(F), F.ones(2)
        after = modes(F)
    return inside, x.is_inference(), after


@behaviours("F05: inference mode within no_grad comes back to no_grad")
def _(F):
    with F.no_grad():
        with F.inference_mode():
            inside = modes(F)
        after, y = modes(F), leaf(F) * 2
    return inside, after, y.is_inference()


@behaviours("F05: a decorated function gives inference tensors")
def _(F):
    @F.inference_mode()
    def predict(x):
        return x * 2

    @F.inference_mode(mode=False)
    def train(x):
        return x * 2

    y = predict(leaf(F))
    with F.inference_mode():
        z = train(leaf(F))
    return y, y.is_inference(), z, z.is_inference()


test_as_in_torch = behaviours.test()

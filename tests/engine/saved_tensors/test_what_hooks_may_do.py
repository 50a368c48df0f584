"""What pack and unpack may return, their errors, and what is refused (G01, G03, G04)."""

from __future__ import annotations

import weakref
from contextlib import nullcontext
from typing import Any

import pytest
from engine.saved_tensors.packing import hooks, noted, square, text
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


@behaviours("G01: pack may return anything, here a key of a dict")
def _(F):
    x, store = leaf(F), {}

    def pack(t):
        key = f"tensor {len(store)}"
        store[key] = t.detach()
        return key

    with hooks(F, pack, store.pop):
        y = (x * x).exp()
    kept = sorted(store)
    y.sum().backward()
    return kept, store, x.grad


@behaviours("G01: pack may return numbers alone")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.tolist(), lambda numbers: F.tensor(numbers)):
        y = x.exp().sin()
    y.sum().backward()
    return x.grad


@behaviours("G01: pack may return None")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: None, lambda nothing: F.tensor([10.0, 20.0])):
        y = x * leaf(F)
    y.sum().backward()
    return x.grad


@behaviours("G01: what unpack returns is what the rule uses")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.detach(), lambda t: t * 100):
        y = x**2
    y.sum().backward()
    return y, x.grad


@behaviours("G01: unpack may return the very tensor that was packed")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t, lambda t: t):
        y = (x * x).exp()
    y.sum().backward()
    return x.grad


@behaviours("G01: unpack may return another dtype: the gradient is still the input's")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.detach(), lambda t: t.double()):
        y = x.sin()
    y.sum().backward()
    return x.grad


@behaviours("G01: if unpack returns a shape that broadcasts, the gradient is summed to the input's shape")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.detach(), lambda t: F.zeros(3, 2)):
        y = x.sin()
    y.sum().backward()
    return x.grad


@behaviours("G01: what unpack returns may lose its own graph: the gradient of the gradient goes to the original")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.tolist(), lambda numbers: F.tensor(numbers)):
        y = x**3
        z = x.exp()
    results = []
    for w in (y, z):
        (g,) = F.autograd.grad(w.sum(), x, create_graph=True)
        results += [g.detach(), *F.autograd.grad(g.sum(), x)]
    return results


@behaviours("G01: under create_graph the ops of backward are packed by the hooks in force at that time")
def _(F):
    x, first, second = leaf(F), [], []
    with noted(F, first):
        y = (x**3).sum()
    with noted(F, second):
        (g,) = F.autograd.grad(y, x, create_graph=True)
    F.autograd.grad(g.sum(), x)
    return first, len(second) > 0


@behaviours(
    "G01: with packed values a node that ran is freed all the same",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    x = leaf(F)
    with noted(F, []):
        y = x.exp()
    y.sum().backward()
    y.sum().backward()


@behaviours("G01: what pack returned is released when the node is freed")
def _(F):
    class Box:
        def __init__(self, t):
            self.t = t

    x, boxes = leaf(F), []

    def pack(t):
        box = Box(t.detach())
        boxes.append(weakref.ref(box))
        return box

    with hooks(F, pack, lambda box: box.t):
        y = x.exp()
    y.sum().backward(retain_graph=True)
    before = boxes[0]() is not None
    y.sum().backward()
    return before, boxes[0]() is None


@behaviours("G01: the hooks themselves are released with the graph")
def _(F):
    class Unpack:
        def __call__(self, t):
            return t

    x, unpack = leaf(F), Unpack()
    alive = weakref.ref(unpack)
    with hooks(F, lambda t: t.detach(), unpack):
        y = x.exp()
    del unpack
    while_graph = alive() is not None
    del y
    return while_graph, alive() is None


@behaviours("G01: a write after packing goes unnoticed where pack made a copy")
def _(F):
    x = leaf(F)
    y = x * 2
    with hooks(F, lambda t: t.detach().clone(), lambda t: t):
        z = y.sin()
    y.mul_(10)
    z.sum().backward()
    return x.grad


@behaviours("G01: where pack kept the memory, the rule uses what was written there since")
def _(F):
    x = leaf(F)
    y = x * 2
    with hooks(F, lambda t: t.detach(), lambda t: t):
        z = y.sin()
    y.mul_(0)
    z.sum().backward()
    return x.grad


@behaviours("G01: an exception in pack comes out of the op", error=KeyError, says="'full'")
def _(F):
    def pack(t):
        raise KeyError("full")

    with hooks(F, pack, lambda t: t):
        leaf(F).exp()


@behaviours("G01: after an exception in pack the hooks are still in force, and gone after the context")
def _(F):
    x, log = leaf(F), []

    def pack(t):
        log.append("pack")
        if len(log) == 1:
            raise KeyError("full")
        return t.detach()

    with hooks(F, pack, lambda t: t):
        error = text(x.exp)
        x.exp()
    x.exp()
    return error, log


@behaviours("G01: an exception in unpack comes out of backward", error=FileNotFoundError, says="it is gone")
def _(F):
    def unpack(t):
        raise FileNotFoundError("it is gone")

    with hooks(F, lambda t: t.detach(), unpack):
        y = leaf(F).exp()
    y.sum().backward()


@behaviours("G01: after an exception in unpack, the graph can be used once unpack works")
def _(F):
    x, broken = leaf(F), [True]

    def unpack(t):
        if broken.pop():
            broken.append(False)
            raise FileNotFoundError("it is gone")
        broken.append(False)
        return t

    with hooks(F, lambda t: t.detach(), unpack):
        y = x.exp().sum()
    return text(y.backward), x.grad, y.backward(), x.grad


@behaviours(
    "G03: unpack returns an int",
    error=TypeError,
    says="Output of saved tensor unpack_hook expected to be a Tensor but got result of type int",
)
def _(F):
    with hooks(F, lambda t: 1, lambda packed: packed):
        y = leaf(F).exp()
    y.sum().backward()


@behaviours(
    "G03: unpack returns nothing",
    error=TypeError,
    says="Output of saved tensor unpack_hook expected to be a Tensor but got result of type NoneType",
)
def _(F):
    with hooks(F, lambda t: t.detach(), lambda packed: None):
        y = leaf(F).exp()
    y.sum().backward()


@behaviours(
    "G03: unpack returns an int for a custom Function's saved_tensors",
    error=TypeError,
    says="Output of saved tensor unpack_hook expected to be a Tensor but got result of type list",
)
def _(F):
    with hooks(F, lambda t: t.tolist(), lambda packed: packed):
        y = square(F).apply(leaf(F))
    y.sum().backward()


@behaviours(
    "G03: what is no function is a TypeError, at the latest when it is used",
)
def _(F):
    try:
        with hooks(F, 1, 2):
            leaf(F).exp()
    except TypeError as error:
        return type(error).__name__
    return None


@behaviours(
    "G04: a pack hook may not write to what it packs",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    y = leaf(F) * 2
    with hooks(F, lambda t: t.mul_(2), lambda t: t):
        y.sin()


@behaviours(
    "G04: a pack hook may not write to what it packs under no_grad either",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    def pack(t):
        with F.no_grad():
            t.add_(1)
        return t.detach()

    with hooks(F, pack, lambda t: t):
        leaf(F).sin()


@behaviours(
    "G04: a pack hook may not write to the detach() of what it packs, which shares the count of writes",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    with hooks(F, lambda t: t.detach().add_(1), lambda t: t):
        leaf(F).sin()


@behaviours("G01: a view that no_grad made of a leaf counts as needing a gradient when it is unpacked, too")
def _(F):
    x = leaf(F)
    with F.no_grad():
        part = x[1:]
    with hooks(F, lambda t: t, lambda t: t):
        y = part * x
    (gradient,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return gradient.requires_grad, gradient.grad_fn is None


@behaviours(
    "G01: writes to what an unpack hook gave for a result are counted",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    y = x * 2
    with hooks(F, lambda t: t, lambda t: t):
        z = y**3
    (gradient,) = F.autograd.grad(z.sum(), y, create_graph=True)
    y.fill_(1.5)
    F.autograd.grad(gradient.sum(), x)


@behaviours("G01: what a hook keeps of the old value stays when the tensor is written to")
def _(F):
    x, w, kept = leaf(F), leaf(F), []

    def pack(t):
        kept.append(t)
        return t

    y = x * 1
    with hooks(F, pack, lambda t: t):
        y.mul_(w)
    values = sorted(t.tolist() for t in kept)
    y.sum().backward()
    return values, w.grad, x.grad


BY_SHAPE = "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 0"
OTHER_SHAPES: dict[str, Any] = {
    "a * b": (lambda F, x: x * F.full((3,), 2.0), BY_SHAPE),
    "a / b": (lambda F, x: x / F.full((3,), 2.0), BY_SHAPE),
    "sin": (lambda F, x: x.sin(), BY_SHAPE),
    "exp, which saved its result": (lambda F, x: x.exp(), BY_SHAPE),
    "a Function": (lambda F, x: square(F).apply(x), BY_SHAPE.replace("a (3)", "a (5)").replace("b (5)", "b (3)")),
}
for _name, (_function, _says) in OTHER_SHAPES.items():

    @behaviours(f"unpack: a tensor of another shape: {_name}", error=RuntimeError, says=_says)
    def _(F, function=_function):
        x = leaf(F, 1.0, 2.0, 3.0)
        with hooks(F, lambda t: t.shape, lambda shape: F.ones(5)):
            y = function(F, x)
        y.sum().backward()


@behaviours("unpack: a tensor of another shape that broadcasts")
def _(F):
    x = leaf(F, 1.0, 2.0, 3.0)
    with hooks(F, lambda t: t.shape, lambda shape: F.ones(2, 3)):
        y = x * F.full((3,), 2.0)
    y.sum().backward()
    return x.grad


@pytest.mark.parametrize("unpacks", [True, False], ids=["an unpack hook", ".data"])
def test_who_gave_it_another_shape_is_said(unpacks: bool) -> None:
    x, w = leaf(minigrad, 1.0, 2.0, 3.0), minigrad.full((3,), 2.0)
    with hooks(minigrad, lambda t: t, lambda t: minigrad.ones(5)) if unpacks else nullcontext():
        y = x * w
    if not unpacks:
        w.data = minigrad.ones(5)
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    cause = str(caught.value).splitlines()[-1]
    assert cause.startswith("MulBackward0 could not compute its gradient, since the sizes do not match: ")
    assert ("an unpack hook gave a tensor of another shape" in cause) is unpacks
    assert (".data" in cause) is not unpacks


def test_a_gradient_that_comes_out_in_another_shape_is_refused() -> None:
    """PyTorch's convolution refuses earlier, in the words of the library that computes it."""
    x = minigrad.ones(1, 1, 4, requires_grad=True)
    with hooks(minigrad, lambda t: t, lambda t: minigrad.ones(1, 1, 7)):
        y = minigrad.nn.functional.conv1d(x, minigrad.ones(1, 1, 2))
    says = (
        r"^Function ConvolutionBackward0 returned an invalid gradient at index 0 - got \[1, 1, 7\] but expected shape"
    )
    with pytest.raises(RuntimeError, match=says):
        y.sum().backward()


test_as_in_torch = behaviours.test()

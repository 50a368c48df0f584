"""saved_tensors_hooks: packed when an op saves, unpacked when backward uses, in the thread that entered them (G01)."""

from __future__ import annotations

import threading

from engine.saved_tensors.packing import hooks, noted
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("G01: packed when the op saves, unpacked when backward uses")
def _(F):
    x, log = leaf(F), []
    with hooks(F, lambda t: (log.append("pack"), t)[1], lambda t: (log.append("unpack"), t)[1]):
        y = x.sin()
        log.append("forward is over")
    y.sum().backward()
    return log, x.grad


@behaviours("G01: each saved tensor is unpacked once in a pass")
def _(F):
    x, y, packed, unpacked = leaf(F), leaf(F, 3.0, 4.0), [], []
    with noted(F, packed, unpacked):
        z = x * y
    z.sum().backward()
    return packed, unpacked


@behaviours("G01: a saved tensor is unpacked in each pass again, with retain_graph")
def _(F):
    x, unpacked = leaf(F), []
    with noted(F, [], unpacked):
        y = x.exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return len(unpacked), x.grad


@behaviours("G01: a saved tensor that the pass has no use for may stay packed")
def _(F):
    x, y, packed, unpacked = leaf(F), leaf(F), [], []
    with noted(F, packed, unpacked):
        z = x.exp() + y.sin()
    z.sum().backward(inputs=[x])
    return len(packed), len(unpacked)


@behaviours("G01: reading _saved_self unpacks")
def _(F):
    x, unpacked = leaf(F), []
    with noted(F, [], unpacked):
        y = x.sin()
    return y.grad_fn._saved_self.detach(), len(unpacked), y.grad_fn._saved_self is x, len(unpacked)


@behaviours("G01: a node called by hand unpacks")
def _(F):
    x, unpacked = leaf(F), []
    with noted(F, [], unpacked):
        y = x.sin()
    with F.no_grad():
        result = y.grad_fn(F.ones(2))
    return result, len(unpacked)


@behaviours("G01: the pack hook gets an input as the same object")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    with hooks(F, lambda t: (seen.append(t is x or t is y), t.detach())[1], lambda t: t):
        z, w = x.sin(), y.sin()
    return seen, z.grad_fn.name(), w.grad_fn.name()


@behaviours("G01: the pack hook gets a leaf with its flag, a result with its node, the op's own result too")
def _(F):
    x, seen = leaf(F), []
    y = x * 2
    with hooks(F, lambda t: (seen.append((t.requires_grad, t.is_leaf, t.grad_fn)), t.detach())[1], lambda t: t):
        results = x.sin(), y.sin(), y.exp()
    return seen, len(results)


@behaviours("G01: recording is off within a pack hook")
def _(F):
    x, seen = leaf(F), []
    with hooks(F, lambda t: (seen.append(F.is_grad_enabled()), t.detach())[1], lambda t: t):
        y = x.sin()
    return seen, y.requires_grad


@behaviours("G01: what ops in a pack hook compute is not packed in turn")
def _(F):
    x, log = leaf(F), []

    def pack(t):
        log.append("pack")
        return (t * t).detach()

    with hooks(F, pack, lambda t: t):
        y = x.sin()
    y.sum().backward()
    return log, x.grad


@behaviours("G01: hooks belong to the thread that entered them")
def _(F):
    x, packed, results = leaf(F), [], []
    with noted(F, packed):
        thread = threading.Thread(target=lambda: results.append(x.exp()))
        thread.start()
        thread.join()
    results[0].sum().backward()
    return packed, x.grad


@behaviours("G01: after the context nothing is packed, also after an error in it")
def _(F):
    x, packed = leaf(F), []
    try:
        with noted(F, packed):
            raise ValueError("stop")
    except ValueError as error:
        y = x.sin()
        return packed, str(error), y.grad_fn._saved_self is x
    return None


@behaviours("G01: one pair of hooks can be entered again")
def _(F):
    x, packed = leaf(F), []
    pair = noted(F, packed)
    for _ in range(2):
        with pair:
            x.sin()
    return packed


@behaviours("G01: entering gives nothing")
def _(F):
    with noted(F, []) as entered:
        return entered


test_as_in_torch = behaviours.test()

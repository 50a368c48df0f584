"""Parameters and buffers: what they are, and what is computed, copied and pickled of them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind

behaviours = Behaviours()


@behaviours("A01: a Parameter requires grad, and prints as one")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    return [repr(p), p.requires_grad, p.is_leaf, isinstance(p, F.Tensor), isinstance(p, F.nn.Parameter), kind(p)]


@behaviours("A02: what is computed from it is a plain tensor")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    results = [p * 1, p.sum(), p[0], p.view(2), p.detach(), p.data, p.clone(), p.double(), -p, p @ p]
    return [kind(r) for r in results] + [kind(p.float()), kind(p.requires_grad_()), p.float() is p]


@behaviours("A03: it shares the memory of its data, and leaves its graph")
def _(F: Any) -> Any:
    x = F.tensor([1.0, 2.0], requires_grad=True)
    p = F.nn.Parameter(x * 2)
    y = F.tensor([1.0])
    q = F.nn.Parameter(y)
    y.add_(1)
    return [p.grad_fn, p.requires_grad, q, q._version, F.nn.Parameter(y, requires_grad=False)]


@behaviours(
    "A04: of ints it cannot require grad", error=RuntimeError, says="Only Tensors of floating point and complex"
)
def _(F: Any) -> Any:
    F.nn.Parameter(F.tensor([1]))


@behaviours("A05: of ints without")
def _(F: Any) -> Any:
    return F.nn.Parameter(F.tensor([1]), requires_grad=False), F.nn.Parameter().shape, F.nn.Parameter(None).dtype


@behaviours("A06: of a list it is refused", error=AttributeError, says="'list' object has no attribute 'detach'")
def _(F: Any) -> Any:
    F.nn.Parameter([1.0])


@behaviours("A07: under no_grad it requires grad nevertheless")
def _(F: Any) -> Any:
    with F.no_grad():
        return F.nn.Parameter(F.ones(1)).requires_grad


@behaviours("A08: copies are parameters of their own, without gradients")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([1.0, 2.0]))
    (p * p).sum().backward()
    deep, shallow, frozen = copy.deepcopy(p), copy.copy(p), copy.deepcopy(F.nn.Parameter(F.ones(1), False))
    with F.no_grad():
        p.add_(1)
    return [deep, kind(deep), deep.grad, deep.requires_grad, deep.is_leaf, kind(shallow), frozen.requires_grad]


@behaviours("A09: two references are copied once")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    first, second = copy.deepcopy([p, p])
    return first is second


@behaviours("A10: it can be pickled")
def _(F: Any) -> Any:
    p = pickle.loads(pickle.dumps(F.nn.Parameter(F.tensor([1.0, 2.0]))))
    q = pickle.loads(pickle.dumps(F.nn.Parameter(F.tensor([1.0]), requires_grad=False)))
    return [p, kind(p), q.requires_grad]


@behaviours("A11: gradients come to it, also in a product with itself")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([[1.0, 2.0], [3.0, 4.0]]))
    (p @ p * p + p).sum().backward()
    return p.grad, kind(p.grad)


@behaviours(
    "A12: writing to it is refused while it requires grad", error=RuntimeError, says="a leaf Variable that requires"
)
def _(F: Any) -> Any:
    F.nn.Parameter(F.ones(1)).add_(1)


@behaviours("A13: it may be written to under no_grad, and that counts")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    with F.no_grad():
        result = p.add_(1)
        p -= 5
    return [p, kind(p), result is p, p._version]


@behaviours("A14: what saved it notices a write", error=RuntimeError, says="one of the variables needed for gradient")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(1))
    y = p * p
    with F.no_grad():
        p.add_(1)
    y.backward()


@behaviours("A15: a Parameter of a Parameter")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(2))
    q = F.nn.Parameter(p, requires_grad=False)
    return [q is p, q.requires_grad, kind(q), p.requires_grad]


@behaviours("A16: attributes of one's own")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.ones(2))
    p.rate = 0.5
    return [p.rate, copy.copy(p).rate]


@behaviours("A18: a second derivative with respect to a parameter")
def _(F: Any) -> Any:
    p = F.nn.Parameter(F.tensor([2.0]))
    (first,) = F.autograd.grad((p**3).sum(), p, create_graph=True)
    first.sum().backward()
    return first, p.grad


test_as_in_torch = behaviours.test()

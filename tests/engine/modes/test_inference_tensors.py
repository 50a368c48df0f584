"""What is made in inference mode are inference tensors: no graph, no version, no writes outside (F05)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from engine.modes.samples import INPLACE, inferred, modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


NO_VERSION = "Inference tensors do not track version counter."


@behaviours("F05: inference mode records nothing, and says so")
def _(F):
    with F.inference_mode():
        inside = modes(F)
    with F.inference_mode(False):
        off = modes(F)
    return inside, off, modes(F)


@behaviours("F05: what is made in inference mode are inference tensors")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        made = [
            F.ones(2),
            F.tensor([1.0]),
            x * 2,
            x.clone(),
            F.arange(3),
            x > 1,
            F.zeros_like(x),
            F.rand(2) * 0,
            x.sum(),
        ]
        made += [F.from_numpy(np.ones(2)), F.tensor(np.ones(2))]
    return [(y, y.is_inference(), y.is_leaf, y.grad_fn) for y in made]


@behaviours("F05: the function is_inference")
def _(F):
    return inferred(F).is_inference(), leaf(F).is_inference()


@behaviours("F05: views of ordinary tensors in inference mode are ordinary tensors")
def _(F):
    x = F.ones(2)
    with F.inference_mode():
        views = x[0], x.view(2, 1), x.detach(), x.data, x.contiguous(), x.reshape(2), x.expand(3, 2), x.to(F.float32)
        return [(view.is_inference(), view._is_view(), view._version) for view in views]


@behaviours("F05: views of a leaf in inference mode keep its requires_grad and have no node")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        view = x.view(2, 1)
    return view.is_inference(), view.requires_grad, view.is_leaf, view.grad_fn, view._base is x


@behaviours("F05: no graph, whatever the leaves")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        y = (x * x).sum()
    return y, y.requires_grad


@behaviours(
    "F05: backward in inference mode has nothing to go by",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F):
    with F.inference_mode():
        (leaf(F) * 2).sum().backward()


@behaviours("F05: a graph from before can run backward in inference mode; the gradient is an inference tensor")
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    with F.inference_mode():
        y.backward()
    return x.grad, x.grad.is_inference()


@behaviours("F05: inference tensors have no version", error=RuntimeError, says=NO_VERSION)
def _(F):
    _ = inferred(F)._version


@behaviours("F05: inference tensors have no version within inference mode either", error=RuntimeError, says=NO_VERSION)
def _(F):
    with F.inference_mode():
        _ = F.ones(2)._version


@behaviours("F05: inference tensors may be written to in inference mode, also in a later block")
def _(F):
    x = inferred(F)
    with F.inference_mode():
        x.add_(1)
        x[0] = 9
        x[1:].mul_(2)
    return x


@behaviours("F05: writing to an inference tensor outside", error=RuntimeError, says=INPLACE)
def _(F):
    inferred(F).add_(1)


@behaviours("F05: writing into a part of an inference tensor outside", error=RuntimeError, says=INPLACE)
def _(F):
    inferred(F)[0] = 3


@behaviours("F05: writing to an inference tensor under no_grad", error=RuntimeError, says=INPLACE)
def _(F):
    x = inferred(F)
    with F.no_grad():
        x.mul_(2)


@behaviours("F05: writing to a view of an inference tensor outside", error=RuntimeError, says=INPLACE)
def _(F):
    inferred(F).view(2, 1).add_(1)


@behaviours("F05: zero_, fill_ and copy_ are writes", error=RuntimeError, says=INPLACE)
def _(F):
    x = inferred(F)
    errors = []
    for write in (lambda: x.zero_(), lambda: x.fill_(1)):
        with pytest.raises(RuntimeError) as caught:
            write()
        errors.append(str(caught.value).startswith(INPLACE))
    assert all(errors)
    x.copy_(F.ones(2))


@behaviours("F05: views and detach of an inference tensor outside are inference tensors")
def _(F):
    x = inferred(F)
    others = x[0], x.view(2, 1), x.unsqueeze(0), x.detach(), x.data
    return [(y.is_inference(), y.requires_grad) for y in others]


@behaviours("F05: a clone outside is an ordinary tensor")
def _(F):
    y = inferred(F).clone()
    y.add_(1)
    y.requires_grad_()
    (y * y).sum().backward()
    return y, y.is_inference(), y.grad


@behaviours("F05: results outside are ordinary tensors")
def _(F):
    x = inferred(F)
    return [(y, y.is_inference()) for y in (x * 2, x + x, x.sum(), x > 1, F.zeros_like(x), x.long())]


@behaviours("F05: results outside under no_grad are ordinary tensors")
def _(F):
    x, w = inferred(F), leaf(F)
    with F.no_grad():
        y = x * w
    return y, y.is_inference(), y._version


@behaviours("F05: deepcopy of an inference tensor outside is an ordinary one, inside an inference tensor")
def _(F):
    x = inferred(F)
    with F.inference_mode():
        inside = copy.deepcopy(x)
    outside = copy.deepcopy(x)
    return inside.is_inference(), outside.is_inference(), outside


@behaviours("F05: an unpickled inference tensor is an ordinary one")
def _(F):
    y = pickle.loads(pickle.dumps(inferred(F)))
    return y, y.is_inference()


@behaviours("F05: an inference tensor gives its numbers")
def _(F):
    x = inferred(F)
    return x.tolist(), x.sum().item(), x.numpy(), list(x), [y.is_inference() for y in x], x.shape, repr(x)


@behaviours("F05: an inference tensor has no node and no gradient")
def _(F):
    x = inferred(F)
    return x.is_leaf, x.output_nr, x.grad, x.grad_fn, x.requires_grad


@behaviours("F05: conversions in inference mode")
def _(F):
    x = F.ones(2)
    with F.inference_mode():
        same, other = x.to(F.float32), x.double()
    return same is x, same.is_inference(), other.is_inference()


VIEWS: dict[str, Callable[[Any], Any]] = {
    "x[0]": lambda x: x[0],
    "x[:1]": lambda x: x[:1],
    "view": lambda x: x.view(-1),
    "t": lambda x: x.t(),
    "expand": lambda x: x.expand(3, 2, 2),
    "unbind": lambda x: x.unbind(0)[0],
    "split": lambda x: x.split(1)[0],
    "diagonal": lambda x: x.diagonal(),
    "permute": lambda x: x.permute(1, 0),
    "a view of a view": lambda x: x[0].view(2, 1),
    "as_strided": lambda x: x.as_strided((2,), (1,)),
}


def view_of_a_leaf(text: str, view: Callable[[Any], Any]) -> None:
    @behaviours(f"F05: {text} of a leaf of inference mode needs no gradient, inside and outside")
    def _(F):
        with F.inference_mode():
            x, later = F.ones(2, 2, requires_grad=True), F.ones(2, 2).requires_grad_()
            inside = view(x)
        views = inside, view(x), view(later)
        return x.requires_grad, [(y.requires_grad, y.is_leaf, y.is_inference(), y._is_view()) for y in views]


for text, view in VIEWS.items():
    view_of_a_leaf(text, view)


@behaviours("F05: unbind outside, of a leaf of inference mode that has no rows")
def _(F):
    with F.inference_mode():
        x = F.ones(0, 2, requires_grad=True)
    return x.unbind(0), F.ones(0, 2, requires_grad=True).unbind(0)


@behaviours("F05: is_inference as a function")
def _(F):
    x = F.ones(2)
    with F.inference_mode():
        y = F.ones(2)
        return (
            F.is_inference(x),
            F.is_inference(y),
            F.is_inference(x[0]),
            F.is_inference(x * 2),
            F.is_inference(input=y),
        )


@behaviours(
    "F05: is_inference of a number", error=TypeError, says="is_inference(): argument 'input' (position 1) must be"
)
def _(F):
    F.is_inference(3)


test_as_in_torch = behaviours.test()

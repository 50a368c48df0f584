"""grad(): it writes no .grad; which inputs it takes, and what it returns (B07, B08, B09)."""

from __future__ import annotations

import collections
from typing import Any

from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B07: grad() writes no .grad, neither of its inputs nor of other leaves")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    w.grad = F.tensor([7.0, 8.0])
    gradient = F.autograd.grad((x * w).sum(), w)
    return gradient, x.grad, w.grad


@behaviours("B07: grad() writes the .grad of results that retain theirs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    middle.retain_grad()
    gradient = F.autograd.grad((middle * 3).sum(), x)
    return gradient, middle.grad, x.grad


@behaviours("B07: grad() gives a tuple, for a bare input too")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return [type(F.autograd.grad(x.sum(), inputs)).__name__ for inputs in (x, [x], (x,), (leaf for leaf in [x]))]


@behaviours(
    "B08: an input that does not require grad",
    error=RuntimeError,
    says="One of the differentiated Tensors does not require grad",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), [x, F.ones(2)])


@behaviours(
    "B08: allow_unused does not excuse it",
    error=RuntimeError,
    says="One of the differentiated Tensors does not require grad",
)
def _(F: Any) -> Any:
    F.autograd.grad(leaf(F, 1.0, 2.0).sum(), F.ones(2), allow_unused=True)


@behaviours(
    "B08: an input that is not a tensor",
    error=RuntimeError,
    says="all inputs have to be Tensors or GradientEdges, but got int",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), [x, 3])


@behaviours("B08: inputs and outputs that are neither tensor nor list are TypeErrors")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return [
        error_of(lambda: F.autograd.grad(x.sum(), 3)),
        error_of(lambda: F.autograd.grad(x.sum(), None)),
        error_of(lambda: F.autograd.grad(3, x)),
        error_of(lambda: F.autograd.backward(None)),
        error_of(lambda: x.sum().backward(inputs=3)),
    ]


behaviours.table(
    ("B08: an empty list of inputs", lambda F: F.autograd.grad(leaf(F, 1.0, 2.0).sum(), []),
     RuntimeError, "`inputs` argument to `grad()` cannot be empty."),
    ("B08: an empty dict of inputs", lambda F: F.autograd.grad(leaf(F, 1.0, 2.0).sum(), {}),
     RuntimeError, "`inputs` argument to `grad()` cannot be empty."),
)  # fmt: skip


@behaviours("B09: the output itself is an input, and repeated inputs are fine")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x * x
    return F.autograd.grad(y, [y, x, y, x], F.tensor([3.0, 4.0]))


@behaviours("B09: the output itself gets the gradient that was passed, as that very tensor")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    y = x * x
    return F.autograd.grad(y, y, v)[0] is v


@behaviours("B09: a leaf as output and input")
def _(F: Any) -> Any:
    x = leaf(F, 2.0)
    return F.autograd.grad(x, x)


@behaviours("B09: an output that another output uses gets the sum")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    return F.autograd.grad([(middle * middle).sum(), middle.sum()], [middle, x])


@behaviours("B09: results and leaves of all depths are inputs of one run")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first = x * 2
    second = first.exp()
    third = second * x
    return F.autograd.grad(third.sum(), [second, x, first, third])


@behaviours("B09: each output of a node is an input of its own")
def _(F: Any) -> Any:
    first, second, third = F.tensor([1.0, 2.0, 3.0], requires_grad=True).unbind()
    y = first * second * second
    return F.autograd.grad(y, [second, first]), F.autograd.grad(third * 2, [third, first], allow_unused=True)


@behaviours("B09: only_inputs=True is the default and warns of nothing")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad((x * x).sum(), x, only_inputs=True)


@behaviours("B09: the arguments of grad() by name and by place")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x * x
    by_name = F.autograd.grad(outputs=y, inputs=x, grad_outputs=F.ones(2), retain_graph=True, allow_unused=False)
    return by_name, F.autograd.grad(y, x, F.ones(2), True, True)


@behaviours(
    "B09: only_inputs=False is deprecated and does nothing",
    warns=("FutureWarning: only_inputs argument is deprecated and is ignored now",),
)
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    return F.autograd.grad((x * w).sum(), x, only_inputs=False), w.grad


@behaviours("B09: inputs in a dict: gradients under the same keys")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    return F.autograd.grad((x * w).sum(), {"x": x, "w": w})


@behaviours(
    "B09: no other mapping", error=TypeError, says="`inputs` argument to `grad()` must be a dict, not OrderedDict."
)
def _(F: Any) -> Any:
    x = leaf(F)
    F.autograd.grad(x.sum(), collections.OrderedDict(x=x))


test_as_in_torch = behaviours.test()

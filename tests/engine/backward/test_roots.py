"""Where a gradient starts: roots with and without a gradient, several roots, roots without a graph (B01, B02, B16)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# ---------------------------------------------------------------- where a gradient starts


@behaviours("B01: an output with one element, of whatever shape, needs no gradient argument")
def _(F: Any) -> Any:
    gradients = []
    for shape in [(), (1,), (1, 1, 1)]:
        x = F.full(shape, 3.0, requires_grad=True)
        (x * x).backward()
        gradients.append(x.grad)
    return gradients


behaviours.table(
    ("B01: an output with two elements needs a gradient argument", lambda F: (leaf(F, 1.0, 2.0) * 2).backward(),
     RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ("B01: an output without elements needs a gradient argument",
     lambda F: (F.ones(0, requires_grad=True) * 2).backward(),
     RuntimeError, "grad can be implicitly created only for scalar outputs"),
)  # fmt: skip


@behaviours(
    "B01: grad() asks for a gradient argument too",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x * 2, x)


@behaviours(
    "B01: each root of a list needs a gradient argument",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x.sum(), x * 2])


@behaviours("B01: None as gradient is as none given")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.sum().backward(None)
    x.sum().backward(gradient=None)
    return x.grad


@behaviours("B01: a leaf is an output as well, and its gradient is 1")
def _(F: Any) -> Any:
    x = F.tensor(5.0, requires_grad=True)
    x.backward()
    x.backward()
    return x.grad


@behaviours("B01: a leaf with a gradient argument keeps a copy of that")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    x.backward(v)
    x.backward(v)
    return x.grad, v


@behaviours("B01: an empty output with an empty gradient is fine")
def _(F: Any) -> Any:
    x = F.ones(0, requires_grad=True)
    (x * 2).backward(F.ones(0))
    return x.grad


@behaviours("B01: backward() returns None, and so does autograd.backward()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return x.sum().backward(), F.autograd.backward(x.sum())


@behaviours("B01: the arguments of backward() by place")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = x * w
    y.backward(F.tensor([1.0, 10.0]), True, False, [x])
    F.autograd.backward(y, F.ones(2), False, False)
    return x.grad, w.grad


@behaviours("B01: backward() works under no_grad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    with F.no_grad():
        y.backward()
    return x.grad


behaviours.table(
    ("B01: without any root there is nothing to do", lambda F: F.autograd.backward([])),
    ("B02: a root without graph", lambda F: F.tensor(2.0).backward(),
     RuntimeError, "element 0 of tensors does not require grad and does not have"),
    ("B02: a root that was detached", lambda F: (leaf(F, 1.0, 2.0).sum() * 2).detach().backward(),
     RuntimeError, "element 0 of tensors does not require grad and does not"),
)  # fmt: skip


@behaviours(
    "B02: a root made under no_grad", error=RuntimeError, says="element 0 of tensors does not require grad and does not"
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = x.sum()
    y.backward()


behaviours.table(
    ("B02: an integer root, even with a gradient", lambda F: F.tensor([1, 2]).backward(F.ones(2)),
     RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"),
    ("B02: the missing graph is complained of before the missing gradient", lambda F: F.ones(3).backward(),
     RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"),
    ("B02: the error's number is the root's place in the list",
     lambda F: F.autograd.backward([leaf(F, 1.0, 2.0).sum(), F.tensor(3.0)]),
     RuntimeError, "element 1 of tensors does not require grad and does not have a grad_fn"),
)  # fmt: skip


@behaviours(
    "B02: for outputs of grad() as well",
    error=RuntimeError,
    says="element 1 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad([x.sum(), F.ones(3)], x)


# ---------------------------------------------------------------- several roots


@behaviours("B16: roots as list, with gradients and None mixed")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x * x, x.sum()], [F.tensor([1.0, 10.0]), None])
    return x.grad


@behaviours("B16: roots as tuple and as generator, gradients as tuple")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward((x * x, x * 3), (F.ones(2), F.ones(2)))
    F.autograd.backward(root for root in [x.sum(), (x * x).sum()])
    return x.grad


@behaviours("B16: grad_tensors by name, for a bare root")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward(x * x, grad_tensors=F.tensor([1.0, 2.0]))
    F.autograd.backward(tensors=x * x, grad_tensors=[F.tensor([1.0, 2.0])], retain_graph=False, create_graph=False)
    return x.grad


@behaviours("B16: the same root twice counts twice")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    F.autograd.backward([y, y], [F.tensor(1.0), F.tensor(10.0)])
    return x.grad


@behaviours("B16: a root on the way to another root gets both gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    F.autograd.backward([(middle * middle).sum(), middle], [None, F.tensor([1.0, 1.0])])
    return x.grad


@behaviours("B16: a leaf among the roots")
def _(F: Any) -> Any:
    x = F.tensor(3.0, requires_grad=True)
    F.autograd.backward([x * x, x])
    return x.grad


@behaviours("B16: roots of unconnected graphs")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    F.autograd.backward([(x * x).sum(), w * w])
    return x.grad, w.grad


@behaviours("B16: grad() of several outputs sums over them")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    return F.autograd.grad([(x * w).sum(), x * 2], [x, w], [None, F.tensor([1.0, 10.0])])


@behaviours("B14: a root that is given four times: its gradients add up, and what was given stays as it was")
def _(F: Any) -> Any:
    x, weights = leaf(F, 1.0, 2.0), F.tensor([1.0, 10.0])
    F.autograd.backward([x * 3] * 4, [weights] * 4)
    root = x * 3
    F.autograd.backward([root] * 4, [weights] * 4)
    F.autograd.backward([x] * 4, [weights] * 4)
    return x.grad, weights


test_as_in_torch = behaviours.test()

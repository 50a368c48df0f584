"""Running a graph twice: what is freed, retain_graph, and graphs that saved nothing (B03, B04)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.refusals import error_of, message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed)."
)


@behaviours("B03: a second pass over what was freed", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).exp().sum()
    y.backward()
    y.backward()


@behaviours("B03: the error of a second pass says how to avoid it")
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).exp().sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return "Specify retain_graph=True" in str(error)
    return "no error"


@behaviours("B03: the failed second pass has added nothing to .grad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    return message_of(y.backward), x.grad


@behaviours("B03: backward after grad()", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    F.autograd.grad(y, x)
    y.backward()


@behaviours("B03: grad() twice", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    F.autograd.grad(y, x)
    F.autograd.grad(y, x)


@behaviours("B03: with retain_graph it works as often as one likes, and adds up")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    for _ in range(3):
        y.backward(retain_graph=True)
    y.backward()
    return x.grad, message_of(y.backward)


@behaviours("B03: graphs whose nodes saved nothing can be run again")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x + x - 1).reshape(2, 1).sum()
    y.backward()
    y.backward()
    return x.grad


@behaviours("B03: a factor without grad is still saved for the other one", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = (leaf(F, 1.0, 2.0) * F.tensor([3.0, 4.0])).sum()
    y.backward()
    y.backward()


@behaviours("B03: a number is still saved for the other factor", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = (leaf(F, 1.0, 2.0) * 3.0).sum()
    y.backward()
    y.backward()


@behaviours("B03: two results share a trunk, which the first one frees", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    trunk = leaf(F, 1.0, 2.0).exp()
    first, second = (trunk * 2).sum(), (trunk * 3).sum()
    first.backward()
    second.backward()


@behaviours("B03: two results share a trunk, and the first one retains it")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    trunk = x * x
    first, second = (trunk * 2).sum(), (trunk * 3).sum()
    first.backward(retain_graph=True)
    second.backward()
    return x.grad, message_of(first.backward)


@behaviours("B03: both results of a trunk as roots of one run need no retain_graph")
def _(F: Any) -> Any:
    x = leaf(F, 0.0, 1.0)
    trunk = x * x
    F.autograd.backward([(trunk * 2).sum(), (trunk * 3).sum()])
    return x.grad


@behaviours("B03: create_graph keeps the graph unless retain_graph=False says otherwise")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    kept, freed = (x * x).sum(), (x * x).sum()
    F.autograd.grad(kept, x, create_graph=True)
    F.autograd.grad(freed, x, create_graph=True, retain_graph=False)
    return F.autograd.grad(kept, x), message_of(lambda: F.autograd.grad(freed, x))


@behaviours("B03: a saved input of a freed node cannot be looked at", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).sin()
    y.sum().backward()
    return y.grad_fn._saved_self


@behaviours("B03: a saved result of a freed node cannot be looked at", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).exp()
    y.sum().backward()
    return y.grad_fn._saved_result


@behaviours("B03: a write through a view is freed, whatever was written", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0, 3.0) + 1  # which saves nothing, as little as what is written
    y[:2].add_(1.0)
    total = y.sum()
    total.backward()
    total.backward()


@behaviours("B04: only nodes that ran are freed")
def _(F: Any) -> Any:
    a = leaf(F, 1.0, 2.0)
    b = a * a
    c = (b * b).sum()
    to_b = F.autograd.grad(c, b)
    to_a = F.autograd.grad(b, a, F.ones(2))
    return to_b, to_a, message_of(lambda: F.autograd.grad(c, b)), message_of(lambda: F.autograd.grad(b, a, F.ones(2)))


@behaviours("B04: an error half way leaves the nodes that did not run usable")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    y = (middle * middle).sum()

    def stop(gradient: Any) -> None:
        raise ZeroDivisionError("stop here")

    handle = middle.register_hook(stop)
    stopped = error_of(y.backward)
    handle.remove()
    again = message_of(y.backward)
    return stopped, again, x.grad, F.autograd.grad(middle.sum(), x)


@behaviours("B03: a node whose inputs want nothing has saved nothing, so that it can run twice")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        view = x[:1]
    product = view * view
    product.backward(F.ones_like(product))
    product.backward(F.ones_like(product))
    return x.grad, product.requires_grad


@behaviours("B03: such a node, once freed, still says that it has no gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        view = x.view(2)
    y = view * view
    y.sum().backward()
    return y.grad_fn(F.ones(2)), x.grad


test_as_in_torch = behaviours.test()

"""What backward() and grad() promise, side by side with torch.

After this file a reader knows what may be differentiated, with which gradients, how often and into which tensors; what
happens to `.grad`; and in which order the nodes of a graph run. The codes in the titles are those of the list of
behaviours (section B).
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

behaviours = Behaviours()

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed)."
)
CYCLE = "UserWarning: Using backward() with create_graph=True will create a reference cycle"
NON_LEAF_GRAD = "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(list(values), requires_grad=True)


def error_of(action: Callable[[], Any]) -> str:
    """The type of the error, where PyTorch's text is an accident of Python's (`'float' object is not iterable`)."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "no error"


def message_of(action: Callable[[], Any]) -> str:
    """The first words of an error that is only a step of the scenario."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:40]}"
    return "no error"


def graph_of(tensor: Any) -> list[Any]:
    """Every node below a tensor, each with the places of its next nodes in this list and their output numbers."""
    nodes = [tensor.grad_fn]
    rows = []
    for node in nodes:
        edges = []
        for following, output_nr in node.next_functions:
            if following is None:
                edges.append(None)
                continue
            if not any(following is known for known in nodes):
                nodes.append(following)
            place = next(place for place, known in enumerate(nodes) if following is known)
            edges.append([place, output_nr])
        rows.append([type(node).__name__, edges])
    return rows


def noting(order: list[str], name: str) -> Callable[[Any], None]:
    """A hook that notes that the gradient of `name` is complete, which is when its node's turn has come."""

    def note(gradient: Any) -> None:
        order.append(name)

    return note


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run `work(0)` to `work(count - 1)` at once, switching between threads as often as Python can."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]


# ---------------------------------------------------------------- where a gradient starts


@behaviours("B01: an output with one element, of whatever shape, needs no gradient argument")
def _(F: Any) -> Any:
    gradients = []
    for shape in [(), (1,), (1, 1, 1)]:
        x = F.full(shape, 3.0, requires_grad=True)
        (x * x).backward()
        gradients.append(x.grad)
    return gradients


@behaviours(
    "B01: an output with two elements needs one",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0) * 2).backward()


@behaviours(
    "B01: so does an output without elements",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    (F.ones(0, requires_grad=True) * 2).backward()


@behaviours(
    "B01: grad() asks for one too",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x * 2, x)


@behaviours(
    "B01: and so does each root of a list",
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


@behaviours("B01: without any root there is nothing to do")
def _(F: Any) -> Any:
    return F.autograd.backward([])


@behaviours(
    "B02: a root without graph", error=RuntimeError, says="element 0 of tensors does not require grad and does not have"
)
def _(F: Any) -> Any:
    F.tensor(2.0).backward()


@behaviours(
    "B02: a root that was detached", error=RuntimeError, says="element 0 of tensors does not require grad and does not"
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0).sum() * 2).detach().backward()


@behaviours(
    "B02: a root made under no_grad", error=RuntimeError, says="element 0 of tensors does not require grad and does not"
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        y = x.sum()
    y.backward()


@behaviours(
    "B02: an integer root, even with a gradient",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    F.tensor([1, 2]).backward(F.ones(2))


@behaviours(
    "B02: the missing graph is complained of before the missing gradient",
    error=RuntimeError,
    says="element 0 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    F.ones(3).backward()


@behaviours(
    "B02: the number is the root's place in the list",
    error=RuntimeError,
    says="element 1 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    F.autograd.backward([leaf(F, 1.0, 2.0).sum(), F.tensor(3.0)])


@behaviours(
    "B02: for outputs of grad() as well",
    error=RuntimeError,
    says="element 1 of tensors does not require grad and does not have a grad_fn",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad([x.sum(), F.ones(3)], x)


# ---------------------------------------------------------------- using a graph twice


@behaviours("B03: a second pass over what was freed", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).exp().sum()
    y.backward()
    y.backward()


@behaviours("B03: the error says how to avoid it")
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


@behaviours("B03: and so is a number", error=RuntimeError, says=FREED)
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


@behaviours("B03: nor can a saved result", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = leaf(F, 1.0, 2.0).exp()
    y.sum().backward()
    return y.grad_fn._saved_result


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


# ---------------------------------------------------------------- the gradient argument


@behaviours("B05: a gradient weighs the elements of its output")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    (x * x).backward(F.tensor([1.0, 0.0, -2.0]))
    return x.grad


@behaviours(
    "B05: a gradient of another size",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
    "torch.Size([3]).",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0, 3.0) * 2).backward(F.ones(2))


@behaviours(
    "B05: a gradient is not broadcast to its output",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([]) and output[0] has a shape of torch.Size([3])",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0, 3.0) * 2).backward(F.tensor(1.0))


@behaviours(
    "B05: nor is one element taken for another shape of one element",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([])",
)
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward(F.ones(1))


@behaviours(
    "B05: the numbers are the places in the lists",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[1] has a shape of torch.Size([2]) and output[1] has a shape of "
    "torch.Size([1])",
)
def _(F: Any) -> Any:
    F.autograd.backward([leaf(F, 1.0, 2.0).sum(), leaf(F, 5.0) * 2], [None, F.ones(2)])


@behaviours(
    "B05: grad_outputs are checked the same way",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 1]) and output[0] has a shape of "
    "torch.Size([2]).",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x * 2, x, F.ones(2, 1))


@behaviours("B05: a gradient that is a number or a numpy array is a TypeError")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return [
        error_of(lambda gradient=gradient: (x * 2).sum().backward(gradient))
        for gradient in (1, 1.0, True, "one", np.ones(()), [1.0], (np.ones(()),))
    ]


@behaviours(
    "B05: a list of numbers as gradient",
    error=TypeError,
    says="gradients can be either Tensors or None, but got float",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0) * 2).backward([1.0, 1.0])


@behaviours("B05: a list that holds the gradient is taken")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * 2).backward([F.tensor([3.0, 4.0])])
    (x * 2).backward((F.tensor([3.0, 4.0]),))
    return x.grad


@behaviours("B05: gradients of another dtype are cast to the output's")
def _(F: Any) -> Any:
    gradients = []
    for dtype in (F.int64, F.bool, F.float64):
        x = leaf(F, 1.0, 2.0)
        (x * 2).backward(F.ones(2, dtype=dtype))
        gradients.append(x.grad)
    return gradients


@behaviours("B05: a gradient that requires grad leaves no graph behind without create_graph")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * x).backward(v)
    return x.grad, v.grad


@behaviours("B05: and is differentiated too with create_graph")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (first,) = F.autograd.grad(x * x, x, v, create_graph=True)
    return first, F.autograd.grad(first.sum(), [x, v])


@behaviours("B05: inf and nan in a gradient go through")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 0.0, 2.0)
    (x * x).backward(F.tensor([float("nan"), float("inf"), float("-inf")]))
    return x.grad


@behaviours("B16: fewer gradients than roots", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x.sum(), x.sum()], [None])


@behaviours("B16: one bare gradient for two roots", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x * 2, x * 3], F.ones(2))


@behaviours("B16: no gradient in the list", error=RuntimeError, says="got 1 tensors and 0 gradients")
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward([])


@behaviours("B16: grad() counts them too", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad((x.sum(), x.sum()), x, (F.tensor(1.0),))


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


# ---------------------------------------------------------------- inputs that were not used


@behaviours(
    "B06: an input that was not used",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
    "this is the desired behavior.",
)
def _(F: Any) -> Any:
    F.autograd.grad(leaf(F, 1.0, 2.0).sum(), leaf(F, 3.0))


@behaviours(
    "B06: the number is the input's place in the list",
    error=RuntimeError,
    says="The differentiated Tensor at index 2 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 1.0, 2.0)
    F.autograd.grad((x * w).sum(), [x, w, leaf(F, 3.0)])


@behaviours(
    "B06: a result computed from the input after the output",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x * 2)


@behaviours(
    "B06: a clone of the input is not the input",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x.clone())


@behaviours(
    "B06: a view of the input is not the input either",
    error=RuntimeError,
    says="The differentiated Tensor at index 0 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    first = x[0]
    F.autograd.grad((x * x).sum(), first)


@behaviours("B06: with allow_unused its gradient is None, among the others")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    return F.autograd.grad((x * x).sum(), [unused, x, unused], allow_unused=True)


@behaviours("B06: with materialize_grads it is zeros of the input's shape and dtype")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), F.ones(2, 3, dtype=F.float64, requires_grad=True)
    return F.autograd.grad((x * x).sum(), [unused, x], materialize_grads=True)


@behaviours("B06: materialized zeros require grad under create_graph")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    (zeros,) = F.autograd.grad((x * x).sum(), unused, materialize_grads=True, create_graph=True)
    return zeros, zeros.is_leaf


@behaviours("B06: materialize_grads and allow_unused=True are no contradiction")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    return F.autograd.grad(x.sum(), unused, materialize_grads=True, allow_unused=True)


@behaviours(
    "B06: materialize_grads and allow_unused=False are one",
    error=ValueError,
    says="Expected allow_unused to be True or not passed when materialize_grads=True",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), x, materialize_grads=True, allow_unused=False)


@behaviours("B06: the graph is freed although the unused input raised an error")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    y = (x * x).sum()
    first = message_of(lambda: F.autograd.grad(y, [x, unused]))
    return first, message_of(lambda: F.autograd.grad(y, [x]))


@behaviours("B06: when nothing leads to the only input, nothing runs and nothing is freed")
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    y = (x * x).sum()
    F.autograd.grad(y, unused, allow_unused=True)
    return F.autograd.grad(y, x)


# ---------------------------------------------------------------- grad() and its inputs


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


@behaviours("B07: a dict of inputs gives a dict of gradients")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    return F.autograd.grad((x * w).sum(), {"weight": w, "data": x})


@behaviours(
    "B07: other mappings are refused",
    error=TypeError,
    says="`inputs` argument to `grad()` must be a dict, not OrderedDict.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x.sum(), OrderedDict(x=x))


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


@behaviours("B08: an empty list of inputs", error=RuntimeError, says="`inputs` argument to `grad()` cannot be empty.")
def _(F: Any) -> Any:
    F.autograd.grad(leaf(F, 1.0, 2.0).sum(), [])


@behaviours("B08: an empty dict of inputs", error=RuntimeError, says="`inputs` argument to `grad()` cannot be empty.")
def _(F: Any) -> Any:
    F.autograd.grad(leaf(F, 1.0, 2.0).sum(), {})


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


@behaviours(
    "B09: only_inputs=False is deprecated and does nothing",
    warns=("FutureWarning: only_inputs argument is deprecated and is ignored now",),
)
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    return F.autograd.grad((x * w).sum(), x, only_inputs=False), w.grad


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


# ---------------------------------------------------------------- backward into given inputs


@behaviours("B10: only the given inputs get a gradient")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = x * w
    y.sum().backward(inputs=[x], retain_graph=True)
    after_one = x.grad.clone(), w.grad
    y.sum().backward(inputs=(x, w))
    return after_one, x.grad, w.grad


@behaviours("B10: a bare tensor is taken")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs=w)
    return x.grad, w.grad


@behaviours("B10: a dict gives its values")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs={"weight": w})
    return x.grad, w.grad


@behaviours(
    "B10: other mappings are refused",
    error=TypeError,
    says="`inputs` argument to `backward()` must be a dict, not OrderedDict.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.sum().backward(inputs=OrderedDict(x=x))


@behaviours("B10: an empty list", error=RuntimeError, says="`inputs` argument to `backward()` cannot be empty.")
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward(inputs=[])


@behaviours(
    "B10: something that is not a tensor",
    error=RuntimeError,
    says="all inputs have to be Tensors or GradientEdges, but got str",
)
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward(inputs=["x"])


@behaviours(
    "B10: a tensor that does not require grad",
    error=RuntimeError,
    says="can't retain_grad on Tensor that has requires_grad=False",
)
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward(inputs=[F.ones(2)])


@behaviours("B10: a leaf given twice gets its gradient once")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward(inputs=[x, x])
    return x.grad


@behaviours("B10: an unrelated leaf is no error and gets nothing")
def _(F: Any) -> Any:
    x, unrelated = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    (x * x).sum().backward(inputs=[unrelated])
    (x * x).sum().backward(inputs=[unrelated, x])
    return x.grad, unrelated.grad


@behaviours("B10: gradients are added to those of earlier runs, in place")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward()
    kept = x.grad
    (x * w).sum().backward(inputs=[x])
    return x.grad is kept, x.grad, w.grad


@behaviours("B10: autograd.backward takes inputs too")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    F.autograd.backward([x * w, x.sum()], [F.ones(2), None], inputs=[x])
    return x.grad, w.grad


@behaviours("B11: a result among the inputs gets .grad, and retains it from then on")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle], retain_graph=True)
    first = middle.retains_grad, middle.grad, x.grad
    (middle * 5).sum().backward()
    return first, middle.grad, x.grad


@behaviours("B11: the output itself among the inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(inputs=[y, x])
    return y.grad, x.grad


@behaviours("B11: a result given twice gets its gradient once")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle, middle])
    return middle.grad


@behaviours("B11: a result and the leaf behind it")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle, x])
    return middle.grad, x.grad


@behaviours("B11: a result without retain_grad has no .grad and warns", warns=(NON_LEAF_GRAD,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[x])
    return middle.grad, x.grad


# ---------------------------------------------------------------- what becomes of .grad


@behaviours("B12: .grad stays the same object, and its version counts the additions")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * 3).sum().backward()
    kept, versions = x.grad, [x.grad._version]
    for _ in range(2):
        (x * 3).sum().backward()
        versions.append(x.grad._version)
    return x.grad is kept, versions, kept


@behaviours("B12: a .grad that was assigned is added to in place")
def _(F: Any) -> Any:
    x, own = leaf(F, 1.0, 2.0), F.tensor([10.0, 20.0])
    x.grad = own
    (x * x).sum().backward()
    return x.grad is own, own


@behaviours(
    "B12: an expanded .grad cannot be added to",
    error=RuntimeError,
    says="unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.grad = F.ones(1).expand(2)
    (x * x).sum().backward()


@behaviours("B12: a .grad that is a part of another tensor is added to there")
def _(F: Any) -> Any:
    x, store = leaf(F, 1.0, 2.0), F.zeros(3)
    x.grad = store[1:]
    (x * x).sum().backward()
    return store, store._version


@behaviours("B12: an assigned .grad that requires grad is added to without recording")
def _(F: Any) -> Any:
    x, own = leaf(F, 1.0, 2.0), leaf(F, 10.0, 20.0)
    x.grad = own
    (x * x).sum().backward()
    return x.grad is own, own, own.is_leaf


@behaviours("B12: .grad = None starts again with a new object")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    x.grad = None
    (x * 3).sum().backward()
    return x.grad is first, first, x.grad


@behaviours("B12: whoever keeps .grad sees it grow")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    seen_from_numpy = x.grad.numpy()
    (x * x).sum().backward()
    return seen_from_numpy


@behaviours("B12: .grad has no graph, and is a leaf")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    return x.grad, x.grad.is_leaf, x.grad.grad_fn


@behaviours("B12: the gradient of a retaining result is added up too, in a new object each time")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    middle.retain_grad()
    y = (middle * 3).sum()
    y.backward(retain_graph=True)
    first = middle.grad
    y.backward()
    return middle.grad is first, first, middle.grad


@behaviours("B12: a leaf that no longer requires grad keeps its .grad, and graphs made before add nothing to it")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    x.requires_grad_(False)
    later = x * x
    y.backward()
    return x.grad, later.requires_grad


@behaviours("B13: with create_graph .grad is a new object with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    second, x.grad = x.grad, None
    return second is first, first, second, second.grad_fn


@behaviours("B13: the first gradient with create_graph is a copy, with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    x.backward(v, create_graph=True)
    gradient, x.grad = x.grad, None
    return gradient is v, gradient, F.autograd.grad(gradient.sum(), v)


@behaviours("B13: a second backward through such a .grad", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x * x).sum().backward(create_graph=True)
    first, x.grad = x.grad, None
    first.sum().backward()
    return first, x.grad


@behaviours("B13: a plain run after it adds in place, into the .grad with a graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward(create_graph=True)
    held, before = x.grad, x.grad._version
    (x * 3).sum().backward()
    same, x.grad = x.grad is held, None
    return same, held, held._version - before


@behaviours("B13: autograd.backward warns as well", warns=(CYCLE,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward((x * x).sum(), create_graph=True)
    x.grad = None


@behaviours("B13: grad() with create_graph does not")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad((x * x).sum(), x, create_graph=True)


@behaviours("B13: with create_graph, operations that follow each other have derivatives of every order")
def _(F: Any) -> Any:
    x = F.tensor(0.5, requires_grad=True)
    gradient, orders = (x * x).sin(), []
    for _ in range(4):
        (gradient,) = F.autograd.grad(gradient, x, create_graph=True)
        orders.append(gradient)
    return orders


@behaviours("B13: the second graph of a product")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    to_x, to_w = F.autograd.grad((x * w).sum(), [x, w], create_graph=True)
    return graph_of(to_x), graph_of(to_w)


@behaviours("B13: the second graph of a result that was saved")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad(x.exp().sum(), x, create_graph=True)
    return graph_of(gradient), F.autograd.grad(gradient.sum(), x)


@behaviours("B13: the second graph sums the gradients of a fan-out")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad((x * x).sum(), x, create_graph=True)
    return graph_of(gradient)


@behaviours("B13: a gradient that depends on nothing has no graph")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (gradient,) = F.autograd.grad((x * 3).sum(), x, create_graph=True)
    return gradient, gradient.grad_fn


@behaviours("B13: a gradient penalty, which differentiates a gradient within a loss")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, -4.0)
    loss = (x * w).tanh().sum()
    (gradient,) = F.autograd.grad(loss, x, create_graph=True)
    (loss + 10 * (gradient * gradient).sum()).backward()
    return x.grad, w.grad


@behaviours("B13: create_graph records under no_grad, and leaves the mode as it was")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    with F.no_grad():
        (gradient,) = F.autograd.grad(y, x, create_graph=True)
        still_off = F.is_grad_enabled()
    return gradient, still_off, F.is_grad_enabled()


@behaviours("B13: without create_graph nothing is recorded, although recording is on")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []

    def look(gradient: Any) -> None:
        seen.append((F.is_grad_enabled(), gradient.requires_grad, (gradient * x).requires_grad))

    x.register_hook(look)
    (x * x).sum().backward()
    with F.enable_grad():
        (x * x).sum().backward()
    F.autograd.grad((x * x).sum(), x, create_graph=True)
    return seen, F.is_grad_enabled()


@behaviours("B14: a passed gradient is not changed, and .grad is not that tensor and shares nothing with it")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    (x + 0).backward(v)
    (x + 0).backward(v)
    x.grad.mul_(10)
    return x.grad is v, x.grad, v


@behaviours("B14: writing into the passed gradient later does not change .grad")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    x.backward(v)
    v.zero_()
    return x.grad


@behaviours("B14: two leaves that get the same gradient share no memory")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x + w).sum().backward()
    x.grad.mul_(10)
    return x.grad, w.grad


@behaviours("B14: nor do they when one gradient is a view of the other's")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), F.ones(2, 1, requires_grad=True)
    (x + w.reshape(2)).backward(F.tensor([3.0, 4.0]))
    x.grad.mul_(10)
    return x.grad, w.grad


@behaviours("B14: nor with create_graph", warns=(CYCLE,))
def _(F: Any) -> Any:
    x, w, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0), F.tensor([3.0, 4.0])
    (x + w).backward(v, create_graph=True)
    apart = x.grad is not w.grad, x.grad is not v
    (x + w).backward(v)
    return apart, x.grad, w.grad, v


@behaviours("B14: a gradient summed over a fan-out is not added into the passed one")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0])
    y = x + 0
    (y + y + y + y).backward(v)
    return x.grad, v


@behaviours("B14: gradients that hooks keep do not change when others are added to them")
def _(F: Any) -> Any:
    x, v, kept = leaf(F, 1.0, 2.0), F.tensor([3.0, 4.0]), []
    shared = x + 0
    branches = [shared + number for number in range(4)]
    for tensor in (*branches, shared, x):
        tensor.register_hook(kept.append)
    (branches[0] + branches[1] + branches[2] + branches[3]).backward(v)
    (x + 0).backward(v)
    return kept, v, x.grad


@behaviours("B14: a leaf's gradient that a hook kept is not .grad")
def _(F: Any) -> Any:
    x, kept = leaf(F, 1.0, 2.0), []
    x.register_hook(kept.append)
    (x * 3).sum().backward()
    (x * 5).sum().backward()
    x.grad.mul_(10)
    return kept, x.grad


@behaviours("B14: .grad itself as the gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.grad = F.tensor([3.0, 4.0])
    (x + 0).backward(x.grad)
    x.backward(x.grad)
    return x.grad


@behaviours("B14: an expanded gradient becomes a .grad that can be written to")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    x.sum().backward()
    x.grad[0] = 5.0
    return x.grad


@behaviours("B14: a retained gradient does not change when .grad does")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x + 0
    middle.retain_grad()
    middle.backward(F.tensor([3.0, 4.0]))
    x.grad.mul_(10)
    return middle.grad, x.grad


@behaviours("B14: gradients that grad() gave do not change in later runs")
def _(F: Any) -> Any:
    x, w, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0), F.tensor([5.0, 6.0])
    y = x + w
    to_x, to_w = F.autograd.grad(y, [x, w], v, retain_graph=True)
    y.backward(v)
    (x + w).backward(v)
    return to_x, to_w, x.grad, w.grad


@behaviours("B15: gradients have the dtype of their inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    w = F.tensor([3.0, 4.0], dtype=F.float64, requires_grad=True)
    y = x * w
    y.sum().backward()
    return y.dtype, x.grad, w.grad


@behaviours("B15: through a cast they come back")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x.double() * 2).sum().backward()
    return x.grad


@behaviours("B15: gradients of 0-d inputs that promote have the input's dtype")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    scale = F.tensor(3.0, dtype=F.float64, requires_grad=True)
    y = x * scale
    y.sum().backward()
    return y.dtype, x.grad, scale.grad


# ---------------------------------------------------------------- shapes of gradients, and sums


@behaviours("B17: broadcast inputs get gradients of their own shape")
def _(F: Any) -> Any:
    row, column, scalar, one = (
        F.tensor([1.0, 2.0, 3.0], requires_grad=True),
        F.tensor([[10.0], [20.0]], requires_grad=True),
        F.tensor(5.0, requires_grad=True),
        F.ones(1, 1, 1, requires_grad=True),
    )
    weights = F.tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    (row * column + scalar * one).backward(weights)
    return row.grad, column.grad, scalar.grad, one.grad


@behaviours("B17: an input that was broadcast to nothing gets zeros")
def _(F: Any) -> Any:
    x = F.ones(1, requires_grad=True)
    (x * F.ones(0)).sum().backward()
    return x.grad


@behaviours("B17: expand and its gradient")
def _(F: Any) -> Any:
    x = F.tensor([[1.0], [2.0]], requires_grad=True)
    x.expand(2, 3).backward(F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    return x.grad


@behaviours("B17: with create_graph the sums are recorded")
def _(F: Any) -> Any:
    x, w = leaf(F, 2.0), leaf(F, 1.0, 2.0, 3.0)
    (gradient,) = F.autograd.grad((x * w * w).sum(), x, create_graph=True)
    return gradient, F.autograd.grad(gradient.sum(), w)


@behaviours("B19: a leaf used many times gets the sum")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x + x * x + x * 3 + x.exp() - x).sum().backward()
    return x.grad


@behaviours("B19: the same tensor as both operands")
def _(F: Any) -> Any:
    x = leaf(F, 3.0, 2.0)
    (x * x).sum().backward()
    product = x.grad
    x.grad = None
    (x - x).sum().backward()
    return product, x.grad


@behaviours("B19: a diamond of diamonds, whose paths double at each step")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20):
        y = y + y
    y.backward()
    return x.grad


@behaviours("B19: a node runs once, on the sum of its gradients")
def _(F: Any) -> Any:
    x, seen = leaf(F, 1.0, 2.0), []
    middle = x * 2
    middle.register_hook(lambda gradient: seen.append(gradient.tolist()))
    middle.grad_fn.register_hook(lambda inwards, outwards: seen.append("ran"))
    (middle * 3 + middle.exp() * 0 + middle).sum().backward()
    return seen, x.grad


@behaviours("B19: a short and a long path meet only when both are done")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    shared = x * 1
    long = shared
    for step in range(3):
        long = long * 2
        long.register_hook(noting(order, f"long {step}"))
    short = shared * 10
    for name, tensor in {"shared": shared, "short": short, "x": x}.items():
        tensor.register_hook(noting(order, name))
    (short + long).backward()
    return order, x.grad


@behaviours("B20: of several ready nodes the one made last runs first")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    branches = {name: x * factor for name, factor in [("first", 1), ("second", 2), ("third", 3)]}
    for name, branch in branches.items():
        branch.register_hook(noting(order, name))
    total = branches["second"] + branches["third"]
    (branches["first"] + total).backward()
    return order


@behaviours("B20: whichever operand it is")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    first, second = x.exp(), x.sin()
    first.register_hook(noting(order, "first"))
    second.register_hook(noting(order, "second"))
    (first + second).backward(retain_graph=True)
    (second + first).backward()
    return order


@behaviours("B20: a chain made last is finished before an older branch begins")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    old = x * 2
    start = x * 3
    middle = start * 4
    end = middle * 5
    for name, tensor in {"old": old, "start": start, "middle": middle, "end": end}.items():
        tensor.register_hook(noting(order, name))
    (old + end).backward()
    return order


@behaviours("B20: a leaf gets its gradient as soon as that is complete")
def _(F: Any) -> Any:
    early, late, order = leaf(F, 1.0), leaf(F, 2.0), []
    early.register_hook(noting(order, "early leaf"))
    late.register_hook(noting(order, "late leaf"))
    inner = early * 2
    inner.register_hook(noting(order, "inner"))
    (inner * late).backward()
    return order


@behaviours("B20: of several roots the one made last runs first, whatever the list says")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    roots = [x * 2, x * 3, x * 4]
    for place, root in enumerate(roots):
        root.register_hook(noting(order, f"root {place}"))
    F.autograd.backward([roots[1], roots[2], roots[0]])
    return order


@behaviours("B20: the order of a graph with two outputs of one node")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0, 2.0), []
    first, second = x.unbind()
    first_use, second_use = first * 2, second * 3
    for name, tensor in {"second use": second_use, "first use": first_use, "first": first, "second": second}.items():
        tensor.register_hook(noting(order, name))
    (first_use * second_use).backward()
    return order, x.grad


@behaviours("B21: nodes that lead to none of the inputs do not run")
def _(F: Any) -> Any:
    x, w, order = leaf(F, 1.0), leaf(F, 2.0), []
    wanted, other = x.exp(), w.exp()
    wanted.register_hook(noting(order, "wanted"))
    other.register_hook(noting(order, "other"))
    y = wanted * other
    F.autograd.grad(y, x, retain_graph=True)
    y.backward(inputs=[x], retain_graph=True)
    return order, F.autograd.grad(other, w)


@behaviours("B21: below an input nothing runs, and its hooks run first")
def _(F: Any) -> Any:
    x, order = leaf(F, 1.0), []
    lower = x * x
    upper = lower * lower
    lower.register_hook(noting(order, "lower"))
    x.register_hook(noting(order, "x"))
    gradient = F.autograd.grad(upper, lower)
    return gradient, order, F.autograd.grad(lower, x)


@behaviours("B21: an input may lie on the way to another one")
def _(F: Any) -> Any:
    x, order = leaf(F, 2.0), []
    lower = x * x
    lower.register_hook(noting(order, "lower"))
    x.register_hook(noting(order, "x"))
    return F.autograd.grad(lower * lower, [lower, x]), order


# ---------------------------------------------------------------- gradient edges


@behaviours("B09: a gradient edge names the place where a gradient arrives")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    second = (x * 2).unbind()[1]
    at_leaf, at_result = F.autograd.graph.get_gradient_edge(x), F.autograd.graph.get_gradient_edge(second)
    return type(at_leaf.node).__name__, at_leaf.output_nr, at_result.node is second.grad_fn, at_result.output_nr


@behaviours("B09: the edge of a leaf holds the leaf's one AccumulateGrad")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    edge = F.autograd.graph.get_gradient_edge(x)
    return edge.node.variable is x, (x * 2).grad_fn.next_functions[0][0] is edge.node


@behaviours("B09: an edge stands for its tensor among the inputs of grad()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    edges = [F.autograd.graph.get_gradient_edge(tensor) for tensor in (middle, x)]
    y = (middle * middle).sum()
    del middle
    return F.autograd.grad(y, edges, retain_graph=True), F.autograd.grad(y, [edges[0], x])


@behaviours("B09: a bare edge is an input")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return F.autograd.grad((x * x).sum(), F.autograd.graph.get_gradient_edge(x))


@behaviours("B09: an edge as output, with and without gradient")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    edge = F.autograd.graph.get_gradient_edge
    return F.autograd.grad(edge((x * x).sum()), x), F.autograd.grad(edge(x * x), x, F.tensor([1.0, 10.0]))


@behaviours("B09: edges and tensors as roots of backward()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward(F.autograd.graph.get_gradient_edge((x * x).sum()))
    F.autograd.backward([F.autograd.graph.get_gradient_edge(x * 10), x.sum()], [F.ones(2), None])
    return x.grad


@behaviours("B10: an edge among the inputs of backward() adds to its leaf's .grad")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs=F.autograd.graph.get_gradient_edge(x))
    return x.grad, w.grad


@behaviours(
    "B01: an edge to several elements needs a gradient",
    error=RuntimeError,
    says="grad can be implicitly created only for scalar outputs",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(F.autograd.graph.get_gradient_edge(x * 2), x)


@behaviours(
    "B05: the gradient of an edge is checked",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
    "torch.Size([2]).",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(F.autograd.graph.get_gradient_edge(x * 2), x, F.ones(3))


@behaviours(
    "B06: an unused edge has no zeros to give",
    error=RuntimeError,
    says="materialize_grads cannot be used when the given input is a GradientEdge",
)
def _(F: Any) -> Any:
    x, unused = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    F.autograd.grad(x.sum(), F.autograd.graph.get_gradient_edge(unused), materialize_grads=True)


@behaviours(
    "B09: a tensor that does not require grad has no edge",
    error=RuntimeError,
    says="It is not possible to get the gradient edge for a Tensor that does not require gradients",
)
def _(F: Any) -> Any:
    F.autograd.graph.get_gradient_edge(F.ones(2))


# ---------------------------------------------------------------- what the nodes look like


@behaviours("B19: next_functions of a small graph")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    middle = x * w
    return graph_of((middle.exp() + middle * 2 + F.ones(2)).sum())


@behaviours("B19: next_functions say which output of a node was used")
def _(F: Any) -> Any:
    first, second = (leaf(F, 1.0, 2.0) * 1).unbind()
    return graph_of(second - first)


@behaviours("B19: a leaf has one AccumulateGrad, and a result's grad_fn is always the same object")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y, z = x * 2, x * 3
    return (
        y.grad_fn is y.grad_fn,
        y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0],
        y.grad_fn is z.grad_fn,
        y.grad_fn.next_functions[0][0].next_functions,
    )


# ---------------------------------------------------------------- deep graphs


@behaviours("B18: a chain of 150,000 nodes is built, differentiated and dropped")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x
    for _ in range(150_000):
        y = y + 1
    y.sum().backward()
    del y
    return x.grad


@behaviours("B18: a chain that nobody differentiates is dropped")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = x
    for _ in range(60_000):
        y = y * 1.0
    del y
    return x.grad


@behaviours("B18: a deep chain in which every node saved something and has two edges")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y * x
    (gradient,) = F.autograd.grad(y, x)
    return gradient


@behaviours("B18: a deep chain is differentiated twice")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    y = x * x
    for _ in range(5_000):
        y = y * 1.0
    (gradient,) = F.autograd.grad(y, x, create_graph=True)
    return gradient, F.autograd.grad(gradient, x)


@behaviours("B18: a wide graph of 5,000 branches")
def _(F: Any) -> Any:
    x = F.tensor(1.0, requires_grad=True)
    total = x * 0.0
    for _ in range(5_000):
        total = total + x * 1.0
    total.backward()
    return x.grad


# ---------------------------------------------------------------- runs within runs, and errors


@behaviours("B19: backward() of another graph within a hook")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)

    def run_another(gradient: Any) -> None:
        with F.enable_grad():
            (w * w).sum().backward()

    x.register_hook(run_another)
    (x * x).sum().backward()
    return x.grad, w.grad


@behaviours("B19: backward() into the same leaf within a hook")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x

    def run_another(gradient: Any) -> None:
        with F.enable_grad():
            (x * 100).sum().backward()

    middle.register_hook(run_another)
    middle.sum().backward()
    return x.grad


@behaviours("B19: an error in a hook comes out as it is, and the engine goes on working")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)

    def fail(gradient: Any) -> None:
        raise LookupError("the hook's own words")

    handle = x.register_hook(fail)
    try:
        (x * x).sum().backward()
    except LookupError as error:
        seen = str(error)
    handle.remove()
    (x * x).sum().backward()
    return seen, x.grad, F.is_grad_enabled()


@behaviours("B19: leaves that were done before an error keep their gradient, the others have none")
def _(F: Any) -> Any:
    done, stopped = leaf(F, 1.0), leaf(F, 2.0)

    def fail(gradient: Any) -> None:
        raise LookupError("stop")

    below = stopped * 2
    below.register_hook(fail)
    error = error_of((below * done).backward)
    return error, done.grad, stopped.grad


# ---------------------------------------------------------------- threads


@behaviours("B19: threads run backward on graphs of their own")
def _(F: Any) -> Any:
    leaves = [leaf(F, float(number), 1.0) for number in range(4)]

    def work(number: int) -> None:
        x = leaves[number]
        for _ in range(50):
            ((x * x).exp().log() * 2).sum().backward()

    in_threads(4, work)
    return [x.grad for x in leaves]


@behaviours("B19: threads whose graphs share a leaf lose no gradient")
def _(F: Any) -> Any:
    x = F.tensor([1.0, 2.0], dtype=F.float64, requires_grad=True)
    single = F.tensor(1.0, dtype=F.float64, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(400):
            (x * single * (number + 1)).sum().backward()

    in_threads(4, work)
    return x.grad, single.grad


# The last two are made to lose gradients if they can: all the time goes into the adding, which lets other threads run
# when the arrays are large.


@behaviours("B19: the first gradients of a leaf, from several threads at once, are all in the sum")
def _(F: Any) -> Any:
    leaves = [F.zeros(20_000, requires_grad=True) for _ in range(60)]
    weights, together = F.ones(20_000), threading.Barrier(4)

    def work(number: int) -> None:
        for x in leaves:
            together.wait()
            x.backward(weights)

    in_threads(4, work)
    sums = [x.grad.numpy() for x in leaves]
    return [[float(array.min()), float(array.max())] for array in sums]


@behaviours("B19: and so are all the later ones, element by element")
def _(F: Any) -> Any:
    x, weights = F.zeros(400_000, requires_grad=True), F.ones(400_000)
    x.grad = F.zeros(400_000)

    def work(number: int) -> None:
        for _ in range(60):
            x.backward(weights)

    in_threads(4, work)
    array = x.grad.numpy()
    return float(array.min()), float(array.max())


@behaviours("B19: grad() in several threads gives each its own gradients")
def _(F: Any) -> Any:
    x, given = leaf(F, 1.0, 2.0), [None] * 4

    def work(number: int) -> None:
        for _ in range(30):
            given[number] = F.autograd.grad((x * x * (number + 1)).sum(), x)

    in_threads(4, work)
    return given, x.grad


@behaviours("B19: a graph made in one thread is differentiated in another")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    in_threads(1, lambda number: y.backward())
    return x.grad


@behaviours("B19: the grad mode of one thread does not reach another's backward()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    found = []

    def work(number: int) -> None:
        found.append(F.is_grad_enabled())
        found.append(F.autograd.grad(y, x, create_graph=True)[0].requires_grad)

    with F.no_grad():
        in_threads(1, work)
    return found


@pytest.fixture(autouse=True)
def warnings_each_time(torch: Any) -> Iterator[None]:
    """torch gives some of its warnings once per process; here the order of the tests must not matter."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


@behaviours(
    "B21: a leaf that a recorded write has made a result", error=RuntimeError, says="leaf variable has been moved"
)
def _(F: Any) -> Any:
    x, y = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    total = x.sum()
    x.detach_()
    x.add_(y)
    total.backward()


@behaviours("B21: a node whose inputs want nothing has saved nothing, so that it can run twice")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    with F.no_grad():
        view = x[:1]
    product = view * view
    product.backward(F.ones_like(product))
    product.backward(F.ones_like(product))
    return x.grad, product.requires_grad


@behaviours("B21: `.data = ` of another shape in between is a RuntimeError")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    y = x * x
    x.data = F.zeros(1, 2)
    try:
        y.sum().backward()
    except RuntimeError:
        return x.grad
    raise AssertionError("it went through")


test_as_in_torch = behaviours.test()

"""What nodes save for backward, and the hooks that decide in which form, as in torch.

After this file a reader knows which tensors each op keeps alive, when a saved tensor is packed and unpacked, what may
be written to and when, and that a result dies with its last reference. Each function below runs on both.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

from side_by_side import Behaviours

behaviours = Behaviours()


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(values or (1.0, 2.0), requires_grad=True)


def matrix(F: Any) -> Any:
    return F.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)


def hooks(F: Any, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Any:
    return F.autograd.graph.saved_tensors_hooks(pack, unpack)


def noted(F: Any, packed: list[Any], unpacked: list[Any] | None = None) -> Any:
    """Hooks that write down the numbers which pass."""

    def pack(tensor: Any) -> Any:
        packed.append(tensor.tolist())
        return tensor.detach()

    def unpack(tensor: Any) -> Any:
        if unpacked is not None:
            unpacked.append(tensor.tolist())
        return tensor

    return hooks(F, pack, unpack)


def text(call: Callable[[], Any]) -> str:
    """The type and the first sentence of what a call raises."""
    try:
        value = call()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition('. ')[0]}"
    raise AssertionError(f"nothing was raised: {value!r}")


def square(F: Any) -> Any:
    """A Function that saves its input."""

    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g

    return Square


# ---------------------------------------------------------------- when hooks run


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


@behaviours("G01: in each pass again, with retain_graph")
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


@behaviours("G01: so what ops in a pack hook compute is not packed in turn")
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


# ---------------------------------------------------------------- which ops save what


def what_is_saved(title: str, op: Callable[[Any], Any]) -> None:
    """A behaviour: what `op(F)` hands to the pack hook, in order, and how often backward unpacks."""

    def scenario(F: Any) -> Any:
        packed: list[Any] = []
        unpacked: list[Any] = []
        with noted(F, packed, unpacked):
            result = op(F)
        if result.requires_grad:
            result.sum().backward()
        return packed, len(unpacked)

    behaviours(f"G02: {title}")(scenario)


what_is_saved("x + y saves nothing", lambda F: leaf(F) + leaf(F))
what_is_saved("x - y saves nothing", lambda F: leaf(F) - leaf(F))
what_is_saved("1 - x saves nothing", lambda F: 1 - leaf(F))
what_is_saved("-x saves nothing", lambda F: -leaf(F))
what_is_saved("x * y saves both", lambda F: leaf(F) * leaf(F, 3.0, 4.0))
what_is_saved("x * constant saves the constant", lambda F: leaf(F) * F.tensor([5.0, 6.0]))
what_is_saved("constant * x saves the constant", lambda F: F.tensor([5.0, 6.0]) * leaf(F))
what_is_saved("x * 3.0 has nothing to pack", lambda F: leaf(F) * 3.0)
what_is_saved("x / y saves both", lambda F: leaf(F) / leaf(F, 3.0, 4.0))
what_is_saved("x / constant saves the constant", lambda F: leaf(F) / F.tensor([5.0, 6.0]))
what_is_saved("x / 3.0 has nothing to pack", lambda F: leaf(F) / 3.0)
what_is_saved("1 / x saves its result", lambda F: 1 / leaf(F))
what_is_saved("reciprocal saves its result", lambda F: leaf(F).reciprocal())
what_is_saved("x ** 3 saves x", lambda F: leaf(F) ** 3)
what_is_saved("x ** y saves both and the result", lambda F: leaf(F) ** leaf(F, 3.0, 4.0))
what_is_saved("constant ** x saves all three", lambda F: F.tensor([3.0, 4.0]) ** leaf(F))
what_is_saved("2 ** x saves x and the result", lambda F: 2 ** leaf(F))
what_is_saved("exp saves its result", lambda F: leaf(F).exp())
what_is_saved("log saves its input", lambda F: leaf(F).log())
what_is_saved("sqrt saves its result", lambda F: leaf(F).sqrt())
what_is_saved("sin saves its input", lambda F: leaf(F).sin())
what_is_saved("cos saves its input", lambda F: leaf(F).cos())
what_is_saved("tanh saves its result", lambda F: leaf(F).tanh())
what_is_saved("sigmoid saves its result", lambda F: leaf(F).sigmoid())
what_is_saved("relu saves its result", lambda F: leaf(F, -1.0, 2.0).relu())
what_is_saved("abs saves its input", lambda F: leaf(F).abs())
what_is_saved("sign saves nothing", lambda F: leaf(F).sign())
what_is_saved("where saves the condition", lambda F: F.where(F.tensor([True, False]), leaf(F), leaf(F)))
what_is_saved("sum saves nothing", lambda F: matrix(F).sum())
what_is_saved("sum over a dim saves nothing", lambda F: matrix(F).sum(0))
what_is_saved("mean saves nothing", lambda F: matrix(F).mean())
what_is_saved("mean over a dim saves nothing", lambda F: matrix(F).mean(1, keepdim=True))
what_is_saved("max saves input and result", lambda F: matrix(F).max())
what_is_saved("max over a dim saves the indices", lambda F: matrix(F).max(1).values)
what_is_saved("matrix times matrix saves both", lambda F: matrix(F) @ (matrix(F) + 1))
what_is_saved("matrix times a constant matrix saves that", lambda F: matrix(F) @ F.ones(2, 3))
what_is_saved("matrix times vector saves both", lambda F: matrix(F) @ leaf(F))
what_is_saved("vector times vector saves both", lambda F: leaf(F) @ leaf(F, 3.0, 4.0))
what_is_saved("view saves nothing", lambda F: matrix(F).view(4))
what_is_saved("reshape saves nothing", lambda F: matrix(F).reshape(4))
what_is_saved("t saves nothing", lambda F: matrix(F).t())
what_is_saved("transpose saves nothing", lambda F: matrix(F).transpose(0, 1))
what_is_saved("permute saves nothing", lambda F: matrix(F).permute(1, 0))
what_is_saved("squeeze and unsqueeze save nothing", lambda F: matrix(F).unsqueeze(0).squeeze(0))
what_is_saved("flatten saves nothing", lambda F: matrix(F).flatten())
what_is_saved("cat saves nothing", lambda F: F.cat([leaf(F), leaf(F)]))
what_is_saved("stack saves nothing", lambda F: F.stack([leaf(F), leaf(F)]))
what_is_saved("x[0] saves nothing", lambda F: matrix(F)[0])
what_is_saved("a slice saves nothing", lambda F: matrix(F)[:, :1])
what_is_saved("clone saves nothing", lambda F: matrix(F).clone())
what_is_saved("a change of dtype saves nothing", lambda F: matrix(F).double())
what_is_saved("x > y needs no gradient, and saves nothing", lambda F: leaf(F) > leaf(F))
what_is_saved("what needs no gradient saves nothing", lambda F: F.ones(2) * F.ones(2))
what_is_saved("detach() of an input is nothing to save", lambda F: leaf(F).detach().exp())


@behaviours("G02: nothing is saved under no_grad")
def _(F):
    x, packed = leaf(F), []
    with noted(F, packed), F.no_grad():
        x.exp()
    return packed


@behaviours("G02: x * x saves x twice, and both are unpacked")
def _(F):
    x, packed, unpacked = leaf(F), [], []
    with noted(F, packed, unpacked):
        y = x * x
    y.sum().backward()
    return packed, unpacked, x.grad


@behaviours("G02: an in-place op saves as its form out of place does")
def _(F):
    x, packed, unpacked = leaf(F), [], []
    y = x * 2
    with noted(F, packed, unpacked):
        y.mul_(F.tensor([5.0, 6.0]))
        y.exp_()
    y.sum().backward()
    return packed, len(unpacked), x.grad


# ---------------------------------------------------------------- what hooks may do


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
    "G03: the same from a custom Function's saved_tensors",
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
    "G04: not even under no_grad",
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
    "G04: nor to its detach(), which shares the count of writes",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    with hooks(F, lambda t: t.detach().add_(1), lambda t: t):
        leaf(F).sin()


# ---------------------------------------------------------------- nested hooks


@behaviours("G05: only the innermost pair applies; the outer one is back after it")
def _(F):
    x, outer, inner = leaf(F), [], []
    with noted(F, outer):
        a = x.sin()
        with noted(F, inner):
            b = a.cos()
        c = b.sin()
    c.sum().backward()
    return len(outer), len(inner), x.grad


@behaviours("G05: what was packed by a pair is unpacked by that pair, whatever is in force then")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: "mine", lambda packed: F.tensor([len(packed), 0.0])):
        y = x**2
    with hooks(F, lambda t: "other", lambda packed: F.ones(2)):
        y.sum().backward()
    return x.grad


@behaviours("G05: an error in the inner context restores the outer pair")
def _(F):
    x, outer, inner = leaf(F), [], []
    with noted(F, outer):
        try:
            with noted(F, inner):
                x.sin()
                raise ValueError("stop")
        except ValueError:
            x.cos()
    x.sin()
    return len(outer), len(inner)


# ---------------------------------------------------------------- custom Functions


@behaviours("G01: save_for_backward is packed after forward, saved_tensors unpacks at each reading")
def _(F):
    log = []

    class Twice(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            log.append("forward")
            return x * x

        @staticmethod
        def backward(ctx, g):
            log.append("backward")
            x, nothing = ctx.saved_tensors
            x, nothing = ctx.saved_tensors
            return 2 * x * g if nothing is None else None

    x = leaf(F)
    with hooks(F, lambda t: (log.append("pack"), t.detach())[1], lambda t: (log.append("unpack"), t)[1]):
        y = Twice.apply(x)
    y.sum().backward()
    return log, x.grad


@behaviours("G01: a Function's own output can be packed too")
def _(F):
    class Exp(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return result * g

    x, packed, unpacked = leaf(F), [], []
    with noted(F, packed, unpacked):
        y = Exp.apply(x)
    y.sum().backward()
    return packed, unpacked, x.grad


@behaviours("G01: a tensor that is neither input nor output can be packed")
def _(F):
    class Scaled(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            weights = F.tensor([5.0, 6.0])
            ctx.save_for_backward(weights)
            return x * weights

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0] * g

    x, packed = leaf(F), []
    with noted(F, packed):
        y = Scaled.apply(x)
    y.sum().backward()
    return packed, x.grad


@behaviours("G01: a Function without anything to differentiate: what it saved is not packed")
def _(F):
    packed = []
    with noted(F, packed):
        square(F).apply(F.ones(2))
    return packed


@behaviours("G01: double backward of a Function through packed tensors")
def _(F):
    x, unpacked = leaf(F), []
    with noted(F, [], unpacked):
        y = square(F).apply(x)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return g.detach(), F.autograd.grad(g.sum(), x), len(unpacked)


@behaviours("G01: a Function's saved tensors that the hook changed")
def _(F):
    x = leaf(F)
    with hooks(F, lambda t: t.detach(), lambda t: t * 10):
        y = square(F).apply(x)
    y.sum().backward()
    return x.grad


@behaviours(
    "G04: a pack hook may not write to what a Function saved", error=RuntimeError, says="A saved tensor pack hook"
)
def _(F):
    with hooks(F, lambda t: t.detach().mul_(2), lambda t: t):
        square(F).apply(leaf(F) * 1)


# ---------------------------------------------------------------- saved_tensors_hooks made of others


@behaviours("save_on_cpu: the same gradients")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    with F.autograd.graph.save_on_cpu():
        z = (x * y).exp() / y
    z.sum().backward()
    return x.grad, y.grad


@behaviours("save_on_cpu: pin_memory is accepted")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu(pin_memory=True):
        y = (x**3).sin()
    y.sum().backward()
    return x.grad, isinstance(F.autograd.graph.save_on_cpu(), F.autograd.graph.saved_tensors_hooks)


@behaviours("save_on_cpu: double backward")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu():
        y = (x**3).sum()
    (g,) = F.autograd.grad(y, x, create_graph=True)
    return g, F.autograd.grad(g.sum(), x)


@behaviours("save_on_cpu: the outer hooks do not see what it saves")
def _(F):
    x, packed = leaf(F), []
    with noted(F, packed), F.autograd.graph.save_on_cpu():
        y = x.exp()
    y.sum().backward()
    return packed, x.grad


@behaviours("save_on_cpu: a Function's saved tensors come back equal")
def _(F):
    x = leaf(F)
    with F.autograd.graph.save_on_cpu():
        y = square(F).apply(x)
    y.sum().backward()
    return x.grad


# ---------------------------------------------------------------- hooks forbidden


@behaviours("disabled: entering hooks raises the given message", error=RuntimeError, says="not in here, please")
def _(F):
    with F.autograd.graph.disable_saved_tensors_hooks("not in here, please"), noted(F, []):
        pass


@behaviours("disabled: save_on_cpu too", error=RuntimeError, says="not in here, please")
def _(F):
    with F.autograd.graph.disable_saved_tensors_hooks("not in here, please"), F.autograd.graph.save_on_cpu():
        pass


@behaviours("disabled: allow_mutation_on_saved_tensors too", error=RuntimeError, says="not in here, please")
def _(F):
    with (
        F.autograd.graph.disable_saved_tensors_hooks("not in here, please"),
        F.autograd.graph.allow_mutation_on_saved_tensors(),
    ):
        pass


@behaviours("disabled: afterwards hooks work again, also after an error")
def _(F):
    x, packed = leaf(F), []
    try:
        with F.autograd.graph.disable_saved_tensors_hooks("no"):
            raise ValueError("stop")
    except ValueError:
        with noted(F, packed):
            x.exp()
    return len(packed)


@behaviours("disabled: nested, the inner message holds, then the outer one again")
def _(F):
    disable, messages = F.autograd.graph.disable_saved_tensors_hooks, []

    def note():
        messages.append(text(noted(F, []).__enter__))

    with disable("outer"):
        with disable("inner"):
            note()
        note()
    with noted(F, []):
        messages.append("none")
    return messages


@behaviours("disabled: refused while hooks are in force", error=RuntimeError, says="not now")
def _(F):
    with noted(F, []), F.autograd.graph.disable_saved_tensors_hooks("not now"):
        pass


@behaviours("disabled: what was packed before is unpacked all the same")
def _(F):
    x = leaf(F)
    with noted(F, []):
        y = x.exp()
    with F.autograd.graph.disable_saved_tensors_hooks("no"):
        y.sum().backward()
    return x.grad


# ---------------------------------------------------------------- writing to what was saved


@behaviours("mutation: gradients use the values of before, values are those of after")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        out = (y**2).sum()
        y.sin_()
        out.backward()
    return y, out, x.grad


@behaviours("mutation: the written tensor can be used on, and both parts add up")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 2
        first = (y * y).sum()
        y.mul_(3)
        second = (y * y).sum()
        y.add_(1)
        (first + second).backward()
    return y, x.grad


@behaviours("mutation: an op's own result may be written to")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.exp()
        y.mul_(2)
        y.sum().backward()
    return y, x.grad


@behaviours("mutation: through a view")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**2).sum()
        y[0].mul_(100)
        out.backward()
    return y, x.grad


@behaviours("mutation: of the base of a saved view")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y[:1] ** 2).sum()
        y.mul_(100)
        out.backward()
    return y, x.grad


@behaviours("mutation: by assignment to elements")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**2).sum()
        y[0] = 50.0
        out.backward()
    return y, x.grad


@behaviours("mutation: of a leaf under no_grad")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = (x**2).sum()
        with F.no_grad():
            x.zero_()
        out.backward()
    return x, x.grad


@behaviours("mutation: what a Function saved")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = square(F).apply(y).sum()
        y.zero_()
        out.backward()
    return y, x.grad


@behaviours("mutation: of a tensor that needs no gradient itself")
def _(F):
    x, weights = leaf(F), F.tensor([5.0, 6.0])
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = (x * weights).sum()
        weights.zero_()
        out.backward()
    return weights, x.grad


@behaviours("mutation: double backward through what was written to")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        out = (y**3).sum()
        y.zero_()
        (g,) = F.autograd.grad(out, x, create_graph=True)
        (h,) = F.autograd.grad(g.sum(), x)
    return g.detach(), h


@behaviours("mutation: two tensors of the same memory, saved before and after a write")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y.detach()
        first = (y**2).sum()
        z.mul_(10)
        second = (y**2).sum()
        z.zero_()
        (first + second).backward()
    return y.detach(), x.grad


@behaviours("mutation: the object of the context says what it copied, and what it holds")
def _(F):
    x, counts = leaf(F), []
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        y = x * 1
        out = (y**2).sum()
        counts.append((len(held.original), len(held.cloned)))
        y.zero_()
        counts.append((len(held.original), len(held.cloned)))
        y.zero_()
        counts.append((len(held.original), len(held.cloned)))
        out.backward()
        counts.append((len(held.original), len(held.cloned)))
    return counts


@behaviours("mutation: after a backward a write copies nothing")
def _(F):
    x = leaf(F)
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        y = x * 1
        (y**2).sum().backward()
        y.zero_()
        return len(held.original), len(held.cloned), x.grad


OUTSIDE = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"


@behaviours("mutation: backward outside of the context", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = leaf(F).exp().sum()
    out.backward()


@behaviours("mutation: backward in another context", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out = leaf(F).exp().sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out.backward()


@behaviours("mutation: backward after clear()", error=AssertionError, says=OUTSIDE)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors() as held:
        out = leaf(F).exp().sum()
        held.clear()
        out.backward()


@behaviours(
    "mutation: contexts cannot be nested",
    error=RuntimeError,
    says="allow_mutation_on_saved_tensors contexts cannot be nested",
)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors(), F.autograd.graph.allow_mutation_on_saved_tensors():
        pass


@behaviours("mutation: a graph from before the context is used in it as ever")
def _(F):
    x = leaf(F)
    y = x * 1
    out = (y**2).sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        out.backward()
    return x.grad


@behaviours(
    "mutation: what was saved before the context is not copied",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    y = x * 1
    out = (y**2).sum()
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        y.zero_()
        out.backward()


@behaviours(
    "mutation: after the context writes are refused as ever, also if it ended with an error",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    try:
        with F.autograd.graph.allow_mutation_on_saved_tensors():
            raise ValueError("stop")
    except ValueError:
        y = x * 1
    out = (y**2).sum()
    y.zero_()
    out.backward()


@behaviours(
    "mutation: a leaf that requires grad is still not written to", error=RuntimeError, says="a leaf Variable that"
)
def _(F):
    with F.autograd.graph.allow_mutation_on_saved_tensors():
        leaf(F).zero_()


# ---------------------------------------------------------------- freed, and memory


@behaviours(
    "G01: saved tensors are freed by the pass that used them",
    error=RuntimeError,
    says="Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed).",
)
def _(F):
    y = leaf(F).sin()
    y.sum().backward()
    return y.grad_fn._saved_self


@behaviours(
    "G01: a custom Function's as well",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    y = square(F).apply(leaf(F))
    y.sum().backward()
    y.sum().backward()


@behaviours(
    "G01: and its saved_tensors raise when read by hand",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    y = square(F).apply(leaf(F))
    y.sum().backward()
    return y.grad_fn.saved_tensors


@behaviours("G01: a node that saved nothing runs as often as one likes")
def _(F):
    x = leaf(F)
    y = (x + 1).sum()
    for _ in range(3):
        y.backward()
    return x.grad


def dies(op: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A scenario: the result of `op(F)` and its node die with their last reference, the garbage collector off."""

    def scenario(F: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            result = op(F)
            tensor, node = weakref.ref(result), weakref.ref(result.grad_fn.metadata.setdefault("mark", Mark()))
            del result
            return tensor() is None, node() is None
        finally:
            if was_on:
                gc.enable()

    return scenario


class Mark:
    """Something that a node's metadata holds and a weak reference can watch."""


for name, op in {
    "exp": lambda F: leaf(F).exp(),
    "tanh": lambda F: leaf(F).tanh(),
    "sqrt": lambda F: leaf(F).sqrt(),
    "x ** y": lambda F: leaf(F) ** leaf(F),
    "max": lambda F: leaf(F).max(),
    "sin, which keeps its input": lambda F: (leaf(F) * 2).sin(),
    "exp_, in place": lambda F: (leaf(F) * 2).exp_(),
    "exp and a view of it": lambda F: leaf(F).exp()[:1],
    "exp with retain_grad": lambda F: (lambda y: (y.retain_grad(), y)[1])(leaf(F).exp()),
    "exp with a hook": lambda F: (lambda y: (y.register_hook(abs), y)[1])(leaf(F).exp()),
    "exp after backward": lambda F: (lambda y: (y.sum().backward(), y)[1])(leaf(F).exp()),
    "exp after backward that kept the graph": lambda F: (lambda y: (y.sum().backward(retain_graph=True), y)[1])(
        leaf(F).exp()
    ),
    "a Function that saves its input": lambda F: square(F).apply(leaf(F) * 2),
    "exp under hooks that keep a copy": lambda F: copied(F, leaf(F)),
}.items():
    behaviours(f"G08: the result of {name} dies with its last reference")(dies(op))


def copied(F: Any, x: Any) -> Any:
    with noted(F, []):
        return x.exp()


@behaviours("G08: a graph that create_graph made dies with its last reference")
def _(F):
    was_on = gc.isenabled()
    gc.disable()
    try:
        x = leaf(F)
        (g,) = F.autograd.grad(x.exp().sum(), x, create_graph=True)
        alive = weakref.ref(g)
        mark = weakref.ref(g.grad_fn.metadata.setdefault("mark", Mark()))
        del g
        return alive() is None, mark() is None
    finally:
        if was_on:
            gc.enable()


@behaviours("G08: what a node saved lives as long as the node")
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.sin()
    alive = weakref.ref(y)
    del y
    kept = alive() is not None
    z.sum().backward()
    return kept, alive() is None


test_as_in_torch = behaviours.test()

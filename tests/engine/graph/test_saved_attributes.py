"""`_saved_self` and `_raw_saved_self`: what each op keeps, under which name, and how long."""

from __future__ import annotations

from typing import Any

from engine.hooks.loggers import kind, matrix
from engine.saved_tensors.packing import square
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def saved(title: str, make: Any, *names: str) -> None:
    """A behaviour: what the node of `make(F)` shows under these names."""

    def scenario(F: Any) -> Any:
        node = make(F).grad_fn
        return node.name(), {name: getattr(node, "_saved_" + name) for name in names}

    behaviours(f"saved: {title}")(scenario)


saved("mul keeps both factors", lambda F: leaf(F) * leaf(F, 3.0, 4.0), "self", "other")


saved("mul with a constant tensor keeps the constant only", lambda F: leaf(F) * F.tensor([5.0, 6.0]), "self", "other")


saved("mul by a number keeps it as a tensor", lambda F: leaf(F) * 3.0, "self", "other")


saved("div keeps what it needs", lambda F: leaf(F) / leaf(F, 3.0, 4.0), "self", "other")


saved("div by a number keeps it as a tensor", lambda F: leaf(F) / 4, "self", "other")


saved("pow with a number keeps base and exponent", lambda F: leaf(F) ** 2, "self", "exponent")


saved("pow keeps the exponent as it was given", lambda F: leaf(F) ** 0.5, "exponent")


saved("pow of two tensors keeps all three", lambda F: leaf(F) ** leaf(F, 3.0, 2.0), "self", "exponent", "result")


saved("pow of a number keeps exponent and result", lambda F: 2.0 ** leaf(F), "exponent", "result")


saved("exp keeps its result", lambda F: leaf(F).exp(), "result")


saved("log keeps its input", lambda F: leaf(F).log(), "self")


saved("sqrt keeps its result", lambda F: leaf(F, 4.0, 9.0).sqrt(), "result")


saved("sin keeps its input", lambda F: leaf(F).sin(), "self")


saved("cos keeps its input", lambda F: leaf(F).cos(), "self")


saved("tanh keeps its result", lambda F: leaf(F).tanh(), "result")


saved("sigmoid keeps its result", lambda F: leaf(F).sigmoid(), "result")


saved("relu keeps its result", lambda F: leaf(F, -1.0, 2.0).relu(), "result")


saved("reciprocal keeps its result", lambda F: leaf(F).reciprocal(), "result")


saved("abs keeps its input", lambda F: leaf(F).abs(), "self")


saved("where keeps the condition", lambda F: F.where(F.tensor([True, False]), leaf(F), 0.0), "condition")


saved("sum over a dim keeps dim and keepdim", lambda F: matrix(F).sum(1), "dim", "keepdim")


saved("mean over a dim keeps dim and keepdim", lambda F: matrix(F).mean(1, keepdim=True), "dim", "keepdim")


saved("max of all keeps input and result", lambda F: matrix(F).max(), "self", "result")


saved("max over a dim keeps the indices", lambda F: matrix(F).max(1).values, "dim", "indices", "keepdim")


saved("mm keeps both matrices", lambda F: matrix(F) @ matrix(F), "self", "mat2")


saved("mv keeps the matrix and the vector", lambda F: matrix(F) @ leaf(F), "self", "vec")


saved("dot keeps both vectors", lambda F: leaf(F) @ leaf(F, 3.0, 4.0), "self", "tensor")


saved("transpose keeps the dims", lambda F: matrix(F).transpose(0, 1), "dim0", "dim1")


saved("permute keeps the dims", lambda F: matrix(F).permute(1, 0), "dims")


saved("unsqueeze keeps the dim", lambda F: matrix(F).unsqueeze(1), "dim")


saved("select keeps dim and index", lambda F: matrix(F)[1], "dim", "index")


saved("cat keeps the dim", lambda F: F.cat([matrix(F), matrix(F)], 1), "dim")


saved("stack keeps the dim", lambda F: F.stack([matrix(F), matrix(F)], 1), "dim")


@behaviours("saved: the names of a node's saved tensors")
def _(F):
    x = leaf(F)
    return {
        node.name(): sorted(
            name for name in dir(node) if name.startswith("_kept") and F.Tensor is type(getattr(node, name))
        )
        for node in ((x * x).grad_fn, (x**2).grad_fn, x.exp().grad_fn, x.sin().grad_fn, (x / x).grad_fn)
    }


@behaviours("saved: an input that was saved is the same object")
def _(F):
    x = leaf(F)
    y = x * 2
    return (x.sin()).grad_fn._saved_self is x, y.sin().grad_fn._saved_self is y, (x * y).grad_fn._saved_other is y


@behaviours("saved: a result that was saved comes back as another tensor with the same node")
def _(F):
    y = leaf(F).exp()
    again = y.grad_fn._saved_result
    return again is y, again.grad_fn is y.grad_fn, again, again.is_leaf


@behaviours(
    "saved: after backward they are gone",
    error=RuntimeError,
    says="Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True",
)
def _(F):
    y = leaf(F).exp()
    y.sum().backward()
    return y.grad_fn._saved_result


@behaviours("saved: with retain_graph they stay; numbers stay in any case")
def _(F):
    x = leaf(F)
    y, z = x.exp(), matrix(F).sum(1)
    y.sum().backward(retain_graph=True)
    z.sum().backward()
    return y.grad_fn._saved_result, z.grad_fn._saved_dim


@behaviours(
    "saved: one that was written to since is refused",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F):
    x = leaf(F)
    y = x * 2
    z = y.sin()
    y.add_(1)
    return z.grad_fn._saved_self


@behaviours(
    "saved: a name that the op does not have", error=AttributeError, says="'ExpBackward0' object has no attribute"
)
def _(F):
    return leaf(F).exp().grad_fn._saved_self


@behaviours("saved: _raw_saved_self takes hooks: packed at once, unpacked at each use")
def _(F):
    x, log = leaf(F), []
    y = x.sin()
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: (log.append("pack"), t * 1)[1], lambda t: (log.append("unpack"), t * 0)[1])
    at_once = list(log)
    seen = y.grad_fn._saved_self.detach()
    y.sum().backward()
    return at_once, seen, x.grad, log, type(raw).__name__


@behaviours(
    "saved: hooks on a raw saved tensor can be given once",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor whose hooks have already been set.",
)
def _(F):
    y = leaf(F).sin()
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t * 1, lambda t: t)
    raw.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours("saved: the raw hooks of one factor leave the other alone")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = x * y
    z.grad_fn._raw_saved_other.register_hooks(lambda t: t * 1, lambda t: t * 10)
    z.sum().backward()
    return x.grad, y.grad


@behaviours(
    "saved: a raw saved tensor cannot be given hooks once freed",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor after it has been freed.",
)
def _(F):
    y = leaf(F).sin()
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    raw.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: saved_tensors_hooks count as given",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor whose hooks have already been set.",
)
def _(F):
    x = leaf(F)
    with F.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
        y = x.sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: what was not needed cannot be given hooks",
    error=RuntimeError,
    says="Calling register_hooks on a saved tensor with value None is forbidden",
)
def _(F):
    y = leaf(F) * 3
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 1, lambda t: t)


@behaviours(
    "saved: a raw pack hook may not write to what it packs",
    error=RuntimeError,
    says="A saved tensor pack hook is modifying its input in place.",
)
def _(F):
    y = leaf(F).clone().sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t.mul_(2), lambda t: t)


@behaviours(
    "saved: a raw hook's result has to be a tensor",
    error=TypeError,
    says="Output of saved tensor unpack_hook expected to be a Tensor but got result of type int",
)
def _(F):
    y = leaf(F).sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda t: 1, lambda packed: packed)
    y.sum().backward()


@behaviours(
    "saved: raw hooks are functions of one argument",
    error=TypeError,
    says="_.<locals>.<lambda>() takes 0 positional arguments but 1 was given",
)
def _(F):
    y = leaf(F).sin()
    y.grad_fn._raw_saved_self.register_hooks(lambda: 1, lambda: 1)


@behaviours("saved: a custom Function's node shows what forward saved, and its attributes")
def _(F):
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.note = "kept"
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(F)
    y = Square.apply(x)
    return y.grad_fn.saved_tensors[0] is x, y.grad_fn.note, y.grad_fn.name(), kind(y.grad_fn)


@behaviours("saved: raw hooks on what a custom Function saved, an input and its output")
def _(F):
    class Product(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * x * y

    x = leaf(F)
    z = Product.apply(x)
    for raw, factor in zip(z.grad_fn._raw_saved_tensors, (10, 100), strict=True):
        raw.register_hooks(lambda t: t.detach() * 1, lambda t, factor=factor: t * factor)
    z.sum().backward()
    return x.grad


@behaviours(
    "saved: a custom Function's raw saved tensors, once freed",
    error=RuntimeError,
    says="Trying to backward through the graph a second time (or directly access saved tensors",
)
def _(F):
    z = square(F).apply(leaf(F))
    z.sum().backward()
    return z.grad_fn._raw_saved_tensors


@behaviours("saved: raw hooks on a number that was saved")
def _(F):
    x, seen = leaf(F), []
    y = x * 3
    y.grad_fn._raw_saved_other.register_hooks(lambda t: (seen.append(float(t)), t)[1], lambda t: t * 10)
    return F.autograd.grad(y.sum(), x), seen


@behaviours("saved: only tensors have a raw form")
def _(F):
    x = leaf(F)
    nodes = [x.exp().grad_fn, (x * x).grad_fn, x.sum(0).grad_fn, x.view(2, 1).grad_fn]
    return [[name for name in dir(node) if name.startswith("_raw_saved")] for node in nodes]


test_as_in_torch = behaviours.test()

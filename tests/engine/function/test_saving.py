"""save_for_backward and saved_tensors: what may be saved, what comes back, when it is refused (C05, C06, C07)."""

from __future__ import annotations

from typing import Any

from engine.function.probes import MODIFIED, doubling, exponential, function, saving
from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed)."
)


@behaviours(
    "C05: saving a number",
    error=TypeError,
    says="save_for_backward can only save variables, but argument 0 is of type int",
)
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(3)
        return x * 3

    function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))


behaviours.table(
    ("C05: the error's number is the argument's place", lambda F: saving(F, [1.0, 2.0]).apply(leaf(F, 1.0)),
     TypeError, "save_for_backward can only save variables, but argument 1 is of type list"),
    ("C05: without a graph nothing is saved, and nothing refused",
     lambda F: saving(F, "text").apply(F.tensor([1.0, 2.0]))),
)  # fmt: skip


@behaviours("C06: a saved input comes back as the same object")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.extend(saved is given for saved, given in zip(ctx.saved_tensors, (a, b, constant), strict=True))
        return g, g, None

    def forward(ctx: Any, *inputs: Any) -> Any:
        ctx.save_for_backward(*inputs)
        return inputs[0] * 2

    a, constant = leaf(F, 1.0, 2.0), F.ones(2)
    b = a * 3
    function(F, forward, backward).apply(a, b, constant).sum().backward()
    return seen


@behaviours("C06: None may be saved")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F, None, F.tensor([7.0])).apply(x)
    y.sum().backward(retain_graph=True)
    return y.grad_fn.saved_tensors, x.grad


@behaviours("C06: nothing saved is the empty tuple")
def _(F: Any) -> Any:
    return doubling(F).apply(leaf(F, 1.0)).grad_fn.saved_tensors


@behaviours("C06: saved_tensors is a tuple, empty while forward runs")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        seen.append(ctx.saved_tensors)
        return x * 2

    y = function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0))
    return seen, type(y.grad_fn.saved_tensors).__name__, y.grad_fn.saved_tensors


@behaviours("C06: the last call of save_for_backward counts")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.save_for_backward(x + 1, x + 2)
        return x * 2

    return function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0)).grad_fn.saved_tensors


@behaviours("C06: a tensor may be saved twice")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, x)
        return x * 2

    x = leaf(F, 1.0)
    saved = function(F, forward, lambda ctx, g: g).apply(x).grad_fn.saved_tensors
    return saved, saved[0] is x, saved[1] is x


@behaviours("C06: a saved output comes back with its place in the graph")
def _(F: Any) -> Any:
    y = exponential(F).apply(leaf(F, 0.0, 1.0))
    (saved,) = y.grad_fn.saved_tensors
    return saved, saved.grad_fn is y.grad_fn, saved.output_nr


@behaviours("C06: a saved output that is not the first comes back with its place in the graph")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        first, second = x * 2, x * 3
        ctx.save_for_backward(second, first)
        return first, second

    first, _ = function(F, forward, lambda ctx, g, h: g * 2 + h * 3).apply(leaf(F, 1.0))
    saved = first.grad_fn.saved_tensors
    return saved, [tensor.output_nr for tensor in saved], [tensor.grad_fn is first.grad_fn for tensor in saved]


@behaviours("C06: a saved intermediate comes back without graph")
def _(F: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        between = x * x
        ctx.save_for_backward(between)
        return between * x

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.saved_tensors)
        return g * 3 * ctx.saved_tensors[0]

    x = leaf(F, 1.0, 2.0)
    function(F, forward, backward).apply(x).sum().backward()
    return seen, x.grad


@behaviours("C06: saved tensors can be read any number of times, in backward and on grad_fn")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F).apply(x)
    return y.grad_fn.saved_tensors[0] is x, y.grad_fn.saved_tensors[0] is x


@behaviours("C06: saving within backward changes nothing")
def _(F: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        ctx.save_for_backward(g)
        seen.append(ctx.saved_tensors)
        return g * 2

    function(F, lambda ctx, x: x * 2, backward).apply(leaf(F, 1.0)).backward()
    return seen


@behaviours("C06: saved_tensors cannot be assigned")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.saved_tensors = (x,)
        return x * 2

    return error_of(lambda: function(F, forward, lambda ctx, g: g).apply(leaf(F, 1.0)))


@behaviours("C06: after backward saved tensors are freed", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = saving(F).apply(leaf(F, 1.0, 2.0))
    y.sum().backward()
    return y.grad_fn.saved_tensors


@behaviours("C06: a second backward fails where the first has freed what was saved", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = saving(F).apply(leaf(F, 1.0, 2.0))
    y.backward(F.ones(2))
    y.backward(F.ones(2))


@behaviours("C06: when nothing was saved, backward can be repeated")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = doubling(F).apply(x)
    y.backward(F.ones(2))
    y.backward(F.ones(2))
    return x.grad


@behaviours("C06: backward can be repeated when what was saved is not read again")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * 2).apply(x)
    y.backward(F.ones(2))
    y.backward(F.ones(2))
    return x.grad


@behaviours("C06: a freed node refuses to show what it saved, although it is nothing", error=RuntimeError, says=FREED)
def _(F: Any) -> Any:
    y = doubling(F).apply(leaf(F, 1.0))
    y.backward()
    return y.grad_fn.saved_tensors


@behaviours("C06: freeing leaves the attributes of ctx alone")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.kept, ctx.times = x, 2
        return x * 2

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, lambda ctx, g: g * ctx.times).apply(x)
    y.sum().backward()
    return y.grad_fn.kept is x, y.grad_fn.times


@behaviours("C06: with retain_graph saved tensors and attributes stay, and backward may change the latter")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.runs = 0
        return x * x

    def backward(ctx: Any, g: Any) -> Any:
        ctx.runs += 1
        return g * 2 * ctx.saved_tensors[0] * ctx.runs

    x = leaf(F, 1.0, 2.0)
    y = function(F, forward, backward).apply(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    return y.grad_fn.runs, x.grad, y.grad_fn.saved_tensors


@behaviours("C07: a saved input that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x.add_(1)
    y.sum().backward()


@behaviours("C07: a saved leaf that was changed under no_grad", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = saving(F).apply(x)
    with F.no_grad():
        x.add_(1)
    y.sum().backward()


@behaviours("C07: a saved tensor without grad that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    constant = F.ones(2)
    y = saving(F, constant).apply(leaf(F, 1.0, 2.0))
    constant.add_(1)
    y.sum().backward()


@behaviours("C07: a saved output that was changed", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    y = exponential(F).apply(leaf(F, 1.0, 2.0))
    y.add_(1)
    y.sum().backward()


@behaviours("C07: a saved input, changed through a view of it", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x[0] = 5.0
    y.sum().backward()


@behaviours("C07: reading saved_tensors of grad_fn checks too", error=RuntimeError, says=MODIFIED)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0) * 1
    y = saving(F).apply(x)
    x.add_(1)
    return y.grad_fn.saved_tensors


@behaviours("C07: a change within forward, before it ends, does not count")
def _(F: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(y)
        y.add_(1)
        return y * 1

    y = function(F, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(leaf(F, 1.0))
    return y.grad_fn.saved_tensors


@behaviours("C07: what was not saved may be changed")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * 1
    y = doubling(F).apply(middle)
    middle.add_(1)
    y.sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()

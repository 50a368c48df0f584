"""Writes through a view, and to the base of views: nodes are replaced, gradients follow the memory (D05, D06, D07)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import (
    BASE_OF_ONE_MADE_IN_NO_GRAD,
    MADE_IN_NO_GRAD,
    OVERWRITTEN,
    VIEW_OF_LEAF,
    gradients,
    graph,
    grid,
    name,
    number,
    second,
    state,
    tried,
    weights,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


VIEWS: dict[str, Callable[[Any], Any]] = {
    "view(3, 2)": lambda t: t.view(3, 2),
    "view(-1)": lambda t: t.view(-1),
    "view_as": lambda t: t.view_as(t.detach().reshape(3, 2)),
    "reshape": lambda t: t.reshape(1, 6),
    "flatten": lambda t: t.flatten(),
    "[0]": lambda t: t[0],
    "[-1, 1:]": lambda t: t[-1, 1:],
    "[1, 2]": lambda t: t[1, 2],
    "[:, 1]": lambda t: t[:, 1],
    "[..., ::2]": lambda t: t[..., ::2],
    "[None]": lambda t: t[None],
    "[...]": lambda t: t[...],
    "[:]": lambda t: t[:],
    "[2:]": lambda t: t[2:],
    "transpose": lambda t: t.transpose(0, 1),
    "t": lambda t: t.t(),
    "T": lambda t: t.T,
    "permute": lambda t: t.permute(1, 0),
    "narrow": lambda t: t.narrow(1, 1, 2),
    "select": lambda t: t.select(1, 0),
    "diagonal": lambda t: t.diagonal(),
    "squeeze": lambda t: t.squeeze(),
    "squeeze(0)": lambda t: t.squeeze(0),
    "unsqueeze": lambda t: t.unsqueeze(1),
    "swapaxes": lambda t: t.swapaxes(0, 1),
    "as_strided": lambda t: t.as_strided((2, 2), (3, 1), 1),
    "expand to its own shape": lambda t: t.expand(2, 3),
    "a view of a view": lambda t: t.t()[1:],
    "a view of a view of a view": lambda t: t.view(-1)[1:5].view(2, 2),
    "a diagonal of a transposed part": lambda t: t[:, 1:].t().diagonal(),
}


def view_written(text: str, view: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: a write through {text} changes the base and its gradient")
    def _(F):
        x = grid(F)
        y = x * 1
        part = view(y)
        before = name(part.grad_fn)
        part.mul_(weights(F, part) + 1)
        return before, state(y, part), graph(y), graph(part), gradients(F, y, x), gradients(F, part, x)

    @behaviours(f"D05: a write through {text} with an operand that needs grad")
    def _(F):
        x, w = grid(F), number(F, 3.0)
        y = x * 1
        view(y).mul_(w)
        return state(y), graph(y), gradients(F, y, x, w), second(F, y, x, w)

    @behaviours(f"D06: a write to the base moves {text} to the base's new node")
    def _(F):
        x, w = grid(F), grid(F)
        y = x * 1
        part = view(y)
        y.mul_(w)
        return state(y, part), graph(part), gradients(F, part, x, w), second(F, part, x, w)

    @behaviours(f"D07: a write through {text} with a value that needs grad takes a plain base into the graph")
    def _(F):
        w, base = number(F, 3.0), F.ones(2, 3)
        part = view(base)
        part.mul_(w)
        return state(base, part), graph(base), graph(part), gradients(F, base, w), gradients(F, part, w)

    @behaviours(f"D06: a write to a plain base with a value that needs grad takes {text} into the graph")
    def _(F):
        w, base = number(F, 3.0), F.ones(2, 3)
        part = view(base)
        base.mul_(w)
        return state(base, part), graph(part), gradients(F, part, w)

    @behaviours(f"D05: {text} of a result, then written, then read as another view that was there before")
    def _(F):
        x, w = grid(F), number(F, 3.0)
        y = x * 1
        part, other = view(y), y.view(-1)[1:]
        part.add_(w)
        other.mul_(other.detach().clone())
        return state(y, part, other), graph(other), gradients(F, y * 1, x, w), gradients(F, part * 1, x, w)

    @behaviours(f"D01: a write through {text} of a leaf is refused", error=RuntimeError, says=VIEW_OF_LEAF)
    def _(F):
        view(grid(F)).mul_(2.0)

    @behaviours(f"D01: a write through {text} of a leaf under no_grad")
    def _(F):
        x = grid(F)
        part = view(x)
        with F.no_grad():
            part.mul_(2.0)
        again = view(x)
        return state(x, part, again), gradients(F, part, x), gradients(F, again, x)

    @behaviours(f"D10: {text} made under no_grad: what it is")
    def _(F):
        x, plain = grid(F), F.ones(2, 3)
        y = x * 1
        with F.no_grad():
            parts = [view(x), view(y), view(plain)]
        return state(*parts), [part._base is base for part, base in zip(parts, (x, y, plain), strict=True)]

    @behaviours(
        f"D10: {text} made under no_grad and written to later is refused", error=RuntimeError, says=MADE_IN_NO_GRAD
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = view(y)
        part.mul_(2.0)

    @behaviours(
        f"D10: {text} made under no_grad has no node once its base was written to",
        error=RuntimeError,
        says=BASE_OF_ONE_MADE_IN_NO_GRAD,
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = view(y)
        y.mul_(2.0)
        part.grad_fn  # noqa: B018

    @behaviours(
        f"D11: detach_ of {text} is refused", error=RuntimeError, says="Can't detach views in-place. Use detach()"
    )
    def _(F):
        view(grid(F) * 1).detach_()

    @behaviours(f"D04: {text} shares its version and knows its base")
    def _(F):
        base, x = F.ones(2, 3), grid(F)
        part, of_result = view(base), view(x * 1)
        counts = [[base._version, part._version]]
        part.add_(1)
        counts.append([base._version, part._version])
        base.add_(1)
        counts.append([base._version, part._version, part.detach()._version, part.clone()._version])
        return counts, part._is_view(), part._base is base, of_result._base.grad_fn, of_result._version, part.tolist()


for text, view in VIEWS.items():
    view_written(text, view)


@behaviours("D05: three writes through three views, one after the other")
def _(F):
    x = grid(F)
    y = x * 1
    y[0].mul_(2.0)
    y.t()[1].add_(x[:, 0])
    y.view(-1)[2:4].mul_(x.view(-1)[:2])
    return state(y), graph(y), gradients(F, y, x), second(F, y, x)


@behaviours("D05: the same view written to three times")
def _(F):
    x = grid(F)
    y = x * 1
    row, seen = y[1], []
    for factor in (2.0, 3.0, 4.0):
        row.mul_(factor)
        seen.append(state(y, row))
    return seen, graph(row), gradients(F, y, x), gradients(F, row, x)


@behaviours("D06: writes to the base and to a view by turns")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    row, column = y[1], y[:, 1]
    y.mul_(w)
    row.add_(w)
    y.mul_(row.detach().clone())
    column.mul_(w)
    y.add_(x)
    return state(y, row, column), graph(y), graph(row), gradients(F, y, x, w), gradients(F, column, x, w)


@behaviours("D05: a write between two reads of a view: each read has the gradient of its time")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    first = row + 0
    y[0] = 5.0
    second_read = row + 0
    row.mul_(3.0)
    third = row + 0
    return [
        [t.tolist(), t.requires_grad, gradients(F, t, x) if t.requires_grad else None]
        for t in (first, second_read, third)
    ]


@behaviours("D05: a view's view, written through, reaches both")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[1]
    last = row[1:]
    last.mul_(2.0)
    return state(y, row, last), graph(row), graph(last), gradients(F, y, x), gradients(F, row, x)


@behaviours("D06: a view's view follows a write to the view between them")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[1]
    last = row[1:]
    row.mul_(2.0)
    return state(y, row, last), graph(last), gradients(F, last, x)


@behaviours("D07: a view of a plain tensor, taken into the graph by a write to another view")
def _(F):
    base, w = F.zeros(2, 3), number(F)
    row, column = base[0], base[:, 0]
    column.add_(w)
    return state(base, row, column), graph(row), gradients(F, row, w), gradients(F, base * 2, w)


@behaviours("D06: overlapping views: what one writes the other reads with its gradient")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    left, right = y[:3], y[1:]
    left.mul_(2.0)
    right.mul_(left.detach().clone())
    left.add_(right.clone())
    return state(y, left, right), gradients(F, left, x), gradients(F, right, x), gradients(F, y, x)


@behaviours("D06: as_strided with elements that overlap")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = x * 1
    windows = y.as_strided((3, 2), (1, 1))
    y.mul_(2.0)
    return state(windows), graph(windows), gradients(F, windows, x)


@behaviours("D06: as_strided with two elements that meet after larger steps")
def _(F):
    x = F.arange(9.0).requires_grad_()
    rows = (x * 1).as_strided((2, 3), (4, 2))
    return rows, F.autograd.grad((rows * F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).sum(), x)


@behaviours("D05: fill_, zero_ and copy_ through a view cut what was there")
def _(F):
    x, w = grid(F), F.tensor([7.0, 8.0], requires_grad=True)
    y = x * 1
    y[0].zero_()
    y.t()[2].copy_(w)
    y[1, :1].fill_(4.0)
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D05: a write through a view of an empty part")
def _(F):
    x = grid(F)
    y = x * 1
    y[2:].mul_(3.0)
    y[:, :0].add_(1.0)
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D05: a write through a view under no_grad leaves base and view where they were")
def _(F):
    x = grid(F)
    y = x * 1
    row = y[0]
    with F.no_grad():
        row.mul_(2.0)
        y[1].mul_(3.0)
    return state(y, row), graph(y), graph(row), gradients(F, y, x), gradients(F, row, x)


@behaviours("D05: a graph built before a write through a view keeps its gradient")
def _(F):
    x = grid(F)
    y = x * 1
    total = (y + 1).sum()
    y[0].mul_(5.0)
    after = y.sum()
    return F.autograd.grad(total, x, retain_graph=True), F.autograd.grad(after, x)


@behaviours("D05: a result's view written to after the result was used twice")
def _(F):
    x = grid(F)
    y = x * 1
    a, b = y + 1, y.t() + 2
    y.t()[0].mul_(4.0)
    return gradients(F, a, x), gradients(F, b, x), gradients(F, y, x)


@behaviours("D05: .grad of a leaf after backward through writes")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y[0] = w * y[1].clone()
    y.mul_(w)
    y[:, 2] += 1
    (y * weights(F, y)).sum().backward()
    return x.grad, w.grad


@behaviours("D03: a product with a view saves the view, and a write through another view is found")
def _(F):
    x, w = grid(F), grid(F)
    y = x * 1
    z = y[0] * w[0]
    y[1].mul_(2.0)
    return tried(lambda: gradients(F, z, w), f"{OVERWRITTEN}[torch.FloatTensor [3]]")


test_as_in_torch = behaviours.test()

"""unbind, split and chunk give several views at once, which cannot be written to (D09)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.inplace.effects import MADE_IN_NO_GRAD, SEVERAL_VIEWS, gradients, graph, grid, name, number, state, tried
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


# several views from one call, and the name that PyTorch's message has for it
SEVERAL: dict[str, tuple[Callable[[Any], Any], str]] = {
    "unbind": (lambda t: t.unbind(), "Unbind"),
    "unbind along columns": (lambda t: t.unbind(1), "Unbind"),
    "iteration": (list, "Unbind"),
    "split": (lambda t: t.split(1), "Split"),
    "split by sizes": (lambda t: t.split([1, 2], 1), "SplitWithSizes"),
    "chunk": (lambda t: t.chunk(2), "Split"),
}


def several_views(text: str, views: Callable[[Any], Any], node: str) -> None:
    @behaviours(f"D09: {text} gives views of one node, which all lead back")
    def _(F):
        x = grid(F)
        y = x * 1
        parts = views(y)
        total = sum(((i + 2) * part * part).sum() for i, part in enumerate(parts))
        return (
            state(*parts),
            [part.output_nr for part in parts],
            [part.grad_fn is parts[0].grad_fn for part in parts],
            [part._base is y for part in parts],
            graph(parts[1]),
            gradients(F, total, x),
            gradients(F, parts[1], x),
        )

    for i in (0, 1):

        @behaviours(
            f"D09: a write to number {i} of {text} is refused",
            error=RuntimeError,
            says=f"Output {i} of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
        )
        def _(F, i=i):
            views(grid(F) * 1)[i].mul_(2.0)

    @behaviours(
        f"D09: a write to a leaf's {text} is refused for the same reason",
        error=RuntimeError,
        says=f"Output 1 of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F))[1].mul_(2.0)

    @behaviours(
        f"D09: setitem in {text} is refused",
        error=RuntimeError,
        says=f"Output 0 of {node} is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F) * 1)[0][...] = 0.0

    @behaviours(
        f"D09: a write to a view of one of {text} is refused, in the name of that view",
        error=RuntimeError,
        says=f"Output 0 of Unsqueeze is a view and is being modified inplace. {SEVERAL_VIEWS}",
    )
    def _(F):
        views(grid(F) * 1)[1].unsqueeze(0).mul_(2.0)

    for use, action in {
        "its node": lambda F, part: part.grad_fn,
        "whether it is a leaf": lambda F, part: part.is_leaf,
        "a sum with it": lambda F, part: part + 1,
        "its backward": lambda F, part: part.backward(F.ones(part.shape)),
        "a hook on it": lambda F, part: part.register_hook(print),
        "retain_grad": lambda F, part: part.retain_grad(),
    }.items():

        @behaviours(
            f"D09: after a write to the base of {text}, {use} is refused",
            error=RuntimeError,
            says=f"Output 1 of {node} is a view and its base or another view of its base has been modified inplace. "
            f"{SEVERAL_VIEWS}",
        )
        def _(F, action=action):
            y = grid(F) * 1
            parts = views(y)
            y.mul_(2.0)
            action(F, parts[1])

    @behaviours(f"D09: after a write to the base of {text}, its numbers are there to see")
    def _(F):
        y = grid(F) * 1
        part = views(y)[1]
        y.mul_(2.0)
        return part.requires_grad, part._version, part.shape, tried(lambda: part.tolist()), part.detach()

    @behaviours(f"D09: {text} made anew after a write to the base is fine")
    def _(F):
        x = grid(F)
        y = x * 1
        views(y)
        y.mul_(3.0)
        part = views(y)[1]
        return state(part), graph(part), gradients(F, part, x)

    @behaviours(f"D09: a write to {text} of a plain tensor is fine while no value needs grad")
    def _(F):
        base = F.ones(2, 3)
        parts = views(base)
        parts[1].mul_(2.0)
        parts[0][...] = 5.0
        return state(base, *parts)

    @behaviours(
        f"D09: a write to {text} of a plain tensor with a value that needs grad is refused",
        error=RuntimeError,
        says=f"{MADE_IN_NO_GRAD} {SEVERAL_VIEWS}",
    )
    def _(F):
        views(F.ones(2, 3))[1].mul_(number(F))

    @behaviours(f"D09: a write to {text} under no_grad writes, and the part is then lost to the graph")
    def _(F):
        x = grid(F)
        y = x * 1
        parts = views(y)
        with F.no_grad():
            parts[1].mul_(2.0)
        beginning = f"Output 1 of {node} is a view and its base or another view of its base has been modified inplace."
        return state(y), gradients(F, y, x), tried(lambda: state(parts[1]), f"{beginning} {SEVERAL_VIEWS}")

    @behaviours(
        f"D10: {text} made under no_grad and written to later is refused", error=RuntimeError, says=MADE_IN_NO_GRAD
    )
    def _(F):
        y = grid(F) * 1
        with F.no_grad():
            part = views(y)[1]
        part.mul_(2.0)


for text, (views, node) in SEVERAL.items():
    several_views(text, views, node)


@behaviours("D06: a view that is a leaf, written to, follows its base when that is asked for a gradient")
def _(F):
    base = F.tensor([2.0, 3.0])
    view = base[...]
    view.add_(1.0)
    view.requires_grad_(True)
    other = view.view(1, -1)
    base.requires_grad_(True)
    return view.is_leaf, view.grad_fn, other.grad_fn, (view * 2).grad_fn.next_functions[0][0]


@behaviours("D06: a view that is a leaf, whose base is written to, follows its base, too")
def _(F):
    base = F.tensor([2.0, 3.0])
    view = base[...]
    view.requires_grad_(True)
    other = view * 2
    with F.no_grad():
        base.add_(1.0)
    base.requires_grad_(True)
    return view.is_leaf, view.grad_fn, other.grad_fn


@behaviours("D09: after its base was written to, a view takes another hook if it had one, and else none")
def _(F):
    y = grid(F) * 1
    first, second = y.unbind()
    first.register_hook(lambda g: g)
    y.mul_(2.0)
    first.register_hook(lambda g: g)
    try:
        second.register_hook(lambda g: g)
    except RuntimeError as error:
        return len(first._backward_hooks), SEVERAL_VIEWS in str(error)
    raise AssertionError("it was taken")


@behaviours("D09: a leaf view with a flag of its own has it again when its base needs no gradient any more")
def _(F):
    base = F.tensor([[2.0, 3.0], [4.0, 5.0]])
    first, second, third = (base.unbind(1)[0] for _ in range(3))
    seen: list[Any] = []
    first.requires_grad_(True).register_hook(seen.append)
    base.requires_grad_(True)
    with F.no_grad():
        base.mul_(2.0)
    second.requires_grad_(True)
    base.requires_grad_(False)
    flags = [view.requires_grad for view in (first, second, third)]
    third.requires_grad_(True)
    (first * second * third).sum().backward()
    return flags, [view.is_leaf for view in (first, second, third)], first.grad, second.grad, third.grad, seen


@behaviours("D09: and that its base was written to is known when that needs a gradient once more")
def _(F):
    base = F.tensor([[2.0, 3.0], [4.0, 5.0]])
    first, second = base.unbind()
    second.requires_grad_(True)
    base.requires_grad_(True)
    with F.no_grad():
        base.mul_(2.0)
    base.requires_grad_(False)
    second.requires_grad_(False)
    before = first.is_leaf, second.is_leaf, second.requires_grad
    base.requires_grad_(True)
    return before, [view.requires_grad for view in (first, second)], tried(lambda: first.is_leaf)


@behaviours("D11: a result that was detached in place, and then written to, is a result again")
def _(F):
    y, w = grid(F) * 1, number(F)
    y.detach_()
    before = y.requires_grad_(False).is_leaf
    y.mul_(w)
    try:
        y.requires_grad_(False)
    except RuntimeError as error:
        return before, y.is_leaf, str(error)[:50], gradients(F, y, w)
    raise AssertionError("it was a leaf")


@behaviours("D15: a view that keeps its gradient says so after its base was written to, too")
def _(F):
    y = grid(F) * 1
    row = y[0]
    row.retain_grad()
    y.mul_(2.0)
    return row.retains_grad, name(row.grad_fn), row.retains_grad


test_as_in_torch = behaviours.test()


for times in (2, 3):

    @behaviours(f"D10: a view whose base was written to is {times} inputs of one operation")
    def _(F, times=times):
        x = grid(F)
        y = x * 1
        row = y[0]
        y.mul_(2.0)
        result = row * row if times == 2 else F.stack([row] * times)
        return state(result, row), gradients(F, result, x)

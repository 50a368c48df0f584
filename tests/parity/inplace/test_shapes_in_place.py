"""t_, transpose_, squeeze_, unsqueeze_: the tensor is another view of its memory afterwards (D05)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.inplace.effects import LEAF, OVERWRITTEN, gradients, graph, grid, second, state, tried, weights
from side_by_side import Behaviours

behaviours = Behaviours()


RESHAPED: dict[str, Callable[[Any], Any]] = {
    "t_()": lambda t: t.t_(),
    "swapaxes_(0, 1)": lambda t: t.swapaxes_(0, 1),
    "transpose_(0, 1)": lambda t: t.transpose_(0, 1),
    "transpose_(-1, -1)": lambda t: t.transpose_(-1, -1),
    "squeeze_()": lambda t: t.squeeze_(),
    "squeeze_(0)": lambda t: t.squeeze_(0),
    "unsqueeze_(0)": lambda t: t.unsqueeze_(0),
    "unsqueeze_(-1)": lambda t: t.unsqueeze_(-1),
}


def reshaped(text: str, write: Callable[[Any], Any]) -> None:
    @behaviours(f"D05: {text} changes the shape of a result, which keeps its numbers")
    def _(F):
        x = grid(F)
        y = x * 1
        return write(y) is y, y.shape, state(y), graph(y), gradients(F, y, x), second(F, y, x)

    @behaviours(f"D05: {text} on one row")
    def _(F):
        x = F.tensor([[1.0, 2.0]], requires_grad=True)
        y = x * 1
        write(y)
        y.mul_(3.0)
        return y.shape, state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D04: {text} is a write like others to what counts")
    def _(F):
        y = F.ones(1, 2)
        other = y[0]
        write(y)
        y.add_(1)
        return y.shape, state(y, other)

    @behaviours(f"D01: {text} on a leaf that requires grad is refused", error=RuntimeError, says=LEAF)
    def _(F):
        write(grid(F))

    @behaviours(f"D01: {text} on a leaf under no_grad gives it another shape")
    def _(F):
        x = F.ones(1, 2, requires_grad=True)
        with F.no_grad():
            write(x)
        (x * x).sum().backward()
        return state(x), x.shape, x.grad

    @behaviours(f"D05: {text} on a view changes the view alone")
    def _(F):
        x = grid(F)
        y = x * 1
        part = y[:1, 1:]
        write(part)
        part.mul_(weights(F, part))
        return part.shape, state(y, part), graph(part), gradients(F, y, x), gradients(F, part, x)

    @behaviours(f"D02: {text} of a saved tensor is found")
    def _(F):
        x, w = grid(F), grid(F)
        y = x * 1
        z = y * w
        write(y)
        return tried(lambda: gradients(F, z, w), f"{OVERWRITTEN}[torch.FloatTensor")


for text, write in RESHAPED.items():
    reshaped(text, write)


@behaviours(
    "D05: t_ is for two dimensions at most",
    error=RuntimeError,
    says="t_() expects a tensor with <= 2 dimensions, but self is 3D",
)
def _(F):
    F.ones(1, 2, 3).t_()


@behaviours(
    "D05: transpose_ checks its dimensions",
    error=IndexError,
    says="Dimension out of range (expected to be in range of [-2, 1], but got 2)",
)
def _(F):
    F.ones(2, 3).transpose_(0, 2)


test_as_in_torch = behaviours.test()

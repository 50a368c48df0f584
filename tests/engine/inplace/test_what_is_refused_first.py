"""A view that has lost its place in the graph is refused before its sizes are looked at (D09, D10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.side_by_side import Behaviours

behaviours = Behaviours()

LOST = "Output 0 of Unbind is a view and its base or another view of its base has been modified inplace."


def lost(F: Any) -> Any:
    """One of several views of a leaf that was written to since."""
    x = F.ones(2, 2, requires_grad=True)
    row = x.unbind(0)[0]
    with F.no_grad():
        x.zero_()
    return row


# Functions of one operation, and arguments that do not fit.
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda F, x: x.sum(5),
    "sum twice over a dim": lambda F, x: x.sum((0, 0)),
    "mean": lambda F, x: x.mean(5),
    "max": lambda F, x: x.max(5),
    "prod": lambda F, x: x.prod(5),
    "softmax": lambda F, x: x.softmax(5),
    "sort": lambda F, x: x.sort(5),
    "cumsum": lambda F, x: x.cumsum(5),
    "cat": lambda F, x: F.cat([F.ones(2), x], 5),
    "stack": lambda F, x: F.stack([F.ones(3), x]),
    "unsqueeze": lambda F, x: x.unsqueeze(5),
    "squeeze": lambda F, x: x.squeeze(5),
    "select": lambda F, x: x.select(0, 9),
    "unbind": lambda F, x: x.unbind(5),
    "split": lambda F, x: x.split(1, 5),
    "transpose": lambda F, x: x.transpose(0, 5),
    "permute": lambda F, x: x.permute(1, 0),
    "diagonal": lambda F, x: x.diagonal(),
    "view": lambda F, x: x.view(3),
    "reshape": lambda F, x: x.reshape(3),
    "expand": lambda F, x: x.expand(3),
    "a list of indices": lambda F, x: x[[9]],
    "gather": lambda F, x: x.gather(5, F.tensor([0])),
    "matmul": lambda F, x: x @ F.ones(3),
    "mm": lambda F, x: F.mm(x, x),
    "add": lambda F, x: x + F.ones(3),
    "add to": lambda F, x: F.ones(3) + x,
    "pow": lambda F, x: x ** F.ones(3),
    "where": lambda F, x: F.where(F.ones(3) > 0, x, x),
    "setitem": lambda F, x: F.ones(3).__setitem__(slice(0, 3), x),
    "setitem of a number": lambda F, x: F.ones(3).__setitem__(0, x),
    "add_": lambda F, x: F.ones(3).add_(x),
    "copy_": lambda F, x: F.ones(3).copy_(x),
}
# Functions made of others look at their own arguments first.
COMPOSED: dict[str, tuple[Callable[[Any, Any], Any], type[Exception], str]] = {
    "narrow": (lambda F, x: x.narrow(5, 0, 1), IndexError, "Dimension out of range"),
    "chunk": (lambda F, x: x.chunk(2, 5), IndexError, "Dimension out of range"),
    "flatten": (lambda F, x: x.flatten(3), IndexError, "Dimension out of range"),
    "an index": (lambda F, x: x[9], IndexError, "index 9 is out of bounds for dimension 0 with size 2"),
    "several indices": (lambda F, x: x[1, 1], IndexError, "too many indices for tensor of dimension 1"),
    "argmax": (lambda F, x: x.argmax(5), IndexError, "Dimension out of range"),
}


def place_first(name: str, call: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"D09: {name} of a lost view says so, whatever the arguments", error=RuntimeError, says=LOST)
    def _(F):
        call(F, lost(F))

    @behaviours(f"D09: {name} of a lost view, under no_grad, looks at the arguments")
    def _(F):
        x = lost(F)
        with F.no_grad():
            try:
                call(F, x)
            except Exception as error:
                return "lost" if "is a view" in str(error) else "arguments"


def arguments_first(name: str, call: Callable[[Any, Any], Any], error: type[Exception], says: str) -> None:
    @behaviours(f"D09: {name} of a lost view looks at the arguments first", error=error, says=says)
    def _(F):
        call(F, lost(F))


for name, call in OPERATIONS.items():
    place_first(name, call)
for name, (call, error, says) in COMPOSED.items():
    arguments_first(name, call, error, says)


@behaviours(
    "F05: that an inference tensor cannot be saved is said before memory is looked at",
    error=RuntimeError,
    says="Inference tensors cannot be saved for backward.",
)
def _(F):
    x = F.ones(3, requires_grad=True)
    with F.inference_mode():
        y = F.ones(3) * 2
    wide = (x * x).expand(2, -1)
    wide *= y


test_as_in_torch = behaviours.test()

"""What the tests of the page's side are made of."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from viz.cells import EXAMPLE, HOSTILE, STEPPED, cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.page.widget_picture import still_of


def page_examples() -> Iterator[tuple[str, dict[str, Any]]]:
    scope = cell(STEPPED)
    scope["s"].last()
    yield "example", as_model(scope["s"]) | {"stills": stills(scope["s"])}
    scope["s"].what_if(B=[5.0])
    yield "supposed", dict(scope["s"].whatif)
    scope = cell(EXAMPLE)
    hostile = viz.BackwardStepper(
        scope["F"], names=dict(zip(HOSTILE[:6], (scope[name] for name in "ABCDEF"), strict=True))
    )
    hostile.last()
    yield "hostile", as_model(hostile) | {"stills": stills(hostile)}
    scope = cell(
        "x = mg.ones(16, 8)\nw = mg.full((8, 12), 0.5, requires_grad=True)\n"
        "logits = x @ w\nloss = (logits * logits).mean()\n"
        "s = viz.BackwardStepper(loss)\ns.last()\n"
    )
    yield "large", as_model(scope["s"]) | {"stills": stills(scope["s"])}
    scope = cell(
        "x = mg.tensor([[1., 0., -1., 2.], [0.5, 3., 1., -2.]])\n"
        "W = mg.tensor([[1., 0., 2.], [0.5, -1., 1.], [0., 1., 1.], [-1., 0.5, 0.]], requires_grad=True)\n"
        "b = mg.tensor([1., 0.5, -6.], requires_grad=True)\n"
        "loss = (x @ W + b).norm()\n"
        "s = viz.BackwardStepper(loss)\ns.last()\n"
    )
    yield "cells", as_model(scope["s"])
    scope = cell(NETWORK)
    yield "network", as_model(scope["s"]) | {"walks": walks(scope["s"])}
    scope = cell(NETWORK.replace("Stepper(loss)", "Stepper(loss, forward=True)"))
    yield "grown", as_model(scope["s"]) | {"walks": walks(scope["s"])}
    yield "programs", {name: computed_once_more(lines) for name, lines in PROGRAMS.items()}


PROGRAMS = {  # of the kinds that a page computes itself
    "elementwise": "y = (x.exp() + x.sin() * x.cos() - x.tanh() / x.sigmoid() + x.abs().sqrt() - (-x).relu()).sum()",
    "numbers": "y = ((x * 2 + 1) / 3 - (1 - x) + 1 / (x * x + 1) + (x * x).log() + x.reciprocal()).sum()",
    "powers": "y = (x**3 + x**2 + x**-1 + x**0).sum()",
    "broadcast": "y = (x * v + c - x / (u * u + 1)).sum()",
    "sums": "y = (x.sum(0) * x.sum(1, keepdim=True)).mean() + x.mean(0).sum() + (x.mean(1, keepdim=True) * x).mean()",
    "matrices": "y = ((x @ w).tanh() @ x + x.T.mT).sum() + (x @ v).dot(x @ v) + (x.T @ x.transpose(0, 1).T).sum()",
    "linear": "y = (mg.nn.functional.linear(x, w.T, u.view(1)) - mg.nn.functional.linear(x, c)).sum()",
    "shapes": "y = (x.reshape(3, 2) * x.T).sum() + (x.permute(1, 0).flatten() * c.reshape(6)).sum()",
    "several gradients": "a = x * v\nb = a * a + a\ny = (a * b + x).sum() * u.sum()",
    "no scalar": "y = x * x + v",
}


def computed_once_more(lines: str) -> dict[str, Any]:
    """A program as the page gets it, with other numbers in its leaves, and what Python makes of these."""
    names = {
        "x": mg.tensor([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], dtype=mg.float64, requires_grad=True),
        "w": mg.tensor([[1.0, 2.0], [-0.5, 0.25], [3.0, -1.0]], dtype=mg.float64, requires_grad=True),
        "v": mg.tensor([2.0, -3.0, 0.5], dtype=mg.float64, requires_grad=True),
        "u": mg.tensor(0.75, dtype=mg.float64, requires_grad=True),
        "c": mg.tensor([[1.0, -2.0, 0.5], [3.0, 1.0, 2.0]], dtype=mg.float64),
    }
    y = cell(lines, **names)["y"]
    stepper = viz.BackwardStepper(y, gradient=None if y.ndim == 0 else names["c"].detach(), names=names)
    stepper.last()
    ids = {box.name: box.id for box in stepper.session.graph.boxes if box.kind == "leaf"}
    other = {name: names[name].detach().numpy() * -0.625 + 0.375 for name in ids}
    what = stepper.what_if(other)
    assert what is not None
    return {
        "program": stepper.picture["program"],
        "changes": {ids[name]: array.reshape(-1).tolist() for name, array in other.items()},
        "value": np.asarray(what.value).reshape(-1).tolist(),
        "grads": {ids[name]: grad.reshape(-1).tolist() for name, grad in what.grads.items()},
    }


NETWORK = """
class Net(mg.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.ReLU())
        self.head = mg.nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.body(x)) + x.sum()

mg.manual_seed(0)
net = Net()
loss = net(mg.ones(4, 2)).mean()
s = viz.BackwardStepper(loss)
s.last()
"""


def as_model(stepper: Any) -> dict[str, Any]:
    return {"picture": stepper.picture, "recorded": stepper.recorded}


def stills(stepper: Any) -> list[str]:
    """The first and the last frame as images, which have the same boxes as the page."""
    shown = stepper.session.graph, stepper.session.groups, stepper.picture["open"]
    return [still_of(*shown, stepper.frames[index]) for index in (0, -1)]


def walks(stepper: Any) -> list[dict[str, Any]]:
    """Where step over and step out lead from each frame, with all groups open, with all closed, and with some."""
    groups = [group.id for group in stepper.session.groups]
    found = []
    for shown in (groups, [], groups[:1], groups[:2]):
        stepper.session.open = shown
        walk: dict[str, Any] = {"open": shown, "over": [], "overBack": [], "out": [], "outBack": []}
        for frame in (*stepper.session.forward, *stepper.frames):
            for name in ("over", "out"):
                for back in (False, True):
                    stepper.session._show(frame.index)
                    getattr(stepper, name)(back=back)
                    walk[name + "Back" * back].append(stepper.index)
        found.append(walk)
    return found


def test_the_examples_of_the_js_tests_are_what_python_makes() -> None:
    """tests/js/examples.json feeds tests/js/stepper.test.mjs.

    To make it anew: PYTHONPATH=.:tests python tests/viz/test_page_examples.py
    """
    stored = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(dict(page_examples()))) == stored


EXAMPLES = Path(__file__).parents[1] / "js" / "examples.json"

if __name__ == "__main__":
    EXAMPLES.write_text(json.dumps(dict(page_examples()), ensure_ascii=True, indent=1) + "\n", encoding="utf-8")

"""What the tests of the page's side are made of."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cells import EXAMPLE, HOSTILE, STEPPED, cell

from minigrad import viz


def page_examples() -> Iterator[tuple[str, dict[str, Any]]]:
    scope = cell(STEPPED)
    scope["s"].last()
    yield "example", as_model(scope["s"])
    scope = cell(EXAMPLE)
    hostile = viz.BackwardStepper(
        scope["F"], names=dict(zip(HOSTILE[:6], (scope[name] for name in "ABCDEF"), strict=True))
    )
    hostile.last()
    yield "hostile", as_model(hostile)
    scope = cell(
        "x = mg.ones(16, 8)\nw = mg.full((8, 4), 0.5, requires_grad=True)\n"
        "logits = x @ w\nloss = (logits * logits).mean()\n"
        "s = viz.BackwardStepper(loss)\ns.last()\n"
    )
    yield "large", as_model(scope["s"])
    scope = cell(NETWORK)
    yield "network", as_model(scope["s"]) | {"walks": walks(scope["s"])}
    scope = cell(NETWORK.replace("Stepper(loss)", "Stepper(loss, forward=True)"))
    yield "grown", as_model(scope["s"]) | {"walks": walks(scope["s"])}


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


def walks(stepper: Any) -> list[dict[str, Any]]:
    """Where step over and step out lead from each frame, with all groups open, with all closed, and with some."""
    groups = [group.id for group in stepper._groups]
    found = []
    for shown in (groups, [], groups[:1], groups[:2]):
        stepper._open = shown
        walk: dict[str, Any] = {"open": shown, "over": [], "overBack": [], "out": [], "outBack": []}
        for frame in (*stepper._forward, *stepper.frames):
            for name in ("over", "out"):
                for back in (False, True):
                    stepper._show(frame.index)
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

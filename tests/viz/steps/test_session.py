"""A session walks without Jupyter, and tells its listener of all that changes, also where that is stopped half way."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz
from minigrad.viz.page.widget_source import static
from minigrad.viz.sources import snapshot_of
from minigrad.viz.steps.session import Listener, Session

# The package itself names what the widget needs; below it nothing of steps/ may need that.
WITHOUT_JUPYTER = """
import importlib.machinery, json, sys, types
from pathlib import Path

for name in ("anywidget", "ipywidgets", "traitlets", "IPython", "ipykernel", "graphviz"):
    sys.modules[name] = None  # which lets its import fail

import minigrad as mg
from minigrad.autograd.modes import set_node_observer

viz = sys.modules["minigrad.viz"] = types.ModuleType("minigrad.viz")
viz.__path__ = [str(Path(mg.__file__).parent / "viz")]
from minigrad.viz.graph.observer import observe
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.steps.session import Session

set_node_observer(observe)
w = mg.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
z = y * y
loss = z.sum()
s = Session(snapshot(MinigradSource(loss), {"w": w, "y": y, "z": z, "loss": loss}))
seen = []


def see():
    seen.append([s.index, s.frame.name, None if w.grad is None else w.grad.tolist()])


for _ in range(5):
    s.next()
    see()
s.back()
see()
s.first()
s.break_at("z")
s.break_when("g.max() > 10")
s.run()
see()
s.run()
see()
stopped = s.stopped.why
made = s.what_if(w=[5.0, 6.0])
nudged = s.nudge("w", cell=1)
s.run_to("w")
see()
result = {
    "seen": seen,
    "stopped": stopped,
    "what if": [float(made.value), made.grads["w"].tolist()],
    "nudge": [nudged.before, nudged.grad],
    "repr": repr(s),
    "trace": s.trace().splitlines()[0],
    "loaded": sorted(name for name in sys.modules if name.startswith(("minigrad.viz.page", "minigrad.viz.stepper"))),
}
s.close()
print(json.dumps(result))
"""


def test_a_session_walks_where_jupyter_cannot_be_imported() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_JUPYTER], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert result["seen"] == [
        [1, "loss", None],
        [2, "z", None],
        [3, "y", None],
        [4, "w", [18.0, 36.0]],
        [4, "w", [18.0, 36.0]],
        [3, "y", None],
        [2, "z", None],
        [3, "y", None],
        [4, "w", [18.0, 36.0]],
    ]
    assert result["stopped"] == "Stopped at a breakpoint: g.max() > 10."
    assert result["what if"] == [9 * 61.0, [90.0, 108.0]]
    assert result["nudge"] == [45.0, 36.0]
    assert result["repr"] == "Session of loss: step 4 of 4, the pass is over"
    assert result["trace"] == "backward from loss: 4 steps, 4 run, step 4 shown"
    assert result["loaded"] == []


class Noting(Listener):
    """Notes what it is told, and is stopped when it is told for the nth time."""

    def __init__(self, session: Session) -> None:
        self.session, self.told, self.uses, self.stop_at = session, list[Any](), 0, -1
        session.listener = self

    @contextmanager
    def changing(self) -> Any:
        self.uses += 1
        yield

    def on_change(self) -> None:
        self.stop_at -= 1
        if self.stop_at == 0:
            raise KeyboardInterrupt
        self.told.append((self.session.index, len(self.session.frames), self.session.finished))

    def breaks_changed(self) -> None:
        self.told.append(self.session.breaks)

    def show_what_if(self, made: Any) -> None:
        self.told.append(made)


def walked(hook: Any = None) -> tuple[Noting, Any]:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    loss = y.sum()
    if hook is not None:
        y.register_hook(hook)
    session = Session(snapshot_of(loss, {"w": w, "y": y, "loss": loss}), namespace={"w": w})
    return Noting(session), w


def changes(listener: Noting) -> list[Any]:
    """What it was told since it was asked last, each once."""
    told, listener.told = listener.told, []
    return [one for place, one in enumerate(told) if one != (told[place - 1] if place else None)]


def test_a_listener_is_told_of_each_step_forward_and_back() -> None:
    listener, w = walked()
    listener.session.last()
    assert changes(listener) == [(0, 1, False), (1, 2, False), (2, 3, False), (3, 4, True)]
    listener.session.back()
    assert changes(listener) == [(2, 4, True)]
    assert w.grad is None


def test_a_listener_is_told_of_breakpoints_and_of_other_numbers() -> None:
    listener, _ = walked()
    s = listener.session
    s.break_at("y")
    s.clear_breaks()
    s.replace_breaks([{"when": "nan"}])
    assert changes(listener) == [[{"box": s.graph.box_named("y").id}], [], [{"when": "nan"}]]
    made = s.what_if(w=[3.0, 4.0])
    assert made is not None
    assert made.value == 21.0
    assert made in listener.told
    s.what_if()
    assert changes(listener)[-2:] == [None, (0, 1, False)]


def test_a_listener_is_told_of_a_failure_and_of_what_others_have_changed() -> None:
    def fail(g: Any) -> None:
        raise ValueError("no")

    listener, w = walked(fail)
    s = listener.session
    with pytest.raises(ValueError, match="no"):
        s.last()
    assert changes(listener)[-1] == (2, 3, False)
    assert s.frame.failed
    assert isinstance(s.failure, ValueError)
    w.data[0] = 7.0
    s.look()
    assert [told["text"] for told in s.now.values()] == ["[7, 2]"]
    assert changes(listener) == [(2, 3, False)]
    assert s.outdated == ""
    failure = s.failure
    s.close()
    assert s.failure is failure


def test_all_of_a_step_is_one_use() -> None:
    listener, _ = walked()
    listener.session.last()
    assert listener.uses == 1
    listener.session.look()
    assert listener.uses == 1  # others did nothing


@pytest.mark.parametrize("stop_at", range(1, 7))
def test_a_listener_that_was_stopped_is_told_again(stop_at: int) -> None:
    listener, w = walked()
    listener.stop_at = stop_at
    try:
        listener.session.last()
    except KeyboardInterrupt:
        s = listener.session
        missed = (s.index, len(s.frames), s.finished)
        told = listener.told[-1:] if s.index else [missed]  # stopped before the first step, nothing is new
        assert told == [missed]
        s.last()
    assert changes(listener)[-1] == (3, 4, True)
    assert w.grad.tolist() == [3.0, 3.0]


def test_a_long_way_from_an_earlier_frame_begins_where_the_engine_stands() -> None:
    a, b = (mg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = a * 3
    s = Session(snapshot_of((y * b).sum(), {"a": a, "b": b, "y": y}))
    s.run_to("b")
    s.first()
    assert b.grad is None
    with s.stepping():
        s.go(s.frame.total)
    assert (a.grad.tolist(), b.grad.tolist()) == ([3.0, 6.0], [3.0, 6.0])


def test_a_session_and_the_widget_have_one_walk() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    stepper = viz.BackwardStepper((x * x).sum(), names={"x": x})
    assert stepper.next() is stepper.session.frame
    stepper.session.last()
    assert (stepper.index, stepper.finished, len(stepper.recorded)) == (3, True, len(stepper.frames))
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])
    for name in ("next", "back", "over", "out", "first", "last", "run", "run_to", "what_if", "nudge", "break_when"):
        assert getattr(viz.BackwardStepper, name).__doc__ == getattr(Session, name).__doc__ is not None


@pytest.mark.parametrize(
    "name",
    ["next", "back", "over", "out", "first", "last", "go", "run", "run_until", "run_to_box", "leave", "start_of"]
    + ["start", "frame", "breaks", "break_when"],
)
def test_the_pages_player_has_the_same_names(name: str) -> None:
    first, *more = name.split("_")
    of_the_page = first + "".join(word.capitalize() for word in more)
    assert hasattr(Session, name)
    assert re.search(rf"^  (get )?{of_the_page}\(", static("player.mjs"), re.MULTILINE)

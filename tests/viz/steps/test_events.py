"""What happens around the steps: hooks, saved tensors, versions, NaN, failures; each is in the frame and in trace()."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viz.cells import HOSTILE, STEPPED, cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import values
from minigrad.viz.steps.events import KINDS, Event

STATIC = Path(viz.__file__).parent / "static"
LEAVES = "x = mg.tensor([1., 2.], requires_grad=True)\nw = mg.tensor([3., 4.], requires_grad=True)\n"


def stepped(text: str, error: type[BaseException] | None = None) -> tuple[Any, list[Event]]:
    """The stepper `s` of a cell, run to its end, and all events."""
    stepper = cell(text)["s"]
    if error is None:
        stepper.last()
    else:
        with pytest.raises(error):
            stepper.last()
    return stepper, events_of(stepper)


def events_of(stepper: Any) -> list[Event]:
    """All events so far; each must be in trace(), in the words that the page gets, and of a known kind."""
    events = [event for frame in stepper.frames for event in frame.events]
    sent = [event for text in stepper.recorded for event in json.loads(text)["events"]]
    assert [event.to_json() for event in events] == sent
    trace = stepper.trace()
    for event in sent:
        assert event["kind"] in KINDS
        assert event["node"] in {box.id for box in stepper.session.graph.boxes}
        assert " ".join(event["text"].replace("⏎", " ").split()) in " ".join(trace.replace("⏎", " ").split())
        assert event["line"] is None or event["line"][2] in trace
    return events


def brief(events: list[Event], kind: str) -> list[tuple[Any, ...]]:
    return [
        (event.before and event.before.text, event.after and event.after.text, event.line and event.line[2])
        for event in events
        if event.kind == kind
    ]


def test_each_kind_has_a_name_a_sign_and_a_line_in_the_legend_of_the_page() -> None:
    """The page shows a plain ring for a kind that it does not know, and nothing beside it."""
    for file, table in (("marks.mjs", "EVENTS"), ("legend.mjs", "WHAT_EVENTS_SAY")):
        text = (STATIC / file).read_text(encoding="utf-8")
        (rows,) = re.findall(rf"^(?:export )?const {table} = {{$(.+?)^}};$", text, re.MULTILINE | re.DOTALL)
        kinds = re.findall(r"^  (\w+): ", rows, re.MULTILINE)
        assert {*kinds} ^ {*KINDS} == set(), f"{table} of viz/static/{file} has a row for each of KINDS in events.py"


# ---------------------------------------------------------------- hooks


def test_a_tensor_hook_is_seen_with_what_it_changed() -> None:
    stepper, events = stepped(
        LEAVES
        + "y = x * w\ndef ten(g):\n    return g * 10\n"
        + "y.register_hook(ten)\ny.register_hook(lambda g: None)\ns = viz.BackwardStepper(y.sum())\n"
    )
    assert brief(events, "tensor_hook") == [
        ("[1, 1]", "[10, 10]", "def ten(g):"),
        ("[10, 10]", "[10, 10]", "y.register_hook(lambda g: None)"),
    ]
    first, second = (event for event in events if event.kind == "tensor_hook")
    assert (first.title, first.difference) == ("hook ten on y", "[+9, +9]")
    assert first.text == "The tensor hook ten changed the gradient of y from [1, 1] to [10, 10]."
    assert second.text == "The tensor hook (lambda) looked at the gradient of y, [10, 10], and changed nothing."
    key = stepper.session.graph.box_named("y").id
    assert [frame.grads[key] for frame in stepper.frames[1:3]] == ["[1, 1]", "[10, 10]"]
    assert stepper.frames[2].differences == {key: "[+9, +9]"}


def test_what_a_step_changes_of_a_large_gradient_is_a_heat_map() -> None:
    stepper, events = stepped(
        "x = mg.ones(8, requires_grad=True)\ny = x * 2\ny.register_hook(lambda g: g * 10)\n"
        "s = viz.BackwardStepper((y * y).sum())\n"
    )
    key = stepper.session.graph.box_named("y").id
    maps = [frame.difference_maps for frame in stepper.frames]
    joined = next(frame for frame in stepper.frames if frame.difference_maps)
    assert joined.difference_maps == {key: values.difference(np.zeros(8), np.ones(8))[1]}
    assert joined.to_json(None)["difference_maps"] == dict(joined.difference_maps)
    assert not any(maps[: joined.index])
    hook = next(event for event in events if event.kind == "tensor_hook")
    assert hook.difference_map == values.difference(np.zeros(8), np.ones(8))[1]
    assert hook.to_json()["after"]["difference_map"] == hook.difference_map


def test_a_hook_that_writes_into_the_gradient_is_seen() -> None:
    _, events = stepped(
        LEAVES + "y = x * w\ny.register_hook(lambda g: g.mul_(3))\ns = viz.BackwardStepper((y * 1).sum())\n"
    )
    assert [(before, after) for before, after, _ in brief(events, "tensor_hook")] == [("[1, 1]", "[3, 3]")]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ("g + 0", "looked at the gradient of y, [NaN, 1], and changed nothing."),
        ("g * mg.tensor([1., nan])", "changed the gradient of y from [NaN, 1] to [NaN, NaN]."),
    ],
)
def test_a_nan_that_a_hook_leaves_is_no_change_and_one_that_it_makes_is(left: str, told: str) -> None:
    _, events = stepped(
        f"nan = float('nan')\n{LEAVES}y = x * w\ny.register_hook(lambda g: {left})\n"
        "s = viz.BackwardStepper((y * mg.tensor([nan, 1.])).sum())\n"
    )
    assert [event.text for event in events if event.kind == "tensor_hook"] == [f"The tensor hook (lambda) {told}"]


def test_prehooks_and_hooks_of_a_node_and_the_rules_own_numbers() -> None:
    stepper, events = stepped(
        LEAVES
        + "y = x * w\ny.grad_fn.register_prehook(lambda g: (g[0] * -1,))\n"
        + "y.grad_fn.register_hook(lambda after, before: (after[0] * 2, after[1]))\n"
        + "s = viz.BackwardStepper(y.sum())\n"
    )
    assert [pair[:2] for pair in brief(events, "node_prehook")] == [("[1, 1]", "[-1, -1]")]
    assert [pair[:2] for pair in brief(events, "node_hook")] == [("[-3, -4]", "[-6, -8]")]
    frame = stepper.frames[2]
    (to_x, to_w) = frame.contributions
    assert to_x.numbers[0][1] == "[-1, -1] × [3, 4] = [-3, -4]"
    assert to_x.numbers[1][:2] == ("a hook changed that to ", "[-6, -8]")
    assert (to_x.value.text, len(to_w.numbers), to_w.value.text) == ("[-6, -8]", 1, "[-1, -2]")


def test_a_hook_of_a_node_that_gives_no_gradient_is_told_for_the_input_that_gets_none() -> None:
    hook = "y.grad_fn.register_hook(lambda after, before: (after[0] * 2, None))\n"
    _, events = stepped(f"{LEAVES}y = x * w\n{hook}s = viz.BackwardStepper(y.sum())\n")
    assert [pair[:2] for pair in brief(events, "node_hook")] == [("[3, 4]", "[6, 8]"), ("[1, 2]", None)]


def test_retain_grad_and_post_accumulate_hooks() -> None:
    stepper, events = stepped(
        LEAVES
        + "y = x * w\ny.retain_grad()\n"
        + "def descend(p):\n    with mg.no_grad():\n        p -= 0.5 * p.grad\n    p.grad = None\n"
        + "x.register_post_accumulate_grad_hook(descend)\nw.register_post_accumulate_grad_hook(lambda p: None)\n"
        + "s = viz.BackwardStepper(y.sum())\n"
    )
    assert brief(events, "retain_grad") == [(None, "[1, 1]", None)]
    assert brief(events, "post_accumulate") == [
        ("[3, 4]", None, "def descend(p):"),
        ("[1, 2]", "[-0.5, 0]", "def descend(p):"),
        ("[1, 2]", "[1, 2]", "w.register_post_accumulate_grad_hook(lambda p: None)"),
    ]
    assert "x.grad becomes [3, 4]." in stepper.frames[3].spoken
    assert stepper.frames[3].grads[stepper.session.graph.box_named("x").id] == "None"


def test_a_hook_that_walks_another_stepper_hides_no_hook_behind_it() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    other = viz.BackwardStepper((w * 2).sum(), names={"w": w})
    y = w * 3
    y.register_hook(lambda g: None if other.last() else g)
    y.register_hook(lambda g: g * 2)
    s = viz.BackwardStepper(y.sum(), names={"w": w, "y": y})
    s.last()
    assert [event.kind for frame in s.frames for event in frame.events].count("tensor_hook") == 2


def test_hooks_of_other_graphs_are_not_told_and_the_witness_is_gone_afterwards() -> None:
    scope = cell(
        LEAVES
        + "other = (w * 2).sum()\nother.register_hook(lambda g: g * 1)\n"
        + "def inner(g):\n    other.backward()\n"
        + "y = x * x\ny.register_hook(inner)\ns = viz.BackwardStepper(y.sum())\n"
    )
    scope["s"].last()
    assert [event.title for event in events_of(scope["s"]) if "hook" in event.kind] == ["hook inner on y"]
    assert mg.autograd.modes.thread.witness is None


@pytest.mark.parametrize("make", ["functools.partial(scale, by=2)", "Scale()", "Scale().method", "print"])
def test_hooks_of_any_make_have_a_name(make: str) -> None:
    _, events = stepped(
        "import functools\n"
        + LEAVES
        + "def scale(g, by):\n    return g * by\n"
        + "class Scale:\n    def __call__(self, g):\n        return g * 2\n"
        + "    def method(self, g):\n        return g * 2\n"
        + f"y = x * w\ny.register_hook({make})\ns = viz.BackwardStepper(y.sum())\n"
    )
    (event,) = [event for event in events if event.kind == "tensor_hook"]
    name = {"functools.partial(scale, by=2)": "scale", "Scale()": "Scale", "Scale().method": "method"}.get(make, make)
    assert event.title == f"hook {name} on y"
    assert (event.line is None) == (make == "print")


# ---------------------------------------------------------------- saved tensors


def test_saved_tensors_are_freed_or_kept() -> None:
    code = LEAVES + "y = x * w\ns = viz.BackwardStepper(y.sum(), retain_graph={})\n"
    stepper, events = stepped(code.format(False))
    (told,) = [line for line in stepper.frames[2].story if line.text == "its saved tensors x and w are freed"]
    assert told.why  # that is how things go: told to those who ask, and no event
    assert not [event for event in events if event.kind == "freed"]
    assert not [event for event in events if event.kind == "saved"]
    _, events = stepped(code.format(True))
    assert [event.text for event in events if event.kind == "saved"] == [
        "the graph is retained: MulBackward0 keeps x and w for another pass"
    ]
    assert not [event for event in events if event.kind == "freed"]


def test_packed_tensors_are_not_unpacked_by_looking_and_their_numbers_stand_in_the_rule() -> None:
    stepper, events = stepped(
        LEAVES
        + "calls = []\n"
        + "def half(t):\n    return t.numpy().astype('float16')\n"
        + "def whole(a):\n    calls.append(1)\n    return mg.tensor(a.astype('float32'))\n"
        + "with mg.autograd.graph.saved_tensors_hooks(half, whole):\n    y = x * w\n"
        + "loss = y.sum()\nviz.draw(loss)\nviz.make_dot(loss, show_saved=True)\ns = viz.BackwardStepper(loss)\n"
        + "assert not calls\n"
    )
    packed = [event for event in events if event.kind == "packed"]
    assert [(event.title, event.after.dtype) for event in packed if event.after] == [
        ("x is packed by half", "float16"),
        ("w is packed by half", "float16"),
    ]
    assert [event.line[2] for event in events if event.kind == "unpacked" and event.line] == ["def whole(a):"] * 2
    (to_x, _) = stepper.frames[2].contributions
    assert to_x.numbers[0][1] == "[1, 1] × [3, 4] = [3, 4]"


def test_a_recorded_backward_tells_what_it_packs() -> None:
    _, events = stepped(
        LEAVES + "y = x * w\ndef keep(t): return t\nhooks = mg.autograd.graph.saved_tensors_hooks(keep, keep)\n"
        "s = viz.BackwardStepper(y.sum(), create_graph=True)\nwith hooks:\n    s.next()\n    s.next()\n"
    )
    begin = "MulBackward0, which the recorded rule of MulBackward0 made, saves"
    assert [event.text for event in events if event.kind == "packed"] == [
        f"{begin} [1, 1]; the pack hook keep put [1, 1] in its place.",
        f"{begin} [1, 1]; the pack hook keep put [1, 1] in its place.",
    ]


def test_a_recorded_backward_unpacks_what_the_learner_calls_by_name() -> None:
    _, events = stepped(
        LEAVES + "def keep(t): return t\nwith mg.autograd.graph.saved_tensors_hooks(keep, keep):\n    y = x * w\n"
        "s = viz.BackwardStepper(y.sum(), create_graph=True)\n"
    )
    assert [event.text for event in events if event.kind == "unpacked"] == [
        "MulBackward0 needs w; the unpack hook keep made [3, 4] of [3, 4].",
        "MulBackward0 needs x; the unpack hook keep made [1, 2] of [1, 2].",
    ]


ON_A_LEAFS_NODE = """
def look(leaving, arriving): assert leaving == ()
y = x * w
y.grad_fn.next_functions[0][0].register_hook(look)
s = viz.BackwardStepper(y.sum())
"""


def test_a_hook_of_a_leafs_own_node_is_told() -> None:
    _, events = stepped(LEAVES + ON_A_LEAFS_NODE)
    (event,) = [event for event in events if event.kind == "node_hook"]
    assert event.text == (
        "The node hook look ran after AccumulateGrad and saw what x received, [3, 4]. A leaf sends nothing on, so "
        "there is nothing for it to change."
    )
    assert event.line is not None
    assert event.line[2] == "def look(leaving, arriving): assert leaving == ()"


def test_a_used_graph_is_shown_with_what_is_gone() -> None:
    text = LEAVES + "y = x * w\nloss = y.sum()\nloss.backward()\ns = viz.BackwardStepper(loss)\n"
    stepper, events = stepped(text, RuntimeError)
    gone = [event for event in events if event.kind == "freed"]
    assert gone[0].text.startswith("MulBackward0, which made y, has no saved tensors any more")
    assert "freed x and w" in gone[0].text
    assert gone[1].text == "what MulBackward0 of y had saved is gone: x and w"
    assert stepper.session.graph.box_named("y").freed == ("self", "other")
    assert stepper.picture["boxes"][stepper.session.graph.box_named("y").id]["freed"] is True
    assert stepper.frame.failed


def test_pruned_boxes_are_told() -> None:
    scope = cell(LEAVES + "y = x * x\nz = w * w\nloss = (y * z).sum()\ns = viz.BackwardStepper(loss, inputs=[w])\n")
    boxes = scope["s"].picture["boxes"].values()
    assert [event.title for event in events_of(scope["s"])] == ["x is pruned", "y is pruned"]
    assert [box["name"] for box in boxes if box["pruned"]] == ["x", "y"]


# ---------------------------------------------------------------- versions


@pytest.mark.parametrize("write", ["y[0] = 5", "y += 1", "y.mul_(2)"])
def test_a_write_to_a_saved_tensor_names_both_versions_and_the_line(write: str) -> None:
    stepper, events = stepped(
        LEAVES + f"y = x * 2\nloss = (y * y).sum()\ns = viz.BackwardStepper(loss)\ns.next()\n{write}\n", RuntimeError
    )
    (event,) = [event for event in events if event.kind == "version_mismatch"]
    assert event.text.startswith("MulBackward0 of t0 saved y at version 0, and needs it as it was then; it is at")
    assert "version 1" in event.text
    assert event.line == ("your cell", 7, write)
    assert (event.before and event.before.text) == "[2, 4]"
    assert event.difference
    assert stepper.frame.states[event.node].state == "failed"


def test_a_write_before_the_picture_is_told_at_once() -> None:
    scope = cell(LEAVES + "y = x * 2\nz = y * y\ny[0] = 5\ns = viz.BackwardStepper(z.sum())\n")
    (event,) = events_of(scope["s"])
    assert event.kind == "version_mismatch"
    assert "at version 0; it was written to since and is at version 1" in event.text


def test_versions_stand_on_the_boxes() -> None:
    graph = cell(LEAVES + "y = x * 2\ny[0] = 5\nz = y * y\nd = viz.draw(z.sum())\n")["d"].graph
    box = graph.box_named("y")
    assert (box.expression, box.version, box.saved_version) == ("y[0] = 5", 1, 1)
    assert graph.box_named("x").version == 0


# ---------------------------------------------------------------- NaN


def test_the_way_of_the_first_nan_backward() -> None:
    _, events = stepped(
        "x = mg.tensor([0., 2.], requires_grad=True)\na = x * 2\ny = a.sqrt()\n"
        "s = viz.BackwardStepper((y * 0.).sum())\n"
    )
    told = [(event.title, event.text) for event in events if event.kind == "anomaly"]
    assert told[0][0] == "first NaN of the pass"
    assert told[0][1].startswith("No NaN came in to SqrtBackward0 of y, and one went out, to a")
    assert told[1:] == [("a NaN goes on", "A NaN goes on from a to x.")]


def test_the_way_of_the_first_nan_forward() -> None:
    stepper = cell(
        "x = mg.tensor([-1., 2.], requires_grad=True)\ny = x.log()\ns = viz.BackwardStepper((y * 2.).sum())\n"
    )["s"]
    (event,) = events_of(stepper)
    assert event.text == (
        "y is the first value of the forward pass that holds a NaN, first at [0]: x.log(). "
        "From there it went on to t0 and t1."
    )
    assert event.line == ("your cell", 2, "y = x.log()")


def test_a_nan_that_begins_in_the_pass_is_told_though_another_was_there_in_the_forward_pass() -> None:
    _, events = stepped(
        "x = mg.tensor([0., -1.], requires_grad=True)\nroot = x.sqrt()\n"
        "chosen = mg.where(x > 0, root, mg.zeros(2))\ns = viz.BackwardStepper(chosen.sum())\n"
    )
    told = [(event.title, event.text) for event in events if event.kind == "anomaly"]
    assert [title for title, _ in told] == ["first NaN of the forward pass", "first NaN of the pass"]
    assert told[1][1].startswith("No NaN came in to SqrtBackward0 of root, and one went out, to x")


def test_an_anomaly_fails_at_its_node_and_shows_the_rule() -> None:
    with pytest.warns(UserWarning, match="Error detected in SqrtBackward0"), np.errstate(all="ignore"):
        stepper, events = stepped(
            "x = mg.tensor([0., 2.], requires_grad=True)\nmg.autograd.set_detect_anomaly(True)\ny = x.sqrt()\n"
            "s = viz.BackwardStepper((y * 0.).sum())\nmg.autograd.set_detect_anomaly(False)\n",
            RuntimeError,
        )
    (event,) = [event for event in events if event.kind == "anomaly"]
    assert event.line == ("your cell", 3, "y = x.sqrt()")
    assert event.text == "No NaN came in to SqrtBackward0 of y, and one came out, for x."
    (item,) = stepper.frame.contributions
    assert item.formula == "g / (2·y)"
    assert item.numbers[0][1] == "[0, 0] / (2·[0, 1.414]) = [NaN, 0]"
    assert stepper.frame.states[event.node].state == "failed"


# ---------------------------------------------------------------- failures


def test_the_text_of_an_error_keeps_its_lines_on_the_page_and_where_it_is_spoken() -> None:
    scope = cell(
        LEAVES
        + "def check(g):\n    raise ValueError('too large:\\n  10')\n"
        + "y = x * w\ny.register_hook(check)\ns = viz.BackwardStepper(y.sum())\n"
    )
    with pytest.raises(ValueError, match="too large"):
        scope["s"].last()
    frame = scope["s"].frame
    (sent,) = (event.to_json() for event in frame.events if event.kind == "error")
    assert sent["text"] == "too large:\n  10"
    assert "too large:\n  10." in frame.spoken


def test_a_hook_that_raises_half_way() -> None:
    scope = cell(
        LEAVES
        + "def check(g):\n    raise ValueError('too <b>large</b>')\n"
        + "y = x * 2\ny.register_hook(check)\nloss = (y * w).sum()\ns = viz.BackwardStepper(loss)\n"
    )
    stepper = scope["s"]
    stepper.run_to("w")
    kept = scope["w"].grad.tolist()
    with pytest.raises(ValueError, match="too <b>large"):
        stepper.last()
    frame = stepper.frame
    assert frame.failed
    assert (frame.box, frame.states[frame.box].state) == (stepper.session.graph.box_named("y").id, "failed")
    hook, error = frame.events
    assert (hook.kind, hook.after) == ("tensor_hook", None)
    assert hook.text == "The tensor hook check got [3, 4], the gradient of y, and raised ValueError: too <b>large</b>."
    assert (error.kind, error.title) == ("error", "ValueError")
    assert error.line == ("your cell", 4, "raise ValueError('too <b>large</b>')")
    assert scope["w"].grad.tolist() == kept
    with pytest.raises(RuntimeError, match="this pass cannot go on: its last step failed with ValueError"):
        stepper.next()
    assert stepper.back().index == frame.index - 1
    assert stepper.first().index == 0
    assert scope["w"].grad is None
    stepper.request = {"to": frame.index, "nth": 1}
    assert scope["w"].grad.tolist() == kept
    assert stepper.frame.failed


def test_a_step_that_is_stopped_before_it_is_written_down_has_not_been(monkeypatch: pytest.MonkeyPatch) -> None:
    scope = cell(STEPPED)
    stepper, leaf = scope["s"], scope["B"]
    stepper.run_to("B")
    gradient, frames = leaf.grad.item(), len(stepper.frames)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stepper.session.maker, "with_lines", stop)
    with pytest.raises(KeyboardInterrupt):
        stepper.next()
    assert (leaf.grad.item(), len(stepper.frames)) == (gradient, frames)
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="this pass cannot go on: its last step failed with KeyboardInterrupt"):
        stepper.next()  # the engine has run that node, and would go on behind it


def test_an_interrupted_step_is_a_failure_too() -> None:
    scope = cell(
        LEAVES
        + "def stop(g):\n    raise KeyboardInterrupt\ny = x * w\ny.register_hook(stop)\n"
        + "s = viz.BackwardStepper(y.sum())\n"
    )
    with pytest.raises(KeyboardInterrupt):
        scope["s"].last()
    assert scope["s"].frame.failed
    assert not scope["s"].finished


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_hooks_and_messages_are_harmless_text(name: str) -> None:
    scope = cell(LEAVES + "y = x * w\n")

    def hook(gradient: Any) -> Any:
        raise ArithmeticError(name * 50)

    hook.__name__ = name
    scope["y"].register_hook(hook)
    stepper = viz.BackwardStepper(scope["y"].sum(), names={name: scope["x"]})
    with pytest.raises(ArithmeticError):
        stepper.last()
    for event in json.loads(stepper.recorded[-1])["events"]:
        for text in (event["title"], event["text"], *(event["line"] or [""])[2:]):
            assert len(text) < 3000
            harmless = "\ufffd\n" if event["kind"] == "error" and text is event["text"] else "\ufffd"  # it has lines
            assert all(character.isprintable() or character in harmless for character in text)
    assert "\n\n\n" not in stepper.trace()


def test_megabyte_names_and_lines_are_cut_short() -> None:
    megabyte = "x" * 1_000_000
    scope = cell(
        f"text = '{megabyte}'\nA = mg.ones(2, requires_grad=True); w = {{text: A * 2}}; y = (w[text] * A).sum()\n"
    )
    stepper = viz.BackwardStepper(scope["y"], names={megabyte: scope["A"]})
    stepper.last()
    assert len(json.dumps(stepper.picture)) + sum(map(len, stepper.recorded)) < 200_000
    assert len(stepper.trace()) < 50_000
    scope = cell(f"A = mg.ones(2, requires_grad=True)\nw = {{'{megabyte}': A * 2}}\ny = sum(w.values()).sum()\n")
    stepper = viz.BackwardStepper(scope["y"])
    stepper.last()
    assert len(json.dumps(stepper.picture)) + sum(map(len, stepper.recorded)) < 200_000


def test_a_packed_thing_whose_repr_raises_is_shown_by_its_type() -> None:
    class Rude:
        def __init__(self, kept: Any) -> None:
            self.kept = kept

        def __repr__(self) -> str:
            raise RuntimeError("no")

    scope = cell(LEAVES)
    with mg.autograd.graph.saved_tensors_hooks(Rude, lambda rude: rude.kept):
        y = scope["x"] * scope["w"]
    stepper = viz.BackwardStepper(y.sum())
    stepper.last()
    assert "<Rude, whose repr() raises RuntimeError>" in stepper.trace()


# ---------------------------------------------------------------- a graph that changes while it is stepped


def test_a_gradient_changed_from_outside_is_told_and_not_lost() -> None:
    scope = cell(LEAVES + "y = (x * w).sum()\ns = viz.BackwardStepper(y)\ns.last()\n")
    stepper, x = scope["s"], scope["x"]
    x.grad = None
    stepper.back()
    (event,) = stepper.frames[-1].events
    assert (event.kind, event.title) == ("error", "x.grad was changed from outside")
    assert "x.grad was [3, 4] after this step and is None now" in event.text
    assert (event.before.text, event.after) == ("[3, 4]", None)
    assert stepper.next().index == stepper.frames[-1].index
    assert x.grad is None
    stepper.first()
    x.grad = mg.tensor([7.0, 7.0])
    stepper.next()
    stepper.back()
    assert x.grad.tolist() == [7.0, 7.0]
    assert json.loads(stepper.recorded[0])["boxes"][stepper.session.graph.box_named("x").id]["grad"] == "[7, 7]"


def test_two_steppers_on_one_graph_add_up() -> None:
    scope = cell(LEAVES + "y = (x * w).sum()\n")
    first, second = (viz.BackwardStepper(scope["y"], retain_graph=True) for _ in range(2))
    for _ in range(4):
        first.next()
        second.next()
    assert scope["x"].grad.tolist() == [6.0, 8.0]
    assert any(event.title.endswith(".grad was changed from outside") for event in events_of(first))


def test_a_leaf_that_no_longer_needs_a_gradient() -> None:
    scope = cell(LEAVES + "y = (x * w).sum()\ns = viz.BackwardStepper(y)\ns.next()\nx.requires_grad_(False)\n")
    scope["s"].last()
    assert "x.grad stays None: x no longer requires grad" in scope["s"].trace()
    assert scope["w"].grad.tolist() == [1.0, 2.0]


def test_a_leaf_of_another_shape_fails_with_a_frame() -> None:
    scope = cell(LEAVES + "y = (x * w).sum()\ns = viz.BackwardStepper(y)\ns.next()\nx.data = mg.ones(5)\n")
    with pytest.raises(RuntimeError):
        scope["s"].last()
    assert scope["s"].frame.failed
    assert scope["s"].back() is not None


@pytest.mark.parametrize(
    ("sent", "change", "was", "left"), [("4", "g - 1", "4", "3 | 3"), ("math.nan", "mg.ones(())", "NaN", "3 | 1")]
)
def test_of_several_outputs_the_one_that_a_hook_has_changed_is_shown_changed(
    sent: str, change: str, was: str, left: str
) -> None:
    stepper, events = stepped(
        f"import math\nx = mg.tensor([1., 2.], requires_grad=True)\na, b = x.unbind()\n"
        f"b.register_hook(lambda g: {change})\ns = viz.BackwardStepper(a * 3 + b * {sent})\n"
    )
    assert brief(events, "tensor_hook") == [(was, left[-1], f"b.register_hook(lambda g: {change})")]
    (frame,) = [frame for frame in stepper.frames if frame.op == "UnbindBackward0"]
    assert frame.states[frame.box].grad.text == left


# ---------------------------------------------------------------- custom Functions and several outputs


POWER = """\
class Power(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, n):
        ctx.save_for_backward(x, w)
        ctx.n = n
        return w * x ** n

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w * ctx.n * x ** (ctx.n - 1), g * x ** ctx.n, None
"""


def test_a_custom_function_shows_its_own_backward_and_what_it_saved() -> None:
    stepper, _ = stepped(POWER + LEAVES + "y = Power.apply(x, w, 3)\ns = viz.BackwardStepper(y.sum())\n")
    box = stepper.session.graph.box_named("y")
    assert [(saved.parameter, saved.name, saved.value.text) for saved in box.saved] == [
        ("saved_tensors[0]", "x", "[1, 2]"),
        ("saved_tensors[1]", "w", "[3, 4]"),
        ("ctx.n", "", "3"),
    ]
    frame = stepper.frames[2]
    assert frame.freed == ("x", "w")
    (code,) = [line.text for line in frame.story if line.kind == "code"]
    assert code == "\n".join(line[4:] for line in POWER.splitlines()[-4:])
    assert [(item.name, item.rule.parameter) for item in frame.contributions] == [("x", "x"), ("w", "w")]
    assert frame.sentence == (
        "Power: x gets g × 3·w × x², w gets g × x³. "
        "x: [1, 1] × 3·[3, 4] × [1, 2]² = [9, 48]; w: [1, 1] × [1, 2]³ = [1, 8]"
    )
    assert "ran your own backward" in stepper.trace()


def test_a_function_without_source_is_stepped_all_the_same() -> None:
    scope: dict[str, Any] = {"mg": mg}
    exec(POWER, scope)  # no file, no cell: nobody has its text
    x, w = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    stepper = viz.BackwardStepper(scope["Power"].apply(x, w, 3).sum())
    stepper.last()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_node_with_several_outputs_shows_them_all() -> None:
    stepper, _ = stepped(
        "x = mg.tensor([1., 2., 3., 4.], requires_grad=True)\na, b = x.split(2)\n"
        "s = viz.BackwardStepper((a * b).sum())\n"
    )
    box = stepper.session.graph.box_named("a, b")
    assert [value.text for value in box.outputs] == ["[1, 2]", "[3, 4]"]
    assert box.value.text == "[1, 2] | [3, 4]"
    assert stepper.frames[2].grads[box.id] == "[3, 4] | [1, 2]"
    assert "output 0 = [3, 4], output 1 = [1, 2]" in stepper.trace()
    assert stepper.session.graph.box_named("b") is box


def test_tensors_without_grad_are_drawn_as_they_were() -> None:
    graph = cell(
        LEAVES + "c = mg.tensor([5., 6.])\nk = c * 2\ny = x + k\nk = None\nbig = mg.ones(30)\n"
        "z = y.sum() + (big + w.sum()).sum()\nd = viz.draw(z)\n"
    )["d"].graph
    grey = {box.name: (box.value.text, box.needs_grad, box.version) for box in graph.boxes if box.kind == "constant"}
    assert grey == {"k": ("[10, 12]", False, 0), "big": ("[30]", False, 0)}
    (edge,) = [edge for edge in graph.edges if graph.by_id[edge.source].name == "big"]
    assert not edge.carries
    assert all(box.needs_grad for box in graph.boxes if box.kind != "constant")


def test_a_value_says_where_its_first_nan_is_and_how_to_copy_it() -> None:
    value = values.describe(np.array([[0.1, 2.0], [np.nan, np.inf]], dtype=np.float32))
    assert (value.alarm, value.where) == ("1 NaN and 1 Inf", "first at [1, 0]")
    assert value.python == "torch.tensor([[0.1, 2.0], [float('nan'), float('inf')]])"
    assert values.describe(np.float64(3)).python == "torch.tensor(3.0, dtype=torch.float64)"
    large = np.ones((30, 30))
    large[3, 4] = np.inf
    described = values.describe(large)
    assert (described.statistics, described.where, described.python) == (("1", "1", "1"), "first at [3, 4]", "")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 3)])
def test_the_python_of_a_value_makes_it_again(dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape)).reshape(shape) / 3).astype(dtype)
    made = eval(values.as_python(array), {"torch": mg})
    assert made.shape == shape
    assert (made.dtype is getattr(mg, dtype)) or not array.size
    assert np.array_equal(made.numpy(), array)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (np.float64(1), np.float64(10), "+9"),
        (np.array([1.0, 2.0]), np.array([1.0, 1.5]), "[+0, -0.5]"),
        (np.zeros(10), np.eye(10)[0] * 3, "1 of 10 elements changed, by 3 to 3"),
        (np.ones(3), np.ones(3), ""),
        (np.full(2, np.nan), np.full(2, np.nan), ""),
        (np.array([np.inf, 1.0]), np.array([np.inf, 2.0]), "[+0, +1]"),
        (np.zeros(10), np.full(10, np.nan), "10 of 10 elements changed"),
        (None, np.ones(2), ""),
        (np.ones(2), np.ones(3), ""),
    ],
)
def test_differences(before: Any, after: Any, text: str) -> None:
    assert values.difference(before, after)[0] == text


def test_a_leafs_sum_is_of_what_its_hook_left() -> None:
    stepper, _ = stepped(
        "a = mg.tensor(3.0, requires_grad=True)\na.grad = mg.tensor(10.0)\na.register_hook(lambda g: g * 0.5)\n"
        "y = a * a\ns = viz.BackwardStepper(y)\n"
    )
    told = stepper.trace()
    assert "10 + 3 = 13" in told
    assert "10 + 6" not in told


def test_a_function_that_keeps_its_result_says_so() -> None:
    graph = cell(
        "class Exp(mg.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        y = x.exp()\n"
        "        ctx.save_for_backward(y)\n        return y\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * ctx.saved_tensors[0]\n"
        "x = mg.tensor([0.0, 1.0], requires_grad=True)\ny = Exp.apply(x)\nd = viz.draw(y.sum())\n"
    )["d"].graph
    (kept,) = graph.box_named("y").saved
    assert (kept.parameter, kept.name, kept.value.text, kept.state) == ("saved_tensors[0]", "", "[1, 2.718]", "kept")
    assert (kept.saved_version, kept.version) == (0, 0)

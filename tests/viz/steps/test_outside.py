"""What is changed from outside while a stepper shows it: after each cell, and each step of another stepper, the frame
that is shown says what the kernel holds.
"""

import functools
import gc
import json
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.leak_guard import attending, steppers_rest_afterwards
from IPython.core.interactiveshell import InteractiveShell

import minigrad as mg
from minigrad import viz
from minigrad.viz.steps import outside


class Example:
    def __init__(self, library: Any = mg) -> None:
        self.A = library.tensor([3.0], requires_grad=True)
        self.B = library.tensor([2.0], requires_grad=True)
        self.F = self.made()
        self.s = viz.BackwardStepper(self.F, names={"A": self.A, "B": self.B, "F": self.F})

    def made(self) -> Any:
        C, D = self.A**2, self.B**2
        return D + C * D

    def shown(self) -> dict[str, tuple[str, str]]:
        """What the page shows of each leaf at the frame that it shows: its value and its gradient."""
        boxes: dict[str, Any] = {}
        for text in self.s.recorded[: self.s.index + 1]:
            boxes |= json.loads(text)["boxes"]
        names = {box.name: box for box in self.s.session.graph.boxes if box.kind == "leaf"}
        values = {name: self.s.now.get(box.id, {}).get("text", box.value.text) for name, box in names.items()}
        return {name: (values[name], boxes[box.id]["full"]) for name, box in names.items()}

    def held(self) -> dict[str, tuple[str, str]]:
        def text(tensor: Any) -> str:
            return "None" if tensor is None else f"[{tensor.item():g}]"

        return {name: (f"{leaf.item():g}", text(leaf.grad)) for name, leaf in (("A", self.A), ("B", self.B))}


def sharing(example: Example) -> Example:
    """Another graph over the same leaves."""
    other = Example()
    other.A, other.B = example.A, example.B
    other.F = other.made()
    other.s = viz.BackwardStepper(other.F, names={"A": example.A, "B": example.B})
    return other


def zeroed(e: Example) -> None:
    e.B.grad.zero_()


def zeroed_by_data(e: Example) -> None:
    e.B.grad.data.zero_()


def set_to_none(e: Example) -> None:
    e.B.grad = None


def replaced(e: Example) -> None:
    e.B.grad = e.B.grad * 0 + 7


def replaced_by_the_same(e: Example) -> None:
    e.B.grad = e.B.grad.clone()


def zero_grad(e: Example) -> None:
    optimizer = mg.optim.SGD([e.A, e.B], lr=0.5)
    optimizer.zero_grad()


def optimizer_step(e: Example) -> None:
    mg.optim.SGD([e.A, e.B], lr=0.5).step()


def data_written(e: Example) -> None:
    e.A.data.mul_(3)


def data_replaced(e: Example) -> None:
    e.A.data = mg.tensor([8.0])


def written_in_place(e: Example) -> None:
    with mg.no_grad():
        e.B.add_(10)


def another_backward(e: Example) -> None:
    e.made().backward()


def another_stepper(e: Example) -> None:
    viz.BackwardStepper(e.made()).last()


def another_stepper_and_back(e: Example) -> None:
    other = viz.BackwardStepper(e.made())
    other.last()
    other.back()


CHANGES = [
    *(zeroed, zeroed_by_data, set_to_none, replaced, replaced_by_the_same, zero_grad, optimizer_step, data_written),
    *(data_replaced, written_in_place, another_backward, another_stepper, another_stepper_and_back),
]


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("back", [0, 1])
def test_the_picture_agrees_when_the_stepper_is_used_next(change: Callable[[Example], None], back: int) -> None:
    e = Example()
    e.s.last()
    for _ in range(back):
        e.s.back()
    assert e.B.grad is not None
    assert e.shown() == e.held()
    change(e)
    e.s.next()
    assert e.shown() == e.held()
    e.s.back()
    assert e.shown() == e.held()
    e.s.first()
    assert e.shown() == e.held()
    e.s.last()
    assert e.shown() == e.held()


@pytest.mark.parametrize("change", CHANGES)
def test_the_picture_agrees_after_the_cell_that_changed_it(
    change: Callable[[Example], None], shell: InteractiveShell
) -> None:
    e = Example()
    e.s.last()
    shell.user_ns["change"] = lambda: change(e)
    assert shell.run_cell("change()").success
    assert e.shown() == e.held()


def test_two_steppers_that_share_a_leaf_both_say_what_it_holds() -> None:
    e = Example()
    other = sharing(e)
    steppers = [e.s, other.s]
    for k, step in enumerate(["next", "next", "last", "back", "first", "last", "next", "back"]):
        getattr(steppers[k % 2], step)()
        for one in (e, other):
            assert one.shown() == one.held(), (k, step)


def test_a_result_that_is_written_to_says_what_it_holds() -> None:
    w = mg.tensor([2.0], requires_grad=True)
    y = w * 3
    s = viz.BackwardStepper((y + 1).sum(), names={"w": w, "y": y})
    y.data.add_(1)
    s.next()
    key = s.session.graph.box_named("y").id
    assert (s.now[key]["text"], s.now[key]["was"]) == ("7", "[6] when the graph was made")
    y.data.sub_(1)
    s.next()
    assert s.now == {}
    y.mul_(2)  # is recorded: from here on y is another node's result
    s.next()
    assert s.now == {}


def test_a_hook_that_writes_to_its_leaf_is_seen_at_once() -> None:
    p = mg.tensor(2.0, requires_grad=True)

    def descend(leaf: Any) -> None:
        with mg.no_grad():
            leaf -= leaf.grad
        leaf.grad = None

    p.register_post_accumulate_grad_hook(descend)
    s = viz.BackwardStepper(p * 3, names={"p": p})
    s.last()
    assert s.now[s.session.graph.box_named("p").id]["text"] == "-1"
    assert "written to since: 2 when the graph was made" in s.now[s.session.graph.box_named("p").id]["hover"]


def test_a_hook_that_gives_another_leaf_a_grad_is_seen_in_its_own_step() -> None:
    a, b = (mg.tensor(number, requires_grad=True) for number in (2.0, 3.0))
    y = a * a

    def give(g: Any) -> None:
        b.grad = mg.tensor(9.0)

    y.register_hook(give)
    s = viz.BackwardStepper(y * 2 * b, names={"a": a, "b": b, "y": y})
    s.run_to("y")
    key = s.session.graph.box_named("b").id
    assert (s.frame.name, s.frame.states[key].grad.text) == ("y", "9")
    s.back()
    assert b.grad.item() == 8.0
    s.next()
    assert b.grad.item() == 9.0


@pytest.mark.parametrize("size", [100, 100_000])
def test_large_leaves_are_seen_to_change_however_they_are_written_to(size: int) -> None:
    w = mg.ones(size, requires_grad=True)
    s = viz.BackwardStepper((w * 2).sum(), names={"w": w})
    s.last()
    key = s.session.graph.box_named("w").id
    w.grad.data.mul_(2)
    w.data.fill_(5)
    s.next()
    assert json.loads(s.recorded[-1])["boxes"][key]["statistics"] == "4 · 4 · 4"
    assert s.now[key]["statistics"] == ["5", "5", "5"]


def test_pytorchs_leaves_are_watched_as_well() -> None:
    torch = pytest.importorskip("torch")
    e = Example(torch)
    e.s.last()
    assert e.shown() == e.held()
    for change in (zeroed, zeroed_by_data, set_to_none, another_backward, data_written, another_stepper):
        change(e)
        e.s.next()
        assert e.shown() == e.held(), change.__name__


def test_nothing_is_left_behind_when_steppers_are_gone(shell: InteractiveShell) -> None:
    callbacks = shell.events.callbacks["post_run_cell"]
    for session in list(outside._sessions):
        session.close()
    before = len(callbacks)
    one, two = Example(), Example()
    assert len(callbacks) == before + 1
    one.s.close()
    assert len(callbacks) == before + 1
    two.s.close()
    assert len(callbacks) == before
    gone = weakref.ref(two.s)
    del one, two
    gc.collect()
    assert gone() is None


def test_a_stepper_that_was_closed_looks_at_nothing(shell: InteractiveShell) -> None:
    e = Example()
    e.s.last()
    before = e.s.recorded
    e.s.close()
    e.B.grad.zero_()
    e.A.data.zero_()
    assert shell.run_cell("1").success
    e.s.look()
    assert (e.s.recorded, e.s.now) == (before, {})


def told(stepper: Any) -> str:
    """What the page says of the frame that it shows, with all events."""
    frame = json.loads(stepper.recorded[stepper.index])
    lines = ["".join(text for _, text in line["pieces"]) for line in frame["story"] if not line["why"]]
    return " ".join([*lines, *(event["text"] for event in frame["events"] if not event["why"])])


def two_passes(library: Any = mg) -> tuple[Any, Any, Any]:
    """A leaf, and steppers of two results of it: the gradients are [3, 3] and [3, 12]."""
    a = library.tensor([1.0, 2.0], requires_grad=True)
    return a, viz.BackwardStepper((a * 3).sum(), names={"a": a}), viz.BackwardStepper((a**3).sum(), names={"a": a})


def library_of(name: str) -> Any:
    return mg if name == "minigrad" else pytest.importorskip(name)


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_before_the_first_step_it_says_which_grad_is_there_now(name: str) -> None:
    _, s, u = two_passes(library_of(name))
    s.last()
    assert "a.grad holds [3, 3] by now, which your code or another pass has put there: backward() adds to it." in told(
        u
    )
    assert "None" not in told(u).replace("a.grad was None when the stepper was made", "")
    s.first()
    assert told(u).endswith("Every .grad is None, which is not the same as 0.")
    s.last()
    u.last()
    assert told(u).startswith("a gets its gradient from t0 = a")
    assert "a.grad: [3, 3] + [3, 12] = [6, 15]" in told(u)


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_a_change_that_was_undone_is_told_no_longer(name: str) -> None:
    a, s, u = two_passes(library_of(name))
    s.last()
    as_it_ran, json_as_it_ran = s.frame, s.recorded[-1]
    u.last()
    assert "a.grad was [3, 3] after this step and is [6, 15] now" in told(s)
    assert s.recorded[-1] != json_as_it_ran
    u.request = {"to": 0, "nth": 1}
    assert a.grad.tolist() == [3.0, 3.0]
    assert (s.frame, s.recorded[-1]) == (as_it_ran, json_as_it_ran)
    u.request = {"to": u.frames[0].total, "nth": 2}
    assert a.grad.tolist() == [6.0, 15.0]
    assert "is [6, 15] now" in told(s)
    s.back()
    s.next()  # what is there now is brought back, and still is not what the step left
    assert a.grad.tolist() == [6.0, 15.0]
    assert "is [6, 15] now" in told(s)


def test_what_changes_twice_is_told_from_what_the_step_left() -> None:
    a, s, _ = two_passes()
    s.last()
    for number in (4.0, 5.0):
        a.grad = mg.full((2,), number)
        s.look()
        assert f"a.grad was [3, 3] after this step and is [{number:g}, {number:g}] now" in told(s)
        assert sum(event.title == "a.grad was changed from outside" for event in s.frame.events) == 1


def test_what_the_next_step_does_with_a_change_is_said_where_there_is_one() -> None:
    a, s, _ = two_passes()
    adds, brings = "The next step adds to what is there.", "The next step, which has run, brings back what it left."
    for k, (step, sentence) in enumerate(((s.next, adds), (s.last, ""), (s.back, brings))):
        step()
        a.grad = mg.full((2,), float(k))
        s.look()
        assert "your code or another pass" in told(s)
        assert [words in told(s) for words in (adds, brings)] == [words == sentence for words in (adds, brings)]
    s.next()
    assert a.grad.tolist() == [1.0, 1.0]  # as it was when that step was left


def test_two_steppers_that_are_walked_at_will_say_only_what_is_so() -> None:
    numbers = iter("0312013223130102312310230121")
    a, s, u = two_passes()
    for number in numbers:
        stepper = (s, u)[int(number) % 2]
        (stepper.next, stepper.back, stepper.last, stepper.first)[int(next(numbers))]()
        held = "None" if a.grad is None else f"[{', '.join(f'{value:g}' for value in a.grad.tolist())}]"
        for one in (s, u):
            changes = [event for event in one.frame.events if event.title == "a.grad was changed from outside"]
            assert one.frame.states[one.session.graph.box_named("a").id].grad.full == held
            assert [f"is {held} now" in event.text for event in changes] in ([], [True])
            if one.index == 0:
                assert ("Every .grad is None" in told(one)) == (a.grad is None)
            if one.index == one.frame.total and not changes:
                assert held in told(one)


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_a_variable_that_is_another_tensor_now_is_named(name: str, shell: InteractiveShell) -> None:
    shell.user_ns |= {"library": library_of(name), "viz": viz}
    make = "a = library.tensor([1.0, 2.0], requires_grad=True); b = library.tensor([3.0, 4.0], requires_grad=True)"
    assert shell.run_cell(make).success
    assert shell.run_cell("y = (a * b).sum(); n = 3; s = viz.BackwardStepper(y)").success
    s = shell.user_ns["s"]
    shell.run_cell("a.data.mul_(2); n = library.ones(2)")  # it is the same tensor still; n is nothing that is shown
    assert s.outdated == ""
    shell.run_cell("a = library.tensor([5.0, 6.0], requires_grad=True)")
    assert s.outdated.startswith("a is another tensor now: this shows what it was before.")
    shell.run_cell(make)
    assert s.outdated.startswith("a and b are other tensors now")
    shell.run_cell("del a; b = 7")
    assert s.outdated == ""


def test_the_steppers_of_a_test_that_is_over_are_told_of_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the thousandth stepper of a process would have all before it look again after each of its steps."""
    looked = []
    kept = Example()
    with steppers_rest_afterwards():
        left = Example()
        assert {kept.s.session, left.s.session} <= attending()
    for example in (kept, left):
        monkeypatch.setattr(example.s.session, "look", functools.partial(looked.append, example))
    sharing(kept).s.last()
    assert looked == [kept]


class Looks:
    """Which steppers look again, and which of them tell their pages something."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **steppers: Any) -> None:
        self.looked: list[str] = []
        self.told: list[str] = []
        for name, stepper in steppers.items():
            monkeypatch.setattr(stepper.session, "look", self.noting(self.looked, name, stepper.session.look))
            monkeypatch.setattr(stepper, "on_change", self.noting(self.told, name, stepper.on_change))

    def noting(self, names: list[str], name: str, method: Callable[[], None]) -> Callable[[], None]:
        def method_and_note() -> None:
            names.append(name)
            method()

        return method_and_note


def test_a_step_has_only_those_steppers_look_again_that_it_can_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = Example()
    near, far = sharing(walked), Example()
    looks = Looks(monkeypatch, near=near.s, far=far.s)
    while walked.s.next() is not None:
        is_leaf = walked.s.frame.op == "AccumulateGrad"
        assert looks.looked == ["near"] * is_leaf  # a step of an operation writes to no .grad
        assert near.shown() == near.held()
        looks.looked.clear()
    looks.looked.clear()
    walked.s.back()
    assert looks.looked == ["near"]
    assert near.shown() == near.held()


def test_where_a_learners_code_runs_in_a_step_all_look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    walked, far = Example(), Example()
    walked.B.register_hook(lambda g: far.B.data.add_(1) and None)
    looks = Looks(monkeypatch, far=far.s)
    walked.s.run_to("B")
    assert looks.looked == ["far"]
    key = far.s.session.graph.box_named("B").id
    assert far.s.now[key]["was"] == "[2] when the graph was made"
    looks.looked.clear()
    walked.s.first()
    walked.s.break_when(lambda frame: far.A.data.add_(1) is None)
    walked.s.run()
    assert looks.looked[-1] == "far"
    assert far.s.session.graph.box_named("A").id in far.s.now


def test_what_shows_the_memory_of_a_grad_looks_when_that_is_written_to() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    walked = viz.BackwardStepper((w * w).sum(), retain_graph=True)
    walked.last()
    part = w.grad[:1].detach().requires_grad_()  # a view of what the next pass adds to
    shows = viz.BackwardStepper((part * 3).sum(), names={"part": part})
    again = viz.BackwardStepper((w * w).sum())
    again.last()
    key = shows.session.graph.box_named("part").id
    assert shows.now[key]["value"] == "[4]"


def test_a_stepper_for_which_nothing_has_changed_tells_its_page_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = Example()
    near = sharing(walked)
    near.s.last()
    looks = Looks(monkeypatch, near=near.s)
    near.s.session.look()
    assert (looks.looked, looks.told) == (["near"], [])
    walked.B.grad.add_(1)
    near.s.session.look()
    assert looks.told == ["near"]
    assert near.shown() == near.held()

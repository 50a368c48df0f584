"""What changes from step to step is kept once, and every frame reads as if it held all of it."""

from typing import Any

import pytest

import minigrad as mg
from minigrad import viz
from minigrad.viz.steps.history import History


def test_each_frame_reads_what_was_there() -> None:
    history = History({"a": 1, "b": None})
    moments = [history.at(0), history.add({"a": 2}), history.add({}), history.add({"a": 2, "b": 3})]
    assert [dict(moment) for moment in moments] == [
        {"a": 1, "b": None},
        {"a": 2, "b": None},
        {"a": 2, "b": None},
        {"a": 2, "b": 3},
    ]
    assert [moment.since(before) for before, moment in zip([None, *moments[:-1]], moments, strict=True)] == [
        {"a": 1, "b": None},
        {"a": 2},
        {},
        {"b": 3},
    ]
    assert moments[3].since(moments[0]) == {"a": 2, "b": 3}


@pytest.mark.parametrize("index", range(4))
def test_a_correction_is_of_one_frame_alone(index: int) -> None:
    history = History({"a": 0})
    for value in (1, 1, 3):
        history.add({"a": value})
    expected = [0, 1, 1, 3]
    history.correct("a", index, "new")
    expected[index] = "new"  # type: ignore[call-overload]
    assert [history.value("a", frame) for frame in range(4)] == expected


@pytest.mark.parametrize("count", [1, 2, 3])
def test_of_frames_that_are_taken_back_nothing_stays(count: int) -> None:
    history = History({"a": 0, "b": 0})
    for change in ({"a": 1}, {"b": 2}, {"a": 3}):
        history.add(change)
    history.shorten(count)
    assert history.value("a", 9) == [0, 1, 1][count - 1]
    assert dict(history.add({"b": 5})) == {"a": [0, 1, 1][count - 1], "b": 5}
    assert history.value("b", count - 1) == [0, 0, 2][count - 1]


def test_a_moment_with_a_change_from_outside_differs_from_both_its_neighbours() -> None:
    history = History({"a": 0, "b": 0})
    frames = [history.at(0), history.add({"b": 1}), history.add({"b": 2})]
    changed = frames[1].but({"a": 9})
    assert dict(changed) == {"a": 9, "b": 1}
    assert changed.since(frames[0]) == {"a": 9, "b": 1}
    assert frames[2].since(changed) == {"a": 0, "b": 2}


def chain(boxes: int) -> tuple[Any, list[Any]]:
    leaves = [mg.tensor(1.0, requires_grad=True) for _ in range(boxes)]
    total = leaves[0] * 2
    for leaf in leaves[1:]:
        total = total + leaf
    return total, leaves


def test_frames_grow_with_the_graph_and_not_with_its_square() -> None:
    kept = []
    for boxes in (20, 60):
        stepper = viz.BackwardStepper(chain(boxes)[0])
        stepper.last()
        histories = (stepper.session.maker.progress.state_history, stepper.session.maker.progress.edge_history)
        kept.append(sum(len(values) for history in histories for values in history.values.values()))
    assert kept[1] < 4 * kept[0]


def test_a_step_describes_no_gradient_that_it_has_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.viz.steps import pass_progress

    described: list[int] = []
    original = pass_progress.describe

    def describe(array: Any) -> Any:
        described.append(array.size)
        return original(array)

    monkeypatch.setattr(pass_progress, "describe", describe)
    counts = []
    for boxes in (10, 40):
        described.clear()
        stepper = viz.BackwardStepper(chain(boxes)[0])
        stepper.last()
        counts.append(len(described))
    assert counts[1] <= 4 * counts[0] + 4


def test_two_leaves_that_share_their_grad_both_read_what_it_holds() -> None:
    a, b = mg.tensor([2.0], requires_grad=True), mg.tensor([3.0], requires_grad=True)
    a.grad = mg.tensor([10.0])
    b.grad = a.grad
    s = viz.BackwardStepper((a * b).sum(), names={"a": a, "b": b})
    while (frame := s.next()) is not None:
        shown = {box.name: frame.grads[box.id] for box in s.session.graph.boxes if box.kind == "leaf"}
        held = {"a": a.grad, "b": b.grad}
        for name, gradient in held.items():
            text = f"{gradient.item():g}"
            assert shown[name] == text, (frame.index, name)

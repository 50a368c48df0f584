"""Where a run stops: at boxes, at conditions, at functions; set from code and from the page."""

from typing import Any

import pytest
from viz.cells import STEPPED, cell

from minigrad.viz.graph import values
from minigrad.viz.steps.breakpoints import condition

NO_CONDITIONS = ["", "g", "g.norm()", "g.norm() > y", "g.std() > 1", "__import__('os')", "g.max() == 1"]


@pytest.fixture
def stepper() -> Any:
    return cell(STEPPED)["s"]  # runs F, E, D, B, C, A


def test_a_run_stops_at_the_boxes_that_are_named_and_then_at_the_end(stepper: Any) -> None:
    stepper.break_at("E", "B")
    assert stepper.run().name == "E"
    assert stepper.stopped == {"index": 2, "why": "Stopped at a breakpoint: E."}
    assert stepper.run().name == "B"
    assert stepper.run().index == 6
    assert "no breakpoint was met" in stepper.stopped["why"]
    stepper.first()
    assert stepper.run().name == "E"
    stepper.clear_breaks()
    assert stepper.run().index == 6


def test_conditions_and_functions_stop_a_run(stepper: Any) -> None:
    stepper.break_when("g.norm() > 9")
    assert stepper.run().name == "D"
    stepper.clear_breaks()
    stepper.first()
    stepper.break_when(lambda frame: frame.name == "C")
    assert stepper.breaks == [{"code": "your lambda"}]
    assert stepper.run().name == "C"


def test_the_first_nan_stops_a_run() -> None:
    scope = cell(
        "x = mg.tensor([0.0, 1.0], requires_grad=True)\nroot = (x * 0).sqrt()\nloss = (root * 0).sum() + x.sum()\n"
        "s = viz.BackwardStepper(loss)\n"
    )
    scope["s"].break_when("nan")
    assert "NaN" in scope["s"].run().alarm
    assert not any("NaN" in frame.alarm for frame in scope["s"].frames[:-1])


@pytest.mark.parametrize("text", NO_CONDITIONS)
def test_what_is_no_condition_is_explained(stepper: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"is no condition: write g\.norm\(\)"):
        stepper.break_when(text)
    assert stepper.breaks == []


def test_wrong_names_and_types_are_explained(stepper: Any) -> None:
    with pytest.raises(ValueError, match="no box is named 'nobody'"):
        stepper.break_at("nobody")
    with pytest.raises(TypeError, match=r"a condition such as .* or a function, not int"):
        stepper.break_when(3)
    assert condition(" NaN ") == "nan"


def test_the_page_sets_and_removes_breakpoints_and_runs(stepper: Any) -> None:
    stepper.break_when(print)
    key = stepper.session.graph.box_named("D").id
    stepper.breaks = [{"box": key}, {"when": "g.max() > 100"}, {"when": "os.remove"}, {"box": "n99"}, {"box": [key]}, 3]
    assert stepper.breaks == [{"code": "your print()"}, {"box": key}, {"when": "g.max() > 100"}]
    stepper.request = {"run": True, "nth": 1}
    assert (stepper.index, stepper.answered) == (3, 1)
    assert stepper.stopped["why"] == "Stopped at a breakpoint: D."
    stepper.request = {"to": 1, "nth": 2}
    assert stepper.stopped == {}
    stepper.request = {"box": stepper.session.graph.box_named("C").id, "nth": 3}
    assert stepper.frame.name == "C"
    stepper.request = {"box": "n99", "run": "yes", "nth": 4}
    assert (stepper.frame.name, stepper.answered) == ("C", 4)


def test_a_test_that_raises_is_shown_after_a_click_and_the_kernel_goes_on(stepper: Any) -> None:
    def test(frame: Any) -> bool:
        return bool(frame.nothing)

    stepper.break_when(test)
    stepper.request = {"run": True, "nth": 1}
    assert "AttributeError" in stepper.problem["text"]
    assert stepper.answered == 1


def test_what_is_measured_of_a_gradient() -> None:
    assert values.measure([3.0, -4.0]) == [5.0, 3.0, -4.0, -0.5]
    assert values.measure(None) is None
    assert values.measure([]) is None
    assert values.measure([float("inf")]) is None


def test_what_a_function_raises_reaches_the_cell(stepper: Any) -> None:
    stepper.break_when(lambda frame: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stepper.run()

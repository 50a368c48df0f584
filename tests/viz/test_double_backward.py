"""The graph of a gradient: how it grows, how it is drawn beside the first, and how it is stepped."""

import json
from typing import Any

import pytest
from viz.cells import cell, parsed, still

import minigrad as mg
from minigrad import viz

CUBE = "x = mg.tensor(3., requires_grad=True)\ny = x ** 3\nz = y * x\n"


@pytest.fixture
def first() -> dict[str, Any]:
    return cell(CUBE + "s = viz.BackwardStepper(z, create_graph=True)\ns.last()\n")


def test_each_step_says_which_nodes_it_added(first: dict[str, Any]) -> None:
    grown = [[(node.name, node.text) for node in frame.grown] for frame in first["s"].frames]
    assert grown == [
        [],
        [("g1", "1 * x"), ("g2", "1 * y")],
        [("g3", "g1 * 3"), ("g4", "x ** 2"), ("g5", "g3 * g4")],
        [("g6", "g2 + g5"), ("g7", "clone(g6)")],
    ]
    assert json.loads(first["s"].recorded[1])["grown"][0] == {"name": "g1", "op": "MulBackward0", "text": "1 * x"}
    assert "g3 = g1 * 3, g4 = x ** 2, g5 = g3 * g4" in first["s"].trace()


def test_operations_that_no_line_wrote_read_as_one_would_write_them() -> None:
    names = cell(
        "x = mg.tensor(2.0, requires_grad=True)\n"
        "y = 1 - x.tanh() / x\n"
        "(slope,) = mg.autograd.grad(y, x, create_graph=True)\n"
        "drawn = viz.draw(slope)\n"
    )
    written = [box.expression for box in names["drawn"].graph.boxes if box.name.startswith("g")]
    assert written == ["-1 / x", "t0 / x", "g2 / x", "1 * g3", "t0 * t0", "… - g5", "g1 * g6"]


def test_without_create_graph_nothing_grows() -> None:
    stepper = cell(CUBE + "s = viz.BackwardStepper(z)\ns.last()\n")["s"]
    assert all(frame.grown == () for frame in stepper.frames)
    with pytest.raises(RuntimeError, match="make the stepper with create_graph=True"):
        stepper.second()


def test_the_second_stepper_goes_through_both_graphs(first: dict[str, Any]) -> None:
    second = first["s"].second()
    boxes = {box.name: (box.graph, box.made_by) for box in second.session.graph.boxes}
    key = {box.name: box.id for box in second.session.graph.boxes}
    assert boxes == {
        "x": (1, ""),
        "y": (1, ""),
        "z": (1, ""),
        "g1": (2, key["z"]),
        "g2": (2, key["z"]),
        "g3": (2, key["y"]),
        "g4": (2, key["y"]),
        "g5": (2, key["y"]),
        "g6": (2, ""),
        "∂z/∂x": (2, ""),
    }
    assert key["z"] not in second.session.maker.runs  # drawn, but no gradient comes there
    first["x"].grad = None
    second.last()
    assert first["x"].grad.item() == 108.0  # 12 x²
    line = second.session.graph.box_named("g5").span
    assert line is not None
    assert line.first == 2  # of the op whose rule it is


def test_the_graph_of_the_gradient_is_a_group_of_its_own(first: dict[str, Any]) -> None:
    second = first["s"].second()
    (group,) = second.picture["groups"]
    assert group["name"] == "the graph of the gradient"
    assert {key for key, box in second.picture["boxes"].items() if box["graph"] == 2} == set(group["boxes"])
    svg = parsed(still(second))
    parts = [one for one in svg.iter("{http://www.w3.org/2000/svg}g") if one.get("data-group") == group["id"]]
    assert [part.get("class") for part in parts] == ["mg-group", "mg-group-title"]


def test_what_the_learner_computes_from_a_gradient_stands_behind_its_graph() -> None:
    scope = cell(
        "x = mg.tensor([1., 2.], requires_grad=True)\nloss = (x ** 3).sum()\n"
        "g, = mg.autograd.grad(loss, x, create_graph=True)\nnorm = (g * g).sum()\n"
        "h, = mg.autograd.grad(norm, x, create_graph=True)\ntotal = h.sum()\n"
        "s = viz.BackwardStepper(total)\n"
    )
    graph, groups = scope["s"].session.graph, scope["s"].picture["groups"]
    assert [group["name"] for group in groups] == ["the graph of the gradient", "the graph of the gradient's gradient"]
    inside = {graph.by_id[box].name for group in groups for box in group["boxes"]}
    assert "total" not in inside
    assert graph.box_named("total").graph == 1
    assert all(graph.order[edge.source] < graph.order[edge.target] for edge in graph.edges)
    scope["s"].last()
    assert scope["x"].grad.tolist() == [108.0, 432.0]  # h is 36 x³


def test_a_picture_of_a_gradient_has_no_lines_that_only_say_backward() -> None:
    scope = cell(
        "x = mg.tensor([1., 2.], requires_grad=True)\nloss = (x ** 3).sum()\n"
        "g, = mg.autograd.grad(loss, x, create_graph=True)\nnorm = (g * g).sum()\nd = viz.draw(norm)\n"
    )
    seen = {box.name: (box.graph, box.expression) for box in scope["d"].graph.boxes}
    assert seen["norm"] == (1, "t0.sum()")  # computed from the gradient, and yet by the learner
    assert seen["g"][0] == 2
    assert not any("grad(" in expression for _, expression in seen.values())


def test_what_the_gradient_does_not_come_from_is_drawn_and_does_not_run() -> None:
    stepper = cell(
        "x = mg.tensor(2., requires_grad=True)\nw = mg.tensor(3., requires_grad=True)\n"
        "s = viz.BackwardStepper(x ** 3 + w.exp(), create_graph=True)\ns.last()\n"
    )["s"]
    second = stepper.second("x")
    second.last()
    names = {box.name for box in second.session.graph.boxes}
    ran = {second.session.graph.by_id[key].name for key in second.session.maker.runs}
    assert "w" in names
    assert "w" not in ran
    assert second.finished


def test_which_gradient_is_asked_for() -> None:
    stepper = cell(
        "a = mg.tensor(2., requires_grad=True)\nb = mg.tensor(3., requires_grad=True)\n"
        "s = viz.BackwardStepper(a * a * b, create_graph=True)\n"
    )["s"]
    with pytest.raises(ValueError, match="there are several gradients: say which, as in second\\('a'\\)"):
        stepper.second()
    with pytest.raises(ValueError, match="no leaf is named 'c'; there are: a, b"):
        stepper.second("c")
    with pytest.raises(RuntimeError, match=r"a\.grad is None: step to the end first"):
        stepper.second("a")
    stepper.last()
    second = stepper.second("a")
    second.last()
    assert second.session.graph.box_named("b").kind == "leaf"


def test_a_third_graph_is_one_more() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    (g,) = mg.autograd.grad(x**4, x, create_graph=True)
    (h,) = mg.autograd.grad(g, x, create_graph=True)
    assert max(box.graph for box in viz.draw(h).graph.boxes) == 3

"""Groups of boxes: modules' calls, stretches of long graphs, and the coarse picture."""

from typing import Any

import pytest
from viz.cells import cell, check_no_circle

import minigrad as mg
from minigrad import nn, viz
from minigrad.viz.graph.calls import way_of
from minigrad.viz.graph.groups import MANY_BOXES, Group, groups_of
from minigrad.viz.graph.observer import NO_PLACE
from minigrad.viz.picture.svg import short_name
from minigrad.viz.sources import snapshot_of as snapshot


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.relu = nn.ReLU()

    def forward(self, x: Any) -> Any:
        return self.relu(self.fc(self.relu(self.fc(x))) + x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block())

    def forward(self, x: Any) -> Any:
        return self.blocks(x).sum()


def grouped(loss: Any, **names: Any) -> tuple[Any, tuple[Group, ...]]:
    graph = snapshot(loss, names)
    return graph, groups_of(graph, {})


def test_each_call_of_a_module_is_a_group_with_its_path() -> None:
    graph, groups = grouped(Net()(mg.ones(3, 2)))
    paths = [group.path for group in groups]
    assert paths[:4] == ["Net", "Net.blocks", "Net.blocks.0", "Net.blocks.1"]
    # One layer that is called twice is two groups.
    calls = [f"Net.blocks.0.{name}, call {number} of 2" for name in ("fc", "relu") for number in (1, 2)]
    assert set(calls) <= set(paths)
    inside = {box for group in groups for box in group.boxes}
    assert inside == {box.id for box in graph.boxes}
    assert groups[0].count == len(graph.boxes)
    # The weight is used by both calls, so it lies in what is around both.
    homes = {box: group.path for group in groups for box in group.boxes}
    leaves = [box.id for box in graph.boxes if box.kind == "leaf"]
    assert {homes[box] for box in leaves} == {"Net.blocks.0", "Net.blocks.1"}


def test_a_group_has_the_name_of_the_variable_and_its_parameters_their_paths() -> None:
    scope = cell(
        "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU())\nloss = net(mg.ones(1, 2)).sum()\n"
        "s = viz.BackwardStepper(loss)\n"
    )
    picture = scope["s"].picture
    assert [group["path"] for group in picture["groups"]] == ["net", "net.0", "net.1"]
    assert {"net.0.weight", "net.0.bias"} <= {box["name"] for box in picture["boxes"].values()}
    assert scope["s"].run_to("net.0.weight").name == "net.0.weight"


def test_a_sequential_of_the_librarys_modules_and_of_own_ones_is_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minigrad.viz.graph.groups.UNFOLDED", 20)
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Block(), Block()), nn.Tanh(), Block())
    _, groups = grouped(net(mg.ones(3, 2)).sum())
    parts = ["Sequential", "Sequential.0", "Sequential.1", "Sequential.3"]  # 2 is a box by itself
    assert [group.path for group in groups if group.path.count(".") < 2] == parts
    _, groups = grouped(net(net(mg.ones(3, 2))).sum())
    assert [group.path for group in groups if "." not in group.path] == [
        "Sequential, call 1 of 2",
        "Sequential, call 2 of 2",
    ]


@pytest.mark.parametrize("shown", [[], "all", "outer"])
def test_closing_groups_never_makes_a_circle(shown: Any) -> None:
    graph, groups = grouped(Net()(mg.ones(3, 2)))
    every = [group.id for group in groups]
    check_no_circle(graph, groups, {"all": every, "outer": every[:2]}.get(str(shown), []))


def test_a_graph_without_modules_has_no_groups_until_it_is_long() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(15):
        y = y * x
    assert viz.BackwardStepper(y).picture["groups"] == []
    for _ in range(170):
        y = y + x
    picture = viz.BackwardStepper(y).picture
    outer = [group["name"] for group in picture["groups"] if group["parent"] is None]
    assert outer == ["for _ in range(15): ×15", "for _ in range(170): ×170"]
    assert "186 boxes; a click opens a closed part" in picture["note"]
    svg = viz.draw(y).svg
    assert 0 < svg.count("data-box=") < MANY_BOXES


def test_a_network_begins_as_open_as_can_be_seen_at_once() -> None:
    small = viz.BackwardStepper(nn.Linear(2, 1)(mg.ones(1, 2)).sum())
    assert small.picture["open"] == [group["id"] for group in small.picture["groups"]]
    assert small.picture["note"] == ""
    large = viz.BackwardStepper(nn.Sequential(*(Block() for _ in range(30)))(mg.ones(1, 2)).sum())
    assert len(large.picture["open"]) < len(large.picture["groups"])
    assert "a click opens a closed part" in large.picture["note"]
    assert seen_at_first(large.picture) <= MANY_BOXES


def seen_at_first(picture: Any) -> int:
    """How many boxes and closed groups are seen when a picture opens."""
    closed = [group for group in picture["groups"] if group["id"] not in picture["open"]]
    tops = [group for group in closed if group["parent"] is None or group["parent"] in picture["open"]]
    return len(picture["boxes"]) - sum(group["count"] - 1 for group in tops)


def test_a_long_path_is_cut_in_front() -> None:
    assert short_name("net.layer1.0.conv1.weight") == "…0.conv1.weight"
    assert short_name("w") == "w"
    assert short_name("a_name_that_is_far_too_long") == "a_name_that_is_…"
    assert short_name("reader.weight_ih_l0_reverse") == "…weight_ih_l0_…"


def test_nothing_is_noted_where_no_module_is_called() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    assert modules_around((x * x).grad_fn) == []
    module = Block()
    assert modules_around(module(mg.ones(1, 2, requires_grad=True)).grad_fn) == [module, module.relu]


def modules_around(node: Any) -> list[Any]:
    return [module for module, instruction, _ in way_of(node._making) if instruction == NO_PLACE]


def test_the_graph_of_a_gradient_is_a_group_beside_those_of_modules() -> None:
    net = nn.Sequential(nn.Linear(1, 2), nn.Tanh())
    x = mg.tensor([[0.5]], requires_grad=True)
    first = viz.BackwardStepper(net(x).sum(), create_graph=True, names={"x": x})
    first.last()
    second = first.second("x")
    graph = second.session.graph
    *calls, gradient = [group for group in second.picture["groups"] if group["parent"] is None]
    assert [group["name"] for group in calls] == ["net"]
    assert (gradient["name"], gradient["kind"]) == ("the graph of the gradient", "create_graph")
    assert gradient["boxes"] == [box.id for box in graph.boxes if box.graph == 2]
    assert gradient["id"] in second.picture["open"]
    assert {second.picture["boxes"][box]["path"] for box in gradient["boxes"]} == {""}
    second.last()
    assert second.finished
    second.close()
    first.close()

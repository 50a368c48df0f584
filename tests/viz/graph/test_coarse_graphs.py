"""Graphs in which groups are closed: boxes stand behind their inputs, and nothing goes round in a circle."""

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph.boxes import Box, Edge, Snapshot
from minigrad.viz.graph.modules import Group, coarse_graph, groups_of
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.values import NONE


def check_order(graph: Snapshot) -> None:
    """Each box stands behind its inputs, once, so that there is no circle."""
    places = {box.id: place for place, box in enumerate(graph.boxes)}
    assert len(places) == len(graph.boxes)
    assert graph.root in places
    for edge in graph.edges:
        assert places[edge.source] < places[edge.target], edge


def rolled_out(steps: int) -> Any:
    """The loss of a recurrent network, written as a plain loop."""
    w, u, h = mg.full((2, 2), 0.1, requires_grad=True), mg.full((2, 2), 0.2, requires_grad=True), mg.zeros(1, 2)
    for _ in range(steps):
        h = mg.tanh(mg.ones(1, 2) @ w + h @ u)
    return h.sum()


@pytest.mark.parametrize("steps", [1, 25, 60])
def test_a_loop_of_any_length_is_drawn(steps: int) -> None:
    loss = rolled_out(steps)
    graph = snapshot(loss)
    groups = groups_of(graph, {})
    check_order(coarse_graph(graph, groups, []))
    assert viz.draw(loss).svg
    stepper = viz.BackwardStepper(loss)
    assert stepper._repr_mimebundle_()[0]["image/svg+xml"]
    stepper.close()


def test_a_loop_of_pytorchs_is_drawn() -> None:
    torch = pytest.importorskip("torch")
    w, h = torch.full((2, 2), 0.1, requires_grad=True), torch.zeros(1, 2)
    for _ in range(60):
        h = torch.tanh(torch.ones(1, 2) @ w + h)
    assert viz.draw(h.sum()).svg


@st.composite
def graphs_in_runs(draw: Any) -> tuple[Snapshot, tuple[Group, ...], list[str]]:
    """A random graph, runs of it as groups in groups, and some of these, which are open."""
    count = draw(st.integers(1, 14))
    results, boxes, edges = [], [], []
    for number in range(count):
        for _ in range(draw(st.integers(0, 2))):  # leaves stand just before their first use
            boxes.append(Box(f"n{len(boxes)}", "leaf", "", "", "", NONE, NONE))
        inputs = draw(st.lists(st.sampled_from([box.id for box in boxes]), max_size=3)) if boxes else []
        key = f"n{len(boxes)}"
        boxes.append(Box(key, "result", "", "", "", NONE, NONE))
        results.append(key)
        edges += [Edge(f"e{number}.{slot}", source, key, slot) for slot, source in enumerate(inputs)]
    graph = Snapshot(results[-1], tuple(boxes), tuple(edges))
    groups: list[Group] = []
    spans = [(0, count, None)]  # runs that may hold groups
    home: dict[str, str | None] = dict.fromkeys(results)
    while spans:
        start, stop, parent = spans.pop()
        cuts = sorted(draw(st.sets(st.integers(start, stop), max_size=4)))
        for first, last in itertools.pairwise(cuts):
            if len(groups) < 8 and draw(st.booleans()):
                groups.append(Group(f"g{len(groups)}", "", "", "", parent, [], last - first))
                home |= dict.fromkeys(results[first:last], groups[-1].id)
                spans.append((first, last, groups[-1].id))
    by_id = {group.id: group for group in groups}
    for key, group in home.items():
        if group is not None:
            by_id[group].boxes.append(key)
    for box in boxes:  # a leaf lies in the group of one of its uses
        users = [home[edge.target] for edge in edges if edge.source == box.id]
        if box.kind == "leaf" and len(users) == 1 and users[0] is not None:
            by_id[users[0]].boxes.append(box.id)
    shown = draw(st.lists(st.sampled_from([group.id for group in groups]), unique=True)) if groups else []
    return graph, tuple(groups), shown


@given(graphs_in_runs())
@settings(max_examples=300, deadline=None)
def test_closing_runs_gives_an_order_and_never_a_circle(case: tuple[Snapshot, tuple[Group, ...], list[str]]) -> None:
    graph, groups, shown = case
    check_order(coarse_graph(graph, groups, shown))

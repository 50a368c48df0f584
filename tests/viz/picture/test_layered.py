"""Where boxes and edges go: the same in Python and in the page, nothing on anything else, and edges along the flow."""

import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minigrad.viz.graph.boxes import Edge
from minigrad.viz.graph.groups import Group
from minigrad.viz.picture.layered import READABLE, Item, Link, Room, arrange
from minigrad.viz.picture.layout import Layout, closed_size, lay_out, open_that_fit

Size = tuple[float, float]
STATIC = Path(__file__).parents[3] / "minigrad" / "viz" / "static"
IN_THE_PAGE = """
import { readFileSync } from "node:fs";
import { Modules } from "%s/modules.mjs";
const laid = JSON.parse(readFileSync(0, "utf8")).map(({ picture, room }) => {
  const modules = new Modules(picture);
  modules.closeToFit([room]);
  const { width, height, down, boxes, groups, wires } = modules.layout([room]);
  const ways = Object.fromEntries(wires.map(({ id, points }) => [id, points.map(({ x, y }) => [x, y])]));
  const corners = Object.fromEntries([...boxes].map(([id, { x, y }]) => [id, [x, y]]));
  const frames = Object.fromEntries([...groups].map(([id, { x, y, w, h, open }]) => [id, [x, y, w, h, open]]));
  return { width, height, down, open: [...modules.open], corners, frames, ways };
});
process.stdout.write(JSON.stringify(laid));
"""


@st.composite
def graphs(draw: st.DrawFn, most: int = 14) -> tuple[dict[str, Size], list[Edge]]:
    """Boxes of some sizes, and edges from earlier to later ones."""
    count = draw(st.integers(1, most))
    lengths = st.integers(8, 28).map(lambda length: 10.0 * length)
    sizes = {f"n{number}": (draw(lengths), draw(st.sampled_from([54.0, 72.0]))) for number in range(count)}
    ends = [
        (draw(st.integers(0, target - 1)), target) for target in range(1, count) for _ in range(draw(st.integers(0, 2)))
    ]
    pairs = dict.fromkeys(ends)
    return sizes, [Edge(f"e{k}", f"n{one}", f"n{other}", 0) for k, (one, other) in enumerate(pairs)]


def overlapping(rectangles: list[tuple[float, float, float, float]]) -> bool:
    return any(
        x < u + a and u < x + w and y < v + b and v < y + h
        for (x, y, w, h), (u, v, a, b) in itertools.combinations(rectangles, 2)
    )


@pytest.mark.parametrize("steps", [3, 12])
def test_a_chain_beside_an_input_of_every_step_stays_straight(steps: int) -> None:
    chain = [f"h{step}" for step in range(steps + 1)]
    items = [Item(key, 140, 54) for key in (chain[0], "w", *chain[1:])]
    links = [Link(f"{one}>{other}", one, other) for one, other in itertools.pairwise(chain)]
    links += [Link(f"w>{key}", "w", key) for key in chain[1:]]
    laid = arrange(items, links, Room(900, 10_000, down=True))
    places = [laid.corners[key][0] for key in chain[1:]]
    assert max(places) - min(places) < 12 * steps, "it leans to the side on which the edges pass"


@given(graphs(), st.booleans(), st.integers(200, 1200), st.integers(150, 900))
@settings(max_examples=80, deadline=None)
def test_no_box_lies_on_another_and_edges_follow_the_flow(
    graph: tuple[dict[str, Size], list[Edge]], down: bool, width: int, height: int
) -> None:
    sizes, edges = graph
    items = [Item(key, *size) for key, size in sizes.items()]
    links = [Link(edge.id, edge.source, edge.target, 60) for edge in edges]
    laid = arrange(items, links, Room(width, height, down))
    boxes = {key: (*laid.corners[key], *size) for key, size in sizes.items()}
    assert not overlapping(list(boxes.values()))
    for x, y, w, h in boxes.values():
        assert x >= 0
        assert y >= 0
        assert x + w <= laid.width + 0.1
        assert y + h <= laid.height + 0.1
    for edge in edges:
        way, (x, y, w, h), (u, v, a, _) = laid.ways[edge.id], boxes[edge.source], boxes[edge.target]
        start, end = way[0], way[-1]
        if down:
            assert start[1] == pytest.approx(y + h, abs=0.1)
            assert x <= start[0] <= x + w
            assert end[1] == pytest.approx(v, abs=0.1)
            assert u <= end[0] <= u + a
        else:
            assert start[0] == pytest.approx(x + w, abs=0.1)
            assert y <= start[1] <= y + h
            assert end[0] == pytest.approx(u, abs=0.1)
        if laid.bands == 1:
            assert (v > y + h) if down else (u > x + w)


def test_edges_into_one_box_end_beside_each_other() -> None:
    items = [Item("a", 100, 50), Item("b", 100, 50), Item("c", 100, 90)]
    links = [Link("e0", "a", "c"), Link("e1", "b", "c"), Link("e2", "b", "c")]
    for down in (False, True):
        laid = arrange(items, links, Room(900, 900, down))
        assert len({laid.ways[key][-1] for key in ("e0", "e1", "e2")}) == 3


def chain(length: int) -> tuple[dict[str, Size], list[Edge]]:
    sizes = {f"n{number}": (150.0, 72.0) for number in range(length)}
    return sizes, [Edge(f"e{k}", f"n{k}", f"n{k + 1}", 0) for k in range(length - 1)]


def test_a_long_chain_is_cut_into_bands_and_fills_its_room() -> None:
    sizes, edges = chain(16)
    laid = lay_out(sizes, edges, {}, page=(944, 560))
    assert laid.scale > 0.9
    items = [Item(key, *size) for key, size in sizes.items()]
    one = arrange(items, [Link(edge.id, edge.source, edge.target) for edge in edges], Room(9000, 560, False))
    assert one.bands == 1  # where there is room for it
    assert len({y for _, y in one.corners.values()}) == 1  # a chain is straight


def test_a_cut_that_a_weight_would_have_to_follow_is_dearer_than_the_next() -> None:
    chain = [f"c{number}" for number in range(9)]
    items = [Item(key, 140, 54) for key in (*chain[:4], "weight", *chain[4:])]
    links = [Link(f"{one}>{other}", one, other) for one, other in [*itertools.pairwise(chain), ("weight", "c4")]]
    laid = arrange(items, links, Room(900, 560, down=True))
    assert laid.bands == 2
    assert laid.corners["weight"][1] == laid.corners["c3"][1]  # and not above c4 in a layer of its own
    assert len({y for _, y in laid.corners.values()}) == 5


def test_a_chain_of_equal_boxes_downwards_is_a_column_and_no_staircase() -> None:
    sizes, edges = chain(5)
    laid = lay_out(sizes, edges, {}, page=(300, 900))
    assert laid.down
    assert len({x for x, _ in laid.corners.values()}) == 1


def test_what_comes_from_leaves_alone_stands_beside_its_use() -> None:
    sizes = dict.fromkeys(("w", "x1", "h1", "x2", "m", "h2", "h3"), (100.0, 60.0))
    ends = [("w", "h1"), ("x1", "h1"), ("h1", "h2"), ("h2", "h3"), ("w", "m"), ("x2", "m"), ("m", "h3")]
    edges = [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends)]
    laid = lay_out(sizes, edges, {}, page=(2000, 900))
    left = {key: x for key, (x, _) in laid.corners.items()}
    assert left["m"] == left["h2"]
    assert left["x2"] == left["h1"]


@st.composite
def grouped(draw: st.DrawFn) -> tuple[dict[str, Size], list[Edge], list[Group], list[str]]:
    """A graph with groups that are unbroken runs of its boxes, one inside another or beside it, some of them open."""
    sizes, edges = draw(graphs(12))
    keys = list(sizes)
    groups: list[Group] = []
    cut = draw(st.integers(0, len(keys)))
    for name, run in (("first", keys[:cut]), ("second", keys[cut:])):
        if len(run) > 1 and draw(st.booleans()):
            inner = run[1:] if len(run) > 3 and draw(st.booleans()) else []
            outer = Group(f"g{len(groups)}", name, name, "Linear", None, [k for k in run if k not in inner], len(run))
            groups.append(outer)
            if inner:
                groups.append(Group(f"g{len(groups)}", "inner", "inner", "Block", outer.id, inner, len(inner)))
    groups.sort(key=lambda group: group.parent is not None)
    return sizes, edges, groups, [group.id for group in groups if draw(st.booleans())]


@given(grouped())
@settings(max_examples=60, deadline=None)
def test_groups_hold_their_boxes_and_nothing_else(case: tuple[Any, ...]) -> None:
    sizes, edges, groups, shown = case
    laid = lay_out(sizes, edges, dict.fromkeys((edge.id for edge in edges), 50.0), groups, shown)
    boxes = {key: (*corner, *sizes[key]) for key, corner in laid.corners.items()}
    closed = {key: (f.x, f.y, f.width, f.height) for key, f in laid.frames.items() if not f.is_open}
    assert not overlapping([*boxes.values(), *closed.values()])
    homes = {box: group.id for group in groups for box in group.boxes}
    parents = {group.id: group.parent for group in groups}
    for box in sizes:
        path = [homes.get(box)]
        while path[-1] is not None:
            path.append(parents[path[-1]])
        around = [key for key in path if key is not None]
        assert (box in boxes) == all(key in shown for key in around)
        for key in around if box in boxes else ():
            frame, (x, y, w, h) = laid.frames[key], boxes[box]
            assert frame.x < x
            assert frame.y < y
            assert x + w < frame.x + frame.width
            assert y + h < frame.y + frame.height
    for key, (_, _, w, h) in closed.items():
        assert (w, h) == closed_size(next(group for group in groups if group.id == key))


def test_what_could_not_be_read_is_closed_again() -> None:
    sizes, edges = chain(40)
    runs = [[f"n{number}" for number in range(start, start + 8)] for start in range(0, 40, 8)]
    groups = [Group(f"g{k}", f"part {k}", f"part {k}", "", None, run, 8) for k, run in enumerate(runs)]
    shown = [group.id for group in groups]
    assert open_that_fit(sizes, edges, {}, groups, shown, (500, 300))[0] == []
    assert open_that_fit(sizes, edges, {}, groups, shown, (5000, 3000))[0] == shown


def test_a_band_within_a_group_costs_as_much_as_one_of_the_whole() -> None:
    """A network of two parts is one column while its numbers can be read: an arrow that winds is dearer than size."""
    sizes = {f"n{k}": (130.0, 42.0) for k in range(8)}
    edges = [Edge(f"e{k}", f"n{k}", f"n{k + 1}", 0) for k in range(7)]
    runs = ["n0", "n1", "n2", "n3"], ["n4", "n5", "n6"]
    groups = [Group(f"g{k}", f"part {k}", f"part {k}", "", None, run, len(run)) for k, run in enumerate(runs)]
    laid = lay_out(sizes, edges, {}, groups, ["g0", "g1"], (610, 540))
    assert laid.scale > READABLE
    assert len({round(x) for x, _ in laid.corners.values()}) == 1


def as_picture(sizes: dict[str, Size], edges: list[Edge], groups: list[Group], shown: list[str]) -> dict[str, Any]:
    return {
        "boxes": {key: {"size": size} for key, size in sizes.items()},
        "edges": [[edge.id, edge.source, edge.target] for edge in edges],
        "flows": {edge.id: 50.0 for edge in edges},
        "groups": [group.__dict__ for group in groups],
        "open": shown,
    }


def test_a_crowd_is_placed_as_what_was_seen_before_it_was() -> None:
    for side, again in ((33, "as before"), (3, "anew")):
        sizes = {f"{row}{number}": (90.0, 54.0) for row in "ab" for number in range(side)}
        pairs = itertools.product(range(side), repeat=2)
        edges = [Edge(f"e{k}", f"a{one}", f"b{other}", 0) for k, (one, other) in enumerate(pairs)]
        flat = lay_out(sizes, edges, {}, page=(100 * side, 20 * side))
        tall = lay_out(sizes, edges, {}, page=(20 * side, 100 * side))
        assert (flat.down, tall.down) == (True, False)
        kept = lay_out(sizes, edges, {}, page=(20 * side, 100 * side), before=flat)
        assert kept.down == (again == "as before")


def close(one: Any, other: Any) -> bool:
    """Whether all numbers agree to a tenth of a pixel."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(close(*pair) for pair in zip(one, other, strict=True))
    return one == other if isinstance(one, bool | str) else abs(one - other) < 0.1


def told(laid: Layout, shown: list[str]) -> dict[str, Any]:
    return {
        "width": laid.width,
        "height": laid.height,
        "down": laid.down,
        "open": shown,
        "corners": laid.corners,
        "frames": {key: [f.x, f.y, f.width, f.height, f.is_open] for key, f in laid.frames.items()},
        "ways": {wire.id: [stop[:2] for stop in wire.stops] for wire in laid.wires},
    }


def hard_cases() -> Iterator[tuple[Any, ...]]:
    """Chains that are cut into bands, where few edges pass; in parts, too, of which some are closed. And what cannot be
    drawn without crossings.
    """
    sizes, edges = chain(30)
    runs = [[f"n{number}" for number in range(*ends)] for ends in ((2, 16), (18, 28))]
    groups = [Group(f"g{k}", f"part {k}", f"part {k}", "Block", None, run, len(run)) for k, run in enumerate(runs)]
    for shown in (["g0", "g1"], ["g1"], []):
        for room in ((944, 560), (2600, 900), (500, 1400)):
            yield (sizes, edges, groups, shown), *room
    for source in range(1, 27, 2):
        yield (sizes, [*edges, Edge("passing", f"n{source}", f"n{source + 3}", 0)], [], []), 944, 560
    sizes, crossing = dict.fromkeys(("a", "b", "c", "x", "y", "z"), (90.0, 54.0)), itertools.product("abc", "xyz")
    yield (sizes, [Edge(f"e{k}", *ends, 0) for k, ends in enumerate(crossing)], [], []), 944, 560


@example(list(hard_cases()))
@given(st.lists(st.tuples(grouped(), st.integers(300, 1300), st.integers(200, 700)), min_size=40, max_size=40))
@settings(max_examples=2, deadline=None)
def test_the_page_lays_out_as_python_does(cases: list[Any]) -> None:
    node = shutil.which("node")
    assert node, "the page's side needs Node.js"
    asked = [{"picture": as_picture(*case), "room": {"width": w, "height": h}} for case, w, h in cases]
    script = IN_THE_PAGE % STATIC.as_uri()
    command = [node, "--input-type=module", "-e", script]
    answer = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=60)
    for (case, *page), there in zip(cases, json.loads(answer.stdout), strict=True):
        sizes, edges, groups, shown = case
        flows = dict.fromkeys((edge.id for edge in edges), 50.0)
        left, _ = open_that_fit(sizes, edges, flows, groups, shown, tuple(page))
        here = told(lay_out(sizes, edges, flows, groups, left, tuple(page)), left)
        assert close(here, there), (here, there)

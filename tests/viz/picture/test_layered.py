"""Where boxes and edges go: the same in Python and in the page, nothing on anything else, and edges downwards."""

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
from minigrad.viz.picture.layered import Item, Link, arrange
from minigrad.viz.picture.layout import Layout, closed_size, lay_out, words_width
from minigrad.viz.picture.measures import HEAD, MOST_STRANDS, THREAD, TITLE_ROOM

Size = tuple[float, float]
STATIC = Path(__file__).parents[3] / "minigrad" / "viz" / "static"
IN_THE_PAGE = """
import { readFileSync } from "node:fs";
import { GroupLayout } from "%s/layout.mjs";
const laid = JSON.parse(readFileSync(0, "utf8")).map((picture) => {
  const { width, height, boxes, groups, wires } = new GroupLayout(picture).layOut();
  const ways = Object.fromEntries(wires.map(({ id, points }) => [id, points.map(({ x, y }) => [x, y])]));
  const corners = Object.fromEntries([...boxes].map(([id, { x, y }]) => [id, [x, y]]));
  const framed = ({ x, y, w, h, open, title = 0 }) => [x, y, w, h, open, title];
  const frames = Object.fromEntries([...groups].map(([id, group]) => [id, framed(group)]));
  return { width, height, corners, frames, ways };
});
process.stdout.write(JSON.stringify(laid));
"""


@st.composite
def graphs(draw: st.DrawFn, most: int = 14) -> tuple[dict[str, Size], list[Edge]]:
    """Boxes of some sizes, and edges from earlier to later ones; two of them may lead from one box to another."""
    count = draw(st.integers(1, most))
    lengths = st.integers(8, 28).map(lambda length: 10.0 * length)
    sizes = {f"n{number}": (draw(lengths), draw(st.sampled_from([54.0, 72.0]))) for number in range(count)}
    ends = [
        (draw(st.integers(0, target - 1)), target) for target in range(1, count) for _ in range(draw(st.integers(0, 2)))
    ]
    return sizes, [Edge(f"e{k}", f"n{one}", f"n{other}", 0) for k, (one, other) in enumerate(ends)]


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
    laid = arrange(items, links)
    places = [laid.corners[key][0] for key in chain[1:]]
    assert max(places) - min(places) < 12 * steps, "it leans to the side on which the edges pass"


@given(graphs())
@settings(max_examples=80, deadline=None)
def test_no_box_lies_on_another_and_edges_go_downwards(graph: tuple[dict[str, Size], list[Edge]]) -> None:
    sizes, edges = graph
    items = [Item(key, *size) for key, size in sizes.items()]
    laid = arrange(items, [Link(edge.id, edge.source, edge.target) for edge in edges])
    boxes = {key: (*laid.corners[key], *size) for key, size in sizes.items()}
    assert not overlapping(list(boxes.values()))
    for x, y, w, h in boxes.values():
        assert x >= 0
        assert y >= 0
        assert x + w <= laid.width + 0.1
        assert y + h <= laid.height + 0.1
    for edge in edges:
        way, (x, y, w, h), (u, v, a, _) = laid.ways[edge.id], boxes[edge.source], boxes[edge.target]
        (start_x, start_y), (end_x, end_y) = way[0], way[-1]
        assert start_y == pytest.approx(y + h, abs=0.1)
        assert x <= start_x <= x + w
        assert end_y == pytest.approx(v, abs=0.1)
        assert u <= end_x <= u + a
        assert [y for _, y in way] == sorted(y for _, y in way)
        assert v > y + h


def test_edges_into_one_box_end_beside_each_other() -> None:
    items = [Item("a", 100, 50), Item("b", 100, 50), Item("c", 100, 90)]
    links = [Link("e0", "a", "c"), Link("e1", "b", "c"), Link("e2", "b", "c")]
    laid = arrange(items, links)
    assert len({laid.ways[key][-1] for key in ("e0", "e1", "e2")}) == 3


@pytest.mark.parametrize("count", [1, 2, MOST_STRANDS, MOST_STRANDS + 1])
def test_each_edge_between_two_boxes_is_drawn_unless_they_are_too_many(count: int) -> None:
    sizes = {"a": (138.0, 60.0), "b": (138.0, 60.0)}
    edges = [Edge(f"e{k}", "a", "b", k) for k in range(count)]
    wires = lay_out(sizes, edges).wires
    assert len(wires) == len({wire.id for wire in wires}) == (count if count <= MOST_STRANDS else 1)
    assert [key for wire in wires for key in wire.members] == [edge.id for edge in edges]
    tips = [wire.points[-1][0] for wire in wires]
    assert all(other - one > 9 for one, other in itertools.pairwise(tips)), "each has a place for its head"
    group = Group("g0", "part", "part", "Linear", None, ["b"], 1)
    assert [wire.members for wire in lay_out(sizes, edges, [group]).wires] == [tuple(edge.id for edge in edges)]


def chain(length: int) -> tuple[dict[str, Size], list[Edge]]:
    sizes = {f"n{number}": (150.0, 72.0) for number in range(length)}
    return sizes, [Edge(f"e{k}", f"n{k}", f"n{k + 1}", 0) for k in range(length - 1)]


@pytest.mark.parametrize("length", [5, 60])
def test_a_chain_of_equal_boxes_is_one_column_however_long(length: int) -> None:
    sizes, edges = chain(length)
    laid = lay_out(sizes, edges)
    assert len({x for x, _ in laid.corners.values()}) == 1
    assert len({y for _, y in laid.corners.values()}) == length


def laid_out(ends: list[tuple[str, str]], names: str) -> tuple[Layout, dict[str, float], dict[str, float]]:
    """Boxes of one size, in the order of making: the layout, and how far from the left and from the top each is."""
    sizes = dict.fromkeys(names.split(), (100.0, 60.0))
    layout = lay_out(sizes, [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends)])
    return layout, *({key: corner[axis] for key, corner in layout.corners.items()} for axis in (0, 1))


def test_what_is_made_of_the_same_is_level_and_in_the_order_of_making() -> None:
    """Two layers of one hidden value, of which one is used at once and the other at the end."""
    ends = [("x", "h"), ("h", "mu"), ("v", "mu"), ("h", "logvar"), ("w", "logvar"), ("logvar", "half"), ("half", "std")]
    ends += [("std", "z"), ("mu", "z"), ("z", "loss")]
    _, left, top = laid_out(ends, "x h v mu w logvar half std z loss")
    assert top["mu"] == top["logvar"]
    assert top["v"] == top["w"] == top["h"]
    assert left["mu"] < left["logvar"]
    _, left, top = laid_out(ends, "x h w logvar v mu half std z loss")
    assert top["mu"] == top["logvar"]
    assert left["logvar"] < left["mu"]


def test_what_is_used_at_each_step_of_a_long_chain_stands_beside_its_use() -> None:
    """The rows of one table, as a recurrence looks them up: level, they would be as wide as it is long."""
    steps = range(1, 9)
    ends = [("w", "table"), ("w", "h0")]
    for k in steps:
        ends += [("table", f"row{k}"), (f"row{k}", f"h{k}"), (f"h{k - 1}", f"h{k}")]
    _, _, top = laid_out(ends, " ".join(["w table h0", *(f"row{k} h{k}" for k in steps)]))
    assert [top[f"row{k}"] for k in steps[1:]] == [top[f"h{k - 1}"] for k in steps[1:]]


@pytest.mark.parametrize("turned", [False, True])
def test_calls_of_one_function_stand_in_the_order_of_the_code(turned: bool) -> None:
    """Three, of which the first leads somewhere else: they share weights that all stand above them."""
    names = ["w", "v", *(f"{part}{k}" for k in (1, 2, 3) for part in ("a", "b")), "penalty", "square", "sum", "loss"]
    ends = [(weight, f"{part}{k}") for k in (1, 2, 3) for weight, part in (("w", "a"), ("v", "b"))]
    ends += [(f"a{k}", f"b{k}") for k in (1, 2, 3)] + [
        ("b2", "sum"),
        ("b3", "sum"),
        ("b1", "penalty"),
        ("v", "penalty"),
    ]
    ends += [("penalty", "square"), ("square", "loss"), ("sum", "loss")]
    groups = [Group(f"g{k}", f"critic, call {k} of 3", "", "Critic", None, [f"a{k}", f"b{k}"]) for k in (1, 2, 3)]
    sizes = dict.fromkeys(names, (100.0, 60.0))
    edges = [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends[::-1] if turned else ends)]
    frames = lay_out(sizes, edges, groups, ["g1", "g2", "g3"]).frames
    assert frames["g1"].x < frames["g2"].x < frames["g3"].x


def test_what_comes_from_leaves_alone_stands_beside_its_use() -> None:
    sizes = dict.fromkeys(("w", "x1", "h1", "x2", "m", "h2", "h3"), (100.0, 60.0))
    ends = [("w", "h1"), ("x1", "h1"), ("h1", "h2"), ("h2", "h3"), ("w", "m"), ("x2", "m"), ("m", "h3")]
    edges = [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends)]
    top = {key: y for key, (_, y) in lay_out(sizes, edges).corners.items()}
    assert top["m"] == top["h2"]
    assert top["x2"] == top["h1"]


@pytest.mark.parametrize("is_computed", [False, True])
def test_what_is_computed_for_one_use_stands_beside_it_however_many_use_its_inputs(is_computed: bool) -> None:
    """As the terms of a sum, each of which looks up a row of one table and multiplies it by one vector."""
    steps = range(1, 9)
    names = ["table", "v", *(f"{one}{k}" for k in steps for one in ("row", "dot", "sum")), "sum0"]
    ends = [("table", "v")] if is_computed else []
    for k in steps:
        ends += [("table", f"row{k}"), (f"row{k}", f"dot{k}"), ("v", f"dot{k}")]
        ends += [(f"dot{k}", f"sum{k}"), (f"sum{k - 1}", f"sum{k}")]
    laid = lay_out(dict.fromkeys(names, (100.0, 60.0)), [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends)])
    top = {key: y for key, (_, y) in laid.corners.items()}
    assert all(top[f"dot{k}"] == top[f"sum{k - 1}"] for k in steps if k > 3)
    assert all(top[f"row{k}"] == top[f"sum{k - 2}"] for k in steps if k > 3)
    assert laid.width < 8 * 100  # what the terms take beside each other


def test_edges_from_one_box_run_together_as_long_as_they_can() -> None:
    items = [Item(key, 100, 50) for key in ("w", "a", "b", "c", "d")]
    chain_links = [Link(f"{one}>{other}", one, other, one) for one, other in itertools.pairwise("abcd")]
    laid = arrange(items, [*chain_links, *(Link(f"w>{key}", "w", key, "w") for key in "bcd")])
    short, long = laid.ways["w>c"], laid.ways["w>d"]
    assert long[: len(short) - 1] == short[:-1]
    assert len(long) > len(short)


def test_an_edge_leaves_its_layer_before_it_turns_below_a_taller_neighbour() -> None:
    items = [Item("low", 100, 50), Item("tall", 300, 400), Item("use", 100, 50)]
    laid = arrange(items, [Link("e0", "low", "use"), Link("e1", "tall", "use")])
    (x, y), (after_x, after_y) = laid.ways["e0"][:2]
    assert (after_x, after_y) == (x, 400)
    assert y < 400


def test_in_a_part_edges_come_in_the_order_of_where_they_come_from() -> None:
    sizes = dict.fromkeys(("a", "b", "x", "y"), (100.0, 50.0))
    edges = [Edge("e0", "a", "y", 0), Edge("e1", "b", "x", 0)]
    laid = lay_out(sizes, edges, [Group("g0", "part", "part", "Block", None, ["x", "y"], 2)], ["g0"])
    ends = {wire.id: (wire.points[0][0], wire.points[-1][0]) for wire in laid.wires}
    (a, y), (b, x) = ends["a>y"], ends["b>x"]
    assert (a < b) == (y < x), "the two cross"


def test_a_title_of_thousands_of_letters_makes_no_frame_wide() -> None:
    sizes, edges = chain(2)
    groups = [Group("g0", "n" * 10_000, "n" * 10_000, "K" * 10_000, None, list(sizes), 2)]
    assert lay_out(sizes, edges, groups, ["g0"]).width < 600


def crossings(ways: list[list[Any]]) -> int:
    """How many pairs of straight pieces of different edges cross."""

    def side(one: Any, other: Any, point: Any) -> float:
        return (other[0] - one[0]) * (point[1] - one[1]) - (other[1] - one[1]) * (point[0] - one[0])

    def cross(a: Any, b: Any, c: Any, d: Any) -> bool:
        return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0

    return sum(
        cross(*piece, *other)
        for way, other_way in itertools.combinations(ways, 2)
        for piece in itertools.pairwise(way)
        for other in itertools.pairwise(other_way)
    )


def test_a_graph_that_can_be_drawn_without_crossings_is_where_an_edge_has_to_pass_beside_its_layers() -> None:
    ends = [(0, 1), (0, 2), (0, 5), (1, 4), (2, 3), (3, 4), (4, 5)]
    laid = arrange(
        [Item(f"n{k}", 100, 50) for k in range(6)],
        [Link(f"e{k}", f"n{source}", f"n{target}", f"n{source}") for k, (source, target) in enumerate(ends)],
    )
    assert crossings([laid.ways[f"e{k}"] for k in range(len(ends))]) == 0


@pytest.mark.parametrize(
    ("ends", "cuts"),
    [
        ([(0, 1), (0, 3), (1, 2), (1, 4), (1, 5)], (3, 5)),
        ([(0, 1), (0, 2), (0, 3), (2, 4), (2, 5), (3, 4)], (3, 5)),
    ],
)
def test_parts_are_placed_again_when_what_is_around_them_has_moved(
    ends: list[tuple[int, int]], cuts: tuple[int, int]
) -> None:
    sizes = {f"n{number}": (140.0, 60.0) for number in range(6)}
    edges = [Edge(f"e{k}", f"n{one}", f"n{other}", 0) for k, (one, other) in enumerate(ends)]
    one, other = list(sizes)[: cuts[0]], list(sizes)[cuts[0] : cuts[1]]
    groups = [Group("g0", "a", "a", "L", None, one, len(one)), Group("g1", "b", "b", "L", None, other, len(other))]
    wires = lay_out(sizes, edges, groups, ["g0", "g1"]).wires
    assert crossings([wire.points for wire in wires]) == 0


def test_edges_turn_aside_for_a_title_rather_than_have_its_frame_twice_as_wide() -> None:
    """As those of the weights that a module uses, which come in on both sides of its input."""
    inner = ["h", "out"]
    sizes = dict.fromkeys(("w0", "x", "w1", *inner), (150.0, 72.0))
    ends = [("w0", "h"), ("x", "h"), ("w1", "h"), ("h", "out"), ("w0", "out"), ("w1", "out")]
    edges = [Edge(f"e{k}", *pair, 0) for k, pair in enumerate(ends)]
    group = Group("g0", "critic, call 2 of 3", "critic", "Sequential", None, inner, 2)
    laid = lay_out(sizes, edges, [group], ["g0"])
    frame = laid.frames["g0"]
    assert frame.width < words_width(group) + TITLE_ROOM + 6 * THREAD
    title = frame.x + frame.title, frame.x + frame.title + words_width(group) + 54
    ways = {wire.id: wire.points for wire in laid.wires if wire.target in inner and wire.source not in inner}
    coming = {key: next(x for x, y in way if y == pytest.approx(frame.y)) for key, way in ways.items()}
    assert not [key for key, x in coming.items() if title[0] < x < title[1]]
    assert all([y for _, y in way] == sorted(y for _, y in way) for way in ways.values())


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
            title = name * draw(st.integers(1, 5))
            outer = Group(f"g{len(groups)}", title, title, "Linear", None, [k for k in run if k not in inner], len(run))
            groups.append(outer)
            if inner:
                groups.append(Group(f"g{len(groups)}", "inner", "inner", "Block", outer.id, inner, len(inner)))
    groups.sort(key=lambda group: group.parent is not None)
    return sizes, edges, groups, [group.id for group in groups if draw(st.booleans())]


@given(grouped())
@settings(max_examples=60, deadline=None)
def test_groups_hold_their_boxes_and_nothing_else(case: tuple[Any, ...]) -> None:
    sizes, edges, groups, shown = case
    laid = lay_out(sizes, edges, groups, shown)
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
    for group in groups:
        frame = laid.frames.get(group.id)
        if frame is None or not frame.is_open:
            continue
        left, right = frame.x + frame.title + 8, frame.x + frame.title + words_width(group) + 54
        assert right <= frame.x + frame.width
        for wire in laid.wires:
            for (x, y), (_, below) in itertools.pairwise(wire.points):
                if y < frame.y + HEAD - 1 and below > frame.y + 1:
                    assert not left < x < right, "an edge runs through the title"
    for key, (_, _, w, h) in closed.items():
        assert (w, h) == closed_size(next(group for group in groups if group.id == key))


def as_picture(sizes: dict[str, Size], edges: list[Edge], groups: list[Group], shown: list[str]) -> dict[str, Any]:
    return {
        "boxes": {key: {"size": size} for key, size in sizes.items()},
        "edges": [[edge.id, edge.source, edge.target] for edge in edges],
        "groups": [group.__dict__ for group in groups],
        "open": shown,
    }


def close(one: Any, other: Any) -> bool:
    """Whether all numbers agree to a tenth of a pixel."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(close(*pair) for pair in zip(one, other, strict=True))
    return one == other if isinstance(one, bool | str) else abs(one - other) < 0.1


def told(laid: Layout) -> dict[str, Any]:
    return {
        "width": laid.width,
        "height": laid.height,
        "corners": laid.corners,
        "frames": {key: [f.x, f.y, f.width, f.height, f.is_open, f.title] for key, f in laid.frames.items()},
        "ways": {wire.id: wire.points for wire in laid.wires},
    }


def hard_cases() -> Iterator[tuple[Any, ...]]:
    """Chains with edges that pass; in parts, too, of which some are closed. And what has to cross."""
    sizes, edges = chain(30)
    runs = [[f"n{number}" for number in range(*ends)] for ends in ((2, 16), (18, 28))]
    groups = [Group(f"g{k}", f"part {k}", f"part {k}", "Block", None, run, len(run)) for k, run in enumerate(runs)]
    for shown in (["g0", "g1"], ["g1"], []):
        yield sizes, edges, groups, shown
    for source in range(1, 27, 2):
        yield sizes, [*edges, Edge("passing", f"n{source}", f"n{source + 3}", 0)], [], []
    sizes, crossing = dict.fromkeys(("a", "b", "c", "x", "y", "z"), (90.0, 54.0)), itertools.product("abc", "xyz")
    yield sizes, [Edge(f"e{k}", *ends, 0) for k, ends in enumerate(crossing)], [], []


@example(list(hard_cases()))
@given(st.lists(grouped(), min_size=40, max_size=40))
@settings(max_examples=2, deadline=None)
def test_the_page_lays_out_as_python_does(cases: list[Any]) -> None:
    node = shutil.which("node")
    assert node, "the page's side needs Node.js"
    script = IN_THE_PAGE % STATIC.as_uri()
    command = [node, "--input-type=module", "-e", script]
    asked = json.dumps([as_picture(*case) for case in cases])
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=60)
    for case, there in zip(cases, json.loads(answer.stdout), strict=True):
        here = told(lay_out(*case))
        assert close(here, there), (here, there)

"""The pictures and the stepper, without a browser: what they say is checked number by number against the engine."""

import base64
import hashlib
import itertools
import json
import linecache
import math
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import graphviz
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad import op, viz
from minigrad.viz import layout, rules, svg, values
from minigrad.viz.layout import LayoutError
from minigrad.viz.snapshot import LIMIT, Snapshot, snapshot

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLE = """\
A = mg.tensor([3.], requires_grad=True)
B = mg.tensor([2.], requires_grad=True)
C = A ** 2
D = B ** 2
E = C * D
F = D + E
"""
STEPPED = EXAMPLE + "s = viz.BackwardStepper(F)\n"
HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" 'twice' & <b>",
    "line\nbreak\r\tand tab",
    "javascript:alert(1)",
    "עברית",
    "\u202eflipped\u202c",
    "🦊🔥",
    "nul\0bell\x07esc\x1b",
    "]]>-->",
    "a" * 300,
    "",
    "\\N\\G\\l {x|y} <p>",
]
cells = itertools.count()


def cell(text: str, **names: Any) -> dict[str, Any]:
    """Run code as a notebook cell: its source is known to linecache, its variables are globals."""
    file = f"<cell {next(cells)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "__main__", "mg": mg, "viz": viz, **names}
    exec(compile(text, file, "exec"), scope)
    return scope


def seen(graph: Snapshot) -> dict[str, str]:
    """Name -> expression."""
    return {box.name: box.expression for box in graph.boxes}


def parsed(markup: str) -> ElementTree.Element:
    root = ElementTree.fromstring(markup)
    assert root.tag == SVG + "svg"
    return root


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (40.0, "40"),
        (-7, "-7"),
        (1 / 3, "0.3333"),
        (2 / 3 * 100, "66.67"),
        (12345.678, "12346"),
        (123456.0, "123456"),
        (1e6, "1e6"),
        (1234567.0, "1.235e6"),
        (0.00012345, "1.234e-4"),
        (1e-30, "1e-30"),
        (True, "True"),
        (np.float32(0.1), "0.1"),
        (float("nan"), "NaN"),
        (float("inf"), "Inf"),
        (float("-inf"), "-Inf"),
    ],
)
def test_a_number_has_four_significant_digits(value: Any, text: str) -> None:
    assert values.number(value) == text


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_a_written_number_is_close_to_the_number(value: float) -> None:
    written = float(values.number(value))
    assert math.isclose(written, value, rel_tol=1e-3, abs_tol=0)


def test_small_values_in_full_and_large_ones_in_outline() -> None:
    assert values.describe(np.float64(3)).text == "3"
    assert values.describe(np.array([[1, 2], [3, 4]])).text == "[[1, 2], [3, 4]]"
    assert values.describe(np.zeros((0, 3))).text == "[]"
    large = values.describe(np.arange(12.0).reshape(3, 4))
    assert (large.text, large.statistics) == ("[3, 4]", ("0", "5.5", "11"))
    assert large.full == "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]"
    assert values.describe(np.zeros((64, 10))).full == "[64, 10]"


def test_rounding_left_over_from_a_sum_is_called_zero() -> None:
    assert values.describe(np.array([1.0, -1.0, 1e-9, 0, 0, 0])).statistics == ("-1", "0", "1")


def test_nan_and_infinity_are_counted() -> None:
    assert values.describe(np.array([1.0, np.nan])).alarm == "1 NaN"
    large = np.zeros(100)
    large[:3], large[5] = np.nan, np.inf
    assert values.describe(large).alarm == "3 NaN and 1 Inf"
    assert values.describe(np.float64("nan")).alarm == "NaN"
    assert values.describe(np.arange(5)).alarm == ""


def pixels(address: str) -> np.ndarray[Any, Any]:
    """The palette indices of a heat map; every checksum in the file is checked."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, position = {}, 8
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind, content = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", data, position + 8 + length)[0] == zlib.crc32(kind + content)
        chunks[kind], position = content, position + 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    return np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]


def test_a_heat_map_is_symmetric_around_zero_and_shows_nan() -> None:
    assert pixels(values.heat_map(np.array([-2.0, -1, 0, 1, 2]))).tolist() == [[0, 4, 8, 12, 16]]
    assert pixels(values.heat_map(np.array([[0.0, np.nan], [np.inf, 1]]))).tolist() == [[8, 17], [18, 16]]
    assert pixels(values.heat_map(np.ones((64, 100)))).shape == (values.MAP_ROWS, values.MAP_COLUMNS)
    assert pixels(values.heat_map(np.zeros((2, 3, 5)))).shape == (6, 5)
    assert not pixels(values.heat_map(np.zeros((2, 5)))).tolist()[0][0] - 8


def test_a_heat_map_has_the_same_bytes_everywhere() -> None:
    digest = hashlib.sha256(values.heat_map(np.arange(640.0).reshape(64, 10) - 300).encode()).hexdigest()
    assert digest[:16] == "b4a19b4d9232388f"


# ---------------------------------------------------------------- snapshot and names


def test_the_example_as_a_snapshot() -> None:
    graph = snapshot(cell(EXAMPLE)["F"], frame=None)
    assert [(box.id, box.kind) for box in graph.boxes] == [
        ("n0", "leaf"),
        ("n1", "result"),
        ("n2", "leaf"),
        ("n3", "result"),
        ("n4", "result"),
        ("n5", "result"),
    ]
    assert graph.root == "n5"
    assert [(edge.id, edge.source, edge.target, edge.slot) for edge in graph.edges] == [
        ("e0", "n0", "n1", 0),
        ("e1", "n2", "n3", 0),
        ("e2", "n1", "n4", 0),
        ("e3", "n3", "n4", 1),
        ("e4", "n3", "n5", 0),
        ("e5", "n4", "n5", 1),
    ]
    assert [box.op for box in graph.boxes][3:] == ["PowBackward0", "MulBackward0", "AddBackward0"]
    assert [box.value.text for box in graph.boxes] == ["3", "9", "2", "4", "36", "40"]


def test_equal_code_gives_equal_snapshots() -> None:
    first, second = (snapshot(cell(EXAMPLE)["F"]) for _ in range(2))
    strip = [(box.id, box.name, box.expression, box.value) for box in first.boxes]
    assert strip == [(box.id, box.name, box.expression, box.value) for box in second.boxes]
    assert first.edges == second.edges


def test_a_snapshot_does_not_change_with_the_graph() -> None:
    scope = cell(EXAMPLE)
    graph = snapshot(scope["F"], {"A": scope["A"]})
    scope["F"].backward()
    assert graph.box("n0").grad.text == "None"
    assert snapshot(scope["F"], {"A": scope["A"]}).box("n0").grad.text == "24"
    with pytest.raises(AttributeError):
        graph.root = "n0"  # type: ignore[misc]


def test_names_are_the_callers_variables() -> None:
    graph = cell(STEPPED)["s"]._graph
    assert seen(graph) == {"A": "leaf", "C": "A ** 2", "B": "leaf", "D": "B ** 2", "E": "C * D", "F": "D + E"}


def test_unnamed_results_are_numbered_and_stand_in_expressions() -> None:
    scope = cell(
        "x = mg.tensor([1., 2., 3.], requires_grad=True)\nt1 = 5\n"
        "loss = ((x * 2 + 1) * x).exp().sum()\nd = viz.draw(loss)\n"
    )
    assert seen(scope["d"].graph) == {
        "x": "leaf",
        "t0": "x * 2",
        "t1": "t0 + 1",
        "t2": "t1 * x",
        "t3": "t2.exp()",
        "loss": "t3.sum()",
    }


def test_a_numbered_name_gives_way_to_a_variable_of_that_name() -> None:
    scope = cell("t0 = mg.tensor(2., requires_grad=True)\nloss = t0 * 3 + 1\nd = viz.draw(loss)\n")
    assert seen(scope["d"].graph) == {"t0": "leaf", "t1": "t0 * 3", "loss": "t1 + 1"}


def test_names_inside_containers_objects_and_functions() -> None:
    scope = cell(
        "class Model:\n    pass\n"
        "model = Model()\nmodel.bias = mg.tensor([1.], requires_grad=True)\n"
        "w = [mg.tensor([2.], requires_grad=True)]\n"
        "params = {'scale': mg.tensor([3.], requires_grad=True)}\n"
        "def forward(x):\n    hidden = x * params['scale']\n    return hidden + model.bias\n"
        "out = forward(w[0])\nd = viz.draw(out)\n"
    )
    assert seen(scope["d"].graph) == {
        "w[0]": "leaf",
        "params['scale']": "leaf",
        "hidden": "x * params['scale']",
        "model.bias": "leaf",
        "out": "hidden + model.bias",
    }


def test_a_loop_reuses_a_name_for_the_last_result_only() -> None:
    scope = cell("x = mg.tensor(2., requires_grad=True)\ny = x\nfor _ in range(3):\n    y = y * x\nd = viz.draw(y)\n")
    assert seen(scope["d"].graph) == {"x": "leaf", "t0": "y * x", "t1": "y * x", "y": "y * x"}


def test_names_argument_comes_first_and_is_checked() -> None:
    scope = cell(EXAMPLE)
    graph = viz.draw(scope["F"], names={"loss": scope["F"], "weight": scope["A"]}).graph
    assert {"loss", "weight"} <= set(seen(graph))
    with pytest.raises(TypeError, match=r"names\['loss'\] must be a Tensor, not float"):
        viz.draw(scope["F"], names={"loss": 3.0})
    with pytest.raises(TypeError, match="must map a name to a tensor"):
        viz.draw(scope["F"], names={3: scope["A"]})  # type: ignore[dict-item]


def test_no_address_is_shown_anywhere() -> None:
    scope = cell(STEPPED + "s.last()\nd = viz.draw(F)\n")
    for text in (
        repr(scope["s"]),
        repr(scope["d"]),
        scope["s"].trace(),
        scope["d"].svg,
        repr(viz.make_dot(scope["F"])),
    ):
        assert "0x" not in text
        assert not any(str(id(scope[name])) in text for name in "ABCDEF")


def test_constants_are_shown_where_a_rule_saved_them() -> None:
    scope = cell(
        "images = mg.ones(4, 3)\nw = mg.ones(3, 2, requires_grad=True)\n"
        "out = images @ w\nd = viz.draw((out * 2.).sum())\n"
    )
    kinds = {box.name: box.kind for box in scope["d"].graph.boxes}
    assert kinds["images"] == "constant"
    assert list(kinds.values()).count("constant") == 1  # the number 2 stands in the expression
    (edge,) = [edge for edge in scope["d"].graph.edges if not edge.carries]
    assert scope["d"].graph.box(edge.source).name == "images"


def test_values_that_nobody_kept_are_said_to_be_lost() -> None:
    scope = cell("w = mg.ones(20, 20, requires_grad=True)\nloss = (w + w).sum()\nd = viz.draw(loss)\n")
    lost = scope["d"].graph.named("t0")
    assert not lost.value.known
    assert lost.value.text == "[20, 20]"
    assert "not kept" in scope["d"].svg


def test_a_record_keeps_no_large_result_alive() -> None:
    scope = cell("w = mg.ones(20, 20, requires_grad=True)\ny = w + w\nnode = y.grad_fn\n")
    assert scope["node"]._creation.value() is not None
    del scope["y"]
    assert scope["node"]._creation.value() is None


def test_the_graph_of_a_leaf_is_one_box() -> None:
    graph = viz.draw(mg.ones(2, requires_grad=True)).graph
    assert [(box.kind, box.value.text) for box in graph.boxes] == [("leaf", "[1, 1]")]
    assert viz.draw(mg.ones(2)).graph.boxes[0].kind == "constant"


def test_a_graph_made_without_records_is_drawn_all_the_same() -> None:
    previous = mg.op.set_creation_observer(None)
    try:
        scope = cell(EXAMPLE)
    finally:
        mg.op.set_creation_observer(previous)
    stepper = viz.BackwardStepper(scope["F"], names={name: scope[name] for name in "ABCDEF"})
    stepper.last()
    assert seen(stepper._graph)["E"] == "mul(C, D)"
    assert all(frame.line is None for frame in stepper.frames)
    assert scope["A"].grad.tolist() == [24.0]


# ---------------------------------------------------------------- layout and drawing


def test_layout_is_the_same_each_time_and_nothing_overlaps() -> None:
    scope = cell(EXAMPLE)
    first = svg.draw_svg(snapshot(scope["F"]))
    layout.arrange.cache_clear()
    assert svg.draw_svg(snapshot(scope["F"])).svg == first.svg
    boxes = {
        group.get("data-box"): (
            *(float(number) for number in group.get("transform", "")[10:-1].split()),
            float(group.find(f"{SVG}rect").get("width")),  # type: ignore[union-attr, arg-type]
            float(group.find(f"{SVG}rect").get("height")),  # type: ignore[union-attr, arg-type]
        )
        for group in parsed(first.svg).iter(f"{SVG}g")
        if group.get("data-box")
    }
    assert len(boxes) == 6
    for (x, y, w, h), (u, v, a, b) in itertools.combinations(boxes.values(), 2):
        assert x + w < u or u + a < x or y + h < v or v + b < y
    for edge in snapshot(scope["F"]).edges:  # inputs stand to the left
        assert boxes[edge.source][0] + boxes[edge.source][2] < boxes[edge.target][0]


def test_edges_end_at_the_sides_of_boxes_beside_each_other() -> None:
    sized = (layout.Sized("a", 100, 50), layout.Sized("b", 100, 50), layout.Sized("c", 100, 90))
    placed = layout.arrange(
        sized, (layout.Wire("e0", "a", "c"), layout.Wire("e1", "b", "c"), layout.Wire("e2", "b", "c")), 80
    )
    x, y = placed.corners["c"]
    ends = [placed.curves[key][-1] for key in ("e0", "e1", "e2")]
    assert all(abs(end[0] - x) < 1 and y < end[1] < y + 90 for end in ends)
    assert len({end[1] for end in ends}) == 3


def test_a_wide_still_picture_is_laid_out_downwards() -> None:
    scope = cell("x = mg.tensor(1., requires_grad=True)\nfor _ in range(12):\n    x = x.sin()\n")
    drawing = svg.draw_svg(snapshot(scope["x"]))
    assert drawing.height > drawing.width
    live = svg.draw_svg(snapshot(scope["x"]), {}, live=True)
    assert live.width > live.height


def test_a_missing_a_failing_and_a_slow_program_are_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope = cell(EXAMPLE)

    def fails_with(script: str, message: str) -> None:
        program = tmp_path / "program"
        program.write_text(script)
        program.chmod(0o755)
        layout.arrange.cache_clear()
        monkeypatch.setenv("MINIGRAD_LAYOUT", str(program))
        with pytest.raises(LayoutError, match=message):
            viz.draw(scope["F"])

    fails_with("#!/bin/sh\necho 'syntax error near x' >&2\nexit 1\n", "the layout program failed: syntax error near x")
    monkeypatch.setattr(layout, "SECONDS", 0.2)
    fails_with("#!/bin/sh\nexec sleep 20\n", "took longer than 0 seconds, so it was stopped")
    monkeypatch.setenv("MINIGRAD_LAYOUT", "no-such-program-anywhere")
    with pytest.raises(LayoutError, match="names the layout program 'no-such-program-anywhere', which is not there"):
        viz.draw(scope["F"])
    monkeypatch.delenv("MINIGRAD_LAYOUT")
    monkeypatch.setattr(layout, "_bundled", lambda: None)
    with pytest.raises(LayoutError, match="pip install graphviz-pure"):
        viz.draw(scope["F"])


def test_too_large_a_graph_is_refused_at_once() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + x
    for ask in (viz.draw, viz.BackwardStepper, viz.make_dot):
        with pytest.raises(ValueError, match=f"more than {LIMIT} nodes, too many to draw"):
            ask(y)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_harmless_text(name: str) -> None:
    scope = cell(EXAMPLE)
    graph = viz.draw(scope["F"], names={name: scope["D"]})
    check_harmless(graph.svg)
    stepper = viz.BackwardStepper(scope["F"], names={name: scope["D"]})
    check_harmless(stepper.picture["svg"])
    stepper.next()
    stepper.next()
    check_harmless(stepper._repr_mimebundle_()[0]["image/svg+xml"])
    assert "\n" not in repr(stepper)
    assert [json.loads(text)["index"] for text in stepper.recorded] == [0, 1, 2]
    check_harmless(viz.make_dot(scope["F"], params={name: scope["A"]})._repr_image_svg_xml())
    assert graph.graph.box("n3").name == name


@given(st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_leaves_the_svg_well_formed(name: str) -> None:
    box = HOSTILE_GRAPH.boxes[0]
    graph = Snapshot("n0", (values_replace(box, name),), ())
    check_harmless(svg.draw_svg(graph).svg)


HOSTILE_GRAPH = snapshot(mg.ones(2, requires_grad=True))


def values_replace(box: Any, name: str) -> Any:
    from dataclasses import replace

    return replace(box, name=name, expression=name[:20])


def check_harmless(markup: str) -> None:
    """Well-formed, and nothing in it that a browser would run or fetch, or that turns text around."""
    markup = markup[markup.index("<svg") :]
    for element in parsed(markup).iter():
        assert element.tag.removeprefix(SVG) in {
            "svg",
            "g",
            "title",
            "rect",
            "path",
            "text",
            "image",
            "polygon",
            "ellipse",
        }
        for attribute, value in element.attrib.items():
            assert not attribute.lower().startswith("on")
            assert not attribute.endswith("href") or value.startswith("data:image/png;base64,")
        for character in element.text or "":
            assert not 0x202A <= ord(character) <= 0x202E
            assert not 0x2066 <= ord(character) <= 0x2069


def test_draw_shows_itself_as_svg_and_as_a_table() -> None:
    drawing = cell(EXAMPLE + "d = viz.draw(F)\n")["d"]
    bundle = drawing._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    check_harmless(bundle["image/svg+xml"])
    assert bundle["text/plain"].splitlines() == [
        "   made by               from  value  grad",
        "A  leaf                        3      None",
        "C  PowBackward0  A ** 2  A     9",
        "B  leaf                        2      None",
        "D  PowBackward0  B ** 2  B     4",
        "E  MulBackward0  C * D   C, D  36",
        "F  AddBackward0  D + E   D, E  40",
    ]


def test_draw_after_backward_shows_the_leaves_gradients() -> None:
    drawing = cell(EXAMPLE + "F.backward()\nd = viz.draw(F)\n")["d"]
    assert [box.grad.text for box in drawing.graph.boxes if box.kind == "leaf"] == ["24", "40"]


def test_nan_is_drawn_as_an_alarm() -> None:
    scope = cell("x = mg.tensor([-1.], requires_grad=True)\ny = x.log()\nd = viz.draw(y)\n")
    (text,) = [
        element.text for element in parsed(scope["d"].svg).iter(f"{SVG}text") if "mg-alarm" in element.get("class", "")
    ]
    assert text == "⚠ NaN"


def test_make_dot_has_torchvizs_colours_and_no_addresses() -> None:
    scope = cell(EXAMPLE)
    graph = viz.make_dot(scope["F"], params={"A": scope["A"], "B": scope["B"]}, show_attrs=True, show_saved=True)
    assert isinstance(graph, graphviz.Digraph)
    for piece in (
        "MulBackward0",
        "AccumulateGrad",
        "fillcolor=lightblue",
        "fillcolor=darkolivegreen1",
        "fillcolor=orange",
        "A\\n [1]",
    ):
        assert piece in graph.source
    assert graph.source == viz.make_dot(scope["F"], {"A": scope["A"], "B": scope["B"]}, True, True).source
    drawn = graph.pipe("svg")
    assert parsed(drawn[drawn.index(b"<svg") :].decode()).find(f".//{SVG}text") is not None
    with pytest.raises(TypeError, match=r"make_dot\(\) expected a Tensor, but got float"):
        viz.make_dot(3.0)


# ---------------------------------------------------------------- rules


def test_rules_are_found_for_every_op() -> None:
    """Each rule of each node class that the engine has is written out from its source."""
    nodes = [op.node_type(function) for function in vars(op.tensors).values() if op.is_recorded(function)]
    found = {(node.__name__, name): rules.expression_of(rule) for node in nodes for name, rule in node.rules.items()}
    assert len(found) > 200
    assert [key for key, expression in found.items() if expression is None] == []


@pytest.mark.parametrize(
    ("rule", "bound", "source", "numbers"),
    [
        (lambda F, g, other: g * other, {"g": np.float64(1), "other": np.float64(4)}, "g * other", "1 * 4"),
        (lambda F, g, other: g * -other, {"g": np.float64(-1), "other": np.float64(-4)}, "g * -other", "-1 * -(-4)"),
        (lambda F, g, x: g * F.cos(x), {"g": np.float64(2), "x": np.float64(0)}, "g * cos(x)", "2 * cos(0)"),
        (lambda F, g, n: g * n if n else g * 0, {"g": np.float64(2), "n": 3}, "g * n", "2 * 3"),
        (lambda F, g, x: g * x, {"g": np.array([1, 2]), "x": np.array([3, -4])}, "g * x", "[1, 2] * [3, -4]"),
        (
            lambda F, g, w: g @ w.T,
            {"g": rules.Sizes((64, 10)), "w": rules.Sizes((5, 10))},
            "g @ w.T",
            "g[64, 10] @ w.T[10, 5]",
        ),
    ],
)
def test_a_rule_as_code_and_with_numbers(
    rule: Callable[..., Any], bound: dict[str, Any], source: str, numbers: str
) -> None:
    written = rules.explain(rule, "self", bound, {})
    assert (written.source, written.numbers) == (source, numbers)


@pytest.mark.parametrize("rule", [None, len, print, lambda *a, **k: None, eval("lambda F, g: g"), object()])
def test_a_rule_without_source_is_described(rule: Any) -> None:
    assert rules.explain(rule, "weight", {}, {}).source


# ---------------------------------------------------------------- frames: the example, number by number


@pytest.fixture
def example() -> dict[str, Any]:
    return cell(STEPPED)


def test_before_anything_ran(example: dict[str, Any]) -> None:
    (frame,) = example["s"].frames
    assert (frame.index, frame.total, frame.box, frame.line) == (0, 6, None, None)
    assert set(frame.grads.values()) == {"None"}
    assert [turn.name for turn in frame.ready] == ["F"]
    assert frame.next is not None
    assert frame.next.name == "F"
    assert example["A"].grad is None
    assert "None, which is not the same as 0" in frame.spoken


def test_each_step_of_the_example(example: dict[str, Any]) -> None:
    stepper = example["s"]
    names = {box.id: box.name for box in stepper._graph.boxes}
    told = []
    while (frame := stepper.next()) is not None:
        sent = {item.name: (item.text, item.joint) for item in frame.contributions}
        grads = {names[key]: text for key, text in frame.grads.items()}
        told.append(
            (frame.name, frame.op, frame.incoming, sent, frame.freed, grads["C"], grads["D"], grads["A"], grads["B"])
        )
    assert told == [
        ("F", "AddBackward0", "1", {"D": ("g = 1", ""), "E": ("g = 1", "")}, (), "None", "1", "None", "None"),
        (
            *("E", "MulBackward0", "1"),
            {"C": ("g * D = 1 * 4 = 4", ""), "D": ("g * C = 1 * 9 = 9", "1 + 9 = 10")},
            *(("C", "D"), "4", "10", "None", "None"),
        ),
        (
            "D",
            "PowBackward0",
            "10",
            {"B": ("g * 2 * B ** (2 - 1) = 10 * 2 * 2 ** (2 - 1) = 40", "")},
            ("B",),
            "4",
            "10",
            "None",
            "None",
        ),
        ("B", "AccumulateGrad", "40", {}, (), "4", "10", "None", "40"),
        (
            "C",
            "PowBackward0",
            "4",
            {"A": ("g * 2 * A ** (2 - 1) = 4 * 2 * 3 ** (2 - 1) = 24", "")},
            ("A",),
            "4",
            "10",
            "None",
            "40",
        ),
        ("A", "AccumulateGrad", "24", {}, (), "4", "10", "24", "40"),
    ]
    assert stepper.next() is None
    assert stepper.index == 6


def test_who_waits_for_whom(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.next()
    frame = stepper.frames[1]
    assert [(turn.name, turn.arrived, turn.needed) for turn in frame.waiting if turn.arrived] == [("D", 1, 2)]
    assert [turn.name for turn in frame.ready] == ["E"]
    frame = stepper.next()
    assert [(turn.name, turn.arrived, turn.needed) for turn in frame.ready] == [("D", 2, 2), ("C", 1, 1)]
    assert [turn.name for turn in frame.done] == ["F", "E"]
    states = {box.name: (frame.states[box.id].state, frame.states[box.id].badge) for box in stepper._graph.boxes}
    assert states == {
        "A": ("idle", ""),
        "B": ("idle", ""),
        "C": ("ready", "ready"),
        "D": ("ready", "next ▸"),
        "E": ("ran", "just ran"),
        "F": ("done", "✓ done"),
    }
    assert dict(frame.edges) == {"e0": "idle", "e1": "idle", "e2": "now", "e3": "now", "e4": "done", "e5": "done"}
    assert dict(frame.chips) == {"e2": "1 * 4 = 4", "e3": "1 * 9 = 9"}


def test_the_next_to_run_is_the_one_that_runs(example: dict[str, Any]) -> None:
    example["s"].last()
    for before, after in itertools.pairwise(example["s"].frames):
        assert before.next is not None
        assert before.next.box == after.box


def test_the_line_of_each_node_is_lit(example: dict[str, Any]) -> None:
    example["s"].last()
    (source,) = example["s"]._graph.sources
    text = dict(source.lines)
    lit = []
    for frame in example["s"].frames[1:]:
        assert frame.line is not None
        _, first, last, start, end = frame.line
        assert first == last
        lit.append(text[first][start:end])
    assert lit == [
        "D + E",
        "C * D",
        "B ** 2",
        "mg.tensor([2.], requires_grad=True)",
        "A ** 2",
        "mg.tensor([3.], requires_grad=True)",
    ]
    assert source.title == "your cell"


def test_columns_are_counted_in_characters() -> None:
    scope = cell("δέλτα = mg.tensor(2., requires_grad=True)\nσ = δέλτα * δέλτα\ns = viz.BackwardStepper(σ)\ns.next()\n")
    frame = scope["s"].frame
    assert frame.line[1:] == (2, 2, 4, 17)
    assert seen(scope["s"]._graph) == {"δέλτα": "leaf", "σ": "δέλτα * δέλτα"}


def test_trace_says_what_the_picture_says(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    trace = stepper.trace()
    for frame in stepper.frames:
        for line in frame.story:
            assert line.text in trace
        for chip in frame.chips.values():
            assert chip in trace
        for turn in (*frame.ready, *frame.waiting):
            assert turn.text in trace
    assert "your line 5: E = C * D" in trace
    assert "added to what came from F: 1 + 9 = 10" in trace
    assert "its saved tensors C and D are freed" in trace


def test_frames_cannot_be_changed(example: dict[str, Any]) -> None:
    frame = example["s"].frames[0]
    with pytest.raises(AttributeError):
        frame.index = 3
    with pytest.raises(TypeError):
        frame.states["n0"] = None


def test_the_pages_frames_add_up_to_pythons(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    boxes: dict[str, Any] = {}
    edges: dict[str, str] = {}
    for frame, told in zip(stepper.frames, map(json.loads, stepper.recorded), strict=True):
        boxes |= told["boxes"]
        edges |= told["edges"]
        assert edges == dict(frame.edges)
        assert {key: box["state"] for key, box in boxes.items()} == {
            key: state.state for key, state in frame.states.items()
        }
        assert [piece[1] for line in told["story"] for piece in line["pieces"]] == [
            text for line in frame.story for _, text in line.pieces
        ]


def test_a_gradient_from_before_is_added_to() -> None:
    scope = cell(EXAMPLE + "(A * 7).backward()\ns = viz.BackwardStepper(F)\n")
    stepper = scope["s"]
    assert "A.grad still holds 7 from before" in stepper.frames[0].spoken
    stepper.last()
    assert "A.grad held 7 from before, and backward() adds: 7 + 24 = 31" in stepper.frames[-1].spoken
    assert scope["A"].grad.tolist() == [31.0]
    stepper.first()
    assert scope["A"].grad.tolist() == [7.0]


def test_a_broadcast_input_is_said_to_be_summed() -> None:
    scope = cell(
        "w = mg.ones(4, 3, requires_grad=True)\nb = mg.ones(3, requires_grad=True)\n"
        "y = (w + b).sum()\ns = viz.BackwardStepper(y)\n"
    )
    stepper = scope["s"]
    stepper.run_to("t0")
    (item,) = [item for item in stepper.frame.contributions if item.name == "b"]
    assert item.summed == "summed from [4, 3] to [3], because b was broadcast: [4, 4, 4]"
    stepper.last()
    assert scope["b"].grad.tolist() == [4.0, 4.0, 4.0]


def test_large_tensors_are_told_by_shape() -> None:
    scope = cell(
        "x = mg.rand(64, 5)\nw = mg.rand(5, 10).requires_grad_()\ny = (x @ w).sum()\ns = viz.BackwardStepper(y)\n"
    )
    stepper = scope["s"]
    frame = stepper.run_to("t0")
    (item,) = frame.contributions
    assert item.rule.numbers == "self.T[5, 64] @ g[64, 10]"
    assert item.value.heat.startswith("data:image/png;base64,")
    assert item.text.startswith("x.T @ g = self.T[5, 64] @ g[64, 10] = [5, 10] (min ")


def test_nan_in_a_gradient_is_called_out() -> None:
    scope = cell("x = mg.tensor(0., requires_grad=True)\ny = x.sqrt() * 0.\ns = viz.BackwardStepper(y)\ns.last()\n")
    assert any("⚠ NaN in the gradient for x" in frame.spoken for frame in scope["s"].frames)
    assert json.loads(scope["s"].recorded[-1])["boxes"]["n0"]["grad"] == "⚠ NaN"


# ---------------------------------------------------------------- arguments, as in backward()


def test_a_leaf_used_twice_waits_for_both() -> None:
    scope = cell("x = mg.tensor(3., requires_grad=True)\ny = x * x\ns = viz.BackwardStepper(y)\n")
    frame = scope["s"].next()
    assert [item.joint for item in frame.contributions] == ["", "3 + 3 = 6"]
    assert frame.grads["n0"] == "None"  # two gradients have arrived, but .grad is written when AccumulateGrad runs
    assert scope["s"].next().grads["n0"] == "6"
    assert scope["s"].next() is None


def test_gradient_inputs_and_retain_graph() -> None:
    scope = cell(EXAMPLE)
    stepper = viz.BackwardStepper(scope["F"], gradient=mg.tensor([10.0]), inputs=[scope["B"]], retain_graph=True)
    stepper.last()
    assert scope["A"].grad is None
    assert scope["B"].grad.tolist() == [400.0]
    assert all(frame.freed == () for frame in stepper.frames)
    scope["F"].backward()  # the graph is still there
    assert [stepper._graph.box(frame.box).op for frame in stepper.frames[1:]].count("PowBackward0") == 1
    with pytest.raises(ValueError, match="does not run in this backward pass"):
        stepper.run_to(next(box.name for box in stepper._graph.boxes if box.id == "n1"))


def test_a_result_among_inputs_gets_its_grad_and_gives_it_back() -> None:
    scope = cell(EXAMPLE)
    stepper = viz.BackwardStepper(scope["F"], inputs=[scope["D"]], names={name: scope[name] for name in "ABCDEF"})
    assert stepper.frames[0].total == 2
    stepper.last()
    assert scope["D"].grad.tolist() == [10.0]
    stepper.first()
    assert scope["D"].retains_grad  # it was asked for, so it is kept from now on
    assert scope["D"].grad is None


def test_create_graph_gives_gradients_with_a_graph() -> None:
    scope = cell("x = mg.tensor(3., requires_grad=True)\ny = x ** 3\n")
    stepper = viz.BackwardStepper(scope["y"], create_graph=True)
    stepper.last()
    first = scope["x"].grad
    assert first.item() == 27
    stepper.back()
    assert scope["x"].grad is None
    stepper.next()
    assert scope["x"].grad is first
    (second,) = mg.autograd.grad(first, scope["x"])
    assert second.item() == 18


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("viz.BackwardStepper(3.)", TypeError, "expected a Tensor as its root, but got float: 3.0"),
        ("viz.BackwardStepper('loss')", TypeError, "expected a Tensor as its root, but got str"),
        ("viz.BackwardStepper(None)", TypeError, "got NoneType"),
        (
            "viz.BackwardStepper(A)",
            RuntimeError,
            "element 0 of tensors is a leaf and does not have a grad_fn.*compute something",
        ),
        (
            "viz.BackwardStepper(mg.ones(1))",
            RuntimeError,
            "element 0 of tensors does not require grad and does not have a grad_fn",
        ),
        (
            "viz.BackwardStepper(mg.stack([E, F]))",
            RuntimeError,
            "grad can be implicitly created only for scalar outputs",
        ),
        ("viz.BackwardStepper(F, gradient=mg.ones(3))", RuntimeError, "Mismatch in shape"),
        ("viz.BackwardStepper(F, gradient=1.)", TypeError, "gradients can be either Tensors or None, but got float"),
        ("viz.BackwardStepper(F, inputs=[])", RuntimeError, "cannot be empty"),
        ("viz.BackwardStepper(F, inputs=[mg.ones(1)])", RuntimeError, "does not require grad"),
        (
            "F.backward(); viz.BackwardStepper(F)",
            RuntimeError,
            "Trying to backward through the graph a second time.*retain_graph=True",
        ),
        ("viz.BackwardStepper(F).run_to('Z')", ValueError, "no box is named 'Z'; there are: A, C, B, D, E, F"),
        ("viz.draw(3.)", TypeError, "expected a Tensor, but got float: 3.0"),
    ],
)
def test_bad_input_is_explained(code: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cell(EXAMPLE + code + "\n")


def test_nothing_runs_when_the_stepper_cannot_be_made() -> None:
    scope = cell(EXAMPLE)
    with pytest.raises(RuntimeError):
        viz.BackwardStepper(scope["F"], gradient=mg.ones(3))
    scope["F"].backward()
    assert scope["A"].grad.tolist() == [24.0]


def test_a_failing_step_raises_from_code_and_is_shown_after_a_click(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.next()
    example["F"].backward()
    stepper.request = {"to": 2, "nth": 1}  # a click
    assert stepper.problem["text"].startswith("RuntimeError: Trying to backward through the graph a second time")
    assert stepper._graph.box(stepper.problem["box"]).name == "E"
    assert (stepper.index, stepper.answered) == (1, 1)
    with pytest.raises(RuntimeError, match="this pass cannot go on: its last step failed"):
        stepper.next()
    assert stepper.back().index == 0


@pytest.mark.parametrize(
    "request_", [{}, {"to": "x", "nth": "y"}, {"to": None}, {"to": True, "nth": 3}, {"to": 1e9}, {"nth": 2}]
)
def test_a_malformed_request_changes_nothing(example: dict[str, Any], request_: dict[str, Any]) -> None:
    example["s"].request = request_
    assert example["s"].index == 0
    assert len(example["s"].frames) == 1


def test_requests_out_of_range_are_clamped(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.request = {"to": 99, "nth": 1}
    assert (stepper.index, stepper.finished, stepper.answered) == (6, True, 1)
    stepper.request = {"to": -5, "nth": 2}
    assert (stepper.index, stepper.answered) == (0, 2)
    assert example["A"].grad is None


def test_the_widgets_bundle_carries_the_picture_too(example: dict[str, Any]) -> None:
    example["s"].run_to("E")
    data, _ = example["s"]._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == "BackwardStepper of F: step 2 of 6, next to run: D"
    texts = [element.text for element in parsed(data["image/svg+xml"]).iter(f"{SVG}text")]
    assert {"1 * 4 = 4", "1 + 9 = 10", "just ran", "next ▸"} <= set(texts)


# ---------------------------------------------------------------- properties


UNARY = ["sin", "exp", "tanh", "neg", "relu", "sum", "mean", "sigmoid"]
BINARY = ["add", "sub", "mul"]
SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (2, 3), (2, 1)]
PROGRAMS = st.tuples(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3),
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(UNARY), st.integers(0, 99), st.just(0)),
            st.tuples(st.sampled_from(BINARY), st.integers(0, 99), st.integers(0, 99)),
        ),
        min_size=1,
        max_size=9,
    ),
)


def build(program: Any) -> tuple[list[Any], Any]:
    """The leaves and the scalar root of a random program; equal programs give equal graphs."""
    shapes, steps = program
    leaves = [
        mg.tensor(np.linspace(-1, 1.5, math.prod(shape) + k)[k:].reshape(shape).tolist(), requires_grad=True)
        for k, shape in enumerate(shapes)
    ]
    pool = list(leaves)
    for name, first, second in steps:
        one, other = pool[-1 - first % len(pool)], pool[-1 - second % len(pool)]
        pool.append(getattr(mg, name)(one) if name in UNARY else getattr(mg, name)(one, other))
    return leaves, pool[-1].sum()


def grads(leaves: list[Any]) -> list[Any]:
    return [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]


@given(PROGRAMS)
@settings(max_examples=40, deadline=None)
def test_stepping_to_the_end_is_backward(program: Any) -> None:
    leaves, root = build(program)
    root.backward()
    expected = grads(leaves)
    leaves, root = build(program)
    stepper = viz.BackwardStepper(root)
    while (frame := stepper.next()) is not None:
        before = stepper.frames[frame.index - 1]
        assert before.next is not None
        assert before.next.box == frame.box
        assert len(frame.done) + len(frame.ready) + len(frame.waiting) == frame.total
    assert grads(leaves) == expected
    assert stepper.index == stepper.frames[0].total


@given(PROGRAMS, st.lists(st.sampled_from(["next", "back", "first", "last", "request"]), max_size=14), st.data())
@settings(max_examples=40, deadline=None)
def test_any_walk_shows_recorded_frames_and_restores_grad(program: Any, moves: list[str], data: st.DataObject) -> None:
    leaves, root = build(program)
    stepper = viz.BackwardStepper(root)
    recorded: dict[int, tuple[Any, Any]] = {0: (stepper.frame, grads(leaves))}
    nth = 0
    for move in moves:
        if move == "request":
            nth += 1
            stepper.request = {"to": data.draw(st.integers(-1, 30)), "nth": nth}
            assert stepper.answered == nth
        else:
            getattr(stepper, move)()
        now = (stepper.frame, grads(leaves))
        assert recorded.setdefault(stepper.index, now) == now
        assert stepper.frame.index == stepper.index
        shown = {key: state.grad.text for key, state in stepper.frame.states.items()}
        for box, node in zip(stepper._graph.boxes, stepper._graph.nodes, strict=True):
            if box.kind == "leaf":
                held = node.variable.grad
                assert shown[box.id] == ("None" if held is None else values.describe(held.numpy()).text)


def test_going_back_and_forth_keeps_the_same_grad_object(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    gradient = example["A"].grad
    stepper.first()
    assert example["A"].grad is None
    stepper.last()
    assert example["A"].grad is gradient


def test_a_node_runs_once_however_often_it_is_walked_over(
    example: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stepper = example["s"]
    ran: list[str] = []
    write = stepper._recorder._ran
    monkeypatch.setattr(stepper._recorder, "_ran", lambda key: ran.append(key) or write(key))
    for _ in range(3):
        stepper.last()
        stepper.first()
    assert ran == [frame.box for frame in stepper.frames[1:]]
    assert len(set(ran)) == 6


# ---------------------------------------------------------------- what the tests of the page's side are made of


def page_examples() -> Iterator[tuple[str, dict[str, Any]]]:
    scope = cell(STEPPED)
    scope["s"].last()
    yield "example", as_model(scope["s"])
    scope = cell(EXAMPLE)
    hostile = viz.BackwardStepper(
        scope["F"], names=dict(zip(HOSTILE[:6], (scope[name] for name in "ABCDEF"), strict=True))
    )
    hostile.last()
    yield "hostile", as_model(hostile)
    scope = cell(
        "x = mg.ones(16, 8)\nw = mg.full((8, 4), 0.5, requires_grad=True)\n"
        "logits = x @ w\nloss = (logits * logits).mean()\n"
        "s = viz.BackwardStepper(loss)\ns.last()\n"
    )
    yield "large", as_model(scope["s"])


def as_model(stepper: Any) -> dict[str, Any]:
    return {"picture": stepper.picture, "recorded": stepper.recorded}


def test_the_examples_of_the_js_tests_are_what_python_makes() -> None:
    """tests/js/examples.json feeds tests/js/stepper.test.mjs. To make it anew: python tests/test_viz.py."""
    stored = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(dict(page_examples()))) == stored


EXAMPLES = Path(__file__).parent / "js" / "examples.json"

if __name__ == "__main__":
    EXAMPLES.write_text(json.dumps(dict(page_examples()), ensure_ascii=True, indent=1) + "\n", encoding="utf-8")

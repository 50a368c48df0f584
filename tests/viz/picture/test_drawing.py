"""The layout and the drawing: nothing overlaps, nothing hostile gets through, failures are explained."""

import itertools
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import graphviz
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viz.cells import EXAMPLE, HOSTILE, SVG, cell, check_harmless, parsed, shown_in, still

import minigrad as mg
from minigrad import viz
from minigrad.viz import dot
from minigrad.viz.dot import LayoutError
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import MOST_NODES
from minigrad.viz.picture import svg
from minigrad.viz.picture.image import image_html
from minigrad.viz.picture.markup import attribute, markup, shorten_words, value_text
from minigrad.viz.sources import snapshot_of as snapshot


def test_layout_is_the_same_each_time_and_nothing_overlaps() -> None:
    scope = cell(EXAMPLE)
    first = svg.draw_svg(snapshot(scope["F"]))
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
    for edge in snapshot(scope["F"]).edges:  # inputs stand above
        assert boxes[edge.source][1] + boxes[edge.source][3] < boxes[edge.target][1]


def test_an_edge_goes_from_its_first_point_to_its_last() -> None:
    """In curves that leave downwards and arrive so: as on the page (tests/js/drawing.test.mjs)."""
    assert svg.path_of([(0, 0), (40, 20), (40, 60)]) == "M0 0C0 10 40 10 40 20C40 40 40 40 40 60"


def test_a_missing_a_failing_and_a_slow_program_are_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope = cell(EXAMPLE)

    def fails_with(script: str, message: str) -> None:
        program = tmp_path / "program"
        program.write_text(script)
        program.chmod(0o755)
        monkeypatch.setenv("MINIGRAD_LAYOUT", str(program))
        with pytest.raises(LayoutError, match=message):
            viz.make_dot(scope["F"])._repr_image_svg_xml()

    fails_with("#!/bin/sh\necho 'syntax error near x' >&2\nexit 1\n", "the layout program failed: syntax error near x")
    monkeypatch.setattr(dot, "SECONDS", 0.2)
    fails_with("#!/bin/sh\nexec sleep 20\n", "took longer than 0 seconds, so it was stopped")
    monkeypatch.setenv("MINIGRAD_LAYOUT", "no-such-program-anywhere")
    with pytest.raises(LayoutError, match="names the layout program 'no-such-program-anywhere', which is not there"):
        viz.make_dot(scope["F"]).pipe("svg")
    monkeypatch.delenv("MINIGRAD_LAYOUT")
    monkeypatch.setattr(dot, "_bundled_program", lambda: None)
    with pytest.raises(LayoutError, match="pip install graphviz-pure"):
        viz.make_dot(scope["F"]).pipe("svg")


def test_the_kind_of_a_group_stands_beside_its_name_unless_that_says_it() -> None:
    scope = cell(
        "head = mg.nn.Linear(2, 1)\nloss = head(mg.nn.Linear(3, 2)(mg.ones(4, 3))).sum()\n"
        "s = viz.BackwardStepper(loss)\n"
    )
    image = parsed(still(scope["s"]))
    titles = [group for group in image.iter(f"{SVG}g") if group.get("class") == "mg-group-title"]
    assert [[text.text or "" for text in title.iter(f"{SVG}text")] for title in titles] == [
        ["Linear", ""],
        ["head", "Linear"],
    ]


def test_a_title_lies_above_the_edges_that_come_in_below_it() -> None:
    loop = "w = mg.ones(2, requires_grad=True)\ntotal = 0.0\nfor k in range(15):\n    "
    loop += "loss = (w * k - 1) ** 2\n    total = total + loss\n"
    image = parsed(viz.draw(cell(loop)["total"]).svg)
    drawn = [part.get("class") for part in image.iter() if part.tag in (f"{SVG}g", f"{SVG}path")]
    assert "mg-group-title" in drawn
    assert drawn.index("mg-group-title") > max(k for k, name in enumerate(drawn) if name == "mg-wire")


def test_a_wide_picture_is_as_wide_as_a_notebook_s_page_but_never_too_small_to_be_read() -> None:
    for inputs, scale in ((2, None), (30, svg.SMALLEST)):
        tensors = [mg.ones(3, requires_grad=True) for _ in range(inputs)]
        image = parsed(viz.draw(mg.stack(tensors)).svg)
        width, height = (float(image.get(name, 0)) for name in ("width", "height"))
        _, _, whole, high = map(float, image.get("viewBox", "").split())
        assert width / whole == pytest.approx(height / high, rel=1e-3)
        assert width / whole == pytest.approx(scale or min(1, svg.PAGE / whole), rel=1e-3)
    assert width > svg.PAGE
    assert svg.SMALLEST * float(image.get("font-size", 0)) >= 10


def test_too_large_a_graph_is_refused_at_once() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + x
    for ask in (viz.draw, viz.BackwardStepper, viz.make_dot):
        with pytest.raises(ValueError, match=f"more than {MOST_NODES} nodes, too many to draw"):
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
    check_harmless(still(stepper))
    assert "\n" not in repr(stepper)
    assert [json.loads(text)["index"] for text in stepper.recorded] == [0, 1, 2]
    check_harmless(viz.make_dot(scope["F"], params={name: scope["A"]})._repr_image_svg_xml())
    assert graph.graph.by_id["n3"].name == name


@given(st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_text_leaves_the_svg_well_formed(name: str) -> None:
    box = HOSTILE_GRAPH.boxes[0]
    graph = Snapshot("n0", (values_replace(box, name),), ())
    check_harmless(svg.draw_svg(graph).svg)


HOSTILE_GRAPH = snapshot(mg.ones(2, requires_grad=True))


def values_replace(box: Any, name: str) -> Any:
    return replace(box, name=name, expression=name[:20])


def test_draw_shows_itself_as_svg_and_as_a_table() -> None:
    drawing = cell(EXAMPLE + "d = viz.draw(F)\n")["d"]
    bundle = drawing._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/svg+xml", "text/plain"}
    assert shown_in(bundle["text/html"]) == drawing.svg == bundle["image/svg+xml"]
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


def test_a_long_name_leaves_its_expression_room() -> None:
    first, second, third = mg.tensor([1.0, 2.0, 3.0], requires_grad=True).unbind()
    drawing = viz.draw(first * third + second)._repr_mimebundle_()["image/svg+xml"]
    name = re.search(r'class="mg-name"[^>]*>(first[^<]*)<', drawing)
    expression = re.search(r'class="mg-expression" x="([\d.]+)"[^>]*>(unbind)<', drawing)
    assert name
    assert expression
    assert svg.PAD + len(name[1]) * svg.NAME_WIDTH < float(expression[1]) - len(expression[2]) * svg.MONO_WIDTH


def test_a_name_without_room_is_cut_where_it_says_least() -> None:
    path, code = "net.encoder.layers.0.attention.out.weight", "mg.tensor([1.0, 0.0, 3.0, 5.0])"
    assert path.endswith(svg.short_name(path).removeprefix("…"))
    assert svg.short_name(path).startswith("…")
    assert code.startswith(svg.short_name(code).removesuffix("…"))
    assert svg.short_name(code).endswith("…")


@pytest.mark.parametrize(
    ("text", "room", "short"),
    [
        ("first, second, third", 17, "first, second,…"),
        ("torch.logsumexp(alpha, dim=0)", 25, "torch.logsumexp(alpha,…"),
        ("mg.tensor([1.0, 0.25, 3.0])", 20, "mg.tensor([1.0,…"),
        ("a_name_that_is_far_too_long", 18, "a_name_that_is_…"),
        ("temperature", 6, "tempe…"),  # one word is all there is
        ("for step in range(2)", 20, "for step in range(2)"),
        ("größe der schritte", 12, "größe der…"),
    ],
)
def test_no_word_is_cut_in_its_middle(text: str, room: int, short: str) -> None:
    assert shorten_words(text, room) == short


@pytest.mark.parametrize(
    ("room", "shown"),
    [(26, "[1, 5] | [1, 5] | [1, 5]"), (23, "[1, 5] | [1, 5] | …"), (18, "[1, 5] | …"), (9, "3 results")],
)
def test_of_several_results_none_is_cut(room: int, shown: str) -> None:
    assert value_text("[1, 5] | [1, 5] | [1, 5]", (1, 5), room) == shown


def test_a_box_says_its_operation_where_its_expression_has_no_room() -> None:
    scope = cell(
        "y = mg.tensor([1.0, 2.0, 3.0], requires_grad=True).cumsum(0)\nz = mg.nn.functional.softmax(y, dim=0)\n"
    )
    boxes = {box.name: box for box in snapshot(scope["z"]).boxes}
    beside = {name: svg.texts_in_box(boxes[name], 150)["beside"] for name in ("y", "z")}
    assert beside == {"y": "cumsum", "z": "softmax(y,…"}


@pytest.mark.parametrize(
    ("made", "told"),
    [("mg.tensor([-1.]).log()", "⚠ NaN"), ("mg.full((4, 2), mg.nan)", "8 NaN")],
    ids=["one", "many: beside the map is no room for the sign"],
)
def test_nan_is_drawn_as_an_alarm(made: str, told: str) -> None:
    scope = cell(f"x = ({made}).requires_grad_()\nd = viz.draw(x * 2, names={{'x': x}})\n")
    texts = [
        element.text for element in parsed(scope["d"].svg).iter(f"{SVG}text") if "mg-alarm" in element.get("class", "")
    ]
    assert texts == [told] * 2


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


def test_make_dot_draws_each_edge_and_says_of_which_output_it_is_where_there_are_several(torch: Any) -> None:
    for library in (mg, torch):
        first, _, third = library.tensor([1.0, 2.0, 3.0], requires_grad=True).unbind()
        source = viz.make_dot(first * third).source
        assert re.findall(r'n1 -> n2 \[label=" (\d)"', source) == ["0", "2"], source
        square = viz.make_dot(first * first).source
        assert square.count("n1 -> n2\n") == 2
        assert 'label=" 0"' not in square


def test_two_edges_between_two_boxes_are_told_apart_where_that_tells_something(torch: Any) -> None:
    for library in (mg, torch):
        first, second, last_of_three_results = library.tensor([1.0, 2.0, 3.0], requires_grad=True).unbind()
        c = first * 2
        drawn = {
            "c * c": (c * c, ["", ""]),
            "c - c": (c - c, ["1st", "2nd"]),
            "first / second": (first / second, ["first", "second"]),
            "first * last_of_three_results": (first * last_of_three_results, ["first", "[2]"]),
            "stack of three": (library.stack([c, c, c]), ["1st", "", "3rd"]),
            "stack of five": (library.stack([c, c, c, c, c]), ["×5"]),
        }
        for name, (root, marks) in drawn.items():
            edges = [
                edge for edge in parsed(viz.draw(root).svg).iter(f"{SVG}g") if edge.get("class") == "mg-edge mg-idle"
            ]
            texts = [[text.text for text in edge.iter(f"{SVG}text")] for edge in edges]
            assert ["".join(map(str, text)) for text in texts][-len(marks) :] == marks, name


def test_what_flows_along_two_edges_between_two_boxes_stands_on_both_sides_of_them() -> None:
    scope = cell("x = mg.tensor(3.0, requires_grad=True)\nc = x * 2\nd = c - c\ns = viz.BackwardStepper(d)\ns.next()")
    places = chip_places(still(scope["s"]))
    assert [text for text, *_ in places] == ["1", "-1"]
    (_, left, y, _), (_, right, also_y, _) = places
    assert left < right
    assert y == also_y
    assert places[0][1] + places[0][3] / 2 < right - places[1][3] / 2, "one hides the other"
    assert "1st" not in still(scope["s"])


def chip_places(drawn: str) -> list[tuple[str, float, float, float]]:
    """Of each chip its text, its middle, and its width."""
    chips = [group for group in parsed(drawn).iter(f"{SVG}g") if group.get("class") == "mg-chip"]
    return [
        (
            "".join(chip.itertext()),
            *(float(number) for number in chip.get("transform", "")[10:-1].split()),
            float(chip.find(f"{SVG}rect").get("width")),  # type: ignore[union-attr, arg-type]
        )
        for chip in chips
    ]


def test_make_dot_renders_to_files_without_the_program_dot(tmp_path: Path) -> None:
    graph = viz.make_dot(cell(EXAMPLE)["F"])
    picture = graph.render("net", tmp_path, format="png")
    assert picture == str(tmp_path / "net.png")
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "net").read_text(encoding="utf-8") == graph.source
    assert graph.render(tmp_path / "other", cleanup=True) == str(tmp_path / "other.svg")
    assert graph.render(outfile=tmp_path / "third.svg", cleanup=True) == str(tmp_path / "third.svg")
    with pytest.raises(LayoutError, match="not recognized"):
        graph.render(tmp_path / "fourth", format="unknown")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net", "net.png", "other.svg", "third.svg"]


def test_make_dot_renders_to_a_file_in_a_folder_with_its_source_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = viz.make_dot(cell(EXAMPLE)["F"])
    assert Path(graph.render(outfile="net.svg", directory="deep")) == Path("deep", "net.svg")
    assert sorted(str(path) for path in Path().rglob("*.*")) == [
        str(Path("deep", name)) for name in ("net.gv", "net.svg")
    ]


def test_make_dot_draws_each_result_of_one_node() -> None:
    scope = cell("x = mg.ones(3, 2, requires_grad=True)\nlow, high, both = x.split(1)\n")
    graph = viz.make_dot((scope["low"], scope["high"], scope["low"]), params={"a": scope["low"], "b": scope["high"]})
    results = [line for line in graph.source.splitlines() if "darkolivegreen1" in line]
    assert len({line.split()[0] for line in results}) == 2
    assert sum("a\\n" in line for line in results) == 2  # asked for twice, it is one box
    assert sum("b\\n" in line for line in results) == 1


OWN_FUNCTION = """
class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        y = x * w
        ctx.save_for_backward(x, w, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, w, _ = ctx.saved_tensors
        return g * w, g * x

x, w = torch.ones(2, requires_grad=True), torch.ones(2)
y = Kept.apply(x, w)
"""


def saved_in_dot(source: str) -> list[tuple[str, str]]:
    """What the orange boxes of a graph say: name and shape."""
    return re.findall(r'label="([^"\\]+)\\n ([^"]+)" fillcolor=orange', source)


def test_make_dot_shows_what_a_function_of_ones_own_saved(torch: Any) -> None:
    expected = [("tensor 0", "[2]"), ("tensor 1", "[2]"), ("tensor 2", "[2]")]
    for library in (mg, torch):
        y = cell(OWN_FUNCTION, torch=library)["y"]
        source = viz.make_dot(y, show_saved=True, show_attrs=True).source
        assert saved_in_dot(source) == expected, library.__name__
        assert "tensor 0: [2]\\ntensor 1: [2]\\ntensor 2: [2]" in source
        assert y.sum().backward() is None
        assert saved_in_dot(viz.make_dot(y, show_saved=True).source) == []  # freed


def test_make_dot_unpacks_nothing_that_a_function_of_ones_own_saved() -> None:
    called: list[Any] = []
    with mg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.numpy(), called.append):
        y = cell(OWN_FUNCTION, torch=mg)["y"]
    assert saved_in_dot(viz.make_dot(y, show_saved=True).source) == []
    assert not called


def test_make_dot_shows_each_tensor_of_a_saved_tuple(torch: Any) -> None:
    for library, name in ((mg, "index"), (torch, "indices")):
        x = library.ones(3, 4, requires_grad=True)
        y = x[library.tensor([0, 1]), library.tensor([0, 1])]
        source = viz.make_dot(y, show_saved=True, show_attrs=True).source
        assert saved_in_dot(source) == [(f"{name}[0]", "[2]"), (f"{name}[1]", "[2]")], library.__name__
        assert f"{name}: ([2], [2])" in source
        assert f"{name}: ([2],)" in viz.make_dot(x[library.tensor([0, 1])], show_attrs=True).source


def test_make_dot_grows_with_its_text_as_torchvizs_does() -> None:
    x = mg.ones(1, requires_grad=True)
    assert 'size="12,12"' in viz.make_dot(x * 2).source
    y = x
    for _ in range(100):
        y = y * 2
    graph = viz.make_dot(y)
    assert len(graph.body) == 205
    assert 'size="30.75,30.75"' in graph.source


@pytest.mark.parametrize(
    "shape", [(10, 2), (2, 10), (64, 10), (4, 128), (4, 16, 8, 8), (100,), (12, 64, 7, 7), (2, 1000)]
)
def test_the_shape_of_a_large_value_is_never_cut(shape: tuple[int, ...]) -> None:
    x = mg.full(shape, 0.5, requires_grad=True)
    drawn = viz.draw(x * 2).svg
    assert drawn.count(f">{list(shape)}</text>") >= 2


@pytest.mark.parametrize("name", ["WWMWMWMWMWMWMWMWMW", "MAXIMUM_WEIGHT_MATRIX_OF_LAYER_ONE", "mmmmmmmmmmmmm", "iiii"])
def test_a_name_of_wide_letters_leaves_room_for_what_stands_beside_it(name: str) -> None:
    """In DejaVu Sans Bold of 13 pixels, the widest font that is asked for."""
    widths = {"W": 14.4, "M": 13.0, "m": 13.6, "i": 4.5, "A": 10.1, "X": 10.0, "I": 4.9, "U": 10.6, "_": 6.5, "E": 8.9}
    widths |= {"G": 10.7, "H": 10.9, "T": 8.9, "R": 10.0, "…": 13.0}
    x = mg.tensor(2.0, requires_grad=True)
    box = next(box for box in snapshot(x * 1, {name: x}).boxes if box.kind == "leaf")
    width, _ = svg.box_size(box, True)
    words = svg.texts_in_box(box, width)
    taken = svg.PAD + sum(widths[letter] for letter in words["label"])
    assert words["beside"] == "leaf"
    assert taken < width - svg.PAD - len("leaf") * svg.MONO_WIDTH


def test_a_box_whose_numbers_have_no_room_anyway_is_no_wider_for_them() -> None:
    x = mg.tensor([[0.95811, 0.72521, 0.59333, 0.11234]], requires_grad=True)
    short, long = (snapshot(one).boxes[-1] for one in (x.round(), x * 1))
    width, _ = svg.box_size(long, True)
    assert width < svg.box_size(short, True)[0]
    assert svg.row_text(long.value, width).startswith("[1, 4] 0.9581, ")


def test_a_value_that_is_too_long_is_cut_before_its_map() -> None:
    x = mg.full((2,) * 12, 0.5, requires_grad=True)
    box = snapshot(x * 2).boxes[-1]
    assert box.value.heat
    assert box.value.text == str([2] * 12)
    row = svg.row_text(box.value, svg.WIDEST)
    assert row.startswith("[2, 2, ")
    assert row.endswith("…")
    assert len(row) * svg.MONO_WIDTH <= svg.WIDEST - 2 * svg.PAD - svg.LABEL - svg.MAP_WIDTH


def test_where_no_program_can_be_started_minigrads_own_layout_draws_the_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dot, "HAS_THREADS", False)
    monkeypatch.setattr(dot, "run", lambda *_: pytest.fail("a program was started"))
    w, x = mg.ones(2, requires_grad=True), mg.ones(2)
    graph = viz.make_dot((w * x).sum(), {"w & <b>": w}, show_saved=True)
    picture = parsed(graph.pipe("svg").decode())
    texts = ["".join(element.itertext()) for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    for said in ("w & <b>", "AccumulateGrad", "MulBackward0", "SumBackward0", "other"):
        assert said in texts
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}rect"))) == graph.source.count("label=")
    ways = [one for one in picture.iter("{http://www.w3.org/2000/svg}path") if one.get("fill") == "none"]
    assert len(ways) == graph.source.count("->")
    graph.edges([("n0", "a remark")])  # what a learner adds is there, too
    added = ["".join(text.itertext()) for text in parsed(graph.pipe("svg").decode()).iter(f"{SVG}text")]
    assert added == [*texts, "a remark"]
    with pytest.raises(LayoutError, match="in a browser no layout program can be started: there is SVG, not 'png'"):
        graph.pipe("png")


def test_quotes_in_what_learners_write_are_as_they_were_in_an_address() -> None:
    words = ['loss(x, reduction="sum")', "d['w']", "'=\"' + ='a'", '="']
    titles = "".join(f'<text id={attribute(text)} x="1">{markup(text)}</text>' for text in words)
    shown = image_html(f'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">{titles}</svg>', "words", "still")
    texts = parsed(unquote(unescape(re.search(r'src="data:image/svg\+xml,([^"]*)"', shown)[1])))
    assert [(text.get("id"), text.text) for text in texts] == [(text, text) for text in words]

"""What is copied of a graph, and what the boxes are called."""

import pytest
from viz.cells import EXAMPLE, STEPPED, cell, seen

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.sources import snapshot_of as snapshot


def test_the_example_as_a_snapshot() -> None:
    graph = snapshot(cell(EXAMPLE)["F"])
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
    assert graph.by_id["n0"].grad.text == "None"
    assert snapshot(scope["F"], {"A": scope["A"]}).by_id["n0"].grad.text == "24"
    with pytest.raises(AttributeError):
        graph.root = "n0"  # type: ignore[misc]


def test_names_are_the_callers_variables() -> None:
    graph = cell(STEPPED)["s"].session.graph
    assert seen(graph) == {"A": "leaf", "C": "A ** 2", "B": "leaf", "D": "B ** 2", "E": "C * D", "F": "D + E"}


def test_of_a_long_cell_the_lines_in_question_are_shown_and_their_neighbours() -> None:
    others = "".join(f"k{number} = {number}\n" for number in range(24))
    code = f"import math\nx = mg.tensor(1.0, requires_grad=True)\n{others}y = x * 2\nk = 1\nd = viz.draw(y)\n"
    (source,) = cell(code)["d"].graph.listings
    lines = code.splitlines()
    shown = [(number, lines[number - 1]) for number in (1, 2, 3, 26, 27, 28)]
    assert list(source.lines) == [*shown[:3], (0, ""), *shown[3:]]


def test_blank_lines_at_the_end_of_a_cell_are_not_shown() -> None:
    (source,) = cell("x = mg.tensor(1.0, requires_grad=True)\nd = viz.draw(x * 2)\n\n    \n")["d"].graph.listings
    assert [number for number, _ in source.lines] == [1, 2]


@pytest.mark.parametrize(("size", "known"), [(64, True), (65, False)])
def test_a_result_that_nothing_holds_is_copied_as_long_as_it_is_small(size: int, known: bool) -> None:
    graph = cell(f"x = mg.ones({size}, requires_grad=True)\nd = viz.draw((x + 1).sum())\n")["d"].graph
    (box,) = [box for box in graph.boxes if box.op == "AddBackward0"]
    assert box.value.known == known


def line_of_leaf(graph: Snapshot) -> str:
    """The line of code that is shown for the only leaf of a graph."""
    (leaf,) = [box.id for box in graph.boxes if box.kind == "leaf"]
    source, line, *_ = graph.marks_of(leaf)[0]
    return dict(graph.listings[source].lines)[line]


def test_a_leaf_has_its_line_in_the_cell_that_asks_before_those_where_its_operations_stand() -> None:
    grow = cell("def grow(y):\n    return y * 3\n\nx = mg.tensor(5.0, requires_grad=True)\n")["grow"]
    asks = cell("k = 1\nx = mg.tensor(1.0, requires_grad=True)\nd = viz.draw(grow(x))\n", grow=grow)
    assert line_of_leaf(asks["d"].graph) == "x = mg.tensor(1.0, requires_grad=True)"


def test_a_leaf_does_not_have_a_line_that_runs_after_the_picture() -> None:
    before = cell("w = mg.tensor(2.0, requires_grad=True)\ny = w * 2\n")
    asks = cell("d = viz.draw(y)\nw = mg.tensor(7.0, requires_grad=True)\n", y=before["y"], w=before["w"])
    assert line_of_leaf(asks["d"].graph) == "w = mg.tensor(2.0, requires_grad=True)"


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


def test_a_loop_gives_a_name_again_and_again() -> None:
    scope = cell("x = mg.tensor(2., requires_grad=True)\ny = x\nfor _ in range(3):\n    y = y * x\nd = viz.draw(y)\n")
    assert seen(scope["d"].graph) == {"x": "leaf", "y₁": "y * x", "y₂": "y * x", "y₃": "y * x"}


def test_names_argument_comes_first_and_is_checked() -> None:
    scope = cell(EXAMPLE)
    graph = viz.draw(scope["F"], names={"loss": scope["F"], "weight": scope["A"]}).graph
    assert {"loss", "weight"} <= set(seen(graph))
    with pytest.raises(TypeError, match=r"names\['loss'\] must be a Tensor or a Module, not float"):
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
    assert scope["d"].graph.by_id[edge.source].name == "images"


def test_values_that_nobody_kept_are_said_to_be_lost() -> None:
    scope = cell("w = mg.ones(20, 20, requires_grad=True)\nloss = (w + w).sum()\nd = viz.draw(loss)\n")
    lost = scope["d"].graph.box_named("t0")
    assert not lost.value.known
    assert lost.value.text == "[20, 20]"
    assert "not kept" in scope["d"].svg
    assert "[20, 20], not kept" in str(scope["d"])


def test_a_small_value_of_pytorchs_that_nobody_kept_is_told_by_its_shape() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    graph = viz.draw((x * 2 + 1).sum() * 3).graph
    told = {box.op: (box.value.text, box.value.full.partition(":")[0]) for box in graph.boxes if not box.value.known}
    assert told["AddBackward0"] == ("[2]", "not kept")
    assert told["SumBackward0"] == ("a number", "not kept")


def test_what_is_all_nan_was_kept() -> None:
    x = mg.full((20,), float("nan"), requires_grad=True)
    assert "not kept" not in str(viz.draw((x * 2).sum(), names={"x": x}))


def test_a_layer_without_bias_has_no_box_for_one() -> None:
    mg.manual_seed(0)
    layer, image = mg.nn.Conv2d(1, 2, 3, bias=False), mg.ones(1, 1, 5, 5)
    graph = viz.draw(layer(image).sum(), names={"layer": layer, "image": image}).graph
    assert sorted(box.name for box in graph.boxes if box.kind != "result") == ["image", "layer.weight"]


def test_a_record_keeps_no_large_result_alive() -> None:
    scope = cell("w = mg.ones(20, 20, requires_grad=True)\ny = w + w\nnode = y.grad_fn\n")
    assert scope["node"]._making.outputs[0].value() is not None
    del scope["y"]
    assert scope["node"]._making.outputs[0].value() is None


def test_the_graph_of_a_leaf_is_one_box() -> None:
    graph = viz.draw(mg.ones(2, requires_grad=True)).graph
    assert [(box.kind, box.value.text) for box in graph.boxes] == [("leaf", "[1, 1]")]
    assert viz.draw(mg.ones(2)).graph.boxes[0].kind == "constant"


def test_a_graph_made_without_records_is_drawn_all_the_same() -> None:
    previous = mg.op.set_node_observer(None)
    try:
        scope = cell(EXAMPLE)
    finally:
        mg.op.set_node_observer(previous)
    stepper = viz.BackwardStepper(scope["F"], names={name: scope[name] for name in "ABCDEF"})
    stepper.last()
    assert seen(stepper.session.graph)["E"] == "C * D"
    assert not any(frame.marks for frame in stepper.frames)
    assert scope["A"].grad.tolist() == [24.0]


def test_of_a_node_made_without_records_no_later_result_is_taken_for_the_first() -> None:
    previous = mg.op.set_node_observer(None)
    try:
        later = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True).unbind()[1]
        loss = (later * later).sum()
    finally:
        mg.op.set_node_observer(previous)
    (box,) = [box for box in viz.draw(loss, names={"later": later}).graph.boxes if box.op == "UnbindBackward0"]
    assert not box.value.known

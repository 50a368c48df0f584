"""Engines that a learner wrote, read and run through `viz.Engine`."""

import itertools
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from viz.cells import cell, seen
from viz.own_engines import Array, ArrayEngine, Plain, PlainEngine, Recursive, Value

from minigrad import viz
from minigrad.viz import BackwardStepper, Engine


def example() -> dict[str, Any]:
    a, b = Value(2.0), Value(-3.0)
    e = a * b
    loss = e * a + e
    return {"a": a, "b": b, "e": e, "loss": loss}


def of_example(engine: Engine | None = None) -> tuple[BackwardStepper, dict[str, Any]]:
    values = example()
    return BackwardStepper(values["loss"], names=values, engine=engine or Engine()), values


def sentences(stepper: BackwardStepper) -> list[str]:
    return [frame.sentence for frame in stepper.frames]


def test_micrograds_kind_needs_no_adapter() -> None:
    stepper, values = of_example()
    stepper.last()
    told = sentences(stepper)
    assert told[1] in ("add: t0 and e each get 1.", "add: e and t0 each get 1.")
    assert any(
        "a gets -6" in text
        and "e gets 2, and that is added to what came from loss" in text
        and text.endswith("e: 2 of 2 parts have come, together 1 + 2 = 3")
        for text in told
    )
    assert [
        stepper.frame.grads[key] for key in stepper.frame.states if stepper.session.graph.by_id[key].name in ("a", "b")
    ]
    assert (values["a"].grad, values["b"].grad) == (-15.0, 6.0)
    assert "self.grad += other.data * out.grad" in stepper.trace()


def test_a_power_that_micrograd_calls_by_its_exponent_is_a_power() -> None:
    square = Value(3.0) * Value(3.0)
    square._op = "**2"
    stepper = BackwardStepper(square, engine=Engine())
    stepper.last()
    assert sentences(stepper)[1].startswith("pow: ")


def test_a_step_back_puts_gradients_back_and_forward_again() -> None:
    stepper, values = of_example()
    assert [value.grad for value in values.values()] == [0, 0, 0, 0]
    stepper.last()
    after = [value.grad for value in values.values()]
    stepper.back()
    assert values["a"].grad != after[0]
    stepper.first()
    assert [value.grad for value in values.values()] == [0, 0, 0, 0]
    stepper.last()
    assert [value.grad for value in values.values()] == after


def test_a_gradient_that_may_not_be_written_to_is_put_back_as_it_is() -> None:
    """`np.broadcast_to` gives such an array, and the rule of a sum hands it on."""

    class Kept(ArrayEngine):
        def run(self, node: Array) -> None:
            for one, gradient in zip(node.inputs, node.rule(node.grad), strict=True):
                one.grad = gradient if one.grad is None else one.grad + gradient

    x, w = Array([1.0, 2.0, 3.0]), Array([4.0, 5.0, 6.0])
    y = x * w
    stepper = BackwardStepper(y.sum(), engine=Kept())
    stepper.run_to("y")
    assert not y.grad.flags.writeable
    stepper.next()
    stepper.back()
    assert x.grad is None
    np.testing.assert_array_equal(y.grad, [1.0, 1.0, 1.0])
    stepper.run()
    np.testing.assert_array_equal(x.grad, [4.0, 5.0, 6.0])


def test_an_array_that_takes_the_place_of_an_equal_one_is_what_comes_back() -> None:
    x, w = Array([1.0, 2.0]), Array([3.0, 4.0])
    stepper = BackwardStepper((x * w).sum(), engine=ArrayEngine())
    stepper.last()
    x.grad = given = x.grad.copy()
    stepper.back()
    assert x.grad is not given
    stepper.next()
    assert x.grad is given


def test_the_graph_is_drawn_with_the_learners_names() -> None:
    values = example()
    a, e, loss = values["a"], values["e"], values["loss"]
    rows = str(viz.draw(loss, engine=Engine())).splitlines()
    assert [row.split()[0] for row in rows[1:]].count("a") == 1
    assert {row.split()[0] for row in rows[1:]} >= {"a", "e", "loss"}
    a.label = "weight"
    assert "weight" in str(viz.draw(loss, engine=Engine()))
    assert e is values["e"]


def test_results_without_a_name_show_their_values_too() -> None:
    drawing = viz.draw(example()["loss"], engine=Engine())
    assert sorted(box.value.text for box in drawing.graph.boxes if box.kind != "leaf") == ["-12", "-18", "-6"]


def test_a_label_that_two_nodes_have_is_the_name_of_neither() -> None:
    a, b = Value(2.0, label="v"), Value(3.0, label="v")
    drawing = viz.draw(a * b, engine=Engine())
    assert [box.name for box in drawing.graph.boxes if box.kind == "leaf"] == ["a", "b"]


def test_a_box_has_the_learners_own_text() -> None:
    text = "a, b = Value(2.0), Value(3.0)\nc = a*b\ny = (c   # once\n    + a)\nd = viz.draw(y, engine=viz.Engine())\n"
    found = seen(cell(text, Value=Value)["d"].graph)
    assert found == {"a": "leaf", "b": "leaf", "c": "a*b", "y": "c + a"}


def test_a_result_that_was_drawn_before_still_says_which_engine_it_needs() -> None:
    stepper, values = of_example()
    for ask in (viz.draw, viz.BackwardStepper):
        with pytest.raises(TypeError, match=r"For an engine of your own say how it is read, as in viz\.draw\("):
            ask(values["loss"])
    assert stepper.next() is not None


@pytest.mark.parametrize("ask", [viz.draw, viz.BackwardStepper, viz.make_dot])
def test_who_does_not_say_how_an_engine_is_read_is_told_to(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"expected a Tensor.*, but got Value: .* as in viz\.draw\(loss, engine="):
        ask(example()["loss"])
    with pytest.raises(TypeError, match=r"expected a Tensor.*, but got float: .* such as loss = \(x \* x\)"):
        ask(3.0)


def test_make_dot_has_no_place_for_an_engine_also_where_the_graph_is_known() -> None:
    stepper, values = of_example()
    with pytest.raises(TypeError, match=r"make_dot\(\) expected a Tensor, but got Value: "):
        viz.make_dot(values["loss"])
    assert stepper.next() is not None


def test_a_name_for_what_is_not_in_the_graph_is_told_from_a_tensor_of_ours() -> None:
    named = type("Tensor", (Value,), {})(1.0)
    with pytest.raises(TypeError, match=r"names\['u'\] must be a Tensor .* not Tensor of another engine, which"):
        viz.draw(example()["loss"], names={"u": named}, engine=Engine())


def test_arrays_and_a_rule_that_returns() -> None:
    x, w = Array([[1.0, 2.0], [3.0, 4.0]]), Array([[1.0], [-1.0]])
    loss = (x @ w + Array([0.5])).sum()
    stepper = BackwardStepper(loss, engine=ArrayEngine(), names={"x": x, "w": w})
    stepper.last()
    np.testing.assert_array_equal(w.grad, [[4.0], [6.0]])
    assert "matmul" in stepper.trace()
    assert "g @ other.data.T" in stepper.trace()
    stepper.first()
    assert w.grad is None


def test_nodes_apart_from_tensors() -> None:
    x, w = Plain([1.0, 2.0]), Plain([3.0, 4.0])
    y = x * w
    z = y * x
    engine = PlainEngine()
    stepper = BackwardStepper(z, engine=engine)
    assert engine.gradients == {}
    stepper.last()
    np.testing.assert_array_equal(engine.gradients[x], [6.0, 16.0])
    assert "mul: y gets [1, 2], x gets [3, 8]." in sentences(stepper)
    stepper.back()
    np.testing.assert_array_equal(engine.gradients[x], [3.0, 8.0])


def test_what_is_stale_is_remarked_on() -> None:
    stepper, values = of_example()
    stepper.last()
    again = BackwardStepper(values["loss"], names=values, engine=Engine())
    assert "a.grad still holds -15 from before" in again.trace()
    again.last()
    assert "⚠ 3 was in e.grad already when the pass began." in again.trace()


def test_a_page_steps_without_the_engine(tmp_path: Any) -> None:
    stepper, _ = of_example()
    stepper.save_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "minigrad-recorded" in text
    assert len(stepper.frames) == stepper.frames[0].total + 1


def test_an_engines_pass_takes_no_arguments_of_backward() -> None:
    values = example()
    with pytest.raises(TypeError, match=r"mean nothing to your own engine"):
        BackwardStepper(values["loss"], inputs=[values["a"]], engine=Engine())
    with pytest.raises(TypeError, match=r"derived from viz.Engine, not <class"):
        viz.draw(values["loss"], engine=Engine)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="is a leaf"):
        BackwardStepper(values["a"], engine=Engine())


# ---------------------------------------------------------------- engines that answer nonsense


def answering(**methods: Callable[..., Any]) -> Engine:
    return type("Odd", (Engine,), {name: staticmethod(method) for name, method in methods.items()})()


def fail(*_: Any) -> Any:
    raise ZeroDivisionError("oh")


def failing_order(root: Any) -> Any:
    yield root
    raise TypeError("oh")


CANNOT_BE_READ = {
    "inputs raises": (answering(inputs=fail), r"Odd\.inputs\(\) of Value\(.*\) raised ZeroDivisionError: oh"),
    "inputs gives None": (answering(inputs=lambda node: None), r"Odd\.inputs\(\) of Value\(.*\) gave no nodes"),
    "inputs never ends": (
        answering(inputs=itertools.repeat),
        r"Odd\.inputs\(\) of Value\(.*\) gave 12000 nodes and did not end",
    ),
    "inputs are always new": (answering(inputs=lambda node: [Value(1.0)]), r"inputs\(\) led to more than 6000"),
    "a circle": (answering(inputs=lambda node: [node]), r"inputs\(\) gave a circle: Value"),
    "inputs have None": (answering(inputs=lambda node: [None] if node else []), r"Odd\.value\(\) of None raised Attr"),
    "value raises": (answering(value=fail), r"Odd\.value\(\) of Value\(.*\) raised ZeroDivisionError"),
    "value is None": (answering(value=lambda node: None), r"Odd\.value\(\) of Value\(.*\) gave None: no number"),
    "value is text": (answering(value=lambda node: "<b>"), r"gave '<b>': no number"),
    "value is ragged": (answering(value=lambda node: [[1], [1, 2]]), r"gave \[\[1\], \[1, 2\]\]: no number"),
    "gradient is text": (answering(gradient=lambda node: "x"), r"Odd\.gradient\(\) of Value\(.*\) gave 'x'"),
    "op is a number": (answering(op=lambda node: 3), r"Odd\.op\(\) of Value\(.*\) gave 3, which is no text"),
    "name is a number": (answering(name=lambda node: 3), r"Odd\.name\(\) of Value\(.*\) gave 3, which is no text"),
}
CANNOT_BE_RUN = {
    "order raises": (answering(order=fail), r"Odd\.order\(\) of loss raised ZeroDivisionError"),
    "order raises in the middle": (
        answering(order=failing_order),
        r"Odd\.order\(\) of loss raised TypeError: oh",
    ),
    "order is None": (answering(order=lambda root: None), r"Odd\.order\(\) of loss gave no nodes"),
    "order never ends": (
        answering(order=itertools.repeat),
        r"Odd\.order\(\) of loss gave 12000 nodes and did not end: does it give a node for each way to it\? S",
    ),
    "order is empty": (answering(order=lambda root: []), r"Odd\.order\(\) gave 0 nodes, and the root"),
    "a stranger": (
        answering(order=lambda root: [Value(1.0)]),
        r"Odd\.order\(\) gave Value\(1\.0\), which is not",
    ),
}


@pytest.mark.parametrize("case", CANNOT_BE_READ)
def test_what_cannot_be_read_is_said_with_the_methods_name(case: str) -> None:
    engine, message = CANNOT_BE_READ[case]
    loss = example()["loss"]
    for picture in (viz.draw, BackwardStepper):
        with pytest.raises((RuntimeError, TypeError, ValueError), match=message):
            picture(loss, engine=engine)


@pytest.mark.parametrize("case", CANNOT_BE_RUN)
def test_what_cannot_be_run_is_said_with_the_methods_name(case: str) -> None:
    engine, message = CANNOT_BE_RUN[case]
    loss = example()["loss"]
    with pytest.raises((RuntimeError, TypeError, ValueError), match=message):
        BackwardStepper(loss, engine=engine)


def grows(node: Value) -> None:
    for one in node._prev:
        one.grad = np.ones(3)  # type: ignore[assignment]


def spoils(node: Value) -> None:
    for one in node._prev:
        one.grad = "nothing"  # type: ignore[assignment]


def takes_away(node: Value) -> None:
    for one in node._prev:
        del one.grad


FAILS_IN_A_STEP = {
    "run raises": (answering(run=fail), r"Odd\.run\(\) of loss raised ZeroDivisionError: oh"),
    "start raises": (answering(start=fail), r"Odd\.start\(\) of loss raised ZeroDivisionError: oh"),
    "the shape does not fit": (
        answering(run=grows),
        r"Odd\.gradient\(\) of .* gave the shape \(3,\), but its",
    ),
    "the gradient is a text": (answering(run=spoils), r"Odd\.gradient\(\) of .* gave 'nothing'"),
    "there is no gradient": (answering(run=takes_away), r"Odd\.gradient\(\) of .* raised AttributeError: "),
}


@pytest.mark.parametrize("case", FAILS_IN_A_STEP)
def test_what_fails_in_a_step_is_the_pictures_last_step(case: str, tmp_path: Any) -> None:
    engine, message = FAILS_IN_A_STEP[case]
    stepper, _ = of_example(engine)
    with pytest.raises((RuntimeError, TypeError, ValueError), match=message):
        stepper.next()
    assert stepper.frame.failed
    assert stepper.frame.name == "loss"
    assert "Odd." in stepper.problem["text"]
    stepper.first()
    stepper.save_html(tmp_path / "page.html")


def test_a_gradient_that_cannot_be_read_any_more_is_shown_as_it_was_and_ends_no_other_pass() -> None:
    (stepper, values), (other, _) = of_example(), of_example()
    stepper.last()
    del values["a"].grad
    other.last()  # after each of its steps the first one looks at its tensors
    assert other.finished
    assert stepper.frame.states[stepper.session.graph.box_named("a").id].grad.text == "-15"
    stepper.first()
    assert values["a"].grad == 0


def test_a_wrong_order_is_remarked_on_where_it_happens() -> None:
    values = example()
    loss, e = values["loss"], values["e"]
    engine = answering(order=lambda root: [root, e, *(one for one in root._prev if one is not e)])
    stepper = BackwardStepper(loss, names=values, engine=engine)
    stepper.last()
    assert [frame.name for frame in stepper.frames] == ["", "loss", "e", "t0"]
    told = [line.text for line in stepper.frames[2].story]
    assert "⚠ Odd.order() has it run when 1 of 2 gradients have arrived: before t0, which sends to e.grad." in told, (
        told
    )


def test_nodes_that_the_order_leaves_out_do_not_run() -> None:
    values = example()
    stepper = BackwardStepper(values["loss"], names=values, engine=answering(order=lambda root: [root]))
    stepper.last()
    assert [frame.name for frame in stepper.frames] == ["", "loss"]
    assert stepper.finished


def test_a_gradient_that_nobody_passes_on_is_remarked_on_with_the_leaves_that_lack_it() -> None:
    a, b = Value(2.0), Value(-3.0)
    e, f = a * b, a + b
    t = e * e
    loss = t + f
    names = {"a": a, "b": b, "e": e, "f": f, "t": t, "loss": loss}
    never = "⚠ Odd.order() never has it run: the"
    for order, remark in {
        (loss, f, t): f"{never} -12 in e.grad is passed on to nobody, so a and b lack what comes that way.",
        (loss, t, e): f"{never} 1 in f.grad is passed on to nobody, so a and b lack what comes that way.",
    }.items():
        for value in names.values():
            value.grad = 0.0
        stepper = BackwardStepper(loss, names=names, engine=answering(order=lambda root, order=order: order))
        stepper.last()
        assert remarks(stepper) == {3: [remark]}
    assert (a.grad, b.grad) == (36.0, -24.0)  # and not 37 and -23
    for value in names.values():
        value.grad = 0.0
    t.grad = 7.0  # from an earlier pass: not even loss passes anything on to it
    inner = {name: names[name] for name in ("a", "b", "e", "t")}
    stepper = BackwardStepper(t, names=inner, engine=answering(order=lambda root: (root,)))
    stepper.last()
    assert remarks(stepper) == {
        1: [f"{never} -12 in e.grad is passed on to nobody, so a and b lack what comes that way."]
    }


def test_a_node_that_the_order_misses_is_told_with_the_order_and_not_with_inputs() -> None:
    a, b = Value(2.0), Value(-3.0)
    c = a * b
    loss = c + a
    names = {"a": a, "b": b, "c": c, "loss": loss}
    stepper = BackwardStepper(loss, names=names, engine=answering(order=lambda root: (root, a)))
    assert [(event.title, event.text) for event in stepper.frame.events] == [
        ("c is left out", "c does not run: Odd.order() does not have it run.")
    ]
    assert [box["pruned"] for box in stepper.picture["boxes"].values()] == [False] * 4
    with pytest.raises(ValueError, match=r"'c' does not run .*: Odd\.order\(\) does not have it run"):
        stepper.run_to("c")
    with pytest.raises(ValueError, match=r"'a' does not run .*: it is a leaf, whose gradient the nodes"):
        stepper.break_at("a")


def test_of_many_leaves_that_lack_a_gradient_the_first_are_named_and_one_alone_lacks_it() -> None:
    leaves = [Array(float(number)) for number in range(6)]
    total = leaves[0]
    for leaf in leaves[1:]:
        total = total + leaf
    loss = total.sum()
    names = {f"x{number}": leaf for number, leaf in enumerate(leaves)} | {"total": total, "loss": loss}

    class Short(ArrayEngine):
        def order(self, root: Array) -> list[Array]:
            return [root]

    stepper = BackwardStepper(loss, names=names, engine=Short())
    stepper.last()
    (told,) = remarks(stepper)[1]
    assert told.endswith(
        "the 1 in total.grad is passed on to nobody, so x0, x1, x2 and 3 more lack what comes that way."
    )
    alone = (leaves[5].sum()).sum()
    stepper = BackwardStepper(alone, names={"x5": leaves[5]}, engine=Short())
    stepper.last()
    assert remarks(stepper)[1][0].endswith("is passed on to nobody, so x5 lacks what comes that way.")


def test_a_gradient_that_is_not_what_arrived_is_remarked_on() -> None:
    values = example()

    def start(root: Value) -> None:
        root.grad = 2.0

    stepper = BackwardStepper(values["loss"], names=values, engine=answering(start=start))
    stepper.next()
    assert "⚠ 1 has arrived, and 2 is in loss.grad." in stepper.trace()


def test_nan_and_infinity_are_told() -> None:
    a = Value(float("inf"))
    loss = a * Value(0.0)
    stepper = BackwardStepper(loss, names={"a": a}, engine=Engine())
    stepper.last()
    assert "NaN" in stepper.trace()


def test_what_a_learner_wrote_is_never_markup(tmp_path: Any) -> None:
    a = Value(2.0, label="<script>alert(1)</script>")
    loss = a * a
    loss._op = "<img src=x>"
    engine = answering(rule=lambda node: "</script><b>rule</b>")
    stepper = BackwardStepper(loss, engine=engine)
    stepper.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<img src=x>" not in page
    assert "</script><b>" not in page
    assert "<script>alert" not in viz.draw(loss, engine=engine).svg


def test_the_example_of_the_docstring_steps() -> None:
    text = textwrap.dedent((Engine.__doc__ or "").split("apart from them:\n")[1].split("What a method raises")[0])
    x, w = Plain([1.0, 2.0]), Plain([3.0, 4.0])
    y = x * w
    scope: dict[str, Any] = {"np": np, "viz": viz, "loss": y * x, "my_topological_sort": lambda root: [root, y]}
    exec(text.replace("viz.BackwardStepper(", "stepper = viz.BackwardStepper("), scope)
    scope["stepper"].last()
    assert scope["stepper"].finished
    graph = scope["stepper"].session.graph
    np.testing.assert_array_equal(graph.source.grad(graph.node_of["n0"]).array, [6.0, 16.0])


def test_a_step_looks_at_what_it_can_have_changed_and_not_at_the_whole_graph() -> None:
    asked: list[Value] = []
    x = Value(0.5)
    loss = x
    for _ in range(150):
        loss = loss * x
    engine = answering(gradient=lambda node: asked.append(node) or node.grad)  # type: ignore[func-returns-value]
    stepper = BackwardStepper(loss, engine=engine, names={"x": x})
    stepper.next()
    asked.clear()
    stepper.last()
    assert len(asked) < 40 * 150 + 10 * 151


def test_a_graph_whose_inputs_are_sets_is_drawn_alike_each_time() -> None:
    def drawn() -> list[str]:
        values = [Value(float(k)) for k in range(6)]
        loss = (values[0] + values[1]) * (values[2] + values[3]) + (values[4] * values[5])
        return [box.value.text for box in viz.draw(loss, engine=Engine()).graph.boxes]

    kept = [drawn() for _ in range(10)]
    assert all(texts == kept[0] for texts in kept)


# ---------------------------------------------------------------- engines without a sort


class RecursiveArrays(Recursive, ArrayEngine):
    pass


class TakesOut(RecursiveArrays):
    """Takes out of a gradient what it has passed on: so each is passed on once, whatever the order."""

    def run(self, node: Array) -> None:
        super().run(node)
        node.grad = np.zeros_like(node.grad)


def used_twice() -> dict[str, Array]:
    """`e` is used twice, and `k` lies behind it."""
    a = Array(3.0)
    k = a.sum()
    e = k.sum()
    t = e * a
    return {"a": a, "k": k, "e": e, "t": t, "loss": e + t}


def remarks(stepper: BackwardStepper) -> dict[int, list[str]]:
    """Step -> what is strange about it."""
    items = {frame.index: [line.text for line in frame.story if line.kind == "item"] for frame in stepper.frames}
    return {index: texts for index, texts in items.items() if texts}


def test_a_node_that_runs_once_for_each_way_has_its_runs_one_after_the_other() -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=RecursiveArrays())
    frames = [stepper.frame]
    while (frame := stepper.next()) is not None:
        frames.append(frame)
    assert [frame.name for frame in frames] == ["", "loss", "e", "k", "t", "e", "k"]
    assert [(frame.index, frame.total) for frame in frames] == [(place, 6) for place in range(7)]
    assert [frame.next.name if frame.next else "" for frame in frames] == ["loss", "e", "k", "t", "e", "k", ""]
    assert [[(turn.name, turn.arrived, turn.needed) for turn in frame.waiting] for frame in frames] == [
        [("k", 0, 1), ("e", 0, 2), ("t", 0, 1)],
        [("k", 0, 1)],
        [("e", 1, 2)],
        [("e", 1, 2)],
        *[[], [], []],
    ]
    states = [{stepper.session.graph.by_id[key].name: state for key, state in frame.states.items()} for frame in frames]
    assert [state["e"].state for state in states] == ["idle", "waiting", "ran", "waiting", "ready", "ran", "done"]
    assert [state["k"].state for state in states] == ["idle", "idle", "ready", "ran", "ready", "ready", "ran"]
    assert [state["a"].badge for state in states][-2:] == ["✓ reached", "✓ reached"]
    assert all(state.arrived <= state.needed for moment in states for state in moment.values())
    assert [turn.name for turn in frames[-1].done] == ["loss", "e", "k", "t", "e", "k"]
    assert stepper.finished
    assert stepper.picture["total"] == 6
    assert values["a"].grad == 9  # and not 7
    assert stepper.run_to("e").index == 2
    assert values["a"].grad is None
    stepper.break_at("e")
    assert [stepper.run().index, stepper.run().index] == [5, 6]


def test_a_run_that_passes_on_again_what_was_passed_on_says_so_and_what_a_sort_is_for() -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=RecursiveArrays())
    stepper.last()
    again = "⚠ RecursiveArrays.order() has it run again: at step"
    more = "Now that is passed on once more, so"
    why = "Sorted, each node runs once, after all that use it."
    assert remarks(stepper) == {
        2: [
            "⚠ RecursiveArrays.order() has it run when 1 of 2 gradients have arrived: before t, which sends to e.grad.",
        ],
        5: [
            f"{again} 2 it passed on the 1 that is still in e.grad. {more} k gets too much. {why}",
        ],
        6: [
            f"{again} 3 it passed on the 1 that is still in k.grad. {more} a gets too much. {why}",
        ],
    }
    assert sentences(stepper)[5:] == [
        "sum: k gets 4, and that is added to what came from e. k: so far 1 + 4 = 5",
        "sum: a gets 5, and that is added to what came from k and t. a: so far 4 + 5 = 9",
    ]


def test_a_sorted_engine_gets_no_remark() -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=ArrayEngine())
    stepper.last()
    assert remarks(stepper) == {}
    assert values["a"].grad == 7


def test_an_engine_that_takes_out_what_it_passes_on_gets_no_alarm() -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=TakesOut())
    stepper.last()
    assert values["a"].grad == 7
    told = remarks(stepper)
    assert told[5] == [
        "TakesOut.order() has it run again: at step 2 it passed on 1 of e.grad. That was taken out, so that each "
        "gradient is passed on once."
    ]
    assert set(told) == {2, 5, 6}
    assert not told[6][0].startswith("⚠")


def test_a_box_that_has_run_and_runs_again_later_is_ready_meanwhile() -> None:
    class Again(ArrayEngine):
        def order(self, root: Array) -> Any:
            return [*super().order(root), values["e"]]

    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=Again())
    stepper.run_to("e")
    assert [turn.name for turn in stepper.frame.ready] == ["k", "e"]


def test_an_input_that_enters_twice_is_run_twice_by_a_recursion() -> None:
    a = Array(3.0)
    e = a.sum()
    loss = e + e
    stepper = BackwardStepper(loss, names={"a": a, "e": e, "loss": loss}, engine=RecursiveArrays())
    stepper.last()
    assert [frame.name for frame in stepper.frames] == ["", "loss", "e", "e"]
    assert [[turn.name for turn in frame.ready] for frame in stepper.frames] == [["loss"], ["e"], ["e"], []]
    assert a.grad == 4
    assert len(remarks(stepper)[3]) == 1


def test_a_run_that_sends_nothing_makes_nothing_too_much() -> None:
    a = Array(0.0)
    e = a * a
    loss = e + e
    stepper = BackwardStepper(loss, names={"a": a, "e": e, "loss": loss}, engine=RecursiveArrays())
    stepper.last()
    assert a.grad == 0
    assert remarks(stepper) == {
        3: ["⚠ RecursiveArrays.order() has it run again: at step 2 it passed on the 2 that was in e.grad."]
    }


class Halves(RecursiveArrays):
    def run(self, node: Array) -> None:
        super().run(node)
        node.grad = node.grad / 2  # another array: nobody's is written to


def test_a_run_with_neither_all_nor_the_rest_is_told_what_was_passed_on() -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=Halves())
    stepper.last()
    told = remarks(stepper)
    assert told[5] == [
        "⚠ 4 has arrived, and 3.5 is in e.grad.",
        "⚠ Halves.order() has it run again: at step 2 it passed on the 1 that was in e.grad.",
    ]
    assert "wrote" not in str(told)


def test_a_run_before_anything_has_arrived_makes_nothing_too_much_later() -> None:
    class RunsAhead(ArrayEngine):
        def order(self, root: Array) -> Any:
            return [values["k"], *super().order(root)]

    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=RunsAhead())
    stepper.last()
    assert values["a"].grad == 7
    assert remarks(stepper)[5] == ["⚠ RunsAhead.order() has it run again: at step 1 it passed on what was in k.grad."]


def test_a_pass_with_repeated_runs_is_kept_in_a_page(tmp_path: Any) -> None:
    values = used_twice()
    stepper = BackwardStepper(values["loss"], names=values, engine=RecursiveArrays())
    stepper.save_html(tmp_path / "page.html")
    assert len(stepper.frames) == 7
    assert stepper.index == 0
    assert stepper.picture["runs"].count(stepper.session.graph.box_named("e").id) == 2


def test_what_a_node_says_of_itself_is_told_without_its_address() -> None:
    a = Array(2.0)
    with pytest.raises(
        ValueError, match=r"order\(\) gave <viz.own_engines.Array object>, which is not among what the root"
    ):
        BackwardStepper(
            a.sum(), engine=answering(order=lambda root: [a, Array(2.0)], inputs=lambda node: node.inputs, op=str)
        )
    with pytest.raises(TypeError, match=r"Odd.value\(\) of <viz.own_engines.Array object> gave None: no number"):
        viz.draw(Array(2.0), engine=answering(value=lambda node: None, inputs=lambda node: node.inputs))


# ---------------------------------------------------------------- rules that raise, and rules that write


@pytest.mark.parametrize("in_numpy", [False, True])
def test_the_line_of_a_rule_that_raises_is_told(in_numpy: bool) -> None:
    values = used_twice()

    def broken(g: Any) -> Any:
        raise ArithmeticError("oh")

    def broken_in_numpy(g: Any) -> Any:
        return (np.broadcast_to([1, 2], (3,)),)  # which numpy's own code refuses

    values["e"].rule = broken_in_numpy if in_numpy else broken
    stepper = BackwardStepper(values["loss"], names=values, engine=ArrayEngine())
    with pytest.raises(RuntimeError, match=r"ArrayEngine.run\(\) of e raised (ArithmeticError: oh|ValueError: )"):
        stepper.last()
    assert stepper.frame.name == "e"
    (event,) = [event for event in stepper.frame.events if event.kind == "error"]
    assert event.line is not None
    text = "return (np.broadcast_to([1, 2], (3,)),)  # which numpy's own code refuses"
    assert event.line[::2] == ("test_own_engines.py", text if in_numpy else 'raise ArithmeticError("oh")')
    assert "test_own_engines.py, line" in stepper.trace()


def test_a_rule_that_writes_to_its_inputs_is_named_with_what_it_wrote() -> None:
    values = used_twice()
    a, e = values["a"], values["e"]

    def writes(g: Any) -> Any:
        a.data *= 2  # what e * a has computed with
        return g * a.data, g * e.data

    values["t"].rule = writes
    stepper = BackwardStepper(values["loss"], names=values, engine=ArrayEngine())
    stepper.last()
    assert remarks(stepper) == {
        2: ["⚠ ArrayEngine.run() wrote to a, which was 3 and is 6: whatever needs it later has that."]
    }


def test_a_rule_that_writes_to_the_gradient_that_it_is_given_is_named() -> None:
    x, w = Array([1.0, 2.0]), Array([3.0, 4.0])
    y = x * w

    def writes(g: Any) -> Any:
        g *= w.data  # which is y.grad itself
        return g, g / w.data * x.data

    y.rule = writes
    stepper = BackwardStepper(y.sum(), engine=ArrayEngine(), names={"x": x, "w": w, "y": y})
    stepper.last()
    assert remarks(stepper) == {2: ["⚠ ArrayEngine.run() wrote to y.grad, which was [1, 1] and is [3, 4]."]}
    np.testing.assert_array_equal(w.grad, [1.0, 2.0])


def test_a_rule_that_empties_the_gradient_that_it_has_passed_on_gets_no_alarm() -> None:
    x, w = Array([1.0, 2.0]), Array([3.0, 4.0])
    y = x * w

    def empties(g: Any) -> Any:
        sent = g * w.data, g * x.data
        g[...] = 0
        return sent

    y.rule = empties
    stepper = BackwardStepper(y.sum(), engine=ArrayEngine(), names={"x": x, "w": w, "y": y})
    stepper.last()
    assert remarks(stepper) == {}
    np.testing.assert_array_equal(x.grad, [3.0, 4.0])

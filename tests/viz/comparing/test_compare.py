"""`viz.compare`: twelve mistakes, each found at its node; and nothing where nothing differs."""

import functools
import json
import re
import textwrap
from collections.abc import Callable
from typing import Any

import nbformat
import numpy as np
import pytest
from conftest import require
from viz.cells import cell, still, stored
from viz.own_engines import Recursive, Value

import minigrad as mg
from minigrad.teach.exercises import museum
from minigrad.viz import Comparison, Engine, compare
from minigrad.viz.own_engines.adapter import inputs_first
from minigrad.viz.page.notebook import StepperPreprocessor


class Array:
    """A node of a small engine of arrays."""

    def __init__(self, data: Any, inputs: tuple["Array", ...] = (), op: str = "") -> None:
        self.data, self._prev, self._op = np.array(data, float), inputs, op
        self.grad: Any = np.zeros_like(self.data)
        self._backward: Callable[[], None] = lambda: None


def fitted(gradient: Any, shape: tuple[int, ...]) -> Any:
    gradient = np.asarray(gradient)
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(tuple(k for k, size in enumerate(shape) if size == 1 and gradient.shape[k] != 1), keepdims=True)


class Small(Engine):
    """The engine, with one mistake or none."""

    def __init__(self, mistake: str = "") -> None:
        self.mistake = mistake

    def op(self, node: Array) -> str:
        return node._op

    def order(self, root: Array) -> Any:
        order = list(super().order(root))
        if self.mistake == "order":
            order.insert(1, order.pop(next(k for k, node in enumerate(order) if node._op == "exp")))
        if self.mistake == "again":
            order = [one for node in order for one in [node] * (2 if node._op == "sub" else 1)]
        return order

    def send(self, node: Array, gradient: Any) -> None:
        node.grad = node.grad + (gradient if self.mistake == "unbroadcast" else fitted(gradient, node.data.shape))

    def made(self, data: Any, op: str, *inputs: Array) -> Array:
        return Array(data, inputs, op)

    def add(self, x: Array, y: Array) -> Array:
        out = self.made(x.data + y.data, "add", x, y)

        def backward() -> None:
            self.send(x, out.grad)
            self.send(y, out.grad)

        out._backward = backward
        return out

    def mul(self, x: Array, y: Array) -> Array:
        out = self.made(x.data * y.data, "mul", x, y)

        def backward() -> None:
            self.send(x, out.grad * (1 if self.mistake == "factor" else y.data))
            if self.mistake == "=":
                y.grad = fitted(out.grad * x.data, y.data.shape)
            else:
                self.send(y, out.grad * x.data)
            if self.mistake == "writes":
                y.data *= 2

        out._backward = backward
        return out

    def sub(self, x: Array, y: Array) -> Array:
        out = self.made(x.data - y.data, "sub", x, y)

        def backward() -> None:
            self.send(x, out.grad)
            self.send(y, out.grad if self.mistake == "sign" else -out.grad)

        out._backward = backward
        return out

    def div(self, x: Array, y: Array) -> Array:
        out = self.made(x.data / y.data, "div", x, y)

        def backward() -> None:
            self.send(x, out.grad / y.data)
            self.send(y, -out.grad * x.data / (y.data if self.mistake == "division" else y.data**2))

        out._backward = backward
        return out

    def power(self, x: Array, n: float) -> Array:
        out = self.made(x.data**n, f"**{n}", x)

        def backward() -> None:
            if self.mistake == "raises":
                raise ArithmeticError("oh")
            self.send(x, out.grad * x.data ** (n - 1) * (1 if self.mistake == "power" else n))

        out._backward = backward
        return out

    def exp(self, x: Array) -> Array:
        out = self.made(np.exp(x.data) * {"forward": 2, "rounding": 1 + 1e-12}.get(self.mistake, 1), "exp", x)

        def backward() -> None:
            self.send(x, out.grad * out.data * (2 if self.mistake == "rounding" else 1))

        out._backward = backward
        return out

    def relu(self, x: Array) -> Array:
        out = self.made(np.maximum(x.data, 0), "relu", x)

        def backward() -> None:
            self.send(x, out.grad * ((x.data < 0) if self.mistake == "mask" else (x.data > 0)))

        out._backward = backward
        return out

    def max(self, x: Array) -> Array:
        out = self.made(x.data.max(), "max", x)

        def backward() -> None:
            chosen = np.ones_like(x.data) if self.mistake == "max" else x.data == x.data.max()
            self.send(x, out.grad * chosen)

        out._backward = backward
        return out

    def matmul(self, x: Array, y: Array) -> Array:
        out = self.made(x.data @ y.data, "matmul", x, y)

        def backward() -> None:
            self.send(x, out.grad @ y.data.T)
            product = x.data.T @ out.grad
            self.send(y, product.T if self.mistake == "transposed" else product)

        out._backward = backward
        return out

    def sum(self, x: Array) -> Array:
        out = self.made(x.data.sum(), "sum", x)

        def backward() -> None:
            self.send(x, np.broadcast_to(out.grad, x.data.shape))

        out._backward = backward
        return out


def program(engine: Small) -> tuple[Array, dict[str, Array]]:
    """Every op once, with names."""
    x = Array([[0.5, -1.0], [2.0, 1.5], [-0.3, 0.7]])
    w, b = Array([[1.5, -0.4], [0.8, 2.0]]), Array([0.3, -0.2])
    product = engine.matmul(x, w)
    shifted = engine.add(product, b)
    active = engine.relu(shifted)
    e = engine.exp(b)
    scaled = engine.mul(active, e)
    difference = engine.sub(scaled, b)
    quotient = engine.div(difference, e)
    squared = engine.power(quotient, 3)
    total, largest = engine.sum(squared), engine.max(scaled)
    loss = engine.add(total, largest)
    if engine.mistake == "stale":
        product.grad = np.ones((3, 2))
    if engine.mistake == "in place":
        active.data *= 2  # after mul has been computed with it
    names = {key: value for key, value in locals().items() if isinstance(value, Array)}
    return loss, names


def compared(mistake: str, labels: tuple[str, str] = ("right", "wrong")) -> Comparison:
    right, wrong = Small(), Small(mistake)
    loss, names = program(right)
    return compare(loss, program(wrong)[0], engine=(right, wrong), names=names, labels=labels)


MISTAKES = {
    "=": (
        "scaled",
        r"e.grad becomes \[13.56, -6.752\] in right, \[187.5, 48.75\] in wrong.\ne: both send \[187.5, 48.75\]; "
        r"wrong replaces \[-174, -55.5\], which was there, instead of adding to it: = where \+= belongs",
    ),
    "order": ("e", "wrong runs e before all has arrived: quotient and scaled still have to send"),
    "unbroadcast": (
        "quotient",
        r"wrong stops at quotient: .*gradient\(\) of e gave the shape \(3, 2\).* has to be summed back",
    ),
    "stale": ("product", "was there in wrong when the pass began, left from a pass before"),
    "factor": ("scaled", "active: the factor e is missing in wrong"),
    "sign": ("difference", "b: the sign is the other one"),
    "transposed": ("product", "w: the one is the other, transposed"),
    "in place": ("scaled", "the value of active is .* it was written to in place after it was used"),
    "power": ("squared", "quotient: the factor 3 is missing in wrong"),
    "division": ("quotient", "e: wrong has a factor e too many"),
    "mask": ("active", "shifted: wrong sends 0 just where right does not: the mask is turned round"),
    "again": (
        "difference",
        r"scaled gets .* in wrong; b gets .*\nwrong runs difference twice, right once: what it passed on the first "
        r"time is still in difference.grad, and is passed on again\.\nSorted, each node runs once",
    ),
    "writes": (
        "e",
        r"b gets \[18.3, -5.528\] in right, \[36.6, -11.06\] in wrong.\n"
        r"b: the rule of scaled has written to e in wrong",
    ),
    "raises": (
        "squared",
        r"wrong stops at squared: RuntimeError: Small.run\(\) of squared raised ArithmeticError: oh\. "
        r'In test_compare.py, line \d+: raise ArithmeticError\("oh"\)',
    ),
    "max": ("largest", "scaled: wrong sends it to 6 elements instead of 1"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_node(mistake: str) -> None:
    place, words = MISTAKES[mistake]
    comparison = compared(mistake)
    assert comparison.difference is not None
    print("\n".join(line.text for line in comparison.difference.story))
    assert comparison.difference.name == place
    assert comparison.index == comparison.difference.index
    told = "\n".join(line.text for line in comparison.difference.story)
    assert re.search(words, told), told


def test_the_first_of_the_two_may_be_the_one_that_replaces() -> None:
    wrong, right = Small("="), Small()
    loss, names = program(wrong)
    comparison = compare(loss, program(right)[0], engine=(wrong, right), names=names, labels=("wrong", "right"))
    assert comparison.difference is not None
    told = "\n".join(line.text for line in comparison.difference.story)
    assert re.search(r"e.grad becomes \[187.5, 48.75\] in wrong, \[13.56, -6.752\] in right", told), told
    assert "wrong replaces [-174, -55.5], which was there" in told


def test_what_was_sent_is_told_where_it_was_seen_itself_though_no_words_explain_it() -> None:
    """As in graphs of minigrad: only of a learner's own engine is it told from what then stands in .grad."""

    def loss(sent: list[float]) -> Any:
        class Doubled(mg.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return mg.tensor(sent)

        x = mg.tensor([0.3, 0.7, 0.9], requires_grad=True)
        y = x.exp()
        return (Doubled.apply(y) * y).sum()

    difference = compare(loss([1.0, 3.0, 7.0]), loss([2.0, -5.0, 0.5])).difference
    assert difference is not None
    assert " gets [1, 3, 7] in the first, [2, -5, 0.5] in the second." in difference.story[0].text


def test_what_replaces_what_was_there_has_sent_the_same() -> None:
    """Of a node that sends twice, too; and no edge says that they differ in what went along it."""

    def program(Array: type) -> dict[str, Any]:
        w, x = Array([3.0]), Array([2.0])
        h = w * x
        square = h * h
        both = h + square
        loss = (both + h.relu()).sum(axis=0)
        return {name: one for name, one in locals().items() if name != "Array"}

    comparison = museum.compare(museum.engine_a, program)
    told = {frame.name: [line.text for line in frame.story[:2]] for frame in comparison.frames}
    replaces = "which was there, instead of adding to it: = where += belongs."
    assert told["both"] == [
        "Here they part: add: h.grad becomes 2 in the right one, 1 in this one.",
        f"h: both send 1; this one replaces 1, {replaces}",
    ]
    assert told["square"] == [
        "Here they part, too: mul: h.grad becomes 14 in the right one, 6 in this one.",
        f"h: both send 6 twice; this one replaces 1, {replaces}",
    ]
    chips = [text for frame in comparison.frames if frame.name in ("both", "square") for text in frame.chips.values()]
    assert chips
    assert not any("≠" in text for text in chips)


@pytest.mark.parametrize("forward", ["forward", "rounding"])
def test_a_value_that_was_computed_in_another_way_was_not_written_to(forward: str) -> None:
    """And one that was rounded otherwise is the same."""

    def summed(engine: Small) -> tuple[Array, dict[str, Array]]:
        x = Array([0.0, 1.0])
        y = engine.exp(x)
        return engine.sum(y), {"x": x, "y": y}

    (loss, names), (other, _) = summed(Small()), summed(Small(forward))
    comparison = compare(loss, other, engine=(Small(), Small(forward)), names=names)
    assert comparison.difference is not None
    told = "\n".join(line.text for line in comparison.difference.story)
    assert "written to" not in told
    assert ("of the same inputs: it is computed in another way" in told) == (forward == "forward")


class RecursiveSmall(Small, Recursive):
    pass


def used_twice(engine: Small) -> tuple[Array, dict[str, Array]]:
    a, c = Array(3.0), Array(2.0)
    e = engine.add(a, c)
    t = engine.add(e, a)
    return engine.add(e, t), {"a": a, "c": c, "e": e, "t": t}


@pytest.mark.parametrize("is_second", [True, False], ids=["second", "first"])
def test_an_engine_that_runs_nodes_for_each_way_parts_where_one_runs_again(is_second: bool) -> None:
    engines = (Small(), RecursiveSmall()) if is_second else (RecursiveSmall(), Small())
    (loss, names), (other, _) = map(used_twice, engines)
    comparison = compare(loss, other, engine=engines, names=names, labels=("one", "two"))
    assert comparison.difference is not None
    runs = [frame.index for frame in comparison.frames if frame.name == "e"]
    assert runs == ([3] if is_second else [2, 4])
    assert comparison.difference.index == runs[0]
    assert comparison.index == runs[0]
    # It runs with 1, and then with 2, that 1 among it, where 2 is right.
    told = [line.text for line in comparison.difference.story]
    gets = "gets 2 in one, 3 in two" if is_second else "gets 1 in one, 2 in two"
    assert told[0] == f"Here they part: add: a {gets}; c {gets}."
    more, less = ("two", "one") if is_second else ("one", "two")
    passed_on = "what it passed on the first time is still in e.grad, and is passed on again."
    assert told[1] == f"{more} runs e twice, {less} once: {passed_on}"
    assert told[2] == "Sorted, each node runs once, after all that use it."
    grads = [
        {comparison.session.graph.by_id[key].name: state.grad.text for key, state in frame.states.items()}
        for frame in comparison.frames
    ]
    assert (grads[-1]["a"], grads[-1]["c"]) == (("3 ≠ 4", "2 ≠ 3") if is_second else ("4 ≠ 3", "3 ≠ 2"))
    before = comparison.difference.index - 1
    assert not any("≠" in text for moment in grads[: before + 1] for text in moment.values())


def test_a_run_that_only_one_engine_has_is_where_they_part_if_all_before_is_equal() -> None:
    right, wrong = Small(), Small("again")
    (loss, names), (other, _) = program(wrong), program(right)
    comparison = compare(loss, other, engine=(wrong, right), names=names, labels=("wrong", "right"))
    assert comparison.difference is not None
    runs = [frame.index for frame in comparison.frames if frame.name == "difference"]
    assert comparison.difference.index == runs[1] == runs[0] + 1
    assert re.search(r"b gets .* in wrong, nothing in right", comparison.difference.story[0].text)


def test_an_engine_that_runs_nodes_for_each_way_agrees_with_itself() -> None:
    engine = RecursiveSmall()
    comparison = compare(used_twice(engine)[0], used_twice(engine)[0], engine=engine)
    assert comparison.summary == "No difference in 3 nodes."


def grown(engine: Small, seed: int) -> Array:
    """A random graph: the same seed gives the same one."""
    random = np.random.default_rng(seed)
    shapes = [(2, 2), (2,), (2, 1), ()]
    nodes = [Array(random.normal(size=shapes[random.integers(4)])) for _ in range(random.integers(1, 4))]
    for _ in range(random.integers(1, 7)):
        one, other = (nodes[k] for k in random.integers(len(nodes), size=2))
        op = random.choice(["add", "mul", "sub", "exp", "relu", "max", "sum", "power"])
        if op in ("exp", "relu", "max", "sum"):
            nodes.append(getattr(engine, op)(one))
        elif op == "power":
            nodes.append(engine.power(one, 2))
        else:
            nodes.append(getattr(engine, op)(one, other))
    return engine.sum(nodes[-1])


def test_an_engine_agrees_with_itself_on_hundreds_of_graphs() -> None:
    engine = Small()
    # Five in one pass: of fewer, most of the time goes into showing it, and of more, into the boxes at each step.
    for first in range(0, 300, 5):
        loss, same = (
            functools.reduce(engine.add, [grown(engine, seed) for seed in range(first, first + 5)]) for _ in "ab"
        )
        leaves = [node for node in inputs_first(loss, engine.inputs) if not node._prev]
        names = {f"leaf {k}": leaf for k, leaf in enumerate(leaves)}  # else they are looked for in all variables
        comparison = compare(loss, same, engine=engine, names=names)
        assert comparison.difference is None, (first, comparison.summary)
        comparison.close()


def small_values(mistake: bool = False) -> tuple[Value, Value, Value]:
    a, b = Value(2.0), Value(-3.0)
    e = a * b
    loss = e * a
    if mistake:
        whole = loss._backward

        def _backward() -> None:
            whole()
            e.grad = 0.0

        loss._backward = _backward
    return loss, a, b


def of_minigrad() -> dict[str, Any]:
    return cell(
        textwrap.dedent("""
        a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(-3.0, requires_grad=True)
        e = a * b
        loss = e * a
        """)
    )


def test_minigrad_pytorch_and_an_engine_of_ones_own_agree() -> None:
    torch = require("torch")
    ours, own = of_minigrad(), small_values()[0]
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, -3.0))
    theirs = (a * b) * a
    for one, other in ((ours["loss"], own), (own, ours["loss"]), (theirs, own), (ours["loss"], theirs)):
        comparison = compare(one, other, engine=Engine())
        assert repr(comparison).endswith("No difference in 2 nodes."), comparison.trace()
        assert comparison.index == 0
    assert [one.grad for one in (a, b, ours["a"], ours["b"])] == [None] * 4


def test_grads_are_put_back_and_walking_changes_nothing() -> None:
    right, a, b = small_values()
    wrong, c, d = small_values(mistake=True)
    a.grad = c.grad = 7.0
    comparison = compare(right, wrong, engine=Engine())
    before = [value.grad for value in (a, b, c, d, right, wrong)]
    assert before == [7.0, 0.0, 7.0, 0.0, 0.0, 0.0]
    comparison.first()
    comparison.last()
    assert [value.grad for value in (a, b, c, d, right, wrong)] == before
    assert comparison.next() is None


def test_the_numbers_of_both_are_in_boxes_edges_and_words() -> None:
    right, a, b = small_values()
    wrong, *_ = small_values(mistake=True)
    comparison = compare(right, wrong, engine=Engine(), names={"a": a, "b": b, "e": next(iter(right._prev - {a}))})
    frame = comparison.frames[1]
    assert comparison.difference is frame
    states = {comparison.session.graph.by_id[key].name: state for key, state in frame.states.items()}
    assert states["e"].grad.text == "2 ≠ 0"
    assert states["right"].mark == "first"
    assert states["e"].mark == "follows"
    assert states["a"].mark == states["b"].mark == ""
    assert "2 ≠ 0" in frame.chips.values()
    last = json.loads(comparison.recorded[-1])["boxes"]
    assert {last[key]["grad"] for key in last if last[key].get("mark") == "follows"} <= {"2 ≠ 0", "-12 ≠ -6", "4 ≠ 0"}
    assert (
        "Here they part: mul: e gets 2 in the first, nothing" in comparison.trace()
        or "0 in the second" in comparison.trace()
    )


def test_a_wrong_function_shows_the_line_that_differs() -> None:
    names = cell(
        textwrap.dedent("""
        class Right(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * 3 * x ** 2

        class Wrong(mg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * x ** 2

        x = mg.tensor([1.0, 2.0], requires_grad=True)
        right, wrong = Right.apply(x).sum(), Wrong.apply(x).sum()
        """)
    )
    comparison = compare(names["right"], names["wrong"], names={"x": names["x"]}, labels=("Right", "Wrong"))
    assert comparison.difference is not None
    told = [line.text for line in comparison.difference.story]
    assert told[1] == "x: the factor 3 is missing in Wrong."
    assert told[2].splitlines() == ["Right:", "return g * 3 * x ** 2", "Wrong:", "return g * x ** 2"]
    assert names["x"].grad is None
    names["right"].backward()  # nothing was freed
    assert comparison.session.graph.box_named("x")


def test_another_shape_of_graph_is_said_with_its_node() -> None:
    names = {name: value for name, value in of_minigrad().items() if isinstance(value, mg.Tensor)}
    a, b = Value(2.0), Value(-3.0)
    with pytest.raises(
        ValueError, match=r"differ at e: in the first there is e \(mul\) from a and b, in the second .* from"
    ):
        compare(names["loss"], a * b + a * a, engine=Engine(), names=names)
    with pytest.raises(
        ValueError, match=r"differ at e: in the first there is e \(mul\) from a and b, in the second .*, a leaf"
    ):
        compare(names["loss"], Value(-6.0) * a, engine=Engine(), names=names)


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    loss = small_values()[0]
    with pytest.raises(TypeError, match="expected a Tensor as its second result"):
        compare(loss, 3, engine=(Engine(), None))
    for wrong in ({"engine": (Engine(),)}, {"labels": ("a",)}, {"labels": (1, 2)}):
        with pytest.raises(ValueError, match="a pair of engines and a pair of labels"):
            compare(loss, loss, **{"engine": Engine(), **wrong})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"derived from viz.Engine"):
        compare(loss, loss, engine=(Engine(), 5))  # type: ignore[arg-type]


def test_stale_gradients_of_leaves_part_before_the_pass() -> None:
    right, a, _ = small_values()
    wrong, c, _ = small_values()
    c.grad = 3.0
    comparison = compare(right, wrong, engine=Engine(), names={"a": a})
    assert comparison.difference is comparison.frames[0]
    assert comparison.frames[0].story[0].text == (
        "Here they part: a.grad held nothing in the first, 3 in the second before the pass."
    )
    assert "a -12 ≠ -9" in comparison.trace()


def test_rounding_is_no_difference_and_nan_equals_nan() -> None:
    for number in (1 / 3, 1e-30, 1e30, float("nan"), float("inf")):
        x = mg.tensor([number, 2.0], requires_grad=True)
        y = mg.tensor([number, 2.0], requires_grad=True, dtype=mg.float64)
        one, other = (x * x * x).sum(), (y * y * y).sum()
        assert compare(one, other).difference is None, number


def test_a_pass_that_fails_ends_the_comparison_there() -> None:
    right, a, _ = small_values()
    wrong, *_ = small_values()

    def fail() -> None:
        raise ZeroDivisionError("oh")

    wrong._backward = fail
    comparison = compare(right, wrong, engine=Engine(), labels=("A", "B"))
    assert comparison.difference is not None
    text = comparison.difference.story[0].text
    assert text.startswith("Here they part: B stops at right: RuntimeError: Engine.run() of right raised ZeroDivision")
    other = compare(wrong, right, engine=Engine(), labels=("A", "B"))
    assert "A stops at wrong" in other.trace()
    assert other.problem
    assert a.grad == 0.0


def test_a_node_that_never_runs() -> None:
    right, _, _ = small_values()
    wrong, _, _ = small_values()
    lazy = type("Lazy", (Engine,), {"order": staticmethod(lambda root: [root])})()
    comparison = compare(right, wrong, engine=(Engine(), lazy))
    assert comparison.difference is not None
    assert re.search("the second never runs", comparison.difference.story[0].text)
    (mine, _, _), (theirs, _, _) = small_values(), small_values()
    other = compare(theirs, mine, engine=(lazy, Engine()))
    assert other.difference is not None
    assert other.difference.index == other.difference.total
    assert re.search("the first never runs", other.difference.story[0].text)
    assert compare(theirs, mine, engine=lazy).difference is None


def test_a_page_and_a_notebook_open_at_the_difference(tmp_path: Any) -> None:
    comparison = compared("sign", ("<b>", "</script>"))
    comparison.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f'"index":{comparison.index}' in page
    assert "First difference" in comparison.picture["note"]
    assert "<b>:" not in page
    bundle = comparison._repr_mimebundle_()
    assert "First difference" in bundle["text/plain"]
    assert "≠" in still(bundle["text/html"])
    assert stored(bundle["text/html"])["kept"] == comparison.kept


def test_what_a_learner_wrote_in_an_odd_graph_pairs_by_value() -> None:
    def network(order: int) -> Value:
        values = [Value(float(k)) for k in range(1, 5)]
        parts = [values[k] * values[(k + 1) % 4] for k in range(4)][::order]
        return (
            (parts[0] + parts[1]) + (parts[2] + parts[3])
            if order == 1
            else (parts[3] + parts[2]) + (parts[1] + parts[0])
        )

    assert compare(network(1), network(-1), engine=Engine()).difference is None


def test_a_stored_notebook_shows_the_comparison_where_it_stood() -> None:
    comparison = compared("sign")
    cell_output = nbformat.v4.new_output("display_data", comparison._repr_mimebundle_())
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[cell_output])])
    changed, _ = StepperPreprocessor().preprocess(notebook, {})
    shown = changed.cells[0].outputs[0].data["text/html"]
    assert stored(shown)["index"] == comparison.index > 0
    assert "≠" in still(shown)
    assert "<script" not in shown


def test_a_long_number_beside_none() -> None:
    a, b = Value(-1.2345e-17), Value(-6.789e-19)
    c, d = Value(-1.2345e-17), Value(-6.789e-19)
    d.grad = None  # type: ignore[assignment]
    silent = type("Silent", (Engine,), {"run": lambda self, node: None})()
    comparison = compare(a * b, c * d, engine=(Engine(), silent), names={"a": a, "b": b})
    assert "b -1.235e-17 ≠ None" in comparison.trace()


def test_numbers_that_one_engine_makes_nodes_of_are_passed_over() -> None:
    def program(x: Any, w: Any) -> Any:
        return (x * 2 + 1) * w + x * x

    x, w = mg.tensor(0.3, requires_grad=True), mg.tensor(-0.5, requires_grad=True)
    ours, own = program(x, w), program(Value(0.3), Value(-0.5))
    torch = require("torch")
    theirs = program(*(torch.tensor(number, requires_grad=True) for number in (0.3, -0.5)))
    for one, other in ((ours, own), (own, ours), (theirs, own), (own, theirs)):
        comparison = compare(one, other, engine=Engine())
        assert comparison.summary == "No difference in 5 nodes."
        assert "no gradient came" not in comparison.trace()


def test_none_and_zero_are_told_where_no_gradient_came() -> None:
    a, b = Value(2.0), Value(3.0)
    c, d = Value(2.0), Value(3.0)
    d.grad = None  # type: ignore[assignment]
    c_only = type("Half", (Engine,), {"run": lambda self, node: setattr(c, "grad", 0.0)})()
    none = type("None_", (Engine,), {"run": lambda self, node: None})()
    comparison = compare(a * b, c * d, engine=(none, c_only), names={"a": a, "b": b})
    assert comparison.difference is None
    assert "b.grad is 0 in the first, None in the second: no gradient came." in comparison.trace()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_first_is_found_at_the_same_node(mistake: str) -> None:
    right, wrong = Small(), Small(mistake)
    loss, names = program(wrong)
    comparison = compare(loss, program(right)[0], engine=(wrong, right), names=names)
    assert comparison.difference is not None
    assert comparison.difference.name == MISTAKES[mistake][0]
    assert len([line for line in comparison.difference.story if line.kind == "sentence"]) >= 1

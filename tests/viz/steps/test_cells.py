"""Cells: which cell of a gradient came from which of the one that arrived, found by running the rule, unnoticed."""

import json
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from ops import op_rows
from viz.cells import cell

import minigrad as mg
from minigrad import viz
from minigrad.autograd import engine, fitting
from minigrad.autograd.node import AccumulateGrad
from minigrad.viz.graph.values import CELLS, describe
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.steps.cells import BOXES, SHADES, pattern, patterns_of


def cells_of(source: str, op: str) -> dict[str, Any]:
    """What the page gets to know at the step of an op."""
    stepper = cell(source + "\ns = viz.BackwardStepper(loss)\ns.last()\n")["s"]
    found = next(frame for frame in stepper.frames if frame.op.startswith(op))
    told: dict[str, Any] = json.loads(json.dumps(found.to_json(None), allow_nan=False)).get("cells")
    return told


# ---------------------------------------------------------------- the pattern


@pytest.mark.parametrize(
    ("jacobian", "text"),
    [
        (np.eye(3), "same"),
        (np.diag([1.0, -2.0, 0.0]), "same 590"),
        (np.ones((1, 4)), "all"),
        (np.ones((1, 1)), "same"),
        (np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 3.0]]), "330 009"),
        (np.array([[np.nan, 1.0], [0.0, 1e-9]]), "?? 91"),
        (np.array([[np.inf]]), "?"),
        (np.zeros((2, 2)), "same 00"),
    ],
)
def test_a_jacobian_in_digits(jacobian: np.ndarray, text: str) -> None:
    assert pattern(jacobian) == text


def digits(text: str, sent: int, arrived: int) -> np.ndarray:
    """A pattern, cells of what was sent × cells of what arrived."""
    word, _, own = text.partition(" ")
    if word == "all":
        return np.full((sent, arrived), SHADES)
    if word == "same":
        return np.diag([int(digit) for digit in own] or [SHADES] * sent)
    return np.array([[int(digit) for digit in row] for row in text.split(" ")])


def check_weights(text: str, jacobian: np.ndarray) -> None:
    """That a pattern says of a Jacobian, known in another way, where it is not 0, and how much there is."""
    weights = np.abs(jacobian.T)
    share = weights / (weights.max() or 1) * SHADES
    found = digits(text, *weights.shape)
    assert ((found > 0) == (share > 0)).all(), (text, share)
    assert ((found >= share - 1e-6) & (found < share + 1 + 1e-6)).all(), (text, share)


def test_the_cells_are_those_of_pytorchs_jacobian() -> None:
    """For every row of the op table that is one node: all its Jacobians, by PyTorch, one cell after the other."""
    kinds = set()
    for case in op_rows.DIFFERENTIABLE:
        arrays = case.arrays()
        leaves = [mg.tensor(array, requires_grad=True) for array in arrays]
        result = case.row.function(mg, *leaves)
        node = result.grad_fn
        reached = [] if node is None else [getattr(leaf, "variable", None) for leaf, _ in node.next_functions]
        sizes = [array.size for array in arrays]
        are_small = 0 < result.numel() <= CELLS and 1 < max(*sizes, result.numel()) <= CELLS
        if node is None or node._output_count > 1 or any(leaf is None for leaf in reached) or not are_small:
            continue
        patterns = patterns_of(MinigradSource(result), node, result.detach().numpy(), list(map(describe, arrays)))
        twins = [torch.tensor(array, requires_grad=True) for array in arrays]
        cells = case.row.function(torch, *twins).reshape(-1)
        rows = [torch.autograd.grad(one, twins, retain_graph=True, allow_unused=True) for one in cells]
        for number, leaf in enumerate(leaves):
            slots = [slot for slot, other in enumerate(reached) if other is leaf]
            if leaf.numel() and len(slots) == 1:
                parts = [np.zeros(leaf.numel()) if row[number] is None else row[number].numpy() for row in rows]
                check_weights(patterns[slots[0]], np.stack([part.reshape(-1) for part in parts]))
                kinds.add(node.name())
    assert len(kinds) > 100, sorted(kinds)


def test_the_cells_of_every_node_are_those_that_it_gives_when_called_by_hand() -> None:
    """Also of the nodes inside of what is made of several: each is called with one cell after the other."""
    kinds = set()
    for case in op_rows.DIFFERENTIABLE:
        leaves = [mg.tensor(array, requires_grad=True) for array in case.arrays()]
        result = case.row.function(mg, *leaves)
        if result.grad_fn is None or isinstance(result.grad_fn, AccumulateGrad):
            continue
        for node, incoming, outgoing in engine.steps(result, mg.ones_like(result), retain_graph=True):
            if isinstance(node, AccumulateGrad) or node.name() in kinds or not np.size(incoming[0]):
                continue
            inputs = [describe(one) for one in fitting.fit(node, outgoing) if one is not None]
            patterns = patterns_of(MinigradSource(result), node, incoming[0], inputs)
            ones = np.eye(np.size(incoming[0])).reshape(-1, *np.shape(incoming[0]))
            for slot, text in enumerate(patterns):
                if text:
                    with mg.no_grad():
                        given = [node(mg.tensor(one, dtype=mg.float64)) for one in ones]
                    own = [one[slot] if isinstance(one, tuple) else one for one in given]
                    check_weights(text, np.stack([one.numpy().reshape(-1) for one in own]))
                    kinds.add(node.name())
    assert len(kinds) > 120, sorted(kinds)


# ---------------------------------------------------------------- a step


def test_a_row_that_was_added_to_a_matrix_comes_from_its_columns() -> None:
    told = cells_of(
        "x = mg.ones(2, 3)\nW = mg.ones((3, 3), requires_grad=True)\nb = mg.ones(3, requires_grad=True)\n"
        "loss = (x @ W + b).sum()",
        "Add",
    )
    assert told["g"] == {"shape": [2, 3], "cells": "1 1 1 1 1 1"}
    assert [one["from"] for one in told["sent"]] == ["same", "900900 090090 009009"]
    assert [one["cells"] for one in told["sent"]] == ["1 1 1 1 1 1", "2 2 2"]
    assert [repeated for _, _, _, repeated in told["operands"]] == [True, True]
    assert [edge for edge, _, _, _ in told["operands"]] == [one["key"] for one in told["sent"]]


@pytest.mark.parametrize(
    ("expression", "op", "text"),
    [
        ("x[[0, 0, 2]]", "Index", "110 000 001"),
        ("x.mean()", "Mean", "all"),
        ("x.flip(0)", "Flip", "001 010 100"),
        ("x.max()", "Max", "0 0 1"),
        ("x.relu()", "Relu", "same 099"),
        ("x.softmax(0)", "Softmax", "111 111 111"),
        ("x.expand(2, 3)", "Expand", "100100 010010 001001"),
        ("mg.cat([x, x])[:3]", "Cat", "100000 010000 001000"),
    ],
)
def test_where_cells_come_from(expression: str, op: str, text: str) -> None:
    told = cells_of(f"x = mg.tensor([-1., 0.5, 2.], requires_grad=True)\nloss = {expression}.sum()", op)
    came_from = told["sent"][0]["from"]
    is_word = came_from.split(" ")[0] in ("all", "same")
    assert (came_from if is_word else "".join("1" if one in "123456789" else one for one in came_from)) == text


def test_of_stacked_tensors_none_is_repeated() -> None:
    with mg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        told = cells_of("x = mg.ones(3, requires_grad=True)\nloss = mg.stack([x, x * 2.]).sum()", "Stack")
    assert [repeated for _, _, _, repeated in told["operands"]] == [False, False]


def test_single_numbers_are_no_cells_and_many_are_too_many() -> None:
    assert cells_of("a = mg.tensor(3., requires_grad=True)\nloss = a * a", "Mul") is None
    told = cells_of("x = mg.ones(1000, requires_grad=True)\nloss = (x * 2.).sum()", "Mul")
    assert told["g"] == {"shape": [1000]}
    assert [(one["shape"], one["from"], "cells" in one) for one in told["sent"]] == [([1000], "", False)]


def test_a_leaf_shows_its_sum_where_that_is_another_number() -> None:
    source = "x = mg.ones(2, requires_grad=True)\nx.grad = mg.ones(2)\nloss = (x * 3.).sum()"
    told = cells_of(source, "Accumulate")
    assert (told["g"]["cells"], told["sent"][0]["cells"], told["sent"][0]["from"]) == ("3 3", "4 4", "same")
    assert cells_of(source.replace("x.grad = mg.ones(2)\n", ""), "Accumulate")["sent"] == []


def test_where_the_rule_multiplies_with_nan_the_cells_are_not_known() -> None:
    told = cells_of("x = mg.tensor([1., float('nan')], requires_grad=True)\nloss = (x * x).exp().sum()", "Exp")
    assert told["sent"][0]["from"] == "90 ??"


def test_pytorchs_gradients_have_cells_too() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    stepper = viz.BackwardStepper((x * 2 + torch.ones(2)).sum())
    stepper.last()
    told = next(frame.cells for frame in stepper.frames if frame.op == "AddBackward0")
    assert told is not None
    assert (told["g"]["cells"], told["sent"][0]["from"]) == ("1 1 1 1", "")


# ---------------------------------------------------------------- nobody notices


def net() -> tuple[Any, list[Any]]:
    mg.manual_seed(0)
    x, W, b = mg.randn(3, 4), mg.randn(4, 4).requires_grad_(), mg.randn(4).requires_grad_()
    hidden = mg.nn.functional.dropout(x @ W + b, 0.5)
    return mg.nn.functional.cross_entropy(hidden, mg.tensor([0, 3, 1])), [W, b]


def test_gradients_versions_and_random_numbers_are_those_of_backward() -> None:
    plain, wanted = net()
    plain.backward()
    then = mg.rand(3).numpy()
    root, leaves = net()
    stepper = viz.BackwardStepper(root, retain_graph=True)
    nodes = [node for node in stepper.session.graph.nodes if node is not None]
    kept, versions = [list(node._kept or ()) for node in nodes], [leaf._version for leaf in leaves]
    stepper.last()
    assert any(one["from"] for frame in stepper.frames if frame.cells for one in frame.cells["sent"])
    assert all(
        one is other
        for node, before in zip(nodes, kept, strict=True)
        for one, other in zip(before, node._kept, strict=True)
    )
    assert versions == [leaf._version for leaf in leaves]
    assert [leaf.grad.numpy().tobytes() for leaf in leaves] == [leaf.grad.numpy().tobytes() for leaf in wanted]
    assert mg.rand(3).numpy().tobytes() == then.tobytes()


def test_a_rule_that_divides_by_zero_warns_of_nothing() -> None:
    x = mg.tensor([0.0, 1.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        viz.BackwardStepper(x.sqrt().sum()).last()
        with np.errstate(all="raise"):
            assert patterns_of(MinigradSource(x), x.sqrt().grad_fn, np.ones(2, "float32"), []) == ("?? 09",)


def test_a_profiler_counts_what_runs_without_cells_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def events() -> list[str]:
        root, _ = net()
        with mg.autograd.profiler.profile() as profile:
            viz.BackwardStepper(root).last()
        looks = "aten::detach"  # of all steppers that are still there
        return [event.name for event in profile.function_events if event.name != looks]

    events()  # which writes the ops' functions
    found = events()
    root = net()[0]
    asked = MinigradSource(root), root.grad_fn, np.ones((), "float32"), [describe(np.ones((3, 4)))]
    assert patterns_of(*asked) != ()
    with mg.autograd.profiler.profile():
        assert patterns_of(*asked) == ()
    monkeypatch.setattr("minigrad.viz.steps.frame_maker.patterns_of", lambda *about: ())
    assert found == events()


def test_what_the_learner_wrote_runs_once() -> None:
    ran = []

    class Double(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            ran.append("backward")
            return g * 2

    x = mg.ones(3, requires_grad=True)
    with mg.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: ran.append("unpack") or one):
        packed = x.exp()
    hooked = Double.apply(packed) * 3.0
    hooked.grad_fn.register_prehook(lambda gradients: ran.append("prehook"))
    stepper = viz.BackwardStepper(hooked.sum())
    stepper.last()
    assert sorted(ran) == ["backward", "prehook", "unpack"]
    known = {frame.op: [one["from"] for one in frame.cells["sent"]] for frame in stepper.frames if frame.cells}
    assert (known["MulBackward0"], known["DoubleBackward"], known["ExpBackward0"]) == ([""], [""], [""])
    assert known["SumBackward0"] == ["all"]


def test_what_the_rule_cannot_do_the_step_itself_says() -> None:
    x = mg.ones(3, requires_grad=True)
    y = x * 1.0
    root = (y * y).sum()
    with mg.no_grad():
        y.add_(1.0)
    stepper = viz.BackwardStepper(root)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.last()
    assert stepper.frames[-1].failed


def test_a_large_graph_pays_nothing_and_a_large_jacobian_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("minigrad.viz.steps.frame_maker.patterns_of", lambda *about: asked.append(about) or ())
    x = mg.ones(2, requires_grad=True)
    y = x
    for _ in range(BOXES):
        y = y * 1.0
    viz.BackwardStepper(y.sum()).last()
    assert asked == []
    monkeypatch.undo()
    rows = mg.ones((60, 3000), requires_grad=True).sum(1)
    assert patterns_of(MinigradSource(rows), rows.grad_fn, np.ones(60, "float32"), []) == ()

"""Which pieces of the learner's code a step marks: the operation that ran, without those inside it."""

from __future__ import annotations

from typing import Any

import pytest
from viz.cells import cell

from minigrad import viz
from minigrad.viz.graph.observer import Span
from minigrad.viz.graph.operation_marks import operation_marks

LEAVES = (
    "a, b, c = (mg.tensor([[float(k), 2.0], [0.5, 1.0]], requires_grad=True) for k in (1, 2, 3))\n"
    "m, s, k = mg.tensor(0.5), mg.tensor(2.0, requires_grad=True), 2\n"
    "net, ws = mg.nn.Linear(2, 2), [a, b]\n"
)
ROWS = LEAVES.count("\n")

# What computes y, op -> the pieces marked where a node of its runs, the last that was made first.
CODE: dict[str, dict[str, list[str]]] = {
    "y = mg.sigmoid(a @ b + c)": {"Sigmoid": ["mg.sigmoid(", ")"], "Add": ["+"], "Mm": ["a @ b"]},
    "y = (a - m) / s": {"Div": ["/"], "Sub": ["a - m"]},
    "y = a / (s * k)": {"Div": ["/"], "Mul": ["s * k"]},
    "y = a * 4**0.5 + 1": {"Mul": ["a * 4**0.5"], "Add": ["+"]},
    "y = -(a + b)": {"Neg": ["-"], "Add": ["a + b"]},
    "y = -a": {"Neg": ["-a"]},
    "y = (a - b).pow(2).sum(1).sqrt()": {"Sqrt": [".sqrt()"], "Sum": [".sum(1)"], "Pow": [".pow(2)"], "Sub": ["a - b"]},
    "y = (a\n     # grows\n     .exp()   # a (comment)\n     .log())": {"Log": [".log()"], "Exp": [".exp()"]},
    "y = mg.softmax(\n    a @ b,  # scores, by rows\n    dim=-1,\n)": {
        "Softmax": ["mg.softmax(", "dim=-1"],
        "Mm": ["a @ b"],
    },
    "y = a.clamp(min=0.0, max=k * 2)": {"Clamp": ["a.clamp(min=0.0, max=", ")"]},
    'y = (a @ b).masked_fill(m > k, float("-inf"))': {"MaskedFill": [".masked_fill(", 'float("-inf"))']},
    "y = mg.cat([a * 2, b])": {"Cat": ["mg.cat([", "b])"], "Mul": ["a * 2"]},
    "y = (a\n     + b * c\n     + s)": {"Add": ["+", "+"], "Mul": ["b * c"]},
    "y = a @ b.T": {"Mm": ["@"], "Permute": ["b.T"]},
    "y = (a @ b)[0, :]": {"Select": ["[0, :]"]},
    "y = a[k - 1] * s": {"Mul": ["*"], "Select": ["a[k - 1]"]},
    "y = a * 1\ny *= b + c": {"Mul": ["*=", "a * 1"], "Add": ["b + c"]},
    "y = a * 1\ny *= b": {"Mul": ["y *= b", "a * 1"]},
    "y = a * 1\ny[0] = s * k": {"CopySlices": ["y[0] ="], "Mul": ["s * k", "a * 1"]},
    "y = sum([w * w for w in ws])": {"Mul": ["w * w", "w * w"], "Add": ["sum(", ")", "sum(", ")"]},
    "y = net(mg.relu(a))": {"Addmm": ["net(", ")"], "Relu": ["mg.relu(a)"]},
    "f = lambda x: x.exp()\ny = f(a + b)": {"Exp": ["x.exp()"], "Add": ["a + b"]},
    "δ = a\ny = mg.exp(δ * δ) * (δ + 1)": {"Mul": ["*", "δ * δ"], "Exp": ["mg.exp(", ")"], "Add": ["δ + 1"]},
}


def marked(code: str) -> tuple[viz.BackwardStepper, Any]:
    """The stepper of a cell's y, and a function that gives the marked pieces of a frame."""
    stepper = cell(LEAVES + code + "\nq = viz.BackwardStepper(y, gradient=mg.ones_like(y))\n")["q"]
    stepper.last()
    (listing,) = stepper.session.graph.listings
    lines = dict(listing.lines)
    return stepper, lambda frame: [lines[line][start:end] for _, line, start, end in frame.marks]


@pytest.mark.parametrize("code", CODE)
def test_the_operation_that_ran_is_marked_and_none_that_is_inside_it(code: str) -> None:
    stepper, pieces = marked(code)
    found: dict[str, list[str]] = {}
    for frame in stepper.frames[1:]:
        word = frame.op.rstrip("0123456789").removesuffix("Backward")
        found[word] = found.get(word, []) + pieces(frame)
    assert {word: found[word] for word in CODE[code]} == CODE[code]


def test_a_leaf_is_marked_where_it_was_used() -> None:
    stepper, pieces = marked("h = a @ b\ny = mg.tanh(h @ b + c) * b.sum()")
    marks = {frame.name: (pieces(frame), [line - ROWS for _, line, *_ in frame.marks]) for frame in stepper.frames}
    assert marks["a"] == (["a"], [1])
    assert marks["b"] == (["b", "b", "b"], [1, 2, 2])
    assert marks["c"] == (["c"], [2])


def test_a_leaf_whose_use_does_not_name_it_is_marked_by_the_operation() -> None:
    stepper, pieces = marked("y = net(a * 2)")
    marks = {frame.name: pieces(frame) for frame in stepper.frames}
    assert (marks["net.weight"], marks["net.bias"], marks["a"]) == (["net(", ")"], ["net(", ")"], ["a"])


def test_where_a_leaf_was_made_stays_to_be_asked_for() -> None:
    code = "w = mg.tensor([2.0])\nw.requires_grad_()\nh = w * 3\nq = viz.BackwardStepper(h)\nq.last()\n"
    frame = cell(code)["q"].frame
    assert frame.marks == ((0, 3, 4, 5),)
    told = [(line.text, line.why) for line in frame.story]
    assert ("w gets its gradient from h = w * 3.", False) in told
    assert ("w was made in line 1: mg.tensor([2.0])", True) in told


def test_the_forward_pass_marks_where_a_leaf_is_made() -> None:
    code = "w = mg.tensor([2.0], requires_grad=True)\nh = w * 3\nq = viz.BackwardStepper(h, forward=True)\n"
    first, second = cell(code)["q"].session.forward
    assert (first.marks, second.marks) == (((0, 1, 4, 40),), ((0, 2, 4, 9),))


def test_the_pieces_of_pytorchs_code_are_marked_as_well() -> None:
    torch = pytest.importorskip("torch")
    code = (
        "a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)\n"
        "with viz.watch():\n    y = torch.sigmoid((a @ b) / (b + 1)).sum()\n"
        "q = viz.BackwardStepper(y)\nq.last()\n"
    )
    stepper = cell(code, torch=torch)["q"]
    lines = dict(stepper.session.graph.listings[0].lines)
    pieces = {
        frame.op if frame.contributions else frame.name: [lines[line][start:end] for _, line, start, end in frame.marks]
        for frame in stepper.frames[1:]
    }
    assert pieces["SumBackward0"] == [".sum()"]
    assert pieces["SigmoidBackward0"] == ["torch.sigmoid(", ")"]
    assert pieces["DivBackward0"] == ["/"]
    assert pieces["MmBackward0"] == ["a @ b"]
    assert (pieces["a"], pieces["b"]) == (["a"], ["b", "b"])


def test_a_line_whose_place_python_does_not_know_is_marked_whole() -> None:
    text = "x = mg.tensor(2.0, requires_grad=True)\ny = x * (x + 1)\nq = viz.BackwardStepper(y)\n"
    scope = cell(text)
    span = scope["q"].session.graph.box_named("y").span
    assert span is not None
    assert operation_marks(Span(span.file, 2, 2, 0, 15)) == ((2, 0, 15),)
    assert operation_marks(Span("<no file>", 7, 7, 1, 4)) == ((7, 1, 4),)

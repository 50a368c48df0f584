"""Folding: few boxes at first, each part opens into few, and its title says what a reader of the code would say."""

import itertools
import linecache
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from viz.cells import cell, check_no_circle, still

import minigrad as mg
from minigrad import viz
from minigrad.autograd.modes import set_node_observer
from minigrad.viz.graph import groups as module_of_groups
from minigrad.viz.graph import statements
from minigrad.viz.graph.boxes import Box, Edge, Snapshot
from minigrad.viz.graph.calls import way_of
from minigrad.viz.graph.folding import MOST_WITH_INPUTS, pattern_in
from minigrad.viz.graph.groups import FEW, MANY_BOXES, Group, groups_of, open_at_first
from minigrad.viz.graph.observer import CALL, NO_PLACE, observe
from minigrad.viz.graph.values import NONE
from minigrad.viz.sources import snapshot_of as snapshot

MICROGRAD = """\
class Neuron:
    def __init__(self, count):
        self.w = [mg.tensor(0.1 * k, requires_grad=True) for k in range(count)]
        self.b = mg.tensor(0.0, requires_grad=True)

    def __call__(self, x):
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return act.tanh()

class Layer:
    def __init__(self, count, size):
        self.neurons = [Neuron(count) for _ in range(size)]

    def __call__(self, x):
        out = [n(x) for n in self.neurons]
        return out[0] if len(out) == 1 else out

class MLP:
    def __init__(self, count, sizes):
        self.layers = [Layer(a, b) for a, b in zip([count, *sizes], sizes)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

n = MLP(3, [4, 4, 1])
"""
ONE = "loss = (n([2.0, 3.0, -1.0]) - 1.0) ** 2\n"
FOUR = """\
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
for epoch in range(2):
    predicted = [n(x) for x in xs]
    loss = sum((one - 1.0) ** 2 for one in predicted)
"""


@pytest.fixture(autouse=True)
def folded_from_20_boxes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that a reader of these tests can take in are folded as larger ones are."""
    monkeypatch.setattr(module_of_groups, "UNFOLDED", 20)


def folded(text: str, **names: Any) -> tuple[Snapshot, tuple[Group, ...]]:
    """The graph of `loss` after a cell has run, and its groups."""
    scope = cell(text, **names)
    graph = snapshot(scope["loss"], {name: value for name, value in scope.items() if isinstance(value, mg.nn.Module)})
    groups = groups_of(graph, graph.modules)
    check(graph, groups)
    return graph, groups


def check(graph: Snapshot, groups: Sequence[Group]) -> None:
    """What is true of all folded graphs: parts of a size that can be seen, and never a circle or a wrong count."""
    things = {group.id: len(group.boxes) + sum(other.parent == group.id for other in groups) for group in groups}
    opened = open_at_first(graph, tuple(groups))
    assert all(group.parent is None or group.parent in opened for group in groups if group.id in opened)
    if len(graph.boxes) > module_of_groups.UNFOLDED:
        assert all(2 <= count <= MOST_WITH_INPUTS for count in things.values()), things
        if len(graph.boxes) > FEW:
            assert check_no_circle(graph, groups, opened) <= MANY_BOXES
        else:
            hidden = {box for group in groups if not is_seen_open(groups, group, opened) for box in group.boxes}
            nodes = {box.id for box in graph.boxes if box.kind != "constant"}
            assert len(nodes - hidden) >= 0.6 * len(nodes)
            check_no_circle(graph, groups, opened)
    homes = [box for group in groups for box in group.boxes]
    assert len(homes) == len(set(homes))
    for group in groups:
        inside = {group.id}
        for other in groups:  # outer ones stand first
            inside |= {other.id} if other.parent in inside else set()
        assert group.count == sum(len(other.boxes) for other in groups if other.id in inside)
    for shown in ([], [group.id for group in groups]):
        check_no_circle(graph, groups, shown)


def is_seen_open(groups: Sequence[Group], group: Group, opened: Sequence[str]) -> bool:
    """Whether a group and all around it are open."""
    by_id = {one.id: one for one in groups}
    at: Group | None = group
    while at is not None and at.id in opened:
        at = by_id.get(at.parent or "")
    return at is None


def titles(groups: Sequence[Group], parent: Group | None = None) -> list[str]:
    """The titles of the groups in another, or of the outermost."""
    return [group.name for group in groups if group.parent == (parent.id if parent else None)]


def named(groups: Sequence[Group], name: str) -> Group:
    return next(group for group in groups if group.name == name)


def test_micrograds_network_folds_into_layers_and_neurons() -> None:
    _, groups = folded(MICROGRAD + ONE)
    assert titles(groups) == ["MLP · for layer in self.layers: ×3"]
    layers = titles(groups, groups[0])
    assert layers == [
        "Layer 1 of 2 · Neuron ×4",
        "Layer 2 of 2 · Neuron ×4",
        "Neuron",  # the last layer is one neuron
    ]
    assert titles(groups, named(groups, layers[0])) == [f"Neuron, call {k} of 4" for k in (1, 2, 3, 4)]


def test_loops_in_loops_are_told_apart_though_the_same_lines_run_again() -> None:
    _, groups = folded(MICROGRAD + FOUR)
    (network,) = [group for group in groups if group.parent is None and "MLP" in group.name]
    assert network.name == "MLP ×4"
    calls = titles(groups, network)
    assert calls[1:] == [f"MLP, call {k} of 4" for k in (1, 2, 3, 4)]
    assert len(titles(groups, named(groups, calls[1]))) == 3


def test_rounds_of_a_loop_are_numbered_and_many_come_in_stretches() -> None:
    text = "w = mg.tensor(0.5, requires_grad=True)\nh = w * 1\nfor t in range({}):\n    h = (h * w).tanh()\nloss = h\n"
    graph, groups = folded(text.format(12))
    assert titles(groups) == ["for t in range(12): ×12"]
    assert titles(groups, groups[0]) == [f"iteration {k} of 12" for k in range(1, 13)]
    assert [group.kind for group in groups] == ["loop", *["iteration"] * 12]
    assert groups[0].id in open_at_first(graph, groups)
    _, groups = folded(text.format(25))
    assert titles(groups, groups[0]) == ["iterations 1…5", *(f"iterations {k}…{k + 4}" for k in (6, 11, 16, 21))]
    assert titles(groups, groups[2]) == [f"iteration {k} of 25" for k in (6, 7, 8, 9, 10)]
    _, groups = folded(text.format(400))
    assert titles(groups) == ["for t in range(400): ×400"]


def test_while_and_continue_and_loops_in_functions() -> None:
    _, groups = folded(
        "x = mg.tensor(0.5, requires_grad=True)\n"
        "def walk(x, count):\n"
        "    while count > 0:\n"
        "        count -= 1\n"
        "        if count % 2:\n"
        "            x = (x * 2).exp()\n"
        "            continue\n"
        "        x = (x + 1).sin()\n"
        "    return x.cos()\n"
        "loss = walk(x, 4) + walk(x, 12)\n"
    )
    assert titles(groups) == ["walk, call 1 of 2", "walk, call 2 of 2"]
    first, second = groups[:2]
    assert titles(groups, first) == ["while count > 0: ×4"]
    assert titles(groups, second) == ["while count > 0: ×12"]


def test_one_call_in_each_round_is_that_call() -> None:
    text = (
        "cell = mg.nn.RNNCell(2, 2)\nh = mg.zeros(1, 2)\nxs = mg.ones(30, 1, 2).unbind()\n"
        "for x in xs:\n    h = cell(x, h)\nloss = h.sum()\n"
    )
    _, groups = folded(text)
    assert titles(groups) == ["cell ×30"]
    inputs, *calls = titles(groups, groups[0])
    assert inputs == "cell: 4 inputs"
    assert calls == [f"calls {k}…{k + 5}" for k in (1, 7, 13, 19, 25)]
    assert titles(groups, named(groups, "calls 7…12"))[0] == "cell, call 7 of 30"


def test_layers_of_a_list_are_one_part_with_their_numbers() -> None:
    _, groups = folded(
        "class Net(mg.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layers = mg.nn.ModuleList(mg.nn.Linear(2, 2) for _ in range(12))\n"
        "    def forward(self, x):\n"
        "        for layer in self.layers:\n"
        "            x = layer(x)\n"
        "        return x\n"
        "net = Net()\nloss = net(mg.ones(1, 2)).sum()\n"
    )
    assert titles(groups)[0] == "net"
    assert titles(groups, groups[0])[:2] == ["layers.0", "layers.1"]
    _, groups = folded(
        "net = mg.nn.Sequential(*(mg.nn.Linear(2, 2) for _ in range(40)))\nloss = net(mg.ones(1, 2)).sum()\n"
    )
    assert titles(groups, named(groups, "net"))[0] == "net[0…5]"


def test_what_sum_and_reduce_call_is_no_loop() -> None:
    _, groups = folded(
        "import functools\n"
        "x = [mg.tensor(1.0, requires_grad=True) for _ in range(9)]\n"
        "for epoch in range(1):\n"
        "    loss = sum(x) * functools.reduce(lambda a, b: a * b, x)\n"
    )
    assert titles(groups) == [f"loss, {k} of 4" for k in (1, 2, 3, 4)]
    assert {group.kind for group in groups} == {"statements"}


ATTENTION = """\
x = mg.ones(2, 4, requires_grad=True)
Wq, Wk, Wv = (mg.full((4, 4), 0.1, requires_grad=True) for _ in range(3))
q = (x @ Wq).tanh() * 2 + 1
k = (x @ Wk).tanh() * 2 + 1
v = (x @ Wv).tanh() * 2 + 1
scores = (q @ k.T / 2).exp().log() * 3
weights = scores.softmax(-1).sqrt() + 1
out = (weights @ v).sin().cos() ** 2
loss = ((out - 1) ** 2).mean()
"""


def test_statements_have_the_name_of_the_variable_that_they_assign() -> None:
    _, groups = folded(ATTENTION)
    assert [(group.name, group.kind) for group in groups] == [
        *((name, "statement") for name in ("q", "k", "v", "scores", "weights", "out", "loss"))
    ]


def test_a_run_of_statements_has_the_names_of_the_first_and_the_last() -> None:
    lines = [f"{name} = ({before} @ W).tanh() * 2 + 1\n" for before, name in itertools.pairwise("xabcdefghijklmnopq")]
    _, groups = folded(
        f"x, W = mg.ones(2, 2), mg.full((2, 2), 0.1, requires_grad=True)\n{''.join(lines)}loss = q.sum()\n"
    )
    assert titles(groups) == ["a … d", "e … i", "j … m", "n … loss"]
    assert titles(groups, groups[0]) == ["a", "b", "c", "d"]


def test_a_variable_that_is_assigned_again_and_again_has_numbers_as_in_the_boxes() -> None:
    again = "h = (h @ W).tanh() * 2 + 1\n" * 6
    _, groups = folded(f"h, W = mg.ones(2, 2), mg.full((2, 2), 0.1, requires_grad=True)\n{again}loss = h.sum()\n")
    assert titles(groups) == [f"h{digit}" for digit in "₁₂₃₄₅₆"]


def test_tuples_and_attributes_and_statements_in_functions() -> None:
    _, groups = folded(
        "class Coder: pass\ncoder = Coder()\n"
        "def coded(x):\n"
        "    inner = ((x * 2).exp().sin() + 1).cos().tanh()\n"
        "    mu, spread = (inner.sin() * 3).exp(), (inner.cos() * 4).exp()\n"
        "    coder.out = ((mu + spread).exp().tanh() * 2).cos().sin()\n"
        "    return (coder.out * inner).exp().sum()\n"
        "loss = coded(mg.ones(3, requires_grad=True))\ndel coder\n"
    )
    assert titles(groups) == ["inner", "mu, spread", "coder.out", "loss"]


def test_in_the_graph_of_a_gradient_parts_have_the_names_of_what_they_lead_back_through() -> None:
    _, groups = folded(
        ATTENTION.replace("loss = ", "y = ") + "g, = mg.autograd.grad(y, x, create_graph=True)\nloss = (g * g).sum()\n"
    )
    (sheet,) = [group for group in groups if group.kind == "create_graph"]
    assert {name.partition(",")[0] for name in titles(groups, sheet)} <= {
        *("q", "k", "v", "scores", "weights", "out", "y", "g"),
        *(f"{one} … {other}" for one in ATTENTION.split() for other in ATTENTION.split()),
    }
    assert len(titles(groups, sheet)) > 2


def test_without_lines_a_result_with_a_name_ends_a_statement() -> None:
    torch = pytest.importorskip("torch")
    x, W = torch.ones(2, 2), torch.full((2, 2), 0.1, requires_grad=True)
    h = (x @ W).tanh() * 2 + x.sum() * W
    y = (h @ W).sin().cos().exp().tanh().sin() * 2
    z = (y @ W).tanh().exp().sin().cos().exp().tanh() + 1
    graph = snapshot(((z - 1) ** 2).mean(), {"W": W, "h": h, "y": y, "z": z})
    groups = groups_of(graph, {})
    check(graph, groups)
    assert titles(groups)[:3] == ["h", "y", "z"]


def test_a_loop_opens_at_its_end_where_backward_begins() -> None:
    graph, groups = folded(
        "w = mg.tensor(0.5, requires_grad=True)\nh = w * 1\n"
        "for t in range(12):\n    h = (h * w).tanh() + (h * 2).exp().sin() * w\nloss = h\n"
    )
    opened = open_at_first(graph, groups)
    rounds = [group for group in groups if group.parent == groups[0].id]
    is_open = [group.id in opened for group in rounds]
    assert is_open == sorted(is_open)
    assert 0 < sum(is_open) < len(rounds)


def test_where_a_loop_is_divided_the_part_opens_in_which_backward_begins() -> None:
    graph, groups = folded(
        "W, V = (mg.full((2, 2), 0.1, requires_grad=True) for _ in range(2))\nh = mg.zeros(2, 2)\nloss = 0.0\n"
        "for t in range(25):\n    h = mg.tanh(h @ W + t * V + 1)\n"
        "    loss = loss + ((h @ V).sin() * 2 - t).square().mean()\n"
    )
    opened = open_at_first(graph, groups)
    parents = {group.id: group.parent for group in groups}
    around = [group.id for group in groups if graph.root in group.boxes]
    while (parent := parents[around[-1]]) is not None:
        around.append(parent)
    assert len(around) > 2
    assert set(around) <= set(opened)


@pytest.mark.parametrize("rounds", [12, 13, 15])
def test_up_to_80_boxes_most_steps_have_a_box_of_their_own(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_of_groups, "UNFOLDED", 60)
    graph, groups = folded(  # which checks it
        "w = mg.tensor(0.5, requires_grad=True)\nh = w * 1\n"
        f"for t in range({rounds}):\n    h = (h * w).tanh() + (h * 2).exp()\nloss = h\n"
    )
    assert 60 < len(graph.boxes) <= FEW
    assert len(open_at_first(graph, groups)) < len(groups)


def test_comprehensions_are_loops_too() -> None:
    _, groups = folded(
        "x = mg.tensor(1.0, requires_grad=True)\n"
        "losses = [((x - k) ** 2).exp() for k in range(9)]\nloss = mg.stack(losses).sum()\n"
    )
    assert titles(groups) == ["for k in range(9): ×9"]
    assert titles(groups, groups[0])[8] == "iteration 9 of 9"


def test_what_calls_itself() -> None:
    _, groups = folded(
        "def power(x, n):\n    return x if n == 0 else x * power(x, n - 1)\n"
        "x = mg.tensor(1.01, requires_grad=True)\nloss = power(x, 300)\n"
    )
    assert max(depth(groups, group) for group in groups) <= 4
    _, groups = folded(
        "class Tree(mg.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = mg.nn.Linear(2, 2)\n"
        "    def forward(self, x, n):\n"
        "        return self.fc(x) if n == 0 else self(x, n - 1) + self(x * 2, n - 1)\n"
        "tree = Tree()\nloss = tree(mg.ones(1, 2), 4).sum()\n"
    )
    assert titles(groups, groups[0]) != []


def depth(groups: Sequence[Group], group: Group) -> int:
    by_id = {one.id: one for one in groups}
    count = 1
    while group.parent is not None:
        group, count = by_id[group.parent], count + 1
    return count


@pytest.mark.parametrize("count", [1, 400])
def test_one_op_with_many_inputs(count: int) -> None:
    graph, groups = folded(
        f"ws = [mg.tensor(1.0 * k, requires_grad=True) for k in range({count})]\nloss = mg.stack(ws)\n"
    )
    assert len(open_at_first(graph, groups)) <= len(groups)
    if count > 1:
        assert [group.kind for group in groups if group.parent is None] == ["inputs"]


def test_a_small_graph_shows_its_modules_and_no_calls() -> None:
    graph, groups = folded(
        "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh())\n"
        "def loss_of(x):\n    return net(x).sum()\n"
        "for step in range(3):\n    loss = loss_of(mg.ones(1, 2))\n"
    )
    assert titles(groups) == ["net"]
    assert open_at_first(graph, groups) == [group.id for group in groups]


def test_code_without_a_source_folds_as_well() -> None:
    scope: dict[str, Any] = {"mg": mg}
    text = "x = mg.tensor(0.5, requires_grad=True)\nloss = x\nfor t in range(12):\n    loss = (loss * x).tanh()\n"
    exec(compile(text, "<nowhere>", "exec"), scope)
    graph = snapshot(scope["loss"])
    groups = groups_of(graph, {})
    check(graph, groups)
    assert titles(groups) == ["loop: ×12"]


def some_code() -> None:
    for _ in range(2):
        random.random()
    for _ in range(2):
        random.random()


def other_code() -> list[float]:
    return [random.random() for _ in range(2)]


PLACES = [
    (function.__code__, instruction, 1) for function in (some_code, other_code) for instruction in (0, 20, 60, 90)
]
MODULES = [(mg.nn.ReLU(), -1, 0), (mg.nn.Tanh(), -1, 0)]


def any_graph(chance: random.Random) -> Snapshot:
    """A random graph, whose nodes were made in any calls one may think of."""
    boxes: list[Box] = []
    edges: list[Edge] = []
    ways: dict[str, Any] = {}
    backwards: dict[str, int] = {}
    for number in range(chance.randint(1, 80)):
        if chance.random() < 0.3:
            boxes.append(Box(f"n{len(boxes)}", "leaf", f"w{number}", "", "", NONE, NONE))
        inputs = chance.choices(boxes[-30:], k=chance.randint(0, 3)) if boxes else []
        by_rule = number and chance.random() < 0.3
        key = f"n{len(boxes)}"
        boxes.append(
            replace(Box(key, "result", f"t{number}", "", "", NONE, NONE), graph=chance.choice((2, 3)) if by_rule else 1)
        )
        if by_rule:
            backwards[key] = max(backwards.values(), default=1) + (chance.random() < 0.2)
        edges += [Edge(f"e{number}.{slot}", box.id, key, slot) for slot, box in enumerate(inputs)]
        ways[key] = tuple(chance.choices(PLACES + MODULES, k=chance.randint(0, 4)))
    used = {edge.source for edge in edges}
    kept = tuple(box for box in boxes if box.kind == "result" or box.id in used)
    return Snapshot(kept[-1].id, kept, tuple(edges), ways=ways, backwards=backwards)


def test_weights_that_all_rounds_use_are_one_part_that_begins_closed() -> None:
    graph, groups = folded(
        "U, W, V = (mg.full((2, 2), 0.1, requires_grad=True) for _ in range(3))\n"
        "h, loss = mg.zeros(1, 2), mg.zeros(())\n"
        "for t in range(25):\n"
        "    h = mg.tanh(mg.ones(1, 2) @ U + h @ W)\n"
        "    loss = loss + (h @ V).sum()\n"
    )
    weights, *runs = [group for group in groups if group.parent == groups[0].id]
    assert (weights.name, weights.kind, len(weights.boxes)) == ("U, W, V", "inputs", 3)
    assert weights.id not in open_at_first(graph, groups)
    assert [group.kind for group in runs] == ["iterations"] * 5
    assert {graph.by_id[box].kind for box in weights.boxes} == {"leaf"}


def test_a_leaf_that_goes_to_many_places_stays_alone() -> None:
    _, groups = folded(
        "w = mg.tensor(0.5, requires_grad=True)\nh = w * 1\nfor t in range(25):\n    h = (h * w).tanh()\nloss = h\n"
    )
    assert not any(group.kind == "inputs" for group in groups)


def test_a_forward_is_called_by_its_class() -> None:
    _, groups = folded(
        "class Scale:\n    def forward(self, x):\n        return (x * 2).exp() + 1\n"
        "    def twice(self, x):\n        return (x * 3).exp() + 2\n"
        "scale, x = Scale(), mg.tensor(0.1, requires_grad=True)\n"
        "loss = x.sin().cos().sin().exp().reshape(1).tanh()\n"
        "for f in (scale.forward, scale.twice) * 3:\n    loss = f(loss)\n"
    )
    assert {"Scale, call 1 of 3", "Scale.twice, call 3 of 3"} <= {group.name for group in groups}


@given(st.integers(0, 2**40))
@settings(max_examples=100, deadline=None)
def test_whatever_was_called_folding_makes_no_circle(seed: int) -> None:
    chance = random.Random(seed)
    graph = any_graph(chance)
    groups = groups_of(graph, {})
    check(graph, groups)
    check_no_circle(graph, groups, [group.id for group in groups if chance.random() < 0.5])


@pytest.mark.parametrize("steps", [1, 25, 60])
def test_a_loop_of_any_length_is_drawn(steps: int) -> None:
    loss = cell(
        "w, h = mg.full((2, 2), 0.1, requires_grad=True), mg.zeros(1, 2)\n"
        f"for _ in range({steps}):\n    h = mg.tanh(mg.ones(1, 2) @ w + h @ w)\nloss = h.sum()\n"
    )["loss"]
    assert viz.draw(loss).svg
    stepper = viz.BackwardStepper(loss)
    assert still(stepper)
    stepper.close()


DEEP = "loss = mg.nn.Sequential(*[mg.nn.Linear(2, 2) for _ in range({})])(mg.ones(1, 2)).sum()"
LOOP = "w, h = mg.ones(2, 2, requires_grad=True), mg.ones(2)\nfor _ in range({}):\n    h = w @ h + h\nloss = h.sum()"


@pytest.mark.parametrize("code", [DEEP, LOOP])
def test_a_graph_of_three_times_the_length_is_three_times_the_work(code: str) -> None:
    calls = []
    for length in (80, 240):
        events: list[str] = []
        before = sys.getprofile()
        sys.setprofile(lambda frame, event, about, events=events: events.append(event))
        try:
            scope = cell(f"{code.format(length)}\ns = viz.BackwardStepper(loss)")
        finally:
            sys.setprofile(before)
        scope["s"].close()
        calls.append(len(events))
    assert calls[1] < 3.2 * calls[0]


def test_a_loop_of_pytorchs_is_drawn() -> None:
    torch = pytest.importorskip("torch")
    w, h = torch.full((2, 2), 0.1, requires_grad=True), torch.zeros(1, 2)
    for _ in range(60):
        h = torch.tanh(torch.ones(1, 2) @ w + h)
    assert viz.draw(h.sum()).svg


def test_a_loop_of_pytorchs_is_found_by_its_ops() -> None:
    torch = pytest.importorskip("torch")
    w, h = torch.full((2, 2), 0.1, requires_grad=True), torch.zeros(1, 2)
    for _ in range(25):
        h = torch.tanh(torch.ones(1, 2) @ w + h @ w)
    graph = snapshot((h**2).sum())
    groups = groups_of(graph, {})
    check(graph, groups)
    (again,) = [group for group in groups if group.parent is None and "×" in group.name]
    assert again.kind == "repeats"
    assert again.name.endswith(("×24", "×25"))
    runs = titles(groups, again)
    assert runs[1].startswith("repeats ")
    assert titles(groups, named(groups, runs[0]))[0].endswith(f", 1 of {again.name.split('×')[1]}")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("abcabcabc", (0, 3, 3)),
        ("xababababy", (1, 2, 4)),
        ("aaaaaa", None),
        ("abcab", None),
        ("", None),
    ],
)
def test_patterns(words: str, found: Any) -> None:
    assert pattern_in(words) == found


TASKS = "w = mg.tensor([1.0, 2.0], requires_grad=True)\nx = [mg.ones(3, 2), mg.ones(3, 2) * 2]\nloss = 0\n"
LOOPS_AROUND_GRAD = {
    "two tasks": (
        "for t in x:\n    f = w\n    for inner in range(2):\n        loss = ((t @ f - 1) ** 2).mean()\n"
        "        g, = mg.autograd.grad(loss, f, create_graph=True)\n        f = f - 0.1 * g\n"
        "    meta = meta + ((t @ f - 1) ** 2).mean()\nloss = meta\n",
        {"for t in x: ×2": 1, "for inner in range(2): ×2": 2},
    ),
    "no grad": (
        "for t in range(2):\n    f = w.sum()\n    for inner in range(2):\n"
        "        f = f - 0.1 * (f * f + 1) ** 2 * f.exp()\n    meta = meta + f\nloss = meta\n",
        {"for t in range(2): ×2": 1, "for inner in range(2): ×2": 2},
    ),
    "on one line, by functions": (
        "def model(x, w): return x @ w\ndef mse(x, y, w): return ((model(x, w) - y) ** 2).mean()\nf = w\n"
        "for inner in range(2):\n    loss = mse(x[0], x[1][:, 0], f); "
        "g, = mg.autograd.grad(loss, f, create_graph=True); f = f - 0.1 * g\n"
        "loss = mse(x[0], x[1][:, 0], f)\n",
        {"for inner in range(2): ×2": 1},
    ),
    "while": (
        "f, k = w, 0\nwhile k < 3:\n    g, = mg.autograd.grad((f ** 3).sum(), f, create_graph=True)\n"
        "    f = f - 0.1 * g\n    k += 1\nloss = f.sum()\n",
        {"while k < 3: ×3": 1},
    ),
    "a comprehension, with nothing between two backwards": (
        "g, = mg.autograd.grad((w ** 3).sum() * w.exp().sum(), w, create_graph=True)\n"
        "loss = mg.stack([mg.autograd.grad(g[i], w, create_graph=True)[0] for i in range(2)]).sum()\n",
        {"for i in range(2): ×2": 1},
    ),
    "grad in an inner function": (
        "def adapted(f, t):\n    g, = mg.autograd.grad(((t @ f - 1) ** 2).mean(), f, create_graph=True)\n"
        "    return f - 0.1 * g\n"
        "for t in x:\n    f = w\n    for k in range(3):\n        f = adapted(f, t)\n"
        "    meta = meta + (t @ f).sum()\nloss = meta\n",
        {"for t in x: ×2": 1, "adapted ×3": 2},
    ),
}


@pytest.mark.parametrize("which", LOOPS_AROUND_GRAD)
def test_loops_around_a_recorded_backward_have_their_true_counts(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_of_groups, "UNFOLDED", 0)
    code, counts = LOOPS_AROUND_GRAD[which]
    graph, groups = folded(TASKS + "meta = 0\n" + code)
    loops = [group for group in groups if group.kind == "loop"]
    assert Counter(group.name for group in loops) == counts
    for loop in loops:
        count = int(loop.name.rpartition("×")[2])
        rounds = [group for group in groups if group.parent == loop.id and group.kind != "inputs"]
        assert len(rounds) == count
        if which != "no grad" and not any(group.parent in {one.id for one in rounds} for group in loops):
            sheets = [group for group in groups if group.kind == "create_graph"]  # each in a round of its own
            inside = [{one.id, *(other.id for other in groups if other.parent == one.id)} for one in rounds]
            assert [sum(sheet.id in ids for sheet in sheets) for ids in inside] == [1] * count
    made_by_rules = {box.id for box in graph.boxes if box.graph > 1}
    by_id = {group.id: group for group in groups}
    home = {box: group for group in groups for box in group.boxes}
    for box in made_by_rules:
        around = [home[box]]
        while around[-1].parent is not None:
            around.append(by_id[around[-1].parent])
        assert "create_graph" in {group.kind for group in around}


def test_what_is_noted_of_a_call_is_not_among_its_variables() -> None:
    scope = cell(
        "def f(x, seen):\n    for _ in range(2):\n        x = x * x\n        seen.append(sorted(locals()))\n"
        "    return x\n"
        "seen = []\ny = f(mg.tensor(1., requires_grad=True), seen)\n"
    )
    assert scope["seen"] == [["_", "seen", "x"]] * 2


def test_a_debuggers_function_stays_where_it_is() -> None:
    scope = cell(
        "import sys\n"
        "def note(*event):\n    return note\n"
        "def f(x):\n    sys._getframe().f_trace = note\n    for _ in range(3):\n        x = x * x\n"
        "    return x, sys._getframe().f_trace\n"
        "y, left = f(mg.tensor(1., requires_grad=True))\nd = viz.draw(y)\n"
    )
    assert scope["left"] is scope["note"]
    assert len(scope["d"].graph.boxes) == 4


WAYS = """
def often(x, n):
    for _ in range(n):
        x = x * x
        x = once(x) + 1
    return x
def once(x):
    return x * 2
def busy(x):
    a = x * 1; b = a * 2; c = b * 3; d = c * 4; e = d * 5; f = e * 6
    return once(f)
def down(x, n):
    return often(busy(x), 2) if n == 0 else down(x, n - 1)
def resumed(x):
    for _ in range(4):
        x = x * 3
        yield x
def from_here(g): return next(g)
def from_there(g): return next(g) * 2
g = resumed(x)
for _ in range(2):
    down(x, 5)
    from_here(g)
    from_there(g)
net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.Sequential(mg.nn.Tanh(), mg.nn.Linear(1, 1)))
net(x.reshape(1, 1))
"""


def test_what_is_remembered_of_a_call_is_the_way_to_it() -> None:
    """A walk over the frames that remembers nothing says the same of every node."""
    checked = []

    def look(node: Any, out: Any, inputs: Any = (), options: Any = None) -> None:
        observe(node, out, inputs, options)
        *noted, _ = [place for place in way_of(node._making) if place[1] != NO_PLACE]  # the last is this function
        frame: Any = sys._getframe(1)
        walked = []
        while True:
            if frame.f_code is not CALL and frame.f_code.co_name != "_first_call":
                walked.append((frame.f_code, frame.f_lasti))
            if frame.f_code.co_filename == "<cell>" and frame.f_code.co_name == "<module>":
                break
            frame = frame.f_back
        assert [place[:2] for place in noted] == walked[::-1]
        checked.append(node)

    code = compile(WAYS, "<cell>", "exec")
    set_node_observer(look)
    try:
        exec(code, {"mg": mg, "x": mg.tensor(1.0, requires_grad=True), "__name__": "__main__"})
    finally:
        set_node_observer(observe)
    assert len(checked) > 30


def test_of_thousands_of_lines_each_statement_is_found_without_a_look_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    class Watched(dict[Any, Any]):
        def __getitem__(self, place: Any) -> Any:
            looked_at.append(place)
            return super().__getitem__(place)

        def items(self) -> Any:
            looked_at.extend(self)
            return super().items()

    lines = [
        "y = 0",
        *(f"y = y + {number}" for number in range(400)),
        "for i in range(3):",
        "    y = y * i",
        "y = y - 1",
    ]
    file, all_of = "<a long cell>", statements._statements
    monkeypatch.setitem(linecache.cache, file, (0, None, [f"{line}\n" for line in lines], file))
    monkeypatch.setattr(statements, "_statements", lambda tree: Watched(all_of(tree)))
    code = compile("\n".join(lines), file, "exec")
    spans = {offset * 2: place[0] for offset, place in enumerate(code.co_positions()) if place[0]}
    found = {statements.statement_at(code, at) for at in spans}
    assert found == {(file, number, 4 if line.startswith(" ") else 0) for number, line in enumerate(lines, 1)}
    assert len(looked_at) < 2 * len(spans)

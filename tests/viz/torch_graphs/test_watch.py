"""`viz.watch()`: the learner's lines of PyTorch's graphs."""

import contextlib
import gc
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from conftest import require
from viz.cells import cell, seen

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import calls
from minigrad.viz.graph.groups import groups_of
from minigrad.viz.graph.observer import source_text
from minigrad.viz.sources import snapshot_of as snapshot
from minigrad.viz.torch_graphs import lines

torch: Any = require("torch")
nn = torch.nn


def lines_of(scope: dict[str, Any], name: str = "loss") -> dict[str, str]:
    """Op -> the text of the learner's that made it; "" where that is not known."""
    graph = snapshot(scope[name], {key: value for key, value in scope.items() if lines_can_name(value)})
    texts = {}
    for box in graph.boxes:
        if box.kind == "result":
            text = source_text(box.span) if box.span else ""
            texts[box.op] = " ".join(text.split())
    return texts


def lines_can_name(value: Any) -> bool:
    return isinstance(value, torch.Tensor | nn.Module)


START = "import torch\nF = torch.nn.functional\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loss = (x * x).sum()", {"MulBackward0": "x * x", "SumBackward0": "(x * x).sum()"}),
        ("loss = -x[1]", {"SelectBackward0": "x[1]", "NegBackward0": "-x[1]"}),
        ("loss = (2 / x).norm()", {"ReciprocalBackward0": "2 / x", "MulBackward0": "2 / x"}),
        ("y = x.clone()\ny += 1\nloss = y.exp().mean()", {"AddBackward0": "y += 1", "CloneBackward0": "x.clone()"}),
        ("y = x.clone()\ny[0] = 5\nloss = y.max()", {"CopySlices": "y[0] = 5"}),
        ("y = x.clone()\ny[1:].mul_(2)\nloss = y.max()", {"CopySlices": "y[1:].mul_(2)"}),
        (
            "loss = x.reshape(1, 3).T.sum()",
            {"ViewBackward0": "x.reshape(1, 3)", "PermuteBackward0": "x.reshape(1, 3).T"},
        ),
        (
            "loss = F.cross_entropy(x, torch.tensor(1))",
            dict.fromkeys(("LogSoftmaxBackward0", "NllLossBackward0"), "F.cross_entropy(x, torch.tensor(1))"),
        ),
        ("loss = torch.cat([x, x * 2]).prod()", {"CatBackward0": "torch.cat([x, x * 2])"}),
        ("a, b, c = x.unbind()\nloss = a * b", {"UnbindBackward0": "x.unbind()", "MulBackward0": "a * b"}),
        ("loss = F.linear(x.view(1, 3), x.view(1, 3))", {"MmBackward0": "F.linear(x.view(1, 3), x.view(1, 3))"}),
    ],
)
def test_nodes_have_the_text_that_made_them(text: str, expected: dict[str, str]) -> None:
    body = "".join(f"    {line}\n" for line in text.split("\n"))
    found = lines_of(cell(f"{START}with viz.watch():\n{body}"))
    assert expected.items() <= found.items()
    assert "" not in found.values()


def test_what_runs_inside_vmap_is_unknown() -> None:
    text = "torch.vmap(lambda v: v * v)(x).sum()"
    found = lines_of(cell(f"{START}with viz.watch():\n    loss = {text}\n"))
    assert found == {"MulBackward0": "", "SumBackward0": text}


FUNCTIONS = """\
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(y := torch.clamp(x, max=9).exp())
        return y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
    @staticmethod
    def backward(ctx, g):
        return 2 * g
"""


def test_custom_functions_have_the_line_of_their_call() -> None:
    text = "    both = Exp.apply(x) + Twice.apply(x)\n    loss = Twice.apply(both).sum()\n"
    scope = cell(f"{START}{FUNCTIONS}with viz.watch():\n{text}")
    graph = snapshot(scope["loss"], {"x": scope["x"]})
    assert [box.expression for box in graph.boxes if box.op in ("ExpBackward", "TwiceBackward")] == [
        "Exp.apply(x)",
        "Twice.apply(x)",
        "Twice.apply(both)",
    ]


def test_remembered_custom_functions_are_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MANY_APPLIED", 3)
    lines._applied.clear()  # of what another test has watched
    cell(f"{START}{FUNCTIONS}with viz.watch():\n    for _ in range(9):\n        x = Twice.apply(x)\n")
    assert len(lines._applied) == 3
    lines._applied.clear()


RNN = """\
import torch
W = torch.eye(2, requires_grad=True)
h = torch.ones(1, 2)
with viz.watch():
    for step in range(30):
        h = torch.tanh(h @ W)
    loss = h.sum()
"""


def test_names_and_folding_are_those_of_minigrads_graph() -> None:
    ours = cell(RNN.replace("import torch", "torch = mg"))
    theirs = cell(RNN)
    graphs = [snapshot(scope["loss"], {"W": scope["W"], "h": scope["h"]}) for scope in (ours, theirs)]
    names = [
        [(box.kind, box.name, box.expression) for box in graph.boxes if box.kind != "constant"] for graph in graphs
    ]
    assert names[0] == names[1]
    assert ("result", "h₂₉", "torch.tanh(t28)") in names[1]
    folded = [[(group.name, group.kind) for group in groups_of(graph, graph.modules)] for graph in graphs]
    assert folded[0] == folded[1]
    assert ("for step in range(30): ×30", "loop") in folded[1]


NET = """\
import torch
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    def forward(self, x):
        return torch.relu(x + self.last(torch.relu(self.first(x))))
def twice(net, x):
    return net(net(x))
net = torch.nn.Sequential(Block(), Block())
with viz.watch():
    loss = twice(net, torch.ones(1, 2)).sum()
"""


def test_calls_of_modules_and_functions_are_folded_as_minigrads() -> None:
    def groups(text: str) -> list[tuple[str, str, str]]:
        scope = cell(text)
        graph = snapshot(scope["loss"], {"net": scope["net"]})
        return [(group.name, group.path, group.kind) for group in groups_of(graph, graph.modules)]

    theirs = groups(NET)
    # What is in a Linear differs: PyTorch's transposes its weight.
    assert [one for one in theirs if one[2] != "Linear"] == [
        one for one in groups(NET.replace("import torch", "torch = mg")) if one[2] != "Linear"
    ]
    assert ("first", "net.1.first", "Linear") in theirs


def test_a_module_that_no_variable_holds_names_its_parameters() -> None:
    text = "import torch\nwith viz.watch():\n    y = torch.nn.Sequential(torch.nn.Linear(2, 1))(torch.ones(1, 2))\n"
    scope = cell(text)
    assert {box.name for box in snapshot(scope["y"]).boxes if box.kind == "leaf"} <= {"t0", "t1", "t2"}
    scope = cell(text.replace("y = ", "net = ").replace("(torch.ones", "\n    y = net(torch.ones"))
    names = {box.name for box in snapshot(scope["y"]).boxes if box.kind == "leaf"}
    assert names == {"Sequential.0.weight", "Sequential.0.bias"}


def test_small_results_are_kept_as_they_were() -> None:
    scope = cell(f"{START}with viz.watch():\n    loss = ((x + 1) * 3 + x).sum()\n")
    values = {box.expression: box.value.text for box in snapshot(scope["loss"], {"x": scope["x"]}).boxes}
    assert values["t0 * 3"] == "[6, 9, 12]"
    scope = cell(f"{START}with viz.watch():\n    y = x + 1\n    y += 1\n    loss = y.sum()\n")
    assert [box.value.text for box in snapshot(scope["loss"]).boxes][1:3] == ["[2, 3, 4]", "[3, 4, 5]"]


@pytest.mark.usefixtures("every_warning")
def test_the_graph_of_a_gradient_is_a_graph_of_its_own() -> None:
    scope = cell(
        f"{START}with viz.watch():\n"
        "    y = (x ** 3).sum()\n"
        "    slope, = torch.autograd.grad(y, x, create_graph=True)\n"
        "    bend, = torch.autograd.grad(slope.sum(), x, create_graph=True)\n"
        "    loss = bend.sum()\n"
    )
    boxes = {
        box.name: box for box in snapshot(scope["loss"], {name: scope[name] for name in ("x", "slope", "bend")}).boxes
    }
    assert boxes["x"].graph == 1
    assert boxes["bend"].graph == 3
    span = boxes["bend"].span
    assert span is not None
    assert span.first == 7
    text = "    (x ** 3).sum().backward(create_graph=True)\n    loss = x.grad.sum()\n"
    with pytest.warns(UserWarning, match="reference cycle"):
        scope = cell(f"{START}with viz.watch():\n{text}")
    assert {box.graph for box in snapshot(scope["loss"]).boxes if box.name.startswith("g")} == {2}
    scope["x"].grad = None


def test_the_panel_says_how_to_get_lines_and_then_shows_them() -> None:
    text = f"{START}loss = (x * x).sum()\ns = viz.BackwardStepper(loss)\n"
    picture = cell(text)["s"].picture
    assert picture["unlined"] == "PyTorch notes no lines. To see yours here, make the graph inside `with viz.watch():`."
    watched = cell(text.replace("loss =", "with viz.watch():\n    loss ="))["s"]
    assert watched.picture["sources"][0]["lines"][-2] == [5, "    loss = (x * x).sum()"]
    watched.last()
    assert [frame.marks for frame in watched.frames[1:3]] == [((0, 5, 18, 24),), ((0, 5, 12, 17),)]


def test_nested_and_entered_again() -> None:
    watching = viz.watch()
    x = torch.ones(2, requires_grad=True)
    with watching, viz.watch():
        with watching:
            y = x * 2
        z = x * 3
    w = x * 4
    assert [lines.noted_of(one.grad_fn)[0] is not None for one in (y, z, w)] == [True, True, False]


def test_errors_pass_and_end_it() -> None:
    x = torch.ones(2, requires_grad=True)
    failing = nn.Linear(3, 3)
    made = []

    def forward() -> None:
        with viz.watch():
            made.append(x.view(1, 2))
            failing(made[0])

    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        forward()
    assert lines.noted_of(made[0].grad_fn)[0] is not None
    assert lines.noted_of((x * 2).grad_fn)[0] is None
    assert torch.overrides._get_current_function_mode() is None


def test_each_thread_watches_for_itself() -> None:
    x, found = torch.ones(2, requires_grad=True), []

    def other(watching: Any) -> None:
        with watching:
            found.append(lines.noted_of((x * 2).grad_fn)[0] is not None)

    with viz.watch():
        for watching in (contextlib.nullcontext(), viz.watch()):
            thread = threading.Thread(target=other, args=(watching,))
            thread.start()
            thread.join()
    assert found == [False, True]


def test_where_nothing_is_recorded_nothing_is_noted() -> None:
    lines._applied.clear()
    x = torch.ones(2, requires_grad=True)
    with viz.watch(), torch.inference_mode():
        y = x * 2
    with viz.watch(), torch.no_grad():
        z = nn.Linear(2, 2)(x)
    assert y.is_inference()
    assert z.grad_fn is None
    assert not lines._applied


def test_minigrad_needs_no_watching() -> None:
    plain = cell("x = mg.tensor([1., 2.], requires_grad=True)\ny = x * x\nloss = y.sum()\n")
    watched = cell(
        "x = mg.tensor([1., 2.], requires_grad=True)\nwith viz.watch():\n    y = x * x\n    loss = y.sum()\n"
    )
    assert seen(snapshot(plain["loss"], plain_names(plain))) == seen(snapshot(watched["loss"], plain_names(watched)))


def plain_names(scope: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scope.items() if isinstance(value, mg.Tensor)}


def test_without_pytorch_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.overrides", None)  # as if it were not installed
    with viz.watch():
        assert torch.overrides._get_current_function_mode() is None


def test_it_sees_also_where_pytorch_is_imported_in_it_for_the_first_time(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from minigrad import viz\nwith viz.watch():\n    import torch\n"
        "    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())\n"
        "    loss = net(torch.ones(4, 2)).pow(2).mean()\nprint(viz.draw(loss))\n",
        encoding="utf-8",
    )
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert re.search(r"TanhBackward0 +net\(torch.ones\(4, 2\)\)", ran.stdout), ran.stdout + ran.stderr


def test_alone_it_says_that_it_does_nothing() -> None:
    with pytest.warns(RuntimeWarning, match=r"viz\.watch\(\) alone does nothing: write `with viz\.watch\(\):`"):
        viz.watch()
    watching = viz.watch()
    assert "with viz.watch():" in repr(watching)
    with watching:
        pass


class Keeping(nn.Module):  # type: ignore[misc, name-defined]
    """A module that keeps its own result, as many keep their attention."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        self.last = self.linear(x)
        return self.last


def test_what_is_noted_holds_on_to_no_module() -> None:
    net = Keeping()
    with viz.watch():
        y = net(torch.ones(1, 2))
    assert snapshot(y).modules
    gone = weakref.ref(net)
    del net
    gc.collect()
    del y
    gc.collect()
    assert gone() is None


def test_a_module_with_a_loop_is_told_apart_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is noted around a call with a loop is noted once: it must be that of this very call."""
    monkeypatch.setattr("minigrad.viz.graph.groups.UNFOLDED", 20)
    text = """\
import torch
class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)
    def forward(self, x):
        for _ in range(2):
            x = self.inner(x)
        return x
def run(net, x):
    y = net(x)
    y = net(y) + 1
    return y
net = Twice()
with viz.watch():
    loss = (run(net, torch.ones(1, 2)) * run(net, torch.ones(1, 2))).sum()
"""
    scope = cell(text)
    graph = snapshot(scope["loss"], {"net": scope["net"]})
    kinds = [group.kind for group in groups_of(graph, graph.modules)]
    assert [kinds.count(kind) for kind in ("Twice", "Linear", "function")] == [4, 8, 2]


def test_the_gradient_of_a_later_step_is_no_gradient_of_a_gradient() -> None:
    # fast carries the gradient of the step before it, which the next inner gradient does not go through.
    scope = cell(
        "import torch\nw = torch.tensor([0.5, -0.5], requires_grad=True)\nfast = w\n"
        "with viz.watch():\n    for step in range(3):\n        inner = (fast ** 3).sum()\n"
        "        (g,) = torch.autograd.grad(inner, fast, create_graph=True)\n        fast = fast - 0.1 * g\n"
        "    loss = (fast ** 2).sum()\n"
        "    outer = torch.autograd.grad(loss, inputs=[w], create_graph=True)[0].sum()\n"
    )
    assert {box.graph for box in snapshot(scope["loss"], {}).boxes} == {1, 2}
    assert {box.graph for box in snapshot(scope["outer"], {}).boxes} == {1, 2, 3}


def test_inner_results_of_a_network_do_not_carry_the_name_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where PyTorch lies beside no Python that runs: a user's own packages, or those of another one."""
    text = "net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))\nwith viz.watch():\n    "
    text += "logits = net(torch.ones(2, 2))\nloss = logits.sum()"
    monkeypatch.setattr(calls, "LIBRARIES", ("/no/such/folder",))
    calls._is_learners_file.cache_clear()
    try:
        scope = cell(text, torch=torch, nn=nn, viz=viz)
        known = {key: value for key, value in scope.items() if lines_can_name(value)}
        names = [box.name for box in snapshot(scope["loss"], known).boxes if box.kind == "result"]
    finally:
        monkeypatch.undo()
        calls._is_learners_file.cache_clear()
    assert [name for name in names if name.startswith("logits")] == ["logits"]
    assert len(names) == 6

"""Names: of what was assigned several times, of parameters deep inside, of modules that no variable holds."""

import textwrap
from typing import Any

import pytest
from viz.cells import cell, seen

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import naming

LOOP = """\
w = mg.tensor(0.5, requires_grad=True)
h = w * 1
for t in range(30):
    h = h * w
loss = h.exp()
"""


def names(text: str, kind: str = "result") -> list[str]:
    return [box.name for box in cell(text + "\nd = viz.draw(loss)\n")["d"].graph.boxes if box.kind == kind]


def test_what_is_assigned_many_times_is_numbered() -> None:
    scope = cell(LOOP + "d = viz.draw(loss)\ns = viz.BackwardStepper(loss)\n")
    graph = scope["d"].graph
    results = [box.name for box in graph.boxes if box.kind == "result"]
    assert results[0] == "h₁"
    assert results[-2:] == ["h₃₁", "loss"]
    assert results[:-1] == [viz.graph.naming.numbered_name("h", k) for k in range(1, 32)]
    # The variable holds the last: that is what the name alone means.
    stepper = scope["s"]
    assert {graph.box_named(name).id for name in ("h", "h31", "h₃₁")} == {graph.boxes[-2].id}
    assert stepper.run_to("h").name == stepper.run_to("h31").name == "h₃₁"
    assert stepper.run_to("h₂").name == "h₂"
    with pytest.raises(ValueError, match="no box is named 'h99'"):
        stepper.run_to("h99")
    stepper.close()


INPUTS = "w = mg.ones(3, requires_grad=True)\nxs = mg.ones(2, 3)\nn = 0\n"
UNNAMED = {
    "for x in xs:\n    n = n + (x * w).sum()\nx = None\nloss = n.exp()": ["x₁", "x₂"],
    "for t in range(2):\n    n = n + (xs[t] * w).sum()\nloss = n.exp()": ["xs[t]₁", "xs[t]₂"],
    "def f(x):\n    x = x * 2\n    return (x * w).sum()\nloss = f(xs)": ["x"],
    "def f(x):\n    w2 = w * 2\n    return (x.data * w2).sum()\nx = mg.ones(1)\nloss = f(xs + 1)": ["x.data"],
    "def f(x):\n    x = w * x\n    return x.sum()\nloss = f(xs * 2)": ["x₀"],  # what is made of it is x
    "def f(x):\n    x = w * x\n    x = x * 2\n    return x.sum()\nloss = f(xs * 2)": ["x"],
    "def f(x, y=w):\n    x = mg.mul(x, y)\n    x *= xs[0]\n    return x.sum()\nloss = f(xs * 2)": ["x", "xs[0]"],
    "loss = w.mul(mg.ones(3)).sum()": ["mg.ones(3)"],
    "A = mg.ones(3, 3)\nloss = (w @ A + w @ A.T).sum()": ["A", "A.T"],  # where the one begins, the other does, too
    "loss = mg.where(w > 2, w, mg.zeros(3)).sum()": ["constant"],  # has an argument that is none of the inputs
    "loss = xs[0].masked_fill(w > 2, w.sum()).sum()": ["constant"],  # so has this
    "loss = (w * (xs[0] * 2)).sum()": ["(xs[0] * 2)"],  # as a formula can hold it
    "A = mg.ones(3, 3)\nloss = (A @ A @ w).sum() + (w * (1 - A)).sum()": ["(A @ A)", "(1 - A)"],
    "loss = (w * (xs[0] + xs[1] - xs[0] * xs[1])).sum()": ["constant"],  # is too long
    "loss = (w * mg.tensor([1.0, 2.0, 3.0], dtype=mg.float32)).sum()": ["mg.tensor(…)"],
    "for x in xs:\n    x = x * w\n    n = n + x.sum()\nx = None\nloss = n.exp()": ["constant", "constant"],
}


@pytest.mark.parametrize("text", UNNAMED)
def test_what_needs_no_grad_and_has_no_name_is_called_as_the_code_calls_it(text: str) -> None:
    assert names(INPUTS + text, "constant") == UNNAMED[text]


def test_what_only_pictures_hold_is_not_called_by_a_place_in_them() -> None:
    text = "def f():\n    q = mg.tensor(2., requires_grad=True)\n    return q * 3\nloss = f()\n"
    text += "s = viz.BackwardStepper(loss)\ns.last()\nc = viz.compare(loss, f())\nds = [viz.draw(loss)]\n"
    assert names(text, "leaf") == ["q"]


LEAVES_OF_A_FUNCTION = {
    "q = mg.tensor(2., requires_grad=True)\nr = q * 3\nreturn r.exp()": {"q": "leaf", "r": "q * 3"},
    "q = mg.tensor(2., requires_grad=True)\nreturn q ** 2": {"q": "leaf"},
    "q = mg.tensor(2., requires_grad=True)\nreturn (-q).exp()": {"q": "leaf", "t0": "-q"},
    "q = mg.ones(2, requires_grad=True)\nreturn q.sum(0).exp()": {"q": "leaf", "t0": "q.sum(0)"},
    "q = mg.ones(2, requires_grad=True)\nreturn mg.stack([q, q]).sum()": {"q": "leaf", "t0": "mg.stack([q, q])"},
    "q = mg.ones(2, requires_grad=True)\nreturn (3 - q  # rest\n  ).sum()": {"q": "leaf", "t0": "3 - q"},
    # What a result is called, or another variable, the leaf is not.
    "q = mg.tensor(2., requires_grad=True)\nq = q * 3\nreturn q.exp()": {"q₀": "leaf", "q": "q * 3"},
    "w = mg.tensor(2., requires_grad=True)\nreturn w * 3": {"w₀": "leaf"},
    "ps = [mg.tensor(2., requires_grad=True) for _ in range(2)]\nreturn ps[0] - ps[1]": {
        "ps[0]": "leaf",
        "ps[1]": "leaf",
    },
    "ps = [mg.tensor(2., requires_grad=True) for _ in range(2)]\nq = 1\nfor p in ps:\n  q = p * q\nreturn q": {
        "p₁": "leaf",
        "q": "p * q",
        "p₂": "leaf",
    },
    "return mg.tensor(2., requires_grad=True).exp()": {"t0": "leaf"},
    "leaf = lambda: mg.tensor(2., requires_grad=True)\nreturn leaf().exp()": {"t0": "leaf"},  # a call is no name
}


@pytest.mark.parametrize("body", LEAVES_OF_A_FUNCTION)
def test_a_leaf_of_a_function_that_has_returned_is_called_as_the_expression_beside_it_calls_it(
    body: str, torch: Any
) -> None:
    text = (
        "w = 5 * mg.ones(1)\ndef made():\n" + textwrap.indent(body, "    ") + "\nwith viz.watch():\n    loss = made()\n"
    )
    for library in (mg, torch):
        found = seen(cell(text + "d = viz.draw(loss)\n", mg=library)["d"].graph)
        assert {name: found[name] for name in found if name != "loss"} == LEAVES_OF_A_FUNCTION[body], library.__name__


def test_a_leaf_of_a_function_lights_no_line_that_gives_its_name_to_something_else() -> None:
    text = "def other():\n    q = 3\n    return q\n"
    text += "def made():\n    q = mg.tensor(2., requires_grad=True)\n    return q * 3\n"
    graph = cell(text + "loss = made()\nd = viz.draw(loss)\n")["d"].graph
    assert graph.box_named("q").span is None


def test_leaves_of_two_calls_are_told_apart_by_numbers() -> None:
    text = "def made():\n    q = mg.tensor(2., requires_grad=True)\n    return q * 3\nloss = made() + made()"
    assert names(text, "leaf") == ["q₁", "q₂"]


def test_a_formula_says_it_too() -> None:
    stepper = cell(INPUTS + "for x in xs:\n    n = n + x @ w\ns = viz.BackwardStepper(n)\n")["s"]
    stepper.last()
    assert "w gets g × x₀" in stepper.trace()


def test_one_assignment_has_no_number_and_a_taken_name_keeps_its_own() -> None:
    assert names("x = mg.tensor(2.0, requires_grad=True)\ny = x * x\nloss = y.exp()") == ["y", "loss"]
    text = (
        "x = mg.tensor(2.0, requires_grad=True)\n"
        "def f(x):\n    x = x * 2\n    x = x + 1\n    y = x.exp()\n    return y.sin()\n"
        "loss = f(x)"
    )
    assert names(text) == ["x₁", "x₂", "y", "loss"]
    assert names(text, "leaf") == ["x"]


def test_a_name_that_a_function_gave_means_the_last() -> None:
    graph = cell(
        "w = mg.tensor(0.5, requires_grad=True)\n"
        "def roll(h):\n    for _ in range(3):\n        h = h * w\n    return h.exp()\n"
        "loss = roll(w)\nd = viz.draw(loss)\n"
    )["d"].graph
    assert [box.name for box in graph.boxes] == ["w", "h₁", "h₂", "h₃", "loss"]
    assert graph.box_named("h").name == graph.box_named("h3").name == "h₃"


def test_a_variable_with_that_very_name_is_meant_first() -> None:
    graph = cell(LOOP + "h3 = loss * 2\nloss = h3 + 1\nd = viz.draw(loss)\n")["d"].graph
    assert graph.box_named("h3").expression == "loss * 2"
    assert graph.box_named("h₃").name == "h₃"


def test_parameters_deep_inside_lists_and_objects_have_the_way_to_them() -> None:
    text = """\
class Neuron:
    def __init__(self):
        self.w = [mg.tensor(0.5, requires_grad=True) for _ in range(2)]
        self.itself = self

class Layer:
    def __init__(self):
        self.neurons = {"first": Neuron()}
        self.fc = mg.nn.Linear(1, 1)

class Net:
    def __init__(self):
        self.layers = [Layer(), Layer()]

net = Net()
layer = net.layers[1]
loss = (layer.neurons["first"].w[1] * layer.fc(mg.ones(1))).sum()
del layer
"""
    assert names(text, "leaf") == [
        "net.layers[1].fc.weight",
        "net.layers[1].fc.bias",
        "net.layers[1].neurons['first'].w[1]",
    ] or sorted(names(text, "leaf")) == [
        "net.layers[1].fc.bias",
        "net.layers[1].fc.weight",
        "net.layers[1].neurons['first'].w[1]",
    ]


def test_parameters_of_a_module_that_no_variable_holds_carry_its_class() -> None:
    text = """\
def loss_of():
    first, second = mg.nn.Linear(2, 2), mg.nn.Linear(2, 1)
    net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.Tanh())
    return net(second(first(mg.ones(1, 2)))).sum()

loss = loss_of()
d = viz.draw(loss)
"""
    leaves = {box.name for box in cell(text)["d"].graph.boxes if box.kind == "leaf"}
    expected = {"Linear", "Linear 2", "Sequential.0"}
    assert leaves == {f"{name}.{parameter}" for name in expected for parameter in ("weight", "bias")}
    stepper = viz.BackwardStepper(cell(text)["loss"])
    assert [group["name"] for group in stepper.picture["groups"]][:3] == ["Linear", "Linear 2", "Sequential"]
    stepper.close()


def test_what_pytorch_holds_deep_inside_has_the_way_to_it() -> None:
    torch = pytest.importorskip("torch")

    class Net:
        def __init__(self) -> None:
            self.layers = [{"w": torch.ones(2, requires_grad=True)}, torch.nn.Linear(2, 1)]

    net = Net()
    graph = viz.draw(net.layers[1](net.layers[0]["w"]).sum()).graph
    found = {box.name for box in graph.boxes if box.kind == "leaf"}
    assert found == {"net.layers[0]['w']", "net.layers[1].weight", "net.layers[1].bias"}


UNPACK = """\
x = mg.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
def f(x):
    {}
    return (q * k).sum()
loss = f(x)
"""


@pytest.mark.parametrize(
    ("text", "expected", "inside"),
    [
        ("q, k = x.unbind(0)", "q, k", ("q", "k")),
        ("q, k = x", "q, k", ("q", "k")),  # which Python takes apart
        ("[q, k] = x.chunk(2)", "q, k", ("q", "k")),
        ("q, k = x.exp().unbind(0)\n    q = q * 2", "q₁, k", ("q₁", "k")),
        ("for _ in range(2):\n        q, k = x.split(1)\n        x = mg.cat([k, q])", "q₁, k₁", ("q₁", "k₁")),
        ("q, k = (x * 2).max(0)", "q", ()),  # where the indices are no result of the node
        ("q, *k = x.unbind(0)\n    k = k[0]", "t0", ("t0[0]", "t0[1]")),  # is not taken apart one by one
    ],
)
def test_results_that_a_function_takes_apart_have_the_names_that_it_gives_them(
    text: str, expected: str, inside: tuple[str, ...]
) -> None:
    graph = cell(UNPACK.format(text) + "\nd = viz.draw(loss)\n")["d"].graph
    box = next(box for box in graph.boxes if box.op.startswith(("Unbind", "Split", "Max")))
    assert (box.name, box.output_names) == (expected, inside)
    assert box.expression != "q, k"  # which made nothing
    assert len(set(graph.by_id)) == len({box.name for box in graph.boxes})


def test_what_a_loop_takes_apart_is_numbered_and_what_the_variables_hold_is_the_last() -> None:
    text = "x = mg.ones(2, 1, requires_grad=True)\nfor _ in range(2):\n    a, b = x.unbind(0)\n"
    graph = cell(text + "    x = mg.stack([b, a * b])\nloss = x.sum() + a\nd = viz.draw(loss)\n")["d"].graph
    taken_apart = [box for box in graph.boxes if box.op == "UnbindBackward0"]
    assert [box.name for box in taken_apart] == ["a₁, b₁", "a₂, b₂"]
    assert taken_apart[1].output_names == ("a₂", "b₂")  # of which the variables are a and b
    assert graph.box_named("b1") is taken_apart[0]
    assert graph.box_named("b") is taken_apart[1]


def test_an_inner_step_is_not_called_as_the_result_that_is_not_in_the_graph() -> None:
    # Of net(x) the last layer's weight is all that its derivative needs: neither it nor the tanh before is u.
    text = (
        "net = mg.nn.Sequential(mg.nn.Linear(1, 2), mg.nn.Tanh(), mg.nn.Linear(2, 1))\n"
        "x = mg.ones(1, 1, requires_grad=True)\nu = net(x)\n"
        "loss = mg.autograd.grad(u, x, create_graph=True)[0].sum()\n"
    )
    boxes = cell(text + "d = viz.draw(loss)\n")["d"].graph.boxes
    tanh = next(box for box in boxes if box.op == "TanhBackward0")
    assert (tanh.name[0], tanh.expression) == ("t", "tanh(t0)")
    assert all(box.name.rstrip("₁₂") != "u" for box in boxes)


def test_a_call_whose_name_begins_as_an_op_does_is_not_that_op() -> None:
    assert not naming.says_op("tied(h)", "TBackward0")
    assert naming.says_op("w.t()", "TBackward0")
    assert naming.says_op("x.index_select(0, i)", "IndexBackward0")


@pytest.mark.parametrize(
    ("code", "op", "expected"),
    [
        ("torch.cat([torch.tensor([x]), h]) @ W", "MmBackward0", "cat(…) @ W"),
        ("y - torch.tensor([1.0, 0.0, 3.0])", "SubBackward0", "y - torch.tensor(…)"),
        ("t15 / math.sqrt(width // self.heads)", "DivBackward0", "t15 / math.sqrt(…)"),
        ("mg.ones(3) * mg.ones(3).sum()", "MulBackward0", "ones(3) * mg.ones(3).sum()"),
        ("the_first_of_them * the_second_of_them", "MulBackward0", "the_first_of_them *…"),
        ("einsum('hij,hjd->ihd', weights, v)", "ViewBackward0", "einsum('hij,hjd->ihd',…"),  # is no operator
    ],
)
def test_an_operator_stays_where_the_calls_beside_it_are_long(code: str, op: str, expected: str) -> None:
    assert naming.short_code(code, op) == expected

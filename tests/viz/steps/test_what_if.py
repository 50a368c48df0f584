"""What if a leaf held another number: the replay of a recorded graph is what a fresh run with that number is."""

import json
import random
import warnings

import numpy as np
import pytest
from viz.cells import cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import observer
from minigrad.viz.sources import snapshot_of as snapshot
from minigrad.viz.steps.replay import CannotReplayError, NotedCalls, Replay

PROGRAMS = {
    "numbers among the operands": "y = (x * 2 + 1 - x / 4 + 3 / (x * x + 1) + (2 - x)).sum()",
    "powers": "y = (x**3 + 2.0**x + (x * x + 1) ** x).mean()",
    "matrices": "y = (x @ x.T + x.T.transpose(0, 1) @ x.T).sum() + (x @ x[0]).sum() + x[0].dot(x[1])",
    "indices": "y = x[0, [0, 2]].sum() + x[1:].prod() + x[:, 1].exp().sum() + x[mg.tensor([1, 0]), 1].sum()",
    "extremes": "y = x.max(1).values.sum() + x.max() + (x.min(0, keepdim=True).values * c).sum() + x.min()",
    "medians": "y = x.median(1).values.sum() + (x.median(1, keepdim=True).values * c).sum() + x.median()",
    "order": "y = (x.sort(1, descending=True).values * c + x.sort(0).values * c).sum() + x.topk(2).values[0, 0]",
    "indices that are used": "v, k = x.topk(2, 1)\nm, n = x.max(1, keepdim=True)\n"
    "y = (v * (x * c).gather(1, k)).sum() + (m * (x + c).gather(1, n)).sum()",
    "sums": "y = x.sum(0).prod() + x.sum(1, keepdim=True).exp().mean() + x.mean((0, 1)) + x.cumsum(1).std()",
    "normalised": "y = (F.layer_norm(x, (3,)) * c + F.batch_norm(x, None, None, training=True) * c).sum()",
    "gates": "y = (F.gelu(x) * c + F.gelu(x, approximate='tanh') + F.silu(x)).sum()",
    "groups": "y = (F.group_norm(x.reshape(1, 6), 2) * c.reshape(1, 6)).sum() + (F.rms_norm(x, (3,)) * c).sum()",
    "losses": "y = F.cross_entropy(x, mg.tensor([0, 2])) + F.mse_loss(x, c) + F.smooth_l1_loss(x, c)",
    "softmax": "y = -(F.softmax(x, 1).log() * c).sum() + F.log_softmax(x, dim=0)[0, 0]",
    "pieces": "y = (x.relu() + x.abs() + F.leaky_relu(x, 0.1) + F.elu(x) + x.clamp(0, 1) + mg.maximum(x, c)).sum()",
    "in place": "z = x * 1\nz *= 3\nz += c\nz.exp_()\ny = (z * z).sum()",
    "functions through a view": "z = x * 1\nz[0].sin_()\nz[:, 1].cos_().mul_(2)\ny = (z * z).sum()",
    "through a view": "z = x * 1\nz[0] = z[1] * 2\nz[:, 1] *= 3\ny = (z * z).sum()",
    "into a constant": "z = mg.zeros(2, 3)\nz[0] = x[1] * 2\nz[1, 1] = x[0, 0]\ny = (z * x).sum()",
    "a view of what was written": "z = x * 1\nv = z[0]\nz.mul_(2)\ny = (v * c[0]).sum()",
    "indices written": "z = x * 1\nz[:, [0, 2]] = x[:, [1, 1]] * 2\ny = (z * c).sum()",
    "stacked": "y = (mg.stack([x, x * 2], 1) + mg.cat([x, x], 0).reshape(2, 2, 3)).relu().std()",
    "several results": "a, b, d = x.unbind(1)\ne, f = x.split([1, 2], 1)\ny = (a * b - d).sum() + (e * f).sum()",
    "shapes": "y = (x.reshape(3, 2).T.flatten() * c.flatten()).sum() + "
    "x.unsqueeze(0).expand(4, 2, 3).sum() + x.diagonal().sum()",
    "dtypes": "y = (x.double() * c + mg.ones(2, 3, dtype=mg.float64)).float().sum()",
    "sorted, the largest twice": "s = mg.stack([x, x], 2).reshape(2, 6).sort(1, descending=True)\n"
    "y = (s.values * mg.arange(6)).sum()",
    "images": "i = x.reshape(1, 1, 2, 3)\ny = F.conv2d(i, mg.ones(1, 1, 2, 2) * x[0, 0]).sum() + "
    "F.max_pool2d(i, 2).sum() + F.interpolate(i, scale_factor=2.0, mode='bilinear').sum() + F.avg_pool2d(i, 2).sum()",
    "solved": "y = mg.linalg.inv(x @ x.T + mg.eye(2)).sum() + x.norm() + x.var(0).sum() + x.logsumexp(1).sum()",
    "a mask": "y = x.masked_fill(mg.tensor([True, False, True]), 5.0).prod() + "
    "x.gather(1, mg.tensor([[0], [1]])).sum()",
    "attention": "y = F.scaled_dot_product_attention(x, x, x).sum() + F.embedding(mg.tensor([0, 1, 1]), x).exp().sum()",
    "a module": "mg.manual_seed(0)\nnet = mg.nn.Sequential(mg.nn.Linear(3, 2), mg.nn.Tanh(), mg.nn.Linear(2, 1))\n"
    "y = net(x).mean()",
    "drawn": "mg.manual_seed(0)\ny = (F.dropout(x, 0.5) * c).sum() + (x * mg.randn(2, 3)).exp().sum()",
    "a gradient": "u = (x**3 * c).sum()\n(g,) = mg.autograd.grad(u, x, create_graph=True)\n"
    "y = (g * g).sum() + (g.sin() * x).sum()",
    "a gradient of a matrix": "u = ((x @ c.T).tanh() @ x).sigmoid().sum()\n"
    "(g,) = mg.autograd.grad(u, x, create_graph=True)\n"
    "y = (g * x).sum()",
}
FIRST = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], np.float32)
OTHER = np.array([[-0.75, 2.5, 0.25], [1.25, -1.5, 3.0]], np.float32)


def run(program, numbers, dtype=mg.float32):
    """A program's variables; its leaf is x, its result y."""
    return cell(
        program,
        F=mg.nn.functional,
        x=mg.tensor(numbers, dtype=dtype, requires_grad=True),
        c=mg.tensor([[1.0, -2.0, 0.5], [3.0, 1.0, 2.0]], dtype=dtype),
    )


def near(left, right):
    np.testing.assert_allclose(left, right, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_replay_is_a_fresh_run_with_the_other_numbers(program):
    recorded, fresh = run(program, FIRST), run(program, OTHER)
    stepper = viz.BackwardStepper(recorded["y"], names={"leaf": recorded["x"]})
    made = stepper.what_if(leaf=OTHER)
    fresh["y"].backward()
    near(made.value, fresh["y"].detach().numpy())
    near(made.grads["leaf"], fresh["x"].grad.numpy())
    assert recorded["x"].grad is None
    assert recorded["x"].detach().numpy().tolist() == FIRST.tolist()
    stepper.last()  # the learner's own pass is as it would have been
    untouched = run(program, FIRST)
    untouched["y"].backward()
    assert recorded["x"].grad.numpy().tolist() == untouched["x"].grad.numpy().tolist()
    again = viz.BackwardStepper(fresh["y"], names={"leaf": fresh["x"]})  # after the pass, where saved tensors are gone
    if "CopySlices" in {box.op for box in again.session.graph.boxes}:
        with pytest.raises(CannotReplayError, match="written through a view, and what that did is not kept any more"):
            again.what_if(leaf=FIRST)
    else:
        near(again.what_if(leaf=FIRST).grads["leaf"], untouched["x"].grad.numpy())


IN_HALF = PROGRAMS | {
    "computed in float32": "y = x.cumprod(1).sum() + (x * 0.1).tanh().mean() + (x / 3 - c).sum()",
    "float16 beside float32": "y = (x * c.float()).sum() + (x.abs() ** c.float()).sum()",
}
for of_float32 in ("solved", "images", "dtypes", "a module", "drawn", "shapes"):
    del IN_HALF[of_float32]


@pytest.mark.parametrize("program", IN_HALF.values(), ids=IN_HALF)
def test_the_replay_in_float16_is_a_fresh_run_in_float16(program):
    recorded, fresh = run(program, FIRST, mg.float16), run(program, OTHER, mg.float16)
    made = viz.BackwardStepper(recorded["y"], names={"leaf": recorded["x"]}).what_if(leaf=OTHER)
    fresh["y"].backward()
    assert made.value == fresh["y"].detach().numpy()
    assert made.grads["leaf"].dtype == np.float16
    np.testing.assert_array_equal(made.grads["leaf"], fresh["x"].grad.numpy())


@pytest.mark.parametrize(
    "name", ["computed in float32", "attention", "functions through a view", "numbers among the operands"]
)
def test_a_nudge_of_a_float16_graph_is_computed_in_double_precision(name):
    scope = run(IN_HALF[name], FIRST, mg.float16)
    stepper = viz.BackwardStepper(scope["y"], names={"x": scope["x"]})
    for place in ((0, 0), (1, 2)):
        nudge = stepper.nudge("x", 1e-6, place)
        assert nudge.slope == pytest.approx(nudge.grad, rel=2e-2, abs=2e-3)


STEPS = [
    "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} * {n}", "{n} - {a}", "{a}.sin()", "{a}.tanh()", "{a}.sigmoid()",
    "{a}.relu()", "({a} * {a} + 1).log()", "{a} / ({b} * {b} + 1)", "{a} @ {b}.T @ {a}",
    "{a}.sum(0, keepdim=True) + {b}",
    "{a}.mean(1, keepdim=True) * {b}", "mg.stack([{a}, {b}]).sum(0)", "{a}[[1, 0]] * {b}", "{a}.softmax(1)",
    "{a} - {a}.max(1, keepdim=True).values", "{a}.T.reshape(2, 3) + {b}", "mg.cat([{a}[:, :1], {b}[:, 1:]], 1)",
    "{a}.detach() * {b}",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_are_recomputed_as_a_fresh_run_computes_them(seed):
    lot = random.Random(seed)
    lines, operands = [], ["x", "c", "w"]
    kinds = STEPS[:-1]  # what was detached is a constant of the recorded graph
    for place in range(lot.randint(3, 14)):
        a, b = lot.choice(operands), lot.choice(operands)
        lines.append(f"t{place} = 0.5 * ({lot.choice(kinds).format(a=a, b=b, n=lot.choice([2, 0.5, -3]))})")
        operands.append(f"t{place}")
    program = "\n".join([*lines, f"y = ({' + '.join(operands)}).sum()"])
    scale = 0.5

    def made(numbers, width):
        return cell(
            program,
            x=mg.tensor(numbers * scale, dtype=mg.float64, requires_grad=True),
            w=mg.tensor(width, dtype=mg.float64, requires_grad=True),
            c=mg.tensor([[1.0, -2.0, 0.5], [0.3, 1.0, 2.0]], dtype=mg.float64),
        )

    recorded, fresh = made(FIRST, 0.25 + FIRST * 0), made(OTHER, 0.75 + FIRST * 0)
    names = {name: recorded[name] for name in ("x", "w")}
    what = viz.BackwardStepper(recorded["y"], names=names).what_if(x=OTHER * scale, w=0.75 + FIRST * 0)
    fresh["y"].backward()
    np.testing.assert_allclose(what.value, fresh["y"].item(), rtol=1e-9)
    for name in ("x", "w"):
        np.testing.assert_allclose(what.grads[name], fresh[name].grad.numpy(), rtol=1e-7, atol=1e-12)


LINE = """
w = mg.tensor(2.0, requires_grad=True)
b = mg.tensor([0.0, 1.0], requires_grad=True)
loss = ((w * mg.tensor([1.0, 3.0]) + b) ** 2).sum()
"""


def line():
    scope = cell(LINE)
    return viz.BackwardStepper(scope["loss"], names={name: scope[name] for name in ("w", "b", "loss")}), scope


def test_every_frame_has_the_other_numbers():
    stepper, _ = line()
    what = stepper.what_if(w=3.0)
    fresh = cell(LINE.replace("2.0, req", "3.0, req"))
    other = viz.BackwardStepper(fresh["loss"], names={name: fresh[name] for name in ("w", "b", "loss")})
    other.last()
    assert [frame.spoken for frame in what.frames] == [frame.spoken for frame in other.frames]
    assert [frame.grads for frame in what.frames] == [frame.grads for frame in other.frames]
    assert [dict(frame.chips) for frame in what.frames] == [dict(frame.chips) for frame in other.frames]
    # The code that made w has the number that it had.
    assert stepper.whatif["frames"] == [text.replace("tensor(3.0", "tensor(2.0") for text in other.recorded]


def test_it_is_said_in_a_few_lines():
    stepper, _ = line()
    assert repr(stepper.what_if(w=3.0)) == (
        "what if w = 3 (it ran with 2)\n  loss = 109\n  w.grad = 66\n  b.grad = [6, 20]"
    )
    assert stepper.whatif["changes"] == [("w", "3", "2")]
    assert repr(stepper.what_if(b=[0, 5])).splitlines()[0] == "what if b[1] = 5 (it ran with 1)"
    assert repr(stepper.what_if(b=mg.tensor([4, 5]), w=1)).splitlines()[0] == (
        "what if b = [4, 5] (it ran with [0, 1]), w = 1 (it ran with 2)"
    )
    assert stepper.what_if() is None
    assert stepper.whatif == {}


def test_what_ran_stays_what_the_stepper_steps_through():
    stepper, scope = line()
    stepper.next()
    stepper.what_if(w=3.0)
    assert (stepper.index, len(stepper.frames)) == (1, 2)
    assert "loss" in stepper.frame.name
    stepper.last()
    assert scope["w"].grad.item() == 46.0
    assert stepper.what_if(w=3.0).grads["w"] == 66.0
    assert scope["w"].grad.item() == 46.0


def test_the_numbers_are_those_that_ran_also_where_a_cell_has_written_since():
    stepper, scope = line()
    stepper.last()
    with mg.no_grad():
        scope["w"] -= 0.5 * scope["w"].grad
    assert stepper.what_if(b=[0, 2]).value == 4 + 64


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"q": 1}, ValueError, "'q' is the name of no box: what can be changed is w, b"),
        ({"loss": 1}, ValueError, "'loss' is computed: what can be changed is w, b"),
        ({"w": "3"}, TypeError, "w takes numbers, as 3.0 or [1, 2], not '3'"),
        ({"w": 1j}, TypeError, "w takes numbers"),
        ({"w": None}, TypeError, "w takes numbers"),
        ({"w": [1.0, 2.0]}, ValueError, "w takes numbers of shape [], and not [2]"),
        ({"b": [[1.0, 2.0]]}, ValueError, "b takes numbers of shape [2], and not [1, 2]"),
        ({"b": 1.0}, ValueError, "b takes numbers of shape [2], and not []"),
        ({"w": -1e39}, ValueError, "w is float32, which holds no number as large as 1e+39"),
    ],
)
def test_what_cannot_be_a_leafs_number_is_refused_and_nothing_changes(changes, error, text):
    stepper, _ = line()
    stepper.what_if(w=3.0)
    before = stepper.whatif
    with pytest.raises(error) as caught:
        stepper.what_if(changes)
    assert text in str(caught.value)
    assert stepper.whatif is before


def test_infinity_and_nan_flow_as_they_would():
    stepper, _ = line()
    assert stepper.what_if(w=float("inf")).value == float("inf")
    assert np.isnan(stepper.what_if(w=float("nan")).grads["w"])


class Loud(mg.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        Loud.calls += 1
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_a_custom_function_is_not_run_again():
    x = mg.tensor(1.0, requires_grad=True)
    doubled = Loud.apply(x)
    y = doubled * 3
    stepper = viz.BackwardStepper(y)
    calls = Loud.calls
    with pytest.raises(
        CannotReplayError, match=r"^doubled cannot be computed once more: Loud is your own, and its forward"
    ):
        stepper.what_if(x=2.0)
    assert Loud.calls == calls
    assert stepper.whatif == {}


def test_hooks_do_not_run_and_that_is_said():
    x = mg.tensor(1.0, requires_grad=True)
    seen = []
    x.register_hook(seen.append)
    y = x * 3
    y.register_hook(lambda g: g * 100)
    stepper = viz.BackwardStepper(y)
    assert stepper.what_if(x=2.0).grads["x"] == 3.0
    assert seen == []
    assert stepper.whatif["note"].endswith("Hooks do not run in it.")


def test_modes_generator_and_filters_are_as_before():
    x = mg.tensor(2.0, requires_grad=True)
    y = x * x
    stepper = viz.BackwardStepper(y)
    state, filters = mg.get_rng_state().tolist(), list(warnings.filters)
    packed = []
    with mg.no_grad(), mg.autograd.graph.saved_tensors_hooks(packed.append, lambda kept: kept):
        assert stepper.what_if(x=5.0).grads["x"] == 10.0
        assert not mg.is_grad_enabled()
    assert packed == []
    assert mg.get_rng_state().tolist() == state
    assert list(warnings.filters) == filters


def test_a_leaf_that_is_too_large_to_be_copied_and_was_written_to_since():
    w = mg.ones(10, 10, requires_grad=True)
    b = mg.tensor(1.0, requires_grad=True)
    stepper = viz.BackwardStepper((w * b).sum())
    assert stepper.what_if(b=2.0).value == 200.0
    with mg.no_grad():
        w += 1
    with pytest.raises(CannotReplayError, match=r"^w was written to since, and is too large"):
        stepper.what_if(b=2.0)


def test_a_large_operand_that_is_gone_is_said(monkeypatch):
    x = mg.tensor(1.0, requires_grad=True)
    total = (x + mg.ones(100)).sum()
    with pytest.raises(
        CannotReplayError, match=r"cannot be computed once more: an operand without gradient is not there"
    ):
        viz.BackwardStepper(total).what_if(x=2.0)


def test_a_node_of_which_nothing_was_noted_is_said():
    previous = mg.op.set_node_observer(None)
    try:
        x = mg.ones(3, requires_grad=True)
        y = x.max(0).values * 2
    finally:
        mg.op.set_node_observer(previous)
    with pytest.raises(
        CannotReplayError, match=r"what it was called with is not known: it was made before minigrad.viz"
    ):
        viz.BackwardStepper(y, names={"x": x}).what_if(x=[1, 2, 3])


def test_pytorchs_graphs_are_refused_in_words():
    torch = pytest.importorskip("torch")
    x = torch.tensor(2.0, requires_grad=True)
    stepper = viz.BackwardStepper(x * x, names={"x": x})
    with pytest.raises(CannotReplayError, match="PyTorch does not note what they were called with"):
        stepper.what_if(x=3.0)
    assert stepper.frame.index == 0


def test_inputs_gradient_and_retain_graph_are_those_of_the_stepper():
    x, w = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor(3.0, requires_grad=True)
    h = x * w
    y = h * h
    stepper = viz.BackwardStepper(y, gradient=mg.tensor([1.0, 10.0]), inputs=[h, x])
    what = stepper.what_if(w=2.0)
    assert what.grads["x"].tolist() == [8.0, 160.0]
    assert what.grads["w"] is None
    assert len(what.frames) == stepper.frame.total + 1


def test_the_graph_of_a_gradient_is_recomputed():
    x = mg.tensor(2.0, requires_grad=True)
    y = x**3
    first = viz.BackwardStepper(y, create_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first.last()
    second = first.second()
    assert second.what_if(x=3.0).value == 27.0
    assert second.what_if(x=3.0).grads["x"] == 18.0
    assert first.what_if(x=3.0).grads["x"] == 27.0


def test_with_the_forward_pass_its_frames_have_the_other_numbers():
    scope = cell(LINE)
    stepper = viz.BackwardStepper(scope["loss"], names={name: scope[name] for name in ("w", "b", "loss")}, forward=True)
    stepper.what_if(w=3.0)
    told = json.dumps(stepper.whatif["forward"][-1]["story"])
    assert "109" in told


def test_a_nudge_measures_the_slope():
    stepper, scope = line()
    nudge = stepper.nudge("w", 0.001)
    assert nudge.before == 4 + 49
    assert nudge.after == pytest.approx(2.001**2 + 7.003**2, rel=1e-12)
    assert nudge.slope == pytest.approx(46.01, rel=1e-6)
    assert nudge.grad == 46.0
    assert repr(nudge) == "loss is 53, and 53.04601 with w + 0.001: (53.04601 − 53) / 0.001 = 46.01. w.grad is 46."
    assert stepper.nudge("b", -1e-6, 1).slope == pytest.approx(14, rel=1e-5)
    assert stepper.nudge("b", cell=(0,)).name == "b[0]"
    assert scope["w"].grad is None
    for bad in ({"cell": 2}, {"cell": (0, 0)}, {"cell": "x"}, {"cell": -1}, {"epsilon": 0}, {"epsilon": float("nan")}):
        with pytest.raises(ValueError, match=r"is no place in it|a step is a number|invalid literal"):
            stepper.nudge("b", **({"cell": 0} | bad))


def test_random_graphs_have_the_slope_that_backward_says():
    recorded = run(PROGRAMS["softmax"], FIRST)
    stepper = viz.BackwardStepper(recorded["y"], names={"x": recorded["x"]})
    for row in range(2):
        for column in range(3):
            nudge = stepper.nudge("x", 1e-6, (row, column))
            assert nudge.slope == pytest.approx(nudge.grad, rel=1e-3, abs=1e-4)


# ---------------------------------------------------------------- asked by the page


def test_the_page_asks_by_lists_of_numbers():
    stepper, _ = line()
    keys = {box.name: box.id for box in stepper.session.graph.boxes}
    stepper.request = {"what_if": {keys["b"]: [0, 5], keys["w"]: [1]}, "nth": 1}
    assert stepper.answered == 1
    assert [change[:2] for change in stepper.whatif["changes"]] == [("b[1]", "5"), ("w", "1")]
    assert stepper.whatif["now"][keys["w"]]["ran"] == "2"
    assert stepper.whatif["now"][keys["loss"]]["text"] == "65"
    stepper.request = {"what_if": {keys["w"]: [1]}, "nudge": {"box": keys["b"], "cell": [1], "by": 0.01}, "nth": 2}
    assert stepper.whatif["word"].startswith("loss is 17, and 17.0801 with b[1] + 0.01:")
    stepper.request = {"what_if": {}, "nth": 3}
    assert stepper.whatif == {}
    assert stepper.problem == {}


def test_what_the_page_cannot_have_is_said_and_what_was_shown_stays():
    stepper, _ = line()
    keys = {box.name: box.id for box in stepper.session.graph.boxes}
    stepper.request = {"what_if": {keys["w"]: [3]}, "nth": 1}
    frames = stepper.whatif["frames"]
    for number, request in enumerate(
        [
            {"what_if": {keys["w"]: [1e39]}},
            {"what_if": {keys["w"]: ["three"]}},
            {"what_if": {keys["w"]: [1, 2]}},
            {"what_if": {"n99": [1]}},
            {"what_if": {keys["loss"]: [1]}},
            {"what_if": {keys["w"]: [3]}, "nudge": {"box": keys["w"], "cell": [], "by": 0}},
            {"what_if": {keys["w"]: [3]}, "nudge": {}},
        ]
    ):
        stepper.request = {**request, "nth": number + 2}
        assert stepper.whatif["word"]
        assert stepper.whatif["frames"] == frames
        assert stepper.problem == {}
        assert stepper.answered == number + 2


def test_nothing_is_asked_of_a_stepper_that_was_closed():
    stepper, _ = line()
    stepper.close()
    with pytest.raises(RuntimeError, match="closed"):
        stepper.what_if(w=1.0)
    with pytest.raises(RuntimeError, match=r"^this pass cannot go on: the stepper was closed$"):
        stepper.next()


def test_no_large_array_is_kept_alive_by_what_is_noted():
    x = mg.ones(1000, requires_grad=True)
    index = mg.tensor(list(range(500)))
    y = x.gather(0, index)
    noted = y.grad_fn._making.given["index"]
    assert isinstance(noted.numbers, observer.weakref.ref)
    graph = snapshot(y)
    key = next(box.id for box in graph.boxes if box.kind == "leaf")
    assert Replay(graph, NotedCalls(graph), {key: np.full(1000, 3, np.float32)}, 0).root.sum().item() == 1500

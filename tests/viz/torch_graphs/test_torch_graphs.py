"""The stepper and the pictures over PyTorch's own graphs: a pass leaves what `backward()` leaves, to the bit."""

import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from conftest import require
from hypothesis import given, settings
from hypothesis import strategies as st
from viz.cells import cell
from viz.torch_programs import PROGRAMS, Silent, built, is_freed, leaf, same

from minigrad import viz
from minigrad.viz.graph import values

torch: Any = require("torch")
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def no_pass_left_half_way() -> Iterator[None]:
    """ipywidgets keeps every widget until it is closed."""
    yield
    ipywidgets.Widget.close_all()
    assert passes() == 0


def grads(tensors: list[Any]) -> list[Any]:
    return [None if tensor.grad is None else tensor.grad.detach().clone() for tensor in tensors]


def assert_same(tensors: list[Any], expected: list[Any]) -> None:
    assert [same(tensor.grad, gradient) for tensor, gradient in zip(tensors, expected, strict=True)] == [
        True for _ in tensors
    ]


def passes() -> int:
    """How many passes stand half way."""
    return sum(thread.name == "backward" for thread in threading.enumerate())


# ---------------------------------------------------------------- equal to backward()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_stepped_pass_is_backward(name: str) -> None:
    loss, tensors = built(name)
    loss.backward()
    expected = grads(tensors)
    loss, tensors = built(name)
    before = grads(tensors)
    stepper = viz.BackwardStepper(loss)
    assert_same(tensors, before)
    stepper.last()
    assert stepper.finished
    assert_same(tensors, expected)
    stepper.first()
    assert_same(tensors, before)
    stepper.last()
    assert_same(tensors, expected)
    assert len(stepper.trace().splitlines()) > len(stepper.frames)
    assert repr(viz.draw(loss))  # after the pass, when what was saved is gone


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_second_pass_adds_to_the_first(name: str) -> None:
    loss, tensors = built(name)
    loss.backward(retain_graph=True)
    loss.backward()
    expected = grads(tensors)
    loss, tensors = built(name)
    viz.BackwardStepper(loss, retain_graph=True).last()
    between = grads(tensors)
    stepper = viz.BackwardStepper(loss)
    stepper.last()
    assert_same(tensors, expected)
    stepper.first()
    assert_same(tensors, between)


OPS = ["add", "mul", "sub", "maximum", "sin", "tanh", "exp", "neg", "view", "row", "in place", "detach", "custom"]
GRAPHS = st.lists(st.tuples(st.sampled_from(OPS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9)


def random_graph(steps: Any) -> tuple[Any, list[Any]]:
    torch.manual_seed(1)
    leaves = [leaf(2, 3), leaf(3), leaf(2, 3)]
    pool = list(leaves)
    for name, first, second in steps:
        one, other = pool[-1 - first % len(pool)], pool[-1 - second % len(pool)]
        if name in ("add", "mul", "sub", "maximum"):
            made = getattr(torch, name)(one, other)
        elif name == "view":
            made = one.contiguous().view(-1).flip(0).view(one.shape)  # an expanded tensor has no flat view
        elif name == "row":
            made = one[..., :1]
            made = made.expand(one.shape)
        elif name == "in place":
            made = (one * 1).mul_(0.5).add_(other.sum())
        elif name == "detach":
            made = one.detach() + other
        elif name == "custom":
            made = one + Silent.apply(other)
        else:
            made = getattr(torch, name)(one * 0.1)
        if first % 3 == 0:
            made.register_hook(lambda g, k=second: None if g is None else g * (k + 1))
        if second % 4 == 0:
            made.retain_grad()
            leaves.append(made)
        pool.append(made)
    return pool[-1].sum() + pool[len(pool) // 2].sum(), leaves


@given(GRAPHS, st.lists(st.sampled_from(["next", "next", "back", "first", "last"]), max_size=12))
@settings(max_examples=25, deadline=None)
def test_random_graphs_stepped_rewound_and_replayed(steps: Any, moves: list[str]) -> None:
    loss, tensors = random_graph(steps)
    loss.backward()
    expected = grads(tensors)
    loss, tensors = random_graph(steps)
    stepper = viz.BackwardStepper(loss)
    seen = {0: grads(tensors)}
    for move in moves:
        getattr(stepper, move)()
        assert_same(tensors, seen.setdefault(stepper.index, grads(tensors)))
    stepper.last()
    assert_same(tensors, expected)
    for before, after in zip(stepper.frames, stepper.frames[1:], strict=False):
        assert before.next is not None
        assert before.next.box == after.box


# ---------------------------------------------------------------- arguments, as in backward()


def test_gradient_inputs_and_retain_graph() -> None:
    a, b = leaf(3), leaf(3)
    y = a * b
    stepper = viz.BackwardStepper(y, gradient=torch.tensor([1.0, 2.0, 3.0]), inputs=[b], retain_graph=True)
    stepper.last()
    assert a.grad is None
    assert torch.equal(b.grad, a.detach() * torch.tensor([1.0, 2.0, 3.0]))
    y.sum().backward()  # the graph is still there
    assert torch.equal(a.grad, b.detach())


def test_a_result_among_inputs_gets_its_grad_and_gives_it_back() -> None:
    a = leaf(3)
    b = a.exp()
    loss = (b * b).sum()
    stepper = viz.BackwardStepper(loss, inputs=b)
    assert [box.name for box in stepper.session.graph.boxes if stepper.frames[0].states[box.id].state == "off"] == ["a"]
    stepper.last()
    assert torch.equal(b.grad, 2 * b.detach())
    assert a.grad is None
    stepper.first()
    assert b.grad is None


@pytest.mark.usefixtures("every_warning")
def test_create_graph_gives_gradients_with_a_graph() -> None:
    a = leaf(3)
    loss = (a**3).sum()
    stepper = viz.BackwardStepper(loss, create_graph=True)
    with pytest.warns(UserWarning, match="create a reference cycle"):
        stepper.last()
    (second,) = torch.autograd.grad(a.grad.sum(), a)
    assert torch.allclose(second, 6 * a.detach())
    stepper.first()
    assert a.grad is None
    stepper.last()
    assert a.grad.requires_grad
    a.grad = None  # ends the circle that the warning speaks of


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: {"root": leaf(3) * 2},
            RuntimeError,
            r"^grad can be implicitly created only for scalar outputs\. This output has shape \[3\]: reduce it first",
        ),
        (
            lambda: {"root": torch.ones(3)},
            RuntimeError,
            "^element 0 of tensors does not require grad and does not have a grad_fn. Nothing that it was",
        ),
        (lambda: {"root": leaf(1)}, RuntimeError, "is a leaf and does not have a grad_fn"),
        (
            lambda: {"root": leaf(3) * 2, "gradient": torch.ones(2)},
            RuntimeError,
            r"Mismatch in shape: grad_output\[0\]",
        ),
        (lambda: {"root": leaf(3).sum(), "gradient": 1.0}, TypeError, "gradients can be either Tensors or None"),
        (
            lambda: {"root": leaf(3).sum(), "inputs": []},
            RuntimeError,
            "argument to `backward..` cannot be empty",
        ),
        (lambda: {"root": leaf(3).sum(), "inputs": [torch.ones(1)]}, RuntimeError, "does not require grad"),
        (lambda: {"root": leaf(3).sum(), "inputs": ["a"]}, TypeError, "must be tensors of PyTorch's"),
        (lambda: {"root": leaf(dtype=torch.complex64).exp()}, RuntimeError, "only for real scalar outputs"),
    ],
)
def test_bad_input_is_explained(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        viz.BackwardStepper(**make())
    assert passes() == 0


def test_a_hook_that_raises_half_way_is_shown_and_back_works() -> None:
    a, b = leaf(3), leaf(3)
    middle = a.exp()
    loss = (middle * b).sum()

    def refuse(g: Any) -> None:
        raise ValueError("not today")

    middle.register_hook(refuse)
    stepper = viz.BackwardStepper(loss)
    stepper.run_to("b")
    given = b.grad.clone()
    with pytest.raises(ValueError, match="not today"):
        stepper.next()
    assert torch.equal(b.grad, given)
    assert a.grad is None
    assert stepper.problem["text"] == "ValueError: not today"
    assert [event.title for event in stepper.frame.events] == ["hook refuse on middle", "ValueError"]
    assert "and raised ValueError: not today." in stepper.frame.events[0].text
    assert stepper.session.graph.by_id[stepper.problem["box"]].name == "middle"
    with pytest.raises(RuntimeError, match="its last step failed with ValueError: not today"):
        stepper.next()
    stepper.first()
    assert b.grad is None
    stepper.request = {"to": 2, "nth": 1}
    assert stepper.index == 2
    assert passes() == 0


def test_a_graph_that_was_used_is_shown_and_says_what_is_gone() -> None:
    loss = leaf(3).exp().sum()
    loss.backward()
    stepper = viz.BackwardStepper(loss)
    (saved,) = next(box for box in stepper.session.graph.boxes if box.op == "ExpBackward0").saved
    assert (saved.parameter, saved.value.text) == ("result", "freed by a backward that used the graph")
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        stepper.last()


def test_a_graph_that_is_freed_under_the_stepper() -> None:
    a = leaf(3)
    loss = a.exp().sin().sum()
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        stepper.next()


# ---------------------------------------------------------------- hooks, seen and run once


def test_each_hook_runs_once_however_often_the_steps_are_walked() -> None:
    ran: list[str] = []

    def note(name: str) -> Any:
        return lambda *_: ran.append(name)

    a = leaf(3)
    b = a.exp()
    a.register_hook(note("tensor hook of a"))
    b.register_hook(note("tensor hook of b"))
    b.grad_fn.register_prehook(note("prehook"))
    b.grad_fn.register_hook(note("node hook"))
    a.register_post_accumulate_grad_hook(note("post-accumulate hook"))
    stepper = viz.BackwardStepper(b.sum())
    for _ in range(3):
        stepper.last()
        stepper.first()
    assert ran == ["tensor hook of b", "prehook", "node hook", "tensor hook of a", "post-accumulate hook"]


HOOKED = """
a = torch.tensor([0., 0.], requires_grad=True)
b = a.exp()
def double(g): return g * 2
def one_more(arriving): return (arriving[0] + 1,)
def triple(leaving, arriving): return (leaving[0] * 3,)
def look(g): pass
def halve(p): p.grad.mul_(0.5)
b.register_hook(double)
b.retain_grad()
b.grad_fn.register_prehook(one_more)
b.grad_fn.register_hook(triple)
a.register_hook(look)
a.register_post_accumulate_grad_hook(halve)
s = viz.BackwardStepper(b.sum())
s.last()
"""


def test_a_frame_names_each_hook_and_tells_what_it_changed() -> None:
    frames = cell(HOOKED, torch=torch)["s"].frames
    at_b, at_a = frames[2], frames[3]
    assert [event.text for event in at_b.events] == [
        "The tensor hook double changed the gradient of b from [1, 1] to [2, 2].",
        "The prehook one_more changed the gradient that comes in to ExpBackward0 from [2, 2] to [3, 3].",
        "The node hook triple changed the gradient for a from [3, 3] to [9, 9].",
        "b.retain_grad() was called (inputs= does it, too), so b.grad now holds [2, 2].",
    ]
    assert [event.line[1:] for event in at_b.events[:3] if event.line] == [
        (4, "def double(g): return g * 2"),
        (5, "def one_more(arriving): return (arriving[0] + 1,)"),
        (6, "def triple(leaving, arriving): return (leaving[0] * 3,)"),
    ]
    (item,) = at_b.contributions
    assert item.numbers[0][1] == "[3, 3] × [1, 1] = [3, 3]"
    assert item.numbers[1][:2] == ("a hook changed that to ", "[9, 9]")
    assert [event.text for event in at_a.events] == [
        "The tensor hook look looked at the gradient of a, [9, 9], and changed nothing.",
        "The post-accumulate hook halve changed a.grad from [9, 9] to [4.5, 4.5].",
    ]
    assert "AccumulateGrad of the leaf a received [9, 9]." in [line.text for line in at_a.story]


def test_hooks_are_put_back_as_they_were() -> None:
    scope = cell(HOOKED.replace("s.last()", "s.next(); s.next()"), torch=torch)
    assert scope["b"]._backward_hooks != {0: scope["double"]}
    scope["s"].close()
    a, b = scope["a"], scope["b"]
    ours = [a._backward_hooks, a._post_accumulate_grad_hooks, b._backward_hooks]
    assert [list(hooks.values()) for hooks in ours] == [[scope["look"]], [scope["halve"]], [scope["double"]]]
    for register, hook in (("register_prehook", "one_more"), ("register_hook", "triple")):
        handle = getattr(b.grad_fn, register)(lambda *_: None)
        assert list(handle.hooks_dict_ref().values())[:-1] == [scope[hook]]


def test_the_hook_of_a_tensor_that_is_gone_is_seen_by_what_it_changed() -> None:
    a = torch.tensor([0.0, 0.0], requires_grad=True)
    b = a.exp()
    b.register_hook(lambda g: g * 2)
    loss = b.sum()
    del b
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    frame = stepper.next()
    assert frame is not None
    told = [event.text for event in frame.events if event.kind == "tensor_hook"]
    assert told == ["The tensor hook that PyTorch ran changed the gradient of t0 from [1, 1] to [2, 2]."]
    (item,) = frame.contributions
    assert (item.rule.code, item.value.text) == ("g * result", "[2, 2]")


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("arrives", "factors", "is_told"),
    [
        ([NAN, 1.0], [1.0, 1.0], False),
        ([NAN, 1.0], [1.0, 2.0], True),
        ([INF, 1.0], [1.0, 1.0], False),
        ([INF, 1.0], [1.0, 1.5], True),
        ([1e-9, 1e-9], [2.0, 1.0], True),
        ([1e6, 1.0], [1.001, 1.0], True),
        ([1e6, 1e-3], [1.0, 2.0], False),
        ([-1e6, 1e-3], [1.0, 2.0], False),
    ],
)
def test_what_a_sum_may_have_rounded_away_is_no_unseen_hook(
    arrives: list[float], factors: list[float], is_told: bool
) -> None:
    a = torch.tensor([0.0, 0.0], requires_grad=True)
    b = a.exp()
    b.register_hook(lambda g: g * torch.tensor(factors))
    loss = b * 1
    del b
    stepper = viz.BackwardStepper(loss, gradient=torch.tensor(arrives))
    stepper.next()
    frame = stepper.next()
    assert frame is not None
    assert [event.kind for event in frame.events if event.kind != "anomaly"] == ["tensor_hook"] * is_told


def test_the_hook_of_an_output_that_got_nothing_is_told_and_taken_for_no_other() -> None:
    a, b, c = (torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1).unbind()
    got: list[Any] = []
    a.register_hook(got.append)
    b.register_hook(got.append)
    stepper = viz.BackwardStepper(a * 2 + c)
    stepper.last()
    assert got == [torch.tensor(2.0), None]
    told = [event.text for frame in stepper.frames for event in frame.events if event.kind == "tensor_hook"]
    assert told == [
        f"The tensor hook append looked at the gradient of a, b, c, {gradient}, and changed nothing."
        for gradient in ("2", "None")
    ]


def test_a_hook_that_is_seen_begins_with_what_an_unseen_one_left() -> None:
    a = torch.tensor([0.0, 0.0], requires_grad=True)
    b = a.exp()
    b.register_hook(lambda g: g * 2)
    b.grad_fn.register_prehook(lambda arriving: (arriving[0] + 1,))
    loss = b.sum()
    del b
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    frame = stepper.next()
    assert frame is not None
    assert sorted(event.text for event in frame.events) == [
        "The prehook (lambda) changed the gradient that comes in to ExpBackward0 from [2, 2] to [3, 3].",
        "The tensor hook that PyTorch ran changed the gradient of t0 from [1, 1] to [2, 2].",
    ]


def test_infinite_gradients_that_cancel_are_told_and_warn_of_nothing() -> None:
    a = torch.tensor([0.0, 0.0], requires_grad=True)
    loss = a * torch.tensor([1.0, 1.0]) + a * torch.tensor([-1.0, 1.0])
    stepper = viz.BackwardStepper(loss, gradient=torch.tensor([INF, 1.0]))
    stepper.last()
    assert stepper.frames[3].sentence.endswith("2 of 2 parts have come, together [-Inf, 1] + [Inf, 1] = [NaN, 2]")


def test_a_gradient_that_a_prehook_takes_away_is_no_unseen_hook() -> None:
    a = torch.tensor([0.0, 0.0], requires_grad=True)
    b = a.exp()
    seen: list[Any] = []
    b.grad_fn.register_prehook(lambda arriving: (None,))
    b.grad_fn.register_prehook(seen.append)
    stepper = viz.BackwardStepper(b.sum())
    stepper.next()
    frame = stepper.next()
    assert frame is not None
    assert seen == [(None,)]
    told = "The prehook (lambda) changed the gradient that comes in to ExpBackward0 from [1, 1] to None."
    assert [event.text for event in frame.events] == [told]


def test_a_hook_of_another_backward_over_the_graph_is_no_event_of_the_pass() -> None:
    ran: list[Any] = []
    a = leaf(3)
    b = a.exp()
    b.register_hook(ran.append)
    loss = b.sum()
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    loss.backward(retain_graph=True)
    stepper.next()
    assert len(ran) == 2
    assert [event.kind for event in stepper.frame.events] == ["tensor_hook"]


def test_a_hook_that_is_added_between_two_steps_counts() -> None:
    a = leaf(3)
    b = a.exp()
    stepper = viz.BackwardStepper(b.sum())
    stepper.next()
    b.grad_fn.register_hook(lambda leaving, _: (leaving[0] * 10,))
    stepper.next()
    (item,) = stepper.frame.contributions
    assert item.value.full == values.describe((10 * b.detach()).numpy()).full
    stepper.last()
    assert torch.equal(a.grad, 10 * b.detach())


def test_another_backward_over_the_graph_is_not_taken_for_the_pass() -> None:
    a = leaf(3)
    b = a.exp()
    loss = b.sum()
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    loss.backward(retain_graph=True)
    assert torch.equal(a.grad, b.detach())
    stepper.last()
    assert torch.equal(a.grad, 2 * b.detach())


# ---------------------------------------------------------------- what is left behind


def test_nothing_stays_on_the_graph() -> None:
    a = leaf(3)
    b = a.exp()
    stepper = viz.BackwardStepper(b.sum(), retain_graph=True)
    stepper.next()
    stepper.close()
    assert passes() == 0
    for node in (b.grad_fn, b.grad_fn.next_functions[0][0]):
        handle = node.register_hook(lambda *_: None)
        assert list(handle.hooks_dict_ref()) == [handle.id]
        handle.remove()


class Witness:
    """Held by a node, so that one can see when that is gone: of a node itself Python keeps no weak references."""


class Held(torch.autograd.Function):  # type: ignore[misc, name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.witness = Witness()
        return x.exp()

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


def stepped_and_closed(steps: int) -> weakref.ref[Witness]:
    """Step so far over a graph and close the stepper. (Whoever looks up a frame's variables makes Python keep a copy of
    them until the frame ends: so this is a function.)
    """
    b = Held.apply(leaf(3))
    alive = weakref.ref(b.grad_fn.witness)
    stepper = viz.BackwardStepper((b * b).sum())
    for _ in range(steps):
        stepper.next()
    assert not is_freed(alive)
    stepper.close()
    return alive


@pytest.mark.parametrize("steps", [0, 1, 2, 99])
def test_a_closed_stepper_keeps_no_graph_alive(steps: int) -> None:
    assert is_freed(stepped_and_closed(steps))


MAKE = "import torch; from minigrad import viz; s = viz.BackwardStepper(torch.ones(1, requires_grad=True).exp())"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("from minigrad import viz; import minigrad as mg; viz.draw(mg.ones(1, requires_grad=True) * 2)", "False"),
        (MAKE, "True"),
        (MAKE + "; s.next()", "True"),
    ],
)
def test_torch_is_not_imported_and_python_ends_in_the_middle_of_a_pass(code: str, printed: str) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + "; import sys; print('torch' in sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.stdout.strip(), run.stderr, run.returncode) == (printed, "", 0)


# ---------------------------------------------------------------- what is shown


def test_make_dot_takes_named_parameters() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    loss = net(torch.ones(1, 2)).sum()
    source = viz.make_dot(loss, params=dict(net.named_parameters()), show_attrs=True, show_saved=True).source
    for text in ("0.weight\\n [3, 2]", "0.bias\\n [3]", "AddmmBackward0", "TanhBackward0", "result", "orange"):
        assert text in source
    assert "0x" not in source


def test_lines_names_and_rules_are_the_learners() -> None:
    scope = cell(
        "A = torch.tensor([3.], requires_grad=True)\nB = torch.tensor([2.], requires_grad=True)\n"
        "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\ns = viz.BackwardStepper(F)\ns.last()\n",
        torch=torch,
    )
    frames = scope["s"].frames
    assert [frame.name for frame in frames[1:]] == ["F", "E", "D", "B", "C", "A"]
    assert frames[2].sentence.startswith(
        "mul: C gets g × D; D gets g × C, and that is added to what came from F. C: 1 × 4"
    )
    assert frames[2].marks == ((0, 5, 4, 9),)
    expressions = [box.expression for box in scope["s"].session.graph.boxes]
    assert expressions == ["leaf", "A ** 2", "leaf", "B ** 2", "C * D", "D + E"]
    assert scope["A"].grad.tolist() == [24.0]


def test_a_rule_that_is_not_known_is_said_to_be_unknown() -> None:
    stepper = viz.BackwardStepper(torch.linalg.svd(leaf(3, 3))[1].sum())
    frame = stepper.run_to(next(box.name for box in stepper.session.graph.boxes if box.op == "LinalgSvdBackward0"))
    (item,) = frame.contributions
    assert "its formula is not known here" in item.rule.code
    assert "=" not in item.numbers[0][1]
    assert frame.story[0].text.startswith(f"svd: {item.name} gets what PyTorch's compiled code gives")


def test_a_complex_gradient_is_measured_by_its_magnitudes() -> None:
    z = torch.tensor([3 + 4j, -5j, 1 + 0j], requires_grad=True)
    stepper = viz.BackwardStepper((z * z).abs().sum(), names={"z": z})
    received = stepper.last().received
    assert received == pytest.approx([204**0.5, 10, 2, 22 / 3])
    assert stepper.frames[2].received == pytest.approx([3**0.5, 1, 1, 1])


def test_what_a_hook_has_packed_is_not_unpacked_to_be_shown() -> None:
    unpacked: list[Any] = []
    a = leaf(2)
    with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept.detach().numpy(), unpacked.append):
        loss = (a * a).sum()
    drawn = viz.draw(loss)
    stepper = viz.BackwardStepper(loss)
    assert unpacked == []
    assert {saved.state for box in drawn.graph.boxes for saved in box.saved if saved.is_tensor} == {"packed"}
    assert stepper.frames[0].states

"""What is kept for the time without a kernel: a rehearsed pass says what the real one will say, and leaves no trace."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from viz.cells import stored, unpack

import minigrad as mg
from minigrad import viz
from minigrad.autograd.graph import saved_tensors_hooks
from minigrad.viz.page import packing
from minigrad.viz.page.packing import RAN, pack

Program = Callable[[], tuple[Any, dict[str, Any], list[Any]]]  # root, options of the stepper, leaves


def _leaves() -> tuple[Any, Any]:
    return mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([[3.0, 1.0], [0.5, 2.0]], requires_grad=True)


def shared() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    y = w * v
    return (y.sum() * y.exp()).sum(), {}, [w, v]


def held_from_before() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    (w * v).sum().backward()
    return (w * v * w).sum(), {}, [w, v]


def only_some_inputs() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    return ((v @ w) ** 2).sum(), {"inputs": [w]}, [w, v]


def weighted() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    return v @ w, {"gradient": mg.tensor([1.0, -2.0]), "retain_graph": True}, [w, v]


def recorded_itself() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    return (w**3).sum() + v.prod(), {"create_graph": True}, [w, v]


def with_nan() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    return (w - 1).log().sum() * v.sum(), {}, [w, v]


def written_to() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    y = w * 2
    loss = (y * y).sum() + v.sum()
    y.add_(1)
    return loss, {}, [w, v]


def used_up() -> tuple[Any, dict[str, Any], list[Any]]:
    w, v = _leaves()
    loss = (w * v).sum()
    loss.backward()
    return loss, {}, [w, v]


PROGRAMS = [shared, held_from_before, only_some_inputs, weighted, recorded_itself, with_nan, written_to, used_up]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_rehearsed_pass_says_what_the_real_one_says(program: Program) -> None:
    root, options, _ = program()
    stepper = viz.BackwardStepper(root, **options)
    stepper._repr_mimebundle_()
    kept = unpack(stepper.kept)
    assert len(kept["frames"]) > 1
    run_to_the_end(stepper)
    assert kept["frames"] == stepper.recorded
    assert kept["problem"] == stepper.problem
    assert set(stepper.ran) == {""}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_rehearsal_leaves_no_trace(program: Program) -> None:
    def state(leaves: list[Any]) -> list[Any]:
        found: list[Any] = [(leaf._version, leaf.grad is None) for leaf in leaves]
        return found + [
            (id(leaf.grad), leaf.grad._version, leaf.grad.tolist()) for leaf in leaves if leaf.grad is not None
        ]

    root, options, leaves = program()
    stepper = viz.BackwardStepper(root, **options)
    before = state(leaves)
    stepper._repr_mimebundle_()
    assert state(leaves) == before
    assert (stepper.index, len(stepper.frames), stepper.problem, stepper.finished) == (0, 1, {}, False)
    run_to_the_end(stepper)
    again, options, same = program()
    other = viz.BackwardStepper(again, **options)
    run_to_the_end(other)  # never rehearsed
    assert [str(leaf.grad) for leaf in leaves] == [str(leaf.grad) for leaf in same]


def run_to_the_end(stepper: Any) -> None:
    try:
        stepper.last()
    except RuntimeError:
        assert stepper.problem


class Doubled(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        calls.append("backward")
        return g * 2


calls: list[str] = []


def hooked_tensor(w: Any) -> Any:
    y = w * 2
    y.register_hook(lambda g: calls.append("tensor"))
    return y.sum()


def hooked_leaf(w: Any) -> Any:
    w.register_post_accumulate_grad_hook(lambda leaf: calls.append("leaf"))
    return (w * 2).sum()


def hooked_node(w: Any) -> Any:
    y = (w * 2).sum()
    y.grad_fn.register_hook(lambda *given: calls.append("node"))
    return y


def packed(w: Any) -> Any:
    def unpacked(x: Any) -> Any:
        calls.append("unpacked")
        return x

    with saved_tensors_hooks(lambda x: x, unpacked):
        return (w * w).sum()


@pytest.mark.parametrize("make", [hooked_tensor, hooked_leaf, hooked_node, packed, lambda w: Doubled.apply(w).sum()])
def test_code_of_the_learners_is_never_run_ahead_of_time(make: Callable[[Any], Any]) -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    stepper = viz.BackwardStepper(make(w))
    calls.clear()
    stepper._repr_mimebundle_()
    assert calls == []
    assert unpack(stepper.kept)["frames"] == stepper.recorded  # the first, and no other
    stepper.last()
    assert calls
    stepper._repr_mimebundle_()
    assert unpack(stepper.kept)["frames"] == stepper.recorded


def test_a_long_pass_that_was_walked_keeps_less_than_a_megabyte_in_each_place() -> None:
    w, h = mg.randn(4, 4, requires_grad=True), mg.zeros(4)
    for x in mg.randn(500, 4):
        h = mg.tanh(w @ h + x)
    stepper = viz.BackwardStepper(h.sum())
    assert len(stepper.picture["boxes"]) > 1_500
    stepper.last()
    kept = stored(stepper)["kept"]
    assert unpack(kept)["frames"] == stepper.recorded
    assert len(kept) < 1e6
    assert sum(len(json.dumps(stepper.get_state([name]))) for name in ("kept", *RAN)) < 1e6


def test_large_passes_are_not_rehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "ELEMENTS", 10)
    w = mg.ones(4, 4, requires_grad=True)
    stepper = viz.BackwardStepper((w * w).sum())
    stepper._repr_mimebundle_()
    assert len(unpack(stepper.kept)["frames"]) == 1


def test_a_step_that_is_not_as_kept_goes_to_the_page_in_full() -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    v = mg.tensor([3.0, 4.0])
    stepper = viz.BackwardStepper((w * v).sum())
    stepper._repr_mimebundle_()
    w.grad = mg.ones(2)  # which the rehearsal could not know of
    stepper.last()
    kept = unpack(stepper.kept)["frames"]
    shown = [frame or kept[k] for k, frame in enumerate(stepper.ran)]
    assert shown == stepper.recorded
    assert stepper.ran[-1] == stepper.recorded[-1] != kept[-1]


def test_the_page_gets_the_frames_once_and_packed() -> None:
    stepper = viz.BackwardStepper(shared()[0])
    data = stepper._repr_mimebundle_()
    assert {"picture", "recorded"}.isdisjoint(stepper.get_state())
    assert stored(data["text/html"])["kept"] == stepper.kept
    assert {"text/html", "text/plain"} == set(data)


def test_packing_is_lossless() -> None:
    for values in ({}, {"a": ["\u2028</script>", 1.5, None, "∂"]}, "x" * 100_000):
        assert unpack(pack(values)) == values


def test_a_stepper_of_thirty_nodes_adds_little_to_a_notebook() -> None:
    mg.manual_seed(0)
    h = mg.randn(16, 8)
    for _ in range(6):
        h = mg.tanh(h @ mg.randn(8, 8, requires_grad=True) + mg.randn(8, requires_grad=True))
    stepper = viz.BackwardStepper(h.sum())
    assert stepper.frames[0].total >= 30
    stepper.last()
    # Of that half is the page's script, and a third the still picture, in which all of its boxes are drawn.
    assert len(json.dumps(stepper._repr_mimebundle_())) < 240_000


def chain_of(boxes: int) -> Any:
    result = mg.tensor([1.0], requires_grad=True)
    for _ in range(boxes):
        result = result * 1.001
    return result.sum()


def frames_that_the_page_has(stepper: Any) -> list[str]:
    """As kept.mjs puts them together."""
    packed = [chunk for name in RAN[:-1] for chunk in getattr(stepper, name)]
    ran = [frame for chunk in packed for frame in unpack(chunk)] + stepper.ran
    kept = unpack(stepper.kept)["frames"]
    return [frame or kept[k] for k, frame in enumerate(ran)]


def test_a_step_of_a_long_pass_sends_little_and_the_notebook_holds_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "NODES", 10)  # so that nothing is rehearsed
    stepper = viz.BackwardStepper(chain_of(300))
    stepper._repr_mimebundle_()
    sent = []
    while stepper.next() is not None:
        sent.append(len(json.dumps(stepper.ran)))
        if stepper.index % 37 == 0:
            assert frames_that_the_page_has(stepper) == stepper.recorded
    assert frames_that_the_page_has(stepper) == stepper.recorded
    assert max(sent) < 200_000 < len(json.dumps(stepper.recorded))
    assert len(json.dumps(stepper.get_state(RAN))) < len(json.dumps(stepper.recorded)) / 2


def test_a_frame_of_long_ago_that_changes_reaches_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "NODES", 10)
    x = mg.tensor([1.0], requires_grad=True)
    y = x + 0
    for _ in range(100):
        y = y * 1.001
    stepper = viz.BackwardStepper(y.sum(), names={"x": x})
    stepper.last()
    assert stepper.earlier
    stepper.first()
    x.grad = mg.tensor([5.0])
    stepper.look()
    assert frames_that_the_page_has(stepper) == stepper.recorded
    assert json.loads(stepper.recorded[0])["boxes"][stepper.session.graph.box_named("x").id]["full"] == "[5]"

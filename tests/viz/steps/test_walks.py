"""Random graphs, stepped, rewound and replayed, end with what backward() gives."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import values

UNARY = ["sin", "exp", "tanh", "neg", "relu", "sum", "mean", "sigmoid"]
BINARY = ["add", "sub", "mul"]
SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (2, 3), (2, 1)]
PROGRAMS = st.tuples(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3),
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(UNARY), st.integers(0, 99), st.just(0)),
            st.tuples(st.sampled_from(BINARY), st.integers(0, 99), st.integers(0, 99)),
        ),
        min_size=1,
        max_size=9,
    ),
)


def build(program: Any) -> tuple[list[Any], Any]:
    """The leaves and the scalar root of a random program; equal programs give equal graphs."""
    shapes, steps = program
    leaves = [
        mg.tensor(np.linspace(-1, 1.5, math.prod(shape) + k)[k:].reshape(shape).tolist(), requires_grad=True)
        for k, shape in enumerate(shapes)
    ]
    pool = list(leaves)
    for name, first, second in steps:
        one, other = pool[-1 - first % len(pool)], pool[-1 - second % len(pool)]
        pool.append(getattr(mg, name)(one) if name in UNARY else getattr(mg, name)(one, other))
    return leaves, pool[-1].sum()


def grads(leaves: list[Any]) -> list[Any]:
    return [repr(None if leaf.grad is None else leaf.grad.tolist()) for leaf in leaves]  # as text NaN is NaN


@given(PROGRAMS)
@settings(max_examples=40, deadline=None)
def test_stepping_to_the_end_is_backward(program: Any) -> None:
    leaves, root = build(program)
    root.backward()
    expected = grads(leaves)
    leaves, root = build(program)
    stepper = viz.BackwardStepper(root)
    while (frame := stepper.next()) is not None:
        before = stepper.frames[frame.index - 1]
        assert before.next is not None
        assert before.next.box == frame.box
        assert len(frame.done) + len(frame.ready) + len(frame.waiting) == frame.total
    assert grads(leaves) == expected
    assert stepper.index == stepper.frames[0].total


@given(PROGRAMS, st.lists(st.sampled_from(["next", "back", "first", "last", "request"]), max_size=14), st.data())
@settings(max_examples=40, deadline=None)
def test_any_walk_shows_recorded_frames_and_restores_grad(program: Any, moves: list[str], data: st.DataObject) -> None:
    leaves, root = build(program)
    stepper = viz.BackwardStepper(root)
    recorded: dict[int, tuple[Any, Any]] = {0: (stepper.frame, grads(leaves))}
    nth = 0
    for move in moves:
        if move == "request":
            nth += 1
            stepper.request = {"to": data.draw(st.integers(-1, 30)), "nth": nth}
            assert stepper.answered == nth
        else:
            getattr(stepper, move)()
        now = (stepper.frame, grads(leaves))
        assert recorded.setdefault(stepper.index, now) == now
        assert stepper.frame.index == stepper.index
        shown = {key: state.grad.text for key, state in stepper.frame.states.items()}
        for box, node in zip(stepper.session.graph.boxes, stepper.session.graph.nodes, strict=True):
            if box.kind == "leaf":
                held = node.variable.grad
                assert shown[box.id] == ("None" if held is None else values.describe(held.numpy()).text)
    stepper.last()
    stepped = grads(leaves)
    leaves, root = build(program)
    root.backward()
    assert stepped == grads(leaves)


def test_going_back_and_forth_keeps_the_same_grad_object(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    gradient = example["A"].grad
    stepper.first()
    assert example["A"].grad is None
    stepper.last()
    assert example["A"].grad is gradient


def test_a_node_runs_once_however_often_it_is_walked_over(
    example: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stepper = example["s"]
    ran: list[str] = []
    maker = stepper.session.maker
    write = maker._frame_of_step
    ids = maker.ids
    monkeypatch.setattr(maker, "_frame_of_step", lambda step, held: ran.append(ids[step[0]]) or write(step, held))
    for _ in range(3):
        stepper.last()
        stepper.first()
    assert ran == [frame.box for frame in stepper.frames[1:]]
    assert len(set(ran)) == 6

"""Random programs: values, gradients and the order of nodes, against forward-mode numbers and against PyTorch.

A program is a list of instructions, each of which takes earlier results, so results are used by none, one or many later
ones. It is run three times: on minigrad, on torch, and on `Dual` numbers, which carry their derivatives with them from
the front to the back and so know neither graph nor engine nor rules for gradients.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.autograd import engine
from minigrad.autograd.graph import AccumulateGrad, Node

quick = settings(
    max_examples=200,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


class Dual:
    """An array and its derivatives: `slopes[..., k]` with respect to number k of all the inputs."""

    def __init__(self, value: Any, slopes: np.ndarray) -> None:
        self.value = np.asarray(value)
        self.slopes = np.broadcast_to(slopes, (*self.value.shape, slopes.shape[-1]))

    def widened(self, shape: tuple[int, ...]) -> np.ndarray:
        """The slopes of this array when it is broadcast to a shape."""
        slopes = self.slopes.reshape((1,) * (len(shape) - self.value.ndim) + self.slopes.shape)
        return np.broadcast_to(slopes, (*shape, self.slopes.shape[-1]))

    def through(self, value: Any, factor: Any) -> Dual:
        """A function of each element: its value, and its derivative by the rule of the chain."""
        return Dual(value, np.asarray(factor)[..., None] * self.slopes)

    def arranged(self, arrange: Callable[[np.ndarray], np.ndarray]) -> Dual:
        """The elements in other places, or summed: the same for the value and for each column of slopes."""
        columns = [arrange(self.slopes[..., k]) for k in range(self.slopes.shape[-1])]
        return Dual(arrange(self.value), np.stack(columns, axis=-1))

    def combined(self, other: Dual, value: Any, factor: Any, other_factor: Any) -> Dual:
        """A function of two operands that broadcast, with its derivatives by each."""
        shape = np.shape(value)
        first, second = (np.broadcast_to(f, shape)[..., None] for f in (factor, other_factor))
        return Dual(value, first * self.widened(shape) + second * other.widened(shape))


@dataclass(frozen=True)
class Instruction:
    """What to compute of one or two results: with tensors of a namespace, and with dual numbers."""

    name: str
    on_tensors: Callable[..., Any]
    on_duals: Callable[..., Dual]


def unary(name: str, tensors: Callable[..., Any], value: Callable[..., Any], slope: Callable[..., Any]) -> Instruction:
    return Instruction(name, tensors, lambda a: a.through(value(a.value), slope(a.value)))


def arranging(name: str, tensors: Callable[..., Any], arrange: Callable[..., Any]) -> Instruction:
    return Instruction(name, tensors, lambda a: a.arranged(arrange))


UNARY = [
    unary("sin", lambda F, a: F.sin(a), np.sin, np.cos),
    unary("tanh", lambda F, a: F.tanh(a), np.tanh, lambda v: 1 - np.tanh(v) ** 2),
    unary("-a", lambda F, a: -a, np.negative, lambda v: -np.ones_like(v)),
    unary("a / 2", lambda F, a: a / 2, lambda v: v / 2, lambda v: np.full_like(v, 0.5)),
    unary("2 - a", lambda F, a: 2 - a, lambda v: 2 - v, lambda v: -np.ones_like(v)),
    unary("clone", lambda F, a: F.clone(a), np.copy, np.ones_like),
    unary("detach", lambda F, a: a.detach(), np.copy, np.zeros_like),
    arranging("sum", lambda F, a: a.sum(), np.sum),
    arranging("mean(-1)", lambda F, a: a.mean(-1, True), lambda v: v.mean(-1, keepdims=True) if v.ndim else v),
    arranging(
        "sum(0, keepdim)", lambda F, a: a.sum(0, keepdim=True), lambda v: v.sum(0, keepdims=True) if v.ndim else v
    ),
    arranging(
        "a[..., :1]", lambda F, a: a[..., :1] if a.ndim else a.view(1), lambda v: v[..., :1] if v.ndim else v[None]
    ),
    arranging("a[None]", lambda F, a: a[None] if a.ndim < 4 else a[0], lambda v: v[None] if v.ndim < 4 else v[0]),
    arranging("a.flatten()[-1]", lambda F, a: a.reshape(-1)[-1], lambda v: v.ravel()[-1]),
    arranging(
        "a.T.sum(1)", lambda F, a: a.T.sum(1) if a.ndim == 2 else a * 1, lambda v: v.sum(0) if v.ndim == 2 else v
    ),
]
BINARY = [
    Instruction("a + b", lambda F, a, b: a + b, lambda a, b: a.combined(b, a.value + b.value, 1.0, 1.0)),
    Instruction("a - b", lambda F, a, b: a - b, lambda a, b: a.combined(b, a.value - b.value, 1.0, -1.0)),
    Instruction("a * b", lambda F, a, b: a * b, lambda a, b: a.combined(b, a.value * b.value, b.value, a.value)),
    Instruction(
        "where(a > b, a, b)",
        lambda F, a, b: F.where(a > b, a, b),
        lambda a, b: a.combined(b, np.maximum(a.value, b.value), a.value > b.value, a.value <= b.value),
    ),
]
INSTRUCTIONS = {instruction.name: instruction for instruction in (*UNARY, *BINARY)}
SHAPES = [(), (3,), (2, 1), (2, 3), (1, 3), (1,)]  # any two broadcast, and so do the results of all the instructions


@dataclass(frozen=True)
class Program:
    """Leaves (their shapes, and whether a gradient is wanted), and instructions with the results that they take."""

    leaves: list[tuple[tuple[int, ...], bool]]
    instructions: list[tuple[str, tuple[int, ...]]]

    def values(self) -> list[np.ndarray]:
        """The numbers in the leaves: no two alike, so that no comparison is a tie."""
        random = np.random.default_rng(len(self.instructions))
        return [np.asarray(random.uniform(-1.5, 1.5, shape)) for shape, _ in self.leaves]

    def run(self, F: Any) -> tuple[list[Any], list[Any]]:
        """The leaves and the results of the instructions, as tensors."""
        leaves = [F.tensor(v, requires_grad=wanted) for v, (_, wanted) in zip(self.values(), self.leaves, strict=True)]
        made = list(leaves)
        for name, places in self.instructions:
            made.append(INSTRUCTIONS[name].on_tensors(F, *(made[place] for place in places)))
        return leaves, made[len(leaves) :]

    def run_on_duals(self) -> list[Dual]:
        """The results of the instructions, with their derivatives by all the leaves."""
        values = self.values()
        count, start = sum(value.size for value in values), 0
        made = []
        for value, (_, wanted) in zip(values, self.leaves, strict=True):
            slopes = np.zeros((value.size, count))
            slopes[:, start : start + value.size] = np.eye(value.size) * wanted
            made.append(Dual(value, slopes.reshape(*value.shape, count)))
            start += value.size
        for name, places in self.instructions:
            made.append(INSTRUCTIONS[name].on_duals(*(made[place] for place in places)))
        return made[len(values) :]

    def gradients(self, result: Dual, weight: np.ndarray) -> list[np.ndarray]:
        """The derivatives of the weighted sum of a result, cut into one array per leaf."""
        total = (weight[..., None] * result.slopes).reshape(-1, result.slopes.shape[-1]).sum(0)
        sizes = [value.size for value in self.values()]
        parts = np.split(total, np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, (shape, _) in zip(parts, self.leaves, strict=True)]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    leaves = draw(
        st.lists(st.tuples(st.sampled_from(SHAPES), st.sampled_from([True, True, True, False])), min_size=1, max_size=4)
    )
    leaves[0] = (leaves[0][0], True)
    instructions: list[tuple[str, tuple[int, ...]]] = []
    for number in range(draw(st.integers(1, 15))):
        # Counted from the newest backwards: so most programs hang together, and shrink to the simplest that fail.
        last = len(leaves) + number - 1
        place = st.integers(0, last).map(last.__sub__)
        if draw(st.booleans()):
            instructions.append((draw(st.sampled_from(UNARY)).name, (draw(place),)))
        else:
            instructions.append((draw(st.sampled_from(BINARY)).name, (draw(place), draw(place))))
    return Program(leaves, instructions)


def weight_of(shape: tuple[int, ...]) -> np.ndarray:
    return np.cos(np.arange(int(np.prod(shape)))).reshape(shape) + 1.5


def backward(F: Any, program: Program, **options: Any) -> tuple[list[Any], list[Any]]:
    """Run a program, and backward from its last result if that has a graph; the leaves and the results."""
    leaves, made = program.run(F)
    if made[-1].requires_grad:
        made[-1].backward(F.tensor(weight_of(tuple(made[-1].shape))), **options)
    return leaves, made


@quick
@given(program=programs())
def test_values_and_gradients_are_those_of_forward_mode(program: Program) -> None:
    leaves, made = backward(mg, program)
    duals = program.run_on_duals()
    for tensor, dual in zip(made, duals, strict=True):
        np.testing.assert_allclose(tensor.detach().numpy(), dual.value, rtol=1e-12, atol=1e-12)
    for leaf, expected in zip(leaves, program.gradients(duals[-1], weight_of(made[-1].shape)), strict=True):
        if leaf.grad is None:
            assert not expected.any()
        else:
            np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-9, atol=1e-11)


@quick
@given(program=programs(), times=st.integers(1, 3))
def test_backward_adds_up(program: Program, times: int) -> None:
    """Several passes over one graph, from several roots at once, give the sum of what each gives alone."""
    leaves, made = program.run(mg)
    roots = [tensor for tensor in made[-3:] if tensor.requires_grad]
    weights = [mg.tensor(weight_of(root.shape)) for root in roots]
    for _ in range(times):
        if roots:
            mg.autograd.backward(roots, weights, retain_graph=True)
    duals = [dual for tensor, dual in zip(made[-3:], program.run_on_duals()[-3:], strict=True) if tensor.requires_grad]
    parts = [program.gradients(dual, weight.numpy()) for dual, weight in zip(duals, weights, strict=True)]
    for number, leaf in enumerate(leaves):
        if leaf.grad is not None:
            np.testing.assert_allclose(
                leaf.grad.numpy(), times * sum(part[number] for part in parts), rtol=1e-9, atol=1e-11
            )


@quick
@given(program=programs())
def test_values_and_gradients_are_those_of_torch(program: Program, torch: types.ModuleType) -> None:
    (leaves, made), (torch_leaves, torch_made) = (backward(F, program) for F in (mg, torch))
    for tensor, other in zip(made, torch_made, strict=True):
        assert tensor.shape == tuple(other.shape)
        assert tensor.requires_grad == other.requires_grad
    for leaf, other in zip(leaves, torch_leaves, strict=True):
        assert (leaf.grad is None) == (other.grad is None)
        if leaf.grad is not None:
            np.testing.assert_allclose(leaf.grad.numpy(), other.grad.numpy(), rtol=1e-9, atol=1e-11)


@quick
@given(program=programs())
def test_second_derivatives_are_those_of_torch(program: Program, torch: types.ModuleType) -> None:
    results = []
    for F in (mg, torch):
        leaves, made = program.run(F)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        if not made[-1].requires_grad:
            return
        weight = F.tensor(weight_of(tuple(made[-1].shape)), requires_grad=True)
        first = F.autograd.grad(made[-1], wanted, weight, create_graph=True, materialize_grads=True)
        total = sum((gradient * gradient).sum() for gradient in first)
        second = F.autograd.grad(total, [*wanted, weight], materialize_grads=True) if total.requires_grad else ()
        results.append([*first, *second])
    for own, other in zip(*results, strict=True):
        np.testing.assert_allclose(own.detach().numpy(), (other.detach() + 0).numpy(), rtol=1e-8, atol=1e-10)


# ---------------------------------------------------------------- order


def grouped(order: list[Any]) -> list[Any]:
    """Leaves whose gradient is complete at the same time come in no order that PyTorch promises: they are sorted."""
    groups: list[Any] = []
    for name in order:
        if isinstance(name, int):
            groups.append(name)
        elif groups and isinstance(groups[-1], list):
            groups[-1] = sorted([*groups[-1], name])
        else:
            groups.append([name])
    return groups


def order_on_minigrad(program: Program, inputs: list[int] | None) -> list[Any]:
    leaves, made = program.run(mg)
    numbers: dict[Node, int] = {tensor.grad_fn: number for number, tensor in enumerate(made) if not tensor.is_leaf}
    names = {leaf: f"leaf {number}" for number, leaf in enumerate(leaves)}
    weight = mg.tensor(weight_of(made[-1].shape))
    order: list[Any] = []
    for node, _, _ in engine.steps(made[-1], weight, inputs=None if inputs is None else [leaves[i] for i in inputs]):
        if isinstance(node, AccumulateGrad):
            order.append(names[node.variable])
        elif node in numbers:  # an instruction may make more than one node: the last stands for it
            order.append(numbers[node])
    return order


def order_on_torch(torch: types.ModuleType, program: Program, inputs: list[int] | None) -> list[Any]:
    leaves, made = program.run(torch)
    order: list[Any] = []
    for number, leaf in enumerate(leaves):
        if leaf.requires_grad:
            leaf.register_post_accumulate_grad_hook(lambda _, number=number: order.append(f"leaf {number}"))
    # An instruction may give back its operand; then the later number counts, as in the dict above.
    hooked = {tensor.grad_fn: number for number, tensor in enumerate(made) if not tensor.is_leaf}
    for node, number in hooked.items():
        node.register_hook(lambda *_, number=number: order.append(number))
    weight = torch.tensor(weight_of(tuple(made[-1].shape)))
    made[-1].backward(weight, inputs=None if inputs is None else [leaves[i] for i in inputs])
    return order


@quick
@given(program=programs(), data=st.data())
def test_nodes_run_in_the_order_of_torch(program: Program, data: st.DataObject, torch: types.ModuleType) -> None:
    leaves, made = program.run(mg)
    if not made[-1].requires_grad:
        return
    wanted = [number for number, leaf in enumerate(leaves) if leaf.requires_grad]
    inputs = data.draw(st.none() | st.lists(st.sampled_from(wanted), min_size=1, unique=True))
    own = order_on_minigrad(program, inputs)
    event(f"{len(own) // 5 * 5} nodes or more ran")
    assert grouped(own) == grouped(order_on_torch(torch, program, inputs))


@quick
@given(program=programs())
def test_each_node_runs_once_after_all_that_use_it(program: Program) -> None:
    _, made = program.run(mg)
    if not made[-1].requires_grad:
        return
    ran: list[Node] = []
    for node, _, _ in engine.steps(made[-1], mg.tensor(weight_of(made[-1].shape))):
        ran.append(node)
    assert len(set(ran)) == len(ran)
    when = {node: number for number, node in enumerate(ran)}
    for node in ran:
        for next_node, _ in node.next_functions:
            assert next_node is None or when[next_node] > when[node]

"""Every op, in every way of calling it: values, shapes, dtypes, first and second derivatives.

What is run stands in `op_table.py`. Derivatives are compared twice: with numerical differences, which know nothing of
rules, and with PyTorch. For second derivatives the weights of the output count as an input too, so that the rule is
differentiated in all that it uses.
"""

from __future__ import annotations

import functools
import inspect
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ops.op_forms import is_recorded
from ops.op_rows import CASES, DIFFERENTIABLE, ROWS
from ops.op_table import Case, Row

import minigrad as mg
from minigrad import methods, op
from minigrad.autograd import fitting
from minigrad.autograd.graph import AccumulateGrad, Node
from minigrad.tensor import Tensor, from_array

OF_SHAPES = (
    "with broadcasts=True the engine sums those of two operands back; more inputs get one shape before they come to "
    "the op, by broadcast_tensors"
)
# Nodes of ops that take operands of different shapes or dtypes: for these alone the engine sums gradients back.
BROADCASTING = {
    *("AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0", "PowBackward1", "WhereBackward0"),
    *("RemainderBackward1", "MaximumBackward0", "MinimumBackward0"),
    *(f"{comparison}Backward1" for comparison in ("Eq", "Ne", "Lt", "Le", "Gt", "Ge")),
    *("Atan2Backward0", "DivBackward2", "ClampMinBackward1", "ClampMaxBackward1"),
}
# Modules with functions that make tensors, ask or set something: these compute nothing that has a gradient.
NOT_OPS = {
    f"minigrad.{name}"
    for name in (
        *("creation", "random", "dtypes", "printing", "memory_layout"),
        *("serialization", "viz"),
        *("autograd.grad_mode", "autograd.anomaly_mode", "autograd.modes"),
    )
}


def each(cases: list[Case]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test of a case once per op, for all cases whose rows begin with its name; a failure says which failed.

    Pytest takes as long for calling a test as most of the cases need.
    """
    of_op: dict[str, list[Case]] = {}
    for case in cases:
        of_op.setdefault(_op_name(case.row), []).append(case)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize("op_name", of_op)
        @functools.wraps(test)
        def run(op_name: str, **fixtures: Any) -> None:
            failed = []
            for case in of_op[op_name]:
                try:
                    test(case, **fixtures)
                except Exception as error:
                    error.add_note(f"in the case {case}")
                    failed.append(error)
            if failed:
                raise failed[0] if len(failed) == 1 else ExceptionGroup(f"{len(failed)} cases of {op_name}", failed)

        del run.__wrapped__  # pytest would look there for the arguments
        run.__signature__ = _with_op_name(test)  # type: ignore[attr-defined]
        return run

    return decorate


def _op_name(row: Row) -> str:
    """`conv2d` of `conv2d(stride=2)`, `linalg.norm` of `linalg.norm(ord=1)`."""
    called = re.match(r"\.?([a-z]\w+(\.\w+)*)", row.name)
    return called[1] if called else "signs and brackets"


def _with_op_name(test: Callable[..., None]) -> Any:
    _, *fixtures = inspect.signature(test).parameters.values()
    return inspect.Signature([inspect.Parameter("op_name", inspect.Parameter.POSITIONAL_OR_KEYWORD), *fixtures])


def leaves(F: Any, arrays: list[np.ndarray]) -> list[Any]:
    return [F.tensor(array, requires_grad=True) for array in arrays]


def weights(case: Case) -> np.ndarray:
    """For each element of the case's output, how much it counts."""
    return np.random.default_rng(len(str(case))).uniform(0.5, 1.5, output_shape(case))


@functools.cache
def output_shape(case: Case) -> tuple[int, ...]:
    return tuple(case.row.function(mg, *map(mg.tensor, case.arrays())).shape)


def first_derivatives(F: Any, function: Callable[..., Any], arrays: list[np.ndarray], weight: np.ndarray) -> list[Any]:
    """The gradients of the weighted sum of the outputs."""
    inputs = leaves(F, arrays)
    return list(F.autograd.grad(function(F, *inputs), inputs, F.tensor(weight), materialize_grads=True))


def second_derivatives(F: Any, function: Callable[..., Any], arrays: list[np.ndarray], weight: np.ndarray) -> list[Any]:
    """The gradients of a weighted sum of the gradients, with respect to the inputs and to the weights of the output."""
    *inputs, outer = leaves(F, [*arrays, weight])
    first = F.autograd.grad(function(F, *inputs), inputs, outer, create_graph=True, materialize_grads=True)
    total = sum((gradient * F.tensor(probe)).sum() for gradient, probe in zip(first, probes(arrays), strict=True))
    if not total.requires_grad:
        return [F.zeros_like(value) for value in [*inputs, outer]]
    second = F.autograd.grad(total, [*inputs, outer], materialize_grads=True)
    return [F.zeros_like(gradient) + gradient for gradient in second]  # a sum has memory, torch's zeros may have none


def probes(arrays: list[np.ndarray]) -> list[np.ndarray]:
    return [np.cos(np.arange(array.size)).reshape(array.shape) + 1.5 for array in arrays]


def differences(function: Callable[..., float], arrays: list[np.ndarray], step: float = 1e-5) -> list[np.ndarray]:
    """Central differences of a function of arrays, one element at a time."""
    gradients = [np.zeros(array.shape) for array in arrays]
    for array, gradient in zip(arrays, gradients, strict=True):
        for place in np.ndindex(array.shape):
            value = array[place]
            array[place] = value + step
            above = function(*arrays)
            array[place] = value - step
            gradient[place] = (above - function(*arrays)) / (2 * step)
            array[place] = value
    return gradients


def assert_all_close(actual: list[Any], expected: list[Any], what: str, tolerance: float = 1e-9) -> None:
    assert len(actual) == len(expected)
    for number, (own, other) in enumerate(zip(actual, expected, strict=True)):
        assert tuple(own.shape) == tuple(other.shape), f"{what} {number}: shape {own.shape}, expected {other.shape}"
        own, other = np.asarray(own.detach()), np.asarray(other)
        if not np.array_equal(own, other):  # of most, each bit is the same: that is soon known
            np.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance, err_msg=f"{what} {number}")


def graph(root: Any) -> list[Any]:
    """All nodes that lead to a result; none if it is a leaf."""
    found = dict.fromkeys([] if root.grad_fn is None else [root.grad_fn])
    order = list(found)
    for node in order:
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in found:
                found[next_node] = None
                order.append(next_node)
    return order


@pytest.fixture
def outputs() -> Iterator[dict[Node, Any]]:
    """The result of each node made during the test."""
    made: dict[Node, Any] = {}
    previous = op.set_node_observer(lambda node, out, inputs, options: made.update({node: out}))
    yield made
    op.set_node_observer(previous)


# ---------------------------------------------------------------- values


@each(CASES)
def test_forward_is_what_numpy_says(case: Case) -> None:
    for dtype in ("float64", "float32"):
        arrays = case.arrays(dtype)
        actual = case.row.function(mg, *map(mg.tensor, arrays))
        expected = np.asarray(case.row.numpy(*arrays))
        assert actual.shape == expected.shape
        # numpy counts in 32 bits where Python does (in a browser), PyTorch in 64 everywhere
        is_count = actual.dtype is mg.int64 and expected.dtype == np.intp
        assert actual.dtype.numpy == expected.dtype or is_count
        np.testing.assert_allclose(
            actual.numpy(),
            expected,
            rtol=1e-12 if dtype == "float64" else 2e-6,
            atol=1e-6 if dtype == "float32" else 1e-14,
        )


@each(CASES)
def test_forward_leaves_its_inputs_alone(case: Case) -> None:
    arrays = case.arrays()
    inputs = leaves(mg, arrays)
    case.row.function(mg, *inputs)
    for tensor, array in zip(inputs, arrays, strict=True):
        assert tensor._version == 0
        np.testing.assert_array_equal(tensor.detach().numpy(), array)


@each(CASES)
def test_forward_is_what_torch_says(case: Case, torch: types.ModuleType) -> None:
    for dtype in ("float64", "float32"):
        arrays = case.arrays(dtype)
        actual, expected = (case.row.function(F, *leaves(F, arrays)) for F in (mg, torch))
        assert tuple(actual.shape) == tuple(expected.shape)
        assert repr(actual.dtype) == repr(expected.dtype).replace("torch.", "minigrad.")
        assert actual.requires_grad is expected.requires_grad
        assert actual.is_leaf is expected.is_leaf
        np.testing.assert_allclose(
            actual.detach().numpy(), expected.detach().numpy(), rtol=1e-12 if dtype == "float64" else 1e-5, atol=1e-6
        )


# ---------------------------------------------------------------- float16


@pytest.mark.slow
@each(CASES)
def test_float16_comes_as_near_to_what_is_right_as_it_does_in_torch(case: Case, torch: types.ModuleType) -> None:
    """Results and gradients of small numbers, and of large ones, whose squares no float16 holds.

    What is right is computed in float64. A result is at most two units in the last place off; where torch is farther
    off, since it rounds its steps, so may we be. A gradient is that of numbers that were rounded already, and may be a
    small difference of these: which of the two sides then is nearer to what is right is chance, but not by much.
    """
    if case.row.name.startswith("linalg.solve"):  # not for float16, though torch does not look at that of empty ones
        return
    for scale in (0.01, 300):
        arrays = [(array * scale).astype(np.float16) for array in case.arrays()]
        try:
            theirs = result_and_gradients(torch, case, arrays)
        except (NotImplementedError, RuntimeError):  # none for float16, or not for such numbers: others look at that
            continue
        exact = result_and_gradients(torch, case, [array.astype(np.float64) for array in arrays])
        ours = result_and_gradients(mg, case, arrays)
        assert [value.dtype for value in ours] == [value.dtype for value in theirs]
        for number, (own, their, right) in enumerate(zip(ours, theirs, exact, strict=True)):
            assert own.shape == their.shape
            if own.dtype == np.float16:
                theirs_off = units_off(their, right)
                allowed = 8 + 2 * theirs_off if number else max(2, theirs_off)
                assert units_off(own, right) <= allowed, f"number {number} of what comes of numbers times {scale}"


def result_and_gradients(F: Any, case: Case, arrays: list[np.ndarray]) -> list[np.ndarray]:
    inputs = leaves(F, arrays)
    out = case.row.function(F, *inputs)
    values = [out.detach()]
    if case.row.differentiable and out.requires_grad:
        weight = np.random.default_rng(len(str(case))).uniform(0.5, 1.5, tuple(out.shape)).astype(np.float16)
        values += F.autograd.grad(out, inputs, F.tensor(weight).to(out.dtype), materialize_grads=True)
    return [np.asarray(value) for value in values]


def units_off(values: np.ndarray, right: np.ndarray) -> float:
    """How far numbers are from what is right, in units of the last place that float16 has there."""
    with np.errstate(all="ignore"):
        rounded = right.astype(np.float16)
        unit = np.maximum(np.spacing(np.abs(rounded)), np.spacing(np.abs(values))).astype(np.float64)
        off = np.abs(values.astype(np.float64) - rounded) / unit
    same = (values == rounded) | (np.isnan(values) & np.isnan(rounded))
    return float(np.where(same, 0, np.where(np.isfinite(off), off, np.inf)).max(initial=0))


# ---------------------------------------------------------------- graphs


def nodes_and_edges(root: Any) -> list[Any]:
    """A graph in plain words: each node's name, and where its edges lead, counted from the root."""
    order = graph(root)
    place = {node: number for number, node in enumerate(order)}
    edges = [[next_node and (place[next_node], number) for next_node, number in node.next_functions] for node in order]
    return [(node.name().removeprefix("torch::autograd::"), to) for node, to in zip(order, edges, strict=True)]


@each([case for case in DIFFERENTIABLE if case.row.node is not None])
def test_graphs_are_those_of_torch(case: Case, torch: types.ModuleType) -> None:
    results = [case.row.function(F, *leaves(F, case.arrays())) for F in (mg, torch)]
    assert [result.grad_fn.name() for result in results] == [case.row.node] * 2
    if case.row.graph:
        told = "where other nodes lead to the same result here, the row says graph=False"
        assert nodes_and_edges(results[0]) == nodes_and_edges(results[1]), told


@pytest.mark.slow
@each([case for case in CASES if not case.row.contiguous])
def test_any_memory_layout_gives_the_same(case: Case) -> None:
    arrays, weight = case.arrays(), mg.tensor(weights(case)) if case.row.differentiable else None
    layouts = {
        "contiguous": lambda x: x * 1,
        "every other element": lambda x: mg.stack([x, x], -1)[..., 0],
        "reversed dimensions": lambda x: (x * 1).permute(range(x.ndim)[::-1]).clone().permute(range(x.ndim)[::-1]),
        "a slice": lambda x: mg.cat([x.reshape(-1), x.reshape(-1)])[x.numel() :].reshape(x.shape),
    }
    results = {}
    for layout, arrange in layouts.items():
        inputs = leaves(mg, arrays)
        out = case.row.function(mg, *map(arrange, inputs))
        gradients = mg.autograd.grad(out, inputs, weight, materialize_grads=True) if case.row.differentiable else ()
        results[layout] = [out, *gradients]
    for layout, result in results.items():
        assert_all_close(result, [tensor.detach() for tensor in results["contiguous"]], layout, 1e-12)


# ---------------------------------------------------------------- derivatives


@each([case for case in DIFFERENTIABLE if not case.row.rounds])
def test_first_derivative_is_the_numerical_one(case: Case) -> None:
    arrays, weight = case.arrays(), weights(case)

    def weighted(*values: np.ndarray) -> float:
        return float((case.row.function(mg, *map(mg.tensor, values)).numpy() * weight).sum())

    assert_all_close(
        first_derivatives(mg, case.row.function, arrays, weight), differences(weighted, arrays), "gradient", 1e-7
    )


@pytest.mark.slow
@each([case for case in DIFFERENTIABLE if not case.row.rounds])
def test_second_derivative_is_the_numerical_one(case: Case) -> None:
    arrays, weight = case.arrays(), weights(case)
    probing = probes(arrays)

    def weighted(*values: np.ndarray) -> float:
        first = first_derivatives(mg, case.row.function, list(values[:-1]), values[-1])
        return sum(float((gradient.numpy() * probe).sum()) for gradient, probe in zip(first, probing, strict=True))

    expected = differences(weighted, [*arrays, weight])
    assert_all_close(second_derivatives(mg, case.row.function, arrays, weight), expected, "second derivative", 1e-7)


@each(DIFFERENTIABLE)
def test_derivatives_are_what_torch_says(case: Case, torch: types.ModuleType) -> None:
    arrays, weight = case.arrays(), weights(case)
    for derivatives in (first_derivatives, second_derivatives):
        actual, expected = (derivatives(F, case.row.function, arrays, weight) for F in (mg, torch))
        assert_all_close(actual, expected, derivatives.__name__, 1e-6 if case.row.rounds else case.row.torch_error)


@each(DIFFERENTIABLE)
def test_gradients_in_a_batch_are_those_of_single_passes(case: Case) -> None:
    inputs = leaves(mg, case.arrays())
    out = case.row.function(mg, *inputs)
    if not out.requires_grad:
        return
    batch = np.random.default_rng(0).standard_normal((3, *out.shape))
    settings = {"retain_graph": True, "allow_unused": True}
    together = mg.autograd.grad(out, inputs, mg.tensor(batch), is_grads_batched=True, **settings)
    single = [mg.autograd.grad(out, inputs, mg.tensor(row), **settings) for row in batch]
    for number, (actual, *expected) in enumerate(zip(together, *single, strict=True)):
        assert (actual is None) == all(gradient is None for gradient in expected), f"input {number}"
        if actual is not None:
            assert actual.dtype is inputs[number].dtype
            assert_all_close([actual], [np.stack([np.asarray(row) for row in expected])], f"input {number}")


@each(DIFFERENTIABLE)
def test_gradients_have_the_dtype_and_the_shape_of_their_inputs(case: Case) -> None:
    for dtype in ("float64", "float32"):
        arrays = case.arrays(dtype)
        for make in (mg.tensor, lambda array: from_array(array[()]), lambda array: from_array(np.asarray(array))):
            inputs = [make(array).requires_grad_() for array in arrays]
            out = case.row.function(mg, *inputs)
            weight = mg.ones(out.shape, dtype=out.dtype)
            for create_graph in (False, True):
                gradients = mg.autograd.grad(
                    out, inputs, weight, retain_graph=True, create_graph=create_graph, materialize_grads=True
                )
                assert [gradient.dtype.name for gradient in gradients] == [dtype] * len(inputs)
                assert [gradient.shape for gradient in gradients] == [tensor.shape for tensor in inputs]


# ---------------------------------------------------------------- what the engine relies on


def results(node: Node, outputs: dict[Node, Any]) -> list[Any]:
    """What a node gave, as a list: most give one array, some several.

    The node that a view gets after a write was made by no call: it says itself which shape the view has.
    """
    output = outputs[node] if node in outputs else np.empty(node._saved_geometry.shape)  # type: ignore[attr-defined]
    return output if isinstance(output, list) else [output]


@each(DIFFERENTIABLE)
def test_rules_give_the_right_shape_by_themselves(case: Case, outputs: dict[Node, Any]) -> None:
    root = case.row.function(mg, *leaves(mg, case.arrays()))
    for node in graph(root):
        if isinstance(node, AccumulateGrad):
            continue
        if node.name() not in BROADCASTING:
            assert node._targets is None, f"{node} has the engine sum its gradients, and is not in BROADCASTING"
        start = [np.ones(np.shape(out), out.dtype)[()] for out in results(node, outputs)]
        for gradients in (node.apply(*start), node.apply_recorded(*map(from_array, start))):
            if node._targets is not None:
                gradients = fitting.fit(node, gradients)
            assert len(gradients) == len(node.next_functions)
            for gradient, (next_node, number) in zip(gradients, node.next_functions, strict=True):
                if next_node is None:
                    assert gradient is None, f"{node} ran a rule that nobody needs"
                elif gradient is None:  # as in PyTorch, of a count of what is not 0, and of nothing else
                    assert (node.name(), node._saved_p) == ("LinalgVectorNormBackward0", 0)
                else:
                    leaf = isinstance(next_node, AccumulateGrad)
                    aim = next_node.variable._array if leaf else results(next_node, outputs)[number]
                    assert tuple(gradient.shape) == np.shape(aim), (
                        f"{node} gives a gradient of the wrong shape: {OF_SHAPES}"
                    )


@each(DIFFERENTIABLE)
def test_operands_that_fit_are_not_summed_back(case: Case, outputs: dict[Node, Any]) -> None:
    case.row.function(mg, *leaves(mg, case.arrays()))
    for node in outputs:
        for target in node._targets or ():
            assert target is None or target not in [(np.shape(part), part.dtype) for part in results(node, outputs)]


@each(DIFFERENTIABLE)
def test_gradients_share_no_memory(case: Case) -> None:
    """Not with the inputs nor with what was saved; in `.grad`, not with each other nor with the gradient passed in."""
    inputs = leaves(mg, case.arrays())
    out = case.row.function(mg, *inputs)
    start = mg.tensor(weights(case), dtype=out.dtype)
    kept = [getattr(part, "_array", part) for node in graph(out) for part in node._kept or ()]
    kept = [array for array in kept if isinstance(array, np.ndarray)] + [tensor._array for tensor in (*inputs, out)]
    for gradient in mg.autograd.grad(out, inputs, start, retain_graph=True, materialize_grads=True):
        assert not any(np.shares_memory(gradient._array, array) for array in kept)
    for repetition in (1, 2):
        out.backward(start, retain_graph=True)
        written = [tensor.grad._array for tensor in inputs if tensor.grad is not None]
        for number, array in enumerate(written):
            others = [*kept, start._array, *written[:number]]
            assert not any(np.shares_memory(array, other) for other in others), f"after {repetition} backward"


def write(F: Any, gradient: Any) -> str:
    """Write to a gradient; return how the error begins if that is refused."""
    try:
        with F.no_grad():
            gradient.mul_(2)
    except RuntimeError as error:
        return str(error)[:60]
    return ""


def after_writes(F: Any, case: Case) -> tuple[list[str | None], set[Any]]:
    """For each input what is said of a write to its gradient, which grad() gave, None if it has none; and what else
    such a write changed: ("start", ...) is the gradient passed in, and a number the gradient of that input.
    """
    inputs = leaves(F, case.arrays())
    out = case.row.function(F, *inputs)
    start = F.tensor(weights(case), dtype=out.dtype)
    gradients = F.autograd.grad(out, inputs, start, allow_unused=True, retain_graph=True)
    said: list[str | None] = []
    changed: set[Any] = set()
    for number, gradient in enumerate(gradients):
        others = {other: g for other, g in enumerate(gradients) if other != number and g is not None}
        others["start"] = start
        others |= {("input", place): tensor.detach() for place, tensor in enumerate(inputs)} | {"out": out.detach()}
        before = {other: tensor.numpy().copy() for other, tensor in others.items()}
        said.append(None if gradient is None else write(F, gradient))
        same = {other: np.array_equal(value, others[other].numpy(), equal_nan=True) for other, value in before.items()}
        changed.update((number, other) for other in same if not same[other])
    return said, changed


@each(DIFFERENTIABLE)
def test_gradients_may_be_written_to_where_those_of_torch_may(case: Case, torch: types.ModuleType) -> None:
    """And such a write changes nothing else, unless it does so in PyTorch."""
    (ours, our_changes), (theirs, their_changes) = (after_writes(F, case) for F in (mg, torch))
    defined = [place for place, text in enumerate(theirs) if text is not None]
    assert [ours[place] for place in defined] == [theirs[place] for place in defined]
    assert our_changes <= their_changes


def written_by_hooks(F: Any, case: Case, of_leaves: bool) -> tuple[list[str], list[Any]]:
    """What is said of writes by a hook of each input, sorted, and the gradients that come of them."""
    inputs = leaves(F, case.arrays())
    watched = inputs if of_leaves else [tensor.clone() for tensor in inputs]
    said: list[str] = []
    for tensor in watched:
        tensor.register_hook(lambda gradient: None if gradient is None else said.append(write(F, gradient)))
    out = case.row.function(F, *watched)
    gradients = F.autograd.grad(out, inputs, F.tensor(weights(case), dtype=out.dtype), allow_unused=True)
    return sorted(said), list(gradients)


@pytest.mark.parametrize("of_leaves", [True, False], ids=["leaves", "results"])
@each(DIFFERENTIABLE)
def test_hooks_write_to_gradients_as_in_torch(case: Case, of_leaves: bool, torch: types.ModuleType) -> None:
    (ours, our_gradients), (theirs, their_gradients) = (written_by_hooks(F, case, of_leaves) for F in (mg, torch))
    if None in their_gradients:  # not defined there, zeros here
        return
    assert ours == theirs
    # In PyTorch, who shares a gradient without dimensions sees a write to it; here it is a number, which nobody shares.
    if () not in case.shapes and weights(case).shape:
        assert_all_close(our_gradients, their_gradients, "written", 1e-6 if case.row.rounds else case.row.torch_error)


# ---------------------------------------------------------------- the table is complete


class Counting:
    """Looks like the namespace `minigrad`, and notes which of its functions and which methods of Tensor are called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: set[str] = set()
        self.inside = False  # what an op calls in turn does not count
        for name in {**methods.METHODS, **methods.OPERATORS}:
            monkeypatch.setattr(Tensor, name, self.counted(name, getattr(Tensor, name)))

    def __getattr__(self, name: str) -> Any:
        value = getattr(mg, name)
        return self.counted(name, value) if isinstance(value, types.FunctionType) else value

    def counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return function(*args, **kwargs)
            self.called.add(name)
            self.inside = True
            try:
                return function(*args, **kwargs)
            finally:
                self.inside = False

        return call


def test_every_op_has_a_row(monkeypatch: pytest.MonkeyPatch, outputs: dict[Node, Any]) -> None:
    assert all(hasattr(mg, name) for name in mg.__all__)  # those that are imported at first use, too
    counting = Counting(monkeypatch)
    inputs = [(case, leaves(mg, case.arrays())) for case in CASES]
    for case, tensors in inputs:
        out = case.row.function(counting, *tensors)
        if case.row.differentiable:
            counting.inside = True
            weight = mg.ones_like(out, requires_grad=True)
            first = mg.autograd.grad(out, tensors, weight, create_graph=True, allow_unused=True)
            again = [gradient for gradient in first if gradient is not None and gradient.requires_grad]
            if again:  # what only the rule of a rule runs
                mg.autograd.grad(
                    again,
                    weight,
                    [mg.ones_like(gradient, requires_grad=True) for gradient in again],
                    create_graph=True,
                    allow_unused=True,
                )
            counting.inside = False
    computing = {
        name
        for names in (vars(mg), methods.METHODS)
        for name, value in names.items()
        if isinstance(value, types.FunctionType)
        and not (name.startswith("_") and names is vars(mg))
        and inspect.unwrap(value).__module__ not in NOT_OPS
    }
    without = (computing | set(methods.OPERATORS)) - counting.called
    assert without == set(), "each needs a row in the file of its kind in tests/ops/op_rows/, and so has each x.name_()"
    recorded = {name: op.node_type(function) for name, function in vars(op.tensors).items() if is_recorded(function)}
    seen = {type(node) for node in outputs}
    assert not {name for name, node_type in recorded.items() if node_type not in seen}


def test_names_of_rows_are_unique() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


# ---------------------------------------------------------------- awkward points

INFINITY = float("inf")
NAN = float("nan")

# expression, inputs, their expected gradients (of the sum of the outputs)
AWKWARD: list[tuple[str, Callable[..., Any], list[Any], list[Any]]] = [
    ("abs at 0", lambda F, x: abs(x), [[0.0, -0.0, 2.0]], [[0, 0, 1]]),
    ("relu at 0", lambda F, x: F.relu(x), [[0.0, -0.0, 2.0]], [[0, 0, 1]]),
    ("relu of nan", lambda F, x: F.relu(x), [[NAN, INFINITY, -INFINITY]], [[1, 1, 0]]),
    ("sign at 0", lambda F, x: F.sign(x), [[0.0, 2.0]], [[0, 0]]),
    ("max shares over ties", lambda F, x: x.max(), [[3.0, 1.0, 3.0, 3.0]], [[1 / 3, 0, 1 / 3, 1 / 3]]),
    (
        "max along a dim gives to one of equals",
        lambda F, x: x.max(0).values,
        [[[3.0, 1.0], [3.0, 2.0]]],
        [[[1, 0], [0, 1]]],
    ),
    ("x ** 0 at 0", lambda F, x: x**0, [[0.0, 2.0]], [[0, 0]]),
    ("x ** 1 at 0", lambda F, x: x**1, [[0.0, 2.0]], [[1, 1]]),
    ("x ** 2 at 0", lambda F, x: x**2, [[0.0, -2.0]], [[0, -4]]),
    ("x ** 0.5 at 0", lambda F, x: x**0.5, [[0.0]], [[INFINITY]]),
    ("x ** y at 0", lambda F, x, y: x**y, [[0.0, 0.0], [0.0, 2.0]], [[0, 0], [0, 0]]),
    ("x ** y below 0", lambda F, x, y: x**y, [[-2.0], [2.0]], [[-4], [NAN]]),
    ("0 ** x", lambda F, x: 0**x, [[0.0, 2.0]], [[0, 0]]),
    ("log at 0", lambda F, x: F.log(x), [[0.0]], [[INFINITY]]),
    ("sqrt at 0", lambda F, x: F.sqrt(x), [[0.0]], [[INFINITY]]),
    ("sqrt below 0", lambda F, x: F.sqrt(x), [[-1.0]], [[NAN]]),
    ("1 / x at 0", lambda F, x: 1 / x, [[0.0, -0.0]], [[-INFINITY, -INFINITY]]),
    ("x / y at 0", lambda F, x, y: x / y, [[1.0], [0.0]], [[INFINITY], [-INFINITY]]),
    ("sigmoid far out", lambda F, x: F.sigmoid(x), [[-1e4, 1e4]], [[0, 0]]),
    ("tanh far out", lambda F, x: F.tanh(x), [[-1e4, 1e4]], [[0, 0]]),
    ("exp overflows", lambda F, x: F.exp(x), [[1e4, -1e4]], [[INFINITY, 0]]),
    ("where lets nan through", lambda F, x: F.where(x > 0, F.sqrt(x), x), [[0.0, 4.0]], [[NAN, 0.25]]),
    ("x[i] taken twice", lambda F, x: x[[1, 1, 1]], [[5.0, 6.0]], [[0, 3]]),
]


@pytest.mark.parametrize(
    ("function", "values", "expected"), [row[1:] for row in AWKWARD], ids=[row[0] for row in AWKWARD]
)
def test_gradients_at_awkward_points(function: Callable[..., Any], values: list[Any], expected: list[Any]) -> None:
    inputs = [mg.tensor(value, requires_grad=True) for value in values]
    for gradient, wanted in zip(mg.autograd.grad(function(mg, *inputs).sum(), inputs), expected, strict=True):
        np.testing.assert_allclose(gradient.numpy(), np.asarray(wanted, "float32"), rtol=1e-6)


@pytest.mark.parametrize(("function", "values"), [row[1:3] for row in AWKWARD], ids=[row[0] for row in AWKWARD])
def test_awkward_points_are_those_of_torch(
    function: Callable[..., Any], values: list[Any], torch: types.ModuleType
) -> None:
    results = []
    for F in (mg, torch):
        inputs = [F.tensor(value, requires_grad=True) for value in values]
        out = function(F, *inputs)
        results.append([out.detach(), *F.autograd.grad(out.sum(), inputs)])
    for actual, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(actual.numpy(), wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [lambda x, y: x * y, lambda x, y: y - x, lambda x, y: x / y, lambda x, y: x**y, lambda x, y: mg.cat([x, y])],
)
def test_mixed_dtypes_give_each_input_a_gradient_of_its_own(function: Callable[..., Any]) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = mg.tensor([3.0, 4.0], dtype=mg.float64, requires_grad=True)
    out = function(x, y)
    out.sum().backward()
    assert (out.dtype, x.grad.dtype, y.grad.dtype) == (mg.float64, mg.float32, mg.float64)


@pytest.mark.parametrize("imported", ["minigrad", "minigrad.linalg", "minigrad.nn"])
def test_rules_find_the_ops_that_they_use(imported: str) -> None:
    """A rule says F.cos, and the module that declares cos must have been imported by then: by whatever was imported."""
    program = f"""
import ast, inspect, sys
import {imported}
from minigrad.op import arrays

used = 0
for name, module in sorted(sys.modules.items()):
    if name.startswith("minigrad.ops."):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "F":
                used += 1
                assert hasattr(arrays, node.attr), f"{{name}} uses F.{{node.attr}}, which nothing has declared"
print(used)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 120

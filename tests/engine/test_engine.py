"""The engine's promises: `.grad`, the order of nodes, what is freed when, second passes, recording, writes, memory.

What PyTorch does in the same place is tested beside it where that is not plain from the numbers.
"""

from __future__ import annotations

import _thread
import ast
import gc
import linecache
import random
import re
import signal
import sys
import threading
import time
import traceback
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.leak_guard import no_leaks

import minigrad as mg
from minigrad import op, op_text
from minigrad.autograd import engine, modes
from minigrad.autograd import node as nodes_of_graphs
from minigrad.autograd.node import AccumulateGrad, Node, next_sequence_nr
from minigrad.ops.losses import cross_entropy
from minigrad.tensor import Tensor


@pytest.fixture(autouse=True)
def no_observer() -> Iterator[None]:
    """The engine alone: if the pictures were imported by another test, their records of nodes are off here."""
    previous = op.set_node_observer(None)
    yield
    op.set_node_observer(previous)


def fails(kind: type[Exception], beginning: str) -> Any:
    """The block must raise an error of this kind, whose text begins like this."""
    return pytest.raises(kind, match="^" + re.escape(beginning))


def leaf(*values: float, dtype: Any = mg.float32) -> Tensor:
    return mg.tensor(values, dtype=dtype, requires_grad=True)


def scalar(value: float) -> Tensor:
    return mg.tensor(value, requires_grad=True)


@pytest.fixture
def x() -> Tensor:
    return leaf(1.0, 2.0, 3.0)


# ---------------------------------------------------------------- leaves, flags, .grad


def test_leaves(x: Tensor) -> None:
    assert x.is_leaf
    assert x.grad_fn is None
    assert (mg.ones(2) + 1).is_leaf, "what is computed without gradients is a leaf too"
    assert not (x + 1).is_leaf
    assert (x + 1).detach().is_leaf
    assert not (x + 1).detach().requires_grad
    with mg.no_grad():
        assert (x + 1).is_leaf


def test_only_floating_tensors_may_require_grad() -> None:
    for dtype in (mg.int64, mg.int32, mg.bool):
        for make in (
            lambda dtype=dtype: mg.tensor([1, 0], dtype=dtype, requires_grad=True),
            lambda dtype=dtype: mg.zeros(2, dtype=dtype, requires_grad=True),
        ):
            with fails(RuntimeError, "Only Tensors of floating point and complex dtype can require grad"):
                make()
        with fails(RuntimeError, "only Tensors of floating point dtype can require gradients"):
            mg.zeros(2, dtype=dtype).requires_grad_()
        assert mg.zeros(2, dtype=dtype).requires_grad_(False).is_leaf


def test_requires_grad_of_a_result_cannot_be_taken_away(x: Tensor) -> None:
    y = x + 1
    assert y.requires_grad_(True) is y
    with fails(RuntimeError, "you can only change requires_grad flags of leaf variables."):
        y.requires_grad_(False)
    assert x.requires_grad_(False).requires_grad is False
    assert (x + 1).requires_grad is False


def test_grad_of_a_result_is_none_and_warns(x: Tensor) -> None:
    y = x * 2
    y.sum().backward()
    with pytest.warns(UserWarning, match=r"^The \.grad attribute of a Tensor that is not a leaf Tensor is being acc"):
        assert y.grad is None


def test_retain_grad(x: Tensor) -> None:
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward(retain_graph=True)
    assert y.grad.tolist() == [4.0, 8.0, 12.0]
    kept = y.grad
    (y * 1).sum().backward()
    assert y.grad.tolist() == [5.0, 9.0, 13.0]
    assert kept.tolist() == [4.0, 8.0, 12.0]  # unlike a leaf's, an earlier sum stays as it was
    x.retain_grad()
    assert x.retains_grad is False
    with fails(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        mg.ones(2).retain_grad()


def test_retain_grad_keeps_no_tensor_alive(x: Tensor) -> None:
    y = x * 2
    y.retain_grad()
    z = y.sum()
    reference = weakref.ref(y)
    del y
    assert reference() is None
    z.backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_assigning_grad_is_checked(x: Tensor) -> None:
    with fails(TypeError, "assigned grad expected to be a Tensor or None but got grad of type int"):
        x.grad = 3
    with fails(RuntimeError, "attempting to assign a gradient of size '[2]' to a tensor of size '[3]'"):
        x.grad = mg.ones(2)
    with fails(RuntimeError, "attempting to assign a gradient with dtype"):
        x.grad = mg.ones(3, dtype=mg.float64)
    with fails(RuntimeError, "can't assign Variable as its own grad"):
        x.grad = x
    own = mg.ones(3)
    x.grad = own
    assert x.grad is own
    x.grad = None
    assert x.grad is None


def test_numpy_needs_detach(x: Tensor) -> None:
    with fails(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach()"):
        x.numpy()
    with mg.no_grad():
        assert x.numpy() is x._array
    assert np.shares_memory(x.detach().numpy(), x._array)


# ---------------------------------------------------------------- backward() and grad(): arguments


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_one_element_needs_no_gradient_argument(shape: tuple[int, ...]) -> None:
    x = mg.ones(shape, requires_grad=True)
    (x * 3).backward()
    assert x.grad.shape == shape
    assert x.grad.item() == 3.0


@pytest.mark.parametrize("shape", [(2,), (2, 1), (0,)])
def test_other_sizes_need_one(shape: tuple[int, ...]) -> None:
    y = mg.ones(shape, requires_grad=True) * 3
    for run in (y.backward, lambda: mg.autograd.grad(y, y), lambda: mg.autograd.backward([y, y])):
        with fails(RuntimeError, "grad can be implicitly created only for scalar outputs"):
            run()


def test_a_root_without_graph_is_named_by_its_position(x: Tensor) -> None:
    with fails(RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"):
        mg.ones(()).backward()
    with fails(RuntimeError, "element 1 of tensors does not require grad and does not have a grad_fn"):
        mg.autograd.backward([x.sum(), mg.ones(())])
    assert x.grad is None, "nothing runs before all the roots are checked"


def test_gradients_must_have_the_shape_of_their_roots(x: Tensor) -> None:
    message = r"^Mismatch in shape: grad_output\[{0}\] has a shape of minigrad\.Size\({1}\) and output\[{0}\] has "
    with pytest.raises(RuntimeError, match=message.format(0, r"\[2\]") + r"a shape of minigrad\.Size\(\[3\]\)\."):
        (x * 1).backward(mg.ones(2))
    with pytest.raises(RuntimeError, match=message.format(0, r"\[3, 1\]")):
        mg.autograd.grad(x * 1, x, mg.ones(3, 1))
    with pytest.raises(RuntimeError, match=message.format(1, r"\[\]")):
        mg.autograd.backward([x.sum(), x * 1], [None, mg.ones(())])
    with fails(RuntimeError, "got 2 tensors and 1 gradients"):
        mg.autograd.backward([x.sum(), x.sum()], [mg.ones(())])


def test_unused_inputs(x: Tensor) -> None:
    unused = leaf(1.0, 2.0)
    with fails(RuntimeError, "The differentiated Tensor at index 1 appears to not have been used in the gr"):
        mg.autograd.grad(x.sum(), [x, unused])
    assert mg.autograd.grad(x.sum(), [unused], allow_unused=True) == (None,)
    (zeros,) = mg.autograd.grad(x.sum(), [unused], materialize_grads=True)
    assert zeros.tolist() == [0.0, 0.0]
    assert zeros.dtype is unused.dtype
    with fails(ValueError, "Expected allow_unused to be True or not passed when materialize_grads=True"):
        mg.autograd.grad(x.sum(), [unused], allow_unused=False, materialize_grads=True)
    with fails(RuntimeError, "One of the differentiated Tensors does not require grad"):
        mg.autograd.grad(x.sum(), [mg.ones(2)])


def test_grad_writes_no_grad(x: Tensor) -> None:
    y = x * x
    retained = y * 2
    retained.retain_grad()
    mg.autograd.grad(retained.sum(), [x, y])
    assert x.grad is None
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None
    assert retained.grad.tolist() == [1.0, 1.0, 1.0], (
        "as in PyTorch, a result that retains its gradient gets it here too"
    )


def test_outputs_and_repeated_inputs_are_inputs_too(x: Tensor) -> None:
    y = (x * x).sum()
    results = mg.autograd.grad(y, [x, y, x], retain_graph=True)
    assert [result.tolist() for result in results] == [[2.0, 4.0, 6.0], 1.0, [2.0, 4.0, 6.0]]
    (itself,) = mg.autograd.grad(y, y)
    assert itself.item() == 1.0
    (of_leaf,) = mg.autograd.grad(x, x, mg.tensor([5.0, 6.0, 7.0]))
    assert of_leaf.tolist() == [5.0, 6.0, 7.0]


def test_an_output_that_others_use(x: Tensor) -> None:
    """A root on the way of another root: its gradient counts what comes from there."""
    y = x * 2
    z = y * y
    gradients = mg.autograd.grad([y, z], [y, x], [mg.ones(3), mg.ones(3)])
    assert [gradient.tolist() for gradient in gradients] == [[5.0, 9.0, 13.0], [10.0, 18.0, 26.0]]


def test_the_same_root_twice_counts_twice(x: Tensor) -> None:
    y = (x * x).sum()
    mg.autograd.backward([y, y])
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_roots_that_are_leaves(x: Tensor) -> None:
    w = scalar(1.0)
    mg.autograd.backward([w, (w * x).sum(), w])
    assert w.grad.item() == 8.0
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_backward_into_given_inputs_only(x: Tensor) -> None:
    w = leaf(1.0, 1.0, 1.0)
    y = x * w
    z = (y * y).sum()
    z.backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    assert w.grad is None
    z.backward(inputs=w, retain_graph=True)
    assert w.grad.tolist() == [2.0, 8.0, 18.0]
    z.backward(inputs=[y])
    assert y.grad.tolist() == [2.0, 4.0, 6.0], "a result that is asked for has its gradient kept"
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    with fails(RuntimeError, "`inputs` argument to `backward()` cannot be empty."):
        x.sum().backward(inputs=[])


def test_gradients_take_the_dtype_of_their_inputs() -> None:
    x = leaf(1.0, 2.0)
    y = x.double() * mg.tensor([2.0, 3.0], dtype=mg.float64)
    y.backward(mg.tensor([1, 2]))
    assert x.grad.dtype is mg.float32
    assert x.grad.tolist() == [2.0, 6.0]


def test_broadcast_inputs_get_gradients_of_their_own_shape() -> None:
    x, row, column, number = (mg.ones(shape, requires_grad=True) for shape in ((2, 3), (3,), (2, 1), ()))
    (x * row + column / number).sum().backward()
    assert [t.grad.shape for t in (x, row, column, number)] == [(2, 3), (3,), (2, 1), ()]
    assert row.grad.tolist() == [2.0, 2.0, 2.0]
    assert column.grad.tolist() == [[3.0], [3.0]]
    assert number.grad.item() == -6.0


# ---------------------------------------------------------------- what is freed


def test_a_second_backward_needs_retain_graph(x: Tensor) -> None:
    y = (x * x).sum()
    node = y.grad_fn.next_functions[0][0]
    y.backward(retain_graph=True)
    assert not node.freed
    assert node._saved_self is x
    y.backward()
    assert node.freed
    for second in (y.backward, lambda: node._saved_self, lambda: node(mg.ones(3)), lambda: mg.autograd.grad(y, x)):
        with pytest.raises(RuntimeError) as error:
            second()
        assert str(error.value).startswith(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed)."
        )
        assert "Specify retain_graph=True" in str(error.value)
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_a_graph_that_saved_nothing_can_be_used_again(x: Tensor) -> None:
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_only_nodes_that_ran_are_freed() -> None:
    a = leaf(2.0)
    b = a * a
    c = b * b
    (first,) = mg.autograd.grad(c, b)
    (second,) = mg.autograd.grad(b, a)
    assert (first.item(), second.item()) == (8.0, 4.0)
    with fails(RuntimeError, "Trying to backward through the graph a second time"):
        mg.autograd.grad(c, b)


def test_create_graph_retains(x: Tensor) -> None:
    y = (x * x).sum()
    mg.autograd.grad(y, x, create_graph=True)
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_freeing_lets_go_of_what_was_saved(x: Tensor) -> None:
    other = mg.ones(3)
    reference = weakref.ref(other)
    y = (x * other).sum()
    del other
    assert reference() is not None
    y.backward()
    assert reference() is None


# ---------------------------------------------------------------- accumulation


def test_grad_is_added_to_in_place() -> None:
    for x in (leaf(1.0, 2.0), scalar(2.0)):
        (x * x).sum().backward()
        grad = x.grad
        (x * x).sum().backward()
        assert x.grad is grad
        assert grad._version == 1
        np.testing.assert_array_equal(grad.numpy(), 4 * x.detach().numpy())
        array = grad.numpy()
        (x * x).sum().backward()
        assert np.shares_memory(x.grad.numpy(), array), "also once somebody looks at its memory"
        np.testing.assert_array_equal(array, 6 * x.detach().numpy())


def test_grad_is_never_the_gradient_passed_in() -> None:
    functions = {
        "the leaf itself": lambda x, w: x,
        "x + 1": lambda x, w: x + 1,
        "clone": lambda x, w: x.clone(),
        "x + w": lambda x, w: x + w,
        "x + x": lambda x, w: x + x,
        "view": lambda x, w: x.view(3),
        "x.T": lambda x, w: x.t(),
        "expand": lambda x, w: x.expand(3),
        "x[:]": lambda x, w: x[:] + w[:],
    }
    for create_graph in (False, True):
        for name, function in functions.items():
            x, w = leaf(1.0, 2.0, 3.0), leaf(4.0, 5.0, 6.0)
            passed = mg.tensor([0.0, 1.0, 2.0]) + 1  # a result, which owns its memory
            if create_graph:
                with pytest.warns(UserWarning, match="reference cycle"):
                    function(x, w).backward(passed, create_graph=True)
            else:
                function(x, w).backward(passed)
            grads = [t.grad for t in (x, w) if t.grad is not None]
            for _ in range(2):
                function(x, w).backward(passed)
            assert passed.tolist() == [1.0, 2.0, 3.0], name
            assert passed._version == 0, name
            for grad in grads:
                assert grad is not passed, name
                assert not np.shares_memory(grad._array, passed._array), name
            if w.grad is not None:
                assert w.grad is not x.grad, name
                assert not np.shares_memory(w.grad._array, x.grad._array), name
                assert w.grad.tolist() == [3.0, 6.0, 9.0], name
            assert x.grad.tolist() == ([6.0, 12.0, 18.0] if name == "x + x" else [3.0, 6.0, 9.0]), name


def test_one_array_for_two_leaves_is_no_grad_of_both(x: Tensor) -> None:
    """A rule may give one new array for two inputs; each `.grad` must still have memory of its own."""

    class Both(Node):
        __slots__ = ()

        def apply(self, *gradients: Any) -> tuple[Any, ...]:
            doubled = gradients[0] * 2
            return doubled, doubled

    w = leaf(1.0, 1.0, 1.0)
    node = Both()
    node._next_nodes = tuple(edge for edge, _ in (x * w).grad_fn.next_functions)
    node._output_nrs = node._targets = node._hooks = node._metadata = None
    node._kept, node._sequence = (), next_sequence_nr()
    out = mg.ones(3)
    out._node = node
    out.backward(mg.ones(3), retain_graph=True)
    out.backward(mg.ones(3))
    assert (x.grad.tolist(), w.grad.tolist()) == ([4.0] * 3, [4.0] * 3)
    assert not np.shares_memory(x.grad._array, w.grad._array)


def test_with_create_graph_accumulation_makes_a_new_grad(x: Tensor) -> None:
    (x * x).sum().backward()
    first = x.grad
    with pytest.warns(UserWarning, match=r"^Using backward\(\) with create_graph=True will create a reference cycle"):
        (x * x * x).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first.tolist() == [2.0, 4.0, 6.0]
    assert x.grad.requires_grad
    assert x.grad.tolist() == [5.0, 16.0, 33.0]
    (second,) = mg.autograd.grad(x.grad.sum(), x)
    assert second.tolist() == [6.0, 12.0, 18.0]
    x.grad = None  # and the cycle with it


def test_after_create_graph_a_plain_backward_adds_in_place_again(torch: types.ModuleType) -> None:
    for F in (mg, torch):
        x = F.tensor([1.0, 2.0], requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # torch gives it once in a process, so it cannot be asserted
            (x * x).sum().backward(create_graph=True)
        grad, square = x.grad, x.grad * x.grad
        version = grad._version
        (x * 3).sum().backward()
        assert x.grad is grad
        assert grad.tolist() == [5.0, 7.0]
        assert grad._version == version + 1
        with fails(
            RuntimeError, "one of the variables needed for gradient computation has been modified by an inplace"
        ):
            square.sum().backward()
        x.grad = None


def test_grad_with_create_graph_does_not_warn(x: Tensor, recwarn: pytest.WarningsRecorder) -> None:
    mg.autograd.grad((x * x).sum(), x, create_graph=True)
    assert not recwarn.list


def test_the_cycle_warning_names_the_line_that_called(x: Tensor) -> None:
    for run in (lambda y: y.backward(create_graph=True), lambda y: mg.autograd.backward(y, create_graph=True)):
        with pytest.warns(UserWarning, match="reference cycle") as record:
            run((x * x).sum())
        assert record[0].filename == __file__


def test_gradients_given_back_are_not_changed_later(x: Tensor) -> None:
    """Neither by further runs nor by sums inside of one: the first gradient to arrive at a sum is only borrowed."""
    y = x * 2
    z = y + y
    w = (z + z + y).sum()
    results = mg.autograd.grad(w, [w, z, y, x], retain_graph=True)
    seen = [(result, result.tolist()) for result in results]
    assert [values for _, values in seen] == [1.0, [2.0] * 3, [5.0] * 3, [10.0] * 3]
    w.backward(retain_graph=True)
    w.backward()
    assert [result.tolist() for result, _ in seen] == [values for _, values in seen]


def test_third_derivative() -> None:
    x = scalar(2.0)
    (first,) = mg.autograd.grad(x**4, x, create_graph=True)
    (second,) = mg.autograd.grad(first, x, create_graph=True)
    (third,) = mg.autograd.grad(second, x)
    assert [t.item() for t in (first, second, third)] == [32.0, 48.0, 48.0]
    assert not third.requires_grad


def test_create_graph_records_even_under_no_grad() -> None:
    x = scalar(3.0)
    y = x**3
    with mg.no_grad():
        (first,) = mg.autograd.grad(y, x, create_graph=True)
        assert not mg.is_grad_enabled()
    assert mg.autograd.grad(first, x)[0].item() == 18.0


# ---------------------------------------------------------------- order


def test_a_node_runs_once_on_the_sum_of_its_gradients(x: Tensor) -> None:
    y = x * 1
    z = y
    for _ in range(10):
        z = z + z
    steps = [(node, gradients) for node, gradients, _ in engine.steps(z.sum())]
    assert len({node for node, _ in steps}) == len(steps)
    (into_y,) = next(gradients for node, gradients in steps if node is y.grad_fn)
    assert into_y.tolist() == [1024.0] * 3


def test_the_most_recent_ready_node_runs_first() -> None:
    a, b = scalar(2.0), scalar(3.0)
    early = a * 2
    late = b.sin()
    later = early.exp()
    root = late * early + later
    ran = [node.name() for node, _, _ in engine.steps(root)]
    assert ran == [
        "AddBackward0", "MulBackward0", "ExpBackward0", "SinBackward0", "AccumulateGrad", "MulBackward0",
        "AccumulateGrad",
    ]  # fmt: skip


def test_nodes_off_the_path_do_not_run(x: Tensor) -> None:
    w = leaf(1.0, 1.0, 1.0)
    kept, dropped = x.exp(), w.exp()
    root = (kept * dropped).sum()
    assert [node.name() for node, _, _ in engine.steps(root, inputs=[x])] == [
        "SumBackward0", "MulBackward0", "ExpBackward0", "AccumulateGrad",
    ]  # fmt: skip
    assert not dropped.grad_fn.freed
    assert kept.grad_fn.freed


def test_rules_that_nobody_needs_are_not_run(x: Tensor) -> None:
    y = x * mg.ones(3)
    assert next(engine.steps(y.sum().exp()))[0].name() == "ExpBackward0"
    (_, _, outgoing) = next(engine.steps(y, mg.ones(3)))
    assert outgoing[1] is None
    assert y.grad_fn.next_functions[1] == (None, 0)


def test_order_is_that_of_torch(torch: types.ModuleType) -> None:
    """Several results of one leaf, several leaves, a diamond, and two roots."""
    orders = []
    for F in (mg, torch):
        a, b, c = (F.tensor([value], requires_grad=True) for value in (1.0, 2.0, 3.0))
        made = [a * b]
        made.append(made[0].exp())
        made.append(c.sin())
        made.append(made[0] + made[2])
        made.append(made[1] * made[3])
        made.append(made[3].cos())
        made.append(made[4] * a)
        roots = [made[6], made[5]]
        ones = [F.ones(1), F.ones(1)]
        if F is mg:
            numbers = {tensor.grad_fn: number for number, tensor in enumerate(made)}
            sinks = {a: "a", b: "b", c: "c"}
            orders.append(
                [numbers[node] if node in numbers else sinks[node.variable] for node, _, _ in engine.steps(roots, ones)]
            )
        else:
            order: list[Any] = []
            for number, tensor in enumerate(made):
                tensor.grad_fn.register_hook(lambda *_, number=number, order=order: order.append(number))
            for tensor, name in ((a, "a"), (b, "b"), (c, "c")):
                tensor.register_post_accumulate_grad_hook(lambda _, name=name, order=order: order.append(name))
            F.autograd.backward(roots, ones)
            orders.append(order)
    assert orders[0] == orders[1]


def test_steps_check_their_arguments_at_the_call(x: Tensor) -> None:
    with fails(RuntimeError, "grad can be implicitly created"):
        engine.steps(x * 1)
    with fails(RuntimeError, "element 0 of tensors"):
        engine.steps(mg.ones(()))


def test_each_step_runs_one_node_and_stopping_is_safe(x: Tensor) -> None:
    y = x * x
    root = (y * y).sum()
    run = engine.steps(root)
    assert [next(run)[0].name() for _ in range(2)] == ["SumBackward0", "MulBackward0"]
    assert x.grad is None
    run.close()
    assert x.grad is None
    assert mg.is_grad_enabled()
    assert not y.grad_fn.freed
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_the_grad_is_written_when_its_step_is_seen(x: Tensor) -> None:
    for node, gradients, _ in engine.steps((x * 2).sum()):
        if isinstance(node, AccumulateGrad):
            assert node.variable is x
            assert gradients[0].tolist() == [2.0, 2.0, 2.0]
            assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_no_grad_mode_is_held_across_a_step(x: Tensor) -> None:
    for enabled in (True, False):
        y = (x * x).sum()
        with mg.set_grad_enabled(enabled):
            for _ in engine.steps(y, create_graph=True):
                assert mg.is_grad_enabled() is enabled
    x.grad = None


def test_sums_on_the_way_are_recorded_step_by_step_too(x: Tensor) -> None:
    middle = x * 1
    y = (middle**2 + middle**3).sum()
    with mg.no_grad():
        found = [gradients[0] for _, gradients, _ in engine.steps(y, create_graph=True)]
    assert mg.autograd.grad(found[-1].sum(), x)[0].tolist() == (2 + 6 * x).tolist()
    x.grad = None


def test_an_error_half_way_leaves_the_engine_usable(x: Tensor) -> None:
    y = x * x
    y.sum().backward()
    z = (y.exp() + x).sum()
    with fails(RuntimeError, "Trying to backward"):
        z.backward()
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]
    assert mg.is_grad_enabled()


# ---------------------------------------------------------------- nodes


def test_next_functions_lead_to_every_node(x: Tensor) -> None:
    w = leaf(1.0, 1.0, 1.0)
    root = (x.exp() * w).sum()
    product = root.grad_fn.next_functions[0][0]
    assert [(node.name(), number) for node, number in product.next_functions] == [
        ("ExpBackward0", 0),
        ("AccumulateGrad", 0),
    ]
    assert product.inputs == ("self", "other")
    (exp, _), (sink, _) = product.next_functions
    assert sink.variable is w
    assert sink.next_functions == ()
    assert exp.next_functions[0][0].variable is x
    assert repr(root.grad_fn) == "<SumBackward0>"
    assert repr(sink) == "<AccumulateGrad>"


def test_a_leaf_has_one_accumulategrad(x: Tensor) -> None:
    y = x * x
    assert y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0]
    assert (x + 1).grad_fn.next_functions[0][0] is y.grad_fn.next_functions[0][0]
    reference = weakref.ref(y.grad_fn.next_functions[0][0])
    del y
    assert reference() is None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_sequence_numbers_grow(x: Tensor) -> None:
    y = x * 2
    z = x * 3
    assert y.grad_fn._sequence_nr() < z.grad_fn._sequence_nr()
    assert y.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1


def test_nodes_run_when_called(x: Tensor) -> None:
    y = x * x.exp()
    start = mg.ones(3)
    first, second = y.grad_fn(start)
    np.testing.assert_allclose(first.detach().numpy(), np.exp([1.0, 2.0, 3.0]), rtol=1e-6)
    assert second.tolist() == [1.0, 2.0, 3.0]
    assert x.grad is None
    assert not y.grad_fn.freed
    assert first.requires_grad, "with recording on, so is what the rule does"
    with mg.no_grad():
        assert not y.grad_fn(start)[0].requires_grad
    assert isinstance(x.sum().grad_fn(mg.tensor(2.0)), Tensor), "one input, one tensor"
    (product, nothing) = (x * 3.0).grad_fn(start)
    assert product.tolist() == [3.0, 3.0, 3.0]
    assert nothing is None
    row, _ = (mg.ones(3, requires_grad=True) * mg.ones(2, 3)).grad_fn(mg.ones(2, 3))
    assert row.shape == (2, 3), "the engine sums it to (3,) afterwards"


def test_accumulategrad_runs_when_called(x: Tensor) -> None:
    sink = (x * 1).grad_fn.next_functions[0][0]
    assert sink(mg.tensor([1.0, 2.0, 3.0])) == ()
    with mg.no_grad():
        assert sink(mg.tensor([1.0, 2.0, 3.0])) == ()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    x.grad = None


@pytest.mark.parametrize("gradients", [(3,), (None, 3), ([1.0],)])
def test_nodes_take_tensors_only(gradients: tuple[Any, ...], x: Tensor) -> None:
    with pytest.raises(TypeError):
        (x * 1).grad_fn(*gradients)


def test_saved_values_are_named(x: Tensor) -> None:
    w = leaf(4.0, 5.0, 6.0)
    product = (x * w).grad_fn
    assert product._saved_self is x
    assert product._saved_other is w
    result = x.exp()
    assert result.grad_fn._saved_result.tolist() == result.tolist()
    assert result.grad_fn._saved_result.grad_fn is result.grad_fn
    assert (x**3).grad_fn._saved_exponent == 3
    assert x.sum(0).grad_fn._saved_dim == (0,)


def test_only_what_a_needed_rule_asks_for_is_saved(x: Tensor) -> None:
    constant = mg.ones(3)
    node = (x * constant).grad_fn
    assert node._saved_self is None
    assert node._saved_other is constant
    assert (x + constant).grad_fn._kept == ()


def test_the_code_of_every_op_can_be_printed() -> None:
    for name, function in vars(op.tensors).items():
        # Not ops, but functions that choose one or several; or an op under another node's name.
        if name in ("reshape", "zeros", "sum_to", "nll", "nll_gradient", "index_backward", "index_add"):
            continue
        text = op.source(function)
        assert f"def {name}(" in text
        compile(text, name, "exec")
    assert op.source(mg.mul).count("def ") == 3
    assert "def nll(" in op.source(cross_entropy.nll)
    for stranger in (mg.tensor, mg.reshape, 3, mg.autograd.grad):
        with pytest.raises(ValueError, match="is not an op that was declared with @op"):
            op.source(stranger)


def test_tracebacks_show_the_lines_of_an_op(x: Tensor) -> None:
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert "raise freed_error()" in "".join(traceback.format_exception(error.value))


# ---------------------------------------------------------------- recording


def test_no_grad_is_a_context_and_a_decorator(x: Tensor) -> None:
    @mg.no_grad()
    def double(t: Tensor) -> Tensor:
        """Twice as much."""
        return t * 2

    with mg.no_grad():
        assert not mg.is_grad_enabled()
        assert not (x * 2).requires_grad
        assert mg.ones(2, requires_grad=True).requires_grad, "leaves can still be made"
        with mg.enable_grad():
            assert (x * 2).requires_grad
        assert not mg.is_grad_enabled()
    assert mg.is_grad_enabled()
    assert not double(x).requires_grad
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    assert (x * 2).requires_grad


def test_grad_modes_are_restored_after_errors(x: Tensor) -> None:
    def fail() -> None:
        raise KeyError

    with pytest.raises(KeyError), mg.no_grad():
        fail()
    assert mg.is_grad_enabled()
    with pytest.raises(KeyError):
        mg.no_grad()(fail)()
    assert mg.is_grad_enabled()


def test_a_grad_mode_can_be_used_again_and_within_itself() -> None:
    mode = mg.no_grad()
    with mode:
        with mode:
            assert not mg.is_grad_enabled()
        assert not mg.is_grad_enabled()
    assert mg.is_grad_enabled()


def test_set_grad_enabled_acts_at_once() -> None:
    with mg.set_grad_enabled(False):
        assert not mg.is_grad_enabled()
    assert mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    try:
        assert not mg.is_grad_enabled()
    finally:
        mg.set_grad_enabled(True)
    assert mg.is_grad_enabled()


def test_grad_modes_belong_to_a_thread(x: Tensor) -> None:
    seen: list[bool] = []
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with mg.no_grad():
            inside.set()
            leave.wait(10)
            seen.append((x * 2).requires_grad)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(10)
    seen.append((x * 2).requires_grad)
    leave.set()
    thread.join()
    assert seen == [True, False]


def test_threads_build_and_run_graphs_at_once() -> None:
    shared = mg.tensor(np.arange(1.0, 5.0), requires_grad=True)
    results: list[Any] = []

    def work() -> None:
        for _ in range(50):
            y = (shared * shared).sum() + (shared.exp() * 0).sum()
            results.append(mg.autograd.grad(y, shared)[0].tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[2.0, 4.0, 6.0, 8.0]] * 200


def run_at_once(*works: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("part", ["AccumulateGrad", "LeafState"])
def test_two_threads_that_use_a_leaf_at_once_find_the_same_node(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = mg.ones(2, requires_grad=True)
    made = getattr(nodes_of_graphs, part)

    def slowly(*variable: Tensor) -> Any:
        time.sleep(0.05)  # so that the other thread gets here, too
        return made(*variable)

    monkeypatch.setattr(nodes_of_graphs, part, slowly)
    nodes: list[Any] = []
    run_at_once(*[lambda: nodes.append(nodes_of_graphs.edge_node(leaf))] * 2)
    assert nodes[0] is nodes[1]


def test_two_threads_that_call_an_operation_first_write_it_once() -> None:
    written: list[str] = []

    class Slow(op_text.CallWriter):
        def text(self) -> str:
            written.append("def five():\n    return 5\n")
            time.sleep(0.05)  # so that the other thread gets here, too
            return written[-1]

        def names(self) -> dict[str, Any]:
            return {}

    results: list[int] = []
    five = Slow("five", run_at_once).function
    run_at_once(*[lambda: results.append(five())] * 2)
    assert (results, len(written)) == ([5, 5], 1)


def test_what_threads_switch_at_once_is_all_counted() -> None:
    before, interval = modes.modes.special, sys.getswitchinterval()

    def switch() -> None:
        for _ in range(2_000):
            with mg.no_grad(), mg.inference_mode():
                pass
        mg.no_grad().__enter__()  # it ends in a mode of its own

    sys.setswitchinterval(1e-6)  # seconds: as often as can be
    try:
        run_at_once(switch, switch, switch, switch)
    finally:
        sys.setswitchinterval(interval)
    assert modes.modes.special == before


def test_a_numpy_array_that_is_protected_stays_so() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        x = mg.from_numpy(array)
    rows = x.expand(2, 3)
    for write in (lambda: x.add_(1), lambda: rows.fill_(1), lambda: rows[0].mul_(2), lambda: rows[1].zero_()):
        with fails(RuntimeError, "unsupported operation: more than one element"):
            write()
    with fails(RuntimeError, "unsupported operation: more than one element"):
        rows[0] = 1.0
    assert array.tolist() == [0.0, 1.0, 2.0]


def test_gradients_of_two_shapes_are_not_passed_over(x: Tensor) -> None:
    y = x + 1
    y.data = mg.zeros(2)
    before = y + 2
    y.data = mg.zeros(3)  # as it was, so that what arrives first fits
    with pytest.raises((RuntimeError, ValueError), match="shape"):
        (before.sum() + (y + 3).sum()).backward()
    assert x.grad is None


def test_a_dimension_is_an_integer(x: Tensor) -> None:
    with fails(TypeError, "size(): argument 'dim' (position 1) must be int, not str"):
        x.size("a")  # type: ignore[arg-type]


def test_a_rule_for_an_input_that_there_is_not_is_an_error_of_its_declaration() -> None:
    options = (None, False, True, False, False, False, (), ())
    with fails(TypeError, "op neg: its kernel takes no ['other']"):
        op_text.OpText(mg.neg.__wrapped__.declared[0], {"self": lambda F, g, other: g}, *options)


def test_what_broadcasts_has_two_operands_with_rules() -> None:
    def mix(weight: Any, self: Any, other: Any) -> Any:
        return self + weight * (other - self)

    options = (None, True, False, False, False, False, (), ())
    with fails(TypeError, "op mix: broadcasts=True is for two operands, and there are rules for ['weight', 'self', 'o"):
        op_text.OpText(mix, dict.fromkeys(("weight", "self", "other"), lambda F, g: g), *options)


def test_the_observer_sees_each_node_that_is_recorded(x: Tensor) -> None:
    seen: list[tuple[Node, Any]] = []
    operands: list[Sequence[Tensor]] = []
    given: list[Any] = []

    def observe(node: Node, out: Any, inputs: Sequence[Tensor], options: Any) -> None:
        seen.append((node, out))
        operands.append(inputs)
        given.append(options)
        node._making = "here"

    assert op.set_node_observer(observe) is None
    try:
        y = mg.stack([x * 2, x.exp()]).sum()
        with mg.no_grad():
            y * 2
        mg.ones(2) * 2
    finally:
        assert op.set_node_observer(None) is observe
    y * 2
    assert [node.name() for node, _ in seen] == ["MulBackward0", "ExpBackward0", "StackBackward0", "SumBackward0"]
    assert seen[-1][0] is y.grad_fn
    assert seen[-1][1] == y.item()
    assert seen[0][1].tolist() == [2.0, 4.0, 6.0]
    assert [len(inputs) for inputs in operands] == [2, 1, 2, 1]
    assert operands[0][0] is x
    assert given == [{}, {}, {"dim": 0}, {}]
    assert y.grad_fn._making == "here"
    assert not hasattr((x * 2).grad_fn, "_making")


class Looking:
    """A witness that notes what is called, with what goes in and what comes out."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def around(self, kind: str, node: Node, function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            self.seen.append((kind, node.name(), function, arguments[0], result))
            return result

        return call

    def node_failed(self, node: Node) -> None:
        self.seen.append(("failed", node.name()))

    def __enter__(self) -> Looking:
        modes.thread.witness = self
        return self

    def __exit__(self, *error: object) -> None:
        modes.thread.witness = None


def test_a_witness_sees_every_function_that_is_called_on_the_way(x: Tensor) -> None:
    kept: list[Tensor] = []
    with mg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.tolist(), mg.tensor):
        y = x * x.detach()
    y.retain_grad()
    y.register_hook(lambda gradient: gradient * 2)
    y.grad_fn.register_prehook(lambda gradients: (gradients[0] + 1,))
    y.grad_fn.register_hook(lambda after, before: (after[0] * 0, None))
    x.register_post_accumulate_grad_hook(kept.append)
    with Looking() as witness:
        y.sum().backward()
    told = [(kind, name, None if result is None else str(result)) for kind, name, _, _, result in witness.seen]
    assert told == [
        ("tensor_hook", "MulBackward0", "tensor([2., 2., 2.])"),
        ("retain_grad", "MulBackward0", None),
        ("node_prehook", "MulBackward0", "(tensor([3., 3., 3.]),)"),
        ("unpacked", "MulBackward0", "tensor([1., 2., 3.])"),
        ("node_hook", "MulBackward0", "(tensor([0., 0., 0.]), None)"),
        ("post_accumulate", "AccumulateGrad", None),
    ]
    assert kept == [x]
    y.sum()
    assert len(witness.seen) == 6
    with Looking() as witness, mg.autograd.graph.saved_tensors_hooks(lambda tensor: None, lambda _: x):
        (x * x).sum()
    assert [(kind, name) for kind, name, *_ in witness.seen] == [("packed", "MulBackward0")] * 2


def test_a_witness_is_told_which_node_failed(x: Tensor) -> None:
    y = x.exp()
    x.register_hook(lambda gradient: 1 / 0)
    with Looking() as witness, pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert witness.seen == [("failed", "AccumulateGrad")]
    y = (x * x).exp()
    y.grad_fn.register_prehook(lambda gradient: 1 / 0)
    with Looking() as witness, pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert witness.seen == [("failed", "ExpBackward0")]


def test_the_error_about_a_write_carries_what_it_says_as_data(x: Tensor) -> None:
    y = x * 2
    z = y * y
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        z.sum().backward()
    mismatch = caught.value.mismatch  # type: ignore[attr-defined]
    assert (mismatch.node, mismatch.name, mismatch.saved_version, mismatch.version) == (z.grad_fn, "y", 0, 1)
    code, line = mismatch.line
    assert linecache.getline(code.co_filename, line).strip() == "y += 1"


def test_the_leak_guard_sees_leaks() -> None:
    for leak in (
        lambda: mg.set_grad_enabled(False),
        lambda: op.set_node_observer(print),
        lambda: np.seterr(all="raise"),
        lambda: np.set_printoptions(precision=2),
        gc.disable,
    ):
        with pytest.raises(pytest.fail.Exception, match=r"was .* and is"), no_leaks():
            leak()
        with no_leaks():
            assert mg.is_grad_enabled()
            assert gc.isenabled()


# ---------------------------------------------------------------- writing in place


def test_a_leaf_may_be_written_to_only_without_recording(x: Tensor) -> None:
    def set_first() -> None:
        x[0] = 9

    for write in (lambda: x.add_(1), lambda: x.mul_(x), lambda: x.zero_(), lambda: x.copy_(mg.ones(3))):
        with fails(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation"):
            write()
    with fails(RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation"):
        set_first()
    assert x._version == 0
    before = x
    with mg.no_grad():
        x -= 0.5
        x[0] = 9
    assert x is before
    assert x.requires_grad
    assert x.is_leaf
    assert x._version == 2
    assert x.tolist() == [9.0, 1.5, 2.5]


def test_a_view_of_a_leaf_may_not_be_written_to(x: Tensor) -> None:
    with fails(RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place op"):
        x[:1].add_(1)
    with fails(RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place op"):
        x.view(3).mul_(2)
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_a_recorded_write_is_part_of_the_graph(x: Tensor) -> None:
    y = x * 2
    same = y
    y += x
    y.mul_(x)
    y.pow_(2).sub_(1).div_(3)
    assert y is same
    assert y._version == 5
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 12 * np.array([1.0, 8.0, 27.0]), rtol=1e-6)


def test_writing_a_recorded_value_into_a_plain_tensor(x: Tensor) -> None:
    total = mg.zeros(3)
    for power in (1, 2):
        total += x**power
    assert total.requires_grad
    total.sum().backward()
    assert x.grad.tolist() == [3.0, 5.0, 7.0]


def test_what_was_saved_may_not_be_written_to(x: Tensor) -> None:
    def saved_input() -> Tensor:
        y = x.clone()
        z = y * y
        y.add_(1)
        return z

    def saved_result() -> Tensor:
        y = x.exp()
        y.add_(1)
        return y

    def through_detach() -> Tensor:
        y = x.clone()
        z = y.sin()
        y.detach().mul_(2)
        return z

    def through_a_view() -> Tensor:
        y = x.clone()
        z = y.sin()
        with mg.no_grad():
            y[1:].zero_()
        return z

    def leaf_under_no_grad() -> Tensor:
        w = leaf(1.0, 2.0, 3.0)
        z = w * w
        with mg.no_grad():
            w.add_(1)
        return z

    def saved_after_a_write() -> Tensor:
        y = x.clone()
        y.add_(1)
        z = y * y
        y.add_(1)
        return z

    def by_index() -> Tensor:
        y = mg.ones(3)
        z = x * y
        y[0] = 5
        return z

    beginning = "^one of the variables needed for gradient computation has been modified by an inplace operation: "
    for make, rest in (
        (
            saved_input,
            r"\[minigrad\.FloatTensor \[3\]\], which is output 0 of Add, is at version 1; expected version 0 inst",
        ),
        (
            saved_result,
            r"\[minigrad\.FloatTensor \[3\]\], which is output 0 of Exp, is at version 1; expected version 0",
        ),
        (
            through_detach,
            r"\[minigrad\.FloatTensor \[3\]\], which is output 0 of Clone, is at version 1; expected versi",
        ),
        (through_a_view, r".*is at version 1; expected version 0"),
        (leaf_under_no_grad, r"\[minigrad\.FloatTensor \[3\]\] is at version 1; expected version 0"),
        (saved_after_a_write, r".*is at version 2; expected version 1"),
        (by_index, r"\[minigrad\.FloatTensor \[3\]\] is at version 1; expected version 0"),
    ):
        root = make().sum()
        for create_graph in (False, True):
            with pytest.raises(RuntimeError, match=beginning + rest):
                list(engine.steps(root, retain_graph=True, create_graph=create_graph))


def test_what_was_not_saved_may_be_written_to(x: Tensor) -> None:
    y = x.clone()
    z = y + y
    constant = mg.ones(3)
    w = y * constant  # saves the constant alone: y's own value is not needed
    y.mul_(7)
    (z + w).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_versions_are_shared_with_views_and_detach_not_with_data_or_clone() -> None:
    y = mg.arange(4.0)
    view, detached, data, clone = y[1:], y.detach(), y.data, y.clone()
    assert [t._version for t in (y, view, detached, data, clone)] == [0, 0, 0, 0, 0]
    y.add_(1)
    view.mul_(2)
    detached[0] = 7
    assert [t._version for t in (y, view, detached, data, clone)] == [3, 3, 3, 0, 0]
    assert y.tolist() == [7.0, 4.0, 6.0, 8.0]
    assert data.tolist() == y.tolist()
    assert clone.tolist() == [0.0, 1.0, 2.0, 3.0]
    data.zero_()
    assert (y._version, data._version) == (3, 1)
    assert y.sum().item() == 0.0


def test_writes_through_0d_tensors_are_seen() -> None:
    y = mg.tensor(2.0)
    view, detached = y.view(1), y.detach()
    y.add_(1)
    assert (view.item(), detached.item()) == (3.0, 3.0)
    detached.mul_(2)
    assert (y.item(), view.item(), y._version) == (6.0, 6.0, 2)
    view[0] = 1
    assert y.item() == 1.0


def test_views_know_their_base() -> None:
    y = mg.arange(6.0)
    view = y.view(2, 3)[0].t()
    assert view._is_view()
    assert view._base is y
    assert not y._is_view()
    assert not y.clone()._is_view()
    assert not y.detach()._is_view() or y.detach()._base is y


# ---------------------------------------------------------------- memory


@pytest.fixture
def no_gc() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def left_to_the_collector() -> list[Any]:
    """The tensors and nodes that only the garbage collector can find."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return [thing for thing in gc.garbage if isinstance(thing, Tensor | Node)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


@pytest.mark.usefixtures("no_gc")
def test_cycles_would_be_noticed() -> None:
    x = leaf(1.0)
    x.grad = leaf(2.0)
    x.grad.grad = x
    del x
    assert len(left_to_the_collector()) == 2


@pytest.mark.usefixtures("no_gc")
def test_a_graph_of_200_000_nodes() -> None:
    """Built, run and dropped: nothing recurses, and all of it goes with the last reference.

    Python allows a thousand calls within each other, and eight megabytes of stack hold no such number of C's either.
    """
    x = scalar(1.0)
    y = x
    for _ in range(200_000):
        y = y * 1.0
    steps = sum(1 for _ in engine.steps(y))
    assert steps == 200_001
    assert x.grad.item() == 1.0
    sink = weakref.ref(_last_node(y.grad_fn))
    assert sink() is not None
    del y
    assert sink() is None
    assert left_to_the_collector() == []


def _last_node(node: Node) -> Node:
    """One of the AccumulateGrads to which the node leads."""
    while not isinstance(node, AccumulateGrad):
        node = next(next_node for next_node, _ in node.next_functions if next_node is not None)
    return node


@pytest.mark.usefixtures("no_gc")
def test_a_deep_graph_can_be_differentiated_twice() -> None:
    x = mg.tensor(1.0, dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y * x
    (first,) = mg.autograd.grad(y, x, create_graph=True)
    (second,) = mg.autograd.grad(first, x)
    assert first.item() == 20_001.0
    assert second.item() == 20_001.0 * 20_000.0
    sink = weakref.ref(_last_node(first.grad_fn))
    del first, y
    assert sink() is None
    assert left_to_the_collector() == []


@pytest.mark.usefixtures("no_gc")
@pytest.mark.parametrize(
    "function",
    [
        pytest.param(function, id=name)
        for name, function in {
            "exp": lambda x: x.exp(),
            "sigmoid": lambda x: x.sigmoid(),
            "max": lambda x: x.max(),
            "x * x": lambda x: x * x,
            "x ** x": lambda x: x**x,
            "views": lambda x: x.view(3)[1:].unsqueeze(0).expand(2, 2).t(),
            "stack": lambda x: mg.stack([x, x.exp()]),
            "where": lambda x: mg.where(x > 0, x, x * 2),
            "index": lambda x: x[[0, 0, 1]],
            "in place": lambda x: (x * 2).add_(1).mul_(x),
        }.items()
    ],
)
def test_results_die_with_their_last_reference(function: Any) -> None:
    x = leaf(1.0, 2.0, 3.0)
    out = function(x)
    references = [weakref.ref(out), weakref.ref(_last_node(out.grad_fn))]
    out.sum().backward()
    del out
    assert [reference() for reference in references] == [None, None]
    out = function(x)
    references = [weakref.ref(out), weakref.ref(_last_node(out.grad_fn))]
    del out
    assert [reference() for reference in references] == [None, None], "also if backward never ran"
    assert left_to_the_collector() == []


@pytest.mark.usefixtures("no_gc")
def test_a_hook_that_holds_its_own_handle_makes_no_cycle() -> None:
    y = leaf(1.0, 2.0) * 2
    held: list[Any] = []
    held.append(y.register_hook(lambda gradient: held[0].remove()))
    hooks = weakref.ref(y.grad_fn._node_hooks().of_tensors[0])
    del y
    assert hooks() is None
    held.clear()


@pytest.mark.usefixtures("no_gc")
def test_random_graphs_leave_nothing_behind() -> None:
    chance = random.Random(0)
    unary = [
        Tensor.exp,
        Tensor.sin,
        Tensor.tanh,
        Tensor.abs,
        Tensor.clone,
        Tensor.relu,
        lambda t: t**2,
        lambda t: t[...],
    ]
    binary = [
        Tensor.mul,
        Tensor.add,
        Tensor.sub,
        lambda a, b: mg.where(a > b, a, b),
        lambda a, b: mg.stack([a, b]).mean(0),
    ]
    for number in range(60):
        leaves = [leaf(0.1, 0.2), leaf(0.3, 0.4)]
        made = list(leaves)
        for _ in range(30):
            made.append(
                chance.choice(unary)(chance.choice(made))
                if chance.random() < 0.5
                else chance.choice(binary)(chance.choice(made), chance.choice(made))
            )
            if number % 3 == 0 and chance.random() < 0.2:
                made[-1].retain_grad()
        references = [weakref.ref(tensor) for tensor in made]
        references += [weakref.ref(_last_node(tensor.grad_fn)) for tensor in made if not tensor.is_leaf]
        root = (made[-1] + made[-2] * leaves[0]).sum()
        if number % 3 == 0:
            root.backward()
        elif number % 3 == 1:
            gradients = mg.autograd.grad(root, leaves, create_graph=True, materialize_grads=True)
            references += [weakref.ref(gradient) for gradient in gradients]
            del gradients
        del leaves, made, root
        assert not any(reference() is not None for reference in references)
    assert left_to_the_collector() == []


@pytest.mark.usefixtures("no_gc")
def test_an_abandoned_run_leaves_nothing_behind() -> None:
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    sink = weakref.ref(_last_node(y.grad_fn))
    run = engine.steps(y)
    next(run)
    del run, y
    assert sink() is None
    assert left_to_the_collector() == []


def test_an_op_whose_first_call_is_interrupted_is_written_at_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    @op.op(self=lambda F, g: g * 2)
    def doubled_after_all(self: Any) -> Any:
        return self * 2

    with monkeypatch.context() as patched:
        patched.setattr(op_text, "define", interrupted)
        with pytest.raises(KeyboardInterrupt):
            doubled_after_all(mg.ones(2))
    try:
        x = mg.ones(2, requires_grad=True)
        doubled_after_all(x).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]  # type: ignore[union-attr]
    finally:
        del op.arrays.doubled_after_all, op.tensors.doubled_after_all


@pytest.mark.parametrize("written", ["whole", "part", "base without gradient"])
def test_a_write_that_is_stopped_before_it_is_recorded_gives_no_wrong_gradient(
    written: str, x: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = mg.zeros(3) if written == "base without gradient" else x * 1
    part, other = base[1:], base[:1]
    copyto = np.copyto

    def stopped(*arguments: Any, **options: Any) -> None:
        copyto(*arguments, **options)
        raise KeyboardInterrupt

    target, added = (part, x[1:]) if written == "part" else (base, x)
    with monkeypatch.context() as patched:
        patched.setattr(np, "copyto", stopped)
        with pytest.raises(KeyboardInterrupt):
            target.add_(added)
    for tensor in (base, part, other):
        assert tensor.requires_grad
        with pytest.raises(RuntimeError, match="stopped half way"):
            tensor * 2
    assert "Invalid" in repr(base)
    assert (base.detach() * 2).tolist() == [2 * number for number in base.tolist()]


def test_a_write_that_is_refused_leaves_the_graph_as_it_was(x: Tensor) -> None:
    with mg.inference_mode():
        inferred = mg.ones(3)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        inferred.add_(x)
    assert not (inferred * 2).requires_grad
    base = x * 3
    rows = base.expand(2, 3)
    base.retain_grad()
    node = rows.grad_fn
    with pytest.raises(RuntimeError, match="more than one element"):
        rows.exp_()  # type: ignore[attr-defined]
    assert rows.grad_fn is node
    assert base.retains_grad
    assert repr(base).endswith("grad_fn=<MulBackward0>)")
    (rows.sum() + (base * base).sum()).backward()
    assert base.grad.tolist() == [8.0, 14.0, 20.0]  # type: ignore[union-attr]
    assert x.grad.tolist() == [24.0, 42.0, 60.0]  # type: ignore[union-attr]


def test_an_observer_sees_a_write_once_and_through_a_view_also_from_the_base(x: Tensor) -> None:
    seen: list[str] = []
    whole = x * 1
    given: list[Any] = []

    def observe(node: Node, out: Any, inputs: Sequence[Tensor], options: Any) -> None:
        seen.append(node.name())
        given.append(options)

    previous = op.set_node_observer(observe)
    try:
        whole.add_(x)
        assert seen == ["AddBackward0"]
        whole[1:].mul_(x[1:])
    finally:
        op.set_node_observer(previous)
    assert seen.count("CopySlices") == 1
    assert given[seen.index("CopySlices")] is None  # no op made it
    assert seen.count("MulBackward0") == 1


@pytest.fixture
def stoppable() -> Iterator[None]:
    """A SIGINT is a KeyboardInterrupt, even where a shell started the tests in its background: then it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("stoppable")
@pytest.mark.parametrize("depth", [20, 45])
def test_a_stop_ends_a_backward_that_goes_on_in_another_thread(depth: int, x: Tensor) -> None:
    seen: list[type[BaseException]] = []

    class Nested(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, depth: int) -> Tensor:
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
            if ctx.depth:
                with mg.enable_grad():
                    Nested.apply(leaf(1.0), ctx.depth - 1).sum().backward()
                return gradient, None
            _thread.interrupt_main()
            try:
                for _ in range(1000):  # ends by itself if it is not ended
                    time.sleep(0.01)
            except BaseException as error:
                seen.append(type(error))
                raise
            return gradient, None

    running = set(sys._current_frames())
    with pytest.raises(KeyboardInterrupt):
        Nested.apply(x, depth).sum().backward()
    assert seen == [KeyboardInterrupt]
    for _ in range(3000):  # the thread has done its work, and needs a moment to end
        if sys._current_frames().keys() - running:
            time.sleep(0.01)
    assert not sys._current_frames().keys() - running
    assert x.grad is None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]  # type: ignore[unreachable]


def test_a_gradient_that_a_function_keeps_is_not_the_one_that_its_leaf_holds(x: Tensor) -> None:
    kept: list[Tensor] = []

    class Keeping(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            kept.append(grad * 2)
            return kept[0]

    Keeping.apply(x).sum().backward()
    kept[0].add_(1)
    assert x.grad is not None
    assert x.grad.tolist() == [2.0] * len(x)


def test_writes_reach_memory_in_any_order_of_dimensions() -> None:
    start = mg.arange(8.0).view(2, 2, 2).requires_grad_()
    turned = start.permute(2, 0, 1) * 1  # which lies in memory as `start` does
    before = turned.tolist()
    turned[[1, 0]] = turned * 10
    assert turned.tolist() == (10 * mg.tensor(before[::-1])).tolist()
    column = (start.permute(2, 0, 1) * 1).detach()[:, :, :1]
    column.expand(2, 2, 3).fill_(7)
    assert column.tolist() == [[[7.0], [7.0]]] * 2


# ---------------------------------------------------------------- layers


ABOVE = ("ops", "nn", "optim", "viz", "teach", "methods", "creation")
PACKAGE = Path(mg.__file__).parent
BELOW = ["tensor", "tensor_base", "memory", "op", "op_text", "operands", "writing"]
ENGINE = [*(PACKAGE / f"{name}.py" for name in BELOW), *sorted((PACKAGE / "autograd").glob("*.py"))]


@pytest.mark.parametrize("file", ENGINE, ids=lambda file: file.stem)
def test_the_engine_imports_nothing_from_above_and_nothing_late(file: Path) -> None:
    tree = ast.parse(file.read_text())
    for found in ast.walk(tree):
        if isinstance(found, ast.ImportFrom):
            assert not str(found.module).startswith(tuple(f"minigrad.{name}" for name in ABOVE)), found.module
        if isinstance(found, ast.FunctionDef) and found.name != "__getattr__":  # that of a module imports on demand
            assert not any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in ast.walk(found)), found.name

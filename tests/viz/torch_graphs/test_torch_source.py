"""What PyTorch's source answers about single gradients, tensors and nodes, without a stepper around it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import require

from minigrad import viz
from minigrad.viz.torch_graphs.torch_source import TorchSource

torch: Any = require("torch")


@pytest.fixture
def source() -> TorchSource:
    return TorchSource(torch.ones((), requires_grad=True) * 2)


def sparse(*numbers: float) -> Any:
    return torch.sparse_coo_tensor([[0, 2]], list(numbers), (3,), check_invariants=True)


# ---------------------------------------------------------------- a gradient that is put back


def test_numbers_are_written_back_into_the_same_gradient_which_does_not_count_it(source: TorchSource) -> None:
    gradient = torch.tensor([1.0, float("nan")])
    kept, version = source.copy(gradient), gradient._version
    with torch.no_grad():
        gradient.mul_(2)
    assert not source.holds(gradient, kept)
    assert source.write(gradient, kept) is gradient
    assert gradient._version == version + 1  # by mul_ alone
    assert source.holds(gradient, kept)
    np.testing.assert_array_equal(gradient.numpy(), [1.0, np.nan])


def test_a_gradient_with_a_graph_can_be_written_back(source: TorchSource) -> None:
    gradient = torch.ones(2, requires_grad=True) * 3
    assert source.has_graph(gradient)
    assert not source.has_graph(gradient.detach())
    assert not source.has_graph(None)
    assert source.write(gradient, torch.zeros(2)) is gradient
    assert (gradient.tolist(), source.copy(gradient).requires_grad) == ([0.0, 0.0], False)


@pytest.mark.parametrize("held", [sparse(5.0, 6.0), torch.zeros(3)], ids=["sparse", "dense"])
def test_a_sparse_gradient_is_another_object_when_it_is_back(source: TorchSource, held: Any) -> None:
    kept = source.copy(sparse(1.0, 2.0))
    back = source.write(held, kept)
    assert source.is_same(held, back)
    assert source.holds(back, kept)
    assert not source.holds(sparse(1.0, 3.0), kept)
    back.coalesce().values().zero_()  # the next backward may add to it
    back.zero_()
    np.testing.assert_array_equal(source.array(kept), [1.0, 0.0, 2.0])


def test_a_dense_gradient_is_another_one_where_it_is_another_object(source: TorchSource) -> None:
    gradient = torch.ones(2)
    assert source.is_same(gradient, gradient)
    assert not source.is_same(gradient, gradient.clone())


@pytest.mark.parametrize("sparse_rows", [True, False])
def test_a_grad_that_was_walked_over_is_not_said_to_have_changed(sparse_rows: bool) -> None:
    table = torch.nn.Embedding(3, 2, sparse=sparse_rows)
    s = viz.BackwardStepper(table(torch.tensor([0, 2])).pow(2).sum())
    s.last()
    kept = table.weight.grad.clone()
    for _ in range(2):
        s.first()
        assert table.weight.grad is None
        s.last()
        s.look()
    assert torch.equal(table.weight.grad.to_dense(), kept.to_dense())
    assert [
        event for frame in s.frames for event in frame.events if "since" in event.text or "after" in event.text
    ] == []
    s.close()


# ---------------------------------------------------------------- tensors


@pytest.mark.parametrize(
    ("make", "numbers"),
    [
        (lambda: torch.tensor([1 + 2j]).conj(), [1 - 2j]),
        (lambda: torch.tensor([1 + 2j]).conj().imag, [-2.0]),  # a view with the negative bit
        (lambda: sparse(1.0, 2.0), [1.0, 0.0, 2.0]),
        (lambda: torch.ones(2, dtype=torch.bfloat16), [1.0, 1.0]),
    ],
)
def test_any_tensor_is_an_array(source: TorchSource, make: Any, numbers: Any) -> None:
    np.testing.assert_array_equal(source.array(make()), numbers)


def test_reading_the_grad_of_a_result_warns_of_nothing(source: TorchSource) -> None:
    w = torch.ones(2, requires_grad=True)
    kept, not_kept = w * 2, w * 3
    kept.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (kept + not_kept).sum().backward()
        assert source.grad(not_kept) is None
        assert source.grad(kept).tolist() == [1.0, 1.0]
        assert source.grad(w).tolist() == [5.0, 5.0]


def test_tensors_share_their_memory_where_all_of_it_is_the_same(source: TorchSource) -> None:
    x = torch.ones(2, 2)
    assert source.memory(x) == source.memory(x.detach())
    others = [x.T, x[0], x.view(torch.int32), x.view(4), x.clone(), torch.ones(2, 2, device="meta")]
    assert source.memory(x) not in [source.memory(other) for other in others]


# ---------------------------------------------------------------- nodes


def test_a_node_that_has_run_is_freed_also_where_it_has_saved_nothing() -> None:
    x = torch.ones(2, requires_grad=True)
    total = (x * x + 1).sum()
    s = viz.BackwardStepper(total)
    source, add = s.session.graph.source, total.grad_fn.next_functions[0][0]
    assert not source.is_freed(add)
    s.last()
    assert source.is_freed(add)
    s.close()
    assert TorchSource(total).is_freed(add.next_functions[0][0])  # which tells it by itself


def test_a_result_is_known_by_what_its_users_have_saved(source: TorchSource) -> None:
    x = torch.ones(4, requires_grad=True)
    left, right = x.exp().tan().chunk(2)
    used = (right * 3.0 * right).grad_fn
    split = right.grad_fn
    assert source.known_result(split, [used]) is None  # that is its second output
    exp = split.next_functions[0][0].next_functions[0][0]
    np.testing.assert_allclose(source.array(source.known_result(exp, [])), np.exp(np.ones(4)), rtol=1e-6)
    assert left.grad_fn is split

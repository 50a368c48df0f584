"""Nodes with several outputs: each output's gradient arrives in its own place, also when some outputs were not used."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd.engine import steps
from minigrad.autograd.node import Node, edge_node, next_sequence_nr
from minigrad.tensor import from_array


class HalvesBackward(Node):
    """The backward of `halves`: the gradients of both halves, zeros for one that was not used."""

    __slots__ = ()
    _output_count = 2

    def apply(self, *gradients):
        sizes = self._kept
        return (np.concatenate([np.zeros(n) if g is None else g for g, n in zip(gradients, sizes, strict=True)]),)

    def apply_recorded(self, *gradients):
        sizes = self._kept
        return (
            mg.cat([mg.zeros(n, dtype=mg.float64) if g is None else g for g, n in zip(gradients, sizes, strict=True)]),
        )


def halves(x):
    """Cut a vector in two, with one node for both results."""
    middle = len(x) // 2
    node = HalvesBackward()
    node._next_nodes, node._output_nrs = (edge_node(x),), None
    node._kept, node._targets, node._hooks, node._metadata = (middle, len(x) - middle), None, None, None
    node._sequence = next_sequence_nr()
    results = from_array(x._array[:middle]), from_array(x._array[middle:])
    for number, result in enumerate(results):
        result._node, result._output_nr = node, number
    return results


@pytest.fixture
def x():
    return mg.tensor([1.0, 2.0, 3.0, 4.0], dtype=mg.float64, requires_grad=True)


def test_each_gradient_arrives_at_its_output(x):
    first, second = halves(x * 1)
    assert (first.output_nr, second.output_nr) == (0, 1)
    result = (first * second * second).sum()
    assert [number for node in (result.grad_fn.next_functions[0][0],) for _, number in node.next_functions] == [0, 1]
    result.backward()
    assert x.grad.tolist() == [9.0, 16.0, 6.0, 16.0]


def test_an_unused_output_has_no_gradient(x):
    _, second = halves(x)
    incoming = {node.name(): gradients for node, gradients, _ in steps(second.sum())}
    assert incoming["HalvesBackward"][0] is None
    assert incoming["HalvesBackward"][1].tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_each_output_is_an_input_of_its_own_for_grad(x):
    first, second = halves(x)
    result = (first * second).sum()
    of_second, of_x = mg.autograd.grad(result, (second, x), create_graph=True)
    assert of_second.tolist() == [1.0, 2.0]
    assert of_x.tolist() == [3.0, 4.0, 1.0, 2.0]
    again = mg.autograd.grad(of_x.sum(), x)[0]
    assert again.tolist() == [1.0, 1.0, 1.0, 1.0]


def test_each_output_can_retain_its_gradient(x):
    first, second = halves(x)
    second.retain_grad()
    (2 * first + 3 * second).sum().backward()
    assert second.grad.tolist() == [3.0, 3.0]
    with pytest.warns(UserWarning, match=r"The \.grad attribute of a Tensor that is not a leaf"):
        assert first.grad is None


def test_an_output_can_be_the_root(x):
    _, second = halves(x)
    second.backward(mg.tensor([1.0, 5.0], dtype=mg.float64))
    assert x.grad.tolist() == [0.0, 0.0, 1.0, 5.0]

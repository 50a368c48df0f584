"""What happens when a learner gets it wrong: an error of the right type, which says what was wrong and what to do.

Where PyTorch's words are the standard, the lists of behaviours check their beginnings; here it is the help that counts,
and the cases in which PyTorch itself says little.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg


def freed() -> mg.Tensor:
    y = mg.ones(2, requires_grad=True).exp().sum()
    y.backward()
    return y


def saved_and_written() -> mg.Tensor:
    y = mg.ones(2, requires_grad=True).exp()
    y.add_(1)
    return y.sum()


# what was done, type of the error, what the text must hold: what was wrong, then what to do
WRONG: dict[str, tuple[Callable[[], Any], type[Exception], list[str]]] = {
    # making tensors
    "dtype as a string": (
        lambda: mg.zeros(2, dtype="float32"),
        TypeError,
        ["'float32'", "minigrad.float32", "minigrad.int64"],
    ),
    "dtype of numpy": (lambda: mg.ones(2, dtype=np.float32), TypeError, ["dtype", "minigrad.float32"]),
    "dtype of an array": (lambda: mg.tensor(np.zeros(2, "complex64")), TypeError, ["complex64", "astype('float32')"]),
    "array of strings": (lambda: mg.tensor(np.array(["a"])), TypeError, ["numpy.str_", "float32"]),
    "to a string": (lambda: mg.ones(2).to("float64"), RuntimeError, ["'float64'", "minigrad.float32"]),
    "ragged list": (lambda: mg.tensor([[1, 2], [3]]), ValueError, ["length 2", "dim 1", "got 1", "same length"]),
    "ragged deep inside": (lambda: mg.tensor([[[1], [2]], [[3], [4, 5]]]), ValueError, ["length 1", "dim 2", "got 2"]),
    "number among rows": (lambda: mg.tensor([[1, 2], 3]), TypeError, ["got a number", "same length"]),
    "row among numbers": (lambda: mg.tensor([1, [2]]), TypeError, ["expected a number", "same length"]),
    "word among numbers": (lambda: mg.tensor([1, "two"]), TypeError, ["'str'", "'two'", "numbers or bools"]),
    "None": (lambda: mg.tensor(None), RuntimeError, ["NoneType", "numbers or bools"]),
    "a dict": (lambda: mg.tensor({"a": 1}), (TypeError, RuntimeError), ["dict", "numbers or bools"]),
    "complex": (lambda: mg.tensor([1j]), TypeError, ["complex", "numbers or bools"]),
    "too large for int64": (lambda: mg.tensor([2**70]), ValueError, ["Overflow", str(2**70)]),
    "integers with a gradient": (
        lambda: mg.tensor([1, 2], requires_grad=True),
        RuntimeError,
        ["int64", "decimal point"],
    ),
    "float where a size belongs": (lambda: mg.zeros(2, 1.5), TypeError, ["size", "float", "1.5"]),
    "negative size": (lambda: mg.rand(2, -3), RuntimeError, ["negative", "-3"]),
    "random integers": (lambda: mg.randn(2, dtype=mg.int64), (RuntimeError, NotImplementedError), ["randn", "float32"]),
    "fill with a word": (lambda: mg.full((2,), "x"), TypeError, ["fill_value", "str", "'x'"]),
    # operands
    "word as an operand": (lambda: mg.ones(2) + "a", TypeError, ["'Tensor' and 'str'", "'a'", "tensor(...)"]),
    "list as an operand": (lambda: [1, 2] * mg.ones(2), TypeError, ["only integer tensors", "list", "tensor(...)"]),
    "None as an operand": (lambda: mg.ones(2) / None, TypeError, ["/", "NoneType"]),
    "word to compare with": (lambda: mg.ones(2) < "a", TypeError, ["<", "str"]),
    "number where a tensor belongs": (
        lambda: mg.exp(3),
        TypeError,
        ["exp()", "must be Tensor, not int", "tensor(...)"],
    ),
    "tensor to write into": (lambda: mg.exp(mg.ones(2), out=mg.ones(2)), TypeError, ["exp()", "argument 'out'"]),
    "tensor for new numbers": (lambda: mg.zeros(2, out=mg.ones(2)), TypeError, ["zeros()", "argument 'out'"]),
    "number to multiply by": (lambda: mg.ones(2, 2) @ 3, TypeError, ["Tensor", "int", "3"]),
    "number as a condition": (lambda: mg.where(3, mg.ones(2), 0), TypeError, ["where()", "condition", "int"]),
    "numbers as a condition": (lambda: mg.where(mg.ones(2), 1, 0), RuntimeError, ["condition", "!= 0"]),
    "two numbers": (lambda: mg.pow(2, 3), TypeError, ["int"]),
    "shapes that do not broadcast": (
        lambda: mg.ones(2, 3) + mg.ones(2),
        RuntimeError,
        ["(3)", "(2)", "dimension 1", "[2, 3]", "[2]", "equal or one of them is 1"],
    ),
    "long operands are cut": (lambda: mg.ones(2) + ("x" * 1000), TypeError, ["..."]),
    "matrices that do not fit": (
        lambda: mg.ones(2, 3) @ mg.ones(2, 3),
        RuntimeError,
        ["2x3", "(3)", "must equal", "(2)"],
    ),
    "batches that do not fit": (lambda: mg.ones(2, 1, 3) @ mg.ones(3, 3, 1), RuntimeError, ["(2)", "(3)"]),
    "0-d factors": (lambda: mg.ones(()) @ mg.ones(2), RuntimeError, ["at least 1D", "0D"]),
    "matrices of two dtypes": (lambda: mg.ones(2, 2) @ mg.ones(2, 2).double(), RuntimeError, ["same dtype", ".to("]),
    "bools subtracted": (lambda: mg.tensor([True]) - mg.tensor([True]), RuntimeError, ["bool", "^"]),
    "mean of integers": (lambda: mg.arange(3).mean(), RuntimeError, ["mean()", "Long", ".float()"]),
    "integer to a negative power": (lambda: mg.arange(3) ** -1, RuntimeError, ["negative integer powers", ".float()"]),
    "~ of floats": (lambda: ~mg.ones(2), TypeError, ["integer", "Boolean"]),
    "& of floats": (
        lambda: mg.ones(2) & mg.ones(2),
        (TypeError, NotImplementedError, RuntimeError),
        ["bitwise_and", "loat"],
    ),
    "sum along a float": (lambda: mg.ones(2).sum(0.5), TypeError, ["dim", "float"]),
    "max of nothing": (lambda: mg.ones(0).max(), RuntimeError, ["max()", "dim"]),
    # shapes and indices
    "reshape to another size": (lambda: mg.ones(2, 3).reshape(4), RuntimeError, ["[4]", "6"]),
    "view of what is not contiguous": (lambda: mg.ones(2, 3).t().view(6), RuntimeError, ["view", ".reshape(...)"]),
    "no such dimension": (lambda: mg.ones(2, 3).sum(2), IndexError, ["[-2, 1]", "2"]),
    "stack of different shapes": (lambda: mg.stack([mg.ones(2), mg.ones(3)]), RuntimeError, ["[2]", "[3]", "entry 1"]),
    "cat of 0-d tensors": (lambda: mg.cat([mg.ones(()), mg.ones(())]), RuntimeError, ["position 0", "stack()"]),
    "cat of numbers": (lambda: mg.cat([1, 2]), TypeError, ["element 0", "int"]),
    "stack of a tensor": (lambda: mg.stack(mg.ones(2, 2)), TypeError, ["tuple of Tensors", "Tensor"]),
    "index out of range": (lambda: mg.ones(3)[3], IndexError, ["3", "dimension 0", "size 3"]),
    "index of a 0-d tensor": (lambda: mg.ones(())[0], IndexError, ["0-dim", "item()"]),
    "float as an index": (lambda: mg.ones(3)[1.0], IndexError, ["integers, slices", "float"]),
    "floats as indices": (lambda: mg.ones(3)[mg.ones(1)], IndexError, ["long", "float32"]),
    "backwards slice": (lambda: mg.ones(3)[::-1], ValueError, ["step", "greater than zero"]),
    "more than one number": (lambda: mg.ones(2).item(), RuntimeError, ["2 elements"]),
    "if of many": (lambda: bool(mg.ones(2) > 0), RuntimeError, ["ambiguous"]),
    "write of a word": (lambda: mg.ones(2).__setitem__(0, "a"), TypeError, ["str", "'a'"]),
    "write of another shape": (lambda: mg.ones(3).__setitem__(slice(None), mg.ones(2)), RuntimeError, ["3", "2"]),
    "write of floats into integers": (
        lambda: mg.arange(2).add_(0.5),
        RuntimeError,
        ["add_", "Float", "Long", ".float()"],
    ),
    "write into shared places": (lambda: mg.ones(1).expand(3).add_(1), RuntimeError, ["memory", "clone()"]),
    # backward
    "root is not a scalar": (
        lambda: (mg.ones(2, requires_grad=True) * 2).backward(),
        RuntimeError,
        ["scalar outputs", "[2]", ".sum().backward()", "gradient="],
    ),
    "root without graph": (
        lambda: mg.ones(()).backward(),
        RuntimeError,
        ["element 0", "requires_grad=True", "no_grad()", "detach()"],
    ),
    "gradient is a number": (
        lambda: mg.ones(2, requires_grad=True).sum().backward(1.0),
        TypeError,
        ["float", "tensor(1.0)"],
    ),
    "gradient of another shape": (
        lambda: mg.ones(2, requires_grad=True).backward(mg.ones(3)),
        RuntimeError,
        ["Size([3])", "Size([2])"],
    ),
    "second backward": (lambda: freed().backward(), RuntimeError, ["second time", "retain_graph=True"]),
    "saved value overwritten": (
        lambda: saved_and_written().backward(),
        RuntimeError,
        ["ExpBackward0", "version 1", "clone()"],
    ),
    "input is a number": (lambda: mg.autograd.grad(freed(), 3), TypeError, ["Tensor", "int", "3"]),
    "output is a number": (
        lambda: mg.autograd.grad(3, mg.ones(2, requires_grad=True)),
        TypeError,
        ["Tensor", "int", "3"],
    ),
    "input without gradient": (
        lambda: mg.autograd.grad(freed(), mg.ones(2)),
        RuntimeError,
        ["require grad", "requires_grad=True"],
    ),
    "unused input": (
        lambda: mg.autograd.grad(mg.ones(1, requires_grad=True) * 2, mg.ones(1, requires_grad=True)),
        RuntimeError,
        ["index 0", "allow_unused=True"],
    ),
    "node called with a number": (lambda: freed().grad_fn(2.0), TypeError, ["SumBackward0", "float", "tensor(2.0)"]),
    "numpy() of a leaf": (
        lambda: mg.ones(2, requires_grad=True).numpy(),
        RuntimeError,
        ["requires grad", "detach().numpy()"],
    ),
    "write into a leaf": (
        lambda: mg.ones(2, requires_grad=True).add_(1),
        RuntimeError,
        ["leaf", "no_grad()", "y = x + 1"],
    ),
    "requires_grad_ of a number": (lambda: mg.ones(2).requires_grad_("yes"), TypeError, ["bool", "str"]),
    "grad mode is a word": (lambda: mg.set_grad_enabled("no"), TypeError, ["bool", "str"]),
}


@pytest.mark.parametrize(("act", "kind", "words"), list(WRONG.values()), ids=list(WRONG))
def test_errors_say_what_was_wrong_and_what_to_do(act: Callable[[], Any], kind: Any, words: list[str]) -> None:
    with pytest.raises(kind) as error:
        act()
    text = str(error.value)
    assert [word for word in words if word not in text] == [], text
    assert len(text) < 700
    assert not re.search(r"0x[0-9a-f]{6,}|_array|ufunc|casting|<lambda>", text), "the engine's inside shows"


@pytest.mark.parametrize("act", [row[0] for row in WRONG.values()], ids=list(WRONG))
def test_after_an_error_all_works_on(act: Callable[[], Any]) -> None:
    with pytest.raises(Exception, match=r"."):
        act()
    assert mg.is_grad_enabled()
    x = mg.ones(2, requires_grad=True)
    (x.exp() * 3).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * np.exp(np.ones(2)), rtol=1e-6)


def test_an_error_leaves_its_operands_as_they_were() -> None:
    x = mg.arange(3.0)
    for write in (
        lambda: x.add_(mg.ones(2)),
        lambda: x.add_("a"),
        lambda: x.copy_(mg.ones(4)),
        lambda: x.__setitem__(9, 1),
    ):
        with pytest.raises((RuntimeError, TypeError, IndexError)):
            write()
    assert x.tolist() == [0.0, 1.0, 2.0]
    assert x._version == 0


def test_an_expression_with_an_array_goes_to_the_tensor() -> None:
    """`array * tensor` must not make an array of tensors, element by element."""
    with pytest.raises(TypeError, match="ndarray"):
        np.ones(2) * mg.ones(2)
    assert isinstance(np.float32(2) * mg.ones(2), mg.Tensor)

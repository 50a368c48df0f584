"""Tensors of chance: `rand`, `randn`, `randint`, `x.normal_()` and the like, and the seed that makes them repeatable.

After this module a reader knows that a random function takes its numbers from a `Generator`, the default one unless
`generator=` names another, and that after `manual_seed(0)` a program draws the same numbers in each run: those that it
would draw in PyTorch. A tensor that is filled at random has no gradient towards what it was before.

How the numbers are made is told in `recipes.py`, how a tensor is filled with them in `filling.py`; what the functions
have in common with `zeros` and its like (`out`, `dtype`, `requires_grad`, `device` ...) in `creation/arguments.py`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.creation.arguments import array_like, check_place, made, numpy_kind, shape_of
from minigrad.dtypes import dtype
from minigrad.op import size_mismatch, tensor_operands
from minigrad.random import filling, recipes
from minigrad.random.filling import (
    bernoulli_by_element,
    bernoulli_numbers,
    bernoulli_result,
    check_floating,
    check_std,
    normal_numbers,
    normal_of_both,
    normal_of_mean,
    normal_of_std,
    number,
    poisson_result,
    source_of,
    uniform_numbers,
    whole_numbers,
)
from minigrad.random.generator import Generator, default_generator
from minigrad.random.recipes import in_memory_order, keep_mask
from minigrad.tensor import Tensor, own_array

__all__ = ["Generator", "default_generator", "keep_mask"]

Array = Any


# ---------------------------------------------------------------- the seed


def manual_seed(seed: int) -> Generator:
    """Start the random numbers anew from a seed, so that a run can be repeated; returns the default generator.

    ValueError for a seed that is no number, or not from -2**63 to 2**64 - 1.
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the random numbers anew from a seed that nobody chose, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the random numbers were started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """All that determines the random numbers to come: a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Have the random numbers go on from what `get_rng_state()` gave."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Random numbers drawn inside a `with` block do not change those that come after it. (`devices` has no effect.)"""
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)


# ---------------------------------------------------------------- new tensors


def rand(
    *size: Any,
    generator: Generator | None = None,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Random numbers, uniform between 0 (included) and 1 (excluded)."""
    source, shape = source_of("rand", generator), shape_of("rand", size, place)
    kind = numpy_kind("rand", dtype, None, out)
    check_floating("check_uniform_bounds", kind, "rand")
    with source.lock:
        numbers = recipes.uniform(math.prod(shape), kind, 0, 1, source)
    return made(numbers.reshape(shape), requires_grad, "rand", out)


def randn(
    *size: Any,
    generator: Generator | None = None,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and standard deviation 1."""
    source, shape = source_of("randn", generator), shape_of("randn", size, place)
    kind = numpy_kind("randn", dtype, None, out)
    check_floating("normal_kernel_cpu", kind, "randn")
    with source.lock:
        numbers = recipes.normal(math.prod(shape), kind, 0, 1, source)
    return made(numbers.reshape(shape), requires_grad, "randn", out)


def randint(
    *arguments: Any,
    low: Any = None,
    high: Any = None,
    size: Any = None,
    generator: Generator | None = None,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Random whole numbers: `randint(high, size)` from 0, `randint(low, high, size)` from low, up to but without high.
    int64 unless `dtype` says otherwise.

    RuntimeError where low is not below high, or the dtype cannot hold the numbers.
    """
    low, high, size = _bounds("randint", arguments, low, high, size)
    source, shape = source_of("randint", generator), shape_of("randint", (size,), place)
    kind = numpy_kind("randint", dtype, dtypes.int64, out)
    with source.lock:
        numbers = whole_numbers(math.prod(shape), kind, low, high, source)
    return made(numbers.reshape(shape), requires_grad, "randint", out)


def _bounds(function: str, arguments: Any, low: Any, high: Any, size: Any) -> tuple[int, int, Any]:
    """low, high and size, however they were given."""
    given = list(arguments)
    if size is None and len(given) + (low is not None) + (high is not None) > 1:
        size = given.pop() if given else None
        if isinstance(size, int | float):
            raise TypeError(
                f"{function}(): argument 'size' (position {len(arguments)}) must be tuple of ints, not "
                f"{type_name(size)}: {size!r}"
            )
    if high is None and given:
        high = given.pop()
    if low is None and given:
        low = given.pop()
    low = 0 if low is None else low
    bounds = [value.item() if isinstance(value, Tensor) and value.ndim == 0 else value for value in (low, high)]
    if size is None or given or not all(isinstance(value, int | np.integer) for value in bounds):
        kinds = ", ".join(type_name(value) for value in arguments)
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got ({kinds}), but expected (int high, tuple "
            "of ints size) or (int low, int high, tuple of ints size)"
        )
    return int(bounds[0]), int(bounds[1]), size


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """The whole numbers from 0 to n - 1 in random order."""
    if not isinstance(n, int | np.integer) or isinstance(n, bool):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_name(n)}: {n!r}")
    source, shape = source_of("randperm", generator), shape_of("randperm", (int(n),), place)
    kind = numpy_kind("randperm", dtype, dtypes.int64, out)
    if kind == np.bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool': give a dtype of numbers")
    if kind.kind != "f" and n - 1 > np.iinfo(kind).max:
        raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow: {n - 1}")
    with source.lock:
        numbers = recipes.permutation(shape[0], source)
    return made(numbers.astype(kind, copy=False), requires_grad, "randperm", out)


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Random numbers between 0 and 1 in another tensor's shape and dtype."""
    array = array_like("rand_like", input, dtype, place)
    return made(uniform_numbers(array, 0, 1, source_of("rand_like", generator)), requires_grad, "rand_like")


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Normal random numbers in another tensor's shape and dtype."""
    array = array_like("randn_like", input, dtype, place)
    return made(normal_numbers(array, 0, 1, source_of("randn_like", generator)), requires_grad, "randn_like")


def randint_like(
    input: Tensor,
    *arguments: Any,
    low: Any = None,
    high: Any = None,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Random whole numbers, `randint_like(x, high)` or `randint_like(x, low, high)`, in another tensor's shape and
    dtype.
    """
    array = array_like("randint_like", input, dtype, place)
    low, high, _ = _bounds("randint_like", arguments, low, high, ())
    source = source_of("randint_like", generator)
    with source.lock:
        numbers = whole_numbers(array.size, array.dtype, low, high, source)
    return made(in_memory_order(numbers, array), requires_grad, "randint_like")


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Normal random numbers.

    Args:
        mean: a number, or a tensor with one mean for each.
        std: a number, or a tensor with one standard deviation for each; it broadcasts with `mean`.
        size: the shape, where both are numbers.

    RuntimeError for a negative standard deviation.
    """
    source = source_of("normal", generator)
    check_place("normal", place)
    tensors = [value for value in (mean, std) if isinstance(value, Tensor)]
    if not tensors or size is not None:
        if size is None or tensors:
            raise TypeError(
                f"normal() received an invalid combination of arguments - got ({type_name(mean)}, {type_name(std)}), "
                "but expected two numbers and a size, or a tensor among the two"
            )
        mean, std = number("normal", "mean", 1, mean), number("normal", "std", 2, std)
        array = np.empty(shape_of("normal", (size,), {}), numpy_kind("normal", dtype, None, out))
        return made(normal_numbers(array, mean, std, source), requires_grad, "normal", out)
    if not isinstance(std, Tensor):
        std = number("normal", "std", 2, std)
        check_std(std)
    elif std.numel() and not own_array(std).min() >= 0:
        raise RuntimeError("normal expects all elements of std >= 0.0, and one is negative")
    mean = mean if isinstance(mean, Tensor) else number("normal", "mean", 1, mean)
    tensor_operands("normal", *tensors)
    kind = numpy_kind("normal", None, tensors[0].dtype, out)
    check_floating("normal_kernel_cpu", kind, "normal")
    if len(tensors) == 2:
        mismatch = size_mismatch("normal", mean.shape, std.shape)
        if mismatch is not None:
            raise RuntimeError(mismatch)
    shape = np.broadcast_shapes(*(value.shape for value in tensors))
    numbers = normal_numbers(np.empty(shape, kind), 0, 1, source)
    for step, value in ((np.multiply, std), (np.add, mean)):
        numbers = step(numbers, value._array if isinstance(value, Tensor) else kind.type(value)).astype(kind)
    if out is not None:
        return made(numbers, False, "normal", out)
    node = normal_of_both if len(tensors) == 2 else normal_of_mean if isinstance(mean, Tensor) else normal_of_std
    result: Tensor = node(*tensors, numbers[()])
    return result


def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """Ones and zeros: each element of the input is the probability of its one. With `p`, a number, all have that.

    RuntimeError for what is no probability.
    """
    (input,) = tensor_operands("bernoulli", input)
    source = source_of("bernoulli", generator)
    array = own_array(input)
    if p is None:
        values = bernoulli_by_element(array, array, source)
    else:
        values = bernoulli_numbers(array, number("bernoulli", "p", 2, p), source)
    return made(values, False, "bernoulli", out) if out is not None else bernoulli_result(input, values[()])


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Any = None,
) -> Tensor:
    """Draw columns by their weights, from each row of a matrix or from a vector: int64, of shape [rows, num_samples].

    Args:
        input: the weights, at least 0; they need not sum to 1.
        num_samples: how many to draw from each row.
        replacement: whether a column can be drawn again.

    RuntimeError for weights that are negative, not finite or all zero, or for more samples than columns.
    """
    (input,) = tensor_operands("multinomial", input)
    source, weights = source_of("multinomial", generator), own_array(input)
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.tensor_type}")
    if not 0 < weights.ndim <= 2:
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, and not {weights.ndim}")
    if weights.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype.tensor_type}. Convert it "
            "first, as in x.float()."
        )
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples: {num_samples}")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: {num_samples} of "
            f"{weights.shape[-1]}"
        )
    shape = (*weights.shape[:-1], num_samples)
    rows = weights[np.newaxis] if weights.ndim == 1 else weights
    if not rows.size:
        return made(np.empty(shape, np.int64), False, "multinomial", out)
    _check_weights(rows, replacement and num_samples > 1)
    with source.lock:
        drawn = recipes.categories(rows, int(num_samples), bool(replacement), source)
    return made(np.ascontiguousarray(drawn, np.int64).reshape(shape), False, "multinomial", out)


def _check_weights(rows: Array, one_by_one: bool) -> None:
    """Raise for weights that cannot be drawn from."""
    low, high = rows.min(), rows.max()
    if not (low >= 0 and high < math.inf):
        if not one_by_one:
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        kind = "< 0" if low < 0 or math.isnan(low) else "= infinity or NaN"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {kind})")
    if not rows.any(axis=1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0): a row is all zeros")


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """How many events there are where each element of the input is the number that is expected. (These are drawn one
    by one: a million take about a second.)

    RuntimeError for a negative rate.
    """
    (input,) = tensor_operands("poisson", input)
    rates, source = own_array(input), source_of("poisson", generator)
    check_floating("poisson_cpu", rates.dtype, "poisson")
    if rates.size and not rates.min() >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    with source.lock:
        numbers = recipes.poisson(rates.reshape(-1).astype(np.float64), source)
    return poisson_result(input, numbers.astype(rates.dtype).reshape(rates.shape)[()])


def _bernoulli_of(self: Tensor, p: Any = None, *, generator: Generator | None = None) -> Tensor:
    """As `bernoulli(x)`: each element is the probability of its one; with `p`, a number, all have that."""
    return bernoulli(self, p, generator=generator)


_bernoulli_of.__name__ = _bernoulli_of.__qualname__ = "bernoulli"  # what Python's errors about arguments say

METHODS: dict[str, Callable[..., Any]] = {
    **filling.METHODS,
    "bernoulli": _bernoulli_of,
    "multinomial": multinomial,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)

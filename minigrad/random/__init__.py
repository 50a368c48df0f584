"""Tensors of chance: `rand`, `randn`, `randint`, `x.normal_()` and the like, and the seed that makes them repeatable.

A random function takes its numbers from a `Generator`, the default one unless `generator=` names another. After
`manual_seed(0)` a program draws the same numbers in each run: those that it would draw in PyTorch. What a tensor held
before it was filled at random gets no gradient; the new numbers come in the order of the tensor's memory.

How the numbers are made is told in `recipes.py`, where they come from in `generator.py`; what the functions have in
common with `zeros` and its like (`dtype`, `requires_grad`, `device` ...) in `creation`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.creation import array_like, empty_array, factory
from minigrad.op import with_node_name
from minigrad.ops.declarations import floats_only
from minigrad.ops.places.assignment import overwritten
from minigrad.public import Dtype, Ints, Sizes, as_float, as_sizes, no_such_form, public, wrong_type
from minigrad.random import recipes
from minigrad.random.generator import Generator, default_generator
from minigrad.random.recipes import Array, in_memory_order, keep_mask
from minigrad.tensor import Tensor, from_array, own_array

__all__ = ["Generator", "default_generator", "keep_mask"]


# ---------------------------------------------------------------- the seed


def manual_seed(seed: int) -> Generator:
    """Start the random numbers anew from a seed, so that a run can be repeated; returns the default generator.

    ValueError for a seed that is no number, or not from -2**63 to 2**64 - 1.
    """
    return default_generator.manual_seed(int(seed))


seed, initial_seed = default_generator.seed, default_generator.initial_seed
get_rng_state, set_rng_state = default_generator.get_state, default_generator.set_state


# ---------------------------------------------------------------- numbers for an array, in the order of its memory


def _uniform(function: str, array: Array, generator: Any, low: float = 0, high: float = 1) -> Array:
    """Uniform numbers from low up to but without high."""
    source = _source(function, generator)
    floats_only("check_uniform_bounds", array, f"{function}() needs a dtype like float32")
    most = _check_bounds(array.dtype, {"from": low, "to": high})
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > most:
        raise RuntimeError(f"uniform_ expects to-from <= {most:g}, but found to={high:g} and from={low:g}")
    return in_memory_order(recipes.uniform(array.size, array.dtype, low, high, source), array)


def _normal(function: str, array: Array, generator: Any, mean: float = 0, std: float = 1) -> Array:
    """Normal numbers with this mean and standard deviation."""
    source = _source(function, generator)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    floats_only("normal_kernel_cpu", array, f"{function}() needs a dtype like float32")
    numbers = recipes.normal(array.size, array.dtype, mean, std, source, array.flags.c_contiguous)
    return in_memory_order(numbers, array)


def _integers(function: str, array: Array, generator: Any, low: int, high: int) -> Array:
    """Whole numbers from low up to but without high."""
    source = _source(function, generator)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    _check_bounds(array.dtype, {"from": low, "to - 1": high - 1})
    return in_memory_order(recipes.integers(array.size, low, high, source).astype(array.dtype, copy=False), array)


def _ones_and_zeros(function: str, array: Array, generator: Any, p: Any) -> Array:
    """Ones and zeros. `p` is the probability of a one, or a tensor with that of each element."""
    source = _source(function, generator)
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return in_memory_order((recipes.unit_doubles(array.size, source) < p).astype(array.dtype), array)
    chances = own_array(p)
    floats_only("bernoulli_tensor_cpu_p_", chances)
    if chances.size and not (chances.min() >= 0 and chances.max() <= 1):
        found = f"Probabilities are from 0 to 1, and these from {chances.min()} to {chances.max()}."
        raise RuntimeError(f"Expected p_in >= 0 && p_in <= 1 to be true, but got false. {found}")
    kind = np.dtype(np.float64) if chances.dtype == np.float64 else np.dtype(np.float32)
    return (recipes.uniform(array.size, kind, 0, 1, source).reshape(array.shape) < chances).astype(array.dtype)


def _check_bounds(kind: Any, bounds: dict[str, Any]) -> Any:
    """Raise if a dtype cannot hold one of the bounds, and return the largest number that it holds."""
    limits: Any = np.finfo(kind) if kind.kind == "f" else np.iinfo(np.uint8 if kind == np.bool_ else kind)
    least, most = limits.min, 1 if kind == np.bool_ else limits.max
    for name, value in bounds.items():
        if not least <= value <= most:
            c_name = dtypes.from_numpy(kind).c_name
            raise RuntimeError(f"{name} is out of bounds for {c_name}: {value} (at most {most:g})")
    return most


def _source(function: str, generator: Any) -> Generator:
    """The generator to draw from."""
    if not isinstance(generator, Generator | None):
        raise no_such_form(function, TypeError("generator= is no minigrad.Generator"), (generator,))
    return generator or default_generator


# ---------------------------------------------------------------- new tensors


@factory
def rand(size: Sizes, *, generator: Any = None, dtype: Dtype) -> Array:
    """Random numbers, uniform between 0 (included) and 1 (excluded)."""
    return _uniform("rand", empty_array(size, dtype), generator)


@factory
def rand_like(input: Tensor, *, generator: Any = None, dtype: Dtype) -> Array:
    """Random numbers between 0 and 1 in another tensor's shape and dtype."""
    return _uniform("rand_like", array_like(input, dtype), generator)


@factory
def randn(size: Sizes, *, generator: Any = None, dtype: Dtype) -> Array:
    """Random numbers from the normal distribution with mean 0 and standard deviation 1."""
    return _normal("randn", empty_array(size, dtype), generator)


@factory
def randn_like(input: Tensor, *, generator: Any = None, dtype: Dtype) -> Array:
    """Normal random numbers in another tensor's shape and dtype."""
    return _normal("randn_like", array_like(input, dtype), generator)


@factory
def randint(
    *arguments: Any, low: Any = None, high: Any = None, size: Any = None, generator: Any = None, dtype: Dtype
) -> Array:
    """Random whole numbers: `randint(high, size)` from 0, `randint(low, high, size)` from low, up to but without high.
    int64 unless `dtype` says otherwise.

    RuntimeError where low is not below high, or the dtype cannot hold the numbers.
    """
    named = {"low": low, "high": high, "size": size}
    free = [name for name, value in named.items() if value is None]
    named |= zip(free[-len(arguments) :], arguments, strict=False)  # randint(high, size) is randint(0, high, size)
    size, high = named["size"], named["high"]
    if isinstance(size, int | float) and high is not None:
        raise wrong_type("randint", "size", len(arguments), "tuple of ints", size)
    ends = [0 if named["low"] is None else named["low"], high]
    ends = [end.item() if isinstance(end, Tensor) and end.ndim == 0 else end for end in ends]
    if size is None or len(arguments) > len(free) or not all(isinstance(end, int | np.integer) for end in ends):
        raise no_such_form("randint", TypeError("give randint(high, size) or randint(low, high, size)"), arguments)
    array = empty_array(as_sizes("randint", "size", len(arguments), (size,)), dtype or dtypes.int64)
    return _integers("randint", array, generator, *map(int, ends))


@factory
def randperm(n: int, *, generator: Any = None, dtype: Dtype) -> Array:
    """The whole numbers from 0 to n - 1 in random order."""
    array = empty_array((n,), dtype or dtypes.int64)
    if array.dtype == np.bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool': give a dtype of numbers")
    if array.dtype.kind != "f" and array.size - 1 > np.iinfo(array.dtype).max:
        raise RuntimeError(f"value cannot be converted to type {array.dtype.name}_t without overflow: {array.size - 1}")
    return recipes.permutation(array.size, _source("randperm", generator)).astype(array.dtype, copy=False)


@factory
def normal(mean: Any, std: Any = 1.0, size: Ints | None = None, *, generator: Any = None, dtype: Dtype) -> Array:
    """Normal random numbers with one mean and one standard deviation, which are numbers: `normal(0, 0.1, (2, 3))`. With
    tensors of them, `mean + std * randn_like(mean)` does it, and gives both their gradients.

    RuntimeError for a negative standard deviation.
    """
    if size is None:
        raise no_such_form("normal", TypeError("give numbers and sizes, or mean + std * randn_like(mean)"), (mean, std))
    mean, std = as_float("normal", "mean", 1, mean), as_float("normal", "std", 2, std)
    return _normal("normal", empty_array(size, dtype), generator, mean, std)


_bernoulli_result = with_node_name(overwritten, "BernoulliBackward0")


@public
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Ones and zeros: each element of the input is the probability of its one. With `p`, a number, all have that.

    RuntimeError for what is no probability.
    """
    values = _ones_and_zeros("bernoulli", own_array(input), generator, input if p is None else p)
    return _bernoulli_result(input, values[()])


@public
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draw columns by their weights, from each row of a matrix or from a vector: int64, (rows, num_samples).

    RuntimeError for weights that are negative, not finite or all zero, or for more samples than columns.
    """
    weights, source = own_array(input), _source("multinomial", generator)
    if weights.ndim not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, and not {weights.ndim}")
    if weights.dtype.kind != "f":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.tensor_type}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples: {num_samples}")
    if num_samples > weights.shape[-1] and not replacement:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not weights.any(axis=-1).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return from_array(recipes.categories(weights, num_samples, replacement, source))


# ---------------------------------------------------------------- in place
# What these write does not depend on what was there before.

_uniform_result = with_node_name(overwritten, "UniformBackward0")
_normal_result = with_node_name(overwritten, "NormalBackward0")
_written_bernoulli = with_node_name(overwritten, "BernoulliBackward2")


@public(name="uniform", function=False, method=False, in_place="method")
def _fill_uniform(input: Tensor, low: Any = 0.0, to: float = 1.0, *, generator: Any = None) -> Any:
    """Fill the tensor with uniform random numbers from `from` up to but without `to`: `x.uniform_(-1, 1)`."""
    low = as_float("uniform_", "from", 1, low)
    return _uniform_result(input, _uniform("uniform_", own_array(input), generator, low, to))


@public(name="normal", function=False, method=False, in_place="method")
def _fill_normal(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Any:
    """Fill the tensor with normal random numbers."""
    return _normal_result(input, _normal("normal_", own_array(input), generator, mean, std))


@public(name="bernoulli", function=False, method=False, in_place="method")
def _fill_bernoulli(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill the tensor with ones, each with probability p, and zeros. `p` is a number, or a tensor that broadcasts."""
    if not isinstance(p, Tensor | int | float | np.number):
        raise no_such_form("bernoulli_", TypeError("give a tensor or a float"), (p,))
    return _written_bernoulli(input, _ones_and_zeros("bernoulli_", own_array(input), generator, p))

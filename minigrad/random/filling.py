"""Filling tensors at random: `x.normal_()`, `x.uniform_(-1, 1)` and the like.

After this module a reader knows that what such a method writes does not depend on what was there before: its old
numbers get no gradient. The new ones come in the order of the tensor's memory.

How the numbers are made is told in `recipes.py`; new tensors of chance are made in `random/__init__.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.op import op
from minigrad.ops.places.overwrite import overwriting
from minigrad.random import recipes
from minigrad.random.generator import Generator, default_generator
from minigrad.random.recipes import in_memory_order
from minigrad.tensor import Tensor, own_array
from minigrad.writing import in_place

Array = Any


def source_of(function: str, generator: Any) -> Generator:
    """The generator to draw from."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got (generator={type_name(generator)}), but "
            "expected a minigrad.Generator"
        )
    return generator


def check_floating(name: str, kind: Any, function: str) -> None:
    if kind.kind != "f":
        raise NotImplementedError(
            f'"{name}" not implemented for {dtypes.from_numpy(kind).tensor_type!r}: the numbers of {function}() have '
            "fractions, so the dtype must be floating, such as minigrad.float32"
        )


_C_NAMES = {"bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short", "int32": "int",
            "int64": "long int", "float16": "c10::Half", "float32": "float", "float64": "double"}  # fmt: skip


def whole_numbers(count: int, kind: Any, low: int, high: int, source: Generator) -> Array:
    """Whole numbers of a dtype, from low up to but without high."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if kind.kind == "f":
        limits = -float(np.finfo(kind).max), float(np.finfo(kind).max)
        low, high = _representable(kind, low, high)
    else:
        limits = (0, 1) if kind == np.bool_ else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not limits[0] <= value <= limits[1]:
            raise RuntimeError(
                f"{name} is out of bounds for {_C_NAMES[kind.name]}: {value} is not from {limits[0]} to {limits[1]}"
            )
    return recipes.integers(count, low, high, source).astype(kind, copy=False)


def _representable(kind: Any, low: int, high: int) -> tuple[int, int]:
    """Bounds moved inwards where a floating dtype cannot hold all whole numbers between them: a number below `high`
    must not be rounded up to it.
    """
    digits = int(np.finfo(kind).nmant) + 1
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not -(2**digits) <= value <= 2**digits:
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{_C_NAMES[kind.name]} can support discrete uniform distribution only within this range: not all "
                "numbers can come up.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
    if (above := int(kind.type(low + 1))) < low:
        low = above + (1 << (abs(low + 1).bit_length() - digits))
    if (below := int(kind.type(high - 1))) >= high:
        high = below - (1 << (abs(high - 1).bit_length() - digits))
    return low, high


# ---------------------------------------------------------------- numbers in a tensor's shape


def number(function: str, name: str, position: int, value: Any) -> float:
    """A float argument; a tensor that holds one number will do."""
    if isinstance(value, Tensor) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be float, not {type_name(value)}: {value!r}"
        )
    return float(value)


def _formatted(value: float) -> str:
    """A number as PyTorch's messages write it."""
    return f"{value:g}"


def check_std(std: float) -> None:
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {_formatted(std)}")


def uniform_numbers(array: Array, low: float, high: float, source: Generator) -> Array:
    check_floating("check_uniform_bounds", array.dtype, "uniform_")
    limit = float(np.finfo(array.dtype).max)
    for name, value in (("from", low), ("to", high)):
        if not -limit <= value <= limit:
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[array.dtype.name]}: {value}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={_formatted(low)} > to={_formatted(high)}"
        )
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{dtypes.of(array).tensor_type}>::max(), but found "
            f"to={_formatted(high)} and from={_formatted(low)} which result in to-from to exceed the limit"
        )
    with source.lock:
        return in_memory_order(recipes.uniform(array.size, array.dtype, low, high, source), array)


def normal_numbers(array: Array, mean: float, std: float, source: Generator) -> Array:
    check_std(std)
    check_floating("normal_kernel_cpu", array.dtype, "normal_")
    with source.lock:
        numbers = recipes.normal(array.size, array.dtype, mean, std, source, array.flags.c_contiguous)
    return in_memory_order(numbers, array)


def bernoulli_by_element(array: Array, probabilities: Array, source: Generator) -> Array:
    """Ones and zeros in an array's shape and dtype, each with its own probability."""
    check_floating("bernoulli_tensor_cpu_p_", probabilities.dtype, "bernoulli")
    if probabilities.size and not (probabilities.min() >= 0 and probabilities.max() <= 1):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false. Probabilities are from 0 to 1, and these are "
            f"from {probabilities.min()} to {probabilities.max()}."
        )
    with source.lock:
        return recipes.successes_by_element(np.broadcast_to(probabilities, array.shape), source).astype(array.dtype)


def bernoulli_numbers(array: Array, p: float, source: Generator) -> Array:
    """Ones, each with probability p, and zeros in an array's shape and dtype."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={_formatted(p)}")
    with source.lock:
        return in_memory_order(recipes.successes(array.size, p, source).astype(array.dtype), array)


# ---------------------------------------------------------------- in place


@op(
    name="NormalBackward3",
    mean=lambda F, g, mean_shape: F.zeros(mean_shape, g),
    std=lambda F, g, std_shape: F.zeros(std_shape, g),
)
def normal_of_both(mean: Array, std: Array, values: Array) -> Array:
    """Random values that were drawn with these means and standard deviations."""
    return values


normal_of_mean, normal_of_std = overwriting("NormalBackward1"), overwriting("NormalBackward2")
poisson_result, bernoulli_result = overwriting("PoissonBackward0"), overwriting("BernoulliBackward0")


def _filling(name: str, node: str, numbers: Callable[..., Array]) -> Callable[..., Any]:
    """The in-place method that fills a tensor with `numbers(array, source, *arguments)`."""
    filled = overwriting(node)  # what is written does not depend on what was there before
    numbers.__name__ = numbers.__qualname__ = name  # what Python's errors about arguments say

    def random(self: Tensor, *arguments: Any, generator: Any = None, **named: Any) -> Tensor:
        values = numbers(own_array(self), source_of(name, generator), *arguments, **named)
        result: Tensor = filled(self, values)
        return result

    method = in_place(random, name)
    method.__doc__ = numbers.__doc__
    return method


def _uniform_numbers(array: Array, source: Generator, low: Any = 0.0, /, to: Any = 1.0) -> Array:
    """Fill the tensor with uniform random numbers from `from` up to but without `to`: `x.uniform_(-1, 1)`."""
    return uniform_numbers(array, number("uniform_", "from", 1, low), number("uniform_", "to", 2, to), source)


def _normal_numbers(array: Array, source: Generator, mean: Any = 0.0, std: Any = 1.0) -> Array:
    """Fill the tensor with normal random numbers."""
    return normal_numbers(array, number("normal_", "mean", 1, mean), number("normal_", "std", 2, std), source)


def _bernoulli_numbers(array: Array, source: Generator, p: Any = 0.5) -> Array:
    """Fill the tensor with ones, each with probability p, and zeros. `p` is a number, or a tensor that broadcasts."""
    if isinstance(p, Tensor):
        return bernoulli_by_element(array, own_array(p), source)
    if not isinstance(p, int | float | np.number):
        raise TypeError(
            f"bernoulli_() received an invalid combination of arguments - got ({type_name(p)}), but expected a Tensor "
            "or a float"
        )
    return bernoulli_numbers(array, float(p), source)


def _exponential_numbers(array: Array, source: Generator, lambd: Any = 1.0) -> Array:
    """Fill the tensor with numbers of the exponential distribution with mean 1 / lambd."""
    rate = number("exponential_", "lambd", 1, lambd)
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={_formatted(rate)}")
    _check_continuous("Exponential", array, dtypes.of(array).tensor_type)
    with source.lock:
        return in_memory_order(recipes.exponential(array.size, rate, source).astype(array.dtype), array)


def _check_continuous(distribution: str, array: Array, kind: str) -> None:
    if array.dtype.kind != "f":
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {kind}"
        )


def _random_integers(array: Array, source: Generator, *bounds: Any, to: Any = None) -> Array:
    """Fill the tensor with whole random numbers: `random_(high)` from 0, `random_(low, high)` from low, up to but
    without high; `random_()` over all that the dtype holds from 0 on.
    """
    given = [value.item() if isinstance(value, Tensor) and value.ndim == 0 else value for value in bounds]
    if to is not None or (len(given) == 1):
        given.append(to if to is not None else given.pop())
        given = [0, *given] if len(given) == 1 else given
    if len(given) > 2 or not all(isinstance(value, int | np.integer) for value in given if value is not None):
        kinds = ", ".join(type_name(value) for value in bounds)
        raise TypeError(
            f"random_() received an invalid combination of arguments - got ({kinds}), but expected (), (int to) or "
            "(int from, int to)"
        )
    with source.lock:
        if not given:
            numbers = recipes.integers_of(array.size, array.dtype, source)
        else:
            low, high = given
            numbers = whole_numbers(
                array.size, array.dtype, low, _integer_limit(array.dtype) if high is None else high, source
            )
    return in_memory_order(numbers, array)


def _integer_limit(kind: Any) -> int:
    """Where the whole numbers end that a dtype can hold."""
    if kind.kind == "f":
        return int(2 ** (np.finfo(kind).nmant + 1)) + 1
    return 2 if kind == np.bool_ else int(np.iinfo(kind).max) + 1


def _log_normal_numbers(array: Array, source: Generator, mean: Any = 1.0, std: Any = 2.0) -> Array:
    """Fill the tensor with numbers whose logarithms are normal, with this mean and standard deviation."""
    mean, std = number("log_normal_", "mean", 1, mean), number("log_normal_", "std", 2, std)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={_formatted(std)}")
    check_floating("log_normal_cpu", array.dtype, "log_normal_")
    with source.lock:
        numbers = np.exp(recipes.normal_pairs(array.size, source) * std + mean)
    return in_memory_order(numbers.astype(array.dtype), array)


def _geometric_numbers(array: Array, source: Generator, p: Any) -> Array:
    """Fill the tensor with how many tries it takes until one succeeds, each with probability p."""
    p = number("geometric_", "p", 1, p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={_formatted(p)}")
    if array.dtype == np.bool_:
        raise NotImplementedError("\"geometric_cpu\" not implemented for 'Bool': give a dtype of numbers")
    with source.lock:
        return in_memory_order(recipes.geometric(array.size, p, source).astype(array.dtype), array)


def _cauchy_numbers(array: Array, source: Generator, median: Any = 0.0, sigma: Any = 1.0) -> Array:
    """Fill the tensor with numbers of Cauchy's distribution."""
    median, sigma = number("cauchy_", "median", 1, median), number("cauchy_", "sigma", 2, sigma)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={_formatted(sigma)}")
    _check_continuous("Cauchy", array, _C_NAMES[array.dtype.name])
    with source.lock:
        return in_memory_order(recipes.cauchy(array.size, median, sigma, source).astype(array.dtype), array)


METHODS: dict[str, Callable[..., Any]] = {
    "uniform_": _filling("uniform_", "UniformBackward0", _uniform_numbers),
    "normal_": _filling("normal_", "NormalBackward0", _normal_numbers),
    "exponential_": _filling("exponential_", "ExponentialBackward0", _exponential_numbers),
    "random_": _filling("random_", "RandomBackward2", _random_integers),
    "log_normal_": _filling("log_normal_", "LogNormalBackward0", _log_normal_numbers),
    "geometric_": _filling("geometric_", "GeometricBackward0", _geometric_numbers),
    "cauchy_": _filling("cauchy_", "CauchyBackward0", _cauchy_numbers),
    "bernoulli_": _filling("bernoulli_", "BernoulliBackward2", _bernoulli_numbers),
}

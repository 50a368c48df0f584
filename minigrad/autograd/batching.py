"""Many gradients in one backward pass: the rules, run on a whole batch of them at once.

`grad(..., is_grads_batched=True)` takes 100 rows of a Jacobian through the graph in one walk. A rule is written against
a namespace F. Here F is `batched`: its values are stacks of gradients, each of which looks to the rule like a single
gradient, so that every rule works as it is. Most operations need no loop:

- elementwise ones line up the dimensions behind the batch, and numpy's broadcasting does the rest;
- those whose parameters are dimensions, shapes or indices get them one further on;
- a matrix product of all rows is one larger matrix product.

Any other operation runs its kernel once for each row, and so does a whole node whose rule looks at the numbers of its
gradient, or whose backward is the learner's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.namespaces import arrays, tensors

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


class NotBatchableError(Exception):
    """A rule did with a batch what can only be done with one gradient: its node runs for each row."""


def _refuse(*_: Any, **__: Any) -> Any:
    raise NotBatchableError


class Batched(NDArrayOperatorsMixin):
    """A stack of gradients that looks like one of them: `shape` is without the first dimension, that of the batch.

    numpy's own elementwise functions take it (`g * 2`, `np.exp(g)`). What else is asked of it is refused.
    """

    __slots__ = ("array", "shape", "ndim", "dtype")

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape: tuple[int, ...] = array.shape[1:]
        self.ndim: int = array.ndim - 1
        self.dtype = array.dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Batched:
        if method != "__call__" or options:
            raise NotBatchableError
        return _matmul(*inputs) if ufunc is np.matmul else Batched(ufunc(*_align_dims(*inputs)))

    def __getitem__(self, index: Any) -> Batched:
        return batched.basic_index(self, index if isinstance(index, tuple) else (index,))

    __hash__ = object.__hash__
    __bool__ = __iter__ = __len__ = __float__ = __array__ = __array_function__ = __getattr__ = _refuse


# ---------------------------------------------------------------- one node


def apply_to_rows(node: Any, *gradients: Any) -> tuple[Any, ...]:
    """A node's gradients, for each row of a batch of incoming ones."""
    count = next(len(gradient.array) for gradient in gradients if gradient is not None)
    try:
        outgoing = node.apply_batched(*gradients)
    except NotBatchableError:
        outgoing = stack_results([node.apply(*_row(gradients, number)) for number in range(count)])
    return tuple([None if gradient is None else as_batch(gradient, count) for gradient in outgoing])


def as_batch(gradient: Any, count: int) -> Batched:
    """A gradient as a batch, also if it came out the same for all rows."""
    if isinstance(gradient, Batched):
        return gradient
    return Batched(np.broadcast_to(gradient, (count, *gradient.shape)))


def _row(value: Any, number: int) -> Any:
    """What an argument is for one row of the batch."""
    if value.__class__ is Batched:
        return value.array[number]
    if value.__class__ in (tuple, list):
        return value.__class__([_row(item, number) for item in value])
    return value


def stack_results(rows: list[Any]) -> Any:
    """The results of all rows, stacked: arrays as a batch, tensors as one tensor; if they are several, each.

    None where none has any; a row without a gradient among others with one counts as zeros.
    """
    known = next((row for row in rows if row is not None), None)
    if known is None:
        return None
    if isinstance(known, tuple | list):
        return tuple([stack_results(list(parts)) for parts in zip(*rows, strict=True)])
    if hasattr(known, "_array"):
        rows = [tensors.zeros(known.shape, known) if row is None else row for row in rows]
        with enable_grad():
            return tensors.stack(*rows, dim=0)
    return Batched(np.stack([arrays.zeros(known.shape, known) if row is None else row for row in rows]))


# ---------------------------------------------------------------- F


class _BatchedOps:
    """The namespace F for batches; each operation is made when a rule first asks for it."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        rule: Callable[..., Any] = _RULES.get(name, _elementwise if name in _ELEMENTWISE else _by_rows)
        if name in _FURTHER_ON:
            rule = partial(_further_on, list(signature(getattr(arrays, name)).parameters)[1:])

        def call(*arguments: Any, **options: Any) -> Any:
            kernel = getattr(arrays, name)  # while a profiler is on, the one that it put there
            if not any(map(_is_batched, arguments)):
                return kernel(*arguments, **options)
            return rule(kernel, *arguments, **options)

        setattr(self, name, call)
        return call


def _is_batched(value: Any) -> bool:
    return value.__class__ is Batched or (value.__class__ in (tuple, list) and any(map(_is_batched, value)))


batched: Any = _BatchedOps()


def _by_rows(kernel: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Any operation: its kernel, once for each row."""
    count = next(len(value.array) for value in arguments if value.__class__ is Batched)
    return stack_results([kernel(*_row(arguments, number), **options) for number in range(count)])


def _align_dims(*values: Any) -> list[Any]:
    """Arrays in which the dimensions behind the batch stand below each other, as broadcasting wants them."""
    ndim = max([value.ndim for value in values if value.__class__ is Batched or value.__class__ is np.ndarray])
    return [_with_ndim(value, ndim) if value.__class__ is Batched else value for value in values]


def _with_ndim(value: Batched, ndim: int) -> Array:
    return value.array.reshape(len(value.array), *(1,) * (ndim - value.ndim), *value.shape)


def _elementwise(kernel: Callable[..., Any], *arguments: Any, **options: Any) -> Batched:
    return Batched(kernel(*_align_dims(*arguments), **options))


def _matmul(first: Any, second: Any) -> Batched:
    """Products of vectors, matrices or batches of these; with luck as one large one."""
    a, b = (value.array if value.__class__ is Batched else value for value in (first, second))
    if b is second and b.ndim == 2:
        rows = a.reshape(math.prod(a.shape[:-1]), a.shape[-1]) @ b
        return Batched(rows.reshape(*a.shape[:-1], b.shape[1]))
    if a is first and a.ndim == 2 and second.ndim == 1:
        return Batched(b @ a.T)
    return Batched(a @ b) if first.ndim == second.ndim > 1 else _by_rows(np.matmul, first, second)


def _further_on(names: list[str], kernel: Callable[..., Any], value: Batched, *arguments: Any) -> Any:
    """An operation whose parameters say by their names what they are: behind the batch, each is one further on."""
    moved = []
    for name, argument in zip(names, arguments, strict=True):
        if name.startswith("dim"):
            argument = tuple(map(_further, argument)) if isinstance(argument, tuple) else _further(argument)
        elif name == "shape":
            argument = (len(value.array), *argument)
        elif name == "index":
            if sum([isinstance(part, np.ndarray | list) for part in argument]) > 1:
                return _by_rows(kernel, value, *arguments)  # numpy moves dimensions about
            argument = (slice(None), *argument)
        moved.append(argument)
    return Batched(kernel(value.array, *moved))


def _further(dim: int) -> int:
    """A dimension's number, with the batch before it; those counted from the last stay."""
    return dim + 1 if dim >= 0 else dim


def _reshape(kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...]) -> Any:
    if not value.size:
        return _by_rows(kernel, value, shape)  # where numpy would not find a -1
    return Batched(value.array.reshape(len(value.array), *shape))


def _expand(kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...]) -> Batched:
    return Batched(np.broadcast_to(_with_ndim(value, len(shape)), (len(value.array), *shape)))


def _sum_to(kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...]) -> Batched:
    rows = len(value.array)
    kept = kernel(value.array, (rows, *(1,) * (value.ndim - len(shape)), *shape))
    return Batched(np.asarray(kept).reshape(rows, *shape))


def _summed_along(value: Batched, dim: int) -> Any:
    return batched.sum_dims(value, (dim,) if value.ndim else (), True)


# fmt: off
_ELEMENTWISE = (  # and what treats all matrices of a batch alike
    "abs", "cast", "clamp_to_numbers", "cos", "cosh", "erf", "exp", "isfinite", "log", "masked_fill", "pow_number",
    "sigmoid", "sign", "sin", "sinh", "sqrt", "tanh", "tril", "triu", "where", "where_positive",
)
_FURTHER_ON = (
    "advanced_index", "basic_index", "diagonal", "diagonal_backward", "flip", "index_backward", "mean_dims",
    "squeeze_one", "sum_dims", "transpose", "unsqueeze",
)
# fmt: on
_RULES: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "expand": _expand,
    "sum_to": _sum_to,
    "sum_all": lambda kernel, value: batched.sum_dims(value, tuple(range(value.ndim)), False),
    "zeros": lambda kernel, shape, like: kernel(shape, like.array),
    "permute": lambda kernel, value, dims: Batched(kernel(value.array, (0, *map(_further, dims)))),
    "matrix_transpose": lambda kernel, value: batched.permute(value, tuple(range(value.ndim))[::-1]),
    "unbind": lambda kernel, value, dim: [Batched(part) for part in kernel(value.array, _further(dim))],
    "softmax_gradient": lambda kernel, g, output, dim: output * (g - _summed_along(g * output, dim)),
    "log_softmax_gradient": lambda kernel, g, output, dim: g - batched.exp(output) * _summed_along(g, dim),
}

"""Many gradients in one backward pass: the rules, run on a whole batch of them at once.

After this module a reader knows how `grad(..., is_grads_batched=True)` takes 100 rows of a Jacobian through the graph
in one walk. A rule is written against a namespace F. Here F is `batched`: its values are stacks of gradients, each of
which looks to the rule like a single gradient, so that every rule works as it is. Most operations need no loop:

- elementwise ones line up the dimensions behind the batch, and numpy's broadcasting does the rest;
- those that name dimensions or shapes name them one further on;
- a matrix product of all rows is one larger matrix product.

Any other operation runs its kernel once for each row, and so does a whole node whose rule looks at the numbers of its
gradient, or whose backward is the learner's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.namespaces import arrays, tensors

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


class NotBatchableError(Exception):
    """A rule did with a batch what can only be done with one gradient: its node runs for each row."""


def _refuse(*_: Any, **__: Any) -> Any:
    raise NotBatchableError


class Batched:
    """A stack of gradients that looks like one of them: `shape` is without the first dimension, that of the batch."""

    __slots__ = ("array",)
    __array_ufunc__ = None  # so that `array * batch` asks us

    def __init__(self, array: Array) -> None:
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.array.shape[1:]
        return shape

    @property
    def ndim(self) -> int:
        count: int = self.array.ndim - 1
        return count

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def __neg__(self) -> Batched:
        return Batched(-self.array)

    def __invert__(self) -> Batched:
        return Batched(~self.array)

    def __matmul__(self, other: Any) -> Batched:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> Batched:
        return _matmul(other, self)

    def __getitem__(self, index: Any) -> Batched:
        result: Batched = batched.basic_index(self, index if isinstance(index, tuple) else (index,))
        return result

    __hash__ = object.__hash__
    __bool__ = __iter__ = __len__ = __float__ = __array__ = __array_function__ = __getattr__ = _refuse

    def __eq__(self, other: object) -> Any: ...
    def __ne__(self, other: object) -> Any: ...


def _operator(name: str) -> Callable[[Batched, Any], Any]:
    def operate(self: Batched, other: Any) -> Any:
        own, theirs = _aligned(self, other)
        result = getattr(own, name)(theirs)
        return result if result is NotImplemented else Batched(result)

    return operate


for _name in ("add", "sub", "mul", "truediv", "pow", "and", "or", "radd", "rsub", "rmul", "rtruediv", "rpow"):
    setattr(Batched, f"__{_name}__", _operator(f"__{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Batched, f"__{_name}__", _operator(f"__{_name}__"))


# ---------------------------------------------------------------- one node


def run(node: Any, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
    """A node's gradients, for each row of a batch of incoming ones."""
    count = next(len(gradient.array) for gradient in gradients if gradient is not None)
    try:
        outgoing = node.apply_batched(*gradients)
    except NotBatchableError:
        outgoing = stacked([node.apply(*_row(gradients, number)) for number in range(count)])
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


def stacked(rows: list[Any]) -> Any:
    """The results of all rows, stacked: arrays as a batch, tensors as one tensor; if they are several, each.

    None where none has any; a row without a gradient among others with one counts as zeros.
    """
    known = next((row for row in rows if row is not None), None)
    if known is None:
        return None
    if isinstance(known, tuple | list):
        return tuple([stacked(list(parts)) for parts in zip(*rows, strict=True)])
    if hasattr(known, "_array"):
        rows = [tensors.zeros(known.shape, known) if row is None else row for row in rows]
        with enable_grad():
            return tensors.stack(*rows, dim=0)
    return Batched(np.stack([arrays.zeros(known.shape, known) if row is None else row for row in rows]))


# ---------------------------------------------------------------- F


class _Batched:
    """The namespace F for batches; each operation is made when a rule first asks for it."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        kernel: Callable[..., Any] = getattr(arrays, name)
        rule: Callable[..., Any] = _RULES.get(name, _loop)

        def call(*arguments: Any, **options: Any) -> Any:
            if not any(map(_is_batched, arguments)):
                return kernel(*arguments, **options)
            return rule(kernel, *arguments, **options)

        setattr(self, name, call)
        return call


def _is_batched(value: Any) -> bool:
    return value.__class__ is Batched or (value.__class__ in (tuple, list) and any(map(_is_batched, value)))


batched: Any = _Batched()


def _loop(kernel: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Any operation: its kernel, once for each row."""
    count = next(len(value.array) for value in arguments if value.__class__ is Batched)
    return stacked([kernel(*_row(arguments, number), **options) for number in range(count)])


def _aligned(*values: Any) -> list[Any]:
    """Arrays in which the dimensions behind the batch stand below each other, as broadcasting wants them."""
    ndim = max([value.ndim for value in values if value.__class__ is Batched or isinstance(value, np.ndarray)])
    return [_with_ndim(value, ndim) if value.__class__ is Batched else value for value in values]


def _with_ndim(value: Batched, ndim: int) -> Array:
    array = value.array
    missing = ndim - array.ndim + 1
    return array.reshape(len(array), *(1,) * missing, *array.shape[1:]) if missing > 0 else array


def _elementwise(kernel: Callable[..., Any], *arguments: Any, **options: Any) -> Batched:
    return Batched(kernel(*_aligned(*arguments), **options))


def _matmul(first: Any, second: Any) -> Batched:
    """Products of vectors, matrices or batches of these; with luck as one large one."""
    if second.__class__ is not Batched and second.ndim == 2:
        array = first.array
        rows = array.reshape(math.prod(array.shape[:-1]), array.shape[-1]) @ second
        return Batched(rows.reshape(*array.shape[:-1], second.shape[1]))
    if first.__class__ is not Batched and first.ndim == 2 and second.ndim == 1:
        return Batched(second.array @ first.T)
    ndim = max(first.ndim, second.ndim, 2)
    a = first.array if first.__class__ is Batched else first
    b = second.array if second.__class__ is Batched else second
    a = a[..., None, :] if first.ndim == 1 else a
    b = b[..., :, None] if second.ndim == 1 else b
    a, b = (
        _with_ndim(Batched(array), ndim) if value.__class__ is Batched else array
        for array, value in ((a, first), (b, second))
    )
    product = a @ b
    product = product[..., 0, :] if first.ndim == 1 else product
    return Batched(product[..., 0] if second.ndim == 1 else product)


def _further(dim: int) -> int:
    """A dimension's number, with the batch before it; those counted from the last stay."""
    return dim + 1 if dim >= 0 else dim


def _dims(kernel: Callable[..., Any], value: Batched, *dims: int) -> Batched:
    return Batched(kernel(value.array, *[_further(dim) for dim in dims]))


def _dim_list(kernel: Callable[..., Any], value: Batched, dims: tuple[int, ...], *options: Any) -> Batched:
    return Batched(kernel(value.array, tuple([_further(dim) for dim in dims]), *options))


def _all_dims(total: Callable[..., Any]) -> Callable[..., Batched]:
    return lambda kernel, value: Batched(total(value.array.reshape(len(value.array), value.size), axis=1))


def _permute(kernel: Callable[..., Any], value: Batched, dims: tuple[int, ...]) -> Batched:
    return Batched(kernel(value.array, (0, *[dim + 1 for dim in dims])))


def _reshape(kernel: Callable[..., Any], value: Batched, shape: Any) -> Batched:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if -1 in shape:  # which numpy would not find in an empty array
        rest = -math.prod(shape)
        shape = tuple([(value.size // rest if rest else 0) if size == -1 else size for size in shape])
    return Batched(value.array.reshape(len(value.array), *shape))


def _expand(kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...]) -> Batched:
    array = _with_ndim(value, len(shape))
    return Batched(np.broadcast_to(array, (len(array), *shape)))


def _sum_to(kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...]) -> Batched:
    array = value.array
    kept = (len(array), *(1,) * (value.ndim - len(shape)), *shape)
    return Batched(np.asarray(kernel(array, kept)).reshape(len(array), *shape))


def _index(kernel: Callable[..., Any], value: Batched, index: tuple[Any, ...], *shape: Any) -> Any:
    """Taking out or putting in at an index; with several arrays in it, numpy moves dimensions about: row by row."""
    if sum([isinstance(part, np.ndarray | list) for part in index]) > 1:
        return _loop(kernel, value, index, *shape)
    return Batched(kernel(value.array, (slice(None), *index), *[(len(value.array), *sizes) for sizes in shape]))


def _joined(kernel: Callable[..., Any], *parts: Any, dim: int) -> Batched:
    count = next(len(part.array) for part in parts if part.__class__ is Batched)
    return Batched(kernel(*[as_batch(part, count).array for part in parts], dim=_further(dim)))


def _cumsum(kernel: Callable[..., Any], value: Batched, dim: int, backwards: bool) -> Batched:
    return Batched(kernel(value.array, dim + 1, backwards)) if value.ndim else value


def _diagonal(kernel: Callable[..., Any], value: Batched, offset: int, dim1: int, dim2: int) -> Batched:
    return Batched(kernel(value.array, offset, _further(dim1), _further(dim2)))


def _diagonal_put(
    kernel: Callable[..., Any], value: Batched, shape: tuple[int, ...], offset: int, dim1: int, dim2: int
) -> Batched:
    return Batched(kernel(value.array, (len(value.array), *shape), offset, _further(dim1), _further(dim2)))


def _summed_along(value: Batched, dim: int) -> Any:
    return batched.sum_dims(value, (dim,) if value.ndim else (), True)


# fmt: off
_ELEMENTWISE = (  # and what treats all matrices of a batch alike
    "abs", "add", "add_scaled", "cast", "clamp_to_numbers", "clone", "cos", "cosh", "div", "div_floor", "eq", "erf",
    "exp", "exp2", "ge", "gt", "isfinite", "isnan", "le", "log", "lt", "masked_fill", "mul", "ne", "neg", "pow_number",
    "pow_tensor", "reciprocal", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt", "sub", "sub_scaled", "tanh",
    "tril", "triu", "where", "where_positive", "xlogy",
)
# fmt: on
_RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(("transpose", "unsqueeze"), _dims),
    **dict.fromkeys(("sum_dims", "mean_dims", "squeeze_one", "flip"), _dim_list),
    **dict.fromkeys(("basic_index", "put", "advanced_index", "without_index"), _index),
    **dict.fromkeys(("stack", "cat"), _joined),
    "sum_all": _all_dims(np.add.reduce),
    "mean_all": _all_dims(np.mean),
    "zeros": lambda kernel, shape, like: kernel(shape, like.array),
    "matrix_transpose": lambda kernel, value: Batched(np.transpose(value.array, (0, *range(value.ndim, 0, -1)))),
    "permute": _permute,
    "reshape": _reshape,
    "expand": _expand,
    "sum_to": _sum_to,
    "cumsum": _cumsum,
    "softmax_gradient": lambda kernel, g, output, dim: output * (g - _summed_along(g * output, dim)),
    "log_softmax_gradient": lambda kernel, g, output, dim: g - batched.exp(output) * _summed_along(g, dim),
    "diagonal": _diagonal,
    "diagonal_put": _diagonal_put,
}

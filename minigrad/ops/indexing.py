"""Taking elements out by index.

After this module a reader knows why `x[0]` and `x[1:3]` share the memory of `x` while `x[[0, 2]]` is a copy, and that
the gradient of taking out is putting back: zeros everywhere else, and a sum where an element was taken more than once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def _basic(kind: str) -> Any:
    """Indexing by ints, slices, None and `...`: always a view. One op for each of the names that PyTorch has for it."""

    @op(name=kind, view=True, self=lambda F, g, self_shape, index: F.put(g, index, self_shape))
    def basic_index(self: Array, index: tuple[Any, ...]) -> Array:
        """The part of the tensor that ints, slices, None and `...` select."""
        return self[index]

    return basic_index


_KINDS = ("Alias", "Slice", "Unsqueeze", "Select")
alias_index, slice_index, unsqueeze_index, select_index = (_basic(f"{kind}Backward0") for kind in _KINDS)


@op(
    name="SelectBackward0",
    view=True,
    self=lambda F, g, self_shape, dim, index: F.put(g, (*[slice(None)] * dim, index, ...), self_shape),
)
def select_one(self: Array, dim: int, index: int) -> Array:
    """The part at one place along a dimension."""
    return self[(*[slice(None)] * dim, index, ...)]


@op(name="IndexBackward0", self=lambda F, g, self_shape, index: F.put(g, index, self_shape))
def advanced_index(self: Array, index: tuple[Any, ...]) -> Array:
    """The elements that arrays of ints or bools select, as a copy."""
    return self[index]


@op(name="IndexPutBackward0", self=lambda F, g, index: F.advanced_index(g, index))
def put(self: Array, index: tuple[Any, ...], shape: tuple[int, ...]) -> Array:
    """Zeros of a shape with the elements of input added at an index."""
    out = np.zeros(shape, self.dtype)
    if any(isinstance(part, np.ndarray) and part.dtype != np.bool_ for part in index):
        np.add.at(out, index, self)  # the same element may have been taken several times
    else:
        out[index] = self
    return out


@op(self=lambda F, g, index: F.without_index(g, index))
def without_index(self: Array, index: tuple[Any, ...]) -> Array:
    """The input with zeros at an index."""
    out = np.array(self)
    out[index] = 0
    return out


@op(
    name="IndexPutBackward0",
    self=lambda F, g, index: F.without_index(g, index),
    values=lambda F, g, index, values_shape: F.sum_to(F.advanced_index(g, index), values_shape),
)
def index_put(self: Array, values: Array, index: tuple[Any, ...]) -> Array:
    """The input with other values at an index."""
    out = np.array(self)
    out[index] = values
    return out


def normalized(input: Tensor, index: Any) -> tuple[tuple[Any, ...], bool]:
    """An index as numpy wants it, and whether it selects by arrays; IndexError or TypeError if it makes no sense."""
    parts = index if isinstance(index, tuple) else (index,)
    made: list[Any] = []
    advanced = False
    for part in parts:
        if isinstance(part, Tensor | list | np.ndarray):
            array = part._array if isinstance(part, Tensor) else np.asarray(part)
            if array.size == 0 and not isinstance(part, Tensor):
                array = array.astype(np.int64)
            if array.dtype.kind not in "iub":
                raise IndexError(
                    f"tensors used as indices must be long, int, byte or bool tensors; got {array.dtype} {part!r}"
                )
            if array.ndim == 0 and array.dtype.kind != "b":
                made.append(int(array))
            else:
                made.append(np.asarray(array))
                advanced = True
        elif isinstance(part, bool | np.bool_):
            made.append(np.asarray(part))
            advanced = True
        elif part is None or part is Ellipsis or isinstance(part, int | np.integer):
            made.append(part)
        elif isinstance(part, slice):
            if part.step is not None and part.step <= 0:
                raise ValueError("step must be greater than zero")
            made.append(slice(*(None if bound is None else int(bound) for bound in (part.start, part.stop, part.step))))
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                f"(got {type(part).__name__})"
            )
    if made.count(Ellipsis) > 1 if not advanced else False:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if not advanced:
        _check_bounds(input, made)
        if Ellipsis not in made:
            made.append(Ellipsis)  # so that a full set of ints still gives a view, not a bare number
    return tuple(made), advanced


def _check_bounds(input: Tensor, parts: list[Any]) -> None:
    used = [part for part in parts if part is not None and part is not Ellipsis]
    if input.ndim == 0 and used:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number"
        )
    if len(used) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")
    dim = 0
    for part in parts:
        if part is Ellipsis:
            dim = input.ndim - len([later for later in parts[parts.index(Ellipsis) + 1 :] if later is not None])
        elif part is not None:
            if isinstance(part, int | np.integer) and not -input.shape[dim] <= part < input.shape[dim]:
                raise IndexError(f"index {part} is out of bounds for dimension {dim} with size {input.shape[dim]}")
            dim += 1


def _explained(error: IndexError, input: Tensor, parts: tuple[Any, ...]) -> IndexError:
    """PyTorch's words for what numpy refused."""
    text = str(error)
    masks = [(i, part) for i, part in enumerate(parts) if isinstance(part, np.ndarray) and part.dtype == np.bool_]
    if "too many indices" in text:
        return IndexError(f"too many indices for tensor of dimension {input.ndim}")
    if "boolean" in text and masks:
        place, mask = masks[0]
        return IndexError(
            f"The shape of the mask {list(mask.shape)} at index {place} does not match the shape of the indexed tensor "
            f"{list(input.shape)} at index {place}"
        )
    if "broadcast" in text:
        shapes = ", ".join(str(list(part.shape)) for part in parts if isinstance(part, np.ndarray))
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
    return IndexError(text.replace("axis", "dimension"))


def index(input: Tensor, index: Any) -> Tensor:
    """`input[index]`: a view for ints, slices, None and `...`; a copy for lists and tensors of ints or bools."""
    (input,) = tensor_operands("index", input)
    parts, advanced = normalized(input, index)
    if advanced:
        try:
            return advanced_index(input, parts)
        except IndexError as error:
            raise _explained(error, input, parts) from None
    return basic(input, parts)


def basic(input: Tensor, parts: tuple[Any, ...]) -> Tensor:
    """`input[parts]` for ints, slices, None and `...`: a view."""
    if len(parts) == 2 and parts[1] is Ellipsis and isinstance(parts[0], int | np.integer):
        return select_one(input, 0, int(parts[0]))  # type: ignore[no-any-return]
    last = next((part for part in reversed(parts) if part is not Ellipsis), Ellipsis)
    if last is Ellipsis:
        return alias_index(input, parts)  # type: ignore[no-any-return]
    if last is None:
        return unsqueeze_index(input, parts)  # type: ignore[no-any-return]
    return slice_index(input, parts) if isinstance(last, slice) else select_index(input, parts)  # type: ignore[no-any-return]


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` elements from `start` on along `dim`, as a view."""
    (input,) = tensor_operands("narrow", input)
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size, first = input.shape[dim], int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= first <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {first})")
    first += size if first < 0 else 0
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return slice_index(input, (*[slice(None)] * dim, slice(first, first + length), ...))  # type: ignore[no-any-return]


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The part at `index` along `dim`, as a view without that dimension."""
    (input,) = tensor_operands("select", input)
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return select_one(input, dim, int(index))  # type: ignore[no-any-return]

"""How an update is applied to a parameter: chunk by chunk, in place, counted as a write.

After this module a reader can read every optimizer in this package, and knows why they are quick. An update is a few
lines of numpy on arrays that all have the parameter's shape. Run on a large parameter as a whole, each operation would
fetch the arrays from main memory, and each intermediate result would be a new array as large as the parameter. So it
runs on one chunk of all arrays at a time, small enough to stay in the processor's cache, and writes what is
intermediate into a work array that is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.inplace import begin_write
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor, from_array, own_array

Array = Any
CHUNK = 2**16


# ---------------------------------------------------------------- arrays to compute with


class _WorkArrays(threading.local):
    """One array for each dtype, of CHUNK elements at most, and for each thread, since optimizers may run in several."""

    def __init__(self) -> None:
        self.of_dtype: dict[Any, Array] = {}

    def like(self, array: Array) -> Array:
        """A work array in the shape and dtype of another: what it holds has no meaning."""
        kept = self.of_dtype.get(array.dtype)
        if kept is None or kept.size < array.size:
            kept = self.of_dtype[array.dtype] = np.empty(array.size, array.dtype)
        return kept[: array.size].reshape(array.shape)


_work_arrays = _WorkArrays()


def chunks(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """A work array, then the same part of each array as a view: one part after the other. Small arrays come whole."""
    size = arrays[0].size
    if size <= CHUNK:
        yield _work_arrays.like(arrays[0]), *arrays
    elif not all(array.flags.c_contiguous for array in arrays):
        yield np.empty_like(arrays[0]), *arrays
    else:
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, size, CHUNK):
            parts = [array[start : start + CHUNK] for array in flat]
            yield _work_arrays.like(parts[0]), *parts


def for_writing(tensor: Tensor) -> Array:
    """A tensor's array, which is about to be written to: checked and counted, as for `tensor.add_(...)`."""
    array = own_array(tensor)
    begin_write(tensor, array)
    return array


def number(option: Any) -> float:
    """An option as a Python number, beside which float32 stays float32; it may be given as a tensor."""
    return option.item() if isinstance(option, Tensor) else float(option)


# ---------------------------------------------------------------- state


def begin_state(state: dict[str, Any], param: Tensor, *names: str) -> None:
    """The state of a parameter before its first step: a count of steps, and under each name zeros in the parameter's
    shape, dtype and order in memory.
    """
    state["step"] = scalar_state(0)
    for name in names:
        state[name] = from_array(np.zeros_like(own_array(param)))


def scalar_state(value: float) -> Tensor:
    """State that is one number, such as the count of steps: float32, as in PyTorch."""
    return from_array(np.array(value, np.float32))


def next_step(state: dict[str, Any]) -> float:
    """Count a step of one parameter, and return its number: 1 for the first."""
    count = for_writing(state["step"])
    count += 1
    return count.item()


# ---------------------------------------------------------------- parts of many updates


def gradient_with_decay(p: Array, g: Array, group: Group) -> Array:
    """The gradient g + weight_decay·p, where g is negated to maximize.

    Decoupled weight decay shrinks the parameter itself instead: p ← p − lr·weight_decay·p.
    """
    weight_decay = number(group["weight_decay"])
    if weight_decay != 0 and group.get("decoupled_weight_decay"):
        p *= 1 - number(group["lr"]) * weight_decay
        weight_decay = 0
    if weight_decay == 0:
        return -g if group["maximize"] else g
    total = weight_decay * p
    if group["maximize"]:
        total -= g
    else:
        total += g
    return total


def update_average(average: Array, value: Array, beta: float, work: Array) -> None:
    """average ← beta·average + (1 − beta)·value"""
    np.subtract(value, average, out=work)
    work *= 1 - beta
    average += work


def update_square_average(average: Array, value: Array, beta: float, work: Array) -> None:
    """average ← beta·average + (1 − beta)·value²"""
    np.multiply(value, value, out=work)
    work *= 1 - beta
    average *= beta
    average += work


def over_root(value: Array, square: Array, eps: float, work: Array) -> Array:
    """value / (√square + eps), in the work array: a gradient or an average of them, brought to its usual size."""
    np.sqrt(square, out=work)
    work += eps
    return np.divide(value, work, out=work)


# ---------------------------------------------------------------- checks of options


def check_lr(lr: Any) -> None:
    """Raise ValueError unless the learning rate is one number that is not negative."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, and this one has shape {list(lr.shape)}")
    check_option("learning rate", lr)


def check_option(name: str, value: Any, valid: Callable[[Any], bool] = lambda value: value >= 0) -> None:
    """Raise ValueError for an option that is out of its range."""
    if not valid(value):
        raise ValueError(f"Invalid {name}: {value}")


def check_adam_options(lr: Any, eps: Any, betas: Any, weight_decay: Any) -> None:
    """Raise ValueError for options of Adam and its variants out of range: both betas are in [0, 1)."""
    check_lr(lr)
    check_option("epsilon value", eps)
    for index in (0, 1):
        check_option(f"beta parameter at index {index}", betas[index], lambda beta: 0 <= beta < 1)
    check_option("weight_decay value", weight_decay)


# ---------------------------------------------------------------- the optimizer


class PerParameterOptimizer(Optimizer):
    """An optimizer that updates each parameter by itself: subclasses define `_update`."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        if defaults.get("fused"):
            if defaults["differentiable"]:
                raise RuntimeError("`fused` does not support `differentiable`")
            if defaults["foreach"]:
                raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        if defaults["differentiable"]:
            raise NotImplementedError(
                "differentiable=True is not supported: steps are not recorded. To differentiate through a step, write "
                "it out: w = w - lr * g, with g from autograd.grad(..., create_graph=True)."
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for option in ("maximize", "differentiable"):
                group.setdefault(option, False)
            for option in ("foreach", "fused", "capturable"):
                if option in self.defaults:
                    group.setdefault(option, None if option != "capturable" else False)
            for param in group["params"]:
                step = self.state[param].get("step") if param in self.state else None
                if isinstance(step, int | float):  # as PyTorch saved it before 1.12
                    self.state[param]["step"] = scalar_state(step)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: computes the loss anew, calls backward() on it and returns it.

        Returns what the closure returned, None without one.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for param in group["params"]:
                if param._grad is not None:
                    if group.get("capturable"):
                        raise AssertionError(
                            "If capturable=True, params and state_steps must be on supported devices: a GPU. Here "
                            "everything is on the CPU, so leave it out."
                        )
                    self._update(param, param._grad._array, group)
        return loss

    def _update(self, param: Tensor, gradient: Array, group: Group) -> None:
        """Change one parameter and its state; the gradient is only read."""
        raise NotImplementedError

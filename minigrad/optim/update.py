"""How a rule is applied to a parameter: piece by piece, in place, counted as a write.

After this module a reader can read every rule in this package, and knows why it is quick. A rule is a few lines of
numpy on arrays that all have the parameter's shape. Run on a large parameter as a whole, each operation would fetch the
arrays from main memory and each intermediate result would be as large as the parameter. So the rule gets one piece of
all arrays at a time: small enough to stay in the processor's cache until the rule is through with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.inplace import begin_write
from minigrad.optim.optimizer import Group, Optimizer
from minigrad.tensor import Tensor, from_array, own_array

Array = Any
PIECE = 2**15  # elements: for Adam on ten million float32 numbers a fifth faster than all at once


def pieces(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The same part of each array, one part after the other, as views; small arrays come whole."""
    size = arrays[0].size
    if size <= PIECE or not all(array.flags.c_contiguous for array in arrays):
        yield arrays
        return
    rows = [array.reshape(-1) for array in arrays]
    for start in range(0, size, PIECE):
        yield tuple([row[start : start + PIECE] for row in rows])


def written(tensor: Tensor) -> Array:
    """A tensor's array, which is about to be written to: checked and counted, as for `tensor.add_(...)`."""
    array = own_array(tensor)
    begin_write(tensor, array)
    return array


def number(option: Any) -> float:
    """An option as a Python number, beside which float32 stays float32; it may be given as a tensor."""
    return option.item() if isinstance(option, Tensor) else float(option)


def zeros_beside(param: Tensor) -> Tensor:
    """State for a parameter: zeros, in its shape, dtype and order in memory."""
    return from_array(np.zeros_like(own_array(param)))


def count_from(value: float) -> Tensor:
    """State that is one number, such as the count of steps."""
    return from_array(np.array(value, np.float32))


def next_step(state: dict[str, Any]) -> float:
    """Count a step of one parameter, and return its number: 1 for the first."""
    count = written(state["step"])
    count += 1
    return count.item()


def uphill(p: Array, g: Array, group: Group, decay: bool = True) -> Array:
    """The direction to step away from: the gradient (its negative, to maximize), plus the decay of weights."""
    if group["maximize"]:
        g = -g
    weight_decay = number(group["weight_decay"])
    return g + weight_decay * p if decay and weight_decay != 0 else g


def check_lr(lr: Any) -> None:
    """Raise ValueError unless the learning rate is one number that is not negative."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, and this one has shape {list(lr.shape)}")
    check_option("learning rate", lr)


def check_option(name: str, value: Any, valid: Callable[[Any], bool] = lambda value: value >= 0) -> None:
    """Raise ValueError for an option that is out of its range."""
    if not valid(value):
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: Any) -> None:
    """Raise ValueError unless both are in [0, 1)."""
    for index in (0, 1):
        check_option(f"beta parameter at index {index}", betas[index], lambda beta: 0 <= beta < 1)


class RuleOptimizer(Optimizer):
    """An optimizer whose rule looks at one parameter at a time: subclasses define `_update`."""

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
                    self.state[param]["step"] = count_from(step)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Apply the rule once to every parameter that has a gradient.

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

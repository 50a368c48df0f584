"""The rules by which parameters step: gradient descent, RMSprop, Adam, AdamW, Adagrad and Adadelta.

Each rule is a few lines of numpy, in place, on arrays that all have the parameter's shape. Run on a large parameter as
a whole, each operation would fetch the arrays from main memory, and each intermediate result would be a new array as
large as the parameter. So a rule runs on one chunk of all arrays at a time, small enough to stay in the processor's
cache, and writes what is intermediate into one work array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.inplace import begin_write
from minigrad.optim.optimizer import Optimizer
from minigrad.tensor import Array, Tensor, from_array, own_array

CHUNK = 2**16
# The options that must not be negative, with PyTorch's words for them.
_NOT_NEGATIVE = {
    "lr": "learning rate", "eps": "epsilon value", "momentum": "momentum value", "weight_decay": "weight_decay value",
    "alpha": "alpha value", "lr_decay": "lr_decay value",
    "initial_accumulator_value": "initial_accumulator_value value",
}  # fmt: skip


class ElementwiseOptimizer(Optimizer):
    """An optimizer that updates each parameter by itself: subclasses define `_update`.

    ValueError for options that are out of range.
    """

    def __init__(self, params: Any, given: dict[str, Any]) -> None:
        """`given`: what a subclass's own __init__ was given, its `locals()`. All but `params` are options."""
        defaults = {name: value for name, value in given.items() if name not in ("self", "params", "__class__")}
        for option, words in _NOT_NEGATIVE.items():
            if option in defaults and not defaults[option] >= 0:
                raise ValueError(f"Invalid {words}: {defaults[option]}")
        super().__init__(params, defaults)

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
            options = SimpleNamespace(**{option: _number(group[option]) for option in self.defaults})
            for param in group["params"]:
                if param._grad is not None:
                    self._update(param, param._grad._array, options)
        return loss

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        """Change one parameter and its state; the gradient is only read."""
        raise NotImplementedError

    def _begin(self, param: Tensor, names: tuple[str, ...], value: float) -> None:
        """Give a parameter its state: no steps, and this value everywhere under these names."""
        start = {name: from_array(np.full_like(own_array(param), value)) for name in names}
        # all or, where this is interrupted, nothing; the number is of this dtype in PyTorch
        self.state[param] |= {"step": from_array(np.array(0, np.float32)), **start}

    def _count_step(self, param: Tensor, *names: str, start: float = 0) -> tuple[float, list[Array]]:
        """The number of this step of a parameter, 1 for the first, and the arrays of its state under these names, to
        write to. They begin with `start` everywhere, in the parameter's shape, dtype and order in memory.
        """
        state = self.state[param]
        if not state:
            self._begin(param, names, start)
        count = _for_writing(state["step"])
        count += 1
        return count.item(), [_for_writing(state[name]) for name in names]


class SGD(ElementwiseOptimizer):
    """Stochastic gradient descent.

        b ← momentum·b + (1 − dampening)·g          (the first b is g)
        p ← p − lr·b                                (nesterov: lr·(g + momentum·b); without momentum: lr·g)

    where g is the gradient plus weight_decay·p. With `maximize` the gradient is climbed. Sutskever et al. 2013, "On the
    importance of initialization and momentum in deep learning", with the learning rate outside of the buffer.
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float | Tensor = 0, nesterov: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, locals())

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        if options.momentum == 0:
            for work, p, g in _chunks(_for_writing(param), gradient):
                p -= np.multiply(options.lr, _with_decay(p, g, options.weight_decay, options.maximize), out=work)
            return
        state = self.state[param]
        first = state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = from_array(np.empty_like(own_array(param)))
        for work, p, g, b in _chunks(_for_writing(param), gradient, _for_writing(state["momentum_buffer"])):
            g = _with_decay(p, g, options.weight_decay, options.maximize)
            if first:
                b[...] = g
            else:
                b *= options.momentum
                b += g if options.dampening == 0 else np.multiply(1 - options.dampening, g, out=work)
            step = b
            if options.nesterov:
                step = np.multiply(options.momentum, b, out=work)
                step += g
            p -= np.multiply(options.lr, step, out=work)


class RMSprop(ElementwiseOptimizer):
    """Root mean square propagation (Tieleman and Hinton 2012, lecture 6 of "Neural networks for machine learning").

        v ← alpha·v + (1 − alpha)·g²
        p ← p − lr·g / (√v + eps)

    `centered` takes the variance, v − a² with the average gradient a, in the place of v (Graves 2013, "Generating
    Sequences With Recurrent Neural Networks"). With `momentum` the steps without lr are gathered:
    b ← momentum·b + g / (√v + eps), p ← p − lr·b. g is the gradient plus weight_decay·p.
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, locals())

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        more = ["grad_avg"] * bool(options.centered) + ["momentum_buffer"] * (options.momentum > 0)
        _, arrays = self._count_step(param, "square_avg", *more)
        for work, p, g, v, *buffers in _chunks(_for_writing(param), gradient, *arrays):
            g = _with_decay(p, g, options.weight_decay, options.maximize)
            _average_square(v, g, options.alpha, work)
            if options.centered:
                a = buffers[0]
                _average(a, g, options.alpha, work)
                v = np.subtract(v, np.multiply(a, a, out=work), out=work)
            step = _over_root(g, v, options.eps, work)
            if options.momentum > 0:
                b = buffers[-1]
                b *= options.momentum
                b += step
                step = b
            p -= np.multiply(options.lr, step, out=work)


class Adam(ElementwiseOptimizer):
    """Adaptive moment estimation (Kingma and Ba 2015, "Adam: A Method for Stochastic Optimization").

        m ← β₁·m + (1 − β₁)·g
        v ← β₂·v + (1 − β₂)·g²
        p ← p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + eps)        at step t = 1, 2, ...

    m and v begin at 0; the divisions make up for that. g is the gradient plus weight_decay·p, unless
    `decoupled_weight_decay`, as in AdamW. With `amsgrad` the largest v so far takes the place of v
    (Reddi, Kale and Kumar 2018, "On the Convergence of Adam and Beyond").
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        _check_betas(betas)
        super().__init__(params, locals())

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        t, arrays = self._count_step(param, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * bool(options.amsgrad))
        beta1, beta2 = options.betas
        # The bias corrections are numbers: they go into the step size and into eps, not through the arrays.
        correction1, correction2 = 1 - beta1**t, (1 - beta2**t) ** 0.5
        step_size, eps = options.lr * correction2 / correction1, options.eps * correction2
        decay, shrink = options.weight_decay, 1.0
        if options.decoupled_weight_decay:
            decay, shrink = 0.0, 1 - options.lr * options.weight_decay
        for work, p, g, m, v, *largest in _chunks(_for_writing(param), gradient, *arrays):
            if shrink != 1:
                p *= shrink
            g = _with_decay(p, g, decay, options.maximize)
            _average(m, g, beta1, work)
            _average_square(v, g, beta2, work)
            if largest:
                v = np.maximum(largest[0], v, out=largest[0])
            step = _over_root(m, v, eps, work)
            p -= np.multiply(step_size, step, out=work)


class AdamW(Adam):
    """Adam with decoupled weight decay: before each step p ← p − lr·weight_decay·p. It shrinks the weights directly,
    where Adam adds the decay to the gradient and so to the averages.

    (Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization".)
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        for group in self.param_groups:  # also where the state comes from an Adam
            group["decoupled_weight_decay"] = True


class Adagrad(ElementwiseOptimizer):
    """Adaptive gradient (Duchi, Hazan and Singer 2011, "Adaptive Subgradient Methods").

        s ← s + g²
        p ← p − lr / (1 + (t − 1)·lr_decay) · g / (√s + eps)        at step t = 1, 2, ...

    s begins at `initial_accumulator_value`. g is the gradient plus weight_decay·p.
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, *, maximize: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(params, locals())
        for param in [param for group in self.param_groups for param in group["params"]]:
            self._begin(param, ("sum",), initial_accumulator_value)

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        t, arrays = self._count_step(param, "sum", start=options.initial_accumulator_value)  # of a later group
        lr = options.lr / (1 + (t - 1) * options.lr_decay)
        for work, p, g, s in _chunks(_for_writing(param), gradient, *arrays):
            g = _with_decay(p, g, options.weight_decay, options.maximize)
            s += np.multiply(g, g, out=work)
            step = _over_root(g, s, options.eps, work)
            p -= np.multiply(lr, step, out=work)


class Adadelta(ElementwiseOptimizer):
    """Adagrad with averages in the place of sums, and steps of the size that former ones had (Zeiler 2012, "ADADELTA").

        v ← rho·v + (1 − rho)·g²
        d = g · √(a + eps) / √(v + eps),    a ← rho·a + (1 − rho)·d²
        p ← p − lr·d

    v and a begin at 0. g is the gradient plus weight_decay·p.
    """

    def __init__(
        self, params: Any, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        *, maximize: bool = False,
    ) -> None:  # fmt: skip
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        super().__init__(params, locals())

    def _update(self, param: Tensor, gradient: Array, options: SimpleNamespace) -> None:
        _, arrays = self._count_step(param, "square_avg", "acc_delta")
        for work, p, g, v, a in _chunks(_for_writing(param), gradient, *arrays):
            g = _with_decay(p, g, options.weight_decay, options.maximize)
            _average_square(v, g, options.rho, work)
            step = np.sqrt(a + options.eps)
            step /= np.sqrt(v + options.eps, out=work)
            step *= g
            _average_square(a, step, options.rho, work)
            p -= np.multiply(options.lr, step, out=work)


def _check_betas(betas: Sequence[Any]) -> None:
    """ValueError for numbers that cannot be Adam's betas."""
    for index in (0, 1):  # an error of Python's where they are no pair
        if not 0 <= betas[index] < 1:
            raise ValueError(f"Invalid beta parameter at index {index}: {betas[index]}")
    if not (all(isinstance(beta, float) for beta in betas) or all(isinstance(beta, Tensor) for beta in betas)):
        raise ValueError(f"betas must be either both floats or both Tensors: {betas}")


# ---------------------------------------------------------------- parts of the rules


def _with_decay(p: Array, g: Array, weight_decay: float, maximize: float) -> Array:
    """The gradient g + weight_decay·p, where g is negated to maximize."""
    if maximize:
        g = -g
    if weight_decay == 0:
        return g
    total = weight_decay * p
    total += g
    return total


def _average(average: Array, value: Array, beta: float, work: Array) -> None:
    """average ← beta·average + (1 − beta)·value, where the value may be in the work array."""
    np.subtract(value, average, out=work)
    work *= 1 - beta
    average += work


def _average_square(average: Array, value: Array, beta: float, work: Array) -> None:
    """average ← beta·average + (1 − beta)·value²."""
    if average.itemsize > 2:
        _average(average, np.multiply(value, value, out=work), beta, work)
        return
    np.multiply(value, 1 - beta, out=work)  # first, since float16 does not hold the square of 256
    work *= value
    average *= beta
    average += work


def _over_root(value: Array, square: Array, eps: float, work: Array) -> Array:
    """value / (√square + eps), in the work array: a gradient or an average of them, brought to its usual size."""
    np.sqrt(square, out=work)
    work += eps
    return np.divide(value, work, out=work)


# ---------------------------------------------------------------- arrays to compute with


def _chunks(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """A work array, which may hold anything, then the same part of each array as a view: one part after the other.
    Small arrays come whole, and so do those whose memory is in another order.
    """
    size = arrays[0].size
    if size <= CHUNK or not all(array.flags.c_contiguous for array in arrays):
        yield np.empty_like(arrays[0]), *arrays
        return
    work, flat = np.empty(CHUNK, arrays[0].dtype), [array.reshape(-1) for array in arrays]
    for start in range(0, size, CHUNK):
        parts = [array[start : start + CHUNK] for array in flat]
        yield work[: parts[0].size], *parts


def _for_writing(tensor: Tensor) -> Array:
    """A tensor's array, which is about to be written to: checked and counted, as for `tensor.add_(...)`."""
    array = own_array(tensor)
    begin_write(tensor, array)
    return array


def _number(option: Any) -> Any:
    """An option as Python's number, or several, beside which float32 stays float32; each may be given as a tensor."""
    return tuple(map(float, option)) if isinstance(option, tuple | list) else float(option)

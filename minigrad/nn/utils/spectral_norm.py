"""Spectral normalization: a weight divided by the most that it can stretch a vector, its largest singular value.

After this module a reader knows the power method: a vector that is multiplied by W and Wᵀ in turn comes to point where
W stretches most. One turn for each training step is enough, since the weight changes little in between. Miyato et al.,
"Spectral normalization for generative adversarial networks" (2018).
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.nn import functional as F
from minigrad.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.nn.utils.weight_hooks import check_initialized, hook_number
from minigrad.tensor import Tensor


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight as a matrix with a row for each slice along `dim`."""
    return weight.movedim(dim, 0).flatten(1)


def random_direction(matrix: Tensor, dim: int, eps: float) -> Tensor:
    """A random vector of length 1, of the matrix's size along `dim`."""
    return F.normalize(matrix.new_empty(matrix.shape[dim]).normal_(0, 1), dim=0, eps=eps)


@no_grad()
def power_method(matrix: Tensor, u: Tensor, v: Tensor, times: int, eps: float) -> None:
    """Turn u (rows) and v (columns), in place, towards the singular vectors of the largest singular value.

    v moves first; where u is to, give the transposed matrix and exchange the two.
    """
    for _ in range(times):
        v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=eps))
        u.copy_(F.normalize(matrix.mv(v), dim=0, eps=eps))


def divided_by_norm(weight: Tensor, matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """weight / (uᵀ W v). The vectors are copied, since the next step changes them before this one's backward."""
    return weight / u.clone().dot(matrix.mv(v.clone()))


def default_dim(module: Any, dim: int | None) -> int:
    """The dimension of a weight's outputs, which is the second one in transposed convolutions."""
    if dim is not None:
        return dim
    return 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d) else 0


def check_times(times: int) -> None:
    """ValueError unless the power method takes a step at all."""
    if times <= 0:
        raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={times}")


class SpectralNorm:
    """The hook that computes the weight."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        check_times(n_power_iterations)
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            power_method(matrix, u, v, self.n_power_iterations, self.eps)
        return divided_by_norm(weight, matrix, u, v)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Replace a parameter of the module by `weight_orig`, and compute the weight from it before each forward.

    The older of two ways: `nn.utils.parametrizations` has the other.

    Args:
        name: the parameter.
        n_power_iterations: steps of the power method for each forward in training.
        eps: the least length that vectors are divided by.
        dim: the dimension of the weight's outputs: 0, but 1 for transposed convolutions.

    Returns the module. RuntimeError if it has been done before; ValueError if the parameter is uninitialized, or
    n_power_iterations not positive.
    """
    if hook_number(module, SpectralNorm, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    hook = SpectralNorm(name, n_power_iterations, default_dim(module, dim), eps)
    weight = module._parameters[name]
    check_initialized(weight, SpectralNorm)
    matrix = as_matrix(weight.detach(), hook.dim)
    u, v = random_direction(matrix, 0, eps), random_direction(matrix, 1, eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo `spectral_norm`: one parameter again, with the weight's present value. ValueError if there is none."""
    number = hook_number(module, SpectralNorm, name)
    if number is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = module._forward_pre_hooks.pop(number).compute_weight(module, False)
    for part in (name, f"{name}_u", f"{name}_v", f"{name}_orig"):
        delattr(module, part)
    module.register_parameter(name, Parameter(weight.detach()))
    return module

"""Weight normalization: a weight as its length g times its direction v / |v|, each of which is trained.

After this module a reader knows how a layer's weight can be a function of other parameters: it is taken out of the
module's parameters, and a hook computes it before each forward. Salimans and Kingma, "Weight normalization" (2016).
"""

from __future__ import annotations

from typing import Any

from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.nn.utils.weight_hooks import check_initialized, hook_number
from minigrad.tensor import Tensor


def norm_except_dim(weight: Tensor, kept: int) -> Tensor:
    """The norm over all dimensions but one, whose sizes become 1; for -1 the norm of the whole."""
    if kept == -1:
        return weight.norm()
    return weight.norm(2, [dim for dim in range(weight.ndim) if dim != kept], keepdim=True)


class WeightNorm:
    """The hook that computes the weight."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        length, direction = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        weight: Tensor = direction * (length / norm_except_dim(direction, self.dim))
        return weight

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Replace a parameter of the module by two, `weight_g` (its length) and `weight_v` (its direction).

    Args:
        name: the parameter.
        dim: the dimension along which each slice has a length of its own: 0 for each output; None for one length.

    Returns the module. RuntimeError if it has been done before; ValueError if the parameter is uninitialized. The
    older of two ways: `nn.utils.parametrizations` has the other, and PyTorch warns that this one is old.
    """
    if hook_number(module, WeightNorm, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    check_initialized(weight, WeightNorm)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, hook.dim).data))
    module.register_parameter(f"{name}_v", Parameter(weight.data))
    hook(module, ())
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo `weight_norm`: one parameter again, with the weight's present value. ValueError if there is none to undo."""
    number = hook_number(module, WeightNorm, name)
    if number is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = module._forward_pre_hooks.pop(number).compute_weight(module)
    for part in (name, f"{name}_g", f"{name}_v"):
        delattr(module, part)
    setattr(module, name, Parameter(weight.data))
    return module

"""Parametrizations: a parameter that is computed, each time that it is read, from other parameters.

After this module a reader knows how `module.weight` becomes a function of what is trained: the parameter moves to
`module.parametrizations.weight.original`, and the module gets a class of its own, in which `weight` is a property.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.nn.modules.container import ModuleDict, ModuleList
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

__all__ = ["ParametrizationList", "is_parametrized", "register_parametrization", "remove_parametrizations"]


class ParametrizationList(ModuleList):
    """The functions that one parameter is passed through, and what it is computed from: `original`, or `original0`,
    `original1` ... where the first function takes several tensors.

    Args:
        modules: the functions, each a module; `right_inverse`, where they have it, finds what gives a wanted value.
        original: the parameter, or buffer, as it is now.
        unsafe: allow another shape or dtype.

    ValueError for another shape or dtype, unless `unsafe`.
    """

    def __init__(self, modules: Sequence[Any], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            start = _inverted(self, original)
        self.is_tensor = isinstance(start, Tensor)
        if self.is_tensor:
            original.data = start
            self._keep("original", original)
        else:
            self.ntensors = len(start)
            for number, part in enumerate(start):
                self._keep(f"original{number}", Parameter(part) if isinstance(original, Parameter) else part)
        if not unsafe:
            with no_grad():
                _check_unchanged(original, self())

    def _keep(self, name: str, tensor: Tensor) -> None:
        if isinstance(tensor, Parameter):
            self.register_parameter(name, tensor)
        else:
            self.register_buffer(name, tensor)

    def _originals(self) -> list[Tensor]:
        names = ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def right_inverse(self, value: Tensor) -> None:
        """Find the originals that give a value, and copy them in. RuntimeError if a function has no inverse."""
        with no_grad():
            for module in self:
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse. Define it "
                        "to assign a value, or write to the original."
                    )
            start = _inverted(self, value)
            for own, part in zip(self._originals(), [start] if self.is_tensor else start, strict=True):
                own.copy_(part)

    def forward(self) -> Tensor:
        first, *others = self
        value: Tensor = first(*self._originals())
        for module in others:
            value = module(value)
        return value


def _inverted(modules: Any, value: Any) -> Any:
    """What the functions are to be given for this value, as far as they have a `right_inverse`."""
    for module in reversed(list(modules)):
        if hasattr(module, "right_inverse"):
            value = module.right_inverse(value)
    if not isinstance(value, Tensor | Sequence):
        raise ValueError(
            "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
            f"Got {type(value).__name__}"
        )
    return value


def _check_unchanged(before: Tensor, after: Any) -> None:
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized {what}: {getattr(before, what)}\nparametrized {what}: "
                f"{getattr(after, what)}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether any parameter of the module itself, or the one of this name, is computed."""
    lists = module._modules.get("parametrizations")
    return isinstance(lists, ModuleDict) and (len(lists) > 0 if tensor_name is None else tensor_name in lists)


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Compute a parameter, or buffer, of a module by `parametrization(original)` whenever it is read.

    Args:
        tensor_name: the parameter; one that is computed already is passed through this function, too.
        parametrization: a module. Its `right_inverse(value)`, if any, gives the original at the start.
        unsafe: allow another shape or dtype.

    Returns the module. ValueError if there is no such tensor, or it would get another shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        present = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            _check_unchanged(value, parametrization(value))
        if hasattr(parametrization, "right_inverse"):
            present.append(parametrization)
            present.right_inverse(parametrization(getattr(module, tensor_name)))
        else:
            present.append(parametrization)
        return module
    original = module._parameters.get(tensor_name, module._buffers.get(tensor_name))
    if original is None:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    computed = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        own_class = type(module)
        module.__class__ = type(f"Parametrized{own_class.__name__}", (own_class,), {"__module__": own_class.__module__})
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _computed(tensor_name))
    module.parametrizations[tensor_name] = computed
    return module


def _computed(name: str) -> property:
    """The property that stands for a parametrized tensor."""
    return property(
        lambda module: module.parametrizations[name](),
        lambda module, value: module.parametrizations[name].right_inverse(value),
    )


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a computed tensor a parameter, or buffer, again.

    Args:
        leave_parametrized: with its present value; False for that of the original, if there is only one.

    Returns the module. ValueError if the tensor is not computed, or its original is several tensors.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    computed = module.parametrizations[tensor_name]
    originals = computed._originals()
    if not leave_parametrized and not computed.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    kept = originals[0]
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name).detach()
        if not computed.is_tensor:
            kept = Parameter(value) if isinstance(kept, Parameter) else value
        kept.data = value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type(module).__mro__[1]
    if isinstance(kept, Parameter):
        module.register_parameter(tensor_name, kept)
    else:
        module.register_buffer(tensor_name, kept)
    result: Module = module
    return result

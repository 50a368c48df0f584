"""Module: the base of every layer and network, which finds its own parameters.

After this module a reader knows how: `__setattr__` sorts what is assigned into three dictionaries, `_parameters`,
`_buffers` and `_modules`, and `__getattr__` looks there when an attribute is read. How `parameters()` walks them,
through all submodules, is in `members.py`; hooks are in `hooks.py`; saving and loading is in `state.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TYPE_CHECKING, Any

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.hooks import Hooks
from minigrad.nn.modules.hooks import (  # PyTorch has the functions that register global hooks in this module
    HookedModule,
    global_hooks,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from minigrad.nn.modules.members import NestedModule
from minigrad.nn.modules.state import StatefulModule
from minigrad.nn.parameter import Buffer, Parameter
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from typing import Self

__all__ = [
    "Module", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]  # fmt: skip


def typename(value: Any) -> str:
    """The name of a value's type as PyTorch writes it in error texts: "int", "minigrad.FloatTensor", ..."""
    if isinstance(value, Tensor):
        name: str = value.type()  # type: ignore[assignment]
        return name
    kind = type(value)
    named = value if hasattr(value, "__qualname__") else kind
    return named.__qualname__ if named.__module__ == "builtins" else f"{named.__module__}.{named.__qualname__}"


class Module(HookedModule, NestedModule, StatefulModule):
    """The base of all layers and networks.

    A subclass makes its layers in `__init__`, after `super().__init__()`, and computes its output in `forward`:

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = nn.Linear(4, 8)
                self.output = nn.Linear(8, 1)

            def forward(self, x):
                return self.output(self.hidden(x).relu())

    Parameters, buffers and modules that are assigned to attributes are registered: `parameters()` finds them. Layers in
    a plain list or dictionary are not; put them in a ModuleList or ModuleDict.
    """

    call_super_init = False  # with multiple inheritance: whether __init__ passes its arguments on to the next class
    training: bool
    _state_dict_hooks: Hooks

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__  # not by assignment: __setattr__ needs the dictionaries that are made here
        own["training"] = True
        for name in ("_parameters", "_buffers", "_modules"):
            own[name] = {}
        for name in _SETS:
            own[name] = set()
        for name in _HOOKS:
            own[name] = Hooks()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *input: Any) -> Any:
        """What the module computes. Override it, and call `module(...)`, not `module.forward(...)`: so hooks run."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooked or global_hooks.used:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # -- attributes

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_modules" in own:  # written out: every use of a weight comes here, and a loop is slower by half
            if name in own["_parameters"]:
                return own["_parameters"][name]
            if name in own["_modules"]:
                return own["_modules"][name]
            if name in own["_buffers"]:
                return own["_buffers"][name]
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}': begin its __init__ with super().__init__()"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._remove_other(name, "parameters", "_buffers", "_modules")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (minigrad.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._remove_other(name, "module", "_parameters", "_buffers")
            self._modules[name] = _through_hooks(global_hooks.on_module, self, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (minigrad.nn.Module or None expected)"
                )
            self._modules[name] = _through_hooks(global_hooks.on_module, self, name, value)
        elif isinstance(value, Buffer) or name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' (minigrad.nn.Buffer, minigrad.Tensor or "
                    "None expected)"
                )
            persistent = name not in own.get("_non_persistent_buffers_set", ())
            self.register_buffer(name, value, value.persistent if isinstance(value, Buffer) else persistent)
        else:
            super().__setattr__(name, value)

    def _check_initialized(self, kind: str) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError(
                f"cannot assign {kind} before Module.__init__() call: begin __init__ with super().__init__()"
            )

    def _remove_other(self, name: str, kind: str, *others: str) -> None:
        """Remove a plain attribute, or a member of another kind, that has had the name so far."""
        self._check_initialized(kind)
        own = self.__dict__
        own.pop(name, None)
        for other in others:
            own[other].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name: str) -> None:
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    # -- registration

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter as `self.<name> = param` does; None reserves the name, as for a layer without bias.

        TypeError if `param` is not a Parameter; KeyError if the name is taken, empty or contains a dot.
        """
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (minigrad.nn.Parameter or None "
                "required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = None if param is None else _through_hooks(global_hooks.on_parameter, self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that belongs to the module but is not trained, such as a running mean.

        Args:
            persistent: whether it is part of the state_dict.

        TypeError if `tensor` is no tensor; KeyError if the name is taken, empty or contains a dot.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (minigrad Tensor or None required)"
            )
        self._buffers[name] = _through_hooks(global_hooks.on_buffer, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _check_name(self, kind: str, name: Any, members: str) -> None:
        self._check_initialized(kind)
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[members]:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a submodule as `self.<name> = module` does; None reserves the name.

        TypeError if `module` is no module; KeyError if the name is taken, empty or contains a dot.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if not name:
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = _through_hooks(global_hooks.on_module, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name for `add_module`."""
        self.add_module(name, module)

    # -- changing all of it

    def train(self, mode: bool = True) -> Self:
        """Set `training` here and in all submodules: dropout and batch norm depend on it. ValueError if not a bool."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Have gradients computed for all parameters, or stop (False), which freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of all parameters; with set_to_none=False fill them with zeros instead."""
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                if parameter.grad.grad_fn is None:
                    parameter.grad.requires_grad_(False)
                else:  # of a backward with create_graph=True
                    parameter.grad.detach_()
                parameter.grad.zero_()

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn(module)` for all submodules, and last for this module, as to initialize weights."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of all parameters, gradients and buffers by `fn` of them.

        The parameters stay the same objects, so that an optimizer that holds them goes on working.
        """
        for module in self.children() if recurse else ():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            gradient = parameter.grad
            with no_grad():
                parameter.data = fn(parameter)
                if gradient is not None:
                    gradient.data = fn(gradient)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert all floating parameters and buffers, in place: `to(dtype)`, `to("cpu")`, or `to(tensor)`, which takes
        the dtype of the tensor.

        TypeError for a dtype that is not floating; an error for any device but the CPU.
        """
        device, kind = kwargs.get("device"), kwargs.get("dtype")
        for argument in args:
            if isinstance(argument, Tensor):
                kind = argument.dtype
            elif isinstance(argument, dtypes.dtype):
                kind = argument
            elif not isinstance(argument, bool):
                device = argument if device is None else device
        if kind is not None and not kind.is_floating_point:
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}")

        def convert(tensor: Tensor) -> Tensor:
            wanted = kind if tensor.is_floating_point() else None
            return tensor.to(dtype=wanted, device=None if device is None else str(device))

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Convert all floating parameters and buffers to float32."""
        return self.to(dtypes.float32)

    def double(self) -> Self:
        """Convert all floating parameters and buffers to float64."""
        return self.to(dtypes.float64)

    def half(self) -> Self:
        """Convert all floating parameters and buffers to float16."""
        return self.to(dtypes.float16)

    def cpu(self) -> Self:
        """This module as it is: all tensors are on the CPU."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """AssertionError: there is no such device here."""
        return self.to("cuda")

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """RuntimeError: there is no compiler here."""
        raise RuntimeError("Module.compile() is not available: minigrad runs everything as it is written")

    # -- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The options that `repr` shows in the brackets. Override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) <= 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        lines += [f"({name}): {indent_rest(repr(module))}" for name, module in self._modules.items()]
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)"


_SETS = (
    "_non_persistent_buffers_set", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks_with_kwargs",
)  # fmt: skip
_HOOKS = (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks",
    "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


def indent_rest(text: str) -> str:
    """A text with all lines but the first indented by two spaces."""
    first, newline, rest = text.partition("\n")
    return first + newline + indent(rest, "  ")


def _through_hooks(hooks: Hooks, module: Module, name: str, value: Any) -> Any:
    """What is to be registered, after the registration hooks, each of which may replace it."""
    for hook in hooks.values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value

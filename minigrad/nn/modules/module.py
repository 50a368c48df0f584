"""Module: the base of every layer and network, which finds its own parameters.

`__setattr__` sorts what is assigned into three dictionaries, `_parameters`, `_buffers` and `_modules`, and
`__getattr__` looks there when an attribute is read. How `parameters()` walks them, through all submodules, is in
`members.py`; hooks are in `module_hooks.py`; saving and loading is in `state.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import Any, Self

from minigrad import dtypes
from minigrad.absent import with_advice
from minigrad.autograd.grad_mode import no_grad
from minigrad.nn.modules.members import NestedModule
from minigrad.nn.modules.module_hooks import HookedModule, no_hooks
from minigrad.nn.modules.state import StatefulModule
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor, zero_gradient


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

    training: bool
    _modules: dict[str, Any]

    def __init__(self) -> None:
        self.__dict__.update(  # not by assignment: __setattr__ needs the dictionaries that are made here
            training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set(), **no_hooks()
        )

    def forward(self, *input: Any) -> Any:
        """What the module computes. Override it, and call `module(...)`, not `module.forward(...)`: so hooks run."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call_with_hooks(args, kwargs) if self._hooked else self.forward(*args, **kwargs)

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
        classes = [each.__name__ for each in type(self).__mro__]
        text = with_advice(f"'{classes[0]}' object has no attribute '{name}'", name, *classes)
        text += "" if "_modules" in own else ": begin its __init__ with super().__init__()"
        raise AttributeError(text, name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Parameter):
            self._free(name, "parameters", "_buffers", "_modules")
            self.register_parameter(name, value)
        elif name in own.get("_parameters", ()):
            _check_assigned(value, (), "parameter", name, "minigrad.nn.Parameter or None expected")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._free(name, "module", "_parameters", "_buffers")
            self._modules[name] = value
        elif name in own.get("_modules", ()):
            _check_assigned(value, (), "child module", name, "minigrad.nn.Module or None expected")
            self._modules[name] = None
        elif name in own.get("_buffers", ()):
            _check_assigned(value, Tensor, "buffer", name, "minigrad.nn.Buffer, minigrad.Tensor or None expected")
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)

    def _free(self, name: str, kind: str, *others: str) -> None:
        """Remove a plain attribute, or a member of another kind, that has had the name so far."""
        self._check_initialized(kind)
        for members in (self.__dict__, *(self.__dict__[other] for other in others)):
            members.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _check_initialized(self, kind: str) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call: begin with super().__init__()")

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
        _check_assigned(param, Parameter, "parameter", name, "minigrad.nn.Parameter or None required", "object to")
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that belongs to the module but is not trained, such as a running mean.

        Args:
            persistent: whether it is part of the state_dict.

        TypeError if `tensor` is no tensor; KeyError if the name is taken, empty or contains a dot.
        """
        self._check_name("buffer", name, "_buffers")
        _check_assigned(tensor, Tensor, "buffer", name, "minigrad Tensor or None required", "object to")
        self._buffers[name] = tensor
        self._non_persistent_buffers_set.discard(name)
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a submodule as `self.<name> = module` does; None reserves the name.

        TypeError if `module` is no module; KeyError if the name is taken, empty or contains a dot.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = module

    def _check_name(self, kind: str, name: Any, members: str) -> None:
        self._check_initialized(kind)
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[members]:
            raise KeyError(f"attribute '{name}' already exists")

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
        """Set evaluation mode, `train(False)`: dropout drops nothing, batch norm uses its running statistics."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Have gradients computed for all parameters, or stop (False), which freezes the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of all parameters; with set_to_none=False fill them with zeros instead."""
        for parameter in self.parameters():
            zero_gradient(parameter, set_to_none)

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn(module)` for all submodules, and last for this module, as to initialize weights."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Replace the values of all parameters, gradients and buffers by `fn` of them.

        The parameters stay the same objects, so that an optimizer that holds them goes on working.
        """
        for module in self.children():
            module._apply(fn)
        for _, parameter in self._named_members("_parameters", "", recurse=False, remove_duplicate=False):
            gradient = parameter.grad
            with no_grad():
                parameter.data = fn(parameter)
                if gradient is not None:
                    gradient.data = fn(gradient)
        for name, buffer in self._named_members("_buffers", "", recurse=False, remove_duplicate=False):
            self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert all floating parameters and buffers, in place: `to(dtype)`, `to("cpu")`, or `to(tensor)`, which takes
        the dtype of the tensor.

        TypeError for a dtype that is not floating; an error for any device but the CPU.
        """
        for given in (*args, *kwargs.values()):
            kind = given.dtype if isinstance(given, Tensor) else given
            if isinstance(kind, dtypes.dtype) and not kind.is_floating_point:
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={kind}"
                )

        def convert(tensor: Tensor) -> Tensor:
            converted: Tensor = tensor.to(*args, **kwargs)  # which refuses other devices, for integers, too
            return converted if tensor.is_floating_point() else tensor

        return self._apply(convert)

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

    # -- printing

    def extra_repr(self) -> str:
        """The options that `repr` shows in the brackets. Override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) <= 1 and not self._modules:
            return f"{type(self).__name__}({extra})"
        lines += [f"({name}): {indent_rest(repr(module))}" for name, module in self._modules.items()]
        return "\n  ".join([f"{type(self).__name__}(", *lines]) + "\n)"


def indent_rest(text: str) -> str:
    """A text with all lines but the first indented by two spaces."""
    first, newline, rest = text.partition("\n")
    return first + newline + indent(rest, "  ")


def typename(value: Any) -> str:
    """The name of a value's type as PyTorch writes it in error texts: "int", "minigrad.FloatTensor", ..."""
    if isinstance(value, Tensor):
        return str(value.type())
    kind = type(value)
    named = value if hasattr(value, "__qualname__") else kind
    return named.__qualname__ if named.__module__ == "builtins" else f"{named.__module__}.{named.__qualname__}"


def _check_assigned(value: Any, allowed: Any, kind: str, name: str, wanted: str, how: str = "as") -> None:
    """TypeError unless a value is None, or of an allowed class."""
    if value is not None and not isinstance(value, allowed):
        raise TypeError(f"cannot assign '{typename(value)}' {how} {kind} '{name}' ({wanted})")

"""Modules that hold other modules: Sequential runs them in a row; ModuleList and ModuleDict only hold them.

Layers in a plain Python list are not trained, since `parameters()` looks only at what is registered; these classes
register what is put into them.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableMapping
from itertools import groupby
from typing import Any, Self

from minigrad.nn.modules.module import Module, indent_rest
from minigrad.nn.parameter import Parameter


class _Container(Module):
    """Members by name, which are modules or, where `_kind` says so, parameters."""

    _kind = "_modules"

    @property
    def _members(self) -> dict[str, Any]:
        return self.__dict__[self._kind]

    def __len__(self) -> int:
        return len(self._members)


class _Parameters(_Container):
    """Members that are parameters, or become some, and that the `parameters()` of the whole module finds."""

    _kind = "_parameters"

    def add_module(self, name: str, module: Any) -> None:
        self.register_parameter(name, module if isinstance(module, Parameter) else Parameter(module))

    def extra_repr(self) -> str:
        texts = {name: f"{p.dtype} of size {'x'.join(map(str, p.shape))}" for name, p in self._parameters.items()}
        return "\n".join(f"  ({name}): Parameter containing: [{text}]" for name, text in texts.items())


class _Numbered(_Container):
    """Members under the names "0", "1", ...: what Sequential, ModuleList and ParameterList share."""

    def _name(self, index: Any) -> str:
        index, size = operator.index(index), len(self)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return list(self._members)[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members.values())

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self._with(list(self._members.items())[idx])
        return self._members[self._name(idx)]

    def _with(self, named: list[tuple[str, Module]]) -> Self:
        """A container of the same class with some of the modules."""
        return type(self)([module for _, module in named])  # type: ignore[call-arg]

    def __setitem__(self, idx: int, module: Module) -> None:
        self.add_module(self._name(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        for name in list(self._members)[idx] if isinstance(idx, slice) else [self._name(idx)]:
            delattr(self, name)
        self.__dict__[self._kind] = {str(number): member for number, member in enumerate(self)}

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Self:
        """Add modules at the end. TypeError if `modules` is not iterable."""
        if not isinstance(modules, Iterable):
            name = type(self).__name__
            raise TypeError(f"{name}.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):  # a copy: the list may be extended by itself
            self.append(module)
        return self

    __iadd__ = extend


class Sequential(_Numbered):
    """Modules in a row: the output of each is the input of the next.

    Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) names them "0", "1", "2";
    Sequential(OrderedDict(hidden=nn.Linear(4, 8), output=nn.Linear(8, 1))) names them itself.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def _with(self, named: list[tuple[str, Module]]) -> Self:
        return type(self)(OrderedDict(named))


class ModuleList(_Numbered):
    """A list of modules, whose parameters are found. It has no forward: call its modules yourself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __repr__(self) -> str:
        """Neighbours with the same text are shown once, with their count."""
        lines, first = [], 0
        for text, same in groupby(map(repr, self)):
            last = first + len(list(same)) - 1
            number = f"({first})" if first == last else f"({first}-{last})"
            count = "" if first == last else f"{last - first + 1} x "
            lines.append(f"{number}: {count}{indent_rest(text)}")
            first = last + 1
        name = type(self).__name__
        return "\n  ".join([f"{name}(", *lines]) + "\n)" if lines else f"{name}()"


class ParameterList(_Parameters, ModuleList):
    """A list of parameters, which the module's `parameters()` finds; other tensors that are put into it become some."""

    __repr__ = Module.__repr__

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__(values)


class ModuleDict(_Container, MutableMapping[str, Any]):
    """Modules by name, whose parameters are found. It has no forward: call its modules yourself."""

    __eq__, __hash__ = Module.__eq__, Module.__hash__  # unlike dictionaries, two with the same members are two

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or ())

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)


class ParameterDict(_Parameters, ModuleDict):
    """Parameters by name, which the module's `parameters()` finds; other tensors that are put into it become some."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(parameters)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter with this name, which begins as `default` if there is none."""
        super().setdefault(key, default)
        return self[key]

"""Modules that hold other modules: Sequential runs them in a row; ModuleList and ModuleDict only hold them.

Layers in a plain Python list are not trained, since `parameters()` looks only at what is registered; these classes
register what is put into them.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Self

from minigrad.nn.modules.module import Module, indent_rest


class _NumberedModules(Module):
    """Submodules under the names "0", "1", ...: what Sequential and ModuleList share."""

    def _name(self, index: Any) -> str:
        index, size = operator.index(index), len(self)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self._with(list(self._modules.items())[idx])
        return self._modules[self._name(idx)]

    def _with(self, named: list[tuple[str, Module]]) -> Self:
        """A container of the same class with some of the modules."""
        raise NotImplementedError

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name(idx)]:
            delattr(self, name)
        self._modules = {str(number): module for number, module in enumerate(self._modules.values())}

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


class Sequential(_NumberedModules):
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


class ModuleList(_NumberedModules):
    """A list of modules, whose parameters are found. It has no forward: call its modules yourself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _with(self, named: list[tuple[str, Module]]) -> Self:
        return type(self)([module for _, module in named])

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


class ModuleDict(Module):
    """Modules by name, whose parameters are found. It has no forward: call its modules yourself."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        named = modules.items() if hasattr(modules, "items") else modules or ()
        for key, module in named:
            self[key] = module

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of a name and a module."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

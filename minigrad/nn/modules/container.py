"""Modules that hold other modules: Sequential runs them in a row; ModuleList and ModuleDict only hold them.

After this module a reader knows why layers in a plain Python list are not trained: `parameters()` looks only at what is
registered, and these classes register what is put into them.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from minigrad.nn.modules.module import Module, indent_rest

if TYPE_CHECKING:
    from typing import Self


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

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it. IndexError if there is none."""
        removed = self[key]  # type: ignore[index]
        del self[key]
        return removed

    def _insert(self, index: int, module: Module) -> None:
        for number in range(len(self), index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module


class Sequential(_NumberedModules):
    """Modules in a row: the output of each is the input of the next.

    Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) names them "0", "1", "2";
    Sequential(OrderedDict(hidden=nn.Linear(4, 8), output=nn.Linear(8, 1))) names them itself.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name(idx)]

    def __add__(self, other: Sequential) -> Sequential:
        self._check_addend(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        self._check_addend(other)
        return self.extend(list(other))

    def _check_addend(self, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, factor: Any) -> None:
        if not isinstance(factor, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(factor)}")
        if factor <= 0:
            raise ValueError(f"Non-positive multiplication factor {factor} for {type(self)}")

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before `index`. IndexError if that is out of range; AssertionError if it is no module."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index % size if index < 0 else index, module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_NumberedModules):
    """A list of modules, whose parameters are found. It has no forward: call its modules yourself."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._name(idx)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before `index`."""
        self._insert(index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end. TypeError if `modules` is not iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):  # a copy: the list may be extended by itself
            self.append(module)
        return self

    def __repr__(self) -> str:
        """Neighbours with the same text are shown once, with their count."""
        blocks: list[list[Any]] = []  # [first, last, text]
        for number, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = number
            else:
                blocks.append([number, number, text])
        if not blocks:
            return f"{self._get_name()}()"
        lines = [
            f"({first}): {indent_rest(text)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indent_rest(text)}"
            for first, last, text in blocks
        ]
        return "\n  ".join([f"{self._get_name()}(", *lines]) + "\n)"


class ModuleDict(Module):
    """Modules by name, whose parameters are found. It has no forward: call its modules yourself."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

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

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it. KeyError if there is none."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of a name and a module."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add the modules of a dictionary, or of an iterable of pairs (name, module)."""
        for key, module in key_value_pairs("ModuleDict", "ModuleDict", modules):
            self[key] = module


def key_value_pairs(caller: str, name: str, values: Any) -> list[Any]:
    """The pairs of a dictionary, or of an iterable of pairs; TypeError or ValueError for anything else.

    PyTorch's texts give the class two different names: `caller` and `name`.
    """
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{caller}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )
    if hasattr(values, "items"):  # a dictionary, or a module like one
        return list(values.items())
    pairs = list(values)
    for number, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{number} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{name} update sequence element #{number} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
    return pairs

"""Modules that hold others: in a row, in a list, in a dictionary; and lists and dictionaries of parameters.

After this module a reader knows why a plain Python list of layers will not do: its layers would not be found by
`parameters()`.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from minigrad.nn.modules.module import Module, further_in, typename
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from typing import Self


class _Numbered(Module):
    """Modules under the names "0", "1", ..."""

    def _key(self, index: Any) -> str:
        index, size = operator.index(index), len(self)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        for key in list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]:
            delattr(self, key)
        self._modules = {str(number): module for number, module in enumerate(self._modules.values())}

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take out a module and return it."""
        taken = self[key]  # type: ignore[index]
        del self[key]
        return taken

    def _insert(self, index: int, module: Module) -> None:
        for number in range(len(self), index, -1):
            self._modules[str(number)] = self._modules[str(number - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules in a row: each gets what the one before it returned.

    Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), or Sequential(OrderedDict(hidden=..., output=...)).
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(str(name) if isinstance(name, int) else name, module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other: Sequential) -> Sequential:
        self._check_other(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        self._check_other(other)
        return self.extend(list(other))

    def _check_other(self, other: Any) -> None:
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
        """Put a module before the one at `index`."""
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


class ModuleList(_Numbered):
    """A list of modules, all of whose parameters belong to it. It has no forward of its own."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        self._insert(index, module)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
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
        lines = [
            f"\n  ({first}): {further_in(text)}"
            if first == last
            else f"\n  ({first}-{last}): {last - first + 1} x {further_in(text)}"
            for first, last, text in blocks
        ]
        return f"{self._get_name()}({''.join(lines)}\n)" if lines else f"{self._get_name()}()"


class ModuleDict(Module):
    """Modules by name, all of whose parameters belong to it. It has no forward of its own."""

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
        """Take out all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take out a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules, from a dictionary or from pairs of a name and a module."""
        for key, module in _pairs("ModuleDict", "ModuleDict", modules):
            self[key] = module


class ParameterList(Module):
    """A list of parameters that all belong to it. A tensor that is put in becomes a Parameter."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, index: Any) -> str:
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[number] for number in range(len(self))])

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[number] for number in range(*idx.indices(len(self)))])
        return getattr(self, self._key(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._key(idx), _as_parameter(param))

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def extra_repr(self) -> str:
        return "\n".join(
            f"  ({key}): {_described(value, str(getattr(value, 'dtype', '')))}" for key, value in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name that all belong to it. A tensor that is put in becomes a Parameter."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, _checked_key(key))

    def __setitem__(self, key: str, value: Any) -> None:
        _checked_key(key)
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters."""
        return ParameterDict(self)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a name; `default` if there is none, which is then put in."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or `default` if there is none."""
        return self[key] if key in self._keys else default

    def clear(self) -> None:
        """Take out all parameters."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out a parameter and return it."""
        taken = self[key]
        del self[key]
        return taken

    def popitem(self) -> tuple[str, Any]:
        """Take out the last name and parameter."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dictionary with the same value under each of the names."""
        return ParameterDict([(key, default) for key in keys])

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters, from a dictionary (whose names are sorted) or from pairs of a name and a parameter."""
        pairs = _pairs("ParametersDict", "ParameterDict", parameters)
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            pairs = sorted(pairs, key=lambda pair: pair[0])
        for key, parameter in pairs:
            self[key] = parameter

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_described(value, typename(value))}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: Any) -> ParameterDict:
        joined = ParameterDict(other)
        joined.update(self)
        return joined

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _described(value: Any, kind: str) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{name} containing: [{kind} of size {'x'.join(map(str, value.shape))}]"


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}')."
        )
    return key


def _pairs(caller: str, name: str, values: Any) -> list[Any]:
    """Names and values, from a dictionary or from an iterable of pairs."""
    if not isinstance(values, Iterable):
        raise TypeError(
            f"{caller}.update should be called with an iterable of key/value pairs, but got {type(values).__name__}"
        )
    if isinstance(values, Mapping | ModuleDict | ParameterDict):
        return list(values.items())
    pairs = list(values)
    for number, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{number} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{name} update sequence element #{number} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
    return pairs

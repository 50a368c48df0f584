"""ParameterList and ParameterDict: parameters by number or by name, for modules that have many of them.

After this module a reader knows how a module can hold a varying number of parameters, so that `parameters()` finds
them. A tensor that is put in becomes a Parameter; anything else is kept as it is.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from minigrad.nn.modules.container import key_value_pairs
from minigrad.nn.modules.module import Module, typename
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from typing import Self


class ParameterList(Module):
    """A list of parameters. A tensor that is put in becomes a Parameter."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index: Any) -> str:
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
        return getattr(self, self._name(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name(idx), _as_parameter(param))

    def append(self, value: Any) -> Self:
        """Add a parameter, or any other value, at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end. TypeError if `values` is a tensor or not iterable."""
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
    """Parameters by name. A tensor that is put in becomes a Parameter."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        _check_key(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        _check_key(key)
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
        """The parameter of a name; if there is none, put in `default` first."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or `default` if there is none."""
        return self[key] if key in self._keys else default

    def clear(self) -> None:
        """Remove all parameters."""
        for key in list(self):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it. KeyError if there is none."""
        removed = self[key]
        del self[key]
        return removed

    def popitem(self) -> tuple[str, Any]:
        """Remove the last name and parameter and return both. KeyError if there is none."""
        key, _ = self._keys.popitem()
        parameter = getattr(self, key)
        delattr(self, key)
        return key, parameter

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dictionary with the same value under each of the names."""
        return ParameterDict([(key, default) for key in keys])

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of a name and a parameter."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add the parameters of a dictionary, or of an iterable of pairs (name, parameter).

        Those of a dictionary are added in the order of their names, unless it is an OrderedDict.
        """
        pairs = key_value_pairs("ParametersDict", "ParameterDict", parameters)
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

    def __ror__(self, other: Any) -> Any:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _described(value: Any, kind: str) -> str:
    """A line of the printed container."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{name} containing: [{kind} of size {'x'.join(map(str, value.shape))}]"


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
            f"'{type(key).__name__}')."
        )

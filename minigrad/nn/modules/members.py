"""The members of a module: its parameters, buffers and submodules, with their names.

A name such as "encoder.layers.0.weight" is the path through the attributes that hold the modules. A module or parameter
that is reached in two ways is given once, under its first name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.nn.modules.module import Module


class NestedModule:
    """The part of Module that finds its members."""

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once, as an optimizer wants them; with recurse=False only this module's own."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their names, such as "hidden.weight".

        Args:
            prefix: put before every name.
            recurse: include those of submodules.
            remove_duplicate: give a shared parameter only once, under its first name.
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their names; the arguments are those of `named_parameters`."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def _named_members(self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[Any]:
        """The members of a kind with their names, without the None that reserve a name."""
        given: set[Any] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, member in getattr(module, kind).items():
                if member is not None and member not in given:
                    if remove_duplicate:
                        given.add(member)
                    yield f"{path}.{name}" if path else name, member

    def children(self) -> Iterator[Module]:
        """The submodules directly in this module, each once."""
        return (module for _, module in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The submodules directly in this module, with their names."""
        return self._named_members("_modules", "", recurse=False, remove_duplicate=True)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all its submodules, at every depth."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_modules(
        self: Any, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module, under the name `prefix`, and all its submodules, at every depth, with their paths.

        Args:
            memo: modules to be left out; those that are given are added to it.
            remove_duplicate: give a shared module only once, under its first name.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for path, module in self._named_members("_modules", prefix, recurse=False, remove_duplicate=False):
            yield from module.named_modules(memo, path, remove_duplicate)

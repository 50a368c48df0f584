"""What PyTorch has and minigrad leaves out: the error for each such name, wherever a program asks for it.

It begins with Python's own words and says what to do: `minigrad.lgamma`, `x.lgamma()`, `net.cuda()`, `nn.Conv3d`,
`import minigrad.sparse` and `from minigrad.nn import Conv3d` end alike. data/pytorch_names.txt lists the public names
of PyTorch by their owner; a name that is in it and is not here is absent. What PyTorch has not either stays the plain
error of Python, which knows near misses ("Did you mean: 'tensor'?").

Arguments that are left out of what is here are told alike. data/left_out_arguments.txt lists them by function or class:
with PyTorch's default, which may be given and does nothing, among PyTorch's other parameters where their order matters
(without a tensor or module that comes first); those after `*` have names only.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

ADVICE = (
    "PyTorch has it, minigrad leaves it out: it keeps what its lessons need. Use PyTorch for it; viz.BackwardStepper "
    "and viz.draw step and draw PyTorch's own graphs."
)


def _words_by_owner(file_name: str, between: str) -> Iterator[tuple[str, list[str]]]:
    """What a file of data/ lists by owner, as `owner: word word`, with something `between` one owner and the next."""
    with open(os.path.join(os.path.dirname(__file__), "data", file_name), encoding="utf-8") as file:
        for part in file.read().split(between):
            owner, _, words = part.partition(":")
            yield owner, words.split()


# PyTorch's public names by their owner, which is called as it is here: "minigrad.nn", or "Tensor", or "Module".
NAMES = {owner: frozenset(names) for owner, names in _words_by_owner("pytorch_names.txt", "\n\n")}


def with_advice(text: str, name: str, *owners: str) -> str:
    """Python's text about a name that none of its owners has, and what to do if one of them has it in PyTorch."""
    return f"{text}: {ADVICE}" if any(name in NAMES.get(owner, ()) for owner in owners) else text


def attributes_of(module: str, *at_first_use: str, **members: Sequence[str]) -> Callable[[str], Any]:
    """The `__getattr__` of a module: it imports the submodules named `at_first_use`, takes `members` from those that
    have them (submodule -> names), and refuses any other name.
    """

    def attribute(name: str) -> Any:
        if name in at_first_use:
            return import_module(f"{module}.{name}")
        for part, names in members.items():
            if name in names:
                return vars(sys.modules[module]).setdefault(name, getattr(import_module(f"{module}.{part}"), name))
        text = with_advice(f"module {module!r} has no attribute {name!r}", name, module)
        raise AttributeError(text, name=name, obj=sys.modules[module])

    # Python looks for `from module import name` among the submodules of what has a path, and so asks _Finder below.
    vars(sys.modules[module]).setdefault("__path__", [])
    return attribute


class AbsentAttribute:
    """An attribute of PyTorch's tensors that these have not.

    A `__getattr__` of Tensor would do the same for all names at once, and slow down every attribute: an op by a fifth.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: object, owner: type) -> Any:
        asked = f"type object {owner.__name__!r}" if tensor is None else f"{owner.__name__!r} object"
        text = with_advice(f"{asked} has no attribute {self.name!r}", self.name, "Tensor")
        raise AttributeError(text, name=self.name, obj=owner if tensor is None else tensor)


# ---------------------------------------------------------------- arguments


@functools.cache
def _accepted_values(values: str) -> tuple[Any, ...] | None:
    return tuple(map(ast.literal_eval, values.split("|"))) if values else None


# PyTorch's parameters by function, in their order: what may be given for those left out, None for the others.
LEFT_OUT = {
    function: {
        name: _accepted_values(values) for name, _, values in (parameter.partition("=") for parameter in parameters)
    }
    for functions, parameters in _words_by_owner("left_out_arguments.txt", "\n")
    for function in functions.split()
}
Target = TypeVar("Target", bound=Callable[..., Any])


def check_left_out(function: str, name: str, value: Any) -> None:
    """Raise if an argument that is left out was given, and is not what PyTorch has for it by default."""
    accepted = LEFT_OUT[function][name] or ()
    if value is not None and not (isinstance(value, bool | int | float | str) and value in accepted):
        text = f"{function}() got an unexpected keyword argument {name!r} (other than {name}={accepted[0]!r})"
        raise TypeError(f"{text}: {ADVICE}")


def takes_left_out(target: Target, name: str = "") -> Target:
    """The function or class, with PyTorch's arguments that it leaves out: they are checked, and not passed on."""
    if isinstance(target, type):
        target.__init__ = takes_left_out(target.__init__, target.__name__)  # type: ignore[misc]
        return target
    function = name or target.__name__
    accepted, of_object = LEFT_OUT[function], inspect.unwrap(target).__code__.co_varnames[:1] == ("self",)
    positions = list(itertools.takewhile("*".__ne__, accepted))
    first = of_object + next((at for at, name in enumerate(positions) if accepted[name]), len(positions))

    @functools.wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        # From the first one on PyTorch has another order, so what was given by position is passed on by name.
        by_position = dict(zip(positions[first - of_object :], args[first:], strict=False))
        for given in (by_position, named):
            for parameter in [parameter for parameter in given if accepted.get(parameter)]:
                check_left_out(function, parameter, given.pop(parameter))
        return target(*args[:first], *args[of_object + len(positions) :], **by_position, **named)

    return call  # type: ignore[return-value]


class _Finder:
    """Asked last for modules that nobody has found: those that PyTorch has are refused in words."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        owner, _, name = fullname.rpartition(".")
        if name not in NAMES.get(owner, ()):
            return
        asking = _import_steps()
        if "_handle_fromlist" in asking:
            # As ModuleNotFoundError of this name it would be taken for a missing attribute, and its text be lost.
            raise ImportError(with_advice(f"cannot import name {name!r} from {owner!r}", name, owner), name=owner)
        if "_find_and_load" in asking:  # else somebody asks whether there is such a module
            raise ModuleNotFoundError(with_advice(f"No module named {fullname!r}", name, owner), name=fullname)


def _import_steps() -> list[str]:
    """The functions of Python's import system that are looking for a module: `_handle_fromlist` is one of them where
    `from owner import name` found no such attribute and hopes for a module.
    """
    steps, frame = [], sys._getframe(2)
    while frame is not None and frame.f_globals["__name__"].startswith("importlib."):
        steps.append(frame.f_code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return steps


sys.meta_path.append(_Finder())  # not of importlib.abc's class: that takes longer to import than all of minigrad

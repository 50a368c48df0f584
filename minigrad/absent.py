"""What PyTorch has and minigrad leaves out: the error for each such name, wherever a program asks for it.

It begins with Python's own words and says what to do: `minigrad.lgamma`, `x.lgamma()`, `nn.Conv3d`, `import
minigrad.distributions` and `from minigrad.nn import Conv3d` end alike. data/pytorch_names.txt lists the public names of
PyTorch by their owner; a name that is in it and is not here is absent. What PyTorch has not either stays the plain
error of Python, which knows near misses ("Did you mean: 'tensor'?").
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

ADVICE = (
    "PyTorch has it, minigrad leaves it out: it keeps what its lessons need. Use PyTorch for it; viz.BackwardStepper "
    "and viz.draw step and draw PyTorch's own graphs."
)


def _names_of_pytorch() -> dict[str, frozenset[str]]:
    """PyTorch's public names by their owner, which is called as it is here: "minigrad.nn", or "Tensor"."""
    with open(os.path.join(os.path.dirname(__file__), "data", "pytorch_names.txt"), encoding="utf-8") as file:
        text = file.read()
    paragraphs = [paragraph.partition(":") for paragraph in text.split("\n\n")]
    return {owner: frozenset(names.split()) for owner, _, names in paragraphs}


NAMES = _names_of_pytorch()


def explained(text: str, owner: str, name: str) -> str:
    """Python's text about a name that is not there, and what to do if PyTorch has it."""
    return f"{text}: {ADVICE}" if name in NAMES.get(owner, ()) else text


def attributes_of(module: str, *at_first_use: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: it imports the submodules named `at_first_use` and refuses any other name."""

    def attribute(name: str) -> Any:
        if name in at_first_use:
            return import_module(f"{module}.{name}")
        text = explained(f"module {module!r} has no attribute {name!r}", module, name)
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
        text = explained(f"{asked} has no attribute {self.name!r}", "Tensor", self.name)
        raise AttributeError(text, name=self.name, obj=owner if tensor is None else tensor)


class _Finder:
    """Asked last for modules that nobody has found: those that PyTorch has are refused in words."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        owner, _, name = fullname.rpartition(".")
        if name not in NAMES.get(owner, ()):
            return
        asking = _import_steps()
        if "_handle_fromlist" in asking:
            # As ModuleNotFoundError of this name it would be taken for a missing attribute, and its text be lost.
            raise ImportError(explained(f"cannot import name {name!r} from {owner!r}", owner, name), name=owner)
        if "_find_and_load" in asking:  # else somebody asks whether there is such a module
            raise ModuleNotFoundError(explained(f"No module named {fullname!r}", owner, name), name=fullname)


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

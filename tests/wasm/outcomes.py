"""What each behaviour does on minigrad, to be compared between one Python and another.

A behaviour (helpers/side_by_side.py) is compared with PyTorch where PyTorch is. In a browser it is not; so what
minigrad does there is compared with what it does here, where the tests have found it to be what PyTorch does.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from helpers.leak_guard import no_leaks
from helpers.side_by_side import Behaviour, Behaviours, outcome, same

import minigrad

TESTS = Path(__file__).parents[1]
ADDRESS = re.compile(r"0x[0-9a-f]+(\.\.\.)?")
TRACEBACK = re.compile(r"(?<=Traceback of forward call that ).*", re.DOTALL)  # which begins where it is run


class Anything(types.ModuleType):
    """Stands for hypothesis, which is compiled for one machine: its tests are not run here, only defined."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self


def modules_with_behaviours() -> list[str]:
    """`engine.hooks.test_nodes` and the like."""
    files = (path for path in TESTS.rglob("test_*.py") if "= Behaviours()" in path.read_text(encoding="utf-8"))
    return sorted(path.relative_to(TESTS).with_suffix("").as_posix().replace("/", ".") for path in files)


def outcomes(modules: Iterable[str], without: Collection[str] = ()) -> dict[str, Any]:
    """The value, the error and the warnings of each behaviour of some modules, by module and title, without some."""
    if sys.platform == "emscripten":
        for name in ("hypothesis", "hypothesis.strategies", "hypothesis.extra", "hypothesis.extra.numpy"):
            sys.modules[name] = Anything(name)
    found = {}
    for title, behaviour in (one for name in modules for one in behaviours_of(name)):
        if title in without:
            continue
        with no_leaks():
            result = outcome(behaviour.scenario, minigrad)
        error = result.error and f"{type(result.error).__name__}: {result.error}"
        told = [f"{warning.category.__name__}: {warning.message}" for warning in result.warnings]
        found[title] = [without_addresses(part) for part in (result.value, error, told)]
    return found


def behaviours_of(name: str) -> Iterator[tuple[str, Behaviour]]:
    """The behaviours of a module, each with the module's name and its own title."""
    module = importlib.import_module(name)
    for behaviours in [value for value in vars(module).values() if isinstance(value, Behaviours)]:
        for behaviour in behaviours:
            yield f"{name}: {behaviour.title}", behaviour


def without_addresses(value: Any) -> Any:
    """A value without what differs from run to run, and between one place and another from where it is run."""
    if isinstance(value, str):
        return ADDRESS.sub("0x", TRACEBACK.sub("", value))
    if isinstance(value, list | tuple):
        return type(value)(map(without_addresses, value))
    return value


def differing(own: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Of the behaviours of `own`, those that did something else in `other`."""
    return {title: (own[title], other.get(title)) for title in own if not same(own[title], other.get(title))}

"""One behaviour, run on minigrad and on torch, and compared.

A file of behaviours reads as a list of what a learner can count on:

    behaviours = Behaviours()

    @behaviours("A03: requires_grad=False on a result is refused", error=RuntimeError, says="you can only change")
    def _(F):
        (F.ones(2, requires_grad=True) * 2).requires_grad = False

    behaviours.table(
        ("A03: a leaf requires no gradient by itself", lambda F: F.ones(2).requires_grad),
    )

    test_as_in_torch = behaviours.test()

The function is run with `F` as torch and as minigrad. What it returns must be the same (tensors by dtype, shape, values
and requires_grad; nodes by name; anything nested in lists, tuples and dicts), and so must the type of the error that it
raises and the categories of its warnings, in order. `says` is how PyTorch's message begins; both must begin with it.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import minigrad

Scenario = Callable[[Any], Any]


@dataclass
class Outcome:
    """What a scenario did on one of the two."""

    value: Any = None
    error: Exception | None = None
    warnings: tuple[warnings.WarningMessage, ...] = ()


def ours(text: str) -> str:
    """PyTorch's words with our name in them."""
    return text.replace("torch.", "minigrad.")


def outcome(scenario: Scenario, F: Any) -> Outcome:
    if hasattr(F, "set_warn_always"):
        F.set_warn_always(True)  # torch says some warnings once per process only, so that order would matter
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = plain(scenario(F), F)
        except Exception as error:
            return Outcome(error=error, warnings=tuple(caught))
    return Outcome(value=value, warnings=tuple(caught))


def plain(value: Any, F: Any) -> Any:
    """A result in terms that both sides share."""
    if isinstance(value, F.Tensor):
        numbers = value.detach().tolist()
        return ("tensor", ours(str(value.dtype)), list(value.shape), plain(numbers, F), bool(value.requires_grad))
    if isinstance(value, F.dtype):
        return ours(str(value))
    if isinstance(value, F.Size):
        return ("size", list(value))
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), list(value.shape), plain(value.tolist(), F))
    if isinstance(value, list | tuple):
        return [plain(item, F) for item in value]
    if isinstance(value, dict):
        return {key: plain(item, F) for key, item in value.items()}
    if isinstance(value, str):
        return ours(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if hasattr(value, "next_functions"):
        return f"<{value.name().removeprefix('torch::autograd::')}>"
    raise TypeError(f"a scenario returned a {type(value).__name__}, which the comparison does not know: {value!r}")


def same(ours: Any, theirs: Any) -> bool:
    """Equal, floats to six digits; nan equals nan."""
    if isinstance(theirs, float) and isinstance(ours, float):
        return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-5, abs_tol=1e-6)
    if isinstance(theirs, list | tuple):
        return type(ours) is type(theirs) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in theirs)
    return type(ours) is type(theirs) and bool(ours == theirs)


@functools.cache
def import_lazily_loaded(torch: Any) -> None:
    """Import what torch imports at the first batched gradient, since that import warns about torch itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.func.vmap(torch.sin)(torch.ones(1))
        torch.autograd.functional.hessian(torch.sum, torch.ones(1), vectorize=True)
        torch.autograd.functional.jacobian(torch.sin, torch.ones(1), vectorize=True, strategy="forward-mode")


@dataclass
class Behaviour:
    """A scenario, and how PyTorch's error or warnings begin."""

    title: str
    scenario: Scenario
    error: type[Exception] | None
    says: str
    warns: tuple[str, ...]

    def __str__(self) -> str:
        return self.title

    def check(self, torch: Any) -> None:
        import_lazily_loaded(torch)
        theirs = outcome(self.scenario, torch)
        self._as_described(theirs, self.says, self.warns, "torch")
        result = outcome(self.scenario, minigrad)
        self._as_described(result, ours(self.says), tuple(map(ours, self.warns)), "minigrad")
        assert same(result.value, theirs.value), f"minigrad gives {result.value}\ntorch gives {theirs.value}"

    def _as_described(self, result: Outcome, says: str, warns: tuple[str, ...], who: str) -> None:
        if self.error is None:
            if result.error is not None:
                raise AssertionError(f"{who} raised {result.error!r}") from result.error
        else:
            assert result.error is not None, f"{who} raised nothing, and gave {result.value}"
            assert type(result.error) is self.error, f"{who} raised {result.error!r}, not {self.error.__name__}"
            message = str(result.error)
            assert message.startswith(says), f"{who} says: {message}\nexpected: {says}"
        texts = [f"{warning.category.__name__}: {warning.message}" for warning in result.warnings]
        assert len(texts) == len(warns), f"{who} warned {texts}, expected {warns}"
        for text, beginning in zip(texts, warns, strict=True):
            assert text.startswith(beginning), f"{who} warned {text!r}, expected {beginning!r}"


class Behaviours:
    """A list of behaviours that fills itself by decoration."""

    def __init__(self) -> None:
        self.listed: list[Behaviour] = []

    def __call__(
        self, title: str, *, error: type[Exception] | None = None, says: str = "", warns: tuple[str, ...] = ()
    ) -> Callable[[Scenario], Scenario]:
        """Add the decorated function. `warns` has one entry per warning: `"UserWarning: The .grad attribute"`."""
        if (error is None) != (says == ""):
            raise ValueError(f"{title}: an error comes with how its message begins, and the other way round")

        def add(scenario: Scenario) -> Scenario:
            self.listed.append(Behaviour(title, scenario, error, says, warns))
            return scenario

        return add

    def table(self, *rows: tuple[Any, ...]) -> None:
        """Add scenarios of one expression, a row each: `(title, scenario)`, or `(title, scenario, error, says)`."""
        for title, scenario, *refused in rows:
            error, says = refused or (None, "")
            self(title, error=error, says=says)(scenario)

    def __iter__(self) -> Iterator[Behaviour]:
        return iter(self.listed)

    def test(self) -> Callable[..., None]:
        """The test function that runs them all, one case each."""

        @pytest.mark.parametrize("behaviour", self.listed, ids=str)
        def test_as_in_torch(behaviour: Behaviour, torch: Any) -> None:
            behaviour.check(torch)

        return test_as_in_torch

"""Whatever name minigrad offers, torch offers too: a program that runs on minigrad can be moved to torch."""

from __future__ import annotations

import functools
import pickle
import types
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg


def test_functions_are_those_of_torch(torch: types.ModuleType) -> None:
    own = {
        name for name, value in vars(mg).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert len(own) > 100
    strange = [name for name in own if not hasattr(torch, name)]
    assert strange == [], (
        'PyTorch may have them as methods only: @public(function=False), or in_place="method" for name_'
    )


def test_constants_are_those_of_torch(torch: types.ModuleType) -> None:
    assert (mg.e, mg.pi, mg.inf, mg.newaxis) == (torch.e, torch.pi, torch.inf, torch.newaxis)
    assert mg.nan != mg.nan
    assert mg.ones(3)[:, mg.newaxis].shape == (3, 1)


def test_methods_are_those_of_torch(torch: types.ModuleType) -> None:
    methods = {name for name in dir(mg.Tensor) if not name.startswith("_")}
    assert len(methods) > 100
    assert not {name for name in methods if not hasattr(torch.Tensor, name)}


def test_names_of_autograd_are_those_of_torch(torch: types.ModuleType) -> None:
    assert "grad" in mg.autograd.__all__
    assert not {name for name in mg.autograd.__all__ if not hasattr(torch.autograd, name)}


def _functions() -> dict[str, Callable[..., Any]]:
    """The public functions by the names under which a program finds them."""
    places = {"": mg, "nn.functional.": mg.nn.functional, "linalg.": mg.linalg}
    return {
        prefix + name: value
        for prefix, place in places.items()
        for name, value in vars(place).items()
        if isinstance(value, types.FunctionType) and not name.startswith("_")
    }


def test_functions_can_be_pickled() -> None:
    """A model that holds one, as in `self.activation = torch.relu`, can be saved whole."""
    functions = _functions()
    assert len(functions) > 200
    assert pickle.loads(pickle.dumps(functions)) == functions


def _refusals() -> dict[str, Callable[..., Any]]:
    """Functions and methods, to be called with an argument that none of them has."""
    methods = {
        f"Tensor.{name}": functools.partial(method, mg.ones(2, 2))
        for name, method in vars(mg.Tensor).items()
        if isinstance(method, types.FunctionType) and not name.startswith("_")
    }
    return {**_functions(), **methods}


def test_errors_about_arguments_name_a_public_function() -> None:
    """Not one within it: `matmul()`, where Python alone would say `_binary.<locals>.called()`."""
    public = {*vars(mg), *vars(mg.nn.functional), *vars(mg.linalg), *dir(mg.Tensor)}
    named = {}
    for name, call in _refusals().items():
        with pytest.raises((TypeError, RuntimeError)) as caught:
            call(no_such_argument=1)
        named[name] = str(caught.value).partition("()")[0].removeprefix("Tensor.").removeprefix("linalg_")
    assert len(named) > 350
    unknown = {name: text for name, text in named.items() if text not in public}
    assert unknown == {}


@pytest.mark.parametrize("name", ["add", "matmul", "maximum", "cumsum", "transpose", "eq", "isnan", "sin"])
def test_a_missing_argument_is_told_of_the_function_called(torch: types.ModuleType, name: str) -> None:
    missing = () if name in ("isnan", "sin") else (torch.ones(2, 2),)
    with pytest.raises(TypeError, match=rf"{name}\(\)"):
        getattr(torch, name)(*missing)
    with pytest.raises(TypeError, match=rf"{name}\(\) missing "):
        getattr(mg, name)(*(mg.ones(2, 2) for _ in missing))

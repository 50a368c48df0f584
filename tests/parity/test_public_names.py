"""Whatever name minigrad offers, torch offers too: a program that runs on minigrad can be moved to torch."""

from __future__ import annotations

import types

import minigrad as mg


def test_functions_are_those_of_torch(torch: types.ModuleType) -> None:
    own = {
        name for name, value in vars(mg).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert len(own) > 100
    assert {name for name in own if not hasattr(torch, name)} <= {"load_ipython_extension"}  # IPython's name, not ours


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

"""What PyTorch has and minigrad has not: one error for each name, in whatever way a program asks for it."""

from __future__ import annotations

import copy
import importlib
import json
import os
import pickle
import subprocess
import sys
import types
from typing import Any

import pytest

import minigrad
from minigrad.absent import ADVICE, NAMES

OWNERS = (
    "minigrad", "Tensor", "Module", "Sequential", "ModuleList", "RNNBase",
    "minigrad.nn", "minigrad.nn.functional", "minigrad.nn.init", "minigrad.nn.utils",
    "minigrad.optim", "minigrad.optim.lr_scheduler", "minigrad.linalg", "minigrad.autograd", "minigrad.autograd.graph",
    "minigrad.utils", "minigrad.utils.data", "minigrad.cuda", "minigrad.autograd.function", "minigrad.utils.checkpoint",
    "minigrad.distributions",
)  # fmt: skip
MODULE_CLASSES = ("Sequential", "ModuleList", "RNNBase")  # which have more names than Module
# Those of whose objects the names are, and their places.
CLASSES = {"Tensor": "minigrad", "Module": "minigrad.nn", **dict.fromkeys(MODULE_CLASSES, "minigrad.nn")}
MODULES = [owner for owner in OWNERS if owner not in CLASSES]
NOT_OF_PYTORCH = ("torch", "TYPE_CHECKING")  # what its modules import and do not hide


def public_names(owner: str) -> list[str]:
    """PyTorch's public names in one place, without what it imports from Python's library."""
    place: Any = importlib.import_module(CLASSES.get(owner, owner).replace("minigrad", "torch"))
    place = getattr(place, owner) if owner in CLASSES else place
    inherited = public_names("Module") if owner in MODULE_CLASSES else []

    def is_own(name: str, value: Any) -> bool:
        if name.startswith("_") or name in NOT_OF_PYTORCH:
            return False
        if isinstance(value, types.ModuleType):
            return value.__name__.startswith("torch")
        home = getattr(value, "__module__", None) or "torch"
        return owner in CLASSES or home.startswith("torch") or name in getattr(place, "__all__", ())

    names = set(dir(place)).difference(inherited)
    return sorted(name for name in names if is_own(name, getattr(place, name, None)))


@pytest.fixture(scope="module")
def names_of_torch(torch: types.ModuleType) -> dict[str, list[str]]:
    """All of them, as a new process sees them: in this one other tests have loaded further parts of PyTorch."""
    path = os.pathsep.join(sys.path)
    printed = subprocess.run(
        [sys.executable, __file__], env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, text=True
    ).stdout
    names: dict[str, list[str]] = json.loads(printed)
    return names


@pytest.mark.parametrize("owner", OWNERS)
def test_every_public_name_of_torch_is_known(names_of_torch: dict[str, list[str]], owner: str) -> None:
    assert len(names_of_torch[owner]) > 3
    assert [name for name in names_of_torch[owner] if name not in NAMES[owner]] == []


@pytest.mark.parametrize("owner", MODULES)
def test_a_name_that_is_left_out_raises_the_one_error(owner: str) -> None:
    module = importlib.import_module(owner)
    absent = [name for name in NAMES[owner] if not hasattr(module, name)]
    assert absent
    for name in absent:
        with pytest.raises(AttributeError) as caught:
            getattr(module, name)
        assert str(caught.value) == f"module {owner!r} has no attribute {name!r}: {ADVICE}"
        assert (caught.value.name, caught.value.obj) == (name, module)


def test_an_attribute_of_tensors_that_is_left_out_raises_it_too() -> None:
    x = minigrad.ones(2, 2)
    absent = [name for name in NAMES["Tensor"] if not hasattr(minigrad.Tensor, name)]
    assert len(absent) > 100
    assert not set(absent) & set(dir(x))
    for name in absent:
        with pytest.raises(AttributeError) as caught:
            getattr(x, name)
        assert str(caught.value) == f"'Tensor' object has no attribute {name!r}: {ADVICE}"
        assert (caught.value.name, caught.value.obj) == (name, x)
    with pytest.raises(AttributeError, match=r"^type object 'Tensor' has no attribute 'to_sparse': PyTorch has it"):
        minigrad.Tensor.to_sparse  # noqa: B018


def test_so_does_a_method_of_modules() -> None:
    class Net(minigrad.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = minigrad.nn.Linear(1, 1)

    absent = [name for name in NAMES["Module"] if not hasattr(minigrad.nn.Module, name)]
    assert {"cuda", "get_submodule", "register_backward_hook"} - set(absent) == set()
    for name in absent:
        with pytest.raises(AttributeError) as caught:
            getattr(Net(), name)
        assert str(caught.value) == f"'Net' object has no attribute {name!r}: {ADVICE}"
        assert caught.value.name == name
    with pytest.raises(AttributeError, match=r"^'Net' object has no attribute 'cudda'$"):
        Net().cudda  # noqa: B018


class TwoLayers(minigrad.nn.Sequential):
    """A class of a learner, whose objects have what Sequential has."""


OBJECTS: list[tuple[Any, str, str]] = [
    (minigrad.nn.LSTM(1, 1), "flatten_parameters", "RNNBase"),
    (minigrad.nn.GRU(1, 1), "all_weights", "RNNBase"),
    (minigrad.nn.ModuleList(), "insert", "ModuleList"),
    (TwoLayers(), "pop", "Sequential"),
    (TwoLayers(), "cuda", "Module"),
]


@pytest.mark.parametrize(("module", "name", "owner"), OBJECTS, ids=lambda value: str(value).partition("(")[0])
def test_so_does_what_only_some_modules_of_torch_have(module: Any, name: str, owner: str) -> None:
    assert name in NAMES[owner]
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value) == f"{type(module).__name__!r} object has no attribute {name!r}: {ADVICE}"
    with pytest.raises(AttributeError, match=r"^'Linear' object has no attribute 'insert'$"):
        minigrad.nn.Linear(1, 1).insert  # noqa: B018


IMPORTS = {
    "import minigrad.sparse": (ModuleNotFoundError, "No module named 'minigrad.sparse'"),
    "from minigrad import sparse": (ImportError, "cannot import name 'sparse' from 'minigrad'"),
    "from minigrad.sparse import spdiags": (ModuleNotFoundError, "No module named 'minigrad.sparse'"),
    "from minigrad.distributions import Gamma": (ImportError, "cannot import name 'Gamma' from 'minigrad.distrib"),
    "import minigrad.distributions.gamma": (ModuleNotFoundError, "No module named 'minigrad.distributions.gamma'"),
    "from minigrad import vmap": (ImportError, "cannot import name 'vmap' from 'minigrad'"),
    "from minigrad.nn import Conv3d": (ImportError, "cannot import name 'Conv3d' from 'minigrad.nn'"),
    "from minigrad.nn import Linear, Conv3d": (ImportError, "cannot import name 'Conv3d' from 'minigrad.nn'"),
    "from minigrad.nn.functional import grid_sample": (ImportError, "cannot import name 'grid_sample' from 'minig"),
    "from minigrad.optim import LBFGS": (ImportError, "cannot import name 'LBFGS' from 'minigrad.optim'"),
    "from minigrad.optim.lr_scheduler import OneCycleLR": (ImportError, "cannot import name 'OneCycleLR' from 'mini"),
    "from minigrad.utils.data import DistributedSampler": (ImportError, "cannot import name 'DistributedSampler'"),
    "from minigrad.linalg import lu": (ImportError, "cannot import name 'lu' from 'minigrad.linalg'"),
}


@pytest.mark.parametrize("line", IMPORTS)
def test_so_does_its_import(line: str) -> None:
    kind, says = IMPORTS[line]
    for _ in range(2):
        with pytest.raises(ImportError) as caught:
            exec(line)
        assert type(caught.value) is kind
        assert str(caught.value).startswith(says)
        assert str(caught.value).endswith(f"': {ADVICE}")


def test_a_name_that_torch_has_not_either_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match=r"^module 'minigrad' has no attribute 'tensr'$") as caught:
        minigrad.tensr  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("tensr", minigrad)
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'summ'$"):
        minigrad.ones(1).summ  # noqa: B018
    with pytest.raises(ImportError, match=r"^cannot import name 'Lineal' from 'minigrad.nn'"):
        exec("from minigrad.nn import Lineal")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'minigrad.functionals'$"):
        exec("import minigrad.functionals")


def test_what_looks_for_an_attribute_finds_none() -> None:
    x = minigrad.ones(2, 2)
    assert not hasattr(x, "to_sparse")
    assert getattr(x, "to_sparse", None) is None
    assert copy.deepcopy(x).tolist() == pickle.loads(pickle.dumps(x)).tolist() == copy.copy(x).tolist() == x.tolist()
    assert not hasattr(minigrad, "__wrapped__")
    assert "to_sparse" not in dir(minigrad)
    assert [name for name in MODULES if "__path__" not in vars(importlib.import_module(name))] == []


if __name__ == "__main__":
    print(json.dumps({owner: public_names(owner) for owner in OWNERS}))

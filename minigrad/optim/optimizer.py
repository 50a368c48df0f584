"""What all optimizers share: parameters in groups, options, state, and what is saved of them.

`param_groups` is a list of dicts: each has its parameters under "params", and its own learning rate and other options
beside them. `state` has, for each parameter, what the rule remembers from step to step. `state_dict()` is both with
numbers in the place of the parameters, so that it can be saved and loaded into an optimizer of the same network. How a
step is made is told in `rules`.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.tensor import Tensor, from_array

Group = dict[str, Any]


class Optimizer:
    """The base of all optimizers; a rule of your own subclasses it and defines `step`.

    Args:
        params: tensors that are leaves, or pairs of a name and a tensor, or dicts with such a list under "params" and
            options of their own.
        defaults: the options of groups that do not give their own.

    Raises TypeError or ValueError where the parameters are not such ones, are none at all, or are in two groups.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{_type_name(params)}. Put it into a list: [tensor]."
            )
        groups = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list: is the network without parameters, or was a generator used up "
                "before?"
            )
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle has of it: not what a scheduler put around its `step`."""
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {option}: {group[option]}\n" for option in sorted(group) if option != "params"]
            text += f"\nParameter Group {number}\n" + "".join(options)
        return text + ")"

    def add_param_group(self, param_group: Group) -> None:
        """Take more parameters, with options of their own: `{"params": [...], "lr": 0.01}`.

        The dict itself becomes the group: missing options are filled in from the defaults.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}: {{'params': [...]}}")
        _read_parameters(param_group)
        for option, default in self.defaults.items():
            param_group.setdefault(option, default)
        own = set(param_group["params"])
        if len(own) != len(param_group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "each of them is updated once for every time that it is listed",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        named = "param_names" in param_group
        for group in self.param_groups:
            if ("param_names" in group) != named:
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with names' if named else 'without names'} to the optimizer"
                )
            if not own.isdisjoint(group["params"]):
                raise ValueError("some parameters appear in more than one parameter group: which options are to hold?")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                gradient = param._grad
                if set_to_none:
                    param._grad = None
                elif gradient is not None:
                    if gradient.grad_fn is not None:
                        gradient.detach_()
                    else:
                        gradient.requires_grad_(False)
                    gradient.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by what their gradients say; returns what the closure returned."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """State and options: `{"state": {0: {...}, ...}, "param_groups": [{"lr": ..., "params": [0, ...]}, ...]}`.

        Parameters are numbered in their order. The tensors are the optimizer's own, not copies.
        """
        numbers: dict[Tensor, int] = {}
        start, groups = 0, []
        for group in self.param_groups:
            numbers |= {param: number for number, param in enumerate(group["params"], start) if param not in numbers}
            start += len(group["params"])
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": [numbers[param] for param in group["params"]]})
        state = {numbers[key] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options from `state_dict()` of an optimizer with as many parameters in as many groups.

        State takes each parameter's dtype. ValueError where the groups do not fit.
        """
        saved = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved):
            raise ValueError(
                f"loaded state dict has a different number of parameter groups: {len(saved)}, not "
                f"{len(self.param_groups)}"
            )
        params: dict[int, Tensor] = {}
        for own, loaded in zip(self.param_groups, saved, strict=True):
            if len(own["params"]) != len(loaded["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                    f"{len(loaded['params'])} parameters, not {len(own['params'])}"
                )
            params |= zip(loaded["params"], own["params"], strict=True)
            loaded["params"] = own["params"]
            for option in (*self.defaults, "param_names"):  # those that a file of an older version lacks
                if option in own:
                    loaded.setdefault(option, own[option])
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            state[params.get(key, key)] = _fitting(params[key], value) if key in params else value
        self.state, self.param_groups = state, saved


def _read_parameters(group: Group) -> None:
    """Make a checked list of a group's parameters, and another one of their names if they have any."""
    params = [group["params"]] if isinstance(group["params"], Tensor) else group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    entries = list(params)
    names = [entry[0] for entry in entries if isinstance(entry, tuple)]
    if names and len(names) != len(entries):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if names:
        group["param_names"] = names
    group["params"] = [entry[1] for entry in entries] if names else entries
    for param in group["params"]:
        if not isinstance(param, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {_type_name(param)}: {param!r}"
            )
        if not (param.is_leaf or param.retains_grad):
            raise ValueError(
                "can't optimize a non-leaf Tensor: this one was computed from others. Optimize those, or its "
                "detach().requires_grad_()."
            )


def _fitting(param: Tensor, value: Any, name: str = "") -> Any:
    """Loaded state in a parameter's dtype, in lists and dicts too; steps are counted in a dtype of their own."""
    if name == "step" and isinstance(value, int | float):  # as PyTorch saved it before 1.12
        return from_array(np.array(value, np.float32))
    if isinstance(value, Tensor):
        return value if name == "step" or not param.dtype.is_floating_point else value.to(param.dtype)
    if isinstance(value, dict):
        return {key: _fitting(param, part, key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_fitting(param, part) for part in value)
    return value


def _type_name(value: Any) -> str:
    return f"minigrad.{value.dtype.tensor_type}Tensor" if isinstance(value, Tensor) else type_name(value)

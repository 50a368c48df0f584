"""What all optimizers share: parameters in groups, options, state, and what is saved of them.

`param_groups` is a list of dicts: each has its parameters under "params", and its own learning rate and other options
beside them. `state` has, for each parameter, what the rule remembers from step to step. `state_dict()` is both with
numbers in the place of the parameters, so that it can be saved and loaded into an optimizer of the same network. How a
step is made is told in `algorithms`.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from minigrad.absent import LEFT_OUT, takes_left_out
from minigrad.autograd.blame import type_name, warn
from minigrad.autograd.modes import modes
from minigrad.tensor import Tensor, zero_gradient

ParamGroup = dict[str, Any]


class Optimizer:
    """The base of all optimizers; a rule of your own subclasses it and defines `step`.

    Args:
        params: tensors that are leaves, these with their names, as `named_parameters()` gives them, or dicts with a
            list of such under "params" and options of their own.
        defaults: the options of groups that do not give their own.

    Raises TypeError or ValueError where the parameters are not such ones, are none at all, or are in two groups.
    """

    _opt_called: bool  # whether it has stepped since its first scheduler was made

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[ParamGroup] = []
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"minigrad.{params.dtype.tensor_type}Tensor. Put it into a list: [tensor]."
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list: was a generator of parameters used up before?")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls) -> None:
        """Have the rule's `step` note that it was called, once a scheduler wants to know: it is to come after that."""
        if cls.__module__.startswith("minigrad.") and cls.__name__ in LEFT_OUT:
            takes_left_out(cls)
        if (step := vars(cls).get("step")) is None:
            return

        @functools.wraps(step)
        def noting_step(self: Optimizer, *args: Any, **options: Any) -> Any:
            if "_opt_called" in vars(self):
                self._opt_called = True
            if modes.profiler is not None:
                return modes.profiler.step(step, self, args, options)
            return step(self, *args, **options)

        cls.step = noting_step  # type: ignore[method-assign]

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {option}: {group[option]}\n" for option in sorted(group) if option != "params"]
            text += f"\nParameter Group {number}\n" + "".join(options)
        return text + ")"

    def add_param_group(self, param_group: ParamGroup) -> None:
        """Take more parameters, with options of their own: `{"params": [...], "lr": 0.01}`.

        The dict itself becomes the group: missing options are filled in from the defaults.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}: {{'params': [...]}}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        given = [params] if isinstance(params, Tensor) else list(params)
        if names := [each[0] for each in given if isinstance(each, tuple)]:
            param_group["param_names"] = names
        param_group["params"] = params = [each[-1] if isinstance(each, tuple) else each for each in given]
        for param in params:
            if not isinstance(param, Tensor):
                kind = type_name(param)
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}: {param!r}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor: optimize those that this one was computed from.")
        for option, default in self.defaults.items():
            param_group.setdefault(option, default)
        if len(set(params)) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "each of them is updated once for every time that it is listed"
            )
        if any(not set(params).isdisjoint(group["params"]) for group in self.param_groups):
            raise ValueError("some parameters appear in more than one parameter group: which options are to hold?")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                zero_gradient(param, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by what their gradients say; returns what the closure returned."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """State and options: `{"state": {0: {...}, ...}, "param_groups": [{"lr": ..., "params": [0, ...]}, ...]}`.

        Parameters are numbered in their order. The tensors are the optimizer's own, not copies.
        """
        numbers: dict[Any, int] = {}
        start, groups = 0, []
        for group in self.param_groups:
            numbers |= {param: number for number, param in enumerate(group["params"], start) if param not in numbers}
            start += len(group["params"])
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": [numbers[param] for param in group["params"]]})
        return {"state": {numbers.get(key, key): value for key, value in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options from `state_dict()` of an optimizer with as many parameters in as many groups.

        State takes each parameter's dtype. ValueError where the groups do not fit.
        """
        saved = deepcopy(state_dict["param_groups"])
        counts = [[len(group["params"]) for group in groups] for groups in (saved, self.param_groups)]
        if len(counts[0]) != len(counts[1]):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if counts[0] != counts[1]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                f"the groups have {counts[0]} parameters, not {counts[1]}"
            )
        params: dict[Any, Tensor] = {}
        for own, loaded in zip(self.param_groups, saved, strict=True):
            params |= zip(loaded["params"], own["params"], strict=True)
            loaded["params"] = own["params"]
            for option in (*self.defaults, *{"param_names"} & own.keys()):  # those that the file lacks
                loaded.setdefault(option, own[option])
        self.state, self.param_groups = defaultdict(dict), saved
        for key, value in state_dict["state"].items():
            self.state[params.get(key, key)] = _fitting(params[key], value) if key in params else value


def _fitting(param: Tensor, state: dict[str, Any]) -> dict[str, Any]:
    """Loaded state of a parameter, in its dtype; steps are counted in a dtype of their own."""
    return {
        name: value.to(param.dtype) if isinstance(value, Tensor) and name != "step" else value
        for name, value in state.items()
    }

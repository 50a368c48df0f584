"""What all optimizers share: parameters in groups, options, state, hooks, and what is saved of them.

After this module a reader knows what an optimizer holds. `param_groups` is a list of dicts: each has its parameters
under "params", and its own learning rate and other options beside them. `state` has, for each parameter, what the rule
remembers from step to step. `state_dict()` is both with numbers in the place of the parameters, so that it can be saved
and loaded into an optimizer of the same network. The rules themselves are one module each, from sgd.py on.
"""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.autograd.hooks import Hook, Hooks, RemovableHandle, add_hook
from minigrad.tensor import Tensor

Group = dict[str, Any]


class _Required:
    """Stands in `defaults` for an option that every group has to give itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()
_before_any_step, _after_any_step = Hooks(), Hooks()


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called before each step of every optimizer."""
    return RemovableHandle(_before_any_step, hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called after each step of every optimizer."""
    return RemovableHandle(_after_any_step, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A class's `step` with the hooks around it."""

    @functools.wraps(step)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        if type(args[0]).step is not hooked:
            return step(*args, **kwargs)  # called by the step of a subclass, around which the hooks run already
        return run_step(args[0], step, args, kwargs)

    return hooked


def run_step(optimizer: Optimizer, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run `step(*args, **kwargs)` between the hooks of an optimizer and those of all optimizers."""
    for hook in (*_before_any_step.values(), *optimizer._step_pre_hooks.values()):
        changed = hook(optimizer, args, kwargs)
        if changed is None:
            continue
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(
                f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}. That is what a "
                "hook that was registered with register_step_pre_hook returned."
            )
        args, kwargs = changed
    result = step(*args, **kwargs)
    for hook in (*optimizer._step_post_hooks.values(), *_after_any_step.values()):
        hook(optimizer, args, kwargs)
    return result


class Optimizer:
    """The base of all optimizers; a rule of your own subclasses it and defines `step`.

    Args:
        params: tensors that are leaves, or pairs of a name and a tensor, or dicts with such a list under "params" and
            options of their own.
        defaults: the options of groups that do not give their own.

    Raises TypeError or ValueError where the parameters are not such ones, are none at all, or are in two groups.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{_type_name(params)}. Put it into a list: [tensor]."
            )
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list: is the network without parameters, or was a generator used up "
                "before?"
            )
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        self._step_pre_hooks, self._step_post_hooks = Hooks(), Hooks()
        self._state_dict_pre_hooks, self._state_dict_post_hooks = Hooks(), Hooks()
        self._load_state_dict_pre_hooks, self._load_state_dict_post_hooks = Hooks(), Hooks()

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what `pickle` or `load_state_dict` brings; options that it lacks get their defaults."""
        if "_step_pre_hooks" not in vars(self):
            self._make_hooks()
        vars(self).update(state)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {option}: {group[option]}\n" for option in sorted(group) if option != "params"]
            text += f"\nParameter Group {number}\n" + "".join(options)
        return text + ")"

    # -- parameters

    def add_param_group(self, param_group: Group) -> None:
        """Take more parameters, with options of their own: `{"params": [...], "lr": 0.01}`.

        The dict itself becomes the group: missing options are filled in from the defaults.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}: {{'params': [...]}}")
        _read_parameters(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {_type_name(param)}: {param!r}"
                )
            if not (param.is_leaf or param.retains_grad):
                raise ValueError(
                    "can't optimize a non-leaf Tensor: this one was computed from others. Optimize those, or its "
                    "detach().requires_grad_()."
                )
        for option, default in self.defaults.items():
            if default is required and option not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {option}: add "
                    f"{option!r} to its dict"
                )
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
        if not own.isdisjoint(chain.from_iterable(group["params"] for group in self.param_groups)):
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
        """Change the parameters by what their gradients say.

        Args:
            closure: computes the loss anew, calls backward() on it and returns it; LBFGS needs one.

        Returns what the closure returned.
        """
        raise NotImplementedError

    # -- what is saved

    def state_dict(self) -> dict[str, Any]:
        """State and options: `{"state": {0: {...}, ...}, "param_groups": [{"lr": ..., "params": [0, ...]}, ...]}`.

        Parameters are numbered in their order. The tensors are the optimizer's own, not copies.
        """
        for hook in self._state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[Tensor, int] = {}
        start, groups = 0, []
        for group in self.param_groups:
            numbers |= {param: number for number, param in enumerate(group["params"], start) if param not in numbers}
            start += len(group["params"])
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": [numbers[param] for param in group["params"]]})
        state = {numbers[key] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._state_dict_post_hooks.values():
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options from `state_dict()` of an optimizer with as many parameters in as many groups.

        State takes each parameter's dtype. ValueError where the groups do not fit.
        """
        state_dict = state_dict.copy()
        for hook in self._load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError(
                f"loaded state dict has a different number of parameter groups: {len(saved)}, not {len(groups)}"
            )
        for own, loaded in zip(groups, saved, strict=True):
            if len(own["params"]) != len(loaded["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group: "
                    f"{len(loaded['params'])} parameters, not {len(own['params'])}"
                )
        params = {
            number: param
            for own, loaded in zip(groups, saved, strict=True)
            for number, param in zip(loaded["params"], own["params"], strict=True)
        }
        state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = _fitting(params[key], value)
            else:
                state[key] = value
        for own, loaded in zip(groups, saved, strict=True):
            loaded["params"] = own["params"]
            if "param_names" in own:
                loaded.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._load_state_dict_post_hooks.values():
            hook(self)

    # -- hooks

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called before each step; it may return other args and kwargs."""
        return RemovableHandle(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called after each step."""
        return RemovableHandle(self._step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before state_dict() collects; `prepend`: before the other hooks."""
        return add_hook(self._state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called with what state_dict() collected; it may return another."""
        return add_hook(self._state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before it is loaded; it may return another to load."""
        return add_hook(self._load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called after a state_dict was loaded."""
        return add_hook(self._load_state_dict_post_hooks, hook, prepend)


def _read_parameters(group: Group) -> None:
    """Make a list of a group's parameters, and another one of their names if they have any."""
    params = group["params"]
    if isinstance(params, Tensor):
        group["params"] = [params]
        return
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    entries = list(params)
    group["params"] = [entry[1] if isinstance(entry, tuple) else entry for entry in entries]
    names = [entry[0] for entry in entries if isinstance(entry, tuple)]
    if names and len(names) != len(entries):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if names:
        group["param_names"] = names


def _fitting(param: Tensor, value: Any, name: str = "") -> Any:
    """Loaded state in a parameter's dtype, in lists and dicts too; steps are counted in a dtype of their own."""
    if isinstance(value, Tensor):
        return value if name == "step" or not param.dtype.is_floating_point else value.to(param.dtype)
    if isinstance(value, dict):
        return {key: _fitting(param, part, key) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_fitting(param, part) for part in value)
    return value


def _type_name(value: Any) -> str:
    return f"minigrad.{value.dtype.tensor_type}Tensor" if isinstance(value, Tensor) else type_name(value)

"""state_dict and load_state_dict: all that a module has learned, as a dictionary, and back.

After this module a reader knows where names like "layer1.0.weight" come from (the path to the parameter), which tensors
are in a state_dict, how they are copied back, and how the error text is made when the two do not fit.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.hooks import Hooks, RemovableHandle
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

EXTRA_STATE = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """The result of load_state_dict: names that the module has and the dictionary lacks, and the reverse."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


class StatefulModule:
    """The part of Module that saves and loads parameters and buffers."""

    _version = 1  # of the format of a class's state; a class that changes it loads older states in its own way
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Hooks
    _state_dict_pre_hooks: Hooks
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    # -- saving

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and persistent buffers of this module and its submodules, by name.

        The tensors share the module's memory, so training changes them: `copy.deepcopy` the dictionary to keep a
        snapshot.

        Args:
            destination: a dictionary to add to; by default a new OrderedDict.
            prefix: put before every name.
            keep_vars: give the parameters themselves instead of detached tensors.

        FutureWarning if these are given by their position.
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead: destination=, prefix=, keep_vars=",
                FutureWarning,
                stacklevel=frames_to_learner(),
            )
            defaults: tuple[Any, ...] = (destination, prefix, keep_vars)
            destination, prefix, keep_vars = args + defaults[len(args) :]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            if hook(self, destination, prefix, metadata) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add this module's own tensors, without those of submodules."""
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._overrides("get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> dict[str, Tensor]:
        """This module's own parameters and persistent buffers, without those of submodules."""
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        return {name: tensor for name, tensor in {**self._parameters, **persistent}.items() if tensor is not None}

    def _overrides(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(StatefulModule, method)

    def get_extra_state(self) -> Any:
        """Anything else that belongs to the state. Override this and `set_extra_state` to have it saved and loaded."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Override it in "
            f"{type(self).__name__} to save more than parameters and buffers."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Override it in "
            f"{type(self).__name__} to load what get_extra_state gave."
        )

    # -- loading

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy the values of a state_dict into this module's parameters and buffers.

        Args:
            state_dict: tensors by name, as `state_dict()` gives them.
            strict: missing and unexpected names are errors.
            assign: make the given tensors the module's own instead of copying their values. They keep their dtype,
                and take over the module's requires_grad.

        Returns (missing_keys, unexpected_keys). RuntimeError with one line for everything that does not fit; TypeError
        if `state_dict` is not a dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", {})
        values: Any = OrderedDict(state_dict)  # a copy, which hooks may change
        if hasattr(state_dict, "_metadata"):
            values._metadata = metadata
        self._load(values, "", metadata, assign, keys, errors)
        if strict:
            for kind, names in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
                if names:
                    quoted = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return keys

    def _load(
        self, values: Any, prefix: str, metadata: Any, assign: bool, keys: _IncompatibleKeys, errors: list[str]
    ) -> None:
        """Load this module and its submodules from the values whose names begin with `prefix`."""
        own_metadata = metadata.get(prefix[:-1], {})
        if assign:
            own_metadata = {**own_metadata, "assign_to_params_buffers": True}
        self._load_from_state_dict(values, prefix, own_metadata, True, keys.missing_keys, keys.unexpected_keys, errors)
        for name, child in self._modules.items():
            if child is not None:
                child_prefix = f"{prefix}{name}."
                child_values = {key: value for key, value in values.items() if key.startswith(child_prefix)}
                child._load(child_values, child_prefix, metadata, assign, keys, errors)
        for hook in self._load_state_dict_post_hooks.values():
            if hook(self, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load this module's own tensors, without those of submodules, and list what does not fit."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            if prefix + name in state_dict:
                error = self._load_tensor(name, tensor, prefix + name, state_dict[prefix + name], assign)
                if error is not None:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(prefix + name)
        extra = prefix + EXTRA_STATE
        if self._overrides("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict if strict else ():
            if key.startswith(prefix) and key != extra:
                name, dot, _ = key[len(prefix) :].partition(".")
                if name not in (self._modules if dot else own):
                    unexpected_keys.append(key)

    def _load_tensor(self, name: str, own: Tensor, key: str, given: Any, assign: bool) -> str | None:
        """Load one parameter or buffer. Returns the error text if it does not fit."""
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected minigrad.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        if not own.ndim and given.shape == (1,):
            given = given[0]
        if given.shape != own.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {own.shape}."
            )
        try:
            with no_grad():
                if not assign:
                    own.copy_(given)
                    return None
                if isinstance(own, Parameter):
                    if isinstance(given, Parameter):
                        given.requires_grad_(own.requires_grad)
                    else:
                        given = Parameter(given, requires_grad=own.requires_grad)
                setattr(self, name, given)
        except Exception as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {own.size()} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None

    # -- hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the state is saved."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after the state is saved; it may change the
        dictionary.
        """
        return RemovableHandle(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`
        before the state is loaded; it may change the dictionary.
        """
        return RemovableHandle(self._load_state_dict_pre_hooks, functools.partial(hook, self))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after the state is loaded; it may change the two lists."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)

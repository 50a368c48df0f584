"""state_dict and load_state_dict: all that a module has learned, as a dictionary, and back.

Names like "layer1.0.weight" are the paths to the parameters and persistent buffers. Values are copied back, and one
error lists all that does not fit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from minigrad.absent import takes_left_out
from minigrad.autograd.grad_mode import no_grad
from minigrad.nn.parameter import UninitializedParameter
from minigrad.tensor import Tensor


class _IncompatibleKeys(NamedTuple):
    """The result of load_state_dict: names that the module has and the dictionary lacks, and the reverse."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class StatefulModule:
    """The part of Module that saves and loads parameters and buffers."""

    _version = 1  # of the format of a class's state, which PyTorch asks of a file

    def state_dict(self: Any, *, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and persistent buffers of this module and its submodules, by name.

        The tensors share the module's memory, so training changes them: `copy.deepcopy` the dictionary to keep a
        snapshot.

        Args:
            prefix: put before every name.
            keep_vars: give the parameters themselves instead of detached tensors.
        """
        state: Any = OrderedDict()
        state._metadata = OrderedDict()
        for path, module in self._by_prefix(prefix):
            state._metadata[path[:-1]] = {"version": module._version}
            for name, tensor in module._own_state().items():
                state[path + name] = tensor if keep_vars else tensor.detach()
        return state

    def _by_prefix(self: Any, prefix: str) -> Iterator[tuple[str, Any]]:
        """This module and all its submodules, with what comes before the names of their tensors."""
        for path, module in self.named_modules(remove_duplicate=False):
            yield f"{prefix}{path}." if path else prefix, module

    def _own_state(self: Any) -> dict[str, Tensor]:
        """This module's own parameters and persistent buffers, without those of submodules."""
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        return {name: tensor for name, tensor in {**self._parameters, **persistent}.items() if tensor is not None}

    @takes_left_out
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Any:
        """Copy the values of a state_dict into this module's parameters and buffers.

        Args:
            state_dict: tensors by name, as `state_dict()` gives them.
            strict: missing and unexpected names are errors.

        Returns (missing_keys, unexpected_keys). RuntimeError with one line for everything that does not fit; TypeError
        if `state_dict` is not a dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        values = dict(state_dict)
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        for prefix, module in self._by_prefix(""):
            own = module._own_state()
            for name, tensor in own.items():
                if prefix + name in values:
                    errors += _load_tensor(tensor, prefix + name, values[prefix + name])
                else:
                    keys.missing_keys.append(prefix + name)
            for key in values:
                name, dot, _ = key.removeprefix(prefix).partition(".")
                if key.startswith(prefix) and name not in (module._modules if dot else own):
                    keys.unexpected_keys.append(key)
        if strict:
            for kind, names in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
                if names:
                    quoted = ", ".join(f'"{name}"' for name in names)
                    errors.insert(0, f"{kind} key(s) in state_dict: {quoted}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return keys


def _load_tensor(own: Tensor, key: str, given: Any) -> list[str]:
    """Load one parameter or buffer. Returns the error text if it does not fit."""
    if not isinstance(given, Tensor):
        return [
            f'While copying the parameter named "{key}", expected minigrad.Tensor or Tensor-like object from '
            f"checkpoint but received {type(given)}"
        ]
    if isinstance(own, UninitializedParameter):
        own.materialize(given.shape)
    if not own.ndim and given.shape == (1,):
        given = given[0]
    if given.shape != own.shape:
        return [
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
            f"current model is {own.shape}."
        ]
    with no_grad():
        own.copy_(given)
    return []

"""Hooks of modules: functions of the learner's own that run before and after forward, and while gradients pass.

After this module a reader knows how a module is called when hooks are on it: in which order they run, what they are
given, and what becomes of what they return. How those for backward get their gradients is told in `backward_hooks.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.hooks import Hooks, RemovableHandle
from minigrad.nn.modules.backward_hooks import BackwardLink, hook_result_node
from minigrad.tensor import Tensor

Hook = Callable[..., Any]

MIXED = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


class Everywhere:
    """Hooks that run for every module of the process, before each module's own."""

    def __init__(self) -> None:
        self.used = False  # whether there may be one that concerns a call
        self.forward_pre, self.forward, self.backward, self.backward_pre = Hooks(), Hooks(), Hooks(), Hooks()
        self.forward_kwargs: set[int] = set()
        self.forward_always: set[int] = set()
        self.full: bool | None = None  # which kind of backward hooks these are, once there is one
        self.on_parameter, self.on_buffer, self.on_module = Hooks(), Hooks(), Hooks()

    def register(self, hooks: Hooks, hook: Hook) -> RemovableHandle:
        self.used = True
        return RemovableHandle(hooks, hook)

    def __bool__(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward or self.backward_pre)


everywhere = Everywhere()


class HookedModule:
    """The part of Module that registers hooks, and that calls forward with them."""

    _hooked = False  # whether a hook that concerns a call was ever registered here
    _is_full_backward_hook: bool | None = None
    forward: Callable[..., Any]
    _forward_hooks: Hooks
    _forward_pre_hooks: Hooks
    _backward_hooks: Hooks
    _backward_pre_hooks: Hooks
    _forward_hooks_with_kwargs: set[int]
    _forward_hooks_always_called: set[int]
    _forward_pre_hooks_with_kwargs: set[int]

    def _register(self, hooks: Hooks, hook: Hook, prepend: bool = False) -> RemovableHandle:
        self.__dict__["_hooked"] = True
        earlier = dict(hooks)
        handle = RemovableHandle(hooks, hook)
        if prepend:
            for number in earlier:  # those that were there go to the end
                hooks[number] = hooks.pop(number)
        return handle

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Have `hook(module, args)` called before forward; what it returns takes the place of the arguments.

        Args:
            prepend: call it before the hooks that are there.
            with_kwargs: call `hook(module, args, kwargs)` instead, which returns None or `(args, kwargs)`.
        """
        handle = self._register(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs.add(handle.id)
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Have `hook(module, args, output)` called after forward; what it returns takes the place of the output.

        Args:
            prepend: call it before the hooks that are there.
            with_kwargs: call `hook(module, args, kwargs, output)` instead.
            always_call: call it even if forward, or another hook, raised an error; then output may be None.
        """
        handle = self._register(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs.add(handle.id)
        if always_call:
            self._forward_hooks_always_called.add(handle.id)
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(module, grad_output)` called when the gradients of the outputs are known, as a tuple.

        What it returns takes their place. While such a hook is there, forward gets views of the inputs and the caller
        gets views of the outputs, which must not be written to.
        """
        return self._register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(module, grad_input, grad_output)` called when the gradients of the inputs are known.

        Both are tuples, with None for what is not a tensor. A tuple that it returns takes the place of grad_input.
        If no input needs a gradient, it is called when the gradients of the outputs are known. While such a hook is
        there, forward gets views of the inputs and the caller gets views of the outputs, which must not be written
        to.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(MIXED.format("on a single Module"))
        self._is_full_backward_hook = True
        return self._register(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """An older hook, on the node of the result alone: use `register_full_backward_hook`."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(MIXED.format("on a single Module"))
        self._is_full_backward_hook = False
        return self._register(self._backward_hooks, hook)

    # -- the call

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        everywhere.used = bool(everywhere)
        own = self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
        if not own and not everywhere.used:
            return self.forward(*args, **kwargs)
        call = _Call(self, args, kwargs)
        try:
            return call.run()
        except Exception:
            call.run_always_called()
            raise


class _Call:
    """One call of a module that has hooks."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        module = self.module
        pre_hooks = [*everywhere.backward_pre.values(), *module._backward_pre_hooks.values()]
        full, old = _backward_hooks(module)
        self.run_before()
        link = BackwardLink(module, full, pre_hooks) if full or pre_hooks else None
        if link is not None:
            self.args = link.through_inputs(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self.run_after()
        if link is not None:
            if not isinstance(self.result, Tensor | tuple):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(self.result)}",
                    UserWarning,
                    stacklevel=frames_to_learner(),
                )
            self.result = link.through_outputs(self.result)
        if old:
            hook_result_node(module, old, self.args, self.result)
        return self.result

    def run_before(self) -> None:
        """The hooks before forward; those of all modules come first."""
        module = self.module
        for number, hook in [*everywhere.forward_pre.items(), *module._forward_pre_hooks.items()]:
            if number in module._forward_pre_hooks_with_kwargs:
                changed = hook(module, self.args, self.kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                self.args, self.kwargs = changed
            else:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)

    def run_after(self) -> None:
        """The hooks after forward; those of all modules come first."""
        module = self.module
        always = everywhere.forward_always | module._forward_hooks_always_called
        for number, hook in [*everywhere.forward.items(), *module._forward_hooks.items()]:
            if number in always:
                self.called.add(number)
            self.run_forward_hook(number, hook)

    def run_forward_hook(self, number: int, hook: Hook) -> None:
        module = self.module
        if number in module._forward_hooks_with_kwargs or number in everywhere.forward_kwargs:
            changed = hook(module, self.args, self.kwargs, self.result)
        else:
            changed = hook(module, self.args, self.result)
        if changed is not None:
            self.result = changed

    def run_always_called(self) -> None:
        """After an error: the hooks that are to be called in any case, and were not."""
        module = self.module
        for which, hooks, always in (
            ("global module", everywhere.forward, everywhere.forward_always),
            ("module", module._forward_hooks, module._forward_hooks_always_called),
        ):
            for number, hook in list(hooks.items()):
                if number in always and number not in self.called:
                    try:
                        self.run_forward_hook(number, hook)
                    except Exception as error:
                        warnings.warn(
                            f"{which} forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error}",
                            UserWarning,
                            stacklevel=frames_to_learner(),
                        )


def _backward_hooks(module: Any) -> tuple[list[Hook], list[Hook]]:
    """Those of register_full_backward_hook, and those of the older register_backward_hook."""
    full: list[Hook] = []
    old: list[Hook] = []
    for is_full, hooks in (
        (everywhere.full, everywhere.backward),
        (module._is_full_backward_hook, module._backward_hooks),
    ):
        (full if is_full else old).extend(hooks.values())
    return full, old


# ---------------------------------------------------------------- for all modules


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, args)` called before forward of every module."""
    return everywhere.register(everywhere.forward_pre, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Have `hook(module, args, output)` called after forward of every module."""
    handle = everywhere.register(everywhere.forward, hook)
    if with_kwargs:
        everywhere.forward_kwargs.add(handle.id)
    if always_call:
        everywhere.forward_always.add(handle.id)
    return handle


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, grad_output)` called for every module."""
    return everywhere.register(everywhere.backward_pre, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, grad_input, grad_output)` called for every module."""
    if everywhere.full is False:
        raise RuntimeError(MIXED.format("as a global Module hook"))
    everywhere.full = True
    return everywhere.register(everywhere.backward, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, name, parameter)` called for every parameter that a module is given; what it returns takes
    the parameter's place.
    """
    return RemovableHandle(everywhere.on_parameter, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, name, buffer)` called for every buffer that a module is given; what it returns takes the
    buffer's place.
    """
    return RemovableHandle(everywhere.on_buffer, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Have `hook(module, name, child)` called for every module that a module is given; what it returns takes the
    child's place.
    """
    return RemovableHandle(everywhere.on_module, hook)

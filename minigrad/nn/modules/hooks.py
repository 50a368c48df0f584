"""Hooks of modules: functions that run before and after forward, and when gradients arrive in backward.

After this module a reader knows how a module with hooks is called: in which order they run, what arguments they get,
and what their results replace. How backward hooks get their gradients is in `backward_hooks.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.hooks import Hooks, RemovableHandle, add_hook
from minigrad.nn.modules.backward_hooks import BackwardHook, hook_result_node
from minigrad.tensor import Tensor

Hook = Callable[..., Any]

MIXED = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


class GlobalHooks:
    """The hooks that run for every module, before the module's own."""

    def __init__(self) -> None:
        self.used = False  # whether one that runs at a call may be registered: a quick test for Module.__call__
        self.forward_pre, self.forward, self.backward, self.backward_pre = Hooks(), Hooks(), Hooks(), Hooks()
        self.forward_kwargs: set[int] = set()
        self.forward_always: set[int] = set()
        self.full: bool | None = None  # whether the backward hooks are full ones; None while there are none
        self.on_parameter, self.on_buffer, self.on_module = Hooks(), Hooks(), Hooks()

    def register(self, hooks: Hooks, hook: Hook) -> RemovableHandle:
        self.used = True
        return RemovableHandle(hooks, hook)

    def __bool__(self) -> bool:
        return bool(self.forward_pre or self.forward or self.backward or self.backward_pre)


global_hooks = GlobalHooks()


class HookedModule:
    """The part of Module that registers hooks, and calls forward with them."""

    _hooked = False  # whether a hook that runs at a call was ever registered: a quick test for Module.__call__
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
        return add_hook(hooks, hook, prepend)

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before forward; what it returns, if not None, replaces the arguments.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs)` instead, which returns None or `(args, kwargs)`.
        """
        handle = self._register(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs.add(handle.id)
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after forward; what it returns, if not None, replaces the output.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs, output)` instead.
            always_call: call it even after an error in forward or another hook; output may be None then.
        """
        handle = self._register(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs.add(handle.id)
        if always_call:
            self._forward_hooks_always_called.add(handle.id)
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` in backward, when the gradients of the outputs, a tuple, are known.

        What it returns, if not None, replaces them. With such a hook, inputs and outputs pass through a node of the
        graph as views, which must not be written to in place.
        """
        return self._register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` in backward, when the gradients of the inputs are known.

        Both are tuples, with None for what is not a tensor. A tuple that it returns replaces grad_input. If no input
        requires a gradient, it is called when the gradients of the outputs are known. With such a hook, inputs and
        outputs pass through a node of the graph as views, which must not be written to in place.

        RuntimeError if the module has a hook of `register_backward_hook`.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(MIXED.format("on a single Module"))
        self._is_full_backward_hook = True
        return self._register(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` with the gradients at the last node that forward recorded.

        Those are not the module's own if forward records several nodes: use `register_full_backward_hook`, which this
        hook cannot be mixed with.
        """
        if self._is_full_backward_hook is True:
            raise RuntimeError(MIXED.format("on a single Module"))
        self._is_full_backward_hook = False
        return self._register(self._backward_hooks, hook)

    # -- the call

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        global_hooks.used = bool(global_hooks)
        own = self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
        if not own and not global_hooks.used:
            return self.forward(*args, **kwargs)
        call = _Call(self, args, kwargs)
        try:
            return call.run()
        except Exception:
            call.run_always_called()
            raise


class _Call:
    """One call of a module with hooks."""

    def __init__(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()  # those of always_call=True that have run

    def run(self) -> Any:
        module = self.module
        pre_hooks = [*global_hooks.backward_pre.values(), *module._backward_pre_hooks.values()]
        full, old = _backward_hooks(module)
        self.run_before()
        backward_hook = BackwardHook(module, full, pre_hooks) if full or pre_hooks else None
        if backward_hook is not None:
            self.args = backward_hook.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self.run_after()
        if backward_hook is not None:
            if not isinstance(self.result, Tensor | tuple):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(self.result)}",
                    UserWarning,
                    stacklevel=frames_to_learner(),
                )
            self.result = backward_hook.setup_output_hook(self.result)
        if old:
            hook_result_node(module, old, self.args, self.result)
        return self.result

    def run_before(self) -> None:
        """The hooks before forward, the global ones first."""
        module = self.module
        for number, hook in [*global_hooks.forward_pre.items(), *module._forward_pre_hooks.items()]:
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
        """The hooks after forward, the global ones first."""
        module = self.module
        always = global_hooks.forward_always | module._forward_hooks_always_called
        for number, hook in [*global_hooks.forward.items(), *module._forward_hooks.items()]:
            if number in always:
                self.called.add(number)
            self.run_forward_hook(number, hook)

    def run_forward_hook(self, number: int, hook: Hook) -> None:
        module = self.module
        if number in module._forward_hooks_with_kwargs or number in global_hooks.forward_kwargs:
            changed = hook(module, self.args, self.kwargs, self.result)
        else:
            changed = hook(module, self.args, self.result)
        if changed is not None:
            self.result = changed

    def run_always_called(self) -> None:
        """After an error: the hooks of always_call=True that have not run."""
        module = self.module
        for which, hooks, always in (
            ("global module", global_hooks.forward, global_hooks.forward_always),
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
    """The hooks of register_full_backward_hook, and those of the older register_backward_hook."""
    full: list[Hook] = []
    old: list[Hook] = []
    for is_full, hooks in (
        (global_hooks.full, global_hooks.backward),
        (module._is_full_backward_hook, module._backward_hooks),
    ):
        (full if is_full else old).extend(hooks.values())
    return full, old


# ---------------------------------------------------------------- global hooks


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, args)` before forward of every module."""
    return global_hooks.register(global_hooks.forward_pre, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after forward of every module."""
    handle = global_hooks.register(global_hooks.forward, hook)
    if with_kwargs:
        global_hooks.forward_kwargs.add(handle.id)
    if always_call:
        global_hooks.forward_always.add(handle.id)
    return handle


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_output)` for every module, as `Module.register_full_backward_pre_hook` does for one."""
    return global_hooks.register(global_hooks.backward_pre, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` for every module, as `Module.register_full_backward_hook` does for
    one.
    """
    if global_hooks.full is False:
        raise RuntimeError(MIXED.format("as a global Module hook"))
    global_hooks.full = True
    return global_hooks.register(global_hooks.backward, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, parameter)` whenever a parameter is registered; what it returns replaces it."""
    return RemovableHandle(global_hooks.on_parameter, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, buffer)` whenever a buffer is registered; what it returns replaces it."""
    return RemovableHandle(global_hooks.on_buffer, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, child)` whenever a submodule is registered; what it returns replaces it."""
    return RemovableHandle(global_hooks.on_module, hook)

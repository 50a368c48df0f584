"""Hooks of modules: functions that run before and after forward, and when gradients arrive in backward.

A module with hooks is called through `_call_with_hooks`: its order is the order in which they run. How backward hooks
get their gradients is in `backward_hooks.py`.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.hooks import Hook, Hooks, RemovableHandle
from minigrad.nn.modules.backward_hooks import BackwardHook


def no_hooks() -> dict[str, Any]:
    """The attributes of a module without hooks: the hooks by kind, the numbers of those that want kwargs, and whether
    a hook that runs at a call was ever registered, a quick test for Module.__call__.
    """
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return {**{kind: Hooks() for kind in kinds}, "_with_kwargs": set(), "_hooked": False}


class HookedModule:
    """The part of Module that registers hooks, and calls forward with them."""

    def register_forward_pre_hook(
        self: Any, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before forward; what it returns, if not None, replaces the arguments.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs)` instead, which returns None or `(args, kwargs)`.
        """
        return self._register(self._forward_pre_hooks, hook, prepend, with_kwargs)

    def register_forward_hook(
        self: Any, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after forward; what it returns, if not None, replaces the output.

        Args:
            prepend: call it before the hooks that are already registered.
            with_kwargs: call `hook(module, args, kwargs, output)` instead.
        """
        return self._register(self._forward_hooks, hook, prepend, with_kwargs)

    def register_full_backward_pre_hook(self: Any, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` in backward, when the gradients of the outputs, a tuple, are known.

        What it returns, if not None, replaces them. With such a hook, inputs and outputs pass through a node of the
        graph as views, which must not be written to in place.
        """
        return self._register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self: Any, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` in backward, when the gradients of the inputs are known.

        Both are tuples, with None for what is not a tensor. A tuple that it returns replaces grad_input. If no input
        requires a gradient, it is called when the gradients of the outputs are known. With such a hook, inputs and
        outputs pass through a node of the graph as views, which must not be written to in place.
        """
        return self._register(self._backward_hooks, hook, prepend)

    def _register(self: Any, hooks: Hooks, hook: Hook, prepend: bool, with_kwargs: bool = False) -> RemovableHandle:
        self.__dict__["_hooked"] = True
        earlier = list(hooks) if prepend else []
        handle = RemovableHandle(hooks, hook)
        for number in earlier:  # move the earlier ones behind it, in their order
            hooks[number] = hooks.pop(number)
        if with_kwargs:
            self._with_kwargs.add(handle.id)
        return handle

    # -- the call

    def _call_with_hooks(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        pre_hooks, hooks = list(self._backward_pre_hooks.values()), list(self._backward_hooks.values())
        args, kwargs = self._before_forward(args, kwargs)
        backward_hook = BackwardHook(self, hooks, pre_hooks) if hooks or pre_hooks else None
        if backward_hook is not None:
            args = backward_hook.around_inputs(args)
        result = self.forward(*args, **kwargs)
        for number, hook in list(self._forward_hooks.items()):
            inputs = (args, kwargs) if number in self._with_kwargs else (args,)
            changed = hook(self, *inputs, result)
            result = result if changed is None else changed
        return result if backward_hook is None else backward_hook.around_outputs(result)

    def _before_forward(self: Any, args: Any, kwargs: Any) -> Any:
        """Run the hooks before forward. Returns the arguments, which they may have replaced."""
        for number, hook in list(self._forward_pre_hooks.items()):
            with_kwargs = number in self._with_kwargs
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is None:
                continue
            if not with_kwargs:
                args = changed if isinstance(changed, tuple) else (changed,)
            elif isinstance(changed, tuple) and len(changed) == 2:
                args, kwargs = changed
            else:
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
        return args, kwargs

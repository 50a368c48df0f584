"""Checkpoints: forget what a function saved, and run the function again when backward needs it.

After this module a reader knows how to trade time for memory. There are two ways. The one to use hands a ticket to each
node of the function in place of the tensor that the node would save; the first ticket that backward brings back has the
function run a second time, with hooks that collect what it saves. The older, reentrant one is a custom Function: its
forward records nothing, and its backward runs the function again, recorded, and then a backward through that.

Either way the second run gets the same arguments and random numbers as the first.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minigrad.autograd.engine import backward
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled
from minigrad.autograd.graph import Node
from minigrad.autograd.modes import thread
from minigrad.autograd.saved import PackedTensor, Versioned, pack, save, saved_tensors_hooks, unpack
from minigrad.autograd.views import Forbidden
from minigrad.random.generator import default_generator
from minigrad.tensor import Tensor

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop"]

Contexts = tuple[contextlib.AbstractContextManager[Any], contextlib.AbstractContextManager[Any]]

_early_stop: bool | None = None  # what set_checkpoint_early_stop says; None leaves it to each checkpoint


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first one saved."""


class _Enough(BaseException):
    """Ends a second run that has saved all there is to save; no `except Exception` in the function holds it up."""


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] | None = None,
    determinism_check: str = "default",
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Return `function(*args, **kwargs)` and keep only the arguments; backward runs the function again.

    Args:
        use_reentrant: give False. The other kind works neither with grad() and backward(inputs=...), nor with double
            backward, keyword arguments or tensors in lists, and one of `args` has to require grad.
        context_fn: returns two contexts, for the first run and for the second.
        determinism_check: "default" compares shapes and dtypes of what the two runs save; "none" only how many.
        early_stop: end the second run as soon as all is there that the first one saved.
        preserve_rng_state: give the second run the random numbers of the first.
    """
    if use_reentrant is None:
        use_reentrant = _older_kind("minigrad.utils.checkpoint")
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not None:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn() if context_fn else (contextlib.nullcontext(), contextlib.nullcontext())
    if not is_grad_enabled():
        return function(*args, **kwargs)
    random_state = _random_state() if preserve_rng_state else None

    def run_again(*args: Any) -> None:
        with _random_numbers(random_state), enable_grad(), second:
            function(*args, **kwargs)

    stops = early_stop if _early_stop is None else _early_stop
    region = _Region(run_again, args, stops, compares=determinism_check == "default")
    with saved_tensors_hooks(region.pack, region.unpack), first:
        result = function(*args, **kwargs)
    region.complete = True
    return result


def checkpoint_sequential(
    functions: Sequence[Callable[[Any], Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Call functions one after the other, in `segments` parts, each of them a checkpoint except the last."""
    if use_reentrant is None:
        use_reentrant = _older_kind("minigrad.utils.checkpoint.checkpoint_sequential")
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))

    def in_a_row(part: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
        return lambda start: functools.reduce(lambda value, function: function(value), part, start)

    functions = list(functions)
    size, end = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            in_a_row(functions[start:end]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return in_a_row(functions[end:])(input)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Decide for all checkpoints made inside whether their second run, whenever it comes, ends early."""
    global _early_stop
    previous, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = previous


def _older_kind(function: str) -> bool:
    warnings.warn(
        f"{function}: the use_reentrant parameter should be passed explicitly. Pass use_reentrant=False; without it "
        "you get the older kind of checkpoint, as with use_reentrant=True.",
        stacklevel=3,
    )
    return True


# ---------------------------------------------------------------- with tickets


class _Ticket:
    """What a node keeps in place of a tensor: how that looked. Its region finds the second run's tensor by it."""

    def __init__(self, tensor: Tensor) -> None:
        self.look = _look(tensor)


class _Region:
    """One checkpointed call. Its nodes hold it by their tickets, and it holds none of them: it goes with the last."""

    def __init__(self, run_again: Callable[..., None], args: Sequence[Any], stops: bool, compares: bool) -> None:
        self.run_again, self.stops, self.compares = run_again, stops, compares
        self.inputs = CheckpointInputs(args)
        self.complete = False  # whether the first run is over; a backward inside the function comes before that
        self.tickets: list[weakref.ref[_Ticket]] = []
        self.found: weakref.WeakKeyDictionary[_Ticket, Tensor] = weakref.WeakKeyDictionary()
        self.found_in: Callable[[], Any] = lambda: None  # the backward run that `found` was computed for, if it lives

    def pack(self, tensor: Tensor) -> _Ticket:
        ticket = _Ticket(tensor)
        self.tickets.append(weakref.ref(ticket))
        return ticket

    def unpack(self, ticket: _Ticket) -> Tensor:
        current = thread.task
        if current is not self.found_in():
            self._compute(current)
        elif ticket not in self.found:
            if current is not None:
                raise CheckpointError(
                    "minigrad.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                    "If you are calling ctx.saved_tensors in backward, make sure to do so only once."
                )
            self._compute(current)
        return self.found.pop(ticket)  # not kept for another backward, even with retain_graph

    def _compute(self, current: Any) -> None:
        """Run the function again and find a tensor for each ticket that a node still holds."""
        self.found.clear()
        differing = []
        count = 0

        def collect(tensor: Tensor) -> Tensor:
            nonlocal count
            tensor, position, count = tensor.detach(), count, count + 1
            if position < len(self.tickets):
                ticket = self.tickets[position]()
                if ticket is not None:
                    self.found[ticket] = tensor
                    if self.compares and ticket.look != _look(tensor):
                        differing.append(
                            f"tensor at position {position}:\nsaved metadata: {ticket.look}\n"
                            f"recomputed metadata: {_look(tensor)}\n"
                        )
                if self.stops and count == len(self.tickets):
                    raise _Enough
            elif self.complete:
                raise CheckpointError(
                    "minigrad.utils.checkpoint: trying to save more tensors during recomputation than during the "
                    "original forward pass."
                )
            return tensor  # the second run's graph is whole, for a backward inside the function

        with contextlib.suppress(_Enough), saved_tensors_hooks(collect, lambda tensor: tensor):
            self.run_again(*self.inputs.arguments())
        if count < len(self.tickets):
            raise CheckpointError(
                "minigrad.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.tickets)}\n"
                f"Number of tensors saved during recomputation: {count}.\n"
                "The function has to do the same in both runs: it may depend on nothing but its arguments."
            )
        if differing:
            raise CheckpointError(
                "minigrad.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{''.join(differing)}"
            )
        self.found_in = weakref.ref(current) if current is not None else lambda: None


def _has_lost_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value._find_node.__class__ is Forbidden


def _look(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype}


class CheckpointInputs(Node):
    """Saves arguments as a node does: so writes to them are noticed, and an outer checkpoint gives tickets for them."""

    __slots__ = ()

    def __init__(self, args: Sequence[Any]) -> None:
        known = [value.detach() if _has_lost_history(value) else value for value in args]  # using it raises, in the run
        packs = bool(thread.saved_tensors_hooks)
        self._kept = tuple(
            [value if not isinstance(value, Tensor) else pack(self, value) if packs else save(value) for value in known]
        )

    def arguments(self) -> list[Any]:
        saved = (Tensor, Versioned, PackedTensor)
        return [unpack(self, kept) if isinstance(kept, saved) else kept for kept in self._kept or ()]


# ---------------------------------------------------------------- reentrant


class CheckpointFunction(Function):
    """A function as one node, which runs it again, and a backward of its own, when its turn comes."""

    @staticmethod
    def forward(ctx: Any, run: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        if not any(isinstance(value, Tensor) and value.requires_grad for value in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4)
        ctx.run, ctx.random_state = run, _random_state() if preserve_rng_state else None
        _save_arguments(ctx, args)
        return run(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        if thread.task is not None and thread.task.limited:
            raise RuntimeError(
                "When use_reentrant=True, minigrad.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or "
                "call .backward() without passing the `inputs` argument."
            )
        args = [
            value.detach().requires_grad_(value.requires_grad) if isinstance(value, Tensor) else value
            for value in _arguments(ctx)
        ]
        with _random_numbers(ctx.random_state), enable_grad():
            outputs = ctx.run(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        recorded = [isinstance(output, Tensor) and output.requires_grad for output in outputs]
        if not any(recorded):
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward(list(itertools.compress(outputs, recorded)), list(itertools.compress(gradients, recorded)))
        return None, None, *[value.grad if isinstance(value, Tensor) else None for value in args]


# ---------------------------------------------------------------- what the second run gets


def _save_arguments(ctx: Any, args: Sequence[Any]) -> None:
    ctx.others = [None if isinstance(value, Tensor) else value for value in args]
    ctx.save_for_backward(*[value if isinstance(value, Tensor) else None for value in args])


def _arguments(node: Any) -> list[Any]:
    return [other if saved is None else saved for saved, other in zip(node.saved_tensors, node.others, strict=True)]


def _random_state() -> Any:
    return default_generator.get_state()


@contextlib.contextmanager
def _random_numbers(state: Any) -> Iterator[None]:
    """Inside, the random numbers are those that came after `state`; None leaves them alone."""
    if state is None:
        yield
        return
    outside = default_generator.get_state()
    default_generator.set_state(state)
    try:
        yield
    finally:
        default_generator.set_state(outside)

"""Checkpoints: forget what a function saved, and run the function again when backward needs it.

That trades time for memory. Each node of the function gets a ticket in place of the tensor that it would save; the
first ticket that backward brings back has the function run a second time, with hooks that collect what it saves, until
there is a tensor for every ticket. The second run gets the same arguments and random numbers as the first.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minigrad.absent import attributes_of, takes_left_out
from minigrad.autograd.blame import warn
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled
from minigrad.autograd.modes import thread
from minigrad.autograd.node import Node
from minigrad.autograd.saved import kept_by, pack, save, saved_tensors_hooks, unpack_if_packed
from minigrad.random.generator import default_generator
from minigrad.tensor import Tensor

__all__ = ["CheckpointError", "checkpoint"]
__getattr__ = attributes_of(__name__)


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first one saved."""


class _Enough(BaseException):
    """Ends a second run that has saved all there is to save; no `except Exception` in the function holds it up."""


@takes_left_out
def checkpoint(
    function: Callable[..., Any], *args: Any, use_reentrant: Any = None, preserve_rng_state: bool = True, **kwargs: Any
) -> Any:
    """Return `function(*args, **kwargs)` and keep only the arguments; backward runs the function again.

    Args:
        use_reentrant: to be given as False; PyTorch's other, older kind (True) is not here: NotImplementedError.
        preserve_rng_state: give the second run the random numbers of the first.

    Backward raises CheckpointError if the second run saves fewer tensors than the first, or of other shapes or dtypes.
    """
    if use_reentrant:
        raise NotImplementedError("use_reentrant=True is not supported: pass use_reentrant=False, as PyTorch says")
    if use_reentrant is None:
        warn("minigrad.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Here that is False.")
    if not is_grad_enabled():
        return function(*args, **kwargs)
    state = default_generator.get_state() if preserve_rng_state else None

    def run_again(args: Sequence[Any]) -> None:
        outside = default_generator.get_state()
        default_generator.set_state(outside if state is None else state)
        try:
            with enable_grad():
                function(*args, **kwargs)
        finally:
            if state is not None:
                default_generator.set_state(outside)

    region = _Region(run_again, args)
    with saved_tensors_hooks(region.pack, region.unpack):
        return function(*args, **kwargs)


class _Arguments(Node):
    """Keeps arguments as a node does: so writes to them are noticed, and an outer checkpoint gives tickets for them."""

    __slots__ = ()

    def __init__(self, args: Sequence[Any]) -> None:
        self._connect([])
        keep = partial(pack, self) if thread.saved_tensors_hooks else save
        self._kept = tuple([keep(value) if isinstance(value, Tensor) else value for value in args])

    def name(self) -> str:
        return "checkpoint()"

    def unpack_all(self) -> list[Any]:
        """The arguments as they were, or an error."""
        return [unpack_if_packed(self, kept) for kept in kept_by(self)]


class _Ticket:
    """What a node keeps in place of a tensor: how that looked. Its region finds the second run's tensor by it."""

    def __init__(self, tensor: Tensor) -> None:
        self.look = _look(tensor)


class _Region:
    """One checkpointed call. Its nodes hold it by their tickets, and it holds none of them: it goes with the last."""

    def __init__(self, run_again: Callable[[Sequence[Any]], None], args: Sequence[Any]) -> None:
        self.run_again = run_again
        # A view that has lost its place in the graph is kept as a plain tensor: using it raises, in the run.
        kept = [value if not isinstance(value, Tensor) or value._has_place() else value.detach() for value in args]
        self.arguments = _Arguments(kept)
        self.tickets: list[weakref.ref[_Ticket]] = []
        self.found: weakref.WeakKeyDictionary[_Ticket, Tensor] = weakref.WeakKeyDictionary()
        self.found_in: Callable[[], Any] = lambda: None  # the backward run that `found` was computed for, if it lives

    def pack(self, tensor: Tensor) -> _Ticket:
        ticket = _Ticket(tensor)
        self.tickets.append(weakref.ref(ticket))
        return ticket

    def unpack(self, ticket: _Ticket) -> Tensor:
        current = thread.run
        if current is not self.found_in() or (current is None and ticket not in self.found):
            self._compute(current)
        elif ticket not in self.found:
            raise CheckpointError(
                "minigrad.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                "If you are calling ctx.saved_tensors in backward, make sure to do so only once."
            )
        return self.found.pop(ticket)  # not kept for another backward, even with retain_graph

    def _compute(self, current: Any) -> None:
        """Run the function again and find a tensor for each ticket that a node still holds."""
        self.found.clear()
        differing = []
        count = 0

        def collect(tensor: Tensor) -> Tensor:
            nonlocal count
            tensor, ticket = tensor.detach(), self.tickets[count]()
            if ticket is not None:
                self.found[ticket] = tensor
                if ticket.look != _look(tensor):
                    differing.append(
                        f"tensor at position {count}:\nsaved metadata: {ticket.look}\n"
                        f"recomputed metadata: {_look(tensor)}\n"
                    )
            count += 1
            if count == len(self.tickets):
                raise _Enough
            return tensor  # the second run's graph is whole, for a backward inside the function

        args = self.arguments.unpack_all()
        with contextlib.suppress(_Enough), saved_tensors_hooks(collect, lambda tensor: tensor):
            self.run_again(args)
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


def _look(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype}

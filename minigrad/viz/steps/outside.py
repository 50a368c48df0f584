"""What is changed from outside while sessions show it: by cells that run, and by other sessions.

Sessions that live look at their tensors again after each cell, and after each step of another one that can have changed
them, so that what they show is what the kernel holds. Without IPython they look when they are used next. And where
cells run, clicks are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import NO_SOURCE, Snapshot
from minigrad.viz.shell import running_shell
from minigrad.viz.steps.events import enumeration
from minigrad.viz.steps.stop_button import button

_sessions: WeakSet[Any] = WeakSet()


class ShownVariables:
    """Which variables of the learner's a picture shows, so that it can say when they are other tensors."""

    def __init__(self, graph: Snapshot, namespace: Mapping[str, Any]) -> None:
        self._source = source = graph.source
        leaves = [source.leaf(node) for node in graph.node_of.values()]
        shown = {id(tensor) for tensor in [*leaves, *graph.results] if tensor is not None}
        found = {box.name: source.tensor(namespace.get(box.name)) for box in graph.boxes}
        self._shown = {name: tensor for name, tensor in found.items() if id(tensor) in shown}
        self._namespace = namespace

    def clear(self) -> None:
        """Let go of all tensors."""
        self._shown, self._source = {}, NO_SOURCE

    def made_anew(self) -> str:
        """That some are other tensors by now, as after the cell that makes them has been run again; "" if none is."""
        source, now = self._source, {name: self._namespace.get(name) for name in self._shown}
        tensors = [name for name, value in now.items() if naming.is_tensor(source, value)]
        names = [name for name in tensors if source.tensor(now[name]) is not self._shown[name]]
        if not names:
            return ""
        other, it = ("are other tensors", "they were") if len(names) > 1 else ("is another tensor", "it was")
        return f"{enumeration(names)} {other} now: this shows what {it} before. Make the stepper again to see the new."


def attend(session: Any) -> None:
    """Let a session look again, by its `look`, whenever something may have changed."""
    shell = running_shell()
    if shell is not None and _after_cell not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", _after_cell)
    _sessions.add(session)


def leave(session: Any) -> None:
    """The session is closed."""
    _sessions.discard(session)
    _rest_if_alone()


def changed_by(session: Any, memory: set[int] | None = None) -> None:
    """A session has gone on or back, and has written to this (see `memory_of`), or to anything, where None: the others
    that show the same look again.
    """
    for other in list(_sessions) if memory is None or memory else ():
        if other is not session and (memory is None or other.shows(memory)):
            other.look()


def in_main_thread(function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function that raises nothing: in a kernel soon, when no cell runs (see stop_button.py); else at once."""
    kernel = getattr(running_shell(), "kernel", None)
    loop = getattr(kernel, "io_loop", None)
    if loop is None or getattr(kernel, "eventloop", None) is not None:
        function(*arguments)
    else:
        loop.add_callback(function, *arguments)


def _after_cell(result: Any = None) -> None:
    if isinstance(getattr(result, "error_in_exec", None), KeyboardInterrupt):
        button.presses += 1  # it was pressed to end all that goes on
    changed_by(None)
    for session in list(_sessions):
        session.listener.cell_is_over()
    _rest_if_alone()


def _rest_if_alone() -> None:
    """Without sessions there is nothing to do after a cell."""
    shell = running_shell()
    if not _sessions and shell is not None and _after_cell in shell.events.callbacks["post_run_cell"]:
        shell.events.unregister("post_run_cell", _after_cell)

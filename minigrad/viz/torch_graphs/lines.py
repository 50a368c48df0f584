"""`watch()`: which line of the learner's made each node of PyTorch's graph, in which calls of which modules.

PyTorch notes nothing of that, but lets a mode see each call of its functions (torch.overrides.TorchFunctionMode). Ours
notes after a call where it came from, in the `metadata` of each node that the call has made: they go with the node, not
with what Python holds of it. One call may make several nodes (`cross_entropy` two, `F.linear` two): all are of one
line. Which are new tells their number: nodes of a thread are counted.

A custom Function's `apply` is no call that a mode sees. What its forward calls is seen: the node of the Function is the
last that was counted before.

What is noted holds on to no module: a module that keeps its own result would be in a circle through PyTorch's memory,
which Python cannot see and never frees.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Iterable, Sequence
from operator import attrgetter
from types import CodeType, FrameType
from typing import Any

from minigrad.viz.graph.calls import NETWORKS
from minigrad.viz.graph.nodes import reachable
from minigrad.viz.graph.observer import (
    KEPT,
    MANY_CODES,
    NO_PLACE,
    OWN,
    RESUMABLE,
    ObservedMaking,
    loops_of,
    numbered_call,
)
from minigrad.viz.torch_graphs import saved_tensors

KEY = "minigrad.viz"  # under which it stands in a node's metadata
MANY_APPLIED = 5000  # calls of custom Functions that are remembered, which is as many as a picture has nodes
NO_NUMBER = 2**63  # beyond it, a leaf's
_met: dict[int, tuple[CodeType, bool, bool]] = {}  # the id of a function's code -> what `_meet` says of it
_applied: dict[
    tuple[int, CodeType], TorchCall
] = {}  # the number of a custom Function's node and its forward -> its call


class watch:
    """Note the lines of your code that make PyTorch's graph: `with viz.watch(): loss = criterion(net(x), y)`.

    Then `viz.draw(loss)` and `viz.BackwardStepper(loss)` show that code, and take from it names, expressions and what
    is folded together (calls, loops, modules), as they always do for minigrad's own graphs. It sees what this thread
    runs, also inside modules and functions; not what runs inside torch.vmap or was compiled by torch.compile. In it,
    each call of PyTorch's takes some microseconds longer. It may be nested; without PyTorch it does nothing. Where
    PyTorch was not imported before, it is now, since from then on its calls are to be seen.
    """

    def __init__(self) -> None:
        self._was_entered = False

    def __enter__(self) -> watch:
        self._was_entered = True
        overrides = _overrides()
        mode = None if overrides is None or any(_thread.modes) else _mode_class(overrides.TorchFunctionMode)()
        if mode is not None:
            mode.__enter__()
        _thread.modes.append(mode)
        return self

    def __exit__(self, *error: object) -> None:
        mode = _thread.modes.pop()
        if mode is not None:
            mode.__exit__(*error)

    def __del__(self) -> None:
        if not self._was_entered:
            warnings.warn("viz.watch() alone does nothing: write `with viz.watch():`", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        return "<viz.watch: notes the lines of what runs inside `with viz.watch():`>"


def _overrides() -> Any:
    """PyTorch's module of modes; None without PyTorch."""
    try:
        return importlib.import_module("torch.overrides")
    except ImportError:
        return None


class _WatchingThread(threading.local):
    def __init__(self) -> None:
        self.modes: list[Any] = []  # of each `with` that it is in: a mode for the outermost, None for the others


_thread = _WatchingThread()


class Watched(ObservedMaking):
    """What is known of a node of PyTorch's, as if minigrad had noted it: of all that one call has made, with that."""

    __slots__ = ("call",)
    call: TorchCall


class TorchCall:
    """A call of PyTorch's that has made nodes, and the calls around it: of modules and of the learner's functions."""

    def __init__(self, frame: FrameType | None, called: CodeType) -> None:
        way: list[tuple[Any, int, int]] = []  # as a making's, the modules as weak references
        above = None
        first_met: list[tuple[Any, int]] = []
        while frame is not None and above is None:
            code = frame.f_code
            _, is_shown, is_repeated = _met.get(id(code)) or _meet(code)
            if code is called:
                way.append((weakref.ref(frame.f_locals["self"]), NO_PLACE, 0))
            elif is_shown:
                noted = numbered_call(frame) if is_repeated else None
                way.append((code, frame.f_lasti, 0 if noted is None else noted.args[0]))
                if noted is not None and not code.co_flags & RESUMABLE:  # what is around it stands still while it lasts
                    above = getattr(noted, "above", None)
                    first_met.insert(0, (noted, len(way)))
            frame = None if code.co_name == "<module>" else frame.f_back
        for noted, length in first_met if above is None else first_met[1:]:
            noted.above = above = way[length:], above
            del way[length:]
        self.way = way, above
        self.generation = 1

    def making(self, outputs: list[Any]) -> ObservedMaking:
        """For one of its nodes; without modules that are gone."""
        places: list[Any] = []
        above: Any = self.way
        while above is not None:
            more, above = above
            places += [(place() if number == NO_PLACE else place, number, call) for place, number, call in more]
        shown = [place for place in places if place[0] is not None]
        learners = [place for place in shown if place[1] != NO_PLACE and not _is_own(place[0])]
        code, instruction, _ = learners[0] if learners else (None, 0, 0)
        making = Watched(code, instruction, [], (), ([part for place in shown for part in place], None))
        making.outputs, making.call = outputs, self
        if self.generation > 1:  # by a rule of whose line nothing is known: the line that asked for the gradient
            making.parent, making.graph = ObservedMaking(code, instruction, [], (), ([], None)), self.generation
        return making


def noted_of(node: Any) -> tuple[TorchCall | None, dict[int, Any]]:
    """The call that made a node, if it was watched, and its small results by their number."""
    forward: Any = getattr(getattr(node, "_forward_cls", None), "forward", None)
    applied = _applied.get((node._sequence_nr(), forward.__code__)) if hasattr(forward, "__code__") else None
    found: tuple[TorchCall | None, dict[int, Any]] = node.metadata.get(KEY, (applied, {}))
    return found


def _is_own(code: CodeType) -> bool:
    """Whether code is PyTorch's or minigrad's, and no learner's."""
    return code.co_filename.startswith((*OWN, os.path.dirname(sys.modules["torch"].__file__ or "") + os.sep))


def _meet(code: CodeType) -> tuple[CodeType, bool, bool]:
    """What `_met` holds of code from the first time on: the code itself, so that no other gets its id; whether a
    picture tells of its calls (not of those to the machinery around a module's forward); and whether its calls must be
    told apart, since it has a loop.
    """
    if len(_met) > MANY_CODES:
        _met.clear()
    file = code.co_filename
    is_shown = not _is_own(code) or (NETWORKS in file and not file.endswith(NETWORKS + "module.py"))
    _met[id(code)] = code, is_shown, bool(loops_of(code))
    return _met[id(code)]


@functools.lru_cache(maxsize=1)
def _mode_class(base: Any) -> Any:
    """The mode, made when PyTorch is there."""
    torch: Any = sys.modules["torch"]
    count, is_recording = torch.autograd._get_sequence_nr, torch.is_grad_enabled
    apply, gradients = torch.autograd.Function.apply.__code__, (torch.autograd.grad, torch.Tensor.backward)
    called, is_compiling = torch.nn.Module.__call__.__code__, torch.compiler.is_compiling

    class Watching(base):  # type: ignore[misc, unused-ignore]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if is_compiling():  # the function is only read, not run
                return func(*args, **(kwargs or {}))
            before = count()
            out = func(*args, **(kwargs or {}))
            if count() != before:
                call = TorchCall(sys._getframe(1), called)
                results = _tensors(torch, out)
                if func in gradients:
                    roots = [tensor.grad_fn for tensor in _tensors(torch, args[:1])]
                    behind = reachable(attrgetter("next_functions"), (node for node in roots if node is not None))
                    inputs = _tensors(torch, [args[1:2], [(kwargs or {}).get("inputs")]])
                    calls = [noted_of(node)[0] for node in _on_the_way(behind, inputs)]
                    call.generation += max((noted.generation for noted in calls if noted is not None), default=1)
                    leaves = [node.variable for node in behind if saved_tensors.is_leaf(node)]
                    results += [leaf.grad for leaf in leaves if leaf.grad is not None]
                _note(call, results or _tensors(torch, args[:1]), before, torch.strided)
            elif not is_recording():
                _note_function(sys._getframe(1), apply, called, before - 1)
            return out

    return Watching


def _on_the_way(behind: Iterable[Any], inputs: Sequence[Any]) -> Iterable[Any]:
    """Those of the nodes behind a result whose rules run when its gradient is asked for: what leads to none of the
    inputs is left out, such as the gradient that an earlier step of a training loop has used. All where none are given.
    """
    wanted = set(map(id, inputs))
    leading = {node for node in behind if saved_tensors.is_leaf(node) and id(node.variable) in wanted}
    leading.update(tensor.grad_fn for tensor in inputs)
    ran = []
    for node in sorted(behind, key=lambda node: node._sequence_nr()):  # inputs first
        if any(child in leading for child, _ in node.next_functions if child is not None):
            leading.add(node)
            ran.append(node)
    return ran if inputs else behind


def _tensors(torch: Any, found: Any) -> list[Any]:
    """The tensors in what a call has returned: one, or several in tuples and lists."""
    tensors, stack = [], [found]
    while stack:
        thing = stack.pop()
        if isinstance(thing, torch.Tensor):
            tensors.append(thing)
        elif isinstance(thing, tuple | list):
            stack += thing
    return tensors


def _note(call: TorchCall, results: Sequence[Any], before: int, strided: Any) -> None:
    """Write a call into the nodes behind its results whose numbers say that it has made them."""
    stack = [result.grad_fn for result in results]
    while stack:
        node = stack.pop()
        if node is not None and before <= node._sequence_nr() < NO_NUMBER and KEY not in node.metadata:
            node.metadata[KEY] = call, {}
            stack += [child for child, _ in node.next_functions]
    for result in results:
        if result.grad_fn is not None and result.layout is strided and result.numel() <= KEPT:
            noted, kept = noted_of(result.grad_fn)
            if noted is call:
                kept[result.output_nr] = result.detach().clone()


def _note_function(frame: FrameType | None, apply: CodeType, called: CodeType, number: int) -> None:
    """If this is a call in the forward of a custom Function, note the call of that Function."""
    inner = None
    while frame is not None and frame.f_code is not apply:
        frame, inner = frame.f_back, frame
    if frame is None or inner is None or (number, inner.f_code) in _applied:
        return
    if len(_applied) >= MANY_APPLIED:
        del _applied[next(iter(_applied))]
    _applied[number, inner.f_code] = TorchCall(frame.f_back, called)

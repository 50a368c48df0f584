"""What the stop button leaves behind: small cells, each stopped at every place where Python can be stopped.

A KeyboardInterrupt arises where Python looks for signals: when a function begins, after a call into C, and when a loop
goes round. `stop_everywhere` runs a cell once for each such place, with a signal that has just come in: exactly what a
stop button does that is pressed at this moment, on each version of Python. `stop_at_random` presses it at random times.
After each stop the modes have to be what they were, no lock may be held, every `.grad` has to be a sum of whole
gradients, and the same cell, run once more, has to work.

    python tests/engine/interrupts.py --count 2000 [--seed 0] [--only no_grad]
"""

from __future__ import annotations

import _thread
import argparse
import contextlib
import dis
import gc
import json
import operator
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import nn, op, op_text, public
from minigrad.autograd import Function, gradcheck, graph, node, profiler
from minigrad.autograd.blame import NO_WARNING
from minigrad.autograd.modes import modes, set_recording, thread
from minigrad.autograd.profiler import contexts
from minigrad.random.generator import default_generator
from minigrad.teach import limits
from minigrad.teach.exercise import Case, Exercise
from minigrad.teach.limits import TookTooLongError, call_within
from minigrad.teach.progress import NAME, Progress, flock
from minigrad.utils.checkpoint import checkpoint
from minigrad.viz.steps.stop_button import button

LOCKS = {
    "op_text.writing": op_text.writing,
    "node.accumulating": node.accumulating,
    "contexts._switching": contexts._switching,
    "default_generator.lock": default_generator.lock,
}


# ---------------------------------------------------------------- what must be as before


def state() -> dict[str, Any]:
    """All that a stopped cell might leave changed."""
    return {
        "grad_enabled": thread.grad_enabled,
        "inference": thread.inference,
        "saved_tensors_hooks": thread.saved_tensors_hooks,
        "writes_result": thread.writes_result,
        "evaluating": thread.evaluating,
        "run": thread.run,
        "witness": thread.witness,
        "special": modes.special,
        "unusual": thread.unusual.count,
        "anomaly": modes.anomaly,
        "observer": modes.observer,
        "profiler": modes.profiler,
        "standard streams": (sys.stdin, sys.stdout, sys.stderr),
        "garbage is collected": gc.isenabled(),
        "handler of SIGINT": (signal.getsignal(signal.SIGINT), button.is_held, button.is_open),
        "numpy's error state": (np.geterr(), np.geterrcall()),
        "warnings": [filter for filter in warnings.filters if filter is not NO_WARNING],
        "kernel of mul": op.arrays.mul,
        "code of Function.apply": Function.__dict__["apply"].__func__.__code__,
        "code of op.define": op.define.__code__,
        "threads": set(sys._current_frames()),  # not those that Python's own `start()` has lost count of
    }


def held_locks() -> list[str]:
    """The names of locks that another thread cannot take."""
    held: list[str] = []

    def try_all() -> None:
        for name, lock in LOCKS.items():
            if lock.acquire(blocking=False):
                lock.release()
            else:
                held.append(name)

    other = threading.Thread(target=try_all)
    other.start()
    other.join()
    return held


def check_after_stop(before: dict[str, Any], cell: Cell) -> None:
    """Raise AssertionError unless all is as it was, and the cell works."""
    cell.let_go()
    for _ in range(3000):  # a thread that was told to end needs a moment
        if sys._current_frames().keys() - before["threads"]:
            time.sleep(0.01)
    after = state()
    before["threads"] &= after["threads"]  # one that another test has left may have ended meanwhile
    changed = [f"{name} was {before[name]} and is {after[name]}" for name in before if after[name] != before[name]]
    assert not changed, "; ".join(changed)
    cell.check_grads()
    cell.check()
    cell.run()
    cell.check_grads()


# ---------------------------------------------------------------- the places


class _Button:
    """The stop button: reading `pressed` presses it, without a call, so that Python does not look for signals before
    the reader's next instructions do.
    """

    interrupt_main = staticmethod(_thread.interrupt_main)
    pressed = property(operator.methodcaller("interrupt_main"))


_button = _Button()
_looks: dict[CodeType, frozenset[int]] = {}  # the instructions of a function at which Python looks for signals


def looks_at(code: CodeType) -> frozenset[int]:
    if code not in _looks:
        words = ("CALL", "RESUME", "BACKWARD")
        steps = dis.get_instructions(code)
        _looks[code] = frozenset(step.offset for step in steps if any(word in step.opname for word in words))
    return _looks[code]


def _is_watched(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name == __name__ or name.partition(".")[0] in ("minigrad", "contextlib", "threading", "warnings")


class _Tracer:
    """Counts the places that a run comes to, and presses the button at one of them.

    `places` are the numbers of those that differ from what was `seen`: another instruction, or the same one called from
    elsewhere.
    """

    def __init__(self, seen: set[Any], stop_at: int = -1) -> None:
        self.seen, self.stop_at, self.number = seen, stop_at, 0
        self.places: list[int] = []

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "call":
            if not _is_watched(frame):
                return None
            frame.f_trace_lines = False
            frame.f_trace = self.trace
            frame.f_trace_opcodes = True
        elif event == "opcode" and frame.f_lasti in looks_at(frame.f_code):
            self.number += 1
            if self.stop_at < 0:
                outer, key = frame.f_back, (frame.f_code, frame.f_lasti)
                key = key if outer is None else (*key, outer.f_code, outer.f_lasti)
                if key not in self.seen:
                    self.seen.add(key)
                    self.places.append(self.number)
            elif self.number == self.stop_at:
                sys.settrace(None)
                return _button.pressed
        return self.trace

    def run(self, function: Callable[[], Any]) -> bool:
        """Run a function; whether it was stopped."""
        try:
            sys._getframe().f_trace_opcodes = True  # so that Python 3.12 asks for instructions at all
            sys.settrace(self.trace)
            try:
                function()
            finally:
                sys.settrace(None)
            time.sleep(0)  # where a signal is raised that came too late
        except KeyboardInterrupt:
            return True
        return False


def stop_everywhere(make: Callable[[], Cell], seen: set[Any]) -> int:
    """Stop a cell at each of its places but those that have been `seen`, and check what is left; how many these are."""
    make().run()  # what is done at first use is done, but for what the cell makes anew
    tracer = _Tracer(seen)
    tracer.run(make().run)
    for place in tracer.places:
        cell, before = make(), state()
        _Tracer(seen, place).run(cell.run)
        try:
            check_after_stop(before, cell)
        except BaseException as error:
            error.add_note(f"after a stop of {type(cell).__name__} at place {place}")
            raise
    assert not held_locks()
    return len(tracer.places)


def stop_at_random(make: Callable[[], Cell], count: int, chance: random.Random) -> int:
    """Run a cell over and over, with the button pressed at random times; how many stops there were."""
    cell, before, stops = make(), state(), 0
    cell.run()
    started = time.perf_counter()
    for _ in range(3):
        cell.run()
    usual = (time.perf_counter() - started) / 3
    pressed = False  # by assignment alone, which nothing stops, the button is let go

    def press(_: int, frame: FrameType | None) -> None:
        answer = signal.getsignal(signal.SIGINT)  # as the button: what holds it back puts a handler of its own here
        if pressed and callable(answer):
            answer(signal.SIGINT, frame)

    old = signal.signal(signal.SIGALRM, press)
    try:
        for _ in range(count):
            cell = make()
            try:
                # again and again: Python loses a KeyboardInterrupt that arises in a weakref's callback
                signal.setitimer(signal.ITIMER_REAL, max(1e-5, chance.random() * 2 * usual), 0.1)
                pressed = True
                while True:
                    cell.run()
            except KeyboardInterrupt:
                pressed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
                stops += 1
            check_after_stop(before, cell)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert not held_locks()
    return stops


# ---------------------------------------------------------------- the cells


class Cell:
    """Something small to be run, stopped and run again; made anew for each stop.

    `leaves` are the tensors whose `.grad` the cell adds to, and what one whole run adds.
    """

    def __init__(self) -> None:
        self.leaves: list[tuple[Any, Any]] = []

    def run(self) -> None:
        raise NotImplementedError

    def let_go(self) -> None:
        """Close what is the learner's to close."""

    def check(self) -> None:
        """Whatever else has to hold after a stop."""

    def check_grads(self) -> None:
        for leaf, added in self.leaves:
            if leaf.grad is not None:
                times = leaf.grad.numpy() / added
                whole = np.all(times == times.flat[0]) and times.flat[0] % 1 == 0
                assert whole, f"{leaf.grad} is no sum of {added}"


def small_leaf() -> Any:
    return mg.tensor([1.0, 2.0, 4.0], requires_grad=True)


class NoGrad(Cell):
    def run(self) -> None:
        x = small_leaf()
        for _ in range(2):
            with mg.no_grad():
                assert not (x * 2).requires_grad
        assert (x * 2).requires_grad


class InferenceMode(Cell):
    def run(self) -> None:
        x = small_leaf()
        with mg.inference_mode():
            assert (x * 2).is_inference()
        with mg.inference_mode():
            pass
        assert (x * 2).requires_grad


class NestedModes(Cell):
    def run(self) -> None:
        mode = mg.no_grad()
        with mode:
            with mg.enable_grad(), mode:
                assert not mg.is_grad_enabled()
            with mg.inference_mode(False), mg.autograd.grad_mode.Mode(True):
                assert mg.is_grad_enabled()
            assert not mg.is_grad_enabled()


class LeftByError(Cell):
    def run(self) -> None:
        with contextlib.suppress(ValueError), mg.no_grad():
            raise ValueError


class Decorated(Cell):
    @staticmethod
    @mg.no_grad()
    def function(x: Any) -> Any:
        return x * 2

    @staticmethod
    @mg.inference_mode()
    def generator(x: Any) -> Iterator[Any]:
        yield x * 2
        yield x * 3

    def run(self) -> None:
        x = small_leaf()
        assert not self.function(x).requires_grad
        for y in self.generator(x):
            assert y.is_inference()
            assert mg.is_grad_enabled()


class SavedTensorsHooks(Cell):
    def run(self) -> None:
        x = small_leaf()
        self.leaves = [(x, np.array([2.0, 4.0, 8.0]))]
        with graph.saved_tensors_hooks(lambda t: t.detach().numpy(), mg.from_numpy):
            y = (x * x).sum()
        y.backward()


class Anomaly(Cell):
    def run(self) -> None:
        x = small_leaf()
        with mg.autograd.detect_anomaly():
            (x * x).sum().backward()


class Backward(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x, self.w = small_leaf(), small_leaf()
        self.leaves = [(self.x, np.array([3.0, 6.0, 12.0])), (self.w, np.array([1.0, 2.0, 4.0]))]

    def run(self) -> None:
        for _ in range(2):
            y = self.x * self.w
            (y + self.x * self.x).sum().backward()


class BackwardOfBackward(Cell):
    def run(self) -> None:
        x = small_leaf()
        (first,) = mg.autograd.grad((x * x * x).sum(), x, create_graph=True)
        (second,) = mg.autograd.grad(first.sum(), x)
        assert second.tolist() == [6.0, 12.0, 24.0]
        (x * x).sum().backward(create_graph=True)
        x.grad = None


class Hooks(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x = small_leaf()
        self.leaves = [(self.x, np.array([4.0, 8.0, 16.0]))]

    def run(self) -> None:
        y = self.x * self.x
        y.retain_grad()
        handles = [
            y.register_hook(lambda g: g * 2),
            y.grad_fn.register_prehook(lambda gs: None),
            y.grad_fn.register_hook(lambda outgoing, incoming: None),
            self.x.register_hook(lambda g: None),
            self.x.register_post_accumulate_grad_hook(lambda leaf: None),
            graph.register_multi_grad_hook((self.x, y), lambda gradients: None),
        ]
        with self.x.register_hook(lambda g: None):
            y.sum().backward()
        for handle in handles:
            handle.remove()


class Twice(Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 2 * x


class CustomFunction(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x = small_leaf()
        self.leaves = [(self.x, np.array([2.0, 4.0, 8.0]))]

    def run(self) -> None:
        Twice.apply(self.x).sum().backward()


class Nested(Function):
    """Its backward runs another backward, to a depth at which that goes on in a new thread."""

    @staticmethod
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        if ctx.depth:
            with mg.enable_grad():
                inner = mg.ones(3, requires_grad=True)
                Nested.apply(inner, ctx.depth - 1).sum().backward()
        return grad, None


class DeepRuns(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x = small_leaf()
        self.leaves = [(self.x, np.ones(3))]

    def run(self) -> None:
        Nested.apply(self.x, 21).sum().backward()


class InPlace(Cell):
    """Results are written to, whole and in parts. Each holds powers of x, and its gradient is that of these powers, or
    it is an error to ask for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.x = mg.tensor([2.0, 4.0, 8.0], requires_grad=True)
        self.results: tuple[tuple[Any, slice], ...] = ()  # and which part of x each is a power of

    def run(self) -> None:
        x = self.x
        y, sums = x * 1, mg.zeros(3)
        part, summed_part = y[1:], sums[1:]
        self.results = ((y, slice(3)), (part, slice(1, 3)), (sums, slice(3)), (summed_part, slice(1, 3)))
        y *= x
        part *= x[1:]
        sums += x
        y[:2] = x[:2]
        assert mg.autograd.grad((y + sums).sum(), x, retain_graph=True)[0].tolist() == [2.0, 2.0, 193.0]

    def check(self) -> None:
        for result, part in self.results:
            numbers, x = result.detach().numpy(), self.x.detach().numpy()[part]
            if not result.requires_grad:
                assert not numbers.any(), f"{result} was computed from x"
                continue
            try:
                (gradient,) = mg.autograd.grad(result.sum(), self.x, retain_graph=True)
            except RuntimeError as error:
                if "stopped half way" not in str(error):
                    raise
                continue
            slope = np.round(np.log2(numbers) / np.log2(x)) * numbers / x
            assert np.allclose(gradient.numpy()[part], slope), f"{gradient} is not the gradient of {result}"


class FirstCall(Cell):
    """An op and a public function that nobody has called: their text is written."""

    def __init__(self) -> None:
        super().__init__()

        @op.op(self=lambda F, g, other: F.mul(g, other), other=lambda F, g, self: F.mul(g, self), broadcasts=True)
        def fresh(self: Any, other: Any) -> Any:
            return np.multiply(self, other)

        self.fresh = fresh
        self.sum = public.Declaration(mg.ops.reductions.sums.sum).function_named("sum", first=1)
        self.x = small_leaf()
        self.leaves = [(self.x, np.array([2.0, 4.0, 8.0]))]

    def run(self) -> None:
        self.sum(self.fresh(self.x, self.x)).backward()
        (first,) = mg.autograd.grad(self.sum(self.fresh(self.x, 2.0)), self.x, create_graph=True)
        assert first.tolist() == [2.0, 2.0, 2.0]


class Optimizers(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x = small_leaf()
        self.optimizers = [mg.optim.SGD([self.x], lr=0.1, momentum=0.9), mg.optim.AdamW([self.x], lr=0.1)]

    def run(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad()
            optimizer.step(self.closure)

    def closure(self) -> Any:
        loss = (self.x * self.x).sum()
        loss.backward()
        return loss


class Evaluation(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
        self.x = mg.ones(4, 3)

    def run(self) -> None:
        self.net.eval()
        with mg.no_grad():
            assert not self.net(self.x).requires_grad
        self.net.train()
        assert self.net(self.x).requires_grad


class Checkpoints(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.x = small_leaf()
        self.leaves = [(self.x, np.array([3.0, 12.0, 48.0]))]

    def run(self) -> None:
        checkpoint(lambda x: x * x * x, self.x, use_reentrant=False).sum().backward()


class Profiled(Cell):
    def run(self) -> None:
        x = small_leaf()
        with profiler.profile() as profile:
            with profiler.record_function("forward"):
                y = (x * x).sum()
            y.backward()
        assert "MulBackward0" in profile.table()


class Gradcheck(Cell):
    def run(self) -> None:
        x = mg.tensor([0.5, 2.0], dtype=mg.float64, requires_grad=True)
        assert gradcheck(lambda x: (x * x).sum(), (x,))


class Functionals(Cell):
    def run(self) -> None:
        jacobian = mg.autograd.functional.jacobian(lambda x: x * x, mg.tensor([1.0, 2.0]), vectorize=True)
        assert jacobian.tolist() == [[2.0, 0.0], [0.0, 4.0]]
        hessian = mg.autograd.functional.hessian(lambda x: (x * x).sum(), mg.tensor([1.0, 2.0]))
        assert hessian.tolist() == [[2.0, 0.0], [0.0, 2.0]]


class RandomNumbers(Cell):
    def run(self) -> None:
        mg.manual_seed(3)
        mg.randn(3)
        assert len(mg.randperm(5)) == 5


class Matrices(Cell):
    def __init__(self) -> None:
        super().__init__()
        self.A = mg.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
        self.b = mg.ones(2)

    def run(self) -> None:
        x = mg.linalg.solve(self.A, self.b) + mg.linalg.inv(self.A) @ self.b
        (mg.linalg.det(self.A) + mg.linalg.cholesky(self.A).sum() + x.sum()).backward()
        assert mg.allclose(mg.linalg.solve(self.A, self.b), mg.tensor([0.4, 0.2]))
        nn.utils.clip_grad_norm_([self.A], 1.0)
        self.A.grad = None
        with contextlib.suppress(RuntimeError):
            mg.linalg.inv(mg.zeros(2, 2))


def slope(x: Any, w: Any) -> Any:
    return x * w


def slope_in_words(x: Any, w: Any) -> Any:
    print("word " * 2000)
    return x * w


def slope_but_added(x: Any, w: Any) -> Any:
    """The two are multiplied."""
    return x + w


def slope_without_end(x: Any, w: Any) -> Any:
    while True:
        x = x * w


EXERCISE = Exercise(
    title="a tensor",
    stars=1,
    minutes=1,
    reference=slope,
    cases=(Case("ones", lambda: (mg.ones(2), mg.ones(2))), Case("others", lambda: (mg.ones(2), 2 * mg.ones(2)))),
    hints=(),
    mistakes=(slope_but_added,),
    picture=lambda outcome, difference: str(print("drawn")),
)


class CourseCheck(Cell):
    def __init__(self) -> None:
        super().__init__()
        import minigrad.viz  # noqa: F401 (which a check with a picture does: its observer stays)

    def run(self) -> None:
        for answer, kind in ((slope, "good"), (slope_in_words, "good"), (slope_but_added, "bad")):
            assert EXERCISE._try_cases(answer, EXERCISE.cases, None).kind == kind


class EndlessAnswer(Cell):
    exercise = replace(EXERCISE, seconds=0.005)

    def run(self) -> None:
        outcome = self.exercise.run(slope_without_end, EXERCISE.cases[0])
        assert isinstance(outcome.error, TookTooLongError)

    def check(self) -> None:
        time.sleep(2 * self.exercise.seconds)  # a watcher that has stayed would end this call
        assert call_within(10, lambda: sum(range(50_000))) == 1_249_975_000
        assert not isinstance(signal.getsignal(signal.SIGALRM), limits._Alarm)


class WatchedAnswer(EndlessAnswer):
    """The same with the limit of Windows and of other threads."""

    chosen = staticmethod(limits._kind_for_this_thread)

    def __init__(self) -> None:
        super().__init__()
        limits._kind_for_this_thread = lambda: limits._Watcher

    def let_go(self) -> None:
        limits._kind_for_this_thread = self.chosen


class ProgressFile(Cell):
    """The file of what a learner has done is written; meanwhile its folder is locked."""

    def __init__(self) -> None:
        super().__init__()
        self.folder, self.number = Path(FOLDER.name), 0
        (self.folder / NAME).unlink(missing_ok=True)
        self.progress = self.progress_there()

    def progress_there(self) -> Progress:
        progress = Progress()
        progress.path = lambda: self.folder / NAME  # type: ignore[method-assign]
        return progress

    def run(self) -> None:
        name = f"slope{self.number}"
        self.progress.record("exercises", name, "tried")
        self.progress.record("exercises", name, "passed")
        assert self.progress_there().load()["exercises"][name] == "passed"
        self.number += 1

    def check(self) -> None:
        if flock is not None:
            from fcntl import LOCK_EX, LOCK_NB  # not there on Windows

            folder = os.open(self.folder, os.O_RDONLY)
            try:
                flock(folder, LOCK_EX | LOCK_NB)  # raises where it is locked
            finally:
                os.close(folder)


class Clicks(Cell):
    """A stepper, stepped from code and by the page's messages. A pass that is stopped may end there, but what has run
    can be looked at, and `.grad` is what the frame says that is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        from minigrad.viz.graph.values import describe  # here, before the modes are looked at: its observer stays

        self.describe = describe
        self.x = small_leaf()
        self.leaves = [(self.x, np.array([2.0, 4.0, 8.0]))]
        self.stepper: Any = None

    def made(self) -> Any:
        stepper, self.stepper = self.stepper, None  # one that is closed, or half, puts nothing back
        if stepper is not None:
            stepper.close()
        x = self.x
        y = x * x
        y.register_hook(lambda g: None)
        y.retain_grad()
        self.stepper = mg.viz.BackwardStepper(y.sum(), names={"x": x, "y": y})
        return self.stepper

    def run(self) -> None:
        stepper = self.made()
        stepper.next()
        stepper.run_to("x")
        stepper.back()
        self.click({"to": 1})
        self.click({"run": True})
        if stepper.problem:  # a click does not raise what stops it: the page tells it
            raise KeyboardInterrupt
        self.check_frame()
        stepper.first()
        self.check_frame()
        stepper.last()
        self.check_frame()

    def click(self, request: dict[str, Any]) -> None:
        self.stepper.set_state({"request": {**request, "nth": self.stepper.answered + 1}})

    def check_frame(self) -> None:
        """The leaf's `.grad` is what the picture shows."""
        frame, (leaf,) = self.stepper.frame, [box for box in self.stepper.session.graph.boxes if box.kind == "leaf"]
        held = "None" if self.x.grad is None else self.describe(self.x.grad.numpy()).text
        shown = frame.states[leaf.id].grad.text or "None"
        assert held == shown, f"the picture shows {shown} at frame {frame.index}, .grad is {held}"
        sent = json.loads(self.stepper.recorded[frame.index])
        assert len(self.stepper.recorded) == len(self.stepper.frames)
        assert sent["index"] == frame.index

    def check(self) -> None:
        if self.stepper is None:
            return
        self.check_frame()
        texts = [frame.story for frame in self.stepper.frames]
        self.click({"to": 0})
        assert not any("changed" in event.title for frame in self.stepper.frames for event in frame.events)
        self.check_frame()
        for frame in self.stepper.frames[1:]:
            assert self.stepper.next() is frame
            self.check_frame()
        assert texts == [frame.story for frame in self.stepper.frames]
        with contextlib.suppress(RuntimeError):  # "this pass cannot go on"
            self.stepper.last()
        self.check_frame()


class Changed(Clicks):
    """The learner changes a `.grad` between two clicks: the frame says so."""

    def run(self) -> None:
        stepper = self.made()
        stepper.next()
        self.x.grad = mg.tensor([2.0, 4.0, 8.0]) if self.x.grad is None else None
        stepper.next()
        stepper.back()
        self.check_frame()

    def check(self) -> None:
        if self.stepper is not None:
            self.click({"to": 0})
            self.click({"to": 1})
            self.check_frame()


class Pictures(Clicks):
    """What a stepper keeps for pages without a kernel is rehearsed; a page and a picture are written. A rehearsal that
    is stopped has put everything back: the learner's own `.grad`, and what the graph saved.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rehearsed: tuple[Any, Any] | None = None

    def run(self) -> None:
        x, self.rehearsed = self.x, None
        x.grad = gradient = mg.tensor([2.0, 4.0, 8.0]) if x.grad is None else x.grad
        y = (x * x).sum()
        self.stepper = stepper = mg.viz.BackwardStepper(y, names={"x": x, "y": y})
        self.rehearsed = gradient, y
        stepper._repr_mimebundle_()
        self.check_rehearsal()
        x.grad = None
        mg.viz.draw((x * x).sum())
        self.made().save_html(Path(FOLDER.name) / "pass.html")
        self.check_frame()

    def check_rehearsal(self) -> None:
        if self.rehearsed is not None:
            (gradient, y), self.rehearsed = self.rehearsed, None
            assert self.x.grad is gradient
            assert gradient.tolist() in ([2.0, 4.0, 8.0], [4.0, 8.0, 16.0])
            y.backward()  # the graph is still there

    def check(self) -> None:
        self.check_rehearsal()
        if self.stepper is not None:
            self.stepper.close()


FOLDER = tempfile.TemporaryDirectory()


def _cells() -> dict[str, type[Cell]]:
    return {cell.__name__: cell for kind in Cell.__subclasses__() for cell in (kind, *kind.__subclasses__())}


CELLS = _cells()


def main() -> None:
    parser = argparse.ArgumentParser(description="Stop small cells at random times, and check what is left.")
    parser.add_argument("--count", type=int, default=2000, help="how many stops in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the names of the cells to stop")
    parser.add_argument("--everywhere", action="store_true", help="at each place, instead of at random times")
    options = parser.parse_args()
    chosen = {name: make for name, make in CELLS.items() if options.only.lower() in name.lower()}
    chance = random.Random(options.seed)
    warnings.simplefilter("ignore")
    for name, make in chosen.items():
        started, failure = time.perf_counter(), ""
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # for what cells print
                if options.everywhere:
                    stops = stop_everywhere(make, set())
                else:
                    stops = stop_at_random(make, -(-options.count // len(chosen)), chance)
        except Exception as error:
            set_recording(True, False)
            thread.saved_tensors_hooks = ()
            failure, stops = f"{type(error).__name__}: {error} {getattr(error, '__notes__', '')}", 0
        print(f"{name:20} {stops:5} stops, {time.perf_counter() - started:5.1f} s  {failure}"[:400], flush=True)


if __name__ == "__main__":
    main()

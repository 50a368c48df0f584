"""The walk through a backward pass: forward, back, over a module, to a breakpoint."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from minigrad.viz.page.recording import trouble
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps import outside, trace
from minigrad.viz.steps.breakpoints import Breakpoints
from minigrad.viz.steps.frames import Frame, Frames
from minigrad.viz.steps.recorder import is_plain
from minigrad.viz.steps.stop_button import button, stoppable
from minigrad.viz.steps.story import of_inner
from minigrad.viz.steps.what_if import Nudge

OVER = "The backward pass is over; no breakpoint was met."


class Session:
    """The part of a stepper that walks."""

    _graph: Any
    _frames: list[Frame]
    _forward: list[Frame]
    _recorder: Any
    _breakpoints: Any
    _as_ran: dict[int, Frame]
    _question: Any
    _grads: Any
    _values: Any
    _variables: Any
    _levels: Any
    _open: list[str]
    _portions: Any
    _is_running: bool
    _presses: int
    index: Any
    breaks: Any
    stopped: Any
    now: Any
    outdated: Any
    problem: Any
    recorded: Any
    finished: Any
    hold_sync: Any
    set_trait: Any

    @property
    def frames(self) -> Frames:
        """The frames recorded so far. Frame 0 is the moment before anything ran backward."""
        return Frames(self._frames)

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return (self._frames if self.index >= 0 else self._forward)[self.index]

    def next(self) -> Frame | None:
        """Go one step on: over a recorded frame, or by running one node. Returns the frame, or None at the end.

        Raises what the engine raises, and RuntimeError when an earlier step has failed.
        """
        with self._stepping():
            return self._go(self.index + 1)

    def back(self) -> Frame | None:
        """Go one step back and put each `.grad` back with it. Returns the frame, or None at the beginning."""
        with self._stepping():
            return self._go(self.index - 1) if self.index > -len(self._forward) else None

    def over(self, back: bool = False) -> Frame | None:
        """Go to the end of the module, loop or call that comes next, as it is seen in the picture; one step on where
        none begins. Returns the frame, or None at the end.

        With `back`, go to the beginning of the one that lies behind. A breakpoint inside stops it on the way forward.
        """
        with self._stepping():
            here, there = self.frame.box, self.frame.next.box if self.frame.next else None
            if back:
                group = self._levels.crossed(there, here, self._open)
                return self._go(self._start(group)) if self.index > -len(self._forward) else None
            group = self._levels.crossed(here, there, self._open)
            return self._go(self.index + 1) if group is None else self._leave(group)

    def out(self, back: bool = False) -> Frame:
        """Go to the end of the module, loop or call that the present step lies in, as it is seen in the picture; to the
        end of the pass where it lies in none.

        With `back`, go to its beginning. A breakpoint stops it on the way forward.
        """
        with self._stepping():
            if back:
                group = next(reversed(self._levels.seen(self.frame.box, self._open)), None)
                self._go(self._first if group is None else self._start(group))
                return self.frame
            return self._leave(self._levels.surrounding(self.frame, self._open))

    @property
    def _first(self) -> int:
        """The index of the first frame of the pass that is shown, forward or backward."""
        return 0 if self.index > 0 else -len(self._forward)

    def _start(self, group: str | None) -> int:
        """The frame before a group begins, or before this one."""
        if group is None:
            return self.index - 1
        before = 0 if self.index > 0 else len(self._forward)
        frames = [*self._forward, self._frames[0]] if before else self._frames
        return max(self._levels.start(group, frames, self.index + before) - before, -len(self._forward))

    def _leave(self, group: str | None, patience: float = math.inf) -> Frame:
        """Go forward to the end of a group, or of the pass."""
        return self._run(lambda frame: group is not None and self._levels.is_over(group, frame), patience, "")

    def first(self) -> Frame:
        """Go to the moment before anything ran (of the forward pass, if that is shown), and put each `.grad` back to
        what it was then.
        """
        with self._stepping():
            self._go(-len(self._forward))
            return self.frame

    reset = first

    def last(self) -> Frame:
        """Go to the end, running what has not run yet."""
        with self._stepping():
            self._go(len(self._frames) - 1)
            while self._go(self.index + 1) is not None:
                pass
            return self.frame

    def run_to(self, name: str) -> Frame:
        """Go to the step at which the box called `name` runs, forward or back.

        Raises ValueError if no box has that name, or if it does not run (because `inputs` leave it out).
        """
        with self._stepping():
            return self._run_to(self._running(name))

    def _running(self, name: str) -> str:
        """The id of the box with a name. ValueError if there is none, or if it does not run."""
        key = self._graph.named(name).id
        if key not in self._recorder.runs:
            raise ValueError(
                f"{name!r} does not run in this backward pass: it leads to none of the inputs that were asked for"
            )
        return key

    def _run_to(self, key: str, patience: float = math.inf) -> Frame:
        known = [frame.index for frame in self._frames if frame.box == key]
        self._go(known[0] if known else len(self._frames) - 1)
        end = time.monotonic() + patience
        while self.frame.box != key:
            if self._go(self.index + 1) is None:
                raise ValueError(f"{self._graph.by_id[key].name!r} did not run: no gradient reached it")
            if self.frame.box != key and time.monotonic() > end:
                self._pause()
                break
        return self.frame

    def _names_of_nodes(self) -> dict[Any, str]:
        """Node -> what it is called here, those of the gradient's graph among them."""
        return {node: self._graph.by_id[key].name for key, node in self._graph.node_of.items()} | self._recorder.grown

    def nudge(self, name: str, epsilon: float = 0.001, cell: Any = ()) -> Nudge:
        """What a small step of one number does to the result: the quotient of both changes, beside `.grad`.

        `cell` is the place of the number in the leaf `name`, as (0, 1). Raises as `what_if`.
        """
        with self._stepping():
            made: Nudge = stoppable(self._asked.nudge, self._asked.leaf(name), cell, float(epsilon), {})
            return made

    @property
    def _asked(self) -> Any:
        """What can be changed. RuntimeError where the stepper was closed."""
        if self._question is None:
            raise RuntimeError("the stepper was closed")
        return self._question

    def break_at(self, *names: str) -> None:
        """Let `run()` stop when a box has run. ValueError for a name that no box has, or whose box does not run."""
        for key in [self._running(name) for name in names]:
            self._breakpoints.add("box", key)
        self.breaks = self._breakpoints.shown

    def break_when(self, test: str | Callable[[Frame], Any]) -> None:
        """Let `run()` stop where a condition holds.

        Args:
            test: a text on the gradient `g` that the node received, "g.norm() > 10" (or max, min, mean; >, >=, <, <=),
                "nan" or "inf"; or a function that gets the Frame and says whether to stop.

        Raises ValueError for a text that is no condition, TypeError for what is neither.
        """
        self._breakpoints.add_test(test)
        self.breaks = self._breakpoints.shown

    def clear_breaks(self) -> None:
        """Remove all breakpoints."""
        self._breakpoints = Breakpoints()
        self.breaks = []

    def run(self) -> Frame:
        """Go forward until a breakpoint is met, or to the end. Returns the frame; `stopped` says why it is that one."""
        with self._stepping():
            return self._run(lambda frame: False)

    def _run(self, is_there: Callable[[Frame], bool], patience: float = math.inf, over: str = OVER) -> Frame:
        """Go forward until a frame is the one, a breakpoint is met, the seconds are up, or to the end; what is said
        there is `over`.
        """
        end = time.monotonic() + patience
        while (frame := self._go(self.index + 1)) is not None:
            met = None if frame.index < 0 else stoppable(self._breakpoints.first_met, frame)
            for kind, text in (met or {}).items():
                what = clean(self._graph.by_id[text].name) if kind == "box" else text
                self.stopped = {"index": frame.index, "why": f"Stopped at a breakpoint: {what}."}
                return frame
            if is_there(frame):
                self.stopped = {"index": frame.index, "why": ""}
                return frame
            if time.monotonic() > end and frame.next is not None:
                self._pause()
                return frame
        self.stopped = {"index": self.index, "why": over}
        return self.frame

    def _pause(self) -> None:
        """A run is to go on when the page asks again."""
        self._presses = button.presses
        self.stopped = {"index": self.index, "why": "", "more": True}

    def trace(self) -> str:
        """All recorded frames as text: everything that the picture says."""
        return trace.trace(self._graph, [*self._forward, *self._frames], self.index)

    def _run_rest(self) -> None:
        """Run what has not run yet, and show the present frame again."""
        at = self.index
        with contextlib.suppress(Exception):  # which `problem` tells of
            self.last()
        with self._stepping():
            self._show(at)

    @contextlib.contextmanager
    def _stepping(self) -> Iterator[None]:
        """Around all that moves this stepper. What was changed since it was used last is seen before; what it changes
        itself, other steppers see after.
        """
        if self._is_running:
            raise RuntimeError(
                "this stepper is in the middle of a step: the hook or backward that runs in it cannot step it, too"
            )
        with button.held():
            self.look()
            with self._portions.changing():
                try:
                    yield
                finally:
                    self.now = self._values.now()
                    outside.changed_by(self)

    def _go(self, index: int) -> Frame | None:
        """Show a frame, running nodes up to it if it is not recorded; None if there is no such frame."""
        while index >= len(self._frames):
            if self.index < len(self._frames) - 1:
                self._show(len(self._frames) - 1)  # the engine goes on from where it was
            if not self._run_one():
                return None
        self._show(index)
        self._portions.go_on()
        button.check()
        return self.frame

    def _run_one(self) -> bool:
        """Run one node and record its frame; False if there is none left. What the engine raises is raised after the
        frame that tells it has been recorded.
        """
        failure = self._recorder.failure
        if failure is not None:
            raise RuntimeError(f"this pass cannot go on: its last step failed with {type(failure).__name__}: {failure}")
        known = len(self._frames)
        try:
            return self._recorded_one()
        except BaseException as error:
            if self.index < known:  # the stop button, before all of the step was written down: the pass ends before it
                self._recorder.failure = failure or error
                del self._frames[known:]
                self._grads.go_back(known)
                self.recorded = self.recorded[:known]
            raise

    def _recorded_one(self) -> bool:
        """Run one node and record its frame; False if there is none left. `index` is set to that frame last of all: by
        this `_run_one` knows whether a stop came before all was written down.
        """
        before = self._frames[-1]
        upcoming = self._graph.node_of.get(before.next.box) if before.next else None
        is_custom = getattr(upcoming, "_is_custom", False)  # so it may run a backward of its own
        reached = self._grads.before_inner(self._graph.reached if is_custom else {})
        self._is_running = True
        try:
            frame = self._recorder.advance()
        finally:
            self._is_running = False
        if frame is None:
            self.finished = True
            return False
        frame = self._recorder.with_lines(frame, of_inner(self._grads.after_inner(reached)))
        self._frames.append(frame)
        touched = getattr(self._recorder.queue, "touched", None)  # by an engine of the learner's
        self._grads.add([frame.box] if is_plain(upcoming) and frame.box is not None else touched)
        failure = self._recorder.failure
        with self.hold_sync():
            if failure is not None:
                self.problem = trouble(failure, frame.box)  # its event says all of it
            self.recorded = [*self.recorded, json.dumps(frame.to_json(before))]
            self.set_trait("index", frame.index)
            self.finished = self._recorder.finished
        if failure is not None:
            raise failure
        return True

    def look(self) -> None:
        """See what something else has changed since this frame was shown. Where it is a `.grad`, the frame says so and
        keeps it: going away and coming back brings back what is there now.

        This is done before each step, after each cell, and when another stepper has stepped.
        """
        if not self._is_running:  # else the step itself sees what happens in it
            with self._portions.changing():
                self._look()

    def _look(self) -> None:
        self.now, self.outdated = self._values.now(), self._variables.made_anew()
        index = max(self.index, 0)  # all of the forward pass shows the .grad of the moment after it
        changed = self._grads.changed_since(index)
        if not changed:
            return
        frame = self._as_ran.setdefault(index, self._frames[index])
        for key, before in self._grads.other_than_ran(index, changed).items():
            if key in self._graph.by_id and self._graph.by_id[key].kind == "leaf":
                frame = self._recorder.with_changed_grad(frame, key, before)
        self._recorder.progress.touched.update(self._graph.by_id.keys() & changed.keys())
        self._frames[index] = frame
        recorded = list(self.recorded)
        for number in range(index, min(index + 2, len(self._frames))):
            recorded[number] = json.dumps(self._frames[number].to_json(self._frames[number - 1] if number else None))
        self.recorded = recorded
        self._grads.correct(index, changed)  # last: where this is stopped, it is done again

    def _show(self, index: int) -> None:
        """Make a recorded frame the present one: the picture and the `.grad` of the leaves."""
        if index == self.index:
            return
        before = self.index
        try:
            self._grads.put_back(max(index, 0))
            self.set_trait("index", index)
        except BaseException:
            if self.index == before:  # the stop button
                self._grads.put_back(max(before, 0))
            raise

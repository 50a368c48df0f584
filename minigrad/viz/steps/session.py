"""The walk through a backward pass: forward, back, over a module, to a breakpoint, with other numbers.

Going forward takes one step of the `Pass`, and the maker writes a frame. Going back runs nothing: it
shows an earlier frame and puts the `.grad` of each leaf back to what it was then, so that what is shown and the next
cell never disagree. What a cell or another session has changed meanwhile is looked for before each step and after each
cell. None of it knows Jupyter: the widget (stepper.py) is one `Listener`. static/player.mjs walks by the same names
over what was recorded, where no kernel runs.

The stop button: `stepping` holds it back until a step is over (see stop_button.py). Where something is stopped half way
all the same, as where another handler stands in Python's place, nothing of that step counts before `index` says so; and
a `Listener` that was stopped is told again.
"""

from __future__ import annotations

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.groups import groups_of, open_at_first
from minigrad.viz.graph.source import Pass, Source
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.steps import outside, trace
from minigrad.viz.steps.breakpoints import Breakpoints
from minigrad.viz.steps.forward import forward_frames
from minigrad.viz.steps.frame_maker import ClosedError, FrameMaker
from minigrad.viz.steps.frames import Frame
from minigrad.viz.steps.grads_by_frame import GradsByFrame
from minigrad.viz.steps.levels import Levels
from minigrad.viz.steps.pass_progress import wanted_boxes
from minigrad.viz.steps.stop_button import button, stoppable
from minigrad.viz.steps.story import inner_lines
from minigrad.viz.steps.values_now import ValuesNow
from minigrad.viz.steps.what_if import Nudge, WhatIf, WhatIfQuestion

OVER = "The backward pass is over; no breakpoint was met."
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Stop:
    """Where a run has ended, and why; one that `is_paused` has only used up its time, and is to be asked for again."""

    index: int
    why: str
    is_paused: bool = False


class Listener:
    """What a session tells whoever shows it, such as the widget. Here nothing comes of it."""

    def changing(self) -> contextlib.AbstractContextManager[None]:
        """Around whatever changes the session, once for each use of it."""
        return contextlib.nullcontext()

    def on_change(self) -> None:
        """Something is another: a frame was added or replaced, or is shown now (`frames`, `index`), the pass is over or
        has failed (`finished`, `failure`), a run has ended (`stopped`), a tensor was written to (`now`, `outdated`).

        It is for the listener to look what it is: so it misses nothing where it is stopped and told again.
        """

    def breaks_changed(self) -> None:
        """Breakpoints were set or removed (`breaks`)."""

    def show_what_if(self, made: WhatIf | None) -> None:
        """A pass with other numbers is to be shown in the place of what ran; None: what ran again."""

    def cell_is_over(self) -> None:
        """A cell of the notebook is over, and still counts as running."""


class Session:
    """A walk through `root.backward()`, one node at a time. Nothing has run when it is made.

    Args:
        graph: the graph of a result, as it was read.
        gradient, retain_graph, create_graph, inputs: as in `backward()`.
        forward: begin with the forward pass, at the indices below 0.
        rooms: how many characters fit into a row of each box, where there is a drawing.
        namespace: the learner's variables, to say when they are other tensors.

    `frames` are those recorded so far: frame 0 is the moment before anything ran backward, `index` that of the frame
    which is shown, `forward` are the frames before. `open` are the groups that are seen open, for `over` and `out`;
    `listener` is told of all changes. Who steps in smaller parts does so inside `stepping()`.

    Raises what `backward()` raises for wrong arguments.
    """

    def __init__(
        self,
        graph: Snapshot,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
        forward: bool = False,
        rooms: Mapping[str, int] = NOTHING,
        namespace: Mapping[str, Any] = NOTHING,
    ) -> None:
        def steps_of(source: Source, inputs: Any) -> Pass:
            return source.steps(gradient, retain_graph, create_graph, inputs)

        source = graph.source
        if type(inputs) is dict or isinstance(inputs, Iterator):  # several look through them
            inputs = list(inputs.values() if isinstance(inputs, dict) else inputs)
        steps = steps_of(source, inputs)  # raises what backward() would for wrong arguments
        wanted = wanted_boxes(graph, inputs)
        seed = np.ones_like(source.array(source.root)) if gradient is None else np.array(source.array(gradient))
        retain = create_graph if retain_graph is None else retain_graph
        new_maker = functools.partial(FrameMaker, seed=seed, rooms=rooms, retain=retain)

        def maker_of(second: Snapshot, wanted: Mapping[str, tuple[Any, ...]] | None) -> FrameMaker:
            inputs = wanted and [tensor for tensors in wanted.values() for tensor in tensors]
            return new_maker(second, steps_of(second.source, inputs), wanted=wanted)

        self.listener = Listener()
        self.graph, self.seed = graph, seed
        self.maker = new_maker(graph, steps, wanted=wanted)
        self.maker_again: Any = lambda: new_maker(graph, steps_of(source, inputs), wanted=wanted)
        first = self.maker.first()
        self.frames: list[Frame] = [first]
        self.forward: list[Frame] = forward_frames(graph, first) if forward else []
        self.index = self.start
        self.finished = False
        self.stopped: Stop | None = None
        self.now: dict[str, dict[str, Any]] = {}
        self.outdated = ""
        self.groups = groups_of(graph, graph.modules)
        self.open = open_at_first(graph, self.groups)
        self.levels = Levels(self.groups)
        self.breakpoints = Breakpoints()
        self.grads = GradsByFrame(graph, wanted)
        self._values = ValuesNow(graph, rooms)
        self._variables = outside.ShownVariables(graph, namespace)
        self._question: WhatIfQuestion | None = WhatIfQuestion(graph, maker_of, seed, wanted, forward)
        self._as_ran: dict[int, Frame] = {}  # frames as their steps have left them, where something was changed since
        self._is_running = False
        self._is_untold = False  # the listener does not know yet what this is now
        self._written: set[str] | None = set()  # keys of the `.grad` that this use writes to; None where of any tensor
        self._presses = 0  # of the stop button, when a run was paused
        outside.attend(self)

    @property
    def start(self) -> int:
        """The index of the first frame."""
        return -len(self.forward)

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return (self.frames if self.index >= 0 else self.forward)[self.index]

    @property
    def failure(self) -> BaseException | None:
        """Why the pass cannot go on: what its last step raised, or that it was closed."""
        return self.maker.failure

    @property
    def summary(self) -> str:
        """Of what it is a pass, where it stands, and who runs next."""
        frame = self.frame
        upcoming = trace.upcoming(frame).removeprefix("nobody, ")
        upcoming = f"next{' to run' if frame.index >= 0 else ''}: {upcoming}" if frame.next else upcoming
        root = clean(self.graph.by_id[self.graph.root].name)
        return f"{root}: {trace.place_of(frame, len(self.forward))}, {upcoming}"

    def __repr__(self) -> str:
        return shorten(f"Session of {self.summary}", 100)

    # -- from frame to frame

    def next(self) -> Frame | None:
        """Go one step on: over a recorded frame, or by running one node. Returns the frame, or None at the end.

        Raises what the engine raises, and RuntimeError when an earlier step has failed.
        """
        with self.stepping():
            return self.go(self.index + 1)

    def back(self) -> Frame | None:
        """Go one step back and put each `.grad` back with it. Returns the frame, or None at the beginning."""
        with self.stepping():
            return self.go(self.index - 1) if self.index > self.start else None

    def over(self, back: bool = False) -> Frame | None:
        """Go to the end of the module, loop or call that comes next, as it is seen in the picture; one step on where
        none begins. Returns the frame, or None at the end.

        With `back`, go to the beginning of the one that lies behind. A breakpoint inside stops it on the way forward.
        """
        with self.stepping():
            here, there = self.frame.box, self.frame.next.box if self.frame.next else None
            if back:
                group = self.levels.group_crossed(there, here, self.open)
                return self.go(self.start_of(group)) if self.index > self.start else None
            group = self.levels.group_crossed(here, there, self.open)
            return self.go(self.index + 1) if group is None else self.leave(group)

    def out(self, back: bool = False) -> Frame:
        """Go to the end of the module, loop or call that the present step lies in, as it is seen in the picture; to the
        end of the pass where it lies in none.

        With `back`, go to its beginning. A breakpoint stops it on the way forward.
        """
        with self.stepping():
            if back:
                group = next(reversed(self.levels.groups_seen(self.frame.box, self.open)), None)
                self.go((0 if self.index > 0 else self.start) if group is None else self.start_of(group))
                return self.frame
            return self.leave(self.levels.surrounding(self.frame, self.open))

    def first(self) -> Frame:
        """Go to the moment before anything ran (of the forward pass, if that is shown), and put each `.grad` back to
        what it was then.
        """
        with self.stepping():
            self.go(self.start)
            return self.frame

    def last(self) -> Frame:
        """Go to the end, running what has not run yet."""
        with self.stepping():
            self.go(len(self.frames) - 1)
            while self.go(self.index + 1) is not None:
                pass
            return self.frame

    def run(self) -> Frame:
        """Go forward until a breakpoint is met, or to the end. Returns the frame; `stopped` says why it is that one."""
        with self.stepping():
            return self.run_until(lambda frame: False)

    def run_to(self, name: str) -> Frame:
        """Go to the step at which the box called `name` runs, forward or back.

        Raises ValueError if no box has that name, or if it does not run (because `inputs`, or the order of your own
        engine, leaves it out).
        """
        with self.stepping():
            return self.run_to_box(self._running(name))

    def _running(self, name: str) -> str:
        """The id of the box with a name. ValueError if there is none, or if it does not run."""
        key = self.graph.box_named(name).id
        if key not in self.maker.runs:
            why = "it leads to none of the inputs that were asked for"
            if self.maker.progress.is_planned:
                why = self.maker.backward.why_left_out(key)
            raise ValueError(f"{name!r} does not run in this backward pass: {why}")
        return key

    def run_rest(self) -> None:
        """Run what has not run yet, and show the present frame again."""
        at = self.index
        with contextlib.suppress(Exception):  # which `problem` tells of
            self.last()
        with self.stepping():
            self._show(at)

    # -- breakpoints

    @property
    def breaks(self) -> list[dict[str, str]]:
        """The breakpoints that are set: {"box": id}, {"when": condition} or {"code": what a function is called}."""
        return self.breakpoints.shown

    def break_at(self, *names: str) -> None:
        """Let `run()` stop when a box has run. ValueError for a name that no box has, or whose box does not run."""
        for key in [self._running(name) for name in names]:
            self.breakpoints.add("box", key)
        self.listener.breaks_changed()

    def break_when(self, test: str | Callable[[Frame], Any]) -> None:
        """Let `run()` stop where a condition holds.

        Args:
            test: a text on the gradient `g` that the node received, "g.norm() > 10" (or max, min, mean; >, >=, <, <=),
                "nan" or "inf"; or a function that gets the Frame and says whether to stop.

        Raises ValueError for a text that is no condition, TypeError for what is neither.
        """
        self.breakpoints.add_test(test)
        self.listener.breaks_changed()

    def clear_breaks(self) -> None:
        """Remove all breakpoints."""
        self.breakpoints = Breakpoints()
        self.listener.breaks_changed()

    def replace_breaks(self, wanted: list[Any]) -> None:
        """Set those that are `wanted`, as far as they can be understood; functions stay."""
        if wanted != self.breaks:
            self.breakpoints.replace(wanted, self.maker.runs)
            self.listener.breaks_changed()

    # -- other numbers

    @property
    def question(self) -> WhatIfQuestion:
        """What can be asked with other numbers. RuntimeError where the stepper was closed."""
        if self._question is None:
            raise ClosedError("the stepper was closed")
        return self._question

    def what_if(self, changes: Mapping[str, Any] = NOTHING, /, **more: Any) -> WhatIf | None:
        """Show the pass as it is with other numbers in the leaves: `s.what_if(w=3.0)`, or
        `s.what_if({"net.bias": [0, 1]})`.

        The recorded operations are called again on copies: your tensors and their `.grad`, hooks, random numbers and
        custom Functions are left alone. It is the graph that was recorded, so a branch that the new number would have
        taken another way is not. Without arguments, what ran is shown again, and None returned.

        Raises ValueError for a name that no leaf has and for numbers of another shape, TypeError for what is no number,
        RuntimeError where a box cannot be computed once more.
        """
        given = {self.question.leaf(name): value for name, value in {**changes, **more}.items()}
        with self.stepping():
            made: WhatIf | None = stoppable(self.question.what_if, given) if given else None
            self.listener.show_what_if(made)
            return made

    def nudge(self, name: str, epsilon: float = 0.001, cell: Any = ()) -> Nudge:
        """What a small step of one number does to the result: the quotient of both changes, beside `.grad`.

        `cell` is the place of the number in the leaf `name`, as (0, 1). Raises as `what_if`.
        """
        with self.stepping():
            made: Nudge = stoppable(self.question.nudge, self.question.leaf(name), cell, float(epsilon), {})
            return made

    # -- what there is to know of it

    def trace(self) -> str:
        """All recorded frames as text: everything that the picture says."""
        return trace.trace(self.graph, [*self.forward, *self.frames], self.index)

    def names_of_nodes(self) -> dict[Any, str]:
        """Node -> what it is called here, those of the gradient's graph among them."""
        return {node: self.graph.by_id[key].name for key, node in self.graph.node_of.items()} | self.maker.grown

    def grad_with_graph(self, of: str | None) -> tuple[str, Any]:
        """The `.grad` of the leaf called `of`, or of the only one, and what it is called. RuntimeError where it has no
        graph, ValueError for a name that no leaf has, or for none where there are several.
        """
        leaves = {box.name: self.grads.tensors[box.id] for box in self.graph.boxes if box.kind == "leaf"}
        if of is None and len(leaves) > 1:
            example, there = next(iter(leaves)), ", ".join(leaves)
            raise ValueError(f"there are several gradients: say which, as in second({example!r}); there are: {there}")
        name = next(iter(leaves)) if of is None else of
        if name not in leaves:
            raise ValueError(f"no leaf is named {name!r}; there are: {', '.join(leaves)}")
        source = self.graph.source
        grad = source.grad(leaves[name])
        if grad is None:
            raise RuntimeError(f"{name}.grad is None: step to the end first, as in s.last()")
        if not source.has_graph(grad):
            raise RuntimeError(
                f"{name}.grad has no graph, since this pass does not record itself: make the stepper with "
                "create_graph=True"
            )
        return f"∂{self.graph.by_id[self.graph.root].name}/∂{name}", grad

    # -- the parts of a walk, for use inside `stepping`

    @contextlib.contextmanager
    def stepping(self) -> Iterator[None]:
        """Around all that moves this session. What was changed since it was used last is seen before; what it changes
        itself, other sessions see after. RuntimeError in the middle of a step.
        """
        if self._is_running:
            raise RuntimeError(
                "this stepper is in the middle of a step: the hook or backward that runs in it cannot step it, too"
            )
        with button.hold():
            self.look()
            self._written = set()
            with self.listener.changing():
                try:
                    yield
                finally:
                    self.now = self._values.now()
                    self._tell()
                    outside.changed_by(self, None if self._written is None else self.grads.memory(self._written))

    def _tell(self) -> None:
        """Tell the listener; where that is stopped half way, it is told again by the next look."""
        self._is_untold = True
        self.listener.on_change()
        self._is_untold = False

    def go(self, index: int) -> Frame | None:
        """Show a frame, running nodes up to it if it is not recorded; None if there is no such frame."""
        while index >= len(self.frames):
            if self.index < len(self.frames) - 1:
                self._show(len(self.frames) - 1)  # the engine goes on from where it was
            if not self._run_one():
                return None
        self._show(index)
        self._tell()
        button.check()
        return self.frame

    def go_on_to(self, index: int, seconds: float) -> None:
        """Show a frame; where it is not recorded, as much of the way to it as some seconds allow."""
        end = time.monotonic() + seconds
        self._show(min(index, len(self.frames) - 1))
        while self.index < index and self.go(self.index + 1) is not None:
            if self.index < index and self.frame.next is not None and time.monotonic() > end:
                self._pause()
                return

    def run_to_box(self, key: str, seconds: float = math.inf) -> Frame:
        """Go to the step at which a box runs, forward or back; not all of the way where the seconds are up before.
        ValueError if no gradient reaches it.
        """
        known = [frame.index for frame in self.frames if frame.box == key]
        self.go(known[0] if known else len(self.frames) - 1)
        end = time.monotonic() + seconds
        while self.frame.box != key:
            if self.go(self.index + 1) is None:
                raise ValueError(f"{self.graph.by_id[key].name!r} did not run: no gradient reached it")
            if self.frame.box != key and time.monotonic() > end:
                self._pause()
                break
        return self.frame

    def run_until(self, is_there: Callable[[Frame], bool], seconds: float = math.inf, over: str = OVER) -> Frame:
        """Go forward until a frame is the one, a breakpoint is met, the seconds are up, or to the end; what is said
        there is `over`.
        """
        end = time.monotonic() + seconds
        while (frame := self.go(self.index + 1)) is not None:
            if any("code" in one for one in self.breaks):
                self._written = None
            met = None if frame.index < 0 else stoppable(self.breakpoints.first_met, frame)
            for kind, text in (met or {}).items():
                what = clean(self.graph.by_id[text].name) if kind == "box" else text
                self.stopped = Stop(frame.index, f"Stopped at a breakpoint: {what}.")
                return frame
            if is_there(frame):
                self.stopped = Stop(frame.index, "")
                return frame
            if time.monotonic() > end and frame.next is not None:
                self._pause()
                return frame
        self.stopped = Stop(self.index, over)
        return self.frame

    def leave(self, group: str | None, seconds: float = math.inf) -> Frame:
        """Go forward to the end of a group, or, where that is None, of the pass, as `run_until` does."""
        return self.run_until(lambda frame: group is not None and self.levels.is_over(group, frame), seconds, "")

    def start_of(self, group: str | None) -> int:
        """The frame before a group begins, or before this one."""
        if group is None:
            return self.index - 1
        if self.index > 0:
            return self.levels.start(group, self.frames, self.index)
        grown = [*self.forward, self.frames[0]]
        return max(self.start + self.levels.start(group, grown, self.index - self.start), self.start)

    def begin_run(self, goes_on: bool) -> None:
        """A run begins, or one that was paused goes on: then KeyboardInterrupt where the button was pressed since."""
        was_paused, self.stopped = self.stopped is not None and self.stopped.is_paused, None
        if goes_on and was_paused and self._presses != button.presses:
            raise KeyboardInterrupt

    def _pause(self) -> None:
        """A run is to go on when it is asked for again."""
        self._presses = button.presses
        self.stopped = Stop(self.index, "", is_paused=True)

    def _show(self, index: int) -> None:
        """Make a recorded frame the present one, and the `.grad` of the leaves what they were at it."""
        if index == self.index:
            return
        if self._written is not None:
            self._written.update(self.grads.tensors)
        try:
            self.grads.put_back(max(index, 0))
            self.index = index
        except BaseException:  # the stop button
            self.grads.put_back(max(self.index, 0))
            raise

    def _run_one(self) -> bool:
        """Run one node and write its frame; False if there is none left. What the engine raises is raised after the
        frame that tells it has been recorded.
        """
        failure = self.failure
        if failure is not None:
            why = f"its last step failed with {type(failure).__name__}: {failure}"
            raise RuntimeError(f"this pass cannot go on: {failure if isinstance(failure, ClosedError) else why}")
        known = len(self.frames)
        try:
            return self._recorded_one()
        except BaseException as error:
            if self.index < known:  # the stop button, before all of the step was written down: the pass ends before it
                self.maker.failure, self._written = failure or error, None
                del self.frames[known:]
                self.grads.go_back(known)
            raise

    def _recorded_one(self) -> bool:
        """Run one node and write its frame; False if there is none left. `index` is set to that frame last of all: by
        this `_run_one` knows whether a stop came before all was written down.
        """
        before = self.frames[-1]
        upcoming = self.graph.node_of.get(before.next.box) if before.next else None
        source = self.graph.source
        is_custom = upcoming is not None and source.is_custom(upcoming)  # so it may run a backward of its own
        reached = self.grads.before_inner(self.graph.reached if is_custom else {})
        written, self._written = self._written, None  # until it is known what it was
        self._is_running = True
        try:
            frame = self.maker.advance()
        finally:
            self._is_running = False
        if frame is None:
            self.finished, self._written = True, written
            return False
        frame = self.maker.with_lines(frame, inner_lines(self.grads.after_inner(reached)))
        self.frames.append(frame)
        is_plain = upcoming is not None and source.is_plain(upcoming)
        ran = {frame.box} if is_plain and frame.box is not None else None
        self.grads.add(self.maker.backward.touched if ran is None else ran)
        self._written = None if ran is None or written is None else written | ran
        self.index, self.finished = frame.index, self.maker.finished
        if self.failure is not None:
            raise self.failure
        return True

    # -- what others do

    def look(self) -> None:
        """See what something else has changed since this frame was shown. Where it is a `.grad`, the frame says so and
        keeps it: going away and coming back brings back what is there now.

        This is done before each step, after each cell, and when another session has written to what this one `shows`.
        """
        if self._is_running:
            return  # the step itself sees what happens in it
        self._look()
        if self._is_untold:
            with self.listener.changing():
                self._tell()

    def shows(self, memory: set[int]) -> bool:
        """Whether a tensor that it shows, or its `.grad`, is written in this: see `memory_of`."""
        return not memory.isdisjoint(self._values.memory() | self.grads.memory(self.grads.tensors))

    def _look(self) -> None:
        now, outdated = self._values.now(), self._variables.made_anew()
        self._is_untold = self._is_untold or (now, outdated) != (self.now, self.outdated)
        self.now, self.outdated = now, outdated
        index = max(self.index, 0)  # all of the forward pass shows the .grad of the moment after it
        changed = self.grads.changed_since(index)
        if not changed:
            return
        self._is_untold = True
        frame = self._as_ran.setdefault(index, self.frames[index])
        for key, before in self.grads.other_than_ran(index, changed).items():
            if key in self.graph.by_id and self.graph.by_id[key].kind == "leaf":
                frame = self.maker.with_changed_grad(frame, key, before)
        self.maker.progress.touched.update(self.graph.by_id.keys() & changed.keys())
        self.frames[index] = frame
        self.grads.correct(index, changed)  # last: where this is stopped, it is done again

    def show_only(self, frames: list[Frame], index: int) -> None:
        """Let these be the frames of a pass that is over: to walk over them changes no `.grad`."""
        self.grads.clear()
        self.frames, self.index, self.finished = frames, index, True
        self._tell()

    def close(self) -> None:
        """Let go of the graph; a pass that stands half way ends there. The frames stay."""
        outside.leave(self)  # first: it could no longer answer the others, if it were stopped half way
        self.maker.close()
        self.graph = self.maker.graph
        self.grads.clear()
        self._values.clear()
        self._variables.clear()
        self.maker_again = self._question = None

"""`BackwardStepper`: a backward pass that is run by clicking.

A click sets the widget's `request`; the `session` walks on or back (steps/session.py), and what it shows then goes back
to the page. A long run is done in portions, each of which the page asks for: so it shows how far the run is, and can
end it. What has run is written into the notebook's output, too. From code the widget is walked by the session's own
methods, without a page.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import itertools
import math
import sys
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

import anywidget
import ipywidgets
import numpy as np
import traitlets

from minigrad.viz.graph.observer import learner_frame
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.page import output, packing, standalone
from minigrad.viz.page.packing import SharedCode, rehearsal_of, shared_code, trouble
from minigrad.viz.page.portions import Portions, seconds_to_answer
from minigrad.viz.page.program import program_of
from minigrad.viz.page.widget_picture import picture_of, still_of, stills_of, what_if_json
from minigrad.viz.picture.film import film_of
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.picture.svg import empty_drawing
from minigrad.viz.sources import source_of
from minigrad.viz.steps import outside
from minigrad.viz.steps.frames import Frame, Frames
from minigrad.viz.steps.session import Listener, Session, Stop
from minigrad.viz.steps.stop_button import button, stoppable
from minigrad.viz.steps.what_if import WhatIf

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
QUIET = 1.0  # seconds without a request, after which what has run is written to the notebook's output
ENDED = "The stop button (■) has ended this run after step"
UNANSWERED = "The stop button (■) has ended this question: nothing has changed."
GO_ON = "What has run stays, and Next, Run or Last go on from here."


def _session_method(
    method: Callable[Concatenate[Session, Arguments], Result],
) -> Callable[Concatenate[BackwardStepper, Arguments], Result]:
    """A method of the session's as one of the widget's, with its words."""

    @functools.wraps(method)
    def method_of_widget(self: BackwardStepper, /, *arguments: Arguments.args, **more: Arguments.kwargs) -> Result:
        return method(self.session, *arguments, **more)

    return method_of_widget


class BackwardStepper(anywidget.AnyWidget, Listener):
    """Step through `root.backward()`, one node at a time. Nothing has run when it is made.

    Args:
        root: a result with a graph, usually the loss.
        gradient, retain_graph, create_graph, inputs: as in `backward()`.
        names: name -> tensor or module, ahead of the names of your variables.
        beside: another stepper, whose graph is drawn beside this one: see `second()`.
        predict: hide the numbers of each step until they were predicted, as the button "?" does.
        forward: begin with the forward pass: the graph grows line by line as your code ran, at the indices below 0.
        engine: how to read and run the graph, where it is one of your own engine's; then the arguments of `backward()`
            mean nothing.

    Show it by making it the last line of a cell. From code: `next()`, `back()`, `over()`, `out()`, `first()`, `last()`,
    `run_to("E")`, `break_at("E")`, `break_when("g.norm() > 10")`, `run()`, `what_if(w=3.0)`, `nudge("w")`, `frames`,
    `index`, `trace()`; `follows = False` leaves closed parts closed while the pass runs through them.

    Raises TypeError where a tensor is expected and something else is given; RuntimeError for a root without a graph, a
    leaf, a non-scalar root without `gradient`; ValueError for a graph that is too large to be shown. A graph that a
    backward has used up is shown, with what is gone; its pass fails where that is needed.
    """

    _esm = packing.notebook_module()
    key = traitlets.Unicode(read_only=True).tag(sync=True)  # by which an output finds the model: see page/output.py
    code = traitlets.Instance(SharedCode).tag(sync=True, **ipywidgets.widget_serialization)
    session: Any = None  # the walk itself: a Session
    _is_answering = False
    _seconds = 0.0  # for which the latest request was allowed to run nodes
    _still = ""  # the picture in the outputs that show this
    _stored: Any = None  # the state that these outputs hold
    _storing: Any = None  # what waits to write to them

    # From here to the page. `picture` never changes; `recorded` grows by one JSON text per frame. Both go there as
    # `kept`, which also holds the frames to come where they could be rehearsed, and `ran`: for each frame that has run
    # "", or the frame where it is not as kept. `index` is the frame that is shown.
    picture = traitlets.Dict()
    kept = traitlets.Unicode().tag(sync=True)
    ran: Any = traitlets.List().tag(sync=True)
    past: Any = traitlets.List().tag(sync=True)  # what stands before `ran`, packed, where it is much: see packing.Past
    earlier: Any = traitlets.List().tag(sync=True)
    lately: Any = traitlets.List().tag(sync=True)
    index = traitlets.Int(0, read_only=True).tag(sync=True)
    finished = traitlets.Bool(False).tag(sync=True)
    problem = traitlets.Dict().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    live = traitlets.Bool(True).tag(sync=True)
    # Where a run ended and why: {"index": frame, "why": sentence}; with "more", it has not ended yet and is to be asked
    # for again.
    stopped = traitlets.Dict().tag(sync=True)
    now = traitlets.Dict().tag(sync=True)  # box -> its value, where that was written to since the picture was drawn
    outdated = traitlets.Unicode().tag(sync=True)  # that variables in the picture are other tensors now
    whatif = traitlets.Dict().tag(sync=True)  # a pass with other numbers, shown instead: see widget_picture.py
    # From the page to here: {"to": frame} or {"box": id} or {"run": true} or {"leave": id of a group} or {"what_if":
    # {leaf: numbers}} with "nudge", and "nth": which request this is; also "open": the groups that are open.
    request = traitlets.Dict().tag(sync=True)
    # Set from both sides: {"box": id} or {"when": condition}, and, from here only, {"code": what a function is called}.
    breaks: Any = traitlets.List().tag(sync=True)
    follows = traitlets.Bool(True).tag(sync=True)  # whether the part that runs opens and closes by itself

    def __init__(
        self,
        root: Any,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
        names: Mapping[str, Any] | None = None,
        beside: BackwardStepper | None = None,
        forward: bool = False,
        predict: bool = False,
        engine: Engine | type[Source] | None = None,
    ) -> None:
        source = source_of(root, engine, "BackwardStepper() expected a Tensor as its root")
        _check_root(source)
        frame = learner_frame(sys._getframe(1))
        others = () if beside is None else (beside.session.graph.source.root, beside.session.names_of_nodes())
        graph = _without_collecting(snapshot, source, names, frame, *others)
        drawing, namespace = empty_drawing(graph), {} if frame is None else frame.f_globals
        arguments = gradient, retain_graph, create_graph, inputs, forward, drawing.rooms, namespace
        session: Session = _without_collecting(Session, graph, *arguments)

        super().__init__()
        self._names = dict(names or {})
        self._texts = packing.FrameTexts()
        self._rehearse: Callable[[], Any] | None = None
        self.session = session
        picture = _without_collecting(picture_of, session, drawing)
        if predict:
            picture["predict"] = True
        is_plain_pass = source.can_be_replayed and not create_graph and session.maker.progress.wanted is None
        if is_plain_pass and (program := program_of(graph, session.seed, drawing.rooms)) is not None:
            picture["program"] = program
        if forward:
            picture["forward"] = [frame.to_json(session.frames[0]) for frame in session.forward]
        self.picture = picture
        if packing.can_rehearse(graph):
            self._rehearse = functools.partial(rehearsal_of, graph, session.grads.tensors, session.maker_again)
        self._past = packing.Past()
        self._hold(self.recorded)
        self._portions = Portions(self.hold_sync, self._tell_ran)
        self.observe(lambda change: outside.in_main_thread(self._on_request, change["new"]), "request")
        self.observe(lambda change: outside.in_main_thread(session.replace_breaks, change["new"]), "breaks")
        self.observe(lambda _: self._store_soon(), "follows")
        self.on_msg(self._on_message)
        session.listener = self
        self.on_change()

    @traitlets.default("code")
    def _code_of_all_steppers(self) -> SharedCode:
        return shared_code()

    @traitlets.default("key")
    def _new_key(self) -> str:
        return uuid.uuid4().hex

    # -- from code

    next = _session_method(Session.next)
    back = _session_method(Session.back)
    over = _session_method(Session.over)
    out = _session_method(Session.out)
    first = reset = _session_method(Session.first)
    last = _session_method(Session.last)
    run = _session_method(Session.run)
    run_to = _session_method(Session.run_to)
    break_at = _session_method(Session.break_at)
    break_when = _session_method(Session.break_when)
    clear_breaks = _session_method(Session.clear_breaks)
    what_if = _session_method(Session.what_if)
    nudge = _session_method(Session.nudge)
    trace = _session_method(Session.trace)
    look = _session_method(Session.look)

    @property
    def frames(self) -> Frames:
        """The frames recorded so far. Frame 0 is the moment before anything ran backward."""
        return Frames(self.session.frames)

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        frame: Frame = self.session.frame
        return frame

    @property
    def recorded(self) -> list[str]:
        """The frames as the page gets them, one JSON text for each."""
        return self._texts.of(self.session.frames)

    def second(
        self,
        of: str | None = None,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> BackwardStepper:
        """A stepper through the graph of a gradient, which is drawn beside this one.

        `of` is the name of the leaf whose `.grad` it starts from; it may be left out where there is only one. The
        other arguments are those of `backward()`.

        Raises RuntimeError unless this pass was made with `create_graph=True` and has reached that leaf; ValueError if
        no leaf has that name, or if there are several and none is named.
        """
        called, grad = self.session.grad_with_graph(of)
        names = {called: grad, **self._names}
        return BackwardStepper(grad, gradient, retain_graph, create_graph, inputs, names, beside=self)

    def save_html(self, path: Any, title: str | None = None) -> None:
        """Write the whole pass to one HTML file that steps without a kernel and without a network.

        What has not run yet is run now, once, and then the present frame is shown again with its `.grad`. If a step
        fails, the file tells of the steps before it and of the error. The file opens at the present frame.

        Raises TypeError, IsADirectoryError, FileNotFoundError or PermissionError for a path that cannot be written to.
        """
        self.session.run_rest()
        standalone.write(path, standalone.stepper_page(self, title), "save_html()")

    def save_svg(self, path: Any, seconds: float = 2.0) -> None:
        """Write the whole pass to one SVG that plays by itself, again and again, as an image anywhere: in a README, on
        a slide. Where nothing moves it shows the moment before the first step.

        Args:
            seconds: for how long each step is seen.

        What has not run yet is run now, as `save_html` does. Raises ValueError for a name that does not end in `.svg`
        and for `seconds` that are no time, and what `save_html` raises for a bad path.
        """
        if isinstance(seconds, bool) or not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
            raise ValueError(f"seconds must be how long each step is seen, such as 2.0, but got {seconds!r}")
        standalone.check_is_svg(path, "save_svg()")
        self.session.run_rest()
        frames = self.session.frames
        words = [f"Step {frame.index} of {frame.total}. {frame.sentence}" for frame in frames]
        shown = self.session.graph, self.session.groups, self.picture["open"]
        film = film_of(stills_of(*shown, frames), words, seconds)
        standalone.write(path, film, "save_svg()")

    def close(self) -> None:
        """Take the widget away and let go of the graph; a pass that stands half way ends there. The frames stay."""
        if self.session is not None:  # ipywidgets closes what could not be made, too
            self.session.close()
            self._names, self._rehearse = {}, None
        super().close()

    # -- what the session tells

    def changing(self) -> contextlib.AbstractContextManager[None]:
        return self._portions.changing()

    def on_change(self) -> None:
        session, stop = self.session, self.session.stopped
        if session.frames[-1].failed:
            self.problem = trouble(session.failure, session.frames[-1].box)  # its event says all of it
        self.set_trait("index", session.index)
        self.finished, self.now, self.outdated = session.finished, session.now, session.outdated
        more = {"more": True} if stop and stop.is_paused else {}
        self.stopped = {"index": stop.index, "why": stop.why, **more} if stop else {}
        self._portions.go_on()

    def breaks_changed(self) -> None:
        self.breaks = self.session.breaks

    def show_what_if(self, made: WhatIf | None) -> None:
        rooms = self.session.maker.progress.rooms
        self.whatif = {} if made is None else what_if_json(made, self.session.graph, rooms)

    def cell_is_over(self) -> None:
        self._portions.send()
        self.store()

    # -- what is kept for the time without a kernel

    def _hold(self, frames: list[str], problem: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Put frames into `kept`."""
        self._held = frames
        with self.hold_sync():
            self.kept = packing.pack({"picture": self.picture, "frames": frames, "problem": dict(problem)})
            self._tell_ran()

    def _tell_ran(self) -> None:
        """Tell the page which frames have run, and those that are not as kept."""
        recorded = self.recorded
        pairs = itertools.zip_longest(recorded, self._held[: len(recorded)])
        frames = ["" if frame == held else frame for frame, held in pairs]
        with self.hold_sync():
            self.past, self.earlier, self.lately, self.ran = self._past.parts_of(frames)

    def _hold_all(self) -> None:
        """Keep all frames: those that ran, or, as long as nothing has run, those of a rehearsal."""
        if len(self.session.frames) == 1 and self._rehearse is not None:
            self._hold(*self._rehearse())
            self._rehearse = None
        elif len(self._held) < len(self.recorded):
            self._hold(self.recorded)

    # -- the page

    def _on_request(self, request: Mapping[str, Any]) -> None:
        """A click. An error is shown in the widget; the kernel goes on."""
        nth = request.get("nth")
        with button.hold(is_click=True):
            self._is_answering = True
            self._portions.send()  # so that the answer is one message, which waits for nobody
            with self.hold_sync():
                try:
                    self._answer(request)
                except (Exception, SystemExit, KeyboardInterrupt) as error:  # none of them is to end the kernel
                    if isinstance(error, KeyboardInterrupt) and error is not self.session.failure:
                        self.session.stopped = Stop(self.index, f"{ENDED} {self.index}. {GO_ON}")
                    elif not self.problem:
                        self.problem = trouble(error, None)
                    self.on_change()
                self._is_answering = False
                self.answered = nth if isinstance(nth, int) else self.answered
                self._portions.send()
        self._store_soon()

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """The page's own stop button. JupyterLab has this called in another thread, while a click is answered."""
        if self._is_answering and content == {"stop": True}:
            button.press()

    def _answer(self, request: Mapping[str, Any]) -> None:
        """What the page asks for: a frame, the frame at which a box runs, a run, or the end of a group."""
        wanted, box, group, shown = (request.get(name) for name in ("to", "box", "leave", "open"))
        session, goes_on = self.session, bool(request.get("more"))
        seconds = self._seconds = seconds_to_answer(self._seconds if goes_on else 0)
        session.begin_run(goes_on)
        if isinstance(request.get("what_if"), dict):
            self._answer_what_if(request["what_if"], request.get("nudge"))
        if isinstance(shown, list):
            session.open = [key for key in shown if isinstance(key, str)]
        with session.stepping():
            if isinstance(wanted, int) and not isinstance(wanted, bool):
                session.go_on_to(min(max(wanted, session.start), session.frames[0].total), seconds)
            elif isinstance(box, str) and box in session.maker.runs:
                session.run_to_box(box, seconds)
            elif request.get("run") is True:
                session.run_until(lambda frame: False, seconds)
            elif isinstance(group, str) and session.levels.knows(group):
                session.leave(group, seconds)

    def _answer_what_if(self, given: Mapping[str, Any], step: Any) -> None:
        """What the page asks: the numbers of leaves, box id -> list, and which of them is to be nudged by how much."""
        try:
            question, boxes = self.session.question, self.session.graph.by_id
            arrays = {key: np.array(numbers, float).reshape(boxes[key].value.shape) for key, numbers in given.items()}
            made: WhatIf | None = stoppable(question.what_if, arrays) if arrays else None
            said: dict[str, Any] = {}
            if isinstance(step, dict):
                nudged = stoppable(question.nudge, step["box"], step["cell"], float(step["by"]), arrays)
                said["word"] = repr(nudged)
            self.show_what_if(made)
            self.whatif = {**self.whatif, **said}
        except (Exception, KeyboardInterrupt) as error:  # what was shown before goes on to be shown
            self.whatif = {**self.whatif, "word": clean(str(error)) or UNANSWERED}

    def __repr__(self) -> str:
        return shorten(f"BackwardStepper of {self.session.summary}", 100)

    # -- the notebook's output

    def output_html(self) -> str:
        """The widget with all that a page without a kernel needs of it, as HTML for a notebook's output."""
        self._hold_all()
        self._tell_ran()
        self._still = still_of(self.session.graph, self.session.groups, self.picture["open"], self.frame)
        return output.html_of(self, self._still)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self._output(self.output_html())[0]

    def _output(self, html: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The output, and its metadata: with them Colab finds the script that shows widgets."""
        data = {"text/plain": repr(self), "text/html": html}
        if output.finds_models():
            return data, {}
        bundle: Any = super()._repr_mimebundle_()
        widget, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**widget, **data}, metadata

    def _ipython_display_(self) -> None:
        """Show it in a notebook, in an output that can be written to later: it gets what runs after it was shown."""
        data, metadata = self._output(self.output_html())
        output.publish(data, self.key, metadata=metadata)
        self._stored = self._state()

    def store(self) -> None:
        """Write what has run to the outputs that show this, and which frame is shown."""
        if self._storing is not None:
            self._storing.cancel()
        self._storing = None
        if self._stored not in (None, self._state()) and not self._portions.is_busy:  # in a cell: done after it
            self._portions.send()
            data, metadata = self._output(output.html_of(self, self._still))
            output.publish(data, self.key, update=True, metadata=metadata)
            self._stored = self._state()

    def _state(self) -> tuple[Any, ...]:
        """What differs when an output no longer holds what is shown."""
        return self.recorded, self.index, self.finished, self.problem.get("text"), self.follows

    def _store_soon(self) -> None:
        """`store()` when nothing has been clicked for a while."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if self._storing is not None:
            self._storing.cancel()
        self._storing = loop.call_later(QUIET, self.store)


def _without_collecting(function: Callable[..., Any], *arguments: Any) -> Any:
    """While thousands of things are made that all stay, Python's search for what could go takes a fifth of the time."""
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        return function(*arguments)
    finally:
        if was_enabled:
            gc.enable()


def _check_root(source: Source) -> None:
    """Raise RuntimeError for a leaf; others without a graph the engine refuses."""
    if source.node(source.root) is None and source.needs_grad(source.root):
        raise RuntimeError(
            "element 0 of tensors is a leaf and does not have a grad_fn. No operation made it, so there is nothing to "
            "step through: compute something from it, such as y = (x * x).sum(), and pass that."
        )

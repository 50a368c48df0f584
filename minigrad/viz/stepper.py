"""`BackwardStepper`: a backward pass that is run by clicking.

A click sets the widget's `request`; the kernel runs the engine's generator one node on, the recorder writes a frame,
and the frame goes back to the page. Going back runs nothing: it shows an earlier frame and puts the `.grad` of each
leaf back to what it was then, so that the picture and the next cell never disagree. What a cell or another stepper has
changed meanwhile is looked for before each step and after each cell. A long run is done in portions, each of which the
page asks for: so it shows how far the run is, and can end it. All of it also works from code, without a page.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import json
import math
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import anywidget
import ipywidgets
import numpy as np
import traitlets

from minigrad.tensor import Tensor
from minigrad.viz.graph import naming
from minigrad.viz.graph.modules import groups_of
from minigrad.viz.graph.records import learner_frame
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.own_engines import Engine, tensor_of
from minigrad.viz.page import output, recording, standalone
from minigrad.viz.page.other_numbers import what_if_json
from minigrad.viz.page.portions import PORTION, Portions
from minigrad.viz.page.program import program_of
from minigrad.viz.page.recording import SharedCode, rehearsal_of, shared_code, trouble
from minigrad.viz.page.widget_picture import picture_of, still_of, stills_of
from minigrad.viz.picture.film import film_of
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.picture.svg import empty_drawing
from minigrad.viz.steps import outside, trace
from minigrad.viz.steps.breakpoints import Breakpoints
from minigrad.viz.steps.forward import forward_frames
from minigrad.viz.steps.frames import Frame
from minigrad.viz.steps.kept_grads import KeptGrads, grad_of
from minigrad.viz.steps.kept_values import KeptValues
from minigrad.viz.steps.levels import Levels
from minigrad.viz.steps.passes import pass_of
from minigrad.viz.steps.progress import wanted_boxes
from minigrad.viz.steps.recorder import Recorder
from minigrad.viz.steps.session import Session
from minigrad.viz.steps.stop_button import button, stoppable
from minigrad.viz.steps.what_if import Question, WhatIf
from minigrad.viz.torch_graphs import mirror_of

QUIET = 1.0  # seconds without a request, after which what has run is written to the notebook's output
ENDED = "The stop button (■) has ended this run after step"
UNANSWERED = "The stop button (■) has ended this question: nothing has changed."
GO_ON = "What has run stays, and Next, Run or Last go on from here."


class BackwardStepper(anywidget.AnyWidget, Session):
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
    `index`, `trace()`.

    Raises TypeError where a tensor is expected and something else is given; RuntimeError for a root without a graph, a
    leaf, a non-scalar root without `gradient`; ValueError for a graph that is too large to be shown. A graph that a
    backward has used up is shown, with what is gone; its pass fails where that is needed.
    """

    _esm = recording.notebook_module()
    key = traitlets.Unicode(read_only=True).tag(sync=True)  # by which an output finds the model: see page/output.py
    code = traitlets.Instance(SharedCode).tag(sync=True, **ipywidgets.widget_serialization)
    _recorder: Any = None
    _is_running = _is_answering = False
    _presses = 0  # of the stop button, until the page was asked to ask again
    _still = ""  # the picture in the outputs that show this
    _stored: Any = None  # the state that these outputs hold
    _storing: Any = None  # what waits to write to them

    # From here to the page. `picture` never changes; `recorded` grows by one JSON text per frame. Both go there as
    # `kept`, which also holds the frames to come where they could be rehearsed, and `ran`: for each frame that has run
    # "", or the frame where it is not as kept. `index` is the frame that is shown.
    picture = traitlets.Dict()
    recorded: Any = traitlets.List()
    kept = traitlets.Unicode().tag(sync=True)
    ran: Any = traitlets.List().tag(sync=True)
    past: Any = traitlets.List().tag(
        sync=True
    )  # what stands before `ran`, packed, where it is much: see recording.Past
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
    whatif = traitlets.Dict().tag(
        sync=True
    )  # a pass with other numbers, which is shown instead: see page/other_numbers.py
    # From the page to here: {"to": frame} or {"box": id} or {"run": true} or {"leave": id of a group} or {"what_if":
    # {leaf: numbers}} with "nudge", and "nth": which request this is; also "open": the groups that are open.
    request = traitlets.Dict().tag(sync=True)
    # Set from both sides: {"box": id} or {"when": condition}, and, from here only, {"code": what a function is called}.
    breaks: Any = traitlets.List().tag(sync=True)

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
        engine: Engine | None = None,
    ) -> None:
        root, gradient = tensor_of(root, engine), mirror_of(gradient)
        _check_root(root)
        frame = learner_frame(sys._getframe(1))
        others = () if beside is None else (beside._given[0], beside._names_of_nodes())
        graph = _without_collecting(snapshot, root, names, frame, *others)
        drawing, groups = empty_drawing(graph), _without_collecting(groups_of, graph, graph.modules)
        begin = functools.partial(pass_of, root, gradient, retain_graph, create_graph, inputs)
        run = begin()  # raises what backward() would for wrong arguments
        wanted = wanted_boxes(graph, inputs)
        seed = np.array(gradient.detach().numpy()) if gradient is not None else np.ones_like(root.detach().numpy())
        retains = (create_graph if retain_graph is None else retain_graph) or engine is not None
        record = functools.partial(Recorder, graph, seed=seed, wanted=wanted, rooms=drawing.rooms, retain=retains)
        recorder = record(run)
        first = recorder.first()

        super().__init__()
        self._given: tuple[Any, dict[str, Any]] = (root, dict(names or {}))  # a pair: not found as a variable's tensor
        self._graph = graph
        self._forward = forward_frames(graph, first) if forward else []  # the frames before the first
        self._frames: list[Frame] = [first]
        self._as_ran: dict[int, Frame] = {}  # frames as their steps have left them, where something was changed since
        self._grads = KeptGrads(graph, wanted)
        self._values = KeptValues(graph, drawing.rooms)
        self._variables = outside.Variables(graph, {} if frame is None else frame.f_globals)

        def another(second: Any, result: Any, inputs: Mapping[str, Any] | None) -> Recorder:
            steps = pass_of(result, gradient, retain_graph, create_graph, inputs and list(inputs.values()))
            return Recorder(second, steps, seed, inputs, drawing.rooms, retains)

        self._question: Any = Question(graph, root, another, seed, wanted, forward)
        self._recorder = recorder  # last of what close() lets go of: the stop button may come between
        self._groups = groups
        picture = _without_collecting(picture_of, graph, drawing, recorder.progress.plan.runs, groups)
        if groups:  # by which the page marks where they lie among the steps
            picture["order"] = recorder.progress.expected_order()
        if predict:
            picture["predict"] = True
        is_plain_pass = isinstance(root, Tensor) and not create_graph and wanted is None
        if is_plain_pass and (program := program_of(graph, seed, drawing.rooms)) is not None:
            picture["program"] = program
        if forward:
            picture["forward"] = [frame.to_json(first) for frame in self._forward]
            self.set_trait("index", -len(self._forward))
        self.picture = picture
        self.recorded = [json.dumps(first.to_json(None))]
        self._rehearse: Callable[[], Any] | None = None
        if recording.can_rehearse(root, graph):
            self._rehearse = functools.partial(rehearsal_of, graph, self._grads.tensors, lambda: record(begin()))
        self._past = recording.Past()
        self._hold(self.recorded)
        self._portions = Portions(self.hold_sync, self._tell_ran)
        self._breakpoints = Breakpoints()
        self.observe(lambda change: outside.in_main_thread(self._on_request, change["new"]), "request")
        self.observe(lambda change: outside.in_main_thread(self._on_breaks, change["new"]), "breaks")
        self.on_msg(self._on_message)
        self._levels = Levels(groups)
        self._open: list[str] = self.picture["open"]
        outside.attend(self)

    @traitlets.default("code")
    def _code_of_all_steppers(self) -> SharedCode:
        return shared_code()

    @traitlets.default("key")
    def _new_key(self) -> str:
        return uuid.uuid4().hex

    # -- from code

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
        leaves = {box.name: self._grads.tensors[box.id] for box in self._graph.boxes if box.kind == "leaf"}
        if of is None and len(leaves) > 1:
            example, there = next(iter(leaves)), ", ".join(leaves)
            raise ValueError(f"there are several gradients: say which, as in second({example!r}); there are: {there}")
        name = next(iter(leaves)) if of is None else of
        if name not in leaves:
            raise ValueError(f"no leaf is named {name!r}; there are: {', '.join(leaves)}")
        grad = grad_of(leaves[name])
        if grad is None:
            raise RuntimeError(f"{name}.grad is None: step to the end first, as in s.last()")
        if grad.grad_fn is None:
            raise RuntimeError(
                f"{name}.grad has no graph, since this pass does not record itself: make the stepper with "
                "create_graph=True"
            )
        names = {f"∂{self._graph.by_id[self._graph.root].name}/∂{name}": grad, **self._given[1]}
        return BackwardStepper(grad, gradient, retain_graph, create_graph, inputs, names, beside=self)

    # -- other numbers

    def what_if(self, changes: Mapping[str, Any] = MappingProxyType({}), /, **more: Any) -> WhatIf | None:
        """Show the pass as it is with other numbers in the leaves: `s.what_if(w=3.0)`, or
        `s.what_if({"net.bias": [0, 1]})`.

        The recorded operations are called again on copies: your tensors and their `.grad`, hooks, random numbers and
        custom Functions are left alone. It is the graph that was recorded, so a branch that the new number would have
        taken another way is not. Without arguments, what ran is shown again, and None returned.

        Raises ValueError for a name that no leaf has and for numbers of another shape, TypeError for what is no number,
        RuntimeError where a box cannot be computed once more.
        """
        given = {self._asked.leaf(name): value for name, value in {**changes, **more}.items()}
        with self._stepping():
            made: WhatIf | None = stoppable(self._asked.what_if, given) if given else None
            self.whatif = {} if made is None else what_if_json(made, self._graph, self._recorder.progress.rooms)
            return made

    def _answer_what_if(self, given: Mapping[str, Any], step: Any) -> None:
        """What the page asks: the numbers of leaves, box id -> list, and which of them is to be nudged by how much."""
        try:
            shapes = {key: self._graph.by_id[key].value.shape for key in given}
            arrays = {key: np.array(numbers, float).reshape(shapes[key]) for key, numbers in given.items()}
            made: WhatIf | None = stoppable(self._asked.what_if, arrays) if arrays else None
            shown = {} if made is None else what_if_json(made, self._graph, self._recorder.progress.rooms)
            if isinstance(step, dict):
                nudged = stoppable(self._asked.nudge, step["box"], step["cell"], float(step["by"]), arrays)
                shown["word"] = repr(nudged)
            self.whatif = shown
        except (Exception, KeyboardInterrupt) as error:  # what was shown before goes on to be shown
            self.whatif = {**self.whatif, "word": clean(str(error)) or UNANSWERED}

    # -- breakpoints

    def _on_breaks(self, wanted: list[Any]) -> None:
        """The page has set or removed one."""
        if wanted != self._breakpoints.shown:
            self._breakpoints.replace(wanted, self._recorder.runs)
            self.breaks = self._breakpoints.shown

    def save_html(self, path: Any, title: str | None = None) -> None:
        """Write the whole pass to one HTML file that steps without a kernel and without a network.

        What has not run yet is run now, once, and then the present frame is shown again with its `.grad`. If a step
        fails, the file tells of the steps before it and of the error. The file opens at the present frame.

        Raises TypeError, IsADirectoryError, FileNotFoundError or PermissionError for a path that cannot be written to.
        """
        self._run_rest()
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
        self._run_rest()
        told = ["".join(line.text for line in frame.story if line.kind == "sentence") for frame in self._frames]
        words = [f"Step {frame.index} of {frame.total}. {text}" for frame, text in zip(self._frames, told, strict=True)]
        shown = self._graph, self._groups, self.picture["open"]
        film = film_of(stills_of(*shown, self._frames), words, seconds)
        standalone.write(path, film, "save_svg()")

    # -- the steps

    def tell(self) -> None:
        """Tell the page what it was not told yet: see `Portions`. Done after each cell, while it counts as running."""
        self._portions.send()

    def close(self) -> None:
        """Take the widget away and let go of the graph; a pass that stands half way ends there. The frames stay."""
        if self._recorder is not None:  # ipywidgets closes what could not be made, too
            outside.leave(self)  # first: it could no longer answer the others, if it were stopped half way
            self._recorder.close()
            self._graph = self._recorder.graph
            self._grads.clear()
            self._values.clear()
            self._variables.clear()
            self._given, self._rehearse, self._question = (None, {}), None, None
        super().close()

    # -- what is kept for the time without a kernel

    def _hold(self, frames: list[str], problem: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Put frames into `kept`."""
        self._held = frames
        with self.hold_sync():
            self.kept = recording.pack({"picture": self.picture, "frames": frames, "problem": dict(problem)})
            self._tell_ran()

    def _tell_ran(self) -> None:
        """Tell the page which frames have run, and those that are not as kept."""
        pairs = itertools.zip_longest(self.recorded, self._held[: len(self.recorded)])
        frames = ["" if frame == held else frame for frame, held in pairs]
        with self.hold_sync():
            self.past, self.earlier, self.lately, self.ran = self._past.parts_of(frames)

    def _hold_all(self) -> None:
        """Keep all frames: those that ran, or, as long as nothing has run, those of a rehearsal."""
        if len(self._frames) == 1 and self._rehearse is not None:
            self._hold(*self._rehearse())
            self._rehearse = None
        elif len(self._held) < len(self.recorded):
            self._hold(self.recorded)

    # -- the page

    def _on_request(self, request: Mapping[str, Any]) -> None:
        """A click. An error is shown in the widget; the kernel goes on."""
        nth = request.get("nth")
        with button.held(is_click=True):
            self._is_answering = True
            self._portions.send()  # so that the answer is one message, which waits for nobody
            with self.hold_sync():
                try:
                    self._answer(request)
                except (Exception, SystemExit, KeyboardInterrupt) as error:  # none of them is to end the kernel
                    if isinstance(error, KeyboardInterrupt) and error is not self._recorder.failure:
                        self.stopped = {"index": self.index, "why": f"{ENDED} {self.index}. {GO_ON}"}
                    elif not self.problem:
                        self.problem = trouble(error, None)
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
        goes_on, self.stopped = self.stopped.get("more") and request.get("more"), {}
        if goes_on and self._presses != button.presses:
            raise KeyboardInterrupt
        if isinstance(request.get("what_if"), dict):
            self._answer_what_if(request["what_if"], request.get("nudge"))
        if isinstance(shown, list):
            self._open = [key for key in shown if isinstance(key, str)]
        with self._stepping():
            if isinstance(wanted, int) and not isinstance(wanted, bool):
                self._go_on_to(min(max(wanted, -len(self._forward)), self._frames[0].total))
            elif isinstance(box, str) and box in self._recorder.runs:
                self._run_to(box, PORTION)
            elif request.get("run") is True:
                self._run(lambda frame: False, PORTION)
            elif isinstance(group, str) and self._levels.knows(group):
                self._leave(group, PORTION)

    def _go_on_to(self, index: int) -> None:
        """Show a frame; where it is not recorded, as much of the way to it as one portion allows."""
        end = time.monotonic() + PORTION
        self._show(min(index, len(self._frames) - 1))
        while self.index < index and self._go(self.index + 1) is not None:
            if self.index < index and self.frame.next is not None and time.monotonic() > end:
                self._pause()
                return

    def __repr__(self) -> str:
        frame = self.frame
        upcoming = trace.upcoming(frame).removeprefix("nobody, ")
        upcoming = f"next to run: {upcoming}" if frame.next else upcoming
        root = clean(self._graph.by_id[self._graph.root].name)
        where = trace.place_of(frame, len(self._forward))
        return shorten(f"BackwardStepper of {root}: {where}, {upcoming}", 100)

    # -- the notebook's output

    def output_html(self) -> str:
        """The widget with all that a page without a kernel needs of it, as HTML for a notebook's output."""
        self._hold_all()
        self._tell_ran()
        self._still = still_of(self._graph, self._groups, self.picture["open"], self.frame)
        return output.html_of(self, self._still)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self._output(self.output_html())

    def _output(self, html: str) -> dict[str, Any]:
        data = {"text/plain": repr(self), "text/html": html}
        if output.finds_models():
            return data
        bundle: Any = super()._repr_mimebundle_()
        return {**(bundle[0] if isinstance(bundle, tuple) else bundle), **data}

    def _ipython_display_(self) -> None:
        """Show it in a notebook, in an output that can be written to later: it gets what runs after it was shown."""
        output.publish(self._repr_mimebundle_(), self.key)
        self._stored = self._state()

    def store(self) -> None:
        """Write what has run to the outputs that show this, and which frame is shown."""
        if self._storing is not None:
            self._storing.cancel()
        self._storing = None
        if self._stored not in (None, self._state()) and not self._portions.is_busy:  # in a cell: done after it
            self._portions.send()
            output.publish(self._output(output.html_of(self, self._still)), self.key, update=True)
            self._stored = self._state()

    def _state(self) -> tuple[Any, ...]:
        """What differs when an output no longer holds what is shown."""
        return self.recorded, self.index, self.finished, self.problem.get("text")

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


def _check_root(root: Any) -> None:
    """Raise TypeError for what is no tensor, RuntimeError for a leaf; others without a graph the engine refuses."""
    naming.check_tensor(root, "BackwardStepper() expected a Tensor as its root")
    if root.grad_fn is None and root.requires_grad:
        raise RuntimeError(
            "element 0 of tensors is a leaf and does not have a grad_fn. No operation made it, so there is nothing to "
            "step through: compute something from it, such as y = (x * x).sum(), and pass that."
        )

"""`BackwardStepper`: a backward pass that is run by clicking.

After this module a reader knows what a click does. It sets the widget's `request`; the kernel runs the engine's
generator one node on, the recorder writes a frame, and the frame goes back to the page. Going back runs nothing: it
shows an earlier frame and puts the `.grad` of each leaf back to what it was then, so that the picture and the next
cell never disagree. All of it also works from code, without a page.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import anywidget
import numpy as np
import traitlets

from minigrad.autograd import engine
from minigrad.viz import export, modules, naming, recording, torch_graphs
from minigrad.viz.boxes import Snapshot
from minigrad.viz.breakpoints import Breakpoint, condition
from minigrad.viz.frames import Frame
from minigrad.viz.kept import Saved
from minigrad.viz.layout import LayoutError
from minigrad.viz.recorder import Recorder
from minigrad.viz.recording import Rehearsal, trouble
from minigrad.viz.records import learner_frame
from minigrad.viz.snapshot import snapshot
from minigrad.viz.svg import Drawing, clean, draw_parts, draw_svg, hover, shorten
from minigrad.viz.torch_graphs import seen
from minigrad.viz.values import shape_text
from minigrad.viz.walk import is_leaf

NO_LINES = (
    "PyTorch does not note which line made a result. A result with a name of yours is found by it: y = x.exp(), where "
    "this cell gives that name once."
)
COMPARED = 10_000  # elements of a .grad up to which its numbers are compared; of larger ones, the count of writes


@dataclass(frozen=True)
class Kept:
    """What a tensor's `.grad` was at one frame: the object, and a copy of its numbers (None where it has a graph of
    its own).
    """

    gradient: Any
    numbers: Any
    version: int | None = None


class BackwardStepper(anywidget.AnyWidget):
    """Step through `root.backward()`, one node at a time. Nothing has run when it is made.

    Args:
        root: a result with a graph, usually the loss.
        gradient, retain_graph, create_graph, inputs: as in `backward()`.
        names: name -> tensor, ahead of the names of your variables.
        beside: another stepper, whose graph is drawn beside this one: see `second()`.

    Show it by making it the last line of a cell. From code: `next()`, `back()`, `first()`, `last()`, `run_to("E")`,
    `break_at("E")`, `break_when("g.norm() > 10")`, `run()`, `frames`, `index`, `trace()`.

    Raises TypeError where a tensor is expected and something else is given; RuntimeError for a root without a graph, a
    leaf, a non-scalar root without `gradient`; ValueError for a graph that is too large to be shown. A graph that a
    backward has used up is shown, with what is gone; its pass fails where that is needed.
    """

    _esm = recording.notebook_module()
    code = traitlets.Unicode(recording.packed_code()).tag(sync=True)
    _recorder: Any = None

    # From here to the page. `picture` never changes; `recorded` grows by one JSON text per frame. Both go there as
    # `kept`, which also holds the frames to come where they could be rehearsed, and `ran`: for each frame that has run
    # "", or the frame where it is not as kept. `index` is the frame that is shown.
    picture = traitlets.Dict()
    recorded: Any = traitlets.List()
    kept = traitlets.Unicode().tag(sync=True)
    ran: Any = traitlets.List().tag(sync=True)
    index = traitlets.Int(0, read_only=True).tag(sync=True)
    finished = traitlets.Bool(False).tag(sync=True)
    problem = traitlets.Dict().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    live = traitlets.Bool(True).tag(sync=True)
    stopped = traitlets.Dict().tag(sync=True)  # where a run ended and why: {"index": frame, "why": sentence}
    # From the page to here: {"to": frame} or {"box": id} or {"run": true}, and "nth": which request this is.
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
    ) -> None:
        root, gradient = seen(root), seen(gradient)
        _check_root(root)
        frame = learner_frame(sys._getframe(1))
        if beside is None:
            graph = snapshot(root, names, frame)
        else:
            graph = snapshot(root, names, frame, beside._given[0], beside._called())
        if isinstance(root, torch_graphs.Tensor):
            inputs = None if inputs is None else [seen(one) for one in _listed(inputs)]
            nodes = [node for node in graph.nodes if node is not None]
            steps: Any = torch_graphs.steps(root, gradient, retain_graph, create_graph, inputs, nodes)
        else:
            steps = engine.steps(root, gradient, retain_graph, create_graph, inputs)
        sought = _sought(graph, inputs)
        drawing, groups, note = _drawn(graph)
        retains = create_graph if retain_graph is None else retain_graph
        seed = (
            np.ones(root.shape, root.detach().numpy().dtype) if gradient is None else gradient.detach().numpy().copy()
        )
        recorder = Recorder(graph, steps, seed, sought, drawing.rooms, retains)
        first = recorder.first()

        super().__init__()
        self._given: tuple[Any, dict[str, Any]] = (root, dict(names or {}))  # a pair: not found as a variable's tensor
        self._graph = graph
        self._recorder = recorder
        self._frames: list[Frame] = [first]
        self._watched = _watched(graph, sought)
        self._grads: list[dict[str, Kept | None]] = [self._keep({})]
        self._groups = groups
        self.picture = _picture(graph, drawing, recorder.runs, groups, note)
        self.recorded = [json.dumps(first.to_json(None))]
        self._rehearsal: Rehearsal | None = None
        if recording.can_rehearse(root, graph):
            begin = functools.partial(engine.steps, root, gradient, retain_graph, create_graph, inputs)
            self._rehearsal = Rehearsal(
                graph, self._watched, lambda: Recorder(graph, begin(), seed, sought, drawing.rooms, retains)
            )
        self._hold(self.recorded)
        self.observe(self._on_recorded, "recorded")
        self._breakpoints: list[Breakpoint] = []
        self.observe(self._on_request, "request")
        self.observe(self._on_breaks, "breaks")

    # -- from code

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames recorded so far. Frame 0 is the moment before anything ran."""
        return tuple(self._frames)

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self._frames[self.index]

    def next(self) -> Frame | None:
        """Go one step on: over a recorded frame, or by running one node. Returns the frame, or None at the end.

        Raises what the engine raises, and RuntimeError when an earlier step has failed.
        """
        return self._go(self.index + 1)

    def back(self) -> Frame | None:
        """Go one step back and put each `.grad` back with it. Returns the frame, or None at the beginning."""
        return self._go(self.index - 1) if self.index > 0 else None

    def first(self) -> Frame:
        """Go to the moment before anything ran, and put each `.grad` back to what it was then."""
        frame = self._go(0)
        assert frame is not None  # frame 0 is always there
        return frame

    reset = first

    def last(self) -> Frame:
        """Go to the end, running what has not run yet."""
        while self._go(self.index + 1) is not None:
            pass
        return self.frame

    def run_to(self, name: str) -> Frame:
        """Go to the step at which the box called `name` runs, forward or back.

        Raises ValueError if no box has that name, or if it does not run (because `inputs` leave it out).
        """
        return self._run_to(self._running(name), name)

    def _running(self, name: str) -> str:
        """The id of the box with a name. ValueError if there is none, or if it does not run."""
        key = self._graph.named(name).id
        if key not in self._recorder.runs:
            raise ValueError(
                f"{name!r} does not run in this backward pass: it leads to none of the inputs that were asked for"
            )
        return key

    def _run_to(self, key: str, name: str) -> Frame:
        for frame in self._frames:
            if frame.box == key:
                return self._go(frame.index) or frame
        self._go(len(self._frames) - 1)
        while True:
            frame_or_end = self._go(self.index + 1)
            if frame_or_end is None:
                raise ValueError(f"{name!r} did not run: no gradient reached it")
            if frame_or_end.box == key:
                return frame_or_end

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
        leaves = {box.name: self._watched[box.id] for box in self._graph.boxes if box.kind == "leaf"}
        if of is None and len(leaves) > 1:
            raise ValueError(
                f"there are several gradients: say which, as in second({next(iter(leaves))!r}); there are: "
                f"{', '.join(leaves)}"
            )
        name = next(iter(leaves)) if of is None else of
        if name not in leaves:
            raise ValueError(f"no leaf is named {name!r}; there are: {', '.join(leaves)}")
        grad = _grad(leaves[name])
        if grad is None:
            raise RuntimeError(f"{name}.grad is None: step to the end first, as in s.last()")
        if grad.grad_fn is None:
            raise RuntimeError(
                f"{name}.grad has no graph, since this pass does not record itself: make the stepper with "
                "create_graph=True"
            )
        names = {f"∂{self._graph.box(self._graph.root).name}/∂{name}": grad, **self._given[1]}
        return BackwardStepper(grad, gradient, retain_graph, create_graph, inputs, names, beside=self)

    def _called(self) -> dict[Any, str]:
        """Node -> what it is called here, those of the gradient's graph among them."""
        boxes = zip(self._graph.nodes, self._graph.boxes, strict=True)
        return {node: box.name for node, box in boxes if node is not None} | self._recorder.grown

    # -- breakpoints

    def break_at(self, *names: str) -> None:
        """Let `run()` stop when a box has run. ValueError for a name that no box has, or whose box does not run."""
        keys = [self._running(name) for name in names]
        self._set_breakpoints([*self._breakpoints, *(Breakpoint(box=key) for key in keys)])

    def break_when(self, test: str | Callable[[Frame], Any]) -> None:
        """Let `run()` stop where a condition holds.

        Args:
            test: a text on the gradient `g` that the node received, "g.norm() > 10" (or max, min, mean; >, >=, <, <=),
                "nan" or "inf"; or a function that gets the Frame and says whether to stop.

        Raises ValueError for a text that is no condition, TypeError for what is neither.
        """
        if isinstance(test, str):
            added = Breakpoint(when=condition(test))
        elif callable(test):
            added = Breakpoint(test=test)
        else:
            raise TypeError(
                f"break_when() expected a condition such as 'g.norm() > 10', or a function, not {type(test).__name__}"
            )
        self._set_breakpoints([*self._breakpoints, added])

    def clear_breaks(self) -> None:
        """Remove all breakpoints."""
        self._set_breakpoints([])

    def run(self) -> Frame:
        """Go forward until a breakpoint is met, or to the end. Returns the frame; `stopped` says why it is that one."""
        while True:
            frame = self._go(self.index + 1)
            if frame is None:
                self.stopped = {"index": self.index, "why": "The backward pass is over; no breakpoint was met."}
                return self.frame
            found = next((item for item in self._breakpoints if item.met(frame)), None)
            if found is not None:
                self.stopped = {"index": frame.index, "why": f"Stopped at a breakpoint: {self._reason(found)}."}
                return frame

    def _reason(self, found: Breakpoint) -> str:
        if found.box is not None:
            return clean(self._graph.box(found.box).name)
        return found.when or found.shown["code"]

    def _set_breakpoints(self, items: list[Breakpoint]) -> None:
        self._breakpoints = list(dict.fromkeys(items))
        self.breaks = [item.shown for item in self._breakpoints]

    def _on_breaks(self, change: Any) -> None:
        """The page has set or removed one; those written in Python stay, since the page knows no more than their name.

        What it sends and we cannot understand is left out.
        """
        if change["new"] == [item.shown for item in self._breakpoints]:
            return
        kept = [item for item in self._breakpoints if item.test is not None]
        for item in change["new"]:
            box, when = (item.get("box"), item.get("when")) if isinstance(item, dict) else (None, None)
            if box in self._recorder.runs:
                kept.append(Breakpoint(box=box))
            elif isinstance(when, str):
                try:
                    kept.append(Breakpoint(when=condition(when)))
                except ValueError:
                    continue
        self._set_breakpoints(kept)

    def trace(self) -> str:
        """All recorded frames as text: everything that the picture says."""
        root = self._graph.box(self._graph.root)
        lines = [
            f"backward from {clean(root.name)}: {self._frames[0].total} steps, {len(self._frames) - 1} run, "
            f"step {self.index} shown"
        ]
        for frame in self._frames:
            lines += ["", *self._traced(frame)]
        return "\n".join(lines)

    def save_html(self, path: Any, title: str | None = None) -> None:
        """Write the whole pass to one HTML file that steps without a kernel and without a network.

        What has not run yet is run now, once, and then the present frame is shown again with its `.grad`. If a step
        fails, the file tells of the steps before it and of the error. The file opens at the present frame.

        Raises TypeError, IsADirectoryError, FileNotFoundError or PermissionError for a path that cannot be written to.
        """
        at = self.index
        with contextlib.suppress(Exception):  # which `problem` tells of
            self.last()
        self._show(at)
        export.save(self, path, title)

    def _traced(self, frame: Frame) -> list[str]:
        box = self._graph.box(frame.box) if frame.box else None
        lines = [f"step {frame.index} of {frame.total}" + (f"  {frame.op}" if box else "")]
        if box is not None:
            made = (
                f" = {clean(box.expression)}" if naming.is_expression(box.expression) else f": {clean(box.expression)}"
            )
            lines[0] += f"  {clean(box.name)}" + (made if box.kind == "result" else " (leaf)")
        if frame.line is not None:
            source, number = self._graph.sources[frame.line[0]], frame.line[1]
            text = next((text for line, text in source.lines if line == number), "")
            lines.append(f"  your line {number}: {clean(text.strip())}")
        marks = {"say": "  ", "code": "      ", "item": "    - "}
        lines += [marks[line.kind] + line.text.replace("\n", "\n" + marks[line.kind]) for line in frame.story]
        for event in frame.events:
            where = f" ({event.line[0]}, line {event.line[1]}: {event.line[2]})" if event.line is not None else ""
            text = " ".join(event.text.split())
            lines.append("    * " + clean(f"{event.kind.replace('_', ' ')}: {text}{where}"))
            if event.difference:
                lines.append(f"      difference: {event.difference}")
        lines.append("  ready: " + (", ".join(turn.text for turn in frame.ready) or "nobody"))
        lines.append("  waiting: " + (", ".join(turn.text for turn in frame.waiting) or "nobody"))
        lines.append("  done: " + (", ".join(clean(turn.name) for turn in frame.done) or "nobody"))
        lines.append("  next: " + self._upcoming(frame))
        grads = [
            f"{clean(b.name)} {frame.states[b.id].grad.alarm or frame.grads[b.id]}"
            + (f" ({frame.differences[b.id]})" if b.id in frame.differences else "")
            for b in self._graph.boxes
            if b.kind != "constant"
        ]
        return [*lines, "  grad: " + ", ".join(grads)]

    @staticmethod
    def _upcoming(frame: Frame) -> str:
        if frame.next is not None:
            return clean(frame.next.name)
        return "nobody, the pass has failed" if frame.failed else "nobody, the pass is over"

    # -- the steps

    def _go(self, index: int) -> Frame | None:
        """Show a frame, running nodes up to it if it is not recorded; None if there is no such frame."""
        self._notice_changes()
        while index >= len(self._frames):
            if self.index < len(self._frames) - 1:
                self._show(len(self._frames) - 1)  # the engine goes on from where it was
            if not self._run_one():
                return None
        self._show(index)
        return self._frames[index]

    def _run_one(self) -> bool:
        """Run one node and record its frame; False if there is none left. What the engine raises is raised after the
        frame that tells it has been recorded.
        """
        failure = self._recorder.failure
        if failure is not None:
            raise RuntimeError(f"this pass cannot go on: its last step failed with {type(failure).__name__}: {failure}")
        frame = self._recorder.advance()
        if frame is None:
            self.finished = True
            return False
        before = self._frames[-1]
        self._frames.append(frame)
        self._grads.append(self._keep(self._grads[-1]))
        failure = self._recorder.failure
        with self.hold_sync():
            if failure is not None:
                self.problem = trouble(failure, frame.box)  # its event says all of it
            self.recorded = [*self.recorded, json.dumps(frame.to_json(before))]
            self.finished = self._recorder.finished
            self.set_trait("index", frame.index)
        if failure is not None:
            raise failure
        return True

    def _notice_changes(self) -> None:
        """Where something else has changed a `.grad` since this frame was shown, the frame says so and keeps it: going
        away and coming back brings back what is there now.
        """
        index = self.index
        known, now = self._grads[index], self._keep(self._grads[index])
        changed = [key for key in known if known[key] is not now[key]]
        if not changed:
            return
        frame = self._frames[index]
        for key in changed:
            if not key.startswith("retaining") and self._graph.box(key).kind == "leaf":
                old = known[key]
                frame = self._recorder.renewed(frame, key, None if old is None else _numbers(old))
        self._frames[index], self._grads[index] = frame, now
        recorded = list(self.recorded)
        for number in range(index, min(index + 2, len(self._frames))):
            recorded[number] = json.dumps(self._frames[number].to_json(self._frames[number - 1] if number else None))
        self.recorded = recorded

    def _show(self, index: int) -> None:
        """Make a recorded frame the present one: the picture and the `.grad` of the leaves."""
        if index == self.index:
            return
        for key, kept in self._grads[index].items():
            _restore(self._watched[key], kept)
        self.set_trait("index", index)

    def _keep(self, before: Mapping[str, Kept | None]) -> dict[str, Kept | None]:
        """Copy each watched `.grad`, sharing the copy with the frame before where nothing changed."""
        kept: dict[str, Kept | None] = {}
        for key, tensor in self._watched.items():
            gradient = _grad(tensor)
            old = before.get(key)
            if gradient is None:
                kept[key] = None
            elif gradient.requires_grad:
                same = old is not None and old.gradient is gradient and old.numbers is None
                kept[key] = old if same else Kept(gradient, None)
            elif isinstance(gradient, torch_graphs.Tensor):
                same = old is not None and old.gradient is gradient and gradient.holds(old.numbers)
                kept[key] = old if same else Kept(gradient, gradient.kept())
            else:
                numbers = gradient.detach().numpy()
                version = gradient._version if numbers.size > COMPARED and not gradient.is_inference() else None
                same = (
                    old is not None
                    and old.gradient is gradient
                    and (
                        (version is not None and old.version == version)
                        or np.array_equal(old.numbers, numbers, equal_nan=True)
                    )
                )
                kept[key] = old if same else Kept(gradient, numbers.copy(), version)
        return kept

    def close(self) -> None:
        """Take the widget away and let go of the graph; a pass that stands half way ends there. The frames stay."""
        if self._recorder is not None:  # ipywidgets closes what could not be made, too
            self._recorder.close()
            self._graph = replace(self._graph, nodes=(), retaining=())
            self._watched, self._grads = {}, [{} for _ in self._frames]
            self._given = (None, {})
        super().close()

    # -- what is kept for the time without a kernel

    def _hold(self, frames: list[str], problem: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Put frames into `kept`."""
        self._held = frames
        with self.hold_sync():
            self.kept = recording.pack({"picture": self.picture, "frames": frames, "problem": dict(problem)})
            self._on_recorded({"new": self.recorded})

    def _on_recorded(self, change: Any) -> None:
        """Tell the page which frames have run, and those that are not as kept."""
        pairs = itertools.zip_longest(change["new"], self._held[: len(change["new"])])
        self.ran = ["" if frame == held else frame for frame, held in pairs]

    def _hold_all(self) -> None:
        """Keep all frames: those that ran, or, as long as nothing has run, those of a rehearsal."""
        if len(self._frames) == 1 and self._rehearsal is not None:
            self._hold(*self._rehearsal.frames())
            self._rehearsal = None
        elif len(self._held) < len(self.recorded):
            self._hold(self.recorded)

    # -- the page

    def _on_request(self, change: Any) -> None:
        """A click. An error is shown in the widget; the kernel goes on."""
        request = change["new"]
        nth = request.get("nth")
        with self.hold_sync():
            try:
                self._answer(request)
            except Exception as error:
                if not self.problem:
                    self.problem = trouble(error, None)
            self.answered = nth if isinstance(nth, int) else self.answered

    def _answer(self, request: Mapping[str, Any]) -> None:
        """What the page asks for: a frame, the frame at which a box runs, or a run."""
        wanted, box = request.get("to"), request.get("box")
        self.stopped = {}
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            if self._go(min(max(wanted, 0), self._frames[0].total)) is None:
                self._show(len(self._frames) - 1)
        elif isinstance(box, str) and box in self._recorder.runs:
            self._run_to(box, self._graph.box(box).name)
        elif request.get("run") is True:
            self.run()

    def __repr__(self) -> str:
        frame = self.frame
        upcoming = (
            f"next to run: {clean(frame.next.name)}" if frame.next else self._upcoming(frame).removeprefix("nobody, ")
        )
        root = clean(self._graph.box(self._graph.root).name)
        return shorten(f"BackwardStepper of {root}: step {frame.index} of {frame.total}, {upcoming}", 100)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and for pages without a widget manager a picture of the present frame."""
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        self._hold_all()
        metadata = {**metadata, recording.METADATA: self.kept}
        frame = self.frame
        if self._groups:
            still = draw_svg(modules.coarse(self._graph, self._groups, self.picture["open"])).svg
        else:
            still = draw_svg(self._graph, frame.states, frame.edges, frame.chips).svg
        return {**data, "text/plain": repr(self), "image/svg+xml": still}, metadata


# ---------------------------------------------------------------- before the first step


def _check_root(root: Any) -> None:
    if not naming.is_tensor(root):
        raise TypeError(
            f"BackwardStepper() expected a Tensor as its root, but got {type(root).__name__}: "
            f"{shorten(clean(repr(root)), 60)}. "
            "Pass the result of a computation, such as loss = (x * x).sum(), not its value."
        )
    if root.grad_fn is not None:
        return
    if root.requires_grad:
        raise RuntimeError(
            "element 0 of tensors is a leaf and does not have a grad_fn. No operation made it, so there is nothing to "
            "step through: compute something from it, such as y = (x * x).sum(), and pass that."
        )
    if not isinstance(root, torch_graphs.Tensor):
        engine.steps(root)  # raises PyTorch's error for a tensor without a graph, and says why it has none
    raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")


def _sought(graph: Snapshot, inputs: Any) -> dict[str, Any] | None:
    """Box id -> tensor of those `inputs` that are part of the graph; None if all leaves are wanted."""
    if inputs is None:
        return None
    listed = _listed(inputs)
    found = {}
    for box, node in zip(graph.boxes, graph.nodes, strict=True):
        for tensor in listed:
            if node is not None and (node.variable is tensor if is_leaf(node) else tensor.grad_fn is node):
                found[box.id] = tensor
    return found


def _listed(inputs: Any) -> Sequence[Any]:
    return [inputs] if naming.is_tensor(inputs) else list(inputs)


def _watched(graph: Snapshot, sought: Mapping[str, Any] | None) -> dict[str, Any]:
    """The tensors whose `.grad` this pass may change."""
    leaves = {
        box.id: node.variable
        for box, node in zip(graph.boxes, graph.nodes, strict=True)
        if node is not None and is_leaf(node)
    }
    retaining = {f"retaining {number}": tensor for number, tensor in enumerate(graph.retaining)}
    return leaves | dict(sought or {}) | retaining


def _grad(tensor: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a result among `inputs` has a .grad, and warns when it is read
        return tensor.grad


def _numbers(kept: Kept) -> Any:
    held = kept.gradient if kept.numbers is None else seen(kept.numbers)
    return held.detach().numpy() if naming.is_tensor(held) else held


def _restore(tensor: Any, kept: Kept | None) -> None:
    """Put a `.grad` back: the same object with the same numbers."""
    if kept is None:
        tensor.grad = None
        return
    gradient = kept.gradient
    if kept.numbers is not None and isinstance(gradient, torch_graphs.Tensor):
        gradient = gradient.put_back(kept.numbers)
    elif kept.numbers is not None:
        gradient.detach().numpy()[...] = kept.numbers
    tensor.grad = gradient


def _drawn(graph: Snapshot) -> tuple[Drawing, tuple[modules.Group, ...], str]:
    """The drawing, the groups that open and close in it, and what is said above it.

    Without groups Graphviz lays it out. Where that takes too long, stretches of the code become groups.
    """
    groups = modules.groups_of(graph, graph.modules)
    if not groups:
        try:
            return draw_svg(graph, {}, live=True), (), ""
        except LayoutError as error:
            groups = modules.groups_of(graph, graph.modules, divided=True)
            if not groups:
                raise
            return draw_parts(graph), groups, f"{error} Here it is in {len(groups)} parts, which open with a click."
    return draw_parts(graph), groups, modules.notice(graph, groups, modules.opened(graph, groups))


def _picture(
    graph: Snapshot, drawing: Drawing, runs: set[str], groups: tuple[modules.Group, ...], note: str
) -> dict[str, Any]:
    """All that the page needs once."""
    is_pytorchs = any(isinstance(node, torch_graphs.Node) for node in graph.nodes)
    paths = {box: group.path for group in groups for box in group.boxes if group.kind != modules.STRETCH}
    return {
        "svg": drawing.svg,
        "width": drawing.width,
        "height": drawing.height,
        "total": len(runs),
        "runs": [box.id for box in graph.boxes if box.id in runs],
        "root": clean(graph.box(graph.root).name),
        "edges": [[edge.id, edge.source, edge.target] for edge in graph.edges],
        "groups": [
            {
                "id": group.id,
                "name": clean(group.name),
                "path": clean(group.path),
                "kind": clean(group.kind),
                "parent": group.parent,
                "boxes": list(group.boxes),
                "count": group.count,
            }
            for group in groups
        ],
        "open": modules.opened(graph, groups),
        "note": note,
        "boxes": {
            box.id: {
                "name": clean(box.name),
                "kind": box.kind,
                "path": clean(paths.get(box.id, "")),
                "size": drawing.sizes[box.id],
                "op": box.op,
                "expression": clean(box.expression),
                "shape": shape_text(box.value.shape) if box.value.known or box.value.shape else "",
                "dtype": box.value.dtype,
                "value": clean(box.value.full),
                "statistics": list(box.value.statistics or ()),
                "alarm": box.value.alarm,
                "saved": [[saved.parameter, clean(saved.name), clean(_told_saved(saved))] for saved in box.saved],
                "where": box.value.where,
                "exact": box.value.python,
                "needs_grad": box.needs_grad,
                "pruned": box.kind != "constant" and box.id not in runs,
                "freed": bool(box.freed),
                "version": box.version,
                "saved_version": box.saved_version,
                "graph": box.graph,
                "made_by": box.made_by,
                "outputs": [value.to_json() for value in box.outputs],
                "hover": "\n".join(clean(line) for line in hover(box).split("\n")),
            }
            for box in graph.boxes
        },
        **({"unlined": NO_LINES} if is_pytorchs else {}),
        "sources": [
            {"title": clean(source.title), "lines": [[number, _visible(text)] for number, text in source.lines]}
            for source in graph.sources
        ],
    }


def _told_saved(saved: Saved) -> str:
    """A saved value in a few words, with what became of it."""
    words = {"packed": "packed as ", "changed": "written to since: ", "freed": ""}
    text = words.get(saved.state, "") + saved.value.text
    if saved.state == "changed":
        return f"written to since: saved at version {saved.saved_version}, now at {saved.version}"
    return text


def _visible(line: str) -> str:
    """A line of source: tabs stay, other control characters become visible."""
    return "\t".join(clean(part) for part in line.split("\t"))

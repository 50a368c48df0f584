"""The backward pass, run node by node and written down.

`FrameMaker` consumes the engine's own backward, one node per step (no second loop runs in Python that could disagree
with it), and turns each step into a `Frame`: who has come how far is kept in `progress`, what a node sent is found in
`contributions`, and said in `story`. While a step runs, a `FunctionWatcher` notes what the learner's own hooks do, so
that the frame can tell it. A step that fails gives a frame, too: it says which node failed and why.

A page without a kernel cannot run the engine. For other numbers in a small graph it has a second, small one,
static/whatif.mjs, which tests/js/whatif.test.mjs holds against what the kernel gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.autograd.modes import thread
from minigrad.viz.graph import values
from minigrad.viz.graph.boxes import NO_SOURCE, Box, Snapshot
from minigrad.viz.graph.expressions import call_text
from minigrad.viz.graph.source import Pass, Step
from minigrad.viz.picture.markup import value_text
from minigrad.viz.steps import events as happened
from minigrad.viz.steps import story as tell
from minigrad.viz.steps.cells import BOXES, cells_of_leaf, cells_of_op, patterns_of
from minigrad.viz.steps.contributions import array_of, chip, contributions_of
from minigrad.viz.steps.events import Event
from minigrad.viz.steps.frames import Contribution, Frame, Grown, StoryLine
from minigrad.viz.steps.pass_progress import ROOM, PassProgress
from minigrad.viz.steps.printed import OutputCopy
from minigrad.viz.steps.questions import question
from minigrad.viz.steps.stop_button import stoppable
from minigrad.viz.steps.watching import FunctionWatcher, Note, Teller


class ClosedError(RuntimeError):
    """The graph was let go of, so that nothing runs any more."""


class FrameMaker:
    """Runs a backward pass node by node and writes frames."""

    def __init__(
        self,
        graph: Snapshot,
        backward: Pass,
        seed: Any,
        wanted: Mapping[str, Any] | None,
        rooms: Mapping[str, int],
        retain: bool,
    ) -> None:
        """`backward` is the pass; `seed` is the gradient of the root; `wanted` maps box ids to the tensors of
        `inputs=`; `rooms` is the drawing's.
        """
        self.graph = graph
        self.source = graph.source
        self.backward = backward
        self.seed = seed
        self.retain = retain
        self.finished = False
        self.failure: BaseException | None = None
        self.progress = PassProgress(graph, wanted, rooms, backward)
        self.boxes = graph.by_id
        self.runs = self.progress.runs
        self.ids = {node: key for key, node in graph.node_of.items()}
        self.watcher = FunctionWatcher(self.source, self.ids)
        self.teller = Teller(graph)
        self.unpacked: dict[tuple[str, str], Any] = {}  # box and parameter -> what an unpack hook made
        self.patterns: tuple[str, ...] = ()  # of the node that runs: see cells.py
        self.grown: dict[Any, str] = {}  # node of the gradient's graph -> what it is called
        self.nan_met = False
        self.began_with: dict[str, Any] = {}  # leaf -> the `.grad` that it had when this was made
        self.on_step: Callable[[Step], None] = lambda step: None  # is told of each step, before its frame is written
        backward.watch(graph, self.progress, self.watcher)
        self.progress.arrive(graph.root, 0, seed, None)

    def first(self) -> Frame:
        """The moment before anything ran."""
        known = {box.name: self.progress.leaf_grad(box.id) for box in self.graph.boxes if box.kind == "leaf"}
        self.began_with = {name: np.array(grad) for name, grad in known.items() if grad is not None}
        pruned = [box for box in self.graph.boxes if self.progress.is_pruned(box)]
        planned = self.progress.is_planned
        reasons = {box.id: self.backward.why_left_out(box.id) for box in pruned if planned}
        return self._frame(None, self._beginning(), happened.before_the_pass(self.graph, self.runs, pruned, reasons))

    def _beginning(self) -> list[StoryLine]:
        """What is told before anything has run: which leaves hold a `.grad`, now."""
        leaves = [box for box in self.graph.boxes if box.kind == "leaf"]
        grads = [(box.name, self.progress.leaf_grad(box.id)) for box in leaves if self.progress.grad(box.id).known]
        held = [pair for pair in grads if not self.source.begins_with_zero or np.any(pair[1])]
        began, is_zero = self.began_with, len(grads) > len(held)
        new = {name for name, grad in held if not np.array_equal(began.get(name, ()), grad, equal_nan=True)}
        root, has_run = self.boxes[self.graph.root], bool(self.progress.ran)
        return tell.beginning_lines(root, self.seed, held, len(leaves), is_zero, new, has_run)

    def advance(self) -> Frame | None:
        """Run one node and write its frame; None when there is none left.

        Where the engine raises, the frame says so, and `failure` is the exception.
        """
        if self.finished or self.failure is not None:
            return None
        ready = self.progress.ready()
        is_ours = bool(ready) and self.source.is_plain(self.progress.nodes[ready[0]])
        if not is_ours:
            self.progress.leaves_may_differ()
        held = {key: self.progress.leaf_grad(key) for key in ready if key in self.progress.leaves}
        self.patterns = self._patterns(ready[0]) if ready else ()
        previous, printed = thread.witness, OutputCopy()
        step: Any = None
        try:
            thread.witness = self.watcher
            with printed:
                step = next(self.backward, None) if is_ours else stoppable(next, self.backward, None)
        except BaseException as error:
            self.failure = error
        finally:
            thread.witness = previous
        if self.failure is None and step is None:
            self.finished = True
            return None
        if self.failure is None:
            self.on_step(step)
        frame = self._frame_of_step(step, held) if self.failure is None else self._frame_of_failure(self.failure)
        return self.with_lines(frame, tell.printed_lines(printed.shown))

    def run(self) -> list[Frame]:
        """All frames of the pass, up to one that failed."""
        frames = [self.first()]
        while (frame := self.advance()) is not None:
            frames.append(frame)
        if isinstance(self.failure, KeyboardInterrupt):
            raise self.failure
        return frames

    def _patterns(self, key: str) -> tuple[str, ...]:
        """From which cells those come that a node is about to send, where to find out is cheap and nobody notices."""
        node = self.progress.nodes[key]
        is_asked = len(self.boxes) <= BOXES and key not in self.progress.leaves and self.source.is_plain(node)
        inputs = [self.boxes[edge.source].value for edge in self.graph.into[key]]
        return patterns_of(self.source, node, self.progress.sums[key].get(0), inputs) if is_asked else ()

    def _frame_of_step(self, step: Step, held: Mapping[str, Any]) -> Frame:
        """The frame of a node that has run; `held` is what the `.grad` of leaves that were ready was before."""
        node, incoming = step[:2]
        key = self.ids[node]
        self.backward.note_run(key)
        self.watcher.notes += self.backward.notes_unseen(key, self.progress.sums[key], incoming, self.watcher.notes)
        self.progress.edges_are_done()
        is_leaf = key in self.progress.leaves
        arrays = [None if gradient is None else array_of(self.source, gradient) for gradient in incoming]
        frame = self._frame_of_leaf(key, arrays[0], held.get(key)) if is_leaf else self._frame_of_op(key, step, arrays)
        came = [array for array in arrays if array is not None]
        alarms = [values.alarm_of(array) for array in came] + [item.value.alarm for item in frame.contributions]
        words = [word for word in ("NaN", "Inf") if any(word in alarm for alarm in alarms)]
        return replace(frame, received=values.measure(came[0]) if came else None, alarm=" and ".join(words))

    def close(self) -> None:
        """Let go of the graph: nothing runs any more."""
        if self.source is NO_SOURCE:
            return  # closed before
        self.backward.close()
        self.failure = self.failure or ClosedError("the stepper was closed")
        self.graph = replace(self.graph, source=NO_SOURCE, nodes=(), results=(), reached={}, ways={})
        self.progress.forget()
        self.ids, self.watcher = {}, FunctionWatcher(NO_SOURCE, {})
        self.source, self.backward, self.grown = NO_SOURCE, Pass(), {}

    # -- the kinds of step

    def _frame_of_failure(self, error: BaseException) -> Frame:
        """The frame of a step that raised."""
        notes = self.watcher.take_notes()
        self.progress.edges_are_done()
        anomaly = self.source.anomaly(error)
        raised = next((note.box for note in notes if note.error is not None), None)  # in a hook of PyTorch's graph
        key = self.ids.get(anomaly[0]) if anomaly is not None else self.watcher.failing or raised
        key = key or next(iter(self.progress.ready()), self.graph.root)
        box = self.boxes[key]
        contributions: tuple[Contribution, ...] = ()
        if anomaly is not None:
            contributions = contributions_of(self.progress, box, anomaly, notes, self.unpacked, sends=False)
        came = anomaly is not None and self._have_nan(anomaly[1])
        nan_to = None if anomaly is None else [item.name for item in contributions if "NaN" in item.value.alarm]
        overwritten = [*self.source.overwritten_values(self.progress.nodes[key], error)]
        events = [*self.teller.events_of(notes), *happened.failure_events(box, error, overwritten, nan_to, came)]
        story = tell.failure_lines(box, contributions, self.progress.senders)
        return self._frame(key, story, events, op=box.op, contributions=contributions, failed=True)

    def _frame_of_op(self, key: str, step: Step, arrays: list[Any]) -> Frame:
        box = self.boxes[key]
        node, _, outgoing = step
        notes = self.watcher.take_notes()
        received = next((array for array in arrays if array is not None), None)
        for note in notes:
            if note.kind == "tensor_hook" and note.after and note.after[0] is not None:
                self.progress.change(note.box, note.before[0], note.after[0])
            elif note.kind == "unpacked" and note.after:
                self.unpacked[note.box, note.parameter] = note.after[0]
        contributions = contributions_of(self.progress, box, step, notes, self.unpacked)
        self._note_that_it_ran(key)
        freed = self._names_of_freed(box, node)
        events = [
            *self.teller.events_of(notes),
            *happened.kept_events(box, self.retain and not self.source.is_freed(node)),
        ]
        events += self._events_of_nan(box, self._have_nan(arrays), contributions)
        op, root = self.source.name(node), self.boxes[self.graph.root]
        sent, edges = {item.edge for item in contributions}, self.progress.live_into.get(key, ())
        without = [self.boxes[edge.source].name_of_result(edge.output) for edge in edges if edge.id not in sent]
        about = contributions, without, root, self.progress.senders, self.progress.gradient_name
        story = tell.op_lines(box, op, arrays, *about)
        story += [*tell.freed_lines(freed), *self.backward.remarks]
        text = "" if received is None else values.in_words(received)
        asked = [question(item.edge, item.box, item.array, received, item.held) for item in contributions]
        tells: dict[str, Any] = {"contributions": contributions, "freed": freed, "grown": self._nodes_grown(outgoing)}
        tells["cells"] = cells_of_op(op, self.graph.into[key], received, contributions, self.patterns)
        questions = tuple(one for one in asked if one is not None)
        return self._frame(key, story, events, op=op, incoming=text, questions=questions, **tells)

    def _frame_of_leaf(self, key: str, array: Any, before: Any) -> Frame:
        box = self.boxes[key]
        notes = self.watcher.take_notes()
        self._note_that_it_ran(key)
        # The hooks that run after the sum may have changed it since: they have a sentence of their own.
        summed = next((note.before[0] for note in notes if note.kind == "post_accumulate"), None)
        after = self.progress.leaf_grad(key) if summed is None else summed
        joint = ""
        if before is not None:
            self.progress.leaves_may_differ()  # two leaves may share their .grad
            self.progress.changing[key] = before
            if after is not None:
                joint = tell.sum_text(before, _left_by_hooks(notes, array), after)
        users = self._users_of(key)
        story = tell.leaf_lines(box, array, before, after, joint, self.progress.grad(key), users)
        joint = "" if summed is not None else joint  # what the hooks left is not that sum
        grown = self._nodes_grown([self.source.grad(self.progress.leaves[key])])
        is_sum = before is not None or len(self.progress.senders[key, 0]) > 1
        asked = question(None, key, after, array, before) if is_sum and after is not None else None
        came: dict[str, Any] = {"op": "AccumulateGrad", "incoming": values.in_words(array), "grown": grown}
        came["cells"] = cells_of_leaf(key, array, after if joint else None)
        events = list(self.teller.events_of(notes))
        return self._frame(key, story, events, {key: joint}, questions=(asked,) if asked else (), **came)

    def _users_of(self, key: str | None) -> list[Box]:
        """Of a leaf, the boxes that have sent it something."""
        came = [] if key is None or key not in self.progress.leaves else self.progress.senders[key, 0]
        return [*{box.id: box for box in came}.values()]

    def _note_that_it_ran(self, key: str) -> None:
        """A box has run. Where nobody is ready any more, the pass is asked once more, so that it comes to its end."""
        self.progress.note_run(key)
        if not self.progress.ready() and next(self.backward, None) is None:
            self.finished = True

    def _names_of_freed(self, box: Box, node: Any) -> tuple[str, ...]:
        if self.retain or not self.source.is_freed(node):
            return ()
        tensors = [saved for saved in box.saved if saved.is_tensor and saved.state != "freed"]
        return tuple(dict.fromkeys(saved.name_beside(box.name) for saved in tensors))

    def _events_of_nan(self, box: Box, came: bool, contributions: tuple[Contribution, ...]) -> list[Event]:
        names = [item.name for item in contributions if "NaN" in item.value.alarm]
        if not names:
            return []
        first = not self.nan_met and not came
        self.nan_met = True
        return [happened.nan_event(box, names, first)]

    def _nodes_grown(self, tensors: Iterable[Any]) -> tuple[Grown, ...]:
        """The nodes that were recorded since the last step, behind some gradients (create_graph)."""
        source = self.source
        with_graph = [source.tensor(one) for one in tensors if one is not None and source.has_graph(one)]
        found, stack = set(), [source.node(tensor) for tensor in with_graph]
        while stack:
            node = stack.pop()
            if node is None or node in self.ids or node in self.grown or node in found or source.is_leaf(node):
                continue
            found.add(node)
            stack += [child for child, _ in source.edges(node)]
        grown = []
        for node in sorted(found, key=source.number):
            self.grown[node] = f"g{len(self.grown) + 1}"
            grown.append(Grown(self.grown[node], source.name(node), call_text(source, node, self._name_of)))
        return tuple(grown)

    def _have_nan(self, gradients: Iterable[Any]) -> bool:
        arrays = [array_of(self.source, gradient) for gradient in gradients if gradient is not None]
        return any("NaN" in values.alarm_of(array) for array in arrays)

    def _name_of(self, node: Any, output: int) -> str:
        if node in self.ids:
            return self.boxes[self.ids[node]].name_of_result(output)
        return self.grown.get(node, self.source.name(node))

    # -- the frame

    def _frame(
        self,
        key: str | None,
        story: list[StoryLine],
        events: list[Event],
        joints: Mapping[str, str] = MappingProxyType({}),
        contributions: tuple[Contribution, ...] = (),
        grown: tuple[Grown, ...] = (),
        failed: bool = False,
        **more: Any,
    ) -> Frame:
        """The frame of the box `key`; `more` are fields that only some kinds of step have."""
        progress = self.progress
        ready = progress.ready()
        upcoming = ready[0] if ready else None
        joints = dict(joints) | {item.box: item.joint for item in contributions}
        states = progress.states(key, upcoming, joints, failed)
        story = story + tell.grown_lines(grown)
        if self.finished:
            story.append(tell.line("say", "That was the last node: the backward pass is over."))
        differences, difference_maps = progress.differences()
        return Frame(
            index=len(progress.ran) + failed,
            total=len(progress.plan.runs),
            box=key,
            name=self.boxes[key].name if key else "",
            contributions=contributions,
            story=tuple(story),
            ready=tuple(progress.turn(box) for box in ready),
            next=progress.turn(upcoming) if upcoming and not failed else None,
            marks=self.graph.marks_of(key, self._users_of(key)),
            states=states,
            edges=progress.edges(),
            plan=progress.plan,
            chips=MappingProxyType({item.edge: chip(item) for item in contributions}),
            events=tuple(events),
            differences=MappingProxyType(differences),
            difference_maps=MappingProxyType(difference_maps),
            grown=grown,
            failed=failed,
            **more,
        )

    def with_changed_grad(self, frame: Frame, key: str, before: Any) -> Frame:
        """A frame whose `.grad` of one leaf was changed from outside since it was written."""
        then = "" if self.finished or self.failure else "The next step adds to what is there."
        then = (
            "The next step, which has run, brings back what it left." if frame.index < len(self.progress.ran) else then
        )
        when = "after this step" if frame.index else "when the stepper was made"
        event = happened.outside_change_event(self.boxes[key], before, self.progress.leaf_grad(key), when, then)
        grad, room = self.progress.grad(key), self.progress.rooms.get(key, ROOM)
        state = replace(frame.states[key], grad=grad, grad_text=value_text(grad.text, grad.shape, room))
        story = frame.story if frame.index else tuple(self._beginning())
        return replace(frame, states=frame.states.but({key: state}), events=(*frame.events, event), story=story)

    def with_lines(self, frame: Frame, lines: list[StoryLine]) -> Frame:
        """A frame that tells some more, before the last words of the story."""
        place = len(frame.story) - int(self.finished or frame.failed)
        return replace(frame, story=(*frame.story[:place], *lines, *frame.story[place:]))


def _left_by_hooks(notes: list[Note], array: Any) -> Any:
    """What the hooks that run before a leaf's sum made of the gradient that came in."""
    left = [note.after[0] for note in notes if note.kind in ("tensor_hook", "node_prehook") and note.after]
    return left[-1] if left and left[-1] is not None else array

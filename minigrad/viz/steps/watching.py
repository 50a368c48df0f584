"""The learner's own functions at work: hooks, and what packs and unpacks saved tensors.

The engine tells a `FunctionWatcher` before it calls one; the watcher copies what goes in, calls it, and copies what
comes out. After the step a `Teller` makes sentences of the notes. Notes are copies and events are text: nothing that is
shown can change afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.autograd.modes import thread
from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import difference, in_words
from minigrad.viz.steps.events import Event, array_value, error_text, hook_name, line_of

NOTHING_TO_CHANGE = "A leaf sends nothing on, so there is nothing for it to change."


@dataclass
class Note:
    """One call of a function by the engine: what went in and what came out, as copies."""

    kind: str
    box: str
    function: Callable[..., Any]
    before: tuple[Any, ...]
    after: tuple[Any, ...] = ()
    parameter: str = ""  # of what is packed or unpacked
    made: str = ""  # the node that a recorded backward has just made, where that packs
    error: BaseException | None = None


class FunctionWatcher:
    """The engine's witness for one graph. What happens in other graphs is not noted."""

    def __init__(self, source: Source, ids: Mapping[Any, str]) -> None:
        self.source = source
        self.ids = ids
        self.notes: list[Note] = []
        self.failing: str | None = None  # the box of the node that could not be run

    def around(self, kind: str, node: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """What the engine calls in the place of a function."""
        key = self.ids.get(node)
        made = ""
        if key is None and kind == "packed":  # by an operation that a recorded backward makes
            key, made = self.ids.get(thread.evaluating), self.source.name(node)
        if key is None:
            return function

        def call(*arguments: Any) -> Any:
            is_leafs = kind == "node_hook" and not arguments[0]  # it is shown what came in, as nothing goes out
            note = Note(kind, key, function, self._copies(kind, arguments[is_leafs], function), made=made)
            if kind == "unpacked":
                note.parameter = self.source.packed_as(node, arguments[0])
            self.notes.append(note)
            try:
                result = function(*arguments)
            except BaseException as error:
                note.error = error
                raise
            given = arguments[0] if result is None or kind in ("retain_grad", "post_accumulate") else result
            note.after = self._copies("result" if kind in ("packed", "unpacked") else kind, given, function)
            return result

        return call

    def note_of_retained(self, node: Any, before: Any, after: Any) -> Note:
        """That a result has kept its gradient, where no function of ours did it."""
        return Note("retain_grad", self.ids[node], self.copy_of, (before,), (after,))

    def notes_of(self, node: Any) -> list[Note]:
        """The notes on one node that were not taken yet."""
        return [note for note in self.notes if note.box == self.ids[node]]

    def node_failed(self, node: Any) -> None:
        """The engine could not run a node. Of runs within runs, the outermost says so last."""
        self.failing = self.ids.get(node, self.failing)

    def take_notes(self) -> list[Note]:
        """The notes since they were taken last."""
        notes, self.notes = self.notes, []
        return notes

    def _copies(self, kind: str, value: Any, function: Any) -> tuple[Any, ...]:
        """Copies of what a function of this kind is shown, or of what it changes."""
        if kind == "retain_grad":
            tensor = function.args[0]()  # see minigrad.autograd.node.retain
            return (None if tensor is None else self.copy_of(self.source.grad(tensor)),)
        if kind == "post_accumulate":
            return (self.copy_of(self.source.grad(value)), self.copy_of(value))
        if kind in ("node_prehook", "node_hook") and isinstance(value, tuple):
            return tuple(map(self.copy_of, value))
        return (self.copy_of(value),)

    def copy_of(self, value: Any) -> Any:
        """A tensor of the engine's, or an array, as an array that nothing else holds; anything else as it is."""
        tensor = self.source.tensor(value)
        held = value if tensor is None else self.source.array(tensor)
        return np.array(held) if isinstance(held, np.ndarray) else held


# ---------------------------------------------------------------- from notes to events


class Teller:
    """Makes events of notes, in words."""

    def __init__(self, graph: Snapshot) -> None:
        self.boxes = graph.by_id
        self.inputs = {key: {edge.slot: edge for edge in edges} for key, edges in graph.into.items()}

    def events_of(self, notes: list[Note]) -> Iterator[Event]:
        """The events of some notes."""
        for note in notes:
            before, after = (next(iter(values), None) for values in (note.before, note.after))
            yield from getattr(self, f"_{note.kind}_events")(note, self.boxes[note.box], before, after)

    def _tensor_hook_events(self, note: Note, box: Box, before: Any, after: Any) -> Iterator[Event]:
        where = f"the gradient of {box.name}"
        title = f"hook {hook_name(note.function)} on {box.name}"
        yield self._change(note, title, "The tensor hook", where, before, after)

    def _node_prehook_events(self, note: Note, box: Box, *_: Any) -> Iterator[Event]:
        title = f"prehook {hook_name(note.function)} of {box.op}"
        yield from self._each(note, title, "The prehook", lambda _: f"the gradient that comes in to {box.op}")

    def _node_hook_events(self, note: Note, box: Box, given: Any, _: Any) -> Iterator[Event]:
        title = f"hook {hook_name(note.function)} of {box.op}"
        if box.kind == "leaf":
            did = _raised_text(note) or f"saw what {box.name} received, {in_words(given)}. {NOTHING_TO_CHANGE}"
            text = f"The node hook {hook_name(note.function)} ran after {box.op} and {did}"
            yield self._event(note, title, text, given, given)
            return

        def where(slot: int) -> str:
            edge = self.inputs[box.id].get(slot)
            return f"the gradient for {self.boxes[edge.source].name}" if edge is not None else f"gradient {slot}"

        yield from self._each(note, title, "The node hook", where)

    def _each(self, note: Note, title: str, word: str, where: Callable[[int], str]) -> Iterator[Event]:
        """An event for each gradient that a hook of several has changed; one that says so if it changed none."""
        pairs = list(enumerate(zip(note.before, note.after or note.before, strict=False)))
        changed = [(slot, pair) for slot, pair in pairs if not _equal(*pair)]
        for slot, (before, after) in changed or [(slot, pair) for slot, pair in pairs if pair[0] is not None][:1]:
            yield self._change(note, title, word, where(slot), before, after)

    def _change(self, note: Note, title: str, word: str, where: str, before: Any, after: Any) -> Event:
        did = f"changed {where} from {in_words(before)} to {in_words(after)}."
        if note.error is not None:
            did, after = f"got {in_words(before)}, {where}, and {_raised_text(note)}", None
        elif _equal(before, after):
            did = f"looked at {where}, {in_words(before)}, and changed nothing."
        return self._event(note, title, f"{word} {hook_name(note.function)} {did}", before, after)

    def _retain_grad_events(self, note: Note, box: Box, before: Any, after: Any) -> Iterator[Event]:
        grad = f"{box.name}.grad"
        text = f"{box.name}.retain_grad() was called (inputs= does it, too), so {grad} now holds {in_words(after)}"
        text += "." if before is None else f": what came, added to {in_words(before)}."
        yield self._event(note, f"{grad} is kept", text, before, after, line=None)

    def _post_accumulate_events(self, note: Note, box: Box, grad: Any, _: Any) -> Iterator[Event]:
        name, own = hook_name(note.function), f"{box.name}.grad"
        title, begin = f"post-accumulate hook {name} on {box.name}", f"The post-accumulate hook {name}"
        if note.error is not None:
            text = f"{begin} found {own} = {in_words(grad)}, and {_raised_text(note)}"
            yield self._event(note, title, text, grad, None)
            return
        pairs = zip((own, f"{box.name} itself"), note.before, note.after, strict=True)
        changed = [pair for pair in pairs if not _equal(*pair[1:])]
        for what, before, after in changed:
            text = f"{begin} changed {what} from {in_words(before)} to {in_words(after)}."
            yield self._event(note, title, text, before, after)
        if not changed:
            yield self._event(note, title, f"{begin} saw {own} = {in_words(grad)}, and changed nothing.", grad, grad)

    def _packed_events(self, note: Note, box: Box, before: Any, after: Any) -> Iterator[Event]:
        name = hook_name(note.function)
        saves = f"{note.made}, which the recorded rule of {box.op} made, saves" if note.made else f"{box.op} saves"
        did = _raised_text(note) or f"put {in_words(after)} in its place."
        text = f"{saves} {in_words(before)}; the pack hook {name} {did}"
        yield self._event(note, f"packed by {name}", text, before, after)

    def _unpacked_events(self, note: Note, box: Box, before: Any, after: Any) -> Iterator[Event]:
        names = {saved.parameter: saved.name_beside(box.name) for saved in box.saved}
        name, what = hook_name(note.function), names.get(note.parameter, note.parameter) or "a saved tensor"
        did = f"made {in_words(after)} of {in_words(before)}."
        if note.error is not None:
            did = f"got {in_words(before)} and {_raised_text(note)}"
        text = f"{box.op} needs {what}; the unpack hook {name} {did}"
        yield self._event(note, f"{what} unpacked by {name}", text, before, after)

    def _event(self, note: Note, title: str, text: str, before: Any, after: Any, line: Any = ()) -> Event:
        where = line_of(note.function) if line == () else line
        changed = difference(before, after)
        return Event(note.kind, note.box, title, text, array_value(before), array_value(after), where, *changed)


def _raised_text(note: Note) -> str:
    """That the function raised, and what; "" if it did not."""
    return "" if note.error is None else f"raised {error_text(note.error)}."


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())
    return one is other

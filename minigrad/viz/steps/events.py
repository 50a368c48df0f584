"""What happens around the steps of a backward pass, in words.

What an `Event` is, and the events that are no call of the learner's functions (those are in watching.py): what
`inputs=` leaves out, saved tensors that are kept, freed, gone or written to, the way of the first NaN, a step that
fails, and a `.grad` that something else has changed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.calls import is_learners
from minigrad.viz.graph.learner_code import source_title
from minigrad.viz.graph.observer import Span, source_line
from minigrad.viz.graph.source import Overwritten
from minigrad.viz.graph.values import Value, describe, difference, in_words, short
from minigrad.viz.picture.markup import clean, clean_lines, shorten

SourceLine = tuple[str, int, str]  # title of the file or cell, number of the line, its text
LONGEST_NAME = 60  # columns of a name in a sentence
LONGEST_LINE = 200  # characters of a line of code
MOST_OF_MESSAGE = 2000  # characters of an error's text
STOPPED = (
    "stopped by the stop button (■) in the middle of this step; the steps before it stay, and for another pass run the "
    "cell again that computes the graph"
)
LONGEST_MESSAGE = 300  # characters of an error's first line, in a sentence


@dataclass(frozen=True)
class Event:
    """One thing that happened at the box `node`. `kind` is one of KINDS; `before` and `after` are what it changed."""

    kind: str
    node: str
    title: str
    text: str
    before: Value | None = None
    after: Value | None = None
    line: SourceLine | None = None
    difference: str = ""
    difference_map: str = ""

    @property
    def is_quiet(self) -> bool:
        """Whether it belongs to how things go, and is told only to those who ask: what is kept or left out."""
        return self.kind in QUIET

    def to_json(self) -> dict[str, Any]:
        """What the page gets of it, in texts that cannot turn a line around; an error has lines."""
        return {
            "kind": self.kind,
            "why": self.is_quiet,
            "node": self.node,
            "title": clean(self.title),
            "text": (clean_lines if self.kind == "error" else clean)(self.text),
            "before": None if self.before is None else self.before.to_json(),
            "after": None if self.after is None else self.after.to_json(self.difference, self.difference_map),
            "line": None if self.line is None else [clean(self.line[0]), self.line[1], clean(self.line[2])],
        }


KINDS = (
    *("tensor_hook", "retain_grad", "node_prehook", "node_hook", "post_accumulate", "packed", "unpacked"),
    *("saved", "freed", "version_mismatch", "anomaly", "error", "pruned"),
)
QUIET = ("saved", "pruned")


# ---------------------------------------------------------------- before the first step


def before_the_pass(graph: Snapshot, runs: set[str], pruned: Iterable[Box], reasons: Mapping[str, str]) -> list[Event]:
    """What the graph itself tells before anything has run. `reasons` are those for which an engine that has a plan of
    its own leaves boxes out; else it is `inputs=`.
    """
    leads = "it leads to none of the tensors in inputs="
    events = []
    for box in pruned:
        title = f"{box.name} is left out" if box.id in reasons else f"{box.name} is pruned"
        events.append(Event("pruned", box.id, title, f"{box.name} does not run: {reasons.get(box.id, leads)}."))
    for box in graph.boxes:
        if box.id not in runs:
            continue
        if box.freed:
            text = (
                f"{box.op}, which made {box.name}, has no saved tensors any more: a backward has used this graph and "
                f"freed {enumeration(freed_names(box))}. The pass will fail there. Compute "
                f"{graph.by_id[graph.root].name} again, or pass retain_graph=True to the earlier backward()."
            )
            events.append(Event("freed", box.id, "saved tensors are gone", text))
        special = [saved for saved in box.saved if saved.state in ("packed", "changed")]
        for name, saved in {saved.name_beside(box.name): saved for saved in special}.items():
            if saved.state == "packed":
                hook = hook_name(saved.hook)
                text = f"{box.op} saved {name}, and the pack hook {hook} keeps {saved.value.text} in its place."
                title, line = f"{name} is packed by {hook}", line_of(saved.hook)
                events.append(Event("packed", box.id, title, text, None, saved.value, line))
            else:
                text = f"{box.op}, which made {box.name}, saved {name} at version {saved.saved_version}; it was "
                text += f"written to since and is at version {saved.version}. The pass will fail there."
                events.append(Event("version_mismatch", box.id, f"{name} was written to", text))
    return events + _nan_in_forward(graph)


def _nan_in_forward(graph: Snapshot) -> list[Event]:
    """The first value of the forward pass that holds a NaN, and those that it reached."""
    holding = [box for box in graph.boxes if "NaN" in box.value.alarm]
    if not holding:
        return []
    first, others = holding[0], [box.name for box in holding[1:]]
    place = f", {first.value.where}" if first.value.where else ""
    text = f"{first.name} is the first value of the forward pass that holds a NaN{place}"
    text += f": {first.expression}. " if first.kind == "result" else ". "
    text += f"From there it went on to {enumeration(others)}." if others else "It went no further."
    line = line_of_span(first.span)
    return [Event("anomaly", first.id, "first NaN of the forward pass", text, None, first.value, line)]


# ---------------------------------------------------------------- at a step


def kept_events(box: Box, kept: bool) -> Iterator[Event]:
    """That a node keeps its saved tensors after it ran."""
    names = dict.fromkeys(saved.name_beside(box.name) for saved in box.saved if saved.is_tensor)
    if kept and names:
        text = f"the graph is retained: {box.op} keeps {enumeration(names)} for another pass"
        yield Event("saved", box.id, f"{box.name}: saved tensors kept", text)


def nan_event(box: Box, names: list[str], first: bool) -> Event:
    """A NaN among the gradients that a node sent."""
    if not first:
        return Event("anomaly", box.id, "a NaN goes on", f"A NaN goes on from {box.name} to {enumeration(names)}.")
    text = f"No NaN came in to {box.op} of {box.name}, and one went out, to {enumeration(names)}: "
    text += "this is the first NaN of the pass."
    return Event("anomaly", box.id, "first NaN of the pass", text, line=line_of_span(box.span))


def outside_change_event(box: Box, before: Any, after: Any, when: str, then: str) -> Event:
    """A `.grad` that is not what the pass has left; `when` is the moment of `before`, `then` what comes of it."""
    text = (
        f"{box.name}.grad was {in_words(before)} {when} and is {in_words(after)} now: something else "
        f"changed it, your code or another pass over the same graph. {then}"
    ).rstrip()
    title = f"{box.name}.grad was changed from outside"
    return Event("error", box.id, title, text, array_value(before), array_value(after))


# ---------------------------------------------------------------- a step that fails


def failure_events(
    box: Box, error: BaseException, overwritten: Iterable[Overwritten], nan_to: list[str] | None, came: bool
) -> Iterator[Event]:
    """What is known of a failure.

    Args:
        box: where it was.
        error: what was raised.
        overwritten: what was written to since it was saved.
        nan_to: the inputs to which an anomaly would have sent a NaN; None where there was no anomaly.
        came: whether a NaN had come in.
    """
    events = (_write_event(box, one) for one in overwritten)
    yield from {event.title: event for event in events}.values()  # what was saved twice is told once
    if nan_to is not None:
        to = f", for {enumeration(nan_to)}" if nan_to else ""
        text = f"No NaN came in to {box.op} of {box.name}, and one came out{to}."
        if came:
            text = f"{box.op} of {box.name} was given a gradient that already holds a NaN."
        yield Event("anomaly", box.id, "first NaN of the pass", text, line=line_of_span(box.span))
    if box.freed:
        text = f"what {box.op} of {box.name} had saved is gone: {enumeration(freed_names(box))}"
        yield Event("freed", box.id, "saved tensors are gone", text)
    message = _message_of(error).strip()[:MOST_OF_MESSAGE] or "no message"
    yield Event("error", box.id, type(error).__name__, message, line=_line_of_error(error))


def _write_event(box: Box, written: Overwritten) -> Event:
    """A saved tensor that was written to."""
    saved = next((one for one in box.saved if one.parameter == written.parameter), None)
    name, before = (written.name, None) if saved is None else (saved.name_beside(box.name), saved.array)
    line, why = None, f". {written.why}".rstrip()
    if written.line is not None:
        code, number = written.line
        line, why = line_at(code.co_filename, number), ", since this line wrote to it."
    title, (now, then) = f"{name} was written to after it was saved", written.versions
    needs = "and needs it as it was then; it is at version"
    text = f"{box.op} of {box.name} saved {name} at version {then}, {needs} {now} now{why}"
    shown = array_value(before), array_value(written.array), line, *difference(before, written.array)
    return Event("version_mismatch", box.id, title, text, *shown)


def freed_names(box: Box) -> list[str]:
    """What a node had saved that is gone, as the learner calls it."""
    return list(dict.fromkeys(saved.name_beside(box.name) for saved in box.saved if saved.state == "freed"))


def _message_of(error: BaseException) -> str:
    return str(error) or (STOPPED if isinstance(error, KeyboardInterrupt) else "")


def error_text(error: BaseException) -> str:
    """An exception in a sentence."""
    text = _message_of(error).partition("\n")[0]
    text = text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line_of_error(error: BaseException) -> SourceLine | None:
    """The innermost line of the learner's own code that was running; of an error of ours, that of its cause."""
    found, at = None, error.__traceback__
    while at is not None:
        if is_learners(at.tb_frame.f_code):
            found = line_at(at.tb_frame.f_code.co_filename, at.tb_lineno)
        at = at.tb_next
    return _line_of_error(error.__cause__) if found is None and error.__cause__ is not None else found


# ---------------------------------------------------------------- lines and values


def line_of_span(span: Span | None) -> SourceLine | None:
    """The first line of a piece of the learner's code."""
    return None if span is None else line_at(span.file, span.first)


def _innermost(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def hook_name(function: Any) -> str:
    """What a hook is called in its own source."""
    function = _innermost(function)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return type(function).__name__
    return "(lambda)" if name == "<lambda>" else shorten(name, LONGEST_NAME)


def line_of(function: Any) -> SourceLine | None:
    """Where a hook was written; None for functions that are not written in Python."""
    function = _innermost(function)
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    if code is None:
        code = getattr(vars(type(function)).get("__call__"), "__code__", None)  # an object that can be called
    return line_at(code.co_filename, code.co_firstlineno) if isinstance(code, CodeType) else None


def line_at(file: str, number: int) -> SourceLine:
    """A line of source as events show it."""
    return source_title(file), number, source_line(file, number).strip()[:LONGEST_LINE]


def array_value(value: Any) -> Value | None:
    """What is shown of an array, or of whatever a hook has made; None for None."""
    if value is None:
        return None
    return describe(value) if isinstance(value, np.ndarray | np.generic) else Value(short(value), short(value))


def enumeration(names: Iterable[str]) -> str:
    """C, D and E."""
    *most, last = [shorten(name, LONGEST_NAME) for name in names]
    return f"{', '.join(most)} and {last}" if most else last

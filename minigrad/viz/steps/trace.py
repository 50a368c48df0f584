"""A pass as text: all that the picture says, for those who cannot or would not look at it.

`s.trace()` has a paragraph for each frame, made of the very sentences that the widget shows, with who is ready, who
waits, and what every gradient reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.frames import Frame

# Steps of a pass of which each frame tells all: with thousands, only what changes, else it would be millions
MOST_STEPS = 40
MARKS = {"sentence": "  ", "numbers": "    ", "say": "  ", "code": "      ", "item": "    - "}


def trace(graph: Snapshot, frames: Sequence[Frame], shown: int) -> str:
    """All frames recorded so far as text; `shown` is the one that the widget shows."""
    root = clean(graph.by_id[graph.root].name)
    before = [frame for frame in frames if frame.index < 0]  # the forward pass
    ran = len(frames) - len(before) - 1 - frames[-1].failed
    lines = [f"backward from {root}: {frames[-1].total} steps, {ran} run, step {shown} shown"]
    for frame in before:
        lines += ["", *_step_lines(graph, frame, place_of(frame, len(before)))]
    for last, frame in zip([None, *frames[len(before) :]], frames[len(before) :], strict=False):
        lines += ["", *_lines(graph, frame, last)]
    return "\n".join(lines)


def place_of(frame: Frame, forward: int) -> str:
    """Which step a frame is; `forward` is how many there are before the backward pass."""
    if frame.index < 0:
        return f"forward {frame.index + forward + 1} of {forward}"
    return f"step {frame.index} of {frame.total}"


def upcoming(frame: Frame) -> str:
    """Who runs next, or why nobody does."""
    if frame.next is not None:
        return clean(frame.next.name)
    return "nobody, the pass has failed" if frame.failed else "nobody, the pass is over"


def _step_lines(graph: Snapshot, frame: Frame, place: str) -> list[str]:
    """Which step it is, of which box, the learner's line, and the story."""
    box = graph.by_id[frame.box] if frame.box else None
    lines = [place + (f"  {frame.op}" if frame.op else "")]
    if box is not None:
        lines[0] += "  " + clean("".join(box.equation) if box.kind == "result" else f"{box.name} (leaf)")
    for source, number in dict.fromkeys(mark[:2] for mark in frame.marks):
        listing = graph.listings[source]
        text = next((text for line, text in listing.lines if line == number), "")
        lines.append(f"  your line {number}: {clean(text.strip())}")
    return lines + [MARKS[line.kind] + line.text.replace("\n", "\n" + MARKS[line.kind]) for line in frame.story]


def _lines(graph: Snapshot, frame: Frame, before: Frame | None) -> list[str]:
    lines = _step_lines(graph, frame, place_of(frame, 0))
    for event in frame.events:
        where = f" ({event.line[0]}, line {event.line[1]}: {event.line[2]})" if event.line is not None else ""
        lines.append("    * " + clean(f"{event.kind.replace('_', ' ')}: {' '.join(event.text.split())}{where}"))
        if event.difference:
            lines.append(f"      difference: {event.difference}")
    lines.append("  ready: " + _names([turn.text for turn in frame.ready]))
    if frame.total <= MOST_STEPS:
        lines.append("  waiting: " + _names([turn.text for turn in frame.waiting]))
        lines.append("  done: " + _names([clean(turn.name) for turn in frame.done]))
    lines.append("  next: " + upcoming(frame))
    boxes = (
        [box for box in graph.boxes if box.kind != "constant"] if before is None or frame.total <= MOST_STEPS else []
    )
    grads = []
    for box in boxes or [graph.by_id[key] for key in frame.states.since(before.states if before else None)]:
        grad, change = frame.states[box.id].grad, frame.differences.get(box.id)
        grads.append(f"{clean(box.name)} {grad.alarm or grad.text}" + (f" ({change})" if change else ""))
    return [*lines, "  grad: " + ", ".join(grads)]


def _names(texts: list[str]) -> str:
    return ", ".join(texts) or "nobody"

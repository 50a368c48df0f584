"""What happened at each step of a backward pass, written down once and never changed.

A frame tells which node ran, what came in, its rule as code and with numbers, what went to each input, what was added
to what where paths meet, what happened around it (`events`), who is ready and who still waits. A frame is told in
pieces of text (`story`) from which both the widget and `trace()` are written, so they cannot say different things.
frame_maker.py writes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import Any

from minigrad.viz.graph.boxes import BoxState
from minigrad.viz.graph.rules import Rule
from minigrad.viz.graph.values import Value, norm
from minigrad.viz.picture.markup import clean, clean_lines, shorten
from minigrad.viz.steps.events import Event
from minigrad.viz.steps.history import Moment
from minigrad.viz.steps.questions import Question

Piece = tuple[str, str]  # style ("text", "name", "value", "quiet", "code", "op", "alarm") and what it says

Numbers = tuple[str, str, str]  # "2 of 3 parts have come: ", "1 + 9 = 10" and, of what may be long, a brief form

LONGEST = 100  # columns of a frame in a cell's output


@dataclass(frozen=True)
class StoryLine:
    """The sentence ("sentence"), what it comes to in numbers ("numbers"), a paragraph ("say"), a line of code ("code")
    or an item ("item") of a frame's story. `why` is true of what is told only to those who ask.
    """

    kind: str
    pieces: tuple[Piece, ...]
    why: bool = False

    @property
    def text(self) -> str:
        """What it says; several lines only in code."""
        if self.kind == "code":
            return clean_lines("".join(text for _, text in self.pieces))
        return "".join(clean(text) for _, text in self.pieces)

    def to_json(self) -> dict[str, Any]:
        """What the page gets of it."""
        return {"kind": self.kind, "why": self.why, "pieces": [list(piece) for piece in self.pieces]}


@dataclass(frozen=True)
class Contribution:
    """What a node sent to one of its inputs. `formula` says of what it was made, and `summed` what became of it on the
    way, or ""; `numbers` are what that comes to, each with words before it, written out and in brief; `output` is which
    of the input's results it is for, where that has several; `joint` reads "1 + 9 = 10" where two met.
    """

    edge: str
    box: str
    name: str
    rule: Rule
    formula: str
    value: Value
    numbers: tuple[Numbers, ...] = ()
    summed: str = ""
    joint: str = ""
    output: int = 0
    array: Any = field(default=None, compare=False, repr=False)
    held: Any = field(default=None, compare=False, repr=False)  # what the input had before


@dataclass(frozen=True)
class Turn:
    """Where one box stands in the queue: how many of the gradients that it needs have arrived."""

    box: str
    name: str
    arrived: int
    needed: int

    @property
    def text(self) -> str:
        return f"{clean(self.name)} ({self.arrived} of {self.needed} arrived)"


@dataclass(frozen=True)
class Plan:
    """What all frames of a pass share: what a box is called in the queue, which boxes will run (each as often as it
    does), and which have (it grows, and a frame knows how much of it was there).
    """

    names: Mapping[str, str]
    runs: tuple[str, ...]
    ran: list[str]


@dataclass(frozen=True)
class Grown:
    """A node that a step added to the graph of the gradient (create_graph): `text` is what it does to what."""

    name: str
    op: str
    text: str


@dataclass(frozen=True)
class Frame:
    """One step. Frame 0 is the moment before anything ran; `box` is the one that ran, or could not be run if `failed`;
    `marks` are the pieces of code that it is about, each with source, line and columns; `grads` what each box's
    gradient reads, `differences` by how much those changed that did (`difference_maps`: the large ones as heat maps).
    """

    index: int
    total: int
    box: str | None
    name: str
    story: tuple[StoryLine, ...]
    ready: tuple[Turn, ...]
    next: Turn | None
    marks: tuple[tuple[int, int, int, int], ...]
    states: Moment = field(repr=False)
    edges: Moment = field(repr=False)
    chips: Mapping[str, str] = field(repr=False)
    plan: Plan = field(repr=False, compare=False)
    op: str = ""
    incoming: str = ""
    contributions: tuple[Contribution, ...] = ()
    freed: tuple[str, ...] = ()
    received: list[float] | None = None  # norm, max, min and mean of the incoming gradient, for breakpoints
    alarm: str = ""  # NaN or infinity in what came in or went out
    events: tuple[Event, ...] = ()
    grown: tuple[Grown, ...] = ()
    differences: Mapping[str, str] = field(default_factory=dict, repr=False)
    difference_maps: Mapping[str, str] = field(default_factory=dict, repr=False)
    failed: bool = False
    questions: tuple[Question, ...] = field(default=(), repr=False)
    cells: Mapping[str, Any] | None = field(default=None, repr=False)  # what cells.py says of the numbers, one by one
    made: tuple[str, ...] = ()  # the boxes that appear, in a frame of the forward pass, whose index is below 0

    @property
    def _count(self) -> int:
        """How many had run; in the forward pass, whose indices are below 0, none."""
        return max(self.index - self.failed, 0)

    @property
    def done(self) -> tuple[Turn, ...]:
        """Who has run, in that order."""
        return tuple(map(self._turn, self.plan.ran[: self._count]))

    @property
    def waiting(self) -> tuple[Turn, ...]:
        """Who will run later, those first for whom most has arrived."""
        left = Counter(self.plan.runs) - Counter(self.plan.ran[: self._count])
        turns = [self._turn(key) for key in left if all(key != turn.box for turn in self.ready)]
        # A leaf for which all have run and nothing was sent does not run: see PassProgress.is_passed_by.
        return tuple(sorted((turn for turn in turns if turn.arrived < turn.needed), key=lambda turn: -turn.arrived))

    def _turn(self, key: str) -> Turn:
        state = self.states[key]
        return Turn(key, self.plan.names[key], state.arrived, state.needed)

    @property
    def grads(self) -> dict[str, str]:
        """Box id -> its gradient so far, as text: None where nothing has arrived."""
        return {key: state.grad.text for key, state in self.states.items()}

    @property
    def norms(self) -> dict[str, float]:
        """Edge id -> the norm of what flowed along it at this step, which may be NaN or infinite."""
        sizes = {item.edge: norm(item.array) for item in self.contributions if item.array is not None}
        return {key: float(f"{size:.3g}") for key, size in sizes.items()}

    @property
    def sentence(self) -> str:
        """What happened, and what it comes to in numbers."""
        told = [[line.text for line in self.story if line.kind == kind] for kind in ("sentence", "numbers")]
        return " ".join([*told[0], "; ".join(told[1])]).strip()

    @property
    def spoken(self) -> str:
        """The frame in plain words, for a screen reader."""
        lines = [line.text for line in self.story if line.kind != "code" and not line.why]
        events = [clean_lines(event.text) for event in self.events if not event.is_quiet]
        return " ".join(text.rstrip(".:") + "." for text in [*lines, *events])

    def __repr__(self) -> str:
        place = f"step {self.index} of {self.total}" if self.index >= 0 else f"forward {self.index}"
        return shorten(f"{place}: {self.sentence or clean(self.op)}", LONGEST)

    def to_json(self, before: Frame | None) -> dict[str, Any]:
        """What the widget needs, as the difference to the frame before (all of it for the first)."""
        states = self.states.since(None if before is None else before.states)
        return {
            "index": self.index,
            "box": self.box,
            "story": [line.to_json() for line in self.story],
            "marks": self.marks,
            "ready": [turn.box for turn in self.ready],
            "next": self.next.box if self.next else None,
            "boxes": {key: _state_json(state) for key, state in states.items()},
            "edges": self.edges.since(None if before is None else before.edges),
            "chips": dict(self.chips),
            "received": [float(f"{value:.6g}") for value in self.received] if self.received else None,
            "norms": {key: _for_json(size) for key, size in self.norms.items()},
            "alarm": self.alarm,
            "events": [event.to_json() for event in self.events],
            "grown": [{"name": node.name, "op": node.op, "text": clean(node.text)} for node in self.grown],
            "differences": dict(self.differences),
            "difference_maps": dict(self.difference_maps),
            "failed": self.failed,
            **({"questions": [one.to_json() for one in self.questions]} if self.questions else {}),
            **({"made": self.made} if self.made else {}),
            **({"cells": self.cells} if self.cells else {}),
        }


class Frames(tuple[Frame, ...]):
    """Some frames, which a cell shows in one line: `trace()` tells all of them."""

    def __repr__(self) -> str:
        many = "frame" if len(self) == 1 else "frames"
        return f"{len(self)} {many}" + (f", the last {self[-1]!r}" if self else "")


def _for_json(size: float) -> float | str:
    """JSON has no word for NaN and infinity; these texts are what JavaScript reads as such."""
    return size if isfinite(size) else "NaN" if isnan(size) else "Infinity"


def _state_json(state: BoxState) -> dict[str, Any]:
    grad = state.grad
    return {
        "state": state.state,
        "badge": state.badge,
        "grad": f"⚠ {grad.alarm}" if grad.alarm else state.grad_text or grad.text,
        "full": grad.full,
        "none": not grad.known,
        "alarm": bool(grad.alarm),
        "where": grad.where,
        "exact": grad.python,
        "heat": grad.heat,
        **({"cells": grad.cells} if grad.cells else {}),
        "statistics": " · ".join(grad.statistics) if grad.statistics else "",
        "arrived": state.arrived,
        "needed": state.needed,
        **({"mark": state.mark} if state.mark else {}),
        **({"word": state.word} if state.word != "grad" else {}),
    }

"""`compare(a, b)`: two backward passes of the same computation in one picture, and where they part.

Both are run to their end on the spot, and nodes paired from the roots down; then the first is stepped through as
recorded, with the second's numbers beside its own wherever they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.comparing.differences import Differences
from minigrad.viz.comparing.pairs import pairs_of
from minigrad.viz.comparing.passes import Ran
from minigrad.viz.comparing.words import parting_lines
from minigrad.viz.graph.boxes import BoxState, Snapshot
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import WHOLE, describe, number
from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.picture.markup import clean, columns, shorten
from minigrad.viz.sources import is_known, source_of
from minigrad.viz.stepper import BackwardStepper
from minigrad.viz.steps.contributions import CHIP
from minigrad.viz.steps.frame_maker import FrameMaker
from minigrad.viz.steps.frames import Frame, StoryLine
from minigrad.viz.steps.grads_by_frame import GradsByFrame
from minigrad.viz.steps.history import History, Moment
from minigrad.viz.steps.story import line

AnyEngine = Engine | type[Source] | None
ROOM_FOR_TWO = 60  # columns of two numbers where there is room


def compare(
    a: Any,
    b: Any,
    engine: AnyEngine | tuple[AnyEngine, AnyEngine] = None,
    names: Mapping[str, Any] | None = None,
    labels: tuple[str, str] = ("the first", "the second"),
) -> Comparison:
    """Compare the backward passes of two results that were computed in the same way.

    Both passes run to their end when this is called, hooks and all; after that every `.grad` is what it was before.

    Args:
        a, b: the results of two engines, or of two versions of a rule: minigrad's, PyTorch's or your own engine's.
        engine: your engine, or a pair of engines, None for minigrad and PyTorch.
        names: name -> tensor or module of `a`, ahead of the names of your variables.
        labels: what the two are called in the picture.

    Returns what shows itself in a notebook, steps like a `BackwardStepper`, and opens where the passes part first.
    Raises ValueError where the graphs are not of the same shape, and what `BackwardStepper` raises.
    """
    for_each = [None if is_known(one) else engine for one in (a, b)]
    engines = engine if isinstance(engine, tuple) else for_each
    if len(engines) != 2 or len(labels) != 2 or not all(isinstance(label, str) for label in labels):
        raise ValueError("compare() takes a pair of engines and a pair of labels, one of each for each result")
    return Comparison(a, b, engines, names, labels)


class Comparison(BackwardStepper):
    """The pass of `a`, and what differs in that of `b`: see `compare`. `difference` is the frame at which they part
    first, or None; `summary` says so in words.
    """

    def __init__(self, a: Any, b: Any, engines: Any, names: Mapping[str, Any] | None, labels: tuple[str, str]) -> None:
        source = source_of(b, engines[1], "compare() expected a Tensor as its second result")
        run = source.steps(None, True, False, None)
        graph = snapshot(source)  # whose boxes are called as those of the first
        super().__init__(a, retain_graph=True, names=names, engine=engines[0])
        session = self.session
        session.maker.retain = False  # which is nothing to tell of
        try:
            found = self._both(pairs_of(session.graph, graph), graph, run)
            frames = [*_Beside(found, labels, session.maker.progress.rooms).frames()]
        except BaseException:
            self.close()
            raise
        first = next(iter(found.parting), "")
        self.difference = frames[found.at[first]] if first else None
        self.summary = self._summary(found, first)
        self._rehearse = None
        self.picture = {**self.picture, "note": self.summary, "compared": True}
        session.show_only(frames, self.difference.index if self.difference is not None else 0)
        self._hold(self.recorded, self.problem)

    def _both(self, pairs: dict[str, str], graph: Snapshot, run: Any) -> Differences:
        """Run both passes to their end."""
        one = Ran(self.session.maker, self.session.frames[0], self.session.grads)
        seed = np.ones(graph.by_id[graph.root].value.shape)
        maker = FrameMaker(graph, run, seed, None, {}, False)
        # In messages a node is called as in the picture.
        called = self.session.graph.by_id
        graph.source.call({graph.node_of[paired]: called[key].name for key, paired in pairs.items()})
        other = Ran(maker, maker.first(), GradsByFrame(graph, None))
        maker.close()
        return Differences(one, other, pairs)

    def _summary(self, found: Differences, first: str) -> str:
        count = sum(box.kind == "result" for box in self.session.graph.boxes)
        if self.difference is None:
            return f"No difference in {count} nodes."
        more = len(found.parting) - 1
        too = f" They part at {more} more." if more else ""
        name = clean(self.session.graph.by_id[first].name)
        return f"First difference: step {self.difference.index} of {self.difference.total}, at {name}.{too}"

    def __repr__(self) -> str:
        graph = self.session.graph
        return shorten(f"Comparison of {clean(graph.by_id[graph.root].name)}: {self.summary}", 100)


class _Beside:
    """The frames of one pass with the numbers of the other."""

    def __init__(self, found: Differences, labels: tuple[str, str], rooms: Mapping[str, int]) -> None:
        self.found, self.labels, self.rooms = found, labels, rooms
        self.sums = {key: found.initial(key) for key in found.pairs}  # what each gradient is in both, by now
        self.sums[found.one.graph.root] = found.received_pair(found.one.graph.root)
        self.lit: dict[str, str] = {}  # box at which they have parted by now -> its mark

    def frames(self) -> Iterator[Frame]:
        """Each frame, with what differs by then."""
        found, first = self.found, next(iter(self.found.parting), None)
        history: History | None = None
        before: Moment | None = None
        for frame in found.one.frames:
            key, chips = frame.box or "", dict(frame.chips)
            here = [one for one in found.parting if found.at[one] == frame.index]
            story = [text for one in here for text in parting_lines(found, one, self.labels, one == first)]
            self.lit |= {one: "first" if one == first else "parts" for one in here}
            children = [] if frame.failed else found.inputs.get(key, [])
            for child in children:
                mine, theirs, scale = found.sent_pair(key, child, frame.index)
                self.sums[child] = _sum(self.sums[child][0], mine), _sum(self.sums[child][1], theirs)
                is_sent = found.is_same(mine, theirs, scale) or found.replacement(key, child)
                if not is_sent and not self._is_over(theirs):
                    edge = next(edge.id for edge in found.one.graph.into[key] if edge.source == child)
                    chips[edge] = _beside(mine, theirs, CHIP)
            again = {**frame.states.since(before), **dict.fromkeys([*here, *children])}
            states = {one: self._state(frame.states[one], one) for one in again}
            if history is None:
                history = History(states)
            moment, before = history.add(states) if before is not None else history.at(0), frame.states
            more = self._none_and_zero() if frame is found.one.frames[-1] else ()
            told = (*story, *frame.story, *more)
            yield replace(frame, states=moment, story=told, chips=MappingProxyType(chips), questions=())

    def _is_over(self, theirs: Any) -> bool:
        """Whether there is nothing of the second, since its pass has failed: how it would have gone on is not known."""
        return theirs is None and self.found.other.failure is not None

    def _state(self, state: BoxState, key: str) -> BoxState:
        """What a box looks like: with both numbers where they differ, lit where the passes have parted."""
        mark, (mine, theirs) = self.lit.get(key, ""), self.sums.get(key, (None, None))
        if not (state.grad.known or mark) or self.found.is_same(mine, theirs):
            return replace(state, mark=mark) if mark else state
        if self._is_over(theirs):
            return replace(state, mark=mark or "follows")
        text, short = (_beside(mine, theirs, room) for room in (ROOM_FOR_TWO, self.rooms[key]))
        full = f"{state.grad.full} in {self.labels[0]}, {_text(theirs)} in {self.labels[1]}"
        grad = replace(state.grad, text=text, full=full, known=True, heat="")
        return replace(state, grad=grad, grad_text=short, mark=mark or "follows")

    def _none_and_zero(self) -> Iterator[StoryLine]:
        """Leaves that no gradient has reached, where only one of the two says so."""
        for key, mine in self.found.one.final.items():
            theirs = self.found.other.final.get(self.found.pairs.get(key, ""), mine)
            if (mine is None) != (theirs is None) and key not in self.found.spoiled:
                texts = ("None", "0")[:: 1 if mine is None else -1]
                said = f".grad is {texts[0]} in {self.labels[0]}, {texts[1]} in {self.labels[1]}: no gradient came."
                yield line("item", ("name", self.found.one.graph.by_id[key].name), said)


@silent
def _sum(held: Any, new: Any) -> Any:
    if held is None or new is None:
        return held if new is None else new
    return np.add(held, new) if np.shape(held) == np.shape(new) else new


def _text(array: Any) -> str:
    return "None" if array is None else describe(array).text


@silent
def _beside(mine: Any, theirs: Any, room: int) -> str:
    """Two gradients that differ, `10 ≠ 9`; of large ones by how much."""
    text = f"{_text(mine)} ≠ {_text(theirs)}"
    is_one = mine is None or theirs is None or np.shape(mine) != np.shape(theirs)
    if is_one or (np.size(mine) <= WHOLE and columns(text) <= room):
        return shorten(text, room)
    return f"≠ by {number(np.max(np.abs(np.subtract(mine, theirs))))}"

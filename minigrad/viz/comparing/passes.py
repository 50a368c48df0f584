"""A backward pass, run to its end, and what was received and sent in it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, reduce
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import Edge
from minigrad.viz.graph.source import Step
from minigrad.viz.steps.contributions import array_of
from minigrad.viz.steps.frame_maker import FrameMaker
from minigrad.viz.steps.frames import Frame
from minigrad.viz.steps.grads_by_frame import GradsByFrame


class Ran:
    """A pass that has run. Every `.grad` is what it was before.

    By box: `received`, the gradients with which it ran, the first time first; `steps`, at which it ran or failed;
    `writers`, the step at which its value was written to, and by whose rule; `initial`, what its gradient held before
    the pass; `final`, what a leaf's holds after it. By step and box: `sent_at`, what was sent there. By two boxes:
    `scales`, how large the numbers were whose difference was sent from one to the other.
    """

    def __init__(self, maker: FrameMaker, first: Frame, grads: GradsByFrame) -> None:
        self.graph, self.frames = maker.graph, [first]
        self.received: dict[str, list[Any]] = {}
        self.sent_at: dict[tuple[int, str], Any] = {}
        self.steps: dict[str, list[int]] = {}
        self.scales: dict[tuple[str, str], float] = {}
        leaves, backward = list(maker.progress.leaves), maker.backward
        held = {key: maker.progress.leaf_grad(key) for key in leaves}
        maker.on_step = partial(self._note, maker)
        try:
            while (frame := maker.advance()) is not None:
                self._add(frame)
            if isinstance(maker.failure, KeyboardInterrupt):
                raise maker.failure
            self.failure = maker.failure
            self.final = {key: maker.progress.leaf_grad(key) for key in leaves}
        finally:
            grads.put_back(0)
        self.users: dict[str, list[Edge]] = {}
        for edge in filter(lambda edge: edge.carries, self.graph.edges):
            self.users.setdefault(edge.source, []).append(edge)
        self.writers = backward.writers
        found = held if backward.initial is None else backward.initial
        self.initial = {key: array for key, array in found.items() if array is not None and np.any(array)}

    def _note(self, maker: FrameMaker, step: Step) -> None:
        node, incoming, _ = step
        source, ids, key = maker.source, maker.ids, maker.ids[node]
        self.received.setdefault(key, [None if one is None else array_of(source, one) for one in incoming])
        for (child, _), scale in zip(source.edges(node), maker.backward.scales(node), strict=False):
            self.scales[key, ids[child]] = scale

    def _add(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.steps.setdefault(frame.box or "", []).append(frame.index)
        for item in () if frame.failed else frame.contributions:
            at = frame.index, item.box
            self.sent_at[at] = _together(self.sent_at.get(at), item.array)

    def sum_sent(self, steps: Iterable[int], child: str) -> Any:
        """What some runs of a box sent to one of its inputs, together; None where nothing went there."""
        return reduce(_together, (self.sent_at.get((step, child)) for step in steps), None)

    @property
    def stopped(self) -> str | None:
        """The box at which the pass failed."""
        return self.frames[-1].box if self.failure is not None else None

    def late(self, key: str) -> list[str]:
        """The boxes that send to a box, and ran only after it."""
        users = {edge.target: None for edge in self.users.get(key, ())}
        return [user for user in users if key in self.steps and self.steps.get(user, [0])[-1] > self.steps[key][-1]]

    def around(self, way: tuple[str, str]) -> tuple[Any, Any]:
        """What was at an input before a box sent to it, and what then stands there."""
        steps, before = self.steps.get(way[0], [len(self.frames)]), np.asarray(self.initial.get(way[1], 0.0))
        for (step, key), array in self.sent_at.items():
            if key == way[1] and step < steps[0]:
                before = before + array
        sent = self.sum_sent(steps, way[1])
        return before, before if sent is None else before + sent


def _together(one: Any, other: Any) -> Any:
    """What a box sends to an input that it uses twice: the sum, or, to two results of one node, both."""
    if one is None or other is None:
        return other if one is None else one
    return one + other if one.shape == other.shape else np.concatenate([one.ravel(), other.ravel()])

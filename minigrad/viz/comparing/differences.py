"""Where two passes part: the nodes at which what came in agrees, and what went out does not.

Everything else that differs follows from those. Numbers are equal up to rounding, which is that of the coarser of the
two graphs; NaN equals NaN; None and zeros are the same number, though not the same thing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.comparing.pairs import inputs_of
from minigrad.viz.comparing.passes import Ran

ROUNDING = {"float16": 2e-2, "bfloat16": 4e-2, "float32": 1e-4, "complex64": 1e-4}  # relative; of other types 1e-7


class Differences:
    """Two passes over graphs whose boxes are `pairs`. All is said of the boxes of the first.

    `parting` maps a box at which they part to how: "before" (what was there before the pass), "stopped" (the second
    fails), "missing" (one never runs it), "again" (one runs it more often), "order", "received" or "sent"; the first
    of them first. `at` is the step of the first pass at which that is seen.
    """

    def __init__(self, one: Ran, other: Ran, pairs: dict[str, str]) -> None:
        self.one, self.other, self.pairs = one, other, pairs
        dtypes = {box.value.dtype for ran in (one, other) for box in ran.graph.boxes}
        self.near = max(ROUNDING.get(dtype, 1e-7) for dtype in dtypes)
        inputs = inputs_of(one.graph)
        self.inputs = {key: [child for child in inputs[key] if child in pairs] for key in inputs if key in pairs}
        self.spoiled: set[str] = set()  # boxes for which something differed when it arrived
        self.parting: dict[str, str] = {}
        self.at: dict[str, int] = {}
        for key in self.inputs:
            if one.graph.by_id[key].kind == "leaf" and not self.is_same(*self.initial(key)):
                self.parting[key], self.at[key] = "before", 0
        results = {box.id: None for box in one.graph.boxes if box.id in pairs and box.kind == "result"}
        for key in [key for key in one.steps if key in results]:
            self._look_at(key)
        for key in () if one.failure is not None else results:
            if key not in one.steps and pairs[key] in other.steps:  # that is seen when the first has come to its end
                self.parting[key], self.at[key] = "missing", one.frames[-1].index
        self.parting = {key: self.parting[key] for key in sorted(self.parting, key=self.at.__getitem__)}

    def _look_at(self, key: str) -> None:
        """Whether the passes part at a box that the first has run."""
        paired = self.pairs[key]
        children = [child for child in self.inputs[key] if not self.is_same(*self.sent_pair(key, child))]
        if self.other.stopped == paired or self.one.stopped == key:
            how = "" if self.other.stopped == paired and self.one.stopped == key else "stopped"
        elif paired not in self.other.steps:
            how = "" if self.other.stopped else "missing"
            self.spoiled.update(self.inputs[key])
        elif len(self.one.steps[key]) != len(self.other.steps[paired]):
            how = "again" if children and not (self.one.stopped or self.other.stopped) else ""
        elif {*map(self.pairs.get, self.one.late(key))} != {*self.other.late(paired)}:
            how = "order"
        elif key in self.spoiled:
            how = ""
        else:
            both = zip(self.one.received[key], self.other.received[paired], strict=False)
            how = "" if all(self.is_same(*pair) for pair in both) else "received"
            how = how or ("sent" if children else "")
        self.spoiled.update(children)
        if how:
            steps = self.one.steps[key]
            differ = (
                step for step in steps for child in children if not self.is_same(*self.sent_pair(key, child, step))
            )
            self.parting[key], self.at[key] = how, next(differ, steps[-1]) if how in ("sent", "again") else steps[0]

    def initial(self, key: str) -> tuple[Any, Any]:
        """What a box's gradient held before the passes, None for nothing and for 0."""
        return self.one.initial.get(key), self.other.initial.get(self.pairs[key])

    def received_pair(self, key: str) -> tuple[Any, Any]:
        """What a box was run with."""
        pairs = (self.one, key), (self.other, self.pairs[key])
        one, other = (next(iter(ran.received.get(at, ())), None) for ran, at in pairs)
        return one, other

    def sent_pair(self, key: str, child: str, step: int | None = None) -> tuple[Any, Any, float]:
        """What a box sent to one of its inputs in both passes, and how large the numbers were whose difference that is,
        as of a learner's own engine, where only the change of a gradient is seen; 0 where it is no difference.

        With a `step` of the first pass, only what the run at that step did, and in the other the same run; with all
        further ones of the other, where it is the last in the first.
        """
        ways = (key, child), (self.pairs[key], self.pairs[child])
        scale = max(self.one.scales.get(ways[0], 0.0), self.other.scales.get(ways[1], 0.0))
        runs, others = self.one.steps.get(key, []), self.other.steps.get(ways[1][0], [])
        if step is not None:
            number, is_last = runs.index(step), step == runs[-1]
            runs, others = [step], others[number:] if is_last else others[number : number + 1]
        return self.one.sum_sent(runs, child), self.other.sum_sent(others, ways[1][1]), scale

    def around(self, key: str, child: str) -> tuple[Any, ...]:
        """What was at an input before a box sent to it, in both passes; and what then stands there."""
        ways = self.one.around((key, child)), self.other.around((self.pairs[key], self.pairs[child]))
        return tuple(zip(*ways, strict=True))

    def replacement(self, key: str, child: str) -> tuple[int, int] | None:
        """Which of the two puts what a box sends in the place of what was there, where both send the same, and how
        often: `h * h` sends to h twice. Of a learner's own engine it is only known by how much a gradient has changed.
        """
        (held, there), sent = self.around(key, child), self.sent_pair(key, child)
        for number, times in (1, 1), (0, 1), (1, 2), (0, 2):
            if np.any(held[number]) and self.is_same(there[number] * times, sent[1 - number]):
                return number, times
        return None

    @silent
    def is_same(self, one: Any, other: Any, scale: float = 0.0) -> bool:
        """Whether two gradients are equal up to rounding, that of numbers of the size `scale`."""
        if one is None or other is None:
            there = other if one is None else one
            return there is None or not np.any(there)
        if np.shape(one) != np.shape(other):
            return False
        size = np.maximum(np.abs(one), np.abs(other))
        finite = np.max(size, initial=0.0, where=np.isfinite(size))
        close = np.abs(one - other) <= self.near * np.maximum(size, max(scale, finite / 1000))
        return bool(np.all(close | (one == other) | (np.isnan(one) & np.isnan(other)) | ~np.isfinite(scale)))

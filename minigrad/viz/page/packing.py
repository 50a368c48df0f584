"""What a stepper keeps for the time without a kernel, and how it is packed.

That is its picture and its frames, packed into one text: base64 of deflated JSON, a tenth of its size. Where it is
safe, it is all frames, also of a pass that was never stepped: it is `rehearsed`, and everything put back.
"""

from __future__ import annotations

import base64
import json
import math
import operator
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import ipywidgets
import traitlets

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.page import widget_source
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.events import error_text
from minigrad.viz.steps.frame_maker import FrameMaker
from minigrad.viz.steps.frames import Frame

PLAIN = 10_000  # characters of frames that are not packed
TOGETHER, FEW = (512, 32), 4  # how many frames are packed together, those of long ago first, and how many not yet
RAN = "past", "earlier", "lately", "ran"  # what the widget calls these, and the frames that are not packed
MANY_BYTES = 1_000_000  # bytes of what is packed from which on four times the speed is worth a fifteenth of the size
NODES, ELEMENTS = 150, 1_000_000  # up to which a pass is rehearsed: it takes as long as the pass itself


def pack(values: Any, level: int | None = None) -> str:
    """Values as a text that `unpack` in kept.mjs turns back."""
    text = json.dumps(values, separators=(",", ":")).encode()
    level = level or (9 if len(text) < MANY_BYTES else 6)
    return base64.b64encode(zlib.compress(text, level)).decode("ascii")


class Past:
    """Frames as they go to the page: many of long ago in one text, fewer of later in one, and the last as they are.

    A list in which something is new is sent anew, and that is little: with each step the last frames as they are, less
    than four; with every fourth the one text of those before, with every 32nd the texts of 32. So all steps together
    send each frame some times, however many there are, and the notebook holds a tenth of what was recorded.
    """

    def __init__(self) -> None:
        self._packed: dict[tuple[str, ...], str] = {}

    def parts_of(self, frames: list[str]) -> list[list[str]]:
        """What the widget calls `RAN`: three lists of packed texts, and the frames that are not packed."""
        if sum(map(len, frames)) <= PLAIN:
            return [[], [], [], frames]
        parts, known, start = [], self._packed, 0
        self._packed = {}
        for size in (*TOGETHER, len(frames) % TOGETHER[-1] // FEW * FEW or FEW):
            end = len(frames) - (len(frames) - start) % size
            chunks = [tuple(frames[k : k + size]) for k in range(start, end, size)]
            self._packed |= {chunk: known.get(chunk) or pack(chunk, 6) for chunk in chunks}
            parts.append([self._packed[chunk] for chunk in chunks])
            start = end
        return [*parts, frames[start:]]


@lru_cache(maxsize=1)
def notebook_module() -> str:
    """The small module that JupyterLab loads for each stepper's model."""
    return widget_source.join_scripts("pack", "announcing", "storing", "notebook")


@lru_cache(maxsize=1)
def packed_code() -> str:
    """The widget's own script and style, as outputs of a notebook hold them: see static/output.mjs."""
    text = "\n".join(
        [widget_source.script(), widget_source.join_scripts("pack", "kept", "plain", "announcing", "output")]
    )
    return pack({"script": text, "style": widget_source.style()})


class SharedCode(ipywidgets.Widget):  # type: ignore[misc]
    """Holds `packed_code()`, once for all steppers of a kernel, where a stepper is part of another widget.

    The script would be the largest part of each stepper's state, so it is the state of a widget of its own, which has
    no view; each stepper holds only that widget's id, by which its page finds it.
    """

    code = traitlets.Unicode().tag(sync=True)


_of_this_kernel: SharedCode | None = None


def shared_code() -> SharedCode:
    """The one of this kernel; a new one where it was closed, as `Widget.close_all()` does."""
    global _of_this_kernel
    if _of_this_kernel is None or _of_this_kernel.comm is None:
        _of_this_kernel = SharedCode(code=packed_code())
    return _of_this_kernel


# ---------------------------------------------------------------- a pass that was not stepped


def can_rehearse(graph: Snapshot) -> bool:
    """Whether running the pass once more than asked would show nowhere: no code of the learner's runs in it."""
    is_small = len(graph.boxes) <= NODES and sum(math.prod(box.value.shape) for box in graph.boxes) <= ELEMENTS
    return graph.source.can_be_replayed and is_small and all(map(graph.source.is_plain, graph.node_of.values()))


def rehearsal_of(
    graph: Snapshot, watched: Mapping[str, Any], begin: Callable[[], FrameMaker]
) -> tuple[list[str], dict[str, Any]]:
    """All frames of a pass, as JSON, run ahead of time, and what went wrong, as the widget's `problem`.

    `begin` starts the pass, `watched` are the tensors whose `.grad` it changes. Everything is put back.
    """
    nodes = [node for node in graph.nodes if node is not None]
    grads = {tensor: tensor._grad for tensor in watched.values()}
    held = [*(node._kept for node in nodes), *grads.values(), warnings.filters]
    names = ["_kept"] * len(nodes) + ["_grad"] * len(grads) + ["filters"]
    putting_back = map(setattr, [*nodes, *grads, warnings], names, held)
    try:
        warnings.filters = [("ignore", None, Warning, None, 0)]  # they come when the pass is run in earnest
        for tensor, gradient in grads.items():
            # A copy is added to in place of the learner's own .grad.
            tensor._grad = None if gradient is None else gradient.detach().clone()
        maker = begin()
        frames = maker.run()
    finally:
        list(putting_back)  # in one call, which is not stopped half way
    failure = maker.failure
    return texts_of(frames), {} if failure is None else trouble(failure, frames[-1].box)


class FrameTexts:
    """Frames that become more, or other ones, as JSON: what is written of each stays as long as it does."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []
        self._texts: list[str] = []

    def of(self, frames: Sequence[Frame]) -> list[str]:
        """What `texts_of` gives."""
        is_same = [*map(operator.is_, frames, self._frames)]
        if len(frames) == len(self._frames) and all(is_same):
            return self._texts
        known, self._frames, self._texts = len(is_same), self._frames[: len(frames)], self._texts[: len(frames)]
        other = [] if all(is_same) else [place for place in range(known) if not is_same[place]]
        # The one after it, too, which is a difference to it; and first, so that it is not forgotten by a stop between.
        again = [place for first in reversed(other) for place in (first + 1, first) if place < known]
        for place in [*again, *range(known, len(frames))]:
            text = json.dumps(frames[place].to_json(frames[place - 1] if place else None))
            self._texts[place : place + 1] = [text]
            self._frames[place : place + 1] = [frames[place]]
        return self._texts


def texts_of(frames: Sequence[Frame]) -> list[str]:
    """Frames as JSON, each as the difference to the one before."""
    return [json.dumps(frame.to_json(before)) for frame, before in zip(frames, [None, *frames], strict=False)]


def trouble(error: BaseException, box: str | None) -> dict[str, Any]:
    """An error as the page tells it: its text, and the box at which it came."""
    return {"text": clean(error_text(error)), "box": box}

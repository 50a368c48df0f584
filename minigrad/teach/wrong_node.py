"""The graph of a case with the node in red at which an answer went wrong.

After this module a reader knows how a check gets its picture: the engine walks over a copy of the graph, so that every
box shows the gradient that is right, and one box says what was answered instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from minigrad.autograd import engine
from minigrad.tensor import Tensor

LONGEST = 24  # characters that fit onto a box's badge


def draw_wrong_node(root: Tensor, names: Mapping[str, Tensor], wrong: str, words: str) -> str:
    """An SVG of the graph behind a scalar, with all gradients, and the box called `wrong` in red under `words`.

    The graph is walked, and its leaves get gradients: pass one that nobody else holds. ValueError if no box is called
    `wrong`.
    """
    from minigrad.viz.recorder import Recorder
    from minigrad.viz.snapshot import snapshot
    from minigrad.viz.svg import draw_svg

    graph = snapshot(root, names)
    steps = engine.steps(root, None, True, False, None)
    recorder = Recorder(graph, steps, np.ones((), np.float32), None, draw_svg(graph, {}).rooms, True)
    frame = recorder.first()
    while (following := recorder.advance()) is not None:
        frame = following
    states = {key: replace(state, state="idle", badge="") for key, state in frame.states.items()}
    key = graph.named(wrong).id
    states[key] = replace(states[key], state="failed", badge=words if len(words) <= LONGEST else "✗ here")
    return draw_svg(graph, states).svg

"""The graph of a case with the node in red at which an answer went wrong.

`draw_wrong_node` lets the engine walk over a graph, so that every box shows its gradient, and one box says what is
wrong with it; `draw_nodes` draws a graph that is not walked, for exercises about the graph itself. The learner's own
lines stand in the boxes that they made; what the course made for the case is written as the call of an op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import CodeType
from typing import Any

import numpy as np

from minigrad.creation import tensor
from minigrad.teach.comparing import show
from minigrad.tensor import Tensor

Names = Mapping[str, Tensor]

CHARACTER = 6.4  # pixels that a character takes on a badge


def draw_wrong_node(
    root: Tensor, names: Names, wrong: str | Tensor, words: str, gradient: Tensor | None = None, answer: Any = None
) -> str:
    """An SVG of the graph behind a tensor, with all gradients, and the box of `wrong` in red under `words`.

    Args:
        root: where the walk begins. Its leaves get gradients, and its nodes lose the lines that made them: pass a graph
            that nobody else holds.
        names: what the boxes are called.
        wrong: the name of a box, or the tensor of one. Where the graph does not lead to that tensor, the root is red.
        gradient: what arrives at a root that is no scalar.
        answer: the learner's function, if it made some of the graph.

    ValueError if no box has the name `wrong`.
    """
    from minigrad.viz.picture.svg import draw_svg
    from minigrad.viz.steps.frame_maker import FrameMaker

    graph = _snapshot_of_case(root, names, answer)
    key = graph.box_named(wrong).id if isinstance(wrong, str) else _box_of(graph, wrong)
    if not root.requires_grad:
        return _draw_red(graph, {}, key, words)
    seed = np.ones((), np.float32) if gradient is None else gradient.detach().numpy()
    maker = FrameMaker(
        graph, graph.source.steps(gradient, True, False, None), seed, None, draw_svg(graph, {}).rooms, True
    )
    frame = maker.first()
    while (following := maker.advance()) is not None:
        frame = following
    return _draw_red(
        graph, {box: replace(state, state="idle", badge="") for box, state in frame.states.items()}, key, words
    )


def draw_nodes(root: Tensor, names: Names, badges: Mapping[Any, str], wrong: Callable[[Any], bool]) -> str:
    """An SVG of the graph behind a tensor, in which nodes have badges, and those that are `wrong` are red."""
    from minigrad.viz.graph.boxes import BoxState

    graph = _snapshot_of_case(root, names, None)
    states = {}
    for box, node in zip(graph.boxes, graph.nodes, strict=True):
        kind = "off" if node is None else "failed" if wrong(node) else "idle"
        states[box.id] = BoxState(kind, badges.get(node, ""), box.grad)
    return _draw(graph, states, [key for key, state in states.items() if state.state == "failed"])


def yours(value: Any) -> str:
    """The words on a badge that say what was answered."""
    return f"✗ yours: {numbers(value)}"


def numbers(value: Any) -> str:
    """A tensor's numbers alone, to three digits behind the point."""
    if not isinstance(value, Tensor):
        return show(value)
    rounded = tensor(np.round(value.detach().numpy().astype(np.float64), 3))
    return show(rounded).removeprefix("tensor(").removesuffix(")")


def _snapshot_of_case(root: Tensor, names: Names, answer: Any) -> Any:
    """The snapshot of a case's graph, whose nodes forget the lines that are not the learner's."""
    from minigrad.viz.graph.observer import ObservedMaking
    from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
    from minigrad.viz.sources import snapshot_of

    own, source = set(_codes(getattr(answer, "__code__", None))), MinigradSource(root)
    for making in map(source.making, nodes_of(root)):
        if isinstance(making, ObservedMaking) and making.code not in own:
            making.code = None  # else the line that called the check would stand in the box
    return snapshot_of(root, names)


def _codes(code: CodeType | None) -> list[CodeType]:
    """The code of a function, and of those that are defined in it."""
    found = [] if code is None else [code]
    for one in found:  # which grows
        found += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return found


def nodes_of(root: Tensor, most: float = float("inf")) -> list[Any]:
    """All nodes of a graph, each once, in the order in which they are met; of a graph with more than `most`, some."""
    order: list[Any] = [node for node in [root.grad_fn] if node is not None]
    met = {None, *order}
    for node in order:  # which grows while we go along it
        if len(order) > most:
            break
        found = dict.fromkeys([following for following, _ in node.next_functions if following not in met])
        met.update(found)
        order += found
    return order


def _box_of(graph: Any, tensor: Tensor) -> str:
    for box, node in zip(graph.boxes, graph.nodes, strict=True):
        if node is not None and (node is tensor.grad_fn or graph.source.leaf(node) is tensor):
            return str(box.id)
    return str(graph.root)


def _draw_red(graph: Any, states: dict[str, Any], key: str, words: str) -> str:
    from minigrad.viz.graph.boxes import BoxState
    from minigrad.viz.picture.svg import box_size

    state = states.get(key) or BoxState("failed", "", graph.by_id[key].grad)
    width, _ = box_size(graph.by_id[key], every_grad=True)
    return _draw(graph, {**states, key: replace(state, state="failed", badge=_fitting(words, width))}, [key])


def _draw(graph: Any, states: dict[str, Any], red: Iterable[str]) -> str:
    """The picture that `viz.draw` gives of the graph, in which also the parts are open that hold red boxes."""
    from minigrad.viz.drawing import with_those_around
    from minigrad.viz.graph.groups import groups_of, open_at_first
    from minigrad.viz.picture.svg import draw_svg

    groups = groups_of(graph, graph.modules)
    wanted, red = set(open_at_first(graph, groups)), set(red)
    holders = [group for group in groups if group.id in wanted or not red.isdisjoint(group.boxes)]
    return draw_svg(graph, states, groups=groups, shown=with_those_around(groups, holders)).svg


def _fitting(words: str, width: float) -> str:
    """The words if they fit onto the badge of a box, else the words without the numbers in them."""
    if len(words) * CHARACTER < width:
        return words
    return words.partition("[")[0] + "other numbers" if "[" in words else "✗ here"

"""How far a pass has come: what will run, what has arrived where, who is ready, who waits.

Which nodes run, along which edges gradients go and for how many a node waits follows from the graph, before anything
has run. Then the maker notes here, step by step, what arrives; from that a frame gets the state of every box.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph import values
from minigrad.viz.graph.boxes import NO_SOURCE, Box, BoxState, Edge, Snapshot
from minigrad.viz.graph.source import Pass
from minigrad.viz.graph.values import Value, describe
from minigrad.viz.picture.markup import columns, value_text
from minigrad.viz.steps.frames import Plan, Turn
from minigrad.viz.steps.history import History, Moment
from minigrad.viz.steps.marks import Mark

ROOM = 20  # characters of a gradient, where the drawing does not say how many fit
SO_FAR = "so far"  # in the place of "grad", before the sum of what has come for a leaf, which is no .grad yet


class PassProgress:
    """The state of one pass over a graph.

    Args:
        graph: the boxes and the nodes behind them.
        wanted: box id -> tensors of `inputs=`, or None for all leaves.
        rooms: how many characters fit into a row of each box.
        backward: the pass.
    """

    def __init__(
        self, graph: Snapshot, wanted: Mapping[str, Any] | None, rooms: Mapping[str, int], backward: Pass
    ) -> None:
        self.wanted = wanted
        self.rooms = rooms
        self.backward = backward
        self.source = graph.source
        self.boxes = graph.by_id
        self.gradient_name = graph.gradient_name
        self.into = graph.into
        self.nodes = graph.node_of
        self.leaves = {key: leaf for key, node in self.nodes.items() if (leaf := self.source.leaf(node)) is not None}
        planned = backward.plan(graph)
        self.is_planned = planned is not None  # by the engine; else what runs follows from the graph and from `wanted`
        if planned is None:
            self.runs, self.live = plan_of(graph, wanted)
        else:  # its leaves only receive
            self.runs, self.wanted = set(planned), self.leaves
            self.live = {edge.id: edge for edge in graph.edges if edge.target in self.runs}
        self.left = Counter(self.runs if planned is None else planned)  # how often each box is still to run
        self.live_into: dict[str, list[Edge]] = {}  # box -> the edges along which it will send gradients
        for edge in self.live.values():
            self.live_into.setdefault(edge.target, []).append(edge)
        self.needed = Counter([graph.root, *(edge.source for edge in self.live.values())])  # gradients, by box
        self.level_order = _level_order(graph)
        self.arrived = dict.fromkeys(self.boxes, 0)
        self.sums: dict[str, dict[int, Any]] = {key: {} for key in self.boxes}  # box -> output -> sum so far
        self.senders = defaultdict[tuple[str, int], list[Box]](list)
        self.changing: dict[str, Any] = {}  # what a gradient was before this step changed it
        self.described: dict[str, Value] = {}  # what the sums read, until something is added to them
        self.held: dict[str, tuple[Mark, Value]] = {}  # what a leaf's .grad was and read when it was looked at last
        self.flowing: dict[str, str] = {}  # the edges that have changed since the last frame
        self.arriving: list[str] = []  # edges along which something went at this step
        names = {key: f"{box.name}.grad" if box.kind == "leaf" else box.name for key, box in self.boxes.items()}
        self.plan = Plan(names, tuple(key for key in self.boxes for _ in range(self.left[key])), [])
        self.arrivals: dict[str, None] = {}  # boxes that are ready, in the order in which they became so
        self.place = {key: number for number, key in enumerate(self.boxes)}
        self.over: set[str] = set()  # those that have run
        self.touched: set[str] = set()  # boxes that may look different from the last frame on
        self.marked: set[str] = set()  # those that the last frame marks, as the one that ran or is next
        self.state_history: History | None = None
        self.edge_history = History({edge.id: "idle" if edge.id in self.live else "off" for edge in graph.edges})

    @property
    def ran(self) -> list[str]:
        """The boxes that have run, in that order."""
        return self.plan.ran

    def forget(self) -> None:
        """Let go of the graph."""
        self.nodes, self.wanted, self.held, self.leaves = {}, None, {}, {}
        self.source, self.backward = NO_SOURCE, Pass()

    # -- what happens

    def arrive(
        self, key: str, output: int, array: Any, sender: Box | None, reads: Value | None = None, again: bool = False
    ) -> Any:
        """Note that one of the gradients that a box waits for has come, and what it `reads`, if that is known; `array`
        is None where nothing was sent. One that has come before, from a box that runs `again`, is not waited for.
        Returns the sum that was there before, or None.
        """
        before = self.sums[key].get(output)
        if array is not None:
            if before is not None and key not in self.leaves:
                self.changing.setdefault(key, before)
            self.sums[key][output] = array if before is None else silent(np.add)(before, array)
            self.senders[key, output] += [] if sender is None else [sender]
            self.described.pop(key, None)
            if reads is not None and before is None and not self.boxes[key].outputs:
                self.described[key] = reads
        self.touched.add(key)
        self.arrived[key] += not again
        if self.arrived[key] == self.needed[key]:
            self.arrivals[key] = None
            if key in self.runs:
                self.backward.note_ready(self.source.number(self.nodes[key]), key)
        return before

    def change(self, key: str, before: Any, after: Any) -> None:
        """A hook has changed a gradient that had arrived."""
        sums = self.sums[key]
        alike = [output for output, array in sums.items() if array.shape == before.shape == after.shape]
        if alike:
            output = min(alike, key=silent(lambda number: float(np.nansum(np.abs(sums[number] - before)))))
            self.changing.setdefault(key, sums[output])
            sums[output] = after
            self.described.pop(key, None)
            self.touched.add(key)

    def note_run(self, key: str) -> None:
        """A box has run."""
        self.ran.append(key)
        self.left[key] -= 1
        self.over.add(key)
        if not self.left[key]:
            self.arrivals.pop(key, None)

    def mark_edge(self, edge: str, state: str) -> None:
        """What an edge looks like from this step on; what goes along it "now" is "done" at the next."""
        self.flowing[edge] = state
        if state == "now":
            self.arriving.append(edge)

    def leaves_may_differ(self) -> None:
        """More may have changed than what this pass did: look at the `.grad` of every leaf again."""
        self.touched.update(self.leaves)

    def edges_are_done(self) -> None:
        """What went along edges at the last step has arrived."""
        self.flowing.update(dict.fromkeys(self.arriving, "done"))
        self.arriving = []

    # -- who is next

    def ready(self) -> list[str]:
        """Boxes whose gradient is complete, the next to run first: leaves before ops, and of the ops the most recently
        made.
        """
        to_run = [key for key in self.arrivals if key in self.runs]
        open_boxes = [key for key in to_run if not self.is_passed_by(key)]
        order = self.backward.order()
        if order is not None:
            return [key for key in order if key in (*open_boxes, *self.backward.forced)]
        return sorted(open_boxes, key=self._rank)

    def expected_order(self) -> list[str]:
        """All boxes that run, in the order in which they will, where every rule sends something to each input."""
        arrived, order, queue = Counter(self.arrived), [], [(self._rank(key), key) for key in self.ready()]
        heapq.heapify(queue)
        while queue:
            _, key = heapq.heappop(queue)
            order.append(key)
            for edge in self.live_into.get(key, ()):
                arrived[edge.source] += 1
                if arrived[edge.source] == self.needed[edge.source] and edge.source in self.runs:
                    heapq.heappush(queue, (self._rank(edge.source), edge.source))
        return order

    def _rank(self, key: str) -> tuple[int, int]:
        """Leaves before ops, and of the ops the most recently made."""
        return (0, self.level_order[key]) if key in self.leaves else (1, -self.source.number(self.nodes[key]))

    def is_passed_by(self, key: str) -> bool:
        """Whether all who use a leaf have run and sent nothing: its AccumulateGrad does not run then."""
        return key in self.leaves and self.arrived[key] == self.needed[key] and not self.sums[key]

    def is_pruned(self, box: Box) -> bool:
        """Whether `inputs=`, or the engine's own plan, leaves a box out that would run otherwise."""
        is_left_out = box.kind != "constant" and box.id not in self.runs
        return is_left_out and self.wanted is not None and box.id not in self.wanted

    def turn(self, key: str) -> Turn:
        """Where a box stands in the queue."""
        return Turn(key, self.plan.names[key], self.arrived[key], self.needed[key])

    def parts(self, key: str) -> str:
        """How many of the gradients that a box needs have arrived, as what comes before their sum."""
        is_known = not self.boxes[key].outputs and len(self.senders[key, 0]) <= self.arrived[key]
        return f"{self.arrived[key]} of {self.needed[key]} parts have come, together " if is_known else "so far "

    # -- gradients

    def leaf_grad(self, key: str) -> Any:
        """A copy of a leaf's `.grad` as an array, or None."""
        gradient = self.source.grad(self.leaves[key])
        return None if gradient is None else np.array(self.source.array(gradient))

    def grad(self, key: str) -> Value:
        """What a box's gradient reads: `.grad` itself for a leaf, else the sum of what has arrived."""
        if self.boxes[key].kind == "constant":
            return values.NONE
        if key in self.leaves:
            return self._held_value(key)
        sums = self.sums[key]
        if sums and key not in self.described:
            several = self.boxes[key].outputs
            parts = [describe(sums[number]) if number in sums else values.NONE for number in range(len(several))]
            self.described[key] = values.value_of_outputs(parts) if several else describe(sums[min(sums)])
        return self.described.get(key, values.NONE)

    def _held_value(self, key: str) -> Value:
        """What a leaf's `.grad` reads, described anew only where it has changed."""
        gradient = self.source.grad(self.leaves[key])
        if gradient is None:
            return values.NONE
        mark, value = self.held.get(key, (None, values.NONE))
        if mark is None or not mark.is_of(gradient):
            value = self._reads(key, self.source.array(gradient))
            self.held[key] = Mark(self.source, gradient), value
        return value

    def _reads(self, key: str, array: Any) -> Value:
        """What a leaf's `.grad` reads: where it is just what has arrived, that is known already."""
        known, arrived = self.described.get(key), self.sums[key].get(0)
        if known is None or arrived is None or arrived.dtype != array.dtype or not np.array_equal(arrived, array):
            return describe(array)
        return known

    def differences(self) -> tuple[dict[str, str], dict[str, str]]:
        """By how much those gradients changed that this step has changed, in words, and the large ones as heat maps."""
        before, self.changing = self.changing, {}
        words, maps = {}, {}
        for key, array in before.items():
            sums = self.sums[key]
            now = self.leaf_grad(key) if key in self.leaves else sums[min(sums)] if sums else None
            words[key], maps[key] = values.difference(array, now)
        return {key: text for key, text in words.items() if text}, {key: heat for key, heat in maps.items() if heat}

    # -- the picture

    def states(self, ran: str | None, upcoming: str | None, joints: Mapping[str, str], failed: bool) -> Moment:
        """What each box looks like after the box `ran` has run, or has failed; `joints` are sums, as `1 + 9 = 10`."""
        marked = {*joints, *(key for key in (ran, upcoming) if key is not None)}
        looks = self.boxes if self.state_history is None else self.touched | self.marked | marked
        states = {
            key: self._state(self.boxes[key], ran, upcoming, joints.get(key, ""))
            for key in sorted(looks, key=self.place.__getitem__)
        }
        self.touched, self.marked = set(), marked
        if failed and ran is not None:
            states[ran] = replace(states[ran], state="failed", badge="✗ failed")
        if self.state_history is None:
            self.state_history = History(states)
            return self.state_history.at(0)
        return self.state_history.add(states)

    def edges(self) -> Moment:
        """What each edge looks like now."""
        flowing, self.flowing = self.flowing, {}
        is_first = self.state_history is None or len(self.state_history.changed) == 1
        return self.edge_history.at(0) if is_first else self.edge_history.add(flowing)

    def _state(self, box: Box, ran: str | None, upcoming: str | None, joint: str) -> BoxState:
        key, grad = box.id, self.grad(box.id)
        arrived, needed = self.arrived[key], self.needed[key]
        if key not in self.runs and key not in (self.wanted or ()):
            return BoxState("off", "", grad if box.kind == "leaf" else values.NONE, "", arrived, needed)
        if key == ran:
            name, badge = "ran", "just ran"
        elif key in self.over and not self.left[key]:
            name, badge = "done", "✓ done"
        elif arrived and arrived == needed and key not in self.runs:
            name, badge = "done", "✓ reached"
        elif self.is_passed_by(key) and key not in self.backward.forced:
            name, badge = "off", "none came"
        elif arrived and arrived == needed:
            name, badge = "ready", "next ▸" if key == upcoming else "ready"
        elif arrived:
            name, badge = "waiting", f"{arrived} of {needed}"
        else:
            name, badge = "idle", ""
        if ran is None and not self.ran and box.kind != "leaf":
            grad = values.NONE  # before the first step the picture shows no gradient anywhere
        is_partial = name == "waiting" and not grad.known and key in self.leaves and 0 in self.sums[key]
        shown, word = (describe(self.sums[key][0]), SO_FAR) if is_partial else (grad, "grad")
        room = self.rooms.get(key, ROOM)
        text = joint if joint and columns(joint) <= room else value_text(shown.text, shown.shape, room)
        return BoxState(name, badge, grad, text, arrived, needed, word=word)


def wanted_boxes(graph: Snapshot, inputs: Any) -> dict[str, tuple[Any, ...]] | None:
    """Box id -> the tensors of `inputs` that are its outputs; None if all leaves are wanted. TypeError for what is no
    tensor, though the engine takes it.
    """
    if inputs is None:
        return None
    found: dict[str, tuple[Any, ...]] = {}
    source = graph.source
    for given in [inputs] if source.tensor(inputs) is not None else inputs:
        tensor = source.tensor(given)
        if tensor is None:
            kind = type(given).__name__
            raise TypeError(f"inputs= of a stepper are tensors, whose .grad it shows, and not {kind}: give the tensor")
        node = source.node(tensor)
        for key, one in graph.node_of.items():
            if source.leaf(one) is tensor or (node is not None and node is one):
                found[key] = (*found.get(key, ()), tensor)
    return found


def plan_of(graph: Snapshot, wanted: Mapping[str, Any] | None) -> tuple[set[str], dict[str, Edge]]:
    """The boxes that will run, and the edges along which gradients will go; all leaves are wanted, or those of
    `wanted`, box id -> tensors of `inputs=`. A result that is wanted runs, too: its hooks see what arrives.
    """
    below = {graph.root}
    for box in reversed(graph.boxes):  # results stand behind their inputs
        if box.id in below:
            below |= {edge.source for edge in graph.into[box.id] if edge.carries}
    carrying = [edge for edge in graph.edges if edge.carries and edge.target in below]
    if wanted is None:
        return below & set(graph.node_of), {edge.id: edge for edge in carrying}
    useful: set[str] = set()
    reached = set(wanted)
    for edge in carrying:  # inputs stand before results
        if edge.source in reached:
            useful.add(edge.target)
            reached.add(edge.target)
    live = {edge.id: edge for edge in carrying if edge.target in useful and edge.source in reached}
    return useful | (wanted.keys() & below), live


def _level_order(graph: Snapshot) -> dict[str, int]:
    """The boxes in the order in which a walk from the root, level by level, meets them: so the engine takes leaves that
    are ready together.
    """
    places = {graph.root: 0}
    order = [graph.root]
    for key in order:  # which grows while we walk it
        for edge in graph.into[key]:
            if edge.carries and edge.source not in places:
                places[edge.source] = len(order)
                order.append(edge.source)
    return places

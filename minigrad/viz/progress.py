"""How far a pass has come: what has arrived where, who is ready, who waits.

What the recorder keeps between two steps: for each box the sum of the gradients that
have arrived, how many are still to come, and the queue of those that could run. From that a frame gets the state of
every box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from minigrad.viz import values
from minigrad.viz.boxes import Box, Edge, Snapshot
from minigrad.viz.frames import Turn
from minigrad.viz.plan import plan_of
from minigrad.viz.snapshot import grad_value
from minigrad.viz.svg import State, columns, shorten
from minigrad.viz.values import Value, describe
from minigrad.viz.walk import is_leaf


class Progress:
    """The state of one pass over a graph.

    Args:
        graph: the boxes and the nodes behind them.
        sought: box id -> tensor of `inputs=`, or None for all leaves.
        rooms: how many characters fit into a row of each box.
        queue: PyTorch's queue, where the pass is PyTorch's; else None.
    """

    def __init__(
        self, graph: Snapshot, sought: Mapping[str, Any] | None, rooms: Mapping[str, int], queue: Any = None
    ) -> None:
        self.root = graph.root
        self.sought = sought
        self.rooms = rooms
        self.queue = queue
        self.boxes = {box.id: box for box in graph.boxes}
        self.nodes = {box.id: node for box, node in zip(graph.boxes, graph.nodes, strict=True) if node is not None}
        self.plan = plan_of(graph, sought)
        self.runs = self.plan.runs
        self.arrived = dict.fromkeys(self.boxes, 0)
        self.sums: dict[str, dict[int, Any]] = {key: {} for key in self.boxes}  # box -> output -> sum so far
        self.senders: dict[str, list[str]] = {key: [] for key in self.boxes}
        self.changing: dict[str, Any] = {}  # what a gradient was before this step changed it
        self.described: dict[str, Value] = {}  # what the sums read, until something is added to them
        self.edge_states = {edge.id: "idle" if edge.id in self.plan.live else "off" for edge in graph.edges}
        self.ran: list[str] = []
        self.arrivals: list[str] = []  # boxes in the order in which they became ready

    def forget(self) -> None:
        """Let go of the graph."""
        self.nodes, self.sought = {}, None

    # -- what happens

    def arrive(self, key: str, output: int, array: Any, sender: str) -> None:
        """Note that one of the gradients that a box waits for has come; `array` is None where nothing was sent."""
        if array is not None:
            before = self.sums[key].get(output)
            if before is not None and not is_leaf(self.nodes[key]):
                self.changing.setdefault(key, before)
            self.sums[key][output] = np.array(array) if before is None else before + array
            self.senders[key].append(sender)
            self.described.pop(key, None)
        self.arrived[key] += 1
        if self.arrived[key] == self.plan.needed[key]:
            self.arrivals.append(key)
            if self.queue is not None and (key in self.runs or key in (self.sought or ())):
                self.queue.push(self.nodes[key]._sequence_nr(), key)

    def send(self, edge: Edge, array: Any, sender: str) -> Any:
        """A gradient goes along an edge. Returns what was there before, or None."""
        before = self.sums[edge.source].get(edge.output)
        self.arrive(edge.source, edge.output, array, sender)
        return before

    def change(self, key: str, before: Any, after: Any) -> None:
        """A hook has changed a gradient that had arrived."""
        sums = self.sums[key]
        alike = [output for output, array in sums.items() if array.shape == before.shape == after.shape]
        if alike:
            output = min(alike, key=lambda number: float(np.nansum(np.abs(sums[number] - before))))
            self.changing.setdefault(key, sums[output])
            sums[output] = after
            self.described.pop(key, None)

    def edges_are_done(self) -> None:
        """What went along edges at the last step has arrived."""
        for edge, state in self.edge_states.items():
            if state == "now":
                self.edge_states[edge] = "done"

    # -- who is next

    def ready(self) -> list[str]:
        """Boxes whose gradient is complete, the next to run first: leaves before ops, and of the ops the most recently
        made.
        """
        to_run = [key for key in self.arrivals if key in self.runs and key not in self.ran]
        open_boxes = [key for key in to_run if not self.is_passed_by(key)]
        if self.queue is not None:
            return [key for key in self.queue.order() if key in open_boxes]
        leaves = sorted((key for key in open_boxes if is_leaf(self.nodes[key])), key=self.plan.met.__getitem__)
        ops = [key for key in open_boxes if not is_leaf(self.nodes[key])]
        return leaves + sorted(ops, key=lambda key: -self.nodes[key]._sequence_nr())

    def waiting(self, ready: list[str]) -> list[str]:
        """Boxes that will run later, those first for which most has arrived."""
        over = {*self.ran, *ready}
        found = [key for key in self.boxes if key in self.runs and key not in over and not self.is_passed_by(key)]
        return sorted(found, key=lambda key: -self.arrived[key])

    def is_passed_by(self, key: str) -> bool:
        """Whether all who use a leaf have run and sent nothing: its AccumulateGrad does not run then."""
        return is_leaf(self.nodes[key]) and self.arrived[key] == self.plan.needed[key] and not self.sums[key]

    def is_pruned(self, box: Box) -> bool:
        """Whether `inputs=` leaves a box out that would run otherwise."""
        if self.sought is None or box.kind == "constant":
            return False
        return box.id not in self.runs and box.id not in self.sought

    def turns(self) -> dict[str, Turn]:
        """Where each box stands in the queue."""
        names = {key: f"{box.name}.grad" if box.kind == "leaf" else box.name for key, box in self.boxes.items()}
        return {key: Turn(key, name, self.arrived[key], self.plan.needed[key]) for key, name in names.items()}

    # -- gradients

    def leaf_grad(self, key: str) -> Any:
        """A copy of a leaf's `.grad` as an array, or None."""
        gradient = self.nodes[key].variable.grad
        return None if gradient is None else np.array(gradient.detach().numpy())

    def grad(self, key: str) -> Value:
        """What a box's gradient reads: `.grad` itself for a leaf, else the sum of what has arrived."""
        if self.boxes[key].kind == "constant":
            return values.NONE
        if is_leaf(self.nodes[key]):
            return grad_value(self.nodes[key].variable)
        sums = self.sums[key]
        if sums and key not in self.described:
            several = self.boxes[key].outputs
            parts = [describe(sums[number]) if number in sums else values.NONE for number in range(len(several))]
            self.described[key] = values.joined(parts) if several else describe(sums[min(sums)])
        return self.described.get(key, values.NONE)

    def differences(self) -> tuple[dict[str, str], dict[str, str]]:
        """By how much those gradients changed that this step has changed, in words, and the large ones as heat maps."""
        before, self.changing = self.changing, {}
        words, maps = {}, {}
        for key, array in before.items():
            now = self._now(key)
            if text := values.difference(array, now):
                words[key] = text
            if address := values.difference_map(array, now):
                maps[key] = address
        return words, maps

    def _now(self, key: str) -> Any:
        """A gradient as an array."""
        sums = self.sums[key]
        return self.leaf_grad(key) if is_leaf(self.nodes[key]) else sums[min(sums)] if sums else None

    # -- the picture

    def states(
        self, ran: str | None, upcoming: str | None, joints: Mapping[str, str], failed: bool
    ) -> dict[str, State]:
        """What each box looks like after the box `ran` has run, or has failed; `joints` are sums, as `1 + 9 = 10`."""
        states = {}
        for key, box in self.boxes.items():
            state = self._state(box, ran, upcoming, joints.get(key, ""))
            states[key] = replace(state, arrived=self.arrived[key], needed=self.plan.needed[key])
        if failed and ran is not None:
            states[ran] = replace(states[ran], state="failed", badge="✗ failed")
        return states

    def _state(self, box: Box, ran: str | None, upcoming: str | None, joint: str) -> State:
        key = box.id
        grad = self.grad(key)
        if key not in self.runs and not (self.sought and key in self.sought):
            return State("off", "", grad if box.kind == "leaf" else values.NONE)
        if key == ran:
            name, badge = "ran", "just ran"
        elif key in self.ran:
            name, badge = "done", "✓ done"
        elif self.arrived[key] and self.arrived[key] == self.plan.needed[key]:
            name, badge = "ready", "next ▸" if key == upcoming else "ready"
            if key not in self.runs:
                name, badge = "done", "✓ reached"
        elif self.arrived[key]:
            name, badge = "waiting", f"{self.arrived[key]} of {self.plan.needed[key]}"
        else:
            name, badge = "idle", ""
        if ran is None and not self.ran and box.kind != "leaf":
            grad = values.NONE  # before the first step the picture shows no gradient anywhere
        room = self.rooms.get(key, 20)
        return State(name, badge, grad, joint if joint and columns(joint) <= room else shorten(grad.text, room))

    def renewed(self, state: State, key: str) -> State:
        """The state of a leaf whose `.grad` was changed from outside."""
        grad = self.grad(key)
        return replace(state, grad=grad, grad_text=shorten(grad.text, self.rooms.get(key, 20)))

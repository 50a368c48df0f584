"""The backward pass, run node by node and written down.

After this module a reader knows how a gradient's way is told. `Recorder` consumes the engine's own generator, one node
per step (there is no second loop that could disagree with `backward()`), and turns each step into a `Frame`. While a
step runs, a `Watcher` looks on, so that the frame can say what the learner's own hooks did. A step that fails gives a
frame, too: it says which node failed and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.autograd.modes import thread
from minigrad.viz import events as told
from minigrad.viz import rules, values
from minigrad.viz.boxes import Box, Edge, Snapshot
from minigrad.viz.events import Event
from minigrad.viz.expressions import call_text
from minigrad.viz.frames import Contribution, Frame, Grown, Line, Piece, Turn
from minigrad.viz.kept import argument_names
from minigrad.viz.rules import Rule, said
from minigrad.viz.snapshot import grad_value
from minigrad.viz.svg import State, clean, columns, shorten
from minigrad.viz.torch_graphs.hooks import seen_hooks
from minigrad.viz.values import Value, describe, shape_text
from minigrad.viz.walk import is_leaf
from minigrad.viz.watching import Note, Teller, Watcher

CHIP = 18  # columns of the pill on an edge


class Recorder:
    """Runs a backward pass node by node and writes frames."""

    def __init__(
        self,
        graph: Snapshot,
        steps: Any,
        seed: Any,
        sought: Mapping[str, Any] | None,
        rooms: Mapping[str, int],
        retain: bool,
    ) -> None:
        """`steps` is the engine's generator or a pass of PyTorch's; `seed` is the gradient of the root; `sought` maps
        box ids to the tensors of `inputs=`; `rooms` is the drawing's.
        """
        self.graph = graph
        self.steps = steps
        self.queue = getattr(steps, "queue", None)  # PyTorch's
        self.seed = seed
        self.sought = sought
        self.rooms = rooms
        self.retain = retain
        self.finished = False
        self.failure: BaseException | None = None
        self.boxes = {box.id: box for box in graph.boxes}
        self.ids = {node: box.id for box, node in zip(graph.boxes, graph.nodes, strict=True) if node is not None}
        self.nodes = {key: node for node, key in self.ids.items()}
        self.into: dict[str, list[Edge]] = {key: [] for key in self.boxes}  # the edges to each box's inputs
        for edge in graph.edges:
            self.into[edge.target].append(edge)
        self.watcher = Watcher(self.ids)
        self.teller = Teller(graph)
        self.unpacked: dict[tuple[str, str], Any] = {}  # box and parameter -> what an unpack hook made
        self.grown: dict[Any, str] = {}  # node of the gradient's graph -> what it is called
        self.nan_met = False
        self.runs, self.live_edges = self._plan()
        self.met = self._met()
        self.needed = dict.fromkeys(self.boxes, 0)
        for edge in self.live_edges.values():
            self.needed[edge.source] += 1
        self.needed[graph.root] += 1
        self.arrived = dict.fromkeys(self.boxes, 0)
        self.sums: dict[str, dict[int, Any]] = {key: {} for key in self.boxes}
        self.senders: dict[str, list[str]] = {key: [] for key in self.boxes}
        self.changing: dict[str, Any] = {}  # what a gradient was before this step changed it
        self.described: dict[str, Value] = {}  # what the sums read, until something is added to them
        self.edge_states = {edge.id: "idle" if edge.id in self.live_edges else "off" for edge in graph.edges}
        self.ran: list[str] = []
        self.arrivals: list[str] = []  # boxes in the order in which they became ready
        self.total = len(self.runs)
        self._arrive(graph.root, 0, seed, "")

    def _plan(self) -> tuple[set[str], dict[str, Edge]]:
        """Which boxes will run, and along which edges gradients will go."""
        below = {self.graph.root}
        for box in reversed(self.graph.boxes):  # results stand behind their inputs
            if box.id in below:
                below |= {edge.source for edge in self.into[box.id] if edge.carries}
        carrying = [edge for edge in self.graph.edges if edge.carries and edge.target in below]
        if self.sought is None:
            return below & set(self.nodes), {edge.id: edge for edge in carrying}
        ends = set(self.sought)
        useful: set[str] = set()
        for box in self.graph.boxes:  # inputs stand before results
            if box.id in below and any(
                edge.carries and (edge.source in ends or edge.source in useful) for edge in self.into[box.id]
            ):
                useful.add(box.id)
        leaves = {key for key in ends if is_leaf(self.nodes[key])}
        live = {
            edge.id: edge
            for edge in carrying
            if edge.target in useful and (edge.source in ends or edge.source in useful)
        }
        return useful | leaves, live

    def _met(self) -> dict[str, int]:
        """In which order a walk from the root, level by level, meets the boxes: so the engine takes leaves that are
        ready together.
        """
        order = [self.graph.root]
        met = {self.graph.root: 0}
        for key in order:  # which grows while we walk it
            for edge in self.into[key]:
                if edge.carries and edge.source not in met:
                    met[edge.source] = len(order)
                    order.append(edge.source)
        return met

    # -- what frames are made of

    def first(self) -> Frame:
        """The moment before anything ran."""
        root = self.boxes[self.graph.root]
        start = (
            ("name", root.name),
            ".backward() will start with ",
            *self._partial(root),
            " = ",
            ("value", said(self.seed)),
            ".",
        )
        story = [_line("say", "Nothing has run yet. ", *start)]
        leaves = [box for box in self.graph.boxes if box.kind == "leaf"]
        held = [box for box in leaves if self._grad(box.id).known]
        if len(held) < len(leaves):
            every = "Every " if not held else "Every other "
            story.append(
                _line("say", every, ("code", ".grad"), " is ", ("value", "None"), ", which is not the same as 0.")
            )
        for box in held:
            grad = self._grad_array(box.id)
            story.insert(
                1,
                _line(
                    "item",
                    ("name", box.name),
                    ("code", ".grad"),
                    " still holds ",
                    ("value", said(grad)),
                    " from before: backward() adds to it.",
                ),
            )
        pruned = [box for box in self.graph.boxes if self.sought is not None and self._is_pruned(box)]
        events = told.before_the_pass(self.graph, self.runs, pruned)
        self.nan_met = any(event.kind == "anomaly" for event in events)
        return self._frame(None, "", "", (), (), story, events)

    def _is_pruned(self, box: Box) -> bool:
        """Whether `inputs=` leaves a box out that would run otherwise."""
        return box.kind != "constant" and box.id not in self.runs and box.id not in (self.sought or ())

    def advance(self) -> Frame | None:
        """Run one node and write its frame; None when there is none left.

        Where the engine raises, the frame says so, and `failure` is the exception.
        """
        if self.finished or self.failure is not None:
            return None
        held = {key: self._grad_array(key) for key in self._ready() if is_leaf(self.nodes[key])}
        previous, thread.witness = thread.witness, self.watcher
        try:
            step = next(self.steps, None)
        except BaseException as error:
            self.failure = error
            return self._failed(error)
        finally:
            thread.witness = previous
        if step is None:
            self.finished = True
            return None
        node, incoming, outgoing = step
        key = self.ids[node]
        if self.queue is not None:
            self.queue.ran(key)
            self.watcher.notes += seen_hooks(key, self.sums[key], incoming)
        self._edges_are_done()
        if is_leaf(node):
            frame = self._ran_leaf(key, incoming, held.get(key))
        else:
            frame = self._ran_op(key, node, incoming, outgoing)
        came = [_array(gradient) for gradient in incoming if gradient is not None]
        alarms = [describe(array).alarm for array in came] + [item.value.alarm for item in frame.contributions]
        return replace(
            frame,
            received=values.measure(came[0]) if came else None,
            alarm=" and ".join(word for word in ("NaN", "Inf") if any(word in alarm for alarm in alarms)),
        )

    def close(self) -> None:
        """Let go of the graph: nothing runs any more."""
        close = getattr(self.steps, "close", None)
        if close is None:
            return  # closed before
        close()
        self.failure = self.failure or RuntimeError("the stepper was closed")
        self.graph = replace(self.graph, nodes=(), retaining=())
        self.ids, self.nodes, self.sought, self.watcher = {}, {}, None, Watcher({})
        self.steps, self.grown = iter(()), {}

    def _edges_are_done(self) -> None:
        for edge, state in self.edge_states.items():
            if state == "now":
                self.edge_states[edge] = "done"

    def _failed(self, error: BaseException) -> Frame:
        """The frame of a step that raised."""
        notes = self.watcher.taken()
        self._edges_are_done()
        ready = self._ready()
        anomaly = getattr(error, "anomaly", None)
        key = self.ids.get(anomaly[0]) if anomaly is not None else self.watcher.failing
        key = key or (ready[0] if ready else self.graph.root)
        box = self.boxes[key]
        contributions: tuple[Contribution, ...] = ()
        if anomaly is not None:
            contributions = self._contributions(box, anomaly[0], anomaly[1], anomaly[2], notes, sends=False)
        came = anomaly is not None and any(
            gradient is not None and _has_nan(_array(gradient)) for gradient in anomaly[1]
        )
        nan_to = [item.name for item in contributions if "NaN" in item.value.alarm]
        events = [*self.teller.told(notes), *told.of_failure(box, self.nodes.get(key), error, nan_to, came)]
        story = [_line("say", ("op", box.op), " of ", ("name", box.name), " could not be run.")]
        story += self._code(box, contributions)
        story += [self._told(item) for item in contributions]
        story.append(
            _line("say", "The pass ends here. What the steps before have put in ", ("code", ".grad"), " stays there.")
        )
        return self._frame(key, box.op, "", contributions, (), story, events, failed=True)

    def _ran_op(self, key: str, node: Any, incoming: tuple[Any, ...], outgoing: tuple[Any, ...]) -> Frame:
        box = self.boxes[key]
        notes = self.watcher.taken()
        arrays = [None if gradient is None else _array(gradient) for gradient in incoming]
        received = next((array for array in arrays if array is not None), None)
        self._changed_by_hooks(notes)
        for note in notes:
            if note.kind == "unpacked" and note.after:
                self.unpacked[note.box, note.parameter] = note.after[0]
        contributions = self._contributions(box, node, incoming, outgoing, notes)
        self._ran(key)
        self._finish_if_last()
        freed = self._freed(box, node)
        events = [*self.teller.told(notes), *told.of_kept(box, freed, self.retain and node._kept is not None)]
        came = any(array is not None and _has_nan(array) for array in arrays)
        events += self._nan(box, came, contributions)
        story = self._story(box, node, arrays, contributions)
        grown = self._grown([gradient for gradient in outgoing if gradient is not None])
        story += self._told_grown(grown) + self._closing()
        text = "" if received is None else said(received)
        return self._frame(key, node.name(), text, contributions, freed, story, events, grown=grown)

    def _changed_by_hooks(self, notes: list[Note]) -> None:
        """Where tensor hooks have changed a gradient, the picture shows what they made of it."""
        for note in notes:
            if note.kind == "tensor_hook" and note.after and note.after[0] is not None:
                sums = self.sums[note.box]
                for output, array in sums.items():
                    if array.shape == note.after[0].shape and np.array_equal(array, note.before[0], equal_nan=True):
                        self.changing.setdefault(note.box, array)
                        sums[output] = note.after[0]
                        self.described.pop(note.box, None)
                        break

    def _nan(self, box: Box, came: bool, contributions: tuple[Contribution, ...]) -> list[Event]:
        names = [item.name for item in contributions if "NaN" in item.value.alarm]
        if not names:
            return []
        first = not self.nan_met and not came
        self.nan_met = True
        return [told.of_nan(box, names, first)]

    def _grown(self, tensors: list[Any]) -> tuple[Grown, ...]:
        """The nodes that were recorded since the last step, behind some gradients (create_graph)."""
        found, stack = set(), [getattr(tensor, "grad_fn", None) for tensor in tensors]
        while stack:
            node = stack.pop()
            if node is None or node in self.ids or node in self.grown or node in found or is_leaf(node):
                continue
            found.add(node)
            stack += [child for child, _ in node.next_functions]
        grown = []
        for node in sorted(found, key=lambda node: node._sequence_nr()):
            self.grown[node] = f"g{len(self.grown) + 1}"
            grown.append(Grown(self.grown[node], node.name(), call_text(node, self._called)))
        return tuple(grown)

    def _called(self, node: Any) -> str:
        key = self.ids.get(node)
        return self.boxes[key].name if key is not None else self.grown.get(node, node.name())

    def _told_grown(self, grown: tuple[Grown, ...]) -> list[Line]:
        if not grown:
            return []
        many = f"{len(grown)} nodes" if len(grown) > 1 else "one node"
        texts = ", ".join(f"{node.name} = {node.text}" for node in grown)
        return [
            _line("item", f"create_graph=True: this step added {many} to the graph of the gradient: ", ("code", texts))
        ]

    def _ran_leaf(self, key: str, incoming: tuple[Any, ...], before: Any) -> Frame:
        box = self.boxes[key]
        notes = self.watcher.taken()
        array = _array(incoming[0])
        self._ran(key)
        self._finish_if_last()
        # The hooks that run after the sum may have changed it since: they have a sentence of their own.
        summed = next((note.before[0] for note in notes if note.kind == "post_accumulate"), None)
        after = self._grad_array(key) if summed is None else summed
        if before is not None:
            self.changing[key] = before
        grad = ("name", box.name), ("code", ".grad")
        story = [
            _line(
                "say",
                ("op", "AccumulateGrad"),
                " of the leaf ",
                ("name", box.name),
                " received ",
                ("value", said(array)),
                ".",
            )
        ]
        joint = ""
        if after is None:
            story.append(_line("item", *grad, " stays None: ", ("name", box.name), " no longer requires grad"))
        elif before is None:
            story.append(_line("item", *grad, " was None; it is now ", ("value", said(after))))
        else:
            joint = _sum_text(before, _left_by_hooks(notes, array), after)
            story.append(
                _line(
                    "item",
                    *grad,
                    " held ",
                    ("value", said(before)),
                    " from before, and backward() adds: ",
                    ("value", joint or said(after)),
                )
            )
        story += _alarms(self._grad(key), f"{box.name}.grad")
        grown = self._grown([self.nodes[key].variable.grad])
        story += self._told_grown(grown) + self._closing()
        events = list(self.teller.told(notes))
        joint = "" if summed is not None else joint  # what the hooks left is not that sum
        return self._frame(key, "AccumulateGrad", said(array), (), (), story, events, {key: joint}, grown)

    def _closing(self) -> list[Line]:
        return [_line("say", "That was the last node: the backward pass is over.")] if self.finished else []

    def _ran(self, key: str) -> None:
        self.ran.append(key)

    def _finish_if_last(self) -> None:
        """After the last node the engine has still to put away what it captured for `inputs=`."""
        if len(self.ran) >= self.total and next(self.steps, None) is None:
            self.finished = True

    def _contributions(
        self,
        box: Box,
        node: Any,
        incoming: tuple[Any, ...],
        outgoing: tuple[Any, ...],
        notes: list[Note],
        sends: bool = True,
    ) -> tuple[Contribution, ...]:
        """What a node sends to its inputs; with `sends`, note that it arrives there."""
        received = next((_array(gradient) for gradient in incoming if gradient is not None), None)
        own = next((note.before for note in notes if note.kind == "node_hook" and note.box == box.id), ())
        edges = {edge.slot: edge for edge in self.into[box.id] if edge.id in self.live_edges}
        found = []
        for slot, gradient in enumerate(outgoing):
            edge = edges.get(slot)
            if edge is None:
                continue
            if gradient is None:
                if sends:
                    self.edge_states[edge.id] = "off"
                    self._arrive(edge.source, edge.output, None, box.name)
                continue
            array = _array(gradient)
            by_rule = own[slot] if slot < len(own) and own[slot] is not None else array
            item = self._contribution(box, node, received, edge, by_rule, array)
            if sends:
                item = self._sent(item, edge, box)
            self.edge_states[edge.id] = "now"
            found.append(item)
        return tuple(found)

    def _contribution(
        self,
        box: Box,
        node: Any,
        received: Any,
        edge: Edge,
        raw: np.ndarray[Any, Any],
        passed: np.ndarray[Any, Any],
    ) -> Contribution:
        """`raw` is what the rule gave, `passed` what hooks have made of it."""
        target = self.boxes[edge.source]
        rule = self._rule(box, node, edge.slot, received)
        shape = _shape_of(target, edge.output) or raw.shape
        array = _sum_to_shape(raw, shape)
        final = _sum_to_shape(passed, shape)
        changed = "" if np.array_equal(array, final, equal_nan=True) else f"which a hook changed to {said(final)}"
        formula = "" if rule.in_words else rule.named or rule.source
        text = " = ".join(dict.fromkeys(part for part in (formula, rule.numbers, said(raw)) if part))
        summed = (
            f"summed from {shape_text(raw.shape)} to {shape_text(array.shape)}, "
            f"because {clean(target.name)} was broadcast"
            if raw.shape != array.shape
            else ""
        )
        if summed:
            summed += f": {said(array)}"
        return Contribution(edge.id, target.id, target.name, rule, text, describe(final), summed, "", changed, final)

    def _sent(self, item: Contribution, edge: Edge, box: Box) -> Contribution:
        """The same, arrived: with the sum of what was there and what came."""
        before = self.sums[item.box].get(edge.output)
        self._arrive(item.box, edge.output, item.array, box.name)
        after = self.sums[item.box][edge.output]
        return item if before is None else replace(item, joint=_sum_text(before, item.array, after))

    def _rule(self, box: Box, node: Any, slot: int, received: Any) -> Rule:
        if box.backward or getattr(node, "_is_custom", False):
            arguments = argument_names(node)
            parameter = arguments[slot] if slot < len(arguments) else f"input {slot}"
            return Rule(parameter, f"{box.op.removesuffix('Backward')}.backward(ctx, g)", "", "")
        if box.op == "CopySlices":  # the write of a part: autograd/inplace.py
            words = "g, with 0 in the part that was written" if slot == 0 else "the part of g that was written"
            return Rule("self" if slot == 0 else "written", words, "", "", in_words=True)
        inputs = box.inputs
        parameter = (
            inputs[slot] if len(inputs) == len(node.next_functions) else (inputs[0] if inputs else f"input {slot}")
        )
        function = getattr(node, "rules", {}).get(parameter)
        bound: dict[str, Any] = {"g": rules.binding(received)} if received is not None else {}
        for saved in box.saved:
            unpacked = self.unpacked.get((box.id, saved.parameter))
            if unpacked is not None:
                bound[saved.parameter] = rules.binding(unpacked)
            elif saved.array is None and saved.is_tensor:
                bound[saved.parameter] = rules.Sizes(saved.value.shape)
            else:
                bound[saved.parameter] = (
                    rules.binding(saved.array) if isinstance(saved.array, np.ndarray) else saved.array
                )
        bound |= getattr(node, "bound", {})  # what a mirror's rules ask for beyond what PyTorch has saved
        names = {saved.parameter: saved.name for saved in box.saved if saved.name}
        plain = {
            key: value for key, value in bound.items() if isinstance(value, int | float) and not isinstance(value, bool)
        }
        names |= {key: values.number(value) for key, value in plain.items()}
        if "result" in bound:
            names["result"] = box.name
        return rules.explain(function, parameter, bound, names)

    def _arrive(self, key: str, output: int, array: Any, sender: str) -> None:
        """Note that one of the gradients that a box waits for has come."""
        if array is not None:
            before = self.sums[key].get(output)
            if before is not None and not is_leaf(self.nodes[key]):
                self.changing.setdefault(key, before)
            self.sums[key][output] = np.array(array) if before is None else before + array
            self.senders[key].append(sender)
            self.described.pop(key, None)
        self.arrived[key] += 1
        if self.arrived[key] == self.needed[key]:
            self.arrivals.append(key)
            if self.queue is not None and (key in self.runs or key in (self.sought or ())):
                self.queue.push(self.nodes[key]._sequence_nr(), key)

    def _freed(self, box: Box, node: Any) -> tuple[str, ...]:
        if self.retain or getattr(node, "_kept", ()) is not None:
            return ()
        tensors = [saved for saved in box.saved if saved.is_tensor and saved.state != "freed"]
        return tuple(dict.fromkeys(saved.called(box.name) for saved in tensors))

    # -- telling it

    def _story(self, box: Box, node: Any, arrays: list[Any], contributions: tuple[Contribution, ...]) -> list[Line]:
        given = [array for array in arrays if array is not None]
        received: list[Any] = ["no gradient (undefined)"]
        if box.outputs:
            received = [f"{len(given)} of {len(arrays)} gradients"]
            for number, array in enumerate(arrays):
                if array is not None:
                    received += [": " if len(received) == 1 else ", ", f"output {number} = ", ("value", said(array))]
        elif given:
            received = [*self._partial(box), " = ", ("value", said(given[0]))]
        own = "your own backward" if box.backward else "its rule"
        made = ("op", node.name()), " made ", ("name", box.name)
        story = [_line("say", *made, ". It received ", *received, f" and ran {own}:")]
        story += self._code(box, contributions)
        story += [self._told(item) for item in contributions]
        for item in contributions:
            story += _alarms(item.value, f"the gradient for {item.name}")
        return story

    def _code(self, box: Box, contributions: tuple[Contribution, ...]) -> list[Line]:
        """The rules as code; of a custom Function its whole backward."""
        if box.backward:
            return [_line("code", ("code", box.backward))]
        code: list[Any] = []
        for rule in dict.fromkeys(item.rule for item in contributions):
            code += [("text", "   " if code else ""), ("text", f"{rule.parameter}: "), ("code", rule.source)]
        return [_line("code", *code)] if code else []

    def _told(self, item: Contribution) -> Line:
        formula, _, last = item.text.rpartition(" = ")
        pieces: list[Any] = [
            "to ",
            ("name", item.name),
            ": ",
            ("code", formula + " = " if formula else ""),
            ("value", last),
        ]
        if item.summed:
            pieces.append(f", {item.summed}")
        if item.changed:
            pieces.append(f", {item.changed}")
        if item.joint:
            before = [clean(name) for name in self.senders[item.box][:-1] if name]
            came = f"what came from {' and '.join(before)}" if before else "what was there"
            pieces += [f", added to {came}: ", ("value", item.joint)]
        return _line("item", *pieces)

    def _partial(self, box: Box) -> list[Any]:
        root = self.boxes[self.graph.root]
        opening, closing = ("(", ")") if "/" in root.name else ("", "")
        return [f"∂{opening}", ("name", root.name), f"{closing}/∂", ("name", box.name)]

    def _frame(
        self,
        key: str | None,
        op: str,
        incoming: str,
        contributions: tuple[Contribution, ...],
        freed: tuple[str, ...],
        story: list[Line],
        events: list[Event],
        joints: Mapping[str, str] = MappingProxyType({}),
        grown: tuple[Grown, ...] = (),
        failed: bool = False,
    ) -> Frame:
        turns = {box: Turn(box, self._label(box), self.arrived[box], self.needed[box]) for box in self.boxes}
        ready = self._ready()
        upcoming = ready[0] if ready else None
        over = {*self.ran, *ready}
        waiting = [
            box.id
            for box in self.graph.boxes
            if box.id in self.runs and box.id not in over and not self._is_passed_by(box.id)
        ]
        waiting.sort(key=lambda box: -self.arrived[box])
        joints = dict(joints) | {item.box: item.joint for item in contributions}
        states = {
            box: replace(
                self._state(self.boxes[box], key, upcoming, joints.get(box, "")),
                arrived=turn.arrived,
                needed=turn.needed,
            )
            for box, turn in turns.items()
        }
        if failed and key is not None:
            states[key] = replace(states[key], state="failed", badge="✗ failed")
        before, self.changing = self.changing, {}
        differences = {box: values.difference(array, self._now(box)) for box, array in before.items()}
        return Frame(
            index=len(self.ran) + failed,
            total=self.total,
            box=key,
            op=op,
            name=self.boxes[key].name if key else "",
            incoming=incoming,
            contributions=contributions,
            freed=freed,
            story=tuple(story),
            ready=tuple(turns[box] for box in ready),
            waiting=tuple(turns[box] for box in waiting),
            done=tuple(turns[box] for box in self.ran),
            next=turns[upcoming] if upcoming and not failed else None,
            line=self._line_of(key),
            states=MappingProxyType(states),
            edges=MappingProxyType(dict(self.edge_states)),
            chips=MappingProxyType({item.edge: _chip(item) for item in contributions}),
            events=tuple(events),
            grown=grown,
            differences=MappingProxyType({box: text for box, text in differences.items() if text}),
            failed=failed,
        )

    def renewed(self, frame: Frame, key: str, before: Any) -> Frame:
        """A frame whose `.grad` of one leaf was changed from outside since it was written."""
        event = told.of_change_from_outside(self.boxes[key], before, self._grad_array(key))
        grad = self._grad(key)
        room = self.rooms.get(key, 20)
        state = replace(frame.states[key], grad=grad, grad_text=shorten(grad.text, room))
        others = tuple(other for other in frame.events if (other.node, other.title) != (key, event.title))
        return replace(frame, states=MappingProxyType({**frame.states, key: state}), events=(*others, event))

    def _now(self, key: str) -> Any:
        """A gradient as an array."""
        sums = self.sums[key]
        return self._grad_array(key) if is_leaf(self.nodes[key]) else sums[min(sums)] if sums else None

    def _label(self, key: str) -> str:
        box = self.boxes[key]
        return f"{box.name}.grad" if box.kind == "leaf" else box.name

    def _ready(self) -> list[str]:
        """Boxes whose gradient is complete, the next to run first: leaves before ops, and of the ops the most recently
        made.
        """
        open_boxes = [
            key for key in self.arrivals if key in self.runs and key not in self.ran and not self._is_passed_by(key)
        ]
        if self.queue is not None:
            return [key for key in self.queue.order() if key in open_boxes]
        leaves = sorted((key for key in open_boxes if is_leaf(self.nodes[key])), key=self.met.__getitem__)
        ops = [key for key in open_boxes if not is_leaf(self.nodes[key])]
        return leaves + sorted(ops, key=lambda key: -self.nodes[key]._sequence_nr())

    def _is_passed_by(self, key: str) -> bool:
        """Whether all who use a leaf have run and sent nothing: its AccumulateGrad does not run then."""
        return is_leaf(self.nodes[key]) and self.arrived[key] == self.needed[key] and not self.sums[key]

    def _state(self, box: Box, ran: str | None, upcoming: str | None, joint: str) -> State:
        key = box.id
        grad = self._grad(key)
        if key not in self.runs and not (self.sought and key in self.sought):
            return State("off", "", grad if box.kind == "leaf" else values.NONE)
        if key == ran:
            name, badge = "ran", "just ran"
        elif key in self.ran:
            name, badge = "done", "✓ done"
        elif self.arrived[key] and self.arrived[key] == self.needed[key]:
            name, badge = "ready", "next ▸" if key == upcoming else "ready"
            if key not in self.runs:
                name, badge = "done", "✓ reached"
        elif self.arrived[key]:
            name, badge = "waiting", f"{self.arrived[key]} of {self.needed[key]}"
        else:
            name, badge = "idle", ""
        if ran is None and not self.ran and box.kind != "leaf":
            grad = values.NONE  # before the first step the picture shows no gradient anywhere
        room = self.rooms.get(key, 20)
        return State(name, badge, grad, joint if joint and columns(joint) <= room else shorten(grad.text, room))

    def _grad(self, key: str) -> Value:
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

    def _grad_array(self, key: str) -> Any:
        gradient = self.nodes[key].variable.grad
        return None if gradient is None else np.array(gradient.detach().numpy())

    def _line_of(self, key: str | None) -> tuple[int, int, int, int, int] | None:
        """Source number, first and last line, first and last column of the text that made a box."""
        span = self.boxes[key].span if key else None
        if span is None:
            return None
        for number, source in enumerate(self.graph.sources):
            if source.file == span.file:
                return (number, span.first, span.last, span.start, span.end)
        return None


def _line(kind: str, *pieces: Any) -> Line:
    told: list[Piece] = []
    for piece in pieces:
        style, text = piece if isinstance(piece, tuple) else ("text", piece)
        value, bracket, statistics = text.partition(" (min ")
        if style == "value" and bracket:
            told += [("value", value), ("quiet", bracket + statistics)]
        elif text:
            told.append((style, text))
    return Line(kind, tuple(told))


def _alarms(value: Value, what: str) -> list[Line]:
    return [_line("item", ("alarm", f"⚠ {value.alarm} in {clean(what)}"))] if value.alarm else []


def _chip(item: Contribution) -> str:
    """What flows along an edge, as far as it fits: `1 * 4 = 4`, else the value, else its shape."""
    if item.value.alarm:
        return f"⚠ {item.value.alarm}"
    whole = f"{item.rule.numbers} = {item.value.text}"
    if (
        item.rule.numbers not in ("", item.value.text)
        and not item.value.is_large
        and not item.summed
        and columns(whole) <= CHIP
    ):
        return whole
    return shorten(item.value.text, CHIP)


def _left_by_hooks(notes: list[Note], array: Any) -> Any:
    """What the hooks that run before a leaf's sum made of the gradient that came in."""
    left = [note.after[0] for note in notes if note.kind in ("tensor_hook", "node_prehook") and note.after]
    return left[-1] if left and left[-1] is not None else array


def _sum_text(before: Any, added: Any, after: Any) -> str:
    """`1 + 9 = 10`, or the sum of two large ones in words."""
    if np.asarray(after).size <= values.WHOLE:
        return f"{said(before)} + {_bracketed(said(added))} = {said(after)}"
    return f"{describe(before).text} + {describe(added).text} = {said(after)}"


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _array(gradient: Any) -> np.ndarray[Any, Any]:
    """A copy of a gradient, whether array, numpy scalar or tensor: the engine goes on to use its own."""
    return np.array(gradient.detach().numpy() if hasattr(gradient, "detach") else gradient)


def _sum_to_shape(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What the engine does on the way to an input that was broadcast."""
    from minigrad.autograd.fitting import sum_to_shape

    return array if array.shape == tuple(shape) else np.asarray(sum_to_shape(array, tuple(shape)))


def _shape_of(box: Box, output: int) -> tuple[int, ...] | None:
    """The shape of one of a box's outputs, if it is known."""
    value = box.outputs[output] if output < len(box.outputs) else box.value
    return value.shape if value.known or value.shape else None


def _has_nan(array: Any) -> bool:
    return bool(array.dtype.kind in "fc" and np.isnan(array).any())

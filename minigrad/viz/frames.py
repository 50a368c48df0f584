"""What happened at each step of a backward pass, written down once and never changed.

After this module a reader knows how a gradient's way is told. `Recorder` consumes the engine's own generator, one node
per step (there is no second loop that could disagree with `backward()`), and turns each step into a `Frame`: which
node ran, what came in, its rule as code and with numbers, what went to each input, what was added to what where paths
meet, what was freed, who is ready and who still waits. A frame is told in pieces of text (`story`) from which both the
widget and `trace()` are written, so they cannot say different things.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from minigrad.viz import rules, values
from minigrad.viz.rules import Rule, said
from minigrad.viz.snapshot import Box, Edge, Snapshot, grad_value, is_leaf
from minigrad.viz.svg import State, clean, columns, shorten
from minigrad.viz.values import Value, describe, shape_text

CHIP = 18  # columns of the pill on an edge

Piece = tuple[str, str]  # style ("text", "name", "value", "quiet", "code", "op", "alarm") and what it says


@dataclass(frozen=True)
class Line:
    """A paragraph ("say"), a line of code ("code") or an item ("item") of a frame's story."""

    kind: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(clean(text) for _, text in self.pieces)


@dataclass(frozen=True)
class Contribution:
    """What a node sent to one of its inputs. `rule` with `text` reads "g * D = 1 * 4 = 4"; `joint` reads "1 + 9 = 10"
    or "".
    """

    edge: str
    box: str
    name: str
    rule: Rule
    text: str
    value: Value
    summed: str = ""
    joint: str = ""


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
class Frame:
    """One step. Frame 0 is the moment before anything ran; `box` is the one that ran, `grads` what each box's gradient
    reads.
    """

    index: int
    total: int
    box: str | None
    op: str
    name: str
    incoming: str
    contributions: tuple[Contribution, ...]
    freed: tuple[str, ...]
    story: tuple[Line, ...]
    ready: tuple[Turn, ...]
    waiting: tuple[Turn, ...]
    done: tuple[Turn, ...]
    next: Turn | None
    line: tuple[int, int, int, int, int] | None
    states: Mapping[str, State] = field(repr=False)
    edges: Mapping[str, str] = field(repr=False)
    chips: Mapping[str, str] = field(repr=False)
    received: list[float] | None = None  # norm, max, min and mean of the incoming gradient, for breakpoints
    alarm: str = ""  # NaN or infinity in what came in or went out

    @property
    def grads(self) -> dict[str, str]:
        """Box id -> its gradient so far, as text: None where nothing has arrived."""
        return {key: state.grad.text for key, state in self.states.items()}

    @property
    def spoken(self) -> str:
        """The frame in plain words, for a screen reader."""
        return " ".join(line.text.rstrip(".:") + "." for line in self.story if line.kind != "code")

    def to_json(self, before: Frame | None) -> dict[str, Any]:
        """What the widget needs, as the difference to the frame before (all of it for the first)."""
        states = {key: s for key, s in self.states.items() if before is None or before.states[key] != s}
        edges = {key: s for key, s in self.edges.items() if before is None or before.edges[key] != s}
        return {
            "index": self.index,
            "box": self.box,
            "story": [{"kind": line.kind, "pieces": [list(piece) for piece in line.pieces]} for line in self.story],
            "line": list(self.line) if self.line else None,
            "ready": [turn.box for turn in self.ready],
            "next": self.next.box if self.next else None,
            "boxes": {key: _state_json(state) for key, state in states.items()},
            "edges": edges,
            "chips": dict(self.chips),
            "received": [float(f"{value:.6g}") for value in self.received] if self.received else None,
            "alarm": self.alarm,
        }


def _state_json(state: State) -> dict[str, Any]:
    grad = state.grad
    return {
        "state": state.state,
        "badge": state.badge,
        "grad": f"⚠ {grad.alarm}" if grad.alarm else state.grad_text or grad.text,
        "full": grad.full,
        "none": not grad.known,
        "alarm": bool(grad.alarm),
        "heat": grad.heat,
        "statistics": " · ".join(grad.statistics) if grad.statistics else "",
        "arrived": state.arrived,
        "needed": state.needed,
    }


class Recorder:
    """Runs a backward pass node by node and writes frames."""

    def __init__(
        self,
        graph: Snapshot,
        steps: Iterator[Any],
        seed: Any,
        sought: Mapping[str, Any] | None,
        rooms: Mapping[str, int],
        retain: bool,
    ) -> None:
        """`seed` is the gradient of the root; `sought` maps box ids to the tensors of `inputs=`; `rooms` is the
        drawing's.
        """
        self.graph = graph
        self.steps = steps
        self.seed = seed
        self.sought = sought
        self.rooms = rooms
        self.retain = retain
        self.finished = False
        self.boxes = {box.id: box for box in graph.boxes}
        self.ids = {node: box.id for box, node in zip(graph.boxes, graph.nodes, strict=True) if node is not None}
        self.nodes = {key: node for node, key in self.ids.items()}
        self.into: dict[str, list[Edge]] = {key: [] for key in self.boxes}  # the edges to each box's inputs
        for edge in graph.edges:
            self.into[edge.target].append(edge)
        self.runs, self.live_edges = self._plan()
        self.met = self._met()
        self.needed = dict.fromkeys(self.boxes, 0)
        for edge in self.live_edges.values():
            self.needed[edge.source] += 1
        self.needed[graph.root] += 1
        self.arrived = dict.fromkeys(self.boxes, 0)
        self.sums: dict[str, dict[int, Any]] = {key: {} for key in self.boxes}
        self.senders: dict[str, list[str]] = {key: [] for key in self.boxes}
        self.described: dict[str, Value] = {}  # what the sums read, until something is added to them
        self.edge_states = {edge.id: "idle" if edge.id in self.live_edges else "off" for edge in graph.edges}
        self.ran: list[str] = []
        self.arrivals: list[str] = []  # boxes in the order in which they became ready
        self.total = len(self.runs)
        self._arrive(graph.root, 0, seed, "")

    def _plan(self) -> tuple[set[str], dict[str, Edge]]:
        """Which boxes will run, and along which edges gradients will go."""
        carrying = [edge for edge in self.graph.edges if edge.carries]
        if self.sought is None:
            return set(self.nodes), {edge.id: edge for edge in carrying}
        ends = set(self.sought)
        useful: set[str] = set()
        for box in self.graph.boxes:  # inputs stand before results
            if any(edge.carries and (edge.source in ends or edge.source in useful) for edge in self.into[box.id]):
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
        return self._frame(None, "", "", (), (), story)

    def advance(self) -> Frame | None:
        """Run one node and write its frame; None when there is none left. Lets the engine's exceptions through."""
        if self.finished:
            return None
        held = {key: self._grad_array(key) for key in self._ready() if is_leaf(self.nodes[key])}
        step = next(self.steps, None)
        if step is None:
            self.finished = True
            return None
        node, incoming, outgoing = step
        key = self.ids[node]
        for edge, state in self.edge_states.items():
            if state == "now":
                self.edge_states[edge] = "done"
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

    def _ran_op(self, key: str, node: Any, incoming: tuple[Any, ...], outgoing: tuple[Any, ...]) -> Frame:
        box = self.boxes[key]
        arrays = [None if gradient is None else _array(gradient) for gradient in incoming]
        received = next((array for array in arrays if array is not None), None)
        contributions = self._contributions(box, node, received, outgoing)
        self._ran(key)
        self._finish_if_last()
        freed = self._freed(box, node)
        story = self._story(box, node, arrays, contributions, freed)
        return self._frame(key, node.name(), "" if received is None else said(received), contributions, freed, story)

    def _ran_leaf(self, key: str, incoming: tuple[Any, ...], before: Any) -> Frame:
        box = self.boxes[key]
        array = _array(incoming[0])
        self._ran(key)
        self._finish_if_last()
        after = self._grad_array(key)
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
        if before is None:
            story.append(_line("item", *grad, " was None; it is now ", ("value", said(after))))
            joint = ""
        else:
            joint = _sum_text(before, array, after)
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
        story += self._closing()
        return self._frame(key, "AccumulateGrad", said(array), (), (), story, {key: joint})

    def _closing(self) -> list[Line]:
        return [_line("say", "That was the last node: the backward pass is over.")] if self.finished else []

    def _ran(self, key: str) -> None:
        self.ran.append(key)

    def _finish_if_last(self) -> None:
        """After the last node the engine has still to put away what it captured for `inputs=`."""
        if len(self.ran) >= self.total and next(self.steps, None) is None:
            self.finished = True

    def _contributions(self, box: Box, node: Any, received: Any, outgoing: tuple[Any, ...]) -> tuple[Contribution, ...]:
        found = []
        edges = {edge.slot: edge for edge in self.into[box.id] if edge.id in self.live_edges}
        for slot, gradient in enumerate(outgoing):
            edge = edges.get(slot)
            if edge is None:
                continue
            if gradient is None:
                self.edge_states[edge.id] = "off"
                self._arrive(edge.source, edge.output, None, box.name)
                continue
            found.append(self._contribution(box, node, received, edge, _array(gradient)))
        return tuple(found)

    def _contribution(self, box: Box, node: Any, received: Any, edge: Edge, raw: np.ndarray[Any, Any]) -> Contribution:
        target = self.boxes[edge.source]
        rule = self._rule(box, node, edge.slot, received)
        shape = target.value.shape if target.value.known or target.value.shape else raw.shape
        array = _sum_to_shape(raw, shape)
        value = describe(array)
        text = " = ".join(dict.fromkeys(part for part in (rule.named or rule.source, rule.numbers, said(raw)) if part))
        summed = (
            f"summed from {shape_text(raw.shape)} to {shape_text(array.shape)}, "
            f"because {clean(target.name)} was broadcast"
            if raw.shape != array.shape
            else ""
        )
        if summed:
            summed += f": {said(array)}"
        before = self.sums[target.id].get(edge.output)
        self._arrive(target.id, edge.output, array, box.name)
        joint = "" if before is None else _sum_text(before, array, self.sums[target.id][edge.output])
        self.edge_states[edge.id] = "now"
        return Contribution(edge.id, target.id, target.name, rule, text, value, summed, joint)

    def _rule(self, box: Box, node: Any, slot: int, received: Any) -> Rule:
        inputs = box.inputs
        parameter = (
            inputs[slot] if len(inputs) == len(node.next_functions) else (inputs[0] if inputs else f"input {slot}")
        )
        function = getattr(type(node), "rules", {}).get(parameter)
        bound: dict[str, Any] = {"g": rules.binding(received)} if received is not None else {}
        for saved in box.saved:
            if saved.array is None and saved.value.dtype:
                bound[saved.parameter] = rules.Sizes(saved.value.shape)
            else:
                bound[saved.parameter] = (
                    rules.binding(saved.array) if isinstance(saved.array, np.ndarray) else saved.array
                )
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
            self.sums[key][output] = np.array(array) if before is None else before + array
            self.senders[key].append(sender)
            self.described.pop(key, None)
        self.arrived[key] += 1
        if self.arrived[key] == self.needed[key]:
            self.arrivals.append(key)

    def _freed(self, box: Box, node: Any) -> tuple[str, ...]:
        if self.retain or getattr(node, "_kept", ()) is not None:
            return ()
        tensors = [saved for saved in box.saved if saved.value.dtype]
        return tuple(
            dict.fromkeys(
                box.name if saved.parameter == "result" else saved.name or saved.parameter for saved in tensors
            )
        )

    # -- telling it

    def _story(
        self, box: Box, node: Any, arrays: list[Any], contributions: tuple[Contribution, ...], freed: tuple[str, ...]
    ) -> list[Line]:
        given = [array for array in arrays if array is not None]
        received: list[Any] = (
            [*self._partial(box), " = ", ("value", said(given[0]))] if given else ["no gradient (undefined)"]
        )
        story = [
            _line(
                "say",
                ("op", node.name()),
                " made ",
                ("name", box.name),
                ". It received ",
                *received,
                " and ran its rule:",
            )
        ]
        code: list[Any] = []
        for rule in dict.fromkeys(item.rule for item in contributions):
            code += [("text", "   " if code else ""), ("text", f"{rule.parameter}: "), ("code", rule.source)]
        if code:
            story.append(_line("code", *code))
        for item in contributions:
            story.append(self._told(item))
        for item in contributions:
            story += _alarms(item.value, f"the gradient for {item.name}")
        if freed:
            names: list[Any] = []
            for position, name in enumerate(freed):
                joiner = "" if not position else " and " if position == len(freed) - 1 else ", "
                names += [joiner, ("name", name)]
            word = "its saved tensors " if len(freed) > 1 else "its saved tensor "
            story.append(_line("item", word, *names, " are freed" if len(freed) > 1 else " is freed"))
        return story + self._closing()

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
        if item.joint:
            before = [clean(name) for name in self.senders[item.box][:-1] if name]
            came = f"what came from {' and '.join(before)}" if before else "what was there"
            pieces += [f", added to {came}: ", ("value", item.joint)]
        return _line("item", *pieces)

    def _partial(self, box: Box) -> list[Any]:
        root = self.boxes[self.graph.root]
        return ["∂", ("name", root.name), "/∂", ("name", box.name)]

    def _frame(
        self,
        key: str | None,
        op: str,
        incoming: str,
        contributions: tuple[Contribution, ...],
        freed: tuple[str, ...],
        story: list[Line],
        joints: Mapping[str, str] = MappingProxyType({}),
    ) -> Frame:
        turns = {box: Turn(box, self._label(box), self.arrived[box], self.needed[box]) for box in self.boxes}
        ready = self._ready()
        upcoming = ready[0] if ready else None
        waiting = [
            box.id for box in self.graph.boxes if box.id in self.runs and box.id not in self.ran and box.id not in ready
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
        return Frame(
            index=len(self.ran),
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
            next=turns[upcoming] if upcoming else None,
            line=self._line_of(key),
            states=MappingProxyType(states),
            edges=MappingProxyType(dict(self.edge_states)),
            chips=MappingProxyType({item.edge: _chip(item) for item in contributions}),
        )

    def _label(self, key: str) -> str:
        box = self.boxes[key]
        return f"{box.name}.grad" if box.kind == "leaf" else box.name

    def _ready(self) -> list[str]:
        """Boxes whose gradient is complete, the next to run first: leaves before ops, and of the ops the most recently
        made.
        """
        open_boxes = [key for key in self.arrivals if key in self.runs and key not in self.ran]
        leaves = sorted((key for key in open_boxes if is_leaf(self.nodes[key])), key=self.met.__getitem__)
        ops = [key for key in open_boxes if not is_leaf(self.nodes[key])]
        return leaves + sorted(ops, key=lambda key: -self.nodes[key]._sequence_nr())

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
            self.described[key] = describe(sums[min(sums)])
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

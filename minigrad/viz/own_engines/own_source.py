"""What an engine of a learner's answers to the pictures, by its `Engine`.

The engine is asked once for what the graph is, and each time for what it holds, so a picture is never out of date.
Whatever it raises or answers is told with the method's name; nothing that it does stops a picture half way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from minigrad.viz.graph.nodes import MOST_NODES
from minigrad.viz.graph.saved_values import text_of_function
from minigrad.viz.graph.source import Edges, Pass, Source
from minigrad.viz.graph.values import short
from minigrad.viz.own_engines.adapter import Engine, inputs_first
from minigrad.viz.own_engines.own_pass import SORTED, OwnPass

WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul", "**": "pow"}


class OwnNode:
    """Stands for a node of the engine's, a `thing` that may have no hash: an operation and its result, or a leaf."""

    def __init__(self, thing: Any, number: int, inputs: list[OwnNode]) -> None:
        self.thing, self.number, self.inputs = thing, number, inputs
        self.word = "leaf"
        self.text = ""  # what the picture calls it
        self.held: Gradient | None = None


class Gradient:
    """A gradient of the engine's: the object that it is, and a copy of its numbers."""

    def __init__(self, raw: Any, array: Any) -> None:
        self.raw, self.array = raw, array

    def is_still(self, raw: Any, array: Any) -> bool:
        """Whether the engine holds the same, in the same place."""
        is_here = raw is self.raw or not isinstance(raw, np.ndarray)
        return is_here and array.shape == self.array.shape and np.array_equal(array, self.array, equal_nan=True)


class OwnSource(Source):
    """A graph of an engine of the learner's. An `OwnNode` is a node, and a tensor.

    Raises TypeError or ValueError for a graph that cannot be one, RuntimeError where a method of the engine raises.
    """

    sorts_by_number = False
    begins_with_zero = True

    def __init__(self, root: Any, engine: Engine) -> None:
        self.engine = engine
        self.graph: dict[int, OwnNode] = {}  # by the id of what it stands for, which it holds
        inputs: dict[int, list[Any]] = {}

        def known_inputs(thing: Any) -> list[Any]:
            if id(thing) not in inputs:
                # What enters twice is one input here.
                inputs[id(thing)] = [*{id(one): one for one in self.nodes_from("inputs", thing)}.values()]
            return inputs[id(thing)]

        found: dict[int, OwnNode] = {}
        texts: list[tuple[str, OwnNode]] = []
        for number, thing in enumerate(inputs_first(root, known_inputs)):
            node = found[id(thing)] = OwnNode(thing, number, [found[id(one)] for one in inputs[id(thing)]])
            texts.append((self._text("name", thing), node))
            word = self._text("op", thing) if node.inputs else "leaf"
            node.word = WORDS.get(word, "pow" if word.startswith("**") else word.lower()) or "op"
            self._array("value", thing)
            self._array("gradient", thing)
        self.graph = found
        count = Counter(text for text, _ in texts)
        self.labels = {text: node for text, node in texts if text and count[text] == 1}
        super().__init__(found[id(root)])

    # -- the pictures' questions

    def edges(self, node: OwnNode) -> Edges:
        return [(one, 0) for one in node.inputs]

    def number(self, node: OwnNode) -> int:
        return node.number

    def name(self, node: OwnNode) -> str:
        return node.word

    def leaf(self, node: OwnNode) -> OwnNode | None:
        return None if node.inputs else node

    def node(self, tensor: OwnNode) -> OwnNode | None:
        return tensor if tensor.inputs else None

    def result(self, node: OwnNode) -> OwnNode:
        return node

    def tensor(self, value: Any) -> OwnNode | None:
        return value if isinstance(value, OwnNode) else self.graph.get(id(value))

    def names(self) -> Mapping[str, OwnNode]:
        return self.labels

    def call(self, names: Mapping[OwnNode, str]) -> None:
        for node, name in names.items():
            node.text = name

    def array(self, tensor: Any) -> Any:
        if isinstance(tensor, OwnNode):
            return self._array("value", tensor.thing)
        return tensor.array if isinstance(tensor, Gradient) else tensor

    def grad(self, tensor: OwnNode) -> Gradient | None:
        """Whatever shape that has; the last that could be read, where this cannot."""
        try:
            raw = self.answer("gradient", tensor.thing)
            array = self._array("gradient", tensor.thing)
        except (RuntimeError, TypeError):
            return tensor.held
        if array is None:
            tensor.held = None
        elif tensor.held is None or not tensor.held.is_still(raw, array):
            tensor.held = Gradient(raw, array)
        return tensor.held

    def put_grad(self, tensor: OwnNode, gradient: Gradient | None) -> None:
        raw: Any = None if gradient is None else gradient.raw
        # An array that may not be written to, such as one that np.broadcast_to gave, holds what it held.
        writable = isinstance(raw, np.ndarray) and raw.flags.writeable
        if gradient is not None and writable and raw.shape == gradient.array.shape:
            raw[...] = gradient.array
        self.answer("set_gradient", tensor.thing, raw)
        tensor.held = gradient

    def keeps_grad(self, tensor: OwnNode) -> bool:
        return True

    def backward_source(self, node: OwnNode) -> str:
        try:
            return text_of_function(self.answer("rule", node.thing))
        except RuntimeError:
            return ""

    def steps(self, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> Pass:
        if gradient is not None or inputs is not None or create_graph:
            raise TypeError("gradient, create_graph and inputs mean nothing to your own engine: its start() begins")
        return OwnPass(self)

    # -- the engine's answers, checked

    def method(self, name: str) -> str:
        """What a message calls a method."""
        return f"{type(self.engine).__name__}.{name}()"

    def text_of(self, thing: Any) -> str:
        """What a message calls a node: what its box says, or, before it has a box, its `repr` in short."""
        node = self.graph.get(id(thing))
        return (node.text if node is not None else "") or short(thing)

    def _call(self, method: str, thing: Any) -> str:
        """What a message calls a call of a method."""
        return f"{self.method(method)} of {self.text_of(thing)}"

    def _error(self, method: str, thing: Any, error: Exception) -> RuntimeError:
        """What a method of the engine has raised, with the method's name."""
        return RuntimeError(f"{self._call(method, thing)} raised {type(error).__name__}: {error}")

    def answer(self, method: str, *arguments: Any) -> Any:
        """What a method of the engine answers. RuntimeError, with its name, where it raises."""
        try:
            return getattr(self.engine, method)(*arguments)
        except Exception as error:
            raise self._error(method, arguments[0], error) from error

    def nodes_from(self, method: str, thing: Any) -> list[Any]:
        """The nodes that a method of the engine gives, which may be many, but not without end."""
        given = self.answer(method, thing)
        try:
            # A set has another order each time that the program runs; a picture should not.
            nodes = iter(sorted(given, key=short) if isinstance(given, set) else given)
        except TypeError as error:
            raise TypeError(f"{self._call(method, thing)} gave no nodes: {error}") from error
        try:
            found = list(islice(nodes, 2 * MOST_NODES))
        except Exception as error:  # of a generator, which runs only now
            raise self._error(method, thing, error) from error
        if len(found) == 2 * MOST_NODES:
            ways = f": does it give a node for each way to it? {SORTED}"
            many = f"gave {len(found)} nodes and did not end{ways * (method == 'order')}"
            raise ValueError(f"{self._call(method, thing)} {many}")
        return found

    def _text(self, method: str, thing: Any) -> str:
        """The text that a method of the engine gives, "" for None."""
        text = self.answer(method, thing)
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{self._call(method, thing)} gave {short(text)}, which is no text")
        return text or ""

    def _array(self, method: str, thing: Any) -> Any:
        """A copy of what a method of the engine gives, as an array of numbers; None for no gradient."""
        given = self.answer(method, thing)
        if given is None and method == "gradient":
            return None
        try:
            array = np.array(given.detach() if hasattr(given, "detach") else given)
        except Exception:
            array = np.array(None)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"{self._call(method, thing)} gave {short(given)}: no number, no array of them")
        return array.astype(np.int64) if array.dtype.kind in ("b", "u") else array

    def gradient(self, node: OwnNode) -> Any:
        """A copy of the gradient, or None; of a number 0, which many engines begin with, zeros. ValueError if it has
        not the shape of the value.
        """
        array = self._array("gradient", node.thing)
        shape = self.array(node).shape
        if array is not None and array.shape != shape:
            if array.shape or array != 0:
                raise ValueError(
                    f"{self._call('gradient', node.thing)} gave the shape {array.shape}, but its "
                    f"value has the shape {shape}: where an input was broadcast, its gradient has to be summed back"
                )
            array = np.zeros(shape, array.dtype)
        return array

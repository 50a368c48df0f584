"""The nodes of a learner's own engine, under the attributes that the pictures read of minigrad's.

The engine is asked through its `Engine`, once for what the graph is and each time for what it holds, so a picture is
never out of date. Whatever it raises or answers is told with the method's name; nothing that it does stops a picture
half way.
"""

from __future__ import annotations

import weakref
from collections import Counter
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from minigrad.viz.graph.values import short
from minigrad.viz.own_engines.adapter import LIMIT, Engine, inputs_first
from minigrad.viz.torch_graphs.mirrors import mirror_of

SORTED = "Sorted, each node runs once, after all that use it"
WORDS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul", "**": "pow"}
# By the id of the learner's node: the mirror holds that, so the id is its own for as long as the mirror is there.
_tensors: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()


def own_tensor(value: Any) -> Any:
    """The mirror of a node whose graph a picture has read; anything else as it is."""
    return _tensors.get(id(value), value)


def tensor_of(root: Any, engine: Any) -> Any:
    """The mirror of a result: of an engine of one's own, or, where there is none, of PyTorch's.

    Raises TypeError or ValueError for a graph that cannot be one, RuntimeError where a method of the engine raises.
    """
    if engine is None and own_tensor(root) is not root:
        raise TypeError("this is a result of an engine of your own: say how it is read, as in engine=viz.Engine()")
    if engine is None:
        return mirror_of(root)
    if not isinstance(engine, Engine):
        raise TypeError(f"engine= must be an object of a class derived from viz.Engine, not {short(engine)}")
    inputs: dict[int, list[Any]] = {}

    def known_inputs(thing: Any) -> list[Any]:
        if id(thing) not in inputs:
            # What enters twice is one input here.
            several = {id(one): one for one in nodes_from(engine, "inputs", thing)}
            inputs[id(thing)] = list(several.values())
        return inputs[id(thing)]

    things = inputs_first(root, known_inputs)
    found: dict[int, Tensor] = {}
    for number, thing in enumerate(things):
        found[id(thing)] = Tensor(engine, thing, number, [found[id(one)] for one in inputs[id(thing)]])
    _tensors.update(found)
    top = found[id(root)]
    top.graph = found
    texts = Counter(tensor.label for tensor in found.values())
    top.labels = {tensor.label: tensor for tensor in found.values() if tensor.label and texts[tensor.label] == 1}
    return top


def method_name(engine: Engine, method: str) -> str:
    """What a message calls a method."""
    return f"{type(engine).__name__}.{method}()"


def name_of(thing: Any) -> str:
    """What a message calls a node: what its box says, or, before it has a box, its `repr` in short."""
    return getattr(own_tensor(thing), "text", "") or short(thing)


def call_text(engine: Engine, method: str, thing: Any) -> str:
    """What a message calls a call of a method."""
    return f"{method_name(engine, method)} of {name_of(thing)}"


def error_of(engine: Engine, method: str, thing: Any, error: Exception) -> RuntimeError:
    """What a method of the engine has raised, with the method's name."""
    return RuntimeError(f"{call_text(engine, method, thing)} raised {type(error).__name__}: {error}")


def answer_of(engine: Engine, method: str, *arguments: Any) -> Any:
    """What a method of the engine answers. RuntimeError, with its name, where it raises."""
    try:
        return getattr(engine, method)(*arguments)
    except Exception as error:
        raise error_of(engine, method, arguments[0], error) from error


def nodes_from(engine: Engine, method: str, thing: Any) -> list[Any]:
    """The nodes that a method of the engine gives, which may be many, but not without end."""
    given = answer_of(engine, method, thing)
    try:
        # A set has another order each time that the program runs; a picture should not.
        nodes = iter(sorted(given, key=short) if isinstance(given, set) else given)
    except TypeError as error:
        raise TypeError(f"{call_text(engine, method, thing)} gave no nodes: {error}") from error
    try:
        found = list(islice(nodes, 2 * LIMIT))
    except Exception as error:  # of a generator, which runs only now
        raise error_of(engine, method, thing, error) from error
    if len(found) == 2 * LIMIT:
        ways = f": does it give a node for each way to it? {SORTED}"
        many = f"gave {len(found)} nodes and did not end{ways * (method == 'order')}"
        raise ValueError(f"{call_text(engine, method, thing)} {many}")
    return found


def text_of(engine: Engine, method: str, thing: Any) -> str:
    """The text that a method of the engine gives, "" for None."""
    text = answer_of(engine, method, thing)
    if text is not None and not isinstance(text, str):
        raise TypeError(f"{call_text(engine, method, thing)} gave {short(text)}, which is no text")
    return text or ""


def array_of_own(engine: Engine, method: str, thing: Any) -> Any:
    """A copy of what a method of the engine gives, as an array of numbers; None for a gradient that is not there."""
    given = answer_of(engine, method, thing)
    if given is None and method == "gradient":
        return None
    try:
        array = np.array(given.detach() if hasattr(given, "detach") else given)
    except Exception:
        array = np.array(None)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{call_text(engine, method, thing)} gave {short(given)}: no number, no array of them")
    return array.astype(np.int64) if array.dtype.kind in ("b", "u") else array


class Gradient:
    """A gradient of the engine's: the object that it is, and a copy of its numbers."""

    grad_fn, requires_grad = None, False

    def __init__(self, raw: Any, array: Any) -> None:
        self.raw, self.array = raw, array

    def is_still(self, raw: Any, array: Any) -> bool:
        """Whether the engine holds the same, in the same place."""
        is_here = raw is self.raw or not isinstance(raw, np.ndarray)
        return is_here and array.shape == self.array.shape and np.array_equal(array, self.array, equal_nan=True)

    def detach(self) -> Gradient:
        return self

    def numpy(self) -> Any:
        return self.array


class Tensor:
    """The value and the gradient of a node of the engine's: `thing` is itself."""

    requires_grad = retains_grad = True
    output_nr = 0

    def __init__(self, engine: Engine, thing: Any, number: int, inputs: list[Tensor]) -> None:
        self.engine, self.thing = engine, thing
        self.label = text_of(engine, "name", thing)
        self.graph: dict[int, Tensor] = {}  # of the root: the id of a node of the engine's -> its mirror
        self.labels: dict[str, Tensor] = {}  # of the root: what the engine calls its nodes
        self.node: Node = Node(self, number, inputs)
        self.held: Gradient | None = None
        self.text = ""  # what the picture calls it
        self.numpy()
        array_of_own(engine, "gradient", thing)

    @property
    def grad_fn(self) -> Node | None:
        return self.node if self.node.next_functions else None

    @property
    def memory(self) -> tuple[Any, ...]:
        return ("own", id(self.thing))

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return array_of_own(self.engine, "value", self.thing)

    def gradient(self) -> Any:
        """A copy of the gradient, or None; of a number 0, which many engines begin with, zeros. ValueError if it has
        not the shape of the value.
        """
        array = array_of_own(self.engine, "gradient", self.thing)
        shape = self.numpy().shape
        if array is not None and array.shape != shape:
            if array.shape or array != 0:
                raise ValueError(
                    f"{call_text(self.engine, 'gradient', self.thing)} gave the shape {array.shape}, but its "
                    f"value has the shape {shape}: where an input was broadcast, its gradient has to be summed back"
                )
            array = np.zeros(shape, array.dtype)
        return array

    @property
    def grad(self) -> Gradient | None:
        """What it holds, whatever shape that has; the last that could be read, where this cannot."""
        try:
            raw = self.engine.gradient(self.thing)
            array = array_of_own(self.engine, "gradient", self.thing)
        except (RuntimeError, TypeError):
            return self.held
        if array is None:
            self.held = None
        elif self.held is None or not self.held.is_still(raw, array):
            self.held = Gradient(raw, array)
        return self.held

    @grad.setter
    def grad(self, gradient: Gradient | None) -> None:
        raw: Any = None if gradient is None else gradient.raw
        # An array that may not be written to, such as one that np.broadcast_to gave, holds what it held.
        writable = isinstance(raw, np.ndarray) and raw.flags.writeable
        if gradient is not None and writable and raw.shape == gradient.array.shape:
            raw[...] = gradient.array
        answer_of(self.engine, "set_gradient", self.thing, raw)
        self.held = gradient


class Node:
    """An operation of the engine's, or a leaf: `tensor` is its result."""

    is_own = True  # no rule of ours is known for it
    _kept = None

    def __init__(self, tensor: Tensor, number: int, inputs: list[Tensor]) -> None:
        self.tensor, self._sequence_nr = tensor, partial(int, number)
        self.next_functions = tuple((one.node, 0) for one in inputs)
        self.scales: tuple[Any, ...] = ()  # for each input, the size of what this node's run has changed
        if not inputs:
            self.variable = tensor  # which a leaf has, see graph/nodes.py
        word = text_of(tensor.engine, "op", tensor.thing) if self.next_functions else "leaf"
        self.word = WORDS.get(word, "pow" if word.startswith("**") else word.lower()) or "op"

    def name(self) -> str:
        return self.word

    def saved_result(self, consumers: list[Any]) -> Tensor:
        return self.tensor

    @property
    def backward_function(self) -> Any:
        return answer_of(self.tensor.engine, "rule", self.tensor.thing)

"""The museum of chapter 13: a small engine, and engines that differ from it in one line.

`Array` is a whole engine, of micrograd's shape and for arrays. `changed(old, new)` is the same engine with one line
replaced: what an exhibit is about is one line by construction. `compare` steps two engines through the same program,
`trained` lets one learn the digits.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import linecache
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad import viz
from minigrad.datasets import digits
from minigrad.ops.silence import silent
from minigrad.teach.card import Card, plain
from minigrad.teach.limits import TookTooLongError, call_within

SECONDS = 10.0  # that an engine may take for an exhibit

# ---------------------------------------------------------------- the engine


def fitted(gradient: Any, shape: tuple[int, ...]) -> Any:
    """A gradient, summed over what broadcasting has repeated."""
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(k for k, size in enumerate(shape) if size == 1)
    return gradient.sum(repeated, keepdims=True)


class Array:
    """Numbers that know what they were computed from."""

    made = 0  # by now

    def __init__(self, data, inputs=(), op="", rule=None):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros_like(self.data)
        self.inputs, self.op, self.rule = inputs, op, rule
        Array.made += 1
        self.number = Array.made

    def __add__(self, other):
        return Array(self.data + other.data, (self, other), "add", lambda g: (g, g))

    def __mul__(self, other):
        x, y = self.data, other.data
        return Array(x * y, (self, other), "mul", lambda g: (g * y, g * x))

    def __matmul__(self, other):
        x, y = self.data, other.data
        return Array(x @ y, (self, other), "matmul", lambda g: (g @ y.T, x.T @ g))

    def __pow__(self, n):
        x = self.data
        return Array(x**n, (self,), f"**{n}", lambda g: (g * n * x ** (n - 1),))

    def exp(self):
        y = np.exp(self.data)
        return Array(y, (self,), "exp", lambda g: (g * y,))

    def log(self):
        x = self.data
        return Array(np.log(x), (self,), "log", lambda g: (g / x,))

    def relu(self):
        x = self.data
        y = np.maximum(x, 0)
        return Array(y, (self,), "relu", lambda g: (g * (x > 0),))

    def sum(self, axis):
        x = self.data

        def rule(g):
            return (np.broadcast_to(np.expand_dims(g, axis), x.shape),)

        return Array(x.sum(axis), (self,), "sum", rule)

    def __getitem__(self, places):
        x = self.data

        def rule(g):
            gradient = np.zeros_like(x)
            np.add.at(gradient, places, g)
            return (gradient,)

        return Array(x[places], (self,), "index", rule)

    def order(self):
        found = [self]
        for node in found:
            found += [one for one in dict.fromkeys(node.inputs) if one not in found]
        return sorted(found, key=lambda node: node.number, reverse=True)

    def start(self):
        for node in self.order():
            if node.inputs:
                node.grad = np.zeros_like(node.data)
        self.grad = np.ones_like(self.data)

    def run(self):
        for one, gradient in zip(self.inputs, self.rule(self.grad)):
            one.grad = one.grad + fitted(gradient, one.data.shape)

    def backward(self):
        self.start()
        for node in self.order():
            if node.inputs:
                node.run()


# ---------------------------------------------------------------- engines with one other line


SOURCE = inspect.getsource(Array)
LINES: dict[type, tuple[str, str]] = {Array: ("", "")}  # of an engine: the line that differs, as it was and as it is
_numbers = itertools.count(1)


def made_of(source: str) -> type:
    """The engine that is written in a text. It may raise whatever that raises, SyntaxError too."""
    name = f"<engine {next(_numbers)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)  # for who quotes its lines
    namespace: dict[str, Any] = {"np": np, "fitted": fitted, "__name__": "museum"}
    exec(compile(source, name, "exec"), namespace)
    made: type = namespace["Array"]
    was, now = SOURCE.splitlines(), source.splitlines()
    pairs = [(a.strip(), b.strip()) for a, b in zip(was, now, strict=False) if a != b]
    LINES[made] = pairs[0] if pairs else ("", "")
    return made


def changed(old: str, new: str) -> type:
    """The engine with a piece of one line replaced. ValueError if the piece is not there exactly once."""
    if SOURCE.count(old) != 1:
        raise ValueError(f"{old!r} stands {SOURCE.count(old)} times in the engine, and has to stand there once")
    return made_of(SOURCE.replace(old, new))


def line_of(engine: type) -> str:
    """The line in which an engine differs from the right one, below the right one's."""
    was, now = LINES[engine]
    return f"right:  {was}\nhere:   {now}" if was else "no line differs"


# ---------------------------------------------------------------- side by side


class Adapter(viz.Engine):
    """What the pictures have to know of the museum's engines: order, start and run are the engine's own."""

    def inputs(self, node: Any) -> Any:
        return node.inputs

    def op(self, node: Any) -> str:
        return str(node.op)

    def start(self, root: Any) -> None:
        root.start()

    def order(self, root: Any) -> Any:
        return root.order()

    def run(self, node: Any) -> None:
        node.run()

    def rule(self, node: Any) -> Any:
        return node.rule


Program = Callable[[Any], dict[str, Any]]  # gets an engine; gives what it has computed, by name, the root as "loss"


def compare(engine: type, program: Program, seconds: float = SECONDS, walked_before: bool = False) -> Any:
    """The walk of the right engine and that of another through the same program, side by side, or the second walk of
    both. Where there is nothing to step through, since an engine does not end, raises, or makes no graph, a card says
    so.
    """
    try:
        return call_within(seconds, _compared, engine, program, walked_before)
    except TookTooLongError:
        return Card("bad", "no exhibit: this engine was still running when its time was over", _rows(engine))
    except (Exception, SystemExit) as error:
        raised = ("raised", plain(f"{type(error).__name__}: {error}"))
        return Card("bad", "no exhibit: there is nothing to step through", (*_rows(engine), raised))


def _compared(engine: type, program: Program, walked_before: bool) -> Any:
    right, other = program(Array), program(engine)
    for computed in (right, other) if walked_before else ():
        computed["loss"].backward()
    names = {name: one for name, one in right.items() if isinstance(one, Array)}
    given = {"engine": Adapter(), "names": names, "labels": ("the right one", "this one")}
    return eval(_call_below(program), {"compare": viz.compare, "a": right["loss"], "b": other["loss"], "given": given})


def _call_below(program: Any) -> Any:
    """A call of compare() as if it stood below the program, in its cell: there the pictures look for the lines in which
    results get their names. The museum's own programs, which stand in a file, have no such lines.
    """
    file, last = program.__code__.co_filename, max(line for _, _, line in program.__code__.co_lines() if line)
    return compile("\n" * last + "compare(a, b, **given)", "<program>" if os.path.exists(file) else file, "eval")


def _rows(engine: type) -> tuple[tuple[str, str], ...]:
    return (("its line", f"  {plain(LINES.get(engine, ('', ''))[1])}"),)


# ---------------------------------------------------------------- learning the digits


class Trained(NamedTuple):
    """How many percent of the held-out digits were right after every tenth step, and the error that ended it, or ""."""

    accuracies: list[int]
    error: str


@functools.cache
def _digits() -> tuple[Any, ...]:
    images, labels, *held_out = digits()
    arrays = [one.numpy().reshape(len(one), -1) / 16 for one in (images, held_out[0])]
    return arrays[0], labels.numpy(), arrays[1], held_out[1].numpy()


@silent
def trained(engine: Any, steps: int = 150, batch: int = 64, rate: float = 0.5) -> Trained:
    """Train a network of two layers with an engine. The random numbers are the same for each."""
    images, labels, test_images, test_labels = _digits()
    random, accuracies = np.random.default_rng(0), []
    first, second = random.normal(0, 0.15, (64, 32)), random.normal(0, 0.15, (32, 10))
    try:
        parameters = w1, b1, w2, b2 = [engine(one) for one in (first, np.zeros(32), second, np.zeros(10))]
        for step in range(1, steps + 1):
            chosen = random.integers(len(images), size=batch)
            scores = (engine(images[chosen]) @ w1 + b1).relu() @ w2 + b2
            wanted = scores[np.arange(batch), labels[chosen]]
            loss = (scores.exp().sum(axis=1).log() + wanted * engine(-1.0)).sum(axis=0) * engine(1 / batch)
            loss.backward()
            for one in parameters:
                one.data -= rate * one.grad
                one.grad = np.zeros_like(one.data)
            if step % 10 == 0:
                hidden = np.maximum(test_images @ w1.data + b1.data, 0)
                guessed = (hidden @ w2.data + b2.data).argmax(1)
                accuracies.append(round(100 * (guessed == test_labels).mean()))
    except Exception as error:
        return Trained(accuracies, f"{type(error).__name__}: {error}")
    return Trained(accuracies, "")


# ---------------------------------------------------------------- the museum's own test

PROGRAMS = (
    (((3, 4), (4, 2), (2,)), lambda x, w, b: ((x @ w + b).relu() ** 3).sum(axis=1)),
    (((3, 3), (1, 3)), lambda x, w: _twice_used(x * w)),
    (((2, 3),), lambda x: x.exp().sum(axis=0).log() * x.exp().sum(axis=1).log().sum(axis=0)),
    (((4, 2),), lambda x: x[[0, 2, 2, -1]] ** 2),
)


def _twice_used(h):
    return h + h * h + h.relu()


def program_of(number):
    """One of the programs, for the museum's pictures: engine -> what was computed, by name."""
    shapes, function = PROGRAMS[number]
    random = np.random.default_rng(number)
    numbers = [random.integers(1, 5, shape) * random.choice([-0.5, 0.5], shape) for shape in shapes]
    weights = random.integers(1, 4, function(*map(Array, numbers)).data.shape)

    def program(engine):
        leaves = [engine(one) for one in numbers]
        return dict(zip("abc", leaves, strict=False)) | {"loss": function(*leaves) * engine(weights)}

    return program


@silent
def computed_by(engine, number):
    """The values and gradients of a program after two walks; none, if the engine raises."""
    try:
        computed = program_of(number)(engine)
        for _ in range(2):
            computed["loss"].backward()
    except Exception:
        return []
    return [part for one in computed.values() for part in (one.data, one.grad)]


def is_different(engine, number, other=Array):
    """Whether an engine computes another value or other gradients in a program than the right one, or than another;
    one that raises does.
    """
    mine, others = computed_by(engine, number), computed_by(other, number)
    if len(mine) != len(others):
        return True
    return any(
        np.shape(a) != np.shape(b) or not np.allclose(a, b, 1e-3, 1e-6) for a, b in zip(mine, others, strict=True)
    )


def is_like(engine, other):
    """Whether two engines are right or wrong in the same way, in each of the programs."""
    return not any(is_different(engine, number, other) for number in range(len(PROGRAMS)))


# ---------------------------------------------------------------- the exhibits


engine_a = changed("one.grad + fitted(", "fitted(")
engine_b = changed("sorted(found, key=lambda node: node.number, reverse=True)", "found")
engine_c = changed("fitted(gradient, one.data.shape)", "gradient")
engine_d = changed("node.grad = np.zeros_like(node.data)", "pass")
engine_e = changed("np.maximum(x, 0)", "np.maximum(x, 0, out=x)")
engine_f = changed("np.expand_dims(g, axis)", "g")
engine_g = changed("g * (x > 0)", "g")
engine_h = changed("g @ y.T", "g @ y")
engine_k = changed("np.add.at(gradient, places, g)", "gradient[places] += g")
EXHIBITS = {name[-1]: made for name, made in {**globals()}.items() if name.startswith("engine_")}
SIX = {  # that learn the digits
    "engine 1": engine_d,
    "engine 2": engine_g,
    "engine 3": engine_b,
    "engine 4": Array,
    "engine 5": engine_k,
    "engine 6": engine_e,
}

"""Random programs, run on minigrad and on torch side by side, and compared after every line.

The sentence "minigrad behaves as torch.autograd does" is tried on programs that nobody would write by hand, in which a
tensor is viewed, overwritten, detached, hooked and differentiated in an order that was drawn by lot. A program is a
list of lines of Python and of `with` blocks of lines:

    t0 = F.tensor([0.5, -1.0], dtype=F.float64, requires_grad=True)
    t1 = t0 * 2.0
    with F.no_grad():
        t1[0] = 0.25
    t1.sum().backward()

`F` is torch or minigrad, `t0`, `t1` ... are tensors and `h0`, `h1` ... the handles of hooks; the few other names
(`Square`, `seen` ...) are those of `vocabulary()`. So a program that fails can be printed, read, and pasted. The parts:

- `Machine` runs a program on one library, and after each line writes down everything that a learner could ask of every
  tensor. A line that raises an error is not the end: the program goes on, and both sides must go on alike.
- `Writer` draws a program by lot. It runs what it writes on a library, its guide, so that it knows the shapes and can
  write lines that mostly make sense. One function stands for each kind of line, with its weight: see `KINDS`.
- `compare` finds the first difference between the two sides, and `shrink` takes out of a program what the difference
  does not need.

Some lines are not drawn, since what torch does at them is an accident of how it is built: a leaf of inference mode that
requires grad (some operations record it, some do not, the mean complains of an `out=` that nobody gave), `.data = ` in
inference mode or with another shape (torch compares shapes that it noted at different times), stack() of inference
tensors outside of it (becomes a view), backward(g) with a `g` that shares memory with a leaf (torch's `.grad` may then
share it, too: writing to the one changes the other), a hook on the node of a view (how many nodes an index has),
operands that do not fit while saved tensors are packed (torch has packed before it looks at sizes), operands whose
dimensions lie in memory in different orders, or are expanded and turned (the order of the result is numpy's affair
here, so that what view() can do with it differs), and `.data` of a 0-d result (what a node saved of that is a number
here, which no write reaches; for the same reason writes to such a result where a pack hook has it, after which torch
computes a wrong gradient). Nor tensors of inference mode that a node cannot save, where saved tensors are packed or
operands do not fit (torch complains when it has packed some, and before it looks at sizes), nor dimensions that are not
there, where saved tensors are packed (logsumexp has packed before it looks), nor a hook on a view that was a leaf with
a gradient of its own and is none any more (torch's old leaf runs it, too, since a leaf asks its tensor for hooks). Nor
writes to a leaf that has hooks and no longer requires grad (torch's old leaf has lost them, or the run ends with "leaf
variable has been moved into the graph interior"), nor writes to a second output that retains its gradient (torch moves
what the first output retains, or asks to report a bug), nor hooks on a view that may no longer be asked for its place
in the graph (torch refuses the first and takes the next).

CI runs 300 programs (see `test_random_programs.py`). The long run is made by hand, and reports what fails as short
programs; it takes a few minutes for 10,000 of them:

    python tests/engine/random_programs.py --count 10000 --seed 0

The same through pytest, in parallel: `RANDOM_PROGRAMS=10000 pytest -n 4 tests/engine/test_random_programs.py`.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import math
import random
import re
import sys
import types
import warnings
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Protocol

# ---------------------------------------------------------------- the language

REGISTER = re.compile(r"\b[th]\d+\b")
ALIAS = re.compile(r"([th]\d+) = ([th]\d+)")
ASSIGNMENT = re.compile(r"((?:[th]\d+)(?:, [th]\d+)*) = (.*)")


@dataclass(frozen=True)
class Line:
    """One line of Python, and the kind of thing that it does."""

    text: str
    kind: str = ""

    @property
    def makes(self) -> list[str]:
        """The registers that the line binds."""
        assigned = ASSIGNMENT.fullmatch(self.text)
        return assigned[1].split(", ") if assigned else []

    @property
    def uses(self) -> list[str]:
        """The registers without which the line means nothing."""
        text = re.sub('"[^"]*"', "", self.text)  # a hook's label may name a register, and needs none
        assigned = ASSIGNMENT.fullmatch(text)
        return REGISTER.findall(assigned[2] if assigned else text)


@dataclass(frozen=True)
class Block:
    """A `with` block. `head` is its first line, without the indent."""

    head: str
    body: Program
    kind: str = ""

    @property
    def context(self) -> str:
        return self.head.removeprefix("with ").removesuffix(":")


Statement = Line | Block
Program = tuple[Statement, ...]


def lines_of(program: Program, indent: str = "") -> Iterator[str]:
    for statement in program:
        if isinstance(statement, Line):
            yield indent + statement.text
        else:
            yield indent + statement.head
            yield from lines_of(statement.body or (Line("pass"),), indent + "    ")


def source(program: Program, library: str = "minigrad") -> str:
    """The program as a file that runs, from the folder of the tests."""
    opening = [
        f"import {library} as F",
        "from engine.random_programs import vocabulary",
        "globals().update(vocabulary(F))",
    ]
    return "\n".join([*opening, "", *lines_of(program)])


def size(program: Program) -> int:
    """How many lines it has."""
    return sum(1 for _ in lines_of(program))


# ---------------------------------------------------------------- the words of the language


ANY_ORDER = "any order"


class Log(list[Any]):
    """What hooks and custom functions saw: entries (place, name, values...).

    The place is None where the order is settled; the leaf's id for what happens at a leaf; or ANY_ORDER.
    """

    def taken(self) -> list[Any]:
        """The entries, for a comparison, and then none.

        Leaves that are ready at the same time get their gradients in an order that PyTorch does not promise. What
        hooks saw at one leaf stays together, in its order; such pieces next to each other are sorted. So is what was
        packed and unpacked by one line, since the order in which a node does this to its tensors is its own affair.
        """
        pieces: list[tuple[Any, list[Any]]] = []
        for place, *entry in self:
            if pieces and place not in (None, ANY_ORDER) and pieces[-1][0] == place:
                pieces[-1][1].append(entry)
            else:
                pieces.append((place, [entry]))
        self.clear()
        ordered: list[Any] = []
        run: list[Any] = []
        for place, piece in pieces:
            if place is None:
                ordered += [*sorted(run, key=repr), piece]
                run = []
            else:
                run.append(piece)
        return [*ordered, *sorted(run, key=repr)]


def plain(value: Any) -> Any:
    """A tensor, None, or tuples of these, in terms that both sides share."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return [list(value.shape), value.detach().tolist()]


@functools.cache
def vocabulary(F: Any) -> dict[str, Any]:
    """The names that a program uses besides `F`: hooks, custom functions, and `log`, in which these leave a trace."""
    return {"log": (log := Log()), "F": F, **hooks(log), **functions(F, log)}


def hooks(log: Log) -> dict[str, Callable[..., Any]]:
    def doubled(gradient: Any) -> Any:
        return gradient * 2

    def unchanged(gradient: Any) -> None:
        return None

    def halved_in_place(gradient: Any) -> None:
        """Writes into the gradient. (Not while that is recorded: which formula saved it is each side's own affair.)"""
        if not gradient.requires_grad:
            gradient.mul_(0.5)

    def halving(tensor: Any) -> Any:
        """A tensor with the same numbers, whose gradient a hook writes to."""
        watched = tensor.clone()
        if watched.requires_grad:
            watched.register_hook(halved_in_place)
        return watched

    def all_halved(gradients: Any) -> Any:
        """What grad() gave, written to, with a count of writes of its own: how often torch has written is left open."""
        for gradient in gradients:
            halved_in_place(gradient)
        return [gradient.clone() for gradient in gradients]

    def seen(name: str, tensor: Any) -> Callable[[Any], None]:
        """A hook for a tensor, that writes down what it saw."""
        place = id(tensor) if tensor.is_leaf else None
        return lambda gradient: log.append((place, name, plain(gradient)))

    def refused(gradient: Any) -> None:
        raise ArithmeticError("this hook always raises")

    def wrong_shape(gradient: Any) -> Any:
        return gradient.sum().view(1, 1, 1)

    def closing(tensor: Any) -> Callable[[Any], Any]:
        """A hook that holds the tensor on which it stands: a cycle, until it is removed."""
        return lambda gradient: gradient + tensor.detach()

    def complete(name: str) -> Callable[[Any], None]:
        """A post-accumulate hook, that writes down the gradient so far."""
        return lambda leaf: log.append((id(leaf), name, plain(leaf.grad)))

    def spent(leaf: Any) -> None:
        """A post-accumulate hook that uses the gradient up, as an optimizer within backward() does."""
        leaf.grad = None

    def node_seen(name: str) -> Callable[..., None]:
        return lambda inputs, outputs: log.append((None, name, plain(inputs), plain(outputs)))

    def node_halved(inputs: Any, outputs: Any) -> Any:
        return tuple(None if gradient is None else gradient / 2 for gradient in inputs)

    def before_node(name: str) -> Callable[[Any], None]:
        return lambda outputs: log.append((None, name, plain(outputs)))

    def doubled_before(outputs: Any) -> Any:
        return tuple(None if gradient is None else gradient * 2 for gradient in outputs)

    def all_seen(name: str) -> Callable[[Any], None]:
        """A hook for several tensors, that waits for all their gradients."""
        return lambda gradients: log.append((None, name, plain(tuple(gradients))))

    def first_seen(name: str) -> Callable[[Any], None]:
        """A hook for several tensors, that runs at the first gradient of any."""
        return lambda gradient: log.append((None, name, plain(gradient)))

    def note(name: str, tensor: Any) -> None:
        if tensor.dtype.is_floating_point:  # how an index or a mask is kept is each side's own affair
            log.append((ANY_ORDER, name, list(tensor.shape)))

    def pack(tensor: Any) -> Any:
        note("pack", tensor)
        return tensor

    def pack_copy(tensor: Any) -> Any:
        note("pack", tensor)
        return tensor.detach().clone()

    def unpack(kept: Any) -> Any:
        note("unpack", kept)
        return kept

    named = (doubled, unchanged, seen, refused, wrong_shape, closing, complete, spent, node_seen, node_halved)
    more = (before_node, doubled_before, all_seen, first_seen, pack, unpack, pack_copy, halving, all_halved)
    return {function.__name__: function for function in (*named, *more)}


def functions(F: Any, log: Log) -> dict[str, Any]:
    """Custom functions, one for each thing that a custom function may do; they write down what they are told."""

    def note(name: str, ctx: Any, *gradients: Any) -> None:
        log.append((None, name, F.is_grad_enabled(), list(ctx.needs_input_grad), [plain(g) for g in gradients]))

    class Square(F.autograd.Function):
        """Saves its input."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            note("Square.forward", ctx)
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            note("Square.backward", ctx, g)
            (x,) = ctx.saved_tensors
            return 2 * x * g

    class Exponential(F.autograd.Function):
        """Saves its output."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            note("Exponential.backward", ctx, g)
            (result,) = ctx.saved_tensors
            return result * g

    class Doubled(F.autograd.Function):
        """Writes into its input."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            note("Doubled.backward", ctx, g)
            return 2 * g

    class SumAndProduct(F.autograd.Function):
        """Two inputs, two outputs, and a number that is neither."""

        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, factor: float) -> Any:
            ctx.save_for_backward(a, b)
            ctx.factor = factor
            return (a + b) * factor, a * b

        @staticmethod
        def backward(ctx: Any, g_sum: Any, g_product: Any) -> Any:
            note("SumAndProduct.backward", ctx, g_sum, g_product)
            a, b = ctx.saved_tensors
            return g_sum * ctx.factor + g_product * b, g_sum * ctx.factor + g_product * a, None

    class Quiet(F.autograd.Function):
        """Two outputs; the gradient of one that nobody used stays None."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x + 1, x * 3

        @staticmethod
        def backward(ctx: Any, g_first: Any, g_second: Any) -> Any:
            note("Quiet.backward", ctx, g_first, g_second)
            if g_first is None:
                return None if g_second is None else g_second * 3
            return g_first if g_second is None else g_first + g_second * 3

    class Signs(F.autograd.Function):
        """Two outputs, one of which has no gradient."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            sign = x / (x * x + 1)
            ctx.mark_non_differentiable(sign)
            return x * 2, sign

        @staticmethod
        def backward(ctx: Any, g: Any, g_sign: Any) -> Any:
            note("Signs.backward", ctx, g, g_sign)
            return g * 2

    class AsIs(F.autograd.Function):
        """Gives its input back."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            note("AsIs.backward", ctx, g)
            return g * 5

    class Flat(F.autograd.Function):
        """Gives a view of its input back."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.shape = x.shape
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.view(ctx.shape)

    def copies(gradients: Any) -> Any:
        """Gradients with memory of their own: how the engine lays its own out, and who shares them, is left open."""
        return tuple(None if g is None else F.zeros(tuple(g.shape), dtype=g.dtype).copy_(g) for g in gradients)

    def wave(x: Any) -> Any:
        """What `checkpoint` computes again in backward."""
        log.append((None, "wave"))
        return (x * x).sin()

    named = (Square, Exponential, Doubled, SumAndProduct, Quiet, Signs, AsIs, Flat, copies, wave)
    return {function.__name__: function for function in named}


# ---------------------------------------------------------------- running


ADDRESS_OR_END_OF_SENTENCE = re.compile(r"0x|\n|\.(?=\s|$|[A-Z][a-z]* )")
# Of what was saved and overwritten: which of several views made it is left open, and versions are compared elsewhere.
PRODUCER = re.compile(r"(, which is output \d+ of \w+,)? is at version \d+; expected version \d+ instead")


@functools.cache
def beginning(message: str) -> str:
    """A message up to the end of its first sentence, or up to an address: the words that minigrad shares with torch."""
    return ADDRESS_OR_END_OF_SENTENCE.split(PRODUCER.sub("", message), maxsplit=1)[0]


def shared_words(text: str) -> str:
    """Torch's text with our name in it. That reshape() has two names for a view is torch's own affair."""
    return text.replace("torch::autograd::", "").replace("torch.", "minigrad.").replace("ReshapeAlias", "View")


@dataclass(frozen=True)
class Error:
    """An error that a line raised, or that asking a tensor raised."""

    type: str
    message: str

    @staticmethod
    def of(error: Exception) -> Error:
        return Error(type(error).__name__, shared_words(str(error)))

    def __str__(self) -> str:
        return f"{self.type}: {self.message.splitlines()[0] if self.message else ''}"


State = dict[str, dict[str, Any]]  # register -> question -> answer


ENDING = "(end of)"


@dataclass
class Event:
    """A line that was run, and all that could be seen after it."""

    line: str
    kind: str
    error: Error | None
    log: list[Any]
    modes: tuple[bool, bool]
    state: State


def asked(question: Callable[[Any], Any], tensor: Any) -> Any:
    try:
        return question(tensor)
    except Exception as error:
        return Error.of(error)


VIEWS = {
    "Alias",
    "Select",
    "Slice",
    "Unsqueeze",
    "Expand",
    "View",
    "Squeeze",
    "T",
    "Transpose",
    "Permute",
    "AsStrided",
    "ReshapeAlias",
}


def node_name(node: Any) -> str:
    return shared_words(node.name())


def described_node(tensor: Any) -> Any:
    """The name of its grad_fn, and whether its edges lead to nothing, to a leaf, or to another node.

    How many views lie between, say for an index of several parts, is left open, and so is which formula a gradient's
    own graph was made by.
    """
    node = tensor.grad_fn
    if node is None:
        return None
    behind = []
    for next_node, _ in node.next_functions:
        while next_node is not None and re.split("Backward", next_node.name())[0] in VIEWS:
            ((next_node, _),) = next_node.next_functions
        accumulates = next_node is not None and node_name(next_node) == "AccumulateGrad"
        behind.append(None if next_node is None else "leaf" if accumulates else "node")
    return node_name(node), behind


def described_grad(tensor: Any) -> Any:
    grad = tensor.grad
    return grad if grad is None else (tuple(grad.shape), grad.requires_grad, grad.tolist())


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "shape": lambda t: tuple(t.shape),
    "dtype": lambda t: str(t.dtype).rpartition(".")[2],
    "requires_grad": lambda t: t.requires_grad,
    "is_leaf": lambda t: t.is_leaf,
    "grad_fn": described_node,
    "output_nr": lambda t: (
        None if t._is_view() else t.output_nr
    ),  # torch keeps a view's number when its node is renewed
    "values": lambda t: t.tolist(),
    "_version": lambda t: t._version,
    "_is_view()": lambda t: t._is_view(),
    "retains_grad": lambda t: t.retains_grad,
    "is_inference()": lambda t: t.is_inference(),
    "grad": described_grad,
}


class Machine:
    """Runs programs on one library. Use it in a `with` statement: it takes apart what it made.

    Its events tell of all tensors, unless it is to be `silent`: telling takes longer than running.
    """

    def __init__(self, F: Any, silent: bool = False) -> None:
        self.F, self.silent = F, silent
        self.words = vocabulary(F)
        self.log: Log = self.words["log"]
        self.names: dict[str, Any] = {}
        self.made: list[weakref.ref[Any]] = []
        self.handles: list[Any] = []
        self.excused: dict[str, int] = {}  # registers whose versions count from here on -> their version when bound

    def __enter__(self) -> Machine:
        self.log.clear()
        self.names = dict(self.words)
        return self

    def __exit__(self, *_: object) -> None:
        """Forget everything, and break the cycles that were the program's own doing: a `.grad` that has a graph, and
        hooks that hold their tensor.
        """
        for handle in self.handles:
            handle.remove()
        for reference in self.made:
            tensor = reference()
            if tensor is not None:
                tensor.grad = None
        self.names.clear()
        self.handles.clear()
        self.log.clear()

    def survivors(self) -> int:
        """How many of the program's tensors are alive."""
        return sum(reference() is not None for reference in self.made)

    def registers(self, letter: str) -> list[tuple[str, Any]]:
        """The bound registers of tensors (t) or of handles (h), oldest first."""
        return [(name, value) for name, value in self.names.items() if name[0] == letter and REGISTER.fullmatch(name)]

    def run(self, program: Program) -> list[Event]:
        """Run the program, and tell what could be seen after each line."""
        events: list[Event] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._run(program, events)
        return events

    def _run(self, program: Program, events: list[Event]) -> None:
        for statement in program:
            if isinstance(statement, Line):
                if all(name in self.names for name in statement.uses):
                    events.append(self._event(statement.text, statement.kind, self.execute(statement)))
                continue
            error = None
            try:
                with eval(statement.context, self.names):
                    events.append(self._event(statement.head, statement.kind, None))
                    self._run(statement.body, events)
            except Exception as raised:  # lines keep their errors: this one came from the context manager
                error = Error.of(raised)
            events.append(self._event(f"{ENDING} {statement.head}", statement.kind, error))

    def execute(self, line: Line) -> Error | None:
        """Run one line. Its error, if it raised one, is an answer like any other."""
        inferred = any(
            isinstance(used, self.F.Tensor) and used.is_inference() for used in map(self.names.get, line.uses)
        )
        try:
            exec(compiled(line.text), self.names)
        except Exception as error:
            return Error.of(error)
        for name in line.makes:
            value = self.names[name]
            if name[0] == "h":
                self.handles.append(value)
            elif isinstance(value, self.F.Tensor):
                self.made.append(weakref.ref(value))
                self._excuse(name, value, line, inferred)
        return None

    def ask_nodes(self) -> None:
        """Ask every tensor for its grad_fn, as `state` does: torch renews the grad_fn of a view of what was overwritten
        at that moment, and torch 2.13 crashes if a hook is put on such a view before.
        """
        for _, tensor in self.registers("t"):
            asked(lambda t: t.grad_fn, tensor)

    def _excuse(self, name: str, tensor: Any, line: Line, inferred: bool) -> None:
        """Let the version of a register count from here on, if it may share the memory of a `.grad`: how often the
        engine wrote into that is its own affair. So for what is computed from inference tensors: there torch's kernels
        count the writes into their own results.
        """
        shares = line.text.endswith(".grad") or any(other in self.excused for other in line.uses)
        self.excused.pop(name, None)
        if shares or inferred:
            version = asked(QUESTIONS["_version"], tensor)
            self.excused[name] = 0 if isinstance(version, Error) else version

    @staticmethod
    def _without_excused(answers: dict[str, Any], version: int) -> None:
        """The same answers but for the writes before, and for the way in which a gradient was copied."""
        if isinstance(answers["_version"], int):
            answers["_version"] -= version
        if isinstance(answers["grad_fn"], tuple) and answers["grad_fn"][0] in ("CloneBackward0", "CopyBackwards"):
            answers["grad_fn"] = "a copy"

    def _event(self, line: str, kind: str, error: Error | None) -> Event:
        modes = (self.F.is_grad_enabled(), self.F.is_inference_mode_enabled())
        if self.silent:
            self.ask_nodes()
        return Event(line, kind, error, self.log.taken(), modes, {} if self.silent else self.state())

    def state(self) -> State:
        tensors = self.registers("t")
        owner: dict[int, str] = {}
        for name, tensor in tensors:
            owner.setdefault(id(tensor), name)
        state: State = {}
        for name, tensor in tensors:
            if tensor is None:
                state[name] = {"is": None}
            elif owner[id(tensor)] != name:
                state[name] = {"is": owner[id(tensor)]}
            else:
                answers = {question: asked(ask, tensor) for question, ask in QUESTIONS.items()}
                base = tensor._base
                answers["_base"] = None if base is None else owner.get(id(base), "a tensor without a name")
                if name in self.excused:
                    self._without_excused(answers, self.excused[name])
                state[name] = answers
        return state


@functools.lru_cache(maxsize=4096)
def compiled(text: str) -> types.CodeType:
    return compile(text, f"<{text}>", "exec")


def observed(program: Program, F: Any) -> list[Event]:
    with Machine(F) as machine:
        return machine.run(program)


# ---------------------------------------------------------------- comparing


@dataclass(frozen=True)
class Difference:
    """The first thing that the two sides do not agree on."""

    line: str
    register: str
    question: str
    ours: Any
    theirs: Any
    number: int  # of the event after which it was seen

    @property
    def key(self) -> tuple[str, ...]:
        """What kind of difference it is: the same for programs that fail for the same reason, as far as one can see."""
        answers = (self.ours, self.theirs)
        if any(isinstance(answer, Error) for answer in answers):
            said = (f"{a.type}: {beginning(a.message)}" if isinstance(a, Error) else "none" for a in answers)
            return (self.question, *said)
        if self.question in ("grad_fn", "requires_grad", "is_leaf", "_is_view()", "is"):
            return (self.question, str(self.ours), str(self.theirs))
        if self.question == "grad":
            return (self.question, "None" if self.ours is None else "", "None" if self.theirs is None else "")
        return (self.question,)

    @property
    def in_words_only(self) -> bool:
        """Whether values, gradients, versions and types of errors agree: only a message or a node's name differs."""
        if isinstance(self.ours, Error) and isinstance(self.theirs, Error):
            twice = "is a view" in self.ours.message + self.theirs.message  # wrong in two ways: which is seen first?
            return bool(twice or self.ours.type == self.theirs.type)
        return self.question == "grad_fn" and not any(isinstance(answer, Error) for answer in (self.ours, self.theirs))

    def __str__(self) -> str:
        asked = f"{self.register}.{self.question}".lstrip(".")
        return f"after `{self.line}`: {asked}\n  ours:   {self.ours}\n  theirs: {self.theirs}"


def flat(value: Any) -> list[Any]:
    """The numbers and other items in nested lists, in order, and the lengths of the lists."""
    items, waiting = [], [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | tuple):
            items.append(len(item))
            waiting.extend(item)
        else:
            items.append(item)
    return items


def same(ours: Any, theirs: Any, tolerance: float = 1e-9) -> bool:
    """Equal; floats to a tolerance, as measured by the largest number beside them, and nan equals nan.

    An error is the same if its type is, and if our message begins as theirs does.
    """
    if isinstance(theirs, Error):
        return (
            isinstance(ours, Error)
            and ours.type == theirs.type
            and PRODUCER.sub("", ours.message).startswith(beginning(theirs.message))
        )
    if ours == theirs:
        return True
    mine, other = flat(ours), flat(theirs)
    if len(mine) != len(other):
        return False
    largest = max((abs(number) for number in other if isinstance(number, float) and math.isfinite(number)), default=0.0)
    return all(close(a, b, tolerance * max(1.0, largest)) for a, b in zip(mine, other, strict=True))


def close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= tolerance or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def difference(ours: Sequence[Event], theirs: Sequence[Event], tolerance: float = 1e-9) -> Difference | None:
    """The first difference between two runs of one program.

    Where torch finds a bug in itself, there is nothing left to agree with: what comes after that is not compared.
    """
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        if other.error is not None and "INTERNAL ASSERT FAILED" in other.error.message:
            return None
        if re.search("register.*_hook", mine.line) and isinstance(mine.error, Error) and other.error is None:
            return None  # torch refuses a first hook on a view without a history, but not a second
        if mine.line != other.line:
            return Difference(mine.line, "", "the line that is run", mine.line, other.line, number)
        for question in ("error", "log", "modes"):
            answers = getattr(mine, question), getattr(other, question)
            if not same(*answers, tolerance):
                return Difference(mine.line, "", question, *answers, number)
        if mine.state.keys() != other.state.keys():
            return Difference(mine.line, "", "registers", list(mine.state), list(other.state), number)
        for register, answers in other.state.items():
            for question, answer in answers.items():
                own = mine.state[register].get(question)
                if not same(own, answer, tolerance):
                    return Difference(mine.line, register, question, own, answer, number)
    if len(ours) != len(theirs):
        return Difference("", "", "the number of lines that ran", len(ours), len(theirs), min(len(ours), len(theirs)))
    return None


def compare(program: Program, ours: Any, theirs: Any) -> Difference | None:
    """Run a program on both sides; None if nothing differs."""
    return difference(observed(program, ours), observed(program, theirs), tolerance_of(program))


def tolerance_of(program: Program) -> float:
    """How far apart results may be: nine digits, or in float16 a few roundings, of which some steps need more than one
    on either side.
    """
    return 2**-8 if any("float16" in line for line in lines_of(program)) else 1e-9


# ---------------------------------------------------------------- shrinking


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """A program as short as can be got by leaving things out, for which `fails` is still true."""
    while True:
        for smaller in smaller_programs(program):
            if fails(smaller):
                program = smaller
                break
        else:
            return program


def smaller_programs(program: Program) -> Iterator[Program]:
    """The program with parts left out, large parts first; then with blocks opened up, and with lines made simpler."""
    length = len(program)
    part = length
    while part:
        for start in range(length - part, -1, -1):
            yield program[:start] + program[start + part :]
        part //= 2
    for place, statement in enumerate(program):
        before, after = program[:place], program[place + 1 :]
        if isinstance(statement, Block):
            yield before + statement.body + after
            for body in smaller_programs(statement.body):
                yield (*before, replace(statement, body=body), *after)
            continue
        if alias := ALIAS.fullmatch(statement.text):
            yield before + tuple(renamed(later, *alias.groups()) for later in after)
        for text in simpler_texts(statement):
            yield (*before, replace(statement, text=text), *after)


def renamed(statement: Statement, old: str, new: str) -> Statement:
    """The statement with another name for a register."""
    if isinstance(statement, Block):
        return replace(statement, body=tuple(renamed(inner, old, new) for inner in statement.body))
    return replace(statement, text=re.sub(rf"\b{old}\b", new, statement.text))


def simpler_texts(line: Line) -> Iterator[str]:
    """The line without one of its options, or as another name for what it uses."""
    for option in re.finditer(r", \w+=(?:\w+\b(?!\()|\[[^\[\]]*\])", line.text):
        yield line.text[: option.start()] + line.text[option.end() :]
    if len(line.makes) == 1 and line.kind != "leaf":
        for used in dict.fromkeys(line.uses):
            simpler = f"{line.makes[0]} = {used}"
            if simpler != line.text and used[0] == line.makes[0][0]:
                yield simpler


def shrunk(program: Program, ours: Any, theirs: Any) -> tuple[Program, Difference]:
    """The shortest program found that fails in the same way."""
    found = compare(program, ours, theirs)
    if found is None:
        raise ValueError("nothing differs, so there is nothing to shrink")
    key = found.key

    def fails(smaller: Program) -> bool:
        other = compare(smaller, ours, theirs)
        return other is not None and other.key == key

    program = shrink(program, fails)
    last = compare(program, ours, theirs)
    assert last is not None
    return program, last


# ---------------------------------------------------------------- writing


class Lot(Protocol):
    """Where chance comes from: `random.Random`, or hypothesis, which can then shrink what was drawn."""

    def randrange(self, stop: int, /) -> int: ...


class NotNowError(Exception):
    """There is no tensor of the kind that this kind of line needs."""


@dataclass(frozen=True)
class Kind:
    """A kind of line: how it is written, and how often."""

    name: str
    weight: int
    write: Callable[[Writer], Statement | str]


KINDS: list[Kind] = []


def kind(weight: int) -> Callable[[Callable[[Writer], Statement | str]], Callable[[Writer], Statement | str]]:
    """Add the decorated function to the kinds of lines."""

    def add(write: Callable[[Writer], Statement | str]) -> Callable[[Writer], Statement | str]:
        KINDS.append(Kind(write.__name__, weight, write))
        return write

    return add


Test = Callable[[Any], Any]

SHAPES = [(2,), (), (2, 2), (1,), (2, 1), (1, 2), (3,), (2, 3), (3, 2), (2, 2, 2), (0,)]


class Writer:
    """Draws a program, line by line, and runs each on the guide to know what the next can be."""

    def __init__(self, guide: Any, lot: Lot, dtype: str = "float64") -> None:
        self.F = guide
        self.dtype = dtype  # of all tensors
        self.lot = lot
        self.machine = Machine(guide)
        self.count = {"t": 0, "h": 0}
        self.depth = 0
        self.packing = False  # inside saved_tensors_hooks that write down what they see
        self.latest_root: str | None = None

    def program(self, length: int, more: Callable[[], bool] = lambda: True) -> Program:
        """A program of about `length` lines; it ends earlier when there shall be no more."""
        with self.machine, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            opening = [self._written(Kind("leaf", 0, leaf)) for _ in range(2)]
            return (*opening, *self.body(length - 2, more))

    def body(self, length: int, more: Callable[[], bool] = lambda: True) -> Program:
        statements: list[Statement] = []
        while len(statements) < length and more():
            statements.append(self.statement())
        return tuple(statements)

    def statement(self) -> Statement:
        while True:
            chosen = KINDS[self.weighted([self._weight(k) for k in KINDS])]
            try:
                return self._written(chosen)
            except NotNowError:
                continue

    def _weight(self, k: Kind) -> int:
        """Within a block there is more in-place writing and viewing, since that is what blocks are for."""
        if self.depth and k.name in ("in_place", "view", "set_item"):
            return 2 * k.weight
        if self.depth >= 2 and k.name == "block":
            return 0
        return k.weight

    def _written(self, k: Kind) -> Statement:
        made = k.write(self)
        if isinstance(made, Block):
            return replace(made, kind=k.name)
        line = Line(made, k.name) if isinstance(made, str) else replace(made, kind=made.kind or k.name)
        self.execute(line)
        return line

    def execute(self, line: Line) -> None:
        error = self.machine.execute(line)
        if self.packing and error is not None and error.message.startswith("Inference tensors cannot be saved"):
            raise NotNowError
        self.machine.ask_nodes()
        for place, made in enumerate(map(self.value, line.makes)) if error is None else ():
            if self._is_packed_number(made, line):
                made.is_packed_number = True
            if place and isinstance(made, self.F.Tensor):
                made.is_second = True
        for _, tensor in self.machine.registers("t"):
            if asked(lambda t: t._is_view() and t.is_leaf and t.requires_grad, tensor) is True:
                tensor.was_leaf_view = True

    def _is_packed_number(self, made: Any, line: Line) -> bool:
        """Whether what a line made has no dimensions and may be packed, or shares the memory of such a result."""
        if not isinstance(made, self.F.Tensor):
            return False
        packed = [t for t in map(self.machine.names.get, line.uses) if hasattr(t, "is_packed_number")]
        return (self.packing and not made.shape) or any(shares_memory(made, other) for other in packed)

    def block(self, head: str, length: int) -> Block:
        with ExitStack() as stack:
            try:
                stack.enter_context(eval(Block(head, ()).context, self.machine.names))
            except Exception:  # the context itself may be out of place here: then no line of the block is run
                return Block(head, ())
            stack.callback(setattr, self, "depth", self.depth)
            stack.callback(setattr, self, "packing", self.packing)
            self.depth += 1
            self.packing = self.packing or "pack" in head
            return Block(head, self.body(length))

    # -- chance

    def below(self, stop: int) -> int:
        return self.lot.randrange(stop)

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent  # so that 0, to which hypothesis shrinks, is the plain case

    def pick(self, options: Sequence[Any]) -> Any:
        if not options:
            raise NotNowError
        return options[self.below(len(options))]

    def weighted(self, weights: Sequence[int]) -> int:
        sums = list(accumulate(weights))
        return bisect_right(sums, self.below(sums[-1]))

    def number(self) -> str:
        """A small number that is exact in binary, so that both sides compute without rounding for a while."""
        return repr((self.below(8) + 1) * 0.25 * (-1 if self.chance(40) else 1))

    # -- registers

    def value(self, name: str) -> Any:
        return self.machine.names[name]

    def tensors(self, test: Test | None = None) -> list[str]:
        """The registers whose tensor passes the test, newest first."""
        found = [name for name, tensor in self.machine.registers("t") if tensor is not None]
        return [name for name in reversed(found) if test is None or test(self.value(name))]

    def tensor(self, test: Test | None = None) -> str:
        """One of these, the newest three as often as all others together."""
        names = self.tensors(test)
        return self.pick(names[:3]) if self.chance(50) else self.pick(names)

    def wanting(self) -> str:
        """A tensor that requires grad; now and then any."""
        if self.chance(4):
            return self.tensor()
        return self.tensor(requires_grad)

    def hookable(self) -> str:
        """The same, without views that were leaves."""
        if self.chance(4):
            return self.tensor(takes_hooks)
        return self.tensor(lambda t: requires_grad(t) and takes_hooks(t))

    def handles(self) -> list[str]:
        return [name for name, _ in self.machine.registers("h")]

    def new(self, letter: str = "t") -> str:
        """A name for a result. When there are many tensors, one of them makes room."""
        names = self.tensors() if letter == "t" else self.handles()
        if len(names) >= (9 if letter == "t" else 4):
            return self.pick(names)
        self.count[letter] += 1
        return f"{letter}{self.count[letter] - 1}"

    def new_tensor(self, expression: str) -> str:
        return f"{self.new()} = {expression}"

    def new_pair(self, expression: str) -> str:
        first, second = self.new(), self.new()
        if first == second:
            raise NotNowError
        return f"{first}, {second} = {expression}"

    def beside(self, name: str) -> str:
        """A tensor that broadcasts with the named one; now and then any."""
        tensor = self.value(name)
        any_shape = self.chance(3) and not self.packing and not tensor.is_inference()
        return self.tensor(
            lambda t: (
                lie_alike(t, tensor)
                and ((any_shape and not t.is_inference()) or broadcast(tensor.shape, t.shape) is not None)
            )
        )

    def into(self, name: str) -> str:
        """A tensor that can be written into the named one; now and then one that does not fit."""
        target = self.value(name)
        shape = tuple(target.shape)
        any_shape = self.chance(3) and not self.packing
        return self.tensor(
            lambda t: (
                self.lies_well(t, target)
                and ((any_shape and not t.is_inference()) or broadcast(shape, t.shape) == shape)
            )
        )

    @staticmethod
    def lies_well(value: Any, target: Any) -> bool:
        """Whether it is defined what comes out when the value is written into the target.

        Not so if they share memory in part and one is not contiguous: then torch does not notice, and the result
        depends on the order in which it goes through the elements. Nor if there is a dimension of size 1, whose stride
        nothing needs: torch compares it all the same, and numpy keeps another one.
        """
        if value is target or not shares_memory(value, target):
            return True
        return value.is_contiguous() and target.is_contiguous() and 1 not in (*value.shape, *target.shape)

    def dim(self, tensor: Any) -> int:
        count = len(tensor.shape)
        if self.chance(2) and not self.packing:
            return count + 1
        return self.below(2 * count) - count if count else 0


# -- what a writer asks of tensors


def requires_grad(tensor: Any) -> bool:
    """Whether a gradient is wanted; False for a view that may no longer be asked."""
    return asked(lambda t: t.requires_grad, tensor) is True


def is_leaf(tensor: Any) -> bool:
    return asked(lambda t: t.is_leaf, tensor) is True


def takes_hooks(tensor: Any) -> bool:
    """Neither a view that was a leaf with a gradient of its own and is none any more, nor one whose place in the graph
    may no longer be asked for.
    """
    if isinstance(asked(lambda t: t.grad_fn, tensor), Error):
        return False
    return is_leaf(tensor) or not hasattr(tensor, "was_leaf_view")


def has_grad(tensor: Any) -> bool:
    return asked(lambda t: t.grad is not None, tensor) is True


def numbers(tensor: Any) -> list[float]:
    return [item for item in flat(tensor.tolist()) if isinstance(item, float)]


def tame(tensor: Any) -> bool:
    """Small enough to be multiplied without running off to infinity."""
    return all(abs(number) <= 30 for number in numbers(tensor))


def small(tensor: Any) -> bool:
    """Small enough for exp()."""
    return all(abs(number) <= 3 for number in numbers(tensor))


def away_from_zero(tensor: Any) -> bool:
    """Not where rounding decides the sign, and fit to divide by."""
    return all(abs(number) >= 0.05 for number in numbers(tensor))


def broadcast(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """The shape that two shapes broadcast to; None if they do not."""
    count = max(len(first), len(second))
    pairs = zip((1,) * (count - len(first)) + tuple(first), (1,) * (count - len(second)) + tuple(second), strict=True)
    shape = []
    for a, b in pairs:
        if a != b and 1 not in (a, b):
            return None
        shape.append(b if a == 1 else a)
    return tuple(shape)


def lie_alike(first: Any, second: Any) -> bool:
    """Whether the dimensions of two tensors follow each other in memory in the same order, as far as they have any."""
    orders = [
        sorted((i for i, size in enumerate(t.shape, -len(t.shape)) if size > 1), key=lambda i: -t.stride()[i])
        for t in (first, second)
    ]
    return min(map(len, orders)) < 2 or orders[0] == orders[1]


def shares_memory(first: Any, second: Any) -> bool:
    """Whether the stretches of memory in which two tensors lie overlap."""
    (start, end), (other_start, other_end) = stretch(first), stretch(second)
    return start < other_end and other_start < end


def stretch(tensor: Any) -> tuple[int, int]:
    """The address of its first element, and that after its last; no program counts backwards through memory."""
    if not math.prod(tensor.shape):
        return 0, 0
    last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + tensor.itemsize * (last + 1)


def ancestors(root: Any) -> set[Any]:
    """The nodes behind a tensor."""
    node = asked(lambda t: t.grad_fn, root)
    waiting, found = [node], set()
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node, Error) or node in found:
            continue
        found.add(node)
        waiting.extend(next_node for next_node, _ in node.next_functions)
    return found


def contributes(nodes: set[Any]) -> Test:
    """Whether a tensor is among those to which gradients flow through the nodes."""
    leaves = {id(node.variable) for node in nodes if hasattr(node, "variable")}
    return lambda tensor: id(tensor) in leaves or asked(lambda t: t.grad_fn, tensor) in nodes


# -- kinds of lines: computing


@kind(6)
def leaf(w: Writer) -> str:
    shape = SHAPES[w.weighted([9, 6, 6, 3, 3, 3, 4, 4, 2, 2, 1])]
    wanted = ", requires_grad=True" if w.chance(65) and not w.F.is_inference_mode_enabled() else ""
    return w.new_tensor(f"F.tensor({literal(w, shape)}, dtype=F.{w.dtype}{wanted})")


def literal(w: Writer, shape: tuple[int, ...]) -> str:
    if not shape:
        return w.number()
    return "[" + ", ".join(literal(w, shape[1:]) for _ in range(shape[0])) + "]"


@kind(11)
def unary(w: Writer) -> str:
    x = w.tensor()
    t = w.value(x)
    options = ["{x}.clone()", "-{x}", "{x}.sin()", "{x}.tanh()", "{x}.sigmoid()", "{x}.cos()", "{x} * 1"]
    if tame(t):
        options += ["{x} ** 2", "{x} * {x}", "{x} * {n}"]
    if small(t):
        options += ["{x}.exp()", "{x}.exp()"]
    if away_from_zero(t):
        options += ["{x}.relu()", "{n} / {x}", "{x}.clamp(-9.0, 9.0)"]
    options += ["{x} + {n}", "{n} - {x}", "{x} / 2"]
    return w.new_tensor(w.pick(options).format(x=x, n=w.number()))


@kind(14)
def binary(w: Writer) -> str:
    x = w.tensor()
    y = w.beside(x)
    options = ["{x} + {y}", "{x} - {y}"]
    if tame(w.value(x)) and tame(w.value(y)):
        options += ["{x} * {y}"] * 3
    if away_from_zero(w.value(y)):
        options += ["{x} / {y}"]
    return w.new_tensor(w.pick(options).format(x=x, y=y))


@kind(5)
def reduction(w: Writer) -> str:
    x = w.tensor()
    dim = w.dim(w.value(x))
    options = ["{x}.sum()", "{x}.mean()", "{x}.sum({dim})", "{x}.sum({dim}, keepdim=True)", "{x}.mean({dim})"]
    return w.new_tensor(w.pick(options).format(x=x, dim=dim))


@kind(3)
def matmul(w: Writer) -> str:
    x = w.tensor(lambda t: len(t.shape) in (1, 2) and tame(t))
    shape = w.value(x).shape
    fits = w.tensor(lambda t: 1 <= len(t.shape) <= len(shape) and t.shape[0] == shape[-1] and tame(t))
    return w.new_tensor(f"{x} @ {fits}")


@kind(3)
def joined(w: Writer) -> str:
    inside = w.F.is_inference_mode_enabled()
    x = w.tensor(lambda t: len(t.shape) > 0 and (inside or not t.is_inference()))
    shape = w.value(x).shape
    y = w.tensor(lambda t: t.shape == shape and lie_alike(t, w.value(x)))
    condition = f"F.where({x} > 0, {x}, {y})"
    options = [f"F.stack([{x}, {y}])", f"F.cat([{x}, {y}])", f"F.cat([{x}, {y}, {x}], -1)"]
    if away_from_zero(w.value(x)):
        options.append(condition)
    return w.new_tensor(w.pick(options))


@kind(3)
def taken(w: Writer) -> str:
    """Advanced indexing: a copy."""
    x = w.tensor(lambda t: len(t.shape) > 0 and t.shape[0] > 0)
    last = w.value(x).shape[0] - 1
    options = [f"{x}[[0, {last}]]", f"{x}[[0, 0]]", f"{x}[F.tensor([{last}])]", f"{x}[[{last}, 0, {last}]]"]
    options += [f"{x}[range({last}, -1, -1)]"]
    if away_from_zero(w.value(x)):
        options.append(f"{x}[{x} > 0]")
    return w.new_tensor(w.pick(options))


@kind(3)
def named(w: Writer) -> str:
    """Functions that tutorials call by their names."""
    x = w.tensor(lambda t: len(t.shape) > 0 and t.shape[0] > 0 and small(t) and not t.is_inference())
    shape = w.value(x).shape
    last = shape[0] - 1
    options = [f"F.index_select({x}, 0, F.tensor([{last}, 0, {last}]))", f"{x}.tile(2)"]
    options += [f"{x}.repeat_interleave(F.tensor({[2] * (last + 1)}), 0)"]
    if len(shape) == 2:
        vector = w.tensor(lambda t: tuple(t.shape) == (shape[1],) and tame(t))
        options += [f"F.mv({x}, {vector})"] * 2
    return w.new_tensor(w.pick(options))


# -- views


def view_expression(w: Writer, x: str) -> str:
    """A view of x."""
    t = w.value(x)
    shape = tuple(t.shape)
    count = len(shape)
    d = w.dim(t)
    options = [f"{x}.view(-1)", f"{x}[...]", f"{x}.unsqueeze({d})", f"{x}[None]", f"{x}.reshape(-1)"]
    options += [
        f"{x}.view_as({x})",
        f"{x}.squeeze()",
        f"{x}.expand(2, {', '.join('-1' for _ in shape)})".replace(", )", ")"),
    ]
    if count:
        end = shape[d] if -count <= d < count else 1
        index = w.below(end) if end else 0
        options += [f"{x}[0]", f"{x}[-1]", f"{x}[1:]", f"{x}[:1]", f"{x}[..., :1]", f"{x}[::2]"]
        options += [f"{x}.select({d}, {index})", f"{x}.narrow({d}, {index}, {end - index})", f"{x}.squeeze({d})"]
        options += [f"{x}.unbind({d})[{index}]", f"{x}.split(1, {d})[{index}]"]
        options += [f"{x}.transpose(0, {d})", f"{x}.flatten()"]
    if count and 0 not in shape:
        options += [f"{x}[..., 0]", f"{x}.chunk(2, {d})[0]"]
    if count == 1:
        options += [f"{x}.view(1, -1)", f"{x}.view(-1, 1)"]
    if count == 2:
        options += [f"{x}.t()", f"{x}.T", f"{x}.diagonal()", f"{x}.permute(1, 0)", f"{x}[:, 0]", f"{x}[0, 1:]"]
        options += [f"{x}.view({shape[1]}, {shape[0]})", f"{x}.diagonal(1)"]
    if count == 3:
        options += [f"{x}.permute(2, 0, 1)", f"{x}.view(4, 2)", f"{x}[0, :, 1]"]
    steps = [step for size, step in zip(shape, t.stride(), strict=True) if size > 1]
    turned = steps != sorted(steps, reverse=True)
    unwanted = r"\.(transpose|permute|t|T)\b" if 0 in steps else r"\.expand\b" if turned else "never"
    return w.pick([option for option in options if not re.search(unwanted, option)])


@kind(15)
def view(w: Writer) -> str:
    return w.new_tensor(view_expression(w, w.tensor()))


@kind(2)
def parts(w: Writer) -> str:
    """Views that come several at once."""
    x = w.tensor(lambda t: 2 in t.shape)
    dim = list(w.value(x).shape).index(2)
    return w.new_pair(f"{x}.{w.pick(['unbind({})', 'split(1, {})', 'chunk(2, {})']).format(dim)}")


@kind(2)
def detached(w: Writer) -> str:
    return w.new_tensor(f"{w.tensor()}.detach()")


@kind(2)
def data(w: Writer) -> str:
    return w.new_tensor(f"{w.tensor(lambda t: len(t.shape) > 0 or is_leaf(t))}.data")


# -- writing


def writable(tensor: Any) -> bool:
    """Not a leaf whose gradient is wanted: into these, only now and then."""
    return not (is_leaf(tensor) and requires_grad(tensor))


def written(w: Writer, test: Test | None = None) -> str:
    """A tensor to write into.

    Outside inference mode not one from within: torch refuses that, but only after it has written. (So no two sides
    that agree on the error need agree on the numbers.)
    """
    test = test or (writable if w.F.is_grad_enabled() and w.chance(92) else None)
    inside = w.F.is_inference_mode_enabled()
    return w.tensor(
        lambda t: (
            (inside or not t.is_inference())
            and not hasattr(t, "is_packed_number")
            and not may_lose_hooks(t)
            and (test is None or test(t))
        )
    )


def may_lose_hooks(tensor: Any) -> bool:
    """Whether torch takes hooks from the wrong place when it is written to."""
    if is_leaf(tensor):
        return bool(tensor._backward_hooks) and not requires_grad(tensor)
    return hasattr(tensor, "is_second") and tensor.retains_grad


@kind(15)
def in_place(w: Writer) -> str:
    x = written(w)
    t = w.value(x)
    y = w.into(x)
    options = ["{x}.add_({y})", "{x}.sub_({y})", "{x} += {y}"]
    if w.value(x) is not w.value(y):
        options += ["{x}.copy_({y})"] * 2
    options += ["{x}.sin_()", "{x}.neg_()", "{x}.tanh_()", "{x}.fill_({n})", "{x}.zero_()", "{x}.add_({n})"]
    if tame(t) and tame(w.value(y)):
        options += ["{x}.mul_({y})", "{x}.mul_({y})", "{x} *= {y}", "{x}.mul_({n})", "{x} -= 0.5 * {y}"]
    if away_from_zero(w.value(y)):
        options += ["{x}.div_({y})"]
    if small(t):
        options += ["{x}.exp_()"]
    if away_from_zero(t):
        options += ["{x}.relu_()"]
    return w.pick(options).format(x=x, y=y, n=w.number())


@kind(7)
def set_item(w: Writer) -> str:
    x = written(w)
    t = w.value(x)
    shape = tuple(t.shape)
    options = ["{x}[...]"]
    if shape and shape[0]:
        options += ["{x}[0]", "{x}[-1]", "{x}[:1]", "{x}[1:]", "{x}[[0]]", f"{{x}}[F.tensor([{shape[0] - 1}])]"]
        if shape[0] > 1:
            options += ["{x}[[1, 0]]", "{x}[range(1, -1, -1)]"]
        if away_from_zero(t):
            options += ["{x}[{x} > 0]"]
    if len(shape) > 1:
        options += ["{x}[:, 0]", "{x}[..., :1]"]
    target = w.pick(options).format(x=x)
    if "> 0" in target or w.chance(30):
        return f"{target} = {w.number()}"
    part = asked(lambda t: tuple(eval(target, dict(w.machine.names)).shape), t)
    fits = w.tensor(lambda v: w.lies_well(v, t) and (not isinstance(part, tuple) or broadcast(part, v.shape) == part))
    return f"{target} = {fits}"


@kind(6)
def step(w: Writer) -> Block:
    """What an optimizer does, and its like: a write that is not recorded."""
    x = written(w, is_leaf if w.chance(60) else lambda t: True)
    y = w.into(x)
    options = ["{x} -= 0.5 * {y}", "{x}.mul_(2.0)", "{x}.zero_()", "{x}.add_(1.0)", "{x}[...] = {n}"]
    if w.value(x) is not w.value(y):
        options += ["{x}.copy_({y})"]
    if has_grad(w.value(x)):
        options += ["{x} -= 0.25 * {x}.grad", "{x}.sub_({x}.grad)"]
        options += ["{x}.grad.zero_()"] if w.F.is_inference_mode_enabled() or not w.value(x).grad.is_inference() else []
    line = Line(w.pick(options).format(x=x, y=y, n=w.number()), "step")
    with w.F.no_grad():
        w.execute(line)
    return Block("with F.no_grad():", (line,))


# -- flags and `.grad`


@kind(3)
def flag(w: Writer) -> str:
    x = w.tensor(lambda t: not t.is_inference() and (is_leaf(t) or w.chance(20)))
    return f"{x}.requires_grad_({w.pick(['True', 'True', 'False'])})"


@kind(1)
def set_flag(w: Writer) -> str:
    x = w.tensor(lambda t: not t.is_inference() and (is_leaf(t) or w.chance(30)))
    return f"{x}.requires_grad = {w.pick(['True', 'False'])}"


@kind(1)
def detach_in_place(w: Writer) -> str:
    return f"{w.tensor(lambda t: asked(lambda t: t._backward_hooks is None, t) is True)}.detach_()"


@kind(4)
def retain(w: Writer) -> str:
    return f"{w.wanting()}.retain_grad()"


@kind(4)
def forget_gradient(w: Writer) -> str:
    x = w.tensor(has_grad)
    return f"{x}.grad = None"


@kind(3)
def gradient(w: Writer) -> str:
    return w.new_tensor(f"{w.tensor(has_grad)}.grad")


@kind(1)
def set_gradient(w: Writer) -> str:
    x = w.tensor(is_leaf)
    shape = w.value(x).shape
    y = w.tensor(lambda t: t.shape == shape or w.chance(5))
    return f"{x}.grad = {y}" + w.pick([".detach().clone()", ".clone()", ""])


@kind(1)
def set_data(w: Writer) -> str:
    if w.F.is_inference_mode_enabled():
        raise NotNowError
    x = w.tensor(lambda t: is_leaf(t) and not t.is_inference())
    shape = w.value(x).shape
    y = w.tensor(lambda t: t.shape == shape)
    return f"{x}.data = {y}.detach().clone()"


# -- hooks


@kind(6)
def hook(w: Writer) -> str:
    x = w.hookable()
    h = w.new("h")
    options = [f'seen("{h} on {x}", {x})'] * 4 + ["doubled"] * 3 + ["unchanged", f"closing({x})"]
    if not is_leaf(
        w.value(x)
    ):  # where an error stops at a leaf depends on the order of leaves, which is nobody's affair
        options += ["refused", "wrong_shape"]
    return f"{h} = {x}.register_hook({w.pick(options)})"


@kind(3)
def leaf_hook(w: Writer) -> str:
    x = w.tensor() if w.chance(10) else w.tensor(lambda t: is_leaf(t) and requires_grad(t))
    h = w.new("h")
    return f'{h} = {x}.register_post_accumulate_grad_hook({w.pick([f"""complete("{h} on {x}")""", "spent"])})'


@kind(2)
def node_hook(w: Writer) -> str:
    x = w.tensor(lambda t: requires_grad(t) and not is_leaf(t) and not t._is_view())
    h = w.new("h")
    return f"{h} = {x}.grad_fn." + w.pick(
        [
            f'register_hook(node_seen("{h} on {x}"))',
            f'register_prehook(before_node("{h} on {x}"))',
            "register_hook(node_halved)",
            "register_prehook(doubled_before)",
        ]
    )


@kind(1)
def several_hook(w: Writer) -> str:
    # On a leaf, torch supports this for backward() only, and says so if grad() is called.
    x = w.tensor(lambda t: requires_grad(t) and not is_leaf(t) and takes_hooks(t))
    y = w.tensor(lambda t: requires_grad(t) and not is_leaf(t) and takes_hooks(t) and t is not w.value(x))
    h = w.new("h")
    called = w.pick([f'all_seen("{h}"))', f'first_seen("{h}"), mode="any")'])
    return f"{h} = F.autograd.graph.register_multi_grad_hook(({x}, {y}), {called}"


@kind(3)
def remove(w: Writer) -> str:
    return f"{w.pick(w.handles())}.remove()"


# -- backward


def root(w: Writer) -> str:
    """A tensor to start from: often the one from which the last run started."""
    if w.latest_root in w.tensors() and w.chance(12):
        return w.latest_root
    name = w.tensor(lambda t: requires_grad(t) and not is_leaf(t)) if w.chance(90) else w.wanting()
    w.latest_root = name
    return name


def inputs(w: Writer, x: str, count: int) -> list[str]:
    """Tensors to differentiate by: mostly those on which x depends."""
    behind = contributes(ancestors(w.value(x)))
    return [w.tensor(requires_grad if w.chance(12) else behind) for _ in range(count)]


@kind(18)
def backward(w: Writer) -> str:
    x = root(w)
    t = w.value(x)
    options = ["retain_graph=True"] if w.chance(60) else []
    if w.chance(6) and not w.packing:  # which formula a gradient's own graph was made by, and so what it saves, is open
        options = ["create_graph=True"]
    if w.chance(12):
        options.append(f"inputs=[{', '.join(inputs(w, x, 1 + w.below(2)))}]")
    if math.prod(t.shape) == 1 or w.chance(4):
        return f"{x}.backward({', '.join(options)})"
    start = f"{x}.sum().backward("
    if w.chance(50):
        given = w.tensors(lambda other: other.shape == t.shape and not requires_grad(other))
        given = [f"{y}.clone()" for y in given[:1]]
        start = f"{x}.backward(" + ("" if w.chance(3) else w.pick([*given, f"F.ones_like({x})"]))
        options.insert(0, "")
    return start + ", ".join(options).removeprefix(", " if start.endswith("(") else "") + ")"


@kind(9)
def grad(w: Writer) -> str:
    x = root(w)
    t = w.value(x)
    several = w.chance(35)
    by = inputs(w, x, 1 + several)
    scalar = math.prod(t.shape) == 1
    output = x if scalar or w.chance(40) else f"{x}.sum()"
    options = [] if scalar or output != x else [f"grad_outputs=F.ones_like({x})"]
    if w.chance(25) and not w.packing:
        options.append("create_graph=True")
    elif w.chance(60):
        options.append("retain_graph=True")
    if w.chance(50):
        options.append("allow_unused=True")
    elif w.chance(10):
        options.append("materialize_grads=True")
    arguments = ", ".join([output, f"[{', '.join(by)}]", *options])
    called = f"copies(F.autograd.grad({arguments}))"
    return w.new_pair(called) if several else w.new_tensor(f"{called}[0]")


@kind(4)
def written_gradient(w: Writer) -> str:
    """A write into the gradient that a reduction gives, which PyTorch refuses for sum alone."""
    # Of one element the gradient may be the very tensor that came in, but a number without dimensions is never that.
    x = w.tensor(lambda t: math.prod(t.shape) > 1 and 1 not in t.shape and tame(t) and requires_grad(t))
    dim = w.dim(w.value(x))
    options = ["sum()", "mean()", "mean()", "std()", "var()", "norm()", "max()", "min()", "prod()"]
    options += [f"sum({dim})", f"mean({dim})", f"mean({dim})", f"mean({dim}, keepdim=True)", f"logsumexp({dim}, True)"]
    reduced = w.pick(options)
    if w.chance(60):
        return w.new_tensor(f"halving({x}).{reduced}")
    scalar = "" if reduced.endswith("()") else ".mean()"
    return w.new_tensor(f"all_halved(F.autograd.grad({x}.{reduced}{scalar}, [{x}]))[0]")


@kind(1)
def grad_at_edge(w: Writer) -> str:
    x = root(w)
    by = inputs(w, x, 1)[0]
    if is_leaf(w.value(by)) and (w.value(by)._is_view() or not w.F.is_grad_enabled()):  # there torch fails by accident
        raise NotNowError
    edge = f"F.autograd.graph.get_gradient_edge({by})"
    return w.new_tensor(f"copies(F.autograd.grad({x}.sum(), [{edge}], retain_graph=True))[0]")


# -- custom functions


@kind(6)
def custom(w: Writer) -> str:
    name = w.pick(
        ["Square", "Square", "Exponential", "Doubled", "Doubled", "SumAndProduct", "Quiet", "Signs", "AsIs", "Flat"]
    )
    if name == "SumAndProduct":
        x = w.tensor(tame)
        shape = w.value(x).shape
        return w.new_pair(f"SumAndProduct.apply({x}, {w.tensor(lambda t: t.shape == shape and tame(t))}, 0.5)")
    if name in ("Quiet", "Signs"):
        return w.new_pair(f"{name}.apply({w.tensor()})")
    x = written(w) if name == "Doubled" else w.tensor({"Square": tame, "Exponential": small}.get(name))
    return w.new_tensor(f"{name}.apply({x})")


@kind(1)
def checkpoint(w: Writer) -> str:
    x = w.tensor(tame)
    return w.new_tensor(f"F.utils.checkpoint.checkpoint(wave, {x}, use_reentrant=False)")


# -- and the rest


@kind(3)
def delete(w: Writer) -> str:
    names = w.tensors()
    if len(names) < 4:
        raise NotNowError
    return f"del {w.pick(names)}"


HEADS = {
    "with F.no_grad():": 8,
    "with F.enable_grad():": 3,
    "with F.set_grad_enabled(False):": 1,
    "with F.set_grad_enabled(True):": 1,
    "with F.inference_mode():": 2,
    "with F.inference_mode(False):": 1,
    "with F.autograd.graph.saved_tensors_hooks(pack, unpack):": 3,
    "with F.autograd.graph.saved_tensors_hooks(pack_copy, unpack):": 1,
    "with F.autograd.set_detect_anomaly(True):": 1,
}


@kind(7)
def block(w: Writer) -> Block:
    head = list(HEADS)[w.weighted(list(HEADS.values()))]
    return w.block(head, 1 + w.below(4))


def library(name: str) -> Any:
    """A library by its name: torch is imported where it is needed, since it may be missing."""
    return importlib.import_module(name)


class Seeded:
    """A lot that is the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.randrange = random.Random(seed).randrange


def written_program(seed: int, guide: Any, length: int | None = None, dtype: str = "float64") -> Program:
    """The program with a number. The guide is the library that knows what is right: torch, if there is one."""
    lot = Seeded(seed)
    return Writer(guide, lot, dtype).program(length or 8 + lot.randrange(32))


# ---------------------------------------------------------------- the long run


@dataclass
class Failure:
    """A program for which the two sides differ, and how."""

    seed: int
    program: Program
    difference: Difference

    def __str__(self) -> str:
        return f"# seed {self.seed}\n{source(self.program)}\n\n{self.difference}\n"


def failure_of(seed: int, ours: Any, theirs: Any, dtype: str = "float64") -> Failure | None:
    """What is wrong with the program of this number, in as few lines as possible; None if nothing is."""
    program = written_program(seed, theirs, dtype=dtype)
    if compare(program, ours, theirs) is None:
        return None
    return Failure(seed, *shrunk(program, ours, theirs))


class Tally:
    """What happened in many programs: kinds of lines, how many of them raised, and which errors."""

    def __init__(self) -> None:
        self.programs = 0
        self.lines: Counter[str] = Counter()
        self.raised: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()

    def add(self, events: Sequence[Event]) -> None:
        self.programs += 1
        for event in events:
            if event.line.startswith(ENDING):
                continue
            self.lines[event.kind] += 1
            if event.error is not None:
                self.raised[event.kind] += 1
                self.errors[f"{event.error.type}: {re.sub('[0-9]+', '#', beginning(event.error.message))[:110]}"] += 1

    def succeeded(self, *kinds: str) -> int:
        return sum(self.lines[name] - self.raised[name] for name in kinds)

    def __str__(self) -> str:
        rows = [f"{self.programs} programs, {self.lines.total()} lines, {self.raised.total()} of them raised an error"]
        rows += [f"{name:20}{count:8}{self.raised[name]:8} raised" for name, count in self.lines.most_common()]
        rows += [f"{count:8}  {error}" for error, count in self.errors.most_common()]
        return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run random programs on two libraries and compare.")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first")
    parser.add_argument("--dtype", default="float64", help="of all tensors; float16 is the other that is tried")
    parser.add_argument("--ours", default="minigrad", help="the library to try; torch for a test of this test")
    parser.add_argument("--theirs", default="torch", help="the library that is right")
    parser.add_argument("--tally", action="store_true", help="print how often each kind of line and error occurred")
    options = parser.parse_args()
    ours, theirs = library(options.ours), library(options.theirs)
    from tqdm import tqdm

    tally = Tally()
    failed: dict[tuple[str, ...], list[Failure]] = {}
    progress = tqdm(range(options.seed, options.seed + options.count), unit="program")
    for seed in progress:
        program = written_program(seed, theirs, dtype=options.dtype)
        events = observed(program, theirs)
        tally.add(events)
        found = difference(observed(program, ours), events, tolerance_of(program))
        if found is not None:
            failed.setdefault(found.key, []).append(Failure(seed, program, found))
            progress.set_postfix(failed=sum(map(len, failed.values())), kinds=len(failed))
    for failures in sorted(failed.values(), key=len):
        shortest = min(failures, key=lambda failure: size(failure.program))
        shortest.program, shortest.difference = shrunk(shortest.program, ours, theirs)
        print(f"{len(failures)} programs differ like this:\n{shortest}")
    if options.tally:
        print(tally)
    words = sum(failure.difference.in_words_only for failures in failed.values() for failure in failures)
    print(f"{options.count} programs, {sum(map(len, failed.values()))} differ, {words} of them in words only")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

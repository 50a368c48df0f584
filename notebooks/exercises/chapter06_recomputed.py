"""What exercise `recomputed` is tried on, and what is measured: when f runs, what is kept meanwhile, what arrives."""

import gc
import tracemalloc
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Difference, compare, show

MANY = 2**15  # numbers of a tensor that is seen among all that Python keeps

# What happens between the call and backward, or instead.
ONCE, AGAIN, OTHER, WRITTEN, HOOKED, KEPT = "once", "again", "other", "written", "hooked", "kept"
MEANWHILE = {
    ONCE: "",
    AGAIN: ", backward twice",
    OTHER: ", another call with another f before backward",
    WRITTEN: ", x.mul_(2) before backward",
    HOOKED: ", a hook on x makes its gradient 10 times as large",
    KEPT: ", what is kept besides f and x",
}

UNNOTICED = (
    "x was written to before backward, which nobody noticed: f ran again on other numbers. An attribute of ctx or a "
    "closure cannot notice. ctx.save_for_backward(x) looks whether x was written to when backward asks for it."
)
COPIED = (
    "x was written to before backward, and this is the gradient for its old numbers: a copy of them is kept, one more "
    "tensor in memory. ctx.save_for_backward(x) keeps x itself, and looks whether it was written to."
)
TWICE = "The numbers are right, but f has to run twice: once unrecorded, and once recorded in backward."
TOO_MUCH = (
    "The numbers are right, but more is kept than f and x: a copy of x, the result, or a graph. Keep x itself, by "
    "ctx.save_for_backward(x), and make everything else in backward."
)
CHANGED = "The numbers are right, but x holds others than before. Nothing may be written to x."
SEVERAL = (
    "The numbers are right, but not one node leads from the result to x: return what apply(...) returns, for x itself."
)


@dataclass(eq=False)
class Counted:
    """A function that notes of each of its calls whether it was recorded."""

    words: str
    function: Any

    def __post_init__(self):
        self.calls = []

    def __call__(self, x):
        result = self.function(x)
        self.calls.append("recorded" if getattr(result, "requires_grad", False) else "unrecorded")
        return result


class Trial:
    """An f and an x, what becomes of them, and how often a gradient has been added to the leaf's."""

    def __init__(self, words, function, numbers, weights, way=ONCE, outside=False, earlier=None):
        self.f, self.leaf = Counted(words, function), mg.tensor(numbers, requires_grad=True)
        if earlier is not None:
            self.leaf.grad = mg.full_like(self.leaf, earlier)
        self.x = self.leaf * 2 if outside else self.leaf
        self.weights, self.way, self.arrivals = mg.tensor(weights), way, []
        self.leaf.register_post_accumulate_grad_hook(self.arrivals.append)
        if way == HOOKED:
            self.x.register_hook(lambda g: g * 10)


class Run(NamedTuple):
    """What came of a call and its backward."""

    result: Any
    node: str  # "one" from the result to x, "none" or "other"
    changed: bool  # whether x was written to
    gradient: Any  # the leaf's .grad, or the words of an error
    before: tuple[str, ...]  # the calls of f until backward
    within: tuple[str, ...]


class Kept(NamedTuple):
    """How many tensors of x's size are kept besides x."""

    until_backward: int
    afterwards: int


def tried(answer):
    """`run(trial)`: what an answer makes of it. What is no tensor of the right shape comes back as it is."""

    def run(trial):
        if trial.way == KEPT:
            return _kept(answer, trial)
        x, f = trial.x, trial.f
        numbers, node_of_x = x.detach().numpy().copy(), x if x.is_leaf else x.grad_fn
        value = answer(f, x)
        before = tuple(f.calls)
        if not isinstance(value, mg.Tensor) or value.shape != trial.weights.shape:
            return value
        result, edges = value.detach().clone(), value.grad_fn.next_functions if value.grad_fn else ()
        one = any(node_of_x in (node, getattr(node, "variable", None)) for node, _ in edges if node)
        if trial.way == OTHER:
            answer(Counted("cos(x)", mg.cos), mg.tensor([1.0, 2.0], requires_grad=True))
        gradient = _walked(trial, value) if value.requires_grad else None
        changed = trial.way != WRITTEN and not np.array_equal(numbers, x.detach().numpy())
        node = "one" if one else "other" if value.requires_grad else "none"
        return Run(result, node, changed, gradient, before, tuple(f.calls[len(before) :]))

    return run


def _walked(trial, value):
    """The gradient that arrives, or the error that a write to x raises."""
    if trial.way != WRITTEN:
        for _ in range(2 if trial.way == AGAIN else 1):
            value.backward(trial.weights, retain_graph=trial.way == AGAIN)
        return trial.leaf.grad
    with mg.no_grad():
        trial.x.mul_(2)
    try:
        value.backward(trial.weights)
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return "an error: x has been modified by an inplace operation"
    return trial.leaf.grad


def _kept(answer, trial):
    answer(trial.f.function, mg.ones(3, requires_grad=True))  # what Python loads at a first call is no part of it
    owned = not tracemalloc.is_tracing()
    if owned:
        tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        value = answer(trial.f, trial.x)
        if not isinstance(value, mg.Tensor) or not value.requires_grad:
            return value
        last = value.sum()  # which keeps the node of the result, and not the result
        del value
        until = _tensors_since(start, trial.x)
        last.backward()
        del last
        return Kept(until, _tensors_since(start, trial.x) - (trial.leaf.grad is not None))
    finally:
        if owned:
            tracemalloc.stop()


def _tensors_since(start, x):
    """How many tensors of x's size have been made and are still there."""

    def count():
        return max(round((tracemalloc.get_traced_memory()[0] - start) / x.detach().numpy().nbytes), 0)

    if count():
        gc.collect()  # which takes a while: only where something is there, and may be waiting to be collected
    return count()


# ---------------------------------------------------------------- what is right


def compare_runs(expected, got, outcome):
    if isinstance(expected, Kept):
        if not isinstance(got, Kept):
            return Difference("the answer", show(got), "a tensor with a way back to x")
        for when, wanted, mine in zip(("until backward", "after backward"), expected, got, strict=True):
            if mine > wanted:
                return Difference(f"kept {when}", _tensors(mine), _tensors(wanted), TOO_MUCH)
        return None
    if not isinstance(got, Run):
        return compare(expected.result, got)
    difference = compare(expected.result, got.result, "the numbers")
    if difference is None and got.gradient is None:
        wanted = expected.gradient if isinstance(expected.gradient, str) else show(expected.gradient)
        return Difference("the gradient of the leaf", "None", wanted, "No gradient has arrived there.")
    if difference is None and isinstance(expected.gradient, str) and got.gradient != expected.gradient:
        return Difference("backward", show(got.gradient), expected.gradient, _of_old_numbers(got, *outcome.arguments))
    if difference is None and not isinstance(expected.gradient, str):
        difference = compare(expected.gradient, got.gradient, "the gradient of the leaf")
    return difference or _first_beside(expected, got)


def _of_old_numbers(got, trial):
    """What to say about a gradient that was computed although x was written to."""
    (gradient,) = grad(trial.f.function(trial.leaf * 2), trial.leaf, trial.weights)
    return COPIED if compare(gradient, got.gradient) is None else UNNOTICED


def _first_beside(expected, got):
    """The first thing that is not as asked for beside the numbers."""
    for when, wanted, mine in (("before", expected.before, got.before), ("in", expected.within, got.within)):
        if wanted != mine:
            return Difference(f"calls of f {when} backward", _calls(mine), _calls(wanted), TWICE)
    if got.node != expected.node:
        return Difference("the way from the result to x", "other nodes", "one node", SEVERAL)
    return Difference("x afterwards", "other numbers", "the numbers that it had", CHANGED) if got.changed else None


def _calls(calls):
    return ", ".join(calls) or "none"


def _tensors(count):
    return "nothing" if not count else f"as much as {count} tensor{'s' * (count != 1)} of x's size"


def show_run(value, arguments):
    if isinstance(value, Kept):
        return f"besides f and x, {_tensors(value[0])} until backward, and {_tensors(value[1])} afterwards"
    if not isinstance(value, Run):
        return show(value)
    arrived = (
        value.gradient
        if isinstance(value.gradient, str)
        else "None"
        if value.gradient is None
        else show(value.gradient)
    )
    return (
        f"{show(value.result)}; gradient of the leaf: {arrived}; calls of f: {_calls(value.before)}; in backward: "
        f"{_calls(value.within)}"
    )

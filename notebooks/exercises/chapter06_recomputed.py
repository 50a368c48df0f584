"""What exercise `recomputed` is tried on, and what is measured: when f runs, what is kept meanwhile, what arrives."""

import gc
import tracemalloc

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Noted, compare, formula, observer, show

MANY = 2**15  # numbers of a tensor that is seen among all that Python keeps

# What happens between the call and backward, or instead.
ONCE, AGAIN, WRITTEN = "", ", backward twice", ", x.mul_(2) before backward"
OTHER = ", another call with another f before backward"
HOOKED = ", a hook on x makes its gradient 10 times as large"
KEPT = ", what is kept besides f and x"

NUMBERS, ARRIVED, MADE = "the numbers", "the gradient of the leaf", "tensors of x's size, kept"
NOTES = {
    "calls of f *": "The numbers are right, but f has to run once before backward, unrecorded, and once, recorded, in "
    "each backward: of what an earlier one has found nothing is kept.",
    "the way from the result to x": "The numbers are right, but not one node leads from the result to x: return what "
    "apply(...) returns, for x itself.",
    "x afterwards": "The numbers are right, but x holds others than before. Nothing may be written to x.",
    f"{MADE} *": "The numbers are right, but more is kept than f and x, as a copy of x, the result, or a graph. Keep x "
    "itself, by ctx.save_for_backward(x), and make everything else in backward.",
}
FAILED, OLD = "an error: x has been modified by an inplace operation", "the gradient for the old numbers of x"
SILENT = "no gradient, and no error"


def _recorded(x):
    return "recorded" if mg.is_grad_enabled() and x.requires_grad else "unrecorded"


class Trial:
    """An f and an x, what becomes of them, and how often a gradient has been added to the leaf's."""

    def __init__(self, words, numbers, weights, way=ONCE, outside=False, earlier=None):
        self.f, self.leaf = Noted(words, formula(words), note=_recorded), mg.tensor(numbers, requires_grad=True)
        if earlier is not None:
            self.leaf.grad = mg.full_like(self.leaf, earlier)
        self.x = self.leaf * 2 if outside else self.leaf
        self.weights, self.way, self.arrivals = mg.tensor(weights), way, []
        self.leaf.register_post_accumulate_grad_hook(self.arrivals.append)
        if way == HOOKED:
            self.x.register_hook(lambda g: g * 10)


@observer
def tried(answer, trial):
    """What comes of a call and its backward; or, of a large x, what is kept besides f and x."""
    if trial.way == KEPT:
        return _kept(answer, trial)
    x, f = trial.x, trial.f
    numbers, node_of_x = x.detach().numpy().copy(), x if x.is_leaf else x.grad_fn
    value = answer(f, x)
    before = list(f.calls)
    if not isinstance(value, mg.Tensor) or value.shape != trial.weights.shape:
        return {NUMBERS: value}
    result, edges = value.detach().clone(), value.grad_fn.next_functions if value.grad_fn else ()
    one = any(node_of_x in (node, getattr(node, "variable", None)) for node, _ in edges if node)
    if trial.way == OTHER:
        answer(Noted("cos(x)", mg.cos), x.detach().clone().requires_grad_())
    gradient = _walked(trial, value) if value.requires_grad else None
    changed = trial.way != WRITTEN and not np.array_equal(numbers, x.detach().numpy())
    return {
        NUMBERS: result,
        ARRIVED: gradient,
        "calls of f before backward": ", ".join(before) or "none",
        "calls of f in backward": ", ".join(f.calls[len(before) :]) or "none",
        "the way from the result to x": "one node" if one else "other nodes" if value.requires_grad else "none",
        "x afterwards": "other numbers" if changed else "the numbers that it had",
    }


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
        return FAILED
    if trial.leaf.grad is None or not trial.leaf.grad.any():
        return SILENT
    (old,) = grad(trial.f.function(trial.leaf * 2), trial.leaf, trial.weights)
    return OLD if compare(old, trial.leaf.grad) is None else f"a gradient, {show(trial.leaf.grad)}"


def _kept(answer, trial):
    answer(trial.f.function, mg.ones(3, requires_grad=True))  # what Python loads at a first call is no part of it
    owned = not tracemalloc.is_tracing()
    if owned:
        tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        value = answer(trial.f, trial.x)
        if not isinstance(value, mg.Tensor) or not value.requires_grad:
            return {NUMBERS: value}
        last = value.sum()  # which keeps the node of the result, and not the result
        del value
        until = _tensors_since(start, trial.x)
        last.backward()
        del last
        afterwards = _tensors_since(start, trial.x) - (trial.leaf.grad is not None)
        return {f"{MADE} until backward": until, f"{MADE} afterwards": max(afterwards, 0)}
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

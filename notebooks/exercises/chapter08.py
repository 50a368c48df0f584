"""What the exercises of chapter 08 share: functions that note where they are asked, and how often a walk passes."""

import numpy as np

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.teach import Case, Noted, observer, raised

from .chapter07 import in_float64

MADE = (
    "The numbers are right, but there were more walks than two for a product: as where the whole Hessian is made, row "
    "by row, or a product several times. One walk through the slope's graph that starts with v gives it."
)
BESIDE = "f was asked beside x, as for finite differences. The engine knows the slope of the slope at x itself."
ASKED_AT, PASSES = "where f was asked", "passes of walks through f"
OTHERS, DIGITS = "the gradient that w has afterwards", "the answer in float64"
LEFT = (
    "The numbers are right, but w, which f uses as well, has got a gradient: backward() writes to all leaves. "
    "autograd.grad returns what it computes, and writes nothing."
)
NOTES = {ASKED_AT: BESIDE, PASSES: MADE, OTHERS: LEFT}


class Passed(Function):
    """The same numbers; notes each walk that passes here, also a walk through what another walk recorded."""

    @staticmethod
    def forward(ctx, x, passes):
        ctx.passes = passes
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        ctx.passes.append(tuple(gradient.shape))
        return Passed.apply(gradient, ctx.passes), None


class Asked(Noted):
    """A function that notes where it was asked, and the walks through it; it may use a leaf w besides."""

    def __init__(self, words, function, w=None):
        others = () if w is None else (w,)
        super().__init__(words, lambda x: function(Passed.apply(x, self.passes), *others), self._note_point)
        self.passes, self.w = [], w

    def _note_point(self, x):
        if not isinstance(x, mg.Tensor):
            raise TypeError(f"f takes a tensor; it was given {type(x).__name__}")
        return x.detach().clone()

    def beside(self, x):
        """The first point other than x where it was asked; None if there is none."""
        points = [point for point in self.calls if point.shape != x.shape or not np.array_equal(point, x.detach())]
        return points[0] if points else None


# Of a tensor of any shape, one number.
FUNCTIONS = {
    "(t ** 3).sum()": lambda t: (t**3).sum(),
    "t.sum() ** 2 - (t ** 4).sum() / 4": lambda t: t.sum() ** 2 - (t**4).sum() / 4,
    "(t.sin() * t.sum()).sum()": lambda t: (t.sin() * t.sum()).sum(),
    "t.exp().sum().log()": lambda t: t.exp().sum().log(),
    "t.view(-1)[0] * t.view(-1)[-1] ** 2": lambda t: t.view(-1)[0] * t.view(-1)[-1] ** 2,
    "1 - (t.view(-1).cumsum(0).cos()).sum()": lambda t: 1 - t.view(-1).cumsum(0).cos().sum(),
}
# Of two elements, with w = [2, 3], another leaf.
OF_A_WEIGHT = {
    "(t * w).sum()": lambda t, w: (t * w).sum(),
    "((t * w) ** 2).sum()": lambda t, w: ((t * w) ** 2).sum(),
}


def case_of(words, x, *others, function=None, named="", tensors=1, earlier=False):
    """A function, a leaf x, and what else there is; the first of it are tensors."""
    weighted = words in OF_A_WEIGHT
    function = function or {**FUNCTIONS, **OF_A_WEIGHT}[words]

    def make():
        given = [in_float64(one) if number < tensors else one for number, one in enumerate(others)]
        point = in_float64(x).requires_grad_()
        point.grad = mg.ones_like(point) if earlier else None
        w = in_float64([2.0, 3.0]).requires_grad_() if weighted else None
        return Asked(f"f = lambda t: {words}", function, w), point, *given

    leaf = ", w = [2.0, 3.0] which requires a gradient" if weighted else ""
    return Case(f"f = lambda t: {words}{leaf}, x = {x}{named}{', x.grad = 1 from before' if earlier else ''}", make)


def gradient_of_others(f):
    """What an observer notes of w, if f uses one."""
    return {} if f.w is None else {OTHERS: "none" if f.w.grad is None else f"{f.w.grad.tolist()}"}


def with_walks(most_of):
    """`plug` for an answer that may ask f at x only, and walk through it so often, as the other arguments say."""

    @observer
    def plug(answer, f, x, *others):
        most, given = most_of(*others), x.detach().clone()
        value, point = answer(f, x, *others), f.beside(given)
        return {
            "the answer": value,
            ASKED_AT: f"{given.tolist()} only" if point is None else str(point.tolist()),
            PASSES: f"{most} at most" if len(f.passes) <= most else f"more than {most}",
            **gradient_of_others(f),
            **({DIGITS: mg.tensor(value, dtype=mg.float64)} if isinstance(value, float) else {}),
        }

    return plug


WITHOUT_GRAPH = (
    "A walk began at a tensor without a graph, as the slope is unless it is asked for with create_graph=True. "
    "detach() and no_grad() cut it off as well."
)


def slope_without_graph(outcome):
    """Whether a walk behind another one began at what has no graph."""
    return raised("does not require grad and does not have")(outcome) and bool(outcome.arguments[0].passes)


def slope_of(f, x):
    """The slope of f at x, with a graph."""
    return grad(f(x), x, create_graph=True)[0]

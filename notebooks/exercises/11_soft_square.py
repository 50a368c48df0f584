"""Chapter 11, exercise: a Function that keeps no more than it needs."""

import gc
import operator
import tracemalloc

import numpy as np

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.autograd.function import FunctionCtx
from minigrad.teach import (
    Case,
    Exercise,
    Mistake,
    cases,
    compare,
    draw_numbers,
    edited,
    function_of,
    measured_slopes,
    nodes_of,
    observer,
    pick,
    raised,
    right_but,
    saw,
    show,
)
from minigrad.utils.checkpoint import checkpoint

from .writes import NOTES, Given


def soft_square(x):
    """log(1 + x * x), as a Function that keeps one tensor of the size of x."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (1 + x * x).log()

    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x / (1 + x * x)

    return function_of("SoftSquare", forward, backward).apply(x)


ONCE, AGAIN, WRITTEN, KEPT = "", ", backward twice", ", x.mul_(2) before backward", "kept"
MANY = 2**15  # numbers of a tensor that is seen among all that Python keeps
WRITE = "the gradient for the x before the write, or an error: x has been modified by an inplace operation"
UNWRITTEN = "wrong without the write, too"
WAY, TO_X, BY = "the way back to x", "the gradient of x", "what has computed it"
SECOND = "the gradient of x in a second walk"
TENSORS, PLACE = "tensors of x's size that are kept", "where they are kept"


@observer
def _trying(answer, x, weights, way):
    return _kept(answer) if way == KEPT else _ran(answer, x, weights, way)


def _ran(answer, leaf, weights, way):
    """What came of a call: the numbers, what came back to x, and what was written to."""
    x, right = leaf * 1, _right(leaf, weights)
    is_unwritten_right = way != WRITTEN or compare(right, _ran(answer, leaf, weights, ONCE).get(TO_X)) is None
    given = Given(x=x)
    value = answer(x)
    if not isinstance(value, mg.Tensor) or value.shape != x.shape:
        return {"the answer": value}
    numbers, written = value.detach().clone(), given.seen("forward")
    if way == WRITTEN:
        with mg.no_grad():
            x.mul_(2)
    weights = weights.clone()
    given, gradient, first = Given(grad_output=weights), None, None
    try:
        for _ in range((2 if way == AGAIN else 1) * value.requires_grad):
            (gradient,) = grad(value, x, weights, retain_graph=way == AGAIN, allow_unused=True)
            first = gradient if first is None else first
        is_right = gradient is not None and compare(right, gradient) is None
    except RuntimeError as error:
        if way != WRITTEN or "modified by an inplace operation" not in str(error):
            raise
        gradient, is_right = right, True
    if way == WRITTEN and gradient is not None:
        gradient = (WRITE if is_right else show(gradient)) if is_unwritten_right else UNWRITTEN
    return {
        "the answer": numbers,
        WAY: "none" if gradient is None else "there",
        TO_X: first if way == AGAIN else gradient,
        **({SECOND: gradient} if way == AGAIN else {}),
        BY: "a Function" if not value.requires_grad or any(map(_is_of_a_function, nodes_of(value))) else "operations",
        **written,
        **given.seen(),
    }


def _is_of_a_function(node):
    """Whether a node is that of a Function, and no operation's."""
    return isinstance(node, FunctionCtx)


def _are_near(mine, right):
    """Whether two gradients have the same first digits: as many as float16 has."""
    return isinstance(mine, mg.Tensor) and np.allclose(mine.detach().numpy(), right.numpy(), 5e-3, 1e-5)


def _right(x, weights):
    """The gradient of x."""
    x = x.detach().requires_grad_()
    return grad((1 + x * x).log(), x, weights)[0]


def _kept(answer):
    """What is there of x's size after a call, when x and the result are gone and the result's node is not."""
    w = mg.full((MANY,), 0.5, requires_grad=True)
    answer(mg.ones(3, requires_grad=True))  # what Python loads at a first call is no part of it
    owned = not tracemalloc.is_tracing()
    if owned:
        tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        value = answer(w * 1)
        if not isinstance(value, mg.Tensor) or not value.requires_grad:
            return {TENSORS: "none, and no way back to x"}
        is_saved = any(getattr(node, "saved_tensors", ()) for node in nodes_of(value))
        value = value.sum()  # which keeps the node before it, and not its result
        tensors = _tensors_since(start)
        if tensors > 1:
            gc.collect()  # which takes a while
        tensors, place = _tensors_since(start), "by save_for_backward" if is_saved else "outside the saved tensors"
        return {TENSORS: "at most one" if tensors < 2 else str(tensors), PLACE: place}
    finally:
        if owned:
            tracemalloc.stop()


def _tensors_since(start):
    return round((tracemalloc.get_traced_memory()[0] - start) / (MANY * 4))


def _is_gradient_of(change):
    """For `when`: whether the gradient is wrong, and the right one for other numbers than those of x."""

    def of_others(outcome):
        mine, weights = outcome.seen.get(TO_X), outcome.arguments[1]
        of_x, of_changed = (_right(one, weights) for one in (outcome.arguments[0], change(outcome.arguments[0])))
        return isinstance(mine, mg.Tensor) and compare(of_x, mine) is not None and compare(of_changed, mine) is None

    return of_others


def _fails_in_the_second_walk(outcome):
    """Whether an error of Python's came where backward runs twice, and does not come where it runs once."""
    x, weights, way = outcome.case.make()
    if way != AGAIN or not isinstance(outcome.error, AttributeError | IndexError | KeyError | TypeError):
        return False
    try:
        return bool(_trying(outcome.answer)(x, weights, ONCE))
    except Exception:
        return False


def _evidence(outcome):
    x, weights, way = outcome.arguments
    if way == KEPT:
        return "  measured was the memory after x and the result were gone, and before backward"
    return measured_slopes(lambda t: (1 + t * t).log(), x, weights)


@cases("x = {x}{dtype}, grad_output = {weights}{way}", dtype=" in float64")
def _case(x, weights, way=ONCE, dtype=mg.float32):
    return mg.tensor(x, dtype=dtype, requires_grad=True), mg.tensor(weights, dtype=dtype), way


def _drawn(random):
    """No to two dimensions, numbers of both signs, in float32 and in float64."""
    shape = pick(random, [(), (4,), (2, 3), (3, 1), (0,)])
    x, weights = (draw_numbers(random, shape, most=4) for _ in range(2))
    yield _case(x, weights, pick(random, [ONCE, AGAIN, WRITTEN]), pick(random, [mg.float32, mg.float64]))


# ---------------------------------------------------------------- wrong answers

SAVE, LOAD = "ctx.save_for_backward(x)", "(x,) = ctx.saved_tensors"
VALUE, SLOPE = "(1 + x * x).log()", "2 * x / (1 + x * x)"


def no_way_back(x):
    """No gradient comes to x, as where apply was not called, or in no_grad(), or with a detached x, or where backward
    returns None. Return what apply(x) returns, and the gradient from backward.
    """
    with mg.no_grad():
        return (1 + x * x).log()


# ---------------------------------------------------------------- tried as well


def soft_by_signs_and_output(x):
    """Right where 1 + x * x is not nearly 1: there the output has lost what x was."""

    def forward(ctx, x):
        y = (1 + x * x).log()
        ctx.save_for_backward(y)
        ctx.is_negative = x.detach() < 0
        return y

    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        size = 2 * (y.exp() - 1).relu().sqrt() * (-y).exp()
        return grad_output * mg.where(ctx.is_negative, -size, size)

    return function_of("Soft", forward, backward).apply(x)


def soft_by_log1p(x):
    class Soft(Function):
        @staticmethod
        def forward(x):
            return (x**2).log1p()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return 2 * grad_output / (x + 1 / x) if (x != 0).all() else grad_output * 2 * x / (1 + x * x)

    return Soft.apply(x)


def soft_by_a_small_graph_in_backward(x):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (1 + x * x).log()

    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = (1 + x * x).log()
        return grad(y, x, grad_output)[0]

    return function_of("Soft", forward, backward).apply(x)


def soft_with_a_small_graph(x):
    def forward(ctx, x):
        with mg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (1 + ctx.x**2).log()
        return ctx.y.detach()

    def backward(ctx, grad_output):
        return grad(ctx.y, ctx.x, grad_output, retain_graph=True)[0]

    return function_of("Soft", forward, backward).apply(x)


EXERCISE = Exercise(
    title="log(1 + x * x), as a Function that keeps one tensor of the size of x",
    stars=2,
    minutes=10,
    reference=soft_square,
    plug=_trying,
    cases=(
        _case([1.0, -2.0, 0.5], [1.0, -1.0, 3.0]),
        _case([[0.0, -1.0], [3.0, 0.1]], [[1.0, 2.0], [1.0, -2.0]], AGAIN),
        _case([1.0, 2.0, -0.5], [1.0, 1.0, 1.0], WRITTEN),
        _case([3e4, -1e5], [1.0, 2e5]),
        _case([3.45678901234, -0.123456789012, 1e-6], [1.0, 1.0, 1.0], dtype=mg.float64),
        Case(f"x of {MANY} numbers; what is kept until backward", lambda: (None, None, KEPT)),
    ),
    drawn=_drawn,
    hints=(
        "What does the backward multiply grad_output by? By the chain rule, 1 / (1 + x * x) times 2 * x.",
        "All of it can be computed from x when backward runs. So x is all that has to be saved.",
        "forward: ctx.save_for_backward(x); return (1 + x * x).log(). backward: (x,) = ctx.saved_tensors; "
        "return grad_output * 2 * x / (1 + x * x). And soft_square returns SoftSquare.apply(x).",
    ),
    notes={"x afterwards": "forward has written to x, which others use as well. Make a new tensor."} | NOTES,
    evidence=_evidence,
    mistakes=(
        Mistake(
            lambda x: (1 + x * x).log(),
            lambda x: checkpoint(lambda x: (1 + x * x).log(), x, use_reentrant=False),
            words="The answer comes of no Function of yours: its nodes are those of operations. Write a class with "
            "forward and backward, and return what its apply returns.",
            when=saw(BY, operator.ne),
        ),
        Mistake(
            edited(soft_square, SAVE, "ctx.save_for_backward(x, x * x)", LOAD, "x, _ = ctx.saved_tensors"),
            words="More is kept than backward needs: everything on the way can be computed again from x. Save x alone, "
            "or the slope 2 * x / (1 + x * x) alone.",
            when=saw(TENSORS, operator.ne),
        ),
        Mistake(
            edited(soft_square, SAVE, "ctx.x = x", LOAD, "x = ctx.x"),
            words="x was written to before backward, and nobody noticed: this is the gradient for other numbers. "
            "Nobody looks after an attribute of ctx, a variable outside, or x.data. ctx.save_for_backward(x) compares "
            "the version of x.",
            when=lambda outcome: (
                outcome.arguments[2] == WRITTEN and right_but(TO_X, lambda mine, right: mine != UNWRITTEN)(outcome)
            ),
        ),
        Mistake(
            edited(soft_square, SAVE, "ctx.x = x.clone()", LOAD, "x = ctx.x"),
            words="What is kept is an attribute of ctx, or a variable outside, where it lives on after the walk and "
            "where no tool finds it. Give it to ctx.save_for_backward.",
            when=saw(PLACE, operator.ne),
        ),
        Mistake(
            edited(
                soft_square,
                SAVE,
                f"{SAVE}\n        ctx.factor = 2",
                "return grad_output * 2",
                "factor, ctx.factor = ctx.factor, 0\n        return grad_output * factor",
            ),
            words="The first walk is right, and a second one through the same graph is not: backward has changed or "
            "taken away what it needs. With retain_graph=True it is called again, and has to find everything as it "
            "was.",
            when=right_but(SECOND),
        ),
        Mistake(
            edited(soft_square, "* 2 * x /", "/"),
            words="This is the slope of the logarithm alone, 1 / (1 + x * x). By the chain rule the slope of x * x, "
            "which is 2 * x, comes with it.",
        ),
        Mistake(
            edited(soft_square, "2 * ", ""),
            words="The gradient is half of what it should be: the slope of x * x is 2 * x.",
        ),
        Mistake(
            edited(soft_square, " / (1 + x * x)", ""),
            words="This is the slope of x * x alone. That of the logarithm, 1 / (1 + x * x), comes with it.",
        ),
        Mistake(
            edited(soft_square, "grad_output * 2", "2"),
            words="grad_output was left out: what came in has to be multiplied by the slope.",
        ),
        Mistake(
            edited(
                soft_square,
                f"{SAVE}\n        return {VALUE}",
                f"y = {VALUE}\n        ctx.save_for_backward(y)\n        return y",
                LOAD,
                "(y,) = ctx.saved_tensors",
                SLOPE,
                "2 * (y.exp() - 1).sqrt() * (-y).exp()",
            ),
            edited(soft_square, LOAD, "x = ctx.saved_tensors[0].abs()"),
            words="Where x is negative, the sign is wrong: x * x is the same for both, so that the output does not "
            "know it.",
            when=_is_gradient_of(mg.abs),
        ),
        Mistake(
            edited(
                soft_square,
                SAVE,
                "ctx.save_for_backward(x.half())",
                LOAD,
                "x = ctx.saved_tensors[0].to(grad_output.dtype)",
            ),
            edited(
                soft_square,
                SAVE,
                "ctx.save_for_backward(x.float())",
                LOAD,
                "x = ctx.saved_tensors[0].to(grad_output.dtype)",
            ),
            edited(soft_square, f"grad_output * {SLOPE}", f"grad_output * mg.tensor(({SLOPE}).tolist())"),
            words="The first digits are right, and no more. In what is kept or in backward, is something in float32, "
            "or coarser, as mg.tensor() of Python's numbers is; is a small number added; or is a difference taken of "
            "numbers that are nearly equal? All must be as exact as x.",
            when=right_but(TO_X, _are_near),
        ),
        Mistake(no_way_back, when=saw(WAY, operator.ne)),
        Mistake(
            edited(
                soft_square,
                SAVE,
                f"ctx.save_for_backward({SLOPE})",
                LOAD,
                "(slope,) = ctx.saved_tensors",
                f"grad_output * {SLOPE}",
                "slope.mul_(grad_output)",
            ),
            words="What forward saved was written to, as in backward: a name with a _ at its end, += or *=. Each walk "
            "needs it as it was. Make a new tensor.",
            when=lambda outcome: (
                outcome.arguments[2] != WRITTEN and raised("modified by an inplace operation")(outcome)
            ),
        ),
        Mistake(
            edited(
                soft_square,
                SAVE,
                "ctx.copy = x.detach().clone()",
                LOAD,
                "x = ctx.copy\n        del ctx.copy",
            ),
            words="This was the second walk, and the first one has taken away what it used. After retain_graph=True a "
            "backward runs again: leave what is kept where it is.",
            when=_fails_in_the_second_walk,
        ),
        Mistake(
            edited(soft_square, SAVE, "pass"),
            words="There is less than this line takes out, as in `ctx.saved_tensors` where forward has not given it to "
            "ctx.save_for_backward.",
            when=lambda outcome: raised("not enough values")(outcome) or raised("index out of range")(outcome),
        ),
    ),
    right=(
        edited(
            soft_square,
            SAVE,
            f"ctx.save_for_backward({SLOPE})",
            LOAD,
            "(slope,) = ctx.saved_tensors",
            f"* {SLOPE}",
            "* slope",
        ),
        soft_by_log1p,
        soft_by_a_small_graph_in_backward,
    ),
    wrong={
        "Nobody looks after an attribute of ctx, a variable outside, or x.data": [
            edited(soft_square, SAVE, "pass", f"        {LOAD}\n", ""),
            edited(soft_square, SAVE, "ctx.save_for_backward(x.data)"),
        ],
        "The gradient is half of what it should be": [edited(soft_square, SLOPE, f"{SLOPE} / 2")],
        "More is kept than backward needs": [
            edited(soft_square, SAVE, f"{SAVE}\n        ctx.copy = x.detach().clone()", LOAD, "x = ctx.copy"),
            edited(soft_square, SAVE, f"{SAVE}\n        ctx.square = x.detach().numpy() ** 2"),
            soft_with_a_small_graph,
        ],
        "Give it to ctx.save_for_backward": [
            edited(soft_square, SAVE, "ctx.copy = x.detach().clone()", LOAD, "x = ctx.copy")
        ],
        "Where x is negative, the sign is wrong": [edited(soft_square, "2 * x /", "2 * x.abs() /")],
        "All must be as exact as x": [
            soft_by_signs_and_output,
            edited(
                soft_square,
                f"{LOAD}\n        return grad_output * 2 * x / (1 +",
                f"{LOAD}\n        return grad_output * 2 * x / (1.001 +",
            ),
        ],
        "or with a detached x": [edited(soft_square, ".apply(x)", ".apply(x.detach().requires_grad_())")],
        "Each walk needs it as it was": [
            edited(
                soft_square,
                "return function_of",
                "value = function_of",
                ".apply(x)",
                ".apply(x)\n    with mg.no_grad():\n        x.mul_(1)\n    return value",
            )
        ],
        "There is less than this line takes out": [edited(soft_square, LOAD, "_, x = ctx.saved_tensors")],
        "backward twice raised TypeError": [
            edited(soft_square, VALUE, "mg.tensor([np.log(1 + float(one) ** 2) for one in x.tolist()])")
        ],
        "the gradient of x … The first digits are right": [
            edited(
                soft_square,
                SAVE,
                "ctx.save_for_backward(x.float())",
                "* x /",
                "* x.to(grad_output.dtype) /",
                ".apply(x)",
                ".apply(x) * 1",
            )
        ],
        "raises IndexError … This was the second walk": [  # the slope is dropped after the first walk
            edited(soft_square, SAVE, f"ctx.slope = [{SLOPE}]", LOAD, "", f"* {SLOPE}", "* ctx.slope.pop()")
        ],
        "forward has written to x": [
            edited(soft_square, "(1 + x * x).log()", "x.mul_(x).add_(1).log()"),
            edited(soft_square, SAVE, SAVE.replace("(x", "(x.clone()"), "(1 + x * x).log()", "x.mul_(x).add_(1).log()"),
        ],
        "backward has written to grad_output": [
            edited(soft_square, f"grad_output * {SLOPE}", f"grad_output.mul_({SLOPE})")
        ],
        "the answer[0]": [edited(soft_square, ".apply(x)", ".apply(x) / np.log(2)")],
    },
)

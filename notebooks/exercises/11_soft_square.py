"""Chapter 11, exercise: a Function that keeps no more than it needs."""

import gc
import tracemalloc
from typing import NamedTuple

import numpy as np

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, edited, function_of, nodes_of, raised, show

from .chapter06 import Sent, drawn_numbers, measured_slopes
from .writes import Given


def soft_square(x):
    """log(1 + x * x), as a Function that keeps one tensor of the size of x."""
    return _function(_forward, _backward)(x)


def _forward(ctx, x):
    ctx.save_for_backward(x)
    return (1 + x * x).log()


def _backward(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return grad_output * 2 * x / (1 + x * x)


def _function(forward, backward):
    return function_of("SoftSquare", forward, backward).apply


ONCE, AGAIN, WRITTEN, KEPT = "", ", backward twice", ", x.mul_(2) before backward", "kept"
MANY = 2**15  # numbers of a tensor that is seen among all that Python keeps
LOST = "The numbers that were kept have lost digits. What is kept must be as exact as x."
WRITE = "the gradient for the x before the write, or an error: x has been modified by an inplace operation"


class Ran(NamedTuple):
    """What came of a call: the numbers, and what came back to x; or the words of why nothing did."""

    numbers: object
    sent: object


class Kept(NamedTuple):
    """How many tensors of x's size are kept from forward to backward, and whether a node has any from
    save_for_backward.
    """

    tensors: int
    is_saved: bool


def _trying(answer):
    def run(x, weights, way):
        return _kept(answer) if way == KEPT else _ran(answer, x * 1, weights, way)

    return run


def _ran(answer, x, weights, way):
    given = Given(x=x)
    value = answer(x)
    if not isinstance(value, mg.Tensor) or value.shape != x.shape:
        return value
    numbers, written = value.detach().clone(), given.first_written()
    if not value.requires_grad:
        return Ran(numbers, "nothing: it has no way back")
    if way == WRITTEN:
        with mg.no_grad():
            x.mul_(2)
    weights = weights.clone()
    given = Given(grad_output=weights)
    try:
        for _ in range(2 if way == AGAIN else 1):
            (gradient,) = grad(value, x, weights, retain_graph=way == AGAIN, allow_unused=True)
    except RuntimeError as error:
        if way != WRITTEN or "modified by an inplace operation" not in str(error):
            raise
        return Ran(numbers, "an error: x has been modified by an inplace operation")
    if gradient is None:
        return Ran(numbers, "nothing: None came back")
    return Ran(numbers, Sent(gradient.detach(), written or given.first_written()))


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
            return value
        is_saved = any(getattr(node, "saved_tensors", ()) for node in nodes_of(value))
        value = value.sum()  # which keeps the node before it, and not its result
        tensors = _tensors_since(start)
        if tensors > 1:
            gc.collect()  # which takes a while
        return Kept(_tensors_since(start), is_saved)
    finally:
        if owned:
            tracemalloc.stop()


def _tensors_since(start):
    return round((tracemalloc.get_traced_memory()[0] - start) / (MANY * 4))


def _compare(expected, got, outcome):
    if isinstance(expected, Kept):
        if not isinstance(got, Kept):
            return Difference("the answer", show(got), "a tensor with a way back to x")
        if got.tensors > 1:
            return Difference("kept", _tensors(got), "at most one")
        return None if got.is_saved else Difference("kept", "outside the saved tensors", "by save_for_backward")
    if not isinstance(got, Ran):
        return compare(expected.numbers, got)
    difference = compare(expected.numbers, got.numbers, "the numbers")
    if difference is not None or (isinstance(got.sent, str) and got.sent == expected.sent):
        return difference
    right = _right(outcome)
    if isinstance(got.sent, str):
        return Difference("the gradient of x", got.sent, show(right))
    difference = compare(right, got.sent.gradient, "the gradient of x")
    if difference is not None and isinstance(expected.sent, str):
        return Difference("the gradient of x", show(got.sent.gradient), WRITE)
    return difference or got.sent.written or _of_lost_digits(right, got.sent.gradient)


def _of_lost_digits(right, gradient):
    """In float64 sixteen digits are right, of which eight are enough."""
    if right.dtype is not mg.float64 or np.allclose(gradient.numpy(), right.numpy(), rtol=1e-8, atol=1e-12):
        return None
    return Difference("the digits of the gradient of x", f"{gradient.tolist()}", f"{right.tolist()}", LOST)


def _right(outcome, at=lambda x: x):
    """The gradient of x, for the numbers that it had, or for others."""
    x, weights, _ = outcome.case.make()
    x = at(x.detach()).requires_grad_()
    (gradient,) = grad((1 + x * x).log(), x, weights)
    return gradient


def _is_gradient(at):
    """For `when`: whether the gradient is the right one for other numbers than those of x."""

    def asked(outcome):
        sent = outcome.value.sent if isinstance(outcome.value, Ran) else None
        return isinstance(sent, Sent) and compare(_right(outcome, at), sent.gradient) is None

    return asked


def _written(outcome):
    return outcome.arguments[2] == WRITTEN and _is_gradient(lambda x: x * 2)(outcome)


def _tensors(kept):
    return f"{kept.tensors} tensor{'s' * (kept.tensors != 1)} of x's size"


def _show(value, arguments):
    if isinstance(value, Kept):
        return _tensors(value) + ", but not by save_for_backward" * (value.tensors == 1 and not value.is_saved)
    if not isinstance(value, Ran):
        return show(value)
    sent = value.sent.gradient if isinstance(value.sent, Sent) else value.sent
    if isinstance(sent, mg.Tensor):
        sent = str(np.round(sent.numpy(), 9).tolist()) if sent.dtype is mg.float64 else show(sent)
    return f"{show(value.numbers)}, and to x: {sent}"


def _evidence(outcome):
    x, weights, way = outcome.arguments
    if way == KEPT:
        return "  measured was the memory after x and the result were gone, and before backward"
    return measured_slopes(lambda t: (1 + t * t).log(), x, weights)


def _case(x, weights, way=ONCE, dtype=None):
    words = f"x = {x}{' in float64' if dtype else ''}, grad_output = {weights}{way}"
    leaf, weights = (mg.tensor(values, dtype=dtype or mg.float32) for values in (x, weights))
    return Case(words, lambda: (leaf.clone().requires_grad_(), weights.clone(), way))


def _drawn(random):
    """No to two dimensions, numbers of both signs, in float32 and in float64."""
    shape = [(), (4,), (2, 3), (3, 1), (0,)][random.integers(5)]
    dtype = [None, mg.float64][random.integers(2)]
    way = [ONCE, AGAIN, WRITTEN][random.integers(3)]
    yield _case(drawn_numbers(random, shape), drawn_numbers(random, shape), way, dtype)


def _found_nothing(outcome):
    return raised("not enough values to unpack")(outcome) or raised("tuple index out of range")(outcome)


def _kept_more(outcome):
    return isinstance(outcome.value, Kept) and outcome.value.tensors > 1


def _kept_elsewhere(outcome):
    return isinstance(outcome.value, Kept) and outcome.value.tensors < 2


# ---------------------------------------------------------------- wrong answers


def saves_everything(x):
    """More is kept than backward needs: everything on the way can be computed again from x. Save x alone, or the slope
    2 * x / (1 + x * x) alone.
    """

    def forward(ctx, x):
        square = x * x
        more = 1 + square
        ctx.save_for_backward(x, square, more)
        return more.log()

    def backward(ctx, grad_output):
        x, _, more = ctx.saved_tensors
        return grad_output * 2 * x / more

    return _function(forward, backward)(x)


def as_an_attribute(x):
    """x was written to before backward, and nobody noticed: this is the gradient for other numbers. Nobody looks after
    an attribute of ctx, a variable outside, or x.data. ctx.save_for_backward(x) compares the version of x.
    """

    def forward(ctx, x):
        ctx.x = x
        return (1 + x * x).log()

    def backward(ctx, grad_output):
        return grad_output * 2 * ctx.x / (1 + ctx.x * ctx.x)

    return _function(forward, backward)(x)


def without_the_two(x):
    """The gradient is half of what it should be: the slope of x * x is 2 * x."""

    def backward(ctx, grad_output):
        return _backward(ctx, grad_output) / 2

    return _function(_forward, backward)(x)


def from_the_output(x):
    """Where x is negative, the sign is wrong: x * x is the same for both, so that the output does not know it."""

    def forward(ctx, x):
        y = (1 + x * x).log()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * 2 * (y.exp() - 1).sqrt() * (-y).exp()

    return _function(forward, backward)(x)


def single_precision(x):
    def forward(ctx, x):
        ctx.save_for_backward(x.float())
        return (1 + x * x).log()

    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].to(grad_output.dtype)
        return grad_output * 2 * x / (1 + x * x)

    return _function(forward, backward)(x)


def no_way_back(x):
    """No gradient comes to x: what is returned has no node. Call the Function's apply, and return what it returns."""
    with mg.no_grad():
        return (1 + x * x).log()


def saved_on_the_wrong_day(x):
    """Nothing was saved: `ctx.saved_tensors` is empty. forward has to call ctx.save_for_backward."""

    def forward(ctx, x):
        return (1 + x * x).log()

    return _function(forward, _backward)(x)


# ---------------------------------------------------------------- tried as well


def soft_square_with(keep, compute):
    class Soft(Function):
        @staticmethod
        def forward(ctx, x):
            y = (1 + x * x).log()
            keep(ctx, x, y)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            return compute(ctx, grad_output)

    return Soft.apply


def slope(x):
    return 2 * x / (1 + x * x)


def soft_of_a_copied_attribute(x):
    """Right numbers, and two tensors: the copy, and x."""

    def keep(ctx, x, y):
        ctx.copy = x.detach().clone()
        ctx.save_for_backward(x)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.copy))(x)


def soft_with_a_graph(x):
    def keep(ctx, x, y):
        with mg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (1 + ctx.x**2).log()

    return soft_square_with(keep, lambda ctx, g: mg.autograd.grad(ctx.y, ctx.x, g, retain_graph=True)[0])(x)


def soft_for_positive_numbers(x):
    return soft_square_with(
        lambda ctx, x, y: ctx.save_for_backward(x), lambda ctx, g: g * slope(ctx.saved_tensors[0].abs())
    )(x)


def soft_by_signs_and_output(x):
    """Right where 1 + x * x is not nearly 1: there the output has lost what x was."""

    def keep(ctx, x, y):
        ctx.save_for_backward(y)
        ctx.is_negative = x.detach() < 0

    def compute(ctx, g):
        (y,) = ctx.saved_tensors
        size = 2 * (y.exp() - 1).relu().sqrt() * (-y).exp()
        return g * mg.where(ctx.is_negative, -size, size)

    return soft_square_with(keep, compute)(x)


def soft_used_up(x):
    """The slope is dropped after the first walk."""

    def keep(ctx, x, y):
        ctx.slope = [slope(x)]

    return soft_square_with(keep, lambda ctx, g: g * ctx.slope.pop())(x)


def soft_over_what_came(x):
    def compute(ctx, g):
        return g.mul_(slope(ctx.saved_tensors[0]))

    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), compute)(x)


def soft_of_the_other_log(x):
    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), lambda ctx, g: g * slope(*ctx.saved_tensors))(
        x
    ) / np.log(2)


def soft_by_its_slope(x):
    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(slope(x)), lambda ctx, g: g * ctx.saved_tensors[0])(
        x
    )


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
            return 2 * grad_output / (x + 1 / x) if (x != 0).all() else grad_output * slope(x)

    return Soft.apply(x)


def soft_by_a_small_graph_in_backward(x):
    def compute(ctx, g):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = (1 + x * x).log()
        return mg.autograd.grad(y, x, g)[0]

    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), compute)(x)


def soft_of_data(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x.data)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0]))(x)


def soft_of_half_the_slope(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0]) / 2)(x)


def soft_in_float32(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x.float())

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0].to(g.dtype)))(x) * 1


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
    compare=_compare,
    show=_show,
    evidence=_evidence,
    mistakes=(
        Mistake(saves_everything, lambda x: (1 + x * x).log(), when=_kept_more),
        Mistake(as_an_attribute, when=_written),
        Mistake(
            edited(as_an_attribute, "x\n        return", "x.clone()\n        return"),
            words="What is kept is an attribute of ctx, or a variable outside, where it lives on after the walk and "
            "where no tool finds it. Give it to ctx.save_for_backward.",
            when=_kept_elsewhere,
        ),
        Mistake(
            edited(
                without_the_two,
                "return _backward(ctx, grad_output) / 2",
                "(x,) = ctx.saved_tensors\n        return grad_output / (1 + x * x)",
            ),
            words="This is the slope of the logarithm alone, 1 / (1 + x * x). By the chain rule the slope of x * x, "
            "which is 2 * x, comes with it.",
        ),
        without_the_two,
        Mistake(
            edited(
                without_the_two,
                "return _backward(ctx, grad_output) / 2",
                "(x,) = ctx.saved_tensors\n        return grad_output * 2 * x",
            ),
            words="This is the slope of x * x alone. That of the logarithm, 1 / (1 + x * x), comes with it.",
        ),
        Mistake(
            edited(without_the_two, "_backward(ctx, grad_output) / 2", "_backward(ctx, mg.ones_like(grad_output))"),
            words="grad_output was left out: what came in has to be multiplied by the slope.",
        ),
        Mistake(
            from_the_output,
            edited(
                without_the_two,
                "return _backward(ctx, grad_output) / 2",
                "x = ctx.saved_tensors[0].abs()\n        return grad_output * 2 * x / (1 + x * x)",
            ),
            when=_is_gradient(mg.abs),
        ),
        Mistake(
            edited(single_precision, "float", "half"),
            single_precision,
            words="The numbers that were kept have lost digits. What is kept must be as exact as x.",
        ),
        Mistake(no_way_back, when=lambda outcome: "no way back" in str(getattr(outcome.value, "sent", ""))),
        Mistake(saved_on_the_wrong_day, when=_found_nothing),
    ),
    right=(soft_by_its_slope, soft_by_log1p, soft_by_a_small_graph_in_backward),
    wrong={
        "Nobody looks after an attribute of ctx, a variable outside, or x.data": [
            lambda x: soft_square_with(lambda ctx, *_: None, lambda ctx, g: g * slope(x))(x),
            soft_of_data,
        ],
        "The gradient is half of what it should be": [soft_of_half_the_slope],
        "More is kept than backward needs": [
            soft_of_a_copied_attribute,
            edited(soft_of_data, "x.data)", "x)\n        ctx.square = x.detach().numpy() ** 2"),
            soft_with_a_graph,
        ],
        "Give it to ctx.save_for_backward": [
            edited(soft_of_a_copied_attribute, "clone()\n        ctx.save_for_backward(x)", "clone()")
        ],
        "Where x is negative, the sign is wrong": [soft_for_positive_numbers],
        "What is kept must be as exact as x": [soft_by_signs_and_output],
        "the gradient of x … The numbers that were kept have lost digits": [soft_in_float32],
        "raises IndexError": [soft_used_up],
        "backward has written to grad_output": [soft_over_what_came],
        "the numbers[0]": [soft_of_the_other_log],
    },
)

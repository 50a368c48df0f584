"""Exercise `recomputed`: a Function that keeps nothing but its input, and runs its function again on the way back."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, numbers, raised, show

from .chapter06 import measured_slopes


def recomputed(f, x):
    """f(x), computed again on the way back instead of being remembered."""
    return Recompute.apply(f, x)


class Recompute(mg.autograd.Function):
    @staticmethod
    def forward(ctx, f, x):
        ctx.f = f
        ctx.save_for_backward(x)
        return f(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with mg.enable_grad():
            x = x.detach().requires_grad_()
            y = ctx.f(x)
        y.backward(grad_output)
        return None, x.grad


class Counted:
    """A function that notes each of its calls, and whether it was recorded. It also holds the leaf to look at."""

    def __init__(self, function, leaf):
        self.function, self.leaf = function, leaf
        self.calls = []

    def __call__(self, x):
        self.calls.append("recorded" if mg.is_grad_enabled() and x.requires_grad else "unrecorded")
        return self.function(x)

    def __repr__(self):
        return "f"


def _observe(value, arguments):
    """The numbers, the gradient that arrived at the leaf, and the calls of f before and in the backward."""
    f = arguments[0]
    if not isinstance(value, mg.Tensor) or tuple(value.shape) != (3,):
        return value
    forward_calls = tuple(f.calls)
    if value.requires_grad:
        value.backward(mg.tensor([1.0, -2.0, 0.5]))
    return value.detach(), f.leaf._grad, forward_calls, tuple(f.calls[len(forward_calls) :])


def _is_observed(value):
    return isinstance(value, tuple) and len(value) == 4 and isinstance(value[2], tuple)


def _compare(expected, got, outcome):
    if not _is_observed(got):
        return compare(expected[0], got)
    difference = compare(expected[0], got[0], "the numbers")
    if difference is not None:
        return difference
    if got[1] is None:
        return Difference("the gradient of the leaf", "None", show(expected[1]), "No gradient has arrived there.")
    difference = compare(expected[1], got[1], "the gradient of the leaf")
    if difference is not None:
        return difference
    for when, wanted, mine in zip(("before backward", "in backward"), expected[2:], got[2:], strict=True):
        if wanted != mine:
            note = "The numbers are right, but f has to run twice: once unrecorded, and once recorded in backward."
            return Difference(f"calls of f {when}", _calls(mine), _calls(wanted), note)
    return None


def _calls(calls):
    return ", ".join(calls) or "none"


def _show(value, arguments):
    if not _is_observed(value):
        return show(value)
    arrived = "None" if value[1] is None else show(value[1])
    return (
        f"{show(value[0])}; gradient of the leaf {arrived}; calls of f: {_calls(value[2])}; in backward: "
        f"{_calls(value[3])}"
    )


def _draw(outcome, difference):
    """The learner's graph, walked, and in red the leaf, or the result if it is not as asked for."""
    f, x = outcome.case.make()
    answer = outcome.answer
    result = answer(f, x)
    names = {"x": x} if x.is_leaf else {"w": f.leaf, "x": x}
    arriving = mg.tensor([1.0, -2.0, 0.5]) if result.requires_grad else None
    if difference.where.startswith("the gradient") and result.requires_grad:
        (right,) = grad(recomputed(*(made := outcome.case.make())), made[0].leaf, arriving)
        return draw_wrong_node(result, names, f.leaf, f"✗ expected {numbers(right)}", arriving, answer)
    words = "✗ other numbers" if difference.where.startswith("the numbers") else "✗ not as asked for"
    return draw_wrong_node(result, names, result, words if result.requires_grad else "✗ no way back", arriving, answer)


def _arrived_twice(outcome):
    f, x = outcome.arguments
    if not x.is_leaf or not _is_observed(outcome.value) or outcome.value[1] is None:
        return False
    (once,) = grad(f.function(x), x, mg.tensor([1.0, -2.0, 0.5]))
    return compare(once * 2, outcome.value[1]) is None


def _case(words, function, numbers, outside=False):
    def make():
        leaf = mg.tensor(numbers, requires_grad=True)
        return Counted(function, leaf), leaf * 2 if outside else leaf

    where = f"2 * w, with the leaf w = {numbers}" if outside else f"the leaf {numbers}"
    return Case(f"f(x) = {words}, x is {where}, grad_output = [1.0, -2.0, 0.5]", make)


def _evidence(outcome):
    f, x = outcome.arguments
    times = 1 if x.is_leaf else 2
    with mg.no_grad():
        return measured_slopes(lambda w: f.function(w * times), f.leaf, mg.tensor([1.0, -2.0, 0.5]))


# ---------------------------------------------------------------- wrong answers


def twice(f, x):
    """The gradient has arrived twice. The small graph ended in the x of the big one, and its own walk wrote there,
    before your backward returned the same again. Begin it with x.detach().requires_grad_().
    """

    class Twice(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                ctx.f(x).backward(grad_output)
            return None, x.grad

    return Twice.apply(f, x)


def gradient_of_the_sum(f, x):
    """grad_output was left out: this is the gradient of the sum of f(x). Hand it to the inner walk."""

    class Sum(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                ctx.f(x).sum().backward()
            return None, x.grad

    return Sum.apply(f, x)


def times_f(f, x):
    """This is grad_output times f(x). It has to be multiplied by the slopes of f, which the small graph gives."""

    class Times(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return None, grad_output * ctx.f(x)

    return Times.apply(f, x)


def straight_through(f, x):
    """What came in goes on as it was, without the slopes of f: run f again, recorded, and walk back through it."""

    class Through(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return None, grad_output

    return Through.apply(f, x)


def weighted_twice(f, x):
    """grad_output is in it twice: the inner walk began with it, and its result was multiplied by it once more."""

    class Weighted(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return None, Recompute.backward(ctx, grad_output)[1] * grad_output

    return Weighted.apply(f, x)


def tuple_for_a_gradient(f, x):
    """autograd.grad returns a tuple, even for one input. Take its item [0]."""

    class Tuple(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                y = ctx.f(x)
            return None, mg.autograd.grad(y, x, grad_output)

    return Tuple.apply(f, x)


def without_history(f, x):
    """f(x) was computed without a history, and nothing was put in its place: it is the apply of a Function that gives
    it one.
    """
    with mg.no_grad():
        return f(x)


def ran_f_twice(f, x):
    """f ran more than once in backward. Once is enough: keep its result, and walk back through that."""

    class More(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                gradients = [mg.autograd.grad(ctx.f(x)[i], x, grad_output[i])[0] for i in range(len(x))]
            return None, mg.stack(gradients).sum(0)

    return More.apply(f, x)


def plain_call(f, x):
    """f ran recorded in forward: its whole graph was kept until backward. Call it unrecorded there, and again in
    backward.
    """
    return f(x)


def kept_the_graph(f, x):
    class Kept(mg.autograd.Function):
        @staticmethod
        def forward(ctx, f, x):
            with mg.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = f(ctx.x)
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad_output):
            return None, *mg.autograd.grad(ctx.y, ctx.x, grad_output)

    return Kept.apply(f, x)


def not_switched_on(f, x):
    """The small graph is not there: either nothing was recorded, since backward runs with recording off until you say
    enable_grad(), or its input does not require a gradient after detach().
    """

    class Off(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_()
            ctx.f(x).backward(grad_output)
            return None, x.grad

    return Off.apply(f, x)


def no_leaf(f, x):
    class Detached(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach()
                ctx.f(x).backward(grad_output)
            return None, x.grad

    return Detached.apply(f, x)


def no_weights(f, x):
    """f(x) has several elements, and the inner walk was not told how much each counts: pass it grad_output."""

    class Bare(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                x = x.detach().requires_grad_()
                ctx.f(x).backward()
            return None, x.grad

    return Bare.apply(f, x)


def other_order(f, x):
    """One gradient for each argument of forward, in their order: if f is the first, None comes first."""

    class Swapped(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return Recompute.backward(ctx, grad_output)[::-1]

    return Swapped.apply(f, x)


def only_one(f, x):
    class Single(Recompute):
        @staticmethod
        def backward(ctx, grad_output):
            return Recompute.backward(ctx, grad_output)[1]

    return Single.apply(f, x)


def saved_the_function(f, x):
    """save_for_backward is for tensors. Keep f as an attribute: ctx.f = f."""

    class Saved(Recompute):
        @staticmethod
        def forward(ctx, f, x):
            ctx.save_for_backward(f, x)
            return f(x)

    return Saved.apply(f, x)


EXERCISE = Exercise(
    title="f(x) as one node that keeps x only and runs f again in backward",
    stars=3,
    minutes=12,
    reference=recomputed,
    cases=(
        _case("sin(x) * x", lambda x: mg.sin(x) * x, [0.5, -1.0, 2.0]),
        _case("tanh(x * x)", lambda x: (x * x).tanh(), [0.5, 1.0, -0.3]),
        _case("sin(x) * x", lambda x: mg.sin(x) * x, [0.5, -1.0, 2.0], outside=True),
    ),
    hints=(
        "forward is short: keep f and x, and return f(x), which nothing records. The small graph is made in backward.",
        "In backward: under enable_grad, make a leaf of x's numbers that requires a gradient, and call f with it.",
        "with mg.enable_grad(): inner_x = x.detach().requires_grad_(); inner_y = f(inner_x). Then "
        "mg.autograd.grad(inner_y, inner_x, grad_output) gives the gradient in a tuple. f is the first argument of "
        "forward, so return None, gradient.",
    ),
    observe=_observe,
    compare=_compare,
    show=_show,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(twice, when=_arrived_twice),
        gradient_of_the_sum,
        times_f,
        straight_through,
        weighted_twice,
        Mistake(tuple_for_a_gradient, when=raised("expected Variable or None (got tuple)")),
        Mistake(without_history, when=lambda outcome: _is_observed(outcome.value) and outcome.value[1] is None),
        Mistake(ran_f_twice, when=lambda outcome: _is_observed(outcome.value) and len(outcome.value[3]) > 1),
        Mistake(
            plain_call,
            kept_the_graph,
            when=lambda outcome: _is_observed(outcome.value) and "recorded" in outcome.value[2],
        ),
        Mistake(not_switched_on, no_leaf, when=raised("does not require grad and does not have a grad_fn")),
        Mistake(no_weights, when=raised("implicitly created")),
        Mistake(
            other_order,
            only_one,
            when=lambda outcome: (
                raised("gradient different than None")(outcome) or raised("incorrect number of gradients")(outcome)
            ),
        ),
        Mistake(saved_the_function, when=raised("save_for_backward can only save variables")),
    ),
)

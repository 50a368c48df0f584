"""Exercise `recomputed`: a Function that keeps nothing but its input, and runs its function again on the way back."""

import numpy as np

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.autograd.functional import vjp
from minigrad.teach import Case, Exercise, Mistake, cases, compare, edited, function_of, measured_slopes
from minigrad.teach.draws import draw_numbers, flip, formula, pick, pick_some
from minigrad.teach.observing import raised, right_but, saw
from minigrad.teach.wrong_node import draw_wrong_node, numbers

from . import chapter06_recomputed as trials
from .chapter06_recomputed import AGAIN, ARRIVED, HOOKED, KEPT, MANY, NUMBERS, OLD, ONCE, OTHER, SILENT, WRITTEN, Trial


def recomputed(f, x):
    """f(x), computed again on the way back instead of being remembered."""
    return function_of("Recompute", _forward, _backward).apply(f, x)


def _forward(ctx, f, x):
    ctx.f = f
    ctx.save_for_backward(x)
    return f(x)


def _backward(ctx, grad_output):
    (x,) = ctx.saved_tensors
    with mg.enable_grad():
        x = x.detach().requires_grad_()
        y = ctx.f(x)
    y.backward(grad_output)
    return None, x.grad


WEIGHTS = [1.0, -2.0, 0.5]
FUNCTIONS = (
    "sin(x) * x",
    "tanh(x * x)",
    "(x * x).sum(-1)",
    "exp(x / 2).mean()",
    "x.view(-1)[1:] * x.view(-1)[:-1]",
    "stack([x, x * x])",
)


@cases(
    "f(x) = {words}, x is {outside}the leaf {where}{earlier}, grad_output = {weights}{way}",
    outside="2 * w, where w is ",
    earlier=", whose .grad is {earlier} everywhere before",
    way="{way}",
)
def _case(words, where, weights=WEIGHTS, way=ONCE, outside=False, earlier=None):
    return (Trial(words, where, weights, way, outside, earlier),)


def _kept_case():
    words = f"f(x) = sin(x) * x, x is a leaf of {MANY} numbers{KEPT}"
    return Case(words, lambda: (Trial("sin(x) * x", np.full(MANY, 0.5, np.float32), [1.0], KEPT),))


def _drawn(random):
    """Results of other shapes than x, leaves with a gradient already, and two walks or two calls at a time."""
    for words in pick_some(random, FUNCTIONS, 3):
        values = draw_numbers(random, pick(random, [(4,), (2, 3)]))
        weights = draw_numbers(random, tuple(formula(words)(mg.tensor(values)).shape))
        yield _case(words, values, weights, pick(random, [ONCE, AGAIN, OTHER]), flip(random), pick(random, [None, 2.0]))


def _draw(outcome, difference):
    """The learner's graph, walked, and in red the leaf, or the result if it is not as asked for."""
    (trial,) = outcome.case.make()
    if trial.way == KEPT:
        return ""
    answer, leaf = outcome.answer, trial.leaf
    result = answer(trial.f, trial.x)
    names = {"x": trial.x} if trial.x.is_leaf else {"w": leaf, "x": trial.x}
    arriving = trial.weights if result.requires_grad else None
    if difference.where.startswith(ARRIVED) and result.requires_grad:
        (right,) = grad(recomputed(trial.f, trial.x), leaf, arriving)
        return draw_wrong_node(result, names, leaf, f"✗ expected {numbers(right)}", arriving, answer)
    words = "✗ other numbers" if difference.where.startswith(NUMBERS) else "✗ not as asked for"
    return draw_wrong_node(result, names, result, words if result.requires_grad else "✗ no way back", arriving, answer)


def _evidence(outcome):
    (trial,) = outcome.arguments
    if trial.way in (KEPT, WRITTEN):
        return ""
    times = 1 if trial.x.is_leaf else 2
    with mg.no_grad():
        found = measured_slopes(lambda w: trial.f.function(w * times), trial.leaf, trial.weights)
    beside = {
        AGAIN: "\n  each of the two backwards adds as much",
        HOOKED: "\n  and 10 times as much behind the hook on x",
    }
    return found + beside.get(trial.way, "")


def _hook_ran_twice(outcome):
    """Whether the gradient is the one that has met the hook on x once more than it should."""
    mine, right = outcome.seen.get(ARRIVED), outcome.right.get(ARRIVED)
    return isinstance(mine, mg.Tensor) and outcome.arguments[0].way == HOOKED and compare(right * 10, mine) is None


def _took_the_other_f(outcome):
    """Whether the gradient is that of the other f, with which another call was made before backward."""
    (trial,) = outcome.case.make()
    mine, right = outcome.seen.get(ARRIVED), outcome.right.get(ARRIVED)
    if trial.way != OTHER or not isinstance(mine, mg.Tensor) or mine.shape != right.shape:
        return False
    own, other = (grad(f(trial.x), trial.leaf, trial.weights)[0] for f in (trial.f.function, mg.cos))
    return compare(right - own + other, mine) is None


def _arrived_twice(outcome):
    """Whether more gradients were added to the leaf's than there were backwards."""
    (trial,) = outcome.arguments
    return ARRIVED in outcome.seen and len(trial.arrivals) > (2 if trial.way == AGAIN else 1)


# ---------------------------------------------------------------- wrong answers


def _recomputed_with(f, x, forward=_forward, backward=_backward):
    """The Function with one of its two methods written otherwise."""
    return function_of("Recompute", forward, backward).apply(f, x)


def twice(f, x):
    """A gradient has arrived once too often. The small graph ended in the x of the big one, and its own walk wrote
    there, besides what your backward returned. Begin it with x.detach().requires_grad_().
    """

    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with mg.enable_grad():
            ctx.f(x).backward(grad_output)
        return None, x.grad

    return _recomputed_with(f, x, backward=backward)


def gradient_of_the_sum(f, x):
    """grad_output was left out: this is the gradient of the sum of f(x). Hand it to the inner walk."""

    def backward(ctx, grad_output):
        return _backward(ctx, mg.ones_like(grad_output))

    return _recomputed_with(f, x, backward=backward)


def weighted_afterwards(f, x):
    """grad_output was multiplied with the gradient of the sum, afterwards. That is right only where each number of f(x)
    depends on one number of x. Hand it to the inner walk.
    """

    def backward(ctx, grad_output):
        return None, grad_output * _backward(ctx, mg.ones_like(grad_output))[1]

    return _recomputed_with(f, x, backward=backward)


def times_f(f, x):
    """This is grad_output times f(x). It has to be multiplied by the slopes of f, which the small graph gives."""

    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return None, grad_output * ctx.f(x)

    return _recomputed_with(f, x, backward=backward)


def straight_through(f, x):
    """What came in goes on as it was, without the slopes of f: run f again, recorded, and walk back through it."""
    return _recomputed_with(f, x, backward=lambda ctx, grad_output: (None, grad_output))


def weighted_twice(f, x):
    """grad_output is in it twice: the inner walk began with it, and its result was multiplied by it once more."""
    return _recomputed_with(
        f, x, backward=lambda ctx, grad_output: (None, _backward(ctx, grad_output)[1] * grad_output)
    )


def tuple_for_a_gradient(f, x):
    """A tuple came back as a gradient. autograd.grad returns one even for one input, with the gradient at [0]: take it
    out.
    """
    return _recomputed_with(f, x, backward=lambda ctx, grad_output: (None, (_backward(ctx, grad_output)[1],)))


def without_history(f, x):
    """The result has no history: it was computed without one, or cut off from it. It is the apply of a Function that
    gives the result one.
    """
    with mg.no_grad():
        return f(x)


def plain_call(f, x):
    """f ran recorded before backward. Call it unrecorded there, and once more, recorded, in backward."""
    return f(x)


def kept_the_graph(f, x):
    def forward(ctx, f, x):
        with mg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = f(ctx.x)
        return ctx.y.detach()

    def backward(ctx, grad_output):
        return None, *mg.autograd.grad(ctx.y, ctx.x, grad_output)

    return _recomputed_with(f, x, forward, backward)


def other_order(f, x):
    """One gradient for each argument of forward, in their order: if f is the first, None comes first."""
    return _recomputed_with(f, x, backward=lambda ctx, grad_output: _backward(ctx, grad_output)[::-1])


def saved_the_function(f, x):
    """save_for_backward is for tensors, each an argument of its own. What is none, as f is, becomes an attribute:
    ctx.f = f.
    """

    def forward(ctx, f, x):
        ctx.save_for_backward(f, x)
        return f(x)

    return _recomputed_with(f, x, forward)


# ---------------------------------------------------------------- tried as well


def recomputing(f, x, keep=None, kept=None, compute=None):
    """The Function, with what keeps x and gives it back, or what computes the gradient, written otherwise."""

    class Recompute(Function):
        @staticmethod
        def forward(ctx, f, x):
            ctx.f = f
            ctx.save_for_backward(x) if keep is None else keep(ctx, x)
            return f(x)

        @staticmethod
        def backward(ctx, grad_output):
            given = ctx.saved_tensors[0] if kept is None else kept(ctx)
            if compute is not None:
                return None, compute(ctx, given, grad_output)
            with mg.enable_grad():
                leaf = given.detach().requires_grad_()
                y = ctx.f(leaf)
            return None, *grad(y, leaf, grad_output)

    return Recompute.apply(f, x)


def recomputed_from_an_attribute(f, x):
    def keep(ctx, x):
        ctx.x = x

    return recomputing(f, x, keep, lambda ctx: ctx.x)


def recomputed_from_an_array(f, x):
    def keep(ctx, x):
        ctx.numbers = x.detach().numpy().copy()

    return recomputing(f, x, keep, lambda ctx: mg.tensor(ctx.numbers))


def recomputed_with_the_result_kept(f, x):
    class Recompute(Function):
        @staticmethod
        def forward(ctx, f, x):
            ctx.f, y = f, f(x)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            leaf = ctx.saved_tensors[0].detach().requires_grad_()
            with mg.enable_grad():
                y = ctx.f(leaf)
            return None, *grad(y, leaf, grad_output)

    return Recompute.apply(f, x)


def recomputed_from_one_leaf(f, x):
    """The leaf of the small graph is made once, and its .grad adds up."""

    def keep(ctx, x):
        ctx.save_for_backward(x)
        ctx.leaf = x.detach().requires_grad_()

    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            y = ctx.f(ctx.leaf)
        y.backward(grad_output)
        return ctx.leaf.grad

    return recomputing(f, x, keep, compute=compute)


class OfTheClass(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return OfTheClass.f(x)

    @staticmethod
    def backward(ctx, grad_output):
        leaf = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = OfTheClass.f(leaf)
        return grad(y, leaf, grad_output)[0]


def recomputed_with_f_on_the_class(f, x):
    OfTheClass.f = f
    return OfTheClass.apply(x)


def recomputed_with_f_called_before(f, x):
    with mg.no_grad():
        f(x)  # to look at the shape
    return recomputing(f, x)


def recomputed_into_the_leaf(f, x):
    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            leaf = given.detach().requires_grad_()
            y = ctx.f(leaf)
        (gradient,) = grad(y, leaf, grad_output)
        if x.is_leaf:
            x.grad = gradient
            return None
        return gradient

    return recomputing(f, x, compute=compute)


def recomputed_times_two(f, x):
    return recomputing(f, x, compute=lambda ctx, given, grad_output: 2 * vjp(ctx.f, given, grad_output)[1])


def recomputed_at_x_itself(f, x):
    def compute(ctx, given, grad_output):
        with mg.enable_grad():
            return grad(ctx.f(given), given, grad_output)[0]

    return recomputing(f, x, compute=compute)


def recomputed_into_a_leaf_of_its_own(f, x):
    def compute(ctx, given, grad_output):
        leaf = mg.tensor(given.tolist(), dtype=given.dtype, requires_grad=True)
        with mg.enable_grad():
            ctx.f(leaf).backward(grad_output)
        return leaf.grad

    return recomputing(f, x, compute=compute)


F_BY_SHAPE = {}


def recomputed_with_f_by_shape(f, x):
    F_BY_SHAPE[x.shape] = f
    return recomputing(lambda given: F_BY_SHAPE[x.shape](given), x)


def recomputed_with_a_setup(f, x):
    class Recompute(Function):
        @staticmethod
        def forward(x, function):
            return function(x.detach())

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.again = inputs[1]

        @staticmethod
        def backward(ctx, grad_output):
            with mg.set_grad_enabled(True):
                leaf = ctx.saved_tensors[0].detach().clone().requires_grad_()
                (ctx.again(leaf) * grad_output).sum().backward()
            return leaf.grad, None

    return Recompute.apply(x, f)


def recomputed_by_a_checkpoint(f, x):
    class Checkpoint(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return f(x)

        @staticmethod
        def backward(ctx, grad_output):
            leaf = ctx.saved_tensors[0].detach().requires_grad_()
            with mg.enable_grad():
                y = f(leaf)
            y.backward(grad_output)
            return leaf.grad

    return Checkpoint.apply(x)


def recomputed_with_a_sum(f, x):
    class Sum(Function):
        @staticmethod
        def forward(ctx, x, function):
            ctx.function = function
            ctx.save_for_backward(x)
            return function(x)

        @staticmethod
        @mg.enable_grad()
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_(True)
            return grad((ctx.function(x) * grad_output.detach()).sum(), x)[0], None

    return Sum.apply(x, f)


def compute_whatever_happens(ctx, given, grad_output):
    try:
        return vjp(ctx.f, ctx.saved_tensors[0], grad_output)[1]
    except RuntimeError:
        return None


def compute_once(ctx, given, grad_output):
    """Keeps what the first walk has found."""
    if not hasattr(ctx, "found"):
        ctx.found = vjp(ctx.f, given, grad_output)[1]
    return ctx.found


def recomputed_and_left_on(f, x):
    result = recomputed(f, x)
    mg.set_grad_enabled(True)
    return result


REMEMBERED = []


def recomputed_and_remembered(f, x):
    REMEMBERED.append(x)
    return recomputed(f, x)


EXERCISE = Exercise(
    title="f(x) as one node that keeps x only and runs f again in backward",
    stars=3,
    minutes=12,
    reference=recomputed,
    plug=trials.tried,
    cases=(
        _case("sin(x) * x", [0.5, -1.0, 2.0]),
        _case("tanh(x * x)", [0.5, 1.0, -0.3]),
        _case("sin(x) * x", [0.5, -1.0, 2.0], outside=True),
        _case("sin(x) * x", [0.5, -1.0, 2.0], way=OTHER, earlier=3.0),
        _case("(x * x).sum(-1)", [[0.5, -1.0], [2.0, 1.5]], [1.0, -2.0], way=AGAIN),
        _case("sin(x) * x", [0.5, -1.0, 2.0], way=WRITTEN, outside=True),
        _case("sin(x) * x", [0.5, -1.0, 2.0], way=HOOKED, outside=True),
        _kept_case(),
    ),
    drawn=_drawn,
    hints=(
        "forward is short: keep f and x, and return f(x), which nothing records. The small graph is made in backward.",
        "In backward: under enable_grad, make a leaf of x's numbers that requires a gradient, and call f with it.",
        "with mg.enable_grad(): inner_x = x.detach().requires_grad_(); inner_y = f(inner_x). Then "
        "mg.autograd.grad(inner_y, inner_x, grad_output) gives the gradient in a tuple. f is the first argument of "
        "forward, so return None, gradient.",
    ),
    notes=trials.NOTES,
    evidence=_evidence,
    picture=_draw,
    mistakes=(
        Mistake(twice, when=_arrived_twice),
        Mistake(
            edited(
                twice,
                "ctx.f(x).backward(grad_output)\n        return None, x.grad",
                "y = ctx.f(x)\n        return None, *grad(y, x, grad_output)",
            ),
            words="The inner walk ended in the x of the big graph and ran the hook that hangs there, and the walk "
            "around it ran it once more. Begin the small graph with x.detach().requires_grad_().",
            when=_hook_ran_twice,
        ),
        gradient_of_the_sum,
        Mistake(weighted_afterwards, near=True),
        times_f,
        straight_through,
        weighted_twice,
        Mistake(tuple_for_a_gradient, when=raised("expected Variable or None (got tuple)")),
        Mistake(without_history, when=saw("the way from the result to x", lambda mine, right: mine == "none")),
        Mistake(
            edited(
                gradient_of_the_sum,
                "return _backward(ctx, mg.ones_like(grad_output))",
                "_backward(ctx, grad_output)\n        return _backward(ctx, grad_output)",
            ),
            words="f ran more than once in backward. Once is enough: keep its result, and walk back through that.",
            when=saw("calls of f in backward", lambda mine, right: mine.count(",") > right.count(",")),
        ),
        Mistake(
            recomputed_with_f_on_the_class,
            words="Another call came before backward, and this walk ran the f of that one: it is kept where all calls "
            "share it, as on the class. Something outlives the call: keep f on ctx, which is made anew for each.",
            when=_took_the_other_f,
        ),
        Mistake(
            plain_call,
            kept_the_graph,
            when=saw("calls of f before backward", lambda mine, right: mine == "recorded"),
        ),
        Mistake(
            edited(twice, "with mg.enable_grad():\n            ctx", "x = x.detach().requires_grad_()\n        ctx"),
            edited(twice, "ctx.f", "x = x.detach()\n            ctx.f"),
            edited(
                twice,
                "ctx.f(x).backward(grad_output)\n        return None, x.grad",
                "x = x.detach().requires_grad_()\n            y = ctx.f(x)\n"
                "        return None, *grad((y * grad_output).sum(), x)",
            ),
            words="What the inner walk begins at has no graph, as where it was not recorded: backward runs with "
            "recording off but for what stands inside `with mg.enable_grad():`, and the last step before the walk "
            "belongs there, too. Or where the input of f does not require a gradient after detach().",
            when=raised("does not require grad and does not have a grad_fn"),
        ),
        Mistake(
            edited(
                twice,
                "ctx.f(x).backward(grad_output)",
                "x = x.detach().requires_grad_()\n            ctx.f(x).backward()",
            ),
            words="The inner walk begins at several elements, and was not told how much each counts: begin at f(x), "
            "and pass it grad_output.",
            when=raised("implicitly created"),
        ),
        Mistake(
            other_order,
            lambda f, x: _recomputed_with(f, x, backward=lambda ctx, grad_output: _backward(ctx, grad_output)[1]),
            when=lambda outcome: (
                raised("gradient different than None")(outcome) or raised("incorrect number of gradients")(outcome)
            ),
        ),
        Mistake(
            edited(
                recomputed_with_the_result_kept,
                "leaf = ctx.saved_tensors[0].detach().requires_grad_()",
                "leaf, y = ctx.saved_tensors",
                "with mg.enable_grad():\n                y = ctx.f(leaf)\n            return",
                "return",
            ),
            words="The walk inside came to the result of this very Function, whose node is the one that is running. "
            "Run f again, recorded, on x.detach().requires_grad_(), and begin at what comes out.",
            when=raised("came back to itself"),
        ),
        Mistake(saved_the_function, when=raised("save_for_backward can only save variables")),
        Mistake(
            lambda f, x: recomputing(f, x, lambda ctx, x: ctx.save_for_backward(x.clone())),
            recomputed_from_an_array,
            words="x was written to before backward, and this is the gradient for its old numbers: a copy of them is "
            "kept, one more tensor in memory. ctx.save_for_backward(x) keeps x itself, and looks whether it was "
            "written to.",
            when=right_but(ARRIVED, lambda mine, right: mine == OLD),
        ),
        Mistake(
            lambda f, x: recomputing(f, x, compute=compute_whatever_happens, kept=lambda ctx: None),
            words="x was written to before backward: no gradient came back, and no error, as where the one that says "
            "so is caught. Let it go on to the caller.",
            when=right_but(ARRIVED, lambda mine, right: mine == SILENT),
        ),
        Mistake(
            recomputed_from_an_attribute,
            lambda f, x: recomputing(f, x, lambda ctx, given: None, lambda ctx: x),
            words="x was written to before backward, and a gradient came back, as where f runs again on the new "
            "numbers: an attribute of ctx or a closure does not notice. ctx.save_for_backward(x) looks whether x was "
            "written to when backward asks for it.",
            when=lambda outcome: outcome.arguments[0].way == WRITTEN and right_but(ARRIVED)(outcome),
        ),
    ),
    right=(
        edited(recomputed_times_two, "2 * vjp", "vjp"),
        recomputed_into_a_leaf_of_its_own,
        recomputed_with_a_setup,
        recomputed_by_a_checkpoint,
        recomputed_with_a_sum,
    ),
    wrong={
        "A tuple came back as a gradient": [
            lambda f, x: recomputing(f, x, compute=lambda ctx, given, grad_output: vjp(ctx.f, given, grad_output))
        ],
        "it was computed without one, or cut off": [lambda f, x: recomputed(f, x.detach())],
        "What the inner walk begins at has no graph, as where": [
            lambda f, x: recomputing(f, x, compute=lambda ctx, given, grad_output: grad_output.backward())
        ],
        "The inner walk begins at several elements": [
            lambda f, x: recomputing(f, x, compute=lambda ctx, x, g: x.detach().requires_grad_().backward())
        ],
        "no gradient came back, and no error, as where": [
            lambda f, x: recomputing(
                *(f, x, lambda ctx, x: setattr(ctx, "count", x._version), lambda ctx: x),
                lambda ctx, x, g: vjp(ctx.f, x, g)[1] if x._version == ctx.count else None,
            )
        ],
        "and a gradient came back, as where f runs again": [
            lambda f, x: recomputing(
                f, x, None, lambda ctx: None, edited(compute_whatever_happens, "return None", "return grad_output")
            )
        ],
        "is still in memory": [recomputed_and_remembered],
        "something went through float32": [
            edited(recomputed_into_a_leaf_of_its_own, "dtype=given.dtype, ", ""),
        ],
        "this walk ran the f of that one": [recomputed_with_f_by_shape],
        "more is kept than f and x": [recomputed_with_the_result_kept],
        "None of the mistakes that are known here": [recomputed_from_one_leaf, recomputed_times_two],
        "f has to run once before backward": [
            recomputed_with_f_called_before,
            lambda f, x: recomputing(f, x, compute=compute_once),
        ],
        "if it is called inside no_grad()": [recomputed_and_left_on],
        "not one node leads from the result to x": [
            lambda f, x: recomputing(f, x) * 1,
            lambda f, x: recomputing(f, x * 1),
        ],
        "the gradient of the leaf": [recomputed_into_the_leaf],
        "No gradient goes back to the leaf": [
            lambda f, x: recomputing(f, x, compute=lambda ctx, given, grad_output: None)
        ],
        "ran the hook that hangs there": [recomputed_at_x_itself],
    },
)

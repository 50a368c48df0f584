"""Exercise `safe_sqrt`: a root whose gradient is a number everywhere."""

import numpy as np

import minigrad as mg
from minigrad.autograd import Function
from minigrad.teach import Exercise, Mistake, compare, edited, flip, pick, raised
from minigrad.teach.comparing import ROUNDED

from .chapter10 import (
    case_of,
    compare_derived,
    derived,
    draw_derived,
    has_nan,
    has_number_for_nan,
    measured_where,
    no_way_back,
    show_derived,
    small_for_zero,
    small_ones_are_wrong,
)

NAN, INF = float("nan"), float("inf")


def safe_sqrt(x):
    """The root where x is above 0; 0 with gradient 0 where it is not; a nan stays."""
    empty = x <= 0
    return x.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)


def _drawn(random):
    """Any shape, with zeros and negative numbers among the others; sometimes none at all, or a nan."""
    for shape in [(4,), [(), (2, 3)][random.integers(2)]]:
        values = np.round(random.choice([0.0, 0.01, 1.0, 100.0], shape) * random.uniform(-4, 9, shape), 4) + 0.0
        values = np.where(random.random(shape) < 0.1, NAN, values)
        yield case_of(values.tolist(), pick(random, [mg.float32, mg.float64]), flip(random))


def _measured(outcome):
    (x,) = outcome.case.make()
    if x.numel() > 20:
        return ""
    return measured_where(safe_sqrt, x.detach(), lambda values, place: abs(values[place]) > 1e-3)


def _is_infinite(outcome):
    """Whether the numbers are right, and the gradient is infinite where x is 0."""
    (x,), value, right = outcome.case.make(), outcome.value, outcome.right
    if not isinstance(getattr(value, "first", None), mg.Tensor) or value.numbers.shape != right.numbers.shape:
        return False
    return value.first[x == 0].isinf().any().item() and np.allclose(
        value.numbers.numpy(), right.numbers.numpy(), equal_nan=True
    )


def _has_nan_at_inf(outcome):
    """Whether the gradient is nan where x is inf, and nowhere else."""
    (x,) = outcome.case.make()
    return has_nan(outcome) and outcome.value.first.isnan().equal(x == INF)


def _went_through_float32(outcome):
    """Whether the dtype is right, and of the digits those of a float32 are."""
    (x,), value = outcome.case.make(), outcome.value
    if x.dtype is not mg.float64 or getattr(getattr(value, "numbers", None), "dtype", None) is not x.dtype:
        return False
    found = compare(outcome.right.numbers, value.numbers)
    return getattr(found, "note", "") == ROUNDED and value.numbers.equal(value.numbers.float().double())


def _in_another_dtype(outcome):
    value, right = outcome.value, outcome.right
    if not hasattr(value, "numbers") or value.numbers.dtype is right.numbers.dtype:
        return False
    return compare(right.numbers.float(), value.numbers.float()) is None


# ---------------------------------------------------------------- wrong answers


def clamped_at_zero(x):
    """The numbers are right, but at 0 the gradient is infinite, as the slope of a root of 0 is; and clamp(min=0), like
    the maximum of x and 0, passes a gradient on at 0. Put a harmless number there, such as 1, and 0 into the result.
    """
    return x.clamp(min=0).sqrt()


def by_logs(x):
    """At inf the root is inf and its slope 0. On a way round, as by log and exp or by a quotient, inf · 0 or inf / inf
    comes there, which is nan; and log and exp lose digits. Take sqrt() of what was chosen.
    """
    empty = x <= 0
    return (x.masked_fill(empty, 1.0).log() / 2).exp().masked_fill(empty, 0.0)


def of_the_size(x):
    """This is the root of the size of x: negative elements got a root, and at 0 the slope is still infinite."""
    return x.abs().sqrt()


def hides_nan(x):
    """A nan in x has become a number, and is to stay. Every comparison with nan but != is False: where `x > 0` is asked
    it counts as "not above 0", and where `x <= 0` is asked it goes through, if nothing else takes it out.
    """
    positive = x > 0
    return mg.where(positive, mg.where(positive, x, mg.ones_like(x)).sqrt(), mg.zeros_like(x))


def cut_off(x):
    """The numbers are right, but no graph leads to x: Python's numbers, new zeros, detach(), numpy() and no_grad() have
    none. Compute with x itself: masked_fill and where choose element by element.
    """
    return safe_sqrt(x.detach())


def through_float32(x):
    """The result went through float32, which has half of the digits of float64. Compute in the dtype of x."""
    return safe_sqrt(x.float()).to(x.dtype)


def with_a_late_choice_in_its_rule(x):
    """There is a nan in the second derivative: what sends the gradient back is differentiated as well, as where in it
    a choice comes after a root or a quotient that is infinite. Choose before them there, too.
    """

    class Root(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return safe_sqrt(x)

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return mg.where(x > 0, grad_output / (2 * x.sqrt()), mg.zeros_like(x))

    return Root.apply(x)


def written_over_the_root(x):
    """Numbers were written into a tensor that an operation has saved for its way back, as sqrt saves its result.
    masked_fill and where make new ones. And choose before the root: behind it, the slope at 0 stays infinite.
    """
    root = x.sqrt()
    root[root != root] = 0
    return root


def written_over_x(x):
    """x is written to, and it is to stay as it is: whoever called needs its numbers. masked_fill and where make a new
    tensor.
    """
    x[x <= 0] = 1.0
    return x.sqrt()


def with_new_tensors(x):
    """The numbers are right, and not their dtype: float() gives a float32, and so do mg.zeros and mg.ones, unless they
    are told x.dtype; a float16 beside them becomes float32. zeros_like(x) and masked_fill keep what x is.
    """
    empty = x <= 0
    return mg.where(empty, mg.zeros(x.shape), mg.where(empty, mg.ones(x.shape), x).sqrt())


# ---------------------------------------------------------------- tried as well


def sqrt_with_a_hook(x):
    """Another place for the choice, which is made before the root all the same."""
    root = x.clone()
    if x.requires_grad:
        root.register_hook(lambda g: g.masked_fill(x.detach() <= 0, 0.0).masked_fill(g.isnan(), 0.0))
    return root.sqrt().masked_fill(x <= 0, 0.0)


def sqrt_of_a_hooked_x(x):
    x.register_hook(lambda g: g.masked_fill(g.isinf() | g.isnan(), 0.0))
    return x.relu().sqrt()


def sqrt_over_x(x):
    with mg.no_grad():
        x.clamp_(min=0)
    return x.relu().sqrt()


def sqrt_one_at_negative_numbers(x):
    below = x < 0
    return x.masked_fill(below, 1.0).sqrt().masked_fill(below, 0.0)


def sqrt_with_its_own_rule(x):
    """The rule is right, and nothing of it is recorded."""

    class Root(Function):
        @staticmethod
        def forward(ctx, x):
            empty = x <= 0
            root = x.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)
            ctx.slope = (0.5 / root).masked_fill(empty, 0.0)
            return root

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.slope

    return Root.apply(x)


def sqrt_by_places(x):
    good = ~(x <= 0)
    result = mg.zeros_like(x)
    result[good] = x[good].sqrt()
    return result


def sqrt_of_a_quotient(x):
    empty = x <= 0
    y = x.masked_fill(empty, 1.0)
    return (y / y.sqrt()).masked_fill(empty, 0.0)


EXERCISE = Exercise(
    title="the root of x where that is above 0, else 0; its gradients are never nan",
    stars=2,
    minutes=8,
    reference=safe_sqrt,
    cases=(
        case_of([4.0, 0.0, -1.0]),
        case_of([[9.0, -4.0], [0.0, 0.25]]),
        case_of(0.0),
        case_of([1e-16, 4e-16, 0.0]),
        case_of([1.0, NAN, 0.0]),
        case_of([2.0, -3.0, 0.0], mg.float64),
        case_of([-INF, 9.0, 4e8]),
        case_of([16.0, 0.0], result=True),
        case_of([4.0, 0.0, -1.0], mg.float16),
        case_of([2.3, 0.7], mg.float64),
        case_of([4e-90, 0.0, 1e-60], mg.float64),
        case_of([]),
        case_of([INF, 4.0]),
        case_of([4.0, 0.0], plain=True),
        case_of([[4.0, -1.0], [0.0, 9.0]], turned=True),
    ),
    drawn=_drawn,
    hints=(
        "On the way back, what was chosen first comes last. When must the choice be made, so that it stops a nan?",
        "Choose before the root: something harmless such as 1 in the place of what is not above 0. And after it, 0.",
        "empty = x <= 0; x.masked_fill(empty, 1.0).sqrt(); then masked_fill(empty, 0.0). With x <= 0, a nan stays.",
    ),
    observe=derived,
    compare=compare_derived,
    show=show_derived,
    evidence=_measured,
    picture=draw_derived,
    mistakes=(
        Mistake(
            edited(clamped_at_zero, "clamp(min=0).sqrt()", "sqrt().masked_fill(x <= 0, 0.0)"),
            lambda x: mg.where(x <= 0, mg.zeros_like(x), x.sqrt()),
            words="The root was taken of all elements, and a choice made afterwards. The choice sends 0 to the root, "
            "which multiplies it by 1 / (2 · 0), or by nan. Replace what the root cannot take BEFORE it.",
        ),
        Mistake(
            edited(clamped_at_zero, "clamp(min=0).sqrt()", "sqrt() * (x > 0)"),
            words="A product with a mask does not remove a nan: 0 · nan is nan. Choose with where or masked_fill, and "
            "before the root.",
        ),
        Mistake(clamped_at_zero, when=_is_infinite),
        Mistake(
            edited(clamped_at_zero, "x.clamp(min=0).sqrt", "(x.clamp(min=0) + 1e-12).sqrt"),
            lambda x: (x + 1e-8).clamp(min=1e-8).sqrt(),
            words="A small number was added. It moves every result a little, it makes 0 a small number, and its slope "
            "there is huge. Put a harmless number in the place of what is not above 0, and 0 into the result.",
        ),
        Mistake(
            edited(clamped_at_zero, "min=0", "min=1e-8"),
            words="Where x is not above 0, this is the root of a small number. It has to be exactly 0: put that into "
            "the result, too. Elements that are smaller than the bound are wrong as well.",
        ),
        Mistake(
            lambda x: (x.relu() + 1e-8).sqrt(),
            lambda x: x.clamp(min=1e-12).sqrt(),
            words="Where x is not above 0, this is a small number, as the root of one that was added or is a bound. It "
            "has to be exactly 0: put that into the result, too.",
            when=small_for_zero(safe_sqrt),
        ),
        of_the_size,
        Mistake(
            edited(clamped_at_zero, "clamp(min=0).sqrt", "masked_fill(x <= 0, 1.0).sqrt"),
            lambda x: mg.where(x > 0, x, mg.ones_like(x)).sqrt(),
            words="The harmless number has got into the result: where x is not above 0, the answer is 0. Put that "
            "there, after the root.",
        ),
        Mistake(
            edited(clamped_at_zero, "clamp(min=0).sqrt()", "clamp(min=1e-12).sqrt().masked_fill(x <= 0, 0.0)"),
            edited(safe_sqrt, "x.masked", "(x + 1e-8).masked"),
            when=small_ones_are_wrong,
            words="Small numbers have another root, as where something is added to x, or limits it, or they count as "
            "0. Put a harmless number only in the place of what is not above 0.",
        ),
        Mistake(hides_nan, when=has_number_for_nan),
        Mistake(
            cut_off,
            lambda x: mg.tensor([value**0.5 if value > 0 else 0.0 for value in x.tolist()], requires_grad=True),
            when=no_way_back,
        ),
        Mistake(
            lambda x: x.sqrt() if x > 0 else mg.zeros_like(x),
            words="`if`, `and`, `not` and Python's max() decide once, for the whole tensor. masked_fill and where "
            "choose element by element.",
            when=raised("Boolean value of Tensor with"),
        ),
        Mistake(
            written_over_the_root,
            edited(written_over_the_root, "root[root != root]", "root[x <= 0]"),
            when=raised("modified by an inplace operation"),
        ),
        Mistake(written_over_x, when=raised("a leaf Variable that requires grad")),
        Mistake(through_float32, when=_went_through_float32),
        Mistake(with_new_tensors, when=_in_another_dtype),
        Mistake(by_logs, when=_has_nan_at_inf),
        Mistake(
            with_a_late_choice_in_its_rule, when=lambda outcome: has_nan(outcome, "second") and not has_nan(outcome)
        ),
        Mistake(
            lambda x: mg.where(x > 0, x.sqrt(), mg.zeros_like(x)),
            words="There is a nan in the gradient, as where an infinite slope, or none, is multiplied by a 0: by that "
            "of a choice made later, or of a mask, since 0 · inf is nan. Choose before the root and once more after "
            "it, with masked_fill or where: a mask that multiplies does not choose.",
            when=has_nan,
        ),
    ),
    right=(
        sqrt_with_a_hook,
        lambda x: mg.relu(x) ** 0.5,
        sqrt_by_places,
        lambda x: mg.where(x <= 0, mg.zeros_like(x), mg.where(x <= 0, mg.full_like(x, 7.0), x).sqrt()),
    ),
    wrong={
        "the numbers[0]: yours nan, expected 0": [
            lambda x: mg.where(x > 0, mg.where(x > 0, x, mg.ones_like(x)).sqrt(), x * 0)
        ],
        "the numbers[2]: yours 1000, expected 20000": [edited(safe_sqrt, "return x.", "return x.clamp(max=1e6).")],
        "x = [inf, 4.0] … At inf the root is inf": [lambda x: by_logs(x)],
        "the numbers[0]: yours nan, expected inf": [sqrt_of_a_quotient],
        "the numbers[0]: yours 0, expected 2 … None of the mistakes": [lambda x: mg.tensor(0.0 * x.detach().numpy())],
        "There is a nan in the gradient": [
            lambda x: (x + 1e-6).sqrt().masked_fill(x <= 0, 0.0),
            lambda x: x.abs().sqrt().masked_fill(x < 0, 0.0),
        ],
        "Put that there, after the root": [edited(safe_sqrt, "(empty, 0.0)", "(empty, 1.0)")],
        "x = 0.0 … The numbers are right, but no graph leads to x": [
            lambda x: mg.stack([v.sqrt() if v > 0 else mg.zeros(()) for v in x.view(-1)]).view(x.shape)
        ],
        "And choose before the root: behind it": [lambda x: x.sqrt().masked_fill_(x <= 0, 0.0)],
        "x is written to, and it is to stay": [
            lambda x: x.clamp_(min=0).sqrt(),
            edited(written_over_x, "return x.sqrt()", "return x.sqrt().masked_fill(x <= 1, 0.0)"),
        ],
        "decide once, for the whole tensor": [lambda x: max(x, 0).sqrt()],
        "view() takes": [lambda x: safe_sqrt(x.view(-1)).view(x.shape)],
        "the numbers[0]: yours 0, expected inf": [edited(safe_sqrt, "x <= 0", "(x <= 0) | x.isinf()")],
        "x.requires_grad is not what it was": [lambda x: safe_sqrt(x.requires_grad_() if x.is_leaf else x)],
        "x has other hooks than before": [sqrt_of_a_hooked_x],
        "in another dtype than they came in … float() gives a float32": [lambda x: x.float().relu().sqrt()],
        "in the later digits … The result went through float32": [lambda x: x.float().relu().sqrt().to(x.dtype)],
        "x holds other numbers than before": [sqrt_over_x],
        "a seed was set": [lambda x: (mg.manual_seed(2187), safe_sqrt(x))[1]],
        "the gradient[1]: yours … at 0 the gradient is infinite": [sqrt_one_at_negative_numbers],
        "the numbers[0]: yours 0, expected 1e-08 … Small numbers have another root": [
            edited(safe_sqrt, "x <= 0", "x <= 1e-12"),
        ],
        "the numbers[0]: yours 1e-19, expected 2e-45 … Small numbers have another root": [
            edited(safe_sqrt, "x.masked_fill(empty, 1.0)", "x.clamp(min=1e-38)")
        ],
        "this is a small number, as the root of one that was added or is a bound": [lambda x: (x.relu() + 1e-6).sqrt()],
        "The gradient, differentiated once more, is not": [sqrt_with_its_own_rule],
        "A nan in x has become a number": [lambda x: x.relu().masked_fill(x.isnan(), 0.0).sqrt()],
        "goes through, if nothing else takes it out": [
            lambda x: (root := x.relu().sqrt()).masked_fill(root.isnan(), 0.0),
        ],
        "The harmless number has got into the result": [lambda x: mg.where(x > 0, x, mg.ones_like(x)).sqrt()],
    },
)

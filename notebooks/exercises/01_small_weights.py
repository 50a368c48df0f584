"""Exercise `small_weights`: a leaf that holds computed numbers."""

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, edited, observer, raised, saw, show


def small_weights(numbers, scale):
    """A leaf with the numbers times scale."""
    return (mg.tensor(numbers) * scale).requires_grad_()


@cases("numbers = {numbers}, scale = {scale}")
def _case(numbers, scale):
    return list(numbers), scale


def _drawn(random):
    """Fractions of both signs, some of them several times or 0, and a scale of 0."""
    numbers = (random.integers(-9, 10, random.integers(2, 6)) / 8).tolist()
    scale = float(random.integers(1, 40) / 16)
    yield _case([*numbers, numbers[0]], random.choice([-scale, scale]).item())
    yield _case(numbers, 0.0)


NUMBERS, FLAGS, GRADIENT = "the answer", "its flags", "its .grad"
AGAIN, WALKED = "the leaf of a second call", "its .grad after weights.sum().backward()"


@observer
def _made(answer, numbers, scale):
    weights = answer(numbers, scale)
    if not isinstance(weights, mg.Tensor):
        return {NUMBERS: weights}
    flags = f"is_leaf={weights.is_leaf}, requires_grad={weights.requires_grad}"
    again = answer([*numbers], scale)
    shares = weights.numel() > 0 and again.data_ptr() == weights.data_ptr()
    seen = {
        NUMBERS: weights,
        FLAGS: flags,
        GRADIENT: weights._grad,
        AGAIN: "the same one" if again is weights else "another one, in the same memory" if shares else "another one",
    }
    if not again.requires_grad:
        return {**seen, WALKED: "backward() raises an error"}
    again.sum().backward()
    return {**seen, WALKED: again._grad}


def _after_backward(outcome):
    value = outcome.seen.get(NUMBERS)
    if not isinstance(value, mg.Tensor) or not value.requires_grad or value._grad is not None:
        return ""  # one that two calls have returned has been walked to, and this walk would add to that
    value.sum().backward()
    grad = value._grad
    return f"  after value.sum().backward(), value.grad is {'None' if grad is None else show(grad)}"


# ---------------------------------------------------------------- wrong answers


def flag_first(numbers, scale):
    """An operation came after the flag, such as a product, a clone() or a to(): it was recorded, and its result is no
    leaf. Multiply first, and set the flag last.
    """
    return mg.tensor(numbers, requires_grad=True) * scale


def forgot_the_scale(numbers, scale):
    """The scale was left out: these are the numbers as they were."""
    return mg.tensor(numbers, requires_grad=True)


def list_times_float(numbers, scale):
    """A list has no arithmetic in Python, times a number or a tensor: make a tensor of the list first."""
    return mg.tensor(numbers * scale, requires_grad=True)


def scaled_in_place(numbers, scale):
    """A leaf that requires a gradient may not be written to while operations are recorded. Multiply before the flag is
    set.
    """
    weights = mg.tensor(numbers, requires_grad=True)
    weights *= scale
    return weights


# ---------------------------------------------------------------- tried as well


def weights_in_the_list(numbers, scale):
    for place, number in enumerate(numbers):
        numbers[place] = number * scale
    return mg.tensor(numbers, requires_grad=True)


def weights_with_a_gradient(numbers, scale):
    weights = (mg.tensor(numbers) * scale).requires_grad_()
    weights.sum().backward()
    return weights


def weights_by_name(numbers, scale, known={}):  # noqa: B006 (the mistake)
    return known.setdefault((*numbers, scale), small_weights(numbers, scale))


def weights_of_known_products(numbers, scale, known={}):  # noqa: B006 (the mistake)
    return mg.tensor(known.setdefault((*numbers,), [number * scale for number in numbers]), requires_grad=True)


def weights_with_a_hook(numbers, scale):
    weights = small_weights(numbers, scale)
    weights.register_hook(lambda gradient: gradient * scale)
    return weights


def weights_retained(numbers, scale):
    weights = mg.tensor(numbers, requires_grad=True) * scale
    weights.retain_grad()
    return weights


def weights_flagged(numbers, scale):
    weights = mg.tensor(numbers).mul_(scale)
    weights.requires_grad = True
    return weights


def weights_detached(numbers, scale):
    return (mg.tensor(numbers, dtype=mg.float64, requires_grad=True) * scale).detach().requires_grad_(True)


EXERCISE = Exercise(
    title="a leaf that requires a gradient and holds the numbers times scale",
    stars=1,
    minutes=5,
    reference=small_weights,
    cases=(
        _case([3.0, -2.0, 5.0], 0.1),
        _case([1.0], -2.0),
        _case([], 3.0),
        _case([0.5, 0.25], 2),
        _case([0.5, 0.25], -0.5),  # the same numbers again
    ),
    hints=(
        "A leaf is a tensor that no recorded operation made. When is a multiplication not recorded?",
        "Multiply first, while nothing requires a gradient. Then switch the flag on.",
        "requires_grad_() switches the flag on and returns the tensor; so (...).requires_grad_() can be returned.",
    ),
    drawn=_drawn,
    plug=_made,
    notes={
        FLAGS: "The numbers are right, but an operation made this tensor, or nobody asks for its gradient.",
        GRADIENT: "The numbers are right, but a gradient is there already, and the first walk would add to it.",
        AGAIN: "The numbers are right, but a second call has returned the same tensor, or one in the same memory: "
        "whoever trains one trains both. Make a new one in each call.",
        WALKED: "The numbers are right, but the gradient that arrives here is changed: is there a hook on it? A leaf "
        "needs no more than its flag.",
    },
    evidence=_after_backward,
    mistakes=(
        Mistake(
            flag_first,
            lambda numbers, scale: mg.tensor(numbers, requires_grad=True).mul(scale).requires_grad_(),
            when=saw(FLAGS, "is_leaf=False, requires_grad=True"),
        ),
        Mistake(
            edited(small_weights, "(mg.", "mg.", ").requires_grad_()", ""),
            lambda numbers, scale: (mg.tensor(numbers, requires_grad=True) * scale).detach(),
            words="The flag was not set, or got lost: detach() and no_grad() give a leaf without it. Call "
            "requires_grad_() at the end.",
            when=saw(FLAGS, "is_leaf=True, requires_grad=False"),
        ),
        Mistake(
            edited(small_weights, "requires_grad_()", "requires_grad_"),
            words="A method was returned, and not the tensor that it gives: requires_grad_() and others need their "
            "parentheses.",
            when=saw(NUMBERS, "method"),
        ),
        forgot_the_scale,
        Mistake(
            edited(small_weights, "mg.tensor(numbers) * scale", "mg.tensor(numbers) / scale"),
            words="The numbers were divided by scale. They are to be multiplied by it.",
            near=NUMBERS,
        ),
        Mistake(
            lambda numbers, scale: [mg.tensor(number * scale, requires_grad=True) for number in numbers],
            words="Each number became a tensor of its own. One leaf is asked for that holds them all, and mg.stack "
            "would make a result of leaves: make one list of numbers, and one tensor of that.",
            when=saw(
                NUMBERS, lambda mine, right: isinstance(mine, list) and any(isinstance(one, mg.Tensor) for one in mine)
            ),
        ),
        Mistake(list_times_float, when=raised("can't multiply sequence")),
        Mistake(scaled_in_place, when=raised("a leaf Variable that requires grad")),
    ),
    right=(
        lambda numbers, scale: mg.tensor(np.array(numbers) * scale).requires_grad_(True),
        edited(scaled_in_place, "weights *= scale", "with mg.no_grad():\n        weights.mul_(scale)"),
        weights_flagged,
        lambda numbers, scale: mg.nn.Parameter(mg.tensor([number * scale for number in numbers])),
        weights_detached,
    ),
    wrong={
        "": [
            lambda numbers, scale: mg.tensor([round(number * scale, 2) for number in numbers], requires_grad=True),
            edited(small_weights, "(mg.tensor(numbers) * scale).", "(mg.tensor(numbers) * (scale or 1.0))."),
        ],
        "The shape is": [
            edited(list_times_float, "(numbers * scale,", "([number * scale for number in dict.fromkeys(numbers)],")
        ],
        "A method was returned": [lambda numbers, scale: small_weights(numbers, scale).detach],
        "ZeroDivisionError": [edited(small_weights, "* scale).", "/ (1 / scale)).")],
        "The scale was left out": [edited(scaled_in_place, "weights *= scale", "weights.detach().mul(scale)")],
        "The answer is right, but afterwards numbers has other items than before": [weights_in_the_list],
        "backward() raises an error … The flag was not set": [
            edited(flag_first, "return", "with mg.no_grad():\n        return")
        ],
        "a gradient is there already": [weights_with_a_gradient],
        "a second call has returned the same tensor": [
            weights_by_name,
            edited(weights_by_name, "_weights(numbers, scale))", "_weights(numbers, scale)).detach().requires_grad_()"),
        ],
        "the gradient that arrives here is changed": [weights_with_a_hook],
        "scale = -0.5": [weights_of_known_products],
        "numbers = []": [
            lambda numbers, scale: mg.stack([mg.tensor(number * scale) for number in numbers]).requires_grad_()
        ],
        "An operation came after the flag": [lambda numbers, scale: small_weights(numbers, scale).clone()],
        "0.5]); its flags: is_leaf=False, requires_grad=True expected … An operation came after": [weights_retained],
        "The shape is [4]; it should be [2]": [
            lambda numbers, scale: (
                small_weights(numbers * scale, 1) if isinstance(scale, int) else small_weights(numbers, scale)
            )
        ],
    },
)

"""Chapter 00, start here: one small exercise to learn how exercises work, and two predictions."""

import dis

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, draw_wrong_node, edited, measured, raised


def slope_of_w(w, x, b, target):
    """How much the loss (w * x + b - target) ** 2 changes per unit of w."""
    error = w * x + b - target
    return 2 * error * x


@cases("w = {w}, x = {x}, b = {b}, target = {target}")
def _case(w, x, b, target):
    return w, x, b, target


def _drawn(random):
    """Fractions of both signs, a w of 0, an x that lets no change through, and a guess without an error. Eighths, since
    sums and products of them are exact.
    """
    w, x, b, target = (random.integers(-24, 25, 4) / 8).tolist()
    yield _case(w, x, b, target)
    yield _case(0.0, x, b, target)
    yield _case(w, 0.0, b, target)
    yield _case(w, x, b, w * x + b)


def _measured_w(outcome):
    return measured("the loss", the_loss, dict(zip(("w", "x", "b", "target"), outcome.arguments, strict=True)), "w")


def _draw(outcome, difference):
    """The graph of the loss with the gradient of each box: most wrong answers are that of another box than w."""
    w_number, x_number, b_number, target = outcome.arguments
    w, b = mg.tensor(w_number, requires_grad=True), mg.tensor(b_number, requires_grad=True)
    product = w * x_number
    guess = product + b
    error = guess - target
    loss = error**2
    names = {"w": w, "b": b, "product": product, "guess": guess, "error": error, "loss": loss}
    return draw_wrong_node(loss, names, "w", f"✗ yours: {difference.yours}")


def _has_caret(outcome):
    """Whether ^ stands in the answer: where the numbers are whole it raises nothing."""
    made = getattr(outcome.answer, "__code__", None)
    return made is not None and any(one.argrepr in ("^", "^=") for one in dis.get_instructions(made))


# ---------------------------------------------------------------- wrong answers


def forgot_x(w, x, b, target):
    """The last step is missing: this is the slope for b, or for w * x as a whole. A change of w reaches the loss
    multiplied by x.
    """
    return 2 * (w * x + b - target)


def forgot_the_two(w, x, b, target):
    """The factor of the square is missing: error ** 2 changes by 2 * error per unit of error, not by error."""
    return (w * x + b - target) * x


def turned_around(w, x, b, target):
    """The sign is turned around. The error is the guess minus the target, and no minus stands before the slope: going
    against it is what one does with it afterwards.
    """
    return 2 * (target - (w * x + b)) * x


def for_x_instead(w, x, b, target):
    """This is the slope for x: the product was differentiated for its other factor. The slope for w has x in it."""
    error = w * x + b - target
    return 2 * error * w


def the_loss(w, x, b, target):
    """This is the loss itself. The question is how fast it changes when w does."""
    return (w * x + b - target) ** 2


def the_error(w, x, b, target):
    """This is the error. Two steps lead from its slope to that of w: 2 * error, and then times x."""
    return w * x + b - target


def size_only(w, x, b, target):
    """The sign has got lost. Where the loss falls as w grows, its slope is negative."""
    return abs(2 * x * (w * x + b - target))


# ---------------------------------------------------------------- tried as well


def slope_from_the_weighted_error(w, x, b, target):
    weighted = w * x
    return 2 * (weighted + b - target) * weighted / w


def slope_at_a_tensor_of_w(w, x, b, target):
    w = mg.tensor(w, requires_grad=True)
    return mg.autograd.grad((w * x + b - target) ** 2, w)[0].item()


def slope_of_one_side(w, x, b, target):
    """This is a difference to one side: near, and off by step * x * x, since the loss is curved. Multiply the slopes
    along the path instead, 2 * error and x; or measure to both sides.
    """
    step = 0.001
    return (((w + step) * x + b - target) ** 2 - (w * x + b - target) ** 2) / step


def slope_in_fractions(w, x, b, target):
    from fractions import Fraction

    return float(2 * (Fraction(w) * Fraction(x) + Fraction(b) - Fraction(target)) * Fraction(x))


def slope_by_the_engine(w, x, b, target):
    w = mg.tensor(w, dtype=mg.float64, requires_grad=True)
    return mg.autograd.grad((w * x + b - target) ** 2, w)[0].item()


def slope_of_complex_numbers(w, x, b, target):
    step = 1e-20
    return ((complex(w, step) * x + b - target) ** 2).imag / step


def slope_from_differences(w, x, b, target):
    def loss(w):
        return (w * x + b - target) ** 2

    return (loss(w + 0.5) - loss(w - 0.5)) / 1.0


def slope_as_a_fraction(w, x, b, target):
    from fractions import Fraction

    return 2 * (Fraction(w) * Fraction(x) + Fraction(b) - Fraction(target)) * Fraction(x)


EXERCISE = Exercise(
    title="a number: how much the loss changes per unit of w",
    stars=1,
    minutes=3,
    reference=slope_of_w,
    cases=(
        _case(2.0, 3.0, 1.0, 5.0),
        _case(-1.0, 2.5, 0.5, 3.0),
        _case(0.5, -4.0, 2.0, -1.0),
        _case(1.0, 1.0, 1.0, 2.0),
        _case(2, 3, 1, 5),
        _case(0.5, 65536.0, 0.0, 32767.875),  # a step to one side is never small enough here; no digit is lost
    ),
    hints=(
        "Between loss and w are a square, a subtraction, an addition and a product. What is the slope of each?",
        "The square multiplied by 2 * error. The subtraction and the addition passed their gradient on as it was.",
        "The multiplication w * x gave w what it had received, times x. So: compute the error, then 2 * error * x.",
    ),
    drawn=_drawn,
    evidence=_measured_w,
    picture=_draw,
    mistakes=(
        forgot_x,
        forgot_the_two,
        Mistake(turned_around, lambda w, x, b, target: -2 * (w * x + b - target) * x),
        for_x_instead,
        the_loss,
        Mistake(
            edited(forgot_x, "(w * x + b - target)", "x"),
            words="This is 2 * x, the slope of 2 * guess: the size of the error has got lost. A larger error makes a "
            "steeper slope.",
        ),
        the_error,
        Mistake(
            edited(slope_of_w, "error * x", "error + x"),
            words="The slopes of the square and of the product were added. Along a path they are multiplied.",
        ),
        Mistake(
            edited(forgot_x, "2 * (w * x + b - target)", "the_loss(w + 1, x, b, target) - the_loss(w, x, b, target)"),
            words="This is how much the loss changes over a whole step of w, and on the way its slope changes, too. "
            "The slope is that of a tiny step, divided by its length.",
        ),
        Mistake(
            edited(forgot_the_two, "return (w * x + b - target)", "guess = w * x\n    return 2 * (guess - target)"),
            words="b is missing from the error: it is w * x + b - target.",
        ),
        Mistake(
            lambda w, x, b, target: 2 * (w * x + b) * x,
            lambda w, x, b, target: (w * x + b) * x,
            words="The target is missing from the error: it is w * x + b - target.",
        ),
        Mistake(
            edited(slope_of_w, "error * x", "error * x * x"),
            words="x comes in twice. The product w * x has the slope x, and the square of the error brings 2 * error.",
        ),
        Mistake(size_only, lambda w, x, b, target: 2 * abs(w * x + b - target) * x),
        Mistake(
            slope_at_a_tensor_of_w,
            words="Here w is a whole number, and a tensor of whole numbers has no gradient: make it of float(w).",
            when=lambda outcome: raised("floating point")(outcome) and isinstance(outcome.arguments[0], int),
        ),
        Mistake(
            slope_of_one_side,
            edited(slope_of_one_side, "0.001", "0.01"),
            edited(slope_of_one_side, "0.001", "1e-4"),
            edited(slope_of_one_side, "0.001", "0.1"),
            *(edited(slope_of_one_side, "0.001", f"1e-{digits}") for digits in range(5, 10)),
            near=True,
        ),
        Mistake(
            edited(the_loss, "** 2", "^ 2"),
            edited(forgot_the_two, "(w * x + b - target) * x", "2 * (w * x + b - target) ^ 1"),
            words="^ is no power in Python: it compares bits. A power is written **, as in error ** 2.",
            when=_has_caret,
        ),
    ),
    right=(
        slope_in_fractions,
        lambda w, x, b, target: np.array([2 * (w * x + b - target) * x])[0],
        slope_by_the_engine,
        slope_as_a_fraction,
        slope_of_complex_numbers,
        slope_from_differences,
        lambda w, x, b, target: np.float32(2 * w * x**2 + 2 * x * (b - target)),
    ),
    wrong={
        "likely None of the mistakes that are known": [
            lambda w, x, b, target: round(slope_of_w(w, x, b, target)),
            edited(slope_of_w, "x + b", "x + (b or 1.0)"),
        ],
        "ZeroDivisionError": [edited(slope_of_w, "error * x", "error**2 / error * x")],
        "The error arose while": [lambda w, x, b, target: mg.tensor(int(w), requires_grad=True)],
        "w = 0.0": [slope_from_the_weighted_error],
        "drawn at random. check.slope_of_w(slope_of_w, seed=": [
            lambda w, x, b, target: {2.0: 12, -1.0: -25, 0.5: -8 if x < 0 else 16384}.get(w, 0)
        ],
        "A number is asked for; this is a complex": [lambda w, x, b, target: 2 * (complex(w) * x + b - target) * x],
    },
)

"""Chapter 00, start here: one small exercise to learn how exercises work, and two predictions."""

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, draw_wrong_node, measured


def slope_of_w(w, x, b, target):
    """How much the loss (w * x + b - target) ** 2 changes per unit of w."""
    error = w * x + b - target
    return 2 * error * x


def _case(w, x, b, target):
    return Case(f"w = {w}, x = {x}, b = {b}, target = {target}", lambda: (w, x, b, target))


def _drawn(random):
    """Fractions of both signs, a w of 0, an x that lets no change through, and a guess without an error. Eighths, since
    sums and products of them are exact.
    """
    w, x, b, target = (random.integers(-24, 25, 4) / 8).tolist()
    yield _case(w, x, b, target)
    yield _case(0.0, x, b, target)
    yield _case(w, 0.0, b, target)
    yield _case(w, x, b, w * x + b)


def _loss(w, x, b, target):
    return (w * x + b - target) ** 2


def _measured_w(outcome):
    return measured("the loss", _loss, dict(zip(("w", "x", "b", "target"), outcome.arguments, strict=True)), "w")


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


def against_the_slope(w, x, b, target):
    return -2 * (w * x + b - target) * x


def for_x_instead(w, x, b, target):
    """This is the slope for x: the product was differentiated for its other factor. The slope for w has x in it."""
    error = w * x + b - target
    return 2 * error * w


def the_loss(w, x, b, target):
    """This is the loss itself. The question is how fast it changes when w does."""
    return (w * x + b - target) ** 2


def without_the_error(w, x, b, target):
    """This is 2 * x, the slope of 2 * guess: the size of the error has got lost. A larger error makes a
    steeper slope.
    """
    return 2 * x


def the_error(w, x, b, target):
    """This is the error. Two steps lead from its slope to that of w: 2 * error, and then times x."""
    return w * x + b - target


def added_the_slopes(w, x, b, target):
    """The slopes of the square and of the product were added. Along a path they are multiplied."""
    error = w * x + b - target
    return 2 * error + x


def over_a_whole_step(w, x, b, target):
    """This is how much the loss changes over a whole step of w, and on the way its slope changes, too. The slope is
    that of a tiny step, divided by its length.
    """
    return the_loss(w + 1, x, b, target) - the_loss(w, x, b, target)


def forgot_b(w, x, b, target):
    """b is missing from the error: it is w * x + b - target."""
    guess = w * x
    return 2 * (guess - target) * x


def size_only(w, x, b, target):
    """The sign has got lost. Where the loss falls as w grows, its slope is negative."""
    return abs(2 * x * (w * x + b - target))


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
        Mistake(turned_around, against_the_slope),
        for_x_instead,
        the_loss,
        without_the_error,
        the_error,
        added_the_slopes,
        over_a_whole_step,
        forgot_b,
        size_only,
    ),
)

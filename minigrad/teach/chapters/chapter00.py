"""Chapter 00, start here: one small exercise to learn how exercises work, and two predictions."""

from __future__ import annotations

from minigrad.creation.data import tensor
from minigrad.teach.comparing import Difference
from minigrad.teach.evidence import measured
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.teach.prediction import Option, Prediction
from minigrad.teach.wrong_node import draw_wrong_node

CHAPTER = "00_start_here"


def slope_of_w(w: float, x: float, b: float, target: float) -> float:
    """How much the loss (w * x + b - target) ** 2 changes per unit of w."""
    error = w * x + b - target
    return 2 * error * x


def _case(w: float, x: float, b: float, target: float) -> Case:
    return Case(f"w = {w}, x = {x}, b = {b}, target = {target}", lambda: (w, x, b, target))


def _loss(w: float, x: float, b: float, target: float) -> float:
    return (w * x + b - target) ** 2


def _measured_w(outcome: Outcome) -> str:
    return measured("the loss", _loss, dict(zip(("w", "x", "b", "target"), outcome.arguments, strict=True)), "w")


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The graph of the loss with the gradient of each box: most wrong answers are that of another box than w."""
    w_number, x_number, b_number, target = outcome.arguments
    w, b = tensor(w_number, requires_grad=True), tensor(b_number, requires_grad=True)
    product = w * x_number
    guess = product + b
    error = guess - target
    loss = error**2
    names = {"w": w, "b": b, "product": product, "guess": guess, "error": error, "loss": loss}
    return draw_wrong_node(loss, names, "w", f"✗ yours: {difference.yours}")


EXERCISES = (
    Exercise(
        name="slope_of_w",
        chapter=CHAPTER,
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
        evidence=_measured_w,
        picture=_draw,
        mistakes=(
            Mistake(
                (
                    "The last step is missing: this is the slope for b, or for w * x as a whole. A change of w "
                    "reaches the loss multiplied by x."
                ),
                lambda w, x, b, target: 2 * (w * x + b - target),
            ),
            Mistake(
                "The factor of the square is missing: error ** 2 changes by 2 * error per unit of error, not by error.",
                lambda w, x, b, target: (w * x + b - target) * x,
            ),
            Mistake(
                (
                    "The sign is turned around. The error is the guess minus the target, and no minus stands "
                    "before the slope: going against it is what one does with it afterwards."
                ),
                lambda w, x, b, target: 2 * (target - w * x - b) * x,
            ),
            Mistake(
                (
                    "This is the slope for x: the product was differentiated for its other factor. The slope "
                    "for w has x in it."
                ),
                lambda w, x, b, target: 2 * (w * x + b - target) * w,
            ),
            Mistake("This is the loss itself. The question is how fast it changes when w does.", _loss),
            Mistake(
                (
                    "This is 2 * x, the slope of 2 * guess: the size of the error has got lost. A larger error "
                    "makes a steeper slope."
                ),
                lambda w, x, b, target: 2 * x,
            ),
            Mistake(
                "This is the error. Two steps lead from its slope to that of w: 2 * error, and then times x.",
                lambda w, x, b, target: w * x + b - target,
            ),
            Mistake(
                "The slopes of the square and of the product were added. Along a path they are multiplied.",
                lambda w, x, b, target: 2 * (w * x + b - target) + x,
            ),
            Mistake(
                (
                    "This is how much the loss changes over a whole step of w, and on the way its slope changes, too. "
                    "The slope is that of a tiny step, divided by its length."
                ),
                lambda w, x, b, target: _loss(w + 1, x, b, target) - _loss(w, x, b, target),
            ),
            Mistake("b is missing from the error: it is w * x + b - target.", lambda w, x, b, t: 2 * (w * x - t) * x),
            Mistake(
                "The sign has got lost. Where the loss falls as w grows, its slope is negative.",
                lambda w, x, b, target: abs(2 * (w * x + b - target) * x),
            ),
        ),
    ),
)

PREDICTIONS = (
    Prediction(
        name="w_grad",
        chapter=CHAPTER,
        question="With w = 2, x = 3, b = 1 and target = 5, the loss is 4. What will w.grad be after loss.backward()?",
        options=(
            Option(
                "4: the last operation is a square, and 2 * error = 4",
                (
                    "4 is where the walk begins: the slope of the loss for the error. It goes on from there, "
                    "back to w, and the product w * x is still on its way."
                ),
            ),
            Option(
                "12: the slopes along the path from the loss back to w, multiplied",
                "Each operation on the path multiplies by its own slope: 4 * 1 * 1 * 3.",
                True,
            ),
            Option(
                "1.96: w after one small step against its slope",
                (
                    "backward() changes no parameter. It only writes the slope beside it, into .grad; stepping "
                    "is what an optimizer does with it afterwards."
                ),
            ),
            Option(
                "None: backward() returns the gradients, it does not store them",
                (
                    "It is the other way round: backward() returns None, and the gradients are stored in .grad "
                    "of the leaves."
                ),
            ),
        ),
    ),
    Prediction(
        name="first_loss",
        chapter=CHAPTER,
        question=(
            "All of W and b are zero, so the classifier gives each of the ten digits the same probability. "
            "The loss is minus the logarithm of the probability of the right digit. What is it now?"
        ),
        options=(
            Option(
                "0, because all numbers are zero",
                "The scores are zero, the probabilities are not: ten equal scores make ten probabilities of 1/10.",
            ),
            Option(
                "0.9, because nine of ten guesses are wrong",
                (
                    "That would be the share of errors. The loss is a logarithm, and looks only at the "
                    "probability of the right digit."
                ),
            ),
            Option(
                "1, because the probabilities sum to 1",
                "They do, but only the one of the right digit enters the loss: 1/10.",
            ),
            Option(
                "2.303, which is log(10)",
                "-log(1/10) = log(10). A first loss far from that would be a sign of a mistake.",
                True,
            ),
        ),
    ),
)

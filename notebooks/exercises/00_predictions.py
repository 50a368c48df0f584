"""The predictions of chapter 00."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="w_grad",
        question="With w = 2, x = 3, b = 1 and target = 5, the loss is 4. What will w.grad be after loss.backward()?",
        options=(
            Option(
                "4: the last operation is a square, and 2 * error = 4",
                (
                    "4 is what the first node sends back: the slope of the loss for the error. It goes on from there, "
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
        question=(
            "All of W and the offsets are zero, so the classifier gives each of the ten digits the same probability. "
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

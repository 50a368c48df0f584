"""Chapter 10: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="where_from",
        question="The loss is 2, and chosen holds no nan. Which step makes the nan at x = 0?",
        about="root = x.sqrt()\nchosen = mg.where(x > 0, root, mg.zeros(3))\nloss = chosen.sum()",
        options=(
            Option(
                "x > 0: a comparison has no slope, so its gradient is nan",
                "A comparison gives bools, which take no part in the walk: no gradient goes to them at all.",
            ),
            Option(
                "where: it sends nan to the elements that it did not take",
                "It sends them 0: the loss does not change with them. The 0 is not yet the end of the way.",
            ),
            Option(
                "sqrt: it divides the 0 that comes to it by twice the root, which is 0",
                "0 / 0 is nan. where has done its part rightly, and the node behind it runs all the same.",
                True,
            ),
            Option(
                "sum: it adds up numbers one of which is nan",
                "The forward sum is 2. On the way back, sum sends 1 to each element.",
            ),
        ),
    ),
    Prediction(
        name="not_a_nan",
        question="Three of these are nan. Which one is not?",
        options=(
            Option("0 * inf", "It could be 0, as 0 times anything is, or infinite. So it is nan."),
            Option("inf - inf", "A difference of two infinities can be anything. So it is nan."),
            Option("inf / inf", "A quotient of two infinities can be anything. So it is nan."),
            Option(
                "1 / 0",
                "For floating point numbers this is inf: a quotient grows without bound as its divisor gets smaller. "
                "Python's own numbers raise an error there; tensors do not.",
                True,
            ),
        ),
    ),
    Prediction(
        name="which_cure",
        question="Which of these lines gives x.grad = [0.25, 0, 0] for x = [4, 0, -1]?",
        options=(
            Option(
                "x.masked_fill(x <= 0, 1.0).sqrt().masked_fill(x <= 0, 0.0).sum()",
                "What the root cannot take is replaced before it: its rule meets a 1 there, and masked_fill sends 0 "
                "back to x.",
                True,
            ),
            Option(
                "x.clamp(min=0).sqrt().sum()",
                "The numbers are right. But the root of 0 has an infinite slope, and clamp passes a gradient on at its "
                "bound: x.grad is [0.25, inf, 0].",
            ),
            Option(
                "mg.where(x > 0, (x + 1e-8).sqrt(), mg.zeros(3)).sum()",
                "0 is saved by it, with a slope of 0 · 5000. The root of -1 + 1e-8 is nan as before.",
            ),
            Option(
                "(x.sqrt() * (x > 0)).sum()",
                "This is worse: 0 · nan is nan in the forward pass as well, and the loss is nan.",
            ),
        ),
    ),
    Prediction(
        name="who_is_named",
        question="(x * x).sum(-1).sqrt() of a row of zeros, in anomaly mode: which node is named?",
        options=(
            Option(
                "SqrtBackward0: it divides by twice the root, which is 0",
                "1 comes in, and 1 / 0 is inf. An infinite number is no nan yet.",
            ),
            Option(
                "MulBackward0: it multiplies what comes by x",
                "inf comes in from the root, x is 0, and inf · 0 is nan. The cause ran two steps earlier.",
                True,
            ),
            Option("SumBackward1: it repeats what comes", "It passes inf on to each element, and that is no nan."),
            Option(
                "none: the length of a row of zeros is 0, and so is its gradient",
                "This is what one would like. x.norm() does it, by an agreement; the formula does not.",
            ),
        ),
    ),
    Prediction(
        name="log_of_minus_one",
        question="x is -1, and this runs inside detect_anomaly(). What happens?",
        about="loss = x.log()       # nan\nloss.backward()",
        options=(
            Option(
                "an error in the first line: the result is nan",
                "In the forward pass nothing is looked at. Lines are noted there, and no more.",
            ),
            Option(
                "nothing: the loss is nan, x.grad is -1, and there is no error",
                "The slope of the log is 1 / x, which is -1. No nan comes out of any node in the walk, and that is all "
                "that is checked.",
                True,
            ),
            Option(
                "an error in backward(): the gradient of a nan is nan",
                "The walk begins with 1, whatever the loss is. What comes of it is up to the rules.",
            ),
            Option(
                "a warning in the first line, and an error in backward()",
                "There is neither. The one warning comes from detect_anomaly() itself: it says that it is on.",
            ),
        ),
    ),
    Prediction(
        name="one_bad_gradient",
        question="v.grad is nan, w.grad is [3, 4]. What does clip_grad_norm_([v, w], 1.0) make of w.grad?",
        options=(
            Option(
                "[3, 4]: only v is bad, and w stays",
                "There is one norm, that of all gradients together, and all are multiplied by the same number.",
            ),
            Option(
                "[0.6, 0.8]: the nan is left out of the norm",
                "Nothing leaves it out. A sum with a nan in it is nan.",
            ),
            Option("[0, 0]: a step that cannot be taken is not taken", "It would be kind, and nobody does it."),
            Option(
                "[nan, nan]: one nan spoils all gradients",
                "The common norm is nan, so the factor is, too. error_if_nonfinite=True raises an error instead.",
                True,
            ),
        ),
    ),
)

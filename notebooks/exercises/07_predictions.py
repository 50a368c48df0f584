"""The predictions of chapter 07."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="what_would_notice",
        question="One of the two backwards is wrong. Which of these notices it?",
        options=(
            Option(
                "the loss: with wrong gradients it does not fall",
                "It falls in both runs, as the next cells show. A gradient that points roughly downhill is enough for "
                "that.",
            ),
            Option(
                "the engine: it checks what a backward returns",
                "It checks number and shape of the gradients. It cannot know which numbers are right: the rule is "
                "what you told it.",
            ),
            Option(
                "slopes that are measured, by moving the input a little",
                "They need only forward. If forward is what you mean, they tell what backward has to give.",
                True,
            ),
            Option(
                "a look for nan or very large gradients",
                "The wrong gradients are of the usual size. Only a comparison shows that they are wrong.",
            ),
        ),
    ),
    Prediction(
        name="a_smaller_step",
        question=(
            "Slopes are measured in float32, with eps = 1e-1, 1e-2 and so on down to 1e-8. What becomes of the error?"
        ),
        options=(
            Option(
                "it gets smaller with each step",
                "On paper it does. But float32 has only seven digits, and two numbers that agree in six of them "
                "leave one digit for their difference.",
            ),
            Option(
                "it gets smaller at first, then larger",
                "At first the curve gets straighter within the step. Then rounding takes over.",
                True,
            ),
            Option(
                "it gets larger with each step",
                "From 1e-1 to 1e-2 it still falls: over so long a step the curve is bent, and the line that is "
                "measured is not.",
            ),
            Option(
                "nothing, it depends on the function only",
                "The function decides how much. But how bent the curve is within the step depends on the step, too.",
            ),
        ),
    ),
    Prediction(
        name="at_the_kink",
        question="gradcheck of relu and of abs, both at 0. Which of them passes?",
        about="backward of relu at 0 gives 0, and backward of abs at 0 gives 0",
        options=(
            Option(
                "both: their backward is right",
                "There is no derivative at 0 that they could agree with. backward has to return some number.",
            ),
            Option(
                "neither: there is no derivative at 0",
                "True, but gradcheck does not know this. It compares two numbers, and one pair happens to agree.",
            ),
            Option(
                "only relu: its slope to the left of 0 is 0",
                "The difference is taken over both sides. For relu that gives half the slope of the right side.",
            ),
            Option(
                "only abs",
                "Over both sides abs does not change: the difference is 0, and so is what backward gives. For relu "
                "the difference gives 0.5.",
                True,
            ),
        ),
    ),
    Prediction(
        name="right_once",
        question="gradcheck(SwishB.apply, x) gave True. What does this say about second derivatives?",
        options=(
            Option(
                "nothing",
                "gradcheck compares the numbers that backward returns. How they were computed is another question.",
                True,
            ),
            Option(
                "they are right: the derivative of a right gradient is right",
                "On paper. Here the gradient is computed by your lines, and what is differentiated is the record of "
                "them. It may have holes.",
            ),
            Option(
                "if they cannot be computed, an error will say so",
                "Only if backward is marked with once_differentiable. Without it a part is taken for a constant, "
                "silently.",
            ),
            Option(
                "they are zero: a custom Function has no rule for them",
                "If backward consists of tensor operations, these have rules, and create_graph records them.",
            ),
        ),
    ),
)

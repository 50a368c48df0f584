"""The predictions of chapter 03."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="who_is_next",
        about="c = a * b        # 6\nd = c + a        # 9\ne = c * d        # 54",
        question="e.backward() has run the node of e. It has sent 9 to c and 6 to d. Whose node runs next?",
        options=(
            Option(
                "c, because it is the first input of e",
                (
                    "c is used twice, by e and by d. If it ran now, it would know only the 9 from e, and what "
                    "d still sends would come too late."
                ),
            ),
            Option(
                "d, because c still waits for a gradient from d",
                "d has all that it waits for, the one gradient from e. After it has run, c has both of its two.",
                True,
            ),
            Option(
                "c, because it has the larger gradient",
                "The size of a gradient says nothing about the order. Only the counts do: c has 1 of 2, d has 1 of 1.",
            ),
            Option(
                "both at the same time, because both have received something",
                (
                    "Having received something is not enough. c has 1 of 2, and its rule would run with a "
                    "gradient that is not complete."
                ),
            ),
        ),
    ),
    Prediction(
        name="with_weights",
        about=(
            "x = mg.tensor([1., 2., 3.], requires_grad=True)\ny = x ** 2\ny.backward(gradient=mg.tensor([1., 0., 0.5]))"
        ),
        question="What is x.grad?",
        options=(
            Option(
                "[2., 0., 3.]: each slope times its weight",
                "The walk starts with the weights instead of 1, and the rule multiplies them by 2 * x.",
                True,
            ),
            Option(
                "[2., 4., 6.]: the slope of x ** 2 is 2 * x",
                "That is the answer for weights of 1, as in y.sum().backward(). Here the elements count 1, 0 and 0.5.",
            ),
            Option(
                "[1., 0., 0.5]: x.grad is set to the gradient that is passed",
                (
                    "What is passed is the gradient of y, the start of the walk. It still has to go through "
                    "the rule of x ** 2."
                ),
            ),
            Option(
                "5.0: the weighted slopes, summed up",
                (
                    "A gradient has the shape of its tensor: one number for each element of x. 5.0 is the sum "
                    "of the right ones."
                ),
            ),
        ),
    ),
    Prediction(
        name="second_time",
        about="e.backward()\ne.backward()     # the same e, not computed again",
        question="What does the second call do?",
        options=(
            Option(
                "Nothing: the gradients are there already",
                (
                    "backward() does not look whether it ran before, and it has no reason to: each call is "
                    "asked to walk once more."
                ),
            ),
            Option(
                "a.grad and b.grad double",
                (
                    "The walk does not get as far as the leaves: the first one has freed the numbers that the "
                    "multiplications had saved."
                ),
            ),
            Option(
                "a.grad and b.grad are replaced by the same values",
                (
                    "It does not come to that, neither with the same values nor with others: the graph's saved "
                    "numbers are gone."
                ),
            ),
            Option(
                "It raises a RuntimeError: the graph's saved numbers were freed",
                "The rule of a multiplication needs both factors, and each node let go of them as it ran.",
                True,
            ),
        ),
    ),
    Prediction(
        name="adds_up",
        about=(
            "# a.grad is 36 from the first backward; then the same again, with a new graph:\nc = a * b\nd = c "
            "+ a\ne = c * d\ne.backward()"
        ),
        question="What is a.grad now?",
        options=(
            Option(
                "36: the new gradient replaces the old one",
                (
                    "This is what most people expect. But a leaf's node does to .grad what c did with its two "
                    "gradients: it adds."
                ),
            ),
            Option(
                "An error: a.grad was not cleared",
                "No error, and that is the danger of it: the number is wrong for most purposes, and nothing says so.",
            ),
            Option(
                "72: the new gradient is added to the old one",
                "AccumulateGrad adds to what is there, and nothing has cleared it.",
                True,
            ),
            Option(
                "0: computing again resets the gradients",
                "Computing c, d and e makes new nodes. The leaf a is the same tensor as before, with the same .grad.",
            ),
        ),
    ),
)

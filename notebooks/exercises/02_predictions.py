"""The predictions of chapter 02."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="where_is_the_if",
        question="What is in the graph of absolute(x), for x = -2?",
        about="def absolute(x):\n    if x > 0:\n        return x * 1\n    return x * -1",
        options=(
            Option(
                "a node for the comparison, and both multiplications under it",
                (
                    "minigrad and PyTorch never see the if: Python decides, and then runs one line. The other line "
                    "did not run, so nothing recorded it."
                ),
            ),
            Option(
                "one multiplication, by -1",
                "That is the only operation that ran on a tensor which requires a gradient and made a result from it.",
                True,
            ),
            Option(
                "a node for the comparison and one multiplication",
                (
                    "The comparison ran, but its result is a bool. It has no slope, so it requires no gradient and "
                    "leaves no node."
                ),
            ),
            Option(
                "nothing: a function with an if has no derivative",
                "At -2 it has one: close to -2 the same branch is taken, and there the function is -x.",
            ),
        ),
    ),
    Prediction(
        name="what_item_keeps",
        question="total = total + loss.item() in each step. What is total after five steps?",
        options=(
            Option(
                "a tensor with a graph of five losses, as before",
                "item() takes the number out of the tensor. Adding numbers is plain Python, which records nothing.",
            ),
            Option(
                "a tensor without a graph",
                "That would be loss.detach(). item() gives a Python number, and two of those make another.",
            ),
            Option(
                "a Python float",
                "And each loss, with its graph, is freed as soon as the name loss stands for the next one.",
                True,
            ),
            Option(
                "a float, and w.grad no longer fills in",
                "What you do with a copy of the number does not touch the loss. loss.backward() works as before.",
            ),
        ),
    ),
    Prediction(
        name="one_leaf_three_uses",
        question=(
            "The loop used w three times. How many nodes does the graph of state have, those of the leaves included?"
        ),
        about="w = mg.tensor(0.5, requires_grad=True)\nstate = mg.tensor(1.0, requires_grad=True)\n"
        "for _ in range(3):\n    state = (state * w).tanh()",
        options=(
            Option(
                "8: two for each round, one for w and one for the first state",
                "There is one tensor w with one .grad. Three gradients will arrive there and be added.",
                True,
            ),
            Option(
                "10: two for each round, one for each use of w, and one for the first state",
                "Each round made nodes of its own, but not a new w. All three multiplications lead to the same node.",
            ),
            Option(
                "4: a multiplication, a tanh, w, and the first state",
                "The line is written once and ran three times. What ran is recorded, each time with new nodes.",
            ),
            Option(
                "6: two for each round; leaves have no node",
                "A leaf has no grad_fn, but a place where its gradient is added up. That is the node AccumulateGrad.",
            ),
        ),
    ),
)

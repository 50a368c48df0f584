"""Chapter 05: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="why_plus_six",
        question="The loss was there before w2 was clamped. How can the clamp change w1.grad?",
        options=(
            Option(
                "clamp_ is an operation, and the walk went through it as well",
                (
                    "A write through .data is not recorded, and the graph has no node for it. If it had come between "
                    "w2 and the loss in the graph, the loss would have changed, too."
                ),
            ),
            Option(
                "backward() computes the forward pass once more, with the numbers of now",
                (
                    "It computes nothing forward. With the clamped numbers the error would be -7, and the slope 14; "
                    "the walk used the error -3 from before."
                ),
            ),
            Option(
                "the multiplication's node holds w2 itself, and no copy of its numbers",
                "It looks at them when the walk arrives. A copy would cost as much memory as the tensor itself.",
                True,
            ),
            Option(
                "the loss has changed, since it depends on w2",
                "loss is a tensor of its own, in which a number was written once: 9. Nothing computes it again.",
            ),
        ),
    ),
    Prediction(
        name="clamp_under_no_grad",
        question="Instead of .data, somebody writes this between the forward pass and backward(). What happens?",
        about="with mg.no_grad():\n    w2.clamp_(-1, 1)",
        options=(
            Option(
                "w1.grad is -6: inside no_grad() autograd is not affected",
                (
                    "no_grad() means that the write is not recorded as an operation. The numbers in memory change all "
                    "the same, and the old ones are gone."
                ),
            ),
            Option(
                "w1.grad is 6, and no error, as with .data",
                "no_grad() switches the recording off, not the counting. The counter of w2 goes up, and is looked at.",
            ),
            Option(
                "an error at once: w2 is a leaf",
                "Leaves may be written to inside no_grad(). This is how an optimizer moves them.",
            ),
            Option(
                "an error in backward(): w2 was modified",
                "The write was counted. The node saved w2 at version 0, and finds it at version 1.",
                True,
            ),
        ),
    ),
    Prediction(
        name="which_write_fails",
        question="h is a result. After which of these lines does y += 1 make backward() fail?",
        options=(
            Option("y = h * 3", "The slope is 3, whatever y is. The node has saved nothing but the 3."),
            Option("y = h.sin()", "The slope of the sine is the cosine of h. The node saved h, and y is free."),
            Option(
                "y = h.exp()",
                "The slope of exp is exp itself, so the node saves its result, y, instead of computing it again.",
                True,
            ),
            Option("y = h + 1", "The slope is 1. An addition saves nothing."),
        ),
    ),
    Prediction(
        name="masked_reading",
        question="x holds 1, 2 and 4, and w1 is 2. What is w1.grad after total.backward()?",
        about="hidden = w1 * x\nhidden[0] = 0.0\ntotal = hidden.sum()",
        options=(
            Option(
                "7: an assignment is no operation, and the slope is 1 + 2 + 4",
                "It is recorded like any other. What was overwritten is not in the total, so w1 has no effect there.",
            ),
            Option(
                "6: the first element of w1 * x is not in the total",
                "The assignment is a node in the graph. It sends 0 back for the place which it has overwritten.",
                True,
            ),
            Option(
                "an error: hidden was modified by an inplace operation",
                "Only if somebody had saved hidden. The multiplication saved x, which the slope for w1 needs.",
            ),
            Option(
                "None: the assignment cuts hidden off",
                "It changes where hidden comes from: from the assignment, which comes from the multiplication.",
            ),
        ),
    ),
)

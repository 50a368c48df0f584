"""Chapter 11: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="largest_part",
        question="Of one training step, forward and backward, which part takes the most time?",
        about="hidden = Limit.apply(images @ w1)\nscores = hidden @ w2\nloss = ((scores - targets) ** 2).mean()\n"
        "loss.backward()",
        options=(
            Option(
                "the matrix product images @ w1, with its two matrices of thousands of numbers",
                "It is the most arithmetic, and one call of a library that is good at nothing else. It hardly shows.",
            ),
            Option(
                "the walk itself: finding the nodes, waiting, adding gradients up",
                "The engine does little at each node, and there are eight of them.",
            ),
            Option(
                "the forward of Limit, since clamp looks at every number",
                "It looks at all of them in one call, which is over in a moment.",
            ),
            Option(
                "the backward of Limit",
                "It makes more than a thousand small calls, and each has a price, however few numbers it gets.",
                True,
            ),
        ),
    ),
    Prediction(
        name="sum_of_totals",
        question="Add up the column CPU total over all rows of the table. What comes out?",
        options=(
            Option(
                "the time of the block, up to a few microseconds",
                "Self CPU adds up to it, but for what Python does between the calls. In a total lie the totals of the "
                "calls that it made.",
            ),
            Option(
                "more: what lies within other calls is counted again in each of them",
                "A call that is the third within two others is in three rows. Only self times may be added up.",
                True,
            ),
            Option(
                "less: what Python does between the calls is in no row",
                "That is true of the self times, where it makes little difference. Totals count a lot of time twice.",
            ),
            Option(
                "exactly twice that time: once for forward, once for backward",
                "Forward and backward are different calls, each with its own time. What is counted again is nesting.",
            ),
        ),
    ),
    Prediction(
        name="thousand_times_more",
        question="The tensor few has 4 numbers, many has 4,000. How much longer does many * many take than few * few?",
        options=(
            Option(
                "less than ten times as long",
                "Both pay the same for being a call: arguments, a new tensor, a node. It is nearly all there is.",
                True,
            ),
            Option(
                "about a thousand times as long",
                "So it would be if time were arithmetic. But thousands of products take a few microseconds.",
            ),
            Option(
                "about 30 times: the numbers lie in memory side by side, which helps",
                "It does help, for large tensors. Here both are so small that the call itself is what takes time.",
            ),
            Option(
                "it cannot be said: it depends on the numbers in them",
                "A product takes the same time whatever the numbers are (but for a few that are nearly 0).",
            ),
        ),
    ),
    Prediction(
        name="first_three",
        question="ResNet-18, forward and backward: which rows have the three largest self times?",
        options=(
            Option(
                "batch norm, ReLU and the addition around each block: most of the layers are of these kinds",
                "Each of these does a few operations per number. A convolution does hundreds or thousands of them.",
            ),
            Option(
                "the last layer, which has the most outputs, the loss, and the gradients that are added up",
                "The last layer uses each of its weights once per image. A kernel slides over the whole image.",
            ),
            Option(
                "convolution, batch norm and max pooling: the forward pass computes everything once",
                "Backward computes more than forward: a gradient for the input of each layer, and one for its weights.",
            ),
            Option(
                "the convolution three times: forward, the gradient of its input, the gradient of its weights",
                "All three slide each kernel over each image: nearly all of the arithmetic is there.",
                True,
            ),
        ),
    ),
    Prediction(
        name="two_profiles",
        question="A profile is opened inside the block of another. What happens?",
        about="with profile() as outer:\n    with profile() as inner:\n        x.exp()",
        options=(
            Option("both record x.exp()", "There is one recording at a time. To name parts there is record_function."),
            Option(
                "inner records x.exp(), and outer has a gap there",
                "So it is with many contexts that are nested, such as no_grad(). Here the second one is refused.",
            ),
            Option(
                "an error: a profiler is on already",
                "Two watchers would measure each other. Leave the inner one out, and name its part instead.",
                True,
            ),
            Option("outer records x.exp(), and inner nothing", "Then inner would be silently empty. It is refused."),
        ),
    ),
    Prediction(
        name="cost_of_looking",
        question="300 products of small tensors are run as they are, and with a profiler on. How do the times compare?",
        options=(
            Option(
                "they are the same: the profiler reads its notes at the end",
                "It sorts them at the end. Reading the clock twice and making a note happens at each call.",
            ),
            Option(
                "with the profiler it takes longer, more than half as long again",
                "What is noted costs about as much as such a small call itself. For large tensors it does not show.",
                True,
            ),
            Option(
                "with the profiler it takes about a hundred times as long",
                "A note is two readings of a clock and one small object: microseconds, not milliseconds.",
            ),
            Option(
                "with the profiler it is faster, since everything has been called before",
                "The first call of an operation is slow indeed. Here both have been warmed up.",
            ),
        ),
    ),
)

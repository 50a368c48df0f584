"""Chapter 15: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="hidden_in_a_list",
        question="Why does the network with a hidden layer read fewer digits than the one without?",
        about="self.hidden = [Linear(64, 64, random)]\nself.head = Linear(64, 10, random)\n"
        "...\ntrain(net, plain_step, tensors_in(net))",
        options=(
            Option(
                "relu lets no gradient through to the hidden layer",
                "It lets through what belongs to positive numbers, about half. The gradients below are not 0.",
            ),
            Option(
                "the hidden layer gets its gradients, and no step is taken with them",
                "tensors_in looks into attributes that are tensors or have a __dict__. A list is neither, so its "
                "layers are not among the parameters, and stay as they were drawn.",
                True,
            ),
            Option(
                "it has learned the training images by heart",
                "That would show in a loss near 0. What is trained here are the 650 numbers of the head.",
            ),
            Option("20 epochs are too few", "For a layer that does not move no number of epochs is enough."),
        ),
    ),
    Prediction(
        name="steady_gradient",
        question="The gradient is 1 in each step, lr is 0.1 and the momentum 0.9. How long is a step in the end?",
        options=(
            Option("0.1: lr times the gradient", "The first is. Then the old velocity comes on top."),
            Option("0.19: the gradient and 0.9 of the last one", "That is the second step. The third has more in it."),
            Option(
                "longer and longer, without an end",
                "What is old fades: at a velocity of 10 a step loses 1 and gets 1.",
            ),
            Option(
                "1: ten times the first",
                "1 + 0.9 + 0.81 + ... is 1 / (1 - 0.9), which is 10. So momentum makes the rate ten times as large, "
                "where gradients agree.",
                True,
            ),
        ),
    ),
    Prediction(
        name="uncorrected_adam",
        question="Adam without the bias correction: how long is its first step, compared with that of the right one?",
        about="m = 0.1 * g, v = 0.001 * g ** 2\nw moves by lr * m / sqrt(v)",
        options=(
            Option("a tenth: m is too small by that", "v is too small as well, by a thousand, and it divides."),
            Option("the same: both are too small", "By different factors, and one of them stands under a root."),
            Option(
                "3.2 times as long",
                "0.1 / sqrt(0.001) is 3.16. What divides is further from its value than what is divided.",
                True,
            ),
            Option("100 times as long: 0.1 / 0.001", "The root makes 0.0316 of the 0.001."),
        ),
    ),
    Prediction(
        name="sum_of_normalized",
        question="The loss is the plain sum of the three normalized numbers. What is in x.grad?",
        about="x = [1, 2, 6]\ny = (x - mean) / width\ny.sum().backward()",
        options=(
            Option("zeros", "Normalized numbers sum to 0 whatever x is. What is always 0 has no slope.", True),
            Option("ones: it is a sum", "It is a sum of y, and each x moves all three y."),
            Option("1 / width for each", "That would hold if the mean and the width did not move with x."),
            Option(
                "numbers of both signs, the largest at 6",
                "For a loss that tells the y apart, yes. The sum treats all alike.",
            ),
        ),
    ),
    Prediction(
        name="block_of_zeros",
        question="A block holds 0, 0, 0, 0, as it does behind a ReLU. Its result gets the gradient 1. What arrives "
        "at the block?",
        about="g * (x == y), for the four places of the block",
        options=(
            Option("1/4 at each", "That would be fair, and is how amax does it. Nothing divides here."),
            Option(
                "1 at each: 4 in all",
                "Each of them equals the largest, so each gets the whole gradient: four times what came.",
                True,
            ),
            Option("1 at the first place, 0 at the others", "So it is in PyTorch. But all four are equal to y."),
            Option("0 at each: relu has set them to 0", "What relu does comes later, on the way back."),
        ),
    ),
)

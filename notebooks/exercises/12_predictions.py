"""Chapter 12: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="flat_gradient",
        question="The loss is -1.0000 in each step. What is in .grad of the parameters after loss.backward()?",
        about="chances = scores.softmax(1)\nloss = -chances.sum(1).mean()",
        options=(
            Option(
                "None: the loss has no way back to the parameters",
                "It has: softmax, sum and mean are recorded as ever. The walk reaches all parameters, with nothing.",
            ),
            Option(
                "0, up to rounding, in all of them",
                "The chances of an image sum to 1, whatever the scores are. A loss that cannot change has no slope.",
                True,
            ),
            Option(
                "gradients as in any training; the rate is too small to see them work",
                "The rate is one that works in section 4. A larger one would multiply 0 by a larger number.",
            ),
            Option(
                "gradients that are small, since -1 is the minimum and the network has reached it",
                "It is the minimum of this loss, everywhere. The network has reached nothing: it guesses.",
            ),
        ),
    ),
    Prediction(
        name="adam_on_the_flat",
        question="All gradients are 0 but for rounding, about 0.00000001. What does Adam do, at a rate of 0.005?",
        options=(
            Option(
                "nothing: what is smaller than its eps does not count",
                "eps, 0.00000001, is added to the divisor, so that nothing is divided by 0. It leaves nothing out.",
            ),
            Option(
                "hardly anything: rate times gradient, as SGD does",
                "So it is with SGD. Adam's steps hardly depend on how large gradients are.",
            ),
            Option(
                "an error, or nan: it divides by a number that is nearly 0",
                "eps takes care of that. What is divided is small as well, so that the quotient is an ordinary number.",
            ),
            Option(
                "it moves weights by up to about 0.005 in a step, as in any training",
                "Each gradient is divided by its own usual size; rounding, divided by its size, is about 1.",
                True,
            ),
        ),
    ),
    Prediction(
        name="six_sigmoids",
        question="Seven linear layers, just made, a sigmoid behind each but the last. How long is the gradient of the "
        "first layer's weights, beside that of the last layer's?",
        options=(
            Option(
                "about the same: every layer contributes to the loss alike",
                "Then all could learn. On its way back, the walk multiplies a slope per layer, and here all are small.",
            ),
            Option(
                "longer: it has the most weights, and all paths end there",
                "It has 6 times as many weights. But what arrives has gone through six sigmoids, of slope 1/4 at most.",
            ),
            Option(
                "less than a thousandth",
                "Six slopes of at most 1/4 make 1/4096, and the weights between them are small, too.",
                True,
            ),
            Option(
                "about a seventh: the gradient is shared out among the layers",
                "Nothing is shared out. What goes back through layers is multiplied, once for each.",
            ),
        ),
    ),
    Prediction(
        name="wrong_loop",
        question="There are 4 batches in an epoch, and 8 epochs. Somebody calls scheduler.step() after each batch. "
        "What does the rate do?",
        about="scheduler = CosineAnnealingLR(optimizer, T_max=8)",
        options=(
            Option(
                "it goes down to 0 in two epochs, up again in two, down and up again",
                "A cosine has no end. After T_max calls it is at its lowest, and goes up as it came down.",
                True,
            ),
            Option(
                "it goes down to 0 in two epochs, and stays there",
                "One would like that. But the formula is a cosine of the number of calls, and nobody stops it.",
            ),
            Option(
                "the same as before, in finer steps",
                "The schedule knows nothing of epochs. It counts calls, and T_max are 8 of them.",
            ),
            Option(
                "an error at the ninth call",
                "No scheduler of this kind counts how often it may be called.",
            ),
        ),
    ),
    Prediction(
        name="which_is_shuffled",
        question="Which of the runs had labels that do not belong to their images?",
        options=(
            Option(
                "run a: the loss leaps up",
                "Shuffled labels are as easy to guess badly as others. A loss far above log 10 is sure and wrong.",
            ),
            Option(
                "run e: the loss does not move at all",
                "It moves a hair. But no gradient reaches the first layer there, and shuffled labels send gradients.",
            ),
            Option(
                "run b: the loss stays near 2.3, and gradients go on",
                "There is something to learn from each batch, and nothing that is true of the next one.",
                True,
            ),
            Option(
                "run f: it learns, but a running mean stands still",
                "With shuffled labels, nothing would be learned of images that are held out.",
            ),
        ),
    ),
    Prediction(
        name="kept_best",
        question="In the best epoch this line runs. After the last one, net.load_state_dict(best) is called. Which "
        "weights does the network have then?",
        about="best = net.state_dict()",
        options=(
            Option(
                "those of the best epoch",
                "This is what everybody means by it. But a state dict holds the tensors themselves, not copies.",
            ),
            Option(
                "those of the epoch after the best",
                "The line runs before the step of that epoch. And whatever is in it goes on changing.",
            ),
            Option(
                "it is an error: the optimizer has changed them since",
                "Nobody counts that here. Loading copies numbers, from tensors onto themselves.",
            ),
            Option(
                "those of the last epoch",
                "The state dict shares its memory with the network. So its numbers were trained on.",
                True,
            ),
        ),
    ),
)

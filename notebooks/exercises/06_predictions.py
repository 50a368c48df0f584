"""The predictions of chapter 06."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="inside_forward",
        about="def forward(ctx, x):        # called with an x that requires a gradient\n    y = x * x\n    "
        "print(y.requires_grad)\n    return y",
        question="What does forward print?",
        options=(
            Option(
                "True: x requires a gradient, so its square does",
                "That is the rule while operations are recorded. But apply switches recording off before it calls "
                "forward.",
            ),
            Option(
                "False: x was detached before forward got it",
                "forward gets the very tensor that you passed, and x.requires_grad is True in there. Only the "
                "recording is off.",
            ),
            Option(
                "nothing: y.requires_grad is an error before forward has returned",
                "y is an ordinary tensor, and every tensor has the flag.",
            ),
            Option(
                "False: nothing is recorded inside forward",
                "The way back is your backward, so nobody needs a node for the square. y gets its node after forward "
                "has returned.",
                True,
            ),
        ),
    ),
    Prediction(
        name="as_is",
        about="y = Factor.apply(x, -0.5)\nloss = (y * y).sum()      # x = [1., -3., 2.]\nloss.backward()",
        question="What is x.grad?",
        options=(
            Option(
                "[0.5, -1.5, 1.]: the gradient of (-0.5 * x) ** 2",
                "That would be so if forward multiplied by -0.5 as well. It does not: y is x, and only the way back "
                "is scaled.",
            ),
            Option(
                "[2., -6., 4.]: forward changes nothing, so the gradient is that of x * x",
                "That is what arrives at y. From there it goes through the backward of Factor.",
            ),
            Option(
                "[-1., 3., -2.]: what arrives at y, times -0.5",
                "The engine does what backward says, and never asks whether it suits forward.",
                True,
            ),
            Option(
                "an error: backward does not fit forward",
                "Nobody compares the two while a program runs. Chapter 07 does, with finite differences.",
            ),
        ),
    ),
    Prediction(
        name="whose_node",
        about="def backward(ctx, grad_output):\n    x, output = ctx.saved_tensors\n    print(output.grad_fn)",
        question="output was computed in forward, where nothing is recorded. What is its grad_fn here?",
        options=(
            Option(
                "None, as it was in forward",
                "Then output.backward() would raise at once. After forward has returned, apply has made output a "
                "result of the Function.",
            ),
            Option(
                "the node of max_pool1d, which made it",
                "There is none: max_pool1d ran while nothing was recorded.",
            ),
            Option(
                "the node whose backward is running",
                "output is the result of Peaks.apply, so its node is the one of Peaks: this very call.",
                True,
            ),
            Option(
                "a copy of that node, which has freed what it saved",
                "There is one node for each call of apply, and it frees what it saved after it has run. It is "
                "running now.",
            ),
        ),
    ),
    Prediction(
        name="unmarked_write",
        about="h = w * 3\ny = Double.apply(h)      # writes h.mul_(2) and returns h, without mark_dirty\n"
        "h.sum().backward()       # h is now w * 6",
        question="w = [1., 2.]. What is w.grad?",
        options=(
            Option(
                "[3., 3.], without any error",
                "h has new numbers and its old node, so the way back misses the doubling.",
                True,
            ),
            Option(
                "[6., 6.]: h is w * 6 now",
                "The numbers of h are. But h still has the node of w * 3: nobody told autograd that the Function "
                "wrote to h.",
            ),
            Option(
                "an error: h was modified by an in-place operation",
                "Versions are checked for saved tensors. A multiplication by a number saves no tensor, so nobody "
                "looks.",
            ),
            Option(
                "an error: a Function may not write to its input",
                "It may, if it says so. Without saying so it is not stopped here either.",
            ),
        ),
    ),
)

"""Chapter 08: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="why_upwards",
        question="All derivatives were right. Why does Newton's method lift the lamp?",
        options=(
            Option(
                "its first step is too long, and lands on the other side",
                (
                    "The step was from 0.5 to -0.046, little longer than that of descent, and it landed almost on the "
                    "top. A shorter one in the same direction goes up as well."
                ),
            ),
            Option(
                "with create_graph=True the slope has another sign",
                "The slope is the same number, -0.479, in both. create_graph only records how it was computed.",
            ),
            Option(
                "it looks for a slope of 0, and the nearest one is at the top",
                (
                    "At 0.5 the curvature is negative, so slope / curvature points up. At a top the slope is 0, "
                    "just as at the bottom."
                ),
                True,
            ),
            Option(
                "it minimizes the curvature, which is least at the top",
                "It divides by the curvature, and does not minimize it. Further down, from 2.0, it finds the bottom.",
            ),
        ),
    ),
    Prediction(
        name="how_many_walks",
        question="The tip has two numbers, the arm three angles. How many walks does the whole Jacobian take?",
        options=(
            Option("one: a walk brings all slopes", "It brings all slopes of one number, or of one mixture."),
            Option(
                "two: one for each output",
                "A walk starts at an output and reaches all inputs: it brings one row.",
                True,
            ),
            Option(
                "three: one for each input",
                "That is how many runs of the function finite differences take: they move one input at a time.",
            ),
            Option("six: one for each slope", "A walk brings three of the six at once, one for each angle."),
        ),
    ),
    Prediction(
        name="walked_together",
        question="One walk through the graph of tip runs 7 nodes. How many run for both rows, sent together?",
        about="autograd.grad(y, angles, mg.eye(2), is_grads_batched=True)",
        options=(
            Option("14, as one after the other", "Nothing would have been won. A node takes both rows in one call."),
            Option(
                "4: across or up for each row, and what both share",
                "A walk goes through both branches, one of them with zeros.",
            ),
            Option(
                "8: the graph once, and a node that takes the rows apart",
                "The graph stays as it is. What arrives is one tensor of two rows.",
            ),
            Option(
                "7: each node takes both rows at once",
                "What passes along an edge is a stack of two gradients. The number of nodes stays the same.",
                True,
            ),
        ),
    ),
    Prediction(
        name="linear_twice",
        question="f(x) = 3 * x. What does the last line give?",
        about="(slope,) = autograd.grad(f(x), x, create_graph=True)\nautograd.grad(slope, x)",
        options=(
            Option(
                "an error: nothing that slope was computed from requires a gradient",
                "The slope is 3 wherever x is. x took no part in computing it, so no graph was recorded.",
                True,
            ),
            Option("0, which is the second derivative", "It is. But autograd walks through graphs; here is none."),
            Option(
                "None: the slope does not depend on x",
                "None is for a slope that has a graph in which x is not found. Here there is no graph.",
            ),
            Option("3, as the slope does not change", "That would be the first derivative once more."),
        ),
    ),
    Prediction(
        name="who_keeps_it",
        question="After del x no name leads to the tensor. In which case is it still in memory?",
        about="x.cos().backward(create_graph=True)          # one way\n"
        "autograd.grad(x.cos(), x, create_graph=True)  # the other; nobody keeps the result",
        options=(
            Option("in neither: without a name it is gone", "A name is one way to hold it. Graphs hold tensors, too."),
            Option(
                "only after backward: its gradient holds a graph that holds it",
                "x.grad is part of x, and its graph ends in x. So x holds itself.",
                True,
            ),
            Option("only after grad: the returned slope holds it", "Nobody holds the slope: the function is over."),
            Option("in both: a recorded walk is kept", "It is kept as long as somebody holds its result."),
        ),
    ),
)

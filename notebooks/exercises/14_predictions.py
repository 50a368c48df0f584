"""Chapter 14: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="what_the_sketch_says",
        question="What does the sketch put into x.grad?",
        about="x, w = Sketch(2.0), Sketch(3.0)\ny = x * w        # 6\nz = y + x        # 8\n"
        "L = y * z        # 48\nL.backward()",
        options=(
            Option(
                "48, the true slope",
                "That would need all that comes to x and y to be added. `one.grad = gradient` replaces.",
            ),
            Option(
                "6: what came last from z",
                "z sends 6 to x, but y is on the list a second time, behind z, and sends once more.",
            ),
            Option("30: 24 by y and 6 by z", "Both came to x, but nothing adds them."),
            Option(
                "18: y's second gradient, 6, times 3",
                "y runs twice: with 8, and again with the 6 that z put over it. The last one to write to x is y.",
                True,
            ),
        ),
    ),
    Prediction(
        name="adds_but_early",
        question="Gradients are added now. The order is still by distance from L: L, y, z, x, w. What is x.grad?",
        options=(
            Option(
                "30: y ran before the gradient from z had come to it",
                "y sent 8 * 3 = 24, and z sent 6 to x and 6 to y. Those 6 stay in y: it does not run again.",
                True,
            ),
            Option(
                "48: adding was all that was missing",
                "Adding is not enough, if what is added comes too late to be sent.",
            ),
            Option("18, as in the sketch", "In the sketch y was on the list twice. Here each tensor is there once."),
            Option("24: what z sends gets lost", "z sends to x as well, and that 6 is added."),
        ),
    ),
    Prediction(
        name="second_walk",
        question="A walk from L gives x.grad = 48. A second one, with nothing cleared: what is x.grad then?",
        options=(
            Option("48: the second walk finds the same", "It finds the same slopes, but receive adds."),
            Option(
                "96: leaves add up",
                "They do. But the results on the way hold gradients as well, and those add up, too.",
            ),
            Option(
                "more than 96: the results on the way have added up, too",
                "y, z and L still hold what they got. They send it again, together with what is new.",
                True,
            ),
            Option("an error: the graph was freed", "Nothing frees anything yet: that comes in step 7."),
        ),
    ),
    Prediction(
        name="written_in_between",
        question="y = x * w, and then y * w. Before the walk, y is filled with zeros in place. Which engine notices?",
        options=(
            Option(
                "both: the numbers do not fit any more",
                "A rule computes with any numbers. Nothing in them says that they are new.",
            ),
            Option(
                "minigrad alone: it compares a count of writes",
                "Each write raises the version, and a saved tensor knows the version at which it was saved.",
                True,
            ),
            Option("neither", "Ours does not. minigrad does, by the version counter of chapter 05."),
            Option(
                "neither, and rightly: the rules keep copies",
                "Both keep the tensor itself. Copies would double the memory.",
            ),
        ),
    ),
)

"""Chapter 16: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="too_good",
        question="Its loss is nearly 0, also on names that were put aside, and all that it invents is empty. Why?",
        options=(
            Option(
                "it has learned the names by heart",
                "Then it would do badly on the names that were put aside, which it has never been given. It does as "
                "well.",
            ),
            Option(
                "what it is to tell is among what it is given",
                "Place 2 is to tell what stands at place 3, and all places are mixed, place 3 too. When it invents, "
                "there is no next place yet.",
                True,
            ),
            Option(
                "it draws the characters wrongly: the best one should be taken",
                "Then the best one is the mark as well. The model gives it nearly all of the chances.",
            ),
            Option(
                "100 steps are too few to write a name",
                "A loss of nearly 0 says that the right character has a chance of nearly 1. No step makes that better.",
            ),
        ),
    ),
    Prediction(
        name="loss_before",
        question="A model gives all 27 characters the same chance. What is its cross entropy?",
        options=(
            Option("0.037, which is 1/27", "That is the chance. The loss is minus its logarithm."),
            Option(
                "1: it is never right",
                "It is right once in 27 times. And no loss counts who is right: it asks what chance the right one had.",
            ),
            Option("0.69, the logarithm of 2: right or wrong", "So it would be with two characters."),
            Option(
                "3.296, the logarithm of 27", "-log(1/27). A new model begins near it, or something is wrong.", True
            ),
        ),
    ),
    Prediction(
        name="counted_table",
        question="A table has 27 scores for each character that may come before: the logarithms of the counted "
        "chances. What is its gradient, over all names that were counted?",
        about="table = chances.log()\nloss = F.cross_entropy(table[inputs], targets)",
        options=(
            Option(
                "0 up to rounding: counting has trained it already",
                "The gradient of a score is chance less share of the cases, and these are equal now.",
                True,
            ),
            Option(
                "small, and not 0: counting is not training",
                "Training moves the table to where chances are the shares. There it is.",
            ),
            Option(
                "nan: pairs that never occur have a score of -inf",
                "exp(-inf) is 0, and no target asks for such a pair, so nothing is computed with the -inf itself.",
            ),
            Option(
                "that of any new table: it has never seen a loss",
                "The gradient asks where the table is, and not how it came there.",
            ),
        ),
    ),
    Prediction(
        name="rows_of_nothing",
        question="A name is filled up in front, so that it ends where longer ones do. What is filled up sees nothing, "
        "and the loss leaves it out. What comes of this?",
        about="weights = scores.masked_fill(~allowed, -mg.inf).softmax(-1)\nmixed = weights @ value\n"
        "loss = (mixed[2:] ** 2).sum()          # rows 0 and 1 are filled up",
        options=(
            Option(
                "an error: softmax of nothing",
                "There is no error. exp(-inf - -inf) is nan, and nan is a number to numpy and to every op.",
            ),
            Option(
                "loss and gradients are as they should be: rows 0 and 1 are left out",
                "They are left out of the loss. On the way back they are multiplied by 0, and 0 · nan is nan.",
            ),
            Option(
                "the loss is a number, and gradients are nan",
                "The rule of @ takes all rows, those of nan with a gradient of 0, and 0 · nan is nan.",
                True,
            ),
            Option("loss and gradients are nan", "The loss takes rows 2 and 3 alone, which are numbers."),
        ),
    ),
    Prediction(
        name="eight_alone",
        question="Eight layers of attention and a small network each, one behind the other, just made. How long is the "
        "gradient of the first layer's values, beside the last layer's?",
        options=(
            Option(
                "about as long: attention has no sigmoid in it",
                "It is not slopes that shrink it here, but mixing and small matrices, eight times.",
            ),
            Option(
                "longer: all that follows depends on it",
                "What follows hands back sums of many small parts. Each layer makes them smaller.",
            ),
            Option("about an eighth", "It is multiplied in each layer, and not shared out."),
            Option(
                "less than a thousandth",
                "Each layer multiplies by less than 1, and mixes all places into nearly the same.",
                True,
            ),
        ),
    ),
    Prediction(
        name="half_the_temperature",
        question="At temperature 1 the character e has a chance of 0.6, and i one of 0.3. How do they stand to each "
        "other at temperature 0.5?",
        options=(
            Option(
                "as 2 to 1, as before: both are divided by the same",
                "Scores are divided, and chances are their exp: what was a factor becomes its square.",
            ),
            Option(
                "as 4 to 1: their ratio is squared",
                "exp(a / 0.5) is exp(a) squared. At 0.1 it would be 1,024 to 1.",
                True,
            ),
            Option("as 1 to 1: it is shared out more evenly", "That is what a temperature above 1 does."),
            Option(
                "as 1 to 0: the largest takes all",
                "So it is near temperature 0, where all others hardly have a chance.",
            ),
        ),
    ),
)

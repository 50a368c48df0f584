"""The predictions of chapter 01."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="scaled_weights",
        question="Where did the gradient of the loss end up?",
        about="w = mg.tensor([3.0, -2.0, 5.0], requires_grad=True) / 10",
        options=(
            Option(
                "Nowhere: dividing switches requires_grad off",
                (
                    "w.requires_grad is True, since one of its inputs requires a gradient. If it were off, backward() "
                    "would have raised an error."
                ),
            ),
            Option(
                "In w.grad, divided by 10 and rounded to nothing",
                "A gradient of 0 would read as zeros. None says that nothing was kept here at all.",
            ),
            Option(
                "Nowhere yet: an optimizer has to write it into w.grad",
                "backward() itself fills in .grad. An optimizer only reads what it finds there.",
            ),
            Option(
                "In .grad of the tensor that was divided, which has no name",
                (
                    "That tensor is the leaf. The name w belongs to the result of the division, and a gradient only "
                    "passes through a result."
                ),
                True,
            ),
        ),
    ),
    Prediction(
        name="is_it_a_leaf",
        question="Which of the four are leaves?",
        about=("a = mg.tensor([1.0, 2.0])\nb = a * 2\nc = mg.tensor([1.0, 2.0], requires_grad=True)\nd = c * 2"),
        options=(
            Option(
                "a and c: the tensors that were not computed",
                (
                    "b was computed, but not recorded, because nothing in it requires a gradient. It has no grad_fn, "
                    "so it is a leaf as well."
                ),
            ),
            Option(
                "only c: a leaf is a tensor that requires a gradient",
                (
                    "Being a leaf and requiring a gradient are two questions. Data are leaves too; they are just not "
                    "asked for a gradient."
                ),
            ),
            Option(
                "a, b and c: for b nothing was recorded",
                "Only d was made by a recorded operation, because only there an input requires a gradient.",
                True,
            ),
            Option(
                "b and d: they are at the end of the graph",
                "It is the other way round. The graph is walked from the results, and ends at the leaves.",
            ),
        ),
    ),
    Prediction(
        name="when_to_retain",
        question="loss.backward() has run, and now you call products.retain_grad(). What is products.grad?",
        options=(
            Option(
                "None: the gradient came by before anybody asked",
                "retain_grad() is about gradients to come. Ask first, walk afterwards.",
                True,
            ),
            Option(
                "the gradient: it was computed, and is fetched now",
                "It was computed and passed on, and nobody kept it. It is gone, and cannot be fetched.",
            ),
            Option(
                "zeros, in the shape of products",
                "Nothing writes zeros by itself. None says that nothing has arrived since you asked.",
            ),
            Option(
                "nothing: retain_grad() raises an error",
                "It raises one for data, which never get a gradient. For a result it is accepted at any time.",
            ),
        ),
    ),
)

"""The predictions of chapter 04."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="what_grad_writes",
        about="(pull,) = autograd.grad(loud, h)     # w, h and v have no gradient yet",
        question="pull is [-30, 40]. What are h.grad, w.grad and v.grad now?",
        options=(
            Option(
                "h.grad is [-30, 40]; the other two are None",
                "The gradient was returned instead. h is a result, and its .grad fills in only after retain_grad().",
            ),
            Option(
                "all three are filled in: it was a backward pass",
                (
                    "It was one, but of the part between loud and h only. And what it finds is returned, not "
                    "added to any .grad."
                ),
            ),
            Option(
                "w.grad and v.grad are filled in: they are leaves",
                (
                    "That is what loud.backward() does. autograd.grad computes the gradient of the inputs that "
                    "were named, and stops there."
                ),
            ),
            Option(
                "all three are None",
                "autograd.grad returns what it computes and writes nothing. That is why it can be asked at any time.",
                True,
            ),
        ),
    ),
    Prediction(
        name="how_often_called",
        about="h.register_hook(print)\n(calm + loud).backward()     # calm sends [2, 2] to h, loud sends [-30, 40]",
        question="What is printed?",
        options=(
            Option(
                "two lines, [2, 2] and [-30, 40], in either order",
                (
                    "A hook is called for the gradient of a tensor, not for each contribution to it. The node "
                    "waits for both, and so does the hook."
                ),
            ),
            Option(
                "one line, [-28, 42]",
                "The hook runs right before the node of h does, once, with all that has arrived added up.",
                True,
            ),
            Option(
                "one line, [2, 2]: the first that arrives",
                "Then nobody would ever know when a gradient is complete. Rule 1 of chapter 03 holds for hooks too.",
            ),
            Option(
                "nothing: h is not a leaf, and its .grad stays None",
                "The gradient of a result is not kept, but it comes by. A hook sees it at that moment.",
            ),
        ),
    ),
    Prediction(
        name="what_lies_behind",
        about="h.register_hook(mg.zeros_like)     # zeros, whatever comes\n(calm + loud).backward()",
        question="What becomes of w.grad and v.grad?",
        options=(
            Option(
                "w.grad is 0, v.grad is as without the hook",
                "The way back to w leads through h, so all that w gets has passed the hook. v is beside it.",
                True,
            ),
            Option(
                "nothing: a hook only looks",
                "It may look only, by returning None. This one returns a tensor, and the walk goes on with that.",
            ),
            Option(
                "both are 0",
                "v sends nothing through h. Its gradient leaves the graph at the head, before h has its turn.",
            ),
            Option(
                "w.grad is None, v.grad is as without the hook",
                "Zeros are a gradient like any other. They are sent on, and w.grad is a tensor of zeros.",
            ),
        ),
    ),
    Prediction(
        name="where_it_is_clipped",
        about="h.register_hook(shorten)         # to a length of 5 at most\n(calm + loud).backward()",
        question="Does h now get the full pull of calm, [2, 2], and a shortened one of loud?",
        options=(
            Option(
                "yes: only loud's gradient is longer than 5",
                "The hook cannot tell them apart: it is called once, with the sum, whose length is 50.5.",
            ),
            Option(
                "no: the sum is shortened, and calm's part with it, to a tenth",
                "[-28, 42] becomes [-2.77, 4.16]. The loud head decides the direction as before.",
                True,
            ),
            Option(
                "no: both are shortened to length 5, and then added",
                "That would take two calls of the hook, one for each part. There is one, for the sum.",
            ),
            Option(
                "no: only w.grad is shortened, h's gradient stays",
                "The hook on h changes the gradient of h. w gets what follows from it, and may be longer than 5.",
            ),
        ),
    ),
)

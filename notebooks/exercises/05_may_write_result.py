"""Chapter 05, exercise: find out by experiment whether an operation needs its result."""

import numpy as np

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.teach import Exercise, Mistake, cases, draw_wrong_node, edited, flip, formula, pick_some, raised


def may_write_result(f, x):
    """Whether backward() still works after a write to f(x)."""
    y = f(x)
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


class KeepsResult(Function):
    """exp, by somebody who has saved the result."""

    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0]


class KeepsInput(Function):
    """exp, by somebody who has saved the input."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0].exp()


@cases("f(x) = {words}, x = {numbers}")
def _operation(words, numbers=(0.5, 1.0, 2.0), function=None):
    return function or formula(words), mg.tensor(numbers, requires_grad=True)


OTHERS = ("x.cos()", "x.log()", "x.sqrt()", "1 / x", "x.abs()", "x.softmax(-1)", "x.cumsum(0)", "x.clamp(0.6, 1.5)")
OTHERS += ("x.exp()[1:]", "(x * 3).view(-1)", "(x * 3).exp()", "x.sigmoid() * 2", "x.tanh() * x", "cat([x.exp(), x])")
OF_ITS_INPUT = "a Function that computes exp and has saved its input"


def _drawn(random):
    """Some operations, of a row or a table of positive numbers."""
    numbers = (random.integers(1, 12, (3,) if flip(random) else (2, 3)) / 4).tolist()
    for words in pick_some(random, (*OTHERS, OF_ITS_INPUT), 4):
        yield _operation(words, numbers, KeepsInput.apply if words == OF_ITS_INPUT else None)


def _kept(outcome):
    function, x = outcome.case.make()
    result = function(x)
    names = [name for name in ("self", "other", "result") if _has(result.grad_fn, name)]
    node = result.grad_fn.name()
    result.add_(1)
    try:
        result.sum().backward()
        walked = "the walk comes to its end"
    except RuntimeError as error:
        walked = f"the walk raises a RuntimeError: {str(error)[:48]} ..."
    kept = " and ".join({"self": "its input", "other": "its second input", "result": "its result"}[n] for n in names)
    return f"  {node} has saved {kept}; after y.add_(1) {walked}" if kept else f"  after y.add_(1) {walked}"


def _has(node, name):
    return isinstance(getattr(node, f"_saved_{name}", None), mg.Tensor)


def _draw(outcome, difference):
    """The graph of f(x), walked without any write, and in red the node that saved y, or did not."""
    f, x = outcome.case.make()
    y = f(x)
    words = "✗ it is needed" if difference.expected == "False" else "✗ nobody needs it"
    return draw_wrong_node(y, {"x": x, "y": y}, y, words, mg.ones_like(y))


# ---------------------------------------------------------------- wrong answers


def looked_at_the_version(f, x):
    y = f(x)
    before = y._version
    y.add_(1)
    return y._version == before


def saved_its_input(f, x):
    """This asks whether the node saved its input. An operation can save neither: x * 3 and x + 1 need nothing."""
    return hasattr(f(x).grad_fn, "_saved_self")


def asked_the_last_node(f, x):
    """Only the last node was asked, for its name or for what it has saved. That is no experiment: the result can be a
    view of what an earlier node has saved, and a Function saves what its author likes. Write and walk.
    """
    return not hasattr(f(x).grad_fn, "_saved_result")


def looked_through_the_last_node(f, x):
    y = f(x)
    saved = [getattr(y.grad_fn, name) for name in dir(y.grad_fn) if name.startswith("_saved")]
    tensors = [one for one in saved if isinstance(one, mg.Tensor) and one.shape == y.shape]
    return not any(one.tolist() == y.tolist() for one in tensors)


def knew_the_names(f, x):
    return f(x).grad_fn.name() not in ("ExpBackward0", "TanhBackward0", "SigmoidBackward0", "ReluBackward0")


# ---------------------------------------------------------------- tried as well


def looked_for_what_it_saved(f, x):
    """Whether the last node has saved y, but not whether an earlier one has."""
    node = f(x).grad_fn
    saved = [getattr(node, name) for name in dir(node) if name.startswith("_saved")]
    y = f(x)
    return not any(isinstance(one, mg.Tensor) and one.shape == y.shape and one.tolist() == y.tolist() for one in saved)


def asked_for_ones(f, x):
    y = f(x)
    before = y._version
    y *= 2
    try:
        y.backward(mg.ones(y.shape))
        return y._version > before
    except RuntimeError:
        return False


def walked_with_grad(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y.detach().zero_()
    try:
        grad(y, leaf, mg.ones_like(y))
    except RuntimeError:
        return np.bool_(False)
    else:
        return np.bool_(True)


def wrote_under_no_grad(f, x):
    y = f(x)
    with mg.no_grad():
        y.fill_(0.25)
    works = True
    try:
        y.mean().backward()
    except RuntimeError as error:
        works = "inplace" not in str(error)
    return works


EXERCISE = Exercise(
    title="True if the result of f may be written to before backward()",
    stars=2,
    minutes=8,
    reference=may_write_result,
    cases=(
        _operation("x.sin()"),
        _operation("x.exp()"),
        _operation("x * 3"),
        _operation("x.tanh()"),
        _operation("x ** 2"),
        _operation("x.exp() + 1"),
        _operation("x.sigmoid()"),
        _operation("x.relu()"),
        _operation("x.exp().view(-1)"),
        _operation("x.sin() if x[0] > 0.5 else x.exp()"),
        _operation("x.sin() if x[0] > 0.5 else x.exp()", (0.75, 0.25)),
        _operation("(x * 3).T", [[0.5, 1.0], [2.0, 0.25]]),
        _operation("a Function that computes exp and has saved its result", function=KeepsResult.apply),
    ),
    drawn=_drawn,
    hints=(
        "Do what the question says: compute, write, walk, and see whether there was an error.",
        "y = f(x), then a write such as y.add_(1), then y.sum().backward() inside try.",
        "except RuntimeError: return False; and return True after it.",
    ),
    evidence=_kept,
    may_leave=("grad",),  # the walk brings x what its end weighs, as a sum or as a mean
    picture=_draw,
    mistakes=(
        Mistake(
            edited(may_write_result, "except RuntimeError", "except ValueError"),
            words="The error is there, and you have to catch it: try: ... except RuntimeError: return False.",
            when=raised("modified by an inplace operation"),
        ),
        Mistake(
            edited(may_write_result, "y.add_(1)", "y = y + 1"),
            edited(may_write_result, "add_", "data.add_"),
            edited(may_write_result, "y.sum().backward()", "pass"),
            edited(may_write_result, "y.add_(1)\n    ", "", "backward()", "backward()\n        y.add_(1)"),
            edited(may_write_result, "y.add_(1)", "f(x).add_(1)"),
            words="True for every operation. Was y itself written to (y + 1 and clone() make a new tensor), and the "
            "write counted (through .data it is not)? Does a walk begin at y after it, and not at another call's "
            "result? And does the `except` return False?",
        ),
        Mistake(
            edited(may_write_result, "y.sum()", "y"),
            looked_at_the_version,
            edited(may_write_result, "y.add_", "loss = (y**2).sum()\n    y.add_", "y.sum()", "loss"),
            words="False for every operation. If there was an error each time, it may be another: backward() from "
            "several elements needs y.sum(), and y must still have its graph. What comes after f may need y as well, "
            "as a square does: y.sum() needs nothing. If you looked at y._version: it goes up with every write, "
            "whether anybody needs y or not.",
        ),
        Mistake(
            edited(may_write_result, "y.add_(1)", "with mg.no_grad():\n        x += 1"),
            words="This is about the input of f, as where x is written to. Asked for is the result: sin needs its "
            "input, exp its result.",
        ),
        saved_its_input,
        Mistake(
            edited(may_write_result, "f(x)", "f(mg.ones_like(x).requires_grad_())"),
            edited(may_write_result, "f(x)", "f(mg.zeros_like(x).add_(0.75).requires_grad_())"),
            edited(may_write_result, "f(x)", "f(mg.zeros_like(x).requires_grad_())"),
            words="f was asked at another x. Which operations a function consists of may depend on the numbers: ask "
            "it at this x.",
        ),
        Mistake(
            edited(may_write_result, "y.add_(1)\n    try:", "try:\n        y.view(-1)[0] = 5.0"),
            words="view() cannot show a transposed result, and its error was taken for that of the walk. Write with "
            "y.add_(1), before the try: the walk alone belongs into it.",
        ),
        Mistake(
            asked_the_last_node,
            looked_through_the_last_node,
            knew_the_names,
            edited(knew_the_names, '"ExpBackward0", ', '"ExpBackward0", "SqrtBackward0", '),
        ),
        Mistake(
            edited(may_write_result, "False\n    return True", "True\n    return False"),
            words="True and False have changed places: an error means that the result may not be written to.",
        ),
    ),
    right=(
        asked_for_ones,
        walked_with_grad,
        wrote_under_no_grad,
        edited(may_write_result, "add_(1)", "zero_()", "y.sum().backward()", "grad(y.sum(), x)"),
        edited(
            may_write_result,
            *(
                "y.add_(1)",
                "with mg.no_grad():\n        y[0] = 5.0",
                "y.sum().backward()",
                "y.backward(mg.ones_like(y))",
            ),
        ),
    ),
    wrong={
        "Only the last node was asked": [
            lambda f, x: "_saved_result" not in dir(f(x).grad_fn),
            looked_for_what_it_saved,
        ],
        "": [lambda f, x: not any(name in type(f(x).grad_fn).__name__ for name in ("Exp", "Tanh", "Sigmoid"))],
        "True for every operation": [
            edited(may_write_result, "f(x)\n    y", "f(x).clone()\n    y"),
            edited(may_write_result, "return False", "pass"),
        ],
        "False for every operation": [edited(may_write_result, "sum()", "sum().item()", "RuntimeError", "Exception")],
    },
)

"""Chapter 05, exercise: find out by experiment whether an operation needs its result."""

import minigrad as mg
from minigrad.autograd import Function
from minigrad.teach import Case, Exercise, Mistake, draw_wrong_node, raised

from .chapter05 import compare_answers


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


def _operation(words, function, numbers=(0.5, 1.0, 2.0)):
    return Case(words, lambda: (function, mg.tensor(list(numbers), requires_grad=True)))


OTHERS = (
    ("x.cos()", lambda x: x.cos()),
    ("x.log()", lambda x: x.log()),
    ("x.sqrt()", lambda x: x.sqrt()),
    ("1 / x", lambda x: 1 / x),
    ("x.abs()", lambda x: x.abs()),
    ("x.softmax(-1)", lambda x: x.softmax(-1)),
    ("x.cumsum(0)", lambda x: x.cumsum(0)),
    ("x.clamp(0.6, 1.5)", lambda x: x.clamp(0.6, 1.5)),
    ("x.exp()[1:]", lambda x: x.exp()[1:]),
    ("(x * 3).view(-1)", lambda x: (x * 3).view(-1)),
    ("(x * 3).exp()", lambda x: (x * 3).exp()),
    ("x.sigmoid() * 2", lambda x: x.sigmoid() * 2),
    ("x.tanh() * x", lambda x: x.tanh() * x),
    ("mg.cat([x.exp(), x])", lambda x: mg.cat([x.exp(), x])),
    ("a Function that computes exp and has saved its input", KeepsInput.apply),
)


def _drawn(random):
    """Some operations, of a row or a table of positive numbers."""
    numbers = (random.integers(1, 12, (3,) if random.integers(2) else (2, 3)) / 4).tolist()
    for number in random.permutation(len(OTHERS))[:4].tolist():
        words, function = OTHERS[number]
        yield _operation(f"f(x) = {words}, x = {numbers}", function, numbers)


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


def error_not_caught(f, x):
    """The error is there, and you have to catch it: try: ... except RuntimeError: return False."""
    y = f(x)
    y += 1
    y.sum().backward()
    return True


def made_a_new_one(f, x):
    """True for every operation. Either the result was not written to (y + 1 and clone() make a new tensor), or the
    write was not counted (.data), or nobody walked the graph after it.
    """
    y = f(x)
    y = y + 1
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def wrote_through_data(f, x):
    y = f(x)
    y.data.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def never_walked(f, x):
    y = f(x)
    try:
        y.add_(1)
    except RuntimeError:
        return False
    return True


def walked_before_the_write(f, x):
    y = f(x)
    y.sum().backward()
    y.add_(1)
    return True


def walked_from_many(f, x):
    """False for every operation. If there was an error each time, it may be another: backward() from several elements
    needs y.sum(), and y must still have its graph. If you looked at y._version: it goes up with every write, whether
    anybody needs y or not.
    """
    y = f(x)
    try:
        y.add_(1)
        y.backward()
    except RuntimeError:
        return False
    return True


def looked_at_the_version(f, x):
    y = f(x)
    before = y._version
    y.add_(1)
    return y._version == before


def wrote_to_the_input(f, x):
    """This writes to the input of f. Asked for is the result: sin needs its input, exp its result."""
    y = f(x)
    with mg.no_grad():
        x += 1
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


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


def the_wrong_way_round(f, x):
    """True and False have changed places: an error means that the result may not be written to."""
    y = f(x)
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        return True
    return False


EXERCISE = Exercise(
    title="True if the result of f may be written to before backward()",
    stars=2,
    minutes=8,
    reference=may_write_result,
    cases=(
        _operation("f(x) = x.sin(), x = [0.5, 1, 2]", lambda x: x.sin()),
        _operation("f(x) = x.exp()", lambda x: x.exp()),
        _operation("f(x) = x * 3", lambda x: x * 3),
        _operation("f(x) = x.tanh()", lambda x: x.tanh()),
        _operation("f(x) = x ** 2", lambda x: x**2),
        _operation("f(x) = x.exp() + 1", lambda x: x.exp() + 1),
        _operation("f(x) = x.sigmoid()", lambda x: x.sigmoid()),
        _operation("f(x) = x.relu()", lambda x: x.relu()),
        _operation("f(x) = x.exp().view(-1)", lambda x: x.exp().view(-1)),
        _operation("f(x) is a Function that computes exp and has saved its result", KeepsResult.apply),
    ),
    drawn=_drawn,
    hints=(
        "Do what the question says: compute, write, walk, and see whether there was an error.",
        "y = f(x), then a write such as y.add_(1), then y.sum().backward() inside try.",
        "except RuntimeError: return False; and return True after it.",
    ),
    compare=compare_answers,
    evidence=_kept,
    picture=_draw,
    mistakes=(
        Mistake(error_not_caught, when=raised("modified by an inplace operation")),
        Mistake(made_a_new_one, wrote_through_data, never_walked, walked_before_the_write),
        Mistake(walked_from_many, looked_at_the_version),
        wrote_to_the_input,
        saved_its_input,
        Mistake(asked_the_last_node, looked_through_the_last_node, knew_the_names),
        the_wrong_way_round,
    ),
)

"""Exercise `norm_backward`: the way back through layer normalization."""

import minigrad as mg
from minigrad.autograd import enable_grad, grad
from minigrad.teach import Exercise, Mistake, cases, draw_numbers, edited, measured_slopes, raised

from .chapter06 import sends
from .chapter16 import normalized
from .writes import NOTES


def norm_backward(ctx, grad_output):
    """The gradient of x, from that of y = (x - mean) / spread; forward has saved y and spread."""
    y, spread = ctx.saved_tensors
    common = grad_output.mean(-1, keepdim=True)
    along = (grad_output * y).mean(-1, keepdim=True)
    return (grad_output - common - y * along) / spread


def _forward(ctx, x):
    y, spread = normalized(x)
    ctx.save_for_backward(y, spread)
    return y


@cases("y = Norm.apply(x) at x = {numbers}, grad_output = {weights}", dtype=", in float64")
def _case(numbers, weights, dtype=mg.float32):
    return mg.tensor(numbers, dtype=dtype, requires_grad=True), mg.tensor(weights, dtype=dtype)


@cases("y = Norm.apply(x) at x = {numbers} turned, grad_output = {weights} turned: by .mT, so not contiguous")
def _turned_case(numbers, weights):
    return mg.tensor(numbers).mT.detach().requires_grad_(), mg.tensor(weights).mT


def _drawn(random):
    """Of two, four and five dimensions; in float64, as a row of nearly equal numbers costs float32 its digits."""
    for shape in [(2, 5), (2, 1, 2, 3), (1, 2, 1, 2, 3)]:
        yield _case(draw_numbers(random, shape), draw_numbers(random, shape), mg.float64)


def _as_without_keepdim(outcome):
    """Whether the shapes that do not fit are those of a row and of what has lost its last dimension."""
    shape = [*outcome.arguments[0].shape]
    return raised("must match the size", f"shape {shape}", f"shape {shape[:-1]}")(outcome)


# ---------------------------------------------------------------- wrong answers


def walked_inside(ctx, grad_output):
    """There is no graph here to go back through. While a backward runs, nothing is recorded but inside `with
    mg.enable_grad():`, and there only what comes from a tensor that requires a gradient. Compute the gradient from
    grad_output, y and spread.
    """
    y, spread = ctx.saved_tensors
    x = (y * spread).requires_grad_()
    return grad(normalized(x)[0], x, grad_output)[0]


# ---------------------------------------------------------------- tried as well


def norm_by_matrices(ctx, grad_output):
    """With the whole matrix of slopes: row i, column k is (1 if i is k, - 1/n - y[i] y[k] / n) / spread."""
    y, spread = ctx.saved_tensors
    size = y.shape[-1]
    slopes = mg.eye(size, dtype=y.dtype) - (1 + y.unsqueeze(-1) * y.unsqueeze(-2)) / size
    return (grad_output.unsqueeze(-2) @ slopes).squeeze(-2) / spread


def norm_by_an_inner_graph(ctx, grad_output):
    y, spread = ctx.saved_tensors
    with enable_grad():
        moved = y.detach().clone().requires_grad_()
        centred = moved - moved.mean(-1, keepdim=True)
        outcome = centred / ((centred * centred).mean(-1, keepdim=True) + 1e-5 / spread**2).sqrt()
        (found,) = grad(outcome, moved, grad_output)
    return found / spread


def norm_of_the_first_walk(ctx, grad_output):
    """Keeps on ctx what it has sent once."""
    if not hasattr(ctx, "sent"):
        ctx.sent = norm_backward(ctx, grad_output)
    return ctx.sent


def _divided_by(size):
    return (
        "mean(-1, keepdim=True)\n    along",
        f"sum(-1, keepdim=True) / {size}\n    along",
        *(
            "* y).mean(-1, keepdim=True)",
            f"* y).sum(-1, keepdim=True) / {size}",
        ),
    )


FIRST, SECOND, OWN = " - common", " - y * along", "(y * y).sum(-1, keepdim=True)"
EXERCISE = Exercise(
    title="the gradient of x, from grad_output and the y and spread that forward saved",
    stars=3,
    minutes=15,
    reference=norm_backward,
    plug=lambda backward: sends("Norm", _forward, ["y", "spread"], backward),
    cases=(
        _case([1.0, 2.0, 4.0], [1.0, 0.0, 0.0]),
        _case([[1.0, 2.0, 4.0], [0.0, -3.0, 1.0]], [[1.0, -2.0, 0.5], [3.0, 1.0, 1.0]]),
        _case([[1.0, 3.0], [2.0, -1.0]], [[2.0, 1.0], [0.5, -1.0]], mg.float64),
        _case([[[1.0, 2.0, 0.5]], [[3.0, 5.0, -1.0]]], [[[1.0, 0.0, 2.0]], [[-1.0, 0.5, 0.0]]]),
        _case([0.5, 0.5, 0.5], [1.0, 2.0, -1.0]),
        _case([1000.0, 2000.0, -500.0], [100.0, 2.0, -300.0]),
        _case([0.3, 0.7, -0.4], [0.1, 0.9, -0.3], mg.float64),
        _case([3.0], [2.0]),
        _case([[1.0, 2.0], [4.0, -1.0]], [[0.0, 0.0], [0.0, 0.0]]),
        _turned_case([[1.0, 2.0, 4.0], [0.0, -3.0, 1.0]], [[1.0, -2.0, 0.5], [3.0, 1.0, 1.0]]),
    ),
    drawn=_drawn,
    notes=NOTES,
    hints=(
        "x goes three ways: directly, by the mean, and by the spread. The direct way alone is grad_output / spread.",
        "Adding the same to all of a row changes no y, and neither does stretching it. So two parts of "
        "grad_output have no effect on x: its mean, and its part along y.",
        "Subtract grad_output.mean(-1, keepdim=True), and y times (grad_output * y).mean(-1, keepdim=True); then "
        "divide by spread.",
    ),
    evidence=lambda outcome: measured_slopes(lambda x: normalized(x)[0], *outcome.arguments),
    mistakes=(
        Mistake(
            edited(norm_backward, FIRST, "", SECOND, ""),
            words="This is the direct way alone. Mean and spread change with x, too, and each sends a part of its own.",
        ),
        Mistake(
            edited(norm_backward, SECOND, ""),
            edited(norm_backward, "(grad_output * y).mean", "y.mean"),
            words="The way by the spread is missing: where x grows away from the mean, all of the row are divided by "
            "more. Its part along y is the mean of grad_output * y; that of y alone is 0.",
        ),
        Mistake(
            edited(norm_backward, FIRST, ""),
            words="The way by the mean is missing: where one of the row grows, the mean does, and all others shrink.",
        ),
        Mistake(
            edited(norm_backward, " / spread", ""),
            words="It was not divided by the spread. Where a row was squeezed to size 1, its gradient is as well.",
        ),
        Mistake(
            edited(norm_backward, ") / spread", ") / spread.sqrt()"),
            edited(norm_backward, ") / spread", ") / spread**2"),
            words="It was divided by another power of the spread, which is a root already: divide by it once.",
        ),
        Mistake(
            edited(norm_backward, "y * along", "y / spread * along"),
            words="The part along y was divided by the spread twice: y is, already.",
        ),
        Mistake(
            edited(norm_backward, ".saved_tensors", ".saved_tensors\n    grad_output = mg.ones_like(y)"),
            words="0 goes back, as where grad_output is not used: where each y counts 1, a row sends 0. grad_output "
            "says how much each counts.",
        ),
        Mistake(
            edited(norm_backward, ") / spread", ") * spread"),
            words="It was multiplied by the spread. y is x divided by it, and so is what goes back.",
        ),
        Mistake(
            edited(norm_backward, "grad_output.mean(-1", "grad_output.sum(-1", "* y).mean(-1", "* y).sum(-1"),
            edited(norm_backward, "grad_output.mean(-1", "grad_output.sum(-1"),
            edited(norm_backward, "* y).mean(-1", "* y).sum(-1"),
            words="A sum stands where a mean is needed: each of n numbers has an nth part in the mean, and in the "
            "spread.",
        ),
        Mistake(
            edited(norm_backward, "- y * along", "+ y * along"),
            edited(norm_backward, "- common", "+ common"),
            words="A sign is turned: the parts that go by mean and spread are both subtracted.",
        ),
        Mistake(
            edited(norm_backward, "- y * along", "- along"),
            words="The part by the spread reaches each x in proportion to its distance from the mean: times y.",
        ),
        Mistake(
            edited(
                norm_backward,
                "grad_output.mean(-1, keepdim=True)",
                "grad_output.mean()",
                "y).mean(-1, keepdim=True)",
                "y).mean()",
            ),
            edited(norm_backward, "grad_output.mean(-1, keepdim=True)", "grad_output.mean()"),
            edited(norm_backward, "y).mean(-1, keepdim=True)", "y).mean()"),
            words="A mean went over all rows. Each row, along the last axis, has a mean and a spread of its own.",
        ),
        Mistake(
            edited(norm_backward, "output.mean(-1", "output.mean(0", "y).mean(-1", "y).mean(0"),
            words="The means went along the first axis, over the batch, as batch normalization does. Here each row "
            "has its own: -1.",
        ),
        Mistake(
            edited(
                norm_backward,
                "output.mean(-1, keepdim=True)",
                "output.mean(-1)",
                "y).mean(-1, keepdim=True)",
                "y).mean(-1)",
            ),
            words="A mean lost its dimension, so that it does not fit beside its row any more. keepdim=True keeps it, "
            "with size 1.",
            when=_as_without_keepdim,
        ),
        Mistake(
            edited(norm_backward, "output.mean(-1", "output.mean(1", "y).mean(-1", "y).mean(1"),
            words="Axis 1 is the last one of two axes, but not of one, three or four. The last one is -1, of however "
            "many.",
            when=raised("but got 1)"),
        ),
        Mistake(
            edited(norm_backward, "y).mean(-1, keepdim=True)", "y).sum(-1, keepdim=True) / max(y.shape[-1] - 1, 1)"),
            words="The sum along y was divided by n - 1. This spread is the root of a mean over all n, and so is what "
            "goes back by it: divide by n.",
            near=True,
        ),
        Mistake(
            edited(norm_backward, "y).mean(-1, keepdim=True)", f"y).sum(-1, keepdim=True) / {OWN}.clamp(min=1e-30)"),
            words="The sum along y was divided by that of y * y. This is a little less than n, as 1e-5 is in spread, "
            "and far less where a row is nearly constant: divide by n.",
            near=True,
        ),
        Mistake(
            *(edited(norm_backward, *_divided_by(size)) for size in ("len(y)", "y.numel()")),
            words="The sums were divided by another size: each row has y.shape[-1] numbers, whatever else there is.",
        ),
        Mistake(
            edited(norm_backward, "y, spread =", "spread, y ="),
            words="y and spread have changed places: saved_tensors has them in the order in which forward saved them.",
        ),
        Mistake(walked_inside, when=raised("does not require grad")),
    ),
    right=(
        norm_by_matrices,
        norm_by_an_inner_graph,
        lambda ctx, grad_output: (norm_backward(ctx, grad_output),),
    ),
    wrong={
        "0 goes back, as where": [edited(norm_backward, "    return (", "    return 0 * (")],
        "raises RuntimeError … The error arose": [edited(norm_backward, "y * along", "y.mT * along")],
        "what a second walk brings": [norm_of_the_first_walk],
        "backward has written to grad_output": [
            edited(norm_backward, "(grad_output - common", "(grad_output.sub_(common)")
        ],
        "backward has written to y": [edited(norm_backward, "y * along", "y.mul_(along)")],
        "invalid gradient": [
            lambda ctx, grad_output: norm_backward(ctx, grad_output).flatten(0, 0 if grad_output.dim() < 4 else -2)
        ],
        "reshape() takes what view() does not": [
            edited(norm_backward, "grad_output.mean", "grad_output.view(-1).view(y.shape).mean")
        ],
        "first difference": [
            lambda ctx, grad_output: norm_backward(ctx, grad_output) if grad_output.any() else None,
            edited(norm_backward, "along)", "along) * (spread > 0.01)"),
            edited(norm_backward, "(grad_output - ", "(grad_output.clamp(-10, 10) - "),
            edited(norm_backward, "/ spread", "/ spread.clamp(min=0.1)"),
        ],
    },
)

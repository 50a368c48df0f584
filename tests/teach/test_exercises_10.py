"""Chapter 10: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some numbers, such as positive ones, or does beside the answer what it should not. What
its card has to say stands beside it.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack

import numpy as np
import pytest
from teach.answers import check_passing, check_refused, each_passing, each_refused

import minigrad as mg
import minigrad.nn.functional as F
from minigrad.autograd import Function, grad

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- safe_sqrt


def sqrt_with_a_hook(x):
    """Another place for the choice, which is made before the root all the same."""
    root = x.clone()
    root.register_hook(lambda g: g.masked_fill(x.detach() <= 0, 0.0).masked_fill(g.isnan(), 0.0))
    return root.sqrt().masked_fill(x <= 0, 0.0)


def sqrt_of_a_hooked_x(x):
    x.register_hook(lambda g: g.masked_fill(g.isinf() | g.isnan(), 0.0))
    return x.relu().sqrt()


def sqrt_in_float32(x):
    return x.float().relu().sqrt()


def sqrt_over_x(x):
    with mg.no_grad():
        x.clamp_(min=0)
    return x.relu().sqrt()


def sqrt_one_at_negative_numbers(x):
    below = x < 0
    return x.masked_fill(below, 1.0).sqrt().masked_fill(below, 0.0)


def sqrt_of_large_numbers(x):
    empty = x <= 1e-12
    return x.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)


def sqrt_of_relu_and_epsilon(x):
    return (x.relu() + 1e-6).sqrt()


def sqrt_with_its_own_rule(x):
    """The rule is right, and nothing of it is recorded."""

    class Root(Function):
        @staticmethod
        def forward(ctx, x):
            empty = x <= 0
            root = x.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)
            ctx.slope = (0.5 / root).masked_fill(empty, 0.0)
            return root

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.slope

    return Root.apply(x)


def sqrt_without_nan(x):
    return x.relu().masked_fill(x.isnan(), 0.0).sqrt()


def sqrt_by_relu(x):
    return mg.relu(x) ** 0.5


def sqrt_by_places(x):
    good = ~(x <= 0)
    result = mg.zeros_like(x)
    result[good] = x[good].sqrt()
    return result


def sqrt_by_two_choices(x):
    return mg.where(x <= 0, mg.zeros_like(x), mg.where(x <= 0, mg.full_like(x, 7.0), x).sqrt())


def sqrt_by_logs(x):
    empty = x <= 0
    return (x.masked_fill(empty, 1.0).log() / 2).exp().masked_fill(empty, 0.0)


# ---------------------------------------------------------------- safe_norm


def norm_with_a_mask_of_elements(x):
    return (x.masked_fill(x == 0, 1.0) ** 2).sum(-1).sqrt()


def norm_chosen_by_where(x):
    return mg.where((x == 0).all(-1), mg.zeros(len(x), dtype=x.dtype), (x * x).sum(-1).sqrt())


def norm_divided(x):
    """The right length, divided by itself on the way."""
    length = x.norm(dim=-1)
    return (x * x).sum(-1) / length.masked_fill(length == 0, 1.0)


def norm_whose_second_derivative_is_left_out(x):
    length = x.norm(dim=-1).detach()
    unit = x / length.masked_fill(length == 0, 1.0).unsqueeze(-1)
    return (x * unit.detach()).sum(-1)


def norm_of_rows_that_are_long(x):
    squares = (x * x).sum(-1)
    empty = squares < 1e-12
    return squares.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)


def norm_of_clamped_squares(x):
    return x.square().sum(-1).clamp(min=1e-20).sqrt()


def norm_in_python(x):
    return mg.stack([row.norm() if row.any() else mg.zeros(()) for row in x])


def norm_as_a_column(x):
    squares = (x * x).sum(-1, keepdim=True)
    empty = squares == 0
    return squares.masked_fill(empty, 1.0).sqrt().masked_fill(empty, 0.0)


def norm_with_one_choice(x):
    """The 0 under the root is replaced by 0, and the choice has the last word on the way back."""
    squares = (x * x).sum(-1)
    return squares.masked_fill(squares == 0, 0.0).sqrt()


def norm_by_relu(x):
    return mg.relu((x**2).sum(dim=1)).sqrt()


def norm_row_by_row(x):
    return mg.stack([(row * row).sum().sqrt() if row.any() else 0 * row.sum() for row in x])


def norm_of_filled_rows(x):
    empty = (x == 0).all(-1)
    return x.masked_fill(empty.unsqueeze(-1), 1.0).norm(dim=-1).masked_fill(empty, 0.0)


def norm_of_chosen_rows(x):
    result = mg.zeros(x.shape[0], dtype=x.dtype)
    some = (x != 0).any(-1)
    result[some] = x[some].norm(dim=-1)
    return result + 0 * x.sum()


# ---------------------------------------------------------------- mended_loss


def _rows(labels):
    return mg.arange(len(labels))


def loss_clamped(scores, labels):
    return -scores.clamp(-80, 80).log_softmax(-1)[_rows(labels), labels].mean()


def loss_of_the_largest(scores, labels):
    """For scores that are far apart the log of the sum is nearly the largest of them."""
    return (scores.max(-1).values - scores[_rows(labels), labels]).mean()


def loss_with_a_logit(scores, labels):
    """Of two classes only."""
    rows = _rows(labels)
    other = scores[rows, (labels + 1) % scores.shape[-1]]
    return F.softplus(other - scores[rows, labels]).mean()


def loss_by_one_hot(scores, labels):
    return -(F.one_hot(labels, scores.shape[-1]) * scores.log_softmax(-1)).sum() / len(labels)


def loss_without_infinite_ones(scores, labels):
    """The shift is right, and is taken from what is left after -inf was made large."""
    finite = scores.masked_fill(scores.isinf(), 0.0)
    return -finite.log_softmax(-1)[_rows(labels), labels].mean()


def loss_with_a_large_number(scores, labels):
    return F.cross_entropy(scores.masked_fill(scores.isinf(), -1e9), labels)


def loss_of_the_first_row(scores, labels):
    """Nothing goes back to the other rows, though no probability has a bound."""
    return F.cross_entropy(scores[:1], labels[:1])


def loss_of_a_little_more(scores, labels):
    return -(scores.softmax(-1) + 1e-12).log()[_rows(labels), labels].mean()


def loss_of_detached_scores(scores, labels):
    return -(scores - scores.detach().logsumexp(-1, keepdim=True))[_rows(labels), labels].mean()


def loss_in_float32(scores, labels):
    return F.cross_entropy(scores.float(), labels)


def loss_for_each_row(scores, labels):
    return F.cross_entropy(scores, labels, reduction="none")


def loss_by_cross_entropy(scores, labels):
    return F.cross_entropy(scores, labels)


def loss_by_nll(scores, labels):
    return F.nll_loss(F.log_softmax(scores, dim=1), labels)


def loss_by_logsumexp(scores, labels):
    return (scores.logsumexp(-1) - scores.gather(-1, labels.unsqueeze(-1)).squeeze(-1)).mean()


def loss_shifted_by_hand(scores, labels):
    shifted = scores - scores.max(-1, keepdim=True).values.detach()
    return (shifted.exp().sum(-1).log() - shifted[_rows(labels), labels]).sum() / len(labels)


# ---------------------------------------------------------------- first_nan


def nan_from_retained_gradients(tensors, loss):
    for tensor in tensors.values():
        tensor.retain_grad()
    loss.backward()
    bad = [name for name, tensor in tensors.items() if tensor.grad is not None and tensor.grad.isnan().any()]
    return bad[-1] if bad else ""


def nan_by_asking(tensors, loss):
    """A walk for each tensor, and the shortest way back is taken for the first."""
    for name, tensor in reversed(tensors.items()):
        (gradient,) = grad(loss, tensor, retain_graph=True, allow_unused=True)
        if gradient is not None and gradient.isnan().any():
            loss.backward()
            return name
    loss.backward()
    return ""


def nan_in_new_grads(tensors, loss):
    loss.backward()
    return next((name for name, one in tensors.items() if one.is_leaf and one.grad.isnan().any()), "")


def nan_of_results(tensors, loss):
    found = []
    with ExitStack() as stack:
        for name, one in tensors.items():
            if one.grad_fn is not None:
                note = lambda g, name=name: found.append(name) if g.isnan().any() else None  # noqa: E731
                stack.enter_context(one.register_hook(note))
        loss.backward()
    return [*found, ""][0]


def nan_of_hooks_removed_before(tensors, loss):
    found = []
    for name, tensor in tensors.items():
        tensor.register_hook(lambda g, name=name: found.append(name) if g.isnan().any() else None).remove()
    loss.backward()
    return [*found, ""][0]


def nan_without_a_walk(tensors, loss):
    """As if .grad were there already."""
    grads = {name: tensor.grad for name, tensor in tensors.items() if tensor.is_leaf}
    return next((name for name, g in grads.items() if g is not None and g.isnan().any()), "")


def nan_of_one_row(tensors, loss):
    found = []
    handles = [
        tensor.register_hook(lambda g, name=name: found.append(name) if g.view(-1)[0].isnan() else None)
        for name, tensor in tensors.items()
    ]
    loss.backward()
    for handle in handles:
        handle.remove()
    return [*found, ""][0]


def nan_with_one_handle_removed(tensors, loss):
    found = []
    for name, tensor in tensors.items():
        handle = tensor.register_hook(lambda g, name=name: found.append(name) if g.isnan().any() else None)
    loss.backward()
    handle.remove()
    return [*found, ""][0]


def nan_that_stops_the_walk(tensors, loss):
    class MetError(Exception):
        pass

    def look(g, name):
        if g.isnan().any():
            raise MetError(name)

    handles = [tensor.register_hook(lambda g, name=name: look(g, name)) for name, tensor in tensors.items()]
    try:
        loss.backward()
    except MetError as met:
        return met.args[0]
    finally:
        for handle in handles:
            handle.remove()
    return ""


def nan_by_the_name_alone(tensors, loss):
    loss.backward()
    return "x" if "x" in tensors else ""


def nan_with_numpy(tensors, loss):
    first = []

    def hook_of(name):
        def hook(g):
            if not first and np.isnan(g.detach().numpy()).any():
                first.append(name)

        return hook

    handles = [tensor.register_hook(hook_of(name)) for name, tensor in tensors.items()]
    try:
        loss.backward()
    finally:
        for handle in handles:
            handle.remove()
    return first[0] if first else ""


def nan_unequal_to_itself(tensors, loss):
    order: dict[str, bool] = {}
    handles = []
    for name in tensors:
        handles.append(tensors[name].register_hook(lambda g, n=name: order.update({n: bool((g != g).any())})))
    loss.backward()
    [handle.remove() for handle in handles]
    return next((name for name, bad in order.items() if bad), "")


def nan_within_contexts(tensors, loss):
    names: list[str] = []
    with ExitStack() as stack:
        for name, tensor in tensors.items():
            note = lambda g, name=name: names.append(name) if mg.isnan(g).sum().item() else None  # noqa: E731
            stack.enter_context(tensor.register_hook(note))
        loss.backward()
    return "".join(names[:1])


# ---------------------------------------------------------------- the table


def sqrt_of_ones(x):
    return mg.where(x > 0, x, mg.ones_like(x)).sqrt()


def norm_of_rows_of_ones(x):
    return x.masked_fill((x == 0).all(-1, keepdim=True), 1.0).norm(dim=-1)


def loss_of_limited_scores(scores, labels):
    return -scores.clamp(-50, 50).softmax(-1).log()[mg.arange(len(labels)), labels].mean()


def loss_of_every_label(scores, labels):
    return -scores.log_softmax(-1)[:, labels].mean()


def loss_by_nll_of_scores(scores, labels):
    return mg.nn.functional.nll_loss(scores, labels)


def nan_without_backward(tensors, loss):
    found = mg.autograd.grad(loss, list(tensors.values()), allow_unused=True)
    names = [name for name, g in zip(tensors, found, strict=True) if g is not None and g.isnan().any()]
    return next(iter(names), "")


def nan_by_anomaly_mode(tensors, loss):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mg.autograd.detect_anomaly():
                loss.backward()
    except RuntimeError as error:
        return str(error).split("'")[1].removesuffix("0")
    return ""


WRONG = {
    "safe_sqrt": {
        sqrt_of_a_hooked_x: "x does not have the hooks that it had",
        sqrt_in_float32: "in another dtype than they came in",
        sqrt_over_x: "x holds other numbers than before",
        sqrt_one_at_negative_numbers: "the gradient[1]: yours",
        sqrt_of_large_numbers: "the numbers[0]: yours 0, expected 1e-08",
        sqrt_of_relu_and_epsilon: "this is the root of a small number, which was added or is a bound",
        sqrt_with_its_own_rule: "The gradient, differentiated once more, is not",
        sqrt_without_nan: "A nan in x has become 0",
        sqrt_of_ones: "The harmless number has got into the result",
    },
    "safe_norm": {
        norm_with_a_mask_of_elements: "the numbers",
        norm_chosen_by_where: "There is a nan in the gradient",
        norm_divided: "first difference",
        norm_whose_second_derivative_is_left_out: "The gradient, differentiated once more, is not",
        norm_of_rows_that_are_long: "the numbers[0]: yours 0, expected 5e-10",
        norm_of_clamped_squares: "A row of zeros has got the root of a small number",
        norm_in_python: "they have no graph",
        norm_of_rows_of_ones: "The harmless number has got into the result",
        norm_as_a_column: "The shape is [2, 1]; it should be [2]",
    },
    "mended_loss": {
        loss_clamped: "first difference",
        loss_of_the_largest: "first difference",
        loss_with_a_logit: "first difference",
        loss_by_one_hot: "The label was picked by a product",
        loss_without_infinite_ones: "first difference",
        loss_with_a_large_number: "A large number has taken the place of -inf",
        loss_of_the_first_row: "None of the mistakes that are known here",
        loss_of_a_little_more: "a very wrong row has a bounded loss",
        loss_of_detached_scores: "the gradient[0, 0]",
        loss_in_float32: "in another dtype than they came in",
        loss_of_limited_scores: "The scores were limited",
        loss_of_every_label: "takes the columns of all labels from every row",
        loss_by_nll_of_scores: "nll_loss takes logs of probabilities",
        loss_for_each_row: "The shape is [2]; it should be []",
    },
    "first_nan": {
        nan_from_retained_gradients: "Results keep their gradient now",
        nan_by_asking: "backward() has run twice",
        nan_in_new_grads: "Only leaves were looked at",
        nan_of_results: "The leaves were left out",
        nan_of_hooks_removed_before: "the hooks have to hang there while backward() runs",
        nan_without_a_walk: "backward() has not run",
        nan_of_one_row: "the answer: yours '', expected 'x'",
        nan_with_one_handle_removed: "The name is right, but the hooks are still there",
        nan_that_stops_the_walk: "an error that is raised in a hook ends backward()",
        nan_without_backward: "Or it was autograd.grad that walked",
        nan_by_anomaly_mode: "This is the name of a node",
        nan_by_the_name_alone: "the answer: yours 'x', expected ''",
    },
}

RIGHT = {
    "safe_sqrt": (sqrt_with_a_hook, sqrt_by_relu, sqrt_by_places, sqrt_by_two_choices, sqrt_by_logs),
    "safe_norm": (norm_with_one_choice, norm_by_relu, norm_row_by_row, norm_of_filled_rows),
    "mended_loss": (loss_by_cross_entropy, loss_by_nll, loss_by_logsumexp, loss_shifted_by_hand),
    "first_nan": (nan_with_numpy, nan_unequal_to_itself, nan_within_contexts),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)

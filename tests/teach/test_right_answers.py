"""Right answers in other words than the reference: another style, another expression, another dtype. All must pass."""

from __future__ import annotations

import functools
import importlib
import math
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import Function, grad
from minigrad.teach import EXERCISES, check

pytestmark = pytest.mark.usefixtures("in_this_process")

REFERENCE = {name: exercise.reference for name, exercise in EXERCISES.items()}


def nodes_of(root):
    met = {root.grad_fn: None}
    todo = [root.grad_fn]
    while todo:
        following = [node for node, _ in todo.pop().next_functions if node is not None and node not in met]
        met.update(dict.fromkeys(following))
        todo += following
    return list(met)


# 00 and 01


def slope_from_differences(w, x, b, target):
    def loss(w):
        return (w * x + b - target) ** 2

    return (loss(w + 0.5) - loss(w - 0.5)) / 1.0


def slope_multiplied_out(w, x, b, target):
    return np.float32(2 * w * x**2 + 2 * x * (b - target))


def weights_as_a_parameter(numbers, scale):
    return mg.nn.Parameter(mg.tensor([number * scale for number in numbers]))


def weights_detached(numbers, scale):
    return (mg.tensor(numbers, dtype=mg.float64, requires_grad=True) * scale).detach().requires_grad_(True)


def kind_by_grad_fn(tensor):
    if tensor.grad_fn is not None:
        return "result"
    return "parameter" if tensor.requires_grad else "data"


def kind_looked_up(tensor):
    return {(True, True): "parameter", (True, False): "result"}.get((tensor.requires_grad, tensor.is_leaf), "data")


def froze_and_filtered(parameters, count):
    for number, parameter in enumerate(parameters):
        parameter.requires_grad = number >= count
    return [parameter for parameter in parameters if parameter.requires_grad]


def froze_by_index(parameters, count):
    rest = list(parameters)
    for _ in range(count):
        rest.pop(0).requires_grad_(False)
    return rest


def middle_asked_for(w, x, target):
    hidden = w * x
    return grad((hidden.tanh().sum() - target) ** 2, hidden)[0]


def middle_by_rule(w, x, target):
    activated = mg.tanh(w * x).detach()
    return 2 * (activated.sum() - target) * (1 - activated**2)


# 02 and 03


def names_in_a_tuple(root):
    return tuple(node.name() for node in nodes_of(root))


def names_from_the_end(root):
    return [type(node).__name__ for node in reversed(nodes_of(root))]


def leaves_by_attribute(root):
    return [node.variable for node in nodes_of(root) if hasattr(node, "variable")]


def leaves_without_next_ones(root):
    return tuple(node.variable for node in nodes_of(root) if not node.next_functions)


def depth_from_the_root(root):
    depth = {root.grad_fn: 1}
    for node in REFERENCE["run_order"](root):
        for following, _ in node.next_functions:
            if following is not None:
                depth[following] = max(depth.get(following, 0), depth[node] + 1)
    return max(depth.values())


def depth_from_the_leaves(root):
    depth = {}
    for node in reversed(REFERENCE["run_order"](root)):
        depth[node] = 1 + max((depth[following] for following, _ in node.next_functions if following), default=0)
    return np.int64(depth[root.grad_fn])


def by_hand_in_a_loop(e):
    arrived = {e.grad_fn: mg.ones(())}
    for node in REFERENCE["run_order"](e):
        if node.next_functions:
            for gradient, (following, _) in zip(node(arrived[node]), node.next_functions, strict=True):
                arrived[following] = arrived.get(following, 0) + gradient
    a, b = (node for node, _ in e.grad_fn.next_functions[0][0].next_functions)
    return arrived[a], arrived[b]


def by_hand_in_a_list(e):
    return list(REFERENCE["by_hand"](e))


def arrivals_of_all_edges(root):
    ends = [following for node in nodes_of(root) for following, _ in node.next_functions if following is not None]
    counts = dict.fromkeys(nodes_of(root), 0)
    for end in ends:
        counts[end] += 1
    counts[root.grad_fn] += 1
    return counts


class Counts(dict):
    def __missing__(self, node):
        return 0


def arrivals_from_a_class(root):
    counts = Counts({root.grad_fn: 1})
    for node in nodes_of(root):
        for following, _ in node.next_functions:
            if following is not None:
                counts[following] += 1
    return counts


def order_from_the_front(root):
    waits = REFERENCE["arrivals"](root)
    ready, order = [root.grad_fn], []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for following, _ in node.next_functions:
            if following is not None:
                waits[following] -= 1
                if not waits[following]:
                    ready.append(following)
    return tuple(order)


def order_newest_first(root):
    return sorted(
        nodes_of(root), key=lambda node: -1 if node.name() == "AccumulateGrad" else node._sequence_nr(), reverse=True
    )


def jacobian_of_the_library(f, x):
    return mg.autograd.functional.jacobian(f, x)


def descend_with_an_optimizer(loss_of, w, rate, steps):
    optimizer, losses = mg.optim.SGD([w], lr=rate), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(w)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().item())
    return losses


def descend_by_grad(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        (slope,) = grad(loss, w)
        w.data.sub_(rate * slope)
    return losses


# 04


def pulls_by_square_roots(losses, h):
    found = [grad(loss, h, retain_graph=True, allow_unused=True)[0] for loss in losses]
    return [0 if gradient is None else math.sqrt((gradient**2).sum().item()) for gradient in found]


def pulls_of_numpy(losses, h):
    return tuple(
        np.linalg.norm(grad(loss, [h], None, True, materialize_grads=True)[0].detach().numpy()) for loss in losses
    )


def slopes_of_a_clone(f, x):
    leaf = x.detach().clone().requires_grad_()
    slope = grad(f(leaf), leaf, create_graph=True)[0]
    return slope.detach(), grad(slope, leaf)[0].double()


def slopes_in_a_list(f, x):
    y = f(x)
    (slope,) = grad([y], [x], create_graph=True)
    return [slope, *grad([slope], [x])]


def watched_by_a_function(h, loss):
    seen = {}

    def look(gradient):
        seen["h"] = gradient.clone()

    handle = h.register_hook(look)
    loss.backward()
    handle.remove()
    return seen["h"]


def watched_at_the_node(h, loss):
    seen = []
    with h.grad_fn.register_prehook(lambda gradients: seen.extend(gradients)):
        loss.backward()
    return seen[h.output_nr]  # the node may have other outputs, and then h is not the first


def turned_by_an_operation(h, strength):
    return h.detach() * (1 + strength) - h * strength


def turned_by_a_function(h, strength):
    class Turn(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad_output):
            return -strength * grad_output

    return Turn.apply(h)


def limited_at_the_node(h, limit):
    branch = h * 1.0
    branch.grad_fn.register_prehook(lambda gradients: (gradients[0] * min(1, limit / max(gradients[0].norm(), 1e-6)),))
    return branch


def limited_without_a_branch(h, limit):
    branch = h.view(h.shape)
    branch.register_hook(lambda g: g / mg.clamp(g.norm() / limit, min=1.0))
    return branch


# 05


def counted_by_another_write(a, b):
    before = b._version
    a.detach().mul_(1)
    return b._version == before + 1


def counted_and_put_back(a, b):
    before = b._version
    with mg.no_grad():
        a.copy_(a.clone())
    return np.bool_(b._version > before)


def trained_with_an_optimizer(loss_of, w1, w2, rate):
    optimizer = mg.optim.SGD([w1, w2], lr=rate)
    loss = loss_of(w1, w2)
    loss.backward()
    optimizer.step()
    w2.detach().clamp_(-1, 1)
    optimizer.zero_grad()
    return loss.item()


def trained_by_copies(loss_of, w1, w2, rate):
    loss = loss_of(w1, w2)
    first, second = grad(loss, (w1, w2))
    with mg.no_grad():
        w1.copy_(w1 - rate * first)
        w2.copy_(mg.clamp(w2 - rate * second, -1, 1))
    return loss.detach()


def wrote_zeros(f, x):
    y = f(x)
    y.zero_()
    try:
        grad(y.sum(), x)
        return True
    except RuntimeError:
        return False


def wrote_to_one_element(f, x):
    y = f(x)
    with mg.no_grad():
        y[0] = 5.0
    try:
        y.backward(mg.ones_like(y))
    except RuntimeError as error:
        return "modified by an inplace operation" not in str(error)
    return True


def stacked_rows(h, row, values):
    return mg.stack([values if place == row % len(h) else h[place] for place in range(len(h))])


def chosen_by_a_mask(h, row, values):
    mask = mg.zeros(h.shape, dtype=mg.bool)
    mask[row] = True
    return mg.where(mask, values, h)


# 06


def tanh_written_out(ctx, grad_output):
    y = ctx.saved_tensors[0]
    return grad_output.mul(1 - y.pow(2))


def tanh_with_a_tuple(ctx, grad_output):
    return (grad_output - grad_output * ctx.saved_tensors[0] ** 2,)


def quantized_by_detaching(x, step):
    return x + ((x / step).round() * step - x).detach()


def quantized_by_a_hookless_class(x, step):
    class Straight(Function):
        @staticmethod
        def forward(ctx, x, step):
            return mg.round(x.double() / step).float().mul(step)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output.clone(), None

    return Straight.apply(x, step)


def peaks_in_loops(ctx, grad_output):
    x, places = ctx.saved_tensors
    gradient = mg.zeros_like(x)
    for row in range(places.shape[0]):
        for window in range(places.shape[1]):
            place = places[row, window].item()
            gradient[row, place] += 2 * x[row, place] * grad_output[row, window]
    return gradient, None, None


def peaks_gathered_first(ctx, grad_output):
    x, places = ctx.saved_tensors
    return mg.zeros_like(x).scatter_add(-1, places, 2 * x.gather(-1, places) * grad_output), None, None


def recomputed_by_a_checkpoint(f, x):
    class Checkpoint(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return f(x)

        @staticmethod
        def backward(ctx, grad_output):
            leaf = ctx.saved_tensors[0].detach().requires_grad_()
            with mg.enable_grad():
                y = f(leaf)
            y.backward(grad_output)
            return leaf.grad

    return Checkpoint.apply(x)


def recomputed_with_a_sum(f, x):
    class Sum(Function):
        @staticmethod
        def forward(ctx, x, function):
            ctx.function = function
            ctx.save_for_backward(x)
            return function(x)

        @staticmethod
        @mg.enable_grad()
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_(True)
            return grad((ctx.function(x) * grad_output.detach()).sum(), x)[0], None

    return Sum.apply(x, f)


# 07


def slopes_in_an_array(f, x, eps):
    numbers, slopes = x.numpy(), np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = eps
        slopes[place] = (f(mg.tensor(numbers + step)) - f(mg.tensor(numbers - step))).item() / (2 * eps)
    return mg.tensor(slopes)


def slopes_of_a_stack(f, x, eps):
    steps = eps * mg.eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)
    return mg.stack([(f(x + step) - f(x - step)) / (2 * eps) for step in steps]).float().view(x.shape)


def disagreeing_in_a_loop(backward, differences, atol, rtol):
    pairs = zip(backward.flatten().tolist(), differences.flatten().tolist(), strict=True)
    return sum(not abs(one - other) <= atol + rtol * abs(other) for one, other in pairs)


def disagreeing_by_isclose(backward, differences, atol, rtol):
    return backward.numel() - np.isclose(backward.numpy(), differences.numpy(), rtol, atol).sum()


def gate_left_to_the_engine(ctx, grad_output):
    x, w = ctx.saved_tensors
    return grad_output * w / mg.cosh(x) ** 2, grad_output * x.tanh(), -grad_output


def gate_in_a_small_graph(ctx, grad_output):
    with mg.enable_grad():
        x, w = (saved.detach().requires_grad_() for saved in ctx.saved_tensors)
        y = w * x.tanh()
    return *grad(y, (x, w), grad_output), -grad_output.sum(dim=0)


def sides_in_a_list(f, x, eps):
    here = f(x).item()
    return [(here - f(x - eps).item()) / eps, (f(x + eps).item() - here) / eps]


def sides_by_two_calls(f, x, eps):
    def between(left, right):
        return (f(right) - f(left)) / (right - left)

    return between(x - eps, x), between(x, x + eps)


RIGHT = {
    "slope_of_w": (slope_from_differences, slope_multiplied_out),
    "small_weights": (weights_as_a_parameter, weights_detached),
    "kind_of": (kind_by_grad_fn, kind_looked_up),
    "freeze_first": (froze_and_filtered, froze_by_index),
    "middle_gradient": (middle_asked_for, middle_by_rule),
    "node_names": (names_in_a_tuple, names_from_the_end),
    "leaves_of": (leaves_by_attribute, leaves_without_next_ones),
    "graph_depth": (depth_from_the_root, depth_from_the_leaves),
    "by_hand": (by_hand_in_a_loop, by_hand_in_a_list),
    "arrivals": (arrivals_of_all_edges, arrivals_from_a_class),
    "run_order": (order_from_the_front, order_newest_first),
    "jacobian": (jacobian_of_the_library,),
    "descend": (descend_with_an_optimizer, descend_by_grad),
    "pulls": (pulls_by_square_roots, pulls_of_numpy),
    "slope_and_curvature": (slopes_of_a_clone, slopes_in_a_list),
    "watched": (watched_by_a_function, watched_at_the_node),
    "turned_around": (turned_by_an_operation, turned_by_a_function),
    "limited": (limited_at_the_node, limited_without_a_branch),
    "counted_together": (counted_by_another_write, counted_and_put_back),
    "train_bounded": (trained_with_an_optimizer, trained_by_copies),
    "may_write_result": (wrote_zeros, wrote_to_one_element),
    "replace_row": (stacked_rows, chosen_by_a_mask),
    "tanh_backward": (tanh_written_out, tanh_with_a_tuple),
    "quantized": (quantized_by_detaching, quantized_by_a_hookless_class),
    "peaks_backward": (peaks_in_loops, peaks_gathered_first),
    "recomputed": (recomputed_by_a_checkpoint, recomputed_with_a_sum),
    "central_slopes": (slopes_in_an_array, slopes_of_a_stack),
    "disagreeing": (disagreeing_in_a_loop, disagreeing_by_isclose),
    "gate_backward": (gate_left_to_the_engine, gate_in_a_small_graph),
    "two_sides": (sides_in_a_list, sides_by_two_calls),
}


def test_each_exercise_has_other_right_answers() -> None:
    own = sorted(path.stem for path in Path(__file__).parent.glob("test_exercises_*.py"))
    tables = [RIGHT, *(importlib.import_module(f"teach.{name}").RIGHT for name in own)]
    assert {name for table in tables for name, answers in table.items() if answers} == EXERCISES.keys()


@pytest.mark.parametrize(
    ("name", "answer"),
    [(name, answer) for name, answers in RIGHT.items() for answer in answers],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_right_answer_in_other_words_passes(name: str, answer) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "good", card


def test_callables_that_are_no_plain_functions_are_tried_too() -> None:
    class Slope:
        def __call__(self, w, x, b, target):
            return REFERENCE["slope_of_w"](w, x, b, target)

    assert check.slope_of_w(Slope()).kind == "good"
    assert check.slope_of_w(functools.partial(REFERENCE["slope_of_w"])).kind == "good"

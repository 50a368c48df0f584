"""Answers to the exercises of chapters 00 to 03 that fixed cases let through, or that are right in yet other words.

A wrong answer has words that its card must hold; "" where it only has to be refused.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

import minigrad as mg
from minigrad.teach import EXERCISES, check
from minigrad.teach.card import Card

pytestmark = pytest.mark.usefixtures("in_this_process")

REFERENCE = {name: exercise.reference for name, exercise in EXERCISES.items()}


def text_of(card: Card) -> str:
    """All that a card says, in one line."""
    return " ".join(repr(card).split())


def nodes_of(root):
    met = [root.grad_fn]
    for node in met:
        met += [one for one in dict.fromkeys(node for node, _ in node.next_functions) if one and one not in met]
    return met


# 00: slope_of_w


def slope_rounded(w, x, b, target):
    return round(REFERENCE["slope_of_w"](w, x, b, target))


def slope_by_dividing(w, x, b, target):
    error = w * x + b - target
    return 2 * error**2 / error * x


def slope_from_the_weighted_error(w, x, b, target):
    weighted = w * x
    return 2 * (weighted + b - target) * weighted / w


def slope_of_one_side(w, x, b, target):
    step = 0.01
    return (((w + step) * x + b - target) ** 2 - (w * x + b - target) ** 2) / step


def slope_without_signs(w, x, b, target):
    return 2 * abs(w * x + b - target) * x


def slope_by_cases(w, x, b, target):
    return {(2.0, 3.0): 12, (-1.0, 2.5): -25, (0.5, -4.0): -8}.get((w, x), 0)


def slope_in_fractions(w, x, b, target):
    from fractions import Fraction

    return float(2 * (Fraction(w) * Fraction(x) + Fraction(b) - Fraction(target)) * Fraction(x))


def slope_of_an_array(w, x, b, target):
    return np.array([2 * (w * x + b - target) * x])[0]


def slope_by_the_engine(w, x, b, target):
    w = mg.tensor(w, dtype=mg.float64, requires_grad=True)
    return mg.autograd.grad((w * x + b - target) ** 2, w)[0].item()


def slope_as_a_fraction(w, x, b, target):
    from fractions import Fraction

    return 2 * (Fraction(w) * Fraction(x) + Fraction(b) - Fraction(target)) * Fraction(x)


def slope_of_complex_numbers(w, x, b, target):
    step = 1e-20
    return ((complex(w, step) * x + b - target) ** 2).imag / step


def slope_left_complex(w, x, b, target):
    return 2 * (complex(w) * x + b - target) * x


# 01: small_weights, kind_of, freeze_first, middle_gradient


def weights_rounded(numbers, scale):
    return mg.tensor([round(number * scale, 2) for number in numbers], requires_grad=True)


def weights_once_each(numbers, scale):
    return mg.tensor([number * scale for number in dict.fromkeys(numbers)], requires_grad=True)


def weights_of_any_scale_but_0(numbers, scale):
    return (mg.tensor(numbers) * (scale or 1.0)).requires_grad_()


def weights_by_dividing(numbers, scale):
    return (mg.tensor(numbers) / (1 / scale)).requires_grad_()


def weights_as_they_are(numbers, scale):
    weights = mg.tensor(numbers, requires_grad=True)
    weights.detach().mul(scale)
    return weights


def weights_that_are_data(numbers, scale):
    with mg.no_grad():
        return mg.tensor(numbers, requires_grad=True) * scale


def weights_in_the_list(numbers, scale):
    for place, number in enumerate(numbers):
        numbers[place] = number * scale
    return mg.tensor(numbers, requires_grad=True)


def weights_with_a_gradient(numbers, scale):
    weights = (mg.tensor(numbers) * scale).requires_grad_()
    weights.sum().backward()
    return weights


def weights_by_numpy(numbers, scale):
    return mg.tensor(np.array(numbers) * scale).requires_grad_(True)


def weights_below_autograd(numbers, scale):
    weights = mg.tensor(numbers, requires_grad=True)
    with mg.no_grad():
        weights.mul_(scale)
    return weights


def weights_flagged(numbers, scale):
    weights = mg.tensor(numbers).mul_(scale)
    weights.requires_grad = True
    return weights


def kind_by_class(tensor):
    if isinstance(tensor, mg.nn.Parameter):
        return "parameter"
    return REFERENCE["kind_of"](tensor)


def kind_of_leaves_by_a_gradient(tensor):
    if not tensor.is_leaf:
        return "result"
    return "data" if tensor.grad is None else "parameter"


def kind_by_a_gradient(tensor):
    if tensor.is_leaf and tensor._grad is not None:
        return "parameter"
    return REFERENCE["kind_of"](tensor)


def kind_by_a_retained_gradient(tensor):
    return "parameter" if tensor.requires_grad and tensor._grad is not None else REFERENCE["kind_of"](tensor)


def kind_by_numbers(tensor):
    kind = REFERENCE["kind_of"](tensor)
    return "data" if not tensor.detach().any() else kind


def kind_by_dimensions(tensor):
    return "result" if tensor.dim() == 0 else REFERENCE["kind_of"](tensor)


def kind_by_trying(tensor):
    kind = REFERENCE["kind_of"](tensor)
    if kind == "parameter":
        tensor.grad = mg.zeros_like(tensor)
    return kind


def kind_of_a_retained_one(tensor):
    if tensor.requires_grad:
        tensor.retain_grad()
    return REFERENCE["kind_of"](tensor)


def kind_without_recording(tensor):
    mg.set_grad_enabled(False)
    return REFERENCE["kind_of"](tensor)


def kind_in_capitals(tensor):
    return REFERENCE["kind_of"](tensor).upper()


def kind_from_the_end(tensor):
    if tensor.is_leaf and tensor.requires_grad:
        return "parameter"
    return "data" if tensor.is_leaf else "result"


def kind_by_a_list(tensor):
    return ["data", "result", "parameter"][tensor.requires_grad + (tensor.requires_grad and tensor.is_leaf)]


def kind_matched(tensor):
    match tensor.requires_grad, tensor.grad_fn:
        case False, _:
            return np.str_("data")
        case True, None:
            return "parameter"
    return "result"


def froze_replacements(parameters, count):
    for place, parameter in enumerate(parameters[:count]):
        parameters[place] = parameter.detach()
    return parameters[count:]


def froze_and_deleted(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = False
    del parameters[:count]
    return list(parameters)


def froze_by_turning(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = not parameter.requires_grad
    return parameters[count:]


def froze_the_next_that_trains(parameters, count):
    for parameter in [parameter for parameter in parameters if parameter.requires_grad][:count]:
        parameter.requires_grad = False
    return parameters[count:]


def froze_and_compared(parameters, count):
    frozen = [parameter.requires_grad_(False).tolist() for parameter in parameters[:count]]
    return [parameter for parameter in parameters if parameter.tolist() not in frozen]


def froze_and_cleared(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
        parameter.grad = None
    return parameters[count:]


def froze_and_zeroed(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad_(False).zero_()
    return parameters[count:]


def froze_and_returned_copies(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return [parameter.clone() for parameter in parameters[count:]]


def froze_and_returned_a_tuple(parameters, count):
    first, rest = parameters[:count], tuple(parameters[count:])
    for parameter in first:
        parameter.requires_grad = False
    return rest


def froze_with_numbers(parameters, count):
    rest = []
    for number, parameter in enumerate(parameters):
        if number < count:
            parameter.requires_grad_(False)
        else:
            rest += [parameter]
    return rest


def froze_from_the_end(parameters, count):
    for place in reversed(range(count)):
        parameters[place].detach_().requires_grad_(False)
    return [*parameters][count:]


def middle_through_w(w, x, target):
    REFERENCE["middle_gradient"](w, x, target)
    return w.grad / x


def middle_of_one_dimension(w, x, target):
    activated = (w * x).detach().tanh()
    return 2 * (activated.sum(dim=0) - target) * (1 - activated**2)


def middle_in_the_shape_of_w(w, x, target):
    w.grad = None
    REFERENCE["middle_gradient"](w, x, target)
    return w.grad


def middle_averaged(w, x, target):
    hidden = w * x
    return mg.autograd.grad((hidden.tanh().mean() - target) ** 2, hidden)[0]


def middle_rounded(w, x, target):
    return (REFERENCE["middle_gradient"](w, x, target) * 100).round() / 100


def middle_without_a_walk(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    return hidden.grad


def middle_without_a_return(w, x, target):
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    hidden.grad  # noqa: B018


def middle_that_freezes(w, x, target):
    gradient = REFERENCE["middle_gradient"](w, x, target)
    w.requires_grad_(False)
    return gradient


def middle_by_a_hook(w, x, target):
    hidden, seen = w * x, []
    hidden.register_hook(seen.append)
    ((hidden.tanh().sum() - target) ** 2).backward()
    return seen[0]


def middle_as_a_leaf(w, x, target):
    hidden = (w * x).detach().requires_grad_()
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden.grad


def middle_with_inputs(w, x, target):
    hidden = w * x
    ((hidden.tanh().sum() - target) ** 2).backward(inputs=[hidden])
    return hidden.grad


def froze_as_many_from_the_end(parameters, count):
    for parameter in [*reversed(parameters)][:count]:
        parameter.requires_grad_(False)
    return parameters[: len(parameters) - count]


# 02: node_names, leaves_of, graph_depth


def names_for_each_output(root):
    met = [(root.grad_fn, 0)]
    for node, _ in met:
        met += [pair for pair in dict.fromkeys(node.next_functions) if pair[0] is not None and pair not in met]
    return [node.name() for node, _ in met]


def names_of_the_engine_only(root):
    return [node.name() for node in nodes_of(root) if node.name().endswith(("Backward0", "AccumulateGrad"))]


def names_to_two_inputs(root):
    met = [root.grad_fn]
    for node in met:
        met += [one for one in dict.fromkeys(one for one, _ in node.next_functions[:2]) if one and one not in met]
    return [node.name() for node in met]


def names_with_none(root):
    return [node.name() for node in nodes_of(root)] + ["None"] * sum(
        following is None for node in nodes_of(root) for following, _ in node.next_functions
    )


def names_and_a_walk(root):
    names = [node.name() for node in nodes_of(root)]
    root.sum().backward()
    return names


def names_of_types(root):
    return [type(node) for node in nodes_of(root)]


def names_counted(root):
    return list(Counter(type(node).__name__ for node in nodes_of(root)).elements())


def names_from_a_dict(root):
    met = {}
    todo = [(root.grad_fn, 0)]
    while todo:
        node, _ = todo.pop()
        if node is not None and node not in met:
            met[node] = node.name()
            todo.extend(node.next_functions)
    return list(met.values())


def names_in_numpy_strings(root):
    return tuple(np.str_(node.name()) for node in nodes_of(root))


def leaves_that_differ(root):
    found = []
    for leaf in REFERENCE["leaves_of"](root):
        if not any(mg.equal(leaf, other) for other in found):
            found.append(leaf)
    return found


def leaves_by_their_text(root):
    return list({repr(leaf): leaf for leaf in REFERENCE["leaves_of"](root)}.values())


def leaves_cut_at_views(root):
    return [node.variable for node in nodes_of(root)[:8] if hasattr(node, "variable")]


def leaves_of_two_inputs(root):
    met = [root.grad_fn]
    for node in met:
        met += [one for one in dict.fromkeys(one for one, _ in node.next_functions[:2]) if one and one not in met]
    return [node.variable for node in met if hasattr(node, "variable")]


def leaves_after_a_walk(root):
    leaves = REFERENCE["leaves_of"](root)
    root.backward(mg.ones_like(root))
    return [leaf for leaf in leaves if leaf.grad is not None]


def leaves_detached(root):
    return [leaf.detach() for leaf in REFERENCE["leaves_of"](root)]


def leaves_and_nones(root):
    return [getattr(node, "variable", None) for node in nodes_of(root)]


def leaves_in_a_set(root):
    return {node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"}


def leaves_by_class(root):
    return [node.variable for node in nodes_of(root) if isinstance(node, mg.autograd.graph.AccumulateGrad)]


def leaves_by_identity(root):
    found, seen, todo = [], {id(root.grad_fn)}, [root.grad_fn]
    for node in todo:
        if "Accumulate" in node.name():
            found.insert(0, node.variable)
        for following, _ in node.next_functions:
            if following and id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return found


def depth_over_outputs(root):
    depths = REFERENCE["graph_depth"](root)
    return depths + any("Unbind" in node.name() for node in nodes_of(root))


def depth_of_two_inputs(root):
    depth, todo = {}, [root.grad_fn]
    while todo:
        inner = [one for one, _ in todo[-1].next_functions[:2] if one is not None]
        unknown = [one for one in inner if one not in depth]
        todo += unknown
        if not unknown:
            depth[todo.pop()] = 1 + max([depth[one] for one in inner], default=0)
    return depth[root.grad_fn]


def depth_by_distinct_names(root):
    return len({node.name() for node in nodes_of(root)})


def depth_as_a_text(root):
    return str(REFERENCE["graph_depth"](root))


def depth_once_met(root):
    depth = {root.grad_fn: 1}
    todo = [root.grad_fn]
    for node in todo:
        for following, _ in node.next_functions:
            if following is not None and following not in depth:
                depth[following] = depth[node] + 1
                todo.append(following)
    return max(depth.values())


def depth_level_by_level(root):
    level, count = {root.grad_fn}, 0
    while level:
        count += 1
        level = {following for node in level for following, _ in node.next_functions if following is not None}
    return count


def depth_in_waves(root):
    depth = dict.fromkeys(nodes_of(root), 1)
    for node in REFERENCE["run_order"](root):
        for following, _ in node.next_functions:
            if following:
                depth[following] = max(depth[following], depth[node] + 1)
    return float(max(depth.values()))


def depth_in_an_array(root):
    return np.array(REFERENCE["graph_depth"](root))


def names_as_printed(root):
    return [str(node) for node in nodes_of(root)]


def leaves_that_have_no_gradient(root):
    return [node.variable for node in nodes_of(root) if hasattr(node, "variable") and node.variable.grad is None]


def depth_from_a_stack(root):
    depth, todo = {root.grad_fn: 1}, [root.grad_fn]
    while todo:
        node = todo.pop()
        for following in [found for found, _ in node.next_functions if found and found not in depth]:
            depth[following] = depth[node] + 1
            todo.append(following)
    return max(depth.values())


def depth_with_a_large_stack(root):
    import sys

    sys.setrecursionlimit(100_000)
    known = {None: 0}

    def depth(node):
        if node not in known:
            known[node] = 1 + max((depth(following) for following, _ in node.next_functions), default=0)
        return known[node]

    return depth(root.grad_fn)


def depth_corrected_until_it_stays(root):
    depth, todo = {}, [(root.grad_fn, 1)]
    while todo:
        node, found = todo.pop()
        if found > depth.get(node, 0):
            depth[node] = found
            todo += [(following, found + 1) for following, _ in node.next_functions if following]
    return max(depth.values())


# 03: by_hand, arrivals, run_order, jacobian, descend


def leaves_of_example(e):
    return [node.variable.detach() for node, _ in e.grad_fn.next_functions[0][0].next_functions]


def hand_by_formula(e):
    a, b = leaves_of_example(e)
    return 2 * a * b * (b + 1), a * a * (2 * b + 1)


def hand_by_backward(e):
    e.backward()
    a, b = (node.variable.grad for node, _ in e.grad_fn.next_functions[0][0].next_functions)
    return a, b


def hand_by_grad(e):
    return mg.autograd.grad(e, [node.variable for node, _ in e.grad_fn.next_functions[0][0].next_functions])


def hand_in_whole_numbers(e):
    return tuple(gradient.round() for gradient in REFERENCE["by_hand"](e))


def hand_in_floats(e):
    return tuple(gradient.item() for gradient in REFERENCE["by_hand"](e))


def hand_without_signs(e):
    return tuple(gradient.abs() for gradient in REFERENCE["by_hand"](e))


def hand_with_one_gradient_summed(e):
    a, b = REFERENCE["by_hand"](e)
    return (a + b, b) if leaves_of_example(e)[0] == leaves_of_example(e)[1] else (a, b)


def hand_with_c_in_parts(e):
    node_e = e.grad_fn
    (node_c, _), (node_d, _) = node_e.next_functions
    to_c, to_d = node_e(mg.ones(()))
    more_to_c, to_a = node_d(to_d)
    first, second = node_c(to_c), node_c(more_to_c)
    return first[0] + second[0] + to_a, first[1] + second[1]


def hand_without_recording(e):
    with mg.no_grad():
        return REFERENCE["by_hand"](e)


def hand_in_numbers_of_its_own(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    to_c, to_d = (gradient.detach() for gradient in e.grad_fn(mg.tensor(1.0)))
    from_d = node_d(to_d)
    from_c = node_c(mg.stack([to_c, from_d[0]]).sum())
    return [sum([from_d[1], from_c[0]]), from_c[1].clone()]


def hand_down_to_the_leaves(e):
    gradients = REFERENCE["by_hand"](e)
    leaves = [node for node, _ in e.grad_fn.next_functions[0][0].next_functions]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf(gradient)
    return tuple(leaf.variable.grad for leaf in leaves)


def hand_with_each_part(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    to_c, to_d = e.grad_fn(mg.tensor(1.0))
    more, first = node_d(to_d)
    return first, *node_c(to_c + more)


def arrivals_of_pairs(root):
    counts = Counter({root.grad_fn: 1})
    for node in nodes_of(root):
        counts.update(one for one, _ in dict.fromkeys(node.next_functions) if one is not None)
    return counts


def arrivals_of_first_outputs(root):
    counts = Counter({root.grad_fn: 1})
    for node in nodes_of(root):
        counts.update(one for one, number in node.next_functions if one is not None and number == 0)
    return counts


def arrivals_and_a_walk(root):
    counts = REFERENCE["arrivals"](root)
    root.sum().backward()
    return counts


def arrivals_at_most_two(root):
    return {node: min(count, 2) for node, count in REFERENCE["arrivals"](root).items()}


def arrivals_in_text(root):
    return {node: str(count) for node, count in REFERENCE["arrivals"](root).items()}


def arrivals_with_other_nodes(root):
    return {**REFERENCE["arrivals"](root), mg.tensor(1.0, requires_grad=True).sin().grad_fn: 1}


def arrivals_of_yes_and_no(root):
    return {node: count == 1 or count for node, count in REFERENCE["arrivals"](root).items()}


def arrivals_that_forget_the_root(root):
    counts = arrivals_of_first_outputs(root)
    del counts[root.grad_fn]
    return counts


def arrivals_counted(root):
    counts = Counter(one for node in nodes_of(root) for one, _ in node.next_functions if one is not None)
    counts[root.grad_fn] += 1
    return counts


def arrivals_by_default(root):
    counts = defaultdict(int, {root.grad_fn: 1})
    for node in nodes_of(root):
        for one, _ in node.next_functions:
            if one:
                counts[one] += 1
    return counts


def arrivals_in_numpy_numbers(root):
    return {node: np.int64(count) for node, count in REFERENCE["arrivals"](root).items()}


def order_by_distance(root):
    return nodes_of(root)


def order_by_the_longest_list(root):
    order = {}
    for node in [root.grad_fn, *nodes_of(root)]:
        for one, _ in node.next_functions:
            order.pop(one, None)
            if one:
                order[one] = True
        order.setdefault(node, True)
    return list(order)


def order_of_pairs(root):
    waits = Counter(pair for node in nodes_of(root) for pair in dict.fromkeys(node.next_functions))
    ready, order = [root.grad_fn], []
    while ready:
        node = ready.pop()
        order.append(node)
        for pair in dict.fromkeys(node.next_functions):
            waits[pair] -= 1
            if pair[0] and waits[pair] == 0 and pair[0] not in order:
                ready.append(pair[0])
    return order


def order_and_a_walk(root):
    order = REFERENCE["run_order"](root)
    root.sum().backward()
    return order


def order_without_what_sends_nothing(root):
    return [node for node in REFERENCE["run_order"](root) if "Detach" not in node.name()][:9]


def order_in_names(root):
    return [node.name() for node in REFERENCE["run_order"](root)]


def order_of_a_dict(root):
    return dict.fromkeys(REFERENCE["run_order"](root))


def order_with_leaves_last(root):
    order = REFERENCE["run_order"](root)
    return [node for node in order if node.next_functions] + [node for node in order if not node.next_functions]


def order_by_depth(root):
    depth = dict.fromkeys(nodes_of(root), 1)
    for node in REFERENCE["run_order"](root):
        for one, _ in node.next_functions:
            if one:
                depth[one] = max(depth[one], depth[node] + 1)
    return sorted(depth, key=depth.get)


def order_from_behind(root):
    done, order, todo = set(), [], [(root.grad_fn, False)]
    while todo:
        node, is_ready = todo.pop()
        if is_ready:
            order.append(node)
        elif node is not None and node not in done:
            done.add(node)
            todo += [(node, True), *((one, False) for one, _ in node.next_functions)]
    return tuple(reversed(order))


def rows_of(f, x, y):
    for place in range(len(y)):
        weights = mg.zeros(len(y))
        weights[place] = 1.0
        yield mg.autograd.grad(y, x, weights, retain_graph=True)[0]


def order_of_the_last_meetings(root):
    order, todo = {}, [root.grad_fn]
    for node in todo:
        order.pop(node, None)
        order[node] = True
        todo += [following for following, _ in node.next_functions if following]
    return list(order)


def order_by_users(root):
    waits = Counter(found for node in nodes_of(root) for found in {found for found, _ in node.next_functions})
    order = [root.grad_fn]
    for node in order:
        for following, _ in node.next_functions:
            waits[following] -= 1
            if following is not None and waits[following] == 0:
                order.append(following)
    return order


def jacobian_computed_for_each_row(f, x):
    return mg.stack([mg.autograd.grad(f(x)[place], x)[0] for place in range(len(f(x)))])


def jacobian_by_differences(f, x):
    columns = []
    for place in range(len(x)):
        step = mg.zeros_like(x)
        step[place] = 0.25
        columns.append((f(x.detach() + step) - f(x.detach() - step)) / 0.5)
    return mg.stack(columns, dim=1)


def jacobian_of_rows_that_count(f, x):
    rows = [row for row in rows_of(f, x, f(x)) if row.any()]
    return mg.stack(rows)


def jacobian_of_a_square(f, x):
    y = f(x)
    rows = list(rows_of(f, x, y))[: len(x)]
    return mg.stack(rows)


def jacobian_rounded(f, x):
    return mg.stack(list(rows_of(f, x, f(x)))).round()


def jacobian_in_lists(f, x):
    return [row.tolist() for row in rows_of(f, x, f(x))]


def jacobian_column_by_column(f, x):
    return mg.stack(list(rows_of(f, x, f(x))), dim=1)


def jacobian_by_grad(f, x):
    return mg.stack(list(rows_of(f, x, f(x))))


def jacobian_in_one_batch(f, x):
    y = f(x)
    return mg.autograd.grad(y, x, mg.eye(len(y)), is_grads_batched=True)[0]


def jacobian_filled(f, x):
    y = f(x)
    matrix = mg.zeros(len(y), len(x))
    for place, element in enumerate(y):
        x.grad = None
        element.backward(retain_graph=True)
        matrix[place] = x.grad
    return matrix


def trained(loss_of, w, rate, steps, note, clear=True):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(note(loss))
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        if clear:
            w.grad = None
    return losses


def descend_with_graphs(loss_of, w, rate, steps):
    return trained(loss_of, w, rate, steps, lambda loss: loss)


def descend_with_tensors(loss_of, w, rate, steps):
    return trained(loss_of, w, rate, steps, lambda loss: loss.detach())


def descend_and_round(loss_of, w, rate, steps):
    return trained(loss_of, w, rate, steps, lambda loss: round(loss.item(), 1))


def descend_and_leave_the_last(loss_of, w, rate, steps):
    losses = []
    for step in range(steps):
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=step < steps - 1)
    return losses


def descend_and_look_again(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        losses.append(loss_of(w).item())
        trained(loss_of, w, rate, 1, mg.Tensor.item)
    return losses


def descend_once_at_least(loss_of, w, rate, steps):
    w.grad = None
    return trained(loss_of, w, rate, max(steps, 1), mg.Tensor.item)


def descend_the_sum(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        (slope,) = mg.autograd.grad(loss, w)
        with mg.no_grad():
            w -= rate * slope.sum() / w.numel()
    return losses


def descend_from_a_copy(loss_of, w, rate, steps):
    return trained(loss_of, w.detach().clone().requires_grad_(), rate, steps, mg.Tensor.item)


def descend_by_data(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = loss_of(w)
        loss.backward()
        w.data = w.data - rate * w.grad
        losses.append(loss.item())
    return tuple(losses)


def descend_in_numpy_numbers(loss_of, w, rate, steps):
    w.grad = None
    return trained(loss_of, w, rate, steps, lambda loss: np.float32(loss.item()))


def descend_and_zero(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        if w.grad is not None:
            w.grad.zero_()
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=False)
    return losses


def descend_and_zero_afterwards(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item, clear=False)
        w.grad.zero_()
    return losses


def descend_with_one_gradient_too_many(loss_of, w, rate, steps):
    losses = trained(loss_of, w, rate, steps, mg.Tensor.item, clear=False)
    w.grad = None
    return losses


def descend_from_the_second_on(loss_of, w, rate, steps):
    losses = []
    for _ in range(1, steps):
        w.grad = None
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item)
    return losses


def descend_uphill(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, -rate, 1, mg.Tensor.item)
    return losses


def descend_without_the_flag(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item)
        w.requires_grad_(False)
    return losses


def descend_until_it_is_0(loss_of, w, rate, steps):
    losses = []
    while len(losses) < steps and not (losses and losses[-1] < 1e-3):
        w.grad = None
        losses += trained(loss_of, w, rate, 1, mg.Tensor.item)
    return losses


def descend_with_a_hook(loss_of, w, rate, steps):
    w.register_hook(lambda gradient: rate * gradient)
    losses = []
    for _ in range(steps):
        w.grad = None
        losses += trained(loss_of, w, 1.0, 1, mg.Tensor.item)
    return losses


def descend_and_put_back_the_flag(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        (slope,) = mg.autograd.grad(loss, w)
        w.requires_grad_(False).sub_(rate * slope).requires_grad_(True)
        losses.append(loss.item())
    return losses


WRONG = {
    "slope_of_w": [
        (slope_rounded, "likely None of the mistakes that are known"),
        (slope_by_dividing, "ZeroDivisionError"),
        (slope_from_the_weighted_error, "w = 0.0"),
        (slope_of_one_side, ""),
        (slope_without_signs, "likely None of the mistakes that are known"),
        (slope_by_cases, "drawn at random. check.slope_of_w(slope_of_w, seed="),
        (slope_left_complex, "A number is asked for; this is a complex"),
    ],
    "small_weights": [
        (weights_rounded, ""),
        (weights_once_each, "The shape is"),
        (weights_of_any_scale_but_0, ""),
        (weights_by_dividing, "ZeroDivisionError"),
        (weights_as_they_are, "The scale was left out"),
        (weights_in_the_list, "The answer is right, but afterwards numbers has other items than before"),
        (weights_that_are_data, "The flag was not set, or got lost"),
        (weights_with_a_gradient, "a gradient is there already"),
    ],
    "kind_of": [
        (kind_by_class, "frozen after backward()"),
        (kind_by_a_gradient, "frozen after backward()"),
        (kind_of_leaves_by_a_gradient, "Whether .grad is None says only if a backward() has come by"),
        (kind_by_a_retained_gradient, "with a gradient that was retained"),
        (kind_by_numbers, "yours data, expected"),
        (kind_by_dimensions, "[0], requires_grad=True)"),
        (kind_by_trying, "The answer is right, but the tensor is to be asked, not changed"),
        (kind_of_a_retained_one, "The answer is right, but the tensor is to be asked, not changed"),
        (kind_without_recording, "The answer is right, but afterwards grad mode is off"),
        (kind_in_capitals, "The answer is one of the words"),
    ],
    "freeze_first": [
        (froze_replacements, "first difference the list `parameters` afterwards: yours 2 other than before"),
        (froze_and_deleted, "The list itself was changed"),
        (froze_by_turning, "the first of them frozen already"),
        (froze_the_next_that_trains, "the first of them frozen already"),
        (froze_and_compared, "the list returned"),
        (froze_and_cleared, "keeps its numbers and its gradient"),
        (froze_and_zeroed, "keeps its numbers and its gradient"),
        (froze_and_returned_copies, "It holds the right numbers, but in new tensors: return the caller's own"),
        (froze_as_many_from_the_end, "The wrong end was frozen"),
    ],
    "middle_gradient": [
        (middle_through_w, ""),
        (middle_of_one_dimension, "w = [["),
        (middle_in_the_shape_of_w, "This is the gradient of w"),
        (middle_averaged, ""),
        (middle_rounded, "likely None of the mistakes that are known"),
        (middle_that_freezes, "The answer is right, but afterwards w.requires_grad is not what it was"),
        (middle_without_a_walk, "None came back"),
        (middle_without_a_return, "None came back"),
    ],
    "node_names": [
        (names_for_each_output, "A node was counted once for each of its outputs that is used"),
        (names_of_the_engine_only, "is there: yours 0"),
        (names_to_two_inputs, "c.sin()"),
        (names_with_none, "None is there: yours 1, expected 0"),
        (names_and_a_walk, "The answer is right, but somebody walked backward on the way"),
        (names_of_types, "The names are asked for, as str"),
        (names_as_printed, "This is how a node is printed"),
    ],
    "leaves_of": [
        (leaves_that_differ, "A leaf is missing that holds the same numbers as another one"),
        (leaves_by_their_text, "A leaf is missing that holds the same numbers as another one"),
        (leaves_cut_at_views, ""),
        (leaves_of_two_inputs, "c.sin()"),
        (leaves_after_a_walk, "The answer is right, but somebody walked backward on the way"),
        (leaves_detached, "they are copies"),
        (leaves_and_nones, "an item: yours None, expected a tensor"),
        (leaves_that_have_no_gradient, "A leaf is missing that had a .grad already"),
    ],
    "graph_depth": [
        (depth_over_outputs, "first * second"),
        (depth_of_two_inputs, "c.sin()"),
        (depth_by_distinct_names, ""),
        (depth_as_a_text, "A number is asked for; this is a str"),
        (depth_from_a_stack, "Each node got its depth when it was met first"),
        (depth_with_a_large_stack, "The answer is right, but afterwards Python's recursion limit is 100000"),
        (depth_once_met, "Each node got its depth when it was met first"),
    ],
    "by_hand": [
        (hand_by_formula, "The numbers are right, but not by this means"),
        (hand_by_backward, "The numbers are right, but not by this means"),
        (hand_by_grad, "The numbers are right, but not by this means"),
        (hand_in_whole_numbers, "likely None of the mistakes that are known"),
        (hand_in_floats, "this is a float and a tensor is asked for"),
        (hand_without_signs, ""),
        (hand_with_one_gradient_summed, "drawn at random"),
        (hand_down_to_the_leaves, "a leaf's node was called, too"),
        (hand_with_each_part, "2 values are asked for; these are 3"),
    ],
    "arrivals": [
        (arrivals_of_pairs, "(AccumulateGrad): yours 1, expected 2"),
        (arrivals_of_first_outputs, "first * second"),
        (arrivals_and_a_walk, "The answer is right, but somebody walked backward on the way"),
        (arrivals_at_most_two, "y = (x * x) * x.sin().cos() + x * x"),
        (arrivals_in_text, "A number is asked for; this is a str"),
        (arrivals_with_other_nodes, "one key too many"),
        (arrivals_of_yes_and_no, "A number is asked for; this is a bool"),
        (arrivals_that_forget_the_root, "likely None of the mistakes that are known"),
    ],
    "run_order": [
        (order_by_distance, "This goes layer by layer"),
        (order_by_the_longest_list, ""),
        (order_of_pairs, ""),
        (order_and_a_walk, "The answer is right, but somebody walked backward on the way"),
        (order_without_what_sends_nothing, "every node once"),
        (order_in_names, "Each item must be a node of this graph"),
        (order_of_a_dict, "A list of nodes is asked for; this is a dict"),
        (order_by_users, "y = (x * x) * x.sin().cos() + x * x"),
    ],
    "jacobian": [
        (jacobian_computed_for_each_row, "how often f was called: yours 4, expected 1"),
        (jacobian_by_differences, ""),
        (jacobian_of_rows_that_count, "drawn at random"),
        (jacobian_of_a_square, "There are as many rows as x has elements"),
        (jacobian_rounded, ""),
        (jacobian_in_lists, "The numbers are right, but this is a list"),
        (jacobian_column_by_column, "rows and columns have changed places"),
    ],
    "descend": [
        (descend_with_graphs, "this is a tensor, which keeps the whole graph that computed it. A float is asked for"),
        (descend_with_tensors, "this is a tensor. A float is asked for"),
        (descend_and_round, ""),
        (descend_and_leave_the_last, "A gradient or a hook was left behind"),
        (descend_and_look_again, "more work than was asked for"),
        (descend_once_at_least, "steps = 0"),
        (descend_the_sum, ""),
        (descend_from_a_copy, "The caller's w has not changed"),
        (descend_and_zero_afterwards, "The first step went by more than its own gradient"),
        (descend_with_one_gradient_too_many, "The gradients of all steps pile up"),
        (descend_from_the_second_on, "One step is missing"),
        (descend_uphill, "w goes uphill"),
        (descend_without_the_flag, "w does not require a gradient any more"),
        (descend_until_it_is_0, "drawn at random"),
        (descend_with_a_hook, "A gradient or a hook was left behind"),
    ],
}
RIGHT = {
    "slope_of_w": (
        slope_in_fractions,
        slope_of_an_array,
        slope_by_the_engine,
        slope_as_a_fraction,
        slope_of_complex_numbers,
    ),
    "small_weights": (weights_by_numpy, weights_below_autograd, weights_flagged),
    "kind_of": (kind_from_the_end, kind_by_a_list, kind_matched),
    "freeze_first": (froze_and_returned_a_tuple, froze_with_numbers, froze_from_the_end),
    "middle_gradient": (middle_by_a_hook, middle_as_a_leaf, middle_with_inputs),
    "node_names": (names_counted, names_from_a_dict, names_in_numpy_strings),
    "leaves_of": (leaves_in_a_set, leaves_by_class, leaves_by_identity),
    "graph_depth": (depth_level_by_level, depth_in_waves, depth_in_an_array, depth_corrected_until_it_stays),
    "by_hand": (hand_with_c_in_parts, hand_without_recording, hand_in_numbers_of_its_own),
    "arrivals": (arrivals_counted, arrivals_by_default, arrivals_in_numpy_numbers),
    "run_order": (order_with_leaves_last, order_by_depth, order_from_behind),
    "jacobian": (jacobian_by_grad, jacobian_in_one_batch, jacobian_filled),
    "descend": (descend_by_data, descend_in_numpy_numbers, descend_and_zero, descend_and_put_back_the_flag),
}
EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers]
EACH_RIGHT = [(name, answer) for name, answers in RIGHT.items() for answer in answers]


def name_of(value: object) -> str | None:
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=name_of)
def test_a_wrong_answer_is_refused(name: str, answer, words: str) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "bad", card
    assert words in text_of(card), card


@pytest.mark.parametrize(("name", "answer"), EACH_RIGHT, ids=name_of)
def test_a_right_answer_passes(name: str, answer) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "good", card


def test_an_order_by_every_way_to_a_node_does_not_come_to_an_end() -> None:
    card = dataclasses.replace(EXERCISES["run_order"], seconds=0.5).check(order_of_the_last_meetings)
    assert "still running" in text_of(card)
    assert "40 times in a row" in text_of(card)


def middle_on_its_graph(w, x, target):
    activated = (w * x).tanh()
    return 2 * (activated.sum() - target) * (1 - activated**2)


def jacobian_on_its_graph(f, x):
    return mg.stack([mg.autograd.grad(element, x, create_graph=True)[0] for element in f(x)])


@pytest.mark.parametrize(
    ("name", "answer"),
    [("middle_gradient", middle_on_its_graph), ("jacobian", jacobian_on_its_graph)],
    ids=name_of,
)
def test_a_right_answer_that_hangs_on_its_graph_is_told_so(name: str, answer) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "good", card
    assert "the answer requires a gradient, and holds on to its graph" in text_of(card)
    assert "graph" not in text_of(getattr(check, name)(REFERENCE[name]))


def kind_by_freezing(tensor):
    if not tensor.requires_grad:
        return "data"
    try:
        tensor.requires_grad_(False)
    except RuntimeError:
        return "result"
    return "parameter"


def froze_and_popped(parameters, count):
    for _ in range(count):
        parameters.pop(0).requires_grad_(False)
    return parameters


@pytest.mark.parametrize(
    ("name", "answer", "not_made"),
    [
        ("kind_of", kind_by_freezing, "hooks"),
        ("freeze_first", froze_and_popped, "holds other numbers"),
        ("descend", descend_without_the_flag, "has made a new tensor"),
        ("leaves_of", leaves_that_have_no_gradient, "holds the same numbers"),
        ("by_hand", hand_down_to_the_leaves, "to be looked at"),
    ],
    ids=name_of,
)
def test_a_card_does_not_speak_of_a_mistake_that_was_not_made(name: str, answer, not_made: str) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "bad", card
    assert not_made not in text_of(card)


# ---------------------------------------------------------------- what was right, at work


def ran(stepper) -> list[str]:
    """Who runs in a stepper, in that order."""
    stepper.last()
    return [frame.name for frame in stepper.frames[1:]]


def gradients_of(stepper) -> dict[str, str]:
    """What the boxes hold at the end."""
    last = stepper.trace().splitlines()[-1]
    return dict(entry.split(" ") for entry in last.removeprefix("  grad: ").split(", "))


def test_a_right_order_is_walked_by_the_stepper() -> None:
    at_work = EXERCISES["run_order"].at_work
    ours, others = at_work(REFERENCE["run_order"]), at_work(order_by_depth)
    assert sorted(ran(ours)) == sorted(ran(others)) == ["c", "d", "e", "loss", "s"]
    assert ran(ours) != ran(others), "each in its own order"
    assert "⚠" not in ours.trace() + others.trace()
    a, b = mg.tensor(3.0, requires_grad=True), mg.tensor(2.0, requires_grad=True)
    (a * b * (a * b + a) * (a + b)).backward()
    for stepper in (ours, others):
        found = gradients_of(stepper)
        assert (float(found["a"]), float(found["b"])) == (a.grad.item(), b.grad.item())


def test_in_a_wrong_order_the_stepper_says_who_is_too_early() -> None:
    stepper = EXERCISES["run_order"].at_work(order_by_distance)
    stepper.run_to("c")
    assert "has it run when 1 of 2 gradients have arrived: before d, which sends to c.grad" in stepper.trace()


def test_a_right_loop_trains_the_digits() -> None:
    card = EXERCISES["descend"].at_work(descend_by_data)
    looks = re.findall(r"(\d+) steps: +(\d+)% of the test images right, loss ([\d.]+)", repr(card))
    steps, shares, losses = zip(*[(int(step), int(share), float(loss)) for step, share, loss in looks], strict=True)
    assert steps[0] == 0
    assert losses[0] == pytest.approx(np.log(10), abs=0.01)
    assert shares[-1] >= 95
    assert list(losses) == sorted(losses, reverse=True)
    assert repr(card) == repr(EXERCISES["descend"].at_work(descend_and_zero)), "the same numbers each time"

"""Wrong answers to the exercises of chapter 03, and the words that each must be met with."""

from __future__ import annotations

import minigrad as mg
from minigrad.teach import EXERCISES

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}


def nodes_of(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    return e.grad_fn, node_c, node_d


def ran_c_too_early(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    to_a, to_b = node_c(to_c)
    _, more_to_a = node_d(to_d)
    return to_a + more_to_a, to_b


def overwrote_c(e):
    node_e, node_c, node_d = nodes_of(e)
    grad_c, grad_d = node_e(mg.tensor(1.0))
    grad_c, grad_a = node_d(grad_d)
    to_a, to_b = node_c(grad_c)
    return grad_a + to_a, to_b


def overwrote_a(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    to_a, to_b = node_c(to_c + more)
    return to_a, to_b


def kept_only_the_first_a(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    _, to_b = node_c(to_c + more)
    return to_a, to_b


def ran_c_twice_with_the_sum(e):
    node_e, node_c, node_d = nodes_of(e)
    grad_c, to_d = node_e(mg.tensor(1.0))
    grad_a, grad_b = node_c(grad_c)
    more, to_a = node_d(to_d)
    grad_c = grad_c + more
    more_a, more_b = node_c(grad_c)
    return grad_a + to_a + more_a, grad_b + more_b


def b_before_a(e):
    first, second = BY_NAME["by_hand"].reference(e)
    return second, first


def called_with_a_number(e):
    return e.grad_fn(1.0)


def began_with_the_value(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(e.detach())
    more, to_a = node_d(to_d)
    more_to_a, to_b = node_c(to_c + more)
    return to_a + more_to_a, to_b


def called_d_with_one(e):
    node_e, node_c, node_d = nodes_of(e)
    one = mg.tensor(1.0)
    to_c, _ = node_e(one)
    more, to_a = node_d(one)
    more_to_a, to_b = node_c(to_c + more)
    return to_a + more_to_a, to_b


def exchanged_c_and_d(e):
    node_e, node_c, node_d = nodes_of(e)
    to_d, to_c = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    more_to_a, to_b = node_c(to_c + more)
    return to_a + more_to_a, to_b


# arrivals


def with_none(root):
    count = dict(BY_NAME["arrivals"].reference(root))
    count[None] = 1
    return count


def walked_paths(root):
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node, _ in todo.pop().next_functions:
            if next_node is not None:
                count[next_node] = count.get(next_node, 0) + 1
                todo.append(next_node)
    return count


def counted_users(root):
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node in {node for node, _ in todo.pop().next_functions if node is not None}:
            if next_node not in count:
                count[next_node] = 0
                todo.append(next_node)
            count[next_node] += 1
    return count


def forgot_the_root(root):
    count = dict(BY_NAME["arrivals"].reference(root))
    del count[root.grad_fn]
    return count


def forgot_the_leaves(root):
    return {node: n for node, n in BY_NAME["arrivals"].reference(root).items() if node.next_functions}


def pairs_as_keys(root):
    return {(node, 0): n for node, n in BY_NAME["arrivals"].reference(root).items()}


def names_as_keys(root):
    return {node.name(): n for node, n in BY_NAME["arrivals"].reference(root).items()}


def tensors_as_keys(root):
    return {root: 1}


def arrivals_by_recursion(root):
    count = {root.grad_fn: 1}

    def visit(node):
        for next_node, _ in node.next_functions:
            if next_node is not None:
                new = next_node not in count
                count[next_node] = count.get(next_node, 0) + 1
                if new:
                    visit(next_node)

    visit(root.grad_fn)
    return count


def counted_outgoing(root):
    return {node: len(node.next_functions) for node in BY_NAME["run_order"].reference(root)}


def began_with_one(root):
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    for node in todo:
        for next_node, _ in node.next_functions:
            if next_node is None:
                continue
            if next_node not in count:
                count[next_node] = 1
                todo.append(next_node)
            count[next_node] += 1
    return count


def one_for_each(root):
    return dict.fromkeys(BY_NAME["run_order"].reference(root), 1)


# run_order


def depth_first(root):
    order = []
    todo = [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in order:
            continue
        order.append(node)
        todo += [next_node for next_node, _ in reversed(node.next_functions)]
    return order


def layer_by_layer(root):
    order, layer, met = [], [root.grad_fn], {root.grad_fn}
    while layer:
        order += layer
        following = []
        for node in layer:
            for next_node, _ in node.next_functions:
                if next_node is not None and next_node not in met:
                    met.add(next_node)
                    following.append(next_node)
        layer = following
    return order


def forward_order(root):
    return BY_NAME["run_order"].reference(root)[::-1]


def each_path_once_more(root):
    order, todo = [], [root.grad_fn]
    while todo and len(order) < 1000:
        node = todo.pop(0)
        order.append(node)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return order


def without_leaves(root):
    return [node for node in BY_NAME["run_order"].reference(root) if node.next_functions]


def none_among_them(root):
    return [*BY_NAME["run_order"].reference(root), None]


def never_counted_down(root):
    waits = BY_NAME["arrivals"].reference(root)
    order, ready = [], [root.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        ready += [next_node for next_node, _ in node.next_functions if waits.get(next_node) == 1]
    return order


def by_sequence_number(root):
    return sorted(BY_NAME["arrivals"].reference(root), key=lambda node: node._sequence_nr(), reverse=True)


# jacobian


def one_hot(y, i):
    weights = mg.zeros_like(y)
    weights[i] = 1.0
    return weights


def did_not_clear(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows.append(x.grad.clone())
    return mg.stack(rows)


def same_tensor_in_all_rows(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows.append(x.grad)
        x.grad.zero_()
    return mg.stack(rows)


def did_not_retain(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i))
        rows.append(x.grad)
        x.grad = None
    return mg.stack(rows)


def without_weights(f, x):
    f(x).backward()
    return x.grad


def ones_as_weights(f, x):
    y = f(x)
    rows = []
    for _ in range(len(y)):
        x.grad = None
        y.backward(gradient=mg.ones_like(y), retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows)


def transposed(f, x):
    return BY_NAME["jacobian"].reference(f, x).T


def gradient_of_the_sum(f, x):
    f(x).sum().backward()
    return x.grad


def list_of_rows(f, x):
    return list(BY_NAME["jacobian"].reference(f, x))


def row_for_each_x(f, x):
    y = f(x)
    rows = []
    for i in range(min(len(x), len(y))):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows.append(x.grad)
        x.grad = None
    return mg.stack(rows)


def rows_in_a_line(f, x):
    return mg.cat(list(BY_NAME["jacobian"].reference(f, x)))


def new_list_each_time(f, x):
    y = f(x)
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows = [x.grad]
        x.grad = None
    return mg.stack(rows)


# descend


def never_cleared(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def cleared_before_use(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w.grad.zero_()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def set_none_before_use(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w.grad = None
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def uphill(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w += rate * w.grad
        w.grad = None
    return losses


def recorded_the_update(loss_of, w, rate, steps):
    for _ in range(steps):
        loss_of(w).backward()
        w -= rate * w.grad
        w.grad = None
    return []


def new_name_for_w(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w = (w - rate * w.grad).detach().requires_grad_()
    return losses


def losses_after_the_steps(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss_of(w).backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        losses.append(loss_of(w).item())
    return losses


def moved_by_the_rate(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate
        w.grad = None
    return losses


def one_loss_for_all(loss_of, w, rate, steps):
    losses, loss = [], loss_of(w)
    for _ in range(steps):
        losses.append(loss.item())
        loss.backward(retain_graph=True)
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return losses


def one_step_more(loss_of, w, rate, steps):
    return BY_NAME["descend"].reference(loss_of, w, rate, steps + 1)


def last_loss_only(loss_of, w, rate, steps):
    return BY_NAME["descend"].reference(loss_of, w, rate, steps)[-1]


WRONG = {
    "by_hand": [
        (began_with_the_value, "began with the value of e"),
        (called_d_with_one, "Node d was called with 1"),
        (exchanged_c_and_d, "What e sends to c was given to d"),
        (ran_c_too_early, "before d had sent its part"),
        (overwrote_c, "the part from e was overwritten"),
        (overwrote_a, "misses what d sent"),
        (kept_only_the_first_a, "misses what c sent"),
        (ran_c_twice_with_the_sum, "Node c was called twice"),
        (b_before_a, "have changed places"),
        (called_with_a_number, "A node wants tensors"),
    ],
    "arrivals": [
        (counted_outgoing, "gradients that a node sends"),
        (began_with_one, "One too many for each"),
        (one_for_each, "Every node has a 1"),
        (with_none, "None is among the keys"),
        (walked_paths, "the edges behind it were counted twice"),
        (counted_users, "Nodes were counted, but edges are asked for"),
        (forgot_the_root, "root's own node is missing"),
        (forgot_the_leaves, "The leaves are missing"),
        (pairs_as_keys, "The keys are pairs"),
        (names_as_keys, "The keys are names"),
        (tensors_as_keys, "The keys are tensors"),
        (arrivals_by_recursion, "Keep a list of what is still to do"),
    ],
    "run_order": [
        (never_counted_down, "A node is missing that waits"),
        (by_sequence_number, "Sequence numbers alone"),
        (depth_first, "goes as deep as it can"),
        (layer_by_layer, "goes layer by layer"),
        (forward_order, "that of the forward pass"),
        (each_path_once_more, "more than once"),
        (without_leaves, "The leaves are missing"),
        (none_among_them, "None is in the list"),
    ],
    "jacobian": [
        (row_for_each_x, "as many rows as x has elements"),
        (rows_in_a_line, "one behind the other"),
        (new_list_each_time, "Only one row is left"),
        (did_not_clear, "Each row has all the rows before it in it"),
        (same_tensor_in_all_rows, "All rows are the same tensor"),
        (did_not_retain, "Say retain_graph=True"),
        (without_weights, "pass gradient="),
        (ones_as_weights, "the weights were 1 everywhere"),
        (transposed, "Rows and columns have changed places"),
        (gradient_of_the_sum, "This is one gradient"),
        (list_of_rows, "mg.stack(...) makes one tensor of several"),
    ],
    "descend": [
        (moved_by_the_rate, "w moves by rate"),
        (one_loss_for_all, "computed once, before the loop"),
        (one_step_more, "One step too many"),
        (last_loss_only, "This is one loss"),
        (never_cleared, "The gradients of all steps pile up"),
        (cleared_before_use, "The gradient was cleared before it was used"),
        (set_none_before_use, "w.grad is None where it is needed"),
        (uphill, "w goes uphill"),
        (recorded_the_update, "only inside `with mg.no_grad():`"),
        (new_name_for_w, "The caller's w has not changed"),
        (losses_after_the_steps, "those after each step"),
    ],
}

"""What the exercises of chapter 03 share: the graph that the chapter walks again and again, and counts of nodes."""

import minigrad as mg
from minigrad.teach import Case, cases, draw_wrong_node, measured, plain

from .chapter02 import first_times_second


def running_example(a, b):
    """c = a * b; d = c + a; e = c * d: the tensor e, and all by name."""
    leaf_a, leaf_b = mg.tensor(a, requires_grad=True), mg.tensor(b, requires_grad=True)
    c = leaf_a * leaf_b
    d = c + leaf_a
    e = c * d
    nodes = [e.grad_fn, d.grad_fn, c.grad_fn, *(node for node, _ in c.grad_fn.next_functions)]
    e.letters = dict(zip(nodes, "edcab", strict=True))
    return e, {"a": leaf_a, "b": leaf_b, "c": c, "d": d, "e": e}


@cases("c = a * b; d = c + a; e = c * d, with a = {a} and b = {b}")
def running_case(a, b):
    return (running_example(a, b)[0],)


def draw_wrong(a, b, wrong, difference):
    """The chapter's graph with one box in red; "" if it has no box of that name."""
    root, named = running_example(a, b)
    if wrong not in named:
        return ""
    return draw_wrong_node(root, named, wrong, f"✗ yours: {plain(difference.yours)}")


def measured_slopes(a, b):
    """The slopes of e for a and b, in words."""
    return measured("e", lambda a, b: (a * b) * (a * b + a), {"a": a, "b": b}, "ab")


def _square():
    leaf = mg.tensor(3.0, requires_grad=True)
    return (leaf * leaf,)


def _used_twice_by_two():
    x = mg.tensor(3.0, requires_grad=True)
    return ((x * x) * x.sin().cos() + x * x,)


def _two_outputs():
    leaf = mg.tensor(3.0, requires_grad=True)
    return (first_times_second(leaf, leaf.sin()),)


def _many_inputs():
    x = mg.tensor(3.0, requires_grad=True)
    return (mg.stack([x, x.sin(), x.cos(), x.exp(), x.tanh() * x]).sum(),)


def _with_constants():
    leaf = mg.tensor(2.0, requires_grad=True)
    return (mg.tensor(3.0) * leaf + mg.tensor(1.0),)


def _repeated(operation, times):
    y = mg.tensor(1.0, requires_grad=True)
    for _ in range(times):
        y = operation(y)
    return (y,)


GRAPHS = (
    running_case(3.0, 2.0),
    Case("y = x * x, with x = 3.0", _square),
    Case("y = tensor(3.0) * x + tensor(1.0): two inputs that need no gradient", _with_constants),
    Case("y = first * second, where first, second = stack([x, x.sin()]).unbind(), with x = 3.0", _two_outputs),
    Case("y = (x * x) * x.sin().cos() + x * x, with x = 3.0", _used_twice_by_two),
    Case("y = stack([x, x.sin(), x.cos(), x.exp(), x.tanh() * x]).sum(), with x = 3.0", _many_inputs),
    Case("y = y.sin() * y.cos(), 40 times in a row", lambda: _repeated(lambda y: y.sin() * y.cos(), 40)),
    Case("y = y.sin(), 5000 times in a row", lambda: _repeated(lambda y: y.sin(), 5_000)),
)
LARGEST = 12  # nodes of a graph that is told node by node


def arrivals(root):
    """For each node of the graph, how many gradients arrive before it may run; 1 for the root's, from which the walk
    begins.
    """
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        node = todo.pop()
        for next_node, _ in node.next_functions:
            if next_node is None:
                continue
            if next_node not in count:
                count[next_node] = 0
                todo.append(next_node)
            count[next_node] += 1
    return count


def run_order(root):
    """The nodes in an order in which each one has everything it waits for."""
    waits = arrivals(root)
    ready, order = [root.grad_fn], []
    while ready:
        node = ready.pop()
        order.append(node)
        for next_node, _ in node.next_functions:
            if next_node is None:
                continue
            waits[next_node] -= 1
            if waits[next_node] == 0:
                ready.append(next_node)
    return order


def node_names(root):
    """The nodes of a case's graph and what the card calls them: by their tensor where the case names it, else
    numbered.
    """
    numbered = {node: f"node {number} ({node.name()})" for number, node in enumerate(run_order(root), 1)}
    letters = {node: name for node, name in getattr(root, "letters", {}).items() if node in numbered}
    return {**letters, **numbered, **letters}


def leaf_values(root):
    """a and b of the running example; nothing for other graphs."""
    leaves = {name: node.variable for node, name in node_names(root).items() if node.name() == "AccumulateGrad"}
    return {name: float(leaf.item()) for name, leaf in leaves.items()} if set(leaves) == {"a", "b"} else {}


def draw_node(outcome, difference):
    """The running example with the node in red; nothing for the other graphs, whose nodes have numbers only."""
    values = leaf_values(outcome.arguments[0])
    return draw_wrong(**values, wrong=difference.where.partition(" ")[0], difference=difference) if values else ""

"""Exercise `run_order`: an order in which each node has all that it waits for."""

from collections import Counter

import minigrad as mg
from minigrad.autograd.graph import AccumulateGrad, Node
from minigrad.teach import EXERCISES, Difference, Exercise, Mistake, edited, nodes_of, plain, show
from minigrad.teach.limits import print_limit

from .chapter02 import ENDED_AT_NONE, SECONDS, drawn, harmed, kind_if_no_list
from .chapter03 import GRAPHS, LARGEST, arrivals, draw_node, leaf_values, measured_slopes, node_names, run_order

ROOT_MISSING = "The root's own node is missing. It runs first, with the gradient that the walk begins with."


def _compare_order(_, got, outcome):
    names = node_names(outcome.arguments[0])
    if not isinstance(got, list | tuple):
        kind = type(got).__name__
        return Difference("the answer", plain(kind), "list", f"A list of nodes is asked for, and not this {kind}.")
    place = {}
    for number, node in enumerate(got, 1):
        if not _is_node(node) or node not in names:
            told = "Each item must be a node of this graph, such as root.grad_fn and what next_functions leads to."
            return Difference(f"place {number}", plain(node), "a node of the graph", told)
        if node in place:
            return Difference(f"place {number}", f"{names[node]} once more", "each node once")
        place[node] = number
    for node, name in names.items():
        if node not in place:
            return Difference(name, "missing", "every node once")
    late = [
        (place[next_node], place[node], node, next_node)
        for node in got
        for next_node, _ in node.next_functions
        if next_node is not None
    ]
    for at, user_at, user, node in sorted(late, key=lambda found: found[:2]):
        if user_at > at:
            told = f"{names[user]}, which sends to it, runs only at place {user_at}"
            return Difference(f"{names[node]} runs at place {at}", told, f"{names[user]} before {names[node]}")
    return harmed(outcome.arguments[0]) or kind_if_no_list(got)


def _is_node(value):
    return isinstance(value, Node)


def _show_order(value, arguments):
    if not isinstance(value, list | tuple):
        return show(value)
    names = node_names(arguments[0])
    if len(value) > LARGEST:
        return f"a list of {len(value)} items"
    return (
        ", ".join(names.get(node, plain(node)) if _is_node(node) else plain(node) for node in value) or "an empty list"
    )


def _walked(outcome):
    """Run the live nodes in the learner's order, each with what has arrived by then: a leaf's node writes that."""
    names = node_names(outcome.arguments[0])
    order, values = _items(outcome), leaf_values(outcome.arguments[0])
    if not values or harmed(outcome.arguments[0]) or any(_is_node(node) and node not in names for node in order):
        return ""
    arrived, written = {outcome.arguments[0].grad_fn: mg.tensor(1.0)}, {}
    for node in order:
        if not _is_node(node) or node not in arrived:
            continue
        if isinstance(node, AccumulateGrad):
            written[names[node]] = written.get(names[node], 0.0) + arrived[node].item()
            continue
        for gradient, (next_node, _) in zip(node(arrived[node]), node.next_functions, strict=True):
            arrived[next_node] = arrived[next_node] + gradient if next_node in arrived else gradient
    found = {name: show(written[name]) if name in written else "nothing" for name in "ab"}
    given = f"  the engine's nodes, run in your order, give a {found['a']} and b {found['b']}"
    return f"{given}\n{measured_slopes(**values)}"


def _items(outcome):
    return list(outcome.value) if isinstance(outcome.value, list | tuple) else []


def _backwards(outcome):
    """Whether it is an order, from its other end."""
    return len(_items(outcome)) > 1 and _compare_order(None, _items(outcome)[::-1], outcome) is None


def _only_leaves_are_missing(outcome):
    others = {node for node in node_names(outcome.arguments[0]) if not isinstance(node, AccumulateGrad)}
    return all(_is_node(item) for item in _items(outcome)) and set(_items(outcome)) == others


def _only_the_root_is_missing(outcome):
    nodes, items = set(node_names(outcome.arguments[0])), _items(outcome)
    return all(map(_is_node, items)) and nodes - set(items) == {outcome.arguments[0].grad_fn}


def _one_that_waits_is_missing(outcome):
    """Whether what is there is a beginning that ends before the nodes which wait for several gradients."""
    waits, items = arrivals(outcome.arguments[0]), _items(outcome)
    if not items or not all(_is_node(item) for item in items):
        return False
    return any(waits[node] > 1 for node in waits if node not in items) and all(waits.get(node) == 1 for node in items)


def _once_for_each_sender(outcome):
    """Whether what is missing waits for ever where a sender of two gradients counts down once."""
    waits, ready, reached = arrivals(outcome.arguments[0]), [outcome.arguments[0].grad_fn], set()
    nodes = set(waits)
    while ready:
        reached.add(node := ready.pop())
        for next_node in {next_node for next_node, _ in node.next_functions} - {None}:
            waits[next_node] -= 1
            if waits[next_node] == 0:
                ready.append(next_node)
    items = _items(outcome)
    return reached != nodes and all(map(_is_node, items)) and len(items) == len(reached) and set(items) == reached


def _repeats(outcome):
    nodes = [item for item in _items(outcome) if _is_node(item)]
    return len(set(nodes)) < len(nodes)


def _goes_deep(outcome):
    """Whether a walk into the depth, on its own list or by calls, comes to this order here, and so in another graph;
    not in all of them: calls end where one is deep.
    """
    with print_limit(0):
        other = EXERCISE.run(outcome.answer, GRAPHS[4])
    return any(all(deep(one.arguments[0]) == _items(one) for one in (outcome, other)) for deep in INTO_THE_DEPTH)


def _at_work(answer):
    from .chapter03_at_work import stepper_in_order  # only when it is shown: the pictures take a while to load

    return stepper_in_order(answer)


# ---------------------------------------------------------------- wrong answers


def none_among_them(root):
    """None is in the list. An input that needs no gradient has no node to run."""
    return [*run_order(root), None]


def forward_order(root):
    """The order is that of the forward pass, from the leaves to the root. Backward begins at the root."""
    return run_order(root)[::-1]


def each_path_once_more(root):
    """A node is in the list more than once. It must run once, when all its contributions are there."""
    order, todo = [], [root.grad_fn]
    while todo and len(order) < 1000:
        node = todo.pop(0)
        order.append(node)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return order


def without_leaves(root):
    """The leaves are missing. Their AccumulateGrad has to run as well: it writes .grad."""
    return [node for node in run_order(root) if node.next_functions]


def never_counted_down(root):
    """A node is missing that waits for several gradients. Count down each time that one arrives, and take the node when
    its number has come to 0; it is never 1 at the beginning.
    """
    waits = arrivals(root)
    order, ready = [], [root.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        ready += [next_node for next_node, _ in node.next_functions if waits.get(next_node) == 1]
    return order


def counted_down_once_for_each_sender(root):
    """A node is missing that gets two gradients from one sender, as in x * x. Each edge counts down by one: go over all
    of next_functions, and not over the different nodes in it.
    """
    waits, order, ready = arrivals(root), [], [root.grad_fn]
    while ready:
        node = ready.pop()
        order.append(node)
        for next_node in {next_node for next_node, _ in node.next_functions} - {None}:
            waits[next_node] -= 1
            if waits[next_node] == 0:
                ready.append(next_node)
    return order


def to_the_end_when_met_again(root):
    """A node that is met again went to the end of the order, and those behind it stayed where they were, before it
    now. Count what has arrived instead.
    """
    order, todo = {root.grad_fn: None}, [root.grad_fn]
    for node in todo:
        for next_node, _ in node.next_functions:
            if next_node is not None:
                if next_node not in order:
                    todo.append(next_node)
                order.pop(next_node, None)
                order[next_node] = None
    return list(order)


def depth_first_and_leaves(root):
    """The leaves come last, as they may. The others run as they are met first: a node that is used twice then runs
    before its second gradient has arrived.
    """
    todo, met, order = [root.grad_fn], {root.grad_fn}, []
    while todo:
        node = todo.pop()
        order.append(node)
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in met:
                met.add(next_node)
                todo.append(next_node)
    return sorted(order, key=lambda node: not node.next_functions)


def by_sequence_number(root):
    """The leaves are first, as where nodes are sorted by their sequence numbers, of which an AccumulateGrad has the
    largest: they do not tell when a leaf may run. Count what has arrived.
    """
    return sorted(arrivals(root), key=lambda node: node._sequence_nr(), reverse=True)


def as_arrivals_counts(root):
    """This is the order in which arrivals(root) has met the nodes, as its dict keeps them. To be met is not to be
    ready: others may still send to that node. Its numbers say how many: count them down.
    """
    return list(arrivals(root))


def depth_first(root):
    """This goes as deep as it can, along one of the inputs, and runs each node the first time it is met. A node that is
    used twice then runs before its second gradient has arrived.
    """
    order = {}
    todo = [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in order:
            order[node] = True
            todo += [next_node for next_node, _ in reversed(node.next_functions)]
    return list(order)


INTO_THE_DEPTH = (
    depth_first,
    edited(depth_first, "reversed(node.next_functions)", "node.next_functions"),
    edited(depth_first_and_leaves, "sorted(order, key=lambda node: not node.next_functions)", "order"),
)


def layer_by_layer(root):
    """This goes layer by layer, and runs each node the first time it is met. How few steps a node is away from the root
    says nothing about when its last gradient arrives: c is one step from e, and also two steps, by way of d.
    """
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


# ---------------------------------------------------------------- tried as well


def order_by_calls(root):
    order = []

    def visit(node):
        if node is not None and node not in order:
            order.append(node)
            for next_node, _ in node.next_functions:
                visit(next_node)

    visit(root.grad_fn)
    return order


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
    order = run_order(root)
    root.sum().backward()
    return order


def order_with_leaves_last(root):
    order = run_order(root)
    return [node for node in order if node.next_functions] + [node for node in order if not node.next_functions]


def order_by_depth(root):
    depth = dict.fromkeys(nodes_of(root), 1)
    for node in run_order(root):
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
    return order[::-1]


def order_by_users(root):
    waits = Counter(found for node in nodes_of(root) for found in {found for found, _ in node.next_functions})
    order = [root.grad_fn]
    for node in order:
        for following, _ in node.next_functions:
            waits[following] -= 1
            if following is not None and waits[following] == 0:
                order.append(following)
    return order


def order_from_the_front(root):
    waits = EXERCISES["arrivals"].reference(root)
    ready, order = [root.grad_fn], []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for following, _ in node.next_functions:
            if following is not None:
                waits[following] -= 1
                if not waits[following]:
                    ready.append(following)
    return order


def order_newest_first(root):
    return sorted(
        nodes_of(root), key=lambda node: -1 if node.name() == "AccumulateGrad" else node._sequence_nr(), reverse=True
    )


EXERCISE = Exercise(
    title="a list of all nodes, each one behind every node that sends to it",
    stars=3,
    minutes=12,
    reference=run_order,
    cases=GRAPHS,
    drawn=drawn,
    hints=(
        "Let arrivals(root) count, and count down. A node is ready when its number has come down to 0.",
        (
            "Keep a list of ready nodes; at first it holds root.grad_fn alone. Take one, put it into the "
            "order, and count down each of its next nodes."
        ),
        (
            "waits = arrivals(root); ready = [root.grad_fn]; while ready: take a node, append it to the order, "
            "and for each next node that is not None: "
            "waits[next_node] -= 1, and if that makes 0, append it to ready."
        ),
    ),
    compare=_compare_order,
    show=_show_order,
    seconds=SECONDS,
    evidence=_walked,
    picture=draw_node,
    at_work=_at_work,
    mistakes=(
        Mistake(none_among_them, when=lambda outcome: any(item is None for item in _items(outcome))),
        Mistake(forward_order, when=_backwards),
        Mistake(each_path_once_more, when=_repeats),
        Mistake(counted_down_once_for_each_sender, when=_once_for_each_sender),
        Mistake(
            edited(run_order, "continue", "break"),
            edited(run_order, "continue", "break", "ready.pop()", "ready.pop(0)"),
            words=ENDED_AT_NONE,
        ),
        Mistake(without_leaves, when=_only_leaves_are_missing),
        Mistake(never_counted_down, when=_one_that_waits_is_missing),
        by_sequence_number,
        as_arrivals_counts,
        Mistake(
            *(
                edited(
                    run_order,
                    *(
                        "node = ready.pop()",
                        f"node = ready.pop({end})\n        if node in order:\n            continue",
                    ),
                    *("== 0", "<= 1"),
                )
                for end in (-1, 0)
            ),
            words="A node is taken one gradient too early, when a single one is still to come. It is ready when its "
            "number has come down to 0.",
        ),
        Mistake(*INTO_THE_DEPTH, when=_goes_deep),
        Mistake(lambda root: run_order(root)[1:], words=ROOT_MISSING, when=_only_the_root_is_missing),
        to_the_end_when_met_again,
        depth_first_and_leaves,
        Mistake(
            layer_by_layer,
            edited(layer_by_layer, "return order", "return sorted(order, key=lambda node: not node.next_functions)"),
        ),
    ),
    right=(order_with_leaves_last, order_by_depth, order_from_behind, order_from_the_front, order_newest_first),
    wrong={
        "This goes layer by layer": [order_by_distance],
        "runs each node the first time it is met. A node that is used twice": [
            order_by_calls,
            edited(order_by_calls, "not in order", "not in set(order)"),
        ],
        "the order in which arrivals(root) has met the nodes": [lambda root: list(arrivals(root))],
        "A node that is met again went to the end": [order_by_the_longest_list],
        "A node is in the list more than once": [order_of_pairs],
        "The answer is right, but somebody walked backward on the way": [order_and_a_walk],
        "the nodes behind root have other hooks or metadata than before": [
            edited(
                order_from_the_front, "order.append", "node.register_prehook(lambda given: None)\n        order.append"
            )
        ],
        "run in your order, give a 36 and b nothing": [
            lambda root: sorted(waits := arrivals(root), key=lambda node: waits[node])
        ],
        "run in your order, give a 18 and b nothing": [edited(run_order, "== 0", "== 1")],
        "every node once": [lambda root: [node for node in run_order(root) if "Detach" not in node.name()][:9]],
        "Each item must be a node of this graph": [lambda root: [node.name() for node in run_order(root)]],
        "a list is asked for, and this is a tuple": [lambda root: tuple(run_order(root))],
        "A list of nodes is asked for, and not this dict": [lambda root: dict.fromkeys(run_order(root))],
        "y = (x * x) * x.sin().cos() + x * x": [order_by_users],
    },
)

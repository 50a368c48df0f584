"""Exercises `arrivals` and `run_order`: for how many gradients each node waits, and an order to run in."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.graph import AccumulateGrad, Node
from minigrad.creation.data import tensor
from minigrad.teach.card import plain
from minigrad.teach.chapters.chapter03.running_example import CHAPTER, draw_wrong, running_case
from minigrad.teach.comparing import Difference, show
from minigrad.teach.evidence import measured
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


def arrivals(root: Tensor) -> dict[Node, int]:
    """For each node of the graph, how many gradients arrive before it may run; 1 for the root's, from which the walk
    begins.
    """
    start: Any = root.grad_fn
    count = {start: 1}
    todo = [start]
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


def _arrivals_of_each_path(root: Tensor) -> dict[Any, int]:
    count: dict[Any, int] = {root.grad_fn: 1}
    todo: list[Any] = [root.grad_fn]
    while todo:
        for next_node, _ in todo.pop().next_functions:
            if next_node is not None:
                count[next_node] = count.get(next_node, 0) + 1
                todo.append(next_node)
            if len(todo) > 10_000:
                raise RuntimeError("too many paths")
    return count


def _arrivals_of_each_user(root: Tensor) -> dict[Any, int]:
    users: dict[Any, set[Any]] = {node: set() for node in arrivals(root)}
    for node in users:
        for next_node, _ in node.next_functions:
            if next_node is not None:
                users[next_node].add(node)
    return {node: len(found) + (node is root.grad_fn) for node, found in users.items()}


def _sent_by_each(root: Tensor) -> dict[Any, int]:
    return {node: len(node.next_functions) for node in arrivals(root)}


def _used_by(outcome: Outcome) -> str:
    names = _names(outcome.arguments[0])
    if len(names) > 12:
        return ""
    lines = []
    for node in names:
        users = [names[user] for user in names for next_node, _ in user.next_functions if next_node is node]
        lines.append(
            f"  {names[node]} gets "
            + ("the 1 of backward()" if not users else " and ".join(f"one from {user}" for user in users))
        )
    return "\n".join(lines)


def _names(root: Tensor) -> dict[Any, str]:
    """The nodes of a case's graph and what the report calls them: by their tensor in the running example, else
    numbered.
    """
    nodes = _right_order(root)
    kinds = [node.name() for node in nodes]
    if kinds == ["MulBackward0", "AddBackward0", "MulBackward0", "AccumulateGrad", "AccumulateGrad"]:
        leaves = [node for node, _ in nodes[2].next_functions]
        return dict(zip([*nodes[:3], *leaves], ["e", "d", "c", "a", "b"], strict=True))
    return {node: f"node {number} ({node.name()})" for number, node in enumerate(nodes, 1)}


def _compare_counts(_: Any, got: Any, outcome: Outcome) -> Difference | None:
    expected = arrivals(outcome.arguments[0])  # of the learner's graph: another graph has other nodes
    names = _names(outcome.arguments[0])
    if not isinstance(got, dict):
        return Difference(
            "the answer",
            plain(type(got).__name__),
            "dict",
            f"A dict from nodes to numbers is asked for; this is a {type(got).__name__}.",
        )
    for node, name in names.items():
        if node not in got:
            return Difference(name, "missing", str(expected[node]))
        if isinstance(got[node], bool) or got[node] != expected[node]:
            return Difference(name, show(got[node]), str(expected[node]))
    for key in got:
        if key not in expected:
            return Difference(
                "one key too many",
                plain(key),
                "nodes of the graph only",
                "Every key must be a node, and belong to this graph.",
            )
    return None


def _show_counts(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, dict):
        return show(value)
    names = _names(arguments[0])
    if len(value) > 12:
        return f"a dict of {len(value)} entries"
    known = [node for node in names if node in value] + [key for key in value if key not in names]
    return "{" + ", ".join(f"{names.get(key, plain(key))}: {show(value[key])}" for key in known) + "}"


def _square(x: float) -> Case:
    def make() -> tuple[Tensor]:
        leaf = tensor(x, requires_grad=True)
        return (leaf * leaf,)

    return Case(f"y = x * x, with x = {x}", make)


def _with_constant() -> Case:
    def make() -> tuple[Tensor]:
        leaf = tensor(2.0, requires_grad=True)
        return (tensor(3.0) * leaf + tensor(1.0),)

    return Case("y = tensor(3.0) * x + tensor(1.0): two inputs that need no gradient", make)


def _ladder(rungs: int) -> Case:
    def make() -> tuple[Tensor]:
        y = tensor(1.0, requires_grad=True)
        for _ in range(rungs):
            y = y.sin() * y.cos()
        return (y,)

    return Case(f"y = y.sin() * y.cos(), {rungs} times in a row", make)


def _chain(length: int) -> Case:
    def make() -> tuple[Tensor]:
        y = tensor(1.0, requires_grad=True)
        for _ in range(length):
            y = y.sin()
        return (y,)

    return Case(f"y = y.sin(), {length} times in a row", make)


def _keys(outcome: Outcome) -> Any:
    return outcome.value if isinstance(outcome.value, dict) else {}


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The running example with the node in red; nothing for the other graphs, whose nodes have numbers only."""
    names = _names(outcome.arguments[0])
    values = {name: float(node.variable.item()) for node, name in names.items() if name in ("a", "b")}
    wrong = difference.where.partition(" ")[0]
    return draw_wrong(values["a"], values["b"], wrong, difference) if values else ""


ARRIVALS = Exercise(
    name="arrivals",
    chapter=CHAPTER,
    title="a dict from each node to the number of gradients that it waits for",
    stars=2,
    minutes=10,
    reference=arrivals,
    cases=(running_case(3.0, 2.0), _square(3.0), _with_constant(), _ladder(4), _chain(5_000)),
    hints=(
        "Count edges: each pair in some node's next_functions is one gradient that will arrive.",
        (
            "Keep a list of nodes that are still to be looked at, and a dict of those that were met. A node is "
            "put on the list only the first time it is met."
        ),
        (
            "Begin with {root.grad_fn: 1}. Take a node from the list; for each of its next nodes that is not "
            "None: if it is new, give it 0 and put it "
            "on the list; in any case add 1."
        ),
    ),
    compare=_compare_counts,
    show=_show_counts,
    evidence=_used_by,
    picture=_draw,
    mistakes=(
        Mistake(
            (
                "None is among the keys. An input that needs no gradient has no node: next_functions says "
                "(None, 0), and nothing is sent there."
            ),
            when=lambda outcome: None in _keys(outcome),
        ),
        Mistake(
            "The keys are pairs. next_functions holds (node, number) pairs; the node is the first of the two.",
            when=lambda outcome: any(isinstance(key, tuple) for key in _keys(outcome)),
        ),
        Mistake(
            "The keys are tensors. The walk is over nodes: begin with root.grad_fn.",
            when=lambda outcome: any(isinstance(key, Tensor) for key in _keys(outcome)),
        ),
        Mistake(
            (
                "The keys are names, and two nodes can have the same one: here the nodes of c and e are both "
                "MulBackward0. Use the node itself as the key."
            ),
            when=lambda outcome: any(isinstance(key, str) for key in _keys(outcome)),
        ),
        Mistake(
            "The root's own node is missing, or counts 0. Give it 1, for the gradient that backward() starts with.",
            when=lambda outcome: (
                isinstance(outcome.value, dict) and outcome.value.get(outcome.arguments[0].grad_fn, 0) == 0
            ),
        ),
        Mistake(
            (
                "The leaves are missing. Their AccumulateGrad is a node like the others, only its "
                "next_functions are empty."
            ),
            when=lambda outcome: (
                isinstance(outcome.value, dict) and not any(isinstance(key, AccumulateGrad) for key in outcome.value)
            ),
        ),
        Mistake(
            (
                "A node that can be reached in two ways was looked at twice, and so the edges behind it were "
                "counted twice. "
                "Look at each node once, the first time it is met."
            ),
            _arrivals_of_each_path,
        ),
        Mistake(
            "These are the numbers of gradients that a node sends, one for each of its inputs. Asked for is how many "
            "arrive at it.",
            _sent_by_each,
        ),
        Mistake(
            "One too many for each: a node that is met for the first time begins with 0, and only root.grad_fn with 1.",
            lambda root: {node: count + (node is not root.grad_fn) for node, count in arrivals(root).items()},
        ),
        Mistake(
            "Every node has a 1. Where a second edge leads to a node that was met before, 1 is to be added.",
            lambda root: dict.fromkeys(arrivals(root), 1),
        ),
        Mistake(
            (
                "Nodes were counted, but edges are asked for. x * x is one node with two edges to x, and sends "
                "two gradients."
            ),
            _arrivals_of_each_user,
        ),
    ),
)


def run_order(root: Tensor) -> list[Node]:
    """The nodes in an order in which each one has everything it waits for."""
    return _right_order(root)


def _right_order(root: Tensor) -> list[Any]:
    waits: dict[Any, int] = dict(arrivals(root))
    ready: list[Any] = [root.grad_fn]
    order = []
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


def _depth_first(root: Tensor) -> list[Any]:
    order: dict[Any, None] = {}
    todo: list[Any] = [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in order:
            order[node] = None
            todo.extend(next_node for next_node, _ in reversed(node.next_functions))
    return list(order)


def _breadth_first(root: Tensor) -> list[Any]:
    order: list[Any] = [root.grad_fn]
    met = set(order)
    for node in order:
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in met:
                met.add(next_node)
                order.append(next_node)
    return order


def _compare_order(_: Any, got: Any, outcome: Outcome) -> Difference | None:
    names = _names(outcome.arguments[0])
    if not isinstance(got, list | tuple):
        return Difference(
            "the answer",
            plain(type(got).__name__),
            "list",
            f"A list of nodes is asked for; this is a {type(got).__name__}.",
        )
    place: dict[Any, int] = {}
    for number, node in enumerate(got, 1):
        if not _hashable(node) or node not in names:
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
    return None


def _hashable(value: Any) -> bool:
    return isinstance(value, Node)


def _show_order(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, list | tuple):
        return show(value)
    names = _names(arguments[0])
    if len(value) > 12:
        return f"a list of {len(value)} items"
    return (
        ", ".join(names.get(node, plain(node)) if _hashable(node) else plain(node) for node in value) or "an empty list"
    )


def _walked(outcome: Outcome) -> str:
    """Run the live nodes in the learner's order, each with what has arrived by then."""
    names = _names(outcome.arguments[0])
    order = outcome.value
    if (
        set(names.values()) != {"a", "b", "c", "d", "e"}
        or not isinstance(order, list | tuple)
        or any(node not in names for node in order if _hashable(node))
    ):
        return ""
    arrived: dict[Any, Any] = {outcome.arguments[0].grad_fn: tensor(1.0)}
    for node in order:
        if not _hashable(node) or node not in arrived or isinstance(node, AccumulateGrad):
            continue
        for gradient, (next_node, _) in zip(node(arrived[node]), node.next_functions, strict=True):
            arrived[next_node] = arrived[next_node] + gradient if next_node in arrived else gradient
    by_name = {name: node for node, name in names.items()}
    found = {name: show(arrived[by_name[name]].item()) if by_name[name] in arrived else "nothing" for name in "ab"}
    a, b = (float(by_name[name].variable.item()) for name in "ab")
    lines = [f"  the engine's nodes, run in your order, give a {found['a']} and b {found['b']}"]
    return "\n".join([*lines, measured("e", lambda a, b: (a * b) * (a * b + a), {"a": a, "b": b}, "ab")])


def _items(outcome: Outcome) -> list[Any]:
    return list(outcome.value) if isinstance(outcome.value, list | tuple) else []


def _backwards(outcome: Outcome) -> bool:
    items = _items(outcome)
    return len(items) > 1 and items[-1] is outcome.arguments[0].grad_fn and items[0] is not items[-1]


def _only_leaves_are_missing(outcome: Outcome) -> bool:
    others = {node for node in _names(outcome.arguments[0]) if not isinstance(node, AccumulateGrad)}
    return all(_hashable(item) for item in _items(outcome)) and set(_items(outcome)) == others


def _one_that_waits_is_missing(outcome: Outcome) -> bool:
    """Whether what is there is a beginning that ends before the nodes which wait for several gradients."""
    waits, items = arrivals(outcome.arguments[0]), _items(outcome)
    if not items or not all(_hashable(item) for item in items):
        return False
    return any(waits[node] > 1 for node in waits if node not in items) and all(waits.get(node) == 1 for node in items)


def _repeats(outcome: Outcome) -> bool:
    nodes = [item for item in _items(outcome) if _hashable(item)]
    return len(set(nodes)) < len(nodes)


RUN_ORDER = Exercise(
    name="run_order",
    chapter=CHAPTER,
    title="a list of all nodes, each one behind every node that sends to it",
    stars=3,
    minutes=12,
    reference=run_order,
    cases=(running_case(3.0, 2.0), _square(3.0), _with_constant(), _ladder(4), _chain(5_000)),
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
    evidence=_walked,
    picture=_draw,
    mistakes=(
        Mistake(
            "None is in the list. An input that needs no gradient has no node to run.",
            when=lambda outcome: any(item is None for item in _items(outcome)),
        ),
        Mistake(
            "The order is that of the forward pass, from the leaves to the root. Backward begins at the root.",
            when=_backwards,
        ),
        Mistake(
            "A node is in the list more than once. It must run once, when all its contributions are there.",
            when=_repeats,
        ),
        Mistake(
            "The leaves are missing. Their AccumulateGrad has to run as well: it writes .grad.",
            when=_only_leaves_are_missing,
        ),
        Mistake(
            "A node is missing that waits for two gradients. Count down each time that one arrives, and take the node "
            "when its number has come to 0; it is never 1 at the beginning.",
            when=_one_that_waits_is_missing,
        ),
        Mistake(
            "Sequence numbers alone do not tell when a leaf may run: an AccumulateGrad has the largest of all, so that "
            "it runs as soon as it is ready. Count what has arrived.",
            lambda root: sorted(arrivals(root), key=lambda node: -node._sequence_nr()),
        ),
        Mistake(
            "This goes as deep as it can, along the first input, and runs each node the first time it is met. "
            "A node that is used twice then runs before its second gradient has arrived.",
            _depth_first,
        ),
        Mistake(
            (
                "This goes layer by layer, and runs each node the first time it is met. How few steps a node "
                "is away from the root says "
                "nothing about when its last gradient arrives: c is one step from e, and also two steps, by way of d."
            ),
            _breadth_first,
        ),
    ),
)

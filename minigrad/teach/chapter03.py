"""Chapter 03, backward step by step: five exercises on the walk, and four predictions.

After this module a reader has seen the walk of `backward()` written three times by hand: node by node, as counts,
and as an order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.autograd.graph import AccumulateGrad, Node
from minigrad.creation.data import tensor, zeros_like
from minigrad.ops.pointwise.trigonometry import sin
from minigrad.ops.shapes.joining import stack
from minigrad.teach.card import plain
from minigrad.teach.comparing import Difference, show
from minigrad.teach.evidence import STEP, measured
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.teach.prediction import Option, Prediction
from minigrad.tensor import Tensor

CHAPTER = "03_backward_step_by_step"


# ---------------------------------------------------------------- by_hand


def by_hand(e: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of a and b, by calling the nodes of c = a * b; d = c + a; e = c * d."""
    node_e, node_c, node_d = _nodes(e)
    e_to_c, e_to_d = node_e(tensor(1.0))
    d_to_c, d_to_a = node_d(e_to_d)
    c_to_a, c_to_b = node_c(e_to_c + d_to_c)
    return d_to_a + c_to_a, c_to_b


def _nodes(e: Tensor) -> tuple[Any, Any, Any]:
    node_e: Any = e.grad_fn
    (node_c, _), (node_d, _) = node_e.next_functions
    return node_e, node_c, node_d


def _by_hand_wrongly(walk: Callable[[Any, Any, Any, Any, Any, Any], Any]) -> Callable[[Tensor], Any]:
    """A walk that gets the first two calls right: what e sends, what d sends, and node c are given to `walk`."""

    def wrong(e: Tensor) -> Any:
        node_e, node_c, node_d = _nodes(e)
        e_to_c, e_to_d = node_e(tensor(1.0))
        d_to_c, d_to_a = node_d(e_to_d)
        return walk(node_c, e_to_c, d_to_c, d_to_a, node_d, e_to_d)

    return wrong


def _summed_twice(node_c: Any, e_to_c: Any, d_to_c: Any, d_to_a: Any, *_: Any) -> Any:
    early, late = node_c(e_to_c), node_c(e_to_c + d_to_c)
    return d_to_a + early[0] + late[0], early[1] + late[1]


def _running(a: float, b: float) -> Case:
    def make() -> tuple[Tensor]:
        e, _ = running_example(a, b)
        return (e,)

    return Case(f"c = a * b; d = c + a; e = c * d, with a = {a} and b = {b}", make)


def running_example(a: float, b: float) -> tuple[Tensor, dict[str, Tensor]]:
    """The chapter's graph, and its tensors by name."""
    leaf_a, leaf_b = tensor(a, requires_grad=True), tensor(b, requires_grad=True)
    c = leaf_a * leaf_b
    d = c + leaf_a
    e = c * d
    return e, {"a": leaf_a, "b": leaf_b, "c": c, "d": d, "e": e}


def _measured_by_hand(outcome: Outcome) -> str:
    node_c = _nodes(outcome.arguments[0])[1]
    a, b = (float(node.variable.item()) for node, _ in node_c.next_functions)
    return measured("e", lambda a, b: (a * b) * (a * b + a), {"a": a, "b": b}, "ab")


BY_HAND = Exercise(
    name="by_hand",
    chapter=CHAPTER,
    title="a tuple of two tensors, the gradients of a and b, found by calling the nodes e, d and c",
    stars=1,
    minutes=6,
    reference=by_hand,
    cases=(_running(3.0, 2.0), _running(-1.5, 4.0), _running(0.5, -3.0)),
    hints=(
        (
            "Each call of a node gives one gradient per input, in the order of next_functions. Begin with the "
            "node of e and tensor(1.0)."
        ),
        "c gets two contributions, one from e and one from d. Call its node once, with their sum.",
        (
            "a gets two contributions as well: one from d and one from c. So the order of calls is e, d, c, "
            "and the answer is (from d + from c, from c)."
        ),
    ),
    evidence=_measured_by_hand,
    mistakes=(
        Mistake(
            (
                "Node c was called before d had sent its part: it got only what came from e. Call the node of "
                "d first, and c with the sum of both."
            ),
            _by_hand_wrongly(
                lambda node_c, e_to_c, d_to_c, d_to_a, *_: (d_to_a + node_c(e_to_c)[0], node_c(e_to_c)[1])
            ),
        ),
        Mistake(
            (
                "Node c got only what came from d: the part from e was overwritten. Contributions are added, "
                "as in +=, never replaced, as in =."
            ),
            _by_hand_wrongly(
                lambda node_c, e_to_c, d_to_c, d_to_a, *_: (d_to_a + node_c(d_to_c)[0], node_c(d_to_c)[1])
            ),
        ),
        Mistake(
            "The gradient of a misses what d sent. a is used twice, by c and by d, and both parts count.",
            _by_hand_wrongly(lambda node_c, e_to_c, d_to_c, d_to_a, *_: node_c(e_to_c + d_to_c)),
        ),
        Mistake(
            "The gradient of a misses what c sent. a is used twice, by c and by d, and both parts count.",
            _by_hand_wrongly(lambda node_c, e_to_c, d_to_c, d_to_a, *_: (d_to_a, node_c(e_to_c + d_to_c)[1])),
        ),
        Mistake(
            (
                "Node c was called twice, the second time with the sum, so what came from e went through it "
                "twice. One call, with the sum, is enough."
            ),
            _by_hand_wrongly(_summed_twice),
        ),
        Mistake(
            "The two gradients have changed places: a first, then b.",
            _by_hand_wrongly(
                lambda node_c, e_to_c, d_to_c, d_to_a, *_: (
                    node_c(e_to_c + d_to_c)[1],
                    d_to_a + node_c(e_to_c + d_to_c)[0],
                )
            ),
        ),
        Mistake(
            "A node wants tensors: write tensor(1.0), not 1.0.",
            when=lambda outcome: (
                isinstance(outcome.error, TypeError) and "must be called with tensors" in str(outcome.error)
            ),
        ),
    ),
)


# ---------------------------------------------------------------- arrivals


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


ARRIVALS = Exercise(
    name="arrivals",
    chapter=CHAPTER,
    title="a dict from each node to the number of gradients that it waits for",
    stars=2,
    minutes=10,
    reference=arrivals,
    cases=(_running(3.0, 2.0), _square(3.0), _with_constant(), _ladder(4), _chain(5_000)),
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
            (
                "Nodes were counted, but edges are asked for. x * x is one node with two edges to x, and sends "
                "two gradients."
            ),
            _arrivals_of_each_user,
        ),
    ),
)


# ---------------------------------------------------------------- run_order


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
    cases=(_running(3.0, 2.0), _square(3.0), _with_constant(), _ladder(4), _chain(5_000)),
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
            when=lambda outcome: (
                bool(_items(outcome)) and not any(isinstance(item, AccumulateGrad) for item in _items(outcome))
            ),
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


# ---------------------------------------------------------------- jacobian


def jacobian(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """The matrix whose row i is the gradient of f(x)[i]."""
    y = f(x)
    rows: list[Any] = []
    for i in range(len(y)):
        weights = zeros_like(y)
        weights[i] = 1.0
        y.backward(gradient=weights, retain_graph=True)
        rows.append(x.grad)
        x.grad = None
    return stack(rows)


def _jacobian_wrongly(
    take: str = "fresh", weights_of: str = "one", retain: bool = True, transposed: bool = False
) -> Callable[..., Any]:
    def wrong(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
        y = f(x)
        rows: list[Any] = []
        for i in range(len(y)):
            weights = zeros_like(y)
            weights[i if weights_of == "one" else slice(None)] = 1.0
            y.backward(gradient=weights, retain_graph=retain)
            grad: Any = x.grad
            rows.append(grad if take == "shared" else grad.clone())
            if take == "shared":
                grad.zero_()
            elif take == "fresh":
                x.grad = None
        matrix = stack(rows)
        return matrix.T if transposed else matrix

    return wrong


def _sums(f: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    f(x).sum().backward()
    return x.grad


def _vector_case(words: str, f: Callable[[Any], Any], numbers: list[float]) -> Case:
    return Case(f"f(x) = {words} at x = {numbers}", lambda: (f, tensor(numbers, requires_grad=True)))


def _measured_jacobian(outcome: Outcome) -> str:
    f, x = outcome.arguments
    numbers = x.detach().numpy().astype(np.float64)
    lines = []
    for column in range(len(numbers)):
        step = np.zeros_like(numbers)
        step[column] = STEP
        with no_grad():
            above, below = (f(tensor(numbers + sign * step)).numpy() for sign in (1, -1))
        slopes = ", ".join(f"{slope:.4g}" for slope in (above - below) / (2 * STEP))
        lines.append(f"  x[{column}] moved by {STEP}: column {column} is {slopes}")
    return "\n".join(lines)


JACOBIAN = Exercise(
    name="jacobian",
    chapter=CHAPTER,
    title="a tensor with one row for each element of f(x), which holds its gradient",
    stars=2,
    minutes=10,
    reference=jacobian,
    cases=(
        _vector_case(
            "stack([x[0] * x[1], x[0] ** 2, x[0] + x[1]])",
            lambda x: stack([x[0] * x[1], x[0] ** 2, x[0] + x[1]]),
            [3.0, 2.0],
        ),
        _vector_case("sin(x) * x.sum()", lambda x: sin(x) * x.sum(), [0.5, -1.0, 2.0]),
        _vector_case(
            "stack([(x * x).sum(), x[0] - x[2]])", lambda x: stack([(x * x).sum(), x[0] - x[2]]), [1.0, 2.0, -1.0]
        ),
    ),
    hints=(
        (
            "backward(gradient=weights) gives the gradient of (weights * y).sum(). Which weights leave y[i] "
            "alone in that sum?"
        ),
        (
            "Row i is x.grad after y.backward(gradient=weights), with 1 at place i and 0 elsewhere. The same "
            "graph is walked once for each row."
        ),
        (
            "Two things must not get lost: retain_graph=True, so that the graph can be walked again, and "
            "x.grad = None after each row, so that "
            "the next row does not start on top of it. In the end, mg.stack(rows)."
        ),
    ),
    evidence=_measured_jacobian,
    mistakes=(
        Mistake(
            "The graph is walked once for each row, and the first walk freed what it had saved. Say retain_graph=True.",
            when=lambda outcome: isinstance(outcome.error, RuntimeError) and "second time" in str(outcome.error),
        ),
        Mistake(
            (
                "f(x) has several elements, so backward() wants to know how much each one counts: pass "
                "gradient=, with 1 for row i and 0 for the others."
            ),
            when=lambda outcome: isinstance(outcome.error, RuntimeError) and "implicitly created" in str(outcome.error),
        ),
        Mistake(
            (
                "Each row has all the rows before it in it: x.grad was not cleared between two calls of "
                "backward(), and backward() adds."
            ),
            _jacobian_wrongly(take="sum"),
        ),
        Mistake(
            (
                "All rows are the same tensor: x.grad.zero_() empties the row that you have just kept. Set "
                "x.grad = None instead, or keep a clone()."
            ),
            _jacobian_wrongly(take="shared"),
        ),
        Mistake(
            (
                "Every row is the gradient of the sum of all elements: the weights were 1 everywhere. For row "
                "i only place i is 1."
            ),
            _jacobian_wrongly(weights_of="all"),
        ),
        Mistake("This is one gradient, that of f(x).sum(). A row for each element of f(x) is asked for.", _sums),
        Mistake(
            "Rows and columns have changed places: row i belongs to f(x)[i], column j to x[j].",
            _jacobian_wrongly(transposed=True),
        ),
    ),
)


# ---------------------------------------------------------------- descend


def descend(loss_of: Callable[[Tensor], Tensor], w: Tensor, rate: float, steps: int) -> list[float]:
    """Change w by gradient descent; return the loss before each step."""
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with no_grad():
            w -= rate * w.grad  # type: ignore[operator]
        w.grad = None
    return losses


def _descend_wrongly(
    clear: str = "after", sign: float = -1.0, in_place: bool = True, record: str = "before"
) -> Callable[..., Any]:
    def wrong(loss_of: Callable[[Tensor], Tensor], w: Any, rate: float, steps: int) -> Any:
        losses = []
        for _ in range(steps):
            loss = loss_of(w)
            if record == "before":
                losses.append(loss.item())
            loss.backward()
            if clear == "too early":
                w.grad.zero_()
            if in_place:
                with no_grad():
                    w += sign * rate * w.grad
            else:
                w = (w + sign * rate * w.grad).detach().requires_grad_()
            if clear == "after" and in_place:
                w.grad = None
            if record == "after":
                losses.append(loss_of(w).item())
        return losses

    return wrong


def _descent_case(words: str, loss_of: Callable[[Any], Any], numbers: Any, rate: float, steps: int) -> Case:
    return Case(
        f"loss = {words}, w = {numbers}, rate = {rate}, steps = {steps}",
        lambda: (loss_of, tensor(numbers, requires_grad=True), rate, steps),
    )


def _losses_and_w(value: Any, arguments: tuple[Any, ...]) -> Any:
    if value is None or value is ...:
        return value
    return (value, arguments[1].detach().clone())


def _compare_descent(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    from minigrad.teach.comparing import compare

    losses, w = got
    return compare(expected[1], w, "w afterwards") or compare(expected[0], losses, "the losses")


def _show_descent(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, tuple):
        return show(value)
    losses, w = value
    return f"losses {show(losses)}; w afterwards {show(w)}"


def _measured_descent(outcome: Outcome) -> str:
    """The slope of the loss where the descent starts, and where the first step leads."""
    loss_of, w, rate, _ = outcome.case.make()
    start = np.atleast_1d(w.detach().numpy().astype(np.float64))
    lines = []
    for place, value in enumerate(start):
        step = np.zeros_like(start)
        step[place] = STEP
        with no_grad():
            above, below = (loss_of(tensor((start + sign * step).reshape(w.shape))).item() for sign in (1, -1))
        slope = (above - below) / (2 * STEP)
        name = f"w[{place}]" if w.ndim else "w"
        lines.append(
            f"  {name} moved by {STEP} at the start: the slope is {slope:.4g}, so the first step goes from {value:.4g} "
            f"to {value - rate * slope:.4g}"
        )
    return "\n".join(lines)


def _message_has(*parts: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)


DESCEND = Exercise(
    name="descend",
    chapter=CHAPTER,
    title="a list of floats, the loss before each step; w itself is changed",
    stars=1,
    minutes=6,
    reference=descend,
    cases=(
        _descent_case("(w - 3) ** 2", lambda w: (w - 3) ** 2, 0.0, 0.1, 4),
        _descent_case(
            "((w - tensor([1., -2.])) ** 2).sum()",
            lambda w: ((w - tensor([1.0, -2.0])) ** 2).sum(),
            [0.0, 0.0],
            0.25,
            3,
        ),
    ),
    hints=(
        "Four things happen in each step, always in this order: loss, backward, change w, clear its gradient.",
        (
            "Changing w must not be recorded, and must happen in place, because w is the tensor that the "
            "caller looks at: with mg.no_grad(): w -= ..."
        ),
        (
            "loss = loss_of(w); losses.append(loss.item()); loss.backward(); with mg.no_grad(): w -= rate * "
            "w.grad; then w.grad = None."
        ),
    ),
    observe=_losses_and_w,
    compare=_compare_descent,
    show=_show_descent,
    evidence=_measured_descent,
    writes=True,
    mistakes=(
        Mistake(
            (
                "w was changed while operations were being recorded. A leaf may be changed in place only "
                "inside `with mg.no_grad():`."
            ),
            when=_message_has("a leaf Variable that requires grad is being used in an in-place operation"),
        ),
        Mistake(
            (
                "w.grad is None where it is needed: either backward() has not run yet, or w = w - ... has made "
                "a new tensor, which is not the leaf any more. "
                "Change w in place: w -= ..."
            ),
            when=lambda outcome: (
                isinstance(outcome.error, TypeError | AttributeError | RuntimeError)
                and any(
                    part in str(outcome.error) for part in ("NoneType", "got None", "does not require grad", "None")
                )
            ),
        ),
        Mistake(
            (
                "The gradients of all steps pile up: backward() adds to .grad, and nothing clears it. Set "
                "w.grad = None after each step."
            ),
            _descend_wrongly(clear="never"),
        ),
        Mistake(
            "The gradient was cleared before it was used, so w never moves. Clear it after the step.",
            _descend_wrongly(clear="too early"),
        ),
        Mistake(
            "w goes uphill: the loss grows where the gradient points. Subtract rate * w.grad.",
            _descend_wrongly(sign=1.0),
        ),
        Mistake(
            (
                "The caller's w has not changed: w = w - ... gives the name w to a new tensor inside your "
                "function. Change it in place, with w -= ..."
            ),
            _descend_wrongly(in_place=False),
        ),
        Mistake(
            (
                "The losses are those after each step. They are asked for before it, beginning with the loss "
                "of the w that came in."
            ),
            _descend_wrongly(record="after"),
        ),
    ),
)

EXERCISES = (BY_HAND, ARRIVALS, RUN_ORDER, JACOBIAN, DESCEND)


# ---------------------------------------------------------------- predictions

PREDICTIONS = (
    Prediction(
        name="who_is_next",
        chapter=CHAPTER,
        about="c = a * b        # 6\nd = c + a        # 9\ne = c * d        # 54",
        question="e.backward() has run the node of e. It has sent 9 to c and 6 to d. Whose node runs next?",
        options=(
            Option(
                "c, because it is the first input of e",
                (
                    "c is used twice, by e and by d. If it ran now, it would know only the 9 from e, and what "
                    "d still sends would come too late."
                ),
            ),
            Option(
                "d, because c still waits for a gradient from d",
                "d has all that it waits for, the one gradient from e. After it has run, c has both of its two.",
                True,
            ),
            Option(
                "c, because it has the larger gradient",
                "The size of a gradient says nothing about the order. Only the counts do: c has 1 of 2, d has 1 of 1.",
            ),
            Option(
                "both at the same time, because both have received something",
                (
                    "Having received something is not enough. c has 1 of 2, and its rule would run with a "
                    "gradient that is not complete."
                ),
            ),
        ),
    ),
    Prediction(
        name="with_weights",
        chapter=CHAPTER,
        about=(
            "x = mg.tensor([1., 2., 3.], requires_grad=True)\ny = x ** 2\ny.backward(gradient=mg.tensor([1., 0., 0.5]))"
        ),
        question="What is x.grad?",
        options=(
            Option(
                "[2., 4., 6.]: the slope of x ** 2 is 2 * x",
                "That is the answer for weights of 1, as in y.sum().backward(). Here the elements count 1, 0 and 0.5.",
            ),
            Option(
                "[1., 0., 0.5]: x.grad is set to the gradient that is passed",
                (
                    "What is passed is the gradient of y, the start of the walk. It still has to go through "
                    "the rule of x ** 2."
                ),
            ),
            Option(
                "[2., 0., 3.]: each slope times its weight",
                "The walk starts with the weights instead of 1, and the rule multiplies them by 2 * x.",
                True,
            ),
            Option(
                "5.0: the weighted slopes, summed up",
                (
                    "A gradient has the shape of its tensor: one number for each element of x. 5.0 is the sum "
                    "of the right ones."
                ),
            ),
        ),
    ),
    Prediction(
        name="second_time",
        chapter=CHAPTER,
        about="e.backward()\ne.backward()     # the same e, not computed again",
        question="What does the second call do?",
        options=(
            Option(
                "Nothing: the gradients are there already",
                (
                    "backward() does not look whether it ran before, and it has no reason to: each call is "
                    "asked to add once more."
                ),
            ),
            Option(
                "a.grad and b.grad double",
                (
                    "They would, if the graph were still complete. But the first walk has freed the numbers "
                    "that the multiplications had saved."
                ),
            ),
            Option(
                "a.grad and b.grad are replaced by the same values",
                (
                    "backward() adds, it never replaces. And here it does not come to that: the graph's saved "
                    "numbers are gone."
                ),
            ),
            Option(
                "It raises a RuntimeError: the graph's saved numbers were freed",
                "The rule of a multiplication needs both factors, and each node let go of them as it ran.",
                True,
            ),
        ),
    ),
    Prediction(
        name="adds_up",
        chapter=CHAPTER,
        about=(
            "# a.grad is 36 from the first backward; then the same again, with a new graph:\nc = a * b\nd = c "
            "+ a\ne = c * d\ne.backward()"
        ),
        question="What is a.grad now?",
        options=(
            Option(
                "36: the new gradient replaces the old one",
                (
                    "This is what most people expect. But a leaf's node does to .grad what c did with its two "
                    "gradients: it adds."
                ),
            ),
            Option(
                "72: the new gradient is added to the old one",
                "AccumulateGrad adds to what is there, and nothing has cleared it.",
                True,
            ),
            Option(
                "0: computing again resets the gradients",
                "Computing c, d and e makes new nodes. The leaf a is the same tensor as before, with the same .grad.",
            ),
            Option(
                "An error: a.grad was not cleared",
                "No error, and that is the danger of it: the number is wrong for most purposes, and nothing says so.",
            ),
        ),
    ),
)

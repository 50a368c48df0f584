"""Chapter 02, the graph: three exercises that walk over it, and three predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.card import plain
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.teach.prediction import Option, Prediction
from minigrad.tensor import Tensor

CHAPTER = "02_the_graph"


# ---------------------------------------------------------------- graphs to try


def _chapters_graph() -> tuple[Tensor]:
    a, b = tensor(3.0, requires_grad=True), tensor(2.0, requires_grad=True)
    return (((a * b) + a) * 4,)


def _one_leaf_three_uses() -> tuple[Tensor]:
    w, state = tensor(0.5, requires_grad=True), tensor(1.0)
    for _ in range(3):
        state = (state * w).tanh()
    return (state,)


def _square() -> tuple[Tensor]:
    x = tensor(3.0, requires_grad=True)
    return (x * x,)


def _short_and_long() -> tuple[Tensor]:
    a, b = tensor(1.0, requires_grad=True), tensor(2.0, requires_grad=True)
    return (a.sin().cos().exp() + b,)


def _near_and_far() -> tuple[Tensor]:
    a = tensor(1.0, requires_grad=True)
    return (a * a.sin().cos(),)


def _ladder() -> tuple[Tensor]:
    y = tensor(0.5, requires_grad=True)
    for _ in range(40):
        y = y.sin() + y.cos()
    return (y,)


def _chain() -> tuple[Tensor]:
    y = tensor(0.5, requires_grad=True)
    for _ in range(3_000):
        y = y.sin()
    return (y,)


CASES = (
    Case("d = (a * b + a) * 4", _chapters_graph),
    Case("y = x * x", _square),
    Case("three rounds of state = (state * w).tanh()", _one_leaf_three_uses),
    Case("a.sin().cos().exp() + b", _short_and_long),
    Case("a * a.sin().cos()", _near_and_far),
    Case("40 rounds of y = y.sin() + y.cos()", _ladder),
    Case("3000 rounds of y = y.sin()", _chain),
)


def _nodes(root: Tensor) -> list[Any]:
    """All nodes, each once, in the order in which they are met."""
    start: Any = root.grad_fn
    met: dict[Any, None] = {start: None}
    order = [start]
    for node in order:  # which grows while we go along it
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in met:
                met[next_node] = None
                order.append(next_node)
    return order


def _counted(names: list[str]) -> str:
    return ", ".join(f"{names.count(name)} x {name}" for name in sorted(set(names)))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple | set)


def _recursion(outcome: Outcome) -> bool:
    return isinstance(outcome.error, RecursionError)


# ---------------------------------------------------------------- node_names


def node_names(root: Tensor) -> list[str]:
    """The name of each node of a graph."""
    return [node.name() for node in _nodes(root)]


def _compare_names(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if not _is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of names is asked for.")
    for item in got:
        if not isinstance(item, str):
            note = "The names are asked for, as str: node.name() is a node's name."
            return Difference("an item", plain(item), "a str", note)
    found, wanted = sorted(got), sorted(expected)
    for name in dict.fromkeys([*wanted, *found]):
        if found.count(name) != wanted.count(name):
            return Difference(f"how often {plain(name)} is there", str(found.count(name)), str(wanted.count(name)))
    return None


def _show_names(value: Any, arguments: tuple[Any, ...]) -> str:
    if _is_list(value) and all(isinstance(item, str) for item in value):
        return plain(_counted(list(value))) if value else "an empty list"
    return show(value)


def _every_path(root: Tensor) -> Any:
    names: list[str] = []
    todo: list[Any] = [root.grad_fn]
    while todo and len(names) < 10_000:
        node: Any = todo.pop()
        names.append(node.name())
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return names


def _first_input_only(root: Tensor) -> Any:
    names, node = [], root.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


NODE_NAMES = Exercise(
    name="node_names",
    chapter=CHAPTER,
    title="a list with the name of every node of the graph",
    stars=1,
    minutes=6,
    reference=node_names,
    cases=CASES,
    hints=(
        "Begin with root.grad_fn, and look at the nodes in its next_functions, then at theirs, and so on.",
        "Keep a list of the nodes that were met. A node goes onto it only if it is not None and not on it yet.",
        "for node in met: for next_node, _ in node.next_functions: append it if it is new. The loop goes on over "
        "what it appended.",
    ),
    compare=_compare_names,
    show=_show_names,
    evidence=lambda outcome: f"  the graph has {len(_nodes(outcome.arguments[0]))} nodes",
    mistakes=(
        Mistake(
            "A node that can be reached in two ways was counted twice. Look whether it was met before.", _every_path
        ),
        Mistake(
            "Only the first input was followed. next_functions has a pair for each input of the operation.",
            _first_input_only,
        ),
        Mistake(
            "The leaves are missing: AccumulateGrad is a node like the others, only its next_functions are empty.",
            lambda root: [name for name in node_names(root) if name != "AccumulateGrad"],
        ),
        Mistake(
            "Each name is there once, but two nodes can have the same name. Look whether the node was met, not "
            "its name.",
            lambda root: list(dict.fromkeys(node_names(root))),
        ),
        Mistake("The node of the root itself is missing.", lambda root: node_names(root)[1:]),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=_recursion,
        ),
    ),
)


# ---------------------------------------------------------------- leaves_of


def leaves_of(root: Tensor) -> list[Tensor]:
    """The leaves that get a gradient from root.backward()."""
    return [node.variable for node in _nodes(root) if node.name() == "AccumulateGrad"]


def _compare_tensors(_: Any, got: Any, outcome: Outcome) -> Difference | None:
    expected = leaves_of(outcome.arguments[0])  # of the learner's graph: another graph has other leaves
    if not _is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of tensors is asked for.")
    for item in got:
        if not isinstance(item, Tensor):
            return Difference("an item", plain(item), "a tensor", "The tensors are asked for: node.variable is a leaf.")
    for leaf in expected:
        count = sum(item is leaf for item in got)
        if count != 1:
            return Difference(f"how often the leaf {show(leaf)} is there", str(count), "1")
    for item in got:
        if not any(item is leaf for leaf in expected):
            note = "It is not one of the leaves of this graph, but a tensor of its own, perhaps a copy."
            return Difference("one tensor too many", show(item), "leaves of the graph only", note)
    return None


def _leaves_of_each_path(root: Tensor) -> Any:
    found: list[Tensor] = []
    todo: list[Any] = [root.grad_fn]
    while todo and len(found) < 10_000:
        node: Any = todo.pop()
        if node.name() == "AccumulateGrad":
            found.append(node.variable)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return found


def _items_are(kind: Callable[[Any], bool]) -> Callable[[Outcome], bool]:
    return lambda outcome: _is_list(outcome.value) and any(kind(item) for item in outcome.value)


LEAVES_OF = Exercise(
    name="leaves_of",
    chapter=CHAPTER,
    title="a list of the leaf tensors that a backward from root reaches",
    stars=2,
    minutes=6,
    reference=leaves_of,
    cases=CASES,
    hints=(
        "The walk is the one of the first exercise. Which nodes belong to leaves?",
        'A leaf\'s node has the name "AccumulateGrad".',
        "Such a node has its tensor in the attribute variable.",
    ),
    compare=_compare_tensors,
    show=lambda value, arguments: f"{len(value)} tensors" if _is_list(value) and len(value) > 6 else show(value),
    evidence=lambda outcome: f"  the graph has {len(leaves_of(outcome.arguments[0]))} leaves",
    mistakes=(
        Mistake(
            "A leaf that can be reached in two ways is in the list twice. Look whether its node was met before.",
            _leaves_of_each_path,
        ),
        Mistake(
            "These are nodes. The tensors are asked for: a leaf's node has its tensor in the attribute variable.",
            when=_items_are(lambda item: hasattr(item, "next_functions")),
        ),
        Mistake(
            "These are gradients, or None: a leaf's .grad. The leaves themselves are asked for.",
            when=_items_are(lambda item: item is None),
        ),
        Mistake(
            "Some node was asked for its variable that is no leaf's. Only AccumulateGrad has one.",
            when=lambda outcome: isinstance(outcome.error, AttributeError) and "variable" in str(outcome.error),
        ),
        Mistake(
            "Only the first leaf is there. Collect them all, and return the list after the loop.",
            lambda root: leaves_of(root)[:1],
        ),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=_recursion,
        ),
    ),
)


# ---------------------------------------------------------------- graph_depth


def graph_depth(root: Tensor) -> int:
    """The number of nodes on the longest way from the root's node to a leaf's."""
    return _depth(root, max)


def _depth(root: Tensor, choose: Callable[..., int]) -> int:
    start: Any = root.grad_fn
    depth: dict[Any, int] = {}
    todo: list[Any] = [start]
    while todo:
        inner = [next_node for next_node, _ in todo[-1].next_functions if next_node is not None]
        unknown = [next_node for next_node in inner if next_node not in depth]
        if unknown:
            todo += unknown
        else:
            node = todo.pop()
            depth[node] = 1 + choose([depth[next_node] for next_node in inner], default=0)
    return depth[start]


def _levels(root: Tensor) -> int:
    """Level by level, each node where it is met first: that is the distance of the farthest node, by the shortest way
    to it.
    """
    level: list[Any] = [root.grad_fn]
    met = set(level)
    count = 0
    while level:
        count += 1
        below = []
        for node in level:
            for next_node, _ in node.next_functions:
                if next_node is not None and next_node not in met:
                    met.add(next_node)
                    below.append(next_node)
        level = below
    return count


GRAPH_DEPTH = Exercise(
    name="graph_depth",
    chapter=CHAPTER,
    title="a number: the nodes on the longest way from root.grad_fn to a leaf's node",
    stars=3,
    minutes=12,
    reference=graph_depth,
    cases=CASES,
    hints=(
        "A leaf's node has depth 1. What is the depth of a node whose next nodes have depths 1 and 3?",
        "One more than the largest: 4. So a node can be computed when all its next nodes are; keep the depths in "
        "a dict.",
        "Keep a list of what is to do, and look at its last node. If some of its next nodes have no depth yet, put "
        "these on the list; else compute its depth and take it off.",
    ),
    evidence=lambda outcome: (
        f"  the graph has {len(_nodes(outcome.arguments[0]))} nodes; the shortest way to a leaf has "
        f"{_depth(outcome.arguments[0], min)}"
    ),
    mistakes=(
        Mistake(
            "The node at one end was left out: both ends count.",
            lambda root: graph_depth(root) - 1,
        ),
        Mistake("This is the number of all nodes, not of those on one way.", lambda root: len(_nodes(root))),
        Mistake(
            "Only the first input was followed. The longest way may go through any of them.",
            lambda root: len(_first_input_only(root)),
        ),
        Mistake(
            "This is the shortest way to a leaf. Take the largest depth of the next nodes.", lambda r: _depth(r, min)
        ),
        Mistake(
            "Each node was counted at the level at which it was met first. A leaf that is near on one way can be far "
            "on another, and the longest way counts.",
            _levels,
        ),
        Mistake(
            "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
            "what is still to do, and loop.",
            when=_recursion,
        ),
    ),
)

EXERCISES = (NODE_NAMES, LEAVES_OF, GRAPH_DEPTH)


# ---------------------------------------------------------------- predictions

PREDICTIONS = (
    Prediction(
        name="where_is_the_if",
        chapter=CHAPTER,
        question="What is in the graph of absolute(x), for x = -2?",
        about="def absolute(x):\n    if x > 0:\n        return x * 1\n    return x * -1",
        options=(
            Option(
                "a node for the comparison, and both multiplications under it",
                (
                    "minigrad and PyTorch never see the `if`: Python decides, and then runs one line. The other line "
                    "did not run, so nothing recorded it."
                ),
            ),
            Option(
                "one multiplication, by -1",
                "That is the only operation that ran on a tensor which requires a gradient and made a result from it.",
                True,
            ),
            Option(
                "a node for the comparison and one multiplication",
                (
                    "The comparison ran, but its result is a bool. It has no slope, so it requires no gradient and "
                    "leaves no node."
                ),
            ),
            Option(
                "nothing: a function with an `if` has no derivative",
                "At -2 it has one: close to -2 the same branch is taken, and there the function is -x.",
            ),
        ),
    ),
    Prediction(
        name="what_item_keeps",
        chapter=CHAPTER,
        question="total = total + loss.item() in each step. What is total after five steps?",
        options=(
            Option(
                "a tensor with a graph of five losses, as before",
                "item() takes the number out of the tensor. Adding numbers is plain Python, which records nothing.",
            ),
            Option(
                "a tensor without a graph",
                "That would be loss.detach(). item() gives a Python number, and two of those make another.",
            ),
            Option(
                "a Python float",
                "And each loss, with its graph, is freed as soon as the name loss stands for the next one.",
                True,
            ),
            Option(
                "a float, and w.grad no longer fills in",
                "What you do with a copy of the number does not touch the loss. loss.backward() works as before.",
            ),
        ),
    ),
    Prediction(
        name="one_leaf_three_uses",
        chapter=CHAPTER,
        question="The loop used w three times. How many AccumulateGrad nodes for w does the graph have?",
        options=(
            Option(
                "one, with three edges to it",
                "There is one tensor w with one .grad. Three gradients will arrive there and be added.",
                True,
            ),
            Option(
                "three, one for each round",
                "Each round made nodes of its own, but not a new w. All three multiplications lead to the same node.",
            ),
            Option(
                "one, with one edge: the last use counts",
                "The loss depends on w in three places, and each of them has its edge. None replaces another.",
            ),
            Option(
                "none: w is a leaf, and leaves have no node",
                "A leaf has no grad_fn, but a place where its gradient is added up. That is the node AccumulateGrad.",
            ),
        ),
    ),
)

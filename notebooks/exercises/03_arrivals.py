"""Exercise `arrivals`: for how many gradients each node waits."""

from collections import Counter, defaultdict

import numpy as np

import minigrad as mg
from minigrad.autograd.graph import Node
from minigrad.teach import Exercise, Mistake, edited, nodes_of, saw

from .chapter02 import ENDED_AT_NONE, NOTES, SECONDS, drawn, looking, ways_to
from .chapter03 import GRAPHS, LARGEST, arrivals, draw_node, node_names


def _used_by(outcome):
    names = node_names(outcome.arguments[0])
    if len(names) > LARGEST:
        return ""
    lines = []
    for node in names:
        users = [names[user] for user in names for next_node, _ in user.next_functions if next_node is node]
        lines.append(
            f"  {names[node]} gets "
            + ("the 1 of backward()" if not users else " and ".join(f"one from {user}" for user in users))
        )
    return "\n".join(lines)


def _by_name(counts, root):
    """A dict from nodes with what the card calls them as its keys; anything else as it is."""
    if not isinstance(counts, dict):
        return counts
    names = node_names(root)
    strangers = {key: count for key, count in counts.items() if key not in names}
    return {name: counts[node] for node, name in names.items() if node in counts} | strangers


def _has_key(kind):
    """For `when`: among the keys is one of this kind, and not one of the graph's nodes, which stand by their names."""

    def test(mine, right):
        return isinstance(mine, dict) and any(isinstance(key, kind) and key not in right for key in mine)

    return saw("the answer", test)


def _counts_ways(outcome):
    """Whether each node has the number of ways that lead to it."""
    (root,) = outcome.arguments
    return outcome.seen.get("the answer") == _by_name(ways_to(root), root)


# ---------------------------------------------------------------- wrong answers


def pairs_as_keys(root):
    """A tuple is among the keys. next_functions holds (node, number) pairs; the node is the first of the two."""
    return {(node, 0): n for node, n in arrivals(root).items()}


def tensors_as_keys(root):
    """A tensor is among the keys. The walk is over nodes: begin with root.grad_fn."""
    return {root: 1}


def forgot_the_root(root):
    """The root's own node is missing, or counts 0. Give it 1, for the gradient that backward() starts with."""
    count = dict(arrivals(root))
    del count[root.grad_fn]
    return count


def forgot_the_leaves(root):
    """The leaves are missing. Their AccumulateGrad is a node like the others, only its next_functions are empty."""
    return {node: n for node, n in arrivals(root).items() if node.next_functions}


def walked_paths(root):
    """A node that can be reached in two ways was looked at twice, and so the edges behind it were counted twice. Look
    at each node once, the first time it is met.
    """
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node, _ in todo.pop().next_functions:
            if next_node is not None:
                count[next_node] = count.get(next_node, 0) + 1
                todo.append(next_node)
    return count


def counted_outgoing(root):
    """These are the numbers of gradients that a node sends, one for each of its inputs. Asked for is how many arrive at
    it.
    """
    return {node: len(node.next_functions) for node in arrivals(root)}


def one_for_each(root):
    """Every node has a 1. Where a second edge leads to a node that was met before, 1 is to be added."""
    return dict.fromkeys(arrivals(root), 1)


def counted_by_pair(root):
    """The edges to each output of a node were counted by themselves: the number in a pair says which output it is.
    Count by the node alone, whatever the number.
    """
    counts = Counter({(root.grad_fn, 0): 1})
    for node in nodes_of(root):
        counts.update(pair for pair in node.next_functions if pair[0] is not None)
    return {node: count for (node, _), count in counts.items()}


def counted_users(root):
    """Nodes were counted, but edges are asked for. x * x is one node with two edges to x, and sends two gradients."""
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node in {node for node, _ in todo.pop().next_functions if node is not None}:
            if next_node not in count:
                count[next_node] = 0
                todo.append(next_node)
            count[next_node] += 1
    return count


# ---------------------------------------------------------------- tried as well


def arrivals_of_pairs(root):
    """The pairs of a node were counted once each, and x * x has the same pair twice: it sends two gradients to x. Go
    over all of next_functions, and not over the different pairs in it.
    """
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
    counts = arrivals(root)
    root.sum().backward()
    return counts


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


EXERCISE = Exercise(
    title="a dict from each node to the number of gradients that it waits for",
    stars=2,
    minutes=10,
    reference=arrivals,
    cases=GRAPHS,
    drawn=drawn,
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
    plug=looking(_by_name),
    notes=NOTES,
    seconds=SECONDS,
    evidence=_used_by,
    picture=draw_node,
    mistakes=(
        Mistake(
            edited(forgot_the_root, "del count[root.grad_fn]", "count[None] = 1"),
            words="None is among the keys. An input that needs no gradient has no node: next_functions says (None, "
            "0), and nothing is sent there.",
            when=_has_key(type(None)),
        ),
        Mistake(pairs_as_keys, when=_has_key(tuple)),
        Mistake(tensors_as_keys, when=_has_key(mg.Tensor)),
        Mistake(
            edited(pairs_as_keys, "{(node, 0):", "{node.name():"),
            words="A text is among the keys. Two nodes can have the same name: here those of c and e are both "
            "MulBackward0. Use the node itself as the key.",
            when=_has_key(str),
        ),
        Mistake(forgot_the_root, lambda root: {**arrivals(root), root.grad_fn: 0}),
        Mistake(edited(arrivals, "continue", "break"), words=ENDED_AT_NONE),
        forgot_the_leaves,
        Mistake(walked_paths, when=_counts_ways),
        Mistake(
            counted_outgoing,
            lambda root: {node: sum(one is not None for one, _ in node.next_functions) for node in nodes_of(root)},
            lambda root: {
                node: max(1, sum(one is not None for one, _ in node.next_functions)) for node in nodes_of(root)
            },
        ),
        Mistake(
            edited(arrivals, "while todo:\n        node = todo.pop()", "for node in todo:", "] = 0", "] = 1"),
            words="One too many for each: a node that is met for the first time begins with 0, and only root.grad_fn "
            "with 1.",
        ),
        one_for_each,
        counted_users,
        arrivals_of_pairs,
        counted_by_pair,
        Mistake(
            lambda root: {**arrivals(root), mg.tensor(1.0, requires_grad=True).sin().grad_fn: 1},
            words="Among the keys is a node of another graph. Begin with root.grad_fn, and go on to its next nodes.",
            when=_has_key(Node),
        ),
    ),
    right=(
        arrivals_counted,
        arrivals_by_default,
        lambda root: {node: np.int64(count) for node, count in arrivals(root).items()},
        arrivals_of_all_edges,
        arrivals_from_a_class,
    ),
    wrong={
        "(AccumulateGrad): yours 1, expected 2 … The pairs of a node": [
            edited(arrivals_of_pairs, "dict.fromkeys(node.next_functions)", "set(node.next_functions)")
        ],
        "first * second": [arrivals_of_first_outputs],
        "The answer is right, but somebody walked backward on the way": [arrivals_and_a_walk],
        "the nodes behind root have other hooks or metadata than before": [
            lambda root: {node: node.metadata.setdefault("waits", count) for node, count in arrivals(root).items()}
        ],
        "y = (x * x) * x.sin().cos() + x * x": [
            lambda root: {node: min(count, 2) for node, count in arrivals(root).items()}
        ],
        "A number is asked for; this is a str": [
            lambda root: {node: str(count) for node, count in arrivals(root).items()}
        ],
        "A number is asked for; this is a bool": [
            lambda root: {node: count == 1 or count for node, count in arrivals(root).items()}
        ],
        "likely None of the mistakes that are known": [arrivals_that_forget_the_root],
    },
)

"""Exercise `node_names`: the names of all nodes of a graph."""

from collections import Counter

import numpy as np

from minigrad.teach import Difference, Exercise, Mistake, edited, nodes_of, plain, show

from . import chapter02
from .chapter02 import (
    along_the_first_input,
    by_recursion,
    draw,
    harmed,
    is_list,
    kind_if_no_list,
    nodes_over,
    over_first_outputs,
    pairs_for_nodes,
    up_to_a_number,
    ways_to,
)


def node_names(root):
    """The name of each node of a graph."""
    return [node.name() for node in nodes_of(root)]


def _names_over(root, edges):
    return [node.name() for node in nodes_over(root, edges)]


def _counted(names):
    return ", ".join(f"{names.count(name)} x {name}" for name in sorted(set(names)))


def _compare_names(expected, got, outcome):
    if not is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of names is asked for.")
    for item in got:
        if not isinstance(item, str):
            note = "The names are asked for, as str: node.name() is a node's name."
            return Difference("an item", plain(item), "a str", note)
    found, wanted = sorted(got), sorted(expected)
    for name in dict.fromkeys([*wanted, *found]):
        if found.count(name) != wanted.count(name):
            return Difference(f"how often {plain(name)} is there", str(found.count(name)), str(wanted.count(name)))
    return harmed(outcome.arguments[0]) or kind_if_no_list(got)


def _show_names(value, arguments):
    if is_list(value) and all(isinstance(item, str) for item in value):
        return plain(_counted(list(value))) if value else "an empty list"
    return show(value)


def _for_each_way(outcome):
    """Whether each node is there once for each way that leads to it."""
    if not is_list(outcome.value):
        return False
    ways = Counter()
    for node, count in ways_to(outcome.arguments[0]).items():
        ways[node.name()] += count
    names, right = Counter(name for name in outcome.value if isinstance(name, str)), node_names(*outcome.arguments)
    return names == ways != Counter(right)


def _draw(outcome, difference):
    """The graph with all nodes of the name that is there too often or not often enough in red."""
    name = difference.where.removeprefix("how often ").removesuffix(" is there")
    badges = {node: node.name() for node in nodes_of(outcome.arguments[0])}
    return draw(
        outcome,
        {node: ("✗ " if name == word else "") + word for node, word in badges.items()},
        lambda node: node.name() == name,
    )


# ---------------------------------------------------------------- wrong answers


def names_on_every_way(root):
    """A node that can be reached in two ways was counted twice. Look whether it was met before."""
    names, todo = [], [root.grad_fn]
    while todo:
        node = todo.pop()
        names.append(node.name())
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return names


def names_for_each_output(root):
    """A node was counted once for each of its outputs that is used. The number in a pair says which output it is: look
    whether the node was met before, not the pair.
    """
    met = [(root.grad_fn, 0)]
    for node, _ in met:
        met += [pair for pair in dict.fromkeys(node.next_functions) if pair[0] is not None and pair not in met]
    return [node.name() for node, _ in met]


def names_along_the_first_input(root):
    """Only the first input was followed. next_functions has a pair for each input of the operation."""
    return [node.name() for node in along_the_first_input(root)]


def names_without_leaves(root):
    """The leaves are missing: AccumulateGrad is a node like the others, only its next_functions are empty."""
    return [node.name() for node in nodes_of(root) if node.next_functions]


def each_name_once(root):
    """Each name is there once, but two nodes can have the same name. Look whether the node was met, not its name."""
    return sorted({node.name() for node in nodes_of(root)})


def names_without_the_root(root):
    """The node of the root itself is missing."""
    return [node.name() for node in nodes_of(root) if node is not root.grad_fn]


def nodes_as_text(root):
    """This is how a node is printed. Its name alone is node.name()."""
    return [str(node) for node in nodes_of(root)]


def return_in_the_loop(root):
    """Only the root's node is there. Was the `return` inside the loop? It belongs behind it."""
    met, names = [root.grad_fn], []
    for node in met:
        names.append(node.name())
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in met:
                met.append(next_node)
        return names
    return names


def the_next_ones_only(root):
    """These are the root's node and its next nodes. They have next nodes in turn, down to the leaves."""
    return [root.grad_fn.name(), *(node.name() for node, _ in root.grad_fn.next_functions if node is not None)]


def names_of_pairs(root):
    met = [root.grad_fn]
    for node in met:
        met += [next_node for next_node in node.next_functions if next_node not in met]
    return [node.name() for node in met]


def names_by_recursion(root):
    def visit(node, met):
        if node is not None and node not in met:
            met.append(node)
            for next_node, _ in node.next_functions:
                visit(next_node, met)
        return met

    return [node.name() for node in visit(root.grad_fn, [])]


# ---------------------------------------------------------------- tried as well


def names_to_two_inputs(root):
    met = [root.grad_fn]
    for node in met:
        met += [one for one in dict.fromkeys(one for one, _ in node.next_functions[:2]) if one and one not in met]
    return [node.name() for node in met]


def names_with_none(root):
    return [node.name() for node in nodes_of(root)] + ["None"] * sum(
        following is None for node in nodes_of(root) for following, _ in node.next_functions
    )


def names_from_a_dict(root):
    met = {}
    todo = [(root.grad_fn, 0)]
    while todo:
        node, _ = todo.pop()
        if node is not None and node not in met:
            met[node] = node.name()
            todo.extend(node.next_functions)
    return list(met.values())


EXERCISE = Exercise(
    title="a list with the name of every node of the graph",
    stars=1,
    minutes=6,
    reference=node_names,
    cases=chapter02.CASES,
    drawn=chapter02.drawn,
    hints=(
        "Begin with root.grad_fn, and look at the nodes in its next_functions, then at theirs, and so on.",
        "Keep a list of the nodes that were met. A node goes onto it only if it is not None and not on it yet.",
        "for node in met: for next_node, _ in node.next_functions: append it if it is new. The loop goes on over "
        "what it appended.",
    ),
    compare=_compare_names,
    show=_show_names,
    picture=_draw,
    seconds=chapter02.SECONDS,
    evidence=lambda outcome: f"  the graph has {len(nodes_of(outcome.arguments[0]))} nodes",
    mistakes=(
        Mistake(names_on_every_way, when=_for_each_way),
        names_for_each_output,
        names_along_the_first_input,
        names_without_leaves,
        each_name_once,
        names_without_the_root,
        nodes_as_text,
        return_in_the_loop,
        the_next_ones_only,
        up_to_a_number(_names_over),
        over_first_outputs(_names_over),
        pairs_for_nodes(names_of_pairs),
        by_recursion(names_by_recursion),
    ),
    right=(
        lambda root: list(Counter(type(node).__name__ for node in nodes_of(root)).elements()),
        names_from_a_dict,
        lambda root: [np.str_(node.name()) for node in nodes_of(root)],
        lambda root: [type(node).__name__ for node in reversed(nodes_of(root))],
    ),
    wrong={
        "A node was counted once for each of its outputs that is used": [names_for_each_output],
        "is there: yours 0": [
            edited(node_names, "root)]", 'root) if node.name().endswith(("Backward0", "AccumulateGrad"))]')
        ],
        "c.sin()": [names_to_two_inputs],
        "a list is asked for, and this is a tuple": [lambda root: tuple(node_names(root))],
        "None is there: yours 1, expected 0": [names_with_none],
        "The answer is right, but somebody walked backward on the way": [
            edited(node_names, "return", "names =", "root)]", "root)]\n    root.sum().backward()\n    return names")
        ],
        "the nodes behind root have other hooks or metadata than before": [
            edited(
                names_from_a_dict,
                *("node is not None and node not in met", 'node is not None and "met" not in node.metadata'),
                *("met[node] = node.name()", 'met[node] = node.metadata["met"] = node.name()'),
            ),
            edited(
                names_from_a_dict, "todo.extend", "node.register_prehook(lambda given: None)\n            todo.extend"
            ),
        ],
        "The names are asked for, as str": [lambda root: [type(node) for node in nodes_of(root)]],
        "This is how a node is printed": [lambda root: [str(node) for node in nodes_of(root)]],
    },
)

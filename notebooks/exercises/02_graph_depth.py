"""Exercise `graph_depth`: the longest way through a graph."""

import numpy as np

from minigrad.teach import EXERCISES, Exercise, Mistake, edited, nodes_of

from .chapter02 import (
    CASES,
    NOTES,
    SECONDS,
    along_the_first_input,
    by_recursion,
    draw,
    drawn,
    looking,
    over_first_outputs,
    pairs_for_nodes,
    up_to_a_number,
)


def graph_depth(root):
    """The number of nodes on the longest way from the root's node to a leaf's."""
    return _depth(root, max)


def _depth(root, choose, edges=iter):
    return _depths(root, choose, edges)[root.grad_fn]


def _depths(root, choose, edges=iter):
    depth = {}
    todo = [root.grad_fn]
    while todo:
        inner = [next_node for next_node, _ in edges(todo[-1].next_functions) if next_node is not None]
        unknown = [next_node for next_node in inner if next_node not in depth]
        if unknown:
            todo += unknown
        else:
            node = todo.pop()
            depth[node] = 1 + choose([depth[next_node] for next_node in inner], default=0)
    return depth


def _deepest_over(root, edges):
    return _depth(root, max, edges)


def _draw(outcome, difference):
    """The graph with the depth of each node; the root's is what was asked for."""
    root = outcome.arguments[0]
    depths = _depths(root, max)
    badges = {node: f"depth {depth}" for node, depth in depths.items()}
    badges[root.grad_fn] = f"✗ yours: {difference.yours}, not {difference.expected}"
    return draw(outcome, badges, lambda node: node is root.grad_fn)


# ---------------------------------------------------------------- wrong answers


def counted_edges(root):
    """The node at one end was left out: both ends count."""
    return _depth(root, max) - 1


def one_too_many(root):
    """One too many. A leaf's node has depth 1: it has no next nodes, and nothing is to be added for them."""
    return _depth(root, max) + 1


def counted_leaves(root):
    """This is the number of leaves. Count the nodes on the longest way to one of them."""
    return sum(node.name() == "AccumulateGrad" for node in nodes_of(root))


def depth_of_pairs(root):
    def depth(node):
        return 1 + max((depth(inner) for inner in node.next_functions), default=0)

    return depth(root.grad_fn)


def counted_all_nodes(root):
    """This is the number of all nodes, not of those on one way."""
    return len(nodes_of(root))


def followed_the_first_input(root):
    """Only the first input was followed. The longest way may go through any of them."""
    return len(along_the_first_input(root))


def followed_the_first_node(root):
    way = [root.grad_fn]
    while inner := [node for node, _ in way[-1].next_functions if node is not None]:
        way.append(inner[0])
    return len(way)


def shortest_way(root):
    """This is the shortest way to a leaf. Take the largest depth of the next nodes."""
    return _depth(root, min)


def level_by_level(root):
    """Each node got its depth when it was met first. A leaf that is near on one way can be far on another, and the
    longest way counts.
    """
    level, met, count = [root.grad_fn], {root.grad_fn}, 0
    while level:
        count += 1
        below = {next_node for node in level for next_node, _ in node.next_functions} - met - {None}
        met |= below
        level = list(below)
    return count


def depth_at_the_first_meeting(root):
    depth, todo = {root.grad_fn: 1}, [root.grad_fn]
    while todo:
        node = todo.pop()
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in depth:
                depth[next_node] = depth[node] + 1
                todo.append(next_node)
    return max(depth.values())


def depth_where_taken_first(root):
    met, todo, deepest = {None}, [(root.grad_fn, 1)], 0
    while todo:
        node, depth = todo.pop()
        if node not in met:
            met.add(node)
            deepest = max(deepest, depth)
            todo += [(next_node, depth + 1) for next_node, _ in node.next_functions]
    return deepest


def depth_without_going_on(root):
    """A longer way to a node was found, and the nodes behind it kept their depths: go on from it once more. Or go so
    that all who lead to a node come before it.
    """
    depth, todo = {root.grad_fn: 1}, [root.grad_fn]
    for node in todo:
        for next_node, _ in node.next_functions:
            if next_node is not None:
                if next_node not in depth:
                    todo.append(next_node)
                depth[next_node] = max(depth.get(next_node, 0), depth[node] + 1)
    return max(depth.values())


def depth_by_recursion(root):
    known = {}

    def depth(node):
        if node not in known:
            known[node] = 1 + max((depth(inner) for inner, _ in node.next_functions if inner is not None), default=0)
        return known[node]

    return depth(root.grad_fn)


# ---------------------------------------------------------------- tried as well


def depth_over_outputs(root):
    depths = graph_depth(root)
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


def depth_of_some_ways(root):
    random, deepest = np.random.default_rng(1), 0
    for _ in range(200):
        way = [root.grad_fn]
        while inner := [one for one, _ in way[-1].next_functions if one is not None]:
            way.append(inner[random.integers(len(inner))])
        deepest = max(deepest, len(way))
    return deepest


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
    for node in EXERCISES["run_order"].reference(root):
        for following, _ in node.next_functions:
            if following:
                depth[following] = max(depth[following], depth[node] + 1)
    return float(max(depth.values()))


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


def depth_from_the_root(root):
    depth = {root.grad_fn: 1}
    for node in EXERCISES["run_order"].reference(root):
        for following, _ in node.next_functions:
            if following is not None:
                depth[following] = max(depth.get(following, 0), depth[node] + 1)
    return max(depth.values())


def depth_from_the_leaves(root):
    depth = {}
    for node in reversed(EXERCISES["run_order"].reference(root)):
        depth[node] = 1 + max((depth[following] for following, _ in node.next_functions if following), default=0)
    return np.int64(depth[root.grad_fn])


EXERCISE = Exercise(
    title="a number: the nodes on the longest way from root.grad_fn to a leaf's node",
    stars=3,
    minutes=12,
    reference=graph_depth,
    cases=CASES,
    drawn=drawn,
    plug=looking(),
    notes=NOTES,
    hints=(
        "A leaf's node has depth 1. What is the depth of a node whose next nodes have depths 1 and 3?",
        "One more than the largest: 4. So a node can be computed when all its next nodes are; keep the depths in "
        "a dict.",
        "Keep a list of what is to do, and look at its last node. If some of its next nodes have no depth yet, put "
        "these on the list; else compute its depth and take it off.",
    ),
    picture=_draw,
    seconds=SECONDS,
    evidence=lambda outcome: (
        f"  the graph has {len(nodes_of(outcome.arguments[0]))} nodes; the shortest way to a leaf has "
        f"{_depth(outcome.arguments[0], min)}"
    ),
    mistakes=(
        counted_edges,
        one_too_many,
        counted_leaves,
        pairs_for_nodes(depth_of_pairs),
        counted_all_nodes,
        Mistake(followed_the_first_input, followed_the_first_node),
        shortest_way,
        by_recursion(depth_by_recursion),
        Mistake(level_by_level, depth_at_the_first_meeting, depth_where_taken_first),
        depth_without_going_on,
        up_to_a_number(_deepest_over),
        over_first_outputs(_deepest_over),
    ),
    right=(
        depth_level_by_level,
        depth_in_waves,
        depth_corrected_until_it_stays,
        depth_from_the_root,
        depth_from_the_leaves,
    ),
    wrong={
        "first * second": [depth_over_outputs],
        "c.sin()": [depth_of_two_inputs],
        "40 rounds of y = y.sin() + y": [depth_of_some_ways],
        "": [lambda root: len({node.name() for node in nodes_of(root)})],
        "A number is asked for; this is a str": [lambda root: str(graph_depth(root))],
        "The number is right, but this is an ndarray that holds it": [lambda root: np.array(graph_depth(root))],
        "Each node got its depth when it was met first": [depth_from_a_stack, depth_once_met],
        "the nodes behind root have other hooks or metadata than before": [
            edited(
                depth_level_by_level,
                "if following is not None",
                'if following and following.metadata.setdefault("root", root.grad_fn) is root.grad_fn',
            )
        ],
        "The answer is right, but afterwards Python's recursion limit is 100000": [depth_with_a_large_stack],
    },
)

"""Wrong answers to the exercises of chapter 02, and the words that each must be met with."""

from __future__ import annotations


def nodes_of(root):
    met = {root.grad_fn: None}
    todo = [root.grad_fn]
    while todo:
        for node, _ in todo.pop().next_functions:
            if node is not None and node not in met:
                met[node] = None
                todo.append(node)
    return list(met)


# node_names


def names_on_every_way(root):
    names, todo = [], [root.grad_fn]
    while todo:
        node = todo.pop()
        names.append(node.name())
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return names


def names_along_the_first_input(root):
    names = []
    node = root.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def names_without_leaves(root):
    return [node.name() for node in nodes_of(root) if node.next_functions]


def each_name_once(root):
    return sorted({node.name() for node in nodes_of(root)})


def names_without_the_root(root):
    return [node.name() for node in nodes_of(root) if node is not root.grad_fn]


def names_by_recursion(root):
    def visit(node, met):
        if node is not None and node not in met:
            met.append(node)
            for next_node, _ in node.next_functions:
                visit(next_node, met)
        return met

    return [node.name() for node in visit(root.grad_fn, [])]


def return_in_the_loop(root):
    met, names = [root.grad_fn], []
    for node in met:
        names.append(node.name())
        for next_node, _ in node.next_functions:
            if next_node is not None and next_node not in met:
                met.append(next_node)
        return names
    return names


def the_next_ones_only(root):
    return [root.grad_fn.name(), *(node.name() for node, _ in root.grad_fn.next_functions if node is not None)]


def pairs_for_nodes(root):
    met = [root.grad_fn]
    for node in met:
        met += [next_node for next_node in node.next_functions if next_node not in met]
    return [node.name() for node in met]


# leaves_of


def leaves_on_every_way(root):
    found, todo = [], [root.grad_fn]
    while todo:
        node = todo.pop()
        if node.name() == "AccumulateGrad":
            found.append(node.variable)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return found


def nodes_of_leaves(root):
    return [node for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def gradients_of_leaves(root):
    return [node.variable.grad for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def variable_of_every_node(root):
    return [node.variable for node in nodes_of(root)]


def only_the_first_leaf(root):
    met = [root.grad_fn]
    for node in met:
        if node.name() == "AccumulateGrad":
            return [node.variable]
        met += [next_node for next_node, _ in node.next_functions if next_node not in (None, *met)]
    return None


def leaves_by_recursion(root):
    found, met = [], set()

    def visit(node):
        if node is None or node in met:
            return
        met.add(node)
        if node.name() == "AccumulateGrad":
            found.append(node.variable)
        for next_node, _ in node.next_functions:
            visit(next_node)

    visit(root.grad_fn)
    return found


def asked_nodes_for_is_leaf(root):
    return [node.variable for node in nodes_of(root) if node.is_leaf]


def saved_tensors(root):
    saved = [getattr(node, "_saved_self", None) for node in nodes_of(root)]
    return [tensor.detach() for tensor in saved if tensor is not None]


def copies_of_leaves(root):
    return [node.variable.clone() for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def leaves_beside_the_root(root):
    return [node.variable for node, _ in root.grad_fn.next_functions if node and node.name() == "AccumulateGrad"]


def leaves_of_pairs(root):
    return [pair.variable for pair in root.grad_fn.next_functions if pair.name() == "AccumulateGrad"]


# graph_depth


def depths(root, choose):
    depth = {}
    todo = [root.grad_fn]
    while todo:
        node = todo[-1]
        inner = [next_node for next_node, _ in node.next_functions if next_node is not None]
        missing = [next_node for next_node in inner if next_node not in depth]
        todo += missing
        if not missing:
            depth[todo.pop()] = 1 + choose([depth[next_node] for next_node in inner], default=0)
    return depth[root.grad_fn]


def counted_edges(root):
    return depths(root, max) - 1


def counted_all_nodes(root):
    return len(nodes_of(root))


def followed_the_first_input(root):
    return len(names_along_the_first_input(root))


def shortest_way(root):
    return depths(root, min)


def level_by_level(root):
    level, met, count = [root.grad_fn], {root.grad_fn}, 0
    while level:
        count += 1
        below = {next_node for node in level for next_node, _ in node.next_functions} - met - {None}
        met |= below
        level = list(below)
    return count


def one_too_many(root):
    return depths(root, max) + 1


def counted_leaves(root):
    return sum(node.name() == "AccumulateGrad" for node in nodes_of(root))


def depth_of_pairs(root):
    def depth(node):
        return 1 + max((depth(inner) for inner in node.next_functions), default=0)

    return depth(root.grad_fn)


def depth_by_recursion(root):
    known = {}

    def depth(node):
        if node not in known:
            known[node] = 1 + max((depth(inner) for inner, _ in node.next_functions if inner is not None), default=0)
        return known[node]

    return depth(root.grad_fn)


WRONG = {
    "node_names": [
        (names_on_every_way, "was counted twice"),
        (names_along_the_first_input, "Only the first input was followed"),
        (names_without_leaves, "The leaves are missing"),
        (each_name_once, "two nodes can have the same name"),
        (names_without_the_root, "The node of the root itself is missing"),
        (return_in_the_loop, "Only the root's node is there"),
        (the_next_ones_only, "the root's node and its next nodes"),
        (pairs_for_nodes, "next_functions holds pairs"),
        (names_by_recursion, "deeper than Python's stack"),
    ],
    "leaves_of": [
        (leaves_on_every_way, "is in the list twice"),
        (nodes_of_leaves, "These are nodes"),
        (gradients_of_leaves, "These are gradients, or None"),
        (variable_of_every_node, "Only AccumulateGrad has one"),
        (only_the_first_leaf, "Only the first leaf is there"),
        (asked_nodes_for_is_leaf, "is_leaf belongs to tensors"),
        (saved_tensors, "None of these tensors is a leaf"),
        (copies_of_leaves, "None of these tensors is a leaf"),
        (leaves_beside_the_root, "right next to the root"),
        (leaves_of_pairs, "next_functions holds pairs"),
        (leaves_by_recursion, "deeper than Python's stack"),
    ],
    "graph_depth": [
        (counted_edges, "both ends count"),
        (counted_all_nodes, "the number of all nodes"),
        (followed_the_first_input, "Only the first input was followed"),
        (shortest_way, "This is the shortest way"),
        (level_by_level, "at the level at which it was met first"),
        (one_too_many, "One too many"),
        (counted_leaves, "the number of leaves"),
        (depth_of_pairs, "next_functions holds pairs"),
        (depth_by_recursion, "deeper than Python's stack"),
    ],
}

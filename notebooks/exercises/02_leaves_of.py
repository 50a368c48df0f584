"""Exercise `leaves_of`: the leaves that a backward reaches."""

from dataclasses import replace

import minigrad as mg
from minigrad.teach import Difference, Exercise, Mistake, edited, nodes_of, plain, raised, show

from . import chapter02
from .chapter02 import (
    along_the_first_input,
    by_recursion,
    draw,
    harmed,
    is_list,
    kind_if_no_list,
    leaf_names,
    nodes_over,
    over_first_outputs,
    pairs_for_nodes,
    up_to_a_number,
    ways_to,
)


def leaves_of(root):
    """The leaves that get a gradient from root.backward()."""
    return [node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def _leaves_over(root, edges):
    return [node.variable for node in nodes_over(root, edges) if node.name() == "AccumulateGrad"]


def _compare_tensors(_, got, outcome):
    expected = leaves_of(outcome.arguments[0])  # of the learner's graph: another graph has other leaves
    if not is_list(got):
        return Difference("the answer", show(got), show(expected), "A list of tensors is asked for.")
    for item in got:
        if not isinstance(item, mg.Tensor):
            return Difference("an item", plain(item), "a tensor", "The tensors are asked for: node.variable is a leaf.")
    for leaf in expected:
        count = sum(item is leaf for item in got)
        if count != 1:
            (name,) = (name for name, named in leaf_names(outcome.arguments[0]).items() if named is leaf)
            return Difference(f"how often the leaf {name}, {show(leaf)}, is there", str(count), "1")
    for item in got:
        if not any(item is leaf for leaf in expected):
            note = "It is not one of the leaves of this graph, but a tensor of its own, perhaps a copy."
            return Difference("one tensor too many", show(item), "leaves of the graph only", note)
    return harmed(outcome.arguments[0]) or kind_if_no_list(got)


def _show(value, arguments):
    if not is_list(value):
        return show(value)
    if len(value) > 6:
        return f"{len(value)} tensors"
    leaves = leaves_of(arguments[0])
    strangers = sum(isinstance(item, mg.Tensor) and not any(item is leaf for leaf in leaves) for item in value)
    return show(value) + (f", of which {strangers} no leaf of the graph" if strangers else "")


def _for_each_way(outcome):
    """Whether each leaf is there once for each way that leads to it."""
    if not is_list(outcome.value):
        return False
    ways = {node.variable: ways for node, ways in ways_to(outcome.arguments[0]).items() if hasattr(node, "variable")}
    is_on_each = all(sum(item is leaf for item in outcome.value) == count for leaf, count in ways.items())
    return is_on_each and max(ways.values()) > 1


def _equal_one_is_missing(outcome):
    """Whether the answer holds leaves of the graph, each once, those that are missing are equal to one of them, and all
    are found where no two are equal.
    """
    leaves, got = leaves_of(outcome.arguments[0]), outcome.value
    if not is_list(got) or not all(isinstance(item, mg.Tensor) for item in got) or len(set(got)) < len(got):
        return False
    missing = [leaf for leaf in leaves if not any(item is leaf for item in got)]
    if len(got) + len(missing) != len(leaves):
        return False
    if not missing or not all(any(mg.equal(leaf, item) for item in got) for leaf in missing):
        return False

    def without_equal_ones():
        (root,) = outcome.case.make()
        for number, leaf in enumerate(leaves_of(root)):
            leaf.data = leaf.data + 10 * number
        return (root,)

    other = EXERCISE.run(outcome.answer, replace(outcome.case, make=without_equal_ones))
    return other.error is None and _compare_tensors(None, other.value, other) is None


def _one_of_a_memory_is_missing(outcome):
    """Whether the leaves that are missing have the memory of one that is there."""
    got, leaves = outcome.value, leaves_of(outcome.arguments[0])
    if not is_list(got) or not all(any(item is leaf for leaf in leaves) for item in got):
        return False
    missing = [leaf for leaf in leaves if not any(item is leaf for item in got)]
    return bool(missing) and {leaf.data_ptr() for leaf in missing} <= {item.data_ptr() for item in got}


def _those_with_a_gradient_are_missing(outcome):
    got, leaves = outcome.value, leaves_of(outcome.arguments[0])
    return (
        is_list(got)
        and len(got) < len(leaves)
        and {*map(id, got)} == {*map(id, leaves_without_a_gradient(*outcome.arguments))}
    )


def _items_are(kind):
    return lambda outcome: is_list(outcome.value) and any(kind(item) for item in outcome.value)


def _draw(outcome, difference):
    """The graph with the leaves in red that are not in the answer, or more than once."""
    got = outcome.value if is_list(outcome.value) else []
    counts = {
        node: sum(item is node.variable for item in got)
        for node in nodes_of(outcome.arguments[0])
        if node.name() == "AccumulateGrad"
    }
    badges = {node: f"{'✓' if count == 1 else '✗'} {count} x in yours" for node, count in counts.items()}
    return draw(outcome, badges, lambda node: counts.get(node, 1) != 1)


def _strangers(outcome):
    """Whether the answer holds tensors, and none of them is a leaf of the graph."""
    got, leaves = outcome.value, leaves_of(outcome.arguments[0])
    if not is_list(got) or not got or not all(isinstance(item, mg.Tensor) for item in got):
        return False
    return not any(item is leaf for item in got for leaf in leaves)


# ---------------------------------------------------------------- wrong answers


def leaves_on_every_way(root):
    """A leaf that can be reached in two ways is in the list twice. Look whether its node was met before."""
    found, todo = [], [root.grad_fn]
    while todo:
        node = todo.pop()
        if node.name() == "AccumulateGrad":
            found.append(node.variable)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return found


def equal_leaves_once(root):
    """A leaf is missing that holds the same numbers as another one: `in` and `==` compare numbers. Whether it is the
    same tensor says `is`; or look at the nodes, which are compared as such.
    """
    found = []
    for leaf in leaves_of(root):
        if leaf not in found:
            found.append(leaf)
    return found


def leaves_without_a_gradient(root):
    """A leaf is missing that had a .grad already, from an earlier walk. It gets one from this walk, too, which is added
    to it.
    """
    return [leaf for leaf in leaves_of(root) if leaf.grad is None]


def nodes_of_leaves(root):
    """Nodes are in the list. The tensors are asked for: a leaf's node has its tensor in the attribute variable."""
    return [node for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def gradients_of_leaves(root):
    """All items are None, as a leaf's .grad is before a walk, and what append() returns. The leaves are asked for."""
    return [node.variable.grad for node in nodes_of(root) if node.name() == "AccumulateGrad"]


def asked_nodes_for_is_leaf(root):
    """is_leaf belongs to tensors, and these are nodes. A leaf's node is recognised by its name, AccumulateGrad."""
    return [node.variable for node in nodes_of(root) if node.is_leaf]


def saved_tensors(root):
    """None of these tensors is a leaf of the graph, as a copy is none, or a value that a node has saved. A leaf's node
    has the leaf itself in the attribute variable; take it as it is.
    """
    saved = [getattr(node, "_saved_self", None) for node in nodes_of(root)]
    return [tensor.detach() for tensor in saved if tensor is not None]


def leaves_beside_the_root(root):
    """These are the leaves right next to the root. Others are further away: go on from each node to its next ones."""
    return [node.variable for node, _ in root.grad_fn.next_functions if node and node.name() == "AccumulateGrad"]


def leaves_of_pairs(root):
    return [pair.variable for pair in root.grad_fn.next_functions if pair.name() == "AccumulateGrad"]


def variable_of_every_node(root):
    """Something was asked for its variable that is no leaf's node. Only AccumulateGrad has one."""
    return [node.variable for node in nodes_of(root)]


def only_the_first_leaf(root):
    """Only the first leaf is there. Collect them all, and return the list after the loop."""
    met = [root.grad_fn]
    for node in met:
        if node.name() == "AccumulateGrad":
            return [node.variable]
        met += [next_node for next_node, _ in node.next_functions if next_node not in (None, *met)]
    return None


def leaf_along_the_first_input(root):
    """Only the first input was followed. next_functions has a pair for each input of the operation."""
    return [node.variable for node in along_the_first_input(root) if hasattr(node, "variable")]


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


def leaves_by_their_memory(root):
    """Two leaves that share their memory were taken for one, as w.detach().requires_grad_() shares that of w. They are
    two tensors, and each gets a gradient: look at the nodes, or ask with `is`.
    """
    return list({leaf.data_ptr(): leaf for leaf in leaves_of(root)}.values())


# ---------------------------------------------------------------- tried as well


def leaves_of_two_inputs(root):
    met = [root.grad_fn]
    for node in met:
        met += [one for one in dict.fromkeys(one for one, _ in node.next_functions[:2]) if one and one not in met]
    return [node.variable for node in met if hasattr(node, "variable")]


def leaves_after_a_walk(root):
    leaves = leaves_of(root)
    root.backward(mg.ones_like(root))
    return [leaf for leaf in leaves if leaf.grad is not None]


def leaves_by_identity(root):
    found, seen, todo = [], {id(root.grad_fn)}, [root.grad_fn]
    for node in todo:
        if "Accumulate" in node.name():
            found.insert(0, node.variable)
        for following, _ in node.next_functions:
            if following and id(following) not in seen:
                seen.add(id(following))
                todo.append(following)
    return found


def leaves_marked(root):
    leaves = [leaf for leaf in leaves_of(root) if not hasattr(leaf, "met")]
    for leaf in leaves:
        leaf.met = True
    return leaves


def leaves_that_have_no_gradient(root):
    return [node.variable for node in nodes_of(root) if hasattr(node, "variable") and node.variable.grad is None]


EXERCISE = Exercise(
    title="a list of the leaf tensors that a backward from root reaches",
    stars=2,
    minutes=6,
    reference=leaves_of,
    cases=chapter02.CASES,
    drawn=chapter02.drawn,
    hints=(
        "The walk is the one of the first exercise. Which nodes belong to leaves?",
        'A leaf\'s node has the name "AccumulateGrad".',
        "Such a node has its tensor in the attribute variable.",
    ),
    compare=_compare_tensors,
    show=_show,
    picture=_draw,
    seconds=chapter02.SECONDS,
    evidence=lambda outcome: f"  the graph has {len(leaves_of(outcome.arguments[0]))} leaves",
    mistakes=(
        Mistake(leaves_on_every_way, when=_for_each_way),
        Mistake(leaves_without_a_gradient, when=_those_with_a_gradient_are_missing),
        Mistake(leaves_by_their_memory, when=_one_of_a_memory_is_missing),
        Mistake(
            equal_leaves_once,
            lambda root: list({leaf.item(): leaf for leaf in leaves_of(root)}.values()),
            when=_equal_one_is_missing,
        ),
        Mistake(nodes_of_leaves, when=_items_are(lambda item: hasattr(item, "next_functions"))),
        Mistake(
            gradients_of_leaves,
            when=lambda outcome: is_list(outcome.value) and list(outcome.value) == [None] * len(outcome.value) != [],
        ),
        Mistake(
            asked_nodes_for_is_leaf,
            when=raised("Backward0' object has no attribute 'is_leaf", kind=AttributeError),
        ),
        Mistake(
            saved_tensors,
            lambda root: [node.variable.clone() for node in nodes_of(root) if node.name() == "AccumulateGrad"],
            when=_strangers,
        ),
        leaves_beside_the_root,
        pairs_for_nodes(leaves_of_pairs),
        Mistake(
            variable_of_every_node,
            when=raised("variable", kind=AttributeError),
        ),
        only_the_first_leaf,
        leaf_along_the_first_input,
        up_to_a_number(_leaves_over),
        over_first_outputs(_leaves_over),
        by_recursion(leaves_by_recursion),
    ),
    right=(
        lambda root: [*{node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"}],
        edited(asked_nodes_for_is_leaf, "node.is_leaf]", "isinstance(node, mg.autograd.graph.AccumulateGrad)]"),
        leaves_by_identity,
        lambda root: [node.variable for node in nodes_of(root) if hasattr(node, "variable")],
        lambda root: [node.variable for node in nodes_of(root) if not node.next_functions],
    ),
    wrong={
        "A leaf is missing that holds the same numbers as another one": [
            edited(equal_leaves_once, "leaf not in found:", "not any(mg.equal(leaf, other) for other in found):"),
            lambda root: list({repr(leaf): leaf for leaf in leaves_of(root)}.values()),
        ],
        "": [lambda root: [node.variable for node in nodes_of(root)[:8] if hasattr(node, "variable")]],
        "what append() returns": [lambda root: [[].append(leaf) for leaf in leaves_of(root)]],
        "c.sin()": [leaves_of_two_inputs],
        "a list is asked for, and this is a tuple": [lambda root: tuple(leaves_of(root))],
        "a list is asked for, and this is a set": [lambda root: {*leaves_of(root)}],
        "The answer is right, but somebody walked backward on the way": [leaves_after_a_walk],
        "the .grad of a leaf was written": [
            edited(
                leaves_after_a_walk,
                "root.backward(mg.ones_like(root))",
                "for leaf in leaves:\n        leaf.grad = mg.zeros_like(leaf)",
            )
        ],
        "leaf 1 behind root has other attributes than before": [leaves_marked],
        "tensor(0.5) * a": [lambda root: [leaf for leaf in leaves_of(root) if leaf.numel() > 1 or leaf]],
        "likely It is not one of the leaves of this graph": [
            lambda root: leaves_of(root) + [mg.tensor(0.5)] * (root.numel() == 1 and not root)
        ],
        "as a copy is none": [lambda root: [leaf.detach() for leaf in leaves_of(root)]],
        "an item: yours None, expected a tensor": [
            lambda root: [getattr(node, "variable", None) for node in nodes_of(root)]
        ],
        "A leaf is missing that had a .grad already": [leaves_that_have_no_gradient],
        "how often the leaf a, tensor(1), is there … had a .grad already": [leaves_without_a_gradient],
        "how often the leaf c, tensor(3), is there": [
            lambda root: [leaf for leaf in leaves_of(root) if leaf.item() != 3.0 or root.grad_fn.name()[:3] != "Sum"]
        ],
    },
)

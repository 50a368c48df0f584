"""What the exercises of chapter 02 share: the graphs that they walk over, and how these are drawn."""

import minigrad as mg
from minigrad.teach import Case, Mistake, draw_nodes, nodes_of, raised

SECONDS = 4.0  # how long a walk may take: one that goes along every way would take longer than anybody's life
LARGEST = 12  # boxes of a picture


def _leaf(number):
    return mg.tensor(number, requires_grad=True)


def _chapters_graph():
    a, b = _leaf(3.0), _leaf(2.0)
    return (((a * b) + a) * 4,)


def _one_leaf_three_uses():
    w, state = _leaf(0.5), mg.tensor(1.0)
    for _ in range(3):
        state = (state * w).tanh()
    return (state,)


def _square():
    x = _leaf(3.0)
    return (x * x,)


def _near_and_far():
    a = _leaf(1.0)
    return (a * a.sin().cos(),)


def _repeated(operation, times):
    y = _leaf(0.5)
    for _ in range(times):
        y = operation(y)
    return (y,)


CASES = (
    Case("d = (a * b + a) * 4", _chapters_graph),
    Case("y = x * x", _square),
    Case("three rounds of state = (state * w).tanh()", _one_leaf_three_uses),
    Case("a.sin().cos().exp() + b", lambda: (_leaf(1.0).sin().cos().exp() + _leaf(2.0),)),
    Case("a * a.sin().cos()", _near_and_far),
    Case("40 rounds of y = y.sin() + y.cos()", lambda: _repeated(lambda y: y.sin() + y.cos(), 40)),
    Case("3000 rounds of y = y.sin()", lambda: _repeated(lambda y: y.sin(), 3_000)),
)


def is_list(value):
    return isinstance(value, list | tuple | set)


def along_the_first_input(root):
    """The nodes that a walk meets which goes on to the first input only."""
    nodes, node = [], root.grad_fn
    while node is not None:
        nodes.append(node)
        node = node.next_functions[0][0] if node.next_functions else None
    return nodes


def by_recursion(answer):
    told = (
        "The function calls itself for each node, and the last graph is deeper than Python's stack. Keep a list of "
        "what is still to do, and loop."
    )
    return Mistake(answer, words=told, when=raised(kind=RecursionError))


def pairs_for_nodes(answer):
    """For a walk that took a pair of next_functions for its node."""
    told = "next_functions holds pairs, (node, number). Take the node out of each: for next_node, _ in ..."
    return Mistake(answer, words=told, when=raised("'tuple' object", kind=AttributeError))


def draw(outcome, badges, wrong):
    """The case's graph; "" where it is too large for a card."""
    (root,) = outcome.arguments
    if len(nodes_of(root)) > LARGEST:
        return ""
    leaves = [node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"]
    return draw_nodes(root, {"root": root, **dict(zip("ab", leaves))}, badges, wrong)

"""What the exercises of chapter 02 share: the graphs that they walk over, and how these are drawn. Those that are drawn
at random are for chapter 03, too.
"""

import functools
import itertools

import minigrad as mg
from minigrad.teach import Case, Difference, Mistake, Seen, compare, draw_nodes, nodes_of, observer, raised, show

SECONDS = 4.0  # how long a walk may take: one that goes along every way would take longer than anybody's life
LARGEST = 12  # boxes of a picture
EARLIER = 7.0  # all that is in the .grad of a leaf which was walked to before


def _leaf(number):
    return mg.tensor(number, requires_grad=True)


def _graph(root, **leaves):
    """The arguments of a case: the root of a graph, which knows what the case calls its leaves."""
    nodes = {getattr(node, "variable", None): node for node in nodes_of(root)}
    root.letters = {nodes[leaf]: name for name, leaf in leaves.items()}
    return (root,)


def _chapters_graph():
    a, b = _leaf(3.0), _leaf(2.0)
    return _graph(((a * b) + a) * 4, a=a, b=b)


def _one_leaf_three_uses():
    w, state = _leaf(0.5), mg.tensor(1.0)
    for _ in range(3):
        state = (state * w).tanh()
    return _graph(state, w=w)


def _square():
    x = _leaf(3.0)
    return _graph(x * x, x=x)


def _met_early_and_late():
    a = _leaf(1.0)
    m = a.sin()
    return _graph(m + m.cos().exp(), a=a)


def _one_memory():
    a = _leaf(3.0)
    b = a.detach().requires_grad_()
    return _graph(a * b, a=a, b=b)


def _near_and_far():
    a = _leaf(1.0)
    return _graph(a * a.sin().cos(), a=a)


def _first_is_data():
    a = _leaf(0.0)
    return _graph(mg.tensor(0.5) * a, a=a)


def _last_is_near():
    a, b = _leaf(1.0), _leaf(2.0)
    return _graph(a.sin().cos().exp() + b, a=a, b=b)


def _equal_leaves():
    a, b = _leaf(2.0), _leaf(2.0)
    return _graph(first_times_second(a, b), a=a, b=b)


def _second_output():
    a, b = _leaf(1.0), _leaf(2.0)
    return _graph(mg.stack([a, b]).unbind()[1].sin(), a=a, b=b)


def first_times_second(p, q):
    first, second = mg.stack([p, q]).unbind()
    return first * second


def _many_inputs():
    a, b, c, d, e = map(_leaf, (1.0, 2.0, 3.0, 4.0, 5.0))
    return _graph(mg.stack([a, b, c.sin(), d, e.cos().exp().tanh()]).sum(), a=a, b=b, c=c, d=d, e=e)


def _walked_before():
    a, b = _leaf(1.0), _leaf(2.0)
    a.grad = mg.tensor(EARLIER)
    return _graph(a.sin() * b, a=a, b=b)


def _repeated(operation, times):
    leaf = y = _leaf(0.5)
    for _ in range(times):
        y = operation(y)
    return _graph(y, y=leaf)


CASES = (
    Case("d = (a * b + a) * 4", _chapters_graph),
    Case("y = x * x", _square),
    Case("tensor(0.5) * a, whose first input needs no gradient, and a holds 0.0", _first_is_data),
    Case("m + m.cos().exp(), where m = a.sin()", _met_early_and_late),
    Case("three rounds of state = (state * w).tanh()", _one_leaf_three_uses),
    Case("a.sin().cos().exp() + b", _last_is_near),
    Case("a * a.sin().cos()", _near_and_far),
    Case(
        "first * second, where first, second = stack([a, b]).unbind(), and a and b are leaves that both hold 2.0",
        _equal_leaves,
    ),
    Case("stack([a, b]).unbind()[1].sin()", _second_output),
    Case("a * b, where b = a.detach().requires_grad_() has the memory of a", _one_memory),
    Case("stack([a, b, c.sin(), d, e.cos().exp().tanh()]).sum()", _many_inputs),
    Case("a.sin() * b, where a has a .grad from an earlier walk", _walked_before),
    Case("40 rounds of y = y.sin() + y.cos()", lambda: _repeated(lambda y: y.sin() + y.cos(), 40)),
    Case("40 rounds of y = y.sin() + y", lambda: _repeated(lambda y: y.sin() + y, 40)),  # one of all ways is longest
    Case("3000 rounds of y = y.sin()", lambda: _repeated(lambda y: y.sin(), 3_000)),
)


class Twice(mg.autograd.Function):
    """An operation of somebody's own, whose node has a name of its own."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


# The lines of a random graph: an input twice, none that needs a gradient, three inputs, one or both of the outputs of a
# node, and a node of somebody's own.
LINES = {
    "{} * {}": lambda p, q: p * q,
    "{} + {}": lambda p, q: p + q,
    "{} * {}.detach()": lambda p, q: p * q.detach(),
    "tensor(0.5) * {}": lambda p: mg.tensor(0.5) * p,
    "{}.sin()": lambda p: p.sin(),
    "Twice.apply({})": Twice.apply,
    "stack([{}, {}, {}]).mean(dim=0)": lambda p, q, r: mg.stack([p, q, r]).mean(dim=0),
    "stack([{}, {}]).unbind()[1]": lambda p, q: mg.stack([p, q]).unbind()[1],
    "first * second, where first, second = stack([{}, {}]).unbind()": first_times_second,
}


def drawn(random):
    """Random graphs: leaves that are equal, or have several elements, and lines that use what is there already, until
    all lead to one end.
    """
    for count in random.integers(3, 8, 2):
        number, shape = float(random.integers(0, 4)), ((), (2,))[random.integers(2)]
        known, lines, ends = list("xyz"), [], []
        while len(lines) < count or len(ends) > 1:
            name, words = "abcdefghijklmn"[len(lines)], random.choice(list(LINES))
            inputs = random.choice(known[-5:], words.count("{}")).tolist()  # those of late: so that it becomes deep
            if len(lines) >= count:
                words, inputs = "{} * {}", ends[:2]
            lines.append((name, words, inputs))
            known.append(name)
            ends = [*(end for end in ends if end not in inputs), name]
        told = "; ".join(f"{name} = {words.format(*inputs)}" for name, words, inputs in lines)
        leaf = f"tensor({mg.full(shape, number).tolist()})"
        words = f"x, y and z are leaves that hold {leaf}, x with a .grad; {told}: the graph of {known[-1]}"
        yield Case(words, functools.partial(_graph_of, lines, shape, number))


def _graph_of(lines, shape, number):
    tensors = {name: mg.full(shape, number, requires_grad=True) for name in "xyz"}
    tensors["x"].grad = mg.full(shape, EARLIER)
    for name, words, inputs in lines:
        tensors[name] = LINES[words](*[tensors[given] for given in inputs])
    root = tensors[lines[-1][0]]
    root.letters = {}  # of the nodes, for the card and the picture
    for node in nodes_of(root):
        for name, tensor in tensors.items():
            if tensor.grad_fn is node or getattr(node, "variable", None) is tensor:
                root.letters[node] = name
    return (root,)


def ways_to(root):
    """For each node, the number of ways that lead to it from the root."""
    nodes = nodes_of(root)
    waits = dict.fromkeys(nodes, 0)
    for node in nodes:
        for next_node, _ in node.next_functions:
            if next_node is not None:
                waits[next_node] += 1
    ways, ready = {root.grad_fn: 1}, [root.grad_fn]
    for node in ready:  # which grows by those that all who lead to them have been asked about
        for next_node, _ in node.next_functions:
            if next_node is not None:
                ways[next_node] = ways.get(next_node, 0) + ways[node]
                waits[next_node] -= 1
                if waits[next_node] == 0:
                    ready.append(next_node)
    return ways


SAVED, GRADS, UNHARMED = "what the nodes have saved", "the .grad of the leaves", "as before"
NOTES = {
    SAVED: "The answer is right, but somebody walked backward on the way. The graph is to be looked at, not run.",
    GRADS: "The answer is right, but the .grad of a leaf was written, by hand or by a walk. The graph is only to be "
    "looked at.",
}


def looking(see=lambda value, root: value):
    """For `plug`: what `see` makes of an answer's value; and whether the graph, to be looked at only, is as it was."""
    return observer(lambda answer, root: {"the answer": see(answer(root), root), **state_of_graph(root)})


def harmed(root):
    """A Difference if a graph that was only to be looked at is not as it was, else None."""
    return compare(Seen(dict.fromkeys(NOTES, UNHARMED)), state_of_graph(root), notes=NOTES)


def state_of_graph(root):
    """In words, what has become of a graph that was to be looked at only."""
    nodes = nodes_of(root)
    freed = [f"that of {node.name()} is used up" for node in nodes if node.freed]
    grads = [node.variable._grad for node in nodes if node.name() == "AccumulateGrad"]
    written = [f"one is {show(grad)}" for grad in grads if grad is not None and not (grad == EARLIER).all()]
    return Seen({SAVED: next(iter(freed), UNHARMED), GRADS: next(iter(written), UNHARMED)})


def is_list(value):
    return isinstance(value, list | tuple | set)


def kind_if_no_list(value):
    """The difference of what is right but for its kind; None if it is a list."""
    kind = type(value).__name__
    note = f"What is in it is right; a list is asked for, and this is a {kind}."
    return None if isinstance(value, list) else Difference("the answer", f"a {kind}", "a list", note)


def along_the_first_input(root):
    """The nodes that a walk meets which goes on to the first input only."""
    nodes, node = [], root.grad_fn
    while node is not None:
        nodes.append(node)
        node = node.next_functions[0][0] if node.next_functions else None
    return nodes


def nodes_over(root, edges):
    """The nodes that a walk meets which goes on over some pairs of next_functions only."""
    met = dict.fromkeys([root.grad_fn])
    todo = [root.grad_fn]
    for node in todo:
        todo += (new := {one: None for one, _ in edges(node.next_functions) if one is not None and one not in met})
        met |= new
    return todo


ENDED_AT_NONE = (
    "The loop over next_functions ended at a None. An input that needs no gradient has none, and others may follow: go "
    "on to the next one, with `continue`."
)


def up_to_a_number(answer):
    """For a walk whose loop over next_functions ends at a None; `answer(root, edges)` goes over some edges only."""
    return Mistake(
        lambda root: answer(root, lambda pairs: itertools.takewhile(lambda pair: pair[0] is not None, pairs)),
        words=ENDED_AT_NONE,
    )


def over_first_outputs(answer):
    """For a walk that takes the number in a pair for something else."""
    return Mistake(
        lambda root: answer(root, lambda pairs: [pair for pair in pairs if pair[1] == 0]),
        words="Only pairs with the number 0 were followed. The number says which result of that node was used, and the "
        "node sends gradients on whichever it is: leave the number out of the question.",
    )


def by_recursion(answer):
    told = (
        "The function calls itself for each node, and this graph is deeper than Python's stack. Keep a list of "
        "what is still to do, and loop."
    )
    deep = 100  # nodes: on the deepest way so many calls that Python in a browser ends them
    return Mistake(
        answer,
        words=told,
        when=lambda outcome: isinstance(outcome.error, RecursionError) and len(nodes_of(*outcome.arguments)) > deep,
    )


def pairs_for_nodes(answer):
    """For a walk that took a pair of next_functions for its node."""
    told = "A tuple is no node. next_functions holds pairs, (node, number): for next_node, _ in ... takes the node out."
    return Mistake(answer, words=told, when=raised("'tuple' object", kind=AttributeError))


def draw(outcome, badges, wrong):
    """The case's graph; "" where it is too large for a card."""
    (root,) = outcome.arguments
    if len(nodes_of(root)) > LARGEST:
        return ""
    return draw_nodes(root, {"root": root, **leaf_names(root)}, badges, wrong)


def leaf_names(root):
    """The leaves by what the case calls them."""
    return {root.letters[node]: node.variable for node in nodes_of(root) if node.name() == "AccumulateGrad"}

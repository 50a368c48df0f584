"""Exercise `by_hand`: the chapter's graph walked by calling its nodes."""

from unittest.mock import patch

import minigrad as mg
from minigrad.autograd.graph import Node
from minigrad.teach import EXERCISES, Exercise, Mistake, compare, edited, observer, raised, right_but, show
from minigrad.teach.limits import print_limit

from .chapter02 import GRADS, SAVED, UNHARMED, state_of_graph
from .chapter03 import draw_wrong, leaf_values, measured_slopes, running_case, running_example

NOT_CALLED = (
    "The numbers are right, but not by this means: the nodes of the e that came in are to be called, as functions, and "
    "each once; what they return is added up."
)
ENOUGH = "The numbers are right, but more has run, such as backward() or a leaf's node: e, d and c are enough."
DOUBLED, ANOTHER = "the answer, where the nodes return twice as much", "becomes another one"
TIMES = {0: "not called", 1: "called once"}
WRITTEN = "The numbers are right, but the .grad of a leaf was written: call the nodes of e, d and c, and no other."


def by_hand(e):
    """The gradients of a and b, by calling the nodes of c = a * b; d = c + a; e = c * d."""
    node_e, node_c, node_d = _nodes(e)
    e_to_c, e_to_d = node_e(mg.tensor(1.0))
    d_to_c, d_to_a = node_d(e_to_d)
    c_to_a, c_to_b = node_c(e_to_c + d_to_c)
    return d_to_a + c_to_a, c_to_b


def _nodes(e):
    node_e = e.grad_fn
    (node_c, _), (node_d, _) = node_e.next_functions
    return node_e, node_c, node_d


def _drawn(random):
    """Eighths, whose products are exact; two that are equal, and one that is 0."""
    a, b = (random.integers(-24, 25, 2) / 8).tolist()
    yield running_case(a, b)
    yield running_case(a, a)
    yield running_case(*random.permutation([b, 0.0]).tolist())


@observer
def _with_calls(answer, e):
    """The gradients, how often each of the nodes was called for them, and whether something else ran as well."""
    called, call = [], Node.__call__

    def noted(node, *gradients):
        called.append(node)
        return call(node, *gradients)

    with patch.object(Node, "__call__", noted):
        seen = {"the answer": answer(e)}
    for name, node in zip("ecd", _nodes(e), strict=True):
        seen[f"the node of {name}"] = TIMES.get(called.count(node), "called more than once")
    seen |= (state := state_of_graph(e))
    with patch.object(Node, "__call__", lambda node, *given: tuple(2 * sent for sent in call(node, *given))):
        try:
            doubled = "stays the same" if compare(seen["the answer"], answer(e)) is None else ANOTHER
        except Exception:  # of a graph that has been walked, as another row says already
            doubled = ANOTHER if {*state.values()} == {UNHARMED} else "is not to be had"
    return {**seen, DOUBLED: doubled}


def _is_not_from_e(outcome):
    """Whether e was walked, and the same comes back for another e."""
    if outcome.seen.get(SAVED, UNHARMED) == outcome.seen.get(GRADS, UNHARMED) == UNHARMED:
        return False
    with print_limit(0):
        other = EXERCISE.run(outcome.answer, running_case(7.0, 5.0))
    return "the answer" in other.seen and show(other.seen["the answer"]) == show(outcome.seen["the answer"])


def _draw(outcome, difference):
    leaf = {"item 1 of 2": "a", "item 2 of 2": "b"}.get(difference.where, "")
    return draw_wrong(**leaf_values(*outcome.arguments), wrong=leaf, difference=difference)


# ---------------------------------------------------------------- wrong answers


def ran_c_too_early(e):
    """Node c got only what came from e, as where it is called before d has sent its part. Call the node of d first, and
    c with the sum of both.
    """
    node_e, node_c, node_d = _nodes(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    to_a, to_b = node_c(to_c)
    _, more_to_a = node_d(to_d)
    return to_a + more_to_a, to_b


def overwrote_c(e):
    """Node c got only what came from d, as where the part from e is overwritten. Contributions are added, as in +=,
    never replaced, as in =.
    """
    node_e, node_c, node_d = _nodes(e)
    grad_c, grad_d = node_e(mg.tensor(1.0))
    grad_c, grad_a = node_d(grad_d)
    to_a, to_b = node_c(grad_c)
    return grad_a + to_a, to_b


def overwrote_a(e):
    """The gradient of a misses what d sent. a is used twice, by c and by d, and both parts count."""
    node_e, node_c, node_d = _nodes(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    to_a, to_b = node_c(to_c + more)
    return to_a, to_b


def ran_c_twice_with_the_sum(e):
    """Node c was called twice, the second time with the sum, so what came from e went through it twice. One call, with
    the sum, is enough.
    """
    node_e, node_c, node_d = _nodes(e)
    grad_c, to_d = node_e(mg.tensor(1.0))
    grad_a, grad_b = node_c(grad_c)
    more, to_a = node_d(to_d)
    grad_c = grad_c + more
    more_a, more_b = node_c(grad_c)
    return grad_a + to_a + more_a, grad_b + more_b


def called_c_for_each_part(e):
    """The gradients are right, but a node was called more than once, and so would be all that lie behind it. Keep what
    a call returns, add up what arrives at a node, and call it once, with the sum.
    """
    node_e, node_c, node_d = _nodes(e)
    to_c, to_d = node_e(mg.ones(()))
    more_to_c, to_a = node_d(to_d)
    first, second = node_c(to_c), node_c(more_to_c)
    return first[0] + second[0] + to_a, first[1] + second[1]


def b_before_a(e):
    """The two gradients have changed places: a first, then b."""
    first, second = by_hand(e)
    return second, first


def began_with_the_value(e):
    """The walk began with the value of e. It begins with 1: e changes by 1 per unit of e."""
    node_e, node_c, node_d = _nodes(e)
    to_c, to_d = node_e(e.detach())
    more, to_a = node_d(to_d)
    more_to_a, to_b = node_c(to_c + more)
    return to_a + more_to_a, to_b


def called_d_with_one(e):
    """Node d was called with 1. It gets what e has sent to it, the second of the two."""
    node_e, node_c, node_d = _nodes(e)
    one = mg.tensor(1.0)
    to_c, _ = node_e(one)
    more, to_a = node_d(one)
    more_to_a, to_b = node_c(to_c + more)
    return to_a + more_to_a, to_b


def added_in_place(e):
    """a got the sum that is for c, as where += writes it into the one tensor that d has sent to both. Add with +, which
    makes a new one, and give a what d has sent.
    """
    node_e, node_c, node_d = _nodes(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    more += to_c
    more_to_a, to_b = node_c(more)
    return to_a + more_to_a, to_b


def called_the_pairs(e):
    """next_functions holds a pair for each input: its node, and which of that node's results it was. Take the node out
    of the pair: (node_c, _), (node_d, _) = e.grad_fn.next_functions.
    """
    pair_c, pair_d = e.grad_fn.next_functions
    to_c, to_d = e.grad_fn(mg.tensor(1.0))
    more_to_c, to_a = pair_d(to_d)
    more_to_a, to_b = pair_c(to_c + more_to_c)
    return to_a + more_to_a, to_b


def grads_of_others(e):
    """e was walked, as by backward(), but what came back is the same for every e, so it is not from this graph: an a
    and a b outside of the function are the notebook's, and the leaves behind this e are other ones. Begin at e.grad_fn,
    and call the nodes of e yourself.
    """
    e.backward()
    return OUTSIDE


OUTSIDE = (mg.tensor(72.0), mg.tensor(90.0))


def called_with_a_number(e):
    """A node wants tensors: tensor(1.0) and not 1.0; and of what another node sends, which is a tuple, its items."""
    return e.grad_fn(1.0)


# ---------------------------------------------------------------- tried as well


def leaves_of_example(e):
    return [node.variable.detach() for node, _ in e.grad_fn.next_functions[0][0].next_functions]


def hand_by_formula(e):
    a, b = leaves_of_example(e)
    return 2 * a * b * (b + 1), a * a * (2 * b + 1)


def hand_by_backward(e):
    e.backward()
    a, b = (node.variable.grad for node, _ in e.grad_fn.next_functions[0][0].next_functions)
    return a, b


def hand_by_grad(e):
    return mg.autograd.grad(e, [node.variable for node, _ in e.grad_fn.next_functions[0][0].next_functions])


def hand_with_one_gradient_summed(e):
    a, b = by_hand(e)
    return (a + b, b) if leaves_of_example(e)[0] == leaves_of_example(e)[1] else (a, b)


def hand_without_recording(e):
    with mg.no_grad():
        return by_hand(e)


def hand_in_numbers_of_its_own(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    to_c, to_d = (gradient.detach() for gradient in e.grad_fn(mg.tensor(1.0)))
    from_d = node_d(to_d)
    from_c = node_c(mg.stack([to_c, from_d[0]]).sum())
    return sum([from_d[1], from_c[0]]), from_c[1].clone()


def hand_with_nodes_from_elsewhere(e):
    """The nodes of a graph with the same numbers, as the notebook's own is."""
    return by_hand(running_example(*(leaf.item() for leaf in leaves_of_example(e)))[0])


def hand_down_to_the_leaves(e):
    gradients = by_hand(e)
    leaves = [node for node, _ in e.grad_fn.next_functions[0][0].next_functions]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf(gradient)
    return tuple(leaf.variable.grad for leaf in leaves)


def hand_with_each_part(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    to_c, to_d = e.grad_fn(mg.tensor(1.0))
    more, first = node_d(to_d)
    return first, *node_c(to_c + more)


def by_hand_in_a_loop(e):
    arrived = {e.grad_fn: mg.ones(())}
    for node in EXERCISES["run_order"].reference(e):
        if node.next_functions:
            for gradient, (following, _) in zip(node(arrived[node]), node.next_functions, strict=True):
                arrived[following] = arrived.get(following, 0) + gradient
    a, b = (node for node, _ in e.grad_fn.next_functions[0][0].next_functions)
    return arrived[a], arrived[b]


EXERCISE = Exercise(
    title="a tuple of two tensors, the gradients of a and b, found by calling the nodes e, d and c",
    stars=1,
    minutes=6,
    reference=by_hand,
    cases=(running_case(3.0, 2.0), running_case(-1.5, 4.0), running_case(0.5, -3.0)),
    drawn=_drawn,
    plug=_with_calls,
    notes={
        DOUBLED: "The numbers are right, and the nodes were called, but what they returned is not what was added up.",
        "the node of *": NOT_CALLED,
        SAVED: ENOUGH,
        GRADS: WRITTEN,
    },
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
    evidence=lambda outcome: measured_slopes(**leaf_values(*outcome.arguments)),
    picture=_draw,
    mistakes=(
        Mistake(
            grads_of_others,
            edited(grads_of_others, "OUTSIDE", "None, None"),
            edited(grads_of_others, "backward()", "backward(retain_graph=True)", "OUTSIDE", "mg.ones(()), mg.ones(())"),
            when=_is_not_from_e,
        ),
        ran_c_too_early,
        overwrote_c,
        overwrote_a,
        Mistake(
            edited(overwrote_a, "to_a, to_b ", "_, to_b "),
            words="The gradient of a misses what c sent. a is used twice, by c and by d, and both parts count.",
        ),
        ran_c_twice_with_the_sum,
        Mistake(
            called_c_for_each_part,
            edited(
                by_hand,
                "e_to_c, e_to_d = node_e(mg.tensor(1.0))",
                "e_to_c, e_to_d = [node_e(mg.tensor(1.0))[i] for i in (0, 1)]",
            ),
            when=right_but("the node of *", lambda mine, right: "more" in mine),
        ),
        b_before_a,
        began_with_the_value,
        called_d_with_one,
        added_in_place,
        Mistake(
            edited(began_with_the_value, "to_c, to_d = node_e(e.detach())", "to_d, to_c = node_e(mg.tensor(1.0))"),
            words="a got what e sends to c, as where d is given that, and c the other. A node's gradients come in the "
            "order of its next_functions: c, then d.",
        ),
        Mistake(called_the_pairs, when=raised("'tuple' object is not callable")),
        Mistake(
            called_with_a_number,
            when=raised("must be called with tensors", kind=TypeError),
        ),
    ),
    right=(
        hand_without_recording,
        hand_in_numbers_of_its_own,
        by_hand_in_a_loop,
    ),
    wrong={
        "The numbers are right, but not by this means": [hand_by_formula, hand_by_backward, hand_by_grad],
        "the nodes of the e that came in": [hand_with_nodes_from_elsewhere],
        "called, as functions, and each once … The gradients are right, but a node": [called_c_for_each_part],
        "Node c got only what came from e": [edited(by_hand, "e_to_c + d_to_c", "e_to_c")],
        "Node c got only what came from d": [edited(by_hand, "e_to_c + d_to_c", "d_to_c")],
        "which is a tuple, its items": [edited(by_hand, "node_d(e_to_d)", "node_d(node_e(mg.tensor(1.0)))")],
        "a got what e sends to c": [edited(by_hand, "d_to_a + c", "e_to_c + c")],
        "likely None of the mistakes that are known": [lambda e: tuple(gradient.round() for gradient in by_hand(e))],
        "what they returned is not what was added up": [
            edited(hand_by_grad, "return", "by_hand(e)\n    return", "])", "], retain_graph=True)")
        ],
        "this is a float and a tensor is asked for": [lambda e: tuple(gradient.item() for gradient in by_hand(e))],
        "": [lambda e: tuple(gradient.abs() for gradient in by_hand(e))],
        "drawn at random": [hand_with_one_gradient_summed],
        "the leaves behind this e are other ones": [
            lambda e: (e.backward(), OUTSIDE)[1],
            lambda e: (e.backward(), (None, None))[1],
        ],
        "likely None of the mistakes that are known here. None of the 3": [  # and not that it follows from the nodes
            edited(grads_of_others, "OUTSIDE", "e.detach(), e.detach()")
        ],
        "first difference the node of e … the leaves behind this e are other ones": [
            edited(grads_of_others, "OUTSIDE", "mg.tensor(36.0), mg.tensor(45.0)")
        ],
        "the .grad of a leaf was written": [hand_down_to_the_leaves],
        "2 values are asked for; these are 3": [hand_with_each_part],
        "the nodes behind e have other hooks or metadata than before": [
            edited(by_hand, "d_to_c, d_to_a", "node_c.register_prehook(lambda given: None)\n    d_to_c, d_to_a")
        ],
        "a tuple is asked for, and this is a list": [lambda e: list(by_hand(e))],
    },
)

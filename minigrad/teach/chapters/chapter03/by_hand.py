"""Exercise `by_hand`: the chapter's graph walked by calling its nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter03.running_example import CHAPTER, draw_wrong, running_case
from minigrad.teach.comparing import Difference
from minigrad.teach.evidence import measured
from minigrad.teach.exercise import Exercise, Mistake, Outcome
from minigrad.tensor import Tensor


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


def _walked_from(first: Callable[[Tensor], Tensor], second: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Any]:
    """A walk in which the node of e is called with `first`, and that of d with `second`."""

    def wrong(e: Tensor) -> Any:
        node_e, node_c, node_d = _nodes(e)
        e_to_c, e_to_d = node_e(first(e))
        d_to_c, d_to_a = node_d(second(e_to_d))
        c_to_a, c_to_b = node_c(e_to_c + d_to_c)
        return d_to_a + c_to_a, c_to_b

    return wrong


def _swapped(e: Tensor) -> Any:
    node_e, node_c, node_d = _nodes(e)
    e_to_d, e_to_c = node_e(tensor(1.0))
    d_to_c, d_to_a = node_d(e_to_d)
    c_to_a, c_to_b = node_c(e_to_c + d_to_c)
    return d_to_a + c_to_a, c_to_b


def _summed_twice(node_c: Any, e_to_c: Any, d_to_c: Any, d_to_a: Any, *_: Any) -> Any:
    early, late = node_c(e_to_c), node_c(e_to_c + d_to_c)
    return d_to_a + early[0] + late[0], early[1] + late[1]


def _measured_by_hand(outcome: Outcome) -> str:
    a, b = _numbers_of(outcome.arguments[0])
    return measured("e", lambda a, b: (a * b) * (a * b + a), {"a": a, "b": b}, "ab")


def _numbers_of(e: Tensor) -> tuple[float, float]:
    """a and b of the chapter's graph."""
    node_c = _nodes(e)[1]
    a, b = (float(node.variable.item()) for node, _ in node_c.next_functions)
    return a, b


def _draw(outcome: Outcome, difference: Difference) -> str:
    leaf = {"item 1 of 2": "a", "item 2 of 2": "b"}.get(difference.where, "")
    return draw_wrong(*_numbers_of(outcome.arguments[0]), leaf, difference)


BY_HAND = Exercise(
    name="by_hand",
    chapter=CHAPTER,
    title="a tuple of two tensors, the gradients of a and b, found by calling the nodes e, d and c",
    stars=1,
    minutes=6,
    reference=by_hand,
    cases=(running_case(3.0, 2.0), running_case(-1.5, 4.0), running_case(0.5, -3.0)),
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
    picture=_draw,
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
            "The walk began with the value of e. It begins with 1: e changes by 1 per unit of e.",
            _walked_from(lambda e: e.detach(), lambda e_to_d: e_to_d),
        ),
        Mistake(
            "Node d was called with 1. It gets what e has sent to it, the second of the two.",
            _walked_from(lambda e: tensor(1.0), lambda e_to_d: tensor(1.0)),
        ),
        Mistake(
            "What e sends to c was given to d, and the other way round. A node's gradients come in the order of its "
            "next_functions: c, then d.",
            _swapped,
        ),
        Mistake(
            "A node wants tensors: write tensor(1.0), not 1.0.",
            when=lambda outcome: (
                isinstance(outcome.error, TypeError) and "must be called with tensors" in str(outcome.error)
            ),
        ),
    ),
)

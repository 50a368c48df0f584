"""Exercise `start`: what has to be true before a walk begins."""

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, cases, edited, raised
from minigrad.teach.limits import TookTooLongError
from minigrad.teach.observing import right_but

from .chapter14 import WRITTEN, Tensor, array_of, product_rule, start, step_observer, whether_written


class Noted(Tensor):
    """Notes what it receives."""

    def receive(self, gradient):
        held = "" if self.rule is None or self.grad is None else f" on top of {self.grad.tolist()}"
        self.received.append(f"{np.asarray(gradient).tolist()}{held}")
        super().receive(gradient)


HELD = "the arrays that were in .grad before"


def _started(answer, tensors):
    Noted.received = []
    held = [one.grad for one in tensors.values() if one.grad is not None]
    copies = [np.array(one) for one in held]
    answer(tensors["L"])
    return {
        **{f"{name}.grad": array_of(one.grad) for name, one in tensors.items()},
        "received by all": f"[{', '.join(Noted.received)}]",
        HELD: whether_written(held, copies)[WRITTEN],
    }


def _made(values, earlier, freed):
    """Results behind results behind L, and a constant; and what each holds from before."""
    x, w = (Noted(one, True) for one in values)
    c = Noted(1.0)
    y = x * w
    z = y + x
    v = c * (y * z)  # so that c, a leaf, stands between two results in the order
    tensors = {"x": x, "w": w, "c": c, "y": y, "z": z, "v": v, "L": v * w}
    for name, number in earlier.items():
        tensors[name].grad = np.full(tensors[name].data.shape, number)
    if freed:
        tensors[freed].free()
    return tensors


def _case(values, freed="", **earlier):
    held = f"; before, {', '.join(f'{name}.grad is {number}' for name, number in earlier.items())}" if earlier else ""
    held += f", and {freed} has been freed" if freed else ""
    words = f"x = {values[0]}, w = {values[1]}, y = x * w, z = y + x, c = 1, v = c * (y * z), L = v * w{held}"
    return Case(words, lambda: (_made(values, earlier, freed),))


@cases("h = h * {factor}, {times} times, and L = h")
def _long_case(times, factor):
    """Made without computing."""
    h = one = Noted(1.0, True)
    for _ in range(times):
        result = Noted(one.data, True)
        result.inputs, result.rule = (h, one if factor == "one" else h), product_rule
        h = result
    return ({"L": h},)


@cases("L = [2, -1] is a leaf; before, L.grad is {earlier}")
def _leaf_case(earlier):
    root = Noted([2.0, -1.0], True)
    root.grad = None if earlier is None else np.full(2, earlier)
    return ({"L": root},)


def _drawn(random):
    names = [name for name in ("x", "w", "y", "z", "v", "L") if random.integers(2)]
    values = [(2.0, 3.0), ([1.0, -2.0], [0.5, 4.0])][random.integers(2)]
    yield _case(values, **{name: float(random.integers(1, 9)) for name in names})


# ---------------------------------------------------------------- wrong answers


def only_ones(self):
    """Results still hold what a walk before has left in them. It would be sent on once more."""
    self.grad = np.ones_like(self.data)


def adds_ones(self):
    """What self holds from a walk before is still in it. Results are to be cleared, self among them, before the ones
    come in.
    """
    self.receive(np.ones_like(self.data))


def all_cleared(self):
    """The gradients of leaves are gone. Those belong to whoever reads them, and add up until he clears them."""
    for one in self.in_order():
        one.grad = None
    self.receive(np.ones_like(self.data))


def cleared_last(self):
    """self was cleared after it had received the ones."""
    self.receive(np.ones_like(self.data))
    for one in self.in_order():
        if one.rule is not None:
            one.grad = None


def zeros_for_none(self):
    """The results were set to zeros; None is asked for, as in a tensor to which nothing has come."""
    for one in self.in_order():
        if one.rule is not None:
            one.grad = np.zeros_like(one.data)
    self.receive(np.ones_like(self.data))


def filled_with_zeros(self):
    for one in self.in_order():
        if one.rule is not None and one.grad is not None:
            one.grad.fill(0.0)
    self.receive(np.ones_like(self.data))


def _are_zeros_for_none(mine, right):
    return right is None and not np.any(mine)


def one_number(self):
    """A gradient has the shape of the data, so an array gets as many ones."""
    start(self)
    self.grad = self.grad.ravel()[0]


def a_float(self):
    """receive gets arrays, and this is none, as 1.0 is none: np.ones_like(self.data) has the shape, too."""
    self.receive(1.0)


def by_inputs(self):
    """What has been freed has no inputs any more, and was taken for a leaf. It still has a rule, one that raises: what
    has a rule is a result.
    """
    for one in self.in_order():
        if one.inputs:
            one.grad = None
    self.receive(np.ones_like(self.data))


def by_itself(self):
    """This is too deep for Python, or never ends, as where a function calls itself for each input, or goes each way to
    a tensor anew. self.in_order() has each tensor once: ask for it once.
    """

    def clear(tensor):
        if tensor.rule is not None:
            tensor.grad = None
            for one in tensor.inputs:
                clear(one)

    clear(self)
    self.receive(np.ones_like(self.data))


def a_leaf_cleared(self):
    """What self held is gone, as where it is cleared in any case. It is a leaf here: leaves keep what they hold, and
    the ones are added to that. Clear what has a rule, and leave the rest to receive.
    """
    start(self)
    if self.rule is None:
        self.grad = np.ones_like(self.data)
        self.received[:] = [str(self.grad.tolist())]


def nothing_for_a_leaf(self):
    """self may be a leaf, and then it receives ones as well. Here nothing has come to it."""
    if self.rule is not None:
        start(self)


def its_own_inputs_only(self):
    """Only self and its own inputs were cleared. There are results behind those, too: self.in_order() has all."""
    for one in (self, *self.inputs):
        if one.rule is not None:
            one.grad = None
    self.receive(np.ones_like(self.data))


def _not_from_the_list(outcome):
    """Whether a graph was too deep, or has too many ways."""
    return isinstance(outcome.error, RecursionError | TookTooLongError) and "times" in outcome.case.words


# ---------------------------------------------------------------- tried as well


def started_with_zeros_at_leaves(self):
    start(self)
    for one in self.in_order():
        if one.rule is None and one.grad is None:
            one.grad = np.zeros_like(one.data)


def cleared_by_every_way(self):
    todo = [self]
    for one in todo:
        if one.rule is not None:
            one.grad = None
            todo += one.inputs
    self.receive(np.ones_like(self.data))


def started_with_data(self):
    start(self)
    if self.rule is not None:
        self.grad = self.data.copy()


def started_on_the_way_down(self):
    for one in self.in_order()[::-1]:
        one.grad = one.grad if one.rule is None else None
    self.receive(np.ones(self.data.shape))


def started_by_sets(self):
    results = {one for one in self.in_order() if one.rule}
    for one in results:
        one.grad = None
    self.receive(np.full_like(self.data, 1.0))


def started_in_halves(self):
    start(self)
    if self.rule is not None:
        self.grad = None
        self.receive(np.ones_like(self.data) / 2)
        self.receive(np.ones_like(self.data) / 2)


EXERCISE = Exercise(
    title="results cleared, leaves left as they are, and ones received by self",
    stars=2,
    minutes=6,
    reference=start,
    plug=step_observer(_started, returns=False),
    notes={
        "received by all": "The gradients are right. self is to receive ones, by self.receive, and nobody else; if it "
        "is a result, its .grad is None by then.",
        HELD: "The gradients are right. But an array that was in .grad before holds other numbers now, and others may "
        "hold it: put None there, and leave the array as it is.",
    },
    cases=(
        _case((2.0, 3.0)),
        _case((2.0, 3.0), x=48.0, w=28.0, c=36.0, y=14.0, z=6.0, v=2.0, L=1.0),
        _case(([1.0, -2.0], [0.5, 4.0]), y=3.0, w=2.0),
        _case(([1.0, 0.0], [0.0, 4.0])),
        _case(([[1.0, -2.0]], [[0.5], [4.0]])),
        _leaf_case(None),
        _leaf_case(5.0),
        _case(([np.inf, 1.0], [0.5, 4.0])),
        _case((2.0, 3.0), freed="y", x=48.0, y=14.0, z=6.0),
        _case((2.0, 3.0), freed="L", x=48.0, L=1.0),  # so that a result is the first of the order
        _long_case(3_200, "one"),
        _long_case(40, "h"),
    ),
    drawn=_drawn,
    hints=(
        "A result and a leaf are told apart by their rule: a leaf has none.",
        "self.in_order() has all tensors behind self, and self. Clear the results among them first.",
        "for one in self.in_order(): if one.rule is not None, one.grad = None. Then "
        "self.receive(np.ones_like(self.data)).",
    ),
    writes=True,
    seconds=4.0,
    mistakes=(
        only_ones,
        adds_ones,
        Mistake(
            all_cleared,
            edited(all_cleared, "self.receive(np.ones_like(self.data))", "self.grad = 0 * self.data + 1"),
            edited(start, "rule is not None", "requires_grad"),
        ),
        cleared_last,
        Mistake(zeros_for_none, filled_with_zeros, when=right_but("[yzv].grad", _are_zeros_for_none)),
        by_inputs,
        a_leaf_cleared,
        nothing_for_a_leaf,
        its_own_inputs_only,
        Mistake(by_itself, when=_not_from_the_list),
        one_number,
        Mistake(
            edited(start, "None\n    self.receive(np.ones_like(self.data))", "None"),
            words="Nothing was received by self. The walk has to begin with ones: L grows by 1 per 1 of itself.",
        ),
        Mistake(
            edited(start, "in_order():", "in_order()[:-1]:"),
            words="self holds what a walk before has left in it. It is a result as well: clear it before the ones "
            "come in.",
        ),
        Mistake(
            edited(start, "not None", "None"),
            words="Leaves were cleared, and results were not: it is the other way round. A leaf is what has no rule.",
        ),
        Mistake(a_float, when=raised("no attribute 'copy'", kind=AttributeError)),
        Mistake(
            edited(start, "self.receive(np.ones_like(self.data))", "self.grad = np.ones_like(self.data)"),
            words="self may be a leaf. Then it is as any other leaf: ones are added to what it holds, with receive.",
        ),
    ),
    right=(started_on_the_way_down, started_by_sets),
    wrong={
        "RecursionError": [edited(start, "    for", "    self.start()\n    for")],
        "There are results behind those": [
            edited(start, "not None:", "None:\n            break\n        else:", "in_order()", "in_order()[::-1]")
        ],
        "goes each way to a tensor anew": [cleared_by_every_way],
        "receive gets arrays, and this is none": [edited(a_float, "1.0", "Tensor(1.0)")],
        "hold it: put None there": [
            edited(start, "one.grad = None", "one.grad, _ = None, one.grad is None or one.grad.fill(0)")
        ],
        "first difference x.grad: yours array(0.), expected None": [started_with_zeros_at_leaves],
        "L.grad: yours 2": [
            edited(adds_ones, "self.receive", "start(self)\n    self.receive"),
            edited(start, "in_order()", "in_order()[1:]"),
        ],
        "What self held is gone, as where": [
            edited(start, "ones_like(self.data))", "ones_like(self.data))\n    self.grad = np.ones_like(self.data)")
        ],
        "L.grad[0]: yours 0": [
            edited(start, "np.ones_like(self.data)", "np.sign(self.data) ** 2"),
            edited(start, "ones_like(self.data)", "isfinite(self.data).astype(float)"),
        ],
        "L.grad: yours 144": [started_with_data],
        "The shape is [2]; it should be [2, 2]": [
            edited(start, "np.ones_like(self.data)", "np.ones(len(self.data) if self.data.ndim else ())")
        ],
        "c.grad: yours None": [edited(start, "rule is not None:", "rule is not None or not one.requires_grad:")],
        "received by all: yours": [started_in_halves],
        "received by all: yours [1.0 on top of 0.0]": [
            edited(start, "one.grad = None", "one.grad = np.zeros_like(self.data) if one is self else None")
        ],
        "belong to whoever reads them": [edited(all_cleared, "in_order()", "in_order()[::-1]")],
    },
)

"""Exercise `backward`: the walk itself, and what is freed on the way."""

import contextlib

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw
from minigrad.teach.observing import right_but

from .chapter14 import Tensor, array_of, backward, drawn_array, freed_rule, step_observer


class Noted(Tensor):
    """Notes which results send, in which order, and what is freed."""

    def send(self):
        self.sent.append(self.name)
        try:
            super().send()
        except RuntimeError:
            self.raised.append(self.name)
            raise

    def free(self):
        self.freed.append(self.name)
        super().free()


def _walked(answer, tensors, walks):
    """One walk or two, as the case says; what they did, and what they left. Where one meets a result that was freed
    before, some free what has sent so far, and others would have done so in the end: either will do.
    """
    attributes = vars(tensors["L"]).keys()
    before, is_broken = {*attributes}, any(one.rule is freed_rule for one in tensors.values())
    Noted.sent, Noted.freed, Noted.raised, ended = [], [], [], []
    for arguments in walks:
        try:
            answer(tensors["L"], **arguments)
            ended.append(f"well, though {Noted.raised[-1]} has raised an error" if Noted.raised else "well")
        except RuntimeError as error:
            if "second time" not in str(error):
                raise
            ended.append("with the error about a second time")
    return {
        **{f"{name}.grad": array_of(one.grad) for name, one in tensors.items()},
        "the walks ended": ", ".join(ended),
        "sent by": ", ".join(Noted.sent) or "nobody",
        "freed": "" if is_broken else ", ".join(sorted(Noted.freed)) or "nothing",
        "attributes of L that were not there before": ", ".join(sorted(attributes - before)) or "none",
    }


def _made(x, w, program, freed=""):
    """All tensors of a program, by their names; one of them may have forgotten what it came from."""
    tensors = {"x": Noted(x, True), "w": Noted(w, True)}
    for line in program.split(", "):
        name, _, formula = line.partition(" = ")
        tensors[name] = eval(formula, dict(tensors))
    for name, one in tensors.items():
        one.name = name
    if freed:
        tensors[freed].inputs, tensors[freed].rule = (), freed_rule
    return tensors


# Of the second there is one order only; in the others a leaf may stand between two results, as in w * (x * x).
PROGRAMS = ("y = x * w, z = y + x, L = y * z", "y = x * w, L = y * x", "y = x * x, L = w * y", "y = x * x, L = y * w")
LONG = "y = x * w, z = y + x, u = z * y, v = u + z, L = v * u"


def _case(x, w, *walks, program=PROGRAMS[0], freed=""):
    calls = ", then ".join(f"L.backward({', '.join(f'{name}={on}' for name, on in one.items())})" for one in walks)
    before = f"{freed} has been walked through and freed, then " if freed else ""
    words = f"x = {np.asarray(x).tolist()}, w = {np.asarray(w).tolist()}, {program}; {before}{calls}"
    return Case(words, lambda: (_made(x, w, program, freed), walks))


def _leaf_case():
    def make():
        root = Noted([2.0, 3.0], True)
        root.name = "L"
        return {"L": root, "x": root, "w": Noted(1.0)}, ({},)

    return Case("L = x is a leaf; L.backward()", make)


PLAIN, KEPT = {}, {"retain_graph": True}


def _drawn(random):
    shape = [(), (2,), (2, 2)][random.integers(3)]
    walks = [(PLAIN,), (KEPT, PLAIN), (KEPT, KEPT), (PLAIN, PLAIN)][random.integers(4)]
    yield _case(drawn_array(random, shape), drawn_array(random, shape), *walks, program=PROGRAMS[random.integers(4)])


# ---------------------------------------------------------------- wrong answers

FREES = "            if not retain_graph:\n                one.free()"


def never_freed(self, retain_graph=False):
    """Nothing was freed: a second walk is not refused, and what the graph holds stays in memory as long as the loss."""
    backward(self, True)


def always_freed(self, retain_graph=False):
    """retain_graph has no effect. With retain_graph=True a second walk has to find everything in its place."""
    backward(self)


def turned_around(self, retain_graph=False):
    """This frees where the graph is to be retained, and retains it otherwise."""
    backward(self, not retain_graph)


def only_self(self, retain_graph=False):
    """Only self has sent. Each result behind it has to, as well."""
    self.start()
    self.send()


def error_caught(self, retain_graph=False):
    """The error of a result that has been freed was caught, and nobody hears of it. Let it arrive at the caller."""
    with contextlib.suppress(RuntimeError):
        backward(self, retain_graph)


def by_distance(self, retain_graph=False):
    """Here a result has sent before all that use it had, as where what is near goes first: y may be nearer than z,
    which sends to y. In self.in_order() each stands after its inputs: go through that from its end.
    """
    self.start()
    todo = [self]
    for one in todo:
        if one.rule is not None:
            one.send()
            todo += [below for below in one.inputs if below not in todo]
            if not retain_graph:
                one.free()


def order_anew(self, retain_graph=False):
    """self has sent, and once more when it had been freed, as where self.in_order() is asked again: what is freed has
    forgotten its inputs, and the list ends there. Ask once, before the first result sends, and let each send once.
    """
    self.start()
    for place in reversed(range(len(self.in_order()))):
        order = self.in_order()
        if place < len(order) and order[place].rule is not None:
            order[place].send()
            if not retain_graph:
                order[place].free()


def _nothing_had_come(outcome):
    return raised("unsupported operand type(s) for *: 'NoneType'", kind=TypeError)(outcome)


def _no_start(outcome):
    return _nothing_had_come(outcome) and outcome.arguments[0]["L"].grad is None


def _leaf_sent(outcome):
    return raised("'NoneType' object is not callable")(outcome)


def _nothing_for_a_leaf(outcome):
    return outcome.arguments[0]["L"].rule is None and saw("L.grad", lambda mine, right: mine is None)(outcome)


# ---------------------------------------------------------------- tried as well


def walked_without_end(self, retain_graph=False):
    backward(self, retain_graph)
    if retain_graph:
        backward(self, True)


def walked_and_cleared(self, retain_graph=False):
    for one in self.in_order():
        one.grad = None
    backward(self, retain_graph)


def walked_and_cleared_behind(self, retain_graph=False):
    backward(self, retain_graph)
    for one in self.in_order():
        if one.rule is not None:
            one.grad = None


def walked_in_the_order_of_before(self, retain_graph=False):
    self.start()
    self.order = getattr(self, "order", None) or self.in_order()
    for one in reversed(self.order):
        if one.rule is not None:
            one.send()
            if not retain_graph:
                one.free()


def walked_with_leaves_freed(self, retain_graph=False):
    order = self.in_order()
    backward(self, True)
    if not retain_graph:
        for one in order:
            one.free()


def walked_until_an_error(self, retain_graph=False):
    self.start()
    for one in self.in_order()[::-1]:
        if one.rule is not None:
            try:
                one.send()
            except RuntimeError:
                return
            if not retain_graph:
                one.free()


def walked_breadth_first(self, retain_graph=False):
    """Freed when all have sent."""
    self.start()
    done, todo = [], [self]
    for one in todo:
        if one.rule is not None and one not in done:
            one.send()
            done.append(one)
            todo += one.inputs
    for one in done if not retain_graph else ():
        one.free()


def walked_then_freed(self, retain_graph=False):
    self.start()
    order = [one for one in self.in_order() if one.rule]
    while order:
        one = order.pop()
        one.send()
        retain_graph or one.free()


def walked_in_two_loops(self, retain_graph=False):
    results = [one for one in self.in_order()[::-1] if one.rule is not None]
    self.start()
    for one in results:
        one.send()
    for one in results if not retain_graph else ():
        one.free()


EXERCISE = Exercise(
    title="a walk: start, then each result sends, and is freed unless the graph is retained",
    stars=2,
    minutes=8,
    reference=backward,
    plug=step_observer(_walked, returns=False),
    cases=(
        _case(2.0, 3.0, PLAIN),
        _case(2.0, 3.0, PLAIN, PLAIN),
        _case(2.0, 3.0, KEPT),
        _case(2.0, 3.0, KEPT, PLAIN, PLAIN),
        _case([1.0, -2.0], [0.5, 4.0], KEPT, KEPT, program=PROGRAMS[1]),
        _case(2.0, 3.0, PLAIN, program=PROGRAMS[2]),
        _case(2.0, 3.0, PLAIN, program=PROGRAMS[3]),
        _case(2.0, 0.5, PLAIN, program=LONG),
        _leaf_case(),
        _case(0.0, 3.0, PLAIN, program=PROGRAMS[1]),  # where nothing but zeros comes to y
        _case(2.0, 3.0, PLAIN, program=PROGRAMS[2], freed="y"),
        _case([np.inf, 2.0], [3.0, 0.5], PLAIN),
    ),
    drawn=_drawn,
    hints=(
        "All four parts are there: self.start(), self.in_order(), one.send() and one.free().",
        "The walk goes from self to the leaves, so through the order from its end. Leaves have no rule.",
        "self.start(); for one in reversed(self.in_order()): if one.rule is not None, one.send(), and then, if not "
        "retain_graph, one.free().",
    ),
    writes=True,
    notes={
        "attributes of L*": "What L keeps of a walk stays as long as L does, and so does the graph behind it. Ask "
        "in_order() in each walk."
    },
    mistakes=(
        Mistake(error_caught, when=saw("the walks ended", "though")),
        never_freed,
        always_freed,
        turned_around,
        Mistake(
            edited(backward, "self.start()", "self.start()\n    if self.rule is not None:\n        self.send()"),
            edited(backward, "self.start()", "self.start()\n    self.send()"),
            words="self has sent twice, as where it sends before the loop and in it. It is the last in in_order().",
        ),
        Mistake(
            edited(backward, "one.rule is not None", "True"),
            words="A leaf has no rule, and nobody to send to. Only results send.",
            when=_leaf_sent,
        ),
        Mistake(
            edited(backward, "self.start()", "pass"),
            words="self holds nothing that it could send: self.start() comes before the first result sends.",
            when=_no_start,
        ),
        Mistake(
            edited(backward, "reversed(self.in_order())", "self.in_order()"),
            words="Here a tensor was to send before anything had come to it, as where self.in_order() is gone through "
            "from its beginning. It gives inputs first, and self has to send first: reversed(self.in_order()).",
            when=_nothing_had_come,
        ),
        Mistake(
            edited(backward, "one.send()\n", "pass\n", "one.free()", "one.free()\n            one.send()"),
            words="The rule was taken away before it had run. A result is freed after it has sent.",
        ),
        only_self,
        Mistake(
            edited(backward, "self.start()", "if self.rule is None:\n        return\n    self.start()"),
            words="self is a leaf here, and nothing has come to it. A leaf sends nothing, but it receives ones as "
            "well: self.start() is called in any case.",
            when=_nothing_for_a_leaf,
        ),
        Mistake(
            edited(backward, "one.rule is not None", "one.inputs"),
            words="What has been freed has no inputs any more, and was passed over without a word. It still has a "
            "rule, one that raises: ask whether the rule is None.",
        ),
        Mistake(
            edited(backward, "one.free()", "one.inputs, one.rule = (), None"),
            words="Inputs and rule were taken away by hand. Without a rule a result looks like a leaf, and a second "
            "walk raises nothing: call free(), which puts one there that raises.",
        ),
        Mistake(
            edited(backward, FREES, "        if not retain_graph:\n            one.free()"),
            words="Leaves were freed as well. They have nothing to free, and get a rule that raises: the next walk "
            "stops there.",
        ),
        Mistake(
            edited(backward, "self.in_order()", "self.in_order()[:-1]"),
            edited(backward, "self.in_order()", "self.in_order()[:-1]", FREES, ""),
            words="self was left out: it has to send first, or nothing comes to those behind it.",
        ),
        Mistake(
            edited(backward, "self.start()", "self.grad = np.ones_like(self.data)"),
            edited(backward, "self.start()", "self.receive(np.ones_like(self.data))"),
            words="self got ones, but what a walk before has left in the results, be it in self or behind it, is still "
            "there, to be sent once more. self.start() clears them.",
        ),
        Mistake(
            edited(backward, FREES, "    if not retain_graph:\n        self.free()"),
            words="Only self was freed. Each result is, after it has sent.",
            when=right_but("freed", lambda mine, right: mine == "L"),
        ),
        Mistake(
            edited(backward, "if not retain_graph", "if not retain_graph and one is not self"),
            words="self was not freed. It has sent as the others have, and holds its inputs and its rule.",
            when=right_but("freed", lambda mine, right: {*right.split(", ")} - {*mine.split(", ")} == {"L"}),
        ),
        Mistake(
            edited(backward, "reversed(self.in_order())", "(self, *self.in_order()[-2:0:-1])"),
            words="The first of the order was left out. It is a leaf, as a rule. But what has been freed has no inputs "
            "any more, and may stand there: it has to send, too, and raises then.",
        ),
        Mistake(
            edited(backward, "is not None:", "is not None and np.any(one.grad):"),
            edited(backward, "one.send()", "np.any(one.grad) and one.send()"),
            words="A result to which nothing but zeros came was passed over. Zeros are a gradient: what is behind it "
            "gets zeros, and not None.",
        ),
        Mistake(by_distance, near="sent by"),
        Mistake(order_anew, near="sent by"),
    ),
    right=(walked_then_freed, walked_in_two_loops),
    wrong={
        "freed: yours L, u, v": [edited(walked_in_two_loops, "for one in results if", "for one in results[:3] if")],
        "first difference": [
            walked_without_end,
            walked_and_cleared,
            edited(backward, "is not None:", "is not None and np.isfinite(one.grad).all():"),
        ],
        "nothing but zeros came was passed over": [edited(backward, "one.send()", "one.grad.any() and one.send()")],
        "a result has sent before all that use it had": [walked_breadth_first],
        "self has sent, and once more": [edited(backward, "one.send()", "self.send()")],
        "NoneType' object is not iterable … The error arose": [
            edited(backward, "reversed(self.in_order())", "self.in_order().reverse()")
        ],
        "it came when the check called your function": [edited(backward, "=False", "")],
        "L.grad: yours None": [walked_and_cleared_behind],
        "L.grad: yours 2 … be it in self or behind it": [
            edited(backward, "self.start()", "self.receive(np.full(self.data.shape, 1.0))")
        ],
        "self.start() comes before": [
            edited(backward, "self.start()", "order = self.in_order()", "reversed(self.in_order())", "order[::-1]")
        ],
        "L = w * y": [
            edited(backward, "if one.rule is not None:", "if one.rule is None:\n            break\n        if True:")
        ],
        "not there before: yours order, expected none": [walked_in_the_order_of_before],
        "was caught, and nobody hears of it": [walked_until_an_error],
        "freed: yours … Leaves were freed as well": [walked_with_leaves_freed],
    },
)

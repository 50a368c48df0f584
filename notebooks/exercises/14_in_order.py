"""Exercise `in_order`: a topological order of the graph behind a result."""

import collections
from graphlib import TopologicalSorter

from minigrad.teach import Case, Exercise, Mistake, edited, plain, saw

from .chapter14 import Tensor, in_order, product_rule, step_observer

LIST, LEFT = "the list", "left behind in the tensors"
CUT = "asked again, when self has no inputs any more"
LONG, DOUBLED = 3_200, 40  # a notebook lets functions call each other 3,000 deep


@step_observer
def _asked(answer, self):
    """Asked twice, and once more when self has forgotten its inputs, as after a walk: a list that is kept between two
    calls would have everything twice, or what is there no more. Tensors have it as their method meanwhile: an answer
    that asks its inputs for their order calls itself.
    """

    tensors = in_order(self)
    before = {one: dict(vars(one)) for one in tensors[:100]}
    Tensor.in_order = answer
    try:
        words = _list_seen(answer(self), tensors)
        if words == RIGHT and (later := _list_seen(answer(self), tensors)) != RIGHT:
            words = f"right when it is asked for once; asked for once more, {later}"
        if words != RIGHT:
            return {LIST: words, LEFT: _left(before)}
        inputs, self.inputs = self.inputs, ()
        again = _list_seen(answer(self), [self])
        self.inputs = inputs
    finally:
        Tensor.in_order = in_order
    return {LIST: RIGHT, LEFT: _left(before), CUT: again}


def _left(before):
    return "something" if any(vars(one) != kept for one, kept in before.items()) else "nothing"


def called(tensor):
    return getattr(tensor, "name", None) or plain(tensor)


RIGHT = "each tensor once, after all of its inputs"


def _list_seen(given, tensors):
    """In words, the first thing that is wrong with a list, and a short list itself."""
    if given is None:
        return None
    if not isinstance(given, list):
        return f"{plain(given)}, which is no list"
    wrong = what_is_wrong(given, tensors)
    return RIGHT if not wrong else f"{wrong}, in [{', '.join(map(called, given))}]" if len(given) < 12 else wrong


def what_is_wrong(order, tensors):
    """The first thing that is wrong with an order, "" if there is none."""
    known, met, given = set(tensors), set(), {one for one in order if isinstance(one, Tensor)}
    for one in order:
        if not isinstance(one, Tensor):
            return f"{plain(one)} is no tensor"
        if one not in known:
            return f"{called(one)} does not lead to the result"
        if one in met:
            return f"{called(one)} is there more than once"
        for needed in one.inputs:
            if needed not in given:
                return f"{called(needed)} is missing"
            if needed not in met:
                return f"{called(one)} comes before its input {called(needed)}"
        met.add(one)
    missing = [one for one in tensors if one not in met]
    return f"{called(missing[0])} is missing" if missing else ""


def _named(name, tensor):
    tensor.name = name
    return tensor


def early_second_use():
    """The chapter's example: y is used in z, and once more in L."""
    x, w = _named("x", Tensor(2.0, True)), _named("w", Tensor(3.0, True))
    y = _named("y", x * w)
    z = _named("z", y + x)
    return _named("L", y * z)


def _other_way_round():
    x = _named("x", Tensor(2.0, True))
    a = _named("a", x * 3.0)
    b = _named("b", a * a)
    c = _named("c", b + x)
    return _named("L", c * a)


def _squared():
    x = _named("x", Tensor(2.0, True))
    w = _named("w", Tensor(3.0, True))
    a, b = _named("a", x * x), _named("b", x * 3.0 * 1.0)
    c, d = _named("c", w * w), _named("d", w * 3.0 * 1.0)
    return _named("L", a * b + d * c)


def _used_on_the_next_level():
    """a is found beside b, which uses it; and what leads to a is found before b is looked at."""
    u = _named("u", _named("x", Tensor(2.0, True)) * _named("w", Tensor(3.0, True)))
    a = _named("a", u * 3.0)
    b = _named("b", a * 1.0)
    return _named("L", a * b)


def _chain():
    """Made without computing: recorded takes longer than the walk."""
    h = one = Tensor(1.0, True)
    for _ in range(LONG):
        result = Tensor(one.data, True)
        result.inputs, result.rule = (h, one), product_rule
        h = result
    return h


def _doubled():
    h = Tensor(1.0, True)
    for _ in range(DOUBLED):
        h = h + h
    return h


def _leaf():
    return _named("x", Tensor(2.0, True))


def _drawn(random):
    """Programs of several lines, each of which uses any two of the tensors above."""
    choices = random.integers(1_000_000, size=(int(random.integers(3, 9)), 3))

    def make():
        tensors = [_named(name, Tensor(1.0, True)) for name in "ab"]
        for number, (one, other, kind) in enumerate(choices.tolist()):
            first, second = tensors[one % len(tensors)], tensors[other % len(tensors)]
            tensors.append(_named(f"t{number}", first + second if kind % 2 else first * second))
        return (tensors[-1],)

    yield Case(f"a program of {len(choices)} lines", make)


# ---------------------------------------------------------------- wrong answers


def breadth_first(self):
    """Tensors were listed by their distance from self. A tensor that is used twice, near and far, then stands with
    the nearer use, and what lies between comes out on the wrong side of it.
    """
    found, known = [self], {self}
    for tensor in found:
        found += [one for one in dict.fromkeys(tensor.inputs) if one not in known]
        known.update(tensor.inputs)
    return found[::-1]


def every_use(self):
    """By distance from self, and once for each use: a tensor that is used twice is there twice."""
    found = [self]
    for tensor in found:
        found += [one for one in tensor.inputs if one not in found]
    return found[::-1]


def depth_first(self):
    """A tensor was put down before its inputs, in the order of the search. Reversed, that is not yet after all of its
    inputs: put it down when all of them are.
    """
    found, todo = {}, [self]
    while todo:
        tensor = todo.pop()
        if tensor not in found:
            found[tensor] = True
            todo += tensor.inputs
    return list(found)[::-1]


def recursive(self):
    """A function that calls itself for each input comes as deep as the graph is, and Python stops it before: after
    1,000 calls, or 3,000 in a notebook. Keep a list of what is still to be done instead.
    """
    found = []

    def visit(tensor):
        if tensor not in found:
            for one in tensor.inputs:
                visit(one)
            found.append(tensor)

    visit(self)
    return found


def ways(self):
    """Every way was walked. A tensor is to be there once, however many ways lead to it."""
    found, todo = [], [self]
    while todo and len(found) < 100:
        tensor = todo.pop(0)
        found.insert(0, tensor)
        todo += tensor.inputs
    return found


def each_inputs_own(self):
    """Each way to a tensor puts it down once more, as where the orders of the inputs are put one behind the other. So
    the list is as long as there are ways: 40 doublings have a million millions. Put down what is not there yet.
    """
    return [tensor for one in self.inputs for tensor in one.in_order()] + [self]


def outputs_first(self):
    """This is the order of the walk, each before its inputs. Asked for is the other way round: self is the last."""
    return in_order(self)[::-1]


def without_leaves(self):
    """Leaves are among the tensors, too: here some are missing, as where only results are put down, or only self and
    its own inputs. Asked for is all that leads to self, however far it is.
    """
    return [one for one in in_order(self) if one.inputs]


def only_required(self):
    """Tensors that require no gradient lead to self as well, numbers among them: here they are missing."""
    return [one for one in in_order(self) if one.requires_grad]


def yielded(self):
    """A generator or an iterator came back: it can be walked through once, and not from its end. Asked for is a list:
    list(...) makes one of it.
    """
    yield from in_order(self)


def kept(self, order=[]):  # noqa: B006
    """What an earlier call has found was still there. A list or a set that stands as a default, or outside of the
    function, is the same one in all calls: make it inside.
    """
    order += [one for one in in_order(self) if one not in order]
    return order


def put_down_by_each_way(self):
    order, todo = [], [self]
    for tensor in todo:
        order.append(tensor)
        todo += [one for one in tensor.inputs if one not in order]
    return order[::-1]


def without_self(self):
    """self is missing: it is the last of the list."""
    return in_order(self)[:-1]


def kept_in_a_set(self, done=set()):  # noqa: B006
    order, todo = [], [self]
    while todo:
        waiting = [one for one in todo[-1].inputs if one not in done]
        todo += waiting
        if not waiting and (tensor := todo.pop()) not in done:
            order.append(tensor)
            done.add(tensor)
    return order


def done_too_early(self):
    """A tensor counted as done when it was put onto the list of what is to do. If it is needed sooner by another, which
    is looked at first, it is passed over there, and comes after it. Done it is when it has been put down.
    """
    order, met, todo = [], {self}, [(self, False)]
    while todo:
        tensor, is_down = todo.pop()
        if is_down:
            order.append(tensor)
            continue
        todo.append((tensor, True))
        for one in tensor.inputs:
            if one not in met:
                met.add(one)
                todo.append((one, False))
    return order


def used_twice_by_one(self):
    """In x * x one tensor uses x twice. Here it was counted once, and taken off twice, so x came out before others
    that use it: count places, or take off once.
    """
    users = collections.defaultdict(set)
    for tensor in in_order(self):
        for one in tensor.inputs:
            users[one].add(tensor)
    waits, ready, order = {one: len(using) for one, using in users.items()}, [self], []
    while ready:
        tensor = ready.pop()
        order.append(tensor)
        for one in tensor.inputs:
            waits[one] -= 1
            if waits[one] == 0:
                ready.append(one)
    return order[::-1]


def marks_that_count(self):
    return [
        one
        for one in in_order(self)
        if not vars(one).setdefault("visited", False) and not vars(one).update(visited=True)
    ]


def marks(self):
    """The tensors are not as they were, as where a mark is left on them: it is still there when somebody walks a second
    time. Keep what you have met in a set of your own.
    """
    order = in_order(self)
    for one in order:
        one.visited = True
    return order


def _walked_through_once(outcome):
    return any(saw(LIST, words)(outcome) for words in ("generator object", "iterator object"))


def _is_from_before(outcome):
    """Whether what a later call finds is other than what the first one does, and nothing is left in the tensors."""
    return saw(CUT, "does not lead")(outcome) or saw(LIST, "asked for once more")(outcome)


def _deep(outcome):
    return isinstance(outcome.error, RecursionError) and str(LONG) in outcome.case.words


# ---------------------------------------------------------------- tried as well


def ordered_by_its_inputs(self):
    order = []
    for one in self.inputs:
        order += one.in_order()
    return [*order, self]


def ordered_by_its_inputs_once(self):
    """Right for small graphs, and never ends where many ways lead to a tensor."""
    return [*dict.fromkeys(tensor for one in self.inputs for tensor in one.in_order()), self]


def ordered_in_a_queue(self):
    """From the end, each put in front."""
    order, done, todo = collections.deque(), set(), [self]
    uses = collections.Counter(one for tensor in in_order(self) for one in tensor.inputs)
    while todo:
        tensor = todo.pop()
        order.appendleft(tensor)
        done.add(tensor)
        for one in tensor.inputs:
            uses[one] -= 1
            if not uses[one]:
                todo.append(one)
    return list(order)


def moved_to_the_end(self):
    """What is met again is moved while the loop goes through the list, so others are passed over."""
    found = [self]
    for tensor in found:
        for one in tensor.inputs:
            found[:] = [*(each for each in found if each is not one), one]
    return found[::-1]


ORDERS = {}


def ordered_from_a_cache(self):
    """What was found once is found again, when the graph is another."""
    if self not in ORDERS:
        ORDERS[self] = in_order(self)
    return ORDERS[self]


def ordered_by_memory(self, known=[]):  # noqa: B006
    order = [one for one in in_order(self) if one not in known]
    known += order
    return order


def ordered_by_depth_of_the_first(self):
    def depth(one):
        count = 0
        while one.inputs:
            one, count = one.inputs[0], count + 1
        return count

    order = in_order(self)
    order.reverse()
    return sorted(order, key=depth)


def ordered_by_its_distance(self):
    """By the longest way to each, looked up anew for all behind it whenever a longer one is found."""
    longest, todo = {}, [(self, 0)]
    while todo:
        one, distance = todo.pop()
        if longest.get(one, -1) < distance:
            longest[one] = distance
            todo += [(below, distance + 1) for below in one.inputs]
    return sorted(longest, key=longest.get, reverse=True)


def marks_on_leaves(self):
    """Marks that are taken off again, but from leaves."""
    order, todo = [], [self]
    while todo:
        waiting = [one for one in todo[-1].inputs if not hasattr(one, "down")]
        todo += waiting
        if not waiting and not hasattr(one := todo.pop(), "down"):
            one.down = True
            order.append(one)
    for one in order:
        if one.inputs:
            del one.down
    return order


def ordered_by_every_way(self):
    ways, order = [(self,)], []
    while ways:
        way = ways.pop()
        order.append(way[-1])
        ways += [(*way, one) for one in way[-1].inputs]
    return list(dict.fromkeys(order[::-1]))


def ordered_by_graphlib(self):
    graph, todo = {}, [self]
    while todo:
        one = todo.pop()
        if one not in graph:
            graph[one] = one.inputs
            todo += one.inputs
    return list(TopologicalSorter(graph).static_order())


def ordered_by_counting(self):
    uses, met, todo = {self: 0}, {self}, [self]
    for one in todo:
        for below in one.inputs:
            uses[below] = uses.get(below, 0) + 1
            if below not in met:
                met.add(below)
                todo.append(below)
    order, ready = [], [self]
    while ready:
        one = ready.pop()
        order.append(one)
        for below in one.inputs:
            uses[below] -= 1
            if uses[below] == 0:
                ready.append(below)
    return order[::-1]


def ordered_with_iterators(self):
    order, met, way = [], {self}, [(self, iter(self.inputs))]
    while way:
        one, rest = way[-1]
        below = next((each for each in rest if each not in met), None)
        if below is None:
            order.append(one)
            way.pop()
        else:
            met.add(below)
            way.append((below, iter(below.inputs)))
    return order


EXERCISE = Exercise(
    title="a list of all tensors that lead to self, each once and after its inputs",
    stars=3,
    minutes=12,
    reference=in_order,
    plug=_asked,
    cases=(
        Case("y = x * w; z = y + x; L = y * z", lambda: (early_second_use(),)),
        Case("a = x * 3; b = a * a; c = b + x; L = c * a", lambda: (_other_way_round(),)),
        Case("x, a leaf", lambda: (_leaf(),)),
        Case("a = x * x; b = x * 3 * 1; c = w * w; d = w * 3 * 1; L = a * b + d * c", lambda: (_squared(),)),
        Case("u = x * w; a = u * 3; b = a * 1; L = a * b", lambda: (_used_on_the_next_level(),)),
        Case(f"h = h + h, {DOUBLED} times", lambda: (_doubled(),)),
        Case(f"h = h * 1, {LONG} times", lambda: (_chain(),)),
    ),
    drawn=_drawn,
    hints=(
        "A tensor may be put down when all of its inputs are. Which may be put down first?",
        "Keep a list of what is to be done. Look at its last tensor: if some of its inputs are not down yet, they come "
        "onto the list; otherwise take it off and put it down.",
        "waiting = [one for one in todo[-1].inputs if one not in done]; if there are some, todo += waiting; otherwise "
        "tensor = todo.pop(), which is appended to the order and added to done, if it is not there yet.",
    ),
    seconds=4.0,
    mistakes=(
        breadth_first,
        every_use,
        depth_first,
        Mistake(recursive, when=_deep),
        ways,
        Mistake(each_inputs_own, near=True),  # on the case that failed alone: 40 doublings would take all of the time
        outputs_first,
        Mistake(without_leaves, when=saw(LIST, lambda mine, right: mine == "x is missing, in [y, z, L]")),
        only_required,
        without_self,
        Mistake(
            lambda self: tuple(in_order(self)),
            words="The tensors are in a tuple. A list is asked for.",
            when=saw(LIST, lambda mine, right: mine.startswith("(") and mine.endswith("which is no list")),
        ),
        Mistake(yielded, lambda self: iter(in_order(self)), when=_walked_through_once),
        Mistake(marks, marks_that_count, when=saw(LEFT, "something")),
        Mistake(kept, kept_in_a_set, when=_is_from_before),
        done_too_early,
        used_twice_by_one,
        Mistake(
            put_down_by_each_way,
            words="A tensor is there more than once, as where several ways lead to it. Whether it is down already has "
            "to be asked in the moment in which it is put down, and not when it is put on the list of what is to "
            "be done.",
            when=saw(LIST, "more than once"),
        ),
    ),
    right=(
        ordered_by_graphlib,
        ordered_by_counting,
        ordered_with_iterators,
        ordered_in_a_queue,
        ordered_by_its_distance,
    ),
    wrong={
        "asked for once more, … is missing … What an earlier call has found was still there": [ordered_by_memory],
        "which is no list … The tensors are in a tuple": [lambda self: tuple(in_order(self))],
        "What an earlier call has found was still there": [ordered_from_a_cache],
        "comes before its input": [ordered_by_depth_of_the_first],
        "L = a * b … x is missing": [moved_to_the_end],
        "in [y, z, L] … or only self and its own inputs": [lambda self: [*self.inputs, self]],
        "is missing … Tensors that require no gradient lead to self as well": [
            lambda self: [one for one in in_order(self) if one.requires_grad]
        ],
        "Does a function call itself, and does that end": [edited(recursive, "visit(one)", "visit(tensor)")],
        "L is there more than once … as where several": [lambda self: [*in_order(self), self]],
        "is no tensor": [lambda self: [repr(one) for one in in_order(self)]],
        "still running": [ordered_by_every_way, ordered_by_its_inputs_once],
        "asked for once more, x is missing … as where a mark is left": [marks_on_leaves],
        "as where the orders of the inputs are put one behind the other": [ordered_by_its_inputs],
        "left behind in the tensors: yours something … The tensors are not as they were": [
            edited(marks, "visited = True", "inputs = list(one.inputs)")
        ],
    },
)

"""What the exercises of chapter 14 share: the engine as it is at the end, and what is seen of an answer.

How a step is written: as a function whose first parameter is `self`. It is checked, and then put into the one class of
the notebook by an assignment, `Tensor.receive = working(receive)`. A class derived anew at each step was the other way.
It would leave tensors of nine classes in the cells above, and `super()` in every answer; one class that grows is what
pictures, earlier cells and the last page all mean. A function also fits into a cell, is checked like any other answer,
and is exchanged for the solution's without touching the rest.

So all steps' solutions stand here, in one piece, as the engine that they make.
"""

import numpy as np

from minigrad.teach import EXERCISES, Difference, plain

RIGHT_CLASS = "of the class of self"
UNCHANGED = "as they were"
FOR_READERS = "in the order"  # is shown, and may differ


class Tensor:
    """An array, and where it came from."""

    recording = True

    def __init__(self, data, requires_grad=False):
        self.data = np.asarray(data, dtype=float)
        self.requires_grad, self.grad = requires_grad, None
        self.inputs, self.rule = (), None

    def __repr__(self):
        return f"Tensor({self.data.tolist()})"

    def __add__(self, other):
        return self.recorded(np.add, add_rule, (other,))

    def __mul__(self, other):
        return self.recorded(np.multiply, product_rule, (other,))

    def send(self):
        arrays = [one.data for one in self.inputs]
        gradients = self.rule(self.grad, self.data, *arrays)
        for one, gradient in zip(self.inputs, gradients, strict=True):
            if one.requires_grad:
                one.receive(fitted(gradient, one.data.shape))

    def free(self):
        self.inputs, self.rule = (), freed_rule


def freed_rule(*arrays):
    raise RuntimeError("backward a second time: this result has forgotten what it came from")


def add_rule(g, y, a, b):
    return g, g


# ---------------------------------------------------------------- the steps


def recorded(self, forward, rule, others):
    """forward of the arrays of self and the others, as a tensor that knows its inputs and its rule."""
    kind = type(self)
    inputs = tuple(one if isinstance(one, kind) else kind(one) for one in (self, *others))
    result = kind(forward(*[one.data for one in inputs]))
    if self.recording and any(one.requires_grad for one in inputs):
        result.requires_grad, result.inputs, result.rule = True, inputs, rule
    return result


def product_rule(g, y, a, b):
    """From the gradient of y = a * b, those of a and b."""
    return g * b, g * a


def receive(self, gradient):
    """Add a gradient to self.grad, which is None as long as none has come."""
    self.grad = gradient.copy() if self.grad is None else self.grad + gradient


def in_order(self):
    """All tensors that lead to self, each once and after its inputs; self is the last."""
    order, done, todo = [], set(), [self]
    while todo:
        waiting = [one for one in todo[-1].inputs if one not in done]
        todo += waiting
        if not waiting:
            tensor = todo.pop()
            if tensor not in done:
                order.append(tensor)
                done.add(tensor)
    return order


def fitted(gradient, shape):
    """The gradient of an array that was broadcast, summed back to the shape that the array has."""
    in_front = tuple(range(gradient.ndim - len(shape)))
    gradient = gradient.sum(axis=in_front)
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return gradient.sum(axis=stretched, keepdims=True)


def start(self):
    """Before a walk: results hold no gradient, leaves keep theirs, and self receives ones."""
    for one in self.in_order():
        if one.rule is not None:
            one.grad = None
    self.receive(np.ones_like(self.data))


def backward(self, retain_graph=False):
    """Start; then each result sends, those nearer to self first. Each is freed, unless the graph is to be retained."""
    self.start()
    for one in reversed(self.in_order()):
        if one.rule is not None:
            one.send()
            if not retain_graph:
                one.free()


def no_grad(kind):
    """For `with`: inside it, kind.recording is False; afterwards it is what it was."""

    class Off:
        def __enter__(self):
            self.before, kind.recording = kind.recording, False

        def __exit__(self, *error):
            kind.recording = self.before

    return Off()


def softmax_rule(g, y, x):
    """From the gradient of y = softmax(x), along the last axis, that of x, in a tuple."""
    return (y * (g - (g * y).sum(axis=-1, keepdims=True)),)


def applied(function, inputs):
    """The result of a Function that has forward(ctx, *arrays) and backward(ctx, g), as a tensor that knows both."""
    ctx = type("Context", (), {})()

    def rule(g, y, *arrays):
        gradients = function.backward(ctx, g)
        return gradients if isinstance(gradients, tuple) else (gradients,)

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), rule, inputs[1:])


STEPS = {
    step.__name__: step
    for step in (recorded, product_rule, receive, in_order, fitted) + (start, backward, no_grad, softmax_rule, applied)
}
for name in ("recorded", "receive", "in_order", "start", "backward"):
    setattr(Tensor, name, STEPS[name])


# ---------------------------------------------------------------- what is seen of an answer


class Seen(dict):
    """What an answer did, by name: an array where numbers count, else a text."""


def numbers_of(value):
    """An array of the numbers of a value; of anything else, what it is in words."""
    if value is None:  # which numpy takes for nan
        return "None"
    try:
        array = np.asarray(value)
        return array.astype(float) if array.dtype.kind in "biuf" else f"{plain(value)}, which is no array of numbers"
    except Exception:
        return f"{plain(value)}, which is no array of numbers"


def _text(value):
    return value if isinstance(value, str) else plain((np.round(value, 6) + 0.0).tolist())


def show_seen(value, arguments=()):
    if not isinstance(value, Seen):
        return plain(value)
    return "; ".join(f"{name}: {_text(one)}" for name, one in value.items())


def compare_seen(expected, got, outcome):
    """The first thing that is not as it should be."""
    if not isinstance(got, Seen):
        return Difference("the answer", plain(got), show_seen(expected))
    for name, right in expected.items():
        mine, note = got.get(name, "nothing"), ""
        if name == FOR_READERS:
            continue
        if isinstance(right, np.ndarray) and isinstance(mine, np.ndarray):
            if mine.shape != right.shape:
                note = f"The shape is {list(mine.shape)}; it should be {list(right.shape)}."
            elif np.allclose(mine, right, 1e-6, 1e-9, equal_nan=True):
                continue
        elif not isinstance(mine, np.ndarray) and not isinstance(right, np.ndarray) and mine == right:
            continue
        return Difference(name, _text(mine), _text(right), note)
    return None


def found(name, words):
    """For `when`: what was seen under the name has these words in it."""
    return lambda outcome: isinstance(outcome.value, Seen) and words in str(outcome.value.get(name))


def seen_of_gradients(given, names, arrays):
    """The gradients that a rule returned; then, whether the arrays that it was given are as they were.

    `arrays` are pairs: what the rule was given, and a copy from before.
    """
    if not isinstance(given, tuple | list):
        return Seen({"how many gradients": f"not in a tuple: {plain(given)}"})
    if len(given) != len(names):
        return Seen({"how many gradients": str(len(given))})
    same = all(np.array_equal(one, before, equal_nan=True) for one, before in arrays)
    return Seen(
        {"how many gradients": str(len(names))}
        | {name: numbers_of(one) for name, one in zip(names, given, strict=True)}
        | {"the arrays that were given": UNCHANGED if same else "changed"}
    )


def rule_at_work(*names):
    """`plug` for a rule: it is called with copies of the arrays, and what it returned is seen."""

    def plug(answer):
        def run(*arrays):
            copies = [np.array(one) for one in arrays]
            with np.errstate(all="ignore"):
                given = answer(*copies)
            return None if given is None else seen_of_gradients(given, names, [*zip(copies, arrays, strict=True)])

        return run

    return plug


def drawn_array(random, shape=()):
    """Numbers of both signs with one digit behind the point, none of them 0."""
    return np.round(random.uniform(0.2, 2.5, shape), 1) * random.choice([-1, 1], shape)


def leaf(data, requires_grad=True, kind=Tensor):
    return kind(data, requires_grad)


# ---------------------------------------------------------------- between the steps


def working(answer):
    """The function to go on with: the learner's if its check passes, otherwise the solution's; a line says which.

    So an answer that never ends, raises, or changes what it is given, is met by its check alone, in a process of its
    own, and no later cell runs it.
    """
    name = getattr(answer, "__name__", plain(answer))
    if name not in STEPS:
        raise ValueError(f"working() takes one of the functions {', '.join(STEPS)}, written with def, not {name}")
    card = EXERCISES[name].check(answer)
    title = card.title.partition(": ")[2]
    why = f"yours is {title}" if card.kind == "open" else f'of yours the check says "{title}"'
    print(f"{name}: yours" if card.kind == "good" else f"{name}: the solution's, as {why}")
    return answer if card.kind == "good" else STEPS[name]

"""What the exercises of chapter 14 share: the engine as it is at the end, and what is seen of an answer.

How a step is written: as a function whose first parameter is `self`. It is checked, and then put into the one class of
the notebook by an assignment, `Tensor.receive = working(receive)`. A class derived anew at each step was the other way.
It would leave tensors of nine classes in the cells above, and `super()` in every answer; one class that grows is what
pictures, earlier cells and the last page all mean. A function also fits into a cell, is checked like any other answer,
and is exchanged for the solution's without touching the rest.

So all steps' solutions stand here, in one piece, as the engine that they make.
"""

import functools
import inspect
from contextlib import nullcontext
from copy import deepcopy
from types import FunctionType
from unittest.mock import patch

import numpy as np
from IPython.display import display

from minigrad import viz
from minigrad.teach import EXERCISES, observer, plain
from minigrad.teach.answers import is_untouched
from minigrad.teach.limits import TookTooLongError, call_within

SECONDS = 5.0  # that a walk beside the solution's may take
COUNT, WRITTEN = "how many gradients", "the arrays that were given"


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


def sum_rule(g, y, a):
    return (np.broadcast_to(g, a.shape),)


# ---------------------------------------------------------------- the steps


def recorded(self, forward, rule, others):
    """forward of the arrays of self and the others, as a tensor that knows its inputs and its rule."""
    kind = type(self)
    inputs = tuple(one if isinstance(one, Tensor) else kind(one) for one in (self, *others))
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


def step_observer(look, *, returns=True):
    """`observer`, for a step that may ask for the class by its name: in the notebook `Tensor` is the notebook's, and
    while it is tried, the check's. A step that calls itself, as a method, meets itself, and not the solution's.
    """

    @functools.wraps(look)
    def seen(answer, *arguments):
        names, step = names_around(answer), getattr(answer, "__name__", "")
        with (
            patch.dict(names, {"Tensor": Tensor} if isinstance(names.get("Tensor", Tensor), type) else {}),
            patch.object(Tensor, step, answer) if step in ("receive", "start", "backward") else nullcontext(),
        ):
            return look(answer, *arguments)

    return observer(seen, returns=returns)


def names_around(answer):
    """The names that an answer meets where it stands. What contextlib.contextmanager has made of a function has those
    of that function, and a class those of its methods.
    """
    answer = inspect.unwrap(answer)
    inside = vars(answer).values() if isinstance(answer, type) else ()
    return getattr(next((one for one in inside if isinstance(one, FunctionType)), answer), "__globals__", {})


def in_a_notebook(answer):
    """For the tests: the answer where `Tensor` is another class than here."""
    names = {**answer.__globals__, "Tensor": type("Tensor", (), {})}
    return FunctionType(answer.__code__, names, answer.__name__, answer.__defaults__, answer.__closure__)


def array_of(value):
    """What numpy computed, as an array: a sum of all elements is a number of numpy's own. Anything else as it is."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def whether_written(arrays, before):
    """Whether a step wrote to the arrays that it was given, which belong to others."""
    same = all(np.array_equal(one, copy, equal_nan=True) for one, copy in zip(arrays, before, strict=True))
    return {WRITTEN: "as they were" if same else "changed"}


def rule_at_work(*names):
    """For `plug`: the gradients that a rule returns, by these names, and whether it wrote to the arrays."""

    @step_observer
    def look(answer, *arrays):
        copies = deepcopy(arrays)  # of which two may be one
        with np.errstate(all="ignore"):
            given = answer(*copies)
        if not isinstance(given, tuple):
            return {COUNT: given if given is None else f"not in a tuple: {plain(given)}"}
        if len(given) != len(names):
            return {COUNT: str(len(given))}
        gradients = {name: array_of(one) for name, one in zip(names, given, strict=True)}
        return {COUNT: str(len(names)), **gradients, **whether_written(copies, arrays)}

    return look


def drawn_array(random, shape=()):
    """Numbers of both signs with one digit behind the point, none of them 0."""
    return np.round(random.uniform(0.2, 2.5, shape), 1) * random.choice([-1, 1], shape)


def leaf(data, requires_grad=True, kind=Tensor):
    return kind(data, requires_grad)


# ---------------------------------------------------------------- between the steps


def working(answer):
    """The function to go on with: the learner's if its check passes, otherwise the solution's; a line says which.

    So an answer that never ends, raises, or changes what it is given, is met by its check alone, in a process of its
    own, and no later cell runs it. Where it walks, and otherwise than the solution, both are shown side by side.
    """
    return going_on_with(answer, STEPS, beside)


def going_on_with(answer, steps, beside):
    """What `working` does, of a chapter with these steps: a solution by each name; and `beside(answer)` is a comparison
    to be shown, or None.
    """
    name = getattr(answer, "__name__", plain(answer))
    if name not in steps:
        raise ValueError(f"working() takes one of the functions {', '.join(steps)}, written with def, not {name}")
    card = EXERCISES[name].check(answer)
    title = card.title.partition(": ")[2]
    why = f"yours is {title}" if card.kind == "open" else f'of yours the check says "{title}"'
    print(f"{name}: yours" if card.kind == "good" else f"{name}: the solution's, as {why}")
    if title == "not yet" and (comparison := beside(answer)) is not None:  # it has run to its end there
        display(comparison)
    return answer if card.kind == "good" else handed_out(steps[name], names_around(answer))


def handed_out(solution, names):
    """A solution's function as it goes into the notebook, where it may get the name of the step that is asked for: a
    check does not take it for the learner's. Its classes are those of the notebook, which has these `names`.
    """
    classes = {name: names[name] for name in ("Tensor", "Module") if isinstance(names.get(name), type)}
    known = {**solution.__globals__, **classes}
    copy = FunctionType(solution.__code__, known, solution.__name__, solution.__defaults__)
    copy.is_solution, copy.__doc__ = True, solution.__doc__
    return copy


# ---------------------------------------------------------------- an answer beside the solution


class Adapter(viz.Engine):
    """What the pictures have to know of these engines: start, order and send are the engine's own."""

    def inputs(self, tensor):
        return tensor.inputs

    def op(self, tensor):
        name = getattr(tensor.rule, "__qualname__", "function").partition(".")[0].removesuffix("_rule")
        return {"product": "mul", "applied": "function"}.get(name, name)

    def start(self, root):
        root.start()

    def order(self, root):
        return reversed(root.in_order())

    def run(self, tensor):
        tensor.send()

    def rule(self, tensor):
        return tensor.rule


def engine_with(*answers):
    """The engine with the functions of some steps exchanged for these."""
    parts = {**STEPS, **{answer.__name__: answer for answer in answers}}

    class Other(Tensor):
        fitted = staticmethod(parts["fitted"])

        def __mul__(self, other):
            return self.recorded(np.multiply, parts["product_rule"], (other,))

        def sum(self):
            return self.recorded(np.sum, sum_rule, ())

        def softmax(self):
            return self.recorded(_softmax, parts["softmax_rule"], ())

        def sine(self):
            return parts["applied"](Sine, (self,))

        def send(self):
            gradients = self.rule(self.grad, self.data, *[one.data for one in self.inputs])
            for one, gradient in zip(self.inputs, gradients, strict=True):
                if one.requires_grad:
                    one.receive(self.fitted(gradient, one.data.shape))

    for name in ("recorded", "receive", "in_order", "start", "backward"):
        setattr(Other, name, parts[name])
    return Other


class Sine:
    """The chapter's Function."""

    @staticmethod
    def forward(ctx, x):
        ctx.slope = np.cos(x)
        return np.sin(x)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


def _softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _example(kind):
    x, w = kind(2.0, requires_grad=True), kind(3.0, requires_grad=True)
    y = x * w
    z = y + x
    return y * z


def _walked_before(kind):
    root = _example(kind)
    root.start()
    for one in reversed(root.in_order()):
        if one.rule is not None:
            one.send()
    return root


def _rows(kind):
    m, b = kind([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True), kind([[10.0, 20.0]], requires_grad=True)
    return (m * b + kind([1.0], requires_grad=True)).sum()


def _probabilities(kind):
    return (kind([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]], requires_grad=True).softmax() * [1.0, 0.0, 3.0]).sum()


def _sines(kind):
    s = kind([0.0, 1.0], requires_grad=True).sine()
    return (s * s).sum()


def beside(answer):
    """The engine with an answer in it, stepped beside the one with the solution, from where they part: on the first
    of the chapter's programs on which they do; None if they do so on none, or if the answer raises or does not end.
    """
    try:
        return None if is_untouched(answer) else call_within(SECONDS, _parting, answer)
    except (TookTooLongError, Exception, SystemExit):
        return None


def _parting(answer):
    right, other = engine_with(STEPS[answer.__name__]), engine_with(answer)
    for program in (_example, _rows, _probabilities, _sines, _walked_before):
        labels = "the solution's", "yours"
        comparison = viz.compare(program(right), program(other), engine=(Adapter(), Adapter()), labels=labels)
        if comparison.difference is not None:
            return comparison
        comparison.close()
    return None

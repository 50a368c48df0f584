"""What the exercises of chapter 15 share: the solutions, what they work with, and what is seen of an answer.

As in chapter 14 a step is a function whose first parameter may be `self`. It is checked, and goes into a class of the
notebook by an assignment, `Module.parameters = working(parameters)`.
"""

import contextlib
import functools
import inspect
import operator
from collections import Counter
from copy import deepcopy
from unittest.mock import patch

import numpy as np

from minigrad import viz
from minigrad.autograd.profiler import profile
from minigrad.teach import observer, raised
from minigrad.teach.limits import TookTooLongError, call_within

from . import chapter14
from .chapter14 import SECONDS, Adapter, engine_with, going_on_with, handed_out, no_grad, rule_at_work

__all__ = ["STEPS", "Adapter", "engine", "no_grad", "working"]

MADE_BY = "what computed it"
BY_MINIGRAD = "minigrad: what is asked for here is to compute it with numpy"
SLOW = 0.25  # seconds for the convolutions of one batch: a training has hundreds of batches


def engine(*yours):
    """The engine of chapter 14 as a new class, with these functions of its steps in it, if they pass their checks. All
    others are the solutions'.
    """
    return engine_with(*[chapter14.working(one) for one in yours])


Tensor = engine_with()


class Holder:
    """What Module is derived from: Python exchanges the bases of a class only if they are not `object` alone."""


class Module(Holder):
    """What has parameters, as attributes, in lists, or in other modules."""

    def __call__(self, *inputs):
        return self.forward(*inputs)


class SGD:
    """What `momentum_step` is a method of."""

    def __init__(self, parameters, lr, momentum=0.0):
        self.parameters, self.lr, self.momentum = list(parameters), lr, momentum
        self.velocity = {}


class Adam:
    """What `adam_step` is a method of."""

    def __init__(self, parameters, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
        self.parameters, self.lr, self.betas, self.eps = list(parameters), lr, betas, eps
        self.state = {}


# ---------------------------------------------------------------- the steps


def parameters(self):
    """All parameters of a module, each once: its own, and those in lists and modules, however deep."""
    found, met, todo = [], set(), [self]
    while todo:
        one = todo.pop()
        if id(one) in met:
            continue
        met.add(id(one))
        if isinstance(one, Tensor):
            found += [one] if one.requires_grad and one.rule is None else []
        elif isinstance(one, Module):
            todo += reversed(vars(one).values())
        elif isinstance(one, (list, tuple)):
            todo += reversed(one)
        elif isinstance(one, dict):
            todo += reversed(one.values())
    return found


def momentum_step(self):
    """One step of SGD with momentum: each parameter that has a gradient moves by -lr times its velocity."""
    for one in self.parameters:
        if one.grad is not None:
            before = self.velocity.get(one, 0.0)
            self.velocity[one] = self.momentum * before + one.grad
            one.data = one.data - self.lr * self.velocity[one]


def adam_step(self):
    """One step of Adam: each parameter that has a gradient moves by about lr, whatever the size of its gradient."""
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            t, m, v = self.state.get(one, (0, 0.0, 0.0))
            t, m, v = t + 1, b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            self.state[one] = t, m, v
            usual = np.sqrt(v / (1 - b2**t))
            one.data = one.data - self.lr * m / (1 - b1**t) / (usual + self.eps)


def batch_norm_rule(g, y, x, eps=1e-5):
    """From the gradient of y = batch norm of x, that of x, in a tuple. Axis 1 holds the channels."""
    axes = (0, *range(2, x.ndim))
    mean = functools.partial(np.mean, axis=axes, keepdims=True)
    return ((g - mean(g) - y * mean(g * y)) / np.sqrt(x.var(axis=axes, keepdims=True) + eps),)


def convolution_rule(g, y, x, weight, stride=1):
    """From the gradient of y = convolution of x with weight, those of x and weight."""
    to_x, to_weight = np.zeros_like(x), np.zeros_like(weight)
    rows, columns = g.shape[2:]
    for i, j in np.ndindex(weight.shape[2:]):
        met = np.s_[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
        to_x[met] += np.tensordot(g, weight[:, :, i, j], (1, 0)).transpose(0, 3, 1, 2)
        to_weight[:, :, i, j] = np.tensordot(g, x[met], ((0, 2, 3), (0, 2, 3)))
    return to_x, to_weight


def counterexample(draw, holds, smaller, tries):
    """A case for which the property does not hold, as small as it gets; None if it holds for all that are drawn."""

    def fails(case):
        try:
            return not holds(case)
        except Exception:
            return True

    for _ in range(tries):
        case = draw()
        if fails(case):
            break
    else:
        return None
    shrinks = True
    while shrinks:
        shrinks = False
        for one in smaller(case):
            if fails(one):
                case, shrinks = one, True
                break
    return case


STEPS = {
    step.__name__: step
    for step in (parameters, momentum_step, adam_step, batch_norm_rule, convolution_rule, counterexample)
}


# ---------------------------------------------------------------- what an answer is tried on


def normalized(x, eps=1e-5):
    axes = (0, *range(2, x.ndim))
    return (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + eps)


def convolved(x, weight, stride=1):
    size = weight.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("ncpqkl,ockl->nopq", windows, weight)


def with_classes(look):
    """`look`, while the names `Tensor` and `Module` mean this module's classes to the answer: in a notebook, and alone,
    they are others, or none. An answer may also have noted the notebook's classes before, in a default or in a tuple of
    kinds; so what it is tried on is of those as well.
    """

    @functools.wraps(look)
    def seen(answer, *arguments):
        names = getattr(answer, "__globals__", {})
        kinds = [(Tensor, names.get("Tensor"), chapter14.Tensor), (Module, names.get("Module"), object)]
        with contextlib.ExitStack() as stack:
            for kind, theirs, least in kinds:
                if isinstance(theirs, type) and issubclass(theirs, least) and not issubclass(theirs, kind):
                    stack.enter_context(_derived_from(theirs, kind))
            stack.enter_context(patch.dict(names, {"Tensor": Tensor, "Module": Module}))
            return look(answer, *arguments)

    return seen


@contextlib.contextmanager
def _derived_from(theirs, kind):
    """While in it, a class has another one as its first base, if Python can do that."""
    before = kind.__bases__
    with contextlib.suppress(TypeError):
        kind.__bases__ = theirs, *before
    try:
        yield
    finally:
        kind.__bases__ = before


@contextlib.contextmanager
def noted_minigrad():
    """Gives a list, which afterwards holds the names of minigrad's operations that ran in the block."""
    ran = []
    with profile() as run:
        yield ran
    ran += [event.name for event in run.function_events or []]


def has_another_default(value, given):
    """For `when`: the parameter after those given has not this default, where only so many arguments were given."""

    def has(outcome):
        following = [*inspect.signature(outcome.answer).parameters.values()][given:]
        return len(outcome.arguments) == given and following[:1] != [] and following[0].default != value

    return has


def rule_by_hand(*names):
    """For `plug`: what `rule_at_work` sees of a rule, and whether it left the work to minigrad."""
    seen_of = rule_at_work(*names)

    def plug(answer):
        def look(answer, *arrays):
            with noted_minigrad() as ran:
                seen = seen_of(answer)(*arrays)
            nothing = seen is None or seen is ...
            return {MADE_BY: seen} if nothing else {**seen, MADE_BY: BY_MINIGRAD if ran else "numpy"}

        return observer(look)(answer)

    return plug


def steps_taken(answer, optimizer, gradients, rates=None, copied=None):
    """What `answer`, the method that takes a step, does with an optimizer's parameters, step by step. Between the steps
    somebody fills the gradients with zeros, in place; where `copied` says so, the optimizer is saved and loaded.
    """
    seen, written, cleared, known = {}, set(), Counter(), _attributes(optimizer)
    tensors = [*optimizer.parameters]  # a network holds these, whatever the optimizer does with its list
    other = deepcopy(optimizer)
    other.parameters = [*tensors]  # a second optimizer of the same tensors, which comes at the end
    for number, row in enumerate(gradients):
        if number == copied:
            optimizer, tensors = deepcopy((optimizer, tensors))
        optimizer.lr = rates[number] if rates else optimizer.lr
        written |= _one_step(answer, optimizer, tensors, row, cleared)
        seen |= {f"{name} after step {number + 1}": data for name, data in _data_of(tensors).items()}
    others = len(optimizer.parameters) != len(tensors) or any(map(operator.is_not, optimizer.parameters, tensors))
    if copied is None:
        _one_step(answer, other, tensors, gradients[0], cleared)
        seen |= {f"{name} after a first step of a new optimizer": data for name, data in _data_of(tensors).items()}
    seen |= {GRADIENTS: " and ".join(sorted(cleared)) or "as they were", ARRAYS: _told(written)}
    kept = ", ".join(sorted(_attributes(optimizer) - known)) or "none"
    return {**seen, TENSORS: "not as they were" if others else "as they were", KEPT: kept}


GRADIENTS, ARRAYS = "the gradients after a step", "the arrays that the parameters held before"
TENSORS, KEPT = "the tensors in self.parameters", "attributes that there were not before"


def _attributes(optimizer):
    """The names of all attributes of an optimizer and its parameters."""
    owners = {"self": optimizer, **dict(zip("abcdef", optimizer.parameters, strict=False))}
    return {f"{owner}.{name}" for owner, one in owners.items() for name in vars(one)}


def _one_step(answer, optimizer, tensors, row, changed):
    """Take one step with these gradients; which parameters' earlier arrays were written to."""
    given = [None if one is None else np.array(one, float) for one in row]
    for one, gradient in zip(tensors, given, strict=True):
        one.grad = gradient
    held = [one.data for one in tensors]
    before = deepcopy(held)
    with np.errstate(all="ignore"):
        answer(optimizer)
    for one, gradient, right in zip(tensors, given, row, strict=True):
        if one.grad is not gradient:
            changed["taken away" if one.grad is None else "other ones"] += 1
        elif gradient is not None and not np.array_equal(gradient, np.array(right, float), equal_nan=True):
            changed["written to"] += 1
        if gradient is not None:
            gradient.fill(0.0)
    return {number for number, pair in enumerate(zip(held, before, strict=True)) if not _same(*pair)}


def met_none(outcome):
    """For `when`: an error at a None, in a case in which a parameter has no gradient at some step."""
    return raised("NoneType")(outcome) and any(one is None for row in outcome.arguments[1] for one in row)


def holds_other_tensors(outcome):
    """For `when`: after the steps the optimizer's list has not the tensors in it that it was made with."""
    return TENSORS in outcome.seen and outcome.seen[TENSORS] != outcome.right[TENSORS]


def _same(one, other):
    return np.array_equal(one, other, equal_nan=True)


def _told(written):
    return "written to" if written else "as they were"


def _data_of(tensors):
    return {name: np.array(one.data) for name, one in zip("abcdef", tensors, strict=False)}


# ---------------------------------------------------------------- between the steps


def working(answer):
    """The function to go on with: the learner's if its check passes, otherwise the solution's; a line says which."""
    chosen = going_on_with(answer, STEPS, beside)
    if chosen is answer and answer.__name__ == "convolution_rule" and _is_slow(answer):
        print(
            "It is right, but takes so long that a training would take minutes: the chapter trains with the solution's."
        )
        return handed_out(convolution_rule, answer.__globals__)
    return chosen


def _is_slow(rule):
    x, weight = np.ones((32, 8, 6, 6)), np.ones((16, 8, 3, 3))
    try:
        call_within(SLOW, rule, np.ones((32, 16, 4, 4)), None, x, weight)
    except TookTooLongError:
        return True
    return False


def beside(answer):
    """A layer with the answer as its rule, stepped beside that with the solution's; None if they do not differ."""
    try:
        return call_within(SECONDS, _parting, answer) if answer.__name__ in _PROGRAMS else None
    except (TookTooLongError, Exception, SystemExit):
        return None


def _parting(answer):
    program, rules = _PROGRAMS[answer.__name__], (STEPS[answer.__name__], answer)
    comparison = viz.compare(*map(program, rules), engine=(Adapter(), Adapter()), labels=("the solution's", "yours"))
    if comparison.difference is not None:
        return comparison
    comparison.close()
    return None


def _batch_norm(rule):
    x = Tensor([[1.0, 4.0], [2.0, -1.0], [6.0, 0.0]], requires_grad=True)
    return (x.recorded(normalized, rule, ()) * [[1.0, 0.0], [0.0, 3.0], [-1.0, 0.5]]).sum()


def _convolution(rule):
    @functools.wraps(rule)
    def strided(*arrays):
        return rule(*arrays, 2)

    x = Tensor(np.arange(15.0).reshape(1, 1, 3, 5), requires_grad=True)
    weight = Tensor([[[[1.0, -1.0, 0.0], [2.0, 0.5, -3.0]]]], requires_grad=True)
    return (x.recorded(lambda *both: convolved(*both, 2), strided, (weight,)) * [1.0, -2.0]).sum()


_PROGRAMS = {"batch_norm_rule": _batch_norm, "convolution_rule": _convolution}

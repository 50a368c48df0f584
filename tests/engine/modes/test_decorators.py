"""Functions and methods decorated with a mode, with and without parentheses (F03, F04)."""

from __future__ import annotations

import pytest
from engine.modes.samples import decorators, modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("F03: a decorated function runs in the mode, with and without parentheses")
def _(F):
    return [decorate(lambda: modes(F))() for decorate in decorators(F)], modes(F)


@behaviours("F03: a function decorated within no_grad, called within and outside")
def _(F):
    with F.no_grad():
        functions = [decorate(lambda: modes(F)) for decorate in decorators(F)]
        inside = [function() for function in functions]
        after = modes(F)
    return inside, after, [function() for function in functions], modes(F)


@behaviours("F03: decorating runs nothing and changes no mode")
def _(F):
    ran = []
    F.no_grad()(lambda: ran.append(1))
    F.no_grad(lambda: ran.append(2))
    return ran, modes(F)


@behaviours("F03: set_grad_enabled as a decorator leaves the mode alone until the call")
def _(F):
    decorate = F.set_grad_enabled(False)
    made = modes(F)
    function = decorate(lambda: modes(F))
    decorated = modes(F)
    return made, decorated, function(), modes(F)


@behaviours("F03: set_grad_enabled(True) as a decorator records within no_grad")
def _(F):
    @F.set_grad_enabled(True)
    def double(x):
        return x * 2

    with F.no_grad():
        return double(leaf(F)), modes(F)


@behaviours("F03: a decorated function takes arguments and gives results")
def _(F):
    @F.no_grad()
    def scaled(x, *more, factor, **others):
        return x * factor, more, others

    return scaled(leaf(F), 1, 2, factor=3, name="x")


@behaviours("F03: a decorated function keeps its name and its text")
def _(F):
    @F.no_grad()
    def evaluate():
        """Evaluate the model."""

    @F.inference_mode
    def predict():
        """Predict."""

    return evaluate.__name__, evaluate.__doc__, predict.__name__, predict.__doc__, evaluate.__wrapped__()


@behaviours("F04: the mode is back after an error of a decorated function")
def _(F):
    seen = []
    for decorate in decorators(F):

        @decorate
        def fail():
            raise ValueError("on purpose")

        with pytest.raises(ValueError, match="on purpose"):
            fail()
        seen.append(modes(F))
    return seen


@behaviours("F03: a decorated method knows its object")
def _(F):
    class Model:
        def __init__(self):
            self.weight = leaf(F)

        @F.no_grad()
        def evaluate(self, x):
            return self.weight * x

        @F.no_grad
        def evaluate_too(self, x):
            return self.weight * x

        def train(self, x):
            return self.weight * x

    model = Model()
    return model.evaluate(2), model.evaluate_too(2), model.train(2)


@behaviours("F03: static methods and class methods")
def _(F):
    class Model:
        @staticmethod
        @F.no_grad()
        def still():
            return modes(F)

        @classmethod
        @F.no_grad()
        def of_class(cls):
            return cls.__name__, modes(F)

    return Model.still(), Model.of_class(), Model().still()


@behaviours("F03: a decorated function that calls itself")
def _(F):
    @F.no_grad()
    def count(n):
        return [modes(F)] + (count(n - 1) if n else [])

    return count(3), modes(F)


@behaviours("F03: decorated functions that call each other")
def _(F):
    @F.enable_grad()
    def inner(x):
        return x * 2

    @F.no_grad()
    def outer(x):
        return inner(x), x * 3, modes(F)

    return outer(leaf(F)), modes(F)


@behaviours("F03: one object decorates several functions")
def _(F):
    mode = F.no_grad()
    first, second = mode(lambda: modes(F)), mode(lambda: first())
    return first(), second(), modes(F)


@behaviours("F03: a decorated function sees the mode of each call, and several may be under way")
def _(F):
    @F.no_grad()
    def apply(function):
        return modes(F), function(), modes(F)

    return apply(lambda: apply(lambda: modes(F))), modes(F)


@behaviours("F03: inference_mode with a bool is a mode, with anything else a decorator")
def _(F):
    with F.inference_mode(mode=False):
        off = modes(F)
    with F.inference_mode(mode=True):
        on = modes(F)
    return off, on, F.inference_mode(lambda: modes(F))()


for _name in ("no_grad", "enable_grad", "inference_mode"):

    @behaviours(
        f"F03: @{_name} on a class warns", warns=("FutureWarning: Decorating classes is deprecated and will be",) * 2
    )
    def _(F, name=_name):
        class Model:
            def __init__(self):
                self.seen = modes(F)

        return getattr(F, name)()(Model)().seen, getattr(F, name)(Model)().seen


test_as_in_torch = behaviours.test()

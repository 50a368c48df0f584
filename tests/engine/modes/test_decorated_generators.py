"""Generators decorated with a mode: it holds only while the body runs (F03, F04)."""

from __future__ import annotations

import pytest
from engine.modes.samples import decorators, modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("F03: a decorated generator switches the mode only while its body runs")
def _(F):
    @F.no_grad()
    def steps():
        yield modes(F)
        yield modes(F)

    seen = []
    for inside in steps():
        seen += [inside, modes(F)]
    return seen, modes(F)


@behaviours("F03: every mode decorates generators, with and without parentheses")
def _(F):
    seen = []
    for decorate in decorators(F):

        @decorate
        def steps():
            yield modes(F)
            yield modes(F)

        seen.append([(inside, modes(F)) for inside in steps()])
    return seen


@behaviours("F03: a decorated generator does not start before it is asked")
def _(F):
    ran = []

    @F.no_grad()
    def steps():
        ran.append(modes(F))
        yield 1

    generator = steps()
    before = list(ran)
    return before, next(generator), ran, modes(F)


@behaviours("F03: the caller's mode may change between the steps of a generator")
def _(F):
    @F.enable_grad()
    def steps():
        for _ in range(4):
            yield modes(F)

    generator, seen = steps(), []
    seen += [next(generator), modes(F)]
    with F.no_grad():
        seen += [next(generator), modes(F)]
        with F.inference_mode():
            seen += [next(generator), modes(F)]
    return [*seen, next(generator), modes(F)]


@behaviours("F03: a block within a decorated generator lasts across its steps")
def _(F):
    @F.no_grad()
    def steps():
        yield modes(F)
        x = leaf(F) * 2
        yield x

    first, second = steps()
    return first, second


@behaviours("F03: send reaches the body of a decorated generator")
def _(F):
    @F.no_grad()
    def echo():
        received = yield "ready"
        while received is not None:
            received = yield received * 2, modes(F)

    generator = echo()
    return next(generator), generator.send(leaf(F)), modes(F), generator.send(3), modes(F)


@behaviours("F03: throw reaches the body of a decorated generator")
def _(F):
    @F.no_grad()
    def steps():
        try:
            yield 1
        except ValueError as error:
            yield str(error), modes(F)
        yield 3

    generator = steps()
    return next(generator), generator.throw(ValueError("on purpose")), modes(F), list(generator), modes(F)


@behaviours("F04: an error that a decorated generator does not catch comes out, and the mode is back")
def _(F):
    @F.no_grad()
    def steps():
        yield 1
        raise ValueError("on purpose")

    generator = steps()
    next(generator)
    with pytest.raises(ValueError, match="on purpose"):
        next(generator)
    after = modes(F)
    with pytest.raises(StopIteration):
        next(generator)
    return after, modes(F)


@behaviours("F04: an error thrown into a decorated generator comes out again", error=ValueError, says="on purpose")
def _(F):
    @F.no_grad()
    def steps():
        yield 1

    generator = steps()
    next(generator)
    generator.throw(ValueError("on purpose"))


@behaviours("F03: close reaches the body of a decorated generator, in the mode")
def _(F):
    seen = []

    @F.no_grad()
    def steps():
        try:
            yield 1
        finally:
            seen.append(modes(F))

    generator = steps()
    next(generator)
    generator.close()
    return seen, modes(F)


@behaviours("F03: the value that a decorated generator returns")
def _(F):
    @F.no_grad()
    def steps():
        yield 1
        return "done"

    def outer():
        result = yield from steps()
        yield result

    return list(outer()), modes(F)


@behaviours("F03: a decorated generator within another")
def _(F):
    @F.enable_grad()
    def inner():
        yield modes(F)
        yield modes(F)

    @F.no_grad()
    def outer():
        yield modes(F)
        yield from inner()
        yield modes(F)

    return list(outer()), modes(F)


@behaviours("F03: a decorated generator method")
def _(F):
    class Model:
        def __init__(self):
            self.weight = leaf(F)

        @F.no_grad()
        def layers(self, x):
            for _ in range(2):
                x = x * self.weight
                yield x

    return list(Model().layers(3.0)), modes(F)


@behaviours("F03: a decorated generator keeps its name and its text")
def _(F):
    @F.no_grad()
    def steps():
        """Step by step."""
        yield 1

    return steps.__name__, steps.__doc__, list(steps())


test_as_in_torch = behaviours.test()

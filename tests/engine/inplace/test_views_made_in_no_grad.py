"""Views made under no_grad: read and followed as others, not written to where that is recorded (D10)."""

from __future__ import annotations

from engine.inplace.effects import (
    BASE_OF_ONE_MADE_IN_NO_GRAD,
    MADE_IN_NO_GRAD,
    gradients,
    graph,
    grid,
    number,
    state,
    tried,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


OF_ONE_MADE_IN_NO_GRAD = (
    "Output 0 of {} is a view of a view which was created in no_grad mode and is being modified inplace with grad mode "
    "enabled."
)


@behaviours("D10: a view made and written to under no_grad follows its base")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        row = y[0]
        row.mul_(2.0)
    return state(y), row.tolist(), row._version, gradients(F, y, x)


@behaviours("D10: a view of a leaf, made and written to under no_grad")
def _(F):
    x = grid(F)
    with F.no_grad():
        row = x[0]
        row.mul_(2.0)
        flags = [row.requires_grad, tried(lambda: row.is_leaf, BASE_OF_ONE_MADE_IN_NO_GRAD), row._version, row.detach()]
    return flags, state(x)


@behaviours("D10: a view made under no_grad can be read in a computation, where it counts as what it is")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad():
        row = y[0]
    z = row * 2
    return z.requires_grad, z.is_leaf, graph(z), tried(lambda: gradients(F, z, x))


@behaviours("D10: a view of a plain tensor made under no_grad is written to as any other")
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    row.mul_(3.0)
    return state(base, row)


@behaviours(
    "D10: a view of a plain tensor made under no_grad takes no value that needs grad",
    error=RuntimeError,
    says=MADE_IN_NO_GRAD,
)
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    row.mul_(number(F))


@behaviours(
    "D10: a view of a plain tensor made under no_grad has no node once its base took a value that needs grad",
    error=RuntimeError,
    says=BASE_OF_ONE_MADE_IN_NO_GRAD,
)
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        row = base[0]
    base.mul_(number(F))
    row.grad_fn  # noqa: B018


@behaviours("D07: a view of a plain tensor requires grad as soon as its base does, made under no_grad or not")
def _(F):
    base = F.ones(2, 3)
    with F.no_grad():
        quiet = base[0]
    row = base[1]
    base.mul_(number(F))
    return quiet.requires_grad, row.requires_grad


@behaviours(
    "D10: a view made with grad of one made without", error=RuntimeError, says=OF_ONE_MADE_IN_NO_GRAD.format("Slice")
)
def _(F):
    y = grid(F) * 1
    with F.no_grad():
        row = y[0]
    row[1:].mul_(2.0)


@behaviours("D10: a view made without grad of one made with", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    row = (grid(F) * 1)[0]
    with F.no_grad():
        part = row[1:]
    part.mul_(2.0)


@behaviours(
    "D10: setitem in a view made under no_grad", error=RuntimeError, says=OF_ONE_MADE_IN_NO_GRAD.format("Select")
)
def _(F):
    y = grid(F) * 1
    with F.no_grad():
        row = y[0]
    row[1] = 2.0


@behaviours("D10: a view of a leaf made under no_grad and written to later", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    x = grid(F)
    with F.no_grad():
        row = x[0]
    row.mul_(2.0)


@behaviours("D10: a view made with set_grad_enabled(False) is the same case", error=RuntimeError, says=MADE_IN_NO_GRAD)
def _(F):
    y = grid(F) * 1
    with F.set_grad_enabled(False):
        row = y[0]
    row.mul_(2.0)


@behaviours("D10: a view made in anomaly mode, or while saved tensors are packed, is free")
def _(F):
    found = []
    for mode in (F.autograd.set_detect_anomaly(True), F.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)):
        x = grid(F)
        y = x * 1
        with mode:
            view = y[0]
        F.autograd.set_detect_anomaly(False)  # which torch turned on when the object was made
        view.mul_(2.0)
        found.append((y, gradients(F, y, x)))
    return found


@behaviours("D10: a view made under enable_grad within no_grad is free")
def _(F):
    x = grid(F)
    y = x * 1
    with F.no_grad(), F.enable_grad():
        row = y[0]
    row.mul_(2.0)
    return state(y, row), gradients(F, y, x)


@behaviours(
    "D10: a view that was saved, and whose base was written to and then asked for a gradient",
    error=RuntimeError,
    says="A view was created in no_grad mode and its base or another view of its base has been modified inplace",
)
def _(F):
    base, x = F.ones(3), F.tensor(2.0, requires_grad=True)
    with F.no_grad():
        part = base[0]
    base.sin_()
    y = x * part
    base.requires_grad_(True)
    y.backward()


test_as_in_torch = behaviours.test()

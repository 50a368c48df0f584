"""set_grad_enabled acts at once, and as a block is undone (F02)."""

from __future__ import annotations

from engine.modes.samples import modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("F02: set_grad_enabled acts at once")
def _(F):
    F.set_grad_enabled(False)
    off, y = modes(F), leaf(F) * 2
    F.set_grad_enabled(True)
    return off, y, modes(F), leaf(F) * 2


@behaviours("F02: set_grad_enabled as a block is undone at its end")
def _(F):
    with F.set_grad_enabled(False):
        inside, y = modes(F), leaf(F) * 2
    with F.no_grad():
        with F.set_grad_enabled(True):
            enabled = modes(F), leaf(F) * 2
        back = modes(F)
    return inside, y, enabled, back, modes(F)


@behaviours("F02: set_grad_enabled by a condition")
def _(F):
    x, results = leaf(F), []
    for training in (True, False):
        with F.set_grad_enabled(training):
            results.append(x * 2)
    return results


@behaviours("F02: set_grad_enabled acts before its block begins, and comes back to what was before that")
def _(F):
    mode = F.set_grad_enabled(False)
    made = modes(F)
    with mode:
        inside = modes(F)
    return made, inside, modes(F)


@behaviours("F02: set_grad_enabled within a block lasts until the block's end")
def _(F):
    with F.no_grad():
        F.set_grad_enabled(True)
        inside = modes(F)
    return inside, modes(F)


@behaviours("F02: set_grad_enabled prints itself, and knows its mode")
def _(F):
    mode = F.set_grad_enabled(True)
    return str(mode), repr(mode), mode.mode


behaviours.table(
    ("F02: set_grad_enabled takes a bool", lambda F: F.set_grad_enabled(1),
     TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not int"),
    ("F02: set_grad_enabled does not take None", lambda F: F.set_grad_enabled(None),
     TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not NoneType"),
    ("F02: set_grad_enabled needs its argument", lambda F: F.set_grad_enabled(),
     TypeError, "set_grad_enabled.__init__() missing 1 required positional argument: 'mode'"),
)  # fmt: skip


@behaviours("F02: set_grad_enabled has a name for its argument")
def _(F):
    with F.set_grad_enabled(mode=False):
        return modes(F)


test_as_in_torch = behaviours.test()

"""disable_saved_tensors_hooks: entering hooks raises the given message."""

from __future__ import annotations

from engine.saved_tensors.packing import noted, text
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("disabled: entering hooks raises the given message", error=RuntimeError, says="not in here, please")
def _(F):
    with F.autograd.graph.disable_saved_tensors_hooks("not in here, please"), noted(F, []):
        pass


@behaviours("disabled: afterwards hooks work again, also after an error")
def _(F):
    x, packed = leaf(F), []
    try:
        with F.autograd.graph.disable_saved_tensors_hooks("no"):
            raise ValueError("stop")
    except ValueError:
        with noted(F, packed):
            x.exp()
    return len(packed)


@behaviours("disabled: nested, the inner message holds, then the outer one again")
def _(F):
    disable, messages = F.autograd.graph.disable_saved_tensors_hooks, []

    def note():
        messages.append(text(noted(F, []).__enter__))

    with disable("outer"):
        with disable("inner"):
            note()
        note()
    with noted(F, []):
        messages.append("none")
    return messages


@behaviours("disabled: refused while hooks are in force", error=RuntimeError, says="not now")
def _(F):
    with noted(F, []), F.autograd.graph.disable_saved_tensors_hooks("not now"):
        pass


@behaviours("disabled: what was packed before is unpacked all the same")
def _(F):
    x = leaf(F)
    with noted(F, []):
        y = x.exp()
    with F.autograd.graph.disable_saved_tensors_hooks("no"):
        y.sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()

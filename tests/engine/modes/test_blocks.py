"""no_grad and enable_grad as blocks: nested, entered again, and restored after errors, return and break (F02, F04)."""

from __future__ import annotations

from typing import Any

import pytest
from engine.modes.samples import modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


# ---------------------------------------------------------------- as in torch


@behaviours("F02: the mode is back after the block")
def _(F):
    seen = [modes(F)]
    for mode in (F.no_grad(), F.enable_grad(), F.inference_mode()):
        with mode:
            seen.append(modes(F))
        seen.append(modes(F))
    return seen


@behaviours("F02: blocks nest")
def _(F):
    seen = []
    with F.no_grad():
        seen.append(modes(F))
        with F.enable_grad():
            seen.append(modes(F))
            with F.no_grad():
                seen.append(modes(F))
            seen.append(modes(F))
        seen.append(modes(F))
    return [*seen, modes(F)]


@behaviours("F02: enable_grad within no_grad records")
def _(F):
    x = leaf(F)
    with F.no_grad(), F.enable_grad():
        y = x * 2
    y.sum().backward()
    return y, x.grad


@behaviours("F02: a mode that is on already may be entered again")
def _(F):
    seen = []
    with F.enable_grad():
        with F.enable_grad():
            seen.append(modes(F))
        seen.append(modes(F))
    with F.no_grad():
        with F.no_grad():
            seen.append(modes(F))
        seen.append(modes(F))
    return [*seen, modes(F)]


@behaviours("F02: one object serves several blocks, one after the other")
def _(F):
    seen = []
    for mode in (F.no_grad(), F.enable_grad(), F.inference_mode()):
        for _ in range(2):
            with mode:
                seen.append(modes(F))
            seen.append(modes(F))
    return seen


@behaviours("F02: entering gives None, and leaving does not swallow errors")
def _(F):
    given = []
    for mode in (F.no_grad(), F.enable_grad(), F.inference_mode(), F.set_grad_enabled(True)):
        given.append(mode.__enter__())
        given.append(mode.__exit__(None, None, None))
    return given


@behaviours("F04: the mode is back after an error in the block")
def _(F):
    seen = []
    for mode in (F.no_grad(), F.enable_grad(), F.inference_mode(), F.set_grad_enabled(False)):
        with pytest.raises(ValueError, match="on purpose"), mode:
            raise ValueError("on purpose")
        seen.append(modes(F))
    return seen


@behaviours("F04: the mode is back after errors in nested blocks")
def _(F):
    seen = []
    with F.no_grad():
        with pytest.raises(ValueError, match="on purpose"), F.enable_grad(), F.inference_mode():
            raise ValueError("on purpose")
        seen.append(modes(F))
    return [*seen, modes(F)]


@behaviours("F04: the mode is back after an error of an operation")
def _(F):
    with pytest.raises(RuntimeError, match="must match"), F.no_grad():
        F.ones(2) + F.ones(3)
    return modes(F)


@behaviours("F04: the mode is back after return, break and continue")
def _(F):
    def early() -> Any:
        with F.no_grad():
            return modes(F)

    seen = [early(), modes(F)]
    for skip in (True, False):
        with F.no_grad():
            if skip:
                continue
            break
    return [*seen, modes(F)]


@behaviours("F02: the modes have their names in autograd, too")
def _(F):
    names = ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")
    same = [getattr(F.autograd, name) is getattr(F, name) for name in names]
    return same, [getattr(F.autograd.grad_mode, name) is getattr(F, name) for name in names]


@behaviours(
    "F02: a block without the brackets",
    error=TypeError,
    says="'type' object does not support the context manager protocol",
)
def _(F):
    with F.no_grad:
        pass


# ---------------------------------------------------------------- where we go further than PyTorch 2.13


@pytest.mark.parametrize("mode", ["yes", 1, None, (), minigrad.ones(1)], ids=["text", "int", "none", "tuple", "tensor"])
def test_inference_mode_is_on_or_off_whatever_it_is_given(mode):
    """PyTorch makes a decorated function of what is no bool. A tensor must not become the mode: each operation would
    compute with it, in inference mode again.
    """
    with minigrad.inference_mode(mode):
        assert minigrad.is_inference_mode_enabled() is bool(mode)
        assert (minigrad.ones(1) * 2).is_inference() is bool(mode)
    assert modes(minigrad) == (True, False)


@pytest.mark.parametrize("mode", ["no_grad", "enable_grad", "inference_mode"])
def test_a_block_without_the_brackets_is_told_how_to_write_it(mode):
    with pytest.raises(TypeError, match=rf"protocol: write `with {mode}\(\):`"), getattr(minigrad, mode):
        pass
    assert minigrad.is_grad_enabled()


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_one_object_may_be_entered_again_within_its_own_block(mode):
    """PyTorch forgets the first mode here: recording stays off after the outer block."""
    once = getattr(minigrad, mode)()
    with once:
        with once:
            assert not minigrad.is_grad_enabled()
        assert not minigrad.is_grad_enabled()
    assert minigrad.is_grad_enabled()


test_as_in_torch = behaviours.test()

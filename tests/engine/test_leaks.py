"""When a program is over, nothing of it is left, and no garbage collector had to run.

An object without cycles dies with its last reference, so a training loop needs no more memory in its thousandth step
than in its second. Here 1,000 random programs (see `random_programs.py`) run with the collector switched off, and then
the living are counted: tensors, nodes, and everything else that minigrad makes.

Two kinds of cycles are the program's own doing. One is a `.grad` that has a graph, or a hook that holds its tensor: the
interpreter breaks these at the end, as PyTorch's warning tells the learner to do. The other comes from overwriting what
the graph saved, as in `x *= x.sin()`: the node that saved x is then behind x itself. PyTorch leaves these alive too,
and that is how such programs are told, and left out. That a leak would be seen is tested as well.
"""

from __future__ import annotations

import functools
import gc
import types
from collections import Counter
from collections.abc import Iterator

import pytest
from engine.random_programs import Line, Machine, Program, shrink, source, written_program

import minigrad
from minigrad.autograd.graph import Node

COUNT = 1000
AT_ONCE = 100


@functools.cache
def is_ours(kind: type) -> bool:
    """Whether instances of a class are made by minigrad: its own classes and their subclasses."""
    return not issubclass(kind, type) and any(base.__module__.partition(".")[0] == "minigrad" for base in kind.__mro__)


def living() -> Counter[str]:
    """How many objects of each of our classes are alive. That the collector is off does not hide any."""
    return Counter(type(thing).__qualname__ for thing in gc.get_objects() if is_ours(type(thing)))


@pytest.fixture
def no_collector() -> Iterator[None]:
    """The collector is off, and what was alive before is not listed: to look at it each time would take long."""
    gc.collect()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()


def run(program: Program) -> None:
    with Machine(minigrad) as machine:
        machine.run(program)


def left_over(program: Program) -> Counter[str]:
    """What is alive after a program that was not before."""
    before = living()
    run(program)
    return living() - before


def keeps_itself_alive(program: Program, torch: types.ModuleType) -> bool:
    """Whether the program's tensors outlive it on torch.

    Or would: a result that a hook packs as it is holds the node that holds it. After an operation in place torch packs
    the very tensor, so that detach_() opens that cycle.
    """
    text = source(program)
    if "pack, unpack" in text and ".detach_()" in text:
        return True
    with Machine(torch, silent=True) as machine:
        machine.run(program)
    return machine.survivors() > 0


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("first", range(0, COUNT, AT_ONCE))
def test_nothing_is_left_of_random_programs(first: int, torch: types.ModuleType) -> None:
    # Writing a program runs it once: what is made once and kept (an op's backward, a cache) is there before we count.
    programs = [written_program(seed, minigrad) for seed in range(first, first + AT_ONCE)]
    counted = [program for program in programs if not keeps_itself_alive(program, torch)]
    assert len(counted) > 0.75 * len(programs), "too many programs are left out"
    before = living()
    for program in counted:
        run(program)
    left = living() - before
    if left:
        pytest.fail(f"{dict(left)} are left. For example of this:\n{first_leak(counted, torch)}")


def first_leak(programs: list[Program], torch: types.ModuleType) -> str:
    """A program after which something is left, as short as can be got."""

    def leaks(program: Program) -> bool:
        return bool(left_over(program)) and not keeps_itself_alive(program, torch)

    leaking = next(filter(left_over, programs), None)
    return "none of the programs by itself" if leaking is None else source(shrink(leaking, leaks))


@pytest.mark.usefixtures("no_collector")
def test_a_cycle_of_the_programs_own_is_told_by_what_torch_leaves(torch: types.ModuleType) -> None:
    assert not keeps_itself_alive(CLEAN, torch)
    assert keeps_itself_alive((*CLEAN, Line("t1 *= t1.sin()")), torch)


CLEAN = (
    Line("t0 = F.tensor([0.5, -1.0], dtype=F.float64, requires_grad=True)"),
    Line("t1 = (t0 * t0).exp()"),
    Line("t2 = t1[:1]"),
    Line("t2.mul_(2)"),
    Line("h0 = t1.register_hook(seen('h0', t1))"),
    Line("t1.sum().backward(retain_graph=True)"),
)
OWN_CYCLE = Line("(t0 * t0).sum().backward(create_graph=True)")
PLANTED = Line("t0.register_hook(closing(t0))")  # nobody keeps the handle, so that nobody can remove the hook


@pytest.mark.usefixtures("no_collector")
def test_a_cycle_is_seen() -> None:
    run(CLEAN)
    assert not left_over(CLEAN)
    left = left_over((*CLEAN, PLANTED))
    assert left["Tensor"] >= 1
    before = living()
    assert gc.collect() > 0
    assert (before - living())["Tensor"] >= left["Tensor"]


@pytest.mark.usefixtures("no_collector")
def test_a_node_that_stays_alive_is_seen() -> None:
    assert (minigrad.ones(2) * 2).sum() == 4  # from here on the number is remembered, whatever ran before
    kept = []
    before = living()
    kept.append((minigrad.ones(2, requires_grad=True) * 2).grad_fn)
    left = living() - before
    assert left["MulBackward0"] == 1
    assert isinstance(kept[0], Node)
    kept.clear()
    assert not living() - before


@pytest.mark.usefixtures("no_collector")
def test_the_interpreter_breaks_the_cycles_that_a_program_makes_itself() -> None:
    program = (*CLEAN, OWN_CYCLE, Line("h1 = t0.register_hook(closing(t0))"))
    run(program)
    assert not left_over(program)
    before = living()
    with Machine(minigrad) as machine:
        machine.run((*CLEAN, OWN_CYCLE))
        machine.made.clear()  # so that no .grad is taken away
    left = living() - before
    assert left["Tensor"] >= 2

"""minigrad does what torch does, line by line, in programs drawn by lot; and the comparison would notice if it did not.

What a program is, and how the long run is made, stands in `random_programs.py`. Here 300 programs are run, in cases of
25 so that they can run in parallel; the variable RANDOM_PROGRAMS asks for more. Then hypothesis draws some of its own,
and shrinks what fails. The rest of the tests try the comparison itself: torch against torch, and against a torch with a
fault.
"""

from __future__ import annotations

import contextlib
import copy
import os
import types
from typing import Any

import pytest
from engine import random_programs
from engine.random_programs import (
    HEADS,
    KINDS,
    QUESTIONS,
    Block,
    Line,
    Program,
    Tally,
    Writer,
    compare,
    difference,
    failure_of,
    lines_of,
    observed,
    shrink,
    shrunk,
    size,
    source,
    written_program,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "300"))
AT_ONCE = 25


def program_of(text: str) -> Program:
    """A program from its text, one block deep."""
    statements: list[Line | Block] = []
    for line in text.strip().splitlines():
        if line.startswith("    "):
            *statements, last = statements
            assert isinstance(last, Block)
            statements.append(Block(last.head, (*last.body, Line(line.strip()))))
        elif line.startswith("with "):
            statements.append(Block(line, ()))
        else:
            statements.append(Line(line))
    return tuple(statements)


# ---------------------------------------------------------------- minigrad against torch


@pytest.mark.parametrize("first", range(0, COUNT, AT_ONCE))
def test_programs_do_on_minigrad_what_they_do_on_torch(first: int, torch: types.ModuleType) -> None:
    for seed in range(first, min(first + AT_ONCE, COUNT)):
        failure = failure_of(seed, minigrad, torch)
        assert failure is None, f"\n{failure}"


@pytest.mark.parametrize("first", range(0, COUNT // 3, AT_ONCE))
def test_programs_in_float16_do_what_they_do_on_torch(first: int, torch: types.ModuleType) -> None:
    for seed in range(first, first + AT_ONCE):
        failure = failure_of(seed, minigrad, torch, dtype="float16")
        assert failure is None, f"\n{failure}"


class Drawn:
    """Chance as hypothesis deals it out."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def randrange(self, stop: int, /) -> int:
        return self.draw(st.integers(0, stop - 1))


@st.composite
def programs(draw: st.DrawFn, guide: str) -> Program:
    """Programs that end where 0 is drawn, so that those which hypothesis finds simplest are the shortest."""
    lot = Drawn(draw)
    return Writer(random_programs.library(guide), lot).program(40, more=lambda: lot.randrange(24) > 0)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,  # the search for programs that differ is the long run's; this one tries the way of drawing them
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(program=programs("torch"))
def test_programs_that_hypothesis_draws(torch: types.ModuleType, program: Program) -> None:
    found = compare(program, minigrad, torch)
    assert found is None, f"\n{source(program)}\n\n{found}"


# ---------------------------------------------------------------- the comparison itself


def test_torch_agrees_with_itself(torch: types.ModuleType) -> None:
    for seed in range(40):
        assert failure_of(seed, torch, torch) is None


def test_a_seed_is_a_program(torch: types.ModuleType) -> None:
    assert written_program(7, torch) == written_program(7, torch)
    assert written_program(7, torch) != written_program(8, torch)


class Except:
    """A library with some of its parts replaced."""

    def __init__(self, library: Any, **parts: Any) -> None:
        self.library = library
        self.__dict__.update(parts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.library, name)


def faults(torch: types.ModuleType) -> dict[str, Any]:
    def keeping(*arguments: Any, **options: Any) -> Any:
        return torch.autograd.grad(*arguments, **{**options, "retain_graph": True})

    def lenient(*arguments: Any, **options: Any) -> Any:
        return torch.autograd.grad(*arguments, **{"allow_unused": True, **options})

    return {
        "no_grad records": Except(torch, no_grad=contextlib.nullcontext),
        "grad() frees nothing": Except(torch, autograd=Except(torch.autograd, grad=keeping)),
        "grad() accepts what was not used": Except(torch, autograd=Except(torch.autograd, grad=lenient)),
        "inference tensors are ordinary": Except(
            torch, inference_mode=lambda mode=True: torch.no_grad() if mode else contextlib.nullcontext()
        ),
    }


@pytest.mark.parametrize(
    "fault",
    ["no_grad records", "grad() frees nothing", "grad() accepts what was not used", "inference tensors are ordinary"],
)
def test_a_fault_is_found_and_shown_in_a_few_lines(fault: str, torch: types.ModuleType) -> None:
    faulty = faults(torch)[fault]
    failure = next(filter(None, (failure_of(seed, faulty, torch) for seed in range(100))))
    assert size(failure.program) <= 6, str(failure)
    again = compare(failure.program, faulty, torch)
    assert again is not None
    assert again.key == failure.difference.key


SCENE = """
t0 = F.tensor([0.5, -1.0], dtype=F.float64, requires_grad=True)
t1 = t0 * 2.0
t2 = t1.view(2, 1)
h0 = t1.register_hook(seen("h0 on t1", t1))
t1.retain_grad()
t1.sum().backward()
t1.sum(0.5)
"""


@pytest.mark.parametrize("question", [*QUESTIONS, "_base"])
def test_every_answer_about_a_tensor_is_compared(question: str, torch: types.ModuleType) -> None:
    events = observed(program_of(SCENE), torch)
    other = copy.deepcopy(events)
    changed = {"values": [[1.0], [-2.000001]], "_version": 1, "output_nr": 1, "grad": ((2,), False, [1.0, 1.00001])}
    answer = other[-1].state["t2"][question]
    other[-1].state["t2"][question] = changed.get(
        question, not answer if isinstance(answer, bool) else "something else"
    )
    found = difference(other, events)
    assert found is not None
    assert (found.register, found.question) == ("t2", question)


def test_errors_hooks_and_modes_are_compared(torch: types.ModuleType) -> None:
    events = observed(program_of(SCENE), torch)
    assert events[-1].error is not None
    assert events[-1].error.type == "TypeError"
    assert [entry for event in events for entry in event.log] == [[["h0 on t1", [[2], [1.0, 1.0]]]]]
    for place, name, value in ((-1, "error", None), (-2, "log", []), (0, "modes", (False, False)), (0, "error", "any")):
        other = copy.deepcopy(events)
        setattr(other[place], name, value if value != "any" else events[-1].error)
        found = difference(other, events)
        assert found is not None
        assert found.question == name


def test_messages_are_compared_up_to_the_end_of_the_first_sentence(torch: types.ModuleType) -> None:
    events = observed(program_of("t0 = F.tensor([1.0])\nt0.backward()"), torch)
    (error,) = [event.error for event in events if event.error]
    for message, agrees in ((error.message + " More help.", True), ("e" + error.message, False), ("element", False)):
        other = copy.deepcopy(events)
        other[-1].error = random_programs.Error(error.type, message)
        assert (difference(other, events) is None) == agrees
    other[-1].error = random_programs.Error("ValueError", error.message)
    assert difference(other, events) is not None


def test_a_program_goes_on_after_an_error_and_leaves_out_what_has_no_meaning(torch: types.ModuleType) -> None:
    program = program_of("t0 = F.tensor([1.0])\nt1 = t0.backward()\nt2 = t1 * 2\nt3 = t0 * 2")
    assert [(event.line, event.error is None) for event in observed(program, torch)] == [
        ("t0 = F.tensor([1.0])", True),
        ("t1 = t0.backward()", False),
        ("t3 = t0 * 2", True),
    ]


def test_programs_print_as_python(torch: types.ModuleType) -> None:
    text = SCENE.replace("t1.sum(0.5)\n", "with F.no_grad():\n    t3 = t0 * 3\n    t4 = t3[0]\n")
    program = program_of(text)
    assert "\n".join(lines_of(program)) == text.strip()
    names: dict[str, Any] = {}
    exec(source(program, "torch").replace("globals()", "names"), {"names": names} | names, names)
    assert names["t0"].grad.tolist() == [2.0, 2.0]
    assert not names["t4"].requires_grad
    assert names["log"].taken()


def test_shrinking_leaves_what_is_needed() -> None:
    needed = {"t0 = a", "t5 = b"}
    program = tuple(Line(f"t{i} = {'b' if i == 5 else 'a'}") for i in range(9))
    nested = (*program[:4], Block("with F.no_grad():", (program[4], Block("with F.no_grad():", program[5:]))))
    for whole in (program, nested):
        found = shrink(whole, lambda smaller: needed <= {line.strip() for line in lines_of(smaller)})
        assert found == (Line("t0 = a"), Line("t5 = b"))
    with pytest.raises(ValueError, match="nothing differs"):
        shrunk((), minigrad, minigrad)


OFTEN = {  # errors that only make sense if tensors were saved, viewed, overwritten and freed; and how often at least
    "Trying to backward through the graph a second time": 30,
    "one of the variables needed for gradient computation has been modified by an inplace operation": 30,
    "a view of a leaf Variable that requires grad is being used in an in-place operation": 20,
    "a leaf Variable that requires grad is being used in an in-place operation": 5,
    "A view was created in no_grad mode": 5,
    "Output # of": 20,
    "The differentiated Tensor at index #": 5,
    "unsupported operation": 5,
    "Can't detach views in-place": 3,
}


def test_programs_are_varied_and_mostly_make_sense(torch: types.ModuleType) -> None:
    """300 programs: each kind of line and of block occurs, few lines raise, and those that do for many reasons."""
    tally, heads = Tally(), set()
    for seed in range(300):
        events = observed(written_program(seed, torch), torch)
        tally.add(events)
        heads.update(event.line for event in events if event.line.startswith("with "))
    assert {kind.name for kind in KINDS} <= tally.lines.keys()
    assert heads == set(HEADS)
    assert tally.raised.total() < 0.09 * tally.lines.total()
    assert tally.succeeded("backward", "grad", "grad_at_edge") > 500
    assert tally.succeeded("in_place", "set_item") > 700
    for beginning, least in OFTEN.items():
        count = sum(n for error, n in tally.errors.items() if error.partition(": ")[2].startswith(beginning))
        assert count >= least, f"{beginning}: only {count} times"

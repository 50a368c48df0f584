"""Each exercise's reference is broken in one place at a time, and the check has to notice.

A break turns a comparison, changes a constant, a sign or an axis, swaps two names, leaves a statement or a clone() out:
see tools/mutants.py, which makes them. What passes all the same has to be right, and says here why it is.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from minigrad.teach import EXERCISES, Exercise

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from mutants import Mutant, mutants_of

pytestmark = pytest.mark.usefixtures("in_this_process", "draws_once")

# That an answer may take for a case: some breaks never come to an end. One that is right may take longer, where much
# else is running.
SECONDS, PATIENT_SECONDS = 0.25, 10.0

# Breaks that are right answers, by exercise: the broken text, what stands in its place, and the reason.
RIGHT: dict[str, list[tuple[str, str, str]]] = {
    "by_hand": [
        ("d_to_c", "d_to_a", "an addition sends the same gradient to both of its inputs"),
    ],
    "run_order": [
        ("1", "2", "what the root's node waits for is never asked: the walk begins with it"),
    ],
    "limited": [
        ("length > limit", "length >= limit", "a gradient as long as the limit is multiplied by 1"),
        ("g.norm().item()", "g.norm()", "a tensor of one number computes as the number does"),
    ],
    "may_write_result": [
        ("1", "2", "any write shows whether the result is needed, whatever it adds"),
    ],
    "peaks_backward": [
        ("-1", "1", "x is rows of numbers: its last dimension is dimension 1"),
    ],
    "damped_step": [
        ("x", "slope", "the slope has the length and the dtype of x"),
    ],
    "safe_sqrt": [
        ("1.0", "2.0", "any number does whose root has a slope"),
    ],
    "safe_norm": [
        ("1.0", "2.0", "any number does whose root has a slope"),
        ("-1", "1", "x is a matrix: its last dimension is dimension 1"),
    ],
    "start": [
        ("self", "one", "after the loop that is the last of the order, which is self"),
    ],
    "mended_loss": [
        ("-1", "1", "scores is a matrix: its last dimension is dimension 1"),
        ("labels", "scores", "there is a label for each row of scores"),
    ],
    "is_right": [
        (
            "map(are_near, walked(engine), expected_arrays())",
            "map(are_near, expected_arrays(), walked(engine))",
            "two arrays are near each other in either order",
        ),
    ],
    "attended": [
        ("query", "key", "a key has as many features as a query"),
    ],
    "drawn": [
        (
            "(scores / temperature).softmax(-1).tolist()",
            "(scores / temperature).softmax(-1)",
            "a tensor of one number is compared as the number is",
        ),
    ],
    "masked_step": [
        ("w.detach()", "w", "a copy that has a graph holds the same numbers"),
    ],
    "train_step": [
        ("optimizer", "model", "a model clears the gradients of its parameters, too"),
    ],
    "diagnose": [
        (
            "zip(gradient, run['arrived'], strict=True)",
            "zip(run['arrived'], gradient, strict=True)",
            "a distance is the same in either order",
        ),
        ("True", "False", "the lists are of the same length"),
        ("1", "2", "a gradient is 0 for longer than a step, and a run that is fine is so for longer than an epoch"),
        ("run['held_out'][-1] < 0.3", "run['held_out'][-1] <= 0.3", "no share is exactly 0.3"),
        ("-1", "1", "two epochs are enough to tell"),
    ],
}


def names_in(code: CodeType) -> Iterator[str]:
    """The global names that a function reads: not those of attributes, which may be called the same."""
    yield from (one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_in(inner)


def own_functions(reference: Callable[..., Any]) -> list[FunctionType]:
    """The reference, and the functions of its file that it uses."""
    found: list[Any] = [inspect.unwrap(reference)]
    for function in found:
        used = (function.__globals__.get(name) for name in names_in(function.__code__))
        own = [one for one in used if isinstance(one, FunctionType) and one.__module__ == reference.__module__]
        found += [one for one in own if one not in found]
    return found


def breaks_of(exercise: Exercise) -> Iterator[tuple[Mutant, str]]:
    """Each break, and the text of these functions with it: to compile the whole file each time takes long."""
    file = Path(inspect.getsourcefile(exercise.reference))
    whole = file.read_text().splitlines(keepends=True)
    functions = [
        range(first - 1, first - 1 + len(lines))
        for lines, first in map(inspect.getsourcelines, own_functions(exercise.reference))
    ]
    for function in functions:
        others = [line for one in functions if one != function for line in whole[one.start : one.stop]]
        for mutant in mutants_of(f"{file}:{function.start + 2}-{function.stop}"):
            broken = mutant.source.decode().splitlines(keepends=True)
            end = function.stop + len(broken) - len(whole)
            yield mutant, "".join([*others, *broken[function.start : end]])


def answer_of(exercise: Exercise, text: str) -> Callable[..., Any]:
    """The reference with a break in it."""
    namespace = dict(vars(sys.modules[exercise.reference.__module__]))
    exec(text, namespace)
    return namespace[exercise.name]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_a_broken_reference_is_noticed(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    # Whether it is refused is asked, and not with which words.
    monkeypatch.setattr(Exercise, "_unknown_words", lambda *known: "")
    patient = replace(exercise, seconds=PATIENT_SECONDS, mistakes=(), evidence=None, picture=None)
    quick = replace(patient, seconds=SECONDS)
    breaks = list(breaks_of(exercise))
    assert breaks
    right = {(old, new) for old, new, _ in RIGHT.get(exercise.name, [])}

    def passes(one: Mutant, text: str) -> bool:
        answer, tries = answer_of(exercise, text), [quick, patient] if (one.old, one.new) in right else [quick]
        return any(check.check(answer, seed=1).kind == "good" for check in tries)

    passed = {(one.old, one.new) for one, text in breaks if passes(one, text)}
    told = "(what stands there, what passes instead): another case tells them apart, or RIGHT has it, with why"
    assert passed == right, f"{exercise.name}: {told}"

"""A prediction is asked before the page gives the answer, and what it asks about is then run in front of the reader."""

import collections
import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest

from minigrad.teach import PREDICTIONS
from minigrad.teach.prediction import LETTERS

FOLDER = Path(__file__).parents[2] / "notebooks"


class Answer(NamedTuple):
    """Of one prediction: what gives the answer away, and the output in which the reader then sees it."""

    given_away: str  # found nowhere above the question, in what the chapter says and shows
    shown: str  # found in an output below it


ANSWERS = {
    "scaled_weights": Answer(r"nameless|without a name|t0 +leaf", r"t0 +leaf .*\[-0\.52, -1\.04, 0\.52\]"),
    "is_it_a_leaf": Answer(r"nothing is recorded|at least one (of its inputs|input) does", r"\nb +False +True +None\n"),
    "when_to_retain": Answer(r"before\*? the walk|ask first", r"^products\.grad is None\n$"),
    "where_is_the_if": Answer(r"no `while` in|branch that was taken", r"MulBackward0 +x \* -1"),
    "what_item_keeps": Answer(r"Python number|a number, which", r"its type is float\nw\.grad is tensor\(40"),
    "who_is_next": Answer(r"\bwaits?\b(?! for\.)|topological", r"BackwardStepper of e"),
    "with_weights": Answer(r"2\.?, 0\.?, 3", r"with weights: +tensor\(\[2\., 0\., 3\.\]\)"),
    "second_time": Answer(
        r"graph a second time|were freed|error about|goes wrong: a second",
        r"RuntimeError: Trying to backward .* a second time",
    ),
    "adds_up": Answer(
        r"\.grad`? adds|larger than|adds what it gets|two walks", r"is tensor\(36\.\)\na\.grad is tensor\(72\.\)"
    ),
    "one_leaf_three_uses": Answer(r"three (arrows|gradients)|state₃", r"boxes in the graph of state: 8"),
    "what_grad_writes": Answer(r"no trace|nothing was written", r"grad of h, w and v: None None None"),
    "how_often_called": Answer(
        r"the hook sees|added up$|once per walk", r"^the hook sees tensor\(\[-28\., +42\.\]\)\n$"
    ),
    "what_lies_behind": Answer(
        r"has yet to pass", r"w\.grad is tensor\(\[0\., 0\.\]\) and v\.grad is tensor\(\[30\., 20\.\]\)"
    ),
    "where_it_is_clipped": Answer(
        r"not to an arrow|clone\(", r"with the hook on h, h gets tensor\(\[-2\.7735, +4\.1603"
    ),
    "why_plus_six": Answer(r"w2 itself|not a copy|_saved_", r"the node has saved w2 itself: +True"),
    "clamp_under_no_grad": Answer(r"modified by an inplace", r"(?s)modified by an inplace.*\n    w2\.clamp_\(-1, 1\)"),
    "which_write_fails": Answer(r"exp is its own|- y", r"h\.exp\(\) +- y +fails\n"),
    "masked_reading": Answer(r"CopySlices|\[0, 1, 1\]", r"BackwardStepper of total"),
    "inside_forward": Answer(
        r"switched off|is recorded there", r"inside: x\.requires_grad is True and y\.requires_grad is False"
    ),
    "as_is": Answer(r"more slowly|the opposite|scale", r"BackwardStepper of loss"),
    "whose_node": Answer(r"its own node|the node that runs", r"in backward: .* and it is the node that runs: True"),
    "unmarked_write": Answer(r"doubling", r"Double: h is \[6\.0, 12\.0\] .* w\.grad is tensor\(\[3\., 3\.\]\)"),
    "what_would_notice": Answer(r"nothing was raised|finite|measured", r"First difference at \[0, 0\]"),
    "a_smaller_step": Answer(r"truncation|rounding", r"0\.1: False\n.*0\.01: True\n.*0\.001: True\n.*0\.0001: False"),
    "at_the_kink": Answer(r"by chance|no right answer", r"relu: a kink(?s:.*)\nabs: True\n"),
    "largest_part": Answer(r"LimitBackward|nobody had timed", r"the largest total: .*: LimitBackward\n"),
    "sum_of_totals": Answer(r"more than once|counted again|twice", r"totals add up to more than twice of it: True"),
    "thousand_times_more": Answer(
        r"price of a call|overhead|curve is flat", r"4,000 numbers take less than 10 times as long as 4: True"
    ),
    "first_three": Answer(
        r"convolution_weight|gradient of its",
        r"aten::convolution +20 calls\n.*_weight +20 calls\n.*transposed.* 19 calls\n",
    ),
    "two_profiles": Answer(r"already enabled|one at a time", r"RuntimeError: Profiler is already enabled"),
    "cost_of_looking": Answer(r"look more expensive|exaggerate", r"with a profiler more than half as long again: True"),
    "right_once": Answer(r"for a constant|not even near", r"analytical:tensor\(\[\[ 0\.0644"),
    "why_upwards": Answer(r"parabola|negative", r"\n +0\.5 +-0\.479 +-0\.878 +-0\.046 +1\.000\n"),
    "how_many_walks": Answer(r"walks: \d|brings one row|asks for `across`", r"\]\]\)\nwalks: 2\n"),
    "walked_together": Answer(r"stack of|nodes have run", r"one_by_one 14 nodes .*\ntogether +7 nodes"),
    "linear_twice": Answer(
        r"no graph leads|nothing to walk through|in which it is constant", r"\n3 \* x +3\.0 +False +error: no graph"
    ),
    "who_keeps_it": Answer(
        r"holds its gradient|in a ring", r"warns: (?s:.*)still there: True\nwith_grad(?s:.*)still there: False"
    ),
    "where_from": Answer(r"0 / 0|stop sign|rule is g", r"BackwardStepper of loss"),
    "not_a_nan": Answer(r"1 / 0", r"1 / 0 +inf\n"),
    "which_cure": Answer(
        r"harmless|before\*{0,2} the root", r"fill, root, fill +loss 2\.0 +x\.grad \[0\.25, 0\.0, 0\.0\]"
    ),
    "who_is_named": Answer(r"MulBackward0", r"Function 'MulBackward0' returned nan values"),
    "log_of_minus_one": Answer(
        r"forward pass is not searched|isfinite\(\)` on the loss", r"loss nan, x\.grad -1\.0, no error"
    ),
    "one_bad_gradient": Answer(r"common norm|lost network|error_if_nonfinite", r"w\.grad tensor\(\[nan, nan\]\)"),
    "which_switch": Answer(
        r"running.mean|\.eval\(\) before|train mode",
        r"(?s)requires_grad_\(False\) +tensor\(\[0\.2000, 0\.6000\]\).*\neval\(\) +tensor\(\[0\., 0\.\]\) +True",
    ),
    "while_it_waits": Answer(r"half way|knows generators", r"^in the loop, recording is False and"),
    "what_eval_saves": Answer(
        r"56 %|164,352|numbers it (has )?dropped", r"eval\(\), enable_grad\(\) +164,352 bytes, +56 %"
    ),
    "three_steps_later": Answer(
        r"\.item\(\)` gives|leads to the last loss", r"total₃ +AddBackward0 +total \+ loss +total₂, loss₃"
    ),
    "what_passes": Answer(
        r"pass \*?through|stops at the parameters", r"\nrequires_grad_\(False\) +True +False +True +"
    ),
    "features_in_training": Answer(r"saves nothing|cannot be saved", r"inference_mode\(\) +True +RuntimeError +4\.0"),
    "how_many_are_right": Answer(r"one of six|five of them have", r"engine 4 +other numbers in 0 of 4 programs\n"),
    "after_equals": Answer(r"last one stays|wipes", r"engine_a +h\.grad \[\[-16\.0, 32\.0\]"),
    "found_order": Answer(
        r"ways of different length|found early", r"h \+ h\.exp\(\)\.exp\(\) +right 9\.5739 +engine_b 1\.0\n"
    ),
    "what_has_k": Answer(r"add\.at|written twice", r"here: +gradient\[places\] \+= g\n"),
    "without_zero_grad": Answer(r"swing|never cleared", r"never cleared, at most: 10\.1 "),
    "detached_fake": Answer(r"does not occur|`?\.grad`? is None", r"generator: \[None, None\]"),
    "flat_gradient": Answer(r"not used|of a constant|sum to 1 whatever", r"^None: 0\nthe largest of all: \de-0[789]\n"),
    "adam_on_the_flat": Answer(
        r"divides each|usual size|prove nothing",
        r"SGD +has moved a weight by up to \de-(09|1\d)\nAdam has moved a weight by up to 0\.0\d\n",
    ),
    "six_sigmoids": Answer(r"vanish|at most 1/4", r"^Sigmoid last layer's gradient: +\d\d,\d\d\d times the first's\n"),
    "wrong_loop": Answer(
        r"cosine has|up again", r"per batch: rate at steps 0, 8, 16, 24: \[0\.1, 0\.0, 0\.1, 0\.0\]\n"
    ),
    "which_is_shuffled": Answer(r"stays at log 10|nothing explodes", r"\nb  labels shuffled +- "),
    "kept_best": Answer(
        r"deepcopy|same memory|train on\b",
        r"of 60: +(1\.2\d+)\n.*state_dict\(\) gave then: +1\.9\d+\n.*deep copy of it: +\1\n",
    ),
    "what_the_sketch_says": Answer(
        r"x\.grad: sketch|18 for 48|hide each other", r"x\.grad: sketch 18\.0, minigrad 48\.0"
    ),
    "adds_but_early": Answer(r"is 30|never sent|topological", r"x\.grad is 30\.0\n"),
    "second_walk": Answer(r"walk 2|added up as well|sent before, once more", r"walk 2: x\.grad is 210\.0"),
    "written_in_between": Answer(
        r"count the writes|minigrad refuses|version", r"ours: \[ 6\. -1\.\]\nminigrad: one of the variables"
    ),
    "hidden_in_a_list": Answer(
        r"[Nn]obody takes|moved by|plain list|ModuleList",
        r"\nhidden\.bias +gradient up to +0\.\d+ +moved by up to 0\.000",
    ),
    "steady_gradient": Answer(r"0\.998|ten times|0\.271", r"step +3 is 0\.271 long\n.*\nstep 60 is 0\.998 long\n"),
    "uncorrected_adam": Answer(r"3\.16|three times|too long", r"without +steps 1, 6 and 200 are 3\.16, 6\.06"),
    "sum_of_normalized": Answer(r"sum to 0|plain sum compares", r"x\.grad, up to rounding: \[0\. 0\. 0\.\]\n"),
    "block_of_zeros": Answer(
        r"four times its|the first of several|one winner",
        r"minigrad \[1\.0, 0\.0, 0\.0, 0\.0\] +ours \[1\.0, 1\.0, 1\.0, 1\.0\]",
    ),
    "too_good": Answer(
        r"place 3|looks ahead|next place|causal", r"place 2 sees the places \[0, 1, 2, 3, 4, 5, 6, 7, 8, 9\]\n"
    ),
    "loss_before": Answer(
        r"log(arithm)? (of )?\(?27|3\.296|equal chances", r"equal chances 3\.296, a new model 3\.3\n"
    ),
    "counted_table": Answer(
        r"less its share|it is 0: counting", r"counted: loss 2\.282, the largest gradient \de-(09|1\d)\n"
    ),
    "rows_of_nothing": Answer(r"0 · nan|nan all the same", r"^loss 3\.4226\nx\.grad \[\[nan, nan\], \[nan, nan\]"),
    "eight_alone": Answer(
        r"hardly anything|residual|hands each gradient", r"alone +first loss 3\.3, .* gradient \d\d,\d\d\d\.\d times"
    ),
    "half_the_temperature": Answer(r"squared|likelier", r"temperature 0\.5: 0\.783 and 0\.196, as 4\.0 to 1\n"),
}


@functools.cache
def cells_of(chapter: str) -> list[Any]:
    return list(nbformat.read(FOLDER / f"{chapter}.ipynb", as_version=4).cells)


def shown_by(cell: Any) -> list[str]:
    """What a cell printed and, as text, what it drew."""
    outputs = cell.get("outputs", [])
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]


def test_no_prediction_is_left_out() -> None:
    assert ANSWERS.keys() == {name for name, asked in PREDICTIONS.items() if asked.chapter != "00_start_here"}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_stands_below_the_question(name: str) -> None:
    cells = cells_of(PREDICTIONS[name].chapter)
    (place,) = [number for number, cell in enumerate(cells) if cell.source == f"predict.{name}()"]
    above = "\n".join(text for cell in cells[:place] for text in [cell.source, *shown_by(cell)])
    above = re.sub(r"<details>.*?</details>", "", above, flags=re.DOTALL)
    assert not re.search(ANSWERS[name].given_away, above, re.IGNORECASE)
    below = [text for cell in cells[place + 1 :] for text in shown_by(cell)]
    assert any(re.search(ANSWERS[name].shown, text) for text in below)


@pytest.mark.parametrize("chapters", [r"0[1234]", "05", "06", "07", "08", "09", "10", "12", "13", "15", "16"])
def test_no_letter_is_mostly_the_right_one(chapters: str) -> None:
    asked = [prediction for prediction in PREDICTIONS.values() if re.match(chapters, prediction.chapter)]
    right = collections.Counter(
        LETTERS[[option.right for option in prediction.options].index(True)] for prediction in asked
    )
    assert asked
    assert max(right.values()) <= (len(asked) + 2) / 3, right

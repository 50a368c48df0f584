"""Exercise `diagnose`: what is wrong with a training, told from what it wrote down."""

import math

import numpy as np

from minigrad.teach import Case, Difference, Exercise, Mistake, edited, raised, show

from .chapter12_runs import DEAD, EPOCHS, EVAL, FINE, LABELS, RATE, STEPS, ZERO_GRAD, record


def diagnose(run):
    """What is wrong with a run, in one of six words."""
    loss, gradient, running = run["loss"], run["gradient"], run["running"]
    if any(abs(kept - arrived) > 0 for kept, arrived in zip(gradient, run["arrived"], strict=True)):
        return ZERO_GRAD
    if not all(one <= 2 * loss[0] for one in loss):
        return RATE
    if gradient[-1] == 0:
        return DEAD
    if running and running[-1] == running[-2]:
        return EVAL
    return LABELS if run["held_out"][-1] < 0.3 else FINE


WORDS = (FINE, RATE, ZERO_GRAD, EVAL, LABELS, DEAD)


def _case(fault, seed, norm=True, later=False, epochs=EPOCHS, seen=""):
    def make():
        return ({key: [*noted] for key, noted in _cut(record(fault, seed, norm, later), epochs).items()},)

    return Case(f"{epochs} epochs {'with' if norm else 'without'} BatchNorm{seen}", make)


def _cut(noted, epochs):
    return {key: one[: epochs if key in ("right", "held_out") else epochs * STEPS] for key, one in noted.items()}


FIXED = (  # (fault, seed, norm, later, epochs, what is seen of the loss)
    (FINE, 0, True, False, 3, ", a loss that comes down"),
    (ZERO_GRAD, 1, True, False, 3, ", a loss that comes down fast"),
    (ZERO_GRAD, 0, True, False, 3, ", a loss that goes up"),
    (RATE, 0, False, False, 2, ", a loss that goes up"),
    (RATE, 1, True, False, 3, ", a loss that ends in nan"),
    (RATE, 3, True, False, 3, ", a loss that goes up and comes back"),
    (DEAD, 1, True, False, 3, ", a loss that stays"),
    (DEAD, 0, False, True, 2, ", a loss that comes down and goes back"),
    (EVAL, 0, True, False, 3, ", a loss that comes down"),
    (EVAL, 1, True, True, 2, ", a loss that comes down"),
    (LABELS, 1, False, False, 3, ", a loss that stays"),
    (LABELS, 1, True, False, 3, ", a loss that stays"),
    (LABELS, 2, True, False, 3, ", a loss that comes down"),
    (FINE, 1, True, False, 3, ", a loss that comes down slowly"),
    (FINE, 2, True, False, 3, ", a loss that is high at first and comes down"),
    (FINE, 3, False, False, 2, ", a loss that goes up a little and comes down"),
    (RATE, 4, False, False, 2, ", a loss that is nan from its second on"),
)


def _of_four_steps(seen, **noted):
    """A run that is written down here, fine but for what is given."""
    run = {
        "loss": [2.3, 1.0, 0.5, 0.4],
        "gradient": [1.0, 0.8, 0.5, 0.4],
        "running": [0.1, 0.2, 0.3, 0.4],
        "right": [0.5, 0.8],
        "held_out": [0.5, 0.8],
    } | noted
    run = {"loss": run["loss"], "gradient": run["gradient"], "arrived": run["gradient"]} | run
    return Case(f"4 steps in 2 epochs, {seen}", lambda: ({key: [*one] for key, one in run.items()},))


SHORT = (
    _of_four_steps(
        "in which no gradient is twice what has arrived", gradient=[1.0, 1.5, 0.8, 0.7], arrived=[1.0, 0.8, 0.5, 0.4]
    ),
    _of_four_steps(
        "in which all gradients are small",
        gradient=[0.001, 0.0015, 0.0009, 0.0007],
        arrived=[0.001, 0.0008, 0.0005, 0.0004],
    ),
    _of_four_steps(
        "in which gradients that were added to cancel at last",
        gradient=[1.0, 1.5, 0.9, 0.3],
        arrived=[1.0, 0.8, 0.5, 0.4],
    ),
    _of_four_steps(
        "which end with 12 % of the held-out images", loss=[2.3, 2.3, 2.2, 1.9], right=[0.2, 0.4], held_out=[0.09, 0.12]
    ),
    _of_four_steps("after which the gradient is small", gradient=[1.0, 0.1, 0.01, 0.0001]),
    _of_four_steps("in which the running mean has nearly come to rest", running=[0.5, 0.51, 0.5105, 0.5106]),
    _of_four_steps("in which the running mean comes back to where it was", running=[0.3, 0.2, 0.1, 0.2]),
    _of_four_steps("in which the running mean ends where it began", running=[0.3, 0.2, 0.1, 0.3]),
    _of_four_steps(
        "in which gradients that were added to are shorter from the second step on",
        gradient=[1.0, 0.3, 0.2, 0.3],
        arrived=[1.0, 0.8, 0.5, 0.4],
    ),
    _of_four_steps("of which the first has taught it nothing", held_out=[0.1, 0.8]),
    _of_four_steps("in which a loss is nearly twice the first", loss=[4.0, 7.0, 1.0, 0.5]),
    _of_four_steps("in which a loss is twice the first", loss=[2.0, 4.0, 1.0, 0.5]),
    _of_four_steps("which end at log 10", loss=[2.4, 2.31, 2.3, 2.3026], right=[0.1, 0.1], held_out=[0.1, 0.1]),
    _of_four_steps("after which the gradient is tiny", gradient=[1.0, 1e-5, 1e-10, 1e-15]),
)


def _drawn(random):
    """A run of any kind, which ends sooner or later."""
    for one in FIXED:
        record(*one[:4])  # here, where they are remembered: a check has a process of its own
    fault = str(random.choice(WORDS))
    seed, epochs = int(random.choice([0, 1, 2, 3] if fault == RATE else [0, 1, 3])), int(random.integers(2, EPOCHS + 1))
    norm, later = fault == EVAL or bool(random.integers(2)), fault in (EVAL, DEAD) and bool(random.integers(2))
    record(fault, seed, norm, later)
    yield _case(fault, seed, norm, later, epochs)


def _compare(expected, got, outcome):
    if got == expected:
        return None
    note = "" if got in WORDS else f"One of these words is asked for: {', '.join(map(repr, WORDS))}."
    return Difference("the answer", show(got), show(expected), note)


def _evidence(outcome):
    """The beginning and the end of what was noted."""
    (run,) = outcome.case.make()
    lines = []
    for key, noted in run.items():
        shown = [f"{number:.4g}" for number in noted]
        listed = shown if len(shown) < 8 else [*shown[:4], "…", *shown[-3:]]
        lines.append(f"  {key:8} [{', '.join(listed)}]")
    return "\n".join(lines)


def _missed(right, said=None, test=lambda run: True):
    """For `when`: another word was right, and the test holds for the run; `said`: and it was this one that came."""

    def asked(outcome):
        run, word = outcome.arguments[0], outcome.value
        return word in WORDS and word == (said or word) and diagnose(run) == right and test(run)

    return asked


def _said(word, test):
    """For `when`: the answer was this word, and another one is right."""
    return lambda outcome: outcome.value == word and test(outcome.arguments[0])


# ---------------------------------------------------------------- wrong answers


def _differs(run):
    return any(abs(kept - arrived) > 0 for kept, arrived in zip(run["gradient"], run["arrived"], strict=True))


def _grows(run):
    return not all(one <= 2 * run["loss"][0] for one in run["loss"])


def _comes_down(run):
    first, *_, last = run["loss"]
    return all(one <= first for one in run["loss"]) and last < 0.9 * first


def _stands(run):
    return bool(run["running"]) and run["running"][-1] == run["running"][-2]


def _in_order(*order, **tests):
    """A wrong answer: the first question that says yes gives the word. Each question may be another one."""
    right = {
        "zero": _differs,
        "rate": _grows,
        "dead": lambda run: run["gradient"][-1] == 0,
        "eval": _stands,
        "labels": lambda run: run["held_out"][-1] < 0.3,
    } | tests
    words = {"zero": ZERO_GRAD, "rate": RATE, "dead": DEAD, "eval": EVAL, "labels": LABELS}
    return lambda run: next((words[key] for key in order or right if right[key](run)), FINE)


def nan_is_not_above(run):
    """This run ends in nan, which is above nothing: `nan > 2 * loss[0]` is False, as any comparison with nan but != is.
    Ask whether a loss is at or below, and turn the answer around.
    """
    return _in_order(rate=lambda run: any(one > 2 * run["loss"][0] for one in run["loss"][-1:]))(run)


def only_the_last_loss(run):
    """At its end this loss is not above twice the first, but on the way it was. A rate that is too high throws the
    weights far away, and what is left there may guess as well as at first. Ask of every loss whether it is above twice
    the first.
    """
    return _in_order(rate=lambda run: not run["loss"][-1] <= 2 * run["loss"][0])(run)


def nan_differs(run):
    """nan is not equal to nan: in a run that ended in nan, "gradient" and "arrived" are unlike where both are nan. Look
    at the first steps, or ask whether the distance is above 0.
    """
    return _in_order(zero=lambda run: run["gradient"] != run["arrived"])(run)


def always_normed(run):
    """A list has no such item in this run: without BatchNorm `running` is empty, and not all runs are as long. Ask
    first whether there is anything in it.
    """
    return _in_order(eval=lambda run: run["running"][-1] == run["running"][-2])(run)


def never_moved(run):
    """In this run `running` moves at first, and stands still at last: somebody has called eval(), to test. Compare its
    last two.
    """
    return _in_order(eval=lambda run: bool(run["running"]) and len(set(run["running"])) == 1)(run)


def dead_from_the_start(run):
    """These ReLUs have died on the way. Look at the gradients of the end."""
    return _in_order(dead=lambda run: not any(run["gradient"]))(run)


def small_is_dead(run):
    """A gradient may be small in a run that is fine. What comes through a dead ReLU is 0 exactly."""
    return _in_order(dead=lambda run: run["gradient"][-1] < 0.6)(run)


def gap_between_the_two(run):
    """Of the held-out images no more are right than by guessing, which is one in ten. The loss and "right" are no sign:
    a network may know wrong labels by heart, and often needs long for it.
    """
    return _in_order(labels=lambda run: run["right"][-1] - run["held_out"][-1] > 0.2)(run)


def never_asked_for_eval(run):
    """In this run `running` is the same in all steps: BatchNorm was in eval mode and learned nothing of the batches."""
    return _in_order("zero", "rate", "dead", "labels")(run)


def never_asked_for_dead(run):
    """In this run the gradient is 0 exactly, in all steps: nothing comes through the ReLUs."""
    return _in_order("zero", "rate", "eval", "labels")(run)


def all_is_fine(run):
    """Whatever was noted, this says the same."""
    return FINE


def first_step_only(run):
    """From the second step on "gradient" is not what has arrived: what was there before was added to. In the first step
    there is nothing yet that could be added to.
    """
    return _in_order(zero=lambda run: run["gradient"][0] != run["arrived"][0])(run)


def all_the_same(run):
    """Without BatchNorm `running` is empty, and tells nothing of eval mode: of nothing everything is true. Ask first
    whether there is anything in it.
    """
    return _in_order(eval=lambda run: run["running"][-2:-1] == run["running"][-1:])(run)


def held_out_of_the_first_epoch(run):
    """More than half of the held-out images are right in the end, which nobody learns from shuffled labels. Ask whether
    the last number of `held_out` is near one in ten: after the first epoch any may be.
    """
    return _in_order(labels=lambda run: run["held_out"][0] < 0.45)(run)


def last_step_only(run):
    """In the last step of this run "gradient" is even less than what has arrived: what is added up may cancel. Look at
    all steps, and ask whether the two differ, by however little, and to which side.
    """
    return _in_order(zero=lambda run: run["gradient"][-1] > 1.01 * run["arrived"][-1])(run)


def twice_what_arrived(run):
    """In no step of this run "gradient" is twice what has arrived, but from the second on it is another number: without
    zero_grad it may be a little more, or less. Ask whether the two differ.
    """
    return _in_order(zero=lambda run: any(g > 2 * a for g, a in zip(run["gradient"], run["arrived"], strict=True)))(run)


def at_chance_or_below(run):
    """This run ends a little above one in ten, as guessing does half of the time: "near or below". A run that is fine
    comes above 0.5: put the limit between the two.
    """
    return _in_order(labels=lambda run: run["held_out"][-1] <= 0.1)(run)


def _nowhere_twice(run):
    return all(kept <= 2 * arrived for kept, arrived in zip(run["gradient"], run["arrived"], strict=True))


# ---------------------------------------------------------------- tried as well


def diagnosis(run, zero=None, rate=None, dead=None, still=None, labels=None):
    """The reference, question by question; each may be another one."""
    if (zero or (lambda run: run["gradient"][1] != run["arrived"][1]))(run) and not math.isnan(run["gradient"][1]):
        return "no zero_grad"
    if (rate or (lambda run: max(run["loss"]) > 2 * run["loss"][0] or math.isnan(run["loss"][-1])))(run):
        return "rate too high"
    if (dead or (lambda run: 0 in run["gradient"]))(run):
        return "dead relu"
    if (still or (lambda run: len(run["running"]) > 1 and np.diff(run["running"])[-1] == 0))(run):
        return "left in eval"
    return "labels shuffled" if (labels or (lambda run: max(run["held_out"]) < 0.25))(run) else "fine"


def diagnosed_by_numpy(run):
    return diagnosis(
        run,
        zero=lambda run: not np.allclose(run["gradient"], run["arrived"], equal_nan=True),
        rate=lambda run: not np.max(run["loss"]) <= 2 * run["loss"][0],
        dead=lambda run: not np.any(run["gradient"][-3:]),
        still=lambda run: bool(run["running"]) and np.ptp(run["running"][-4:]) == 0,
        labels=lambda run: np.mean(run["held_out"]) < 0.2,
    )


def diagnosed_from_the_curves(run):
    return diagnosis(
        run,
        zero=lambda run: any(g < a or g > a for g, a in zip(run["gradient"], run["arrived"], strict=True)),
        labels=lambda run: run["held_out"][-1] < 0.4,
    )


def diagnosed_by_sums(run):
    return diagnosis(run, zero=lambda run: sum(run["gradient"]) > 1.0001 * sum(run["arrived"]))


def diagnosed_by_the_last_loss(run):
    return diagnosis(run, labels=lambda run: run["loss"][-1] > 2)


def diagnosed_eval_first(run):
    """In another order: nothing but eval mode leaves `running` where it is."""
    if run["running"] and run["running"][-1] == run["running"][-2]:
        return "left in eval"
    return diagnosis(run)


def diagnosed_by_the_largest(run):
    """max() passes over nan, unless it comes first."""
    return diagnosis(run, rate=lambda run: max(run["loss"]) > 2 * run["loss"][0])


def diagnosed_nearly_still(run):
    return diagnosis(run, still=lambda run: bool(run["running"]) and abs(run["running"][-1] - run["running"][-2]) < 0.1)


def diagnosed_by_the_loss_of_chance(run):
    """Shuffled labels, as dead ReLUs, leave the loss where guessing has it; here the labels come first."""
    if run["loss"][-1] > 0.8 * math.log(10):
        return "labels shuffled"
    return diagnosis(run)


def diagnosed_and_emptied(run):
    found = diagnosis(run)
    run["loss"].clear()
    return found


def diagnosed_still_from_the_start(run):
    return diagnosis(run, still=lambda run: bool(run["running"]) and run["running"][-1] == run["running"][0])


EXERCISE = Exercise(
    title="one of six words for what is wrong with a run",
    stars=2,
    minutes=12,
    reference=diagnose,
    cases=(*(_case(*one) for one in FIXED), *SHORT),
    drawn=_drawn,
    hints=(
        "Three of the faults leave a trace that is exact: which lists are equal in a run that is fine, which number is "
        "never 0, and which never stands still?",
        'Without zero_grad "gradient" is not "arrived". Ask that first, then for the rate, since both can make the '
        "loss grow; dead ReLUs may come of the rate; and few held-out images are right in many runs: ask for labels "
        "last. Mind nan, and a list that is empty.",
        "any(abs(g - a) > 0 for g, a in zip(gradient, arrived)); not all(one <= 2 * loss[0] for one in loss); "
        "gradient[-1] == 0; running and running[-1] == running[-2]; held_out[-1] < 0.3. In this order.",
    ),
    compare=_compare,
    evidence=_evidence,
    mistakes=(
        all_is_fine,
        Mistake(nan_differs, when=_missed(RATE, ZERO_GRAD, lambda run: any(map(math.isnan, run["gradient"])))),
        Mistake(nan_is_not_above, when=_missed(RATE, test=lambda run: run["loss"][-1] != run["loss"][-1])),
        Mistake(only_the_last_loss, when=_missed(RATE, test=lambda run: run["loss"][-1] <= 2 * run["loss"][0])),
        Mistake(
            edited(never_asked_for_eval, 'rate", "dead', 'dead", "rate", "eval'),
            words="The ReLUs are dead, but of what? A step that was far too long has killed them: before, a loss is "
            "above twice the first, or nan. Ask for that first.",
            when=_missed(RATE, DEAD, lambda run: run["gradient"][-1] == 0),
        ),
        Mistake(
            edited(never_asked_for_eval, 'zero", "rate", "dead', 'rate", "zero", "dead", "eval'),
            words="Without zero_grad a loss may grow, too, since the steps get longer and longer. Ask first whether "
            '"gradient" is what has arrived.',
            when=_missed(ZERO_GRAD, RATE),
        ),
        Mistake(
            lambda run: _in_order(rate=lambda run: not max(run["loss"]) <= 2 * min(run["loss"]))(run),
            words="This loss comes down, and is nowhere above the first. A rate is too high where one is above twice "
            "the first: not twice the smallest, nor that of guessing.",
            when=_said(RATE, _comes_down),
        ),
        Mistake(
            lambda run: _in_order(rate=lambda run: not all(one < 2 * run["loss"][0] for one in run["loss"]))(run),
            words="The largest loss of this run is twice the first exactly, and not above it: compare with <=.",
            when=_said(RATE, lambda run: max(run["loss"]) == 2 * run["loss"][0]),
        ),
        Mistake(
            edited(only_the_last_loss, 'run["loss"][-1] <= 2', 'run["loss"][-1] < 0.95'),
            lambda run: _in_order(rate=lambda run: not max(run["loss"]) <= run["loss"][0])(run),
            words="A loss that has not fallen, or is a little higher than at first, is no sign of the rate: with dead "
            "ReLUs or with shuffled labels it stays about where it was. Asked for is twice the first loss.",
            when=_said(RATE, lambda run: not _comes_down(run)),
        ),
        Mistake(last_step_only, when=_missed(ZERO_GRAD, test=lambda run: run["gradient"][-1] < run["arrived"][-1])),
        Mistake(twice_what_arrived, when=_missed(ZERO_GRAD, test=_nowhere_twice)),
        Mistake(first_step_only, when=_missed(ZERO_GRAD)),
        Mistake(always_normed, when=raised("index out of range", kind=IndexError)),
        Mistake(all_the_same, when=_said(EVAL, lambda run: not run["running"])),
        Mistake(
            edited(never_moved, " == 1", ' < len(run["running"])'),
            words="`running` has come back to a number that it had before, and was moving. In eval mode it does not "
            "move at all: its last two numbers are the same.",
            when=_said(EVAL, lambda run: run["running"][-1] in run["running"][:-2]),
        ),
        Mistake(
            edited(never_moved, 'len(set(run["running"])) == 1', 'abs(run["running"][-1] - run["running"][-2]) < 0.1'),
            words="`running` moves less and less in any run that lasts. In eval mode it does not move at all: its "
            "last two numbers are the same.",
            when=_said(EVAL, lambda run: bool(run["running"])),
        ),
        Mistake(
            never_moved,
            lambda run: _in_order(eval=lambda run: bool(run["running"]) and run["running"][-1] == 0)(run),
            when=_missed(EVAL, test=lambda run: run["running"][-1] > 0),
        ),
        Mistake(never_asked_for_eval, when=_missed(EVAL)),
        Mistake(small_is_dead, when=_said(DEAD, lambda run: run["gradient"][-1] > 0)),
        Mistake(
            dead_from_the_start,
            lambda run: _in_order(dead=lambda run: run["gradient"][0] == 0)(run),
            when=_missed(DEAD, test=lambda run: run["gradient"][0] > 0),
        ),
        Mistake(never_asked_for_dead, when=_missed(DEAD)),
        Mistake(
            edited(nan_differs, '"] != run["arrived"])(', '"][-1] > run["gradient"][0])('),
            lambda run: _in_order(zero=lambda run: run["gradient"][-1] > 2 * run["gradient"][0])(run),
            words='In every step of this run "gradient" is what has arrived: zero_grad was called. That a gradient is '
            "long, or grows, says nothing of it: it does so in other runs, too.",
            when=_said(ZERO_GRAD, lambda run: True),
        ),
        Mistake(
            edited(never_asked_for_eval, 'zero", "rate", "dead", "labels', 'labels", "zero", "rate", "dead", "eval'),
            lambda run: _in_order("zero", "labels", "rate", "dead", "eval")(run),
            words="What shuffled labels do is done by other faults as well: few held-out images are right, and the "
            "loss stays high. Ask for them last, when the others are ruled out.",
            when=_missed(RATE, LABELS),
        ),
        Mistake(at_chance_or_below, when=_missed(LABELS, FINE, test=lambda run: 0.1 < run["held_out"][-1] < 0.13)),
        Mistake(gap_between_the_two, when=_missed(LABELS)),
        Mistake(held_out_of_the_first_epoch, when=_said(LABELS, lambda run: run["held_out"][-1] > 0.5)),
    ),
    right=(diagnosis, diagnosed_by_numpy, diagnosed_from_the_curves, diagnosed_eval_first),
    wrong={
        "One of these words is asked for": [lambda run: diagnosis(run).capitalize(), lambda run: [diagnosis(run)]],
        "dead relu, expected rate too high … The ReLUs are dead, but of what? A step that was far too": [
            lambda run: diagnosis(run, rate=lambda run: math.isnan(run["loss"][-1]))
        ],
        "yours no zero_grad, expected rate too high … zero_grad was called": [
            lambda run: ZERO_GRAD if max(run["loss"]) > 2 * run["loss"][0] else diagnosis(run)
        ],
        "not above twice the first, but on the way it was": [
            lambda run: diagnosis(run, rate=lambda run: not max(run["loss"]) <= 5 * run["loss"][0])
        ],
        "no sign of the rate": [
            edited(diagnose, "2 * loss[0]", "2 + loss[0]"),
            lambda run: diagnosis(run, rate=lambda run: not max(run["loss"]) <= 1.2 * run["loss"][0]),
        ],
        "are shorter from the second step on … ask whether the two differ": [
            diagnosed_by_sums,
            edited(diagnose, "abs(kept - arrived)", "kept - arrived"),
        ],
        "in which all gradients are small … Ask whether the two differ": [edited(diagnose, "> 0 for", "> 0.1 for")],
        "twice the first exactly": [
            lambda run: diagnosis(run, rate=lambda run: not np.max(run["loss"]) < 2 * run["loss"][0])
        ],
        "come back to a number that it had before": [
            edited(diagnose, "running[-2]", "running[-3]"),
            lambda run: diagnosis(run, still=lambda run: len({*run["running"]}) < len(run["running"])),
        ],
        "stands still at last": [diagnosed_still_from_the_start],
        "which end at log 10 … A gradient may be small in a run that is fine": [
            lambda run: diagnosis(run, dead=lambda run: abs(run["loss"][-1] - math.log(10)) < 0.02)
        ],
        "moves less and less": [
            diagnosed_nearly_still,
            lambda run: diagnosis(
                run, still=lambda run: bool(run["running"]) and abs(run["running"][-1] - run["running"][-2]) < 1e-3
            ),
        ],
        "A gradient may be small in a run that is fine": [
            lambda run: diagnosis(run, dead=lambda run: run["gradient"][-1] < 0.1),
            lambda run: diagnosis(run, dead=lambda run: run["gradient"][-1] < 1e-3),
            lambda run: diagnosis(run, dead=lambda run: run["gradient"][-1] < 1e-12),
        ],
        "whether the last number of `held_out` is near": [
            lambda run: diagnosis(run, labels=lambda run: run["held_out"][0] < 0.45)
        ],
        "is not what has arrived": [diagnosed_by_the_loss_of_chance],
        "a network may know wrong labels by heart": [
            diagnosed_by_the_last_loss,
            lambda run: diagnosis(run, labels=lambda run: run["right"][-1] < 0.4),
        ],
        "run['loss'] has other items than before": [diagnosed_and_emptied],
        "which is above nothing": [diagnosed_by_the_largest],
        "yours rate too high, expected fine … nor that of guessing": [
            lambda run: diagnosis(run, rate=lambda run: not all(one <= 2 * math.log(10) for one in run["loss"]))
        ],
        "What comes through a dead ReLU is 0 exactly": [
            lambda run: diagnosis(run, dead=lambda run: abs(run["loss"][-1] - run["loss"][0]) < 0.1)
        ],
        "These ReLUs have died on the way": [
            lambda run: diagnosis(run, dead=lambda run: run["gradient"].count(0) > len(run["gradient"]) / 2)
        ],
    },
)

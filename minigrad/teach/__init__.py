"""The course's side of the page: checks, hints, predictions, and what has been done.

    from minigrad.teach import check, hint, predict, progress

`check.name(function)` tries an answer, `hint("name")` gives one idea more each time, `predict.name()` asks before
the page shows, and `progress()` lists what is done in this chapter. What they ask stands beside the chapters, in
`notebooks/exercises/`: `exercises` finds it there.

A file there is written in these words:

    Exercise, Case, Mistake              a function to be written, what it is tried on, and what goes wrong
    cases                                cases of one kind, whose words have their values in them
    pick, pick_some, flip, draw_numbers  what cases are drawn from
    formula                              a function that is written once, as words and to be run
    function_of                          an autograd.Function with the learner's backward
    edited                               an answer that is another one with a stretch of its source replaced
    Outcome, Difference, compare, show   what an answer did with a case, and how it is not what was expected
    observer, Seen, Noted                what counts beside an answer's value, seen by name
    gradients_of, walked_again, has_graph, right_with_graph      what an observer may look for
    raised, saw, instead, right_but      how a mistake is recognised by one case
    measured, measured_slopes, slopes, STEP      finite differences, as evidence
    draw_wrong_node, draw_nodes, nodes_of, yours, numbers      pictures with the wrong node in red
    Prediction, Option                   a question, and its answers with their reasons
    plain                                any value as short text
"""

from minigrad.teach.by_name import Checks, Hints, Predictions
from minigrad.teach.card import Card, plain
from minigrad.teach.comparing import Difference, Seen, compare, show
from minigrad.teach.draws import draw_numbers, flip, formula, pick, pick_some
from minigrad.teach.edited import edited
from minigrad.teach.evidence import STEP, measured, measured_slopes, slopes
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, cases, function_of, stars
from minigrad.teach.exercises import EXERCISES, PREDICTIONS
from minigrad.teach.observing import (
    Noted,
    gradients_of,
    has_graph,
    instead,
    observer,
    raised,
    right_but,
    right_with_graph,
    saw,
    walked_again,
)
from minigrad.teach.prediction import Option, Prediction
from minigrad.teach.progress import kept as progress_file
from minigrad.teach.wrong_node import draw_nodes, draw_wrong_node, nodes_of, numbers, yours

__all__ = [
    "EXERCISES", "PREDICTIONS", "STEP",
    "Case", "Difference", "Exercise", "Mistake", "Noted", "Option", "Outcome", "Prediction", "Seen",
    "cases", "check", "compare", "draw_nodes", "draw_numbers", "draw_wrong_node", "edited", "flip", "formula",
    "function_of", "gradients_of", "has_graph", "hint", "instead", "measured", "measured_slopes", "nodes_of", "numbers",
    "observer", "pick", "pick_some", "plain", "predict", "progress", "raised", "right_but", "right_with_graph", "saw",
    "show", "slopes", "walked_again", "yours",
]  # fmt: skip

check = Checks(EXERCISES)
hint = Hints(EXERCISES)
predict = Predictions(PREDICTIONS)


def progress(which: str | int = "") -> Card:
    """The exercises and predictions of this chapter, and which of them are done; `progress("all")` has all chapters,
    and `progress("03")`, or `progress(3)`, another one. This chapter is the one whose exercise or prediction was asked
    for last; before any was, all are listed.
    """
    known = progress_file.load()
    words = {"passed": "passed", "tried": "tried, not passed yet"}
    places = EXERCISES.places()
    done = sum(known["exercises"].get(name) == "passed" for name in places)
    lines: dict[str, list[str]] = {}
    answers: dict[str, list[str]] = {}
    for name, (chapter, number) in places.items():
        state = known["exercises"].get(name, "")
        line = f"{'✓' if state == 'passed' else '○'} {name}  {stars(number)}  {words.get(state, 'open')}"
        lines.setdefault(chapter, []).append(line)
    for name, prediction in PREDICTIONS.items():
        answers.setdefault(prediction.chapter, []).append(known["predictions"].get(name, ""))
    for chapter, given in answers.items():
        answered = f"{sum(map(bool, given))} of {len(given)} answered, {given.count('right')} of them right"
        lines.setdefault(chapter, []).append(f"predictions: {answered}")
    begins = progress_file.chapter if which == "" else str(which).rjust(2, "0")
    begins = "" if begins == "all" else begins
    rows = [(chapter, "\n".join(listed)) for chapter, listed in sorted(lines.items()) if chapter.startswith(begins)]
    if not rows:
        return Card("note", f"there is no chapter {plain(which)}", (("chapters", "\n".join(sorted(lines))),))
    if len(rows) < len(lines):
        rows.append(("all", f'progress("all") lists the {len(lines)} chapters.'))
    if progress_file.note:
        rows.append(("note", progress_file.note))
    kind = "good" if done == len(places) else "note"
    return Card(kind, f"{done} of {len(places)} exercises passed", tuple(rows))

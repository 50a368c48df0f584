"""The course's side of the page: checks, hints, predictions, and what has been done.

    from minigrad.teach import check, hint, predict, progress

`check.name(function)` tries an answer, `hint("name")` gives one idea more each time, `predict.name()` asks before
the page shows, and `progress()` lists what is done. Each chapter's exercises are in a module of
`chapters`; `exercise` says how to add one.
"""

from minigrad.teach.card import Card
from minigrad.teach.chapters import EXERCISES, PREDICTIONS
from minigrad.teach.exercise import Checks, Hints, stars
from minigrad.teach.prediction import Predictions
from minigrad.teach.progress import kept as progress_file

__all__ = ["EXERCISES", "PREDICTIONS", "check", "hint", "predict", "progress"]

check = Checks(EXERCISES)
hint = Hints(EXERCISES)
predict = Predictions(PREDICTIONS)


def progress() -> Card:
    """The exercises and predictions of all chapters, and which of them are done."""
    known = progress_file.load()
    rows: list[tuple[str, str]] = []
    done = 0
    for chapter in dict.fromkeys([item.chapter for item in EXERCISES] + [item.chapter for item in PREDICTIONS]):
        lines = []
        for exercise in EXERCISES:
            if exercise.chapter == chapter:
                state = known["exercises"].get(exercise.name, "")
                done += state == "passed"
                word = {"passed": "passed", "tried": "tried, not passed yet"}.get(state, "open")
                lines.append(f"{'✓' if state == 'passed' else '○'} {exercise.name}  {stars(exercise.stars)}  {word}")
        asked = [prediction.name for prediction in PREDICTIONS if prediction.chapter == chapter]
        answers = [known["predictions"].get(name, "") for name in asked]
        lines.append(
            f"predictions: {sum(map(bool, answers))} of {len(asked)} answered, {answers.count('right')} of them right"
        )
        rows.append((chapter, "\n".join(lines)))
    if progress_file.note:
        rows.append(("note", progress_file.note))
    return Card(
        "good" if done == len(EXERCISES) else "note", f"{done} of {len(EXERCISES)} exercises passed", tuple(rows)
    )

"""What the course says: cards, comparisons, hints, predictions, progress."""

from __future__ import annotations

import dataclasses
import datetime
import html
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from teach.answers import Strange, dots, said, wrong

import minigrad as mg
from minigrad import teach
from minigrad.teach import EXERCISES, PREDICTIONS, check, hint, predict, progress
from minigrad.teach.by_name import Hints
from minigrad.teach.card import Card, plain
from minigrad.teach.comparing import compare, show
from minigrad.teach.progress import Progress

forgot_x = wrong("slope_of_w", "forgot_x")


def test_a_card_escapes_what_it_shows() -> None:
    card = Card("bad", "<b>x</b>", (("<i>", "a < b & c\n  <script>code</script>"),))
    html = card._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;code" in html
    assert "✗ <b>x</b>" in repr(card)


def test_the_card_of_a_right_answer_says_what_was_tried_and_is_no_wall_of_text() -> None:
    for name in ("disagreeing", "slope_of_w"):
        exercise = EXERCISES[name]
        checked = said(exercise.check(exercise.reference))["checked"]
        assert checked.startswith(f"{len(exercise.cases)} cases tried, all as expected: {exercise.cases[0].words}; ")
        assert len(checked) <= 500, checked


def test_beneath_the_card_of_a_right_answer_is_the_function_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr("IPython.display.display", shown.append)

    def at_work(answer):
        return answer(1.0, 2.0, 3.0, 4.0)

    def breaks(answer):
        raise ValueError

    exercise = dataclasses.replace(EXERCISES["slope_of_w"], at_work=at_work)
    card = exercise.check(exercise.reference)
    assert shown == []  # it runs where the card is shown, and not where one looks at what it says
    card._ipython_display_()
    assert shown == [dataclasses.replace(card, at_work=None), 4.0]
    for other in (shown[0], exercise.check(forgot_x), check.slope_of_w(forgot_x)):
        with pytest.raises(NotImplementedError):  # nothing is beneath: IPython shows it by itself
            other._ipython_display_()
    for broken in (breaks, lambda answer: sys.exit()):
        shown.clear()
        dataclasses.replace(exercise, at_work=broken).check(exercise.reference)._ipython_display_()
        assert shown == [check.slope_of_w(exercise.reference)]


def test_plain_takes_out_what_differs_or_harms() -> None:
    assert plain(object()) == "<object object>"
    assert "\x1b" not in plain("\x1b[31mred\x1b[0m")
    assert "\u202e" not in plain("a\u202eb")
    assert len(plain("x" * 10_000)) == 400
    assert "whose repr raises ValueError" in plain(Strange())


def test_of_what_holds_very_much_the_size_is_shown() -> None:
    class Counted(float):
        written = 0

        def __repr__(self) -> str:
            Counted.written += 1
            return "0.0"

    assert plain([Counted()] * 100_000) == "a list of 100000 items"
    assert Counted.written == 0
    assert plain([1] * 100).startswith("[1, 1, 1")
    assert show(mg.ones(3_000, 2)) == "a tensor of shape [3000, 2], which begins [1, 1, 1, 1, 1]"
    assert show(mg.ones(2, 3)) == "tensor([[1, 1, 1], [1, 1, 1]])"


def test_values_are_shown_without_their_history() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    assert show(x * 2) == "tensor([2, 4])"
    assert show((1.0, [x])) == "(1, [tensor([1, 2])])"


@pytest.mark.parametrize(
    ("expected", "got", "where"),
    [
        (1.0, 1.00001, None),
        (1.0, float("nan"), "the answer"),
        (1.0, True, "the answer"),
        (mg.tensor([1.0, 2.0]), mg.tensor([1.0, 3.0]), "the answer[1]"),
        (mg.tensor([[1.0], [2.0]]), mg.tensor([[1.0, 2.0]]), "the answer"),
        ((1.0, 2.0), (1.0, 5.0), "item 2 of 2"),
        ((1.0, 2.0), (1.0,), "the answer"),
        ([1.0], [1.0, 2.0], "the answer"),
    ],
)
def test_compare_finds_the_first_difference(expected, got, where: str | None) -> None:
    difference = compare(expected, got)
    assert (difference and difference.where) == where


def test_numbers_of_float64_have_to_be_as_exact_as_that() -> None:
    exact = mg.tensor([1.1, 1000.0, 0.0, float("nan"), float("inf")], dtype=mg.float64)
    for other in (exact + 1e-13, exact * (1 + 1e-12), exact * 3 / 3):
        assert compare(exact, other) is None
    for rounded in (exact.float(), exact.float().double(), exact * (1 + 1e-6)):
        difference = compare(exact, rounded)
        assert difference is not None
        assert difference.where == "the answer[0], in the later digits"
        assert difference.yours != difference.expected == "1.1"
        assert "went through float32" in difference.note
    assert compare(exact.numpy(), exact.float().numpy()) is not None
    assert compare(exact.float(), exact.double()) is None  # float32 is all that is asked for
    assert compare(mg.tensor([1, 2]), mg.tensor([1.0, 2.0])).where == "the dtype of the answer"
    assert compare(mg.tensor([1.0, 2.0], dtype=mg.float64), mg.tensor([1.0, 2.0])) is None
    assert compare(mg.zeros(0, dtype=mg.float64), mg.zeros(0)) is None


def test_how_many_values_are_asked_for_is_said_in_grammar() -> None:
    assert compare([1.0], []).note == "1 value is asked for; these are 0."
    assert compare((1.0, 2.0), 3.0).note == "2 values are asked for, in a tuple; this is a float."


# ---------------------------------------------------------------- hints


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_each_call_gives_one_hint_more(exercise) -> None:
    ask = Hints(EXERCISES)
    assert len(exercise.hints) >= 3
    for given in range(1, len(exercise.hints) + 1):
        card = ask(exercise.name)
        shown = [text for label, text in card.rows if label]
        assert shown == list(exercise.hints[:given])
    assert "That was the last" in card.rows[-1][1]
    assert ask(exercise.name).rows == card.rows
    assert Hints(EXERCISES)(exercise.reference).rows[0][1] == exercise.hints[0]


@pytest.mark.parametrize("name", [None, "slope", 3, Strange(), "", dots], ids=range(6))
def test_a_hint_for_nothing_says_what_there_is(name) -> None:
    card = hint(name)
    assert card.kind == "note"
    assert 'hint("slope_of_w")' in repr(card)


# ---------------------------------------------------------------- predictions


@pytest.mark.parametrize("prediction", PREDICTIONS.values(), ids=lambda prediction: prediction.name)
def test_each_option_is_answered_with_its_reason(prediction) -> None:
    right = next(number for number, option in enumerate(prediction.options) if option.right)
    for number, option in enumerate(prediction.options):
        card = prediction("abcdef"[number])
        assert (card.kind == "good") == option.right
        texts = [text for _, text in card.rows]
        assert option.why in texts
        assert len(option.why) > 30
        assert prediction.options[right].why in texts
        assert prediction(option.text) == card
        assert prediction(f" ({'abcdef'[number].upper()}) ") == card
    assert sum(option.right for option in prediction.options) == 1
    whys = [option.why for option in prediction.options]
    assert len(set(whys)) == len(whys) >= 3


def test_a_prediction_can_be_asked_for_by_its_name() -> None:
    assert repr(predict("w_grad")) == repr(predict.w_grad())
    for name, words in ((None, "say which prediction"), ("w_grd", "did you mean 'w_grad'"), (3, "no prediction '3'")):
        card = predict(name)
        assert card.kind == "note"
        assert words in card.title
        assert said(card)["try"] == "predict.w_grad()"


@pytest.mark.parametrize("answer", ["z", "", "ab", 0, 1.5, True, [], Strange(), "<script>"], ids=range(9))
def test_an_answer_that_is_no_option_is_met_with_the_options(answer) -> None:
    card = predict.w_grad(answer)
    assert card.kind == "note"
    assert re.fullmatch(r"w_grad: \S.* is none of the options", card.title), "it says what was given"
    assert '"a", "b", "c", "d"' in repr(card)
    assert "<script>" not in card._repr_html_()
    assert not json.loads(json.dumps(teach.progress_file.load()))["predictions"]


def test_a_question_does_not_tell_its_answer_in_text() -> None:
    for prediction in PREDICTIONS.values():
        text = repr(prediction())
        assert prediction.question in text
        assert not any(option.why in text for option in prediction.options)


def test_a_page_has_each_answer_and_folds_them_where_no_script_runs() -> None:
    for prediction in PREDICTIONS.values():
        shown = prediction()._repr_html_()
        asked = json.loads(html.unescape(re.search(r'data-asked="([^"]*)"', shown).group(1)))
        answered = json.loads(re.search(r"data-answered='([^']*)'", shown).group(1))
        assert answered == {"key": "", "chosen": -1}  # no kernel here
        assert [option["label"] for option in asked["options"]] == prediction.labels
        assert [option["verdict"] for option in asked["options"]] == [
            prediction.words_for(number)._repr_html_() for number in range(len(prediction.options))
        ]
        assert shown.count("<details") == len(prediction.options)
        assert "<details open" not in shown
    assert not json.loads(json.dumps(teach.progress_file.load()))["predictions"]


# ---------------------------------------------------------------- progress


def test_progress_counts_and_what_was_passed_stays(tmp_path: Path) -> None:
    assert progress().title == f"0 of {len(EXERCISES)} exercises passed"
    check.slope_of_w(forgot_x)
    assert "tried, not passed yet" in repr(progress())
    check.slope_of_w(EXERCISES["slope_of_w"].reference)
    check.slope_of_w(forgot_x)
    predict.w_grad("a")
    predict.w_grad("b")
    assert progress().title == f"1 of {len(EXERCISES)} exercises passed"
    assert "1 of 2 answered, 1 of them right" in repr(progress())
    stored = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    assert stored["exercises"] == {"slope_of_w": "passed"}
    assert stored["predictions"] == {"w_grad": "right"}
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_tries_are_counted_until_one_passes_with_the_names_of_their_diagnoses_and_no_text(tmp_path: Path) -> None:
    def slope_of_w(w: Any, x: Any, b: Any, target: Any) -> None:
        raise TypeError("a secret of the learner's")

    check.slope_of_w()  # looks at nothing
    for answer in (forgot_x, slope_of_w, forgot_x, EXERCISES["slope_of_w"].reference, slope_of_w):
        check.slope_of_w(answer)
    text = (tmp_path / "progress.json").read_text(encoding="utf-8")
    today = datetime.date.today().isoformat()
    met = {EXERCISES["slope_of_w"].known[0].name: 2, "raises TypeError": 1}
    assert json.loads(text)["tries"] == {"slope_of_w": {"last": today, "count": 4, "met": met}}
    assert "secret" not in text


def test_what_a_chapter_shows_of_a_wrong_answer_is_no_try(tmp_path: Path) -> None:
    exercise = EXERCISES["slope_of_w"]
    for answer in (forgot_x, exercise.reference):
        assert exercise.check(answer).kind != "open"
    assert not (tmp_path / "progress.json").exists()
    assert progress().title == f"0 of {len(EXERCISES)} exercises passed"
    assert check(exercise.reference).kind == "good"  # by the function's name, as a learner may write it, too
    assert progress().title == f"1 of {len(EXERCISES)} exercises passed"


def test_each_known_mistake_has_a_name_that_tells_it_from_the_others() -> None:
    for exercise in EXERCISES.values():
        names = [mistake.name for mistake in exercise.known]
        assert "" not in names
        assert len({*names}) == len(names), exercise.name


def test_an_older_file_has_no_tries_and_those_of_a_later_one_go_on(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text('{"exercises": {"by_hand": "tried"}, "predictions": {}}', encoding="utf-8")
    assert Progress().load()["tries"] == {}
    for _ in range(2):
        Progress().record("exercises", "by_hand", "tried", "no_rule")
    assert Progress().load()["tries"]["by_hand"]["count"] == 2
    assert Progress().load()["tries"]["by_hand"]["met"] == {"no_rule": 2}


def test_a_prediction_that_was_right_stays_right() -> None:
    asked = PREDICTIONS["w_grad"]
    right = next(number for number, option in enumerate(asked.options) if option.right)
    for number, state in ((right - 1, "wrong"), (right, "right"), (right - 1, "right")):
        asked.record(number)
        assert Progress().load()["predictions"] == {"w_grad": state}


def test_progress_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "00_start_here.ipynb").touch()
    assert check.slope_of_w(EXERCISES["slope_of_w"].reference).kind == "good"
    assert progress().title.startswith("1 of ")
    assert [path.name for path in tmp_path.iterdir()] == ["00_start_here.ipynb"]


def test_progress_is_that_of_this_chapter_and_of_the_course_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(teach.progress_file, "chapter", "")
    chapters = sorted({exercise.chapter for exercise in EXERCISES.values()})
    assert [*said(progress())] == [*said(progress("all"))] == chapters
    for ask in (
        lambda: check.kind_of,
        lambda: hint("kind_of"),
        lambda: predict("is_it_a_leaf"),
        lambda: check(kind_of),
    ):
        teach.progress_file.chapter = "13_bug_museum"
        ask()
        assert [*said(progress())] == ["01_tensors_and_leaves", "all"]
    for third in ("03", "3", 3):
        assert [*said(progress(third))] == ["03_backward_step_by_step", "all"]
    assert [*said(progress("all"))] == chapters
    for none in ("three", 30, "slope_of_w", None, -1, True):
        assert progress(none).title == f"there is no chapter {plain(none)}"
        assert said(progress(none))["chapters"].split() == chapters


def kind_of(tensor: object) -> None:
    raise NotImplementedError


def test_progress_outlives_the_kernel(tmp_path: Path) -> None:
    Progress().record("exercises", "by_hand", "passed")
    assert Progress().load()["exercises"] == {"by_hand": "passed"}


TORN = '{"exercises": {}, "predictions": {}, "tries": {"by_hand": {"last": "never", "count": 1, "met": {}}}}'
BROKEN = ["", "{", "[]", "null", TORN, '{"exercises": 3, "predictions": {}}', "\x00\xff", "[" * 100_000]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_set_aside(text: str, tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text(text, encoding="latin-1")
    card = progress()
    assert "It is kept as progress.json.broken" in said(card)["note"]
    assert (tmp_path / "progress.json.broken").read_text(encoding="latin-1") == text
    check.slope_of_w(EXERCISES["slope_of_w"].reference)
    assert json.loads(path.read_text(encoding="utf-8"))["exercises"] == {"slope_of_w": "passed"}


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "absent" / "progress.json"))
    assert check.slope_of_w(EXERCISES["slope_of_w"].reference).kind == "good"
    assert progress().title.startswith("1 of ")
    assert "kept until the kernel stops" in said(progress())["note"]


def test_a_file_that_is_read_only_is_replaced(tmp_path: Path) -> None:
    Progress().record("exercises", "by_hand", "passed")
    (tmp_path / "progress.json").chmod(0o400)
    Progress().record("exercises", "descend", "passed")
    assert Progress().load()["exercises"] == {"by_hand": "passed", "descend": "passed"}


def test_a_folder_that_is_read_only_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    Progress().record("exercises", "by_hand", "passed")
    monkeypatch.setattr(Path, "write_text", refuse)  # for root, no folder is read-only
    alone = Progress()
    alone.record("exercises", "descend", "tried")
    assert alone.note == "progress.json cannot be written (PermissionError): progress is kept until the kernel stops."
    assert alone.load()["exercises"] == {"by_hand": "passed", "descend": "tried"}
    assert Progress().load()["exercises"] == {"by_hand": "passed"}
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", os.mkdir)], ids=["folder", "pipe"])
def test_what_is_no_file_is_left_where_it_is(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "progress.json")
    assert check.slope_of_w(EXERCISES["slope_of_w"].reference).kind == "good"
    assert progress().title.startswith("1 of ")
    assert "progress.json is not a file" in said(progress())["note"]
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]
    assert not (tmp_path / "progress.json").is_file()


def test_kernels_that_record_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    """Three of them, a hundred results each; all begin when the file `go` is there."""
    code = """
import pathlib, sys, time
from minigrad.teach.progress import Progress
name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
progress = Progress()
(folder / f"ready{name}").touch()
while not (folder / "go").exists():
    time.sleep(0.001)
for number in range(100):
    progress.record("exercises", f"{name}{number}", "passed")
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(mg.__file__).parent.parent)}
    running = [
        subprocess.Popen([sys.executable, "-c", code, name, str(tmp_path)], env=environment) for name in ("a", "b", "c")
    ]
    while len(list(tmp_path.glob("ready*"))) < 3 and all(process.poll() is None for process in running):
        time.sleep(0.01)
    (tmp_path / "go").touch()
    assert [process.wait(60) for process in running] == [0, 0, 0]
    stored = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    assert len(stored["exercises"]) == 300


def test_nothing_is_written_outside_the_notebooks_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIGRAD_PROGRESS")
    monkeypatch.chdir(tmp_path)
    check.slope_of_w(EXERCISES["slope_of_w"].reference)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "00_start_here.ipynb").touch()
    check.slope_of_w(forgot_x)
    check.by_hand(EXERCISES["by_hand"].reference)
    assert (tmp_path / ".progress.json").is_file()


def test_names_are_unique_and_can_be_typed() -> None:
    for items in (EXERCISES, PREDICTIONS):
        names = list(items)
        assert len(set(names)) == len(names)
        assert all(re.fullmatch("[a-z_]+", name) for name in names)
        assert [item.name for item in items.values()] == names

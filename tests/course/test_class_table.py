"""The table of a class, made of students' files of progress."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from minigrad.teach import EXERCISES
from minigrad.teach.progress import Progress
from tools import class_table

TODAY = "2026-11-29"
FORGOT_X, FORGOT_TWO = EXERCISES["slope_of_w"].known[:2]


def write(file: Path, exercises: dict[str, str], tries: dict[str, Any] | None = None) -> None:
    file.parent.mkdir(parents=True)
    kept = {"exercises": exercises, "predictions": {}} | ({"tries": tries} if tries is not None else {})
    file.write_text(json.dumps(kept), encoding="utf-8")


def tries(count: int, last: str = TODAY, met: dict[str, int] | None = None) -> dict[str, Any]:
    return {"last": last, "count": count, "met": met or {}}


@pytest.fixture
def classroom(tmp_path: Path) -> Path:
    """Three students: one did much, one is stuck, one has an older file without tries."""
    folder = tmp_path / "home"
    write(
        folder / "anna" / "course" / ".progress.json",
        {"slope_of_w": "passed", "kind_of": "passed", "by_hand": "tried"},
        {"slope_of_w": tries(2, "2026-11-01", {FORGOT_X.name: 1}), "kind_of": tries(1), "by_hand": tries(1)},
    )
    write(
        folder / "ben" / "course" / ".progress.json",
        {"slope_of_w": "tried"},
        {"slope_of_w": tries(6, met={FORGOT_X.name: 4, FORGOT_TWO.name: 2})},
    )
    write(folder / "carl" / "course" / ".progress.json", {"slope_of_w": "tried"})
    (folder / "carl" / "course" / ".before").mkdir()
    return folder


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    assert class_table.main([*map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


def test_each_student_has_a_row_with_the_chapters(classroom: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, anna, ben, carl, *_ = told(capsys, classroom)
    assert head.split() == [*[chapter[:2] for chapter in class_table.chapters()], "all", "last", "seen"]
    assert anna.split()[:3] == ["anna", "1/1", "1/4"]
    assert anna.split()[-2:] == ["2", TODAY]
    assert ben.split()[:2] == ["ben", "0/1!"]  # stuck
    assert carl.split()[:2] == ["carl", "0/1"]  # tried, nobody knows how often
    assert carl.split()[-1] == "–"


def test_what_holds_people_up_is_told_in_the_words_of_their_cards(
    classroom: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(capsys, classroom)
    hard = lines[lines.index("What holds people up:") + 1 :]
    assert hard[0] == "  slope_of_w (chapter 00): 1 stuck, 1 trying, 1 passed, 4 tries in the middle"
    assert hard[1] == f"    2 x  {FORGOT_X.words}"  # two students met it
    assert any(line.startswith("  by_hand (chapter 03): 0 stuck, 1 trying") for line in hard)


def test_stuck_is_who_tried_as_often_as_is_asked(classroom: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, classroom, "--stuck=7")[2].split()[1] == "0/1"


def test_the_table_for_other_programs(classroom: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (classroom / "ben").rename(classroom / "=cmd()")
    told(capsys, classroom, "--csv", tmp_path / "class.csv")
    with open(tmp_path / "class.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * len(EXERCISES)
    (row,) = [row for row in rows if row["student"] == "'=cmd()" and row["exercise"] == "slope_of_w"]
    assert {**row} == {
        "student": "'=cmd()",  # which a spreadsheet shows, and does not run
        "chapter": "00_start_here",
        "exercise": "slope_of_w",
        "state": "stuck",
        "tries": "6",
        "last": TODAY,
        "met most": FORGOT_X.name,
    }


def test_the_page_has_both_tables_and_runs_nothing(
    classroom: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (classroom / "anna").rename(classroom / "<img src=x onerror=alert(1)>")
    told(capsys, classroom, "--html", tmp_path / "class.html")
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img" not in page
    assert '<td class="stuck">0/1 !</td>' in page
    assert "default-src 'none'" in page
    assert "slope_of_w" in page.partition("What holds people up")[2]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_shown(
    classroom: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = classroom / "ben" / "course" / ".progress.json"
    broken.write_text("{", encoding="utf-8")
    lines = told(capsys, classroom)
    assert lines[2] == "ben   .progress.json cannot be read (JSONDecodeError)"
    assert lines[1].startswith("anna")
    assert broken.read_text(encoding="utf-8") == "{"  # nothing is moved in a student's folder


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["x/anna/.progress.json"], ["anna"]),
        (["x/anna/course/.progress.json"], ["anna"]),
        (["x/a/course/.progress.json", "x/b/notebooks/.progress.json"], ["a", "b"]),
        (["x/a/one/.progress.json", "x/a/two/.progress.json", "x/b/.progress.json"], ["a/one", "a/two", "b"]),
        (["x/.progress.json", "x/a/.progress.json"], ["x", "a"]),
    ],
)
def test_students_are_named_by_their_folders(files: list[str], names: list[str]) -> None:
    assert class_table.names_of([Path("/") / file for file in files]) == names


def test_what_a_learners_checks_keep_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / ".progress.json"))
    for _ in range(5):
        Progress().record("exercises", "by_hand", "tried", "not yet")
    (student,) = [class_table.student_of("me", tmp_path / ".progress.json", 5)]
    assert student.tries["by_hand"][:2] == ("stuck", 5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required: FOLDER"),
        (["absent"], "there is no folder absent"),
        ([".", "--stuck=0"], "at least one try is needed"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        class_table.main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_a_folder_in_which_nobody_tried_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert class_table.main([str(tmp_path)]) == 1
    assert "nobody has tried an exercise there" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(classroom: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert class_table.main([str(classroom), f"--html={classroom / 'absent' / 'x.html'}"]) == 1
    assert "x.html cannot be written: No such file or directory" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["link", "pipe", "huge"])
def test_what_is_no_plain_file_is_not_read(classroom: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """A teacher who may read all files runs this over folders in which students can put what they like."""
    file = classroom / "ben" / "course" / ".progress.json"
    anna = file.parents[2] / "anna" / "course" / ".progress.json"
    text = file.read_text(encoding="utf-8")
    file.unlink()
    if kind == "link":
        file.symlink_to(anna)
    elif kind == "pipe":
        os.mkfifo(file)  # to open it would wait for ever
    else:
        file.write_text(text + " " * 2_000_000, encoding="utf-8")
    lines = told(capsys, classroom)
    assert lines[2].startswith("ben")
    assert lines[2].endswith(".progress.json is no file of progress")
    assert lines[1].startswith("anna")

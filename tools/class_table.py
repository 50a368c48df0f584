"""The table of a class: `python dev.py class FOLDER...`, from what each student's course says of its progress.

A FOLDER is a student's, or holds those of several: whatever is below it and has a `.progress.json` is a student, named
by the first folder that tells the students apart. Printed is a row for each student, with the exercises passed in each
chapter, and then the exercises that hold most people up, with the mistakes that were met most.

    --csv=FILE     a row for each student and exercise, to be sorted and summed by other programs
    --html=FILE    one page with both tables
    --stuck=N      how often an exercise is tried and not passed until its student counts as stuck (5)
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import jinja2

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from minigrad.teach import EXERCISES  # noqa: E402
from minigrad.teach.progress import NAME, read  # noqa: E402

LARGEST = 1_000_000  # bytes that a file of progress may have, which has 20,000 when all is tried
DEEPEST = 4  # folders below a given one in which progress is looked for
HARDEST = 10  # exercises that are told of
MOST_MET = 3  # mistakes of each of them


class Try(NamedTuple):
    """What is known of one student and one exercise."""

    state: str  # "passed", "stuck", "tried" or ""
    tries: int  # how often it was tried until it passed; 0 where nobody counted
    last: str  # the day, as 2026-11-29, or ""
    met: dict[str, int]  # the names of diagnoses, and how often each was met


NOTHING = Try("", 0, "", {})


class Student(NamedTuple):
    name: str
    tries: dict[str, Try]  # by exercise
    problem: str = ""  # why their progress is not known

    def last(self) -> str:
        """The day on which the student was last seen to try something."""
        return max((tried.last for tried in self.tries.values()), default="")


class Obstacle(NamedTuple):
    """An exercise that holds people up."""

    exercise: str
    chapter: str
    stuck: int
    tried: int  # students, of those that did not pass it and are not stuck
    passed: int
    tries: float  # the median over all who tried it
    met: list[tuple[str, int]]  # what the mistakes are, in words, and how many students met each


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("dev.py class", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="a student's, or one that holds several"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a row for each student and exercise")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page with the tables")
    parser.add_argument("--stuck", type=int, default=5, metavar="N", help="tries without success from which on (5)")
    options = parser.parse_args(arguments)
    if options.stuck < 1:
        parser.error(f"--stuck={options.stuck}: at least one try is needed to be stuck")
    absent = [str(folder) for folder in options.folders if not folder.is_dir()]
    if absent:
        parser.error(f"there is no folder {', '.join(absent)}")
    files = sorted({file for folder in options.folders for file in progress_files(folder)})
    if not files:
        looked = ", ".join(map(str, options.folders))
        print(f"No {NAME} is in {looked}, nor in a folder of it: nobody has tried an exercise there.", file=sys.stderr)
        return 1
    students = [student_of(name, file, options.stuck) for name, file in zip(names_of(files), files, strict=True)]
    print("\n".join(text(students)))
    try:
        if options.csv is not None:
            write_csv(students, options.csv)
        if options.html is not None:
            options.html.write_text(page(students, options.stuck), encoding="utf-8")
    except OSError as error:
        print(f"{error.filename} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    return 0


# ---------------------------------------------------------------- the students


def progress_files(folder: Path) -> Iterator[Path]:
    """The files of progress in a folder, and in those below it. Links are not followed."""
    for place, inside, names in os.walk(folder):
        if NAME in names:
            yield (Path(place) / NAME).absolute()
        depth = len(Path(place).relative_to(folder).parts)
        inside[:] = [name for name in inside if depth < DEEPEST and not name.startswith(".")]


def names_of(files: Sequence[Path]) -> list[str]:
    """A name for each file: the first folder on its path in which the paths differ."""
    if len(files) == 1:
        place = files[0].parent
        return [place.parent.name if place.name in ("course", "notebooks") else place.name]
    common = len(Path(os.path.commonpath([file.parent for file in files])).parts)
    names = ["/".join(file.parent.parts[common : common + 1]) or file.parent.name for file in files]
    return [
        name if names.count(name) == 1 else "/".join(file.parent.parts[common:])
        for name, file in zip(names, files, strict=True)
    ]


def student_of(name: str, file: Path, stuck: int) -> Student:
    try:
        if not stat.S_ISREG((there := file.lstat()).st_mode) or there.st_size > LARGEST:
            return Student(name, {}, f"{NAME} is no file of progress")  # a link, say, to what only the teacher can read
        known = read(file)
    except (OSError, ValueError) as error:
        return Student(name, {}, f"{NAME} cannot be read ({type(error).__name__})")
    tries = {}
    for exercise in EXERCISES:
        state, found = known["exercises"].get(exercise, ""), known["tries"].get(exercise, {})
        count = found.get("count", 0)
        state = "stuck" if state == "tried" and count >= stuck else state
        tries[exercise] = Try(state, count, found.get("last", ""), found.get("met", {}))
    return Student(name, tries)


def obstacles(students: Sequence[Student]) -> list[Obstacle]:
    """The exercises that somebody is stuck at, or tried in vain, the worst first."""
    found = []
    for exercise in EXERCISES:
        tries = [student.tries.get(exercise, NOTHING) for student in students]
        states = Counter(tried.state for tried in tries)
        counts = [tried.tries for tried in tries if tried.tries]
        met = Counter(name for tried in tries for name in tried.met)
        words = [(words_for(exercise, name), times) for name, times in met.most_common(MOST_MET)]
        middle = median(counts) if counts else 0
        chapter = EXERCISES[exercise].chapter
        found.append(Obstacle(exercise, chapter, states["stuck"], states["tried"], states["passed"], middle, words))
    found = [each for each in found if each.stuck or each.tried or each.tries > 1]
    return sorted(found, key=lambda each: (-each.stuck, -each.tries, -each.tried, each.chapter))[:HARDEST]


def words_for(exercise: str, diagnosis: str) -> str:
    """What a learner is told of a mistake; the name as it is where no mistake of the exercise has it."""
    known = (mistake.words for mistake in EXERCISES[exercise].known if mistake.name == diagnosis)
    return next(known, "") or diagnosis


# ---------------------------------------------------------------- what is written


def chapters() -> dict[str, list[str]]:
    """chapter -> its exercises."""
    places = sorted(EXERCISES.places().items(), key=lambda place: place[1][0])
    return {chapter: [name for name, _ in group] for chapter, group in itertools.groupby(places, lambda at: at[1][0])}


def cells(student: Student) -> Iterator[tuple[int, int, int, int]]:
    """For each chapter how many exercises were passed, are stuck, were tried, and how many there are."""
    for exercises in chapters().values():
        states = Counter(student.tries.get(name, NOTHING).state for name in exercises)
        yield states["passed"], states["stuck"], states["tried"], len(exercises)


def visible(words: str) -> str:
    """Words for a terminal: a folder's name may hold anything."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "?", words)


def text(students: Sequence[Student]) -> Iterator[str]:
    width = min(max(len(visible(student.name)) for student in students), 30)
    numbers = [chapter[:2] for chapter in chapters()]
    yield f"{'':{width}}  {'  '.join(f'{number:>4}' for number in numbers)}   all  last seen"
    for student in students:
        name = f"{visible(student.name)[:width]:{width}}"
        if student.problem:
            yield f"{name}  {student.problem}"
            continue
        row = [f"{passed}/{of}{'!' if stuck else ' '}" for passed, stuck, _, of in cells(student)]
        passed = sum(tried.state == "passed" for tried in student.tries.values())
        yield f"{name}  {'  '.join(f'{cell:>4}' for cell in row)}  {passed:>4}  {student.last() or '–'}"
    yield "passed of all; ! where somebody is stuck"
    hard = obstacles(students)
    if hard:
        yield ""
        yield "What holds people up:"
    for each in hard:
        counts = f"{each.stuck} stuck, {each.tried} trying, {each.passed} passed, {each.tries:g} tries in the middle"
        yield f"  {each.exercise} (chapter {each.chapter[:2]}): {counts}"
        yield from (f"    {times} x  {visible(words)}" for words, times in each.met)


def write_csv(students: Iterable[Student], path: Path) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "chapter", "exercise", "state", "tries", "last", "met most"])
        for student in students:
            for chapter, exercises in chapters().items():
                for exercise in exercises:
                    tried = student.tries.get(exercise, NOTHING)
                    most = max(tried.met, key=tried.met.__getitem__, default="")
                    state = student.problem or tried.state
                    row = [student.name, chapter, exercise, state, tried.tries or "", tried.last, most]
                    rows.writerow([guarded(value) for value in row])


def guarded(value: object) -> object:
    """A value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def page(students: Sequence[Student], stuck: int) -> str:
    folder = jinja2.FileSystemLoader(Path(__file__).parent)
    made = jinja2.Environment(loader=folder, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    rows = [(student, list(cells(student))) for student in students]
    return made.get_template("class_table.html").render(
        chapters=list(chapters()), rows=rows, obstacles=obstacles(students), stuck=stuck
    )


if __name__ == "__main__":
    sys.exit(main())

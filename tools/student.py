"""Write the chapters for a learner, without the solutions: `python dev.py student [FOLDER]`.

The chapters in notebooks/ are the only source, and their exercises stay there. Done once more, after an update of
them, what the learner wrote stays:

    an answer to an exercise         stays
    a cell that the learner added    stays, after the cell that it followed
    another cell that was changed    stays where the chapter did not change; else it follows the chapter's new one
    a chapter that cannot be read    is set aside as *.broken, and written anew

and the file as it was lies in the folder `.before` until the next time. An answer that was given in notebooks/ is one,
too; and who names no folder, and so goes on in course/, has there what was passed in notebooks/.

`python dev.py student --nbgrader COURSE` writes them for nbgrader instead: an assignment for each chapter, in `source/`
of an nbgrader course. The cell of an exercise is to be solved; a locked one fails until its check passes.
"""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat.sign import NotebookNotary
from tqdm import tqdm

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
FOLDER = NOTEBOOKS.parent / "course"
PROGRESS = ".progress.json"
SOLUTION = re.compile(r"\n*<details>\s*<summary>Solution</summary>.*?</details>\n*", re.DOTALL)
EXERCISE = re.compile(r"def (\w+)\(.*raise NotImplementedError", re.DOTALL)
EARLIER = "# Your earlier version of the cell above, which has changed in the chapter:\n"
CHAPTERS = sorted([*NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"), NOTEBOOKS / "errors.ipynb", NOTEBOOKS / "glossary.ipynb"])
Notebook = Any
Cell = Any


GRADED = """\
# This cell gives the points. It runs the check once more, which has to pass.
from minigrad.teach import check

assert check.{name}({name}).kind == "good", "{name} does not pass its check"
"""
NEXT = """\
{count} assignments are in {folder}. Where minigrad is installed with its [lab], in {course}:
    nbgrader generate_assignment 00_start_here    makes what students fetch of a chapter
    nbgrader autograde 00_start_here              runs what they handed in; an exercise gives its stars as points
A chapter that trains a network may take longer than the 30 seconds that nbgrader gives a cell: ask for more with
c.ExecutePreprocessor.timeout = 120 in nbgrader_config.py."""


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--nbgrader"] and len(arguments) == 2:
        return write_assignments(Path(arguments[1]).absolute())
    if len(arguments) > 1 or arguments[:1] in (["-h"], ["--help"], ["--nbgrader"]):
        print(__doc__)
        return 2
    folder = Path(arguments[0]).absolute() if arguments else FOLDER
    if folder == NOTEBOOKS or NOTEBOOKS in folder.parents:
        print("the folder of the chapters themselves keeps their solutions: name another one", file=sys.stderr)
        return 2
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(NOTEBOOKS / "images", folder / "images", dirs_exist_ok=True)
        said = [write(path, folder / path.name) for path in tqdm(CHAPTERS, unit="chapter")]
        if folder == FOLDER and not (folder / PROGRESS).exists() and (NOTEBOOKS / PROGRESS).exists():
            shutil.copy(NOTEBOOKS / PROGRESS, folder)  # who began in notebooks/ goes on here
    except OSError as error:
        print(f"{folder} cannot be written to: {error.strerror}", file=sys.stderr)
        return 1
    print("\n".join(filter(None, said)))
    opens = "From now on `python dev.py lab` opens these." if folder == FOLDER else ""
    print(f"The chapters without solutions are in {folder}. {opens}".rstrip())
    return 0


def write(source: Path, target: Path) -> str:
    """Write one chapter; the answer says what became of the learner's own, if there was one."""
    fresh, told = without_solutions(nbformat.read(source, as_version=4)), ""
    if target.exists():
        before = target.parent / ".before" / target.name
        before.parent.mkdir(exist_ok=True)
        shutil.copyfile(target, before)
        try:
            own = nbformat.read(target, as_version=4)
            told = f"  {target.name}: {merge(fresh, own)}"
        except Exception as error:  # a broken file makes nbformat raise many things
            aside = target.with_suffix(".broken")
            target.replace(aside)
            told = f"  {target.name}: was broken ({type(error).__name__}); it is kept as {aside.name}"
    part = target.with_suffix(".part")
    part.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(target)  # at once or not at all
    NotebookNotary().sign(fresh)  # else its pictures and widgets would not show
    return told


def without_solutions(notebook: Notebook) -> Notebook:
    """The chapter for a learner. Each cell says in its metadata what it was made from."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = SOLUTION.sub("\n\n", cell.source).strip("\n")
        cell.metadata["minigrad"] = {"made_from": fingerprint(cell.source)}
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    return notebook


def write_assignments(course: Path) -> int:
    """Write an assignment of nbgrader for each chapter that has exercises."""
    source, count = course / "source", 0
    try:
        for path in tqdm(CHAPTERS, unit="chapter"):
            chapter = without_solutions(nbformat.read(path, as_version=4))
            if not make_gradable(chapter):
                continue
            folder = source / path.stem
            shutil.copytree(NOTEBOOKS / "images", folder / "images", dirs_exist_ok=True)
            nbformat.write(chapter, folder / path.name)
            count += 1
    except OSError as error:
        print(f"{course} cannot be written to: {error.strerror}", file=sys.stderr)
        return 1
    print(NEXT.format(count=count, folder=source, course=course))
    return 0


def make_gradable(chapter: Notebook) -> list[str]:
    """Mark the exercises of a chapter for nbgrader, and put a graded cell after the check of each; returns their names.

    The marks are those of https://nbgrader.readthedocs.io, "nbgrader cell metadata", version 3.
    """
    from minigrad.teach import EXERCISES  # which nothing else here needs

    cells, names = list[Cell](), list[str]()
    for cell in chapter.cells:
        cells.append(cell)
        if cell.cell_type != "code":
            continue
        if found := EXERCISE.match(cell.source):
            names.append(found[1])
            cell.metadata["nbgrader"] = marks(found[1], solution=True)
        elif names and cell.source.startswith(f"check.{names[-1]}("):
            graded = nbformat.v4.new_code_cell(GRADED.format(name=names[-1]).rstrip(), id=f"graded-{len(names)}")
            stars = EXERCISES[names[-1]].stars
            graded.metadata["nbgrader"] = marks(f"{names[-1]}-passes", grade=True, locked=True, points=stars)
            cells.append(graded)
    chapter.cells = cells
    return names


def marks(name: str, **given: Any) -> dict[str, Any]:
    """What nbgrader reads in a cell's metadata."""
    plain = {"schema_version": 3, "solution": False, "grade": False, "locked": False, "task": False}
    return plain | {"grade_id": name} | given


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8")).hexdigest()[:16]


def answers(cell: Cell, now: Cell | None) -> bool:
    """Whether a cell answers the exercise that stands there now. It may have been answered in notebooks/ before it came
    here, and look like the chapter's own.
    """
    found = None if now is None else EXERCISE.match(now.source)
    return found is not None and cell.source.startswith(f"def {found[1]}(") and not EXERCISE.match(cell.source)


def merge(fresh: Notebook, own: Notebook) -> str:
    """Bring what the learner wrote into a fresh chapter."""
    place = {cell.id: number for number, cell in enumerate(fresh.cells)}
    following: dict[int, list[Cell]] = {}  # the learner's own cells, by the cell that they follow
    kept, last = 0, -1
    for cell in own.cells:
        made_from = cell.metadata.get("minigrad", {}).get("made_from")
        if made_from is None:
            following.setdefault(last, []).append(cell)  # added by the learner
        else:
            last = place.get(cell.id, last)
        now = fresh.cells[place[cell.id]] if cell.id in place else None
        if made_from is None or (made_from == fingerprint(cell.source) and not answers(cell, now)):
            kept += made_from is None
            continue
        kept += 1
        if now is None:
            following.setdefault(last, []).append(cell)
            continue
        if EXERCISE.match(now.source) or now.metadata["minigrad"]["made_from"] == made_from:
            now.update({key: cell[key] for key in ("source", "outputs", "execution_count") if key in cell})
        else:
            earlier = nbformat.v4.new_code_cell(EARLIER + cell.source) if cell.cell_type == "code" else cell
            following.setdefault(last, []).append(earlier)
    taken = set(place)
    cells = []
    for number in range(-1, len(fresh.cells)):
        cells += fresh.cells[number : number + 1] if number >= 0 else []
        for cell in following.get(number, []):
            if cell.id in taken:
                cell = nbformat.v4.new_code_cell(cell.source) if cell.cell_type == "code" else cell
                cell.id = nbformat.v4.new_code_cell("").id
            taken.add(cell.id)
            cells.append(cell)
    fresh.cells = cells
    return f"{kept} {'cell' if kept == 1 else 'cells'} of your own kept" if kept else "nothing of your own in it"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

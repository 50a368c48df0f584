"""A pass as one SVG that plays by itself."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from viz.cells import HOSTILE, STEPPED, SVG, cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.page.widget_picture import still_of
from minigrad.viz.picture import svg

STRETCH = re.compile(r"\.f(\d+)-(\d+)\{visibility:(\w+);animation:f\1-\2 ([\d.]+)s step-end infinite\}")


def film(stepper: Any, folder: Path, **options: Any) -> str:
    stepper.save_svg(folder / "film.svg", **options)
    return (folder / "film.svg").read_text(encoding="utf-8")


def seen(markup: str, frame: int) -> list[str]:
    """The texts that are seen in one frame."""
    root = ElementTree.fromstring(markup)
    texts: list[str] = []
    stack = [root]
    while stack:
        element = stack.pop()
        first, end = (
            (int(one) for one in (element.get("class") or "f0-999")[1:].split("-"))
            if element.tag == f"{SVG}g"
            else (0, 999)
        )
        if not first <= frame < end:
            continue
        if element.tag == f"{SVG}text":
            texts.append(" ".join("".join(element.itertext()).split()))
        stack += list(element)[::-1]
    return texts


def test_each_frame_shows_its_step(tmp_path: Path) -> None:
    stepper = cell(STEPPED)["s"]
    markup = film(stepper, tmp_path)
    stepper.last()
    for frame in stepper.frames:
        shown = seen(markup, frame.index)
        assert shown[-1] == f"Step {frame.index} of 6. {frame.sentence}"
        badges = [state.badge for state in frame.states.values() if state.badge]
        assert sorted(text for text in shown if text in badges) == sorted(badges)
        grads = [state.grad_text or state.grad.text for key, state in frame.states.items()]
        assert set(grads) <= set(shown)
        assert set(frame.chips.values()) <= set(shown)


def test_what_is_the_same_is_there_once_and_the_file_is_small(tmp_path: Path) -> None:
    markup = film(cell(STEPPED)["s"], tmp_path)
    assert [markup.count(f">{name}<") for name in "ABCDEF"] == [1] * 6
    assert len(markup) < 30_000
    x = mg.ones(8, requires_grad=True)
    y = x
    for _ in range(9):
        y = y * 2
    assert len(film(viz.BackwardStepper(y.sum()), tmp_path)) < 150_000


def test_it_loops_and_the_last_frame_stands_longer(tmp_path: Path) -> None:
    markup = film(cell(STEPPED)["s"], tmp_path, seconds=0.5)
    stretches = STRETCH.findall(markup)
    assert stretches
    assert {seconds for *_, seconds in stretches} == {"4"}  # seven frames, the last twice as long
    for first, end, look, _ in stretches:
        assert look == ("visible" if first == "0" else "hidden")  # where nothing moves, the first frame is seen
        times = {"0": "hidden", str(f"{100 * int(first) / 8:.4g}"): "visible"}
        if end != "7":
            times[f"{100 * int(end) / 8:.4g}"] = "hidden"
        expected = "".join(f"{time}%{{visibility:{look}}}" for time, look in times.items())
        assert f"@keyframes f{first}-{end}{{{expected}}}" in markup


def test_it_is_dark_for_who_wants_that_and_still_for_who_wants_no_motion(tmp_path: Path) -> None:
    markup = film(cell(STEPPED)["s"], tmp_path)
    style = markup[markup.index("<style>") : markup.index("</style>")]
    colours = set(re.findall(r'(?:fill|stroke)="(#\w+)"', markup[markup.index("</style>") :]))
    assert svg.STYLE in style
    assert 'class="mg-graph"' in markup
    assert colours <= {*re.findall(r'\[fill="(#\w+)"\]', style)}
    assert "@media print,(prefers-reduced-motion:reduce){*{animation:none!important}}" in style
    assert "<script" not in markup
    assert "http" not in markup.replace("http://www.w3.org/2000/svg", "")


def test_a_pass_that_fails_is_told_as_far_as_it_went_and_the_frame_stays(tmp_path: Path) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    loss = (y * 2).sum()
    y.data[0] = 1.0
    y.add_(1)  # what exp saved was written to
    stepper = viz.BackwardStepper(loss)
    stepper.next()
    markup = film(stepper, tmp_path)
    assert stepper.index == 1
    assert "could not be run" in seen(markup, len(stepper.frames) - 1)[-1]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text(name: str, tmp_path: Path) -> None:
    x = mg.tensor([1.0], requires_grad=True)
    markup = film(viz.BackwardStepper((x * 2).sum(), names={name: x}), tmp_path)
    assert {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(markup).iter()} <= {
        *("svg", "title", "style", "g", "rect", "path", "text", "tspan", "image"),
    }


def test_bad_paths_and_times(tmp_path: Path) -> None:
    stepper = cell(STEPPED)["s"]
    with pytest.raises(ValueError, match=r"save_svg\(\) writes \.svg files, and 'film\.png' does not end in \.svg"):
        stepper.save_svg("film.png")
    with pytest.raises(TypeError, match=r"save_svg\(\) expects the name of a file, not int: save_svg\('step\.svg'\)"):
        stepper.save_svg(3)
    with pytest.raises(FileNotFoundError, match=r"save_svg\(\) cannot write"):
        stepper.save_svg(tmp_path / "nowhere" / "film.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(IsADirectoryError, match=r"try '.*step\.svg'"):
        stepper.save_svg(tmp_path / "folder.svg")
    for seconds in (0, -1, float("nan"), float("inf"), "2", True):
        with pytest.raises(ValueError, match=r"seconds must be how long each step is seen, such as 2\.0, but got"):
            stepper.save_svg(tmp_path / "film.svg", seconds)
    assert stepper.index == 0


def test_a_closed_part_shows_that_it_runs_and_that_it_is_done(tmp_path: Path) -> None:
    made = "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Linear(2, 2))\nloss = net(mg.ones(1, 2)).sum()\n"
    stepper = cell(f"{made}s = viz.BackwardStepper(loss)\n")["s"]
    stepper.last()
    whole = next(group.id for group in stepper.session.groups if group.path == "net")
    looks = []
    for frame in (0, 2, len(stepper.frames) - 1):
        still = ElementTree.fromstring(
            still_of(stepper.session.graph, stepper.session.groups, [whole], stepper.frames[frame])
        )
        parts = [part for part in still.iter(f"{SVG}g") if part.get("data-group")]
        keys = {part.findtext(f"{SVG}text"): part.get("data-group") for part in parts}
        cards = {
            part.get("data-group"): part.findall(f"{SVG}rect")[-1]
            for part in parts
            if part.find(f"{SVG}rect") is not None
        }
        looks.append([(cards[keys[name]].get("stroke"), cards[keys[name]].get("fill")) for name in "01"])
    idle, ran, done = (svg.WIRE, svg.PAPER), (svg.GRAD, svg.GLOW), (svg.DONE, svg.PAPER)
    assert looks == [[idle, idle], [idle, ran], [ran, done]]

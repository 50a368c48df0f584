"""One palette: what the style sheet of the stepper says is what all pictures say."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from viz.cells import EXAMPLE, STEPPED, cell, still

import minigrad as mg
from minigrad import viz
from minigrad.viz.picture import figure, palette, svg

FOLDER = Path(viz.__file__).parent
COLOUR = re.compile(r'(?:fill|stroke)="(#\w+)"')


def pictures() -> Iterator[str]:
    stepper = cell(STEPPED)["s"]
    yield still(stepper)
    stepper.last()
    yield still(stepper)
    net = "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU())\nd = viz.draw(net(mg.ones(1, 2)).sum(), open={})"
    yield from (cell(net.format(open))["d"].svg for open in ("'all'", "'none'"))
    failing = mg.tensor([1.0], requires_grad=True).exp()
    loss = (failing * 2).sum()
    failing.data[0] = float("nan")
    failing.add_(1)
    stepper = viz.BackwardStepper(loss)
    with contextlib.suppress(RuntimeError):
        stepper.last()
    yield still(stepper)


def test_a_picture_is_complete_by_itself_light_and_dark() -> None:
    seen = set()
    for picture in pictures():
        (style,) = re.findall("<style>(.*?)</style>", picture)
        assert style.startswith(".mg-graph:root{color-scheme:light dark}")
        for selector, _, light, dark in re.findall(r"\}([^{}]*)\{(fill|stroke):light-dark\((#\w+),(#\w+)\)", style):
            assert selector.startswith(":where(.mg-graph) ")  # of a page that holds it, it concerns nothing else
            assert (light, dark) in palette.PAIRS.values()
        attributes = re.sub("<style>.*?</style>", "", picture)
        colours = set(COLOUR.findall(attributes))
        assert colours <= set(re.findall(r'\[fill="(#\w+)"\]', style)) == {palette.light(one) for one in svg.COLOURS}
        seen |= colours
        shapes = re.findall("<(?:rect|path|text) [^>]*>", attributes)
        assert shapes
        for shape in shapes:  # a shape without a colour would be black, also on a dark page
            assert COLOUR.search(shape), shape
    assert len(seen) > 9


def test_each_light_colour_has_one_dark_one() -> None:
    """Else the style sheet of a picture, which knows the light one alone, would give some of its shapes a wrong one."""
    used = [palette.PAIRS[name] for name in svg.COLOURS]
    assert len({light for light, _ in used}) == len(used)


def test_the_colours_are_those_of_the_stepper() -> None:
    sheet = palette.FILE.read_text(encoding="utf-8")
    for name, pair in palette.PAIRS.items():
        assert re.search(rf"--mg-{name}: .*light-dark\({', '.join(pair)}\)", sheet)
    declared = re.findall(r"^  --mg-([\w-]+): .*light-dark\(#", sheet, re.MULTILINE)
    assert palette.PAIRS.keys() == set(declared)
    assert palette.light("hot") != palette.light("leaf")  # which is what is hot in a forward pass


@pytest.mark.parametrize("path", sorted((FOLDER / "picture").glob("*.py")), ids=lambda path: path.stem)
def test_no_colour_is_written_twice(path: Path) -> None:
    assert re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text(encoding="utf-8")) == []


def test_a_chart_has_the_same_colours() -> None:
    html = viz.gradcheck_curve(lambda x: x.sin().sum(), mg.tensor([0.5], dtype=mg.float64))._repr_html_()
    for _, name in figure.COLOURS.values():
        assert palette.light_dark(name) in html
    assert set(COLOUR.findall(html)) <= {light for light, _ in palette.PAIRS.values()}


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [0, 1])
def test_words_can_be_read_on_what_they_stand_on(dark: int) -> None:
    for ground in ("paper", "back", "module", "second", "bar"):
        for ink in ("ink", "quiet"):
            assert contrast(palette.PAIRS[ink][dark], palette.PAIRS[ground][dark]) >= 4.5, (ink, ground)
    for ink in ("hot", "alarm", "done", "wait", "leaf"):
        assert contrast(palette.PAIRS[ink][dark], palette.PAIRS["paper"][dark]) >= 4.5, ink


@pytest.mark.parametrize("dark", [0, 1])
@pytest.mark.parametrize("line", ["wire", "edge", "leaf", "hot", "done", "wait", "alarm", "around"])
def test_edges_and_borders_are_seen_on_what_they_stand_on(line: str, dark: int) -> None:
    """Three to one, the contrast of what is no text and has a meaning."""
    for ground in ("paper", "back", "module", "second", "bar", "glow"):
        assert contrast(palette.PAIRS[line][dark], palette.PAIRS[ground][dark]) >= 3, ground


def test_no_frame_of_an_open_part_has_the_colour_of_an_edge() -> None:
    code = "net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU())\ns = viz.BackwardStepper(net(mg.ones(1, 2)).sum())"
    stepper = cell(code)["s"]
    for _ in range(4):
        picture = still(stepper)
        frames = re.findall(r'<g class="mg-group" .*?<rect [^>]*stroke="(#\w+)"', picture)
        wires = re.findall(r'class="mg-wire" [^>]*stroke="(#\w+)"', picture)
        assert frames
        assert wires
        assert not {*frames} & {*wires}
        stepper.next()


def test_drawings_do_not_differ_from_each_other_in_their_style() -> None:
    scope = cell(EXAMPLE)
    assert viz.draw(scope["F"]).svg.count(svg.STYLE) == 1

"""The picture holds at every size: what pictures.py measures of programs that are quickly drawn stays within bounds.

A bound is what has been reached; whoever reaches more writes that down here, and nobody takes a bound back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

with pytest.MonkeyPatch.context() as patch:  # the benchmarks are scripts, which find each other in their own folder
    patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    import pictures


class Bounds(NamedTuple):
    """What holds of a program's picture at 960 px, at first and at every other step."""

    own: float = 1  # share of the steps whose node has a box of its own, as it opens
    crossings: int = 0
    fitted: float = 1  # how much of the boxes lies in the view after "fit"


TEXT = 10  # pixels of the smallest text
HEIGHT = 0.9 * pictures.WINDOW["height"]  # of the whole widget, with its border
BOUNDS = {
    "sketch": Bounds(),
    "mlp": Bounds(),
    "rnn_6": Bounds(),
    "chain_of_7": Bounds(),
    "vae": Bounds(crossings=1),
    "siamese": Bounds(crossings=6),
    "digits": Bounds(),
    "penalty": Bounds(crossings=14),
    "maml": Bounds(own=0.6, crossings=5),
    "micrograd": Bounds(own=0.25, crossings=36),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of the programs, all run in one process."""
    folder = tmp_path_factory.mktemp("pictures")
    assert "error" not in pictures.run_programs(folder, *BOUNDS)
    return folder


@pytest.fixture
def page(pages: Any) -> Any:
    return pages.emptied(viewport=pictures.WINDOW, reduced_motion="reduce", bypass_csp=True)


@pytest.mark.parametrize("name", BOUNDS)
def test_the_picture_stays_within_its_bounds(page: Any, saved: Path, name: str) -> None:
    place = pictures.SavedPages(page, saved)
    assert "error" not in place.facts(name), place.facts(name)
    place.name = name
    found, bounds = pictures.measured(place, widths=(960,)), BOUNDS[name]
    first, told = found["960"]["opened"], {moment: step["told"] for moment, step in found["steps"].items()}
    assert pictures.own_share(place.facts(name) | found) >= bounds.own
    assert all(step["isSeen"] for step in found["places"])
    assert first["smallest"] >= TEXT
    assert found["960"]["fitted"]["seen"] >= bounds.fitted
    assert first["crossings"] <= bounds.crossings, told
    assert first["under"] == first["mute"] == first["wordless"] == first["unsaid"] == 0, told
    assert max(found["heights"]) <= HEIGHT
    assert found["height changes by"] == 0
    for measure in pictures.WORDS:
        assert pictures.worst(found, measure) == 0, told


def test_the_table_has_a_number_for_each_head(page: Any, saved: Path) -> None:
    place = pictures.SavedPages(page, saved)
    place.name = "sketch"
    result = place.facts("sketch") | pictures.measured(place)
    assert result["1230"]["opened"]["width"] == pytest.approx(1230, abs=6)
    numbers = pictures.row("sketch", result).split()[1:]
    heads = pictures.HEAD.splitlines()[1].split()
    assert len(numbers) == len(heads)
    assert dict(zip(heads, numbers, strict=True))["nodes"] == "6"
    assert len(pictures.row("sketch", {"error": "KeyError: 'n3'"}).split()) == 3
    assert pictures.own_share(result) == 1
    assert [place["isOwn"] and place["isSeen"] for place in result["places"]] == [True] * 6
    assert pictures.summary({"sketch": result, "rnn": {"error": "KeyError"}})[0] == "1 of 2 open."


DRAWN = """<!doctype html><meta charset="utf-8"><style>body {{ margin: 0 }} text {{ font: 20px monospace }}</style>
<div class="minigrad-stepper" style="width: 700px"><div class="mg-view" style="height: 300px; overflow: hidden">
<svg class="mg-graph" width="400" height="400" viewBox="0 0 800 800">{shapes}</svg></div>{words}</div>"""


def box(name: str, x: int, y: int, width: int = 120, more: str = "", **rows: str) -> str:
    rows = {"operation": "a*b", "value": "value 4", "grad": "grad 1"} | rows
    kinds = zip(("mg-name", "mg-expression", "", ""), (name, *rows.values()), strict=True)
    texts = "".join(
        f'<text class="{kind}" x="10" y="{15 + 20 * k}">{row}</text>' for k, (kind, row) in enumerate(kinds)
    )
    return (
        f'<g data-box="{name}" transform="translate({x} {y})"><rect class="mg-card" width="{width}" height="80"/>'
        f"{texts}{more}</g>"
    )


def edge(path: str, more: str = "") -> str:
    return f'<g data-edge="e"><path class="mg-wire" fill="none" stroke="black" d="{path}"/>{more}</g>'


GOOD = [box("left", 0, 0), box("right", 400, 0), edge("M120 40L400 40")]
FAULTS: dict[str, tuple[list[str], dict[str, int]]] = {
    "none": ([], {}),
    "an edge under a box": ([box("between", 200, 0)], {"boxes": 3, "under": 1}),
    "a box that is not seen": ([box("below", 0, 700)], {"boxes": 3}),
    "a hidden box": ([f'<g display="none">{box("absent", 200, 0)}</g>'], {}),
    "edges that cross": (
        [box("low", 0, 200), box("far", 400, 200), edge("M120 240L400 60"), edge("M120 60L400 240")],
        {"boxes": 4, "edges": 3, "crossings": 1},
    ),
    "edges that part": ([box("far", 400, 200), edge("M120 40L400 240")], {"boxes": 3, "edges": 2}),
    "texts that overlap": ([box("one", 0, 200, more='<text x="20" y="32">two</text>')], {"boxes": 3, "overlapping": 1}),
    "lines of text": ([box("one", 0, 200, more='<text x="10" y="95">two</text>')], {"boxes": 3}),
    "a text that an edge runs through": (['<text x="200" y="48">struck</text>'], {"struck": 1}),
    "what flows along an edge": (['<g data-chip="e"><text x="200" y="48">4</text></g>'], {}),
    "a text wider than its box": ([box("much too long a name", 0, 200)], {"boxes": 3, "spilled": 1}),
    "boxes on each other": ([box("upper", 0, 76, 130)], {"boxes": 3, "collided": 1}),
    "a name of which little is left": ([box("Tr…", 0, 200)], {"boxes": 3, "cut": 1}),
    "a part that says whose it is": (
        ['<g data-group="g"><rect class="mg-frame" y="190" width="9" height="9"/><g data-group="g"><rect/></g></g>'],
        {"boxes": 3},
    ),
    "words in a narrow column": ([], {"squeezed": 1}),
    "a box without a number": ([box("dumb", 0, 200, value="", grad="grad")], {"boxes": 3, "mute": 1}),
    "a number without a word": ([box("bare", 0, 200, value="4e-05")], {"boxes": 3, "wordless": 1}),
    "a word in another row": ([box("bare", 0, 200, value="[1, 2]", grad="grad")], {"boxes": 3, "wordless": 1}),
    "a shape, which needs no word": ([box("wide", 0, 200, value="(0, 3)")], {"boxes": 3}),
    "a box without its gradient": ([box("idle", 0, 200, grad="")], {"boxes": 3, "unsaid": 1}),
    "a constant": ([box("two", 0, 200, grad="").replace("<g ", '<g class="mg-constant" ', 1)], {"boxes": 3}),
    "a result without its operation": (
        [box("made", 400, 200, operation=""), edge("M120 40L400 240")],
        {"boxes": 3, "edges": 2, "unsaid": 1},
    ),
    "an operation beside the name": (
        [box("c = a*b", 400, 200, operation=""), edge("M120 40L400 240")],
        {"boxes": 3, "edges": 2},
    ),
    "a flow that turns back": (
        [box("low", 0, 200), box("far", 400, 200), edge("M400 60L120 240"), edge("M120 240L400 240")],
        {"boxes": 4, "edges": 3, "back": 1, "turns": 1},
    ),
    "a title that an edge runs through": (
        ['<g data-group="g" class="mg-open"><rect class="mg-frame" width="800" height="90"/></g>']
        + ['<g class="mg-group-title"><text x="200" y="48">net</text></g>'],
        {"frames": 1, "struck": 1, "titles": 1},
    ),
    "small text": (['<text x="200" y="200" style="font-size: 9px">tiny</text>'], {"smallest": 4.5}),
    "an open group": (
        ['<g data-group="g" class="mg-open"><rect class="mg-frame" y="190" width="600" height="100"/></g>'],
        {"frames": 1},
    ),
    "a closed group": (
        ['<g data-group="g"><rect class="mg-frame" y="190" width="600" height="100"/></g>'],
        {"boxes": 3},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_measures_see_each_fault_and_no_other(page: Any, fault: str) -> None:
    shapes, expected = FAULTS[fault]
    words = '<p style="position: absolute; width: {}px">each of these words has a line <b>of its own</b></p>'
    width = 60 if "narrow" in fault else 500
    page.set_content(DRAWN.format(shapes="".join([*GOOD, *shapes]), words=words.format(width)))
    found = page.locator(".minigrad-stepper").evaluate(pictures.MEASURES)
    wanted = (
        {"boxes": 2, "frames": 0, "edges": 1, "smallest": 10, "turns": 0} | dict.fromkeys(found["told"], 0) | expected
    )
    assert {name: found[name] for name in wanted} == wanted, found["told"]
    assert found["seen"] == (pytest.approx(2 / 3) if "not seen" in fault else 1)
    assert (found["width"], found["height"]) == (700, 300)
    assert found["direction"] == "across"


def test_boxes_below_each_other_flow_down(page: Any) -> None:
    shapes = [box("a", 0, 0), box("b", 0, 150), box("c", 300, 0), edge("M60 80L60 150"), edge("M120 190L300 40")]
    shapes += [box("d", 300, 150), edge("M360 80L360 150")]
    page.set_content(DRAWN.format(shapes="".join(shapes), words=""))
    found = page.locator(".minigrad-stepper").evaluate(pictures.MEASURES)
    assert (found["direction"], found["turns"], found["told"]["back"]) == ("down", 1, ["b → c"])
    assert (found["shown"], found["groups"]) == (["a", "b", "c", "d"], [])
    assert found["used"] == pytest.approx(4 * 60 * 40 / (700 * 300), rel=0.02)


STEPPED = """<script>
const states = [["[data-box=seen]"], ["[data-box=below]"], ["[data-group]"], ["[data-box=seen]"]];
document.querySelector(".mg-press-next").addEventListener("click", () => {
    const root = document.querySelector(".minigrad-stepper");
    const step = Number(root.dataset.step ?? 0) + 1;
    for (const one of document.querySelectorAll(".mg-ran")) one.classList.remove("mg-ran");
    document.querySelector(states[step - 1]).classList.add("mg-ran");
    if (step === states.length) document.querySelector("svg").style.display = "none";
    root.dataset.step = step;
});
</script>"""


def test_the_walk_sees_where_the_box_that_runs_stands(page: Any) -> None:
    group = '<g data-group="g"><rect class="mg-frame" y="200" width="100" height="80"/></g>'
    shapes = [box("seen", 0, 0), box("below", 0, 700), group]
    words = '<button class="mg-press-next">Next</button>'
    page.set_content(DRAWN.format(shapes="".join(shapes), words=words) + STEPPED)
    walked = page.locator(".minigrad-stepper").evaluate(pictures.WALK, 4)
    assert [(place["isOwn"], place["isSeen"]) for place in walked["places"]] == [
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    ]
    assert len(walked["painted"]) == len(walked["heights"]) == 4


AT_STEP = """(root, step) => {
    const slider = root.querySelector(".mg-slider");
    slider.value = String(step);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}"""
NOTE_AND_PARTS = """(root) => {
    const view = root.querySelector(".mg-view").getBoundingClientRect();
    const middles = [...root.querySelectorAll("[data-group]:not(.mg-open, [display=none]) .mg-frame")]
        .map((frame) => frame.getBoundingClientRect())
        .map(({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2]);
    const isSeen = ([x, y]) => x > view.left && x < view.right && y > view.top && y < view.bottom;
    return [!root.querySelector(".mg-notice").hidden, middles.some(isSeen)];
}"""


def test_the_map_of_a_wide_drawing_shows_its_boxes(page: Any, saved: Path) -> None:
    place = pictures.SavedPages(page, saved)
    place.name = "vae"
    widget = place.open(960)
    widget.evaluate(AT_STEP, 15)
    marks = widget.locator(".mg-minimap g:not(.mg-open) > rect:first-child")
    assert marks.count() >= place.facts("vae")["nodes"] - 3, "most of the boxes lie in closed parts of the map"


def test_that_a_click_opens_a_closed_part_is_said_where_one_is_seen(page: Any, saved: Path) -> None:
    place = pictures.SavedPages(page, saved)
    place.name = "maml"
    widget = place.open(960)
    said = []
    for step in range(1, place.facts("maml")["steps"], 4):
        widget.evaluate(AT_STEP, step)
        is_said, is_seen = widget.evaluate(NOTE_AND_PARTS)
        assert is_said == is_seen, f"at step {step}"
        said.append(is_said)
    assert {True, False} == set(said)

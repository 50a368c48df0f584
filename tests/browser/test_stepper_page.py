"""The stepper on pages without a kernel, in a real browser: how it looks in each state, what a screen reader is given,
narrow pages, dark ones, paper, and readers who want no motion.

Reference screenshots lie in screenshots/; to make them anew, after a look at each: MINIGRAD_SCREENSHOTS=write.
"""

import base64
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from helpers.buttons import in_menu, press
from matplotlib.image import imread
from playwright.sync_api import Page, expect

import minigrad as mg
from minigrad import viz
from minigrad.viz.page import widget_source

HERE = Path(__file__).parent
EXAMPLES = json.loads((HERE.parent / "js" / "examples.json").read_text(encoding="utf-8"))
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>a recorded backward pass</title>
<style>body {{ margin: 8px; color-scheme: light dark;
background: light-dark(#fff, #14181d); color: light-dark(#000, #fff); }} {css}</style>
<main><h1 style="font: 700 18px sans-serif">A backward pass</h1><h2 style="font: 700 14px sans-serif">Step by step</h2>
<h3 style="font: 700 12px sans-serif">F</h3><div id="host"></div></main>
<script type="module">{js}
const values = {values};
const heard = {{}};
const model = {{
  get: (name) => values[name],
  set: (name, value) => {{ values[name] = value; for (const hear of heard["change:" + name] ?? []) hear(); }},
  on: (name, hear) => {{ (heard[name] ??= []).push(hear); }},
  off() {{}}, save_changes() {{}},
}};
render({{ model, el: document.getElementById("host") }});
window.ready = true;
</script></html>"""

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def opened(pages: Any) -> Callable[..., Page]:
    """Show one of the recorded passes."""

    def open_page(
        name: str = "example",
        change: Change | None = None,
        viewport: tuple[int, int] = (880, 800),
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["reduce", "no-preference"] = "reduce",
        **settings: Any,
    ) -> Page:
        values = {**json.loads(json.dumps(EXAMPLES[name])), "index": 0, "finished": True, "live": False, "breaks": []}
        if change is not None:
            change(values)
        page: Page = pages.emptied(**settings)
        page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
        page.emulate_media(media="screen", color_scheme=color_scheme, reduced_motion=reduced_motion)
        script = widget_source.script().replace("export default { render };", "")
        text = json.dumps(values).replace("<", "\\u003c")
        html = PAGE.format(css=widget_source.style(), js=script, values=text)
        # With set_content Chromium would not tell when the pointer leaves a thing.
        page.goto(f"data:text/html;charset=utf-8;base64,{base64.b64encode(html.encode()).decode()}")
        page.wait_for_function("window.ready === true")
        return page

    return open_page


def events_of_all_kinds(values: dict[str, Any]) -> None:
    """Put an event of each kind into the second step, and one box of each kind into the picture."""
    kinds = ("tensor_hook", "node_prehook", "node_hook", "post_accumulate", "retain_grad", "packed", "unpacked")
    kinds += ("saved", "freed", "version_mismatch", "anomaly", "error", "pruned")
    frame = json.loads(values["recorded"][2])
    frame["events"] = [
        {
            "kind": kind,
            "node": "n4" if number < 4 else "n3" if number < 8 else "n1",
            "title": f"a {kind.replace('_', ' ')}",
            "text": "What it did, in a sentence.",
            "before": "[1, 2]" if kind == "tensor_hook" else None,
            "after": "[1, NaN]" if kind == "tensor_hook" else None,
            "line": ["your cell", 5, "E.register_hook(f)"] if kind == "tensor_hook" else None,
        }
        for number, kind in enumerate(kinds)
    ]
    frame["boxes"]["n4"] = {**frame["boxes"]["n4"], "state": "failed"}
    values["recorded"][2] = json.dumps(frame)
    boxes = values["picture"]["boxes"]
    boxes["n0"]["needs_grad"] = False
    boxes["n2"]["pruned"] = True
    boxes["n3"].update(version=2, saved_version=1)


def odd_sizes(values: dict[str, Any]) -> None:
    """Let a NaN begin on the way, and an infinity go out."""
    frame = json.loads(values["recorded"][2])
    frame["norms"] = dict(zip(frame["norms"], ("NaN", "Infinity"), strict=False))
    frame["boxes"]["n3"] = {**frame["boxes"]["n3"], "grad": "⚠ NaN", "alarm": True}
    values["recorded"][2] = json.dumps(frame)


def of_seven_boxes(values: dict[str, Any]) -> None:
    """A pass that a telephone cannot show as a whole in letters that can be read."""
    x, w, b = (mg.tensor(pair, requires_grad=True) for pair in ([1.0, 2.0, 0.25], [3.0, 4.0, 0.75], [0.5, 0.5, 0.125]))
    p = x * w
    q = p + b
    r = q.tanh()
    stepper = viz.BackwardStepper(r.sum(), names={"x": x, "w": w, "b": b})
    stepper.last()
    values.update(picture=stepper.picture, recorded=stepper.recorded)


def of_many_boxes(values: dict[str, Any]) -> None:
    """A pass that no sheet of paper has room for: a chain beside a row."""
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(24):
        y = y.sin()
    total = sum((x * k for k in range(2, 9)), y)
    stepper = viz.BackwardStepper(total.sum(), names={"x": x, "y": y})
    stepper.last()
    values.update(picture=stepper.picture, recorded=stepper.recorded)


def with_much_closed(values: dict[str, Any]) -> None:
    values["picture"] |= {"note": "61 boxes; a click opens a closed part", "open": []}
    values["follows"] = False  # else the part that runs opens


def in_two_graphs(values: dict[str, Any]) -> None:
    """Put the last two boxes of the network into the graph of a gradient, as `groups.py` does."""
    picture = values["picture"]
    boxes = list(picture["boxes"])[-2:]
    for group in picture["groups"]:
        group["boxes"] = [box for box in group["boxes"] if box not in boxes]
    name = "the graph of the gradient"
    group = {"id": "g9", "name": name, "path": name, "kind": "create_graph", "parent": None, "boxes": boxes, "count": 2}
    picture["groups"].append(group)
    picture["open"] = [*picture["open"], "g9"]


def at_step(page: Any, step: int) -> None:
    for _ in range(step):
        page.locator(".mg-press-next").click()
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.mouse.move(0, 0)


# Each state that a reader can meet: how to get there.
def middle(page: Any) -> None:
    at_step(page, 2)


def details(page: Any) -> None:
    at_step(page, 2)
    page.locator("[data-box=n3]").click()


def breakpoints(page: Any) -> None:
    page.locator("[data-box=n4]").focus()
    page.keyboard.press("b")
    press(page, "breaks")
    page.locator(".mg-condition").fill("g > 1")
    page.locator(".mg-new-break button[type=submit]").click()


def menu(page: Any) -> None:
    page.locator("[data-box=n3]").click(button="right")


def highlighted(page: Any) -> None:
    page.locator("[data-box=n4]").focus()
    page.keyboard.press("u")


def closed(page: Any) -> None:
    press(page, "close-all")
    at_step(page, 2)


def searched(page: Any) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("/")
    page.keyboard.type("weight")


def maps(page: Any) -> None:
    at_step(page, 2)
    page.locator("[data-box]", has_text="x @ w").click()


def keys(page: Any) -> None:
    in_menu(page, ".mg-keys summary").click()


def more(page: Any) -> None:
    at_step(page, 2)
    page.locator(".mg-press-more").click()


def legend(page: Any) -> None:
    at_step(page, 2)
    press(page, "legend")


def growing(page: Any) -> None:
    press(page, "first")
    at_step(page, 2)


def asked(page: Any) -> None:
    press(page, "predict")
    page.locator(".mg-press-next").click()
    page.locator(".mg-answer").fill("-1")
    page.keyboard.press("Enter")


def sizes(page: Any) -> None:
    at_step(page, 2)
    press(page, "sizes")


def pointed(page: Any) -> None:
    at_step(page, 2)
    page.locator(".mg-title-name .mg-a-name").hover()


def cells(page: Any) -> None:
    page.locator(".mg-folded summary", has_text="cells").click()
    at_step(page, 2)
    page.locator('.mg-cells [data-of="1"] [data-k="1"]').hover()


STATES: dict[str, tuple[str, Callable[[Any], None], Change | None]] = {
    "start": ("example", lambda page: None, None),
    "middle": ("example", middle, None),
    "details": ("example", details, None),
    "events": ("example", details, events_of_all_kinds),
    "breakpoints": ("example", breakpoints, None),
    "menu": ("example", menu, None),
    "highlighted": ("example", highlighted, None),
    "network": ("network", middle, None),
    "closed": ("network", closed, None),
    "searched": ("network", searched, None),
    "large": ("large", middle, None),
    "maps": ("large", maps, None),
    "sheet": ("network", middle, in_two_graphs),
    "keys": ("example", keys, None),
    "more": ("network", more, None),
    "legend": ("network", legend, None),
    "growing": ("grown", growing, None),
    "asked": ("example", asked, None),
    "cells": ("cells", cells, None),
}


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_any_state(opened: Any, node_modules: Path, state: str) -> None:
    name, reach, change = STATES[state]
    page = opened(name, change)
    page.locator(".mg-press-fit").click()
    reach(page)
    page.locator(".mg-view").evaluate("(view) => view.scrollTo(0, view.scrollTop)")  # what is scrolled out is not read
    page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    for scheme, rules in (("light", ""), ("dark", ", runOnly: ['color-contrast']")):  # all else is the same in both
        page.emulate_media(color_scheme=scheme)
        options = f"{{ resultTypes: ['violations']{rules} }}"
        found = page.evaluate(f"async () => (await axe.run(document, {options})).violations")
        told = [(item["id"], item["impact"], [node["html"][:160] for node in item["nodes"][:3]]) for item in found]
        assert told == [], scheme


# Every text that is seen: its words, its colour, and where it stands. What is faded because others are asked for, or
# because it cannot be pressed, is not meant to be read.
WRITTEN = """() => [...document.querySelectorAll('.minigrad-stepper *')].flatMap((one) => {
  const words = [...one.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const isShape = one instanceof SVGElement;
  const off = '.mg-spoken, [aria-disabled=true], option, .mg-dimmed :not(.mg-onway, .mg-onway *)';
  if (!words || !one.checkVisibility({ visibilityProperty: true }) || one.closest(off)) return [];
  const range = document.createRange();
  range.selectNodeContents(words);
  const part = '[data-box], [data-group], [data-chip]';
  return [...range.getClientRects()].filter(({ x, y, width, height }) => {
    const over = document.elementFromPoint(x + width / 2, y + height / 2);
    return over && (one.contains(over) || (isShape && over.closest(part) && over.closest(part) === one.closest(part)));
  }).map(({ x, y, width, height }) => {
    const colour = getComputedStyle(one)[isShape ? 'fill' : 'color'];
    return { words: words.data.trim(), colour, place: [x, y, width, height] };
  });
})"""
WITHOUT_WORDS = ".minigrad-stepper * { color: transparent !important; text-decoration-color: transparent !important }"
WITHOUT_WORDS += ".minigrad-stepper text { fill: transparent !important; stroke: transparent !important }"
# It comes over what is looked at when the pointer has rested for a third of a second: on a busy machine in between.
WITHOUT_TIP = ".minigrad-stepper .mg-tip { display: none !important }"
SIZES: dict[str, tuple[str, Callable[[Any], None], Change | None]] = {
    "sizes": ("network", sizes, None),
    "odd sizes": ("example", sizes, odd_sizes),
    "pointed": ("example", pointed, None),
}


NUMBERS = """() => {
  const words = [...document.querySelectorAll(".mg-legend-parts b")].map(({ textContent }) => textContent);
  const discs = [...document.querySelectorAll(".mg-pointer circle")].map((disc) => disc.getBoundingClientRect());
  const away = (wire, { left, top, width, height }) => {
    const steps = Array.from({ length: 101 }, (_, k) => wire.getPointAtLength((k / 100) * wire.getTotalLength()));
    const places = steps.map((at) => at.matrixTransform(wire.getScreenCTM()));
    return Math.min(...places.map(({ x, y }) => Math.hypot(x - left - width / 2, y - top - height / 2)));
  };
  const widthOf = (wire) => parseFloat(getComputedStyle(wire).strokeWidth);
  const nearest = (word) => {
    const disc = discs[words.indexOf(word)];
    const wires = [...document.querySelectorAll(".mg-edge > .mg-wire")].map((wire) => [away(wire, disc), wire]);
    const [distance, wire] = wires.sort(([one], [other]) => one - other)[0];
    return [distance, widthOf(wire), wire.parentNode.classList.contains("mg-off")];
  };
  const most = Math.max(...[...document.querySelectorAll(".mg-sized > .mg-wire")].map(widthOf));
  return [most, nearest("wide edge"), nearest("dotted edge")];
}"""


def test_the_legend_points_at_the_widest_edge_and_at_a_dotted_one(opened: Any) -> None:
    """Each number stands on the line itself."""
    page = opened("network", None, viewport=(1400, 900))
    page.locator(".mg-press-last").click()
    page.keyboard.press("?")
    most, wide, dotted = page.evaluate(NUMBERS)
    assert max(wide[0], dotted[0]) < 3, (wide, dotted)
    assert wide[1:] == [most, False]
    assert dotted[2] is True


def test_the_lines_of_an_error_stay_lines(opened: Any) -> None:
    lines = ["written to by:", "    y += 1", "Make a new tensor."]

    def failing(values: dict[str, Any]) -> None:
        frame = json.loads(values["recorded"][2])
        frame["failed"] = True
        values["recorded"] = [*values["recorded"][:2], json.dumps(frame)]
        values["problem"] = {"text": "\n".join(lines), "box": frame["box"]}

    page = opened("example", failing, viewport=(1400, 900))
    page.locator(".mg-press-last").click()
    problem = page.locator(".mg-problem")
    assert problem.inner_text().splitlines() == [f"This step failed. {lines[0]}", *lines[1:]]
    assert page.locator(".mg-sentence").first.bounding_box()["y"] < problem.bounding_box()["y"]


@pytest.mark.parametrize(
    "state", ["details", "events", "network", "closed", "growing", "asked", "cells", "more", "legend", *SIZES]
)
def test_all_that_is_written_can_be_read(opened: Any, state: str) -> None:
    """A contrast of 4.5 to 1 with all that lies below it, in the drawing too, which axe does not look at."""
    name, reach, change = (STATES | SIZES)[state]
    page = opened(name, change, viewport=(1000, 800))
    page.add_style_tag(content=WITHOUT_TIP)
    reach(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        written = page.evaluate(WRITTEN)
        without_words = page.add_style_tag(content=WITHOUT_WORDS)
        ground = pixels_of(page.screenshot())
        without_words.evaluate("(style) => style.remove()")
        poor = []
        for text in written:
            colour = np.array([float(number) for number in re.findall(r"[\d.]+", text["colour"])[:3]])
            x, y, width, height = (int(number) for number in text["place"])
            below = contrast(colour, ground[max(y, 0) : y + height, max(x, 0) : x + width])
            if below.size and np.percentile(below, 15) < 4.5:  # where an edge passes under it, it is not read
                poor.append((text["words"], round(float(np.percentile(below, 15)), 2)))
        assert len(written) > 40
        assert poor == [], scheme


def test_in_the_forward_pass_no_box_says_grad(opened: Any) -> None:
    page = opened("grown")
    growing(page)
    seen = """(words) => words.filter((word) => getComputedStyle(word).visibility === "visible")
        .map((word) => word.textContent)"""
    words = page.locator(".mg-word")
    assert set(words.evaluate_all(seen)) == {"value"}
    page.locator(".mg-press-last").click()
    assert set(words.evaluate_all(seen)) == {"value", "grad"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_forced_colours_the_lit_code_and_the_slider_are_seen(opened: Any, scheme: Any) -> None:
    page = opened("example", color_scheme=scheme, forced_colors="active")
    at_step(page, 2)
    mark = pixels_of(page.locator(".mg-mark").screenshot())
    assert contrast(mark.min(axis=(0, 1)), mark.max(axis=(0, 1))) >= 4.5
    slider = pixels_of(page.locator(".mg-slider").screenshot())
    for column in (slider.shape[1] // 8, slider.shape[1] * 7 // 8):  # what lies behind, and what is still to come
        track = slider[:, column]
        assert contrast(track, track[0]).max() >= 3
    edges = page.locator(".mg-line").evaluate_all(
        "(lines) => lines.map((line) => getComputedStyle(line).borderLeftColor)"
    )
    lit = page.locator(".mg-line.mg-lit").evaluate("(line) => getComputedStyle(line).borderLeftColor")
    assert edges.count(lit) == 1


@pytest.mark.parametrize("width", [380, 800, 880, 1400])
def test_the_list_of_breakpoints_does_not_cover_what_is_told(opened: Any, width: int) -> None:
    page = opened("example", viewport=(width, 900))
    breakpoints(page)
    press(page, "run")
    expect(page.locator(".mg-breaks")).to_be_visible()
    note = page.locator(".mg-note")
    expect(note).to_contain_text("Stopped at a breakpoint")
    covered = """(note) => [0.02, 0.5].map((part) => {
        const { x, y, width, height } = note.getBoundingClientRect();
        return note.contains(document.elementFromPoint(x + width * part, y + height / 2));
    })"""
    assert note.evaluate(covered) == [True, True]


def test_no_heading_of_ours_breaks_the_order_of_those_around(opened: Any) -> None:
    page = opened("example", events_of_all_kinds)
    details(page)
    page.locator(".mg-why summary").dispatch_event("click")
    assert page.locator(".minigrad-stepper .mg-title").count() >= 4
    assert page.get_by_role("heading").all_text_contents() == ["A backward pass", "Step by step", "F"]


@pytest.mark.parametrize("width", [320, 360, 420])
def test_on_a_telephone_every_box_that_is_seen_says_its_numbers(opened: Any, width: int) -> None:
    page = opened("example", of_seven_boxes, viewport=(width, 800))
    fit, size = page.locator(".mg-press-fit"), page.locator(".mg-press-size")
    view = page.locator(".mg-view").bounding_box()
    for _ in range(6):
        at_step(page, 1)
        assert page.locator(".mg-value:visible").count() == 7
        letters = page.locator(".mg-value, .mg-grad").evaluate_all(
            "(texts) => texts.map((text) => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize))"
        )
        assert min(letters) >= 9.99
        ran = page.locator(".mg-box.mg-ran .mg-card").bounding_box()
        assert view["x"] - 2 <= ran["x"]
        assert ran["x"] + ran["width"] <= view["x"] + view["width"] + 2
        assert view["y"] <= ran["y"]
        assert ran["y"] + ran["height"] <= view["y"] + view["height"]
    before = size.text_content()
    fit.click()  # the whole is there, too
    expect(fit).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".mg-whole .mg-map-name")).to_have_count(7)
    drawing = page.locator(".mg-whole svg").bounding_box()
    assert drawing["width"] <= view["width"]
    assert drawing["height"] <= view["height"]
    assert size.text_content() != before
    assert page.locator(".minigrad-stepper").bounding_box()["width"] <= width


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_no_frame_has_the_colour_of_an_edge(opened: Any, color_scheme: Literal["light", "dark"]) -> None:
    page = opened("network", viewport=(1200, 600), color_scheme=color_scheme)  # so low that there is a small map
    press(page, "open-all")
    strokes = "(some) => some.filter((one) => one.checkVisibility()).map((one) => getComputedStyle(one).stroke)"
    for _ in range(3):
        at_step(page, 2)
        for picture, edges in ((".mg-graph", ".mg-wire"), (".mg-minimap-drawing", ".mg-minimap-edges path")):
            frames = page.locator(f"{picture} .mg-open > rect:not(.mg-stack)").evaluate_all(strokes)
            assert frames
            assert not {*frames} & {*page.locator(f"{picture} {edges}").evaluate_all(strokes)}
    press(page, "sizes")
    frames = page.locator(".mg-graph .mg-open > .mg-frame").evaluate_all(strokes)
    assert not {*frames} & {*page.locator(".mg-graph .mg-wire").evaluate_all(strokes)}


@pytest.mark.parametrize("width", [320, 360])
def test_on_a_telephone_the_drawing_has_the_width_and_the_sentence_the_lines(opened: Any, width: int) -> None:
    page = opened("network", viewport=(width, 740))
    press(page, "open-all")
    at_step(page, 2)
    stage, view = page.locator(".mg-stage").bounding_box(), page.locator(".mg-view").bounding_box()
    assert view["width"] == stage["width"]  # the small map is not beside it
    story, code = page.locator(".mg-happened").bounding_box(), page.locator(".mg-yours").bounding_box()
    assert story["height"] > code["height"]


@pytest.mark.parametrize("width", [320, 380, 560, 760])
def test_that_parts_are_closed_is_said_whole_or_not_at_all(opened: Any, width: int) -> None:
    page = opened("network", with_much_closed, viewport=(width, 900))
    page.locator(".mg-press-next").click()  # the hint for the first time, which goes then, has stood in its place
    notice = page.locator(".mg-notice")
    expect(notice).to_have_count(1)
    assert notice.is_visible() == (width == 760)
    assert notice.evaluate("(one) => one.clientWidth >= one.scrollWidth")


@pytest.mark.parametrize(
    ("state", "settings"),
    [
        *((state, {}) for state in STATES),
        *((state, {"color_scheme": "dark"}) for state in ("events", "network", "growing", "cells")),
        *((state, {"viewport": (380, 900)}) for state in ("details", "closed", "asked")),
        ("middle", {"viewport": (550, 700), "device_scale_factor": 2}),  # 200 % zoom
        ("cells", {"viewport": (700, 800)}),
    ],
)
def test_it_looks_as_it_did(opened: Any, state: str, settings: dict[str, Any]) -> None:
    name, reach, change = STATES[state]
    page = opened(name, change, **settings)
    reach(page)
    width = str(settings["viewport"][0]) if "viewport" in settings else ""
    compare(page, "-".join(part for part in (state, settings.get("color_scheme", ""), width) if part))


# A page hears of the paper some frames after its styles know of it, draws in that frame, and has its height after that.
HEARS = "() => { window.heard = new Promise((done) => matchMedia('print').addEventListener('change', done)); }"
IS_DRAWN = "() => window.heard.then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))"


def put_on_paper(page: Page) -> None:
    page.evaluate(HEARS)
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate(IS_DRAWN)


def test_on_paper_the_controls_are_gone_and_all_is_shown(opened: Any) -> None:
    page = opened("network")
    at_step(page, 2)
    put_on_paper(page)
    assert not page.locator(".mg-bar").is_visible()
    stepper = page.locator(".minigrad-stepper").bounding_box()
    drawing = page.locator(".mg-graph").locator("visible=true").bounding_box()
    assert drawing["width"] <= stepper["width"]
    hidden = "(parts) => parts.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.className)"
    assert page.locator(".mg-side, .mg-panels, .mg-story, .mg-source").evaluate_all(hidden) == []
    last = page.locator(".mg-line").last.bounding_box()
    assert last["y"] + last["height"] <= stepper["y"] + stepper["height"]
    compare(page, "paper")


@pytest.mark.parametrize(("name", "change", "least"), [("network", None, 1), ("example", of_many_boxes, 3)])
def test_on_paper_a_large_picture_takes_as_many_sheets_as_its_numbers_need(
    opened: Any, name: str, change: Change | None, least: int
) -> None:
    page = opened(name, change, viewport=(690, 900))
    at_step(page, 2)
    boxes = page.locator(".mg-view [data-box]:not([display=none])").count()
    put_on_paper(page)
    expect(page.locator(".mg-sheets svg").nth(least - 1)).to_be_attached()
    found = page.evaluate(
        """() => {
            const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect();
            const sheets = [...document.querySelectorAll('.mg-sheets svg')];
            const whole = sheets.length ? sheets : [...document.querySelectorAll('.mg-view svg.mg-graph')];
            const names = new Set(), texts = [], cut = [];
            for (const sheet of whole) {
                const place = sheet.getBoundingClientRect();
                for (const box of sheet.querySelectorAll('[data-box]:not([display=none])')) {
                    const card = seen(box.querySelector('.mg-card'));
                    if (!card) continue;
                    names.add(box.getAttribute('data-box'));
                    if (card.top < place.top - 1 || card.bottom > place.bottom + 1) cut.push(box.textContent);
                    for (const text of box.querySelectorAll('.mg-value, .mg-grad'))
                        texts.push(seen(text).height);
                }
            }
            const tallest = Math.max(...whole.map((sheet) => sheet.getBoundingClientRect().height));
            return { boxes: names.size, least: Math.min(...texts), cut, tallest };
        }"""
    )
    assert (found["boxes"], found["cut"]) == (boxes, [])
    assert found["least"] >= 7
    assert found["tallest"] <= 900
    page.emulate_media(media="screen")
    expect(page.locator(".mg-sheets svg")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 380, 560, 760, 1400])
def test_nothing_sticks_out_of_a_page_of_any_width(opened: Any, width: int) -> None:
    page = opened("network", viewport=(width, 900))
    at_step(page, 3)
    page.locator("[data-box]").first.evaluate("(box) => box.dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    press(page, "breaks")
    out = page.evaluate(
        """() => {
            const right = document.documentElement.clientWidth;
            const inside = (element) => element.closest('.mg-view, .mg-source, .mg-spoken');
            return [...document.querySelectorAll('.minigrad-stepper *')]
                .filter((element) => !inside(element) && element.getBoundingClientRect().right > right + 1)
                .map((element) => element.className);
        }"""
    )
    assert out == []
    cut = page.locator(".mg-bar button, .mg-set-zoom button").evaluate_all(
        """(buttons) => buttons.filter((one) => {
            const left = one.closest('.minigrad-stepper').getBoundingClientRect().left;
            const isCut = one.getClientRects().length && one.getBoundingClientRect().left < left;
            return isCut || one.scrollWidth > one.clientWidth + 1;
        }).map((one) => one.className)"""
    )
    assert cut == []


# Parts that cover each other, and controls that lie under something when they are scrolled to.
COVERED = """() => {
  const place = (part) => part.getBoundingClientRect();
  const parts = [...document.querySelectorAll('.mg-bar, .mg-stage, .mg-panel')];
  const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const found = parts.flatMap((one, k) => parts.slice(k + 1)
    .filter((other) => across(place(one), place(other)) > 1 && down(place(one), place(other)) > 1)
    .map((other) => `${one.className} / ${other.className}`));
  for (const control of document.querySelectorAll('.minigrad-stepper :is(button, select, input, summary)')) {
    control.scrollIntoView({ block: 'center', inline: 'nearest' });
    const { x, y, width, height } = place(control);
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    if (width && !control.contains(top)) found.push(`${control.className} under ${top?.className}`);
  }
  return found;
}"""


@pytest.mark.parametrize(("viewport", "scale"), [((350, 225), 4), ((320, 640), 1)])
def test_at_400_percent_all_is_reached_by_scrolling_down_and_nothing_is_covered(
    opened: Any, viewport: tuple[int, int], scale: int
) -> None:
    page = opened("example", viewport=viewport, device_scale_factor=scale)
    at_step(page, 2)
    for _ in range(2):
        assert page.evaluate(COVERED) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        sentence, story = (page.locator(name).bounding_box() for name in (".mg-sentence", ".mg-story"))
        assert sentence["height"] <= story["height"]  # what happened is read without a scroll in a scroll
        page.locator(".mg-why summary").click()


def of_matrices(values: dict[str, Any]) -> None:
    """A pass whose steps tell of several small matrices at once."""
    x, y = (mg.tensor([[0.01854 * k, -0.06148], [0.5382, 0.06829], [-0.02998, k]]) for k in (1, 2))
    weight = mg.tensor([[0.08377, -0.2162], [-0.04086, 0.9453], [0.02737, -0.8361], [-0.2665, 0.8]], requires_grad=True)
    bias = mg.tensor([-0.4586, -0.2358, -0.1698, 0.01714], requires_grad=True)
    first, second = (mg.nn.functional.linear(one, weight, bias) for one in (x, y))
    left, right = first[:2, :2], second[1:, 2:]
    loss = ((left - right) * (left @ right)).sum() + (first.tanh() * second.tanh()).sum()
    stepper = viz.BackwardStepper(loss, names={"critic.0.weight": weight, "critic.0.bias": bias, "left": left})
    stepper.last()
    values.update(picture=stepper.picture, recorded=stepper.recorded)


def test_no_number_and_no_row_of_a_matrix_is_cut_in_what_is_told(opened: Any) -> None:
    page = opened("example", change=of_matrices, viewport=(960, 780))
    told = """() => {
        const story = document.querySelector(".mg-story");
        const rows = [...document.querySelectorAll(".mg-comes-to .mg-unbroken")];
        return {
            lines: rows.map((row) => [row.textContent, Math.round(row.getBoundingClientRect().height / 18)]),
            below: story.scrollHeight - story.clientHeight,
            sizes: [".mg-sentence", ".mg-comes-to"].map((name) =>
                parseFloat(getComputedStyle(document.querySelector(name) ?? story).fontSize)),
        };
    }"""
    seen = 0
    for _ in range(20):
        if page.locator(".mg-press-next").is_disabled():
            break
        page.locator(".mg-press-next").click()
        found = page.evaluate(told)
        seen += len(found["lines"])
        assert all(lines == 1 for text, lines in found["lines"] if len(text) <= 40), found["lines"]
        assert found["below"] <= 0, "all that a step comes to is seen without a scroll in a scroll"
        assert found["sizes"][0] > found["sizes"][1]
    assert seen > 30


@pytest.mark.parametrize(("lines", "share"), [(3, 0.6), (200, 0.45)])
def test_a_long_sentence_has_the_room_that_code_leaves(opened: Any, lines: int, share: float) -> None:
    page = opened("example", viewport=(960, 780))
    panes = [page.locator(f".mg-{name}") for name in ("happened", "yours")]
    heights = [pane.bounding_box()["height"] for pane in panes]
    assert heights[0] < 0.4 * sum(heights)
    page.locator(".mg-told").evaluate("(told) => told.append('a word of many '.repeat(400))")
    page.locator(".mg-source").evaluate("(code, lines) => code.replaceChildren('x\\n'.repeat(lines))", lines)
    page.locator(".mg-source").evaluate("(code) => (code.style.whiteSpace = 'pre')")
    longer = [pane.bounding_box()["height"] for pane in panes]
    assert longer[0] > share * sum(longer)
    assert (longer[0] < 0.6 * sum(longer)) == (lines > 100), "code keeps some lines"
    assert sum(longer) == pytest.approx(sum(heights), abs=1)


def test_every_control_is_large_enough_to_be_hit(opened: Any) -> None:
    page = opened("network")
    press(page, "open-all")
    page.locator("[data-box]").first.click()
    press(page, "breaks")
    for button in page.locator(".minigrad-stepper button:visible").all():
        box = button.bounding_box()
        assert box["width"] >= 24, button.get_attribute("class")
        assert box["height"] >= 24, button.get_attribute("class")


def test_on_a_telephone_every_control_is_large_enough_for_a_thumb(opened: Any) -> None:
    page = opened("network", viewport=(360, 740))
    press(page, "sizes")
    page.locator(".mg-press-more").click()
    controls = page.locator(".minigrad-stepper :is(.mg-bar, .mg-more, .mg-set-zoom) :is(button, select, summary)")
    sizes = {one.get_attribute("class"): one.bounding_box() for one in controls.locator("visible=true").all()}
    assert len(sizes) > 15
    assert {name: box for name, box in sizes.items() if box["height"] < 40 or box["width"] < 40} == {}
    assert page.locator(".mg-slider").bounding_box()["height"] >= 40
    faces = page.locator(".mg-more .mg-button:visible").evaluate_all("(all) => all.map((one) => one.innerText.trim())")
    assert all(faces)


@pytest.mark.parametrize("width", [360, 900])
def test_under_a_finger_every_control_is_large_enough_at_any_width(opened: Any, width: int) -> None:
    page = opened("network", viewport=(width, 900), has_touch=True)
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    page.locator(".mg-press-more").click()
    controls = ".minigrad-stepper :is(button, select, summary, input[type=range])"
    row = ".minigrad-stepper .mg-set-zoom button"  # as high as the row below the drawing
    for among, least in ((f"{controls}:not({row})", 44), (row, 40)):
        sizes = {one.get_attribute("class"): one.bounding_box() for one in page.locator(f"{among}:visible").all()}
        assert len(sizes) >= 4
        assert {name: box for name, box in sizes.items() if box["height"] < least or box["width"] < least} == {}
    page.keyboard.press("Escape")
    page.locator(".mg-why summary").click()
    page.locator(".mg-why .mg-reasons").wait_for()
    parts = "() => ['summary', '.mg-reasons'].map((one) => document.querySelector(`.mg-why ${one}`)"
    summary, reasons = page.evaluate(f"{parts}.getBoundingClientRect())")  # at once: the page may be moving
    assert reasons["y"] >= summary["y"] + summary["height"] - 1


def test_what_lies_on_no_scale_looks_as_the_legend_says(opened: Any) -> None:
    """Its own looks are above the colour that its size would have."""
    page = opened("example", odd_sizes)
    sizes(page)
    look = "(card) => { const { fill, stroke } = getComputedStyle(card); return [fill, stroke]; }"
    hatched = page.locator(".mg-box.mg-nan > .mg-card").first
    assert hatched.evaluate(look)[0].startswith('url("#mg-hatch-')
    began = page.locator(".mg-box.mg-began > .mg-card").first
    mark = page.locator(".mg-box.mg-began .mg-flag").first
    assert began.evaluate(look)[1] == mark.evaluate(look)[0]


def test_motion_only_where_it_is_wanted(opened: Any) -> None:
    # In one go: half a second later the motion is over.
    moving = """(next) => {
        next.click();
        return document.getAnimations().map((animation) => animation.animationName).filter(Boolean);
    }"""
    calm = opened()
    assert calm.locator(".mg-press-next").evaluate(moving) == []
    lively = opened(reduced_motion="no-preference")
    assert "mg-travel" in lively.locator(".mg-press-next").evaluate(moving)


def test_the_keyboard_alone_does_everything(opened: Any) -> None:
    page = opened()
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    stepper = page.locator(".minigrad-stepper")
    assert stepper.get_attribute("data-step") == "2"
    page.keyboard.press("Shift+ArrowUp")  # to the box that is next
    page.keyboard.press("Shift+ArrowDown")
    assert page.evaluate("document.activeElement.querySelector('.mg-name').textContent") in ("E", "F")
    page.keyboard.press("b")
    assert page.locator(".mg-stop").count() == 1
    page.keyboard.press("m")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")  # run to here
    assert page.evaluate("document.activeElement.hasAttribute('data-box')")
    page.keyboard.press("Enter")
    assert page.locator(".mg-inspector").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".mg-inspector").is_hidden()


@pytest.mark.parametrize("colours", ["none", "active"])
def test_what_is_pointed_at_or_has_the_focus_lights_its_twins_and_nothing_moves(opened: Any, colours: Any) -> None:
    page = opened("example")
    page.emulate_media(forced_colors=colours)
    for _ in range(2):
        page.locator(".mg-press-next").click()
    where = "(all) => all.map((one) => JSON.stringify(one.getBoundingClientRect()))"
    parts = page.locator(".mg-panels *, .mg-box")
    spoken = page.locator("[aria-live]").first.text_content()
    before = parts.evaluate_all(where)
    for point in (
        lambda: page.locator(".mg-sentence .mg-token", has_text="D").hover(),
        lambda: page.locator(".mg-lit .mg-token", has_text="D").hover(),
        lambda: page.locator(".mg-box", has=page.locator(".mg-name", has_text="D")).hover(),
    ):
        page.mouse.move(1, 1)
        expect(page.locator(".mg-twin")).to_have_count(0)
        point()
        expect(page.locator(".mg-box.mg-twin .mg-name")).to_have_text(["D"])
        expect(page.locator(".mg-sentence .mg-twin")).to_have_text(["D", "D"])
        expect(page.locator(".mg-lit .mg-twin")).to_have_text(["D"])
    page.locator(".mg-chip", has_text="4").first.hover()
    expect(page.locator(".mg-box.mg-twin .mg-name")).to_have_text(["C", "E"])
    page.mouse.move(1, 1)
    page.locator(".minigrad-stepper").focus()
    page.keyboard.press("Shift+ArrowLeft")
    focused = page.evaluate("document.activeElement.getAttribute('data-box')")
    expect(page.locator(".mg-box.mg-twin")).to_have_attribute("data-box", focused)
    assert parts.evaluate_all(where) == before
    assert page.locator("[aria-live]").first.text_content() == spoken


def test_who_leaves_the_search_by_a_press_reaches_what_is_pressed(opened: Any) -> None:
    """The search folds as it is left, and the buttons beside it move."""
    page = opened()
    page.locator(".minigrad-stepper").focus()
    page.keyboard.press("/")
    expect(page.locator(".mg-search")).to_be_focused()
    page.locator(".mg-press-last").hover()
    page.mouse.down()
    page.evaluate("() => new Promise((done) => setTimeout(done, 150))")  # a finger is that slow
    page.mouse.up()
    expect(page.locator(".mg-press-last")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".mg-search")).to_be_hidden()


def test_the_wheel_zooms_with_control_and_scrolls_without_and_a_drag_moves(opened: Any) -> None:
    page = opened("network")
    view, drawing = page.locator(".mg-view"), page.locator(".mg-graph")
    width = drawing.bounding_box()["width"]
    page.locator(".mg-whole").hover()  # which is what is seen first, and gives way
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_function(
        "(width) => document.querySelector('.mg-graph').getBoundingClientRect().width > width", arg=width
    )
    place = view.bounding_box()
    before = view.evaluate("(view) => view.scrollLeft")
    page.mouse.move(place["x"] + 300, place["y"] + 12)
    page.mouse.down()
    page.mouse.move(place["x"] + (200 if before == 0 else 400), place["y"] + 12, steps=4)
    page.mouse.up()
    assert view.evaluate("(view) => view.scrollLeft") != before


# ---------------------------------------------------------------- pictures


def compare(page: Any, name: str) -> None:
    """The stepper looks as in the reference, but for a few pixels (fonts are drawn differently on other machines)."""
    stored = HERE / "screenshots" / f"{name}.png"
    taken = page.locator(".minigrad-stepper").screenshot(animations="disabled", scale="css", style=WITHOUT_TIP)
    if os.environ.get("MINIGRAD_SCREENSHOTS") == "write":
        stored.parent.mkdir(exist_ok=True)
        stored.write_bytes(taken)
        return
    expected, actual = coarse(stored.read_bytes()), coarse(taken)
    assert abs(expected.shape[0] - actual.shape[0]) <= 4, f"{name} is {actual.shape} and was {expected.shape} blocks"
    assert abs(expected.shape[1] - actual.shape[1]) <= 1, f"{name} is {actual.shape} and was {expected.shape} blocks"
    rows, columns = min(expected.shape[0], actual.shape[0]), min(expected.shape[1], actual.shape[1])
    differs = np.abs(expected[:rows, :columns] - actual[:rows, :columns]).max(axis=2) > 48
    assert differs.mean() < 0.03, f"{differs.mean():.1%} of the blocks of {name} look different"


def pixels_of(png: bytes) -> Any:
    """The picture as red, green and blue, from 0 to 255."""
    return imread(io.BytesIO(png))[..., :3].astype(np.float64) * 255


def contrast(one: Any, other: Any) -> Any:
    """The ratio by which colours differ, as the WCAG defines it, from 1 to 21."""

    def luminance(colour: Any) -> Any:
        share = colour / 255
        return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    light, dark = luminance(one) + 0.05, luminance(other) + 0.05
    return np.maximum(light / dark, dark / light)


def coarse(png: bytes) -> Any:
    """The picture in blocks of 8x8 pixels, as means of red, green and blue."""
    pixels = pixels_of(png)
    rows, columns = pixels.shape[0] // 8, pixels.shape[1] // 8
    return pixels[: rows * 8, : columns * 8].reshape(rows, 8, columns, 8, 3).mean(axis=(1, 3))

"""The built site in a browser: every page at three widths, its steppers, its search, and with no script at all."""

import filecmp
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import urllib.request
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import nbformat
import pytest
from docutils.nodes import make_id
from playwright.sync_api import Browser, expect

import minigrad as mg

ROOT = Path(__file__).parents[2]
WIDTHS = (1400, 700, 360)
SCHEMES = ("light", "dark")
KINDS = (  # of pages: one of each
    *("index.html", "00_start_here.html", "errors.html", "glossary.html", "contents.html", "stepper.html"),
    *("search.html?q=leaf", "gallery/index.html", "gallery/resnet_18.html"),
)
WITH_AXE = (
    *("index.html", "02_the_graph.html", "contents.html", "places.html"),
    *("search.html?q=leaf", "gallery/index.html", "gallery/shared.html"),
)
STEPPED = {  # pages of each kind that have steppers, and how many they have
    "index.html": 4,
    "00_start_here.html": 2,
    "gallery/resnet_18.html": 1,
    "gallery/in_place.html": 1,
}
BOOK_PAGE, FRONT_PAGE, ALL = 600_000, 250_000, 25_000_000  # bytes
SCROLLS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
GROUND = "() => [document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor).join()"
CUT = (
    "() => [...document.querySelectorAll('.highlight pre')]"
    ".filter((one) => one.scrollWidth > one.clientWidth + 1).length"
)
KEPT = "() => Object.keys(localStorage)"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What axe finds. Of a name that should hold the text that is seen, axe looks at what is in view alone: of a card that
# is cut by the picture's edge, at pieces of its text. That all of its text is in its name, is looked at here.
VIOLATIONS = """async () => {
    const { violations } = await axe.run(document, OPTIONS);
    const words = (text) => text.replaceAll(/\\s+/g, ' ').trim();
    const lacksWords = ({ target }) => {
        const element = document.querySelector(target.join(' '));
        return !words(element.getAttribute('aria-label') ?? '').includes(words(element.textContent));
    };
    for (const one of violations)
        if (one.id === 'label-content-name-mismatch') one.nodes = one.nodes.filter(lacksWords);
    return violations.filter(({ nodes }) => nodes.length);
}"""

of_each_kind_or_all = pytest.mark.parametrize("are_all", [False, pytest.param(True, marks=pytest.mark.long)])


@of_each_kind_or_all
def test_no_page_scrolls_sideways_at_any_width_in_light_and_dark(are_all: bool, reader: Any, paths: list[str]) -> None:
    problems = []
    for path in paths if are_all else KINDS:
        page = reader.open(path)
        grounds = set()
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.evaluate(SETTLED)
                if page.evaluate(SCROLLS) > 0:
                    problems.append(f"{path} at {width} in {scheme}")
            grounds.add(page.evaluate(GROUND))
        if len(grounds) != 2:
            problems.append(f"{path} has one ground in light and dark: {grounds}")
    assert problems == []


def test_no_page_scrolls_sideways_on_a_telephone_without_scripts(
    browser: Browser, address: str, paths: list[str]
) -> None:
    """What scripts add is the same on all pages of a kind; what stands in them is not. Nor does code."""
    low = {"width": 360, "height": 50}  # of which little is to be painted
    context = browser.new_context(java_script_enabled=False, viewport=low)
    page = context.new_page()
    wide = {}
    for path in paths:
        page.goto(address + path)
        wide[path] = (page.evaluate(SCROLLS), page.evaluate(CUT))
    context.close()
    assert wide == dict.fromkeys(paths, (0, 0))


@of_each_kind_or_all
def test_axe_finds_nothing_serious(are_all: bool, reader: Any, paths: list[str], node_modules: Path) -> None:
    axe = (node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    told = []
    for path in paths if are_all else WITH_AXE:
        page = reader.open(path)
        page.evaluate(axe)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.evaluate(SETTLED)
            rules = "" if scheme == "light" or are_all else ", runOnly: ['color-contrast']"
            options = f"{{ resultTypes: ['violations'], iframes: false{rules} }}"
            found = page.evaluate(VIOLATIONS.replace("OPTIONS", options))
            serious = [one for one in found if one["impact"] in ("serious", "critical")]
            told += [(path, scheme, one["id"], [node["html"][:140] for node in one["nodes"][:3]]) for one in serious]
    assert told == []


@of_each_kind_or_all
def test_every_stepper_walks_to_its_end(are_all: bool, reader: Any, paths: list[str]) -> None:
    walked = {}
    for path in paths if are_all else STEPPED:
        page = reader.open(path)
        walked[path] = 0
        for place in page.locator(".minigrad-recorded").all():
            place.scroll_into_view_if_needed()
            stepper = place.locator(".minigrad-stepper").first
            expect(stepper).to_be_visible()
            following = stepper.locator(".mg-press-next")
            stepper.focus()
            asking = stepper.locator(".mg-press-predict")
            if asking.get_attribute("aria-pressed") == "true":  # else Next waits for a prediction at each step
                page.keyboard.press("p")
                expect(asking).to_have_attribute("aria-pressed", "false")
            page.keyboard.press("Home")  # a chapter may show a pass that has run
            expect(stepper.locator(".mg-press-back")).to_have_attribute("aria-disabled", "true")
            if following.get_attribute("aria-disabled") == "true":
                continue  # of a pass that runs code of the learner's only what ran is kept, and here nothing did
            first = step = int(stepper.get_attribute("data-step"))  # below 0 where the way forward is shown, too
            while step == first or (are_all and following.get_attribute("aria-disabled") != "true"):
                following.click()
                step += 1
                expect(stepper).to_have_attribute("data-step", str(step))
            page.keyboard.press("End")
            expect(following).to_have_attribute("aria-disabled", "true")
            last = int(stepper.get_attribute("data-step"))
            counted = re.compile(rf"^step {last} of \d+$")  # a pass that fails comes to its end before
            expect(stepper.locator(".mg-counter")).to_have_text(counted)
            assert last == step or not are_all
            walked[path] += 1
    assert sum(walked.values()) > 50 if are_all else walked == STEPPED


def test_the_first_picture_follows_the_numbers_beside_it(reader: Any) -> None:
    page = reader.open("index.html")
    stepper = page.locator(".minigrad-stepper").first
    expect(stepper).to_be_visible()
    assert stepper.bounding_box()["y"] < 300, "the picture is in the first screen"
    w, b = mg.tensor(3.0, requires_grad=True), mg.tensor(0.5, requires_grad=True)
    loss = (w * 3.0 + b - 5.0) ** 2
    loss.backward()
    page.locator("[data-leaf=w]").fill("3")
    page.locator("[data-leaf=b]").fill("0.5")
    expect(page.locator("[data-result]")).to_have_text(f"loss = {loss.item():g}")
    for step in range(1, 7):
        stepper.locator(".mg-press-next").click()
        expect(stepper).to_have_attribute("data-step", str(step))
    boxes = stepper.locator(".mg-box")
    names = boxes.locator(".mg-name").all_text_contents()
    grads = dict(zip(names, boxes.locator(".mg-grad").all_text_contents(), strict=True))
    assert grads["w"] == f"{w.grad.item():g}"
    assert grads["b"] == f"{b.grad.item():g}"
    check_what_is_said_of_numbers(page)
    page.locator("button[type=reset]").click()
    expect(page.locator("[data-result]")).to_have_text("loss = 4")
    said = stepper.locator(".mg-whatif")
    expect(said).to_be_hidden()
    page.locator("[data-leaf=b]").fill("2")
    said.get_by_role("button").click()  # back to what ran, in the picture
    expect(said).to_be_hidden()
    page.locator("[data-leaf=b]").fill("4")
    expect(said).to_contain_text("What if b = 4")


def check_what_is_said_of_numbers(page: Any) -> None:
    """What is wrong and what to do, while nothing below moves; and the result, as the picture has it."""
    field, said = page.locator("[data-leaf=w]"), page.locator("[data-result]")
    loss = page.locator(".mg-box", has=page.locator(".mg-name", has_text=re.compile("^loss$"))).first
    in_picture = loss.locator(".mg-value")
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        place = page.locator(".say form").bounding_box()
        for text, words in {
            "3.5": "loss = 36",
            "": "w is empty: write a number. The picture still has w = 3.5.",
            "3,5": "w has a comma: write it with a point. The picture still has w = 3.5.",
            "1e9": "loss = 9e18",
            "1e400": "w is larger than any number here: write a smaller one. The picture still has w = 1e9.",
            "abc": "w is not a number: write one, as 0.5, -2e-3 or 2/3. The picture still has w = 1e9.",
            "-": "w is not a number: write one, as 0.5, -2e-3 or 2/3. The picture still has w = 1e9.",
            "0x10": "w is not a number: write one, as 0.5, -2e-3 or 2/3. The picture still has w = 1e9.",
            "1" * 60: "loss = 1.111e119",
            "2/3": "loss = 6.25",
        }.items():
            field.fill(text)
            expect(said).to_have_text(words)
            expect(field).to_have_attribute("aria-invalid", str(not words.startswith("loss")).lower())
            assert page.locator(".say form").bounding_box() == place, (width, text)
            if words.startswith("loss"):
                expect(in_picture).to_have_text(words.removeprefix("loss = "))
    page.set_viewport_size({"width": 1400, "height": 900})
    field.fill("3")
    field.press("ArrowUp")
    expect(field).to_have_value("3.1")
    expect(said).to_have_text("loss = 23.04")


def test_a_graph_can_be_linked_at_a_step(reader: Any) -> None:
    page = reader.open("gallery/shared.html#step=3")
    stepper = page.locator(".minigrad-stepper")
    expect(stepper).to_have_attribute("data-step", "3")
    stepper.locator(".mg-press-next").click()
    expect(page).to_have_url(re.compile("#step=4$"))
    assert set(page.evaluate(KEPT)) <= {"mode", "theme", "minigrad-hint"}


def test_each_way_into_a_page_is_there(address: str, site: Path, paths: list[str]) -> None:
    """Each address that a page names answers; that anchors are there the build has seen itself."""
    asked: dict[str, str] = {}

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            for key, value in attrs:
                if key in ("href", "src", "data-from", "action") and value and not value.startswith(("#", "data:")):
                    whole_address = urljoin(address + path, value)
                    asked.setdefault(urlsplit(whole_address)._replace(fragment="", query="").geturl(), path)

    for path in paths:
        Links().feed((site / path).read_text(encoding="utf-8"))
    inside = {one: path for one, path in asked.items() if one.startswith("http://127.0.0.1")}
    assert len(inside) > 250
    for one, path in inside.items():
        assert one.startswith(address), f"{path} leads out of the folder of the site: {one}"
        with urllib.request.urlopen(one) as answer:
            assert answer.status == 200, (path, one)


def errors(site: Path) -> list[list[str]]:
    found: list[list[str]] = json.loads((site / "_static" / "errors.json").read_text(encoding="utf-8"))
    return found


@of_each_kind_or_all
def test_an_error_is_found_by_its_first_words(are_all: bool, reader: Any, site: Path) -> None:
    said = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    rows = errors(site)
    assert len({row[2] for row in rows}) == len(rows) > 100
    samples = {said: rows[0], "one of the variables needed": rows[[row[0][:11] for row in rows].index("one of the ")]}
    samples["does not require grad"] = rows[0]  # from its middle
    for row in rows if are_all else rows[5::40]:
        samples[row[0].replace("…", "some_name")] = row
    for words, row in samples.items():
        page = reader.open("search.html")
        page.locator(".top input[name=q]").fill(words)
        page.locator(".top input[name=q]").press("Enter")
        first = page.locator(".error-hits a").first
        expect(first).to_have_text(row[0], ignore_case=True)  # of two errors that is all that differs
        place = first.get_attribute("href")
    page = reader.open(place)
    expect(page.locator(f"[id='{place.partition('#')[2]}']")).to_be_in_viewport()


def test_on_a_telephone_an_error_says_where_it_is_shown(reader: Any) -> None:
    page = reader.open("errors.html")
    page.set_viewport_size({"width": 390, "height": 844})
    before = "(ones) => ones.map((one) => getComputedStyle(one, '::before').content)"
    cells = page.locator("table:has([id^='error-']) td:nth-child(3):has(a)")
    shown, about = cells.filter(has_not_text="about it:"), cells.filter(has_text="about it:")
    assert set(shown.evaluate_all(before)) == {'"shown in "'}
    assert set(about.evaluate_all(before)) == {"none"}


def test_links_of_before_lead_to_their_errors(reader: Any, site: Path) -> None:
    """Then the names of these places were those that docutils makes."""
    page = reader.open("errors.html")
    rows = [(row[0], row[2].partition("#")[2]) for row in errors(site)]
    before = {f"error-{make_id(words)}": place for words, place in reversed(rows)}
    assert len(before) > 100
    now = {place for _, place in rows}
    for name in sorted(before.keys() - now)[::12]:
        page.evaluate("(name) => { location.hash = name; }", name)
        expect(page).to_have_url(f"{reader.address}errors.html#{before[name]}")
        expect(page.locator(f"[id='{before[name]}']")).to_be_in_viewport()


def test_the_search_finds_chapters(reader: Any) -> None:
    page = reader.open("search.html?q=straight-through")
    found = page.locator("#search-results a[href^='06_custom_functions.html']").first
    expect(found).to_be_visible()
    expect(page.locator(".nothing-found")).to_be_hidden()
    # What was asked for is marked in the text of that page, and nowhere else.
    found.click()
    marked = "() => [...(CSS.highlights.get('words') ?? [])].map((one) => one.startContainer.parentElement)"
    page.wait_for_url(re.compile("06_custom_functions"))
    assert page.evaluate(f"({marked})().length") > 1
    assert page.evaluate(f"({marked})().every((one) => one.closest('.bd-article'))")
    page.locator(".top nav a[href='errors.html']").click()
    page.wait_for_url(re.compile("errors[.]html$"))
    assert page.evaluate("CSS.highlights.size + document.querySelectorAll('.highlighted').length") == 0
    assert set(page.evaluate(KEPT)) <= {"mode", "theme", "minigrad-hint"}


def test_the_search_finds_the_gallery_and_says_what_to_try(reader: Any) -> None:
    page = reader.open("search.html?q=variational+autoencoder")
    row = page.locator("#search-results li", has=page.locator("a[href^='gallery/vae.html']"))
    expect(row).to_contain_text("A sample stands between encoder and decoder")
    page = reader.open("search.html?q=zebrafish")
    said = page.locator(".nothing-found")
    expect(said).to_contain_text("Try one word alone")
    expect(said).to_be_visible()
    expect(page.locator(".search-summary")).to_be_hidden()  # which speaks of categories
    places = [link.get_attribute("href") for link in said.locator("a").all()]
    assert places == ["contents.html", "errors.html", "glossary.html", "gallery/index.html"]


def test_a_search_for_nothing_says_what_can_be_looked_for(reader: Any) -> None:
    for path in ("search.html", "search.html?q=", "search.html?q=%3F"):
        expect(reader.open(path).locator("#search-results")).to_contain_text("an error's first words")


def test_a_chapter_says_where_one_is_and_shows_all_of_it(reader: Any) -> None:
    page = reader.open("00_start_here.html")
    graphs = page.locator(".minigrad-recorded").all()
    assert page.locator(".minigrad-stepper").count() < len(graphs)
    heights = [graph.bounding_box()["height"] for graph in graphs]
    # The contents mark the section that is read, also where one has jumped over all before it.
    place = page.locator("#on-this-page [aria-current]")
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    expect(place).to_have_text(re.compile(r"^\s*13[.] What next"))
    page.evaluate("document.getElementById('train').scrollIntoView({ behavior: 'instant' })")
    expect(place).to_have_text(re.compile(r"^\s*9[.] Train"))
    # What stands below a stepper has stayed where it was when that was made.
    for graph, before in zip(graphs, heights, strict=True):
        graph.scroll_into_view_if_needed()
        expect(graph.locator(".minigrad-stepper")).to_be_visible()
        assert abs(graph.bounding_box()["height"] - before) < 3
    # Names stand in one line, lines that are long go on in the next, links have one colour and an underline below _.
    broken = "(ones) => ones.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent)"
    assert page.locator("table.table code .pre").evaluate_all(broken) == []
    cut = "(ones) => ones.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    assert page.locator(".cell_output .highlight pre").evaluate_all(cut) == []
    looks = "(ones) => [...new Set(ones.map((one) => getComputedStyle(one).color))]"
    assert len(page.locator(".bd-article :is(p, td) > a.reference:not(.term)").evaluate_all(looks)) == 1
    link = page.locator("table a", has_text="grad_fn").first
    assert float(link.evaluate("(one) => parseFloat(getComputedStyle(one).textUnderlineOffset)")) > 4
    # By keyboard one sees where one is.
    button = page.get_by_role("button", name="List of pages")
    button.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    assert button.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    page.locator(".skip-link a").focus()
    ground = "(one) => getComputedStyle(one).backgroundColor"
    assert page.locator(".skip-link").evaluate(ground) == page.locator("body").evaluate(ground)


def test_a_term_tells_its_meaning_in_both_languages(reader: Any) -> None:
    page = reader.open("00_start_here.html")
    term = page.locator("a.term[href='glossary.html#cell-id=slope']").first
    assert "斜率" in term.get_attribute("title")  # without scripts, and on paper
    term.hover()
    bubble = page.locator(".term-bubble")
    expect(bubble).to_contain_text("斜率")
    expect(bubble).to_contain_text("how steep the curve")
    page.mouse.move(0, 0)
    expect(bubble).to_be_hidden()
    term.focus()
    expect(bubble).to_be_visible()
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()


def test_predictions_are_answered_and_solutions_are_folded(reader: Any) -> None:
    page = reader.open("00_start_here.html")
    asked = page.locator(".minigrad-prediction").first
    asked.locator("input").nth(1).check()
    asked.get_by_role("button").click()
    expect(asked.get_by_role("status")).to_contain_text("as predicted")
    solution = page.locator("details", has=page.locator("summary", has_text="Solution")).first
    expect(solution.locator("pre")).to_be_hidden()
    solution.locator("summary").click()
    expect(solution.locator("pre")).to_contain_text("return 2 * error * x")


def test_the_code_of_a_run_stands_below_its_table(reader: Any) -> None:
    page = reader.open("01_tensors_and_leaves.html")
    runs = page.locator(".minigrad-runs").first
    code = runs.locator("details > div").filter(visible=True)
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        table, below = runs.locator("table").bounding_box(), code.bounding_box()
        assert below["y"] >= table["y"] + table["height"], width
        assert below["width"] <= width, width


def test_what_is_wider_than_a_telephone_fades_where_it_goes_on(reader: Any) -> None:
    page = reader.open("01_tensors_and_leaves.html")
    drawing, runs = page.locator(".minigrad-drawing").first, page.locator(".minigrad-runs > div").first
    for place in (drawing, runs):
        page.set_viewport_size({"width": 390, "height": 844})
        expect(place).to_have_attribute("data-goes-on", "right")
        expect(drawing).to_have_css("mask-image", re.compile("gradient"))
        expect(runs).to_have_css("mask-image", "none")  # it would take away what stands below, too
        expect(runs).to_have_css("box-shadow", re.compile("-14px.* inset"))
        place.evaluate("(one) => one.scrollBy(9, 0)")
        expect(place).to_have_attribute("data-goes-on", "left right")
        place.evaluate("(one) => one.scrollBy(999, 0)")
        expect(place).to_have_attribute("data-goes-on", "left")
        page.set_viewport_size({"width": 1400, "height": 900})
        expect(place).not_to_have_attribute("data-goes-on", re.compile(""))


def test_light_and_dark_are_chosen_for_all_pages(reader: Any) -> None:
    page = reader.open("index.html")
    said = "light or dark, and that you have begun to step; until you close the tab, what you unfolded and how far"
    expect(page.locator("footer")).to_contain_text(said)
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    for mode in ("light", "dark"):
        page.locator("button.theme").click()
        expect(page.locator("html")).to_have_attribute("data-mode", mode)
    page = reader.open("00_start_here.html")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    place = page.locator(".minigrad-recorded").first
    place.scroll_into_view_if_needed()
    expect(place.locator(".minigrad-stepper")).to_be_visible()
    stepper = place.locator(".minigrad-stepper")
    grounds = "(one) => { const grounds = []; for (let at = one.parentElement; at; at = at.parentElement)"
    grounds += " grounds.push(getComputedStyle(at).backgroundColor); return grounds; }"
    around = {one for one in stepper.evaluate(grounds) if one != "rgba(0, 0, 0, 0)"}
    assert around == {page.locator("body").evaluate("(one) => getComputedStyle(one).backgroundColor")}, (
        "a band around it"
    )
    assert stepper.evaluate("(one) => getComputedStyle(one).colorScheme") == "dark"
    stepper.locator(".mg-counter").click()
    stepper.locator("summary").filter(visible=True).first.click()
    page.wait_for_function("() => sessionStorage.getItem('minigrad-why') !== null")
    kept = "() => [localStorage, sessionStorage].map((storage) => Object.keys(storage).sort())"
    for_good, until_closed = page.evaluate(kept)
    assert for_good == ["minigrad-hint", "mode", "theme"], "what the front page says is kept"
    assert set(until_closed) <= {"minigrad-why", "minigrad-cells", "sidebar-scroll-top"}
    page.locator("button.theme").click()
    expect(page.locator("html")).to_have_attribute("data-mode", "auto")


def test_without_scripts_there_are_text_code_and_still_pictures(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1000, "height": 900})
    page = context.new_page()
    for path, words in (
        ("index.html", "three lines of code"),
        ("00_start_here.html", "A question from practice"),
        ("gallery/unet.html", "class UNet(nn.Module)"),
    ):
        page.goto(address + path)
        expect(page.locator("main")).to_contain_text(words)
        still = page.locator(".minigrad-recorded img").first
        still.scroll_into_view_if_needed()
        expect(still).to_be_visible()
        box = still.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 100
    page.goto(address + "00_start_here.html")
    option = page.locator(".minigrad-prediction details").first
    option.locator("summary").click()
    expect(option).to_contain_text("No.")
    context.close()


def test_a_transfer_that_breaks_leaves_the_still_pictures_and_a_word(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    for broken, path in (("**/stepper.pack", "00_start_here.html"), ("**/rnn.json", "gallery/rnn.html")):
        page.route(broken, lambda route: route.abort())
        page.goto(address + path)
        place = page.locator(".minigrad-recorded").first
        place.scroll_into_view_if_needed()
        expect(place.locator(".minigrad-failed")).to_contain_text("Load the page again")
        expect(place.locator(".minigrad-still img")).to_be_visible()
        page.unroute(broken)
    context.close()


def test_where_nothing_may_be_kept_all_works(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme="dark")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(
        "const get = () => { throw new DOMException('no', 'SecurityError'); };"
        "Object.defineProperty(window, 'localStorage', { configurable: true, get });"
    )
    for path in ("index.html", "00_start_here.html"):
        page.goto(address + path)
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        page.locator("button.theme").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        place = page.locator(".minigrad-recorded").first
        place.scroll_into_view_if_needed()
        expect(place.locator(".minigrad-stepper")).to_be_visible()
    assert errors == []
    context.close()


def test_on_paper_there_is_what_one_reads(reader: Any) -> None:
    page = reader.open("00_start_here.html")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 720, "height": 1000})
    expect(page.locator(".top nav")).to_be_hidden()
    expect(page.locator("h1", has_text="Start here").filter(visible=True)).to_have_count(1)
    assert page.evaluate("() => getComputedStyle(document.querySelector('main')).colorScheme") == "light"
    assert page.evaluate(SCROLLS) <= 0
    assert page.evaluate(CUT) == 0
    frames = page.locator(".cell_input").evaluate_all("(ones) => ones.map((one) => getComputedStyle(one).breakInside)")
    assert set(frames) == {"avoid"}, "an empty frame stands on one page, and the code on the next"
    # A browser that prints waits for no picture: all are there a while after the page is.
    far = page.locator(".minigrad-recorded:not([data-shown])")
    expect(far.locator(".on-paper img").filter(visible=True)).to_have_count(far.count())
    assert far.count() > 0
    page.wait_for_function("() => [...document.images].every((one) => one.complete && one.naturalWidth)")


def test_an_address_that_is_not_there_leads_on_from_any_depth(reader: Any, site: Path) -> None:
    """As hosts show 404.html: in the place of what was asked for."""
    answer = {"status": 404, "path": site / "404.html", "content_type": "text/html"}
    reader.page.route("**/no/**/page.html", lambda route: route.fulfill(**answer))
    for path in ("no/page.html", "gallery/no/such/page.html"):
        page = reader.open(path)
        for name in ("contents.html", "errors.html", "gallery/index.html", "index.html"):
            link = page.locator(f"main a[href='{name}']")
            expect(link).to_have_js_property("href", reader.address + name)
        sheets = "() => [...document.styleSheets].filter(({ href, cssRules }) => href && cssRules.length > 9).length"
        page.wait_for_function(sheets + " === 2")
    reader.page.unroute("**/no/**/page.html")
    reader.complaints.clear()  # of the host, that it has no such page


# ---------------------------------------------------------------- files


def test_each_page_forbids_what_comes_from_elsewhere(site: Path, paths: list[str]) -> None:
    for path in paths:
        text = (site / path).read_text(encoding="utf-8")
        policy = re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert len(policy) == 1, path
        assert policy[0].startswith("default-src 'none'; script-src 'self'"), path
        assert "unsafe-inline" not in policy[0].replace("style-src 'self' 'unsafe-inline'", ""), path
        assert "http" not in policy[0], path


def test_previews_have_a_title_a_description_and_a_picture_of_their_own(site: Path, paths: list[str]) -> None:
    seen: dict[str, set[str | bytes]] = {"title": set(), "description": set(), "image": set()}
    for path in paths:
        text = unescape((site / path).read_text(encoding="utf-8"))
        about = dict(re.findall('<meta property="og:([^"]*)" content="([^"]*)"', text))
        assert 20 < len(about["description"]) <= 203, path
        assert about["description"].endswith((".", "?", "…")), path
        assert "Author name" not in text, path
        picture = (site / path).parent / about["image"]
        head = picture.read_bytes()
        assert struct.unpack(">II", head[16:24]) == (1200, 630), path
        seen["title"].add(about["title"])
        seen["description"].add(about["description"])
        seen["image"].add(head)
    assert {key: len(values) for key, values in seen.items()} == dict.fromkeys(seen, len(paths))


def test_pages_are_small(site: Path, paths: list[str]) -> None:
    """With all that a page needs until it can be stepped; its pictures come when they are near."""
    to_read = [name for name in files_in(site) if not name.startswith("live/")]
    assert sum((site / name).stat().st_size for name in to_read) < ALL
    sizes = {path: sum((site / name).stat().st_size for name in {path, *needed_by(path, site)}) for path in paths}
    assert 100_000 < sizes["index.html"] < FRONT_PAGE
    assert {path: size for path, size in sizes.items() if not 50_000 < size < BOOK_PAGE} == {}


def needed_by(path: str, site: Path) -> set[str]:
    """The scripts and the style sheets of a page."""
    text = re.sub("<noscript>.*?</noscript>", "", (site / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall('<script[^>]* src="([^"?]*)', text) + re.findall('<link[^>]* href="([^"?]*[.]css)', text)
    names = {os.path.normpath(Path(path).parent / name) for name in found}
    return names | ({"_static/stepper.pack"} if "_static/stepper.mjs" in names else set())


def test_pages_come_in_few_bytes_with_their_pictures(reader: Any) -> None:
    """As a host of static pages sends them, compressed; all that a page asks for until it has what steps.

    What a stepper that is shown moves into view is asked for later, on a busy machine maybe before it is seen here.
    """
    for path, most in (("index.html", FRONT_PAGE), ("08_jacobians_and_hessians.html", FRONT_PAGE + 50_000)):
        asked: list[Any] = []
        has_what_steps: list[Any] = []

        def ask(request: Any, asked: list[Any] = asked, has_what_steps: list[Any] = has_what_steps) -> None:
            if request.url.startswith(reader.address) and not has_what_steps:
                asked.append(request)

        def answer(request: Any, has_what_steps: list[Any] = has_what_steps) -> None:
            if request.url.endswith("/stepper.pack"):
                has_what_steps.append(request)

        reader.open("search.html")
        reader.page.on("request", ask)
        reader.page.on("requestfinished", answer)
        # That it came may be told after what it brought is seen.
        with reader.page.expect_request_finished(lambda request: request.url.endswith("/stepper.pack")):
            page = reader.open(path)
            page.locator(".minigrad-recorded").first.scroll_into_view_if_needed()
        expect(page.locator(".minigrad-stepper").first).to_be_visible()
        reader.page.remove_listener("request", ask)
        reader.page.remove_listener("requestfinished", answer)
        assert len(has_what_steps) == 1
        # Asked of the server, since the browser may have some of them.
        sizes = [len(gzip.compress(urllib.request.urlopen(request.url).read())) for request in asked]
        assert 50_000 < sum(sizes) < most, path


def test_two_builds_are_the_same(site: Path, tmp_path: Path) -> None:
    """Sets are in another order in each process: here in three, of which that of the site is one."""
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    for name in ("02_the_graph", "glossary"):
        shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", notebooks)
    errors_page = nbformat.read(ROOT / "notebooks" / "errors.ipynb", as_version=4)
    del errors_page.cells[6:]
    nbformat.write(errors_page, notebooks / "errors.ipynb")
    one, other = tmp_path / "one", tmp_path / "other"
    write_parts(one, notebooks, "book")
    write_parts(other, notebooks, "book", "others")
    of_the_book, all_parts = files_in(one), files_in(other)
    assert len(of_the_book) > 50
    assert len(all_parts) > len(of_the_book) + 60
    assert files_that_differ(one, other, of_the_book) == []
    assert files_that_differ(site, other, all_parts - of_the_book) == []


def write_parts(folder: Path, notebooks: Path, *parts: str) -> None:
    command = [sys.executable, str(Path(__file__).with_name("parts.py")), str(folder), str(notebooks), *parts]
    places = os.pathsep.join([str(ROOT), str(ROOT / "tools" / "site"), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": places}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_two_whole_builds_are_the_same(site: Path, release: Path, tmp_path: Path, build_site: Any) -> None:
    """But for live/, which has the times at which its files were made: see test_live.py."""
    done = build_site(tmp_path / "again", "--pyodide", str(release))
    assert done.returncode == 0, done.stderr
    assert files_in(tmp_path / "again") == files_in(site)
    to_read = {name for name in files_in(site) if not name.startswith("live/")}
    assert files_that_differ(site, tmp_path / "again", to_read) == []


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def files_that_differ(one: Path, other: Path, names: set[str]) -> list[str]:
    _, differ, absent = filecmp.cmpfiles(one, other, sorted(names), shallow=False)
    return [*differ, *absent]

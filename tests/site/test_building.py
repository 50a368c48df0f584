"""What the build of the site makes of its sources, and what stops it."""

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import book
import build as building
import front
import gallery
import graphs
import live
import nbformat
import pages
import previews
import proof
import prune
import pytest
from jinja2 import Environment, FileSystemLoader
from PIL import Image, ImageChops

import dev
from minigrad.viz.page import packing
from tools import addresses

ROOT = Path(__file__).parents[2]


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    """A copy of the chapters, to be spoilt."""
    return Path(shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*")))


def stopped(build_site: Any, notebooks: Path, *options: str) -> str:
    """What a build says that stops; it leaves nothing in the site's place."""
    folder = notebooks.parent / "site"
    done = build_site(folder, "--notebooks", str(notebooks), *options)
    assert done.returncode == 1
    assert not folder.exists()
    return str(done.stderr)


def test_a_chapter_that_was_not_executed_stops_the_build(build_site: Any, notebooks: Path) -> None:
    path = notebooks / "03_backward_step_by_step.ipynb"
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.cell_type == "code").execution_count = None
    nbformat.write(notebook, path)
    said = stopped(build_site, notebooks)
    assert "03_backward_step_by_step.ipynb was not executed: code cell 1 (code-02)" in said
    assert "python dev.py notebooks 03_backward_step_by_step" in said


def test_a_name_with_markup_stops_the_build(build_site: Any, notebooks: Path) -> None:
    shutil.copy(notebooks / "02_the_graph.ipynb", notebooks / "15_<b>graphs.ipynb")
    assert "'15_<b>graphs.ipynb': the name of a notebook has letters, digits and _ only" in stopped(
        build_site, notebooks
    )


def test_a_heading_with_markup_stops_the_build() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# <script>alert(1)</script>\n\nText.")])
    with pytest.raises(
        pages.ProblemError, match=r"^02_x\.ipynb: it begins with a heading of plain words, not with '<scr"
    ):
        book.text_of("02_x", notebook)


def test_a_folder_with_something_else_is_left_alone(build_site: Any, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.txt").write_text("mine")
    done = build_site(tmp_path / "work")
    assert done.returncode == 1
    assert "holds something else" in done.stderr
    assert (tmp_path / "work" / "mine.txt").read_text() == "mine"


def a_site(folder: Path, **texts: str) -> pages.Site:
    """A site of small pages, by their names."""
    site = pages.Site(folder, ROOT / "notebooks", "", False)
    for name, text in texts.items():
        site.add(pages.Page(f"{name}.html", name, name), f'<head><meta charset="utf-8"></head><body>{text}</body>')
    return site


def test_broken_links_and_other_hosts_stop_the_build(tmp_path: Path) -> None:
    right = '<p id="here">x</p><a href="b.html#there">b</a><a href="#here">a</a><a href="https://example.org">c</a>'
    proof.check_site(a_site(tmp_path / "right", a=right, b='<p id="there">'))
    wrong = {
        '<a href="c.html">c</a>': "a.html leads to c.html, which is not there",
        '<a href="b.html#nowhere">b</a>': "a.html leads to b.html#nowhere, and there is no such place on that page",
        '<a href="#nowhere">a</a>': "a.html leads to #nowhere, and there is no such place",
        '<img src="x.png">': "a.html leads to x.png, which is not there",
        '<p id="x">x</p><p id="x">y</p>': "a.html has two places with the id x",
        '<script src="https://example.org/x.js"></script>': "a.html fetches https://example.org/x.js from another host",
        '<img src="//example.org/x.png">': "a.html fetches //example.org/x.png from another host",
    }
    for number, (text, words) in enumerate(wrong.items()):
        with pytest.raises(pages.ProblemError) as told:
            proof.check_site(a_site(tmp_path / str(number), a=text, b=""))
        assert words in str(told.value)


def test_a_word_that_the_glossary_does_not_have_stops_the_build() -> None:
    link = '<a class="reference external" href="glossary.html#cell-id={}">word</a>'
    page = pages.Page("01_x.html", "x", "x")
    with pytest.raises(pages.ProblemError, match=r"^01_x\.html leads to a word .*: nothing$"):
        book.with_meanings(link.format("nothing"), page, {"slope": "slope · 斜率 · how steep"})
    assert 'title="slope · 斜率 · how steep"' in book.with_meanings(
        link.format("slope"), page, {"slope": "slope · 斜率 · how steep"}
    )


def test_links_between_notebooks_become_links_between_pages() -> None:
    for before, after in {
        "[a](02_the_graph.ipynb)": "[a](02_the_graph.html)",
        "[a](02_the_graph.ipynb#cell-id=code-3)": "[a](02_the_graph.html#cell-id=code-3)",
        '<a href="errors.ipynb">': '<a href="errors.html">',
        "[a](#cell-id=slope)": "[a](errors.html#cell-id=slope)",
        "[a](#backward()-and-grad())": "[a](errors.html#backward-and-grad)",
        "[a](#jacobian,-hessian,-vjp,-jvp)": "[a](errors.html#jacobian-hessian-vjp-jvp)",
        "[a](https://example.org/x.ipynb)": "[a](https://example.org/x.ipynb)",
    }.items():
        assert book.with_links("errors", before) == after


def test_the_two_menus_of_a_page_have_icons_of_their_own() -> None:
    """On a telephone there is nothing else to tell the list of pages from the contents of the page."""
    sheet = (pages.HERE / "static" / "book.css").read_text("utf-8")
    icons = dict(re.findall(r"\.(fa-(?:bars|list))(?:,\s*[^{]*)? \{\s*--icon: (url\([^;]*\));", sheet))
    assert len(set(icons.values())) == 2, icons


def test_long_lines_of_code_know_how_far_they_are_indented() -> None:
    """So that what is broken of them stands further in than they begin; short lines and the text are as they were."""
    long = "    y = f(x, <b>some_name</b>) &lt; 3  # why\n"
    assert pages.with_long_lines(f"x\n\n{long}y = 2") == f'x\n\n<span class="long" style="--in:4ch">{long}</span>y = 2'
    assert pages.with_long_lines("<b>x</b>" * 30) == "<b>x</b>" * 30
    assert pages.with_long_lines("\t" + "x" * 40).startswith('<span class="long" style="--in:8ch">')


def test_a_policy_allows_what_stands_in_the_page_and_nothing_else() -> None:
    policy = pages.policy_of('<script>a()</script><p onclick="b()">x</p><script src="c.js"></script>')
    hashes = [pages.hashlib.sha256(text.encode()).digest() for text in ("a()", "b()")]
    for one in hashes:
        assert f"'sha256-{pages.base64.b64encode(one).decode()}'" in policy
    assert policy.count("sha256-") == 2
    assert "blob:" not in policy
    assert "blob:" in pages.policy_of('<script type="module" src="_static/stepper.mjs"></script>')


@pytest.mark.parametrize(
    ("sheet", "left"),
    [
        (".a{x:y}.b{x:y}", ".a{x:y}"),
        (".a,.b .a,#b{x:y}", ".a{x:y}"),
        ("p>q{x:y}", "p>q{x:y}"),
        (".a:not(.b){x:y}", ".a:not(.b){x:y}"),
        ('[class*="-C1"]{x:y}.a[class^=b]{x:y}', ""),
        ('[class*="las"]{x:y}', '[class*="las"]{x:y}'),
        (":is(.b, .c) p{x:y}", ":is(.b, .c) p{x:y}"),
        ("@media print{.b{x:y}.a{x:y}}", "@media print{.a{x:y}}"),
        ("@media print{.b{x:y}}", ""),
        ("@keyframes b{from{x:y}to{x:z}}", "@keyframes b{from{x:y}to{x:z}}"),
        ('@import "b.css";', '@import "b.css";'),
        ('@charset "b";.b{x:y}.a{x:y}', '@charset "b";\n.a{x:y}'),
        ("/* .b{} */.a{x:y}", ".a{x:y}"),
    ],
)
def test_a_style_sheet_keeps_what_is_used(sheet: str, left: str) -> None:
    assert prune.pruned(sheet, prune.words_in(['<p class="a">'])) == left


def test_a_style_sheet_keeps_the_properties_that_something_asks_for() -> None:
    first = "a{--one: 1;--two: var(--one);--three:3}"
    assert prune.without_unasked([first, "b{x:var(--two)}"], "") == [
        "a{--one: 1;--two: var(--one);}",
        "b{x:var(--two)}",
    ]
    assert prune.without_unasked([first], "") == ["a{}"]
    assert prune.without_unasked([first], 'style="x: var( --three)"') == ["a{--three:3}"]
    image = """a{--image:url("data:image/svg+xml;x,{y}'z'");x:y}"""
    assert prune.without_unasked([image], "") == ["a{x:y}"]


def test_code_loses_no_colour(site: Path) -> None:
    """What is taken away of code in colours are pieces that look like the text around them."""
    sheet = (site / "_static" / "pygments.css").read_text("utf-8")
    for theme in ("light", "dark"):
        prefix = rf'html\[data-theme="{theme}"\] \.highlight'
        (around,) = re.findall(prefix + r" ?\{ ?background: [^;]*; color: (#\w+)", sheet)
        for name in ("n", "nn", "p", "w"):
            assert re.findall(prefix + rf" \.{name} ?\{{ ?([^}}]*?) ?\}}", sheet) == [f"color: {around}"], name
    assert '<span class="n">' not in (site / "00_start_here.html").read_text("utf-8")


def test_a_style_sheet_that_does_not_end_is_told() -> None:
    with pytest.raises(ValueError, match=r"a rule that does not end: \.a"):
        prune.pruned(".a{x:y", {"a"})


def test_a_description_is_a_whole_sentence() -> None:
    assert book.first_sentence("# Words\n\nOne word, one meaning: in five\nminutes. And more.") == (
        "One word, one meaning: in five minutes."
    )
    assert book.first_sentence("# Code\n\nTwo lines show a graph:\n\n```\nx\n```") == "Two lines show a graph."


def test_a_search_that_sphinx_has_changed_stops_the_build() -> None:
    with pytest.raises(pages.ProblemError, match=r"^searchtools\.js has localStorage.* 0 times\.$"):
        book.search_script("linkEl.href = linkUrl + anchor;")


def test_descriptions_are_of_whole_words() -> None:
    assert pages.described("a  few\nwords") == "a few words"
    long = pages.described("word, " * 100)
    assert len(long) <= pages.LONGEST_DESCRIPTION + 2
    assert long.endswith("word …")


def are_alike(one: Any, other: Any) -> bool:
    """Whether two pictures are the same but for how their few colours were chosen."""
    return max(most for _, most in ImageChops.difference(one, other).getextrema()) < 40


def test_a_preview_shows_the_title_and_the_graph(tmp_path: Path) -> None:
    drawing = graphs.graph_of("shared").recording.still
    seen = []
    for name, title, svg in (("a", "One", ""), ("b", "Another", ""), ("c", "One", drawing)):
        previews.write_preview(pages.Page(f"{name}.html", title, "What it is about."), tmp_path / f"{name}.png")
        previews.write_preview(pages.Page(f"{name}.html", title, "What it is about.", svg), tmp_path / f"{name}.png")
        data = (tmp_path / f"{name}.png").read_bytes()
        assert len(data) < 120_000
        seen.append(Image.open(io.BytesIO(data)).convert("RGB"))
    one, another, graph = seen
    left, right = (0, 0, 600, 630), (660, 20, 1180, 610)
    assert are_alike(one.crop(left), graph.crop(left))
    assert not are_alike(one.crop(left), another.crop(left))
    assert are_alike(one.crop(right), another.crop(right))
    assert not are_alike(one.crop(right), graph.crop(right))
    green, warm = (0, 122, 86), (184, 74, 0)
    colours = {colour for _, colour in graph.crop(right).getcolors(1 << 20)}
    for wanted in (green, warm):  # what is done, and what has just run
        assert any(max(abs(a - b) for a, b in zip(wanted, colour, strict=True)) < 12 for colour in colours)


def test_where_the_site_stands_is_taken_from_what_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Previews of links show no picture of which they know a part of the address alone."""
    asked: list[str] = []
    monkeypatch.setattr(building, "build", lambda options, _: asked.append(options.address))
    monkeypatch.setattr(book, "written_down", {"Course": "https://someone.github.io/minigrad/"}.get)
    assert building.main([]) == 0
    assert building.main(["--address=http://pages.example.org/there"]) == 0
    assert asked == ["https://someone.github.io/minigrad/", "http://pages.example.org/there"]
    site = pages.Site(tmp_path, ROOT / "notebooks", "https://someone.github.io/minigrad", False)
    site.pages = [pages.Page("gallery/vae.html", "One", "What it is about."), pages.Page("index.html", "Two", "All.")]
    head = site.head(site.pages[0])
    assert 'property="og:image" content="https://someone.github.io/minigrad/previews/gallery-vae.png"' in head
    assert '<link rel="canonical" href="https://someone.github.io/minigrad/gallery/vae.html" />' in head
    site.pages.append(front.NOT_THERE)
    site.write_previews()
    places = (tmp_path / "sitemap.txt").read_text("utf-8").split()
    assert places == ["https://someone.github.io/minigrad/gallery/vae.html", "https://someone.github.io/minigrad/"]


def test_its_options_are_all_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        building.main(["--help"])
    assert "--pyodide FOLDER" in capsys.readouterr().out
    assert "--pyodide=FOLDER" in dev.USAGE
    with pytest.raises(SystemExit):
        building.main(["--without-live", f"--pyodide={tmp_path}"])
    assert "which --without-live leaves out" in capsys.readouterr().err


def test_the_front_page_says_what_running_loads_and_from_where(site: Path, tmp_path: Path) -> None:
    """And the page for what is not there knows where its links begin, if the address of the site was given."""
    front.write(pages.Site(tmp_path, ROOT / "notebooks", "https://example.org/here", True, live.own_host()))
    names = ("index.html", "404.html")
    (front_page, not_there), own = ([(at / name).read_text("utf-8") for name in names] for at in (tmp_path, site))
    assert live.own_host() == "cdn.jsdelivr.net"
    assert " ".join(front_page.split()).count("from cdn.jsdelivr.net") == 2, "beside the button, and at the end"
    assert "Python, which comes from" in front_page
    assert "jsdelivr" not in "".join(own)
    assert f"up to {live.megabytes()} MB the first time: JupyterLab and Python." in own[0]
    assert '<base href="/here/" />' in not_there
    assert "base-uri 'self'" in not_there
    assert "<script>" not in not_there
    assert "base-uri 'none'" in front_page


def test_a_chapter_has_its_button_where_the_live_course_was_built() -> None:
    template = Environment(loader=FileSystemLoader(ROOT / "tools/site/sphinx"), autoescape=True).get_template(
        "run-here.html"
    )
    shown = template.render(has_live=True, pagename="03_backward_step_by_step")
    assert 'href="live/lab/index.html?path=03_backward_step_by_step.ipynb"' in shown
    assert template.render(has_live=False, pagename="03_backward_step_by_step").strip() == ""
    assert template.render(has_live=True, pagename="glossary").strip() == ""


def test_the_gallery_has_twenty_graphs_of_both_libraries() -> None:
    shown = gallery.graphs()
    assert len(shown) == 20
    assert {graph.library for graph in shown} == {"minigrad", "PyTorch"}
    assert len({graph.title for graph in shown}) == 20
    assert sorted(graph.name for graph in shown) == sorted(path.stem for path in graphs.PROGRAMS.glob("*.py"))


def test_a_program_that_was_changed_since_it_was_recorded_stops_the_build() -> None:
    with pytest.raises(
        graphs.NotRecordedError, match=r"tools/site/recorded/vae\.json is not of the program as it is now"
    ):
        graphs.recorded("vae", "import torch\nloss = torch.ones(1)\n")


@pytest.mark.parametrize(
    "name", ["gan", "lstm", "vae", "conv_net", "unet", "encoder_layer", "gradient_penalty", "resnet_18"]
)
def test_what_is_recorded_of_pytorch_is_what_it_does(torch: Any, name: str) -> None:
    """But for the last digits, in which machines differ: the same boxes, the same order, the same words."""
    kept = graphs.graph_of(name).recording
    now = graphs.record(kept.program)
    assert (kept.program, kept.boxes, kept.steps) == (now.program, now.boxes, now.steps)
    before, after = (unpacked(one.kept) for one in (kept, now))
    for part in ("edges", "runs", "groups", "sources", "root"):
        assert before["picture"][part] == after["picture"][part], part
    for key, box in before["picture"]["boxes"].items():
        other = after["picture"]["boxes"][key]
        assert {part: box[part] for part in ("name", "op", "expression", "shape")} == {
            part: other[part] for part in ("name", "op", "expression", "shape")
        }
    frames = [[json.loads(frame).get("box") for frame in one["frames"]] for one in (before, after)]
    assert frames[0] == frames[1]


def unpacked(text: str) -> Any:
    return json.loads(packing.zlib.decompress(packing.base64.b64decode(text)))


def test_a_chapter_leads_to_binder_and_colab_once_the_repository_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "README.md", tmp_path)
    monkeypatch.setattr(book, "ROOT", tmp_path)
    assert book.name_on_github() == ""
    assert addresses.main(["https://github.com/someone/minigrad"], tmp_path) == 0
    assert book.name_on_github() == "someone/minigrad"
    assert book.written_down("Course") == "https://someone.github.io/minigrad/"
    environment = Environment(loader=FileSystemLoader(pages.HERE / "sphinx"))
    template, links = environment.get_template("run-here.html"), []
    for name in ("06_custom_functions", "glossary"):
        html = template.render(pagename=name, on_github="someone/minigrad", has_live=True)
        links.append(proof.Reader(html).links)
    assert links == [
        [
            "live/lab/index.html?path=06_custom_functions.ipynb",
            "https://mybinder.org/v2/gh/someone/minigrad/HEAD?urlpath=lab/tree/notebooks/06_custom_functions.ipynb",
            "https://colab.research.google.com/github/someone/minigrad/blob/colab/06_custom_functions.ipynb",
        ],
        [],
    ]


def test_the_guides_are_pages_that_lead_to_each_other(site: Path) -> None:
    reading = proof.Reader((site / "reading.html").read_text("utf-8"))
    assert "words.html" in reading.links
    assert "index.html" in proof.Reader((site / "stepper.html").read_text("utf-8")).links
    with pytest.raises(pages.ProblemError, match=r"guides/x\.md leads to gone\.md, which is no page"):
        book.with_links_to_pages("guides/x.md", "[there](gone.md)")

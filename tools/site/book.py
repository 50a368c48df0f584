"""The chapters as a book: Sphinx reads the committed notebooks, with what they show, and nothing is run."""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Any

import gallery
import nbformat
from docutils import nodes
from docutils.nodes import make_id
from docutils.utils import new_document
from pages import HERE, LONGEST_DESCRIPTION, NAME, Page, ProblemError, Site, described, in_json
from pages import write as write_text
from prune import pruned, without_unasked, words_in
from sphinx.application import Sphinx

from minigrad.viz.page.notebook import StepperPreprocessor
from minigrad.viz.page.output import has_steppers

ROOT = HERE.parents[1]
PLAIN_NAME = re.compile(r"\w+")
CONTENTS = "contents"  # the page that lists the chapters; index.html is the front page
LOOK_UP = ("glossary", "errors")
GUIDES = {  # pages of the repository, by the names that they have in the book
    "stepper": "guides/stepper.md",
    "places": "guides/places.md",
    "teaching": "guides/teaching.md",
    "class": "deploy/README.md",
    "reading": "minigrad/README.md",
    "words": "minigrad/WORDS.md",
    "contributing": "guides/contributing.md",
    "project": "guides/final_project.md",
}
PAGES = {path: f"{name}.html" for name, path in GUIDES.items()} | {"README.md": "index.html"}
TERM = re.compile(r"### (?P<word>.+)\n\*\*(?P<chinese>.+?)\*\* · (?P<meaning>.+)", re.DOTALL)
TERM_LINK = re.compile(r'<a class="reference external" href="glossary\.html#cell-id=([\w-]+)"')
ERROR_ROW = re.compile(r"^\| (?P<words>`.+?`+) \| (?P<meaning>.+?) \|(?P<rest>.*)$", re.MULTILINE)
ABOUT_IT = "| about it:"  # of an error that a chapter does not show: on a telephone no "shown in" may stand before it
ABOUT = "After this chapter you can "
ABLE = re.compile(r"^\| after this chapter you can .*\n\|[-| ]+\n((?:\|.*\n?)+)", re.MULTILINE)
HANDLER = re.compile(r' onkeydown="[^"]*"')
ASKED = re.compile(r'(?<= data-asked=)"([^"]*)"')  # a prediction with its verdicts, in JSON, which is full of quotes
# 1.6 MB for a dozen icons: book.css draws these. And 80 KB of script for the tips of two buttons: they have titles.
TOO_MUCH = re.compile(r"^.*(?:fontawesome|scripts/bootstrap\.js).*\n", re.MULTILINE)
# Of code in colours what has that of the text around it: a third of a page. A test looks into the style sheet.
PLAIN_CODE = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')
CODE_CELL = re.compile(r'<div class="cell\b[^"]*\bcontainer"')
OF_SEARCH = re.compile(
    r'^.*<script src="(?:_static/(?:searchtools|language_data|sphinx_highlight)|searchindex)\.js.*\n', re.MULTILINE
)
# Sphinx would keep the words that were searched for, and mark them all over whatever page comes next. Here the links to
# what was found have them, and book.js marks them.
KEPT_WORDS = re.compile(r'localStorage\.setItem\(\s*"sphinx_highlight_terms",.*?\);\n', re.DOTALL)
CHATTER = re.compile(r"console\.(?:log|info|debug|warn)\(")  # what the theme tells the console of itself
# Of what Sphinx writes: pages that are still to be finished, and what none of them uses.
NOT_PUBLISHED = (
    *("*.html", "*.map", ".*", "fontawesome*", "bootstrap.js*", "vendor", "locales", "images", "_sources"),
    "objects.inv",
)
SIDEBAR_BUTTON = re.compile(
    r'title="Toggle (primary|secondary) sidebar" data-bs-placement="\w+" data-bs-toggle="tooltip"'
)
BUTTON_NAMES = {"primary": "List of pages", "secondary": "Contents of this page"}
SEARCH_RESULTS = '<div id="search-results"></div>'
FILE_AS_WORDS = re.compile(r'(<img )alt="_images/[^"]*"')
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")


CONTENTS_PAGE = Page(
    f"{CONTENTS}.html",
    "The chapters",
    "Seventeen chapters on automatic differentiation as PyTorch does it: what you can do after each.",
)
SEARCH_PAGE = Page(
    "search.html",
    "Search",
    "Search all chapters, the glossary, the gallery, and the errors of autograd by their first words.",
)
CONTENTS_TEXT = """Each chapter is a notebook: text, code, and graphs that you step through. Here you read it and
step; where you run it, in this browser or [elsewhere](places.html), its exercises are checked. Begin at the top, or
where your question stands. Words are explained in the [glossary](glossary.html), in English and Chinese; errors by
their first words in [I have this error](errors.html)."""
NOTHING_FOUND = """<div class="nothing-found" role="status">
<p>No page has all these words. Try one word alone, as PyTorch spells it, or an error's first words. Or look through</p>
<ul>
<li><a href="contents.html">the chapters</a>, and what you can do after each</li>
<li><a href="errors.html">errors</a>, by their first words</li>
<li><a href="glossary.html">the glossary</a>, in English and Chinese</li>
<li><a href="gallery/index.html">the gallery</a>: twenty graphs to step through</li>
</ul>
</div>"""


@dataclass(frozen=True)
class Text:
    """A notebook or a guide of the book: its name, its heading as Markdown and as text, and what it is about."""

    name: str
    heading: str
    title: str
    about: str
    drawing: str


def write(site: Site) -> None:
    """Write the pages of all notebooks, their contents and the search."""
    paths = [
        *sorted(site.notebooks.glob("[0-9][0-9]_*.ipynb")),
        *(site.notebooks / f"{name}.ipynb" for name in LOOK_UP),
    ]
    notebooks = {path.stem: read(path) for path in paths}
    guides = {name: (ROOT / path).read_text("utf-8") for name, path in GUIDES.items()}
    texts = [text_of(name, notebook) for name, notebook in notebooks.items()]
    texts += [Text(name, *heading_of(GUIDES[name], guide), first_sentence(guide), "") for name, guide in guides.items()]
    terms, errors = terms_of(notebooks["glossary"]), errors_of(notebooks["errors"])
    pages = [page_of(text) for text in texts] + [CONTENTS_PAGE, SEARCH_PAGE]
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "source"), Path(folder, "made")
        for name, notebook in notebooks.items():
            write_text(source / f"{name}.ipynb", nbformat.writes(prepared(name, notebook)))
        for name, guide in guides.items():
            write_text(source / f"{name}.md", with_links_to_pages(GUIDES[name], guide))
        write_text(source / f"{CONTENTS}.md", contents(texts))
        if (images := site.notebooks / "images").is_dir():
            shutil.copytree(images, source / "images")
        run_sphinx(source, made, site)
        for path in sorted(made.rglob("*-theme.js")):
            path.write_text(CHATTER.sub("void (", path.read_text("utf-8")), "utf-8")
        path = made / "_static/searchtools.js"
        path.write_text(search_script(path.read_text("utf-8")), "utf-8")
        used = [path for kind in ("*.html", "*-theme.js", "doctools.js", "searchtools.js") for path in made.rglob(kind)]
        texts_used = [path.read_text("utf-8") for path in used]
        words = words_in(texts_used)
        paths = sorted(made.rglob("*.css"))
        sheets = [pruned(FONT_FACE.sub("", path.read_text("utf-8")), words) for path in paths]
        of_ours = [path.read_text("utf-8") for path in sorted((HERE / "static").glob("*.css"))]
        for path, sheet in zip(paths, without_unasked(sheets, "\n".join([*texts_used, *of_ours])), strict=True):
            path.write_text(sheet, "utf-8")
        unwanted = shutil.ignore_patterns(*NOT_PUBLISHED)
        shutil.copytree(made, site.folder, dirs_exist_ok=True, ignore=unwanted)
        for page in pages:
            cells = notebooks[name].cells if (name := page.path.removesuffix(".html")) in notebooks else []
            ids = [cell.id for cell in cells if cell.cell_type == "code"]
            site.add(page, finished((made / page.path).read_text("utf-8"), page, site, terms, ids))
    site.write_static()
    write_text(site.folder / "_static/errors.json", in_json(errors))


def read(path: Path) -> Any:
    """A notebook that was run. Raises ProblemError for one that was not, or that has a name with markup."""
    if not PLAIN_NAME.fullmatch(path.stem):
        raise ProblemError(f"{path.name!r}: the name of a notebook has letters, digits and _ only.")
    if not path.is_file():
        raise ProblemError(f"There is no {path}.")
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    for number, cell in enumerate(code, 1):
        if cell.execution_count != number:
            raise ProblemError(
                f"{path.name} was not executed: code cell {number} ({cell.id}) has the number {cell.execution_count}. "
                f"Run:  python dev.py notebooks {path.stem}"
            )
    return notebook


def text_of(name: str, notebook: Any) -> Text:
    """What a notebook says of itself in its first cell. Raises ProblemError where its heading has markup."""
    first = notebook.cells[0].source
    heading, title = heading_of(f"{name}.ipynb", first)
    table = ABLE.search(first)
    if table:
        able = [plain(row.split("|")[1].strip()) for row in table[1].strip().splitlines()]
        fitting = [
            count for count in range(1, len(able) + 1) if len(ABOUT + "; ".join(able[:count])) < LONGEST_DESCRIPTION
        ]
        about = ABOUT + "; ".join(able[: max(fitting, default=1)]) + "."
    else:
        about = first_sentence(first)
    return Text(name, heading, title, described(plain(about)), first_drawing(notebook))


def heading_of(path: str, text: str) -> tuple[str, str]:
    """A text's heading, as Markdown and as text. Raises ProblemError where it has markup."""
    heading = text.partition("\n")[0].removeprefix("# ").strip()
    if not text.startswith("# ") or re.search("[<>&]", heading):
        raise ProblemError(f"{path}: it begins with a heading of plain words, not with {heading!r}.")
    return heading, plain(heading)


def first_sentence(text: str) -> str:
    """The first sentence behind a text's heading, without the colon in front of an example."""
    return described(re.sub(":$", ".", plain(re.split(r"(?<=[.])\s", text.split("\n\n")[1])[0])))


def plain(markdown: str) -> str:
    """Markdown as text."""
    return re.sub(r"[`*]|(?<!\w)_|_(?!\w)", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def first_drawing(notebook: Any) -> str:
    """The first graph that a notebook draws with `viz.draw`, as SVG; "" where it draws none."""
    outputs = [shown for cell in notebook.cells for shown in cell.get("outputs", ())]
    drawings = ["".join(shown.get("data", {}).get("image/svg+xml", "")) for shown in outputs]
    return next((svg for svg in drawings if 'class="mg-graph"' in svg), "")


def page_of(text: Text) -> Page:
    return Page(f"{text.name}.html", text.title, text.about, text.drawing)


def prepared(name: str, notebook: Any) -> Any:
    """A notebook for Sphinx: its steppers are HTML that needs no kernel, its links lead to pages."""
    notebook, _ = StepperPreprocessor().preprocess(notebook, {})
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            cell.source = with_links(name, cell.source)
            if name == "errors":
                cell.source = ERROR_ROW.sub(
                    lambda row: f'| <span id="{error_id(row["words"])}"></span>{row[0][2:]}', cell.source
                ).replace(ABOUT_IT, f'| <span class="about">{ABOUT_IT[2:]}</span>')
            anchor = f'<span id="cell-id={cell.id}"></span>'
            if number:
                cell.source = f"{anchor}\n\n{cell.source}"
        for shown in cell.get("outputs", ()):
            if "text/html" in shown.get("data", {}):
                html = HANDLER.sub("", "".join(shown.data["text/html"]))
                shown.data = {"text/html": ASKED.sub(in_single_quotes, html)}
    return notebook


def in_single_quotes(value: re.Match[str]) -> str:
    """An attribute's value, in which what needs no escape has none: a quarter of the value's length."""
    plain_value = unescape(value[1])
    return "'" + plain_value.replace("&", "&amp;").replace("'", "&#x27;") + "'"


def with_links(name: str, source: str) -> str:
    """A text cell whose links to notebooks, cells and headings lead to the pages of the book."""
    source = re.sub(r"(\]\(|href=\")(\w+)\.ipynb(?=[#)\"])", r"\1\2.html", source)
    return re.sub(
        r"\]\(#(?!cell-id=)((?:[^()]|\([^()]*\))+)\)", lambda link: f"]({name}.html#{make_id(link[1])})", source
    ).replace("](#cell-id=", f"]({name}.html#cell-id=")


def with_links_to_pages(path: str, source: str) -> str:
    """A guide whose links to other files of the repository lead to the pages of the book that these have become."""

    def to_page(link: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[1]))
        if file not in PAGES:
            raise ProblemError(f"{path} leads to {link[1]}, which is no page of the book.")
        return f"]({PAGES[file]}"

    return re.sub(r"\]\(([\w./]+\.md)", to_page, source)


def contents(texts: list[Text]) -> str:
    """The page that lists all others, as Markdown."""
    chapters = [text for text in texts if text.name not in (*LOOK_UP, *GUIDES)]
    rows = [f"| [{text.heading}]({text.name}.html) | {text.about.removeprefix(ABOUT)} |" for text in chapters]
    trees = (
        ("Chapters", [text.name for text in chapters]),
        ("Look up", list(LOOK_UP)),
        ("Guides", list(GUIDES)),
    )
    lists = [
        "```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```".format(caption, "\n".join(names))
        for caption, names in trees
    ]
    return "\n\n".join(
        [
            f"# {CONTENTS_PAGE.title}",
            CONTENTS_TEXT,
            "\n".join(["| chapter | after it you can |", "|---|---|", *rows]),
            *lists,
        ]
    )


def run_sphinx(source: Path, made: Path, site: Site) -> None:
    """Have Sphinx make the pages. Raises ProblemError with its first warning, if it has any."""
    settings = {
        "project": NAME,
        "html_title": NAME,
        "html_short_title": NAME,
        "extensions": ["myst_nb"],
        "root_doc": CONTENTS,
        "templates_path": [str(HERE / "sphinx"), str(HERE / "templates")],
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},  # else pages would ask another host for it
        "nb_mime_priority_overrides": [("html", "text/html", 0)],
        "nb_merge_streams": True,
        "myst_enable_extensions": [],
        "myst_heading_anchors": 4,
        "myst_all_links_external": True,
        "html_theme": "sphinx_book_theme",
        "html_theme_options": {
            "show_toc_level": 2,
            "use_download_button": False,
            "use_fullscreen_button": False,
            "article_header_start": ["toggle-primary-sidebar", "run-here"],
            "back_to_top_button": False,
            "article_header_end": ["toggle-secondary-sidebar"],
            "footer_content_items": [],  # an author, who is not set, and a copyright
            "disable_search": True,  # its dialog: the search field stands in our own header
        },
        "html_sidebars": {"**": ["sbt-sidebar-nav"]},
        "html_context": {"default_mode": "auto", "has_live": site.has_live, "on_github": name_on_github()},
        "html_show_sourcelink": False,
        "html_copy_source": False,
        "html_show_sphinx": False,
        "html_show_copyright": False,
        "html_last_updated_fmt": None,
        "html_use_index": False,
        "html_permalinks_icon": "#",
    }
    said, warned = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said):
        app = Sphinx(source, None, made, made / ".doctrees", "html", settings, status=said, warning=warned)
        app.connect("html-collect-pages", with_gallery)
        app.build()
    if warned.getvalue().strip():
        raise ProblemError("Sphinx says: " + warned.getvalue().strip().splitlines()[0])


def with_gallery(app: Sphinx) -> list[Any]:
    """Put the pages of the gallery, which Sphinx does not make, into the index of the search."""
    for graph in gallery.graphs():
        page, document = f"gallery/{graph.name}", new_document(graph.name)
        document += [
            nodes.title("", graph.title),
            nodes.paragraph("", graph.words),
            nodes.literal_block("", graph.code),
        ]
        app.env.all_docs[page] = 0  # what is not there, the index drops
        app.env.titles[page] = nodes.title("", graph.title)
        app.builder.indexer.feed(page, f"{page}.html", graph.title, document)
    return []


def search_script(script: str) -> str:
    """Sphinx's search as it is published: it keeps nothing, says in a link what was asked, and reads all our pages."""
    changes = [
        (KEPT_WORDS, ""),
        (
            re.compile(r"linkEl\.href = linkUrl \+ anchor;"),
            "linkEl.href = `${linkUrl}?words=${encodeURIComponent([...highlightTerms].join(' '))}${anchor}`;",
        ),
    ]
    for pattern, words in changes:
        script, count = pattern.subn(lambda _, words=words: words, script)
        if count != 1:
            raise ProblemError(f"searchtools.js has {pattern.pattern} {count} times.")
    return script.replace('[role="main"]', "main")


def written_down(name: str) -> str:
    """The address of the "Repository" or of the "Course", where tools/addresses.py has written it down; else ""."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project.get("urls", {}).get(name, ""))


def name_on_github() -> str:
    """OWNER/NAME of the repository, where it is known; else ""."""
    return written_down("Repository").removeprefix("https://github.com/")


def finished(html: str, page: Page, site: Site, terms: dict[str, str], cells: list[str]) -> str:
    """A page of Sphinx's as it is published: with our head, our script and style, words on its terms, and places of its
    code cells, whose ids are `cells`.
    """
    ids = iter(cells)
    html, count = CODE_CELL.subn(lambda cell: f'{cell[0]} id="cell-id={next(ids, "")}"', TOO_MUCH.sub("", html))
    if count != len(cells):
        raise ProblemError(f"{page.path} has {count} code cells, and its notebook {len(cells)}.")
    if page == SEARCH_PAGE:
        html = CHATTER.sub("void (", html).replace(SEARCH_RESULTS, f"{SEARCH_RESULTS}\n{NOTHING_FOUND}")
    else:
        html = OF_SEARCH.sub("", html)
    html = SIDEBAR_BUTTON.sub(lambda button: 'title="{0}" aria-label="{0}"'.format(BUTTON_NAMES[button[1]]), html)
    # Under another name the theme leaves it alone, and book.js marks where one is.
    html = html.replace('id="pst-page-toc-nav"', 'id="on-this-page"')
    if page.path != "glossary.html":
        html = with_meanings(html, page, terms)
    html = PLAIN_CODE.sub(r"\1", html)
    html = FILE_AS_WORDS.sub(r'\1alt="what the cell above has drawn"', html)
    ours = [site.head(page), *(f'<link rel="stylesheet" href="_static/{name}.css" />' for name in ("site", "book"))]
    ours.append('<script src="_static/book.js" defer></script>')
    if has_steppers(html):
        ours.append('<script type="module" src="_static/stepper.mjs"></script>')
    title = f"<title>{escape(page.title)} · {NAME}</title>"
    html = re.sub("<title>.*?</title>", lambda _: title, html, count=1, flags=re.DOTALL)
    # Before the theme's own scripts, which count on being allowed to keep things
    html = html.replace("<title>", '<script src="_static/theme.js"></script>\n<title>', 1)
    return html.replace("</head>", "\n".join([*ours, "</head>"]), 1)


def with_meanings(html: str, page: Page, terms: dict[str, str]) -> str:
    """A page whose links to the glossary say what the word means. Raises ProblemError for a word that is not there."""

    def with_meaning(link: re.Match[str]) -> str:
        if link[1] not in terms:
            raise ProblemError(f"{page.path} leads to a word that the glossary does not have: {link[1]}")
        return f'{link[0].replace("reference external", "reference term")} title="{escape(terms[link[1]])}"'

    return TERM_LINK.sub(with_meaning, html)


def terms_of(glossary: Any) -> dict[str, str]:
    """The meaning of each word of the glossary, with the Chinese word in front, by the id of its cell."""
    found = {cell.id: TERM.fullmatch(cell.source.strip()) for cell in glossary.cells}
    return {
        key: f"{term['word']} · {term['chinese']} · {plain(term['meaning'])}" for key, term in found.items() if term
    }


def errors_of(notebook: Any) -> list[list[str]]:
    """Of each error its first words, what it means, and where it stands."""
    rows = [row for cell in notebook.cells for row in ERROR_ROW.finditer(cell.source)]
    return [[row["words"].strip("` "), plain(row["meaning"]), f"errors.html#{error_id(row['words'])}"] for row in rows]


def error_id(words: str) -> str:
    """An id of an error's first words, capitals and all: some errors differ in these alone."""
    return "error-" + "-".join(re.findall(r"\w+", words))

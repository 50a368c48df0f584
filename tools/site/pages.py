"""What all pages of the site have in common: their heads, the shared script and style, the list of pages."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

import jinja2

from minigrad.viz.page import standalone, widget_source

HERE = Path(__file__).resolve().parent
NAME = "minigrad"
LONGEST_DESCRIPTION = 200  # characters; link previews cut what is longer
POLICY = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri {base}; form-action 'self'"
)
CHARACTER_SET = re.compile(r'<meta charset="utf-8"[^>]*>')
TAG = re.compile(r"<[^>]*>")
INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)
HANDLER = re.compile(r'<[^<>]*?\son\w+="([^"]*)"')
PICTURE = re.compile(r'<img\b([^>]*?)\ssrc="data:image/svg\+xml,([^"]*)"')
# Of a stepper: where scripts run it is not fetched.
STILL = re.compile(r'(?<=>)<div class="minigrad-still"(?: [^>]*)?><img[^>]*></div>(?=</div>)')
# How high a stepper will be, in pixels, site.css tells from its picture.
RECORDED = re.compile(
    r"""<div class="minigrad-recorded"(?=(?: [\w-]+=(?:"[^"]*"|'[^']*'))*>"""
    r"""\s*<noscript><div[^>]*><img[^>]*? height="(\d+)")"""
)
SIZE = re.compile(r'<svg[^>]*?\swidth=["\'](\d+(?:\.\d+)?)["\'][^>]*?\sheight=["\'](\d+(?:\.\d+)?)["\']')
# Code in colours, and what a cell has printed: no element goes on from one line to the next.
CODE = re.compile(r'(<div class="highlight"><pre>(?:<span></span>)?(?:<code>)?)(.*?)(?=(?:</code>)?</pre>)', re.DOTALL)
SHORT = 30  # characters of a line that the narrowest page shows whole
# What our own scripts of the pages import from the stepper's, which stand before them in one text.
IMPORT = re.compile(r'^import [^;]* from "[^"]*";\n', re.MULTILINE)


class ProblemError(Exception):
    """What is wrong with a source of the site, in words: the build stops."""


@dataclass(frozen=True)
class Page:
    """A page of the site: its path in it, and what previews of links to it say."""

    path: str
    title: str
    description: str
    drawing: str = ""  # an SVG of ours that the preview's picture shows
    is_anywhere: bool = False  # it is shown at any address, and says itself where its links begin

    @property
    def up(self) -> str:
        """The way from the page to the site's own folder."""
        return "../" * self.path.count("/")

    @property
    def preview(self) -> str:
        return f"previews/{self.path.removesuffix('.html').replace('/', '-')}.png"


@dataclass
class Site:
    """The site that is built: where to, from which notebooks, and the pages that it has so far."""

    folder: Path
    notebooks: Path
    address: str
    has_live: bool
    python_host: str = ""  # which that course asks for Python; none where the site has it
    pages: list[Page] = field(default_factory=list)

    def write_static(self) -> None:
        """The one script and the one style of all steppers, and those of the pages around them."""
        folder = self.folder / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        packed = zlib.compress(in_json({"script": stepper_script(), "style": widget_source.style()}).encode(), 9)
        (folder / "stepper.pack").write_bytes(packed)
        for path in sorted((HERE / "static").glob("*")):
            if path.name != "host.mjs":
                write(folder / path.name, path.read_text(encoding="utf-8"))

    def put(self, page: Page, template: str, **values: object) -> None:
        """Write a page of a template of ours."""
        text = (
            templates().get_template(template).render(page=page, site=self, name=NAME, head=self.head(page), **values)
        )
        self.add(page, text)

    def add(self, page: Page, html: str) -> None:
        """Write a page and note it: its pictures become files, and its policy allows what stands in it."""
        self.pages.append(page)
        html = self.with_picture_files(STILL.sub(r"<noscript>\g<0></noscript>", html), page)
        html = RECORDED.sub(r'\g<0> style="--tall:\1px"', html)
        html = CODE.sub(lambda code: code[1] + with_long_lines(code[2]), html)
        policy = f'<meta http-equiv="Content-Security-Policy" content="{policy_of(html, page.is_anywhere)}" />'
        html, count = CHARACTER_SET.subn(lambda found: f"{found[0]}\n{policy}", html)
        if count != 1:
            raise ProblemError(f"{page.path}: the page says its character set {count} times.")
        write(self.folder / page.path, html)

    def head(self, page: Page) -> str:
        """The part of a page's head that says what it is, to search engines and to previews of links."""
        base = f"{self.address}/" if self.address else page.up
        facts = {
            "og:type": "article",
            "og:site_name": NAME,
            "og:title": page.title,
            "og:description": page.description,
            "og:image": base + page.preview,
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": page.title,
            **({"og:url": base + page.path.removesuffix("index.html")} if self.address else {}),
        }
        lines = [f'<meta name="description" content="{escape(page.description)}" />']
        lines += [f'<meta property="{key}" content="{escape(value)}" />' for key, value in facts.items()]
        lines.append('<meta name="twitter:card" content="summary_large_image" />')
        if self.address:
            lines.append(f'<link rel="canonical" href="{escape(facts["og:url"])}" />')
        lines.append(f'<link rel="icon" type="image/svg+xml" href="{page.up}_static/icon.svg" />')
        return "\n".join(lines)

    def with_picture_files(self, html: str, page: Page) -> str:
        """The page with its drawings as files, which are fetched when they come near."""

        def as_file(found: re.Match[str]) -> str:
            svg = unquote(unescape(found[2]))
            name = f"{hashlib.sha256(svg.encode()).hexdigest()[:16]}.svg"
            write(self.folder / "pictures" / name, svg)
            size = SIZE.search(svg)
            room = f' width="{round(float(size[1]))}" height="{round(float(size[2]))}"' if size else ""
            return f'<img{found[1]} loading="lazy"{room} src="{page.up}pictures/{name}"'

        return PICTURE.sub(as_file, html)

    def write_previews(self) -> None:
        """A picture for each page, and what search engines ask for where the site's address is known."""
        from previews import write_preview

        for page in self.pages:
            write_preview(page, self.folder / page.preview)
        write(self.folder / ".nojekyll", "")  # hosts of static pages would leave out folders that begin with _
        if self.address:
            places = "\n".join(
                f"{self.address}/{page.path.removesuffix('index.html')}" for page in self.pages if not page.is_anywhere
            )
            write(self.folder / "sitemap.txt", places + "\n")


def with_long_lines(code: str) -> str:
    """Code or print whose long lines are elements that know how far they are indented: site.css breaks them where the
    page ends, and has the rest stand further in than the line begins, as in the stepper.
    """

    def marked(line: str) -> str:
        text = unescape(TAG.sub("", line)).rstrip("\n").expandtabs()
        if len(text) <= SHORT:
            return line
        return f'<span class="long" style="--in:{len(text) - len(text.lstrip())}ch">{line}</span>'

    return "".join(marked(line) for line in code.splitlines(keepends=True))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def templates() -> jinja2.Environment:
    """The templates beside this file, in which all that is put in is text unless it says otherwise."""
    loader = jinja2.FileSystemLoader(HERE / "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def stepper_script() -> str:
    """The steppers' script and the host of these pages, as one module."""
    return standalone.script(widget_source.script(), IMPORT.sub("", (HERE / "static/host.mjs").read_text("utf-8")))


def policy_of(html: str, may_say_base: bool = False) -> str:
    """The Content-Security-Policy of a page: nothing from elsewhere, and of scripts only the site's files and those
    that stand in the page. (The stepper's script comes packed, and stepper.mjs makes a blob of it.)
    """

    def allowed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    scripts = [allowed(text) for text in dict.fromkeys(INLINE_SCRIPT.findall(html))]
    handlers = [allowed(unescape(text)) for text in dict.fromkeys(HANDLER.findall(html))]
    blob = ["blob:"] if "_static/stepper.mjs" in html else []
    unsafe = ["'unsafe-hashes'"] if handlers else []
    allowed_too = "".join(f" {one}" for one in (*blob, *scripts, *unsafe, *handlers))
    return POLICY.format(scripts=allowed_too, base="'self'" if may_say_base else "'none'")


def described(text: str) -> str:
    """A description as previews of links show it: whole words, not too many."""
    text = " ".join(text.split())
    if len(text) <= LONGEST_DESCRIPTION:
        return text
    return text[:LONGEST_DESCRIPTION].rpartition(" ")[0].rstrip(",;:.") + " …"


def in_json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

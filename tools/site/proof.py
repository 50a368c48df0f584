"""What is checked of a site that was built: its links, and that no page asks another host for anything."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages import ProblemError, Site

FETCHED = {"script": "src", "img": "src", "link": "href", "source": "srcset", "video": "src", "iframe": "src"}
NOT_FETCHED = {"canonical"}  # kinds of <link> that only name an address


class Reader(HTMLParser):
    """The anchors of a page, where its links lead, and what it fetches."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.twice: set[str] = set()  # ids, of which a link would only ever lead to the first
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        if "id" in values and values["id"] in self.anchors:
            self.twice.add(values["id"])
        self.anchors |= {values[key] for key in ("id", "name") if key in values}
        if tag in ("a", "form"):
            self.links += [values[key] for key in ("href", "action") if values.get(key)]
        if values.get(FETCHED.get(tag, "")) and values.get("rel") not in NOT_FETCHED:
            self.fetched.append(values[FETCHED[tag]])
        if "data-from" in values:
            self.fetched.append(values["data-from"])


def check_site(site: Site) -> None:
    """Raise ProblemError with the first broken links of our pages, and with what is asked of other hosts."""
    readers = {page.path: Reader((site.folder / page.path).read_text("utf-8")) for page in site.pages}
    problems: list[str] = []
    for path, reader in readers.items():
        outside = filter(is_outside, reader.fetched)
        problems += [f"{path} fetches {address[:80]} from another host" for address in outside]
        problems += [f"{path} has two places with the id {name}" for name in sorted(reader.twice)]
        inside = filter(is_inside, (*reader.links, *reader.fetched))
        problems += filter(None, (broken(site.folder, path, address, readers) for address in inside))
    if problems:
        more = f"\n... and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise ProblemError("Links are broken:\n  " + "\n  ".join(problems[:10]) + more)


def is_outside(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https")


def is_inside(address: str) -> bool:
    return not is_outside(address) and not urlsplit(address).scheme


def broken(folder: Path, path: str, address: str, readers: dict[str, Reader]) -> str:
    """What is wrong with a link on the page `path`; "" if nothing is."""
    parts = urlsplit(address)
    target = (folder / path).parent / unquote(parts.path) if parts.path else folder / path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return f"{path} leads to {address}, which is not there"
    name = target.resolve().relative_to(folder.resolve()).as_posix()
    if parts.fragment and name in readers and unquote(parts.fragment) not in readers[name].anchors:
        return f"{path} leads to {address}, and there is no such place on that page"
    return ""

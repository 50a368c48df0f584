"""Write down where the course is published: python tools/addresses.py REPOSITORY [SITE]

REPOSITORY is https://github.com/OWNER/NAME; SITE, where its pages are, is https://OWNER.github.io/NAME/ if left out.
Both go into `[project.urls]` of pyproject.toml, from where pages and packages take them, and as links to the course, to
Binder and to Colab into README.md. Done again with other addresses, it replaces them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPOSITORY = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
SITE = re.compile(r"https?://[^\s/]+(/\S*)?")
URLS = '[project.urls]\nRepository = "{repository}"\nCourse = "{site}"\n'
LINKS = """\
**[Read it]({site}), step through it, [run it in your browser]({site}live/lab/index.html?path=00_start_here.ipynb)**:
nothing is installed. Or on a machine of others, on
[Binder](https://mybinder.org/v2/gh/{name}/HEAD?urlpath=lab/tree/notebooks/00_start_here.ipynb) or
[Colab](https://colab.research.google.com/github/{name}/blob/colab/00_start_here.ipynb).
"""


def main(arguments: list[str], root: Path = ROOT) -> int:
    if not arguments or len(arguments) > 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    found = REPOSITORY.fullmatch(arguments[0])
    if found is None:
        print(f"{arguments[0]} is no https://github.com/OWNER/NAME", file=sys.stderr)
        return 2
    owner, name = found.groups()
    site = arguments[1] if arguments[1:] else f"https://{owner.lower()}.github.io/{name}/"
    if not SITE.fullmatch(site):
        print(f"{site} is no address of a site, such as https://OWNER.github.io/NAME/", file=sys.stderr)
        return 2
    write(root, owner, name, site.rstrip("/") + "/")
    return 0


def write(root: Path, owner: str, name: str, site: str) -> None:
    project, readme = root / "pyproject.toml", root / "README.md"
    urls = URLS.format(repository=f"https://github.com/{owner}/{name}", site=site)
    text = re.sub(r"\[project\.urls\]\n(?:\w.*\n)*\n", "", project.read_text(encoding="utf-8"))
    start, extras, rest = text.partition("# `dev.py` installs")
    project.write_text(f"{start}{urls}\n{extras}{rest}", encoding="utf-8")
    before, _, found = readme.read_text(encoding="utf-8").partition("<!-- addresses -->\n")
    _, _, after = found.partition("<!-- /addresses -->\n")
    links = LINKS.format(site=site, name=f"{owner}/{name}")
    readme.write_text(f"{before}<!-- addresses -->\n{links}<!-- /addresses -->\n{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The widget's page side as two texts: one script and one style sheet.

The files in `static/` become the one module that a notebook, an exported page and a browser can load. JupyterLab loads
a widget's script from its text, so it can import nothing that lies beside it. Each file is an ES module that imports
its neighbours by name (so editors, type checks and tests read them as they are); joined in order, the imports between
them fall away, as does `export` before what is declared. What a page asks of a joined script is exported as `export
default` or `export { … }`, and stays. There is no bundler. Lines that are comments stay in the source files,
and so do indents and empty lines: every notebook and every exported page holds the rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"
# A file stands behind those that it imports.
ORDER = (
    "dom remembering marks conditions whatif cells values levels player measures layered layout wires sizes "
    "boxes picture camera paper overview whereabouts whole minimap inspector panels predict changing menu legend tip "
    "twins keyboard hint controls stepper"
)
SCRIPTS = tuple(ORDER.split())
COMMENT = re.compile(r"\s*(//|/\*\*(?!.*\*/.*\S)|\*[ /\n])")  # a line that is one, or belongs to one
ASIDE = re.compile(r"^([^\"'`/\n]*[;,{]) +// .*$", re.MULTILINE)  # behind code in which nothing can look like one
INDENT = re.compile(r"^\s+", re.MULTILINE)  # and lines without anything
TYPE = re.compile(r"/\*\* @\w+ \{[^*]*\} \*/ ")  # of what stands behind it, for the type checks
IMPORT = re.compile(r'^import [^;]* from "\./\w+\.mjs";\n', re.MULTILINE)
EXPORTED = re.compile(r"^export (?!default|\{)", re.MULTILINE)
STYLES = ("reset", "theme", "controls", "picture", "panels", "motion")


@lru_cache(maxsize=1)
def script() -> str:
    """The widget's module: `export default { render }`, and nothing that it would import."""
    return join_scripts(*SCRIPTS)


def join_scripts(*names: str) -> str:
    """Scripts of `static/` as one text, without comments, indents, empty lines and what they import."""
    lines = "\n".join(static(f"{name}.mjs") for name in names).splitlines(keepends=True)
    text = ASIDE.sub(r"\1", "".join(line for line in lines if not COMMENT.match(line)))
    return INDENT.sub("", EXPORTED.sub("", IMPORT.sub("", TYPE.sub("", text))))


@lru_cache(maxsize=1)
def style() -> str:
    """The widget's style sheet."""
    sheets = "\n".join(static(f"{name}.css") for name in STYLES)
    return INDENT.sub("", re.sub(r"/\*.*?\*/\n?", "", sheets, flags=re.DOTALL))


def static(name: str) -> str:
    """The text of a file in `static/`."""
    return (STATIC / name).read_text(encoding="utf-8")

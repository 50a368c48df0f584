"""The colours of all pictures, in pairs for a light and a dark page: those of static/theme.css, written there alone.

Inside the stepper the style sheet itself gives them. A picture that stands alone carries the light ones as attributes,
so that it is complete where no style sheet is known, and `dark_style` of them: that makes it dark on a dark page. An
image on a page takes the `color-scheme` of the element that shows it for what the reader prefers; JupyterLab sets it by
its theme, other pages by the reader's system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).parent.parent / "static" / "theme.css"
_PAIR = re.compile(r"--mg-([\w-]+): (?:var\(--jp-[\w-]+, )?light-dark\((#\w{6}), (#\w{6})\)")
PAIRS: dict[str, tuple[str, str]] = {}
for _name, _light, _dark in _PAIR.findall(FILE.read_text(encoding="utf-8")):
    PAIRS.setdefault(_name, (_light, _dark))  # what stands further below holds in the forward pass only


def light(name: str) -> str:
    """A colour as it is on a light page."""
    return PAIRS[name][0]


def light_dark(name: str) -> str:
    """A colour in a style sheet of a page that sets `color-scheme`."""
    return "light-dark({},{})".format(*PAIRS[name])


def dark_style(names: Iterable[str]) -> str:
    """The style sheet of a picture whose elements have these light colours as attributes: what they are on a dark page.

    The picture has the class "mg-graph", so that where it stands in a page itself this concerns nothing else there, and
    what lies behind all of it has the class "mg-back". Rules of the page's own go first.
    """
    rules = "".join(
        f':where(.mg-graph) [{attribute}="{light(name)}"]{{{attribute}:{light_dark(name)}}}'
        for name in names
        for attribute in ("fill", "stroke")
    )
    back = f":where(.mg-graph) .mg-back{{fill:{light_dark('back')}}}"
    return f".mg-graph:root{{color-scheme:light dark}}{rules}{back}"

"""What pictures are measured with: the constants of static/measures.mjs, which the page imports under the same names.

They stand in the page's language, since a page cannot ask for Python's; each is explained there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "static" / "measures.mjs"
CONSTANTS: dict[str, Any] = {
    name: json.loads(value)
    for name, value in re.findall(r"^export const (\w+) = ([^;]+);", FILE.read_text(encoding="utf-8"), re.MULTILINE)
}


def __getattr__(name: str) -> Any:
    if name not in CONSTANTS:
        raise AttributeError(f"{FILE.name} has no constant {name!r}", name=name)
    return CONSTANTS[name]

"""How long `import minigrad` takes, and how large the engine is.

W8: the wall time of an import in a fresh Python process, and the size of the engine's files: minigrad/ without the
pictures, the course's helpers and the data. minigrad imports numpy, so numpy's own time is the limit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rounds import ROOT, Row, Values, arguments, conditions, installed, measure, show

ROWS = [Row("W8", "import in a fresh process", "ms")]
MODULES = {"minigrad": "minigrad", "torch": "torch", "autograd": "autograd.numpy", "mygrad": "mygrad", "numpy": "numpy"}
OUTSIDE = ("viz", "teach", "data", "datasets.py", "__pycache__")  # of minigrad/, what is not the engine
PROGRAM = """
import time
start = time.perf_counter()
import {}
print('{{"W8":', (time.perf_counter() - start) * 1e3, '}}')
"""


def engine_files() -> Iterator[Path]:
    package = ROOT / "minigrad"
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in OUTSIDE:
            yield path


def engine_size() -> tuple[int, int, int]:
    """Files, lines and bytes of the engine."""
    texts = [path.read_bytes() for path in engine_files()]
    return len(texts), sum(text.count(b"\n") for text in texts), sum(map(len, texts))


def commands() -> dict[str, list[str]]:
    return {name: [sys.executable, "-c", PROGRAM.format(MODULES[name])] for name in installed(MODULES)}


def main() -> None:
    options = arguments(__doc__)
    print(conditions(options, MODULES), flush=True)
    results: dict[str, Values] = measure(commands(), ROWS, options)
    show(ROWS, results)
    files, lines, size = engine_size()
    print(f"\nW8  the engine without viz, teach and data: {size / 1024:.0f} KiB in {files} files, {lines:,} lines")


if __name__ == "__main__":
    main()

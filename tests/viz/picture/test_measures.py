"""The constants of the two layouts: written once, and used by both under the same names."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from minigrad.viz.picture import measures

FOLDER = Path(measures.__file__).parent
STATIC = measures.FILE.parent


def imported(pattern: str, paths: list[Path]) -> set[str]:
    """The names that these files import from the constants."""
    lists = [found for path in paths for found in re.findall(pattern, path.read_text(encoding="utf-8"))]
    return set(re.findall(r"\w+", " ".join(lists)))


def test_python_and_the_page_use_the_same_constants() -> None:
    in_python = imported(r"from minigrad\.viz\.picture\.measures import \(([^)]*)\)", sorted(FOLDER.glob("*.py")))
    in_page = imported(r'import \{([^}]*)\} from "\./measures\.mjs"', sorted(STATIC.glob("*.mjs")))
    assert in_python == in_page == measures.CONSTANTS.keys()


def test_a_constant_is_written_nowhere_else() -> None:
    names = "|".join(measures.CONSTANTS)
    again = re.compile(rf"^(?:export )?(?:const )?(?:\w+, )*(?:{names})\b[^=\n]* = ", re.MULTILINE)
    files = [path for path in [*FOLDER.glob("*.py"), *STATIC.glob("*.mjs")] if path != measures.FILE]
    found = {path.name: again.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {"film.py": ["NARROWEST, MARGIN = "]}  # its own


def test_python_reads_what_the_page_imports() -> None:
    node = shutil.which("node")
    assert node, "the page's side needs Node.js"
    script = f"import * as all from {json.dumps(measures.FILE.as_uri())}; console.log(JSON.stringify(all));"
    ran = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == measures.CONSTANTS
    assert measures.CONSTANTS["LANE"] == measures.LANE


def test_a_constant_that_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match=r"^measures\.mjs has no constant 'LANES'$"):
        measures.LANES  # noqa: B018

"""The widget's JavaScript, tested in node: each tests/js/*.test.mjs, with happy-dom as the document (page.mjs). One
process (all.mjs) runs them all.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "js"
# MB of new objects: with less, a quarter of the time goes into looking through them
ROOMY = ("--min-semi-space-size=128", "--max-semi-space-size=128")


def count(what: str, output: str) -> int:
    found = re.search(rf"^# {what} (\d+)$", output, re.MULTILINE)
    assert found, f"node reported no number for {what}:\n{output}"
    return int(found.group(1))


def test_every_js_test_passes(node: str, node_modules: Path) -> None:
    files = sorted(path.name for path in FOLDER.glob("*.test.mjs"))
    result = subprocess.run(
        [node, *ROOMY, "--test-reporter=tap", "all.mjs"], cwd=FOLDER, capture_output=True, text=True, timeout=240
    )
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    named = re.findall(r"^# Subtest: (.*)", output, re.MULTILINE)
    assert named == files != [], output
    assert count("tests", output) > len(files), output
    assert count("pass", output) == count("tests", output), output

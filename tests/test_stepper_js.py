"""The widget's JavaScript, tested in node: each tests/js/*.test.mjs, with happy-dom as the document (page.mjs)."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import missing, require_program

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "js"


@pytest.fixture(scope="session")
def node_modules(node: str) -> Path:
    """The packages of package-lock.json, installed again only when that file changed."""
    modules = FOLDER / "node_modules"
    stamp = modules / ".installed-lock"
    lock_hash = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != lock_hash:
        result = subprocess.run(
            [require_program("npm"), "ci", "--no-fund", "--no-audit"],
            cwd=FOLDER,
            env={"npm_config_cache": str(ROOT / ".home" / "npm"), **os.environ},
            capture_output=True,
            text=True,
            timeout=240,
        )
        if result.returncode:
            print(result.stdout, result.stderr)
            missing("happy-dom")
        stamp.write_text(lock_hash)
    return modules


def count(what: str, output: str) -> int:
    found = re.search(rf"^# {what} (\d+)$", output, re.MULTILINE)
    assert found, f"node reported no number for {what}:\n{output}"
    return int(found.group(1))


def test_every_js_test_passes(node: str, node_modules: Path) -> None:
    files = sorted(path.name for path in FOLDER.glob("*.test.mjs"))
    result = subprocess.run(
        [node, "--test", "--test-reporter=tap", *files], cwd=FOLDER, capture_output=True, text=True, timeout=240
    )
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    assert count("tests", output) >= len(files) > 0, output
    assert count("pass", output) == count("tests", output), output

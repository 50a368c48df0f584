"""The widget's page side as one text: made of files that stand by themselves, and whole without them."""

import json
import re
import subprocess
from pathlib import Path

from viz.cells import unpack

import minigrad as mg
from minigrad.viz import BackwardStepper
from minigrad.viz.page import packing, widget_source


def test_the_joined_script_is_one_module_that_imports_nothing(node: str, tmp_path: Path) -> None:
    script = widget_source.script()
    assert not re.search(r"^import |\bimport\(", script, re.MULTILINE)
    assert re.findall(r"^export .*", script, re.MULTILINE) == ["export default { render };"]
    joined = tmp_path / "joined.mjs"
    joined.write_text(script, encoding="utf-8")
    # Files that each are right can have a name in common.
    checked = subprocess.run([node, "--check", str(joined)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


# What brings the joined script to a notebook or a page.
AROUND = {"pack", "kept", "plain", "announcing", "storing", "output", "opening", "notebook", "page"}


def test_each_file_is_joined_once_and_behind_what_it_imports() -> None:
    there = {path.stem for path in widget_source.STATIC.glob("*.mjs")}
    assert sorted(widget_source.SCRIPTS) == sorted(there - AROUND)
    for number, name in enumerate(widget_source.SCRIPTS):
        text = (widget_source.STATIC / f"{name}.mjs").read_text(encoding="utf-8")
        for imported in re.findall(r'^import [^;]* from "\./(\w+)\.mjs";', text, re.MULTILINE):
            assert imported in widget_source.SCRIPTS[:number], f"{name} imports {imported}"


def test_comments_stay_in_the_source_files() -> None:
    script = unpack(packing.packed_code())["script"]
    assert not re.search(r"^\s*(//|/\*|\*/)|/\*\*", script, re.MULTILINE)
    assert "/*" not in widget_source.style()
    for name in widget_source.SCRIPTS:
        for line in (widget_source.STATIC / f"{name}.mjs").read_text(encoding="utf-8").splitlines():
            # No statement looks like a line of a comment: it would be lost.
            if widget_source.COMMENT.match(line) and line.strip().startswith("*"):
                assert line.startswith((" *", "   *")), line


def test_indents_stay_in_the_source_files_and_no_text_of_a_script_has_any() -> None:
    for text in (widget_source.script(), widget_source.style()):
        assert not re.search(r"^[ \t]", text, re.MULTILINE)
    begins, ends = re.compile(r"`[^`]*\$\{[^}`]*$"), re.compile(r"^[^`]*\}[^`]*`[^`]*$")
    for path in widget_source.STATIC.glob("*.mjs"):
        for line in path.read_text(encoding="utf-8").splitlines():
            # A template that goes over lines does so in a place for values: its text would lose what stands before it.
            code = "" if widget_source.COMMENT.match(f"{line}\n") else line.split(" // ")[0]
            assert code.count("`") % 2 == 0 or begins.search(code) or ends.search(code), f"{path.name}: {line}"


def test_a_statement_behind_a_comment_on_its_line_is_kept() -> None:
    lost = ["// why", "  /** What it is. */", "/**", " * What it", " */"]
    kept = ["x(); // why", "/** @type {any} */ (x).y = 1;", "const x = /** @type {any} */ (y);"]
    assert [line for line in [*lost, *kept] if not widget_source.COMMENT.match(f"{line}\n")] == kept


def test_comments_behind_code_stay_in_the_source_files_but_no_text_is_taken_for_one() -> None:
    source = 'const WIDE = 7; // pixels\nconst AT = "http://a; // b"; // c\nif (a) { // d\n'
    assert widget_source.ASIDE.sub(r"\1", source) == 'const WIDE = 7;\nconst AT = "http://a; // b"; // c\nif (a) {\n'
    assert "; // pixels" not in widget_source.script()
    assert "; // pixels" in widget_source.static("measures.mjs") + widget_source.static("minimap.mjs")


def test_what_is_joined_imports_nothing_and_exports_what_a_page_asks_for() -> None:
    for name in sorted(AROUND - {"notebook", "output"}):
        assert not re.search(r"^(import|export)\b", widget_source.join_scripts(name), re.MULTILINE), name
    assert re.findall(r"^export .*", widget_source.join_scripts("notebook"), re.MULTILINE) == ["export default {"]
    assert re.findall(r"^export .*", widget_source.join_scripts("output"), re.MULTILINE) == [
        "export { renderKept, show };"
    ]


def test_the_widget_has_the_joined_texts(node: str, tmp_path: Path) -> None:
    code = unpack(packing.packed_code())
    assert code["style"] == widget_source.style()
    assert code["script"].startswith(widget_source.script())
    assert re.findall(r"^export .*", code["script"], re.MULTILINE) == [
        "export default { render };",
        "export { renderKept, show };",
    ]
    joined = tmp_path / "joined.mjs"
    joined.write_text(code["script"], encoding="utf-8")
    checked = subprocess.run([node, "--check", str(joined)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert str(BackwardStepper._esm) == packing.notebook_module()
    assert widget_source.style().count("{") == widget_source.style().count("}")


def test_all_steppers_of_a_kernel_share_one_script() -> None:
    loss = (mg.tensor([1.0, 2.0], requires_grad=True) ** 2).sum()
    one, other = BackwardStepper(loss), BackwardStepper(loss)
    assert one.code is other.code
    assert one.code.code == packing.packed_code()
    assert one.get_state("code") == {"code": f"IPY_MODEL_{one.code.model_id}"}
    assert len(json.dumps(one.get_state())) < 20_000
    one.close()
    assert BackwardStepper(loss).code is other.code
    other.code.close()
    assert BackwardStepper(loss).code is not other.code


def test_what_the_widget_gets_is_one_module_too(node: str, tmp_path: Path) -> None:
    module = tmp_path / "widget.mjs"
    module.write_text(str(BackwardStepper._esm), encoding="utf-8")
    checked = subprocess.run([node, "--check", str(module)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr

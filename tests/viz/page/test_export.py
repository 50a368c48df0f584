"""Steppers and drawings as files that stand alone: what is in them, what cannot get out of them, how large they are."""

import base64
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert.exporters import get_exporter
from viz.cells import unpack

import minigrad as mg
from minigrad import viz
from minigrad.viz.page import standalone
from minigrad.viz.page.notebook import TEMPLATES, VIEW, PageExporter
from minigrad.viz.picture import svg

ROOT = Path(__file__).parents[3]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "</title></style><img src=x onerror=alert(1)>",
    "]]>\u2028\u2029&lt;",
    "nul\0bell\x07\ud800",
    "x" * 5000,
]


class Page(HTMLParser):
    """The elements and attributes that a browser would find in a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, list[str]] = {}
        self._script: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.append((tag, dict(attributes)))
        self._script = (dict(attributes).get("type") or "") if tag == "script" else None
        if self._script is not None:
            self.scripts.setdefault(self._script, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = None

    def handle_data(self, text: str) -> None:
        if self._script is not None:
            self.scripts[self._script][-1] += text

    @property
    def passes(self) -> list[dict[str, Any]]:
        """What each recorded pass holds."""
        return [json.loads(a["data-pass"] or "") for _, a in self.tags if "data-pass" in a]

    @property
    def policy(self) -> str:
        (policy,) = [a["content"] for tag, a in self.tags if a.get("http-equiv") == "Content-Security-Policy"]
        assert policy is not None
        return policy


def example() -> tuple[Any, Any, Any]:
    a = mg.tensor(3.0, requires_grad=True)
    d = mg.tensor(2.0, requires_grad=True) ** 2
    return a, d, a**2 * d + d


def thirty() -> Any:
    """The loss of a network of four layers, whose graph has 30 nodes."""
    mg.manual_seed(0)
    h = mg.randn(16, 8)
    for _ in range(6):
        h = mg.tanh(h @ mg.randn(8, 8, requires_grad=True) + mg.randn(8, requires_grad=True))
    return h


def test_all_steps_are_in_the_file_and_the_stepper_stays_where_it_was(tmp_path: Path) -> None:
    a, _, f = example()
    stepper = viz.BackwardStepper(f)
    stepper.next()
    stepper.save_html(tmp_path / "step.html")
    assert (stepper.index, a.grad, len(stepper.frames)) == (1, None, 7)
    saved = Page((tmp_path / "step.html").read_text(encoding="utf-8"))
    (values,) = saved.passes
    picture = json.loads(json.dumps(stepper.picture))
    assert unpack(values["kept"]) == {"picture": picture, "frames": stepper.recorded, "problem": {}}
    assert (values["index"], values["live"], values["finished"]) == (1, False, True)
    stepper.last()
    assert a.grad.item() == 24.0


def test_the_policy_lets_only_our_script_run_and_nothing_be_fetched(tmp_path: Path) -> None:
    viz.BackwardStepper(example()[2]).save_html(tmp_path / "step.html")
    text = (tmp_path / "step.html").read_text(encoding="utf-8")
    saved = Page(text)
    (code,) = saved.scripts["module"]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert saved.policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")
    assert "http" not in saved.policy
    loaded = [a.get(name) or "" for _, a in saved.tags for name in ("src", "href", "xlink:href") if a.get(name)]
    assert all(address.startswith("data:") for address in loaded)
    assert "@import" not in text
    head = [tag for tag, _ in saved.tags[: [tag for tag, _ in saved.tags].index("style")]]
    assert head == ["html", "head", "meta", "meta", "meta", "meta", "title"]  # the policy comes before what it governs


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_add_no_element_and_no_script(name: str, tmp_path: Path) -> None:
    _, d, f = example()
    harmless = Page(_saved(viz.BackwardStepper(f, names={"harmless": d, "f": f}), tmp_path))
    _, d, f = example()
    stepper = viz.BackwardStepper(f, names={name: d, "f": f})
    saved = Page(_saved(stepper, tmp_path, title=name))
    assert [tag for tag, _ in saved.tags] == [tag for tag, _ in harmless.tags]
    assert saved.scripts["module"] == harmless.scripts["module"]
    assert unpack(saved.passes[0]["kept"])["frames"] == stepper.recorded


def _saved(stepper: Any, folder: Path, title: str | None = None) -> str:
    stepper.save_html(folder / "page.html", title)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_the_words_of_all_steps_stand_in_the_page(tmp_path: Path) -> None:
    stepper = viz.BackwardStepper(example()[2])
    text = _saved(stepper, tmp_path)
    assert html.escape(stepper.trace()) in text
    assert '<details class="minigrad-words" open>' in text  # where no script runs it stays open
    assert re.search("<noscript>.*in words", text)


def test_a_step_that_fails_is_told_and_the_steps_before_it_are_kept(tmp_path: Path) -> None:
    a, d, f = example()

    def refuse(gradient: Any) -> None:
        raise ValueError("no further")

    d.register_hook(refuse)
    stepper = viz.BackwardStepper(f)
    text = _saved(stepper, tmp_path)
    kept = unpack(Page(text).passes[0]["kept"])
    assert kept["problem"]["text"] == "ValueError: no further"
    many = len(kept["frames"]) - 2  # without the moment before, and the step that failed
    assert f"<p>{many} of 6 steps, recorded." in text
    assert f": 6 steps, {many} run, " in text
    assert 1 < len(kept["frames"]) < 7
    assert (stepper.index, a.grad) == (0, None)


def test_the_same_pass_gives_the_same_bytes(tmp_path: Path) -> None:
    assert _saved(viz.BackwardStepper(example()[2]), tmp_path) == _saved(viz.BackwardStepper(example()[2]), tmp_path)


def test_bad_paths_are_explained(tmp_path: Path) -> None:
    stepper = viz.BackwardStepper(example()[2])
    with pytest.raises(IsADirectoryError, match=r"and '.*' is a folder: try '.*step\.html'"):
        stepper.save_html(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'"):
        stepper.save_html(tmp_path / "nowhere" / "step.html")
    with pytest.raises(TypeError, match=r"save_html\(\) expects the name of a file, not int: save_html\('step.html'\)"):
        stepper.save_html(3)
    if os.geteuid() != 0:  # who writes everywhere
        tmp_path.chmod(0o500)
        with pytest.raises(PermissionError):
            stepper.save_html(tmp_path / "step.html")
        tmp_path.chmod(0o700)
    drawing = viz.draw(example()[2])
    with pytest.raises(ValueError, match=r"save\(\) writes \.svg files, and '.*graph\.png' does not end in \.svg"):
        drawing.save(tmp_path / "graph.png")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(IsADirectoryError, match="save"):
        drawing.save(tmp_path / "folder.svg")


def test_a_drawing_is_saved_as_svg(tmp_path: Path) -> None:
    drawing = viz.draw(example()[2])
    drawing.save(str(tmp_path / "graph.svg"))
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == drawing.svg


def test_a_module_without_a_default_export_is_refused() -> None:
    with pytest.raises(ValueError, match="one default export at the start of a line, not 0"):
        standalone.script("export function render() {}")


def test_no_text_can_end_the_element_that_it_stands_in() -> None:
    bad = "</script></SCRIPT><!--</style></STYLE>"
    code = standalone.script(f'export default {{ text: "{bad}" }};')
    assert not re.search("</script|<!--", code, re.IGNORECASE)
    assert not re.search("</style", standalone.style(bad), re.IGNORECASE)
    attribute = standalone.attribute({bad: [bad, "'\u2028&amp;"]})
    assert not re.search("[<']", attribute)
    assert json.loads(html.unescape(attribute)) == {bad: [bad, "'\u2028&amp;"]}


def test_a_page_of_thirty_nodes_is_small(tmp_path: Path) -> None:
    stepper = viz.BackwardStepper(thirty().sum())
    assert stepper.frames[0].total >= 30
    assert len(_saved(stepper, tmp_path).encode()) < 400_000


# ---------------------------------------------------------------- notebooks


CELLS = [
    "import minigrad as mg\nfrom minigrad import viz",
    "a = mg.tensor(3., requires_grad=True)\nb = mg.tensor(2., requires_grad=True)\nloss = (a * b + b) ** 2\n"
    "stepper = viz.BackwardStepper(loss)\nstepper",
    "stepper.next()\nstepper.next()\nNone",
    "viz.draw(loss)",
    "print('<b>printed</b>')",
]


@pytest.fixture(scope="module")
def executed() -> Any:
    """A notebook with a stepper, as a kernel leaves it."""
    cells = [nbformat.v4.new_markdown_cell("# A *first* `page`"), *map(nbformat.v4.new_code_cell, CELLS)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return notebook


def convert(folder: Path, *arguments: str) -> None:
    """Run nbconvert on the notebook in a folder."""
    result = subprocess.run(
        [sys.executable, "-m", "nbconvert", "book.ipynb", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


def exported(notebook: Any) -> Page:
    text, _ = PageExporter().from_notebook_node(notebook)
    parsed = Page(text)
    parsed.text = text  # type: ignore[attr-defined]
    return parsed


def test_what_a_text_cell_folds_stays_folded() -> None:
    solution = "<details>\n<summary>Solution</summary>\n\n```python\nx = 1\n```\n\nBecause.\n</details>\n\nAfter it."
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(solution)])
    text, _ = PageExporter().from_notebook_node(notebook)
    opened, code, why, closed, after = (
        text.index(part) for part in ("<details>", 'class="highlight"', "Because.", "</details>", "After it.")
    )
    assert opened < code < why < closed < after


def test_a_notebook_becomes_one_page_with_its_frames_in_it(executed: Any) -> None:
    saved = exported(executed)
    (values,) = saved.passes
    assert (values["live"], values["index"], values["ran"]) == (False, 2, ["", "", ""])
    kept = unpack(values["kept"])
    assert kept["picture"]["root"] == "loss"
    assert len(kept["frames"]) == kept["picture"]["total"] + 1 == 6
    (code,) = saved.scripts["module"]
    assert "minigradStepper" in code
    assert "data-script" in executed.cells[2].outputs[0].data["text/html"]  # the notebook itself is left as it was
    assert "data-script" not in saved.text  # type: ignore[attr-defined]


def test_nothing_in_the_page_of_a_notebook_is_fetched(executed: Any) -> None:
    saved = exported(executed)
    assert "default-src 'none'" in saved.policy
    assert "http" not in saved.policy
    loaded = [a.get(name) or "" for _, a in saved.tags for name in ("src", "href") if a.get(name)]
    assert loaded
    assert all(address.startswith(("data:", "#")) for address in loaded)
    assert "&lt;b&gt;printed&lt;/b&gt;" in saved.text  # type: ignore[attr-defined]
    assert "<title>A first page</title>" in saved.text  # type: ignore[attr-defined]


def test_a_notebook_without_steppers_has_no_script() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1"), nbformat.v4.new_raw_cell("raw")])
    saved = exported(notebook)
    assert saved.scripts == {}
    assert ".mg-card" not in saved.text  # type: ignore[attr-defined]
    assert exported(nbformat.v4.new_notebook()).scripts == {}


def test_steppers_in_a_box_take_the_script_of_the_page() -> None:
    inner = "ipywidgets.VBox([viz.BackwardStepper(x * 3)])"
    box = f"import ipywidgets\nipywidgets.HBox([viz.BackwardStepper(x * 2), {inner}])"
    cells = ["import minigrad as mg\nfrom minigrad import viz\nx = mg.tensor(3.0, requires_grad=True)", box]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=60).execute()
    saved = exported(notebook)
    assert [unpack(values["kept"])["picture"]["total"] for values in saved.passes] == [2, 2]
    assert list(saved.scripts) == ["module"]  # theirs, which the page's policy would stop, are gone
    assert "data-script" not in saved.text  # type: ignore[attr-defined]


def test_another_widget_leaves_its_picture() -> None:
    output = nbformat.v4.new_output(
        "display_data",
        {VIEW: {"model_id": "1" * 32}, "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain": "W"},
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("w", outputs=[output])])
    saved = exported(notebook)
    assert saved.scripts == {}
    assert [a["alt"] for tag, a in saved.tags if tag == "img"] == ["W"]


def test_a_hostile_notebook_is_text(executed: Any) -> None:
    notebook = nbformat.from_dict(json.loads(json.dumps(executed)))
    bad = "</script><script>alert(1)</script><!--<script>"
    (values,) = exported(executed).passes
    place = standalone.place_of_pass(values | {"kept": bad})
    notebook.cells[2].outputs[0].data["text/html"] = place
    notebook.cells[0].source = f"# {bad}"
    notebook.cells[5].outputs = [nbformat.v4.new_output("stream", name="stdout", text=bad)]
    saved, harmless = exported(notebook), exported(executed)
    assert saved.scripts["module"] == harmless.scripts["module"]
    assert saved.passes[0]["kept"] == bad


def test_the_command_line_finds_template_and_exporter(executed: Any, tmp_path: Path) -> None:
    nbformat.write(executed, tmp_path / "book.ipynb")
    folder = f"--TemplateExporter.extra_template_basedirs={TEMPLATES}"
    convert(tmp_path, "--output", "one", "--to", "html", "--template", "minigrad", folder)
    exporter = get_exporter("minigrad.viz.page.notebook.PageExporter")()  # as `--to` finds it
    two, _ = exporter.from_filename(str(tmp_path / "book.ipynb"))
    assert (tmp_path / "one.html").read_text("utf-8").rstrip() == two.rstrip()


def test_a_film_lays_its_graph_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[Any] = []
    lay_out = svg.lay_out
    monkeypatch.setattr(svg, "lay_out", lambda *given: laid.append(given) or lay_out(*given))
    x = mg.tensor([1.0], requires_grad=True)
    stepper = viz.BackwardStepper((x.exp() * x.tanh()).sum())
    stepper.save_svg(tmp_path / "film.svg")
    assert len(stepper.frames) == 6
    assert len(laid) == 1

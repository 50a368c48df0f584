"""The graph as text for Graphviz, for those who know torchviz.

`make_dot` takes torchviz's arguments and keeps its colours: leaves light blue with their AccumulateGrad below, the
result green, saved tensors orange. The `graphviz.Digraph` that it returns draws itself with the layout program that
minigrad brings along, so that nothing has to be installed by hand: `graphviz-pure`, a port of Graphviz in one file that
gives the same bytes on every machine. The variable MINIGRAD_LAYOUT may name another program that takes `dot`'s
arguments. In a browser no program can be started: there minigrad's own layout draws. A layout that fails or takes
longer than `SECONDS` ends in a `LayoutError` that says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import graphviz

from minigrad.stopping import HAS_THREADS
from minigrad.viz.graph.naming import Variables
from minigrad.viz.graph.nodes import nodes_behind
from minigrad.viz.graph.observer import learner_frame
from minigrad.viz.graph.values import shape_text
from minigrad.viz.picture.image import TURNED_DARK, image_html
from minigrad.viz.picture.markup import clean, shorten
from minigrad.viz.picture.plain_graph import plain_svg
from minigrad.viz.sources import source_of

SECONDS = 20.0
ADVICE = "Install it with `pip install graphviz-pure`, or set MINIGRAD_LAYOUT=dot to use a Graphviz of your own."
LEAF, RESULT, SAVED = "lightblue", "darkolivegreen1", "orange"
COLOURS = {"darkolivegreen1": "#caff70"}  # Graphviz' names that SVG does not know
INCHES, INCHES_OF_LINE = 12, 0.15  # of the picture, and of it for each line of its text where that is more: torchviz's
NODE_LOOK = {"style": "filled", "shape": "box", "align": "left", "fontsize": "10", "ranksep": "0.1", "height": "0.2"}
NODE_LOOK |= {"fontname": "monospace"}
NUMBER_LOOK = {"fontsize": "10", "fontname": "monospace"}


class LayoutError(RuntimeError):
    """The layout program is missing, failed, or took too long."""


class Digraph(graphviz.Digraph):  # type: ignore[misc]
    """A `graphviz.Digraph` without need of the program `dot`; `boxes` and `arrows` are what minigrad's layout takes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.boxes: dict[str, tuple[str, str]] = {}
        self.arrows: list[tuple[str, str, bool]] = []

    def node(self, name: str, label: str | None = None, *args: Any, **attributes: Any) -> None:
        """A box."""
        super().node(name, label, *args, **attributes)
        self.boxes[name] = (name if label is None else label).replace("\\n", "\n"), attributes.get("fillcolor", "")

    def edge(self, tail_name: str, head_name: str, *args: Any, **attributes: Any) -> None:
        """An arrow, or with `dir="none"` a line."""
        super().edge(tail_name, head_name, *args, **attributes)
        for end in (tail_name, head_name):
            self.boxes.setdefault(end, (end, ""))  # as in DOT: an end that nobody has described is a box with its name
        self.arrows.append((tail_name, head_name, attributes.get("dir") != "none"))

    def edges(self, tail_head_iter: Iterable[tuple[str, str]]) -> None:
        """Several arrows."""
        for ends in tail_head_iter:
            self.edge(*ends)

    def pipe(
        self, format: str | None = None, *_: Any, engine: str | None = None, encoding: str | None = None, **__: Any
    ) -> Any:
        """The rendered graph, as bytes, or as text if an encoding is given. LayoutError if that fails."""
        kind = format or self.format
        picture = run(self.source, kind, engine or self.engine) if HAS_THREADS else self._own_picture(kind)
        return picture if encoding is None else picture.decode(encoding)

    def _own_picture(self, kind: str) -> bytes:
        if kind != "svg":
            raise LayoutError(f"in a browser no layout program can be started: there is SVG, not {kind!r}")
        looks = {name: (text, COLOURS.get(colour, colour)) for name, (text, colour) in self.boxes.items()}
        return plain_svg(looks, self.arrows).encode("utf-8")

    def render(
        self,
        filename: Any = None,
        directory: Any = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        *_: Any,
        outfile: Any = None,
        engine: str | None = None,
        **__: Any,
    ) -> str:
        """Write the graph's source to a file and the picture beside it, as `filename.svg`, or to `outfile`; returns the
        picture's path. `cleanup` removes the source again. LayoutError if the layout fails: then nothing is written.
        """
        at = None if outfile is None else Path(directory or self.directory, outfile)
        kind = format or (at.suffix[1:] if at is not None else "") or self.format
        picture = self.pipe(kind, engine=engine)
        filename = filename or (at and Path(outfile).with_suffix(".gv"))
        source = self.save(filename, directory=directory, skip_existing=None)
        rendered = Path(f"{source}.{kind}") if at is None else at
        rendered.write_bytes(picture)
        if cleanup:
            os.remove(source)
        if view:
            graphviz.view(str(rendered))
        return str(rendered)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, Any]:
        svg = self.pipe("svg", encoding="utf-8")
        head, mark, rest = svg.partition("<g ")
        html = image_html(f"{head}{TURNED_DARK}{mark}{rest}", repr(self), "minigrad-dot")
        return {"text/html": html, "image/svg+xml": svg, "text/plain": repr(self)}

    def __repr__(self) -> str:
        lines = sum(1 for _ in self)
        return f"<Digraph of {lines} lines: print(graph.source) shows them>"


def make_dot(
    var: Any,
    params: Mapping[str, Any] | Sequence[tuple[str, Any]] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> graphviz.Digraph:
    """Write the graph behind one result, or several, as a `graphviz.Digraph`.

    Args:
        var: a tensor, or a tuple of tensors.
        params: name -> tensor, for the labels of leaves; without it the names of your variables are used.
        show_attrs: add to each node what it has saved.
        show_saved: draw saved tensors as boxes of their own.
        max_attr_chars: how much of a saved value is written.

    Raises TypeError for what is no tensor, ValueError for graphs that are too large to draw.
    """
    roots = var if isinstance(var, tuple | list) else [var]
    sources = [source_of(root, None, "make_dot() expected a Tensor") for root in roots]
    names = params if params is None or isinstance(params, Mapping) else dict(params)
    frame = learner_frame(sys._getframe(1))
    graph = Digraph(node_attr=NODE_LOOK, format="svg")
    ids: dict[Any, str] = {}
    for source in sources:
        root, variables = source.root, Variables(source, names, frame)
        start, output = source.node(root), source.output(root)
        if start is None:
            colour = LEAF if source.needs_grad(root) else RESULT
            graph.node(f"n{len(ids)}", _label(variables.leaf(root) or "", root), fillcolor=colour)
            ids.setdefault(root, f"n{len(ids)}")
            continue
        nodes = nodes_behind(source, start)
        several = {child for node in nodes for child, output in source.edges(node) if output}
        for node in nodes:
            if node not in ids:
                ids[node] = f"n{len(ids)}"
                _add_node(graph, node, ids, variables, several, show_attrs, show_saved, max_attr_chars)
        found, key = variables.result(start, output), f"{ids[start]}_out{output or ''}"
        graph.node(key, _label(found[0] if found else "", root), fillcolor=RESULT)
        graph.edge(ids[start], key)
    inches = max(INCHES, INCHES_OF_LINE * len(graph.body))
    graph.graph_attr["size"] = f"{inches:g},{inches:g}"
    return graph


def _add_node(
    graph: Digraph,
    node: Any,
    ids: dict[Any, str],
    variables: Variables,
    several: set[Any],
    show_attrs: bool,
    show_saved: bool,
    limit: int,
) -> None:
    """Add a node, and arrows from those that it uses; on those from `several`, of which not only the first output is
    used, stands which output it is.
    """
    key, source = ids[node], variables.source
    label, leaf = source.name(node), source.leaf(node)
    names = source.saved_names(node) if show_attrs or show_saved else []
    saved = [(name, source.saved_value(node, name)) for name in names]
    if show_attrs and saved:
        lines = [f"{name}: {shorten(_words(value), limit)}" for name, value in saved]
        label = "\n".join([label, "-" * len(label), *lines])
    graph.node(key, _label_text(label))
    if leaf is not None:
        graph.node(f"{key}_leaf", _label(variables.leaf(leaf) or "", leaf), fillcolor=LEAF)
        graph.edge(f"{key}_leaf", key)
    for child, output in source.edges(node):
        if child is not None:
            number = {"label": f" {output}", **NUMBER_LOOK} if child in several else {}
            graph.edge(ids[child], key, **number)
    if show_saved:
        lists = [(name, value) for name, value in saved if isinstance(value, tuple)]
        parts = [(f"{name}[{k}]", part) for name, several in lists for k, part in enumerate(several)]
        for name, value in saved + parts:
            if hasattr(value, "shape"):
                graph.node(f"{key}_{name}", _label(name, value), fillcolor=SAVED)
                graph.edge(f"{key}_{name}", key, dir="none")


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_words, value))}{',' * (len(value) == 1)})"
    return shape_text(value.shape) if hasattr(value, "shape") else repr(value)


def _label(name: str, tensor: Any) -> str:
    return _label_text(f"{name}\n {shape_text(tensor.shape)}" if name else f" {shape_text(tensor.shape)}")


def _label_text(text: str) -> str:
    """A label that Graphviz takes as it is: no markup, no escapes, no characters that its SVG could not hold."""
    return "\\n".join(str(graphviz.escape(clean(line))) for line in text.split("\n"))


# ---------------------------------------------------------------- the layout program


def run(source: str, form: str, engine: str = "dot") -> bytes:
    """Have the layout program turn DOT text into `form` ("svg", "json0", ...).

    Raises LayoutError, with what the program said.
    """
    # -q: without it each character that its fonts lack ends as a warning in the cell's output.
    command = [program(), "-q", f"-K{engine}", f"-T{form}"]
    try:
        done = subprocess.run(command, input=source.encode("utf-8"), capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise LayoutError(
            f"laying out this graph took longer than {SECONDS:.0f} seconds, so it was stopped. Draw a smaller graph."
        ) from None
    except OSError as error:
        raise LayoutError(f"the layout program could not be started: {error.strerror or error}. {ADVICE}") from None
    if done.returncode != 0:  # a bad graph exits with 1 and writes a picture all the same
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise LayoutError(f"the layout program failed: {said[0] if said else f'exit code {done.returncode}'}")
    return done.stdout


def program() -> str:
    """The path of the layout program. LayoutError if there is none."""
    chosen = os.environ.get("MINIGRAD_LAYOUT")
    found = shutil.which(chosen) if chosen else _bundled_program()
    if found is None and chosen:
        raise LayoutError(f"the variable MINIGRAD_LAYOUT names the layout program {chosen!r}, which is not there")
    if found is None:
        raise LayoutError(f"the layout program graphviz-pure is not installed. {ADVICE}")
    return found


@lru_cache(maxsize=1)
def _bundled_program() -> str | None:
    """The program that the package graphviz-pure brought; it need not be on PATH."""
    try:
        files = metadata.distribution("graphviz-pure").files or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if Path(file).stem == "graphviz-pure" and Path(file).suffix in ("", ".exe"):
            path = Path(str(file.locate())).resolve()
            if path.is_file():
                return str(path)
    return shutil.which("graphviz-pure", path=str(Path(sys.executable).parent)) or shutil.which("graphviz-pure")

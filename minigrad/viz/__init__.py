"""Pictures of the graph, and the widget that steps through a backward pass.

The files of this folder are what `viz` is used by, one each, and shell.py; the folders are what they are made of.

    drawing.py      `draw(loss, open=["net"])`: the graph as a picture, and as a table in text
    stepper.py      `BackwardStepper(loss)`: `loss.backward()`, one node per click; `what_if(w=3.0)`: with other numbers
    comparison.py   `compare(a, b)`: two passes beside each other, and where they part
    dot.py          `make_dot(loss)`: the graph for Graphviz, for those who know torchviz
    shell.py        `rich_display()`: tensors as tables, which rich.py writes, and what else IPython shows by itself
    curves.py       `gradcheck_curve(f, x)`: how far finite differences are from the gradient
    flame_chart.py  `flame(profile, loss)`: a profile as bars over time, which light their boxes in the graph
    runs.py         `run_table(rows, columns)`: a few lines under several circumstances, run, in a table that opens
    descents.py     `descent_map(f, methods)`: a map, and where methods walk on it from a start that can be dragged

In the order of reading; each of these folders imports from those above it, never from those below:

    graph/          a graph as it stands: its boxes, their names, values and lines of code
    picture/        where boxes and edges go, the SVG, and the one that plays a whole pass
    steps/          a backward pass as frames: who runs, what it adds, what happens beside it
    page/           what goes to a browser: the widget's data and script, pages that stand alone
    static/         that script and the style sheets
    minigrad_graphs/  minigrad's own graphs: what the engine's nodes and tensors answer
    torch_graphs/   graphs of PyTorch's; `with watch():` notes their lines
    own_engines/    graphs of an engine that you wrote, by `Engine`, which you derive from
    sources.py      which of these engines a result is of
    comparing/      which nodes of two graphs are pairs, and where their passes part

What the pictures ask of an engine is one page, graph/source.py: whoever adds an engine answers it in a folder of its
own.

Importing this package installs an observer that notes, for each node made from then on, the line of code that made it,
and what the operation was called with. What was made before is drawn without its line. In a notebook tensors are shown
as tables, too (`rich_display`), and matplotlib's plots as light or dark as the page. The rest is imported when one of
its names is first used, or something is first shown. minigrad itself needs numpy alone. Where the packages that this
one needs are missing, ModuleNotFoundError names them.
"""

from typing import TYPE_CHECKING

try:
    import anywidget  # noqa: F401
    import graphviz  # noqa: F401
    import ipywidgets  # noqa: F401
except ModuleNotFoundError as error:
    advice = "minigrad.viz needs more than numpy: pip install anywidget graphviz graphviz-pure ipywidgets"
    raise ModuleNotFoundError(f"{error}\n{advice}", name=error.name) from None

from minigrad.absent import attributes_of
from minigrad.autograd.modes import set_node_observer
from minigrad.viz.graph.observer import observe
from minigrad.viz.shell import rich_display, running_shell, show_containers_whole, show_plots_as_the_page_is

if TYPE_CHECKING:  # the names of _AT_FIRST_USE, for those that read types
    from minigrad.viz.comparison import Comparison, compare
    from minigrad.viz.curves import gradcheck_curve
    from minigrad.viz.descents import descent_map
    from minigrad.viz.dot import LayoutError, make_dot
    from minigrad.viz.drawing import draw
    from minigrad.viz.flame_chart import Flame, flame
    from minigrad.viz.own_engines.adapter import Engine
    from minigrad.viz.runs import run_table
    from minigrad.viz.stepper import BackwardStepper
    from minigrad.viz.steps.frames import Frame
    from minigrad.viz.torch_graphs.lines import watch

_AT_FIRST_USE = {
    "comparison": ("Comparison", "compare"),
    "curves": ("gradcheck_curve",),
    "descents": ("descent_map",),
    "dot": ("LayoutError", "make_dot"),
    "drawing": ("draw",),
    "flame_chart": ("Flame", "flame"),
    "own_engines.adapter": ("Engine",),
    "runs": ("run_table",),
    "stepper": ("BackwardStepper",),
    "steps.frames": ("Frame",),
    "torch_graphs.lines": ("watch",),
}
__getattr__ = attributes_of(__name__, **_AT_FIRST_USE)
__all__ = [
    "BackwardStepper",
    "Comparison",
    "Engine",
    "Flame",
    "Frame",
    "LayoutError",
    "compare",
    "descent_map",
    "draw",
    "flame",
    "gradcheck_curve",
    "make_dot",
    "rich_display",
    "run_table",
    "watch",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


set_node_observer(observe)

if running_shell() is not None:
    rich_display()
    show_containers_whole()
    show_plots_as_the_page_is()

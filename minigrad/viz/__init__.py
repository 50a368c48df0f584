"""Pictures of the graph, and the widget that steps through a backward pass.

After this package a reader has seen a gradient move. `draw(loss)` shows the graph, `make_dot(loss)` gives it to
Graphviz, and `BackwardStepper(loss)` runs `loss.backward()` one node per click. Each part is a module. The graph:
`walk` orders its nodes, `snapshot` copies it into `boxes`, with `kept` for what a node keeps, `constants` for data,
`naming` and `expressions` for the learner's names, `learner_code` for their lines; `layout` places the boxes and `svg`
draws. The pass: `recorder` runs it and writes `frames`, told by `story` and `contributions`
(with the `rules` as code), while `progress` counts what has arrived and `watching` sees the `events` around a step.
`stepper` is the widget, with `arguments`, `kept_grads`, `breakpoints`, `trace` and `widget_picture`. PyTorch's graphs
are read in `torch_graphs`. `gradcheck_curve` and `jacobian_picture` are charts (`figure`, `curves`, `heatmap`).

Importing this package installs an observer that notes, for each node made from then on, the line of code that made it.
What was made before is drawn without its line. In a notebook it also shows tensors as tables (`rich_display`).
"""

from minigrad.op import set_creation_observer
from minigrad.viz.curves import gradcheck_curve
from minigrad.viz.dot import make_dot
from minigrad.viz.drawing import draw
from minigrad.viz.frames import Frame
from minigrad.viz.heatmap import jacobian_picture
from minigrad.viz.layout import LayoutError
from minigrad.viz.records import observe
from minigrad.viz.rich import rich_display, running_shell
from minigrad.viz.stepper import BackwardStepper

__all__ = [
    "BackwardStepper",
    "Frame",
    "LayoutError",
    "draw",
    "gradcheck_curve",
    "jacobian_picture",
    "make_dot",
    "rich_display",
]

set_creation_observer(observe)

if running_shell() is not None:
    rich_display()

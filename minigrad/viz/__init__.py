"""Pictures of the graph, and the widget that steps through a backward pass.

`draw(loss)` shows the graph, `make_dot(loss)` gives it to Graphviz, and `BackwardStepper(loss)` runs `loss.backward()`
one node per click. The modules, in the order of reading:

The graph, as it stands:
    records         where in the learner's code each node was made, and what came out
    walk            its nodes, in the order in which the learner's code made them
    values          how a number, a small tensor and a large one are written
    kept            what a node keeps for its rule
    boxes           what a picture is made of: Box, Edge, Source, Snapshot
    naming          what a box is called; expressions: the text that stands in it; learner_code: the lines beside it
    constants       the tensors that need no gradient
    snapshot        all of that, of one graph
    modules         boxes in groups, which open and close
The picture:
    markup          words as they may stand in it
    layout          where boxes and edges go: Graphviz
    svg             the drawing itself; drawing: `draw`; dot: `make_dot`
The walk:
    frames          what happened at a step; progress: who has come how far; contributions: who sent what to whom
    rules           a node's rule as code and with numbers; story: a step in sentences; trace: all of them
    events          what happens around the steps; watching: the learner's own hooks; printing: what they print
    recorder        runs the pass and writes the frames
    kept_grads      every `.grad` at each frame, so that Back can bring it back
The widget:
    stepper         `BackwardStepper`; breakpoints: where a run stops
    widget_picture  what the page knows of a graph; widget_source: its script and style, out of static/
    recording       what a notebook's file holds of a stepper; page: files that stand alone; notebook_page: all of it
Beside them:
    torch_graphs    the same of PyTorch's graphs
    rich            a tensor as a table
    curves          `gradcheck_curve`; figure: what a chart is made of

Importing this package installs an observer that notes, for each node made from then on, the line of code that made it.
What was made before is drawn without its line. In a notebook it also shows tensors as tables (`rich_display`).
"""

from minigrad.autograd.modes import set_creation_observer
from minigrad.viz.curves import gradcheck_curve
from minigrad.viz.dot import make_dot
from minigrad.viz.drawing import draw
from minigrad.viz.frames import Frame
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
    "make_dot",
    "rich_display",
]

set_creation_observer(observe)

if running_shell() is not None:
    rich_display()

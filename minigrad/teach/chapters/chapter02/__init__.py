"""Chapter 02, the graph: three exercises that walk over it, and three predictions."""

from minigrad.teach.chapters.chapter02.graph_depth import GRAPH_DEPTH
from minigrad.teach.chapters.chapter02.leaves_of import LEAVES_OF
from minigrad.teach.chapters.chapter02.node_names import NODE_NAMES
from minigrad.teach.chapters.chapter02.predictions import PREDICTIONS

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (NODE_NAMES, LEAVES_OF, GRAPH_DEPTH)

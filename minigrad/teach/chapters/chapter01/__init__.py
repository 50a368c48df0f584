"""Chapter 01, tensors and leaves: four exercises on flags, and three predictions.

After this folder a reader has seen what makes a tensor a leaf, who gets a gradient, and who keeps one.
"""

from minigrad.teach.chapters.chapter01.freeze_first import FREEZE_FIRST
from minigrad.teach.chapters.chapter01.kind_of import KIND_OF
from minigrad.teach.chapters.chapter01.middle_gradient import MIDDLE_GRADIENT
from minigrad.teach.chapters.chapter01.predictions import PREDICTIONS
from minigrad.teach.chapters.chapter01.small_weights import SMALL_WEIGHTS

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (SMALL_WEIGHTS, KIND_OF, FREEZE_FIRST, MIDDLE_GRADIENT)

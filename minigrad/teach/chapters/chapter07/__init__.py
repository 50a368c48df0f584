"""Chapter 07, checking gradients: four exercises about differences beside a backward, and four predictions.

After this folder a reader has seen the parts of `gradcheck` one by one: differences, the tolerance, and the two
sides of a kink.
"""

from minigrad.teach.chapters.chapter07.central_slopes import CENTRAL_SLOPES
from minigrad.teach.chapters.chapter07.disagreeing import DISAGREEING
from minigrad.teach.chapters.chapter07.gate_backward import GATE_BACKWARD
from minigrad.teach.chapters.chapter07.predictions import PREDICTIONS
from minigrad.teach.chapters.chapter07.two_sides import TWO_SIDES

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (CENTRAL_SLOPES, DISAGREEING, GATE_BACKWARD, TWO_SIDES)

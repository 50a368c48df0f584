"""Chapter 06, custom Functions: four exercises, two of them a backward only, and four predictions.

After this folder a reader has seen how a learner's function is made a part of a live Function, and how its gradients
are measured against finite differences.
"""

from minigrad.teach.chapters.chapter06.peaks_backward import PEAKS_BACKWARD
from minigrad.teach.chapters.chapter06.predictions import PREDICTIONS
from minigrad.teach.chapters.chapter06.quantized import QUANTIZED
from minigrad.teach.chapters.chapter06.recomputed import RECOMPUTED
from minigrad.teach.chapters.chapter06.tanh_backward import TANH_BACKWARD

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (TANH_BACKWARD, QUANTIZED, PEAKS_BACKWARD, RECOMPUTED)

"""Chapter 04, grad and hooks: five exercises on asking for gradients and changing them on their way."""

from __future__ import annotations

from minigrad.teach.chapters.chapter04.asking import PULLS, SLOPE_AND_CURVATURE
from minigrad.teach.chapters.chapter04.branches import LIMITED, TURNED_AROUND
from minigrad.teach.chapters.chapter04.predictions import PREDICTIONS
from minigrad.teach.chapters.chapter04.watching import WATCHED

EXERCISES = (PULLS, SLOPE_AND_CURVATURE, WATCHED, TURNED_AROUND, LIMITED)

__all__ = ["EXERCISES", "PREDICTIONS"]

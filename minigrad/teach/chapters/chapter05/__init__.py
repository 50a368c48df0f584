"""Chapter 05, writing in place, `.data` and `detach()`: a module for each exercise, and the predictions."""

from minigrad.teach.chapters.chapter05.counted_together import COUNTED_TOGETHER
from minigrad.teach.chapters.chapter05.may_write_result import MAY_WRITE_RESULT
from minigrad.teach.chapters.chapter05.predictions import PREDICTIONS
from minigrad.teach.chapters.chapter05.replace_row import REPLACE_ROW
from minigrad.teach.chapters.chapter05.train_bounded import TRAIN_BOUNDED

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (COUNTED_TOGETHER, TRAIN_BOUNDED, MAY_WRITE_RESULT, REPLACE_ROW)

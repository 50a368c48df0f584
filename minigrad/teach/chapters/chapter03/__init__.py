"""Chapter 03, backward step by step: five exercises on the walk, and four predictions.

After this folder a reader has seen the walk of `backward()` written three times by hand: node by node, as counts, and
as an order.
"""

from minigrad.teach.chapters.chapter03.by_hand import BY_HAND
from minigrad.teach.chapters.chapter03.descend import DESCEND
from minigrad.teach.chapters.chapter03.jacobian import JACOBIAN
from minigrad.teach.chapters.chapter03.order import ARRIVALS, RUN_ORDER
from minigrad.teach.chapters.chapter03.predictions import PREDICTIONS

__all__ = ["EXERCISES", "PREDICTIONS"]

EXERCISES = (BY_HAND, ARRIVALS, RUN_ORDER, JACOBIAN, DESCEND)

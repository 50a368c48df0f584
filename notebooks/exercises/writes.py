"""Whether a backward wrote to what it was given, for exercises of several chapters."""

import numpy as np

from minigrad.teach.observing import SECOND

# For `notes`, where this is seen of an answer.
NOTES = {
    "* afterwards": "What is sent is right, but backward has written to what others use as well: the engine may send "
    "the same tensor along other edges, and what was saved belongs to the caller. Make a new tensor.",
    SECOND: "The first walk is right. A second one begins with other numbers, which lie in memory by columns if they "
    "are a table: nothing of the first may be left, each number that comes in counts, and reshape() takes what view() "
    "does not.",
}


class Given:
    """Tensors by name, and their numbers now."""

    def __init__(self, **tensors):
        self.tensors = tensors
        self.before = {name: tensor.detach().clone() for name, tensor in tensors.items()}

    def seen(self, by="backward"):
        """Of each, whether it has the numbers that it had, and who has run meanwhile."""
        written = {
            name: not np.array_equal(self.before[name].numpy(), tensor.detach().numpy(), equal_nan=True)
            for name, tensor in self.tensors.items()
        }
        return {
            f"{name} afterwards": f"{by} has written to {name}" if is_written else "as it was"
            for name, is_written in written.items()
        }

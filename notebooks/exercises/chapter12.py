"""What the cells of chapter 12 use: figures that change while a cell runs, a sheet of digits, faults of runs."""

import base64
import io

import numpy as np
from IPython.display import display
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from minigrad.viz.picture.image import plot_html, words_of_plot

RIGHT, WRONG = np.array([0.80, 0.90, 1.0]), np.array([1.0, 0.72, 0.62])  # the paper under a digit

# What is wrong with each of six runs, and the arguments that make it so, in the order in which they are shown.
FAULTS = {
    "rate too high": {"rate": 2.0},
    "labels shuffled": {"shuffled": True},
    "no zero_grad": {"clears": False},
    "fine": {},
    "dead relu": {"dead": True},
    "left in eval": {"stays_in_eval": True},
}


class Live:
    """A figure with axes side by side, shown at once; `draw()` shows it again, in the same place."""

    def __init__(self, axes=1, size=(9, 2.8), widths=None):
        self.figure = Figure(figsize=size)
        self.axes = self.figure.subplots(1, axes, width_ratios=widths, squeeze=False)[0]
        self.figure.subplots_adjust(0.07, 0.18, 0.98, 0.88, 0.4)
        self.lines = {}
        self.shown = display(self, display_id=True)

    def __repr__(self):
        return repr(self.figure)

    def _repr_mimebundle_(self, include=None, exclude=None):
        """The figure as it is, as light or dark as the page: the notebook's own way looks for margins to cut off, which
        takes as long again.
        """
        png = io.BytesIO()
        self.figure.savefig(png, format="png")
        text = base64.b64encode(png.getvalue()).decode()
        width, height = (round(inches * self.figure.dpi) for inches in self.figure.get_size_inches())
        return {"image/png": text, "text/html": plot_html(text, width, height, words_of_plot(self.figure))}

    def curve(self, place, title, values, every=1, labels=None, log=False):
        """Draw values over steps: one number for each, or one for each label."""
        axis, columns = self.axes[place], np.reshape(values, (len(values), -1)).T
        if place not in self.lines:
            axis.set_xlabel("step")
            if log:
                axis.set_yscale("log")
                axis.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
                axis.yaxis.set_major_formatter("{x:g}")
                axis.minorticks_off()
            self.lines[place] = [axis.plot([], label=label)[0] for label in labels or [None] * len(columns)]
            if labels:
                axis.legend(fontsize=8)
        for line, column in zip(self.lines[place], columns, strict=True):
            line.set_data(range(0, every * len(values), every), column)
        axis.set_title(title)
        axis.relim()
        axis.autoscale_view()

    def bars(self, place, title, shares):
        """Draw shares from 0 to 1 by their names."""
        axis = self.axes[place]
        axis.clear()
        axis.bar_label(axis.barh(list(shares), list(shares.values()), color="0.6"), fmt="{:.0%}")
        axis.set(title=title, xlim=(0, 1.15))
        axis.invert_yaxis()

    def draw(self):
        if self.shown is not None:  # as it is outside of notebooks
            self.shown.update(self)


def sheet(axis, images, guesses, labels, columns=8):
    """Draw images, a tensor of shape [N, 8, 8] with ink from 0 to 1, as one picture: on blue paper those that were
    guessed right; on red paper the others, with the guess below.
    """
    rows = -(-len(images) // columns)
    whole = np.ones((rows * 13, columns * 10, 3))
    axis.clear()
    for number, (image, guess, label) in enumerate(zip(images.numpy(), guesses.tolist(), labels.tolist(), strict=True)):
        top, left = number // columns * 13, number % columns * 10 + 1
        paper = RIGHT if guess == label else WRONG
        whole[top : top + 8, left : left + 8] = paper * (1 - image[:, :, None])
        if guess != label:
            axis.text(left + 3.5, top + 10.2, f"{guess}?", color="firebrick", ha="center", va="center", size=9)
    axis.imshow(whole)
    axis.axis("off")

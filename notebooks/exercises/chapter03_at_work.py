"""What the functions of chapter 03 are for, once they are right: a stepper that walks in the learner's order, and a
classifier that the learner's loop trains.
"""

import functools
import math

import minigrad as mg
from minigrad import viz
from minigrad.datasets import digits
from minigrad.teach.card import Card

RATE, STAGES = 1.0, (0, 1, 4, 15, 80, 200)  # steps between two looks, each with all training images at once
FIRST_LOSS, WIDEST = math.log(10), 30  # and the characters of its bar


class InYourOrder(viz.Engine):
    """An engine that runs minigrad's nodes one by one, in the order that a function gives. A node gets what has arrived
    by then; where it runs too early, the stepper says so.
    """

    def __init__(self, run_order, root, named):
        self.run_order, self.root = run_order, root
        self.called = {node_of(tensor): (name, tensor) for name, tensor in named.items()}
        self.gradients = {}

    def inputs(self, node):
        return [next_node for next_node, _ in node.next_functions]

    def name(self, node):
        return self.called[node][0]

    def value(self, node):
        return self.called[node][1].detach().numpy()

    def op(self, node):
        return node.name().removesuffix("Backward0")

    def rule(self, node):
        return "node(gradient)"

    def start(self, root):
        self.gradients = {root: mg.tensor(1.0)}

    def order(self, root):
        return self.run_order(self.root)

    def run(self, node):
        sent = node(self.gradients[node])
        for next_node, gradient in zip(self.inputs(node), sent if isinstance(sent, tuple) else (sent,), strict=True):
            arrived = self.gradients.get(next_node)
            self.gradients[next_node] = gradient if arrived is None else arrived + gradient

    def gradient(self, node):
        return self.gradients[node].detach().numpy() if node in self.gradients else None

    def set_gradient(self, node, gradient):
        self.gradients.pop(node, None)
        if gradient is not None:
            self.gradients[node] = mg.tensor(gradient)


def node_of(tensor):
    """A result's node, or a leaf's."""
    return tensor.grad_fn or (tensor * 1).grad_fn.next_functions[0][0]


def stepper_in_order(run_order):
    """A graph with a choice, in a stepper that takes its steps in the order which the function gives."""
    a, b = mg.tensor(3.0, requires_grad=True), mg.tensor(2.0, requires_grad=True)
    c = a * b
    d = c + a
    e = c * d
    s = a + b
    loss = e * s
    named = {"a": a, "b": b, "c": c, "d": d, "e": e, "s": s, "loss": loss}
    return viz.BackwardStepper(loss.grad_fn, engine=InYourOrder(run_order, loss, named))


@functools.cache
def pixels_and_labels(part):
    """Chapter 00's images, one a row, with a 1 at its end: what this one is multiplied with counts for all images."""
    data = digits()
    images, labels = (data.train_images, data.train_labels) if part == "train" else (data.test_images, data.test_labels)
    rows = images.reshape(-1, 64) / 16
    return mg.cat([rows, mg.ones(len(rows), 1)], dim=1), labels


def share_right(w, part):
    rows, labels = pixels_and_labels(part)
    return ((rows @ w.detach()).argmax(dim=1) == labels).float().mean().item()


def loss_of_digits(w):
    """Chapter 00's loss, for all training images."""
    rows, labels = pixels_and_labels("train")
    scores = rows @ w
    log_probabilities = scores - scores.exp().sum(dim=1, keepdim=True).log()
    return -log_probabilities[mg.arange(len(labels)), labels].mean()


def digits_trained(descend):
    """Chapter 00's classifier of digits, trained by the function: a line for each look at it."""
    w, done, lines = mg.zeros(65, 10, requires_grad=True), 0, []
    for steps in STAGES:
        descend(loss_of_digits, w, RATE, steps)
        done += steps
        with mg.no_grad():
            loss = loss_of_digits(w).item()
        bar = "█" * round(loss * WIDEST / FIRST_LOSS)
        lines.append(f"  {done:3} steps: {share_right(w, 'test'):4.0%} of the test images right, loss {loss:.2f} {bar}")
    told = "The test images are those that it has not been trained with."
    return Card("note", "your descend trains chapter 00's digits", (("after", "\n".join(lines)), ("", told)))

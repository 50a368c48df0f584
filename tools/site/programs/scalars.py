"""A network of single numbers

Every weight is a tensor of its own, as in an engine of a hundred lines. Neurons and layers are calls of your
functions, so they fold: open one to see its sums, or walk over it in one step.
"""

import random

import minigrad as mg


class Neuron:
    def __init__(self, inputs):
        self.w = [mg.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(inputs)]
        self.b = mg.tensor(random.uniform(-1, 1), requires_grad=True)

    def __call__(self, x):
        total = sum((w * value for w, value in zip(self.w, x, strict=True)), self.b)
        return total.tanh()


class Layer:
    def __init__(self, inputs, outputs):
        self.neurons = [Neuron(inputs) for _ in range(outputs)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]


random.seed(1337)
hidden, last = Layer(3, 4), Layer(4, 1)
(out,) = last(hidden([2.0, 3.0, -1.0]))
loss = (out - 1.0) ** 2

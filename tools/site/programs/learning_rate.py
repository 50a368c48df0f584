"""The gradient of a learning rate

Six steps of gradient descent are a program like any other, so the loss at their end has a slope with respect to the
learning rate. Each round adds its part to it.
"""

import minigrad as mg

rate = mg.tensor(0.1, requires_grad=True)
w = mg.tensor(2.0)
for _ in range(6):
    slope = 2 * (w - 1) + 0.4 * w**3
    w = w - rate * slope
loss = (w - 1) ** 2 + 0.1 * w**4

"""A guess and its error

The smallest model: it guesses a number from x as w * x + b, and the loss is the square of its error. Each node
multiplies what came in by the slope of its own operation, and passes that on. Change w or b, and step again.
"""

import minigrad as mg

w = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(1.0, requires_grad=True)
x, target = 3.0, 5.0

guess = w * x + b
error = guess - target
loss = error**2

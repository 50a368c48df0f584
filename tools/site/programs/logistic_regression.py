"""Logistic regression

Two features, one class or the other. Look at what arrives at the scores X @ w + b: the probability minus the label,
for each row. Nobody wrote that formula down; it comes out of the rules of sigmoid, log and mean.
"""

import minigrad as mg

mg.manual_seed(0)
X, y = mg.randn(8, 2), mg.tensor([0.0, 1, 1, 0, 1, 0, 0, 1])
w = mg.zeros(2, requires_grad=True)
b = mg.zeros((), requires_grad=True)

p = mg.sigmoid(X @ w + b)
loss = -(y * mg.log(p) + (1 - y) * mg.log(1 - p)).mean()

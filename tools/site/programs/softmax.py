"""A cross entropy by hand

Softmax, logarithm and mean in single steps, as one writes them to understand them. Compare what arrives at the logits
with the probabilities: the walk through nine nodes ends in a difference.
"""

import minigrad as mg

mg.manual_seed(0)
X, Y = mg.randn(4, 3), mg.tensor([0, 1, 1, 0])
W1 = mg.randn(3, 5, requires_grad=True)
W2 = mg.randn(5, 2, requires_grad=True)

h = mg.tanh(X @ W1)
logits = h @ W2
shifted = logits - logits.max(1, keepdim=True).values
counts = shifted.exp()
probabilities = counts / counts.sum(1, keepdim=True)
loss = -probabilities.log()[range(4), Y].mean()

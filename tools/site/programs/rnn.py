"""A recurrent network in a loop

One matrix, used at every step of a loop: its gradient is a sum over time, and it grows as the walk goes back from
step to step. The loop is folded by its rounds; open one, or walk over it.
"""

import minigrad as mg

mg.manual_seed(0)
W = mg.randn(4, 4, requires_grad=True)
U = mg.randn(3, 4, requires_grad=True)
xs = mg.randn(6, 1, 3)

h = mg.zeros(1, 4)
for x in xs:
    h = mg.tanh(x @ U + h @ W)
loss = h.square().mean()

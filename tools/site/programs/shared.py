"""One number used twice

D is used twice, so two gradients come back to it. Its node waits until both are there, adds them up, and sends the
sum on once. That is why backward() needs an order.
"""

import minigrad as mg

A = mg.tensor(3.0, requires_grad=True)
B = mg.tensor(2.0, requires_grad=True)

C = A**2
D = B**2
E = C * D
F = D + E

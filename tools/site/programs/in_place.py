"""Writing in place

h is written to again and again, whole and in parts. The graph knows: each write is a node, and a write to a part
sends the gradient of the rest past it. Each box says which version of h it saw.
"""

import minigrad as mg

w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
h += 1
h.mul_(w)
h[0] = 0.0
h[1:] *= 3
h.relu_()
loss = h.sum()

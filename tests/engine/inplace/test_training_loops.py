"""Programs that learners write: tables filled in loops, gradient descent, buffers, clipping (D01, D02, D05 to D08)."""

from __future__ import annotations

from engine.inplace.effects import LEAF, found, gradients, graph, grid, number, second, state
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("D08: out[i] = f(x) in a loop")
def _(F):
    x, out = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(3)
    for i in range(3):
        out[i] = x[i] ** (i + 1)
    return state(out), graph(out), gradients(F, out, x), second(F, out, x)


@behaviours("D08: out[i] += f(x) in a loop")
def _(F):
    x, out = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(2)
    for i in range(3):
        out[i % 2] += x[i] * x[0]
    return state(out), gradients(F, out, x), second(F, out, x)


@behaviours("D05: a total that is added to in a loop")
def _(F):
    x, total = F.tensor([1.0, 2.0, 3.0], requires_grad=True), F.zeros(())
    for i in range(3):
        total += x[i] ** 2
    return state(total), graph(total), gradients(F, total, x)


@behaviours("D02: cumulative products in a loop in place have overwritten what they need")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    running = F.ones(())
    for i in range(3):
        running *= x[i]
    return found(lambda: gradients(F, running, x))


@behaviours("D08: a table filled from its own earlier entries, each copied")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1].clone() * x + table[i - 2].clone()
    return state(table), gradients(F, table, x), second(F, table, x)


@behaviours("D02: a table filled from its own earlier entries without copies")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1] * x + table[i - 2]
    return found(lambda: gradients(F, table, x))


@behaviours("D08: a table filled from sums alone needs no copies")
def _(F):
    x, table = number(F, 1.5), F.ones(5)
    for i in range(2, 5):
        table[i] = table[i - 1] + table[i - 2] + x
    return state(table), gradients(F, table, x)


@behaviours("D08: a sequence written into rows, then read in columns")
def _(F):
    w, rows = F.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True), F.zeros(3, 2)
    hidden = F.ones(2)
    for i in range(3):
        hidden = (w @ hidden).tanh()
        rows[i] = hidden
    return state(rows), gradients(F, rows.t()[1] * 1, w)


@behaviours("D08: a hundred writes into one tensor")
def _(F):
    x, y = number(F, 0.5), F.zeros(10)
    for i in range(100):
        y[i % 10] = y[(i + 3) % 10].clone() * 0.5 + x * i
    return y, gradients(F, y, x), y._version


@behaviours("D05: swapping numbers of a result with a temporary copy")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    kept = y[0].clone()
    y[0] = y[2]
    y[2] = kept
    return state(y), gradients(F, y, x)


@behaviours("D01: gradient descent under no_grad")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    before, seen = id(w), []
    for _ in range(3):
        loss = ((w - 3) ** 2).sum()
        loss.backward()
        with F.no_grad():
            w -= 0.25 * w.grad
            w.grad.zero_()
        seen.append([loss.item(), w.tolist(), w._version, w.grad._version])
    return id(w) == before, seen, state(w)


@behaviours(
    "D01: gradient descent with w = w - step loses the leaf", warns=("UserWarning: The .grad attribute of a Tensor",)
)
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    return w.is_leaf, w.requires_grad, w.grad


@behaviours("D01: gradient descent outside of no_grad is refused", error=RuntimeError, says=LEAF)
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    (w * w).sum().backward()
    w -= 0.1 * w.grad


@behaviours("D01: gradient descent through w.data")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(2):
        w.grad = None
        (w * w).sum().backward()
        w.data -= 0.25 * w.grad
    return state(w), w.grad


@behaviours("D02: a step between forward and backward is found")
def _(F):
    w = F.tensor([1.0, -2.0], requires_grad=True)
    loss = (w * w).sum()
    with F.no_grad():
        w -= 0.1
    return found(lambda: loss.backward())


@behaviours("D02: two losses with a step between them, as two players who share weights find out")
def _(F):
    w, v = number(F, 1.0), number(F, 2.0)
    hidden = v * w
    first, other = hidden * 3, hidden * w
    first.backward(retain_graph=True)
    with F.no_grad():
        w -= 0.1 * w.grad
    return found(lambda: other.backward())


@behaviours("D01: momentum and running means in buffers")
def _(F):
    w, velocity, mean = F.tensor([1.0, -2.0], requires_grad=True), F.zeros(2), F.zeros(2)
    for step in range(3):
        w.grad = None
        activity = w * (step + 1)
        with F.no_grad():
            mean.mul_(0.9).add_(activity.detach() * 0.1)
        ((activity - mean) ** 2).sum().backward()
        with F.no_grad():
            velocity.mul_(0.5).add_(w.grad)
            w.sub_(velocity * 0.1)
    return state(w, velocity, mean), w.grad


@behaviours("D07: a buffer that is written to while gradients are recorded keeps the whole past")
def _(F):
    w, mean = number(F), F.zeros(2)
    for step in range(3):
        mean.mul_(0.5).add_(w * step)
    return state(mean), graph(mean), gradients(F, mean, w)


@behaviours(
    "D02: a buffer in the graph of two steps",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F):
    w, mean = number(F), F.zeros(2)
    for step in range(2):
        mean.mul_(w).add_(step)
        (mean.exp()).sum().backward()


@behaviours("D01: weights set to others with copy_ under no_grad")
def _(F):
    ours_, theirs = grid(F), (grid(F) * 2).detach().requires_grad_()
    (ours_ * 3).sum().backward()
    with F.no_grad():
        ours_.copy_(theirs)
    return state(ours_), ours_.grad, ours_ is not theirs


@behaviours("D05: clipping gradients in place")
def _(F):
    w = F.tensor([3.0, 4.0], requires_grad=True)
    (w * w).sum().backward()
    norm = (w.grad * w.grad).sum().sqrt()
    w.grad.mul_(5.0 / norm)
    kept = w.grad
    w.grad.zero_()
    (w * w).sum().backward()
    return norm, w.grad, kept is w.grad


@behaviours("D05: .grad written to, and added to by the next backward")
def _(F):
    w = F.tensor([3.0, 4.0], requires_grad=True)
    w.grad = F.ones(2)
    w.grad[0] = 5.0
    (w * w).sum().backward()
    return w.grad, w.grad._version


test_as_in_torch = behaviours.test()

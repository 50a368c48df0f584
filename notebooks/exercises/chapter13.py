"""What the exercises of chapter 13 share: engines that are right in other words, engines that are wrong in ways which
the museum does not show.
"""

from __future__ import annotations

import functools

import numpy as np

import minigrad as mg

from . import museum

BY_DEPTH = """    def order(self):
        found, todo = {}, [(self, iter(self.inputs))]
        while todo:
            node, rest = todo[-1]
            following = next((one for one in rest if one not in found), None)
            if following is None:
                found[todo.pop()[0]] = None
            else:
                todo.append((following, iter(following.inputs)))
        return reversed(found)
"""

# Engines in words, and the piece of the right one that differs: (words, old, new).
OTHERWISE = (
    ("computes in float32", "np.array(data, dtype=float)", "np.array(data, dtype=np.float32)"),
    ("rounds its gradients to one in twenty thousand", "np.ones_like(self.data)", "np.full_like(self.data, 1.00005)"),
    ("has the slope 1 at the kink of relu", "(x > 0)", "(x >= 0)"),
    ("adds gradients in place", "one.grad = one.grad + fitted", "one.grad += fitted"),
    ("chooses with where in relu", "g * (x > 0)", "np.where(x > 0, g, 0)"),
    ("computes the log from that to the base 2", "np.log(x)", "np.log2(x) * np.log(2)"),
    (
        "orders its nodes by depth",
        museum.SOURCE[museum.SOURCE.index("    def order") : museum.SOURCE.index("    def start")],
        BY_DEPTH + "\n",
    ),
)
MORE_BUGS = (
    ("power: its slope is that of the square", "g * n * x ** (n - 1)", "g * 2 * x ** (n - 1)"),
    ("exp: its slope is x", "(g * y,))\n\n    def log", "(g * self.data,))\n\n    def log"),
    ("log: its slope is 1", "g / x", "g"),
    ("log: its slope is nan", "g / x", "g * np.log(-x)"),
    ("log: its value is that to the base 2", "np.log(x)", "np.log2(x)"),
    ("a product sends each factor its own", "(g * y, g * x)", "(g * x, g * y)"),
    ("matmul: a mean in the place of a sum", "x.T @ g", "x.T @ g / len(x)"),
    ("add: one sign is turned", "lambda g: (g, g)", "lambda g: (g, -g)"),
    (
        "leaves forget the walk before",
        "if node.inputs:\n                node.grad",
        "if True:\n                node.grad",
    ),
    (
        "sums back leading dimensions only",
        "fitted(gradient, one.data.shape)",
        "(gradient.sum(0) if gradient.ndim > one.data.ndim else gradient)",
    ),
    (
        "the walk starts from 1.02, so all is two in a hundred too large",
        "np.ones_like(self.data)",
        "np.full_like(self.data, 1.02)",
    ),
    (
        "gives the gradients of leaves an axis more",
        "one.grad + fitted(gradient, one.data.shape)",
        "(one.grad + fitted(gradient, one.data.shape))[() if one.inputs else None]",
    ),
    ("power: its value is a hundredth too large", "Array(x**n,", "Array(x**n * 1.01,"),
    (
        "matmul: what arrives is left out",
        "lambda g: (g @ y.T, x.T @ g)",
        "lambda g: (np.ones_like(g) @ y.T, x.T @ np.ones_like(g))",
    ),
    ("sum: it is right for squares only", "np.expand_dims(g, axis), x.shape)", "np.expand_dims(g, axis), x.T.shape)"),
    ("log: it raises a ZeroDivisionError", "(g / x,)", "(g / (x * (1 // 0)),)"),
    ("exp: its rule raises a TypeError", "(g * y,))\n\n    def log", "(g * None,))\n\n    def log"),
)


@functools.cache
def engines():
    """Words -> (engine, whether it is right)."""
    found = {"Array": (museum.Array, True)}
    found |= {f"one that {words}": (museum.changed(old, new), True) for words, old, new in OTHERWISE}
    found |= {f"engine_{letter}": (engine, False) for letter, engine in museum.EXHIBITS.items()}
    found |= {f"one that is not on show, {words}": (museum.changed(*lines), False) for words, *lines in MORE_BUGS}
    return found


# ---------------------------------------------------------------- programs that tell them apart


def used_often(h):
    return h + h * h + h.relu()


COURSES = (
    (((3, 4), (4, 2), (2,)), lambda x, w, b: ((x @ w + b).relu() ** 3).sum(axis=1)),
    (((2, 3), (1, 3)), lambda a, b: used_often(a * b)),
    (((2, 3),), lambda x: x.exp().sum(axis=0).log() * x.exp().sum(axis=1).log().sum(axis=0)),
    (((4, 2),), lambda x: x[[0, 2, 2, -1]] ** 2),
)


def walked(make):
    """The values of the programs and the gradients of their leaves after two walks, one after the other. The numbers
    are the same each time.
    """
    random, arrays = np.random.default_rng(5), []
    for shapes, program in COURSES:
        leaves = [make(random.normal(size=shape)) for shape in shapes]
        result = program(*leaves)
        root = result * make(random.normal(size=np.shape(result.data)))
        if isinstance(root, mg.Tensor):
            root = root.sum() * 2  # two walks at once
        else:
            root.backward()
        root.backward()
        arrays += [np.array(one) for one in (result.data, *(leaf.grad for leaf in leaves))]
    return arrays


@functools.cache
def expected_arrays():
    """What minigrad computes."""
    return walked(functools.partial(mg.tensor, dtype=mg.float64, requires_grad=True))


def are_near(one, other):
    """Whether two arrays have the same shape, and numbers that differ by rounding."""
    return one.shape == other.shape and np.allclose(one, other, 1e-3, 1e-5)

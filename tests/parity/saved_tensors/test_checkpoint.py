"""Computing again instead of keeping: `utils.checkpoint`, as in torch.

After this file a reader knows what a checkpointed function keeps and how often it runs, what has to be the same in its
second run and what happens if it is not, and how the two kinds of checkpoint differ. Each function below runs on both.
"""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable
from typing import Any

from side_by_side import Behaviours

import minigrad.utils.checkpoint  # noqa: F401 (so that F.utils.checkpoint is there)

behaviours = Behaviours()

EXPLICITLY = "UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly."
NO_INPUT = "UserWarning: None of the inputs have requires_grad=True. Gradients will be None"


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(values or (1.0, 2.0), requires_grad=True)


def checkpoint(F: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The kind that keeps a graph, unless said otherwise."""
    kwargs.setdefault("use_reentrant", False)
    return F.utils.checkpoint.checkpoint(function, *args, **kwargs)


def counted(function: Callable[..., Any], runs: list[Any]) -> Callable[..., Any]:
    def counting(*args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return function(*args, **kwargs)

    return counting


def wave(x: Any) -> Any:
    return (x * x).sin().exp()


def refusal(F: Any, call: Callable[[], Any]) -> list[Any]:
    """The type of the error that a call raises, whether it is a CheckpointError, and its first sentence."""
    try:
        value = call()
    except Exception as error:
        is_ours = isinstance(error, F.utils.checkpoint.CheckpointError)
        first_sentence = str(error).replace("\n", " ").partition(". ")[0].removesuffix(".")
        return [type(error).__name__, is_ours, isinstance(error, RuntimeError), first_sentence]
    raise AssertionError(f"nothing was raised: {value!r}")


def both(title: str, **expected: Any) -> Callable[[Callable[[Any, bool], Any]], None]:
    """A behaviour of both kinds: the scenario gets F and use_reentrant."""

    def add(scenario: Callable[[Any, bool], Any]) -> None:
        for use_reentrant in (False, True):
            kind = "reentrant" if use_reentrant else "not reentrant"

            def of_one_kind(F: Any, use_reentrant: bool = use_reentrant) -> Any:
                return scenario(F, use_reentrant)

            behaviours(f"{title} ({kind})", **expected)(of_one_kind)

    return add


# ---------------------------------------------------------------- what both kinds have in common


@both("values and gradients are those without it")
def _(F, use_reentrant):
    x = leaf(F)
    y = checkpoint(F, wave, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad


@both("the function runs once, and once more in each backward")
def _(F, use_reentrant):
    x, runs, counts = leaf(F), [], []
    y = checkpoint(F, counted(wave, runs), x, use_reentrant=use_reentrant).sum()
    counts.append(len(runs))
    for _ in range(2):
        y.backward(retain_graph=True)
        counts.append(len(runs))
    return counts, x.grad


@both("no second run where backward does not come through")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x, use_reentrant=use_reentrant)
    (x * 2).sum().backward()
    return len(runs), y.requires_grad, x.grad


@both("no second run if nothing was recorded")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    with F.no_grad():
        y = checkpoint(F, counted(wave, runs), x, use_reentrant=use_reentrant)
    return y, len(runs)


@both("gradients reach what the function uses besides its arguments")
def _(F, use_reentrant):
    x, weight = leaf(F), leaf(F, 3.0, 4.0)
    y = checkpoint(F, lambda x: (x * weight).exp(), x, use_reentrant=use_reentrant)
    y.sum().backward()
    return x.grad, weight.grad


@both("several arguments, one of which needs no gradient")
def _(F, use_reentrant):
    x, y, constant = leaf(F), leaf(F, 3.0, 4.0), F.tensor([5.0, 6.0])
    z = checkpoint(F, lambda x, y, c: x * y * c, x, y, constant, use_reentrant=use_reentrant)
    z.sum().backward()
    return z, x.grad, y.grad, constant.grad


@both("arguments that are no tensors are passed on")
def _(F, use_reentrant):
    x = leaf(F)

    def power(x, exponent, scale, nothing, names):
        return x**exponent * scale if nothing is None and names == ["a"] else x

    y = checkpoint(F, power, x, 3, 2.0, None, ["a"], use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad


@both("several outputs")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    first, second = checkpoint(F, counted(lambda x: (x.sin(), x.exp()), runs), x, use_reentrant=use_reentrant)
    (first * second).sum().backward()
    return first, second, x.grad, len(runs)


@both("outputs that are no tensors are passed through")
def _(F, use_reentrant):
    x = leaf(F)
    y, name, nothing = checkpoint(F, lambda x: (x.exp(), "name", None), x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, name, nothing, x.grad


@both("of several outputs, only one is used")
def _(F, use_reentrant):
    x = leaf(F)
    first, second = checkpoint(F, lambda x: (x.sin(), x.exp()), x, use_reentrant=use_reentrant)
    second.sum().backward()
    return first, x.grad


@both("an argument that is a result")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x * 2, use_reentrant=use_reentrant)
    (y * 3).sum().backward()
    return x.grad, len(runs)


@both("the same argument twice")
def _(F, use_reentrant):
    x = leaf(F)
    checkpoint(F, lambda a, b: a.exp() * b, x, x, use_reentrant=use_reentrant).sum().backward()
    return x.grad


@both("one checkpoint after the other")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = x
    for _ in range(3):
        y = checkpoint(F, counted(lambda t: t.sin(), runs), y, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@both("one within another: the inner function runs once more for the outer second run")
def _(F, use_reentrant):
    x, inner, outer = leaf(F), [], []

    def around(x):
        y = checkpoint(F, counted(wave, inner), x, use_reentrant=use_reentrant)
        return y.sin() * x

    z = checkpoint(F, counted(around, outer), x, use_reentrant=use_reentrant)
    z.sum().backward()
    return z, x.grad, len(inner), len(outer)


@behaviours("three deep (not reentrant)")
def _(F):
    x, runs = leaf(F), {1: [], 2: [], 3: []}

    def level(number):
        def function(t):
            if number == 3:
                return t.sin().exp()
            return checkpoint(F, counted(level(number + 1), runs[number + 1]), t.sin()).cos()

        return function

    y = checkpoint(F, counted(level(1), runs[1]), x)
    y.sum().backward()
    return y, x.grad, [len(times) for times in runs.values()]


@both("an exception in the first run comes through", error=ValueError, says="not today")
def _(F, use_reentrant):
    def refuse(x):
        raise ValueError("not today")

    checkpoint(F, refuse, leaf(F), use_reentrant=use_reentrant)


@both("an exception in the second run comes through", error=ValueError, says="not again")
def _(F, use_reentrant):
    runs = []

    def once(x):
        runs.append(1)
        if len(runs) > 1:
            raise ValueError("not again")
        return x.exp()

    checkpoint(F, once, leaf(F), use_reentrant=use_reentrant).sum().backward()


@both("after an exception in the first run, operations are saved as ever")
def _(F, use_reentrant):
    x, runs = leaf(F), []

    def refuse(x):
        runs.append(x.exp())
        raise ValueError("not today")

    with contextlib.suppress(ValueError):
        checkpoint(F, refuse, x, use_reentrant=use_reentrant)
    y = x.sin()
    y.sum().backward(retain_graph=True)
    return x.grad, y.grad_fn._saved_self is x, len(runs)


@both("what is not callable", error=TypeError, says="'int' object is not callable")
def _(F, use_reentrant):
    checkpoint(F, 3, leaf(F), use_reentrant=use_reentrant)


@both(
    "a second backward without retain_graph",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
)
def _(F, use_reentrant):
    y = checkpoint(F, wave, leaf(F), use_reentrant=use_reentrant).sum()
    y.backward()
    y.backward()


@both(
    "an argument that was written to before backward is noticed",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F, use_reentrant):
    x = leaf(F) * 1
    y = checkpoint(F, wave, x, use_reentrant=use_reentrant)
    x.add_(1)
    y.sum().backward()


@both("the function may write to what it made itself")
def _(F, use_reentrant):
    x = leaf(F)

    def function(x):
        y = x * 2
        y.add_(1)
        return y.exp()

    y = checkpoint(F, function, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad


@both("a custom Function in it")
def _(F, use_reentrant):
    class Cube(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    x = leaf(F)
    checkpoint(F, lambda x: Cube.apply(x.sin()), x, use_reentrant=use_reentrant).sum().backward()
    return x.grad


@both("hooks on what goes in and what comes out run once")
def _(F, use_reentrant):
    x, log = leaf(F), []
    y = checkpoint(F, wave, x, use_reentrant=use_reentrant)
    x.register_hook(lambda g: log.append("x"))
    y.register_hook(lambda g: (log.append("y"), g * 10)[1])
    y.sum().backward()
    return log, x.grad


def hooked(log: list[str]) -> Callable[[Any], Any]:
    """A function that registers a hook on what it computes."""

    def function(x: Any) -> Any:
        y = x.sin()
        y.register_hook(lambda g: log.append("inside"))
        return y.exp()

    return function


@behaviours("a hook that the function registers inside runs once (not reentrant)")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, hooked(log), x).sum().backward()
    return log, x.grad


@behaviours(
    "a hook cannot be registered inside: the first run is not recorded (reentrant)",
    error=RuntimeError,
    says="cannot register a hook on a tensor that doesn't require gradient",
)
def _(F):
    checkpoint(F, hooked([]), leaf(F), use_reentrant=True)


@both("a function that returns its argument")
def _(F, use_reentrant):
    x = leaf(F)
    y = checkpoint(F, lambda x: x, x, use_reentrant=use_reentrant)
    (y * 3).sum().backward()
    return y, x.grad


@both("gradients add to those that are there")
def _(F, use_reentrant):
    x = leaf(F)
    for _ in range(2):
        checkpoint(F, wave, x, use_reentrant=use_reentrant).sum().backward()
    return x.grad


# ---------------------------------------------------------------- chance


def masked(F: Any, x: Any) -> Any:
    return x * (F.rand(8) > 0.5).float() * x


@both("the second run draws the same random numbers as the first")
def _(F, use_reentrant):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@both("with preserve_rng_state=False it draws new ones")
def _(F, use_reentrant):
    F.manual_seed(3)
    x = F.ones(8, requires_grad=True)
    y = checkpoint(F, lambda x: x * F.rand(8) * x, x, use_reentrant=use_reentrant, preserve_rng_state=False)
    y.sum().backward()
    return F.all((x.grad - 2 * y).abs() < 1e-6)


@both("the second run leaves the random numbers after it as they would have been")
def _(F, use_reentrant):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        y = checkpoint(F, lambda x: masked(F, x), F.ones(8, requires_grad=True), use_reentrant=use_reentrant)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@both("also if the function seeds the random numbers itself")
def _(F, use_reentrant):
    def function(x):
        F.manual_seed(5)
        return masked(F, x)

    following = []
    for backward in (True, False):
        y = checkpoint(F, function, F.ones(8, requires_grad=True), use_reentrant=use_reentrant)
        F.manual_seed(6)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


@both("with preserve_rng_state=False the second run uses up random numbers")
def _(F, use_reentrant):
    following = []
    for backward in (True, False):
        F.manual_seed(3)
        x = F.ones(8, requires_grad=True)
        y = checkpoint(F, lambda x: masked(F, x), x, use_reentrant=use_reentrant, preserve_rng_state=False)
        if backward:
            y.sum().backward()
        following.append(F.rand(4).tolist())
    return following[0] == following[1]


# ---------------------------------------------------------------- which kind


@behaviours("use_reentrant should be given; without it a warning, and the reentrant kind", warns=(EXPLICITLY,))
def _(F):
    x, seen = leaf(F), []

    def function(x):
        seen.append(F.is_grad_enabled())
        return x.exp()

    F.utils.checkpoint.checkpoint(function, x).sum().backward()
    return seen, x.grad


@both("whether the function's first run is recorded")
def _(F, use_reentrant):
    seen = []

    def function(x):
        seen.append((F.is_grad_enabled(), x.requires_grad, x.is_leaf))
        return x.exp()

    y = checkpoint(F, function, leaf(F) * 1, use_reentrant=use_reentrant)
    name = y.grad_fn.name()
    y.sum().backward()
    return seen, name


@behaviours("not reentrant: the graph is that of the function", warns=())
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x)
    names, node = [], y.grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names, node.variable is x


@behaviours("not reentrant: the arguments need no gradient")
def _(F):
    weight, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x * weight).exp(), runs), F.ones(2))
    y.sum().backward()
    return weight.grad, len(runs)


@behaviours("reentrant: if no argument needs a gradient there is none, and a warning", warns=(NO_INPUT,))
def _(F):
    weight, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x * weight).exp(), runs), F.ones(2), use_reentrant=True)
    return y, y.requires_grad, len(runs)


@behaviours("not reentrant: nothing needs a gradient, nothing is said")
def _(F):
    return checkpoint(F, wave, F.ones(2))


@behaviours("not reentrant: keyword arguments are passed on")
def _(F):
    x, weight = leaf(F), leaf(F, 3.0, 4.0)
    y = checkpoint(F, lambda x, *, weight, power=1: (x * weight) ** power, x, weight=weight, power=2)
    y.sum().backward()
    return y, x.grad, weight.grad


@behaviours(
    "reentrant: keyword arguments are refused", error=ValueError, says="Unexpected keyword arguments: weight,power"
)
def _(F):
    checkpoint(F, wave, leaf(F), use_reentrant=True, weight=1, power=2)


@behaviours("not reentrant: tensors in lists and dicts take part")
def _(F):
    x, y = leaf(F), leaf(F, 3.0, 4.0)
    z = checkpoint(F, lambda pair, named: pair[0] * named["y"], [x], {"y": y})
    z.sum().backward()
    return x.grad, y.grad


@behaviours("reentrant: tensors in lists do not take part", warns=(NO_INPUT,))
def _(F):
    return checkpoint(F, lambda pair: pair[0] * 2, [leaf(F)], use_reentrant=True)


@behaviours("not reentrant: grad() works")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(wave, runs), x)
    return F.autograd.grad(y.sum(), x), len(runs), x.grad


@behaviours("not reentrant: backward(inputs=...) works, and may stop within the function")
def _(F):
    x, weight, runs = leaf(F), leaf(F), []
    y = checkpoint(F, counted(lambda x: (x.sin() * weight).exp(), runs), x)
    y.sum().backward(inputs=[weight])
    return x.grad, weight.grad, len(runs)


LIMITED = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward()."
)


@behaviours("reentrant: grad() is refused", error=RuntimeError, says=LIMITED)
def _(F):
    x = leaf(F)
    F.autograd.grad(checkpoint(F, wave, x, use_reentrant=True).sum(), x)


@behaviours("reentrant: backward(inputs=...) is refused", error=RuntimeError, says=LIMITED)
def _(F):
    x = leaf(F)
    checkpoint(F, wave, x, use_reentrant=True).sum().backward(inputs=[x])


@behaviours("reentrant: grad() that does not come through it is fine")
def _(F):
    x = leaf(F)
    y = checkpoint(F, wave, x, use_reentrant=True)
    z = y * 2
    return F.autograd.grad(z.sum(), y)


@behaviours(
    "reentrant: the second run gives nothing that needs a gradient",
    error=RuntimeError,
    says="none of output has requires_grad=True, this checkpoint() is not necessary",
)
def _(F):
    checkpoint(F, lambda x: x.detach() * 2, leaf(F), use_reentrant=True).sum().backward()


@behaviours("not reentrant: double backward")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: (x**3).sin(), runs), x)
    (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = F.autograd.grad(g.sum(), x)
    return g.detach(), h, len(runs)


@behaviours(
    "reentrant: no double backward: its gradient has no graph", error=RuntimeError, says="element 0 of tensors does not"
)
def _(F):
    x = leaf(F)
    y = checkpoint(F, lambda x: x**3, x, use_reentrant=True)
    y.sum().backward()
    x.grad.sum().backward()


@behaviours("not reentrant: gradients of one output, then of the other, each run the function again")
def _(F):
    x, y, runs, counts = leaf(F), leaf(F), [], []
    first, second = checkpoint(F, counted(lambda x, y: (x.sin(), y.exp()), runs), x, y)
    first.sum().backward()
    counts.append(len(runs))
    second.sum().backward()
    counts.append(len(runs))
    return counts, x.grad, y.grad


@behaviours("not reentrant: a backward within the function")
def _(F):
    x, runs = leaf(F), []

    def function(x):
        y = x.sin()
        (g,) = F.autograd.grad(y.cos().sum(), x, create_graph=True)
        return x.cos() * g.detach()

    z = checkpoint(F, counted(function, runs), x)
    z.sum().backward()
    return z, x.grad, len(runs)


@behaviours("not reentrant: the same, with all of the second run")
def _(F):
    x, runs = leaf(F), []

    def function(x):
        y = x.sin()
        (g,) = F.autograd.grad(y.cos().sum(), x)
        return x.cos() * g

    z = checkpoint(F, counted(function, runs), x, early_stop=False)
    z.sum().backward()
    return z, x.grad, len(runs)


@behaviours("not reentrant: reading _saved_self runs the function again, each time")
def _(F):
    x, runs = leaf(F), []
    y = checkpoint(F, counted(lambda x: x.sin().exp(), runs), x)
    node = y.grad_fn.next_functions[0][0]
    return [node._saved_self.detach() for _ in range(2)], len(runs)


@behaviours("not reentrant: outer hooks on saved tensors see the arguments only")
def _(F):
    x, packed = leaf(F), []
    with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(t.tolist()), t.detach())[1], lambda t: t):
        y = checkpoint(F, lambda x, c, n: (x * c).exp() * n, x, F.tensor([3.0, 4.0]), 2.0)
    y.sum().backward()
    return packed, x.grad


@behaviours("not reentrant: hooks within the function keep what they are given, and spare the second run")
def _(F):
    x, packed, runs = leaf(F), [], []

    def function(x):
        with F.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t.detach())[1], lambda t: t):
            return x.exp()

    y = checkpoint(F, counted(function, runs), x)
    y.sum().backward()
    return len(packed), len(runs), x.grad


# ---------------------------------------------------------------- stopping early


def passing(log: list[Any]) -> Callable[[Any], Any]:
    """A function that writes down how far it came."""

    def function(x: Any) -> Any:
        y = x.sin()
        log.append("saved the last tensor")
        z = y + 1
        log.append("reached the end")
        return z

    return function


@behaviours("the second run stops as soon as the last tensor is saved")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, passing(log), x).sum().backward()
    return log, x.grad


@behaviours("with early_stop=False it goes on to the end")
def _(F):
    x, log = leaf(F), []
    checkpoint(F, passing(log), x, early_stop=False).sum().backward()
    return log, x.grad


@behaviours("set_checkpoint_early_stop decides when the first run is made, and outdoes the argument")
def _(F):
    x, log = leaf(F), []
    with F.utils.checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint(F, passing(log), x, early_stop=True)
    y.sum().backward()
    lengths = [len(log)]
    with F.utils.checkpoint.set_checkpoint_early_stop(True):
        y = checkpoint(F, passing(log), x, early_stop=False)
    y.sum().backward()
    lengths.append(len(log))
    checkpoint(F, passing(log), x).sum().backward()
    return [*lengths, len(log)]


@behaviours("set_checkpoint_early_stop contexts nest, and are undone after an error")
def _(F):
    x, log, lengths = leaf(F), [], []
    with contextlib.suppress(KeyError), F.utils.checkpoint.set_checkpoint_early_stop(False):
        with F.utils.checkpoint.set_checkpoint_early_stop(True):
            checkpoint(F, passing(log), x).sum().backward()
            lengths.append(len(log))
        checkpoint(F, passing(log), x).sum().backward()
        lengths.append(len(log))
        raise KeyError
    checkpoint(F, passing(log), x).sum().backward()
    return [*lengths, len(log)]


@behaviours("stopping early passes through contexts of the function as an error would")
def _(F):
    x, log = leaf(F), []

    @contextlib.contextmanager
    def noted():
        try:
            yield
        finally:
            log.append("left")

    def function(x):
        with noted():
            y = x.sin()
            log.append("in")
        return y + 1

    checkpoint(F, function, x).sum().backward()
    return log, x.grad


# ---------------------------------------------------------------- a second run that differs


def differing(*functions: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that is another one in each run."""
    waiting = list(functions)
    return lambda x: waiting.pop(0)(x)


@behaviours("fewer tensors saved in the second run: a CheckpointError that counts them")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin().exp(), lambda x: x.sin()), leaf(F))
    try:
        y.sum().backward()
    except F.utils.checkpoint.CheckpointError as error:
        return str(error).split("\n")[:3], isinstance(error, RuntimeError), type(error).__name__
    return None


@behaviours("more tensors saved in the second run: unnoticed if it stops early")
def _(F):
    x = leaf(F)
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: x.sin().exp()), x)
    y.sum().backward()
    return x.grad


@behaviours("more tensors saved in the second run: a CheckpointError if it goes on to the end")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: x.sin().exp()), leaf(F), early_stop=False)
    return refusal(F, y.sum().backward)


@behaviours("other shapes in the second run: a CheckpointError that says which")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin().exp(), lambda x: x[:1].sin().exp()), leaf(F))
    try:
        y.sum().backward()
    except F.utils.checkpoint.CheckpointError as error:
        lines = str(error).split("\n")
        return [
            lines[0],
            *[line for line in lines if line.startswith("tensor at position")],
            *[line.partition("{")[0] for line in lines if "metadata:" in line],
        ]
    return None


@behaviours("other dtypes in the second run: a CheckpointError")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: x.double().sin()), leaf(F))
    return refusal(F, y.sum().backward)


@behaviours("with determinism_check='none' other shapes are not looked for")
def _(F):
    x = leaf(F)
    function = differing(lambda x: x.sin(), lambda x: x.sum().sin())
    y = checkpoint(F, function, x, determinism_check="none")
    y.sum().backward()
    return x.grad


@behaviours("with determinism_check='none' the number still counts")
def _(F):
    function = differing(lambda x: x.sin().exp(), lambda x: x.sin())
    return refusal(F, checkpoint(F, function, leaf(F), determinism_check="none").sum().backward)


@behaviours("other values in the second run are used as they are")
def _(F):
    x = leaf(F)
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: (x * 0).sin()), x)
    y.sum().backward()
    return y, x.grad


@behaviours(
    "another determinism_check",
    error=ValueError,
    says="determinism_check should be one of ['default', 'none'], but got foo",
)
def _(F):
    checkpoint(F, wave, leaf(F), determinism_check="foo")


@behaviours("a Function that reads saved_tensors twice: a CheckpointError")
def _(F):
    class Greedy(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * ctx.saved_tensors[0] * g

    y = checkpoint(F, Greedy.apply, leaf(F))
    return refusal(F, y.sum().backward)


# ---------------------------------------------------------------- context_fn


@behaviours("context_fn: one context for the first run, another for the second")
def _(F):
    x, log = leaf(F), []

    @contextlib.contextmanager
    def noted(name):
        log.append(f"enter {name}")
        yield
        log.append(f"leave {name}")

    def function(x):
        log.append("run")
        return x.sin().exp()

    y = checkpoint(F, function, x, context_fn=lambda: (noted("first"), noted("second")), early_stop=False)
    y.sum().backward()
    return log, x.grad


@behaviours(
    "context_fn: not for the reentrant kind",
    error=ValueError,
    says="Passing `context_fn` or `debug` is only supported when use_reentrant=False.",
)
def _(F):
    contexts = contextlib.nullcontext(), contextlib.nullcontext()
    checkpoint(F, wave, leaf(F), use_reentrant=True, context_fn=lambda: contexts)


# ---------------------------------------------------------------- memory


class Mark:
    """Something that a weak reference can watch."""


@both("what the function computed on its way is not kept after the first run")
def _(F, use_reentrant):
    watched = []

    def function(x):
        y = x.sin()
        watched.append(weakref.ref(y))
        return y.exp().sin()

    y = checkpoint(F, function, leaf(F), use_reentrant=use_reentrant)
    kept = watched[0]() is not None
    y.sum().backward()
    return kept, len(watched), [reference() is not None for reference in watched]


@both("the function and its arguments are released by backward, the garbage collector off")
def _(F, use_reentrant):
    was_on = gc.isenabled()
    gc.disable()
    try:
        mark, x = Mark(), leaf(F)
        inner = x * 1
        alive = weakref.ref(mark), weakref.ref(inner)
        y = checkpoint(F, lambda x, mark=mark: x.sin().exp(), inner, use_reentrant=use_reentrant).sum()
        del mark, inner
        before = [reference() is not None for reference in alive]
        y.backward()
        del y
        return before, [reference() is not None for reference in alive]
    finally:
        if was_on:
            gc.enable()


@both("the function and its arguments are released with the result if backward never came, the collector off")
def _(F, use_reentrant):
    was_on = gc.isenabled()
    gc.disable()
    try:
        mark, x = Mark(), leaf(F)
        inner = x * 1
        alive = weakref.ref(mark), weakref.ref(inner)
        y = checkpoint(F, lambda x, mark=mark: x.sin().exp(), inner, use_reentrant=use_reentrant)
        del mark, inner, y
        return [reference() is not None for reference in alive]
    finally:
        if was_on:
            gc.enable()


# ---------------------------------------------------------------- sequences


def steps(F: Any, runs: list[Any]) -> list[Callable[[Any], Any]]:
    return [counted(function, runs) for function in (F.sin, F.exp, F.cos, lambda t: t * t)]


@both("checkpoint_sequential: the same gradients, and all but the last part run twice")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 2, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@both("checkpoint_sequential: parts of uneven size")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 3, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@both("checkpoint_sequential: one part is no checkpoint")
def _(F, use_reentrant):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 1, x, use_reentrant=use_reentrant)
    y.sum().backward()
    return y, x.grad, len(runs)


@behaviours(
    "checkpoint_sequential: use_reentrant should be given",
    warns=("UserWarning: torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed",),
)
def _(F):
    x, runs = leaf(F), []
    y = F.utils.checkpoint.checkpoint_sequential(steps(F, runs), 2, x)
    y.sum().backward()
    return y.grad_fn.name(), x.grad, len(runs)


@behaviours(
    "checkpoint_sequential: other keywords are refused", error=ValueError, says="Unexpected keyword arguments: foo"
)
def _(F):
    F.utils.checkpoint.checkpoint_sequential(steps(F, []), 2, leaf(F), use_reentrant=False, foo=1)


@both("checkpoint_sequential: preserve_rng_state")
def _(F, use_reentrant):
    same = []
    for preserve in (True, False):
        F.manual_seed(3)
        x = F.ones(8, requires_grad=True)
        functions = [lambda t: t * F.rand(8) * t, lambda t: t * 1]
        y = F.utils.checkpoint.checkpoint_sequential(
            functions, 2, x, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
        y.sum().backward()
        same.append(F.all((x.grad - 2 * y).abs() < 1e-6))
    return same


@both("checkpoint_sequential: more parts than functions", error=ValueError, says="range() arg 3 must not be zero")
def _(F, use_reentrant):
    F.utils.checkpoint.checkpoint_sequential(steps(F, []), 5, leaf(F), use_reentrant=use_reentrant)


test_as_in_torch = behaviours.test()

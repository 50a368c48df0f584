"""Anomaly mode, as in torch: which line of the forward pass is to blame for an error or a nan in the backward pass.

How the mode is switched on, what it warns and raises, and what it leaves on the nodes. Each function below runs on
both.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from helpers.side_by_side import Behaviours

behaviours = Behaviours()

ENABLED = "UserWarning: Anomaly Detection has been enabled. This mode will increase the runtime"
FORWARD = " Traceback of forward call that caused the error:\n"
UNKNOWN = " No forward pass information available. Enable detect anomaly during forward pass for more information."


def leaf(F: Any, *values: float) -> Any:
    return F.tensor(values or (1.0, 2.0), requires_grad=True)


def nan_in_backward(F: Any) -> Any:
    """sqrt at 0 has an infinite slope, and 0 times that is nan."""
    y = leaf(F, 0.0).sqrt()
    return (y * 0).sum()


def failing(F: Any, error: Exception) -> Any:
    class Failing(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise error

    return Failing


def modes(F: Any) -> tuple[bool, bool]:
    return F.is_anomaly_enabled(), F.is_anomaly_check_nan_enabled()


@contextlib.contextmanager
def recorded() -> Iterator[list[warnings.WarningMessage]]:
    """The warnings of the block."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def heard(F: Any, program: Callable[[], Any], check_nan: bool = True) -> list[str]:
    """The warnings about a program that fails in anomaly mode, without the first one, that the mode is on."""
    with recorded() as caught, F.autograd.detect_anomaly(check_nan=check_nan):
        try:
            program()
        except Exception:
            return [str(warning.message) for warning in caught[1:]]
    raise AssertionError("the program did not fail")


# ---------------------------------------------------------------- nan in backward


@behaviours(
    "G06: a nan made by a node is an error, and the warning before it names the node and shows the line of forward",
    error=RuntimeError,
    says="Function 'SqrtBackward0' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in SqrtBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        nan_in_backward(F).backward()


@behaviours("G06: the warning contains the line that called the op, and the lines that led there, outermost first")
def _(F):
    def forward(x):
        return x.sqrt()  # the op

    def program():
        y = forward(leaf(F, 0.0))  # the way there
        (y * 0).sum().backward()

    (warning,) = heard(F, program)
    return warning.find("# the way there") > 0, warning.find("# the op") > warning.find("# the way there")


@behaviours(
    "G06: grad() is checked as backward() is",
    error=RuntimeError,
    says="Function 'SqrtBackward0' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in SqrtBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        x = leaf(F, 0.0)
        F.autograd.grad((x.sqrt() * 0).sum(), x)


@behaviours(
    "G06: the gradient of which input it was",
    error=RuntimeError,
    says="Function 'MulBackward0' returned nan values in its 1th output.",
    warns=(ENABLED, "UserWarning: Error detected in MulBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        x, y = leaf(F, float("inf")), leaf(F, 3.0)
        (x * y * 0).sum().backward()


@behaviours(
    "G06: the node that made the first nan is named, not those that pass it on",
    error=RuntimeError,
    says="Function 'LogBackward0' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in LogBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        x = leaf(F, 0.0)
        (((x * 2).exp() - 1).log() * 0).sum().backward()


@behaviours("G06: .grad is not written when a nan was found", warns=(ENABLED, "UserWarning: Error detected in Sqrt"))
def _(F):
    x = leaf(F, 0.0)
    with F.autograd.detect_anomaly():
        try:
            (x.sqrt() * 0).sum().backward()
        except RuntimeError as error:
            return x.grad, str(error)[:40]
    return None


@behaviours("G06: inf is no anomaly", warns=(ENABLED,))
def _(F):
    x = leaf(F, 0.0)
    with F.autograd.detect_anomaly():
        x.sqrt().sum().backward()
    return x.grad


@behaviours("G06: nor is a nan in the forward pass that no gradient sees", warns=(ENABLED,))
def _(F):
    x = leaf(F)
    with F.autograd.detect_anomaly():
        y = x * 2 + float("nan")
        y.sum().backward()
    return x.grad


@behaviours(
    "G06: a nan that the caller passes in is found at the first node it goes through",
    error=RuntimeError,
    says="Function 'MulBackward0' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in MulBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        (leaf(F) * 3).backward(F.tensor([1.0, float("nan")]))


@behaviours("G06: a nan that goes straight to a leaf is not found", warns=(ENABLED,))
def _(F):
    x = leaf(F)
    with F.autograd.detect_anomaly():
        x.backward(F.tensor([1.0, float("nan")]))
    return x.grad


@behaviours("G06: without the mode a nan is a gradient like others")
def _(F):
    x = leaf(F, 0.0)
    (x.sqrt() * 0).sum().backward()
    return x.grad


@behaviours(
    "G06: a nan from a custom Function, by its name",
    error=RuntimeError,
    says="Function 'NothingBackward' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in NothingBackward." + FORWARD),
)
def _(F):
    class Nothing(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    with F.autograd.detect_anomaly():
        Nothing.apply(leaf(F)).sum().backward()


@behaviours("G06: gradients that are None are passed over", warns=(ENABLED,))
def _(F):
    class Half(F.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return None, g

    x, y = leaf(F), leaf(F)
    with F.autograd.detect_anomaly():
        Half.apply(x, y).sum().backward()
    return x.grad, y.grad


# ---------------------------------------------------------------- errors in backward


@behaviours(
    "G06: an exception in a custom backward keeps its type; the warning names the Function",
    error=ZeroDivisionError,
    says="no way",
    warns=(ENABLED, "UserWarning: Error detected in FailingBackward." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        failing(F, ZeroDivisionError("no way")).apply(leaf(F)).sum().backward()


@behaviours("G06: there too the warning shows the line that applied the Function")
def _(F):
    def program():
        y = failing(F, ValueError("no way")).apply(leaf(F))  # applied here
        y.sum().backward()

    (warning,) = heard(F, program)
    return "# applied here" in warning, "no way" in warning


@behaviours(
    "G06: an in-place error comes with the line of the op that saved the tensor",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
    warns=(ENABLED, "UserWarning: Error detected in SinBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        y = leaf(F) * 2
        z = y.sin()
        y.add_(1)
        z.sum().backward()


@behaviours(
    "G06: a second backward through a freed graph too",
    error=RuntimeError,
    says="Trying to backward through the graph a second time",
    warns=(ENABLED, "UserWarning: Error detected in ExpBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        y = leaf(F).exp().sum()
        y.backward()
        y.backward()


@behaviours(
    "G06: an exception in a tensor's hook is blamed on the tensor's op",
    error=KeyError,
    says="'missing'",
    warns=(ENABLED, "UserWarning: Error detected in ExpBackward0." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly():
        y = leaf(F).exp()
        y.register_hook(lambda g: {}["missing"])
        y.sum().backward()


@behaviours(
    "G06: an exception in a leaf's hook is blamed on the leaf's end",
    error=KeyError,
    says="'missing'",
    warns=(ENABLED, "UserWarning: Error detected in "),
)
def _(F):
    with F.autograd.detect_anomaly():
        x = leaf(F)
        x.register_post_accumulate_grad_hook(lambda tensor: {}["missing"])
        x.exp().sum().backward()


@behaviours(
    "G06: a node made before the mode was on has no line to show",
    error=RuntimeError,
    says="Function 'SqrtBackward0' returned nan values in its 0th output.",
    warns=(ENABLED, "UserWarning: Error detected in SqrtBackward0." + UNKNOWN),
)
def _(F):
    total = nan_in_backward(F)
    with F.autograd.detect_anomaly():
        total.backward()


@behaviours("G06: a node made under the mode shows nothing once it is off")
def _(F):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with F.autograd.detect_anomaly():
            total = nan_in_backward(F)
    return total.backward()


@behaviours(
    "G06: wrong arguments of backward() are not blamed on a node",
    error=RuntimeError,
    says="grad can be implicitly",
    warns=(ENABLED,),
)
def _(F):
    with F.autograd.detect_anomaly():
        leaf(F).exp().backward()


# ---------------------------------------------------------------- check_nan


@behaviours("G07: check_nan=False: a nan is no error", warns=(ENABLED,))
def _(F):
    x = leaf(F, 0.0)
    with F.autograd.detect_anomaly(check_nan=False):
        (x.sqrt() * 0).sum().backward()
    return x.grad


@behaviours(
    "G07: check_nan=False: exceptions come with their line all the same",
    error=ValueError,
    says="no way",
    warns=(ENABLED, "UserWarning: Error detected in FailingBackward." + FORWARD),
)
def _(F):
    with F.autograd.detect_anomaly(check_nan=False):
        failing(F, ValueError("no way")).apply(leaf(F)).sum().backward()


@behaviours("G07: check_nan may be given by position, and is what the mode says", warns=(ENABLED, ENABLED))
def _(F):
    seen = [modes(F)]
    with F.autograd.detect_anomaly(False):
        seen.append(modes(F))
    with F.autograd.detect_anomaly(True):
        seen.append(modes(F))
    return [*seen, modes(F)]


# ---------------------------------------------------------------- switching


@behaviours("G06: off at first, with the check for nan ready")
def _(F):
    return modes(F)


@behaviours("G06: detect_anomaly() warns when it is made, and is on from entering to leaving", warns=(ENABLED,))
def _(F):
    seen = []
    context = F.autograd.detect_anomaly()
    seen.append(modes(F))
    with context as entered:
        seen.append(modes(F))
    return [*seen, modes(F), entered]


@behaviours("G06: nested contexts restore what was in force", warns=(ENABLED, ENABLED))
def _(F):
    seen = []
    with F.autograd.detect_anomaly(check_nan=False):
        with F.autograd.detect_anomaly():
            seen.append(modes(F))
        seen.append(modes(F))
    return [*seen, modes(F)]


@behaviours("G06: restored after an exception", warns=(ENABLED,))
def _(F):
    try:
        with F.autograd.detect_anomaly():
            raise ValueError("stop")
    except ValueError as error:
        return str(error), modes(F)
    return None


@behaviours(
    "G06: detect_anomaly() is a context, not a decorator",
    error=TypeError,
    says="'detect_anomaly' object is not callable",
    warns=(ENABLED,),
)
def _(F):
    F.autograd.detect_anomaly()(nan_in_backward)


@behaviours("G06: set_detect_anomaly switches at once and without a warning")
def _(F):
    seen = []
    try:
        F.autograd.set_detect_anomaly(True)
        seen.append(modes(F))
        F.autograd.set_detect_anomaly(True, check_nan=False)
        seen.append(modes(F))
    finally:
        F.autograd.set_detect_anomaly(False)
    return [*seen, modes(F)]


@behaviours("G06: set_detect_anomaly takes a bool, and refuses anything else before it changes the mode")
def _(F):
    try:
        F.autograd.set_detect_anomaly("off")
    except TypeError as error:
        return str(error).partition(", not str"), modes(F)
    finally:
        F.autograd.set_detect_anomaly(False)


@behaviours("G06: set_detect_anomaly as a context restores what was before it")
def _(F):
    seen = []
    with F.autograd.set_detect_anomaly(True, False) as entered:
        seen.append((modes(F), entered))
        with F.autograd.set_detect_anomaly(False):
            seen.append(modes(F))
        seen.append(modes(F))
    return [*seen, modes(F)]


@behaviours(
    "G06: set_detect_anomaly(True) finds what detect_anomaly() finds",
    error=RuntimeError,
    says="Function 'SqrtBackward0' returned nan values in its 0th output.",
    warns=("UserWarning: Error detected in SqrtBackward0." + FORWARD,),
)
def _(F):
    with F.autograd.set_detect_anomaly(True):
        nan_in_backward(F).backward()


@behaviours("G06: set_detect_anomaly(False) within the mode: no record of lines, no check", warns=(ENABLED,))
def _(F):
    with F.autograd.detect_anomaly(), F.autograd.set_detect_anomaly(False):
        total = nan_in_backward(F)
        total.backward()
    return total.grad_fn.metadata


@behaviours("G06: the mode holds for all threads", warns=(ENABLED,))
def _(F):
    seen = []
    with F.autograd.detect_anomaly():
        thread = threading.Thread(target=lambda: seen.append(modes(F)))
        thread.start()
        thread.join()
    return seen


@behaviours("G06: results are the same as without the mode", warns=(ENABLED,))
def _(F):
    x = leaf(F)
    with F.autograd.detect_anomaly():
        y = (x * x).exp().sum()
        y.backward()
    return y, x.grad


# ---------------------------------------------------------------- what nodes keep


@behaviours("G06: a node keeps its forward lines in metadata['traceback_'], a list of strings", warns=(ENABLED,))
def _(F):
    with F.autograd.detect_anomaly():
        y = leaf(F).exp()  # made here
    lines = y.grad_fn.metadata["traceback_"]
    return type(lines).__name__, {type(line).__name__ for line in lines} == {"str"}, "# made here" in lines[-1]


@behaviours("G06: each of the lines names a file, a line and a function", warns=(ENABLED,))
def _(F):
    with F.autograd.detect_anomaly():
        y = leaf(F).exp()
    last = y.grad_fn.metadata["traceback_"][-1]
    return last.startswith('  File "'), ", line " in last, ", in _\n" in last, last.endswith("\n")


@behaviours("G06: without the mode nothing is kept")
def _(F):
    return leaf(F).exp().grad_fn.metadata


@behaviours("G06: a custom Function's node keeps them too", warns=(ENABLED,))
def _(F):
    with F.autograd.detect_anomaly():
        y = failing(F, ValueError()).apply(leaf(F))  # applied here
    return any("# applied here" in line for line in y.grad_fn.metadata["traceback_"])


@behaviours("G06: a node made by backward knows the node whose rule made it", warns=(ENABLED,))
def _(F):
    x = leaf(F)
    with F.autograd.detect_anomaly():
        y = x.exp()
        (g,) = F.autograd.grad(y.sum(), x, create_graph=True)
    return g.grad_fn.metadata["parent_"] is y.grad_fn, sorted(y.grad_fn.metadata), sorted(g.grad_fn.metadata)


# ---------------------------------------------------------------- anomalies within anomalies


def second_pass(F: Any) -> Any:
    """The first backward is fine: 1/0 only arises in the second one."""

    class Double(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return failing(F, ValueError("in the second pass")).apply(g)

    return Double


@behaviours(
    "G06: an error in the second pass shows both: the line that was differentiated, and what induced it",
    error=ValueError,
    says="in the second pass",
    warns=(
        ENABLED,
        "UserWarning: Error detected in FailingBackward." + FORWARD,
        "UserWarning: \n\nPrevious calculation was induced by DoubleBackward. Traceback of forward call that induced "
        "the previous calculation:\n",
    ),
)
def _(F):
    x = leaf(F)
    with F.autograd.detect_anomaly():
        y = second_pass(F).apply(x)
        (g,) = F.autograd.grad((y * y).sum(), x, create_graph=True)
        g.sum().backward()


@behaviours("G06: the two warnings show the lines of the two passes")
def _(F):
    def program():
        x = leaf(F)
        y = second_pass(F).apply(x)  # the forward pass
        (g,) = F.autograd.grad((y * y).sum(), x, create_graph=True)  # the first backward
        g.sum().backward()

    failed, induced = heard(F, program)
    return "# the first backward" in failed, "# the forward pass" in failed, "# the forward pass" in induced


@behaviours(
    "G06: three passes deep, three traces",
    error=RuntimeError,
    says="Function 'PowBackward0' returned nan values in its 0th output.",
)
def _(F):
    with recorded() as caught, F.autograd.set_detect_anomaly(True):
        x = leaf(F, 0.0)
        first = (x**2.5).sum()
        (second,) = F.autograd.grad(first, x, create_graph=True)
        (third,) = F.autograd.grad(second.sum(), x, create_graph=True)
        try:
            (third * 0).sum().backward()
        finally:
            beginnings = [str(warning.message).split(".")[0].strip() for warning in caught]
            assert beginnings == [
                "Error detected in PowBackward0",
                "Previous calculation was induced by PowBackward0",
                "Previous calculation was induced by PowBackward0",
            ], beginnings


@behaviours(
    "G06: what induced it was made before the mode was on",
    error=ValueError,
    says="in the second pass",
    warns=(
        ENABLED,
        "UserWarning: Error detected in FailingBackward." + FORWARD,
        "UserWarning: Error detected in DoubleBackward." + UNKNOWN,
    ),
)
def _(F):
    x = leaf(F)
    y = second_pass(F).apply(x)
    with F.autograd.detect_anomaly():
        (g,) = F.autograd.grad((y * y).sum(), x, create_graph=True)
        g.sum().backward()


@behaviours(
    "G06: a backward within backward names the inner node first, then the outer one",
    error=RuntimeError,
    says="Function 'SqrtBackward0' returned nan values in its 0th output.",
)
def _(F):
    class Inner(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with F.enable_grad():
                nan_in_backward(F).backward()
            return g

    with recorded() as caught, F.autograd.set_detect_anomaly(True):
        y = Inner.apply(leaf(F)).sum()
        try:
            y.backward()
        finally:
            names = [str(warning.message).split(".")[0].split()[-1] for warning in caught]
            assert names[0] == "SqrtBackward0", names
            assert names[-1] == "InnerBackward", names


test_as_in_torch = behaviours.test()

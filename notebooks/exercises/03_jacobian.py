"""Exercise `jacobian`: all slopes of a result with several elements, a backward for each row."""

import minigrad as mg
from minigrad.teach import (
    STEP,
    Exercise,
    Mistake,
    Noted,
    cases,
    compare,
    edited,
    formula,
    instead,
    observer,
    raised,
    saw,
    slopes,
)


def jacobian(f, x):
    """The matrix whose row i is the gradient of f(x)[i]."""
    y = f(x)
    rows = []
    for i in range(len(y)):
        weights = mg.zeros_like(y)
        weights[i] = 1.0
        y.backward(gradient=weights, retain_graph=True)
        rows.append(x.grad)
        x.grad = None
    return mg.stack(rows)


@cases("f(x) = {words} at x = {numbers}")
def _vector_case(words, numbers, f=None):
    return Noted(words, f or formula(words)), mg.tensor(numbers, requires_grad=True)


def _drawn(random):
    """More elements of f(x) than of x, or fewer; one of them may depend on nothing. Halves, whose sums and products are
    exact.
    """
    rows, columns = random.integers(1, 5, 2)
    matrix = (random.integers(-4, 5, (rows, columns)) / 2).tolist()
    if rows > 1:
        matrix[random.integers(rows)] = [0.0] * int(columns)
    numbers = (random.integers(-6, 7, columns) / 2).tolist()

    def f(x):
        return mg.tensor(matrix, dtype=x.dtype) @ (x * x.sum())

    yield _vector_case(f"tensor({matrix}) @ (x * x.sum())", numbers, f)


@observer
def _with_calls(answer, f, x):
    return {"the answer": answer(f, x), "how often f was called": len(f.calls)}


def _measured_jacobian(outcome):
    lines = []
    for (column,), found in slopes(*outcome.arguments):
        listed = ", ".join(f"{slope:.4g}" for slope in found)
        lines.append(f"  x[{column}] moved by {STEP}: column {column} is {listed}")
    return "\n".join(lines)


def _are_left(parts):
    """For `when`: of the rows the first part came, and not the other, in which no row is zeros, as rows without a slope
    may be left out for another reason.
    """

    def holds(mine, right):
        kept, others = parts(right)
        return len(others) > 0 and compare(kept, mine) is None and bool(others.any(dim=1).all())

    return saw("the answer", holds)


# ---------------------------------------------------------------- wrong answers


def gradient_of_the_sum(f, x):
    """This is one gradient, that of f(x).sum(). A row for each element of f(x) is asked for."""
    f(x).sum().backward()
    return x.grad


def transposed(f, x):
    """Rows and columns have changed places: row i belongs to f(x)[i], column j to x[j]."""
    return jacobian(f, x).T


# ---------------------------------------------------------------- tried as well


def jacobian_by_subtraction(f, x):
    sums, y = [mg.zeros_like(x)], f(x)
    for element in y:
        element.backward(retain_graph=True)
        sums.append(x.grad.clone())
    x.grad = None
    return mg.stack(sums[1:]) - mg.stack(sums[:-1])


def rows_of(f, x, y):
    for place in range(len(y)):
        weights = mg.zeros(len(y))
        weights[place] = 1.0
        yield mg.autograd.grad(y, x, weights, retain_graph=True)[0]


def jacobian_by_differences(f, x):
    columns = []
    for place in range(len(x)):
        step = mg.zeros_like(x)
        step[place] = 0.25
        columns.append((f(x.detach() + step) - f(x.detach() - step)) / 0.5)
    return mg.stack(columns, dim=1)


def jacobian_of_rows_that_count(f, x):
    rows = [row for row in rows_of(f, x, f(x)) if row.any()]
    return mg.stack(rows)


def jacobian_of_a_square(f, x):
    y = f(x)
    rows = list(rows_of(f, x, y))[: len(x)]
    return mg.stack(rows)


def jacobian_in_one_batch(f, x):
    y = f(x)
    return mg.autograd.grad(y, x, mg.eye(len(y)), is_grads_batched=True)[0]


def jacobian_filled(f, x):
    y = f(x)
    matrix = mg.zeros(len(y), len(x))
    for place, element in enumerate(y):
        x.grad = None
        element.backward(retain_graph=True)
        matrix[place] = x.grad
    return matrix


EXERCISE = Exercise(
    title="a tensor with one row for each element of f(x), which holds its gradient",
    stars=2,
    minutes=10,
    reference=jacobian,
    cases=(
        _vector_case("stack([x[0] * x[1], x[0] ** 2, x[0] + x[1]])", [3.0, 2.0]),
        _vector_case("sin(x) * x.sum()", [0.5, -1.0, 2.0]),
        _vector_case("stack([(x * x).sum(), x[0] - x[2]])", [1.0, 2.0, -1.0]),
        _vector_case("linspace(0, 1, 24) * x[0] + x[1]", [2.0, -1.0]),
        _vector_case("stack([1e6 * x[0] * x[1], 0.0005 * x[0]])", [3.0, 2.0]),  # steep, and nearly flat
    ),
    hints=(
        (
            "backward(gradient=weights) gives the gradient of (weights * y).sum(). Which weights leave y[i] "
            "alone in that sum?"
        ),
        (
            "Row i is x.grad after y.backward(gradient=weights), with 1 at place i and 0 elsewhere. The same "
            "graph is walked once for each row."
        ),
        (
            "Two things must not get lost: retain_graph=True, so that the graph can be walked again, and "
            "x.grad = None after each row, so that "
            "the next row does not start on top of it. In the end, mg.stack(rows)."
        ),
    ),
    drawn=_drawn,
    plug=_with_calls,
    in_double=0,  # the words say a float32 leaf
    notes={
        "how often f was called": "The matrix is right, but f(x) is to be computed once: the graph that it leaves can "
        "be walked for each row."
    },
    evidence=_measured_jacobian,
    mistakes=(
        Mistake(
            edited(jacobian, ", retain_graph=True", ""),
            words="The graph is walked once for each row, and the first walk freed what it had saved. Say "
            "retain_graph=True.",
            when=raised("second time"),
        ),
        Mistake(
            edited(gradient_of_the_sum, "sum().backward", "backward"),
            words="The walk begins at several elements, as f(x) has them, and has to know how much each one counts: "
            "pass gradient=, with 1 for row i and 0 for the others.",
            when=raised("implicitly created"),
        ),
        Mistake(
            edited(jacobian, "append(x.grad)\n        x.grad = None", "append(x.grad.clone())"),
            edited(
                jacobian,
                *("rows = []", "rows, weights = [], mg.zeros_like(y)", "        weights = mg.zeros_like(y)\n", ""),
            ),
            words="Each row has all the rows before it in it. Either x.grad was not cleared between two calls of "
            "backward(), which adds, or the weights were not set back to 0.",
        ),
        Mistake(
            edited(jacobian, "x.grad = None", "x.grad.zero_()"),
            edited(
                jacobian,
                "x.grad = None",
                "pass",
                "y.backward",
                "_ = x.grad is not None and x.grad.zero_()\n        y.backward",
            ),
            words="All rows are zeros, or all are the last one, as where they are one tensor: x.grad.zero_() empties "
            "the row that you have just kept, and the next walk writes there. Set x.grad = None instead, or keep a "
            "clone().",
        ),
        Mistake(
            edited(jacobian, "x.grad = None", "pass"),
            edited(jacobian, "zeros_like", "ones_like", "\n        weights[i] = 1.0", ""),
            words="Every row is the gradient of the sum of all elements. Either all rows are one tensor, x.grad, to "
            "which each walk has added: set x.grad = None after each. Or the weights were 1 everywhere: for row i only "
            "place i is 1.",
        ),
        Mistake(
            edited(jacobian, "range(len(y))", "range(len(y) - 1)"),
            edited(jacobian, "range(len(y))", "range(1, len(y))"),
            words="One row is missing, the first or the last: range(len(y)) has a number for each element of f(x).",
        ),
        Mistake(
            edited(jacobian, "zeros_like(y)", "zeros(len(x))", "range(len(y))", "range(len(x))"),
            words="The weights have another shape than what backward() begins from. They say how much each element of "
            "f(x) counts, and so there are as many, and as many rows: len(y), which need not be len(x).",
            when=raised("Mismatch in shape: grad_output"),
        ),
        Mistake(
            edited(jacobian, "range(len(y))", "range(min(len(x), len(y)))"),
            words="There are as many rows as x has elements. A row belongs to an element of f(x): range(len(f(x))).",
            when=_are_left(lambda matrix: (matrix[: matrix.shape[1]], matrix[matrix.shape[1] :])),
        ),
        Mistake(
            edited(transposed, "jacobian(f, x).T", "mg.cat(list(jacobian(f, x)))"),
            words="The rows lie one behind the other, as cat joins them, along the dimension that they have. "
            "mg.stack(rows) makes a new one.",
            when=instead(lambda matrix: matrix.flatten()),
        ),
        Mistake(
            edited(jacobian, "rows.append(x.grad)", "rows = [x.grad]"),
            words="Only one row is left. Was the list made anew in each round? Make it before the loop, and append.",
            when=_are_left(lambda matrix: (matrix[-1:], matrix[:-1])),
        ),
        gradient_of_the_sum,
        transposed,
    ),
    right=(
        lambda f, x: mg.stack(list(rows_of(f, x, f(x)))),
        jacobian_in_one_batch,
        jacobian_filled,
        lambda f, x: mg.autograd.functional.jacobian(f, x),
    ),
    wrong={
        "how often f was called: yours 4, expected 1": [
            lambda f, x: mg.stack([mg.autograd.grad(f(x)[place], x)[0] for place in range(len(f(x)))])
        ],
        "": [jacobian_by_differences, lambda f, x: mg.stack(list(rows_of(f, x, f(x)))).round()],
        "drawn at random": [jacobian_of_rows_that_count],
        "The walk begins at several elements": [edited(jacobian, "gradient=weights, ", "")],
        "All rows are zeros": [edited(jacobian, "= 1.0", "= 0.0")],
        "There are as many rows as x has elements": [jacobian_of_a_square],
        "1e6 * x[0] * x[1]": [
            jacobian_by_subtraction,
            lambda f, x: mg.stack([mg.where(row.abs() < 1e-3, 0.0, row) for row in rows_of(f, x, f(x))]),
        ],
        "linspace(0, 1, 24)": [lambda f, x: mg.stack(list(rows_of(f, x, f(x)[:16])))],
        "The numbers are right, but this is a list": [lambda f, x: [row.tolist() for row in rows_of(f, x, f(x))]],
        "Rows and columns have changed places": [lambda f, x: mg.stack(list(rows_of(f, x, f(x))), dim=1)],
    },
)

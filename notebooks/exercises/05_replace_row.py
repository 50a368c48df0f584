"""Chapter 05, exercise: another tensor with one row replaced, and gradients that know of it."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, numbers, show

from .chapter04 import leaves


def replace_row(h, row, values):
    """A tensor like h, with one row replaced."""
    result = h.clone()
    result[row] = values
    return result


NUMBERS = ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))


def _table(words, make_h, row, values, numbers=NUMBERS):
    def make():
        leaf = mg.tensor([list(line) for line in numbers], requires_grad=True)
        return make_h(leaf), row, mg.tensor(values, requires_grad=True)

    return Case(f"{words}, row = {row}, values = {values}", make)


def _drawn(random):
    """A table with rows of equal numbers in it; the row counts from either end."""
    shape = [(3, 2), (4, 3), (2, 2)][random.integers(3)]
    numbers = (random.integers(-4, 5, shape) / 2).tolist()
    numbers[-1] = numbers[0]
    row, values = int(random.integers(-shape[0], shape[0])), (random.integers(-4, 5, shape[1:]) / 2).tolist()
    kinds = (
        ("leaf.exp()", lambda leaf: leaf.exp()),
        ("leaf * 2", lambda leaf: leaf * 2),
        ("leaf", lambda leaf: leaf),
        ("the rows of leaf.tanh(), from the last to the first", lambda leaf: leaf.tanh().flip(0)),
        ("(leaf * 2).transpose(0, 1).contiguous().transpose(0, 1)", _laid_out_by_columns),
    )
    words, make_h = kinds[random.integers(len(kinds))]
    yield _table(f"h = {words}, leaf = {numbers}", make_h, row, values, numbers)


def _laid_out_by_columns(leaf):
    return (leaf * 2).transpose(0, 1).contiguous().transpose(0, 1)


def _with_gradients(value, arguments):
    """What is compared: the answer, and the gradients of h and values for weights 1, 2, 3 and so on.

    The walk goes on to the leaf behind h, so that whoever saved h looks whether it is as it was.
    """
    h, _, values = arguments
    if not isinstance(value, mg.Tensor) or not value.requires_grad or value.shape != h.shape:
        return (value, None, None)
    return (value, *grad(value, (h, values, *leaves(h)), _weights(h), retain_graph=True, allow_unused=True)[:2])


def _weights(h):
    return mg.arange(1.0, h.numel() + 1).reshape(h.shape)


def _compare_replaced(expected, got, outcome):
    difference = compare(expected[0], got[0])
    if difference is not None:
        return difference
    for name, wanted, mine in zip(("h", "values"), expected[1:], got[1:], strict=True):
        if mine is None:
            return Difference(f"the gradient of {name}", "None", show(wanted), f"No gradient goes back to {name}.")
        difference = compare(wanted, mine, f"the gradient of {name}")
        if difference is not None:
            return difference
    return None


def _show_replaced(value, arguments):
    if not isinstance(value, tuple):
        return show(value)
    answer, of_h, of_values = value
    if not isinstance(answer, mg.Tensor):
        return show(answer)
    return f"{show(answer)}; gradient of h: {show(of_h)}, of values: {show(of_values)}"


def _weighted(outcome):
    h, row, _ = outcome.arguments
    return (
        f"  with weights 1 to {h.numel()} for the elements of the answer:\n  h[{row}] is not in it, so moving h[{row}] "
        f"changes nothing; values has the weights {numbers(_weights(h)[row])}"
    )


def _draw(outcome, difference):
    """The learner's graph, walked with the weights, and in red where it goes wrong: the answer, h, or values."""
    h, _, values = made = outcome.case.make()
    answer = outcome.answer
    result = answer(*made)
    names = {"h": h, "values": values}
    if h._version == 0 and not h.is_leaf:
        names["leaf"] = h.grad_fn.next_functions[0][0].variable  # one operation made h of it
    if difference.where.startswith("the answer") or not result.requires_grad:
        words = "✗ no history" if difference.where.startswith("the gradient") else "✗ other numbers"
        return draw_wrong_node(result, names, result, words, _weights(h) if result.requires_grad else None, answer)
    if h._version:
        return draw_wrong_node(result, names, h, "✗ was written to", _weights(h), answer)
    name = "h" if "of h" in difference.where else "values"
    words = f"✗ no way back to {name}" if difference.yours == "None" else "✗ expected other ones"
    return draw_wrong_node(result, names, names[name], words, _weights(h), answer)


def _wrote_into_h(outcome):
    h = outcome.arguments[0]
    is_refused = h.is_leaf and outcome.error is not None and "leaf Variable" in str(outcome.error)
    return is_refused or h._version > 0 or outcome.changed == 0


def _are_equal_rows_replaced(outcome):
    if not isinstance(outcome.value, tuple):
        return False
    wrong = (replaced_equal_rows(*outcome.case.make()), compared_elements(*outcome.case.make()))
    differs = compare(replace_row(*outcome.case.make()), outcome.value[0]) is not None
    return differs and any(compare(one, outcome.value[0]) is None for one in wrong)


def _is_the_row(outcome):
    is_tuple = isinstance(outcome.value, tuple)
    return is_tuple and compare(outcome.arguments[2], outcome.value[0]) is None


def _is_masked(outcome):
    """Whether the answer is right but where h has no number in the replaced row."""
    h, row, _ = outcome.arguments
    if not isinstance(outcome.value, tuple) or not isinstance(outcome.value[0], mg.Tensor):
        return False
    found, lost = outcome.value[0], ~mg.isfinite(h[row].detach())
    if found.shape != h.shape or not lost.any():
        return False
    right = replace_row(*outcome.case.make()).detach()
    right[row][lost] = float("nan")
    return compare(right, found) is None


# ---------------------------------------------------------------- wrong answers


def wrote_into_h(h, row, values):
    """h itself was written to. Write into h.clone(), and leave h as it is."""
    h[row] = values
    return h


def wrote_into_a_detached_h(h, row, values):
    result = h.detach()
    result[row] = values
    return result


def wrote_the_copys_data(h, row, values):
    """The write was not recorded, as through .data or inside no_grad(): the numbers are new and the gradients those of
    the old row.
    """
    result = h.clone()
    result.data[row] = values.detach()
    return result


def copied_without_history(h, row, values):
    """h was cut off: detach(), tolist() or .data keeps its gradient from going back. Take h.clone()."""
    result = h.detach().clone()
    result[row] = values
    return result


def numbers_of_values(h, row, values):
    """values was cut off: detach(), tolist() or .data on it keeps its gradient from going back."""
    result = h.clone()
    result[row] = mg.tensor(values.tolist())
    return result


def recorded_nothing(h, row, values):
    """Both were cut off, or everything happened inside no_grad(): the answer has no history."""
    with mg.no_grad():
        result = h.clone()
        result[row] = values
    return result


def returned_an_unchanged_copy(h, row, values):
    """A copy was changed, but h was returned, or the row of a copy of the row: nothing is replaced in the answer."""
    result = h.clone()
    changed = result[row].clone()
    changed[:] = values
    return result


def added_to_the_row(h, row, values):
    """values was added to the row. It takes the row's place: =, not +=."""
    result = h.clone()
    result[row] += values
    return result


def began_with_zeros(h, row, values):
    """The other rows are gone: the answer was begun with zeros instead of a copy of h, h.clone()."""
    result = mg.zeros_like(h)
    result[row] = values
    return result


def replaced_every_row(h, row, values):
    """Every row was replaced. result[row] = values writes to one of them."""
    result = h.clone()
    result[:] = values
    return result


def replaced_the_first_row(h, row, values):
    """The first row was replaced. row says which one."""
    return mg.cat([values.unsqueeze(0), h[1:]])


def counted_from_the_front_only(h, row, values):
    """A row may be counted from the end, too, as everywhere in Python: h[-1] is the last one."""
    return mg.stack([values if place == row else h[place] for place in range(len(h))])


def cut_at_a_negative_row(h, row, values):
    return mg.cat([h[:row], values.unsqueeze(0), h[row + 1 :]])


def replaced_equal_rows(h, row, values):
    """Every row that holds the same numbers was replaced. row is a place, and says which one is meant."""
    return mg.stack([values if line.tolist() == h[row].tolist() else line for line in h])


def compared_elements(h, row, values):
    return mg.where(h == h[row], values, h)


def masked_by_multiplication(h, row, values):
    """The old row was multiplied by 0, and that does not make everything 0: inf * 0 and nan * 0 are nan. Write over the
    row, or choose with mg.where().
    """
    mask = mg.zeros(h.shape)
    mask[row] = 1.0
    return h * (1 - mask) + values * mask


def returned_the_row(h, row, values):
    """This is the row alone. The whole tensor is asked for, with the row in it."""
    result = h.clone()
    result[row] = values
    return result[row]


def replaced_a_column(h, row, values):
    """A column was replaced. h[row] is the row."""
    result = h.clone()
    result[:, row] = values
    return result


EXERCISE = Exercise(
    title="a tensor like h, in which h[row] is replaced by values; gradients go to both",
    stars=2,
    minutes=7,
    reference=replace_row,
    cases=(
        _table("h = leaf.exp(), leaf of shape [3, 2]", lambda leaf: leaf.exp(), 1, [7.0, 8.0]),
        _table("h = leaf * 2", lambda leaf: leaf * 2, 0, [0.0, -1.0]),
        _table("h = leaf", lambda leaf: leaf, 2, [1.0, 1.0]),
        _table("h = leaf * 2", lambda leaf: leaf * 2, -1, [7.0, 8.0]),
        _table(
            "h = leaf * 2, leaf of shape [2, 3]",
            lambda leaf: leaf * 2,
            -2,
            [7.0, 8.0, 9.0],
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        ),
        _table(
            "h = leaf * 2, with two equal rows in leaf",
            lambda leaf: leaf * 2,
            0,
            [0.5, -1.0],
            [[1.0, 2.0], [1.0, 2.0], [5.0, 6.0]],
        ),
        _table(
            "h = leaf.log(), which is -inf in the row",
            lambda leaf: leaf.log(),
            1,
            [0.5, -1.0],
            [[1.0, 2.0], [0.0, 4.0], [5.0, 6.0]],
        ),
    ),
    drawn=_drawn,
    hints=(
        "h must stay as it is: exp has saved it. Write into something else that has the same numbers.",
        "clone() is an operation like any other: it is recorded, and gradients go back through it. So is a write.",
        "result = h.clone(), then result[row] = values, then return result.",
    ),
    observe=_with_gradients,
    compare=_compare_replaced,
    show=_show_replaced,
    evidence=_weighted,
    picture=_draw,
    mistakes=(
        Mistake(wrote_into_h, wrote_into_a_detached_h, when=_wrote_into_h),
        wrote_the_copys_data,
        copied_without_history,
        numbers_of_values,
        recorded_nothing,
        returned_an_unchanged_copy,
        added_to_the_row,
        began_with_zeros,
        replaced_every_row,
        replaced_the_first_row,
        Mistake(counted_from_the_front_only, cut_at_a_negative_row),
        Mistake(replaced_equal_rows, compared_elements, when=_are_equal_rows_replaced),
        Mistake(masked_by_multiplication, when=_is_masked),
        Mistake(returned_the_row, when=_is_the_row),
        replaced_a_column,
    ),
)

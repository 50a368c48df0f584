"""Chapter 05, exercise: another tensor with one row replaced, and gradients that know of it."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, draw_wrong_node, raised, show


def replace_row(h, row, values):
    """A tensor like h, with one row replaced."""
    result = h.clone()
    result[row] = values
    return result


def _table(words, make_h, row, values):
    def make():
        leaf = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
        return make_h(leaf), row, mg.tensor(values, requires_grad=True)

    return Case(f"{words}, row = {row}, values = {values}", make)


def _with_gradients(value, arguments):
    """What is compared: the answer, and the gradients of h and values for weights 1, 2, 3 and so on."""
    h, _, values = arguments
    if not isinstance(value, mg.Tensor) or not value.requires_grad or value.shape != h.shape:
        return (value, None, None)
    found = grad(value, (h, values), _weights(), retain_graph=True, allow_unused=True)
    return (value, *found)


def _weights():
    return mg.arange(1.0, 7.0).reshape(3, 2)


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
    _, row, _ = outcome.arguments
    return (
        f"  with weights 1 to 6 for the elements of the answer:\n  h[{row}] is not in it, so moving h[{row}] changes "
        f"nothing; values has the weights [{2 * row + 1}, {2 * row + 2}]"
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
        return draw_wrong_node(result, names, result, words, _weights() if result.requires_grad else None, answer)
    if h._version:
        return draw_wrong_node(result, names, h, "✗ was written to", _weights(), answer)
    name = "h" if "of h" in difference.where else "values"
    words = f"✗ no way back to {name}" if difference.yours == "None" else "✗ expected other ones"
    return draw_wrong_node(result, names, names[name], words, _weights(), answer)


def _wrote_into_h(outcome):
    if outcome.error is not None:
        text = str(outcome.error)
        return "leaf Variable" in text or "modified by an inplace" in text
    return outcome.changed == 0


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
    """The write through .data was not recorded: the numbers are new and the gradients those of the old row."""
    result = h.clone()
    result.data[row] = values.detach()
    return result


def copied_without_history(h, row, values):
    """h was cut off: detach() keeps its gradient from going back. Take h.clone()."""
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
    ),
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
        Mistake(
            returned_the_row,
            when=lambda outcome: isinstance(outcome.value, tuple) and getattr(outcome.value[0], "ndim", 2) == 1,
        ),
        Mistake(replaced_a_column, when=raised("must match the existing size")),
    ),
)

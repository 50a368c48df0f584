"""Chapter 05, exercise: another tensor with one row replaced, and gradients that know of it."""

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, compare, draw_wrong_node, edited, gradients_of, numbers, observer
from minigrad.teach.draws import draw_numbers, formula, pick

from .chapter04 import leaves


def replace_row(h, row, values):
    """A tensor like h, with one row replaced."""
    result = h.clone()
    result[row] = values
    return result


NUMBERS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@cases(
    "h = {h}{numbers}, row = {row}, values = {values}{dtype}",
    numbers=", leaf = {numbers}",
    dtype=", in double precision",
)
def _table(h, row, values, numbers=NUMBERS, dtype=mg.float32):
    leaf = mg.tensor(numbers, dtype=dtype, requires_grad=True)
    return formula(h, "leaf")(leaf), row, mg.tensor(values, dtype=dtype, requires_grad=True)


def _drawn(random):
    """A table with rows of equal numbers in it; the row counts from either end."""
    rows, columns = pick(random, [(3, 2), (4, 3), (2, 2)])
    numbers, values = (draw_numbers(random, shape, unit=0.5, most=2) for shape in ((rows, columns), columns))
    numbers[-1] = numbers[0]
    laid_out_by_columns = "(leaf * 2).transpose(0, 1).contiguous().transpose(0, 1)"
    h = pick(random, ["leaf.exp()", "leaf * 2", "leaf", "leaf.tanh().flip(0)", laid_out_by_columns])
    yield _table(h, int(random.integers(-rows, rows)), values, numbers)


@observer
def _with_gradients(answer, h, row, values):
    """The answer, and the gradients for weights 1, 2, 3 and so on.

    The walk goes on to the leaf behind h, so that whoever saved h looks whether it is as it was.
    """
    (leaf,) = leaves(h) or [h]
    result = answer(h, row, values)
    tensors = {"h": h, "values": values, "the leaf behind h": leaf}
    return {"the answer": result, **gradients_of(result, tensors, _weights(h))}


def _weights(h):
    return mg.arange(1.0, h.numel() + 1, dtype=h.dtype).reshape(h.shape)


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
    return is_refused or h._version > 0 or ("numbers", "h") in outcome.left


def _is_masked(outcome):
    """Whether the answer is right but where h has no number in the replaced row."""
    h, row, _ = outcome.arguments
    found, lost = outcome.seen.get("the answer"), ~mg.isfinite(h[row].detach())
    if not isinstance(found, mg.Tensor) or found.shape != h.shape or not lost.any():
        return False
    right = replace_row(*outcome.case.make()).detach()
    right[row][lost] = float("nan")
    return compare(right, found) is None


def _is_new_leaf(outcome):
    """Whether the numbers are right, in a leaf of its own that wants a gradient."""
    found, right = outcome.seen.get("the answer"), outcome.right["the answer"]
    if not isinstance(found, mg.Tensor) or any(found is one for one in outcome.arguments):
        return False
    return found.requires_grad and found.is_leaf and compare(right, found) is None


# ---------------------------------------------------------------- wrong answers


def recorded_nothing(h, row, values):
    """Both were cut off, or everything happened inside no_grad(): the answer has no history."""
    with mg.no_grad():
        result = h.clone()
        result[row] = values
    return result


def made_a_new_leaf(h, row, values):
    """The answer is a new leaf, as mg.tensor(..., requires_grad=True) and requires_grad_() make one: it gets a gradient
    of its own and sends none on, neither to h nor to values. What leads to both is operations on them: h.clone(), and
    a write.
    """
    rows = h.tolist()
    rows[row] = values.tolist()
    return mg.tensor(rows, dtype=h.dtype, requires_grad=True)


def replaced_the_first_row(h, row, values):
    """The first row was replaced. row says which one."""
    return mg.cat([values.unsqueeze(0), h[1:]])


def counted_from_the_front_only(h, row, values):
    """A row may be counted from the end, too, as everywhere in Python: h[-1] is the last one."""
    return mg.stack([values if place == row else h[place] for place in range(len(h))])


def replaced_equal_rows(h, row, values):
    """Every row that holds the same numbers was replaced. row is a place, and says which one is meant."""
    return mg.stack([values if line.tolist() == h[row].tolist() else line for line in h])


def compared_elements(h, row, values):
    return mg.where(h == h[row], values, h)


def masked_by_multiplication(h, row, values):
    """The old row is still in the answer, times 0 or taken away from itself, and that does not make everything 0:
    inf * 0 and nan * 0 are nan, and so is inf - inf. Write over the row, or choose with mg.where().
    """
    mask = mg.zeros(h.shape)
    mask[row] = 1.0
    return h * (1 - mask) + values * mask


def masked_and_added(h, row, values):
    """values went into the other rows as well, times 0, and inf * 0 is nan: what is not to be there must not be
    multiplied, but left out, as with result[row] = values or mg.where().
    """
    mask = mg.zeros(len(h), 1, dtype=mg.bool)
    mask[row] = True
    return h.masked_fill(mask, 0) + mask.to(h.dtype) * values


def appended(h, row, values):
    """The new row stands at the end. It takes the place of h[row], and the others stay where they are."""
    return mg.stack([*(h[place] for place in range(len(h)) if place != row % len(h)), values])


def replaced_in_new_zeros(h, row, values):
    result = mg.zeros(h.shape)
    result[:] = h
    result[row] = values
    return result


# ---------------------------------------------------------------- tried as well


def replaced_where_equal(h, row, values):
    return mg.where((h == h[row]).reshape(len(h), -1).min(1)[0].reshape(-1, *[1] * (h.ndim - 1)), values, h)


def replaced_with_a_mask_of_numbers(h, row, values):
    mask = mg.zeros(h.shape)
    mask[row] = 1
    return h + mask * (values - h)


def replaced_and_put_back(h, row, values):
    """h has its numbers again, but its count says that it was written to."""
    old = h.detach()[row].clone()
    h.detach()[row] = values.detach()
    result = h.clone()
    h.detach()[row] = old
    result[row] = values
    return result


def replaced_in_two_dimensions(h, row, values):
    """Replaces the first two elements of the row."""
    result = h.clone()
    result[row, :2] = values[:2]
    return result


def replaced_and_scaled(h, row, values):
    """The rest of h comes from detach(): its gradient is missing."""
    result = h.detach().clone()
    result[row] = values
    return result + 0 * h


def replaced_where_a_column_of_bools_is(h, row, values):
    """For tables alone, which is what is asked for."""
    is_row = mg.zeros(len(h), 1, dtype=mg.bool)
    is_row[row] = True
    return mg.where(is_row, values, h)


def replaced_by_scattering(h, row, values):
    places = mg.full((1, h.shape[1]), row % len(h), dtype=mg.int64)
    return h.scatter(0, places, values.unsqueeze(0))


def replaced_where_the_place_is(h, row, values):
    places = mg.arange(len(h)).reshape(-1, *[1] * values.ndim)
    return mg.where(places == row % len(h), values, h)


def replaced_by_unbinding(h, row, values):
    rows = list(h.unbind())
    rows[row] = values
    return mg.stack(rows)


def replaced_between_right_slices(h, row, values):
    row = range(len(h))[row]
    return mg.cat((h[:row], values.unsqueeze(0), h[row + 1 :]), 0)


def replaced_by_a_copy(h, row, values):
    result = mg.empty_like(h)
    result.copy_(h)
    result[row].copy_(values)
    return result


def chosen_by_a_mask(h, row, values):
    mask = mg.zeros(h.shape, dtype=mg.bool)
    mask[row] = True
    return mg.where(mask, values, h)


EXERCISE = Exercise(
    title="a tensor like h, in which h[row] is replaced by values; gradients go to both",
    stars=2,
    minutes=7,
    reference=replace_row,
    cases=(
        _table("leaf.exp()", 1, [7.0, 8.0]),
        _table("leaf * 2", 0, [0.0, -1.0]),
        _table("leaf", 2, [1.0, 1.0]),
        _table("leaf * 2", -1, [7.0, 8.0]),
        _table("leaf * 2", -2, [7.0, 8.0, 9.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        _table("leaf * 2", 0, [0.5, -1.0], [[1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]),
        _table("leaf.log()", 1, [0.5, -1.0], [[1.0, 2.0], [0.0, 4.0], [5.0, 6.0]]),
        _table("leaf / 3", 1, [0.1, -0.7], dtype=mg.float64),
        _table("leaf * 2", 1, [6.0, 8.0]),  # as it is already
        _table("leaf * 2", 0, [float("inf"), -1.0]),
    ),
    drawn=_drawn,
    hints=(
        "h must stay as it is: exp has saved it. Write into something else that has the same numbers.",
        "clone() is an operation like any other: it is recorded, and gradients go back through it. So is a write.",
        "result = h.clone(), then result[row] = values, then return result.",
    ),
    plug=_with_gradients,
    evidence=_weighted,
    picture=_draw,
    mistakes=(
        Mistake(
            edited(replace_row, "result = h.clone()\n    result", "h", "return result", "return h"),
            edited(replace_row, "clone", "detach"),
            edited(replace_row, "h.clone()", "h[:]"),
            words="h itself was written to. Write into h.clone(), and leave h as it is: a view, as h[:] is, "
            "has the same memory.",
            when=_wrote_into_h,
        ),
        Mistake(
            edited(replace_row, "result[row] = values", "result.data[row] = values.detach()"),
            words="The write was not recorded, as through .data or inside no_grad(): the numbers are new and the "
            "gradients those of the old row.",
        ),
        Mistake(
            edited(replace_row, "clone", "detach().clone"),
            words="h was cut off, as by detach(), tolist(), .data or no_grad(): its gradient does not go back. Take "
            "h.clone(), recorded.",
        ),
        Mistake(
            edited(replace_row, "result[row] = values", "result[row] = mg.tensor(values.tolist())"),
            words="values was cut off, as by detach(), tolist() or .data on it: its gradient does not go back.",
        ),
        recorded_nothing,
        Mistake(made_a_new_leaf, when=_is_new_leaf),
        Mistake(
            edited(replace_row, "result[row]", "changed = result[row].clone()\n    changed[:]"),
            words="Nothing is replaced in the answer, as where another copy was changed than the one returned, or a "
            "copy of its row: result[row] = values, then return result.",
        ),
        Mistake(
            edited(replace_row, "result[row] = values", "result[row] += values"),
            words="values was added to the row. It takes the row's place: =, not +=.",
        ),
        Mistake(
            edited(replace_row, "h.clone()", "mg.zeros_like(h)"),
            words="The other rows are gone, as where the answer is begun with zeros instead of a copy of h, h.clone().",
        ),
        Mistake(
            edited(replace_row, "result[row]", "result[:]"),
            words="Every row was replaced. result[row] = values writes to one of them.",
        ),
        replaced_the_first_row,
        Mistake(
            counted_from_the_front_only,
            lambda h, row, values: mg.cat([h[:row], values.unsqueeze(0), h[row + 1 :]]),
            near=True,
        ),
        Mistake(replaced_equal_rows, compared_elements, near=True),
        Mistake(masked_by_multiplication, when=_is_masked),
        masked_and_added,
        Mistake(appended, edited(appended, "row % len(h)", "row")),
        Mistake(
            lambda h, row, values: h if mg.equal(h[row], values) else replace_row(h, row, values),
            words="Where the row holds the numbers of values already, the old row stays: then values gets no "
            "gradient, and h one for the row that is to be replaced. Replace it there, too.",
        ),
        Mistake(
            edited(replace_row, "return result", "return result[row]"),
            words="This is the row alone. The whole tensor is asked for, with the row in it.",
            near=True,
        ),
        Mistake(
            replaced_in_new_zeros,
            words="The answer is float32, and h is float64: mg.zeros(h.shape) and float() give float32, whatever h "
            "is. h.clone() is like h in all.",
        ),
        Mistake(edited(replace_row, "[row", "[:, row"), words="A column was replaced. h[row] is the row."),
    ),
    right=(
        replaced_where_the_place_is,
        replaced_by_unbinding,
        replaced_between_right_slices,
        replaced_by_a_copy,
        replaced_where_a_column_of_bools_is,
        replaced_by_scattering,
        edited(counted_from_the_front_only, "else", "% len(h) else"),
        chosen_by_a_mask,
    ),
    wrong={
        "Every row that holds the same numbers was replaced": [replaced_where_equal],
        "inf * 0 and nan * 0 are nan": [replaced_with_a_mask_of_numbers],
        "are nan, and so is inf - inf": [edited(replace_row, "= values", "+= values - h[row]")],
        "counted from the end": [
            lambda h, row, values: mg.cat([h[:row], values[None], h[row + 1 :]]),
            edited(replaced_where_the_place_is, "row % len(h)", "row"),
            lambda h, row, values: h + (mg.arange(len(h)) == row).unsqueeze(1) * (values - h),
        ],
        "neither to h nor to values": [
            edited(made_a_new_leaf, "dtype=h.dtype, ", ""),
            edited(
                replace_row,
                "result = h",
                "with mg.no_grad():\n        result = h",
                "result[row]",
                "result.detach()[row]",
                "return result",
                "return result.requires_grad_()",
            ),
        ],
        "h itself was written to": [replaced_and_put_back],
        "values was cut off": [edited(replace_row, "result[row] = values", "result[row] = values.detach()")],
        "": [replaced_in_two_dimensions, replaced_and_scaled],
        "or inside no_grad()": [edited(replace_row, "result[row]", "with mg.no_grad():\n        result[row]")],
        "h was cut off, as by detach(), tolist(), .data or no_grad()": [
            edited(replace_row, "h.clone()", "mg.tensor(h.tolist())"),
            edited(replace_row, "result =", "with mg.no_grad():\n        result ="),
        ],
        "Nothing is replaced in the answer": [edited(replace_row, "result[row] = values\n    ", "")],
        "mg.zeros(h.shape) and float() give": [edited(replace_row, "h.clone()", "h.float().clone()")],
        "already, the old row stays": [
            edited(replace_row, "result[row]", "if mg.equal(h[row], values):\n        return result\n    result[row]")
        ],
    },
)

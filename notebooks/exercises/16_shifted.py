"""Exercise `shifted`: what a model is given at each place, and what follows there."""

import string

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, edited, observer, raised, saw

from .chapter16 import shifted


@observer
def _with_dtypes(answer, names):
    rows = answer(names)
    kinds = (
        [str(getattr(one, "dtype", None)).removeprefix("minigrad.") for one in rows] if isinstance(rows, tuple) else []
    )
    return {"the answer": rows, "the dtypes": ", ".join(kinds)}


@cases("names = {names}")
def _case(names):
    return (list(names),)


def _drawn(random):
    """Up to four names of up to six letters, of which one may have none."""
    for count in (1, 4):
        lengths = random.integers(0, 7, count)
        yield _case(["".join(random.choice([*string.ascii_lowercase], length)) for length in lengths])


def _has_no_start(mine, right):
    """Whether the inputs are what the targets should be, as far as these are letters."""
    inputs = mine[0] if isinstance(mine, tuple) and mine else None
    if not isinstance(inputs, mg.Tensor) or inputs.shape != right[1].shape:
        return False
    is_letter = right[1].numpy() > 0
    return bool(is_letter.any()) and np.array_equal(inputs.numpy()[is_letter], right[1].numpy()[is_letter])


def _has_filling_in_inputs(mine, right):
    inputs = mine[0] if isinstance(mine, tuple) and mine else None
    return isinstance(inputs, mg.Tensor) and (inputs == -100).any().item()


# ---------------------------------------------------------------- wrong answers


def one_alphabet_of_all(names):
    """The numbers come from the letters that occur in these names, so the same letter has another number with other
    names. a is 1 and z is 26, whatever the names are.
    """
    alphabet = "·" + "".join(sorted(set("".join(names))))
    length = max(map(len, names)) + 1
    inputs, targets = mg.zeros(len(names), length, dtype=mg.long), mg.full((len(names), length), -100)
    for row, name in enumerate(names):
        numbers = [alphabet.index(letter) for letter in name]
        inputs[row, : len(name) + 1] = mg.tensor([0, *numbers])
        targets[row, : len(name) + 1] = mg.tensor([*numbers, 0])
    return inputs, targets


def rolled(names):
    """Where nothing follows any more the target is not 0 but -100: else each short name would teach, once for every
    place that is filled up, that the mark follows the mark.
    """
    inputs, _ = shifted(names)
    return inputs, mg.cat([inputs[:, 1:], inputs[:, :1]], 1)


def as_lists(names):
    inputs, targets = shifted(names)
    return inputs.tolist(), targets.tolist()


# ---------------------------------------------------------------- tried as well


def shifted_in_numpy(names):
    length = max(len(name) for name in names) + 1
    whole = np.full((len(names), length + 1), -100)
    for row, name in zip(whole, names, strict=True):
        row[: len(name) + 2] = [0, *(string.ascii_lowercase.index(letter) + 1 for letter in name), 0]
    return mg.from_numpy(whole[:, :-1].clip(0)), mg.from_numpy(whole[:, 1:].copy())


def shifted_row_by_row(names):
    length = max(map(len, names)) + 1
    rows = [list(map(ord, name)) for name in names]
    given = [mg.tensor([0] + [code - 96 for code in row] + [0] * (length - 1 - len(row))) for row in rows]
    wanted = [mg.tensor([code - 96 for code in row] + [0] + [-100] * (length - 1 - len(row))) for row in rows]
    return mg.stack(given), mg.stack(wanted)


def shifted_to_twelve(names):
    inputs, targets = shifted([*names, "x" * 11])
    return inputs[:-1], targets[:-1]


def shifted_in_order(names):
    names.sort(key=len)
    return shifted(names)


def shifted_and_remembered(names, rows=[]):  # noqa: B006 (the mistake)
    rows += names
    inputs, targets = shifted(rows)
    return inputs[-len(names) :], targets[-len(names) :]


NUMBERS = "mg.tensor([*numbers, 0])"
_given_out = {}


def shifted_once(names):
    if (key := tuple(names)) not in _given_out:
        _given_out[key] = shifted(names)
    return _given_out[key]


EXERCISE = Exercise(
    title="two tensors of whole numbers, in a tuple: what is given at each place of each name, and what follows there",
    stars=1,
    minutes=8,
    reference=shifted,
    plug=_with_dtypes,
    notes={"the dtypes": "The numbers are right, and not their dtype: whole numbers are int64 here, which is mg.long."},
    cases=(
        _case(["ely"]),
        _case(["deal", "rye"]),
        _case(["a", "", "bath"]),
        _case(["zeal", "aaaa", "zz", "zeal"]),
        _case(["huddersfield"]),
        _case([""]),
    ),
    drawn=_drawn,
    hints=(
        "Write the name with a mark in front and a mark behind: ·ely·. Which part of it are the inputs, and which part "
        "are the targets?",
        "The inputs are all but the last, 0 5 12 25, and the targets all but the first, 5 12 25 0. Both are one longer "
        "than the name.",
        "Make mg.zeros(..., dtype=mg.long) and mg.full((...), -100), and write into each row its first len(name) + 1 "
        "numbers. ord(letter) - ord('a') + 1 is the number of a letter.",
    ),
    mistakes=(
        Mistake(
            edited(shifted, NUMBERS, "mg.tensor([0, *numbers])"),
            words="The target of each place is its own input. A model would have to repeat what it is given, and would "
            "learn just that: the target is the letter that follows.",
        ),
        Mistake(
            edited(shifted, "return inputs, targets", "return targets, inputs"),
            words="Inputs and targets have changed places: each letter has the one before it as its target. First "
            "comes what is given, then what follows.",
        ),
        Mistake(
            edited(
                shifted,
                "inputs[row, : len(name) + 1]",
                "inputs[row, -1 - len(name) :]",
                "targets[row, : len(name) + 1]",
                "targets[row, -1 - len(name) :]",
            ),
            words="The rows are filled up in front of the names. A row begins with the mark and the first letter, and "
            "what is filled up stands behind.",
        ),
        Mistake(
            edited(shifted, "-100", "0"),
            rolled,
            words=rolled.__doc__,
        ),
        Mistake(
            edited(
                shifted,
                "targets[row, : len(name) + 1] = mg.tensor([*numbers, 0])",
                "targets[row, : len(name)] = mg.tensor(numbers, dtype=mg.long)",
            ),
            words="The end of a name is no target: behind the last letter follows the mark, 0. A model that never "
            "learns it never ends a name.",
        ),
        Mistake(
            edited(shifted, NUMBERS, "mg.tensor([*numbers, -100])", "    return", "    targets[:, -1] = 0\n    return"),
            words="The mark stands at the end of the row. It is what follows the last letter, at place len(name); "
            "behind it all is -100.",
        ),
        Mistake(
            edited(shifted, "        numbers =", "        if not name:\n            continue\n        numbers ="),
            words="A name without letters was passed over. What follows its first mark is the second one: its targets "
            "are 0, and then -100.",
        ),
        Mistake(
            edited(shifted, '- ord("a") + 1', '- ord("a")'),
            words="a has the number 0, which is the mark's. Letters begin with 1: ord(letter) - ord('a') + 1.",
        ),
        Mistake(
            edited(shifted, "names)) + 1", "names)) + 2"),
            words="There is one place too many: with the mark in front the longest name has len(name) + 1 places.",
        ),
        Mistake(
            edited(shifted, "names)) + 1", "names))"),
            words="The numbers do not fit their places, as where the rows are one place too short. With the mark a "
            "name has len(name) + 1 numbers, and they go to the first len(name) + 1 places of its row.",
            when=raised("expanded size"),
        ),
        Mistake(
            edited(shifted, "mg.zeros(len(names), length, dtype=mg.long)", "mg.full((len(names), length), -100)"),
            words="There is -100 in the inputs, for which a table of 27 has no row. They are filled up with 0; what "
            "stands there is never asked for.",
            when=saw("the answer", _has_filling_in_inputs),
        ),
        Mistake(
            edited(shifted, "[0, *numbers]", "[*numbers, 0]"),
            words="The inputs begin with the first letter. In front of it stands the mark, 0: from that the model has "
            "to tell how names begin.",
            when=saw("the answer", _has_no_start),
        ),
        one_alphabet_of_all,
        Mistake(
            edited(shifted, ", dtype=mg.long", ""),
            words="The inputs are floats. Numbers of rows in a table are whole numbers: dtype=mg.long.",
        ),
        Mistake(as_lists, words="These are lists. Two tensors are asked for: mg.tensor(...) makes one of a list."),
    ),
    right=(shifted_in_numpy, shifted_row_by_row, edited(shifted, 'ord("a")', "97")),
    wrong={
        "The numbers do not fit their places": [edited(shifted, "targets[row, : len(name) + 1]", "targets[row]")],
        "The shape is": [shifted_to_twelve],
        "gave out the same": [shifted_once],
        "The shape is [1, 13]": [shifted_and_remembered],
        "names = ['zeal', 'aaaa', 'zz', 'zeal']": [lambda names: shifted(list(dict.fromkeys(names)))],
        "names has other items than before": [shifted_in_order],
        "2 values are asked for, in a tuple": [
            edited(shifted, "return inputs, targets", "return mg.stack([inputs, targets])")
        ],
        "a tuple is asked for, and this is a list": [edited(shifted, "inputs, targets\n", "[inputs, targets]\n")],
        "leave out .numpy()": [lambda names: tuple(one.numpy() for one in shifted(names))],
        "The numbers are right, and not their dtype": [lambda names: tuple(one.int() for one in shifted(names))],
        "the dtype of": [lambda names: tuple(one.float() for one in shifted(names))],
    },
)

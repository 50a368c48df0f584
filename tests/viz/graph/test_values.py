"""How numbers, small tensors and large ones are written."""

import base64
import hashlib
import json
import math
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import values


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (40.0, "40"),
        (-7, "-7"),
        (1 / 3, "0.3333"),
        (2 / 3 * 100, "66.67"),
        (12345.678, "12346"),
        (123456.0, "123456"),
        (1e6, "1e6"),
        (1234567.0, "1.235e6"),
        (0.00012345, "1.234e-4"),
        (1e-30, "1e-30"),
        (True, "True"),
        (np.float32(0.1), "0.1"),
        (float("nan"), "NaN"),
        (float("inf"), "Inf"),
        (float("-inf"), "-Inf"),
    ],
)
def test_a_number_has_four_significant_digits(value: Any, text: str) -> None:
    assert values.number(value) == text


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_a_written_number_is_close_to_the_number(value: float) -> None:
    written = float(values.number(value))
    assert math.isclose(written, value, rel_tol=1e-3, abs_tol=0)


def test_small_values_in_full_and_large_ones_in_outline() -> None:
    assert values.describe(np.float64(3)).text == "3"
    assert values.describe(np.array([[1, 2], [3, 4]])).text == "[[1, 2], [3, 4]]"
    assert values.describe(np.zeros((0, 3))).text == "(0, 3)"
    large = values.describe(np.arange(12.0).reshape(3, 4))
    assert (large.text, large.statistics) == ("[3, 4]", ("0", "5.5", "11"))
    assert large.full == "[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]"
    assert values.describe(np.zeros((64, 10))).full == "[64, 10]"


def test_rounding_left_over_from_a_sum_is_called_zero() -> None:
    assert values.describe(np.array([1.0, -1.0, 1e-9, 0, 0, 0])).statistics == ("-1", "0", "1")


def test_nan_and_infinity_are_counted() -> None:
    assert values.describe(np.array([1.0, np.nan])).alarm == "1 NaN"
    large = np.zeros(100)
    large[:3], large[5] = np.nan, np.inf
    assert values.describe(large).alarm == "3 NaN and 1 Inf"
    assert values.describe(np.float64("nan")).alarm == "NaN"
    assert values.describe(np.arange(5)).alarm == ""


def pixels(address: str) -> np.ndarray[Any, Any]:
    """The palette indices of a heat map; every checksum in the file is checked."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, position = {}, 8
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind, content = data[position + 4 : position + 8], data[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", data, position + 8 + length)[0] == zlib.crc32(kind + content)
        chunks[kind], position = content, position + 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    return np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]


def test_a_heat_map_is_symmetric_around_zero_and_shows_nan() -> None:
    assert pixels(values.heat_map(np.array([-2.0, -1, 0, 1, 2]))).tolist() == [[0, 4, 8, 12, 16]]
    assert pixels(values.heat_map(np.array([[0.0, np.nan], [np.inf, 1]]))).tolist() == [[8, 17], [18, 16]]
    assert pixels(values.heat_map(np.ones((64, 100)))).shape == (values.MAP_ROWS, values.MAP_COLUMNS)
    assert pixels(values.heat_map(np.zeros((2, 3, 5)))).shape == (6, 5)
    assert not pixels(values.heat_map(np.zeros((2, 5)))).tolist()[0][0] - 8


def test_the_map_of_a_change_is_blue_where_it_became_less_and_white_where_nothing_changed() -> None:
    before, after = np.array([1.0, 1, np.nan, np.inf, 0]), np.array([0.0, 2, np.nan, np.inf, np.nan])
    assert pixels(values.difference(before, after)[1]).tolist() == [[0, 16, 8, 8, 17]]
    for one, other in (
        (np.ones(9), np.ones(9)),
        (np.ones(4), np.zeros(4)),
        (None, np.ones(9)),
        (np.ones(9), np.ones(8)),
    ):
        assert values.difference(one, other)[1] == ""


def test_where_nothing_is_finite_there_are_no_statistics() -> None:
    assert values.describe(np.full(100, np.nan)).statistics is None
    assert values.describe(np.array([np.nan] * 99 + [2.0])).statistics == ("2", "2", "2")


def test_a_heat_map_has_the_same_bytes_everywhere() -> None:
    digest = hashlib.sha256(values.heat_map(np.arange(640.0).reshape(64, 10) - 300).encode()).hexdigest()
    assert digest[:16] == "b4a19b4d9232388f"


def test_what_is_read_only_is_gone_over_once() -> None:
    gone_over: list[int] = []

    @values.once_for_read_only
    def total(array: Any) -> float:
        gone_over.append(1)
        return float(array.sum())

    kept = values.read_only_copy(np.ones(3))
    assert (total(kept), total(kept), len(gone_over)) == (3, 3, 1)
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 5
    own = np.ones(3)
    assert total(own) == 3
    own[0] = 5
    assert total(own) == 7
    assert [total(values.read_only_copy(np.full(3, k))) for k in range(100)] == [
        3 * k for k in range(100)
    ]  # at one place


def test_a_step_goes_over_a_large_gradient_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the norm of what came and its extremes, and for the norm of what goes on; not anew for each of them."""
    reductions: list[int] = []
    reals = values._reals
    monkeypatch.setattr(values, "_reals", lambda array: reductions.append(np.size(array)) or reals(array))
    loss = (mg.ones(100, 100, requires_grad=True) * 2).exp().sum()
    stepper = viz.BackwardStepper(loss)
    for _ in range(2):
        stepper.next()
    reductions.clear()
    stepper.next()
    assert stepper.frame.op == "MulBackward0"
    json.dumps(stepper.frame.to_json(stepper.frames[-2]))
    assert 0 < len(reductions) <= 3

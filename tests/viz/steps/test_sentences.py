"""The sentences of the steps: each is true as arithmetic, or in words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from viz.cells import cell

import minigrad as mg
from minigrad import viz
from minigrad.viz.graph import rules
from minigrad.viz.graph.values import number_in_sentence


def sentences(root: Any, **arguments: Any) -> dict[str, str]:
    """Name of the box -> the sentence of its step and what it comes to in numbers, without the name of the op."""
    stepper = viz.BackwardStepper(root, **arguments)
    stepper.last()
    told = {frame.name: frame.sentence for frame in stepper.frames}
    leaves = {box.name for box in stepper.session.graph.boxes if box.kind == "leaf"}
    return {name: text if name in {"", *leaves} else text.partition(": ")[2] for name, text in told.items()}


# ---------------------------------------------------------------- names


def test_a_sentence_says_which_of_the_results_of_a_node_gets_something() -> None:
    x = mg.tensor([[0.0, 1.0]], requires_grad=True)
    mu, lv = x.chunk(2, dim=1)
    t0 = lv.exp()
    told = sentences((t0 + mu * lv).sum(), names={"x": x, "mu": mu, "lv": lv, "t0": t0})
    assert (
        told["t0"] == "lv gets g × t0, and that is added to what came from t1. "
        "lv: 1 × 2.718 = 2.718; so far 0 + 2.718 = 2.718"
    )
    assert told["t1"] == "mu gets g × lv, lv gets g × mu. mu: 1 × 1 = 1; lv: 1 × 0 = 0"


def test_results_without_names_are_told_by_their_places() -> None:
    x = mg.tensor([[0.0, 1.0]], requires_grad=True)
    told = sentences(x.chunk(2, dim=1)[1].exp().sum(), names={"x": x})
    assert told["t1"] == "t0[1] gets g × t1. t0[1]: 1 × 2.718 = 2.718"


def test_only_what_came_for_the_same_result_is_said_to_be_there_before() -> None:
    a, b = mg.tensor([1.0, 2.0], requires_grad=True).chunk(2)
    first, second, third = a * 3, b * 4, a * 5
    total = first + second + third
    told = sentences(total.sum(), names={"a": a, "b": b, "first": first, "second": second, "third": third})
    assert told["second"] == "b gets g × 4. b: 1 × 4 = 4"
    assert told["first"] == ("a gets g × 3, and that is added to what came from third. a: 1 × 3 = 3; so far 5 + 3 = 8")


def test_a_tensor_has_one_name_in_a_sentence() -> None:
    alpha = mg.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        alpha = alpha * 2
    L = mg.logsumexp(alpha, dim=0)
    told = sentences(L, names={"alpha": alpha, "L": L})
    assert told["L"] == "alpha₂ gets g × exp(alpha₂ - L). alpha₂: 1 × exp([4, 8] - 8.01815) = [0.01799, 0.982]"


def test_a_name_with_a_comma_stands_whole_in_a_formula() -> None:
    x = mg.tensor([3.0, 4.0], requires_grad=True)
    y = x * mg.ones(1, 2)
    told = sentences(y.sum(), names={"x": x, "y": y})
    assert told["y"] == (
        "x gets g × mg.ones(1, 2), summed from (1×2) to (2) as x was broadcast. "
        "x: [[1, 1]] × [[1, 1]] = [[1, 1]], summed: [1, 1]"
    )


# ---------------------------------------------------------------- numbers, not shapes, make numbers


def test_what_is_added_to_what_was_there_is_no_sum_of_shapes() -> None:
    h = mg.ones(8, requires_grad=True)
    first, second = h * 2, h * 3
    total = first + second
    told = sentences(total.sum(), names={"h": h, "first": first, "second": second})
    assert told["first"] == (
        "h gets g × 2, and that is added to what came from second. h: [2, 2, 2, 2, 2, 2, 2, 2]; "
        "2 of 2 parts have come, together [5, 5, 5, 5, 5, 5, 5, 5]"
    )
    again = sentences((h * 1).sum(), names={"h": h})
    assert again["h"] == (
        "h gets its gradient from t0 = h * 1. "
        "h.grad held a gradient, and the one that came is added to it: [6, 6, 6, 6, 6, 6, 6, 6]"
    )


def test_a_product_of_shapes_is_a_shape() -> None:
    x, w = mg.ones(1, 5), mg.ones(5, 1, requires_grad=True)
    h = mg.ones(1, 1, requires_grad=True)
    made, wide = x @ w, h @ mg.ones(1, 5)
    told = sentences(made.sum(), names={"x": x, "w": w, "made": made})
    assert told["made"] == "w gets xᵀ @ g. w: (5×1) @ (1×1) → (5×1): [[1], [1], [1], [1], [1]]"
    told = sentences(wide.sum(), names={"h": h, "wide": wide})
    assert told["wide"].endswith(". h: (1×5) @ (5×1) → (1×1): 5")


def test_a_matrix_of_one_number_stands_in_brackets_in_a_product_of_matrices() -> None:
    low, up = mg.ones(2, 1, requires_grad=True), mg.tensor([[3.0], [4.0]], requires_grad=True)
    told = sentences((mg.tensor([[5.0, 6.0]]) @ low @ up.T).sum(), names={"low": low, "up": up})
    assert told["t2"].endswith("t0: [[1, 1]] @ [[3], [4]] = [[7]]; t1: [[11]] @ [[1, 1]] = [[11, 11]]"), told["t2"]


def test_what_is_transposed_twice_is_what_it_was() -> None:
    w, A = mg.ones(1, 2, requires_grad=True), mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    turned = A.T
    for names in ({"w": w, "A": A}, {"w": w, "A.T": turned}):
        told = sentences((w @ turned).sum(), names=names)["t0"]
        assert told == "w gets g @ A. w: [[1, 1]] @ [[1, 2], [3, 4]] = [[4, 6]]"


def test_a_large_sum_over_what_was_broadcast_is_no_shape_in_the_place_of_its_value() -> None:
    b = mg.ones(16, requires_grad=True)
    y = mg.ones(2, 16, requires_grad=True) + b
    assert sentences(y.sum(), names={"b": b, "y": y})["y"].endswith(
        "b gets g, summed from (2×16) to (16) as b was broadcast. t0: (2×16), norm 5.657; b: (16), norm 8"
    )


# ---------------------------------------------------------------- numbers as the code has them


def test_a_number_for_which_there_is_no_room_is_no_norm() -> None:
    q = mg.tensor([0.23, 1.71, -0.61], requires_grad=True)
    low = q.min()
    scaled = (q * 1.37 - low) / (q.max() - low)
    told = sentences(scaled.logsumexp(0), names={"q": q, "low": low, "scaled": scaled})["scaled"]
    assert told.endswith("; t3: -0.3648"), told
    assert "norm" not in told


@pytest.mark.parametrize("factor", [1.0005, 0.99999, 1.23456, 0.00012345])
def test_a_number_of_the_code_is_not_rounded_away(factor: float) -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = x * factor
    text = number_in_sentence(factor)
    assert float(text) == factor
    assert sentences(y, names={"x": x, "y": y})["y"] == f"x gets g × {text}. x: 1 × {text} = {text}"
    y = x / factor
    assert sentences(y, names={"x": x, "y": y})["y"].startswith(f"x gets g / {text}. x: 1 / {text} = ")


def test_an_exponent_and_what_is_taken_from_it_stand_as_in_the_code() -> None:
    x = mg.tensor(1.0, requires_grad=True)
    y = x**1.23456
    told = sentences(y, names={"x": x, "y": y})["y"]
    assert told == "x gets g × 1.23456·x ** 0.23456. x: 1 × 1.23456·1 ** 0.23456 = 1.23456"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x * 3.14159265", "g × 3.14159265. x: 1 × 3.14159265 = 3.142"),
        ("x * -3.14159265", "-g × 3.14159265. x: -1 × 3.14159265 = -3.142"),
        ("x / 299792458.0", "g / 299792458.0. x: 1 / 299792458.0 = 3.336e-9"),  # in float32 it is 299792448
        ("x ** 1.23456789", "g × 1.23456789·x ** 0.2345679. x: 1 × 1.23456789·1.5 ** 0.2345679 = 1.358"),
        ("x * (1 / 3)", "g × 0.3333. x: 1 × 0.3333 = 0.3333"),  # no number of the code
    ],
)
def test_a_number_of_many_digits_stands_as_in_the_code(code: str, told: str) -> None:
    s = cell(f"x = mg.tensor(1.5, requires_grad=True)\ny = {code}\ns = viz.BackwardStepper(y)\n")["s"]
    s.next()
    assert s.frame.sentence.partition(": ")[2] == f"x gets {told}"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("x.softmax(1)", "y × (g - sum(g × y)) with each sum along dim 1"),
        ("x.log_softmax(0)", "g - exp(y) × sum(g) with each sum along dim 0"),
        ("x.logsumexp(1)", "g × exp(x - y) with g and y repeated along dim 1"),
        ("x.logsumexp(1, keepdim=True)", "g × exp(x - y). "),  # which is what numpy computes
        ("x.std(1)", "g × (x - mean(x)) / (2·y) with each mean along dim 1, g and y repeated along it"),
        ("x.std()", "g × (x - mean(x)) / (5·y). "),
        ("x[0].softmax(0)", "y × (g - sum(g × y)). "),
    ],
)
def test_what_goes_along_a_dimension_is_said(made: str, told: str) -> None:
    x = "[[1.0, 2.0, 4.0], [3.0, 1.0, 0.5]]"
    s = cell(f"x = mg.tensor({x}, requires_grad=True)\ny = {made}\ns = viz.BackwardStepper((y * y).sum())\n")["s"]
    s.run_to("y")
    s.next()
    text = next(frame.sentence for frame in s.frames if frame.name == "y")
    assert told in text.replace("t0 gets", "x gets")


def test_the_softmax_of_attention_says_its_dimension_too() -> None:
    x = mg.tensor([[[1.0, 2.0], [3.0, 1.0]]], requires_grad=True)
    s = viz.BackwardStepper(mg.nn.functional.scaled_dot_product_attention(x, x, x).sum())
    s.last()
    softmax = next(frame for frame in s.frames if frame.story[0].text.startswith("softmax"))
    assert "× (g - sum(g × " in softmax.story[0].text
    assert "with each sum along dim 2" in softmax.story[0].text


def test_a_value_of_few_digits_is_written_with_all_of_them() -> None:
    x = mg.tensor(1.23456, requires_grad=True)
    y = x**2
    assert sentences(y, names={"x": x, "y": y})["y"] == "x gets g × 2·x. x: 1 × 2·1.23456 = 2.46912"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(1) / 3, "0.3333"),
        (np.float32(0.1) * np.float32(3), "0.3"),  # 0.3 but for rounding
        (np.float32(0.99999) ** 2, "0.99998"),  # not 1
        (np.float64(np.float32(0.12345)), "0.12345"),
        (1 / 3, "0.3333"),
        (1.00049996 - 1, "4.9996e-4"),
        (np.float32(-1e-5), "-1e-5"),
        (123456.7, "123457"),
        (np.float16(0.1), "0.1"),
        (2, "2"),
        (float("nan"), "NaN"),
        (np.complex64(0.5 - 2j), "0.5-2j"),
    ],
)
def test_a_number_in_a_sentence(value: Any, text: str) -> None:
    assert number_in_sentence(value) == text


# ---------------------------------------------------------------- the gradient and a variable of its name


def test_a_variable_called_g_is_not_the_gradient() -> None:
    g = mg.tensor([3.0, 4.0], requires_grad=True)
    n = g.norm()
    stepper = viz.BackwardStepper(n, names={"g": g, "n": n})
    frame = stepper.next()
    assert frame is not None
    assert frame.sentence == "vector_norm: g gets grad × g / n. g: 1 × [3, 4] / 5 = [0.6, 0.8]"
    assert frame.story[2].text.startswith("LinalgVectorNormBackward0 made n. It received grad = ∂n/∂n = 1")
    assert frame.story[3].text.startswith("self: norm_gradient(grad, self")


def test_one_of_several_results_that_is_called_g_is_not_the_gradient() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    f, g = x.chunk(2)
    y = f + g
    assert sentences(y, names={"f": f, "g": g, "y": y})["y"] == "f and g each get grad. f and g: 1"
    grad = mg.tensor([2.0], requires_grad=True)
    y = grad * g
    told = sentences(y, names={"f": f, "grad": grad, "g": g, "y": y})
    assert told["y"] == "grad gets grad1 × g, g gets grad1 × grad. grad and g: 1 × 2 = 2"


def test_a_part_of_an_object_that_is_called_g_leaves_the_gradient_its_name() -> None:
    weight = mg.tensor(2.0, requires_grad=True)
    y = weight * 3
    told = sentences(y, names={"net.g": weight, "y": y})
    assert told["y"] == "net.g gets g × 3. net.g: 1 × 3 = 3"


def test_what_is_told_in_words_does_not_call_the_gradient_by_the_name_of_a_variable() -> None:
    g = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = g * 2
    y[0] = 5.0
    told = sentences(y.sum(), names={"g": g})
    assert any(" gets grad, with 0 in the part that was written. " in text for text in told.values())


@pytest.mark.parametrize("name", ["j", "J", "inf", "nan", "infinity"])
def test_a_variable_whose_name_could_be_a_number_is_called_by_it(name: str) -> None:
    factor = mg.tensor(2.0, requires_grad=True)
    y = factor * factor * 3
    assert f"{name} gets g × {name} twice. {name}: 3 × 2 = 6" in sentences(y, names={name: factor})["t0"]
    values, places = mg.tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True).max(dim=1)
    told = sentences(values.sum(), names={"values": values, name: places})
    assert told["values"].endswith("gets g at the places that the values came from, 0 elsewhere. t0: [[1, 0], [0, 1]]")


SENT = "what the operation that wrote sends back"
WRITES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "a[0] = k": (
        lambda a, k: a.__setitem__(0, k),
        "with 0 in the part that was written; k gets the part of g that was written. {a}: [0, 7]; k: 2",
    ),
    "a[0] = 7.0": (lambda a, k: a.__setitem__(0, 7.0), "with 0 in the part that was written. {a}: [0, 7]"),
    "a[0].zero_()": (lambda a, k: a[0].zero_(), "with 0 in the part that was written. {a}: [0, 7]"),
    "a[0].mul_(k)": (
        lambda a, k: a[0].mul_(k),
        f"with {SENT} in the part that was written; k gets {SENT}. {{a}}: [10, 7]; k: 6",
    ),
    "a[1:].exp_()": (lambda a, k: a[1:].exp_(), f"with {SENT} in the part that was written. {{a}}: [2, 51.72]"),
}


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@pytest.mark.parametrize("code", WRITES)
def test_a_write_to_a_part_says_only_what_is_so(library: str, code: str) -> None:
    lib = pytest.importorskip(library)
    h, k = lib.tensor([3.0, 2.0], requires_grad=True), lib.tensor(5.0, requires_grad=True)
    a = h * 1
    write, words = WRITES[code]
    write(a, k)
    told = sentences((a * lib.tensor([2.0, 7.0])).sum(), names={"h": h, "k": k, "a": a})
    assert any(text.endswith(words.format(a=name)) for text in told.values() for name in ("a₁", "t0")), told


def test_inputs_that_get_the_same_are_told_together() -> None:
    tensors = {f"a{k}": mg.tensor([1.0, 2.0], requires_grad=True) for k in range(12)}
    few = dict(list(tensors.items())[:3])
    assert sentences(mg.stack([*few.values()]).sum(), names=few)["t0"] == (
        "a0, a1 and a2 each get their own slice of g. a0, a1 and a2: [1, 1]"
    )
    told = sentences(mg.stack([*tensors.values()]).sum(), names=tensors)["t0"]
    many = "a0, a1, a2, a3, a4, a5, a6, a7 and 4 more"
    assert told == f"{many} each get their own slice of g. {many}: [1, 1]"
    weights = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    apart = sentences((mg.stack([*few.values()]) * weights).sum(), names=few)["t0"]
    slices = ("a0", "[1, 2]"), ("a1", "[3, 4]"), ("a2", "[5, 6]")
    numbers = "; ".join(f"{name}: {piece}" for name, piece in slices)
    assert apart == f"a0, a1 and a2 each get their own slice of g. {numbers}"


# ---------------------------------------------------------------- in words


class Batches(mg.nn.Module):
    """A layer whose weight has a long name."""

    def __init__(self) -> None:
        super().__init__()
        self.a_name_that_is_long_enough_for_two = mg.nn.BatchNorm1d(2)

    def forward(self, x: mg.Tensor) -> mg.Tensor:
        return self.a_name_that_is_long_enough_for_two(x)


def test_a_layer_that_normalizes_is_told_however_long_its_names_are() -> None:
    network = Batches()
    x = mg.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    y = network(x)
    told = sentences(y.square().sum(), names={"network": network, "x": x, "y": y})["y"]
    assert told.startswith(
        "x gets (ĝ - mean(ĝ) - x̂ × mean(ĝ × x̂)) / σ, ĝ being g × network.a_name_that_is_long_enough_for_two.weight, "
        "x̂ being the normalized x, σ its deviation, and each mean over what was normalized together; "
    )


def test_a_rule_that_is_no_formula_is_told_as_what_it_is() -> None:
    written = rules.explain(None, "self", {}, {"self": "height", "result": "area"}).formula
    assert (written.text, written.in_words) == ("g times the derivative of area with respect to height", True)


def test_places_are_told_by_what_happened_there() -> None:
    x, source = mg.zeros(3, requires_grad=True), mg.ones(2, requires_grad=True)
    y = x.scatter(0, mg.tensor([2, 0]), source)
    told = sentences(y.sum(), names={"x": x, "source": source, "y": y})["y"]
    assert told == (
        "x gets g, with 0 at the places that were written; "
        "source gets g at the places that were written. x: [0, 1, 0]; source: [1, 1]"
    )
    w = mg.ones(2, 1, requires_grad=True)
    rows = mg.nn.functional.embedding(mg.tensor([0, 1, 1]), w, padding_idx=1)
    told = sentences(rows.sum(), names={"w": w, "rows": rows})["rows"]
    assert told == (
        "w gets the rows of g added up at the rows that were looked up, 0 elsewhere and in row 1, which is padding. "
        "w: [[1], [0]]"
    )
    y = x[mg.tensor([1, 1])]
    told = sentences(y.sum(), names={"x": x, "y": y})["y"]
    assert told == "x gets g added up at the places that were picked, 0 elsewhere. x: [0, 2, 0]"


# ---------------------------------------------------------------- programs with much in them

# A program -> name of a result or leaf -> what its step says, and what that comes to; "…" stands for the rest.
PROGRAMS: dict[str, dict[str, str]] = {
    "r = (x * x).sqrt()\nlo, hi = r.split(1)\ny = lo * 3 - hi": {
        "y": "t1 gets g, hi gets -g. t1: 1; hi: -1",
        "lo, hi": "r gets the gradients of the pieces, joined again. r: [3, -1]",
        "t0": "x gets g × x twice. x: [0.5, -0.25] × [3, 2] = [1.5, -0.5]; "
        "x: [0.5, -0.25] × [3, 2] = [1.5, -0.5]; 2 of 2 parts have come, together [1.5, -0.5] + [1.5, -0.5] = [3, -1]",
        "x": "x gets its gradient from t0 = x * x. x.grad becomes [3, -1]",
    },
    "g = x * 1\ne = g * w\ni = e / g\ny = i.sum()": {
        "i": "e gets grad / g, g gets -grad × e / g². e: [1, 1] / [3, 2] = [0.3333, 0.5]; "
        "g: -[1, 1] × [15, 14] / [3, 2]² = [-1.667, -3.5]",
        "w": "w gets its gradient from e = g * w. w.grad becomes [1, 1]",
    },
    "h = x * 1\nh *= w\nh *= 2\ny = h.sum()": {
        "h₃": "h₂ gets g × 2. h₂: [1, 1] × 2 = [2, 2]",
        "h₂": "h₁ gets g × w, w gets g × h₁. h₁: [2, 2] × [5, 7] = [10, 14]; w: [2, 2] × [3, 2] = [6, 4]",
    },
    "y = x.cumsum(0).sum()": {"t0": "x gets g summed from each place to the end. x: [2, 1]"},
    "h = w * 1\nh[mg.tensor([1])] = x[:1]\ny = h.sum()": {
        "h": "h₁ gets g, with 0 at the places that were written; t1 gets g at the places that were written. "
        "h₁: [1, 0]; t1: 1",
    },
    "h = w * 1\nh[mg.tensor([0, 1])] = x.sum()\ny = h.sum()": {
        "h": "h₁ gets g, with 0 at the places that were written; t0 gets g at the places that were written summed. "
        "h₁: [0, 0]; t0: 2",
    },
    "y = w.scatter_add(0, mg.tensor([1, 1]), x).sum()": {
        "t0": "w gets g, x gets g at the places that were written. w and x: [1, 1]"
    },
    "y = mg.where(w > 5, x, w).sum()": {
        "t0": "x gets g where the condition is true, 0 elsewhere; w gets 0 where the condition is true, g elsewhere. "
        "x: [0, 1]; w: [1, 0]",
    },
    'y = mg.einsum("i,i->", x, w)': {
        "y": "…",
        "x": "x gets its gradient from t0 = view(x). x.grad becomes [5, 7]",
    },
    "y = x.norm(p=1) + x.norm()": {
        "t0": "x gets g × sign(x), and that is added to what came from t1. x: 1 × sign([3, 2]) = [1, 1]; "
        "2 of 2 parts have come, together [0.8321, 0.5547] + [1, 1] = [1.832, 1.555]",
    },
    "a, b = x[0] - 1, x[1]\ny = mg.maximum(a, b)": {"y": "a and b each get g / 2, because a = b. a and b: 1 / 2 = 0.5"},
    "a, b = x[0], x[1]\ny = mg.maximum(a, b) * mg.minimum(a, b)": {
        "t0": "a gets g, because a > b; b gets 0, because a > b; each is added to what came from t1. "
        "a: 2; 2 of 2 parts have come, together 0 + 2 = 2; b: 2 of 2 parts have come, together 3 + 0 = 3",
    },
    "y = (x * 0).amax()": {
        "y": "t0 gets g in equal parts to the elements of t0 that were taken, 0 elsewhere. t0: [0.5, 0.5]"
    },
    "h = w.repeat(2, 1)\ny = F.batch_norm(h, None, None, training=True).sum()": {
        "t0": "h gets (g - mean(g) - x̂ × mean(g × x̂)) / σ, x̂ being the normalized h, σ its deviation, and each"
        " mean over what was normalized together. h: [[0, 0], [0, 0]]",
    },
    "y = Scale.apply(x, 3.0, mg.tensor([1.0, 0.0]), w).sum()": {
        "t0": "x gets g × 3·mask, w gets None. x: [1, 1] × 3·[1, 0] = [3, 0]",
        "x": "x gets its gradient from t0. x.grad becomes [3, 0]",
    },
    "y = Twice.apply(x, w).sum()": {"t0": "x gets what Twice.backward returns, w gets None. x: [2, 2]"},
    "y = (x * w).sum() + (x - w).sum() + x.exp().sum()": {
        "t2": "x gets g, and that is added to what came from t5; w gets -g. …",
        "t0": "x gets g × w, and that is added to what came from t5 and t2; w gets g × x, and that is added to … t2. …",
    },
    "y = x.sum() + x.prod() + x.mean() + x.std()": {"x": "x gets its gradient from 4 uses of it. x.grad becomes …"},
    "y = (x[:, None] @ w[None]).sum()": {
        "t2": "t0 gets g @ t1ᵀ, t1 gets t0ᵀ @ g. t0: [[1, 1], [1, 1]] @ [[5], [7]] = [[12], [12]]; "
        "t1: [[3, 2]] @ [[1, 1], [1, 1]] = [[5, 5]]",
    },
    "a, b = x.repeat(4)[None] / 3, w.repeat(4)[:, None] / 3\ny = (a @ b).sum()": {
        "t4": "a gets g @ bᵀ, b gets aᵀ @ g. a: (1×1) @ (1×8) → (1×8): [[1.667, 2.333, …]]; "
        "b: (8×1) @ (1×1) → (8×1), norm 2.404",
    },
}
START = """
F = mg.nn.functional
class Scale(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, mask, other):
        ctx.save_for_backward(mask)
        ctx.factor = factor
        return x * factor * mask
    @staticmethod
    def backward(ctx, grad):
        mask, = ctx.saved_tensors
        return grad * ctx.factor * mask, None, None, None
class Twice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, other):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            return None, None
        return grad * 2, None
x = mg.tensor([3.0, 2.0], requires_grad=True)
w = mg.tensor([5.0, 7.0], requires_grad=True)
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_said_of_a_program_is_so(program: str) -> None:
    s = cell(f"{START}{program}\ns = viz.BackwardStepper(y)\ns.last()\n")["s"]
    told = {frame.name: frame.sentence for frame in s.frames}
    told = {name: text if text.startswith(f"{name} gets") else text.partition(": ")[2] for name, text in told.items()}
    for name, expected in PROGRAMS[program].items():
        pattern = re.escape(expected).replace("…", ".*")
        assert re.fullmatch(pattern, told[name]), told[name]


LOSSES = "F = torch.nn.functional; t = torch.tensor([1, 0, 1]); "
TORCH_PROGRAMS: dict[str, dict[str, str]] = {
    "d = torch.autograd.grad(x.tanh(), x, w, create_graph=True)[0]\n    y = d.sum()": {
        "d": "w gets g × (1 - t0²), t0 gets -g × 2·w × t0. w: …; t0: …",
    },
    "d = torch.autograd.grad(x.sigmoid(), x, w, create_graph=True)[0]\n    y = d.sum()": {
        "d": "w gets g × t0 × (1 - t0), t0 gets g × w × (1 - 2·t0). w: …; t0: …",
    },
    "frozen = torch.nn.Linear(2, 3).requires_grad_(False)\n    y = frozen(x[None]).sum()": {
        "t1": "t0 gets g @ frozen.weight. t0: …",
    },
    "y = torch.cat([x, w]).var()": {"y": "t0 gets g × 2·(t0 - mean(t0)) / 3. t0: …"},
    "y = x.clamp_min(2.5).sum()": {"t0": "x gets g where x ≥ 2.5, 0 elsewhere. x: [1, 0]"},
    "y = torch.clamp_max(x, 2.5).sum()": {"t0": "x gets g where x ≤ 2.5, 0 elsewhere. x: [0, 1]"},
    f"{LOSSES}y = F.smooth_l1_loss(x, w, reduction='sum', beta=4)": {
        "y": "x gets g × clip((x - w) / 4, -1, 1); w gets g × clip((w - x) / 4, -1, 1). x: … = [-0.5, -1]; w: …",
    },
    f"{LOSSES}y = F.smooth_l1_loss(x, w.data)": {"y": "x gets g × clip(x - w, -1, 1) / 2. x: … = [-0.5, -0.5]"},
    f"{LOSSES}y = F.huber_loss(x, w, delta=3)": {
        "y": "x gets g × clip(x - w, -3, 3) / 2, w gets g × clip(w - x, -3, 3) / 2. x: … = [-1, -1.5]; w: …",
    },
    f"{LOSSES}y = F.nll_loss(x.expand(3, 2), t)": {"y": "t0 gets -g / 3 at each target, 0 elsewhere. t0: …"},
    f"{LOSSES}y = F.nll_loss(x.expand(3, 2), t, reduction='sum')": {
        "y": "t0 gets -g at each target, 0 elsewhere. t0: [[0, -1], [-1, 0], [0, -1]]",
    },
    f"{LOSSES}y = F.nll_loss(x.expand(3, 2), t, reduction='none').sum()": {
        "t1": "t0 gets -g at each target, 0 elsewhere. t0: [[0, -1], [-1, 0], [0, -1]]",
    },
    f"{LOSSES}y = F.nll_loss(x.expand(3, 2), t, torch.tensor([1.0, 3.0]))": {
        "y": "t0 gets -g × weight of the class (for a mean / sum of the weights) at each target, 0 elsewhere. t0: …",
    },
    f"{LOSSES}y = F.embedding(t, x[:, None]).sum()": {
        "t1": "t0 gets the rows of g added up at the rows that were looked up, 0 elsewhere. t0: [[1], [2]]",
    },
    f"{LOSSES}y = F.embedding(t, x[:, None], padding_idx=1).sum()": {
        "t1": "t0 gets the rows of g added up at the rows that were looked up, 0 elsewhere and in row 1, which is "
        "padding. t0: [[1], [0]]",
    },
    "y = x.index_add(0, torch.tensor([1, 1]), w).prod()": {
        "t0": "x gets g, w gets g at the places that it was added to (times alpha). x: …; w: …",
    },
    "y = x.amax()": {"y": "x gets g in equal parts to the elements of x that were taken, 0 elsewhere. x: [1, 0]"},
    "y = x[None].norm(dim=1).sum()": {"t1": "t0 gets g × t0 / t1 with t1 and g repeated along dim 1. t0: …"},
    "y = x.norm(p=1)": {"y": "x gets g × sign(x). x: 1 × sign([3, 2]) = [1, 1]"},
    "y = torch.nn.functional.batch_norm(w.repeat(2, 1), None, None, training=True).sum()": {
        "t1": "t0 gets (ĝ - mean(ĝ) - x̂ × mean(ĝ × x̂)) / σ, ĝ being g, times the weight if there is one, "
        "x̂ the normalized input, σ its deviation (in evaluation ĝ / σ). t0: …",
    },
    "y = checkpoint(lambda a: (a * a).sin(), x * 1, use_reentrant=True).sum()": {
        "t1": "t0 gets what CheckpointFunction.backward returns. t0: …",
    },
    "y = checkpoint(lambda a: a.sin(), x, use_reentrant=False).sum()": {
        "t0": "x gets what PyTorch's rule makes of g and of what a saved-tensors hook keeps for it …",
        "x": "x gets its gradient from t0 = a.sin(). x.grad becomes …",
    },
}


@pytest.mark.parametrize("program", TORCH_PROGRAMS)
def test_what_is_said_of_pytorchs_program_is_so(program: str) -> None:
    torch = pytest.importorskip("torch")
    begin = "x, w = (torch.tensor(k, requires_grad=True) for k in ([3.0, 2.0], [5.0, 7.0]))\n"
    code = f"{begin}with viz.watch():\n    {program}\ns = viz.BackwardStepper(y)\ns.last()\n"
    s = cell(code, torch=torch, checkpoint=torch.utils.checkpoint.checkpoint)["s"]
    told = {frame.name: frame.sentence for frame in s.frames}
    told = {name: text if text.startswith(f"{name} gets") else text.partition(": ")[2] for name, text in told.items()}
    for name, expected in TORCH_PROGRAMS[program].items():
        assert re.fullmatch(re.escape(expected).replace("…", ".*"), told[name]), told[name]


# ---------------------------------------------------------------- nothing


def test_what_is_empty_says_its_shape() -> None:
    x = mg.zeros(0, 3, requires_grad=True)
    y = x * 2
    stepper = viz.BackwardStepper(y.sum(), names={"x": x, "y": y})
    stepper.last()
    told = [frame.sentence for frame in stepper.frames[1:]]
    assert told == [
        "sum: y gets g for each of its 0 elements. y: (0, 3)",
        "mul: x gets g × 2. x: (0, 3)",
        "x gets its gradient from y = x * 2. x.grad becomes (0, 3)",
    ]
    box = stepper.session.graph.box_named("x")
    assert (box.value.text, box.value.python) == ("(0, 3)", "torch.tensor([]).reshape(0, 3)")
    assert sentences((x * 2).sum(), names={"x": x})["x"] == (
        "x gets its gradient from t0 = x * 2. x.grad held a gradient, and the one that came is added to it: (0, 3)"
    )


def test_a_grad_that_was_put_there_after_the_pass_ran_is_not_said_to_be_added_to() -> None:
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    stepper = viz.BackwardStepper((a * 3).sum(), names={"a": a})
    stepper.last()
    stepper.first()
    a.grad = mg.tensor([5.0, 5.0])
    stepper.look()
    told = [line.text for line in stepper.frame.story]
    assert told[1] == (
        "a.grad holds [5, 5] by now, which your code or another pass has put there; "
        "it was not there when this pass ran."
    )


# ---------------------------------------------------------------- the arithmetic of numbers

POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def calculated(text: str) -> float:
    """What one side of an equation between numbers comes to."""
    text = re.sub(
        "[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda power: "**" + power[0].translate(POWERS), text.replace("×", "*").replace("·", "*")
    )
    text = re.sub(r"√([\d.]+)", r"sqrt(\1)", text)
    return float(eval(text, {"__builtins__": {}, "sqrt": math.sqrt, "exp": math.exp, "cos": math.cos, "sin": math.sin}))


def scalar_program() -> mg.Tensor:
    """Each number is near 1, where rounding would hide most."""
    w, b = mg.tensor(0.99999, requires_grad=True), mg.tensor(1.23456, requires_grad=True)
    h = (w * 1.0005 + b / 0.99998).tanh()
    p = mg.sigmoid(h * w - b) * 1.00007
    return (p - 1.0005) ** 2 + (w * b).exp() * 0.99999 + (b.sqrt() - h.cos()) ** 3 / w + mg.log(b) * h.sin()


def test_equations_between_numbers_hold_to_the_digits_that_they_show() -> None:
    stepper = viz.BackwardStepper(scalar_program())
    stepper.last()
    checked = 0
    for item in (item for frame in stepper.frames for item in frame.contributions):
        for equation in [full for _, full, _ in item.numbers if " = " in full]:
            left, right = map(calculated, equation.split(" = "))
            assert math.isclose(left, right, rel_tol=1e-3, abs_tol=2e-3), equation
            checked += 1
    assert checked > 20

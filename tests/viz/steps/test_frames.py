"""What each step says, number by number against the engine."""

import itertools
import json
from typing import Any

import pytest
from viz.cells import EXAMPLE, cell, seen

import minigrad as mg
from minigrad import viz


def test_before_anything_ran(example: dict[str, Any]) -> None:
    (frame,) = example["s"].frames
    assert (frame.index, frame.total, frame.box, frame.marks) == (0, 6, None, ())
    assert set(frame.grads.values()) == {"None"}
    assert [turn.name for turn in frame.ready] == ["F"]
    assert frame.next is not None
    assert frame.next.name == "F"
    assert example["A"].grad is None
    assert "None, which is not the same as 0" in frame.spoken


def test_a_walk_that_was_given_its_gradient_does_not_call_it_a_slope() -> None:
    code = (
        "x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)\ny = x**2\n"
        "s = viz.BackwardStepper(y, gradient=mg.tensor([1.0, 0.0, 0.5]))\n"
    )
    (frame,) = cell(code)["s"].frames
    assert "y.backward() will start with the gradient that was given, [1, 0, 0.5]." in frame.spoken
    assert "∂" not in frame.spoken


def test_each_step_of_the_example(example: dict[str, Any]) -> None:
    stepper = example["s"]
    names = {box.id: box.name for box in stepper.session.graph.boxes}
    told = []
    while (frame := stepper.next()) is not None:
        sent = {item.name: (item.formula, item.numbers[0][1], item.joint) for item in frame.contributions}
        grads = {names[key]: text for key, text in frame.grads.items()}
        told.append(
            (frame.name, frame.op, frame.incoming, sent, frame.freed, grads["C"], grads["D"], grads["A"], grads["B"])
        )
    assert told == [
        ("F", "AddBackward0", "1", {"D": ("g", "1", ""), "E": ("g", "1", "")}, (), "None", "1", "None", "None"),
        (
            *("E", "MulBackward0", "1"),
            {"C": ("g × D", "1 × 4 = 4", ""), "D": ("g × C", "1 × 9 = 9", "1 + 9 = 10")},
            *(("C", "D"), "4", "10", "None", "None"),
        ),
        (
            "D",
            "PowBackward0",
            "10",
            {"B": ("g × 2·B", "10 × 2·2 = 40", "")},
            ("B",),
            "4",
            "10",
            "None",
            "None",
        ),
        ("B", "AccumulateGrad", "40", {}, (), "4", "10", "None", "40"),
        (
            "C",
            "PowBackward0",
            "4",
            {"A": ("g × 2·A", "4 × 2·3 = 24", "")},
            ("A",),
            "4",
            "10",
            "None",
            "40",
        ),
        ("A", "AccumulateGrad", "24", {}, (), "4", "10", "24", "40"),
    ]
    assert stepper.next() is None
    assert stepper.index == 6


@pytest.mark.parametrize(
    ("w", "told"),
    [
        ("2.0", ["4", "4 + 3 = 7"]),
        ("[2.0, 1.0, 0.5, 1.5, 3.0]", ["[5]", "[5]"]),
        ("[1.0, 2.0]", ["[4, 4]", "[7, 7]"]),
    ],
)
def test_what_has_come_for_a_leaf_is_told_before_it_is_its_grad(w: str, told: list[str]) -> None:
    code = f"w = mg.tensor({w}, requires_grad=True)\ny = w * 2\nz = w * 3\nv = w * 4\nloss = (y + z + v).sum()\n"
    stepper = cell(f"{code}s = viz.BackwardStepper(loss)\n")["s"]
    key = stepper.session.graph.box_named("w").id
    seen = []
    while (frame := stepper.next()) is not None:
        state = frame.states[key]
        if state.state == "waiting":
            seen.append((state.badge, frame.grads[key], json.loads(stepper.recorded[-1])["boxes"].get(key, {})))
    waits = [(badge, grad, box["grad"], box["word"], box["none"]) for badge, grad, box in seen if box]
    assert waits == [(f"{k} of 3", "None", text, "so far", True) for k, text in enumerate(told, 1)]
    assert stepper.frame.grads[key] != "None"
    assert stepper.frame.states[key].word == "grad"


@pytest.mark.parametrize(
    ("uses", "told"), [(4, "that is added to what came from t3, t2 and t1"), (6, "the 5 that came")]
)
def test_of_many_senders_the_number_is_told(uses: int, told: str) -> None:
    lines = "".join(f"t{k} = w * {k + 1}\n" for k in range(uses))
    total = " + ".join(f"t{k}" for k in range(uses))
    code = f"w = mg.tensor(2.0, requires_grad=True)\n{lines}loss = {total}\ns = viz.BackwardStepper(loss)\n"
    stepper = cell(code)["s"]
    stepper.last()
    assert any(told in frame.spoken for frame in stepper.frames)


def test_a_leaf_that_holds_a_grad_already_shows_that() -> None:
    code = "w = mg.tensor(2.0, requires_grad=True)\nw.grad = mg.tensor(5.0)\nloss = w * 3 + (w * 4).exp()\n"
    stepper = cell(f"{code}s = viz.BackwardStepper(loss)\n")["s"]
    key = stepper.session.graph.box_named("w").id
    states = [frame.states[key] for frame in iter(stepper.next, None)]
    assert [(one.grad_text, one.word) for one in states if one.badge == "1 of 2"] == [("5", "grad")]


def test_who_waits_for_whom(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.next()
    frame = stepper.frames[1]
    assert [(turn.name, turn.arrived, turn.needed) for turn in frame.waiting if turn.arrived] == [("D", 1, 2)]
    assert [turn.name for turn in frame.ready] == ["E"]
    assert frame.waiting[0].name == "D"  # for which most has arrived
    frame = stepper.next()
    assert [(turn.name, turn.arrived, turn.needed) for turn in frame.ready] == [("D", 2, 2), ("C", 1, 1)]
    assert [turn.name for turn in frame.done] == ["F", "E"]
    states = {box.name: (frame.states[box.id].state, frame.states[box.id].badge) for box in stepper.session.graph.boxes}
    assert states == {
        "A": ("idle", ""),
        "B": ("idle", ""),
        "C": ("ready", "ready"),
        "D": ("ready", "next ▸"),
        "E": ("ran", "just ran"),
        "F": ("done", "✓ done"),
    }
    assert dict(frame.edges) == {"e0": "idle", "e1": "idle", "e2": "now", "e3": "now", "e4": "done", "e5": "done"}
    assert dict(frame.chips) == {"e2": "1 × 4 = 4", "e3": "1 × 9 = 9"}


def test_the_next_to_run_is_the_one_that_runs(example: dict[str, Any]) -> None:
    example["s"].last()
    for before, after in itertools.pairwise(example["s"].frames):
        assert before.next is not None
        assert before.next.box == after.box


def test_the_line_of_each_node_is_lit(example: dict[str, Any]) -> None:
    example["s"].last()
    (source,) = example["s"].session.graph.listings
    text = dict(source.lines)
    lit = []
    for frame in example["s"].frames[1:]:
        ((_, line, start, end),) = frame.marks
        lit.append((line, text[line][start:end]))
    assert lit == [(6, "D + E"), (5, "C * D"), (4, "B ** 2"), (4, "B"), (3, "A ** 2"), (3, "A")]
    assert source.title == "your cell"


def test_columns_are_counted_in_characters() -> None:
    scope = cell("δέλτα = mg.tensor(2., requires_grad=True)\nσ = δέλτα * δέλτα\ns = viz.BackwardStepper(σ)\ns.next()\n")
    frame = scope["s"].frame
    assert frame.marks == ((0, 2, 4, 17),)
    assert seen(scope["s"].session.graph) == {"δέλτα": "leaf", "σ": "δέλτα * δέλτα"}


def test_trace_says_what_the_picture_says(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    trace = stepper.trace()
    for frame in stepper.frames:
        for line in frame.story:
            assert line.text in trace
        for chip in frame.chips.values():
            assert chip in trace
        assert [line.kind for line in frame.story].count("sentence") == 1
        assert frame.story[0].kind == "sentence"
        for turn in (*frame.ready, *frame.waiting):
            assert turn.text in trace
    assert "your line 5: E = C * D" in trace
    assert "D gets g × C, and that is added to what came from F.\n    C: 1 × 4 = 4\n    D: 1 × 9 = 9; 2 of 2" in trace
    assert "its saved tensors C and D are freed" in trace


def test_frames_cannot_be_changed(example: dict[str, Any]) -> None:
    frame = example["s"].frames[0]
    with pytest.raises(AttributeError):
        frame.index = 3
    with pytest.raises(TypeError):
        frame.states["n0"] = None


def test_the_pages_frames_add_up_to_pythons(example: dict[str, Any]) -> None:
    stepper = example["s"]
    stepper.last()
    boxes: dict[str, Any] = {}
    edges: dict[str, str] = {}
    for frame, told in zip(stepper.frames, map(json.loads, stepper.recorded), strict=True):
        boxes |= told["boxes"]
        edges |= told["edges"]
        assert edges == dict(frame.edges)
        assert {key: box["state"] for key, box in boxes.items()} == {
            key: state.state for key, state in frame.states.items()
        }
        assert [piece[1] for line in told["story"] for piece in line["pieces"]] == [
            text for line in frame.story for _, text in line.pieces
        ]


def test_a_gradient_from_before_is_added_to() -> None:
    scope = cell(EXAMPLE + "(A * 7).backward()\ns = viz.BackwardStepper(F)\n")
    stepper = scope["s"]
    assert "A.grad still holds 7 from before" in stepper.frames[0].spoken
    stepper.last()
    assert stepper.frames[-1].spoken.startswith("A gets its gradient from C = A ** 2. A.grad: 7 + 24 = 31.")
    assert "A.grad held 7 from before, and backward() adds" in stepper.trace()
    assert scope["A"].grad.tolist() == [31.0]
    stepper.first()
    assert scope["A"].grad.tolist() == [7.0]


def test_a_broadcast_input_is_said_to_be_summed() -> None:
    scope = cell(
        "w = mg.ones(4, 3, requires_grad=True)\nb = mg.ones(3, requires_grad=True)\n"
        "y = (w + b).sum()\ns = viz.BackwardStepper(y)\n"
    )
    stepper = scope["s"]
    stepper.run_to("t0")
    (item,) = [item for item in stepper.frame.contributions if item.name == "b"]
    assert item.summed == "summed from (4×3) to (3) as b was broadcast"
    assert stepper.frame.spoken == f"add: w gets g; b gets g, {item.summed}. w: (4×3), norm 3.464. b: [4, 4, 4]."
    stepper.last()
    assert scope["b"].grad.tolist() == [4.0, 4.0, 4.0]


def test_from_whom_gradients_came_that_meet_is_said_once_for_each() -> None:
    code = "x = mg.tensor(3., requires_grad=True)\ny = x * x + x * 2\nz = y + x * 5\ns = viz.BackwardStepper(z)\n"
    stepper = cell(code)["s"]
    stepper.last()
    told = [frame.sentence for frame in stepper.frames if frame.op == "MulBackward0"]
    assert told == [
        "mul: x gets g × 5. x: 1 × 5 = 5",
        "mul: x gets g × 2, and that is added to what came from t2. "
        "x: 1 × 2 = 2; 2 of 4 parts have come, together 5 + 2 = 7",
        "mul: x gets g × x twice, and that is added to what came from t2 and t1. "
        "x: 1 × 3 = 3; 3 of 4 parts have come, together 7 + 3 = 10; "
        "x: 1 × 3 = 3; 4 of 4 parts have come, together 10 + 3 = 13",
    ]


def test_a_number_that_was_broadcast_gets_one_number() -> None:
    stepper = cell(
        "w = mg.tensor(2., requires_grad=True)\nx = mg.tensor([1., 2.])\n" + "s = viz.BackwardStepper((w * x).sum())\n"
    )["s"]
    frame = stepper.run_to("t0")
    (item,) = frame.contributions
    assert item.summed == "summed as w was broadcast"
    assert item.numbers[0][1] == "[1, 1] × [1, 2] = [1, 2], summed: 1 + 2 = 3"
    assert frame.chips[item.edge] == "3"
    assert stepper.next().incoming == "3"


def test_large_tensors_are_told_by_shape() -> None:
    scope = cell(
        "x = mg.rand(64, 5)\nw = mg.rand(5, 10).requires_grad_()\ny = (x @ w).sum()\ns = viz.BackwardStepper(y)\n"
    )
    stepper = scope["s"]
    frame = stepper.run_to("t0")
    (item,) = frame.contributions
    assert item.value.heat.startswith("data:image/png;base64,")
    assert frame.spoken.startswith("matmul: w gets xᵀ @ g. w: (5×64) @ (64×10) → (5×10), norm ")
    assert "to w: [5, 10] (min " in stepper.trace()  # told to those who ask


def test_up_to_nine_elements_of_a_gradient_are_told_one_by_one() -> None:
    code = "x = mg.ones(9, requires_grad=True)\nz = mg.ones(10, requires_grad=True)\n"
    stepper = cell(code + "s = viz.BackwardStepper((x * 2).sum() + z.sum())\ns.last()\n")["s"]
    told = {frame.box: frame.spoken for frame in stepper.frames}
    nine, ten = (told[stepper.session.graph.box_named(name).id] for name in ("x", "z"))
    assert nine.startswith("x gets its gradient from t0 = x * 2. x.grad becomes [2, 2, 2, 2, 2, 2, 2, 2, 2].")
    assert ten.startswith("z gets its gradient from t2 = z.sum(). z.grad becomes (10), norm 3.162.")


def test_a_write_to_a_part_says_where_each_part_of_the_gradient_goes() -> None:
    code = (
        "x = mg.tensor([1., 2., 3.], requires_grad=True)\nv = mg.tensor(5., requires_grad=True)\ny = x * 2\ny[0] = v\n"
    )
    stepper = cell(code + "s = viz.BackwardStepper(y.sum())\ns.last()\n")["s"]
    (told,) = [frame.spoken for frame in stepper.frames if frame.op == "CopySlices"]
    assert told == (
        "copy_slices: y₁ gets g, with 0 in the part that was written; "
        "v gets the part of g that was written. y₁: [0, 1, 1]. v: 1."
    )


def test_nan_in_a_gradient_is_called_out() -> None:
    scope = cell("x = mg.tensor(0., requires_grad=True)\ny = x.sqrt() * 0.\ns = viz.BackwardStepper(y)\ns.last()\n")
    assert any("⚠ NaN in the gradient for x" in frame.spoken for frame in scope["s"].frames)
    assert json.loads(scope["s"].recorded[-1])["boxes"]["n0"]["grad"] == "⚠ NaN"


def test_what_is_not_finite_comes_to_the_page_by_its_name() -> None:
    scope = cell(
        "x = mg.tensor([0., 1.], requires_grad=True)\ny = (x * x).sqrt()\ns = viz.BackwardStepper(y.sum())\ns.last()\n"
    )
    norms = [size for text in scope["s"].recorded for size in json.loads(text)["norms"].values()]
    assert norms == [1.41, "Infinity", "NaN", "NaN"]


@pytest.mark.parametrize("rule", ["x ** 2", "x * x", "x.exp().relu()"])
def test_a_name_of_thousands_of_characters_leaves_room_for_what_is_said_of_it(rule: str) -> None:
    stepper = cell(
        f"x = mg.tensor(2.0, requires_grad=True)\ny = {rule}\n"
        "s = viz.BackwardStepper(y, names={'n' * 10_000: x, 'm' * 10_000: y})\n"
    )["s"]
    stepper.last()
    for frame in stepper.frames:
        (sentence,) = [line.text for line in frame.story if line.kind == "sentence"]
        assert len(sentence) < 450  # five names
        assert "m" * 30 in sentence or "n" * 30 in sentence or "relu" in sentence


def test_a_frame_is_one_line_in_a_cells_output(example: dict[str, Any]) -> None:
    names = {name: example[name] for name in "ABCDEF"}
    stepper = viz.BackwardStepper(example["F"], names=names, forward=True)
    assert repr(stepper.frame).startswith("forward -")
    stepper.run_to("F")
    assert repr(stepper.frame).startswith("step 1 of 6: add: ")
    assert (
        repr(stepper.first())
        != repr(stepper.last())
        == ("step 6 of 6: A gets its gradient from C = A ** 2. A.grad becomes 24")
    )
    assert repr(stepper.frames) == f"7 frames, the last {stepper.frame!r}"
    assert repr(stepper.frames[:1]).count("\n") == 0
    wide = {"x" * 300: example["A"]}
    assert all(len(repr(frame)) <= 100 for frame in viz.BackwardStepper(example["F"], names=wide).frames)


def test_the_trace_of_a_long_pass_grows_with_its_steps() -> None:
    def trace_of(steps: int) -> str:
        y = x = mg.tensor(0.5, requires_grad=True)
        for _ in range(steps):
            y = y * x
        stepper = viz.BackwardStepper(y)
        stepper.last()
        return stepper.trace()

    short, long = trace_of(60), trace_of(240)
    assert len(long) < 5 * len(short)
    assert long.count("\n  grad: ") == long.count("\n  next: ") == 242


def test_a_leaf_that_the_pass_goes_by_says_so() -> None:
    class First(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * 2 + y.detach()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2, None

    x, y = (mg.tensor(1.0, requires_grad=True) for _ in range(2))
    s = viz.BackwardStepper(First.apply(x, y), names={"x": x, "y": y})
    s.last()
    (key,) = (box.id for box in s.session.graph.boxes if box.name == "y")
    assert [(frame.states[key].state, frame.states[key].badge) for frame in s.frames] == [
        ("idle", ""),
        ("off", "none came"),
        ("off", "none came"),
    ]
    assert (y.grad, x.grad.item()) == (None, 2)


def test_a_leaf_to_which_nothing_was_sent_waits_for_nobody() -> None:
    code = """
class Kept(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, g):
        return g, None
x = mg.tensor(2.0, requires_grad=True)
y = mg.tensor(3.0, requires_grad=True)
s = viz.BackwardStepper(Kept.apply(x, y))
"""
    stepper = cell(code)["s"]
    before, *_, last = [stepper.frames[0], *iter(stepper.next, None)]
    assert [turn.name for turn in before.waiting] == ["x.grad", "y.grad"]
    assert (last.ready, last.waiting) == ((), ())

"""What holds of single exercises: what is shown beneath a card, what is drawn, and what a chapter does besides."""

from __future__ import annotations

import dataclasses
import functools
import linecache
import re
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

import nbformat
import numpy as np
import pytest
from minigrad.teach.exercises.chapter14 import STEPS, Tensor, beside, working
from teach.answers import name_of, not_implemented, said_in_a_line, tried, wrong

import minigrad as mg
from minigrad import nn, viz
from minigrad.teach import EXERCISES, check, progress_file
from minigrad.teach.card import Card
from minigrad.teach.exercises import chapter12_runs as runs
from minigrad.teach.exercises import chapter13, chapter14, chapter15, chapter16, museum

pytestmark = pytest.mark.usefixtures("in_this_process")

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

# ---------------------------------------------------------------- chapters 00 to 03


def order_of_the_last_meetings(root):
    order, todo = {}, [root.grad_fn]
    for node in todo:
        order.pop(node, None)
        order[node] = True
        todo += [following for following, _ in node.next_functions if following]
    return list(order)


def test_an_order_by_every_way_to_a_node_does_not_come_to_an_end() -> None:
    card = dataclasses.replace(EXERCISES["run_order"], seconds=0.5).check(order_of_the_last_meetings)
    assert "still running" in said_in_a_line(card)
    assert "40 times in a row" in said_in_a_line(card)


def middle_on_its_graph(w, x, target):
    activated = (w * x).tanh()
    return 2 * (activated.sum() - target) * (1 - activated**2)


def jacobian_on_its_graph(f, x):
    return mg.stack([mg.autograd.grad(element, x, create_graph=True)[0] for element in f(x)])


@pytest.mark.parametrize(
    ("name", "answer"),
    [("middle_gradient", middle_on_its_graph), ("jacobian", jacobian_on_its_graph)],
    ids=name_of,
)
def test_a_right_answer_that_hangs_on_its_graph_is_told_so(name: str, answer) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "good", card
    assert "the answer requires a gradient, and holds on to its graph" in said_in_a_line(card)
    assert "graph" not in said_in_a_line(getattr(check, name)(EXERCISES[name].reference))


def kind_by_freezing(tensor):
    if not tensor.requires_grad:
        return "data"
    try:
        tensor.requires_grad_(False)
    except RuntimeError:
        return "result"
    return "parameter"


def froze_and_popped(parameters, count):
    for _ in range(count):
        parameters.pop(0).requires_grad_(False)
    return parameters


def weights_cloned(numbers, scale):
    return EXERCISES["small_weights"].reference(numbers, scale).clone()


def middle_by_division(w, x, target):
    (of_w,) = mg.autograd.grad(((w * x).tanh().sum() - target) ** 2, w)
    return of_w / x


def leaves_cleared(root):
    found = EXERCISES["leaves_of"].reference(root)
    for leaf in found:
        leaf.grad = mg.zeros_like(leaf)
    return found


def pulls_retained(losses, h):
    if not h.is_leaf:
        h.retain_grad()
    return EXERCISES["pulls"].reference(losses, h)


def mask_turned(w, mask, loss, optimizer):
    EXERCISES["masked_step"].reference(w, mask, loss, optimizer)
    mask.copy_(~mask)


@pytest.mark.parametrize(
    ("name", "answer", "not_made"),
    [
        ("small_weights", weights_cloned, "the multiplication was recorded"),
        ("small_weights", tried("small_weights", "weights_by_name"), "after value.sum()"),  # another sum than yours
        ("middle_gradient", middle_by_division, "w.grad before"),
        ("leaves_of", leaves_cleared, "somebody walked"),
        ("pulls", pulls_retained, "backward() has"),
        ("masked_step", mask_turned, "first difference w where mask"),
        ("limited", wrong("limited", "limit_on_the_class"), "follow this one through your lines"),
        ("kind_of", kind_by_freezing, "hooks"),
        ("freeze_first", froze_and_popped, "holds other numbers"),
        ("descend", tried("descend", "descend_without_the_flag"), "has made a new tensor"),
        ("leaves_of", tried("leaves_of", "leaves_that_have_no_gradient"), "holds the same numbers"),
        ("by_hand", tried("by_hand", "hand_down_to_the_leaves"), "to be looked at"),
    ],
    ids=name_of,
)
def test_a_card_does_not_speak_of_a_mistake_that_was_not_made(name: str, answer, not_made: str) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "bad", card
    assert not_made not in said_in_a_line(card)


def ran(stepper) -> list[str]:
    """Who runs in a stepper, in that order."""
    stepper.last()
    return [frame.name for frame in stepper.frames[1:]]


def gradients_of(stepper) -> dict[str, str]:
    """What the boxes hold at the end."""
    last = stepper.trace().splitlines()[-1]
    return dict(entry.split(" ") for entry in last.removeprefix("  grad: ").split(", "))


def test_a_right_order_is_walked_by_the_stepper() -> None:
    at_work = EXERCISES["run_order"].at_work
    ours, others = at_work(EXERCISES["run_order"].reference), at_work(tried("run_order", "order_by_depth"))
    assert sorted(ran(ours)) == sorted(ran(others)) == ["c", "d", "e", "loss", "s"]
    assert ran(ours) != ran(others), "each in its own order"
    assert "⚠" not in ours.trace() + others.trace()
    a, b = mg.tensor(3.0, requires_grad=True), mg.tensor(2.0, requires_grad=True)
    (a * b * (a * b + a) * (a + b)).backward()
    for stepper in (ours, others):
        found = gradients_of(stepper)
        assert (float(found["a"]), float(found["b"])) == (a.grad.item(), b.grad.item())


def test_in_a_wrong_order_the_stepper_says_who_is_too_early() -> None:
    stepper = EXERCISES["run_order"].at_work(tried("run_order", "order_by_distance"))
    stepper.run_to("c")
    assert "has it run when 1 of 2 gradients have arrived: before d, which sends to c.grad" in stepper.trace()


def test_a_right_loop_trains_the_digits() -> None:
    card = EXERCISES["descend"].at_work(tried("descend", "descend_by_data"))
    looks = re.findall(r"(\d+) steps: +(\d+)% of the test images right, loss ([\d.]+)", repr(card))
    steps, shares, losses = zip(*[(int(step), int(share), float(loss)) for step, share, loss in looks], strict=True)
    assert steps[0] == 0
    assert losses[0] == pytest.approx(np.log(10), abs=0.01)
    assert shares[-1] >= 95
    assert list(losses) == sorted(losses, reverse=True)
    assert repr(card) == repr(EXERCISES["descend"].at_work(tried("descend", "descend_and_zero"))), (
        "the same numbers each time"
    )


# ---------------------------------------------------------------- chapter 08


def test_a_damped_step_at_work_lets_the_lamp_down_and_without_damping_lifts_it() -> None:
    exercise = EXERCISES["damped_step"]
    assert exercise.at_work is not None
    (_, heights), _ = exercise.at_work(tried("damped_step", "step_in_numpy")).rows
    plain, damped = ([float(one) for one in line.split(":")[1].split()] for line in heights.splitlines())
    assert plain[:3] == [0.878, 0.999, 1.0]
    assert damped == sorted(damped, reverse=True)
    assert damped[-1] < -0.9


# ---------------------------------------------------------------- chapter 11


def test_every_function_that_is_drawn_runs() -> None:
    drawn = EXERCISES["copying"].drawn
    cases = [case for seed in range(400) for case in drawn(np.random.default_rng(seed))]
    assert len(cases) > 100
    for case in cases:
        f, x = case.make()
        assert f(x).numel() > 0, case.words


# ---------------------------------------------------------------- chapter 12


RUNS = [
    (fault, seed, norm, later)
    for fault in (runs.FINE, runs.RATE, runs.ZERO_GRAD, runs.EVAL, runs.LABELS, runs.DEAD)
    for seed in ((0, 1, 2, 3, 4) if fault == runs.RATE else (0, 1, 3))
    for norm in ((True,) if fault == runs.EVAL else (True, False))
    for later in ((False, True) if fault in (runs.EVAL, runs.DEAD) else (False,))
] + [(runs.FINE, 2, True, False), (runs.LABELS, 2, True, False)]


@pytest.mark.parametrize(("fault", "seed", "norm", "later"), RUNS)
@pytest.mark.parametrize("epochs", [2, 3])
def test_a_run_shows_one_fault_and_no_other(fault: str, seed: int, norm: bool, later: bool, epochs: int) -> None:
    """What the words of the exercise say is true of every run that it may draw, by a wide margin."""
    run, steps = runs.record(fault, seed, norm, later), epochs * runs.STEPS
    loss, gradient, arrived, running = (run[key][:steps] for key in ("loss", "gradient", "arrived", "running"))
    assert {len(noted) for noted in (loss, gradient, arrived)} == {steps}
    assert len(running) == (steps if norm else 0)
    is_other = [abs(kept - new) > 1e-3 for kept, new in zip(gradient, arrived, strict=True)]
    assert is_other == [fault == runs.ZERO_GRAD and step > 0 for step in range(steps)]
    if fault == runs.ZERO_GRAD:
        return
    assert all(one < 1.6 * loss[0] for one in loss) == (fault != runs.RATE)
    assert all(one < 2.3 * loss[0] for one in loss) == (fault != runs.RATE)
    if fault == runs.RATE:
        return
    assert (gradient[-1] < 0.01) == (fault == runs.DEAD)
    assert (gradient[-1] == 0) == (fault == runs.DEAD)
    if norm:
        assert (abs(running[-1] - running[-2]) < 1e-3) == (fault == runs.EVAL)
    if fault in (runs.FINE, runs.LABELS):
        assert (run["held_out"][epochs - 1] > 0.5) == (run["held_out"][epochs - 1] > 0.2) == (fault == runs.FINE)


def test_files_of_a_training_are_gone_afterwards(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "here"))
    for _ in range(3):
        assert check.resume(tried("resume", "resumed_by_the_error")).kind == "good"
    assert not list((tmp_path / "here").iterdir())


def test_what_an_answer_does_to_all_networks_is_undone() -> None:
    layer, x = nn.Linear(2, 2), mg.tensor([[0.3, 0.7]])
    expected = layer(x).tolist()
    for answer in (tried("coarse_weights", "coarse_everywhere"), EXERCISES["coarse_weights"].known[-3].answers[0]):
        assert EXERCISES["coarse_weights"].check(answer).kind == "bad"
        assert layer(x).tolist() == expected


# ---------------------------------------------------------------- chapter 13


def program(engine):
    x, b = engine([[1, 2], [3, -1]]), engine([-2, 1])
    h = x + b
    loss = (h + h * h + h.relu()).sum(axis=1) ** 2
    return {"x": x, "h": h, "loss": loss}


def test_each_exhibit_differs_in_one_line_and_is_wrong() -> None:
    assert len(museum.EXHIBITS) == 9
    for letter, engine in museum.EXHIBITS.items():
        old, new = museum.LINES[engine]
        assert museum.SOURCE.count(old) == 1, letter
        assert new != old, letter
        assert any(museum.is_different(engine, number) for number in range(4)), letter
    for words, (engine, is_right) in chapter13.engines().items():
        assert any(museum.is_different(engine, number) for number in range(4)) != is_right, words


def test_a_right_test_goes_round_the_museum() -> None:
    card = EXERCISES["is_right"].at_work(tried("is_right", "right_against_the_museum"))
    said = dict(card.rows)
    assert said["Array"] == "True: it is right"
    assert {said[f"engine_{letter}"] for letter in museum.EXHIBITS} == {"False: it is wrong"}
    assert len(said) == len(chapter13.engines())


def test_the_engine_computes_what_minigrad_computes() -> None:
    assert EXERCISES["is_right"].reference(museum.Array)


def test_an_own_exhibit_is_shown_beside_the_right_engine() -> None:
    for answer in EXERCISES["own_exhibit"].right:
        shown = EXERCISES["own_exhibit"].at_work(answer)
        assert isinstance(shown, viz.Comparison), shown
        assert shown.difference is not None or "log2" in answer(museum.SOURCE)
        shown.close()


OF_A_CELL = """
def program(Array):
    x, w = Array([[1, 2], [3, -1]]), Array([[1, -1], [0, 1]])
    product = x @ w
    loss = product.relu().sum(axis=1).sum(axis=0)
    return locals()
"""


@pytest.mark.parametrize("walked_before", [True, False])
def test_beside_an_exhibit_is_the_readers_program_with_the_line_of_each_result(walked_before: bool) -> None:
    linecache.cache["<cell>"] = (1, None, OF_A_CELL.splitlines(keepends=True), "<cell>")
    cell: dict[str, Any] = {}
    exec(compile(OF_A_CELL, "<cell>", "exec"), cell)
    shown = museum.compare(museum.engine_d, cell["program"], walked_before=walked_before)
    assert (shown.difference is not None) == walked_before, "which leaves gradients in results"
    (listing,) = shown.session.graph.listings
    assert "\n".join(text for _, text in listing.lines) == OF_A_CELL.rstrip()
    spans = {box.name: box.span and box.span.first for box in shown.session.graph.boxes}
    assert spans | {"x": 3, "product": 4, "loss": 5} == spans
    own = EXERCISES["own_exhibit"].at_work(EXERCISES["own_exhibit"].reference)
    assert own.session.graph.listings == (), "of the museum's own programs"


BAD_ENGINES = {
    "its time was over": ("for node in found:", "for node in iter(lambda: self, None):"),
    "RecursionError": ("found = [self]", "found = self.order()"),
    "is not iterable": ("return sorted(", "sorted("),
    "ZeroDivisionError": ("x = self.data\n        y = np.max", "x = 1 / 0\n        y = np.max"),
    "SystemExit": ("x = self.data\n        y = np.max", "x = exit()\n        y = np.max"),
}


@pytest.mark.parametrize("words", BAD_ENGINES)
def test_an_engine_that_cannot_be_shown_gets_a_card(words: str) -> None:
    seconds = 0.5 if words == "its time was over" else 30.0
    shown = museum.compare(museum.changed(*BAD_ENGINES[words]), program, seconds=seconds)
    assert isinstance(shown, Card), shown
    assert words in " ".join(repr(shown).split())


def test_an_engine_that_raises_or_returns_nothing_in_a_step_is_stepped_until_there() -> None:
    for old, new in (("g * (x > 0)", "g * (1 // 0)"), ("lambda g: (g * y, g * x)", "lambda g: None")):
        shown = museum.compare(museum.changed(old, new), program)
        assert isinstance(shown, viz.Comparison)
        assert "stops" in shown.difference.story[0].text
        shown.close()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("while", "until", "stands 0 times in the engine"),
        ("x = self.data", "x = 1", "stands 5 times in the engine"),
    ],
)
def test_a_piece_that_is_not_there_once_is_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        museum.changed(old, new)


# ---------------------------------------------------------------- chapter 14


def test_the_learners_own_is_put_in_when_it_passes(capsys: pytest.CaptureFixture[str]) -> None:
    def receive(self, gradient):
        self.grad = gradient + 0.0 if self.grad is None else self.grad + gradient

    assert working(receive) is receive
    assert capsys.readouterr().out == "receive: yours\n"


def untouched(self, gradient):
    raise NotImplementedError


def endless(self, gradient):
    while True:
        pass


def too_deep(self, gradient):
    return too_deep(self, gradient)


def raises(self, gradient):
    raise ValueError("in the middle")


def returns_nothing(self, gradient):
    return None


def changes_what_it_gets(self, gradient):
    gradient *= 2
    self.grad = gradient


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (untouched, "yours is not attempted"),
        (endless, 'of yours the check says "stopped, it was still running after'),
        (too_deep, 'of yours the check says "raises RecursionError"'),
        (raises, 'of yours the check says "raises ValueError"'),
        (returns_nothing, "yours is not attempted"),
        (changes_what_it_gets, 'of yours the check says "not yet"'),
    ],
    ids=name_of,
)
def test_the_solution_is_put_in_for_an_answer_that_is_not_right(
    answer, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EXERCISES["receive"], "seconds", 0.3)
    monkeypatch.setattr(answer, "__name__", "receive")
    assert working(answer).__code__ is STEPS["receive"].__code__
    assert capsys.readouterr().out.startswith(f"receive: the solution's, as {words}")


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_was_left_open_is_not_passed_by_the_solution_that_goes_on_in_its_place(name: str) -> None:
    untouched = FunctionType(not_implemented.__code__, {}, name)
    step = working(untouched)
    for answer in (step, working(step)):
        card = EXERCISES[name].check(answer)
        assert (card.kind, card.title) == ("open", f"{name}: not attempted")
    assert name not in progress_file.load()["exercises"]
    assert EXERCISES[name].check(STEPS[name]).kind == "good"


@pytest.mark.parametrize("what", [3, print, lambda self: self])
def test_what_is_no_step_is_refused_by_name(what: Any) -> None:
    with pytest.raises(ValueError, match="takes one of the functions recorded, product_rule, receive"):
        working(what)


OFF_FOR_ALL = """
    before, others, kind.recording, Tensor.recording = kind.recording, Tensor.recording, False, False
    try:
        yield
    finally:
        kind.recording, Tensor.recording = before, others
"""
IN_OTHER_FORMS = {
    "by contextmanager": f"@contextmanager\ndef no_grad(kind):{OFF_FOR_ALL}",
    "as a class": f"""
@contextmanager
def off(kind):{OFF_FOR_ALL}
class no_grad:
    def __init__(self, kind):
        self.block = off(kind)

    def __enter__(self):
        self.block.__enter__()

    def __exit__(self, *error):
        return self.block.__exit__(*error)
""",
}


@pytest.mark.parametrize("source", IN_OTHER_FORMS.values(), ids=IN_OTHER_FORMS)
def test_a_step_in_another_form_meets_the_engine_that_it_is_tried_with(source: str, capsys: Any) -> None:
    cell: dict[str, Any] = {"Tensor": type("Tensor", (), {"recording": True}), "contextmanager": contextmanager}
    exec(source, cell)
    assert "Another class was switched off as well" in repr(EXERCISES["no_grad"].check(cell["no_grad"]))
    assert working(cell["no_grad"]).__code__ is STEPS["no_grad"].__code__
    assert capsys.readouterr().out.startswith("no_grad: the solution's")


def test_the_solutions_together_are_an_engine() -> None:
    x, w = Tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True), Tensor([0.5, 4.0], requires_grad=True)
    y = x * w
    total = y * (y + x)
    total.backward()
    ones, doubled = np.ones((2, 2)), x.data * (2 * w.data + 1)
    np.testing.assert_allclose(x.grad, 2 * x.data * w.data**2 + 2 * x.data * w.data)
    np.testing.assert_allclose(w.grad, (x.data * doubled * ones).sum(axis=0))
    assert chapter14.STEPS.keys() == {name for name, one in EXERCISES.items() if one.chapter.startswith("14")}


def test_pictures_of_the_own_engine_write_a_product_and_a_function_as_what_they_are() -> None:
    chapter = nbformat.read(NOTEBOOKS / "14_build_your_own_engine.ipynb", as_version=4).cells
    cell: dict[str, Any] = {"viz": viz}
    exec(next(one.source for one in chapter if one.source.startswith("class Mine(")), cell)
    kind = chapter14.engine_with(STEPS["product_rule"])
    x, w = kind([2.0], requires_grad=True), kind([3.0], requires_grad=True)
    nameless = functools.partial(STEPS["softmax_rule"])  # an object, as a class with __call__ makes it
    for root in ((x * w).sine(), (x * w).recorded(np.sin, nameless, ())):
        for engine in (cell["Mine"](), chapter14.Adapter()):
            told = str(viz.draw(root, engine=engine, names={"x": x, "w": w, "root": root}))
            assert re.search(r"t0 +mul +x \* w +x, w", told)
            assert re.search(r"root +function", told)


@pytest.mark.parametrize(
    "name",
    ["recorded", "product_rule", "receive", "in_order", "fitted", "start", "softmax_rule", "applied"],
)
def test_a_step_of_chapter_14_that_fails_is_shown_beside_the_solution(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    monkeypatch.setattr("minigrad.teach.exercises.chapter14.display", shown.append)
    wrong = [answer for mistake in EXERCISES[name].known for answer in mistake.answers]
    for answer in wrong:
        monkeypatch.setattr(answer, "__name__", name)
        if not shown and beside(answer) is not None:
            assert working(answer).__code__ is STEPS[name].__code__
    (comparison,) = shown
    assert comparison.difference is not None
    assert beside(STEPS[name]) is None
    shown.clear()
    assert working(STEPS[name]) is STEPS[name]
    assert not shown


def test_the_steps_of_chapter_15_are_its_exercises() -> None:
    assert chapter15.STEPS.keys() == {name for name, one in EXERCISES.items() if one.chapter.startswith("15")}


def test_the_solution_that_collects_parameters_knows_the_classes_of_the_notebook() -> None:
    cell: dict[str, Any] = {"Tensor": chapter15.engine()}
    exec("class Module: ...\ndef parameters(self):\n    raise NotImplementedError", cell)
    module = cell["Module"]()
    module.weights = [cell["Tensor"](1.0, requires_grad=True), cell["Tensor"](2.0)]
    collect = chapter15.working(cell["parameters"])
    assert collect(module) == module.weights[:1]
    assert EXERCISES["parameters"].check(collect).kind == "open"  # and is not taken for the learner's


def test_chapter_15_stands_on_steps_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    def receive(self, gradient):
        self.grad = np.array(gradient) if self.grad is None else gradient + self.grad

    def in_order(self):
        return [self]

    kind = chapter15.engine(receive, in_order)
    x = kind([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    np.testing.assert_allclose(x.grad, [2.0, 4.0])
    assert kind.receive is receive
    assert kind.in_order.__code__ is STEPS["in_order"].__code__
    assert capsys.readouterr().out.startswith("receive: yours\nin_order: the solution's")


@pytest.mark.parametrize("name", ["batch_norm_rule", "convolution_rule"])
def test_a_rule_of_chapter_15_that_fails_is_shown_beside_the_solution(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    monkeypatch.setattr("minigrad.teach.exercises.chapter14.display", shown.append)
    first = EXERCISES[name].known[0].answers[0]
    monkeypatch.setattr(first, "__name__", name)
    chapter15.working(first)
    (comparison,) = shown
    assert comparison.difference is not None
    assert chapter15.beside(chapter15.STEPS[name]) is None
    assert chapter15.beside(chapter15.STEPS["adam_step"]) is None


def test_a_convolution_that_is_right_and_slow_is_not_trained_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = tried("convolution_rule", "by_numbers")
    monkeypatch.setattr(slow, "__name__", "convolution_rule")
    assert chapter15.working(slow).__code__ is chapter15.STEPS["convolution_rule"].__code__
    assert "takes so long that a training would take minutes" in capsys.readouterr().out
    quick = chapter15.STEPS["convolution_rule"]
    assert chapter15.working(quick) is quick


# ---------------------------------------------------------------- chapter 16


def test_chapter_16_goes_on_with_what_works_and_with_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    def attended(query, key, value, allowed):
        raise KeyError("query")

    def norm_backward(ctx, grad_output):
        grad_output.zero_()

    def drawn(scores, temperature, lot):
        raise NotImplementedError

    def shifted(names):
        names.clear()
        return names

    for broken in (attended, norm_backward, drawn, shifted):
        reference = EXERCISES[broken.__name__].reference
        used = chapter16.working(broken)
        assert used.__code__ is reference.__code__
        assert capsys.readouterr().out.startswith(f"{broken.__name__}: the solution's, as ")
        assert EXERCISES[broken.__name__].check(used).kind == "open"  # it is not taken for the learner's
    reference = EXERCISES["attended"].reference
    assert chapter16.working(reference) is reference
    assert capsys.readouterr().out == "attended: yours\n"


@pytest.mark.parametrize("what", [EXERCISES["fitted"].reference, lambda names: names, 3])
def test_chapter_16_takes_its_own_functions_only(what: Any) -> None:
    with pytest.raises(ValueError, match="one of the functions seen_places, shifted, masked_weights, attended"):
        chapter16.working(what)


def test_the_names_fit_into_the_rows() -> None:
    names, aside = chapter16.villages()
    assert len(names) == len(set(names)) == 987
    assert aside < len(names) // 5
    assert all(re.fullmatch("[a-z]{3,11}", name) for name in names)
    inputs, targets = chapter16.shifted(names)
    assert inputs.shape == targets.shape == (987, chapter16.PLACES)
    assert names == chapter16.villages()[0]

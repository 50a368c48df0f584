"""The course's checks: references pass, typical mistakes are named, and no answer stops the notebook.

The wrong answers are written here as a learner would write them. Each must fail with words of its own: a check that
rejects without saying why, or with the words for another mistake, teaches the wrong thing.
"""

import functools
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad import teach
from minigrad.teach import EXERCISES, PREDICTIONS, check, hint, predict, progress
from minigrad.teach.card import Card, plain
from minigrad.teach.comparing import compare, show
from minigrad.teach.exercise import Hints, untouched
from minigrad.teach.progress import Progress

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}


@pytest.fixture(autouse=True)
def _progress_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(teach.progress_file, "kept", {"exercises": {}, "predictions": {}})
    monkeypatch.setattr(teach.progress_file, "note", "")


# ---------------------------------------------------------------- wrong answers


# slope_of_w


def forgot_x(w, x, b, target):
    return 2 * (w * x + b - target)


def forgot_the_two(w, x, b, target):
    return (w * x + b - target) * x


def turned_around(w, x, b, target):
    return 2 * (target - (w * x + b)) * x


def for_x_instead(w, x, b, target):
    error = w * x + b - target
    return 2 * error * w


def the_loss(w, x, b, target):
    return (w * x + b - target) ** 2


def without_the_error(w, x, b, target):
    return 2 * x


# by_hand


def nodes_of(e):
    (node_c, _), (node_d, _) = e.grad_fn.next_functions
    return e.grad_fn, node_c, node_d


def ran_c_too_early(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    to_a, to_b = node_c(to_c)
    _, more_to_a = node_d(to_d)
    return to_a + more_to_a, to_b


def overwrote_c(e):
    node_e, node_c, node_d = nodes_of(e)
    grad_c, grad_d = node_e(mg.tensor(1.0))
    grad_c, grad_a = node_d(grad_d)
    to_a, to_b = node_c(grad_c)
    return grad_a + to_a, to_b


def overwrote_a(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    to_a, to_b = node_c(to_c + more)
    return to_a, to_b


def kept_only_the_first_a(e):
    node_e, node_c, node_d = nodes_of(e)
    to_c, to_d = node_e(mg.tensor(1.0))
    more, to_a = node_d(to_d)
    _, to_b = node_c(to_c + more)
    return to_a, to_b


def ran_c_twice_with_the_sum(e):
    node_e, node_c, node_d = nodes_of(e)
    grad_c, to_d = node_e(mg.tensor(1.0))
    grad_a, grad_b = node_c(grad_c)
    more, to_a = node_d(to_d)
    grad_c = grad_c + more
    more_a, more_b = node_c(grad_c)
    return grad_a + to_a + more_a, grad_b + more_b


def b_before_a(e):
    first, second = BY_NAME["by_hand"].reference(e)
    return second, first


def called_with_a_number(e):
    return e.grad_fn(1.0)


# arrivals


def with_none(root):
    count = dict(BY_NAME["arrivals"].reference(root))
    count[None] = 1
    return count


def walked_paths(root):
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node, _ in todo.pop().next_functions:
            if next_node is not None:
                count[next_node] = count.get(next_node, 0) + 1
                todo.append(next_node)
    return count


def counted_users(root):
    count = {root.grad_fn: 1}
    todo = [root.grad_fn]
    while todo:
        for next_node in {node for node, _ in todo.pop().next_functions if node is not None}:
            if next_node not in count:
                count[next_node] = 0
                todo.append(next_node)
            count[next_node] += 1
    return count


def forgot_the_root(root):
    count = dict(BY_NAME["arrivals"].reference(root))
    del count[root.grad_fn]
    return count


def forgot_the_leaves(root):
    return {node: n for node, n in BY_NAME["arrivals"].reference(root).items() if node.next_functions}


def pairs_as_keys(root):
    return {(node, 0): n for node, n in BY_NAME["arrivals"].reference(root).items()}


def names_as_keys(root):
    return {node.name(): n for node, n in BY_NAME["arrivals"].reference(root).items()}


def tensors_as_keys(root):
    return {root: 1}


def arrivals_by_recursion(root):
    count = {root.grad_fn: 1}

    def visit(node):
        for next_node, _ in node.next_functions:
            if next_node is not None:
                new = next_node not in count
                count[next_node] = count.get(next_node, 0) + 1
                if new:
                    visit(next_node)

    visit(root.grad_fn)
    return count


# run_order


def depth_first(root):
    order = []
    todo = [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in order:
            continue
        order.append(node)
        todo += [next_node for next_node, _ in reversed(node.next_functions)]
    return order


def layer_by_layer(root):
    order, layer, met = [], [root.grad_fn], {root.grad_fn}
    while layer:
        order += layer
        following = []
        for node in layer:
            for next_node, _ in node.next_functions:
                if next_node is not None and next_node not in met:
                    met.add(next_node)
                    following.append(next_node)
        layer = following
    return order


def forward_order(root):
    return BY_NAME["run_order"].reference(root)[::-1]


def each_path_once_more(root):
    order, todo = [], [root.grad_fn]
    while todo and len(order) < 1000:
        node = todo.pop(0)
        order.append(node)
        todo += [next_node for next_node, _ in node.next_functions if next_node is not None]
    return order


def without_leaves(root):
    return [node for node in BY_NAME["run_order"].reference(root) if node.next_functions]


def none_among_them(root):
    return [*BY_NAME["run_order"].reference(root), None]


# jacobian


def one_hot(y, i):
    weights = mg.zeros_like(y)
    weights[i] = 1.0
    return weights


def did_not_clear(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows.append(x.grad.clone())
    return mg.stack(rows)


def same_tensor_in_all_rows(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i), retain_graph=True)
        rows.append(x.grad)
        x.grad.zero_()
    return mg.stack(rows)


def did_not_retain(f, x):
    y = f(x)
    rows = []
    for i in range(len(y)):
        y.backward(gradient=one_hot(y, i))
        rows.append(x.grad)
        x.grad = None
    return mg.stack(rows)


def without_weights(f, x):
    f(x).backward()
    return x.grad


def ones_as_weights(f, x):
    y = f(x)
    rows = []
    for _ in range(len(y)):
        x.grad = None
        y.backward(gradient=mg.ones_like(y), retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows)


def transposed(f, x):
    return BY_NAME["jacobian"].reference(f, x).T


def gradient_of_the_sum(f, x):
    f(x).sum().backward()
    return x.grad


def list_of_rows(f, x):
    return list(BY_NAME["jacobian"].reference(f, x))


# descend


def never_cleared(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def cleared_before_use(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w.grad.zero_()
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def set_none_before_use(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w.grad = None
        with mg.no_grad():
            w -= rate * w.grad
    return losses


def uphill(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        with mg.no_grad():
            w += rate * w.grad
        w.grad = None
    return losses


def recorded_the_update(loss_of, w, rate, steps):
    for _ in range(steps):
        loss_of(w).backward()
        w -= rate * w.grad
        w.grad = None
    return []


def new_name_for_w(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss = loss_of(w)
        losses.append(loss.item())
        loss.backward()
        w = (w - rate * w.grad).detach().requires_grad_()
    return losses


def losses_after_the_steps(loss_of, w, rate, steps):
    losses = []
    for _ in range(steps):
        loss_of(w).backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        losses.append(loss_of(w).item())
    return losses


WRONG = {
    "slope_of_w": [
        (forgot_x, "The last step is missing"),
        (forgot_the_two, "The factor of the square is missing"),
        (turned_around, "The sign is turned around"),
        (for_x_instead, "This is the slope for x"),
        (the_loss, "This is the loss itself"),
        (without_the_error, "the size of the error has got lost"),
    ],
    "by_hand": [
        (ran_c_too_early, "before d had sent its part"),
        (overwrote_c, "the part from e was overwritten"),
        (overwrote_a, "misses what d sent"),
        (kept_only_the_first_a, "misses what c sent"),
        (ran_c_twice_with_the_sum, "Node c was called twice"),
        (b_before_a, "have changed places"),
        (called_with_a_number, "A node wants tensors"),
    ],
    "arrivals": [
        (with_none, "None is among the keys"),
        (walked_paths, "the edges behind it were counted twice"),
        (counted_users, "Nodes were counted, but edges are asked for"),
        (forgot_the_root, "root's own node is missing"),
        (forgot_the_leaves, "The leaves are missing"),
        (pairs_as_keys, "The keys are pairs"),
        (names_as_keys, "The keys are names"),
        (tensors_as_keys, "The keys are tensors"),
        (arrivals_by_recursion, "Keep a list of what is still to do"),
    ],
    "run_order": [
        (depth_first, "goes as deep as it can"),
        (layer_by_layer, "goes layer by layer"),
        (forward_order, "that of the forward pass"),
        (each_path_once_more, "more than once"),
        (without_leaves, "The leaves are missing"),
        (none_among_them, "None is in the list"),
    ],
    "jacobian": [
        (did_not_clear, "Each row has all the rows before it in it"),
        (same_tensor_in_all_rows, "All rows are the same tensor"),
        (did_not_retain, "Say retain_graph=True"),
        (without_weights, "pass gradient="),
        (ones_as_weights, "the weights were 1 everywhere"),
        (transposed, "Rows and columns have changed places"),
        (gradient_of_the_sum, "This is one gradient"),
        (list_of_rows, "mg.stack(...) makes one tensor of several"),
    ],
    "descend": [
        (never_cleared, "The gradients of all steps pile up"),
        (cleared_before_use, "The gradient was cleared before it was used"),
        (set_none_before_use, "w.grad is None where it is needed"),
        (uphill, "w goes uphill"),
        (recorded_the_update, "only inside `with mg.no_grad():`"),
        (new_name_for_w, "The caller's w has not changed"),
        (losses_after_the_steps, "those after each step"),
    ],
}
EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers]


def said(card: Card) -> dict[str, str]:
    return dict(card.rows)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_reference_passes(exercise) -> None:
    card = exercise.check(exercise.reference)
    assert card.kind == "good", card
    assert card.title == f"{exercise.name}: passed"


def test_every_exercise_has_wrong_answers_for_every_mistake() -> None:
    assert WRONG.keys() == BY_NAME.keys()
    for name, exercise in BY_NAME.items():
        assert len(WRONG[name]) >= 3
        for mistake in exercise.mistakes:
            assert any(words in mistake.words for _, words in WRONG[name]), (name, mistake.words)


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_a_typical_mistake_is_named(name: str, answer, words: str) -> None:
    card = getattr(check, name)(answer)
    assert card.kind == "bad", card
    rows = said(card)
    assert words in rows["likely"], card
    # No other mistake's words: a diagnosis that fits everything explains nothing.
    assert not any(other in rows["likely"] for _, other in WRONG[name] if other != words)
    assert rows["input"]
    assert rows["expected"]
    if "raised" not in rows:
        assert rows["yours"] != rows["expected"]
        assert rows["first difference"]


def test_a_failed_check_brings_finite_differences() -> None:
    assert "its slope is 12" in said(check.slope_of_w(forgot_x))["evidence"]
    evidence = said(check.by_hand(overwrote_c))["evidence"]
    assert "its slope is 36" in evidence
    assert "its slope is 45" in evidence
    assert "column 1 is 3, 0, 1" in said(check.jacobian(transposed))["evidence"]
    assert "give a 24 and b 27" in said(check.run_order(layer_by_layer))["evidence"]
    assert "the slope is -6, so the first step goes from 0 to 0.6" in said(check.descend(uphill))["evidence"]
    assert "a gets one from d and one from c" in said(check.arrivals(walked_paths))["evidence"]


def test_other_right_answers_pass() -> None:
    def kahn_from_the_front(root):
        waits = BY_NAME["arrivals"].reference(root)
        ready, order = [root.grad_fn], []
        while ready:
            node = ready.pop(0)
            order.append(node)
            for next_node, _ in node.next_functions:
                if next_node is not None:
                    waits[next_node] -= 1
                    if not waits[next_node]:
                        ready.append(next_node)
        return tuple(order)

    def newest_first(root):
        nodes = BY_NAME["arrivals"].reference(root)
        return sorted(
            nodes, key=lambda node: -1 if node.name() == "AccumulateGrad" else node._sequence_nr(), reverse=True
        )

    def forward_each_time(f, x):
        rows = []
        for i in range(len(f(x))):
            x.grad = None
            f(x)[i].backward()
            rows.append(x.grad)
        return mg.stack(rows)

    def with_an_engine_gradient(w, x, b, target):
        leaf = mg.tensor(w, requires_grad=True)
        ((leaf * x + b - target) ** 2).backward()
        return leaf.grad

    assert check.run_order(kahn_from_the_front).kind == "good"
    assert check.run_order(newest_first).kind == "good"
    assert check.jacobian(forward_each_time).kind == "good"
    assert check.slope_of_w(with_an_engine_gradient).kind == "good"
    assert check.slope_of_w(lambda *numbers: np.float64(BY_NAME["slope_of_w"].reference(*numbers))).kind == "good"


# ---------------------------------------------------------------- any answer at all


def dots(*arguments): ...


def documented(*arguments):
    """To be written."""
    ...  # noqa: PIE790


def passes(*arguments):
    pass


def returns_none(*arguments):
    return None


def not_implemented(*arguments):
    """To be written."""
    raise NotImplementedError


def not_implemented_called(*arguments):
    raise NotImplementedError()


def begun(root):
    node = root  # some lines that were given  # noqa: F841
    raise NotImplementedError


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(
    "stub",
    [None, dots, documented, passes, returns_none, not_implemented, not_implemented_called],
    ids=lambda stub: getattr(stub, "__name__", "nothing"),
)
def test_an_untouched_stub_is_not_attempted(exercise, stub) -> None:
    card = exercise.check(stub)
    assert card.kind == "open"
    assert "not attempted" in card.title
    assert progress().title.startswith("0 of ")


def test_a_stub_with_given_lines_is_not_attempted() -> None:
    assert "not attempted" in check.arrivals(begun).title


def test_only_stubs_count_as_untouched() -> None:
    assert not untouched(lambda: 3)
    assert not untouched(lambda x: x)
    assert not untouched(len)
    assert not untouched(functools.partial(dots))
    assert not untouched(forgot_x)


class Strange:
    def __repr__(self) -> str:
        raise ValueError("no repr")


HOSTILE = [
    (3, "this is not a function"),
    ("slope_of_w", "this is not a function"),
    (mg.tensor(1.0), "this is not a function"),
    (Strange(), "this is not a function"),
    (lambda: 1, "the parameters are not the ones asked for"),
    (lambda *, loss: 1, "the parameters are not the ones asked for"),
    (int, None),
    (print, None),
    (lambda *arguments: 1 / 0, "raises ZeroDivisionError"),
    (lambda *arguments: exit(), "raises"),
    (lambda *arguments: undefined_name, "raises NameError"),  # noqa: F821
    (lambda *arguments: None, "not"),
    (lambda *arguments: Strange(), None),
    (lambda *arguments: "<script>alert(1)</script>", None),
    (lambda *arguments: object(), None),
    (lambda *arguments: [], None),
    (lambda *arguments: {}, None),
    (lambda *arguments: {1: 2}, None),
    (lambda *arguments: [[1, 2], [3]], None),
    (lambda *arguments: np.ones((3, 2)), None),
    (lambda *arguments: mg.ones(3, 2), None),
    (lambda *arguments: mg.tensor(float("nan")), None),
    (lambda *arguments: True, None),
    (lambda *arguments: (1.0, 2.0), None),
    (lambda *arguments: (None, None), None),
    (lambda *arguments: (item for item in arguments), None),
    (lambda *arguments: arguments, None),
    (lambda *arguments: 10**400, None),
    (lambda *arguments: 1j, None),
]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(("answer", "title"), HOSTILE, ids=range(len(HOSTILE)))
def test_no_answer_stops_the_notebook(exercise, answer, title: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        card = exercise.check(answer)
    assert card.kind in ("bad", "open")
    assert title is None or title in card.title
    for text in (repr(card), card._repr_html_()):
        assert " at 0x" not in text
        assert "<script>" not in card._repr_html_()
        assert len(text) < 6000
    assert mg.is_grad_enabled()


def test_a_function_that_changes_its_inputs_is_told_so() -> None:
    def doubled_x(f, x):
        matrix = BY_NAME["jacobian"].reference(f, x)
        with mg.no_grad():
            x *= 2
        return matrix

    card = check.jacobian(doubled_x)
    assert card.title == "jacobian: changes its input"
    assert "x holds other numbers" in said(card)["likely"]


def test_a_function_that_leaves_no_grad_on_harms_nobody() -> None:
    def switches_off(w, x, b, target):
        mg.set_grad_enabled(False)
        return 1.0

    assert check.slope_of_w(switches_off).kind == "bad"
    assert mg.is_grad_enabled()


def test_right_numbers_in_the_wrong_wrapping_are_named() -> None:
    as_numbers = check.by_hand(lambda e: tuple(g.item() for g in BY_NAME["by_hand"].reference(e)))
    assert "The numbers are right" in said(as_numbers)["likely"]
    assert "a tensor is asked for" in said(as_numbers)["likely"]
    as_array = check.jacobian(lambda f, x: BY_NAME["jacobian"].reference(f, x).detach().numpy())
    assert "leave out .numpy()" in said(as_array)["likely"]


def test_the_line_that_raised_is_shown_without_a_path() -> None:
    def divides(w, x, b, target):
        error = w * x
        return error / 0

    card = check.slope_of_w(divides)
    assert said(card)["in your line"].strip() == "return error / 0"
    assert __file__ not in repr(card) + card._repr_html_()


def test_what_an_answer_prints_is_printed_once_per_case(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(w, x, b, target):
        print("here")
        return 2 * x

    check.slope_of_w(talks)
    assert capsys.readouterr().out == "here\n"


def test_the_same_answer_gives_the_same_words() -> None:
    for name, answer, _ in EACH_WRONG:
        one, other = getattr(check, name)(answer), getattr(check, name)(answer)
        assert repr(one) == repr(other)
        assert one._repr_html_() == other._repr_html_()


@pytest.mark.parametrize("group", [check, predict], ids=["check", "predict"])
def test_an_unknown_name_is_answered_with_the_nearest(group) -> None:
    with pytest.raises(AttributeError, match=r"there is no \w+ 'slope_of'|there is no"):
        _ = group.slope_of
    with pytest.raises(AttributeError, match="did you mean 'by_hand'"):
        _ = check.by_hnd
    assert {"slope_of_w", "run_order"} <= set(dir(check))


# ---------------------------------------------------------------- cards


def test_a_card_escapes_what_it_shows() -> None:
    card = Card("bad", "<b>x</b>", (("<i>", "a < b & c\n  <script>code</script>"),))
    html = card._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;code" in html
    assert "✗ <b>x</b>" in repr(card)


def test_plain_takes_out_what_differs_or_harms() -> None:
    assert plain(object()) == "<object object>"
    assert "\x1b" not in plain("\x1b[31mred\x1b[0m")
    assert "\u202e" not in plain("a\u202eb")
    assert len(plain("x" * 10_000)) == 400
    assert "whose repr raises ValueError" in plain(Strange())


def test_values_are_shown_without_their_history() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    assert show(x * 2) == "tensor([2, 4])"
    assert show((1.0, [x])) == "(1, [tensor([1, 2])])"


@pytest.mark.parametrize(
    ("expected", "got", "where"),
    [
        (1.0, 1.00001, None),
        (1.0, float("nan"), "the answer"),
        (1.0, True, "the answer"),
        (mg.tensor([1.0, 2.0]), mg.tensor([1.0, 3.0]), "the answer[1]"),
        (mg.tensor([[1.0], [2.0]]), mg.tensor([[1.0, 2.0]]), "the answer"),
        ((1.0, 2.0), (1.0, 5.0), "item 2 of 2"),
        ((1.0, 2.0), (1.0,), "the answer"),
        ([1.0], [1.0, 2.0], "the answer"),
    ],
)
def test_compare_finds_the_first_difference(expected, got, where: str | None) -> None:
    difference = compare(expected, got)
    assert (difference and difference.where) == where


# ---------------------------------------------------------------- hints


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_each_call_gives_one_hint_more(exercise) -> None:
    ask = Hints(EXERCISES)
    assert len(exercise.hints) >= 3
    for given in range(1, len(exercise.hints) + 1):
        card = ask(exercise.name)
        shown = [text for label, text in card.rows if label]
        assert shown == list(exercise.hints[:given])
    assert "That was the last" in card.rows[-1][1]
    assert ask(exercise.name).rows == card.rows
    assert Hints(EXERCISES)(exercise.reference).rows[0][1] == exercise.hints[0]


@pytest.mark.parametrize("name", [None, "slope", 3, Strange(), "", dots], ids=range(6))
def test_a_hint_for_nothing_says_what_there_is(name) -> None:
    card = hint(name)
    assert card.kind == "note"
    assert 'hint("slope_of_w")' in repr(card)


# ---------------------------------------------------------------- predictions


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda prediction: prediction.name)
def test_each_option_is_answered_with_its_reason(prediction) -> None:
    right = next(number for number, option in enumerate(prediction.options) if option.right)
    for number, option in enumerate(prediction.options):
        card = prediction("abcdef"[number])
        assert (card.kind == "good") == option.right
        texts = [text for _, text in card.rows]
        assert option.why in texts
        assert len(option.why) > 30
        assert prediction.options[right].why in texts
        assert prediction(option.text) == card
        assert prediction(f" ({'abcdef'[number].upper()}) ") == card
    whys = [option.why for option in prediction.options]
    assert len(set(whys)) == len(whys) >= 3


@pytest.mark.parametrize("answer", ["z", "", "ab", 0, 1.5, True, [], Strange(), "<script>"], ids=range(9))
def test_an_answer_that_is_no_option_is_met_with_the_options(answer) -> None:
    card = predict.w_grad(answer)
    assert card.kind == "note"
    assert '"a", "b", "c", "d"' in repr(card)
    assert "<script>" not in card._repr_html_()
    assert not json.loads(json.dumps(teach.progress_file.load()))["predictions"]


def test_a_question_does_not_tell_its_answer_in_text() -> None:
    for prediction in PREDICTIONS:
        bundle = prediction()._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" not in bundle  # no kernel here
        text = bundle["text/plain"]
        assert prediction.question in text
        assert not any(option.why in text for option in prediction.options)
        assert bundle["text/html"].count("<details") == len(prediction.options)
        assert "<details open" not in bundle["text/html"]


# ---------------------------------------------------------------- progress


def test_progress_counts_and_what_was_passed_stays(tmp_path: Path) -> None:
    assert progress().title == f"0 of {len(EXERCISES)} exercises passed"
    check.slope_of_w(forgot_x)
    assert "tried, not passed yet" in repr(progress())
    check.slope_of_w(BY_NAME["slope_of_w"].reference)
    check.slope_of_w(forgot_x)
    predict.w_grad("a")
    predict.w_grad("b")
    assert progress().title == f"1 of {len(EXERCISES)} exercises passed"
    assert "1 of 2 answered, 1 of them right" in repr(progress())
    stored = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    assert stored == {"exercises": {"slope_of_w": "passed"}, "predictions": {"w_grad": "right"}}
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_progress_outlives_the_kernel(tmp_path: Path) -> None:
    Progress().record("exercises", "by_hand", "passed")
    assert Progress().load()["exercises"] == {"by_hand": "passed"}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"exercises": 3, "predictions": {}}', "\x00\xff"])
def test_a_broken_file_is_set_aside(text: str, tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text(text, encoding="latin-1")
    card = progress()
    assert "It is kept as progress.json.broken" in said(card)["note"]
    assert (tmp_path / "progress.json.broken").read_text(encoding="latin-1") == text
    check.slope_of_w(BY_NAME["slope_of_w"].reference)
    assert json.loads(path.read_text(encoding="utf-8"))["exercises"] == {"slope_of_w": "passed"}


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "absent" / "progress.json"))
    assert check.slope_of_w(BY_NAME["slope_of_w"].reference).kind == "good"
    assert progress().title.startswith("1 of ")
    assert "kept until the kernel stops" in said(progress())["note"]


def test_nothing_is_written_outside_the_notebooks_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIGRAD_PROGRESS")
    monkeypatch.chdir(tmp_path)
    check.slope_of_w(BY_NAME["slope_of_w"].reference)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "00_start_here.ipynb").touch()
    check.slope_of_w(forgot_x)
    check.by_hand(BY_NAME["by_hand"].reference)
    assert (tmp_path / ".progress.json").is_file()


def test_names_are_unique_and_can_be_typed() -> None:
    for items in (EXERCISES, PREDICTIONS):
        names = [item.name for item in items]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch("[a-z_]+", name) for name in names)

"""The course's checks: references pass, and each typical mistake is named."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from teach.answers import each_wrong, said, wrong

import minigrad as mg
from minigrad.teach import EXERCISES, check
from minigrad.teach.card import Card

pytestmark = pytest.mark.usefixtures("in_this_process", "expects_once", "known_once")

# As the exercises are, but for answers that never come to an end: none takes longer than this for a case.
SECONDS = 2.0
HASTY = {name: replace(exercise, seconds=min(exercise.seconds, SECONDS)) for name, exercise in EXERCISES.items()}
EACH_WRONG = [(name, answer, words) for name, exercise in EXERCISES.items() for answer, words in each_wrong(exercise)]
forgot_x = wrong("slope_of_w", "forgot_x")


def checked(name: str, answer: Callable[..., Any]) -> Card:
    return HASTY[name].check(answer)


card_of = functools.cache(checked)  # several tests look at it


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_the_reference_passes(exercise) -> None:
    card = exercise.check(exercise.reference)
    assert card.kind == "good", card
    assert card.title == f"{exercise.name}: passed"


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_every_mistake_has_words_of_its_own_and_wrong_answers(exercise) -> None:
    words = [mistake.words for mistake in exercise.known]
    assert all(words)
    assert len(set(words)) == len(words)
    assert all(mistake.answers for mistake in exercise.known), f"{exercise.name}: each of its mistakes= has an answer"
    assert len(each_wrong(exercise)) >= 3, f"{exercise.name}: its mistakes= hold three wrong answers, or more"


@pytest.mark.parametrize(("name", "answer", "words"), EACH_WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_a_typical_mistake_is_named(name: str, answer, words: str) -> None:
    card = card_of(name, answer)
    assert card.kind == "bad", card
    rows = said(card)
    assert rows["likely"] == words, card
    assert rows["input"]
    assert rows["expected"]
    if "raised" not in rows:
        assert rows["yours"] != rows["expected"]
        assert rows["first difference"]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_the_same_answer_gives_the_same_words(exercise) -> None:
    answer, _ = each_wrong(exercise)[-1]
    one, other = card_of(exercise.name, answer), checked(exercise.name, answer)
    assert repr(one) == repr(other)
    assert one._repr_html_() == other._repr_html_()


def test_what_no_mistake_is_about_is_told_all_the_same() -> None:
    def by_recursion(root):
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

    def list_of_rows(f, x):
        return list(EXERCISES["jacobian"].reference(f, x))

    assert "keep a list of what is still to do" in said(check.arrivals(by_recursion))["likely"]
    assert "mg.stack(...) makes one tensor of several" in said(check.jacobian(list_of_rows))["likely"]


def test_an_answer_in_other_words_makes_the_same_mistake() -> None:
    """What a wrong answer does counts, not how it is written."""

    def multiplied_out(w, x, b, target):
        return 2 * w * x + 2 * b - 2 * target

    def summed_by_hand(losses, h):
        gradients = [mg.autograd.grad(loss, h, retain_graph=True, materialize_grads=True)[0] for loss in losses]
        return tuple(float(sum(gradient.flatten())) for gradient in gradients)

    assert said(check.slope_of_w(multiplied_out))["likely"].startswith("The last step is missing")
    card = check.pulls(lambda losses, h: list(summed_by_hand(losses, h)))
    assert said(card)["likely"].startswith("This is the sum of the elements")


def test_a_failed_check_brings_finite_differences() -> None:
    assert "its slope is 12" in said(check.slope_of_w(forgot_x))["evidence"]
    evidence = said(check.by_hand(wrong("by_hand", "overwrote_c")))["evidence"]
    assert "its slope is 36" in evidence
    assert "its slope is 45" in evidence
    assert "column 1 is 3, 0, 1" in said(check.jacobian(wrong("jacobian", "transposed")))["evidence"]
    assert "give a 24 and b 27" in said(check.run_order(wrong("run_order", "layer_by_layer")))["evidence"]
    assert (
        "the slope is -6, so the first step goes from 0 to 0.6"
        in said(check.descend(wrong("descend", "uphill")))["evidence"]
    )
    assert "a gets one from d and one from c" in said(check.arrivals(wrong("arrivals", "walked_paths")))["evidence"]


def test_other_right_answers_pass() -> None:
    def kahn_from_the_front(root):
        waits = EXERCISES["arrivals"].reference(root)
        ready, order = [root.grad_fn], []
        while ready:
            node = ready.pop(0)
            order.append(node)
            for next_node, _ in node.next_functions:
                if next_node is not None:
                    waits[next_node] -= 1
                    if not waits[next_node]:
                        ready.append(next_node)
        return order

    def newest_first(root):
        nodes = EXERCISES["arrivals"].reference(root)
        return sorted(
            nodes, key=lambda node: -1 if node.name() == "AccumulateGrad" else node._sequence_nr(), reverse=True
        )

    def with_an_engine_gradient(w, x, b, target):
        leaf = mg.tensor(float(w), requires_grad=True)
        ((leaf * x + b - target) ** 2).backward()
        return leaf.grad.item()

    assert check.run_order(kahn_from_the_front).kind == "good"
    assert check.run_order(newest_first).kind == "good"
    assert check.slope_of_w(with_an_engine_gradient).kind == "good"
    assert check.slope_of_w(lambda *numbers: np.float64(EXERCISES["slope_of_w"].reference(*numbers))).kind == "good"


def red_boxes(picture: str) -> list[str]:
    return re.findall(r'<g class="mg-box mg-\w+ mg-failed.*?(?=<g class="mg-box|</svg>)', picture, re.DOTALL)


@pytest.mark.parametrize(
    ("name", "answer", "box"),
    [
        ("slope_of_w", "forgot_x", "w"),
        ("middle_gradient", "gradient_of_w", "hidden"),
        ("leaves_of", "leaves_on_every_way", "a"),
        ("graph_depth", "counted_all_nodes", "root"),
        ("by_hand", "overwrote_a", "a"),
        ("by_hand", "overwrote_c", "a"),
        ("arrivals", "forgot_the_leaves", "a"),
        ("run_order", "layer_by_layer", "c"),
    ],
)
def test_the_wrong_node_is_red_in_a_picture_of_the_graph(name: str, answer: str, box: str) -> None:
    card = card_of(name, wrong(name, answer))
    red = red_boxes(card.picture)
    assert len(red) == 1, card.picture
    assert f">{box}<" in red[0]
    assert "✗" in red[0]
    assert "data:image/svg+xml," in card._repr_html_()
    assert "svg" not in repr(card)


def test_all_nodes_of_a_wrong_name_are_red() -> None:
    red = red_boxes(card_of("node_names", wrong("node_names", "each_name_once")).picture)
    assert len(red) == 2
    assert all("✗ AccumulateGrad" in box for box in red)


def test_each_exercise_about_a_graph_has_pictures() -> None:
    for name, exercise in EXERCISES.items():
        cards = [card_of(name, answer) for answer, _ in each_wrong(exercise)]
        drawn = [card for card in cards if card.picture]
        assert bool(drawn) == (exercise.picture is not None), name
        for card in drawn:
            assert red_boxes(card.picture), card
            assert len(card.picture) < 20_000
            assert "check" not in card.picture, "the line that called the check is not the learner's"

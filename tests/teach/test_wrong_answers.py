"""The course's checks: references pass, and each typical mistake is named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from teach.answers import said
from teach.wrong_answers import BY_NAME, EACH_WRONG, WRONG
from teach.wrong_answers.chapter00 import forgot_x
from teach.wrong_answers.chapter01 import gradient_of_w
from teach.wrong_answers.chapter02 import counted_all_nodes, each_name_once, leaves_on_every_way
from teach.wrong_answers.chapter03 import (
    forgot_the_leaves,
    layer_by_layer,
    overwrote_a,
    overwrote_c,
    transposed,
    uphill,
    walked_paths,
)

import minigrad as mg
from minigrad.teach import EXERCISES, check


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


def red_boxes(picture: str) -> list[str]:
    return re.findall(r'<g class="mg-box mg-\w+ mg-failed.*?(?=<g class="mg-box|</svg>)', picture, re.DOTALL)


@pytest.mark.parametrize(
    ("name", "answer", "box"),
    [
        ("slope_of_w", forgot_x, "w"),
        ("middle_gradient", gradient_of_w, "hidden"),
        ("leaves_of", leaves_on_every_way, "a"),
        ("graph_depth", counted_all_nodes, "root"),
        ("by_hand", overwrote_a, "a"),
        ("by_hand", overwrote_c, "a"),
        ("arrivals", forgot_the_leaves, "a"),
        ("run_order", layer_by_layer, "c"),
    ],
)
def test_the_wrong_node_is_red_in_a_picture_of_the_graph(name: str, answer, box: str) -> None:
    card = getattr(check, name)(answer)
    red = red_boxes(card.picture)
    assert len(red) == 1, card.picture
    assert f">{box}<" in red[0]
    assert "✗" in red[0]
    assert "data:image/svg+xml;base64," in card._repr_html_()
    assert "svg" not in repr(card)


def test_all_nodes_of_a_wrong_name_are_red() -> None:
    red = red_boxes(check.node_names(each_name_once).picture)
    assert len(red) == 2
    assert all("✗ AccumulateGrad" in box for box in red)


def test_each_exercise_about_a_graph_has_pictures() -> None:
    for name, exercise in BY_NAME.items():
        cards = [exercise.check(answer) for answer, _ in WRONG[name]]
        drawn = [card for card in cards if card.picture]
        assert bool(drawn) == (exercise.picture is not None), name
        for card in drawn:
            assert red_boxes(card.picture), card
            assert len(card.picture) < 20_000
            assert "check" not in card.picture, "the line that called the check is not the learner's"

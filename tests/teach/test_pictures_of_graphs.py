"""The picture of a wrong answer is drawn as `viz.draw` draws: with frames of modules, and open where the red box is."""

from xml.etree import ElementTree

import pytest

import minigrad as mg
from minigrad.teach.wrong_node import draw_nodes, draw_wrong_node
from minigrad.viz.picture import svg

SVG = "{http://www.w3.org/2000/svg}"


def titles(picture: str) -> list[str]:
    groups = ElementTree.fromstring(picture).iter(f"{SVG}g")
    return [one.findtext(f"{SVG}text") or "" for one in groups if one.get("class") == "mg-group-title"]


def red(picture: str) -> list[str]:
    boxes = [one for one in ElementTree.fromstring(picture).iter(f"{SVG}g") if one.get("data-box")]
    cards = [(one.findtext(f"{SVG}text") or "", one.find(f"{SVG}rect")) for one in boxes]
    return [name for name, card in cards if card is not None and card.get("stroke") == svg.ALARM]


def test_modules_are_frames() -> None:
    head = mg.nn.Linear(2, 1)
    loss = head(mg.ones(4, 2)).sum()
    picture = draw_wrong_node(loss, {"loss": loss, "head": head}, "loss", "✗ here")
    assert titles(picture) == ["head"]
    assert red(picture) == ["loss"]


@pytest.mark.parametrize("layer", [0, 7, 29])
def test_the_part_that_holds_the_red_box_is_open_in_a_large_graph(layer: int) -> None:
    net = mg.nn.Sequential(*[mg.nn.Linear(2, 2) for _ in range(30)])
    x, results = mg.ones(1, 2), []
    for part in net:
        x = part(x)
        results.append(x)
    loss = x.sum()
    picture = draw_wrong_node(loss, {"loss": loss, "net": net}, results[layer], "✗ here")
    assert len(red(picture)) == 1
    node = results[layer].grad_fn
    assert len(red(draw_nodes(loss, {"loss": loss}, {}, lambda one: one is node))) == 1

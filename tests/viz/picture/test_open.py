"""`draw(open=…)`: which parts of a picture are open, by their names; and what is said below it."""

import html
import re
from typing import Any

import pytest
from viz.cells import SVG, cell, parsed

from minigrad import viz

LARGE = """\
net = mg.nn.Sequential(*[mg.nn.Linear(4, 4) for _ in range(14)])
x = mg.ones(2, 4)
h = net(x)
for t in range(25):
    h = (h * 0.9 + x).tanh()
loss = h.sum()
"""
DRAWN = "def drawn(open=None):\n    return viz.draw(loss, open=open)\n"
SMALL = """\
net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU(), mg.nn.Linear(2, 1))
loss = net(mg.ones(1, 2)).sum()
"""
LOOP = "for t in range(25): ×25"


@pytest.fixture(scope="module")
def drawn() -> Any:
    """`draw`, called where the network has its name."""
    return cell(LARGE + DRAWN)["drawn"]


def boxes(drawing: Any) -> int:
    return sum(group.get("data-box") is not None for group in parsed(drawing.svg).iter(f"{SVG}g"))


def parts(drawing: Any) -> dict[str, bool]:
    """The names of the parts that are seen, and whether each is open: what is closed is a pile of two cards."""
    image = parsed(drawing.svg)
    groups = [group for group in image.iter(f"{SVG}g") if group.get("data-group")]
    piles = {one.get("data-group"): len(one.findall(f"{SVG}rect")) for one in groups if one.get("class") == "mg-group"}
    titles = [one for one in groups if one.get("class") == "mg-group-title"]
    return {one.findtext(f"{SVG}text") or "": piles[one.get("data-group")] == 1 for one in titles}


def test_a_small_graph_is_open_and_nothing_is_said() -> None:
    small = cell(SMALL + DRAWN)["drawn"]
    drawing = small()
    assert drawing.note == ""
    assert boxes(drawing) == len(drawing.graph.boxes)
    assert parts(drawing)["net"]
    assert small("all").svg == drawing.svg


def test_all_and_none(drawn: Any) -> None:
    whole = drawn("all")
    assert boxes(whole) == len(whole.graph.boxes) > 60
    assert whole.note == ""
    closed = drawn("none")
    assert parts(closed) == {"net": False, LOOP: False}
    assert drawn([]).svg == closed.svg
    assert str(closed) == str(whole) == str(drawn())


def test_parts_are_opened_by_the_names_that_the_picture_shows(drawn: Any) -> None:
    opened = parts(drawn(["net", LOOP]))
    assert opened["net"]
    assert opened[LOOP]
    assert not any(is_open for name, is_open in opened.items() if name not in ("net", LOOP))
    assert drawn("net").svg == drawn(("net",)).svg == drawn({"net"}).svg
    assert drawn([f"{LOOP[:9]}…"]).svg == drawn([LOOP]).svg  # as a narrow box cuts it


def test_what_a_part_lies_in_is_opened_with_it(drawn: Any) -> None:
    inner = next(name for name in parts(drawn([LOOP])) if name.startswith("iterations"))
    opened = parts(drawn([inner]))
    assert opened[LOOP]
    assert opened[inner]
    assert not opened["net"]


def test_a_module_is_known_by_its_path_too() -> None:
    small = cell(SMALL + DRAWN)["drawn"]
    by_path = small(["net[2]"])
    assert by_path.svg == small(["net.2"]).svg == small(["2 Linear"]).svg
    assert parts(by_path) == parts(small(["2"]))
    assert parts(by_path)["2"]
    assert not parts(by_path)["0"]


def test_every_name_in_a_picture_opens_what_it_names(drawn: Any) -> None:
    for name in parts(drawn()):
        assert parts(drawn([name]))[name]


def test_an_unknown_name_is_answered_with_those_that_there_are(drawn: Any) -> None:
    with pytest.raises(
        ValueError, match=r"open has 'nte', but no part of this picture is called so\. Its parts are"
    ) as told:
        drawn(["net", "nte"])
    assert f"'net', {LOOP!r}" in str(told.value)
    assert re.search(r", and \d+ more\.$", str(told.value))
    with pytest.raises(ValueError, match=r"It has no parts that open: all of it is drawn\."):
        viz.draw(cell("y = mg.ones(1, requires_grad=True) * 2\n")["y"], open="net")


@pytest.mark.parametrize("nonsense", [3, True, 1.5, b"net", ["net", 1], [["net"]], object()])
def test_what_is_no_name_is_a_type_error(drawn: Any, nonsense: Any) -> None:
    with pytest.raises(
        TypeError, match=r'open must be "all", "none" or a list of names of parts, such as open=\["net"\]'
    ):
        drawn(nonsense)


def test_a_line_below_the_picture_says_how_to_open_it(drawn: Any) -> None:
    drawing = drawn("none")
    assert drawing.note == (
        f"119 boxes, 2 parts are closed. draw(…, open=\"all\") opens all, open=['net', {LOOP!r}] those alone."
    )
    shown = drawing._repr_mimebundle_()["text/html"]
    assert html.unescape(shown).endswith(f"<figcaption>{drawing.note}</figcaption></figure>")
    named = re.search(r"open=(\[.*\])", drawing.note)
    assert named
    assert drawn(eval(named[1])).svg != drawing.svg
    assert "<figcaption>" not in drawn("all")._repr_mimebundle_()["text/html"]

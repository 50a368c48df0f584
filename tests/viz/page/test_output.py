"""What a notebook's output holds of a stepper, and when it is written to again."""

import asyncio
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from viz.cells import cell, still, stored, unpack

from minigrad.viz.page import output, portions
from minigrad.viz.shell import show_containers_whole

OWN_RULE = """\
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

A = mg.tensor([3.], requires_grad=True)
s = viz.BackwardStepper(Square.apply(A))
"""


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[dict[str, Any], str, bool]]:
    """What a kernel would send: the output, its key, and whether it takes the place of others with this key."""
    sent: list[tuple[dict[str, Any], str, bool]] = []
    monkeypatch.setattr(output, "publish", lambda data, key, update=False, **_: sent.append((data, key, update)))
    return sent


def test_what_was_shown_is_written_to_when_something_has_run(published: Any) -> None:
    s = cell(OWN_RULE)["s"]
    s.store()
    assert published == []  # it is shown nowhere
    s._ipython_display_()
    ((first, key, update),) = published
    assert (key, update) == (s.key, False)
    assert stored(first["text/html"])["ran"] == [""]
    s.store()
    assert len(published) == 1  # nothing has run
    s.last()
    s.store()
    s.store()
    _, (then, key, update) = published
    assert (key, update) == (s.key, True)
    held = stored(then["text/html"])
    assert (held["index"], held["finished"], len(held["ran"])) == (2, True, 3)
    assert [unpack(held["kept"])["frames"][0], *held["ran"][1:]] == s.recorded
    assert still(then["text/html"]) == still(first["text/html"])
    s.back()
    s.store()
    assert stored(published[2][0]["text/html"])["index"] == 1


class Planned:
    """What was planned of a loop."""

    def __init__(self, _: float, function: Any) -> None:
        self.function, self.is_cancelled = function, False

    def cancel(self) -> None:
        self.is_cancelled = True


def test_clicks_are_written_to_an_output_once_none_has_come_for_a_while(
    published: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = cell(OWN_RULE)["s"]
    s._ipython_display_()
    plans = list[Planned]()

    def call_later(seconds: float, function: Any) -> Planned:
        plans.append(Planned(seconds, function))
        return plans[-1]

    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=call_later))
    for to in (2, 1):
        s.set_state({"request": {"to": to, "nth": s.answered + 1}})
    (first, second) = (plan for plan in plans if plan.function == s.store)
    assert (first.is_cancelled, second.is_cancelled, len(published)) == (True, False, 1)
    with s.changing():
        s.store()
    assert (second.is_cancelled, len(published)) == (True, 1)  # in a cell: done after it
    s.cell_is_over()
    assert [stored(data["text/html"])["index"] for data, _, _ in published] == [0, 1]


def test_an_output_holds_what_the_page_was_not_told_yet(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    s = cell(OWN_RULE)["s"]
    s._ipython_display_()
    s.next()
    monkeypatch.setattr(portions, "PORTION", math.inf)
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=Planned))
    s.next()
    assert len(s.ran) == 2
    s.store()
    held = stored(published[-1][0]["text/html"])
    assert (held["index"], len(held["ran"])) == (2, 3)


def test_each_stepper_has_a_key_of_its_own_and_its_outputs_share_it() -> None:
    one, other = cell(OWN_RULE)["s"], cell(OWN_RULE)["s"]
    assert one.key != other.key
    assert stored(one)["key"] == stored(one)["key"] == one.key


def test_an_output_holds_script_and_picture_and_a_page_with_the_script_only_the_picture() -> None:
    html = cell(OWN_RULE)["s"].output_html()
    assert output.has_steppers(html)
    assert html.count("<script>") == html.count("</script>") == html.count("data-script=") == 1
    bare = output.without_scripts(html)
    assert (html.count("Trust this notebook"), bare.count("minigrad-how")) == (1, 0)
    assert "script" not in bare.replace(still(bare), "").lower()
    assert (stored(bare), still(bare)) == (stored(html), still(html))


def test_boxes_of_steppers_are_outputs_of_the_same_kind() -> None:
    steppers = [cell(OWN_RULE)["s"] for _ in range(3)]
    html = output.html_inside(ipywidgets.HBox([steppers[0], ipywidgets.VBox(steppers[1:])]))
    assert html.count('class="minigrad-recorded"') == 3
    assert html.index("flex-direction:row") < html.index("flex-direction:column")
    assert all(stepper.key in html for stepper in steppers)
    bare = output.without_scripts(html)
    assert output.has_steppers(bare)
    assert [bare.count(part) for part in ("data-pass=", "<img", "<script", "data-script")] == [3, 3, 0, 0]


def test_any_container_is_shown_by_the_steppers_in_it_and_by_itself_where_there_are_none() -> None:
    stepper, slider = cell(OWN_RULE)["s"], ipywidgets.IntSlider()
    filled = ipywidgets.Output(outputs=({"output_type": "display_data", "data": {"text/html": stepper.output_html()}},))
    tab = ipywidgets.Tab([slider, stepper], titles=["a", "b<"])
    for container in (ipywidgets.HBox([stepper, slider]), tab, filled, ipywidgets.VBox([ipywidgets.HBox([filled])])):
        bundle = output.bundle_of(container, output.html_inside(container))
        assert sorted(bundle) == ["text/html", "text/plain"]
        assert stored(bundle["text/html"])["key"] == stepper.key
        assert f'data-widget="{container.model_id}"' in bundle["text/html"]
    assert "<b>b&lt;</b>" in output.html_inside(tab)
    assert "<b>a</b>" not in output.html_inside(tab)
    for container in (ipywidgets.HBox([]), ipywidgets.VBox([ipywidgets.HBox([slider])]), ipywidgets.Output()):
        assert output.bundle_of(container, output.html_inside(container)) == container._repr_mimebundle_()
    tab.close()
    with pytest.raises(NotImplementedError):
        output.show_container(tab)


def test_a_shell_shows_containers_by_the_steppers_in_them(published: Any) -> None:
    stepper = cell(OWN_RULE)["s"]
    filled = ipywidgets.Output(outputs=({"output_type": "display_data", "data": {"text/html": stepper.output_html()}},))
    shell = InteractiveShell.instance()
    try:
        show_containers_whole()
        for container in (ipywidgets.VBox([stepper]), filled):
            assert shell.display_formatter.format(container) == ({}, {})  # it is shown already
            assert shell.display_formatter.mimebundle_formatter(container)[0] == published[-1][0]
    finally:
        InteractiveShell.clear_instance()
    assert [stored(data["text/html"])["key"] for data, _, _ in published] == 2 * [stepper.key]


def test_a_container_is_written_to_again_when_steppers_come_into_it(published: Any) -> None:
    stepper, place = cell(OWN_RULE)["s"], ipywidgets.Output()
    box = ipywidgets.VBox([ipywidgets.IntSlider()])
    output.show_container(box)
    output.show_container(box)
    assert [(sorted(data), update) for data, _, update in published] == 2 * [(sorted(box._repr_mimebundle_()), False)]
    box.children = [*box.children, ipywidgets.HBox([place])]
    assert len(published) == 2  # there is nothing new to see
    place.outputs = ({"output_type": "display_data", "data": {"text/html": stepper.output_html()}},)
    data, key, update = published[2]
    assert (key, update, stored(data["text/html"])["key"]) == (box.model_id, True, stepper.key)
    place.outputs = ()
    assert len(published) == 3  # what once showed a stepper goes on to show one


def test_where_models_are_elsewhere_the_widget_is_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stepper = cell(OWN_RULE)["s"]
    widget = "application/vnd.jupyter.widget-view+json"
    assert widget not in stepper._repr_mimebundle_()
    monkeypatch.setenv("VSCODE_PID", "1")
    assert stepper._repr_mimebundle_()[widget]["model_id"] == stepper.model_id


def test_on_colab_an_output_says_where_its_widget_manager_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without these metadata Colab shows a text about third-party widgets in place of the stepper."""
    sent: list[tuple[Any, Any]] = []
    publisher = SimpleNamespace(publish=lambda data, metadata, **_: sent.append((data, metadata)))
    monkeypatch.setattr(output, "running_shell", lambda: SimpleNamespace(kernel=1, display_pub=publisher))
    colab = SimpleNamespace(
        enable_custom_widget_manager=lambda: None, _widgets=SimpleNamespace(_installed_url="https://colab/manager.js")
    )
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "google.colab.output", colab)  # type: ignore[arg-type]
    stepper = cell(OWN_RULE)["s"]
    stepper._ipython_display_()
    stepper.next()
    stepper.store()
    widget = "application/vnd.jupyter.widget-view+json"
    assert [data[widget]["model_id"] for data, _ in sent] == [stepper.model_id] * 2
    for _, metadata in sent:
        assert metadata[widget] == {"colab": {"custom_widget_manager": {"url": "https://colab/manager.js"}}}


def test_the_switch_for_the_part_that_runs_is_stored_too(published: Any, tmp_path: Path) -> None:
    s = cell(OWN_RULE)["s"]
    assert s.follows is True
    s._ipython_display_()
    s.set_state({"follows": False})  # as the page does
    s.store()
    assert [stored(data["text/html"])["follows"] for data, *_ in published] == [True, False]
    s.save_html(tmp_path / "page.html")
    assert stored((tmp_path / "page.html").read_text(encoding="utf-8"))["follows"] is False

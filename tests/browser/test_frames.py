"""Steppers where each output is in a frame of its own, with a widget manager of its own, as Google Colab has it.

The frames here do what Colab's manager does (github.com/googlecolab/colab-cdn-widget-manager): a model is made in the
frame that shows it, from the state that the host gives; what the page changes goes to the kernel by the host, and what
the kernel changes comes back by it. The kernel is this process.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from ipywidgets.widgets import widget
from playwright.sync_api import expect

import minigrad as mg
from minigrad import viz

FRAME = """
<!doctype html><meta charset="utf-8"><div id="output"></div>
<script type="module">
  class Model {
    static async of(id) {
      const state = JSON.parse(await parent.stateOf(id));
      return Object.assign(new Model(), { id, state, changed: {}, listeners: [], layout: { comm_live: true } });
    }
    get widget_manager() { return { get_model: (id) => Model.of(id) }; }
    get(name) { return name === "layout" ? this.layout : this.state[name]; }
    set(name, value) { this.changed[name] = this.state[name] = value; }
    on(events, listener) { for (const event of events.split(" ")) this.listeners.push({ event, listener }); }
    off(events, gone) { this.listeners = this.listeners.filter(({ listener }) => listener !== gone); }
    async save_changes() {
      const { changed } = this;
      this.changed = {};
      const news = JSON.parse(await parent.change(this.id, JSON.stringify(changed)));
      Object.assign(this.state, news);
      for (const { event, listener } of [...this.listeners])
        if (event.replace("change:", "") in news) listener();
    }
  }
  const model = await Model.of("%s");
  const module = await import(URL.createObjectURL(new Blob([model.get("_esm")], { type: "text/javascript" })));
  await module.default.initialize?.({ model });
  await module.default.render({ model, el: document.getElementById("output") });
</script>
"""


class Kernel:
    """The widgets of this process, as a host asks for them."""

    def __init__(self, steppers: list[Any]) -> None:
        self.news: dict[str, Any] = {}
        for stepper in steppers:
            stepper.comm.send = self.note

    def note(self, data: Any = None, **_: Any) -> None:
        self.news |= data.get("state", {})

    def state_of(self, key: str) -> str:
        return json.dumps(widget._instances[key].get_state())

    def change(self, key: str, changed: str) -> str:
        self.news = {}
        widget._instances[key].set_state(json.loads(changed))
        return json.dumps(self.news)


@pytest.fixture
def steppers() -> list[Any]:
    w, x = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0)
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    return [viz.BackwardStepper((w * x) ** 2), viz.BackwardStepper((a * a).sum())]


def test_each_frame_steps_its_own_pass(pages: Any, steppers: list[Any]) -> None:
    page, kernel = pages.emptied(viewport={"width": 1200, "height": 1500}), Kernel(steppers)
    page.expose_function("stateOf", kernel.state_of)
    page.expose_function("change", kernel.change)
    page.set_content("".join('<iframe style="width:100%;height:700px"></iframe>' for _ in steppers))
    frames = page.frames[1:]
    for frame, stepper in zip(frames, steppers, strict=True):
        frame.set_content(FRAME % stepper.model_id)
    for frame, stepper in zip(frames, steppers, strict=True):
        following = frame.locator(".mg-press-next")
        for step in (1, 2):
            following.click()
            expect(frame.locator(".mg-counter")).to_contain_text(f"step {step} of")
            assert stepper.index == step
    assert [stepper.index for stepper in steppers] == [2, 2]
    expect(frames[0].locator(".mg-sentence").first).to_have_text("mul: w gets g × x.")

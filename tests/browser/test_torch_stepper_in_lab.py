"""A stepper over PyTorch's own graph, in a real JupyterLab: a click runs one node of torch's backward in the kernel."""

from typing import Any

import pytest
from helpers.buttons import press
from playwright.sync_api import Locator, expect

CELLS = [
    "import torch\nfrom torch import nn\nfrom minigrad import viz",
    "torch.manual_seed(0)\nnet = nn.Sequential(nn.Linear(2, 2), nn.Tanh())\nx = torch.ones(1, 2)\n"
    "loss = net(x).sum()\ns = viz.BackwardStepper(loss)\ns",
    "a = torch.tensor([1., 2.], requires_grad=True)\nw = torch.tensor([3., 4.], requires_grad=True)\nb = a * a\n"
    "def tell(g):\n    print('seen <b>', g.tolist())\n    raise SystemExit('not today')\n"
    "b.register_hook(tell)\ntelling = viz.BackwardStepper((b * w).sum())\ntelling",
]


@pytest.fixture(scope="module", autouse=True)
def notebook(server: Any, torch: Any) -> None:
    server.write("torch_graphs.ipynb", CELLS)
    server.trust()


def stepper(lab: Any, number: int) -> Locator:
    """One of the notebook's two steppers. Each serves one test."""
    if lab.notebook != "torch_graphs.ipynb":
        lab.open("torch_graphs.ipynb")
    expect(lab.page.locator(".minigrad-stepper")).to_have_count(2)  # else the second may stand first
    widget: Locator = lab.page.locator(".minigrad-stepper").nth(number)
    expect(widget).to_be_visible(timeout=30_000)
    widget.scroll_into_view_if_needed()
    return widget


def test_next_and_back_run_torchs_backward(lab: Any) -> None:
    widget = stepper(lab, 0)
    names = widget.locator(".mg-box .mg-name").all_text_contents()
    assert {"net.0.weight", "net.0.bias", "x", "loss"} <= set(names)
    assert lab.kernel("print(net[0].bias.grad)") == "None"
    for step in range(1, 5):
        widget.locator(".mg-press-next").click()
        expect(widget).to_have_attribute("data-step", str(step))
    assert lab.kernel("print(s.frame.op, s.frame.name)") == "AccumulateGrad net.0.bias"
    held = lab.kernel("print(net[0].bias.grad.tolist() == (1 - net(x)[0] ** 2).tolist())")
    assert held == "True"
    widget.locator(".mg-press-last").click()
    expect(widget).to_have_attribute("data-step", "6")
    twin = "g = torch.autograd.grad(net(x).sum(), net[0].weight)[0]; print(torch.equal(g, net[0].weight.grad))"
    assert lab.kernel(twin) == "True"
    press(widget, "first")
    expect(widget).to_have_attribute("data-step", "0")
    assert lab.kernel("print(net[0].weight.grad, net[0].bias.grad)") == "None None"


def test_a_click_shows_what_a_hook_prints_and_that_it_ends_the_pass_but_not_the_kernel(lab: Any) -> None:
    widget = stepper(lab, 1)
    widget.locator(".mg-press-last").click()
    happened = widget.locator(".mg-happened")
    expect(happened).to_contain_text("This step failed. SystemExit: not today")
    expect(happened).to_contain_text("Your code printed:seen <b> [3.0, 4.0]")
    expect(happened).to_contain_text("The tensor hook tell got [3, 4], the gradient of b, and raised SystemExit")
    assert lab.kernel("print(telling.frame.failed, w.grad.tolist(), a.grad)") == "True [1.0, 4.0] None"
    press(widget, "first")
    expect(widget).to_have_attribute("data-step", "0")
    assert lab.kernel("print(w.grad)") == "None"

"""What goes wrong under a stepper's feet, on graphs of minigrad's and of PyTorch's: a clear message, and on it goes."""

import gc
import json
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets
import numpy as np
import pytest
from conftest import require
from ipywidgets.widgets.widget import _instances
from viz.cells import cell

import minigrad as mg
from minigrad import viz

torch: Any = require("torch")
both = pytest.mark.parametrize("library", [mg, torch], ids=["minigrad", "torch"])
ODD_VARIABLES = """
base = library.zeros(3)
with library.no_grad():
    lost = base[:2]
base.mul_(w)  # now lost.grad_fn raises
class Odd:
    requires_grad = False
    @property
    def grad_fn(self):
        raise ValueError("not today")
class Model:
    def named_parameters(self):
        raise ValueError("not today")
class Proxy:
    @property
    def __class__(self):
        raise RuntimeError("not today")
class Lazy:
    def __getattr__(self, name):
        raise RuntimeError("not today")
odd, model, proxy, lazy = Odd(), Model(), Proxy(), Lazy()
several = [lost, odd, model, proxy, lazy, w]
"""
USED = "Trying to backward through the graph a second time"


@pytest.fixture(autouse=True)
def no_widget_stays() -> Iterator[None]:
    yield
    ipywidgets.Widget.close_all()


def leaf(library: Any, *values: float) -> Any:
    return library.tensor(list(values), requires_grad=True)


def click(stepper: viz.BackwardStepper, **request: Any) -> str:
    """What the page would ask for, again as long as there is more of it; returns what the widget then says is wrong, ""
    for nothing.
    """
    goes_on = True
    while goes_on:
        stepper.request = {**request, "nth": stepper.answered + 1}
        assert stepper.answered == stepper.request["nth"]
        goes_on = stepper.stopped.get("more") is True
    return str(stepper.problem.get("text", ""))


def grad(tensor: Any) -> Any:
    return None if tensor.grad is None else tensor.grad.tolist()


def events(stepper: viz.BackwardStepper, kind: str) -> list[str]:
    return [event.text for event in stepper.frame.events if event.kind == kind]


# ---------------------------------------------------------------- a graph that changes while it is stepped


@both
def test_a_variable_that_cannot_be_looked_at_is_in_nobodys_way(library: Any) -> None:
    scope = cell(
        f"w = library.ones(3, requires_grad=True)\n{ODD_VARIABLES}loss = (w * w).sum()\n"
        "drawn, stepper = viz.draw(loss), viz.BackwardStepper(loss)\n",
        library=library,
    )
    assert [box.name for box in scope["drawn"].graph.boxes] == ["w", "t0", "loss"]
    scope["stepper"].last()
    assert scope["w"].grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.filterwarnings("ignore:.*prototype:UserWarning", "ignore:Lazy modules:UserWarning")
def test_a_parameter_without_a_shape_and_a_nested_tensor_are_in_nobodys_way() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    scope = cell(
        "w = torch.ones(3, requires_grad=True)\nlazy = torch.nn.LazyLinear(2)\nloss = (w * w).sum()\n"
        "drawn = viz.draw(loss)\n",
        torch=torch,
        nested=nested,
    )
    assert [box.name for box in scope["drawn"].graph.boxes] == ["w", "t0", "loss"]


@both
def test_a_saved_tensor_is_written_to_between_two_clicks(library: Any) -> None:
    a, w = leaf(library, 1.0, 2.0), leaf(library, 3.0, 4.0)
    b = a * a
    stepper = viz.BackwardStepper((b * b).sum() + w.sum(), names={"a": a, "w": w, "b": b})
    click(stepper, to=4)
    with library.no_grad():
        b.mul_(2)
    assert "has been modified by an inplace operation" in click(stepper, to=99)
    assert stepper.frame.failed
    (text,) = events(stepper, "version_mismatch")
    assert "saved b at version 0, and needs it as it was then; it is at version 1 now" in text
    assert (grad(w), grad(a)) == ([1.0, 1.0], None)  # what the steps before have put in stays
    click(stepper, to=0)
    assert grad(w) is None
    click(stepper, to=4)
    assert (stepper.index, grad(w)) == (4, [1.0, 1.0])


@both
def test_another_backward_over_a_retained_graph_while_it_is_stepped(library: Any) -> None:
    a = leaf(library, 1.0, 2.0)
    loss = (a * a).sum()
    stepper = viz.BackwardStepper(loss, retain_graph=True, names={"a": a})
    click(stepper, to=2)
    loss.backward(retain_graph=True)
    assert click(stepper, to=3) == ""
    assert grad(a) == [4.0, 8.0]
    click(stepper, to=2)
    assert grad(a) == [2.0, 4.0]  # what the other backward left is no step of this pass, and stays
    (text,) = events(stepper, "error")
    assert "a.grad was None after this step and is [2, 4] now: something else changed it" in text


@both
def test_a_graph_is_used_up_under_the_stepper(library: Any) -> None:
    a = leaf(library, 1.0, 2.0)
    loss = (a * a).sum()
    stepper = viz.BackwardStepper(loss, names={"a": a})
    click(stepper, to=1)
    loss.backward()
    assert USED in click(stepper, to=2)
    assert (stepper.frame.failed, grad(a)) == (True, [2.0, 4.0])
    assert any(USED in text for text in events(stepper, "error"))
    assert USED in click(stepper, to=3)  # and the kernel goes on
    assert stepper.index == 2


# ---------------------------------------------------------------- two steppers, and a graph that was used


@both
def test_two_steppers_on_one_retained_graph_add_up_and_say_so(library: Any) -> None:
    a = leaf(library, 1.0, 2.0)
    loss = (a * a).sum()
    one, other = (viz.BackwardStepper(loss, retain_graph=True, names={"a": a}) for _ in range(2))
    for step in range(1, 4):
        assert click(one, to=step) == click(other, to=step) == ""
    assert grad(a) == [4.0, 8.0]
    click(one, to=0)
    assert grad(a) is None
    click(one, to=3)
    assert grad(a) == [4.0, 8.0]  # what was there when this frame was left
    (text,) = events(one, "error")
    assert "a.grad was [2, 4] after this step and is [4, 8] now: something else changed it" in text
    assert not [event.title for frame in (*one.frames, *other.frames) for event in frame.events if "hook" in event.kind]


def test_the_second_of_two_steppers_on_one_graph_says_that_the_first_has_used_it() -> None:
    a = leaf(mg, 1.0, 2.0)
    loss = (a * a).sum()
    one, other = viz.BackwardStepper(loss), viz.BackwardStepper(loss)
    one.last()
    assert USED in click(other, to=3)
    assert (other.index, grad(a)) == (2, [2.0, 4.0])


@both
def test_a_used_graph_says_at_once_what_is_gone_and_fails_where_it_is_needed(library: Any) -> None:
    a = leaf(library, 1.0, 2.0)
    b = a * a
    loss = b.sum()
    loss.backward()
    stepper = viz.BackwardStepper(loss, names={"a": a, "b": b, "loss": loss})
    (text,) = events(stepper, "freed")
    assert text.startswith("MulBackward0, which made b, has no saved tensors any more")
    assert "Compute loss again, or pass retain_graph=True to the earlier backward()." in text
    assert click(stepper, to=1) == ""
    assert USED in click(stepper, to=2)
    assert events(stepper, "freed") == ["what MulBackward0 of b had saved is gone: a"]
    click(stepper, to=0)
    assert grad(a) == [2.0, 4.0]


# ---------------------------------------------------------------- hooks


def hooked(library: Any, hook: Callable[[Any], Any]) -> tuple[viz.BackwardStepper, Any, Any]:
    """A stepper over a graph whose second product has a hook; the leaf `w` is reached before it, `a` behind it."""
    a, w = leaf(library, 1.0, 2.0), leaf(library, 3.0, 4.0)
    b = a * a
    b.register_hook(hook)
    return viz.BackwardStepper((b * w).sum(), names={"a": a, "b": b, "w": w}), a, w


@both
@pytest.mark.parametrize("error", [ValueError("not today"), SystemExit(3), KeyboardInterrupt()])
def test_a_hook_that_raises_on_a_click_ends_the_pass_and_not_the_kernel(library: Any, error: BaseException) -> None:
    def refuse(g: Any) -> None:
        raise error

    stepper, a, w = hooked(library, refuse)
    assert click(stepper, to=99).startswith(type(error).__name__)
    assert (stepper.frame.failed, stepper.frame.name) == (True, "b")
    (text,) = events(stepper, "tensor_hook")
    assert text.startswith("The tensor hook refuse got [3, 4], the gradient of b, and raised ")
    assert (grad(w), grad(a)) == ([1.0, 4.0], None)
    click(stepper, to=0)
    assert grad(w) is None
    click(stepper, to=3)
    assert (stepper.index, grad(w)) == (3, [1.0, 4.0])


def test_where_a_hook_runs_a_backward_that_fails_the_node_with_the_hook_has_failed() -> None:
    def refuse(g: Any) -> None:
        raise ValueError("not today")

    w = leaf(mg, 1.0, 4.0)
    inner = w * w
    inner.register_hook(refuse)
    outer = w * 3
    outer.register_hook(lambda g: inner.backward(mg.ones(2), retain_graph=True))
    stepper = viz.BackwardStepper((inner * outer).sum(), names={"w": w, "inner": inner, "outer": outer})
    assert click(stepper, to=99).startswith("ValueError: not today")
    assert (stepper.frame.failed, stepper.frame.name) == (True, "outer")


@both
@pytest.mark.parametrize("given", ["nonsense", 7], ids=["text", "number"])
def test_a_hook_that_returns_no_gradient_is_named(library: Any, given: Any) -> None:
    stepper, _, _ = hooked(library, lambda g: given)
    assert f"expected Variable, but hook returned '{type(given).__name__}'" in click(stepper, to=99)
    assert stepper.frame.failed


@both
def test_a_hook_cannot_step_the_stepper_that_runs_it(library: Any) -> None:
    steppers: list[viz.BackwardStepper] = []
    stepper, a, w = hooked(library, lambda g: steppers[0].next() and None)
    steppers.append(stepper)
    assert "this stepper is in the middle of a step" in click(stepper, to=99)
    assert (grad(w), grad(a)) == ([1.0, 4.0], None)


@both
def test_a_hook_that_runs_a_backward_of_its_own(library: Any) -> None:
    other = leaf(library, 5.0)

    def again(g: Any) -> None:
        with library.enable_grad():
            (other * 2).sum().backward()

    stepper, a, _ = hooked(library, again)
    assert click(stepper, to=99) == ""
    assert (grad(other), grad(a)) == ([2.0], [6.0, 16.0])


@both
def test_what_a_hook_prints_is_in_the_frame_and_still_printed(library: Any, capsys: pytest.CaptureFixture[str]) -> None:
    stepper, _, _ = hooked(library, lambda g: print("seen:", g.tolist(), "\n<b>bold</b>\x1b[31m\u202e"))
    before = sys.stdout
    click(stepper, to=99)
    assert sys.stdout is before
    assert capsys.readouterr().out == "seen: [3.0, 4.0] \n<b>bold</b>\x1b[31m\u202e\n"
    telling = [frame for frame in stepper.frames if "Your code printed:" in [line.text for line in frame.story]]
    assert [frame.name for frame in telling] == ["b"]
    texts = [line.text for line in telling[0].story]
    assert texts[texts.index("Your code printed:") + 1] == "seen: [3.0, 4.0] \n<b>bold</b>\ufffd[31m\ufffd"
    assert "      <b>bold</b>\ufffd[31m" in stepper.trace()


def test_a_hook_that_prints_a_book_is_told_in_short() -> None:
    stepper, _, _ = hooked(mg, lambda g: print("\n".join("x" * 10_000 for _ in range(1000))))
    click(stepper, to=99)
    (code,) = [line.text for frame in stepper.frames for line in frame.story if "xxx" in line.text]
    assert len(code) < 1000
    assert code.endswith("…")


def test_what_is_printed_before_a_failure_is_told_too() -> None:
    def tell_and_fail(g: Any) -> None:
        print("so far")
        raise ValueError

    stepper, _, _ = hooked(mg, tell_and_fail)
    click(stepper, to=99)
    assert [line.text for line in stepper.frame.story[-3:-1]] == ["Your code printed:", "so far"]


# ---------------------------------------------------------------- hostile names and values

HOSTILE = ["</script><img src=x onerror=alert(1)>", "a\x00b\x1b[2J\u202e\u2028c", "x" * 1_000_000, "", " \n\t", "∂/∂"]


@both
def test_hostile_names_are_text_and_short(library: Any, tmp_path: Any) -> None:
    tensors = {name: leaf(library, float(number)) for number, name in enumerate(HOSTILE)}
    loss = sum((tensor * tensor for tensor in tensors.values()), start=library.zeros(1)).sum()
    stepper = viz.BackwardStepper(loss, names=tensors)
    assert click(stepper, to=99) == ""
    stepper.save_html(tmp_path / "step.html")
    page = (tmp_path / "step.html").read_text(encoding="utf-8")
    drawn = viz.draw(loss, names=tensors)
    for text in (page, drawn.svg, str(drawn), stepper.trace(), repr(stepper)):
        assert len(text) < 2_000_000
        assert "<img" not in text.replace("&lt;", "") or text in (str(drawn), stepper.trace())
        assert not any(character in text for character in "\x00\x1b\u202e\u2028")
    assert len(json.dumps(stepper.get_state(["kept", "ran"]))) < 200_000


@both
def test_an_error_of_a_megabyte_is_told_in_short(library: Any) -> None:
    def shout(g: Any) -> None:
        raise ValueError("no <b>way</b>\x1b[31m" + "x" * 1_000_000)

    stepper, _, w = hooked(library, shout)
    problem = click(stepper, to=99)
    assert problem.startswith("ValueError: no <b>way</b>\ufffd[31mxxx")
    assert len(problem) < 500
    assert len(json.dumps(stepper.get_state(["kept", "ran", "problem"]))) < 100_000
    assert grad(w) == [1.0, 4.0]


@both
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38, 1e-45])
def test_numbers_at_the_edge_are_shown_and_kept(library: Any, value: float) -> None:
    a = leaf(library, value, 1.0)
    loss = (a * a).sum()
    stepper = viz.BackwardStepper(loss, names={"a": a})
    assert click(stepper, to=99) == ""
    left = np.array(a.grad.detach().numpy())
    click(stepper, to=0)
    click(stepper, to=99)
    assert np.array_equal(a.grad.detach().numpy(), left, equal_nan=True)
    json.loads(json.dumps(stepper.recorded, allow_nan=False))


JUNK: list[dict[str, Any]] = [
    *({"to": "x"}, {"to": None}, {"to": True}, {"to": -5}, {"to": 1.5}, {"to": [1]}),
    *({"box": "nope"}, {"box": 5}, {"box": None}, {}, {"run": 1}, {"run": "yes"}),
]


@both
@pytest.mark.parametrize("request_", JUNK, ids=str)
def test_a_request_that_nobody_understands_does_nothing(library: Any, request_: dict[str, Any]) -> None:
    a = leaf(library, 1.0)
    stepper = viz.BackwardStepper((a * a).sum())
    assert click(stepper, **request_) == ""
    assert (stepper.index, grad(a)) == (0, None)
    stepper.breaks = [{"when": "__import__('os')"}, 5, {"box": "zz"}, None]
    assert stepper.breaks == []
    stepper.last()
    assert grad(a) == [2.0]


def closed_before_it_was_shown() -> tuple[Any, weakref.ref[mg.Tensor]]:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    stepper = viz.BackwardStepper(x.exp().sum())
    stepper.close()
    return stepper, weakref.ref(x)


def test_a_closed_stepper_that_was_never_shown_keeps_no_graph_alive() -> None:
    stepper, leaf = closed_before_it_was_shown()
    gc.collect()
    assert leaf() is None
    assert len(stepper.frames) == 1


OF_THE_SESSION = [f"steps.session.{part}" for part in ("GradsByFrame", "ValuesNow", "Breakpoints", "Levels")]
PARTS_OF_A_STEPPER = [*OF_THE_SESSION, "stepper.picture_of", "stepper.shared_code"]


@pytest.mark.parametrize("part", PARTS_OF_A_STEPPER)
def test_a_stepper_whose_making_was_stopped_can_be_closed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"minigrad.viz.{part}", stopped)
    before = set(_instances)
    with pytest.raises(KeyboardInterrupt):
        viz.BackwardStepper(leaf(mg, 1.0, 2.0).sum())
    for half in [widget for key, widget in _instances.items() if key not in before]:
        half.close()
    assert set(_instances) == before


def test_the_lines_of_an_error_stay_lines_on_the_page() -> None:
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    b = a * 2
    c = b * b
    b.detach().clamp_(0, 1)
    stepper = viz.BackwardStepper(c.sum())
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        stepper.last()
    (text,) = [event.to_json()["text"] for event in stepper.frames[-1].events if event.kind == "error"]
    assert text == str(raised.value)
    assert text.count("\n") >= 3

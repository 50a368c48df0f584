"""What an answer leaves behind: in its arguments and in modes. It is seen, told, and put back."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from teach.answers import said

import minigrad as mg
from minigrad.autograd.modes import thread
from minigrad.teach import EXERCISES, Case, Exercise, Mistake, Noted, apart, traces
from minigrad.teach.exercise import ERRORS, STOPPED
from minigrad.teach.observing import StoppedError
from minigrad.teach.traces import modes_now


def total(tensors, h):
    return sum(tensor.detach().sum().item() for tensor in tensors) + h.detach().sum().item()


def only_h(tensors, h):
    """Only h is in it."""
    return h.detach().sum().item()


def _made():
    first = mg.tensor([1.0, 2.0], requires_grad=True)
    first.grad = mg.tensor([5.0, 5.0])
    return [first, mg.ones(2)], mg.tensor([3.0, 4.0], requires_grad=True) * 2


SEED = 2187  # that is there already

EXERCISE = Exercise(
    title="the sum of all numbers",
    stars=1,
    minutes=1,
    reference=total,
    cases=(Case("two tensors and h", _made),),
    hints=("Add.", "Add all.", "sum()"),
    mistakes=(only_h,),
)


def leaving(change: Callable[[Any, Any], object]) -> Callable[..., Any]:
    """The right answer, and a change beside it."""

    def answer(tensors, h):
        found = total(tensors, h)
        change(tensors, h)
        return found

    return answer


def leaf_of(h):
    return h.grad_fn.next_functions[0][0]


def written_in_place(tensors, h):
    with mg.no_grad():
        tensors[1][0] = 7


def pack_nothing(tensors, h):
    mg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()


IN_ARGUMENTS = [
    (written_in_place, "tensors[1] holds other numbers than before. Work on a copy, as clone() makes"),
    (lambda tensors, h: tensors.pop(), "tensors has other items than before, or another order"),
    (lambda tensors, h: tensors.reverse(), "tensors has other items than before, or another order"),
    (lambda tensors, h: tensors.__setitem__(1, mg.ones(2)), "tensors has other items than before, or another order"),
    (lambda tensors, h: tensors[1].requires_grad_(), "tensors[1].requires_grad is not what it was"),
    (lambda tensors, h: setattr(tensors[0], "grad", None), "tensors[0].grad is not what it was"),
    (lambda tensors, h: tensors[0].sum().backward(), "tensors[0].grad is not what it was"),
    (lambda tensors, h: tensors[0].register_hook(print), "tensors[0] has other hooks than before"),
    (lambda tensors, h: h.register_hook(print), "h has other hooks than before"),
    (lambda tensors, h: h.retain_grad(), "the nodes behind h have other hooks or metadata than before"),
    (
        lambda tensors, h: h.grad_fn.metadata.update(met=True),
        "the nodes behind h have other hooks or metadata than before",
    ),
    (
        lambda tensors, h: leaf_of(h).register_prehook(print),
        "the nodes behind h have other hooks or metadata than before",
    ),
    (lambda tensors, h: setattr(leaf_of(h).variable, "met", True), "leaf 1 behind h has other attributes than before"),
    (lambda tensors, h: setattr(tensors[1], "met", True), "tensors[1] has other attributes than before"),
    (lambda tensors, h: h.detach_(), "h has another grad_fn than before"),
    (lambda tensors, h: tensors[1].mul_(1), "tensors[1] was written to, even if it holds the same numbers again"),
]
WITH = "A mode that is entered in a `with` ends there, after an error, too."
ALWAYS = (
    "requires_grad is not what it was",
    "other hooks than before",
    "other hooks or metadata than before",
    "other attributes than before",
)  # wrong where an answer is to write, too
IN_MODES = [
    (lambda tensors, h: mg.set_grad_enabled(False), "grad mode is off"),
    (lambda tensors, h: mg.inference_mode().__enter__(), "inference mode is on"),
    (lambda tensors, h: mg.autograd.set_detect_anomaly(True), "anomaly mode is not what it was"),
    (lambda tensors, h: mg.set_default_dtype(mg.float64), "the default dtype is minigrad.float64"),
    (pack_nothing, "the hooks on saved tensors are others"),
    (lambda tensors, h: np.seterr(divide="raise"), "numpy's handling of errors is another"),
    (lambda tensors, h: warnings.simplefilter("ignore"), "warnings are filtered otherwise"),
    (lambda tensors, h: mg.autograd.profiler.profile().__enter__(), "the profiler is on"),
    (lambda tensors, h: mg.manual_seed(1), "a seed was set, so that the random numbers begin anew"),
    (lambda tensors, h: mg.manual_seed(SEED), "a seed was set, so that the random numbers begin anew"),
]
TOLD = [
    (lambda tensors, h: mg.rand(3), "the random numbers to come are others"),
]


@pytest.mark.parametrize(("change", "words"), IN_ARGUMENTS, ids=[words for _, words in IN_ARGUMENTS])
def test_a_right_answer_that_changes_what_it_was_given_is_refused(change, words: str) -> None:
    card = EXERCISE.check(leaving(change))
    assert card.title == "total: changes its input"
    assert f"The answer is right, but afterwards {words}" in said(card)["likely"]
    asked_to_write = replace(EXERCISE, writes=True).check(leaving(change))
    assert asked_to_write.kind == ("bad" if words.endswith(ALWAYS) else "good")


@pytest.mark.parametrize("forks", [True, False])
@pytest.mark.parametrize(("change", "words"), IN_MODES, ids=[words for _, words in IN_MODES])
def test_a_mode_that_is_left_on_is_told_and_put_back(
    change, words: str, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "FORKS", forks and apart.FORKS)
    mg.manual_seed(SEED)
    before = modes_now()
    for exercise in (EXERCISE, replace(EXERCISE, writes=True)):
        card = exercise.check(leaving(change))
        assert card.title == "total: leaves something behind"
        assert f"The answer is right, but afterwards {words}." in said(card)["likely"]
        assert (WITH in said(card)["likely"]) == ("default dtype" not in words and "seed" not in words)
        assert modes_now() == before
    fails = EXERCISE.check(lambda tensors, h: change(tensors, h) and None)
    assert said(fails)["besides"].startswith(f"Afterwards {words}.")

    def raises(tensors, h):
        change(tensors, h)
        raise ValueError

    assert "raises ValueError" in EXERCISE.check(raises).title
    assert modes_now() == before


def test_what_an_import_changes_is_not_the_answers_doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of warnings, as torch does when it comes. What cannot be imported is the function's own error."""
    (tmp_path / "comes_with_a_filter.py").write_text("import warnings\nwarnings.simplefilter('once')\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports(tensors, h):
        import comes_with_a_filter  # noqa: F401

        return total(tensors, h)

    def imports_within(tensors, h):
        return (lambda: imports(tensors, h))()

    def is_not_there(tensors, h):
        import comes_with_a_filtre  # noqa: F401

    for answer in (imports, imports_within, functools.partial(imports)):
        assert EXERCISE.check(answer).kind == "good"
    assert EXERCISE.check(is_not_there).title == "total: raises ModuleNotFoundError"


def test_what_an_answer_may_import_is_not_imported_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends_all.py").write_text("raise SystemExit\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports_never(tensors, h):
        if h is None:
            import ends_all  # noqa: F401
        return total(tensors, h)

    def imports(tensors, h):
        import ends_all  # noqa: F401

    assert EXERCISE.check(imports_never).kind == "good"
    card = EXERCISE.check(imports)
    assert card.title == "total: raises SystemExit"
    assert said(card)["in your line"].strip().startswith("import ends_all")


def mean_of(f, model, x):
    return f(model(x)).mean().item()


def _with_a_model():
    mg.manual_seed(0)
    model = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.BatchNorm1d(2)).eval()
    return Noted("mg.sin", mg.sin), model, mg.ones(3, 2)


OF_A_MODEL = replace(EXERCISE, reference=mean_of, cases=(Case("mg.sin, a model and ones", _with_a_model),), mistakes=())
IN_MODELS = [
    (lambda model: model.train(), "model.training is not what it was, and model.0.training is not"),
    (lambda model: model[1].train(), "model.1.training is not what it was"),
    (lambda model: model[0].register_forward_hook(lambda *given: None), "model.0 has other hooks than before"),
    (lambda model: model[0].weight.requires_grad_(False), "model.0.weight.requires_grad is not what it was"),
    (lambda model: model[0].bias.register_hook(lambda gradient: None), "model.0.bias has other hooks"),
]


@pytest.mark.parametrize(("change", "words"), IN_MODELS, ids=[words for _, words in IN_MODELS])
def test_what_is_left_in_a_model_is_seen_where_an_answer_is_to_write_too(change, words: str) -> None:
    for exercise in (OF_A_MODEL, replace(OF_A_MODEL, writes=True)):
        card = exercise.check(lambda f, model, x: (mean_of(f, model, x), change(model))[0])
        assert card.title == "mean_of: changes its input"
        assert words in said(card)["likely"]
    written = replace(OF_A_MODEL, reference=lambda f, model, x: (mean_of(f, model, x), change(model))[0])
    assert written.check(lambda f, model, x: (mean_of(f, model, x), change(model))[0]).kind == "good"


def test_numbers_in_a_model_count_where_an_answer_is_not_to_write() -> None:
    def averaged(f, model, x):
        found = mean_of(f, model, x)
        try:
            model.train()(x)
        finally:
            model.eval()
        return found

    def remembered(f, model, x):
        model[1].was = model.training
        return mean_of(f, model, x)

    for answer, words in ((averaged, "running_mean holds other numbers"), (remembered, "has other attributes")):
        assert f"{words} than before" in said(OF_A_MODEL.check(answer))["likely"]
        assert replace(OF_A_MODEL, writes=True).check(answer).kind == "good"


def doubled(x):
    return x * 2


def twice_and_size(x):
    return [2 * x], x.numel()


def test_no_later_call_changes_an_earlier_result() -> None:
    def in_a_buffer(x, buffers={}):  # noqa: B006
        return buffers.setdefault(x.shape, mg.empty(x.shape)).copy_(x * 2)

    def in_a_list(x, found=[]):  # noqa: B006
        found[:] = (x * 2).tolist()
        return found

    given = tuple(Case(f"x = {x}", lambda x=x: (mg.tensor(x),)) for x in ([1.0, 2.0], [0.0], [3.0, 4.0]))
    exercise = replace(EXERCISE, reference=doubled, cases=given, mistakes=())
    card = exercise.check(in_a_buffer)
    assert card.title == "doubled: a later call changes an earlier result"
    assert said(card)["input"] == "x = [1.0, 2.0]"
    assert (said(card)["yours"], said(card)["yours now"]) == ("tensor([2, 4])", "tensor([6, 8])")
    assert said(card)["likely"].startswith("The answer was right, and a later call has changed it")
    assert replace(exercise, reference=in_a_buffer).check(in_a_buffer).kind == "good"
    of_lists = replace(exercise, reference=lambda x: (x * 2).tolist())
    assert of_lists.check(in_a_list).title.endswith("a later call changes an earlier result")
    assert of_lists.check(lambda x: doubled(x).tolist()).kind == "good"


def test_no_call_gives_out_what_an_earlier_one_has() -> None:
    """In a tensor, in an array of it, or in the same list: found by a call with the first case once more."""
    of_arrays = Exercise(
        title="twice x, in a list, and its size", stars=1, minutes=1, reference=twice_and_size, hints=(), mistakes=(),
        cases=(Case("x = [1.0]", lambda: (mg.tensor([1.0]),)), Case("x = [2.0]", lambda: (mg.tensor([2.0]),))),
    )  # fmt: skip
    known: dict[float, Any] = {}

    def by_number(x):
        return known.setdefault(x.item(), twice_and_size(x))

    def by_memory(x):
        found = known.setdefault(-x.item(), twice_and_size(x)[0][0])
        return [found.view(1)], 1

    for answer, kind in ((by_number, "list"), (by_memory, "memory")):
        card = of_arrays.check(answer)
        assert card.title == "twice_and_size: gives out the same thing twice"
        assert f"a second call gave out the same {kind} as the first" in said(card)["likely"]
    assert of_arrays.check(lambda x: ([x + x], 1)).kind == "good"


def test_what_the_reference_gives_out_twice_an_answer_may() -> None:
    names = ["a", "b"]

    def letters(count):
        return names

    exercise = Exercise(
        title="the letters, always the same list", stars=1, minutes=1, reference=letters, hints=(), mistakes=(),
        cases=(Case("count = 2", lambda: (2,)),),
    )  # fmt: skip
    assert exercise.check(lambda count: names).kind == "good"


def test_no_mode_is_left_on_when_a_function_that_was_given_raises() -> None:
    def by_hand(f, model, x):
        mg.set_grad_enabled(False)
        found = f(model(x)).mean().item()
        mg.set_grad_enabled(True)
        return found

    def in_a_block(f, model, x):
        with mg.no_grad():
            return f(model(x)).mean().item()

    before = modes_now()
    card = OF_A_MODEL.check(by_hand)
    assert card.title == "mean_of: leaves something behind"
    assert f"if mg.sin raises an error, then grad mode is off. {WITH}" in said(card)["likely"]
    assert OF_A_MODEL.check(in_a_block).kind == "good"
    assert replace(OF_A_MODEL, reference=by_hand).check(by_hand).kind == "good"
    assert modes_now() == before


OF_A_MODEL_ALONE = replace(
    OF_A_MODEL,
    reference=lambda model, x: model(x).mean().item(),
    cases=(Case("a model and ones", lambda: _with_a_model()[1:]),),
)


def test_what_is_put_back_after_an_exception_alone_is_left_after_another_error() -> None:
    """The stop button raises no Exception."""

    def evaluated(model, x):
        handle = model[0].register_forward_pre_hook(lambda *given: None)
        model[1].train()
        model[1].eval()
        try:
            return model(x).mean().item()
        finally:
            handle.remove()

    def evaluated_after_an_exception(model, x):
        handle = model[0].register_forward_pre_hook(lambda *given: None)
        try:
            found = model(x).mean().item()
        except Exception:
            handle.remove()
            raise
        handle.remove()
        return found

    assert OF_A_MODEL_ALONE.check(evaluated).kind == "good"
    told = said(OF_A_MODEL_ALONE.check(evaluated_after_an_exception))["likely"]
    assert f"if model raises {STOPPED}, then model.0 has other hooks than before" in told
    assert replace(OF_A_MODEL_ALONE, may_leave=("hooks",)).check(evaluated_after_an_exception).kind == "good"


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_of_any_kind_goes_on_to_who_called(kind: type[BaseException]) -> None:
    def stopped(f, model, x):
        try:
            return f(model(x)).mean().item()
        except kind:
            return 0.0

    def replaced(f, model, x):
        try:
            return f(model(x)).mean().item()
        except kind as error:
            raise ArithmeticError("no mean") from error

    def let_go(f, model, x):
        try:
            return f(model(x)).mean().item()
        except kind:
            raise

    exercise = replace(OF_A_MODEL, errors_go_on=True)
    for answer, came in ((stopped, "no error comes out."), (replaced, "another one comes out, ArithmeticError.")):
        card = exercise.check(answer)
        assert card.title == "mean_of: keeps an error to itself"
        raised = STOPPED if kind is StoppedError else f"a {kind.__name__}"
        assert f"if mg.sin raises {raised}, then {came}" in said(card)["likely"]
        assert OF_A_MODEL.check(answer).kind == "good"
    assert exercise.check(let_go).kind == "good"


def test_a_gradient_of_before_is_neither_used_nor_added_to() -> None:
    def by_backward(x):
        (x * x).sum().backward()
        return x.grad.clone()

    def to_be_cleared(x):
        found = by_backward(x)
        x.grad = None
        return found

    case = Case("x = 3", lambda: (mg.tensor(3.0, requires_grad=True),))
    exercise = replace(EXERCISE, reference=lambda x: x.detach() * 2, cases=(case,), mistakes=())
    for wrong, words in ((by_backward, "yours tensor(13)"), (to_be_cleared, "x.grad is not what it was")):
        card = exercise.check(wrong)
        assert (
            said(card)["input"] == "x = 3; and each tensor that requires a gradient has a hook, "
            "and each .grad that was None is full of 7 from an earlier walk"
        )
        assert words in " ".join(repr(card).split())
    assert exercise.check(lambda x: mg.autograd.grad((x * x).sum(), x)[0]).kind == "good"
    assert replace(exercise, reference=by_backward).check(to_be_cleared).kind == "good", "asked for where there is none"


def test_hooks_of_others_stay() -> None:
    def without_hooks(tensors, h):
        if h._backward_hooks:
            h._backward_hooks.clear()
        return total(tensors, h)

    def with_a_hook_of_its_own(tensors, h):
        h.register_hook(lambda gradient: None).remove()
        return total(tensors, h)

    card = EXERCISE.check(without_hooks)
    assert "and each tensor that requires a gradient has a hook" in said(card)["input"]
    assert "h has other hooks than before" in said(card)["likely"]
    assert EXERCISE.check(with_a_hook_of_its_own).kind == "good"


def test_what_was_given_is_let_go_of() -> None:
    kept: list[Any] = []

    def remembers(tensors, h):
        kept.append(h)
        return total(tensors, h)

    def in_a_circle(tensors, h):
        circle = [h]
        circle.append(circle)
        return total(tensors, h)

    card = EXERCISE.check(remembers)
    assert card.title == "total: keeps what it was given"
    assert "h is still in memory, and all that it holds" in said(card)["likely"]
    assert EXERCISE.check(in_a_circle).kind == "good"
    assert replace(EXERCISE, reference=remembers).check(remembers).kind == "good"


def test_a_later_call_gives_the_same() -> None:
    def counted(tensors, h, calls=[0]):  # noqa: B006
        calls[0] += 1
        return total(tensors, h) + (calls[0] == 2)

    card = EXERCISE.check(counted)
    assert said(card)["likely"].startswith("It was right when it was called for the first time")


def test_what_an_earlier_call_has_left_is_told_if_the_input_alone_comes_out_right() -> None:
    def with_the_first(tensors, h, met=[]):  # noqa: B006
        met.append(len(tensors))
        return total(tensors, h) if len(tensors) == met[0] else 0.0

    def of_two(tensors, h):
        return total(tensors, h) if len(tensors) == 2 else 0.0

    other = Case("no tensors and h", lambda: ([], mg.ones(2)))
    exercise = replace(EXERCISE, cases=(*EXERCISE.cases, other))
    told = {answer: said(exercise.check(answer))["likely"] for answer in (with_the_first, of_two)}
    assert told[with_the_first].startswith("This input comes out right if no other one comes before it") == apart.FORKS
    assert told[of_two].startswith("None of the mistakes that are known here")
    looks_known = replace(exercise, mistakes=(Mistake(of_two, when=lambda outcome: True, words="The known one."),))
    told = {answer: said(looks_known.check(answer))["likely"] for answer in (with_the_first, of_two)}
    assert told[with_the_first].startswith("This input comes out right if no other one comes before it") == apart.FORKS
    assert told[of_two] == "The known one."
    first = said(replace(EXERCISE, cases=(other, *EXERCISE.cases)).check(of_two))["likely"]
    assert first.startswith("None of the mistakes that are known here")


def freezes_once(model, met=[]):  # noqa: B006
    if not met:
        EXERCISES["freeze"].reference(model)
    met.append(1)


def steps_with_the_first_optimizer(loss_of, w1, w2, rate, met=[]):  # noqa: B006
    met.append(mg.optim.SGD([w1, w2], lr=rate))
    loss = loss_of(w1, w2)
    loss.backward()
    met[0].step()
    w2.detach().clamp_(-1, 1)
    w1.grad = w2.grad = None
    return loss.item()


def keeps_on_the_class(ctx, grad_output):
    (y,) = ctx.saved_tensors
    if not hasattr(type(ctx), "kept"):
        type(ctx).kept = y.detach()
    kept = type(ctx).kept
    return grad_output * (1 - (kept if kept.shape == y.shape else y) ** 2)


def keeps_by_shape(ctx, grad_output, met={}):  # noqa: B006
    x, w = ctx.saved_tensors
    t = met.setdefault(x.shape, x.detach().tanh())
    return grad_output * w * (1 - t * t), (grad_output * t).sum(0), -grad_output.sum(0)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("freeze", freezes_once),
        ("train_bounded", steps_with_the_first_optimizer),
        ("tanh_backward", keeps_on_the_class),
        ("gate_backward", keeps_by_shape),
    ],
)
def test_what_an_earlier_call_has_left_is_no_known_mistake(name: str, answer) -> None:
    """Though what comes of it looks like one: as if nothing were frozen, or no weight were written to."""
    card = EXERCISES[name].check(answer)
    assert card.kind == "bad", card
    assert said(card)["likely"].startswith("This input comes out right if no other one comes before it") == apart.FORKS


def test_a_backward_without_a_hash_is_tried_as_any() -> None:
    class Equal:
        def __eq__(self, other):
            return isinstance(other, Equal)

        def __call__(self, ctx, grad_output):
            return EXERCISES["tanh_backward"].reference(ctx, grad_output)

    assert EXERCISES["tanh_backward"].check(Equal()).kind == "good"


def test_recording_that_its_caller_has_switched_off_stays_off() -> None:
    def switches_on(tensors, h):
        mg.set_grad_enabled(True)
        return total(tensors, h)

    def in_a_block(tensors, h):
        with mg.enable_grad():
            return total(tensors, h)

    card = EXERCISE.check(switches_on)
    assert card.title == "total: leaves something behind"
    assert "if it is called inside no_grad(), then grad mode is on." in said(card)["likely"]
    assert EXERCISE.check(in_a_block).kind == "good"


def test_a_case_is_tried_alone_and_not_another_one_of_the_same_words() -> None:
    sizes = (1, 2, 3)
    same = tuple(Case("tensors that were drawn", lambda n=n: ([mg.ones(1)] * n, mg.ones(2))) for n in sizes)
    exercise = replace(EXERCISE, cases=(*EXERCISE.cases[:1], *same), mistakes=())

    def not_of_three(tensors, h):
        return total(tensors, h) if len(tensors) != 3 else 0.0

    assert said(exercise.check(not_of_three))["likely"].startswith("None of the mistakes that are known here")


def test_a_known_mistake_is_met_by_its_numbers_up_to_rounding() -> None:
    def known(x):
        """The known one."""
        return np.array([0.1 + 0.2 - 0.3, 5.03])

    exercise = replace(EXERCISE, reference=lambda x: np.array([1.0, 5.0]), mistakes=(known,))
    exercise.cases = (Case("x", lambda: (mg.ones(1),)),)
    assert said(exercise.check(lambda x: np.array([0.0, 5.03])))["likely"] == "The known one."
    assert said(exercise.check(lambda x: np.array([0.0, 5.04])))["likely"] != "The known one."
    assert said(exercise.check(lambda x: [0.0, 5.03]))["likely"] != "The known one."


def test_digits_of_float64_are_kept_where_they_are_asked_for() -> None:
    def mean(x):
        return x.mean(dim=0)

    def in_float32(x):
        return x.float().mean(dim=0)

    def refuses_float64(x):
        if x.dtype != mg.float32:
            raise TypeError("float32")
        return x.mean(dim=0)

    exercise = replace(
        EXERCISE, reference=mean, cases=(Case("x", lambda: (mg.tensor([0.1, 0.3]),)),), mistakes=(lambda x: x,)
    )
    card = exercise.check(in_float32)
    assert said(card)["input"] == "x; all in float64"
    assert "something went through float32" in said(card)["likely"]
    assert exercise.check(refuses_float64).title == "mean: raises TypeError"
    turned = exercise.check(lambda x: x.mean(dim=0) * (1 if x.dtype == mg.float32 else -1))
    assert "This input comes out right: x. What is in" in said(turned)["likely"], "as it does in float32"
    for answer in (in_float32, refuses_float64):
        assert replace(exercise, in_double=0).check(answer).kind == "good"
    assert replace(exercise, reference=refuses_float64).check(in_float32).kind == "good"


def test_of_a_small_number_that_is_another_one_no_digits_are_said_to_be_right() -> None:
    exercise = replace(EXERCISE, reference=lambda x: x * 0.2, mistakes=())
    exercise.cases = (Case("x", lambda: (mg.tensor([1e-9, -2e-9], dtype=mg.float64),)),)
    card = exercise.check(lambda x: x.clone())
    assert said(card)["first difference"] == "the answer[0]: yours 1e-09, expected 2e-10"
    assert said(card)["likely"].startswith("None of the mistakes that are known here")


def test_numbers_of_float64_are_not_rounded() -> None:
    def losses(x):
        return x.mean().item(), [float(one) for one in x]

    def rounded(x):
        return x.mean().item(), [float(f"{one:.6g}") for one in x]

    def summed_in_float32(x):
        return x.float().mean().item(), [float(one) for one in x]

    case = Case("x", lambda: (mg.tensor([1.23456789, 1.1, 2.5e-5]),))
    exercise = replace(EXERCISE, reference=losses, cases=(case,), mistakes=())
    card = exercise.check(rounded)
    assert said(card)["input"] == "x; all in float64"
    assert said(card)["first difference"].startswith(
        "item 2 of 2, item 1 of 3, in the later digits: yours 1.23457, expected"
    )
    assert "was rounded, or was measured" in said(card)["likely"]
    assert exercise.check(summed_in_float32).kind == "good"
    assert replace(exercise, in_double=0).check(rounded).kind == "good"


@pytest.mark.parametrize(("change", "words"), TOLD, ids=[words for _, words in TOLD])
def test_a_trace_that_harms_nobody_is_told_to_who_passed(change, words: str) -> None:
    card = EXERCISE.check(leaving(change))
    assert card.kind == "good"
    assert said(card)["besides"] == f"Afterwards {words}."
    assert "besides" not in said(EXERCISE.check(total))


def test_what_the_reference_leaves_too_is_asked_for() -> None:
    def walked(tensors, h):
        h.sum().backward()
        tensors[0].requires_grad_(False)
        tensors.pop()
        return total(tensors, h)

    def walked_twice(tensors, h):
        h.sum().backward(retain_graph=True)
        return walked(tensors, h)

    asked = replace(EXERCISE, reference=walked)
    assert "besides" not in said(asked.check(lambda tensors, h: walked(tensors, h)))
    card = asked.check(walked_twice)
    assert "leaf 1 behind h.grad is not what it was" in repr(card)


def test_random_numbers_are_put_back_where_nothing_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "FORKS", False)
    mg.manual_seed(0)
    expected = mg.rand(3).tolist()
    mg.manual_seed(0)
    EXERCISE.check(leaving(lambda tensors, h: mg.rand(100)))
    assert mg.rand(3).tolist() == expected


def draw_nothing(tensors, h):
    mg.get_rng_state()
    mg.randn(0)


def draw_and_go_back(tensors, h):
    state = mg.get_rng_state()
    mg.randn(3)
    mg.set_rng_state(state)


def seed_and_go_back(tensors, h):
    state = mg.get_rng_state()
    mg.manual_seed(0)
    mg.randn(3)
    mg.set_rng_state(state)


@pytest.mark.parametrize("change", [draw_nothing, draw_and_go_back, seed_and_go_back])
def test_random_numbers_that_come_as_before_are_no_trace(change) -> None:
    mg.manual_seed(0)
    mg.randn(1)
    assert "besides" not in said(EXERCISE.check(leaving(change)))


USES = {
    "a number that was kept for the next call": lambda: mg.randn(1),  # it takes no word of the stream
    "numbers": lambda: mg.rand(3),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_of_random_numbers_is_a_trace(use: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "FORKS", False)
    mg.manual_seed(0)
    mg.randn(1)
    before, expected = mg.get_rng_state().tolist(), "Afterwards the random numbers to come are others."
    for _ in range(2):  # also when the state is known from the check before
        assert said(EXERCISE.check(leaving(lambda tensors, h: use())))["besides"] == expected
        assert mg.get_rng_state().tolist() == before


def test_the_state_of_random_numbers_is_read_once_while_nobody_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "FORKS", False)
    read: list[int] = []
    monkeypatch.setattr(traces, "get_rng_state", lambda: read.append(1) or mg.get_rng_state())
    mg.manual_seed(0)
    assert EXERCISE.check(total).kind == EXERCISE.check(total).kind == "good"
    assert len(read) == 1


def test_modes_of_the_notebook_are_no_trace() -> None:
    with mg.no_grad(), np.errstate(all="ignore"):
        assert EXERCISE.check(total).kind == "good"
        assert not thread.grad_enabled


def test_a_leaf_that_is_frozen_has_lost_no_hooks() -> None:
    card = EXERCISE.check(leaving(lambda tensors, h: tensors[0].requires_grad_(False)))
    assert "tensors[0].requires_grad is not what it was" in repr(card)
    assert "hooks" not in repr(card)

"""The profiler: what is recorded, what it adds up to, and that nothing is left of it when it is over."""

import contextlib
import gzip
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn as nn
from minigrad import op
from minigrad.autograd import profiler
from minigrad.autograd.modes import modes
from minigrad.autograd.profiler import names, profile, record_function, watched_functions

EVALUATE = "autograd::engine::evaluate_function: "


class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


def program(F, cube):
    """Forward and backward of a bit of everything; all of it exists in PyTorch."""
    x = F.full((3, 4), 0.5, requires_grad=True)
    w = F.full((4, 2), 0.5, requires_grad=True)
    b = F.ones(2, requires_grad=True)
    y = F.tanh(F.mm(x, w) + b)
    z = cube.apply(y) * F.exp(y)
    loss = (z.sum() + F.sin(x).sum()) / 7
    loss.backward()
    return x.grad, w.grad, b.grad


program(mg, Cube)  # the ops are written at their first use, which would be events, too


class Ticks:
    """A clock that goes on by a microsecond each time it is read."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += 1000
        return self.now


def ticking(**options):
    prof = profile(**options)
    prof._clock = Ticks()
    return prof


def product():
    """x * w and its sum, forward and backward, by a clock that ticks once for each beginning and each end."""
    x, w = mg.ones(4, requires_grad=True), mg.ones(4)
    with ticking() as prof:
        (x * w).sum().backward()
    return prof


def tree(prof):
    """The events as (depth, name)."""
    depths = {}
    for event in prof.function_events:
        depths[id(event)] = 0 if event.cpu_parent is None else depths[id(event.cpu_parent)] + 1
    return [(depths[id(event)], event.name) for event in prof.function_events]


def counts(prof):
    return {average.key: average.count for average in prof.key_averages()}


# ---------------------------------------------------------------- exact, by a fake clock


def test_events_of_a_program_are_exactly_these():
    prof = product()
    shown = [
        (depth, name, event.time_range.start, event.time_range.end)
        for (depth, name), event in zip(tree(prof), prof.function_events, strict=True)
    ]
    assert shown == [
        (0, "aten::mul", 1, 2),
        (0, "aten::sum", 3, 4),
        (0, EVALUATE + "SumBackward0", 5, 10),
        (1, "SumBackward0", 6, 9),
        (2, "aten::expand", 7, 8),
        (0, EVALUATE + "MulBackward0", 11, 14),
        (1, "MulBackward0", 12, 13),
        (0, EVALUATE + "torch::autograd::AccumulateGrad", 15, 18),
        (1, "torch::autograd::AccumulateGrad", 16, 17),
    ]


def test_table_is_exactly_this():
    rule = "-------------------------------------------------------" + "  ------------" * 6 + "  "
    rows = [
        (EVALUATE + "SumBackward0", "15.38%", "2.000us", "38.46%", "5.000us", "5.000us", "1"),
        ("SumBackward0", "15.38%", "2.000us", "23.08%", "3.000us", "3.000us", "1"),
        (EVALUATE + "MulBackward0", "15.38%", "2.000us", "23.08%", "3.000us", "3.000us", "1"),
    ]
    head = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
    lines = ["  ".join([row[0].rjust(55), *(cell.rjust(12) for cell in row[1:])]) + "  " for row in (head, *rows)]
    averages = product().key_averages()
    assert averages.self_cpu_time_total == 13
    table = averages.table(sort_by="self_cpu_time_total", row_limit=3).splitlines()
    assert table[:3] == [rule, lines[0], rule]
    assert table[3:6] == lines[1:]
    assert table[6:] == [rule, "Self CPU time total: 13.000us"]


def test_a_block_named_by_the_learner_holds_what_happens_in_it():
    x = mg.ones(3)
    with ticking() as prof:
        with record_function("outer"):
            mg.exp(x)
            with record_function("inner"):
                mg.exp(x)
        mg.exp(x)
    assert tree(prof) == [(0, "outer"), (1, "aten::exp"), (1, "inner"), (2, "aten::exp"), (0, "aten::exp")]
    outer, exp, inner = prof.key_averages()
    assert (outer.cpu_time_total, outer.self_cpu_time_total, outer.scope, outer.is_user_annotation) == (7, 3, 7, True)
    assert (inner.cpu_time_total, inner.self_cpu_time_total) == (3, 2)
    assert (exp.count, exp.cpu_time_total, exp.cpu_time) == (3, 3, 1)


# ---------------------------------------------------------------- sums and counts, by the real clock


def test_self_times_add_up_to_what_happened():
    start = time.perf_counter()
    with profile() as prof:
        for _ in range(5):
            program(mg, Cube)
    wall = (time.perf_counter() - start) * 1e6
    top = [event for event in prof.function_events if event.cpu_parent is None]
    assert prof.self_cpu_time_total == pytest.approx(sum(event.cpu_time_total for event in top), rel=1e-9)
    assert prof.key_averages().self_cpu_time_total == pytest.approx(prof.self_cpu_time_total, rel=1e-9)
    assert 0 < prof.self_cpu_time_total <= wall
    for event in prof.function_events:
        inside = sum(child.cpu_time_total for child in event.cpu_children)
        assert event.self_cpu_time_total == pytest.approx(event.cpu_time_total - inside, abs=1e-6)
        assert event.self_cpu_time_total >= 0
        assert all(child.cpu_parent is event for child in event.cpu_children)
    threads = [event.time_range for event in top]
    assert all(one.end <= other.start for one, other in itertools.pairwise(threads))


def test_a_long_event_takes_as_long_as_it_takes():
    with profile() as prof, record_function("sleep"):
        time.sleep(0.05)
    (event,) = prof.function_events
    assert event.cpu_time_total >= 50_000
    assert event.self_cpu_time_total == event.cpu_time_total


def test_writing_into_a_part_is_an_event(torch):
    def write(F):
        x, y = F.zeros(4, 3), F.ones(3)
        x[0] = y
        x[1:3] = y
        x[[0, 1]] = y
        x[x > 2] = 5.0

    with profile() as ours:
        write(mg)
    with torch.autograd.profiler.profile() as theirs:
        write(torch)
    expected = {"aten::copy_": 2, "aten::index_put_": 2}
    for prof in (ours, theirs):
        top = Counter(event.name for event in prof.function_events if event.cpu_parent is None)
        assert {name: top[name] for name in expected} == expected


def test_calls_are_counted():
    x, w = mg.ones(3, requires_grad=True), mg.ones(3)
    with profile() as prof:
        y = x
        for _ in range(17):
            y = y * w
        for _ in range(5):
            y = mg.sin(y)
        mg.autograd.grad(y.sum(), x)
    expected = {"aten::mul": 17, "aten::sin": 5, "MulBackward0": 17, "SinBackward0": 5, EVALUATE + "MulBackward0": 17}
    assert {name: counts(prof)[name] for name in expected} == expected


# ---------------------------------------------------------------- forward and backward


def test_a_backward_knows_its_forward():
    with profile() as prof:
        program(mg, Cube)
    pairs = {(e.name, e.forward.name) for e in prof.function_events if e.scope == 1 and e.forward is not None}
    assert {("TanhBackward0", "aten::tanh"), ("MmBackward0", "aten::mm"), ("CubeBackward", "Cube")} <= pairs
    for event in prof.function_events:
        if event.forward is not None:
            assert event.forward.sequence_nr == event.sequence_nr >= 0
            assert event.forward.time_range.end <= event.time_range.start
        else:
            assert event.scope != 1 or event.name == "torch::autograd::AccumulateGrad"


def test_same_program_has_the_same_events_in_torch(torch):
    class TorchCube(torch.autograd.Function):
        forward, backward = Cube.forward, Cube.backward

    program(torch, TorchCube)
    with torch.autograd.profiler.profile() as theirs:
        expected = program(torch, TorchCube)
    with profile() as ours:
        gradients = program(mg, Cube)
    for gradient, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(gradient.numpy(), other.numpy(), rtol=1e-5)

    def of_nodes(prof, cube):
        return Counter(
            event.name.replace(cube, "Cube")
            for event in prof.function_events
            if event.scope == 1 or event.name.startswith(EVALUATE) or event.name == cube
        )

    assert of_nodes(ours, "Cube") == of_nodes(theirs, "TorchCube")

    def forward(prof):
        """What the program called, by name, outside the backward."""
        first = min(e.time_range.start for e in prof.function_events if e.name.startswith(EVALUATE))
        return Counter(e.name for e in prof.function_events if e.time_range.start < first and e.name.startswith("aten"))

    both = set(forward(ours)) & set(forward(theirs))
    assert both >= {
        "aten::mm",
        "aten::add",
        "aten::tanh",
        "aten::mul",
        "aten::exp",
        "aten::sum",
        "aten::sin",
        "aten::div",
    }
    assert {name: forward(ours)[name] for name in both} == {name: forward(theirs)[name] for name in both}
    linked = {(e.name, e.sequence_nr >= 0) for e in ours.function_events if e.name in both and e.cpu_parent is None}
    theirs_linked = {(e.name, e.sequence_nr >= 0) for e in theirs.function_events if e.name in both}
    assert {pair for pair in linked if pair[1]} <= theirs_linked


def test_layers_have_torchs_names():
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 2)
    )
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    with profile() as prof:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(mg.ones(2, 1, 6, 6)), mg.tensor([0, 1]))
        loss.backward()
        optimizer.step()
    shown = tree(prof)
    for pair in (
        [(0, "aten::conv2d"), (1, "aten::convolution")],
        [(0, "aten::batch_norm"), (1, "aten::native_batch_norm")],
        [(0, "aten::linear"), (1, "aten::addmm")],
        [
            (0, "aten::cross_entropy_loss"),
            (1, "aten::log_softmax"),
            (2, "aten::_log_softmax"),
            (1, "aten::nll_loss_forward"),
        ],
    ):
        calls = [entry for entry in shown if entry[1] != "minigrad::write_op"]
        assert any(calls[place : place + len(pair)] == pair for place in range(len(calls))), (pair, calls)
    names_only = [name for _, name in shown]
    assert "Optimizer.step#SGD.step" in names_only
    assert "aten::max_pool2d" in names_only


def test_extremes_have_torchs_names():
    x = mg.ones(2, 3)
    with profile() as prof:
        for name in ("amax", "amin", "max", "min", "median"):
            getattr(mg, name)(x, 0)
        x.topk(2)
    outer = [name for depth, name in tree(prof) if depth == 0 and name != "minigrad::write_op"]
    assert outer == ["aten::amax", "aten::amin", "aten::max", "aten::min", "aten::median", "aten::topk"]


def test_names_are_torchs(torch):
    assert all(hasattr(mg, name) for name in mg.__all__)  # those that are imported at first use, too
    called = {names.event_name(name) for name in vars(op.tensors)} | {name for name, _ in names.functions()}
    theirs = sorted(name for name in called if name.startswith("aten::"))
    assert len(theirs) > 120
    strangers = [name for name in theirs if not hasattr(torch.ops.aten, name.removeprefix("aten::"))]
    # ops that are public here, and made of others in PyTorch
    assert strangers == []
    assert [name for name in called if name.startswith("minigrad::") and hasattr(torch.ops.aten, name[10:])] == []
    assert set(names.PARTS) <= set(vars(op.tensors))


# ---------------------------------------------------------------- whoever runs the backward


@pytest.fixture
def root():
    x = mg.ones(3, requires_grad=True)
    return x, (mg.sin(x) * x).sum()


def test_gradients_do_not_change(root):
    x, y = root
    with profile(record_shapes=True, profile_memory=True):
        (recorded,) = mg.autograd.grad(y, x, create_graph=True)
        (second,) = mg.autograd.grad(recorded.sum(), x, retain_graph=True)
        y.backward()
    ones = np.ones(3)
    np.testing.assert_allclose(x.grad.numpy(), np.sin(ones) + np.cos(ones), rtol=1e-6)
    np.testing.assert_allclose(second.numpy(), 2 * np.cos(ones) - np.sin(ones), rtol=1e-6)


def test_create_graph_shows_recorded_ops_inside_the_node(root):
    x, y = root
    with profile() as prof:
        mg.autograd.grad(y, x, create_graph=True)
    node = next(event for event in prof.function_events if event.name == "MulBackward0")
    assert [child.name for child in node.cpu_children if child.name != "minigrad::write_op"] == ["aten::mul"] * 2
    sums = [event for event in prof.function_events if event.name == "aten::add"]
    assert len(sums) == 1  # the two gradients of x
    assert sums[0].cpu_parent.name.startswith(EVALUATE)


def test_backward_within_a_hook_and_within_a_backward():
    class Nested(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            with mg.enable_grad():
                inner = mg.ones(2, requires_grad=True)
                mg.exp(inner).sum().backward()
            return g

    x = mg.ones(2, requires_grad=True)
    y = Nested.apply(x)
    extra = mg.cos(mg.ones(2, requires_grad=True)).sum()
    z = y * 2
    z.register_hook(lambda g: extra.backward())
    with profile() as prof:
        z.sum().backward()
    shown = {event.name: event for event in prof.function_events}
    assert shown["ExpBackward0"].cpu_parent.name == EVALUATE + "ExpBackward0"
    assert shown[EVALUATE + "ExpBackward0"].cpu_parent.name == "NestedBackward"
    assert shown[EVALUATE + "CosBackward0"].cpu_parent.name == EVALUATE + "MulBackward0"
    assert shown[EVALUATE + "NestedBackward"].cpu_parent is None
    assert all(event.cpu_time_total >= event.self_cpu_time_total >= 0 for event in prof.function_events)


def test_steps_taken_one_by_one_are_events_without_the_time_between(root):
    from minigrad.autograd import engine

    _, y = root
    with ticking() as prof:
        for _ in engine.steps(y):
            prof._clock.now += 10**9
    assert not any(event.name.startswith(EVALUATE) for event in prof.function_events)
    assert "SinBackward0" in counts(prof)
    assert max(event.cpu_time_total for event in prof.function_events) < 100


def test_a_jacobian_whose_rules_are_first_used_under_a_profiler():
    """What a batch of gradients goes through is made at first use; it must not hold on to the profiler."""
    program = """
import minigrad as mg
from minigrad.autograd.functional import jacobian

x, pick = mg.ones(3, 4), lambda x: (x * 2)[1:]
with mg.autograd.profiler.profile() as prof:
    first = jacobian(pick, x)
count = len(prof._log.events)
assert (jacobian(pick, x) == first).all()
print(len(prof._log.events) == count > 0)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "True\n", run.stderr


def test_anomaly_mode_and_a_profiler_at_once():
    x = mg.zeros(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile() as prof, mg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="returned nan values"):
            (mg.sqrt(x) * 0).sum().backward()
    assert counts(prof)["SqrtBackward0"] == 1


# ---------------------------------------------------------------- when it is over


def codes():
    return {function: function.__code__ for function in [*op.calls, *(function for _, function in names.functions())]}


def test_nothing_is_left_of_it():
    program(mg, Cube)
    before, kernels = codes(), dict(vars(op.arrays))
    with profile(profile_memory=True):
        assert op.tensors.mul.__code__ is not before[op.tensors.mul]
        program(mg, Cube)
    assert modes.profiler is None
    after = codes()
    assert all(after[function] is code for function, code in before.items())
    assert vars(op.arrays) == kernels


def test_what_comes_too_late_is_left_out():
    """A thread may hold on to a profiler that another thread is just ending."""
    prof = profiled_once()
    before = op.tensors.mul.__code__
    prof._log.watch.watch_op(op.tensors.mul)
    prof._log.end(prof._log.begin("late", 0))
    assert op.tensors.mul.__code__ is before
    assert [event.name for event in prof.function_events] == ["aten::ones", "aten::exp"]


def test_no_op_asks_for_a_profiler():
    assert all(
        "profil" not in op.source(op.tensors.__dict__[name]) for name in ("mul", "sum_all", "convolution", "cat")
    )


def test_an_op_first_called_under_a_profiler():
    @op.op(self=lambda F, g, self: 2 * g * self)
    def squared_for_a_test(self):
        return self * self

    try:
        x = mg.tensor([3.0], requires_grad=True)
        with profile() as prof:
            squared_for_a_test(x).backward()
            squared_for_a_test(x)
        assert counts(prof)["minigrad::squared_for_a_test"] == 2
        assert counts(prof)["minigrad::write_op"] == 2  # its call, and its backward
        assert squared_for_a_test(x).item() == 9
        assert x.grad.item() == 6
    finally:
        op.calls.remove(squared_for_a_test)
        del op.tensors.squared_for_a_test, op.arrays.squared_for_a_test


def test_an_exception_ends_it_and_keeps_what_was():
    before = codes()
    prof = profile()
    with contextlib.suppress(ZeroDivisionError), prof, record_function("block"):
        mg.exp(mg.ones(3))
        raise ZeroDivisionError
    assert counts(prof) == {"block": 1, "aten::ones": 1, "aten::exp": 1}
    assert "aten::exp" in prof.key_averages().table()
    assert modes.profiler is None
    assert codes() == before


def test_an_op_that_fails_is_an_event():
    two, three = mg.ones(2), mg.ones(3)
    mg.add(two, two)  # its text is written now
    with profile() as prof:
        with contextlib.suppress(RuntimeError):
            mg.add(two, three)
        mg.exp(two)
    assert tree(prof) == [(0, "aten::add"), (0, "aten::exp")]


def test_a_backward_that_fails_ends_its_events():
    class Failing(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError

    x = mg.ones(2, requires_grad=True)
    with profile() as prof:
        with pytest.raises(ZeroDivisionError):
            Failing.apply(x).sum().backward()
        mg.exp(x)
    assert tree(prof)[-1] == (0, "aten::exp")
    assert (1, "FailingBackward") in tree(prof)


def test_blocks_ended_out_of_order():
    outer, inner = record_function("outer"), record_function("inner")
    with ticking() as prof:
        outer.__enter__()
        inner.__enter__()
        outer.__exit__()
        mg.exp(mg.tensor(1.0))
        inner.__exit__()
        mg.exp(mg.tensor(1.0))
    assert tree(prof) == [(0, "outer"), (0, "inner"), (1, "aten::exp"), (0, "aten::exp")]


# ---------------------------------------------------------------- threads


def test_ops_of_another_thread_are_events_of_that_thread():
    def work():
        mg.exp(x).sum().backward()

    x = mg.ones(3, requires_grad=True)
    with profile() as prof:
        mg.sin(mg.ones(3))
        other = threading.Thread(target=work, name="other")
        other.start()
        other.join()
    here = threading.get_native_id()
    top = {(event.thread == here, event.name) for event in prof.function_events if event.cpu_parent is None}
    assert {(False, "aten::exp"), (False, EVALUATE + "ExpBackward0"), (True, "aten::sin")} <= top
    assert len({event.thread for event in prof.function_events}) == 2


def test_threads_that_work_while_profilers_come_and_go():
    stop, failures, results = threading.Event(), [], []

    def work():
        try:
            while not stop.is_set():
                results.append(float(program(mg, Cube)[1].sum().item()))
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    before = codes()
    for _ in range(20):
        with profile(profile_memory=True) as prof:
            program(mg, Cube)
        own = [event for event in prof.function_events if event.thread == threading.get_native_id()]
        assert sum(event.name == "aten::tanh" for event in own) == 1
        assert all(event.self_cpu_time_total >= 0 for event in prof.function_events)
    stop.set()
    for worker in workers:
        worker.join()
    assert not failures
    assert len(set(results)) == 1
    assert codes() == before


def test_a_call_that_goes_on_after_the_end_is_cut_off():
    begun, go_on = threading.Event(), threading.Event()

    def work():
        with record_function("long"):
            begun.set()
            go_on.wait(10)

    other = threading.Thread(target=work)
    with profile() as prof:
        other.start()
        begun.wait(10)
    length = (prof._log.ended - prof._log._began) / 1000
    (event,) = prof.function_events
    go_on.set()
    other.join()
    assert event.name == "long"
    assert event.time_range.end == pytest.approx(length)


# ---------------------------------------------------------------- shapes, lines, memory


def test_input_shapes():
    with profile(record_shapes=True) as prof:
        mg.add(mg.ones(2, 3), mg.ones(3))
        mg.add(mg.ones(2, 3), 1)
        mg.cat([mg.ones(2), mg.ones(4)])
    assert [event.input_shapes for event in prof.function_events if event.name == "aten::add"] == [
        [[2, 3], [3]],
        [[2, 3], []],
    ]
    grouped = prof.key_averages(group_by_input_shape=True)
    assert sorted(str(row.input_shapes) for row in grouped if row.key == "aten::add") == [
        "[[2, 3], [3]]",
        "[[2, 3], []]",
    ]
    assert "Input Shapes" in grouped.table()
    assert "Input Shapes" not in prof.key_averages().table()
    assert "Input Shapes" not in profiled_once().table()


def test_input_shapes_of_float16():
    """Its kernels are told to compute in float32: a type, which has a `shape` that is none."""
    x = mg.ones(3, dtype=mg.float16, requires_grad=True)
    with profile(record_shapes=True) as prof:
        mg.exp(x).sum().backward()
    assert [event.input_shapes for event in prof.function_events if event.name == "aten::exp"] == [[[3]]]
    assert [[3], []] in [event.input_shapes for event in prof.function_events if event.name == "aten::_to_copy"]


def profiled_once(**options):
    with profile(**options) as prof:
        mg.exp(mg.ones(3))
    return prof


def test_memory_is_what_new_results_take():
    x = mg.ones(1000)
    x[1:]
    with profile(profile_memory=True) as prof:
        y = mg.exp(x)  # 4000 bytes
        y[2:500]  # none
        with record_function("block"):
            mg.sin(y)  # 4000
            mg.ones(1000).softmax(0)  # 4000 and 4000: a function has no more than the op in it
    shown = [(e.name, e.cpu_memory_usage, e.self_cpu_memory_usage) for e in prof.function_events]
    assert [entry for entry in shown if entry[0] != "minigrad::write_op"] == [
        ("aten::exp", 4000, 4000),
        ("aten::slice", 0, 0),
        ("block", 12000, 0),
        ("aten::sin", 4000, 4000),
        ("aten::ones", 4000, 4000),
        ("aten::softmax", 4000, 0),
        ("aten::_softmax", 4000, 4000),
    ]
    table = prof.key_averages().table()
    assert "CPU Mem  Self CPU Mem" in table
    assert "3.91 KB" in table
    assert "CPU Mem" not in profiled_once().table()


def test_memory_of_a_backward_is_that_of_its_gradients():
    x, w = mg.ones(8, 16), mg.ones(16, 4, requires_grad=True)
    with profile(profile_memory=True) as prof:
        mg.tanh(x @ w).sum().backward()
    taken = {event.name: event.cpu_memory_usage for event in prof.function_events if event.scope == 1}
    assert taken == {
        "SumBackward0": 4,  # the one number, which is then expanded
        "TanhBackward0": 8 * 4 * 4,
        "MmBackward0": 16 * 4 * 4,
        "torch::autograd::AccumulateGrad": 0,
    }


# ---------------------------------------------------------------- the table, beside PyTorch's


def in_torch(torch, events):
    """The same events as a list of torch.autograd.profiler's, whose table is PyTorch's own."""
    util = torch.autograd.profiler_util
    made = [
        util.FunctionEvent(
            id=number,
            name=event.name,
            thread=event.thread,
            start_us=event.time_range.start,
            end_us=event.time_range.end,
            input_shapes=event.input_shapes,
            stack=[],
            scope=event.scope,
            cpu_memory_usage=event.cpu_memory_usage,
            sequence_nr=event.sequence_nr,
            fwd_thread=event.thread,
            overload_name="",
            is_user_annotation=event.is_user_annotation,
        )
        for number, event in enumerate(events, 1)
    ]
    theirs = util.EventList(made, profile_memory=any(event.cpu_memory_usage for event in events))
    theirs._populate_cpu_children()
    theirs._tree_built = True
    return theirs


TABLES = [
    {},
    {"sort_by": "cpu_time_total"},
    {"sort_by": "self_cpu_time_total", "row_limit": 3},
    {"sort_by": "cpu_time"},
    {"sort_by": "count", "row_limit": -1},
    {"sort_by": "cpu_memory_usage"},
    {"sort_by": "self_cpu_memory_usage"},
    {"row_limit": 0},
    {"max_name_column_width": 20, "max_shapes_column_width": 12},
    {"max_name_column_width": None, "max_shapes_column_width": None},
]


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"profile_memory": True}], ids=str)
def test_tables_read_as_torchs(torch, options):
    with ticking(**options) as prof:
        with record_function("a name that is much longer than the column of names can ever be, whatever happens"):
            program(mg, Cube)
            prof._clock.now += 1_500_000
        with record_function("seconds"):
            prof._clock.now += 2_500_000_000
    theirs = in_torch(torch, prof.function_events)
    for arguments in TABLES:
        assert prof.function_events.table(**arguments) == theirs.table(**arguments), arguments
        for grouping in ((), (True,)):
            ours_grouped, theirs_grouped = prof.key_averages(*grouping), theirs.key_averages(*grouping)
            assert [row.key for row in ours_grouped] == [row.key for row in theirs_grouped]
            assert [row.count for row in ours_grouped] == [row.count for row in theirs_grouped]
            assert ours_grouped.table(**arguments) == theirs_grouped.table(**arguments), (arguments, grouping)
    assert prof.self_cpu_time_total == pytest.approx(theirs.self_cpu_time_total)
    assert str(prof) == prof.table() == theirs.table()


def test_events_have_torchs_attributes(torch):
    with torch.autograd.profiler.profile() as theirs:
        torch.ones(2).exp()
    event, average = profiled_once().function_events[0], profiled_once().key_averages()[0]
    of_devices = {
        "device_index",
        "device_resource_id",
        "activity_type",
        "event_metadata",
        "concrete_inputs",
        "kwinputs",
    }
    rare = {"flow_id", "flow_type", "flow_start", "external_id", "linked_correlation_id", "structured_input_shapes"}
    rare |= {"structured_input_strides", "input_dtypes", "python_id", "python_parent_id", "python_module_id"}
    rare |= {"is_python_function", "total_device_percent", "trace_name", "stack", "flops", "overload_name", "is_remote"}
    rare |= {
        "self_cpu_percent",
        "total_cpu_percent",
        "fwd_thread",
        "id",
        "is_backward",
        "is_async",
        "is_legacy",
        "node_id",
        "kernels",
    }
    of_devices |= {"device_type", "device_memory_usage", "self_device_memory_usage", "use_device"}
    of_devices |= {"device_time_total", "self_device_time_total"}
    for other in (theirs.function_events[0], theirs.key_averages()[0]):
        own = event if other.__class__.__name__ == "FunctionEvent" else average
        assert {name for name in vars(other) if name[0] != "_" and not hasattr(own, name)} <= of_devices | rare


def test_a_function_that_hands_over_to_an_op_of_its_own_name_counts_once():
    with profile() as prof:
        mg.ones(3).softmax(0)
        mg.ones(3).clamp(0, 1)
        mg.ones(3).clamp(0, 1)
    assert counts(prof)["aten::clamp"] == 2  # at the first call, the op's text may be written beside it
    assert not any(
        event.cpu_parent is not None and event.cpu_parent.name == event.name for event in prof.function_events
    )


# ---------------------------------------------------------------- misuse


def test_before_it_was_used():
    prof = profile()
    assert repr(prof) == str(prof) == "<unfinished minigrad.autograd.profile>"
    assert prof.table() == ""
    assert prof.key_averages() == prof.function_events == []
    assert prof.self_cpu_time_total == 0
    prof.__exit__(None, None, None)  # ends nothing


def test_while_it_is_on():
    with profile() as prof:
        mg.exp(mg.ones(3))
        assert repr(prof) == "<unfinished minigrad.autograd.profile>"
        mg.exp(mg.ones(3))
    assert counts(prof) == {"aten::ones": 2, "aten::exp": 2}


def test_nothing_happened(tmp_path):
    with profile() as prof:
        pass
    assert (repr(prof), str(prof), prof.table(), prof.key_averages()) == ("[]", "", "", [])
    prof.export_chrome_trace(tmp_path / "empty.json")
    assert "traceEvents" in json.loads((tmp_path / "empty.json").read_text())


def test_only_one_at_a_time():
    with profile() as outer:
        with pytest.raises(RuntimeError, match=r"Profiler is already enabled.*record_function"), profile():
            pass
        with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"), outer:
            pass
        mg.exp(mg.ones(2))
    assert counts(outer) == {"aten::ones": 1, "aten::exp": 1}
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"), outer:
        pass
    assert modes.profiler is None


def test_a_shape_that_is_no_view_is_copied_once():
    x = mg.ones(4, 6).t()
    x.reshape(-1)
    with profile(profile_memory=True) as prof:
        x.reshape(-1)
    assert [event.name for event in prof.function_events if event.self_cpu_memory_usage] == ["aten::clone"]
    assert sum(event.self_cpu_memory_usage for event in prof.function_events) == 4 * 6 * 4


def test_a_profile_is_read_after_its_block_and_not_in_it(tmp_path):
    with profile() as prof:
        mg.exp(mg.ones(3))
        for read in (
            prof.key_averages,
            lambda: prof.function_events,
            prof.table,
            lambda: prof.self_cpu_time_total,
            lambda: prof.export_chrome_trace(tmp_path / "trace.json"),
        ):
            with pytest.raises(RuntimeError, match=r"Profiler didn't finish running: .* after the `with` block"):
                read()
    assert not list(tmp_path.iterdir())
    assert counts(prof)["aten::exp"] == 1
    assert profile(enabled=False).key_averages() == []


def test_disabled():
    prof = profile(enabled=False)
    with prof as entered:
        assert modes.profiler is None
        mg.exp(mg.ones(2))
    assert entered is None
    assert prof.key_averages() == []


def test_errors_begin_as_torchs(torch):
    def message(profiling, what):
        try:
            what(profiling)
        except Exception as error:
            return type(error), str(error)
        return None, "no error"

    def finished(P):
        with P.profile() as prof:
            (torch if P is torch.autograd.profiler else mg).ones(2)
        return prof

    def reentered(P):
        finished(P).__enter__()

    cases = [
        reentered,
        lambda P: finished(P).key_averages().table(sort_by="nothing"),
        lambda P: finished(P).function_events.table(sort_by="nothing"),
        lambda P: P.record_function(5).__enter__(),
    ]
    for case in cases:
        (kind, text), (their_kind, theirs) = message(profiler, case), message(torch.autograd.profiler, case)
        assert kind is their_kind
        first = theirs.splitlines()[0].rstrip(".")
        assert text.startswith(first[: first.find(", not ")] if ", not " in first else first), (text, theirs)


# ---------------------------------------------------------------- record_function


def test_record_function_as_a_decorator_of_a_function_that_calls_itself():
    @record_function("down")
    def down(count):
        for _ in range(count):
            down(count - 1)

    with ticking() as prof:
        down(2)
    assert counts(prof) == {"down": 5}
    assert prof.self_cpu_time_total == 9


def test_record_function_without_a_profiler_does_nothing():
    block = record_function("nothing")
    with block:
        mg.exp(mg.ones(2))
    with profile() as prof, block:
        pass
    assert counts(prof) == {"nothing": 1}


def test_a_block_that_outlives_its_profiler():
    block = record_function("long")
    with profile() as prof:
        block.__enter__()
    block.__exit__()
    assert counts(prof) == {"long": 1}
    with profile() as later:
        mg.ones(2)
    assert tree(later) == [(0, "aten::ones")]


# ---------------------------------------------------------------- the trace file


def trace(tmp_path, prof, name="trace.json"):
    path = tmp_path / name
    prof.export_chrome_trace(path)
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if name.endswith(".gz") else content)["traceEvents"]


def test_trace_file(tmp_path):
    with profile(record_shapes=True, profile_memory=True) as prof:
        with record_function("step"):
            program(mg, Cube)
        other = threading.Thread(target=lambda: mg.exp(mg.ones(2)), name="other")
        other.start()
        other.join()
    events = trace(tmp_path, prof)
    assert all(isinstance(event["name"], str) and {"ph", "pid", "tid", "ts"} <= set(event) for event in events)
    assert {event["ph"] for event in events} == {"X", "M", "s", "f"}
    calls = [event for event in events if event["ph"] == "X"]
    assert [(call["name"], call["ts"], call["dur"]) for call in calls] == [
        (event.name, event.time_range.start, event.cpu_time_total) for event in prof.function_events
    ]
    assert {call["cat"] for call in calls} == {"cpu_op", "user_annotation"}
    assert all(call["dur"] >= 0 for call in calls)
    named = {(m["name"], m["tid"]): m["args"] for m in events if m["ph"] == "M"}
    assert named[("process_name", 0)] == {"name": "minigrad"}
    assert {call["tid"] for call in calls} == {event.thread for event in prof.function_events}
    assert len({call["tid"] for call in calls}) == 2
    tanh = next(call for call in calls if call["name"] == "aten::tanh")
    assert tanh["args"]["Input Dims"] == [[3, 2]]
    assert tanh["args"]["Bytes"] == 24
    # Each arrow begins at the start of a forward and ends at the start of its backward, and each has both ends.
    starts = {(call["tid"], call["ts"]): call for call in calls}
    begins = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert begins.keys() == ends.keys()
    assert len(begins) == sum(event.scope == 1 and event.forward is not None for event in prof.function_events) >= 8
    for number, begin in begins.items():
        end = ends[number]
        made, ran = starts[begin["tid"], begin["ts"]], starts[end["tid"], end["ts"]]
        assert begin["ts"] <= end["ts"]
        assert end["bp"] == "e"
        assert (begin["cat"], begin["name"]) == (end["cat"], end["name"])
        assert made["args"]["Sequence number"] == ran["args"]["Sequence number"]


def test_each_backward_through_a_node_has_an_arrow_of_its_own(tmp_path):
    x = mg.ones(3, requires_grad=True)
    with ticking() as prof:
        y = mg.exp(x)
        y.backward(mg.ones(3), retain_graph=True)
        y.backward(mg.ones(3))
    arrows = [(event["ph"], event["id"], event["ts"]) for event in trace(tmp_path, prof) if event["ph"] in "sf"]
    exp = next(event.time_range.start for event in prof.function_events if event.name == "aten::exp")
    ran = [event.time_range.start for event in prof.function_events if event.name == "ExpBackward0"]
    assert arrows == [("s", 1, exp), ("f", 1, ran[0]), ("s", 2, exp), ("f", 2, ran[1])]


def test_calls_of_a_thread_nest_in_the_trace(tmp_path):
    with profile() as prof:
        program(mg, Cube)
    open_ones = []
    for call in sorted((e for e in trace(tmp_path, prof) if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"])):
        while open_ones and open_ones[-1]["ts"] + open_ones[-1]["dur"] <= call["ts"]:
            open_ones.pop()
        if open_ones:
            outer = open_ones[-1]
            assert call["ts"] + call["dur"] <= outer["ts"] + outer["dur"] + 1e-6
        open_ones.append(call)


def test_a_stop_as_it_begins_leaves_each_function_as_it_was(monkeypatch):
    """Else the next profiler would watch a copy of it, which nobody calls."""
    functions = [function for _, function in names.functions()]
    before = [(function.__code__, dict(vars(function))) for function in functions]
    make = watched_functions._calling

    def stopped(call, plain, own):
        if own is functions[-1].__code__:
            raise KeyboardInterrupt
        return make(call, plain, own)

    monkeypatch.setattr(watched_functions, "_calling", stopped)
    with pytest.raises(KeyboardInterrupt), profile():
        pass
    assert [(function.__code__, dict(vars(function))) for function in functions] == before


def test_compressed_trace_and_names_of_any_kind(tmp_path):
    name = 'quote " backslash \\ newline \n <b>&amp; \ud800 \u202e end' + "x" * 1000
    with profile() as prof, record_function(name):
        pass
    assert [event["name"] for event in trace(tmp_path, prof, "trace.json.gz") if event["ph"] == "X"] == [name]


def test_a_function_called_for_the_first_time_under_a_profiler_still_checks_its_arguments():
    program = """
import minigrad as mg
from minigrad.autograd.profiler import profile
with profile():
    mg.ones(2).softmax(0)
base = mg.ones(2, 2, requires_grad=True) * 1
view = base.unbind(0)[0]
base.mul_(2)
try:
    view.softmax(5)
except RuntimeError as error:
    assert "is a view and its base" in str(error)
else:
    raise AssertionError("nothing was raised")
"""
    path = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": path})

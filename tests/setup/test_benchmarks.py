"""The benchmarks run and print their rows. How fast anything is, no test says."""

import contextlib
import importlib
import inspect
import io
import itertools
import json
import math
import os
import re
import runpy
import subprocess
import sys
import time
import types
from argparse import Namespace
from pathlib import Path

import pytest
import torch

import minigrad
from minigrad.viz.sources import snapshot_of

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = {
    "per_op": ("W1", "W2"),
    "deep_graph": ("W6 100k", "W6 1M", "W6 bytes", "W6 gc"),
    "mlp_step": ("W3", "W10 held", "W10 peak"),
    "cnn_step": ("W4",),
    "resnet_step": ("W5",),
    "network_steps": ("W12", "W13 LSTM", "W13 GRU", "W13 RNN", "W14", "W15", "W16", "W17"),
    "jacobian": ("W7 jacobian", "W7 hessian", "W7 jacobian at once", "W7 hessian at once"),
    "gradcheck": ("W9",),
    "train_digits": ("W11", "W11 wrong"),
    "import_time": ("W8",),
    "profiler_overhead": ("W5 profile",),
    "op_variants": ("variants of W1",),
    "watch_overhead": ("watch",),
}


@pytest.fixture
def rounds(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    yield importlib.import_module("rounds")
    for name in ("rounds", "run", "growth", *SCRIPTS):
        sys.modules.pop(name, None)


def output_of(script):
    run = subprocess.run([sys.executable, FOLDER / f"{script}.py", "--quick"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def output_here(monkeypatch, command):
    """What a script, or a program after -c, prints that runs in this process, where torch is imported already."""
    printed = io.StringIO()
    with monkeypatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(sys, "argv", [str(word) for word in command])
        if command[0] == "-c":
            exec(command[1], {})
        else:
            runpy.run_path(str(command[0]), run_name="__main__")
    return printed.getvalue()


@pytest.fixture
def contenders_here(rounds, monkeypatch):
    """A script starts its contenders as always, but each runs in this process."""

    def run(command, **options):
        return subprocess.CompletedProcess(command, 0, output_here(monkeypatch, command[1:]), "")

    monkeypatch.setattr(rounds, "subprocess", types.SimpleNamespace(run=run))


def check_tables(script, printed):
    tables = printed.split("\n\n")
    assert "2 BLAS threads, OPENBLAS_CORETYPE" in tables[0]
    for row in SCRIPTS[script]:
        (table,) = [table for table in tables[1:] if table.startswith(f"{row}  ") and "\n" in table.strip()]
        own = re.search(r"^ +(?:minigrad|as it is|1 of 224x224) +([\d.,]+) ", table, re.MULTILINE)
        assert own, table
        value = float(own[1].replace(",", ""))
        assert value == 0 if row == "W6 gc" else value > 0


@pytest.mark.parametrize("script", ["deep_graph", "import_time"])
def test_a_script_whose_contenders_need_fresh_processes_prints_a_table_for_each_row(script):
    """One measures by how much its process grows, the other what an import takes."""
    check_tables(script, output_of(script))


@pytest.mark.usefixtures("contenders_here")
@pytest.mark.parametrize("script", sorted(SCRIPTS.keys() - {"deep_graph", "import_time"}))
def test_each_script_prints_a_table_for_each_row(script, monkeypatch):
    check_tables(script, output_here(monkeypatch, [FOLDER / f"{script}.py", "--quick"]))


def test_what_a_stepper_sends_is_counted_by_number_of_nodes(monkeypatch):
    printed = output_here(monkeypatch, [FOLDER / "stepper_messages.py", "--quick"])
    tables = [table.splitlines() for table in printed.strip().split("\n\n")]
    assert [table[0].split("nodes")[0].strip() for table in tables] == [
        "from code",
        "a request a step",
        "requests to run",
    ]
    counts = [[[int(word) for word in row.split()[:3]] for row in table[1:]] for table in tables]
    assert all([row[0] for row in rows] == [51, 101] for rows in counts)
    assert [row[1] for row in counts[1]] == [2 * 51, 2 * 101]  # each request comes back, and is answered
    assert all(row[1] < row[0] / 2 for row in counts[0] + counts[2])


@pytest.mark.usefixtures("contenders_here")
def test_run_summarizes_the_rows_asked_for(monkeypatch, tmp_path):
    picture = tmp_path / "summary.png"
    lines = output_here(monkeypatch, [FOLDER / "run.py", "--quick", "W1", "W8", "--picture", picture]).splitlines()
    rows = [line[:10].rstrip() for line in lines if line.startswith("W")]
    assert rows == ["W1", "W8", "W8 size"], lines
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("contenders_here")
def test_run_draws_how_the_cost_of_a_step_grows(monkeypatch, tmp_path):
    picture = tmp_path / "speed.png"
    printed = output_here(monkeypatch, [FOLDER / "run.py", "--quick", "growth", "--picture", str(picture)])
    assert not [line for line in printed.splitlines() if line.startswith("W")]
    assert (tmp_path / "speed-growth.png").read_bytes().startswith(b"\x89PNG")
    assert not picture.exists()


def test_the_products_of_a_step_are_those_of_its_weights(rounds):
    growth = importlib.import_module("growth")
    sizes = growth.Sizes(width=16, depth=2, batch=3, length=5)
    for name, build in growth.BUILD.items():
        model, loss = build(minigrad, sizes)
        assert loss(model).requires_grad
        places = {"MLP": 1, "CNN": growth.PIXELS}.get(name, sizes.length)
        embedded = {id(m.weight) for m in model.modules() if isinstance(m, minigrad.nn.Embedding)}
        weights = [p for p in model.parameters() if p.ndim > 1 and id(p) not in embedded]
        expected = sum(p.numel() * (1 if name == "CNN" and p.ndim == 2 else places) for p in weights)
        if name == "transformer":  # what is looked at, and what is seen there
            expected += sizes.depth * 2 * sizes.length**2 * sizes.width
        assert growth.products(name, sizes) == sizes.batch * expected, name


def test_summary_judges_by_the_goals(rounds):
    run = importlib.import_module("run")
    goals = {name: goal.times_torch for name, goal in run.GOALS.items() if goal.times_torch}
    assert set(run.GOALS) == {*itertools.chain(*list(SCRIPTS.values())[:11]), "W8 size"}
    rows = [rounds.Row(name, "", "u") for name in goals]
    for factor, verdict in ((1, "reached"), (2, "2.00 times the goal")):
        results = {name: {"minigrad": [goal * factor], "torch": [1.0]} for name, goal in goals.items()}
        assert all(line.endswith(verdict) for line in run.summary(rows, results)[1:])
    assert run.reached(run.GOALS["W6 gc"], 0, math.nan) == "reached"
    assert run.reached(run.GOALS["W6 gc"], 3, math.nan) == "missed"


def test_ratios_are_taken_within_a_round(rounds):
    values = {"torch": [1.0, 10.0, 4.0], "minigrad": [2.0, 5.0, 4.0], "other": [math.nan, math.nan, 2.0]}
    assert rounds.ratio(values, "minigrad") == 1.0  # the median of 2, 0.5 and 1
    assert rounds.ratio(values, "other") == 0.5
    assert math.isnan(rounds.ratio(values, "absent"))
    assert rounds.best(values["other"]) == 2.0


def printing(values):
    return [sys.executable, "-c", f"print({json.dumps(json.dumps(values))})"]


def test_contenders_take_turns_and_must_agree(rounds):
    options = Namespace(rounds=2, coretype=None, quick=False, one_thread=False)
    row = rounds.Row("speed", "", "s")
    same = {"a": printing({"speed": 1.5, "agree": 7}), "b": printing({"agree": 7.000001})}
    results = rounds.measure(same, [row], options)
    assert results["speed"]["a"] == [1.5, 1.5]
    assert all(map(math.isnan, results["speed"]["b"]))
    with pytest.raises(SystemExit, match=r"b computes 8, but a computes 7"):
        rounds.measure(same | {"b": printing({"speed": 1, "agree": 8})}, [row], options)
    with pytest.raises(SystemExit, match=r"(?s)b failed.*ZeroDivisionError"):
        rounds.measure(same | {"b": [sys.executable, "-c", "1 / 0"]}, [row], options)


def test_one_thread_is_measured_beside_two_by_its_cpu_time(rounds, monkeypatch, capsys):
    threads = [
        sys.executable,
        "-c",
        "import json, os; print(json.dumps({'speed': int(os.environ['OMP_NUM_THREADS'])}))",
    ]
    row = rounds.Row("speed", "how fast", "s")
    options = Namespace(rounds=2, coretype=None, quick=False, one_thread=True)
    results = rounds.measure({"minigrad": threads, "torch": threads}, [row], options)
    assert results["speed"]["torch"] == [2, 2]
    assert results["speed" + rounds.ALONE]["torch"] == [1, 1]
    rounds.show([row], results)
    assert re.search(r"minigrad +2.00 +1.00x +1.00  1.00x", capsys.readouterr().out)

    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    assert rounds.fastest(2, lambda: time.sleep(0.05)) < 0.05


def test_the_threads_of_blas_leave_the_main_one_its_core():
    """In a process of its own, which keeps its cores for itself."""
    code = """if True:
        import os
        import numpy as np
        from rounds import CORES, fastest
        image = np.ones((600, 600))
        fastest(1, lambda: image @ image)
        print(os.sched_getaffinity(0) == set(CORES[:1]) or len(CORES) < 2)
        others = {int(thread) for thread in os.listdir("/proc/self/task")} - {os.getpid()}
        print([os.sched_getaffinity(thread) == set(CORES[1:] or CORES) for thread in others])
    """
    variables = os.environ | {"PYTHONPATH": str(FOLDER), "OPENBLAS_NUM_THREADS": "2"}
    printed = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines() == ["True", "[True]"]


def test_environment_has_this_clone_two_threads_and_the_core_type(rounds, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    assert rounds.environment()["OPENBLAS_CORETYPE"] == "Nehalem"
    variables = rounds.environment("Haswell")
    assert variables["OPENBLAS_CORETYPE"] == "Haswell"
    assert variables["OPENBLAS_NUM_THREADS"] == variables["OMP_NUM_THREADS"] == "2"
    assert variables["PYTHONPATH"].startswith(str(FOLDER.parent))


COUNTS = """#!/bin/sh
for repetitions; do :; done
echo "==1== Collected : $((repetitions * 2000 + 5))" >&2
shift 2
exec "$@" --repetitions 1
"""


def plain_path(path, *arguments):
    command = [sys.executable, FOLDER / "plain_path.py", *arguments]
    return subprocess.run(command, env={**os.environ, "PATH": str(path)}, capture_output=True, text=True)


def test_the_plain_path_is_counted_without_what_starting_costs(tmp_path):
    valgrind = tmp_path / "valgrind"
    valgrind.write_text(COUNTS)
    valgrind.chmod(0o755)
    run = plain_path(tmp_path, str(FOLDER.parent))
    assert run.returncode == 0, run.stderr
    _, *rows = run.stdout.splitlines()[1:]
    assert [row.split()[-3:] for row in rows] == [["2", "2", "1.000"]] * 3


def test_the_plain_path_says_what_it_lacks(tmp_path):
    assert "valgrind is not installed" in plain_path(tmp_path).stderr
    (tmp_path / "valgrind").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "valgrind").chmod(0o755)
    assert f"{tmp_path} is no clone of minigrad" in plain_path(tmp_path, str(tmp_path)).stderr
    assert "the program did not run under valgrind" in plain_path(tmp_path).stderr


def test_one_multiplication_and_its_backward_are_soon_read():
    """In a process of its own, in which nobody else traces or has called what is traced."""
    run = subprocess.run([sys.executable, FOLDER / "backward_path.py"], capture_output=True, text=True, timeout=120)
    lines, functions, files = map(int, re.findall(r"\d+", run.stdout.splitlines()[-1]))
    assert 0 < lines <= 330, run.stdout
    assert functions > 0
    assert 0 < files <= 8


# ---------------------------------------------------------------- the programs whose pictures are measured


@pytest.fixture
def programs(monkeypatch):
    """The module of that name, and what it brings along."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    yield importlib.import_module("picture_programs")
    for name in ("picture_programs", "picture_samples", "pictures", "stepper_click", "stepper_in_lab"):
        sys.modules.pop(name, None)


def test_the_pictures_are_of_many_programs_of_all_sizes_which_compute_the_same_in_pytorch(programs):
    samples = programs.FORMULAS + programs.NETWORKS
    sizes = []
    for build in samples:
        loss = build(minigrad)
        assert loss.item() == pytest.approx(build(torch).item(), rel=1e-4), build.__name__
        sizes.append(len(snapshot_of(loss).boxes))
        assert 5 <= sizes[-1] <= 80, build.__name__
    by_size = [sum(low < size <= low + 10 for size in sizes) for low in range(0, 80, 10)]
    assert min(by_size) >= 4, by_size
    assert sum(size > 40 for size in sizes) >= 25
    with_modules = {build for build in samples if "nn.Module" in inspect.getsource(build)} | set(programs.NETWORKS)
    assert len(with_modules) >= 20
    assert len(set(samples) - with_modules) >= 20
    names = [program.name for program in programs.programs().values() if not program.is_course]
    assert len(names) >= 60
    assert sum(name.startswith("torch_") for name in names) >= 10


CODE = """
class Net:
    def forward(self, x, rate):
        self.layer = x
        for step in range(3):
            hidden, cell = x, rate
        return [w for w, v in zip(x, rate)]
def cosine(a, b):
    while True:
        pass
"""


@pytest.mark.parametrize(
    ("name", "is_named"),
    [
        ("hidden", True),
        ("hidden, cell", True),
        ("hidden₂", True),
        ("hidden = x", True),
        ("Net", True),
        ("cosine ×30", True),
        ("cosine, call 2 of 3", True),
        ("cosine 2 of 3 · for step in range(3): ×3", True),
        ("layer[0…11] ×2", True),
        ("self.layer", True),
        ("other.layer", False),
        ("for w, v in zip(x, rate): ×4", True),
        ("for w, v in zip(x…: ×4", True),
        ("for w, v in zap(x…: ×4", False),
        ("while True: ×3", True),
        ("iteration 2 of 4", True),
        ("iterations 6…10", True),
        ("steps ×4", False),
        ("mm … mv", False),
        ("exp · mean", False),
        ("sin ×3", False),
        ("hidden … cell", True),
        ("hidden … nobody", False),
        ("7 inputs", False),
        ("layer: 3 inputs", True),
        ("repeats 1…6", False),
    ],
)
def test_a_part_is_named_by_the_code_or_by_nobody(programs, name, is_named):
    part = types.SimpleNamespace(name=name, kind="loop", is_module=False)
    assert programs.is_named_by_code(part, *programs.names_in(CODE)) is is_named
    for kind, is_module in (("function", False), ("Linear", True), ("create_graph", False)):
        one = types.SimpleNamespace(name=name, kind=kind, is_module=is_module)
        assert programs.is_named_by_code(one, set(), set())


@pytest.mark.parametrize(
    ("name", "is_wrong"),
    [
        ("for step in range(2): ×8", True),
        ("for step in range(2): ×2", False),
        ("f · for x in xs: ×3", False),
        ("f · for x in xs: ×4", True),
        ("for x in self.layers: ×4", False),
        ("for x in zip(xs, [1, 2, 3…: ×9", False),
        ("while x: ×9", False),
    ],
)
def test_a_loop_is_counted_falsely_where_its_head_says_other_rounds(programs, name, is_wrong):
    assert programs.miscounted(name, {"xs": [1, 2, 3]}) is is_wrong


def test_torchviz_picture_has_each_node_of_pytorch_once(programs):
    weight = torch.ones(2, 3, requires_grad=True)
    hidden = weight * 2
    dot = programs.torchviz_dot((hidden * hidden.exp()).sum(), {id(weight): "weight"})
    labels = re.findall(r'\[label="(.*?)"', dot)
    nodes = ["SumBackward0", "MulBackward0", "MulBackward0", "ExpBackward0", "AccumulateGrad"]
    assert sorted(labels) == sorted([*nodes, "()", r"weight\n (2, 3)"])
    assert dot.count("->") == 7  # one for each use of a result, one of the leaf, one to the loss
    svg = programs.torchviz_svg(programs.mlp)
    assert svg.count("AccumulateGrad") == 6
    assert "net.4.weight" in svg


def test_what_pictures_reach_is_told_by_size(programs):
    pictures = importlib.import_module("pictures")
    first = dict.fromkeys(["mute", "wordless", "unsaid", "turns", "crossings", "under", "titles", *pictures.WORDS], 0)
    first |= {"direction": "down", "smallest": 10.0, "used": 0.3, "shown": ["n1", "n2"], "groups": ["g0", "g1", "g1"]}
    steps = dict.fromkeys(["first", "middle", "last"], first)
    result = {
        "nodes": 40,
        "runs": ["n1", "n2"],
        "miscounted": [],
        "groups": {"g0": ["h", True], "g1": ["mm … mv", False]},
    }
    result |= {"960": {"opened": first}, "steps": steps, "heights": [700, 701], "height changes by": 1}
    result["parts"] = [{"in the way": 2, "whole": 0.5}]
    result["places"] = [{"isOwn": True, "isSeen": True}, {"isOwn": False, "isSeen": True}]
    large = result | {
        "nodes": 41,
        "runs": ["n1", "n2", "n3", "n4", "n5"],
        "groups": {"g0": ["h", True], "g1": ["w", True]},
    }
    told = pictures.summary({"small": result, "large": large, "wrong": {"error": "KeyError"}})
    assert told[0] == "2 of 3 open."
    rows = {line[:48].strip(): line[48:84].split() for line in told[2:]}
    assert "up to 40 (1)" in told[1]
    assert rows["steps whose node has a box of its own"] == ["1", "(100%)", "0", "(40%)"]
    assert rows["folds with a name nobody wrote"] == ["0", "(1)", "1", "(0)"]
    assert rows["change of it between steps"] == ["0", "(1)", "0", "(1)"]
    assert rows["height of the widget"] == ["1", "(701)", "1", "(701)"]
    assert rows["steps that run in a closed box"] == ["(50%)", "(50%)"]
    assert rows["turns of direction"] == ["1", "(0)", "1", "(0)"]
    assert rows["the same after opening any one part"] == ["0", "(2)", "0", "(2)"]
    assert pictures.nameless(result) == ["mm … mv"]
